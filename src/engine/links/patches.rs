//! Do a patch and what Kustomize merges it into still fit together after the conversion?
//!
//! Where the object gets another namespace, its patch follows. Where a patch and its object would get different apiVersions, those
//! that would change are held back.
//!
//! Invariant: after [`hold`], a patch and its object have one apiVersion and kind.

use std::collections::BTreeMap;

use serde_json::Value;

use super::applications::Application;
use super::held::Held;
use super::linked::{Id, Linked};
use super::steps::Role;
use crate::engine::convert::{Conversion, Remark, impossible};
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
    pub(crate) fn all(linked: &Linked<'_>) -> Vec<Self> {
        let merges = linked.applications.iter().filter(|one| one.carrier.role == Role::Merge);
        let pair = |one: &Application| {
            let (patch, base) = (one.carrier.position, one.base);
            let [own, other] = [patch, base].map(|id| (&linked.object(id).kind, &linked.object(id).api_version));
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
    linked: &Linked<'_>,
    patchings: &[Patching],
    id: Id,
    made: Option<Conversion>,
    held: &Held,
) -> Option<Conversion> {
    let object = linked.object(id);
    let new_namespace = |Patching { patch, base }: &Patching| {
        let (patch, base) = (*patch, *base);
        if patch != id || held.contains(base) {
            return None;
        }
        let made = linked.conversion(base)?;
        let before = linked.object(base).namespace.as_deref();
        (before == object.namespace.as_deref() && made.namespace() != before).then(|| made.namespace())
    };
    let Some(namespace) = patchings.iter().find_map(new_namespace) else { return made };
    let mut made = made.unwrap_or_else(|| Conversion::unchanged(object));
    let mut session = Conversion::session(Some(&made), object);
    let metadata = FieldPath::default().key("metadata");
    let intents = made.namespace().map(|_| Intent::Delete { path: metadata.key("namespace") });
    let place = Place::After("name".to_owned());
    let insert =
        namespace.map(|name| Intent::Insert { path: metadata.key("namespace"), value: Value::from(name), place });
    for intent in intents.into_iter().chain(insert) {
        if let Err(halt) = session.change(intent) {
            made.blocks.extend(impossible(halt));
            return Some(made);
        }
    }
    Conversion::with_changes(Some(made), object, session)
}

/// Holds back patches and objects that would get different apiVersions, where they change; returns whether there were any.
pub(crate) fn hold(linked: &Linked<'_>, patchings: &[Patching], held: &mut Held) -> bool {
    let mut more = BTreeMap::new();
    for Patching { patch, base } in patchings {
        let (of_patch, of_base) = (result(linked, *patch, held), result(linked, *base, held));
        if of_patch == of_base {
            continue;
        }
        for (id, result, other, words) in
            [(*patch, &of_patch, base, "it is merged into"), (*base, &of_base, patch, "it is patched by")]
        {
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
fn is_left_unchanged(linked: &Linked<'_>, id: Id, held: &Held) -> bool {
    !held.contains(id) && !linked.is_changed(id)
}

/// Returns whether another apiVersion is the only change of an object.
pub(super) fn only_changes_version(linked: &Linked<'_>, id: Id) -> bool {
    let made = linked.conversion(id);
    made.is_some_and(|made| made.kind == linked.object(id).kind && made.program.len() == 1 && made.rules.is_empty())
}

/// Returns the kind and apiVersion of an object after the conversion.
fn result(linked: &Linked<'_>, id: Id, held: &Held) -> (GroupKind, ApiVersion) {
    let object = linked.object(id);
    let made = linked.conversion(id).filter(|_| !held.contains(id));
    let version = made.and_then(|made| made.value.get("apiVersion")).and_then(Value::as_str);
    let kind = made.map_or(&object.kind, |made| &made.kind).clone();
    (kind, version.map_or_else(|| object.api_version.clone(), ApiVersion::parse))
}

/// Returns the title and place of an object, and what becomes of it: the rest of a sentence.
fn describe(linked: &Linked<'_>, id: Id, held: &Held) -> (String, Location, String) {
    let object = linked.object(id);
    let to = result(linked, id, held);
    let becomes = match to == (object.kind.clone(), object.api_version.clone()) {
        true => "is left unchanged".to_owned(),
        false => format!("becomes {} of {}", to.0.kind, to.1),
    };
    (object.title(), linked.location(id), becomes)
}
