//! What do the linked files of a run add to the plan?
//!
//! Every object is converted by itself, with what lenses see of the others. Then, under an assumption of what is held back,
//! references, versions and namespaces follow the objects that they name, and each file is planned.

use super::file::PlannedFile;
use super::fixpoint::hold_back;
use super::planner::Planner;
use super::withheld::Withheld;
use crate::convert::Conversion;
use crate::edits::Rejected;
use crate::finding::Finding;
use crate::links::merge::MergedConversion;
use crate::links::patches::{self, Patching};
use crate::links::references::RenamedObjects;
use crate::links::selectors::{self, VersionChanges};
use crate::links::{File, Held, Id, Linked, Namespaces, unresolved_selectors};

/// Plans the linked ones among `files`, in their order, without changing what is `withheld`.
pub(super) fn plan(
    planner: &Planner<'_>,
    files: &[File<'_>],
    namespaces: &Namespaces<'_>,
    withheld: &Withheld,
) -> Vec<PlannedFile> {
    let mut linked = Linked::new(&planner.targets, files, namespaces);
    let patchings = Patching::all(files);
    let merged = convert_all(planner, &mut linked, &patchings);
    hold_back(&linked, &patchings, &merged, withheld.find(&linked), |held| attempt(planner, &linked, &patchings, held))
}

/// Converts every object by itself, and what patches and their objects build. Most runs need no index of the other objects.
fn convert_all(planner: &Planner<'_>, linked: &mut Linked<'_>, patchings: &[Patching<'_>]) -> Vec<MergedConversion> {
    let none = planner.no_others();
    let conversions = linked.convert(&none);
    let merged = MergedConversion::all(linked, patchings, &none);
    if !none.depends_on_other_objects() {
        linked.conversions = conversions;
        return merged;
    }
    let indexed = linked.indexed_values();
    let others = linked.context(&indexed);
    let (conversions, merged) = (linked.convert(&others), MergedConversion::all(linked, patchings, &others));
    drop(others);
    linked.conversions = conversions;
    merged
}

/// Plans every linked file under the assumption of what is held back.
///
/// # Errors
/// The objects whose text cannot be changed.
fn attempt(
    planner: &Planner<'_>,
    linked: &Linked<'_>,
    patchings: &[Patching<'_>],
    held: &Held,
) -> Result<Vec<PlannedFile>, Vec<(Id, Finding)>> {
    let (objects, changes) = (RenamedObjects::new(linked, held), selectors::changes(linked, held));
    let mut unresolved = unresolved_selectors::findings(linked, &changes);
    let (mut planned, mut rejected) = (Vec::new(), Vec::new());
    for (file, manifest) in linked.manifests.iter().enumerate() {
        let mut findings: Vec<Finding> = unresolved.remove(&file).unwrap_or_default();
        let follow = |at| follow_links(linked, patchings, held, (&objects, &changes), (file, at), &mut findings);
        let conversions = (0..manifest.objects.len()).map(follow).collect();
        let reason = |at| held.reason((file, at)).cloned();
        match PlannedFile::new(planner, manifest, conversions, &reason, findings) {
            Ok(file) => planned.push(file),
            Err(more) => rejected.extend(with_file(file, more)),
        }
    }
    if rejected.is_empty() { Ok(planned) } else { Err(rejected) }
}

/// Lets namespace, references and versions in one object follow the objects that they name.
fn follow_links(
    linked: &Linked<'_>,
    patchings: &[Patching<'_>],
    held: &Held,
    (objects, changes): (&RenamedObjects<'_>, &VersionChanges<'_>),
    id: Id,
    findings: &mut Vec<Finding>,
) -> Option<Conversion> {
    let (manifest, object) = (linked.manifest(id), linked.object(id));
    let made = linked.conversion(id).cloned();
    if held.contains(id) {
        findings.extend(objects.outdated(linked, id));
        return made.map(|made| made.hold_back(object));
    }
    let made = patches::follow_namespace(linked, patchings, id, made, held);
    let made = objects.update(linked, id, made, findings);
    let made = selectors::update(object, made, changes, linked.targets);
    findings.extend(selectors::findings(manifest, object, changes, linked.targets));
    made
}

fn with_file(file: usize, rejected: Rejected) -> impl Iterator<Item = (Id, Finding)> {
    rejected.into_iter().map(move |(at, finding)| ((file, at), finding))
}
