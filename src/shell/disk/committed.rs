//! Answers: which files does a commit have below a path?
//!
//! The `git` program reads them from the object store: nothing is checked out, and no hook or filter is run. A library would read them
//! too, but the smallest build of one brings 59 more crates into the program, for what two commands do.
//!
//! Invariant: nothing is written.

use std::path::Path;
use std::process::Command;

use super::version_control::{UnknownStatus, output};

/// A file of a commit.
#[derive(Debug)]
pub(crate) struct CommittedFile {
    /// Its path from the folder that the program runs in.
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
}

/// Returns the files below `path`, which is one from the folder that the program runs in, in the commit that `reference` names; `None`
/// where it names none.
///
/// # Errors
/// Why git could not read them.
pub(crate) fn committed(reference: &str, path: &Path) -> Result<Option<Vec<CommittedFile>>, UnknownStatus> {
    let name = format!("{reference}^{{commit}}");
    let Ok(commit) = git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &name]) else { return Ok(None) };
    let commit = String::from_utf8_lossy(&commit).trim().to_owned();
    let listed = git(&["ls-tree", "-r", "-z", &commit, "--", &path.to_string_lossy()])?;
    let entries = listed.split(|byte| *byte == 0).filter_map(|entry| std::str::from_utf8(entry).ok());
    // Each entry is `MODE TYPE OBJECT`, a tab and a path; links and submodules are no regular files.
    let files = entries.filter_map(|entry| entry.split_once('\t')).filter(|(about, _)| about.starts_with("100"));
    let read = |(about, path): (&str, &str)| {
        let object = about.rsplit(' ').next().unwrap_or_default();
        Ok(CommittedFile { path: path.to_owned(), bytes: git(&["cat-file", "blob", object])? })
    };
    files.map(read).collect::<Result<_, _>>().map(Some)
}

fn git(arguments: &[&str]) -> Result<Vec<u8>, UnknownStatus> {
    let mut command = Command::new("git");
    output(command.args(arguments), Path::new("."))
}
