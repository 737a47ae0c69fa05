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

/// The lists of metadata whose items are merged in objects of all kinds that Kustomize knows.
const LISTS_OF_METADATA: [&str; 2] = ["finalizers", "ownerReferences"];

/// The groups of kinds that Kustomize knows in some of their versions, without `.k8s.io`.
///
/// Source: Kustomize 5, its schema of Kubernetes 1.21.
const BUILT_IN_GROUPS: [&str; 22] = [
    "",
    "admissionregistration",
    "apiextensions",
    "apiregistration",
    "apps",
    "authentication",
    "authorization",
    "autoscaling",
    "batch",
    "certificates",
    "coordination",
    "discovery",
    "events",
    "extensions",
    "flowcontrol.apiserver",
    "internal.apiserver",
    "networking",
    "node",
    "policy",
    "rbac.authorization",
    "scheduling",
    "storage",
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
    let has_list = |key: &str| LISTS_WITH_KEYS.contains(&key);
    let has_list_of_metadata = |key: &str| LISTS_OF_METADATA.contains(&key);
    is_merged_by_key(one) != is_merged_by_key(other) && has_keyed_list(patch, &has_list)
        || changes_built_in_version(one, other) && has_keyed_list(patch, &has_list_of_metadata)
}

/// Returns whether two objects have different apiVersions, of which Kustomize can know just one: it has the schemas of one release of Kubernetes.
fn changes_built_in_version(one: &Value, other: &Value) -> bool {
    let [old, new] = [one, other].map(|object| object.text("apiVersion").map(ApiVersion::parse));
    let is_built_in = |version: &Option<ApiVersion>| {
        version.as_ref().is_some_and(|version| {
            let name = version.group.strip_suffix(".k8s.io").unwrap_or(&version.group);
            BUILT_IN_GROUPS.contains(&name)
        })
    };
    old != new && (is_built_in(&old) || is_built_in(&new))
}

/// Returns whether Kustomize merges the lists of an object item by item.
fn is_merged_by_key(object: &Value) -> bool {
    let (Some(version), Some(kind)) = (object.text("apiVersion"), object.text("kind")) else { return false };
    let ApiVersion { group, version } = ApiVersion::parse(version);
    MERGED_BY_KEY.iter().any(|(known_group, known_version, kinds)| {
        group == *known_group && version == *known_version && kinds.contains(&kind)
    })
}

/// Returns whether a patch has a list that `is_one` by its key.
fn has_keyed_list(patch: &Value, is_one: &dyn Fn(&str) -> bool) -> bool {
    let mut fields = patch.as_object().into_iter().flatten();
    fields.any(|(key, value)| value.is_array() && is_one(key) || has_keyed_list(value, is_one))
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

    #[test]
    fn lists_of_metadata_are_merged_in_some_versions_of_built_in_kinds() {
        let object = |version: &str| json!({"apiVersion": version, "kind": "X"});
        let patch = json!({"metadata": {"finalizers": ["a/b"]}});
        let differs = |old: &str, new: &str| are_merged_differently(&object(old), &object(new), &patch);
        assert!(differs("autoscaling/v2beta2", "autoscaling/v2"));
        assert!(differs("extensions/v1beta1", "networking.k8s.io/v1"));
        assert!(!differs("autoscaling/v2", "autoscaling/v2"));
        assert!(!differs("gateway.networking.k8s.io/v1beta1", "gateway.networking.k8s.io/v1"));
        let labels = json!({"metadata": {"labels": {"a": "b"}}});
        assert!(!are_merged_differently(&object("batch/v1beta1"), &object("batch/v1"), &labels));
    }
}
