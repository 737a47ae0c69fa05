//! A saved plan, read again: its edits are made in the files as they are now, its findings and summary are printed.

use std::path::Path;

use anyhow::{Result, anyhow, bail};

use super::output::Level;
use crate::engine::edits::FilePlan;
use crate::shell::disk::{self, Failure, is_place};
use crate::shell::report::grouped::{Grouped, Shown, grouped};
use crate::shell::report::saved_plan::{MAX_PLAN, Mismatch, SavedFile, SavedPlan};
use crate::shell::report::{Painter, Written, text_format, visible};

/// Reads a plan; every file that it names is below the current folder.
pub(super) fn load(file: &Path) -> Result<SavedPlan> {
    let failed = |what: String| {
        let help = "`reversion plan -o FILE --to TARGET [PATHS]` makes a plan file";
        anyhow!("{}: {what}\n  help: {help}", file.display())
    };
    let bytes = disk::read_input(file, MAX_PLAN).map_err(|failure| anyhow!("{}: {failure}", file.display()))?;
    let plan = SavedPlan::parse(&bytes).map_err(failed)?;
    match plan.files.iter().find(|file| !is_place(Path::new(&file.path))) {
        Some(file) => Err(failed(format!(
            "not a valid plan: {} is outside of the current folder, or in one that is never written",
            file.path
        ))),
        None => Ok(plan),
    }
}

/// The files of a plan, compared with what they are now.
#[derive(Default)]
pub(super) struct Executed {
    /// The files that are as they were when the plan was made, with their edits.
    pub(super) files: Vec<FilePlan>,
    /// The names of the others.
    pub(super) stale: Vec<String>,
}

/// Explains that the plan in `file` was made in another folder, where none of its files is in the current one.
pub(super) fn made_elsewhere(plan: &SavedPlan, file: &Path) -> Option<String> {
    let is_in = |folder: &Path, saved: &SavedFile| !disk::is_missing(&folder.join(&saved.path));
    let there = plan.files.iter().filter(|saved| !saved.before.is_of_nothing());
    if plan.files.is_empty() || there.clone().any(|saved| is_in(Path::new(""), saved)) {
        return None;
    }
    let around = disk::folders_around(file).into_iter().find(|folder| there.clone().all(|saved| is_in(folder, saved)));
    let there = around.map_or_else(String::new, |folder| format!(", {}", folder.display()));
    Some(format!(
        "the plan was made in another folder: none of its files is in this one\n  help: run it in the folder that it was made in{there}"
    ))
}

/// Makes the edits of a plan in the text of its files.
pub(super) fn execute(plan: &SavedPlan) -> Result<Executed> {
    let mut executed = Executed::default();
    for file in &plan.files {
        match current(file) {
            Ok(done) => executed.files.push(done),
            Err(Mismatch::Stale) => executed.stale.push(file.path.clone()),
            Err(Mismatch::Contradiction) => {
                bail!("the plan contradicts itself: its edits of {} do not give the result that it records", file.path)
            }
        }
    }
    Ok(executed)
}

fn current(file: &SavedFile) -> Result<FilePlan, Mismatch> {
    let bytes = match disk::read(Path::new(&file.path)) {
        Err(Failure::Missing) if file.before.is_of_nothing() => Vec::new(),
        read => read.map_err(|_| Mismatch::Stale)?,
    };
    file.plan(String::from_utf8(bytes).map_err(|_| Mismatch::Stale)?)
}

/// Renders the findings and advisories of a plan that `level` shows, and what to do by hand.
pub(super) fn findings(plan: &SavedPlan, level: Level, painter: &Painter, shown: Shown) -> String {
    let records = plan.findings.iter().filter(|finding| level.shows_record(finding.severity, &finding.code));
    let records: Vec<_> = records.cloned().collect();
    let advisories = level.advisories(&plan.advisories);
    let Grouped { lines, to_do } = grouped(&[], &records, painter, shown);
    lines + &text_format::advisories(advisories, painter) + &to_do
}

/// Renders the summary of a plan, as of a run.
pub(super) fn summary(plan: &SavedPlan, written: Written, painter: &Painter) -> String {
    let outcomes = text_format::outcomes(&plan.summary, written, painter);
    let origins: String = text_format::origins(&plan.origins, &plan.summary).map(|line| format!("\n{line}")).collect();
    let targets = visible(&plan.targets.join(", "));
    format!("{outcomes}; to {targets}{}{origins}", text_format::left_out(&plan.left_out()))
}
