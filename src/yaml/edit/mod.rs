//! Answers: which bytes change when one intent is carried out?
//!
//! [`plan`] finds what the intent names, refuses what cannot be done without showing elsewhere, and returns a [`Change`].
//! Each kind of change is a module: `key` (rename), `slot` (replace), `delete`, `insert`, `relocate` (move), `wrap`,
//! `nest`, `items` (a mapping becomes a list of named items, and back).
//!
//! Invariant: a change touches the lines of what it names and nothing else, and names every comment it takes away.

mod delete;
mod insert;
mod items;
mod key;
mod nest;
mod relocate;
mod slot;
mod wrap;

use super::intent::Intent;
use super::layout::{Entry, Layout};
use super::problem::{Problem, ProblemCode};
use super::tree::{Kind, NodeId};
use crate::field::{FieldPath, Step};
use crate::text::{Edit, Span};

/// The edits of one intent, and the comments they take away.
#[derive(Clone, Debug, Default)]
pub(super) struct Change {
    pub(super) edits: Vec<Edit>,
    pub(super) removed_comments: Vec<String>,
}

impl Change {
    fn insert(&mut self, at: usize, text: impl Into<String>) {
        self.edits.push(Edit::new(at, at, text));
    }

    /// Puts `text` in the place of bytes whose comments it holds too.
    fn replace(&mut self, span: Span, text: impl Into<String>) {
        self.edits.push(Edit { span, text: text.into() });
    }

    /// Takes bytes away, with the comments that start in them.
    fn remove(&mut self, layout: &Layout<'_>, span: Span) {
        self.remove_for(layout, span, "");
    }

    /// Takes bytes away, with the comments that start in them, and puts `text` there.
    fn remove_for(&mut self, layout: &Layout<'_>, span: Span, text: impl Into<String>) {
        let comments = layout.tree.comments_in(span).iter().map(|comment| comment.of(layout.text).to_owned());
        self.removed_comments.extend(comments);
        self.replace(span, text);
    }

    /// Puts `step` in front of every line of `lines`, which lie between brackets; the first of them may be cut short.
    fn deepen(&mut self, layout: &Layout<'_>, lines: Span, step: &str) {
        let mut line = lines.start;
        while line < lines.end {
            if !layout.text[line..layout.line_end(line)].trim().is_empty() {
                self.insert(line, step);
            }
            line = layout.line_end(line);
        }
    }

    pub(super) fn join(&mut self, other: Self) {
        self.edits.extend(other.edits);
        self.removed_comments.extend(other.removed_comments);
    }
}

/// Plans one intent on a document.
pub(super) fn plan(layout: &Layout<'_>, intent: &Intent) -> Result<Change, Problem> {
    match intent {
        Intent::Rename { path, to } => key::rename(layout, path, to),
        Intent::Replace { path, value } => slot::replace(layout, path, value),
        Intent::Delete { path } => delete::delete(layout, path),
        Intent::Insert { path, key, value, place } => insert::insert(layout, path, key, value, place),
        Intent::InsertItem { path, index, value } => insert::insert_item(layout, path, *index, value),
        Intent::Move { from, to, key, place } => relocate::relocate(layout, from, to, key, place),
        Intent::Wrap { path } => wrap::wrap(layout, path),
        Intent::Unwrap { path } => wrap::unwrap(layout, path),
        Intent::Nest { path, key } => nest::nest(layout, path, key),
        Intent::Hoist { path, key } => nest::hoist(layout, path, key),
        Intent::ToItems { path, naming } => items::to_items(layout, path, naming),
        Intent::ToEntries { path, naming } => items::to_entries(layout, path, naming),
    }
}

/// Returns the paths of the smallest containers an intent changes the inside of: intents on unrelated ones do not meet.
pub(super) fn touched(intent: &Intent) -> Vec<FieldPath> {
    let parent = |path: &FieldPath| path.split_last().map_or_else(FieldPath::default, |(parent, _)| parent);
    match intent {
        Intent::Rename { path, .. }
        | Intent::Delete { path }
        | Intent::Replace { path, .. }
        | Intent::Wrap { path }
        | Intent::Unwrap { path }
        | Intent::Nest { path, .. }
        | Intent::Hoist { path, .. }
        | Intent::ToItems { path, .. }
        | Intent::ToEntries { path, .. } => vec![parent(path)],
        Intent::Insert { path, .. } | Intent::InsertItem { path, .. } => vec![path.clone()],
        Intent::Move { from, to, .. } => vec![parent(from), to.clone()],
    }
}

/// Finds the node at a path whose inside is to be changed: nothing on the way to it, nor itself, may show elsewhere.
fn container_at(layout: &Layout<'_>, path: &FieldPath) -> Result<NodeId, Problem> {
    let node = path.steps().iter().try_fold(layout.root, |node, step| {
        refuse_referenced(layout, node)?;
        child(layout, node, step)
    })?;
    if layout.kind(node) == Kind::Alias {
        let message = format!("`{}` is an alias; change the value it stands for", layout.span(node).of(layout.text));
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
        _ => layout.tree.step(layout.text, node, step),
    }
}

/// Finds the entry or item a path names.
fn entry_at(layout: &Layout<'_>, path: &FieldPath) -> Result<Entry, Problem> {
    let (parent, step) = path.split_last().ok_or_else(|| {
        Problem::new(
            ProblemCode::WrongShape,
            layout.span(layout.root).start,
            "the document itself is no entry and no item",
        )
    })?;
    let container = container_at(layout, &parent)?;
    let node = child(layout, container, step)?;
    Ok(layout.entry_of(node).expect("a child has a parent"))
}

/// Finds the mapping entry a path names, with its key.
fn keyed_entry_at(layout: &Layout<'_>, path: &FieldPath) -> Result<(Entry, NodeId), Problem> {
    let entry = entry_at(layout, path)?;
    let key = entry.key.ok_or_else(|| {
        Problem::new(ProblemCode::WrongShape, entry.start, format!("`{path}` is no entry of a mapping"))
    })?;
    Ok((entry, key))
}

fn refuse_referenced(layout: &Layout<'_>, node: NodeId) -> Result<(), Problem> {
    if layout.is_referenced(node) { Err(shared(layout, node)) } else { Ok(()) }
}

fn shared(layout: &Layout<'_>, node: NodeId) -> Problem {
    let alias = layout.tree.aliases.iter().find(|entry| entry.target == node).map(|entry| layout.span(entry.alias));
    let name = alias.map_or("an alias", |alias| alias.of(layout.text));
    let anchor = name.replacen('*', "&", 1);
    let message = format!("the value of `{anchor}` would change where `{name}` stands, too; write the value out first");
    Problem {
        other: alias.map(|alias| alias.start),
        ..Problem::new(ProblemCode::SharedAnchor, layout.tree.start(node), message)
    }
}

/// Refuses to take a node away while an alias outside of it refers into it.
fn refuse_anchors_in_use(layout: &Layout<'_>, node: NodeId) -> Result<(), Problem> {
    let in_use = |entry: &&super::tree::AliasOf| {
        layout.tree.contains(node, entry.target) && !layout.tree.contains(node, entry.alias)
    };
    layout.tree.aliases.iter().find(in_use).map_or(Ok(()), |entry| Err(shared(layout, entry.target)))
}

/// Refuses to take away a key that a merge would then lend.
fn refuse_lent(layout: &Layout<'_>, mapping: NodeId, key: NodeId) -> Result<(), Problem> {
    let name = layout.tree.cooked(layout.text, key);
    match layout.tree.lender(layout.text, mapping, &name) {
        Some(_) => {
            let message = format!("a merge would give `{name}` another value");
            Err(Problem::new(ProblemCode::ThroughMerge, layout.span(key).start, message))
        }
        None => Ok(()),
    }
}

/// Refuses to make a key that is there, written or lent by a merge.
fn refuse_existing(layout: &Layout<'_>, mapping: NodeId, name: &str) -> Result<(), Problem> {
    let written = layout.entry_of_key(mapping, name).map(|entry| entry.start);
    let found = written.or_else(|| layout.tree.lender(layout.text, mapping, name).map(|node| layout.span(node).start));
    found.map_or(Ok(()), |at| Err(Problem::new(ProblemCode::Exists, at, format!("`{name}` is there already"))))
}

fn wrong_shape(at: usize, message: impl Into<String>) -> Problem {
    Problem::new(ProblemCode::WrongShape, at, message)
}
