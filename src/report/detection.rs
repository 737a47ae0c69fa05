//! What `detect` found, for every format.

use super::count::Counts;
use crate::finding::{Finding, Location};
use crate::infer::Inference;
use crate::infer::crds::Installed;
use crate::infer::install_evidence::Evidence;
use crate::manifest::Object;
use crate::pack::Pack;

/// What `detect` found about one object.
#[derive(Debug)]
pub struct Detected<'a> {
    /// The object.
    pub object: &'a Object,
    /// The pack that knows it.
    pub pack: &'a Pack,
    /// The releases that its fields allow.
    pub inference: Inference,
    /// Where it starts.
    pub location: Location,
    /// The place of each piece of evidence.
    pub evidence: Vec<Location>,
}

impl Detected<'_> {
    /// Describes the releases that the object can be for.
    pub(super) fn releases(&self) -> String {
        if self.inference.is_conflict() {
            "no release has all its fields".to_owned()
        } else {
            self.pack.line().describe(self.inference.candidates)
        }
    }
}

/// What a run of `detect` found.
#[derive(Debug)]
pub struct Detection<'a> {
    /// The recognised objects, in the order of files and text.
    pub objects: Vec<Detected<'a>>,
    /// The places of values of a pack's chart, by the pack's name: the object, the place, the field.
    pub values: Vec<(&'a str, &'a Object, Location, String)>,
    /// The releases that charts and images in the tree name, sorted by the pack's name and place.
    pub evidence: Vec<(&'a str, Evidence)>,
    /// The CRDs in the tree that name their release, by pack.
    pub crds: Vec<Installed<'a>>,
    /// Every finding, sorted by place.
    pub findings: Vec<Finding>,
    /// How many files and objects were seen.
    pub counts: Counts,
    /// Which part of the tree it is about, as `1/4`; the whole tree where there is none.
    pub shard: Option<String>,
}
