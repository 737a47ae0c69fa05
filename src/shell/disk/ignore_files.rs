//! Answers: can the ignore files of a folder be read?
//!
//! The walk reads them itself, follows links and reads to the end: a link to a device or a named pipe would never end. A folder
//! with such a file is not entered, since what it excludes is unknown.
//!
//! Invariant: no file is opened here.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::bounds::is_repository;
use super::failure::{Failure, FileKind};
use super::options::WalkOptions;
use super::roots::shown;
use super::walk_builder::OWN_IGNORE;

/// The ignore files of a folder, by their paths from there.
const NAMES: [&str; 4] = [".gitignore", ".ignore", OWN_IGNORE, ".git/info/exclude"];

/// The most bytes that an ignore file may have.
const MAX_SIZE: u64 = 1 << 20;

/// Returns whether a path is that of an ignore file.
pub(crate) fn is_ignore_file(path: &Path) -> bool {
    NAMES.iter().any(|name| path.ends_with(name))
}

/// Returns the ignore files of `folder` that are not read, each with the reason.
pub(super) fn unreadable(folder: &Path, options: &WalkOptions) -> Vec<(PathBuf, Failure)> {
    check(folder, options, |path| fs::symlink_metadata(path))
}

fn check(
    folder: &Path,
    options: &WalkOptions,
    metadata: impl Fn(&Path) -> io::Result<Metadata>,
) -> Vec<(PathBuf, Failure)> {
    let names = if options.no_ignore { &[][..] } else { &NAMES };
    let refused = |path: PathBuf| {
        let metadata = metadata(&path).ok()?;
        let failure = if !metadata.is_file() {
            Failure::NotAFile(FileKind::of(metadata.file_type()))
        } else if metadata.len() > MAX_SIZE {
            Failure::TooLarge(MAX_SIZE)
        } else {
            return None;
        };
        Some((shown(&path), failure))
    };
    names.iter().map(|name| folder.join(name)).filter_map(refused).collect()
}

/// Returns those of `root`, which leads to `place`, and of the folders above it. Above its repository links are followed: a home folder can have
/// an ignore file that is one, and what is there is not from the tree.
pub(super) fn unreadable_above(root: &Path, place: &Path, options: &WalkOptions) -> Vec<(PathBuf, Failure)> {
    let top = place.ancestors().find(|folder| is_repository(folder)).unwrap_or(place);
    let of = |folder: &Path| {
        if folder.starts_with(top) {
            unreadable(folder, options)
        } else {
            check(folder, options, |path| fs::metadata(path))
        }
    };
    unreadable(root, options).into_iter().chain(place.ancestors().skip(1).flat_map(of)).collect()
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::shell::disk::walk::scan;

    #[test]
    fn a_folder_whose_ignore_file_cannot_be_read_is_reported_and_not_entered() {
        for name in NAMES {
            for folder in ["", "sub"] {
                let tree = tempfile::tempdir().unwrap();
                let top = tree.path().canonicalize().unwrap();
                let ignore = top.join(folder).join(name);
                fs::create_dir_all(ignore.parent().unwrap()).unwrap();
                fs::create_dir_all(top.join("sub")).unwrap();
                fs::write(top.join("a.yaml"), "a").unwrap();
                fs::write(top.join("sub/b.yaml"), "b").unwrap();
                symlink("/dev/zero", &ignore).unwrap();
                let scan_with = |options: &WalkOptions| {
                    scan(std::slice::from_ref(&top), options, |path, _| Some(path.to_path_buf()))
                };
                let scanned = scan_with(&WalkOptions::default());
                assert_eq!(scanned.failed, [(ignore.clone(), Failure::NotAFile(FileKind::Link))]);
                assert_eq!(scanned.visited.len(), usize::from(folder == "sub"), "{name}");
                let all = scan_with(&WalkOptions { no_ignore: true, ..WalkOptions::default() });
                assert_eq!((all.failed, all.visited.len()), (Vec::new(), 2), "{name}");
                fs::remove_file(&ignore).unwrap();
                fs::write(&ignore, vec![b'#'; (MAX_SIZE + 1).try_into().unwrap()]).unwrap();
                assert_eq!(scan_with(&WalkOptions::default()).failed, [(ignore, Failure::TooLarge(MAX_SIZE))]);
            }
        }
    }
}
