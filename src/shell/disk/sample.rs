//! Trees that tests of the journal write to, and a file system whose calls fail when a test requires it.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::bounds::Bounds;
use super::failure::Failure;
use super::file_system::{Disk, FileMode, FileSystem};
use super::journal::Journal;
use super::run::FileChange;
use crate::syntax::fingerprint::Fingerprint;

/// The real file system, with a hook before every call that gets its number, its name and its place.
pub(super) struct Watched<H: Fn(usize, &str, &Path) -> io::Result<()>> {
    disk: Disk,
    hook: H,
    calls: Cell<usize>,
    can_exchange: bool,
}

impl<H: Fn(usize, &str, &Path) -> io::Result<()>> Watched<H> {
    fn before(&self, call: &str, place: &Path) -> io::Result<()> {
        (self.hook)(self.calls.replace(self.calls.get() + 1), call, place)
    }
}

impl<H: Fn(usize, &str, &Path) -> io::Result<()>> FileSystem for Watched<H> {
    fn target(&self, path: &Path) -> Result<PathBuf, Failure> {
        self.before("target", path)?;
        self.disk.target(path)
    }

    fn new_target(&self, path: &Path) -> Result<PathBuf, Failure> {
        self.before("new_target", path)?;
        self.disk.new_target(path)
    }

    /// A fault here simulates a case-insensitive file system.
    fn is_same(&self, left: &Path, right: &Path) -> bool {
        self.before("is_same", right).is_err() || self.disk.is_same(left, right)
    }

    fn read(&self, place: &Path) -> Result<Vec<u8>, Failure> {
        self.before("read", place)?;
        self.disk.read(place)
    }

    fn names(&self, folder: &Path) -> Result<Vec<OsString>, Failure> {
        self.before("names", folder)?;
        self.disk.names(folder)
    }

    /// A fault here leaves half of the file, as a killed process does.
    fn write_new(&self, place: &Path, bytes: &[u8], like: FileMode<'_>) -> io::Result<()> {
        self.before("write_new", place).inspect_err(|error| {
            if error.kind() == io::ErrorKind::Interrupted {
                self.disk.write_new(place, &bytes[..bytes.len() / 2], like).unwrap();
            }
        })?;
        self.disk.write_new(place, bytes, like)
    }

    fn link(&self, place: &Path, name: &Path) -> io::Result<()> {
        self.before("link", name)?;
        self.disk.link(place, name)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.before("rename", to)?;
        self.disk.rename(from, to)
    }

    fn exchange(&self, left: &Path, right: &Path) -> io::Result<()> {
        self.before("exchange", right)?;
        if self.can_exchange { self.disk.exchange(left, right) } else { Err(io::ErrorKind::Unsupported.into()) }
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.before("rename_new", to)?;
        self.disk.rename_new(from, to)
    }

    fn remove(&self, place: &Path) -> io::Result<()> {
        self.before("remove", place)?;
        self.disk.remove(place)
    }

    fn make_folder(&self, place: &Path) -> io::Result<()> {
        self.before("make_folder", place)?;
        self.disk.make_folder(place)
    }

    fn remove_folder(&self, place: &Path) -> io::Result<()> {
        self.before("remove_folder", place)?;
        self.disk.remove_folder(place)
    }

    /// Does not flush: a test that fails every call in turn would take minutes.
    fn flush(&self, places: &[&Path]) -> Result<(), (PathBuf, Failure)> {
        places.iter().try_for_each(|place| {
            self.before("flush", place).map_err(|error| (place.to_path_buf(), Failure::from(error)))
        })
    }
}

/// A tree of files, each `old NAME`, in a folder that is removed with it. One that is `made` is not there before, one that is `gone` not
/// afterwards.
pub(super) struct Sample {
    _folder: tempfile::TempDir,
    pub(super) top: PathBuf,
    names: Vec<String>,
    can_exchange: bool,
}

/// How a program saves a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Save {
    /// It writes a new file and renames it.
    ByRename,
    /// It writes into the file.
    InPlace,
}

impl Sample {
    /// Makes a tree of files with these names.
    pub(super) fn new(names: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        fs::create_dir(top.join(".reversion")).unwrap();
        for name in names {
            let path = top.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            if !old(name).is_empty() {
                fs::write(path, old(name)).unwrap();
            }
        }
        Self { _folder: folder, top, names: names.iter().map(|name| (*name).to_owned()).collect(), can_exchange: true }
    }

    /// Makes such a tree on a file system that can exchange two files, or cannot.
    pub(super) fn that(names: &[&str], can_exchange: bool) -> Self {
        Self { can_exchange, ..Self::new(names) }
    }

    /// Saves a file as another program does.
    pub(super) fn save(&self, name: &str, how: Save, text: &str) {
        let path = self.top.join(name);
        match how {
            Save::InPlace => fs::write(path, text).unwrap(),
            Save::ByRename => {
                let new = self.top.join(".reversion/saved");
                fs::write(&new, text).unwrap();
                fs::rename(new, path).unwrap();
            }
        }
    }

    /// Opens the tree's journal with a lock, as the program does.
    pub(super) fn journal(&self) -> Journal {
        Journal::open(self.bounds()).unwrap()
    }

    /// Opens the tree's journal over files with a hook.
    pub(super) fn watched<H: Fn(usize, &str, &Path) -> io::Result<()>>(&self, hook: H) -> Journal<Watched<H>> {
        let disk = Disk::open(self.bounds()).unwrap();
        Journal::on(Watched { disk, hook, calls: Cell::new(0), can_exchange: self.can_exchange }, &self.top)
    }

    pub(super) fn bounds(&self) -> Bounds {
        Bounds::around(std::slice::from_ref(&self.top)).unwrap()
    }

    /// Makes every file new.
    pub(super) fn changes(&self) -> Vec<FileChange> {
        self.names.iter().map(|name| self.change(name)).collect()
    }

    pub(super) fn change(&self, name: &str) -> FileChange {
        FileChange { path: self.top.join(name), before: Fingerprint::of(&old(name)), after: new(name), like: None }
    }

    pub(super) fn paths(&self) -> Vec<PathBuf> {
        self.names.iter().map(|name| self.top.join(name)).collect()
    }

    /// Reads every file of the tree but those of its journal, by its path.
    pub(super) fn contents(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.top.clone()];
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_file() {
                    found.insert(path.clone(), fs::read(&path).unwrap());
                } else if !path.ends_with(".reversion") {
                    folders.push(path);
                }
            }
        }
        found
    }

    /// Lists what is in the journal but for the files that are always there.
    pub(super) fn journaled(&self) -> Vec<String> {
        let mut names = Vec::new();
        for folder in ["journal", "undo"] {
            let entries = fs::read_dir(self.top.join(".reversion").join(folder)).into_iter().flatten();
            names.extend(entries.map(|entry| format!("{folder}/{}", entry.unwrap().file_name().to_string_lossy())));
        }
        names.sort();
        names
    }

    /// The contents of a tree in which `content` makes every file.
    pub(super) fn state(&self, content: fn(&str) -> Vec<u8>) -> BTreeMap<PathBuf, Vec<u8>> {
        let contents = self.names.iter().map(|name| (self.top.join(name), content(name)));
        contents.filter(|(_, content)| !content.is_empty()).collect()
    }
}

pub(super) fn old(name: &str) -> Vec<u8> {
    if name.contains("made") { Vec::new() } else { format!("old {name}\n").into_bytes() }
}

pub(super) fn new(name: &str) -> Vec<u8> {
    if name.contains("gone") { Vec::new() } else { format!("new and longer {name}\n").into_bytes() }
}

/// A call that fails; nothing is different.
pub(super) fn fault() -> io::Result<()> {
    Err(io::Error::other("fault"))
}

/// The end of the process in a call: a file it was writing is half there.
pub(super) fn killed() -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Interrupted))
}
