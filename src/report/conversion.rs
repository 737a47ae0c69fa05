//! What a conversion found, for every format.

use super::count::Counts;
use crate::edits::FilePlan;
use crate::finding::Finding;
use crate::plan::{ObjectPlan, Outcome, RunAdvisory};

/// What a run of `check`, `diff`, `apply` or `convert` found.
#[derive(Debug)]
pub struct Report<'a> {
    /// The subcommand.
    pub command: &'static str,
    /// The targets, as `gateway-api@1.4.1/standard`.
    pub targets: Vec<String>,
    /// The files that change.
    pub files: &'a [FilePlan],
    /// The objects of the targeted packs.
    pub objects: &'a [ObjectPlan],
    /// Every finding, sorted by place.
    pub findings: &'a [Finding],
    /// What is to be known about the cluster and the releases.
    pub advisories: &'a [RunAdvisory],
    /// How many files and objects were seen.
    pub counts: Counts,
    /// The files that failed, where the run goes on without them.
    pub left_out: Vec<&'a str>,
    /// Whether the changes were written.
    pub written: Written,
}

/// Whether the changes of a report are on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// Nothing was written.
    No,
    /// Every change was.
    Yes,
}

impl Report<'_> {
    /// Counts the objects with `outcome`.
    pub fn count(&self, outcome: Outcome) -> usize {
        self.objects.iter().filter(|object| object.outcome == outcome).count()
    }
}
