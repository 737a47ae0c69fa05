//! Answers: does an object's data meet a condition?
//!
//! A [`Condition`] is a small tree of tests on parsed field patterns, as rules write it in `when` and `refuse`.
//!
//! Invariant: a condition reads the data only; a pattern with `[]` or `{}` holds when any of its matches does.

use core::net::IpAddr;
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use regex::Regex;
use serde::Deserialize;
use serde_json::Value;

use super::amount;
use super::premise::{Form, Premise, Side};
use crate::field::{FieldPath, FieldPattern};

/// A test on an object's data; it always holds where none is written. Clones share it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(try_from = "Tests")]
pub struct Condition(Arc<Tests>);

impl TryFrom<Tests> for Condition {
    type Error = String;

    fn try_from(tests: Tests) -> Result<Self, Self::Error> {
        let names = tests.names();
        let list = || names.iter().map(|name| format!("{{ {name}: ... }}")).collect::<Vec<_>>().join(", ");
        if names.len() > 1 {
            let (all, together) = (list(), names.join("` and `"));
            return Err(format!(
                "`{together}` are in one test: write `all: [{all}]` if all of them must hold, or `any: [{all}]` if one is enough"
            ));
        }
        if names.is_empty() {
            return Err(
                "there is no test in it: write one, such as `present: spec.tls`, or leave out the key".to_owned()
            );
        }
        let is_empty = |inner: &Option<Vec<Self>>| inner.as_ref().is_some_and(Vec::is_empty);
        if is_empty(&tests.all) || is_empty(&tests.any) {
            return Err(format!("`{}` has no test: write at least one", names[0]));
        }
        if tests.text.as_ref().is_some_and(Text::is_empty) {
            return Err("`text` has no test: write `starts`, `contains`, `ends`, `matches` or `is`".to_owned());
        }
        Ok(Self(Arc::new(tests)))
    }
}

/// The tests of a condition, as they are written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(super) struct Tests {
    /// The field is present, whatever its value: `present: spec.tls`.
    pub(super) present: Option<FieldPattern>,
    /// The field is absent: `absent: spec.tls`.
    pub(super) absent: Option<FieldPattern>,
    /// The field has this value: `equals: { field: spec.type, value: Cookie }`. Spellings of one quantity or duration are equal.
    pub(super) equals: Option<Equals>,
    /// Both fields are present and have the same value: `same: [spec.targetRef.namespace, metadata.namespace]`.
    pub(super) same: Option<[FieldPattern; 2]>,
    /// The field's value has this type: `type: { field: spec.headers, is: map }`.
    pub(super) r#type: Option<TypeIs>,
    /// The list has more items: `more: { field: spec.rules, than: 1 }`.
    pub(super) more: Option<More>,
    /// The field is a text that starts with, contains or ends with a part, matches a regular expression, or is an IP address:
    /// `text: { field: spec.path, starts: / }`. Without a field it is about the place itself.
    pub(super) text: Option<Text>,
    /// The field is a larger number or quantity, or a longer duration, than another field or a value:
    /// `exceeds: { field: timeouts.backendRequest, other: timeouts.request }`, `exceeds: { field: interval, value: 1h }`.
    pub(super) exceeds: Option<Exceeds>,
    /// All lists of the places have more items together; an absent list counts as `absent` items:
    /// `total: { of: "spec.rules[]", field: matches, absent: 1, than: 128 }`.
    pub(super) total: Option<Total>,
    /// The inner test holds for one of the keys of the mapping, as a text: `keys: { of: spec.labels, is: { text: { contains: / } } }`.
    pub(super) keys: Option<Place>,
    /// Two of the places are equal in every field: `repeats: { of: "spec.listeners[]", by: [port, protocol] }`. They are equal
    /// in a field that neither has; `defaults` has the values of absent fields, `if` selects the places that count. With
    /// `partly`, exactly one of the two must have any of those fields.
    pub(super) repeats: Option<Repeats>,
    /// The inner test holds for one of the places: `some: { of: "spec.rules[]", is: { absent: backendRefs } }`.
    pub(super) some: Option<Place>,
    /// One of the `parts` of the place, or of theirs, has one of `fields` that the place does not have, at any depth:
    /// `unmatched: { parts: ["oneOf[]", not], fields: ["properties{}"] }`.
    unmatched: Option<Unmatched>,
    /// The inner test fails: `not: { present: spec.tls }`.
    pub(super) not: Option<Condition>,
    /// Every inner test holds: `all: [...]`.
    pub(super) all: Option<Vec<Condition>>,
    /// At least one inner test holds: `any: [...]`.
    pub(super) any: Option<Vec<Condition>>,
}

impl Tests {
    /// Returns the names of the tests that are written.
    fn names(&self) -> Vec<&'static str> {
        let written = [
            ("present", self.present.is_some()),
            ("absent", self.absent.is_some()),
            ("equals", self.equals.is_some()),
            ("same", self.same.is_some()),
            ("type", self.r#type.is_some()),
            ("more", self.more.is_some()),
            ("text", self.text.is_some()),
            ("exceeds", self.exceeds.is_some()),
            ("total", self.total.is_some()),
            ("keys", self.keys.is_some()),
            ("repeats", self.repeats.is_some()),
            ("some", self.some.is_some()),
            ("unmatched", self.unmatched.is_some()),
            ("not", self.not.is_some()),
            ("all", self.all.is_some()),
            ("any", self.any.is_some()),
        ];
        written.into_iter().filter(|(_, is_written)| *is_written).map(|(name, _)| name).collect()
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
    field: FieldPattern,
    /// The number of items that it must exceed.
    than: usize,
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
    fn holds(&self, object: &Value) -> bool {
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
    fn holds(&self, object: &Value) -> bool {
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

/// A regular expression; one that cannot be compiled is an error of the rule.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Expression(pub(super) Regex);

impl TryFrom<String> for Expression {
    type Error = regex::Error;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        // Rules and advisories about several kinds repeat theirs, and every start reads them.
        static COMPILED: Mutex<BTreeMap<String, Regex>> = Mutex::new(BTreeMap::new());
        let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(regex) = compiled.get(&text) {
            return Ok(Self(regex.clone()));
        }
        let regex = Regex::new(&text)?;
        compiled.insert(text, regex.clone());
        Ok(Self(regex))
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
            && self.matches.as_ref().is_none_or(|expression| expression.0.is_match(text))
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

impl Place {
    fn holds_for_a_key(&self, mapping: &Value) -> bool {
        let mut keys = mapping.as_object().into_iter().flat_map(serde_json::Map::keys);
        keys.any(|key| self.is.holds(&Value::from(key.as_str())))
    }
}

/// Parts of a place that are about the same fields as the place.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Unmatched {
    /// The parts, which can have parts themselves.
    parts: Vec<FieldPattern>,
    /// The fields of a part that the place must have too, and so must what is in them: `fields: ["properties{}", items]`.
    fields: Vec<FieldPattern>,
}

impl Unmatched {
    fn holds(&self, place: &Value) -> bool {
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
    /// Returns what is expected of a field that has the type; nothing where any field can.
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
    /// Returns what is written.
    pub(super) fn tests(&self) -> &Tests {
        &self.0
    }

    /// Makes the test that at least one of `tests` holds.
    pub fn any(tests: Vec<Self>) -> Self {
        Self(Arc::new(Tests { any: Some(tests), ..Tests::default() }))
    }

    /// Returns whether it holds for every object that has a field that matches `field`.
    pub(super) fn follows_from(&self, field: &FieldPattern) -> bool {
        let values =
            self.0.equals.is_none() && self.0.same.is_none() && self.0.r#type.is_none() && self.0.more.is_none();
        let values = values && self.0.text.is_none() && self.0.exceeds.is_none() && self.0.total.is_none();
        let places =
            self.0.absent.is_none() && self.0.repeats.is_none() && self.0.some.is_none() && self.0.not.is_none();
        let places = places && self.0.keys.is_none() && self.0.unmatched.is_none();
        values
            && places
            && self.0.present.as_ref().is_none_or(|present| field.starts_with(present))
            && self.0.all.as_ref().is_none_or(|all| all.iter().all(|test| test.follows_from(field)))
            && self.0.any.as_ref().is_none_or(|any| any.iter().any(|test| test.follows_from(field)))
    }

    /// Returns whether it holds for every object that has `value` in a field that matches `field`.
    pub(super) fn is_met_by(&self, field: &FieldPattern, value: &Value) -> bool {
        let tests = &*self.0;
        match (&tests.equals, &tests.all, &tests.any) {
            (Some(test), ..) => test.field == *field && test.value == *value,
            (None, Some(all), _) => all.iter().all(|test| test.is_met_by(field, value)),
            (None, None, Some(any)) => any.iter().any(|test| test.is_met_by(field, value)),
            (None, None, None) => self.follows_from(field),
        }
    }

    /// Returns whether it can hold because of something that is absent, which a part of an object can leave to the whole.
    pub(super) fn reads_absence(&self) -> bool {
        let mut inner = self.0.all.iter().chain(&self.0.any).flatten();
        self.0.absent.is_some() || self.0.not.is_some() || self.0.unmatched.is_some() || inner.any(Self::reads_absence)
    }

    /// Returns what the tests take for granted about fields.
    pub fn premises(&self) -> Vec<Premise> {
        let tests = &*self.0;
        let present = tests.present.iter().chain(&tests.absent).chain(tests.same.iter().flatten());
        let present = present.chain(tests.text.iter().map(|test| &test.field));
        let present = present.chain(tests.exceeds.iter().flat_map(|test| test.other.iter().chain([&test.field])));
        let mut all: Vec<Premise> = present.map(Premise::present).collect();
        let mut add = |field: &FieldPattern, form: Form| all.push(Premise::new(field, form, Side::Either));
        if let Some(test) = &tests.equals {
            add(&test.field, Form::Value(test.value.clone()));
        }
        if let Some(test) = &tests.r#type {
            test.is.form().into_iter().for_each(|form| add(&test.field, form));
        }
        if let Some(test) = &tests.more {
            add(&test.field, Form::List);
        }
        if let Some(test) = &tests.total {
            add(&test.of.join(&test.field), Form::List);
        }
        if let Some(test) = &tests.keys {
            add(&test.of, Form::Mapping);
        }
        if let Some(test) = &tests.repeats {
            test.by.iter().chain(&test.partly).for_each(|field| add(&test.of.join(field), Form::Present));
            all.extend(test.r#if.premises().into_iter().map(|premise| premise.below(&test.of)));
        }
        if let Some(test) = &tests.some {
            all.push(Premise::present(&test.of));
            all.extend(test.is.premises().into_iter().map(|premise| premise.below(&test.of)));
        }
        if let Some(test) = &tests.unmatched {
            all.extend(test.parts.iter().chain(&test.fields).map(Premise::present));
        }
        let inner = tests.not.iter().chain(tests.all.iter().flatten()).chain(tests.any.iter().flatten());
        all.extend(inner.flat_map(Self::premises));
        all
    }

    /// Returns whether a field that `is_read` is compared with another one.
    pub(super) fn compares(&self, is_read: &dyn Fn(&FieldPattern) -> bool) -> bool {
        let mut inner = self.0.all.iter().chain(&self.0.any).flatten().chain(&self.0.not);
        self.0.same.iter().flatten().any(is_read) || inner.any(|inner| inner.compares(is_read))
    }

    /// Returns whether `object` passes every test.
    pub fn holds(&self, object: &Value) -> bool {
        let any_value = |field: &FieldPattern, test: &dyn Fn(&Value) -> bool| field.any(object, test);
        let longer = |test: &More, value: &Value| value.as_array().is_some_and(|items| items.len() > test.than);
        self.0.present.as_ref().is_none_or(|field| any_value(field, &|_| true))
            && self.0.absent.as_ref().is_none_or(|field| !any_value(field, &|_| true))
            && self
                .0
                .equals
                .as_ref()
                .is_none_or(|test| any_value(&test.field, &|value| amount::equal(value, &test.value)))
            && self.0.same.as_ref().is_none_or(|[left, right]| any_value(left, &|l| any_value(right, &|r| l == r)))
            && self
                .0
                .r#type
                .as_ref()
                .is_none_or(|test| any_value(&test.field, &|value| ValueType::of(value) == test.is))
            && self.0.more.as_ref().is_none_or(|test| any_value(&test.field, &|value| longer(test, value)))
            && self.0.text.as_ref().is_none_or(|test| any_value(&test.field, &|value| test.holds(value)))
            && self.0.exceeds.as_ref().is_none_or(|test| test.holds(object))
            && self.0.total.as_ref().is_none_or(|test| test.holds(object))
            && self.0.keys.as_ref().is_none_or(|test| any_value(&test.of, &|value| test.holds_for_a_key(value)))
            && self.0.repeats.as_ref().is_none_or(|test| test.holds(object))
            && self.0.some.as_ref().is_none_or(|test| any_value(&test.of, &|place| test.is.holds(place)))
            && self.0.unmatched.as_ref().is_none_or(|test| test.holds(object))
            && self.0.not.as_ref().is_none_or(|inner| !inner.holds(object))
            && self.0.all.as_ref().is_none_or(|inner| inner.iter().all(|test| test.holds(object)))
            && self.0.any.as_ref().is_none_or(|inner| inner.iter().any(|test| test.holds(object)))
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
}
