//! Answers: in which namespace does each object live, once Kustomize has built it?
//!
//! A kustomization's `namespace` takes the place of what is written in every object that it reaches, through folders and
//! components too. The run shows which kustomizations reach a file; which of them is built is for the user to say, so several
//! that differ leave the namespace open.
//!
//! Invariant: two objects are in one namespace only where every way to build the files puts them there.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::Look;
use crate::catalog::Scope;
use crate::lens::Namespace;
use crate::manifest::Kustomization;
use crate::pack::Packs;
use crate::release::GroupKind;

/// What kustomizations say of a file's namespace: each with what it says, which is nothing where none on the way says any.
type Said = BTreeSet<(Rc<str>, Option<Rc<str>>)>;

/// Where the objects of a run live.
#[derive(Debug)]
pub struct Homes<'p> {
    said: HashMap<String, Rc<Said>>,
    packs: &'p Packs,
}

impl<'p> Homes<'p> {
    /// Finds out what the kustomizations among `looks` say of the files that they reach.
    pub(super) fn among(looks: &[Look<'_>], packs: &'p Packs) -> Self {
        let files = looks.iter().map(Look::file).collect();
        Self { said: Graph::among(looks).reached(&files), packs }
    }

    /// Returns the home of an object of `kind` in `file`, in which the namespace `written` stands.
    pub(super) fn of(&self, file: &str, kind: &GroupKind, written: Option<&str>) -> Namespace {
        match self.said.get(file).filter(|_| self.has_namespace(kind)) {
            Some(said) => home(written, said),
            None => Namespace::from_written(written),
        }
    }

    /// Says whether objects of `kind` can live in a namespace, as far as the packs know.
    fn has_namespace(&self, kind: &GroupKind) -> bool {
        let catalog = self.packs.of_group(&kind.group).and_then(|pack| pack.catalog(kind));
        catalog.is_none_or(|catalog| catalog.scope() == Scope::Namespaced)
    }
}

/// Puts what is written and what is `said` together.
fn home(written: Option<&str>, said: &Said) -> Namespace {
    let names: BTreeSet<Option<&str>> = said.iter().map(|(_, name)| name.as_deref().or(written)).collect();
    match names.first() {
        Some(name) if names.len() == 1 => Namespace::from_written(*name),
        _ => {
            let resolve = |(file, name): &(Rc<str>, Option<Rc<str>>)| {
                (file.as_ref().to_owned(), name.as_deref().or(written).map(str::to_owned))
            };
            Namespace::Several(said.iter().map(resolve).collect())
        }
    }
}

/// The kustomizations of a run, by file, and the file of each by folder.
pub(super) struct Graph<'a> {
    files: BTreeMap<&'a str, &'a Kustomization>,
    folders: HashMap<String, &'a str>,
    /// The kustomizations that have each component.
    users: BTreeMap<&'a str, Vec<&'a str>>,
    /// What kustomizations put before and behind names.
    affixes: [BTreeSet<&'a str>; 2],
}

impl<'a> Graph<'a> {
    /// Collects the kustomizations among `looks`.
    pub(super) fn among(looks: &'a [Look<'_>]) -> Self {
        let files = looks.iter().filter_map(|look| Some((look.file(), look.kustomization()?)));
        let files: BTreeMap<_, _> = files.collect();
        let folders = files.keys().filter_map(|file| Some((Kustomization::folder(file)?, *file))).collect();
        let affixes = [0, 1].map(|end| {
            let affixes = files.values().map(|kustomization| kustomization.affixes[end].as_str());
            affixes.filter(|affix| !affix.is_empty()).collect()
        });
        let mut graph = Self { files, folders, users: BTreeMap::new(), affixes };
        let components = |(file, one): (&&'a str, &&'a Kustomization)| {
            let components = one.components.iter().filter_map(|path| graph.named(path));
            components.map(|(component, _)| (component, *file)).collect::<Vec<_>>()
        };
        let users: Vec<_> = graph.files.iter().flat_map(components).collect();
        for (component, user) in users {
            graph.users.entry(component).or_default().push(user);
        }
        graph
    }

    /// Returns the files whose objects the kustomization in `file` works on: what it takes in on any way, and for a component
    /// what the kustomizations with that component work on.
    pub(super) fn reach(&self, file: &'a str) -> BTreeSet<&'a str> {
        let (mut met, mut open, mut reach) = (BTreeSet::new(), vec![file], BTreeSet::new());
        let mut roots = BTreeSet::from([file]);
        while let Some(file) = open.pop() {
            let Some(kustomization) = self.files.get(file).filter(|_| met.insert(file)) else { continue };
            for path in kustomization.resources.iter().chain(&kustomization.components) {
                match self.named(path) {
                    Some((inner, _)) => open.push(inner),
                    None => drop(reach.insert(path.as_str())),
                }
            }
            if roots.contains(file) {
                let users = self.users.get(file).into_iter().flatten();
                roots.extend(users.clone());
                open.extend(users);
            }
        }
        reach
    }

    /// Returns what is in a folder that is named from the root of a repository, which the run need not start at.
    pub(super) fn reach_of_folder<'f>(&self, folder: &'f str) -> FolderReach<'a, 'f> {
        let is_it = |file: &&&'a str| Kustomization::folder(file).is_some_and(|own| ends_with(&own, folder));
        let reached = self.files.keys().filter(is_it).flat_map(|file| self.reach(file)).collect();
        FolderReach { reached, folder }
    }

    /// Says whether any kustomization puts objects into a namespace.
    pub(super) fn gives_namespaces(&self) -> bool {
        self.files.values().any(|kustomization| kustomization.namespace.is_some())
    }

    /// Returns the names that an object called `name` can have had before kustomizations put something before or behind them.
    pub(super) fn names_before<'n>(&self, name: &'n str) -> BTreeSet<&'n str> {
        let (mut names, mut open) = (BTreeSet::new(), vec![name]);
        while let Some(name) = open.pop() {
            if names.insert(name) {
                let [prefixes, suffixes] = &self.affixes;
                open.extend(prefixes.iter().filter_map(|prefix| name.strip_prefix(prefix)));
                open.extend(suffixes.iter().filter_map(|suffix| name.strip_suffix(suffix)));
            }
        }
        names
    }

    /// Returns the names that an object called `name` can have at some time: its own, and those with what kustomizations put
    /// before and behind it.
    pub(super) fn names_after(&self, name: &str) -> BTreeSet<String> {
        let [prefixes, suffixes] = self.affixes.each_ref().map(|affixes| affixes.iter().copied().chain([""]));
        prefixes.flat_map(|prefix| suffixes.clone().map(move |suffix| format!("{prefix}{name}{suffix}"))).collect()
    }

    /// Returns the kustomizations that each file is built by, of those that no other one takes in.
    pub(super) fn builds(&self) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
        let mut builds: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let inner = self.inner();
        for root in self.files.keys().filter(|file| !inner.contains(*file)) {
            for file in self.reach(root) {
                builds.entry(file).or_default().insert(root);
            }
        }
        builds
    }

    /// Returns the kustomization that `path` names, a folder or a file.
    fn named(&self, path: &str) -> Option<(&'a str, &'a Kustomization)> {
        let file = self.folders.get(path).copied().unwrap_or(path);
        self.files.get_key_value(file).map(|(file, kustomization)| (*file, *kustomization))
    }

    /// Returns the kustomizations that another one takes in.
    fn inner(&self) -> BTreeSet<&'a str> {
        let taken = |kustomization: &&'a Kustomization| {
            let paths = kustomization.resources.iter().chain(&kustomization.components);
            paths.filter_map(|path| self.named(path)).map(|(file, _)| file).collect::<Vec<_>>()
        };
        self.files.values().flat_map(taken).collect()
    }

    /// Collects what is said of each of `files`, on every way from a kustomization that no other one takes in.
    fn reached(&self, files: &HashSet<&str>) -> HashMap<String, Rc<Said>> {
        let inner = self.inner();
        let mut reached = HashMap::new();
        for root in self.files.keys().filter(|file| !inner.contains(*file)) {
            let mut tell =
                |path: &str, said: &Rc<Said>| match files.get(path).map(|file| reached.entry((*file).to_owned())) {
                    None => {}
                    Some(Entry::Vacant(first)) => drop(first.insert(Rc::clone(said))),
                    Some(Entry::Occupied(mut before)) => Rc::make_mut(before.get_mut()).extend(said.iter().cloned()),
                };
            self.follow(root, &mut tell);
        }
        reached
    }

    /// Follows every way from the kustomization `root`, and tells what is said of each file.
    fn follow(&self, root: &'a str, tell: &mut dyn FnMut(&str, &Rc<Said>)) {
        let mut met: BTreeSet<(&str, Said)> = BTreeSet::new();
        let mut open = vec![(root, Said::new())];
        while let Some((file, mut given)) = open.pop() {
            given.extend(self.says(file));
            let Some(kustomization) = self.files.get(file).filter(|_| met.insert((file, given.clone()))) else {
                continue;
            };
            // Most files are reached on one way, and share what is said of them.
            let said = Rc::new(if given.is_empty() { Said::from([(Rc::from(root), None)]) } else { given.clone() });
            for path in kustomization.resources.iter().chain(&kustomization.components) {
                match self.named(path) {
                    Some((inner, _)) => open.push((inner, given.clone())),
                    None => tell(path, &said),
                }
            }
        }
    }

    /// Returns what a kustomization and its components say of everything that it takes in.
    fn says(&self, file: &'a str) -> Said {
        let (mut met, mut open, mut said) = (BTreeSet::new(), vec![file], Said::new());
        while let Some(file) = open.pop() {
            let Some(kustomization) = self.files.get(file).filter(|_| met.insert(file)) else { continue };
            said.extend(kustomization.namespace.as_deref().map(|name| (Rc::from(file), Some(Rc::from(name)))));
            open.extend(
                kustomization.components.iter().filter_map(|path| self.named(path)).map(|(component, _)| component),
            );
        }
        said
    }
}

/// The files that belong to a folder: those that its kustomization takes in, and those in it.
pub(super) struct FolderReach<'a, 'f> {
    reached: BTreeSet<&'a str>,
    folder: &'f str,
}

impl FolderReach<'_, '_> {
    /// Says whether `file` is one of them.
    pub(super) fn has(&self, file: &str) -> bool {
        let mut folders = file.match_indices('/').map(|(at, _)| &file[..at]);
        self.reached.contains(file) || self.folder.is_empty() || folders.any(|folder| ends_with(folder, self.folder))
    }
}

/// Says whether the last folders of `path` are those of `tail`.
fn ends_with(path: &str, tail: &str) -> bool {
    path.strip_suffix(tail).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::{Manifest, Reading, Recognizer, read};

    /// Finds the homes of the one object in each file that is no kustomization.
    fn homes(files: &[(&str, &str)]) -> BTreeMap<String, Namespace> {
        let recognizer = Recognizer::new(["example.com"]);
        let manifest = |(file, text): &(&str, &str)| match read(file, text.as_bytes(), &recognizer) {
            Reading::Manifest(manifest) | Reading::Kustomization(manifest) => *manifest,
            other => panic!("{other:?}"),
        };
        let manifests: Vec<_> = files.iter().map(manifest).collect();
        let packs = Packs::new(Vec::new()).unwrap();
        let looks: Vec<_> = manifests.iter().map(Look::Open).collect();
        let homes = Homes::among(&looks, &packs);
        let home = |manifest: &Manifest| {
            let object = manifest.objects.first()?;
            let home = homes.of(&manifest.file, &object.kind, object.namespace.as_deref());
            Some((manifest.file.clone(), home))
        };
        manifests.iter().filter(|manifest| manifest.kustomization.is_none()).filter_map(home).collect()
    }

    const BARE: &str = "apiVersion: example.com/v1\nkind: A\nmetadata: {name: a}\n";
    const PLACED: &str = "apiVersion: example.com/v1\nkind: A\nmetadata: {name: a, namespace: own}\n";

    fn named(name: &str) -> Namespace {
        Namespace::from_written(Some(name))
    }

    fn several(said: &[(&str, Option<&str>)]) -> Namespace {
        let owned = |(file, name): &(&str, Option<&str>)| ((*file).to_owned(), name.map(str::to_owned));
        Namespace::Several(said.iter().map(owned).collect())
    }

    #[test]
    fn the_one_namespace_that_reaches_a_file_counts() {
        let found = homes(&[
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
        assert_eq!(found, expected.map(|(file, home)| (file.to_owned(), home)).into());
    }

    #[test]
    fn overlays_that_differ_leave_it_open() {
        let overlays = [
            ("base/kustomization.yaml", "resources: [a.yaml, b.yaml]"),
            ("base/a.yaml", BARE),
            ("base/b.yaml", PLACED),
            ("live/kustomization.yaml", "namespace: live\nresources: [../base]"),
            ("test/kustomization.yaml", "namespace: test\nresources: [../base]"),
        ];
        let either = several(&[("live/kustomization.yaml", Some("live")), ("test/kustomization.yaml", Some("test"))]);
        let found = homes(&overlays);
        assert_eq!(found["base/a.yaml"], either);
        assert_eq!(found["base/b.yaml"], either);
        let mut silent = overlays;
        silent[4].1 = "resources: [../base]";
        let found = homes(&silent);
        let as_written =
            |name| several(&[("live/kustomization.yaml", Some("live")), ("test/kustomization.yaml", name)]);
        assert_eq!([&found["base/a.yaml"], &found["base/b.yaml"]], [&as_written(None), &as_written(Some("own"))]);
        silent[3].1 = "resources: [../base]";
        let found = homes(&silent);
        assert_eq!([&found["base/a.yaml"], &found["base/b.yaml"]], [&Namespace::Unset, &named("own")]);
    }

    #[test]
    fn components_and_inner_kustomizations_have_a_say() {
        let found = homes(&[
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
