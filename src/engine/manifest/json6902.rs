//! Answers: where does a JSON patch (RFC 6902) mention known objects?
//!
//! Such a patch is a list of operations, each with a `path` into an object that is named elsewhere. The value under `value` is a
//! piece of that object. A mapping in it with a group and a kind is a reference like any other, and the patch is taken for an
//! object so that it follows; what else is a group or a kind may have to follow the release, and the patch does not show which object
//! it is part of: [`mentioning`] finds it.
//!
//! Invariant: a JSON patch is recognized by its shape.

use serde_json::Value;

use super::embedded::is_complete;
use super::recognizer::Recognizer;
use crate::syntax::field::Entries;

/// Returns whether a document is a JSON patch.
pub(super) fn is_one(document: &Value) -> bool {
    let is_operation = |item: &Value| item.text("op").is_some() && item.text("path").is_some();
    document.as_array().is_some_and(|items| !items.is_empty() && items.iter().all(is_operation))
}

/// Returns the numbers of the operations that mention known groups or kinds outside of a reference, but for those that are a text which
/// is `settled`.
pub(crate) fn mentioning(patch: &[Value], recognizer: &Recognizer, settled: &dyn Fn(&str) -> bool) -> Vec<usize> {
    let items = patch.iter().enumerate();
    let mentioning =
        items.filter(|(_, item)| item.get("value").is_some_and(|value| mentions(value, recognizer, settled)));
    mentioning.map(|(index, _)| index).collect()
}

/// Returns whether a value gives a known group or kind elsewhere than in a reference; in texts that are `settled`, only as an object.
pub(super) fn mentions(value: &Value, recognizer: &Recognizer, settled: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Value::String(text) => {
            let is_mention = recognizer.mentions_group(text.as_bytes()) || recognizer.is_known_kind(None, text);
            is_mention && !settled(text)
        }
        Value::Array(items) => items.iter().any(|item| mentions(item, recognizer, settled)),
        Value::Object(map) if is_complete(map, recognizer) => true,
        Value::Object(map) => {
            let is_kind = |key: &str| ["group", "apiGroup", "apiVersion", "kind"].contains(&key);
            let given = map.keys().filter(|key| is_kind(key)).count();
            let is_reference = given == 2 && map.contains_key("kind") && !map.contains_key("metadata");
            let mut others = map.iter().filter(|(key, _)| !(is_reference && is_kind(key)));
            others.any(|(_, value)| mentions(value, recognizer, settled))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
