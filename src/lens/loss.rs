//! What a conversion loses or writes in another way: [`Loss`], [`Normalization`].

use crate::field::FieldPath;

/// How something is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LossClass {
    /// A field without a place on the other side.
    DroppedField,
    /// Items of a list beyond what the other side can hold.
    Narrowed,
}

impl LossClass {
    /// Every class.
    pub const ALL: [Self; 2] = [Self::DroppedField, Self::Narrowed];
}

/// One thing that a conversion loses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// How it is lost.
    pub class: LossClass,
    /// Where it stood when the session started.
    pub path: FieldPath,
    /// Where it stood when it was lost.
    pub(super) place: FieldPath,
    /// How many changes had been made by then.
    pub(super) step: usize,
    /// Why, as one sentence without a final dot.
    pub reason: String,
}

/// Something that a conversion writes in another way, with the same meaning, and that the way back does not restore.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Normalization {
    /// Where it stood when the session started.
    pub path: FieldPath,
    /// Why it means the same, as one sentence without a final dot.
    pub reason: String,
}
