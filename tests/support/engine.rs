//! Answers: how does the program convert files with the built-in packs, without the disk?
//!
//! Invariant: the same calls as the command line makes.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex};

use reversion::internals::finding::{Code, Finding, Severity};
use reversion::internals::manifest::{self, Manifest, Reading, Recognizer};
use reversion::internals::pack::{Packs, Target};
use reversion::internals::plan::{self, Choices, Goal, Outcome, Plan};

use super::packs;

/// What the built-in packs know.
static RECOGNIZER: LazyLock<Recognizer> = LazyLock::new(|| recognizer(packs()));

/// A file's text after a run, with the plan of the run.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) before: String,
    pub(crate) after: String,
    pub(crate) plan: Plan,
}

impl Run {
    /// Returns whether any object was held back.
    pub(crate) fn holds_back(&self) -> bool {
        self.plan.objects.iter().any(|object| object.outcome == Outcome::HeldBack)
    }

    /// Returns the findings that hold something back, or report a failure.
    pub(crate) fn blocking(&self) -> Vec<&Finding> {
        self.plan.findings.iter().filter(|finding| finding.severity >= Severity::Held).collect()
    }

    /// Returns whether a finding of `code` was reported.
    pub(crate) fn reports(&self, code: Code) -> bool {
        self.plan.findings.iter().any(|finding| finding.code == code)
    }

    /// Returns whether nothing is held back or lost: no comment, field or item.
    pub(crate) fn is_lossless(&self) -> bool {
        let gone = [Code::CommentDropped, Code::DroppedField, Code::TooManyItems, Code::ReferenceNotUpdated];
        !self.holds_back() && self.blocking().is_empty() && gone.iter().all(|code| !self.reports(*code))
    }
}

/// Makes the recognizer of everything that `packs` know.
pub(crate) fn recognizer(packs: &Packs) -> Recognizer {
    plan::recognizer(packs, &packs.iter().collect::<Vec<_>>(), &[], &[])
}

/// Returns the recognizer of everything that the built-in packs know, for a run to `target`.
fn recognizer_to(target: Target<'_>) -> Arc<Recognizer> {
    static KNOWN: Mutex<BTreeMap<String, Arc<Recognizer>>> = Mutex::new(BTreeMap::new());
    let make = || Arc::new(plan::recognizer(packs(), &packs().iter().collect::<Vec<_>>(), &[target], &[]));
    Arc::clone(KNOWN.lock().expect("no test fails here").entry(target.to_string()).or_insert_with(make))
}

/// Reads `text` as the program does.
pub(crate) fn reading(file: &str, text: &[u8]) -> Reading {
    manifest::read(file, text, &RECOGNIZER)
}

/// Reads a text that has objects of the built-in packs, or is about them.
///
/// # Errors
/// A message, if the program cannot read it or sees nothing known.
pub(crate) fn read(file: &str, text: &[u8]) -> Result<Manifest, String> {
    known(file, reading(file, text))
}

fn known(file: &str, reading: Reading) -> Result<Manifest, String> {
    match reading {
        Reading::Manifest(manifest) | Reading::Kustomization(manifest) | Reading::Triggered(manifest) => Ok(*manifest),
        Reading::Irrelevant => Err(format!("{file}: nothing known is seen in the text")),
        Reading::Template(finding) | Reading::Failed(finding) => Err(format!("the text cannot be read: {finding:?}")),
    }
}

/// Returns the target `name` of a built-in pack.
#[track_caller]
pub(crate) fn target(name: &str) -> Target<'static> {
    packs().target(name).expect("the release is known")
}

/// Plans the conversion of `manifests` to `target`, as its user chose.
pub(crate) fn plan(target: Target<'_>, choices: Choices, manifests: &[Manifest]) -> Plan {
    plan::plan(manifests, &Goal { packs: packs(), targets: vec![target], choices })
}

/// Converts the file `text`, which is all of a run, to `target`, as its user chose.
///
/// # Errors
/// As [`read`].
pub(crate) fn convert_alone(target: Target<'_>, choices: Choices, text: &str) -> Result<Run, String> {
    run(target, choices, text, |manifest, goal| plan::plan_alone(&manifest, goal))
}

/// Converts the file `text` to `target`, as its user chose.
///
/// # Errors
/// As [`read`].
pub(crate) fn convert(target: Target<'_>, choices: Choices, text: &str) -> Result<Run, String> {
    run(target, choices, text, |manifest, goal| plan::plan(&[manifest], goal))
}

fn run(
    target: Target<'_>,
    choices: Choices,
    text: &str,
    plan: impl FnOnce(Manifest, &Goal<'_>) -> Plan,
) -> Result<Run, String> {
    let file = "case.yaml";
    let manifest = known(file, manifest::read(file, text.as_bytes(), &recognizer_to(target)))?;
    let plan = plan(manifest, &Goal { packs: packs(), targets: vec![target], choices });
    let after = plan.files.first().map_or_else(|| text.to_owned(), |file| file.after());
    Ok(Run { before: text.to_owned(), after, plan })
}
