//! Answers: what is the tree of a text, for the YAML of most manifests?
//!
//! A line is read from its indentation on; a stack has the open collections with their columns, and a dash or colon
//! whose value may follow. `text` reads a whole text line by line, `block` its content, `flow` flow collections, `scalar` and `block_scalar` scalars,
//! `line` and `screen` lines and characters. Everything else is left to granit-parser: anchors,
//! tags, aliases, `?`, directives, `...`, byte order marks, lone carriage returns, tabs in indentation, indentation
//! indicators, collections and many-line text as keys, pairs in lists, plain text and block scalars at the root, and
//! whatever looks invalid.
//!
//! The functions for every line are always inlined: calls took a fifth of the time.
//!
//! Invariant: an accepted text has the same tree as granit's events give, and granit accepts it; in doubt the result is `None`.

mod block;
mod block_scalar;
mod flow;
mod line;
mod scalar;
mod scanner;
mod screen;
mod text;

pub(super) use text::scan_within;
