//! Answers: what does a YAML text say, where does it say it, and which bytes change when it shall say something else?
//!
//! [`parse`] turns a text into a [`Tree`] of spans; [`Tree::value`] reads a node as kubectl does. A change is an
//! [`Intent`]; [`rewrite()`] makes lists of them in the bytes of one document, [`Intent::apply_data`] makes the same change
//! on plain data, and [`verify()`] checks that both agree before anything is written.
//!
//! Invariant: a tree is never written out again; what changes is a set of byte-range edits over the user's own text.

mod cook;
mod edit;
mod events;
mod intent;
mod layout;
mod limit;
mod literal;
mod path;
mod problem;
mod resolve;
mod rewrite;
mod scan;
mod tree;
mod value;
mod verify;
mod wide;
mod write;

pub use events::parse as parse_exact;
pub use intent::{Intent, Naming, Place};
pub use layout::House;
pub use literal::Literal;
pub use problem::{Problem, ProblemCode};
pub use rewrite::{Refusal, Rewrite, rewrite};
pub use scan::scan;
pub use tree::{Document, NodeId, Tree};
pub use verify::{FrontEnd, verify};

/// Parses a whole text: any number of documents.
///
/// [`scan()`] reads what most manifests are written in, ten times as fast; [`parse_exact`] reads the rest. Both give the same
/// tree.
///
/// # Errors
/// `ParseError` with the place; `Limit` where it is larger, deeper or has more of something than is read.
pub fn parse(text: &str) -> Result<Tree, Problem> {
    scan(text).map_or_else(|| parse_exact(text), Ok)
}
