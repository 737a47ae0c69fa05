//! Answers: which selectors no longer select what they select now?
//!
//! A selector of Kustomize can give a pattern, or leave out the group, the version or the kind. Such a loose one names no apiVersion
//! that it could follow: [`Run::loosened`] looks for what it selects among the objects that its kustomization takes in, before
//! and after, and tells it where some are missing then.
//!
//! Invariant: what follows its objects, or is told as a name of a kind, is not told here.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::homes::Graph;
use super::references::{parts, walk};
use super::selectors::{Moved, Moves, Selected, is_for_kustomize};
use super::{Course, Look, Object, Remark, Run, finding};
use crate::field::{FieldPath, Spot};
use crate::finding::{Code, Finding, Severity};
use crate::manifest::{Manifest, Selector, patched_folder};
use crate::release::{ApiVersion, GroupKind};

/// A selector that can lose what it selects.
pub(super) struct Loose {
    /// Where it stands in its object.
    pub(super) path: FieldPath,
    selector: Selector,
}

impl Run<'_> {
    /// Tells the loose selectors that some of their objects leave, by the number of the file that holds them.
    pub(super) fn loosened(&self, moves: &Moves<'_>) -> BTreeMap<usize, Vec<Finding>> {
        let graph = LazyCell::new(|| Graph::among(self.looks));
        let mut told: BTreeMap<usize, Vec<Finding>> = BTreeMap::new();
        for ((file, _), manifest, object) in self.ids() {
            for loose in find(object, self.course) {
                let reached = self.reached(&graph, (manifest, object), &loose.path);
                let is_reached = |file: &str| reached.as_ref().is_none_or(|reached| reached.contains(file));
                let selected = |one: &&Moved<'_>| !one.is_patch && is_reached(one.file) && loose.is_for(one, &graph);
                let left = loose.remark(object, moves, &selected);
                let pointed = self.pointed((manifest, object), &loose, moves, &selected);
                let remarks = left.into_iter().chain(pointed);
                let findings = remarks.map(|remark| finding(manifest, object, &remark, Severity::Warning));
                told.entry(file).or_default().extend(findings);
            }
        }
        told
    }

    /// Returns the files that the selector at `path` of an object selects from; nothing where it does not say where.
    fn reached<'r>(
        &'r self,
        graph: &Graph<'r>,
        (manifest, object): (&'r Manifest, &Object),
        path: &FieldPath,
    ) -> Option<BTreeSet<&'r str>> {
        if manifest.kustomization.is_some() {
            return Some(graph.reach(&manifest.file));
        }
        let folder = patched_folder(&object.value, path)?;
        let folder = graph.reach_of_folder(&folder);
        Some(self.looks.iter().map(Look::file).filter(|file| folder.has(file)).collect())
    }
}

impl Loose {
    /// Says whether the version in it follows the objects, or is told to part them.
    fn is_followed(&self, object: &Object, moves: &Moves<'_>) -> bool {
        let map = self.path.get(&object.value).and_then(Value::as_object);
        let spot = Spot::key(None, "");
        map.and_then(|map| Selected::read(&spot, map)).is_some_and(|exact| !exact.versions(moves).is_empty())
    }

    /// Says whether it selects an object of this name, which kustomizations can make longer.
    fn is_for(&self, one: &Moved<'_>, graph: &Graph<'_>) -> bool {
        let names = || graph.names_after(one.name.unwrap_or_default());
        self.selector.name.as_ref().is_none_or(|part| names().iter().any(|name| part.is(name)))
    }

    /// Tells that some of the objects that count get a kind or version that is not selected.
    fn remark(&self, object: &Object, moves: &Moves<'_>, counts: &dyn Fn(&&Moved<'_>) -> bool) -> Option<Remark> {
        if self.is_followed(object, moves) {
            return None;
        }
        let (mut all, mut lost) = (0, BTreeSet::new());
        let mut missing = 0;
        for ((kind, version), ones) in moves.iter().filter(|((kind, version), _)| self.meets(kind, version)) {
            for one in ones.iter().filter(counts) {
                all += 1;
                // A kind that is named follows, or is told where it is named.
                let is_named = one.kind != kind && self.selector.names_kind(kind);
                if !is_named && !self.meets(one.kind, &one.version) {
                    missing += 1;
                    lost.insert(format!("{} of {version} becomes {} of {}", kind.kind, one.kind.kind, one.version));
                }
            }
        }
        (missing > 0).then(|| Remark {
            code: Code::PatchTarget,
            message: format!(
                "{} selects {all} known objects of this run; {missing} of them get a kind or version that it does not select ({}), and it is not changed",
                self.path,
                lost.into_iter().collect::<Vec<_>>().join(", ")
            ),
            path: self.path.clone(),
            help: Some("let it select what they become, by hand".to_owned()),
        })
    }

    /// Says whether it can select objects of this kind and version.
    pub(super) fn meets(&self, kind: &GroupKind, version: &str) -> bool {
        let version = ApiVersion { group: kind.group.clone(), version: version.to_owned() };
        self.selector.selects(kind, &version)
    }
}

/// Says whether `object` has a selector that others can leave.
pub(super) fn is_in(object: &Object, course: &Course<'_>) -> bool {
    !find(object, course).is_empty()
}

/// Finds the selectors in `object` that known objects can leave.
fn find(object: &Object, course: &Course<'_>) -> Vec<Loose> {
    let mut found = Vec::new();
    let is_known = |selector: &Selector| {
        let kinds = course.goal().targets.iter().flat_map(|target| target.pack.kinds());
        kinds.into_iter().any(|kind| selector.selects_kind(kind))
    };
    let mut visit = |spot: &Spot<'_>, map: &Map<String, Value>| {
        if !matches!(spot.nearest_key(), Some("target" | "select" | "reject" | "source")) {
            return;
        }
        let path = spot.path();
        if is_for_kustomize(object, &path) {
            let selector = Selector::of(map);
            found.extend(is_known(&selector).then_some(Loose { path, selector }));
        }
    };
    for key in parts(&object.value) {
        if let Some(part) = object.value.get(*key) {
            walk(part, &Spot::key(None, key), &mut visit);
        }
    }
    found
}
