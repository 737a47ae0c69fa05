//! Answers: does the API server reject an object because of some of a CRD's validations?
//!
//! CEL rules are run by `kube-cel`, combinations of schemas by `jsonschema`, both on the object with its defaults.
//!
//! Invariant: all other validations of the CRD are left out.

use std::collections::{BTreeMap, BTreeSet};

use kube_cel::{CompiledSchema, ErrorKind, Validator, apply_defaults, compile_schema};
use reversion::internals::field::FieldPattern;
use reversion::internals::release::{GroupKind, ReleaseId};
use serde_json::{Map, Value};

use super::crds::{Crds, Place, contents, id};

/// Some validations of one schema.
pub(crate) struct Oracle<'c> {
    schema: &'c Value,
    validator: Validator,
    rules: CompiledSchema,
    combinations: Vec<(FieldPattern, jsonschema::Validator)>,
}

impl<'c> Oracle<'c> {
    /// Returns the oracles of `places`, each with the first and the last of the releases that have the same of them.
    pub(crate) fn each(crds: &'c Crds, kind: &GroupKind, places: &BTreeSet<&Place>) -> Vec<(ReleaseId, &'c str, Self)> {
        let mut versions: BTreeMap<(ReleaseId, &str), BTreeSet<&Place>> = BTreeMap::new();
        for place in places {
            for version in crds.versions(place) {
                versions.entry(version).or_default().insert(place);
            }
        }
        let mut same: BTreeMap<BTreeSet<&Place>, Vec<(ReleaseId, &str)>> = BTreeMap::new();
        for (version, places) in versions {
            same.entry(places).or_default().push(version);
        }
        let ends = |versions: Vec<(ReleaseId, &'c str)>| BTreeSet::from([versions[0], versions[versions.len() - 1]]);
        let of = |(places, versions)| {
            let oracle =
                move |(release, version)| (release, version, Self::new(crds.schema(kind, release, version), &places));
            ends(versions).into_iter().map(oracle)
        };
        same.into_iter().flat_map(of).collect()
    }

    fn new(schema: &'c Value, places: &BTreeSet<&Place>) -> Self {
        let kept: BTreeSet<(&str, &str)> =
            places.iter().map(|place| (place.path.as_str(), place.id.as_str())).collect();
        let mut combinations = Vec::new();
        let rules = compile_schema(&only(schema, "", &kept, &mut combinations));
        Self { schema, validator: Validator::new(), rules, combinations }
    }

    /// Returns whether the validations reject an object; `None` if one of them cannot be run here.
    pub(crate) fn rejects(&self, object: &Value) -> Option<bool> {
        let defaulted = if self.combinations.is_empty() { None } else { Some(apply_defaults(self.schema, object)) };
        let object = defaulted.as_ref().unwrap_or(object);
        let is_combined = |(path, schema): &(FieldPattern, jsonschema::Validator)| {
            path.values(object).into_iter().all(|value| schema.is_valid(value))
        };
        let errors = self.validator.validate_compiled(&self.rules, object, None).err();
        let errors = errors.map(|errors| errors.into_vec()).unwrap_or_default();
        let is_run = |kind: &ErrorKind| matches!(kind, ErrorKind::ValidationFailure | ErrorKind::EvaluationError);
        let all_run = errors.iter().all(|error| is_run(&error.kind));
        all_run.then(|| !errors.is_empty() || !self.combinations.iter().all(is_combined))
    }
}

/// Returns a schema with the CEL rules in `kept`, by path and id, and collects the combinations in it.
fn only(
    schema: &Value,
    path: &str,
    kept: &BTreeSet<(&str, &str)>,
    combinations: &mut Vec<(FieldPattern, jsonschema::Validator)>,
) -> Value {
    let Value::Object(map) = schema else { return schema.clone() };
    let mut smaller = Map::new();
    for keyword in ["type", "format", "default", "x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields"] {
        smaller.extend(map.get(keyword).map(|value| (keyword.to_owned(), value.clone())));
    }
    for content in contents(map).into_iter().filter(|content| kept.contains(&(path, id(content).as_str()))) {
        if let Some(rule) = content.as_str() {
            let rules = smaller.entry("x-kubernetes-validations").or_insert_with(|| Value::Array(Vec::new()));
            rules.as_array_mut().unwrap().push(serde_json::json!({"rule": rule, "message": "rejected"}));
        } else {
            let schema = jsonschema::options().should_validate_formats(true).build(&content).unwrap();
            combinations.push((FieldPattern::parse(path).unwrap(), schema));
        }
    }
    if let Some(properties) = map.get("properties").and_then(Value::as_object) {
        let separator = if path.is_empty() { "" } else { "." };
        let child = |(name, child): (&String, &Value), combinations: &mut _| {
            (name.clone(), only(child, &format!("{path}{separator}{name}"), kept, combinations))
        };
        let children = properties.iter().map(|one| child(one, combinations)).collect();
        smaller.insert("properties".to_owned(), Value::Object(children));
    }
    for (keyword, suffix) in [("items", "[]"), ("additionalProperties", "{}")] {
        if let Some(inner) = map.get(keyword) {
            smaller.insert(keyword.to_owned(), only(inner, &format!("{path}{suffix}"), kept, combinations));
        }
    }
    Value::Object(smaller)
}
