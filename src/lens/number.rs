//! The operation `number`: a text of digits becomes a number.

use serde::Deserialize;
use serde_json::Value;

use super::direction::Direction;
use super::fidelity::Fidelity;
use super::halt::Halt;
use super::image::Claims;
use super::operation::{Description, Operation};
use super::premise::{Form, Premise, Side};
use super::session::Session;
use super::verdict::undecided;
use crate::field::{FieldPath, FieldPattern};
use crate::release::GroupKind;
use crate::variable::OpenText;
use crate::yaml::Intent;

/// `number: { field: spec.port }` or `number: { field: spec.port, direction: forward }`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Number {
    /// The field that is a text of digits before the change, and a number after it.
    field: FieldPattern,
    /// The only direction in which texts become numbers, where a field can have both on both sides: `direction: forward`.
    direction: Option<Direction>,
}

impl Number {
    pub(super) const DESCRIPTION: Description = Description {
        name: "number",
        text: "Makes the value of `field` a number where it is a text of digits as a number is written: `\"8080\"` becomes 8080; \
               other texts, such as `\"007\"` and `http`, are left unchanged, and a text with a variable (`${PORT}`) that can become \
               one is refused. The inverse makes every integer of the field such \
               a text. Exact in data: a number comes back in decimal (`0x1` as 1), a text in the quotes of its document. With `direction`, the field can hold either on both sides, and both mean the same: texts become \
               numbers in that direction, which is reported, and converting back leaves the number.",
        example: "number: { field: spec.port }",
    };
}

/// Returns the integer that `text` writes, where writing that integer gives `text`.
fn integer(text: &str) -> Option<i64> {
    text.parse().ok().filter(|number: &i64| number.to_string() == text)
}

/// Refuses a text with a variable that can become a number.
fn refuse_open(path: &FieldPath, session: &Session<'_>) -> Result<(), Halt> {
    let is_open = |open: OpenText<'_>| open.can_consist_of(|one| one.is_ascii_digit() || one == '-');
    match path.get(session.object()).and_then(OpenText::of).is_some_and(is_open) {
        true => Err(undecided(path.clone(), session.object())),
        false => Ok(()),
    }
}

impl Operation for Number {
    fn run(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        if self.direction == Some(Direction::Backward) {
            return Ok(());
        }
        for path in self.field.matches(session.object()) {
            refuse_open(&path, session)?;
            let text = path.get(session.object()).and_then(Value::as_str);
            let Some(number) = text.and_then(integer) else { continue };
            if self.direction.is_some() {
                session.record_normalization(&path, format!("the text \"{number}\" is read as the number {number}"));
            }
            session.change(Intent::Replace { path, value: Value::from(number) })?;
        }
        Ok(())
    }

    fn inverse(&self, _kind: &GroupKind) -> Box<dyn Operation> {
        match self.direction {
            Some(direction) => Box::new(Self { direction: Some(direction.reversed()), ..self.clone() }),
            None => Box::new(Digits { field: self.field.clone() }),
        }
    }

    fn claims(&self) -> Claims {
        Claims::default()
    }

    fn premises(&self) -> Vec<Premise> {
        let (old, new) = match self.direction {
            None => (Side::Old, Side::New),
            Some(_) => (Side::Either, Side::Either),
        };
        vec![Premise::new(&self.field, Form::Text, old), Premise::new(&self.field, Form::Number, new)]
    }

    fn value_image(&self, field: &FieldPattern, value: &Value) -> Option<Value> {
        let runs = self.direction != Some(Direction::Backward) && *field == self.field;
        value.as_str().filter(|_| runs).and_then(integer).map(Value::from)
    }

    fn fidelity(&self) -> Option<Fidelity> {
        match self.direction {
            None => Some(Fidelity::Exact),
            Some(Direction::Forward) => Some(Fidelity::Normalized),
            Some(Direction::Backward) => None,
        }
    }
}

/// The inverse of [`Number`]: an integer becomes a text of digits. Not written in rule files.
#[derive(Clone, Debug)]
struct Digits {
    field: FieldPattern,
}

impl Operation for Digits {
    fn run(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        for path in self.field.matches(session.object()) {
            refuse_open(&path, session)?;
            if let Some(number) = path.get(session.object()).and_then(Value::as_i64) {
                session.change(Intent::Replace { path, value: Value::from(number.to_string()) })?;
            }
        }
        Ok(())
    }

    fn inverse(&self, _kind: &GroupKind) -> Box<dyn Operation> {
        Box::new(Number { field: self.field.clone(), direction: None })
    }

    fn claims(&self) -> Claims {
        Claims::default()
    }

    fn value_image(&self, field: &FieldPattern, value: &Value) -> Option<Value> {
        value.as_i64().filter(|_| *field == self.field).map(|number| Value::from(number.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{data, operation};
    use super::*;
    use serde_json::json;

    fn kind() -> GroupKind {
        GroupKind::new("A", "")
    }

    #[test]
    fn a_text_of_digits_is_a_number_on_the_other_side() {
        let number = operation("number: { field: p }");
        for (text, value) in [("8080", 8080_i64), ("0", 0), ("-5", -5), ("9223372036854775807", i64::MAX)] {
            let (old, new) = (json!({"p": text}), json!({"p": value}));
            assert_eq!(data(&*number, &old), Ok((new.clone(), 0)));
            assert_eq!(data(&*number.inverse(&kind()), &new), Ok((old, 0)));
        }
    }

    #[test]
    fn other_texts_are_left_unchanged() {
        let number = operation("number: { field: p }");
        for same in ["007", "+1", "1.5", "1e3", "0x10", "", "http", "9223372036854775808", "-0", " 1"] {
            let same = json!({"p": same});
            assert_eq!(data(&*number, &same), Ok((same.clone(), 0)));
        }
        let same = json!({"p": 1.5});
        assert_eq!(data(&*number.inverse(&kind()), &same), Ok((same.clone(), 0)));
    }

    #[test]
    fn a_variable_that_can_become_a_number_is_refused() {
        let number = operation("number: { field: p }");
        for (text, is_refused) in [("${PORT}", true), ("80${N}", true), ("p-${N}", false), ("$${PORT}", false)] {
            assert_eq!(data(&*number, &json!({"p": text})).is_err(), is_refused, "{text}");
            assert_eq!(data(&*number.inverse(&kind()), &json!({"p": text})).is_err(), is_refused, "{text}");
        }
    }

    #[test]
    fn with_a_direction_numbers_stay_in_the_other_one() {
        let number = operation("number: { field: p, direction: forward }");
        let mut session = Session::new(json!({"p": "80"}));
        number.run(&mut session).unwrap();
        assert_eq!(*session.object(), json!({"p": 80}));
        assert_eq!(session.normalized()[0].reason, "the text \"80\" is read as the number 80");
        let same = json!({"p": 80});
        assert_eq!(data(&*number.inverse(&kind()), &same), Ok((same.clone(), 0)));
        let same = json!({"p": "80"});
        assert_eq!(data(&*number.inverse(&kind()), &same), Ok((same.clone(), 0)));
    }
}
