//! Whether the catalogs show what a rule is for: [`is_shown`].

use std::collections::BTreeSet;

use serde_json::Value;

use super::linter::whole;
use super::rules::Bundle;
use crate::authoring::constraints::{allowed, is_required};
use crate::authoring::rule_path::{RulePath, patterns_in};
use crate::knowledge::catalog::Catalog;
use crate::knowledge::lens::{Direction, Image};
use crate::knowledge::pack::pack::Pack;
use crate::knowledge::pack::rules::Rule;
use crate::knowledge::release::ReleaseId;
use crate::syntax::field::FieldPattern;

/// Returns whether the catalogs show what `rule` is for: its bundle removes or requires something that it converts,
/// or holds back in every object. A limit, a default or a spelling is not a removal.
pub fn is_shown(pack: &Pack, rule: &Rule) -> bool {
    let Some(bundle) = Bundle::of(pack, rule).filter(|_| rule.within.is_none()) else { return false };
    let (Some(old), Some(new)) = (pack.catalog(&rule.kind), pack.catalog(&bundle.path.kind)) else { return false };
    let lens = rule.lens(Direction::Forward);
    let newest = pack.line().iter().last();
    let is_removed = newest.is_some_and(|(newest, _)| !old.releases().contains(newest));
    let ends_kind = rule.kind != rule.new_kind || lens.images(&whole()) == BTreeSet::from([Image::Refused]);
    let rules = bundle.path.rules[..bundle.at.unwrap_or_default()].to_vec();
    let step = Step { pack, rule, old, new, before: RulePath { kind: rule.kind.clone(), rules } };
    let brought = bundle.at_its_ends(lens.claims()).new;
    ends_kind && is_removed || brought.iter().any(|field| step.is_newly_required(field)) || step.converts_something()
}

/// A rule's place on the release line, and the rules of its bundle that objects of its kind run before.
struct Step<'p> {
    pack: &'p Pack,
    rule: &'p Rule,
    old: &'p Catalog,
    new: &'p Catalog,
    before: RulePath<'p>,
}

impl Step<'_> {
    /// Returns the releases with the kind on the side that `direction` starts from, next to the bundle.
    fn releases(&self, direction: Direction) -> Vec<ReleaseId> {
        let (catalog, order) = match direction {
            Direction::Forward => (self.old, self.rule.order.saturating_sub(1)),
            Direction::Backward => (self.new, self.rule.order),
        };
        catalog.releases().iter().filter(|id| self.pack.line().get(*id).order == order).collect()
    }

    /// Returns whether the new side requires a field that the old one does not have.
    fn is_newly_required(&self, field: &FieldPattern) -> bool {
        let before = self.releases(Direction::Forward);
        let is_new = |field: &FieldPattern| before.iter().all(|from| !self.old.having(field).contains(*from));
        // What a new mapping requires, which can be absent itself, no old object lacks.
        let with_mappings =
            (1..=field.parts().len()).map(|count| FieldPattern::new(field.parts()[..count].iter().cloned()));
        let new: Vec<FieldPattern> = with_mappings.filter(is_new).collect();
        let requires = |to: &ReleaseId| new.iter().all(|field| is_required(self.new, field, *to));
        is_new(field) && self.releases(Direction::Backward).iter().any(requires)
    }

    /// Returns whether the rule converts or holds back a field or a value that the new side does not have.
    fn converts_something(&self) -> bool {
        let targets = self.releases(Direction::Backward);
        self.releases(Direction::Forward).into_iter().any(|from| {
            patterns_in(self.old, from).iter().any(|field| {
                let is_removed = targets.iter().all(|to| !self.new.has(field, *to));
                let names = self.before.images(field).into_iter().filter_map(|image| image.place(field.clone()));
                names
                    .into_iter()
                    .any(|name| is_removed && self.converts(&name) || self.converts_value(field, &name, from))
            })
        })
    }

    fn converts(&self, name: &FieldPattern) -> bool {
        !self.rule.lens(Direction::Forward).images(name).contains(&Image::Kept)
    }

    /// Returns whether a value of `field`, which is called `name` when the rule runs, is none of the new side.
    fn converts_value(&self, field: &FieldPattern, name: &FieldPattern, from: ReleaseId) -> bool {
        let lens = self.rule.lens(Direction::Forward);
        let place = lens.image(name).place(name.clone());
        let target = self.releases(Direction::Backward).into_iter().next();
        let Some(listed) = place.zip(target).and_then(|(place, target)| allowed(self.new, &place, target)) else {
            return false;
        };
        let converts = |value: &Value| lens.claims_value(name, value) || lens.value_image(name, value).is_some();
        allowed(self.old, field, from)
            .unwrap_or_default()
            .iter()
            .any(|value| converts(value) && !listed.contains(value))
    }
}
