//! Answers: what is the schema of one field of a kind, and in which releases?
//!
//! Invariant: a field is borrowed from its catalog; nothing of it is copied but its pattern.

use super::row::{Attributes, Type};
use crate::knowledge::release::ReleaseSet;
use crate::syntax::field::FieldPattern;

/// The schema of the fields that match one pattern.
#[derive(Clone, Debug)]
pub struct Field<'c> {
    /// The path of the field: `spec.rules[].name`.
    pub pattern: FieldPattern,
    /// What its value must be.
    pub kind: Type,
    /// Whether the value it is in must have it.
    pub required: bool,
    /// Everything else about its value.
    pub attributes: &'c Attributes,
    /// The versions (`v1`) whose schemas have it; empty for every version that a release lists.
    pub api_versions: &'c [String],
    /// The releases whose CRDs have it.
    pub releases: ReleaseSet,
}
