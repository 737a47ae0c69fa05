//! How much of what releases remove is covered by rules, or listed.

use crate::knowledge::release::GroupKind;
use crate::syntax::field::FieldPattern;

/// What is removed between adjacent releases; a removal from both channels of a bundle counts once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Kinds that the next release does not have.
    pub kinds: Share,
    /// Fields that the kind, or what it became, does not have in the next release.
    pub fields: Share,
    /// Values that the next release does not allow in a field that it has.
    pub values: Share,
}

/// How many removals are covered, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// By a rule that converts them, drops them or holds their objects back.
    pub claimed: usize,
    /// By an entry of `dropped` with its reason.
    pub dropped: usize,
    /// By nothing.
    pub missed: usize,
}

impl Share {
    /// Returns the number of all.
    pub const fn all(&self) -> usize {
        self.claimed + self.dropped + self.missed
    }
}

/// Something that a bundle removed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Removed {
    pub(super) kind: GroupKind,
    /// The position of the first bundle without it.
    pub(super) order: usize,
    pub(super) field: Option<FieldPattern>,
    pub(super) value: Option<String>,
}

/// What covers a removal, worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cover {
    ByRule,
    Listed,
    Missing,
}
