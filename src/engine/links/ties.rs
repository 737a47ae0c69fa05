//! Which files of a run must be planned together?
//!
//! Two files are tied where what becomes of an object in one can have a say in what becomes of one in the other. Ties follow from the
//! surveys and the rules alone, before anything is converted, so there are more than turn out to matter. Files that are tied, directly
//! or through others, are a group; a file that nothing is tied to is a group of its own.
//!
//! Invariant: what becomes of an object depends on the conversion of no object in another group.

use std::collections::{BTreeMap, BTreeSet};

use super::applications::{Application, Namesake, Unmade};
use super::built_names::{BuiltName, BuiltNames};
use super::ignored_paths::changes_field;
use super::name_conflicts::folder;
use super::run::Run;
use super::survey::{FileSelector, FileSurvey, Names, ObjectSurvey};
use crate::engine::manifest::is_plain;
use crate::knowledge::lens::{Lens, ObjectId};
use crate::knowledge::pack::Target;
use crate::knowledge::release::GroupKind;
use crate::syntax::field::FieldPattern;

/// Files that are planned together.
#[derive(Debug, Default)]
pub(crate) struct Group {
    /// Their numbers, in the order of the run.
    pub(crate) files: Vec<usize>,
    /// What is applied to their objects.
    pub(crate) applications: Vec<Application>,
    /// What stands in them and is applied to no known object.
    pub(crate) unmade: Vec<Unmade>,
    pub(crate) namesakes: Vec<Namesake>,
}

/// Finds the groups of the files of a run, in the order of their first files.
pub(crate) fn groups(run: &Run<'_>) -> Vec<Group> {
    let mut ties = Ties { run, parents: (0..run.files.len()).collect(), by_kind: files_by_kind(run.files) };
    // Nothing is tied to a file alone, such as what a template prints.
    if run.files.len() > 1 {
        ties.add_applications();
        ties.add_selectors();
        ties.add_references();
        ties.add_ignored_fields();
        ties.add_converted_together();
        ties.add_namesakes();
    }
    ties.into_groups()
}

/// Returns the files with objects of each kind.
fn files_by_kind(files: &[FileSurvey]) -> BTreeMap<&GroupKind, Vec<usize>> {
    let mut by_kind: BTreeMap<&GroupKind, Vec<usize>> = BTreeMap::new();
    for (number, file) in files.iter().enumerate() {
        for object in &file.objects {
            let files = by_kind.entry(&object.kind).or_default();
            if files.last() != Some(&number) {
                files.push(number);
            }
        }
    }
    by_kind
}

/// Returns those of `files` with objects of `kind`, by the names of these.
fn files_by_name<'r>(run: &Run<'r>, kind: &GroupKind, files: &[usize]) -> BTreeMap<&'r str, Vec<usize>> {
    let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for number in files {
        for object in run.files[*number].objects.iter().filter(|object| object.kind == *kind) {
            by_name.entry(object.name.as_deref().unwrap_or_default()).or_default().push(*number);
        }
    }
    by_name
}

/// Returns the objects in these files, by their names, each with the number of its file.
fn objects_by_name<'r>(
    run: &Run<'r>,
    files: impl IntoIterator<Item = usize>,
) -> BTreeMap<&'r str, Vec<(usize, &'r ObjectSurvey)>> {
    let mut by_name: BTreeMap<&str, Vec<(usize, &ObjectSurvey)>> = BTreeMap::new();
    for number in files {
        for object in &run.files[number].objects {
            by_name.entry(object.name.as_deref().unwrap_or_default()).or_default().push((number, object));
        }
    }
    by_name
}

/// The ties found so far: a forest of files, of which each tree is a group.
struct Ties<'r> {
    run: &'r Run<'r>,
    parents: Vec<usize>,
    by_kind: BTreeMap<&'r GroupKind, Vec<usize>>,
}

impl<'r> Ties<'r> {
    /// Returns the files whose objects name something, with their numbers.
    fn named(&self) -> impl Iterator<Item = (usize, &'r FileSurvey, &'r Names)> + use<'r> {
        let files = self.run.files.iter().enumerate();
        files.filter_map(|(number, file)| Some((number, file, file.names.as_deref()?)))
    }

    fn root(&mut self, file: usize) -> usize {
        let mut root = file;
        while self.parents[root] != root {
            self.parents[root] = self.parents[self.parents[root]];
            root = self.parents[root];
        }
        root
    }

    fn tie(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.parents[one.max(other)] = one.min(other);
    }

    fn tie_all(&mut self, files: impl IntoIterator<Item = usize>) {
        let mut files = files.into_iter();
        if let Some(first) = files.next() {
            files.for_each(|file| self.tie(first, file));
        }
    }

    /// Ties patches and replacements to what they are applied to.
    fn add_applications(&mut self) {
        for application in &self.run.applications.made {
            self.tie_all([application.host, application.instruction.position.file, application.base.file]);
        }
        for Namesake { patch, base } in &self.run.applications.namesakes {
            self.tie(patch.file, base.file);
        }
    }

    /// Ties the selectors of Kustomize to what they can select, before or after the conversion.
    fn add_selectors(&mut self) {
        let run = self.run;
        for (number, file, names) in self.named().filter(|(_, _, names)| !names.selectors.is_empty()) {
            let hosts = run.graph.hosts_of(&file.file);
            let reach: BTreeSet<&str> = hosts.into_iter().flat_map(|host| run.graph.reach(host)).collect();
            let of_reach = objects_by_name(run, reach.into_iter().filter_map(|file| run.number(file)));
            for FileSelector { selector, folder } in &names.selectors {
                let of_folder = folder.as_ref().map(|folder| {
                    let folder = run.graph.reach_of_folder(folder);
                    objects_by_name(run, (0..run.files.len()).filter(|file| folder.has(&run.files[*file].file)))
                });
                let is_named = |object: &ObjectSurvey| {
                    let names = || run.graph.names_after(object.name.as_deref().unwrap_or_default());
                    selector.name.as_ref().is_none_or(|part| names().iter().any(|name| part.is(name)))
                };
                let is_of_kind = |kind: &GroupKind| {
                    let successor = run.targets.renames.get(kind);
                    selector.selects_kind(kind) || successor.is_some_and(|new| selector.selects_kind(new.kind()))
                };
                let near = [&of_reach].into_iter().chain(&of_folder);
                for (other, object) in near.flat_map(|near| run.graph.selected(selector.name.as_ref(), near)).flatten()
                {
                    if is_of_kind(&object.kind) && is_named(object) {
                        self.tie(number, *other);
                    }
                }
            }
        }
    }

    /// Ties the objects of kinds that are renamed, or that can get another version, to what names them by their old ones.
    fn add_references(&mut self) {
        let targets = self.run.targets;
        let mut renamed: BTreeMap<&str, Vec<&GroupKind>> = BTreeMap::new();
        for kind in targets.renames.keys() {
            renamed.entry(&kind.kind).or_default().push(kind);
        }
        let mut tied: BTreeSet<(usize, &GroupKind, Option<&str>)> = BTreeSet::new();
        for (number, file, names) in self.named() {
            // A kustomization selects from what it takes in, where all that is known: that is tied to it by its selectors.
            let is_seen = file.kustomization.as_ref().is_some_and(|own| !own.has_unseen && !own.is_component);
            let of_reach = |kind: &GroupKind| {
                let mut selectors = names.selectors.iter().filter(|one| one.folder.is_none());
                is_seen && selectors.any(|one| one.selector.selects_kind(kind))
            };
            for named in &names.references {
                let is_name = |name: &&str| !named.is_selector || !name.is_empty() && is_plain(name);
                let name = named.name.as_deref().filter(is_name);
                let may_be = |kind: &&&GroupKind| {
                    named.group.as_ref().is_none_or(|group| *group == kind.group)
                        && !(named.is_selector && of_reach(kind))
                };
                let kinds = renamed.get(named.kind.as_str()).into_iter().flatten().filter(may_be);
                tied.extend(kinds.map(|kind| (number, *kind, name)));
                if let (Some(group), Some(version)) = (&named.group, &named.version) {
                    let kind = targets.known_kind(&GroupKind::new(named.kind.as_str(), group.as_str()));
                    let kind = kind.filter(|kind| !(named.is_selector && of_reach(kind)));
                    let is_outdated =
                        |kind: &&GroupKind| named.is_selector || targets.is_outdated(kind, version, &file.file);
                    tied.extend(kind.filter(is_outdated).map(|kind| (number, kind, name)));
                }
            }
            for written in &names.written_versions {
                let kinds = self.by_kind.keys().filter(|kind| kind.group == written.group);
                let outdated = kinds.filter(|kind| targets.is_outdated(kind, &written.version, &file.file));
                tied.extend(outdated.map(|kind| (number, *kind, None)));
            }
        }
        let mut by_name: BTreeMap<&GroupKind, BTreeMap<&str, Vec<usize>>> = BTreeMap::new();
        for (number, kind, name) in tied {
            for kind in targets.family(kind) {
                let Some((kind, files)) = self.by_kind.get_key_value(kind) else { continue };
                let Some(name) = name else {
                    let of_kind = files.clone();
                    self.tie_all(of_kind.into_iter().chain([number]));
                    continue;
                };
                let of_names = by_name.entry(kind).or_insert_with(|| files_by_name(self.run, kind, files));
                let names = self.run.graph.names_before(name);
                let named: Vec<usize> =
                    names.into_iter().filter_map(|name| of_names.get(name)).flatten().copied().collect();
                self.tie_all(named.into_iter().chain([number]));
            }
        }
    }

    /// Ties what has fields ignored that the conversion moves to the objects that have these fields.
    fn add_ignored_fields(&mut self) {
        let run = self.run;
        for (number, _, names) in self.named() {
            for (selector, field) in &names.ignored_fields {
                if changes_field(run.targets, selector, field) {
                    let is_selected =
                        |kind: &GroupKind| run.targets.family(kind).into_iter().any(|kind| selector.selects_kind(kind));
                    let of_kinds = self.by_kind.iter().filter(|(kind, _)| is_selected(kind));
                    let tied: Vec<usize> = of_kinds.flat_map(|(_, files)| files).copied().collect();
                    self.tie_all(tied.into_iter().chain([number]));
                }
            }
        }
    }

    /// Ties the objects of kinds that rules convert only together with objects of other kinds.
    fn add_converted_together(&mut self) {
        let kinds: Vec<&GroupKind> = self.by_kind.keys().copied().collect();
        for kind in kinds {
            let targets = self.run.targets.goal.targets.iter();
            let others = targets.flat_map(|target| kinds_in_rules(target, kind, Lens::kinds_converted_with));
            let others: BTreeSet<GroupKind> = others.collect();
            if others.iter().any(|other| self.by_kind.contains_key(other)) {
                let files = others.iter().chain([kind]).filter_map(|kind| self.by_kind.get(kind)).flatten();
                let tied: Vec<usize> = files.copied().collect();
                self.tie_all(tied);
            }
        }
    }

    /// Ties objects that can get one kind, apiVersion and name, where both can be in one cluster, and those of which parts can.
    fn add_namesakes(&mut self) {
        let run = self.run;
        let made = self.kinds_made();
        let mut by_kind: BTreeMap<&GroupKind, Vec<(ObjectId, &ObjectSurvey)>> = BTreeMap::new();
        for (number, file) in run.files.iter().enumerate().filter(|(_, file)| !run.is_patch_file(&file.file)) {
            let own = file.objects.iter().enumerate();
            for (at, object) in own.filter(|(_, object)| object.inline_patch.is_none() && object.name.is_some()) {
                let kind = run.targets.renamed(&object.kind);
                if run.targets.goal.target_of(&kind.group).is_some() {
                    by_kind.entry(kind).or_default().push((ObjectId { file: number, at }, object));
                }
            }
        }
        let mut of_parts: BTreeMap<&GroupKind, Vec<(ObjectId, &ObjectSurvey)>> = BTreeMap::new();
        for (id, object) in by_kind.values().flatten() {
            for kind in made.get(&object.kind).into_iter().flatten() {
                of_parts.entry(run.targets.renamed(kind)).or_default().push((*id, *object));
            }
        }
        by_kind.retain(|_, objects| {
            let (_, first) = objects[0];
            let is_first = |object: &ObjectSurvey| object.kind == first.kind && object.api_version == first.api_version;
            objects.len() > 1
                && (!objects.iter().all(|(_, object)| is_first(object)) || changes_namespace(run, &first.kind))
        });
        let names = BuiltNames::new(run, &run.applications.made);
        for objects in by_kind.into_values().chain(of_parts.into_values()) {
            let (mut by_folder, mut by_build) = (BTreeMap::new(), BTreeMap::new());
            for (id, object) in objects {
                let near = *by_folder.entry((folder(&run.files[id.file].file), &object.name)).or_insert(id.file);
                self.tie(near, id.file);
                for BuiltName { kustomization, called, .. } in names.of(id) {
                    let near = *by_build.entry((kustomization, called.name)).or_insert(id.file);
                    self.tie(near, id.file);
                }
            }
        }
    }

    /// Returns the kinds of what parts of objects of the run can become, by the kinds of these.
    fn kinds_made(&self) -> BTreeMap<&'r GroupKind, BTreeSet<GroupKind>> {
        let read = |lens: &Lens| lens.makes().into_iter().map(|(kind, _)| kind.clone()).collect();
        let made = |kind: &&'r GroupKind| {
            let targets = self.run.targets.goal.targets.iter();
            let made: BTreeSet<GroupKind> = targets.flat_map(|target| kinds_in_rules(target, kind, read)).collect();
            (!made.is_empty()).then_some((*kind, made))
        };
        self.by_kind.keys().filter_map(made).collect()
    }

    fn into_groups(mut self) -> Vec<Group> {
        let run = self.run;
        let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
        let mut groups: Vec<Group> = Vec::new();
        for file in 0..run.files.len() {
            let root = self.root(file);
            let number = *numbers.entry(root).or_insert_with(|| {
                groups.push(Group::default());
                groups.len() - 1
            });
            groups[number].files.push(file);
        }
        for application in &run.applications.made {
            let root = self.root(application.base.file);
            groups[numbers[&root]].applications.push(application.clone());
        }
        for namesake in &run.applications.namesakes {
            let root = self.root(namesake.base.file);
            groups[numbers[&root]].namesakes.push(*namesake);
        }
        for unmade in &run.applications.unmade {
            let root = self.root(unmade.instruction.position.file);
            groups[numbers[&root]].unmade.push(unmade.clone());
        }
        groups
    }
}

/// Returns the kinds whose objects rules read that are about objects of the run. So are those that such a rule is about: of several
/// with one name, each has others.
pub(crate) fn kinds_read(run: &Run<'_>) -> BTreeSet<GroupKind> {
    let objects = run.files.iter().flat_map(|file| &file.objects);
    let kinds: BTreeSet<&GroupKind> = objects.map(|object| &object.kind).collect();
    let mut read = BTreeSet::new();
    for kind in kinds {
        let targets = run.targets.goal.targets.iter();
        let others = targets.flat_map(|target| kinds_in_rules(target, kind, Lens::kinds_read));
        let others: BTreeSet<GroupKind> = others.collect();
        read.extend((!others.is_empty()).then(|| kind.clone()));
        read.extend(others);
    }
    read
}

/// Returns whether the conversion to the targets can give objects of `kind` another namespace.
fn changes_namespace(run: &Run<'_>, kind: &GroupKind) -> bool {
    let is_namespace = |field: &FieldPattern| field.to_string() == "metadata.namespace";
    let changes = |target: &Target<'_>| {
        let mut rules = target.pack.rules_for_kind(target.release, kind, None);
        rules.any(|(rule, direction)| {
            let claims = rule.lens(direction).claims();
            claims.old.iter().chain(&claims.new).any(is_namespace)
        })
    };
    run.targets.goal.targets.iter().any(changes)
}
/// Returns the kinds that `read` finds in the lenses of the rules towards `target` that can be about objects of `kind`.
fn kinds_in_rules(
    target: &Target<'_>,
    kind: &GroupKind,
    read: impl Fn(&Lens) -> BTreeSet<GroupKind>,
) -> BTreeSet<GroupKind> {
    let mut kinds = BTreeSet::from([kind]);
    let mut others = BTreeSet::new();
    for (rule, direction) in target.pack.rules_for_kind(target.release, kind, None) {
        if kinds.contains(rule.from_kind(direction)) {
            others.extend(read(rule.lens(direction)));
            kinds.insert(rule.to_kind(direction));
        }
    }
    others
}

#[cfg(test)]
mod tests {
    use super::super::surveyor::Surveyor;
    use super::*;
    use crate::engine::convert::{Choices, Goal, Targets};
    use crate::engine::manifest::{Manifest, Reading, Recognizer, read};
    use crate::knowledge::pack::embedded;

    /// Returns the files of each group, for a target of Gateway API.
    fn tied(files: &[(&str, &str)]) -> Vec<Vec<String>> {
        let packs = embedded::with(Vec::new()).expect("the packs are valid");
        let recognizer = Recognizer::new(packs.iter().flat_map(|pack| pack.groups()).map(String::as_str));
        let manifest = |(file, text): &(&str, &str)| match read(file, text.as_bytes(), &recognizer) {
            Reading::Manifest(manifest) | Reading::Kustomization(manifest) | Reading::Triggered(manifest) => *manifest,
            other => panic!("{other:?}"),
        };
        let manifests: Vec<Manifest> = files.iter().map(manifest).collect();
        let target = packs.target("gateway-api@1.5/standard").expect("the release is known");
        let goal = Goal { packs: &packs, targets: vec![target], choices: Choices::default() };
        let surveyor = Surveyor::new(&packs, &goal.targets);
        let surveys: Vec<FileSurvey> = manifests.iter().map(|manifest| surveyor.survey(manifest)).collect();
        let targets = Targets::new(&goal);
        let groups = groups(&Run::new(&targets, &surveys));
        groups.iter().map(|group| group.files.iter().map(|file| surveys[*file].file.clone()).collect()).collect()
    }

    fn route(version: &str, name: &str) -> String {
        format!(
            "apiVersion: gateway.networking.k8s.io/{version}\nkind: HTTPRoute\nmetadata: {{name: {name}}}\nspec: {{}}\n"
        )
    }

    #[test]
    fn files_are_alone_unless_something_ties_them() {
        let (old, other) = (route("v1beta1", "a"), route("v1beta1", "b"));
        let files =
            [("k/a.yaml", &*old), ("k/b.yaml", &*other), ("k/kustomization.yaml", "resources: [a.yaml, b.yaml]\n")];
        assert_eq!(tied(&files), [["k/a.yaml"], ["k/b.yaml"], ["k/kustomization.yaml"]]);
    }

    #[test]
    fn a_patch_is_tied_to_what_it_patches_and_to_its_kustomization() {
        let (old, other, patch) = (route("v1beta1", "a"), route("v1beta1", "b"), route("v1beta1", "a"));
        let kustomization = "resources: [a.yaml, b.yaml]\npatches: [{path: p.yaml}]\n";
        let files =
            [("a.yaml", &*old), ("b.yaml", &*other), ("kustomization.yaml", kustomization), ("p.yaml", &*patch)];
        assert_eq!(tied(&files), [vec!["a.yaml", "kustomization.yaml", "p.yaml"], vec!["b.yaml"]]);
    }

    #[test]
    fn objects_that_can_become_one_are_tied() {
        let (old, new) = (route("v1beta1", "a"), route("v1", "a"));
        assert_eq!(tied(&[("k/a.yaml", &*old), ("k/b.yaml", &*new)]), [["k/a.yaml", "k/b.yaml"]]);
        assert_eq!(tied(&[("k/a.yaml", &*old), ("l/b.yaml", &*new)]), [["k/a.yaml"], ["l/b.yaml"]]);
    }
}
