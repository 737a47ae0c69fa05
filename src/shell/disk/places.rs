//! Answers: where do the paths of a call lead, and which folders above them belong to the same repository?
//!
//! A file is shown by the path that leads to it from a path of the call; its place is that path resolved, so that it can be
//! compared with what another folder names.
//!
//! Invariant: every file that a walk visits has a place, and is one of the names of that place.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::bounds::is_repository;
use super::roots::shown;

/// The paths of a call, as shown, with their places.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places(Vec<(PathBuf, PathBuf)>);

impl Places {
    /// Resolves `paths`; one that leads nowhere has no place.
    pub(crate) fn of(paths: &[PathBuf]) -> Self {
        let resolved = |path: &PathBuf| Some((shown(path), fs::canonicalize(path).ok()?));
        Self(paths.iter().filter_map(resolved).collect())
    }

    /// Returns the place of a file or folder below a path of the call.
    pub(crate) fn place(&self, file: &Path) -> Option<PathBuf> {
        self.0.iter().find_map(|(root, place)| Some(join(place, below(root, file)?)))
    }

    /// Returns the paths by which a walk can show what is at `place`.
    pub(crate) fn names(&self, place: &Path) -> Vec<PathBuf> {
        let name = |(root, top): &(PathBuf, PathBuf)| Some(shown(&join(root, place.strip_prefix(top).ok()?)));
        self.0.iter().filter_map(name).collect()
    }
}

/// Returns the folder of a path and those above it, up to the top of its repository; outside of a repository only that folder. A path
/// that leads to nothing has none.
pub(crate) fn folders_around(path: &Path) -> Vec<PathBuf> {
    let Ok(place) = fs::canonicalize(path) else { return Vec::new() };
    let folder = match fs::metadata(&place) {
        Ok(metadata) if metadata.is_dir() => place.as_path(),
        Ok(metadata) if metadata.is_file() => place.parent().unwrap_or(&place),
        Ok(_) | Err(_) => return Vec::new(),
    };
    let depth = folder.ancestors().position(is_repository).unwrap_or_default();
    folder.ancestors().take(depth + 1).map(Path::to_owned).collect()
}

/// Returns where a path leads, through all symbolic links; nothing where it leads nowhere.
pub(crate) fn resolved(path: &Path) -> Option<PathBuf> {
    // One call finds that nothing is there, where resolving asks for every folder on the way.
    fs::metadata(path).ok()?;
    fs::canonicalize(path).ok()
}

/// Returns whether a symbolic link is there, also one to nothing.
pub(crate) fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink())
}

/// Returns how the place of a file is shown from the current folder: by `..` where it is in a folder above, in full where it is elsewhere.
pub(crate) fn from_here(place: &Path) -> PathBuf {
    let Ok(here) = fs::canonicalize(".") else { return place.to_owned() };
    if let Ok(below) = place.strip_prefix(&here) {
        return below.to_owned();
    }
    let is_above = |folder: &Path| folder.parent().is_some() && place.parent() == Some(folder);
    match (here.ancestors().position(is_above), place.file_name()) {
        (Some(depth), Some(name)) => std::iter::repeat_n("..".as_ref(), depth).chain([name]).collect(),
        _ => place.to_owned(),
    }
}

/// Returns what leads from `root` to `file`, both as shown.
fn below<'f>(root: &Path, file: &'f Path) -> Option<&'f Path> {
    if root != Path::new(".") {
        return file.strip_prefix(root).ok();
    }
    let leaves = |part: Component<'_>| matches!(part, Component::ParentDir | Component::RootDir | Component::Prefix(_));
    (!file.components().any(leaves)).then_some(file)
}

fn join(folder: &Path, rest: &Path) -> PathBuf {
    if rest.as_os_str().is_empty() || rest == Path::new(".") { folder.to_owned() } else { folder.join(rest) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        for name in ["r/.git", "r/a/b", "r/c", "s/d"] {
            fs::create_dir_all(top.join(name)).unwrap();
        }
        fs::write(top.join("r/a/x.yaml"), "").unwrap();
        (folder, top)
    }

    #[test]
    fn folders_end_at_the_top_of_the_repository() {
        let (_folder, top) = tree();
        let around = |name: &str| folders_around(&top.join(name));
        assert_eq!(around("r/a/b"), ["r/a/b", "r/a", "r"].map(|name| top.join(name)));
        assert_eq!(around("r/a/x.yaml"), ["r/a", "r"].map(|name| top.join(name)));
        assert_eq!(around("r"), [top.join("r")]);
        assert_eq!(around("s/d"), [top.join("s/d")]);
        assert_eq!(around("none"), Vec::<PathBuf>::new());
        #[cfg(unix)]
        assert_eq!(folders_around(Path::new("/dev/null")), Vec::<PathBuf>::new());
    }

    #[test]
    fn a_place_and_its_names_lead_to_each_other() {
        let (_folder, top) = tree();
        let places = Places::of(&[top.join("r/a/"), top.join("r/c/../c"), top.join("none")]);
        assert_eq!(places.place(&top.join("r/a/x.yaml")), Some(top.join("r/a/x.yaml")));
        assert_eq!(places.place(&top.join("r/c/../c/y.yaml")), Some(top.join("r/c/y.yaml")));
        assert_eq!(places.place(&top.join("r/c")), None, "it is shown in another way");
        assert_eq!(places.names(&top.join("r/c/y.yaml")), [top.join("r/c/../c/y.yaml")]);
        assert_eq!(places.names(&top.join("s/d")), Vec::<PathBuf>::new());
    }

    #[test]
    fn what_is_below_the_current_folder_is_shown_without_it() {
        let here = fs::canonicalize(".").unwrap();
        let places = Places::of(&[PathBuf::from(".")]);
        assert_eq!(places.place(Path::new("a/b.yaml")), Some(here.join("a/b.yaml")));
        assert_eq!(places.place(Path::new("../b.yaml")), None);
        assert_eq!(places.names(&here.join("a/b.yaml")), [PathBuf::from("a/b.yaml")]);
        assert_eq!(from_here(&here.join("a/b.yaml")), Path::new("a/b.yaml"));
        assert_eq!(from_here(&here.parent().unwrap().join("b.yaml")), Path::new("../b.yaml"));
        let (_folder, top) = tree();
        assert_eq!(from_here(&top.join("s/d")), top.join("s/d"));
    }
}
