//! The journal of a call: where it is looked for, and the messages about an interrupted run.

use std::path::PathBuf;

use anyhow::{Error, Result, anyhow};

use crate::engine::finding::{Code, Finding, Location, Severity};
use crate::shell::disk::{self, Aborted, Action, Bounds, Failure, Journal, Record, RunProgress};
use crate::shell::report::{plural, visible};

/// Finds the bounds of a call that names `paths`.
pub(super) fn bounds(paths: &[PathBuf]) -> Result<Bounds> {
    Bounds::around(paths).map_err(|(path, failure)| anyhow!("{}: {failure}", path.display()))
}

/// Names a run in a sentence: `apply to gateway-api@1.4.1/standard`.
pub(super) fn run_name(record: &Record) -> String {
    let act = match record.action {
        Action::Apply => "apply",
        Action::Undo(_) => "undo of the apply",
    };
    if record.label.is_empty() { act.to_owned() } else { format!("{act} to {}", visible(&record.label)) }
}

/// Says how far an interrupted run got, and which commands lead out.
pub(super) fn interruption(record: &Record, replaced: usize) -> (String, &'static str) {
    let files = plural(record.files.len(), "file");
    let done = match record.action {
        Action::Apply => "replaced",
        Action::Undo(_) => "restored",
    };
    (format!("{} was interrupted: {replaced} of {files} {done}", run_name(record)), ways_out(record.action))
}

/// Names the commands that lead out of an interrupted run: `undo` always leads to the files before the apply.
pub(super) const fn ways_out(action: Action) -> &'static str {
    match action {
        Action::Apply => "`reversion undo` reverts it, `reversion apply --resume` finishes it",
        Action::Undo(_) => "`reversion undo` finishes it, `reversion apply --resume` reverts it",
    }
}

/// Turns an aborted transaction into the run's failure.
pub(super) fn failure(aborted: Aborted) -> Error {
    aborted.into()
}

/// The same for a transaction that may leave an interrupted run behind.
pub(super) fn run_failure(aborted: Aborted, action: Action) -> Error {
    if aborted.unrestored.is_empty() { failure(aborted) } else { anyhow!("{aborted}\n  help: {}", ways_out(action)) }
}

/// Looks for an interrupted run in the tree around `roots`: a plan made there would be made from old and new files.
pub(super) fn interrupted_run(roots: &[PathBuf]) -> Option<Finding> {
    let bounds = (!roots.is_empty()).then(|| Bounds::around(roots).ok())??;
    let (message, help) = match disk::inspect(&bounds) {
        Ok(None | Some((_, RunProgress::Untouched | RunProgress::Complete))) => return None,
        Ok(Some((record, RunProgress::Mixed(replaced)))) => {
            let (state, ways_out) = interruption(&record, replaced);
            (format!("an earlier {state}"), Some(ways_out.to_owned()))
        }
        Err(failure @ Failure::Denied) => {
            let message = format!("cannot check whether a run of another user was interrupted: {failure}");
            (message, Some("ask that user, or remove the journal if no run was interrupted".to_owned()))
        }
        Err(failure) => (failure.to_string(), None),
    };
    let location = Location { file: Journal::place(&bounds).display().to_string(), position: None };
    Some(Finding::new(location, Code::InterruptedRun, Severity::Error, message).maybe_help(help))
}
