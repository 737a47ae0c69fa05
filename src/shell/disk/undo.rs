//! Answers: how is a run that finished undone?
//!
//! Invariant: an undo is a run like any other: all of its files are written, or none.

use std::path::Path;

use super::failure::Failure;
use super::file_system::FileSystem;
use super::journal::{Journal, finished, kept};
use super::record::{Action, Record, RecordedFile};
use super::run::{Aborted, ChangedFiles, FileChange, Step, WrittenFiles};
use super::transaction::Transaction;
use crate::syntax::fingerprint::Fingerprint;

/// Undoes the run `number`, whose record is `record`: all of its files, or none. Files that are skipped stay in the record, to be undone
/// later.
///
/// # Errors
/// [`Aborted`] with every file that changed since, unless changed files are skipped, or whose old content is not there
/// any more.
pub(crate) fn undo<F: FileSystem>(
    journal: &Journal<F>,
    number: u32,
    record: &Record,
    changed: ChangedFiles,
) -> Result<WrittenFiles, Aborted> {
    let mut changes = Vec::with_capacity(record.files.len());
    let mut failures = Vec::new();
    for (at, entry) in record.files.iter().enumerate().filter(|(_, entry)| !entry.undone) {
        let path = journal.shown(&entry.place());
        match (check_unchanged(journal, &path, entry), changed) {
            (Err(Failure::ChangedSince | Failure::Missing), ChangedFiles::Leave) => {}
            (Err(failure), _) => failures.push((path, failure)),
            (Ok(()), _) => match old_content(journal, number, at, entry.before) {
                Ok(after) => changes.push(FileChange { path, before: entry.after, after }),
                Err(failure) => failures.push((journal.shown(&kept(&finished(number), at)), failure)),
            },
        }
    }
    Aborted::unless_empty(Step::Inspect, failures)?;
    Transaction::stage_as(journal, changes, Action::Undo(number), &record.label)?.commit()
}

/// Checks that the file at `path` is as its run left it: the same file, with the same content.
fn check_unchanged<F: FileSystem>(journal: &Journal<F>, path: &Path, entry: &RecordedFile) -> Result<(), Failure> {
    let place = match journal.files.target(path) {
        // A folder is there, or a link to somewhere else.
        Err(Failure::NotAFile(_) | Failure::OutsideTree | Failure::OutsidePaths | Failure::Reserved) => {
            return Err(Failure::ChangedSince);
        }
        target => target?,
    };
    let same = place == entry.place() && Fingerprint::of(&journal.files.read(&place)?) == entry.after;
    if same { Ok(()) } else { Err(Failure::ChangedSince) }
}

fn old_content<F: FileSystem>(
    journal: &Journal<F>,
    number: u32,
    at: usize,
    before: Fingerprint,
) -> Result<Vec<u8>, Failure> {
    let bytes = journal.files.read(&kept(&finished(number), at))?;
    if Fingerprint::of(&bytes) == before {
        Ok(bytes)
    } else {
        Err(Failure::Damaged("not the old content that was kept".to_owned()))
    }
}
