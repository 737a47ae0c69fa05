//! The place of a rule among those of its bundle: [`Bundle`].

use crate::authoring::rule_path::RulePath;
use crate::knowledge::lens::{Claims, Direction, Image, Lens};
use crate::knowledge::pack::pack::Pack;
use crate::knowledge::pack::rule::Rule;
use crate::syntax::field::FieldPattern;

/// A rule among those of its bundle that objects of its kind run.
pub(super) struct Bundle<'p> {
    pub(super) path: RulePath<'p>,
    /// The rule's position in it; none where the rule runs after all others.
    pub(super) at: Option<usize>,
}

impl<'p> Bundle<'p> {
    /// Finds the rule's place in its bundle; `None` where it never runs.
    pub(super) fn of(pack: &'p Pack, rule: &Rule) -> Option<Self> {
        let path = RulePath::new(pack, &rule.kind, rule.order.checked_sub(1)?, rule.order);
        let at = path.rules.iter().position(|(other, _)| other.id == rule.id);
        (at.is_some() || rule.within.is_some()).then_some(Self { path, at })
    }

    /// Returns claims of the rule as the fields are called before the bundle and after it.
    pub(super) fn at_its_ends(&self, claims: Claims) -> Claims {
        let Some(at) = self.at else { return claims };
        let rules =
            |range: &[(&'p Rule, Direction)], direction| range.iter().map(|(rule, _)| rule.lens(direction)).collect();
        let after: Vec<&Lens> = rules(&self.path.rules[at + 1..], Direction::Forward);
        let mut before: Vec<&Lens> = rules(&self.path.rules[..at], Direction::Backward);
        before.reverse();
        Claims { old: follow(&before, claims.old), new: follow(&after, claims.new) }
    }
}

/// Returns the names of fields after `lenses`, without dropped ones.
fn follow(lenses: &[&Lens], fields: Vec<FieldPattern>) -> Vec<FieldPattern> {
    let one = |field: FieldPattern| {
        lenses.iter().try_fold(field, |field, lens| match lens.image(&field) {
            Image::Kept => Some(field),
            Image::Moved(moved) => Some(moved),
            Image::Dropped | Image::Refused => None,
        })
    };
    fields.into_iter().filter_map(one).collect()
}
