//! Which objects of known groups are inside other data, where nothing converts them?
//!
//! Test data, values of charts (`extraObjects`), templates and the objects of tools that create other objects hold whole objects in
//! fields of their own. What they are for is not known, so they are left unchanged, and reported once for each file.
//!
//! Invariant: an object that is converted is not reported here.

use serde_json::{Map, Value};

use super::manifest::Manifest;
use super::object::is_list;
use super::problem::whole_file;
use super::recognizer::Recognizer;
use crate::engine::finding::{Code, Finding, Severity};
use crate::knowledge::release::ApiVersion;
use crate::syntax::field::{FieldPath, Step};
use crate::syntax::yaml::NodeId;

/// An object inside other data.
pub(super) struct Embedded {
    /// The document that it is in.
    pub(super) root: NodeId,
    pub(super) path: FieldPath,
    /// What findings call it.
    title: String,
}

/// The kind and name of an embedded object, with its path from the innermost step out.
type Found = (String, Vec<Step>);

/// Finds the outermost objects in a document, read from `root`, that are not objects of the document itself.
pub(super) fn find(root: NodeId, document: &Value, recognizer: &Recognizer) -> Vec<Embedded> {
    let embedded = |(title, steps): Found| Embedded { root, path: FieldPath::new(steps.into_iter().rev()), title };
    of_object(document, recognizer).into_iter().map(embedded).collect()
}

/// Finds those inside a value that is itself converted, where it is an object: a document, or an item of a list.
fn of_object(value: &Value, recognizer: &Recognizer) -> Vec<Found> {
    let (Value::Object(map), true) = (value, is_list(value)) else { return inside(value, recognizer) };
    let of_entry = |(key, value): (&String, &Value)| {
        let found = match value {
            Value::Array(items) if key == "items" => of_items(items, |item| of_object(item, recognizer)),
            _ => in_value(value, recognizer),
        };
        below(found, || Step::Key(key.clone()))
    };
    map.iter().flat_map(of_entry).collect()
}

/// Finds those in a value, which may be one.
fn in_value(value: &Value, recognizer: &Recognizer) -> Vec<Found> {
    match value {
        Value::Object(map) if is_complete(map, recognizer) => vec![(title(map), Vec::new())],
        _ => inside(value, recognizer),
    }
}

/// Finds those below a value.
fn inside(value: &Value, recognizer: &Recognizer) -> Vec<Found> {
    match value {
        Value::Object(map) => {
            let of_entry = |(key, value)| below(in_value(value, recognizer), || Step::Key(String::clone(key)));
            map.iter().flat_map(of_entry).collect()
        }
        Value::Array(items) => of_items(items, |item| in_value(item, recognizer)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

fn of_items(items: &[Value], find: impl Fn(&Value) -> Vec<Found>) -> Vec<Found> {
    items.iter().enumerate().flat_map(|(index, item)| below(find(item), || Step::Index(index))).collect()
}

fn below(mut found: Vec<Found>, step: impl Fn() -> Step) -> Vec<Found> {
    found.iter_mut().for_each(|(_, steps)| steps.push(step()));
    found
}

/// Returns whether a mapping is an object of a known group; a reference to one has neither `metadata` nor `spec`.
fn is_complete(map: &Map<String, Value>, recognizer: &Recognizer) -> bool {
    let text = |key: &str| map.get(key).and_then(Value::as_str);
    let (Some(api_version), Some(kind)) = (text("apiVersion"), text("kind")) else { return false };
    recognizer.is_known_kind(Some(&ApiVersion::parse(api_version).group), kind)
        && ["metadata", "spec"].iter().any(|key| map.get(*key).is_some_and(Value::is_object))
}

fn title(map: &Map<String, Value>) -> String {
    let kind = map.get("kind").and_then(Value::as_str).unwrap_or_default();
    match map.get("metadata").and_then(|metadata| metadata.get("name")).and_then(Value::as_str) {
        Some(name) => format!("{kind} {name}"),
        None => kind.to_owned(),
    }
}

/// Reports the embedded objects of a file.
pub(super) fn finding(manifest: &Manifest, embedded: &[Embedded]) -> Option<Finding> {
    let Embedded { root, path, title } = embedded.first()?;
    let message = match embedded.len() {
        1 => format!("an object of a known API is inside other data and is not converted: {title}, at {path}"),
        count => format!(
            "{count} objects of known APIs are inside other data and are not converted; the first is {title}, at {path}"
        ),
    };
    let help = "convert by hand what is there, and acknowledge it by a comment `# reversion: ignore[not-an-object] REASON`; or write it as documents of their own, which are converted";
    let (location, field) = (manifest.place(*root, path), Some(path.to_string()));
    let finding = whole_file(&manifest.file, Code::NotAnObject, message, help);
    Some(Finding { location, field, severity: Severity::Unresolved, ..finding })
}
