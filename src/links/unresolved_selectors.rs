//! Which selectors no longer select after the conversion what they select now?
//!
//! A selector of Kustomize can give a pattern, or omit the group, the version or the kind. Such a selector gives no apiVersion that
//! could be updated: [`findings`] looks for what it selects among the objects that its kustomization takes in, before and after the
//! conversion, and reports it where some are missing then.
//!
//! Invariant: a selector that is updated, or reported as a mention of a renamed kind, is not reported here.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::json_paths;
use super::kustomizations::Graph;
use super::linked::Linked;
use super::selectors::{VersionChange, VersionChanges, is_for_kustomize};
use super::unresolved::UnresolvedSelector;
use crate::convert::{Targets, reference_roots, walk};
use crate::field::{FieldPath, PathRef};
use crate::finding::{Finding, Severity};
use crate::manifest::{Manifest, Object, Selector, patched_folder};

/// Reports the selectors that lose some of their objects, by the number of the linked file that holds them.
pub(crate) fn findings(linked: &Linked<'_>, changes: &VersionChanges<'_>) -> BTreeMap<usize, Vec<Finding>> {
    let graph = LazyCell::new(|| Graph::of(linked.files));
    let mut found: BTreeMap<usize, Vec<Finding>> = BTreeMap::new();
    for (id, manifest, object) in linked.objects() {
        for selector in find(object, linked.targets) {
            let reach = reach(linked, &graph, (manifest, object), &selector.path);
            let is_reached = |file: &str| reach.as_ref().is_none_or(|reach| reach.contains(file));
            let selects =
                |one: &&VersionChange<'_>| !one.is_patch && is_reached(one.file) && selector.matches_name(one, &graph);
            let lost = selector.remark(object, changes, &selects);
            let patched = json_paths::remark(linked, (manifest, object), &selector, changes, &selects);
            let remarks = lost.into_iter().chain(patched);
            let findings = remarks.map(|remark| remark.finding(manifest, object, Severity::Warning));
            found.entry(id.0).or_default().extend(findings);
        }
    }
    found
}

/// Returns the files that the selector at `path` of an object selects from; nothing where it does not show.
fn reach<'r>(
    linked: &'r Linked<'_>,
    graph: &Graph<'r>,
    (manifest, object): (&'r Manifest, &Object),
    path: &FieldPath,
) -> Option<BTreeSet<&'r str>> {
    if manifest.kustomization.is_some() {
        return Some(graph.reach(&manifest.file));
    }
    let folder = patched_folder(&object.value, path)?;
    let folder = graph.reach_of_folder(&folder);
    Some(linked.files.iter().map(|file| file.name()).filter(|file| folder.has(file)).collect())
}

/// Returns whether `object` has a selector that can lose known objects.
pub(crate) fn is_in(object: &Object, targets: &Targets<'_>) -> bool {
    !find(object, targets).is_empty()
}

/// Finds the selectors in `object` that can lose known objects.
fn find(object: &Object, targets: &Targets<'_>) -> Vec<UnresolvedSelector> {
    let mut found = Vec::new();
    let is_known = |selector: &Selector| {
        let kinds = targets.goal.targets.iter().flat_map(|target| target.pack.kinds());
        kinds.into_iter().any(|kind| selector.selects_kind(kind))
    };
    let mut visit = |at: &PathRef<'_>, map: &Map<String, Value>| {
        if !matches!(at.last_key(), Some("target" | "select" | "reject" | "source")) {
            return;
        }
        let path = at.path();
        if is_for_kustomize(object, &path) {
            let selector = Selector::of(map);
            found.extend(is_known(&selector).then_some(UnresolvedSelector { path, selector }));
        }
    };
    for key in reference_roots(&object.value) {
        if let Some(part) = object.value.get(*key) {
            walk(part, &PathRef::key(None, key), &mut visit);
        }
    }
    found
}
