//! Answers: how is a file reached without leaving its tree, on systems that cannot open a path relative to an open folder?
//!
//! The folder of a path is resolved again before each call and must be the one it was.
//!
//! Invariant: no call here follows a link that was there before it.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// The top of a tree.
#[derive(Debug)]
pub(super) struct ConfinedDir {
    top: PathBuf,
}

impl ConfinedDir {
    pub(super) fn open(top: &Path) -> io::Result<Self> {
        Ok(Self { top: top.canonicalize()? })
    }

    /// Returns the path of `place` if its folder is still the same and its last name is not a link.
    fn path(&self, place: &Path) -> io::Result<PathBuf> {
        let path = self.top.join(place);
        let folder = path.parent().unwrap_or(&path);
        let is_link = fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_symlink());
        if super::bounds::is_inside(place) && folder.canonicalize()? == folder && !is_link {
            Ok(path)
        } else {
            Err(io::Error::new(io::ErrorKind::InvalidInput, "path leads out of the tree"))
        }
    }

    pub(super) fn read(&self, place: &Path) -> io::Result<File> {
        File::open(self.path(place)?)
    }

    pub(super) fn create_new(&self, place: &Path) -> io::Result<File> {
        OpenOptions::new().write(true).create_new(true).open(self.path(place)?)
    }

    pub(super) fn create_shared(&self, place: &Path) -> io::Result<File> {
        self.create_new(place)
    }

    pub(super) fn open_or_create(&self, place: &Path) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(self.path(place)?)
    }

    /// Opens a file for writing, which flushing requires here.
    pub(super) fn open_to_flush(&self, place: &Path) -> io::Result<File> {
        OpenOptions::new().write(true).open(self.path(place)?)
    }

    pub(super) fn is_folder(&self, place: &Path) -> bool {
        self.top.join(place).is_dir()
    }

    pub(super) fn link(&self, place: &Path, name: &Path) -> io::Result<()> {
        fs::hard_link(self.path(place)?, self.path(name)?)
    }

    pub(super) fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(self.path(from)?, self.path(to)?)
    }

    /// No call exchanges two files here.
    pub(super) fn exchange(&self, _: &Path, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Renames a file to a name that must not exist yet: a link fails if it does.
    pub(super) fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.link(from, to)?;
        self.remove(from)
    }

    pub(super) fn remove(&self, place: &Path) -> io::Result<()> {
        fs::remove_file(self.path(place)?)
    }

    pub(super) fn remove_folder(&self, place: &Path) -> io::Result<()> {
        fs::remove_dir(self.path(place)?)
    }

    pub(super) fn make_folder(&self, place: &Path) -> io::Result<()> {
        fs::create_dir(self.path(place)?)
    }

    pub(super) fn names(&self, place: &Path) -> io::Result<Vec<OsString>> {
        fs::read_dir(self.path(place)?)?.map(|entry| Ok(entry?.file_name())).collect()
    }
}
