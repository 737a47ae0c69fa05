//! Which selectors and names give a version that their objects no longer have after the conversion?
//!
//! A selector of Kustomize is a mapping with `group`, `version` and `kind`; where the run shows what it selects from,
//! `kustomize_selectors` decides about it, and not this. Others name objects by such a mapping too, or by
//! `apiVersion` and `kind`, or under keys that a pack declares: for those any served version will do, so only versions that the target does not serve count. Where
//! every object of the run with that apiVersion and kind gets one other version, that is written; where they get different
//! ones, or the run has no such object and the target does not serve that version, it is reported. The same holds for what a JSON
//! patch writes into such a mapping.
//!
//! Invariant: a mapping whose kind is renamed is a reference and not handled here.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::path_expression::{PathExpression, Syntax};
use super::steps::Role;
use super::tied_files::{Id, TiedFiles};
use super::version_changes::{Follow, VersionChange, VersionChanges};
use crate::engine::convert::{Beside, Reference, Remark, Targets, each_named, find_owners};
use crate::engine::finding::Code;
use crate::engine::manifest::Object;
use crate::knowledge::carrier::{Carrier, Carriers};
use crate::knowledge::release::{ApiVersion, GroupKind, is_version};
use crate::syntax::field::{Entries, FieldPath, FieldPattern};

/// What JSON patches write into references: the versions of other objects.
pub(crate) struct PatchedVersions(BTreeMap<Id, Vec<Selected>>);

impl PatchedVersions {
    /// Finds the versions that JSON patches write, for kinds of which the target does not serve them. The object that is
    /// patched shows the kind.
    pub(crate) fn new(tied: &TiedFiles<'_>) -> Self {
        let mut found: BTreeMap<Id, Vec<Selected>> = BTreeMap::new();
        for application in tied.applications.iter().filter(|one| one.instruction.role == Role::JsonPatch) {
            let (id, place) = (application.instruction.position, &application.instruction.place);
            let operations = place.items(&tied.object(id).value).iter();
            for (operation, index) in operations.zip(0..) {
                let written = Selected::written(operation, place.index(index), &tied.object(application.base).value);
                let written = written.filter(|one| tied.targets.not_serving(&one.kind, &one.version).is_some());
                let all = found.entry(id).or_default();
                all.extend(written.filter(|one| all.iter().all(|other| other.path != one.path)));
            }
        }
        Self(found)
    }

    fn of(&self, id: Id) -> impl Iterator<Item = Selected> {
        self.0.get(&id).into_iter().flatten().cloned()
    }
}

/// What a mapping selects or names.
#[derive(Clone)]
pub(super) struct Selected {
    /// The path of the version.
    path: FieldPath,
    kind: GroupKind,
    version: String,
    name: Option<String>,
    /// Whether Kustomize reads it, which compares versions exactly.
    is_selector: bool,
    /// Whether the group stands before the version, as in `example.com/v1`.
    has_group: bool,
    /// Whether part of an object of that version is embedded next to it, which would not fit another version.
    has_body: bool,
}

impl Selected {
    /// What a mapping such as `{ group: example.com, version: v1, kind: A }` or `{ apiVersion: example.com/v1, kind: A, name: a }` names by a version.
    pub(super) fn of(reference: Reference<'_>) -> Option<Self> {
        let path = reference.version_path()?;
        let has_group = reference.has_api_version();
        let Reference { kind, version, name, beside, .. } = reference;
        // An embedded object names nothing.
        let has_body = match beside {
            Beside::Object if has_group => return None,
            Beside::Object | Beside::Body => true,
            Beside::Names => false,
        };
        Some(Self { path, kind, version: version?, name, is_selector: false, has_group, has_body })
    }

    /// Reads an operation of a JSON patch that stands at `place` and writes the apiVersion of a reference in `base`.
    fn written(operation: &Value, place: FieldPath, base: &Value) -> Option<Self> {
        let reference = PathExpression::parse(Syntax::Pointer, operation.text("path")?.strip_suffix("/apiVersion")?)?;
        let ApiVersion { group, version } = ApiVersion::parse(operation.text("value")?);
        let named = reference.places(base).into_iter().find_map(|place| place.get(base)?.as_object());
        let part = |key: &str| named.and_then(|map| map.get(key)).and_then(Value::as_str);
        Some(Self {
            path: place.key("value"),
            kind: GroupKind::new(part("kind")?, group),
            version,
            name: part("name").map(str::to_owned),
            is_selector: false,
            has_group: true,
            has_body: false,
        })
    }

    /// Returns whether its mapping is at one of `places`.
    fn is_in(&self, places: &BTreeSet<FieldPath>) -> bool {
        places.iter().any(|mapping| self.path.steps().split_last().is_some_and(|(_, steps)| steps == mapping.steps()))
    }

    /// Returns what stands for `version` at its place.
    fn spelled(&self, version: &str) -> String {
        match self.has_group {
            true => ApiVersion { group: self.kind.group.clone(), version: version.to_owned() }.to_string(),
            false => version.to_owned(),
        }
    }

    /// Counts the versions that the selected objects have afterwards.
    fn versions<'m>(&self, changes: &'m VersionChanges<'_>, targets: &Targets<'_>) -> BTreeMap<&'m str, usize> {
        let mut chosen = self.chosen(changes);
        if chosen.is_empty() {
            chosen = self.named_in_another_version(changes);
            chosen.retain(|change| targets.not_serving(&self.kind, &change.version).is_none());
        }
        let mut versions = BTreeMap::new();
        for change in chosen {
            *versions.entry(change.version.as_str()).or_default() += 1;
        }
        versions
    }

    /// Returns the selected objects. A name that is no object's can be a pattern, or one that kustomizations give: then every object
    /// counts. Patches count where nothing else does.
    fn chosen<'m, 'r>(&self, changes: &'m VersionChanges<'r>) -> Vec<&'m VersionChange<'r>> {
        let mut chosen: Vec<_> = changes.of_version(&self.kind, &self.version).collect();
        chosen.retain(|change| *change.kind == self.kind);
        let is_named = |change: &VersionChange<'_>| self.name.is_some() && change.name == self.name.as_deref();
        if chosen.iter().any(|change| is_named(change)) {
            chosen.retain(|change| is_named(change));
        }
        if chosen.iter().any(|change| !change.is_patch) {
            chosen.retain(|change| !change.is_patch);
        }
        chosen
    }

    /// Returns the objects with this kind and name, where the version does not matter: the API server has each object in all of them.
    fn named_in_another_version<'m, 'r>(&self, changes: &'m VersionChanges<'r>) -> Vec<&'m VersionChange<'r>> {
        let Some(name) = self.name.as_deref().filter(|_| !self.is_selector) else { return Vec::new() };
        let of_kind = changes.of_kinds(|kind| *kind == self.kind);
        of_kind.filter(|change| !change.is_patch && *change.kind == self.kind && change.name == Some(name)).collect()
    }

    /// The text that it was found as.
    fn text(&self) -> String {
        self.spelled(&self.version)
    }

    /// The text at its place in `value`.
    fn text_in<'v>(&self, value: &'v Value) -> Option<&'v str> {
        self.path.text(value)
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

/// What decides about the versions that objects give of others.
pub(super) struct Versions<'v> {
    pub(super) targets: &'v Targets<'v>,
    pub(super) changes: &'v VersionChanges<'v>,
    pub(super) patched: &'v PatchedVersions,
}

impl Versions<'_> {
    /// Decides what becomes of the versions in what selects or names objects in `object`, and in what it writes as JSON patches; the texts are those of `value`, which is
    /// what became of it so far.
    pub(super) fn follow(&self, id: Id, object: &Object, value: &Value, decided: &DecidedSelectors) -> Vec<Follow> {
        let mut follows = Vec::new();
        let written = self.patched.of(id).filter(|selected| selected.text_in(value) == Some(&*selected.text()));
        let before = find(&object.value, object, self.targets);
        let is_changed = !std::ptr::eq(value, &*object.value);
        let now = if is_changed { find(value, object, self.targets) } else { before.clone() };
        for selected in now.into_iter().chain(written) {
            follows.extend(self.decide(&selected, decided).filter(|follow| matches!(follow, Follow::Text { .. })));
        }
        for selected in before.into_iter().chain(self.patched.of(id)) {
            let is_updated = selected.text_in(value).is_some_and(|text| text != selected.text());
            let report = self.decide(&selected, decided).filter(|follow| matches!(follow, Follow::Report(_)));
            follows.extend(report.filter(|_| !is_updated));
        }
        follows
    }

    fn decide(&self, selected: &Selected, decided: &DecidedSelectors) -> Option<Follow> {
        if selected.is_in(&decided.following) {
            return None;
        }
        let selects_nothing = selected.is_in(&decided.unseen);
        let versions = if selects_nothing { BTreeMap::new() } else { selected.versions(self.changes, self.targets) };
        let (message, help) = match versions.first_key_value() {
            _ if selected.has_body => embedded(selected, self.targets)?,
            None => not_served(selected, self.targets)?,
            Some((new, _)) if versions.len() == 1 => {
                return Some(Follow::Text { path: selected.path.clone(), text: selected.spelled(new) });
            }
            // What it selects is held back.
            _ if selected.is_selector => return None,
            _ => different(selected, &versions),
        };
        let verb = if selected.is_selector { "selects" } else { "names" };
        let help = match selected.is_selector || selected.has_body {
            true => help,
            false => "write the version that the object has after the conversion, by hand",
        };
        let code = if selected.is_selector { Code::PatchTarget } else { Code::ReferenceNotUpdated };
        let message = format!("{} {verb} {message}", selected.path);
        Some(Follow::Report(Remark::new(code, selected.path.clone(), message).help(help)))
    }
}

/// Whether `object` selects or names any object by its version.
pub(crate) fn selects(object: &Object, targets: &Targets<'_>) -> bool {
    !find(&object.value, object, targets).is_empty()
}

/// Reports that the selected objects get different `versions`.
fn different(selected: &Selected, versions: &BTreeMap<&str, usize>) -> (String, &'static str) {
    let Selected { kind, version, .. } = selected;
    let all: usize = versions.values().sum();
    let moved = all - versions.get(version.as_str()).copied().unwrap_or_default();
    let message = format!(
        "version {version}, which {all} {} objects of this run have; {moved} of them would get another version",
        kind.kind
    );
    (message, "write a patch for each version, or remove the version from the selector, by hand")
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

/// Finds what selects objects by their version in `value`, what became of `object`, and what names them by a version that the
/// target does not serve.
fn find(value: &Value, object: &Object, targets: &Targets<'_>) -> Vec<Selected> {
    let mut usual = find_owners(value);
    each_named(value, &mut |at, named| {
        if named.version().is_some() {
            usual.extend(named.reference(at.path(), |_| None));
        }
    });
    let mut selected: Vec<Selected> = usual.into_iter().filter_map(Selected::of).collect();
    let read = ReadByKustomize::of(object, targets.goal.packs.carriers());
    for one in &mut selected {
        one.is_selector = !one.has_group && read.has(&one.path);
    }
    let is_followed = |one: &Selected| one.is_selector || targets.not_serving(&one.kind, &one.version).is_some();
    selected.retain(is_followed);
    let declared = targets.declared_references(value).into_iter().filter_map(Selected::of).filter(is_followed);
    for declared in declared {
        if selected.iter().all(|other| other.path != declared.path) {
            selected.push(declared);
        }
    }
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
