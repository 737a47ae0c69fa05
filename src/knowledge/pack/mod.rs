//! Answers: what does reversion know about one project's API: its releases, its fields, its documented changes?
//!
//! A [`Pack`] is read from a folder's files (`wire` has them as written) and checked; [`embedded`] holds the packs of the
//! binary. Catalogs are read when their kind is first used. [`Packs`] finds the pack of a kind and reads a [`Target`].
//!
//! Parts: `pack` `packs` `releases` (and what is known of them) `rules` (and in which order they run, with the `footprint` of each); `wire` `load` `folder` (its
//! files) `rule_file` `embedded` over `built_in` (the packs in the program) `default_groups` `values` (the objects that hold the values of a chart) `nearest`
//! (names, versions) `place` (line and column of a message); `crds`: what CRDs say.
//!
//! Invariant: a pack that was loaded is whole: every rule names a release and kinds that the pack has.

mod built_in;
pub(crate) mod crds;
mod default_groups;
pub(crate) mod embedded;
pub(crate) mod folder;
mod footprint;
pub(crate) mod load;
pub(crate) mod nearest;
#[expect(clippy::module_inception, reason = "a struct lives in the file named after it")]
pub(crate) mod pack;
mod packs;
pub(crate) mod place;
pub(crate) mod releases;
mod rule_file;
pub(crate) mod rules;
mod values;
pub(crate) mod wire;

pub(crate) use built_in::is_built_in;
pub use folder::PackFiles;
pub(crate) use footprint::{Cursor, Footprint, Footprints, Numbers};
pub(crate) use nearest::{is_from, is_near, near, nearest};
pub use pack::Pack;
pub use packs::{Packs, Target};
pub use releases::AdvisoryScope;
pub(crate) use rules::SchemaRule;
pub use rules::{KindTracker, Rule};
pub use wire::About;
pub(crate) use wire::{Needs, ReferenceField};
