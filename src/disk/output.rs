//! Answers: how is a report written to a file that the user named for it?
//!
//! A report is not part of the tree: its file is written in one go, without a transaction.
//!
//! Invariant: the only files written here are those that the user named as output.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Writes `bytes` to `file`, which is replaced or created.
///
/// # Errors
/// The error of the operating system.
pub fn write_output(file: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::write(file, bytes)
}

/// Returns whether two paths lead to one existing file.
pub fn is_same_file(left: &Path, right: &Path) -> bool {
    matches!((left.canonicalize(), right.canonicalize()), (Ok(left), Ok(right)) if left == right)
}

/// Appends `bytes` to `file`, which is created if it does not exist.
///
/// # Errors
/// The error of the operating system.
pub fn append_output(file: &Path, bytes: &[u8]) -> io::Result<()> {
    OpenOptions::new().append(true).create(true).open(file)?.write_all(bytes)
}
