//! Answers: what must be done to every file of a run to take its objects to the targets?
//!
//! The pipeline, for a run over files that are read one by one, in any order and by several threads:
//! 1. [`Planner::new`]: what follows from the goal for every file;
//! 2. [`plan_local`]: a file that needs no other is planned as soon as it is read (`local`); the others are linked;
//! 3. [`plan_files`]: a local plan that a kustomization of the run contradicts, or that lacks a style that neighbors show (`styles`), is dropped, and its file is linked too; the linked files
//!    are planned together (`run`, with `fixpoint` for what is held back because something else is); all plans are put together
//!    (`assemble`).
//!
//! Both kinds of files share one way for an object (`convert`) and one for a file (`file`).
//!
//! Invariant: pure; a plan holds only edits that passed double entry.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::num::NonZero;
use std::panic::resume_unwind;

use crate::links::File;
use crate::manifest::Manifest;

mod planner;
mod recognizer;

mod file;
mod styles;

mod acknowledged;
mod assemble;
mod fixpoint;
mod local;
mod scope;
mod withheld;

mod listed;

mod run;

pub use crate::convert::{
    ANNOTATION, AllowedLoss, Choices, Comments, Conversion, FileChoices, FileSet, Goal, Ignored, Keeping, MAX_STASH,
    Mistakes, ObjectPlan, Outcome, Record, Remark, Schema, Sides, VersionChoice, change, inference_findings, loss_code,
};
pub use crate::notices::advisories::RunAdvisory;
pub use assemble::Plan;
pub use file::{PlannedFile, RunFile};
pub use planner::Planner;
pub use recognizer::recognizer;
pub use scope::{Dependent, Listed, Others, Scope};
pub use withheld::LeftOut;

use assemble::assemble;
use listed::Whole;
use styles::Styles;
use withheld::Withheld;

/// From how many files on several threads plan them.
const MANY_FILES: usize = 64;

/// Plans the run over `manifests`, sorted by file.
pub fn plan(manifests: &[Manifest], goal: &Goal<'_>) -> Plan {
    let planner = Planner::new(goal);
    let file = |manifest| match plan_local(&planner, manifest) {
        Some(planned) => RunFile::Local(Box::new(planned)),
        None => RunFile::Linked(manifest),
    };
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let files = if manifests.len() < MANY_FILES || threads == 1 {
        manifests.iter().map(file).collect()
    } else {
        std::thread::scope(|scope| {
            let parts = manifests.chunks(manifests.len().div_ceil(threads));
            let parts: Vec<_> = parts.map(|part| scope.spawn(|| part.iter().map(file).collect::<Vec<_>>())).collect();
            parts.into_iter().flat_map(|part| part.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
        })
    };
    let Ok(plan) = plan_files(&planner, files, &Scope::default(), |at, _| Ok::<_, Infallible>(&manifests[at]));
    plan
}

/// Plans a file by itself; `None` where the objects of other files can affect its plan.
pub fn plan_local(planner: &Planner<'_>, manifest: &Manifest) -> Option<PlannedFile> {
    local::plan(planner, manifest)
}

/// Plans a run over `files`, in their order, for what `scope` is about. `read_again` returns the manifest of a local file, by its
/// position, whose plan the run contradicts.
///
/// # Errors
/// The first error of `read_again`.
pub fn plan_files<M: Borrow<Manifest>, E>(
    planner: &Planner<'_>,
    files: Vec<RunFile<'_>>,
    scope: &Scope<'_>,
    read_again: impl Fn(usize, &PlannedFile) -> Result<M, E>,
) -> Result<Plan, E> {
    let known = linkable(&files);
    let namespaces = planner.namespaces(&known);
    let withheld = Withheld::without(scope.left_out, &known).and(scope.declined);
    let styles = Styles::of(&known);
    let contradicted =
        local::contradicted(&files, (&namespaces, &planner.namespaces_as_written()), (&styles, &withheld)).into_iter();
    let manifests = contradicted.map(|(at, planned)| Ok((at, read_again(at, planned)?)));
    let manifests = manifests.collect::<Result<Vec<_>, E>>()?;
    let mut files: Vec<RunFile<'_>> = files;
    for (at, manifest) in &manifests {
        files[*at] = RunFile::Linked(manifest.borrow());
    }
    let linked = run::plan(planner, &linkable(&files), &namespaces, (&styles, &withheld));
    let mut alone = match scope.listed.filter(|listed| !listed.is_as_whole()) {
        None => BTreeMap::new(),
        Some(listed) => {
            let beside = (&styles, &withheld);
            let whole = Whole { planner, namespaces: &namespaces, beside, files: &files, linked: &linked };
            let manifests = whole.to_link(listed).into_iter().map(|(at, planned)| Ok((at, read_again(at, planned)?)));
            let manifests = manifests.collect::<Result<Vec<_>, E>>()?;
            let manifests: Vec<_> = manifests.iter().map(|(at, manifest)| (*at, manifest.borrow())).collect();
            whole.alone(&manifests, listed)
        }
    };
    let mut linked = linked.into_iter();
    let planned = files.into_iter().map(|file| match file {
        RunFile::Local(planned) => *planned,
        RunFile::Linked(_) => linked.next().expect("every linked file is planned"),
    });
    let planned = planned.map(|planned| match (scope.listed, alone.remove(planned.file())) {
        (Some(listed), Some(alone)) => listed::limit(planned, alone, listed),
        _ => planned,
    });
    Ok(assemble(planner, planned, scope.found, scope.listed))
}

fn linkable<'f>(files: &'f [RunFile<'_>]) -> Vec<File<'f>> {
    files.iter().map(RunFile::linkable).collect()
}
