//! Answers: what is one documented change, and which objects is it about?
//!
//! Invariant: the backward lens of a rule is the inverse of its forward one.

use std::sync::OnceLock;

use super::wire::Needs;
use crate::knowledge::lens::{Direction, Lens};
use crate::knowledge::release::{ApiVersion, Channel, GroupKind, ReleaseId, ReleaseLine, ReleaseSet};

/// One documented change of meaning.
#[derive(Debug)]
pub struct Rule {
    /// The rule's path: `gateway-api/v1.1.0/backendtlspolicy-tls-renamed-to-validation`.
    pub id: String,
    /// One line for people.
    pub summary: String,
    /// The Helm chart whose values in the object the rule is about, where it is about values.
    pub values: Option<String>,
    /// The kind before the change.
    pub kind: GroupKind,
    /// The kind after the change.
    pub new_kind: GroupKind,
    /// The channels that the change was made in, as written; none for every channel of its bundle.
    pub channels: Vec<Channel>,
    /// The apiVersions before and after the change, where it was made between two of them.
    pub api_versions: Option<[ApiVersion; 2]>,
    /// The releases that require the rule's result, if not all from the bundle on do.
    pub within: Option<ReleaseSet>,
    /// What must be known or requested before the rule runs.
    pub needs: Option<Needs>,
    /// What is to be done besides, where the rule changes an object of another pack.
    pub advice: Option<String>,
    /// Where the change is documented upstream.
    pub source: String,
    /// The lens as written in the rule's file.
    pub text: String,
    /// The bundle that made the change, as its position on the release line.
    pub order: usize,
    /// The kind that objects have once every rule of the bundle ran: another one than `new_kind` where a later rule of the
    /// bundle retypes them.
    pub final_kind: GroupKind,
    /// The lens as written.
    pub(crate) forward: Lens,
    /// Its inverse, made when it is first used.
    pub(crate) backward: OnceLock<Lens>,
    /// The kind that converting back gives objects of the new kind: the new one again, where the change is one-way.
    pub(crate) back_kind: GroupKind,
}

impl Rule {
    /// Returns the path of its file in the folder of its pack.
    pub(crate) fn path(&self) -> String {
        format!("{}.yaml", self.id.split_once('/').map_or("", |(_, path)| path))
    }

    /// Returns whether the rule is a step between releases, and not the repair of a mistake.
    pub(crate) fn is_step(&self) -> bool {
        self.needs != Some(Needs::Repair)
    }

    /// Returns whether the rule is about CRDs and reads their schemas.
    pub(crate) fn reads_schemas(&self) -> bool {
        self.kind.kind == "CustomResourceDefinition" && self.text.contains("openAPIV3Schema")
    }

    /// Returns whether the change was made in `channel`.
    pub fn is_made_in(&self, channel: &Channel) -> bool {
        self.channels.is_empty() || self.channels.contains(channel)
    }

    /// Returns whether an object that comes from one of `origins` is on the side of the rule that `direction` starts from.
    pub(crate) fn applies_from(&self, origins: ReleaseSet, line: &ReleaseLine, direction: Direction) -> bool {
        let is_newer = |id: ReleaseId| line.get(id).order >= self.order;
        !origins.is_empty() && origins.iter().all(|id| is_newer(id) == (direction == Direction::Backward))
    }

    /// Returns the lens for `direction`.
    pub fn lens(&self, direction: Direction) -> &Lens {
        match direction {
            Direction::Forward => &self.forward,
            Direction::Backward => self.backward.get_or_init(|| self.forward.inverse(&self.kind)),
        }
    }

    /// Returns the kind an object must have for the rule to run in `direction`.
    pub const fn from_kind(&self, direction: Direction) -> &GroupKind {
        match direction {
            Direction::Forward => &self.kind,
            Direction::Backward => &self.new_kind,
        }
    }

    /// Returns the kind an object has after the rule ran in `direction`.
    pub const fn to_kind(&self, direction: Direction) -> &GroupKind {
        match direction {
            Direction::Forward => &self.new_kind,
            Direction::Backward => &self.back_kind,
        }
    }
}
