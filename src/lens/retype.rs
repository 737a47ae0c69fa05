//! The operation `retype`: the object gets another kind or API group.

use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

use super::halt::Halt;
use super::image::Claims;
use super::operation::{Description, Operation};
use super::session::Session;
use crate::release::GroupKind;

/// `retype: { to: Store.example.com }` or `retype: { group: example.com }`
#[derive(Clone, Debug)]
pub(super) enum Retype {
    /// Another kind and group.
    Kind(GroupKind),
    /// Another group; the kind keeps its name.
    Group(String),
}

impl Retype {
    pub(super) const DESCRIPTION: Description = Description {
        name: "retype",
        text: "Gives the object another kind and API group (`to`), or only another group (`group`), and updates every reference \
               to it in the run. References to an object that is held back are left unchanged. It runs after the other rules \
               of its release. The inverse restores the old kind. Exact.",
        example: "retype: { to: Store.example.com }",
    };
}

impl Operation for Retype {
    fn run(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        match self {
            Self::Kind(kind) => session.retype(kind),
            Self::Group(group) => {
                let kind = session.object().get("kind").and_then(Value::as_str).unwrap_or_default();
                session.retype(&GroupKind::new(kind, group.as_str()))
            }
        }
    }

    fn inverse(&self, kind: &GroupKind) -> Box<dyn Operation> {
        Box::new(Self::Kind(kind.clone()))
    }

    fn claims(&self) -> Claims {
        Claims::default()
    }

    fn retypes(&self, kind: &GroupKind) -> Option<GroupKind> {
        match self {
            Self::Kind(to) => Some(to.clone()),
            Self::Group(group) => Some(GroupKind::new(kind.kind.as_str(), group.as_str())),
        }
    }
}

impl<'de> Deserialize<'de> for Retype {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Wire {
            /// The new kind, with its group.
            to: Option<GroupKind>,
            /// The new group, where the kind keeps its name: `retype: { group: example.com }`.
            group: Option<String>,
        }
        match Wire::deserialize(deserializer)? {
            Wire { to: Some(kind), group: None } => Ok(Self::Kind(kind)),
            Wire { to: None, group: Some(group) } => Ok(Self::Group(group)),
            _ => Err(de::Error::custom("write either `to` or `group`")),
        }
    }
}
