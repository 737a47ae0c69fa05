//! Does a selector with a pattern, or without a group, version or kind, still select its objects after the conversion?

use std::collections::BTreeSet;

use serde_json::Value;

use super::kustomizations::Graph;
use super::selectors::{Selected, VersionChange, VersionChanges};
use crate::convert::Remark;
use crate::field::{FieldPath, PathRef};
use crate::finding::Code;
use crate::manifest::{Object, Selector};
use crate::release::{ApiVersion, GroupKind};

/// A selector that gives no exact apiVersion and kind, and can lose what it selects.
pub(super) struct UnresolvedSelector {
    /// Its path in its object.
    pub(super) path: FieldPath,
    pub(super) selector: Selector,
}

impl UnresolvedSelector {
    /// Returns whether its version is updated, or reported because its objects get different ones.
    fn is_updated(&self, object: &Object, changes: &VersionChanges<'_>) -> bool {
        let map = self.path.get(&object.value).and_then(Value::as_object);
        let at = PathRef::key(None, "");
        map.and_then(|map| Selected::read(&at, map)).is_some_and(|exact| !exact.versions(changes).is_empty())
    }

    /// Returns whether it selects an object of this name, to which kustomizations can add prefixes and suffixes.
    pub(super) fn matches_name(&self, one: &VersionChange<'_>, graph: &Graph<'_>) -> bool {
        let names = || graph.names_after(one.name.unwrap_or_default());
        self.selector.name.as_ref().is_none_or(|part| names().iter().any(|name| part.is(name)))
    }

    /// Reports that some of the objects that count get a kind or version that is not selected.
    pub(super) fn remark(
        &self,
        object: &Object,
        changes: &VersionChanges<'_>,
        counts: &dyn Fn(&&VersionChange<'_>) -> bool,
    ) -> Option<Remark> {
        if self.is_updated(object, changes) {
            return None;
        }
        let (mut all, mut lost) = (0, BTreeSet::new());
        let mut missing = 0;
        for ((kind, version), ones) in changes.iter().filter(|((kind, version), _)| self.selects(kind, version)) {
            for one in ones.iter().filter(counts) {
                all += 1;
                // A kind that is named is updated, or reported where it is named.
                let is_named = one.kind != kind && self.selector.names_kind(kind);
                if !is_named && !self.selects(one.kind, &one.version) {
                    missing += 1;
                    lost.insert(format!("{} of {version} becomes {} of {}", kind.kind, one.kind.kind, one.version));
                }
            }
        }
        (missing > 0).then(|| {
            let lost = lost.into_iter().collect::<Vec<_>>().join(", ");
            let message = format!(
                "{} selects {all} known objects of this run; {missing} of them get a kind or version that it does not select ({lost}), and it is not updated",
                self.path
            );
            let help = "change the selector by hand so that it selects the new kinds and versions".to_owned();
            Remark::new(Code::PatchTarget, self.path.clone(), message, Some(help))
        })
    }

    /// Returns whether it can select objects of this kind and version.
    pub(super) fn selects(&self, kind: &GroupKind, version: &str) -> bool {
        let version = ApiVersion { group: kind.group.clone(), version: version.to_owned() };
        self.selector.selects(kind, &version)
    }
}
