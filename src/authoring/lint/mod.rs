//! Answers: is a pack complete and consistent, as far as that can be checked without an object?
//!
//! [`lint`] compares the catalogs of adjacent releases with the rules and `pack.yaml`: every removal is covered, nothing is
//! converted that never existed, and objects before and after a rule can be distinguished. [`nonsense`] are those of its messages
//! with which a pack cannot be used at all.
//!
//! Invariant: a pack without a message names everything that is lost between two adjacent releases.

mod bundle;
mod checks;
mod coverage;
mod fixtures;
mod linter;
mod message;
mod notes;
mod premises;
mod releases;
mod removals;
mod rules;
mod shown;
mod sides;
mod way_out;

pub(crate) use checks::nonsense;
pub use checks::{coverage, lint};
pub use coverage::{Coverage, Share};
pub(crate) use message::Message;
pub use shown::is_shown;
