//! The format `github`: workflow commands that annotate a pull request, and the step summary.

use std::fmt::Write as _;

use super::conversion::{Report, changes_needed};
use super::escape::{visible, visible_lines};
use super::text;
use crate::finding::{Code, Finding, Location, Severity};
use crate::plan::{Outcome, RunAdvisory};

/// Prints one workflow command for each finding that `shows` accepts, for each of `advisories`, and for each object that changes.
pub fn commands<'r>(
    report: &Report<'r>,
    shows: impl Fn(&Finding) -> bool,
    advisories: impl IntoIterator<Item = &'r RunAdvisory>,
) -> String {
    let mut out: String = report.findings.iter().filter(|one| shows(one)).map(finding).collect();
    out.extend(advisories.into_iter().map(advisory));
    out.extend(report.to_change().map(|object| finding(&changes_needed(object))));
    out
}

/// Prints one workflow command.
pub fn finding(finding: &Finding) -> String {
    let message = with_help(&finding.sentence(), finding.help.as_deref());
    command(level(finding.severity), Some(&finding.location), finding.code.name(), &message)
}

/// Prints one workflow command, which is about no file.
fn advisory(advisory: &RunAdvisory) -> String {
    let message = with_help(&advisory.message, advisory.help.as_deref());
    command(level(advisory.severity), None, Code::Advisory.name(), &message)
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error | Severity::Held | Severity::Unresolved => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    }
}

fn with_help(message: &str, help: Option<&str>) -> String {
    help.map_or_else(|| message.to_owned(), |help| format!("{message}\nhelp: {help}"))
}

fn command(level: &str, location: Option<&Location>, title: &str, message: &str) -> String {
    let place = location.map_or_else(String::new, |location| {
        let position = location.position.map(|at| format!("line={},col={},", at.line, at.column)).unwrap_or_default();
        format!("file={},{position}", property(&location.file))
    });
    format!("::{level} {place}title={}::{}\n", property(title), data(message))
}

/// Escapes a message as the runner reads it; what could steer a terminal that shows the log is written out.
///
/// Source: actions/toolkit, `packages/core/src/command.ts`, `escapeData`.
fn data(text: &str) -> String {
    visible_lines(text).replace('%', "%25").replace('\n', "%0A")
}

/// Escapes a property as the runner reads it.
///
/// Source: actions/toolkit, `packages/core/src/command.ts`, `escapeProperty`.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// Prints the step summary in Markdown: the counts and a table of the objects that change or are held back.
pub fn step_summary(report: &Report<'_>) -> String {
    let mut out =
        format!("### reversion {} {}\n\n{}\n", report.command, report.targets.join(" "), text::summary(report));
    let advisories = report.advisories.iter().filter(|advisory| advisory.severity > Severity::Note);
    let item = |advisory: &RunAdvisory| {
        let help = advisory.help.as_ref().map_or_else(String::new, |help| format!("; {help}"));
        format!("- about the {}: {}{}\n", advisory.about.name(), visible(&advisory.message), visible(&help))
    };
    let items: String = advisories.map(item).collect();
    if !items.is_empty() {
        let _infallible = write!(out, "\n{items}");
    }
    let rows: Vec<_> = report.objects.iter().filter(|object| object.outcome != Outcome::Unchanged).collect();
    if !rows.is_empty() {
        out.push_str("\n| object | place | outcome | from | to |\n|---|---|---|---|---|\n");
    }
    for object in rows {
        let cell = |text: &str| visible(text).replace('|', "\\|");
        let _infallible = writeln!(
            out,
            "| {} | {} | {} | {} | {} |",
            cell(&object.title),
            cell(&object.location.to_string()),
            object.outcome.name(),
            cell(&format!("{} {}", object.from.1, object.from.0.kind)),
            cell(&format!("{} {}", object.to.1, object.to.0.kind)),
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::conversion::Written;
    use super::super::count::Counts;
    use super::*;
    use crate::pack::About;
    use crate::text::Position;

    #[test]
    fn the_step_summary_lists_advisories_and_left_out_files() {
        let advisory = |about, severity, help: Option<&str>| RunAdvisory {
            about,
            severity,
            message: "A changed".to_owned(),
            help: help.map(str::to_owned),
        };
        let advisories = [
            advisory(About::Cluster, Severity::Warning, Some("do B")),
            advisory(About::Release, Severity::Warning, None),
            advisory(About::Release, Severity::Note, None),
        ];
        let report = Report {
            command: "check",
            targets: vec!["a@1/standard".to_owned()],
            files: &[],
            objects: &[],
            findings: &[],
            acknowledged: &[],
            advisories: &advisories,
            counts: Counts { failed: 1, ..Counts::default() },
            left_out: vec!["b.yaml"],
            written: Written::No,
        };
        let expected = "### reversion check a@1/standard\n\n0 files read, 0 objects recognised: 0 to change in 0 files, \
                        0 held back; 0 files skipped, 1 failed\n1 file was left out, and references to its objects are not \
                        checked: b.yaml\n\n- about the cluster: A changed; do B\n- about the release: A changed\n";
        assert_eq!(step_summary(&report), expected);
        let commands = commands(&report, |_| true, &advisories[..1]);
        assert_eq!(commands, "::warning title=advisory::A changed%0Ahelp: do B\n");
    }

    #[test]
    fn commands_are_escaped() {
        let location = Location { file: "a,b:c.yaml".into(), position: Some(Position { line: 3, column: 1 }) };
        assert_eq!(
            command("error", Some(&location), "parse-error", "50% wrong\nhelp: x"),
            "::error file=a%2Cb%3Ac.yaml,line=3,col=1,title=parse-error::50%25 wrong%0Ahelp: x\n"
        );
        let location = Location { file: "a\u{1b}[2J\n::x::.yaml".into(), position: None };
        assert_eq!(
            command("error", Some(&location), "limit", "a\r\u{9b}b"),
            "::error file=a\\u{1b}[2J%0A%3A%3Ax%3A%3A.yaml,title=limit::a\\r\\u{9b}b\n"
        );
    }
}
