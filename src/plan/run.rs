//! What do the linked files of a run add to the plan?
//!
//! Every object is converted by itself, with what lenses see of the others. Then, under an assumption of what is held back,
//! references, versions and namespaces follow the objects that they name, and each file is planned.

use std::collections::BTreeMap;

use super::acknowledged;
use super::file::PlannedFile;
use super::fixpoint::hold_back;
use super::planner::Planner;
use super::styles::Styles;
use super::withheld::Withheld;
use crate::convert::Conversion;
use crate::edits::Rejected;
use crate::field::FieldPath;
use crate::finding::Finding;
use crate::links::following::Following;
use crate::links::kustomize_selectors::Selectors;
use crate::links::patches::{self, Patching};
use crate::links::references::RenamedObjects;
use crate::links::selectors::PatchedVersions;
use crate::links::states::States;
use crate::links::{
    Application, Carrier, File, Held, Id, Linked, Namespaces, VersionChanges, find_applications, unapplied,
};

/// Plans the linked ones among `files`, in their order, without changing what is `withheld`.
pub(super) fn plan(
    planner: &Planner<'_>,
    files: &[File<'_>],
    namespaces: &Namespaces<'_>,
    (styles, withheld): (&Styles, &Withheld),
) -> Vec<PlannedFile> {
    let mut linked = Linked::new(&planner.targets, files, namespaces);
    let goal = planner.goal();
    let is_known = |name: &str| planner.targets.is_kind_named(name) || goal.packs.of_group(name).is_some();
    let applications = find_applications(files, &is_known);
    let applied = linked.applied(&applications);
    let states = convert_all(planner, &mut linked, (&applied, &applications.elsewhere()));
    let patchings = Patching::all(&linked, &applied);
    let unapplied = unapplied::findings(&linked, &applications);
    let (selectors, staying) = (Selectors::new(&linked), unapplied::targets_that_stay(&linked, &unapplied));
    let patched = PatchedVersions::new(&linked, &applied);
    let links = Links {
        linked: &linked,
        patchings: &patchings,
        states: &states,
        selectors: &selectors,
        patched: &patched,
        unapplied: &unapplied,
        staying: &staying,
    };
    let first = unapplied::held(&linked, &applications)
        .into_iter()
        .chain(States::renamed(&linked))
        .chain(withheld.find(&linked))
        .collect();
    let kept = acknowledged::kept(planner, &linked);
    hold_back((&linked, &patchings, &states, &selectors), (first, kept), |held| attempt((planner, styles), links, held))
}

/// The linked files, and what Kustomize makes of them.
#[derive(Clone, Copy)]
struct Links<'l> {
    linked: &'l Linked<'l>,
    patchings: &'l [Patching],
    states: &'l States,
    selectors: &'l Selectors<'l>,
    patched: &'l PatchedVersions,
    unapplied: &'l BTreeMap<Id, Vec<Finding>>,
    /// The targets that stay as they are.
    staying: &'l BTreeMap<Id, Vec<FieldPath>>,
}

/// Converts every object by itself, and what patches and their objects build. Most runs need no index of the other objects.
fn convert_all(
    planner: &Planner<'_>,
    linked: &mut Linked<'_>,
    applications: (&[(Application, Id)], &[Carrier]),
) -> States {
    let none = planner.no_others();
    let conversions = linked.convert(&none);
    let states = States::new(linked, applications, &none);
    if !none.depends_on_other_objects() {
        linked.conversions = conversions;
        return states;
    }
    let indexed = linked.indexed_values();
    let others = linked.context(&indexed);
    let (conversions, states) = (linked.convert(&others), States::new(linked, applications, &others));
    drop(others);
    linked.conversions = conversions;
    states
}

/// Plans every linked file under the assumption of what is held back.
///
/// # Errors
/// The objects whose text cannot be changed.
fn attempt(
    (planner, styles): (&Planner<'_>, &Styles),
    links: Links<'_>,
    held: &Held,
) -> Result<Vec<PlannedFile>, Vec<(Id, Finding)>> {
    let linked = links.linked;
    let renamed = &RenamedObjects::new(linked, held);
    let changes = VersionChanges::new(linked, held);
    let following = &Following { linked, selectors: links.selectors, patched: links.patched, changes };
    let assumed = Assumed { held, renamed, following };
    let (mut planned, mut rejected) = (Vec::new(), Vec::new());
    for (file, manifest) in linked.manifests.iter().enumerate() {
        let mut findings: Vec<Finding> = Vec::new();
        let follow = |at| follow_links(links, assumed, (file, at), &mut findings);
        let conversions = (0..manifest.objects.len()).map(follow).collect();
        let reason = |at| {
            let reason = held.reason((file, at));
            let is_shown = |_: &&Finding| !held.is_kept((file, at)) || would_change(links, assumed, (file, at));
            reason.filter(is_shown).cloned()
        };
        match PlannedFile::new(planner, manifest, conversions, styles.around(&manifest.file), &reason, findings) {
            Ok(file) => planned.push(file),
            Err(more) => rejected.extend(with_file(file, more)),
        }
    }
    if rejected.is_empty() { Ok(planned) } else { Err(rejected) }
}

/// What is assumed to be held back, and what objects follow under that assumption.
#[derive(Clone, Copy)]
struct Assumed<'f, 'l> {
    held: &'f Held,
    /// The objects whose kinds change.
    renamed: &'f RenamedObjects<'f>,
    following: &'f Following<'f, 'l>,
}

/// Lets namespace, references and versions in one object follow the objects that they name.
fn follow_links(links: Links<'_>, assumed: Assumed<'_, '_>, id: Id, findings: &mut Vec<Finding>) -> Option<Conversion> {
    let (Links { linked, states, unapplied, .. }, Assumed { held, renamed, .. }) = (links, assumed);
    let object = linked.object(id);
    findings.extend(states.carriers.reasons(held, id).chain(held.reported(id)).cloned());
    findings.extend(unapplied.get(&id).into_iter().flatten().cloned());
    if held.contains(id) {
        findings.extend(renamed.outdated(linked, id));
        let made = linked.conversion(id).cloned();
        let made = made.unwrap_or_else(|| Conversion::unchanged(object));
        return Some(if held.is_kept(id) { acknowledged::leave(made, object) } else { made.hold_back(object) });
    }
    follow(links, assumed, id, findings)
}

/// Returns whether an object that is left as it is would change otherwise.
fn would_change(links: Links<'_>, assumed: Assumed<'_, '_>, id: Id) -> bool {
    follow(links, assumed, id, &mut Vec::new()).is_some_and(|made| !made.program.is_empty())
}

/// Lets an object that is not held back follow the objects that it names.
fn follow(links: Links<'_>, assumed: Assumed<'_, '_>, id: Id, findings: &mut Vec<Finding>) -> Option<Conversion> {
    let (Links { linked, patchings, states, staying, .. }, Assumed { held, renamed, following }) = (links, assumed);
    let object = linked.object(id);
    let made = linked.conversion(id).cloned();
    let made = patches::follow_namespace(linked, patchings, id, made, held);
    let made = states.carriers.follow(object, id, made, held);
    let made = renamed.update(linked, id, made, findings);
    let made = following.update(id, made, findings);
    let made = match staying.get(&id) {
        Some(targets) => made.map(|made| made.without(object, targets)),
        None => made,
    };
    made.map(|made| made.settled(object))
}

fn with_file(file: usize, rejected: Rejected) -> impl Iterator<Item = (Id, Finding)> {
    rejected.into_iter().map(move |(at, finding)| ((file, at), finding))
}
