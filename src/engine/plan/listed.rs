//! Which changes of listed files need changes in files that are not listed, and so cannot be made alone?
//!
//! Their group is planned again with the listed files left unchanged: another file that then has other edits follows one of their
//! objects. Those that it may follow are held back: first those that it names, and where it still follows one, more. Then the group is
//! planned with these and the other files left unchanged; what a listed file becomes can be written alone.
//!
//! Invariant: the plan of a listed file is that of a run on all files, or has a finding that says why it is not.

use std::collections::{BTreeMap, BTreeSet};

use super::file::PlannedFile;
use super::group::GroupPlanner;
use super::scope::{Dependent, Listed, Others};
use super::withheld::Withheld;
use crate::engine::finding::{Code, Finding, Location, Severity};
use crate::engine::manifest::{Manifest, Object};
use crate::syntax::text::EditSet;

/// Limits the plans of a group's files, which are `whole`, to what needs no file that is not listed, as `listed` says.
pub(super) fn limited(
    group: &GroupPlanner<'_>,
    whole: Vec<PlannedFile>,
    listed: Listed<'_>,
    withheld: &Withheld,
) -> Vec<PlannedFile> {
    let changes = Changes::new(group, &whole, listed);
    let (mut alone, needs) = changes.map_or_else(Default::default, |changes| changes.alone(withheld));
    let limit = |planned: PlannedFile| match alone.remove(&planned.file) {
        Some(alone) => limit(planned, alone, listed, &needs),
        None => planned,
    };
    whole.into_iter().map(limit).collect()
}

/// The plans of a group with some files left unchanged, by file.
type Plans = BTreeMap<String, PlannedFile>;

/// The files that objects cannot change without, by where the objects start.
type NeededFiles = BTreeMap<Location, BTreeSet<String>>;

/// The files that the changes in listed files need.
#[derive(Default)]
struct Needs {
    objects: NeededFiles,
    all: BTreeSet<String>,
}

impl Needs {
    /// Returns the files that the object at `place` needs; all where that is not known.
    fn of(&self, place: &Location) -> &BTreeSet<String> {
        self.objects.get(place).unwrap_or(&self.all)
    }
}

/// A group in which files change that are listed, and others.
struct Changes<'g> {
    group: &'g GroupPlanner<'g>,
    /// What changes in each file in a run on all files.
    whole: BTreeMap<&'g str, Option<&'g EditSet>>,
    listed: Listed<'g>,
    /// The listed files that change.
    mine: Vec<&'g Manifest>,
    /// The others that do.
    others: Vec<&'g Manifest>,
}

impl<'g> Changes<'g> {
    /// Finds what changes; `None` where that is listed, or is not, as a whole.
    fn new(group: &'g GroupPlanner<'g>, whole: &'g [PlannedFile], listed: Listed<'g>) -> Option<Self> {
        let changed = || whole.iter().filter(|planned| planned.change.is_some());
        if changed().all(|planned| (listed.has)(&planned.file)) || !changed().any(|planned| (listed.has)(&planned.file))
        {
            return None;
        }
        let whole: BTreeMap<&str, Option<&EditSet>> =
            whole.iter().map(|planned| (&*planned.file, planned.edits())).collect();
        let manifests = group.linked.files().map(|(_, manifest)| manifest);
        let changed = manifests.filter(|manifest| whole[&*manifest.file].is_some());
        let (mine, others) = changed.partition(|manifest| (listed.has)(&manifest.file));
        Some(Self { group, whole, listed, mine, others })
    }

    /// Plans the listed files so that each change can be made without the other files. The plans that differ from those of the whole
    /// run are returned, with the files that they need.
    fn alone(&self, always: &Withheld) -> (Plans, Needs) {
        let mut withheld = always.clone();
        self.mine.iter().for_each(|manifest| withheld.add_unchanged(&manifest.file));
        let without_listed = self.plan(&withheld);
        let follows = |other: &&Manifest, planned: Option<&EditSet>| planned != without_listed[&other.file].edits();
        let mut following: Vec<&Manifest> = self.others.clone();
        following.retain(|other| follows(other, self.whole[&*other.file]));
        let all = if following.is_empty() { &self.others } else { &following };
        let all = all.iter().map(|other| other.file.clone()).collect();
        let mut needs = Needs { objects: BTreeMap::new(), all };
        let mut withheld = always.clone();
        for names in [names, patches, mentions, |_: &Manifest, _: &Object| true] {
            if following.is_empty() {
                break;
            }
            // What is held back already is not what a file still follows.
            needs.objects.extend(self.needed(&following, names, &needs.objects));
            withheld = always.clone();
            for (place, files) in &needs.objects {
                let (change, are) = if files.len() == 1 { ("changes", "is") } else { ("change", "are") };
                let why = format!("{} {change} with it, and {are} {}", named(files), self.listed.others.are());
                withheld.add_object(place.clone(), why);
            }
            let planned = self.plan(&withheld);
            following.retain(|other| follows(other, planned[&other.file].edits()));
        }
        self.others.iter().for_each(|manifest| withheld.add_unchanged(&manifest.file));
        let mut alone = self.plan(&withheld);
        alone.retain(|file, planned| (self.listed.has)(file) && planned.edits() != self.whole[file.as_str()]);
        (alone, needs)
    }

    /// Returns the files of `following` that name each object which changes, by where the object starts, but for those in `known`.
    fn needed(
        &self,
        following: &[&Manifest],
        names: fn(&Manifest, &Object) -> bool,
        known: &NeededFiles,
    ) -> NeededFiles {
        let linked = &self.group.linked;
        let is_mine = |file: &str| (self.listed.has)(file) && self.whole[file].is_some();
        let mine = linked.objects().filter(|(_, manifest, _)| is_mine(&manifest.file));
        let mine = mine.map(|(id, _, object)| (linked.location(id), object));
        let needed = |(place, object)| {
            let files = following.iter().filter(|other| names(other, object)).map(|other| other.file.clone());
            (place, files.collect())
        };
        let mine = mine.filter(|(place, _)| !known.contains_key(place));
        mine.map(needed).filter(|(_, files): &(_, BTreeSet<String>)| !files.is_empty()).collect()
    }

    fn plan(&self, withheld: &Withheld) -> Plans {
        self.group.plan(withheld).into_iter().map(|planned| (planned.file.clone(), planned)).collect()
    }
}

/// Returns whether `other` contains the kind and the name of an object.
fn names(other: &Manifest, object: &Object) -> bool {
    let continues = |part: char| part.is_alphanumeric() || part == '-';
    let is_word = |at: usize, name: &str| {
        let (before, behind) = (&other.text[..at], &other.text[at + name.len()..]);
        !before.ends_with(continues) && !behind.starts_with(continues)
    };
    let has = |name: &str| other.text.match_indices(name).any(|(at, _)| is_word(at, name));
    mentions(other, object) && object.name.as_deref().is_some_and(has)
}

/// Returns whether an object is a kustomization, or a patch of a kind that `other` contains.
fn patches(other: &Manifest, object: &Object) -> bool {
    object.kind.kind == "Kustomization" || object.read_from.is_instruction() && mentions(other, object)
}

/// Returns whether `other` contains the kind of an object.
fn mentions(other: &Manifest, object: &Object) -> bool {
    other.text.contains(&object.kind.kind)
}

/// How many files are named that a listed file needs.
const NAMED: usize = 20;

/// Names files: `a.yaml, b.yaml and 2 more`.
fn named(files: &BTreeSet<String>) -> String {
    let more = match files.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    files.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ") + &more
}

/// Limits the plan of a listed file to `alone`, what needs no other file, as `listed` says.
fn limit(whole: PlannedFile, alone: PlannedFile, listed: Listed<'_>, needs: &Needs) -> PlannedFile {
    let known: BTreeSet<&Finding> = whole.findings.iter().collect();
    let found = alone.findings.iter().filter(|finding| !known.contains(finding) && finding.severity >= Severity::Held);
    let mut found: Vec<Finding> = found.cloned().collect();
    if found.is_empty() {
        let (names, are) = (named(&needs.all), if needs.all.len() == 1 { "is" } else { "are" });
        let others = listed.others.are();
        found.push(Finding::new(
            Location { file: whole.file.clone(), position: None },
            Code::ConvertsTogether,
            Severity::Held,
            format!("a part of the changes in this file needs changes in {names}, which {are} {others}"),
        ));
    }
    let (mut planned, severity) = match listed.dependent {
        Dependent::Report => (whole, Severity::Warning),
        Dependent::HoldBack => {
            let mut alone = alone;
            alone.findings.retain(|finding| !found.contains(finding));
            (alone, Severity::Held)
        }
    };
    let help = |finding: &Finding| Some(help(listed, needs.of(&finding.location)));
    planned.findings.extend(found.into_iter().map(|finding| Finding { severity, help: help(&finding), ..finding }));
    planned
}

/// Says what to do about a change that needs those in the files `needed`.
fn help(listed: Listed<'_>, needed: &BTreeSet<String>) -> String {
    let (names, is_one) = (named(needed), needed.len() == 1);
    match (listed.dependent, listed.others) {
        (Dependent::Report, _) => {
            let them = if is_one { "it" } else { "them" };
            format!("convert {names} in the same change: `apply` holds this back unless the list has {them}")
        }
        (Dependent::HoldBack, Others::Unreported) => format!("add {names} to the list"),
        (Dependent::HoldBack, Others::Outside) => {
            format!("pass {names} as {} of the run too", if is_one { "a path" } else { "paths" })
        }
        (Dependent::HoldBack, Others::Reported) => "write the whole tree, without `--shard`".to_owned(),
    }
}
