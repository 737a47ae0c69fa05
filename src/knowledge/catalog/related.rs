//! Answers: which relations among the fields of one value does an object break?
//!
//! A release's CEL rules run on the object with its defaults: a field that is absent has its default here. As in CEL, what is said of
//! something that is absent is neither true nor false, and a relation holds only where it is true.
//!
//! Invariant: a relation that a variable decides is broken by that variable, never by what is written.

use std::collections::BTreeSet;

use serde_json::Value;

use super::relation::{self, Literal, Relation};
use super::row::same;
use super::tree::Tree;
use crate::knowledge::release::ReleaseId;
use crate::syntax::field::{Entries, FieldPath, FieldPattern, Part};
use crate::syntax::variable::has_variable;

/// What makes a relation untrue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Because {
    /// What is written, whatever is added to it.
    Written,
    /// Something is absent: `type: Basic` without `basic`.
    Absent,
    /// What a variable becomes is not known: `type: ${TYPE}`.
    Variable,
}

/// A relation that is not true.
pub(super) struct Broken {
    /// The field to report, below the value.
    pub(super) field: FieldPath,
    /// What follows its name in a sentence.
    pub(super) text: String,
    pub(super) because: Because,
}

/// The schema of one release and version.
#[derive(Clone, Copy)]
pub(super) struct Schema<'c> {
    pub(super) tree: &'c Tree,
    pub(super) release: ReleaseId,
    pub(super) version: &'c str,
}

/// A value, with its node of the tree if the schema describes it.
#[derive(Clone, Copy)]
pub(super) struct Place<'v> {
    pub(super) node: Option<usize>,
    pub(super) value: &'v Value,
}

/// What a path leads to.
enum Found<'v> {
    There(&'v Value),
    /// The field is absent, and what it would be in is there.
    Absent,
    /// What it would be in is absent too.
    Nowhere,
}

impl<'v> Schema<'v> {
    /// Returns how `relation` is broken at a place, if it is.
    pub(super) fn broken(self, relation: &Relation, at: Place<'v>) -> Option<Broken> {
        match relation {
            Relation::ExactlyOneOf(fields) => self.one_of(relation, at, fields).or_else(|| {
                let is_missing = fields.iter().all(|field| !self.is_present(at, field));
                is_missing.then(|| Broken::whole(relation, Because::Absent))
            }),
            Relation::AtMostOneOf(fields) => self.one_of(relation, at, fields),
            Relation::Implies { when, then } => self.implied(relation, at, when, then),
            Relation::Unique { by, of } => self.repeated(relation, at, by, of),
        }
    }

    fn is_present(self, at: Place<'v>, field: &FieldPattern) -> bool {
        matches!(self.find(at, field), Found::There(_))
    }

    fn one_of(self, relation: &Relation, at: Place<'v>, fields: &[FieldPattern]) -> Option<Broken> {
        let present = fields.iter().filter(|field| self.is_present(at, field)).count();
        (present > 1).then(|| Broken::whole(relation, Because::Written))
    }

    fn implied(self, relation: &Relation, at: Place<'v>, when: &[Literal], then: &[Literal]) -> Option<Broken> {
        let stands = |literal: &Literal| self.holds(at, literal) == Some(true);
        // What it depends on is mostly one short text, and says more often than the rest that there is nothing to look for.
        if when.iter().any(|literal| self.holds(at, literal) == Some(false)) || then.iter().any(stands) {
            return None;
        }
        let found = |literal: &Literal| self.find(at, literal.field());
        let all = || when.iter().chain(then);
        let is_open = |literal: &Literal| self.is_open(at, literal);
        let is_there = |literal: &Literal| matches!(found(literal), Found::There(_));
        let because = if all().any(is_open) {
            Because::Variable
        } else if all().all(is_there) {
            Because::Written
        } else {
            Because::Absent
        };
        let is_written = |literal: &Literal| {
            literal.field().as_path().is_some_and(|path| path.steps().is_empty() || path.get(at.value).is_some())
        };
        let field = |literal: &Literal| literal.field().as_path().unwrap_or_default();
        let said = relation::said(when);
        if let [only, others @ ..] = then
            && is_written(only)
            && others.iter().all(|other| other.field() == only.field())
        {
            let demands: Vec<String> = then.iter().map(Literal::demand).collect();
            let why = if said.is_empty() { String::new() } else { format!(" where {}", relation::all(&said)) };
            return Some(Broken { field: field(only), text: format!("{}{why}", demands.join(" or ")), because });
        }
        let Some(first) = said.iter().find(|literal| is_written(literal)) else {
            return Some(Broken::whole(relation, because));
        };
        let others: Vec<Literal> = said.iter().filter(|other| *other != first).cloned().collect();
        let others = if others.is_empty() { String::new() } else { format!(" and {}", relation::all(&others)) };
        let text = format!("{}{others}, so {}", first.predicate(), relation::one_of(then));
        Some(Broken { field: field(first), text, because })
    }

    /// Finds an item of a list that is alike to an earlier one.
    fn repeated(self, relation: &Relation, at: Place<'v>, by: &[FieldPattern], of: &[Literal]) -> Option<Broken> {
        let mut seen = BTreeSet::new();
        for (index, item) in self.items(at).enumerate() {
            if !of.iter().all(|literal| self.holds(item, literal) == Some(true)) {
                continue;
            }
            let value = |field: &FieldPattern| match self.find(item, field) {
                Found::There(value) => Some(value),
                Found::Absent | Found::Nowhere => None,
            };
            let Some(key) = by.iter().map(value).collect::<Option<Vec<_>>>() else {
                let text = format!("lacks what distinguishes it from other items: {}", relation::names(by));
                return Some(Broken { field: FieldPath::default().index(index), text, because: Because::Absent });
            };
            // Two texts with the same variables are the same whatever these become.
            if !seen.insert(key.into_iter().map(Value::to_string).collect::<Vec<_>>()) {
                return Some(Broken::whole(relation, Because::Written));
            }
        }
        None
    }

    /// Returns whether a statement is true or false; `None` where what it is about is absent.
    fn holds(self, at: Place<'v>, literal: &Literal) -> Option<bool> {
        let found = self.find(at, literal.field());
        let there = match (&found, literal) {
            (Found::Nowhere, _) => return None,
            (found, Literal::Present(_)) => return Some(matches!(found, Found::There(_))),
            (found, Literal::Absent(_)) => return Some(matches!(found, Found::Absent)),
            (Found::Absent, _) => return None,
            (Found::There(value), _) => *value,
        };
        match literal {
            Literal::Present(_) | Literal::Absent(_) => None,
            Literal::Is(_, values) => Some(values.iter().any(|value| same(value, there))),
            Literal::IsNot(_, values) => Some(!values.iter().any(|value| same(value, there))),
            Literal::Longer(_, number) => Some(length(there)? > *number),
            Literal::NotLonger(_, number) => Some(length(there)? <= *number),
            Literal::Matches(_, pattern) => self.matches(pattern, there),
            Literal::MatchesNot(_, pattern) => self.matches(pattern, there).map(|matches| !matches),
            Literal::MoreItems(list, items, number) => Some(self.count(at, list, items) > *number),
            Literal::NotMoreItems(list, items, number) => Some(self.count(at, list, items) <= *number),
        }
    }

    /// Returns whether what a variable becomes decides a statement.
    fn is_open(self, at: Place<'v>, literal: &Literal) -> bool {
        let Found::There(value) = self.find(at, literal.field()) else { return false };
        let is_undecided = |item: Place<'v>, literals: &[Literal]| {
            let is_false = |literal: &Literal| !self.is_open(item, literal) && self.holds(item, literal) == Some(false);
            literals.iter().any(|literal| self.is_open(item, literal)) && !literals.iter().any(is_false)
        };
        match literal {
            Literal::Present(_) | Literal::Absent(_) => false,
            Literal::MoreItems(list, items, _) | Literal::NotMoreItems(list, items, _) if value.is_array() => {
                let list = self.follow(at, list.parts());
                list.into_iter()
                    .flat_map(|list| self.items(list))
                    .any(|item| has_text(item.value) || is_undecided(item, items))
            }
            Literal::Longer(..) | Literal::NotLonger(..) => value.is_string() && has_variable(value),
            Literal::Is(..)
            | Literal::IsNot(..)
            | Literal::Matches(..)
            | Literal::MatchesNot(..)
            | Literal::MoreItems(..)
            | Literal::NotMoreItems(..) => has_variable(value),
        }
    }

    /// Counts the items of the list at `field` for which all of `literals` hold.
    fn count(self, at: Place<'v>, field: &FieldPattern, literals: &[Literal]) -> u64 {
        let is_meant = |item: &Place<'v>| literals.iter().all(|literal| self.holds(*item, literal) == Some(true));
        let list = self.follow(at, field.parts());
        list.into_iter().flat_map(|list| self.items(list)).filter(is_meant).count() as u64
    }

    fn items(self, list: Place<'v>) -> impl Iterator<Item = Place<'v>> {
        let node = list.node.and_then(|node| self.tree.nodes[node].items);
        list.value.as_array().into_iter().flatten().map(move |value| Place { node, value })
    }

    fn matches(self, pattern: &str, value: &Value) -> Option<bool> {
        let pattern = self.tree.patterns.iter().find(|known| known.text() == pattern)?;
        Some(pattern.matches(value.as_str()?))
    }

    fn find(self, at: Place<'v>, field: &FieldPattern) -> Found<'v> {
        let Some((last, above)) = field.parts().split_last() else { return Found::There(at.value) };
        let (Some(place), Part::Key(key)) = (self.follow(at, above), last) else { return Found::Nowhere };
        // What is written is there whatever its schema says, unless it is null.
        let written = place.value.entry(key).filter(|value| !value.is_null());
        let value = written.or_else(|| Some(self.below(place, key)?.value));
        value.map_or(Found::Absent, Found::There)
    }

    /// Returns what keys lead to, one after the other.
    fn follow(self, at: Place<'v>, parts: &[Part]) -> Option<Place<'v>> {
        parts.iter().try_fold(at, |place, part| match part {
            Part::Key(key) => self.below(place, key),
            Part::Items | Part::Values => None,
        })
    }

    /// Returns the value of a key, or the default of its field; null is the absence of a field that cannot be null.
    fn below(self, place: Place<'v>, key: &str) -> Option<Place<'v>> {
        let fields = place.node.map(|node| &self.tree.nodes[node]);
        let row = |node: Option<usize>| Some((node?, self.tree.row_in(node?, self.release, self.version)?));
        let described = fields.and_then(|node| row(node.key(key)).or_else(|| row(node.values)));
        let node = described.map(|(node, _)| node);
        let attributes = described.map(|(_, row)| &self.tree.schemas[row.schema].attributes);
        let is_kept = |value: &&Value| !value.is_null() || attributes.is_some_and(|attributes| attributes.nullable);
        let written = place.value.entry(key).filter(is_kept);
        let value = written.or_else(|| attributes.and_then(|attributes| attributes.default.as_ref()))?;
        Some(Place { node, value })
    }
}

impl Broken {
    fn whole(relation: &Relation, because: Because) -> Self {
        Self { field: FieldPath::default(), text: relation.to_string(), because }
    }
}

/// Returns whether an item is a text with a variable, which can become anything.
fn has_text(item: &Value) -> bool {
    item.is_string() && has_variable(item)
}

fn length(value: &Value) -> Option<u64> {
    match value {
        Value::Array(items) => Some(items.len() as u64),
        Value::Object(map) => Some(map.len() as u64),
        Value::String(text) => Some(text.chars().count() as u64),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}
