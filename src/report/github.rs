//! The format `github`: workflow commands that annotate a pull request, and the step summary.

use std::fmt::Write as _;

use super::conversion::Report;
use super::escape::{visible, visible_lines};
use super::text;
use crate::finding::{Finding, Location, Severity};
use crate::plan::Outcome;

/// Prints one workflow command for each finding that `shows` accepts, and for each object that changes.
pub fn commands(report: &Report<'_>, shows: impl Fn(&Finding) -> bool) -> String {
    let mut out: String = report.findings.iter().filter(|one| shows(one)).map(finding).collect();
    for object in report.objects.iter().filter(|object| object.outcome == Outcome::Changed) {
        let (kind, to) = (&object.to.0.kind, &object.to.1);
        let message = format!("{} becomes {to} {kind}", object.title);
        out.push_str(&command("warning", &object.location, "changes-needed", &message));
    }
    out
}

/// Prints one workflow command.
pub fn finding(finding: &Finding) -> String {
    let level = match finding.severity {
        Severity::Error | Severity::Held => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let message = match &finding.help {
        Some(help) => format!("{}\nhelp: {help}", finding.message),
        None => finding.message.clone(),
    };
    command(level, &finding.location, finding.code.name(), &message)
}

fn command(level: &str, location: &Location, title: &str, message: &str) -> String {
    let place = location.position.map(|at| format!(",line={},col={}", at.line, at.column)).unwrap_or_default();
    format!("::{level} file={}{place},title={}::{}\n", property(&location.file), property(title), data(message))
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
    use super::*;
    use crate::text::Position;

    #[test]
    fn commands_are_escaped() {
        let location = Location { file: "a,b:c.yaml".into(), position: Some(Position { line: 3, column: 1 }) };
        assert_eq!(
            command("error", &location, "parse-error", "50% wrong\nhelp: x"),
            "::error file=a%2Cb%3Ac.yaml,line=3,col=1,title=parse-error::50%25 wrong%0Ahelp: x\n"
        );
        let location = Location { file: "a\u{1b}[2J\n::x::.yaml".into(), position: None };
        assert_eq!(
            command("error", &location, "limit", "a\r\u{9b}b"),
            "::error file=a\\u{1b}[2J%0A%3A%3Ax%3A%3A.yaml,title=limit::a\\r\\u{9b}b\n"
        );
    }
}
