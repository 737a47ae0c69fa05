//! Which paths of kustomizations lead to files that need changes and are not of the run?
//!
//! Such files are read like those that are not listed. What the run writes is consistent with them as they are; but what Kustomize builds
//! with them stays old.

use std::collections::{BTreeMap, BTreeSet};

use super::acknowledged::{Accepting, partition};
use super::file::PlannedFile;
use super::planner::Planner;
use crate::engine::finding::{Code, Finding, Location, Severity};

/// A path in a kustomization that leads to files that are not of the run.
#[derive(Clone, Debug)]
pub struct NamedOutside {
    /// Where it is named.
    pub(crate) location: Location,
    /// The files that it leads to; why each of them could not be read, where it could not.
    pub(crate) files: BTreeMap<String, Option<String>>,
}

/// Returns whether a file that is not written needs something that nobody has accepted.
pub(super) fn needs_change(planner: &Planner<'_>, planned: &PlannedFile) -> bool {
    let (ignores, objects) = (std::slice::from_ref(&planned.ignores), &planned.objects[..]);
    let accepting = Accepting { goal: planner.goal(), ignores, objects };
    let open = || partition(planned.findings.clone(), &accepting).0;
    planned.change.is_some() || open().iter().any(|finding| finding.severity >= Severity::Unresolved)
}

/// Reports the paths in `named` that lead to files that could not be read, or are `outdated`.
pub(super) fn findings(named: &[NamedOutside], outdated: &BTreeSet<String>) -> Vec<Finding> {
    let why = |(file, failure): (&String, &Option<String>)| match failure {
        Some(failure) => Some(format!("{file}, which could not be read: {failure}")),
        None if outdated.contains(file) => {
            Some(format!("{file}, which needs changes and is not among the files of this run"))
        }
        None => None,
    };
    let finding = |named: &NamedOutside| {
        let (file, what) = named.files.iter().find_map(|one| Some((one.0, why(one)?)))?;
        let message = format!("what is built includes {what}");
        let help = format!(
            "pass {file} as a path of the run too, or convert it by hand; `--inspect` says why a file is skipped"
        );
        Some(Finding::new(named.location.clone(), Code::NotInRun, Severity::Unresolved, message).help(help))
    };
    named.iter().filter_map(finding).collect()
}
