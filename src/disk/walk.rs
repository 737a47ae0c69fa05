//! Answers: which files lie below these roots, and what does a visitor make of their bytes?
//!
//! One parallel walk reads each wanted file once, into a buffer of its thread, and hands the bytes to a visitor; only what
//! the visitor makes of them is kept. Wanted is a file named as a root, and below a folder a file with a wanted extension
//! that is neither hidden nor ignored. Ignored means what it means to git: `.gitignore` and `.git/info/exclude` count inside a
//! repository and no further up than its root, since a `.gitignore` in a home folder must not empty every tree below it;
//! `.ignore` and `.reversionignore` count everywhere, in that order of weight. A person's own `core.excludesFile` does not
//! count: the same tree gives the same answer on every machine.
//!
//! Invariant: the result is the same for any number of threads and any order of a folder's entries.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::overrides::{Override, OverrideBuilder};
use ignore::{DirEntry, ParallelVisitor, ParallelVisitorBuilder, WalkBuilder, WalkState};

use super::failure::{Failure, Kind, one_line};
use super::read::{Buffer, MAX_FILE_SIZE};
use super::roots::{Roots, shown};
use super::{listing, roots};

/// The extensions that are wanted always; case does not matter.
pub const EXTENSIONS: [&str; 3] = ["yaml", "yml", "json"];

/// How many bytes decide whether a file is text.
const PROBE: usize = 8 << 10;

/// What a walk visits. The default visits what a person would expect to be changed.
#[derive(Clone, Debug, Default)]
pub struct WalkOptions {
    /// Whether ignore files count.
    pub ignore_files: IgnoreFiles,
    /// Whether entries whose name starts with a dot are visited.
    pub hidden: Hidden,
    /// Whether symbolic links below a root are followed; a root that is a link always is.
    pub links: Links,
    /// Whether files that are named as roots need a wanted extension.
    pub named: Named,
    /// How much is told of what was left out.
    pub listing: Listing,
    /// Globs that leave out or let in.
    pub globs: Globs,
    /// Wanted extensions besides [`EXTENSIONS`], without a dot.
    pub extensions: Vec<String>,
    /// How many threads walk; 0 lets the machine decide.
    pub threads: usize,
}

/// Whether `.gitignore`, `.git/info/exclude`, `.ignore` and `.reversionignore` count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IgnoreFiles {
    /// They do.
    #[default]
    Respect,
    /// They do not.
    Disregard,
}

/// What happens to an entry whose name starts with a dot. `.git` and `.reversion` are never entered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hidden {
    /// It is left out and counted.
    #[default]
    Skip,
    /// It is visited like any other.
    Visit,
}

/// What happens to a symbolic link below a root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Links {
    /// It is left out and counted.
    #[default]
    Skip,
    /// It is followed; a link that leads back to a folder above it is a [`Failure::Loop`].
    Follow,
}

/// What happens to a file that is named as a root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Named {
    /// It is visited, whatever its name: a person typed it.
    #[default]
    Always,
    /// It is visited when it has a wanted extension: the name comes from a list of all changed files.
    ByExtension,
}

/// How much a [`Scan`] tells of what was left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Listing {
    /// Files that are no text are named, the rest of what the walk met is counted.
    #[default]
    Count,
    /// Everything is named, also what is ignored: the folders are gone through a second time.
    Every,
}

/// Why a path was left out on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Skip {
    /// A file whose extension is not wanted.
    Extension,
    /// A file or folder whose name starts with a dot.
    Hidden,
    /// A symbolic link.
    Link,
    /// A file with a NUL byte near its start.
    Binary,
    /// A file that starts with the byte order mark of UTF-16.
    Utf16,
    /// A file or folder that an ignore file names. Known only with [`Listing::Every`].
    Ignored,
    /// A file or folder that a glob leaves out. Known only with [`Listing::Every`].
    Glob,
}

impl Skip {
    /// Says why a file of these bytes is not read as text, from its first 8 KiB.
    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
            return Some(Self::Utf16);
        }
        memchr::memchr(0, &bytes[..bytes.len().min(PROBE)]).map(|_| Self::Binary)
    }
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Extension => "no wanted extension",
            Self::Hidden => "hidden",
            Self::Link => "symbolic link",
            Self::Binary => "binary",
            Self::Utf16 => "UTF-16, only UTF-8 is read",
            Self::Ignored => "ignored",
            Self::Glob => "left out by a glob",
        })
    }
}

/// Globs as a line of `.gitignore` has them, relative to the current folder; `!` in front leaves out.
///
/// A glob outweighs ignore files. With at least one glob that lets in, every file that matches none is left out.
#[derive(Clone, Debug)]
pub struct Globs(Override);

impl Default for Globs {
    fn default() -> Self {
        Self(Override::empty())
    }
}

impl Globs {
    /// Reads globs; later ones outweigh earlier ones.
    ///
    /// # Errors
    /// A message that names the glob and what is wrong with it.
    pub fn new(globs: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Self, String> {
        let folder = std::env::current_dir().unwrap_or_default();
        let mut builder = OverrideBuilder::new(folder);
        for glob in globs {
            builder.add(glob.as_ref()).map_err(|error| one_line(&error.to_string()))?;
        }
        builder.build().map(Self).map_err(|error| one_line(&error.to_string()))
    }
}

/// What a walk found.
#[derive(Clone, Debug)]
pub struct Scan<T> {
    /// What the visitor made of files, by path; no path twice.
    pub visited: Vec<(PathBuf, T)>,
    /// How many files were read and handed to the visitor.
    pub seen: usize,
    /// How many bytes they have.
    pub bytes: u64,
    /// Files that are no text, by path; with [`Listing::Every`] everything that was left out.
    pub skipped: Vec<(PathBuf, Skip)>,
    /// How often the walk left something out, by reason. A folder counts once, whatever is in it.
    pub skips: BTreeMap<Skip, usize>,
    /// What could not be read, by path.
    pub failed: Vec<(PathBuf, Failure)>,
}

impl<T> Default for Scan<T> {
    fn default() -> Self {
        Self { visited: Vec::new(), seen: 0, bytes: 0, skipped: Vec::new(), skips: BTreeMap::new(), failed: Vec::new() }
    }
}

/// Walks `roots` and calls `visit` with the path and the bytes of every wanted file; keeps what it makes of them.
///
/// Paths are spelled as the roots are, without a leading `./`. A file that two roots lead to is visited once, below the
/// outer root. The visitor is called from several threads, in no order.
pub fn scan<T: Send>(
    roots: &[PathBuf],
    options: &WalkOptions,
    visit: impl Fn(&Path, &[u8]) -> Option<T> + Sync,
) -> Scan<T> {
    let Roots { rounds, failed } = Roots::new(roots);
    let mut scan = Scan { failed, ..Scan::default() };
    let (mut met, mut left) = (BTreeSet::new(), BTreeSet::new());
    let last = rounds.len().saturating_sub(1);
    for (at, roots) in rounds.iter().enumerate() {
        let found = Round { roots, options, visit: &visit, met: &met, is_last: at == last }.walk();
        scan.join(found.scan);
        met.extend(found.met);
        left.extend(found.left);
    }
    let is_root = |path: &PathBuf| rounds.iter().any(|roots| roots.contains_key(path));
    for (path, skip) in left.into_iter().filter(|(path, _)| !is_root(path)) {
        scan.skip(path, skip, options.listing);
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
        self.visited.sort_by(|left, right| left.0.cmp(&right.0));
        self.visited.dedup_by(|right, left| left.0 == right.0);
        self.skipped.sort();
        self.skipped.dedup();
        self.failed.sort();
        self.failed.dedup();
        self
    }

    fn skip(&mut self, path: PathBuf, skip: Skip, listing: Listing) {
        *self.skips.entry(skip).or_default() += 1;
        if listing == Listing::Every || matches!(skip, Skip::Binary | Skip::Utf16) {
            self.skipped.push((path, skip));
        }
    }
}

/// One walk over roots that do not lie inside each other.
struct Round<'a, V> {
    /// The roots as shown, with the places they lead to.
    roots: &'a BTreeMap<PathBuf, PathBuf>,
    options: &'a WalkOptions,
    visit: &'a V,
    /// The places that earlier rounds have dealt with.
    met: &'a BTreeSet<PathBuf>,
    /// No later round asks what this one has met.
    is_last: bool,
}

/// What a round, or one thread of it, found.
struct Found<T> {
    scan: Scan<T>,
    /// The places that a later round will ask for.
    met: Vec<PathBuf>,
    /// What was left out and would not have been, had it been named as a root.
    left: Vec<(PathBuf, Skip)>,
}

impl<T> Default for Found<T> {
    fn default() -> Self {
        Self { scan: Scan::default(), met: Vec::new(), left: Vec::new() }
    }
}

impl<'a, V> Round<'a, V> {
    fn walk<T: Send>(&self) -> Found<T>
    where
        V: Fn(&Path, &[u8]) -> Option<T> + Sync,
    {
        let mut roots = self.roots.keys();
        let Some(first) = roots.next() else {
            return Found::default();
        };
        let mut walk = builder(first, self.options);
        for root in roots {
            walk.add(walkable(root));
        }
        let hidden = leave_hidden(&mut walk, self.options);
        let found = Mutex::new(Found::default());
        walk.build_parallel().visit(&mut Threads { round: self, found: &found });
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        let hidden = std::mem::take(&mut *hidden.lock().unwrap_or_else(PoisonError::into_inner));
        found.left.extend(hidden.into_iter().map(|path| (path, Skip::Hidden)));
        if self.options.listing == Listing::Every {
            found.left.extend(self.roots.keys().flat_map(|root| listing::ignored(root, self.options)));
        }
        found
    }

    /// Returns the place that an entry below a root leads to.
    fn place(&self, entry: &DirEntry) -> Option<PathBuf> {
        let root = entry.path().ancestors().nth(entry.depth())?;
        let below = entry.path().strip_prefix(root).ok()?;
        let place = self.roots.get(&roots::shown(root))?;
        Some(if below.as_os_str().is_empty() { place.clone() } else { place.join(below) })
    }
}

/// Sets up a walk from `root`; hidden entries are not its matter but [`leave_hidden`]'s.
pub(super) fn builder(root: &Path, options: &WalkOptions) -> WalkBuilder {
    let respect = options.ignore_files == IgnoreFiles::Respect;
    let mut builder = WalkBuilder::new(walkable(root));
    builder
        .standard_filters(false)
        .parents(respect)
        .ignore(respect)
        .git_ignore(respect)
        .git_exclude(respect)
        .require_git(true)
        .overrides(options.globs.0.clone())
        .follow_links(options.links == Links::Follow)
        .threads(options.threads);
    if respect {
        builder.add_custom_ignore_filename(".reversionignore");
    }
    builder
}

/// Spells a root for the walk, for which `-` alone would be standard input.
fn walkable(root: &Path) -> PathBuf {
    if root == Path::new("-") { Path::new(".").join(root) } else { root.to_owned() }
}

/// Makes `walk` leave out hidden entries before it enters them, and collects them as shown.
fn leave_hidden(walk: &mut WalkBuilder, options: &WalkOptions) -> Arc<Mutex<Vec<PathBuf>>> {
    let hidden = Arc::new(Mutex::new(Vec::new()));
    let (found, options) = (Arc::clone(&hidden), options.clone());
    walk.filter_entry(move |entry| {
        let leave = is_left_alone(entry.file_name(), &options);
        if leave && !is_own(entry.file_name()) {
            found.lock().unwrap_or_else(PoisonError::into_inner).push(shown(entry.path()));
        }
        !leave
    });
    hidden
}

/// Says whether an entry of this name is not visited and, if it is a folder, not entered.
pub(super) fn is_left_alone(name: &OsStr, options: &WalkOptions) -> bool {
    is_own(name) || options.hidden == Hidden::Skip && name.as_encoded_bytes().starts_with(b".")
}

/// Says whether a name is that of a folder which git or this program keeps for itself.
fn is_own(name: &OsStr) -> bool {
    name == ".git" || name == ".reversion"
}

/// Makes a visitor for each thread of a round.
struct Threads<'a, T, V> {
    round: &'a Round<'a, V>,
    found: &'a Mutex<Found<T>>,
}

impl<'a, T, V> ParallelVisitorBuilder<'a> for Threads<'a, T, V>
where
    T: Send,
    V: Fn(&Path, &[u8]) -> Option<T> + Sync,
{
    fn build(&mut self) -> Box<dyn ParallelVisitor + 'a> {
        let (round, total) = (self.round, self.found);
        Box::new(Thread { round, total, found: Found::default(), buffer: Buffer::new(MAX_FILE_SIZE) })
    }
}

/// One thread's part of a round; adds to the total when the thread is done.
struct Thread<'a, T, V> {
    round: &'a Round<'a, V>,
    total: &'a Mutex<Found<T>>,
    found: Found<T>,
    buffer: Buffer,
}

impl<T, V> Drop for Thread<'_, T, V> {
    fn drop(&mut self) {
        let found = std::mem::take(&mut self.found);
        let mut total = self.total.lock().unwrap_or_else(PoisonError::into_inner);
        total.scan.join(found.scan);
        total.met.extend(found.met);
    }
}

impl<T, V> ParallelVisitor for Thread<'_, T, V>
where
    T: Send,
    V: Fn(&Path, &[u8]) -> Option<T> + Sync,
{
    fn visit(&mut self, entry: Result<DirEntry, ignore::Error>) -> WalkState {
        match entry {
            Ok(entry) => self.entry(&entry),
            Err(error) => self.found.scan.failed.extend(failure(&error, None)),
        }
        WalkState::Continue
    }
}

impl<T, V> Thread<'_, T, V>
where
    V: Fn(&Path, &[u8]) -> Option<T> + Sync,
{
    fn entry(&mut self, entry: &DirEntry) {
        // An ignore file that cannot be read would let in what should stay out; one with a bad glob is git's to judge.
        self.found.scan.failed.extend(entry.error().and_then(|error| failure(error, None)));
        let Some(file_type) = entry.file_type().filter(|file_type| !file_type.is_dir()) else {
            return;
        };
        if !self.meet(entry) {
            return;
        }
        let path = shown(entry.path());
        let named = entry.depth() == 0 && self.round.options.named == Named::Always;
        if file_type.is_symlink() {
            self.skip(path, Skip::Link);
        } else if !named && !has_extension(&path, self.round.options) {
            self.skip(path, Skip::Extension);
        } else if !file_type.is_file() {
            self.found.scan.failed.push((path, Failure::NotAFile(Kind::of(file_type))));
        } else {
            self.file(path);
        }
    }

    /// Says whether no earlier round has met `entry`, and remembers it where a later one will ask.
    fn meet(&mut self, entry: &DirEntry) -> bool {
        if self.round.is_last && self.round.met.is_empty() {
            return true;
        }
        let Some(place) = self.round.place(entry) else {
            return true;
        };
        let is_new = !self.round.met.contains(&place);
        if !self.round.is_last {
            self.found.met.push(place);
        }
        is_new
    }

    fn file(&mut self, path: PathBuf) {
        let scan = &mut self.found.scan;
        let bytes = match self.buffer.fill(&path) {
            Ok(bytes) => bytes,
            Err(failure) => return scan.failed.push((path, failure)),
        };
        if let Some(skip) = Skip::of_bytes(bytes) {
            return scan.skip(path, skip, self.round.options.listing);
        }
        scan.seen += 1;
        scan.bytes += bytes.len() as u64;
        if let Some(made) = (self.round.visit)(&path, bytes) {
            scan.visited.push((path, made));
        }
    }

    fn skip(&mut self, path: PathBuf, skip: Skip) {
        self.found.scan.skip(path, skip, self.round.options.listing);
    }
}

fn has_extension(path: &Path, options: &WalkOptions) -> bool {
    let Some(extension) = path.extension() else {
        return false;
    };
    let mut wanted = EXTENSIONS.into_iter().chain(options.extensions.iter().map(String::as_str));
    wanted.any(|wanted| extension.eq_ignore_ascii_case(wanted))
}

/// Turns the walk's error into a failure of a path; a bad glob in an ignore file is none.
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
