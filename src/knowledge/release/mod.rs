//! Answers: which releases of an API are there, in what order, and which of them does a set hold?
//!
//! A pack's releases form one [`ReleaseLine`]: bundles from oldest to newest, each with its channels, if it has any. A
//! [`ReleaseSet`] is a set of positions on one line and prints as a range per channel. [`ApiVersion`] and [`GroupKind`] are the two
//! names an object carries.
//!
//! Parts: `line` (the releases of a project) over `bundle` (names) `channel` `set`; `api` (apiVersion and kind).
//!
//! Invariant: releases are ordered by their line, never by reading their names as numbers.

mod api;
mod bundle;
mod channel;
mod line;
mod set;

pub use api::{ApiVersion, GroupKind};
pub(crate) use api::{by_stability, is_version};
pub(crate) use bundle::{bare, version_of};
pub use channel::Channel;
pub use line::ReleaseLine;
pub(crate) use line::{Named, Release};
pub use set::{ReleaseId, ReleaseSet};
