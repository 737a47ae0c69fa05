//! What changed in a kind from one side to the other, as far as it concerns objects.

use serde_json::Value;

use super::pairing::{Moved, Pairing, Unsure};
use super::score::{Form, SURE};
use super::side::Side;
use super::unions::{Branch, Union, open_unions};
use crate::authoring::renames::{likeness, mean_different, words};
use crate::knowledge::catalog::Type;
use crate::syntax::field::{FieldPattern, Part};

/// The changes of one kind.
pub(super) struct Changes<'s, 'c> {
    /// What became another field.
    pub(super) pairing: Pairing<'s, 'c>,
    /// What went, without a certain successor.
    pub(super) unsure: Vec<Unsure>,
    pub(super) values: Vec<ValueChange>,
    /// What the new side requires: a field of it in something that the old side has.
    pub(super) required: Vec<Required>,
    /// The unions whose discriminator the old side lacks.
    pub(super) unions: Vec<Union>,
    pub(super) defaults: Vec<DefaultChange>,
    /// The defaults that came, went or changed in a way that no operation keeps.
    pub(super) open_defaults: Vec<OpenDefault>,
}

/// Values of a field that went.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ValueChange {
    pub(super) old: FieldPattern,
    pub(super) new: FieldPattern,
    /// Old and new values, how certain that is, in percent, and why.
    pub(super) table: Vec<(Value, Value, u32, &'static str)>,
    /// Values whose successor is open.
    pub(super) open: Vec<Value>,
    /// Values that came, and that none of the table became.
    pub(super) free: Vec<Value>,
}

/// A field that the new side requires.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Required {
    pub(super) field: FieldPattern,
    /// What the old side meant by its absence, or the only value that the new side allows.
    pub(super) value: Option<(Value, &'static str)>,
}

/// A default that changed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DefaultChange {
    pub(super) field: FieldPattern,
    pub(super) old: Value,
    pub(super) new: Value,
}

/// A default that only one side has, or that the new side does not accept as it was.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OpenDefault {
    /// The field as both sides call it.
    pub(super) fields: [FieldPattern; 2],
    pub(super) sides: [Option<Value>; 2],
}

/// Compares two sides.
pub(super) fn changes<'s, 'c>(old: &'s Side<'c>, new: &'s Side<'c>) -> Changes<'s, 'c> {
    let mut pairing = Pairing::of(old, new);
    let unsure = pairing.unsure();
    let same = |field: &FieldPattern| {
        let image = pairing.image(field);
        new.get(&image).is_some().then_some((field.clone(), image))
    };
    let pairs: Vec<(FieldPattern, FieldPattern)> = old.all().filter_map(same).collect();
    let values: Vec<ValueChange> =
        pairs.iter().filter_map(|(before, after)| value_change(old, before, new, after)).collect();
    let changed: Vec<OpenDefault> =
        pairs.iter().filter_map(|(before, after)| open_default(old, before, new, after, &values)).collect();
    let defaults: Vec<DefaultChange> = changed.iter().filter_map(|change| default_change([old, new], change)).collect();
    let unions = open_unions(&pairing, old, new);
    let is_written = |field: &FieldPattern| unions.iter().any(|union| union.discriminator == *field);
    let open = new.all().filter(|field| !is_written(field));
    let required: Vec<Required> = open.filter_map(|field| required(&pairing, old, new, field)).collect();
    // What is written where it is required is not left to a default.
    let is_kept = |field: &FieldPattern| {
        defaults.iter().any(|change| change.field == *field) || required.iter().any(|its| its.field == *field)
    };
    let open_defaults = changed.into_iter().filter(|change| !is_kept(&change.fields[1])).collect();
    Changes { pairing, unsure, values, required, unions, defaults, open_defaults }
}

impl Changes<'_, '_> {
    /// Returns the branch of a union that a new field is in.
    pub(super) fn branch(&self, field: &FieldPattern) -> Option<(&Union, &Branch)> {
        let branches = self.unions.iter().flat_map(|union| union.branches.iter().map(move |branch| (union, branch)));
        branches.into_iter().find(|(_, branch)| field.starts_with(&branch.member))
    }
}

/// Compares the listed values of a field.
fn value_change(old: &Side<'_>, before: &FieldPattern, new: &Side<'_>, after: &FieldPattern) -> Option<ValueChange> {
    let (own, its) = (old.attributes(before)?.allowed.as_ref()?, new.attributes(after)?.allowed.as_ref()?);
    let mut open: Vec<Value> = own.iter().filter(|value| !its.contains(value)).cloned().collect();
    let mut free: Vec<Value> = its.iter().filter(|value| !own.contains(value)).cloned().collect();
    if open.is_empty() {
        return None;
    }
    let mut table = Vec::new();
    let mut found = Vec::new();
    for (at, one) in open.iter().enumerate() {
        for (to, other) in free.iter().enumerate() {
            found.push((likeness_of_values(one, other), at, to));
        }
    }
    found.sort_by_key(|(points, at, to)| (std::cmp::Reverse(*points), *at, *to));
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for (points, at, to) in &found {
        let is_rival = |(other, its, theirs): &&(u32, usize, usize)| {
            ((its == at) != (theirs == to)) && !left.contains(its) && !right.contains(theirs) && other + 10 > *points
        };
        if *points >= SURE && !left.contains(at) && !right.contains(to) && !found.iter().any(|one| is_rival(&one)) {
            let reason = if *points == 100 { "the same in another spelling" } else { "names that are alike" };
            table.push((open[*at].clone(), free[*to].clone(), (*points).min(95), reason));
            left.push(*at);
            right.push(*to);
        }
    }
    let kept = |values: &mut Vec<Value>, used: &[usize]| {
        let mut at = 0;
        values.retain(|_| {
            at += 1;
            !used.contains(&(at - 1))
        });
    };
    kept(&mut open, &left);
    kept(&mut free, &right);
    table.sort_by_key(|(old, ..)| old.to_string());
    Some(ValueChange { old: before.clone(), new: after.clone(), table, open, free })
}

/// Returns how alike two values are, in percent.
fn likeness_of_values(one: &Value, other: &Value) -> u32 {
    match (one.as_str(), other.as_str()) {
        (Some(one), Some(other)) => {
            // A person says whether the one is the other one then: `<=` and `>=`, `10m` and `10M`.
            let is_sign = |letter: char| !letter.is_alphanumeric();
            let signs = |text: &str| {
                let inside = text.trim_matches(is_sign);
                text.split_once(inside).map(|(before, after)| (before.to_owned(), after.to_owned()))
            };
            let has_other_signs = !one.chars().any(char::is_alphanumeric) || signs(one) != signs(other);
            let is_amount = one.starts_with(|first: char| first.is_ascii_digit());
            match has_other_signs || is_amount || mean_different(one, other) {
                true => 0,
                false => likeness(&words(one), &words(other)),
            }
        }
        _ => 0,
    }
}

/// Returns the change of a default that an operation keeps: of a field that stays where it is, to which the old one can still be written.
fn default_change([old, new]: [&Side<'_>; 2], change: &OpenDefault) -> Option<DefaultChange> {
    let OpenDefault { fields: [before, after], sides: [Some(own), Some(its)] } = change else { return None };
    let listed = new.attributes(after).and_then(|limits| limits.allowed.as_ref());
    let is_allowed = listed.is_none_or(|listed| listed.contains(own));
    let is_kept = new.kind(after).is_some_and(|kind| kind.accepts(own)) && !own.is_object() && !own.is_array();
    // With a default of what it is in, it is there where that is absent, too.
    let around = after.split_last().map(|(around, _)| around).unwrap_or_default();
    let is_made = [old, new].iter().any(|side| side.attributes(&around).is_some_and(|its| its.default.is_some()));
    (before == after && is_allowed && is_kept && !is_made).then(|| DefaultChange {
        field: after.clone(),
        old: own.clone(),
        new: its.clone(),
    })
}

/// Compares the defaults of a field; that a default is only spelled otherwise, as its value is, is no change.
fn open_default(
    old: &Side<'_>,
    before: &FieldPattern,
    new: &Side<'_>,
    after: &FieldPattern,
    values: &[ValueChange],
) -> Option<OpenDefault> {
    let sides = [old.attributes(before), new.attributes(after)].map(|side| side.and_then(|its| its.default.clone()));
    let is_key = matches!(after.parts().last(), Some(Part::Key(_)));
    let table = values.iter().filter(|change| change.new == *after).flat_map(|change| &change.table);
    let is_respelled =
        table.into_iter().any(|(one, other, ..)| [Some(one), Some(other)] == sides.each_ref().map(Option::as_ref));
    (is_key && sides[0] != sides[1] && !is_respelled)
        .then(|| OpenDefault { fields: [before.clone(), after.clone()], sides })
}

/// Returns a field that the new side requires in something that the old side can have without it.
fn required(pairing: &Pairing<'_, '_>, old: &Side<'_>, new: &Side<'_>, field: &FieldPattern) -> Option<Required> {
    let its = new.get(field).filter(|its| its.required && its.attributes.default.is_none())?;
    let (around, Part::Key(_)) = field.split_last()? else { return None };
    let was = old.get(&pairing.source(field));
    // A mapping that came is there where something moved into it, or became it.
    let is_made = |moved: &Moved| match &moved.score.form {
        Form::Key(..) => around == moved.new,
        _ => around != moved.new && moved.new.starts_with(&around),
    };
    let has_room = around.parts().is_empty() || !pairing.is_new(&around) || pairing.moved.iter().any(is_made);
    // What a moved field fills is there with it.
    let is_filled = || pairing.moved.iter().any(|moved| moved.new.starts_with(field));
    // A mapping that a value became has it.
    let is_key = |moved: &Moved| matches!(&moved.score.form, Form::Key(key, _) if *field == moved.new.key(key));
    if pairing.moved.iter().any(is_key) {
        return None;
    }
    // Where only the other part of a mapping that came is there, the old side says no more than the new one.
    let is_part = was.is_some() && pairing.is_new(&around);
    if was.is_some_and(|was| was.required) || !has_room || was.is_none() && is_filled() || is_part {
        return None;
    }
    let before = was.and_then(|was| was.attributes.default.clone()).filter(|value| its.kind.accepts(value));
    let only = its.attributes.allowed.as_deref().filter(|values| values.len() == 1).map(|values| values[0].clone());
    let value = before.map(|value| (value, "what its absence meant before"));
    let value = value.or_else(|| only.map(|value| (value, "the only value that is allowed")));
    let is_plain = its.kind != Type::Any;
    is_plain.then(|| Required { field: field.clone(), value })
}
