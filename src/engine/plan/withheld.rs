//! Which objects are held back because of files that were left out or are beside theirs, or because they are not to change?
//!
//! A file that was left out could not be read, so what it holds is not known. What depends on it can be told from the kustomizations that were
//! read: what they patch with it, and the patches of what they build with it. Of a kustomization that could not be read, every
//! word can be a path.
//!
//! Invariant: only objects that would change are held back.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::convert::Remark;
use crate::engine::finding::{Code, Finding, Location};
use crate::engine::links::{FileSurvey, Graph, Id, Run, TiedFiles, kustomize_selectors, selectors};
use crate::engine::manifest::{Kustomization, Object};
use crate::syntax::field::FieldPath;

/// A file of the run that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The file as the user named it.
    pub name: String,
    /// The paths that it may name, where it is a kustomization.
    pub mentions: BTreeSet<String>,
}

/// Which objects of a file are held back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    InlinePatches,
    All,
}

/// The files with objects that are held back: which, and why.
#[derive(Clone, Debug, Default)]
pub(super) struct Withheld {
    files: BTreeMap<String, (Part, String)>,
    /// Why single objects are, by where they start.
    objects: BTreeMap<Location, Remark>,
}

impl Withheld {
    /// Finds what depends on the files in `left_out`, as far as the others show it.
    pub(super) fn without(left_out: &[LeftOut], run: &Run<'_>) -> Self {
        let mut withheld = Self::default();
        if left_out.is_empty() {
            return withheld;
        }
        let missing = Missing::new(left_out);
        for file in run.files {
            withheld.around(file, &missing, left_out, &run.graph);
        }
        withheld.by_unread_kustomizations(left_out, run);
        withheld
    }

    /// Adds the objects that start at these places, which the user does not want to change.
    pub(super) fn and(mut self, declined: &[Location]) -> Self {
        let remark = Remark::new(Code::Declined, FieldPath::default(), "it is left unchanged, as you answered");
        self.objects.extend(declined.iter().map(|place| (place.clone(), remark.clone())));
        self
    }

    /// Adds the object that starts at `place`.
    pub(super) fn add_object(&mut self, place: Location, why: String) {
        self.objects.insert(place, Remark::new(Code::ConvertsTogether, FieldPath::default(), why));
    }

    /// Adds what depends on a missing file because of `file`, which is a kustomization or an object with patches.
    fn around(&mut self, file: &FileSurvey, missing: &Missing<'_>, left_out: &[LeftOut], graph: &Graph<'_>) {
        let name = &*file.file;
        let missing_patch = file.rare().patches.iter().find_map(|patch| missing.at(&patch.file));
        let components = file.kustomization.iter().flat_map(|one| &one.components);
        let missing_component = components.into_iter().find_map(|path| missing.at(path));
        let reach = if file.kustomization.is_some() { graph.reach(name) } else { BTreeSet::new() };
        for (one, verb) in missing_patch
            .map(|one| (one, "patches it with"))
            .into_iter()
            .chain(missing_component.map(|one| (one, "builds it with")))
        {
            for reached in &reach {
                self.add(reached, format!("{name} {verb} {one}, which could not be read"));
            }
        }
        if let Some(one) = reach.iter().find_map(|path| missing.at(path)) {
            let why = format!("{name} includes {one}, which could not be read and may hold what it patches");
            for patch in &file.rare().patches {
                self.add(&patch.file, why.clone());
            }
            self.add_part(name, Part::InlinePatches, why);
        }
        for folder in file.rare().inline_patches.iter().filter_map(|patch| patch.folder.as_ref()) {
            let reach = graph.reach_of_folder(folder);
            if let Some(one) = left_out.iter().find(|one| reach.has(&one.name)) {
                let why = format!(
                    "it patches the folder {}, which includes {}, which could not be read",
                    folder.path, one.name
                );
                self.add_part(name, Part::InlinePatches, why);
            }
        }
    }

    /// Adds what the kustomizations among `left_out` may patch, or may patch others with.
    fn by_unread_kustomizations(&mut self, left_out: &[LeftOut], run: &Run<'_>) {
        if left_out.iter().all(|one| one.mentions.is_empty()) {
            return;
        }
        let names: BTreeSet<&str> = run.files.iter().map(|file| &*file.file).collect();
        let folders = names.iter().filter_map(|name| Some((Kustomization::folder(name)?, *name)));
        let folders: BTreeMap<String, &str> = folders.collect();
        for one in left_out {
            let why = format!("{}, which could not be read, names it or what includes it, and may patch it", one.name);
            for path in &one.mentions {
                if names.contains(path.as_str()) {
                    self.add(path, why.clone());
                }
                for reached in folders.get(path).into_iter().flat_map(|kustomization| run.graph.reach(kustomization)) {
                    self.add(reached, why.clone());
                }
            }
        }
    }

    /// Holds back every object of a file.
    pub(super) fn add(&mut self, file: &str, why: String) {
        self.add_part(file, Part::All, why);
    }

    /// Holds back every object of a file whose findings are not reported.
    pub(super) fn add_unchanged(&mut self, file: &str) {
        self.add(file, "it is left unchanged".to_owned());
    }

    fn add_part(&mut self, file: &str, part: Part, why: String) {
        let entry = self.files.entry(file.to_owned()).or_insert((part, why));
        entry.0 = entry.0.max(part);
    }

    /// Returns whether objects of a file may be held back because of others.
    pub(super) fn has(&self, file: &str) -> bool {
        self.files.contains_key(file)
    }

    /// Returns the objects that are held back.
    pub(super) fn find(&self, linked: &TiedFiles<'_>) -> Vec<(Id, Finding)> {
        if self.files.is_empty() && self.objects.is_empty() {
            return Vec::new();
        }
        let finding = |(id, file, object): (Id, &str, &Object)| {
            let own = if self.objects.is_empty() { None } else { self.objects.get(&linked.location(id)) };
            if let Some(remark) = own.filter(|remark| remark.code == Code::Declined || would_change(linked, id)) {
                return Some(linked.held(id, remark));
            }
            let (part, why) = self.files.get(file)?;
            let is_part = *part == Part::All || object.inline_patch.is_some();
            (is_part && would_change(linked, id)).then(|| {
                let help = "correct that file and run again, or convert this object by hand";
                let remark = Remark::new(Code::ConvertsTogether, FieldPath::default(), why.clone()).help(help);
                linked.held(id, &remark)
            })
        };
        linked
            .objects()
            .map(|(id, manifest, object)| (id, manifest.file.as_str(), object))
            .filter_map(finding)
            .collect()
    }
}

/// Returns whether an object changes by itself, or may follow others that do.
pub(super) fn would_change(linked: &TiedFiles<'_>, id: Id) -> bool {
    let object = linked.object(id);
    let follows = || {
        let file = &linked.manifest(id).file;
        !linked.targets.outdated_references(&object.kind, &object.value, file).is_empty()
            || selectors::selects(object, linked.targets)
            || kustomize_selectors::is_in(object, linked.targets)
    };
    linked.is_changed(id) || object.read_from.is_instruction() || linked.has_names(id) && follows()
}

/// The files that were left out, by the paths that name them.
struct Missing<'a> {
    files: BTreeSet<&'a str>,
    /// The kustomizations by their folders.
    folders: BTreeMap<String, &'a str>,
}

impl<'a> Missing<'a> {
    fn new(left_out: &'a [LeftOut]) -> Self {
        let files = left_out.iter().map(|one| one.name.as_str());
        let folder = |name: &'a str| Some((Kustomization::folder(name)?, name));
        Self { files: files.clone().collect(), folders: files.filter_map(folder).collect() }
    }

    /// Returns the file that `path` leads to, itself or as the folder of a kustomization.
    fn at(&self, path: &str) -> Option<&'a str> {
        self.files.get(path).or_else(|| self.folders.get(path)).copied()
    }
}
