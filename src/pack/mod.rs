//! Answers: what does a pack hold?
//!
//! [`wire`] is a pack as written, [`build`] makes its catalogs from CRDs.
//!
//! Invariant: a pack is read from its own folder and from nothing else.

pub mod build;

pub mod wire;
