//! Answers: which field that went is one that came, under another name?
//!
//! `names` says how alike two names are, `meaning` whether they say different things all the same, `judgement` whether what two schemas
//! demand shows a rename.
//!
//! Invariant: what schemas say for people does not count.

mod judgement;
mod meaning;
mod names;

pub(crate) use judgement::{Candidate, are_alike, is_renamed};
pub(crate) use meaning::{are_opposed, mean_different};
pub(crate) use names::{last_key, likeness, to_u32, words};
