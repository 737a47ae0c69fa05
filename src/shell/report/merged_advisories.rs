//! Advisories of several reports that say the same become one, at the first place, as those of one run are.
//!
//! Invariant: every place that an advisory named before is one that it names afterwards.

use std::collections::BTreeMap;

use super::document::{FindingRecord, ObjectRecord, ReportDocument};
use crate::engine::finding::{Code, FindingObject, Location, Severity};
use crate::engine::notices::advisories::places;

/// What advisories have in common that say the same: severity, sentence and help.
type Key = (Severity, String, Option<String>);

/// An advisory, with the object that it stands below, by its number and title.
type Said = (FindingRecord, Option<(usize, String)>);

/// Removes the places from the sentences of advisories, as long as their files are called as in these.
pub(super) fn take_apart(part: &mut ReportDocument) {
    let of_objects = part.objects.iter_mut().flat_map(|object| &mut object.findings);
    for record in of_objects.chain(&mut part.findings).filter(|record| is_advisory(record)) {
        if let Some(sentence) = record.message.strip_suffix(&*named_places(record)) {
            record.message.truncate(sentence.len());
        }
    }
}

/// Makes one of the advisories that say the same, and writes the places into their sentences again.
pub(super) fn put_together(whole: &mut ReportDocument) {
    let mut alike: BTreeMap<Key, Vec<Said>> = BTreeMap::new();
    let mut add = |record: FindingRecord, object| {
        let key = (record.severity, record.message.clone(), record.help.clone());
        alike.entry(key).or_default().push((record, object));
    };
    for (at, object) in whole.objects.iter_mut().enumerate() {
        let advisories = object.findings.extract_if(.., |record| is_advisory(record));
        advisories.for_each(|record| add(record, Some((at, object.object.clone()))));
    }
    whole.findings.extract_if(.., |record| is_advisory(record)).for_each(|record| add(record, None));
    for mut said in alike.into_values() {
        said.sort_by(|(left, _), (right, _)| left.location.cmp(&right.location));
        // What is about the whole tree, every shard reports.
        said.dedup();
        let mut said = said.into_iter();
        let Some((mut first, below)) = said.next() else { continue };
        for (record, object) in said {
            let title = object.map(|(_, title)| title).or(record.object.map(|object| object.title));
            first.others.push(FindingObject::new(title.unwrap_or_default(), record.location));
            first.others.extend(record.others);
        }
        first.others.sort_by(|left, right| left.location.cmp(&right.location));
        first.message += &named_places(&first);
        match below {
            Some((at, _)) => whole.objects[at].findings.push(first),
            None => whole.findings.push(first),
        }
    }
    whole.objects.iter_mut().for_each(ObjectRecord::sort_findings);
}

fn is_advisory(record: &FindingRecord) -> bool {
    record.code == Code::Advisory.name()
}

/// Returns what the sentence of an advisory ends with.
fn named_places(record: &FindingRecord) -> String {
    let others = record.others.iter().map(|one| &one.location);
    let all: Vec<&Location> = std::iter::once(&record.location).chain(others).collect();
    places(&all, if record.field.is_some() { "places" } else { "objects" })
}
