//! The operation `negate`: a boolean gets a key with the opposite meaning.

use serde::Deserialize;
use serde_json::Value;

use super::halt::Halt;
use super::image::Claims;
use super::operation::{Description, Operation};
use super::premise::{Form, Premise, Side};
use super::rename::Rename;
use super::session::Session;
use super::verdict::undecided;
use crate::field::FieldPattern;
use crate::release::GroupKind;
use crate::variable::OpenText;
use crate::yaml::Intent;

/// `negate: { field: metrics.disable, to: enable }`
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub(super) struct Negate(Rename);

impl Negate {
    pub(super) const DESCRIPTION: Description = Description {
        name: "negate",
        text: "Renames the last key of `field`, a boolean, to `to`, and negates the value: true becomes false. The inverse \
               renames back and negates again. Exact; refused where the value is not a boolean, a conflict where both keys \
               are present.",
        example: "negate: { field: spec.disable, to: enable }",
    };
}

impl Operation for Negate {
    fn run(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        for path in self.0.field().matches(session.object()) {
            if path.get(session.object()).and_then(OpenText::of).is_some() {
                return Err(undecided(path, session.object()));
            }
            let Some(value) = path.get(session.object()).and_then(Value::as_bool) else {
                let reason = format!("{path} is not a boolean");
                return Err(Halt::Refused { at: path, reason, help: Some("write true or false".to_owned()) });
            };
            session.change(Intent::Replace { path, value: Value::from(!value) })?;
        }
        self.0.run(session)
    }

    fn inverse(&self, _kind: &GroupKind) -> Box<dyn Operation> {
        Box::new(Self(self.0.reversed()))
    }

    fn claims(&self) -> Claims {
        self.0.claims()
    }

    fn premises(&self) -> Vec<Premise> {
        let Claims { old, new } = self.0.claims();
        let boolean = |field: &FieldPattern, side| Premise::new(field, Form::Boolean, side);
        let old = old.iter().map(|field| boolean(field, Side::Old));
        old.chain(new.iter().map(|field| boolean(field, Side::New))).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::trial::{data, operation};
    use crate::release::GroupKind;

    #[test]
    fn a_negated_boolean_keeps_its_meaning() {
        let negate = operation("negate: { field: metrics.disable, to: enable }");
        let (old, new) = (json!({"metrics": {"disable": true}}), json!({"metrics": {"enable": false}}));
        assert_eq!(data(&*negate, &old), Ok((new.clone(), 0)));
        assert_eq!(data(&*negate.inverse(&GroupKind::new("A", "")), &new), Ok((old, 0)));
        assert!(data(&*negate, &json!({"metrics": {"disable": "yes"}})).is_err());
        assert!(data(&*negate, &json!({"metrics": {"disable": true, "enable": true}})).is_err());
    }
}
