//! Answers: what is known about an API: its releases, their fields, and what changed between them?

pub(crate) mod carrier;
pub(crate) mod catalog;
pub(crate) mod lens;
pub(crate) mod pack;
pub(crate) mod release;
