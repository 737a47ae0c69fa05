//! The subcommand `undo`, and `apply --resume`: files are restored, or an interrupted run is finished.

use std::path::PathBuf;

use anyhow::{Error, Result, anyhow};

use super::args::UndoArgs;
use super::console::Console;
use super::exit::Exit;
use super::journal::{bounds, failure, interruption, run_failure, run_name, ways_out};
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
    warn_of_damage(&journal, console)?;
    let records = journal.records().map_err(failure)?;
    let Some((number, record)) = records.first() else {
        return nothing(&format!("nothing to undo in {top}"), console);
    };
    let action = Action::Undo(*number);
    let written =
        disk::undo(&journal, *number, record, changed).map_err(|aborted| refused(aborted, changed, action))?;
    let mut records = journal.records().map_err(failure)?.into_iter();
    let left = records.find(|(one, _)| one == number).map_or(0, |(_, record)| record.left());
    let exit = reverted(&run_name(record), written.files.len(), left, console)?;
    let line = |(path, kept): &(PathBuf, PathBuf)| {
        let [path, kept] = [path, kept].map(|path| visible(&path.display().to_string()));
        format!("  {path} is gone; its old content is in {kept}: copy it to {path}, then run `reversion undo` again\n")
    };
    console.note(&disk::gone(&journal, *number, record).iter().map(line).collect::<String>())?;
    Ok(exit)
}

/// Reports what was reverted, and what is left to be: the next undo reverts that.
fn reverted(run: &str, files: usize, left: usize, console: Console) -> Result<Exit> {
    let not = if left == 0 { String::new() } else { format!("; {} not reverted", plural(left, "changed file")) };
    console.note(&format!("reverted {} of the {run}{not}\n", plural(files, "file")))?;
    if left == 0 {
        return Ok(Exit::Clean);
    }
    console.note(
        "  help: the old content of what is left is kept; move your changes away, then `reversion undo` restores it\n",
    )?;
    Ok(Exit::Changes)
}

/// Reverts an interrupted run. `None` where there is none, or where it had replaced every file, so that it is reverted as a
/// finished one.
fn revert_unfinished(journal: &Journal, changed: ChangedFiles, console: Console) -> Result<Option<Exit>> {
    let Some(unfinished) = Unfinished::find(journal).map_err(failure)? else { return Ok(None) };
    let action = unfinished.record().action;
    let run = run_name(unfinished.record());
    match (action, unfinished.progress()) {
        (Action::Apply, RunProgress::Complete) => unfinished.roll_forward(changed).map(|_| None).map_err(failure),
        (Action::Undo(_), RunProgress::Untouched) => unfinished.roll_back(changed).map(|_| None).map_err(failure),
        (Action::Apply, RunProgress::Untouched) => {
            unfinished.roll_back(changed).map_err(failure)?;
            let note = format!("the {run} was interrupted before it replaced a file; its temporary files are removed");
            nothing(&note, console).map(Some)
        }
        (Action::Apply, RunProgress::Mixed(replaced)) => {
            let files = unfinished.roll_back(changed).map_err(|aborted| refused(aborted, changed, action))?;
            reverted(&format!("{run} (interrupted)"), files.len(), replaced - files.len(), console).map(Some)
        }
        (Action::Undo(_), _) => match unfinished.roll_forward(changed) {
            Ok(files) => {
                console.note(&format!("finished the {run}: {} restored\n", plural(files.len(), "more file")))?;
                let skipped = unfinished.skipped();
                Ok(Some(if skipped == 0 { Exit::Clean } else { Exit::Changes }))
            }
            Err(aborted) if aborted.failures.iter().any(|(_, failure)| *failure == Failure::NotStaged) => {
                unfinished.roll_back(changed).map_err(|aborted| refused(aborted, changed, action))?;
                console.note(&format!("the {run} was interrupted and could not be finished; it is made again\n"))?;
                Ok(None)
            }
            Err(aborted) => Err(refused(aborted, changed, action)),
        },
    }
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
            unfinished.roll_forward(ChangedFiles::Refuse).map_err(failure)?;
            return nothing(&format!("the {run} was already complete"), console);
        }
        (action @ Action::Undo(_), _) => {
            let files = unfinished.roll_back(ChangedFiles::Refuse).map_err(|aborted| stopped(aborted, action))?;
            let files = plural(files.len(), "file");
            console.note(&format!("reverted the {run}: {files} replaced again, as the apply left them\n"))?;
            return Ok(Exit::Clean);
        }
        (Action::Apply, RunProgress::Untouched) => match unfinished.roll_forward(ChangedFiles::Refuse) {
            Ok(files) => files,
            Err(_) => {
                unfinished.roll_back(ChangedFiles::Leave).map_err(failure)?;
                console.note(&format!(
                    "the {run} was interrupted before it replaced a file and cannot be finished; its temporary files are removed: run `reversion apply` again\n"
                ))?;
                return Ok(Exit::Changes);
            }
        },
        (action @ Action::Apply, _) => {
            unfinished.roll_forward(ChangedFiles::Refuse).map_err(|aborted| stopped(aborted, action))?
        }
    };
    console.note(&format!("finished the {run}: {} replaced\n", plural(files.len(), "more file")))?;
    Ok(Exit::Clean)
}

/// Lists the runs that can be reverted.
fn list(journal: &Journal, top: &str, console: Console) -> Result<Exit> {
    let unfinished = Unfinished::find(journal).map_err(failure)?;
    if let Some(unfinished) = &unfinished {
        let so_far = match unfinished.progress() {
            RunProgress::Untouched => 0,
            RunProgress::Mixed(replaced) => replaced,
            RunProgress::Complete => unfinished.record().files.len(),
        };
        let (state, ways_out) = interruption(unfinished.record(), so_far);
        console.note(&format!("{state}\n  help: {ways_out}\n"))?;
    }
    warn_of_damage(journal, console)?;
    let line = |(number, record): &(u32, Record)| {
        format!("{number}  {}  {}  {}\n", visible(&record.time), plural(record.left(), "file"), visible(&record.label))
    };
    let records = journal.records().map_err(failure)?;
    if records.is_empty() && unfinished.is_some() {
        return Ok(Exit::Clean);
    }
    if records.is_empty() {
        return nothing(&format!("nothing to undo in {top}"), console);
    }
    console.print(&records.iter().map(line).collect::<String>())?;
    Ok(Exit::Clean)
}

/// Names the records that cannot be read: they are skipped.
fn warn_of_damage(journal: &Journal, console: Console) -> Result<()> {
    for (path, failure) in journal.damaged().map_err(failure)? {
        let line = format!("{}: {failure}; it is skipped", path.display());
        console.note(&format!("warning: {}\n", visible(&line)))?;
    }
    Ok(())
}

/// Adds how to go back where an interrupted run cannot be finished.
fn stopped(aborted: Aborted, action: Action) -> Error {
    anyhow!("{aborted}\n  help: {}", ways_out(action))
}

fn nothing(note: &str, console: Console) -> Result<Exit> {
    console.note(&format!("{}\n", visible_lines(note)))?;
    Ok(Exit::Clean)
}

/// Adds how to continue where changed files prevent the undo.
fn refused(aborted: Aborted, changed: ChangedFiles, action: Action) -> Error {
    let has_changed =
        aborted.failures.iter().any(|(_, failure)| matches!(failure, Failure::ChangedSince | Failure::Missing));
    match changed {
        ChangedFiles::Refuse if has_changed => {
            anyhow!("{aborted}\n  help: `--skip-changed` leaves changed files as they are and restores the others")
        }
        ChangedFiles::Refuse | ChangedFiles::Leave => run_failure(aborted, action),
    }
}
