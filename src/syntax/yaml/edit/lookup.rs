//! Answers: which entry or item does a path name, and may it be changed there?
//!
//! Invariant: what is found is written at the path itself, and no alias refers to anything on the path to it.

use super::super::layout::{Entry, Layout};
use super::super::node::{Kind, NodeId};
use super::super::path::find_child;
use super::super::problem::{Problem, ProblemCode};
use super::refuse::{refuse_referenced, wrong_shape};
use crate::syntax::field::{FieldPath, Step};

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
