//! Answers: which kind does an object have by now, while rules convert it, and which rules are about it?
//!
//! Invariant: the kind changes only when a rule that gives another kind changed the object.

use super::rule::Rule;
use crate::knowledge::lens::Direction;
use crate::knowledge::release::GroupKind;

/// The kind that an object has by now, and the bundle that gave it.
#[derive(Clone, Debug)]
pub struct KindTracker {
    kind: GroupKind,
    /// The bundle whose rule gave the object its kind, by its order.
    retyped_in: Option<usize>,
}

impl KindTracker {
    /// Starts with an object of `kind`.
    pub const fn new(kind: GroupKind) -> Self {
        Self { kind, retyped_in: None }
    }

    /// Returns the kind that the object has by now.
    pub const fn kind(&self) -> &GroupKind {
        &self.kind
    }

    /// Returns whether `rule` applies to the object in `direction`: an object that had the old kind from the start never had
    /// what changed together with the kind.
    pub fn is_subject_to(&self, rule: &Rule, direction: Direction) -> bool {
        let together = rule.final_kind != rule.new_kind && direction == Direction::Backward;
        *rule.from_kind(direction) == self.kind && (!together || self.retyped_in == Some(rule.order))
    }

    /// Notes that `rule` changed the object.
    pub fn record(&mut self, rule: &Rule, direction: Direction) {
        if rule.from_kind(direction) != rule.to_kind(direction) {
            self.retyped_in = Some(rule.order);
        }
        self.kind.clone_from(rule.to_kind(direction));
    }
}
