//! Answers: which of these files have uncommitted changes?
//!
//! The `git` program is run once for each repository and every few hundred files. An untracked or ignored file counts
//! as uncommitted: git could not restore it. No hook and no file system monitor of the repository is run; its filters
//! are, as by any `git status`, which git itself refuses in a repository of another user.
//!
//! Invariant: nothing is written, not even git's index.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::bounds::repository;
use super::failure::{Failure, one_line};

/// How many bytes of paths are passed to one call; Windows allows 32,767 characters in total.
const PATHS_PER_CALL: usize = 24_000;

/// Why it is unknown whether files are committed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UnknownStatus {
    /// The file is in no repository.
    NoRepository(PathBuf),
    /// There is no `git` program.
    NoGit,
    /// Git failed in this repository with this message.
    Failed(PathBuf, String),
    /// The file could not be found.
    File(PathBuf, Failure),
}

impl fmt::Display for UnknownStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRepository(file) => write!(f, "{} is not in a git repository", file.display()),
            Self::NoGit => f.write_str("the git program was not found"),
            Self::Failed(folder, message) => write!(f, "git failed in {}: {message}", folder.display()),
            Self::File(file, failure) => write!(f, "{}: {failure}", file.display()),
        }
    }
}

impl std::error::Error for UnknownStatus {}

/// Returns those of `files` that have uncommitted changes, in order.
///
/// # Errors
/// Why that is unknown, for the first such file.
pub(crate) fn uncommitted(files: &[PathBuf]) -> Result<Vec<PathBuf>, UnknownStatus> {
    uncommitted_by(Path::new("git"), files)
}

/// One file in its repository: its path there, and as the user knows it.
type Member<'f> = (PathBuf, &'f PathBuf);

fn uncommitted_by(git: &Path, files: &[PathBuf]) -> Result<Vec<PathBuf>, UnknownStatus> {
    let mut repositories: BTreeMap<PathBuf, Vec<Member<'_>>> = BTreeMap::new();
    for file in files {
        let target = file.canonicalize().map_err(|error| UnknownStatus::File(file.clone(), error.into()))?;
        let top = repository(&target).ok_or_else(|| UnknownStatus::NoRepository(file.clone()))?;
        let inside = target.strip_prefix(top).map_err(|_| UnknownStatus::NoRepository(file.clone()))?;
        repositories.entry(top.to_path_buf()).or_default().push((inside.to_path_buf(), file));
    }
    let mut dirty = Vec::new();
    for (top, members) in repositories {
        for chunk in chunks(&members) {
            let listed = status(git, &top, chunk)?;
            let is_listed = |(inside, _): &&Member<'_>| listed.iter().any(|path| inside.starts_with(path));
            dirty.extend(chunk.iter().filter(is_listed).map(|(_, file)| (*file).clone()));
        }
    }
    dirty.sort();
    Ok(dirty)
}

/// Splits a list where a call would get too long.
fn chunks<'m, 'f>(mut members: &'m [Member<'f>]) -> Vec<&'m [Member<'f>]> {
    let mut chunks = Vec::new();
    while !members.is_empty() {
        let mut room = PATHS_PER_CALL;
        let fits = |(inside, _): &&Member<'_>| {
            let length = inside.as_os_str().len() + 1;
            let fits = length <= room;
            room = room.saturating_sub(length);
            fits
        };
        let count = members.iter().take_while(fits).count().max(1);
        let (chunk, rest) = members.split_at(count);
        chunks.push(chunk);
        members = rest;
    }
    chunks
}

/// Returns which of `members` differ from what is committed; a path may be that of a folder above some.
fn status(git: &Path, top: &Path, members: &[Member<'_>]) -> Result<Vec<PathBuf>, UnknownStatus> {
    let options =
        ["--no-optional-locks", "--literal-pathspecs", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false"];
    let status =
        ["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--ignored=traditional", "--"];
    let mut command = Command::new(git);
    command.arg("-C").arg(top).args(options).args(status).args(members.iter().map(|(inside, _)| inside));
    let listed = output(&mut command, top)?;
    // Each entry is two letters, a space and a path.
    let entries = listed.split(|byte| *byte == 0).filter_map(|entry| entry.get(3..));
    Ok(entries.map(|path| super::read_file::path_of(path.to_vec())).collect())
}

/// Runs git for what is in `folder`, and returns what it printed.
pub(super) fn output(command: &mut Command, folder: &Path) -> Result<Vec<u8>, UnknownStatus> {
    // A git hook that runs this program has these set for its own repository.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
        command.env_remove(name);
    }
    let output = match command.output() {
        Ok(output) => output,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(UnknownStatus::NoGit),
        Err(error) => return Err(UnknownStatus::Failed(folder.to_path_buf(), one_line(&error.to_string()))),
    };
    if output.status.success() {
        return Ok(output.stdout);
    }
    let message = one_line(&String::from_utf8_lossy(&output.stderr));
    Err(UnknownStatus::Failed(folder.to_path_buf(), message))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn git(top: &Path, arguments: &[&str]) {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
        let output = Command::new("git").arg("-C").arg(top).args(identity).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// A repository in which `committed.yaml`, `edited.yaml`, `staged.yaml` and an odd name are committed.
    fn repository_with_edits() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        git(&top, &["init", "-q"]);
        fs::create_dir_all(top.join("sub/out")).unwrap();
        for name in ["committed.yaml", "edited.yaml", "staged.yaml", "sub/a \u{e9}*.yaml", "sub/a.yaml"] {
            fs::write(top.join(name), "1\n").unwrap();
        }
        fs::write(top.join(".gitignore"), "out/\n").unwrap();
        git(&top, &["add", "."]);
        git(&top, &["commit", "-q", "-m", "x"]);
        fs::write(top.join("edited.yaml"), "2\n").unwrap();
        fs::write(top.join("staged.yaml"), "2\n").unwrap();
        git(&top, &["add", "staged.yaml"]);
        fs::write(top.join("sub/a.yaml"), "2\n").unwrap();
        fs::write(top.join("new.yaml"), "1\n").unwrap();
        fs::write(top.join("sub/out/ignored.yaml"), "1\n").unwrap();
        (folder, top)
    }

    const ALL: [&str; 7] = [
        "committed.yaml",
        "edited.yaml",
        "new.yaml",
        "staged.yaml",
        "sub/a \u{e9}*.yaml",
        "sub/a.yaml",
        "sub/out/ignored.yaml",
    ];

    #[test]
    fn changes_that_git_could_not_restore_are_uncommitted() {
        let (_folder, top) = repository_with_edits();
        let expected = ["edited.yaml", "new.yaml", "staged.yaml", "sub/a.yaml", "sub/out/ignored.yaml"];
        let found = uncommitted(&ALL.map(|name| top.join(name))).unwrap();
        assert_eq!(found, expected.map(|name| top.join(name)));
        assert_eq!(uncommitted(&[top.join("sub/a \u{e9}*.yaml")]), Ok(vec![]), "`*` is no pattern");
        assert_eq!(uncommitted(&[]), Ok(vec![]));
    }

    #[test]
    fn each_file_is_checked_in_its_own_repository() {
        let (_folder, top) = repository_with_edits();
        git(&top, &["init", "-q", "inner"]);
        fs::write(top.join("inner/a.yaml"), "1\n").unwrap();
        let files = ["committed.yaml", "inner/a.yaml"].map(|name| top.join(name));
        assert_eq!(uncommitted(&files), Ok(vec![top.join("inner/a.yaml")]));
        git(&top.join("inner"), &["add", "a.yaml"]);
        git(&top.join("inner"), &["commit", "-q", "-m", "x"]);
        assert_eq!(uncommitted(&files), Ok(vec![]));
    }

    #[test]
    fn many_files_are_checked_in_several_calls() {
        let (_folder, top) = repository_with_edits();
        let name = |at: usize| format!("{at}{}.yaml", "x".repeat(200));
        let files: Vec<_> = (0..300).map(|at| top.join(name(at))).collect();
        files.iter().for_each(|file| fs::write(file, "").unwrap());
        assert_eq!(uncommitted(&files).unwrap().len(), 300);
        let members: Vec<Member<'_>> =
            files.iter().map(|file| (PathBuf::from(file.file_name().unwrap()), file)).collect();
        let lengths: Vec<_> = chunks(&members).iter().map(|chunk| chunk.len()).collect();
        assert!(lengths.len() > 1 && lengths.iter().sum::<usize>() == 300, "{lengths:?}");
    }

    #[test]
    fn unknown_states_are_reported() {
        let (_folder, top) = repository_with_edits();
        let outside = tempfile::tempdir().unwrap();
        let file = outside.path().join("a.yaml");
        fs::write(&file, "").unwrap();
        assert_eq!(uncommitted(std::slice::from_ref(&file)), Err(UnknownStatus::NoRepository(file)));
        let committed = [top.join("committed.yaml")];
        assert_eq!(uncommitted_by(Path::new("no-such-program"), &committed), Err(UnknownStatus::NoGit));
        fs::write(top.join(".git/config"), "[").unwrap();
        assert!(matches!(uncommitted(&committed), Err(UnknownStatus::Failed(folder, _)) if folder == top));
        let removed = top.join("gone.yaml");
        assert_eq!(uncommitted(std::slice::from_ref(&removed)), Err(UnknownStatus::File(removed, Failure::Missing)));
    }
}
