//! Answers: which Gateways does a route reference that used to select it by its labels?
//!
//! In `v1alpha1` the listeners of a Gateway select routes by kind, namespace and labels, and a route allows Gateways; since then a
//! route lists references to its Gateways. [`api`] names kinds and fields; [`selection`] computes which listeners, and which Gateways,
//! select a route; [`route`] converts it, and [`operation`] the Gateway. They convert together: neither is converted without the other.
//!
//! Invariant: a selector is removed only where every route that it selects, or may select, is converted in the same run.

mod api;
mod operation;
mod route;
mod selection;

pub(super) use operation::{DESCRIPTION, LabelSelectors};
