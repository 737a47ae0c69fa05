//! The operation `units`: a number with a unit is written in a smaller unit.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

use super::operation::{Description, Direction, Fidelity, Form, Operation, Pass, Premise, Side};
use super::session::{Halt, Session};
use super::verdict::undecided;
use crate::syntax::field::FieldPattern;
use crate::syntax::variable::OpenText;

/// `units: { field: spec.body.timeout, direction: backward, to: s, factors: { m: 60, h: 3600 } }`
#[derive(Clone, Debug)]
pub(super) struct Units {
    field: FieldPattern,
    direction: Direction,
    to: String,
    factors: BTreeMap<String, u64>,
}

impl Units {
    pub(super) const DESCRIPTION: Description = Description {
        name: "units",
        text: "Writes a text such as `10m` in the unit `to`, multiplied by the factor of its own unit in `factors`, because the \
               target of `direction` supports fewer units: `600s`. Other texts, and products beyond 64 bits, are left \
               unchanged, and a text with a variable (`${TIME}`) that can become one is refused. No loss: both mean the same, but converting back leaves the smaller unit.",
        example: "units: { field: spec.body.timeout, direction: forward, to: s, factors: { m: 60, h: 3600 } }",
    };

    /// Returns `text` in the unit `to`, where it has one of the units that are replaced.
    fn converted(&self, text: &str) -> Option<String> {
        let digits = text.find(|one: char| !one.is_ascii_digit())?;
        let (number, unit) = text.split_at(digits);
        let product = number.parse::<u64>().ok()?.checked_mul(*self.factors.get(unit)?)?;
        Some(format!("{product}{}", self.to))
    }

    /// Returns whether a text with variables can become one that is converted.
    fn can_convert(&self, text: &OpenText<'_>) -> bool {
        let end = text.end().trim_start_matches(|one: char| one.is_ascii_digit());
        let begins = text.beginning().starts_with(|one: char| one.is_ascii_digit()) || text.beginning().is_empty();
        begins && self.factors.keys().any(|unit| unit.ends_with(end))
    }
}

impl Operation for Units {
    fn run(&self, pass: &Pass<'_>, session: &mut Session<'_>) -> Result<(), Halt> {
        if self.direction != pass.direction {
            return Ok(());
        }
        for path in self.field.matches(session.object()) {
            if path.get(session.object()).and_then(OpenText::of).is_some_and(|open| self.can_convert(&open)) {
                return Err(undecided(path, session.object()));
            }
            let text = path.get(session.object()).and_then(Value::as_str);
            if let Some(text) = text.and_then(|text| self.converted(text)) {
                session.record_normalization(&path, format!("{text} is the same"));
                session.replace(path, Value::from(text))?;
            }
        }
        Ok(())
    }

    fn premises(&self) -> Vec<Premise> {
        vec![Premise::new(&self.field, Form::Text, Side::Either)]
    }

    fn value_image(&self, direction: Direction, field: &FieldPattern, value: &Value) -> Option<Value> {
        let runs = self.direction == direction && *field == self.field;
        value.as_str().filter(|_| runs).and_then(|text| self.converted(text)).map(Value::from)
    }

    fn fidelities(&self, direction: Direction) -> Vec<Fidelity> {
        if self.direction == direction { vec![Fidelity::Exact] } else { Vec::new() }
    }
}

impl<'de> Deserialize<'de> for Units {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Wire {
            /// The texts that are rewritten.
            field: FieldPattern,
            /// The direction whose target supports fewer units.
            direction: Direction,
            /// The unit that is written.
            to: String,
            /// How many of that unit each of the other units is.
            factors: BTreeMap<String, u64>,
        }
        let Wire { field, direction, to, factors } = Wire::deserialize(deserializer)?;
        if factors.contains_key(&to) {
            return Err(de::Error::custom(format!(
                "`{to}` is the unit that all values of {field} get, so it must not have a factor"
            )));
        }
        Ok(Self { field, direction, to, factors })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::trial::{data, operation};
    use crate::knowledge::release::GroupKind;

    /// Checks what becomes of a value on the way to the side that knows seconds only.
    #[track_caller]
    fn check(before: Value, after: Value) {
        let units = operation("units: { field: spec.t, direction: backward, to: s, factors: { m: 60, h: 3600 } }");
        let (before, after) = (json!({"spec": {"t": before}}), json!({"spec": {"t": after}}));
        let back = units.inverse(&GroupKind::new("A", ""));
        assert_eq!(data(&back, &before), Ok((after, 0)));
        assert_eq!(data(&units, &before), Ok((before, 0)), "the other side knows every unit");
    }

    #[test]
    fn larger_units_become_the_smaller_one() {
        check(json!("10m"), json!("600s"));
        check(json!("3h"), json!("10800s"));
        check(json!("0m"), json!("0s"));
    }

    #[test]
    fn a_variable_that_can_have_a_larger_unit_is_refused() {
        let units = operation("units: { field: t, direction: forward, to: s, factors: { m: 60, h: 3600 } }");
        for (text, is_refused) in
            [("${T}", true), ("${T}m", true), ("1${T}", true), ("${T}s", false), ("x${T}", false), ("$${T}", false)]
        {
            assert_eq!(data(&units, &json!({"t": text})).is_err(), is_refused, "{text}");
        }
    }

    #[test]
    fn other_values_are_left_unchanged() {
        for value in [json!("10s"), json!("5ms"), json!("7"), json!("m"), json!(60), json!("99999999999999999999h")] {
            check(value.clone(), value);
        }
    }
}
