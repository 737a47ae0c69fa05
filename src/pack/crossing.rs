//! Answers: which rules stand between two bundles for objects of one kind, and where do they take its fields?
//!
//! A [`Crossing`] is what a conversion does to every object of a kind, read from the rules alone: it follows the kind through
//! retypes and a field through moves.
//!
//! Invariant: the rules are those that a conversion of an object on the old side would run, in the same order.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Pack, Rule};
use crate::field::FieldPattern;
use crate::lens::{Direction, Image};
use crate::release::{GroupKind, ReleaseId};

/// The rules between two bundles, for one kind.
#[derive(Debug)]
pub struct Crossing<'p> {
    /// The kind on the far side.
    pub kind: GroupKind,
    /// The rules, each with its direction, in the order they run.
    pub rules: Vec<(&'p Rule, Direction)>,
}

impl<'p> Crossing<'p> {
    /// Collects the rules that an object of `kind` meets from the bundle at `from` to the one at `to`.
    pub fn new(pack: &'p Pack, kind: &GroupKind, from: usize, to: usize) -> Self {
        let between = |rule: &&Rule| {
            let (low, high) = (from.min(to), from.max(to));
            rule.within.is_none() && rule.is_step() && low < rule.order && rule.order <= high
        };
        let rules = pack.rules().iter().filter(between);
        let directed: Vec<_> = if from <= to {
            rules.map(|rule| (rule, Direction::Forward)).collect()
        } else {
            rules.rev().map(|rule| (rule, Direction::Backward)).collect()
        };
        let mut crossing = Self { kind: kind.clone(), rules: Vec::new() };
        for (rule, direction) in directed {
            if *rule.from_kind(direction) == crossing.kind {
                crossing.kind = rule.to_kind(direction).clone();
                crossing.rules.push((rule, direction));
            }
        }
        crossing
    }

    /// Collects the rules that an object of `kind` meets from one release to another. An object whose kind a later release
    /// lacks meets the rules of the bundle that gave the kind its successor, although that bundle is past.
    pub fn between(pack: &'p Pack, kind: &GroupKind, from: ReleaseId, to: ReleaseId) -> Self {
        let [start, goal] = [from, to].map(|release| pack.line().get(release).order);
        let crossing = Self::new(pack, kind, start, goal);
        let lives = |crossing: &Self| pack.catalog(&crossing.kind).is_some_and(|new| new.releases().contains(to));
        if goal < start || lives(&crossing) {
            return crossing;
        }
        let retyped = pack.rules().iter().rev().filter(|rule| rule.kind == *kind && rule.new_kind != *kind);
        let late = retyped.filter_map(|rule| Some(Self::new(pack, kind, rule.order.checked_sub(1)?, goal)));
        late.into_iter().find(lives).unwrap_or(crossing)
    }

    /// Returns the rules that lead back over the same ones.
    #[must_use]
    pub fn reversed(&self, kind: &GroupKind) -> Self {
        let rules = self.rules.iter().rev().map(|(rule, direction)| (*rule, direction.reversed())).collect();
        Self { kind: kind.clone(), rules }
    }

    /// Returns everything that can become of the fields that match `field`.
    pub fn images(&self, field: &FieldPattern) -> BTreeSet<Image> {
        self.rules.iter().fold(BTreeSet::from([Image::Kept]), |images, (rule, direction)| {
            let step = |field: &FieldPattern| rule.lens(*direction).images(field);
            images.iter().flat_map(|image| image.after(field, step)).collect()
        })
    }

    /// Returns what becomes of the fields that match `field`, where rules do what they are for.
    pub fn image(&self, field: &FieldPattern) -> Image {
        let mut image = Image::Kept;
        for (rule, direction) in &self.rules {
            let now = match &image {
                Image::Kept => rule.lens(*direction).image(field),
                Image::Moved(moved) => rule.lens(*direction).image(moved),
                Image::Dropped | Image::Refused => break,
            };
            if now != Image::Kept {
                image = now;
            }
        }
        image
    }

    /// Says whether a rule makes the values of the fields that match `field` what the far side wants of them.
    pub fn settles(&self, field: &FieldPattern) -> bool {
        let mut at = field.clone();
        for (rule, direction) in &self.rules {
            let lens = rule.lens(*direction);
            if lens.makes_valid(&at) {
                return true;
            }
            if let Image::Moved(moved) = lens.image(&at) {
                at = moved;
            }
        }
        false
    }

    /// Returns what becomes of the text `value` in the fields that match `field`.
    pub fn value_image(&self, field: &FieldPattern, value: &str) -> String {
        let (mut at, mut value) = (field.clone(), value.to_owned());
        for (rule, direction) in &self.rules {
            let lens = rule.lens(*direction);
            value = lens.value_image(&at, &value).unwrap_or(value);
            if let Image::Moved(moved) = lens.image(&at) {
                at = moved;
            }
        }
        value
    }

    /// Says whether a rule holds every object back that has `value` in a field that matches `field`, or takes it away.
    pub fn claims_value(&self, field: &FieldPattern, value: &Value) -> bool {
        let mut at = field.clone();
        for (rule, direction) in &self.rules {
            let lens = rule.lens(*direction);
            if lens.claims_value(&at, value) {
                return true;
            }
            if let Image::Moved(moved) = lens.image(&at) {
                at = moved;
            }
        }
        false
    }
}
