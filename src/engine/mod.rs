//! Answers: what becomes of the files of a run?

pub(crate) mod canonical;
pub(crate) mod convert;
pub(crate) mod edits;
pub(crate) mod finding;
pub(crate) mod infer;
pub(crate) mod links;
pub(crate) mod manifest;
pub(crate) mod notices;
pub(crate) mod plan;
