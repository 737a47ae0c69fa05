//! The operation `changed-default`: a field that is absent means something else on the other side.

use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

use super::default::WrittenKey;
use super::operation::{Constant, Description, Direction, Fidelity, Form, Operation, Parameter, Pass, Premise, Side};
use super::session::{Completeness, Equivalence, Halt, Session};
use crate::syntax::field::{FieldPath, FieldPattern};
use crate::syntax::yaml::Place;

/// `changed-default: { field: spec.history, old: 2, new: 10, parameter: shop.defaults }`
#[derive(Clone, Debug)]
pub(super) struct ChangedDefault {
    written: WrittenKey,
    old: Value,
    new: Value,
    /// The parameter of the pack by which the user chooses.
    parameter: String,
    /// The only direction in which it is written, where the other side says it in another field.
    direction: Option<Direction>,
}

impl ChangedDefault {
    pub(super) const DESCRIPTION: Description = Description {
        name: "changed-default",
        text: "Keeps the meaning of an absent field whose default is `old` on one side and `new` on the other: where its parent is \
               present, the default of the side that the object comes from is written (in a patch: only in list items). The \
               inverse writes `new`. A field that is present never changes, also where it has a default as its value; null \
               counts as absent. A written field is put last, or next to the key that `before` or `after` names. `parameter` is \
               one of the pack with the choices `freeze`, which is the above, and `adopt`: then nothing is written, and the field \
               means what the target means by it. Either is reported. With `direction`, it happens in that direction only, where the \
               other side says the same in another field. No loss: written out, the meaning is the same.",
        example: "changed-default: { field: spec.history, old: 2, new: 10, parameter: shop.defaults }",
    };

    /// The default of the side that an object comes from, and that of the other one.
    fn defaults(&self, direction: Direction) -> [&Value; 2] {
        direction.ends([&self.old, &self.new])
    }

    fn runs(&self, direction: Direction) -> bool {
        self.direction.is_none_or(|only| only == direction)
    }

    /// Returns whether the field is absent at `parent`, and nothing outside the file can set it.
    fn is_open(&self, parent: &FieldPath, session: &Session<'_>) -> bool {
        let is_absent = self.written.is_absent(parent, session, Value::is_null);
        is_absent && session.completeness_at(parent) != Completeness::Partial
    }

    /// Records an action that prints the field, and prints nothing by default since the values of the chart do not have it.
    fn tell_missing(&self, direction: Direction, parent: &FieldPath, session: &mut Session<'_>) {
        let path = parent.key(&self.written.key);
        let Some(Value::String(text)) = path.get(session.object()) else { return };
        let is_adopted = session.context().and_then(|all| all.parameter(&self.parameter)) == Some(ADOPT);
        if session.open().missing.contains(text) && !is_adopted {
            let (text, [old, new]) = (text.clone(), self.defaults(direction));
            let reason = format!("such as nothing, it meant {old} and means {new} in the target");
            session.record_unknown(&path, &text, &reason, "write the value out here".to_owned());
        }
    }

    fn write(&self, direction: Direction, parent: &FieldPath, session: &mut Session<'_>) -> Result<(), Halt> {
        let [old, new] = self.defaults(direction);
        let (path, field, parameter) = (parent.key(&self.written.key), self.written.field(), &self.parameter);
        if session.context().and_then(|all| all.parameter(parameter)) == Some(ADOPT) {
            session.record_changed_default(
                Equivalence::Adopted,
                &path,
                format!("{field} is absent, which meant {old} and means {new} in the target ({parameter}={ADOPT})"),
            );
            return Ok(());
        }
        session.record_changed_default(
            Equivalence::Frozen(parameter.clone()),
            &path,
            format!("{field}: {old} is written, since without it the target means {new} ({parameter}={FREEZE})"),
        );
        self.written.write(parent, old.clone(), session)
    }
}

/// The choice that writes the default of the side that the object comes from; it counts where the user made none.
const FREEZE: &str = "freeze";

/// The choice that writes nothing.
const ADOPT: &str = "adopt";

impl Operation for ChangedDefault {
    fn run(&self, pass: &Pass<'_>, session: &mut Session<'_>) -> Result<(), Halt> {
        if !self.runs(pass.direction) {
            return Ok(());
        }
        for parent in self.written.parent.matches(session.object()) {
            self.written.refuse_printed(&parent, session)?;
            if self.is_open(&parent, session) {
                self.write(pass.direction, &parent, session)?;
            } else {
                self.tell_missing(pass.direction, &parent, session);
            }
        }
        Ok(())
    }

    fn premises(&self) -> Vec<Premise> {
        let each = [(&self.old, Side::Old), (&self.new, Side::New)];
        let sides = each.map(|(default, side)| Premise::new(&self.written.field(), Form::Value(default.clone()), side));
        let beside = self.written.beside.iter().filter_map(|place| match place {
            Place::Before(key) | Place::After(key) => Some(Premise::present(&self.written.parent.key(key))),
            Place::First | Place::Last => None,
        });
        sides.into_iter().chain(beside).collect()
    }

    fn constants(&self, direction: Direction) -> Vec<Constant> {
        let value = self.defaults(direction)[0].clone();
        vec![Constant { field: self.written.field(), value, is_default: true }]
    }

    fn makes_valid(&self, direction: Direction, field: &FieldPattern) -> bool {
        self.runs(direction) && *field == self.written.field()
    }

    fn parameters(&self) -> Vec<Parameter<'_>> {
        vec![Parameter { name: &self.parameter, choices: &[FREEZE, ADOPT], wanted: None }]
    }

    fn fidelities(&self, direction: Direction) -> Vec<Fidelity> {
        if self.runs(direction) { vec![Fidelity::Normalized] } else { Vec::new() }
    }
}

impl<'de> Deserialize<'de> for ChangedDefault {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Wire {
            /// The field whose default changed.
            field: FieldPattern,
            /// Its default before the change.
            old: Value,
            /// Its default after the change.
            new: Value,
            /// The parameter of the pack that decides, with its pack: its choices are `freeze` and `adopt`.
            parameter: String,
            /// The key that a written field is put before, where that is present: `before: name`.
            before: Option<String>,
            /// The key that a written field is put after, where that is present: `after: name`. Else it is put last.
            after: Option<String>,
            /// The only direction in which it is written: `direction: forward`.
            direction: Option<Direction>,
        }
        let Wire { field, old, new, parameter, before, after, direction } = Wire::deserialize(deserializer)?;
        if old == new {
            return Err(de::Error::custom(format!(
                "`old` and `new` are the same, so the default of {field} did not change"
            )));
        }
        let written = WrittenKey::new(&field, before, after).map_err(de::Error::custom)?;
        Ok(Self { written, old, new, parameter, direction })
    }
}

#[cfg(test)]
mod tests {
    use super::super::sequence::Lens;
    use std::collections::BTreeMap;

    use super::super::context::Context;
    use super::super::trial::{data, operation};
    use super::*;
    use crate::knowledge::release::GroupKind;
    use serde_json::json;

    const TEXT: &str = "changed-default: { field: s.n, old: 2, new: 10, parameter: shop.defaults }";

    fn back() -> Lens {
        operation(TEXT).inverse(&GroupKind::new("A", ""))
    }

    #[test]
    fn an_absent_field_keeps_its_meaning_in_both_directions() {
        let absent = json!({"s": {"a": 1}});
        assert_eq!(data(&operation(TEXT), &absent), Ok((json!({"s": {"a": 1, "n": 2}}), 0)));
        assert_eq!(data(&back(), &absent), Ok((json!({"s": {"a": 1, "n": 10}}), 0)));
        let null = json!({"s": {"n": null, "a": 1}});
        assert_eq!(data(&operation(TEXT), &null), Ok((json!({"s": {"n": 2, "a": 1}}), 0)));
    }

    #[test]
    fn a_present_field_never_changes() {
        for same in
            [json!({"s": {"n": 2}}), json!({"s": {"n": 10}}), json!({"s": {"n": 5}}), json!({"s": null}), json!({})]
        {
            assert_eq!(data(&operation(TEXT), &same), Ok((same.clone(), 0)));
            assert_eq!(data(&back(), &same), Ok((same.clone(), 0)));
        }
    }

    #[test]
    fn the_user_chooses() {
        let absent = json!({"s": {"a": 1}});
        let run = |choice: &str, completeness| {
            let parameters = BTreeMap::from([("shop.defaults".to_owned(), choice.to_owned())]);
            let context = Context::default().with_parameters(&parameters);
            let mut session = Session::in_context(absent.clone(), &context, completeness);
            operation(TEXT).run(&mut session).unwrap();
            (session.object().clone(), session.normalized().iter().map(|one| one.reason.clone()).collect::<Vec<_>>())
        };
        let told = "s.n: 2 is written, since without it the target means 10 (shop.defaults=freeze)";
        assert_eq!(run(FREEZE, Completeness::Whole), (json!({"s": {"a": 1, "n": 2}}), vec![told.to_owned()]));
        let told = "s.n is absent, which meant 2 and means 10 in the target (shop.defaults=adopt)";
        assert_eq!(run(ADOPT, Completeness::Whole), (absent.clone(), vec![told.to_owned()]));
        // What a patch does not set can be set in what it is applied to.
        assert_eq!(run(FREEZE, Completeness::Partial), (absent.clone(), vec![]));
    }

    #[test]
    fn items_of_a_patch_get_the_default_beside_a_key() {
        let text = "changed-default: { field: \"l[].n\", old: [a], new: [b], parameter: p.d, before: z }";
        let (context, before) = (Context::default(), json!({"l": [{"z": 1}, {"n": []}, {}]}));
        let mut session = Session::in_context(before, &context, Completeness::Partial);
        operation(text).run(&mut session).unwrap();
        assert_eq!(session.object().to_string(), r#"{"l":[{"n":["a"],"z":1},{"n":[]},{"n":["a"]}]}"#);
    }
}
