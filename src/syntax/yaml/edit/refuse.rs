//! Answers: which changes are refused because of aliases, merges or existing keys?
//!
//! Invariant: a refusal names the place that has to be changed first.

use super::super::layout::Layout;
use super::super::node::{AliasEntry, NodeId};
use super::super::path::merge_source;
use super::super::problem::{Problem, ProblemCode};
use super::super::scalar::scalar_text;

pub(super) fn refuse_referenced(layout: &Layout<'_>, node: NodeId) -> Result<(), Problem> {
    if layout.is_referenced(node) { Err(shared(layout, node)) } else { Ok(()) }
}

fn shared(layout: &Layout<'_>, node: NodeId) -> Problem {
    let alias = layout.tree.aliases.iter().find(|entry| entry.target == node).map(|entry| layout.span(entry.alias));
    let name = alias.map_or("an alias", |alias| alias.of(layout.text));
    let anchor = name.replacen('*', "&", 1);
    let message = format!(
        "the value of `{anchor}` would also change at the alias `{name}`; replace the alias by a copy of the value first"
    );
    Problem {
        other: alias.map(|alias| alias.start),
        ..Problem::new(ProblemCode::SharedAnchor, layout.tree.start(node), message)
    }
}

/// Refuses to remove a node while an alias outside of it refers into it.
pub(super) fn refuse_anchors_in_use(layout: &Layout<'_>, node: NodeId) -> Result<(), Problem> {
    let in_use =
        |entry: &&AliasEntry| layout.tree.contains(node, entry.target) && !layout.tree.contains(node, entry.alias);
    layout.tree.aliases.iter().find(in_use).map_or(Ok(()), |entry| Err(shared(layout, entry.target)))
}

/// Refuses to remove a key that a merge would then replace.
pub(super) fn refuse_merged_key(layout: &Layout<'_>, mapping: NodeId, key: NodeId) -> Result<(), Problem> {
    let name = scalar_text(layout.tree, layout.text, key);
    match merge_source(layout.tree, layout.text, mapping, &name) {
        Some(_) => {
            let message = format!("without this key, the merge (`<<`) would give `{name}` another value");
            Err(Problem::new(ProblemCode::ThroughMerge, layout.span(key).start, message))
        }
        None => Ok(()),
    }
}

/// Refuses to create a key that exists, written or merged.
pub(super) fn refuse_existing(layout: &Layout<'_>, mapping: NodeId, name: &str) -> Result<(), Problem> {
    let written = layout.entry_of_key(mapping, name).map(|entry| entry.start);
    let found =
        written.or_else(|| merge_source(layout.tree, layout.text, mapping, name).map(|node| layout.span(node).start));
    found.map_or(Ok(()), |at| Err(Problem::new(ProblemCode::Exists, at, format!("key `{name}` exists already"))))
}

pub(super) fn wrong_shape(at: usize, message: impl Into<String>) -> Problem {
    Problem::new(ProblemCode::WrongShape, at, message)
}
