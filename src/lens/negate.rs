//! The operation `negate`: a switch takes a name that says the opposite.

use serde::Deserialize;
use serde_json::Value;

use super::{Claims, Description, Halt, Operation, Session};
use crate::field::{FieldPattern, Part};
use crate::release::GroupKind;
use crate::yaml::Intent;

/// `negate: { field: metrics.disable, to: enable }`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Negate {
    field: FieldPattern,
    to: String,
}

impl Negate {
    pub(super) const DESCRIPTION: Description = Description {
        name: "negate",
        text: "Gives the last key of `field`, a switch, the name `to`, and the opposite value: true becomes false. The inverse \
               does the same the other way round. Exact; refused where the value is neither, a conflict where both keys are \
               there.",
        example: "negate: { field: spec.disable, to: enable }",
    };

    /// Returns the field under its new name, and its old last key.
    fn renamed(&self) -> (FieldPattern, String) {
        match self.field.split_last() {
            Some((parent, Part::Key(key))) => (parent.with(Part::Key(self.to.clone())), key.clone()),
            _ => (self.field.clone(), self.to.clone()),
        }
    }
}

impl Operation for Negate {
    fn run(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        for path in self.field.matches(session.object()) {
            let Some(switch) = path.get(session.object()).and_then(Value::as_bool) else {
                let reason = format!("{path} is neither true nor false");
                return Err(Halt::Refused { at: path, reason, help: Some("write one of the two".to_owned()) });
            };
            session.change(Intent::Replace { path: path.clone(), value: Value::from(!switch) })?;
            session.change(Intent::Rename { path, to: self.to.clone() })?;
        }
        Ok(())
    }

    fn inverse(&self, _kind: &GroupKind) -> Box<dyn Operation> {
        let (field, to) = self.renamed();
        Box::new(Self { field, to })
    }

    fn claims(&self) -> Claims {
        Claims { old: vec![self.field.clone()], new: vec![self.renamed().0] }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::trial::{data, operation};
    use crate::release::GroupKind;

    #[test]
    fn a_switch_means_the_same_under_the_other_name() {
        let negate = operation("negate: { field: metrics.disable, to: enable }");
        let (old, new) = (json!({"metrics": {"disable": true}}), json!({"metrics": {"enable": false}}));
        assert_eq!(data(&*negate, &old), Ok((new.clone(), 0)));
        assert_eq!(data(&*negate.inverse(&GroupKind::new("A", "")), &new), Ok((old, 0)));
        assert!(data(&*negate, &json!({"metrics": {"disable": "yes"}})).is_err());
        assert!(data(&*negate, &json!({"metrics": {"disable": true, "enable": true}})).is_err());
    }
}
