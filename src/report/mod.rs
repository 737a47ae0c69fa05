//! Answers: how does a plan look to a person, to a program, to a pipeline?
//!
//! A [`Report`] holds what a command found; each submodule renders it in one format and decides nothing.
//!
//! Invariant: rendering is a pure function of the report; text from files never reaches the output with control characters
//! in it, except as diff lines for a file or a program.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::edits::FilePlan;
use crate::finding::{Finding, Location, Severity};
use crate::infer::Inference;
use crate::infer::crds::Installed;
use crate::infer::install_evidence::Evidence;
use crate::manifest::Object;
use crate::pack::Pack;
use crate::plan::{ObjectPlan, Outcome};

pub mod detect;
pub mod diff;
pub mod github;
pub mod json;
pub mod matrix;

pub mod saved;
pub mod text;

/// How many files and objects a run met.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Files with a manifest's extension that were read.
    pub files: usize,
    /// Of these, files in which a known API group stands: only they were parsed.
    #[serde(rename = "parsedFiles")]
    pub parsed: usize,
    /// Objects in the parsed files.
    pub objects: usize,
    /// Of these, objects of a kind that a pack knows.
    pub recognised: usize,
    /// Templates, skipped.
    pub templates: usize,
    /// Files that are no text, skipped.
    pub binaries: usize,
    /// Files that could not be read or understood.
    pub failed: usize,
}

/// What a run of `check`, `diff`, `apply` or `convert` found.
#[derive(Debug)]
pub struct Report<'a> {
    /// The subcommand.
    pub command: &'static str,
    /// The targets, as `gateway-api@1.4.1/standard`.
    pub targets: Vec<String>,
    /// The files that change.
    pub files: &'a [FilePlan],
    /// The objects of the targeted packs.
    pub objects: &'a [ObjectPlan],
    /// Everything to tell, sorted by place.
    pub findings: &'a [Finding],
    /// What was met.
    pub counts: Counts,
    /// Whether the changes were written.
    pub written: Written,
}

/// Whether the changes of a report are on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// Nothing was written.
    No,
    /// Every change was.
    Yes,
}

impl Report<'_> {
    /// Counts the objects with `outcome`.
    pub fn count(&self, outcome: Outcome) -> usize {
        self.objects.iter().filter(|object| object.outcome == outcome).count()
    }
}

/// What `detect` says of one object.
#[derive(Debug)]
pub struct Detected<'a> {
    /// The object.
    pub object: &'a Object,
    /// The pack that knows it.
    pub pack: &'a Pack,
    /// What its fields say.
    pub inference: Inference,
    /// Where it starts.
    pub location: crate::finding::Location,
    /// Where each piece of evidence stands.
    pub evidence: Vec<crate::finding::Location>,
}

/// What a run of `detect` found.
#[derive(Debug)]
pub struct Detection<'a> {
    /// The recognised objects, in the order of files and text.
    pub objects: Vec<Detected<'a>>,
    /// The places where values of a pack's chart stand, by the pack's name: the object, the place, the field.
    pub values: Vec<(&'a str, &'a Object, Location, String)>,
    /// What charts and images in the tree say of a pack's release, sorted by the pack's name and place.
    pub beside: Vec<(&'a str, Evidence)>,
    /// The CRDs in the tree that name their release, by pack.
    pub crds: Vec<Installed<'a>>,
    /// Everything to tell, sorted by place.
    pub findings: Vec<Finding>,
    /// What was met.
    pub counts: Counts,
}

/// Returns `text` with control characters written out, so that a file's name or value cannot steer a terminal.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if steers(character) {
            out.extend(character.escape_default());
        } else {
            out.push(character);
        }
    }
    out
}

/// Says whether a character can steer a terminal, or the order in which it shows others.
fn steers(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns `text` as [`visible`] does, but with its line breaks.
pub fn visible_lines(text: &str) -> String {
    text.split('\n').map(visible).collect::<Vec<_>>().join("\n")
}

/// Prints a number with a comma between thousands.
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Prints a count with its noun: `1 file`, `1,203 files`.
pub fn plural(number: usize, noun: &str) -> String {
    format!("{} {noun}{}", thousands(number), if number == 1 { "" } else { "s" })
}

/// Prints one finding as `file:line:col: severity[code] message` and, where there is one, a help line.
pub fn finding_lines(finding: &Finding) -> String {
    let place = visible(&finding.location.to_string());
    let word = match finding.severity {
        Severity::Held => "held back",
        severity => severity.name(),
    };
    let mut lines = format!("{place}: {word}[{}] {}\n", finding.code, visible(&finding.message));
    if let Some(help) = &finding.help {
        let _infallible = writeln!(lines, "  help: {}", visible(help));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_written_out() {
        assert_eq!(visible("a\u{1b}[31mb\u{202e}é"), "a\\u{1b}[31mb\\u{202e}é");
    }

    #[test]
    fn numbers_have_commas() {
        assert_eq!([0, 999, 1000, 1234567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(plural(1, "file"), "1 file");
        assert_eq!(plural(0, "file"), "0 files");
    }
}
