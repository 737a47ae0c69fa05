//! NGINX Gateway Fabric, values of the chart: `metrics.disable` became `metrics.enable`, which means the opposite.

use serde_json::Value;

use super::super::operation::{Claims, Description, Form, Operation, Pass, Premise, Side};
use super::super::session::{Halt, Session};
use super::super::verdict::undecided;
use super::fields::{path, pattern};
use crate::syntax::variable::OpenText;
use crate::syntax::yaml::Intent;

pub(super) const DESCRIPTION: Description = Description {
    name: "metrics-enable",
    text: "Renames the boolean `metrics.disable` to `enable`, and negates the value. The inverse renames back and negates again. \
           Exact; refused where the value is not a boolean, a conflict where both keys are present.",
    example: "native: metrics-enable",
};

#[derive(Debug)]
pub(super) struct MetricsEnable;

impl Operation for MetricsEnable {
    fn run(&self, pass: &Pass<'_>, session: &mut Session) -> Result<(), Halt> {
        let [from, to] = pass.direction.ends(["disable", "enable"]);
        let path = path("metrics").key(from);
        let Some(value) = path.get(session.object()) else { return Ok(()) };
        if OpenText::of(value).is_some() {
            return Err(undecided(path, session.object()));
        }
        let Some(value) = value.as_bool() else {
            let reason = format!("{path} is not a boolean");
            return Err(Halt::refused(path, reason, "write true or false"));
        };
        session.replace(path.clone(), Value::from(!value))?;
        session.change(Intent::Rename { path, to: to.to_owned() })
    }

    fn claims(&self) -> Claims {
        Claims { old: vec![pattern("metrics.disable")], new: vec![pattern("metrics.enable")] }
    }

    fn premises(&self) -> Vec<Premise> {
        let boolean = |field, side| Premise::new(&pattern(field), Form::Boolean, side);
        vec![boolean("metrics.disable", Side::Old), boolean("metrics.enable", Side::New)]
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::super::trial::{data, inverse, operation};

    #[test]
    fn a_negated_boolean_keeps_its_meaning() {
        let metrics = operation("native: metrics-enable");
        let (old, new) = (json!({"metrics": {"disable": true}}), json!({"metrics": {"enable": false}}));
        assert_eq!(data(&metrics, &old), Ok((new.clone(), 0)));
        assert_eq!(data(&inverse("native: metrics-enable"), &new), Ok((old, 0)));
        assert!(data(&metrics, &json!({"metrics": {"disable": "yes"}})).is_err());
        assert!(data(&metrics, &json!({"metrics": {"disable": true, "enable": true}})).is_err());
    }
}
