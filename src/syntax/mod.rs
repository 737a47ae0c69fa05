//! Answers: what data do bytes hold, and which bytes change with it?
//!
//! Invariant: modules import from modules that are listed before them.

pub(crate) mod text;

pub(crate) mod fingerprint;

pub(crate) mod field;

pub(crate) mod variable;

pub(crate) mod template;

pub(crate) mod yaml;
