//! Answers: how is an interrupted run finished or rolled back?
//!
//! The record has the old and the new fingerprint of each file; the files themselves show how far the run got. Before the first file is
//! replaced, all old content is kept and all new content is next to its file, both flushed. Replacing a file consumes its new
//! content; restoring it consumes the old one. So a file of neither content was edited after it was replaced when its old
//! content is there and its new content is not, and otherwise before.
//!
//! Invariant: each step leaves a state from which the same recovery, started again, reaches the same end.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::backup::{keep, restore};
use super::bounds::{Bounds, parent};
use super::failure::Failure;
use super::file_system::FileSystem;
use super::journal::{Journal, inside, kept};
use super::record::Record;
use super::run::{Aborted, ChangedFiles, Failures, Step};
use crate::syntax::fingerprint::Fingerprint;

/// How far a run got before it was interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunProgress {
    /// No file had been replaced.
    Untouched,
    /// This many files had been replaced, and others not.
    Mixed(usize),
    /// Every file had been replaced.
    Complete,
}

/// Whether a file is in the state before or after a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// It has its old content.
    Before,
    /// It has its new content.
    After,
    /// It had not been replaced, and was edited or removed since.
    EditedBefore,
    /// It had been replaced, and was edited or removed since.
    EditedAfter,
}

/// A run that was interrupted.
#[derive(Debug)]
pub(crate) struct Unfinished<'j, F: FileSystem> {
    journal: &'j Journal<F>,
    record: Record,
    sides: Vec<Side>,
}

impl<'j, F: FileSystem> Unfinished<'j, F> {
    /// Looks for a run that was interrupted. What is left of one that no longer has a record, or has none yet, is
    /// removed.
    ///
    /// # Errors
    /// [`Failure::Damaged`] or the error of the system, with the path.
    pub(crate) fn find(journal: &'j Journal<F>) -> Result<Option<Self>, Aborted> {
        let Some(record) = journal.current()? else {
            journal.cancel()?;
            return Ok(None);
        };
        Ok(Some(Self::of(journal, record)))
    }

    /// Compares the files on disk with `record`.
    fn of(journal: &'j Journal<F>, record: Record) -> Self {
        let mut unfinished = Self { journal, record, sides: Vec::new() };
        unfinished.sides = (0..unfinished.record.files.len()).map(|at| unfinished.side(at)).collect();
        unfinished
    }

    fn side(&self, at: usize) -> Side {
        let entry = &self.record.files[at];
        let current = self.journal.files.read(&entry.place()).map(|bytes| Fingerprint::of(&bytes));
        let is_there = |place: &Path| self.journal.files.read(place).is_ok();
        if current == Ok(entry.before) {
            Side::Before
        } else if current == Ok(entry.after) {
            Side::After
        } else if is_there(&self.kept(at)) && !is_there(&self.record.staged(at)) {
            Side::EditedAfter
        } else {
            Side::EditedBefore
        }
    }

    fn kept(&self, at: usize) -> PathBuf {
        kept(&inside("journal"), at)
    }

    /// Returns the record of the run.
    pub(crate) const fn record(&self) -> &Record {
        &self.record
    }

    /// Returns how far the run got.
    pub(crate) fn progress(&self) -> RunProgress {
        let replaced = self.sides.iter().filter(|side| matches!(side, Side::After | Side::EditedAfter)).count();
        match replaced {
            0 => RunProgress::Untouched,
            replaced if replaced == self.sides.len() => RunProgress::Complete,
            some => RunProgress::Mixed(some),
        }
    }

    /// Restores every file that had been replaced; returns the paths of those. A run that is complete is finished instead, to
    /// be undone like any other: the record of an undo may be removed already.
    ///
    /// # Errors
    /// [`Aborted`] with every file that changed since it was replaced, unless those are skipped; then nothing is
    /// different. Or with the first that could not be restored; then the run can still be undone or finished.
    pub(crate) fn roll_back(&self, changed: ChangedFiles) -> Result<Vec<PathBuf>, Aborted> {
        if self.progress() == RunProgress::Complete {
            return self.roll_forward();
        }
        let edited = match changed {
            ChangedFiles::Refuse => self.paths(Side::EditedAfter).map(|path| (path, Failure::ChangedSince)).collect(),
            ChangedFiles::Leave => Failures::new(),
        };
        self.check(edited)?;
        let missing = |at: &usize| self.journal.files.read(&self.kept(*at)).is_err();
        let missing = self.on(Side::After).filter(missing).map(|at| self.journal.shown(&self.kept(at)));
        self.check(missing.map(|path| (path, Failure::Missing)).collect())?;
        for at in self.on(Side::After) {
            let place = self.record.files[at].place();
            let restored = restore(&self.journal.files, &self.kept(at), &place, &self.record.staged(at));
            restored.map_err(self.stopped(Step::Restore, &place))?;
        }
        self.flush_folders(Side::After)?;
        self.discard()?;
        Ok(self.paths(Side::After).collect())
    }

    /// Removes the kept and staged content, and the record.
    fn discard(&self) -> Result<(), Aborted> {
        for at in 0..self.sides.len() {
            // The old content is removed first: if only that is left, its file counts as replaced.
            for place in [self.kept(at), self.record.staged(at)] {
                let removed = self.journal.files.remove(&place);
                removed.map_err(self.stopped(Step::Journal, &place))?;
            }
        }
        self.journal.cancel().map_err(Aborted::unfinished)
    }

    /// Replaces every file that had not been replaced; returns the paths of those.
    ///
    /// # Errors
    /// [`Aborted`] with every file that changed before it was replaced, or whose new content had not been written; then
    /// nothing is different. Or with the first that could not be replaced; then the run can still be undone or finished.
    pub(crate) fn roll_forward(&self) -> Result<Vec<PathBuf>, Aborted> {
        let mut failures: Failures = self.paths(Side::EditedBefore).map(|path| (path, Failure::ChangedSince)).collect();
        for at in self.on(Side::Before) {
            let entry = &self.record.files[at];
            let staged = self.journal.files.read(&self.record.staged(at)).map(|bytes| Fingerprint::of(&bytes));
            if staged != Ok(entry.after) {
                failures.push((self.journal.shown(&entry.place()), Failure::NotStaged));
            }
        }
        self.check(failures)?;
        self.keep()?;
        for at in self.on(Side::Before) {
            let place = self.record.files[at].place();
            let replaced = self.journal.files.rename(&self.record.staged(at), &place);
            replaced.map_err(self.stopped(Step::Replace, &place))?;
        }
        self.flush_folders(Side::Before)?;
        self.journal.end(self.record.action).map_err(Aborted::unfinished)?;
        Ok(self.paths(Side::Before).collect())
    }

    /// Keeps the old content of files that are about to be replaced, and flushes it.
    fn keep(&self) -> Result<(), Aborted> {
        let journal = inside("journal");
        let mut places = vec![journal.clone()];
        for at in self.on(Side::Before) {
            let (place, kept) = (self.record.files[at].place(), self.kept(at));
            let is_whole = |bytes: Vec<u8>| Fingerprint::of(&bytes) == self.record.files[at].before;
            if !self.journal.files.read(&kept).is_ok_and(is_whole) {
                let removed = self.journal.files.remove(&kept);
                removed.map_err(self.stopped(Step::Keep, &place))?;
                keep(&self.journal.files, &place, &kept).map_err(self.stopped(Step::Keep, &place))?;
            }
            places.extend([kept, self.record.staged(at)]);
        }
        let places: Vec<&Path> = places.iter().map(PathBuf::as_path).collect();
        self.flush(&places)
    }

    fn flush_folders(&self, side: Side) -> Result<(), Aborted> {
        let places: Vec<PathBuf> = self.on(side).map(|at| self.record.files[at].place()).collect();
        let folders: BTreeSet<&Path> = places.iter().map(|place| parent(place)).collect();
        let folders: Vec<&Path> = folders.into_iter().collect();
        self.flush(&folders)
    }

    fn flush(&self, places: &[&Path]) -> Result<(), Aborted> {
        self.journal.files.flush(places).map_err(|(place, failure)| self.stopped(Step::Flush, &place)(failure))
    }

    fn on(&self, side: Side) -> impl Iterator<Item = usize> {
        (0..self.sides.len()).filter(move |at| self.sides[*at] == side)
    }

    fn paths(&self, side: Side) -> impl Iterator<Item = PathBuf> {
        self.on(side).map(|at| self.journal.shown(&self.record.files[at].place()))
    }

    fn check(&self, failures: Failures) -> Result<(), Aborted> {
        Aborted::unless_empty(Step::Inspect, failures).map_err(Aborted::unfinished)
    }

    fn stopped<E: Into<Failure>>(&self, step: Step, place: &Path) -> impl FnOnce(E) -> Aborted {
        move |error| Aborted::at(step, &self.journal.shown(place))(error).unfinished()
    }
}

/// Returns the interrupted run and how far it got, if there is one in this user's journal of the tree around `bounds`; creates
/// and changes nothing, and does not wait for a lock.
///
/// # Errors
/// [`Failure::Locked`] while a run is writing, [`Failure::Damaged`] or the error of the system.
pub(crate) fn inspect(bounds: &Bounds) -> Result<Option<(Record, RunProgress)>, Failure> {
    let Some((journal, record)) = Journal::peek(bounds)? else { return Ok(None) };
    let progress = Unfinished::of(&journal, record.clone()).progress();
    Ok(Some((record, progress)))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::fs;

    use super::*;
    use crate::shell::disk::record::Action;
    use crate::shell::disk::run::TreeState;
    use crate::shell::disk::sample::{Sample, fault, killed, new, old};
    use crate::shell::disk::transaction::Transaction;
    use crate::shell::disk::undo::undo;

    /// The files of a small tree, in two folders.
    const FEW: [&str; 3] = ["a.yaml", "b/c.yaml", "b/d.yaml"];

    fn twenty() -> Vec<String> {
        (0..20).map(|at| format!("{}/{at}.yaml", ["apps", "base/x", "base/y"][at % 3])).collect()
    }

    /// What a run does to a tree.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Run {
        /// An apply of the whole tree.
        Apply,
        /// An undo of that.
        Undo,
        /// Undoing what was interrupted.
        Back,
        /// Finishing what was interrupted.
        Forward,
    }

    /// Does a run on `tree` that is killed at its call number `at`; returns how many calls were made.
    fn run_until(tree: &Sample, run: Run, at: usize) -> usize {
        let calls = Cell::new(0);
        let journal = tree.watched(|call, _, _| {
            calls.set(call + 1);
            match call.cmp(&at) {
                std::cmp::Ordering::Less => Ok(()),
                std::cmp::Ordering::Equal => killed(),
                std::cmp::Ordering::Greater => fault(),
            }
        });
        // Nobody sees what a killed process returns.
        match run {
            Run::Apply => {
                drop(Transaction::stage(&journal, tree.changes(), "").and_then(|transaction| transaction.commit()))
            }
            Run::Undo => {
                if let Ok([(number, record)]) = journal.records().as_deref() {
                    drop(undo(&journal, *number, record, ChangedFiles::Refuse));
                }
            }
            Run::Back | Run::Forward => {
                if let Ok(Some(unfinished)) = Unfinished::find(&journal) {
                    let back = |unfinished: Unfinished<'_, _>| unfinished.roll_back(ChangedFiles::Refuse);
                    drop(if run == Run::Back { back(unfinished) } else { unfinished.roll_forward() });
                }
            }
        }
        calls.get()
    }

    /// A tree in which `before` finished and `run` was killed at its call number `at`; `None` after the last call.
    fn killed_tree(names: &[&str], before: Option<Run>, run: Run, at: usize) -> Option<Sample> {
        let tree = Sample::new(names);
        if let Some(before) = before {
            run_until(&tree, before, usize::MAX);
        }
        (run_until(&tree, run, at) > at).then_some(tree)
    }

    /// Undoes or finishes what was interrupted in `tree`, and returns how far it got; `None` if there was nothing.
    fn recover(tree: &Sample, run: Run) -> Option<RunProgress> {
        let journal = tree.journal();
        let unfinished = Unfinished::find(&journal).unwrap()?;
        let progress = unfinished.progress();
        let done = match run {
            Run::Forward => unfinished.roll_forward(),
            _ => unfinished.roll_back(ChangedFiles::Refuse),
        };
        if let Err(aborted) = done {
            // Not all new content was there yet, or undoing had begun.
            assert!(aborted.failures.iter().all(|(_, failure)| *failure == Failure::NotStaged), "{aborted}");
            unfinished.roll_back(ChangedFiles::Refuse).unwrap();
        }
        assert!(Unfinished::find(&journal).unwrap().is_none(), "what was recovered is not unfinished any more");
        Some(progress)
    }

    /// Checks that a tree is all old or all new, with nothing left over, and that its journal agrees.
    #[track_caller]
    fn check_whole(tree: &Sample) -> Side {
        let found = tree.contents();
        if found == tree.state(old) {
            assert!(tree.journaled().is_empty() || tree.journaled() == ["undo/1"], "{:?}", tree.journaled());
            assert_eq!(tree.journal().records().unwrap(), []);
            Side::Before
        } else {
            assert_eq!(found, tree.state(new));
            assert_eq!(tree.journal().records().unwrap().len(), 1);
            Side::After
        }
    }

    #[test]
    fn an_apply_of_twenty_files_killed_at_any_call_is_rolled_back_or_finished() {
        let names = twenty();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        for (run, side) in [(Run::Back, Side::Before), (Run::Forward, Side::After)] {
            let mut mixed = Vec::new();
            let mut calls = 0;
            while let Some(tree) = killed_tree(&names, None, Run::Apply, calls) {
                match recover(&tree, run) {
                    Some(RunProgress::Mixed(replaced)) => {
                        mixed.push(replaced);
                        assert_eq!(check_whole(&tree), side, "call {calls}");
                    }
                    Some(RunProgress::Complete) => assert_eq!(check_whole(&tree), Side::After, "call {calls}"),
                    Some(RunProgress::Untouched) | None => drop(check_whole(&tree)),
                }
                calls += 1;
            }
            assert_eq!(mixed, (1..20).collect::<Vec<_>>(), "one kill before each file but the first");
            // As for any run of a transaction; the files are in three folders.
            assert_eq!(calls, 20 * 8 + 9 + 1 + 3 + 5 + 2);
        }
    }

    #[test]
    fn an_undo_killed_at_any_call_is_rolled_back_or_finished() {
        for (run, side) in [(Run::Back, Side::After), (Run::Forward, Side::Before)] {
            let mut mixed = Vec::new();
            let mut at = 0;
            while let Some(tree) = killed_tree(&FEW, Some(Run::Apply), Run::Undo, at) {
                match recover(&tree, run) {
                    Some(RunProgress::Mixed(replaced)) => {
                        mixed.push(replaced);
                        assert_eq!(check_whole(&tree), side, "call {at}");
                    }
                    _ => drop(check_whole(&tree)),
                }
                at += 1;
            }
            assert_eq!(mixed, [1, 2]);
        }
    }

    #[test]
    fn a_recovery_killed_at_any_call_is_rolled_back_or_finished() {
        let directions = [(Run::Back, Run::Back), (Run::Back, Run::Forward), (Run::Forward, Run::Back)];
        let mut recoveries = 0;
        for (first, before) in [(Run::Apply, None), (Run::Undo, Some(Run::Apply))] {
            let mut at = 0;
            while let Some(tree) = killed_tree(&FEW, before, first, at) {
                let progress = Unfinished::find(&tree.journal()).unwrap().map(|unfinished| unfinished.progress());
                // Where no file or every file was replaced, one kill in seven will do.
                let directions =
                    if matches!(progress, Some(RunProgress::Mixed(_))) || at % 7 == 0 { &directions[..] } else { &[] };
                for (second, third) in directions {
                    recoveries += recover_twice(before, first, at, *second, *third);
                }
                at += 1;
            }
        }
        assert!(recoveries > 200, "{recoveries}");
    }

    /// Kills `first` at its call `at`, then `second` at every one of its calls, and recovers by `third`.
    fn recover_twice(before: Option<Run>, first: Run, at: usize, second: Run, third: Run) -> usize {
        for then in 0.. {
            let tree = killed_tree(&FEW, before, first, at).expect("it was killed there before");
            if run_until(&tree, second, then) <= then {
                return then;
            }
            recover(&tree, third);
            check_whole(&tree);
        }
        unreachable!("a recovery makes a finite number of calls")
    }

    /// A tree of which one file is new and two are old, as a killed apply leaves it.
    fn interrupted() -> Sample {
        let is_interrupted = |tree: &Sample| {
            Unfinished::find(&tree.journal())
                .unwrap()
                .is_some_and(|unfinished| unfinished.progress() == RunProgress::Mixed(1))
        };
        let mut trees = (0..).map_while(|at| killed_tree(&FEW, None, Run::Apply, at));
        trees.find(is_interrupted).expect("a kill between the first and the second file")
    }

    #[test]
    fn nothing_new_starts_in_an_interrupted_tree() {
        let tree = interrupted();
        let journal = tree.journal();
        assert_eq!(Unfinished::find(&journal).unwrap().unwrap().record().action, Action::Apply);
        let change = tree.change("b/d.yaml");
        let aborted = Transaction::stage(&journal, vec![change], "").unwrap_err();
        assert_eq!(aborted.failures, [(tree.top.join(".reversion/journal"), Failure::Unfinished)]);
        assert_eq!(Unfinished::find(&journal).unwrap().unwrap().progress(), RunProgress::Mixed(1));
    }

    #[test]
    fn a_new_file_that_was_edited_is_not_rolled_back_unless_it_is_skipped() {
        let tree = interrupted();
        fs::write(tree.top.join("a.yaml"), "edited").unwrap();
        let before = tree.contents();
        let journal = tree.journal();
        let unfinished = Unfinished::find(&journal).unwrap().unwrap();
        assert_eq!(unfinished.progress(), RunProgress::Mixed(1));
        let refused = unfinished.roll_back(ChangedFiles::Refuse).unwrap_err();
        assert_eq!(
            (refused.tree, refused.failures),
            (TreeState::Unfinished, vec![(tree.top.join("a.yaml"), Failure::ChangedSince)])
        );
        assert_eq!(tree.contents(), before);
        assert_eq!(unfinished.roll_back(ChangedFiles::Leave).unwrap(), [] as [&Path; 0]);
        let mut expected = tree.state(old);
        expected.insert(tree.top.join("a.yaml"), b"edited".to_vec());
        assert_eq!(tree.contents(), expected);
        assert_eq!(tree.journaled(), [""; 0]);
    }

    #[test]
    fn an_old_file_that_was_edited_is_kept_by_a_rollback_and_prevents_finishing() {
        let tree = interrupted();
        fs::write(tree.top.join("b/d.yaml"), "edited").unwrap();
        let journal = tree.journal();
        let unfinished = Unfinished::find(&journal).unwrap().unwrap();
        let refused = unfinished.roll_forward().unwrap_err();
        assert_eq!(refused.failures, [(tree.top.join("b/d.yaml"), Failure::ChangedSince)]);
        assert_eq!(unfinished.roll_back(ChangedFiles::Refuse).unwrap(), [tree.top.join("a.yaml")]);
        let mut expected = tree.state(old);
        expected.insert(tree.top.join("b/d.yaml"), b"edited".to_vec());
        assert_eq!(tree.contents(), expected);
    }

    #[test]
    fn missing_old_content_is_reported_before_anything_is_restored() {
        let tree = interrupted();
        let kept = tree.top.join(".reversion/journal/0");
        fs::remove_file(&kept).unwrap();
        let before = tree.contents();
        let journal = tree.journal();
        let refused = Unfinished::find(&journal).unwrap().unwrap().roll_back(ChangedFiles::Refuse).unwrap_err();
        assert_eq!(refused.failures, [(kept, Failure::Missing)]);
        assert_eq!(tree.contents(), before);
    }
}
