//! What does Kustomize make of an object and a strategic merge patch of it?
//!
//! A patch is merged into an object of an API that Kustomize does not know key by key; lists and other values replace what was there.

use serde_json::{Map, Value};

use crate::syntax::field::{FieldPath, Step};

/// Merges `patch` into `base`; `None` where the patch has a directive that changes how Kustomize merges.
///
/// Source: RFC 7396; Kustomize, strategic merge of kinds without a schema.
pub(super) fn merged(base: &Value, patch: &Value) -> Option<Value> {
    let Value::Object(patch) = patch else { return Some(patch.clone()) };
    if patch.keys().any(|key| key.starts_with("$patch") || key.starts_with("$retainKeys")) {
        return None;
    }
    let mut all = base.as_object().cloned().unwrap_or_else(Map::new);
    for (key, value) in patch {
        if value.is_null() {
            all.shift_remove(key);
        } else {
            let inner = merged(all.get(key).unwrap_or(&Value::Null), value)?;
            all.insert(key.clone(), inner);
        }
    }
    Some(Value::Object(all))
}

/// Returns what was merged into `base` with what a patch does not change: apiVersion, kind, name and namespace.
pub(super) fn with_identity_of(base: &Value, mut merged: Value) -> Value {
    for path in ["apiVersion", "kind", "metadata.name", "metadata.namespace"] {
        let path = FieldPath::new(path.split('.').map(|key| Step::Key(key.to_owned())));
        if let (Some(own), Some(field)) = (path.get(base), path.get_mut(&mut merged)) {
            field.clone_from(own);
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_patch_is_merged_key_by_key() {
        let base = json!({"a": {"b": 1, "c": 2}, "l": [1, 2], "x": 1});
        let patch = json!({"a": {"b": 3}, "l": [4], "x": null, "n": {"y": null, "z": 1}});
        let built = json!({"a": {"b": 3, "c": 2}, "l": [4], "n": {"z": 1}});
        assert_eq!(merged(&base, &patch), Some(built));
        assert_eq!(merged(&base, &json!({"a": {"$patch": "delete"}})), None);
    }
}
