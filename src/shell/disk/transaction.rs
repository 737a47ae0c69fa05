//! Answers: how are many files replaced, all of them or none?
//!
//! [`Transaction::stage`] records in the journal what is about to be replaced, then writes every new content next to its file, under a
//! temporary name, and flushes it. [`Transaction::commit`] reads every file again and compares it with what the change was
//! planned from; then it keeps each old content in the journal under a second name (a hard link, or a copy where there are
//! none), flushes that, and exchanges the new content with the old one ([`Swap`]). What comes out must be the old content: what another
//! program saved at the last moment is detected there, and once more when all files are exchanged. If anything fails, what was replaced is
//! restored. A transaction that is dropped removes what it staged. What a killed process leaves is finished or rolled back by [`Unfinished`](super::recovery::Unfinished).
//!
//! A run has no empty files: one that is to have no content is removed, and one that has none is made. Removing renames the file to
//! where its new content would be, making renames that to the file.
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

use super::bounds::{Bounds, parent};
use super::failure::Failure;
use super::file_system::{Disk, FileMode, FileSystem};
use super::journal::{Journal, inside};
use super::record::{Action, Record, RecordedFile};
use super::run::{Aborted, FileChange, Step, WrittenFiles};
use super::swap::{Content, Swap};
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
    /// The new content is being put in place.
    Replacing,
    /// The new content is in place.
    Replaced,
}

/// One file that is being replaced.
#[derive(Debug)]
struct Replacement {
    shown: PathBuf,
    swap: Swap,
    /// What it becomes, until that is written.
    after: Vec<u8>,
    /// Whose mode it gets, where it is made.
    like: Option<PathBuf>,
    progress: SwapProgress,
}

/// Files staged to be replaced; dropping it removes what was staged.
#[derive(Debug)]
pub(crate) struct Transaction<'j, F: FileSystem = Disk> {
    journal: &'j Journal<F>,
    record: Option<Record>,
    replacements: Vec<Replacement>,
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
        let mut transaction = Self { journal, record: None, replacements: Vec::new() };
        if changes.is_empty() {
            return Ok(transaction);
        }
        journal.refuse_unfinished()?;
        let token = token();
        let targets = plan(&journal.files, changes)?;
        let file = |(place, change): &(PathBuf, FileChange)| {
            RecordedFile::new(place, change.before, Fingerprint::of(&change.after))
        };
        let record = Record::new(action, label, &token, targets.iter().map(file).collect());
        if let Err(aborted) = journal.begin(&record) {
            // The next run removes what was written of the record.
            let _by_the_next_run = journal.cancel();
            return Err(aborted);
        }
        let replacement = |(at, (_, change)): (usize, (PathBuf, FileChange))| Replacement {
            shown: change.path,
            swap: Swap::of(&record, at, &inside("journal")),
            after: change.after,
            like: change.like,
            progress: SwapProgress::Planned,
        };
        transaction.replacements = targets.into_iter().enumerate().map(replacement).collect();
        transaction.record = Some(record);
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
        if self.replacements.is_empty() {
            return Ok(WrittenFiles::default());
        }
        if let Err(aborted) = self.replace_all() {
            return Err(self.abort(aborted));
        }
        // The run is done. What could not be removed now is removed by the next run, which finds all files new.
        let _by_the_next_run = self.end();
        let replacements = std::mem::take(&mut self.replacements);
        let mut files: Vec<_> = replacements.into_iter().map(|replacement| replacement.shown).collect();
        files.sort();
        Ok(WrittenFiles { files })
    }

    fn replace_all(&mut self) -> Result<(), Aborted> {
        self.compare(|swap| &swap.place)?;
        for replacement in &mut self.replacements {
            let kept = replacement.swap.keep(&self.journal.files);
            kept.map_err(Aborted::at(Step::Keep, &replacement.shown))?;
            replacement.progress = SwapProgress::Kept;
        }
        self.flush(Swap::kept)?;
        let journal = inside("journal");
        self.journal.files.flush(&[&journal]).map_err(|failure| Aborted::new(Step::Flush, vec![failure]))?;
        for replacement in &mut self.replacements {
            replacement.progress = SwapProgress::Replacing;
            replacement.swap.forward(&self.journal.files).map_err(|failure| {
                let step = if failure == Failure::Changed { Step::Compare } else { Step::Replace };
                Aborted::at(step, &replacement.shown)(failure)
            })?;
            replacement.progress = SwapProgress::Replaced;
        }
        // A program that had opened the old file before it was replaced may have written into it since.
        self.compare(|swap| &swap.staged)?;
        self.compare(|swap| &swap.kept)?;
        self.flush(|swap| Some(parent(&swap.place)))
    }

    /// Removes the old content next to the files, and ends the run in the journal.
    fn end(&self) -> Result<(), Aborted> {
        for replacement in &self.replacements {
            let removed = self.journal.files.remove(&replacement.swap.staged);
            removed.map_err(Aborted::at(Step::Journal, &replacement.shown))?;
        }
        self.flush(|swap| Some(parent(&swap.place)))?;
        self.record.as_ref().map_or(Ok(()), |record| self.journal.end(record))
    }

    fn stage_all(&mut self) -> Result<(), Aborted> {
        for replacement in &mut self.replacements {
            let after = std::mem::take(&mut replacement.after);
            let Swap { place, staged, before, .. } = &replacement.swap;
            let is_made = *before == Content::Missing;
            let like = if is_made { replacement.like.as_deref() } else { Some(&**place) };
            let like = like.map_or(FileMode::New, FileMode::SameAs);
            if !after.is_empty() {
                let written = self.journal.files.write_new(staged, &after, like);
                written.map_err(Aborted::at(Step::Stage, &replacement.shown))?;
            }
            replacement.progress = SwapProgress::Staged;
        }
        self.flush(|swap| (swap.after != Content::Missing).then_some(&*swap.staged))
    }

    /// Compares the bytes at a place of every swap with what the file was.
    fn compare(&self, place: impl Fn(&Swap) -> &PathBuf) -> Result<(), Aborted> {
        let differs = |Replacement { shown, swap, .. }: &Replacement| match self.journal.files.read(place(swap)) {
            Ok(bytes) if Content::Bytes(Fingerprint::of(&bytes)) == swap.before => None,
            Ok(_) => Some((shown.clone(), Failure::Changed)),
            Err(Failure::Missing) if swap.before == Content::Missing => None,
            Err(failure) => Some((shown.clone(), failure)),
        };
        let failures: Vec<_> = self.replacements.iter().filter_map(differs).collect();
        Aborted::unless_empty(Step::Compare, failures)
    }

    fn flush(&self, place: impl Fn(&Swap) -> Option<&Path>) -> Result<(), Aborted> {
        let places = self.replacements.iter().filter_map(|replacement| place(&replacement.swap));
        let places: BTreeSet<&Path> = places.collect();
        let places: Vec<&Path> = places.into_iter().collect();
        self.journal.files.flush(&places).map_err(|failure| Aborted::new(Step::Flush, vec![failure]))
    }

    fn abort(mut self, mut aborted: Aborted) -> Aborted {
        self.restore_all(&mut aborted);
        aborted
    }

    /// Restores every file and removes what is next to it; then the record is removed, unless a file could not be restored.
    fn restore_all(&mut self, aborted: &mut Aborted) {
        let replacements = std::mem::take(&mut self.replacements);
        let mut folders = BTreeSet::new();
        for replacement in &replacements {
            let Replacement { shown, swap, progress, .. } = replacement;
            if *progress >= SwapProgress::Replacing {
                folders.insert(parent(&swap.place));
                if self.restore(swap).is_err() {
                    aborted.unrestored.push((shown.clone(), swap.kept().map(|kept| self.journal.shown(kept))));
                    continue;
                }
            }
            self.discard(replacement, &mut aborted.leftovers);
        }
        let folders: Vec<&Path> = folders.into_iter().collect();
        let is_restored = aborted.unrestored.is_empty() && self.journal.files.flush(&folders).is_ok();
        // If the record cannot be removed now, the next run finds the tree untouched and removes it.
        if is_restored && !replacements.is_empty() {
            let _by_the_next_run = self.journal.cancel();
        }
    }

    /// Puts back what was in place of a file, unless it was saved since it was replaced.
    fn restore(&self, swap: &Swap) -> Result<(), Failure> {
        let files = &self.journal.files;
        swap.settle(files)?;
        match Content::at(files, &swap.place)? {
            content if content == swap.after => match swap.back(files) {
                Err(Failure::Changed) => Ok(()),
                restored => restored,
            },
            _ => Ok(()),
        }
    }

    /// Removes what was kept of a file and what is next to it.
    fn discard(&self, Replacement { swap, progress, .. }: &Replacement, leftovers: &mut Vec<PathBuf>) {
        let files = &self.journal.files;
        let is_touched = *progress >= SwapProgress::Replacing;
        let left = if is_touched { swap.left_behind(files) } else { Ok(None) };
        // The old content is removed first: if only that is left, its file counts as replaced.
        if left == Ok(None) && *progress >= SwapProgress::Kept && files.remove(&swap.kept).is_err() {
            leftovers.push(self.journal.shown(&swap.kept));
        }
        let cleared = match progress {
            SwapProgress::Planned => Ok(None),
            SwapProgress::Staged | SwapProgress::Kept => {
                files.remove(&swap.staged).map(|()| None).map_err(Failure::from)
            }
            SwapProgress::Replacing | SwapProgress::Replaced => swap.clear(files),
        };
        let left = cleared.unwrap_or_else(|_| Some(swap.staged.clone()));
        leftovers.extend(left.map(|place| self.journal.shown(&place)));
    }
}

impl<F: FileSystem> Drop for Transaction<'_, F> {
    fn drop(&mut self) {
        self.restore_all(&mut Aborted::new(Step::Stage, Vec::new()));
    }
}

/// Resolves the file of every change, in the order of places.
fn plan(files: &impl FileSystem, changes: Vec<FileChange>) -> Result<Vec<(PathBuf, FileChange)>, Aborted> {
    let mut targets = Vec::with_capacity(changes.len());
    let mut failures = Vec::new();
    for change in changes {
        match target(files, &change.path, change.before) {
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
    Ok(targets)
}

/// Resolves the file of a change of what is `before` now.
fn target(files: &impl FileSystem, path: &Path, before: Fingerprint) -> Result<PathBuf, Failure> {
    if before.is_of_nothing() { files.new_target(path) } else { files.target(path) }
}

/// Checks that the files, each with what is in it now, can be replaced, before anybody is asked about them.
///
/// # Errors
/// [`Aborted`] with every file that cannot be replaced.
pub(crate) fn check(bounds: Bounds, files: &[(PathBuf, Fingerprint)]) -> Result<(), Aborted> {
    let top = bounds.top().to_path_buf();
    let disk = Disk::open(bounds).map_err(Aborted::at(Step::Inspect, &top))?;
    let failure = |(file, before): &(PathBuf, Fingerprint)| Some((file.clone(), target(&disk, file, *before).err()?));
    Aborted::unless_empty(Step::Inspect, files.iter().filter_map(failure).collect())
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

    use super::*;
    use crate::shell::disk::failure::FileKind;
    use crate::shell::disk::recovery::{RunProgress, Unfinished};
    use crate::shell::disk::run::{ChangedFiles, TreeState};
    use crate::shell::disk::sample::{Sample, Save, fault, new, old};

    const NAMES: [&str; 3] = ["a.yaml", "b/c.yaml", "b/d.yaml"];

    /// A file that is replaced, one that is removed and one that is made.
    const ALL_KINDS: [&str; 3] = ["a.yaml", "b/gone.yaml", "b/made.yaml"];

    fn tree() -> Sample {
        Sample::new(&NAMES)
    }

    fn run(tree: &Sample, hook: impl Fn(usize, &str, &Path) -> io::Result<()>) -> Result<WrittenFiles, Aborted> {
        Transaction::stage(&tree.watched(hook), tree.changes(), "")?.commit()
    }

    /// Checks what is in the tree against what the outcome says; returns whether no temporary file is left.
    #[track_caller]
    fn check_outcome(tree: &Sample, outcome: Result<WrittenFiles, Aborted>) -> bool {
        if outcome.is_ok() {
            // What the run could not remove is removed by the next one.
            let journal = tree.journal();
            Unfinished::find(&journal)
                .unwrap()
                .map(|unfinished| unfinished.roll_forward(ChangedFiles::Refuse).unwrap());
        }
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
                    let kept = kept.as_ref().map_or_else(Vec::new, |kept| fs::read(kept).unwrap());
                    assert_eq!(kept, old(name), "the old content is where the message says");
                    let found = found.get(path).cloned().unwrap_or_default();
                    assert!(found == old(name) || found == new(name));
                }
                if !aborted.unrestored.is_empty() {
                    let journal = tree.journal();
                    let unfinished = Unfinished::find(&journal).unwrap().unwrap();
                    let is_complete = unfinished.progress() == RunProgress::Complete;
                    unfinished.roll_back(ChangedFiles::Refuse).unwrap();
                    assert_eq!(tree.contents(), tree.state(if is_complete { new } else { old }));
                    return false;
                }
                aborted.leftovers
            }
        };
        found.retain(|path, _| !leftovers.contains(path));
        assert_eq!(found, tree.state(old));
        leftovers.is_empty()
    }

    /// Runs with hooks made for each number, until one is larger than the number of calls made; returns that number.
    fn for_every_call(names: &[&str], check: impl Fn(&Sample, usize, &Cell<usize>)) -> usize {
        for_every_call_from(0, names, check)
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
        let staged: Vec<_> = transaction.replacements.iter().map(|replacement| replacement.shown.clone()).collect();
        assert_eq!(staged, tree.paths());
        let written = transaction.commit().unwrap();
        assert_eq!(written, WrittenFiles { files: tree.paths() });
        assert_eq!(tree.contents(), tree.state(new));
        assert_eq!(tree.journaled(), ["undo/1"]);
        assert_eq!(fs::read(tree.top.join(".reversion/undo/1/1")).unwrap(), old("b/c.yaml"));
    }

    #[test]
    fn one_fault_at_any_call_leaves_all_old_or_all_new() {
        let count = |names: &[&str]| {
            for_every_call(names, |tree, at, calls| {
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
            })
        };
        // Per file: target, stage, flush, compare, link, flush, exchange, compare what came out, then again, and what is kept, remove.
        // Begin: read, names and remove_folder of what could be there; make_folder, write_new, flush, rename, two flushes.
        // Before the first rename the journal is flushed. Then two folders are, twice. End: names, make_folder, rename, two flushes;
        // names twice to prune.
        let about_run = 9 + 1 + 4 + 5 + 2;
        assert_eq!(count(&NAMES), 3 * 11 + about_run);
        // One that is removed is not staged and flushed. One that is made is not linked and flushed, nor read when nothing came out.
        assert_eq!(count(&ALL_KINDS), 11 + (11 - 2) + (11 - 3) + about_run);
    }

    #[test]
    fn two_faults_at_any_calls_lose_only_reported_content() {
        let trees = [&NAMES[..2], &ALL_KINDS[1..]];
        for (first, names) in (0..2 * 11 + 21).flat_map(|first| trees.map(|names| (first, names))) {
            for_every_call_from(first + 1, names, |tree, second, calls| {
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
        for names in [NAMES, ALL_KINDS] {
            for_every_call(&names, |tree, at, calls| {
                let outcome = run(tree, |call, _, _| {
                    calls.set(call + 1);
                    if call >= at { fault() } else { Ok(()) }
                });
                check_outcome(tree, outcome);
            });
        }
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
        let trees = DISK_ERRORS.into_iter().flat_map(|error| [(error, NAMES), (error, ALL_KINDS)]);
        for ((kind, is_persistent), names) in trees {
            let (old_trees, new_trees) = (Cell::new(0), Cell::new(0));
            let calls = for_every_call(&names, |tree, at, calls| {
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
    fn without_hard_links_a_run_that_fails_is_restored_too() {
        let tree = tree();
        let outcome = run(&tree, |_, call, place| match call {
            "link" => fault(),
            "exchange" if place == Path::new(NAMES[2]) => fault(),
            _ => Ok(()),
        });
        assert_eq!(outcome.as_ref().unwrap_err().unrestored, []);
        assert!(check_outcome(&tree, outcome));
    }

    #[test]
    fn a_file_system_that_can_neither_exchange_nor_rename_to_a_new_name_is_refused() {
        let tree = Sample::that(&NAMES, false);
        let outcome = run(&tree, |_, call, _| if call == "rename_new" { fault() } else { Ok(()) });
        let aborted = outcome.as_ref().unwrap_err();
        assert_eq!((aborted.step, &aborted.unrestored[..]), (Step::Replace, &[][..]));
        assert!(check_outcome(&tree, outcome));
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
    fn a_file_saved_after_the_comparison_stops_the_run() {
        for (can_exchange, how) in FORMS {
            for call in ["link", "exchange"] {
                let tree = Sample::that(&NAMES, can_exchange);
                let last = tree.top.join(NAMES[2]);
                let edited = Cell::new(false);
                let before = if call == "link" { ".reversion/journal/2" } else { NAMES[2] };
                let outcome = run(&tree, |_, name, place| {
                    if (name, place) == (call, Path::new(before)) && !edited.replace(true) {
                        tree.save(NAMES[2], how, "edited\n");
                    }
                    Ok(())
                });
                assert_eq!(outcome, Err(Aborted::new(Step::Compare, vec![(last.clone(), Failure::Changed)])));
                let mut expected = tree.state(old);
                expected.insert(last, b"edited\n".to_vec());
                assert_eq!(tree.contents(), expected);
                assert_eq!(tree.journaled(), [""; 0]);
            }
        }
    }

    /// Whether the file system can exchange files, and how another program saves one.
    const FORMS: [(bool, Save); 4] =
        [(true, Save::ByRename), (true, Save::InPlace), (false, Save::ByRename), (false, Save::InPlace)];

    /// Checks that a file that was saved before these calls has what was saved last, and that the others are all old or all new.
    fn check_saved(names: &[&str], saves: &[usize], how: Save, can_exchange: bool) -> usize {
        let tree = Sample::that(names, can_exchange);
        let name = names[names.len() - 1];
        let (calls, last) = (Cell::new(0), Cell::new(None));
        let outcome = run(&tree, |call, _, _| {
            calls.set(call + 1);
            // A file that is away has no content to write into.
            if saves.contains(&call) && (how == Save::ByRename || tree.top.join(name).exists()) {
                tree.save(name, how, &format!("saved at {call}\n"));
                last.set(Some(call));
            }
            Ok(())
        });
        let mut expected = tree.state(if outcome.is_ok() { new } else { old });
        if let Some(call) = last.get() {
            expected.insert(tree.top.join(name), format!("saved at {call}\n").into_bytes());
        }
        let mut found = tree.contents();
        // What was saved and then saved again may be left next to its file: the outcome names it.
        for leftover in outcome.err().map(|aborted| aborted.leftovers).unwrap_or_default() {
            found.remove(&leftover);
        }
        assert_eq!(found, expected, "{saves:?} {how:?}, can exchange: {can_exchange}");
        calls.get()
    }

    #[test]
    fn a_file_saved_at_any_moment_is_not_lost() {
        for (can_exchange, how) in FORMS {
            for names in [&NAMES[..], &ALL_KINDS[..], &ALL_KINDS[..2]] {
                let mut at = 0;
                while check_saved(names, &[at], how, can_exchange) > at {
                    at += 1;
                }
                assert!(at > 40, "{at}");
            }
        }
    }

    #[test]
    fn a_file_saved_twice_at_any_moments_has_what_was_saved_last() {
        for (can_exchange, how) in FORMS {
            for names in [&NAMES[..1], &ALL_KINDS[1..2], &ALL_KINDS[2..]] {
                let mut at = 0;
                while check_saved(names, &[at], how, can_exchange) > at {
                    for then in 1..4 {
                        check_saved(names, &[at, at + then, at + then + 1], how, can_exchange);
                    }
                    at += 1;
                }
            }
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
            [("write_new", "b/"), ("link", ".reversion/journal/1"), ("exchange", NAMES[1]), ("exchange", NAMES[2])]
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
        let nothing = FileChange { path, before: Fingerprint::of(b"same"), after: b"same".to_vec(), like: None };
        let outcome = Transaction::stage(&tree.watched(|_, _, _| fault()), vec![nothing], "").unwrap().commit();
        assert_eq!(outcome, Ok(WrittenFiles::default()));
    }

    #[test]
    fn an_abort_reports_what_failed_and_where_old_content_is() {
        let path = |name: &str| PathBuf::from(name);
        let aborted = Aborted {
            step: Step::Replace,
            failures: vec![(path("b"), Failure::Denied)],
            unrestored: vec![(path("a"), Some(path(".old"))), (path("made"), None)],
            leftovers: vec![path(".new")],
            tree: TreeState::Same,
        };
        let text = "only some files were restored\n  b: replacing it: permission denied\n  a: could not be restored; its old content is in \
                    .old\n  made: could not be restored; it was not there before\n  .new: was not removed";
        assert_eq!(aborted.to_string(), text);
        let aborted = Aborted::new(Step::Compare, vec![(path("a"), Failure::Missing)]);
        assert_eq!(aborted.to_string(), "nothing was written\n  a: no such file or folder");
    }
}
