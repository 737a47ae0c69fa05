//! Which chart versions, image tags and marks in a file name another release than the target?
//!
//! They decide what is installed, so they are not edited.
//!
//! Invariant: nothing here changes anything.

use std::collections::BTreeSet;

use crate::engine::convert::{Conversion, Goal};
use crate::engine::finding::{Code, Finding, Severity};
use crate::engine::infer::install_evidence::{Evidence, Installations};
use crate::engine::manifest::Manifest;
use crate::knowledge::pack::{Pack, Target};
use crate::knowledge::release::{ReleaseId, bare};

/// A version in a file that names another release than the target, or does not show where objects come from.
#[derive(Debug)]
pub(crate) struct Pin {
    /// What is reported.
    pub(crate) finding: Finding,
    /// The target.
    pub(crate) target: String,
    /// What the file is to be replaced by, where it is replaced as a whole.
    pub(crate) replacement: Option<Replacement>,
}

/// The file of another release that takes the place of one.
#[derive(Debug)]
pub(crate) struct Replacement {
    /// What shows the release of the file: `comment Flux version: v0.14.1`.
    pub(crate) mark: String,
    /// The release that the file must be of.
    pub(crate) release: String,
    /// Those that it is of.
    releases: BTreeSet<ReleaseId>,
}

impl Pin {
    /// Takes the pin for one of which all that is to be done is said elsewhere.
    pub(crate) fn settle(&mut self) {
        self.finding.severity = Severity::Note;
    }
}

/// Finds the versions in a file that name another release than the target, and those that do not show where objects come from.
/// `conversions` are what its objects became: those that ask for a newer chart say which. Where a file is replaced as a whole, nothing
/// else that it names of that release is to be set.
pub(crate) fn pins(
    manifest: &Manifest,
    conversions: &[Option<Conversion>],
    installations: &Installations<'_>,
    goal: &Goal<'_>,
) -> Vec<Pin> {
    let target_of = |pack: &Pack| goal.targets.iter().find(|target| target.pack.name() == pack.name());
    let evidence = installations.evidence_in(manifest);
    let open = evidence.into_iter().filter(|(_, evidence)| !is_told(manifest, conversions, evidence));
    let found = open.filter_map(|(pack, evidence)| {
        let releases = evidence.releases.clone();
        Some((pin(evidence, target_of(pack)?, goal)?, releases))
    });
    let (mut pins, releases): (Vec<Pin>, Vec<BTreeSet<ReleaseId>>) = found.unzip();
    let replaced = |one: &Pin| Some((one.target.clone(), one.replacement.as_ref()?.releases.clone()));
    let replaced: BTreeSet<_> = pins.iter().filter_map(replaced).collect();
    for (pin, releases) in pins.iter_mut().zip(releases).filter(|(pin, _)| pin.replacement.is_none()) {
        if replaced.contains(&(pin.target.clone(), releases)) {
            pin.settle();
        }
    }
    pins
}

/// Returns whether an object of the document asks for a newer chart.
fn is_told(manifest: &Manifest, conversions: &[Option<Conversion>], evidence: &Evidence) -> bool {
    let asks =
        |made: &Conversion| made.unresolved.iter().chain(&made.blocks).any(|remark| remark.code == Code::ChartTooOld);
    let line = |at: usize| manifest.location(at).position.map(|position| position.line);
    manifest.objects.iter().zip(conversions).any(|(object, made)| {
        made.as_ref().is_some_and(asks) && object.inline_patch.is_none() && {
            let span = manifest.tree.documents()[object.document].span;
            let place = evidence.location.position.map(|position| position.line);
            line(span.start) <= place && place <= line(span.end)
        }
    })
}

fn pin(evidence: Evidence, target: &Target<'_>, goal: &Goal<'_>) -> Option<Pin> {
    let (pack, release) = (target.pack, target.name());
    let order = |release: ReleaseId| pack.line().get(release).order;
    let differs = evidence.releases.iter().any(|release| order(*release) != order(target.release));
    let unused = unused(&evidence, pack, goal);
    let set = match evidence.is_of_manifests {
        true => format!("replace the file by the one of {release} when the converted files are applied"),
        false => {
            let v = if evidence.version.starts_with('v') { "v" } else { "" };
            format!("set it to {v}{} when the converted files are applied", release.trim_start_matches('v'))
        }
    };
    let is_other = differs || pack.exclusion(&evidence.version).is_some();
    let is_not_edited = format!("{} is not edited; the target is {release}", evidence.text);
    let (severity, message, help) = match (is_other, unused) {
        (true, None) => (Severity::Warning, is_not_edited, set),
        (true, Some(Unused { why, from })) => {
            let message = format!("{is_not_edited}; it does not show where the objects come from: {why}");
            (Severity::Warning, message, format!("{set}; {from}"))
        }
        (false, Some(Unused { why, from })) => {
            let message = format!("{} does not show where the objects come from: {why}", evidence.text);
            (Severity::Note, message, from)
        }
        (false, None) => return None,
    };
    let is_replaced = evidence.is_of_manifests && is_other;
    let replacement = is_replaced.then(|| Replacement {
        mark: evidence.text,
        release: release.to_string(),
        releases: evidence.releases,
    });
    let finding = Finding::new(evidence.location, Code::PinnedVersion, severity, message).help(help);
    Some(Pin { finding, target: target.to_string(), replacement })
}

/// Why a version does not show which release objects come from, and how that can be passed.
struct Unused {
    why: String,
    from: String,
}

/// Returns why `evidence` does not show where the objects of `pack` come from, where nothing else does.
fn unused(evidence: &Evidence, pack: &Pack, goal: &Goal<'_>) -> Option<Unused> {
    let name = pack.name();
    if goal.choices.origins.contains_key(name) {
        return None;
    }
    if let Some(excluded) = pack.exclusion(&evidence.version) {
        let from = format!("to convert from the nearest release, pass --from {name}@{}", bare(&excluded.instead));
        return Some(Unused { why: excluded.reason.clone(), from });
    }
    let from = format!("if all objects come from one release, pass --from {name}@RELEASE");
    let contradicted = goal.choices.contradicted.get(name).filter(|_| evidence.is_exact());
    let why = contradicted
        .cloned()
        .or_else(|| (!evidence.is_exact()).then(|| "it is not exactly a known release".to_owned()));
    Some(Unused { why: why?, from })
}
