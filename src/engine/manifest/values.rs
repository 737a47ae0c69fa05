//! Answers: where in a file are the values of a chart?
//!
//! A file of values has neither apiVersion nor kind. It is a chart's own where it has a key at its top that only values of this
//! chart have; values for a dependency are under the name of the dependency, or under an alias.
//!
//! Invariant: what may be the values of another chart is left unchanged.

use serde_json::Value;

use super::object::Object;
use crate::engine::finding::Location;
use crate::knowledge::carrier::Carried;
use crate::syntax::field::{Entries, FieldPath};

/// A chart whose values can be in files of their own.
#[derive(Debug)]
pub(super) struct Chart {
    name: String,
    /// A key at the top of its values that no other chart has.
    key: String,
}

impl Chart {
    pub(super) fn new(name: &str, key: &str) -> Self {
        Self { name: name.to_owned(), key: key.to_owned() }
    }

    /// Returns the texts one of which is in every file with values of the chart.
    pub(super) fn triggers(&self) -> [&str; 2] {
        [&self.name, &self.key]
    }

    /// Returns whether the chart has this name.
    pub(super) fn is_called(&self, name: &str) -> bool {
        self.name == name
    }

    /// Returns its name.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether what carries values names the chart.
    pub(super) fn is_named(&self, carried: &Carried<'_>) -> bool {
        carried.carrier.names_chart(carried.around, &self.name)
    }

    /// Returns whether values are the chart's own. A key without a value remains after all of its content moved.
    pub(super) fn has_key(&self, values: &Value) -> bool {
        values.entry(&self.key).is_some_and(|value| value.is_object() || value.is_null())
    }

    /// Makes objects of the chart's values in a document of `file` that is no object.
    pub(super) fn objects(&self, file: &str, document: usize, value: &Value) -> Vec<Object> {
        self.places(file, value).into_iter().map(|place| self.object(document, place, value)).collect()
    }

    /// Makes an object of the chart's values at `place` in a document.
    pub(super) fn object(&self, document: usize, place: FieldPath, value: &Value) -> Object {
        Object::values(&self.name, document, place.clone(), place.get(value).cloned().unwrap_or_default())
    }

    fn places(&self, file: &str, document: &Value) -> Vec<FieldPath> {
        if file.ends_with("values.schema.json") || is_json_schema(document) {
            return Vec::new();
        }
        let root = FieldPath::default();
        if self.has_key(document) {
            return vec![root];
        }
        let for_dependencies = document.as_object().filter(|_| is_values_file(file)).into_iter().flatten();
        // An alias of the chart can be any name.
        let is_of_chart =
            |(name, values): &(&String, &Value)| (**name == self.name && values.is_object()) || self.has_key(values);
        for_dependencies.filter(is_of_chart).map(|(name, _)| root.key(name)).collect()
    }
}

/// An object of values that Helm merges with what another file has.
#[derive(Clone, Debug)]
pub(crate) struct Merged {
    pub(crate) document: usize,
    pub(crate) place: FieldPath,
    /// Where the other file has it.
    pub(crate) with: Location,
    /// Whether that is an object of the same apiVersion and kind, which is converted by itself.
    pub(crate) is_object: bool,
}

/// Returns whether a file has values of charts, by its name.
pub(crate) fn is_values_file(file: &str) -> bool {
    file.rsplit('/').next().is_some_and(|name| name.contains("values"))
}

/// Returns whether a document describes values instead of holding them: `values.schema.json` of a chart.
///
/// Source: JSON Schema, `$schema`, and `properties` next to the `type` of what they are properties of.
fn is_json_schema(document: &Value) -> bool {
    let has_properties = document.get("properties").is_some_and(Value::is_object);
    document.text("$schema").is_some_and(|schema| has_properties || schema.contains("json-schema.org"))
        || has_properties && document.text("type") == Some("object")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(file: &str, document: Value, expected: &[(&str, Value)]) {
        let objects = Chart::new("shop", "shopFront").objects(file, 0, &document);
        let found: Vec<_> =
            objects.into_iter().map(|object| (object.place.to_string(), Value::clone(&object.value))).collect();
        let expected: Vec<_> = expected.iter().map(|(place, value)| ((*place).to_owned(), value.clone())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn values_are_recognized_by_a_key_of_the_chart() {
        let values = json!({"shopFront": {"a": 1}, "b": 2});
        check("x/any.yaml", values.clone(), &[("", values)]);
        check("x/values.yaml", json!({"shopFront": 1}), &[]);
        check("x/any.yaml", json!({"shopFront": null}), &[("", json!({"shopFront": null}))]);
        check("x/values.yaml", json!({"b": 2}), &[]);
    }

    #[test]
    fn a_json_schema_holds_no_values() {
        let properties = json!({"shopFront": {"type": "object"}, "shop": {"type": "object"}});
        let schema = json!({"type": "object", "properties": properties});
        check("x/values.schema.json", schema.clone(), &[]);
        check("x/values.schema.json", json!({"$schema": "any", "shopFront": {}, "properties": properties}), &[]);
        let definitions = json!({"$schema": "https://json-schema.org/draft-07/schema", "definitions": properties});
        check("x/values.schema.json", definitions, &[]);
        // Values can have such keys too.
        for values in [
            json!({"shopFront": {}, "properties": {"a": 1}}),
            json!({"shopFront": {}, "properties": {"a": 1}, "type": "ClusterIP"}),
            json!({"shopFront": {}, "$schema": "https://example.com/values"}),
        ] {
            check("x/values.yaml", values.clone(), &[("", values)]);
        }
    }

    #[test]
    fn values_of_a_subchart_are_below_its_name() {
        let values = json!({"shop": {"b": 2}, "other": {}});
        check("x/values-live.yaml", values.clone(), &[("shop", json!({"b": 2}))]);
        check("x/any.yaml", values, &[]);
        check("x/values.yaml", json!({"shop": false}), &[]);
        check("x/values.yaml", json!({"edge": {"shopFront": {}}}), &[("edge", json!({"shopFront": {}}))]);
        check("x/any.yaml", json!({"edge": {"shopFront": {}}}), &[]);
    }
}
