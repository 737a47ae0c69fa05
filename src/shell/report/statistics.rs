//! Tally of a run, with `--statistics`: by rule, by kind, by release and by code, the largest first.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::count::thousands;
use super::detection::Detection;
use super::document::{AppliedRule, FindingRecord, ReportDocument};
use super::escape::visible;
use super::paint::Painter;
use super::run_report::Fate;
use crate::engine::finding::{Code, Severity};

/// Counts of lines.
#[derive(Default)]
struct Tally(BTreeMap<String, usize>);

impl Tally {
    fn of(lines: impl IntoIterator<Item = String>) -> Self {
        let mut totals = Self::default();
        for line in lines {
            *totals.0.entry(line).or_default() += 1;
        }
        totals
    }

    /// Prints a section, sorted by count, then by name; nothing where there is nothing.
    fn print(&self, out: &mut String, heading: &str, painter: &Painter) {
        let mut lines: Vec<(&String, &usize)> = self.0.iter().collect();
        lines.sort_by(|(name, count), (other, more)| (more, name).cmp(&(count, other)));
        let counts: Vec<String> = lines.iter().map(|(_, count)| thousands(**count)).collect();
        let width = counts.iter().map(String::len).max().unwrap_or_default();
        if !lines.is_empty() {
            let _infallible = writeln!(out, "{}", painter.strong(heading));
        }
        for ((name, _), count) in lines.iter().zip(counts) {
            let _infallible = writeln!(out, "  {count:>width$} {name}");
        }
    }
}

/// Prints the totals of a conversion: the rules that change objects, the kinds by what becomes of them, the codes of its findings.
pub(crate) fn of_document(document: &ReportDocument, painter: &Painter) -> String {
    let mut out = String::new();
    let with = |outcome| document.objects.iter().filter(move |object| object.outcome == outcome);
    let rules = with(Fate::Changed).flat_map(|object| &object.rules);
    let rules = rules.map(|AppliedRule { rule, direction }| visible(&format!("{direction} {rule}")));
    Tally::of(rules).print(&mut out, "rules:", painter);
    for (outcome, heading) in [
        (Fate::HeldBack, "objects held back, by kind:"),
        (Fate::Changed, "objects to change, by kind:"),
        (Fate::Acknowledged, "objects acknowledged, by kind:"),
        (Fate::Unchanged, "objects unchanged, by kind:"),
    ] {
        let kinds = with(outcome).map(|object| visible(&object.from.group_kind().to_string()));
        Tally::of(kinds).print(&mut out, heading, painter);
    }
    // That an object must change is counted by its kind.
    let findings = document.records().map(|(_, record)| record);
    let findings = findings.filter(|record| record.code != Code::ChangesNeeded.name());
    let findings = findings.map(|record| (record.severity, record.code.as_str()));
    let of_run = document.advisories.iter().map(|advisory| (advisory.severity, Code::Advisory.name()));
    codes(&mut out, findings.chain(of_run), painter);
    out
}

/// Prints the totals of a detection: kinds, releases, and the codes of `findings`.
pub(crate) fn of_detection<'a>(
    detection: &Detection<'_>,
    findings: impl IntoIterator<Item = &'a FindingRecord>,
    painter: &Painter,
) -> String {
    let mut out = String::new();
    let kinds = detection.objects.iter().map(|detected| visible(&detected.kind.0.to_string()));
    Tally::of(kinds).print(&mut out, "kinds:", painter);
    let releases =
        detection.objects.iter().map(|detected| format!("{}: {}", detected.pack.name(), visible(&detected.releases())));
    Tally::of(releases).print(&mut out, "releases:", painter);
    codes(&mut out, findings.into_iter().map(|record| (record.severity, record.code.as_str())), painter);
    out
}

fn codes<'a>(out: &mut String, findings: impl Iterator<Item = (Severity, &'a str)>, painter: &Painter) {
    let codes = findings.map(|(severity, code)| painter.code(severity, &visible(code)));
    Tally::of(codes).print(out, "findings:", painter);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_sorted_by_count_and_then_by_name() {
        let lines = ["b", "c", "a"].into_iter().chain(std::iter::repeat_n("many", 1200)).chain(["c"]);
        let mut out = String::new();
        Tally::of(lines.map(str::to_owned)).print(&mut out, "all:", &Painter::PLAIN);
        assert_eq!(out, "all:\n  1,200 many\n      2 c\n      1 a\n      1 b\n");
        Tally::default().print(&mut out, "none:", &Painter::PLAIN);
        assert!(!out.contains("none"));
    }
}
