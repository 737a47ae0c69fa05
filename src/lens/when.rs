//! The operation `when`: other operations run only where a test holds.

use serde::Deserialize;

use super::{Claims, Condition, Description, Halt, Lens, Operation, Session};
use crate::release::GroupKind;

/// `when: { if: { present: spec.tls }, then: [...] }`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct When {
    r#if: Condition,
    then: Lens,
    back: Option<Condition>,
}

impl When {
    pub(super) const DESCRIPTION: Description = Description {
        name: "when",
        text: "Runs the operations under `then` where the test under `if` holds: `present`, `absent`, `equals`, `same`, \
               `type`, `not`, `all`, `any`. The inverse runs their inverses where the test under `back` holds, which is \
               `if` itself unless written.",
        example: "when: { if: { absent: spec.mode }, then: [{ rename: { field: spec.tls, to: validation } }] }",
    };
}

impl Operation for When {
    fn run(&self, session: &mut Session) -> Result<(), Halt> {
        if self.r#if.holds(session.object()) { self.then.run(session) } else { Ok(()) }
    }

    fn inverse(&self, kind: &GroupKind) -> Box<dyn Operation> {
        let back = self.back.as_ref().unwrap_or(&self.r#if).clone();
        Box::new(Self { r#if: back, then: self.then.inverse(kind), back: Some(self.r#if.clone()) })
    }

    fn claims(&self) -> Claims {
        self.then.claims()
    }

    fn retypes(&self) -> Option<&GroupKind> {
        self.then.retypes()
    }
}
