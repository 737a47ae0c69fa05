//! Answers: what did earlier runs do to this tree, and did the last one finish?
//!
//! The journal of a tree is the folder `.reversion` at its top, which git ignores and only this user may enter:
//!
//! ```text
//! .reversion/lock                    held by the run that writes (`lock`)
//! .reversion/journal/record.json     what the current run replaces: written before it creates the first new file
//! .reversion/journal/0, 1, 2 ...     the old content of each file: kept before the first file is replaced
//! .reversion/undo/7/...              the same for a run that finished, for `undo`
//! ```
//!
//! A run ends by one rename, of `journal` to `undo/7`. A run that undoes another one ends by removing both records.
//! Of the records that can be undone the newest [`MAX_RECORDS`] are kept.
//!
//! Invariant: a folder with a `record.json` is complete; one without it was left by an interrupted run and is not needed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::bounds::{Bounds, JOURNAL_FOLDER, is_trusted};
use super::failure::Failure;
use super::file_system::{Disk, FileMode, FileSystem};
use super::lock::Lock;
use super::record::{Action, Record, RecordedFile};
use super::run::{Aborted, Step};

/// How many runs can be undone, one after the other.
pub(crate) const MAX_RECORDS: usize = 10;

/// The name of a record in its folder.
const RECORD: &str = "record.json";

/// The journal of a tree.
#[derive(Debug)]
pub(crate) struct Journal<F: FileSystem = Disk> {
    pub(super) files: F,
    top: PathBuf,
    _lock: Option<Lock>,
}

impl Journal {
    /// Opens the journal of the tree around `bounds` for a run that writes; creates it if there is none.
    ///
    /// # Errors
    /// [`Failure::Locked`], [`Failure::OtherUser`] or the error of the system, with the place.
    pub(crate) fn open(bounds: Bounds) -> Result<Self, Aborted> {
        let top = bounds.top().to_path_buf();
        let folder = top.join(JOURNAL_FOLDER);
        let disk = Disk::open(bounds).map_err(Aborted::at(Step::Journal, &top))?;
        disk.make_folder(Path::new(JOURNAL_FOLDER)).map_err(Aborted::at(Step::Journal, &folder))?;
        let metadata = folder.symlink_metadata().map_err(Aborted::at(Step::Journal, &folder))?;
        if !is_trusted(&top, &metadata) {
            return Err(Aborted::at(Step::Journal, &folder)(Failure::OtherUser));
        }
        let place = folder.join("lock");
        let file = disk.open_lock(&inside("lock")).map_err(Aborted::at(Step::Journal, &place))?;
        let lock = Lock::take(file).map_err(Aborted::at(Step::Journal, &place))?;
        let journal = Self { files: disk, top, _lock: Some(lock) };
        journal.ignore_in_git().map_err(Aborted::at(Step::Journal, &folder.join(".gitignore")))?;
        Ok(journal)
    }

    /// Opens the journal of the tree around `bounds` if there is one; creates nothing.
    ///
    /// # Errors
    /// Those of [`Journal::open`].
    pub(crate) fn find(bounds: Bounds) -> Result<Option<Self>, Aborted> {
        let folder = bounds.top().join(JOURNAL_FOLDER);
        match folder.symlink_metadata() {
            Ok(_) => Self::open(bounds).map(Some),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Aborted::at(Step::Journal, &folder)(error)),
        }
    }

    /// Opens the journal of this user in the tree around `bounds` if it holds the record of a run; creates and changes nothing, and
    /// does not wait for a lock.
    pub(super) fn peek(bounds: &Bounds) -> Result<Option<(Self, Record)>, Failure> {
        let top = bounds.top().to_path_buf();
        let is_own = |folder: std::fs::Metadata| folder.is_dir() && is_trusted(&top, &folder);
        if !top.join(JOURNAL_FOLDER).symlink_metadata().is_ok_and(is_own) {
            return Ok(None);
        }
        let journal = Self { files: Disk::open(bounds.clone())?, top, _lock: None };
        let Some(record) = journal.read(&inside("journal"))? else { return Ok(None) };
        if let Ok(file) = journal.files.open_existing_lock(&inside("lock")) {
            Lock::is_free(&file)?;
        }
        Ok(Some((journal, record)))
    }

    /// Returns the folder in which a run in the tree around `bounds` records what it does.
    pub(crate) fn place(bounds: &Bounds) -> PathBuf {
        bounds.top().join(inside("journal"))
    }
}

impl<F: FileSystem> Journal<F> {
    /// Creates a journal over these files, without a lock; `top` is how their top is shown.
    #[cfg(test)]
    pub(crate) fn on(files: F, top: &Path) -> Self {
        Self { files, top: top.to_path_buf(), _lock: None }
    }

    /// Returns the path of a place.
    pub(super) fn shown(&self, place: &Path) -> PathBuf {
        self.top.join(place)
    }

    /// Makes git ignore the journal.
    fn ignore_in_git(&self) -> Result<(), Failure> {
        let (place, text) = (inside(".gitignore"), b"*\n");
        if self.files.read(&place).is_ok_and(|present| present == text) {
            return Ok(());
        }
        let new = inside(".gitignore.tmp");
        self.files.remove(&new)?;
        self.files.write_new(&new, text, FileMode::Private)?;
        Ok(self.files.rename(&new, &place)?)
    }

    /// Returns the runs that can be undone, the newest first, each with its number. A damaged record is none.
    ///
    /// # Errors
    /// The error of the system, with the path.
    pub(crate) fn records(&self) -> Result<Vec<(u32, Record)>, Aborted> {
        let mut records = Vec::new();
        for number in self.numbers()?.into_iter().rev() {
            match self.read(&finished(number)) {
                Ok(record) => records.extend(record.map(|record| (number, record))),
                Err(Failure::Damaged(_)) => {}
                Err(failure) => return Err(Aborted::at(Step::Journal, &self.shown(&finished(number)))(failure)),
            }
        }
        Ok(records)
    }

    /// Returns the damaged records, each with what is wrong with it.
    ///
    /// # Errors
    /// The error of the system, with the path.
    pub(crate) fn damaged(&self) -> Result<Vec<(PathBuf, Failure)>, Aborted> {
        let damaged = |number: u32| {
            let place = finished(number).join(RECORD);
            let failure = self.read(&finished(number)).err()?;
            matches!(failure, Failure::Damaged(_)).then(|| (self.shown(&place), failure))
        };
        Ok(self.numbers()?.into_iter().filter_map(damaged).collect())
    }

    /// Returns the record of the current run, or of one that was interrupted.
    pub(super) fn current(&self) -> Result<Option<Record>, Aborted> {
        self.record_in(&inside("journal"))
    }

    /// Ensures that no run was interrupted.
    pub(super) fn refuse_unfinished(&self) -> Result<(), Aborted> {
        let folder = self.shown(&inside("journal"));
        self.current()?.map_or(Ok(()), |_| Err(Aborted::at(Step::Journal, &folder)(Failure::Unfinished)))
    }

    /// Writes the record of a run that is about to replace files.
    pub(super) fn begin(&self, record: &Record) -> Result<(), Aborted> {
        let folder = inside("journal");
        let new = folder.join("record.tmp");
        self.forget(&folder)?;
        self.write(record, &folder, &new).map_err(Aborted::at(Step::Journal, &self.shown(&new)))
    }

    /// Writes a record as the file `new` first: there is none, or all of it.
    fn write(&self, record: &Record, folder: &Path, new: &Path) -> Result<(), Failure> {
        self.files.make_folder(folder)?;
        self.files.write_new(new, &record.to_bytes(), FileMode::Private)?;
        self.files.flush(&[new]).map_err(|(_, failure)| failure)?;
        self.files.rename(new, &folder.join(RECORD))?;
        self.files.flush(&[folder, Path::new(JOURNAL_FOLDER)]).map_err(|(_, failure)| failure)
    }

    /// Ends the current run, whose record is `record`: from now on it is finished. Of a run that it undid, the files that it left out stay to be undone.
    pub(super) fn end(&self, record: &Record) -> Result<(), Aborted> {
        match record.action {
            Action::Apply => {
                let undo = inside("undo");
                let shown = self.shown(&undo);
                let number = next(&self.numbers()?);
                self.files.make_folder(&undo).map_err(Aborted::at(Step::Journal, &shown))?;
                let renamed = self.files.rename(&inside("journal"), &finished(number));
                renamed.map_err(Aborted::at(Step::Journal, &shown))?;
                // The run is finished. If the power fails before this is flushed, the next run finds all files new and ends it.
                let _known_soon = self.files.flush(&[&undo, Path::new(JOURNAL_FOLDER)]);
                self.prune();
                Ok(())
            }
            Action::Undo(number) => {
                self.note_undone(number, &record.files.iter().map(RecordedFile::place).collect())?;
                self.cancel()
            }
        }
    }

    /// Notes that these files of the run `number` are undone; where all are, nothing of it is left.
    pub(super) fn note_undone(&self, number: u32, undone: &BTreeSet<PathBuf>) -> Result<(), Aborted> {
        let folder = finished(number);
        let Some(mut whole) = self.record_in(&folder)? else { return Ok(()) };
        for file in &mut whole.files {
            file.undone |= undone.contains(&file.place());
        }
        if whole.left() == 0 { self.forget(&folder) } else { self.rewrite(&whole, &folder) }
    }

    /// Replaces the record in `folder`.
    pub(super) fn rewrite(&self, record: &Record, folder: &Path) -> Result<(), Aborted> {
        let new = folder.join("record.tmp");
        let removed = self.files.remove(&new).map_err(Failure::from);
        removed.and_then(|()| self.write(record, folder, &new)).map_err(Aborted::at(Step::Journal, &self.shown(&new)))
    }

    /// Removes the record of a run that is not going to write.
    pub(super) fn cancel(&self) -> Result<(), Aborted> {
        self.forget(&inside("journal"))
    }

    /// Removes a folder of a record: the record first, so that what is left of the folder no longer counts.
    pub(super) fn forget(&self, folder: &Path) -> Result<(), Aborted> {
        self.remove(folder).map_err(Aborted::at(Step::Journal, &self.shown(folder)))
    }

    fn remove(&self, folder: &Path) -> Result<(), Failure> {
        let names = self.files.names(folder)?;
        if !names.is_empty() {
            self.files.remove(&folder.join(RECORD))?;
        }
        for name in names.iter().filter(|name| *name != RECORD) {
            self.files.remove(&folder.join(name))?;
        }
        Ok(self.files.remove_folder(folder)?)
    }

    /// Removes what is older than the newest records. What cannot be removed stays until the next run.
    fn prune(&self) {
        let (mut whole, mut remains) = (Vec::new(), Vec::new());
        for number in self.numbers().unwrap_or_default() {
            match self.files.names(&finished(number)) {
                Ok(names) if names.iter().any(|name| name == RECORD) => whole.push(number),
                Ok(_) => remains.push(number),
                Err(_) => {}
            }
        }
        let old = whole.len().saturating_sub(MAX_RECORDS);
        for number in remains.iter().chain(&whole[..old]) {
            let _until_the_next_run = self.forget(&finished(*number));
        }
    }

    /// Returns the numbers of the folders of finished runs, in order.
    fn numbers(&self) -> Result<Vec<u32>, Aborted> {
        let folder = inside("undo");
        let names = self.files.names(&folder).map_err(Aborted::at(Step::Journal, &self.shown(&folder)))?;
        let number = |name: &std::ffi::OsString| {
            let text = name.to_str()?;
            text.parse().ok().filter(|number: &u32| number.to_string() == text)
        };
        let mut numbers: Vec<u32> = names.iter().filter_map(number).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Reads the record in `folder`, if there is one.
    fn record_in(&self, folder: &Path) -> Result<Option<Record>, Aborted> {
        self.read(folder).map_err(Aborted::at(Step::Journal, &self.shown(&folder.join(RECORD))))
    }

    fn read(&self, folder: &Path) -> Result<Option<Record>, Failure> {
        match self.files.read(&folder.join(RECORD)) {
            Ok(bytes) => Record::parse(&bytes).map(Some).map_err(Failure::Damaged),
            Err(Failure::Missing) => Ok(None),
            Err(failure) => Err(failure),
        }
    }
}

/// Returns a number above those of the runs before: the next one, unless something that is no run has the last number there is.
fn next(numbers: &[u32]) -> u32 {
    let free = |number: &u32| !numbers.contains(number);
    numbers.iter().rev().filter_map(|number| number.checked_add(1)).find(free).unwrap_or(1)
}

/// Returns a place in the journal.
pub(super) fn inside(name: &str) -> PathBuf {
    Path::new(JOURNAL_FOLDER).join(name)
}

/// Returns the folder of the finished run `number`.
pub(super) fn finished(number: u32) -> PathBuf {
    inside("undo").join(number.to_string())
}

/// Returns the place of the old content of the file number `at` of the run whose record is in `folder`.
pub(super) fn kept(folder: &Path, at: usize) -> PathBuf {
    folder.join(at.to_string())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::shell::disk::recovery::{RunProgress, Unfinished, inspect};
    use crate::shell::disk::run::{ChangedFiles, FileChange, WrittenFiles};
    use crate::shell::disk::sample::{Sample, new, old};
    use crate::shell::disk::transaction::Transaction;
    use crate::shell::disk::undo::undo;
    use crate::syntax::fingerprint::Fingerprint;

    /// Writes `to` into every file of the tree, whose content is `from`.
    fn write(tree: &Sample, from: &[u8], to: &[u8]) {
        let change = |path| FileChange { path, before: Fingerprint::of(from), after: to.to_vec(), like: None };
        let changes = tree.paths().into_iter().map(change).collect();
        Transaction::stage(&tree.journal(), changes, &String::from_utf8_lossy(to)).unwrap().commit().unwrap();
    }

    fn undo_last(tree: &Sample, changed: ChangedFiles) -> Result<WrittenFiles, Aborted> {
        let journal = tree.journal();
        let (number, record) = journal.records().unwrap().swap_remove(0);
        undo(&journal, number, &record, changed)
    }

    #[test]
    fn runs_are_undone_one_after_the_other() {
        let tree = Sample::new(&["a.yaml"]);
        let path = tree.top.join("a.yaml");
        for (from, to) in [("old a.yaml\n", "1"), ("1", "2"), ("2", "3")] {
            write(&tree, from.as_bytes(), to.as_bytes());
        }
        let labels: Vec<_> =
            tree.journal().records().unwrap().into_iter().map(|(number, record)| (number, record.label)).collect();
        assert_eq!(labels, [(3, "3".to_owned()), (2, "2".to_owned()), (1, "1".to_owned())]);
        for expected in ["2", "1", "old a.yaml\n"] {
            assert_eq!(undo_last(&tree, ChangedFiles::Refuse).unwrap().files, std::slice::from_ref(&path));
            assert_eq!(fs::read(&path).unwrap(), expected.as_bytes());
        }
        assert_eq!(tree.journaled(), [""; 0]);
        assert_eq!(tree.contents().len(), 1);
    }

    #[test]
    fn only_the_newest_records_are_kept() {
        let tree = Sample::new(&["a.yaml"]);
        fs::create_dir_all(tree.top.join(".reversion/undo/1")).unwrap();
        fs::write(tree.top.join(".reversion/undo/1/0"), "left by a stopped run").unwrap();
        let mut before = old("a.yaml");
        for at in 0..MAX_RECORDS + 3 {
            let after = at.to_string().into_bytes();
            write(&tree, &before, &after);
            before = after;
        }
        let numbers: Vec<_> = tree.journal().records().unwrap().into_iter().map(|(number, _)| number).collect();
        let newest = u32::try_from(MAX_RECORDS + 4).unwrap();
        assert_eq!(numbers, (5..=newest).rev().collect::<Vec<_>>(), "numbers 1 to 4 are gone");
        assert_eq!(tree.journaled().len(), MAX_RECORDS);
    }

    #[test]
    fn if_one_file_changed_none_is_undone_unless_that_one_is_skipped() {
        let tree = Sample::new(&["a.yaml", "b.yaml", "c.yaml"]);
        Transaction::stage(&tree.journal(), tree.changes(), "").unwrap().commit().unwrap();
        fs::write(tree.top.join("b.yaml"), "edited").unwrap();
        fs::remove_file(tree.top.join("c.yaml")).unwrap();
        let before = tree.contents();
        let aborted = undo_last(&tree, ChangedFiles::Refuse).unwrap_err();
        let failures = [(tree.top.join("b.yaml"), Failure::ChangedSince), (tree.top.join("c.yaml"), Failure::Missing)];
        assert_eq!(aborted.failures, failures);
        assert_eq!(tree.contents(), before);
        assert_eq!(undo_last(&tree, ChangedFiles::Leave).unwrap().files, [tree.top.join("a.yaml")]);
        assert_eq!(fs::read(tree.top.join("a.yaml")).unwrap(), old("a.yaml"));
        assert_eq!(fs::read(tree.top.join("b.yaml")).unwrap(), b"edited");
        // What was skipped can still be undone, when it is again what the run made of it.
        assert_eq!(undo_last(&tree, ChangedFiles::Leave).unwrap().files, [] as [PathBuf; 0]);
        for name in ["b.yaml", "c.yaml"] {
            fs::write(tree.top.join(name), new(name)).unwrap();
        }
        assert_eq!(
            undo_last(&tree, ChangedFiles::Refuse).unwrap().files,
            [tree.top.join("b.yaml"), tree.top.join("c.yaml")]
        );
        assert_eq!(tree.contents(), tree.state(old));
        assert_eq!(tree.journaled(), [""; 0]);
    }

    #[test]
    fn a_number_that_no_run_has_and_a_damaged_record_block_nothing() {
        let tree = Sample::new(&["a.yaml"]);
        write(&tree, &old("a.yaml"), b"1");
        let last = tree.top.join(format!(".reversion/undo/{}", u32::MAX));
        fs::create_dir_all(&last).unwrap();
        fs::write(last.join("record.json"), "{").unwrap();
        write(&tree, b"1", b"2");
        let journal = tree.journal();
        let numbers: Vec<_> = journal.records().unwrap().into_iter().map(|(number, _)| number).collect();
        assert_eq!(numbers, [2, 1]);
        let damaged = journal.damaged().unwrap();
        assert!(matches!(&damaged[..], [(path, Failure::Damaged(_))] if *path == last.join("record.json")));
        drop(journal);
        undo_last(&tree, ChangedFiles::Refuse).unwrap();
        assert_eq!(fs::read(tree.top.join("a.yaml")).unwrap(), b"1");
    }

    #[test]
    fn kept_content_that_was_modified_is_not_restored() {
        let tree = Sample::new(&["a.yaml"]);
        Transaction::stage(&tree.journal(), tree.changes(), "").unwrap().commit().unwrap();
        let kept = tree.top.join(".reversion/undo/1/0");
        fs::write(&kept, "else").unwrap();
        let aborted = undo_last(&tree, ChangedFiles::Leave).unwrap_err();
        assert!(matches!(&aborted.failures[..], [(path, Failure::Damaged(_))] if *path == kept));
        assert_eq!(tree.contents(), tree.state(new));
    }

    #[test]
    fn a_second_run_is_refused_while_one_is_running() {
        let tree = Sample::new(&["a.yaml"]);
        let journal = tree.journal();
        let lock = tree.top.join(".reversion/lock");
        assert_eq!(Journal::open(tree.bounds()).unwrap_err().failures, [(lock, Failure::Locked)]);
        drop(journal);
        assert!(Journal::open(tree.bounds()).is_ok(), "a lock file alone locks nobody out");
    }

    #[test]
    fn inspecting_a_journal_changes_nothing_and_does_not_wait() {
        let tree = Sample::new(&["a.yaml"]);
        assert_eq!(inspect(&tree.bounds()), Ok(None));
        assert!(!tree.top.join(".reversion/lock").exists());
        let journal = tree.journal();
        let staged = Transaction::stage(&journal, tree.changes(), "x").unwrap();
        assert_eq!(inspect(&tree.bounds()), Err(Failure::Locked));
        std::mem::forget(staged);
        drop(journal);
        let (record, progress) = inspect(&tree.bounds()).unwrap().unwrap();
        assert_eq!((record.label.as_str(), progress), ("x", RunProgress::Untouched));
        fs::write(tree.top.join(".reversion/journal/record.json"), "garbage").unwrap();
        assert!(matches!(inspect(&tree.bounds()), Err(Failure::Damaged(_))));
    }

    #[test]
    fn git_ignores_the_journal() {
        let tree = Sample::new(&["a.yaml"]);
        let ignore = tree.top.join(".reversion/.gitignore");
        for text in [None, Some(""), Some("*\n")] {
            if let Some(text) = text {
                fs::write(&ignore, text).unwrap();
            }
            drop(tree.journal());
            assert_eq!(fs::read(&ignore).unwrap(), b"*\n");
        }
    }

    #[test]
    fn checking_for_a_journal_creates_none() {
        let folder = tempfile::tempdir().unwrap();
        let bounds = Bounds::around(&[folder.path().to_owned()]).unwrap();
        assert!(Journal::find(bounds).unwrap().is_none());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn an_invalid_record_is_reported_and_stops_everything() {
        let tree = Sample::new(&["a.yaml"]);
        let place = tree.top.join(".reversion/journal/record.json");
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(&place, "{").unwrap();
        let journal = tree.journal();
        let found = Unfinished::find(&journal).unwrap_err();
        assert!(matches!(&found.failures[..], [(path, Failure::Damaged(_))] if *path == place));
        assert!(Transaction::stage(&journal, tree.changes(), "").is_err());
        assert_eq!(tree.contents(), tree.state(old));
    }

    #[cfg(unix)]
    mod unix {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};

        use super::*;

        #[test]
        fn content_mode_and_path_are_restored() {
            let tree = Sample::new(&["a.yaml"]);
            let path = tree.top.join("a.yaml");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
            Transaction::stage(&tree.journal(), tree.changes(), "").unwrap().commit().unwrap();
            undo_last(&tree, ChangedFiles::Refuse).unwrap();
            assert_eq!(fs::read(&path).unwrap(), old("a.yaml"));
            assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o750);
        }

        #[test]
        fn a_file_that_is_only_read_only_is_not_skipped() {
            let tree = Sample::new(&["a.yaml"]);
            let path = tree.top.join("a.yaml");
            Transaction::stage(&tree.journal(), tree.changes(), "").unwrap().commit().unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
            let aborted = undo_last(&tree, ChangedFiles::Leave).unwrap_err();
            assert_eq!(aborted.failures, [(path, Failure::ReadOnly)]);
        }

        #[test]
        fn no_other_user_may_read_a_journal() {
            let folder = tempfile::tempdir().unwrap();
            drop(Journal::open(Bounds::around(&[folder.path().to_owned()]).unwrap()).unwrap());
            assert_eq!(fs::metadata(folder.path().join(".reversion")).unwrap().mode() & 0o777, 0o700);
        }

        #[test]
        fn a_journal_that_is_a_link_is_refused() {
            let folder = tempfile::tempdir().unwrap();
            let top = folder.path().canonicalize().unwrap();
            fs::create_dir(top.join("elsewhere")).unwrap();
            fs::create_dir(top.join("tree")).unwrap();
            symlink("../elsewhere", top.join("tree/.reversion")).unwrap();
            let bounds = || Bounds::around(&[top.join("tree")]).unwrap();
            assert!(Journal::open(bounds()).is_err());
            assert!(Journal::find(bounds()).is_err());
            assert_eq!(fs::read_dir(top.join("elsewhere")).unwrap().count(), 0);
        }

        #[test]
        fn a_file_that_became_a_link_to_the_same_content_is_not_written_through() {
            let tree = Sample::new(&["a.yaml"]);
            Transaction::stage(&tree.journal(), tree.changes(), "").unwrap().commit().unwrap();
            fs::rename(tree.top.join("a.yaml"), tree.top.join("b.yaml")).unwrap();
            symlink("b.yaml", tree.top.join("a.yaml")).unwrap();
            let aborted = undo_last(&tree, ChangedFiles::Refuse).unwrap_err();
            assert_eq!(aborted.failures, [(tree.top.join("a.yaml"), Failure::ChangedSince)]);
            assert_eq!(fs::read(tree.top.join("b.yaml")).unwrap(), new("a.yaml"));
        }

        #[test]
        #[expect(clippy::print_stderr, reason = "a test that has nothing to see says so")]
        fn a_journal_of_another_user_is_not_trusted() {
            let tree = Sample::new(&["a.yaml"]);
            let folder = tree.top.join(".reversion");
            if chown(&folder, Some(4321), None).is_err() {
                return eprintln!("skipped: a_journal_of_another_user_is_not_trusted: only root gives folders away");
            }
            let failures = Journal::open(tree.bounds()).unwrap_err().failures;
            assert_eq!(failures, [(folder.join(""), Failure::OtherUser)]);
            chown(&tree.top, Some(4321), None).unwrap();
            assert!(Journal::open(tree.bounds()).is_ok(), "the tree is that user's too");
        }
    }
}
