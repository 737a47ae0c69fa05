//! What do the files of a group add to the plan?
//!
//! [`GroupPlanner::new`] converts every object by itself, and what patches and their objects build. Then, under an assumption of what
//! is held back, references, versions and namespaces follow the objects that they name, and each file is planned
//! ([`GroupPlanner::plan`]).

use std::collections::BTreeMap;

use super::acknowledged;
use super::chart_files::Chart;
use super::data_files;
use super::file::PlannedFile;
use super::fixpoint::hold_back;
use super::planner::Planner;
use super::styles::Styles;
use super::withheld::Withheld;
use crate::engine::convert::{Conversion, Documents, SplitOff};
use crate::engine::edits::Rejected;
use crate::engine::finding::{Finding, Severity};
use crate::engine::links::following::Following;
use crate::engine::links::kustomize_selectors::Selectors;
use crate::engine::links::patches::{self, Patching};
use crate::engine::links::references::{PatchedReferences, References};
use crate::engine::links::states::States;
use crate::engine::links::{
    Group, Held, Id, Run, TiedFiles, VersionChanges, affixes, given_namespaces, is_outdated, merged_values, part_names,
    split_objects, unapplied,
};
use crate::engine::manifest::{Embedded, Manifest, Object};
use crate::engine::notices::{embedded_objects, rbac};
use crate::knowledge::lens::Context;
use crate::syntax::field::FieldPath;

/// What the planning of every group of a run needs.
pub(super) struct GroupContext<'r> {
    pub(super) planner: &'r Planner<'r>,
    pub(super) run: &'r Run<'r>,
    /// The other objects that lenses read.
    pub(super) others: &'r Context<'r>,
    pub(super) styles: &'r Styles<'r>,
    /// Whether files can get documents, and lose them.
    pub(super) documents: Documents,
    /// How many threads plan; 0 for as many as there are processors.
    pub(super) threads: usize,
}

/// The files of a group, and what Kustomize makes of them.
pub(super) struct GroupPlanner<'g> {
    shared: &'g GroupContext<'g>,
    group: &'g Group,
    pub(super) linked: TiedFiles<'g>,
    pub(super) patchings: Vec<Patching>,
    pub(super) states: States,
    patched: PatchedReferences,
    /// What is reported of what is applied to no known object.
    unapplied: BTreeMap<Id, Vec<Finding>>,
    /// The targets of inline patches that stay as they are.
    staying: BTreeMap<Id, Vec<FieldPath>>,
    /// The objects that become parts of others, each with the one that it becomes a part of.
    parts: BTreeMap<Id, Id>,
    /// The objects inside other data of files that are not what the target needs.
    embedded: BTreeMap<usize, Vec<&'g Embedded>>,
}

/// What the objects of a group follow under an assumption of what is held back.
struct Followed<'f, 's> {
    held: &'f Held,
    references: References<'f>,
    /// The versions that objects get, and what selects them.
    following: Following<'f, 's>,
}

impl<'g> GroupPlanner<'g> {
    /// Converts the objects of `manifests`, which are those of the group.
    pub(super) fn new(
        shared: &'g GroupContext<'g>,
        group: &'g Group,
        manifests: impl IntoIterator<Item = (usize, &'g Manifest)>,
    ) -> Self {
        let applied = (&*group.applications, &*group.namesakes);
        let mut linked = TiedFiles::new(shared.run, manifests, applied, shared.others, shared.threads);
        let mut states = States::new(&linked, &unapplied::elsewhere(&group.unmade), shared.others);
        linked.take_judged(states.take_judged());
        let unapplied = unapplied::findings(&linked, &group.unmade, shared.others);
        Self {
            patchings: Patching::all(&linked),
            patched: PatchedReferences::new(&linked),
            staying: unapplied::targets_that_stay(&linked, &unapplied),
            parts: split_objects::parts(&linked),
            embedded: embedded(&linked, shared.others),
            shared,
            group,
            linked,
            states,
            unapplied,
        }
    }

    /// Plans every file, in their order, without changing what is `withheld`.
    pub(super) fn plan(&self, withheld: &Withheld) -> Vec<PlannedFile> {
        let linked = &self.linked;
        let held_first = unapplied::held(linked, &self.group.unmade)
            .into_iter()
            .chain(affixes::find(linked))
            .chain(given_namespaces::find(linked))
            .chain(merged_values::find(linked))
            .chain(part_names::find(linked))
            .chain(split_objects::find(linked, self.shared.documents))
            .chain(withheld.find(linked))
            .chain(acknowledged::unclear(self.shared.planner, linked))
            .collect();
        let kept = acknowledged::kept(self.shared.planner, linked);
        let kept = kept.into_iter().chain(data_files::kept(linked)).collect();
        let selectors = Selectors::new(linked);
        let attempt = |held: &Held| self.attempt(&selectors, held);
        hold_back(linked, &self.patchings, &self.states, &selectors, held_first, kept, attempt)
    }

    /// Plans every file under the assumption of what is held back.
    ///
    /// # Errors
    /// The objects whose text cannot be changed.
    fn attempt(&self, selectors: &Selectors<'_>, held: &Held) -> Result<Vec<PlannedFile>, Vec<(Id, Finding)>> {
        let linked = &self.linked;
        let changes = VersionChanges::new(linked, held);
        let following = Following { tied: linked, selectors, changes };
        let followed = Followed { held, references: References::new(linked, held, &self.patched), following };
        let (mut planned, mut rejected) = (Vec::new(), Vec::new());
        for (file, manifest) in self.linked.files() {
            match self.plan_file(file, manifest, &followed) {
                Ok(file) => planned.push(file),
                Err(more) => rejected.extend(more.into_iter().map(|(at, finding)| (Id { file, at }, finding))),
            }
        }
        if rejected.is_empty() { Ok(planned) } else { Err(rejected) }
    }

    fn plan_file(
        &self,
        file: usize,
        manifest: &Manifest,
        followed: &Followed<'_, '_>,
    ) -> Result<PlannedFile, Rejected> {
        let GroupContext { planner, styles, run, threads, .. } = *self.shared;
        let mut findings: Vec<Finding> = Vec::new();
        let objects = 0..manifest.objects.len();
        let conversions: Vec<_> = objects.map(|at| self.settle(Id { file, at }, followed, &mut findings)).collect();
        // What cannot follow is known only here.
        let blocked = |(at, made): (usize, &Option<Conversion>)| {
            let id = Id { file, at };
            let block = made.as_ref()?.blocks.first().filter(|_| !followed.held.contains(id))?;
            Some((at, self.linked.finding(id, block, Severity::Held)))
        };
        let first = manifest.objects.first().zip(conversions.first());
        let chart = first.and_then(|(object, made)| Chart::of(object, made.as_ref()));
        let rejected: Rejected = conversions.iter().enumerate().filter_map(blocked).collect();
        if !rejected.is_empty() {
            return Err(rejected);
        }
        if let Some(outdated) = self.embedded.get(&file) {
            let gives_values = manifest.objects.iter().any(|object| run.gives_values(object));
            findings.extend(embedded_objects::finding(manifest, &conversions, outdated, gives_values));
        }
        let reason = |at| {
            let id = Id { file, at };
            let is_shown = |_: &&Finding| !followed.held.is_kept(id) || self.would_change(id, followed);
            followed.held.reason(id).filter(is_shown).cloned()
        };
        let mut planned = PlannedFile::new(
            planner,
            manifest,
            conversions,
            &|| styles.around(&manifest.file),
            threads,
            &reason,
            findings,
        )?;
        if let Some(chart) = chart {
            let followed = chart.follow(&mut planned, run.files[file].chart.as_deref());
            followed.map_err(|why| vec![(0, self.linked.finding(Id { file, at: 0 }, &why, Severity::Held))])?;
        }
        data_files::report(run, &mut planned);
        Ok(planned)
    }

    /// Returns what becomes of an object: where it is held back, it stays as it is.
    fn settle(&self, id: Id, followed: &Followed<'_, '_>, findings: &mut Vec<Finding>) -> Option<Conversion> {
        let (object, held) = (self.linked.object(id), followed.held);
        findings.extend(self.states.instructions.reasons(held, id).chain(held.reported(id)).cloned());
        findings.extend(self.unapplied.get(&id).into_iter().flatten().cloned());
        if held.contains(id) {
            findings.extend(followed.references.left(id));
            let made = self.linked.conversion(id).cloned();
            let made = made.unwrap_or_else(|| Conversion::unchanged(object));
            return Some(if held.is_kept(id) { acknowledged::leave(made, object) } else { made.hold_back(object) });
        }
        if let Some(whole) = self.parts.get(&id) {
            return Some(split_objects::removed(&self.linked, object, *whole));
        }
        self.follow(id, followed, findings)
    }

    /// Returns whether an object that is left as it is would change otherwise.
    fn would_change(&self, id: Id, followed: &Followed<'_, '_>) -> bool {
        self.follow(id, followed, &mut Vec::new()).is_some_and(|made| !made.program.is_empty())
    }

    /// Lets the objects that parts of an object became follow the objects that they name.
    fn follow_parts(id: Id, made: Conversion, followed: &Followed<'_, '_>, findings: &mut Vec<Finding>) -> Conversion {
        let follow = |part: SplitOff, findings: &mut Vec<Finding>| {
            let made = followed.references.update(id, Some(part.made), findings);
            SplitOff { made: made.expect("there was one before"), ..part }
        };
        let split_off = made.split_off.iter().cloned().map(|part| follow(part, findings)).collect();
        Conversion { split_off, ..made }
    }

    /// Lets an object that is not held back follow the objects that it names.
    fn follow(&self, id: Id, followed: &Followed<'_, '_>, findings: &mut Vec<Finding>) -> Option<Conversion> {
        let linked = &self.linked;
        let object = linked.object(id);
        let made = linked.conversion(id).cloned();
        let made = patches::follow_namespace(linked, &self.patchings, id, made, followed.held);
        let mut made = self.states.instructions.follow(object, id, made, followed.held);
        if linked.has_names(id) {
            made = followed.references.update(id, made, findings);
            made = followed.following.update(id, made, findings);
            made = made.map(|made| Self::follow_parts(id, made, followed, findings));
        }
        let mut further = rbac::extensions(object, linked.targets);
        further.extend(Chart::of(object, made.as_ref()).and_then(|chart| chart.changes()));
        if !further.is_empty() {
            made = Conversion::with(made, object, further);
        }
        let mut staying = self.staying.get(&id).cloned().unwrap_or_default();
        staying.extend(self.states.instructions.held_patches(followed.held, id));
        made.map(|made| made.without(object, &staying).settled(object))
    }
}

/// Returns the objects inside other data of each file that are not what the target needs.
fn embedded<'g>(linked: &TiedFiles<'g>, others: &Context<'_>) -> BTreeMap<usize, Vec<&'g Embedded>> {
    let files = linked.files().filter(|(_, manifest)| !manifest.embedded.is_empty());
    let outdated = |(file, manifest): (usize, &'g Manifest)| {
        let needs_change = |object: &Object| is_outdated(linked, &manifest.file, object, others);
        (file, embedded_objects::outdated(manifest, &needs_change))
    };
    files.map(outdated).collect()
}
