//! What the API server demands of schemas, as the sources of apiextensions-apiserver have it.

use std::slice::from_ref;

use serde_json::{Value, json};

use super::{crd, found, merge, run, version};

/// A schema that is refused, one that is not, and what is said of the first.
type Case = (Value, Value, &'static str);

/// Checks fields with these schemas, each of which has one fault or none.
#[track_caller]
fn check(cases: &[Case]) {
    let with = |schema: fn(&Case) -> &Value| {
        let fields: Vec<(String, Value)> =
            cases.iter().enumerate().map(|(index, case)| (format!("f{index}"), schema(case).clone())).collect();
        crd(&json!({"versions": [version("v1", &fields.into_iter().collect::<serde_json::Map<_, _>>().into())]}))
    };
    let old = crd(&json!({}));
    let refused = run(from_ref(&old), &[with(|(wrong, ..)| wrong)], &[]);
    refused.check(1);
    for (index, (wrong, _, message)) in cases.iter().enumerate() {
        let is_it = |line: &&str| {
            let parts = ["unresolved[crd-invalid] ", " v1 ", &format!(" spec.f{index}")];
            parts.iter().all(|part| line.contains(part))
        };
        let of_field: Vec<&str> = refused
            .out
            .lines()
            .filter(is_it)
            .filter(|line| {
                let rest = line.split_once(&format!(" spec.f{index}")).unwrap().1;
                !rest.starts_with(|digit: char| digit.is_ascii_digit())
            })
            .collect();
        assert!(of_field.len() == 1 && of_field[0].contains(&format!(": {message}")), "{wrong}: {of_field:#?}");
    }
    let added: Vec<String> = (0..cases.len()).map(|index| format!("crd-field-added spec.f{index} additive")).collect();
    let mut accepted = found(&[old], &[with(|(_, right, _)| right)], &[]);
    accepted.sort_by_key(|line| added.iter().position(|one| one == line));
    assert_eq!(accepted, added);
}

/// Makes a text with more keywords.
fn text(more: Value) -> Value {
    with(json!({"type": "string", "maxLength": 9}), more)
}

fn with(mut schema: Value, more: Value) -> Value {
    merge(&mut schema, &more);
    schema
}

/// Makes an object with a field `a` and more keywords.
fn object(more: Value) -> Value {
    with(json!({"type": "object", "properties": {"a": {"type": "string"}}}), more)
}

/// Makes a list of objects with the required field `a`.
fn list(more: Value) -> Value {
    with(json!({"type": "array", "items": object(json!({"required": ["a"]}))}), more)
}

#[test]
fn each_value_has_a_type() {
    let both = || json!([{"type": "integer"}, {"type": "string"}]);
    let embedded = |more| with(json!({"x-kubernetes-embedded-resource": true}), more);
    let kept = || json!({"x-kubernetes-preserve-unknown-fields": true});
    check(&[
        (json!({}), kept(), "the schema has no type"),
        (
            json!({"anyOf": both()}),
            json!({"x-kubernetes-int-or-string": true, "anyOf": both()}),
            "the schema has no type",
        ),
        (
            json!({"x-kubernetes-int-or-string": true, "x-kubernetes-preserve-unknown-fields": true}),
            json!({"x-kubernetes-int-or-string": true, "allOf": [{"anyOf": both()}, {"pattern": "a"}]}),
            "an integer or string has no unknown fields",
        ),
        (json!({"type": "array"}), json!({"type": "array", "items": {"type": "string"}}), "an array must have items"),
        (json!({"type": "array", "items": [{"type": "string"}]}), list(json!({})), "items must be one schema"),
        (
            embedded(kept()),
            embedded(with(kept(), json!({"type": "object"}))),
            "the type of an embedded resource must be object",
        ),
        (embedded(json!({"type": "object"})), embedded(object(json!({}))), "an embedded resource needs properties or"),
        (
            embedded(object(json!({"properties": {"kind": {"type": "integer"}}}))),
            embedded(object(json!({"properties": {"kind": {"type": "string"}}}))),
            "kind has another type than that of every object",
        ),
        (
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false}),
            object(json!({"additionalProperties": true})),
            "a schema has properties or additionalProperties",
        ),
        (json!({"$ref": "#/a", "type": "string"}), text(json!({})), "a CRD cannot have $ref"),
        (
            object(json!({"patternProperties": {"a": {}}})),
            object(json!({"patternProperties": {}})),
            "a CRD cannot have patternProperties",
        ),
        (
            object(json!({"x-kubernetes-preserve-unknown-fields": false})),
            object(kept()),
            "x-kubernetes-preserve-unknown-fields can be true only",
        ),
        (list(json!({"uniqueItems": true})), list(json!({"uniqueItems": false})), "uniqueItems is refused"),
    ]);
}

#[test]
fn lists_and_maps_can_be_merged() {
    let map = |more| list(with(json!({"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"]}), more));
    let keys = |keys: &[&str]| map(json!({"x-kubernetes-list-map-keys": keys}));
    let key = |schema: Value| map(json!({"items": {"properties": {"a": schema}}}));
    let set = |items: Value| json!({"type": "array", "x-kubernetes-list-type": "set", "items": items});
    let nullable = json!({"items": {"nullable": true}});
    check(&[
        (
            object(json!({"x-kubernetes-list-type": "atomic"})),
            list(json!({"x-kubernetes-list-type": "atomic"})),
            "x-kubernetes-list-type is for the type array",
        ),
        (
            list(json!({"x-kubernetes-list-type": "bag"})),
            map(json!({})),
            "x-kubernetes-list-type is atomic, map or set",
        ),
        (
            list(json!({"x-kubernetes-map-type": "atomic"})),
            object(json!({"x-kubernetes-map-type": "atomic"})),
            "x-kubernetes-map-type is for the type object",
        ),
        (
            object(json!({"x-kubernetes-map-type": "set"})),
            object(json!({"x-kubernetes-map-type": "granular"})),
            "x-kubernetes-map-type is atomic or granular",
        ),
        (
            list(json!({"x-kubernetes-list-map-keys": ["a"]})),
            keys(&["a"]),
            "x-kubernetes-list-map-keys needs `x-kubernetes-list-type: map`",
        ),
        (keys(&[]), keys(&["a"]), "a list of the type map needs x-kubernetes-list-map-keys"),
        (keys(&["b"]), keys(&["a"]), "the key b is no field of the items"),
        (keys(&["a", "a"]), keys(&["a"]), "the key a is listed twice"),
        (
            key(object(json!({}))),
            key(json!({"x-kubernetes-int-or-string": true, "type": null})),
            "the key a is no scalar",
        ),
        (key(json!({"nullable": true})), key(json!({"nullable": false})), "the key a can be null"),
        (
            map(json!({"items": {"required": []}})),
            map(json!({"items": {"required": [], "properties": {"a": {"default": "x"}}}})),
            "the key a is neither required nor has it a default",
        ),
        (map(nullable.clone()), list(nullable), "the items of a map or set cannot be null"),
        (
            json!({"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"]}),
            set(json!({"type": "string"})),
            "the items of a list of the type map must be of the type object",
        ),
        (set(object(json!({}))), set(object(json!({"x-kubernetes-map-type": "atomic"}))), "the mappings of a set need"),
        (
            set(set(json!({"type": "string"}))),
            set(json!({"type": "array", "items": {"type": "string"}})),
            "the lists of a set must be atomic",
        ),
    ]);
}

#[test]
fn combinations_of_schemas_limit_values_and_no_more() {
    let any = |schema: Value| object(json!({"anyOf": [schema]}));
    let of_a = |schema: Value| any(json!({"properties": {"a": schema}}));
    let both = |first: &str, second: &str| json!({"x-kubernetes-int-or-string": true, "anyOf": [{"type": first}, {"type": second}]});
    check(&[
        (of_a(json!({"type": "string"})), of_a(json!({"pattern": "a"})), "a combination of schemas cannot have type"),
        (of_a(json!({"default": "x"})), of_a(json!({"enum": ["x"]})), "a combination of schemas cannot have default"),
        (
            any(json!({"description": "x"})),
            any(json!({"description": ""})),
            "a combination of schemas cannot have description",
        ),
        (
            of_a(json!({"nullable": true})),
            of_a(json!({"nullable": false})),
            "a combination of schemas cannot have nullable",
        ),
        (
            any(json!({"additionalProperties": {}})),
            any(json!({"additionalProperties": false})),
            "a combination of schemas cannot have additionalProperties",
        ),
        (
            any(json!({"x-kubernetes-validations": [{"rule": "true"}]})),
            any(json!({"x-kubernetes-validations": []})),
            "a combination of schemas cannot have x-kubernetes-validations",
        ),
        (
            object(json!({"not": {"x-kubernetes-map-type": "atomic"}})),
            object(json!({"not": {"required": ["a"]}})),
            "a combination of schemas cannot have x-kubernetes-map-type",
        ),
        (
            of_a(json!({"pattern": "(a"})),
            of_a(json!({"pattern": "(a)"})),
            "the pattern \"(a\" cannot be read: unclosed group",
        ),
        (
            any(json!({"properties": {"metadata": {}}})),
            any(json!({"properties": {"b": {}}})),
            "a combination of schemas cannot limit metadata",
        ),
        (
            list(json!({"allOf": [{"items": {"$ref": "#/a"}}]})),
            list(json!({"allOf": [{"items": {}}]})),
            "a CRD cannot have $ref",
        ),
    ]);
    // The order is that of the API server, which compares the list as a whole.
    let old = crd(&json!({}));
    let with = |schema: Value| [crd(&json!({"versions": [version("v1", &json!({"a": schema}))]}))];
    let turned = run(from_ref(&old), &with(both("string", "integer")), &[]);
    turned.check(1);
    assert!(
        turned.out.contains(": a combination of schemas cannot have type\n") && turned.err.contains(", 2 unresolved;"),
        "{}",
        turned.all()
    );
    run(from_ref(&old), &with(both("integer", "string")), &[]).check(0);
}

#[test]
fn a_default_has_no_field_that_would_be_removed() {
    let default = |default: Value, more: Value| with(object(json!({"default": default})), more);
    let map =
        json!({"type": "object", "additionalProperties": {"type": "object", "properties": {"a": {"type": "string"}}}});
    let kept = json!({"x-kubernetes-preserve-unknown-fields": true});
    check(&[
        (
            default(json!({"b": 1}), json!({})),
            default(json!({"a": "x"}), json!({})),
            "the default {\"b\":1} does not fit its schema: b is unknown",
        ),
        (
            default(json!({"b": 1}), json!({"properties": {"a": kept}})),
            default(json!({"b": 1, "a": "x"}), kept.clone()),
            "the default {\"b\":1} does not fit its schema: b is unknown",
        ),
        (
            with(
                kept.clone(),
                json!({"type": "object", "properties": {"o": object(json!({}))}, "default": {"o": {"b": 1}, "c": 1}}),
            ),
            with(
                kept,
                json!({"type": "object", "properties": {"o": object(json!({}))}, "default": {"o": {"a": "x"}, "c": 1}}),
            ),
            "the default {\"o\":{\"b\":1},\"c\":1} does not fit its schema: o.b is unknown",
        ),
        (
            list(json!({"default": [{"a": "x"}, {"a": "x", "b": 1}]})),
            list(json!({"default": [{"a": "x"}]})),
            "the default [{\"a\":\"x\"},{\"a\":\"x\",\"b\":1}] does not fit its schema: [1].b is unknown",
        ),
        (
            with(map.clone(), json!({"default": {"k": {"b": 1}}})),
            with(map, json!({"default": {"k": {"a": "x"}}})),
            "the default {\"k\":{\"b\":1}} does not fit its schema: k.b is unknown",
        ),
        // The API server looks at no default in the values of a map.
        (
            text(json!({"default": 1})),
            json!({"type": "object", "additionalProperties": text(json!({"default": 1}))}),
            "the default 1 does not fit",
        ),
    ]);
}

#[test]
fn rules_say_what_the_api_server_can_show() {
    let rule = |rule: Value| text(json!({"x-kubernetes-validations": [rule]}));
    let old = json!([{"rule": "self == oldSelf"}]);
    let items = |list: &str| {
        let item = json!({"type": "object", "required": ["a"], "x-kubernetes-map-type": "atomic",
            "properties": {"a": text(json!({}))}, "x-kubernetes-validations": old});
        with(
            json!({"type": "array", "maxItems": 2, "items": item, "x-kubernetes-list-type": list}),
            if list == "map" { json!({"x-kubernetes-list-map-keys": ["a"]}) } else { json!({}) },
        )
    };
    let atomic = |of: &str| json!({"type": "object", "x-kubernetes-map-type": of, "properties": {"a": text(json!({"x-kubernetes-validations": old}))}});
    check(&[
        (rule(json!({"message": "x"})), rule(json!({"rule": "true", "message": "x"})), "the rule is missing"),
        (rule(json!({"rule": ""})), rule(json!({"rule": "true", "messageExpression": ""})), "the rule is missing"),
        (
            rule(json!({"rule": "true", "message": "x\ny"})),
            rule(json!({"rule": "true", "message": "x\n"})),
            "the message has several lines",
        ),
        (
            rule(json!({"rule": "true", "message": " "})),
            rule(json!({"rule": "true", "message": ""})),
            "the message is blank",
        ),
        (
            rule(json!({"rule": "true\n&& true"})),
            rule(json!({"rule": "true\n&& true", "message": "x"})),
            "a rule of several lines needs a message",
        ),
        (
            rule(json!({"rule": "true", "reason": "Bad"})),
            rule(json!({"rule": "true", "reason": "FieldValueInvalid"})),
            "there is no such reason",
        ),
        (
            rule(json!({"rule": "true", "optionalOldSelf": true})),
            rule(json!({"rule": "oldSelf.hasValue()", "optionalOldSelf": true})),
            "optionalOldSelf is for rules with oldSelf",
        ),
        (
            object(json!({"x-kubernetes-validations": [{"rule": "true", "fieldPath": ".b"}]})),
            object(json!({"x-kubernetes-validations": [{"rule": "true", "fieldPath": ".a"}]})),
            "the fieldPath names no field",
        ),
        (items("set"), items("map"), "oldSelf is not known here"),
        (atomic("atomic"), atomic("granular"), "oldSelf is not known here"),
    ]);
}

/// Checks what is said of the schema of an object with these keywords, and nothing with the others.
#[track_caller]
fn check_object(wrong: Value, right: Value, message: &str) {
    let whole = |more: Value| {
        let mut one = version("v1", &json!({}));
        let status = more.get("status").cloned();
        merge(&mut one["schema"]["openAPIV3Schema"], &with(more, json!({"status": null})));
        one["subresources"] = json!({"status": status});
        crd(&json!({"versions": [one]}))
    };
    let (old, right, wrong) = (crd(&json!({})), whole(right), whole(wrong));
    let refused = run(from_ref(&old), &[wrong], &[]);
    refused.check(1);
    assert_eq!(refused.out.matches("[crd-invalid]").count(), 1, "{}", refused.all());
    assert!(refused.out.contains(message), "{}", refused.all());
    let accepted = run(&[old], &[right], &[]);
    assert!(!accepted.out.contains("crd-invalid"), "{}", accepted.all());
}

#[test]
fn the_schema_of_an_object_leaves_what_every_object_has() {
    let metadata = |schema: Value| json!({"properties": {"metadata": with(json!({"type": "object"}), schema)}});
    let name = |schema: Value| metadata(json!({"properties": {"name": with(json!({"type": "string"}), schema)}}));
    check_object(json!({"type": null}), json!({}), "v1: the schema has no type");
    check_object(json!({"nullable": true}), json!({"nullable": false}), "v1: an object cannot be null");
    check_object(
        json!({"additionalProperties": true}),
        json!({"x-kubernetes-preserve-unknown-fields": true}),
        "v1: an object has no additionalProperties",
    );
    check_object(
        metadata(json!({"minProperties": 1})),
        metadata(json!({})),
        "v1: metadata can limit name and generateName only, not minProperties",
    );
    check_object(
        metadata(json!({"properties": {"labels": {"type": "object"}}})),
        name(json!({"pattern": "^a"})),
        "v1: metadata can limit name and generateName only, not labels",
    );
    check_object(
        name(json!({"default": "a"})),
        name(json!({"maxLength": 9})),
        "v1 metadata.name: what every object has can have no default",
    );
    check_object(
        json!({"properties": {"kind": {"type": "integer"}}}),
        json!({"properties": {"kind": {"type": "string"}}}),
        "v1: kind has another type than that of every object",
    );
    // What a combination names must be in the schema; only that of the whole object is checked.
    let names = |schema: Value| json!({"properties": {"spec": schema}});
    check_object(
        json!({"not": names(json!({"properties": {"b": {}}}))}),
        names(json!({"not": {"properties": {"b": {}}}})),
        "v1: b is not in the schema beside the combination",
    );
    check_object(
        json!({"oneOf": [{"items": {}}]}),
        json!({"oneOf": [names(json!({}))]}),
        "v1: items is not in the schema",
    );
    check_object(
        json!({"status": {}, "anyOf": [{"required": ["spec"]}]}),
        json!({"status": {}, "required": ["spec"]}),
        "v1: the schema of an object with the subresource status cannot have anyOf",
    );
}
