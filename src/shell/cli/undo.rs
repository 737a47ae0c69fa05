//! The subcommand `undo`, and `apply --resume`: files are restored, or an interrupted run is finished.

use std::path::PathBuf;

use anyhow::{Error, Result, anyhow};

use super::args::UndoArgs;
use super::console::Console;
use super::exit::Exit;
use super::journal::{bounds, failure, run_name};
use crate::shell::disk::{self, Aborted, Action, ChangedFiles, Failure, Journal, Record, RunProgress, Unfinished};
use crate::shell::report::{plural, visible, visible_lines};

/// Runs `undo`.
pub(super) fn run(args: &UndoArgs, console: Console) -> Result<Exit> {
    let bounds = bounds(std::slice::from_ref(&args.path))?.whole();
    let top = bounds.top().display().to_string();
    let Some(journal) = Journal::find(bounds).map_err(failure)? else {
        return nothing(
            &format!("nothing to undo: {top} has no journal (`reversion undo FOLDER` looks in another folder)"),
            console,
        );
    };
    if args.list {
        return list(&journal, &top, console);
    }
    let changed = if args.skip_changed { ChangedFiles::Leave } else { ChangedFiles::Refuse };
    if let Some(exit) = revert_unfinished(&journal, changed, console)? {
        return Ok(exit);
    }
    let records = journal.records().map_err(failure)?;
    let Some((number, record)) = records.first() else {
        return nothing(&format!("nothing to undo in {top}"), console);
    };
    let written = disk::undo(&journal, *number, record, changed).map_err(|aborted| refused(aborted, changed))?;
    let left = record.files.len() - written.files.len();
    let left = if left == 0 { String::new() } else { format!("; {} not reverted", plural(left, "changed file")) };
    console.note(&format!("reverted {} of the {}{left}\n", plural(written.files.len(), "file"), run_name(record)))?;
    Ok(Exit::Clean)
}

/// Reverts an interrupted run. `None` where there is none, or where it had replaced every file, so that it is reverted as a
/// finished one.
fn revert_unfinished(journal: &Journal, changed: ChangedFiles, console: Console) -> Result<Option<Exit>> {
    let Some(unfinished) = Unfinished::find(journal).map_err(failure)? else { return Ok(None) };
    let run = run_name(unfinished.record());
    let (files, note) = match (unfinished.record().action, unfinished.progress()) {
        (Action::Apply, RunProgress::Complete) => return unfinished.roll_forward().map(|_| None).map_err(failure),
        (Action::Undo(_), RunProgress::Untouched) => {
            return unfinished.roll_back(changed).map(|_| None).map_err(failure);
        }
        (Action::Apply, RunProgress::Untouched) => {
            unfinished.roll_back(changed).map_err(failure)?;
            return nothing(
                &format!("the {run} was interrupted before it replaced a file; its temporary files are removed"),
                console,
            )
            .map(Some);
        }
        (Action::Apply, RunProgress::Mixed(_)) => {
            (unfinished.roll_back(changed).map_err(|aborted| refused(aborted, changed))?, "(interrupted)")
        }
        (Action::Undo(_), _) => (unfinished.roll_forward().map_err(failure)?, "(undo finished)"),
    };
    console.note(&format!("reverted {} of the {run} {note}\n", plural(files.len(), "file")))?;
    Ok(Some(Exit::Clean))
}

/// Finishes an interrupted apply; an interrupted undo is itself reverted.
pub(super) fn resume(paths: &[PathBuf], console: Console) -> Result<Exit> {
    let bounds = bounds(paths)?.whole();
    let nothing_there = "nothing to finish: no apply was interrupted here";
    let Some(journal) = Journal::find(bounds).map_err(failure)? else { return nothing(nothing_there, console) };
    let Some(unfinished) = Unfinished::find(&journal).map_err(failure)? else { return nothing(nothing_there, console) };
    let run = run_name(unfinished.record());
    let files = match (unfinished.record().action, unfinished.progress()) {
        (Action::Undo(_), RunProgress::Complete) => {
            unfinished.roll_forward().map_err(failure)?;
            return nothing(&format!("the {run} was already complete"), console);
        }
        (Action::Undo(_), _) => unfinished.roll_back(ChangedFiles::Refuse).map_err(failure)?,
        (Action::Apply, RunProgress::Untouched) => match unfinished.roll_forward() {
            Ok(files) => files,
            Err(_) => {
                unfinished.roll_back(ChangedFiles::Leave).map_err(failure)?;
                console.note(&format!(
                    "the {run} was interrupted before it replaced a file and cannot be finished; its temporary files are removed: run `reversion apply` again\n"
                ))?;
                return Ok(Exit::Changes);
            }
        },
        (Action::Apply, _) => unfinished.roll_forward().map_err(failure)?,
    };
    console.note(&format!("finished the {run}: {} replaced\n", plural(files.len(), "more file")))?;
    Ok(Exit::Clean)
}

/// Lists the runs that can be reverted.
fn list(journal: &Journal, top: &str, console: Console) -> Result<Exit> {
    if let Some(unfinished) = Unfinished::find(journal).map_err(failure)? {
        let so_far = match unfinished.progress() {
            RunProgress::Untouched => 0,
            RunProgress::Mixed(replaced) => replaced,
            RunProgress::Complete => unfinished.record().files.len(),
        };
        let files = plural(unfinished.record().files.len(), "file");
        console.note(&format!("{}: interrupted, {so_far} of {files} replaced\n", run_name(unfinished.record())))?;
    }
    let line = |(number, record): &(u32, Record)| {
        format!(
            "{number}  {}  {}  {}\n",
            visible(&record.time),
            plural(record.files.len(), "file"),
            visible(&record.label)
        )
    };
    let records = journal.records().map_err(failure)?;
    if records.is_empty() {
        return nothing(&format!("nothing to undo in {top}"), console);
    }
    console.print(&records.iter().map(line).collect::<String>())?;
    Ok(Exit::Clean)
}

fn nothing(note: &str, console: Console) -> Result<Exit> {
    console.note(&format!("{}\n", visible_lines(note)))?;
    Ok(Exit::Clean)
}

/// Adds how to continue where changed files prevent the undo.
fn refused(aborted: Aborted, changed: ChangedFiles) -> Error {
    let has_changed =
        aborted.failures.iter().any(|(_, failure)| matches!(failure, Failure::ChangedSince | Failure::Missing));
    match changed {
        ChangedFiles::Refuse if has_changed => {
            anyhow!("{aborted}\n  help: `--skip-changed` leaves changed files as they are and restores the others")
        }
        ChangedFiles::Refuse | ChangedFiles::Leave => failure(aborted),
    }
}
