//! The objects of a first fixture.
//!
//! What an object is before and after a change is put together field by field, by what the comparison found, and not by running the rule: a
//! rule that does something else fails its fixture.

use serde_json::{Map, Value, json};

use super::changes::{Changes, DefaultChange, Required};
use super::names::last_key;
use super::pairing::Moved;
use super::score::Form;
use super::side::Side;
use super::text::object as object_text;
use crate::knowledge::catalog::{Attributes, Type, compile};
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
            let leaves = |field: &FieldPattern, value: &Value| vec![(field.clone(), value.clone())];
            return Some(self.completed(changes, leaves(&moved.old, &value), leaves(&moved.new, &after), name));
        }
        let leaves = leaves(&moved.old, &value);
        let image = |(leaf, value): &(FieldPattern, Value)| {
            let table = changes.values.iter().find(|change| change.old == *leaf).map(|change| &change.table);
            let other = table.into_iter().flatten().find(|(old, ..)| old == value).map(|(_, new, ..)| new.clone());
            (changes.pairing.image(leaf), other.unwrap_or_else(|| value.clone()))
        };
        let after: Vec<_> = leaves.iter().map(image).collect();
        Some(self.completed(changes, leaves, after, name))
    }

    /// Makes a case of fields before and after, with what the new side demands besides: a default that changed is written on both, a
    /// required value on the new one; where such a value is open, the object is held back.
    pub(super) fn completed(
        &self,
        changes: &Changes<'_, '_>,
        mut before: Vec<(FieldPattern, Value)>,
        mut after: Vec<(FieldPattern, Value)>,
        name: &str,
    ) -> Case {
        for change in changes.defaults.iter() {
            let source = changes.pairing.source(&change.field);
            if lacks(&after, &change.field) && self.old.get(&source).is_some() {
                before.push((source, change.old.clone()));
                after.push((change.field.clone(), change.old.clone()));
            }
        }
        let mut findings = Vec::new();
        for required in &changes.required {
            match &required.value {
                _ if !lacks(&after, &required.field) => {}
                Some((value, _)) => after.push((required.field.clone(), value.clone())),
                None => findings.push(format!("invalid-in-target {}\n", concrete(&required.field))),
            }
        }
        findings.sort();
        let first = ("before.yaml", self.object(0, &before));
        let second = match findings.is_empty() {
            true => ("after.yaml", self.object(1, &after)),
            false => ("findings.txt", findings.concat()),
        };
        Case { name: name.to_owned(), files: vec![first, second] }
    }

    /// Makes the cases of a default that changed: what is not written is written as the side that it comes from meant it.
    pub(super) fn frozen(&self, changes: &Changes<'_, '_>, change: &DefaultChange, slug: &str) -> Vec<Case> {
        let source = &changes.pairing.source(&change.field);
        // What the new side requires beside it is for a person to write.
        let beside = [(change.field.clone(), change.old.clone())];
        if changes.required.iter().any(|required| lacks(&beside, &required.field)) {
            return Vec::new();
        }
        let object = |side: usize, field: &FieldPattern, value: Option<&Value>| {
            let around = field.split_last().map(|(around, _)| around).unwrap_or_default();
            let leaf = value.map_or((around, json!({})), |value| (field.clone(), value.clone()));
            self.object(side, &[leaf])
        };
        let (old, new) = (Some(&change.old), Some(&change.new));
        let forward = vec![
            ("before.yaml", object(0, source, None)),
            ("after.yaml", object(1, &change.field, old)),
            ("back.yaml", object(0, source, old)),
        ];
        let backward = vec![("after.yaml", object(1, &change.field, None)), ("back.yaml", object(0, source, new))];
        let case = |way: &str, files| Case { name: format!("{way}-{slug}"), files };
        vec![case("forward", forward), case("backward", backward)]
    }

    /// Makes the case of an object that is held back on the way to the new side.
    pub(super) fn held_back(&self, field: &FieldPattern, value: Value, code: &str, name: &str) -> Case {
        let findings = format!("{code} {}\n", concrete(field));
        let object = self.object(0, &[(field.clone(), value)]);
        Case { name: name.to_owned(), files: vec![("before.yaml", object), ("findings.txt", findings)] }
    }

    /// Makes the case of an object that cannot be converted back: what a value became has another form than that of the value.
    pub(super) fn not_back(&self, changes: &Changes<'_, '_>, moved: &Moved, name: &str) -> Option<Case> {
        let new = &moved.new;
        let (at, fields) = match &moved.score.form {
            Form::Same | Form::Other => return None,
            Form::Item => (new.clone(), vec![(new.clone(), json!([]))]),
            Form::Entries(key, _) => {
                let item = json!({key.as_str(): "example"});
                (new.items(), vec![(new.clone(), json!([item, item]))])
            }
            Form::Key(key) => {
                let key = new.key(key);
                match self.new.keys(new).find(|other| **other != key) {
                    Some(other) => {
                        let fields = [&key, other].map(|field| (field.clone(), any_of(self.new, field)));
                        return Some(self.held_back_after(changes, fields.to_vec(), ("dropped-field", other), name));
                    }
                    None => (new.clone(), vec![(new.clone(), json!({}))]),
                }
            }
        };
        Some(self.held_back_after(changes, fields, ("not-convertible", &at), name))
    }

    /// Makes the case of an object of the new side, with all that it requires, that is held back.
    fn held_back_after(
        &self,
        changes: &Changes<'_, '_>,
        mut fields: Vec<(FieldPattern, Value)>,
        (code, at): (&str, &FieldPattern),
        name: &str,
    ) -> Case {
        let mut findings = vec![format!("{code} {}\n", concrete(at))];
        for Required { field, value } in &changes.required {
            if !lacks(&fields, field) {
                continue;
            }
            // A refusal comes before losses, and what a rule writes it removes again.
            if code == "dropped-field" && value.is_none() && changes.pairing.is_new(field) {
                findings.push(format!("dropped-field {}\n", concrete(field)));
            }
            fields.push((field.clone(), any_of(self.new, field)));
        }
        findings.sort();
        let files = vec![("after.yaml", self.object(1, &fields)), ("findings.txt", findings.concat())];
        Case { name: name.to_owned(), files }
    }

    /// Adds what both sides require in what is there.
    fn fill(&self, side: usize, at: &FieldPattern, value: &mut Value) {
        let (own, other) = if side == 0 { (self.old, self.new) } else { (self.new, self.old) };
        match value {
            Value::Object(map) => {
                for key in own.keys(at) {
                    let name = last_key(key).unwrap_or_default();
                    let is_due = [own, other].iter().all(|side| side.get(key).is_some_and(|field| field.required));
                    if is_due && !map.contains_key(name) {
                        map.insert(name.to_owned(), any_of(own, key));
                    }
                    if let Some(inner) = map.get_mut(name) {
                        self.fill(side, key, inner);
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.fill(side, &at.items(), item)),
            _ => {}
        }
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
        // An object whose apiVersion changes does not stay as it is; one of a group that nobody knows does.
        let version = if self.sides[0] == self.sides[1] { version.to_string() } else { "example.com/v1".to_owned() };
        let object = json!({
            "apiVersion": version,
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
            _ => json!(text_for(its.attributes)?),
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
        self.fill(side, &FieldPattern::default(), &mut object);
        object_text(&object)
    }
}

/// Returns whether an object with these fields has what a field is in, and not the field.
fn lacks(fields: &[(FieldPattern, Value)], field: &FieldPattern) -> bool {
    let around = field.split_last().map(|(around, _)| around).unwrap_or_default();
    let has_room = fields.iter().any(|(other, _)| other.starts_with(&around) && other != field);
    has_room && !fields.iter().any(|(other, _)| other.starts_with(field))
}

/// Returns a field as the place of the first value that it names.
fn concrete(field: &FieldPattern) -> String {
    field.to_string().replace("[]", "[0]")
}

/// Makes a value of the type of a field.
fn any_of(side: &Side<'_>, field: &FieldPattern) -> Value {
    let Some(its) = side.get(field) else { return json!("example") };
    let listed = its.attributes.allowed.as_ref().and_then(|values| values.first());
    listed.cloned().unwrap_or_else(|| match its.kind {
        Type::Array if its.attributes.min_items.unwrap_or_default() > 0 => json!([any_of(side, &field.items())]),
        Type::Array => json!([]),
        Type::Object => json!({}),
        Type::Boolean => json!(true),
        Type::Integer | Type::Number => json!(3),
        _ => json!(text_for(its.attributes).unwrap_or("example")),
    })
}

/// Finds a text that a schema accepts.
fn text_for(limits: &Attributes) -> Option<&'static str> {
    let pattern = limits.pattern.as_deref().map(compile);
    let fits = |text: &&&str| {
        pattern.as_ref().is_none_or(|pattern| pattern.as_ref().is_ok_and(|pattern| pattern.is_match(text)))
            && limits.min_length.is_none_or(|least| text.len() as u64 >= least)
            && limits.max_length.is_none_or(|most| text.len() as u64 <= most)
    };
    TEXTS.iter().find(fits).copied()
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
