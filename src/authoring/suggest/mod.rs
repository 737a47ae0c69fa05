//! Answers: which rules may convert what changed between two releases?
//!
//! [`pack`] of `suggest` drafts a pack of the CRDs of two releases: `kinds` says which kind is which, `pairing` which field of a kind (by the `score` of
//! two fields: how alike their names and what is on each `side` are), `changes` what else there is, `unions` among it, and `draft` makes a `rule` of each
//! change, written as `text` says, with the objects of its fixtures (`skeleton`, of `values`, with what is required for `completion`), from one apiVersion to another one (`step`), and are tried out (`trial`). [`between`] does so for the catalogs of any pack.
//!
//! Invariant: an operation is drafted where one answer is clearly the best; anything else is a refusal or a removal with a place to
//! fill in, which [`MARK`](crate::authoring::starter::MARK) shows.

mod changes;
mod completion;
mod draft;
mod kinds;
mod pairing;
mod rule;
mod score;
mod side;
mod skeleton;
mod step;
#[expect(clippy::module_inception, reason = "its main function is what the module is for")]
mod suggest;
mod text;
mod trial;
mod unions;
mod values;

pub use rule::{Sort, Suggestion};
pub use suggest::{Between, between};
pub(crate) use suggest::{Release, pack};
