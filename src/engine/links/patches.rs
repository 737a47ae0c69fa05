//! Do a patch and what Kustomize merges it into still fit together after the conversion?
//!
//! Where the object gets another namespace, its patch follows. Where a patch and its object would get different apiVersions, those
//! that would change are held back.
//!
//! Invariant: after [`hold`], a patch and its object have one apiVersion and kind; after [`hold_apart`], no other object of its name has.

use std::collections::BTreeMap;

use serde_json::Value;

use super::applications::{Application, Namesake};
use super::held::Held;
use super::steps::Role;
use super::tied_files::{Id, TiedFiles};
use crate::engine::convert::{Conversion, Remark};
use crate::engine::finding::{Code, Location, Severity};
use crate::knowledge::release::{ApiVersion, GroupKind};
use crate::syntax::field::FieldPath;
use crate::syntax::yaml::{Intent, Place};

/// A patch and an object that it patches.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Patching {
    pub(super) patch: Id,
    pub(super) base: Id,
}

impl Patching {
    /// Returns the patches of objects of their own kind.
    pub(crate) fn all(tied: &TiedFiles<'_>) -> Vec<Self> {
        let merges = tied.applications.iter().filter(|one| one.instruction.role == Role::Merge);
        let pair = |one: &Application| {
            let (patch, base) = (one.instruction.position, one.base);
            let [own, other] = [patch, base].map(|id| (&tied.object(id).kind, &tied.object(id).api_version));
            (own == other).then_some(Self { patch, base })
        };
        let mut all: Vec<Self> = merges.filter_map(pair).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Moves a patch into the namespace that what it patches gets, where both had one before: without a namespace, or in the same.
pub(crate) fn follow_namespace(
    tied: &TiedFiles<'_>,
    patchings: &[Patching],
    id: Id,
    made: Option<Conversion>,
    held: &Held,
) -> Option<Conversion> {
    let object = tied.object(id);
    let new_namespace = |Patching { patch, base }: &Patching| {
        let (patch, base) = (*patch, *base);
        if patch != id || held.contains(base) {
            return None;
        }
        let made = tied.conversion(base)?;
        let before = tied.object(base).namespace.as_deref();
        (before == object.namespace.as_deref() && made.namespace() != before).then(|| made.namespace())
    };
    let Some(namespace) = patchings.iter().find_map(new_namespace) else { return made };
    let path = FieldPath::default().key("metadata").key("namespace");
    let before = made.as_ref().map_or(object.namespace.as_deref(), Conversion::namespace);
    let removal = before.map(|_| Intent::Delete { path: path.clone() });
    let place = Place::After("name".to_owned());
    let addition = namespace.map(|name| Intent::Insert { path, value: Value::from(name), place });
    Conversion::with(made, object, removal.into_iter().chain(addition).collect::<Vec<_>>())
}

/// Holds back patches and objects that would get different apiVersions, where they change; returns whether there were any.
pub(crate) fn hold(tied: &TiedFiles<'_>, patchings: &[Patching], held: &mut Held) -> bool {
    let mut more = BTreeMap::new();
    for Patching { patch, base } in patchings {
        let (of_patch, of_base) = (result(tied, *patch, held), result(tied, *base, held));
        if of_patch == of_base {
            continue;
        }
        for (id, result, other, words) in
            [(*patch, &of_patch, base, "it is merged into"), (*base, &of_base, patch, "it is patched by")]
        {
            let object = tied.object(id);
            if *result == (object.kind.clone(), object.api_version.clone()) {
                continue;
            }
            let (title, place, becomes) = describe(tied, *other, held);
            let message = format!(
                "{words} {title} at {place}, which {becomes}; Kustomize could no longer merge the two, since their apiVersions would differ"
            );
            let (help, severity) = match is_left_unchanged(tied, *other, held) && only_changes_version(tied, id) {
                // The target serves the version of both.
                true => (None, Severity::Note),
                false => (Some("resolve the findings about the other object, or change both by hand"), Severity::Held),
            };
            let remark = Remark::new(Code::ConvertsTogether, FieldPath::default(), message).maybe_help(help);
            more.insert(id, tied.finding(id, &remark, severity));
        }
    }
    held.extend(more)
}

/// Holds back patches and objects that a patch does not find now and would find, where they change; returns whether there were any.
pub(crate) fn hold_apart(tied: &TiedFiles<'_>, held: &mut Held) -> bool {
    let mut more = BTreeMap::new();
    for Namesake { patch, base } in tied.namesakes {
        let becomes = result(tied, *patch, held);
        if becomes != result(tied, *base, held) {
            continue;
        }
        for (id, other, words) in [(*patch, base, "it would be merged into"), (*base, patch, "it would be patched by")]
        {
            let object = tied.object(id);
            if becomes == (object.kind.clone(), object.api_version.clone()) {
                continue;
            }
            let message = format!(
                "{words} {} at {}, which has another apiVersion or kind now; Kustomize does not build a patch that finds several objects",
                tied.object(*other).title(),
                tied.location(*other)
            );
            let help =
                "write a `target` for the patch that selects its own object only, or rename one of the two objects";
            let remark = Remark::new(Code::PatchTarget, FieldPath::default(), message).help(help);
            more.insert(id, tied.finding(id, &remark, Severity::Held));
        }
    }
    held.extend(more)
}

/// Returns whether nothing becomes of an object that nothing holds back.
fn is_left_unchanged(tied: &TiedFiles<'_>, id: Id, held: &Held) -> bool {
    !held.contains(id) && !tied.is_changed(id)
}

/// Returns whether another apiVersion is the only change of an object.
pub(super) fn only_changes_version(tied: &TiedFiles<'_>, id: Id) -> bool {
    let made = tied.conversion(id);
    made.is_some_and(|made| made.kind == tied.object(id).kind && made.program.len() == 1 && made.rules.is_empty())
}

/// Returns the kind and apiVersion of an object after the conversion.
fn result(tied: &TiedFiles<'_>, id: Id, held: &Held) -> (GroupKind, ApiVersion) {
    let object = tied.object(id);
    let made = tied.conversion(id).filter(|_| !held.contains(id));
    let version = made.and_then(|made| made.value.get("apiVersion")).and_then(Value::as_str);
    let kind = made.map_or(&object.kind, |made| &made.kind).clone();
    (kind, version.map_or_else(|| object.api_version.clone(), ApiVersion::parse))
}

/// Returns the title and place of an object, and what becomes of it: the rest of a sentence.
fn describe(tied: &TiedFiles<'_>, id: Id, held: &Held) -> (String, Location, String) {
    let object = tied.object(id);
    let to = result(tied, id, held);
    let becomes = match to == (object.kind.clone(), object.api_version.clone()) {
        true => "is left unchanged".to_owned(),
        false => format!("becomes {} of {}", to.0.kind, to.1),
    };
    (object.title(), tied.location(id), becomes)
}
