//! The format `text`: what is about the whole run, for people. What is about places is `grouped`.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::count::{Counts, plural, thousands};
use super::document::Summary;
use super::escape::visible;
use super::paint::Painter;
use super::run_report::{Fate, Report, Written};
use crate::authoring::crd_check::ReleaseStep;
use crate::engine::finding::{Acknowledged, AcknowledgedBy, Code, Finding, Severity};
use crate::engine::plan::RunAdvisory;

/// The summary of a run with an empty list of files.
const NOTHING_LISTED: &str = "no file was listed";

/// Prints a finding that was accepted before, and what accepts it.
pub(crate) fn acknowledged(acknowledged: &Acknowledged, painter: &Painter) -> String {
    let finding = &acknowledged.finding;
    let code = painter.code(finding.severity, finding.code.name());
    let place = painter.place(&finding.location);
    let by = accepted_by(acknowledged.by, acknowledged.reason.as_deref());
    format!("{place}: {code} {}\n  {}\n", visible(&finding.sentence()), visible(&by))
}

/// Says what accepts a finding, and why.
pub(super) fn accepted_by(by: AcknowledgedBy, reason: Option<&str>) -> String {
    let by = match by {
        AcknowledgedBy::Comment => "a comment",
        AcknowledgedBy::Config => "reversion.toml",
        AcknowledgedBy::Baseline => "the baseline",
        AcknowledgedBy::Policy => "the policy",
    };
    let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
    format!("acknowledged by {by}{reason}")
}

/// Prints the advisories about the run that were accepted before.
pub(crate) fn acknowledged_advisories(advisories: &[RunAdvisory], painter: &Painter) -> String {
    let by = accepted_by(AcknowledgedBy::Baseline, None);
    advisories.iter().map(|advisory| format!("{}\n  {by}\n", about_run(advisory, painter))).collect()
}

/// Prints the advisories about the run, each with what is to be done.
pub fn advisories<'a>(advisories: impl IntoIterator<Item = &'a RunAdvisory>, painter: &Painter) -> String {
    let line = |advisory: &RunAdvisory| {
        let help = advisory.help.as_ref().map_or(String::new(), |help| format!("; {}", visible(help)));
        format!("{}{help}\n", about_run(advisory, painter))
    };
    advisories.into_iter().map(line).collect()
}

/// Prints an advisory about the run: what it is about stands where findings have their place.
fn about_run(advisory: &RunAdvisory, painter: &Painter) -> String {
    let about = painter.strong(&format!("about the {}:", advisory.about.name()));
    format!("{about} {} {}", painter.code(advisory.severity, Code::Advisory.name()), visible(&advisory.message))
}

/// Prints the summary of a run.
pub fn summary(report: &Report<'_>, painter: &Painter) -> String {
    summary_of(&Summary::of(report), report.written, &report.left_out, painter)
}

/// Prints the summary of a run that saw and made this: one line, one more where files were left out, and one for each pack with old
/// defaults that are written out.
pub(super) fn summary_of(summary: &Summary, written: Written, files_left_out: &[&str], painter: &Painter) -> String {
    if summary.listed == Some(0) {
        return NOTHING_LISTED.to_owned();
    }
    let (outcomes, skipped) = (outcomes(summary, written, painter), skipped(summary, painter));
    let old_defaults: String = old_defaults(summary).map(|line| format!("\n{line}")).collect();
    format!("{outcomes}; {skipped}{}{old_defaults}", left_out(files_left_out))
}

/// Says where the objects come from, and into how many old defaults are written, a sentence each.
pub(crate) fn origins(origins: &[String], summary: &Summary) -> impl Iterator<Item = String> {
    origins.iter().map(|line| visible(line)).chain(old_defaults(summary))
}

/// Says into how many objects old defaults are written, a line for each parameter that decides it.
fn old_defaults(summary: &Summary) -> impl Iterator<Item = String> {
    summary.old_defaults.iter().map(|(parameter, count)| {
        let (pack, objects) = (visible(parameter.split('.').next().unwrap_or_default()), plural(*count, "object"));
        let parameter = visible(parameter);
        format!("{pack}: old defaults are written into {objects} to keep the meaning; `--set {parameter}=adopt` takes the new ones")
    })
}

/// Prints the summary below the lines of a run, as whole lines: without the counts where all lines are about `file`, the only argument, and
/// say what becomes of each object.
pub(crate) fn summary_below_lines(report: &Report<'_>, file: Option<&str>, painter: &Painter) -> String {
    let summary = Summary::of(report);
    let Summary { recognized, changed, held_back, templates, binaries, ignored, failed, acknowledged, .. } = summary;
    let is_only = |file: &str| report.objects.iter().all(|object| object.location.file == file);
    let is_said = summary.files == 1
        && recognized > 0
        && recognized == changed + held_back
        && templates + binaries + ignored + failed + acknowledged == 0
        && summary.listed.is_none()
        && summary.unknown_groups.is_empty()
        && file.is_some_and(is_only);
    match is_said {
        true => old_defaults(&summary).map(|line| format!("{line}\n")).collect(),
        false => format!("{}\n", summary_of(&summary, report.written, &report.left_out, painter)),
    }
}

/// Prints which files were left out, on a line of its own; nothing where none was.
pub(crate) fn left_out(files: &[&str]) -> String {
    if files.is_empty() {
        return String::new();
    }
    let names: Vec<String> = files.iter().map(|file| visible(file)).collect();
    let (verb, whose) = if files.len() == 1 { ("was", "its") } else { ("were", "their") };
    let (files, names) = (plural(files.len(), "file"), names.join(", "));
    format!("\n{files} {verb} left out, and references to {whose} objects are not checked: {names}")
}

/// Prints the summary of a detection.
pub(crate) fn detected(counts: &Counts, findings: &[Finding], painter: &Painter) -> String {
    let summary = Summary::of_counts(counts);
    let count = findings.iter().filter(|finding| finding.severity == Severity::Unresolved).count();
    let unresolved = match count {
        0 => String::new(),
        count => {
            let words = format!("{} unresolved", thousands(count));
            format!(": {}", painter.count(count, Severity::Unresolved, words))
        }
    };
    match counts.listed {
        Some(0) => NOTHING_LISTED.to_owned(),
        _ => format!("{}{unresolved}; {}", read(&summary), skipped(&summary, painter)),
    }
}

/// Prints what changed from one set of CRDs to another, and the step that the version takes.
pub(crate) fn release_step(step: &ReleaseStep, summary: &Summary, painter: &Painter) -> String {
    let mut total = 0;
    let by_class = step.changes.iter().map(|(class, count)| {
        total += count;
        format!("{} {}", thousands(*count), class.name())
    });
    let by_class: Vec<String> = by_class.collect();
    let by_class = if by_class.is_empty() { String::new() } else { format!(" ({})", by_class.join(", ")) };
    let changes = plural(total, "change");
    let words = format!("{} unresolved", thousands(summary.unresolved));
    let unresolved = painter.count(summary.unresolved, Severity::Unresolved, words);
    let accepted = match summary.acknowledged {
        0 => String::new(),
        accepted => format!(", {} acknowledged", thousands(accepted)),
    };
    let claims = match (step.claims, &step.old, &step.new) {
        (Some(claims), Some(old), Some(new)) => {
            format!("; from {} to {} is {}", visible(old), visible(new), claims.words())
        }
        _ => String::new(),
    };
    let crds = plural(summary.recognized, "CRD");
    format!("{crds}: {changes}{by_class}, {unresolved}{accepted}; needs {}{claims}", step.needs.words())
}

/// Prints what was read, and what becomes of it.
pub(crate) fn outcomes(summary: &Summary, written: Written, painter: &Painter) -> String {
    let Summary { changed, changed_files, held_back, .. } = *summary;
    let changed_words = format!("{} {}", thousands(changed), Fate::Changed.words(written));
    let to_change = painter.count(changed, Severity::Warning, changed_words);
    let held = painter.count(held_back, Severity::Held, format!("{} held back", thousands(held_back)));
    let more = [(summary.unresolved, "unresolved"), (summary.acknowledged, "acknowledged")];
    let more = more.iter().filter(|(count, _)| *count > 0);
    let more: String = more.map(|(count, word)| format!(", {} {word}", thousands(*count))).collect();
    format!("{}: {to_change} in {}, {held}{more}", read(summary), plural(changed_files, "file"))
}

/// Prints how many files were read, and how many objects in them were recognized.
fn read(counts: &Summary) -> String {
    let files = match counts.listed {
        Some(listed) => format!("{} of {}", thousands(counts.files), plural(listed, "listed file")),
        None => plural(counts.files, "file"),
    };
    format!("{files} read, {} recognized{}", plural(counts.recognized, "object"), unknown(&counts.unknown_groups))
}

/// How many groups are named of which nothing is known.
const NAMED: usize = 3;

fn unknown(groups: &BTreeMap<String, usize>) -> String {
    of_unknown_groups(groups).map_or_else(String::new, |words| format!(", {words}"))
}

/// Says how many objects are of groups that nothing is known of, and names the groups with the most; nothing where there are none.
pub(super) fn of_unknown_groups(groups: &BTreeMap<String, usize>) -> Option<String> {
    if groups.is_empty() {
        return None;
    }
    let mut most: Vec<(&String, &usize)> = groups.iter().collect();
    most.sort_by_key(|(_, count)| Reverse(**count));
    let more = groups.len().saturating_sub(NAMED);
    let mut names: Vec<String> = most.iter().take(NAMED).map(|(group, _)| visible(group)).collect();
    names.extend((more > 0).then(|| format!("{more} more")));
    let total = groups.values().sum();
    Some(format!("{} of groups without a CRD or pack ({})", thousands(total), names.join(", ")))
}

/// Prints how many files were skipped and failed.
fn skipped(counts: &Summary, painter: &Painter) -> String {
    let parts = [(counts.templates, "template"), (counts.binaries, "binary file")];
    let named: Vec<_> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, noun)| plural(*count, noun)).collect();
    let files = plural(counts.templates + counts.binaries, "file");
    let detail = if named.is_empty() { String::new() } else { format!(" ({})", named.join(", ")) };
    let failed = painter.count(counts.failed, Severity::Error, format!("{} failed", thousands(counts.failed)));
    let ignored = match counts.ignored {
        0 => String::new(),
        ignored => format!(", {} ignored by .reversionignore", plural(ignored, "path")),
    };
    format!("{files} skipped{detail}{ignored}, {failed}")
}
