//! The writing of a plan by `apply`, whether the plan was just made or saved before.
//!
//! An interrupted earlier run is finished first, then git is asked, then the user, then all files are replaced.
//!
//! Invariant: no file is written that git could not restore, unless a flag allows it.

use std::path::PathBuf;

use anyhow::{Result, bail};

use super::args::{GuardArgs, OutputArgs};
use super::console::{Answer, Console};
use super::journal::{failure, interruption, run_failure, run_name};
use super::output::painted_diffs;
use crate::engine::edits::FilePlan;
use crate::engine::finding::Severity;
use crate::shell::disk::{
    self, Action, Bounds, ChangedFiles, FileChange, Journal, RunProgress, Transaction, Unfinished,
};
use crate::shell::report::plural;
use crate::shell::report::stat::overview;
use crate::syntax::fingerprint::Fingerprint;

/// How many files a message names.
const NAMED: usize = 10;

/// Finishes an interrupted run that had replaced no file or every file; one in between stops this run.
/// The journal is returned where there is one, and stays locked.
pub(super) fn finish_interrupted(bounds: &Bounds, console: Console) -> Result<Option<Journal>> {
    let Some(journal) = Journal::find(bounds.clone()).map_err(failure)? else { return Ok(None) };
    if let Some(unfinished) = Unfinished::find(&journal).map_err(failure)? {
        let run = run_name(unfinished.record());
        match unfinished.progress() {
            RunProgress::Untouched => {
                unfinished.roll_back(ChangedFiles::Leave).map_err(failure)?;
                console.note(&format!(
                    "an earlier {run} was interrupted before it replaced a file; its temporary files are removed\n"
                ))?;
            }
            RunProgress::Complete => {
                unfinished.roll_forward(ChangedFiles::Refuse).map_err(failure)?;
                console.note(&format!(
                    "an earlier {run} was interrupted after it had replaced every file; it counts as done\n"
                ))?;
            }
            RunProgress::Mixed(replaced) => {
                let (state, ways_out) = interruption(unfinished.record(), replaced);
                bail!("an earlier {state}\n  help: {ways_out}")
            }
        }
    }
    Ok(Some(journal))
}

/// Checks that git has what is about to be replaced.
pub(super) fn guard(files: &[FilePlan], args: GuardArgs) -> Result<()> {
    if args.allow_dirty {
        return Ok(());
    }
    // Git has nothing of a file that is made.
    let files = files.iter().filter(|file| !file.before.is_empty());
    let paths: Vec<PathBuf> = files.map(|file| PathBuf::from(&file.file)).collect();
    match disk::uncommitted(&paths) {
        Ok(dirty) if dirty.is_empty() => Ok(()),
        Ok(dirty) => {
            let named: String = dirty.iter().take(NAMED).map(|file| format!("\n  {}", file.display())).collect();
            let more = dirty.len().saturating_sub(NAMED);
            let more = if more == 0 { String::new() } else { format!("\n  and {}", plural(more, "other")) };
            bail!(
                "nothing was written: {} not committed{named}{more}\n  help: commit or stash first; `--allow-dirty` writes them anyway",
                if dirty.len() == 1 {
                    "1 file to be written is".to_owned()
                } else {
                    format!("{} to be written are", plural(dirty.len(), "file"))
                },
            )
        }
        Err(_) if args.allow_no_vcs => Ok(()),
        Err(unknown) => bail!(
            "nothing was written: {unknown}, so the files may be in no version control\n  help: `--allow-no-vcs` writes anyway"
        ),
    }
}

/// Refuses files that cannot be replaced, before anybody is asked about them.
pub(super) fn check(files: &[FilePlan], bounds: Bounds) -> Result<()> {
    let before = |file: &FilePlan| (PathBuf::from(&file.file), Fingerprint::of(file.before.as_bytes()));
    let files: Vec<(PathBuf, Fingerprint)> = files.iter().map(before).collect();
    disk::check(bounds, &files).map_err(failure)
}

/// Replaces every file of the plan, or none. `label` names the run in the journal.
pub(super) fn write(files: &[FilePlan], label: &str, bounds: Bounds, journal: Option<Journal>) -> Result<()> {
    let change = |file: &FilePlan| FileChange {
        path: PathBuf::from(&file.file),
        before: Fingerprint::of(file.before.as_bytes()),
        after: file.after().into_bytes(),
        like: None,
    };
    let journal = journal.map_or_else(|| Journal::open(bounds).map_err(failure), Ok)?;
    let changes = files.iter().map(change).collect();
    let written = Transaction::stage(&journal, changes, label).and_then(|staged| staged.commit());
    written.map_err(|aborted| run_failure(aborted, Action::Apply))?;
    Ok(())
}

/// Says that advisories are told now, where some of these severities are those of warnings: what the objects were written for before,
/// no later run sees.
pub(super) fn say_told_once(advisories: impl IntoIterator<Item = Severity>, console: Console) -> Result<()> {
    if advisories.into_iter().any(|severity| severity == Severity::Warning) {
        console.note(
            "note these advisories: once the objects are converted, later runs show them only with `--verbose`, if at all\n",
        )?;
    }
    Ok(())
}

/// What is about to be written, as it is shown before the question.
pub(super) struct Preview<'p> {
    pub(super) files: &'p [FilePlan],
    /// The file of each object that changes.
    pub(super) changed: Vec<&'p str>,
    /// The findings and the summary, as painted lines.
    pub(super) remarks: String,
}

/// Shows what is about to be written, with its diff where that fits on the screen or `show_diff` asks for it, and asks once.
pub(super) fn confirm(preview: &Preview<'_>, show_diff: bool, output: &OutputArgs, console: Console) -> Result<bool> {
    if !console.can_ask() {
        console.painted_note(&preview.remarks)?;
        bail!("nothing was written: there is no terminal to ask on; pass --yes");
    }
    let paint = console.note_paint(output);
    let diff = painted_diffs(preview.files, paint);
    let files = overview(preview.files, preview.changed.iter().copied(), console.note_columns(), paint);
    if show_diff || console.has_room(&[&*diff, &*files, &*preview.remarks].concat(), 1) {
        console.painted_note(&diff)?;
    }
    console.painted_note(&files)?;
    console.painted_note(&preview.remarks)?;
    loop {
        let answer = console.ask(&format!("write {}? [y/N/d/?] ", plural(preview.files.len(), "file")))?;
        let Answer::Line(answer) = answer else { return Ok(false) };
        match answer.to_lowercase().as_str() {
            "y" | "yes" => return Ok(true),
            "d" | "diff" => console.page_note(&diff, output)?,
            "" | "n" | "no" => return Ok(false),
            _ => console.note(
                "y - write all of these files\n\
                 n - write nothing; so does Enter\n\
                 d - show the diff\n\
                 ? - show this help\n\
                 `reversion apply --interactive` asks for each object.\n",
            )?,
        }
    }
}
