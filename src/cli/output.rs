//! What a call prints: the report in its format, the findings, the summary, and why nothing was recognised.
//!
//! Invariant: a note is printed with `--verbose` only, or in JSON.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;

use super::args::{Format, OutputArgs};
use super::console::Console;
use super::exit::Exit;
use crate::disk::Skip;
use crate::edits::FilePlan;
use crate::finding::{Code, Finding, Severity};
use crate::pack::{Pack, Packs};
use crate::plan::RunAdvisory;
use crate::report::{Counts, Report, diff, github, json, plural, text, thousands, visible};

/// The least severity that is printed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level(Severity);

impl Level {
    /// Held-back objects and errors.
    pub(super) const QUIET: Self = Self(Severity::Held);
    /// Warnings too.
    pub(super) const USUAL: Self = Self(Severity::Warning);

    /// Reads `--quiet` and `--verbose`.
    pub(super) const fn of(output: &OutputArgs) -> Self {
        Self::new(output.quiet, output.verbose)
    }

    /// Makes the level of a call with these two flags.
    pub(super) const fn new(quiet: bool, verbose: bool) -> Self {
        match (quiet, verbose) {
            (true, _) => Self::QUIET,
            (_, true) => Self(Severity::Note),
            _ => Self::USUAL,
        }
    }

    /// Says whether a finding is printed; a skipped file always is.
    pub(super) fn shows(self, finding: &Finding) -> bool {
        finding.severity >= self.0 || matches!(finding.code, Code::Template | Code::Binary)
    }

    /// Returns those of the advisories about a run that are printed.
    pub(super) fn advisories(self, advisories: &[RunAdvisory]) -> impl Iterator<Item = &RunAdvisory> {
        advisories.iter().filter(move |advisory| advisory.severity >= self.0)
    }

    /// Says whether a finding of a saved plan is printed, of which the names of its severity and code are known.
    pub(super) fn shows_saved(self, severity: &str, code: &str) -> bool {
        let hidden = [Severity::Note, Severity::Warning].into_iter().filter(|severity| *severity < self.0);
        let is_skipped_file = [Code::Template, Code::Binary].iter().any(|skipped| skipped.name() == code);
        is_skipped_file || !hidden.map(Severity::name).any(|name| name == severity)
    }
}

/// Prints the report in its format, the findings and the summary.
pub(super) fn finish(report: &Report<'_>, output: &OutputArgs, console: Console) -> Result<()> {
    let level = Level::of(output);
    match output.format {
        Format::Text => console.note(&findings(report, level))?,
        Format::Json => console.report(&json::report(report), output)?,
        Format::Github => {
            let advisories = level.advisories(report.advisories);
            console.report(&github::commands(report, |finding| level.shows(finding), advisories), output)?;
            console.step_summary(&github::step_summary(report))?;
        }
    }
    console.note(&format!("{}\n", text::summary(report)))
}

/// Renders the findings that `level` shows, and the advisories about the run.
pub(super) fn findings(report: &Report<'_>, level: Level) -> String {
    about_files(report.findings, level) + &text::advisories(level.advisories(report.advisories))
}

/// Renders those of `findings` that `level` shows.
pub(super) fn about_files(findings: &[Finding], level: Level) -> String {
    findings.iter().filter(|finding| level.shows(finding)).map(text::finding).collect()
}

/// Renders the diff of every file that may be shown, and names the others.
pub(super) fn diffs(files: &[FilePlan], output: &OutputArgs, console: Console) -> Result<String> {
    let paint = console.paint(output);
    let mut shown = String::new();
    for file in files {
        match diff::unified(file, paint) {
            Some(diff) => shown.push_str(&diff),
            None => console
                .note(&format!("{}: changed, but its diff would show values of a Secret\n", visible(&file.file)))?,
        }
    }
    Ok(shown)
}

/// Prints why nothing was recognised, where the run ends with that exit code; `searched` is where, and what was not read there.
pub(super) fn explain_exit(
    exit: Exit,
    counts: &Counts,
    searched: (&[PathBuf], &BTreeMap<Skip, usize>),
    packs: &Packs,
    console: Console,
) -> Result<Exit> {
    if exit == Exit::NothingRecognised {
        console.note(&nothing_recognised(counts, searched, packs))?;
    }
    Ok(exit)
}

fn nothing_recognised(counts: &Counts, (roots, skips): (&[PathBuf], &BTreeMap<Skip, usize>), packs: &Packs) -> String {
    let names: Vec<&str> = packs.iter().map(Pack::name).collect();
    let names = names.join(" or ");
    let skipped = skipped(counts, skips);
    let skipped = if skipped.is_empty() { String::new() } else { format!("; not read: {}", skipped.join(", ")) };
    let help = "`reversion releases PACK` lists the kinds that are looked for, `--allow-empty` exits with 0";
    if roots.is_empty() {
        return format!("nothing recognised: standard input holds no object of {names}{skipped}\n  help: {help}\n");
    }
    let shown: Vec<String> = roots.iter().take(3).map(|root| visible(&root.to_string_lossy())).collect();
    let more = if roots.len() > shown.len() { ", ..." } else { "" };
    let place = format!("{}{more}", shown.join(", "));
    let what = match counts.files {
        0 => format!("no object of {names} in {place} (no file read{skipped})"),
        files => format!("no object of {names} in {place} ({} read{skipped})", plural(files, "file")),
    };
    format!("nothing recognised: {what}\n  help: `--inspect` lists what is not read, ignored files too; {help}\n")
}

/// Counts what was not read, by reason.
fn skipped(counts: &Counts, skips: &BTreeMap<Skip, usize>) -> Vec<String> {
    let reason = |(skip, count): (&Skip, &usize)| match skip {
        Skip::Extension => format!("{} with another extension", plural(*count, "file")),
        Skip::Hidden => format!("{} hidden", thousands(*count)),
        Skip::Link => plural(*count, "symbolic link"),
        Skip::Binary => plural(*count, "binary file"),
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
    use crate::finding::Location;

    fn finding(severity: Severity) -> Finding {
        let location = Location { file: "a.yaml".to_owned(), position: None };
        Finding {
            location,
            code: Code::Normalized,
            severity,
            object: None,
            field: None,
            message: String::new(),
            help: None,
        }
    }

    /// Also for a plan that was saved: both ways to print a finding agree.
    #[test]
    fn notes_are_printed_with_verbose_only() {
        let verbose = Level(Severity::Note);
        let all = [Severity::Note, Severity::Warning, Severity::Held, Severity::Error];
        for (level, shown) in [(verbose, 4), (Level::USUAL, 3), (Level::QUIET, 2)] {
            for (at, severity) in all.into_iter().enumerate() {
                let expected = at + shown >= all.len();
                let printed = !about_files(&[finding(severity)], level).is_empty();
                assert_eq!((printed, level.shows_saved(severity.name(), "normalized")), (expected, expected));
            }
            assert!(level.shows_saved("warning", "template"));
        }
    }
}
