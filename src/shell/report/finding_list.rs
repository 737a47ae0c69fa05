//! The findings of a document in one list, each with a name that stays when lines move.

use std::collections::BTreeMap;

use super::document::{AcknowledgedRecord, FindingRecord, ReportDocument};
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
