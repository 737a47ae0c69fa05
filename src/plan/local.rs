//! Which files can be planned without any other file, and what do they add to the plan?
//!
//! Such a plan may assume that no kustomization of the run reaches the file, and that its neighbors show no style for what it lacks one
//! for; [`contradicted`] finds, once all files are known, the plans whose assumptions are wrong.
//!
//! Invariant: a local plan that is not contradicted is what the file adds to the plan whatever other files there are.

use std::collections::{BTreeMap, BTreeSet};

use super::acknowledged::keeps;
use super::file::{Assumptions, PlannedFile, RunFile};
use super::planner::Planner;
use super::styles::Styles;
use super::withheld::Withheld;
use crate::convert::{Conversion, ObjectContext, convert};
use crate::lens::{Completeness, ObjectPlace};
use crate::links::{
    Application, File, Graph, IndexedObject, Namespaces, find_applications, ignored_paths, kustomize_selectors,
    selectors,
};
use crate::manifest::{Manifest, Object};
use crate::release::GroupKind;
use crate::yaml::Style;

/// Plans a file by itself; `None` where the objects of another file can affect its plan.
pub(super) fn plan(planner: &Planner<'_>, manifest: &Manifest) -> Option<PlannedFile> {
    let has_inline = !manifest.inline_patches.is_empty() || !manifest.data_patches.is_empty();
    let names_fields = manifest.kustomization.as_deref().is_some_and(|own| own.names_fields);
    if has_inline || names_fields || manifest.objects.iter().any(Object::is_carrier) {
        return None;
    }
    let namespaces = planner.namespaces_as_written();
    let mut assumptions: Option<Assumptions> = None;
    let mut conversions = Vec::with_capacity(manifest.objects.len());
    for (at, object) in manifest.objects.iter().enumerate() {
        let namespace = namespaces.of(&manifest.file, &object.kind, object.namespace.as_deref());
        let others = planner.no_others();
        let place = ObjectPlace { file: &manifest.file, ..ObjectPlace::default() };
        let context =
            ObjectContext { completeness: Completeness::Whole, namespace: &namespace, place, others: &others };
        let made = convert(object, planner.goal(), context);
        let is_kept = || keeps(planner, manifest, at, made.as_ref());
        if others.depends_on_other_objects() || is_linked(planner, object, made.as_ref()) || is_kept() {
            return None;
        }
        if others.depends_on_kustomizations() {
            let namespaces = &mut assumptions.get_or_insert_default().namespaces;
            namespaces.extend(others.depends_on_namespaces().then(|| (object.kind.clone(), object.namespace.clone())));
        }
        conversions.push(made);
    }
    let (style, held) = (Style::default(), |_| None);
    let mut planned = PlannedFile::new(planner, manifest, conversions, style, &held, Vec::new()).ok()?;
    let index = |object: &Object| Some(IndexedObject::new(manifest, object, *planner.lookups.get(&object.kind)?));
    planned.local.indexed = manifest.objects.iter().filter_map(index).collect();
    planned.assumptions = assumptions;
    planned.local.has_others = planned.local.objects.len() < planned.seen_objects;
    planned.shrink();
    Some(planned)
}

/// Returns whether what becomes of `object` and of other objects depends on each other: its kind or namespace changes, or it names
/// an object whose kind does.
fn is_linked(planner: &Planner<'_>, object: &Object, made: Option<&Conversion>) -> bool {
    let targets = &planner.targets;
    let (kind, value) = made.map_or((&object.kind, &object.value), |made| (&made.kind, &made.value));
    made.is_some_and(|made| made.renames(object))
        || targets.renames.contains_key(&object.kind)
        || selectors::selects(object, targets)
        || kustomize_selectors::is_in(object, targets)
        || ignored_paths::is_in(object, targets)
        || !targets.references(kind, value).is_empty()
        || !targets.inexpressible(value).is_empty()
}

/// Returns the local ones among `files`, with their positions, whose assumptions a kustomization of the run contradicts (`alone` are the
/// namespaces without any), that hold
/// a patch or what it is merged into, that take a style from their neighbors, or that change and have objects that are `withheld`.
pub(super) fn contradicted<'f>(
    files: &'f [RunFile<'_>],
    (namespaces, alone): (&Namespaces<'_>, &Namespaces<'_>),
    (styles, withheld): (&Styles, &Withheld),
) -> Vec<(usize, &'f PlannedFile)> {
    let linkable: Vec<File<'_>> = files.iter().map(RunFile::linkable).collect();
    let patch_files: BTreeSet<&str> =
        linkable.iter().flat_map(|file| file.patches()).map(|patch| patch.file.as_str()).collect();
    let is_contradicted = |planned: &PlannedFile| {
        planned.assumptions.as_ref().is_some_and(|assumptions| {
            let holds = |(kind, written): &(GroupKind, Option<String>)| {
                let of = |namespaces: &Namespaces<'_>| namespaces.of(planned.file(), kind, written.as_deref());
                of(namespaces) == of(alone)
            };
            patch_files.contains(planned.file()) || !assumptions.namespaces.iter().all(holds)
        })
    };
    let local = files.iter().enumerate().filter_map(|(at, file)| match file {
        RunFile::Local(planned) => Some((at, planned.as_ref())),
        RunFile::Linked(_) => None,
    });
    let merging = of_several_versions(&linkable);
    let applications = find_applications(&linkable, &|_| true);
    let mut involved: BTreeSet<usize> = applications.made.iter().flat_map(Application::files).collect();
    involved.extend(&applications.near);
    // A patch with a target is applied to what that selects, whatever objects the patch holds.
    let patches = linkable.iter().flat_map(|file| file.patches()).filter(|patch| patch.target.is_some());
    let targeted: BTreeSet<&str> = patches.map(|patch| patch.file.as_str()).collect();
    let has_style = |planned: &PlannedFile| planned.is_unstyled && styles.around(planned.file()) != Style::default();
    let is_withheld = |planned: &PlannedFile| planned.change.is_some() && withheld.has(planned.file());
    let is_involved = |at: &usize, planned: &PlannedFile| {
        involved.contains(at) || merging.contains(at) || targeted.contains(planned.file())
    };
    let is_wrong = |planned: &PlannedFile| is_contradicted(planned) || has_style(planned) || is_withheld(planned);
    local.filter(|(at, planned)| is_involved(at, planned) || is_wrong(planned)).collect()
}

/// Returns the positions of the files with objects of one kind and name that one kustomization builds with several apiVersions, as
/// different objects.
fn of_several_versions(files: &[File<'_>]) -> BTreeSet<usize> {
    // The versions in which a kustomization builds each kind and name, and the files that they are in.
    let (mut versions, mut places) = (BTreeMap::new(), BTreeMap::new());
    let builds = Graph::of(files).builds();
    let mut add = |at: usize, kind: &GroupKind, title: &str, version| {
        for build in builds.get(files[at].name()).into_iter().flatten() {
            let name = (*build, kind.clone(), title.to_owned());
            let known: &mut BTreeSet<&str> = versions.entry(name.clone()).or_default();
            known.insert(version);
            let files: &mut Vec<usize> = places.entry(name).or_default();
            files.push(at);
        }
    };
    for (at, file) in files.iter().enumerate().filter(|(_, file)| builds.contains_key(file.name())) {
        match file {
            File::Local(local) => local.objects.iter().for_each(|object| {
                add(at, &object.from.0, &object.title, object.from.1.version.as_str());
            }),
            File::Linked(manifest) => manifest.objects.iter().for_each(|object| {
                add(at, &object.kind, &object.title(), object.api_version.version.as_str());
            }),
        }
    }
    places.retain(|name, _| versions[name].len() > 1);
    places.into_values().flatten().collect()
}
