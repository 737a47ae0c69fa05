//! The format `json`: one document for programs, with the RFC 6902 patch of each changed object.

use serde_json::{Value, json};

use super::{Counts, Detection, Report, Written};
use crate::finding::{Finding, Location};
use crate::infer::crds::Installed;
use crate::plan::{ObjectPlan, Outcome};
use crate::release::Channel;

/// The version of the documents' shape; it grows when a reader has to change.
pub const SCHEMA_VERSION: u32 = 1;

/// Renders a conversion.
pub fn report(report: &Report<'_>) -> String {
    let files: Vec<_> = report
        .files
        .iter()
        .map(|file| {
            let edits: Vec<_> = file
                .edits
                .edits()
                .iter()
                .map(|edit| json!({"start": edit.span.start, "end": edit.span.end, "text": edit.text}))
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
            ("changed", report.count(Outcome::Changed)),
            ("changedFiles", report.files.len()),
            ("heldBack", report.count(Outcome::HeldBack)),
        ]),
        "files": files,
        "objects": report.objects.iter().map(object).collect::<Vec<_>>(),
        "findings": report.findings.iter().map(finding).collect::<Vec<_>>(),
    });
    pretty(&document)
}

/// Renders a detection.
pub fn detection(detection: &Detection<'_>) -> String {
    let objects: Vec<_> = detection.objects.iter().map(|found| {
        let releases: Vec<_> = Channel::ALL.into_iter().flat_map(|channel| {
            let ranges = found.line.ranges(found.inference.candidates, channel);
            ranges.into_iter().map(move |(first, last)| json!({"channel": channel.name(), "first": first, "last": last}))
        }).collect();
        let evidence: Vec<_> = found.inference.evidence.iter().zip(&found.evidence).map(|(fact, place)| {
            json!({"field": fact.path.to_string(), "releases": found.line.describe(fact.releases), "location": location(place)})
        }).collect();
        json!({
            "pack": found.pack,
            "object": found.object.title(),
            "kind": found.object.kind.to_string(),
            "apiVersion": found.object.api_version.to_string(),
            "location": location(&found.location),
            "releases": releases,
            "conflict": found.inference.is_conflict(),
            "evidence": evidence,
        })
    }).collect();
    let document = json!({
        "schemaVersion": SCHEMA_VERSION,
        "command": "detect",
        "summary": counts(&detection.counts, []),
        "objects": objects,
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

pub(super) fn pretty(document: &Value) -> String {
    let mut text = serde_json::to_string_pretty(document).expect("a JSON value always prints");
    text.push('\n');
    text
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
    for (name, count) in more {
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
        "object": finding.object,
        "field": finding.field,
        "message": finding.message,
        "help": finding.help,
    })
}
