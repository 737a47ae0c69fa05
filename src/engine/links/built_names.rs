//! What is an object called in each build?
//!
//! Kustomizations add prefixes and suffixes to names and give namespaces, and patches write both. Kustomize compares what objects are
//! called when a kustomization takes them in, and when it hands them over.
//!
//! Invariant: every name is found that a kustomization of the run can give, but for those that a replacement reads.

use std::collections::{BTreeMap, BTreeSet};

use super::applications::Application;
use super::identity::{IdentityWrite, Part};
use super::layers::Layers;
use super::run::Run;
use crate::engine::manifest::Kustomization;
use crate::knowledge::lens::ObjectId;

/// The kinds to whose names Kustomize adds nothing.
///
/// Source: Kustomize, `PrefixTransformer`, field specifications to skip.
const KEPT: [&str; 3] = ["APIService", "CustomResourceDefinition", "Namespace"];

/// When Kustomize compares what objects are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    TakenIn,
    Built,
}

/// What an object is called.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Called {
    pub(super) name: String,
    /// The namespace that it was given; none where that is the one in its file.
    pub(super) namespace: Option<String>,
}

/// What an object is called at a stage of a kustomization.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct BuiltName<'a> {
    pub(super) kustomization: &'a str,
    pub(super) stage: Stage,
    pub(super) called: Called,
}

/// What finds the names of objects in builds.
pub(super) struct BuiltNames<'r, 'a> {
    run: &'r Run<'a>,
    /// What writes names and namespaces, by the objects that it is applied to, in order.
    writers: BTreeMap<ObjectId, Vec<&'r Application>>,
}

impl<'r, 'a> BuiltNames<'r, 'a> {
    /// Makes what finds them where these `applications` are made.
    pub(super) fn new(run: &'r Run<'a>, applications: &'r [Application]) -> Self {
        let mut writers: BTreeMap<ObjectId, Vec<&Application>> = BTreeMap::new();
        for application in applications.iter().filter(|one| one.identity.changes_name()) {
            writers.entry(application.base).or_default().push(application);
        }
        Self { run, writers }
    }

    /// Returns what the object `id` is called in the builds.
    pub(super) fn of(&self, id: ObjectId) -> BTreeSet<BuiltName<'a>> {
        let (graph, file) = (&self.run.graph, &self.run.files[id.file]);
        let name = file.objects[id.at].name.clone().unwrap_or_default();
        let mut known = vec![Called { name, namespace: None }];
        let mut found = BTreeSet::new();
        Layers { graph }.follow(&file.file, 0, &mut |host, ways: BTreeSet<usize>| {
            let taken: BTreeSet<Called> = ways.iter().map(|way| known[*way].clone()).collect();
            let built = self.behind(host, id, taken.clone());
            // A component works on what several kustomizations take in, each by itself.
            if !graph.is_component(host) {
                for (stage, all) in [(Stage::TakenIn, &taken), (Stage::Built, &built)] {
                    let name = |called: &Called| BuiltName { kustomization: host, stage, called: called.clone() };
                    found.extend(all.iter().map(name));
                }
            }
            let mut number = |called: Called| {
                known.iter().position(|other| *other == called).unwrap_or_else(|| {
                    known.push(called);
                    known.len() - 1
                })
            };
            built.into_iter().map(&mut number).collect()
        });
        found
    }

    /// Returns what the kustomization `host` makes of what an object is called.
    fn behind(&self, host: &str, id: ObjectId, mut all: BTreeSet<Called>) -> BTreeSet<Called> {
        let is_own = |one: &&&Application| self.run.files[one.host].file == host;
        let writers = self.writers.get(&id).into_iter().flatten().filter(is_own);
        let (first, last): (Vec<_>, Vec<_>) = writers.partition(|one| one.is_before_names());
        let kind = &self.run.files[id.file].objects[id.at].kind.kind;
        first.into_iter().for_each(|application| write(application, &mut all));
        for giver in self.run.graph.givers(host) {
            all = all.into_iter().map(|called| give(giver, kind, called)).collect();
        }
        last.into_iter().for_each(|application| write(application, &mut all));
        all
    }
}

/// Gives an object of `kind` what a kustomization gives.
fn give(giver: &Kustomization, kind: &str, called: Called) -> Called {
    let [prefix, suffix] = &giver.affixes;
    let name = match KEPT.contains(&kind) {
        true => called.name,
        false => format!("{prefix}{}{suffix}", called.name),
    };
    Called { name, namespace: giver.namespace.clone().or(called.namespace) }
}

/// Adds what an application writes; where it is not certain that it is made, what was there can be too.
fn write(application: &Application, all: &mut BTreeSet<Called>) {
    let written = |called: &Called| {
        let mut called = called.clone();
        for IdentityWrite { part, text } in application.identity.writes() {
            match (part, text) {
                (Part::Name, Some(name)) => called.name.clone_from(name),
                (Part::Namespace, Some(namespace)) => called.namespace = Some(namespace.clone()),
                _ => {}
            }
        }
        called
    };
    let written: BTreeSet<Called> = all.iter().map(written).collect();
    if application.is_certain && application.identity.is_by_file {
        all.clear();
    }
    all.extend(written);
}
