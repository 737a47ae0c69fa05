//! Answers: does a document configure Kustomize?
//!
//! The files under `configurations` of a kustomization name fields by kind and path, and the schema under `openapi` gives the merge
//! keys of lists for each version of a kind. Neither is an object, and both are recognized by their shape. A configuration is taken for
//! an object, so that its paths can follow.
//!
//! Invariant: a schema is not converted; the first place that names a known kind is reported.

use serde_json::Value;

use super::kustomization::selects;
use super::object::is_bare;
use super::recognizer::Recognizer;
use crate::engine::finding::{Code, Finding, Location, Severity};
use crate::syntax::field::{Entries, FieldPath, FieldPattern};

/// The names of the transformers of a configuration.
///
/// Source: Kustomize, `TransformerConfig`.
pub(crate) const TRANSFORMERS: [&str; 11] = [
    "namePrefix",
    "nameSuffix",
    "namespace",
    "commonLabels",
    "commonAnnotations",
    "labels",
    "templateLabels",
    "varReference",
    "images",
    "replicas",
    "nameReference",
];

/// Returns whether a document configures the transformers of Kustomize.
pub(super) fn is_one(document: &Value) -> bool {
    let names_field = |item: &Value| item.get("path").is_some() || item.get("fieldSpecs").is_some_and(Value::is_array);
    let names_fields = |list: &Value| list.as_array().is_some_and(|items| items.iter().any(names_field));
    is_bare(document) && TRANSFORMERS.iter().any(|name| document.entry(name).is_some_and(names_fields))
}

/// Reports the first known kind in a document that is a schema; `locate` returns the location of a field.
pub(super) fn findings(
    document: &Value,
    recognizer: &Recognizer,
    locate: &dyn Fn(&FieldPath) -> Location,
) -> Vec<Finding> {
    if !is_bare(document) {
        return Vec::new();
    }
    let schemas = pattern("definitions{}[\"x-kubernetes-group-version-kind\"][]").matches(document);
    let known = schemas.into_iter().find(|path| path.get(document).is_some_and(|place| selects(place, recognizer)));
    let Some((path, place)) = known.and_then(|path| Some((path.clone(), path.get(document)?))) else {
        return Vec::new();
    };
    let kind = place.text("kind").unwrap_or_default();
    let message = format!("an OpenAPI schema names versions of known kinds such as {kind}; they are not converted");
    let help =
        "write the versions that the converted objects have: Kustomize looks up the merge keys of lists by version";
    vec![Finding::new(locate(&path), Code::PatchTarget, Severity::Unresolved, message).at(path).help(help)]
}

fn pattern(text: &str) -> FieldPattern {
    FieldPattern::parse(text).expect("it is a pattern")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(document: Value, expected: &[&str]) {
        let recognizer = Recognizer::new(["example.com"]).with_kinds(["Route"]);
        let locate = |_: &FieldPath| Location { file: String::new(), position: None };
        let found = findings(&document, &recognizer, &locate);
        let fields: Vec<_> = found.iter().filter_map(|finding| finding.field.as_deref()).collect();
        assert_eq!(fields, expected);
    }

    #[test]
    fn a_configuration_is_recognized_by_its_fields() {
        let field = json!({"kind": "Route", "path": "spec/a"});
        assert!(is_one(&json!({"namePrefix": [{"kind": "Route"}, field]})));
        assert!(is_one(&json!({"nameReference": [{"kind": "Route", "fieldSpecs": [field]}]})));
        assert!(!is_one(&json!({"labels": [{"kind": "Route"}], "nameReference": [{"kind": "Route"}]})));
        assert!(!is_one(&json!({"apiVersion": "v1", "kind": "A", "namePrefix": [field]})));
    }

    #[test]
    fn a_schema_is_reported_once() {
        let of = |group: &str| json!({"x-kubernetes-group-version-kind": [{"group": group, "version": "v1", "kind": "Route"}]});
        let path = "definitions.b.x-kubernetes-group-version-kind[0]";
        check(json!({"definitions": {"a": of("a.b"), "b": of("example.com"), "c": of("example.com")}}), &[path]);
        check(json!({"definitions": {"a": of("a.b")}}), &[]);
    }
}
