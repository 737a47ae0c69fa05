//! What is known of a run before anything in it is converted?
//!
//! [`Run`] is made once, of the surveys of all files: the one graph of kustomizations, and what follows from it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::OnceLock;

use serde_json::Value;

use super::applications::{self, Applications};
use super::builds;
use super::kustomizations::Graph;
use super::namespaces::Namespaces;
use super::survey::{FileSurvey, OtherObjects};
use crate::engine::convert::Targets;
use crate::engine::manifest::{Applied, Object};
use crate::knowledge::lens::{Builds, Namespace, ObjectId};
use crate::knowledge::release::GroupKind;
use crate::syntax::field::FieldPath;

/// The values that replacements read, by the object that holds each, and its place there.
pub(crate) type Sources = BTreeMap<(ObjectId, FieldPath), Value>;

/// The files of a run, and what Kustomize makes of them.
#[derive(Debug)]
pub(crate) struct Run<'a> {
    pub(crate) targets: &'a Targets<'a>,
    pub(crate) files: &'a [FileSurvey],
    pub(crate) graph: Graph<'a>,
    pub(crate) applications: Applications,
    namespaces: Namespaces<'a>,
    /// The values of replacements whose sources are no known objects.
    pub(crate) sources: Sources,
    /// The objects of other groups that selectors of Kustomize can select.
    pub(crate) other_objects: OtherObjects,
    /// What is applied together; made when objects are first looked for.
    builds: OnceLock<Builds>,
    /// The number of each file.
    numbers: HashMap<&'a str, usize>,
    /// The files that a kustomization names as patches.
    patch_files: HashSet<&'a str>,
    /// What kustomizations make of the files that they name as data.
    data_files: HashMap<&'a str, &'a str>,
    /// The names of the ConfigMaps and Secrets with values of charts.
    values: HashSet<&'a str>,
}

impl<'a> Run<'a> {
    /// Puts the surveys of a run to `targets` together.
    pub(crate) fn new(targets: &'a Targets<'a>, files: &'a [FileSurvey]) -> Self {
        let goal = targets.goal;
        let graph = Graph::of(files);
        let numbers: HashMap<&str, usize> =
            files.iter().enumerate().map(|(number, file)| (&*file.file, number)).collect();
        let kustomizations = files.iter().filter_map(|file| file.kustomization.as_deref());
        let is_known_kind = |name: &str| targets.is_kind_named(name) || goal.packs.of_group(name).is_some();
        let is_converted = |kind: &GroupKind| {
            targets.is_kind_named(&kind.kind)
                || goal.packs.carriers().have_patches(kind)
                || goal.targets.iter().any(|target| target.pack.can_hold_values(kind))
        };
        let are_related = |one: &GroupKind, other: &GroupKind| targets.renamed(one) == targets.renamed(other);
        Self {
            applications: applications::find(files, &numbers, &graph, &is_known_kind, &is_converted, &are_related),
            namespaces: Namespaces::new(
                graph.namespaces_of(&|file| numbers.contains_key(file)),
                goal.packs,
                goal.choices.namespace.as_deref(),
            ),
            sources: Sources::new(),
            other_objects: OtherObjects::new(),
            builds: OnceLock::new(),
            numbers,
            patch_files: files.iter().flat_map(|file| &file.rare().patches).map(|patch| patch.file.as_str()).collect(),
            data_files: kustomizations.flat_map(|one| &one.data).map(|(file, made)| (&**file, &**made)).collect(),
            values: files
                .iter()
                .filter_map(|file| file.names.as_ref())
                .flat_map(|names| &names.values)
                .map(|name| &**name)
                .collect(),
            targets,
            files,
            graph,
        }
    }

    /// Returns the namespaces of objects.
    pub(crate) const fn namespaces(&self) -> &Namespaces<'a> {
        &self.namespaces
    }

    /// Returns the namespace of an object.
    pub(crate) fn namespace(&self, id: ObjectId) -> Namespace {
        let file = &self.files[id.file];
        let object = &file.objects[id.at];
        self.namespaces.of(&file.file, &object.kind, object.namespace.as_deref())
    }

    /// Returns what the kustomizations of the run apply together.
    pub(crate) fn builds(&self) -> &Builds {
        self.builds.get_or_init(|| builds::find(self.files, &self.graph, &|file| self.numbers.contains_key(file)))
    }

    /// Returns the files with objects that have the folder of a kustomization applied, once for each object.
    pub(super) fn appliers(&self, kustomization: &str) -> Vec<usize> {
        self.graph.appliers(kustomization).into_iter().map(|applier| applier.file).collect()
    }

    /// Returns the files with objects that have a folder applied with everything in it, in which this file is, once for each object.
    pub(super) fn appliers_of_file(&self, file: &str) -> Vec<usize> {
        let folders = file.match_indices('/').map(|(at, _)| &file[..at]);
        self.graph.appliers_of(file, folders).into_iter().map(|applier| applier.file).collect()
    }

    /// Returns whether a file is in the folder of a kustomization of the run or below it, and nothing of the run builds or applies it.
    pub(super) fn is_unapplied(&self, file: &str) -> bool {
        let is_named = || self.is_patch_file(file) || !self.graph.takers(file).is_empty();
        let mut above = file.match_indices('/').map(|(at, _)| &file[..at]).collect::<Vec<&str>>();
        above.insert(0, "");
        let Some(nearest) = above.iter().rposition(|folder| self.graph.in_folder(folder).is_some()) else {
            return false;
        };
        // A controller takes in what is in a folder without a kustomization.
        let below = above[nearest + 1..].iter().copied();
        !is_named() && self.graph.appliers_of(file, below).is_empty()
    }

    /// Returns the number of a file.
    pub(crate) fn number(&self, file: &str) -> Option<usize> {
        self.numbers.get(file).copied()
    }

    /// Returns whether a kustomization of the run names a file as a patch.
    pub(crate) fn is_patch_file(&self, file: &str) -> bool {
        self.patch_files.contains(file)
    }

    /// Returns what a kustomization makes of a file that it names as data.
    pub(crate) fn data_of(&self, file: &str) -> Option<&'a str> {
        self.data_files.get(file).copied()
    }

    /// Returns whether an object gives values to a chart, as another one names it.
    pub(crate) fn gives_values(&self, object: &Object) -> bool {
        let is_data = object.kind.group.is_empty() && ["ConfigMap", "Secret"].contains(&&*object.kind.kind);
        is_data && object.name.as_deref().is_some_and(|name| self.values.contains(name))
    }

    /// Returns whether a kustomization takes a file in, or a controller that applies a folder or gives a chart what is made of the file.
    pub(crate) fn is_built(&self, file: &str) -> bool {
        let is_named = !self.graph.takers(file).is_empty() || !self.graph.users_of(file).is_empty();
        let is_below = |one: &Applied| self.graph.is_scanned(file, &one.folder);
        let is_of_values = |made: &str| made.split_once(' ').is_some_and(|(_, name)| self.values.contains(name));
        is_named
            || self.is_patch_file(file)
            || self.data_of(file).is_some_and(is_of_values)
            || self.files.iter().flat_map(|host| &host.rare().applied).any(is_below)
    }

    /// Returns whether an object is a patch.
    pub(crate) fn is_patch(&self, id: ObjectId) -> bool {
        let file = &self.files[id.file];
        file.objects[id.at].is_inline_patch() || self.is_patch_file(&file.file)
    }
}
