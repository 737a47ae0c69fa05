//! Answers: which calls on the file system does a transaction make?
//!
//! [`FileSystem`] is the trait with those calls, [`Disk`] implements it. A transaction and its journal are written against the trait,
//! so that a test can make any call fail, or be the last one of a process. All but the first take a place: a path from the
//! top of the tree.
//!
//! Invariant: no call opens an existing file for writing; content is only ever written to a file that the call creates.

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::bounds::{Bounds, parent};
use super::confined_dir::ConfinedDir;
use super::failure::{Failure, FileKind};
use super::read_file::{MAX_FILE_SIZE, read_open};

/// The calls a transaction makes. Each is atomic: it succeeds, or it fails and changes nothing.
pub(crate) trait FileSystem {
    /// Resolves `path`, which may be a symbolic link, to the place of its file, and checks that the file can be
    /// replaced.
    ///
    /// # Errors
    /// [`Failure::Missing`], [`Failure::NotAFile`], [`Failure::OutsidePaths`], [`Failure::OutsideTree`], [`Failure::Reserved`], [`Failure::NotUtf8`],
    /// [`Failure::HardLinked`], [`Failure::ReadOnly`], [`Failure::Denied`], or the error of the system.
    fn target(&self, path: &Path) -> Result<PathBuf, Failure>;

    /// Resolves `path` to the place of a file that is to be made, and checks that nothing is there.
    ///
    /// # Errors
    /// [`Failure::Exists`], or those of [`Self::target`] about its folder.
    fn new_target(&self, path: &Path) -> Result<PathBuf, Failure>;

    /// Returns whether two places lead to one file, as `A.yaml` and `a.yaml` do on a case-insensitive file system.
    fn is_same(&self, left: &Path, right: &Path) -> bool;

    /// Reads a file.
    ///
    /// # Errors
    /// The error of the system.
    fn read(&self, place: &Path) -> Result<Vec<u8>, Failure>;

    /// Lists the names in a folder, sorted; none if the folder does not exist.
    ///
    /// # Errors
    /// The error of the system.
    fn names(&self, folder: &Path) -> Result<Vec<OsString>, Failure>;

    /// Creates the file `place`, which must not exist yet.
    ///
    /// # Errors
    /// The error of the system; then `place` does not exist, or was created by somebody else.
    fn write_new(&self, place: &Path, bytes: &[u8], like: FileMode<'_>) -> io::Result<()>;

    /// Links the file `place` to the second name `name`, which must not exist yet.
    ///
    /// # Errors
    /// The error of the system; not every file system has hard links.
    fn link(&self, place: &Path, name: &Path) -> io::Result<()>;

    /// Renames the file or folder `from` to `to`, atomically.
    ///
    /// # Errors
    /// The error of the system.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Exchanges two files, atomically.
    ///
    /// # Errors
    /// The error of the system; [`Unsupported`](io::ErrorKind::Unsupported) where the file system cannot.
    fn exchange(&self, left: &Path, right: &Path) -> io::Result<()>;

    /// Renames the file `from` to `to`, which must not exist yet. A process that is killed can leave both names.
    ///
    /// # Errors
    /// [`AlreadyExists`](io::ErrorKind::AlreadyExists), or the error of the system.
    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file; does nothing if it does not exist.
    ///
    /// # Errors
    /// The error of the system.
    fn remove(&self, place: &Path) -> io::Result<()>;

    /// Creates a folder; does nothing if it exists.
    ///
    /// # Errors
    /// The error of the system.
    fn make_folder(&self, place: &Path) -> io::Result<()>;

    /// Removes an empty folder; does nothing if it does not exist.
    ///
    /// # Errors
    /// The error of the system.
    fn remove_folder(&self, place: &Path) -> io::Result<()>;

    /// Flushes what was written to these files, or renamed in these folders, to the disk.
    ///
    /// # Errors
    /// The place that failed and the error of the system.
    fn flush(&self, places: &[&Path]) -> Result<(), (PathBuf, Failure)>;
}

/// The mode and owner of a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileMode<'a> {
    /// Only this user may read or write it.
    Private,
    /// That of a new file of this user.
    New,
    /// The mode of the file at this place and, where permitted, its owner.
    SameAs(&'a Path),
}

/// The file system of this machine, within bounds.
#[derive(Debug)]
pub(crate) struct Disk {
    bounds: Bounds,
    dir: ConfinedDir,
}

impl Disk {
    /// Opens the top of the tree.
    ///
    /// # Errors
    /// The error of the system.
    pub(crate) fn open(bounds: Bounds) -> io::Result<Self> {
        let dir = ConfinedDir::open(bounds.top())?;
        Ok(Self { bounds, dir })
    }

    /// Opens a lock file, and creates it if it does not exist.
    pub(super) fn open_lock(&self, place: &Path) -> io::Result<File> {
        self.dir.open_or_create(place)
    }

    /// Opens a lock file that exists.
    pub(super) fn open_existing_lock(&self, place: &Path) -> io::Result<File> {
        self.dir.read(place)
    }

    /// Reads the metadata of a file.
    pub(super) fn metadata(&self, place: &Path) -> io::Result<Metadata> {
        self.dir.read(place)?.metadata()
    }
}

impl FileSystem for Disk {
    fn target(&self, path: &Path) -> Result<PathBuf, Failure> {
        let target = fs::canonicalize(path)?;
        let place = self.bounds.place(&target)?;
        let metadata = fs::metadata(&target)?;
        if !metadata.is_file() {
            return Err(Failure::NotAFile(FileKind::of(metadata.file_type())));
        }
        if names(&metadata) > 1 {
            return Err(Failure::HardLinked(names(&metadata)));
        }
        if metadata.permissions().readonly() {
            return Err(Failure::ReadOnly);
        }
        may_write(&target)?;
        Ok(place)
    }

    fn new_target(&self, path: &Path) -> Result<PathBuf, Failure> {
        // A folder without a name is the current one.
        let folder = fs::canonicalize(Path::new(".").join(parent(path)))?;
        let target = folder.join(path.file_name().ok_or(Failure::Missing)?);
        match target.symlink_metadata() {
            Ok(_) => Err(Failure::Exists),
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.bounds.place(&target),
            Err(error) => Err(error.into()),
        }
    }

    fn is_same(&self, left: &Path, right: &Path) -> bool {
        matches!((self.metadata(left), self.metadata(right)), (Ok(left), Ok(right)) if is_one(&left, &right))
    }

    fn read(&self, place: &Path) -> Result<Vec<u8>, Failure> {
        read_open(self.dir.read(place)?, MAX_FILE_SIZE)
    }

    fn names(&self, folder: &Path) -> Result<Vec<OsString>, Failure> {
        let mut names = match self.dir.names(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            other => other?,
        };
        names.sort();
        Ok(names)
    }

    fn write_new(&self, place: &Path, bytes: &[u8], like: FileMode<'_>) -> io::Result<()> {
        let permissions = match like {
            FileMode::Private | FileMode::New => None,
            FileMode::SameAs(place) => Some(self.metadata(place)?),
        };
        let file = if like == FileMode::New { self.dir.create_shared(place) } else { self.dir.create_new(place) };
        self.fill(file?, place, |file| {
            file.write_all(bytes)?;
            permissions.map_or(Ok(()), |of| copy_permissions(file, &of))
        })
    }

    fn link(&self, place: &Path, name: &Path) -> io::Result<()> {
        self.dir.link(place, name)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.dir.rename(from, to)
    }

    fn exchange(&self, left: &Path, right: &Path) -> io::Result<()> {
        self.dir.exchange(left, right)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.dir.rename_new(from, to)
    }

    fn remove(&self, place: &Path) -> io::Result<()> {
        ignore_error(self.dir.remove(place), io::ErrorKind::NotFound)
    }

    fn make_folder(&self, place: &Path) -> io::Result<()> {
        ignore_error(self.dir.make_folder(place), io::ErrorKind::AlreadyExists)
    }

    fn remove_folder(&self, place: &Path) -> io::Result<()> {
        ignore_error(self.dir.remove_folder(place), io::ErrorKind::NotFound)
    }

    fn flush(&self, places: &[&Path]) -> Result<(), (PathBuf, Failure)> {
        if places.len() > FLUSHED_ONE_BY_ONE { self.flush_together(places) } else { self.flush_each(places) }
    }
}

/// Ignores an error of this kind.
fn ignore_error(outcome: io::Result<()>, kind: io::ErrorKind) -> io::Result<()> {
    match outcome {
        Err(error) if error.kind() == kind => Ok(()),
        other => other,
    }
}

/// Above this number of files the whole file system is flushed at once: 5,000 files of 3 kB took 0.04 s on ext4, one by one 1 s.
const FLUSHED_ONE_BY_ONE: usize = 32;

impl Disk {
    fn flush_each(&self, places: &[&Path]) -> Result<(), (PathBuf, Failure)> {
        places.iter().try_for_each(|place| self.flush_one(place).map_err(|error| (place.to_path_buf(), error.into())))
    }

    #[cfg(target_os = "linux")]
    fn flush_together(&self, places: &[&Path]) -> Result<(), (PathBuf, Failure)> {
        use std::os::unix::fs::MetadataExt;
        let mut devices = std::collections::BTreeMap::new();
        for place in places {
            let named = |error: io::Error| (place.to_path_buf(), error.into());
            let file = self.open_any(place).map_err(named)?;
            devices.entry(file.metadata().map_err(named)?.dev()).or_insert((*place, file));
        }
        for (place, file) in devices.into_values() {
            rustix::fs::syncfs(file).map_err(|error| (place.to_path_buf(), io::Error::from(error).into()))?;
        }
        Ok(())
    }

    #[cfg(not(target_os = "linux"))]
    fn flush_together(&self, places: &[&Path]) -> Result<(), (PathBuf, Failure)> {
        self.flush_each(places)
    }

    #[cfg(unix)]
    fn flush_one(&self, place: &Path) -> io::Result<()> {
        self.open_any(place)?.sync_all()
    }

    /// Opens a file or a folder, which may be the top.
    #[cfg(unix)]
    fn open_any(&self, place: &Path) -> io::Result<File> {
        if place.as_os_str().is_empty() { self.dir.folder(place) } else { self.dir.read(place) }
    }

    /// Elsewhere only a file that is open for writing can be flushed, and a folder not at all.
    #[cfg(not(unix))]
    fn flush_one(&self, place: &Path) -> io::Result<()> {
        if self.dir.is_folder(place) { Ok(()) } else { self.dir.open_to_flush(place)?.sync_all() }
    }

    /// Writes a new file; one that could not be written is removed again.
    fn fill(&self, mut file: File, place: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
        let filled = fill(&mut file);
        if filled.is_err() {
            let _ = self.dir.remove(place);
        }
        filled
    }
}

/// Returns whether both are the metadata of one file.
#[cfg(unix)]
fn is_one(left: &Metadata, right: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (left.dev(), left.ino()) == (right.dev(), right.ino())
}

/// Elsewhere a resolved path is spelled as its folder spells it.
#[cfg(not(unix))]
fn is_one(_: &Metadata, _: &Metadata) -> bool {
    false
}

/// Counts the hard links of a file.
#[cfg(unix)]
fn names(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(metadata)
}

#[cfg(not(unix))]
fn names(_: &Metadata) -> u64 {
    1
}

/// Checks, without opening the file, whether this process may write it.
#[cfg(target_os = "linux")]
fn may_write(path: &Path) -> Result<(), Failure> {
    use rustix::fs::{Access, AtFlags, CWD, accessat};
    accessat(CWD, path, Access::WRITE_OK, AtFlags::EACCESS).map_err(|error| io::Error::from(error).into())
}

#[cfg(not(target_os = "linux"))]
fn may_write(_: &Path) -> Result<(), Failure> {
    Ok(())
}

/// Gives `file` the owner, where permitted, and then the mode of `like`: a change of owner can clear bits of the mode.
#[cfg(unix)]
fn copy_permissions(file: &File, like: &Metadata) -> io::Result<()> {
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
fn copy_permissions(file: &File, like: &Metadata) -> io::Result<()> {
    file.set_permissions(like.permissions())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};

    use super::*;
    use crate::shell::disk::journal::Journal;
    use crate::shell::disk::run::{Aborted, FileChange, Step, WrittenFiles};
    use crate::shell::disk::transaction::Transaction;
    use crate::syntax::fingerprint::Fingerprint;

    fn disk(folder: &Path) -> Disk {
        Disk::open(Bounds::around(&[folder.to_owned()]).unwrap()).unwrap()
    }

    /// Replaces the content of `path` in a tree whose top is `folder`.
    fn replace(folder: &Path, path: &Path) -> Result<WrittenFiles, Aborted> {
        let before = Fingerprint::of(b"old");
        let change = FileChange { path: path.to_owned(), before, after: b"new".to_vec(), like: None };
        Transaction::stage(&Journal::open(Bounds::around(&[folder.to_owned()]).unwrap())?, vec![change], "")?.commit()
    }

    fn file(folder: &Path, mode: u32) -> PathBuf {
        let path = folder.join("a.yaml");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    #[track_caller]
    fn check_refused(path: &Path, step: Step, failure: Failure) {
        let aborted = replace(path.parent().unwrap(), path).unwrap_err();
        assert_eq!((aborted.step, aborted.failures), (step, vec![(path.to_owned(), failure)]));
        assert_eq!(fs::read(path).unwrap(), b"old");
    }

    /// Returns whether this process may do what modes forbid; then a test of what they forbid cannot check anything.
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
    fn the_mode_is_kept() {
        for mode in [0o600, 0o640, 0o644, 0o666, 0o755] {
            let folder = tempfile::tempdir().unwrap();
            let path = file(folder.path(), mode);
            replace(folder.path(), &path).unwrap();
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, mode);
            assert_eq!(fs::read(&path).unwrap(), b"new");
        }
    }

    #[test]
    fn the_owner_is_kept_if_permitted() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(folder.path(), 0o664);
        if chown(&path, Some(4321), Some(4322)).is_err() {
            return skipped("the_owner_is_kept_if_permitted: only root gives files away");
        }
        replace(folder.path(), &path).unwrap();
        let metadata = fs::metadata(&path).unwrap();
        assert_eq!((metadata.uid(), metadata.gid(), metadata.mode() & 0o7777), (4321, 4322, 0o664));
    }

    #[test]
    fn a_link_is_kept_and_its_target_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(folder.path(), 0o644);
        fs::create_dir(folder.path().join("links")).unwrap();
        let link = folder.path().join("links/to.yaml");
        symlink("../a.yaml", &link).unwrap();
        assert_eq!(replace(folder.path(), &link).unwrap().files, std::slice::from_ref(&link));
        assert_eq!(fs::read_link(&link).unwrap(), Path::new("../a.yaml"));
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path().join("links")).unwrap().count(), 1);
    }

    #[test]
    fn a_link_to_nothing_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("to.yaml");
        symlink("none.yaml", &link).unwrap();
        assert_eq!(replace(folder.path(), &link).unwrap_err().failures, [(link, Failure::Missing)]);
    }

    #[test]
    fn a_file_with_two_hard_links_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(folder.path(), 0o644);
        fs::hard_link(&path, folder.path().join("b.yaml")).unwrap();
        check_refused(&path, Step::Inspect, Failure::HardLinked(2));
    }

    #[test]
    fn a_read_only_file_is_refused_even_to_root() {
        let folder = tempfile::tempdir().unwrap();
        check_refused(&file(folder.path(), 0o444), Step::Inspect, Failure::ReadOnly);
    }

    #[test]
    fn a_file_that_others_may_write_but_not_this_user_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(folder.path(), 0o466);
        if is_privileged(folder.path()) {
            return skipped("a_file_that_others_may_write_but_not_this_user_is_refused: modes bind no root");
        }
        check_refused(&path, Step::Inspect, Failure::Denied);
    }

    #[test]
    fn a_folder_without_write_permission_stops_staging() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(folder.path(), 0o644);
        if is_privileged(folder.path()) {
            return skipped("a_folder_without_write_permission_stops_staging: modes bind no root");
        }
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).unwrap();
        check_refused(&path, Step::Stage, Failure::Denied);
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn an_existing_file_is_neither_written_nor_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(folder.path(), 0o644);
        let taken = folder.path().join("taken");
        fs::write(&taken, "theirs").unwrap();
        let like = FileMode::SameAs(Path::new(path.file_name().unwrap()));
        let error = disk(folder.path()).write_new(Path::new("taken"), b"ours", like).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&taken).unwrap(), b"theirs");
    }

    #[test]
    fn a_new_file_is_private_until_written_and_removed_on_failure() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new");
        let (disk, new) = (disk(folder.path()), Path::new("new"));
        let full = disk.fill(disk.dir.create_new(new).unwrap(), new, |file| {
            assert_eq!(file.metadata()?.mode() & 0o077, 0);
            Err(io::Error::from(io::ErrorKind::StorageFull))
        });
        assert_eq!(full.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert!(!path.exists());
    }

    #[test]
    fn a_file_is_made_where_nothing_is_and_paths_lead() {
        let folder = tempfile::tempdir().unwrap();
        let named = folder.path().canonicalize().unwrap().join("named");
        fs::create_dir_all(named.join("inner")).unwrap();
        let disk = Disk::open(Bounds::around(std::slice::from_ref(&named)).unwrap()).unwrap();
        symlink("nowhere", named.join("link")).unwrap();
        assert_eq!(disk.new_target(&named.join("inner/../new")), Ok(PathBuf::from("new")));
        assert_eq!(disk.new_target(&named.join("link")), Err(Failure::Exists));
        assert_eq!(disk.new_target(&named.join("inner")), Err(Failure::Exists));
        assert_eq!(disk.new_target(&named.join("none/new")), Err(Failure::Missing));
        assert_eq!(disk.new_target(&named.join("../new")), Err(Failure::OutsideTree));
        // It gets the mode that any new file gets.
        disk.write_new(Path::new("new"), b"new", FileMode::New).unwrap();
        fs::write(named.join("other"), "other").unwrap();
        let mode = |name: &str| fs::metadata(named.join(name)).unwrap().permissions().mode();
        assert_eq!(mode("new"), mode("other"));
    }

    #[test]
    fn many_files_are_flushed_like_few() {
        let folder = tempfile::tempdir().unwrap();
        let disk = disk(folder.path());
        let places: Vec<PathBuf> = (0..=FLUSHED_ONE_BY_ONE).map(|at| PathBuf::from(at.to_string())).collect();
        places.iter().for_each(|place| fs::write(folder.path().join(place), "x").unwrap());
        let mut places: Vec<&Path> = places.iter().map(PathBuf::as_path).collect();
        assert_eq!(disk.flush(&places), Ok(()));
        assert_eq!(disk.flush(&[Path::new("")]), Ok(()));
        let none = Path::new("none");
        places.push(none);
        assert_eq!(disk.flush(&places), Err((none.to_owned(), Failure::Missing)));
        assert_eq!(disk.flush(&[none]), Err((none.to_owned(), Failure::Missing)));
    }

    #[test]
    fn a_link_that_leads_out_of_the_named_paths_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(folder.path(), 0o644);
        fs::create_dir(folder.path().join("named")).unwrap();
        let link = folder.path().join("named/to.yaml");
        symlink("../a.yaml", &link).unwrap();
        let aborted = replace(&folder.path().join("named"), &link).unwrap_err();
        assert_eq!((aborted.step, aborted.failures), (Step::Inspect, vec![(link, Failure::OutsideTree)]));
        assert_eq!(fs::read(path).unwrap(), b"old");
    }

    #[test]
    fn a_name_that_is_not_utf8_is_refused() {
        use std::os::unix::ffi::OsStrExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(std::ffi::OsStr::from_bytes(b"\xff.yaml"));
        if fs::write(&path, "old").is_err() {
            return skipped("a_name_that_is_not_utf8_is_refused: this file system has no such names");
        }
        check_refused(&path, Step::Inspect, Failure::NotUtf8);
    }
}
