//! The operation `retype`: the object takes another kind, and perhaps another API group.

use serde::Deserialize;

use super::{Claims, Description, Halt, Operation, Session};
use crate::release::GroupKind;

/// `retype: { to: ListenerSet.gateway.networking.k8s.io }`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Retype {
    to: GroupKind,
}

impl Retype {
    pub(super) const DESCRIPTION: Description = Description {
        name: "retype",
        text: "Gives the object another kind and API group, and with it every reference to it in the run. References to an \
               object that is held back stay. The inverse gives the old kind back. Exact.",
        example: "retype: { to: ListenerSet.gateway.networking.k8s.io }",
    };
}

impl Operation for Retype {
    fn run(&self, session: &mut Session) -> Result<(), Halt> {
        session.retype(&self.to)
    }

    fn inverse(&self, kind: &GroupKind) -> Box<dyn Operation> {
        Box::new(Self { to: kind.clone() })
    }

    fn claims(&self) -> Claims {
        Claims::default()
    }

    fn retypes(&self) -> Option<&GroupKind> {
        Some(&self.to)
    }
}
