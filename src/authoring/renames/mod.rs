//! Answers: which field that went is one that came, under another name?
//!
//! `names` says how alike two names are, `judgement` whether what two schemas demand shows a rename.
//!
//! Invariant: what schemas say for people does not count.

mod judgement;
mod names;

pub(crate) use judgement::{Candidate, is_renamed};
pub(crate) use names::{last_key, likeness, mean_different, to_u32, words};
