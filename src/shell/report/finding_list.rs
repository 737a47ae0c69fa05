//! The findings of a document in one list, each with a name that stays when lines move, and what they say apart from places.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::document::{AcknowledgedRecord, FindingRecord, ReportDocument};
use crate::engine::finding::Severity;
use crate::syntax::fingerprint::Fingerprint;

/// A finding, as formats without objects show it.
#[derive(Clone, Debug)]
pub(super) struct ListedFinding<'d> {
    /// The finding.
    pub(super) record: &'d FindingRecord,
    /// The title of its object, where there is one.
    pub(super) title: Option<&'d str>,
    /// What acknowledges it.
    pub(super) accepted: Option<&'d AcknowledgedRecord>,
    /// Its file, from the root of the repository.
    pub(super) path: String,
    /// The same in every run that finds it in this file, whatever line it is on; no other entry of the document has it.
    pub(super) fingerprint: String,
}

/// Returns every finding of a document, acknowledged ones too, sorted by place.
pub(super) fn entries(document: &ReportDocument) -> Vec<ListedFinding<'_>> {
    let record = document.records().map(|(title, record)| (title, record, None));
    let accepted = document.acknowledged_records().map(|(title, accepted)| (title, &accepted.finding, Some(accepted)));
    let mut records: Vec<_> = record.chain(accepted).collect();
    records.sort_by_key(|(title, record, _)| (*record, *title));
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    records
        .into_iter()
        .map(|(title, record, accepted)| {
            let path = document.path(&record.location.file);
            // The message is no part of it: messages name lines, and may be worded better one day.
            let parts = [&path, &record.code, title.unwrap_or_default(), record.field.as_deref().unwrap_or_default()];
            let named = parts.join("\0");
            let count = seen.entry(named.clone()).or_default();
            *count += 1;
            let fingerprint = Fingerprint::of(format!("{named}\0{count}").as_bytes()).hash_text();
            ListedFinding { record, title, accepted, path, fingerprint }
        })
        .collect()
}

/// Separates a sentence from the places of other objects behind it.
pub(super) fn sentence(finding: &FindingRecord) -> (&str, &str) {
    let end = finding.message.rfind(" (").filter(|_| !finding.others.is_empty() && finding.message.ends_with(')'));
    finding.message.split_at(end.unwrap_or(finding.message.len()))
}

/// What findings share that say the same.
pub(super) type Said<'f> = (Reverse<Severity>, &'f str, Cow<'f, str>, Option<&'f str>);

/// Returns what a finding says, apart from its place; the worst comes first.
pub(super) fn said(finding: &FindingRecord) -> Said<'_> {
    let FindingRecord { severity, code, help, .. } = finding;
    (Reverse(*severity), code, general_message(finding), help.as_deref())
}

/// Returns the message for all items of a list, and whatever the other objects are: without the positions in the field, and places.
pub(super) fn general_message(finding: &FindingRecord) -> Cow<'_, str> {
    let (message, _) = sentence(finding);
    match finding.field.as_deref().filter(|field| field.contains('[') && message.contains(*field)) {
        Some(field) => Cow::Owned(message.replace(field, &without_positions(field))),
        None => Cow::Borrowed(message),
    }
}

/// Turns `spec.rules[2].name` into `spec.rules[].name`.
pub(crate) fn without_positions(field: &str) -> String {
    let mut out = String::with_capacity(field.len());
    for part in field.split_inclusive('[') {
        let rest = part.trim_start_matches(|character: char| character.is_ascii_digit());
        let is_position = out.ends_with('[') && rest.starts_with(']');
        out.push_str(if is_position { rest } else { part });
    }
    out
}
