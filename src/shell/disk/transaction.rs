//! Answers: how are many files replaced, all of them or none?
//!
//! [`Transaction::stage`] records in the journal what is about to be replaced, then writes every new content next to its file, under a
//! temporary name, and flushes it. [`Transaction::commit`] reads every file again and compares it with what the change was
//! planned from; then it keeps each old content in the journal under a second name (a hard link, or a copy where there are
//! none), flushes that, and puts the new content in place. Then it compares what it kept: what another program wrote at the last
//! moment is detected there. If anything fails, what was replaced is restored. A transaction that is dropped removes what it
//! staged. What a killed process leaves is finished or rolled back by [`Unfinished`](super::recovery::Unfinished).
//!
//! A path that is a symbolic link stays one; the file it leads to is replaced, if that is below the paths of the call. A file
//! that has several names (hard links) is refused: replacing it would break them, and writing in place would not be atomic. A
//! file whose mode lets nobody write is refused, as an editor does. The new file has the mode of the old one and, where the
//! system permits, its owner; extended attributes are not carried over.
//!
//! Invariant: every file has either its old or its new content at every moment, and no old content is removed before all are new.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};

use super::backup::{keep, restore};
use super::bounds::parent;
use super::failure::Failure;
use super::file_system::{Disk, FileMode, FileSystem};
use super::journal::{Journal, inside, kept};
use super::record::{Action, Record, RecordedFile, staged};
use super::run::{Aborted, FileChange, Step, WrittenFiles};
use crate::syntax::fingerprint::Fingerprint;

/// The state of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SwapProgress {
    /// Nothing is done.
    Planned,
    /// The new content is next to the file.
    Staged,
    /// The old content has a second name.
    Kept,
    /// The new content is in place.
    Replaced,
}

/// One file that is being replaced.
#[derive(Debug)]
struct Swap {
    shown: PathBuf,
    place: PathBuf,
    staged: PathBuf,
    kept: PathBuf,
    before: Fingerprint,
    /// What it becomes, until that is written.
    after: Vec<u8>,
    progress: SwapProgress,
}

/// Files staged to be replaced; dropping it removes what was staged.
#[derive(Debug)]
pub(crate) struct Transaction<'j, F: FileSystem = Disk> {
    journal: &'j Journal<F>,
    action: Action,
    swaps: Vec<Swap>,
}

impl<'j, F: FileSystem> Transaction<'j, F> {
    /// Stages changes: writes every new content next to its file. `label` names what they are for.
    ///
    /// # Errors
    /// [`Aborted`] with every file that cannot be replaced, or the first whose content could not be written; then nothing
    /// is staged. Two changes of one file are [`Failure::SameFile`] unless they are the same change.
    pub(crate) fn stage(journal: &'j Journal<F>, changes: Vec<FileChange>, label: &str) -> Result<Self, Aborted> {
        Self::stage_as(journal, changes, Action::Apply, label)
    }

    /// Stages changes for a run of this kind. A change that changes nothing is ignored.
    pub(super) fn stage_as(
        journal: &'j Journal<F>,
        changes: Vec<FileChange>,
        action: Action,
        label: &str,
    ) -> Result<Self, Aborted> {
        let is_change = |change: &FileChange| Fingerprint::of(&change.after) != change.before;
        let changes: Vec<_> = changes.into_iter().filter(is_change).collect();
        let mut transaction = Self { journal, action, swaps: Vec::new() };
        if changes.is_empty() {
            return Ok(transaction);
        }
        journal.refuse_unfinished()?;
        let token = token();
        let swaps = plan(&journal.files, changes, &token)?;
        let file = |swap: &Swap| RecordedFile::new(&swap.place, swap.before, Fingerprint::of(&swap.after));
        let record = Record::new(action, label, &token, swaps.iter().map(file).collect());
        if let Err(aborted) = journal.begin(&record) {
            // The next run removes what was written of the record.
            let _by_the_next_run = journal.cancel();
            return Err(aborted);
        }
        transaction.swaps = swaps;
        match transaction.stage_all() {
            Ok(()) => Ok(transaction),
            Err(aborted) => Err(transaction.abort(aborted)),
        }
    }

    /// Replaces every file, or none.
    ///
    /// # Errors
    /// [`Aborted`]: with every file that is not what its change was planned from, or the first that could not be replaced. All
    /// files are then what they were, but for those it names as unrestored.
    pub(crate) fn commit(mut self) -> Result<WrittenFiles, Aborted> {
        if self.swaps.is_empty() {
            return Ok(WrittenFiles::default());
        }
        if let Err(aborted) = self.replace_all().and_then(|()| self.end()) {
            return Err(self.abort(aborted));
        }
        let mut files: Vec<_> = std::mem::take(&mut self.swaps).into_iter().map(|swap| swap.shown).collect();
        files.sort();
        Ok(WrittenFiles { files })
    }

    fn replace_all(&mut self) -> Result<(), Aborted> {
        self.compare(|swap| &swap.place)?;
        for swap in &mut self.swaps {
            let kept = keep(&self.journal.files, &swap.place, &swap.kept);
            kept.map_err(Aborted::at(Step::Keep, &swap.shown))?;
            swap.progress = SwapProgress::Kept;
        }
        self.flush(|swap| swap.kept.as_path())?;
        let journal = inside("journal");
        self.journal.files.flush(&[&journal]).map_err(|failure| Aborted::new(Step::Flush, vec![failure]))?;
        for swap in &mut self.swaps {
            let replaced = self.journal.files.rename(&swap.staged, &swap.place);
            replaced.map_err(Aborted::at(Step::Replace, &swap.shown))?;
            swap.progress = SwapProgress::Replaced;
        }
        self.compare(|swap| &swap.kept)?;
        self.flush(|swap| parent(&swap.place))
    }

    /// Ends the run in the journal. A run that undoes another one is done before that: what it could not remove there is
    /// removed by the next run.
    fn end(&self) -> Result<(), Aborted> {
        match (self.journal.end(self.action), self.action) {
            (Err(aborted), Action::Apply) => Err(aborted),
            (Ok(()) | Err(_), _) => Ok(()),
        }
    }

    fn stage_all(&mut self) -> Result<(), Aborted> {
        for swap in &mut self.swaps {
            let after = std::mem::take(&mut swap.after);
            let written = self.journal.files.write_new(&swap.staged, &after, FileMode::SameAs(&swap.place));
            written.map_err(Aborted::at(Step::Stage, &swap.shown))?;
            swap.progress = SwapProgress::Staged;
        }
        self.flush(|swap| swap.staged.as_path())
    }

    /// Compares the bytes at a place of every swap with what they were.
    fn compare(&self, place: impl Fn(&Swap) -> &PathBuf) -> Result<(), Aborted> {
        let differs = |swap: &Swap| match self.journal.files.read(place(swap)) {
            Ok(bytes) if Fingerprint::of(&bytes) == swap.before => None,
            Ok(_) => Some((swap.shown.clone(), Failure::Changed)),
            Err(failure) => Some((swap.shown.clone(), failure)),
        };
        let failures: Vec<_> = self.swaps.iter().filter_map(differs).collect();
        Aborted::unless_empty(Step::Compare, failures)
    }

    fn flush(&self, place: impl Fn(&Swap) -> &Path) -> Result<(), Aborted> {
        let places: BTreeSet<&Path> = self.swaps.iter().map(place).collect();
        let places: Vec<&Path> = places.into_iter().collect();
        self.journal.files.flush(&places).map_err(|failure| Aborted::new(Step::Flush, vec![failure]))
    }

    fn abort(mut self, mut aborted: Aborted) -> Aborted {
        self.restore_all(&mut aborted);
        aborted
    }

    /// Restores every file and removes what is next to it; then the record is removed, unless a file could not be restored.
    fn restore_all(&mut self, aborted: &mut Aborted) {
        let files = &self.journal.files;
        let swaps = std::mem::take(&mut self.swaps);
        let mut folders = BTreeSet::new();
        for swap in &swaps {
            if swap.progress == SwapProgress::Replaced {
                folders.insert(parent(&swap.place));
                if restore(files, &swap.kept, &swap.place, &swap.staged).is_err() {
                    aborted.unrestored.push((swap.shown.clone(), self.journal.shown(&swap.kept)));
                }
                continue;
            }
            // The old content is removed first: if only that is left, its file counts as replaced.
            if swap.progress == SwapProgress::Kept && files.remove(&swap.kept).is_err() {
                aborted.leftovers.push(self.journal.shown(&swap.kept));
            }
            if swap.progress >= SwapProgress::Staged && files.remove(&swap.staged).is_err() {
                aborted.leftovers.push(self.journal.shown(&swap.staged));
            }
        }
        let folders: Vec<&Path> = folders.into_iter().collect();
        let is_restored = aborted.unrestored.is_empty() && files.flush(&folders).is_ok();
        // If the record cannot be removed now, the next run finds the tree untouched and removes it.
        if is_restored && !swaps.is_empty() {
            let _by_the_next_run = self.journal.cancel();
        }
    }
}

impl<F: FileSystem> Drop for Transaction<'_, F> {
    fn drop(&mut self) {
        self.restore_all(&mut Aborted::new(Step::Stage, Vec::new()));
    }
}

/// Resolves the file of every change, in the order of places.
fn plan(files: &impl FileSystem, changes: Vec<FileChange>, token: &str) -> Result<Vec<Swap>, Aborted> {
    let mut targets = Vec::with_capacity(changes.len());
    let mut failures = Vec::new();
    for change in changes {
        match files.target(&change.path) {
            Ok(place) => targets.push((place, change)),
            Err(failure) => failures.push((change.path, failure)),
        }
    }
    targets.sort_by(|left, right| (&left.0, &left.1.path).cmp(&(&right.0, &right.1.path)));
    targets.dedup_by(|right, left| right.0 == left.0 && right.1.after == left.1.after);
    let mut folded: Vec<_> = targets.iter().map(|target| (target.0.to_string_lossy().to_lowercase(), target)).collect();
    folded.sort_by(|left, right| left.0.cmp(&right.0));
    for pair in folded.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        let ((_, (left, first)), (_, (right, second))) = (&pair[0], &pair[1]);
        if left == right || files.is_same(left, right) {
            failures.push((second.path.clone(), Failure::SameFile(first.path.clone())));
        }
    }
    failures.sort();
    Aborted::unless_empty(Step::Inspect, failures)?;
    let swaps = targets.into_iter().enumerate().map(|(at, (place, change))| Swap {
        shown: change.path,
        staged: staged(&place, token, at),
        kept: kept(&inside("journal"), at),
        place,
        before: change.before,
        after: change.after,
        progress: SwapProgress::Planned,
    });
    Ok(swaps.collect())
}

/// Returns a token that no other transaction uses.
fn token() -> String {
    format!("{:016x}", RandomState::new().build_hasher().finish())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::fs;
    use std::io;
    use std::rc::Rc;

    use super::*;
    use crate::shell::disk::failure::FileKind;
    use crate::shell::disk::run::TreeState;
    use crate::shell::disk::sample::{Sample, fault, new, old};

    const NAMES: [&str; 3] = ["a.yaml", "b/c.yaml", "b/d.yaml"];

    fn tree() -> Sample {
        Sample::new(&NAMES)
    }

    fn run(tree: &Sample, hook: impl Fn(usize, &str, &Path) -> io::Result<()>) -> Result<WrittenFiles, Aborted> {
        Transaction::stage(&tree.watched(hook), tree.changes(), "")?.commit()
    }

    /// Checks what is in the tree against what the outcome says; returns whether no temporary file is left.
    #[track_caller]
    fn check_outcome(tree: &Sample, outcome: Result<WrittenFiles, Aborted>) -> bool {
        let mut found = tree.contents();
        let leftovers = match outcome {
            Ok(written) => {
                assert_eq!(written.files, tree.paths());
                assert_eq!(found, tree.state(new));
                return true;
            }
            Err(aborted) => {
                assert!(!aborted.failures.is_empty());
                for (path, kept) in &aborted.unrestored {
                    let name = path.strip_prefix(&tree.top).unwrap().to_str().unwrap();
                    assert_eq!(fs::read(kept).unwrap(), old(name), "the old content is where the message says");
                    assert_eq!(found.insert(path.clone(), old(name)), Some(new(name)));
                }
                aborted.leftovers
            }
        };
        found.retain(|path, _| !leftovers.contains(path));
        assert_eq!(found, tree.state(old));
        leftovers.is_empty()
    }

    /// Runs with hooks made for each number, until one is larger than the number of calls made; returns that number.
    fn for_every_call(check: impl Fn(&Sample, usize, &Cell<usize>)) -> usize {
        for_every_call_from(0, &NAMES, check)
    }

    fn for_every_call_from(first: usize, names: &[&str], check: impl Fn(&Sample, usize, &Cell<usize>)) -> usize {
        for at in first.. {
            let calls = Cell::new(0);
            check(&Sample::new(names), at, &calls);
            if calls.get() <= at {
                return at;
            }
        }
        unreachable!("a transaction makes a finite number of calls")
    }

    #[test]
    fn every_file_gets_its_new_bytes_and_the_old_ones_are_kept() {
        let tree = tree();
        let journal = tree.journal();
        let transaction = Transaction::stage(&journal, tree.changes(), "").unwrap();
        let staged: Vec<_> = transaction.swaps.iter().map(|swap| swap.shown.clone()).collect();
        assert_eq!(staged, tree.paths());
        let written = transaction.commit().unwrap();
        assert_eq!(written, WrittenFiles { files: tree.paths() });
        assert_eq!(tree.contents(), tree.state(new));
        assert_eq!(tree.journaled(), ["undo/1"]);
        assert_eq!(fs::read(tree.top.join(".reversion/undo/1/1")).unwrap(), old("b/c.yaml"));
    }

    #[test]
    fn one_fault_at_any_call_leaves_all_old_or_all_new() {
        let calls = for_every_call(|tree, at, calls| {
            let was_removing = Cell::new(false);
            let outcome = run(tree, |call, name, _| {
                calls.set(call + 1);
                was_removing.set(was_removing.get() || call == at && name == "remove");
                if call == at { fault() } else { Ok(()) }
            });
            if let Err(aborted) = &outcome {
                assert_eq!(aborted.unrestored, []);
            }
            let is_ok = outcome.is_ok();
            assert_eq!(check_outcome(tree, outcome), is_ok || !was_removing.get(), "call {at}");
            assert_eq!(tree.journaled(), if is_ok { &["undo/1"][..] } else { &[] }, "call {at}");
        });
        // Per file: target, stage, flush, compare, link, flush, rename, compare.
        // Begin: read, names and remove_folder of what could be there; make_folder, write_new, flush, rename, two flushes.
        // Before the first rename the journal is flushed. Then two folders are. End: names, make_folder, rename, two flushes;
        // names twice to prune.
        assert_eq!(calls, 3 * 8 + 9 + 1 + 2 + 5 + 2);
    }

    #[test]
    fn two_faults_at_any_calls_lose_only_reported_content() {
        for first in 0..2 * 8 + 19 {
            for_every_call_from(first + 1, &NAMES[..2], |tree, second, calls| {
                let outcome = run(tree, |call, _, _| {
                    calls.set(call + 1);
                    if call == first || call == second { fault() } else { Ok(()) }
                });
                check_outcome(tree, outcome);
            });
        }
    }

    #[test]
    fn if_every_call_fails_files_are_whole_and_old_content_is_reported() {
        for_every_call(|tree, at, calls| {
            let outcome = run(tree, |call, _, _| {
                calls.set(call + 1);
                if call >= at { fault() } else { Ok(()) }
            });
            check_outcome(tree, outcome);
        });
    }

    /// The errors a call can have, and whether every later call that needs space has it too.
    const DISK_ERRORS: [(io::ErrorKind, bool); 8] = [
        (io::ErrorKind::StorageFull, false),
        (io::ErrorKind::StorageFull, true),
        (io::ErrorKind::QuotaExceeded, true),
        (io::ErrorKind::ReadOnlyFilesystem, false),
        (io::ErrorKind::PermissionDenied, false),
        (io::ErrorKind::NotFound, false),
        (io::ErrorKind::StaleNetworkFileHandle, false),
        (io::ErrorKind::TimedOut, false),
    ];

    #[test]
    #[expect(clippy::print_stderr, reason = "the test tells how often each outcome was met")]
    fn whatever_error_any_call_has_all_files_are_old_or_new() {
        for (kind, is_persistent) in DISK_ERRORS {
            let (old_trees, new_trees) = (Cell::new(0), Cell::new(0));
            let calls = for_every_call(|tree, at, calls| {
                let outcome = run(tree, |call, name, _| {
                    calls.set(call + 1);
                    let takes_room = matches!(name, "write_new" | "make_folder" | "link" | "flush");
                    let fails = call == at || is_persistent && call > at && takes_room;
                    if fails { Err(kind.into()) } else { Ok(()) }
                });
                let count = if outcome.is_ok() { &new_trees } else { &old_trees };
                count.set(count.get() + 1);
                if let Err(aborted) = &outcome {
                    assert_eq!(aborted.unrestored, [], "{kind:?}, call {at}");
                }
                check_outcome(tree, outcome);
            });
            let (old_trees, new_trees) = (old_trees.get(), new_trees.get());
            eprintln!(
                "{kind:?}, persistent {is_persistent}: {calls} calls failed; {old_trees} trees all old, {new_trees} all new"
            );
            assert!(old_trees > 0 && new_trees > 0 && old_trees + new_trees == calls + 1);
        }
    }

    #[test]
    fn names_equal_to_the_file_system_take_one_change() {
        let tree = Sample::new(&["A.yaml", "a.yaml"]);
        let aborted = run(&tree, |_, call, _| if call == "is_same" { fault() } else { Ok(()) }).unwrap_err();
        let failure = Failure::SameFile(tree.top.join("A.yaml"));
        assert_eq!(aborted, Aborted::new(Step::Inspect, vec![(tree.top.join("a.yaml"), failure)]));
        assert_eq!(tree.contents(), tree.state(old));
        let outcome = run(&tree, |_, _, _| Ok(()));
        assert!(outcome.is_ok() && check_outcome(&tree, outcome), "here they are two");
    }

    #[test]
    fn without_hard_links_copies_are_kept() {
        let tree = tree();
        let outcome = run(&tree, |_, call, _| if call == "link" { fault() } else { Ok(()) });
        assert!(outcome.is_ok() && check_outcome(&tree, outcome));
        assert_eq!(fs::read(tree.top.join(".reversion/undo/1/2")).unwrap(), old("b/d.yaml"));
    }

    #[test]
    fn a_tree_on_two_file_systems_is_restored_by_copies() {
        let tree = tree();
        let last = PathBuf::from(NAMES[2]);
        let other = |from_journal: bool| {
            if from_journal { Err(io::Error::from(io::ErrorKind::CrossesDevices)) } else { Ok(()) }
        };
        let renamed = Cell::new(0);
        let outcome = run(&tree, |_, call, place| match call {
            "link" => fault(),
            "rename" if place == last => fault(),
            // The second rename to a place is the one that puts its old content back.
            "rename" if place == Path::new(NAMES[0]) => other(renamed.replace(renamed.get() + 1) == 1),
            _ => Ok(()),
        });
        assert_eq!(outcome.as_ref().unwrap_err().unrestored, []);
        assert!(check_outcome(&tree, outcome));
        assert_eq!(renamed.get(), 3, "in, refused, back as a copy");
    }

    #[test]
    fn changed_files_stop_the_run_and_are_all_reported() {
        let tree = tree();
        let journal = tree.journal();
        let transaction = Transaction::stage(&journal, tree.changes(), "").unwrap();
        fs::write(tree.top.join(NAMES[0]), "edited\n").unwrap();
        fs::remove_file(tree.top.join(NAMES[2])).unwrap();
        let aborted = transaction.commit().unwrap_err();
        let failures = vec![(tree.top.join(NAMES[0]), Failure::Changed), (tree.top.join(NAMES[2]), Failure::Missing)];
        assert_eq!(aborted, Aborted::new(Step::Compare, failures));
        let mut expected = tree.state(old);
        expected.insert(tree.top.join(NAMES[0]), b"edited\n".to_vec());
        expected.remove(&tree.top.join(NAMES[2]));
        assert_eq!(tree.contents(), expected);
        assert_eq!(tree.journaled(), [""; 0]);
    }

    #[test]
    fn an_edit_after_the_comparison_is_found_in_the_kept_content() {
        for call in ["link", "rename"] {
            let tree = tree();
            let last = tree.top.join(NAMES[2]);
            let edited = Rc::new(Cell::new(false));
            let before = if call == "link" { ".reversion/journal/2" } else { NAMES[2] };
            let outcome = run(&tree, |_, name, place| {
                if (name, place) == (call, Path::new(before)) && !edited.replace(true) {
                    fs::write(&last, "edited\n")?;
                }
                Ok(())
            });
            assert_eq!(outcome, Err(Aborted::new(Step::Compare, vec![(last.clone(), Failure::Changed)])));
            let mut expected = tree.state(old);
            expected.insert(last, b"edited\n".to_vec());
            assert_eq!(tree.contents(), expected);
        }
    }

    #[test]
    fn dropping_a_transaction_removes_what_it_staged() {
        let tree = tree();
        let journal = tree.journal();
        let transaction = Transaction::stage(&journal, tree.changes(), "").unwrap();
        assert_eq!(tree.contents().len(), 6);
        drop(transaction);
        assert_eq!(tree.contents(), tree.state(old));
        assert_eq!(tree.journaled(), [""; 0]);
    }

    #[test]
    fn a_removed_folder_stops_the_run() {
        let tree = tree();
        let journal = tree.journal();
        let transaction = Transaction::stage(&journal, tree.changes(), "").unwrap();
        fs::rename(tree.top.join("b"), tree.top.join("gone")).unwrap();
        let aborted = transaction.commit().unwrap_err();
        let missing = |name: &str| (tree.top.join(name), Failure::Missing);
        assert_eq!(aborted, Aborted::new(Step::Compare, vec![missing(NAMES[1]), missing(NAMES[2])]));
        assert_eq!(fs::read(tree.top.join(NAMES[0])).unwrap(), old(NAMES[0]));
        assert!(!tree.top.join("b").exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_replaced_by_a_link_is_not_written_through() {
        for (call, place) in
            [("write_new", "b/"), ("link", ".reversion/journal/1"), ("rename", NAMES[1]), ("rename", NAMES[2])]
        {
            let tree = tree();
            let outside = tempfile::tempdir().unwrap();
            for name in &NAMES[1..] {
                fs::write(outside.path().join(Path::new(name).file_name().unwrap()), old(name)).unwrap();
            }
            let swapped = Cell::new(false);
            let outcome = run(&tree, |_, name, path| {
                if name == call && path.to_str().unwrap().starts_with(place) && !swapped.replace(true) {
                    fs::rename(tree.top.join("b"), tree.top.join("moved"))?;
                    std::os::unix::fs::symlink(outside.path(), tree.top.join("b"))?;
                }
                Ok(())
            });
            assert!(outcome.is_err() && swapped.get(), "{call}");
            assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 2, "{call}");
            for name in &NAMES[1..] {
                let path = outside.path().join(Path::new(name).file_name().unwrap());
                assert_eq!(fs::read(path).unwrap(), old(name), "{call}");
            }
            assert_eq!(fs::read(tree.top.join(NAMES[0])).unwrap(), old(NAMES[0]), "{call}");
        }
    }

    #[track_caller]
    fn check_refused(tree: &Sample, changes: Vec<FileChange>, failures: &[(&str, Failure)]) {
        let before = tree.contents();
        let failures = failures.iter().map(|(name, failure)| (tree.top.join(name), failure.clone())).collect();
        let aborted = Transaction::stage(&tree.journal(), changes, "").unwrap_err();
        assert_eq!(aborted, Aborted::new(Step::Inspect, failures));
        assert_eq!(tree.contents(), before);
        assert_eq!(tree.journaled(), [""; 0]);
    }

    #[test]
    fn every_file_that_cannot_be_replaced_is_reported_at_once() {
        let tree = tree();
        let changes = ["none.yaml", "a.yaml", "b"].map(|name| tree.change(name)).to_vec();
        let failures = [("b", Failure::NotAFile(FileKind::Folder)), ("none.yaml", Failure::Missing)];
        check_refused(&tree, changes, &failures);
    }

    #[test]
    fn files_of_git_and_the_journal_are_not_written() {
        let tree = Sample::new(&["a.yaml", ".git/config", ".reversion/x.yaml"]);
        let failures = [(".git/config", Failure::Reserved), (".reversion/x.yaml", Failure::Reserved)];
        check_refused(&tree, tree.changes(), &failures);
    }

    #[test]
    fn one_file_takes_one_change() {
        let tree = tree();
        let same = tree.change("a.yaml");
        let through_b = FileChange { path: tree.top.join("b/../a.yaml"), ..same.clone() };
        let written =
            Transaction::stage(&tree.journal(), vec![same.clone(), through_b.clone()], "").unwrap().commit().unwrap();
        assert_eq!(written.files, [tree.top.join("a.yaml")]);
        let before = Fingerprint::of(&same.after);
        let [first, second] = [same, through_b].map(|change| FileChange {
            before,
            after: change.path.as_os_str().as_encoded_bytes().to_vec(),
            ..change
        });
        let failure = Failure::SameFile(first.path.clone());
        let aborted = Transaction::stage(&tree.journal(), vec![second.clone(), first], "").unwrap_err();
        assert_eq!(aborted, Aborted::new(Step::Inspect, vec![(second.path, failure)]));
    }

    #[test]
    fn a_change_that_changes_nothing_does_not_touch_its_file() {
        let tree = tree();
        let path = tree.top.join("none.yaml");
        let nothing = FileChange { path, before: Fingerprint::of(b"same"), after: b"same".to_vec() };
        let outcome = Transaction::stage(&tree.watched(|_, _, _| fault()), vec![nothing], "").unwrap().commit();
        assert_eq!(outcome, Ok(WrittenFiles::default()));
    }

    #[test]
    fn an_abort_reports_what_failed_and_where_old_content_is() {
        let path = |name: &str| PathBuf::from(name);
        let aborted = Aborted {
            step: Step::Replace,
            failures: vec![(path("b"), Failure::Denied)],
            unrestored: vec![(path("a"), path(".old"))],
            leftovers: vec![path(".new")],
            tree: TreeState::Same,
        };
        let text = "only some files were restored\n  b: replacing it: permission denied\n  a: has the new content; its old content is in \
                    .old\n  .new: could not be removed";
        assert_eq!(aborted.to_string(), text);
        let aborted = Aborted::new(Step::Compare, vec![(path("a"), Failure::Missing)]);
        assert_eq!(aborted.to_string(), "nothing was written\n  a: no such file or folder");
    }
}
