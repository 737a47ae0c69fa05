//! What becomes of a field: [`Image`], and the [`Claims`] of an operation from which it is read.

use std::collections::BTreeSet;

use crate::field::FieldPattern;

/// The fields that an operation removes and adds, for the static checks of a pack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    /// Fields of the old side that the operation removes.
    pub old: Vec<FieldPattern>,
    /// Fields of the new side that the operation adds.
    pub new: Vec<FieldPattern>,
}

/// What becomes of a field.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Image {
    /// It is left unchanged.
    Kept,
    /// It is here afterwards.
    Moved(FieldPattern),
    /// It is removed.
    Dropped,
    /// An object that has it is held back.
    Refused,
}

impl Image {
    /// Returns what can become of the fields that match `field` after one more `step`, where this became of them before.
    pub fn after(&self, field: &FieldPattern, step: impl Fn(&FieldPattern) -> BTreeSet<Self>) -> BTreeSet<Self> {
        match self {
            Self::Kept => step(field),
            Self::Moved(moved) => {
                let kept = |image| if image == Self::Kept { self.clone() } else { image };
                step(moved).into_iter().map(kept).collect()
            }
            Self::Dropped | Self::Refused => BTreeSet::from([self.clone()]),
        }
    }

    /// Returns the new path of the fields that match `field`; `None` where they have none.
    pub fn place(&self, field: &FieldPattern) -> Option<FieldPattern> {
        match self {
            Self::Kept => Some(field.clone()),
            Self::Moved(moved) => Some(moved.clone()),
            Self::Dropped | Self::Refused => None,
        }
    }
}
