//! In which namespace is each object, once Kustomize has built it?
//!
//! A kustomization's `namespace` replaces what is written in every object that it reaches, through folders and components too, and so does
//! that of an object that has a controller apply the folder.
//! An object that is then in none is in the namespace of the call, where that names one. The run shows which kustomizations reach a file, but not which of them is built: several that differ leave the namespace open.
//!
//! Invariant: two objects are in one namespace only where every build of the files puts them there.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::appliers::GivenNamespaces;
use crate::knowledge::catalog::Scope;
use crate::knowledge::lens::Namespace;
use crate::knowledge::pack::Packs;
use crate::knowledge::release::GroupKind;

/// The namespaces of the objects of a run.
#[derive(Debug)]
pub(crate) struct Namespaces<'p> {
    by_file: HashMap<String, Arc<GivenNamespaces>>,
    packs: &'p Packs,
    /// The namespace of objects that name none, which are not given one either.
    default: Option<&'p str>,
}

impl<'p> Namespaces<'p> {
    /// Makes the namespaces of objects in files to which kustomizations give those in `by_file`.
    pub(super) fn new(
        by_file: HashMap<String, Arc<GivenNamespaces>>,
        packs: &'p Packs,
        default: Option<&'p str>,
    ) -> Self {
        Self { by_file, packs, default }
    }

    /// Returns the namespace of an object of `kind` in `file` whose `metadata.namespace` is `written`.
    pub(crate) fn of(&self, file: &str, kind: &GroupKind, written: Option<&str>) -> Namespace {
        if !self.is_namespaced(kind) {
            return Namespace::from_written(written);
        }
        let written = written.or(self.default);
        self.by_file.get(file).map_or_else(|| Namespace::from_written(written), |given| resolve(written, given))
    }

    /// Returns the namespaces that kustomizations give to objects in `file`.
    pub(super) fn given(&self, file: &str) -> impl Iterator<Item = &str> {
        self.by_file.get(file).into_iter().flat_map(|given| given.iter()).filter_map(|(_, name)| name.as_deref())
    }

    /// Returns the namespace of an object of `kind` whose `metadata.namespace` is `written`, in a build that gave it the one `given`. To
    /// Kustomize, no namespace is the one called `default`.
    pub(super) fn in_build(&self, kind: &GroupKind, written: Option<&str>, given: Option<&str>) -> Namespace {
        let name = given.or(written).filter(|_| self.is_namespaced(kind));
        Namespace::from_written(name.filter(|name| *name != "default"))
    }

    /// Returns whether objects of `kind` are namespaced, as far as the packs know.
    pub(super) fn is_namespaced(&self, kind: &GroupKind) -> bool {
        let catalog = self.packs.of_group(&kind.group).and_then(|pack| pack.catalog(kind));
        catalog.is_none_or(|catalog| catalog.scope() == Scope::Namespaced)
    }
}

/// Combines the namespace that is written in an object with those `given` to its file.
fn resolve(written: Option<&str>, given: &GivenNamespaces) -> Namespace {
    let names: BTreeSet<Option<&str>> = given.iter().map(|(_, name)| name.as_deref().or(written)).collect();
    match names.first() {
        Some(name) if names.len() == 1 => Namespace::from_written(*name),
        _ => {
            let one = |(file, name): &(Arc<str>, Option<Arc<str>>)| {
                (file.as_ref().to_owned(), name.as_deref().or(written).map(str::to_owned))
            };
            Namespace::Several(given.iter().map(one).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::kustomizations::Graph;
    use super::super::survey::FileSurvey;
    use super::super::surveyor::Surveyor;
    use super::*;
    use crate::engine::manifest::{Manifest, Reading, Recognizer, read};

    /// Finds the namespace of the one object in each file that is no kustomization.
    fn namespaces(files: &[(&str, &str)]) -> BTreeMap<String, Namespace> {
        namespaces_in(None, files)
    }

    /// Finds them where objects that name no namespace are in `default`.
    fn namespaces_in(default: Option<&str>, files: &[(&str, &str)]) -> BTreeMap<String, Namespace> {
        let recognizer = Recognizer::new(["example.com"]);
        let manifest = |(file, text): &(&str, &str)| match read(file, text.as_bytes(), &recognizer) {
            Reading::Manifest(manifest) | Reading::Kustomization(manifest) => *manifest,
            other => panic!("{other:?}"),
        };
        let manifests: Vec<_> = files.iter().map(manifest).collect();
        let packs = Packs::new(Vec::new()).unwrap();
        let surveyor = Surveyor::new(&packs, &[]);
        let surveys: Vec<FileSurvey> = manifests.iter().map(|manifest| surveyor.survey(manifest)).collect();
        let is_file = |name: &str| files.iter().any(|(file, _)| *file == name);
        let namespaces = Namespaces::new(Graph::of(&surveys).namespaces_of(&is_file), &packs, default);
        let namespace = |manifest: &Manifest| {
            let object = manifest.objects.first()?;
            let namespace = namespaces.of(&manifest.file, &object.kind, object.namespace.as_deref());
            Some((manifest.file.clone(), namespace))
        };
        manifests.iter().filter(|manifest| manifest.kustomization.is_none()).filter_map(namespace).collect()
    }

    const BARE: &str = "apiVersion: example.com/v1\nkind: A\nmetadata: {name: a}\n";
    const PLACED: &str = "apiVersion: example.com/v1\nkind: A\nmetadata: {name: a, namespace: own}\n";

    fn named(name: &str) -> Namespace {
        Namespace::from_written(Some(name))
    }

    fn several(entries: &[(&str, Option<&str>)]) -> Namespace {
        let owned = |(file, name): &(&str, Option<&str>)| ((*file).to_owned(), name.map(str::to_owned));
        Namespace::Several(entries.iter().map(owned).collect())
    }

    #[test]
    fn the_only_namespace_that_applies_to_a_file_is_used() {
        let found = namespaces(&[
            ("base/kustomization.yaml", "resources: [a.yaml, ./deep]"),
            ("base/a.yaml", BARE),
            ("base/deep/kustomization.yml", "bases: [../../b.yaml]"),
            ("b.yaml", PLACED),
            ("c.yaml", PLACED),
            ("d.yaml", BARE),
            ("top/Kustomization", "namespace: shop\nresources: [../base/]"),
        ]);
        let expected = [
            ("b.yaml", named("shop")),
            ("base/a.yaml", named("shop")),
            ("c.yaml", named("own")),
            ("d.yaml", Namespace::Unset),
        ];
        assert_eq!(found, expected.map(|(file, namespace)| (file.to_owned(), namespace)).into());
    }

    #[test]
    fn an_object_in_no_namespace_is_in_that_of_the_call() {
        let found = namespaces_in(
            Some("mine"),
            &[
                ("a.yaml", BARE),
                ("b.yaml", PLACED),
                ("k/kustomization.yaml", "resources: [c.yaml]"),
                ("k/c.yaml", BARE),
                ("live/kustomization.yaml", "namespace: live\nresources: [d.yaml]"),
                ("live/d.yaml", BARE),
            ],
        );
        let expected = [
            ("a.yaml", named("mine")),
            ("b.yaml", named("own")),
            ("k/c.yaml", named("mine")),
            ("live/d.yaml", named("live")),
        ];
        assert_eq!(found, expected.map(|(file, namespace)| (file.to_owned(), namespace)).into());
    }

    #[test]
    fn overlays_that_disagree_leave_the_namespace_unknown() {
        let overlays = [
            ("base/kustomization.yaml", "resources: [a.yaml, b.yaml]"),
            ("base/a.yaml", BARE),
            ("base/b.yaml", PLACED),
            ("live/kustomization.yaml", "namespace: live\nresources: [../base]"),
            ("test/kustomization.yaml", "namespace: test\nresources: [../base]"),
        ];
        let either = several(&[("live/kustomization.yaml", Some("live")), ("test/kustomization.yaml", Some("test"))]);
        let found = namespaces(&overlays);
        assert_eq!(found["base/a.yaml"], either);
        assert_eq!(found["base/b.yaml"], either);
        let mut silent = overlays;
        silent[4].1 = "resources: [../base]";
        let found = namespaces(&silent);
        let as_written =
            |name| several(&[("live/kustomization.yaml", Some("live")), ("test/kustomization.yaml", name)]);
        assert_eq!([&found["base/a.yaml"], &found["base/b.yaml"]], [&as_written(None), &as_written(Some("own"))]);
        silent[3].1 = "resources: [../base]";
        let found = namespaces(&silent);
        assert_eq!([&found["base/a.yaml"], &found["base/b.yaml"]], [&Namespace::Unset, &named("own")]);
    }

    #[test]
    fn components_and_nested_kustomizations_apply() {
        let found = namespaces(&[
            ("k/kustomization.yaml", "resources: [a.yaml]\ncomponents: [../c]"),
            ("k/a.yaml", BARE),
            ("c/kustomization.yaml", "kind: Component\nnamespace: c"),
            ("outer/kustomization.yaml", "namespace: out\nresources: [../inner, ../outer]"),
            ("inner/kustomization.yaml", "namespace: in\nresources: [b.yaml, ../inner]"),
            ("inner/b.yaml", BARE),
            ("top/kustomization.yaml", "resources: [../outer]"),
        ]);
        assert_eq!(found["k/a.yaml"], named("c"));
        let both = several(&[("inner/kustomization.yaml", Some("in")), ("outer/kustomization.yaml", Some("out"))]);
        assert_eq!(found["inner/b.yaml"], both);
    }
}
