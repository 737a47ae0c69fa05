//! Answers: does a document hold replacements of Kustomize?
//!
//! A kustomization names such a file under `replacements`. It is no object, but names fields of objects, and is taken for one so
//! that they can follow.
//!
//! Invariant: a document is recognized by its shape, since the kustomization can be in a file that is not read.

use serde_json::Value;

use crate::syntax::field::Entries;

/// Returns whether a document is a replacement, or a list of them.
///
/// Source: Kustomize, `Replacement`.
pub(super) fn is_one(document: &Value) -> bool {
    let is_replacement = |value: &Value| {
        let has_source = ["source", "sourceValue"].iter().any(|key| value.entry(key).is_some());
        has_source && value.entry("targets").is_some_and(Value::is_array) && value.entry("apiVersion").is_none()
    };
    match document {
        Value::Array(items) => !items.is_empty() && items.iter().all(is_replacement),
        value => is_replacement(value),
    }
}
