//! Several reports become one: those of the shards of a tree, or of several repositories.
//!
//! Invariant: no file is in two parts, no shard is missing, and the counts of the whole are those of its parts together.

use std::collections::BTreeMap;

use serde_json::Value;

use super::document::{AcknowledgedRecord, FindingRecord, REPORT_SCHEMA_VERSION, ReportDocument, Summary, joined};
use crate::engine::finding::{Code, Severity};
use crate::engine::plan::RunAdvisory;

/// The largest report that is read, in bytes: 256 MiB.
pub(crate) const MAX_REPORT: u64 = 256 << 20;

/// A report, by the name of the file that holds it.
pub(crate) type Part = (String, ReportDocument);

/// Reads a report in the format `json`.
///
/// # Errors
/// A message: not a report, or one that is not of a conversion.
pub fn parse(bytes: &[u8]) -> Result<ReportDocument, String> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| format!("not a report: not JSON ({error})"))?;
    let Some(version) = value.get("schemaVersion") else {
        return Err("not a report: it has no schemaVersion; `--format json` writes one".to_owned());
    };
    if version.as_u64() != Some(u64::from(REPORT_SCHEMA_VERSION)) {
        return Err(format!("its schemaVersion is {version}, and this program reads {REPORT_SCHEMA_VERSION}"));
    }
    if value.get("packs").is_some() {
        return Err("it is a plan; `reversion show --format json` prints it as a report".to_owned());
    }
    if value.get("command").and_then(Value::as_str) == Some("detect") {
        return Err("it is a report of `detect`; reports of check, diff, apply and plan can be merged".to_owned());
    }
    let document: ReportDocument = serde_json::from_value(value).map_err(|error| format!("not a report: {error}"))?;
    if document.exit_code > 3 {
        return Err(format!("not a report: {} is no exit code", document.exit_code));
    }
    Ok(document)
}

/// Joins reports.
///
/// # Errors
/// A message that names the reports which do not fit together.
pub(crate) fn merge(parts: Vec<Part>) -> Result<ReportDocument, String> {
    check_same(&parts)?;
    check_shards(&parts)?;
    check_files(&parts)?;
    let mut parts = parts.into_iter();
    let (_, mut whole) = parts.next().ok_or("there is no report to merge")?;
    let mut rest: Vec<ReportDocument> = parts.map(|(_, part)| part).collect();
    if rest.iter().any(|part| part.folder != whole.folder) {
        rest.iter_mut().chain([&mut whole]).for_each(name_from_root);
    }
    whole.tool = env!("CARGO_PKG_VERSION").to_owned();
    whole.shard = None;
    let codes: Vec<u8> = rest.iter().map(|part| part.exit_code).chain([whole.exit_code]).collect();
    for part in rest {
        whole.summary = sum(&whole.summary, &part.summary);
        whole.left_out.extend(part.left_out);
        whole.origins.extend(part.origins);
        whole.files.extend(part.files);
        whole.objects.extend(part.objects);
        whole.findings.extend(part.findings);
        whole.acknowledged.extend(part.acknowledged);
        whole.acknowledged_advisories.extend(part.acknowledged_advisories);
        for advisory in part.advisories {
            let same = |known: &&mut RunAdvisory| {
                known.id == advisory.id && known.message == advisory.message && known.help == advisory.help
            };
            match whole.advisories.iter_mut().find(same) {
                Some(known) => known.severity = known.severity.max(advisory.severity),
                None => whole.advisories.push(advisory),
            }
        }
    }
    whole.left_out.sort();
    // Every part says the same.
    whole.origins.sort();
    whole.origins.dedup();
    // As a run does, name by name: `a/x` comes before `a-b/x`.
    whole.files.sort_by(|left, right| names(&left.file).cmp(names(&right.file)));
    whole.objects.sort_by(|left, right| {
        let by_file = names(&left.location.file).cmp(names(&right.location.file));
        by_file.then_with(|| left.location.position.cmp(&right.location.position))
    });
    whole.findings.sort();
    // What is about the whole tree, every shard reports.
    whole.findings.dedup();
    whole.acknowledged.sort();
    whole.advisories.sort_by_key(|advisory| advisory.about);
    // A part that does not accept it is for those who have not been told.
    let told = &whole.advisories;
    whole.acknowledged_advisories.retain(|known| told.iter().all(|advisory| advisory.id != known.id));
    whole.acknowledged_advisories.sort();
    whole.acknowledged_advisories.dedup();
    whole.count();
    whole.exit_code = worst(&codes, &whole);
    Ok(whole)
}

fn names(path: &str) -> impl Iterator<Item = &str> {
    path.split('/')
}

/// Checks that the parts are of the same command and targets.
fn check_same(parts: &[Part]) -> Result<(), String> {
    let Some(((first, part), others)) = parts.split_first() else { return Ok(()) };
    for (name, other) in others {
        if part.targets != other.targets {
            let [left, right] = [part, other].map(|part| part.targets.join(", "));
            return Err(format!("{first} converts to {left}, {name} to {right}: they have different targets"));
        }
        if (&part.command, part.written) != (&other.command, other.written) {
            return Err(format!(
                "{first} is a report of `{}`, {name} of `{}`: merge reports of one command",
                part.command, other.command
            ));
        }
    }
    Ok(())
}

/// Checks that there is each shard of a number as often as the others of that number.
fn check_shards(parts: &[Part]) -> Result<(), String> {
    let mut seen: BTreeMap<u32, BTreeMap<u32, usize>> = BTreeMap::new();
    for (name, part) in parts {
        let Some(shard) = &part.shard else { continue };
        let read = shard.split_once('/').and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
        let (index, count): (u32, u32) = read.ok_or_else(|| format!("{name}: {shard} is no shard"))?;
        *seen.entry(count).or_default().entry(index).or_default() += 1;
    }
    for (count, indices) in seen {
        let times = indices.values().copied().max().unwrap_or_default();
        let missing = (1..=count).find(|index| indices.get(index) != Some(&times));
        if let Some(index) = missing {
            return Err(format!("shard {index}/{count} is missing: pass the reports of all shards"));
        }
    }
    Ok(())
}

/// Checks that no file is in two parts.
fn check_files(parts: &[Part]) -> Result<(), String> {
    let mut owners: BTreeMap<String, usize> = BTreeMap::new();
    for (at, (name, part)) in parts.iter().enumerate() {
        let findings = part.findings.iter().filter(|record| record.code != Code::InterruptedRun.name());
        let files = findings.map(|record| &record.location.file).chain(part.files.iter().map(|file| &file.file));
        for file in files.chain(part.objects.iter().map(|object| &object.location.file)) {
            let path = part.path(file);
            let owner = *owners.entry(path.clone()).or_insert(at);
            if owner != at {
                let first = &parts[owner].0;
                return Err(format!(
                    "{path} is in both {first} and {name}: pass one report for each file, and report several repositories from a folder above them"
                ));
            }
        }
    }
    Ok(())
}

/// Names the files of a document from the root of its repository.
fn name_from_root(document: &mut ReportDocument) {
    let Some(folder) = document.folder.replace(String::new()) else {
        document.folder = None;
        return;
    };
    for file in file_names(document) {
        if !file.starts_with('/') && file != "-" {
            *file = joined(&folder, file);
        }
    }
}

/// Returns every place of a document where a file is named.
fn file_names(document: &mut ReportDocument) -> Vec<&mut String> {
    let mut names: Vec<&mut String> = document.left_out.iter_mut().collect();
    names.extend(document.files.iter_mut().map(|file| &mut file.file));
    let mut records: Vec<&mut FindingRecord> = document.findings.iter_mut().collect();
    let mut acknowledged: Vec<&mut AcknowledgedRecord> = document.acknowledged.iter_mut().collect();
    for object in &mut document.objects {
        names.push(&mut object.location.file);
        records.extend(&mut object.findings);
        acknowledged.extend(&mut object.acknowledged);
    }
    records.extend(acknowledged.into_iter().map(|acknowledged| &mut acknowledged.finding));
    for record in records {
        names.push(&mut record.location.file);
        names.extend(record.object.iter_mut().chain(&mut record.others).map(|object| &mut object.location.file));
    }
    names
}

/// Adds what was seen; the rest is counted again.
fn sum(left: &Summary, right: &Summary) -> Summary {
    let both = |left: &BTreeMap<String, usize>, right: &BTreeMap<String, usize>| {
        let mut sum = left.clone();
        right.iter().for_each(|(name, count)| *sum.entry(name.clone()).or_default() += count);
        sum
    };
    Summary {
        listed: left.listed.zip(right.listed).map(|(left, right)| left + right),
        files: left.files + right.files,
        parsed_files: left.parsed_files + right.parsed_files,
        objects: left.objects + right.objects,
        recognized: left.recognized + right.recognized,
        templates: left.templates + right.templates,
        binaries: left.binaries + right.binaries,
        ignored: left.ignored + right.ignored,
        failed: left.failed + right.failed,
        unknown_groups: both(&left.unknown_groups, &right.unknown_groups),
        old_defaults: both(&left.old_defaults, &right.old_defaults),
        ..Summary::default()
    }
}

/// Returns the worst exit code: that nothing was recognized counts only where that is so in all parts, and that there is something to do
/// also where `--exit-zero` hid it.
fn worst(codes: &[u8], whole: &ReportDocument) -> u8 {
    let is_pending = ["check", "diff"].contains(&whole.command.as_str()) && !whole.files.is_empty();
    let is_open = || whole.records().any(|(_, record)| record.severity >= Severity::Unresolved);
    match codes {
        codes if codes.contains(&2) => 2,
        codes if codes.contains(&1) || is_pending || !whole.left_out.is_empty() || is_open() => 1,
        codes if codes.contains(&3) && whole.summary.recognized == 0 => 3,
        _ => 0,
    }
}
