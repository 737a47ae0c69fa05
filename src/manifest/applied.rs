//! Which folders does an object have Flux or Argo CD apply?
//!
//! Paths with a pattern or a placeholder name no one folder, and an empty one names the whole repository: such are left out.

use std::sync::LazyLock;

use serde_json::Value;

use super::kustomization::join;
use super::object::is_list;
use crate::field::FieldPattern;
use crate::release::ApiVersion;

/// The fields with the folders of a Flux Kustomization, an Application and an ApplicationSet.
///
/// Source: the references of Flux (`Kustomization`) and of Argo CD (`Application`, `ApplicationSet`).
static FIELDS: LazyLock<[Vec<FieldPattern>; 3]> = LazyLock::new(|| {
    let fields: [&[&str]; 3] = [
        &["spec.path"],
        &["spec.source.path", "spec.sources[].path"],
        &["spec.template.spec.source.path", "spec.template.spec.sources[].path"],
    ];
    fields.map(|fields| fields.iter().map(|field| FieldPattern::parse(field).expect("it is a pattern")).collect())
});

/// Returns the folders that the objects of a document name, from the root of the repository.
pub(super) fn folders(document: &Value) -> Vec<String> {
    if is_list(document) {
        let items = document.get("items").and_then(Value::as_array).into_iter().flatten();
        return items.flat_map(folders).collect();
    }
    let text = |key: &str| document.get(key).and_then(Value::as_str).unwrap_or_default();
    let group = ApiVersion::parse(text("apiVersion")).group;
    let fields = match (group.as_str(), text("kind")) {
        ("kustomize.toolkit.fluxcd.io", "Kustomization") => &FIELDS[0],
        ("argoproj.io", "Application") => &FIELDS[1],
        ("argoproj.io", "ApplicationSet") => &FIELDS[2],
        _ => return Vec::new(),
    };
    let paths = fields.iter().flat_map(|field| field.values(document)).filter_map(Value::as_str);
    let named = paths.filter(|path| !path.contains(['{', '*', '$'])).map(|path| join("", path.trim_start_matches('/')));
    named.filter(|path| !path.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn folders_are_named_from_the_root_of_the_repository() {
        let flux = |path: &str| json!({"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization", "spec": {"path": path}});
        for (path, expected) in
            [("./apps/live/", Some("apps/live")), ("/apps", Some("apps")), ("./", None), ("apps/${cluster}", None)]
        {
            assert_eq!(folders(&flux(path)).first().map(String::as_str), expected, "{path}");
        }
        let sources = json!([{"path": "a"}, {"chart": "b"}, {"path": "{{path}}"}]);
        let application =
            json!({"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "spec": {"sources": sources}});
        let set = json!({"apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet", "spec": {"template": {"spec": {"source": {"path": "c"}}}}});
        let list = json!({"apiVersion": "v1", "kind": "List", "items": [application, set]});
        assert_eq!(folders(&list), ["a", "c"]);
        assert!(folders(&json!({"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "spec": {"path": "a"}})).is_empty());
    }
}
