//! Which labels does a kustomization write into the selectors and templates of an object?
//!
//! `commonLabels` and `labels` with `includeSelectors` write them to selectors and templates, `labels` with `includeTemplates` to templates
//! alone. Which fields these are depends on kind and group, and some are created where they are missing: a selector that a conversion adds
//! gets labels that the object had not in it. The labels of the object itself change with no conversion, and are left out here.
//!
//! Source: Kustomize, `LabelTransformer` and its default field specifications.

use serde_json::{Map, Value};

use crate::knowledge::release::ApiVersion;
use crate::syntax::field::Entries;

/// The kinds with such fields, as a pattern.
pub(super) const KINDS: &str =
    "CronJob|DaemonSet|Deployment|Job|NetworkPolicy|PodDisruptionBudget|ReplicaSet|StatefulSet";

/// A field that labels are written to.
struct Field {
    /// The group of the objects; any where it is none.
    group: Option<&'static str>,
    kinds: &'static [&'static str],
    path: &'static str,
    /// Whether it is created where it is missing; a list in the path never is.
    is_created: bool,
}

const fn field(
    group: Option<&'static str>,
    kinds: &'static [&'static str],
    path: &'static str,
    is_created: bool,
) -> Field {
    Field { group, kinds, path, is_created }
}

const TEMPLATES: [Field; 5] = [
    field(None, &["DaemonSet", "Deployment", "ReplicaSet"], "spec/template/metadata/labels", true),
    field(Some("apps"), &["StatefulSet"], "spec/template/metadata/labels", true),
    field(Some("batch"), &["Job"], "spec/template/metadata/labels", true),
    field(Some("batch"), &["CronJob"], "spec/jobTemplate/metadata/labels", true),
    field(Some("batch"), &["CronJob"], "spec/jobTemplate/spec/template/metadata/labels", true),
];

const SCALED: &[&str] = &["Deployment", "StatefulSet"];

const SELECTORS: [Field; 14] = [
    field(None, &["DaemonSet", "Deployment", "ReplicaSet"], "spec/selector/matchLabels", true),
    field(Some("apps"), &["StatefulSet"], "spec/selector/matchLabels", true),
    field(Some("apps"), &["StatefulSet"], "spec/volumeClaimTemplates/metadata/labels", true),
    field(
        Some("apps"),
        SCALED,
        "spec/template/spec/affinity/podAffinity/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector/matchLabels",
        false,
    ),
    field(
        Some("apps"),
        SCALED,
        "spec/template/spec/affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels",
        false,
    ),
    field(
        Some("apps"),
        SCALED,
        "spec/template/spec/affinity/podAntiAffinity/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector/matchLabels",
        false,
    ),
    field(
        Some("apps"),
        SCALED,
        "spec/template/spec/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels",
        false,
    ),
    field(Some("apps"), SCALED, "spec/template/spec/topologySpreadConstraints/labelSelector/matchLabels", false),
    field(Some("batch"), &["Job"], "spec/selector/matchLabels", false),
    field(Some("batch"), &["CronJob"], "spec/jobTemplate/spec/selector/matchLabels", false),
    field(Some("policy"), &["PodDisruptionBudget"], "spec/selector/matchLabels", false),
    field(Some("networking.k8s.io"), &["NetworkPolicy"], "spec/podSelector/matchLabels", false),
    field(Some("networking.k8s.io"), &["NetworkPolicy"], "spec/ingress/from/podSelector/matchLabels", false),
    field(Some("networking.k8s.io"), &["NetworkPolicy"], "spec/egress/to/podSelector/matchLabels", false),
];

/// Returns `object` with the labels of `own`, which is `commonLabels` or an entry of `labels`.
pub(super) fn written(own: &Value, object: &Value) -> Value {
    let mut made = object.clone();
    let entry = own.get("pairs").and_then(Value::as_object);
    let Some(labels) = entry.or_else(|| own.as_object()) else { return made };
    let in_selectors = entry.is_none() || own.get("includeSelectors") == Some(&Value::Bool(true));
    let (group, kind) = (
        ApiVersion::parse(object.text("apiVersion").unwrap_or_default()).group,
        object.text("kind").unwrap_or_default(),
    );
    let selectors = if in_selectors { &SELECTORS[..] } else { &[] };
    for field in TEMPLATES.iter().chain(selectors) {
        if field.kinds.contains(&kind) && field.group.is_none_or(|own| own == group) {
            let path: Vec<&str> = field.path.split('/').collect();
            write(&mut made, &path, field.is_created, labels);
        }
    }
    made
}

/// Adds `labels` at the end of `path`, in every item of the lists on it.
fn write(value: &mut Value, path: &[&str], is_created: bool, labels: &Map<String, Value>) {
    match (value, path) {
        (Value::Array(items), _) => items.iter_mut().for_each(|item| write(item, path, is_created, labels)),
        (Value::Object(map), [key, rest @ ..]) => {
            let is_list = *key == "volumeClaimTemplates";
            if is_created && !is_list && map.get(*key).is_none_or(Value::is_null) {
                map.insert((*key).to_owned(), Value::Object(Map::new()));
            }
            if let Some(inner) = map.get_mut(*key) {
                write(inner, rest, is_created, labels);
            }
        }
        (Value::Object(map), []) => {
            map.extend(labels.iter().map(|(key, value)| (key.clone(), value.clone())));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn labels_are_written_where_kind_and_group_have_fields_for_them() {
        let common = json!({"env": "prod"});
        let template = json!({"metadata": {"labels": {"app": "a"}}});
        let deployment =
            json!({"apiVersion": "extensions/v1beta1", "kind": "Deployment", "spec": {"template": template}});
        let made = written(&common, &deployment);
        assert_eq!(made["spec"]["selector"], json!({"matchLabels": {"env": "prod"}}));
        assert_eq!(made["spec"]["template"]["metadata"]["labels"], json!({"app": "a", "env": "prod"}));
        let in_templates = json!({"pairs": {"env": "prod"}, "includeTemplates": true});
        assert_eq!(written(&in_templates, &deployment)["spec"].get("selector"), None);
        // No selector is created for a budget, and none is known of a policy in its old group.
        let budget = json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "spec": {"minAvailable": 1}});
        assert_eq!(written(&common, &budget), budget);
        let policy = |group: &str| json!({"apiVersion": format!("{group}/v1"), "kind": "NetworkPolicy", "spec": {"ingress": [{"from": [{"podSelector": {"matchLabels": {}}}]}]}});
        assert_eq!(written(&common, &policy("extensions")), policy("extensions"));
        let made = written(&common, &policy("networking.k8s.io"));
        assert_eq!(made["spec"]["ingress"][0]["from"][0]["podSelector"]["matchLabels"], common);
        let set = json!({"apiVersion": "apps/v1", "kind": "StatefulSet", "spec": {"volumeClaimTemplates": [{}]}});
        assert_eq!(
            written(&common, &set)["spec"]["volumeClaimTemplates"],
            json!([{"metadata": {"labels": {"env": "prod"}}}])
        );
    }
}
