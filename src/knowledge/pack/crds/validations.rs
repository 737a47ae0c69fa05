//! Answers: what does the schema of a value demand of its fields together?
//!
//! CEL rules and combinations of schemas are read as relations. One that is not understood is kept as the hash of its text, so that
//! it can be counted, and found again in the CRD.
//!
//! Invariant: every CEL rule and combination is a relation or is counted, except CEL rules that compare with the object in the cluster.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::cel::{self, Stated};
use super::combination;
use crate::knowledge::catalog::{Literal, Relation};
use crate::syntax::field::Part;
use crate::syntax::fingerprint::Fingerprint;

/// The keyword of a schema that holds CEL rules.
pub(super) const CEL: &str = "x-kubernetes-validations";

/// The keyword of a schema that accepts whole numbers and strings.
pub(crate) const INTEGER_OR_STRING: &str = "x-kubernetes-int-or-string";

/// The length of a hash, in hexadecimal digits.
const HASH: usize = 12;

/// What a schema demands.
#[derive(Default)]
pub(super) struct Validations {
    /// Of the value itself.
    pub(super) of_value: Vec<Relation>,
    /// Of each item of the list.
    pub(super) of_items: Vec<Relation>,
    /// What is not understood.
    pub(super) unread: Vec<String>,
}

impl Validations {
    /// Reads those of a schema.
    pub(super) fn of(schema: &Map<String, Value>) -> Self {
        let mut all = Self::default();
        for rule in schema.get(CEL).and_then(Value::as_array).into_iter().flatten() {
            let text = rule["rule"].as_str().unwrap_or_default();
            let also_first = rule["optionalOldSelf"] == true;
            match cel::stated(text, schema).filter(|stated| !(also_first && matches!(stated, Stated::Nothing))) {
                Some(Stated::Nothing) => {}
                Some(Stated::OfValue(relations)) => all.of_value.extend(relations),
                Some(Stated::OfItems(relations)) => all.of_items.extend(relations),
                None => all.unread.push(id(&text.split_whitespace().collect::<Vec<_>>().join(" "))),
            }
        }
        for keyword in combination::KEYWORDS.into_iter().filter(|keyword| !is_integer_or_string(schema, keyword)) {
            let Some(content) = schema.get(keyword) else { continue };
            match combination::stated(keyword, content) {
                Some(relations) => all.of_value.extend(relations),
                None => all.unread.push(id(&serde_json::json!({ keyword: canonical(content) }).to_string())),
            }
        }
        all.of_value.retain(|relation| !is_of_enum(schema, relation));
        for relations in [&mut all.of_value, &mut all.of_items] {
            relations.sort_by_cached_key(|relation| serde_json::to_string(relation).unwrap_or_default());
            relations.dedup();
        }
        all.unread.sort();
        all.unread.dedup();
        all
    }
}

/// Returns the hash of a validation.
fn id(text: &str) -> String {
    Fingerprint::of(text.as_bytes()).hash_text()[..HASH].to_owned()
}

/// Returns whether `keyword` only spells out once more that the schema takes whole numbers and strings.
pub(super) fn is_integer_or_string(schema: &Map<String, Value>, keyword: &str) -> bool {
    keyword == "anyOf"
        && schema.get(INTEGER_OR_STRING) == Some(&Value::Bool(true))
        && schema.get(keyword) == Some(&serde_json::json!([{"type": "integer"}, {"type": "string"}]))
}

/// Returns whether a relation only says once more which values a field can have.
fn is_of_enum(schema: &Map<String, Value>, relation: &Relation) -> bool {
    let Relation::Implies { when, then } = relation else { return false };
    let ([], [Literal::Is(field, values)]) = (when.as_slice(), then.as_slice()) else { return false };
    let [Part::Key(name)] = field.parts() else { return false };
    let Some(field) = schema.get("properties").and_then(|fields| fields.get(name)) else { return false };
    let allowed = field["enum"].as_array();
    field.get("default").is_some() && allowed.is_some_and(|allowed| allowed.iter().all(|value| values.contains(value)))
}

/// Sorts the keys of every mapping in a value, so that equal values are spelt alike.
pub(super) fn canonical(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let sorted: BTreeMap<&String, &Value> = map.iter().collect();
            Value::Object(sorted.into_iter().map(|(key, value)| (key.clone(), canonical(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(canonical).collect()),
        other => other.clone(),
    }
}
