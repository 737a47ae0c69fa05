//! The head of a page: the verdict in one sentence, and the counts.

use std::collections::BTreeSet;

use super::entries::Contents;
use crate::engine::finding::Severity;
use crate::shell::report::count::{plural, thousands};
use crate::shell::report::run_report::{Fate, Report, Written};

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Good,
    Open,
    Failed,
}

impl State {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Open => "open",
            Self::Failed => "failed",
        }
    }
}

/// How a run ended, and in a sentence.
pub(super) struct Verdict {
    pub(super) state: State,
    pub(super) sentence: String,
}

/// How many there are of something.
pub(super) struct Count {
    pub(super) number: usize,
    pub(super) words: &'static str,
    /// The outcome of the objects that it leads to.
    pub(super) leads_to: Option<Fate>,
}

/// The title of the page.
pub(super) fn title(report: &Report<'_>) -> String {
    let (changed, held) = (report.to_change().count(), report.held_back().count());
    let verb = Fate::Changed.words(report.written);
    format!("{} {verb}, {} held back: reversion {}", thousands(changed), thousands(held), report.command)
}

impl Verdict {
    /// Says how the run ended.
    pub(super) fn of(report: &Report<'_>) -> Self {
        let (changed, held) = (report.to_change().count(), report.held_back().count());
        let errors = report.findings.iter().filter(|finding| finding.severity == Severity::Error).count();
        let unread = match (errors > 0, report.counts.failed) {
            (false, _) => String::new(),
            (true, 0) => format!("{}. ", plural(errors, "error")),
            (true, failed) => format!("{} failed. ", plural(failed, "file")),
        };
        let recognized = report.counts.recognized;
        let of = format!("of {}", plural(recognized, "recognized object"));
        let changed_files: BTreeSet<&str> = report.to_change().map(|object| object.location.file.as_str()).collect();
        let files = plural(changed_files.len(), "file");
        let held_back = match held {
            0 => "none is held back".to_owned(),
            1 => "1 is held back and needs a decision".to_owned(),
            held => format!("{} are held back and need a decision", thousands(held)),
        };
        let verb = match (report.written, changed) {
            (Written::Yes, 1) => "was changed",
            (Written::Yes, _) => "were changed",
            (Written::No, _) => "must change",
        };
        let sentence = match (recognized, changed, held) {
            _ if report.counts.listed == Some(0) => "No file was listed.".to_owned(),
            (0, _, _) => "No object was recognized.".to_owned(),
            (_, 0, 0) if report.acknowledged.is_empty() => {
                format!("Nothing to do: {} at the target.", each_object(recognized))
            }
            (_, 0, 0) => format!("Nothing to do: {} at the target, or acknowledged as it is.", each_object(recognized)),
            (_, 0, held) => {
                let verb = if held == 1 { "is held back and needs" } else { "are held back and need" };
                format!("{} {of} {verb} a decision; no other must change.", thousands(held))
            }
            (_, changed, _) => format!("{} {of} {verb}, in {files}; {held_back}.", thousands(changed)),
        };
        let unresolved = report.findings.iter().filter(|finding| finding.severity == Severity::Unresolved).count();
        let remains = match unresolved {
            0 => "",
            1 => " One finding is unresolved: nothing converts it, and it can break what is applied.",
            _ => " Some findings are unresolved: nothing converts them, and they can break what is applied.",
        };
        let unwritten = report.command == "apply" && report.written == Written::No && errors > 0;
        let unwritten = if unwritten { " Nothing was written." } else { "" };
        let is_open =
            held > 0 || unresolved > 0 || (changed > 0 && report.written == Written::No) || !report.left_out.is_empty();
        let state = match (errors > 0, is_open || recognized == 0) {
            (true, _) => State::Failed,
            (false, true) => State::Open,
            (false, false) => State::Good,
        };
        Self { state, sentence: format!("{unread}{sentence}{remains}{unwritten}") }
    }
}

fn each_object(recognized: usize) -> String {
    if recognized == 1 {
        "the recognized object is".to_owned()
    } else {
        format!("each of {} is", plural(recognized, "recognized object"))
    }
}

/// Counts what the page shows; those of outcomes lead to the objects.
pub(super) fn counts(report: &Report<'_>, contents: &Contents<'_>) -> Vec<Count> {
    let seen = &report.counts;
    let of = |severity| report.findings.iter().filter(|finding| finding.severity == severity).count();
    let outcomes = [Fate::Changed, Fate::HeldBack, Fate::Acknowledged, Fate::Unchanged].map(|fate| {
        let number = contents.entries().filter(|entry| entry.fate == Some(fate)).count();
        Count { number, words: fate.words(report.written), leads_to: Some(fate).filter(|_| number > 0) }
    });
    // Each with the noun for one and for several.
    let more = [
        (of(Severity::Error), ["error", "errors"]),
        (of(Severity::Unresolved), ["unresolved", "unresolved"]),
        (of(Severity::Warning), ["warning", "warnings"]),
        (of(Severity::Note), ["note", "notes"]),
        (seen.files, ["file read", "files read"]),
        (report.files_to_change().count(), ["file with changes", "files with changes"]),
        (seen.templates, ["template skipped", "templates skipped"]),
        (seen.binaries, ["binary file skipped", "binary files skipped"]),
        (seen.ignored, ["path ignored", "paths ignored"]),
        (seen.failed, ["file failed", "files failed"]),
    ];
    let more = more.map(|(number, [singular, plural])| {
        let words = if number == 1 { singular } else { plural };
        Count { number, words, leads_to: None }
    });
    // What is said of none too.
    let usual = ["to change", "changed", "held back", "unchanged", "files read", "files with changes"];
    let is_shown = |count: &Count| count.number > 0 || usual.contains(&count.words);
    outcomes.into_iter().chain(more).filter(is_shown).collect()
}
