//! The operation `default`: a value that one side implies is written out for the other, or left to it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

use super::references::{Answer, ReferencedBy, Names};
use super::fidelity::Fidelity;
use super::halt::Halt;
use super::image::Claims;
use super::operation::{Description, Operation};
use super::session::{Completeness, Session};
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
    /// The key that a written field stands after, where it is there.
    after: Option<String>,
    nulls: Nulls,
    /// What is said where the field shall be written and there is no value.
    missing: Option<Missing>,
}

/// What is said where there is no value to write.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Missing {
    reason: String,
    help: String,
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
    /// `parameter: ngf.namespace`
    Parameter(String),
    /// `named-by: { kind: GatewayClass.gateway.networking.k8s.io, refs: spec.parametersRef, value: namespace }`
    ReferencedBy(ReferencedBy),
    /// `names: { kind: NginxProxy.gateway.nginx.org, refs: spec.parametersRef, value: metadata.namespace }`
    Names(Names),
}

/// What null in the field is taken for.
#[derive(Clone, Copy, Debug, std::default::Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Nulls {
    /// A value like others.
    #[default]
    Value,
    /// Nothing: the API server takes it out.
    Absent,
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
               has that value, `write` adds it where it is absent and its parent is there (in a patch: only in list items, and to a reference that it fills_absent; never a \
               namespace that a kustomization gives). \
               `forward` and `backward` say what is done in which direction. The value is `value`, the value of the field \
               `like`, what `table` gives for the field `by`, what the user says for a `parameter` of the pack, what a reference \
               in the object that this one is `named-by` says, or what an object that it `names` says. `after` is the key \
               that a written field stands behind. With `nulls: absent` null is as good as absent. Where there is no value to write, `missing` says why the object is \
               held back. No loss: both spellings mean the same.",
        example: "default: { field: spec.parametersRef.scope, value: Namespace, forward: elide, backward: write }",
    };

    /// Returns the implied value, where there is one, and the other objects that say so.
    fn implied<'a>(&self, session: &Session<'a>) -> Answer<'a> {
        let object = session.object();
        let alone = |value: Option<Value>| value.map_or(Answer::Nothing, |value| Answer::Value(value, Vec::new()));
        match &self.source {
            Source::Value(value) => alone(Some(value.clone())),
            Source::Table(by, table) => {
                let name = by.get(object).and_then(Value::as_str);
                alone(name.and_then(|name| table.get(name)).cloned())
            }
            Source::Like(path) => alone(path.get(&session.view_for(|is_meant| is_meant(&path.pattern()))).cloned()),
            Source::Parameter(name) => {
                alone(session.context().and_then(|all| all.parameter(name)).map(Value::from))
            }
            Source::ReferencedBy(reference) => reference.value(session),
            Source::Names(reference) => reference.value(session),
        }
    }

    /// Returns the places of the field that have the implied value, the last first.
    fn written(&self, session: &Session<'_>) -> Vec<FieldPath> {
        let (field, object) = (self.parent.with(Part::Key(self.key.clone())), session.object());
        let mut places = field.matches(object);
        // Other objects are not looked at where nothing depends on them.
        if places.is_empty() {
            return places;
        }
        let Answer::Value(implied, _) = self.implied(session) else { return Vec::new() };
        places.retain(|path| path.get(object) == Some(&implied));
        places.reverse();
        places
    }

    /// Says whether a written value counts as none.
    fn is_unset(&self, value: &Value) -> bool {
        self.nulls == Nulls::Absent && value.is_null()
    }

    fn elide(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        for path in self.written(session) {
            if self.backward != Some(Doing::Write) {
                session.record_normalization(&path, "it is what the field means where it is absent");
            }
            session.change(Intent::Delete { path })?;
        }
        Ok(())
    }

    fn write(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        if self.backward == Some(Doing::Elide) {
            for path in self.written(session) {
                session.record_normalization(&path, "it is what the field means where it is absent");
            }
        }
        self.tell_astray(session);
        let is_given = session.is_given(&self.parent.with(Part::Key(self.key.clone())));
        for path in self.parent.matches(session.object()).into_iter().filter(|_| !is_given) {
            let map = path.get(session.object()).and_then(Value::as_object);
            let lacks = map.is_some_and(|map| map.get(&self.key).is_none_or(|value| self.is_unset(value)));
            let item = path.steps().iter().any(|step| matches!(step, Step::Index(_)));
            // A reference that a patch fills_absent is as good as any.
            let names = matches!(self.source, Source::Names(_));
            let whole = || item || names || session.completeness() == Completeness::Whole;
            if lacks && whole() {
                self.write_at(path, session)?;
            }
        }
        Ok(())
    }

    /// Refuses to choose among what other objects say.
    fn unsettled(&self, at: FieldPath, said: &str) -> Halt {
        let reason = format!("{} is wanted, and the files say several: {said}", self.key);
        let help = format!("write {} by hand, in a copy for each where one object was meant by all", self.key);
        Halt::Refused { at, reason, help: Some(help) }
    }

    /// Tells a reference that is written and leads past the object of the run that has its name.
    fn tell_astray(&self, session: &mut Session<'_>) {
        let Source::Names(reference) = &self.source else { return };
        if let Some((path, written, other)) = reference.astray(session) {
            let title = format!("{} {}", other.kind.kind, other.name.unwrap_or_default());
            let doubt = format!("{path} says {written}, and of the files {title} {}", other.namespace.unknown());
            session.record_warning(&path, doubt);
        }
    }

    /// Says that objects without a value to write are held back, where they are.
    fn refused(&self) -> Option<Fidelity> {
        self.missing.as_ref().filter(|_| self.forward == Some(Doing::Write)).map(|_| Fidelity::Refused)
    }

    fn write_at(&self, path: FieldPath, session: &mut Session<'_>) -> Result<(), Halt> {
        let (value, said_by) = match self.implied(session) {
            Answer::Value(value, said_by) => (value, said_by),
            Answer::Several(said) => return Err(self.unsettled(path, &said)),
            Answer::Nothing => {
                return self.missing.clone().map_or(Ok(()), |Missing { reason, help }| {
                    Err(Halt::Refused { at: path, reason, help: Some(help) })
                });
            }
        };
        said_by.iter().for_each(|neighbour| session.convert_together_with(neighbour));
        if self.backward != Some(Doing::Elide) {
            session.record_normalization(&path, format!("the target release wants {} written", self.key));
        }
        let written = path.key(&self.key);
        if written.get(session.object()).is_some() {
            return session.change(Intent::Replace { path: written, value });
        }
        let before = self.after.clone().filter(|key| path.key(key).get(session.object()).is_some());
        let place = before.map_or(Place::Last, Place::After);
        session.change(Intent::Insert { path, key: self.key.clone(), value, place })
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

    fn makes_valid(&self, field: &FieldPattern) -> bool {
        self.forward == Some(Doing::Write) && *field == self.parent.with(Part::Key(self.key.clone()))
    }

    fn kinds_read(&self) -> Vec<GroupKind> {
        match &self.source {
            Source::ReferencedBy(reference) => vec![reference.kind().clone()],
            Source::Names(reference) => vec![reference.kind().clone()],
            Source::Value(_) | Source::Table(..) | Source::Like(_) | Source::Parameter(_) => Vec::new(),
        }
    }

    fn fidelity(&self) -> Option<Fidelity> {
        // What the way back undoes comes back as it was.
        let undone = match self.forward? {
            Doing::Elide => self.backward == Some(Doing::Write),
            Doing::Write => self.backward == Some(Doing::Elide),
        };
        let changed = if undone { Fidelity::Exact } else { Fidelity::Normalized };
        Some(self.refused().unwrap_or(changed))
    }

    fn fidelities(&self) -> BTreeSet<Fidelity> {
        // What was written already goes on the way back.
        let too_many = (self.forward == Some(Doing::Write)).then_some(Fidelity::Normalized);
        let changed = Self { missing: None, ..self.clone() }.fidelity();
        changed.into_iter().chain(too_many).chain(self.refused()).collect()
    }
}

impl<'de> Deserialize<'de> for Default {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wire = Wire::deserialize(deserializer)?;
        let Some((parent, Part::Key(key))) = wire.field.split_last() else {
            return Err(de::Error::custom(format!("{} has no last key, so it cannot be written", wire.field)));
        };
        let source = wire.source().map_err(de::Error::custom)?;
        if wire.forward.is_none() && wire.backward.is_none() {
            return Err(de::Error::custom("write `forward` or `backward`: without both nothing is done"));
        }
        let Wire { forward, backward, after, nulls, missing, .. } = wire;
        Ok(Self { key: key.clone(), parent, source, forward, backward, after, nulls, missing })
    }
}

/// The operation as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Wire {
    field: FieldPattern,
    value: Option<Value>,
    by: Option<FieldPattern>,
    table: Option<BTreeMap<String, Value>>,
    like: Option<FieldPattern>,
    parameter: Option<String>,
    named_by: Option<ReferencedBy>,
    names: Option<Names>,
    forward: Option<Doing>,
    backward: Option<Doing>,
    after: Option<String>,
    #[serde(default)]
    nulls: Nulls,
    missing: Option<Missing>,
}

impl Wire {
    /// Returns the one source that is written.
    fn source(&self) -> Result<Source, String> {
        let one = |field: &FieldPattern| {
            field.as_path().ok_or_else(|| format!("{field} is more than one place, so it gives no value"))
        };
        let mut sources = Vec::new();
        sources.extend(self.value.clone().map(Source::Value));
        sources.extend(self.parameter.clone().map(Source::Parameter));
        sources.extend(self.named_by.clone().map(Source::ReferencedBy));
        sources.extend(self.names.clone().map(Source::Names));
        if let Some(like) = &self.like {
            sources.push(Source::Like(one(like)?));
        }
        if let (Some(by), Some(table)) = (&self.by, &self.table) {
            sources.push(Source::Table(one(by)?, table.clone()));
        }
        let halves = self.by.is_some() != self.table.is_some();
        match (sources.pop(), sources.is_empty(), halves) {
            (Some(source), true, false) => Ok(source),
            _ => Err("write one of `value`, `like`, `parameter`, `named-by`, `names`, and `by` with `table`".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{data, operation};
    use super::super::sequence::Lens;
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
    fn null_is_as_good_as_absent_where_a_rule_says_so() {
        let text = "default: { field: k.n, value: 1, nulls: absent, backward: write }";
        let null = json!({"k": {"n": null}});
        check(text, &null, &null);
        check_back(text, &null, &json!({"k": {"n": 1}}));
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
        let context = super::super::Context::default();
        let mut session = Session::in_context(json!({"spec": {"l": [{}]}}), &context, Completeness::Partial);
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
