//! Answers: what did earlier runs do to this tree, and did the last one come to its end?
//!
//! The journal of a tree is the folder `.reversion` in its top, which git ignores and nobody else may enter:
//!
//! ```text
//! .reversion/lock                    held by the run that writes (`lock`)
//! .reversion/journal/record.json     what the run that writes replaces: there from before it makes the first new file
//! .reversion/journal/0, 1, 2 ...     the old content of each file: there from before the first file is replaced
//! .reversion/undo/7/...              the same of a run that came to its end, to be taken back by `undo`
//! ```
//!
//! A run ends by one rename, of `journal` to `undo/7`. A run that takes another one back ends by removing both records.
//! Of the records that can be taken back the newest [`MAX_RECORDS`] are kept.
//!
//! Invariant: a folder with a `record.json` is whole; one without is what a stopped run left behind, and nobody needs it.

use std::path::{Path, PathBuf};

use super::bounds::{Bounds, HOME, is_trusted};
use super::failure::Failure;
use super::files::{Disk, Files, Like};
use super::lock::Lock;
use super::record::{Act, Entry, Record};
use super::recovery::{Changed, Standing, Unfinished};
use super::transaction::{Aborted, Change, Step, Transaction, Written};
use crate::fingerprint::Fingerprint;

/// How many runs can be taken back, one after the other.
pub const MAX_RECORDS: usize = 10;

/// The name of a record in its folder.
const RECORD: &str = "record.json";

/// The journal of a tree.
#[derive(Debug)]
pub struct Journal<F: Files = Disk> {
    pub(super) files: F,
    top: PathBuf,
    _lock: Option<Lock>,
}

impl Journal {
    /// Opens the journal of the tree around `bounds` for a run that writes; makes it where there is none.
    ///
    /// # Errors
    /// [`Failure::Locked`], [`Failure::Foreign`] or what the system says, with the place.
    pub fn open(bounds: Bounds) -> Result<Self, Aborted> {
        Self::try_open(bounds).map_err(stopped)
    }

    /// Opens the journal of the tree around `bounds` where there is one; makes nothing.
    ///
    /// # Errors
    /// Those of [`Journal::open`].
    pub fn find(bounds: Bounds) -> Result<Option<Self>, Aborted> {
        let home = bounds.top().join(HOME);
        match home.symlink_metadata() {
            Ok(_) => Self::open(bounds).map(Some),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(stopped((home, error.into()))),
        }
    }

    /// Looks for a run that was stopped, and how far it had come, where this user's journal is in the tree around `bounds`; makes
    /// and changes nothing, and waits for nobody.
    ///
    /// # Errors
    /// [`Failure::Locked`] where a run is at work, [`Failure::Damaged`] or what the system says.
    pub fn look(bounds: &Bounds) -> Result<Option<(Record, Standing)>, Failure> {
        let top = bounds.top().to_path_buf();
        let is_own = |home: std::fs::Metadata| home.is_dir() && is_trusted(&top, &home);
        if !top.join(HOME).symlink_metadata().is_ok_and(is_own) {
            return Ok(None);
        }
        let journal = Self { files: Disk::open(bounds.clone())?, top, _lock: None };
        let Some(record) = journal.read(&inside("journal")).map_err(|(_, failure)| failure)? else { return Ok(None) };
        if let Ok(file) = journal.files.open_to_look(&inside("lock")) {
            Lock::is_free(&file)?;
        }
        let standing = Unfinished::look(&journal, record.clone()).standing();
        Ok(Some((record, standing)))
    }

    /// Returns where the run that writes in the tree around `bounds` says what it does.
    pub fn place(bounds: &Bounds) -> PathBuf {
        bounds.top().join(inside("journal"))
    }

    fn try_open(bounds: Bounds) -> Result<Self, (PathBuf, Failure)> {
        let top = bounds.top().to_path_buf();
        let named = |name: &str| top.join(HOME).join(name);
        let disk = Disk::open(bounds).map_err(|error| (top.clone(), error.into()))?;
        disk.make_folder(Path::new(HOME)).map_err(|error| (named(""), error.into()))?;
        let home = top.join(HOME).symlink_metadata().map_err(|error| (named(""), error.into()))?;
        if !is_trusted(&top, &home) {
            return Err((named(""), Failure::Foreign));
        }
        let file = disk.open_lock(&inside("lock")).map_err(|error| (named("lock"), error.into()))?;
        let lock = Lock::take(file).map_err(|failure| (named("lock"), failure))?;
        let journal = Self { files: disk, top: top.clone(), _lock: Some(lock) };
        journal.ignore_in_git().map_err(|failure| (named(".gitignore"), failure))?;
        Ok(journal)
    }
}

impl<F: Files> Journal<F> {
    /// Makes a journal over these files, without a lock; `top` is how their top is shown.
    pub fn on(files: F, top: &Path) -> Self {
        Self { files, top: top.to_path_buf(), _lock: None }
    }

    /// Returns the path of a place.
    pub(super) fn shown(&self, place: &Path) -> PathBuf {
        self.top.join(place)
    }

    /// Has git ignore the journal.
    fn ignore_in_git(&self) -> Result<(), Failure> {
        let (place, text) = (inside(".gitignore"), b"*\n");
        if self.files.read(&place).is_ok_and(|found| found == text) {
            return Ok(());
        }
        let new = inside(".gitignore.tmp");
        self.files.remove(&new)?;
        self.files.write_new(&new, text, Like::Private)?;
        Ok(self.files.rename(&new, &place)?)
    }

    /// Stages changes: writes every new content beside its file. `label` says what they are for.
    ///
    /// # Errors
    /// [`Aborted`] with every file that cannot be replaced, or the first whose content could not be written; then nothing
    /// is staged. Two changes of one file are [`Failure::SameFile`] unless they are the same change.
    pub fn stage(&self, changes: Vec<Change>, label: &str) -> Result<Transaction<'_, F>, Aborted> {
        Transaction::stage(self, changes, Act::Apply, label)
    }

    /// Looks for a run that was stopped before its end. What is left of one that has no record any more, or none yet, is
    /// removed.
    ///
    /// # Errors
    /// [`Failure::Damaged`] or what the system says, with the path.
    pub fn unfinished(&self) -> Result<Option<Unfinished<'_, F>>, Aborted> {
        let Some(record) = self.read(&inside("journal")).map_err(stopped)? else {
            self.cancel().map_err(stopped)?;
            return Ok(None);
        };
        Ok(Some(Unfinished::look(self, record)))
    }

    /// Returns the runs that can be taken back, the newest first, each with its number.
    ///
    /// # Errors
    /// [`Failure::Damaged`] or what the system says, with the path.
    pub fn records(&self) -> Result<Vec<(u32, Record)>, Aborted> {
        let numbers = self.numbers().map_err(stopped)?;
        let read = |number: u32| self.read(&finished(number)).map(|record| Some((number, record?))).transpose();
        numbers.into_iter().rev().filter_map(read).collect::<Result<_, _>>().map_err(stopped)
    }

    /// Takes the run `number` back, whose record is `record`: all of its files, or none.
    ///
    /// # Errors
    /// [`Aborted`] with every file that changed since, unless changed files are left alone, or whose old content is not there
    /// any more.
    pub fn take_back(&self, number: u32, record: &Record, changed: Changed) -> Result<Written, Aborted> {
        let mut changes = Vec::with_capacity(record.files.len());
        let mut failures = Vec::new();
        for (at, entry) in record.files.iter().enumerate() {
            let path = self.shown(&entry.place());
            match (self.standing_since(&path, entry), changed) {
                (Err(_), Changed::Leave) => continue,
                (Err(failure), Changed::Refuse) => failures.push((path, failure)),
                (Ok(()), _) => match self.old_content(number, at, entry.before) {
                    Ok(after) => changes.push(Change { path, before: entry.after, after }),
                    Err(failure) => failures.push((self.shown(&kept(&finished(number), at)), failure)),
                },
            }
        }
        if !failures.is_empty() {
            return Err(Aborted::new(Step::Look, failures));
        }
        if changes.is_empty() {
            self.forget(&finished(number)).map_err(|failure| stopped((self.shown(&finished(number)), failure)))?;
            return Ok(Written::default());
        }
        Transaction::stage(self, changes, Act::Undo(number), &record.label)?.commit()
    }

    /// Says whether the file at `path` is what its run left: the same file, with the same content.
    fn standing_since(&self, path: &Path, entry: &Entry) -> Result<(), Failure> {
        let place = self.files.target(path)?;
        let same = place == entry.place() && Fingerprint::of(&self.files.read(&place)?) == entry.after;
        if same { Ok(()) } else { Err(Failure::Edited) }
    }

    fn old_content(&self, number: u32, at: usize, before: Fingerprint) -> Result<Vec<u8>, Failure> {
        let bytes = self.files.read(&kept(&finished(number), at))?;
        if Fingerprint::of(&bytes) == before {
            Ok(bytes)
        } else {
            Err(Failure::Damaged("it is not the old content that was kept".to_owned()))
        }
    }

    /// Makes sure that no run was stopped before its end.
    pub(super) fn must_be_finished(&self) -> Result<(), (PathBuf, Failure)> {
        let folder = inside("journal");
        self.read(&folder)?.map_or(Ok(()), |_| Err((self.shown(&folder), Failure::Unfinished)))
    }

    /// Writes the record of a run that is about to write.
    pub(super) fn begin(&self, record: &Record) -> Result<(), (PathBuf, Failure)> {
        let folder = inside("journal");
        let new = folder.join("record.tmp");
        self.forget(&folder).map_err(|failure| (self.shown(&folder), failure))?;
        let write = || -> Result<(), Failure> {
            self.files.make_folder(&folder)?;
            self.files.write_new(&new, &record.to_bytes(), Like::Private)?;
            self.files.flush(&[&new]).map_err(|(_, failure)| failure)?;
            self.files.rename(&new, &folder.join(RECORD))?;
            self.files.flush(&[&folder, Path::new(HOME)]).map_err(|(_, failure)| failure)
        };
        write().map_err(|failure| (self.shown(&new), failure))
    }

    /// Ends the run that is written: from now on it is done.
    pub(super) fn end(&self, act: Act) -> Result<(), (PathBuf, Failure)> {
        let journal = inside("journal");
        match act {
            Act::Apply => {
                let undo = inside("undo");
                let named = |failure: Failure| (self.shown(&undo), failure);
                let number = self.numbers()?.last().map_or(1, |last| last.saturating_add(1));
                self.files.make_folder(&undo).map_err(|error| named(error.into()))?;
                self.files.rename(&journal, &finished(number)).map_err(|error| named(error.into()))?;
                // The run is done. Should the power fail before the disk knows, the next run finds all files new and ends it.
                let _known_soon = self.files.flush(&[&undo, Path::new(HOME)]);
                self.prune();
            }
            Act::Undo(number) => {
                let named = |folder: &Path| self.forget(folder).map_err(|failure| (self.shown(folder), failure));
                named(&finished(number))?;
                named(&journal)?;
            }
        }
        Ok(())
    }

    /// Takes back that a run was about to write.
    pub(super) fn cancel(&self) -> Result<(), (PathBuf, Failure)> {
        let folder = inside("journal");
        self.forget(&folder).map_err(|failure| (self.shown(&folder), failure))
    }

    /// Removes a folder of a record: the record first, so that what is left of the folder counts no more.
    fn forget(&self, folder: &Path) -> Result<(), Failure> {
        let names = self.files.names(folder)?;
        if names.is_empty() {
            return Ok(self.files.remove_folder(folder)?);
        }
        self.files.remove(&folder.join(RECORD))?;
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

    /// Returns the numbers of the folders of finished runs, in their order.
    fn numbers(&self) -> Result<Vec<u32>, (PathBuf, Failure)> {
        let folder = inside("undo");
        let names = self.files.names(&folder).map_err(|failure| (self.shown(&folder), failure))?;
        let number = |name: &std::ffi::OsString| {
            let text = name.to_str()?;
            text.parse().ok().filter(|number: &u32| number.to_string() == text)
        };
        let mut numbers: Vec<u32> = names.iter().filter_map(number).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Reads the record in `folder`, where there is one.
    fn read(&self, folder: &Path) -> Result<Option<Record>, (PathBuf, Failure)> {
        let place = folder.join(RECORD);
        let damaged = |why: String| (self.shown(&place), Failure::Damaged(why));
        match self.files.read(&place) {
            Ok(bytes) => Record::parse(&bytes).map(Some).map_err(damaged),
            Err(Failure::Missing) => Ok(None),
            Err(failure) => Err((self.shown(&place), failure)),
        }
    }
}

/// Returns a place in the journal.
pub(super) fn inside(name: &str) -> PathBuf {
    Path::new(HOME).join(name)
}

/// Returns the folder of the finished run `number`.
fn finished(number: u32) -> PathBuf {
    inside("undo").join(number.to_string())
}

/// Returns the place of the old content of the file number `at` of the run whose record is in `folder`.
pub(super) fn kept(folder: &Path, at: usize) -> PathBuf {
    folder.join(at.to_string())
}

fn stopped(failure: (PathBuf, Failure)) -> Aborted {
    Aborted::new(Step::Journal, vec![failure])
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::disk::sample::{Sample, new, old};

    /// Writes `to` into every file of the tree, whose content is `from`.
    fn write(tree: &Sample, from: &[u8], to: &[u8]) {
        let change = |path| Change { path, before: Fingerprint::of(from), after: to.to_vec() };
        let changes = tree.paths().into_iter().map(change).collect();
        tree.journal().stage(changes, &String::from_utf8_lossy(to)).unwrap().commit().unwrap();
    }

    fn take_back(tree: &Sample, changed: Changed) -> Result<Written, Aborted> {
        let journal = tree.journal();
        let (number, record) = journal.records().unwrap().swap_remove(0);
        journal.take_back(number, &record, changed)
    }

    #[test]
    fn runs_are_taken_back_one_after_the_other() {
        let tree = Sample::new(&["a.yaml"]);
        let path = tree.top.join("a.yaml");
        for (from, to) in [("old a.yaml\n", "1"), ("1", "2"), ("2", "3")] {
            write(&tree, from.as_bytes(), to.as_bytes());
        }
        let labels: Vec<_> =
            tree.journal().records().unwrap().into_iter().map(|(number, record)| (number, record.label)).collect();
        assert_eq!(labels, [(3, "3".to_owned()), (2, "2".to_owned()), (1, "1".to_owned())]);
        for expected in ["2", "1", "old a.yaml\n"] {
            assert_eq!(take_back(&tree, Changed::Refuse).unwrap().files, std::slice::from_ref(&path));
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
    fn where_one_file_changed_none_is_taken_back_unless_that_one_is_left_alone() {
        let tree = Sample::new(&["a.yaml", "b.yaml", "c.yaml"]);
        tree.journal().stage(tree.changes(), "").unwrap().commit().unwrap();
        fs::write(tree.top.join("b.yaml"), "edited").unwrap();
        fs::remove_file(tree.top.join("c.yaml")).unwrap();
        let before = tree.contents();
        let aborted = take_back(&tree, Changed::Refuse).unwrap_err();
        let failures = [(tree.top.join("b.yaml"), Failure::Edited), (tree.top.join("c.yaml"), Failure::Missing)];
        assert_eq!(aborted.failures, failures);
        assert_eq!(tree.contents(), before);
        assert_eq!(take_back(&tree, Changed::Leave).unwrap().files, [tree.top.join("a.yaml")]);
        assert_eq!(fs::read(tree.top.join("a.yaml")).unwrap(), old("a.yaml"));
        assert_eq!(fs::read(tree.top.join("b.yaml")).unwrap(), b"edited");
        assert_eq!(tree.journaled(), [""; 0]);
    }

    #[test]
    fn where_every_file_changed_leaving_them_alone_forgets_the_run() {
        let tree = Sample::new(&["a.yaml"]);
        tree.journal().stage(tree.changes(), "").unwrap().commit().unwrap();
        fs::write(tree.top.join("a.yaml"), "edited").unwrap();
        assert_eq!(take_back(&tree, Changed::Leave), Ok(Written::default()));
        assert_eq!(tree.journaled(), [""; 0]);
    }

    #[test]
    fn kept_content_that_somebody_wrote_to_is_not_put_back() {
        let tree = Sample::new(&["a.yaml"]);
        tree.journal().stage(tree.changes(), "").unwrap().commit().unwrap();
        let kept = tree.top.join(".reversion/undo/1/0");
        fs::write(&kept, "else").unwrap();
        let aborted = take_back(&tree, Changed::Leave).unwrap_err();
        assert!(matches!(&aborted.failures[..], [(path, Failure::Damaged(_))] if *path == kept));
        assert_eq!(tree.contents(), tree.state(new));
    }

    #[test]
    fn a_second_run_is_refused_while_one_is_at_work() {
        let tree = Sample::new(&["a.yaml"]);
        let journal = tree.journal();
        let lock = tree.top.join(".reversion/lock");
        assert_eq!(Journal::open(tree.bounds()).unwrap_err().failures, [(lock, Failure::Locked)]);
        drop(journal);
        assert!(Journal::open(tree.bounds()).is_ok(), "a lock file alone locks nobody out");
    }

    #[test]
    fn looking_at_a_journal_changes_nothing_and_waits_for_nobody() {
        let tree = Sample::new(&["a.yaml"]);
        assert_eq!(Journal::look(&tree.bounds()), Ok(None));
        assert!(!tree.top.join(".reversion/lock").exists());
        let journal = tree.journal();
        let staged = journal.stage(tree.changes(), "x").unwrap();
        assert_eq!(Journal::look(&tree.bounds()), Err(Failure::Locked));
        std::mem::forget(staged);
        drop(journal);
        let (record, standing) = Journal::look(&tree.bounds()).unwrap().unwrap();
        assert_eq!((record.label.as_str(), standing), ("x", Standing::Untouched));
        fs::write(tree.top.join(".reversion/journal/record.json"), "garbage").unwrap();
        assert!(matches!(Journal::look(&tree.bounds()), Err(Failure::Damaged(_))));
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
    fn looking_for_a_journal_makes_none() {
        let folder = tempfile::tempdir().unwrap();
        let bounds = Bounds::around(&[folder.path().to_owned()]).unwrap();
        assert!(Journal::find(bounds).unwrap().is_none());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_record_that_is_none_is_named_and_stops_all() {
        let tree = Sample::new(&["a.yaml"]);
        let place = tree.top.join(".reversion/journal/record.json");
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(&place, "{").unwrap();
        let journal = tree.journal();
        let found = journal.unfinished().unwrap_err();
        assert!(matches!(&found.failures[..], [(path, Failure::Damaged(_))] if *path == place));
        assert!(journal.stage(tree.changes(), "").is_err());
        assert_eq!(tree.contents(), tree.state(old));
    }

    #[cfg(unix)]
    mod unix {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};

        use super::*;

        #[test]
        fn content_mode_and_place_come_back() {
            let tree = Sample::new(&["a.yaml"]);
            let path = tree.top.join("a.yaml");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
            tree.journal().stage(tree.changes(), "").unwrap().commit().unwrap();
            take_back(&tree, Changed::Refuse).unwrap();
            assert_eq!(fs::read(&path).unwrap(), old("a.yaml"));
            assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o750);
        }

        #[test]
        fn nobody_else_may_look_into_a_journal() {
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
            tree.journal().stage(tree.changes(), "").unwrap().commit().unwrap();
            fs::rename(tree.top.join("a.yaml"), tree.top.join("b.yaml")).unwrap();
            symlink("b.yaml", tree.top.join("a.yaml")).unwrap();
            let aborted = take_back(&tree, Changed::Refuse).unwrap_err();
            assert_eq!(aborted.failures, [(tree.top.join("a.yaml"), Failure::Edited)]);
            assert_eq!(fs::read(tree.top.join("b.yaml")).unwrap(), new("a.yaml"));
        }

        #[test]
        #[expect(clippy::print_stderr, reason = "a test that has nothing to see says so")]
        fn a_journal_of_another_user_is_not_trusted() {
            let tree = Sample::new(&["a.yaml"]);
            let home = tree.top.join(".reversion");
            if chown(&home, Some(4321), None).is_err() {
                return eprintln!("skipped: a_journal_of_another_user_is_not_trusted: only root gives folders away");
            }
            let failures = Journal::open(tree.bounds()).unwrap_err().failures;
            assert_eq!(failures, [(home.join(""), Failure::Foreign)]);
            chown(&tree.top, Some(4321), None).unwrap();
            assert!(Journal::open(tree.bounds()).is_ok(), "the tree is that user's too");
        }
    }
}
