//! Answers: how does content get a second name, so that it outlives the first?
//!
//! Invariant: what has the second name is whole.

use std::path::{Path, PathBuf};

use super::failure::Failure;
use super::file_system::{FileMode, FileSystem};

/// Gives the content of the file at `from` the second name `to`; where the file system has no links, a copy does.
pub(super) fn keep(files: &impl FileSystem, from: &Path, to: &Path) -> Result<(), Failure> {
    if files.link(from, to).is_ok() {
        return Ok(());
    }
    let part = part_of(to);
    files.remove(&part)?;
    files.write_new(&part, &files.read(from)?, FileMode::SameAs(from))?;
    files.flush(&[&part]).map_err(|(_, failure)| failure)?;
    Ok(files.rename(&part, to)?)
}

/// Returns where a copy is written before it gets its name.
pub(super) fn part_of(name: &Path) -> PathBuf {
    name.with_extension("part")
}
