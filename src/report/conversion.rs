//! What a conversion found, for every format.

use std::collections::BTreeSet;

use super::count::Counts;
use crate::edits::FilePlan;
use crate::finding::{Acknowledged, Code, Finding, FindingObject, Location, Severity};
use crate::pack::Packs;
use crate::plan::{ObjectPlan, Outcome, RunAdvisory, change};

/// What a run of `check`, `diff`, `apply` or `convert` found.
#[derive(Debug)]
pub struct Report<'a> {
    /// The subcommand.
    pub command: &'static str,
    /// The packs of the run.
    pub packs: &'a Packs,
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
    /// Why nothing was recognised, where the run ends with that exit code: what was searched, and on a line of its own what to do.
    pub nothing_recognised: Option<String>,
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
    let message = change((old_kind, &old.to_string()), (new_kind, &new.to_string()));
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

    /// Returns the objects that are held back for a reason that is not accepted.
    pub fn held_back(&self) -> impl Iterator<Item = &ObjectPlan> {
        let of = |finding: &'_ Finding| finding.object.as_ref().map(|object| object.location.clone());
        let open: BTreeSet<Location> =
            self.findings.iter().filter(|one| one.severity == Severity::Held).filter_map(of).collect();
        let accepted: BTreeSet<Location> = self.acknowledged.iter().filter_map(|one| of(&one.finding)).collect();
        let held = self.objects.iter().filter(|object| object.outcome == Outcome::HeldBack);
        held.filter(move |object| open.contains(&object.location) || !accepted.contains(&object.location))
    }

    /// Returns the files that change, but for those in which every change is accepted as one not made.
    pub fn files_to_change(&self) -> impl Iterator<Item = &FilePlan> {
        let changed = self.objects.iter().filter(|object| object.outcome == Outcome::Changed);
        let changed: BTreeSet<&str> = changed.map(|object| object.location.file.as_str()).collect();
        let open: BTreeSet<&str> = self.to_change().map(|object| object.location.file.as_str()).collect();
        // Of some changes there is no object: an object of an unknown kind that names others.
        self.files.iter().filter(move |file| open.contains(file.file.as_str()) || !changed.contains(file.file.as_str()))
    }
}
