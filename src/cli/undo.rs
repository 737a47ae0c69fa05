//! The subcommand `undo`, and `apply --resume`: back to what the files were, or on to what a stopped run makes of them.

use std::path::PathBuf;

use anyhow::{Error, Result, anyhow};

use super::Exit;
use super::args::UndoArgs;
use super::console::Console;
use super::write::bounds;
use crate::disk::{self, Aborted, Action, ChangedFiles, Failure, Journal, Record, RunProgress, Unfinished};
use crate::report::{plural, visible, visible_lines};

/// Runs `undo`.
pub(super) fn run(args: &UndoArgs, console: Console) -> Result<Exit> {
    let bounds = bounds(std::slice::from_ref(&args.path))?.whole();
    let top = bounds.top().display().to_string();
    let Some(journal) = Journal::find(bounds).map_err(told)? else {
        return nothing(
            &format!("nothing to take back: {top} has no journal (`reversion undo FOLDER` looks elsewhere)"),
            console,
        );
    };
    if args.list {
        return list(&journal, console);
    }
    let changed = if args.skip_changed { ChangedFiles::Leave } else { ChangedFiles::Refuse };
    if let Some(exit) = take_back_unfinished(&journal, changed, console)? {
        return Ok(exit);
    }
    let records = journal.records().map_err(told)?;
    let Some((number, record)) = records.first() else {
        return nothing(&format!("nothing to take back in {top}"), console);
    };
    let written = disk::undo(&journal, *number, record, changed).map_err(|aborted| refused(aborted, changed))?;
    let left = record.files.len() - written.files.len();
    let left = if left == 0 { String::new() } else { format!("; {} left as they are", plural(left, "changed file")) };
    console.note(&format!("took back {} of the {}{left}\n", plural(written.files.len(), "file"), run_name(record)))?;
    Ok(Exit::Clean)
}

/// Takes back a run that was stopped. `None` where there is none, or where the tree is new and its last run is still to be taken
/// back.
fn take_back_unfinished(journal: &Journal, changed: ChangedFiles, console: Console) -> Result<Option<Exit>> {
    let Some(unfinished) = Unfinished::find(journal).map_err(told)? else { return Ok(None) };
    let run = run_name(unfinished.record());
    let (files, note) = match (unfinished.record().action, unfinished.progress()) {
        // What is left to do is done by taking back a run that came to its end.
        (Action::Apply, RunProgress::Complete) => return unfinished.roll_forward().map(|_| None).map_err(told),
        (Action::Undo(_), RunProgress::Untouched) => return unfinished.roll_back(changed).map(|_| None).map_err(told),
        (Action::Apply, RunProgress::Untouched) => {
            unfinished.roll_back(changed).map_err(told)?;
            return nothing(
                &format!("the {run} had been stopped before it replaced a file; what it left is removed"),
                console,
            )
            .map(Some);
        }
        (Action::Apply, RunProgress::Mixed(_)) => (
            unfinished.roll_back(changed).map_err(|aborted| refused(aborted, changed))?,
            "that had been stopped half-way",
        ),
        (Action::Undo(_), _) => (unfinished.roll_forward().map_err(told)?, "that had been begun is finished"),
    };
    console.note(&format!("took back {} of the {run} {note}\n", plural(files.len(), "file")))?;
    Ok(Some(Exit::Clean))
}

/// Finishes an apply that was stopped; an undo that was stopped is taken back itself.
pub(super) fn resume(paths: &[PathBuf], console: Console) -> Result<Exit> {
    let bounds = bounds(paths)?.whole();
    let nothing_there = "nothing to finish: no apply was stopped here";
    let Some(journal) = Journal::find(bounds).map_err(told)? else { return nothing(nothing_there, console) };
    let Some(unfinished) = Unfinished::find(&journal).map_err(told)? else { return nothing(nothing_there, console) };
    let run = run_name(unfinished.record());
    let files = match (unfinished.record().action, unfinished.progress()) {
        (Action::Undo(_), RunProgress::Complete) => {
            unfinished.roll_forward().map_err(told)?;
            return nothing(&format!("the {run} had come to its end"), console);
        }
        (Action::Undo(_), _) => unfinished.roll_back(ChangedFiles::Refuse).map_err(told)?,
        (Action::Apply, RunProgress::Untouched) => match unfinished.roll_forward() {
            Ok(files) => files,
            Err(_) => {
                unfinished.roll_back(ChangedFiles::Leave).map_err(told)?;
                console.note(&format!(
                    "the {run} had been stopped before it replaced a file, and cannot be finished; what it left is removed: apply again\n"
                ))?;
                return Ok(Exit::Changes);
            }
        },
        (Action::Apply, _) => unfinished.roll_forward().map_err(told)?,
    };
    console.note(&format!("finished the {run}: {} replaced\n", plural(files.len(), "more file")))?;
    Ok(Exit::Clean)
}

/// Lists what can be taken back.
fn list(journal: &Journal, console: Console) -> Result<Exit> {
    if let Some(unfinished) = Unfinished::find(journal).map_err(told)? {
        let so_far = match unfinished.progress() {
            RunProgress::Untouched => 0,
            RunProgress::Mixed(replaced) => replaced,
            RunProgress::Complete => unfinished.record().files.len(),
        };
        let files = plural(unfinished.record().files.len(), "file");
        console.note(&format!("{}: stopped, {so_far} of {files} replaced\n", run_name(unfinished.record())))?;
    }
    let line = |(number, record): &(u32, Record)| {
        format!(
            "{number}  {}  {}  {}\n",
            visible(&record.time),
            plural(record.files.len(), "file"),
            visible(&record.label)
        )
    };
    let records = journal.records().map_err(told)?;
    console.print(&records.iter().map(line).collect::<String>())?;
    Ok(Exit::Clean)
}

fn nothing(note: &str, console: Console) -> Result<Exit> {
    console.note(&format!("{}\n", visible_lines(note)))?;
    Ok(Exit::Clean)
}

/// Names a run in a sentence: `apply to gateway-api@1.4.1/standard`.
pub(super) fn run_name(record: &Record) -> String {
    let act = match record.action {
        Action::Apply => "apply",
        Action::Undo(_) => "undo of the apply",
    };
    if record.label.is_empty() { act.to_owned() } else { format!("{act} to {}", visible(&record.label)) }
}

/// Turns a failed transaction into the run's failure.
pub(super) fn told(aborted: Aborted) -> Error {
    if aborted.unrestored.is_empty() {
        aborted.into()
    } else {
        anyhow!(
            "{aborted}\n  help: `reversion undo` takes back what is new, `reversion apply --resume` replaces the others"
        )
    }
}

/// Says how to go on where changed files are in the way.
fn refused(aborted: Aborted, changed: ChangedFiles) -> Error {
    let has_changed =
        aborted.failures.iter().any(|(_, failure)| matches!(failure, Failure::ChangedSince | Failure::Missing));
    match changed {
        ChangedFiles::Refuse if has_changed => {
            anyhow!("{aborted}\n  help: `--skip-changed` leaves changed files as they are and takes back the others")
        }
        ChangedFiles::Refuse | ChangedFiles::Leave => told(aborted),
    }
}
