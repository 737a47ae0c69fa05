//! The operation `retype`: the object gets another kind or API group.

use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

use super::operation::{Description, Direction, Fidelity, Operation, Pass};
use super::session::{Halt, Session};
use crate::knowledge::release::GroupKind;
use crate::syntax::field::FieldPath;

/// `retype: { to: Store.example.com }` or `retype: { group: example.com }`
#[derive(Clone, Debug)]
pub(super) struct Retype {
    to: Goal,
    is_one_way: bool,
}

/// What the object becomes.
#[derive(Clone, Debug)]
enum Goal {
    /// Another kind and group.
    Kind(GroupKind),
    /// Another group; the kind keeps its name.
    Group(String),
}

impl Goal {
    /// Returns what an object of `kind` becomes.
    fn of(&self, kind: &GroupKind) -> GroupKind {
        match self {
            Self::Kind(to) => to.clone(),
            Self::Group(group) => GroupKind::new(kind.kind.as_str(), group.as_str()),
        }
    }
}

impl Retype {
    pub(super) const DESCRIPTION: Description = Description {
        name: "retype",
        text: "Gives the object another kind and API group (`to`), or only another group (`group`), and updates every reference \
               to it in the run. References to an object that is held back are left unchanged. It runs after the other rules \
               of its release. The inverse restores the old kind. Exact. Of several kinds that become one, at most one can come \
               back: with `one-way: true`, an object that is converted back keeps the new kind, or is held back where the target \
               does not have that kind, and no operation of the rule runs; this is reported.",
        example: "retype: { to: Store.example.com }",
    };
}

impl Operation for Retype {
    fn run(&self, pass: &Pass<'_>, session: &mut Session<'_>) -> Result<(), Halt> {
        if pass.direction == Direction::Backward {
            return pass.kind.map_or(Ok(()), |kind| session.retype(kind));
        }
        let kind = session.object().get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
        let to = self.to.of(&GroupKind::new(kind.as_str(), ""));
        if self.is_one_way {
            let reason = format!("converting back leaves {}, and does not make {kind} of it", to.kind);
            session.record_normalization(&FieldPath::default().key("kind"), reason);
        }
        session.retype(&to)
    }

    fn fidelities(&self, _direction: Direction) -> Vec<Fidelity> {
        vec![if self.is_one_way { Fidelity::Normalized } else { Fidelity::Exact }]
    }

    fn retypes(&self, direction: Direction, kind: &GroupKind) -> Vec<GroupKind> {
        match direction {
            Direction::Forward => vec![self.to.of(kind)],
            Direction::Backward => vec![kind.clone()],
        }
    }

    fn is_one_way(&self) -> bool {
        self.is_one_way
    }
}

impl<'de> Deserialize<'de> for Retype {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields, rename_all = "kebab-case")]
        struct Wire {
            /// The new kind, with its group.
            to: Option<GroupKind>,
            /// The new group, where the kind keeps its name: `retype: { group: example.com }`.
            group: Option<String>,
            /// Whether objects keep the new kind when they are converted back, since several kinds became it: `one-way: true`.
            #[serde(default)]
            one_way: bool,
        }
        let Wire { to, group, one_way } = Wire::deserialize(deserializer)?;
        let to = match (to, group) {
            (Some(kind), None) => Goal::Kind(kind),
            (None, Some(group)) => Goal::Group(group),
            _ => return Err(de::Error::custom("write either `to` or `group`")),
        };
        Ok(Self { to, is_one_way: one_way })
    }
}

#[cfg(test)]
mod tests {
    use super::super::sequence::Lens;
    use super::*;
    use serde_json::json;

    #[test]
    fn a_kind_that_was_merged_into_another_stays() {
        let lens: Lens = serde_yaml::from_str(
            "[{ rename: { field: spec.a, to: b } }, { retype: { to: Store.example.com, one-way: true } }]",
        )
        .unwrap();
        let kind = GroupKind::new("Shop", "example.com");
        let mut session = Session::new(json!({"apiVersion": "example.com/v1", "kind": "Shop", "spec": {"a": 1}}));
        lens.run(&mut session).unwrap();
        let store = json!({"apiVersion": "example.com/v1", "kind": "Store", "spec": {"b": 1}});
        assert_eq!(*session.object(), store);
        assert_eq!(session.normalized()[0].reason, "converting back leaves Store, and does not make Shop of it");
        // The store may have been one before.
        let back = lens.inverse(&kind);
        let mut session = Session::new(store.clone());
        back.run(&mut session).unwrap();
        assert_eq!((session.object(), back.retypes(&GroupKind::new("Store", "example.com"))), (&store, Vec::new()));
    }
}
