//! What defaults make of objects that are not written anew.

use serde_json::{Value, json};

use super::changes::{case, check, text, with};

/// Objects that have as many fields as they may get one more by a default.
#[test]
fn a_default_that_what_is_around_it_may_not_accept() {
    let of = |more: Value, has_field: bool| {
        let mut schema = json!({"type": "object", "properties": {"a": text()}});
        super::merge(&mut schema, &more);
        if has_field {
            schema["properties"]["mode"] = with(&json!({"default": "slow"}));
        }
        schema
    };
    let both = |more: &Value| (of(more.clone(), false), of(more.clone(), true));
    let (counted, counted_with) = both(&json!({"maxProperties": 1}));
    let (excluded, excluded_with) = both(&json!({"not": {"required": ["mode"]}}));
    let (other, other_with) = both(&json!({"not": {"required": ["a"]}}));
    let gone: &[&str] = &["crd-field-removed $.mode breaking"];
    check(&[
        case("counted", counted.clone(), counted_with, &["crd-field-added $.mode tightened"], gone),
        case("excluded", excluded, excluded_with, &["crd-field-added $.mode tightened"], gone),
        case("other", other, other_with, &["crd-field-added $.mode additive"], gone),
        case(
            "roomy",
            counted,
            of(json!({"maxProperties": 2}), true),
            &["crd-bound $ loosened", "crd-field-added $.mode additive"],
            &["crd-bound $ tightened", "crd-field-removed $.mode breaking"],
        ),
    ]);
}

/// The API server writes the default in place of a null that is not allowed.
#[test]
fn null_that_meant_the_default_means_something_else() {
    let default = with(&json!({"default": "slow"}));
    let nullable = with(&json!({"default": "slow", "nullable": true}));
    check(&[case("speed", default, nullable, &["crd-nullable $ breaking"], &["crd-nullable $ tightened"])]);
}
