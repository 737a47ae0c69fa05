//! Answers: what do objects of a run say that other objects take over at the target?
//!
//! A Deployment that a user wrote becomes one that a controller makes from an object of the pack: what it says has a place
//! there, and nobody but the user can join the two. So nothing is edited, and each field is told with its new place.
//!
//! Invariant: nothing here changes anything.

use super::{Goal, Remark, finding};
use crate::finding::{Code, Finding, Severity};
use crate::manifest::{Manifest, Object};
use crate::pack::Target;
use crate::pack::release_notes::Moves;

/// What moves on the way to a target.
#[derive(Debug)]
pub(super) struct Crossing<'g> {
    target: &'g Target<'g>,
    moves: &'g Moves,
}

/// Collects what moves on the way to the targets of `goal`, from releases that are not known to be newer.
pub(super) fn crossings<'g>(goal: &'g Goal<'g>) -> Vec<Crossing<'g>> {
    let of_target = |target: &'g Target<'g>| {
        let line = target.pack.line();
        let origins = goal.choices.origins.get(target.pack.name()).copied().unwrap_or(line.all());
        let is_crossed = move |moves: &&Moves| {
            let is_older = |order: usize| order < moves.order;
            !is_older(line.get(target.release).order) && origins.iter().any(|id| is_older(line.get(id).order))
        };
        let moves = target.pack.release_notes().moves.iter().filter(is_crossed);
        moves.map(move |moves| Crossing { target, moves })
    };
    goal.targets.iter().flat_map(of_target).collect()
}

/// Tells what moves out of `object`.
pub(super) fn findings(manifest: &Manifest, object: &Object, crossings: &[Crossing<'_>]) -> Vec<Finding> {
    let concerns = |crossing: &&Crossing<'_>| {
        crossing.moves.kinds.contains(&object.kind) && crossing.moves.condition.holds(&object.value)
    };
    crossings.iter().filter(concerns).flat_map(|crossing| crossing.findings(manifest, object)).collect()
}

impl Crossing<'_> {
    fn findings(&self, manifest: &Manifest, object: &Object) -> Vec<Finding> {
        let bundle = &self.target.pack.line().bundles()[self.moves.order];
        let places = self.moves.each.matches(&object.value).into_iter();
        let meant = places.filter(|place| place.get(&object.value).is_some_and(|value| self.moves.only.holds(value)));
        let mut found = Vec::new();
        for place in meant {
            for (field, to) in &self.moves.fields {
                let inner = place.get(&object.value).map(|value| field.matches(value)).unwrap_or_default();
                for path in inner.iter().map(|inner| place.join(inner)) {
                    let message = format!("{path} is not edited; from {bundle} on it is said by {to}");
                    let remark = Remark { code: Code::Advisory, path, message, help: None };
                    found.push(finding(manifest, object, &remark, Severity::Warning));
                }
            }
        }
        found
    }
}
