//! The objects of a first fixture.
//!
//! What an object is before and after a change is put together field by field, by what the comparison found, and not by running the rule: a
//! rule that does something else fails its fixture.

use serde_json::{Map, Value, json};

use super::changes::Changes;
use super::names::last_key;
use super::pairing::Moved;
use super::score::Form;
use super::side::Side;
use super::text::object as object_text;
use crate::knowledge::catalog::{Type, compile};
use crate::knowledge::release::{ApiVersion, GroupKind};
use crate::syntax::field::{FieldPattern, Part};

/// One case of a fixture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Case {
    pub(super) name: String,
    /// Its files, by name.
    pub(super) files: Vec<(&'static str, String)>,
}

/// What the objects of a kind are made of.
pub(super) struct Sample<'s, 'c> {
    pub(super) old: &'s Side<'c>,
    pub(super) new: &'s Side<'c>,
    /// The kind and the apiVersion on both sides.
    pub(super) sides: [(GroupKind, ApiVersion); 2],
}

/// The deepest value that is made.
const DEEPEST: usize = 6;

impl Sample<'_, '_> {
    /// Makes the case of something that became another field.
    pub(super) fn converted(&self, changes: &Changes<'_, '_>, moved: &Moved, name: &str) -> Option<Case> {
        let value = self.value(changes, &moved.old, 0)?;
        if let Form::Entries(key, its) = &moved.score.form {
            let items = value.as_object()?.iter().map(|(name, value)| json!({key.as_str(): name, its.as_str(): value}));
            let after = Value::Array(items.collect());
            return Some(self.value_case([(&moved.old, &value), (&moved.new, &after)], name));
        }
        let leaves = leaves(&moved.old, &value);
        let image = |(leaf, value): &(FieldPattern, Value)| {
            let table = changes.values.iter().find(|change| change.old == *leaf).map(|change| &change.table);
            let other = table.into_iter().flatten().find(|(old, ..)| old == value).map(|(_, new, ..)| new.clone());
            (changes.pairing.image(leaf), other.unwrap_or_else(|| value.clone()))
        };
        let after: Vec<_> = leaves.iter().map(image).collect();
        Some(Case {
            name: name.to_owned(),
            files: vec![("before.yaml", self.object(0, &leaves)), ("after.yaml", self.object(1, &after))],
        })
    }

    /// Makes the case of a value that has another name.
    pub(super) fn value_case(&self, [old, new]: [(&FieldPattern, &Value); 2], name: &str) -> Case {
        let [before, after] =
            [(0, old), (1, new)].map(|(side, (field, value))| self.object(side, &[(field.clone(), value.clone())]));
        Case { name: name.to_owned(), files: vec![("before.yaml", before), ("after.yaml", after)] }
    }

    /// Makes the case of an object that is held back: forward with an old field, or backward with a new one.
    pub(super) fn held_back(
        &self,
        side: usize,
        field: &FieldPattern,
        value: Value,
        finding: [&str; 2],
        name: &str,
    ) -> Case {
        let file = if side == 0 { "before.yaml" } else { "after.yaml" };
        let [code, at] = finding;
        let findings = format!("{code} {}\n", at.replace("[]", "[0]"));
        let object = self.object(side, &[(field.clone(), value)]);
        Case { name: name.to_owned(), files: vec![(file, object), ("findings.txt", findings)] }
    }

    /// Makes the case of a field whose loss is allowed.
    pub(super) fn dropped(&self, field: &FieldPattern, value: &Value, name: &str) -> Case {
        let kept = FieldPattern::default().key("metadata").key("labels").key("example");
        let kept = (kept, json!("kept"));
        let before = self.object(0, &[kept.clone(), (field.clone(), value.clone())]);
        // What it was in stays, empty.
        let around = field.split_last().map(|(around, _)| (around, json!({})));
        let left: Vec<_> = std::iter::once(kept).chain(around).collect();
        let [after, back] = [1, 0].map(|side| self.object(side, &left));
        let allow = "dropped-field\n".to_owned();
        let files = vec![("before.yaml", before), ("after.yaml", after), ("back.yaml", back), ("allow.txt", allow)];
        Case { name: name.to_owned(), files }
    }

    /// Makes the case of an object that resembles others and stays as it is.
    pub(super) fn unchanged(&self, field: &FieldPattern) -> Case {
        let label = last_key(field).unwrap_or("kind");
        let (kind, version) = &self.sides[0];
        let object = json!({
            "apiVersion": version.to_string(),
            "kind": kind.kind,
            "metadata": {"name": "example", "labels": {label: "example"}},
        });
        Case { name: "look-alike".to_owned(), files: vec![("same.yaml", object_text(&object))] }
    }

    /// Makes a value that the old side accepts, of what the new side has too; `None` where there is none.
    pub(super) fn value(&self, changes: &Changes<'_, '_>, field: &FieldPattern, depth: usize) -> Option<Value> {
        let its = self.old.get(field)?;
        if depth > DEEPEST {
            return None;
        }
        match its.kind {
            Type::Object => {
                let is_kept = |key: &&FieldPattern| self.new.get(&changes.pairing.image(key)).is_some();
                let is_due = |key: &&FieldPattern| {
                    let moves = changes.pairing.moved.iter().any(|moved| moved.old == **key);
                    moves || self.old.get(key).is_some_and(|field| field.required)
                };
                let keys: Vec<_> = self.old.keys(field).filter(is_kept).collect();
                let mut chosen: Vec<_> = keys.iter().copied().filter(|key| is_due(key)).collect();
                if chosen.is_empty() {
                    let simple = |key: &&&FieldPattern| !matches!(self.old.kind(key), Some(Type::Object | Type::Array));
                    chosen.extend(keys.iter().find(simple).or_else(|| keys.first()).copied());
                }
                let mut map = Map::new();
                for key in chosen {
                    map.insert(last_key(key)?.to_owned(), self.value(changes, key, depth + 1)?);
                }
                if keys.is_empty() {
                    map.insert("example".to_owned(), self.value_of_map(changes, field, depth)?);
                }
                Some(Value::Object(map))
            }
            Type::Array => Some(json!([self.value(changes, &field.items(), depth + 1)?])),
            _ => self.scalar(changes, field),
        }
    }

    fn value_of_map(&self, changes: &Changes<'_, '_>, field: &FieldPattern, depth: usize) -> Option<Value> {
        let values = field.with(Part::Values);
        if self.old.get(&values).is_some() { self.value(changes, &values, depth + 1) } else { Some(json!("example")) }
    }

    /// Makes a scalar: the first one that is allowed.
    fn scalar(&self, changes: &Changes<'_, '_>, field: &FieldPattern) -> Option<Value> {
        let its = self.old.get(field)?;
        if let Some(values) = &its.attributes.allowed {
            let there = self.new.attributes(&changes.pairing.image(field)).and_then(|new| new.allowed.as_ref());
            let both = values.iter().find(|value| there.is_none_or(|there| there.contains(value)));
            return both.or(values.first()).cloned();
        }
        let least = its.attributes.minimum.as_ref().and_then(serde_json::Number::as_i64);
        let most = its.attributes.maximum.as_ref().and_then(serde_json::Number::as_i64);
        Some(match its.kind {
            Type::Boolean => json!(true),
            Type::Integer | Type::Number => {
                json!([3, least.unwrap_or(3), most.unwrap_or(3)].into_iter().find(|number| {
                    least.is_none_or(|least| least <= *number) && most.is_none_or(|most| *number <= most)
                })?)
            }
            Type::Quantity => json!("1"),
            _ => {
                let pattern = its.attributes.pattern.as_deref().map(compile);
                let fits = |text: &&&str| {
                    pattern.as_ref().is_none_or(|pattern| pattern.as_ref().is_ok_and(|pattern| pattern.is_match(text)))
                        && its.attributes.min_length.is_none_or(|least| text.len() as u64 >= least)
                        && its.attributes.max_length.is_none_or(|most| text.len() as u64 <= most)
                };
                json!(TEXTS.iter().find(fits)?)
            }
        })
    }

    /// Writes an object with these values.
    fn object(&self, side: usize, leaves: &[(FieldPattern, Value)]) -> String {
        let (kind, version) = &self.sides[side];
        let mut object = json!({
            "apiVersion": version.to_string(),
            "kind": kind.kind,
            "metadata": {"name": "example"},
        });
        for (field, value) in leaves {
            put(&mut object, field.parts(), value);
        }
        object_text(&object)
    }
}

/// Texts of which most patterns accept one.
const TEXTS: [&str; 14] = [
    "example",
    "10s",
    "10m",
    "1",
    "/example",
    "example.com",
    "https://example.com",
    "10.0.0.0/8",
    "10.0.0.1",
    "Example",
    "example.com/example",
    "1Gi",
    "a",
    "10%",
];

/// Lists the scalars in a value, and what is empty.
fn leaves(at: &FieldPattern, value: &Value) -> Vec<(FieldPattern, Value)> {
    match value {
        Value::Object(map) if !map.is_empty() => {
            map.iter().flat_map(|(key, value)| leaves(&at.key(key), value)).collect()
        }
        Value::Array(items) if !items.is_empty() => items.iter().flat_map(|item| leaves(&at.items(), item)).collect(),
        other => vec![(at.clone(), other.clone())],
    }
}

/// Puts a value where a field is, with what is around it.
fn put(object: &mut Value, parts: &[Part], value: &Value) {
    let Some((part, rest)) = parts.split_first() else {
        *object = value.clone();
        return;
    };
    match part {
        Part::Items => {
            if !object.is_array() {
                *object = json!([null]);
            }
            put(&mut object[0], rest, value);
        }
        Part::Key(_) | Part::Values => {
            let key = if let Part::Key(key) = part { key } else { "example" };
            if !object.is_object() {
                *object = json!({});
            }
            put(&mut object[key], rest, value);
        }
    }
}

/// Returns the value with which a list or mapping that was a value cannot be converted back.
pub(super) fn emptied(form: &Form) -> Option<Value> {
    match form {
        Form::Same | Form::Entries(..) | Form::Other => None,
        Form::Item => Some(json!([])),
        Form::Key(_) => Some(json!({})),
    }
}
