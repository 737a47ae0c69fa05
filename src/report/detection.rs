//! What `detect` found, for every format.

use super::count::Counts;
use crate::finding::{Finding, Location};
use crate::infer::Inference;
use crate::infer::beside::Evidence;
use crate::infer::crds::Installed;
use crate::manifest::Object;
use crate::pack::Pack;

/// What `detect` says of one object.
#[derive(Debug)]
pub struct Detected<'a> {
    /// The object.
    pub object: &'a Object,
    /// The pack that knows it.
    pub pack: &'a Pack,
    /// What its fields say.
    pub inference: Inference,
    /// Where it starts.
    pub location: Location,
    /// Where each piece of evidence stands.
    pub evidence: Vec<Location>,
}

/// What a run of `detect` found.
#[derive(Debug)]
pub struct Detection<'a> {
    /// The recognised objects, in the order of files and text.
    pub objects: Vec<Detected<'a>>,
    /// The places where values of a pack's chart stand, by the pack's name: the object, the place, the field.
    pub values: Vec<(&'a str, &'a Object, Location, String)>,
    /// What charts and images in the tree say of a pack's release, sorted by the pack's name and place.
    pub beside: Vec<(&'a str, Evidence)>,
    /// The CRDs in the tree that name their release, by pack.
    pub crds: Vec<Installed<'a>>,
    /// Everything to tell, sorted by place.
    pub findings: Vec<Finding>,
    /// What was met.
    pub counts: Counts,
}
