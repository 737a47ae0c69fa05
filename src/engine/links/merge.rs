//! What does Kustomize make of an object and a strategic merge patch of it?
//!
//! A patch is merged into an object of an API that Kustomize does not know key by key; lists and other values replace what was there.
//! Of some versions of workloads it knows by which keys the items of lists are merged.

use serde_json::{Map, Value};

use crate::knowledge::release::ApiVersion;
use crate::syntax::field::{Entries, FieldPath, Step};

/// The group, version and kinds of objects whose lists below are merged item by item; in other versions they are replaced.
///
/// Source: Kustomize 5, its schema of Kubernetes 1.21 (`x-kubernetes-patch-merge-key`).
const MERGED_BY_KEY: [(&str, &str, &[&str]); 4] = [
    ("", "v1", &["Pod", "PodTemplate", "ReplicationController"]),
    ("apps", "v1", &["DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"]),
    ("batch", "v1", &["CronJob", "Job"]),
    ("batch", "v1beta1", &["CronJob"]),
];

/// The lists of a pod whose items are merged.
const LISTS_WITH_KEYS: [&str; 7] = [
    "containers",
    "initContainers",
    "ephemeralContainers",
    "volumes",
    "imagePullSecrets",
    "hostAliases",
    "topologySpreadConstraints",
];

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

/// Returns whether Kustomize merges the lists of a patch of one of two objects by keys, and replaces those of the other: a patch with
/// such lists would build something else of the one that is converted.
pub(super) fn are_merged_differently(one: &Value, other: &Value, patch: &Value) -> bool {
    is_merged_by_key(one) != is_merged_by_key(other) && has_keyed_list(patch)
}

/// Returns whether Kustomize merges the lists of an object item by item.
fn is_merged_by_key(object: &Value) -> bool {
    let (Some(version), Some(kind)) = (object.text("apiVersion"), object.text("kind")) else { return false };
    let ApiVersion { group, version } = ApiVersion::parse(version);
    MERGED_BY_KEY.iter().any(|(known_group, known_version, kinds)| {
        group == *known_group && version == *known_version && kinds.contains(&kind)
    })
}

/// Returns whether a patch has a list whose items have keys.
fn has_keyed_list(patch: &Value) -> bool {
    let fields = patch.as_object().into_iter().flatten();
    fields
        .into_iter()
        .any(|(key, value)| value.is_array() && LISTS_WITH_KEYS.contains(&key.as_str()) || has_keyed_list(value))
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

    #[test]
    fn lists_of_workloads_have_keys_in_the_versions_that_kustomize_knows() {
        let object = |version: &str, kind: &str| json!({"apiVersion": version, "kind": kind});
        let pod = |list: &str| json!({"spec": {"template": {"spec": {list: []}}}});
        let differs = |kind, [old, new]: [&str; 2], list| {
            are_merged_differently(&object(old, kind), &object(new, kind), &pod(list))
        };
        assert!(differs("Deployment", ["apps/v1beta2", "apps/v1"], "containers"));
        assert!(differs("CronJob", ["batch/v1", "batch/v2alpha1"], "volumes"));
        assert!(!differs("CronJob", ["batch/v1beta1", "batch/v1"], "containers"));
        assert!(!differs("Deployment", ["apps/v1beta2", "apps/v1"], "tolerations"));
        assert!(!differs("Ingress", ["extensions/v1beta1", "networking.k8s.io/v1"], "containers"));
    }
}
