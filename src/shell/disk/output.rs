//! Answers: how is a report written to a file that the user named for it?
//!
//! A report is not part of the tree: its file is written in one go, without a transaction.
//!
//! Invariant: the only files written here are those that the user named as output.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Writes `bytes` to `file`, which is replaced or created.
///
/// # Errors
/// The error of the operating system.
pub(crate) fn write_output(file: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::write(file, bytes)
}

/// Writes `bytes` to a file beside `file` first, so that `file` is old or new as a whole. What a link leads to is replaced, not the link.
///
/// # Errors
/// The error of the operating system.
pub(crate) fn replace_output(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let mut name = OsString::from(".");
    name.push(file.file_name().ok_or(io::ErrorKind::InvalidInput)?);
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = file.with_file_name(name);
    let written = fs::write(&beside, bytes).and_then(|()| File::open(&beside)?.sync_all());
    written.and_then(|()| fs::rename(&beside, &file)).inspect_err(|_| {
        // The first error is the one to report.
        let _unremoved = fs::remove_file(&beside);
    })
}

/// Returns whether two paths lead to one existing file.
pub(crate) fn is_same_file(left: &Path, right: &Path) -> bool {
    matches!((left.canonicalize(), right.canonicalize()), (Ok(left), Ok(right)) if left == right)
}

/// Appends to `file`, which is created if it does not exist, what `bytes` makes of its size.
///
/// # Errors
/// The error of the operating system.
pub(crate) fn append_output(file: &Path, bytes: impl FnOnce(usize) -> Vec<u8>) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).open(file)?;
    let size = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
    file.write_all(&bytes(size))
}
