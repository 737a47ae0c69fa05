//! Answers: what does the user want, what is shown, and what is written?
//!
//! Invariant: modules import from modules that are listed before them.

#[cfg(feature = "cli")]
pub(crate) mod disk;

pub(crate) mod redaction;

pub(crate) mod report;

#[cfg(feature = "cli")]
pub(crate) mod cli;
