//! The operation `drop`: a field that the other side does not have is removed.

use serde::Deserialize;
use serde_json::Value;

use super::operation::{Claims, Description, Direction, Fidelity, Form, Operation, Pass, Premise, Side};
use super::session::{Halt, LossClass, Session};
use super::verdict::undecided;
use crate::syntax::field::{FieldPath, FieldPattern};
use crate::syntax::variable::OpenText;

/// `drop: { field: spec.idleTimeout, reason: no implementation supported it }`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Drop {
    /// The field that is removed.
    field: FieldPattern,
    /// Why the other side does not have it, for people.
    reason: String,
    /// The values that are removed, where others stay, such as items of a list: `values: [basic]`.
    #[serde(default)]
    values: Vec<Value>,
    /// The direction in which it is removed: `direction: backward`.
    #[serde(default = "forward")]
    direction: Direction,
    /// When its removal is a loss: `loss: none`.
    #[serde(default)]
    loss: LossWhen,
    /// The value that means the same as no field.
    default: Option<Value>,
    /// The field whose value means the same as no field: `default-field: metadata.namespace`.
    default_field: Option<FieldPattern>,
}

/// When removing the field is a loss.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum LossWhen {
    /// Where its value is not the default: the meaning changes.
    #[default]
    UnlessDefault,
    /// Never: the field has no effect.
    None,
}

const fn forward() -> Direction {
    Direction::Forward
}

impl Drop {
    pub(super) const DESCRIPTION: Description = Description {
        name: "drop",
        text: "Removes `field`, with its comments, because the target of `direction` (forward unless written) does not have it. \
               A `dropped-field` loss, unless the value equals `default` or the value of `default-field`: then the meaning is \
               the same without it, and the removal is only reported. With `loss: none` it is never a loss, because the field \
               has no effect. With `values`, only these are removed, and a text with a variable that can become one of them is refused: \
               `field: \"spec.modes[]\", values: [basic]` takes the item `basic` out of a list. In the other direction nothing happens.",
        example: "drop: { field: spec.retryPolicy, reason: the controller always retries, default: Always }",
    };

    /// Returns whether a value is removed.
    fn removes(&self, value: &Value) -> bool {
        self.values.is_empty() || self.values.contains(value)
    }

    /// Returns why the value at `path` means the same as its absence, in `object` as it is applied, where it does.
    fn equivalence(&self, path: &FieldPath, object: &Value) -> Option<String> {
        if self.loss == LossWhen::None {
            return Some(format!("it has no effect; {}", self.reason));
        }
        let value = path.get(object)?;
        if Some(value) == self.default.as_ref() {
            return Some(format!("{value} is the default; {}", self.reason));
        }
        let mut others = self.default_field.iter().flat_map(|field| field.matches(object));
        let same = others.find(|other| other.get(object) == Some(value))?;
        Some(format!("{same} has the same value, {value}; {}", self.reason))
    }
}

impl Operation for Drop {
    fn run(&self, pass: &Pass<'_>, session: &mut Session<'_>) -> Result<(), Halt> {
        if self.direction != pass.direction {
            return Ok(());
        }
        for path in self.field.matches(session.object()).into_iter().rev() {
            let Some(value) = path.get(session.object()) else { continue };
            if OpenText::of(value).is_some_and(|open| self.values.iter().any(|value| open.can_be(value))) {
                return Err(undecided(path, session.object()));
            }
            if !self.removes(value) {
                continue;
            }
            let same = self.equivalence(&path, &session.view_for(&self.default_field));
            match same {
                Some(reason) => session.record_removal(&path, reason),
                None => session.record_loss(LossClass::DroppedField, &path, self.reason.as_str()),
            }
            session.delete(path)?;
        }
        Ok(())
    }

    fn claims(&self) -> Claims {
        if self.values.is_empty() { Claims::removing(self.field.clone(), self.direction) } else { Claims::default() }
    }

    fn premises(&self) -> Vec<Premise> {
        let default =
            self.default.iter().map(|value| Premise::new(&self.field, Form::Value(value.clone()), Side::Either));
        let [side, _] = self.direction.ends([Side::Old, Side::New]);
        let values = self.values.iter().map(|value| Premise::new(&self.field, Form::Value(value.clone()), side));
        self.default_field.iter().map(Premise::present).chain(default).chain(values).collect()
    }

    fn claims_value(&self, direction: Direction, field: &FieldPattern, value: &Value) -> bool {
        self.direction == direction && *field == self.field && self.removes(value)
    }

    fn fidelities(&self, direction: Direction) -> Vec<Fidelity> {
        if self.direction != direction {
            return Vec::new();
        }
        match (self.loss, &self.default, &self.default_field) {
            (LossWhen::None, ..) => vec![Fidelity::Normalized],
            (LossWhen::UnlessDefault, None, None) => vec![Fidelity::Lossy],
            (LossWhen::UnlessDefault, ..) => vec![Fidelity::Normalized, Fidelity::Lossy],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{data, operation};
    use crate::knowledge::release::GroupKind;
    use serde_json::json;

    #[test]
    fn only_the_values_listed_are_dropped() {
        let drop = operation("drop: { field: \"modes[]\", values: [b, 1], reason: r }");
        let kept = json!({"modes": ["a", "${X}y", null, "1"]});
        assert_eq!(data(&drop, &kept), Ok((kept.clone(), 0)));
        assert_eq!(data(&drop, &json!({"modes": ["b", "a", 1, "b"]})), Ok((json!({"modes": ["a"]}), 3)));
        assert!(data(&drop, &json!({"modes": ["a", "${X}"]})).is_err());
        let field = crate::syntax::field::FieldPattern::parse("modes[]").unwrap();
        assert!(drop.claims_value(&field, &json!("b")) && !drop.claims_value(&field, &json!("a")));
        assert_eq!(drop.image(&field), super::super::Image::Kept);
    }

    #[test]
    fn a_field_is_dropped_in_one_direction_only() {
        let there = json!({"spec": {"a": 1, "b": 2}});
        let gone = json!({"spec": {"b": 2}});
        let forward = operation("drop: { field: spec.a, reason: r, default: 1 }");
        assert_eq!(data(&forward, &there), Ok((gone.clone(), 0)));
        assert_eq!(data(&forward.inverse(&GroupKind::new("A", "")), &there), Ok((there.clone(), 0)));
        let backward = operation("drop: { field: spec.a, reason: r, direction: backward }");
        assert_eq!(data(&backward, &there), Ok((there.clone(), 0)));
        assert_eq!(data(&backward.inverse(&GroupKind::new("A", "")), &there), Ok((gone, 1)));
    }
}
