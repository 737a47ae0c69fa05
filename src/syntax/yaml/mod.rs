//! Answers: what data does a YAML text hold, where, and which bytes change when the data changes?
//!
//! [`parse()`] turns a text into a [`Tree`] of spans; [`read_value`] reads a node as kubectl does. A change is an
//! [`Intent`]; [`rewrite_document`] applies lists of them to the bytes of one document, [`Intent::apply_data`] makes the same change
//! on plain data, and [`EditedText::verify`] checks that both agree before anything is written.
//!
//! Parts: reading: `parse` by one of two front ends, `scan` (fast) and `events` (exact, with `shallow` lines in quotes); `tree`
//! of `node`s with `children` and `child_index`; `scalar` (content) `resolve` (its type) `value` `path` `literal`, `limits`,
//! `parts` (that a line begins); changing: `intent` (with `place` and `naming`) `apply` (on data) `rewrite` (in a `round`) `edit`
//! `change` `layout` `emit` `format` `style` `structure` (that a text holds) `verify`; `problem`.
//!
//! Invariant: a tree is never written out again; what changes is a set of byte-range edits over the user's own text.

mod apply;
mod change;
mod child_index;
mod children;
mod edit;
mod emit;
mod events;
mod format;
mod intent;
mod layout;
mod limits;
mod literal;
mod naming;
mod node;
mod parse;
mod parts;
mod path;
mod place;
mod problem;
mod resolve;
mod rewrite;
mod round;
mod scalar;
mod scan;
mod shallow;
mod structure;
mod style;
mod tree;
mod value;
mod verify;

pub(crate) use emit::one_line_text;
pub use events::parse_exact;
pub(crate) use intent::Ends;
pub use intent::Intent;
pub(crate) use literal::{Literal, is_on_one_line};
pub use naming::Naming;
pub use node::Document;
pub(crate) use node::NodeId;
pub use parse::{parse, scan};
pub(crate) use parts::parts;
pub use path::{find_node, locate};
pub use place::Place;
pub use problem::{Problem, ProblemCode};
pub(crate) use rewrite::Refusal;
pub use rewrite::{Rewrite, rewrite, rewrite_document};
pub(crate) use structure::{TextFormat, is_written_as_structure};
pub use style::Style;
pub use tree::Tree;
pub use value::read_value;
pub(crate) use value::{count_items_at, read_value_without, text_at};
pub use verify::{EditedText, FrontEnd};
