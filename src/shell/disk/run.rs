//! Answers: what does a run write, and what does it report at its end?
//!
//! Invariant: an aborted run names every path that it left changed.

use std::fmt;
use std::path::{Path, PathBuf};

use super::failure::Failure;
use crate::syntax::fingerprint::Fingerprint;

/// One file's new content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileChange {
    /// The file, as the user knows it; may be a symbolic link to it.
    pub(crate) path: PathBuf,
    /// The content of the file when the change was planned.
    pub(crate) before: Fingerprint,
    /// All of its new bytes.
    pub(crate) after: Vec<u8>,
    /// The place of the file whose mode it gets, where it is made; without one it gets that of a new file.
    pub(crate) like: Option<PathBuf>,
}

/// What happens to files that changed since the run that is to be undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangedFiles {
    /// Nothing is undone.
    Refuse,
    /// They are left unchanged, and the others are undone.
    Leave,
}

/// How many paths that failed are named.
const NAMED: usize = 10;

/// What a transaction was doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    /// Checking that the files can be replaced.
    Inspect,
    /// Reading or writing the journal.
    Journal,
    /// Writing new content next to the files.
    Stage,
    /// Flushing to the disk.
    Flush,
    /// Comparing the files with what they were.
    Compare,
    /// Keeping old content.
    Keep,
    /// Replacing old content by new.
    Replace,
    /// Restoring old content.
    Restore,
}

impl Step {
    /// Returns what failed, for failures that do not show it.
    const fn attempt(self) -> &'static str {
        match self {
            Self::Inspect | Self::Compare | Self::Journal => "",
            Self::Stage => "writing the new content next to it: ",
            Self::Flush => "flushing to disk: ",
            Self::Keep => "keeping the old content: ",
            Self::Replace => "replacing it: ",
            Self::Restore => "restoring it: ",
        }
    }
}

/// What a run wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct WrittenFiles {
    /// The files that changed, by the path of the change, in the order of paths.
    pub(crate) files: Vec<PathBuf>,
}

/// Why nothing was written, or not all of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Aborted {
    /// What the transaction was doing.
    pub(crate) step: Step,
    /// The paths that failed, each with its failure.
    pub(crate) failures: Vec<(PathBuf, Failure)>,
    /// Files that were replaced and could not be restored, each with the place of its old content, unless there was no file before. Only
    /// if a second call failed.
    pub(crate) unrestored: Vec<(PathBuf, Option<PathBuf>)>,
    /// Temporary files that could not be removed again.
    pub(crate) leftovers: Vec<PathBuf>,
    /// Whether the tree is unchanged.
    pub(crate) tree: TreeState,
}

/// The state of a tree after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TreeState {
    /// Nothing in it changed.
    Same,
    /// An unfinished run is in its journal.
    Unfinished,
}

impl Aborted {
    pub(super) fn new(step: Step, failures: Failures) -> Self {
        Self { step, failures, unrestored: Vec::new(), leftovers: Vec::new(), tree: TreeState::Same }
    }

    /// Makes of an error about a path what stops a run in this step.
    pub(super) fn at<'p, E: Into<Failure>>(step: Step, path: &'p Path) -> impl FnOnce(E) -> Self + use<'p, E> {
        move |error| Self::new(step, vec![(path.to_owned(), error.into())])
    }

    /// Stops a run in this step, if a path failed.
    pub(super) fn unless_empty(step: Step, failures: Failures) -> Result<(), Self> {
        if failures.is_empty() { Ok(()) } else { Err(Self::new(step, failures)) }
    }

    /// Says that it is about an interrupted run that is still neither finished nor rolled back.
    pub(super) fn unfinished(self) -> Self {
        Self { tree: TreeState::Unfinished, ..self }
    }
}

impl fmt::Display for Aborted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.tree, self.unrestored.is_empty()) {
            (TreeState::Same, true) => "nothing was written",
            (TreeState::Same, false) => "only some files were restored",
            (TreeState::Unfinished, _) => "the interrupted run is still unfinished",
        })?;
        for (path, failure) in self.failures.iter().take(NAMED) {
            write!(f, "\n  {}: {}{failure}", path.display(), self.step.attempt())?;
        }
        match self.failures.len().saturating_sub(NAMED) {
            0 => {}
            1 => f.write_str("\n  and 1 other")?,
            more => write!(f, "\n  and {more} others")?,
        }
        for (path, kept) in &self.unrestored {
            write!(f, "\n  {}: could not be restored; ", path.display())?;
            match kept {
                Some(kept) => write!(f, "its old content is in {}", kept.display())?,
                None => f.write_str("it was not there before")?,
            }
        }
        for path in &self.leftovers {
            write!(f, "\n  {}: was not removed", path.display())?;
        }
        Ok(())
    }
}

impl std::error::Error for Aborted {}

/// Paths that failed, each with its failure.
pub(super) type Failures = Vec<(PathBuf, Failure)>;
