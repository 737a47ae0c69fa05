//! Answers: what do CRDs say about kinds: their versions, fields and rules, in one release or several?
//!
//! A [`CrdSet`](from_crds::CrdSet) is a pack made of them, [`OwnCrds`](own::OwnCrds) are those that validate the objects of a run, and [`gather`] makes
//! catalogs of the CRDs of several releases. [`validations`] are what a schema demands of several fields together: a [`formula`] in [`cel`], or
//! a [`combination`] of schemas. [`without_new`] says which rules no object of before can break, [`implication`] which accept what others
//! accept, with the [`constants`] that they compare, and [`static_cost`] what the API server takes them to cost.
//!
//! Invariant: the order in which CRDs are read makes no difference.

mod budget;
pub(crate) mod cel;
mod combination;
mod constants;
pub(crate) mod crd;
mod formula;
pub(crate) mod from_crds;
pub(crate) mod gather;
pub(crate) mod implication;
pub(crate) mod own;
pub(crate) mod static_cost;
pub(crate) mod validations;
pub(crate) mod without_new;

pub use crd::PlacedCrd;
