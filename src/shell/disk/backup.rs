//! Answers: how is the old content of a file kept while it is replaced, and how is it restored?
//!
//! Invariant: each step is one call that either happens or does not; the old content is always at one of its two places.

use std::io;
use std::path::Path;

use super::failure::Failure;
use super::file_system::{FileMode, FileSystem};

/// Gives the old content of the file at `place` a second name; where the file system has no links, a copy does.
pub(super) fn keep(files: &impl FileSystem, place: &Path, kept: &Path) -> Result<(), Failure> {
    match files.link(place, kept) {
        Ok(()) => Ok(()),
        Err(_) => Ok(files.write_new(kept, &files.read(place)?, FileMode::SameAs(place))?),
    }
}

/// Restores the old content of the file at `place`. If that is on another file system, it is copied to
/// `temporary` first.
pub(super) fn restore(files: &impl FileSystem, kept: &Path, place: &Path, temporary: &Path) -> Result<(), Failure> {
    let Err(error) = files.rename(kept, place) else { return Ok(()) };
    if error.kind() != io::ErrorKind::CrossesDevices {
        return Err(error.into());
    }
    files.remove(temporary)?;
    files.write_new(temporary, &files.read(kept)?, FileMode::SameAs(kept))?;
    files.flush(&[temporary]).map_err(|(_, failure)| failure)?;
    files.rename(temporary, place)?;
    Ok(files.remove(kept)?)
}
