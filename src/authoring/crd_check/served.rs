//! Whether the versions of one CRD can hold the same objects: those that are served, and those that were and are stored in another one now.

use super::change::{Change, Class};
use super::schema;
use super::set::{Crd, CrdSet, Version};
use crate::engine::finding::Code;

/// Compares each version that is served with the one in which objects are stored. A webhook can do anything, so that nothing is said
/// of its CRDs.
pub(super) fn changes(set: &CrdSet<'_>) -> Vec<Change> {
    set.crds.values().filter(|crd| !crd.has_webhook()).flat_map(of_crd).collect()
}

/// Lists what objects lose of each version that the old CRD served and the new one does not: they are read in the one in which objects are
/// stored now.
pub(super) fn replaced(old: &CrdSet<'_>, new: &CrdSet<'_>) -> Vec<Change> {
    let pairs = old.crds.iter().filter_map(|(name, crd)| Some((crd, new.crds.get(name)?)));
    pairs.filter(|(_, new)| !new.has_webhook()).flat_map(|(old, new)| replaced_versions(old, new)).collect()
}

/// Lists how objects change that get another version: a new one, from that in which they were stored, and the one in which they are stored now,
/// from those that are not served any more.
pub(super) fn between_versions(old: &CrdSet<'_>, new: &CrdSet<'_>) -> Vec<Change> {
    let pairs = old.crds.iter().filter_map(|(name, crd)| Some((crd, new.crds.get(name)?)));
    let of_pair = |(old, new): (&Crd<'_>, &Crd<'_>)| {
        let [before, after] = [old, new].map(stored);
        let came = new.versions().into_iter().filter(|version| old.version(version.name).is_none());
        let came = came.filter_map(|version| Some((version.name, [before?, version])));
        let gone = after.map(|after| gone(old, new, after).into_iter().map(move |from| (from.name, [from, after])));
        let change = |(name, [from, to]): (&str, [Version<'_>; 2])| {
            let schemas = [from.schema()?, to.schema()?];
            Some(schema::changes(new, name, schemas, Default::default()))
        };
        came.chain(gone.into_iter().flatten()).filter_map(change).flatten().collect::<Vec<_>>()
    };
    pairs.flat_map(of_pair).collect()
}

/// Returns the version in which objects are stored.
fn stored<'c>(crd: &'c Crd<'_>) -> Option<Version<'c>> {
    crd.versions().into_iter().find(Version::is_stored)
}

/// Lists the versions in which objects could be written, and cannot any more, but for the one in which they are stored.
fn gone<'c>(old: &'c Crd<'_>, new: &Crd<'_>, stored: Version<'_>) -> Vec<Version<'c>> {
    let is_served = |name: &str| new.version(name).is_some_and(|version| version.is_served());
    let is_gone =
        |version: &Version<'_>| version.is_in_use() && !is_served(version.name) && version.name != stored.name;
    old.versions().into_iter().filter(is_gone).collect()
}

fn replaced_versions(old: &Crd<'_>, new: &Crd<'_>) -> Vec<Change> {
    let Some(stored) = stored(new) else { return Vec::new() };
    let lost = gone(old, new, stored).into_iter().flat_map(|version| of_version(new, version, stored));
    // What only the storage version has or accepts is lost by none, and what was written has its defaults.
    let is_lost = |found: &Difference| {
        !matches!(found.code, Code::CrdFieldAdded | Code::CrdDefault) && found.class != Some(Class::Loosened)
    };
    lost.filter(is_lost).map(|found| found.change).collect()
}

fn of_crd(crd: &Crd<'_>) -> Vec<Change> {
    let Some(stored) = stored(crd) else { return Vec::new() };
    let served = crd.versions().into_iter().filter(|version| version.is_served() && version.name != stored.name);
    served.flat_map(|version| of_version(crd, version, stored)).map(|found| found.change).collect()
}

/// What keeps two versions from holding the same objects.
struct Difference {
    /// The check that found it, and what it is from the version to the one in which objects are stored.
    code: Code,
    class: Option<Class>,
    /// What is reported.
    change: Change,
}

/// Lists what one of two versions cannot hold of the other.
fn of_version(crd: &Crd<'_>, version: Version<'_>, stored: Version<'_>) -> Vec<Difference> {
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
            (Code::CrdType, Some(Class::Breaking | Class::Loosened)) | (Code::CrdDefault, _) => {
                format!("in the storage version {}, {}", stored.name, change.text)
            }
            (Code::CrdUnknownFields, Some(Class::Loosened)) => {
                format!(
                    "in the storage version {}, fields are kept that no schema names, and here they are not",
                    stored.name
                )
            }
            (Code::CrdUnknownFields, _) => {
                format!(
                    "in the storage version {}, fields are removed that no schema names, and here they are not",
                    stored.name
                )
            }
            _ => return None,
        };
        let (code, class) = (change.code, change.class);
        Some(Difference { code, class, change: Change { code: Code::CrdRoundTrip, class: None, text, ..change } })
    };
    schema::changes(crd, version.name, [own, kept], Default::default()).into_iter().filter_map(lost).collect()
}
