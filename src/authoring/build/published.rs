//! Answers: which kinds does an API server define with named schemas that refer to each other?
//!
//! Such schemas are those of Kubernetes' own types, from OpenAPI or from tables of types. Each kind becomes a definition, as a CRD
//! makes one, with every `$ref` replaced by what it names; a schema inside itself may hold anything there. What differs from CRDs:
//! - A field is required only where every release requires it. The lists of required fields change between releases of one
//!   apiVersion, while the API server accepts what it accepted before.
//! - Zero defaults (`""`, `0`, `false`, `{}`) are those of Go's types, not of the API.
//! - The list types are about server-side apply: a server accepts items with equal keys. The key by which a patch finds an
//!   item is kept.
//!
//! Invariant: only kinds of objects are defined: those with metadata, not lists or options of requests.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result};
use serde_json::{Map, Value, json};

use super::lifecycle::Lifecycle;
use crate::knowledge::catalog::Scope;
use crate::knowledge::pack::crds::crd::{self, DefinedVersion, Definition, MERGE_KEY, PRESERVE, QUANTITY, Strategy};
use crate::knowledge::pack::crds::validations::INTEGER_OR_STRING;
use crate::knowledge::release::GroupKind;

/// The named schemas of one release.
#[derive(Debug, Default)]
pub(super) struct Published {
    /// The schemas, by their names; a `$ref` in them ends with the name of another one.
    pub(super) schemas: BTreeMap<String, Value>,
    /// The name of the schema of each version of a kind.
    pub(super) kinds: BTreeMap<(GroupKind, String), String>,
    /// The scopes of kinds, as far as they are known.
    pub(super) scopes: BTreeMap<GroupKind, Scope>,
}

/// Makes required fields of the schemas of several releases optional, where a release does not require them.
pub(super) fn relax<'p>(releases: impl IntoIterator<Item = &'p mut Published>) {
    let mut releases: Vec<&mut Published> = releases.into_iter().collect();
    let mut optional: BTreeSet<(String, String)> = BTreeSet::new();
    for (name, schema) in releases.iter().flat_map(|release| &release.schemas) {
        let required = required(schema);
        let fields = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        let fields = fields.filter(|(field, _)| !required.contains(&field.as_str()));
        optional.extend(fields.map(|(field, _)| (name.clone(), field.clone())));
    }
    for (name, schema) in releases.iter_mut().flat_map(|release| &mut release.schemas) {
        if let Some(Value::Array(required)) = schema.get_mut("required") {
            let is_optional = |field: &str| optional.contains(&(name.clone(), field.to_owned()));
            required.retain(|field| !field.as_str().is_some_and(is_optional));
        }
    }
}

fn required(schema: &Value) -> Vec<&str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

impl Published {
    /// Returns the definition of each kind of `groups`, for the bundle of the release.
    pub(super) fn definitions(
        &self,
        groups: &[String],
        lifecycle: &Lifecycle,
        bundle: &str,
    ) -> Result<Vec<Definition>> {
        let mut versions: BTreeMap<&GroupKind, Vec<DefinedVersion>> = BTreeMap::new();
        let known =
            self.kinds.iter().filter(|((kind, _), schema)| groups.contains(&kind.group) && self.is_object(schema));
        for ((kind, name), schema) in known {
            let stages = lifecycle.of(kind, name);
            let served = stages.map(|stages| stages.is_served(bundle)).transpose()?.unwrap_or(true);
            let deprecated = stages.map(|stages| stages.is_deprecated(bundle)).transpose()?.unwrap_or(false);
            let schema = self.expanded(&self.schemas[schema], &mut vec![schema]).with_context(|| kind.to_string())?;
            let (fields, notes) = crd::walked(Some(&schema));
            let name = name.clone();
            let version = DefinedVersion { name, served, storage: false, deprecated, fields, notes };
            versions.entry(kind).or_default().push(version);
        }
        let scope = |kind: &GroupKind, versions: &[DefinedVersion]| {
            let listed = versions.iter().find_map(|version| lifecycle.of(kind, &version.name)?.scope);
            listed.or_else(|| self.scopes.get(kind).copied())
        };
        let definition = |(kind, versions): (&GroupKind, Vec<DefinedVersion>)| {
            let scope = scope(kind, &versions);
            // No document says what the code of an API server converts; the rules of the pack do.
            Definition { kind: kind.clone(), scope, strategy: Strategy::None, versions }
        };
        Ok(versions.into_iter().map(definition).collect())
    }

    /// Returns whether a schema is that of an object: its metadata is that of one.
    fn is_object(&self, name: &str) -> bool {
        let metadata = self.schemas.get(name).and_then(|schema| schema.pointer("/properties/metadata"));
        metadata.and_then(reference).is_some_and(|name| is_called(name, "ObjectMeta"))
    }

    /// Replaces every `$ref` below `schema`, which is inside the schemas `above`.
    fn expanded<'s>(&'s self, schema: &'s Value, above: &mut Vec<&'s str>) -> Result<Value> {
        let Some(schema) = schema.as_object() else { return Ok(json!({})) };
        let mut made = match reference(&Value::Object(schema.clone())).map(str::to_owned) {
            Some(name) => self.named(&name, above)?,
            None => special(schema).unwrap_or_default(),
        };
        for (keyword, value) in schema.iter().filter(|(keyword, _)| !OMITTED.contains(&keyword.as_str())) {
            let value = match keyword.as_str() {
                "allOf" if reference_in(schema).is_some() => continue,
                "oneOf" | "anyOf" | "format" | "type"
                    if made.contains_key(QUANTITY) || made.contains_key(INTEGER_OR_STRING) =>
                {
                    continue;
                }
                "default" if is_zero(value) => continue,
                "properties" => self.properties(value, above)?,
                "items" | "additionalProperties" if value.is_object() => self.expanded(value, above)?,
                _ => value.clone(),
            };
            made.insert(keyword.clone(), value);
        }
        let keys = schema.get("x-kubernetes-list-map-keys").and_then(Value::as_array).map(Vec::as_slice);
        if let (Some([key]), false) = (keys, made.contains_key(MERGE_KEY)) {
            made.insert(MERGE_KEY.to_owned(), key.clone());
        }
        let holds_nothing = ["properties", "additionalProperties"].iter().all(|keyword| !made.contains_key(*keyword));
        if made.get("type").is_some_and(|kind| kind == "object") && holds_nothing {
            made.insert(PRESERVE.to_owned(), Value::Bool(true));
        }
        Ok(Value::Object(made))
    }

    fn properties<'s>(&'s self, properties: &'s Value, above: &mut Vec<&'s str>) -> Result<Value> {
        let properties = properties.as_object().into_iter().flatten();
        let made = properties.map(|(key, value)| Ok((key.clone(), self.expanded(value, above)?)));
        Ok(Value::Object(made.collect::<Result<_>>()?))
    }

    /// Returns the schema `name`, without what does not concern a field that has it.
    fn named<'s>(&'s self, name: &str, above: &mut Vec<&'s str>) -> Result<Map<String, Value>> {
        if let Some(made) = well_known(name) {
            return Ok(made);
        }
        let (name, schema) = self.schemas.get_key_value(name).with_context(|| format!("there is no schema {name}"))?;
        if above.contains(&name.as_str()) {
            return Ok(anything(schema.get("properties").is_some()));
        }
        above.push(name);
        let made = self.expanded(schema, above)?;
        above.pop();
        Ok(made.as_object().cloned().unwrap_or_default())
    }
}

/// The keywords that say nothing about the values of a field.
const OMITTED: [&str; 8] = [
    "$ref",
    "description",
    "x-kubernetes-group-version-kind",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-patch-strategy",
    "x-kubernetes-selectable-fields",
    "x-kubernetes-unions",
];

/// Returns the name of the schema that a schema refers to.
fn reference(schema: &Value) -> Option<&str> {
    reference_in(schema.as_object()?)
}

/// Finds `$ref`, also where `allOf` is around it so that other keywords can be beside it.
fn reference_in(schema: &Map<String, Value>) -> Option<&str> {
    let only = || match schema.get("allOf").and_then(Value::as_array).map(Vec::as_slice) {
        Some([one]) => one.get("$ref"),
        _ => None,
    };
    let path = schema.get("$ref").or_else(only)?.as_str()?;
    path.rsplit('/').next()
}

/// Returns whether `name` is that of the Go type `base` in some package.
fn is_called(name: &str, base: &str) -> bool {
    name.rsplit('.').next() == Some(base)
}

/// Returns what a schema stands for that is known by its name: the Go types with their own form in JSON.
fn well_known(name: &str) -> Option<Map<String, Value>> {
    if is_called(name, "Quantity") {
        Some(keyword(QUANTITY))
    } else if is_called(name, "IntOrString") {
        Some(keyword(INTEGER_OR_STRING))
    } else if is_called(name, "RawExtension") || is_called(name, "FieldsV1") {
        Some(anything(true))
    } else {
        None
    }
}

/// Returns what a schema stands for that is known by its format.
fn special(schema: &Map<String, Value>) -> Option<Map<String, Value>> {
    schema.get("format").is_some_and(|format| format == "int-or-string").then(|| keyword(INTEGER_OR_STRING))
}

fn keyword(name: &str) -> Map<String, Value> {
    [(name.to_owned(), Value::Bool(true))].into_iter().collect()
}

/// Returns a schema that accepts every value, or every mapping.
fn anything(is_mapping: bool) -> Map<String, Value> {
    let mut made = keyword(PRESERVE);
    if is_mapping {
        made.insert("type".to_owned(), json!("object"));
    }
    made
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(is) => !is,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
    }
}
