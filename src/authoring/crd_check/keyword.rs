//! What each keyword of a schema says: the table of checks, and how two values of a keyword are compared.
//!
//! The types, listed values, patterns, bounds and presence of fields are compared as `constraints`, and the fields by `schema`.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::change::Class;
use super::rule::accepts_all_of;
use crate::authoring::constraints::About;
use crate::engine::finding::Code;
use crate::knowledge::pack::crds::crd::{MERGE_KEY, PRESERVE};
use crate::knowledge::pack::crds::without_new::{Compared, accepts_all_old};

/// What a keyword does to the values that a schema accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// Where it is written, less is accepted.
    Narrows,
    /// Where it is written, more is accepted.
    Widens,
    /// It decides what values mean.
    Means,
    /// It is for people.
    Describes,
    /// It is a list of schemas, all of which must hold.
    All,
    /// It is a list of schemas, one of which must hold.
    Any,
    /// It is a list of CEL rules.
    Rules,
}

/// The keywords that are compared by themselves: by which check, and what they do.
const KEYWORDS: [(&str, Code, Effect); 24] = [
    ("allOf", Code::CrdCombination, Effect::All),
    ("anyOf", Code::CrdCombination, Effect::Any),
    ("default", Code::CrdDefault, Effect::Means),
    ("description", Code::CrdDescription, Effect::Describes),
    ("example", Code::CrdDescription, Effect::Describes),
    ("exclusiveMaximum", Code::CrdBound, Effect::Narrows),
    ("exclusiveMinimum", Code::CrdBound, Effect::Narrows),
    ("externalDocs", Code::CrdDescription, Effect::Describes),
    ("format", Code::CrdFormat, Effect::Narrows),
    ("multipleOf", Code::CrdBound, Effect::Narrows),
    ("not", Code::CrdCombination, Effect::Narrows),
    ("nullable", Code::CrdNullable, Effect::Widens),
    ("oneOf", Code::CrdCombination, Effect::Narrows),
    ("title", Code::CrdDescription, Effect::Describes),
    ("uniqueItems", Code::CrdUniqueItems, Effect::Narrows),
    ("x-kubernetes-embedded-resource", Code::CrdEmbeddedResource, Effect::Narrows),
    ("x-kubernetes-list-map-keys", Code::CrdListType, Effect::Means),
    ("x-kubernetes-list-type", Code::CrdListType, Effect::Means),
    ("x-kubernetes-map-type", Code::CrdListType, Effect::Means),
    (MERGE_KEY, Code::CrdListType, Effect::Means),
    ("x-kubernetes-patch-strategy", Code::CrdListType, Effect::Means),
    (PRESERVE, Code::CrdUnknownFields, Effect::Widens),
    (RULES, Code::CrdRule, Effect::Rules),
    ("$schema", Code::CrdDescription, Effect::Describes),
];

const RULES: &str = "x-kubernetes-validations";

/// The keywords that are compared otherwise.
const ELSEWHERE: [&str; 16] = [
    "additionalProperties",
    "enum",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "pattern",
    "properties",
    "required",
    "type",
    "x-kubernetes-int-or-string",
];

/// What a schema says for one of these, it says of the other too.
const WIDER_FORMATS: [[&str; 2]; 2] = [["int32", "int64"], ["float", "double"]];

/// The values that a keyword has where it is not written.
const UNWRITTEN: [[&str; 2]; 2] = [["x-kubernetes-list-type", "atomic"], ["x-kubernetes-map-type", "granular"]];

/// How long a value in a message may be, in characters.
const SHOWN: usize = 80;

/// A keyword that differs between two schemas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) keyword: String,
    pub(super) code: Code,
    pub(super) class: Class,
    pub(super) text: String,
}

/// Compares the keywords of two schemas that are not about what is in their values.
pub(super) fn differences(schemas: &Compared<'_>) -> Vec<Difference> {
    let Compared { old, new, .. } = schemas;
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let mut found = Vec::new();
    for name in names.into_iter().filter(|name| !ELSEWHERE.contains(&name.as_str())) {
        let known = KEYWORDS.iter().find(|(keyword, ..)| keyword == name);
        let (code, effect) = known.map_or((Code::CrdKeyword, Effect::Means), |(_, code, effect)| (*code, *effect));
        let [old, new] = [old, new].map(|schema| written(schema, name));
        if old == new {
            continue;
        }
        let add = |(class, text): (Class, String)| Difference { keyword: name.clone(), code, class, text };
        match effect {
            Effect::Rules => found.extend(rules(old, new, schemas).into_iter().map(add)),
            Effect::Describes => found.push(add((Class::Documentation, format!("the {name} changed")))),
            _ => {
                let text = format!("{name} {} becomes {}", shown(old), shown(new));
                found.push(add((class(effect, old, new), text)));
            }
        }
    }
    found
}

/// Returns what a schema writes for a keyword, unless it is what holds without it, or only spells out `int-or-string`.
fn written<'s>(schema: &'s Map<String, Value>, name: &str) -> Option<&'s Value> {
    let is_integer_or_string = name == "anyOf" && schema.contains_key("x-kubernetes-int-or-string");
    let is_unwritten = |value: &Value| {
        *value == Value::Bool(false) && name != "default"
            || UNWRITTEN.iter().any(|[keyword, held]| *keyword == name && value == held)
    };
    schema.get(name).filter(|value| !is_integer_or_string && !is_unwritten(value))
}

/// Tells what a change of a keyword with this effect does.
fn class(effect: Effect, old: Option<&Value>, new: Option<&Value>) -> Class {
    let certainly_wider = match effect {
        Effect::Means => return Class::Breaking,
        Effect::Describes => return Class::Documentation,
        Effect::Widens => old.is_none(),
        Effect::Narrows | Effect::Rules => new.is_none() || is_wider_format(old, new),
        Effect::All => new.is_none() || has_all(old, new),
        Effect::Any => new.is_none() || has_all(new, old),
    };
    if certainly_wider { Class::Loosened } else { Class::Tightened }
}

fn is_wider_format(old: Option<&Value>, new: Option<&Value>) -> bool {
    WIDER_FORMATS
        .iter()
        .any(|[narrow, wide]| old.is_some_and(|old| old == narrow) && new.is_some_and(|new| new == wide))
}

/// Returns whether one list has every item of another one.
fn has_all(some: Option<&Value>, all: Option<&Value>) -> bool {
    let (Some(some), Some(all)) = (some.and_then(Value::as_array), all.and_then(Value::as_array)) else { return false };
    all.iter().all(|item| some.contains(item))
}

/// Compares two lists of CEL rules: what one list lacks is compared with what the other one has instead, or with what was there at all.
fn rules(old: Option<&Value>, new: Option<&Value>, schemas: &Compared<'_>) -> Vec<(Class, String)> {
    let [mut removed, mut added] = [(old, new), (new, old)].map(|(own, other)| {
        let other = texts(other);
        texts(own).into_iter().filter(|rule| !other.contains(rule)).collect::<Vec<_>>()
    });
    let mut found = Vec::new();
    added.retain(|new| {
        let Some(at) = removed.iter().position(|old| accepts_all_of(new, old) || accepts_all_of(old, new)) else {
            return true;
        };
        let old = removed.remove(at);
        let class = if accepts_all_of(new, &old) { Class::Loosened } else { Class::Tightened };
        found.push((class, format!("the rule {} becomes {}", short(&old), short(new))));
        false
    });
    found.extend(removed.iter().map(|rule| (Class::Loosened, format!("the rule {} is gone", short(rule)))));
    found.extend(added.iter().map(|rule| match accepts_all_old(rule, schemas) {
        true => (Class::Additive, format!("the rule {} is new, and accepts all that was accepted", short(rule))),
        false => (Class::Tightened, format!("the rule {} is new", short(rule))),
    }));
    found
}

/// Returns the rules of a list, white space made alike.
fn texts(rules: Option<&Value>) -> Vec<String> {
    let rules = rules.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let text =
        |rule: &Value| rule["rule"].as_str().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    rules.iter().map(text).collect()
}

/// Returns a value for a message.
fn shown(value: Option<&Value>) -> String {
    value.map_or_else(|| "absent".to_owned(), |value| short(&value.to_string()))
}

/// Shortens a text for a message.
pub(super) fn short(text: &str) -> String {
    if text.chars().count() <= SHOWN {
        return text.to_owned();
    }
    let start: String = text.chars().take(SHOWN).collect();
    format!("{start}...")
}

/// Returns the check that compares this, the keyword that says it, and whether a change that rejects old values breaks them.
pub(super) const fn check_of(about: About) -> Option<(Code, &'static str)> {
    match about {
        About::Presence => Some((Code::CrdRequired, "required")),
        About::Type => Some((Code::CrdType, "type")),
        About::Values => Some((Code::CrdEnum, "enum")),
        About::Texts => Some((Code::CrdPattern, "pattern")),
        About::Bound(keyword) => Some((Code::CrdBound, keyword)),
        // It is compared as a keyword.
        About::List => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn compared(old: &Map<String, Value>, new: &Map<String, Value>) -> Vec<Difference> {
        differences(&Compared { old, new, is_pruned: true, defaults: Vec::new() })
    }

    /// Compares a keyword in both directions.
    #[track_caller]
    fn check(old: &Value, new: &Value, code: Code, expected: [Class; 2]) {
        let schema = |value: &Value| value.as_object().cloned().unwrap_or_default();
        let found = [(old, new), (new, old)].map(|(old, new)| compared(&schema(old), &schema(new)));
        let found = found.map(|found| found.into_iter().map(|one| (one.code, one.class)).collect::<Vec<_>>());
        assert_eq!(found, expected.map(|class| vec![(code, class)]));
    }

    const WIDER: [Class; 2] = [Class::Loosened, Class::Tightened];
    const UNLIKE: [Class; 2] = [Class::Tightened, Class::Tightened];
    const OTHER: [Class; 2] = [Class::Breaking, Class::Breaking];

    #[test]
    fn what_narrows_is_loosened_when_it_goes() {
        check(&json!({"format": "date"}), &json!({}), Code::CrdFormat, WIDER);
        check(&json!({"format": "int32"}), &json!({"format": "int64"}), Code::CrdFormat, WIDER);
        check(&json!({"format": "date"}), &json!({"format": "uuid"}), Code::CrdFormat, UNLIKE);
        check(&json!({"uniqueItems": true}), &json!({"uniqueItems": false}), Code::CrdUniqueItems, WIDER);
        check(&json!({"exclusiveMinimum": true}), &json!({}), Code::CrdBound, WIDER);
        check(&json!({"exclusiveMaximum": true}), &json!({}), Code::CrdBound, WIDER);
        check(&json!({"multipleOf": 2}), &json!({}), Code::CrdBound, WIDER);
        check(&json!({"x-kubernetes-embedded-resource": true}), &json!({}), Code::CrdEmbeddedResource, WIDER);
    }

    #[test]
    fn what_widens_is_tightened_when_it_goes() {
        check(&json!({}), &json!({"nullable": true}), Code::CrdNullable, WIDER);
        check(&json!({}), &json!({PRESERVE: true}), Code::CrdUnknownFields, WIDER);
    }

    #[test]
    fn what_decides_the_meaning_breaks_both_ways() {
        check(&json!({}), &json!({"default": false}), Code::CrdDefault, OTHER);
        check(&json!({"default": 1}), &json!({"default": 2}), Code::CrdDefault, OTHER);
        for keyword in ["list-type", "list-map-keys", "map-type", "patch-merge-key", "patch-strategy"] {
            let keyword = format!("x-kubernetes-{keyword}");
            check(&json!({keyword.clone(): "a"}), &json!({keyword: "b"}), Code::CrdListType, OTHER);
        }
        check(&json!({"x-new": 1}), &json!({}), Code::CrdKeyword, OTHER);
    }

    #[test]
    fn what_holds_anyway_changes_nothing() {
        let schema = |value: &Value| value.as_object().cloned().unwrap_or_default();
        let written =
            json!({"x-kubernetes-list-type": "atomic", "x-kubernetes-map-type": "granular", "nullable": false});
        assert_eq!(compared(&schema(&json!({})), &schema(&written)), []);
    }

    #[test]
    fn descriptions_change_nothing() {
        for keyword in ["description", "title", "example"] {
            check(&json!({keyword: "a"}), &json!({}), Code::CrdDescription, [Class::Documentation; 2]);
        }
    }

    #[test]
    fn combinations_are_compared_as_lists() {
        let (a, b) = (json!({"required": ["a"]}), json!({"required": ["b"]}));
        check(&json!({"anyOf": [a]}), &json!({"anyOf": [b, a]}), Code::CrdCombination, WIDER);
        check(&json!({"allOf": [a, b]}), &json!({"allOf": [a]}), Code::CrdCombination, WIDER);
        check(&json!({"oneOf": [a]}), &json!({"oneOf": [a, b]}), Code::CrdCombination, UNLIKE);
        check(&json!({"not": a}), &json!({"not": b}), Code::CrdCombination, UNLIKE);
        check(&json!({"not": a}), &json!({}), Code::CrdCombination, WIDER);
    }

    #[test]
    fn rules_are_compared_one_by_one() {
        let with = |rules: &[&str]| json!({RULES: rules.iter().map(|rule| json!({"rule": rule})).collect::<Vec<_>>()});
        check(&with(&["a", "b"]), &with(&["b"]), Code::CrdRule, WIDER);
        check(&with(&["a"]), &with(&["a || b"]), Code::CrdRule, WIDER);
        check(&with(&["a && b"]), &with(&["a"]), Code::CrdRule, WIDER);
        let schema = |rule: &str| with(&[rule]).as_object().cloned().unwrap_or_default();
        let classes: Vec<_> = compared(&schema("a"), &schema("b")).into_iter().map(|one| one.class).collect();
        assert_eq!(classes, [Class::Loosened, Class::Tightened], "one is gone, one is new");
        assert_eq!(compared(&schema("a  &&\n b"), &schema("a && b")), []);
    }

    #[test]
    fn an_int_or_string_that_is_spelt_out_is_none_other() {
        let plain = json!({"x-kubernetes-int-or-string": true});
        let spelt = json!({"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": true});
        let schema = |value: &Value| value.as_object().cloned().unwrap_or_default();
        assert_eq!(compared(&schema(&plain), &schema(&spelt)), []);
    }
}
