//! Code shared by the laws: objects drawn from catalogs, their text in many styles, the engine behind one function.

pub(crate) mod cases;
pub(crate) mod checks;
pub(crate) mod engine;
pub(crate) mod exceptions;
pub(crate) mod hints;
pub(crate) mod objects;
pub(crate) mod random;
pub(crate) mod render;
pub(crate) mod scalars;
pub(crate) mod shape;
pub(crate) mod sheet;
pub(crate) mod shrink;
pub(crate) mod words;
