//! Answers: how does a report get into a file that the user named for it?
//!
//! A report is not part of the tree: its file is written in one go, without a transaction.
//!
//! Invariant: the only files written here are those that the user named as output.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Writes `bytes` to `file`, which is replaced or made.
///
/// # Errors
/// What the operating system says.
pub fn write_output(file: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::write(file, bytes)
}

/// Says whether two paths lead to one file that is there.
pub fn is_same_file(left: &Path, right: &Path) -> bool {
    matches!((left.canonicalize(), right.canonicalize()), (Ok(left), Ok(right)) if left == right)
}

/// Appends `bytes` to `file`, which is made where it is not there.
///
/// # Errors
/// What the operating system says.
pub fn append_output(file: &Path, bytes: &[u8]) -> io::Result<()> {
    OpenOptions::new().append(true).create(true).open(file)?.write_all(bytes)
}
