//! One walk over two schemas side by side.
//!
//! A field that only one of them has is reported once, with all that is in it; so is one whose type changed.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde_json::{Map, Number, Value, json};

use super::change::{Change, Class};
use super::keyword::{self, COMBINATIONS, check_of};
use super::set::{Crd, SchemaPart};
use crate::authoring::constraints::{About, Constraints, Schema, differences, order};
use crate::authoring::renames::{Candidate, is_renamed};
use crate::engine::finding::Code;
use crate::knowledge::pack::crds::crd::{PRESERVE, facts_of};
use crate::knowledge::pack::crds::without_new::{Compared, property_elsewhere};
use crate::syntax::field::{FieldPath, FieldPattern, Part};

/// Where a walk finds what it compares.
struct Walk<'w> {
    /// The CRD that places are in: the new one.
    crd: &'w Crd<'w>,
    /// The version that changes are of.
    version: &'w str,
    /// Whether objects have no fields that the schema of this side does not name.
    is_old_pruned: bool,
    is_new_pruned: bool,
    changes: Vec<Change>,
}

/// The schema of a value on one side.
#[derive(Clone)]
struct Side<'s> {
    schema: &'s Map<String, Value>,
    at: FieldPath,
    /// Whether the value around it must have it.
    is_required: bool,
    /// What defaults make it, those of what is around it too.
    defaults: Vec<&'s Value>,
    /// Its schemas in the other versions of the same CRD.
    elsewhere: Vec<&'s Map<String, Value>>,
    /// What the API server says of its fields where the schema does not.
    implied: Option<&'static Map<String, Value>>,
}

/// The fields that every object has, and what a schema can limit of its metadata.
static IMPLIED: LazyLock<Map<String, Value>> = LazyLock::new(|| {
    let text = || json!({"type": "string"});
    let metadata = json!({"type": "object", "properties": {"name": text(), "generateName": text()}});
    let fields = json!({"apiVersion": text(), "kind": text(), "metadata": metadata});
    Map::from_iter([("properties".to_owned(), fields)])
});

/// A field on both sides.
#[derive(Clone)]
struct Pair<'s> {
    field: FieldPattern,
    old: Side<'s>,
    new: Side<'s>,
}

/// Compares the schemas of two versions; places are those in `crd`, which has the new one. `elsewhere` are those of the other versions
/// on each side: those in which old objects could be written, and the stored one, whose defaults objects get.
pub(super) fn changes<'s>(
    crd: &Crd<'_>,
    version: &str,
    [old, new]: [SchemaPart<'s>; 2],
    elsewhere: [Vec<&'s Map<String, Value>>; 2],
) -> Vec<Change> {
    let mut walk =
        Walk { crd, version, is_old_pruned: old.is_pruned, is_new_pruned: new.is_pruned, changes: Vec::new() };
    let [old_elsewhere, new_elsewhere] = elsewhere;
    let old = Side { elsewhere: old_elsewhere, ..Side::root(old) };
    let new = Side { elsewhere: new_elsewhere, ..Side::root(new) };
    walk.pair(&Pair { field: FieldPattern::default(), old, new });
    walk.changes
}

impl Walk<'_> {
    fn pair(&mut self, pair: &Pair<'_>) {
        if pair.old.schema == pair.new.schema && pair.old.is_required == pair.new.is_required {
            return;
        }
        if self.constraints(pair) {
            return;
        }
        let Pair { old, new, .. } = pair;
        let schemas = Compared {
            old: old.schema,
            new: new.schema,
            elsewhere: old.elsewhere.clone(),
            stored: new.elsewhere.clone(),
            is_pruned: self.is_old_pruned,
            defaults: new.defaults.clone(),
        };
        for one in keyword::differences(&schemas) {
            self.add(pair, one.code, one.class, &one.keyword, one.text);
        }
        self.fields(pair);
        self.inner(pair, "items", Part::Items);
        self.inner(pair, "additionalProperties", Part::Values);
    }

    /// Compares type, listed values, pattern, bounds and presence; returns whether the type is another one, so that nothing in the
    /// value can be compared.
    fn constraints(&mut self, pair: &Pair<'_>) -> bool {
        let [old, new] = [&pair.old, &pair.new].map(|side| {
            let (kind, attributes) = facts_of(side.schema);
            Constraints::of_schema(Schema { kind, attributes: &attributes }, side.is_required)
        });
        let Some((old, new)) = old.zip(new) else { return false };
        let mut is_other = false;
        for difference in differences(&old, &new) {
            let Some((code, keyword)) = check_of(difference.about) else { continue };
            let class = match (difference.target_rejects, difference.about) {
                (true, About::Type) => Class::Breaking,
                (true, _) => Class::Tightened,
                (false, _) => Class::Loosened,
            };
            is_other |= class == Class::Breaking;
            if !is_other && holds_anyway(keyword, difference.target_rejects, [pair.old.schema, pair.new.schema]) {
                continue;
            }
            // The values of a boolean are listed where its type is compared.
            if code == Code::CrdEnum && ![pair.old.schema, pair.new.schema].iter().any(|one| one.contains_key("enum")) {
                continue;
            }
            self.add(pair, code, class, keyword, with_exclusive(difference.text, keyword, [&pair.old, &pair.new]));
            if is_other {
                return true;
            }
        }
        for (values, class, verb) in [
            (old.values_outside(&new), Class::Tightened, "is not allowed any more"),
            (new.values_outside(&old), Class::Loosened, "is allowed too"),
        ] {
            for value in values {
                self.add(pair, Code::CrdEnum, class, "enum", format!("the value {value} {verb}"));
                let change = self.changes.last_mut().expect("it was added");
                change.value = Some(value.to_string());
            }
        }
        is_other
    }

    /// Compares the named fields of a value.
    fn fields(&mut self, pair: &Pair<'_>) {
        let [old, new] = [&pair.old, &pair.new].map(|side| side.fields());
        let gone: Vec<&Field<'_>> =
            old.iter().filter(|field| !new.iter().any(|other| other.name == field.name)).collect();
        let mut more: Vec<&Field<'_>> =
            new.iter().filter(|field| !old.iter().any(|other| other.name == field.name)).collect();
        let all_gone: Vec<_> = gone.iter().map(|field| candidate(field)).collect();
        let mut all_came: Vec<_> = more.iter().map(|field| candidate(field)).collect();
        for (field, gone) in gone.iter().zip(&all_gone) {
            let becomes = all_came.iter().position(|came| is_renamed([gone, came], [&all_gone, &all_came]));
            let at = pair.child(Part::Key(field.name.to_owned()));
            let other = becomes.map(|at| (all_came.remove(at), more.remove(at)).1);
            match other {
                Some(other) => {
                    let text = format!("seems to be renamed to {}", other.name);
                    self.add(&at.of(&field.side, &other.side), Code::CrdFieldRenamed, Class::Renamed, "", text);
                }
                // A map keeps the field.
                None => match pair.new.inner("additionalProperties") {
                    Some(values) => self.pair(&at.of(&field.side, &values)),
                    None => self.gone(pair, &at),
                },
            }
        }
        for field in more {
            let at = pair.child(Part::Key(field.name.to_owned()));
            self.more(pair, &at.of(&pair.old, &field.side));
        }
        self.unnamed(pair);
        for field in &old {
            if let Some(other) = new.iter().find(|other| other.name == field.name) {
                self.pair(&pair.child(Part::Key(field.name.to_owned())).of(&field.side, &other.side));
            }
        }
    }

    /// Compares which fields are required that the schema does not name, such as keys of a map.
    fn unnamed(&mut self, pair: &Pair<'_>) {
        let [old, new] = [&pair.old, &pair.new].map(|side| side.required());
        let names = |side: &Side<'_>, name: &str| side.fields().iter().any(|field| field.name == name);
        for name in new.difference(&old).filter(|name| !names(&pair.new, name)) {
            let text = format!("{name} is required, which the schema does not name");
            self.add(pair, Code::CrdRequired, Class::Tightened, "required", text);
        }
        for name in old.difference(&new).filter(|name| !names(&pair.old, name)) {
            let text = format!("{name} is not required any more, which the schema did not name");
            self.add(pair, Code::CrdRequired, Class::Loosened, "required", text);
        }
    }

    /// Compares the schema of the items of a list, or of the values of a map.
    fn inner(&mut self, pair: &Pair<'_>, keyword: &str, part: Part) {
        let child = pair.child(part);
        match [&pair.old, &pair.new].map(|side| side.inner(keyword)) {
            [Some(old), Some(new)] => self.pair(&child.of(&old, &new)),
            [Some(_), None] => self.gone(pair, &child),
            [None, Some(new)] => self.more(pair, &child.of(&pair.old, &new)),
            [None, None] => {}
        }
    }

    /// Reports what only the old side has; what is around it can keep it without a schema.
    fn gone(&mut self, around: &Pair<'_>, field: &Pair<'_>) {
        let keeps = !self.is_new_pruned || around.new.schema.get(PRESERVE) == Some(&Value::Bool(true));
        let (class, text) = match keeps {
            true => (Class::Loosened, "is kept without a schema"),
            false => (Class::Breaking, "is gone"),
        };
        self.add(&field.of(&around.old, &around.new), Code::CrdFieldRemoved, class, "properties", text.to_owned());
    }

    /// Reports what only the new side has; what was around it can have kept it without a schema.
    fn more(&mut self, around: &Pair<'_>, field: &Pair<'_>) {
        let kept = around.old.schema.get(PRESERVE) == Some(&Value::Bool(true));
        let (class, text) = match kept {
            true => (Class::Tightened, "has a schema now; any value was accepted"),
            false if may_be_one_too_many(around, field) => {
                (Class::Tightened, "is new with a default, which the schema around it may not accept")
            }
            false => (Class::Additive, "is new"),
        };
        self.add(field, Code::CrdFieldAdded, class, "", text.to_owned());
        let was_required = || {
            let required = around.old.required();
            matches!(field.field.parts().last(), Some(Part::Key(name)) if required.contains(name.as_str()))
        };
        if field.new.is_required && !field.new.schema.contains_key("default") && !was_required() {
            self.add(field, Code::CrdRequired, Class::Tightened, "", "is new and required".to_owned());
        }
    }

    /// Notes a change at a keyword of the new side, or at the schema itself.
    fn add(&mut self, pair: &Pair<'_>, code: Code, class: Class, keyword: &str, text: String) {
        let place = if keyword.is_empty() { pair.new.at.clone() } else { pair.new.at.key(keyword) };
        self.changes.push(self.crd.change(code, class, &place, text).of(self.version).at(&pair.field));
    }
}

/// Returns whether what is around a new field can reject its default: by how many fields it has, or which ones.
fn may_be_one_too_many(around: &Pair<'_>, field: &Pair<'_>) -> bool {
    let Some(Part::Key(name)) = field.field.parts().last() else { return false };
    let most = |side: &Side<'_>| side.schema.get("maxProperties").and_then(Value::as_u64);
    let has_room = most(&around.new).is_none_or(|most_now| most(&around.old).is_some_and(|before| before < most_now));
    let is_named =
        || COMBINATIONS.iter().filter_map(|keyword| around.new.schema.get(*keyword)).any(|one| has(one, name));
    field.new.schema.get("default").is_some_and(|default| !default.is_null()) && (!has_room || is_named())
}

/// Returns whether a schema names a field.
fn has(schema: &Value, name: &str) -> bool {
    match schema {
        Value::String(text) => text == name,
        Value::Array(all) => all.iter().any(|one| has(one, name)),
        Value::Object(fields) => fields.iter().any(|(key, one)| key == name || has(one, name)),
        _ => false,
    }
}

/// The numbers that a format holds: the least, and the most.
const RANGES: [(&str, [i64; 2]); 2] = [("int32", [i32::MIN as i64, i32::MAX as i64]), ("int64", [i64::MIN, i64::MAX])];

/// Returns whether the bound that makes a difference rejects no number that the format of both sides, or of one that has no other bound, holds.
fn holds_anyway(keyword: &str, is_tightened: bool, [old, new]: [&Map<String, Value>; 2]) -> bool {
    let side = match keyword {
        "minimum" => 0,
        "maximum" => 1,
        _ => return false,
    };
    let (bounded, is_integer) = (
        if is_tightened { new } else { old },
        [old, new].iter().all(|schema| schema.get("type") == Some(&json!("integer"))),
    );
    let exclusive = if side == 0 { "exclusiveMinimum" } else { "exclusiveMaximum" };
    let Some(Value::Number(at)) = bounded.get(keyword).filter(|_| is_integer) else { return false };
    let format = |schema: &&Map<String, Value>| {
        let (_, range) = RANGES.iter().find(|(format, _)| schema.get("format").is_some_and(|its| its == format))?;
        Some(Number::from(range[side]))
    };
    let is_beyond = |end: Number| match (side, order(at, &end)) {
        (_, Ordering::Equal) => bounded.get(exclusive) != Some(&Value::Bool(true)),
        (0, side) => side.is_lt(),
        (_, side) => side.is_gt(),
    };
    [old, new].iter().filter_map(format).any(is_beyond)
}

/// Words a bound of numbers that does not belong to them.
fn with_exclusive(text: String, keyword: &str, sides: [&Side<'_>; 2]) -> String {
    let (exclusive, [inclusive, words]) = match keyword {
        "maximum" => ("exclusiveMaximum", ["at most ", "less than "]),
        "minimum" => ("exclusiveMinimum", ["at least ", "more than "]),
        _ => return text,
    };
    let side = |(text, side): (&str, &Side<'_>)| match side.schema.get(exclusive) {
        Some(Value::Bool(true)) => text.replacen(inclusive, words, 1),
        _ => text.to_owned(),
    };
    let both = text.splitn(2, " becomes ").zip(sides);
    both.map(side).collect::<Vec<_>>().join(" becomes ")
}

/// A named field of a value.
struct Field<'s> {
    name: &'s str,
    side: Side<'s>,
}

impl<'s> Side<'s> {
    fn root(part: SchemaPart<'s>) -> Self {
        Self {
            schema: part.schema,
            at: part.at,
            is_required: false,
            defaults: Vec::new(),
            elsewhere: Vec::new(),
            implied: Some(&IMPLIED),
        }
    }

    /// Returns the names of the fields that must be there.
    fn required(&self) -> BTreeSet<&'s str> {
        let names = self.schema.get("required").and_then(Value::as_array);
        names.into_iter().flatten().filter_map(Value::as_str).collect()
    }

    fn fields(&self) -> Vec<Field<'s>> {
        let own = properties(self.schema);
        let more =
            self.implied.into_iter().flat_map(properties).filter(|(name, _)| property(self.schema, name).is_none());
        let required = self.required();
        let field = |(name, schema): (&'s String, &'s Value)| {
            let (schema, at) = (schema.as_object()?, self.at.key("properties").key(name));
            let elsewhere: Vec<_> =
                self.elsewhere.iter().filter_map(|schema| property_elsewhere(schema, name)).collect();
            let of_schemas = elsewhere.iter().copied().chain([schema]).filter_map(|schema| schema.get("default"));
            let defaults = self.defaults.iter().filter_map(|default| default.get(name)).chain(of_schemas).collect();
            let implied = self.implied.and_then(|implied| property(implied, name));
            // What every object has is there whether it is required or not.
            let is_required = implied.is_none() && required.contains(name.as_str());
            Some(Field { name, side: Side { schema, at, is_required, defaults, elsewhere, implied } })
        };
        own.chain(more).filter_map(field).collect()
    }

    fn inner(&self, keyword: &str) -> Option<Self> {
        static ANY: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);
        let schema = match self.schema.get(keyword)? {
            Value::Object(schema) => schema,
            // `additionalProperties: true`: a schema that demands nothing.
            Value::Bool(true) => &ANY,
            _ => return None,
        };
        let all = self.defaults.iter().flat_map(|default| match default {
            Value::Array(items) => items.iter().collect::<Vec<_>>(),
            Value::Object(values) => values.values().collect(),
            _ => Vec::new(),
        });
        let elsewhere: Vec<_> = self.elsewhere.iter().filter_map(|schema| schema.get(keyword)?.as_object()).collect();
        let of_schemas = elsewhere.iter().copied().chain([schema]).filter_map(|schema| schema.get("default"));
        let defaults = all.chain(of_schemas).collect();
        Some(Side { schema, at: self.at.key(keyword), is_required: false, defaults, elsewhere, implied: None })
    }
}

/// Returns the fields that a schema names.
fn properties(schema: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

/// Returns the schema of a field.
fn property<'s>(schema: &'s Map<String, Value>, name: &str) -> Option<&'s Map<String, Value>> {
    schema.get("properties")?.get(name)?.as_object()
}

impl<'s> Pair<'s> {
    /// Makes what is below the field, on the sides of the field itself.
    fn child(&self, part: Part) -> Self {
        Self { field: self.field.with(part), ..self.clone() }
    }

    /// Puts the field on these sides.
    fn of(&self, old: &Side<'s>, new: &Side<'s>) -> Self {
        Self { field: self.field.clone(), old: old.clone(), new: new.clone() }
    }
}

/// Returns a field as what a rename is recognized by.
fn candidate<'f>(field: &'f Field<'_>) -> Candidate<'f, Value> {
    let schema = without_texts(&Value::Object(field.side.schema.clone()));
    let is_large = schema.as_object().is_some_and(|schema| schema.len() > 2);
    let is_telling = is_large || schema.get("properties").is_some() || schema.get("items").is_some();
    Candidate { name: field.name, schema, is_telling }
}

/// Returns a schema without what is for people.
fn without_texts(schema: &Value) -> Value {
    match schema {
        Value::Object(map) => {
            let is_said = |(name, value): &(&String, &Value)| *name != "description" || !value.is_string();
            Value::Object(
                map.iter().filter(is_said).map(|(name, value)| (name.clone(), without_texts(value))).collect(),
            )
        }
        Value::Array(items) => Value::Array(items.iter().map(without_texts).collect()),
        other => other.clone(),
    }
}
