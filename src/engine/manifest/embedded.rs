//! Which objects of known groups are inside other data, where nothing converts them?
//!
//! Test data, values of charts (`extraObjects`), templates and the objects of tools that create other objects hold whole objects in
//! fields of their own. What they are for is not known, so they are left unchanged, and reported once for each file.
//!
//! Invariant: an object that is converted is not reported here.

use memchr::memmem;
use serde_json::{Map, Value};

use super::manifest::Manifest;
use super::object::is_list;
use super::problem::whole_file;
use super::recognizer::Recognizer;
use crate::engine::finding::{Code, Finding, Severity};
use crate::knowledge::release::ApiVersion;
use crate::syntax::field::{FieldPath, PathRef};
use crate::syntax::yaml::NodeId;

/// An object inside other data.
pub(super) struct Embedded {
    /// The document that it is in.
    pub(super) root: NodeId,
    pub(super) path: FieldPath,
    /// What findings call it.
    title: String,
}

/// Finds the outermost objects in a document of the text `text`, read from `root`, that are not objects of the document itself.
pub(super) fn find(root: NodeId, text: &str, document: &Value, recognizer: &Recognizer) -> Vec<Embedded> {
    let mut search = Search { root, recognizer, found: Vec::new() };
    // Most documents are one object, whose apiVersion is the only one; a key can be written with escapes.
    let is_alone = || memmem::find_iter(text.as_bytes(), "apiVersion").nth(1).is_none() && !text.contains('\\');
    if document.get("apiVersion").is_none() || !is_alone() {
        search.of_object(document, None);
    }
    search.found
}

/// A search for objects in a document.
struct Search<'r> {
    root: NodeId,
    recognizer: &'r Recognizer,
    found: Vec<Embedded>,
}

impl Search<'_> {
    /// Searches a value that is itself converted, where it is an object: a document, or an item of a list.
    fn of_object(&mut self, value: &Value, at: Option<&PathRef<'_>>) {
        let (Value::Object(map), true) = (value, is_list(value)) else { return self.inside(value, at) };
        for (key, value) in map {
            let at = PathRef::key(at, key);
            match value {
                Value::Array(items) if key == "items" => {
                    for (index, item) in items.iter().enumerate() {
                        self.of_object(item, Some(&PathRef::index(Some(&at), index)));
                    }
                }
                _ => self.of_value(value, &at),
            }
        }
    }

    /// Searches a value, which may be an object itself.
    fn of_value(&mut self, value: &Value, at: &PathRef<'_>) {
        match value {
            Value::Object(map) if is_complete(map, self.recognizer) => {
                self.found.push(Embedded { root: self.root, path: at.path(), title: title(map) });
            }
            _ => self.inside(value, Some(at)),
        }
    }

    /// Searches below a value.
    fn inside(&mut self, value: &Value, at: Option<&PathRef<'_>>) {
        match value {
            Value::Object(map) => map.iter().for_each(|(key, value)| self.of_value(value, &PathRef::key(at, key))),
            Value::Array(items) => {
                let items = items.iter().enumerate();
                items.for_each(|(index, item)| self.of_value(item, &PathRef::index(at, index)));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
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
