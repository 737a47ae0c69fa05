//! Answers: what is a run asked to write, and what does it report at its end?
//!
//! Invariant: a run that was aborted names every path that it left changed.

use std::fmt;
use std::path::PathBuf;

use super::failure::Failure;
use crate::fingerprint::Fingerprint;

/// One file's new content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The file, as the user knows it; may be a symbolic link to it.
    pub path: PathBuf,
    /// What the file was when the change was planned.
    pub before: Fingerprint,
    /// All of its new bytes.
    pub after: Vec<u8>,
}

/// What becomes of files that changed since the run which shall be taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangedFiles {
    /// Nothing is taken back.
    Refuse,
    /// They stay as they are, and the others are taken back.
    Leave,
}

/// What a transaction was doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Looking whether the files can be replaced.
    Inspect,
    /// Reading or writing the journal.
    Journal,
    /// Writing new content beside the files.
    Stage,
    /// Waiting for the disk.
    Flush,
    /// Comparing the files with what they were.
    Compare,
    /// Keeping old content.
    Keep,
    /// Putting new content in the place of the old.
    Replace,
    /// Putting old content in the place of the new.
    Restore,
}

impl Step {
    /// Says what failed, where the failure alone does not.
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

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The files that changed, by the path of the change, in the order of paths.
    pub files: Vec<PathBuf>,
}

/// Why nothing was written, or not all of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aborted {
    /// What the transaction was doing.
    pub step: Step,
    /// The paths that stopped it, each with its failure.
    pub failures: Vec<(PathBuf, Failure)>,
    /// FileSystem that are new and could not be put back, each with the place of its old content. Only when a second thing failed.
    pub unrestored: Vec<(PathBuf, PathBuf)>,
    /// What was written beside files and could not be removed again.
    pub leftovers: Vec<PathBuf>,
    /// Whether the tree is as it was.
    pub tree: TreeState,
}

/// What a failure left of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeState {
    /// Nothing in it is different.
    Same,
    /// An unfinished run is in its journal.
    Unfinished,
}

impl Aborted {
    pub(super) fn new(step: Step, failures: Failures) -> Self {
        Self { step, failures, unrestored: Vec::new(), leftovers: Vec::new(), tree: TreeState::Same }
    }

    /// Makes the failure of a run that was begun before and is still neither finished nor taken back.
    pub(super) fn unfinished(step: Step, failures: Failures) -> Self {
        Self { tree: TreeState::Unfinished, ..Self::new(step, failures) }
    }
}

impl fmt::Display for Aborted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.tree, self.unrestored.is_empty()) {
            (TreeState::Same, true) => "nothing was written",
            (TreeState::Same, false) => "only some files were restored",
            (TreeState::Unfinished, _) => "the interrupted run is still unfinished",
        })?;
        for (path, failure) in &self.failures {
            write!(f, "\n  {}: {}{failure}", path.display(), self.step.attempt())?;
        }
        for (path, kept) in &self.unrestored {
            write!(f, "\n  {}: has the new content; its old content is in {}", path.display(), kept.display())?;
        }
        for path in &self.leftovers {
            write!(f, "\n  {}: could not be removed", path.display())?;
        }
        Ok(())
    }
}

impl std::error::Error for Aborted {}

/// Paths that failed, each with its failure.
pub(super) type Failures = Vec<(PathBuf, Failure)>;
