//! Answers: what does a text hold, which targets are meant, and what became of it?
//!
//! Invariant: a text is a run of its own, as that of standard input is for the program.

use std::sync::LazyLock;

use reversion::internals::finding::{Finding, Severity};
use reversion::internals::infer::crds::{Installed, crds_in, installed};
use reversion::internals::infer::install_evidence::Installations;
use reversion::internals::manifest::{self, Manifest, Reading, Recognizer};
use reversion::internals::pack::Target;
use reversion::internals::plan::{self, Goal, Plan};
use reversion::internals::report::{Counts, Detection, Report};
use serde::Serialize;

use crate::call::{Failure, Reason};
use crate::packs::{packs, target};

/// The file's name in messages: that of standard input.
const FILE: &str = "-";

/// What recognizes the objects of every pack, made once.
static RECOGNIZER: LazyLock<Recognizer> =
    LazyLock::new(|| plan::recognizer(packs(), &packs().iter().collect::<Vec<_>>(), &[], &[]));

/// What finds the releases that charts and images name, made once.
static INSTALLATIONS: LazyLock<Installations<'_>> = LazyLock::new(|| Installations::new(packs(), |_| true));

/// A text as it was read.
#[derive(Debug)]
pub struct Read {
    /// What it holds, where that may matter.
    pub manifest: Option<Manifest>,
    /// Why it cannot be read.
    pub findings: Vec<Finding>,
    /// How many objects were seen.
    pub counts: Counts,
}

/// Reads a text whose objects `recognizer` recognizes.
fn read(text: &str, recognizer: &Recognizer) -> Read {
    let mut counts = Counts { files: 1, ..Counts::default() };
    let (mut manifest, mut findings) = (None, Vec::new());
    match manifest::read(FILE, text.as_bytes(), recognizer) {
        Reading::Irrelevant => {}
        Reading::Manifest(read) => {
            (counts.parsed, counts.objects) = (1, read.object_count());
            manifest = Some(*read);
        }
        Reading::Kustomization(read) | Reading::Triggered(read) => manifest = Some(*read),
        Reading::Template(finding) => {
            counts.templates = 1;
            findings.push(finding);
        }
        Reading::Failed(finding) => {
            counts.failed = 1;
            findings.push(finding);
        }
    }
    Read { manifest, findings, counts }
}

/// Reads a text for a run that is about every pack.
pub fn read_all(text: &str) -> Read {
    read(text, &RECOGNIZER)
}

/// Collects what the objects of a manifest show of their releases.
pub fn detection(manifest: Option<&Manifest>) -> Detection<'_> {
    let manifests = || manifest.into_iter();
    let evidence = manifests().flat_map(|manifest| INSTALLATIONS.evidence_in(manifest));
    let mut detection = Detection {
        evidence: evidence.map(|(pack, one)| (pack.name(), one)).collect(),
        crds: installed(manifests().flat_map(|manifest| crds_in(manifest, packs()))),
        ..Detection::default()
    };
    for manifest in manifests() {
        manifest.objects.iter().for_each(|object| detection.add(manifest, object, packs()));
    }
    detection.findings.extend(detection.crds.iter().filter_map(Installed::finding));
    for finding in detection.findings.iter_mut().filter(|finding| finding.severity == Severity::Unresolved) {
        // Without a target nothing is to be converted.
        finding.severity = Severity::Warning;
    }
    detection.findings.sort();
    detection
}

/// Plans what becomes of a text, of which `seen` was detected, with what was seen of it.
pub fn planned(text: &str, goal: &Goal<'_>, seen: &Detection<'_>) -> (Plan, Counts) {
    let recognizer = plan::recognizer(packs(), &packs().concerned_by(&goal.targets), &goal.targets, &[]);
    let Read { manifest, findings, counts } = read(text, &recognizer);
    let mut plan = manifest.as_ref().map_or_else(Plan::default, |manifest| plan::plan_alone(manifest, goal));
    plan.findings.extend(findings);
    plan.findings.extend(seen.crds.iter().filter_map(Installed::finding));
    plan.findings.sort();
    let recognized = plan.objects.iter().filter(|object| object.is_recognized).count();
    (plan, Counts { recognized, ..counts })
}

/// Returns the target that `text` names and the one that it supports, with what there is to say about that.
///
/// # Errors
/// [`Reason::UnknownRelease`].
pub fn targets(text: &str) -> Result<(Vec<Target<'static>>, Vec<String>), Failure> {
    let target = target(text)?;
    let companion = packs().companion(&target);
    let companion = companion.map_err(|error| Failure::new(Reason::UnknownRelease, format!("{error:#}")))?;
    let note = |companion: &Target<'_>| format!("target {companion}, which {target} supports");
    let notes = companion.iter().map(note).collect();
    Ok(([target].into_iter().chain(companion).collect(), notes))
}

/// What became of a text, in a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// There is no text.
    #[default]
    Empty,
    /// Nothing in it was recognized.
    Nothing,
    /// The text or the target was not understood.
    Failed,
    /// Every object that was recognized is at the target.
    Unchanged,
    /// Objects change, and none is held back.
    Changed,
    /// At least one object is held back.
    HeldBack,
}

/// Says what became of a text, in a word.
pub fn state(report: &Report<'_>) -> State {
    if report.findings.iter().any(|finding| finding.severity == Severity::Error) {
        State::Failed
    } else if report.held_back().next().is_some() {
        State::HeldBack
    } else if report.files_to_change().next().is_some() {
        State::Changed
    } else if report.counts.recognized == 0 {
        State::Nothing
    } else {
        State::Unchanged
    }
}
