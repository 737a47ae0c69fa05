//! Answers: what data do bytes hold, and which bytes change with it?

pub(crate) mod field;
pub(crate) mod fingerprint;
pub(crate) mod text;
pub(crate) mod variable;
pub(crate) mod yaml;
