//! The operation `default`: a value that one side implies is written out for the other, or left to it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

use super::{Claims, Completeness, Description, Fidelity, Halt, Operation, Session};
use crate::field::{FieldPath, FieldPattern, Part, Step};
use crate::release::GroupKind;
use crate::yaml::{Intent, Place};

/// `default: { field: spec.scope, value: Namespace, forward: elide, backward: write }`
#[derive(Clone, Debug)]
pub(super) struct Default {
    parent: FieldPattern,
    key: String,
    source: Source,
    forward: Option<Doing>,
    backward: Option<Doing>,
}

/// Where the implied value comes from.
#[derive(Clone, Debug)]
enum Source {
    /// `value: Cluster`
    Value(Value),
    /// `by: protocol, table: { TCP: TCPRoute, UDP: UDPRoute }`
    Table(FieldPath, BTreeMap<String, Value>),
    /// `like: metadata.namespace`
    Like(FieldPath),
}

/// What is done in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Doing {
    /// The field goes where it has the implied value.
    Elide,
    /// The field comes, with the implied value, where it is not there.
    Write,
}

impl Default {
    pub(super) const DESCRIPTION: Description = Description {
        name: "default",
        text: "Makes a field and the value that one side implies for it into each other: `elide` removes the field where it \
               has that value, `write` adds it where it is absent and its parent is there (in a patch: only in list items). \
               `forward` and `backward` say what is done in which direction. The value is `value`, the value of the field \
               `like`, or what `table` gives for the field `by`. No loss: both spellings mean the same.",
        example: "default: { field: spec.parametersRef.scope, value: Namespace, forward: elide, backward: write }",
    };

    /// Returns the implied value, where there is one.
    fn implied<'a>(&'a self, object: &'a Value) -> Option<&'a Value> {
        match &self.source {
            Source::Value(value) => Some(value),
            Source::Table(by, table) => table.get(by.get(object)?.as_str()?),
            Source::Like(path) => path.get(object),
        }
    }

    /// Returns the places of the field that have the implied value, the last first.
    fn written(&self, object: &Value) -> Vec<FieldPath> {
        let field = self.parent.with(Part::Key(self.key.clone()));
        let implied = self.implied(object);
        field.matches(object).into_iter().rev().filter(|path| path.get(object) == implied).collect()
    }

    /// Returns the object for reading the implied value.
    fn seen<'s>(&self, session: &'s Session<'_>) -> Cow<'s, Value> {
        let like = match &self.source {
            Source::Like(path) => Some(path.pattern()),
            Source::Value(_) | Source::Table(..) => None,
        };
        session.seen_for(like.iter())
    }

    fn elide(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        for path in self.written(&self.seen(session)) {
            if self.backward != Some(Doing::Write) {
                session.respell(&path, "it is what the field means where it is absent");
            }
            session.change(Intent::Delete { path })?;
        }
        Ok(())
    }

    fn write(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        if self.backward == Some(Doing::Elide) {
            for path in self.written(&self.seen(session)) {
                session.respell(&path, "it is what the field means where it is absent");
            }
        }
        for path in self.parent.matches(session.object()) {
            let lacks = path.get(session.object()).and_then(Value::as_object).is_some_and(|map| !map.contains_key(&self.key));
            let item = path.steps().iter().any(|step| matches!(step, Step::Index(_)));
            let whole = || item || session.completeness() == Completeness::Whole;
            if let Some(value) = self.implied(&self.seen(session)).filter(|_| lacks && whole()).cloned() {
                if self.backward != Some(Doing::Elide) {
                    session.respell(&path, format!("the target release wants {} written", self.key));
                }
                session.change(Intent::Insert { path, key: self.key.clone(), value, place: Place::Last })?;
            }
        }
        Ok(())
    }
}

impl Operation for Default {
    fn run(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        match self.forward {
            Some(Doing::Elide) => self.elide(session),
            Some(Doing::Write) => self.write(session),
            None => Ok(()),
        }
    }

    fn inverse(&self, _kind: &GroupKind) -> Box<dyn Operation> {
        Box::new(Self { forward: self.backward, backward: self.forward, ..self.clone() })
    }

    /// The field is the same on both sides: nothing vanishes.
    fn claims(&self) -> Claims {
        Claims::default()
    }

    fn settles(&self, field: &FieldPattern) -> bool {
        self.forward == Some(Doing::Write) && *field == self.parent.with(Part::Key(self.key.clone()))
    }

    fn fidelity(&self) -> Option<Fidelity> {
        // What the way back undoes comes back as it was.
        let undone = match self.forward? {
            Doing::Elide => self.backward == Some(Doing::Write),
            Doing::Write => self.backward == Some(Doing::Elide),
        };
        Some(if undone { Fidelity::Exact } else { Fidelity::Respelled })
    }

    fn fidelities(&self) -> BTreeSet<Fidelity> {
        // What was written already goes on the way back.
        let too_many = (self.forward == Some(Doing::Write)).then_some(Fidelity::Respelled);
        self.fidelity().into_iter().chain(too_many).collect()
    }
}

impl<'de> Deserialize<'de> for Default {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Wire {
            field: FieldPattern,
            value: Option<Value>,
            by: Option<FieldPattern>,
            table: Option<BTreeMap<String, Value>>,
            like: Option<FieldPattern>,
            forward: Option<Doing>,
            backward: Option<Doing>,
        }
        let wire = Wire::deserialize(deserializer)?;
        let Some((parent, Part::Key(key))) = wire.field.split_last() else {
            return Err(de::Error::custom(format!("{} has no last key, so it cannot be written", wire.field)));
        };
        let one = |field: &FieldPattern| {
            field.as_path().ok_or_else(|| de::Error::custom(format!("{field} is more than one place, so it gives no value")))
        };
        let source = match (wire.value, wire.by, wire.table, &wire.like) {
            (Some(value), None, None, None) => Source::Value(value),
            (None, Some(by), Some(table), None) => Source::Table(one(&by)?, table),
            (None, None, None, Some(like)) => Source::Like(one(like)?),
            _ => return Err(de::Error::custom("write one of `value`, `like`, and `by` with `table`")),
        };
        if wire.forward.is_none() && wire.backward.is_none() {
            return Err(de::Error::custom("write `forward` or `backward`: without both nothing is done"));
        }
        Ok(Self { key: key.clone(), parent, source, forward: wire.forward, backward: wire.backward })
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{data, operation};
    use super::super::Lens;
    use super::*;
    use serde_json::json;

    const KIND: &str =
        "default: { field: k.kind, by: protocol, table: { TCP: TCPRoute, UDP: UDPRoute }, forward: elide, backward: write }";

    #[track_caller]
    fn check(text: &str, before: &Value, after: &Value) {
        assert_eq!(data(&*operation(text), before), Ok((after.clone(), 0)));
    }

    #[track_caller]
    fn check_back(text: &str, before: &Value, after: &Value) {
        assert_eq!(data(&*operation(text).inverse(&GroupKind::new("A", "")), before), Ok((after.clone(), 0)));
    }

    #[test]
    fn an_implied_value_goes_and_comes() {
        let (written, implied) = (json!({"protocol": "TCP", "k": {"kind": "TCPRoute"}}), json!({"protocol": "TCP", "k": {}}));
        check(KIND, &written, &implied);
        check_back(KIND, &implied, &written);
    }

    #[test]
    fn another_value_stays() {
        for same in [
            json!({"protocol": "TCP", "k": {"kind": "X"}}),
            json!({"protocol": "X", "k": {"kind": "TCPRoute"}}),
            json!({"protocol": "X", "k": {}}),
            json!({"protocol": "TCP"}),
            json!({"protocol": "UDP", "k": {"kind": null}}),
        ] {
            check(KIND, &same, &same);
            check_back(KIND, &same, &same);
        }
    }

    #[test]
    fn every_place_gets_the_value() {
        let text = "default: { field: \"l[].group\", value: core, backward: write }";
        let (before, after) = (json!({"l": [{}, {"group": "a"}]}), json!({"l": [{"group": "core"}, {"group": "a"}]}));
        check_back(text, &before, &after);
        check(text, &after, &after);
        let text = "default: { field: \"l[].n\", like: m.n, forward: elide }";
        check(text, &json!({"m": {"n": "a"}, "l": [{"n": "a"}, {"n": "b"}]}), &json!({"m": {"n": "a"}, "l": [{}, {"n": "b"}]}));
        check(text, &json!({"l": [{"n": "a"}]}), &json!({"l": [{"n": "a"}]}));
    }

    #[test]
    fn a_patch_is_not_filled_in() {
        let lens: Lens = serde_yaml::from_str(
            "- default: { field: spec.rules, value: [], forward: write }\n- default: { field: \"spec.l[].a\", value: 1, forward: write }",
        )
        .unwrap();
        let surroundings = super::super::Surroundings::default();
        let mut session = Session::among(json!({"spec": {"l": [{}]}}), &surroundings, Completeness::Partial);
        lens.run(&mut session).unwrap();
        assert_eq!(*session.object(), json!({"spec": {"l": [{"a": 1}]}}));
    }

    #[test]
    fn unclear_defaults_are_refused() {
        for text in [
            "default: { field: a, value: 1 }",
            "default: { field: a, value: 1, like: b, forward: elide }",
            "default: { field: a, by: b, forward: elide }",
            "default: { field: \"a[]\", value: 1, forward: elide }",
            "default: { field: a, like: \"b[]\", forward: elide }",
        ] {
            assert!(serde_yaml::from_str::<Box<dyn Operation>>(text).is_err(), "{text}");
        }
    }
}
