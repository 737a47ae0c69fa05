//! Answers: what does an object keep for converting back?
//!
//! `annotation` is the stash of an object, `kept` one value in it with the place where it was, `value_hash` the hash by which values
//! and their surroundings are recognized.
//!
//! Invariant: a value is restored only where the fields around it are those it was taken from; a text that is not a stash is
//! never touched.

mod value_hash;

mod kept;

mod annotation;

pub use annotation::{ANNOTATION, MAX_STASH};

pub(super) use annotation::{Stash, annotation, annotations_of, left_name};
pub(super) use kept::{Kept, Snapshots};
