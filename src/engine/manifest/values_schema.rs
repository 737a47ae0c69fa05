//! Answers: does the schema of values say more of what is at a place than that it is a list or mapping?
//!
//! Invariant: what is not understood of a schema says more.

use serde_json::Value;

use crate::syntax::field::{FieldPath, Step};

/// The keywords that say nothing of what is inside.
const OPEN: [&str; 10] =
    ["$comment", "$id", "default", "description", "examples", "maxItems", "minItems", "title", "type", "uniqueItems"];

/// The keywords with schemas for all that is inside, or several for one value.
const NESTED: [&str; 5] = ["additionalProperties", "allOf", "anyOf", "items", "oneOf"];

/// The keywords that decide about a value by what is in it.
const DECIDING: [&str; 10] =
    ["allOf", "anyOf", "const", "dependencies", "dependentSchemas", "enum", "if", "not", "oneOf", "patternProperties"];

/// How many references are followed.
const LEVELS: u32 = 8;

/// Returns whether `schema` says something of what is in the value at `place`.
pub(super) fn is_about(schema: &Value, place: &FieldPath) -> bool {
    let mut at = Some(schema);
    for step in place.steps() {
        let Some(inner) = at.map(|inner| referred(schema, inner)) else { return false };
        let Some(inner) = inner else { return true };
        if DECIDING.iter().any(|keyword| inner.get(keyword).is_some()) {
            return true;
        }
        let Step::Key(key) = step else { return true };
        at = inner.get("properties").and_then(|properties| properties.get(key)).or(inner.get("additionalProperties"));
    }
    at.is_some_and(|inner| !is_open(schema, inner, LEVELS))
}

/// Returns the schema that one refers to, or itself; nothing where that is not known.
fn referred<'s>(whole: &'s Value, schema: &'s Value) -> Option<&'s Value> {
    let mut found = schema;
    for _ in 0..LEVELS {
        match found.get("$ref") {
            None => return Some(found),
            Some(reference) => found = whole.pointer(reference.as_str()?.strip_prefix('#')?)?,
        }
    }
    None
}

/// Returns whether a schema says nothing of what is in a value.
fn is_open(whole: &Value, schema: &Value, levels: u32) -> bool {
    let is_inner_open = |inner: &Value| match inner {
        Value::Array(all) => all.iter().all(|one| is_open(whole, one, levels - 1)),
        inner => is_open(whole, inner, levels - 1),
    };
    match referred(whole, schema) {
        Some(Value::Bool(is_allowed)) => *is_allowed,
        Some(Value::Object(map)) => {
            levels > 0
                && map.iter().all(|(keyword, inner)| {
                    OPEN.contains(&keyword.as_str()) || NESTED.contains(&keyword.as_str()) && is_inner_open(inner)
                })
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(objects: Value, expected: bool) {
        let place = FieldPath::default().key("extra").key("objects");
        let around = |objects: &Value| json!({"type": "object", "properties": {"objects": objects}});
        let schema = json!({"properties": {"extra": around(&objects)}, "required": ["extra"]});
        assert_eq!(is_about(&schema, &place), expected, "{objects}");
        let referring = json!({"$ref": "#/$defs/all", "$defs": {"all": {"properties": {"extra": around(&objects)}}}});
        assert_eq!(is_about(&referring, &place), expected, "{objects}");
    }

    #[test]
    fn a_type_says_nothing_of_what_is_inside() {
        for open in [
            json!({}),
            json!(true),
            json!({"type": "array", "items": {}}),
            json!({"type": "array", "default": [], "items": {"oneOf": [{"type": "string"}, {"type": "object"}]}}),
            json!({"type": "object", "additionalProperties": {"type": "object"}}),
        ] {
            check(open, false);
        }
        let place = FieldPath::default().key("other");
        assert!(!is_about(
            &json!({"properties": {"extra": {"enum": [1]}}, "additionalProperties": false}),
            &place.key("a")
        ));
    }

    #[test]
    fn what_names_fields_or_values_does() {
        for closed in [
            json!({"items": {"properties": {"apiVersion": {"enum": ["policy/v1beta1"]}}}}),
            json!({"items": {"required": ["spec"]}}),
            json!({"enum": [[]]}),
            json!({"$ref": "https://example.com/objects.json"}),
        ] {
            check(closed, true);
        }
        let conditional = json!({"if": {"properties": {"extra": {"minItems": 1}}}, "properties": {"extra": {}}});
        assert!(is_about(&conditional, &FieldPath::default().key("extra")));
    }
}
