//! Answers: how is a run that finished undone?
//!
//! Invariant: an undo is a run like any other: all of its files are written, or none.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::failure::Failure;
use super::file_system::FileSystem;
use super::journal::{Journal, finished, kept};
use super::record::{Action, Record, RecordedFile};
use super::run::{Aborted, ChangedFiles, FileChange, Step, WrittenFiles};
use super::transaction::Transaction;
use crate::syntax::fingerprint::Fingerprint;

/// Undoes the run `number`, whose record is `record`: all of its files, or none. Files that are skipped stay in the record, to be undone
/// later; those that have their old content again are done.
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
    let mut restored = BTreeSet::new();
    let mut failures = Vec::new();
    for (at, entry) in record.files.iter().enumerate().filter(|(_, entry)| !entry.undone) {
        let path = journal.shown(&entry.place());
        match (present(journal, &path, entry), changed) {
            (Err(Failure::ChangedSince | Failure::Missing), ChangedFiles::Leave) => {}
            (Err(failure), _) => failures.push((path, failure)),
            (Ok(present), _) if present == entry.before => drop(restored.insert(entry.place())),
            (Ok(before), _) => match old_content(journal, number, at, entry.before) {
                Ok(after) => changes.push(FileChange { path, before, after, like: Some(kept(&finished(number), at)) }),
                Err(failure) => failures.push((journal.shown(&kept(&finished(number), at)), failure)),
            },
        }
    }
    Aborted::unless_empty(Step::Inspect, failures)?;
    if !restored.is_empty() {
        journal.note_undone(number, &restored)?;
    }
    Transaction::stage_as(journal, changes, Action::Undo(number), &record.label)?.commit()
}

/// Returns what the file at `path` has: what its run left there, or again what was there before it.
///
/// # Errors
/// The file is gone, or another one, or has something else.
fn present<F: FileSystem>(journal: &Journal<F>, path: &Path, entry: &RecordedFile) -> Result<Fingerprint, Failure> {
    let is_nothing = entry.before.is_of_nothing() || entry.after.is_of_nothing();
    let place = match journal.files.target(path) {
        Err(Failure::Missing) if is_nothing => return Ok(Fingerprint::of(&[])),
        // A folder is there, or a link to somewhere else.
        Err(Failure::NotAFile(_) | Failure::OutsideTree | Failure::OutsidePaths | Failure::Reserved) => {
            return Err(Failure::ChangedSince);
        }
        target => target?,
    };
    let present = Fingerprint::of(&journal.files.read(&place)?);
    let is_known = place == entry.place() && (present == entry.after || present == entry.before);
    if is_known { Ok(present) } else { Err(Failure::ChangedSince) }
}

/// Returns the files of the run `number` that are not undone and gone, each with the file that its old content is kept in.
pub(crate) fn gone<F: FileSystem>(journal: &Journal<F>, number: u32, record: &Record) -> Vec<(PathBuf, PathBuf)> {
    // What the run made or removed may be missing.
    let is_content = |entry: &RecordedFile| ![entry.before, entry.after].iter().any(|content| content.is_of_nothing());
    let left = record.files.iter().enumerate().filter(|(_, entry)| !entry.undone && is_content(entry));
    let shown = left.map(|(at, entry)| (journal.shown(&entry.place()), journal.shown(&kept(&finished(number), at))));
    shown.filter(|(path, _)| journal.files.target(path) == Err(Failure::Missing)).collect()
}

fn old_content<F: FileSystem>(
    journal: &Journal<F>,
    number: u32,
    at: usize,
    before: Fingerprint,
) -> Result<Vec<u8>, Failure> {
    if before.is_of_nothing() {
        return Ok(Vec::new());
    }
    let bytes = journal.files.read(&kept(&finished(number), at))?;
    if Fingerprint::of(&bytes) == before {
        Ok(bytes)
    } else {
        Err(Failure::Damaged("not the old content that was kept".to_owned()))
    }
}
