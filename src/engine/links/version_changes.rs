//! Which kind and version does each object of the run have after the conversion?

use std::collections::BTreeMap;

use super::held::Held;
use super::kustomizations::Graph;
use super::tied_files::{Id, TiedFiles};
use crate::engine::convert::Remark;
use crate::engine::manifest::SelectorPart;
use crate::knowledge::release::{ApiVersion, GroupKind};
use crate::syntax::field::{Entries, FieldPath};

/// An object of the run, with its kind and version before and after the conversion.
#[derive(Debug)]
pub(super) struct VersionChange<'r> {
    pub(super) file: &'r str,
    pub(super) name: Option<&'r str>,
    pub(super) is_patch: bool,
    pub(super) old_kind: &'r GroupKind,
    pub(super) old_version: &'r str,
    pub(super) kind: &'r GroupKind,
    pub(super) version: String,
    /// Whether anything of it changes.
    pub(super) is_changed: bool,
    /// Whether it is at its target already.
    pub(super) is_done: bool,
    /// Its position.
    pub(super) id: Id,
}

impl VersionChange<'_> {
    pub(super) fn old_api_version(&self) -> ApiVersion {
        ApiVersion { group: self.old_kind.group.clone(), version: self.old_version.to_owned() }
    }

    pub(super) fn api_version(&self) -> ApiVersion {
        ApiVersion { group: self.kind.group.clone(), version: self.version.clone() }
    }
}

/// What becomes of the objects of known kinds.
#[derive(Debug, Default)]
pub(crate) struct VersionChanges<'r> {
    objects: Vec<VersionChange<'r>>,
    /// Their positions, by their kind and version before.
    by_version: BTreeMap<&'r GroupKind, BTreeMap<&'r str, Vec<usize>>>,
    /// The same by name, without patches, which are no objects of their own.
    by_name: BTreeMap<&'r str, Vec<usize>>,
}

impl<'r> VersionChanges<'r> {
    /// Collects what becomes of the objects, under the assumption of what is held back.
    pub(crate) fn new(tied: &'r TiedFiles<'_>, held: &Held) -> Self {
        let mut changes = Self::default();
        for (id, manifest, object) in tied.objects() {
            let Some(made) = tied.conversion(id) else { continue };
            let (old_kind, old_version, file) = (&object.kind, &*object.api_version.version, &*manifest.file);
            let new = made.value.text("apiVersion").map(|text| ApiVersion::parse(text).version);
            let (kind, new) = if held.contains(id) { (old_kind, None) } else { (&made.kind, new) };
            changes.add(VersionChange {
                file,
                name: object.name.as_deref(),
                is_patch: tied.run.is_patch_file(file) || object.is_inline_patch(),
                old_kind,
                old_version,
                kind,
                version: new.unwrap_or_else(|| old_version.to_owned()),
                is_changed: !held.contains(id) && !made.program.is_empty(),
                is_done: !held.contains(id) && made.program.is_empty(),
                id,
            });
        }
        changes
    }

    fn add(&mut self, object: VersionChange<'r>) {
        let at = self.objects.len();
        self.by_version.entry(object.old_kind).or_default().entry(object.old_version).or_default().push(at);
        if !object.is_patch {
            self.by_name.entry(object.name.unwrap_or_default()).or_default().push(at);
        }
        self.objects.push(object);
    }

    fn at<'s>(&'s self, positions: impl IntoIterator<Item = &'s usize>) -> impl Iterator<Item = &'s VersionChange<'r>> {
        positions.into_iter().map(|at| &self.objects[*at])
    }

    /// The objects, patches included, whose kind `is_wanted`.
    pub(super) fn of_kinds(&self, is_wanted: impl Fn(&GroupKind) -> bool) -> impl Iterator<Item = &VersionChange<'r>> {
        let kinds = self.by_version.iter().filter(move |(kind, _)| is_wanted(kind));
        self.at(kinds.flat_map(|(_, versions)| versions.values().flatten()))
    }

    /// The objects, patches included, of a kind that have this version.
    pub(super) fn of_version(&self, kind: &GroupKind, version: &str) -> impl Iterator<Item = &VersionChange<'r>> {
        self.at(self.by_version.get(kind).and_then(|versions| versions.get(version)).into_iter().flatten())
    }

    /// The objects that are no patches and that `name` can select; those without a name have an empty one.
    pub(super) fn selected(&self, name: Option<&SelectorPart>, graph: &Graph<'_>) -> Vec<&VersionChange<'r>> {
        self.at(graph.selected(name, &self.by_name).into_iter().flatten()).collect()
    }
}

/// What has to become of a text that names other objects, or fields of theirs.
pub(super) enum Follow {
    /// The text at `path` becomes `text`.
    Text { path: FieldPath, text: String },
    /// The mapping of `path` gets it as a new entry, with `text`, before the entry of the key `before`.
    Entry { path: FieldPath, text: String, before: String },
    /// It cannot follow.
    Report(Remark),
}
