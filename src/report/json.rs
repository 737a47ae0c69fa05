//! The format `json`: one document for programs, with the RFC 6902 patch of each changed object.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::{Value, json};

use super::conversion::{Report, Written};
use super::count::Counts;
use super::detection::Detection;
use super::escape::steers;
use crate::finding::{Acknowledged, Finding, Location, Severity};
use crate::infer::crds::Installed;
use crate::plan::{ObjectPlan, Outcome, RunAdvisory};
use crate::redaction::shows_secret;
use crate::release::Channel;

/// The version of the documents' shape; it grows when a reader has to change.
pub const SCHEMA_VERSION: u32 = 1;

/// Renders a conversion.
pub fn report(report: &Report<'_>) -> String {
    let files: Vec<_> = report
        .files
        .iter()
        .map(|file| {
            let hides = shows_secret(file);
            let edits: Vec<_> = file
                .edits
                .edits()
                .iter()
                .map(|edit| {
                    let text = (!hides).then_some(&edit.text);
                    json!({"start": edit.span.start, "end": edit.span.end, "text": text})
                })
                .collect();
            json!({"file": file.file, "edits": edits})
        })
        .collect();
    let document = json!({
        "schemaVersion": SCHEMA_VERSION,
        "command": report.command,
        "targets": report.targets,
        "written": report.written == Written::Yes,
        "summary": counts(&report.counts, [
            ("changed", report.to_change().count()),
            ("changedFiles", report.files_to_change().count()),
            ("heldBack", report.held_back().count()),
            ("unresolved", report.findings.iter().filter(|one| one.severity == Severity::Unresolved).count()),
            ("acknowledged", report.acknowledged.len()),
        ]),
        "leftOut": report.left_out,
        "files": files,
        "objects": report.objects.iter().map(object).collect::<Vec<_>>(),
        "findings": report.findings.iter().map(finding).collect::<Vec<_>>(),
        "acknowledged": report.acknowledged.iter().map(acknowledged).collect::<Vec<_>>(),
        "advisories": report.advisories.iter().map(advisory).collect::<Vec<_>>(),
    });
    pretty(&document)
}

/// Renders a detection.
pub fn detection(detection: &Detection<'_>) -> String {
    let objects: Vec<_> = detection.objects.iter().map(|found| {
        let releases: Vec<_> = Channel::ALL.into_iter().flat_map(|channel| {
            let ranges = found.pack.line().ranges(found.inference.candidates, channel);
            ranges.into_iter().map(move |(first, last)| json!({"channel": channel.name(), "first": first, "last": last}))
        }).collect();
        let evidence: Vec<_> = found.inference.evidence.iter().zip(&found.evidence).map(|(fact, place)| {
            json!({"field": fact.path.to_string(), "releases": found.pack.line().describe(fact.releases), "location": location(place)})
        }).collect();
        json!({
            "pack": found.pack.name(),
            "object": found.object.title(),
            "kind": found.object.kind.to_string(),
            "apiVersion": found.object.api_version.to_string(),
            "location": location(&found.location),
            "releases": releases,
            "conflict": found.inference.is_conflict(),
            "evidence": evidence,
        })
    }).collect();
    let values: Vec<_> = detection.values.iter().map(|(pack, object, place, field)| {
        json!({"pack": pack, "object": object.title(), "location": location(place), "field": field})
    }).collect();
    let document = json!({
        "schemaVersion": SCHEMA_VERSION,
        "command": "detect",
        "summary": counts(&detection.counts, []),
        "objects": objects,
        "values": values,
        "crds": detection.crds.iter().flat_map(crds).collect::<Vec<_>>(),
        "findings": detection.findings.iter().map(finding).collect::<Vec<_>>(),
    });
    pretty(&document)
}

fn crds<'d>(installed: &'d Installed<'_>) -> impl Iterator<Item = Value> + 'd {
    let line = installed.pack.line();
    installed.crds.iter().map(move |crd| {
        let releases: Vec<_> = crd.releases.iter().map(|release| line.get(release).to_string()).collect();
        json!({
            "pack": installed.pack.name(),
            "kind": crd.kind.to_string(),
            "bundle": crd.bundle,
            "channel": crd.channel,
            "releases": releases,
            "location": location(&crd.location),
        })
    })
}

/// Prints a document; what could steer a terminal is escaped, which reads back as the same.
pub(super) fn pretty(document: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(document).expect("texts, numbers and their lists and maps always print");
    let mut out = String::with_capacity(text.len() + 1);
    for character in text.chars() {
        // Outside of strings there are only ASCII characters and line breaks.
        if character != '\n' && steers(character) {
            let _infallible = write!(out, "\\u{:04x}", u32::from(character));
        } else {
            out.push(character);
        }
    }
    out.push('\n');
    out
}

fn counts<const N: usize>(counts: &Counts, more: [(&str, usize); N]) -> Value {
    let mut summary = json!({
        "files": counts.files,
        "parsedFiles": counts.parsed,
        "objects": counts.objects,
        "recognised": counts.recognised,
        "templates": counts.templates,
        "binaries": counts.binaries,
        "failed": counts.failed,
    });
    let listed = counts.listed.map(|listed| ("listed", listed));
    for (name, count) in more.into_iter().chain(listed) {
        summary[name] = json!(count);
    }
    summary
}

fn location(location: &Location) -> Value {
    let (line, column) = location.position.map(|at| (at.line, at.column)).unzip();
    json!({"file": location.file, "line": line, "column": column})
}

/// Renders an object with its patch; what a Secret holds is in no report.
pub(super) fn object(plan: &ObjectPlan) -> Value {
    let side = |(kind, api_version): &(crate::release::GroupKind, crate::release::ApiVersion)| json!({"kind": kind.kind, "apiVersion": api_version.to_string()});
    let rules: Vec<_> =
        plan.rules.iter().map(|(rule, direction)| json!({"rule": rule, "direction": direction.name()})).collect();
    let patch = match plan.outcome {
        Outcome::Changed if plan.from.0.kind == "Secret" => json!([]),
        Outcome::Changed => {
            let data =
                plan.data.as_ref().expect("a plan that is printed as JSON was made with the data of its objects");
            json!(json_patch::diff(&data.before, &data.after))
        }
        Outcome::Unchanged | Outcome::HeldBack => json!([]),
    };
    json!({
        "object": plan.title,
        "location": location(&plan.location),
        "outcome": plan.outcome.name(),
        "from": side(&plan.from),
        "to": side(&plan.to),
        "rules": rules,
        "patch": patch,
    })
}

fn finding(finding: &Finding) -> Value {
    json!({
        "code": finding.code.name(),
        "severity": finding.severity.name(),
        "location": location(&finding.location),
        "object": finding.object.as_ref().map(|object| json!({"title": object.title, "location": location(&object.location)})),
        "field": finding.field,
        "message": finding.message,
        "help": finding.help,
    })
}

fn acknowledged(acknowledged: &Acknowledged) -> Value {
    json!({"finding": finding(&acknowledged.finding), "by": acknowledged.by.name(), "reason": acknowledged.reason})
}

fn advisory(advisory: &RunAdvisory) -> Value {
    json!({
        "about": advisory.about.name(),
        "severity": advisory.severity.name(),
        "message": advisory.message,
        "help": advisory.help,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_read_back() {
        let document = json!({"a\u{9b}": "\u{1b}[2J\u{7f}\u{202e}é\n"});
        let text = pretty(&document);
        assert_eq!(text, "{\n  \"a\\u009b\": \"\\u001b[2J\\u007f\\u202eé\\n\"\n}\n");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), document);
    }
}
