//! Why an object cannot be converted: [`Halt`].

use crate::field::FieldPath;

/// Why an object cannot be taken across.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// Both sides of one change are in the object.
    Conflict {
        /// The old side's place.
        old: FieldPath,
        /// The new side's place.
        new: FieldPath,
    },
    /// The rule has no conversion for this shape.
    Refused {
        /// The place that decides.
        at: FieldPath,
        /// Why, as one sentence without a final dot.
        reason: String,
        /// What to do by hand.
        help: Option<String>,
    },
}
