//! Answers: what must be done to every file of a run to take its objects to the targets?
//!
//! The pipeline, for a run over files that are read one by one, in any order and by several threads:
//! 1. [`Planner::new`]: what follows from the goal for every file;
//! 2. [`plan_local`]: a file that needs no other is planned as soon as it is read (`local`); the others are linked;
//! 3. [`namespaces`], [`invalidated`]: what the kustomizations of the run say about the files, and whose local plan that contradicts;
//! 4. [`finish`]: the linked files are planned together (`run`, with `fixpoint` for what is held back because something else is), and everything is put
//!    together in the order of the files.
//!
//! Both kinds of files share one way for an object (`convert`) and one for a file (`file`).
//!
//! Invariant: pure; a plan holds only edits that passed double entry.

use std::collections::{BTreeMap, BTreeSet};

use crate::edits::FilePlan;
use crate::finding::{Finding, Location};
use crate::links::{File, Namespaces};
use crate::manifest::Manifest;

mod planner;

mod file;

mod fixpoint;
mod local;

mod run;

pub use crate::convert::{
    ANNOTATION, AllowedLoss, Choices, Conversion, Goal, Keeping, MAX_STASH, Mistakes, ObjectPlan, Outcome, Record,
    Remark, Schema, Sides, VersionChoice, inference_findings, loss_code,
};
pub use file::{PlannedFile, RunFile};
pub use planner::Planner;

/// Everything that a run would do, nothing of it done.
#[derive(Debug, Default)]
pub struct Plan {
    /// The files with at least one edit, sorted by name.
    pub files: Vec<FilePlan>,
    /// The objects of targeted packs, in the order of files and text.
    pub objects: Vec<ObjectPlan>,
    /// Everything to report, sorted by place.
    pub findings: Vec<Finding>,
    /// How many objects the parsed files hold, known or not.
    pub seen_objects: usize,
}

/// Plans the run over `manifests`, sorted by file.
pub fn plan(manifests: &[Manifest], goal: &Goal<'_>) -> Plan {
    let planner = Planner::new(goal);
    let local = |manifest| plan_local(&planner, manifest);
    let file =
        |manifest| local(manifest).map_or(RunFile::Linked(manifest), |planned| RunFile::Local(Box::new(planned)));
    let mut files: Vec<RunFile<'_>> = manifests.iter().map(file).collect();
    let namespaces = namespaces(&planner, &files);
    for at in invalidated(&files, &namespaces) {
        files[at] = RunFile::Linked(&manifests[at]);
    }
    finish(&planner, files, &namespaces)
}

/// Plans a file by itself; `None` where the objects of other files can affect its plan.
pub fn plan_local(planner: &Planner<'_>, manifest: &Manifest) -> Option<PlannedFile> {
    local::plan(planner, manifest)
}

/// Finds the namespaces that the kustomizations among `files` give.
pub fn namespaces<'g>(planner: &Planner<'g>, files: &[RunFile<'_>]) -> Namespaces<'g> {
    let files: Vec<File<'_>> = files.iter().map(RunFile::linkable).collect();
    Namespaces::new(&files, planner.goal().packs)
}

/// Returns which of `files` are local ones that have to be linked after all: the run contradicts what their plans assume.
pub fn invalidated(files: &[RunFile<'_>], namespaces: &Namespaces<'_>) -> Vec<usize> {
    local::invalidated(files, namespaces)
}

/// Plans the linked files, and puts the plans of all files together, in the order of `files`.
pub fn finish(planner: &Planner<'_>, files: Vec<RunFile<'_>>, namespaces: &Namespaces<'_>) -> Plan {
    let linkable: Vec<File<'_>> = files.iter().map(RunFile::linkable).collect();
    let mut linked = run::plan(planner, &linkable, namespaces).into_iter();
    let mut plan = Plan::default();
    let mut advised: BTreeMap<usize, (bool, Location)> = BTreeMap::new();
    let (mut unconverted, mut sources) = (Vec::new(), BTreeSet::new());
    for file in files {
        let planned = match file {
            RunFile::Local(planned) => *planned,
            RunFile::Linked(_) => linked.next().expect("every linked file is planned in the end"),
        };
        for (at, (is_settled, position)) in planned.advised {
            let found = (is_settled, Location { file: planned.local.file.clone(), position });
            let is_first = |(settled, place): &(bool, Location)| (found.0, &found.1.file) < (*settled, &place.file);
            if advised.get(&at).is_none_or(is_first) {
                advised.insert(at, found);
            }
        }
        unconverted.extend(planned.unconverted_values);
        sources.extend(planned.value_sources);
        plan.files.extend(planned.change);
        plan.objects.extend(planned.local.objects);
        plan.findings.extend(planned.findings);
        plan.seen_objects += planned.seen_objects;
    }
    let advisory = |(at, (is_settled, place)): (usize, _)| planner.advisories[at].finding(is_settled, place);
    plan.findings.extend(advised.into_iter().map(advisory));
    plan.findings.extend(unconverted.into_iter().filter_map(|values| values.finding(&sources)));
    plan.findings.sort();
    plan.findings.dedup();
    // What could have held values and is unchanged was kept for what it can be merged with.
    plan.objects.retain(|object| object.is_recognised || object.outcome != Outcome::Unchanged);
    plan
}
