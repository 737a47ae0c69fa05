//! The values of the fields of an object, one by one.

use serde_json::{Number, Value, json};

use super::side::Side;
use crate::authoring::starter::MARK;
use crate::knowledge::catalog::{Attributes, Type, compile, example};
use crate::syntax::field::{FieldPattern, Part};

/// Returns a field as the place of the first value that it names.
pub(super) fn concrete(field: &FieldPattern) -> String {
    field.to_string().replace("[]", "[0]")
}

/// Makes a value of the type of a field.
pub(super) fn any_of(side: &Side<'_>, field: &FieldPattern) -> Value {
    let Some(its) = side.get(field) else { return json!("example") };
    let listed = its.attributes.allowed.as_ref().and_then(|values| values.first());
    listed.cloned().unwrap_or_else(|| match its.kind {
        Type::Array if its.attributes.min_items.unwrap_or_default() > 0 => json!([any_of(side, &field.items())]),
        Type::Array => json!([]),
        Type::Object => json!({}),
        Type::Boolean => json!(true),
        Type::Integer | Type::Number => number_for(its.attributes).map_or_else(|| json!(MARK), Value::from),
        Type::Quantity => json!("1"),
        _ => json!(text_for(its.attributes).unwrap_or_else(|| MARK.to_owned())),
    })
}

/// Finds a whole number that a schema accepts.
pub(super) fn number_for(limits: &Attributes) -> Option<i64> {
    let [least, most] = [&limits.minimum, &limits.maximum].map(|bound| bound.as_ref().and_then(Number::as_i64));
    [3, least.unwrap_or(3), most.unwrap_or(3)]
        .into_iter()
        .find(|number| least.is_none_or(|least| least <= *number) && most.is_none_or(|most| *number <= most))
}

/// Finds a text that a schema accepts.
pub(super) fn text_for(limits: &Attributes) -> Option<String> {
    let pattern = limits.pattern.as_deref().map(compile);
    let fits = |text: &String| {
        pattern.as_ref().is_none_or(|pattern| pattern.as_ref().is_ok_and(|pattern| pattern.is_match(text)))
            && limits.min_length.is_none_or(|least| text.chars().count() as u64 >= least)
            && limits.max_length.is_none_or(|most| text.chars().count() as u64 <= most)
    };
    let made = || {
        // Longer ones, for the fewest characters.
        let more = 0..=u32::try_from(limits.min_length.unwrap_or_default().min(LONGEST)).unwrap_or_default();
        match &limits.pattern {
            Some(pattern) => more.filter_map(|more| example(pattern, more)).find(fits),
            None => more.map(|more| "a".repeat(more as usize)).find(fits),
        }
    };
    TEXTS.iter().map(|text| (*text).to_owned()).find(fits).or_else(made)
}

/// The most characters of a text that is made.
const LONGEST: u64 = 128;

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
pub(super) fn leaves(at: &FieldPattern, value: &Value) -> Vec<(FieldPattern, Value)> {
    match value {
        Value::Object(map) if !map.is_empty() => {
            map.iter().flat_map(|(key, value)| leaves(&at.key(key), value)).collect()
        }
        Value::Array(items) if !items.is_empty() => items.iter().flat_map(|item| leaves(&at.items(), item)).collect(),
        other => vec![(at.clone(), other.clone())],
    }
}

/// Puts a value where a field is, with what is around it.
pub(super) fn put(object: &mut Value, parts: &[Part], value: &Value) {
    let Some((part, rest)) = parts.split_first() else {
        // What is in a mapping can come before the mapping itself.
        let is_there = object.is_object() && *value == json!({});
        *object = if is_there { object.take() } else { value.clone() };
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
