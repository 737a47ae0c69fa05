//! The format `text`: lines for people.

use std::fmt::Write as _;

use super::conversion::{Report, Written};
use super::count::{Counts, plural, thousands};
use super::escape::visible;
use crate::finding::{Acknowledged, AcknowledgedBy, Code, Finding, Severity};
use crate::plan::{ObjectPlan, RunAdvisory};

/// The summary of a run with an empty list of files.
const NOTHING_LISTED: &str = "no file was listed";

/// Prints a line for each object that changes, with the rules that change it.
pub fn changes(report: &Report<'_>) -> String {
    let mut out = String::new();
    for object in report.to_change() {
        let _infallible = writeln!(out, "{}", change(object));
        for (rule, direction) in &object.rules {
            let _infallible = writeln!(out, "  {} {rule}", direction.name());
        }
    }
    out
}

fn change(object: &ObjectPlan) -> String {
    let place = visible(&object.location.to_string());
    let title = visible(&object.title);
    let ((old_kind, old), (new_kind, new)) = (&object.from, &object.to);
    let (old, new) = (visible(&old.to_string()), visible(&new.to_string()));
    match (old_kind.kind == new_kind.kind, old == new) {
        // Values of a chart have no apiVersion.
        (true, true) if old.is_empty() => format!("{place}: {title}: other fields"),
        (true, true) => format!("{place}: {title}: {old}, other fields"),
        (true, false) => format!("{place}: {title}: {old} -> {new}"),
        (false, _) => format!("{place}: {title}: {old} {} -> {new} {}", old_kind.kind, new_kind.kind),
    }
}

/// Prints one finding as `file:line:col: severity[code] message` and, where there is one, a help line.
pub fn finding(finding: &Finding) -> String {
    let place = visible(&finding.location.to_string());
    let (severity, code) = (finding.severity.name(), finding.code);
    let mut lines = format!("{place}: {severity}[{code}] {}\n", visible(&finding.sentence()));
    if let Some(help) = &finding.help {
        let _infallible = writeln!(lines, "  help: {}", visible(help));
    }
    lines
}

/// Prints a finding that was accepted before, and what accepts it.
pub fn acknowledged(acknowledged: &Acknowledged) -> String {
    let by = match acknowledged.by {
        AcknowledgedBy::Comment => "a comment",
        AcknowledgedBy::Config => "reversion.toml",
        AcknowledgedBy::Baseline => "the baseline",
    };
    let reason = acknowledged.reason.as_ref().map_or_else(String::new, |reason| format!(": {}", visible(reason)));
    format!("{}  acknowledged by {by}{reason}\n", finding(&Finding { help: None, ..acknowledged.finding.clone() }))
}

/// Prints the advisories about the run, in a section for each thing that they are about.
pub fn advisories<'a>(advisories: impl IntoIterator<Item = &'a RunAdvisory>) -> String {
    let parts = |one: &'a RunAdvisory| (one.about.name(), one.severity.name(), &*one.message, one.help.as_deref());
    advisory_sections(advisories.into_iter().map(parts))
}

/// Prints advisories, each as what it is about, its severity, its message and its help.
pub(super) fn advisory_sections<'a>(
    advisories: impl IntoIterator<Item = (&'a str, &'a str, &'a str, Option<&'a str>)>,
) -> String {
    let (mut out, mut section) = (String::new(), None);
    for (about, severity, message, help) in advisories {
        if section.replace(about) != Some(about) {
            let _infallible = writeln!(out, "about the {}:", visible(about));
        }
        let _infallible = writeln!(out, "  {}[{}] {}", visible(severity), Code::Advisory, visible(message));
        if let Some(help) = help {
            let _infallible = writeln!(out, "    help: {}", visible(help));
        }
    }
    out
}

/// Prints the summary: one line, and one more where files were left out.
pub fn summary(report: &Report<'_>) -> String {
    if report.counts.listed == Some(0) {
        return NOTHING_LISTED.to_owned();
    }
    let changed = report.to_change().count();
    let verb = match report.written {
        Written::Yes => "changed",
        Written::No => "to change",
    };
    let (files, held) = (report.files_to_change().count(), report.held_back().count());
    let outcomes = outcomes(&report.counts, (changed, verb), files, held);
    let unresolved = report.findings.iter().filter(|finding| finding.severity == Severity::Unresolved).count();
    let more = more([(unresolved, "unresolved"), (report.acknowledged.len(), "acknowledged")]);
    format!("{outcomes}{more}; {}{}", left(&report.counts), left_out(&report.left_out))
}

/// Prints counts behind those of [`outcomes`]; nothing for 0.
pub fn more<const N: usize>(counts: [(usize, &str); N]) -> String {
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    counts.map(|(count, word)| format!(", {} {word}", thousands(count))).collect()
}

/// Prints which files were left out, on a line of its own; nothing where none was.
pub fn left_out(files: &[&str]) -> String {
    if files.is_empty() {
        return String::new();
    }
    let names: Vec<String> = files.iter().map(|file| visible(file)).collect();
    let (verb, whose) = if files.len() == 1 { ("was", "its") } else { ("were", "their") };
    let (files, names) = (plural(files.len(), "file"), names.join(", "));
    format!("\n{files} {verb} left out, and references to {whose} objects are not checked: {names}")
}

/// Prints the summary of a detection.
pub fn detected(counts: &Counts) -> String {
    match counts.listed {
        Some(0) => NOTHING_LISTED.to_owned(),
        _ => format!("{}; {}", read(counts), left(counts)),
    }
}

/// Prints what was read, and what becomes of it: how many objects change, in how many files, and how many are held back.
pub fn outcomes(counts: &Counts, (changed, verb): (usize, &str), files: usize, held: usize) -> String {
    let (read, changed, files, held) = (read(counts), thousands(changed), plural(files, "file"), thousands(held));
    format!("{read}: {changed} {verb} in {files}, {held} held back")
}

/// Prints how many files were read, and how many objects in them were recognised.
fn read(counts: &Counts) -> String {
    let files = match counts.listed {
        Some(listed) => format!("{} of {}", thousands(counts.files), plural(listed, "listed file")),
        None => plural(counts.files, "file"),
    };
    format!("{files} read, {} recognised", plural(counts.recognised, "object"))
}

/// Prints how many files were skipped and failed.
fn left(counts: &Counts) -> String {
    let parts = [(counts.templates, "template"), (counts.binaries, "binary file")];
    let named: Vec<_> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, noun)| plural(*count, noun)).collect();
    let skipped = plural(counts.templates + counts.binaries, "file");
    let detail = if named.is_empty() { String::new() } else { format!(" ({})", named.join(", ")) };
    format!("{skipped} skipped{detail}, {} failed", thousands(counts.failed))
}
