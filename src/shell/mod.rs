//! Answers: what does the user want, what is shown, and what is written?

#[cfg(feature = "cli")]
pub(crate) mod cli;
#[cfg(feature = "cli")]
pub(crate) mod disk;
pub(crate) mod redaction;
pub(crate) mod report;
