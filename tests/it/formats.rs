//! Readers of report formats, and documents with any texts.

use std::collections::BTreeMap;
use std::fs;

use jsonschema::Validator;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use reversion::internals::report::document::ReportDocument;
use reversion::internals::report::merge_reports as merge;
use serde_json::{Value, json};

use crate::support::root;

/// Returns the official schema of SARIF 2.1.0.
pub(crate) fn sarif_schema() -> Validator {
    let file = root().join("tests/schemas/sarif-2.1.0.json");
    // A language has a bracket too many, and is no regular expression; the program does not write one.
    let (text, language) = (fs::read_to_string(file).unwrap(), "-[a-zA-Z]{2}]?$");
    assert_eq!(text.matches(language).count(), 2);
    let schema: Value = serde_json::from_str(&text.replace(language, "-[a-zA-Z]{2}$")).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

/// The texts of a document.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) title: String,
    pub(crate) file: String,
    pub(crate) message: String,
    pub(crate) help: String,
    pub(crate) reason: String,
    pub(crate) advice: String,
}

impl Case {
    /// Texts without anything special in them.
    pub(crate) fn plain() -> Self {
        let [title, file, message, help, reason, advice] =
            ["title", "a.yaml", "message", "help", "reason", "advice"].map(str::to_owned);
        Self { title, file, message, help, reason, advice }
    }
}

/// Makes a document with an object that is held back, one whose finding is acknowledged, an advisory, and no folder.
pub(crate) fn document(case: &Case) -> ReportDocument {
    let place = |line: usize| json!({"file": case.file, "line": line, "column": 1});
    let finding = |line: usize, code: &str, severity: &str, message: &str| json!({"location": place(line), "code": code, "severity": severity, "field": null, "message": message, "help": case.help});
    let object = |title: &str, line: usize, outcome: &str| {
        json!({
            "object": title, "location": place(line), "outcome": outcome, "codes": [],
            "from": {"kind": "Route", "apiVersion": "a/v1"}, "to": {"kind": "Route", "apiVersion": "a/v2"},
            "rules": [], "patch": [], "findings": [], "acknowledged": [],
        })
    };
    let mut held = object(&case.title, 1, "held-back");
    held["findings"] = json!([finding(1, "dropped-field", "held-back", &case.message)]);
    let mut accepted = object("Route accepted", 9, "acknowledged");
    let change = finding(9, "changes-needed", "warning", "apiVersion a/v1 must become a/v2");
    accepted["acknowledged"] = json!([{"by": "comment", "reason": case.reason, "finding": change}]);
    let document = json!({
        "schemaVersion": 2, "tool": "0.1.0", "command": "check", "targets": ["a@1/standard"], "shard": null, "folder": null,
        "exitCode": 1, "written": false,
        "summary": {
            "files": 1, "parsedFiles": 1, "objects": 2, "recognized": 2, "templates": 0, "binaries": 0, "ignored": 0, "failed": 0,
            "changed": 0, "changedFiles": 0, "heldBack": 1, "unresolved": 0, "acknowledged": 1,
        },
        "totals": {"codes": {}, "kinds": {}, "rules": {}},
        "leftOut": [], "files": [], "objects": [held, accepted], "findings": [], "acknowledged": [],
        "advisories": [{"id": "pack/advice", "about": "cluster", "severity": "warning", "message": case.advice, "help": null}],
    });
    merge::parse(document.to_string().as_bytes()).unwrap()
}

/// A test suite.
#[derive(Debug, Default)]
pub(crate) struct Suite {
    pub(crate) name: String,
    pub(crate) cases: Vec<JunitCase>,
}

/// A test case: its status is `passed`, `skipped`, or `failure` or `error` with its type.
#[derive(Debug, Default)]
pub(crate) struct JunitCase {
    pub(crate) name: String,
    pub(crate) status: String,
    pub(crate) message: String,
}

fn attributes(tag: &BytesStart<'_>, allowed: &[&str]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for attribute in tag.attributes() {
        let attribute = attribute.unwrap();
        let name = String::from_utf8(attribute.key.as_ref().to_vec()).unwrap();
        assert!(allowed.contains(&name.as_str()), "{name} is no attribute of this element");
        let twice = found.insert(name, attribute.normalized_value(XmlVersion::Implicit1_0).unwrap().into_owned());
        assert_eq!(twice, None);
    }
    found
}

/// Reads a report as junit-10.xsd has it: `testsuites` of `testsuite` of `testcase`, with at most one of `skipped`, `error` and
/// `failure` in each, then `system-out`; the counts are those of the cases.
pub(crate) fn check_junit(text: &str) -> Vec<Suite> {
    let allowed = |name: &str| -> (&[&str], &[&str]) {
        match name {
            "testsuites" => (&[""], &["name", "tests", "failures", "errors", "skipped", "time", "disabled"]),
            "testsuite" => (&["testsuites"], &["name", "tests", "failures", "errors", "skipped", "time", "timestamp"]),
            "testcase" => (&["testsuite"], &["name", "classname", "time", "assertions", "status"]),
            "failure" | "error" | "skipped" => (&["testcase"], &["message", "type"]),
            "system-out" => (&["testcase", "testsuite"], &[]),
            name => panic!("{name} is no element of JUnit"),
        }
    };
    let mut reader = Reader::from_str(text);
    let (mut open, mut suites, mut counts) = (vec![String::new()], Vec::<Suite>::new(), Vec::new());
    loop {
        let event = reader.read_event().unwrap();
        let is_empty = matches!(event, Event::Empty(_));
        match event {
            Event::Start(tag) | Event::Empty(tag) => {
                let name = String::from_utf8(tag.name().as_ref().to_vec()).unwrap();
                let (parents, keys) = allowed(&name);
                assert!(parents.contains(&open.last().unwrap().as_str()), "{name} in {open:?}");
                let found = attributes(&tag, keys);
                match name.as_str() {
                    "testsuite" => {
                        suites.push(Suite { name: found["name"].clone(), cases: Vec::new() });
                        let number = |key: &str| found[key].parse::<usize>().unwrap();
                        counts.push([number("tests"), number("failures"), number("errors"), number("skipped")]);
                    }
                    "testcase" => {
                        let case = JunitCase {
                            name: found["name"].clone(),
                            status: "passed".to_owned(),
                            ..JunitCase::default()
                        };
                        suites.last_mut().unwrap().cases.push(case);
                    }
                    "failure" | "error" | "skipped" => {
                        let case = suites.last_mut().unwrap().cases.last_mut().unwrap();
                        assert_eq!(case.status, "passed", "a case has one status");
                        let kind = found.get("type").map(|kind| format!(" {kind}")).unwrap_or_default();
                        case.status = format!("{name}{kind}");
                        case.message = found["message"].clone();
                    }
                    _ => {}
                }
                if !is_empty {
                    open.push(name);
                }
            }
            Event::End(_) => assert!(open.pop().is_some()),
            Event::Eof => break,
            Event::Decl(_) | Event::Text(_) | Event::GeneralRef(_) | Event::CData(_) => {}
            other => panic!("{other:?} is not in such a report"),
        }
    }
    assert_eq!(open, [""]);
    for (suite, expected) in suites.iter().zip(counts) {
        let count = |status: &str| suite.cases.iter().filter(|case| case.status.starts_with(status)).count();
        assert_eq!([suite.cases.len(), count("failure"), count("error"), count("skipped")], expected);
        let names: std::collections::BTreeSet<&str> = suite.cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(names.len(), suite.cases.len(), "two cases of {} have one name", suite.name);
    }
    suites
}
