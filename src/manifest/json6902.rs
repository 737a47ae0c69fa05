//! Answers: what does a JSON patch (RFC 6902) say about known objects?
//!
//! Such a file is a list of operations, each with a `path` into an object that another file names. What stands under `value` is
//! a piece of that object: a group or a kind in it may have to follow the release, and nothing here says which object it is.
//!
//! Invariant: nothing is converted; each operation that mentions a known group or kind is told.

use serde_json::Value;

use super::{Recognizer, whole_file};
use crate::field::FieldPath;
use crate::finding::{Code, Finding, Location, Severity};

/// Says whether a document is a JSON patch.
pub(super) fn is_one(document: &Value) -> bool {
    let text = |item: &Value, key: &str| item.get(key).and_then(Value::as_str).map(str::to_owned);
    let is_operation = |item: &Value| text(item, "op").zip(text(item, "path")).is_some();
    document.as_array().is_some_and(|items| !items.is_empty() && items.iter().all(is_operation))
}

/// Tells the operations of a JSON patch that mention known groups or kinds; `locate` returns where a field of it stands.
pub(super) fn findings(
    patch: &Value,
    recognizer: &Recognizer,
    locate: &dyn Fn(&FieldPath) -> Location,
) -> Vec<Finding> {
    let items = patch.as_array().into_iter().flatten().enumerate();
    let told = items.filter(|(_, item)| item.get("value").is_some_and(|value| mentions(value, recognizer)));
    let finding = |(index, item): (usize, &Value)| {
        let path = FieldPath::default().index(index).key("value");
        let place = item.get("path").and_then(Value::as_str).unwrap_or_default();
        let message = format!("a JSON patch writes a known group or kind to {place}; it is not converted");
        let help = "check by hand that the path, the group and the kind are those of the release that the patched object goes to";
        let location = locate(&path);
        let finding = whole_file(&location.file, Code::PatchTarget, message, help);
        Finding { location, severity: Severity::Warning, field: Some(path.to_string()), ..finding }
    };
    told.map(finding).collect()
}

/// Says whether a value gives a known group or kind.
pub(super) fn mentions(value: &Value, recognizer: &Recognizer) -> bool {
    match value {
        Value::String(text) => recognizer.hits(text.as_bytes()) || recognizer.knows(None, text),
        Value::Array(items) => items.iter().any(|item| mentions(item, recognizer)),
        Value::Object(map) => map.values().any(|value| mentions(value, recognizer)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
