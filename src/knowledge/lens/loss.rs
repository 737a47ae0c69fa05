//! What a conversion loses or writes in another way: [`Loss`], [`Normalization`].

use crate::syntax::field::FieldPath;

/// How something is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LossClass {
    /// A field that the other side does not have.
    DroppedField,
    /// Items of a list beyond the number that the other side allows.
    Narrowed,
}

impl LossClass {
    /// Every class.
    pub const ALL: [Self; 2] = [Self::DroppedField, Self::Narrowed];
}

/// A value that a conversion loses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// How it is lost.
    pub class: LossClass,
    /// Its path when the session started.
    pub path: FieldPath,
    /// Its path when it was lost.
    pub(super) place: FieldPath,
    /// The number of changes made before.
    pub(super) step: usize,
    /// Why, as one sentence without a final dot.
    pub reason: String,
}

/// How a value means the same although it is written in another way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Equivalence {
    /// It has another form.
    Rewritten,
    /// It is not written at all.
    Removed,
    /// It is absent, and its default is another one: it is written out, unless the user chose that the new default counts.
    ChangedDefault,
}

/// A value that a conversion writes in another way, with the same meaning, and that converting back does not restore.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Normalization {
    /// Its path when the session started.
    pub path: FieldPath,
    /// How it means the same.
    pub how: Equivalence,
    /// Why it means the same, as one sentence without a final dot.
    pub reason: String,
}
