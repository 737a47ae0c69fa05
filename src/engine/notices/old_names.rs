//! What is reported about a place that names kinds which the run renames, and when is it not?
//!
//! The advice is to write the new name. Where every object of such a kind is left unchanged, the old name stays right.
//!
//! Invariant: what is reported about several kinds is reported as long as one of them may be renamed.

use std::collections::BTreeSet;

use crate::engine::convert::{ObjectPlan, Outcome, Remark, Renames};
use crate::engine::finding::{Finding, Severity};
use crate::engine::manifest::{Manifest, Object};
use crate::knowledge::release::GroupKind;

/// What there is to report about a place that names kinds by their old names.
#[derive(Clone, Debug)]
pub(crate) struct OldNames<T> {
    /// The kinds; none where the report is not about a new name.
    pub(super) kinds: Vec<GroupKind>,
    pub(super) report: T,
}

impl<T> OldNames<T> {
    pub(crate) fn map<U>(self, make: impl FnOnce(T) -> U) -> OldNames<U> {
        OldNames { kinds: self.kinds, report: make(self.report) }
    }
}

impl OldNames<Remark> {
    pub(super) fn finding(self, manifest: &Manifest, object: &Object) -> OldNames<Finding> {
        self.map(|remark| remark.finding(manifest, object, Severity::Unresolved))
    }
}

impl OldNames<Finding> {
    /// Returns the finding, unless the kinds keep their names in the run.
    pub(crate) fn unless_kept(self, kinds: &KindsOfRun) -> Option<Finding> {
        let is_kept = |kind: &GroupKind| kinds.left.contains(kind) && !kinds.renamed.contains(kind);
        (self.kinds.is_empty() || !self.kinds.iter().all(is_kept)).then_some(self.report)
    }
}

/// Of which kinds that have another name in the target objects change, and of which some are left unchanged.
#[derive(Debug, Default)]
pub(crate) struct KindsOfRun {
    renamed: BTreeSet<GroupKind>,
    left: BTreeSet<GroupKind>,
}

impl KindsOfRun {
    /// Adds an object of the run.
    pub(crate) fn add(&mut self, object: &ObjectPlan, renames: &Renames) {
        let (kind, _) = &object.from;
        if renames.contains_key(kind) {
            let kinds = match object.outcome {
                Outcome::Changed => &mut self.renamed,
                Outcome::Unchanged | Outcome::HeldBack => &mut self.left,
            };
            kinds.insert(kind.clone());
        }
    }
}
