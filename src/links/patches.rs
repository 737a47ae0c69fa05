//! Which objects does Kustomize merge into one, and do they still fit together after the conversion?
//!
//! A patch finds the object that it changes by apiVersion, kind and name, among all that the kustomization naming it takes in; a
//! component works on what the kustomizations with that component take in, Flux and Argo CD on what is in a folder. A name may
//! have the prefixes and suffixes that kustomizations add. Namespaces are compared where no kustomization gives others; and
//! where the object gets another one, its patch follows. Where a patch and its object would get different apiVersions, those that
//! would change are held back.
//!
//! Invariant: after [`hold`], a patch and its object have one apiVersion and kind.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::file::File;
use super::held::Held;
use super::kustomizations::Graph;
use super::linked::{Id, Linked};
use crate::convert::{Conversion, ObjectPlan, Outcome, Remark, impossible};
use crate::field::FieldPath;
use crate::finding::{Code, Location, Severity};
use crate::lens::Session;
use crate::manifest::{InlinePatch, Selector, SelectorPart};
use crate::release::{ApiVersion, GroupKind};
use crate::yaml::{Intent, Place};

/// An object's position: file of the run, and object in what is known of it.
pub(crate) type Position = (usize, usize);

/// What a patch finds its object by.
type Key<'a> = (&'a GroupKind, &'a ApiVersion, &'a str);

/// A patch, or the object that it patches.
#[derive(Clone, Copy)]
pub(crate) enum Side<'a> {
    /// In a linked file.
    Linked(Id),
    /// In a local file; what becomes of it is known.
    Local(&'a ObjectPlan),
}

/// A patch and an object that it patches.
#[derive(Clone, Copy)]
pub(crate) struct Patching<'a> {
    pub(super) patch: Side<'a>,
    pub(super) base: Side<'a>,
}

/// An object that is a patch or can be patched.
struct Candidate<'a> {
    position: Position,
    key: Key<'a>,
    /// The namespace that is written in it, where it is known.
    namespace: Option<&'a str>,
    /// The text that it stands in, where it is an inline patch.
    inline_patch: Option<&'a InlinePatch>,
}

/// The objects that can be patched.
type Bases<'a> = BTreeMap<Key<'a>, Vec<Candidate<'a>>>;

impl<'a> Candidate<'a> {
    /// Returns what this patch can be merged into: what `target` selects, or else what has its name. A patch with a target that
    /// is written for another kind or version does not show whether it applies.
    fn bases<'b>(&self, target: Option<&Selector>, bases: &'b Bases<'a>, graph: &Graph<'_>) -> Vec<&'b Candidate<'a>> {
        let (kind, version, own) = self.key;
        let is_named = |part: &SelectorPart, name: &str| graph.names_after(name).iter().any(|name| part.is(name));
        let found: Vec<&Candidate<'a>> = match target {
            Some(target) if !target.selects(kind, version) => Vec::new(),
            Some(target) => {
                let alike = bases.range((kind, version, "")..).take_while(|(key, _)| (key.0, key.1) == (kind, version));
                let named =
                    alike.filter(|((.., name), _)| target.name.as_ref().is_none_or(|part| is_named(part, name)));
                named.flat_map(|(_, bases)| bases).collect()
            }
            None => {
                let names = graph.names_before(own).into_iter().filter(|name| !name.is_empty());
                names.filter_map(|name| bases.get(&(kind, version, name))).flatten().collect()
            }
        };
        let gives_namespaces = graph.gives_namespaces();
        let wanted = |written: &str| match target {
            Some(target) => target.namespace.as_ref().is_none_or(|part| part.is(written)),
            None => self.namespace.is_none_or(|own| own == written),
        };
        let may_be_near = |base: &&Candidate<'a>| gives_namespaces || base.namespace.is_none_or(wanted);
        found.into_iter().filter(may_be_near).collect()
    }
}

/// Finds the patches among `files`, each with an object that it can patch.
pub(crate) fn find(files: &[File<'_>]) -> Vec<[Position; 2]> {
    let mut found = BTreeSet::new();
    let naming = files.iter().enumerate().filter(|(_, file)| !file.patches().is_empty() || file.has_inline_patches());
    let naming: Vec<_> = naming.collect();
    if naming.is_empty() {
        return Vec::new();
    }
    let patches: BTreeSet<&str> =
        naming.iter().flat_map(|(_, file)| file.patches()).map(|patch| patch.file.as_str()).collect();
    let numbers: BTreeMap<&str, usize> = files.iter().enumerate().map(|(number, file)| (file.name(), number)).collect();
    let mut bases = Bases::new();
    for (number, file) in files.iter().enumerate().filter(|(_, file)| !patches.contains(file.name())) {
        for base in objects(number, *file).filter(|object| object.inline_patch.is_none()) {
            bases.entry(base.key).or_default().push(base);
        }
    }
    let graph = Graph::of(files);
    for (host, file) in naming {
        let reach = LazyCell::new(|| graph.reach(file.name()));
        let named =
            file.patches().iter().filter_map(|patch| Some((*numbers.get(patch.file.as_str())?, patch.target.as_ref())));
        let in_file = |(number, target)| objects(number, files[number]).map(move |object| (object, target));
        let of_files = named.flat_map(in_file).filter(|(object, _)| object.inline_patch.is_none());
        let inline = objects(host, *file).filter_map(|object| Some((object.inline_patch?.target.as_ref(), object)));
        let inline = inline.map(|(target, object)| (object, target));
        for (patch, target) in of_files.chain(inline) {
            let folder = patch
                .inline_patch
                .and_then(|inline_patch| inline_patch.folder.as_deref())
                .map(|folder| graph.reach_of_folder(folder));
            let is_reached = |name: &str| match &folder {
                Some(folder) => folder.has(name),
                None => reach.contains(name),
            };
            let matching = patch
                .bases(target, &bases, &graph)
                .into_iter()
                .filter(|base| is_reached(files[base.position.0].name()));
            found.extend(matching.map(|base| [patch.position, base.position]));
        }
    }
    found.into_iter().collect()
}

/// Returns the objects of the file with this number; the name of one without a name is empty.
fn objects<'a>(number: usize, file: File<'a>) -> impl Iterator<Item = Candidate<'a>> {
    let manifest = match file {
        File::Local(_) => None,
        File::Linked(manifest) => Some(manifest),
    };
    let planned = file.planned().iter().enumerate().map(move |(at, plan)| {
        let key = (&plan.from.0, &plan.from.1, plan.name.as_deref().unwrap_or_default());
        Candidate { position: (number, at), key, namespace: None, inline_patch: None }
    });
    let linked =
        manifest.into_iter().flat_map(|manifest| manifest.objects.iter().map(move |object| (manifest, object)));
    planned.chain(linked.enumerate().map(move |(at, (manifest, object))| {
        let key = (&object.kind, &object.api_version, object.name.as_deref().unwrap_or_default());
        let (namespace, inline_patch) = (
            object.namespace.as_deref(),
            object.inline_patch.map(|inline_patch| &manifest.inline_patches[inline_patch]),
        );
        Candidate { position: (number, at), key, namespace, inline_patch }
    }))
}

impl<'a> Patching<'a> {
    /// Finds the patches among the files of the run.
    pub(crate) fn all(files: &'a [File<'a>]) -> Vec<Self> {
        let mut linked = 0;
        let number = |file: &File<'_>| {
            let number = linked;
            linked += usize::from(matches!(file, File::Linked(_)));
            number
        };
        let numbers: Vec<usize> = files.iter().map(number).collect();
        let side = |(number, at): Position| match files[number] {
            File::Local(local) => Side::Local(&local.objects[at]),
            File::Linked(_) => Side::Linked((numbers[number], at)),
        };
        find(files).into_iter().map(|[patch, base]| Self { patch: side(patch), base: side(base) }).collect()
    }

    /// Returns the patch and its object where both are in linked files.
    pub(super) const fn linked(&self) -> Option<(Id, Id)> {
        match (self.patch, self.base) {
            (Side::Linked(patch), Side::Linked(base)) => Some((patch, base)),
            _ => None,
        }
    }
}

/// Moves a patch into the namespace that what it patches gets, where both had one before: without a namespace, or in the same.
pub(crate) fn follow_namespace(
    linked: &Linked<'_>,
    patchings: &[Patching<'_>],
    id: Id,
    made: Option<Conversion>,
    held: &Held,
) -> Option<Conversion> {
    let object = linked.object(id);
    let new_namespace = |(patch, base): (Id, Id)| {
        if patch != id || held.contains(base) {
            return None;
        }
        let made = linked.conversion(base)?;
        let before = linked.object(base).namespace.as_deref();
        (before == object.namespace.as_deref() && made.namespace() != before).then(|| made.namespace())
    };
    let Some(namespace) = patchings.iter().filter_map(Patching::linked).find_map(new_namespace) else { return made };
    let mut made = made.unwrap_or_else(|| Conversion::unchanged(object));
    let mut session = Session::new(made.value.clone());
    let metadata = FieldPath::default().key("metadata");
    let intents = made.namespace().map(|_| Intent::Delete { path: metadata.key("namespace") });
    let place = Place::After("name".to_owned());
    let insert = namespace.map(|name| Intent::Insert {
        path: metadata,
        key: "namespace".to_owned(),
        value: Value::from(name),
        place,
    });
    for intent in intents.into_iter().chain(insert) {
        if let Err(halt) = session.change(intent) {
            made.blocks.extend(impossible(halt));
            return Some(made);
        }
    }
    let (value, program, _) = session.finish();
    made.value = value;
    made.program.extend(program);
    Some(made)
}

/// Holds back patches and objects that would get different apiVersions, where they change; returns whether there were any.
pub(crate) fn hold(linked: &Linked<'_>, patchings: &[Patching<'_>], held: &mut Held) -> bool {
    let mut more = BTreeMap::new();
    for Patching { patch, base } in patchings {
        let (of_patch, of_base) = (result(linked, *patch, held), result(linked, *base, held));
        if of_patch == of_base {
            continue;
        }
        for (this, result, other, words) in
            [(patch, &of_patch, base, "it is merged into"), (base, &of_base, patch, "it is patched by")]
        {
            let Side::Linked(id) = *this else { continue };
            let object = linked.object(id);
            if *result == (object.kind.clone(), object.api_version.clone()) {
                continue;
            }
            let (title, place, becomes) = describe(linked, *other, held);
            let message = format!(
                "{words} {title} at {place}, which {becomes}; Kustomize could no longer merge the two, since their apiVersions would differ"
            );
            let (help, severity) = match is_left_unchanged(linked, *other, held) && only_changes_version(linked, id) {
                // The target serves the version of both.
                true => (None, Severity::Note),
                false => (Some("resolve the findings about the other object, or change both by hand"), Severity::Held),
            };
            let remark = Remark::new(Code::ConvertsTogether, FieldPath::default(), message, help.map(str::to_owned));
            more.insert(id, linked.finding(id, &remark, severity));
        }
    }
    held.extend(more)
}

/// Returns whether nothing becomes of an object that nothing holds back.
fn is_left_unchanged(linked: &Linked<'_>, side: Side<'_>, held: &Held) -> bool {
    match side {
        Side::Local(plan) => plan.outcome == Outcome::Unchanged,
        Side::Linked(id) => !held.contains(id) && !linked.is_changed(id),
    }
}

/// Returns whether another apiVersion is the only change of an object.
pub(super) fn only_changes_version(linked: &Linked<'_>, id: Id) -> bool {
    let made = linked.conversion(id);
    made.is_some_and(|made| made.kind == linked.object(id).kind && made.program.len() == 1 && made.rules.is_empty())
}

/// Returns the kind and apiVersion of an object after the conversion.
fn result(linked: &Linked<'_>, side: Side<'_>, held: &Held) -> (GroupKind, ApiVersion) {
    let id = match side {
        Side::Local(plan) => return plan.to.clone(),
        Side::Linked(id) => id,
    };
    let object = linked.object(id);
    let made = linked.conversion(id).filter(|_| !held.contains(id));
    let version = made.and_then(|made| made.value.get("apiVersion")).and_then(Value::as_str);
    let kind = made.map_or(&object.kind, |made| &made.kind).clone();
    (kind, version.map_or_else(|| object.api_version.clone(), ApiVersion::parse))
}

/// Returns the title and place of an object, and what becomes of it: the rest of a sentence.
fn describe(linked: &Linked<'_>, side: Side<'_>, held: &Held) -> (String, Location, String) {
    let (title, place, from) = match side {
        Side::Local(plan) => (plan.title.clone(), plan.location.clone(), plan.from.clone()),
        Side::Linked(id) => {
            let object = linked.object(id);
            (object.title(), linked.location(id), (object.kind.clone(), object.api_version.clone()))
        }
    };
    let to = result(linked, side, held);
    let becomes = match to == from {
        true => "is left unchanged".to_owned(),
        false => format!("becomes {} of {}", to.0.kind, to.1),
    };
    (title, place, becomes)
}
