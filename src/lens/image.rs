//! What becomes of a field: [`Image`], and the [`Claims`] of an operation from which it is read.

use std::collections::BTreeSet;

use crate::field::FieldPattern;

/// A field whose place an operation names, for the static checks of a pack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    /// Fields of the old side that the operation takes away.
    pub old: Vec<FieldPattern>,
    /// Fields of the new side that the operation fills_absent.
    pub new: Vec<FieldPattern>,
}

/// What becomes of a field.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Image {
    /// It stays where it is.
    Kept,
    /// It is found here afterwards.
    Moved(FieldPattern),
    /// It goes.
    Dropped,
    /// An object that has it is held back.
    Refused,
}

impl Image {
    /// Returns what can become of the fields that match `field` in one more `step`, this being what became of them before.
    pub fn after(&self, field: &FieldPattern, step: impl Fn(&FieldPattern) -> BTreeSet<Self>) -> BTreeSet<Self> {
        match self {
            Self::Kept => step(field),
            Self::Moved(moved) => {
                let stays = |image| if image == Self::Kept { self.clone() } else { image };
                step(moved).into_iter().map(stays).collect()
            }
            Self::Dropped | Self::Refused => BTreeSet::from([self.clone()]),
        }
    }

    /// Returns where the fields that match `field` are found; `None` where they are not.
    pub fn place(&self, field: &FieldPattern) -> Option<FieldPattern> {
        match self {
            Self::Kept => Some(field.clone()),
            Self::Moved(moved) => Some(moved.clone()),
            Self::Dropped | Self::Refused => None,
        }
    }
}
