//! Answers: how is an interrupted run finished or rolled back?
//!
//! The record has the old and the new fingerprint of each file; the files themselves show how far the run got. Before the first file is
//! replaced, all old content is kept and all new content is next to its file, both flushed. Replacing a file exchanges it with
//! its new content ([`Swap`]), restoring it exchanges the two again. So a file of neither content was edited after it was replaced
//! when its old content is next to it, or only the journal still has that, and otherwise before.
//!
//! Invariant: each step leaves a state from which the same recovery, started again, reaches the same end.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::bounds::{Bounds, parent};
use super::failure::Failure;
use super::file_system::FileSystem;
use super::journal::{Journal, inside};
use super::record::{Action, Record};
use super::run::{Aborted, ChangedFiles, Failures, Step};
use super::swap::{Content, Swap};
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
    /// It is not in its place: its run was killed while it exchanged the two.
    Away,
}

/// A run that was interrupted.
#[derive(Debug)]
pub(crate) struct Unfinished<'j, F: FileSystem> {
    journal: &'j Journal<F>,
    record: Record,
    swaps: Vec<Swap>,
    sides: Vec<Side>,
}

impl<'j, F: FileSystem> Unfinished<'j, F> {
    /// Looks for a run that was interrupted. What is left of one that no longer has a record, or has none yet, is
    /// removed. A file that was away when the run was killed, or that another program had saved just then, is put back.
    ///
    /// # Errors
    /// [`Failure::Damaged`] or the error of the system, with the path.
    pub(crate) fn find(journal: &'j Journal<F>) -> Result<Option<Self>, Aborted> {
        let Some(record) = journal.current()? else {
            journal.cancel()?;
            return Ok(None);
        };
        let mut unfinished = Self::without_sides(journal, record);
        for swap in &unfinished.swaps {
            swap.settle(&journal.files).map_err(unfinished.stopped(Step::Restore, &swap.place))?;
        }
        unfinished.compare().map_err(|(place, failure)| unfinished.stopped(Step::Inspect, &place)(failure))?;
        Ok(Some(unfinished))
    }

    fn without_sides(journal: &'j Journal<F>, record: Record) -> Self {
        let swaps = (0..record.files.len()).map(|at| Swap::of(&record, at, &inside("journal"))).collect();
        Self { journal, record, swaps, sides: Vec::new() }
    }

    /// Compares the files on disk with the record.
    fn compare(&mut self) -> Result<(), (PathBuf, Failure)> {
        let side = |swap: &Swap| self.side(swap).map_err(|failure| (swap.place.clone(), failure));
        self.sides = self.swaps.iter().map(side).collect::<Result<_, _>>()?;
        Ok(())
    }

    fn side(&self, swap: &Swap) -> Result<Side, Failure> {
        let files = &self.journal.files;
        let current = Content::at(files, &swap.place)?;
        if current == swap.before {
            return Ok(Side::Before);
        }
        if current == swap.after {
            return Ok(Side::After);
        }
        if swap.is_away(files)? {
            return Ok(Side::Away);
        }
        let is_replaced = match Content::at(files, &swap.staged)? {
            Content::Missing => swap.after != Content::Missing && Content::at(files, &swap.kept)? != Content::Missing,
            staged => staged == swap.before,
        };
        Ok(if is_replaced { Side::EditedAfter } else { Side::EditedBefore })
    }

    /// Returns the record of the run.
    pub(crate) const fn record(&self) -> &Record {
        &self.record
    }

    /// Returns how far the run got.
    pub(crate) fn progress(&self) -> RunProgress {
        let replaced = self.sides.iter().filter(|side| matches!(side, Side::After | Side::EditedAfter)).count();
        let is_away = self.sides.contains(&Side::Away);
        match replaced {
            0 if !is_away => RunProgress::Untouched,
            replaced if replaced == self.sides.len() => RunProgress::Complete,
            some => RunProgress::Mixed(some),
        }
    }

    /// Counts the files that had not been replaced and were edited or removed since.
    pub(crate) fn skipped(&self) -> usize {
        self.on(Side::EditedBefore).count()
    }

    /// Restores every file that had been replaced; returns the paths of those. A run that is complete is finished instead, to
    /// be undone like any other: the record of an undo may be removed already.
    ///
    /// # Errors
    /// [`Aborted`] with every file that changed since it was replaced, unless those are skipped; then nothing is
    /// different. Or with the first that could not be restored; then the run can still be undone or finished.
    pub(crate) fn roll_back(&self, changed: ChangedFiles) -> Result<Vec<PathBuf>, Aborted> {
        if self.progress() == RunProgress::Complete {
            return self.roll_forward(changed);
        }
        if changed == ChangedFiles::Refuse {
            let mut refused: Failures =
                self.paths(Side::EditedAfter).map(|path| (path, Failure::ChangedSince)).collect();
            refused.extend(self.left_behind()?);
            self.check(refused)?;
        }
        let missing = |swap: &&Swap| swap.kept().is_some_and(|kept| self.journal.files.read(kept).is_err());
        let missing = self.on(Side::After).filter(missing).map(|swap| self.journal.shown(&swap.kept));
        self.check(missing.map(|path| (path, Failure::Missing)).collect())?;
        for swap in self.on(Side::After) {
            swap.back(&self.journal.files).map_err(self.stopped(Step::Restore, &swap.place))?;
        }
        self.flush_folders()?;
        if self.record.action == Action::Apply && self.on(Side::EditedAfter).next().is_some() {
            self.end_with_edited()?;
        } else {
            self.discard()?;
        }
        Ok(self.paths(Side::After).collect())
    }

    /// Ends an apply of which only files that were edited since are left as it made them: those can still be undone.
    fn end_with_edited(&self) -> Result<(), Aborted> {
        let mut record = self.record.clone();
        for (file, side) in record.files.iter_mut().zip(&self.sides) {
            file.undone = *side != Side::EditedAfter;
        }
        self.journal.rewrite(&record, &inside("journal")).map_err(Aborted::unfinished)?;
        for swap in &self.swaps {
            swap.clear(&self.journal.files).map_err(self.stopped(Step::Journal, &swap.place))?;
        }
        self.journal.end(&record).map_err(Aborted::unfinished)
    }

    /// Returns where content of other programs is that could not be put back.
    fn left_behind(&self) -> Result<Failures, Aborted> {
        let mut failures = Failures::new();
        for swap in &self.swaps {
            let left = swap.left_behind(&self.journal.files).map_err(self.stopped(Step::Inspect, &swap.place))?;
            failures.extend(left.map(|place| (self.journal.shown(&place), Failure::LeftBehind)));
        }
        Ok(failures)
    }

    /// Removes the kept and staged content, and the record.
    fn discard(&self) -> Result<(), Aborted> {
        let files = &self.journal.files;
        for swap in &self.swaps {
            if swap.left_behind(files).map_err(self.stopped(Step::Journal, &swap.place))?.is_none() {
                // The old content is removed first: if only that is left, its file counts as replaced.
                files.remove(&swap.kept).map_err(self.stopped(Step::Journal, &swap.kept))?;
            }
            swap.clear(files).map_err(self.stopped(Step::Journal, &swap.place))?;
        }
        self.journal.cancel().map_err(Aborted::unfinished)
    }

    /// Replaces every file that had not been replaced; returns the paths of those.
    ///
    /// # Errors
    /// [`Aborted`] with every file that changed before it was replaced, unless those are skipped, or whose new content had not been written; then
    /// nothing is different. Or with the first that could not be replaced; then the run can still be undone or finished.
    pub(crate) fn roll_forward(&self, changed: ChangedFiles) -> Result<Vec<PathBuf>, Aborted> {
        let files = &self.journal.files;
        let skipped: BTreeSet<PathBuf> = match changed {
            ChangedFiles::Refuse => BTreeSet::new(),
            ChangedFiles::Leave => self.on(Side::EditedBefore).map(|swap| swap.place.clone()).collect(),
        };
        let mut failures = Failures::new();
        if changed == ChangedFiles::Refuse {
            failures.extend(self.paths(Side::EditedBefore).map(|path| (path, Failure::ChangedSince)));
        }
        for swap in self.on(Side::Before) {
            let staged = Content::at(files, &swap.staged).map_err(self.stopped(Step::Inspect, &swap.place))?;
            if staged != swap.after {
                failures.push((self.journal.shown(&swap.place), Failure::NotStaged));
            }
        }
        self.check(failures)?;
        self.keep()?;
        for swap in self.on(Side::Before) {
            swap.forward(files).map_err(self.stopped(Step::Replace, &swap.place))?;
        }
        for swap in &self.swaps {
            swap.clear(files).map_err(self.stopped(Step::Journal, &swap.place))?;
        }
        self.flush_folders()?;
        self.journal.end(&self.record_without(&skipped)).map_err(Aborted::unfinished)?;
        Ok(self.paths(Side::Before).collect())
    }

    /// Returns the record of what was done if these files were not replaced.
    fn record_without(&self, skipped: &BTreeSet<PathBuf>) -> Record {
        let mut record = self.record.clone();
        record.files.retain(|file| !skipped.contains(&file.place()));
        record
    }

    /// Keeps the old content of files that are about to be replaced, and flushes it.
    fn keep(&self) -> Result<(), Aborted> {
        let journal = inside("journal");
        let mut places = vec![journal.clone()];
        for swap in self.on(Side::Before) {
            let Swap { place, staged, kept, before, after } = swap;
            let is_whole = |bytes: Vec<u8>| Content::Bytes(Fingerprint::of(&bytes)) == *before;
            if !self.journal.files.read(kept).is_ok_and(is_whole) {
                let removed = self.journal.files.remove(kept);
                removed.map_err(self.stopped(Step::Keep, place))?;
                swap.keep(&self.journal.files).map_err(self.stopped(Step::Keep, place))?;
            }
            let is_there =
                [(kept, before), (staged, after)].into_iter().filter(|(_, content)| **content != Content::Missing);
            places.extend(is_there.map(|(place, _)| place.clone()));
        }
        let places: Vec<&Path> = places.iter().map(PathBuf::as_path).collect();
        self.flush(&places)
    }

    fn flush_folders(&self) -> Result<(), Aborted> {
        let folders: BTreeSet<&Path> = self.swaps.iter().map(|swap| parent(&swap.place)).collect();
        let folders: Vec<&Path> = folders.into_iter().collect();
        self.flush(&folders)
    }

    fn flush(&self, places: &[&Path]) -> Result<(), Aborted> {
        self.journal.files.flush(places).map_err(|(place, failure)| self.stopped(Step::Flush, &place)(failure))
    }

    fn on(&self, side: Side) -> impl Iterator<Item = &Swap> {
        self.swaps.iter().zip(&self.sides).filter(move |(_, at)| **at == side).map(|(swap, _)| swap)
    }

    fn paths(&self, side: Side) -> impl Iterator<Item = PathBuf> {
        self.on(side).map(|swap| self.journal.shown(&swap.place))
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
    let mut unfinished = Unfinished::without_sides(&journal, record);
    unfinished.compare().map_err(|(_, failure)| failure)?;
    let progress = unfinished.progress();
    Ok(Some((unfinished.record, progress)))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::fs;

    use super::*;
    use crate::shell::disk::record::Action;
    use crate::shell::disk::run::TreeState;
    use crate::shell::disk::sample::{Sample, Save, fault, killed, new, old};
    use crate::shell::disk::transaction::Transaction;
    use crate::shell::disk::undo::undo;

    /// The files of a small tree, in two folders.
    const FEW: [&str; 3] = ["a.yaml", "b/c.yaml", "b/d.yaml"];

    /// The same, where one is removed and one is made.
    const ALL_KINDS: [&str; 3] = ["a.yaml", "b/gone.yaml", "b/made.yaml"];

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
        run_saved_until(tree, run, usize::MAX, at)
    }

    /// The same, and another program saves the first file in front of the call number `save`.
    fn run_saved_until(tree: &Sample, run: Run, save: usize, at: usize) -> usize {
        let calls = Cell::new(0);
        let journal = tree.watched(|call, _, _| {
            calls.set(call + 1);
            if call == save {
                tree.save(FEW[0], Save::ByRename, "saved\n");
            }
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
                    drop(if run == Run::Back {
                        back(unfinished)
                    } else {
                        unfinished.roll_forward(ChangedFiles::Refuse)
                    });
                }
            }
        }
        calls.get()
    }

    /// A tree in which `before` finished and `run` was killed at its call number `at`; `None` after the last call.
    fn killed_tree(names: &[&str], before: Option<Run>, run: Run, at: usize) -> Option<Sample> {
        killed_tree_that(names, true, before, run, at)
    }

    /// The same on a file system that can exchange two files, or cannot.
    fn killed_tree_that(
        names: &[&str],
        can_exchange: bool,
        before: Option<Run>,
        run: Run,
        at: usize,
    ) -> Option<Sample> {
        let tree = Sample::that(names, can_exchange);
        if let Some(before) = before {
            run_until(&tree, before, usize::MAX);
        }
        (run_until(&tree, run, at) > at).then_some(tree)
    }

    /// Undoes or finishes what was interrupted in `tree`, and returns how far it got; `None` if there was nothing.
    fn recover(tree: &Sample, run: Run) -> Option<RunProgress> {
        let journal = tree.watched(|_, _, _| Ok(()));
        let unfinished = Unfinished::find(&journal).unwrap()?;
        let progress = unfinished.progress();
        let done = match run {
            Run::Forward => unfinished.roll_forward(ChangedFiles::Refuse),
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

    #[test]
    fn a_file_saved_just_before_a_run_is_killed_is_not_lost() {
        for (can_exchange, name) in [(true, FEW[1]), (false, FEW[1]), (true, ALL_KINDS[1]), (true, ALL_KINDS[2])] {
            for (first, before) in [(Run::Apply, None), (Run::Undo, Some(Run::Apply))] {
                let mut at = 0;
                loop {
                    let trees = (at..at + 4).map(|kill| (kill, Sample::that(&[FEW[0], name], can_exchange)));
                    let mut calls = 0;
                    for (kill, tree) in trees {
                        if let Some(before) = before {
                            run_until(&tree, before, usize::MAX);
                        }
                        calls = run_saved_until(&tree, first, at, kill);
                        check_recovers_saved(&tree, name, kill % 2 == 0);
                    }
                    at += 1;
                    if calls <= at {
                        break;
                    }
                }
            }
        }
    }

    #[test]
    fn a_file_saved_during_a_recovery_is_not_lost() {
        for can_exchange in [true, false] {
            for run in [Run::Back, Run::Forward] {
                for at in 0.. {
                    let tree = Sample::that(&FEW[..2], can_exchange);
                    run_until(&tree, Run::Apply, 2 * 9 + 15);
                    let calls = run_saved_until(&tree, run, at, usize::MAX);
                    if calls <= at {
                        break;
                    }
                    check_recovers_saved(&tree, FEW[1], at % 2 == 0);
                }
            }
        }
    }

    /// Checks that the first file has what was saved after a recovery, and that the other one, `name`, is old or new.
    #[track_caller]
    fn check_recovers_saved(tree: &Sample, name: &str, undoes: bool) {
        let journal = tree.watched(|_, _, _| Ok(()));
        if let Some(unfinished) = Unfinished::find(&journal).unwrap() {
            let done = if undoes {
                unfinished.roll_back(ChangedFiles::Leave)
            } else {
                unfinished.roll_forward(ChangedFiles::Refuse)
            };
            if done.is_err() {
                Unfinished::find(&journal).unwrap().unwrap().roll_back(ChangedFiles::Leave).unwrap();
            }
        }
        let mut found = tree.contents();
        assert_eq!(found.remove(&tree.top.join(FEW[0])).as_deref(), Some(&b"saved\n"[..]));
        let content = found.remove(&tree.top.join(name)).unwrap_or_default();
        assert!(content == old(name) || content == new(name));
        assert!(found.is_empty(), "{found:?}");
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
            let expected: Vec<_> = (1..20).flat_map(|replaced| [replaced, replaced]).collect();
            assert_eq!(mixed, expected, "after each file but the last: before it is compared, and after that");
            // As for any run of a transaction; the files are in three folders.
            assert_eq!(calls, 20 * 11 + 9 + 1 + 6 + 5 + 2);
        }
    }

    /// Kills a run on these files at each of its calls and recovers; returns how far it got where only some files were replaced.
    fn progress_of_kills(names: &[&str], before: Option<Run>, run: Run, recovery: (Run, Side)) -> Vec<usize> {
        let mut mixed = Vec::new();
        let mut at = 0;
        while let Some(tree) = killed_tree(names, before, run, at) {
            match recover(&tree, recovery.0) {
                Some(RunProgress::Mixed(replaced)) => {
                    mixed.push(replaced);
                    assert_eq!(check_whole(&tree), recovery.1, "call {at}");
                }
                _ => drop(check_whole(&tree)),
            }
            at += 1;
        }
        mixed
    }

    #[test]
    fn an_undo_killed_at_any_call_is_rolled_back_or_finished() {
        for recovery in [(Run::Back, Side::After), (Run::Forward, Side::Before)] {
            assert_eq!(progress_of_kills(&FEW, Some(Run::Apply), Run::Undo, recovery), [1, 1, 2, 2]);
        }
    }

    #[test]
    fn what_a_killed_run_made_or_removed_is_rolled_back_or_finished() {
        for recovery in [(Run::Back, Side::Before), (Run::Forward, Side::After)] {
            assert_eq!(progress_of_kills(&ALL_KINDS, None, Run::Apply, recovery), [1, 1, 2, 2]);
        }
        for recovery in [(Run::Back, Side::After), (Run::Forward, Side::Before)] {
            // The last file, which was made, is removed.
            assert_eq!(progress_of_kills(&ALL_KINDS, Some(Run::Apply), Run::Undo, recovery), [1, 1, 2]);
        }
    }

    #[test]
    fn a_run_that_cannot_exchange_files_is_rolled_back_or_finished_too() {
        for (first, before) in [(Run::Apply, None), (Run::Undo, Some(Run::Apply))] {
            for second in [Run::Back, Run::Forward] {
                let mut at = 0;
                while let Some(tree) = killed_tree_that(&FEW, false, before, first, at) {
                    let is_missing = tree.paths().iter().any(|path| !path.exists());
                    if is_missing {
                        let progress = inspect(&tree.bounds()).unwrap().unwrap().1;
                        assert!(matches!(progress, RunProgress::Mixed(_)), "a file that is away is not overlooked");
                    }
                    // The recovery is killed too, at one call, and the next one is not.
                    run_until(&tree, second, at % 23);
                    recover(&tree, second);
                    check_whole(&tree);
                    at += 1;
                }
            }
        }
    }

    #[test]
    fn a_recovery_killed_at_any_call_is_rolled_back_or_finished() {
        let directions = [(Run::Back, Run::Back), (Run::Back, Run::Forward), (Run::Forward, Run::Back)];
        let mut recoveries = 0;
        let runs = [(Run::Apply, None), (Run::Undo, Some(Run::Apply))];
        for ((first, before), names) in runs.into_iter().flat_map(|run| [(run, &FEW), (run, &ALL_KINDS)]) {
            let mut at = 0;
            while let Some(tree) = killed_tree(names, before, first, at) {
                let progress = Unfinished::find(&tree.journal()).unwrap().map(|unfinished| unfinished.progress());
                // Where no file or every file was replaced, one kill in seven will do.
                let directions =
                    if matches!(progress, Some(RunProgress::Mixed(_))) || at % 7 == 0 { &directions[..] } else { &[] };
                for (second, third) in directions {
                    recoveries += recover_twice(names, before, first, at, *second, *third);
                }
                at += 1;
            }
        }
        assert!(recoveries > 400, "{recoveries}");
    }

    /// Kills `first` at its call `at`, then `second` at every one of its calls, and recovers by `third`.
    fn recover_twice(names: &[&str], before: Option<Run>, first: Run, at: usize, second: Run, third: Run) -> usize {
        for then in 0.. {
            let tree = killed_tree(names, before, first, at).expect("it was killed there before");
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
        // What was skipped is kept, to be undone later.
        assert_eq!(tree.journaled(), ["undo/1"]);
        assert_eq!(fs::read(tree.top.join(".reversion/undo/1/0")).unwrap(), old("a.yaml"));
        assert_eq!(journal.records().unwrap()[0].1.left(), 1);
    }

    #[test]
    fn an_old_file_that_was_edited_is_kept_by_a_rollback_and_prevents_finishing() {
        let tree = interrupted();
        fs::write(tree.top.join("b/d.yaml"), "edited").unwrap();
        let journal = tree.journal();
        let unfinished = Unfinished::find(&journal).unwrap().unwrap();
        let refused = unfinished.roll_forward(ChangedFiles::Refuse).unwrap_err();
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
