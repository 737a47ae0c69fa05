//! Answers: what data do bytes hold, and which bytes change with it?
//!
//! Invariant: modules import from modules that are listed before them.

// A module has the same path here and in the layers above.
use crate as syntax;

pub mod parallel;

pub mod text;

pub mod fingerprint;

pub mod field;

pub mod variable;

pub mod yaml;

pub mod template;
