//! Answers: how is the old content of a file kept while it is replaced, and how is it put back?
//!
//! Invariant: each step is one call that is done or not; the old content is at one of its two places at every moment.

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

/// Puts the old content of the file at `place` back. Where it is on another file system, a copy of it is put back, made at
/// `beside`.
pub(super) fn restore(files: &impl FileSystem, kept: &Path, place: &Path, beside: &Path) -> Result<(), Failure> {
    let Err(error) = files.rename(kept, place) else { return Ok(()) };
    if error.kind() != io::ErrorKind::CrossesDevices {
        return Err(error.into());
    }
    files.remove(beside)?;
    files.write_new(beside, &files.read(kept)?, FileMode::SameAs(kept))?;
    files.flush(&[beside]).map_err(|(_, failure)| failure)?;
    files.rename(beside, place)?;
    Ok(files.remove(kept)?)
}
