//! Whether the served versions of one CRD can hold the same objects.

use super::change::{Change, Class};
use super::schema;
use super::set::{Crd, CrdSet, Version};
use crate::engine::finding::Code;

/// Compares each version that is served with the one in which objects are stored. A webhook can do anything, so that nothing is said
/// of its CRDs.
pub(super) fn changes(set: &CrdSet<'_>) -> Vec<Change> {
    set.crds.values().filter(|crd| !crd.has_webhook()).flat_map(of_crd).collect()
}

fn of_crd(crd: &Crd<'_>) -> Vec<Change> {
    let versions = crd.versions();
    let Some(stored) = versions.iter().copied().find(Version::is_stored) else { return Vec::new() };
    let served = versions.iter().copied().filter(|version| version.is_served() && version.name != stored.name);
    served.flat_map(|version| of_version(crd, version, stored)).collect()
}

fn of_version(crd: &Crd<'_>, version: Version<'_>, stored: Version<'_>) -> Vec<Change> {
    let Some((own, kept)) = version.schema().zip(stored.schema()) else { return Vec::new() };
    let lost = |change: Change| {
        let text = match (change.code, change.class) {
            (Code::CrdFieldRemoved, Some(Class::Breaking)) => {
                format!("the storage version {} does not have the field", stored.name)
            }
            (Code::CrdFieldAdded, Some(Class::Additive)) => {
                format!("the version does not have the field of the storage version {}", stored.name)
            }
            (Code::CrdFieldRenamed, _) => format!("in the storage version {}, it {}", stored.name, change.text),
            (Code::CrdType, Some(Class::Breaking)) => {
                format!("in the storage version {}, {}", stored.name, change.text)
            }
            _ => return None,
        };
        Some(Change { code: Code::CrdRoundTrip, class: None, text, ..change })
    };
    schema::changes(crd, version.name, own, kept).into_iter().filter_map(lost).collect()
}
