//! Answers: which calls on the file system does a transaction make?
//!
//! [`Files`] is the narrow set of them, [`Disk`] the real ones. A transaction is written against the trait, so that a test
//! can let any call fail and a journal can note each before it is made.
//!
//! Invariant: no call opens an existing file for writing; content only ever goes into a file that the call makes.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::failure::{Failure, Kind};
use super::read;

/// The calls a transaction makes. Each is one step: it is done, or it failed and nothing is different.
pub trait Files {
    /// Follows the links that `path` may be to the file at their end, and says whether that one can be replaced.
    ///
    /// # Errors
    /// [`Failure::Missing`], [`Failure::NotAFile`], [`Failure::HardLinked`], [`Failure::ReadOnly`], [`Failure::Denied`], or
    /// what the system says.
    fn target(&self, path: &Path) -> Result<PathBuf, Failure>;

    /// Reads a file.
    ///
    /// # Errors
    /// What the system says.
    fn read(&self, path: &Path) -> Result<Vec<u8>, Failure>;

    /// Makes the file `path`, which must not be there yet, with the mode of the file `like` and, where permitted, its owner.
    ///
    /// # Errors
    /// What the system says; then `path` is not there, or is what somebody else made.
    fn write_new(&self, path: &Path, bytes: &[u8], like: &Path) -> io::Result<()>;

    /// Gives the file `path` the second name `name`, which must not be there yet.
    ///
    /// # Errors
    /// What the system says; not every file system knows hard links.
    fn link(&self, path: &Path, name: &Path) -> io::Result<()>;

    /// Puts the file `from` in the place of the file `to`, in one step.
    ///
    /// # Errors
    /// What the system says.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file; one that is not there is no error.
    ///
    /// # Errors
    /// What the system says.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Waits until what was written to these files, or renamed in these folders, is on the disk.
    ///
    /// # Errors
    /// The path that failed and what the system says.
    fn flush(&self, paths: &[&Path]) -> Result<(), (PathBuf, Failure)>;
}

/// The file system of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Files for Disk {
    fn target(&self, path: &Path) -> Result<PathBuf, Failure> {
        let target = fs::canonicalize(path)?;
        let metadata = fs::metadata(&target)?;
        if !metadata.is_file() {
            return Err(Failure::NotAFile(Kind::of(metadata.file_type())));
        }
        if names(&metadata) > 1 {
            return Err(Failure::HardLinked(names(&metadata)));
        }
        if metadata.permissions().readonly() {
            return Err(Failure::ReadOnly);
        }
        may_write(&target)?;
        Ok(target)
    }

    fn read(&self, path: &Path) -> Result<Vec<u8>, Failure> {
        read::read(path)
    }

    fn write_new(&self, path: &Path, bytes: &[u8], like: &Path) -> io::Result<()> {
        let like = fs::metadata(like)?;
        make(path, |file| file.write_all(bytes).and_then(|()| dress(file, &like)))
    }

    fn link(&self, path: &Path, name: &Path) -> io::Result<()> {
        fs::hard_link(path, name)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        match fs::remove_file(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        }
    }

    fn flush(&self, paths: &[&Path]) -> Result<(), (PathBuf, Failure)> {
        if paths.len() > FLUSHED_ONE_BY_ONE { flush_together(paths) } else { flush_each(paths) }
    }
}

/// Above this number of files the whole file system is flushed at once: 5,000 files of 3 kB took 0.04 s on ext4, one by one 1 s.
const FLUSHED_ONE_BY_ONE: usize = 32;

fn flush_each(paths: &[&Path]) -> Result<(), (PathBuf, Failure)> {
    paths.iter().try_for_each(|path| flush_one(path).map_err(|error| (path.to_path_buf(), error.into())))
}

#[cfg(target_os = "linux")]
fn flush_together(paths: &[&Path]) -> Result<(), (PathBuf, Failure)> {
    use std::os::unix::fs::MetadataExt;
    let mut devices = std::collections::BTreeMap::new();
    for path in paths {
        let device = fs::metadata(path).map_err(|error| (path.to_path_buf(), error.into()))?.dev();
        devices.entry(device).or_insert(*path);
    }
    for path in devices.into_values() {
        let flushed = File::open(path).and_then(|file| Ok(rustix::fs::syncfs(file)?));
        flushed.map_err(|error| (path.to_path_buf(), error.into()))?;
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn flush_together(paths: &[&Path]) -> Result<(), (PathBuf, Failure)> {
    flush_each(paths)
}

#[cfg(unix)]
fn flush_one(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Elsewhere only a file that is open for writing can be flushed, and a folder not at all; only staged files come here.
#[cfg(not(unix))]
fn flush_one(path: &Path) -> io::Result<()> {
    if path.is_dir() { Ok(()) } else { OpenOptions::new().write(true).open(path)?.sync_all() }
}

/// Counts the names of a file.
#[cfg(unix)]
fn names(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(metadata)
}

#[cfg(not(unix))]
fn names(_: &Metadata) -> u64 {
    1
}

/// Asks the system, without opening the file, whether this process may write it.
#[cfg(target_os = "linux")]
fn may_write(path: &Path) -> Result<(), Failure> {
    use rustix::fs::{Access, AtFlags, CWD, accessat};
    accessat(CWD, path, Access::WRITE_OK, AtFlags::EACCESS).map_err(|error| io::Error::from(error).into())
}

#[cfg(not(target_os = "linux"))]
fn may_write(_: &Path) -> Result<(), Failure> {
    Ok(())
}

/// Opens new files so that nobody else reads them before they have the mode of the file they stand for.
#[cfg(unix)]
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

#[cfg(not(unix))]
fn private() -> OpenOptions {
    OpenOptions::new()
}

/// Makes a file and has it filled; one that could not be filled is removed again.
fn make(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let mut file = private().write(true).create_new(true).open(path)?;
    let filled = fill(&mut file);
    if filled.is_err() {
        let _ = fs::remove_file(path);
    }
    filled
}

/// Gives `file` the owner, where permitted, and then the mode of `like`: a change of owner can take bits of the mode away.
#[cfg(unix)]
fn dress(file: &File, like: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let own = file.metadata()?;
    if own.gid() != like.gid() {
        let _ = fchown(file, None, Some(like.gid()));
    }
    if own.uid() != like.uid() {
        let _ = fchown(file, Some(like.uid()), None);
    }
    file.set_permissions(like.permissions())
}

#[cfg(not(unix))]
fn dress(file: &File, like: &Metadata) -> io::Result<()> {
    file.set_permissions(like.permissions())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};

    use super::*;
    use crate::disk::transaction::{Aborted, Change, Fingerprint, Step, Transaction, Written};

    fn replace(path: &Path) -> Result<Written, Aborted> {
        let before = Fingerprint::of(b"old");
        Transaction::stage(vec![Change { path: path.to_owned(), before, after: b"new".to_vec() }])?.commit()
    }

    fn file(folder: &Path, mode: u32) -> PathBuf {
        let path = folder.join("a.yaml");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    #[track_caller]
    fn check_refused(path: &Path, step: Step, failure: Failure) {
        let aborted = replace(path).unwrap_err();
        assert_eq!((aborted.step, aborted.failures), (step, vec![(path.to_owned(), failure)]));
        assert_eq!(fs::read(path).unwrap(), b"old");
    }

    /// Says whether this process may do what modes forbid; then a test of what they forbid has nothing to see.
    fn is_privileged(folder: &Path) -> bool {
        let path = folder.join("probe");
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o0)).unwrap();
        File::open(&path).is_ok()
    }

    #[expect(clippy::print_stderr, reason = "a test that has nothing to see says so")]
    fn skipped(test: &str) {
        eprintln!("skipped: {test}");
    }

    #[test]
    fn the_mode_stays() {
        for mode in [0o600, 0o640, 0o644, 0o666, 0o755] {
            let folder = tempfile::tempdir().unwrap();
            let path = file(folder.path(), mode);
            replace(&path).unwrap();
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, mode);
            assert_eq!(fs::read(&path).unwrap(), b"new");
        }
    }

    #[test]
    fn the_owner_stays_where_permitted() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(folder.path(), 0o664);
        if chown(&path, Some(4321), Some(4322)).is_err() {
            return skipped("the_owner_stays_where_permitted: only root gives files away");
        }
        replace(&path).unwrap();
        let metadata = fs::metadata(&path).unwrap();
        assert_eq!((metadata.uid(), metadata.gid(), metadata.mode() & 0o7777), (4321, 4322, 0o664));
    }

    #[test]
    fn a_link_stays_a_link_and_its_file_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(folder.path(), 0o644);
        fs::create_dir(folder.path().join("links")).unwrap();
        let link = folder.path().join("links/to.yaml");
        symlink("../a.yaml", &link).unwrap();
        assert_eq!(replace(&link).unwrap().files, std::slice::from_ref(&link));
        assert_eq!(fs::read_link(&link).unwrap(), Path::new("../a.yaml"));
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path().join("links")).unwrap().count(), 1);
    }

    #[test]
    fn a_link_to_nothing_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("to.yaml");
        symlink("none.yaml", &link).unwrap();
        assert_eq!(replace(&link).unwrap_err().failures, [(link, Failure::Missing)]);
    }

    #[test]
    fn a_file_of_two_names_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(folder.path(), 0o644);
        fs::hard_link(&path, folder.path().join("b.yaml")).unwrap();
        check_refused(&path, Step::Look, Failure::HardLinked(2));
    }

    #[test]
    fn a_read_only_file_is_refused_even_to_root() {
        let folder = tempfile::tempdir().unwrap();
        check_refused(&file(folder.path(), 0o444), Step::Look, Failure::ReadOnly);
    }

    #[test]
    fn a_file_that_others_may_write_but_not_this_user_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(folder.path(), 0o466);
        if is_privileged(folder.path()) {
            return skipped("a_file_that_others_may_write_but_not_this_user_is_refused: modes bind no root");
        }
        check_refused(&path, Step::Look, Failure::Denied);
    }

    #[test]
    fn a_folder_that_takes_no_new_file_stops_the_staging() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(folder.path(), 0o644);
        if is_privileged(folder.path()) {
            return skipped("a_folder_that_takes_no_new_file_stops_the_staging: modes bind no root");
        }
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).unwrap();
        check_refused(&path, Step::Stage, Failure::Denied);
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn what_somebody_else_put_there_is_neither_written_nor_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(folder.path(), 0o644);
        let taken = folder.path().join("taken");
        fs::write(&taken, "theirs").unwrap();
        let error = Disk.write_new(&taken, b"ours", &path).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&taken).unwrap(), b"theirs");
    }

    #[test]
    fn a_new_file_is_private_until_it_is_filled_and_gone_when_it_cannot_be() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new");
        let full = make(&path, |file| {
            assert_eq!(file.metadata()?.mode() & 0o077, 0);
            Err(io::Error::from(io::ErrorKind::StorageFull))
        });
        assert_eq!(full.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert!(!path.exists());
    }

    #[test]
    fn many_files_are_flushed_as_few_are() {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<PathBuf> = (0..=FLUSHED_ONE_BY_ONE).map(|at| folder.path().join(at.to_string())).collect();
        paths.iter().for_each(|path| fs::write(path, "x").unwrap());
        let mut paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        assert_eq!(Disk.flush(&paths), Ok(()));
        assert_eq!(Disk.flush(&[folder.path()]), Ok(()));
        let none = folder.path().join("none");
        paths.push(&none);
        assert_eq!(Disk.flush(&paths), Err((none.clone(), Failure::Missing)));
        assert_eq!(Disk.flush(&[&none]), Err((none.clone(), Failure::Missing)));
    }
}
