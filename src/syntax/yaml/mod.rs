//! Answers: what data does a YAML text hold, where, and which bytes change when the data changes?
//!
//! [`parse()`] turns a text into a [`Tree`] of spans; [`read_value`] reads a node as kubectl does. A change is an
//! [`Intent`]; [`rewrite_document`] applies lists of them to the bytes of one document, [`Intent::apply_data`] makes the same change
//! on plain data, and [`EditedText::verify`] checks that both agree before anything is written.
//!
//! Parts: reading: `parse` by one of two front ends, `scan` (fast) and `events` (exact, with `shallow` lines in quotes); `tree` of nodes with `children`;
//! `scalar` (content) `resolve` (its type) `value` `path` (and what begins where) `literal`, `limits`; changing: `intent` (with `naming` and places) `apply` (on data)
//! `rewrite` (in rounds, `trail`s of paths between them, kept in a `path_tree`) `edit` `change` `layout` `emit` `format` (the author's style) `structure` (that a text holds) `verify`; `problem`.
//!
//! Invariant: a tree is never written out again; what changes is a set of byte-range edits over the user's own text.

mod apply;
mod change;
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
mod parse;
mod path;
mod path_tree;
mod problem;
mod resolve;
mod rewrite;
mod scalar;
mod scan;
mod shallow;
mod structure;
mod trail;
mod tree;
mod value;
mod verify;

pub use emit::one_line_text;
pub use events::parse_exact;
pub use format::Style;
pub use intent::Ends;
pub use intent::Intent;
pub use literal::{Literal, is_on_one_line};
pub use naming::{Naming, Place};
pub use parse::{parse, scan};
pub use path::parts;
pub use path::{fields, find_node, locate};
pub use problem::{Problem, ProblemCode};
pub use rewrite::Refusal;
pub use rewrite::{Rewrite, rewrite, rewrite_document};
pub use structure::{TextFormat, is_written_as_structure};
pub use trail::Trail;
pub use tree::NodeId;
pub use tree::{Document, Tree};
pub use value::{count_items_at, read_value_without, text_at};
pub use value::{read_documents, read_value};
pub use verify::{DocumentChanges, EditedText, FrontEnd, first_difference};
