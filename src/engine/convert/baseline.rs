//! What was invalid in an object before its conversion?
//!
//! An object is not held back for what every release that it can have been written for rejects too.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::mem::{Discriminant, discriminant};

use serde_json::Value;

use crate::engine::manifest::Object;
use crate::knowledge::catalog::{Catalog, Violation, ViolationKind};
use crate::knowledge::lens::OpenParts;
use crate::knowledge::release::{ReleaseId, ReleaseSet};
use crate::syntax::field::{FieldPath, Step};

/// Where a release rejects an object, and for which kind of reason.
pub(super) type Rejected = HashSet<(FieldPath, Reason)>;

/// A kind of reason; a relation among fields is known by the fields that the object has.
pub(super) type Reason = (Discriminant<ViolationKind>, Vec<FieldPath>);

/// What the releases that an object can have been written for reject in it as it is; found once for many questions.
#[derive(Default)]
pub(super) struct Baseline {
    rejected: OnceCell<Vec<Rejected>>,
    incomplete: OnceCell<bool>,
}

impl Baseline {
    /// Returns whether one of the `candidates` accepts in `object`, whose kind `catalog` describes and of which `open` is not known, what breaks
    /// `violation` after a conversion; `origin` finds where that was. The CEL rules that those releases have are not known: a CEL rule of
    /// the user's CRD always counts.
    pub(super) fn accepts(
        &self,
        (object, open): (&Object, &OpenParts),
        catalog: &Catalog,
        candidates: ReleaseSet,
        violation: &Violation,
        origin: &dyn Fn(&FieldPath) -> FieldPath,
    ) -> bool {
        let rejection = rejection(violation, origin);
        let own = (&*object.value, object.api_version.version.as_str());
        let rejected = self.rejected.get_or_init(|| rejected_by_each(candidates, own, catalog));
        let is_accepted = rejected.iter().any(|rejected| !rejected.contains(&rejection));
        is_accepted && !(violation.kind.is_about_absence() && self.is_incomplete((object, open), catalog, candidates))
    }

    /// Returns whether `object` broke the same before the conversion, in each of the candidates that were asked about.
    pub(super) fn rejects(&self, violation: &Violation, origin: &dyn Fn(&FieldPath) -> FieldPath) -> bool {
        let rejection = rejection(violation, origin);
        self.rejected.get().is_some_and(|rejected| rejected.iter().all(|rejected| rejected.contains(&rejection)))
    }

    /// Returns the first required field that all of the candidates that were asked about miss.
    pub(super) fn missing(&self) -> Option<FieldPath> {
        let kind = discriminant(&ViolationKind::MissingRequired);
        let [first, others @ ..] = self.rejected.get()?.as_slice() else { return None };
        let missing = first.iter().filter(|rejection| rejection.1.0 == kind && !in_list(&rejection.0));
        missing
            .filter(|rejection| others.iter().all(|other| other.contains(*rejection)))
            .map(|(path, _)| path.clone())
            .min()
    }

    /// Returns whether `object` lacks what each of the `candidates` requires, as a patch does, and no action prints it into what is `open`.
    pub(super) fn is_incomplete(
        &self,
        (object, open): (&Object, &OpenParts),
        catalog: &Catalog,
        candidates: ReleaseSet,
    ) -> bool {
        let is_incomplete = || candidates.iter().all(|release| is_incomplete_in(release, (object, open), catalog));
        *self.incomplete.get_or_init(is_incomplete)
    }
}

/// Returns where an object is rejected as it is, and why; `origin` finds the place of what a conversion has moved.
pub(super) fn rejection(violation: &Violation, origin: &dyn Fn(&FieldPath) -> FieldPath) -> (FieldPath, Reason) {
    let mut fields: Vec<FieldPath> = match &violation.kind {
        ViolationKind::Relation { fields, .. } => fields.iter().map(origin).collect(),
        _ => Vec::new(),
    };
    fields.sort();
    (origin(&violation.path), (discriminant(&violation.kind), fields))
}

/// Returns what those of the releases reject in data with an apiVersion that have schemas of their own for it.
pub(super) fn rejected_by_each(releases: ReleaseSet, own: (&Value, &str), catalog: &Catalog) -> Vec<Rejected> {
    let distinct = catalog.distinct_for(own.1, releases).into_iter();
    distinct.map(|release| rejected_by(release, own, catalog)).collect()
}

/// Returns where a release rejects data with an apiVersion, and why.
fn rejected_by(release: ReleaseId, (data, version): (&Value, &str), catalog: &Catalog) -> Rejected {
    let violations = catalog.check(data, release, catalog.version_in(release, version)).into_iter();
    violations.map(|violation| rejection(&violation, &FieldPath::clone)).collect()
}

/// Returns whether a release finds required fields missing, as in a patch that no kustomization of the run names.
fn is_incomplete_in(release: ReleaseId, (object, open): (&Object, &OpenParts), catalog: &Catalog) -> bool {
    let version = catalog.version_in(release, &object.api_version.version);
    let violations = catalog.check(&object.value, release, version);
    let is_missing = |one: &Violation| one.kind == ViolationKind::MissingRequired && !in_list(&one.path);
    violations.iter().any(|violation| is_missing(violation) && !open.may_have(&object.value, &violation.path))
}

/// Returns whether a path leads through an item of a list.
pub(super) fn in_list(path: &FieldPath) -> bool {
    path.steps().iter().any(|step| matches!(step, Step::Index(_)))
}
