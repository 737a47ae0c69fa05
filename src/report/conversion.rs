//! What a conversion found, for every format.

use std::collections::BTreeSet;

use super::count::Counts;
use crate::edits::FilePlan;
use crate::finding::{Acknowledged, Code, Finding, FindingObject, Location, Severity};
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
    /// The findings that were accepted before; they are in no other list. That an object must change is one of
    /// [`Code::ChangesNeeded`].
    pub acknowledged: &'a [Acknowledged],
    /// What is to be known about the cluster and the releases.
    pub advisories: &'a [RunAdvisory],
    /// How many files and objects were seen.
    pub counts: Counts,
    /// The files that failed, where the run goes on without them.
    pub left_out: Vec<&'a str>,
    /// Whether the changes were written.
    pub written: Written,
    /// Which part of the tree it is about, as `1/4`; the whole tree where there is none.
    pub shard: Option<String>,
    /// The exit code of the run.
    pub exit: u8,
}

/// Whether the changes of a report are on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// Nothing was written.
    No,
    /// Every change was.
    Yes,
}

/// Makes the finding that an object must change.
pub fn changes_needed(object: &ObjectPlan) -> Finding {
    let ((old_kind, old), (new_kind, new)) = (&object.from, &object.to);
    let message = match (old_kind.kind == new_kind.kind, old == new) {
        (true, true) => "fields must change".to_owned(),
        (true, false) => format!("apiVersion {old} must become {new}"),
        (false, _) => format!("{old} {} must become {new} {}", old_kind.kind, new_kind.kind),
    };
    Finding {
        location: object.location.clone(),
        code: Code::ChangesNeeded,
        severity: Severity::Warning,
        object: Some(FindingObject { title: object.title.clone(), location: object.location.clone() }),
        field: None,
        message,
        help: None,
    }
}

impl Report<'_> {
    /// Returns the objects that change and are not accepted as they are.
    pub fn to_change(&self) -> impl Iterator<Item = &ObjectPlan> {
        let changes = self.acknowledged.iter().filter(|one| one.finding.code == Code::ChangesNeeded);
        let accepted: BTreeSet<&Location> = changes.map(|one| &one.finding.location).collect();
        let changed = self.objects.iter().filter(|object| object.outcome == Outcome::Changed);
        changed.filter(move |object| !accepted.contains(&object.location))
    }

    /// Counts the objects with `outcome`.
    pub fn count(&self, outcome: Outcome) -> usize {
        self.objects.iter().filter(|object| object.outcome == outcome).count()
    }
}
