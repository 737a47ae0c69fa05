//! Which releases do the objects of a pack in a tree come from?
//!
//! One cluster runs one release of an API. So the releases that all of its objects fit are those that each of them comes from, and
//! of these the one that charts, images and marks name. An object that does not fit what the others agree on goes by itself.
//!
//! Invariant: the order of the objects decides at most which of several is named.

use std::collections::BTreeMap;

use super::inference::{Inference, infer};
use super::install_evidence::Evidence;
use crate::engine::finding::Location;
use crate::engine::manifest::Manifest;
use crate::knowledge::pack::{Pack, Packs};
use crate::knowledge::release::ReleaseSet;
use crate::syntax::field::FieldPath;

/// Which releases objects of a pack can be for: several of one file that do not differ in that, of which the first one is named.
#[derive(Clone, Debug)]
pub struct ObjectReleases<'p> {
    /// The pack.
    pub pack: &'p Pack,
    /// Where the first object starts.
    pub location: Location,
    /// What findings call it.
    pub title: String,
    /// How many objects there are.
    pub objects: usize,
    /// The releases that have its fields: at least one.
    pub by_fields: ReleaseSet,
    /// Those of them that serve its apiVersion; an apiVersion that no release serves shows nothing.
    pub with_version: ReleaseSet,
}

impl<'p> ObjectReleases<'p> {
    /// Adds to `all` what `inference` shows about an object of a file that is called `title` and starts at `location`; of fields that
    /// exclude each other, nothing.
    pub(crate) fn add(
        all: &mut Vec<Self>,
        pack: &'p Pack,
        inference: &Inference,
        title: impl FnOnce() -> String,
        location: impl FnOnce() -> Location,
    ) {
        let Inference { candidates: by_fields, serving, .. } = *inference;
        let with_version = if serving.is_empty() { by_fields } else { by_fields & serving };
        if inference.is_conflict() {
            return;
        }
        match all.iter_mut().find(|other| other.is_same(pack, by_fields, with_version)) {
            Some(same) => same.objects += 1,
            None => {
                let (location, title) = (location(), title());
                all.push(Self { pack, location, title, objects: 1, by_fields, with_version });
            }
        }
    }

    /// Adds it to `all`, of which one that can be for the same releases gets its objects.
    pub(crate) fn add_to(self, all: &mut Vec<Self>) {
        match all.iter_mut().find(|other| other.is_same(self.pack, self.by_fields, self.with_version)) {
            Some(same) => same.objects += self.objects,
            None => all.push(self),
        }
    }

    fn is_same(&self, pack: &Pack, by_fields: ReleaseSet, with_version: ReleaseSet) -> bool {
        (self.by_fields, self.with_version) == (by_fields, with_version) && self.pack.name() == pack.name()
    }

    /// Returns the releases that have its fields and serve its apiVersion, or else have its fields.
    pub(crate) fn fitting(&self) -> ReleaseSet {
        self.by_fields.within(self.with_version)
    }
}

/// Collects which releases the objects of a file can be for.
///
/// Only objects of packs for which `is_compared` holds are inferred.
pub(crate) fn object_releases_in<'p>(
    manifest: &Manifest,
    packs: &'p Packs,
    is_compared: impl Fn(&Pack) -> bool,
) -> Vec<ObjectReleases<'p>> {
    let mut found = Vec::new();
    for object in &manifest.objects {
        let pack = packs.of_group(&object.kind.group).filter(|pack| is_compared(pack));
        let Some((pack, catalog)) = pack.and_then(|pack| Some((pack, pack.catalog(&object.kind)?))) else { continue };
        let inference = infer(&object.value, catalog, &object.api_version.version);
        ObjectReleases::add(
            &mut found,
            pack,
            &inference,
            || object.title(),
            || manifest.locate(object, &FieldPath::default()),
        );
    }
    // It is kept of each file until all are read.
    found.shrink_to_fit();
    found
}

/// What objects of one pack agree on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Agreed<'s, 'p> {
    /// The releases that they fit by their fields and apiVersions; none where they do not agree.
    pub(crate) releases: ReleaseSet,
    /// The objects that do not fit these.
    pub(crate) apart: Vec<&'s ObjectReleases<'p>>,
}

/// Returns what objects of one pack agree on: all of them, or all but the fewest that have to be left out, where there is one such
/// choice and at least twice as many objects contradict those left out.
pub(crate) fn agreed<'s, 'p>(objects: &[&'s ObjectReleases<'p>]) -> Agreed<'s, 'p> {
    // Objects are many, and the sets of releases that they fit are few.
    let mut fitting: BTreeMap<ReleaseSet, usize> = BTreeMap::new();
    for one in objects {
        *fitting.entry(one.with_version).or_default() += one.objects;
    }
    let mut counts = BTreeMap::new();
    for (fit, objects) in &fitting {
        fit.iter().for_each(|release| *counts.entry(release).or_insert(0) += objects);
    }
    let most = counts.values().max().copied();
    let releases: ReleaseSet =
        counts.into_iter().filter(|(_, count)| Some(*count) == most).map(|(release, _)| release).collect();
    let (within, outside): (Vec<_>, Vec<_>) = fitting.into_iter().partition(|(fit, _)| fit.is_superset(releases));
    let is_one_choice = outside.iter().all(|(fit, _)| (*fit & releases).is_empty());
    let contradicts = |fit: ReleaseSet| outside.iter().any(|(other, _)| (fit & *other).is_empty());
    let contradicting: usize = within.iter().filter(|(fit, _)| contradicts(*fit)).map(|(_, objects)| objects).sum();
    let left_out: usize = outside.iter().map(|(_, objects)| objects).sum();
    let apart = objects.iter().copied().filter(|one| !one.with_version.is_superset(releases)).collect();
    if is_one_choice && contradicting >= 2 * left_out { Agreed { releases, apart } } else { Agreed::default() }
}

/// What is known of the releases that the objects of a pack come from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origin<'s, 'p> {
    /// These releases; none where nothing is known.
    pub(crate) releases: ReleaseSet,
    /// Whether what installs the project names it.
    pub(crate) is_named: bool,
    /// The objects that cannot come from there, although the others do.
    pub(crate) apart: Vec<&'s ObjectReleases<'p>>,
    /// The first object that contradicts what installs the project, which shows nothing then.
    pub(crate) contradicting: Option<&'s ObjectReleases<'p>>,
}

/// Returns where objects of one pack come from, as `evidence` of the pack and all of these `objects` show it.
pub(crate) fn origin<'s, 'p>(evidence: &[&Evidence], objects: &[&'s ObjectReleases<'p>]) -> Origin<'s, 'p> {
    let Agreed { releases, apart } = agreed(objects);
    let mut exact = evidence.iter().filter(|one| one.is_exact());
    let named: ReleaseSet = exact.clone().flat_map(|one| &one.releases).copied().collect();
    if named.is_empty() {
        return Origin { releases, apart, ..Origin::default() };
    }
    let is_apart = |one: &ObjectReleases<'_>| apart.iter().any(|other| std::ptr::eq(*other, one));
    let contradicting = objects.iter().filter(|one| (one.fitting() & named).is_empty() && !is_apart(one));
    if let Some(contradicting) = contradicting.min_by_key(|one| &one.location) {
        return Origin { releases, apart, contradicting: Some(*contradicting), ..Origin::default() };
    }
    let is_named = exact.next().is_some_and(|first| exact.all(|other| other.releases == first.releases));
    // Two releases are two clusters, and nothing says which of them an object is of.
    let releases = if is_named { named.within(releases) } else { named };
    Origin { releases, is_named, apart, contradicting: None }
}
