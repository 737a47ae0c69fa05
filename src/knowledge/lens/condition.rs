//! Answers: does an object's data meet a condition?
//!
//! A [`Condition`] is a small tree of tests on parsed field patterns, as rules write it in `when` and `refuse`; `verdict` says whether it
//! holds.
//!
//! Invariant: a condition reads the data only; a pattern with `[]` or `{}` holds when any of its matches does.

use core::net::IpAddr;
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, OnceLock};

use regex::Regex;
use serde::Deserialize;
use serde_json::Value;

use super::amount;
use super::operation::{Form, Premise, Side};
use crate::knowledge::catalog::expanded_length;
use crate::syntax::field::{FieldPath, FieldPattern};

/// A test on an object's data; it always holds where none is written. Clones share it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(try_from = "Tests")]
pub struct Condition(pub(super) Option<Arc<Test>>);

impl TryFrom<Tests> for Condition {
    type Error = String;

    fn try_from(tests: Tests) -> Result<Self, Self::Error> {
        let mut written = tests.written();
        if written.len() > 1 {
            let names: Vec<_> = written.iter().map(|(name, _)| *name).collect();
            let list = names.iter().map(|name| format!("{{ {name}: ... }}")).collect::<Vec<_>>().join(", ");
            return Err(format!(
                "`{}` are in one test: write `all: [{list}]` if all of them must hold, or `any: [{list}]` if one is enough",
                names.join("` and `")
            ));
        }
        match written.pop() {
            None => {
                Err("there is no test in it: write one, such as `present: spec.tls`, or leave out the key".to_owned())
            }
            Some((name, Test::All(inner) | Test::Any(inner))) if inner.is_empty() => {
                Err(format!("`{name}` has no test: write at least one"))
            }
            Some((_, Test::Text(text))) if text.is_empty() => {
                Err("`text` has no test: write `starts`, `contains`, `ends`, `matches` or `is`".to_owned())
            }
            Some((_, test)) => Ok(Self::from(test)),
        }
    }
}

impl From<Test> for Condition {
    fn from(test: Test) -> Self {
        Self(Some(Arc::new(test)))
    }
}

/// A test.
#[derive(Clone, Debug)]
pub(super) enum Test {
    Present(FieldPattern),
    Absent(FieldPattern),
    Equals(Equals),
    Same([FieldPattern; 2]),
    Type(TypeIs),
    More(More),
    Text(Text),
    Exceeds(Exceeds),
    Total(Total),
    Keys(Place),
    Repeats(Repeats),
    Some(Place),
    Unmatched(Unmatched),
    Not(Condition),
    All(Vec<Condition>),
    Any(Vec<Condition>),
}

/// The tests of a condition, as they are written.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
struct Tests {
    /// The field is present, whatever its value: `present: spec.tls`.
    present: Option<FieldPattern>,
    /// The field is absent: `absent: spec.tls`.
    absent: Option<FieldPattern>,
    /// The field has this value: `equals: { field: spec.type, value: Cookie }`. Spellings of one quantity or duration are equal.
    equals: Option<Equals>,
    /// Both fields are present and have the same value: `same: [spec.targetRef.namespace, metadata.namespace]`.
    same: Option<[FieldPattern; 2]>,
    /// The field's value has this type: `type: { field: spec.headers, is: map }`.
    r#type: Option<TypeIs>,
    /// The list has more items: `more: { field: spec.rules, than: 1 }`.
    more: Option<More>,
    /// The field is a text that starts with, contains or ends with a part, matches a regular expression, or is an IP address:
    /// `text: { field: spec.path, starts: / }`. Without a field, the place itself is meant.
    text: Option<Text>,
    /// The field is a larger number or quantity, or a longer duration, than another field or a value:
    /// `exceeds: { field: timeouts.backendRequest, other: timeouts.request }`, `exceeds: { field: interval, value: 1h }`.
    exceeds: Option<Exceeds>,
    /// All lists of the places have more items together; an absent list counts as `absent` items:
    /// `total: { of: "spec.rules[]", field: matches, absent: 1, than: 128 }`.
    total: Option<Total>,
    /// The inner test holds for one of the keys of the mapping, as a text: `keys: { of: spec.labels, is: { text: { contains: / } } }`.
    keys: Option<Place>,
    /// Two of the places are equal in every field: `repeats: { of: "spec.listeners[]", by: [port, protocol] }`. They are equal
    /// in a field that neither has; `defaults` has the values of absent fields, `if` selects the places that count. With
    /// `partly`, exactly one of the two must have any of those fields.
    repeats: Option<Repeats>,
    /// The inner test holds for one of the places: `some: { of: "spec.rules[]", is: { absent: backendRefs } }`.
    some: Option<Place>,
    /// One of the `parts` of the place, or of theirs, has one of `fields` that the place does not have, at any depth:
    /// `unmatched: { parts: ["oneOf[]", not], fields: ["properties{}"] }`.
    unmatched: Option<Unmatched>,
    /// The inner test fails: `not: { present: spec.tls }`.
    not: Option<Condition>,
    /// Every inner test holds: `all: [...]`.
    all: Option<Vec<Condition>>,
    /// At least one inner test holds: `any: [...]`.
    any: Option<Vec<Condition>>,
}

impl Tests {
    /// The tests that are written, with their names.
    fn written(self) -> Vec<(&'static str, Test)> {
        let tests = [
            ("present", self.present.map(Test::Present)),
            ("absent", self.absent.map(Test::Absent)),
            ("equals", self.equals.map(Test::Equals)),
            ("same", self.same.map(Test::Same)),
            ("type", self.r#type.map(Test::Type)),
            ("more", self.more.map(Test::More)),
            ("text", self.text.map(Test::Text)),
            ("exceeds", self.exceeds.map(Test::Exceeds)),
            ("total", self.total.map(Test::Total)),
            ("keys", self.keys.map(Test::Keys)),
            ("repeats", self.repeats.map(Test::Repeats)),
            ("some", self.some.map(Test::Some)),
            ("unmatched", self.unmatched.map(Test::Unmatched)),
            ("not", self.not.map(Test::Not)),
            ("all", self.all.map(Test::All)),
            ("any", self.any.map(Test::Any)),
        ];
        tests.into_iter().filter_map(|(name, test)| Some((name, test?))).collect()
    }
}

/// A field and the value it must have.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Equals {
    /// The field.
    pub(super) field: FieldPattern,
    /// The value that it must have: any YAML value.
    pub(super) value: Value,
}

/// A list and the number of items that it must exceed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct More {
    /// The list.
    pub(super) field: FieldPattern,
    /// The number of items that it must exceed.
    pub(super) than: usize,
}

/// Places, and the fields by which they are compared.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Repeats {
    /// The places.
    of: FieldPattern,
    /// The fields in which two of them must be equal.
    by: Vec<FieldPattern>,
    /// The values of fields that a place does not have: `defaults: { protocol: HTTP }`.
    #[serde(default)]
    defaults: BTreeMap<FieldPattern, Value>,
    /// Fields of which exactly one of the two must have any: `partly: [hostname]`.
    #[serde(default)]
    partly: Vec<FieldPattern>,
    /// Which places count: `if: { present: port }`; all where it is not written.
    #[serde(default)]
    r#if: Condition,
}

impl Repeats {
    pub(super) fn holds(&self, object: &Value) -> bool {
        let counted: Vec<_> = self.of.values(object).into_iter().filter(|place| self.r#if.holds(place)).collect();
        if counted.len() < 2 {
            return false;
        }
        let mut seen = HashSet::new();
        counted.into_iter().any(|place| {
            let fields: Vec<_> = self.by.iter().map(|field| self.effective(field, place)).collect();
            let has = self.partly.iter().any(|field| self.is_set(field, place));
            let other = if self.partly.is_empty() { has } else { !has };
            let again = seen.contains(&(fields.clone(), other));
            seen.insert((fields, has));
            again
        })
    }

    /// Returns the values of a field of a place, or its default.
    fn effective<'v>(&'v self, field: &FieldPattern, place: &'v Value) -> Vec<&'v Value> {
        let written = field.values(place);
        if written.is_empty() { self.defaults.get(field).into_iter().collect() } else { written }
    }

    /// Returns whether a place has a field with a value other than its default.
    fn is_set(&self, field: &FieldPattern, place: &Value) -> bool {
        field.any(place, |value| self.defaults.get(field) != Some(value))
    }
}

/// A field, and what it must be larger than: another field, a value, or both.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Exceeds {
    /// The field.
    pub(super) field: FieldPattern,
    /// The field that it must exceed.
    pub(super) other: Option<FieldPattern>,
    /// The value that it must exceed.
    pub(super) value: Option<Value>,
}

impl Exceeds {
    pub(super) fn holds(&self, object: &Value) -> bool {
        let others: Vec<&Value> = self.other.iter().flat_map(|other| other.values(object)).chain(&self.value).collect();
        self.field.any(object, |value| others.iter().any(|other| amount::exceeds(value, other)))
    }
}

/// Places, a list of each, and the number of items that all must exceed together.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Total {
    /// The places.
    of: FieldPattern,
    /// The list of each place.
    field: FieldPattern,
    /// How many items an absent list counts as; 0 where it is not written.
    #[serde(default)]
    absent: usize,
    /// The number of items that all must exceed together.
    than: usize,
}

impl Total {
    pub(super) fn holds(&self, object: &Value) -> bool {
        let count = |place: &Value| match self.field.values(place).as_slice() {
            [] => self.absent,
            lists => lists.iter().filter_map(|list| list.as_array()).map(Vec::len).sum(),
        };
        self.of.values(object).into_iter().map(count).sum::<usize>() > self.than
    }
}

/// A text, and the tests that it must pass.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Text {
    /// The text; the place itself where it is not written.
    #[serde(default)]
    pub(super) field: FieldPattern,
    /// How it must begin.
    pub(super) starts: Option<String>,
    /// What it must contain: `contains: "*"`.
    pub(super) contains: Option<String>,
    /// How it must end: `ends: .example.com`.
    pub(super) ends: Option<String>,
    /// A regular expression that must match somewhere in it: `matches: "^[0-9]+$"`.
    pub(super) matches: Option<Expression>,
    /// The format that it must have: `is: ip`.
    pub(super) is: Option<Format>,
}

/// A regular expression; one that cannot be read or is too large is an error of the rule. Most rules that are read meet no text, so it is
/// compiled for the first, unless it could be too large.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Expression {
    text: String,
    compiled: OnceLock<Option<Regex>>,
}

impl TryFrom<String> for Expression {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if expanded_length(&text)? > SURELY_COMPILED {
            let regex = Regex::new(&text).map_err(|error| error.to_string())?;
            return Ok(Self { text, compiled: OnceLock::from(Some(regex)) });
        }
        Ok(Self { text, compiled: OnceLock::new() })
    }
}

/// Expressions of this length are far below the size that is refused.
const SURELY_COMPILED: usize = 10_000;

impl Expression {
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether it matches somewhere in `text`.
    pub(super) fn is_match(&self, text: &str) -> bool {
        let compiled = self.compiled.get_or_init(|| Regex::new(&self.text).ok());
        compiled.as_ref().is_some_and(|regex| regex.is_match(text))
    }
}

/// The format of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Format {
    /// `10.0.0.1`, `::1`
    Ip,
}

impl Text {
    /// Returns whether every text passes.
    const fn is_empty(&self) -> bool {
        self.starts.is_none()
            && self.contains.is_none()
            && self.ends.is_none()
            && self.matches.is_none()
            && self.is.is_none()
    }

    pub(super) fn holds(&self, value: &Value) -> bool {
        let Some(text) = value.as_str() else { return false };
        self.starts.as_ref().is_none_or(|part| text.starts_with(part.as_str()))
            && self.contains.as_ref().is_none_or(|part| text.contains(part.as_str()))
            && self.ends.as_ref().is_none_or(|part| text.ends_with(part.as_str()))
            && self.matches.as_ref().is_none_or(|expression| expression.is_match(text))
            && self.is.is_none_or(|Format::Ip| text.parse::<IpAddr>().is_ok())
    }
}

/// Places, and a test that one of them must pass.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Place {
    /// The places, or the mapping whose keys are tested.
    pub(super) of: FieldPattern,
    /// What must hold for one of them; fields are named from there.
    pub(super) is: Condition,
}

/// Parts of a place that have the same fields as the place.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Unmatched {
    /// The parts, which can have parts themselves.
    parts: Vec<FieldPattern>,
    /// The fields of a part that the place must have too, and so must what is in them: `fields: ["properties{}", items]`.
    fields: Vec<FieldPattern>,
}

impl Unmatched {
    pub(super) fn holds(&self, place: &Value) -> bool {
        self.parts_of(place).any(|part| self.is_unmatched(part, place))
    }

    fn parts_of<'v>(&'v self, place: &'v Value) -> impl Iterator<Item = &'v Value> {
        self.parts.iter().flat_map(|part| part.values(place))
    }

    /// Returns whether `part`, or a part of it, has a field that `place` does not have.
    fn is_unmatched(&self, part: &Value, place: &Value) -> bool {
        let is_missing = |path: &FieldPath| match (path.get(part), path.get(place)) {
            (Some(part), Some(place)) => self.is_unmatched(part, place),
            (_, _) => true,
        };
        self.fields.iter().any(|field| field.matches(part).iter().any(is_missing))
            || self.parts_of(part).any(|inner| self.is_unmatched(inner, place))
    }
}

/// A field and the type its value must have.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TypeIs {
    /// The field.
    pub(super) field: FieldPattern,
    /// The type that its value must have.
    pub(super) is: ValueType,
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ValueType {
    /// A mapping.
    Map,
    /// A list.
    List,
    /// A text.
    String,
    /// A number.
    Number,
    /// `true` or `false`.
    Bool,
    /// null, which is not the same as an absent field.
    Null,
}

impl ValueType {
    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Object(_) => Self::Map,
            Value::Array(_) => Self::List,
            Value::String(_) => Self::String,
            Value::Number(_) => Self::Number,
            Value::Bool(_) => Self::Bool,
            Value::Null => Self::Null,
        }
    }
}

impl ValueType {
    /// What is expected of a field that has the type; nothing where any field can.
    const fn form(self) -> Option<Form> {
        match self {
            Self::Map => Some(Form::Mapping),
            Self::List => Some(Form::List),
            Self::String => Some(Form::Text),
            Self::Number => Some(Form::Number),
            Self::Bool => Some(Form::Boolean),
            Self::Null => None,
        }
    }
}

impl Condition {
    /// Makes the test that at least one of `tests` holds.
    pub fn any(tests: Vec<Self>) -> Self {
        Self::from(Test::Any(tests))
    }

    /// Returns whether it holds for every object that has a field that matches `field`.
    pub(super) fn follows_from(&self, field: &FieldPattern) -> bool {
        match self.0.as_deref() {
            None => true,
            Some(Test::Present(present)) => field.starts_with(present),
            Some(Test::All(tests)) => tests.iter().all(|test| test.follows_from(field)),
            Some(Test::Any(tests)) => tests.iter().any(|test| test.follows_from(field)),
            Some(_) => false,
        }
    }

    /// Returns whether it holds for every object that has `value` in a field that matches `field`.
    pub(super) fn is_met_by(&self, field: &FieldPattern, value: &Value) -> bool {
        match self.0.as_deref() {
            Some(Test::Equals(test)) => test.field == *field && test.value == *value,
            Some(Test::All(tests)) => tests.iter().all(|test| test.is_met_by(field, value)),
            Some(Test::Any(tests)) => tests.iter().any(|test| test.is_met_by(field, value)),
            _ => self.follows_from(field),
        }
    }

    /// Returns whether it can hold because of something that is absent, which a part of an object can leave to the whole.
    pub(super) fn reads_absence(&self) -> bool {
        match self.0.as_deref() {
            Some(Test::Absent(_) | Test::Not(_) | Test::Unmatched(_)) => true,
            Some(Test::All(tests) | Test::Any(tests)) => tests.iter().any(Self::reads_absence),
            _ => false,
        }
    }

    /// Returns the fields that are compared with another one.
    pub(super) fn compared(&self) -> Vec<&FieldPattern> {
        match self.0.as_deref() {
            Some(Test::Same(fields)) => fields.iter().collect(),
            Some(Test::Not(test)) => test.compared(),
            Some(Test::All(tests) | Test::Any(tests)) => tests.iter().flat_map(Self::compared).collect(),
            _ => Vec::new(),
        }
    }

    /// Returns what the tests take for granted about fields.
    pub fn premises(&self) -> Vec<Premise> {
        let Some(test) = self.0.as_deref() else { return Vec::new() };
        let premise = |field: &FieldPattern, form| vec![Premise::new(field, form, Side::Either)];
        let below = |place: &FieldPattern, test: &Self| {
            test.premises().into_iter().map(|premise| premise.below(place)).collect::<Vec<_>>()
        };
        match test {
            Test::Present(field) | Test::Absent(field) => vec![Premise::present(field)],
            Test::Text(test) => vec![Premise::present(&test.field)],
            Test::Same(fields) => fields.iter().map(Premise::present).collect(),
            Test::Exceeds(test) => test.other.iter().chain([&test.field]).map(Premise::present).collect(),
            Test::Equals(test) => premise(&test.field, Form::Value(test.value.clone())),
            Test::Type(test) => test.is.form().map(|form| premise(&test.field, form)).unwrap_or_default(),
            Test::More(test) => premise(&test.field, Form::List),
            Test::Total(test) => premise(&test.of.join(&test.field), Form::List),
            Test::Keys(test) => premise(&test.of, Form::Mapping),
            Test::Repeats(test) => {
                let fields = test.by.iter().chain(&test.partly).map(|field| Premise::present(&test.of.join(field)));
                fields.chain(below(&test.of, &test.r#if)).collect()
            }
            Test::Some(test) => [Premise::present(&test.of)].into_iter().chain(below(&test.of, &test.is)).collect(),
            Test::Unmatched(test) => test.parts.iter().chain(&test.fields).map(Premise::present).collect(),
            Test::Not(test) => test.premises(),
            Test::All(tests) | Test::Any(tests) => tests.iter().flat_map(Self::premises).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(condition: &str, expected: bool) {
        let object = json!({"metadata": {"namespace": "a"}, "spec": {"ref": {"namespace": "a", "x": null}, "l": [{"t": 1}, {"t": 2}]}});
        let condition: Condition = serde_yaml::from_str(condition).unwrap();
        assert_eq!(condition.holds(&object), expected);
    }

    #[test]
    fn tests_read_parsed_fields() {
        check("present: spec.ref.x", true);
        check("present: spec.re", false);
        check("absent: spec.ref.y", true);
        check("equals: { field: \"spec.l[].t\", value: 2 }", true);
        check("equals: { field: \"spec.l[].t\", value: \"2\" }", false);
        check("same: [spec.ref.namespace, metadata.namespace]", true);
        check("same: [spec.ref.namespace, metadata.name]", false);
        check("type: { field: spec.l, is: list }", true);
        check("type: { field: spec.ref.x, is: map }", false);
    }

    #[test]
    fn tests_read_items_of_lists() {
        check("more: { field: spec.l, than: 1 }", true);
        check("more: { field: spec.l, than: 2 }", false);
        check("more: { field: spec.ref, than: 0 }", false);
        check("some: { of: \"spec.l[]\", is: { equals: { field: t, value: 2 } } }", true);
        check("some: { of: \"spec.l[]\", is: { all: [{ equals: { field: t, value: 2 } }, { present: u }] } }", false);
        check("repeats: { of: \"spec.l[]\", by: [t] }", false);
        check("repeats: { of: \"spec.l[]\", by: [u] }", true);
        check("repeats: { of: \"spec.l[]\", by: [u], if: { present: u } }", false);
    }

    #[test]
    fn parts_are_about_fields_of_the_place() {
        let test = "unmatched: { parts: [\"a[]\", n], fields: [\"p{}\", i] }";
        let condition: Condition = serde_yaml::from_str(test).unwrap();
        let place = |parts: Value| json!({"a": parts, "p": {"x": {"p": {"y": 1}}, "z": {"i": {}}}});
        for parts in [
            json!([]),
            json!([{"p": {"x": {}}}, {"r": 1}]),
            json!([{"p": {"x": {"p": {"y": {}}}, "z": {"i": {}}}}]),
            json!([{"n": {"a": [{"p": {"x": {"n": {"p": {"y": 1}}}}}]}}]),
        ] {
            assert!(!condition.holds(&place(parts.clone())), "{parts}");
        }
        for parts in [
            json!([{"p": {"y": {}}}]),
            json!([{}, {"p": {"x": {"p": {"x": {}}}}}]),
            json!([{"i": {}}]),
            json!([{"n": {"a": [{"p": {"x": {"n": {"p": {"q": 1}}}}}]}}]),
        ] {
            assert!(condition.holds(&place(parts.clone())), "{parts}");
        }
    }

    #[test]
    fn repeats_use_the_defaults_of_absent_fields() {
        let object = json!({"r": [{"n": "a"}, {"n": "a", "k": "G", "s": ""}]});
        let holds = |condition: &str, object: &Value| {
            let condition: Condition = serde_yaml::from_str(condition).unwrap();
            condition.holds(object)
        };
        assert!(!holds("repeats: { of: \"r[]\", by: [n, k] }", &object));
        assert!(holds("repeats: { of: \"r[]\", by: [n, k], defaults: { k: G } }", &object));
        assert!(!holds("repeats: { of: \"r[]\", by: [n, k], defaults: { k: H } }", &object));
        let partly = "repeats: { of: \"r[]\", by: [n], partly: [s], defaults: { s: \"\" } }";
        assert!(!holds(partly, &object));
        assert!(holds(partly, &json!({"r": [{"n": "b", "s": "x"}, {"n": "a"}, {"n": "b"}]})));
        assert!(!holds(
            partly,
            &json!({"r": [{"n": "a"}, {"n": "a", "s": ""}, {"n": "b", "s": "x"}, {"n": "b", "s": "x"}]})
        ));
        let either = "repeats: { of: \"r[]\", by: [n], partly: [s, p] }";
        assert!(!holds(either, &json!({"r": [{"n": "a", "s": 1}, {"n": "a", "p": 1}]})));
        assert!(holds(either, &json!({"r": [{"n": "a", "s": 1}, {"n": "a"}]})));
    }

    #[test]
    fn texts_are_compared() {
        let holds = |test: &str, text: &str| {
            let condition: Condition = serde_yaml::from_str(&format!("text: {{ field: p, {test} }}")).unwrap();
            condition.holds(&json!({"p": text}))
        };
        assert!(holds("starts: /", "/a") && !holds("starts: /", "a/"));
        assert!(holds("contains: //", "/a//b") && !holds("contains: //", "/a/b"));
        assert!(holds("ends: /.", "/a/.") && !holds("ends: /.", "/a/.b"));
        assert!(holds("is: ip", "10.0.0.1") && holds("is: ip", "::1"));
        assert!(!holds("is: ip", "10.0.0.1.example.com") && !holds("is: ip", "10.0.0.256"));
    }

    #[test]
    fn texts_match_expressions_without_a_field_too() {
        let holds = |condition: &str| {
            let condition: Condition = serde_yaml::from_str(condition).unwrap();
            condition.holds(&json!({"p": "a1", "l": {"a/b": "1", "c": "2"}, "n": 1}))
        };
        assert!(
            holds("text: { field: p, matches: '^[a-z]+[0-9]$' }") && !holds("text: { field: p, matches: '^[a-z]$' }")
        );
        assert!(!holds("text: { field: n, matches: '1' }"));
        assert!(holds("some: { of: \"l{}\", is: { text: { matches: '^2$' } } }"));
        assert!(holds("keys: { of: l, is: { text: { contains: / } } }"));
        assert!(holds("keys: { of: l, is: { not: { text: { contains: / } } } }"));
        assert!(
            !holds("keys: { of: l, is: { text: { contains: d } } }")
                && !holds("keys: { of: p, is: { text: { contains: a } } }")
        );
        assert!(serde_yaml::from_str::<Condition>("text: { field: p, matches: '(' }").is_err());
    }

    #[test]
    fn amounts_are_compared_with_fields_and_values() {
        let holds = |condition: &str| {
            let condition: Condition = serde_yaml::from_str(condition).unwrap();
            condition.holds(&json!({"a": "1m", "b": "59s", "c": 3, "d": 4, "l": [{"n": 2}, {"n": 5}]}))
        };
        assert!(holds("exceeds: { field: a, other: b }") && !holds("exceeds: { field: b, other: a }"));
        assert!(holds("exceeds: { field: d, other: c }") && !holds("exceeds: { field: c, other: c }"));
        assert!(holds("exceeds: { field: a, value: 59s }") && !holds("exceeds: { field: a, value: 60s }"));
        assert!(holds("exceeds: { field: \"l[].n\", value: 4 }") && !holds("exceeds: { field: \"l[].n\", value: 5 }"));
        assert!(!holds("exceeds: { field: a, other: x }") && !holds("exceeds: { field: x, value: 0 }"));
    }

    #[test]
    fn items_are_counted_over_places() {
        let holds = |test: &str| {
            let condition: Condition =
                serde_yaml::from_str(&format!("total: {{ of: \"r[]\", field: m, {test} }}")).unwrap();
            condition.holds(&json!({"r": [{"m": [1, 2]}, {}, {"m": []}, {"m": [3]}, {"m": 1}]}))
        };
        assert!(holds("than: 2") && !holds("than: 3"));
        assert!(holds("than: 3, absent: 1") && !holds("than: 4, absent: 1"));
    }

    #[test]
    fn some_tests_read_absence() {
        let reads = |condition: &str| serde_yaml::from_str::<Condition>(condition).unwrap().reads_absence();
        assert!(reads("absent: a") && reads("not: { present: a }"));
        assert!(reads("any: [{ present: a }, { all: [{ absent: b }] }]"));
        assert!(!reads("present: a") && !reads("all: [{ equals: { field: a, value: 1 } }]"));
        assert!(!reads("some: { of: \"l[]\", is: { absent: b } }"));
    }

    #[test]
    fn several_tests_are_joined_by_a_word() {
        let error = |text: &str| serde_yaml::from_str::<Condition>(text).unwrap_err().to_string();
        assert_eq!(
            error("{ present: spec.a, absent: spec.b }"),
            "`present` and `absent` are in one test: write `all: [{ present: ... }, { absent: ... }]` if all of them must hold, or \
             `any: [{ present: ... }, { absent: ... }]` if one is enough"
        );
        assert_eq!(error("any: []"), "`any` has no test: write at least one");
        assert!(error("{}").starts_with("there is no test in it"));
        assert!(error("not: {}").contains("there is no test in it"));
    }

    #[test]
    fn tests_combine() {
        check("not: { present: spec.y }", true);
        check("all: [{ present: spec.ref }, { present: spec.y }]", false);
        check("any: [{ present: spec.ref }, { present: spec.y }]", true);
        check("all: [{ present: spec.ref }, { absent: spec.ref }]", false);
    }

    #[test]
    fn some_tests_follow_from_a_field() {
        let follows = |condition: &str, field: &str| {
            let condition: Condition = serde_yaml::from_str(condition).unwrap();
            condition.follows_from(&FieldPattern::parse(field).unwrap())
        };
        assert!(Condition::default().follows_from(&FieldPattern::parse("spec.a").unwrap()));
        assert!(follows("present: spec.a", "spec.a"));
        assert!(follows("present: spec.a", "spec.a.b"));
        assert!(!follows("present: spec.a.b", "spec.a"));
        assert!(!follows("all: [{ present: spec.a }, { absent: spec.b }]", "spec.a"));
        assert!(follows("any: [{ equals: { field: spec.b, value: 1 } }, { present: spec.a }]", "spec.a"));
        assert!(!follows("all: [{ equals: { field: spec.b, value: 1 } }, { present: spec.a }]", "spec.a"));
        assert!(!follows("not: { absent: spec.a }", "spec.a"));
    }

    #[test]
    fn some_tests_can_be_satisfied_by_a_value() {
        let met = |condition: &str, value: i64| {
            let condition: Condition = serde_yaml::from_str(condition).unwrap();
            condition.is_met_by(&FieldPattern::parse("spec.a").unwrap(), &json!(value))
        };
        assert!(met("equals: { field: spec.a, value: 1 }", 1));
        assert!(!met("equals: { field: spec.a, value: 1 }", 2));
        assert!(!met("equals: { field: spec.b, value: 1 }", 1));
        assert!(met("any: [{ equals: { field: spec.a, value: 1 } }, { equals: { field: spec.a, value: 2 } }]", 2));
        assert!(!met("all: [{ equals: { field: spec.a, value: 1 } }, { absent: spec.b }]", 1));
        assert!(met("all: [{ equals: { field: spec.a, value: 1 } }, { present: spec.a }]", 1));
    }

    #[test]
    fn unknown_tests_are_rejected() {
        assert!(serde_yaml::from_str::<Condition>("exists: spec").is_err());
    }

    #[test]
    fn an_expression_that_is_too_large_is_an_error_of_the_rule() {
        let read = |text: &str| Expression::try_from(text.to_owned());
        assert!(read("((a{99}){99}){99}").unwrap_err().contains("size limit"));
        assert!(read("[a-z]([-a-z0-9]{0,61}[a-z0-9])?").unwrap().is_match("shop"));
        assert!(read("a{200}{100}").is_ok());
        // The classes with the most ranges, as long as is not compiled at once.
        let (class, largest) = (expanded_length(r"\w").unwrap(), r"\w");
        let largest = format!("{largest}{{{}}}", SURELY_COMPILED / class);
        assert!(Regex::new(&largest).is_ok(), "{largest}");
    }
}
