//! The releases that an object can be for, by its fields: a document does not hold these, a plan does.

use std::collections::BTreeMap;

use crate::engine::finding::Location;
use crate::engine::infer::{infer, kind_evidence};
use crate::engine::plan::ObjectPlan;
use crate::knowledge::pack::Packs;
use crate::shell::report::detect::outdated;
use crate::shell::report::detection::{Api, Detected};

/// The releases that an object can be for.
pub(crate) struct ShownEvidence {
    pub(super) releases: String,
    /// The fields that show it, each with its releases.
    pub(super) fields: Vec<(String, String)>,
}

/// Says of a detected object how old its apiVersion is, which releases it can be for, and which fields show that.
pub(super) fn of_detected(detected: &Detected<'_>, apis: &[Api<'_>]) -> ShownEvidence {
    let line = detected.pack.line();
    let releases = match detected.inference.is_conflict() {
        true => detected.releases(),
        false => format!("it fits {}", detected.releases()),
    };
    let facts = detected.inference.evidence.iter();
    let fields = facts.map(|fact| (fact.path.to_string(), line.describe(fact.releases))).collect();
    let outdated = outdated(detected, apis).map(|age| format!(", {age}")).unwrap_or_default();
    ShownEvidence { releases: format!("{}{outdated}; {releases}", detected.kind.1), fields }
}

/// Says of each object which releases have every field of it as it was read, and which fields show that.
pub(crate) fn evidence(objects: &[ObjectPlan], packs: &Packs) -> BTreeMap<Location, ShownEvidence> {
    objects.iter().filter_map(|object| Some((object.location.clone(), of(object, packs)?))).collect()
}

fn of(object: &ObjectPlan, packs: &Packs) -> Option<ShownEvidence> {
    let (kind, version) = &object.from;
    let pack = packs.of_group(&kind.group)?;
    let catalog = pack.catalog(kind)?;
    let data = object.data.as_ref().expect("a plan that is printed as HTML was made with the data of its objects");
    let inference = infer(&data.before, catalog, &version.version);
    let line = pack.line();
    let (releases, of_kind) = match inference.is_conflict() {
        true => ("no release has all its fields".to_owned(), None),
        false => {
            let releases = format!("all its fields are in {}", line.describe(inference.candidates));
            (releases, kind_evidence(catalog, line))
        }
    };
    let facts = of_kind.iter().chain(&inference.evidence);
    let fields = facts.map(|fact| (fact.path.to_string(), line.describe(fact.releases))).collect();
    Some(ShownEvidence { releases, fields })
}
