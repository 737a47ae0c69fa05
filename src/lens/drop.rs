//! The operation `drop`: a field that the other side cannot say is removed.

use serde::Deserialize;
use serde_json::Value;

use super::{Claims, Description, Halt, LossClass, Operation, Session};
use crate::field::{FieldPath, FieldPattern};
use crate::release::GroupKind;
use crate::yaml::Intent;

/// `drop: { field: spec.idleTimeout, reason: no implementation ever had it }`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Drop {
    field: FieldPattern,
    reason: String,
    default: Option<Value>,
    default_field: Option<FieldPattern>,
}

impl Drop {
    pub(super) const DESCRIPTION: Description = Description {
        name: "drop",
        text: "Removes `field`, with its comments, because the new side has no place for it. A `dropped-field` loss, \
               unless the value equals `default` or the value of `default-field`: then the new side means the same \
               without it, which is only told. The inverse leaves the object alone.",
        example: "drop: { field: spec.parametersRef.scope, reason: the scope follows from the kind, default: Cluster }",
    };

    fn says_nothing(&self, path: &FieldPath, object: &Value) -> bool {
        let value = path.get(object);
        let others = self.default_field.iter().flat_map(|field| field.matches(object));
        value == self.default.as_ref() || others.into_iter().any(|other| other.get(object) == value)
    }
}

impl Operation for Drop {
    fn run(&self, session: &mut Session) -> Result<(), Halt> {
        for path in self.field.matches(session.object()).into_iter().rev() {
            let implied = self.says_nothing(&path, session.object());
            let class = if implied { LossClass::Implied } else { LossClass::DroppedField };
            session.lose(class, &path, self.reason.as_str());
            session.change(Intent::Delete { path })?;
        }
        Ok(())
    }

    fn inverse(&self, _kind: &GroupKind) -> Box<dyn Operation> {
        Box::new(Absent { dropped: self.clone() })
    }

    fn claims(&self) -> Claims {
        Claims { old: vec![self.field.clone()], new: Vec::new() }
    }
}

/// The way back from [`Drop`]: the field is not there to be changed. Not written in rule files.
#[derive(Clone, Debug)]
struct Absent {
    dropped: Drop,
}

impl Operation for Absent {
    fn run(&self, _session: &mut Session) -> Result<(), Halt> {
        Ok(())
    }

    fn inverse(&self, _kind: &GroupKind) -> Box<dyn Operation> {
        Box::new(self.dropped.clone())
    }

    fn claims(&self) -> Claims {
        Claims { old: Vec::new(), new: vec![self.dropped.field.clone()] }
    }
}
