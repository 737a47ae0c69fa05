//! Answers: how does the program convert a file, without the disk?
//!
//! Invariant: the same calls as the command line makes.

use std::sync::OnceLock;

use reversion::finding::{Code, Finding, Severity};
use reversion::manifest::{self, Manifest, Reading, Recognizer};
use reversion::pack::{Packs, Target};
use reversion::plan::{self, Choices, Goal, Outcome, Plan};

/// What the packs of a run of the tests know: all tests share them.
static RECOGNIZER: OnceLock<Recognizer> = OnceLock::new();

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

/// Reads `text` as the program does.
///
/// # Errors
/// A message, if the program cannot read it or finds no object of a known API.
pub(crate) fn read(packs: &Packs, file: &str, text: &[u8]) -> Result<Manifest, String> {
    let make = || Recognizer::new(packs.iter().flat_map(|pack| pack.groups()).map(String::as_str));
    match manifest::read(file, text, RECOGNIZER.get_or_init(make)) {
        Reading::Manifest(manifest) => Ok(*manifest),
        Reading::Irrelevant | Reading::Kustomization(_) | Reading::Triggered(_) => {
            Err("no known API group is seen in the text".to_owned())
        }
        Reading::Template(finding) | Reading::Failed(finding) => Err(format!("the text cannot be read: {finding:?}")),
    }
}

/// Plans the conversion of `manifests` to `target`, as its user chose.
pub(crate) fn plan(packs: &Packs, target: Target<'_>, choices: Choices, manifests: &[Manifest]) -> Plan {
    plan::plan(manifests, &Goal { packs, targets: vec![target], choices })
}

/// Converts the file `text` to `target`, as its user chose.
///
/// # Errors
/// As [`read`].
pub(crate) fn convert(packs: &Packs, target: Target<'_>, choices: Choices, text: &str) -> Result<Run, String> {
    let manifest = read(packs, "case.yaml", text.as_bytes())?;
    let plan = plan(packs, target, choices, &[manifest]);
    let after = plan.files.first().map_or_else(|| text.to_owned(), |file| file.after());
    Ok(Run { before: text.to_owned(), after, plan })
}
