//! The operation `default`: a value that one side implies is written for the other, or removed where the other implies it.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

use super::amount;
use super::context::ObjectView;
use super::operation::{Constant, Description, Direction, Fidelity, Form, Operation, Parameter, Pass, Premise, Side};
use super::references::{FoundValue, ReferencedBy, References};
use super::session::{Completeness, Halt, Session};
use crate::knowledge::release::GroupKind;
use crate::syntax::field::{FieldPath, FieldPattern, Part};
use crate::syntax::yaml::Place;

/// `default: { field: spec.scope, value: Namespace, forward: elide, backward: write }`
#[derive(Clone, Debug)]
pub(super) struct Default {
    written: WrittenKey,
    source: Source,
    forward: Option<Action>,
    backward: Option<Action>,
    nulls: Nulls,
    /// The message where the field is to be written and there is no value.
    missing: Option<Missing>,
}

/// A key that is written in the mappings that match a pattern.
#[derive(Clone, Debug)]
pub(super) struct WrittenKey {
    pub(super) parent: FieldPattern,
    pub(super) key: String,
    /// Before or after which key it is put, where that is present; last where none is.
    pub(super) beside: Option<Place>,
}

impl WrittenKey {
    /// Makes the last key of `field`, which is put `before` or `after` another one.
    ///
    /// # Errors
    /// A message where there is no such key, or both are written.
    pub(super) fn new(field: &FieldPattern, before: Option<String>, after: Option<String>) -> Result<Self, String> {
        let Some((parent, Part::Key(key))) = field.split_last() else {
            return Err(format!("{field} does not end in a key, so it cannot be written"));
        };
        if before.is_some() && after.is_some() {
            return Err("write `before` or `after`, not both".to_owned());
        }
        let beside = before.map(Place::Before).or_else(|| after.map(Place::After));
        Ok(Self { parent, key: key.clone(), beside })
    }

    pub(super) fn field(&self) -> FieldPattern {
        self.parent.key(&self.key)
    }

    /// Returns whether the mapping at `parent` lacks the key, or has a value there that counts as none.
    pub(super) fn is_absent(
        &self,
        parent: &FieldPath,
        session: &Session<'_>,
        is_none: impl FnOnce(&Value) -> bool,
    ) -> bool {
        let map = parent.get(session.object()).and_then(Value::as_object);
        map.is_some_and(|map| map.get(&self.key).is_none_or(is_none)) && !session.prints_by_default(parent, &self.key)
    }

    /// Refuses an object in which an action may print the key that is to be written.
    pub(super) fn refuse_printed(&self, parent: &FieldPath, session: &Session<'_>) -> Result<(), Halt> {
        let Some(place) = session.printed_around(parent, &self.key) else { return Ok(()) };
        let what =
            if session.is_variable(place) { "what the variable here stands for" } else { "what an action prints here" };
        let reason = format!("{what} may have {}, which is to be written where it is absent", self.key);
        Err(Halt::refused(place.clone(), reason, "write it out here, or convert the object by hand"))
    }

    /// Writes the key in the mapping at `parent`.
    pub(super) fn write(&self, parent: &FieldPath, value: Value, session: &mut Session<'_>) -> Result<(), Halt> {
        let path = parent.key(&self.key);
        if path.get(session.object()).is_some() {
            return session.replace(path, value);
        }
        let place = self.beside.as_ref().map_or(Place::Last, |place| beside(place, parent, session.object()));
        session.insert(path, value, place)
    }
}

/// Returns `place` in the mapping at `parent`; the last one where the key that it names is absent.
pub(super) fn beside(place: &Place, parent: &FieldPath, object: &Value) -> Place {
    match place {
        Place::Before(key) | Place::After(key) if parent.key(key).get(object).is_none() => Place::Last,
        place => place.clone(),
    }
}

/// The message where there is no value to write.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Missing {
    /// Why the object is held back: `missing: { reason: the new kind requires a scope, help: write spec.scope }`.
    reason: String,
    /// What to do by hand.
    help: String,
}

/// Where the implied value comes from.
#[derive(Clone, Debug)]
enum Source {
    /// `value: Cluster`
    Value(Value),
    /// `by: mode, table: { Local: Disk, Shared: Network }`
    Table(FieldPath, BTreeMap<String, Value>),
    /// `like: metadata.namespace`
    Like(FieldPath),
    /// `parameter: shop.namespace`
    Parameter(String),
    /// `named-by: { kind: StorageClass.example.com, refs: spec.settingsRef, value: namespace }`
    ReferencedBy(ReferencedBy),
    /// `names: { kind: Settings.example.com, refs: spec.settingsRef, value: metadata.namespace }`
    References(References),
}

/// What null in the field means.
#[derive(Clone, Copy, Debug, std::default::Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Nulls {
    /// A value like any other.
    #[default]
    Value,
    /// The field is absent: the API server removes it.
    Absent,
}

/// What happens in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Action {
    /// The field is removed where it has the implied value.
    Elide,
    /// The field is added, with the implied value, where it is absent.
    Write,
}

impl Default {
    pub(super) const DESCRIPTION: Description = Description {
        name: "default",
        text: "Writes or removes a field whose value one side implies: `elide` removes the field where it has that value, \
               `write` adds it where it is absent and its parent is present (in a patch: only in list items and in references \
               that it adds; never a namespace that a kustomization sets). `forward` and `backward` say what happens in which \
               direction. The value is `value`, the value of the field `like`, what `table` has for the value of the field \
               `by`, the value that the user passed for a `parameter` of the pack, the value in a reference of the object that \
               this one is `named-by`, or the value in an object that it `names`. A written field is put last, or next to the key \
               that `before` or `after` names, where that is present. With `nulls: absent`, null counts as absent. Where there is no value to write, `missing` says why \
               the object is held back. No loss: both forms mean the same.",
        example: "default: { field: spec.parametersRef.scope, value: Namespace, forward: elide, backward: write }",
    };

    /// What happens in `direction`, and what undoes it in the other one.
    fn actions(&self, direction: Direction) -> [Option<Action>; 2] {
        direction.ends([self.forward, self.backward])
    }

    /// Returns the implied value, where there is one, and the other objects that it was read from.
    fn implied<'a>(&self, session: &Session<'a>) -> FoundValue<'a> {
        let object = session.object();
        let found =
            |value: Option<Value>| value.map_or(FoundValue::Nothing, |value| FoundValue::One(value, Vec::new()));
        match &self.source {
            Source::Value(value) => found(Some(value.clone())),
            Source::Table(by, table) => {
                let name = by.get(object).and_then(Value::as_str);
                found(name.and_then(|name| table.get(name)).cloned())
            }
            Source::Like(path) => found(path.get(&session.view_for([&path.pattern()])).cloned()),
            Source::Parameter(name) => found(session.context().and_then(|all| all.parameter(name)).map(Value::from)),
            Source::ReferencedBy(reference) => reference.value(session),
            Source::References(reference) => reference.value(session),
        }
    }

    /// Returns the places of the field that have the implied value, the last first, and whether it is written as implied there; and the
    /// objects that imply it.
    fn places<'a>(&self, session: &Session<'a>) -> (Vec<(FieldPath, bool)>, Vec<ObjectView<'a>>) {
        let object = session.object();
        let places = self.written.field().matches(object);
        // Other objects are not read where nothing depends on them.
        if places.is_empty() {
            return (Vec::new(), Vec::new());
        }
        let FoundValue::One(implied, sources) = self.implied(session) else { return (Vec::new(), Vec::new()) };
        let has_implied = |path: FieldPath| {
            let value = path.get(object).filter(|value| amount::equal(value, &implied))?;
            let is_same = *value == implied;
            Some((path, is_same))
        };
        (places.into_iter().rev().filter_map(has_implied).collect(), sources)
    }

    fn elide(&self, undo: Option<Action>, session: &mut Session<'_>) -> Result<(), Halt> {
        let (places, sources) = self.places(session);
        // What is removed is theirs from now on.
        sources.iter().filter(|_| !places.is_empty()).for_each(|other| session.convert_together_with(other));
        for (path, is_same) in places {
            // Another spelling of a quantity does not come back.
            if undo != Some(Action::Write) || !is_same {
                session.record_removal(&path, "it is the default of the field");
            }
            session.delete(path)?;
        }
        Ok(())
    }

    fn write(&self, undo: Option<Action>, session: &mut Session<'_>) -> Result<(), Halt> {
        if undo == Some(Action::Elide) {
            for (path, _) in self.places(session).0 {
                session.record_normalization(&path, "it is the default of the field");
            }
        }
        self.warn_of_wrong_namespace(session);
        if session.is_set_by_kustomization(&self.written.field()) {
            return Ok(());
        }
        // A reference that a patch adds is complete.
        let is_reference = matches!(self.source, Source::References(_));
        let is_unset = |value: &Value| self.nulls == Nulls::Absent && value.is_null();
        for parent in self.written.parent.matches(session.object()) {
            self.written.refuse_printed(&parent, session)?;
            let is_whole = is_reference || session.completeness_at(&parent) != Completeness::Partial;
            if is_whole && self.written.is_absent(&parent, session, is_unset) {
                self.write_at(undo, parent, session)?;
            }
        }
        Ok(())
    }

    /// Refuses to choose among the values of other objects.
    fn ambiguous(&self, at: FieldPath, values: &str) -> Halt {
        let key = &self.written.key;
        let reason = format!("{key} is required, and the files do not show one value for it: {values}");
        let help = format!("write {key} by hand; where several objects share this one, make a copy for each");
        Halt::refused(at, reason, help)
    }

    /// Records a reference to a namespace without such an object, where the run has one of that name in another namespace.
    fn warn_of_wrong_namespace(&self, session: &mut Session<'_>) {
        let Source::References(reference) = &self.source else { return };
        if let Some((path, written, other)) = reference.in_wrong_namespace(session) {
            let warning = format!("{path} is {written}, but {} {}", other.described(), other.namespace.description());
            session.record_doubt(&path, warning);
        }
    }

    fn write_at(&self, undo: Option<Action>, parent: FieldPath, session: &mut Session<'_>) -> Result<(), Halt> {
        if let Source::Like(path) = &self.source
            && let Some(printed) = session.printed_into(path)
        {
            let reason = "what an action prints here belongs into another field too, and is not known";
            return Err(Halt::refused(printed.clone(), reason, "write it out here, or convert the object by hand"));
        }
        let (value, sources) = match self.implied(session) {
            FoundValue::One(value, sources) => (value, sources),
            FoundValue::Several(values) => return Err(self.ambiguous(parent, &values)),
            FoundValue::Nothing => {
                let Some(Missing { reason, help }) = &self.missing else { return Ok(()) };
                return Err(Halt::refused(parent, reason, help));
            }
        };
        sources.iter().for_each(|other| session.convert_together_with(other));
        if undo != Some(Action::Elide) {
            let reason = format!("{} is written, and converting back keeps it", self.written.key);
            session.record_normalization(&parent, reason);
        }
        self.written.write(&parent, value, session)
    }
}

impl Operation for Default {
    fn run(&self, pass: &Pass<'_>, session: &mut Session<'_>) -> Result<(), Halt> {
        let [action, undo] = self.actions(pass.direction);
        match action {
            Some(Action::Elide) => self.elide(undo, session),
            Some(Action::Write) => self.write(undo, session),
            None => Ok(()),
        }
    }

    fn premises(&self) -> Vec<Premise> {
        let field = self.written.field();
        let value = |value: &Value| Premise::new(&field, Form::Value(value.clone()), Side::Either);
        let mut all = vec![Premise::present(&field)];
        match &self.source {
            Source::Value(written) => all.push(value(written)),
            Source::Table(by, table) => {
                let name = |name: &String| Form::Value(Value::from(name.as_str()));
                all.extend(table.keys().map(|key| Premise::new(&by.pattern(), name(key), Side::Either)));
                all.extend(table.values().map(value));
            }
            Source::Like(path) => all.push(Premise::present(&path.pattern())),
            Source::Parameter(_) | Source::ReferencedBy(_) | Source::References(_) => {}
        }
        all
    }

    fn makes_valid(&self, direction: Direction, field: &FieldPattern) -> bool {
        self.actions(direction)[0] == Some(Action::Write) && *field == self.written.field()
    }

    fn copies(&self, direction: Direction, field: &FieldPattern) -> bool {
        let is_written = self.actions(direction)[0] == Some(Action::Write);
        is_written && matches!(&self.source, Source::Like(path) if field.starts_with(&path.pattern()))
    }

    fn constants(&self, direction: Direction) -> Vec<Constant> {
        let [action, undo] = self.actions(direction);
        match &self.source {
            Source::Value(value) if action == Some(Action::Elide) || undo == Some(Action::Write) => {
                vec![Constant { field: self.written.field(), value: value.clone(), is_default: false }]
            }
            _ => Vec::new(),
        }
    }

    fn parameters(&self) -> Vec<Parameter<'_>> {
        match &self.source {
            Source::Parameter(name) => vec![Parameter { name, choices: &[], wanted: None }],
            _ => Vec::new(),
        }
    }

    fn kinds_read(&self) -> Vec<GroupKind> {
        match &self.source {
            Source::ReferencedBy(reference) => vec![reference.kind.clone()],
            Source::References(reference) => vec![reference.kind.clone()],
            Source::Value(_) | Source::Table(..) | Source::Like(_) | Source::Parameter(_) => Vec::new(),
        }
    }

    fn fidelities(&self, direction: Direction) -> Vec<Fidelity> {
        let refused = self.missing.as_ref().map(|_| Fidelity::Refused);
        match self.actions(direction) {
            [None, _] => Vec::new(),
            // What the inverse undoes comes back as it was.
            [Some(Action::Elide), Some(Action::Write)] => vec![Fidelity::Exact],
            [Some(Action::Elide), _] => vec![Fidelity::Normalized],
            // A default that was written before is removed when converting back.
            [Some(Action::Write), Some(Action::Elide)] => {
                [Fidelity::Exact, Fidelity::Normalized].into_iter().chain(refused).collect()
            }
            [Some(Action::Write), _] => [Fidelity::Normalized].into_iter().chain(refused).collect(),
        }
    }
}

impl<'de> Deserialize<'de> for Default {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wire = Wire::deserialize(deserializer)?;
        let source = wire.source().map_err(de::Error::custom)?;
        if wire.forward.is_none() && wire.backward.is_none() {
            return Err(de::Error::custom("write `forward` or `backward`: without them the operation does nothing"));
        }
        let Wire { field, forward, backward, before, after, nulls, missing, .. } = wire;
        let written = WrittenKey::new(&field, before, after).map_err(de::Error::custom)?;
        Ok(Self { written, source, forward, backward, nulls, missing })
    }
}

/// The operation as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Wire {
    /// The field that is written or removed.
    field: FieldPattern,
    /// The implied value.
    value: Option<Value>,
    /// The field whose value selects the implied value from `table`: `by: spec.mode, table: { Local: Disk }`.
    by: Option<FieldPattern>,
    /// The implied value for each value of the field `by`: `by: spec.mode, table: { Local: Disk }`.
    table: Option<BTreeMap<String, Value>>,
    /// The field that has the implied value: `like: metadata.namespace`.
    like: Option<FieldPattern>,
    /// The parameter of the pack that has the implied value: `parameter: shops.namespace`.
    parameter: Option<String>,
    /// The reference to this object, in one of another kind, that has the implied value: `named-by: { kind: ShopClass.example.com, refs:
    /// spec.parametersRef, value: namespace }`.
    named_by: Option<ReferencedBy>,
    /// The reference to another object, which has the implied value: `names: { kind: ShopConfig.example.com, refs: spec.configRef, value:
    /// metadata.namespace }`.
    names: Option<References>,
    /// What happens towards newer releases; nothing where it is not written.
    forward: Option<Action>,
    /// What happens towards older releases; nothing where it is not written.
    backward: Option<Action>,
    /// The key that a written field is put before, where that is present: `before: name`.
    before: Option<String>,
    /// The key that a written field is put after, where that is present: `after: name`. Else it is put last.
    after: Option<String>,
    /// What null in the field means: `nulls: absent`.
    #[serde(default)]
    nulls: Nulls,
    /// What is reported where the field is to be written and there is no value: `missing: { reason: ..., help: ... }`. Nothing is written
    /// then where it is left out.
    missing: Option<Missing>,
}

impl Wire {
    /// Returns the one source that is written.
    fn source(&self) -> Result<Source, String> {
        let one = |field: &FieldPattern| {
            field.as_path().ok_or_else(|| format!("{field} matches more than one place, so it has no single value"))
        };
        let mut sources = Vec::new();
        sources.extend(self.value.clone().map(Source::Value));
        sources.extend(self.parameter.clone().map(Source::Parameter));
        sources.extend(self.named_by.clone().map(Source::ReferencedBy));
        sources.extend(self.names.clone().map(Source::References));
        if let Some(like) = &self.like {
            sources.push(Source::Like(one(like)?));
        }
        if let (Some(by), Some(table)) = (&self.by, &self.table) {
            sources.push(Source::Table(one(by)?, table.clone()));
        }
        let halves = self.by.is_some() != self.table.is_some();
        match (sources.pop(), sources.is_empty(), halves) {
            (Some(source), true, false) => Ok(source),
            _ => {
                Err("write one of `value`, `like`, `parameter`, `named-by`, `names`, and `by` with `table`".to_owned())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sequence::Lens;
    use super::super::trial::{data, operation};
    use super::*;
    use serde_json::json;

    const KIND: &str = "default: { field: k.kind, by: protocol, table: { TCP: TCPRoute, UDP: UDPRoute }, forward: elide, backward: write }";

    #[track_caller]
    fn check(text: &str, before: &Value, after: &Value) {
        assert_eq!(data(&operation(text), before), Ok((after.clone(), 0)));
    }

    #[track_caller]
    fn check_back(text: &str, before: &Value, after: &Value) {
        assert_eq!(data(&operation(text).inverse(&GroupKind::new("A", "")), before), Ok((after.clone(), 0)));
    }

    #[test]
    fn an_implied_value_is_removed_and_restored() {
        let (written, implied) =
            (json!({"protocol": "TCP", "k": {"kind": "TCPRoute"}}), json!({"protocol": "TCP", "k": {}}));
        check(KIND, &written, &implied);
        check_back(KIND, &implied, &written);
    }

    #[test]
    fn other_values_are_kept() {
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
    fn null_counts_as_absent_if_the_rule_allows_it() {
        let text = "default: { field: k.n, value: 1, nulls: absent, backward: write }";
        let null = json!({"k": {"n": null}});
        check(text, &null, &null);
        check_back(text, &null, &json!({"k": {"n": 1}}));
    }

    #[test]
    fn every_matching_field_gets_the_value() {
        let text = "default: { field: \"l[].group\", value: core, backward: write }";
        let (before, after) = (json!({"l": [{}, {"group": "a"}]}), json!({"l": [{"group": "core"}, {"group": "a"}]}));
        check_back(text, &before, &after);
        check(text, &after, &after);
        let text = "default: { field: \"l[].n\", like: m.n, forward: elide }";
        check(
            text,
            &json!({"m": {"n": "a"}, "l": [{"n": "a"}, {"n": "b"}]}),
            &json!({"m": {"n": "a"}, "l": [{}, {"n": "b"}]}),
        );
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
    fn a_written_field_is_put_next_to_a_key() {
        let written = |place: &str, object: Value| {
            let text = format!("default: {{ field: s.n, value: 1, forward: write, {place} }}");
            data(&operation(&text), &object).unwrap().0.to_string()
        };
        let object = || json!({"s": {"a": 0, "b": 0, "c": 0}});
        assert_eq!(written("before: b", object()), r#"{"s":{"a":0,"n":1,"b":0,"c":0}}"#);
        assert_eq!(written("after: b", object()), r#"{"s":{"a":0,"b":0,"n":1,"c":0}}"#);
        assert_eq!(written("before: x", object()), r#"{"s":{"a":0,"b":0,"c":0,"n":1}}"#);
    }

    #[test]
    fn ambiguous_defaults_are_rejected() {
        for text in [
            "default: { field: a, value: 1, forward: write, before: b, after: c }",
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
