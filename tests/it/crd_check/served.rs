//! Whether the versions of one CRD can hold the same objects.

use serde_json::{Value, json};

use super::{crd, found, version};

fn text() -> Value {
    json!({"type": "string"})
}

/// Makes a CRD whose objects are stored in v1, with these fields in each version.
fn stored_in_v1(beta: &Value, stable: &Value) -> Value {
    let mut other = version("v1beta1", beta);
    other["storage"] = false.into();
    crd(&json!({"versions": [other, version("v1", stable)]}))
}

/// Returns what is found of round trips where a field comes with these schemas.
fn found_of(beta: &Value, stable: &Value) -> Vec<String> {
    let [beta, stable] = [beta, stable].map(|schema| json!({ "a": schema }));
    let (old, new) = (stored_in_v1(&json!({}), &json!({})), stored_in_v1(&beta, &stable));
    let mut lines = found(&[old], &[new], &[]);
    lines.retain(|line| line.starts_with("crd-round-trip"));
    lines
}

#[test]
fn what_only_one_of_two_versions_accepts_is_lost_in_the_other() {
    let preserved = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    for (narrow, wide) in [
        (json!({"type": "object"}), preserved.clone()),
        (json!({"type": "object", "additionalProperties": text()}), preserved),
        (json!({"type": "integer"}), json!({"type": "number"})),
        (text(), json!({"x-kubernetes-int-or-string": true})),
    ] {
        assert_eq!(found_of(&narrow, &wide), ["crd-round-trip v1beta1 spec.a "], "{narrow} {wide}");
        assert_eq!(found_of(&wide, &narrow), ["crd-round-trip v1beta1 spec.a "], "{wide} {narrow}");
    }
    // Its type is another one, and what is in it is kept.
    let any = json!({"x-kubernetes-preserve-unknown-fields": true});
    assert!(!found_of(&text(), &any).is_empty() && !found_of(&any, &text()).is_empty());
    assert_eq!(found_of(&json!({"type": "integer"}), &json!({"type": "integer"})), [""; 0]);
}

#[test]
fn what_is_not_written_is_the_same_in_each_version() {
    let number = |default: u32| json!({"type": "integer", "default": default});
    assert_eq!(found_of(&number(1), &number(2)), ["crd-round-trip v1beta1 spec.a "]);
    assert_eq!(found_of(&number(1), &number(1)), [""; 0]);
}

#[test]
fn what_the_storage_version_accepts_more_is_lost_by_no_object_of_a_version_that_went() {
    let only = |name: &str, schema: &Value| [crd(&json!({"versions": [version(name, &json!({ "a": schema }))]}))];
    let lines = |old: &Value, new: &Value| {
        let mut lines = found(&only("v1beta1", old), &only("v1", new), &[]);
        lines.retain(|line| line.starts_with("crd-round-trip"));
        lines
    };
    let [narrow, wide] = ["integer", "number"].map(|kind| json!({ "type": kind }));
    assert_eq!(lines(&narrow, &wide), [""; 0]);
    assert_eq!(lines(&wide, &narrow), ["crd-round-trip v1beta1 spec.a "]);
}

#[test]
fn served_versions_must_hold_the_same() {
    let of = |name: &str, fields: &Value, is_stored: bool| {
        let mut whole = version(name, fields);
        whole["storage"] = is_stored.into();
        whole
    };
    let crd_of =
        |beta: &Value, stable: &Value| crd(&json!({"versions": [of("v1beta1", beta, false), of("v1", stable, true)]}));
    let (empty, field) = (json!({}), json!({"a": text()}));
    let same = crd_of(&empty, &empty);
    let lost = crd_of(&field, &empty);
    assert_eq!(
        found(std::slice::from_ref(&same), std::slice::from_ref(&lost), &[]),
        ["crd-field-added v1beta1 spec.a additive", "crd-round-trip v1beta1 spec.a "]
    );
    // It was so before.
    assert_eq!(found(std::slice::from_ref(&lost), std::slice::from_ref(&lost), &[]), [""; 0]);
    // A version that is replaced is read in the other one.
    let only = |name: &str, fields: &Value| [crd(&json!({"versions": [of(name, fields, true)]}))];
    assert_eq!(
        found(&only("v1beta1", &field), &only("v1", &json!({"b": {"type": "integer"}})), &[]),
        [
            "crd-deprecation v1beta1 ",
            "crd-round-trip v1beta1 spec.a ",
            "crd-storage  breaking",
            "crd-stored-version v1beta1 dropped",
            "crd-version-added  additive",
            "crd-version-removed v1beta1 dropped"
        ]
    );
    let other = crd_of(&field, &json!({"a": {"type": "integer"}}));
    assert_eq!(
        found(&[crd_of(&field, &field)], &[other], &[]),
        ["crd-round-trip v1beta1 spec.a ", "crd-type spec.a breaking"]
    );
}

#[test]
fn a_version_differs_from_each_stored_one_by_itself() {
    let of = |name: &str, kind: &str, is_stored: bool| {
        let mut whole = version(name, &json!({"a": {"type": kind}}));
        whole["storage"] = is_stored.into();
        whole
    };
    let old = crd(&json!({"versions": [of("v1alpha1", "string", false), of("v1beta1", "integer", true)]}));
    let all = [of("v1alpha1", "string", false), of("v1beta1", "integer", false), of("v1", "boolean", true)];
    let mut lines = found(&[old], &[crd(&json!({ "versions": all }))], &[]);
    lines.retain(|line| line.starts_with("crd-round-trip"));
    assert_eq!(lines, ["crd-round-trip v1alpha1 spec.a ", "crd-round-trip v1beta1 spec.a "]);
}
