//! What else is in the objects of a fixture, so that both sides accept them.
//!
//! What the old side requires is added to the object before a change, and what becomes of it to the one after it; what the new side requires
//! besides is added to that as the rules write it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::changes::Changes;
use super::pairing::Moved;
use super::text::slug;
use super::unions::Union;
use super::values::concrete;
use crate::syntax::field::{FieldPattern, Part};

/// Fields of an object, with their values.
pub(super) type Leaves = Vec<(FieldPattern, Value)>;

/// The fields of an object before and after a change, and what holds it back.
#[derive(Clone, Debug, Default)]
pub(super) struct Completed {
    pub(super) before: Leaves,
    pub(super) after: Leaves,
    /// Fields that are written, and stay when the object is converted back.
    pub(super) kept: Leaves,
    /// Fields of the old side that are lost.
    pub(super) lost: BTreeSet<String>,
    /// Fields for which a rule holds the object back until a place is filled in, by the name of the rule.
    pub(super) refused: BTreeMap<String, String>,
    /// Fields that the new side requires, of which nothing shows the value.
    pub(super) missing: BTreeSet<String>,
}

impl Completed {
    /// Returns the lines of the findings that hold the object back.
    pub(super) fn findings(&self) -> String {
        let lines = |code: &str, fields: &BTreeSet<String>| -> String {
            fields.iter().map(|field| format!("{code} {field}\n")).collect()
        };
        // The first refusal comes before everything else.
        match self.refused.first_key_value() {
            Some((_, field)) => format!("not-convertible {field}\n"),
            None => lines("dropped-field", &self.lost) + &lines("invalid-in-target", &self.missing),
        }
    }

    /// Returns the fields for which it is held back besides `own`, which is what the case is about: others decide about these, and fill that in
    /// by and by.
    pub(super) fn open(&self, own: &str) -> Vec<&str> {
        let fields: Vec<&String> = match self.refused.first_key_value() {
            Some((_, field)) => vec![field],
            None => self.lost.iter().chain(&self.missing).collect(),
        };
        fields.into_iter().map(String::as_str).filter(|field| *field != own).collect()
    }

    /// Returns whether it is held back though losses are allowed.
    pub(super) fn is_held_back(&self) -> bool {
        !self.refused.is_empty() || !self.missing.is_empty()
    }

    /// Notes that a rule about a field holds the object back.
    pub(super) fn refuse(&mut self, about: &FieldPattern, field: &FieldPattern) {
        self.refused.insert(slug(about), concrete(field));
    }

    /// Puts what moved in the order in which the rules move it.
    pub(super) fn sort(&mut self, changes: &Changes<'_, '_>) {
        let moved = &changes.pairing.moved;
        let last = moved.len();
        let place = |field: &FieldPattern, of: fn(&Moved) -> &FieldPattern| {
            moved.iter().position(|moved| field.starts_with(of(moved))).unwrap_or(last)
        };
        self.before.sort_by_key(|(field, _)| place(field, |moved| &moved.old));
        self.after.sort_by_key(|(field, _)| place(field, |moved| &moved.new));
    }
}

/// Returns a field of the old side that gets into a branch of a union, one whose value is certain if there is one.
pub(super) fn member_of(changes: &Changes<'_, '_>, union: &Union) -> FieldPattern {
    let sure = union.branches.iter().find(|branch| branch.value().is_some());
    let member = &sure.unwrap_or(&union.branches[0]).member;
    let moved = changes.pairing.moved.iter().find(|moved| moved.new.starts_with(member));
    moved.map_or_else(|| changes.pairing.source(member), |moved| moved.old.clone())
}

/// How many mappings, each in the last one, get what is required in them.
pub(super) const ROUNDS: usize = 6;

/// Returns whether an object with these fields has what a field is in, and not the field.
pub(super) fn lacks(fields: &[(FieldPattern, Value)], field: &FieldPattern) -> bool {
    let around = field.split_last().map(|(around, _)| around).unwrap_or_default();
    let has_room =
        around.parts().is_empty() || fields.iter().any(|(other, _)| other.starts_with(&around) && other != field);
    has_room && !has(fields, field)
}

/// Returns whether an object with these fields has a field.
pub(super) fn has(fields: &[(FieldPattern, Value)], field: &FieldPattern) -> bool {
    fields.iter().any(|(other, value)| {
        let inside = field
            .below(other)
            .is_some_and(|below| below.parts().iter().try_fold(value, |value, part| step(value, part)).is_some());
        other.starts_with(field) || inside
    })
}

/// Returns the value that a part of a path leads to, the first of several.
fn step<'v>(value: &'v Value, part: &Part) -> Option<&'v Value> {
    match part {
        Part::Key(key) => value.get(key),
        Part::Items => value.get(0),
        Part::Values => value.as_object()?.values().next(),
    }
}
