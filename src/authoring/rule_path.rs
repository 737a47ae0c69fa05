//! Answers: which rules convert objects of one kind between two bundles, and where do they move its fields?
//!
//! A [`RulePath`] is what a conversion does to every object of a kind, read from the rules alone: it follows the kind through
//! retypes and a field through moves.
//!
//! Invariant: the rules are those that a conversion of an object on the old side would run, in the same order.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::knowledge::catalog::Catalog;
use crate::knowledge::lens::{Direction, Image, Lens};
use crate::knowledge::pack::pack::Pack;
use crate::knowledge::pack::rules::Rule;
use crate::knowledge::release::{ApiVersion, GroupKind, ReleaseId};
use crate::syntax::field::FieldPattern;

/// The rules between two bundles, for one kind.
#[derive(Debug)]
pub(crate) struct RulePath<'p> {
    /// The kind on the target side.
    pub kind: GroupKind,
    /// The rules, each with its direction, in the order they run.
    pub rules: Vec<(&'p Rule, Direction)>,
}

impl<'p> RulePath<'p> {
    /// Collects the rules that convert an object of `kind` from the bundle at `from` to the one at `to`.
    pub(crate) fn new(pack: &'p Pack, kind: &GroupKind, from: usize, to: usize) -> Self {
        let direction = if from <= to { Direction::Forward } else { Direction::Backward };
        let between = |rule: &&Rule| {
            let (low, high) = (from.min(to), from.max(to));
            let is_crossed = || low < rule.order && rule.order <= high;
            let is_step = rule.within.is_none() && rule.is_step();
            is_step && is_between(pack, rule, from, to, direction).unwrap_or_else(is_crossed)
        };
        let rules = pack.rules_about(kind).filter(between);
        let directed: Vec<_> = if from <= to {
            rules.map(|rule| (rule, Direction::Forward)).collect()
        } else {
            rules.rev().map(|rule| (rule, Direction::Backward)).collect()
        };
        let mut path = Self { kind: kind.clone(), rules: Vec::new() };
        for (rule, direction) in directed {
            if *rule.from_kind(direction) == path.kind {
                path.kind = rule.to_kind(direction).clone();
                path.rules.push((rule, direction));
            }
        }
        path
    }

    /// Collects the rules that convert an object of `kind` from one release to another. An object whose kind a later release
    /// does not have is converted by the rules of the bundle that introduced the successor of the kind, although that bundle is older.
    pub(crate) fn between(pack: &'p Pack, kind: &GroupKind, from: ReleaseId, to: ReleaseId) -> Self {
        let [start, goal] = [from, to].map(|release| pack.line().get(release).order);
        let path = Self::new(pack, kind, start, goal);
        let exists = |path: &Self| pack.has_kind(&path.kind, to);
        if goal < start || exists(&path) {
            return path;
        }
        let retyped = pack.rules().iter().rev().filter(|rule| rule.kind == *kind && rule.new_kind != *kind);
        let late = retyped.filter_map(|rule| Some(Self::new(pack, kind, rule.order.checked_sub(1)?, goal)));
        late.into_iter().find(exists).unwrap_or(path)
    }

    /// Returns the same rules in the reverse order and direction.
    #[must_use]
    pub(crate) fn reversed(&self, kind: &GroupKind) -> Self {
        let rules = self.rules.iter().rev().map(|(rule, direction)| (*rule, direction.reversed())).collect();
        Self { kind: kind.clone(), rules }
    }

    /// Returns everything that can become of the fields that match `field`.
    pub(crate) fn images(&self, field: &FieldPattern) -> BTreeSet<Image> {
        self.rules.iter().fold(BTreeSet::from([Image::Kept]), |images, (rule, direction)| {
            let step = |field: &FieldPattern| rule.lens(*direction).images(field);
            images.iter().flat_map(|image| image.after(field, step)).collect()
        })
    }

    /// Returns the lens of each rule, with the name that the fields that match `field` have before it.
    fn along(&self, field: &FieldPattern) -> impl Iterator<Item = (&'p Lens, FieldPattern)> {
        self.rules.iter().scan(field.clone(), |name, (rule, direction)| {
            let (lens, before) = (rule.lens(*direction), name.clone());
            if let Image::Moved(moved) = lens.image(name) {
                *name = moved;
            }
            Some((lens, before))
        })
    }

    /// Returns whether a rule gives the fields that match `field` the values that the target side requires.
    pub(crate) fn satisfies(&self, field: &FieldPattern) -> bool {
        self.along(field).any(|(lens, name)| lens.makes_valid(&name))
    }

    /// Returns what becomes of `value` in the fields that match `field`.
    pub(crate) fn value_image(&self, field: &FieldPattern, value: &Value) -> Value {
        self.along(field).fold(value.clone(), |value, (lens, name)| lens.value_image(&name, &value).unwrap_or(value))
    }

    /// Returns whether a rule holds every object back that has `value` in a field that matches `field`, or drops it.
    pub(crate) fn claims_value(&self, field: &FieldPattern, value: &Value) -> bool {
        self.along(field).any(|(lens, name)| lens.claims_value(&name, value))
    }
}

/// The conversion of a kind's objects from one release to another, with what the catalogs say on both sides.
pub(crate) struct Conversion<'p> {
    pub(crate) source: &'p Catalog,
    pub(crate) target: &'p Catalog,
    pub(crate) from: ReleaseId,
    pub(crate) to: ReleaseId,
    pub(crate) path: RulePath<'p>,
}

impl Conversion<'_> {
    /// Returns the fields of the source side, in order.
    pub(crate) fn fields(&self) -> BTreeSet<FieldPattern> {
        let mut fields = patterns_in(self.source, self.from);
        fields.retain(|field| self.source.has(field, self.from));
        fields
    }

    /// Returns every place in which the fields that match `field` can be found on the target side.
    pub(crate) fn places(&self, field: &FieldPattern) -> BTreeSet<FieldPattern> {
        self.path.images(field).into_iter().filter_map(|image| image.place(field.clone())).collect()
    }
}

/// Returns the fields that `release` has in any version.
pub(crate) fn patterns_in(catalog: &Catalog, release: ReleaseId) -> BTreeSet<FieldPattern> {
    catalog.fields_in(release).map(|field| field.pattern).collect()
}

/// Returns whether an object takes a rule between two apiVersions on its way from one bundle to another: the first bundle serves what
/// the object has before, the second one what it has after, and not the other. `None` for a rule between releases.
fn is_between(pack: &Pack, rule: &Rule, from: usize, to: usize, direction: Direction) -> Option<bool> {
    let [old, new] = rule.api_versions.as_ref()?;
    let serves = |order: usize, kind: &GroupKind, version: &ApiVersion| {
        let of_bundle = |id: ReleaseId| pack.line().get(id).order == order;
        pack.catalog(kind).is_some_and(|catalog| catalog.serving(&version.version).iter().any(of_bundle))
    };
    let (has_old, has_new) = (|order| serves(order, &rule.kind, old), |order| serves(order, &rule.new_kind, new));
    let is_passed = || passes(pack, rule, from, to);
    Some(match direction {
        Direction::Forward => has_old(from) && has_new(to) || is_passed(),
        Direction::Backward => has_new(from) && has_old(to) && !has_new(to) || is_passed(),
    })
}

/// Returns whether an object whose apiVersion the second bundle no longer serves gets past both of `rule` on its way to the nearest one
/// that it does, although neither bundle needs to serve them.
fn passes(pack: &Pack, rule: &Rule, from: usize, to: usize) -> bool {
    let Some([old, new]) = &rule.api_versions else { return false };
    let Some(by_age) = pack.versions_by_age(&rule.kind) else { return false };
    let served = |order: usize| -> Vec<usize> {
        let is_served = |version: &ApiVersion| {
            let kinds = [&rule.kind, &rule.new_kind].into_iter().filter(|kind| kind.group == version.group);
            let mut catalogs = kinds.filter_map(|kind| pack.catalog(kind));
            catalogs
                .any(|catalog| catalog.serving(&version.version).iter().any(|id| pack.line().get(id).order == order))
        };
        by_age.iter().enumerate().filter(|(_, version)| is_served(version)).map(|(age, _)| age).collect()
    };
    let age = |version: &ApiVersion| by_age.iter().position(|other| other == version);
    let (Some(old), Some(new)) = (age(old), age(new)) else { return false };
    let (before, after) = (served(from), served(to));
    before.iter().filter(|age| !after.contains(age)).any(|left| {
        let nearest = after.iter().min_by_key(|age| age.abs_diff(*left));
        nearest.is_some_and(|reached| match from <= to {
            true => *left <= old && new <= *reached,
            false => *reached <= old && new <= *left,
        })
    })
}
