//! Which selectors and names give a version that their objects no longer have after the conversion?
//!
//! A selector of Kustomize is a mapping with `group`, `version` and `kind`; where the run shows what it selects from,
//! `kustomize_selectors` decides about it, and overrides what is written here. Others name objects by such a mapping too, or by
//! `apiVersion` and `kind`, or under keys that a pack declares: for those any served version will do, so only versions that the target does not serve count. Where
//! every object of the run with that apiVersion and kind gets one other version, [`update`] writes it; where they get different
//! ones, or the run has no such object and the target does not serve that version, [`findings`] reports it. The same holds for what a JSON
//! patch writes into such a mapping.
//!
//! Invariant: a mapping whose kind is renamed is a reference and not handled here.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::held::Held;
use super::linked::{Id, Linked};
use super::path_expression::{PathExpression, Syntax};
use super::steps::Role;
use crate::carrier::{Carrier, Carriers};
use crate::convert::{Beside, Conversion, Reference, Remark, Targets, each_named, find_owners};
use crate::field::{FieldPath, FieldPattern};
use crate::finding::{Code, Finding, Severity};
use crate::manifest::{Manifest, Object};
use crate::release::{ApiVersion, GroupKind, is_version};
use crate::yaml::Intent;

/// What becomes of the objects of each kind and version.
pub(crate) type VersionChanges<'r> = BTreeMap<(GroupKind, String), Vec<VersionChange<'r>>>;

/// An object of the run, with its kind and version after the conversion.
#[derive(Debug)]
pub(crate) struct VersionChange<'r> {
    pub(super) file: &'r str,
    pub(super) name: Option<&'r str>,
    pub(super) is_patch: bool,
    pub(super) kind: &'r GroupKind,
    pub(super) version: String,
    /// Whether anything of it changes.
    pub(super) is_changed: bool,
    pub(super) id: Id,
}

/// What JSON patches write into references: the versions of other objects.
pub(crate) struct PatchedVersions(BTreeMap<Id, Vec<Selected>>);

impl PatchedVersions {
    /// Finds the versions that JSON patches write, for kinds of which the target does not serve them. The object that is
    /// patched shows the kind.
    pub(crate) fn new(linked: &Linked<'_>) -> Self {
        let mut found: BTreeMap<Id, Vec<Selected>> = BTreeMap::new();
        for application in linked.applications.iter().filter(|one| one.carrier.role == Role::JsonPatch) {
            let (id, place) = (application.carrier.position, &application.carrier.place);
            let operations = place.get(&linked.object(id).value).and_then(Value::as_array).into_iter().flatten();
            for (operation, index) in operations.zip(0..) {
                let written = Selected::written(operation, place.index(index), &linked.object(application.base).value);
                let written = written.filter(|one| linked.targets.not_serving(&one.kind, &one.version).is_some());
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
        let text = |key: &str| operation.get(key).and_then(Value::as_str);
        let reference = PathExpression::parse(Syntax::Pointer, text("path")?.strip_suffix("/apiVersion")?)?;
        let ApiVersion { group, version } = ApiVersion::parse(text("value")?);
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
    pub(super) fn versions<'m>(
        &self,
        changes: &'m VersionChanges<'_>,
        targets: &Targets<'_>,
    ) -> BTreeMap<&'m str, usize> {
        let mut versions = BTreeMap::new();
        let mut chosen = self.chosen(changes);
        if chosen.is_empty() {
            chosen = self.named_in_another_version(changes);
            chosen.retain(|one| targets.not_serving(&self.kind, &one.version).is_none());
        }
        chosen.into_iter().for_each(|one| *versions.entry(one.version.as_str()).or_default() += 1);
        versions
    }

    /// Returns the selected objects. A name that is no object's can be a pattern, or one that kustomizations give: then every object
    /// counts. Patches count where nothing else does.
    fn chosen<'m, 'r>(&self, changes: &'m VersionChanges<'r>) -> Vec<&'m VersionChange<'r>> {
        let all = changes.get(&(self.kind.clone(), self.version.clone())).into_iter().flatten();
        let all: Vec<&VersionChange<'_>> = all.filter(|one| *one.kind == self.kind).collect();
        let is_named = |one: &&VersionChange<'_>| self.name.is_some() && one.name == self.name.as_deref();
        let has_name = all.iter().any(is_named);
        let mut chosen: Vec<_> = all.into_iter().filter(|one| !has_name || is_named(one)).collect();
        if chosen.iter().any(|one| !one.is_patch) {
            chosen.retain(|one| !one.is_patch);
        }
        chosen
    }

    /// Returns the objects with this kind and name, where the version does not matter: the API server has each object in all of them.
    fn named_in_another_version<'m, 'r>(&self, changes: &'m VersionChanges<'r>) -> Vec<&'m VersionChange<'r>> {
        let Some(name) = self.name.as_deref().filter(|_| !self.is_selector) else { return Vec::new() };
        let of_kind =
            changes.range((self.kind.clone(), String::new())..).take_while(|((kind, _), _)| *kind == self.kind);
        let is_it = |one: &&VersionChange<'_>| !one.is_patch && *one.kind == self.kind && one.name == Some(name);
        of_kind.flat_map(|(_, ones)| ones).filter(is_it).collect()
    }
}

/// Collects what becomes of the objects of known kinds, under the assumption of what is held back.
pub(crate) fn changes<'l>(linked: &'l Linked<'_>, held: &Held) -> VersionChanges<'l> {
    let mut changes = VersionChanges::new();
    for (id, manifest, object) in linked.objects() {
        let Some(made) = linked.conversion(id) else { continue };
        let old = &object.api_version.version;
        let new = made.value.get("apiVersion").and_then(Value::as_str).map(|text| ApiVersion::parse(text).version);
        let (kind, new) = match held.contains(id) {
            true => (&object.kind, None),
            false => (&made.kind, new),
        };
        let is_changed = !held.contains(id) && !made.program.is_empty();
        let (file, name, version) = (&*manifest.file, object.name.as_deref(), new.unwrap_or_else(|| old.clone()));
        let is_patch = linked.is_patch_file(file) || object.is_inline_patch();
        let change = VersionChange { file, name, is_patch, kind, version, is_changed, id };
        changes.entry((object.kind.clone(), old.clone())).or_default().push(change);
    }
    changes
}

/// Updates the versions in what selects or names objects in `object`, but for the mappings at `unseen`, which select nothing of this
/// run; `made` is what became of it so far.
pub(crate) fn update(
    (id, object): (Id, &Object),
    made: Option<Conversion>,
    (changes, patched, unseen): (&VersionChanges<'_>, &PatchedVersions, &BTreeSet<FieldPath>),
    targets: &Targets<'_>,
) -> Option<Conversion> {
    let mut session = Conversion::session(made.as_ref(), object);
    let is_written = |selected: &Selected| {
        let now = selected.path.get(session.object()).and_then(Value::as_str);
        now.is_some_and(|now| now == selected.spelled(&selected.version))
    };
    let mut found = find(session.object(), object, targets);
    found.extend(patched.of(id).filter(is_written));
    let is_followed = |selected: &Selected| !selected.has_body && !selected.is_in(unseen);
    for selected in found.into_iter().filter(is_followed) {
        let versions = selected.versions(changes, targets);
        let Some((new, _)) = versions.first_key_value().filter(|_| versions.len() == 1) else { continue };
        let (value, path) = (Value::from(selected.spelled(new)), selected.path);
        if path.get(session.object()) != Some(&value) {
            session.change(Intent::Replace { path, value }).expect("the path was found in this object");
        }
    }
    Conversion::with_changes(made, object, session)
}

/// Returns whether `object` selects or names any object by its version.
pub(crate) fn selects(object: &Object, targets: &Targets<'_>) -> bool {
    !find(&object.value, object, targets).is_empty()
}

/// Reports what selects or names objects in `object` that get different versions, or whose version the target does not serve, and that
/// did not get another version in `made`, which became of the object.
pub(crate) fn findings(
    manifest: &Manifest,
    (id, object, made): (Id, &Object, Option<&Conversion>),
    (changes, patched, unseen): (&VersionChanges<'_>, &PatchedVersions, &BTreeSet<FieldPath>),
    targets: &Targets<'_>,
) -> Vec<Finding> {
    let finding = |selected: Selected| {
        let versions = if selected.is_in(unseen) { BTreeMap::new() } else { selected.versions(changes, targets) };
        let (message, help) = match versions.len() {
            _ if selected.has_body => embedded(&selected, targets)?,
            0 => not_served(&selected, targets)?,
            1 => return None,
            // What it selects is held back.
            _ if selected.is_selector => return None,
            _ => different(&selected, &versions),
        };
        let (path, verb) = (selected.path, if selected.is_selector { "selects" } else { "names" });
        let help = match selected.is_selector || selected.has_body {
            true => help,
            false => "write the version that the object has after the conversion, by hand",
        };
        let code = if selected.is_selector { Code::PatchTarget } else { Code::ReferenceNotUpdated };
        let message = format!("{path} {verb} {message}");
        let remark = Remark::new(code, path, message, Some(help.to_owned()));
        Some(remark.finding(manifest, object, Severity::Unresolved))
    };
    let is_updated = |selected: &Selected| {
        let now = made.and_then(|made| selected.path.get(&made.value)).and_then(Value::as_str);
        now.is_some_and(|now| now != selected.spelled(&selected.version))
    };
    let found = find(&object.value, object, targets).into_iter().chain(patched.of(id));
    found.filter(|selected| !is_updated(selected)).filter_map(finding).collect()
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
        if is_kustomization || object.is_carrier() || object.is_builtin() {
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
