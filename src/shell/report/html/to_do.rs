//! What remains to be done by hand: a list of each thing once, with all its places.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::entries::{Contents, PageEntry};
use crate::engine::finding::Severity;
use crate::shell::report::document::FindingRecord;

/// How many things are shown unfolded.
pub(super) const THINGS: usize = 20;
/// How many places of one thing are.
const PLACES: usize = 5;

/// Something to do, and where.
pub(super) struct Thing<'p, 'r> {
    pub(super) severity: Severity,
    pub(super) code: &'r str,
    pub(super) message: &'r str,
    pub(super) help: Option<&'r str>,
    places: Vec<(&'p PageEntry<'r>, &'r FindingRecord)>,
}

impl<'p, 'r> Thing<'p, 'r> {
    pub(super) fn first_places(&self) -> &[(&'p PageEntry<'r>, &'r FindingRecord)] {
        &self.places[..self.places.len().min(PLACES)]
    }

    /// The places that are folded.
    pub(super) fn more_places(&self) -> &[(&'p PageEntry<'r>, &'r FindingRecord)] {
        &self.places[self.places.len().min(PLACES)..]
    }
}

/// Lists what is to be done, the most severe first.
pub(super) fn list<'p, 'r>(contents: &'p Contents<'r>) -> Vec<Thing<'p, 'r>> {
    let mut things: BTreeMap<_, Thing<'p, 'r>> = BTreeMap::new();
    for entry in contents.entries() {
        for finding in entry.findings.iter().copied().filter(|finding| asks(finding)) {
            let FindingRecord { severity, code, message, help, .. } = finding;
            let (severity, code, help) = (*severity, code.as_str(), help.as_deref());
            let thing = things.entry((Reverse(severity), code, message, help));
            let new = || Thing { severity, code, message, help, places: Vec::new() };
            thing.or_insert_with(new).places.push((entry, finding));
        }
    }
    things.into_values().collect()
}

/// Says whether a finding asks for something: it holds back or fails, or it is a warning that says what to do.
fn asks(finding: &FindingRecord) -> bool {
    finding.severity >= Severity::Unresolved || (finding.severity == Severity::Warning && finding.help.is_some())
}
