//! Answers: which bytes change when an entry gets another key?
//!
//! Invariant: only the key token changes; its quotes, anchor and tag stay.

use super::super::change::Change;
use super::super::emit::{Context, scalar_like};
use super::super::layout::Layout;
use super::super::node::NodeId;
use super::super::problem::Problem;
use super::lookup::keyed_entry_at;
use super::refuse::{refuse_existing, refuse_merged_key, refuse_referenced};
use crate::syntax::field::FieldPath;

pub(super) fn rename(layout: &Layout<'_>, path: &FieldPath, to: &str) -> Result<Change, Problem> {
    let (entry, key) = keyed_entry_at(layout, path)?;
    refuse_existing(layout, entry.container, to)?;
    refuse_referenced(layout, key)?;
    refuse_merged_key(layout, entry.container, key)?;
    Ok(Change::replacing(layout.span(key), key_text(layout, entry.container, key, to)))
}

/// Writes the text that replaces a key.
pub(super) fn key_text(layout: &Layout<'_>, container: NodeId, key: NodeId, to: &str) -> String {
    scalar_like(layout.kind(key), to, Context::inside(layout, container))
}
