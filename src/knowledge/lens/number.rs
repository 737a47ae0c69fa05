//! The operation `number`: a text of digits becomes a number.

use serde::Deserialize;
use serde_json::Value;

use super::operation::{Description, Direction, Fidelity, Form, Operation, Pass, Premise, Side};
use super::session::{Halt, Session};
use super::verdict::undecided;
use crate::syntax::field::{FieldPath, FieldPattern};
use crate::syntax::variable::{Certainty, OpenText, PrintedType};

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
    // Values of a chart can have actions in their texts, which `tpl` carries out.
    let is_template = |value: &Value| value.as_str().is_some_and(|text| text.contains("{{"));
    let is_open = |value: &&Value| is_template(value) || OpenText::of(value).is_some_and(is_open);
    let value = path.get(session.object()).filter(is_open);
    let Some(value) = value else { return Ok(()) };
    let mut halt = undecided(path.clone(), session.object());
    if let (Some(printed), Halt::Undecided { help, .. }) = (PrintedType::of(value), &mut halt) {
        let default = if printed.is_number { "a number" } else { "a name" };
        *help =
            format!("`--chart-defaults` goes by values.yaml, which has {default} for it; or write the value out here");
    }
    Err(halt)
}

/// Records that a value is a number, or none, only where users of its chart set nothing.
fn record_default(printed: PrintedType, path: &FieldPath, session: &mut Session<'_>) {
    if printed.certainty == Certainty::Accepted {
        let (is, other) = if printed.is_number { ("a number", "a name") } else { ("a name", "a number") };
        let reason = format!("values.yaml has {is} for it, and the chart takes {other} no more");
        session.record_normalization(path, reason);
    }
}

/// What becomes of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    /// A text of digits becomes a number.
    Parse,
    /// A number becomes a text of digits.
    Print,
}

impl Number {
    fn change(&self, direction: Direction) -> Option<Change> {
        match self.direction {
            None if direction == Direction::Backward => Some(Change::Print),
            Some(only) if only != direction => None,
            None | Some(_) => Some(Change::Parse),
        }
    }

    /// Returns what becomes of `value`, where it changes.
    fn changed(&self, direction: Direction, value: &Value) -> Option<Value> {
        match self.change(direction)? {
            Change::Parse => value.as_str().and_then(integer).map(Value::from),
            Change::Print => value.as_i64().map(|number| Value::from(number.to_string())),
        }
    }
}

impl Operation for Number {
    fn run(&self, pass: &Pass<'_>, session: &mut Session<'_>) -> Result<(), Halt> {
        if self.change(pass.direction).is_none() {
            return Ok(());
        }
        for path in self.field.matches(session.object()) {
            let printed = path.get(session.object()).and_then(PrintedType::of);
            if let Some(printed) = printed.filter(|printed| printed.is_settled()) {
                record_default(printed, &path, session);
                continue;
            }
            refuse_open(&path, session)?;
            let value = path.get(session.object()).and_then(|value| self.changed(pass.direction, value));
            let Some(value) = value else { continue };
            if self.direction.is_some() {
                session.record_normalization(&path, format!("the text \"{value}\" is read as the number {value}"));
            }
            session.replace(path, value)?;
        }
        Ok(())
    }

    fn premises(&self) -> Vec<Premise> {
        let (old, new) = match self.direction {
            None => (Side::Old, Side::New),
            Some(_) => (Side::Either, Side::Either),
        };
        vec![Premise::new(&self.field, Form::Text, old), Premise::new(&self.field, Form::Number, new)]
    }

    fn value_image(&self, direction: Direction, field: &FieldPattern, value: &Value) -> Option<Value> {
        if *field == self.field { self.changed(direction, value) } else { None }
    }

    fn fidelities(&self, direction: Direction) -> Vec<Fidelity> {
        match (self.direction, self.change(direction)) {
            (_, None) => Vec::new(),
            (None, Some(_)) => vec![Fidelity::Exact],
            (Some(_), Some(_)) => vec![Fidelity::Normalized],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{data, operation};
    use super::*;
    use crate::knowledge::release::GroupKind;
    use serde_json::json;

    fn kind() -> GroupKind {
        GroupKind::new("A", "")
    }

    #[test]
    fn a_text_of_digits_is_a_number_on_the_other_side() {
        let number = operation("number: { field: p }");
        for (text, value) in [("8080", 8080_i64), ("0", 0), ("-5", -5), ("9223372036854775807", i64::MAX)] {
            let (old, new) = (json!({"p": text}), json!({"p": value}));
            assert_eq!(data(&number, &old), Ok((new.clone(), 0)));
            assert_eq!(data(&number.inverse(&kind()), &new), Ok((old, 0)));
        }
    }

    #[test]
    fn other_texts_are_left_unchanged() {
        let number = operation("number: { field: p }");
        for same in ["007", "+1", "1.5", "1e3", "0x10", "", "http", "9223372036854775808", "-0", " 1"] {
            let same = json!({"p": same});
            assert_eq!(data(&number, &same), Ok((same.clone(), 0)));
        }
        let same = json!({"p": 1.5});
        assert_eq!(data(&number.inverse(&kind()), &same), Ok((same.clone(), 0)));
    }

    #[test]
    fn a_variable_that_can_become_a_number_is_refused() {
        let number = operation("number: { field: p }");
        for (text, is_refused) in [("${PORT}", true), ("80${N}", true), ("p-${N}", false), ("$${PORT}", false)] {
            assert_eq!(data(&number, &json!({"p": text})).is_err(), is_refused, "{text}");
            assert_eq!(data(&number.inverse(&kind()), &json!({"p": text})).is_err(), is_refused, "{text}");
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
        assert_eq!(data(&number.inverse(&kind()), &same), Ok((same.clone(), 0)));
        let same = json!({"p": "80"});
        assert_eq!(data(&number.inverse(&kind()), &same), Ok((same.clone(), 0)));
    }
}
