//! Answers: what does an intent name, and which changes are refused because of aliases, merges or existing keys?
//!
//! Invariant: a refusal names the place that has to be changed first.

use super::super::layout::{Entry, Layout};
use super::super::path::{find_child, merge_source};
use super::super::problem::{Problem, ProblemCode};
use super::super::scalar::scalar_text;
use super::super::tree::{AliasEntry, Kind, NodeId};
use crate::syntax::field::{FieldPath, Step};

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

/// Finds the node at a path whose content is to be changed: no alias may refer to it or to anything on the path to it.
pub(super) fn container_at(layout: &Layout<'_>, path: &FieldPath) -> Result<NodeId, Problem> {
    let node = path.steps().iter().try_fold(layout.root, |node, step| {
        refuse_referenced(layout, node)?;
        child(layout, node, step)
    })?;
    if layout.kind(node) == Kind::Alias {
        let message =
            format!("`{}` is an alias; change the value that its anchor marks", layout.span(node).of(layout.text));
        return Err(Problem::new(ProblemCode::ThroughAlias, layout.span(node).start, message));
    }
    refuse_referenced(layout, node)?;
    Ok(node)
}

fn child(layout: &Layout<'_>, node: NodeId, step: &Step) -> Result<NodeId, Problem> {
    match step {
        Step::Index(index) if layout.kind(node).is_sequence() && *index < layout.count(node) => {
            Ok(layout.children(node)[*index])
        }
        _ => find_child(layout.tree, layout.text, node, step),
    }
}

/// Splits the path of an entry or item into that of its collection and its last step.
pub(super) fn split<'p>(layout: &Layout<'_>, path: &'p FieldPath) -> Result<(FieldPath, &'p Step), Problem> {
    path.split_last().ok_or_else(|| {
        wrong_shape(layout.span(layout.root).start, "the document itself is neither an entry nor an item")
    })
}

/// Finds the entry or item a path names.
pub(super) fn entry_at(layout: &Layout<'_>, path: &FieldPath) -> Result<Entry, Problem> {
    let (parent, step) = split(layout, path)?;
    let container = container_at(layout, &parent)?;
    let node = child(layout, container, step)?;
    Ok(layout.entry_of(node).expect("a child has a parent"))
}

/// Finds the mapping entry a path names, with its key.
pub(super) fn keyed_entry_at(layout: &Layout<'_>, path: &FieldPath) -> Result<(Entry, NodeId), Problem> {
    let entry = entry_at(layout, path)?;
    let key = entry.key.ok_or_else(|| {
        Problem::new(ProblemCode::WrongShape, entry.start, format!("`{path}` is not an entry of a mapping"))
    })?;
    Ok((entry, key))
}
