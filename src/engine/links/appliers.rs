//! Which objects have a controller, such as that of Flux or Argo CD, apply a folder, and what do they give to the objects in it?
//!
//! The controller builds the folder with Kustomize, as if a kustomization with the namespace, prefix and suffix of its object took it in.
//!
//! Source: Flux, kustomize-controller, Kustomization, "Target namespace", "Name prefix and suffix"; Argo CD, "Kustomize".
//!
//! Invariant: each object is found once for each folder that it has applied.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::survey::FileSurvey;
use crate::engine::manifest::Applied;

/// The namespaces that kustomizations and appliers give to a file: the file of each with its namespace, which is none where nothing on the
/// path gives one.
pub(super) type GivenNamespaces = BTreeSet<(Arc<str>, Option<Arc<str>>)>;

/// An object that has a folder applied.
#[derive(Clone, Copy, Debug)]
pub(super) struct Applier<'a> {
    /// The number of its file.
    pub(super) file: usize,
    /// The name of its file.
    name: &'a str,
    pub(super) applied: &'a Applied,
}

impl Applier<'_> {
    pub(super) fn has_affixes(&self) -> bool {
        self.applied.affixes.iter().any(|affix| !affix.is_empty())
    }
}

/// The objects of a run that have folders applied.
#[derive(Debug, Default)]
pub(super) struct Appliers<'a> {
    /// By the path that they name.
    by_path: BTreeMap<&'a str, Vec<Applier<'a>>>,
    /// Whether any of them gives a namespace.
    pub(super) give_namespaces: bool,
    /// Whether any of them adds a prefix or a suffix.
    pub(super) add_affixes: bool,
}

impl<'a> Appliers<'a> {
    /// Collects those of `files`.
    pub(super) fn of(files: &'a [FileSurvey]) -> Self {
        let mut found = Self::default();
        for (file, survey) in files.iter().enumerate() {
            for applied in &survey.rare().applied {
                let applier = Applier { file, name: &survey.file, applied };
                found.give_namespaces |= applied.namespace.is_some();
                found.add_affixes |= applier.has_affixes();
                found.by_path.entry(&applied.folder.path).or_default().push(applier);
            }
        }
        found
    }

    /// Returns those of the folders that `paths` can be, which the run need not name from the root of their repository.
    pub(super) fn of_paths<'f>(&self, paths: impl Iterator<Item = &'f str>) -> impl Iterator<Item = &Applier<'a>> {
        let ends: BTreeSet<&str> = paths.flat_map(ends).collect();
        ends.into_iter().filter_map(|end| self.by_path.get(end)).flatten()
    }

    /// Returns the prefixes that they add to names, or the suffixes.
    pub(super) fn affixes(&self, end: usize) -> impl Iterator<Item = &'a str> {
        self.by_path.values().flatten().map(move |applier| applier.applied.affixes[end].as_str())
    }
}

/// Returns the namespaces that objects give to what they have applied: nothing where none of them gives one.
pub(super) fn given(appliers: &[&Applier<'_>]) -> GivenNamespaces {
    let one = |applier: &&Applier<'_>| (applier.name.into(), applier.applied.namespace.as_deref().map(Into::into));
    let give = appliers.iter().any(|applier| applier.applied.namespace.is_some());
    appliers.iter().filter(|_| give).map(one).collect()
}

/// Returns the last folders of a path, as they can be named from the root of a repository, which the run need not start at.
fn ends(folder: &str) -> impl Iterator<Item = &str> {
    folder.match_indices('/').map(|(at, _)| &folder[at + 1..]).chain([folder])
}
