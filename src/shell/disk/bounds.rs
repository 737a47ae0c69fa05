//! Answers: which paths may a run write, and where is its journal?
//!
//! The paths of a call, resolved, are its roots: only files at or below them are written. Their tree is the nearest folder
//! above all of them that holds `.git`; outside of a repository it is the nearest one that holds this user's `.reversion`,
//! else the folder that all roots share. A file's place is its path from the top of the tree.
//!
//! Invariant: a place is relative, has no `..` in it and does not lead into a folder reserved for git or this program.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::failure::Failure;
use super::read_file::is_there;

/// The folder at the top of a tree that holds the journal.
pub(super) const JOURNAL_FOLDER: &str = ".reversion";

/// The places that a run may write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    top: PathBuf,
    roots: Vec<PathBuf>,
}

impl Bounds {
    /// Finds the bounds of a call that names `paths`; no paths mean the current folder.
    ///
    /// # Errors
    /// The first path that cannot be resolved, and why.
    pub(crate) fn around(paths: &[PathBuf]) -> Result<Self, (PathBuf, Failure)> {
        let here = [PathBuf::from(".")];
        let paths = if paths.is_empty() { &here } else { paths };
        let resolve = |path: &PathBuf| fs::canonicalize(path).map_err(|error| (path.clone(), error.into()));
        let roots = paths.iter().map(resolve).collect::<Result<Vec<_>, _>>()?;
        let folders = roots.iter().map(|root| if root.is_dir() { root.as_path() } else { parent(root) });
        let common = folders.map(Path::to_path_buf).reduce(|left, right| shared(&left, &right)).unwrap_or_default();
        let nearest = |fits: fn(&Path) -> bool| common.ancestors().find(|folder| fits(folder));
        let top = nearest(is_repository).or_else(|| nearest(has_journal)).unwrap_or(&common).to_path_buf();
        Ok(Self { top, roots })
    }

    /// Returns the top of the tree, resolved.
    pub(crate) fn top(&self) -> &Path {
        &self.top
    }

    /// Widens the bounds to the whole tree: what was written in it may be undone, whatever paths the call names.
    #[must_use]
    pub(crate) fn whole(self) -> Self {
        Self { roots: vec![self.top.clone()], ..self }
    }

    /// Turns the path of a file, resolved, into its place.
    pub(super) fn place(&self, file: &Path) -> Result<PathBuf, Failure> {
        let place = file.strip_prefix(&self.top).map_err(|_| Failure::OutsideTree)?;
        if !self.roots.iter().any(|root| file.starts_with(root)) {
            return Err(Failure::OutsidePaths);
        }
        if !is_place(place) {
            return Err(Failure::Reserved);
        }
        if place.to_str().is_none() {
            return Err(Failure::NotUtf8);
        }
        Ok(place.to_path_buf())
    }
}

/// Returns the path of a file relative to the current folder, if the file is below that.
pub(crate) fn inside_current_folder(file: &Path) -> Option<PathBuf> {
    let here = fs::canonicalize(".").ok()?;
    let inside = fs::canonicalize(file).ok()?.strip_prefix(here).ok()?.to_path_buf();
    is_place(&inside).then_some(inside)
}

/// The repository that the current folder is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Repository {
    /// Its top, resolved.
    pub(crate) top: String,
    /// The path of the current folder from there, with `/`; empty at the top.
    pub(crate) folder: String,
}

impl Repository {
    /// Finds the repository of the current folder; `None` outside of one, or where its path is not text.
    pub(crate) fn here() -> Option<Self> {
        let here = fs::canonicalize(".").ok()?;
        let top = here.ancestors().find(|folder| is_repository(folder))?;
        let names = here.strip_prefix(top).ok()?.components().map(|name| name.as_os_str().to_str());
        let folder = names.collect::<Option<Vec<_>>>()?.join("/");
        Some(Self { top: top.to_str()?.to_owned(), folder })
    }
}

/// Returns whether a relative path, as read from a plan or a journal, is a place.
pub fn is_place(path: &Path) -> bool {
    let is_name = |component: Component<'_>| match component {
        Component::Normal(name) => !is_reserved(&name.to_string_lossy()),
        _ => false,
    };
    path.components().next().is_some() && path.components().all(is_name)
}

/// Returns whether a relative path never leaves its folder.
#[cfg(not(unix))]
pub(super) fn is_inside(path: &Path) -> bool {
    path.components().all(|component| matches!(component, Component::Normal(_)))
}

/// Returns whether a name is that of a folder reserved for git or this program, on any file system.
fn is_reserved(name: &str) -> bool {
    // Windows drops dots and spaces at the end of a name and reads `:` as the start of a stream's name; the short name of
    // `.git` is `git~1`; macOS ignores some characters that print nothing (git's CVE-2014-9390).
    let bare: String = name.chars().filter(|character| !is_ignorable(*character)).collect();
    let bare = bare.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']).to_ascii_lowercase();
    matches!(bare.as_str(), ".git" | JOURNAL_FOLDER | "git~1" | "revers~1")
}

/// Characters that HFS+ ignores when it compares names.
const fn is_ignorable(character: char) -> bool {
    matches!(character, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// Returns the folder of the repository that `file`, resolved, is in.
pub(super) fn repository(file: &Path) -> Option<&Path> {
    file.ancestors().skip(1).find(|folder| is_repository(folder))
}

/// Returns whether a folder is the top of a git repository.
pub(super) fn is_repository(folder: &Path) -> bool {
    is_there(&folder.join(".git"))
}

fn has_journal(folder: &Path) -> bool {
    fs::symlink_metadata(folder.join(JOURNAL_FOLDER))
        .is_ok_and(|folder_metadata| folder_metadata.is_dir() && is_trusted(folder, &folder_metadata))
}

/// Returns whether the journal of a tree is this user's or that of the tree's owner: in a folder that many users may write, such as
/// `/tmp`, somebody else could have put one there.
#[cfg(unix)]
pub(super) fn is_trusted(top: &Path, folder_metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let owner = fs::metadata(top).map(|top| top.uid());
    folder_metadata.uid() == rustix::process::geteuid().as_raw()
        || owner.is_ok_and(|owner| owner == folder_metadata.uid())
}

#[cfg(not(unix))]
pub(super) fn is_trusted(_: &Path, _: &fs::Metadata) -> bool {
    true
}

/// Returns the folder of a resolved file.
pub(super) fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}

/// Returns the deepest folder above both.
fn shared(left: &Path, right: &Path) -> PathBuf {
    let pairs = left.components().zip(right.components());
    pairs.take_while(|(left, right)| left == right).map(|(left, _)| left).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(folders: &[&str]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        folders.iter().for_each(|name| fs::create_dir_all(top.join(name)).unwrap());
        (folder, top)
    }

    fn top_of(top: &Path, paths: &[&str]) -> PathBuf {
        let paths: Vec<_> = paths.iter().map(|path| top.join(path)).collect();
        Bounds::around(&paths).unwrap().top().strip_prefix(top).unwrap().to_path_buf()
    }

    #[test]
    fn the_tree_is_the_nearest_repository_of_all_paths() {
        let (_folder, top) = tree(&["r/.git", "r/a/b", "r/c", "r/vendor/.git", "r/vendor/d"]);
        fs::write(top.join("r/c/x.yaml"), "").unwrap();
        assert_eq!(top_of(&top, &["r/a/b", "r/c/x.yaml"]), Path::new("r"));
        assert_eq!(top_of(&top, &["r/c/x.yaml"]), Path::new("r"));
        assert_eq!(top_of(&top, &["r/vendor/d"]), Path::new("r/vendor"));
        assert_eq!(top_of(&top, &["r/vendor/d", "r/a"]), Path::new("r"));
    }

    #[test]
    fn without_a_repository_the_tree_is_the_journals_folder_or_the_common_parent() {
        let (_folder, top) = tree(&["t/a/b/c", "t/a/d"]);
        assert_eq!(top_of(&top, &["t/a/b/c", "t/a/d"]), Path::new("t/a"));
        fs::create_dir(top.join("t/.reversion")).unwrap();
        assert_eq!(top_of(&top, &["t/a/b/c", "t/a/d"]), Path::new("t"));
        let missing = top.join("none");
        assert_eq!(Bounds::around(std::slice::from_ref(&missing)), Err((missing, Failure::Missing)));
    }

    #[test]
    fn only_paths_below_a_root_have_a_place() {
        let (_folder, top) = tree(&[".git/hooks", "a", "ab", ".reversion"]);
        let bounds = Bounds::around(&[top.join("a")]).unwrap();
        assert_eq!(bounds.place(&top.join("a/x.yaml")), Ok(PathBuf::from("a/x.yaml")));
        assert_eq!(bounds.place(&top.join("ab/x.yaml")), Err(Failure::OutsidePaths));
        assert_eq!(bounds.place(Path::new("/etc/passwd")), Err(Failure::OutsideTree));
        let bounds = bounds.whole();
        assert_eq!(bounds.place(&top.join("ab/x.yaml")), Ok(PathBuf::from("ab/x.yaml")));
        assert_eq!(bounds.place(&top.join(".git/hooks/x")), Err(Failure::Reserved));
        assert_eq!(bounds.place(&top.join(".reversion/x")), Err(Failure::Reserved));
    }

    #[test]
    fn a_place_stays_below_the_top_and_outside_reserved_folders() {
        for path in ["a.yaml", "a/b.yaml", ".github/a.yaml", "git/a", ".gitignore", "..a/...b"] {
            assert!(is_place(Path::new(path)), "{path}");
        }
        let kept =
            [".git/a", "a/.GIT/b", ".git./a", ".git /a", ".git::$INDEX/a", "git~1/a", ".g\u{200c}it/a", ".Reversion/a"];
        for path in kept.into_iter().chain(["", "/a", "../a", "a/../b", "."]) {
            assert!(!is_place(Path::new(path)), "{path}");
        }
    }
}
