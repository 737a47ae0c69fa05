//! The head of a page: the verdict in one sentence, the counts; and what is not about one file: advice, and what was not read.

use std::collections::BTreeSet;

use super::entries::Contents;
use super::markup::Markup;
use crate::engine::finding::Severity;
use crate::shell::report::count::{plural, thousands};
use crate::shell::report::run_report::{Fate, Report, Written};

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Good,
    Open,
    Failed,
}

impl State {
    const fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Open => "open",
            Self::Failed => "failed",
        }
    }
}

/// Returns the title of the page.
pub(super) fn title(report: &Report<'_>) -> String {
    let (changed, held) = (report.to_change().count(), report.held_back().count());
    let verb = Fate::Changed.words(report.written);
    format!("{} {verb}, {} held back: reversion {}", thousands(changed), thousands(held), report.command)
}

/// Writes the command, the targets, the verdict and the counts.
pub(super) fn header(out: &mut Markup, report: &Report<'_>, contents: &Contents<'_>) {
    out.raw("<header>\n<h1>reversion ").raw(report.command).raw("</h1>\n");
    if !report.targets.is_empty() {
        out.raw("<p class=\"targets\">Target: ");
        for (at, target) in report.targets.iter().enumerate() {
            out.raw(if at > 0 { ", <code>" } else { "<code>" }).text(target).raw("</code>");
        }
        out.raw("</p>\n");
    }
    let (state, sentence) = verdict(report);
    out.raw("<p class=\"verdict ").raw(state.name()).raw("\">").text(&sentence).raw("</p>\n");
    counts(out, report, contents);
    out.raw("</header>\n");
}

/// Says in a sentence how the run ended.
fn verdict(report: &Report<'_>) -> (State, String) {
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
            format!("Nothing to do: {} at the target.", all(recognized))
        }
        (_, 0, 0) => format!("Nothing to do: {} at the target, or acknowledged as it is.", all(recognized)),
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
    (state, format!("{unread}{sentence}{remains}{unwritten}"))
}

fn all(recognized: usize) -> String {
    if recognized == 1 {
        "the recognized object is".to_owned()
    } else {
        format!("each of {} is", plural(recognized, "recognized object"))
    }
}

/// Writes the counts; those of outcomes lead to the objects.
fn counts(out: &mut Markup, report: &Report<'_>, contents: &Contents<'_>) {
    let counts = &report.counts;
    let of = |severity| report.findings.iter().filter(|finding| finding.severity == severity).count();
    out.raw("<ul class=\"counts\">\n");
    for fate in [Fate::Changed, Fate::HeldBack, Fate::Acknowledged, Fate::Unchanged] {
        let number = contents.entries().filter(|entry| entry.fate == Some(fate)).count();
        let words = fate.words(report.written);
        if number > 0 {
            out.raw("<li><a class=\"count\" href=\"#files\" data-outcome=\"").raw(fate.name()).raw("\"><b>");
            out.text(&thousands(number)).raw("</b> ").raw(words).raw("</a></li>\n");
        } else if fate != Fate::Acknowledged {
            out.raw("<li><span class=\"count\"><b>0</b> ").raw(words).raw("</span></li>\n");
        }
    }
    // Each with the noun for one and for several, and whether nothing is said of none.
    let more = [
        (of(Severity::Error), ["error", "errors"], true),
        (of(Severity::Unresolved), ["unresolved", "unresolved"], true),
        (of(Severity::Warning), ["warning", "warnings"], true),
        (of(Severity::Note), ["note", "notes"], true),
        (counts.files, ["file read", "files read"], false),
        (report.files_to_change().count(), ["file with changes", "files with changes"], false),
        (counts.templates, ["template skipped", "templates skipped"], true),
        (counts.binaries, ["binary file skipped", "binary files skipped"], true),
        (counts.failed, ["file failed", "files failed"], true),
    ];
    for (number, [one, several], _) in more.into_iter().filter(|(number, _, hides)| *number > 0 || !hides) {
        let noun = if number == 1 { one } else { several };
        out.raw("<li><span class=\"count\"><b>").text(&thousands(number)).raw("</b> ").raw(noun).raw("</span></li>\n");
    }
    out.raw("</ul>\n");
}

/// Writes what is to be known about the cluster and the releases.
pub(super) fn advice(out: &mut Markup, report: &Report<'_>) {
    if report.advisories.is_empty() {
        return;
    }
    out.raw("<section aria-labelledby=\"advice\">\n<h2 id=\"advice\">Advice</h2>\n");
    let mut section = None;
    for advisory in report.advisories {
        let open = section.replace(advisory.about);
        if open != Some(advisory.about) {
            out.raw(if open.is_some() { "</ul>\n" } else { "" })
                .raw("<h3>About the ")
                .raw(advisory.about.name())
                .raw("</h3>\n<ul class=\"findings\">\n");
        }
        out.raw("<li class=\"finding ").raw(advisory.severity.name()).raw("\"><span class=\"severity\">");
        out.raw(advisory.severity.name())
            .raw("</span> <span class=\"message\">")
            .prose(&advisory.message)
            .raw("</span>");
        if let Some(help) = &advisory.help {
            out.help(help);
        }
        out.raw("</li>\n");
    }
    out.raw("</ul>\n</section>\n");
}

/// Writes which files were left out.
pub(super) fn unread(out: &mut Markup, report: &Report<'_>) {
    if report.left_out.is_empty() {
        return;
    }
    out.raw("<section aria-labelledby=\"left-out\">\n<h2 id=\"left-out\">Files left out</h2>\n");
    out.raw("<p>They could not be read, and references to their objects are not checked.</p>\n<ul class=\"plain\">\n");
    for file in &report.left_out {
        out.raw("<li class=\"path\">").text(file).raw("</li>\n");
    }
    out.raw("</ul>\n</section>\n");
}
