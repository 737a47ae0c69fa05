//! A document as lines for people, as `check` prints a run.

use super::document::{FindingRecord, ReportDocument};
use super::escape::visible;
use super::finding_list::entries;
use super::grouped::{ChangedObject, Shown, grouped};
use super::paint::Painter;
use super::run_report::Written;
use super::text_format;
use crate::engine::finding::{Code, FindingObject};

/// Prints the findings at objects and files, those that are acknowledged, those about the run, and what is to do; and, where `has_changes`,
/// the objects that change.
pub fn report(document: &ReportDocument, has_changes: bool, painter: &Painter, shown: Shown) -> String {
    let changes = document.objects.iter().filter(|_| has_changes).filter_map(ChangedObject::of_record);
    let changes: Vec<ChangedObject> = changes.collect();
    let of_objects = document.objects.iter().flat_map(|object| {
        let about = FindingObject::new(object.object.clone(), object.location.clone());
        let others = |record: &FindingRecord| FindingObject { others: record.others.clone(), ..about.clone() };
        let of_object = object.findings.iter().filter(|record| record.code != Code::ChangesNeeded.name());
        of_object
            .map(move |record| FindingRecord { object: Some(others(record)), ..record.clone() })
            .collect::<Vec<_>>()
    });
    let mut records: Vec<FindingRecord> = of_objects.chain(document.findings.iter().cloned()).collect();
    records.sort();
    let found = grouped(&changes, &records, painter, shown);
    let accepted = entries(document).into_iter().filter_map(|entry| {
        let (accepted, record) = (entry.accepted?, entry.record);
        let (place, message) = (painter.place(&record.location), visible(&record.sentence(entry.title)));
        let code = painter.code(record.severity, &visible(&record.code));
        let by = text_format::accepted_by(accepted.by, accepted.reason.as_deref());
        Some(format!("{place}: {code} {message}\n  {}\n", visible(&by)))
    });
    let accepted: String = accepted.collect();
    let accepted = accepted + &text_format::acknowledged_advisories(&document.acknowledged_advisories, painter);
    [found.lines, accepted, text_format::advisories(&document.advisories, painter), found.to_do].concat()
}

/// Prints the summary.
pub(crate) fn summary(document: &ReportDocument) -> String {
    let written = if document.written { Written::Yes } else { Written::No };
    let left_out: Vec<&str> = document.left_out.iter().map(String::as_str).collect();
    let origins: String = document.origins.iter().map(|line| format!("{}\n", visible(line))).collect();
    origins + &text_format::summary_of(&document.summary, written, &left_out, &Painter::PLAIN)
}
