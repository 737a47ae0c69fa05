//! Which field says which of the fields beside it an object has?
//!
//! A union is read from what a schema demands of its fields together (CEL rules, combinations of schemas), and from a field whose values
//! are called as the fields beside it.
//!
//! Invariant: where a schema says which values a member goes with, its name does not count.

use serde_json::Value;

use super::pairing::Pairing;
use super::side::Side;
use crate::authoring::renames::{last_key, words};
use crate::knowledge::catalog::{Literal, Relation};
use crate::syntax::field::FieldPattern;

/// A field, and the fields beside it of which it says which are there.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Union {
    /// What all of them are in.
    pub(super) at: FieldPattern,
    pub(super) discriminator: FieldPattern,
    pub(super) branches: Vec<Branch>,
}

/// One of the fields.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Branch {
    pub(super) member: FieldPattern,
    /// What the discriminator can be beside it.
    pub(super) values: Vec<Value>,
    /// Whether the schema rejects other values beside it.
    pub(super) is_checked: bool,
    /// What says so.
    pub(super) reason: &'static str,
}

impl Branch {
    /// Returns what the discriminator is, where that is certain.
    pub(super) fn value(&self) -> Option<&Value> {
        if let [value] = self.values.as_slice() { Some(value) } else { None }
    }
}

/// What holds where something else does: a relation of what is at a place.
struct Demand<'c> {
    at: &'c FieldPattern,
    when: &'c [Literal],
    then: &'c Literal,
}

impl Demand<'_> {
    /// Returns whether a statement is about a field of the object.
    fn is_about(&self, literal: &Literal, field: &FieldPattern) -> bool {
        self.at.join(literal.field()) == *field
    }

    /// Returns the only values beside which `discriminator` can be where `member` is there.
    fn beside(&self, discriminator: &FieldPattern, member: &FieldPattern) -> Option<&[Value]> {
        let Literal::Is(_, values) = self.then else { return None };
        let is_only = self.when.iter().all(|literal| matches!(literal, Literal::Present(_)));
        let has_member = self.when.iter().any(|literal| self.is_about(literal, member));
        (is_only && has_member && self.is_about(self.then, discriminator)).then_some(values)
    }

    /// Returns the values of `listed` with which `discriminator` requires `member`.
    fn requiring(&self, discriminator: &FieldPattern, member: &FieldPattern, listed: &[Value]) -> Vec<Value> {
        let is_member = matches!(self.then, Literal::Present(_)) && self.is_about(self.then, member);
        let mut tests = self.when.iter().filter(|literal| !matches!(literal, Literal::Present(_)));
        let (Some(test), None, true) = (tests.next(), tests.next(), is_member) else { return Vec::new() };
        let fits = |value: &&Value| match test {
            Literal::Is(_, values) => values.contains(value),
            Literal::IsNot(_, values) => !values.contains(value),
            _ => false,
        };
        match self.is_about(test, discriminator) {
            true => listed.iter().filter(fits).cloned().collect(),
            false => Vec::new(),
        }
    }
}

/// Returns the unions of the new side whose discriminator objects of the old side lack, with the members that those can have.
pub(super) fn open_unions(pairing: &Pairing<'_, '_>, old: &Side<'_>, new: &Side<'_>) -> Vec<Union> {
    let unions = unions(new).into_iter().filter_map(|mut union| {
        let its = new.get(&union.discriminator)?;
        let was = old.get(&pairing.source(&union.discriminator));
        let has_it = was.is_some_and(|was| was.required || was.attributes.default.is_some() || !its.required);
        let default = its.attributes.default.as_ref();
        let is_demanded = its.required || default.is_some();
        union.branches.retain(|branch| {
            let has_member = !pairing.is_new(&branch.member)
                || pairing.moved.iter().any(|moved| moved.new.starts_with(&branch.member));
            has_member
                && (is_demanded || branch.is_checked)
                && branch.value().is_none_or(|value| Some(value) != default)
        });
        (!has_it && !union.branches.is_empty()).then_some(union)
    });
    unions.collect()
}

/// Finds the unions of a side.
fn unions(side: &Side<'_>) -> Vec<Union> {
    let demands = demands(side);
    let discriminators = side.all().filter(|field| {
        let listed = side.attributes(field).and_then(|attributes| attributes.allowed.as_ref());
        last_key(field).is_some() && listed.is_some_and(|listed| listed.iter().all(Value::is_string))
    });
    let union = |discriminator: &FieldPattern| {
        let (at, _) = discriminator.split_last()?;
        let members =
            side.keys(&at).filter(|key| *key != discriminator && side.get(key).is_some_and(|its| !its.required));
        let branches: Vec<Branch> =
            members.filter_map(|member| branch(side, &demands, discriminator, member)).collect();
        let is_one = branches.iter().any(|branch| branch.reason != NAMED) || branches.len() > 1;
        is_one.then(|| Union { at, discriminator: discriminator.clone(), branches })
    };
    discriminators.filter_map(union).collect()
}

/// What is said of a branch that only its name shows.
const NAMED: &str = "the value has its name";

/// Finds what a discriminator can be beside a member; `None` where nothing says so.
fn branch(
    side: &Side<'_>,
    demands: &[Demand<'_>],
    discriminator: &FieldPattern,
    member: &FieldPattern,
) -> Option<Branch> {
    let listed = side.attributes(discriminator)?.allowed.as_ref()?;
    let (mut beside, mut requiring): (Option<Vec<Value>>, Vec<Value>) = (None, Vec::new());
    for demand in demands {
        if let Some(values) = demand.beside(discriminator, member) {
            let known = beside.take().unwrap_or_else(|| listed.clone());
            beside = Some(known.into_iter().filter(|value| values.contains(value)).collect());
        }
        requiring.extend(demand.requiring(discriminator, member, listed));
    }
    if let Some(values) = beside.filter(|values| !values.is_empty()) {
        return Some(Branch {
            member: member.clone(),
            values,
            is_checked: true,
            reason: "a rule of the schema says so",
        });
    }
    let name = words(last_key(member)?).concat();
    let named = listed.iter().filter(|value| value.as_str().is_some_and(|value| words(value).concat() == name));
    let (mut values, reason) = match requiring.is_empty() {
        true => (named.cloned().collect(), NAMED),
        false => (requiring, "a rule of the schema requires it with that value"),
    };
    values.sort_by_key(Value::to_string);
    values.dedup();
    (!values.is_empty()).then(|| Branch { member: member.clone(), values, is_checked: false, reason })
}

/// Collects what the schemas of a side demand of several fields, one statement for each.
fn demands<'s>(side: &'s Side<'_>) -> Vec<Demand<'s>> {
    let relations = side.all().flat_map(|at| {
        let relations = side.attributes(at).map_or(&[][..], |attributes| &attributes.relations);
        relations.iter().map(move |relation| (at, relation))
    });
    let demand = |(at, relation): (&'s FieldPattern, &'s Relation)| {
        let Relation::Implies { when, then } = relation else { return None };
        if let [then] = then.as_slice() { Some(Demand { at, when, then }) } else { None }
    };
    relations.filter_map(demand).collect()
}
