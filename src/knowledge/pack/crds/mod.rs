//! Answers: what do CRDs say about kinds: their versions, fields and rules, in one release or several?
//!
//! A [`CrdSet`](from_crds::CrdSet) is a pack made of them, [`OwnCrds`](own::OwnCrds) are those that validate the objects of a run, and [`gather`] makes
//! catalogs of the CRDs of several releases.
//!
//! Invariant: the order in which CRDs are read makes no difference.

pub(crate) mod crd;
pub(crate) mod from_crds;
pub(crate) mod gather;
pub(crate) mod own;

pub use crd::PlacedCrd;
