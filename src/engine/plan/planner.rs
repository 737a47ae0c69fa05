//! What follows from a goal for every file, worked out once?

use crate::engine::convert::{Goal, Targets};
use crate::engine::infer::install_evidence::Installations;
use crate::engine::notices::advisories::{self, CrossedAdvisory};
use crate::engine::notices::mentions::KindNames;
use crate::engine::notices::moved_fields::{self, CrossedMoves};
use crate::engine::notices::old_keys::OldKeys;
use crate::knowledge::pack::{Pack, Target};
use crate::knowledge::release::GroupKind;

/// A goal, and what follows from it for every file.
#[derive(Debug)]
pub struct Planner<'g> {
    pub(super) targets: Targets<'g>,
    pub(super) kind_names: KindNames,
    pub(super) old_keys: OldKeys,
    pub(super) advisories: Vec<CrossedAdvisory<'g>>,
    pub(super) moves: Vec<CrossedMoves<'g>>,
    pub(super) installations: Installations<'g>,
}

impl<'g> Planner<'g> {
    /// Works out what follows from `goal`.
    pub fn new(goal: &'g Goal<'g>) -> Self {
        let targets = Targets::new(goal);
        let crossed = |target: &'g Target<'g>| advisories::crossed(target, goal.choices.origins_of(target.pack));
        let advisories = goal.targets.iter().flat_map(crossed).collect();
        let (kind_names, moves) = (KindNames::new(&targets.renames), moved_fields::crossed(goal));
        let old_keys = OldKeys::new(goal);
        let is_target = |pack: &Pack| goal.targets.iter().any(|target| target.pack.name() == pack.name());
        let installations = Installations::new(goal.packs, is_target);
        Self { targets, kind_names, old_keys, advisories, moves, installations }
    }

    /// Returns whether there may be something to report about objects of these kinds that no pack knows.
    pub(super) fn may_concern<'k>(&self, mut kinds: impl Iterator<Item = &'k GroupKind>) -> bool {
        !self.old_keys.is_empty() || kinds.any(|kind| self.moves.iter().any(|moves| moves.concerns(kind)))
    }

    /// Returns what the run is asked to do.
    pub const fn goal(&self) -> &'g Goal<'g> {
        self.targets.goal
    }
}
