//! The head of a page: the verdict in one sentence, and the counts.

use std::collections::BTreeSet;

use super::besides::Found;
use super::entries::{Contents, is_shown, written};
use crate::authoring::crd_check::ReleaseStep;
use crate::engine::finding::Severity;
use crate::shell::report::count::{plural, thousands};
use crate::shell::report::document::{ObjectRecord, ReportDocument};
use crate::shell::report::paint::Painter;
use crate::shell::report::run_report::{Fate, Written};
use crate::shell::report::text_format;

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
pub(super) fn title(document: &ReportDocument) -> String {
    let [changed, held] = [Fate::Changed, Fate::HeldBack].map(|fate| objects(document, fate).count());
    let verb = Fate::Changed.words(written(document));
    format!("{} {verb}, {} held back: reversion {}", thousands(changed), thousands(held), document.command)
}

/// The title of a page of `detect`.
pub(super) fn title_of_detection(found: &Found<'_>) -> String {
    let more = match found.to_convert {
        0 => String::new(),
        more => format!(", {} more to convert", thousands(more)),
    };
    format!("{} outdated{more}: reversion detect", thousands(found.outdated))
}

/// The title of a page of `crd check`.
pub(super) fn title_of_step(step: &ReleaseStep) -> String {
    format!("needs {}: reversion crd check", step.needs.words())
}

fn objects(document: &ReportDocument, fate: Fate) -> impl Iterator<Item = &ObjectRecord> {
    document.objects.iter().filter(move |object| object.outcome == fate)
}

fn findings(document: &ReportDocument, severity: Severity) -> usize {
    let records = document.records().filter(|(_, finding)| finding.severity == severity && is_shown(finding));
    records.count()
}

impl Verdict {
    /// Says what was detected.
    pub(super) fn of_detection(document: &ReportDocument, found: &Found<'_>) -> Self {
        let recognized = document.summary.recognized;
        let of = format!("of {}", plural(recognized, "recognized object"));
        let verb = |count: usize| if count == 1 { "is" } else { "are" };
        let sentence = match (recognized, found.outdated, found.to_convert) {
            _ if document.summary.listed == Some(0) => "No file was listed.".to_owned(),
            (0, _, _) => "No object was recognized.".to_owned(),
            (_, 0, 0) => {
                format!("Nothing to do: {} current in the newest release of its API.", each_object(recognized))
            }
            (_, 0, more) => format!("No object is outdated; {} {of} {} to be converted.", thousands(more), verb(more)),
            (_, outdated, more) => {
                let more = if more == 0 { String::new() } else { format!("; {} more would change", thousands(more)) };
                format!("{} {of} {} outdated in the newest releases{more}.", thousands(outdated), verb(outdated))
            }
        };
        let errors = findings(document, Severity::Error);
        let state = match (errors, found.outdated + found.to_convert == 0 && recognized > 0) {
            (0, true) => State::Good,
            (0, false) => State::Open,
            _ => State::Failed,
        };
        let failed = if errors == 0 { String::new() } else { format!("{}. ", plural(errors, "error")) };
        Self { state, sentence: failed + &sentence }
    }

    /// Says what changed from one set of CRDs to another, and the step that it needs.
    pub(super) fn of_step(document: &ReportDocument, step: &ReleaseStep) -> Self {
        let state = match [Severity::Error, Severity::Unresolved].map(|severity| findings(document, severity)) {
            [0, 0] => State::Good,
            [0, _] => State::Open,
            _ => State::Failed,
        };
        Self { state, sentence: text_format::release_step(step, &document.summary, &Painter::PLAIN) + "." }
    }

    /// Says how the run ended.
    pub(super) fn of(document: &ReportDocument) -> Self {
        let [changed, held] = [Fate::Changed, Fate::HeldBack].map(|fate| objects(document, fate).count());
        let errors = findings(document, Severity::Error);
        let unread = match (errors > 0, document.summary.failed) {
            (false, _) => String::new(),
            (true, 0) => format!("{}. ", plural(errors, "error")),
            (true, failed) => format!("{} failed. ", plural(failed, "file")),
        };
        let (recognized, written) = (document.summary.recognized, written(document));
        let of = format!("of {}", plural(recognized, "recognized object"));
        let changed_files = objects(document, Fate::Changed).map(|object| object.location.file.as_str());
        let changed_files: BTreeSet<&str> = changed_files.collect();
        let files = plural(changed_files.len(), "file");
        let held_back = match held {
            0 => "none is held back".to_owned(),
            1 => "1 is held back and needs a decision".to_owned(),
            held => format!("{} are held back and need a decision", thousands(held)),
        };
        let verb = match (written, changed) {
            (Written::Yes, 1) => "was changed",
            (Written::Yes, _) => "were changed",
            (Written::No, _) => "must change",
        };
        let sentence = match (recognized, changed, held) {
            _ if document.summary.listed == Some(0) => "No file was listed.".to_owned(),
            (0, _, _) => "No object was recognized.".to_owned(),
            (_, 0, 0) if document.acknowledged_records().next().is_none() => {
                format!("Nothing to do: {} at the target.", each_object(recognized))
            }
            (_, 0, 0) => format!("Nothing to do: {} at the target, or acknowledged as it is.", each_object(recognized)),
            (_, 0, held) => {
                let verb = if held == 1 { "is held back and needs" } else { "are held back and need" };
                format!("{} {of} {verb} a decision; no other must change.", thousands(held))
            }
            (_, changed, _) => format!("{} {of} {verb}, in {files}; {held_back}.", thousands(changed)),
        };
        let unresolved = findings(document, Severity::Unresolved);
        let remains = match unresolved {
            0 => "",
            1 => " One finding is unresolved: nothing converts it, and it can break what is applied.",
            _ => " Some findings are unresolved: nothing converts them, and they can break what is applied.",
        };
        let unwritten = document.command == "apply" && written == Written::No && errors > 0;
        let unwritten = if unwritten { " Nothing was written." } else { "" };
        let is_open =
            held > 0 || unresolved > 0 || (changed > 0 && written == Written::No) || !document.left_out.is_empty();
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
pub(super) fn counts(document: &ReportDocument, contents: &Contents<'_>) -> Vec<Count> {
    let seen = &document.summary;
    let of = |severity| findings(document, severity);
    let outcomes = [Fate::Changed, Fate::HeldBack, Fate::Acknowledged, Fate::Unchanged].map(|fate| {
        let number = contents.entries().filter(|entry| entry.fate() == Some(fate)).count();
        Count { number, words: fate.words(contents.written), leads_to: Some(fate).filter(|_| number > 0) }
    });
    // Each with the noun for one and for several.
    let more = [
        (of(Severity::Error), ["error", "errors"]),
        (of(Severity::Unresolved), ["unresolved", "unresolved"]),
        (of(Severity::Warning), ["warning", "warnings"]),
        (contents.notes(), ["note", "notes"]),
        (seen.files, ["file read", "files read"]),
        (seen.changed_files, ["file with changes", "files with changes"]),
        (seen.templates, ["template skipped", "templates skipped"]),
        (seen.binaries, ["binary file skipped", "binary files skipped"]),
        (seen.ignored, ["path ignored", "paths ignored"]),
        (seen.failed, ["file failed", "files failed"]),
        (seen.unknown_groups.values().sum(), ["object without a CRD or pack", "objects without a CRD or pack"]),
    ];
    let more = more.map(|(number, [singular, plural])| {
        let words = if number == 1 { singular } else { plural };
        Count { number, words, leads_to: None }
    });
    // What is said of none too.
    let usual: &[&str] = match (document.is_detection(), &document.release) {
        (true, _) => &["files read"],
        (false, Some(_)) => &[],
        (false, None) => &["to change", "changed", "held back", "unchanged", "files read", "files with changes"],
    };
    let is_shown = |count: &Count| count.number > 0 || usual.contains(&count.words);
    outcomes.into_iter().chain(more).filter(is_shown).collect()
}
