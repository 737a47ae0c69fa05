//! Which files and folders do the kustomizations of a run build, and what do they give to them?
//!
//! A kustomization takes in files, folders with a kustomization of their own, and components, which work on what the
//! kustomizations with that component take in. A controller adds the components that its object names to the kustomization in the folder
//! that it applies.
//!
//! Source: Flux, kustomize-controller, Kustomization, "Components"; Argo CD, Kustomize, `components`.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, btree_map};
use std::ops::Bound;
use std::sync::Arc;

use super::appliers::{self, Applier, Appliers, GivenNamespaces};
use super::repositories::Repositories;
use super::survey::{Components, FileSurvey};
use crate::engine::manifest::{Folder, Kustomization, SelectorPart};

/// The kustomizations of a run, by file, and the file of each by folder.
#[derive(Debug)]
pub(crate) struct Graph<'a> {
    files: BTreeMap<&'a str, &'a Kustomization>,
    folders: HashMap<String, &'a str>,
    /// The kustomizations of the components that controllers add to each kustomization; none where that is not known.
    added: BTreeMap<&'a str, Option<Vec<&'a str>>>,
    /// The kustomizations that have each component.
    users: BTreeMap<&'a str, Vec<&'a str>>,
    /// The kustomizations that take in each file of the run.
    takers: HashMap<&'a str, Vec<&'a str>>,
    /// What each kustomization takes in on any path.
    taken: HashMap<&'a str, Taken<'a>>,
    /// The kustomizations that name each file of replacements, transformers or configurations.
    named: HashMap<&'a str, Vec<&'a str>>,
    /// What the builtin transformers in files do.
    transformers: BTreeMap<&'a str, &'a Kustomization>,
    /// The objects that have folders applied.
    appliers: Appliers<'a>,
    /// The files that are no kustomizations, where appliers give namespaces.
    others: Vec<&'a str>,
    /// The prefixes and suffixes that kustomizations and appliers add to names.
    affixes: [BTreeSet<&'a str>; 2],
    /// The repositories that objects have folders of applied.
    repositories: Repositories,
}

impl<'a> Graph<'a> {
    /// Collects the kustomizations among `files`.
    pub(crate) fn of(files: &'a [FileSurvey]) -> Self {
        let repositories = Repositories::of(files);
        let names: HashSet<&str> = files.iter().map(|file| &*file.file).collect();
        let transformers: BTreeMap<&str, &Kustomization> =
            files.iter().filter_map(|file| Some((&*file.file, file.rare().transformer.as_deref()?))).collect();
        let appliers = Appliers::of(files);
        let others = files.iter().filter(|file| appliers.give_namespaces && file.kustomization.is_none());
        let others = others.map(|file| &*file.file).collect();
        let components = files.iter().flat_map(|file| &file.rare().components);
        let kustomizations = files.iter().filter_map(|file| Some((&*file.file, file.kustomization.as_deref()?)));
        let files: BTreeMap<_, _> = kustomizations.collect();
        let folders = files.keys().filter_map(|file| Some((Kustomization::folder(file)?, *file))).collect();
        let affixes = [0, 1].map(|end| {
            let all = files.values().chain(transformers.values());
            let affixes = all.map(|kustomization| kustomization.affixes[end].as_str());
            affixes.chain(appliers.affixes(end)).filter(|affix| !affix.is_empty()).collect()
        });
        let mut named: HashMap<&str, Vec<&str>> = HashMap::new();
        for (file, one) in &files {
            for (_, name) in one.replacements.iter().chain(&one.configurations) {
                named.entry(name.as_str()).or_default().push(file);
            }
        }
        let (added, users) = (BTreeMap::new(), BTreeMap::new());
        let (takers, taken) = (HashMap::new(), HashMap::new());
        let mut graph = Self {
            files,
            folders,
            added,
            users,
            takers,
            taken,
            named,
            transformers,
            appliers,
            others,
            affixes,
            repositories,
        };
        components.for_each(|components| graph.add_components(components));
        for file in graph.kustomizations().collect::<Vec<_>>() {
            let parts = graph.parts(file);
            let resources = parts.resources.iter().map(|part| match part {
                Part::File(name) | Part::Kustomization(name) => *name,
            });
            for part in resources.chain(parts.components).filter(|part| names.contains(part)) {
                graph.takers.entry(part).or_default().push(file);
            }
        }
        graph.taken = graph.find_taken();
        let mut named_transformers: Vec<(&str, &str)> = Vec::new();
        for (file, one) in &graph.files {
            let files = one.transformers.iter().flat_map(|(_, path)| graph.files_at(path));
            named_transformers.extend(files.map(|name| (name, *file)));
        }
        for (name, file) in named_transformers {
            graph.named.entry(name).or_default().push(file);
        }
        let components = |(file, one): (&&'a str, &&'a Kustomization)| {
            graph.components(file, one).map(|component| (component, *file)).collect::<Vec<_>>()
        };
        let users: Vec<_> = graph.files.iter().flat_map(components).collect();
        for (component, user) in users {
            graph.users.entry(component).or_default().push(user);
        }
        graph
    }

    /// Returns the kustomizations that take in a file or kustomization.
    pub(super) fn takers(&self, part: &str) -> &[&'a str] {
        self.takers.get(part).map_or(&[], Vec::as_slice)
    }

    /// Adds components to the kustomizations in their folder. Where several objects add different ones, or one that is not in
    /// the run, what is built of the folder is not known.
    fn add_components(&mut self, added: &Components) {
        let Some(folder) = &added.folder else { return };
        for file in self.of_folder(folder).collect::<Vec<_>>() {
            let component = |path: &String| Some(self.named(&Kustomization::beside(file, path))?.0);
            let components: Option<Vec<&str>> = added.paths.iter().map(component).collect();
            let components = components.filter(|_| !self.is_open(folder));
            match self.added.entry(file) {
                btree_map::Entry::Vacant(first) => drop(first.insert(components)),
                btree_map::Entry::Occupied(mut before) if *before.get() != components => drop(before.insert(None)),
                btree_map::Entry::Occupied(_) => {}
            }
        }
    }

    /// Returns whether all components that objects add to the kustomizations in `folder` are known, and there are any.
    pub(super) fn knows_components(&self, folder: &Folder) -> bool {
        let mut files = self.of_folder(folder).peekable();
        let is_known = |file: &str| self.added.get(file).is_some_and(Option::is_some);
        files.peek().is_some() && files.all(is_known)
    }

    /// Returns the kustomizations of the components of the kustomization `one` in `file`.
    fn components(&self, file: &str, one: &'a Kustomization) -> impl Iterator<Item = &'a str> {
        let own = one.components.iter().filter_map(|path| Some(self.named(path)?.0));
        own.chain(self.added(file))
    }

    /// Returns the kustomizations of the components that controllers add to the kustomization in `file`.
    fn added(&self, file: &str) -> impl Iterator<Item = &'a str> {
        self.added.get(file).into_iter().flatten().flatten().copied()
    }

    /// Returns the files whose objects the kustomization in `file` works on: what it takes in on any path, and for a component
    /// what the kustomizations with that component work on.
    pub(crate) fn reach(&self, file: &'a str) -> BTreeSet<&'a str> {
        self.reached(file).0
    }

    /// Returns what [`Graph::reach`] does, and whether there is more, which is in no file.
    pub(super) fn reached(&self, file: &'a str) -> (BTreeSet<&'a str>, bool) {
        let mut all = Taken::default();
        self.worked_for(file).into_iter().filter_map(|one| self.taken.get(one)).for_each(|taken| all.join(taken));
        (all.files, all.has_unseen)
    }

    /// Returns what [`Graph::reach`] does, and the kustomizations on the way.
    pub(super) fn taken_in(&self, file: &'a str) -> (BTreeSet<&'a str>, BTreeSet<&'a str>) {
        (self.reach(file), self.worked_for(file).into_iter().flat_map(|one| self.on_the_way(one)).collect())
    }

    /// Returns the kustomizations whose objects the one in `file` works on: itself, and for a component those that have it.
    fn worked_for(&self, file: &'a str) -> BTreeSet<&'a str> {
        closure(file, |one| self.users.get(one).cloned().unwrap_or_default())
    }

    /// Returns the kustomizations that the one in `file` takes in on any path, and itself.
    fn on_the_way(&self, file: &'a str) -> BTreeSet<&'a str> {
        closure(file, |one| self.inner(one))
    }

    /// Finds what each kustomization takes in on any path, that of inner ones first.
    fn find_taken(&self) -> HashMap<&'a str, Taken<'a>> {
        let mut waiting: HashMap<&str, usize> = HashMap::new();
        for taker in self.files.keys().flat_map(|inner| self.takers(inner)) {
            *waiting.entry(taker).or_default() += 1;
        }
        let mut open: Vec<&str> = self.kustomizations().filter(|file| !waiting.contains_key(file)).collect();
        let mut found: HashMap<&str, Taken<'_>> = HashMap::new();
        while let Some(file) = open.pop() {
            let mut taken = self.taken_by_itself(file);
            self.inner(file).into_iter().for_each(|inner| taken.join(&found[inner]));
            found.insert(file, taken);
            for taker in self.takers(file) {
                let left = waiting.entry(taker).and_modify(|left| *left -= 1).or_default();
                open.extend((*left == 0).then_some(taker));
            }
        }
        // One that takes in itself, which Kustomize refuses to build, and those around it.
        for file in self.kustomizations().filter(|file| waiting.get(file).is_some_and(|left| *left > 0)) {
            let mut taken = Taken::default();
            self.on_the_way(file).into_iter().for_each(|inner| taken.join(&self.taken_by_itself(inner)));
            found.insert(file, taken);
        }
        found
    }

    /// Returns what a kustomization takes in that is no other one's.
    fn taken_by_itself(&self, file: &str) -> Taken<'a> {
        let Some(kustomization) = self.files.get(file) else { return Taken::default() };
        let paths = kustomization.resources.iter().chain(&kustomization.components);
        let files = paths.map(String::as_str).filter(|path| self.named(path).is_none()).collect();
        Taken { files, has_unseen: kustomization.has_unseen }
    }

    /// Returns the kustomizations that the one in `file` takes in by itself.
    fn inner(&self, file: &str) -> Vec<&'a str> {
        let Parts { resources, components } = self.parts(file);
        let resources = resources.into_iter().filter_map(|part| match part {
            Part::Kustomization(name) => Some(name),
            Part::File(_) => None,
        });
        resources.chain(components).collect()
    }

    /// Returns what is in a folder that is named from the root of a repository, which the run need not start at.
    pub(crate) fn reach_of_folder<'f>(&'f self, folder: &'f Folder) -> FolderReach<'a, 'f> {
        let reached = self.of_folder(folder).flat_map(|file| self.reach(file)).collect();
        FolderReach { reached, folder, repositories: &self.repositories }
    }

    /// Returns whether a file or folder of the run can be in the repository of `folder`.
    pub(super) fn can_be_in_repository_of(&self, folder: &Folder, path: &str) -> bool {
        self.repositories.can_hold(folder, path)
    }

    /// Returns whether it is open that `folder` is one of this tree.
    pub(super) fn is_open(&self, folder: &Folder) -> bool {
        self.repositories.is_open(folder)
    }

    /// Returns the objects that have the folder of a kustomization applied.
    pub(super) fn appliers(&self, kustomization: &str) -> Vec<&Applier<'a>> {
        let folder = Kustomization::folder(kustomization);
        folder.map_or_else(Vec::new, |folder| self.appliers_of(kustomization, [folder.as_str()].into_iter()))
    }

    /// Returns the objects that have one of `folders` applied, which `file` is in.
    pub(super) fn appliers_of<'f>(&self, file: &str, folders: impl Iterator<Item = &'f str>) -> Vec<&Applier<'a>> {
        let appliers = self.appliers.of_paths(folders);
        appliers.filter(|applier| self.repositories.can_hold(&applier.applied.folder, file)).collect()
    }

    /// Returns the objects that have `file` applied because no kustomization stands in their folder, or between them.
    fn scanning(&self, file: &str) -> Vec<&Applier<'a>> {
        self.appliers_of(file, self.folders_without_kustomization(file))
    }

    /// Returns the folders that a file is in, the nearest first, up to the first one with a kustomization.
    fn folders_without_kustomization<'f>(&self, file: &'f str) -> impl Iterator<Item = &'f str> {
        let folders = file.match_indices('/').rev().map(|(at, _)| &file[..at]);
        folders.take_while(|one| self.in_folder(one).is_none())
    }

    /// Returns whether an object that has a kustomization or another file applied adds a prefix or suffix to names.
    pub(super) fn adds_affixes_where_applied(&self, file: &str) -> bool {
        let appliers = || if self.files.contains_key(file) { self.appliers(file) } else { self.scanning(file) };
        self.appliers.add_affixes && appliers().into_iter().any(Applier::has_affixes)
    }

    /// Returns whether any kustomization, or what has one applied, puts objects into a namespace.
    pub(crate) fn gives_namespaces(&self) -> bool {
        let mut all = self.files.values().chain(self.transformers.values());
        all.any(|kustomization| kustomization.namespace.is_some()) || self.appliers.give_namespaces
    }

    /// Returns the names that an object called `name` can have had before kustomizations added prefixes or suffixes.
    pub(crate) fn names_before<'n>(&self, name: &'n str) -> BTreeSet<&'n str> {
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

    /// Returns the names that an object called `name` can have at some time: its own, and those with the prefixes and suffixes
    /// that kustomizations add.
    pub(crate) fn names_after(&self, name: &str) -> BTreeSet<String> {
        let [prefixes, suffixes] = self.affixes.each_ref().map(|affixes| affixes.iter().copied().chain([""]));
        prefixes.flat_map(|prefix| suffixes.clone().map(move |suffix| format!("{prefix}{name}{suffix}"))).collect()
    }

    /// Returns what there is for the names, in files, of the objects that `part` can select by a name that they have at some time, in their
    /// order; for all names where it asks for none.
    pub(super) fn selected<'n, V>(&self, part: Option<&SelectorPart>, by_name: &'n BTreeMap<&str, V>) -> Vec<&'n V> {
        let all = || by_name.values().collect();
        let Some(part) = part else { return all() };
        if let Some(name) = part.plain() {
            return self.names_before(name).into_iter().filter_map(|name| by_name.get(name)).collect();
        }
        let Some(starts) = part.starts() else { return all() };
        let [prefixes, suffixes] = &self.affixes;
        let own_starts = starts.iter().flat_map(|start| {
            let all = prefixes.iter().chain([&""]);
            all.filter_map(move |prefix| if prefix.starts_with(start) { Some("") } else { start.strip_prefix(prefix) })
        });
        let mut found = BTreeMap::new();
        for own in own_starts {
            let from = by_name.range::<str, _>((Bound::Included(own), Bound::Unbounded));
            found.extend(from.take_while(|(name, _)| name.starts_with(own)));
            // A suffix can bring the rest of the start.
            let ends = own.char_indices().map(|(at, _)| own.split_at(at));
            let shorter = ends.filter(|(_, rest)| suffixes.iter().any(|suffix| suffix.starts_with(rest)));
            found.extend(shorter.filter_map(|(name, _)| by_name.get_key_value(name)));
        }
        found.into_values().collect()
    }

    /// Returns the kustomizations in a folder that is named from the root of a repository, which the run need not start at.
    pub(super) fn of_folder(&self, folder: &Folder) -> impl Iterator<Item = &'a str> {
        let is_it = move |file: &&&'a str| {
            let own = Kustomization::folder(file);
            own.is_some_and(|own| ends_with(&own, &folder.path)) && self.repositories.can_hold(folder, file)
        };
        self.files.keys().filter(is_it).copied()
    }

    /// Returns whether a controller that applies `folder`, which is named from the root of a repository, takes `file` for a manifest because no
    /// kustomization stands in the folder, or between them.
    ///
    /// Source: Flux, kustomize-controller, Kustomization, "Generate kustomization.yaml"; Argo CD, directory applications.
    pub(super) fn is_scanned(&self, file: &str, folder: &Folder) -> bool {
        self.folders_without_kustomization(file).any(|one| ends_with(one, &folder.path))
            && self.repositories.can_hold(folder, file)
    }

    /// Returns the files, folders and components that a kustomization takes in, each with its kustomization where it has one.
    pub(super) fn parts(&self, file: &str) -> Parts<'a> {
        let Some(kustomization) = self.files.get(file) else { return Parts::default() };
        let named = |path: &'a String| match self.named(path) {
            Some((inner, _)) => Part::Kustomization(inner),
            None => Part::File(path.as_str()),
        };
        let components = self.components(file, kustomization).collect();
        Parts { resources: kustomization.resources.iter().map(named).collect(), components }
    }

    /// Returns the kustomization in `folder`.
    pub(super) fn in_folder(&self, folder: &str) -> Option<&'a str> {
        self.folders.get(folder).copied()
    }

    /// Returns the kustomizations, by file.
    pub(super) fn kustomizations(&self) -> impl Iterator<Item = &'a str> {
        self.files.keys().copied()
    }

    /// Returns the name of a kustomization's file, as the graph has it.
    pub(super) fn name(&self, file: &str) -> Option<&'a str> {
        self.files.get_key_value(file).map(|(file, _)| *file)
    }

    /// Returns the kustomizations that name a file of replacements, transformers or configurations.
    pub(super) fn users_of(&self, file: &str) -> &[&'a str] {
        self.named.get(file).map_or(&[], Vec::as_slice)
    }

    /// Returns the kustomizations that work with the selectors in a file: itself, and those that name it.
    pub(super) fn hosts_of(&self, file: &str) -> Vec<&'a str> {
        self.name(file).into_iter().chain(self.users_of(file).iter().copied()).collect()
    }

    /// Returns the files that a path in a list of transformers leads to: itself, or what the kustomization of a folder takes in.
    pub(super) fn files_at(&self, path: &'a str) -> Vec<&'a str> {
        self.named(path).map_or_else(|| vec![path], |(file, _)| self.reach(file).into_iter().collect())
    }

    /// Returns whether a kustomization adds a prefix or suffix to names, by itself or by a transformer.
    pub(super) fn has_affixes(&self, file: &str) -> bool {
        self.givers(file).iter().any(|one| one.affixes.iter().any(|affix| !affix.is_empty()))
    }

    /// Returns what gives names and namespaces in a kustomization: itself, then its transformers.
    pub(super) fn givers(&self, file: &str) -> Vec<&'a Kustomization> {
        let Some(&kustomization) = self.files.get(file) else { return Vec::new() };
        let transformers = kustomization.transformers.iter().flat_map(|(_, path)| self.files_at(path));
        let transformers = transformers.filter_map(|name| self.transformers.get(name).copied());
        [kustomization].into_iter().chain(transformers).collect()
    }

    /// Returns whether a kustomization has a schema of its own.
    pub(super) fn has_schema(&self, file: &str) -> bool {
        self.files.get(file).is_some_and(|kustomization| kustomization.has_schema)
    }

    /// Returns whether other kustomizations have this one as a component.
    pub(super) fn is_component(&self, file: &str) -> bool {
        self.users.contains_key(file)
    }

    /// Returns the kustomization that `path` names, a folder or a file.
    fn named(&self, path: &str) -> Option<(&'a str, &'a Kustomization)> {
        let file = self.folders.get(path).copied().unwrap_or(path);
        self.files.get_key_value(file).map(|(file, kustomization)| (*file, *kustomization))
    }

    /// Returns the kustomizations that no other one takes in.
    pub(super) fn roots(&self) -> Vec<&'a str> {
        self.kustomizations().filter(|file| self.takers(file).is_empty()).collect()
    }

    /// Collects the namespaces given to each file of the run, on every path from a kustomization that no other one takes in, and from what
    /// objects have applied.
    pub(super) fn namespaces_of(&self, is_file: &dyn Fn(&str) -> bool) -> HashMap<String, Arc<GivenNamespaces>> {
        let mut reached = HashMap::new();
        let mut add = |path: &str, namespaces: &Arc<GivenNamespaces>| {
            if !is_file(path) {
                return;
            }
            match reached.entry(path.to_owned()) {
                Entry::Vacant(first) => drop(first.insert(Arc::clone(namespaces))),
                Entry::Occupied(mut before) => Arc::make_mut(before.get_mut()).extend(namespaces.iter().cloned()),
            }
        };
        for start in self.kustomizations() {
            let given = match self.appliers.give_namespaces {
                true => appliers::given(&self.appliers(start)),
                false => GivenNamespaces::new(),
            };
            if !given.is_empty() || self.takers(start).is_empty() {
                self.follow(start, given, &mut add);
            }
        }
        for file in &self.others {
            let given = appliers::given(&self.scanning(file));
            if !given.is_empty() {
                add(file, &Arc::new(given));
            }
        }
        reached
    }

    /// Follows every path from the kustomization `root`, to which `given` is given, and adds the namespaces given to each file.
    fn follow(&self, root: &'a str, given: GivenNamespaces, add: &mut dyn FnMut(&str, &Arc<GivenNamespaces>)) {
        let mut met: BTreeSet<(&str, GivenNamespaces)> = BTreeSet::new();
        let mut open = vec![(root, given)];
        while let Some((file, mut given)) = open.pop() {
            given.extend(self.gives(file));
            let Some(kustomization) = self.files.get(file).filter(|_| met.insert((file, given.clone()))) else {
                continue;
            };
            // Most files are reached on one path, and share their namespaces.
            let namespaces = Arc::new(if given.is_empty() {
                GivenNamespaces::from([(Arc::from(root), None)])
            } else {
                given.clone()
            });
            for path in kustomization.resources.iter().chain(&kustomization.components) {
                match self.named(path) {
                    Some((inner, _)) => open.push((inner, given.clone())),
                    None => add(path, &namespaces),
                }
            }
            open.extend(self.added(file).map(|inner| (inner, given.clone())));
        }
    }

    /// Returns the namespaces that a kustomization and its components give to everything that it takes in.
    fn gives(&self, file: &'a str) -> GivenNamespaces {
        let (mut met, mut open, mut namespaces) = (BTreeSet::new(), vec![file], GivenNamespaces::new());
        while let Some(file) = open.pop() {
            let Some(&kustomization) = self.files.get(file).filter(|_| met.insert(file)) else { continue };
            let transformers = kustomization.transformers.iter().flat_map(|(_, path)| self.files_at(path));
            let given = [(file, kustomization.namespace.as_deref())]
                .into_iter()
                .chain(transformers.filter_map(|name| Some((name, self.transformers.get(name)?.namespace.as_deref()))));
            namespaces.extend(given.filter_map(|(file, name)| Some((Arc::from(file), Some(Arc::from(name?))))));
            open.extend(self.components(file, kustomization));
        }
        namespaces
    }
}

/// Returns `start` and what `next` leads to from there.
fn closure<'a>(start: &'a str, next: impl Fn(&'a str) -> Vec<&'a str>) -> BTreeSet<&'a str> {
    let (mut met, mut open) = (BTreeSet::new(), vec![start]);
    while let Some(one) = open.pop() {
        if met.insert(one) {
            open.extend(next(one));
        }
    }
    met
}

/// What a kustomization takes in on any path.
#[derive(Debug, Default, PartialEq, Eq)]
struct Taken<'a> {
    files: BTreeSet<&'a str>,
    /// Whether there is more, which is in no file.
    has_unseen: bool,
}

impl<'a> Taken<'a> {
    fn join(&mut self, other: &Self) {
        self.files.extend(&other.files);
        self.has_unseen |= other.has_unseen;
    }
}

/// What a kustomization takes in.
#[derive(Debug, Default)]
pub(super) struct Parts<'a> {
    pub(super) resources: Vec<Part<'a>>,
    /// The kustomizations of its components.
    pub(super) components: Vec<&'a str>,
}

/// One of the resources of a kustomization.
#[derive(Debug)]
pub(super) enum Part<'a> {
    File(&'a str),
    Kustomization(&'a str),
}

/// The files that belong to a folder: those that its kustomization takes in, and those in it.
pub(crate) struct FolderReach<'a, 'f> {
    reached: BTreeSet<&'a str>,
    folder: &'f Folder,
    repositories: &'f Repositories,
}

impl FolderReach<'_, '_> {
    /// Returns whether `file` is one of them.
    pub(crate) fn has(&self, file: &str) -> bool {
        let mut folders = file.match_indices('/').map(|(at, _)| &file[..at]);
        let path = &self.folder.path;
        let is_below = path.is_empty() || folders.any(|folder| ends_with(folder, path));
        self.reached.contains(file) || is_below && self.repositories.can_hold(self.folder, file)
    }
}

/// Returns whether the last folders of `path` are those of `tail`.
fn ends_with(path: &str, tail: &str) -> bool {
    path.strip_suffix(tail).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value};

    use super::super::survey::RareParts;
    use super::*;
    use crate::engine::manifest::{Applied, Selector};

    #[test]
    fn a_prefix_of_an_applier_is_no_namespace() {
        let file = |namespace: Option<&str>, prefix: &str| {
            let folder = Folder { path: "shop".to_owned(), source: None };
            let affixes = [prefix.to_owned(), String::new()];
            let applied = vec![Applied { folder, namespace: namespace.map(str::to_owned), affixes }];
            let rare = RareParts { applied, ..RareParts::default() }.boxed();
            [FileSurvey { file: "a.yaml".to_owned(), rare, ..FileSurvey::default() }]
        };
        assert!(!Graph::of(&file(None, "x-")).gives_namespaces());
        assert!(Graph::of(&file(Some("live"), "")).gives_namespaces());
    }

    #[test]
    fn what_a_kustomization_takes_in_is_that_of_all_on_the_way() {
        let kustomization = |(file, resources, components): &(&str, &str, &str)| {
            let [resources, components] =
                [resources, components].map(|paths| paths.split_whitespace().map(str::to_owned).collect());
            let one =
                Kustomization { resources, components, has_unseen: *file == "c/k.yaml", ..Kustomization::default() };
            FileSurvey { file: (*file).into(), kustomization: Some(Arc::new(one)), ..FileSurvey::default() }
        };
        let files = [
            ("a/k.yaml", "b/k.yaml c/k.yaml a/a.yaml", "none"),
            ("b/k.yaml", "c/k.yaml c/k.yaml b/b.yaml", "part/k.yaml"),
            ("c/k.yaml", "c/c.yaml", ""),
            ("part/k.yaml", "part/p.yaml", ""),
            ("round/k.yaml", "turn/k.yaml round/r.yaml", ""),
            ("turn/k.yaml", "round/k.yaml c/k.yaml", ""),
            ("over/k.yaml", "turn/k.yaml", "part/k.yaml"),
        ];
        let files = files.each_ref().map(kustomization);
        let graph = Graph::of(&files);
        for file in graph.kustomizations() {
            let mut taken = Taken::default();
            graph.on_the_way(file).into_iter().for_each(|one| taken.join(&graph.taken_by_itself(one)));
            assert_eq!(graph.taken[file], taken, "{file}");
        }
        assert_eq!(
            graph.reached("a/k.yaml"),
            (BTreeSet::from(["a/a.yaml", "b/b.yaml", "c/c.yaml", "none", "part/p.yaml"]), true)
        );
        let both = ["b/b.yaml", "c/c.yaml", "part/p.yaml", "round/r.yaml"];
        assert_eq!(graph.reach("part/k.yaml"), BTreeSet::from(both));
        assert_eq!(graph.roots(), ["a/k.yaml", "over/k.yaml"]);
    }

    #[test]
    fn what_a_pattern_can_select_is_found_by_how_its_names_begin() {
        let names = ["", "app", "app-web", "b", "web", "web-live", "x-app", "x-app-web", "x-x"];
        let by_name = BTreeMap::from(names.map(|name| (name, name)));
        let affixes = [BTreeSet::from(["x-", "my-"]), BTreeSet::from(["-live", "-web"])];
        let graph = Graph { affixes, ..Graph::of(&[]) };
        for text in ["app.*", "app-w.*", "app-live.*", "x-app-.*", "m.*", "(web|b)-l.*", ".*-web", "x?-live", "app"] {
            let name = Map::from_iter([("name".to_owned(), Value::from(text))]);
            let part = Selector::of(&name).name.expect("the selector has a name");
            let is_selected = |name: &&&str| graph.names_after(name).iter().any(|name| part.is(name));
            let found = graph.selected(Some(&part), &by_name);
            let selected: Vec<&&str> = found.iter().copied().filter(is_selected).collect();
            assert_eq!(selected, names.iter().filter(is_selected).collect::<Vec<_>>(), "{text}");
        }
        assert_eq!(graph.selected(None, &by_name).len(), names.len());
    }
}
