//! What follows from a goal for every file, worked out once?

use std::collections::BTreeMap;

use crate::convert::{Goal, Targets};
use crate::lens::{Context, Direction, Lens};
use crate::links::{File, Lookup, Namespaces};
use crate::notices::advisories::{self, CrossedAdvisory};
use crate::notices::mentions::KindNames;
use crate::notices::moved_fields::{self, CrossedMoves};
use crate::notices::old_keys::OldKeys;
use crate::release::GroupKind;

/// A goal, and what follows from it for every file.
#[derive(Debug)]
pub struct Planner<'g> {
    pub(super) targets: Targets<'g>,
    pub(super) kind_names: KindNames,
    pub(super) old_keys: OldKeys,
    pub(super) advisories: Vec<CrossedAdvisory<'g>>,
    pub(super) moves: Vec<CrossedMoves<'g>>,
    /// The kinds whose objects others look up.
    pub(super) lookups: BTreeMap<GroupKind, Lookup>,
}

impl<'g> Planner<'g> {
    /// Works out what follows from `goal`.
    pub fn new(goal: &'g Goal<'g>) -> Self {
        let targets = Targets::new(goal);
        let rules = goal.targets.iter().flat_map(|target| target.pack.rules());
        let lenses = rules.flat_map(|rule| [Direction::Forward, Direction::Backward].map(|way| rule.lens(way)));
        let by_name = targets.renames.values().map(|successor| (successor.kind().clone(), Lookup::Name));
        let by_data = lenses.flat_map(Lens::kinds_read).map(|kind| (kind, Lookup::Data));
        let lookups = by_name.chain(by_data).collect();
        let advisories = goal.targets.iter().flat_map(advisories::crossed).collect();
        let (kind_names, moves) = (KindNames::new(&targets.renames), moved_fields::crossed(goal));
        let old_keys = OldKeys::new(goal);
        Self { targets, kind_names, old_keys, advisories, moves, lookups }
    }

    /// Returns what the run is asked to do.
    pub const fn goal(&self) -> &'g Goal<'g> {
        self.targets.goal
    }

    /// Returns the namespaces of the objects of `files`.
    pub(super) fn namespaces(&self, files: &[File<'_>]) -> Namespaces<'g> {
        Namespaces::new(files, self.goal().packs, self.goal().choices.namespace.as_deref())
    }

    /// Returns the namespaces of objects that no kustomization builds.
    pub(super) fn namespaces_as_written(&self) -> Namespaces<'g> {
        Namespaces::as_written(self.goal().packs, self.goal().choices.namespace.as_deref())
    }

    /// Returns what lenses see where no other object is known.
    pub(super) fn no_others(&self) -> Context<'g> {
        Context::default().with_parameters(&self.targets.goal.choices.parameters)
    }
}
