//! What do the targets of a run mean for the names of kinds and versions?

use std::collections::BTreeSet;

use super::choices::Goal;
use super::references::{self, Reference};
use super::renames::{self, Renames, Successor};
use super::shapes;
use crate::knowledge::catalog::{Catalog, Version};
use crate::knowledge::pack::{Pack, Target};
use crate::knowledge::release::{ApiVersion, GroupKind, is_version};

use serde_json::Value;

/// A goal, with the kinds that its targets rename.
#[derive(Debug)]
pub(crate) struct Targets<'g> {
    pub(crate) goal: &'g Goal<'g>,
    /// The kinds that the rules of the run rename.
    pub(crate) renames: Renames,
}

impl<'g> Targets<'g> {
    /// Collects the kinds that the targets of `goal` rename.
    pub(crate) fn new(goal: &'g Goal<'g>) -> Self {
        Self { goal, renames: goal.targets.iter().flat_map(renames::renames).collect() }
    }

    /// Finds the references in `value`, an object of `kind`, to kinds that are renamed.
    pub(crate) fn references(&self, kind: &GroupKind, value: &Value) -> Vec<Reference<'g>> {
        renames::find(value, self.goal.catalog_of(kind), &self.renames, self.goal.packs)
    }

    /// Finds the references in `value` to kinds that are renamed, whose new group cannot be written there.
    pub(crate) fn inexpressible(&self, value: &Value) -> Vec<Reference<'g>> {
        renames::inexpressible(value, &self.renames, self.goal.packs)
    }

    /// Finds the references in `value`, an object of `kind` in `file`, to a kind that is renamed, or by another version than objects of
    /// the kind get.
    pub(crate) fn outdated_references(&self, kind: &GroupKind, value: &Value, file: &str) -> Vec<Reference<'g>> {
        let kinds = || self.goal.targets.iter().flat_map(|target| target.pack.kinds());
        let mut found = self.references(kind, value);
        let mut add = |reference: Reference<'g>| {
            let version = reference.version.as_ref();
            let is_outdated = version.is_some_and(|version| self.is_outdated(&reference.kind, version, file));
            if is_outdated && found.iter().all(|other| other.path != reference.path) {
                found.push(reference);
            }
        };
        references::find_declared(value, self.goal.packs, kinds).into_iter().for_each(&mut add);
        // The owner of a renamed kind is another object afterwards, with another uid.
        let owners = references::find_owners(value).into_iter();
        owners.filter(|owner| !self.renames.contains_key(&owner.kind)).for_each(&mut add);
        references::each_named(value, &mut |at, named| {
            if named.version().is_some() {
                named.reference(at.path(), |_| None).into_iter().for_each(&mut add);
            }
        });
        found
    }

    /// Returns whether objects of `kind` that are written with `version` get another one, or the target does not serve it.
    pub(crate) fn is_outdated(&self, kind: &GroupKind, version: &str, file: &str) -> bool {
        match self.successor(kind, version, file) {
            Some(successor) => successor.kind != *kind || successor.version != version,
            None => is_version(version) && self.not_serving(kind, version).is_some(),
        }
    }

    /// Returns the kind that objects of `kind` get by a rename, or else `kind`.
    pub(crate) fn renamed<'k>(&'k self, kind: &'k GroupKind) -> &'k GroupKind {
        self.renames.get(kind).map_or(kind, Successor::kind)
    }

    /// Returns what an object of `kind` that `file` names by `version` becomes, where nothing in the object speaks against it; `None`
    /// where no release has that version, or the target has nothing that the kind becomes.
    pub(crate) fn successor(&self, kind: &GroupKind, version: &str, file: &str) -> Option<Successor> {
        let target = self.goal.target_of(&kind.group)?;
        if target.pack.catalog(kind)?.listing(version).is_empty() {
            return None;
        }
        let new = self.renamed(kind);
        let present = ApiVersion { group: kind.group.clone(), version: version.to_owned() };
        let choice = self.goal.choices_for(file).version;
        let in_group = |group: &str| [new, kind].into_iter().find(|kind| kind.group == group);
        let best = shapes::best(new, &present, target, self.goal, choice)
            .or_else(|| shapes::best(kind, &present, target, self.goal, choice))?;
        Some(Successor::new(in_group(&best.group)?.clone(), best.version))
    }

    /// Returns whether the target serves `kind` in `version`, and has not deprecated that.
    pub(crate) fn is_current(&self, kind: &GroupKind, version: &str) -> bool {
        self.served(kind).any(|served| served.name == version && !served.deprecated)
    }

    /// Returns whether the target serves `kind` in `version`.
    pub(crate) fn serves(&self, kind: &GroupKind, version: &str) -> bool {
        self.served(kind).any(|served| served.name == version)
    }

    fn served(&self, kind: &GroupKind) -> impl Iterator<Item = Version<'g>> + use<'g> {
        let target = self.goal.target_of(&kind.group);
        let catalog = target.and_then(|target| Some((target.pack.catalog(kind)?, target.release)));
        catalog.into_iter().flat_map(|(catalog, release)| catalog.served(release))
    }

    /// Returns the kinds that become what `kind` becomes, that too.
    pub(crate) fn family<'k>(&'k self, kind: &'k GroupKind) -> BTreeSet<&'k GroupKind> {
        let new = self.renamed(kind);
        let renamed = self.renames.iter().filter(|(_, successor)| successor.kind() == new).map(|(old, _)| old);
        renamed.chain([new, kind]).collect()
    }

    /// Returns the target that has `kind`, but does not serve it in `version`.
    pub(crate) fn not_serving(&self, kind: &GroupKind, version: &str) -> Option<&'g Target<'g>> {
        let target = self.goal.target_of(&kind.group).filter(|_| !self.renames.contains_key(kind))?;
        let served = target.pack.catalog(kind)?.served(target.release);
        (!served.is_empty() && served.iter().all(|served| served.name != version)).then_some(target)
    }

    /// Returns the target whose pack knows `kind` and whose release does not have it, nor a kind that it becomes.
    pub(crate) fn lacking(&self, kind: &GroupKind) -> Option<&'g Target<'g>> {
        let target = self.goal.target_of(&kind.group)?;
        let catalog = target.pack.catalog(kind)?;
        let is_there = self.renames.contains_key(kind) || catalog.releases().contains(target.release);
        (!is_there).then_some(target)
    }

    /// Returns the option that takes a kind for the one of the same name that the target has in another group, where both are of CRDs
    /// of which no pack says more.
    pub(crate) fn possible_move(&self, kind: &GroupKind) -> Option<String> {
        let target = self.lacking(kind).filter(|target| target.pack.is_of_crds())?;
        let has = |other: &&GroupKind| other.kind == kind.kind && self.lacking(other).is_none();
        target.pack.kinds().find(has).map(|other| offer(target.pack, kind, other))
    }

    /// Returns whether the target's release no longer has `kind`, which an older one had or which it has in another group, nor a kind
    /// that it becomes.
    pub(crate) fn removed(&self, kind: &GroupKind) -> bool {
        self.lacking(kind).is_some_and(|target| {
            let order = |release| target.pack.line().get(release).order;
            let releases = target.pack.catalog(kind).map(Catalog::releases).unwrap_or_default();
            releases.iter().any(|release| order(release) < order(target.release)) || self.possible_move(kind).is_some()
        })
    }

    /// Returns whether `text` is an apiVersion, a group or a kind that the targets have, so that it can stay wherever it stands: a kind that was
    /// renamed, a version that some kind of the group lacks and one that is deprecated cannot. Of an apiVersion, the kinds count for
    /// which `is_meant` holds, where there are any.
    pub(crate) fn have(&self, text: &str, is_meant: &dyn Fn(&GroupKind) -> bool) -> bool {
        if !text.contains(['.', '/']) {
            return self.kinds_named(text).any(|kind| self.lacking(kind).is_none() && !self.renames.contains_key(kind));
        }
        let (group, version) = text.rsplit_once('/').map_or((text, None), |(group, version)| (group, Some(version)));
        let Some(target) = self.goal.target_of(group) else { return false };
        let of_group: Vec<&GroupKind> = target.pack.kinds().filter(|kind| kind.group == group).collect();
        let Some(version) = version else {
            return of_group.iter().any(|kind| self.lacking(kind).is_none())
                && of_group.iter().all(|kind| !self.renames.contains_key(*kind));
        };
        let is_listed = |catalog: &&Catalog| catalog.versions().any(|listed| listed == version);
        let meant = of_group.iter().copied().filter(|kind| is_meant(kind)).collect::<Vec<_>>();
        let meant = if meant.is_empty() { of_group } else { meant };
        let listing: Vec<&Catalog> =
            meant.into_iter().filter_map(|kind| target.pack.catalog(kind)).filter(is_listed).collect();
        let is_served = |catalog: &&Catalog| {
            let [served, deprecated] = [catalog.serving(version), catalog.deprecating(version)];
            served.contains(target.release) && !deprecated.contains(target.release)
        };
        !listing.is_empty() && listing.iter().all(is_served)
    }

    /// Returns whether rules of the targets can be about a kind with this name.
    pub(crate) fn is_kind_named(&self, name: &str) -> bool {
        let mut foreign = self.goal.targets.iter().flat_map(|target| target.pack.foreign_kinds());
        self.kinds_named(name).next().is_some() || foreign.any(|kind| kind.kind == name)
    }

    /// Returns a kind as the pack of its target has it.
    pub(crate) fn known_kind(&self, kind: &GroupKind) -> Option<&'g GroupKind> {
        self.goal.target_of(&kind.group)?.pack.kinds().find(|known| *known == kind)
    }

    /// Returns the kinds with this name that the packs of the targets know.
    pub(crate) fn kinds_named(&self, name: &str) -> impl Iterator<Item = &'g GroupKind> {
        self.goal.targets.iter().flat_map(|target| target.pack.kinds()).filter(move |kind| kind.kind == name)
    }
}

/// Offers the option that accepts that the kinds of a group are those of another one now: the same words for every kind of the group and
/// what names it. The option has the group of the older set first, also where objects go back to that.
pub(super) fn offer(pack: &Pack, one: &GroupKind, other: &GroupKind) -> String {
    let first = |kind: &GroupKind| pack.catalog(kind).and_then(|catalog| catalog.releases().first());
    let (old, new) = if first(one) <= first(other) { (one, other) } else { (other, one) };
    let (old, new) = (&old.group, &new.group);
    format!(
        "if the kinds of {old} are in {new} now, accept that: `--move {old}={new}` converts what both describe alike"
    )
}
