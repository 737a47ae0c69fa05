//! Why an object cannot be converted: [`Halt`].

use crate::syntax::field::FieldPath;

/// Why an object cannot be converted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The object has the fields of both sides of a change.
    Conflict {
        /// The path of the old field.
        old: FieldPath,
        /// The path of the new field.
        new: FieldPath,
    },
    /// The rule has no conversion for this shape.
    Refused {
        /// The path that decides.
        at: FieldPath,
        /// Why, as one sentence without a final dot.
        reason: String,
        /// What to do by hand.
        help: Option<String>,
    },
}

impl Halt {
    /// Refuses the object because of what is at `at`: why, and what to do by hand.
    pub(super) fn refused(at: FieldPath, reason: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Refused { at, reason: reason.into(), help: Some(help.into()) }
    }
}
