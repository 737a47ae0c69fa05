//! Answers: which relations among fields do `oneOf`, `anyOf`, `allOf` and `not` of a schema state?
//!
//! The schemas that are combined say which fields are required and which values these have.
//!
//! Invariant: a combination is understood as a whole, or not at all.

use serde_json::{Map, Value};

use super::formula::Formula;
use crate::knowledge::catalog::{Literal, Relation};
use crate::syntax::field::FieldPattern;

/// The keywords that combine schemas.
pub(super) const KEYWORDS: [&str; 4] = ["allOf", "anyOf", "not", "oneOf"];

/// Reads one of the [`KEYWORDS`]; `None` where it is not understood.
pub(super) fn stated(keyword: &str, content: &Value) -> Option<Vec<Relation>> {
    keyword_formula(keyword, content, &FieldPattern::default())?.relations()
}

fn keyword_formula(keyword: &str, content: &Value, at: &FieldPattern) -> Option<Formula> {
    let each = || content.as_array()?.iter().map(|schema| formula(schema, at)).collect::<Option<Vec<_>>>();
    match keyword {
        "allOf" => Some(Formula::All(each()?)),
        "anyOf" => Some(Formula::Any(each()?)),
        "oneOf" => {
            let each = each()?;
            Some(Formula::All(vec![Formula::at_most_one(&each), Formula::Any(each)]))
        }
        "not" => Some(formula(content, at)?.not()),
        "required" => {
            let names = content.as_array()?.iter().map(Value::as_str).collect::<Option<Vec<_>>>()?;
            Some(Formula::All(names.into_iter().map(|name| Formula::One(Literal::Present(at.key(name)))).collect()))
        }
        "enum" => Some(Formula::One(Literal::Is(at.clone(), content.as_array()?.clone()))),
        "properties" => {
            let field = |(name, schema): (&String, &Value)| {
                let (at, absent) = (at.key(name), Formula::One(Literal::Absent(at.key(name))));
                Some(Formula::Any(vec![absent, formula(schema, &at)?]))
            };
            content.as_object()?.iter().map(field).collect::<Option<_>>().map(Formula::All)
        }
        _ => None,
    }
}

/// Reads a schema of a combination.
fn formula(schema: &Value, at: &FieldPattern) -> Option<Formula> {
    let schema: &Map<String, Value> = schema.as_object()?;
    let parts = schema.iter().map(|(keyword, content)| keyword_formula(keyword, content, at));
    parts.collect::<Option<_>>().map(Formula::All)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn says(keyword: &str, content: &Value, expected: &Value) {
        assert_eq!(serde_json::to_value(stated(keyword, content)).unwrap(), *expected);
    }

    #[test]
    fn combined_schemas_are_relations() {
        let required = json!([{"required": ["a"]}, {"required": ["b"]}]);
        says("oneOf", &required, &json!([{"exactlyOneOf": ["a", "b"]}]));
        says("anyOf", &required, &json!([{"implies": {"then": [{"present": "a"}, {"present": "b"}]}}]));
        says("not", &json!({"required": ["a", "b"]}), &json!([{"atMostOneOf": ["a", "b"]}]));
        says("allOf", &json!([{"required": ["a"]}]), &json!([{"implies": {"then": [{"present": "a"}]}}]));
    }

    #[test]
    fn a_field_has_a_value_where_it_is_written() {
        let either = json!([{"properties": {"type": {"enum": ["A"]}}}, {"required": ["b"]}]);
        says(
            "anyOf",
            &either,
            &json!([
                {"implies": {"when": [{"present": "type"}, {"isNot": ["type", ["A"]]}], "then": [{"present": "b"}]}}
            ]),
        );
    }

    #[test]
    fn a_schema_with_another_keyword_is_not_understood() {
        says("oneOf", &json!([{"required": ["a"]}, {"format": "ipv4"}]), &Value::Null);
    }
}
