//! The exit code of a run.

use std::collections::BTreeSet;

use super::args::OutputArgs;
use crate::engine::finding::{Finding, Severity};
use crate::engine::plan::LeftOut;
use crate::shell::report::{Counts, Report};

/// How a run ended, as the caller sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Nothing to do, or all done.
    Clean = 0,
    /// Changes are needed, something was held back or is unresolved, or a file was left out.
    Changes = 1,
    /// The tool failed: a bad argument, a file that cannot be read or parsed, a failed write.
    Failed = 2,
    /// No object was recognized.
    NothingRecognized = 3,
}

impl Exit {
    /// Returns the exit code that a report records.
    pub(super) const fn of_code(code: u8) -> Self {
        match code {
            0 => Self::Clean,
            1 => Self::Changes,
            3 => Self::NothingRecognized,
            _ => Self::Failed,
        }
    }

    /// Decides for a run with `counts` and `findings` that goes on without the files in `left_out`; `pending` is whether changes are
    /// still to be made.
    pub(super) fn decide(counts: &Counts, findings: &[Finding], left_out: &[LeftOut], pending: Pending) -> Self {
        let names: BTreeSet<&str> = left_out.iter().map(|file| file.name.as_str()).collect();
        let is_left_out = |finding: &Finding| names.contains(finding.location.file.as_str());
        let worst = findings.iter().map(|finding| finding.severity).max();
        if findings.iter().any(|finding| finding.severity == Severity::Error && !is_left_out(finding)) {
            Self::Failed
        } else if !left_out.is_empty() || worst >= Some(Severity::Unresolved) || pending == Pending::Changes {
            Self::Changes
        } else if counts.recognized == 0 && counts.listed.is_none() && !counts.is_about_others {
            Self::NothingRecognized
        } else {
            Self::Clean
        }
    }

    /// Applies `--allow-empty` and `--exit-zero` to a run that goes on without `left_out` files: such a run never ends with 0.
    pub(super) const fn with(self, output: &OutputArgs, left_out: usize) -> Self {
        match self {
            Self::NothingRecognized if output.allow_empty => Self::Clean,
            Self::Changes | Self::NothingRecognized if output.exit_zero && left_out == 0 => Self::Clean,
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
    pub(super) fn of(report: &Report<'_>) -> Self {
        if report.files_to_change().next().is_none() { Self::Nothing } else { Self::Changes }
    }
}
