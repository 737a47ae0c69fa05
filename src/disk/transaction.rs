//! Answers: how do many files change all at once, or not at all?
//!
//! [`Transaction::stage`] writes every new content beside its file, under a name of its own, and flushes it.
//! [`Transaction::commit`] reads every file again and compares it with what the change was planned from; then it keeps each old
//! content beside under a second name (a hard link, or a copy where there are none) and puts the new one in its place. Then it
//! looks at what it kept: what another program wrote at the last moment is found there. When anything fails, what was replaced is put
//! back. A transaction that is dropped removes what it staged.
//!
//! A path that is a symbolic link stays one; the file it leads to is replaced. A file that has several names (hard links) is
//! refused: replacing it would part them, and writing through would not be one step. A file whose mode lets nobody write is
//! refused, as an editor does. The new file has the mode of the old one and, where the system permits, its owner; extended
//! attributes are not carried over.
//!
//! Invariant: every file is at every moment wholly old or wholly new, and no old content is removed before all are new.

use std::collections::BTreeSet;
use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};

use super::failure::Failure;
use super::files::{Disk, Files};

/// What a file's bytes are, in 24: their number and their FNV-1a hash of 128 bits.
///
/// It is the same in every process. It tells an edit from none, and is no proof against somebody who wants two files to
/// look the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint {
    length: u64,
    hash: u128,
}

impl Fingerprint {
    /// Takes the fingerprint of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
        const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
        let hash = bytes.iter().fold(OFFSET, |hash, byte| (hash ^ u128::from(*byte)).wrapping_mul(PRIME));
        Self { length: bytes.len() as u64, hash }
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:032x}", self.length, self.hash)
    }
}

/// One file's new content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The file, as the user knows it; may be a symbolic link to it.
    pub path: PathBuf,
    /// What the file was when the change was planned.
    pub before: Fingerprint,
    /// All of its new bytes.
    pub after: Vec<u8>,
}

/// What a transaction was doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Looking whether the files can be replaced.
    Look,
    /// Writing new content beside the files.
    Stage,
    /// Waiting for the disk.
    Flush,
    /// Comparing the files with what they were.
    Compare,
    /// Keeping old content beside the files.
    Keep,
    /// Putting new content in the place of the old.
    Replace,
}

impl Step {
    /// Says what failed, where the failure alone does not.
    const fn attempt(self) -> &'static str {
        match self {
            Self::Look | Self::Compare => "",
            Self::Stage => "writing new content beside it: ",
            Self::Flush => "waiting for the disk: ",
            Self::Keep => "keeping old content beside it: ",
            Self::Replace => "replacing it: ",
        }
    }
}

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The files that changed, by the path of the change, in the order of paths.
    pub files: Vec<PathBuf>,
    /// Old content that could not be removed; the files are new all the same.
    pub leftovers: Vec<PathBuf>,
}

/// Why nothing was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aborted {
    /// What the transaction was doing.
    pub step: Step,
    /// The paths that stopped it, each with its failure.
    pub failures: Vec<(PathBuf, Failure)>,
    /// Files that are new and could not be put back, each with the place of its old content. Only when a second thing failed.
    pub unrestored: Vec<(PathBuf, PathBuf)>,
    /// What was written beside files and could not be removed again.
    pub leftovers: Vec<PathBuf>,
}

impl Aborted {
    fn new(step: Step, failures: Failures) -> Self {
        Self { step, failures, unrestored: Vec::new(), leftovers: Vec::new() }
    }
}

impl fmt::Display for Aborted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.unrestored.is_empty() { "nothing was written" } else { "only some files were put back" })?;
        for (path, failure) in &self.failures {
            write!(f, "\n  {}: {}{failure}", path.display(), self.step.attempt())?;
        }
        for (path, kept) in &self.unrestored {
            write!(f, "\n  {}: is new; its old content is in {}", path.display(), kept.display())?;
        }
        for path in &self.leftovers {
            write!(f, "\n  {}: could not be removed", path.display())?;
        }
        Ok(())
    }
}

impl std::error::Error for Aborted {}

/// How far one file has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Progress {
    /// Nothing is done.
    Planned,
    /// The new content is beside the file.
    Staged,
    /// The old content has a second name.
    Kept,
    /// The new content is in place.
    Replaced,
}

/// One file on its way.
#[derive(Debug)]
struct Swap {
    shown: PathBuf,
    target: PathBuf,
    staged: PathBuf,
    kept: PathBuf,
    before: Fingerprint,
    progress: Progress,
}

/// Files staged to be replaced; dropping it removes what was staged.
#[derive(Debug)]
pub struct Transaction<F: Files = Disk> {
    files: F,
    swaps: Vec<Swap>,
}

impl Transaction {
    /// Writes the new content of every change beside its file. A change that changes nothing is left out.
    ///
    /// # Errors
    /// [`Aborted`] with every file that cannot be replaced, or the first whose content could not be written; then nothing
    /// is staged. Two changes of one file are [`Failure::SameFile`] unless they are the same change.
    pub fn stage(changes: Vec<Change>) -> Result<Self, Aborted> {
        Self::stage_on(Disk, changes)
    }
}

impl<F: Files> Transaction<F> {
    /// Does what [`Transaction::stage`] does, on these files.
    ///
    /// # Errors
    /// The same.
    pub fn stage_on(files: F, changes: Vec<Change>) -> Result<Self, Aborted> {
        let planned = plan(&files, changes).map_err(|failures| Aborted::new(Step::Look, failures))?;
        let mut transaction = Self { files, swaps: Vec::with_capacity(planned.len()) };
        for (swap, after) in planned {
            transaction.swaps.push(swap);
            if let Err((step, failures)) = transaction.stage_last(&after) {
                return Err(transaction.abort(step, failures));
            }
        }
        match transaction.flush(|swap| swap.staged.as_path()) {
            Ok(()) => Ok(transaction),
            Err((step, failures)) => Err(transaction.abort(step, failures)),
        }
    }

    /// Returns the paths of the changes that are staged, in the order of paths.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.swaps.iter().map(|swap| swap.shown.as_path())
    }

    /// Replaces every file, or none.
    ///
    /// # Errors
    /// [`Aborted`]: with every file that is not what its change was planned from, or the first that could not be replaced. All
    /// files are then what they were, but for those it names as unrestored.
    pub fn commit(mut self) -> Result<Written, Aborted> {
        match self.replace_all() {
            Ok(()) => Ok(self.finish()),
            Err((step, failures)) => Err(self.abort(step, failures)),
        }
    }

    fn replace_all(&mut self) -> Result<(), Stop> {
        self.compare(|swap| &swap.target)?;
        for swap in &mut self.swaps {
            keep(&self.files, swap).map_err(|failure| (Step::Keep, vec![(swap.shown.clone(), failure)]))?;
            swap.progress = Progress::Kept;
            let replaced = self.files.rename(&swap.staged, &swap.target);
            replaced.map_err(|error| (Step::Replace, vec![(swap.shown.clone(), error.into())]))?;
            swap.progress = Progress::Replaced;
        }
        self.compare(|swap| &swap.kept)?;
        self.flush(|swap| folder(&swap.target))
    }

    fn stage_last(&mut self, after: &[u8]) -> Result<(), Stop> {
        let Some(swap) = self.swaps.last_mut() else {
            return Ok(());
        };
        let written = self.files.write_new(&swap.staged, after, &swap.target);
        written.map_err(|error| (Step::Stage, vec![(swap.shown.clone(), error.into())]))?;
        swap.progress = Progress::Staged;
        Ok(())
    }

    /// Compares the bytes at a place of every swap with what they were.
    fn compare(&self, place: impl Fn(&Swap) -> &PathBuf) -> Result<(), Stop> {
        let differs = |swap: &Swap| match self.files.read(place(swap)) {
            Ok(bytes) if Fingerprint::of(&bytes) == swap.before => None,
            Ok(_) => Some((swap.shown.clone(), Failure::Changed)),
            Err(failure) => Some((swap.shown.clone(), failure)),
        };
        let failures: Vec<_> = self.swaps.iter().filter_map(differs).collect();
        if failures.is_empty() { Ok(()) } else { Err((Step::Compare, failures)) }
    }

    fn flush(&self, place: impl Fn(&Swap) -> &Path) -> Result<(), Stop> {
        let places: BTreeSet<&Path> = self.swaps.iter().map(place).collect();
        let places: Vec<&Path> = places.into_iter().collect();
        self.files.flush(&places).map_err(|failure| (Step::Flush, vec![failure]))
    }

    /// Removes the old content of files that are new.
    fn finish(mut self) -> Written {
        let mut written = Written::default();
        for swap in std::mem::take(&mut self.swaps) {
            if self.files.remove(&swap.kept).is_err() {
                written.leftovers.push(swap.kept);
            }
            written.files.push(swap.shown);
        }
        written.files.sort();
        written
    }

    fn abort(mut self, step: Step, failures: Failures) -> Aborted {
        let mut aborted = Aborted::new(step, failures);
        self.put_back(&mut aborted);
        aborted
    }

    /// Puts every file back and removes what lies beside it.
    fn put_back(&mut self, aborted: &mut Aborted) {
        for swap in std::mem::take(&mut self.swaps).into_iter() {
            if swap.progress == Progress::Replaced {
                if self.files.rename(&swap.kept, &swap.target).is_err() {
                    aborted.unrestored.push((swap.shown, swap.kept));
                }
                continue;
            }
            if swap.progress == Progress::Kept && self.files.remove(&swap.kept).is_err() {
                aborted.leftovers.push(swap.kept);
            }
            if swap.progress >= Progress::Staged && self.files.remove(&swap.staged).is_err() {
                aborted.leftovers.push(swap.staged);
            }
        }
    }
}

impl<F: Files> Drop for Transaction<F> {
    fn drop(&mut self) {
        self.put_back(&mut Aborted::new(Step::Stage, Vec::new()));
    }
}

/// Paths that failed, each with its failure.
type Failures = Vec<(PathBuf, Failure)>;

/// What stopped a transaction: the step and the paths that failed in it.
type Stop = (Step, Failures);

/// Finds the file behind every change that changes something, in the order of files.
fn plan(files: &impl Files, changes: Vec<Change>) -> Result<Vec<(Swap, Vec<u8>)>, Failures> {
    let mut found = Vec::with_capacity(changes.len());
    let mut failures = Vec::new();
    for change in changes.into_iter().filter(|change| Fingerprint::of(&change.after) != change.before) {
        match files.target(&change.path) {
            Ok(target) => found.push((target, change)),
            Err(failure) => failures.push((change.path, failure)),
        }
    }
    found.sort_by(|left, right| (&left.0, &left.1.path).cmp(&(&right.0, &right.1.path)));
    found.dedup_by(|right, left| right.0 == left.0 && right.1.after == left.1.after);
    for pair in found.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        failures.push((pair[1].1.path.clone(), Failure::SameFile(pair[0].1.path.clone())));
    }
    failures.sort();
    let token = token();
    let swaps = found.into_iter().enumerate().map(|(at, (target, change))| swap(at, &token, target, change));
    if failures.is_empty() { Ok(swaps.collect()) } else { Err(failures) }
}

fn swap(at: usize, token: &str, target: PathBuf, change: Change) -> (Swap, Vec<u8>) {
    let beside = |role: &str| folder(&target).join(format!(".reversion-{token}-{at}.{role}.tmp"));
    let (staged, kept) = (beside("new"), beside("old"));
    let progress = Progress::Planned;
    (Swap { shown: change.path, target, staged, kept, before: change.before, progress }, change.after)
}

/// Makes a word that no other transaction uses.
fn token() -> String {
    format!("{:016x}", RandomState::new().build_hasher().finish())
}

/// Gives the old content of `swap` a second name; where the file system has no links, a copy does.
fn keep(files: &impl Files, swap: &Swap) -> Result<(), Failure> {
    match files.link(&swap.target, &swap.kept) {
        Ok(()) => Ok(()),
        Err(_) => Ok(files.write_new(&swap.kept, &files.read(&swap.target)?, &swap.target)?),
    }
}

/// Returns the folder of a resolved file, which has one.
fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::collections::BTreeMap;
    use std::fs;
    use std::io;
    use std::rc::Rc;

    use super::*;
    use crate::disk::failure::Kind;

    /// The real files, with a hook before every call that gets its number, its name and its path.
    struct Watched<H: Fn(usize, &str, &Path) -> io::Result<()>> {
        hook: H,
        calls: Cell<usize>,
    }

    impl<H: Fn(usize, &str, &Path) -> io::Result<()>> Watched<H> {
        fn new(hook: H) -> Self {
            Self { hook, calls: Cell::new(0) }
        }

        fn before(&self, call: &str, path: &Path) -> io::Result<()> {
            (self.hook)(self.calls.replace(self.calls.get() + 1), call, path)
        }
    }

    impl<H: Fn(usize, &str, &Path) -> io::Result<()>> Files for Watched<H> {
        fn target(&self, path: &Path) -> Result<PathBuf, Failure> {
            self.before("target", path)?;
            Disk.target(path)
        }

        fn read(&self, path: &Path) -> Result<Vec<u8>, Failure> {
            self.before("read", path)?;
            Disk.read(path)
        }

        fn write_new(&self, path: &Path, bytes: &[u8], like: &Path) -> io::Result<()> {
            self.before("write_new", path)?;
            Disk.write_new(path, bytes, like)
        }

        fn link(&self, path: &Path, name: &Path) -> io::Result<()> {
            self.before("link", path)?;
            Disk.link(path, name)
        }

        fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
            self.before("rename", to)?;
            Disk.rename(from, to)
        }

        fn remove(&self, path: &Path) -> io::Result<()> {
            self.before("remove", path)?;
            Disk.remove(path)
        }

        /// Waits for no disk: a test that fails every call in turn would take minutes.
        fn flush(&self, paths: &[&Path]) -> Result<(), (PathBuf, Failure)> {
            paths.iter().try_for_each(|path| {
                self.before("flush", path).map_err(|error| (path.to_path_buf(), Failure::from(error)))
            })
        }
    }

    const NAMES: [&str; 3] = ["a.yaml", "b/c.yaml", "b/d.yaml"];

    fn old(name: &str) -> Vec<u8> {
        format!("old {name}\n").into_bytes()
    }

    fn new(name: &str) -> Vec<u8> {
        format!("new and longer {name}\n").into_bytes()
    }

    fn tree() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("b")).unwrap();
        for name in NAMES {
            fs::write(folder.path().join(name), old(name)).unwrap();
        }
        folder
    }

    fn change(top: &Path, name: &str) -> Change {
        Change { path: top.join(name), before: Fingerprint::of(&old(name)), after: new(name) }
    }

    fn changes(top: &Path) -> Vec<Change> {
        NAMES.map(|name| change(top, name)).to_vec()
    }

    /// Reads every file of the test's tree, by its path.
    fn contents(top: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
        let entries = [top.to_owned(), top.join("b")].map(|folder| fs::read_dir(folder).unwrap());
        let paths = entries.into_iter().flatten().map(|entry| entry.unwrap().path());
        paths.filter(|path| path.is_file()).map(|path| (path.clone(), fs::read(&path).unwrap())).collect()
    }

    fn state(top: &Path, content: fn(&str) -> Vec<u8>) -> BTreeMap<PathBuf, Vec<u8>> {
        NAMES.iter().map(|name| (top.join(name), content(name))).collect()
    }

    fn run(top: &Path, hook: impl Fn(usize, &str, &Path) -> io::Result<()>) -> Result<Written, Aborted> {
        Transaction::stage_on(Watched::new(hook), changes(top))?.commit()
    }

    /// Checks what lies in the tree against what the outcome says; returns whether nothing stayed that should not.
    #[track_caller]
    fn check_outcome(top: &Path, outcome: Result<Written, Aborted>) -> bool {
        let mut found = contents(top);
        let (expected, leftovers) = match outcome {
            Ok(written) => {
                assert_eq!(written.files, NAMES.map(|name| top.join(name)));
                (state(top, new), written.leftovers)
            }
            Err(aborted) => {
                let mut expected = state(top, old);
                for (path, kept) in &aborted.unrestored {
                    let name = path.strip_prefix(top).unwrap().to_str().unwrap();
                    assert_eq!(found.remove(kept), Some(old(name)), "the old content is where the message says");
                    expected.insert(path.clone(), new(name));
                }
                assert!(!aborted.failures.is_empty());
                (
                    expected,
                    aborted.leftovers.into_iter().chain(aborted.unrestored.into_iter().map(|pair| pair.1)).collect(),
                )
            }
        };
        let is_clean = leftovers.is_empty();
        found.retain(|path, _| !leftovers.contains(path));
        assert_eq!(found, expected);
        is_clean
    }

    fn fault() -> io::Result<()> {
        Err(io::Error::other("fault"))
    }

    /// Runs with hooks made for each number, until one is larger than the number of calls made; returns that number.
    fn for_every_call(check: impl Fn(&Path, usize, &Cell<usize>)) -> usize {
        for at in 0.. {
            let folder = tree();
            let calls = Cell::new(0);
            check(&folder.path().canonicalize().unwrap(), at, &calls);
            if calls.get() <= at {
                return at;
            }
        }
        unreachable!("a transaction makes a finite number of calls")
    }

    #[test]
    fn every_file_gets_its_new_bytes_and_nothing_else_stays() {
        let folder = tree();
        let top = folder.path().canonicalize().unwrap();
        let transaction = Transaction::stage(changes(&top)).unwrap();
        assert_eq!(transaction.paths().collect::<Vec<_>>(), NAMES.map(|name| top.join(name)));
        let written = transaction.commit().unwrap();
        assert_eq!(written, Written { files: NAMES.map(|name| top.join(name)).to_vec(), leftovers: vec![] });
        assert_eq!(contents(&top), state(&top, new));
    }

    #[test]
    fn one_fault_at_any_call_leaves_all_old_or_all_new() {
        let calls = for_every_call(|top, at, calls| {
            let was_removing = Cell::new(false);
            let outcome = run(top, |call, name, _| {
                calls.set(call + 1);
                was_removing.set(was_removing.get() || call == at && name == "remove");
                if call == at { fault() } else { Ok(()) }
            });
            if let Err(aborted) = &outcome {
                assert_eq!(aborted.unrestored, []);
            }
            assert_eq!(check_outcome(top, outcome), !was_removing.get(), "call {at}");
        });
        // Per file: target, stage, flush, compare, link, rename, compare, remove; two folders are flushed.
        assert_eq!(calls, 3 * 8 + 2);
    }

    #[test]
    fn two_faults_at_any_calls_lose_nothing_that_is_not_named() {
        for first in 0..3 * 8 + 2 {
            for_every_call(|top, second, calls| {
                let outcome = run(top, |call, _, _| {
                    calls.set(call + 1);
                    if call == first || call == second { fault() } else { Ok(()) }
                });
                check_outcome(top, outcome);
            });
        }
    }

    #[test]
    fn when_nothing_works_any_more_each_file_is_whole_and_old_content_is_named() {
        for_every_call(|top, at, calls| {
            let outcome = run(top, |call, _, _| {
                calls.set(call + 1);
                if call >= at { fault() } else { Ok(()) }
            });
            check_outcome(top, outcome);
        });
    }

    #[test]
    fn where_there_are_no_links_copies_are_kept() {
        let top = tree();
        let top = top.path().canonicalize().unwrap();
        let outcome = run(&top, |_, call, _| if call == "link" { fault() } else { Ok(()) });
        assert!(outcome.is_ok() && check_outcome(&top, outcome));
        let top = tree();
        let top = top.path().canonicalize().unwrap();
        let last = top.join(NAMES[2]);
        let outcome = run(
            &top,
            |_, call, path| if call == "link" || (call, path) == ("rename", &last) { fault() } else { Ok(()) },
        );
        assert!(outcome.is_err() && check_outcome(&top, outcome));
    }

    #[test]
    fn a_file_that_changed_stops_all_and_every_such_file_is_named() {
        let folder = tree();
        let top = folder.path().canonicalize().unwrap();
        let transaction = Transaction::stage(changes(&top)).unwrap();
        fs::write(top.join(NAMES[0]), "edited\n").unwrap();
        fs::remove_file(top.join(NAMES[2])).unwrap();
        let aborted = transaction.commit().unwrap_err();
        let failures = vec![(top.join(NAMES[0]), Failure::Changed), (top.join(NAMES[2]), Failure::Missing)];
        assert_eq!(aborted, Aborted::new(Step::Compare, failures));
        let mut expected = state(&top, old);
        expected.insert(top.join(NAMES[0]), b"edited\n".to_vec());
        expected.remove(&top.join(NAMES[2]));
        assert_eq!(contents(&top), expected);
    }

    #[test]
    fn an_edit_after_the_comparison_is_found_in_what_was_kept() {
        for call in ["link", "rename"] {
            let folder = tree();
            let top = folder.path().canonicalize().unwrap();
            let last = top.join(NAMES[2]);
            let edited = Rc::new(Cell::new(false));
            let outcome = run(&top, |_, name, path| {
                if (name, path) == (call, &last) && !edited.replace(true) {
                    fs::write(&last, "edited\n")?;
                }
                Ok(())
            });
            assert_eq!(outcome, Err(Aborted::new(Step::Compare, vec![(last.clone(), Failure::Changed)])));
            let mut expected = state(&top, old);
            expected.insert(last, b"edited\n".to_vec());
            assert_eq!(contents(&top), expected);
        }
    }

    #[test]
    fn dropping_a_transaction_removes_what_it_staged() {
        let folder = tree();
        let transaction = Transaction::stage(changes(folder.path())).unwrap();
        assert_eq!(contents(folder.path()).len(), 6);
        drop(transaction);
        assert_eq!(contents(folder.path()), state(folder.path(), old));
    }

    #[test]
    fn a_folder_that_disappears_stops_all() {
        let folder = tree();
        let top = folder.path().canonicalize().unwrap();
        let transaction = Transaction::stage(changes(&top)).unwrap();
        fs::rename(top.join("b"), top.join("gone")).unwrap();
        let aborted = transaction.commit().unwrap_err();
        let missing = |name: &str| (top.join(name), Failure::Missing);
        assert_eq!(aborted, Aborted::new(Step::Compare, vec![missing(NAMES[1]), missing(NAMES[2])]));
        assert_eq!(fs::read(top.join(NAMES[0])).unwrap(), old(NAMES[0]));
        assert!(!top.join("b").exists());
    }

    #[track_caller]
    fn check_refused(top: &Path, changes: Vec<Change>, failures: &[(&str, Failure)]) {
        let before = contents(top);
        let failures = failures.iter().map(|(name, failure)| (top.join(name), failure.clone())).collect();
        let aborted = Transaction::stage(changes).unwrap_err();
        assert_eq!(aborted, Aborted::new(Step::Look, failures));
        assert_eq!(contents(top), before);
    }

    #[test]
    fn all_that_cannot_be_replaced_is_named_at_once() {
        let folder = tree();
        let top = folder.path();
        let changes = ["none.yaml", "a.yaml", "b"].map(|name| change(top, name)).to_vec();
        let failures = [("b", Failure::NotAFile(Kind::Folder)), ("none.yaml", Failure::Missing)];
        check_refused(top, changes, &failures);
    }

    #[test]
    fn one_file_takes_one_change() {
        let folder = tree();
        let top = folder.path();
        let same = change(top, "a.yaml");
        let through_b = Change { path: top.join("b/../a.yaml"), ..same.clone() };
        let written = Transaction::stage(vec![same.clone(), through_b.clone()]).unwrap().commit().unwrap();
        assert_eq!(written.files, [top.join("a.yaml")]);
        let before = Fingerprint::of(&same.after);
        let [first, second] = [same, through_b].map(|change| Change {
            before,
            after: change.path.as_os_str().as_encoded_bytes().to_vec(),
            ..change
        });
        let failure = Failure::SameFile(first.path.clone());
        check_refused(top, vec![second, first], &[("b/../a.yaml", failure)]);
    }

    #[test]
    fn a_change_that_changes_nothing_does_not_touch_its_file() {
        let folder = tree();
        let top = folder.path();
        let path = top.join("none.yaml");
        let nothing = Change { path, before: Fingerprint::of(b"same"), after: b"same".to_vec() };
        let outcome = Transaction::stage_on(Watched::new(|_, _, _| fault()), vec![nothing]).unwrap().commit();
        assert_eq!(outcome, Ok(Written::default()));
    }

    #[test]
    fn an_abort_says_what_failed_and_where_old_content_is() {
        let path = |name: &str| PathBuf::from(name);
        let aborted = Aborted {
            step: Step::Replace,
            failures: vec![(path("b"), Failure::Denied)],
            unrestored: vec![(path("a"), path(".old"))],
            leftovers: vec![path(".new")],
        };
        let text = "only some files were put back\n  b: replacing it: permission denied\n  a: is new; its old content is in \
                    .old\n  .new: could not be removed";
        assert_eq!(aborted.to_string(), text);
        let aborted = Aborted::new(Step::Compare, vec![(path("a"), Failure::Missing)]);
        assert_eq!(aborted.to_string(), "nothing was written\n  a: no such file or folder");
    }

    /// The hashes are those of the FNV authors' test vectors.
    #[test]
    fn fingerprints_are_the_same_in_every_process() {
        assert_eq!(Fingerprint::of(b"").to_string(), "0-6c62272e07bb014262b821756295c58d");
        assert_eq!(Fingerprint::of(b"a").to_string(), "1-d228cb696f1a8caf78912b704e4a8964");
        assert_eq!(Fingerprint::of(b"foobar").to_string(), "6-343e1662793c64bf6f0d3597ba446f18");
    }
}
