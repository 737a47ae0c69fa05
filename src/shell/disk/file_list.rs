//! Answers: which files of a walk does a list of paths name?
//!
//! A list is what `git diff --name-only` prints, with one path a line or separated by NUL. A path in it is relative to the current folder, and
//! the walk shows the file below one of its roots, so both its spelling and its place count. A path that the walk does not lead
//! to names nothing.
//!
//! Invariant: what a symbolic link leads to is not named by the link.

use std::collections::BTreeSet;
use std::fs;
use std::fs::File;
use std::path::{Component, Path, PathBuf};

use super::failure::{Failure, FileKind};
use super::places::{Places, folders_around};
use super::read_file::is_there;
use super::read_file::{MAX_FILE_SIZE, files_from, read_all, read_stdin};

/// The files that a list names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileList {
    /// The paths as listed.
    paths: BTreeSet<PathBuf>,
    /// Where these are.
    places: BTreeSet<PathBuf>,
    /// The same as a walk shows them.
    files: BTreeSet<PathBuf>,
    /// What is odd about the list.
    pub(crate) remarks: Vec<ListRemark>,
}

/// What is odd about a list, so that it may not be the one that was meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ListRemark {
    /// The paths count from the top of the repository, as those of `git diff --name-only`.
    FromTop,
    /// No path leads to anything, as this one.
    NothingThere(PathBuf),
    /// A path leads to another repository, which git lists like a file where it is a submodule.
    Submodule(PathBuf),
}

impl FileList {
    /// Reads the list in `file`, or on standard input for `-`, for a walk of `roots`.
    ///
    /// # Errors
    /// Why the list cannot be read; it can be a pipe or a device too.
    pub(crate) fn read(file: &Path, roots: &[PathBuf]) -> Result<Self, Failure> {
        let text = if file == Path::new("-") {
            read_stdin(MAX_FILE_SIZE)?
        } else if fs::metadata(file)?.is_dir() {
            return Err(Failure::NotAFile(FileKind::Folder));
        } else {
            read_all(File::open(file)?, MAX_FILE_SIZE)?
        };
        let is_separated = memchr::memchr(0, &text).is_some();
        let mut names = files_from(&text);
        if is_separated {
            refuse_wide(&names)?;
        } else {
            names = names.into_iter().map(name).collect::<Result<_, _>>()?;
        }
        let mut remarks = Vec::new();
        if let Some(top) =
            above(&names, folders_around(Path::new(".")).last().map_or(Path::new("."), PathBuf::as_path))?
        {
            names = names.iter().map(|name| top.join(name)).collect();
            remarks.push(ListRemark::FromTop);
        }
        if let Some(first) = names.first().filter(|_| !names.iter().any(|name| is_there(name))) {
            remarks.push(ListRemark::NothingThere(first.clone()));
        }
        let (submodules, folders): (Vec<_>, Vec<_>) =
            names.iter().filter(|name| name.is_dir()).partition(|name| is_there(&name.join(".git")));
        if let Some(folder) = folders.first() {
            let why = format!(
                "names {}, which is a folder: list its files, as `find -type f` does, or pass the folder as an argument",
                folder.display()
            );
            return Err(Failure::NotAList(why));
        }
        remarks.extend(submodules.first().map(|name| ListRemark::Submodule((*name).clone())));
        Ok(Self { remarks, ..Self::new(names, roots) })
    }

    fn new(paths: impl IntoIterator<Item = PathBuf>, roots: &[PathBuf]) -> Self {
        let roots = Places::of(roots);
        let mut list = Self::default();
        for path in paths {
            let path = direct(&path);
            let place = place_of(&path);
            list.files.extend(place.iter().flat_map(|place| roots.names(place)));
            list.places.extend(place);
            list.files.insert(path.clone());
            list.paths.insert(path);
        }
        list
    }

    /// Adds `paths`, for a walk of `roots`.
    pub(crate) fn with(self, paths: impl Iterator<Item = PathBuf>, roots: &[PathBuf]) -> Self {
        Self { remarks: self.remarks, ..Self::new(self.paths.into_iter().chain(paths), roots) }
    }

    /// Returns the paths as listed.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.paths.iter().map(PathBuf::as_path)
    }

    /// Returns how many paths are listed.
    pub(crate) fn len(&self) -> usize {
        self.paths.len()
    }

    /// Returns whether no path is listed.
    pub(crate) fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Returns whether the file at `place` is listed, as [`place_of`] returns it.
    pub(crate) fn has_place(&self, place: &Path) -> bool {
        self.places.contains(place)
    }

    /// Returns whether a file is listed that a walk shows as `file`.
    pub(crate) fn has(&self, file: &Path) -> bool {
        self.files.contains(file)
    }
}

/// Refuses UTF-16, of which every second byte is NUL: no list that is separated by NUL has a dot or the end of a line for a name.
fn refuse_wide(names: &[PathBuf]) -> Result<(), Failure> {
    if names.iter().any(|name| [".", "\n", "\r"].map(Path::new).contains(&name.as_path())) {
        let why = "is in UTF-16: save it in UTF-8, in PowerShell with `Out-File -Encoding utf8`";
        return Err(Failure::NotAList(why.to_owned()));
    }
    Ok(())
}

/// Reads a line: a path, which may be gone, but not what is no path.
fn name(line: PathBuf) -> Result<PathBuf, Failure> {
    if is_there(&line) {
        return Ok(line);
    }
    let Some(text) = line.to_str() else {
        let why = "is not valid UTF-8: save it in UTF-8, or separate the names by NUL, as `git diff -z` does";
        return Err(Failure::NotAList(why.to_owned()));
    };
    let trimmed = Path::new(text.trim());
    if is_there(trimmed) {
        return Ok(trimmed.to_owned());
    }
    if has_status(text) {
        let why = format!(
            "has status letters, as in `{}`: list names only, as `git diff --name-only` does",
            text.replace('\t', " ")
        );
        return Err(Failure::NotAList(why));
    }
    Ok(line)
}

/// Returns whether a line is one of `git diff --name-status` or `git status --short`.
fn has_status(line: &str) -> bool {
    let is_letter = |letter: char| "ABCDMRTUX".contains(letter);
    let (status, rest) = line.split_once('\t').unwrap_or((line, ""));
    if !rest.is_empty()
        && status.trim_end_matches(|digit: char| digit.is_ascii_digit()).chars().eq(status.chars().take(1))
    {
        return status.starts_with(is_letter);
    }
    let mut letters = line.chars();
    let is_short = letters.by_ref().take(2).all(|letter| is_letter(letter) || " ?!".contains(letter));
    is_short && letters.next() == Some(' ') && is_there(Path::new(letters.as_str().trim_matches('"')))
}

/// Returns what leads to `top`, the top of the repository, if the names count from there: none leads to anything from here, and some do
/// from there. One that is gone does not matter.
fn above(names: &[PathBuf], top: &Path) -> Result<Option<PathBuf>, Failure> {
    let from_top = |name: &&PathBuf| is_there(&top.join(name));
    let Some(name) = names.iter().find(|name| !is_there(name) && from_top(name)) else { return Ok(None) };
    let here: Vec<&PathBuf> = names.iter().filter(|name| is_there(name)).collect();
    if here.iter().any(|name| !from_top(name)) {
        return Ok(None);
    }
    let Some(both) = here.first() else { return Ok(Some(top.to_owned())) };
    let why = format!(
        "names {}, which is in the top folder of the repository, and {}, which is both there and here: list names from here, as `git diff --relative` does, or run in the top folder",
        name.display(),
        both.display()
    );
    Err(Failure::NotAList(why))
}

/// Returns a path without `.`, and without `..` behind a folder.
pub(crate) fn direct(path: &Path) -> PathBuf {
    let mut direct = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if matches!(direct.components().next_back(), Some(Component::Normal(_))) => {
                direct.pop();
            }
            component => direct.push(component),
        }
    }
    direct
}

/// Returns where a file or folder is, if the folder around it exists; a link is where it stands.
pub(crate) fn place_of(path: &Path) -> Option<PathBuf> {
    if path.file_name().is_none() {
        return fs::canonicalize(path).ok();
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some(fs::canonicalize(folder).ok()?.join(path.file_name()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_a_file_below_any_root_that_leads_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path();
        fs::create_dir_all(top.join("a/b")).unwrap();
        let list =
            |paths: &[&str], root: &str| FileList::new(paths.iter().map(|path| top.join(path)), &[top.join(root)]);
        let has = |list: &FileList, file: &str| list.has(&top.join(file));
        // The walk shows a file as its root is spelled.
        assert!(has(&list(&["a/b/c.yaml"], "a"), "a/b/c.yaml"));
        assert!(has(&list(&["a/b/c.yaml"], "a/b/.."), "a/b/../b/c.yaml"));
        assert!(has(&list(&["./a/b/../d.yaml"], "a"), "a/d.yaml"));
        assert!(has(&list(&["a/d.yaml"], "a/d.yaml"), "a/d.yaml"));
        assert!(!has(&list(&["a/d.yaml"], "a"), "a/b/c.yaml"));
        let gone = list(&["gone/e.yaml", "gone/./e.yaml"], "a");
        assert_eq!((gone.len(), has(&gone, "gone/e.yaml")), (1, true));
        assert!(FileList::default().is_empty());
    }

    #[test]
    #[cfg(unix)]
    fn a_link_does_not_name_what_it_leads_to() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path();
        fs::write(top.join("a.yaml"), "").unwrap();
        std::os::unix::fs::symlink(top.join("a.yaml"), top.join("b.yaml")).unwrap();
        let list = FileList::new([top.join("b.yaml")], &[top.to_owned()]);
        assert!(list.has(&top.join("b.yaml")) && !list.has(&top.join("a.yaml")));
    }

    #[test]
    fn a_list_is_read_from_devices_but_not_from_folders() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(FileList::read(folder.path(), &[]), Err(Failure::NotAFile(FileKind::Folder)));
        assert_eq!(FileList::read(&folder.path().join("none"), &[]), Err(Failure::Missing));
        #[cfg(unix)]
        assert!(FileList::read(Path::new("/dev/null"), &[]).unwrap().is_empty());
    }
}
