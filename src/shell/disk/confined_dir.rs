//! Answers: how is a file reached without leaving the tree that it must be in?
//!
//! A [`ConfinedDir`] holds the top of a tree open. Every folder of a path is opened from the one above it and never through a
//! symbolic link, with one system call if there is one for that; the last name is used in its open folder and not followed
//! either. If somebody replaces a folder by a link between a check and a write, the write fails. Systems without such calls have
//! `confined_dir_portable`.
//!
//! Invariant: no call here touches anything outside of the top, whatever links are created meanwhile.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, linkat, mkdirat, openat, renameat, unlinkat};
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
use rustix::fs::{RenameFlags, renameat_with};

/// The top of a tree, held open.
#[derive(Debug)]
pub(super) struct ConfinedDir {
    top: OwnedFd,
}

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

impl ConfinedDir {
    /// Opens the top of a tree, a resolved path.
    pub(super) fn open(top: &Path) -> io::Result<Self> {
        Ok(Self { top: openat(CWD, top, FOLDER, Mode::empty())? })
    }

    /// Opens the folder at `place`.
    pub(super) fn folder(&self, place: &Path) -> io::Result<File> {
        match place.as_os_str().is_empty() {
            true => Ok(self.top.try_clone()?.into()),
            false => self.open_at(place, FOLDER, Mode::empty()),
        }
    }

    fn open_at(&self, place: &Path, flags: OFlags, mode: Mode) -> io::Result<File> {
        let is_below = place.components().all(|component| matches!(component, Component::Normal(_)));
        let name = place.file_name().filter(|_| is_below).ok_or_else(no_place)?;
        if let Some(opened) = self.at_once(place, flags, mode) {
            return opened;
        }
        let folder = self.step_by_step(place.parent().unwrap_or(Path::new("")))?;
        Ok(openat(folder, name, flags, mode)?.into())
    }

    /// Opens the folder at `place` through those above it.
    fn step_by_step(&self, place: &Path) -> io::Result<OwnedFd> {
        let mut folder = self.top.try_clone()?;
        for name in place {
            folder = openat(&folder, name, FOLDER, Mode::empty())?;
        }
        Ok(folder)
    }

    /// Opens what is at `place` with one call that follows no link; `None` if the system has no such call.
    #[cfg(target_os = "linux")]
    fn at_once(&self, place: &Path, flags: OFlags, mode: Mode) -> Option<io::Result<File>> {
        use rustix::fs::{ResolveFlags, openat2};
        use rustix::io::Errno;
        match openat2(&self.top, place, flags, mode, ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS) {
            // A sandbox that does not know the call may report it as not permitted.
            Err(Errno::NOSYS | Errno::PERM) => None,
            opened => Some(opened.map(File::from).map_err(io::Error::from)),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn at_once(&self, _: &Path, _: OFlags, _: Mode) -> Option<io::Result<File>> {
        None
    }

    /// Opens the folder that `place` is in, and returns the last name.
    fn holder<'p>(&self, place: &'p Path) -> io::Result<(File, &'p OsStr)> {
        let name = place.file_name().ok_or_else(no_place)?;
        Ok((self.folder(place.parent().unwrap_or(Path::new("")))?, name))
    }

    fn open_file(&self, place: &Path, flags: OFlags) -> io::Result<File> {
        let mode = if flags.contains(OFlags::CREATE) { Mode::RUSR | Mode::WUSR } else { Mode::empty() };
        self.open_at(place, flags | OFlags::NOFOLLOW | OFlags::CLOEXEC, mode)
    }

    /// Opens a file for reading; does not wait if it is a pipe.
    pub(super) fn read(&self, place: &Path) -> io::Result<File> {
        self.open_file(place, OFlags::RDONLY | OFlags::NONBLOCK)
    }

    /// Creates a file that only this user may read.
    pub(super) fn create_new(&self, place: &Path) -> io::Result<File> {
        self.open_file(place, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL)
    }

    /// Creates a file that those may read and write whom the system lets use new files of this user.
    pub(super) fn create_shared(&self, place: &Path) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        self.open_at(place, flags, Mode::from_raw_mode(0o666))
    }

    /// Opens a file to lock it, and creates it if it does not exist.
    pub(super) fn open_or_create(&self, place: &Path) -> io::Result<File> {
        self.open_file(place, OFlags::RDWR | OFlags::CREATE | OFlags::NONBLOCK)
    }

    pub(super) fn link(&self, place: &Path, name: &Path) -> io::Result<()> {
        let ((from, old), (to, new)) = (self.holder(place)?, self.holder(name)?);
        Ok(linkat(from, old, to, new, AtFlags::empty())?)
    }

    pub(super) fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let ((from, old), (to, new)) = (self.holder(from)?, self.holder(to)?);
        Ok(renameat(from, old, to, new)?)
    }

    /// Exchanges two files.
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    pub(super) fn exchange(&self, left: &Path, right: &Path) -> io::Result<()> {
        self.rename_with(left, right, RenameFlags::EXCHANGE)
    }

    /// Renames a file to a name that must not exist yet.
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    pub(super) fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        match self.rename_with(from, to, RenameFlags::NOREPLACE) {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => self.link_and_remove(from, to),
            other => other,
        }
    }

    /// A file system, a kernel or a sandbox that does not know the flag reports it in one of several ways.
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    fn rename_with(&self, from: &Path, to: &Path, flags: RenameFlags) -> io::Result<()> {
        use rustix::io::Errno;
        let ((from, old), (to, new)) = (self.holder(from)?, self.holder(to)?);
        let unknown = [Errno::INVAL, Errno::NOSYS, Errno::OPNOTSUPP, Errno::NOTSUP, Errno::PERM];
        renameat_with(from, old, to, new, flags)
            .map_err(|error| if unknown.contains(&error) { io::ErrorKind::Unsupported.into() } else { error.into() })
    }

    #[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
    pub(super) fn exchange(&self, _: &Path, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    #[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
    pub(super) fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.link_and_remove(from, to)
    }

    fn link_and_remove(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.link(from, to)?;
        self.remove(from)
    }

    pub(super) fn remove(&self, place: &Path) -> io::Result<()> {
        let (folder, name) = self.holder(place)?;
        Ok(unlinkat(folder, name, AtFlags::empty())?)
    }

    pub(super) fn remove_folder(&self, place: &Path) -> io::Result<()> {
        let (folder, name) = self.holder(place)?;
        Ok(unlinkat(folder, name, AtFlags::REMOVEDIR)?)
    }

    /// Creates a folder that only this user may enter.
    pub(super) fn make_folder(&self, place: &Path) -> io::Result<()> {
        let (folder, name) = self.holder(place)?;
        Ok(mkdirat(folder, name, Mode::RWXU)?)
    }

    /// Lists the names in a folder, unsorted.
    pub(super) fn names(&self, place: &Path) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(self.folder(place)?)? {
            let name = OsStr::from_bytes(entry?.file_name().to_bytes()).to_owned();
            if name != "." && name != ".." {
                names.push(name);
            }
        }
        Ok(names)
    }
}

fn no_place() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "path leads out of the tree")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use super::*;

    /// Each call, made on `x/a`; all of them succeed if `x` is a folder.
    fn calls(dir: &ConfinedDir) -> Vec<(&'static str, std::io::Result<()>)> {
        let place = Path::new("x/a");
        vec![
            ("read", dir.read(place).map(drop)),
            ("names", dir.names(Path::new("x")).map(drop)),
            ("create_new", dir.create_new(Path::new("x/new")).map(drop)),
            ("open_or_create", dir.open_or_create(Path::new("x/lock")).map(drop)),
            ("link to", dir.link(Path::new("inside"), Path::new("x/b"))),
            ("link from", dir.link(place, Path::new("stolen"))),
            ("rename to", dir.rename(Path::new("inside"), place)),
            ("rename from", dir.rename(place, Path::new("inside"))),
            ("rename_new to", dir.rename_new(Path::new("inside"), place)),
            ("link_and_remove from", dir.link_and_remove(place, Path::new("inside"))),
            ("exchange", dir.exchange(Path::new("inside"), Path::new("x/b"))),
            ("make_folder", dir.make_folder(Path::new("x/folder"))),
            ("remove_folder", dir.remove_folder(Path::new("x/folder"))),
            ("remove", dir.remove(Path::new("x/b"))),
        ]
    }

    #[test]
    fn every_call_works_in_a_folder_and_none_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        for name in ["tree", "tree/x", "outside"] {
            fs::create_dir(top.join(name)).unwrap();
        }
        for name in ["tree/inside", "tree/x/a", "outside/a"] {
            fs::write(top.join(name), name).unwrap();
        }
        let dir = ConfinedDir::open(&top.join("tree")).unwrap();
        for (call, outcome) in calls(&dir) {
            assert!(outcome.is_ok(), "{call}: {outcome:?}");
        }
        fs::remove_dir_all(top.join("tree/x")).unwrap();
        symlink(top.join("outside"), top.join("tree/x")).unwrap();
        fs::remove_file(top.join("tree/stolen")).unwrap();
        fs::write(top.join("tree/inside"), "inside").unwrap();
        for (call, outcome) in calls(&dir) {
            assert!(outcome.is_err(), "{call}");
        }
        let names: Vec<_> =
            fs::read_dir(top.join("outside")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["a"]);
        assert_eq!(fs::read(top.join("outside/a")).unwrap(), b"outside/a");
        assert!(!top.join("tree/stolen").exists());
    }

    #[test]
    fn the_last_name_is_not_followed_either() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        fs::create_dir(top.join("tree")).unwrap();
        fs::write(top.join("secret"), "secret").unwrap();
        symlink("../secret", top.join("tree/a")).unwrap();
        symlink("../made", top.join("tree/lock")).unwrap();
        let dir = ConfinedDir::open(&top.join("tree")).unwrap();
        assert!(dir.read(Path::new("a")).is_err());
        assert!(dir.open_or_create(Path::new("lock")).is_err());
        assert!(dir.create_new(Path::new("a")).is_err());
        dir.link(Path::new("a"), Path::new("b")).unwrap();
        assert_eq!(fs::read_link(top.join("tree/b")).unwrap(), Path::new("../secret"), "the link itself is linked");
        fs::write(top.join("tree/new"), "new").unwrap();
        dir.rename(Path::new("new"), Path::new("a")).unwrap();
        assert_eq!(fs::read(top.join("secret")).unwrap(), b"secret");
        assert!(!top.join("made").exists());
    }

    #[test]
    fn parent_and_absolute_paths_are_rejected() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("tree")).unwrap();
        fs::write(folder.path().join("secret"), "secret").unwrap();
        let dir = ConfinedDir::open(&folder.path().canonicalize().unwrap().join("tree")).unwrap();
        for path in ["../secret", "/etc/passwd", "..", "", "/"] {
            assert!(dir.read(Path::new(path)).is_err(), "{path}");
        }
    }

    #[test]
    fn a_file_that_became_a_pipe_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let status = std::process::Command::new("mkfifo").arg(folder.path().join("p")).status();
        if !status.is_ok_and(|status| status.success()) {
            return skipped("a_file_that_became_a_pipe_is_not_waited_for: no mkfifo");
        }
        let dir = ConfinedDir::open(&folder.path().canonicalize().unwrap()).unwrap();
        let mut bytes = Vec::new();
        assert_eq!(dir.read(Path::new("p")).unwrap().read_to_end(&mut bytes).unwrap(), 0);
    }

    #[expect(clippy::print_stderr, reason = "a test that has nothing to see says so")]
    fn skipped(test: &str) {
        eprintln!("skipped: {test}");
    }

    #[test]
    fn no_step_goes_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        fs::create_dir_all(top.join("a/b/c")).unwrap();
        symlink("b", top.join("a/link")).unwrap();
        let dir = ConfinedDir::open(&top).unwrap();
        for (place, is_open) in [("", true), ("a/b/c", true), ("a/link", false), ("a/link/c", false), ("a/x", false)] {
            assert_eq!(dir.step_by_step(Path::new(place)).is_ok(), is_open, "{place}");
            assert_eq!(dir.folder(Path::new(place)).is_ok(), is_open, "{place}");
        }
    }
}
