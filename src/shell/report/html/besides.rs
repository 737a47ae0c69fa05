//! What a page shows that a document does not hold: the texts of files, and what shows the releases of objects.

use std::collections::BTreeMap;

use super::evidence::{ShownEvidence, evidence, of_detected};
use crate::engine::edits::FilePlan;
use crate::engine::finding::Location;
use crate::knowledge::pack::Packs;
use crate::shell::report::detect::{self, Detail};
use crate::shell::report::detection::{Api, Detection};
use crate::shell::report::paint::Painter;
use crate::shell::report::run_report::Report;

/// What a page shows besides a document.
pub(crate) struct Besides<'r> {
    pub(super) packs: &'r Packs,
    pub(super) files: &'r [FilePlan],
    pub(super) evidence: BTreeMap<Location, ShownEvidence>,
    /// What is to be known about the diffs, a paragraph each.
    pub(super) remarks: Vec<String>,
    pub(super) found: Option<Found<'r>>,
}

/// What `detect` found, of which nothing changes.
pub(super) struct Found<'r> {
    /// The titles of the objects, and where they start.
    pub(super) objects: Vec<(&'r str, &'r Location)>,
    /// How many of them are outdated.
    pub(super) outdated: usize,
    /// How many others change on the way to the newest releases.
    pub(super) to_convert: usize,
    /// What is known about each API, as text.
    pub(super) apis: String,
}

impl<'r> Besides<'r> {
    /// Takes the texts of the files that a run changes, and what shows the releases of its objects.
    pub(crate) fn of(report: &Report<'r>) -> Self {
        let evidence = evidence(report.objects, report.packs);
        Self { packs: report.packs, files: report.files, evidence, remarks: Vec::new(), found: None }
    }

    /// Takes the objects that were detected, the releases that they can be for, and what their APIs are.
    pub(crate) fn detected(detection: &'r Detection<'_>, packs: &'r Packs) -> Self {
        let objects = &detection.objects;
        let found = Found {
            objects: objects.iter().map(|one| (one.title.as_str(), &one.location)).collect(),
            outdated: detection.apis.iter().map(Api::outdated).sum(),
            to_convert: detection.apis.iter().map(|api| api.to_convert() + api.foreign).sum(),
            apis: detect::summary(detection, Detail::Objects, &Painter::PLAIN),
        };
        let evidence = objects.iter().map(|one| (one.location.clone(), of_detected(one, &detection.apis))).collect();
        Self { packs, files: &[], evidence, remarks: Vec::new(), found: Some(found) }
    }

    /// Takes the texts of some files that change; `remarks` says why not of all.
    pub(crate) const fn saved(packs: &'r Packs, files: &'r [FilePlan], remarks: Vec<String>) -> Self {
        Self { packs, files, evidence: BTreeMap::new(), remarks, found: None }
    }
}
