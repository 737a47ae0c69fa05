//! What a call prints: the report in its format, the findings, the summary, and why nothing was recognized.
//!
//! Invariant: a note is printed with `--verbose` only, or in JSON and HTML.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;

use super::args::{ApplyArgs, Format, OutputArgs};
use super::console::{Console, Destination};
use super::exit::Exit;
use super::formats::{self, shown};
use crate::engine::edits::FilePlan;
use crate::engine::finding::{Code, Finding, Severity};
use crate::engine::plan::RunAdvisory;
use crate::knowledge::pack::crds::from_crds;
use crate::shell::disk::Skip;
use crate::shell::report::diff::Paint;
use crate::shell::report::document::{FindingRecord, ReportDocument};
use crate::shell::report::grouped::{ChangedObject, Grouped, Shown, grouped};
use crate::shell::report::{
    Counts, Painter, Report, diff, html, known_to, plural, stat, text_format, thousands, visible,
};

/// What is printed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level {
    /// The least severity.
    least: Severity,
    /// Whether the objects are printed that the user just declined.
    has_declined: bool,
}

impl Level {
    /// What affects the exit code.
    pub(super) const QUIET: Self = Self { least: Severity::Unresolved, has_declined: false };
    /// Warnings too.
    pub(super) const USUAL: Self = Self { least: Severity::Warning, has_declined: false };

    /// Reads `--quiet` and `--verbose`.
    pub(super) const fn of(output: &OutputArgs) -> Self {
        Self::new(output.quiet, output.verbose)
    }

    /// Makes the level of a call with these two flags.
    pub(super) const fn new(quiet: bool, verbose: bool) -> Self {
        match (quiet, verbose) {
            (true, _) => Self::QUIET,
            (_, true) => Self { least: Severity::Note, has_declined: true },
            _ => Self::USUAL,
        }
    }

    /// Adds what the user answered, for a report that goes to a file: others read it.
    fn for_report(self, destination: Destination, output: &OutputArgs) -> Self {
        let is_in_file = destination != Destination::Notes && output.output_file.is_some();
        Self { has_declined: self.has_declined || is_in_file, ..self }
    }

    /// Says whether a finding is printed; a skipped file always is, and on the terminal what the user just answered with `--verbose`
    /// only.
    pub(super) fn shows(self, finding: &Finding) -> bool {
        match finding.code {
            Code::Declined => self.has_declined,
            code => self.shows_record(finding.severity, code.name()),
        }
    }

    /// Says whether findings that were accepted before are printed.
    const fn shows_acknowledged(self) -> bool {
        matches!(self.least, Severity::Note)
    }

    /// Returns those of `findings` that are printed.
    pub(super) fn findings(self, findings: &[Finding]) -> impl Iterator<Item = &Finding> + Clone {
        findings.iter().filter(move |finding| self.shows(finding))
    }

    /// Returns those of the advisories about a run that are printed.
    pub(super) fn advisories(self, advisories: &[RunAdvisory]) -> impl Iterator<Item = &RunAdvisory> {
        advisories.iter().filter(move |advisory| advisory.severity >= self.least)
    }

    /// Returns a document with the findings that are printed.
    pub(super) fn of_document(self, document: ReportDocument) -> ReportDocument {
        document.with(|severity, code| self.shows_record(severity, code))
    }

    /// Says the same of a finding that was read back: nobody declined an object there. What becomes of a chart is printed but with `--quiet`.
    pub(super) fn shows_record(self, severity: Severity, code: &str) -> bool {
        let is_skipped = || [Code::Template, Code::Binary].iter().any(|skipped| skipped.name() == code);
        severity >= self.least || is_skipped() || code == Code::Chart.name() && self.least < Severity::Unresolved
    }
}

/// Prints the report in its format, and the summary.
pub(super) fn finish(
    report: &Report<'_>,
    destination: Destination,
    output: &OutputArgs,
    console: Console,
) -> Result<()> {
    match output.format {
        Format::Text => {
            let level = Level::of(output).for_report(destination, output);
            console.text(destination, output, |painter| findings(report, level, painter, shown(output)))?
        }
        Format::Html => {
            let document = ReportDocument::new(report, formats::ran_in());
            console.report(&html::page(&document, &html::Besides::of(report)), output)?;
        }
        _ => print(ReportDocument::new(report, formats::ran_in()), output, console)?,
    }
    summarise(report, output, console)
}

/// Prints a document in its format, with the findings that `--quiet` and `--verbose` show.
pub(super) fn print(document: ReportDocument, output: &OutputArgs, console: Console) -> Result<()> {
    let level = Level::of(output);
    formats::print(document, |severity, code| level.shows_record(severity, code), output, console)
}

/// Prints the summary.
pub(super) fn summarise(report: &Report<'_>, output: &OutputArgs, console: Console) -> Result<()> {
    console.painted_note(&format!("{}\n", text_format::summary(report, &console.note_painter(output.color))))
}

/// Prints the findings of a report: those at objects and files, those that are acknowledged, those about the run, and what is to do.
pub(super) fn findings(report: &Report<'_>, level: Level, painter: &Painter, shown: Shown) -> String {
    let records: Vec<FindingRecord> = level.findings(report.findings).map(FindingRecord::new).collect();
    lines(grouped(&[], &records, painter, shown), report, level, painter)
}

/// Prints the findings of a report, and the objects that change.
pub(super) fn with_changes(report: &Report<'_>, level: Level, painter: &Painter, shown: Shown) -> String {
    let records: Vec<FindingRecord> = level.findings(report.findings).map(FindingRecord::new).collect();
    let changes: Vec<ChangedObject> = report.to_change().filter_map(ChangedObject::of_plan).collect();
    lines(grouped(&changes, &records, painter, shown), report, level, painter)
}

fn lines(findings: Grouped, report: &Report<'_>, level: Level, painter: &Painter) -> String {
    let accepted = report.acknowledged.iter().filter(|_| level.shows_acknowledged());
    let accepted: String = accepted.map(|accepted| text_format::acknowledged(accepted, painter)).collect();
    let known = if level.shows_acknowledged() { report.acknowledged_advisories } else { &[] };
    let accepted = accepted + &text_format::acknowledged_advisories(known, painter);
    let advisories = text_format::advisories(level.advisories(report.advisories), painter);
    [findings.lines, accepted, advisories, findings.to_do].concat()
}

/// Renders `findings`, each with all of its places.
pub(super) fn about_places<'a>(findings: impl Iterator<Item = &'a Finding>, painter: &Painter) -> String {
    let shown: Vec<FindingRecord> = findings.map(FindingRecord::new).collect();
    grouped(&[], &shown, painter, Shown::All).lines
}

/// Renders the diff of every file that may be shown, and names the others.
pub(super) fn diffs(files: &[FilePlan], output: &OutputArgs, console: Console) -> Result<String> {
    let paint = console.paint(output);
    let mut shown = String::new();
    for file in files {
        match diff::unified(file, paint) {
            Some(diff) => shown.push_str(&diff),
            None => console.note(&secret(file))?,
        }
    }
    Ok(shown)
}

/// Prints what `apply` was asked to print of the files that it wrote: with `--stat` how much changed, with `--diff` their diff, unless
/// that `is_shown` on the terminal already.
pub(super) fn written(files: &[FilePlan], args: &ApplyArgs, is_shown: bool, console: Console) -> Result<()> {
    let output = &args.convert.output;
    let mut lines = String::new();
    if args.stat {
        lines.push_str(&stat::stat(files, console.columns(output), console.paint(output)));
    }
    if args.diff && !(is_shown && console.is_on_terminal(output)) {
        lines.push_str(&diffs(files, output, console)?);
    }
    if args.stat || args.diff { console.report(&lines, output) } else { Ok(()) }
}

/// Returns where the report of `apply` is printed: with `--diff` or `--stat` the output is that.
pub(super) const fn destination(args: &ApplyArgs) -> Destination {
    if args.diff || args.stat { Destination::Notes } else { Destination::FileOrNotes }
}

/// Renders the diff of every file for a person: a line stands for one that may not be shown.
pub(super) fn painted_diffs(files: &[FilePlan], paint: Paint) -> String {
    files.iter().map(|file| diff::unified(file, paint).unwrap_or_else(|| secret(file))).collect()
}

fn secret(file: &FilePlan) -> String {
    format!("{}: changed, but its diff would show values of a Secret\n", visible(&file.file))
}

/// Prints why nothing was recognized, where that is so.
pub(super) fn explain_exit(exit: Exit, nothing_recognized: Option<String>, console: Console) -> Result<Exit> {
    if let Some(why) = nothing_recognized {
        console.note(&format!("{why}\n"))?;
    }
    Ok(exit)
}

/// Says why nothing was recognized, where the run ends with that exit code; `searched` is where, and what was not read there.
pub(super) fn nothing_recognized(
    exit: Exit,
    counts: &Counts,
    roots: &[PathBuf],
    skips: &BTreeMap<Skip, usize>,
    packs: &[String],
) -> Option<String> {
    (exit == Exit::NothingRecognized).then(|| searched_in_vain(counts, roots, skips, packs))
}

fn searched_in_vain(counts: &Counts, roots: &[PathBuf], skips: &BTreeMap<Skip, usize>, packs: &[String]) -> String {
    let object = known_to(packs);
    let skipped = skipped(counts, skips);
    let skipped = if skipped.is_empty() { String::new() } else { format!("; not read: {}", skipped.join(", ")) };
    let help = match packs {
        [crds] if crds == from_crds::NAME => {
            "pass the CRDs that the objects were written for too (`--crds OLD --crds NEW`); `--allow-empty` exits with 0"
        }
        _ => {
            "`reversion releases PACK` lists the kinds that are looked for, objects of other APIs need their CRDs (`--crds PATH`), `--allow-empty` exits with 0"
        }
    };
    if roots.is_empty() {
        return format!("nothing recognized: standard input holds no {object}{skipped}\n  help: {help}");
    }
    let shown: Vec<String> = roots.iter().take(3).map(|root| visible(&root.to_string_lossy())).collect();
    let more = if roots.len() > shown.len() { ", ..." } else { "" };
    let place = format!("{}{more}", shown.join(", "));
    let what = match counts.files {
        0 => format!("no {object} in {place} (no file read{skipped})"),
        files => format!("no {object} in {place} ({} read{skipped})", plural(files, "file")),
    };
    format!("nothing recognized: {what}\n  help: `--inspect` lists what is not read, ignored files too; {help}")
}

/// Counts what was not read, by reason.
fn skipped(counts: &Counts, skips: &BTreeMap<Skip, usize>) -> Vec<String> {
    let reason = |(skip, count): (&Skip, &usize)| match skip {
        Skip::Extension => format!("{} with another extension", plural(*count, "file")),
        Skip::Hidden => format!("{} hidden", thousands(*count)),
        Skip::Link => plural(*count, "symbolic link"),
        Skip::Binary => plural(*count, "binary file"),
        Skip::OwnIgnored => format!("{} ignored by .reversionignore", thousands(*count)),
        Skip::Ignored => format!("{} ignored", thousands(*count)),
        Skip::Glob => format!("{} excluded by a glob", thousands(*count)),
        Skip::Excluded => format!("{} excluded by reversion.toml", thousands(*count)),
    };
    let templates = (counts.templates > 0).then(|| plural(counts.templates, "template"));
    templates.into_iter().chain(skips.iter().map(reason)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::finding::Location;

    fn finding(severity: Severity) -> Finding {
        let location = Location { file: "a.yaml".to_owned(), position: None };
        Finding::new(location, Code::Normalized, severity, String::new())
    }

    /// Also for a plan that was saved: both ways to print a finding agree.
    #[test]
    fn notes_are_printed_with_verbose_only() {
        let verbose = Level::new(false, true);
        let all = [Severity::Note, Severity::Warning, Severity::Unresolved, Severity::Held, Severity::Error];
        for (level, shown) in [(verbose, 5), (Level::USUAL, 4), (Level::QUIET, 3)] {
            for (at, severity) in all.into_iter().enumerate() {
                let expected = at + shown >= all.len();
                let printed = level.findings(&[finding(severity)]).next().is_some();
                assert_eq!((printed, level.shows_record(severity, "normalized")), (expected, expected));
            }
            assert!(level.shows_record(Severity::Note, "template"));
            assert_eq!(level.shows_record(Severity::Note, "chart"), shown > 3);
        }
    }
}
