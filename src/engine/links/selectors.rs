//! Which selectors of Kustomize give a version that their objects no longer have after the conversion?
//!
//! A selector of Kustomize is a mapping with `group`, `version` and `kind`, of which Kustomize compares the version exactly. Where the run
//! shows what it selects from, `kustomize_selectors` decides about it, and not this. Where every object of the run with that version and
//! kind gets one other version, that is written; where the run has no such object and the target does not serve that version, it is
//! reported.
//!
//! Invariant: a mapping whose kind is renamed is a reference and not handled here.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::version_changes::{Follow, VersionChange, VersionChanges};
use crate::engine::convert::{Beside, Conversion, Reference, Remark, Targets, each_named};
use crate::engine::finding::Code;
use crate::engine::manifest::Object;
use crate::knowledge::carrier::{Carrier, Carriers};
use crate::knowledge::release::{GroupKind, is_version};
use crate::syntax::field::{FieldPath, FieldPattern};

/// A selector of Kustomize that gives a version.
#[derive(Clone)]
struct Selected {
    /// The path of the version.
    path: FieldPath,
    kind: GroupKind,
    version: String,
    name: Option<String>,
    /// Whether part of an object of that version is embedded next to it, which would not fit another version.
    has_body: bool,
}

impl Selected {
    fn of(reference: Reference<'_>) -> Option<Self> {
        let path = reference.version_path()?;
        let Reference { kind, version, name, beside, .. } = reference;
        Some(Self { path, kind, version: version?, name, has_body: beside != Beside::Names })
    }

    /// Returns whether its mapping is at one of `places`.
    fn is_in(&self, places: &BTreeSet<FieldPath>) -> bool {
        places.iter().any(|mapping| self.path.steps().split_last().is_some_and(|(_, steps)| steps == mapping.steps()))
    }

    /// Counts the versions that the selected objects have afterwards. A name that is no object's can be a pattern, or one that
    /// kustomizations give: then every object counts. Patches count where nothing else does.
    fn versions<'m>(&self, changes: &'m VersionChanges<'_>) -> BTreeMap<&'m str, usize> {
        let mut chosen: Vec<_> = changes.of_version(&self.kind, &self.version).collect();
        chosen.retain(|change| *change.kind == self.kind);
        let is_named = |change: &VersionChange<'_>| self.name.is_some() && change.name == self.name.as_deref();
        if chosen.iter().any(|change| is_named(change)) {
            chosen.retain(|change| is_named(change));
        }
        if chosen.iter().any(|change| !change.is_patch) {
            chosen.retain(|change| !change.is_patch);
        }
        let mut versions = BTreeMap::new();
        for change in chosen {
            *versions.entry(change.version.as_str()).or_default() += 1;
        }
        versions
    }
}

/// The mappings in an object that are selectors of Kustomize which `kustomize_selectors` decides about.
#[derive(Default)]
pub(super) struct DecidedSelectors {
    /// Those that follow what they select.
    pub(super) following: BTreeSet<FieldPath>,
    /// Those that select nothing of this run.
    pub(super) unseen: BTreeSet<FieldPath>,
}

/// Decides what becomes of the versions in the selectors of `object` that nothing else decides about, which became `made` so far.
pub(super) fn follow(
    object: &Object,
    made: Option<&Conversion>,
    changes: &VersionChanges<'_>,
    decided: &DecidedSelectors,
    targets: &Targets<'_>,
) -> Vec<Follow> {
    let selected = find(Conversion::kind_and_value(made, object).1, object, targets).into_iter();
    let undecided = selected.filter(|selected| !selected.is_in(&decided.following));
    let follow =
        |selected: Selected| decide(&selected, &Conversion::origin(made, &selected.path), changes, decided, targets);
    undecided.filter_map(follow).collect()
}

/// Decides about a selector whose version the file has at `written`.
fn decide(
    selected: &Selected,
    written: &FieldPath,
    changes: &VersionChanges<'_>,
    decided: &DecidedSelectors,
    targets: &Targets<'_>,
) -> Option<Follow> {
    let selects_nothing = selected.is_in(&decided.unseen);
    let versions = if selects_nothing { BTreeMap::new() } else { selected.versions(changes) };
    let (message, help) = match versions.first_key_value() {
        _ if selected.has_body => embedded(selected, targets)?,
        None => not_served(selected, targets)?,
        Some((new, _)) if versions.len() == 1 => {
            return Some(Follow::Text { path: selected.path.clone(), text: (*new).to_owned() });
        }
        // What it selects is held back.
        Some(_) => return None,
    };
    let message = format!("{written} selects {message}");
    Some(Follow::Report(Remark::new(Code::PatchTarget, written.clone(), message).help(help)))
}

/// Returns whether `object` has a selector that gives a version.
pub(crate) fn selects(object: &Object, targets: &Targets<'_>) -> bool {
    !find(&object.value, object, targets).is_empty()
}

/// Reports that the target does not serve the version that an embedded part of an object is written for.
fn embedded(selected: &Selected, targets: &Targets<'_>) -> Option<(String, &'static str)> {
    let Selected { kind, version, .. } = selected;
    targets.not_serving(kind, version).map(|target| {
        let message = format!(
            "version {version}, which {target} does not serve for {}; it is not updated, since what stands beside it can be part of such an object",
            kind.kind
        );
        (message, "write the version that the object has after the conversion, and convert what stands beside it, by hand")
    })
}

/// Reports that the target does not serve the selected version of a kind that the run does not rename.
fn not_served(selected: &Selected, targets: &Targets<'_>) -> Option<(String, &'static str)> {
    let Selected { kind, version, .. } = selected;
    if !is_version(version) {
        // A pattern, which may still match the new version.
        return None;
    }
    targets.not_serving(kind, version).map(|target| {
        let message = format!(
            "version {version}, which {target} does not serve for {}; it is not updated, since no object of this run has that version",
            kind.kind
        );
        (message, "write the version that the objects have after the conversion, or remove it from the selector, by hand")
    })
}

/// Finds the selectors of Kustomize that give a version in `value`, what became of `object`.
fn find(value: &Value, object: &Object, targets: &Targets<'_>) -> Vec<Selected> {
    let read = ReadByKustomize::of(object, targets.goal.packs.carriers());
    let mut selected = Vec::new();
    if read.is_nothing() {
        return selected;
    }
    each_named(value, &mut |at, named| {
        if named.version().is_some() {
            let reference = named.reference(at.path(), |_| None);
            let reference = reference.filter(|one| !one.has_api_version() && read.has(&one.path));
            selected.extend(reference.and_then(Selected::of));
        }
    });
    selected
}

/// Which parts of an object Kustomize reads.
pub(super) enum ReadByKustomize {
    /// All of it: a kustomization, or what one uses.
    All,
    /// What is in these lists of patches, of an object that has a controller run Kustomize.
    Lists(Vec<FieldPattern>),
}

impl ReadByKustomize {
    pub(super) fn of(object: &Object, carriers: &Carriers) -> Self {
        let is_kustomization = ["Kustomization", "Component"].contains(&object.kind.kind.as_str());
        if is_kustomization || object.read_from.is_instruction() || object.is_builtin() {
            return Self::All;
        }
        Self::lists(object, carriers)
    }

    /// Returns the lists of patches of an object that has a controller run Kustomize.
    pub(super) fn lists(object: &Object, carriers: &Carriers) -> Self {
        Self::Lists(carriers.of_kind(&object.kind).flat_map(lists_of_patches).collect())
    }

    pub(super) const fn is_nothing(&self) -> bool {
        matches!(self, Self::Lists(lists) if lists.is_empty())
    }

    pub(super) fn has(&self, path: &FieldPath) -> bool {
        match self {
            Self::All => true,
            Self::Lists(lists) => {
                !lists.is_empty() && {
                    let pattern = path.pattern();
                    lists.iter().any(|list| pattern.starts_with(list))
                }
            }
        }
    }
}

fn lists_of_patches(carrier: &Carrier) -> Vec<FieldPattern> {
    carrier.each.iter().flat_map(|each| carrier.patches.iter().map(|list| each.join(list))).collect()
}
