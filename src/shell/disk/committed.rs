//! Answers: which files does a commit have below a path?
//!
//! The `git` program reads them from the object store: nothing is checked out, and no hook or filter is run. A library would read them
//! too, but the smallest build of one brings 59 more crates into the program, for what two commands do.
//!
//! Invariant: nothing is written.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::failure::Failure;
use super::version_control::{UnknownStatus, output};

/// A file of a commit.
#[derive(Debug)]
pub(crate) struct CommittedFile {
    /// Its path from the folder that git was asked in.
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
}

/// Which files of a commit are read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CommittedPath<'a> {
    /// A folder in the working tree of the repository, or the repository itself where it has none.
    pub(crate) repository: &'a Path,
    /// A commit, branch or tag.
    pub(crate) reference: &'a str,
    /// A file or folder, from `repository`; empty for all that is there.
    pub(crate) path: &'a Path,
    /// The most bytes that the files have together.
    pub(crate) limit: u64,
}

/// Returns the files below a path for which `is_wanted` holds, in the commit that a reference names; `None` where it names none.
///
/// # Errors
/// Why git could not read them, or a file with which they are more than the limit.
pub(crate) fn committed(
    from: CommittedPath<'_>,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<Option<Vec<CommittedFile>>, UnknownStatus> {
    let name = format!("{}^{{commit}}", from.reference);
    let commit = match git(from.repository, &["rev-parse", "--verify", "--quiet", "--end-of-options", &name]) {
        Ok(commit) => String::from_utf8_lossy(&commit).trim().to_owned(),
        Err(UnknownStatus::NoGit) => return Err(UnknownStatus::NoGit),
        Err(_) => return Ok(None),
    };
    let path = from.path.to_string_lossy();
    let mut list = vec!["ls-tree", "-r", "-l", "-z", &commit];
    if !path.is_empty() {
        list.extend(["--", &*path]);
    }
    let listed = git(from.repository, &list)?;
    let entries = listed.split(|byte| *byte == 0).filter_map(|entry| std::str::from_utf8(entry).ok());
    let (mut files, mut total) = (Vec::new(), 0_u64);
    for (about, path) in entries.filter_map(|entry| entry.split_once('\t')) {
        // `MODE TYPE OBJECT SIZE`; links and submodules are no regular files.
        let [mode, _, object, size] = about.split_whitespace().collect::<Vec<_>>()[..] else { continue };
        if !mode.starts_with("100") || !is_wanted(path) {
            continue;
        }
        total = total.saturating_add(size.parse().unwrap_or(u64::MAX));
        if total > from.limit {
            return Err(UnknownStatus::File(PathBuf::from(path), Failure::TooLarge(from.limit)));
        }
        let bytes = git(from.repository, &["cat-file", "blob", object])?;
        files.push(CommittedFile { path: path.to_owned(), bytes });
    }
    Ok(Some(files))
}

/// Asks git about a repository. What a partial clone lacks is not fetched: the program needs no network, and uses none.
fn git(repository: &Path, arguments: &[&str]) -> Result<Vec<u8>, UnknownStatus> {
    let mut command = Command::new("git");
    command.env("GIT_NO_LAZY_FETCH", "1").env("GIT_ALLOW_PROTOCOL", "");
    output(command.arg("-C").arg(repository).args(arguments), repository)
}
