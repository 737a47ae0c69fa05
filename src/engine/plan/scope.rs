//! Which files of a run are reported and written, which are missing, and what is not to change?

use super::outside::NamedOutside;
use super::templates::Templates;
use super::withheld::LeftOut;
use crate::engine::finding::{Finding, Location};

/// The part of a tree that a run is about.
#[derive(Default)]
pub struct Scope<'s> {
    /// The files that could not be read.
    pub left_out: &'s [LeftOut],
    /// The paths of kustomizations that lead to files that are not of the run, which are read and not listed.
    pub outside: &'s [NamedOutside],
    /// What was found before the files were planned, and is part of the report.
    pub found: &'s [Finding],
    /// Where the objects start that the user does not want to change.
    pub declined: &'s [Location],
    /// The files that are reported and written; all where there is no list.
    pub listed: Option<Listed<'s>>,
    /// The templates that are converted besides.
    pub templates: Option<Templates<'s>>,
    /// How many threads plan; 0 for as many as there are processors.
    pub threads: usize,
}

/// The files that are reported and written; the others are read only.
#[derive(Clone, Copy)]
pub struct Listed<'s> {
    /// Returns whether a file is listed.
    pub has: &'s (dyn Fn(&str) -> bool + Sync),
    /// What happens to a change that needs changes in other files.
    pub(crate) dependent: Dependent,
    /// What becomes of the other files.
    pub others: Others,
}

/// What becomes of the files that are not listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Others {
    /// Nothing: what concerns several files is reported at the first listed one.
    Unreported,
    /// They are read because kustomizations name them; nothing concerns them.
    Outside,
    /// Other runs report them: what concerns several files is reported by the run that the first of all is in.
    Reported,
}

impl Others {
    /// Returns what such a file is.
    pub(super) const fn are(self) -> &'static str {
        match self {
            Self::Unreported => "not listed",
            Self::Reported => "in another shard",
            Self::Outside => "not among the files of this run",
        }
    }
}

impl Listed<'_> {
    /// Returns whether the changes of a listed file are reported as those of a run on all files, and nothing more: other runs report
    /// the changes that they need.
    pub(super) fn is_as_whole(&self) -> bool {
        (self.dependent, self.others) == (Dependent::Report, Others::Reported)
    }
}

/// What happens to a change in a listed file that needs a change in one that is not listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dependent {
    /// It is planned as in a run on all files, and reported, since nothing is written.
    Report,
    /// It is held back.
    HoldBack,
}
