//! Answers: where does a JSON patch (RFC 6902) mention known objects?
//!
//! Such a patch is a list of operations, each with a `path` into an object that is named elsewhere. The value under `value` is a
//! piece of that object. A mapping in it with a group and a kind is a reference like any other, and the patch is taken for an
//! object so that it follows; what else is a group or a kind may have to follow the release, and the patch does not show which object
//! it is part of: [`findings`] reports it.
//!
//! Invariant: each operation that mentions a known group or kind outside of a reference is reported.

use serde_json::Value;

use super::object::Object;
use super::problem::whole_file;
use super::recognizer::Recognizer;
use crate::field::FieldPath;
use crate::finding::{Code, Finding, Location, Severity};
use crate::release::{ApiVersion, GroupKind};

/// Returns whether a document is a JSON patch.
pub(super) fn is_one(document: &Value) -> bool {
    let text = |item: &Value, key: &str| item.get(key).and_then(Value::as_str).map(str::to_owned);
    let is_operation = |item: &Value| text(item, "op").zip(text(item, "path")).is_some();
    document.as_array().is_some_and(|items| !items.is_empty() && items.iter().all(is_operation))
}

/// Makes the object of a JSON patch.
pub(super) fn object(document: usize, patch: Value) -> Object {
    let (kind, api_version) = (GroupKind::new("JSON patch", ""), ApiVersion::parse(""));
    let (inline_patch, place) = (None, FieldPath::default());
    Object { inline_patch, document, place, kind, api_version, namespace: None, name: None, value: patch.into() }
}

/// Reports the operations of a JSON patch that mention known groups or kinds outside of a reference; `locate` returns the location of a field.
pub(super) fn findings(
    patch: &Value,
    recognizer: &Recognizer,
    locate: &dyn Fn(&FieldPath) -> Location,
) -> Vec<Finding> {
    let items = patch.as_array().into_iter().flatten().enumerate();
    let mentioning = items.filter(|(_, item)| item.get("value").is_some_and(|value| mentions(value, recognizer)));
    let finding = |(index, item): (usize, &Value)| {
        let path = FieldPath::default().index(index).key("value");
        let place = item.get("path").and_then(Value::as_str).unwrap_or_default();
        let message = format!("a JSON patch writes a known group or kind to {place}; it is not converted");
        let help = "check by hand that the path, group and kind match the target release of the patched object";
        let location = locate(&path);
        let finding = whole_file(&location.file, Code::PatchTarget, message, help);
        Finding { location, severity: Severity::Warning, field: Some(path.to_string()), ..finding }
    };
    mentioning.map(finding).collect()
}

/// Returns whether a value gives a known group or kind elsewhere than in a reference.
pub(super) fn mentions(value: &Value, recognizer: &Recognizer) -> bool {
    match value {
        Value::String(text) => recognizer.mentions_group(text.as_bytes()) || recognizer.is_known_kind(None, text),
        Value::Array(items) => items.iter().any(|item| mentions(item, recognizer)),
        Value::Object(map) => {
            let is_kind = |key: &str| ["group", "apiGroup", "apiVersion", "kind"].contains(&key);
            let given = map.keys().filter(|key| is_kind(key)).count();
            let is_reference = given == 2 && map.contains_key("kind") && !map.contains_key("metadata");
            let mut others = map.iter().filter(|(key, _)| !(is_reference && is_kind(key)));
            others.any(|(_, value)| mentions(value, recognizer))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
