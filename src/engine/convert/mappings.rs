//! Where in an object can a mapping name another object?

use serde_json::{Map, Value};

use crate::engine::manifest::TRANSFORMERS;
use crate::syntax::field::{Entries, PathRef, each_child};

/// Returns the parts of an object that can contain references: not its metadata, not the data of a ConfigMap, not the schemas of a
/// CustomResourceDefinition. A list is a JSON patch or a list of replacements, an object without kind a kustomization, a replacement or a
/// configuration of Kustomize, or a file of Fleet.
pub(crate) fn reference_roots(object: &Value) -> Vec<(PathRef<'static>, &Value)> {
    const KUSTOMIZATION: &[&str] = &["patches", "patchesJson6902", "replacements", "vars", "labels"];
    if let Value::Array(items) = object {
        return items.iter().enumerate().map(|(index, item)| (PathRef::index(None, index), item)).collect();
    }
    let named = |keys: &'static [&'static str]| {
        keys.iter().filter_map(|key| Some((PathRef::key(None, key), object.get(*key)?))).collect::<Vec<_>>()
    };
    match (object.text("apiVersion"), object.text("kind")) {
        (_, Some("CustomResourceDefinition")) => Vec::new(),
        // `labels` is a list of both.
        (_, None) => {
            [&KUSTOMIZATION[..4], &["source", "targets", "diff"], &TRANSFORMERS].into_iter().flat_map(named).collect()
        }
        (version, Some("Kustomization" | "Component"))
            if version.is_none_or(|version| version.starts_with("kustomize.config.k8s.io/")) =>
        {
            named(KUSTOMIZATION)
        }
        (Some("builtin"), Some(_)) => named(&["target", "replacements", "fieldSpecs"]),
        _ => named(&["spec"]),
    }
}

/// Visits every mapping in `value`, which stands at `at`.
pub(crate) fn walk<'v>(
    value: &'v Value,
    at: &PathRef<'_>,
    visit: &mut dyn FnMut(&PathRef<'_>, &'v Map<String, Value>),
) {
    match value {
        Value::Object(map) => visit(at, map),
        Value::Array(_) => {}
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return,
    }
    each_child(value, Some(at), &mut |child, at| walk(child, at, visit));
}

/// Whether the value of `key` is more than a name. A label selector names objects too.
pub(super) fn holds_body(key: &str, value: &Value) -> bool {
    let selects = ["selector", "labelSelector", "matchLabels", "labels"].contains(&key);
    !selects && (value.is_object() || value.is_array())
}
