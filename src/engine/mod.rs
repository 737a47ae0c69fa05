//! Answers: what becomes of the files of a run?
//!
//! Invariant: modules import from modules that are listed before them.

pub(crate) mod finding;

pub(crate) mod manifest;

pub(crate) mod infer;

pub(crate) mod convert;

pub(crate) mod links;

pub(crate) mod notices;

pub(crate) mod edits;

pub(crate) mod plan;

pub(crate) mod canonical;
