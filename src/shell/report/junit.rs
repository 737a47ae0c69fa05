//! The format `junit`: a test suite for each file, a test case for each object.
//!
//! A held-back object, one that must change and what is unresolved are failures, a file that failed is an error; skipped files of which
//! nothing is unresolved and what is acknowledged are skipped; where that is only counted, it is one test
//! case. What is about the cluster or a release is no test case and is in no such report.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::count::thousands;
use super::document::{AcknowledgedRecord, FindingRecord, ObjectRecord, ReportDocument};
use super::escape::visible;
use super::run_report::Fate;
use crate::engine::finding::{Code, Severity};

/// What a file adds to the report.
#[derive(Default)]
struct Suite<'d> {
    objects: Vec<&'d ObjectRecord>,
    findings: Vec<&'d FindingRecord>,
    acknowledged: Vec<&'d AcknowledgedRecord>,
}

/// Renders a document.
pub fn report(document: &ReportDocument) -> String {
    let mut suites: BTreeMap<&str, Suite<'_>> = BTreeMap::new();
    for object in &document.objects {
        suites.entry(&object.location.file).or_default().objects.push(object);
    }
    for record in &document.findings {
        suites.entry(&record.location.file).or_default().findings.push(record);
    }
    for accepted in &document.acknowledged {
        suites.entry(&accepted.finding.location.file).or_default().acknowledged.push(accepted);
    }
    let mut report = Report::new(text(&format!("reversion {} {}", document.command, document.targets.join(" "))));
    for (file, suite) in suites {
        report.add_test_suite(suite.render(&document.path(file)));
    }
    if !document.counted.is_empty() {
        report.add_test_suite(counted(&document.counted));
    }
    report.to_string().expect("writing to memory does not fail")
}

impl Suite<'_> {
    fn render(&self, path: &str) -> TestSuite {
        let path = text(path);
        let mut suite = TestSuite::new(&path);
        let mut names: BTreeMap<String, usize> = BTreeMap::new();
        let mut add = |suite: &mut TestSuite, name: &str, status: TestCaseStatus, output: &str| {
            // Two objects of a file may have one title; what reads the report takes test cases of one name for one.
            let count = names.entry(text(name)).or_default();
            *count += 1;
            let name = if *count == 1 { text(name) } else { format!("{} #{count}", text(name)) };
            let mut case = TestCase::new(name, status);
            case.set_classname(&path);
            if !output.is_empty() {
                case.set_system_out(output);
            }
            suite.add_test_case(case);
        };
        for object in &self.objects {
            let (status, output) = outcome(object);
            add(&mut suite, &object.object, status, &output);
        }
        let mut output = String::new();
        for record in &self.findings {
            let is_skipped = [Code::Template, Code::Binary].iter().any(|code| code.name() == record.code);
            match record.severity {
                Severity::Error => {
                    add(&mut suite, &record.code, non_success(NonSuccessKind::Error, &[record]), "");
                }
                Severity::Unresolved => {
                    add(&mut suite, &record.code, non_success(NonSuccessKind::Failure, &[record]), "");
                }
                _ if is_skipped => add(&mut suite, &record.code, skipped(&record.message), ""),
                _ => output.push_str(&line(record)),
            }
        }
        for accepted in &self.acknowledged {
            add(&mut suite, &accepted.finding.code, skipped(&reason(accepted)), "");
        }
        if !output.is_empty() {
            suite.set_system_out(output);
        }
        suite
    }
}

/// Counts what is acknowledged in a suite of its own, whose name stays when the numbers change.
fn counted(by_code: &BTreeMap<String, usize>) -> TestSuite {
    let name = Fate::Acknowledged.name();
    let by_code: Vec<String> = by_code.iter().map(|(code, count)| format!("{} {code}", thousands(*count))).collect();
    let mut case = TestCase::new(name, skipped(&by_code.join(", ")));
    case.set_classname(name);
    let mut suite = TestSuite::new(name);
    suite.add_test_case(case);
    suite
}

/// Returns the status of an object, and the lines of the findings that do not decide it.
fn outcome(object: &ObjectRecord) -> (TestCaseStatus, String) {
    let decides =
        |record: &FindingRecord| record.severity >= Severity::Unresolved || record.code == Code::ChangesNeeded.name();
    let (deciding, others): (Vec<&FindingRecord>, Vec<&FindingRecord>) =
        object.findings.iter().partition(|record| decides(record));
    let output = others.into_iter().map(line).collect();
    let status = match object.acknowledged.iter().find(|accepted| decides(&accepted.finding)) {
        _ if deciding.iter().any(|record| record.severity == Severity::Error) => {
            non_success(NonSuccessKind::Error, &deciding)
        }
        _ if !deciding.is_empty() => non_success(NonSuccessKind::Failure, &deciding),
        Some(accepted) => skipped(&reason(accepted)),
        None if object.outcome == Fate::Acknowledged => skipped(object.outcome.name()),
        None => TestCaseStatus::success(),
    };
    (status, output)
}

/// Makes the status of something with findings: the worst is its message, all are its description.
fn non_success(kind: NonSuccessKind, findings: &[&FindingRecord]) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    if let Some(worst) = findings.iter().max_by_key(|record| record.severity) {
        status.set_message(text(&worst.message)).set_type(text(&worst.code));
    }
    status.set_description(findings.iter().map(|record| line(record)).collect::<String>());
    status
}

fn skipped(message: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(text(message));
    status
}

fn reason(accepted: &AcknowledgedRecord) -> String {
    let reason = accepted.reason.as_deref().unwrap_or("acknowledged");
    format!("{}: {reason}", accepted.finding.code)
}

/// Prints a finding on a line, and its help on another; the file is the suite's.
fn line(record: &FindingRecord) -> String {
    let line = record.location.position.map(|at| format!("line {}: ", at.line)).unwrap_or_default();
    let mut out = text(&format!("{line}{}[{}] {}", record.severity.name(), record.code, record.message));
    if let Some(help) = &record.help {
        let _infallible = write!(out, "\n  help: {}", help.split('\n').map(text).collect::<Vec<_>>().join("\n    "));
    }
    out + "\n"
}

/// Writes out the characters that XML cannot hold or, as a line break in an attribute, does not keep, and those that could steer a
/// terminal.
fn text(text: &str) -> String {
    visible(text).replace('\u{fffe}', "\\u{fffe}").replace('\u{ffff}', "\\u{ffff}")
}
