//! Where in an object can a mapping name another object?

use serde_json::{Map, Value};

use crate::field::PathRef;

/// Returns the top-level keys of an object that can contain references: not its metadata, not the data of a ConfigMap, not the
/// schemas of a CustomResourceDefinition. An object without kind is a kustomization.
pub(crate) fn reference_roots(object: &Value) -> &'static [&'static str] {
    let text = |key: &str| object.get(key).and_then(Value::as_str);
    match text("kind") {
        Some("CustomResourceDefinition") => &[],
        None => &["patches", "patchesJson6902", "replacements"],
        Some("Kustomization" | "Component")
            if text("apiVersion").is_none_or(|version| version.starts_with("kustomize.config.k8s.io/")) =>
        {
            &["patches", "patchesJson6902", "replacements"]
        }
        Some(_) => &["spec"],
    }
}

/// Visits every mapping in `value`, which stands at `at`.
pub(crate) fn walk<'v>(
    value: &'v Value,
    at: &PathRef<'_>,
    visit: &mut dyn FnMut(&PathRef<'_>, &'v Map<String, Value>),
) {
    match value {
        Value::Object(map) => {
            visit(at, map);
            map.iter().for_each(|(key, value)| walk(value, &PathRef::key(Some(at), key), visit));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| walk(item, &PathRef::index(Some(at), index), visit));
        }
        _ => {}
    }
}

/// Returns whether the value of `key` is more than a name. A label selector names objects too.
pub(crate) fn holds_body(key: &str, value: &Value) -> bool {
    let selects = ["selector", "labelSelector", "matchLabels", "labels"].contains(&key);
    !selects && (value.is_object() || value.is_array())
}
