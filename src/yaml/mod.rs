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
mod path;
mod problem;
mod resolve;
mod rewrite;
mod tree;
mod value;
mod verify;
mod write;

pub use events::parse;
pub use intent::{Intent, Place};
pub use problem::{Problem, ProblemCode};
pub use rewrite::{Refusal, Rewrite, rewrite};
pub use tree::{Document, NodeId, Tree};
pub use verify::verify;
