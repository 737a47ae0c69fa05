//! The checks of crdify and of OpenShift's crd-schema-checker, as the documentation of the two describes them: each has a case here, and
//! a row in the page.

use std::fs;

use serde_json::{Value, json};

use super::{crd, found, version};
use crate::support::root;

/// A check of a peer: what it complains of, and which check finds that here.
struct Peer {
    name: &'static str,
    old: Value,
    new: Value,
    expected: &'static str,
}

/// Makes a check about the schema of one field.
fn field(name: &'static str, old: &Value, new: &Value, expected: &'static str) -> Peer {
    let whole = |schema: &Value| crd(&json!({"versions": [version("v1", &json!({"a": schema}))]}));
    Peer { name, old: whole(old), new: whole(new), expected }
}

/// Makes a check about the CRD.
fn whole(name: &'static str, new: &Value, expected: &'static str) -> Peer {
    Peer { name, old: crd(&json!({})), new: crd(new), expected }
}

fn crdify() -> Vec<Peer> {
    let text = |more: Value| {
        let mut schema = json!({"type": "string"});
        super::merge(&mut schema, &more);
        schema
    };
    let number = |more: Value| {
        let mut schema = json!({"type": "integer"});
        super::merge(&mut schema, &more);
        schema
    };
    let list = |more: Value| {
        let mut schema = json!({"type": "array", "items": {"type": "string"}});
        super::merge(&mut schema, &more);
        schema
    };
    let map = |more: Value| {
        let mut schema = json!({"type": "object", "additionalProperties": {"type": "string"}});
        super::merge(&mut schema, &more);
        schema
    };
    let plain = text(json!({}));
    let mut stored = crd(&json!({"versions": [version("v1", &json!({})), version("v2", &json!({}))]}));
    stored["spec"]["versions"][1]["storage"] = false.into();
    stored["status"] = json!({"storedVersions": ["v1", "v2"]});
    let required = |names: &[&str]| {
        let mut one = version("v1", &json!({"a": {"type": "string"}}));
        one["schema"]["openAPIV3Schema"]["properties"]["spec"]["required"] = json!(names);
        crd(&json!({"versions": [one]}))
    };
    vec![
        whole("scope", &json!({"scope": "Cluster"}), "crd-scope"),
        field(
            "existingFieldRemoval",
            &json!({"properties": {"b": plain}}),
            &json!({"properties": {}}),
            "crd-field-removed",
        ),
        Peer { name: "storedVersionRemoval", old: stored, new: crd(&json!({})), expected: "crd-stored-version" },
        field("enum", &text(json!({"enum": ["a", "b"]})), &text(json!({"enum": ["a"]})), "crd-enum"),
        field("default", &text(json!({"default": "a"})), &text(json!({"default": "b"})), "crd-default"),
        field("maximum", &number(json!({"maximum": 9})), &number(json!({"maximum": 8})), "crd-bound"),
        field("minimum", &number(json!({"minimum": 1})), &number(json!({"minimum": 2})), "crd-bound"),
        field("maxItems", &list(json!({"maxItems": 9})), &list(json!({"maxItems": 8})), "crd-bound"),
        field("minItems", &list(json!({})), &list(json!({"minItems": 1})), "crd-bound"),
        field("maxLength", &text(json!({"maxLength": 9})), &text(json!({"maxLength": 8})), "crd-bound"),
        field("minLength", &text(json!({})), &text(json!({"minLength": 1})), "crd-bound"),
        field("maxProperties", &map(json!({"maxProperties": 9})), &map(json!({"maxProperties": 8})), "crd-bound"),
        field("minProperties", &map(json!({})), &map(json!({"minProperties": 1})), "crd-bound"),
        Peer { name: "required", old: required(&[]), new: required(&["a"]), expected: "crd-required" },
        field("type", &plain, &number(json!({})), "crd-type"),
        field("description", &plain, &text(json!({"description": "a"})), "crd-description"),
        field("pattern", &plain, &text(json!({"pattern": "^a"})), "crd-pattern"),
        field("nullable", &text(json!({"nullable": true})), &plain, "crd-nullable"),
        field("format", &plain, &text(json!({"format": "date"})), "crd-format"),
        field("uniqueItems", &list(json!({})), &list(json!({"uniqueItems": true})), "crd-unique-items"),
        field("anyOf", &plain, &text(json!({"anyOf": [{"minLength": 1}]})), "crd-combination"),
        field("oneOf", &plain, &text(json!({"oneOf": [{"minLength": 1}]})), "crd-combination"),
        field("allOf", &plain, &text(json!({"allOf": [{"minLength": 1}]})), "crd-combination"),
        field("not", &plain, &text(json!({"not": {"minLength": 9}})), "crd-combination"),
        field(
            "exclusiveMaximum",
            &number(json!({"maximum": 9})),
            &number(json!({"maximum": 9, "exclusiveMaximum": true})),
            "crd-bound",
        ),
        field("xvalidations", &plain, &text(json!({"x-kubernetes-validations": [{"rule": "self != ''"}]})), "crd-rule"),
    ]
}

fn schema_checker() -> Vec<Peer> {
    let plain = json!({"type": "string"});
    let new = |name, schema: Value, expected| {
        let versions = json!({"versions": [version("v1", &json!({"a": schema}))]});
        whole(name, &versions, expected)
    };
    let under = |name: &str, schema: Value| {
        let mut one = version("v1", &json!({}));
        one["schema"]["openAPIV3Schema"]["properties"]["status"] =
            json!({"type": "object", "properties": {name: schema}});
        json!({"versions": [one]})
    };
    let conditions = json!({"type": "array", "items": {"type": "object"}, "x-kubernetes-list-type": "atomic"});
    let mut required = version("v1", &json!({"a": plain}));
    required["schema"]["openAPIV3Schema"]["properties"]["spec"]["required"] = json!(["a"]);
    vec![
        field("NoFieldRemoval", &json!({"properties": {"b": plain}}), &json!({"properties": {}}), "crd-field-removed"),
        field("NoEnumRemoval", &json!({"enum": ["a", "b"]}), &json!({"enum": ["b"]}), "crd-enum"),
        field("NoDataTypeChange", &plain, &json!({"type": "integer"}), "crd-type"),
        whole("NoNewRequiredFields", &json!({"versions": [required]}), "crd-required"),
        whole("MustHaveStatus", &under("a", plain.clone()), "crd-no-status"),
        new("ListsMustHaveSSATags", json!({"type": "array", "items": plain}), "crd-list-without-type"),
        whole("ConditionsMustHaveProperSSATags", &under("conditions", conditions), "crd-conditions"),
        new("NoBools", json!({"type": "boolean"}), "crd-bool"),
        new("NoFloats", json!({"type": "number"}), "crd-float"),
        new("NoMaps", json!({"type": "object", "additionalProperties": plain}), "crd-map"),
        new("NoUints", json!({"type": "integer", "format": "uint32"}), "crd-uint"),
        new(
            "MustNotExceedCostBudget",
            json!({"type": "array", "items": plain, "x-kubernetes-validations": [{"rule": "self.all(x, self.exists_one(y, y == x))"}]}),
            "crd-rule-cost",
        ),
    ]
}

/// Makes a policy that reports every check, those of designs too.
fn everything() -> String {
    let off = ["no-status", "list-without-type", "conditions", "bool", "float", "map", "uint"];
    let checks: String = off.iter().map(|name| format!("  crd-{name}: warning\n")).collect();
    format!("extends: kubernetes\nchecks:\n{checks}")
}

#[test]
fn what_a_peer_finds_is_found() {
    let folder = tempfile::TempDir::new().unwrap();
    let policy = folder.path().join("policy.yaml");
    fs::write(&policy, everything()).unwrap();
    for peer in crdify().into_iter().chain(schema_checker()) {
        let found = found(&[peer.old], &[peer.new], &["--policy", policy.to_str().unwrap()]);
        let codes: Vec<&str> = found.iter().filter_map(|line| line.split(' ').next()).collect();
        assert!(codes.contains(&peer.expected), "{}: {found:?}", peer.name);
    }
}

#[test]
fn the_page_names_each_check_of_the_peers() {
    let page = fs::read_to_string(root().join("docs/src/how-to/crd-check.md")).unwrap();
    for Peer { name, expected, .. } in crdify().into_iter().chain(schema_checker()) {
        let has = |line: &&str| line.contains(&format!("`{name}`")) && line.contains(&format!("`{expected}`"));
        assert!(page.lines().any(|line| line.starts_with('|') && has(&line)), "{name} is {expected}");
    }
}
