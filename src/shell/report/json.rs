//! The formats `json`, one document for programs, and `jsonl`, the same as one line for each record.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::{Value, json};

use super::detection::{Api, Detection, KindInUse};
use super::document::{FindingRecord, REPORT_SCHEMA_VERSION, ReportDocument};
use super::escape::steers;
use crate::engine::infer::Age;
use crate::engine::infer::crds::Installed;
use crate::knowledge::pack::Pack;
use crate::knowledge::release::{ApiVersion, Channel, GroupKind, ReleaseId, ReleaseSet};

/// The version of the shape of matrices; it grows when a reader has to change.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// The lists of a document, and what `jsonl` calls a record of each.
const RECORDS: [(&str, &str); 8] = [
    ("files", "file"),
    ("objects", "object"),
    ("values", "values"),
    ("crds", "crd"),
    ("apis", "api"),
    ("findings", "finding"),
    ("acknowledged", "acknowledged"),
    ("advisories", "advisory"),
];

/// Renders a conversion.
pub fn report(document: &ReportDocument) -> String {
    pretty(document)
}

/// Renders a document as one line for each record; the rest of it comes last, as the record `summary`.
pub fn lines(document: &impl Serialize) -> String {
    let document = serde_json::to_value(document).expect("texts, numbers and their lists and maps are always values");
    let Value::Object(mut rest) = document else { return String::new() };
    let mut out = String::new();
    let mut line = |name: &str, record: Value| {
        let Value::Object(fields) = record else { return };
        let named = [("record".to_owned(), Value::from(name))].into_iter().chain(fields);
        out.push_str(&legible(&Value::Object(named.collect()).to_string()));
        out.push('\n');
    };
    for (list, name) in RECORDS {
        if let Some(Value::Array(records)) = rest.remove(list) {
            records.into_iter().for_each(|record| line(name, record));
        }
    }
    line("summary", Value::Object(rest));
    out
}

/// Makes the document of a detection.
pub fn detection(detection: &Detection<'_>, exit_code: u8, folder: Option<String>) -> Value {
    let objects: Vec<_> = detection.objects.iter().map(|detected| {
        let evidence: Vec<_> = detected.inference.evidence.iter().zip(&detected.evidence).map(|(fact, place)| {
            json!({"field": fact.path.to_string(), "releases": detected.pack.line().describe(fact.releases), "location": place})
        }).collect();
        json!({
            "pack": detected.pack.name(),
            "object": detected.title,
            "kind": detected.kind.0.to_string(),
            "apiVersion": detected.kind.1.to_string(),
            "location": detected.location,
            "releases": ranges(detected.pack, detected.inference.candidates),
            "conflict": detected.inference.is_conflict(),
            "evidence": evidence,
        })
    }).collect();
    let values: Vec<_> = detection
        .values
        .iter()
        .map(|(pack, title, place, field)| json!({"pack": pack, "object": title, "location": place, "field": field}))
        .collect();
    json!({
        "schemaVersion": REPORT_SCHEMA_VERSION,
        "tool": env!("CARGO_PKG_VERSION"),
        "command": "detect",
        "shard": detection.shard,
        "folder": folder,
        "exitCode": exit_code,
        "summary": detection.counts,
        "objects": objects,
        "values": values,
        "crds": detection.crds.iter().flat_map(crds).collect::<Vec<_>>(),
        "apis": detection.apis.iter().map(api).collect::<Vec<_>>(),
        "update": detection.update,
        "findings": detection.findings.iter().map(FindingRecord::new).collect::<Vec<_>>(),
    })
}

/// Renders a set of releases as its ranges in each channel.
fn ranges(pack: &Pack, releases: ReleaseSet) -> Vec<Value> {
    let of_channel = |channel: &Channel| {
        let ranges = pack.line().ranges(releases, channel);
        ranges
            .into_iter()
            .map(|(first, last)| json!({"channel": channel.name(), "first": first, "last": last}))
            .collect()
    };
    pack.line().channels().iter().flat_map(|channel| -> Vec<Value> { of_channel(channel) }).collect()
}

fn api(api: &Api<'_>) -> Value {
    let pack = api.newest.pack;
    json!({
        "pack": pack.name(),
        "newest": pack.line().get(api.newest.release).to_string(),
        "objects": api.objects,
        "outdated": api.outdated(),
        "toConvert": api.to_convert(),
        "values": api.values,
        "foreign": api.foreign,
        "byFields": api.by_fields.map(|releases| ranges(pack, releases)),
        "withApiVersions": api.with_versions.map(|releases| ranges(pack, releases)),
        "exceptions": api.exceptions,
        "kinds": api.kinds.iter().map(|kind| kind_in_use(kind, pack)).collect::<Vec<_>>(),
        "rules": api.rules,
    })
}

fn kind_in_use(kind: &KindInUse, pack: &Pack) -> Value {
    let bundle = |release: Option<ReleaseId>| release.map(|release| pack.line().get(release).bundle.as_str());
    let (state, deprecated, removed) = match kind.age {
        Age::Removed { since, deprecated } => ("removed", deprecated, since),
        Age::Deprecated { since } => ("deprecated", since, None),
        Age::Unknown => ("unknown", None, None),
        Age::Current => ("current", None, None),
    };
    let becomes = |(kind, version): &(GroupKind, ApiVersion)| json!({"kind": kind.to_string(), "apiVersion": version.to_string()});
    json!({
        "kind": kind.kind.to_string(),
        "apiVersion": kind.api_version.to_string(),
        "objects": kind.objects,
        "state": state,
        "deprecatedSince": bundle(deprecated),
        "removedIn": bundle(removed),
        "changed": kind.changed,
        "heldBack": kind.held_back,
        "becomes": kind.becomes.iter().map(becomes).collect::<Vec<_>>(),
    })
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
            "location": crd.location,
        })
    })
}

/// Prints a document; what could steer a terminal is escaped, which reads back as the same.
pub(crate) fn pretty(document: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(document).expect("texts, numbers and their lists and maps always print");
    legible(&text) + "\n"
}

/// Escapes what could steer a terminal in a text of JSON. Outside of strings there are only ASCII characters and line breaks.
fn legible(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 1);
    for character in text.chars() {
        if character != '\n' && steers(character) {
            let _infallible = write!(out, "\\u{:04x}", u32::from(character));
        } else {
            out.push(character);
        }
    }
    out
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
