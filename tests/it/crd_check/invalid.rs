//! What makes the API server refuse a CRD is an error, whatever changed and whatever the policy is.

use std::slice::from_ref;

use serde_json::{Value, json};

use super::{crd, found, merge, run, version};

/// Makes a CRD with these versions, each of them stored or not.
fn stored(versions: &[(&str, bool)]) -> Value {
    let versions = versions.iter().map(|(name, is_stored)| {
        let mut one = version(name, &json!({}));
        one["storage"] = (*is_stored).into();
        one
    });
    crd(&json!({"versions": versions.collect::<Vec<_>>()}))
}

/// Makes a CRD whose field `spec.a` has this schema.
fn with(schema: &Value) -> Value {
    crd(&json!({"versions": [version("v1", &json!({"a": schema}))]}))
}

/// Checks what is said of the schema of a field that is new, and that nothing is of another one.
#[track_caller]
fn check(wrong: &Value, right: &Value, message: &str) {
    let (old, new) = (crd(&json!({})), with(wrong));
    let refused = run(from_ref(&old), &[new], &[]);
    refused.check(1);
    assert!(refused.out.contains("unresolved[crd-invalid]") && refused.out.contains(message), "{}", refused.all());
    assert_eq!(found(&[old], &[with(right)], &[]), ["crd-field-added spec.a additive"], "{right}");
}

#[test]
fn one_version_is_stored_and_none_is_listed_twice() {
    let good = stored(&[("v1", true)]);
    for (versions, messages) in [
        (&[("v1", false)][..], &["objects are stored in none of the versions"][..]),
        (&[("v1", true), ("v2", true)], &["v2: objects are stored in v1 already"]),
        (&[("v1", true), ("v1", false)], &["v1: the version is listed twice"]),
    ] {
        for policy in ["kubernetes", "gateway-api", "nginx", "guideline"] {
            let wrong = stored(versions);
            for old in [&good, &wrong] {
                let refused = run(from_ref(old), from_ref(&wrong), &["--policy", policy]);
                refused.check(1);
                assert!(refused.out.contains("new/crds.yaml:"), "{}", refused.all());
                for message in messages {
                    assert!(refused.out.contains(message), "{policy}: {}", refused.all());
                }
            }
        }
    }
    run(from_ref(&good), from_ref(&good), &[]).check(0);
}

#[test]
fn an_alpha_is_refused_too_and_so_it_is_where_a_policy_says_nothing() {
    let alpha = |pattern: &str| {
        crd(&json!({"versions": [version("v1alpha1", &json!({"a": {"type": "string", "pattern": pattern}}))]}))
    };
    run(&[alpha("^a$")], &[alpha("^(a$")], &["--policy", "gateway-api"]).check(1);
    let folder = tempfile::TempDir::new().unwrap();
    let policy = folder.path().join("policy.yaml");
    std::fs::write(&policy, "classes: {additive: note}").unwrap();
    run(&[alpha("^a$")], &[alpha("^(a$")], &["--policy", policy.to_str().unwrap()]).check(1);
    std::fs::write(&policy, "checks: {crd-invalid: warning}").unwrap();
    run(&[alpha("^a$")], &[alpha("^(a$")], &["--policy", policy.to_str().unwrap(), "--exit-zero"]).check(0);
}

#[test]
fn patterns_and_rules_can_be_read() {
    let text = |more: Value| {
        let mut text = json!({"type": "string", "maxLength": 9});
        merge(&mut text, &more);
        text
    };
    check(
        &text(json!({"pattern": "^(?=a)b$"})),
        &text(json!({"pattern": "^{a}[[]$"})),
        "v1 spec.a: the pattern \"^(?=a)b$\" cannot be read: look-around",
    );
    check(
        &text(json!({"anyOf": [{"pattern": "^(a"}, {"pattern": "^b"}]})),
        &text(json!({"anyOf": [{"pattern": "^(a)"}, {"pattern": "^b"}]})),
        "v1 spec.a: the pattern \"^(a\" cannot be read: unclosed group",
    );
    let rule = |rule: &str| text(json!({"x-kubernetes-validations": [{"rule": rule}]}));
    check(&rule("self.size( > 1"), &rule("self.size() > 1"), "v1 spec.a: the rule \"self.size( > 1\" cannot be read");
    let words = |words: &str| text(json!({"x-kubernetes-validations": [{"rule": "true", "messageExpression": words}]}));
    check(&words("'a' +"), &words("'a' + self"), "v1 spec.a: the messageExpression \"'a' +\" cannot be read");
}

#[test]
fn a_default_fits_its_own_schema() {
    let defaults = |schema: Value, wrong: Value, right: Value, message: &str| {
        let [wrong, right] = [wrong, right].map(|default| {
            let mut schema = schema.clone();
            schema["default"] = default;
            schema
        });
        check(&wrong, &right, &format!("v1 spec.a: the default {message}"));
    };
    let size = json!({"type": "integer", "minimum": 3, "maximum": 5});
    defaults(size.clone(), json!("4"), json!(4), "\"4\" does not fit its schema: it must be of type integer");
    defaults(size.clone(), json!(2), json!(3), "2 does not fit its schema: it must be at least 3");
    defaults(
        json!({"type": "string", "enum": ["x"]}),
        json!("y"),
        json!("x"),
        "\"y\" does not fit its schema: it must be one of \"x\"",
    );
    defaults(
        json!({"type": "string", "pattern": "^x"}),
        json!("y"),
        json!("x"),
        "\"y\" does not fit its schema: it must match ^x",
    );
    let object = json!({"type": "object", "required": ["size"], "properties": {"size": size}});
    defaults(object.clone(), json!({}), json!({"size": 4}), "{} does not fit its schema: size is required but missing");
    defaults(
        object,
        json!({"size": 6}),
        json!({"size": 5}),
        "{\"size\":6} does not fit its schema: size must be at most 5",
    );
    let even = json!({"type": "integer", "x-kubernetes-validations": [{"rule": "self % 2 == 0", "message": "odd"}]});
    defaults(even, json!(1), json!(2), "1 does not fit its schema: it violates a validation rule: odd");
    // Defaults in a default are written before it is checked.
    let inner = json!({"type": "object", "required": ["b"], "properties": {"b": {"type": "boolean", "default": true}},
        "x-kubernetes-validations": [{"rule": "has(self.b)"}]});
    check(
        &json!({"type": "object", "default": {"b": "c"}, "properties": {"b": {"type": "integer"}}}),
        &{
            let mut inner = inner;
            inner["default"] = json!({});
            inner
        },
        "b must be of type integer",
    );
}

#[test]
fn a_new_required_field_whose_default_fits_is_additive() {
    let required = |default: Value| {
        let mut one = with(&json!({"type": "integer", "minimum": 1, "default": default}));
        one["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["required"] = json!(["a"]);
        one
    };
    let old = crd(&json!({}));
    assert_eq!(found(from_ref(&old), &[required(json!(1))], &[]), ["crd-field-added spec.a additive"]);
    assert_eq!(found(&[old], &[required(json!(0))], &[]), ["crd-field-added spec.a additive", "crd-invalid spec.a "]);
}

#[test]
fn a_bound_that_the_format_has_tightens_nothing() {
    let classes = |old: &Value, new: &Value| {
        [(old, new), (new, old)].map(|(old, new)| found(&[with(old)], &[with(new)], &[]).join(", "))
    };
    let number = |format: &str, more: Value| {
        let mut one = json!({"type": "integer", "format": format});
        merge(&mut one, &more);
        one
    };
    let none = json!({});
    for (format, bounds) in [
        ("int32", json!({"minimum": i32::MIN})),
        ("int32", json!({"maximum": i32::MAX})),
        ("int32", json!({"minimum": i64::MIN, "maximum": i64::MAX})),
        ("int64", json!({"minimum": i64::MIN, "maximum": i64::MAX})),
    ] {
        assert_eq!(classes(&number(format, none.clone()), &number(format, bounds)), ["", ""]);
    }
    // What the wider format could hold is said once, by the format.
    let wider = number("int64", json!({"maximum": i32::MAX}));
    assert_eq!(
        classes(&number("int32", none.clone()), &wider),
        ["crd-format spec.a loosened", "crd-format spec.a tightened"]
    );
    for (format, bounds) in [
        ("int32", json!({"minimum": i32::MIN + 1})),
        ("int64", json!({"maximum": i32::MAX})),
        ("int32", json!({"maximum": i32::MAX, "exclusiveMaximum": true})),
    ] {
        let [forward, backward] = classes(&number(format, none.clone()), &number(format, bounds));
        assert!(forward.starts_with("crd-bound spec.a tightened"), "{forward}");
        assert!(backward.starts_with("crd-bound spec.a loosened"), "{backward}");
    }
}
