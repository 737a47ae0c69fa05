//! Answers: where does a file that configures Kustomize name known kinds?
//!
//! The files under `configurations` of a kustomization name fields by kind and path, and the schema under `openapi` gives the merge
//! keys of lists for each version of a kind. Neither is an object, and both are recognized by their shape.
//!
//! Invariant: nothing is converted; each place that names a known kind is reported, of a schema the first one.

use serde_json::Value;

use super::kustomization::selects;
use super::object::is_bare;
use super::problem::whole_file;
use super::recognizer::Recognizer;
use crate::field::{FieldPath, FieldPattern};
use crate::finding::{Code, Finding, Location, Severity};

/// The names of the transformers of a configuration.
///
/// Source: Kustomize, `TransformerConfig`.
const TRANSFORMERS: [&str; 10] = [
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
];

/// Reports the places of known kinds in a document that is a configuration or a schema; `locate` returns the location of a
/// field.
pub(super) fn findings(
    document: &Value,
    recognizer: &Recognizer,
    locate: &dyn Fn(&FieldPath) -> Location,
) -> Vec<Finding> {
    if !is_bare(document) {
        return Vec::new();
    }
    let report = |path: FieldPath, message: String, help: &str| {
        let location = locate(&path);
        let finding = whole_file(&location.file, Code::PatchTarget, message, help);
        Finding { location, severity: Severity::Warning, field: Some(path.to_string()), ..finding }
    };
    let kind = |place: &Value| place.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut found = Vec::new();
    for path in fields(document) {
        let Some(place) = path.get(document).filter(|place| selects(place, recognizer)) else { continue };
        let message = format!("a Kustomize configuration names {}; it is not converted", kind(place));
        found.push(report(path, message, "check the group, version, kind and field path by hand"));
    }
    let schemas = pattern("definitions{}[\"x-kubernetes-group-version-kind\"][]").matches(document);
    let known = schemas.into_iter().find(|path| path.get(document).is_some_and(|place| selects(place, recognizer)));
    if let Some((path, place)) = known.and_then(|path| Some((path.clone(), path.get(document)?))) {
        let message =
            format!("an OpenAPI schema names versions of known kinds such as {}; they are not converted", kind(place));
        found.push(report(
            path,
            message,
            "write the versions that the converted objects have: Kustomize looks up the merge keys of lists by version",
        ));
    }
    found
}

/// Returns the places in a configuration at which a kind can be.
fn fields(document: &Value) -> Vec<FieldPath> {
    let lists = TRANSFORMERS.iter().map(|name| pattern(&format!("{name}[]")));
    let has_path = |path: &FieldPath| path.get(document).is_some_and(|place| place.get("path").is_some());
    let mut found: Vec<FieldPath> = lists.flat_map(|list| list.matches(document)).filter(has_path).collect();
    for item in pattern("nameReference[]").matches(document) {
        let fields = FieldPattern::parse("fieldSpecs[]").expect("it is a pattern");
        let below = item.get(document).map(|item| fields.matches(item)).unwrap_or_default();
        if !below.is_empty() {
            found.extend(below.iter().map(|path| item.join(path)));
            found.push(item);
        }
    }
    found
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
    fn fields_of_known_kinds_are_reported() {
        let route = json!({"group": "example.com", "kind": "Route", "path": "spec/a"});
        let other = json!({"kind": "Other", "path": "spec/a"});
        check(json!({"namePrefix": [other, route]}), &["namePrefix[1]"]);
        check(
            json!({"nameReference": [{"kind": "Route", "fieldSpecs": [other, {"kind": "Route", "path": "a"}]}]}),
            &["nameReference[0].fieldSpecs[1]", "nameReference[0]"],
        );
        check(json!({"labels": [{"kind": "Route"}], "nameReference": [{"kind": "Route"}]}), &[]);
        check(json!({"apiVersion": "v1", "kind": "A", "namePrefix": [{"kind": "Route", "path": "a"}]}), &[]);
    }

    #[test]
    fn a_schema_is_reported_once() {
        let of = |group: &str| json!({"x-kubernetes-group-version-kind": [{"group": group, "version": "v1", "kind": "Route"}]});
        let path = "definitions.b.x-kubernetes-group-version-kind[0]";
        check(json!({"definitions": {"a": of("a.b"), "b": of("example.com"), "c": of("example.com")}}), &[path]);
        check(json!({"definitions": {"a": of("a.b")}}), &[]);
    }
}
