//! Which fields of an object belong in other objects at the target?
//!
//! A Deployment that a user wrote becomes one that a controller makes from an object of the pack: its settings have a place there,
//! and only the user can combine the two. So nothing is edited, and each field is reported with its new place.
//!
//! Invariant: nothing here changes anything.

use crate::engine::convert::{Goal, Remark};
use crate::engine::finding::{Code, Finding, Severity};
use crate::engine::manifest::{Manifest, Object};
use crate::knowledge::pack::Target;
use crate::knowledge::pack::wire::Moves;
use crate::knowledge::release::GroupKind;

/// The fields that move to other objects on the path to a target.
#[derive(Debug)]
pub(crate) struct CrossedMoves<'g> {
    target: &'g Target<'g>,
    moves: &'g Moves,
}

/// Collects what moves on the path to the targets of `goal`, from releases that are not known to be newer.
pub(crate) fn crossed<'g>(goal: &'g Goal<'g>) -> Vec<CrossedMoves<'g>> {
    let of_target = |target: &'g Target<'g>| {
        let line = target.pack.line();
        let origins = goal.choices.origins_of(target.pack).unwrap_or(line.all());
        let is_crossed = move |moves: &&Moves| {
            let is_older = |order: usize| order < moves.order;
            !is_older(line.get(target.release).order) && origins.iter().any(|id| is_older(line.get(id).order))
        };
        let moves = target.pack.release_notes().moves.iter().filter(is_crossed);
        moves.map(move |moves| CrossedMoves { target, moves })
    };
    goal.targets.iter().flat_map(of_target).collect()
}

/// Reports the fields that move out of `object`.
pub(crate) fn findings(manifest: &Manifest, object: &Object, crossed: &[CrossedMoves<'_>]) -> Vec<Finding> {
    let concerns =
        |crossed: &&CrossedMoves<'_>| crossed.concerns(&object.kind) && crossed.moves.condition.can_hold(&object.value);
    crossed.iter().filter(concerns).flat_map(|crossed| crossed.findings(manifest, object)).collect()
}

impl CrossedMoves<'_> {
    /// Returns whether fields of objects of `kind` move.
    pub(crate) fn concerns(&self, kind: &GroupKind) -> bool {
        self.moves.kinds.contains(kind)
    }

    fn findings(&self, manifest: &Manifest, object: &Object) -> Vec<Finding> {
        let bundle = &self.target.pack.line().bundles()[self.moves.order];
        let places = self.moves.each.matches(&object.value).into_iter();
        let matching =
            places.filter(|place| place.get(&object.value).is_some_and(|value| self.moves.only.can_hold(value)));
        let mut found = Vec::new();
        for place in matching {
            for (field, to) in &self.moves.fields {
                let inner = place.get(&object.value).map(|value| field.matches(value)).unwrap_or_default();
                for path in inner.iter().map(|inner| place.join(inner)) {
                    let message = format!("{path} is not edited; from {bundle} on, this is configured elsewhere");
                    let remark = Remark::new(Code::Advisory, path, message).help(format!("configure by hand: {to}"));
                    found.push(remark.finding(manifest, object, Severity::Warning));
                }
            }
        }
        found
    }
}
