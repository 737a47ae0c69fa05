//! Answers: is a pack complete and consistent, as far as that can be checked without an object?
//!
//! [`lint`] compares the catalogs of adjacent releases with the rules and `pack.yaml`: every removal is covered, nothing is
//! converted that never existed, and objects before and after a rule can be distinguished. [`nonsense`] are those of its messages
//! with which a pack cannot be used at all.
//!
//! Parts: `checks` (all of them): `rules` `removals` (with the `way_out` of what vanished) `premises` `notes`; over the `linter`, its messages
//! and coverage; `shown` (what catalogs show of a rule).
//!
//! Invariant: a pack without a message names everything that is lost between two adjacent releases.

mod checks;
mod linter;
mod notes;
mod premises;
mod removals;
mod rules;
mod shown;
mod way_out;

pub use checks::{coverage, lint, removals};
pub(crate) use checks::{has_relations, nonsense, open_places, unread};
pub(crate) use linter::Message;
pub use linter::{Coverage, Share};
pub(crate) use rules::{has_open_default, shared_fields};
pub use shown::is_shown;
