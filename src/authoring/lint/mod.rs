//! Answers: is a pack complete and consistent, as far as that can be checked without an object?
//!
//! [`lint`] compares the catalogs of adjacent releases with the rules and `pack.yaml`: every removal is covered, nothing is
//! converted that never existed, and objects before and after a rule can be distinguished. [`nonsense`] are those of its messages
//! with which a pack cannot be used at all.
//!
//! Parts: `checks` (all of them): `rules` `removals` (with the `way_out` of what vanished) `premises` `notes` `releases` `fixtures` `constants`
//! `merged_kinds`; over the `linter`, its `message`s and `coverage`; `bundle` (the rules of one) `sides` (of a rule) `shown` (values).
//!
//! Invariant: a pack without a message names everything that is lost between two adjacent releases.

mod bundle;
mod checks;
mod constants;
mod coverage;
mod fixtures;
mod linter;
mod merged_kinds;
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
