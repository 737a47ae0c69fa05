//! Laws of every operation by itself, on objects made of the words in its own example.
//!
//! Each operation is tested on its `DESCRIPTION.example`, so a new one is under these laws from the start. [`MORE`] has the
//! forms that examples do not have.

use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestCaseError};
use serde_json::{Value, json};

use super::native::CONVERSIONS;
use super::sequence::Lens;
use super::session::{Halt, Session};
use crate::knowledge::release::GroupKind;
use crate::syntax::field::{FieldPattern, Part};

/// Operations as rules write them, in other forms: in lists, in maps, from deep to shallow, with a test.
const MORE: &[&str] = &[
    "embed: { field: \"spec.patches[]\", format: json, text: new }",
    "rename: { field: \"spec.rules[].filters[].tls\", to: validation }",
    "rename: { field: \"spec.options{}.old\", to: new }",
    "move: { from: \"spec.rules[].a.b.c\", to: \"spec.rules[].d\" }",
    "move: { from: \"spec.rules[].d\", to: \"spec.rules[].a.b.c\" }",
    "move: { from: \"spec.options{}.x\", to: \"spec.options{}.y.z\" }",
    "move: { from: spec.a.b, to: spec.b }",
    "when: { then: [{ rename: { field: spec.tls, to: validation } }, { move: { from: spec.host, to: spec.validation.host } }] }",
    "wrap: { field: \"spec.rules[].targetRef\" }",
    "wrap: { field: spec.secret, key: name }",
    "wrap: { field: \"spec.dependsOn[]\", key: name }",
    "values: { field: \"spec.options{}\", table: { a: b, c: d } }",
    "number: { field: \"spec.options{}\", direction: forward }",
    "join: { field: \"spec.rules[].arg\", to: args, position: last }",
    "join: { field: spec.arg, to: args, position: first, direction: forward }",
    "concat: { field: \"spec.rules[].last\", to: args, position: last, direction: forward }",
    "changed-default: { field: spec.policy, old: Ignore, new: Fail, parameter: shop.defaults, direction: forward }",
    "when: { each: spec.tree, through: [\"children[]\", \"named{}\"], except: [named.meta], then: [{ rename: { field: tls, to: validation } }] }",
    "changed-default: { field: \"spec.rules[].policy\", old: Ignore, new: Fail, parameter: shop.defaults, before: name }",
    "when: { each: [spec.backend, \"spec.rules[].backend\"], then: [{ rename: { field: a, to: b } }] }",
    "drop: { field: spec.namespace, reason: it follows from the object, default-field: metadata.namespace }",
    "drop: { field: \"spec.rules[].weight\", reason: it has no effect }",
    "when: { if: { equals: { field: spec.type, value: A } }, then: [{ rename: { field: spec.a, to: b } }, { wrap: { field: spec.b } }] }",
    "when: { if: { type: { field: spec.a, is: map } }, then: [{ rename: { field: spec.a, to: b } }], back: { type: { field: spec.b, is: map } } }",
    "refuse: { direction: backward, if: { present: spec.snis }, at: spec.snis, reason: the old kind has no snis, help: split it }",
];

/// An operation, and what its test objects are made of.
struct Subject {
    lens: Lens,
    back: Lens,
    patterns: Vec<FieldPattern>,
    words: Vec<Value>,
}

impl Subject {
    fn of(operation: &str) -> Self {
        let written = format!("- {operation}");
        let lens: Lens = serde_yaml::from_str(&written).expect("an example is a rule's line");
        let back = lens.inverse(&kind());
        let value: Value = serde_yaml::from_str(&written).expect("parsed before");
        let mut words =
            vec![json!(null), json!({}), json!([]), json!(1), json!("é"), json!({"x": 1}), json!([1, 2, 1])];
        words.extend([
            json!(["a"]),
            json!(["b", 1]),
            json!({"protocol": "A", "port": 1}),
            json!({"y": {"z": null}}),
            json!({"name": "é"}),
        ]);
        // Values that an operation converts and its example does not have.
        for (name, values) in [
            ("units", json!(["10m", "2h", "7s"])),
            ("number", json!(["80", "-7", "007"])),
            ("embed", json!(["a: 1\n", "- b\n- 1\n"])),
        ] {
            let more = values.as_array().filter(|_| operation.starts_with(name)).into_iter().flatten();
            words.extend(more.flat_map(|value| std::iter::repeat_n(value.clone(), 4)));
        }
        let mut patterns = Vec::new();
        collect(&value, &mut patterns, &mut words);
        if let Some(native) = CONVERSIONS.iter().find(|native| native.description.example == operation) {
            let values: Vec<Value> = serde_yaml::from_str(native.values).expect("a conversion has a list of values");
            words.extend(values.iter().flat_map(|value| std::iter::repeat_n(value.clone(), 8)));
            patterns.extend(lens.premises().into_iter().map(|premise| premise.written));
        }
        if operation.contains("rename") && operation.contains("wrap") {
            // A list under the old name is not valid there, and under the new name it counts as wrapped.
            words.retain(|word| !word.is_array());
        }
        for claims in [lens.claims(), back.claims()] {
            patterns.extend(claims.old.into_iter().chain(claims.new));
        }
        // Items are tested without the field as well.
        let parents = patterns.iter().filter_map(FieldPattern::split_last).map(|(parent, _)| parent);
        let items: Vec<_> = parents.filter(|parent| parent.parts().last() == Some(&Part::Items)).collect();
        patterns.extend(items);
        patterns.sort();
        patterns.dedup();
        Self { lens, back, patterns, words }
    }

    /// Makes an object that holds some of the operation's fields; `choices` are used up as it grows.
    fn object(&self, choices: &[u8]) -> Value {
        let mut choices = choices.iter().map(|choice| usize::from(*choice)).chain(std::iter::repeat(0));
        let mut object = json!({"apiVersion": "example.com/v1", "kind": "Shop", "metadata": {"name": "a"}, "spec": {}});
        for pattern in &self.patterns {
            let choice = choices.next().unwrap_or_default();
            if choice % 5 < 3 {
                let value = &self.words[choices.next().unwrap_or_default() % self.words.len()];
                put(&mut object, pattern.parts(), value, choices.next().unwrap_or_default());
            }
        }
        object
    }
}

fn kind() -> GroupKind {
    GroupKind::new("Shop", "example.com")
}

/// Collects the fields and the words in a written operation.
fn collect(value: &Value, patterns: &mut Vec<FieldPattern>, words: &mut Vec<Value>) {
    match value {
        Value::Object(map) => {
            words.extend(map.keys().map(|key| json!(key)));
            map.values().for_each(|value| collect(value, patterns, words));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, patterns, words)),
        Value::String(text) if text.starts_with("spec.") || text.starts_with("metadata.") => {
            patterns.extend(FieldPattern::parse(text));
        }
        // Tests on a value pass for its own words only, so these are more frequent.
        other => words.extend(std::iter::repeat_n(other.clone(), 4)),
    }
}

/// Puts `value` at the first (`turn` even) or at two places of `parts`, adding missing parents; existing values are kept.
fn put(place: &mut Value, parts: &[Part], value: &Value, turn: usize) {
    let Some((part, rest)) = parts.split_first() else {
        if place.is_null() {
            place.clone_from(value);
        }
        return;
    };
    match part {
        Part::Key(key) => {
            if place.is_null() {
                *place = json!({});
            }
            if let Some(map) = place.as_object_mut() {
                put(map.entry(key.as_str()).or_insert(Value::Null), rest, value, turn);
            }
        }
        Part::Items => {
            if place.is_null() {
                *place = json!([null]);
            }
            let Some(items) = place.as_array_mut() else { return };
            if turn % 2 == 1 {
                items.push(Value::Null);
            }
            items.iter_mut().for_each(|item| put(item, rest, value, turn / 2));
        }
        Part::Values => {
            if place.is_null() {
                *place = json!({"a.b/c": null});
            }
            let Some(map) = place.as_object_mut() else { return };
            if turn % 2 == 1 {
                map.insert("on".to_owned(), Value::Null);
            }
            map.values_mut().for_each(|item| put(item, rest, value, turn / 2));
        }
    }
}

fn run(lens: &Lens, object: &Value) -> Result<Session<'static>, Halt> {
    let mut session = Session::new(object.clone());
    lens.run(&mut session).map(|()| session)
}

/// Returns whether nothing of the object is on the new side.
fn is_old(subject: &Subject, object: &Value) -> bool {
    run(&subject.back, object).is_ok_and(|session| session.program().is_empty())
}

/// Checks the laws for one object, and returns how many of them applied.
fn check(subject: &Subject, object: &Value) -> Result<usize, TestCaseError> {
    let Ok(there) = run(&subject.lens, object) else { return Ok(0) };
    if there.program().is_empty() {
        prop_assert_eq!(there.object(), object, "nothing was recorded, but the object changed");
        return Ok(0);
    }
    let again = run(&subject.lens, there.object());
    let retypes = !subject.lens.retypes(&kind()).is_empty();
    prop_assert!(
        retypes || again.as_ref().is_ok_and(|again| again.program().is_empty()),
        "{object} became {}, and once more {again:?}",
        there.object()
    );
    let mut replayed = object.clone();
    for intent in there.program() {
        prop_assert!(intent.apply_data(&mut replayed).is_ok());
    }
    prop_assert_eq!(&replayed, there.object());
    // A normalized value may come back in another form.
    let normalized = !there.normalized().is_empty();
    if !there.losses().is_empty() || normalized || !is_old(subject, object) {
        return Ok(1);
    }
    let back = run(&subject.back, there.object());
    prop_assert!(back.is_ok(), "{object} became {}, and converting back gave {back:?}", there.object());
    let back = back.expect("asserted");
    prop_assert!(back.losses().is_empty());
    prop_assert_eq!(back.object(), object, "converting back gave another object, from {}", there.object());
    if subject.lens.reorders() && super::displaced(object, &there, 0, &subject.back).is_empty() {
        prop_assert_eq!(back.object().to_string(), object.to_string(), "converting back gave another order of keys");
    }
    Ok(2)
}

/// Checks the laws of one operation, and that they apply often enough to be a test.
#[track_caller]
pub(super) fn check_operation(operation: &str) {
    let subject = Subject::of(operation);
    // `refuse` changes nothing, conversions that read other objects find none here, and some need items that agree.
    let exempt = [
        "refuse",
        "native: frontend-validation-per-port",
        "native: listener-hostnames",
        "native: label-selectors-to-parent-refs",
    ];
    let exempt = exempt.iter().any(|name| operation.starts_with(name));
    let applied = std::cell::Cell::new(0);
    let config = ProptestConfig {
        cases: 1000,
        rng_seed: RngSeed::Fixed(2026),
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let choices = proptest::collection::vec(any::<u8>(), 24);
    proptest!(config, |(choices in choices)| {
        let object = subject.object(&choices);
        let count = check(&subject, &object)?;
        applied.set(applied.get() + count);
    });
    assert!(exempt || applied.get() >= 20, "{operation}: the laws applied {} times", applied.get());
}

#[test]
fn operations_keep_the_laws_in_other_shapes() {
    MORE.iter().for_each(|operation| check_operation(operation));
}
