//! The operation `drop`: a field that the other side cannot say is removed.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use super::direction::Direction;
use super::fidelity::Fidelity;
use super::halt::Halt;
use super::image::Claims;
use super::loss::LossClass;
use super::operation::{Description, Operation};
use super::session::Session;
use crate::field::{FieldPath, FieldPattern};
use crate::release::GroupKind;
use crate::yaml::Intent;

/// `drop: { field: spec.idleTimeout, reason: no implementation ever had it }`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Drop {
    field: FieldPattern,
    reason: String,
    #[serde(default = "forward")]
    direction: Direction,
    #[serde(default)]
    loss: LossWhen,
    default: Option<Value>,
    default_field: Option<FieldPattern>,
}

/// When a field that goes is a loss.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum LossWhen {
    /// Where its value is not the default: the other side would mean something else.
    #[default]
    UnlessDefault,
    /// Never: the field has no effect where it stands.
    None,
}

const fn forward() -> Direction {
    Direction::Forward
}

impl Drop {
    pub(super) const DESCRIPTION: Description = Description {
        name: "drop",
        text: "Removes `field`, with its comments, because the side that `direction` leads to (forward unless written) has \
               no place for it. A `dropped-field` loss, unless the value equals `default` or the value of `default-field`: \
               then the other side means the same without it, which is only told. With `loss: none` it is never a loss, because the field has no \
               effect where it stands. In the other direction nothing happens.",
        example: "drop: { field: spec.parametersRef.scope, reason: the scope follows from the kind, default: Cluster }",
    };

    /// Says whether the value at `path` means what its absence means, in `object` as it is applied.
    fn says_nothing(&self, path: &FieldPath, object: &Value) -> bool {
        let value = path.get(object);
        let others = self.default_field.iter().flat_map(|field| field.matches(object));
        self.loss == LossWhen::None
            || value == self.default.as_ref() || others.into_iter().any(|other| other.get(object) == value)
    }
}

impl Operation for Drop {
    fn run(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        if self.direction == Direction::Backward {
            return Ok(());
        }
        for path in self.field.matches(session.object()).into_iter().rev() {
            if self.says_nothing(&path, &session.view_for(|is_meant| self.default_field.iter().any(is_meant))) {
                session.record_normalization(&path, self.reason.as_str());
            } else {
                session.record_loss(LossClass::DroppedField, &path, self.reason.as_str());
            }
            session.change(Intent::Delete { path })?;
        }
        Ok(())
    }

    fn inverse(&self, _kind: &GroupKind) -> Box<dyn Operation> {
        Box::new(Self { direction: self.direction.reversed(), ..self.clone() })
    }

    fn claims(&self) -> Claims {
        let field = vec![self.field.clone()];
        match self.direction {
            Direction::Forward => Claims { old: field, new: Vec::new() },
            Direction::Backward => Claims { old: Vec::new(), new: field },
        }
    }

    fn claims_value(&self, field: &FieldPattern, _value: &Value) -> bool {
        self.direction == Direction::Forward && *field == self.field
    }

    fn fidelity(&self) -> Option<Fidelity> {
        self.fidelities().into_iter().next_back()
    }

    fn fidelities(&self) -> BTreeSet<Fidelity> {
        let says_nothing = self.loss == LossWhen::None || self.default.is_some() || self.default_field.is_some();
        let means_something = (self.loss != LossWhen::None).then_some(Fidelity::Lossy);
        let both = says_nothing.then_some(Fidelity::Normalized).into_iter().chain(means_something);
        both.filter(|_| self.direction == Direction::Forward).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{data, operation};
    use super::*;
    use serde_json::json;

    #[test]
    fn a_field_goes_in_one_direction_only() {
        let there = json!({"spec": {"a": 1, "b": 2}});
        let gone = json!({"spec": {"b": 2}});
        let forward = operation("drop: { field: spec.a, reason: r, default: 1 }");
        assert_eq!(data(&*forward, &there), Ok((gone.clone(), 0)));
        assert_eq!(data(&*forward.inverse(&GroupKind::new("A", "")), &there), Ok((there.clone(), 0)));
        let backward = operation("drop: { field: spec.a, reason: r, direction: backward }");
        assert_eq!(data(&*backward, &there), Ok((there.clone(), 0)));
        assert_eq!(data(&*backward.inverse(&GroupKind::new("A", "")), &there), Ok((gone, 1)));
    }
}
