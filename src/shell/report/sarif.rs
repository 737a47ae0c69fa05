//! The format `sarif`: SARIF 2.1.0, for code scanning.
//!
//! Each finding is a result, those that are acknowledged are suppressed ones. What is about the cluster or a release has no place, which
//! code scanning requires of a result, so it is a notification of the run.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::address;
use super::document::{AcknowledgedRecord, ReportDocument, advice};
use super::escape::visible;
use super::finding_list::{ListedFinding, entries};
use super::json::pretty;
use crate::engine::finding::{AcknowledgedBy, Code, Location, Severity};
use crate::engine::plan::RunAdvisory;

/// What paths are relative to: the root of the repository.
const ROOT: &str = "%SRCROOT%";

/// Renders a document.
pub fn report(document: &ReportDocument) -> String {
    let entries = entries(document);
    let mut used: BTreeSet<&str> = entries.iter().map(|entry| entry.record.code.as_str()).collect();
    used.extend((!document.advisories.is_empty()).then_some(Code::Advisory.name()));
    let rules: Vec<&str> = used.into_iter().collect();
    let index = |code: &str| rules.binary_search(&code).expect("every code is a rule");
    let notification = |advisory: &RunAdvisory| {
        json!({
            "descriptor": {"id": Code::Advisory.name(), "index": index(Code::Advisory.name())},
            "level": level(advisory.severity),
            "message": {"text": format!("about the {}: {}", advisory.about.name(), advice(advisory))},
        })
    };
    let run = json!({
        "tool": {"driver": {
            "name": "reversion",
            "version": document.tool,
            "semanticVersion": document.tool,
            "rules": rules.iter().map(|code| rule(code)).collect::<Vec<_>>(),
        }},
        "invocations": [{
            "executionSuccessful": document.exit_code != 2,
            "exitCode": document.exit_code,
            "toolExecutionNotifications": document.advisories.iter().map(notification).collect::<Vec<_>>(),
        }],
        "originalUriBaseIds": {ROOT: {"description": {"text": "The root of the repository."}}},
        "columnKind": "unicodeCodePoints",
        "results": entries.iter().map(|entry| result(entry, index(&entry.record.code))).collect::<Vec<_>>(),
    });
    pretty(&json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }))
}

/// Describes a code; a report of another version of the program can have codes that this one does not.
fn rule(name: &str) -> Value {
    let description = Code::parse(name).map_or("A finding of another version of the program.", Code::description);
    let first = description.split_inclusive(". ").next().unwrap_or(description).trim_end();
    let mut rule = json!({
        "id": name,
        "shortDescription": {"text": first},
        "fullDescription": {"text": description},
        "help": {"text": format!("{description}\n`reversion explain {name}` prints this.")},
    });
    if let Some(address) = address::of(name) {
        rule["helpUri"] = address.into();
    }
    rule
}

fn result(entry: &ListedFinding<'_>, rule: usize) -> Value {
    let record = entry.record;
    let names: Vec<&str> = entry.title.into_iter().chain(record.field.as_deref()).collect();
    let mut location = json!({"physicalLocation": {"artifactLocation": artifact(&entry.path)}});
    if let Some(region) = region(&record.location) {
        location["physicalLocation"]["region"] = region;
    }
    if !names.is_empty() {
        location["logicalLocations"] = json!([{"fullyQualifiedName": visible(&names.join(" "))}]);
    }
    let mut result = json!({
        "ruleId": record.code,
        "ruleIndex": rule,
        "level": level(record.severity),
        "message": {"text": record.advice(entry.title)},
        "locations": [location],
        "partialFingerprints": {"reversion/v1": entry.fingerprint},
    });
    if let Some(accepted) = entry.accepted {
        result["suppressions"] = json!([suppression(accepted)]);
    }
    result
}

fn suppression(accepted: &AcknowledgedRecord) -> Value {
    let kind = match accepted.by {
        AcknowledgedBy::Comment => "inSource",
        AcknowledgedBy::Config | AcknowledgedBy::Baseline | AcknowledgedBy::Policy => "external",
    };
    match &accepted.reason {
        Some(reason) => json!({"kind": kind, "status": "accepted", "justification": visible(reason)}),
        None => json!({"kind": kind, "status": "accepted"}),
    }
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Unresolved | Severity::Held | Severity::Error => "error",
    }
}

fn region(location: &Location) -> Option<Value> {
    let position = location.position?;
    Some(json!({"startLine": position.line, "startColumn": position.column}))
}

/// Names a file: below the root of the repository, or by its whole path.
fn artifact(path: &str) -> Value {
    if path.starts_with('/') {
        return json!({"uri": format!("file://{}", uri(path))});
    }
    json!({"uri": uri(path), "uriBaseId": ROOT})
}

/// Escapes a path as RFC 3986 does: all but the unreserved characters and the slash.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => out.push(char::from(byte)),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
