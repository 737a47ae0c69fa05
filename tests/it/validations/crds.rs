//! Answers: what do the CRDs of every release validate beyond the keywords of catalogs?
//!
//! Invariant: `status` is not read, because manifests have none, and descriptions are never kept.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use reversion::internals::fingerprint::Fingerprint;
use reversion::internals::release::{Channel, GroupKind, ReleaseId, ReleaseLine, ReleaseSet};
use serde::Deserialize as _;
use serde_json::{Map, Value};

/// The keywords that a catalog evaluates, those without effect on what is valid, and those that lists of validations name.
pub(crate) const KEYWORDS: [&str; 28] = [
    "additionalProperties",
    "default",
    "description",
    "enum",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "nullable",
    "pattern",
    "properties",
    "required",
    "type",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-validations",
    "allOf",
    "anyOf",
    "oneOf",
];

/// Where a validation is, and which one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) kind: GroupKind,
    pub(crate) path: String,
    pub(crate) id: String,
}

/// One validation of one field.
#[derive(Debug)]
pub(crate) struct Validation {
    /// The expression, or the schemas that are combined.
    content: Value,
    /// The releases and versions whose schema has it.
    versions: Vec<(ReleaseId, String)>,
}

impl Validation {
    /// Returns whether it only compares an object with the one that it replaces.
    pub(crate) fn is_about_changes(&self) -> bool {
        self.content.as_str().is_some_and(|rule| rule.contains("oldSelf"))
    }
}

/// The schemas of every release, by kind, release and version.
pub(crate) struct Crds {
    schemas: BTreeMap<(GroupKind, ReleaseId, String), Value>,
    validations: BTreeMap<Place, Validation>,
}

impl Crds {
    /// Reads `RELEASE/CHANNEL/*.yaml` and `RELEASE/*.yaml` for the releases of `line`.
    pub(crate) fn read(folder: &Path, line: &ReleaseLine) -> Self {
        let mut schemas = BTreeMap::new();
        for (id, release) in line.iter() {
            let own = folder.join(&line.bundles()[release.order]);
            let channel = own.join(release.channel.name());
            let folder = if release.channel == Channel::SINGLE && !channel.exists() { own } else { channel };
            for entry in fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
                let text = fs::read_to_string(entry.unwrap().path()).unwrap();
                for document in serde_yaml::Deserializer::from_str(&text) {
                    read_crd(&Value::deserialize(document).unwrap(), id, &mut schemas);
                }
            }
        }
        let mut crds = Self { schemas, validations: BTreeMap::new() };
        crds.validations = crds.collect();
        crds
    }

    fn collect(&self) -> BTreeMap<Place, Validation> {
        let mut found: BTreeMap<Place, Validation> = BTreeMap::new();
        self.for_each_field(|kind, (release, version), path, schema| {
            for content in contents(schema) {
                let place = Place { kind: kind.clone(), path: path.to_owned(), id: id(&content) };
                let validation = found.entry(place).or_insert_with(|| Validation { content, versions: Vec::new() });
                validation.versions.push((release, version.to_owned()));
            }
        });
        found
    }

    /// Calls `visit` with the kind, the release and version, the path and the schema of every field outside `status`.
    pub(crate) fn for_each_field(
        &self,
        mut visit: impl FnMut(&GroupKind, (ReleaseId, &str), &str, &Map<String, Value>),
    ) {
        for ((kind, release, version), schema) in &self.schemas {
            walk(schema, "", &mut |path, schema| visit(kind, (*release, version), path, schema));
        }
    }

    /// Returns the CEL rules and combinations of schemas.
    pub(crate) const fn validations(&self) -> &BTreeMap<Place, Validation> {
        &self.validations
    }

    /// Returns the schema of a kind in one release and version.
    pub(crate) fn schema(&self, kind: &GroupKind, release: ReleaseId, version: &str) -> &Value {
        &self.schemas[&(kind.clone(), release, version.to_owned())]
    }

    /// Returns the releases and versions that validate.
    pub(crate) fn versions<'c>(&'c self, place: &Place) -> impl Iterator<Item = (ReleaseId, &'c str)> + use<'c> {
        let versions = self.validations.get(place).map_or(&[][..], |validation| validation.versions.as_slice());
        versions.iter().map(|(release, version)| (*release, version.as_str()))
    }

    /// Returns the releases that validate.
    pub(crate) fn releases(&self, place: &Place) -> ReleaseSet {
        self.versions(place).map(|(release, _)| release).collect()
    }

    /// Words a validation for the person who has to list it.
    pub(crate) fn describe(&self, place: &Place) -> String {
        let Place { kind, path, id } = place;
        let content = self.validations.get(place).map_or(&Value::Null, |validation| &validation.content);
        format!("{id}\t{kind}\t{path}\t{content}")
    }
}

fn read_crd(crd: &Value, release: ReleaseId, schemas: &mut BTreeMap<(GroupKind, ReleaseId, String), Value>) {
    if crd["kind"] != "CustomResourceDefinition" {
        return;
    }
    let spec = &crd["spec"];
    let kind = GroupKind::new(spec["names"]["kind"].as_str().unwrap(), spec["group"].as_str().unwrap());
    for version in spec["versions"].as_array().unwrap() {
        let own = version.pointer("/schema/openAPIV3Schema");
        let schema = own.or_else(|| spec.pointer("/validation/openAPIV3Schema")).unwrap();
        let name = version["name"].as_str().unwrap().to_owned();
        schemas.insert((kind.clone(), release, name), schema.clone());
    }
}

/// Walks the fields of a schema: `spec.rules[]`, `spec.labels{}`.
fn walk(schema: &Value, path: &str, visit: &mut impl FnMut(&str, &Map<String, Value>)) {
    let Value::Object(map) = schema else { return };
    // `metadata` and the names of kind and version are checked by the API server itself.
    if !path.is_empty() {
        visit(path, map);
    }
    for (name, child) in map.get("properties").and_then(Value::as_object).into_iter().flatten() {
        if path.is_empty() && ["apiVersion", "kind", "metadata", "status"].contains(&name.as_str()) {
            continue;
        }
        let separator = if path.is_empty() { "" } else { "." };
        walk(child, &format!("{path}{separator}{name}"), visit);
    }
    if let Some(items) = map.get("items") {
        walk(items, &format!("{path}[]"), visit);
    }
    if let Some(values) = map.get("additionalProperties") {
        walk(values, &format!("{path}{{}}"), visit);
    }
}

/// Returns what a schema validates by CEL rules and combinations.
pub(crate) fn contents(schema: &Map<String, Value>) -> Vec<Value> {
    let rules = schema.get("x-kubernetes-validations").and_then(Value::as_array).into_iter().flatten();
    let rules =
        rules.map(|rule| Value::from(rule["rule"].as_str().unwrap().split_whitespace().collect::<Vec<_>>().join(" ")));
    let is_number_or_text = schema.contains_key("x-kubernetes-int-or-string");
    let keywords = ["allOf", "anyOf", "oneOf"].into_iter().filter(|_| !is_number_or_text);
    let combinations =
        keywords.filter_map(|keyword| Some(serde_json::json!({ keyword: sorted(schema.get(keyword)?) })));
    // A CRD can hold a rule twice.
    let mut all: Vec<Value> = Vec::new();
    rules.chain(combinations).for_each(|one| {
        if !all.contains(&one) {
            all.push(one)
        }
    });
    all
}

/// Sorts the keys of every mapping in a value.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let keys: BTreeMap<&String, &Value> = map.iter().collect();
            Value::Object(keys.into_iter().map(|(key, value)| (key.clone(), sorted(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        other => other.clone(),
    }
}

/// Returns the id of a validation, as catalogs write it: the beginning of the hash of its content.
pub(crate) fn id(content: &Value) -> String {
    let text = content.as_str().map_or_else(|| content.to_string(), str::to_owned);
    let fingerprint = Fingerprint::of(text.as_bytes()).to_string();
    fingerprint.split_once('-').unwrap().1[..12].to_owned()
}
