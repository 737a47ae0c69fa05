//! What each keyword of a schema says: the table of checks, and how two values of a keyword are compared.
//!
//! The types, listed values, patterns, bounds and presence of fields are compared as `constraints`, and the fields by `schema`.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::change::Class;
use crate::authoring::constraints::About;
use crate::engine::finding::Code;
use crate::knowledge::pack::crds::crd::{MERGE_KEY, PRESERVE};
use crate::knowledge::pack::crds::implication::Rule;
use crate::knowledge::pack::crds::without_new::Compared;

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
    /// It is a format, which narrows if the API server checks it.
    Formats,
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
    ("format", Code::CrdFormat, Effect::Formats),
    ("multipleOf", Code::CrdBound, Effect::Narrows),
    ("not", Code::CrdCombination, Effect::Narrows),
    ("nullable", Code::CrdNullable, Effect::Widens),
    ("oneOf", Code::CrdCombination, Effect::Narrows),
    ("title", Code::CrdDescription, Effect::Describes),
    ("uniqueItems", Code::CrdUniqueItems, Effect::Narrows),
    ("x-kubernetes-embedded-resource", Code::CrdEmbeddedResource, Effect::Narrows),
    (KEYS, Code::CrdListType, Effect::Means),
    ("x-kubernetes-list-type", Code::CrdListType, Effect::Means),
    ("x-kubernetes-map-type", Code::CrdListType, Effect::Means),
    (MERGE_KEY, Code::CrdListType, Effect::Means),
    ("x-kubernetes-patch-strategy", Code::CrdListType, Effect::Means),
    (PRESERVE, Code::CrdUnknownFields, Effect::Widens),
    (RULES, Code::CrdRule, Effect::Rules),
    ("$schema", Code::CrdDescription, Effect::Describes),
];

pub(super) const KEYS: &str = "x-kubernetes-list-map-keys";
pub(super) const RULES: &str = "x-kubernetes-validations";

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

/// The formats that the API server checks; `int64` and `double` hold of every number that it can read.
const CHECKED_FORMATS: [&str; 31] = [
    "bsonobjectid",
    "byte",
    "cidr",
    "creditcard",
    "date",
    "date-time",
    "datetime",
    "duration",
    "email",
    "float",
    "float32",
    "hexcolor",
    "hostname",
    "int32",
    "ipv4",
    "ipv6",
    "isbn",
    "isbn10",
    "isbn13",
    "k8s-long-name",
    "k8s-short-name",
    "mac",
    "rgbcolor",
    "ssn",
    "uint32",
    "uint64",
    "uri",
    "uuid",
    "uuid3",
    "uuid4",
    "uuid5",
];

/// The bound that each of these is about.
const EXCLUSIVE: [[&str; 2]; 2] = [["exclusiveMaximum", "maximum"], ["exclusiveMinimum", "minimum"]];

/// The keywords that have schemas.
pub(super) const COMBINATIONS: [&str; 4] = ["allOf", "anyOf", "not", "oneOf"];

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
        let [before, after] = [old, new].map(|schema| written(schema, name));
        if before == after || is_alike(name, [old, new], [before, after]) {
            continue;
        }
        let add = |(class, text): (Class, String)| Difference { keyword: name.clone(), code, class, text };
        match effect {
            Effect::Rules => found.extend(rules(before, after, schemas).into_iter().map(add)),
            Effect::Describes => found.push(add((Class::Documentation, format!("the {name} changed")))),
            _ => {
                let text = format!("{name} {} becomes {}", shown(old.get(name)), shown(new.get(name)));
                // Where null is not allowed, it is replaced by the default.
                let was_default = name == "nullable" && after.is_some() && old.contains_key("default");
                let class = if was_default { Class::Breaking } else { class(effect, before, after) };
                found.push(add((class, text)));
            }
        }
    }
    found
}

/// Returns what a schema writes for a keyword, unless it is what holds without it, or only spells out `int-or-string`.
fn written<'s>(schema: &'s Map<String, Value>, name: &str) -> Option<&'s Value> {
    let is_both = |value: &Value| {
        let both = ["integer", "string"].map(|kind| json!({ "type": kind }));
        value.as_array().is_some_and(|all| all.len() == 2 && both.iter().all(|one| all.contains(one)))
    };
    let is_integer_or_string =
        |value: &Value| name == "anyOf" && schema.contains_key("x-kubernetes-int-or-string") && is_both(value);
    let is_unwritten = |value: &Value| {
        *value == Value::Bool(false) && name != "default"
            || EXCLUSIVE.iter().any(|[keyword, bound]| *keyword == name && !schema.contains_key(*bound))
            || UNWRITTEN.iter().any(|[keyword, held]| *keyword == name && value == held)
    };
    schema.get(name).filter(|value| !is_integer_or_string(value) && !is_unwritten(value))
}

/// Tells what a change of a keyword with this effect does.
fn class(effect: Effect, old: Option<&Value>, new: Option<&Value>) -> Class {
    let checked = |value: Option<&Value>| {
        value.and_then(Value::as_str).filter(|format| CHECKED_FORMATS.contains(format)).map(str::to_owned)
    };
    let certainly_wider = match effect {
        Effect::Formats if checked(old) == checked(new) => return Class::Documentation,
        Effect::Formats => checked(new).is_none(),
        Effect::Means => return Class::Breaking,
        Effect::Describes => return Class::Documentation,
        Effect::Widens => old.is_none(),
        Effect::Narrows | Effect::Rules => new.is_none() || is_multiple(old, new),
        Effect::All => new.is_none() || has_all(old, new),
        Effect::Any => new.is_none() || has_all(new, old),
    };
    if certainly_wider { Class::Loosened } else { Class::Tightened }
}

/// Returns whether every multiple of one number is one of another.
fn is_multiple(of: Option<&Value>, number: Option<&Value>) -> bool {
    let whole = |value: Option<&Value>| value.and_then(Value::as_u64).filter(|number| *number > 0);
    whole(of).zip(whole(number)).is_some_and(|(of, number)| of.is_multiple_of(number))
}

/// Returns whether two values of a keyword say the same, or no more than another keyword says already.
fn is_alike(name: &str, schemas: [&Map<String, Value>; 2], [old, new]: [Option<&Value>; 2]) -> bool {
    if COMBINATIONS.contains(&name) || name == KEYS {
        let keyword = |value: &Value| normalized(&json!({ name: value }));
        let is_said = old.zip(new).is_some_and(|(old, new)| keyword(old) == keyword(new));
        // Of what one of some schemas accepts alone, each of them accepts all.
        let alone = |schema: &Map<String, Value>| schema.get("oneOf").map(normalized_list);
        let any = |list: Option<&Value>| list.filter(|_| name == "anyOf").map(normalized_list);
        let [old_schema, new_schema] = schemas;
        let says_no_more = match (any(old), any(new)) {
            (None, Some(any)) => has_all(Some(&any), alone(old_schema).as_ref()),
            (Some(any), None) => has_all(Some(&any), alone(new_schema).as_ref()),
            _ => false,
        };
        return is_said || says_no_more;
    }
    // A number that may not be reached, and is larger than the one that could be, leaves more.
    let has_moved = |bound: &str, is_outward: fn(f64, f64) -> bool| {
        let [old, new] = schemas.map(|schema| schema.get(bound).and_then(Value::as_f64));
        old.zip(new).is_some_and(|(old, new)| is_outward(old, new))
    };
    match name {
        "exclusiveMaximum" => new.is_some() && has_moved("maximum", |old, new| new > old),
        "exclusiveMinimum" => new.is_some() && has_moved("minimum", |old, new| new < old),
        _ => false,
    }
}

fn normalized_list(list: &Value) -> Value {
    list.as_array().map_or(Value::Null, |all| all.iter().map(normalized).collect())
}

/// Sorts the lists of a schema whose order says nothing, and removes what is for people.
fn normalized(schema: &Value) -> Value {
    let sorted = |mut all: Vec<Value>| {
        all.sort_by_cached_key(Value::to_string);
        Value::Array(all)
    };
    let keyword = |name: &str, value: &Value| match value {
        Value::Array(all) if ["enum", "required", KEYS].contains(&name) => sorted(all.clone()),
        Value::Array(all) if COMBINATIONS.contains(&name) => sorted(all.iter().map(normalized).collect()),
        other => normalized(other),
    };
    match schema {
        Value::Object(fields) => {
            let is_said = |(name, value): &(&String, &Value)| *name != "description" || !value.is_string();
            let said = fields.iter().filter(is_said);
            Value::Object(said.map(|(name, value)| (name.clone(), keyword(name, value))).collect())
        }
        other => other.clone(),
    }
}

/// Returns whether one list has every item of another one.
fn has_all(some: Option<&Value>, all: Option<&Value>) -> bool {
    let (Some(some), Some(all)) = (some.and_then(Value::as_array), all.and_then(Value::as_array)) else { return false };
    all.iter().all(|item| some.contains(item))
}

/// Compares two lists of CEL rules: a rule that only one of them has is compared with one that the other list has instead, and with all that
/// the other list demands.
fn rules(old: Option<&Value>, new: Option<&Value>, schemas: &Compared<'_>) -> Vec<(Class, String)> {
    let written = [old, new];
    let [old, new] = written.map(listed);
    let lacks = |list: &[Rule], rule: &Rule| !list.iter().any(|other| other.is(rule));
    let mut gone: Vec<&Rule> = old.iter().filter(|rule| lacks(&new, rule)).collect();
    let old_values: Vec<Rule> = old.iter().map(|rule| rule.for_old(schemas)).collect();
    let mut found = Vec::new();
    for rule in new.iter().filter(|rule| lacks(&old, rule)) {
        let of_old = rule.for_old(schemas);
        // What of the older schema decides one rule but not the other can hide that one is a part of the other.
        let accepts_all = of_old.accepts_all_of(&old_values) || rule.accepts_all_of(&old);
        let is_like = |old: &&Rule| rule.accepts_all_of([*old]) || old.accepts_all_of([rule]);
        // What is about new values alone takes the place of none.
        let is_like_of_old = |old: &&Rule| !of_old.accepts_all_of([]) && of_old.accepts_all_of([&old.for_old(schemas)]);
        let instead = gone.iter().position(is_like).or_else(|| gone.iter().position(is_like_of_old));
        let (words, before) = (short(&rule.words()), instead.map(|at| gone.remove(at)));
        found.push(match (before, accepts_all) {
            (Some(before), is_wider) => {
                let is_narrower = before.accepts_all_of(&new);
                let is_narrower_of_old = || before.for_old(schemas).accepts_all_of([&of_old]);
                let (class, what) = match is_wider {
                    true if is_narrower && rule.accepts_all_of(&old) => (Class::Documentation, ", which says the same"),
                    true if is_narrower || is_narrower_of_old() => {
                        (Class::Additive, ", which says the same of what was accepted")
                    }
                    true => (Class::Loosened, ""),
                    false => (Class::Tightened, ""),
                };
                (class, format!("the rule {} becomes {words}{what}", short(&before.words())))
            }
            (None, true) => (Class::Additive, format!("the rule {words} is new, and accepts all that was accepted")),
            (None, false) => (Class::Tightened, format!("the rule {words} is new")),
        });
    }
    found.extend(answers(written));
    found.extend(gone.into_iter().map(|rule| match rule.accepts_all_of(&new) {
        true => {
            (Class::Documentation, format!("the rule {} is gone, and the others demand the same", short(&rule.words())))
        }
        false => (Class::Loosened, format!("the rule {} is gone", short(&rule.words()))),
    }));
    found
}

/// What clients get where a rule does not hold, and what each is where it is not written.
const ANSWERS: [(&str, &str); 4] =
    [("reason", "FieldValueInvalid"), ("fieldPath", ""), ("message", ""), ("messageExpression", "")];

/// Compares what clients get where a rule does not hold.
fn answers(rules: [Option<&Value>; 2]) -> Vec<(Class, String)> {
    let [old, new] = rules.map(|rules| rules.and_then(Value::as_array).map_or(&[][..], Vec::as_slice));
    let [old_rules, new_rules] = rules.map(listed);
    let changes = |(rule, read): (&Value, &Rule)| {
        let before: Vec<&Value> =
            old.iter().zip(&old_rules).filter(|(_, its)| its.is(read)).map(|(old, _)| old).collect();
        let change = |(key, unwritten): (&str, &str)| {
            let of = |rule: &Value| rule[key].as_str().unwrap_or(unwritten).to_owned();
            let [first, after] = [of(before.first()?), of(rule)];
            let words = || short(&read.words());
            let said = |text: &str| if text.is_empty() { "absent".to_owned() } else { short(text) };
            (!before.iter().any(|before| of(before) == after)).then(|| {
                let change = format!("the {key} {} becomes {}", said(&first), said(&after));
                (Class::Documentation, format!("where the rule {} does not hold, {change}", words()))
            })
        };
        ANSWERS.into_iter().filter_map(change).collect::<Vec<_>>()
    };
    new.iter().zip(&new_rules).flat_map(changes).collect()
}

/// Reads the rules of a list.
fn listed(rules: Option<&Value>) -> Vec<Rule> {
    let rules = rules.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let read = |rule: &Value| Rule::read(rule["rule"].as_str().unwrap_or_default(), rule["optionalOldSelf"] == true);
    rules.iter().map(read).collect()
}

/// Returns a value for a message.
pub(super) fn shown(value: Option<&Value>) -> String {
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

/// Returns whether the API server knows a keyword; it drops others.
pub(super) fn is_known(keyword: &str) -> bool {
    let is_compared = ELSEWHERE.contains(&keyword) || KEYWORDS.iter().any(|(known, ..)| *known == keyword);
    is_compared && !keyword.starts_with("x-kubernetes-patch-")
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

    fn compared(old: &Map<String, Value>, new: &Map<String, Value>) -> Vec<Difference> {
        differences(&Compared {
            old,
            new,
            elsewhere: Vec::new(),
            stored: Vec::new(),
            is_pruned: true,
            defaults: Vec::new(),
        })
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
        check(&json!({"format": "int64"}), &json!({}), Code::CrdFormat, [Class::Documentation; 2]);
        check(
            &json!({"format": "one-of-ours"}),
            &json!({"format": "double"}),
            Code::CrdFormat,
            [Class::Documentation; 2],
        );
        check(&json!({"uniqueItems": true}), &json!({"uniqueItems": false}), Code::CrdUniqueItems, WIDER);
        check(&json!({"minimum": 1, "exclusiveMinimum": true}), &json!({"minimum": 1}), Code::CrdBound, WIDER);
        check(&json!({"maximum": 1, "exclusiveMaximum": true}), &json!({"maximum": 1}), Code::CrdBound, WIDER);
        check(&json!({"multipleOf": 2}), &json!({}), Code::CrdBound, WIDER);
        check(&json!({"multipleOf": 4}), &json!({"multipleOf": 2}), Code::CrdBound, WIDER);
        check(&json!({"multipleOf": 3}), &json!({"multipleOf": 2}), Code::CrdBound, UNLIKE);
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
        assert_eq!(compared(&schema(&json!({})), &schema(&json!({"exclusiveMaximum": true}))), []);
        let [reached, below] = [json!({"maximum": 5}), json!({"maximum": 6, "exclusiveMaximum": true})];
        assert_eq!(compared(&schema(&reached), &schema(&below)), [], "the bound says it");
        let [one, other] = [
            json!({"anyOf": [{"required": ["a", "b"], "description": "x"}, {"required": ["c"]}]}),
            json!({"anyOf": [{"required": ["c"]}, {"required": ["b", "a"], "description": "y"}]}),
        ];
        assert_eq!(compared(&schema(&one), &schema(&other)), [], "the order says nothing");
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
        check(&with(&["self in ['a']"]), &with(&["self in ['a', 'b']"]), Code::CrdRule, WIDER);
        let schema = |rule: &str| with(&[rule]).as_object().cloned().unwrap_or_default();
        let classes: Vec<_> = compared(&schema("a"), &schema("b")).into_iter().map(|one| one.class).collect();
        assert_eq!(classes, [Class::Tightened, Class::Loosened], "one is new, one is gone");
        assert_eq!(compared(&schema("a  &&\n b"), &schema("(a && b)")), []);
        let listed = |values: Value, rule: &str| {
            let mut schema = with(&[rule]);
            schema["properties"] = json!({"a": {"type": "string", "enum": values}, "b": {}});
            schema["required"] = json!(["a"]);
            schema.as_object().cloned().unwrap_or_default()
        };
        let old = listed(json!(["x"]), "self.a == 'x' ? has(self.b) : !has(self.b)");
        let class = |rule: &str| {
            let found = compared(&old, &listed(json!(["x", "y"]), rule));
            found.into_iter().filter(|one| one.code == Code::CrdRule).map(|one| one.class).collect::<Vec<_>>()
        };
        assert_eq!(class("self.a in ['x', 'y'] ? has(self.b) : !has(self.b)"), [Class::Additive]);
        assert_eq!(class("self.a == 'x' ? !has(self.b) : has(self.b)"), [Class::Tightened, Class::Loosened]);
        assert_eq!(compared(&schema("a == 'x  y'"), &schema("a == 'x y'")).len(), 2, "a text has its blanks");
    }

    #[test]
    fn what_clients_get_where_a_rule_does_not_hold_is_documentation() {
        let schema = |rule: &Value| json!({RULES: [rule]}).as_object().cloned().unwrap_or_default();
        for key in ["reason", "message", "messageExpression", "fieldPath"] {
            let [old, new] = [json!({"rule": "self.a<5", key: "a"}), json!({"rule": "self.a < 5", key: "b"})];
            let found = compared(&schema(&old), &schema(&new));
            let texts: Vec<_> = found.iter().map(|one| (one.class, one.text.as_str())).collect();
            let text = format!("where the rule self.a < 5 does not hold, the {key} a becomes b");
            assert_eq!(texts, [(Class::Documentation, text.as_str())]);
        }
        let unwritten = [json!({"rule": "a"}), json!({"rule": "a", "reason": "FieldValueInvalid"})];
        assert_eq!(compared(&schema(&unwritten[0]), &schema(&unwritten[1])), [], "it is the reason without one");
    }

    #[test]
    fn an_int_or_string_that_is_spelt_out_is_none_other() {
        let plain = json!({"x-kubernetes-int-or-string": true});
        let spelt = json!({"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": true});
        let schema = |value: &Value| value.as_object().cloned().unwrap_or_default();
        assert_eq!(compared(&schema(&plain), &schema(&spelt)), []);
    }
}
