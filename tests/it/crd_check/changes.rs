//! Each kind of change, in both directions.

use serde_json::{Value, json};

use super::{crd, found, version};
use crate::support::trees::Tree;

/// A field that changes: its schema on both sides, and what is found forward and backward.
pub(super) struct Case {
    name: &'static str,
    old: Value,
    new: Value,
    forward: &'static [&'static str],
    backward: &'static [&'static str],
}

pub(super) const fn case(
    name: &'static str,
    old: Value,
    new: Value,
    forward: &'static [&'static str],
    backward: &'static [&'static str],
) -> Case {
    Case { name, old, new, forward, backward }
}

/// Compares all cases in one CRD, each as a field of `spec`; `$` in what is expected is the field.
#[track_caller]
pub(super) fn check(cases: &[Case]) {
    let fields = |side: fn(&Case) -> &Value| {
        let fields = cases.iter().map(|case| (case.name.to_owned(), side(case).clone()));
        crd(&json!({"versions": [version("v1", &fields.collect())]}))
    };
    let (old, new) = ([fields(|case| &case.old)], [fields(|case| &case.new)]);
    let expected = |side: fn(&Case) -> &[&str]| {
        let lines = cases
            .iter()
            .flat_map(|case| side(case).iter().map(|line| line.replace('$', &format!("spec.{}", case.name))));
        let mut lines: Vec<String> = lines.collect();
        lines.sort();
        lines
    };
    assert_eq!(found(&old, &new, &[]), expected(|case| case.forward), "forward");
    assert_eq!(found(&new, &old, &[]), expected(|case| case.backward), "backward");
}

pub(super) fn text() -> Value {
    json!({"type": "string"})
}

pub(super) fn with(more: &Value) -> Value {
    let mut schema = text();
    super::merge(&mut schema, more);
    schema
}

fn list(more: &Value) -> Value {
    let mut schema = json!({"type": "array", "items": {"type": "string"}});
    super::merge(&mut schema, more);
    schema
}

#[test]
fn limits() {
    let numbers = |more: Value| {
        let mut schema = json!({"type": "integer"});
        super::merge(&mut schema, &more);
        schema
    };
    let map = |more: Value| {
        let mut schema = json!({"type": "object", "additionalProperties": {"type": "string"}});
        super::merge(&mut schema, &more);
        schema
    };
    let (wider, tighter): (&[&str], &[&str]) = (&["crd-bound $ loosened"], &["crd-bound $ tightened"]);
    check(&[
        case("maximum", numbers(json!({"maximum": 5})), numbers(json!({"maximum": 6})), wider, tighter),
        case("minimum", numbers(json!({"minimum": 1})), numbers(json!({})), wider, tighter),
        case("multiple", numbers(json!({"multipleOf": 2})), numbers(json!({})), wider, tighter),
        case(
            "exclusive",
            numbers(json!({"maximum": 5, "exclusiveMaximum": true})),
            numbers(json!({"maximum": 5})),
            wider,
            tighter,
        ),
        case(
            "sameEnd",
            numbers(json!({"minimum": 3, "exclusiveMinimum": true, "multipleOf": 1})),
            numbers(json!({"minimum": 4})),
            &[],
            &[],
        ),
        case(
            "anotherEnd",
            numbers(json!({"maximum": 9, "exclusiveMaximum": true})),
            numbers(json!({"maximum": 9})),
            wider,
            tighter,
        ),
        case("nothingShorter", with(&json!({"maxLength": -1})), with(&json!({})), wider, tighter),
        case("allLonger", with(&json!({"minLength": -1})), with(&json!({})), &[], &[]),
        case("any text", with(&json!({"pattern": ".*"})), with(&json!({})), &[], &[]),
        case("longest", with(&json!({"maxLength": 5})), with(&json!({"maxLength": 50})), wider, tighter),
        case("shortest", with(&json!({"minLength": 5})), with(&json!({"minLength": 1})), wider, tighter),
        case("fewest", list(&json!({"minItems": 1})), list(&json!({})), wider, tighter),
        case("most", list(&json!({"maxItems": 1})), list(&json!({})), wider, tighter),
        case("emptiest", map(json!({"minProperties": 1})), map(json!({})), wider, tighter),
        case("fullest", map(json!({"maxProperties": 1})), map(json!({"maxProperties": 2})), wider, tighter),
        case("zero", list(&json!({"minItems": 0})), list(&json!({})), &[], &[]),
    ]);
}

#[test]
fn values_and_texts() {
    check(&[
        case(
            "more",
            with(&json!({"enum": ["a"]})),
            with(&json!({"enum": ["b", "a"]})),
            &["crd-enum $ loosened"],
            &["crd-enum $ tightened"],
        ),
        case(
            "other",
            with(&json!({"enum": ["a", "b"]})),
            with(&json!({"enum": ["a", "c"]})),
            &["crd-enum $ tightened", "crd-enum $ loosened"],
            &["crd-enum $ tightened", "crd-enum $ loosened"],
        ),
        case("closed", with(&json!({"enum": ["a"]})), text(), &["crd-enum $ loosened"], &["crd-enum $ tightened"]),
        case(
            "words",
            with(&json!({"pattern": "^(a|b)$"})),
            with(&json!({"pattern": "^(a|b|c)$"})),
            &["crd-pattern $ loosened"],
            &["crd-pattern $ tightened"],
        ),
        case(
            "pattern",
            with(&json!({"pattern": "^a+$"})),
            with(&json!({"pattern": "^a*$"})),
            &["crd-pattern $ tightened"],
            &["crd-pattern $ tightened"],
        ),
        case(
            "format",
            with(&json!({"format": "date-time"})),
            text(),
            &["crd-format $ loosened"],
            &["crd-format $ tightened"],
        ),
        case(
            "null",
            text(),
            with(&json!({"nullable": true})),
            &["crd-nullable $ loosened"],
            &["crd-nullable $ tightened"],
        ),
        case(
            "default",
            text(),
            with(&json!({"default": "a"})),
            &["crd-default $ breaking"],
            &["crd-default $ breaking"],
        ),
        case(
            "description",
            text(),
            with(&json!({"description": "a"})),
            &["crd-description $ documentation"],
            &["crd-description $ documentation"],
        ),
    ]);
}

#[test]
fn types() {
    let either = json!({"x-kubernetes-int-or-string": true});
    check(&[
        case("other", text(), json!({"type": "integer"}), &["crd-type $ breaking"], &["crd-type $ breaking"]),
        case("wider", text(), either.clone(), &["crd-type $ loosened"], &["crd-type $ breaking"]),
        case(
            "number",
            json!({"type": "integer"}),
            json!({"type": "number"}),
            &["crd-type $ loosened"],
            &["crd-type $ breaking"],
        ),
        // What is in it is not compared.
        case(
            "list",
            list(&json!({})),
            json!({"type": "object", "properties": {"a": text()}}),
            &["crd-type $ breaking"],
            &["crd-type $ breaking"],
        ),
        case(
            "spelt",
            either,
            json!({"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": true}),
            &[],
            &[],
        ),
    ]);
}

#[test]
fn lists_and_objects() {
    let object = |more: Value| {
        let mut schema = json!({"type": "object"});
        super::merge(&mut schema, &more);
        schema
    };
    let keyed = |keys: &[&str]| {
        let items = json!({"type": "object", "required": ["a", "b"], "properties": {"a": text(), "b": text()}});
        list(&json!({"items": items, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys}))
    };
    let merged: &[&str] = &["crd-list-type $ breaking"];
    check(&[
        case(
            "kind",
            list(&json!({"x-kubernetes-list-type": "atomic"})),
            list(&json!({"x-kubernetes-list-type": "set"})),
            merged,
            merged,
        ),
        case("keys", keyed(&["a"]), keyed(&["a", "b"]), merged, merged),
        case("map", object(json!({"x-kubernetes-map-type": "atomic"})), object(json!({})), merged, merged),
        case("mergekey", list(&json!({"x-kubernetes-patch-merge-key": "a"})), list(&json!({})), merged, merged),
        case(
            "unique",
            list(&json!({"uniqueItems": true})),
            list(&json!({})),
            &["crd-unique-items $ loosened"],
            &["crd-invalid $ ", "crd-unique-items $ tightened"],
        ),
        case(
            "whole",
            object(json!({"x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true})),
            object(json!({"x-kubernetes-preserve-unknown-fields": true})),
            &["crd-embedded-resource $ loosened"],
            &["crd-embedded-resource $ tightened"],
        ),
        case(
            "open",
            object(json!({})),
            object(json!({"x-kubernetes-preserve-unknown-fields": true})),
            &["crd-unknown-fields $ loosened"],
            &["crd-unknown-fields $ tightened"],
        ),
        case("keyword", text(), with(&json!({"x-new": 1})), &["crd-keyword $ breaking"], &["crd-keyword $ breaking"]),
    ]);
}

#[test]
fn combinations_and_rules() {
    let [a, b] = ["a", "b"].map(|name| json!({"required": [name]}));
    let one = |keyword: &str, content: Value| json!({"type": "object", keyword: content});
    let rule = |text: &str| with(&json!({"x-kubernetes-validations": [{"rule": text}]}));
    let (wider, tighter): (&[&str], &[&str]) = (&["crd-combination $ loosened"], &["crd-combination $ tightened"]);
    check(&[
        case("any", one("anyOf", json!([a])), one("anyOf", json!([a, b])), wider, tighter),
        case("all", one("allOf", json!([a, b])), one("allOf", json!([b])), wider, tighter),
        case("one", one("oneOf", json!([a])), one("oneOf", json!([a, b])), tighter, tighter),
        case("oneOrMore", one("oneOf", json!([a, b])), one("anyOf", json!([b, a])), wider, tighter),
        case("oneOrOthers", one("oneOf", json!([a])), one("anyOf", json!([b, a])), wider, tighter),
        case(
            "oneOrNone",
            one("oneOf", json!([a, b])),
            one("anyOf", json!([a])),
            &["crd-combination $ loosened", "crd-combination $ tightened"],
            &["crd-combination $ loosened", "crd-combination $ tightened"],
        ),
        case("not", one("not", a.clone()), json!({"type": "object"}), wider, tighter),
        case("rule", rule("self != ''"), text(), &["crd-rule $ loosened"], &["crd-rule $ tightened"]),
        case(
            "alternative",
            rule("self == 'a'"),
            rule("self == 'a' || self == 'b'"),
            &["crd-rule $ loosened"],
            &["crd-rule $ tightened"],
        ),
    ]);
}

/// A map of anything is no map of texts, and no object without values.
#[test]
fn values_of_any_kind() {
    check(&[
        case(
            "anything",
            json!({"type": "object", "additionalProperties": true}),
            json!({"type": "object", "additionalProperties": text()}),
            &["crd-type ${} breaking"],
            &["crd-type ${} loosened"],
        ),
        case(
            "unnamed",
            json!({"type": "object", "additionalProperties": true}),
            json!({"type": "object"}),
            &["crd-field-removed ${} breaking"],
            &["crd-field-added ${} additive"],
        ),
    ]);
}

#[test]
fn fields() {
    let object = |fields: Value| json!({"type": "object", "properties": fields});
    let open =
        |fields: Value| json!({"type": "object", "properties": fields, "x-kubernetes-preserve-unknown-fields": true});
    let requiring = |names: &[&str], fields: Value| json!({"type": "object", "properties": fields, "required": names});
    check(&[
        case(
            "inner",
            object(json!({"a": text()})),
            object(json!({"a": text(), "other": {"type": "integer"}})),
            &["crd-field-added $.other additive"],
            &["crd-field-removed $.other breaking"],
        ),
        case(
            "items",
            json!({"type": "array", "items": object(json!({}))}),
            json!({"type": "array", "items": object(json!({"a": text()}))}),
            &["crd-field-added $[].a additive"],
            &["crd-field-removed $[].a breaking"],
        ),
        case(
            "values",
            json!({"type": "object"}),
            json!({"type": "object", "additionalProperties": text()}),
            &["crd-field-added ${} additive"],
            &["crd-field-removed ${} breaking"],
        ),
        case(
            "kept",
            open(json!({"a": text()})),
            open(json!({})),
            &["crd-field-removed $.a loosened"],
            &["crd-field-added $.a tightened"],
        ),
        case(
            "required",
            requiring(&[], json!({"a": text()})),
            requiring(&["a"], json!({"a": text()})),
            &["crd-required $.a tightened"],
            &["crd-required $.a loosened"],
        ),
        case(
            "demanded",
            object(json!({})),
            requiring(&["a"], json!({"a": text()})),
            &["crd-field-added $.a additive", "crd-required $.a tightened"],
            &["crd-field-removed $.a breaking"],
        ),
        case(
            "filled",
            object(json!({})),
            requiring(&["a"], json!({"a": {"type": "string", "default": "b"}})),
            &["crd-field-added $.a additive"],
            &["crd-field-removed $.a breaking"],
        ),
        case(
            "renamed",
            object(json!({"certificate": object(json!({"a": text()})), "b": text()})),
            object(json!({"secret": object(json!({"a": text()})), "b": text()})),
            &["crd-field-renamed $.certificate renamed"],
            &["crd-field-renamed $.secret renamed"],
        ),
        // Two texts with unlike names can be anything.
        case(
            "unlike",
            object(json!({"owner": text()})),
            object(json!({"frame": text()})),
            &["crd-field-removed $.owner breaking", "crd-field-added $.frame additive"],
            &["crd-field-removed $.frame breaking", "crd-field-added $.owner additive"],
        ),
    ]);
}

/// Compares two CRDs in both directions.
#[track_caller]
fn around(old: &Value, new: &Value, forward: &[&str], backward: &[&str]) {
    let (old, new) = (crd(old), crd(new));
    assert_eq!(changed(&old, &new), forward, "forward");
    assert_eq!(changed(&new, &old), backward, "backward");
}

/// Returns the changes that are found, without what else is wrong.
fn changed(old: &Value, new: &Value) -> Vec<String> {
    let mut lines = found(std::slice::from_ref(old), std::slice::from_ref(new), &[]);
    lines.retain(|line| !line.ends_with(' '));
    lines
}

#[test]
fn names_and_scope() {
    around(
        &json!({"names": {"kind": "Bike"}}),
        &json!({"names": {"kind": "Bicycle"}}),
        &["crd-names  breaking"],
        &["crd-names  breaking"],
    );
    around(
        &json!({"names": {"shortNames": ["b"]}}),
        &json!({"names": {"shortNames": ["b", "bk"]}}),
        &["crd-names  additive"],
        &["crd-names  breaking"],
    );
    around(
        &json!({"names": {"categories": []}}),
        &json!({"names": {"categories": ["ride"]}}),
        &["crd-names  additive"],
        &["crd-names  breaking"],
    );
    around(
        &json!({"names": {"kind": "Bike"}}),
        &json!({"names": {"kind": "Bike", "listKind": "BikeFleet"}}),
        &["crd-names  breaking"],
        &["crd-names  breaking"],
    );
    // The plural names the kind anyway.
    around(
        &json!({"names": {"shortNames": ["b"]}}),
        &json!({"names": {"shortNames": ["b", "bikes"]}}),
        &["crd-names  additive"],
        &[],
    );
    around(&json!({}), &json!({"scope": "Cluster"}), &["crd-scope  breaking"], &["crd-scope  breaking"]);
}

/// Makes versions, each as its name and what is special about it.
fn versions(listed: &[(&str, Value)]) -> Value {
    let version = |(name, more): &(&str, Value)| {
        let mut whole = version(name, &json!({}));
        super::merge(&mut whole, more);
        whole
    };
    json!({"versions": listed.iter().map(version).collect::<Vec<_>>()})
}

#[test]
fn versions_come_and_go() {
    let (idle, unserved) = (json!({"storage": false}), json!({"storage": false, "served": false}));
    around(
        &versions(&[("v1", json!({}))]),
        &versions(&[("v1", json!({})), ("v2", idle.clone())]),
        &["crd-version-added v2 additive"],
        &["crd-version-removed v2 dropped"],
    );
    around(
        &versions(&[("v1", json!({})), ("v2", idle.clone())]),
        &versions(&[("v1", json!({})), ("v2", unserved.clone())]),
        &["crd-served v2 dropped"],
        &["crd-served v2 additive"],
    );
    around(
        &versions(&[("v1", json!({})), ("v2", unserved)]),
        &versions(&[("v1", json!({}))]),
        &["crd-unserved-removed v2 dropped"],
        &["crd-version-added v2 additive"],
    );
    around(
        &versions(&[("v1", json!({}))]),
        &versions(&[("v1", json!({"deprecated": true}))]),
        &["crd-deprecated  documentation"],
        &["crd-deprecated  documentation"],
    );
    let warning = |text: &str| versions(&[("v1", json!({"deprecated": true, "deprecationWarning": text}))]);
    around(
        &warning("use v2"),
        &warning("use v3"),
        &["crd-deprecated  documentation"],
        &["crd-deprecated  documentation"],
    );
    // Moving the storage version is safe where the release before serves it.
    around(
        &versions(&[("v1", json!({})), ("v2", idle.clone())]),
        &versions(&[("v1", idle.clone()), ("v2", json!({}))]),
        &["crd-storage v2 additive"],
        &["crd-storage  additive"],
    );
    around(
        &versions(&[("v1", json!({}))]),
        &versions(&[("v1", idle), ("v2", json!({}))]),
        &["crd-storage v2 breaking", "crd-version-added v2 additive"],
        &["crd-storage  additive", "crd-stored-version v2 dropped", "crd-version-removed v2 dropped"],
    );
}

#[test]
fn subresources_and_columns() {
    let status = json!({"subresources": {"status": {}}});
    around(
        &versions(&[("v1", json!({}))]),
        &versions(&[("v1", status)]),
        &["crd-subresource  tightened"],
        &["crd-subresource  breaking"],
    );
    let scale = |path: &str| json!({"subresources": {"scale": {"specReplicasPath": path}}});
    around(
        &versions(&[("v1", scale(".spec.a"))]),
        &versions(&[("v1", scale(".spec.b"))]),
        &["crd-subresource  breaking"],
        &["crd-subresource  breaking"],
    );
    let scale = |more: &Value| {
        let mut scale = json!({"specReplicasPath": ".spec.a"});
        super::merge(&mut scale, more);
        versions(&[("v1", json!({"subresources": {"scale": scale}}))])
    };
    around(
        &scale(&json!({})),
        &scale(&json!({"labelSelectorPath": ".status.selector"})),
        &["crd-subresource  additive"],
        &["crd-subresource  breaking"],
    );
    let column = |priority: i64| {
        let column = json!({"name": "A", "type": "string", "jsonPath": ".spec.a", "priority": priority});
        versions(&[("v1", json!({ "additionalPrinterColumns": [column] }))])
    };
    around(&column(0), &column(1), &["crd-printer-column  breaking"], &["crd-printer-column  additive"]);
    let column = |path: &str| json!({"additionalPrinterColumns": [{"name": "A", "type": "string", "jsonPath": path}]});
    // Without any, kubectl shows the age.
    let both = ["crd-printer-column  additive", "crd-printer-column  breaking"];
    around(&versions(&[("v1", json!({}))]), &versions(&[("v1", column(".spec.a"))]), &both, &both);
    let columns = |paths: &[&str]| {
        let named = paths.iter().map(|path| json!({"name": path, "type": "string", "jsonPath": path}));
        versions(&[("v1", json!({ "additionalPrinterColumns": named.collect::<Vec<_>>() }))])
    };
    around(
        &versions(&[("v1", json!({}))]),
        &columns(&[".spec.a", ".metadata.creationTimestamp"]),
        &["crd-printer-column  additive"; 2],
        &["crd-printer-column  breaking"; 2],
    );
    around(
        &columns(&[".spec.a", ".spec.b", ".spec.c"]),
        &columns(&[".spec.b", ".spec.a", ".spec.c"]),
        &["crd-printer-column  breaking"],
        &["crd-printer-column  breaking"],
    );
    // A name can be there twice.
    around(
        &columns(&[".spec.a", ".spec.b", ".spec.a"]),
        &columns(&[".spec.a", ".spec.b", ".spec.a", ".spec.c"]),
        &["crd-printer-column  additive"],
        &["crd-printer-column  breaking"],
    );
    around(
        &columns(&[".spec.a", ".spec.c"]),
        &columns(&[".spec.a", ".spec.b", ".spec.c"]),
        &["crd-printer-column  additive"],
        &["crd-printer-column  breaking"],
    );
    around(
        &versions(&[("v1", column(".spec.a"))]),
        &versions(&[("v1", column(".spec.b"))]),
        &["crd-printer-column  breaking"],
        &["crd-printer-column  breaking"],
    );
    around(
        &versions(&[("v1", json!({}))]),
        &versions(&[("v1", json!({"selectableFields": [{"jsonPath": ".spec.a"}]}))]),
        &["crd-selectable-field  additive"],
        &["crd-selectable-field  breaking"],
    );
}

#[test]
fn conversion_and_stored_versions() {
    around(
        &json!({}),
        &json!({"conversion": {"strategy": "Webhook"}}),
        &["crd-conversion  additive"],
        &["crd-conversion  breaking"],
    );
    let mut old = crd(&versions(&[("v1beta1", json!({"storage": false})), ("v1", json!({}))]));
    old["status"] = json!({"storedVersions": ["v1beta1", "v1"]});
    let new = crd(&json!({}));
    assert_eq!(changed(&old, &new), ["crd-stored-version v1beta1 dropped", "crd-version-removed v1beta1 dropped"]);
}

/// Makes a CRD whose schema has this besides `spec`.
fn rooted(more: &Value) -> Value {
    versions(&[("v1", json!({"schema": {"openAPIV3Schema": more}}))])
}

#[test]
fn what_every_object_has_needs_no_schema() {
    let named = |name: &Value| json!({"properties": {"metadata": {"type": "object", "properties": {"name": name}}}});
    around(
        &rooted(&json!({})),
        &rooted(&named(&with(&json!({"maxLength": 10})))),
        &["crd-bound metadata.name tightened"],
        &["crd-bound metadata.name loosened"],
    );
    around(
        &rooted(&json!({})),
        &rooted(&json!({"properties": {"apiVersion": text(), "kind": text(), "metadata": {"type": "object"}}})),
        &[],
        &[],
    );
    around(&rooted(&json!({})), &rooted(&json!({"required": ["apiVersion", "metadata"]})), &[], &[]);
}

#[test]
fn a_field_without_a_schema_can_be_required() {
    around(
        &rooted(&json!({})),
        &rooted(&json!({"required": ["data"]})),
        &["crd-required  tightened"],
        &["crd-required  loosened"],
    );
    // It was required before it had a schema.
    around(
        &rooted(&json!({"required": ["data"]})),
        &rooted(&json!({"required": ["data"], "properties": {"data": text()}})),
        &["crd-field-added data additive"],
        &["crd-field-removed data breaking"],
    );
}

#[test]
fn fields_without_a_schema_are_kept_or_removed() {
    let crd =
        |keeps: bool, fields: &Value| json!({"preserveUnknownFields": keeps, "versions": [version("v1", fields)]});
    let (empty, field) = (json!({}), json!({"a": text()}));
    around(
        &crd(true, &empty),
        &crd(false, &empty),
        &["crd-unknown-fields  tightened"],
        &["crd-unknown-fields  loosened"],
    );
    around(
        &crd(true, &field),
        &crd(true, &empty),
        &["crd-field-removed spec.a loosened"],
        &["crd-field-added spec.a additive"],
    );
}

#[test]
fn kinds_come_and_go() {
    let (bikes, mut cars) = (crd(&json!({})), crd(&json!({"names": {"kind": "Car", "plural": "cars"}})));
    cars["metadata"]["name"] = "cars.ride.example".into();
    let (one, both) = ([bikes.clone()], [bikes, cars]);
    assert_eq!(found(&one, &both, &[]), ["crd-added  additive"]);
    assert_eq!(found(&both, &one, &[]), ["crd-removed  dropped"]);
}

#[test]
fn what_limits_nothing_is_as_if_it_were_not_written() {
    let numbers = json!({"type": "array", "items": {"type": "integer"}});
    let nothing =
        json!({"type": "string", "enum": [], "allOf": [], "oneOf": [], "pattern": "", "format": "", "default": null});
    check(&[
        case("nothing", text(), nothing, &[], &[]),
        case(
            "listed",
            with(&json!({"enum": []})),
            with(&json!({"enum": ["a"]})),
            &["crd-enum $ tightened"],
            &["crd-enum $ loosened"],
        ),
        case(
            "combined",
            with(&json!({"anyOf": []})),
            with(&json!({"anyOf": [{"minLength": 1}]})),
            &["crd-combination $ tightened"],
            &["crd-combination $ loosened"],
        ),
        // Here they are names and values.
        case(
            "names",
            json!({"type": "object", "default": {"enum": []}, "properties": {"enum": numbers, "default": text()}}),
            json!({"type": "object", "default": {"enum": [1]}, "properties": {"enum": numbers}}),
            &["crd-default $ breaking", "crd-field-removed $.default breaking"],
            &["crd-default $ breaking", "crd-field-added $.default additive"],
        ),
    ]);
}

#[test]
fn a_map_keeps_named_fields() {
    let map = |values: Value| json!({"type": "object", "additionalProperties": values});
    let named = || json!({"type": "object", "properties": {"a": text()}});
    let back: &[&str] = &["crd-field-added $.a additive", "crd-field-removed ${} breaking"];
    check(&[
        case("same", named(), map(text()), &["crd-field-added ${} additive"], back),
        case(
            "other",
            named(),
            map(json!({"type": "integer"})),
            &["crd-field-added ${} additive", "crd-type $.a breaking"],
            back,
        ),
    ]);
}

#[test]
fn what_clients_are_told_about_a_rule_is_compared() {
    let rule = |more: Value| {
        let mut rule = json!({"rule": "self != ''"});
        super::merge(&mut rule, &more);
        with(&json!({"x-kubernetes-validations": [rule]}))
    };
    let (none, forbidden) = (json!({}), json!({"reason": "FieldValueForbidden"}));
    let told: &[&str] = &["crd-rule $ documentation"];
    check(&[
        case("reason", rule(none.clone()), rule(forbidden), told, told),
        case("default", rule(none), rule(json!({"reason": "FieldValueInvalid"})), &[], &[]),
    ]);
}

#[test]
fn a_bound_that_does_not_belong_to_the_values_is_worded_so() {
    let of = |schema: Value| [crd(&json!({"versions": [version("v1", &json!({"a": schema}))]}))];
    for (kind, words) in [("number", "less than 9"), ("integer", "at most 8")] {
        let old = of(json!({"type": kind, "maximum": 10}));
        let new = of(json!({"type": kind, "maximum": 9, "exclusiveMaximum": true}));
        let run = super::run(&old, &new, &[]);
        assert!(run.out.contains(&format!("spec.a: at most 10 becomes {words} (tightened)")), "{}", run.all());
    }
}

#[test]
fn a_type_that_there_is_not_is_an_error() {
    let of = |kind: &str| [crd(&json!({"versions": [version("v1", &json!({"a": {"type": kind}}))]}))];
    let run = super::run(&of("integer"), &of("int"), &[]);
    assert_eq!(run.code, Some(2), "{}", run.all());
    assert!(
        run.err.contains("new/crds.yaml:2:") && run.err.contains("there is no type int; use one of "),
        "{}",
        run.all()
    );
}

#[test]
fn a_keyword_with_a_value_of_another_type_is_an_error() {
    let of = |schema: Value| [crd(&json!({"versions": [version("v1", &json!({"a": schema}))]}))];
    for (schema, message) in [
        (json!({"type": ["string"]}), "type is not a text"),
        (json!({"type": "string", "maxLength": "5"}), "maxLength is not a whole number"),
        (json!({"type": "string", "maxLength": 5.5}), "maxLength is not a whole number"),
        (json!({"type": "string", "enum": "A"}), "enum is not a list"),
        (json!({"type": "integer", "maximum": 5, "exclusiveMaximum": 5}), "exclusiveMaximum is not true or false"),
        (json!({"type": "object", "required": "a"}), "required is not a list"),
        (
            json!({"type": "string", "x-kubernetes-validations": {"rule": "true"}}),
            "x-kubernetes-validations is not a list",
        ),
    ] {
        let run = super::run(&of(text()), &of(schema), &[]);
        assert_eq!(run.code, Some(2), "{}", run.all());
        assert!(run.err.contains("new/crds.yaml:2:") && run.err.contains(message), "{message}: {}", run.all());
    }
}

#[test]
fn a_list_type_that_goes_is_worded_as_it_is_written() {
    let of = |kind: &str| {
        [crd(&json!({"versions": [version("v1", &json!({"a": list(&json!({"x-kubernetes-list-type": kind}))}))]}))]
    };
    let run = super::run(&of("set"), &of("atomic"), &[]);
    let message = "spec.a: x-kubernetes-list-type \"set\" becomes \"atomic\" (breaking)";
    assert!(run.out.contains(message), "{}", run.all());
}

#[test]
fn a_first_release_is_compared_with_nothing() {
    let new = [crd(&json!({}))];
    let run = super::run(&[], &new, &[]);
    assert_eq!(run.code, Some(2), "{}", run.all());
    assert!(run.err.contains("old: there is no CRD; --allow-empty accepts that"), "{}", run.all());
    assert_eq!(found(&[], &new, &["--allow-empty"]), ["crd-added  additive"]);
    let tree = Tree::of(&[("new.yaml", &new[0].to_string())]);
    let run = tree.run(&["crd", "check", "--allow-empty", "-", "new.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.all());
    // A path that is wrong must not look like a release that needs nothing.
    assert!(run.err.contains("note: -: there is no CRD, so that everything is new"), "{}", run.all());
}
