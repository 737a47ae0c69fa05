//! The exit code of a run.

use super::args::OutputArgs;
use crate::edits::FilePlan;
use crate::finding::{Finding, Severity};
use crate::report::Counts;

/// How a run ended, as the caller sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Nothing to do, or all done.
    Clean = 0,
    /// Changes are needed, or something was held back.
    Changes = 1,
    /// The tool failed: a bad argument, a file that cannot be read or parsed, a failed write.
    Failed = 2,
    /// No object was recognised.
    NothingRecognised = 3,
}

impl Exit {
    /// Decides for a run with `counts` and `findings`; `pending` is whether changes are still to be made.
    pub(super) fn decide(counts: &Counts, findings: &[Finding], pending: Pending) -> Self {
        let worst = findings.iter().map(|finding| finding.severity).max();
        if worst == Some(Severity::Error) || counts.failed > 0 {
            Self::Failed
        } else if counts.recognised == 0 {
            Self::NothingRecognised
        } else if worst == Some(Severity::Held) || pending == Pending::Changes {
            Self::Changes
        } else {
            Self::Clean
        }
    }

    /// Applies `--allow-empty` and `--exit-zero`.
    pub(super) const fn with(self, output: &OutputArgs) -> Self {
        match self {
            Self::NothingRecognised if output.allow_empty => Self::Clean,
            Self::Changes | Self::NothingRecognised if output.exit_zero => Self::Clean,
            exit => exit,
        }
    }
}

/// Whether a run leaves changes to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pending {
    Nothing,
    Changes,
}

impl Pending {
    pub(super) const fn of(files: &[FilePlan]) -> Self {
        if files.is_empty() { Self::Nothing } else { Self::Changes }
    }
}
