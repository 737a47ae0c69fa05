//! Answers: what is known about an API: its releases, fields and changes?
//!
//! Invariant: modules import from modules that are listed before them.

pub(crate) mod release;

pub(crate) mod carrier;

pub(crate) mod catalog;

pub(crate) mod lens;

pub(crate) mod pack;
