//! Answers: which files are below these roots, and what does a visitor return for each?
//!
//! One parallel walk reads each included file once, into a buffer of its thread, and passes the bytes to a visitor; only what
//! the visitor returns is kept. Included are files named as a root, and below a folder files with an included name
//! that are neither hidden nor ignored. Files are ignored as git ignores them: `.gitignore` and `.git/info/exclude` apply inside a
//! repository and no further up than its root, since a `.gitignore` in a home folder must not exclude every tree below it;
//! `.ignore` and, before all others, `.reversionignore` apply everywhere. A user's own `core.excludesFile` does not
//! apply: the same tree gives the same result on every machine. An ignore file that is no file,
//! or a large one, is reported, and its folder is not entered.
//!
//! Invariant: the result is the same for any number of threads and any order of a folder's entries.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::{DirEntry, WalkBuilder, WalkState};

use super::failure::{Failure, FileKind};
use super::ignore_files::{unreadable, unreadable_above};
use super::options::{WalkOptions, is_reserved};
use super::read_file::{Buffer, MAX_FILE_SIZE};
use super::roots::{Roots, shown};
use super::skip::Skip;
use super::walk_builder::{OWN_IGNORE, builder, walkable};
use super::{listing, roots};

/// What a walk found.
#[derive(Clone, Debug)]
pub(crate) struct Scan<T> {
    /// What the visitor returned, by path; no path twice.
    pub(crate) visited: Vec<(PathBuf, T)>,
    /// How many files were read and passed to the visitor.
    pub(crate) seen: usize,
    /// How many bytes they have.
    pub(crate) bytes: u64,
    /// Binary files, and what a `.reversionignore` names, by path; with `inspect` everything that was skipped.
    pub(crate) skipped: Vec<(PathBuf, Skip)>,
    /// How often the walk skipped something, by reason. A folder counts once, whatever is in it.
    pub(crate) skips: BTreeMap<Skip, usize>,
    /// What could not be read, by path.
    pub(crate) failed: Vec<(PathBuf, Failure)>,
}

impl<T> Default for Scan<T> {
    fn default() -> Self {
        Self { visited: Vec::new(), seen: 0, bytes: 0, skipped: Vec::new(), skips: BTreeMap::new(), failed: Vec::new() }
    }
}

/// Walks `roots` and calls `visit` with the path and the bytes of every included file; keeps what it returns.
///
/// Paths start as the roots are written, without a leading `./`. A file that two roots lead to is visited once, below the
/// outer root. The visitor is called from several threads, in no order.
pub(crate) fn scan<T: Send>(
    roots: &[PathBuf],
    options: &WalkOptions,
    visit: impl Fn(&Path, &[u8]) -> Option<T> + Sync,
) -> Scan<T> {
    let Roots { mut rounds, failed } = Roots::new(roots);
    let mut scan = Scan { failed, ..Scan::default() };
    for roots in &mut rounds {
        roots.retain(|root, place| {
            let unreadable = unreadable_above(root, place, options);
            let is_readable = unreadable.is_empty();
            scan.failed.extend(unreadable);
            is_readable
        });
    }
    let (mut places, mut skipped) = (BTreeSet::new(), BTreeSet::new());
    let last = rounds.len().saturating_sub(1);
    for (at, roots) in rounds.iter().enumerate() {
        let walked = Round { roots, options, visit: &visit, places: &places, is_last: at == last }.walk();
        scan.join(walked.scan);
        places.extend(walked.places);
        skipped.extend(walked.skipped);
    }
    let is_root = |path: &PathBuf| rounds.iter().any(|roots| roots.contains_key(path));
    for (path, skip) in skipped.into_iter().filter(|(path, _)| !is_root(path)) {
        scan.skip(path, skip, options);
    }
    scan.sorted()
}

impl<T> Scan<T> {
    fn join(&mut self, other: Self) {
        self.visited.extend(other.visited);
        self.seen += other.seen;
        self.bytes += other.bytes;
        self.skipped.extend(other.skipped);
        for (skip, count) in other.skips {
            *self.skips.entry(skip).or_default() += count;
        }
        self.failed.extend(other.failed);
    }

    fn sorted(mut self) -> Self {
        self.visited.sort_by(|left, right| roots::by_names(&left.0, &right.0));
        self.visited.dedup_by(|right, left| left.0 == right.0);
        self.skipped.sort();
        self.skipped.dedup();
        self.failed.sort();
        self.failed.dedup();
        self
    }

    fn skip(&mut self, path: PathBuf, skip: Skip, options: &WalkOptions) {
        *self.skips.entry(skip).or_default() += 1;
        if options.inspect || matches!(skip, Skip::Binary | Skip::OwnIgnored) {
            self.skipped.push((path, skip));
        }
    }
}

/// One walk over roots that are not inside each other.
struct Round<'a, V> {
    /// The roots as shown, with the places they lead to.
    roots: &'a BTreeMap<PathBuf, PathBuf>,
    options: &'a WalkOptions,
    visit: &'a V,
    /// The places that earlier rounds visited.
    places: &'a BTreeSet<PathBuf>,
    /// No later round needs the places of this one.
    is_last: bool,
}

/// What a round, or one thread of it, found.
struct Walked<T> {
    scan: Scan<T>,
    /// The places that a later round needs.
    places: Vec<PathBuf>,
    /// What was skipped and would not have been as a root.
    skipped: Vec<(PathBuf, Skip)>,
}

impl<T> Default for Walked<T> {
    fn default() -> Self {
        Self { scan: Scan::default(), places: Vec::new(), skipped: Vec::new() }
    }
}

impl<'a, V> Round<'a, V> {
    fn walk<T: Send>(&self) -> Walked<T>
    where
        V: Fn(&Path, &[u8]) -> Option<T> + Sync,
    {
        let mut roots = self.roots.keys();
        let Some(first) = roots.next() else {
            return Walked::default();
        };
        let mut walk = builder(first, self.options);
        for root in roots {
            walk.add(walkable(root));
        }
        let filtered = filter(&mut walk, self.roots, self.options);
        let walked_by_all = Mutex::new(Walked::default());
        walk.build_parallel().run(|| {
            let walked = Walked::default();
            let mut thread = Thread { round: self, total: &walked_by_all, walked, buffer: Buffer::new(MAX_FILE_SIZE) };
            Box::new(move |entry| {
                thread.visit(entry);
                WalkState::Continue
            })
        });
        let mut walked = walked_by_all.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut filtered = filtered.lock().unwrap_or_else(PoisonError::into_inner);
        walked.skipped.append(&mut filtered.skipped);
        walked.scan.failed.append(&mut filtered.failed);
        let has_own_ignore = filtered.has_own_ignore || self.roots.values().any(|place| self.has_own_ignore(place));
        drop(filtered);
        if self.options.inspect || has_own_ignore {
            let ignored = self.roots.keys().flat_map(|root| listing::ignored(root, self.options));
            walked.skipped.extend(ignored.filter(|(_, skip)| self.options.inspect || *skip == Skip::OwnIgnored));
        }
        walked
    }

    /// Returns whether a `.reversionignore` applies to the root at `place`.
    fn has_own_ignore(&self, place: &Path) -> bool {
        place.ancestors().any(|folder| has_own_ignore(folder, self.options))
    }
}

/// Returns the place that an entry below one of `roots` leads to.
fn place(roots: &BTreeMap<PathBuf, PathBuf>, entry: &DirEntry) -> Option<PathBuf> {
    let root = entry.path().ancestors().nth(entry.depth())?;
    let below = entry.path().strip_prefix(root).ok()?;
    let place = roots.get(&roots::shown(root))?;
    Some(if below.as_os_str().is_empty() { place.clone() } else { place.join(below) })
}

fn has_own_ignore(folder: &Path, options: &WalkOptions) -> bool {
    !options.no_ignore && folder.join(OWN_IGNORE).is_file()
}

/// What was not entered, as shown.
#[derive(Default)]
struct Filtered {
    skipped: Vec<(PathBuf, Skip)>,
    /// Ignore files that are not read, so that their folders are not entered.
    failed: Vec<(PathBuf, Failure)>,
    /// Whether a folder that was entered has a `.reversionignore`.
    has_own_ignore: bool,
}

/// Makes `walk` skip hidden and excluded entries before it enters them, and folders whose ignore files are not read; collects them.
fn filter(walk: &mut WalkBuilder, roots: &BTreeMap<PathBuf, PathBuf>, options: &WalkOptions) -> Arc<Mutex<Filtered>> {
    let filtered = Arc::new(Mutex::new(Filtered::default()));
    let (collected, roots, options) = (Arc::clone(&filtered), roots.clone(), options.clone());
    let is_excluded = |root: &(&PathBuf, &PathBuf)| options.excludes_folder(root.1);
    let excluded: BTreeSet<PathBuf> = roots.iter().filter(is_excluded).map(|(root, _)| root.clone()).collect();
    walk.filter_entry(move |entry| {
        let is_folder = entry.file_type().is_some_and(|file_type| file_type.is_dir());
        let is_in_excluded =
            || entry.depth() == 1 && entry.path().parent().is_some_and(|root| excluded.contains(&shown(root)));
        let skip = options.skips(entry.file_name(), || place(&roots, entry), is_folder);
        let skip = skip.or_else(|| is_in_excluded().then_some(Skip::Excluded));
        if let Some(skip) = skip.filter(|_| !is_reserved(entry.file_name())) {
            collected.lock().unwrap_or_else(PoisonError::into_inner).skipped.push((shown(entry.path()), skip));
        }
        let unreadable = if is_folder && skip.is_none() { unreadable(entry.path(), &options) } else { Vec::new() };
        let is_entered = skip.is_none() && unreadable.is_empty();
        let has_own_ignore = is_folder && is_entered && has_own_ignore(entry.path(), &options);
        let mut collected = collected.lock().unwrap_or_else(PoisonError::into_inner);
        collected.failed.extend(unreadable);
        collected.has_own_ignore |= has_own_ignore;
        is_entered
    });
    filtered
}

/// One thread's part of a round; added to the total when the thread ends.
struct Thread<'a, T, V> {
    round: &'a Round<'a, V>,
    total: &'a Mutex<Walked<T>>,
    walked: Walked<T>,
    buffer: Buffer,
}

impl<T, V> Drop for Thread<'_, T, V> {
    fn drop(&mut self) {
        let mut walked = std::mem::take(&mut self.walked);
        // Sorting all of it takes no longer than merging then.
        walked.scan.visited.sort_by(|left, right| roots::by_names(&left.0, &right.0));
        let mut total = self.total.lock().unwrap_or_else(PoisonError::into_inner);
        total.scan.join(walked.scan);
        total.places.extend(walked.places);
    }
}

impl<T, V> Thread<'_, T, V>
where
    V: Fn(&Path, &[u8]) -> Option<T> + Sync,
{
    fn visit(&mut self, entry: Result<DirEntry, ignore::Error>) {
        match entry {
            Ok(entry) => self.entry(&entry),
            Err(error) => self.walked.scan.failed.extend(failure(&error, None)),
        }
    }

    fn entry(&mut self, entry: &DirEntry) {
        let Some(file_type) = entry.file_type().filter(|file_type| !file_type.is_dir()) else {
            return;
        };
        if !self.is_first_visit(entry) {
            return;
        }
        let path = shown(entry.path());
        let named = entry.depth() == 0;
        if file_type.is_symlink() {
            self.skip(path, Skip::Link);
        } else if !named && !self.round.options.includes(&path) {
            self.skip(path, Skip::Extension);
        } else if !file_type.is_file() {
            self.walked.scan.failed.push((path, Failure::NotAFile(FileKind::of(file_type))));
        } else {
            self.file(path);
        }
    }

    /// Returns whether no earlier round visited `entry`, and remembers it if a later one needs to know.
    fn is_first_visit(&mut self, entry: &DirEntry) -> bool {
        if self.round.is_last && self.round.places.is_empty() {
            return true;
        }
        let Some(place) = place(self.round.roots, entry) else {
            return true;
        };
        let is_new = !self.round.places.contains(&place);
        if !self.round.is_last {
            self.walked.places.push(place);
        }
        is_new
    }

    fn file(&mut self, path: PathBuf) {
        let scan = &mut self.walked.scan;
        let bytes = match self.buffer.fill(&path) {
            Ok(bytes) => bytes,
            Err(failure) => return scan.failed.push((path, failure)),
        };
        if let Some(skip) = Skip::of_bytes(bytes) {
            return scan.skip(path, skip, self.round.options);
        }
        scan.seen += 1;
        scan.bytes += bytes.len() as u64;
        if let Some(value) = (self.round.visit)(&path, bytes) {
            scan.visited.push((path, value));
        }
    }

    fn skip(&mut self, path: PathBuf, skip: Skip) {
        self.walked.scan.skip(path, skip, self.round.options);
    }
}

/// Turns the walk's error into a failure of a path; an invalid glob in an ignore file is ignored.
fn failure(error: &ignore::Error, path: Option<&Path>) -> Option<(PathBuf, Failure)> {
    let at = |failure| Some((shown(path.unwrap_or(Path::new("."))), failure));
    match error {
        ignore::Error::WithPath { path, err } => failure(err, Some(path)),
        ignore::Error::WithLineNumber { err, .. } | ignore::Error::WithDepth { err, .. } => failure(err, path),
        ignore::Error::Partial(errors) => errors.iter().find_map(|error| failure(error, path)),
        ignore::Error::Loop { ancestor, child } => Some((shown(child), Failure::Loop(shown(ancestor)))),
        ignore::Error::Io(error) => at(Failure::from(error)),
        ignore::Error::Glob { .. } => None,
        ignore::Error::UnrecognizedFileType(_) | ignore::Error::InvalidDefinition => at(Failure::Io(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::shell::disk::options::{Globs, PathGlobs};
    use crate::shell::disk::skip::PROBE;

    /// Makes a tree of files that hold their own name; a name with a `/` at the end is an empty folder.
    fn tree(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            add(folder.path(), name, name);
        }
        folder
    }

    fn add(top: &Path, name: &str, content: impl AsRef<[u8]>) {
        let path = top.join(name);
        if name.ends_with('/') {
            return fs::create_dir_all(path).unwrap();
        }
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn walk(roots: &[PathBuf], options: &WalkOptions) -> Scan<String> {
        scan(roots, options, |_, bytes| Some(String::from_utf8_lossy(bytes).into_owned()))
    }

    fn below<'a, T>(top: &Path, found: &'a [(PathBuf, T)]) -> Vec<(String, &'a T)> {
        let name = |path: &Path| path.strip_prefix(top).unwrap().to_str().unwrap().replace('\\', "/");
        found.iter().map(|(path, of)| (name(path), of)).collect()
    }

    /// Walks `top` and checks the names of the files visited.
    #[track_caller]
    fn check(top: &Path, options: &WalkOptions, expected: &[&str]) -> Scan<String> {
        let scan = walk(&[top.to_owned()], options);
        let visited = below(top, &scan.visited);
        assert_eq!(visited.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), expected);
        assert_eq!((&scan.failed, scan.seen), (&vec![], expected.len()));
        scan
    }

    fn every() -> WalkOptions {
        WalkOptions { inspect: true, ..WalkOptions::default() }
    }

    fn globs(globs: &[&str]) -> WalkOptions {
        WalkOptions { globs: Globs::new(globs).unwrap(), ..every() }
    }

    #[track_caller]
    fn check_skipped(top: &Path, scan: &Scan<String>, expected: &[(&str, Skip)]) {
        let skipped = below(top, &scan.skipped);
        assert_eq!(skipped.iter().map(|(name, skip)| (name.as_str(), **skip)).collect::<Vec<_>>(), expected);
        assert_eq!(scan.skips.values().sum::<usize>(), expected.len());
    }

    #[test]
    fn files_with_an_included_name_are_visited_in_the_order_of_paths() {
        let names = ["b.yml", "a/z.yaml", "a/Kustomization", "a-b/y.json", "a.YAML", "c.txt", "yaml", "d.toml"];
        let folder = tree(&names);
        let options = WalkOptions { extensions: vec!["toml".to_owned()], ..every() };
        let visited = ["a/Kustomization", "a/z.yaml", "a-b/y.json", "a.YAML", "b.yml", "d.toml"];
        let scan = check(folder.path(), &options, &visited);
        check_skipped(folder.path(), &scan, &[("c.txt", Skip::Extension), ("yaml", Skip::Extension)]);
        assert!(scan.visited.iter().all(|(path, text)| path.ends_with(text)), "each path comes with its own bytes");
        assert_eq!(scan.bytes, visited.iter().map(|name| name.len() as u64).sum::<u64>());
    }

    #[test]
    fn excluded_entries_are_skipped_and_listed_unless_they_are_files_that_are_roots() {
        let folder = tree(&["a.yaml", "old/b.yaml", "old/.gitignore", "sub/old/c.yaml", "sub/d.gen.yaml"]);
        let top = folder.path().canonicalize().unwrap();
        let excluded = Some(PathGlobs::new(&top, ["old/", "*.gen.yaml"]).unwrap());
        let options = WalkOptions { excluded, ..every() };
        let scan = check(&top, &options, &["a.yaml"]);
        let skipped = ["old", "sub/d.gen.yaml", "sub/old"].map(|name| (name, Skip::Excluded));
        check_skipped(&top, &scan, &skipped);
        let roots = ["old", "sub/old", "sub/d.gen.yaml"].map(|name| top.join(name));
        let scan = walk(&roots, &options);
        let names = below(&top, &scan.visited).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(names, ["sub/d.gen.yaml"]);
        let skipped = ["old/b.yaml", "sub/old/c.yaml"].map(|name| (name, Skip::Excluded));
        check_skipped(&top, &scan, &[&[("old/.gitignore", Skip::Hidden)], &skipped[..]].concat());
        fs::create_dir_all(top.join("old/deep")).unwrap();
        fs::write(top.join("old/deep/e.yaml"), "").unwrap();
        let scan = walk(&[top.join("old/deep")], &options);
        assert_eq!((scan.seen, scan.skips), (0, BTreeMap::from([(Skip::Excluded, 1)])));
        let scan = walk(&[top.join("old"), top.join("old/b.yaml")], &options);
        assert_eq!((scan.seen, scan.visited.len()), (1, 1), "a file that is passed is read");
    }

    #[test]
    fn only_results_of_the_visitor_are_kept_but_all_files_are_visited() {
        let folder = tree(&["a.yaml", "b.yaml"]);
        let scan =
            scan(&[folder.path().to_owned()], &WalkOptions::default(), |_, bytes| (bytes == b"b.yaml").then_some(1));
        assert_eq!(scan.visited, [(folder.path().join("b.yaml"), 1)]);
        assert_eq!((scan.seen, scan.bytes), (2, 12));
    }

    #[test]
    fn the_result_does_not_depend_on_threads_or_creation_order() {
        let mut names: Vec<String> = (0..300).map(|at| format!("{}/{}/f{at}.yaml", at % 7, at % 31)).collect();
        names.extend((0..50).map(|at| format!("{}/.hidden{at}", at % 7)));
        let forward = tree(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let backward = tree(&names.iter().rev().map(String::as_str).collect::<Vec<_>>());
        let found = |top: &Path, threads: usize| {
            let scan = walk(&[top.to_owned()], &WalkOptions { threads, ..every() });
            let texts = |(name, text): (String, &String)| (name, text.clone());
            let visited: Vec<_> = below(top, &scan.visited).into_iter().map(texts).collect();
            let skipped: Vec<_> = below(top, &scan.skipped).into_iter().map(|(name, skip)| (name, *skip)).collect();
            (visited, skipped, scan.seen, scan.bytes, scan.skips)
        };
        let expected = found(forward.path(), 1);
        assert_eq!((expected.0.len(), expected.1.len()), (300, 50));
        for threads in [0, 2, 3, 8] {
            assert_eq!(found(forward.path(), threads), expected);
            assert_eq!(found(backward.path(), threads), expected);
        }
    }

    const HIDDEN: [&str; 5] = [".github/w.yaml", ".a.yaml", "b/.c.yaml", "b/d.yaml", ".git/config.yaml"];

    #[test]
    fn hidden_entries_are_skipped_and_counted_once_each() {
        let folder = tree(&HIDDEN);
        let scan = check(folder.path(), &WalkOptions::default(), &["b/d.yaml"]);
        assert_eq!(scan.skips, BTreeMap::from([(Skip::Hidden, 3)]));
        assert_eq!(scan.skipped, []);
        let scan = check(folder.path(), &every(), &["b/d.yaml"]);
        check_skipped(
            folder.path(),
            &scan,
            &[(".a.yaml", Skip::Hidden), (".github", Skip::Hidden), ("b/.c.yaml", Skip::Hidden)],
        );
    }

    #[test]
    fn the_folder_of_pipelines_as_code_is_visited() {
        let folder = tree(&[".tekton/push.yaml", ".tekton/.x.yaml", ".tektons/a.yaml", "b/.tekton/run.yaml"]);
        check(folder.path(), &WalkOptions::default(), &[".tekton/push.yaml", "b/.tekton/run.yaml"]);
    }

    #[test]
    fn hidden_entries_except_git_are_visited_on_request() {
        let folder = tree(&HIDDEN);
        add(folder.path(), ".reversion/journal.json", "{}");
        let options = WalkOptions { hidden: true, ..every() };
        let scan = check(folder.path(), &options, &[".a.yaml", ".github/w.yaml", "b/.c.yaml", "b/d.yaml"]);
        check_skipped(folder.path(), &scan, &[]);
    }

    /// A tree in which each kind of ignore file names one file; none of them applies to `b/`.
    fn ignoring() -> tempfile::TempDir {
        let folder =
            tree(&["git.yaml", "plain.yaml", "own.yaml", "excluded.yaml", "out/x.yaml", "b/git.yaml", "b/y.yaml"]);
        add(folder.path(), ".gitignore", "/git.yaml\nout/\n");
        add(folder.path(), ".ignore", "/plain.yaml\n");
        add(folder.path(), ".reversionignore", "/own.yaml\n");
        folder
    }

    #[test]
    fn inside_a_repository_every_ignore_file_applies() {
        let folder = ignoring();
        add(folder.path(), ".git/info/exclude", "excluded.yaml\n");
        // Hidden already: what is in it is not looked at, so it is not named either.
        add(folder.path(), ".hidden/own.yaml/x", "");
        add(folder.path(), ".hidden/.ignore", "*\n");
        let scan = check(folder.path(), &every(), &["b/git.yaml", "b/y.yaml"]);
        let hidden = [".gitignore", ".hidden", ".ignore", ".reversionignore"].map(|name| (name, Skip::Hidden));
        let ignored = ["excluded.yaml", "git.yaml", "out", "plain.yaml"].map(|name| (name, Skip::Ignored));
        let mut skipped = [&hidden[..], &ignored[..], &[("own.yaml", Skip::OwnIgnored)]].concat();
        skipped.sort();
        check_skipped(folder.path(), &scan, &skipped);
        let all = ["b/git.yaml", "b/y.yaml", "excluded.yaml", "git.yaml", "out/x.yaml", "own.yaml", "plain.yaml"];
        check(folder.path(), &WalkOptions { no_ignore: true, ..every() }, &all);
    }

    #[test]
    fn outside_a_repository_gitignore_files_do_not_apply() {
        let folder = ignoring();
        let scan =
            check(folder.path(), &every(), &["b/git.yaml", "b/y.yaml", "excluded.yaml", "git.yaml", "out/x.yaml"]);
        assert_eq!((scan.skips[&Skip::Ignored], scan.skips[&Skip::OwnIgnored]), (1, 1));
    }

    /// A folder that it names is not entered, and nothing in it is counted; what other ignore files name is not listed.
    #[test]
    fn what_a_reversionignore_names_is_listed_without_being_asked_for() {
        let names =
            ["apps/a.yaml", "apps/old/b.yaml", "apps/old/deep/c.yaml", "vendor/.git/", "vendor/d.yaml", "e.yaml"];
        let folder = tree(&names);
        add(folder.path(), "apps/.reversionignore", "old/\n");
        add(folder.path(), "vendor/.gitignore", "d.yaml\n");
        let usual = WalkOptions::default();
        let scan = check(folder.path(), &usual, &["apps/a.yaml", "e.yaml"]);
        assert_eq!(below(folder.path(), &scan.skipped), [("apps/old".to_owned(), &Skip::OwnIgnored)]);
        assert_eq!((scan.skips[&Skip::OwnIgnored], scan.skips.get(&Skip::Ignored)), (1, None));
        // So is one above the root.
        add(folder.path(), ".reversionignore", "a.yaml\n");
        let apps = folder.path().join("apps");
        let scan = check(&apps, &usual, &[]);
        let expected = ["a.yaml", "old"].map(|name| (name.to_owned(), &Skip::OwnIgnored));
        assert_eq!(below(&apps, &scan.skipped), expected);
        let all = check(&apps, &WalkOptions { no_ignore: true, ..usual }, &["a.yaml", "old/b.yaml", "old/deep/c.yaml"]);
        assert!(all.skipped.is_empty());
    }

    #[test]
    fn ignore_files_above_the_root_apply_up_to_the_repository() {
        let folder = tree(&["repository/.git/", "repository/apps/a.yaml", "repository/apps/b.yaml"]);
        add(folder.path(), ".gitignore", "*\n");
        add(folder.path(), "repository/.gitignore", "a.yaml\n");
        let apps = folder.path().join("repository/apps");
        let scan = check(&apps, &every(), &["b.yaml"]);
        check_skipped(&apps, &scan, &[("a.yaml", Skip::Ignored)]);
    }

    #[test]
    fn reversionignore_takes_precedence() {
        let folder = tree(&[".git/", "a.yaml"]);
        add(folder.path(), ".gitignore", "a.yaml\n");
        add(folder.path(), ".reversionignore", "!a.yaml\n");
        check(folder.path(), &WalkOptions::default(), &["a.yaml"]);
    }

    #[test]
    fn globs_exclude_and_include() {
        let folder = tree(&[".git/", "a.yaml", "a.json", "b/c.yaml", "v/d.yaml"]);
        add(folder.path(), ".gitignore", "a.json\n");
        let scan = check(folder.path(), &globs(&["!**/v", "!c.yaml"]), &["a.yaml"]);
        let skipped =
            [(".gitignore", Skip::Hidden), ("a.json", Skip::Ignored), ("b/c.yaml", Skip::Glob), ("v", Skip::Glob)];
        check_skipped(folder.path(), &scan, &skipped);
        check(folder.path(), &globs(&["*.json"]), &["a.json"]);
        assert!(Globs::new(["a[b"]).unwrap_err().contains("a[b"));
    }

    #[test]
    fn a_file_given_as_a_root_is_visited_even_if_ignored() {
        let folder = tree(&[".git/", ".hidden/notes.txt", "ignored.yaml"]);
        add(folder.path(), ".ignore", "ignored.yaml\n");
        let roots = [".hidden/notes.txt", "ignored.yaml"].map(|name| folder.path().join(name));
        let scan = walk(&roots, &every());
        assert_eq!(scan.visited.iter().map(|(path, _)| path).collect::<Vec<_>>(), roots.iter().collect::<Vec<_>>());
    }

    #[test]
    fn roots_inside_each_other_visit_each_file_once() {
        let folder = tree(&["a/b/c.yaml", "a/d.yaml", "a/.e/f.yaml", "a/g.txt"]);
        let top = folder.path();
        let roots = ["a/b", "a", "a/b/c.yaml", "a/../a", "a/.e", "a/d.yaml"].map(|name| top.join(name));
        let scan = walk(&roots, &every());
        let names: Vec<_> = below(top, &scan.visited).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["a/.e/f.yaml", "a/b/c.yaml", "a/d.yaml"]);
        assert_eq!((scan.seen, &scan.failed), (3, &vec![]));
        check_skipped(top, &scan, &[("a/g.txt", Skip::Extension)]);
    }

    #[test]
    fn paths_are_written_like_the_root_without_a_leading_dot() {
        let options = |extra: &str| WalkOptions { extensions: vec!["rs".to_owned()], ..globs(&[extra]) };
        let expected = Path::new("src/shell/disk/walk.rs");
        for root in [".", "./src", "src/", "src/shell/disk/walk.rs", "./src//shell/disk"] {
            let scan =
                scan(&[PathBuf::from(root)], &options("/src/shell/disk/walk.rs"), |path, _| Some(path.to_owned()));
            assert_eq!(scan.visited, [(expected.to_owned(), expected.to_owned())], "{root}");
        }
    }

    #[test]
    fn a_file_named_like_standard_input_is_a_file() {
        assert_eq!(walkable(Path::new("-")).as_os_str(), "./-");
        assert_eq!(shown(&walkable(Path::new("-"))).as_os_str(), "-");
    }

    #[test]
    fn binary_files_are_listed_and_not_visited() {
        let folder = tree(&[]);
        let late = [&vec![b'a'; PROBE][..], b"\0"].concat();
        add(folder.path(), "binary.yaml", b"a\0b");
        add(folder.path(), "wide.yaml", b"\xff\xfea\0");
        add(folder.path(), "wide-unmarked.yaml", b"\0a\0:");
        add(folder.path(), "late.yaml", &late);
        let scan = check(folder.path(), &WalkOptions::default(), &["late.yaml", "wide-unmarked.yaml", "wide.yaml"]);
        check_skipped(folder.path(), &scan, &[("binary.yaml", Skip::Binary)]);
        let root = folder.path().join("binary.yaml");
        assert_eq!(walk(std::slice::from_ref(&root), &WalkOptions::default()).skipped, [(root, Skip::Binary)]);
    }

    #[test]
    fn unreadable_entries_are_reported_and_the_rest_is_visited() {
        let folder = tree(&["a.yaml", "none/"]);
        let huge = folder.path().join("huge.yaml");
        fs::File::create(&huge).unwrap().set_len(MAX_FILE_SIZE + 1).unwrap();
        let missing = folder.path().join("missing.yaml");
        let scan = walk(&[missing.clone(), folder.path().to_owned(), PathBuf::new()], &WalkOptions::default());
        let failed =
            [(PathBuf::new(), Failure::Missing), (huge, Failure::TooLarge(MAX_FILE_SIZE)), (missing, Failure::Missing)];
        assert_eq!(scan.failed, failed);
        assert_eq!(scan.seen, 1);
    }

    #[cfg(unix)]
    mod unix {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        use std::os::unix::fs::{PermissionsExt, symlink};
        use std::os::unix::net::UnixListener;

        use super::*;

        fn follow() -> WalkOptions {
            WalkOptions { follow: true, ..every() }
        }

        #[test]
        fn links_are_skipped_unless_followed() {
            let folder = tree(&["a/b.yaml", "c.yaml"]);
            let top = folder.path();
            symlink("a", top.join("folder")).unwrap();
            symlink("c.yaml", top.join("file.yaml")).unwrap();
            let scan = check(top, &every(), &["a/b.yaml", "c.yaml"]);
            check_skipped(top, &scan, &[("file.yaml", Skip::Link), ("folder", Skip::Link)]);
            check(top, &follow(), &["a/b.yaml", "c.yaml", "file.yaml", "folder/b.yaml"]);
            check(&top.join("folder"), &every(), &["b.yaml"]);
        }

        #[test]
        fn followed_cyclic_and_dangling_links_are_reported() {
            let folder = tree(&["a/b.yaml"]);
            let top = folder.path();
            symlink("..", top.join("a/up")).unwrap();
            symlink("nothing", top.join("gone.yaml")).unwrap();
            let scan = walk(&[top.to_owned()], &follow());
            let failed = [(top.join("a/up"), Failure::Loop(top.to_owned())), (top.join("gone.yaml"), Failure::Missing)];
            assert_eq!(scan.failed, failed);
            assert_eq!(below(top, &scan.visited), [("a/b.yaml".to_owned(), &"a/b.yaml".to_owned())]);
        }

        /// A socket also stands in for a named pipe, which std cannot create: neither is opened.
        #[test]
        fn entries_that_are_not_files_are_not_opened() {
            let folder = tree(&["a.yaml"]);
            let path = folder.path().join("s.yaml");
            let _socket = UnixListener::bind(&path).unwrap();
            let expected = [(path.clone(), Failure::NotAFile(FileKind::Socket))];
            assert_eq!(walk(&[folder.path().to_owned()], &every()).failed, expected);
            assert_eq!(walk(std::slice::from_ref(&path), &every()).failed, expected);
            assert_eq!(walk(&[PathBuf::from("/dev/null")], &every()).failed[0].1, Failure::NotAFile(FileKind::Device));
        }

        #[test]
        fn names_that_are_not_utf8_are_accepted() {
            let folder = tree(&[]);
            let path = folder.path().join(OsStr::from_bytes(b"\xff.yaml"));
            if fs::write(&path, "x").is_err() {
                return skipped("names_that_are_not_utf8_are_accepted: this file system has no such names");
            }
            assert_eq!(walk(&[folder.path().to_owned()], &every()).visited, [(path, "x".to_owned())]);
        }

        #[test]
        fn entries_without_permission_are_reported() {
            let folder = tree(&["a.yaml", "b/c.yaml", "d/e.yaml"]);
            let top = folder.path();
            let forbid = |name: &str, mode| {
                fs::set_permissions(top.join(name), fs::Permissions::from_mode(mode)).unwrap();
                (top.join(name), Failure::Denied)
            };
            let expected = [forbid("a.yaml", 0o0), forbid("b", 0o0)];
            if fs::File::open(top.join("a.yaml")).is_ok() {
                return skipped("entries_without_permission_are_reported: modes bind no root");
            }
            assert_eq!(walk(&[top.to_owned()], &every()).failed, expected);
            forbid("b", 0o755);
        }

        #[expect(clippy::print_stderr, reason = "a test that has nothing to see says so")]
        fn skipped(test: &str) {
            eprintln!("skipped: {test}");
        }
    }
}
