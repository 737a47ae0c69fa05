//! What becomes of a field: [`Image`], and the [`Claims`] of an operation from which it is read.

use std::collections::BTreeSet;

use super::direction::Direction;
use crate::syntax::field::FieldPattern;

/// The fields that an operation removes and adds, for the static checks of a pack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    /// Fields of the old side that the operation removes.
    pub old: Vec<FieldPattern>,
    /// Fields of the new side that the operation adds.
    pub new: Vec<FieldPattern>,
}

impl Claims {
    /// What becomes of the fields that match `field`: a claim on each side is one field that moved, a claim on the old side alone is
    /// one that is dropped.
    pub(super) fn image(&self, field: &FieldPattern) -> Image {
        let taken = self.old.iter().enumerate().find_map(|(at, old)| Some((at, field.below(old)?)));
        let Some((at, below)) = taken else { return Image::Kept };
        self.new.get(at).map_or(Image::Dropped, |new| Image::Moved(new.join(&below)))
    }

    /// The same, with the side that objects come from in `direction` as the old one.
    pub(super) fn facing(self, direction: Direction) -> Self {
        match direction {
            Direction::Forward => self,
            Direction::Backward => Self { old: self.new, new: self.old },
        }
    }
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
