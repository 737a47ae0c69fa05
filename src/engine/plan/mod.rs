//! Answers: what must be done to every file of a run to take its objects to the targets?
//!
//! The pipeline, for a run over files that are read one by one, in any order and by several threads:
//! 1. [`Surveyor::survey`]: what the rest of the run needs to know of each file, while it is read; nothing is converted;
//! 2. [`plan_files`]: all surveys together show the run (`links::Run`) and which files are tied (`links::ties`); each group of files is
//!    planned (`group`, with `fixpoint` for what is held back because something else is) by one of several threads, which reads the
//!    files of the group again and drops them; all plans are put together (`assemble`).
//!
//! Parts: `planner` `manifests` (the files, read again, and the objects that lenses read) `scope` (which files are reported and
//! written); `file` (the plan of one file, and the severities of its findings)
//! `group` (of files, planned together) `fixpoint` (what is held back because something else is) `withheld` (because of files
//! that could not be read) `listed` (because of files that are not listed) `acknowledged` (findings that a comment or the
//! configuration accepts) `data_files` (of ConfigMaps) `recognizer` (which files packs can be about) `assemble` (the plans of all files, those `outside` of the run left out) `chart_files` (beside a Chart.yaml) `styles` (of
//! neighbours) `templates` (of charts, in readings) `template_plan` (what becomes of one) `reading_plan` `planned_text` (of one of its readings) `relevant_blocks` (which readings it needs) `definitions` (what is known of it before) `printed_types` (the types of its objects that actions print) `printed_references` (what they print to name others) `repeated_items` (of lists, by ranges) `unknown_types` (what is not known of a chart) `chart_report` (what becomes of it) `kube_versions` (that they are for); `origins` (of the objects of a manifest that is a run of its own).
//!
//! Invariant: pure; a plan holds only edits that passed double entry.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};

use crate::engine::finding::Location;
use crate::engine::links::{CrdSurvey, Group, Run, groups, unapplied};
use crate::engine::manifest::Manifest;
use crate::knowledge::lens::Context;
use crate::syntax::parallel;

mod planner;
mod recognizer;

mod file;
mod manifests;
mod scope;
mod styles;

mod acknowledged;
mod assemble;
mod data_files;
mod outside;
mod withheld;

mod fixpoint;
mod group;

mod definitions;
mod kube_versions;
mod planned_text;
mod printed_references;
mod printed_types;
mod reading_plan;
mod relevant_blocks;
mod repeated_items;
mod template_plan;
mod templates;
mod unknown_types;

mod chart_files;
mod chart_report;
mod listed;

mod origins;

pub use crate::engine::convert::{
    ANNOTATION, AllowedLoss, Choices, Goal, Ignored, Keeping, MAX_STASH, ObjectPlan, Outcome, Record, Schema, Sides,
    allowed_losses,
};
pub(crate) use crate::engine::convert::{
    ChartValues, Comments, Documents, FileChoices, FileSet, Mistakes, VersionChoice, change, inference_findings,
};
pub use crate::engine::links::{FileSurvey, Surveyor};
pub use crate::engine::notices::advisories::RunAdvisory;
pub use assemble::Plan;
pub(crate) use chart_files::{LOCK, OLD_LOCK, REQUIREMENTS};
pub(crate) use chart_report::CHART;
pub(crate) use definitions::{Definitions, TemplateFile};
pub(crate) use kube_versions::excluded;
pub(crate) use manifests::Manifests;
pub(crate) use outside::NamedOutside;
pub use planner::Planner;
pub(crate) use printed_types::{leaves_type, leaves_version};
pub use recognizer::recognizer;
pub use scope::Scope;
pub(crate) use scope::{Dependent, Listed, Others};
pub use templates::Templates;
pub(crate) use templates::printed_version;
pub(crate) use withheld::LeftOut;

use crate::engine::notices::old_names::KindsOfRun;
use assemble::assemble;
use file::PlannedFile;
use group::{GroupContext, GroupPlanner};
use manifests::{ReadObjects, read_other_objects, read_sources};
use origins::with_origins_in;
use relevant_blocks::Views;
use styles::Styles;
use templates::TemplatePlanner;
use withheld::Withheld;

/// How many groups of files a thread plans at once.
const GROUPS_AT_ONCE: usize = 8;

/// Plans the run over `manifests`, sorted by file.
pub fn plan(manifests: &[Manifest], goal: &Goal<'_>) -> Plan {
    plan_with(manifests, None, goal)
}

/// Plans the run over `manifest` alone, whose objects show the releases that they come from, where `goal` does not say it.
pub fn plan_alone(manifest: &Manifest, goal: &Goal<'_>) -> Plan {
    let choices = with_origins_in(manifest, goal);
    plan(std::slice::from_ref(manifest), &Goal { packs: goal.packs, targets: goal.targets.clone(), choices })
}

/// Plans the run over `manifests`, sorted by file, and these templates.
pub(crate) fn plan_with(manifests: &[Manifest], templates: Option<Templates<'_>>, goal: &Goal<'_>) -> Plan {
    let surveyor = Surveyor::new(goal.packs, &goal.targets);
    let surveys: Vec<FileSurvey> = manifests.iter().map(|manifest| surveyor.survey(manifest)).collect();
    let scope = Scope { templates, ..Scope::default() };
    let Ok(plan) = plan_files(&Planner::new(goal), &surveys, &manifests, &scope);
    plan
}

/// Plans a run over files of which `surveys` were taken, in their order, for what `scope` is about.
///
/// # Errors
/// One of `manifests` cannot be read again.
pub fn plan_files<M: Manifests>(
    planner: &Planner<'_>,
    surveys: &[FileSurvey],
    manifests: &M,
    scope: &Scope<'_>,
) -> Result<Plan, M::Error> {
    plan_groups(planner, surveys, manifests, scope, &may_report)
}

/// Returns whether a group is to be planned.
type IsPlanned<'i> = &'i dyn Fn(&GroupContext<'_>, &Group, &Withheld) -> bool;

/// Plans the groups of files for which `is_planned` holds.
fn plan_groups<M: Manifests>(
    planner: &Planner<'_>,
    surveys: &[FileSurvey],
    manifests: &M,
    scope: &Scope<'_>,
    is_planned: IsPlanned<'_>,
) -> Result<Plan, M::Error> {
    let mut run = Run::new(&planner.targets, surveys);
    run.sources = read_sources(&run, manifests)?;
    run.other_objects = read_other_objects(&run, manifests);
    let withheld = Withheld::without(scope.left_out, &run).and(scope.declined);
    let objects = ReadObjects::read(&run, manifests)?;
    let parameters = &planner.goal().choices.parameters;
    let others = if objects.is_empty() { Context::default() } else { Context::new(objects.views(), run.builds()) };
    let others = others.with_parameters(parameters);
    let styles = Styles::of(surveys);
    let documents = planner.goal().choices.documents;
    let threads = scope.threads;
    let shared = GroupContext { planner, run: &run, others: &others, styles: &styles, documents, threads };
    let plan = |group: &Group| plan_group(&shared, group, manifests, scope, &withheld);
    let mut groups = groups(&run);
    groups.retain(|group| is_planned(&shared, group, &withheld));
    groups.shrink_to_fit();
    let planned = parallel::map(groups.len(), GROUPS_AT_ONCE, threads, &|at| plan(&groups[at]));
    let planned: Vec<Planned> = planned.into_iter().collect::<Result<_, _>>()?;
    let mut planned: Planned = planned.into_iter().flatten().collect();
    planned.sort_by_key(|(file, _)| *file);
    // Each in its box: in a list that grows, the plans of many files would take twice the memory.
    let mut planned: Vec<Box<PlannedFile>> = planned.into_iter().map(|(_, planned)| planned).collect();
    let mut kinds = KindsOfRun::default();
    let outcomes = planned.iter().flat_map(|planned| &planned.objects);
    outcomes.for_each(|object| kinds.add(object, &planner.targets.renames));
    planned.iter_mut().for_each(|planned| planned.settle_names(&kinds));
    if let Some(Templates { files, recognizer }) = scope.templates.filter(|templates| !templates.files.is_empty()) {
        let goal = planner.goal();
        let surveyor = &Surveyor::new(goal.packs, &goal.targets);
        let elsewhere = Context::new(objects.views_from_elsewhere(), run.builds()).with_parameters(parameters);
        let shared = GroupContext { others: &elsewhere, ..shared };
        let declined = scope.declined;
        let views = &Views::new(goal);
        let templates = TemplatePlanner { shared: &shared, objects: &objects, surveyor, declined, recognizer, views };
        planned.extend(templates.plan_all(files, scope.threads).into_iter().map(Box::new));
        planned.sort_by(|one, other| one.file.cmp(&other.file));
    }
    // The plans are put together in the space of what they were made with.
    drop(others);
    drop(objects);
    drop(run);
    let built = planned.iter_mut().flat_map(|planned| std::mem::take(&mut planned.built_crds));
    let built: BTreeMap<Location, Option<CrdSurvey>> = built.map(|crd| (crd.location, crd.built)).collect();
    let crds = surveys.iter().flat_map(|survey| &survey.rare().crds);
    let crds = crds.filter_map(|crd| built.get(&crd.location).map_or(Some(crd), Option::as_ref));
    let plan = assemble(planner, planned.into_boxed_slice(), crds, scope);
    Ok(Plan { groups: groups_that_change(&plan, &groups, surveys), ..plan })
}

/// Returns the names of the files that `plan` changes, for each group with several of them.
fn groups_that_change(plan: &Plan, groups: &[Group], surveys: &[FileSurvey]) -> Vec<Vec<String>> {
    let changed: BTreeSet<&str> = plan.files.iter().map(|file| file.file.as_str()).collect();
    let of_group = |group: &Group| -> Vec<String> {
        let names = group.files.iter().map(|file| &surveys[*file].file);
        names.filter(|name| changed.contains(name.as_str())).cloned().collect()
    };
    groups.iter().filter(|group| group.files.len() > 1).map(of_group).filter(|names| names.len() > 1).collect()
}

/// Returns whether there may be anything in the plan of a group. Of what depends on a file that could not be read, and of data of
/// generators, every patch is reported.
fn may_report(shared: &GroupContext<'_>, group: &Group, withheld: &Withheld) -> bool {
    let GroupContext { planner, run, .. } = *shared;
    let [file] = group.files[..] else { return true };
    let file = &run.files[file];
    let is_applied = !group.applications.is_empty() || unapplied::may_concern(&planner.targets, &group.unmade);
    is_applied
        || !file.is_unknown
        || withheld.has(&file.file)
        || run.data_of(&file.file).is_some()
        || planner.may_concern(file.objects.iter().map(|object| &object.kind))
}

/// The plans of files, with their numbers.
type Planned = Vec<(usize, Box<PlannedFile>)>;

fn plan_group<M: Manifests>(
    shared: &GroupContext<'_>,
    group: &Group,
    manifests: &M,
    scope: &Scope<'_>,
    withheld: &Withheld,
) -> Result<Planned, M::Error> {
    let read = group.files.iter().map(|file| Ok((*file, manifests.take(*file)?)));
    let read = read.collect::<Result<Vec<_>, M::Error>>()?;
    let planner = GroupPlanner::new(shared, group, read.iter().map(|(file, manifest)| (*file, manifest.borrow())));
    let mut planned = planner.plan(withheld);
    if let Some(listed) = scope.listed.filter(|listed| !listed.is_as_whole()) {
        planned = listed::limited(&planner, planned, listed, withheld);
    }
    let mut planned: Planned = group.files.iter().copied().zip(planned.into_iter().map(Box::new)).collect();
    for (id, crd) in planner.states.built_crds(&planner.linked) {
        let file = planned.iter_mut().find(|(file, _)| *file == id.file);
        file.expect("the files of a group are planned").1.built_crds.push(crd);
    }
    if shared.planner.goal().choices.record == Record::PrintedData {
        planned.iter_mut().flat_map(|(_, file)| &mut file.objects).for_each(|object| object.data = None);
    }
    Ok(planned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::manifest::{Reading, read};
    use crate::knowledge::pack::embedded;

    /// What a patch can be applied to: kinds that are known, are not known, or are not said.
    const TARGETS: &[&str] = &[
        "{kind: Deployment, name: a}",
        "{kind: BackendTLSPolicy}",
        "{group: gateway.networking.k8s.io}",
        "{kind: Backend.*, name: a}",
        "{kind: BackendTLS(Policy), version: v1alpha2}",
        "{group: gateway.networking.*, version: v1alpha2}",
        "{version: v1alpha2, name: a}",
        "{name: a}",
        "{labelSelector: app=a}",
    ];

    /// What a kustomization makes of objects that `TARGET` selects.
    const INSTRUCTIONS: &[&str] = &[
        "patches: [{target: TARGET, patch: '[{op: replace, path: /spec/replicas, value: 2}]'}]\n",
        "patches: [{target: TARGET, patch: '[{op: replace, path: /spec/targetRef/name, value: b}]'}]\n",
        "patches: [{target: TARGET, patch: '[{op: add, path: /spec/kind, value: BackendTLSPolicy}]'}]\n",
        "patches: [{target: TARGET, patch: '{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {replicas: 2}}'}]\n",
        "patches: [{target: TARGET, path: p.yaml}]\n",
        "patches: [{target: TARGET, path: missing.yaml}]\n",
        "patchesStrategicMerge: [p.yaml, missing.yaml]\n",
        "replacements: [{source: {kind: Deployment, name: a}, targets: [{select: TARGET, fieldPaths: [spec.targetRef.name]}]}]\n",
        "replacements: [{source: {kind: Deployment, name: a, fieldPath: spec.targetRef.name}, targets: [{select: TARGET, fieldPaths: [spec.x]}]}]\n",
        "configMapGenerator: [{name: a, files: [p.yaml]}]\n",
        "vars: [{name: A, objref: {apiVersion: v1, kind: Service, name: a}}]\nconfigurations: [c.yaml]\n",
    ];

    /// What it takes in.
    const RESOURCES: &[&str] = &[
        "[d.yaml]",
        "[broken.yaml]",
        "[policy.yaml]",
        "[d.yaml, policy.yaml]",
        "['https://example.com/r']",
        "[../far]",
        "[]",
    ];

    /// Returns the plan of a run over files, with all groups or only those of which something may be reported, and how many groups were
    /// left out.
    fn plans(files: &[(&str, &str)], planner: &Planner<'_>) -> [(Plan, usize); 2] {
        let goal = planner.goal();
        let recognizer = recognizer(goal.packs, &goal.packs.concerned_by(&goal.targets), &goal.targets, &[]);
        let manifest = |(file, text): &(&str, &str)| match read(file, text.as_bytes(), &recognizer) {
            Reading::Manifest(manifest) | Reading::Kustomization(manifest) | Reading::Triggered(manifest) => {
                Some(*manifest)
            }
            _ => None,
        };
        let manifests: &[Manifest] = &files.iter().filter_map(manifest).collect::<Vec<_>>();
        let surveyor = Surveyor::new(goal.packs, &goal.targets);
        let surveys: Vec<FileSurvey> = manifests.iter().map(|manifest| surveyor.survey(manifest)).collect();
        let unread = [LeftOut { name: "k/broken.yaml".to_owned(), mentions: BTreeSet::new() }];
        let scope = Scope { left_out: &unread, ..Scope::default() };
        let left_out = std::cell::Cell::new(0);
        let plan = |is_planned: IsPlanned<'_>| {
            left_out.set(0);
            let Ok(plan) = plan_groups(planner, &surveys, &manifests, &scope, is_planned);
            (plan, left_out.get())
        };
        let counted = |shared: &GroupContext<'_>, group: &Group, withheld: &Withheld| {
            let is_planned = may_report(shared, group, withheld);
            left_out.set(left_out.get() + usize::from(!is_planned));
            is_planned
        };
        [plan(&|_, _, _| true), plan(&counted)]
    }

    #[test]
    fn groups_that_are_left_out_have_nothing_in_their_plans() {
        let packs = embedded::with(Vec::new()).expect("the packs are valid");
        let targets = vec![packs.target("gateway-api@1.5/standard").expect("the release is known")];
        let goal = Goal { packs: &packs, targets, choices: Choices::default() };
        let planner = Planner::new(&goal);
        let policy = "apiVersion: gateway.networking.k8s.io/v1alpha2\nkind: BackendTLSPolicy\nmetadata: {name: a}\nspec: {targetRef: {group: '', kind: Service, name: a}}\n";
        let patch = "- {op: replace, path: /spec/targetRef/name, value: b}\n";
        let (mut left_out, mut reported) = (0, 0);
        for (target, instruction, resources) in cases() {
            let kustomization = format!("resources: {resources}\n{}", instruction.replace("TARGET", target));
            let files = [
                ("k/c.yaml", "varReference: [{path: spec/targetRef/name}]\n"),
                ("k/kustomization.yaml", &*kustomization),
                ("k/p.yaml", patch),
                ("k/policy.yaml", policy),
            ];
            let [(all, _), (some, left)] = plans(&files, &planner);
            assert_eq!(format!("{some:#?}"), format!("{all:#?}"), "{kustomization}");
            left_out += left;
            reported +=
                usize::from(some.findings.iter().any(|finding| finding.location.file == "k/kustomization.yaml"));
        }
        assert!(left_out > 100 && reported > 10, "{left_out} groups left out, {reported} kustomizations reported");
    }

    /// Returns each target with each instruction and all resources.
    fn cases() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
        let of_target = |target: &'static &str| INSTRUCTIONS.iter().map(move |instruction| (*target, *instruction));
        let all = TARGETS.iter().flat_map(of_target);
        all.flat_map(|(target, instruction)| RESOURCES.iter().map(move |resources| (target, instruction, *resources)))
    }
}
