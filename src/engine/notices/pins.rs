//! Which chart versions and image tags in a file name another release than the target?
//!
//! They decide what is installed, so they are not edited.
//!
//! Invariant: nothing here changes anything.

use crate::engine::convert::Goal;
use crate::engine::finding::{Code, Finding, Severity};
use crate::engine::infer::install_evidence::{Evidence, evidence_in};
use crate::engine::manifest::Manifest;
use crate::knowledge::pack::{Pack, Target};
use crate::knowledge::release::ReleaseId;

/// Reports the versions in a file that name another release than the target.
pub(crate) fn findings(manifest: &Manifest, goal: &Goal<'_>) -> Vec<Finding> {
    let target_of = |pack: &Pack| goal.targets.iter().find(|target| target.pack.name() == pack.name());
    let evidence = evidence_in(manifest, goal.packs, |pack| target_of(pack).is_some());
    let found = evidence.into_iter().filter_map(|(pack, evidence)| {
        let target = target_of(pack)?;
        let order = |release: ReleaseId| pack.line().get(release).order;
        let differs = evidence.releases.iter().any(|release| order(*release) != order(target.release));
        let is_excluded = pack.exclusion(&evidence.version).is_some();
        (differs || is_excluded).then(|| pin(evidence, target))
    });
    found.collect()
}

fn pin(evidence: Evidence, target: &Target<'_>) -> Finding {
    let release = target.name();
    let message = format!("{} is not edited, but the files require {release} after the conversion", evidence.text);
    let help = format!("set it to {} when the converted files are applied", release.trim_start_matches('v'));
    Finding::new(evidence.location, Code::PinnedVersion, Severity::Warning, message).help(help)
}
