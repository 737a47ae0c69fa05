//! What is planned for a template, and for the text of one of its readings?
//!
//! Invariant: what holds an object back is reported.

use super::chart_report::{Followed, Kinds};
use super::file::PlannedFile;
use super::printed_types::PrintedTypes;
use super::unknown_types::OpenTypes;
use crate::engine::convert::Outcome;
use crate::engine::finding::{Code, Finding, Location, Severity};

/// What is planned for the text of a reading.
#[derive(Default)]
pub(super) struct PlannedText {
    /// Nothing where it mentions nothing known.
    pub(super) planned: Option<PlannedFile>,
    /// What actions print of the types of its objects.
    pub(super) types: PrintedTypes,
    /// The actions that print the apiVersion of objects as the cluster wants it.
    pub(super) followed: Vec<(String, Location)>,
    /// Whether it has an apiVersion that the target serves no more.
    pub(super) leaves_version: bool,
    /// Whether what becomes of its objects can depend on others of them.
    pub(super) is_tied: bool,
}

/// What a template adds to the plan.
#[derive(Default)]
pub(super) struct PlannedTemplate {
    pub(super) planned: PlannedFile,
    pub(super) open: OpenTypes,
    pub(super) followed: Followed,
    pub(super) kinds: Kinds,
    /// Whether what becomes of its objects can depend on others of them.
    pub(super) is_tied: bool,
    /// Whether a reading cannot be read, or wants what others do not.
    pub(super) disagrees: bool,
}

impl PlannedTemplate {
    /// Returns where the objects start that are held back.
    pub(super) fn held(&self) -> Vec<Location> {
        let held = self.planned.objects.iter().filter(|object| object.outcome == Outcome::HeldBack);
        held.map(|object| object.location.clone()).collect()
    }

    /// Returns what is planned where what `first` holds back counts as declined, with the reasons that it has for that.
    pub(super) fn with_reasons_of(mut self, first: &Self) -> Self {
        let held = first.held();
        let is_of_held =
            |finding: &Finding| finding.object.as_ref().is_some_and(|object| held.contains(&object.location));
        let findings = &mut self.planned.findings;
        findings.retain(|finding| finding.code != Code::Declined || !is_of_held(finding));
        let is_reason = |finding: &&Finding| match finding.object {
            Some(_) => finding.severity == Severity::Held && is_of_held(finding),
            None => !findings.contains(finding),
        };
        let reasons: Vec<Finding> = first.planned.findings.iter().filter(is_reason).cloned().collect();
        findings.extend(reasons);
        self
    }
}
