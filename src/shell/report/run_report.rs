//! What a conversion found, for every format.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::count::{Counts, named_fields};
use crate::engine::edits::FilePlan;
use crate::engine::finding::{Acknowledged, Code, Finding, FindingObject, Location, Severity};
use crate::engine::plan::{ObjectPlan, Outcome, Plan, RunAdvisory, change};
use crate::knowledge::pack::Packs;
use crate::syntax::field::FieldPath;

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
    /// Those of them that were accepted before; they are in no other list.
    pub acknowledged_advisories: &'a [RunAdvisory],
    /// How many files and objects were seen.
    pub counts: Counts,
    /// The files that failed, where the run goes on without them.
    pub left_out: Vec<&'a str>,
    /// Where the objects come from that change or are held back, and which targets were added, a line each.
    pub origins: Vec<String>,
    /// Whether the changes were written.
    pub written: Written,
    /// Which part of the tree it is about, as `1/4`; the whole tree where there is none.
    pub shard: Option<String>,
    /// The exit code of the run.
    pub exit: u8,
    /// Why nothing was recognized, where the run ends with that exit code: what was searched, and on a line of its own what to do.
    pub nothing_recognized: Option<String>,
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
pub(crate) fn changes_needed(object: &ObjectPlan) -> Finding {
    let ((old_kind, old), (new_kind, new)) = (&object.from, &object.to);
    let message =
        change(old_kind, &old.to_string(), new_kind, &new.to_string()) + &named_fields(&changed_fields(object));
    Finding::new(object.location.clone(), Code::ChangesNeeded, Severity::Warning, message)
        .about(FindingObject::new(object.title.clone(), object.location.clone()))
}

/// Returns the fields of an object that change, where neither a rule nor an apiVersion says it.
pub(super) fn changed_fields(object: &ObjectPlan) -> Vec<String> {
    object.fields.iter().map(FieldPath::to_string).collect()
}

/// What becomes of an object, with what was accepted before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// It is left unchanged; its findings give the reason.
    HeldBack,
    /// It changes, or was changed.
    Changed,
    /// It is left as it is, or would change, and that was accepted before.
    Acknowledged,
    /// It is at the target already.
    Unchanged,
}

impl Fate {
    /// Every outcome, the first that a reader looks for first.
    pub const ALL: [Self; 4] = [Self::HeldBack, Self::Changed, Self::Acknowledged, Self::Unchanged];

    /// Returns the word by which programs know it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::HeldBack => Outcome::HeldBack.name(),
            Self::Changed => Outcome::Changed.name(),
            Self::Acknowledged => "acknowledged",
            Self::Unchanged => Outcome::Unchanged.name(),
        }
    }

    /// Returns the words that people read.
    pub const fn words(self, written: Written) -> &'static str {
        match (self, written) {
            (Self::HeldBack, _) => "held back",
            (Self::Changed, Written::Yes) => "changed",
            (Self::Changed, Written::No) => "to change",
            (Self::Acknowledged, _) => "acknowledged",
            (Self::Unchanged, _) => "unchanged",
        }
    }
}

/// Says of each object of a report what becomes of it.
#[derive(Debug)]
pub struct Fates<'r> {
    /// The objects of which it is accepted that they are not at the target.
    kept: BTreeSet<&'r Location>,
    /// Those of which something is accepted that holds them back.
    released: BTreeSet<&'r Location>,
    /// Those that something else holds back.
    held: BTreeSet<&'r Location>,
}

impl Fates<'_> {
    /// Returns what becomes of an object.
    pub fn of(&self, object: &ObjectPlan) -> Fate {
        let at = &object.location;
        match object.outcome {
            Outcome::HeldBack if self.held.contains(at) || !self.released.contains(at) => Fate::HeldBack,
            Outcome::HeldBack => Fate::Acknowledged,
            Outcome::Changed | Outcome::Unchanged if self.kept.contains(at) => Fate::Acknowledged,
            Outcome::Changed => Fate::Changed,
            Outcome::Unchanged => Fate::Unchanged,
        }
    }
}

impl<'a> Report<'a> {
    /// Makes the report of a plan of which nothing is written, for the whole tree and without an exit code.
    pub fn new(command: &'static str, packs: &'a Packs, plan: &'a Plan, counts: Counts) -> Self {
        Self {
            command,
            packs,
            targets: Vec::new(),
            files: &plan.files,
            objects: &plan.objects,
            findings: &plan.findings,
            acknowledged: &plan.acknowledged,
            advisories: &plan.advisories,
            acknowledged_advisories: &plan.acknowledged_advisories,
            counts,
            left_out: Vec::new(),
            origins: Vec::new(),
            written: Written::No,
            shard: None,
            exit: 0,
            nothing_recognized: None,
        }
    }

    /// Decides what becomes of the objects.
    pub fn fates(&self) -> Fates<'a> {
        let of = |finding: &'a Finding| finding.object.as_ref().map(|object| &object.location);
        let is_held = |finding: &&'a Finding| finding.severity == Severity::Held;
        let accepted = || self.acknowledged.iter().map(|accepted| &accepted.finding);
        let (findings, code) = (self.findings, Code::ChangesNeeded);
        Fates {
            kept: accepted().filter(|finding| finding.code == code).filter_map(of).collect(),
            released: accepted().filter(is_held).filter_map(of).collect(),
            held: findings.iter().filter(is_held).filter_map(of).collect(),
        }
    }

    fn with(&self, fate: Fate) -> impl Iterator<Item = &'a ObjectPlan> {
        let fates = self.fates();
        self.objects.iter().filter(move |object| fates.of(object) == fate)
    }

    /// Returns the objects that change and are not accepted as they are.
    pub(crate) fn to_change(&self) -> impl Iterator<Item = &'a ObjectPlan> {
        self.with(Fate::Changed)
    }

    /// Returns the objects that are held back for a reason that is not accepted.
    pub fn held_back(&self) -> impl Iterator<Item = &'a ObjectPlan> {
        self.with(Fate::HeldBack)
    }

    /// Returns the places of what is held back: objects, and what else a finding holds back, such as a patch of an object that is not in
    /// the run.
    pub(crate) fn held_places(&self) -> BTreeSet<&'a Location> {
        let held = self.findings.iter().filter(|finding| finding.severity == Severity::Held);
        let places = held.map(|finding| finding.object.as_ref().map_or(&finding.location, |object| &object.location));
        self.held_back().map(|object| &object.location).chain(places).collect()
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
