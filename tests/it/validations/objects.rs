//! Answers: which objects nearly pass, or nearly fail, a rule?
//!
//! Those of the fixtures of its pack, and those made of the rule's own by one small change: a value removed, repeated or replaced.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use reversion::internals::catalog::Catalog;
use reversion::internals::field::{FieldPath, FieldPattern};
use reversion::internals::release::GroupKind;
use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::support::root;

/// The most objects that a group of rules is compared on.
const MOST: usize = 400;

/// The length of an object that is not changed in many places.
const LONG: usize = 3000;

/// The objects of all fixtures of a pack.
pub(crate) struct Fixtures {
    /// With the path of their file.
    objects: Vec<(PathBuf, Value)>,
}

impl Fixtures {
    /// Reads the fixtures of a pack.
    pub(crate) fn read(pack: &str) -> Self {
        let mut objects = Vec::new();
        read(&folder(pack), &mut objects);
        Self { objects }
    }

    /// Returns the objects of `kind`, and those made of them by one change.
    pub(crate) fn all_near(&self, kind: &GroupKind, catalog: &Catalog) -> Vec<Value> {
        let group =
            |object: &Value| object["apiVersion"].as_str().is_some_and(|version| version.starts_with(&kind.group));
        let of_kind = self.objects.iter().map(|(_, object)| object);
        let of_kind = of_kind.filter(|object| object["kind"] == kind.kind.as_str() && group(object));
        let mut all: BTreeMap<String, Value> = BTreeMap::new();
        for object in of_kind.filter(|object| object["spec"].to_string().len() < LONG) {
            let near = changed(object, catalog).into_iter().chain([object.clone()]);
            all.extend(near.map(|one| (one["spec"].to_string(), one)));
        }
        let step = all.len().div_ceil(MOST);
        all.into_values().step_by(step.max(1)).collect()
    }

    /// Returns the objects of `kind` on which some rules are compared: each once, those with the kind's fields only.
    pub(crate) fn near(&self, ids: &BTreeSet<&str>, kind: &GroupKind, catalog: &Catalog) -> Vec<Value> {
        let of_kind = self.objects.iter().filter(|(_, object)| object["kind"] == kind.kind.as_str());
        let is_own = |path: &PathBuf| ids.iter().any(|id| path.starts_with(folder(id)));
        let mut all: BTreeMap<String, Value> = BTreeMap::new();
        for (path, object) in of_kind {
            let own = if is_own(path) && object["spec"].to_string().len() < LONG {
                changed(object, catalog)
            } else {
                Vec::new()
            };
            all.extend(own.into_iter().chain([object.clone()]).map(|one| (one["spec"].to_string(), one)));
        }
        let step = all.len().div_ceil(MOST);
        all.into_values().step_by(step.max(1)).collect()
    }
}

fn folder(of: &str) -> PathBuf {
    root().join("fixtures").join(of)
}

/// Reads the objects in all files below a folder.
fn read(folder: &Path, objects: &mut Vec<(PathBuf, Value)>) {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            read(&path, objects);
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            let text = fs::read_to_string(&path).unwrap();
            let documents = serde_yaml::Deserializer::from_str(&text).map_while(|one| Value::deserialize(one).ok());
            let items = documents.flat_map(|one| one["items"].as_array().cloned().unwrap_or_else(|| vec![one]));
            objects.extend(items.map(|object| (path.clone(), object)));
        }
    }
}

/// Returns every object that differs from `object` by one change below `spec`.
fn changed(object: &Value, catalog: &Catalog) -> Vec<Value> {
    let mut found = Vec::new();
    for (path, value) in walk(&object["spec"], &FieldPath::default().key("spec")) {
        let Some((parent, _)) = path.split_last() else { continue };
        let mut with = |change: &dyn Fn(&mut Value)| {
            let mut copy = object.clone();
            change(path.get_mut(&mut copy).unwrap());
            found.push(copy);
        };
        for other in replacements(&path.pattern(), value, catalog) {
            with(&|place| *place = other.clone());
        }
        if let Value::Array(items) = value {
            for item in items {
                with(&|place| place.as_array_mut().unwrap().push(item.clone()));
            }
        }
        if parent.steps().is_empty() {
            continue;
        }
        let mut copy = object.clone();
        match parent.get_mut(&mut copy) {
            Some(Value::Object(map)) => drop(map.shift_remove(path.last_key().unwrap())),
            Some(Value::Array(items)) => items.retain(|item| item != value),
            _ => continue,
        }
        found.push(copy);
    }
    found
}

/// Returns values to write instead of another one: those of its enum, and others of its type.
fn replacements(field: &FieldPattern, value: &Value, catalog: &Catalog) -> Vec<Value> {
    let of_enum = catalog.fields_of(field).filter_map(|field| field.attributes.allowed.clone()).flatten();
    let texts = [
        "a",
        "A_b",
        "a.example.com",
        "10.0.0.1",
        "::1",
        "*",
        "Hostname",
        "HTTP",
        "TCP",
        "/a",
        "/a b",
        "0s",
        "1s",
        "2h",
    ];
    let others = match value {
        Value::String(_) => texts.map(Value::from).to_vec(),
        Value::Number(_) => vec![json!(1), json!(80), json!(101)],
        Value::Bool(flag) => vec![json!(!flag)],
        Value::Array(_) => vec![json!([])],
        Value::Object(_) => vec![json!({})],
        Value::Null => Vec::new(),
    };
    of_enum.chain(others).collect()
}

/// Returns every place below `value` with the value there.
fn walk<'v>(value: &'v Value, path: &FieldPath) -> Vec<(FieldPath, &'v Value)> {
    let mut found = vec![(path.clone(), value)];
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| found.extend(walk(value, &path.key(key)))),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, value)| found.extend(walk(value, &path.index(index))));
        }
        _ => {}
    }
    found
}
