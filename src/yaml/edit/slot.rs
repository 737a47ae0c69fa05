//! Answers: which bytes change when what stands behind a colon or dash is replaced?
//!
//! A slot is the place of a value: behind a key's colon, behind an item's dash, or the whole document. What is put there
//! has a head, which stands on the line of the colon or dash, and a body of whole lines below it.
//!
//! Invariant: the comment on the line of the colon or dash stays there.

use serde_json::Value;

use super::super::layout::{Entry, Layout};
use super::super::problem::Problem;
use super::super::tree::{Kind, NodeId};
use super::super::write::{Context, Rendered, Style, one_line, scalar_like};
use super::{Change, container_at, entry_at, refuse_anchors_in_use, wrong_shape};
use crate::field::FieldPath;
use crate::text::Span;

pub(super) fn replace(layout: &Layout<'_>, path: &FieldPath, value: &Value) -> Result<Change, Problem> {
    let node = if path.steps().is_empty() { container_at(layout, path)? } else { entry_at(layout, path)?.value };
    refuse_anchors_in_use(layout, node)?;
    let entry = layout.entry_of(node);
    match entry {
        Some(entry) if layout.kind(entry.container).is_flow_collection() => replace_in_flow(layout, &entry, value),
        _ => match kept_scalar(layout, node, value) {
            Some(text) => {
                let mut change = Change::default();
                change.remove_for(layout, layout.span(node), text);
                Ok(change)
            }
            None => fill_value(layout, node, value),
        },
    }
}

/// Writes a one-line string in the quotes of the scalar it takes the place of.
fn kept_scalar(layout: &Layout<'_>, node: NodeId, value: &Value) -> Option<String> {
    let kind = layout.kind(node);
    let text = value.as_str()?;
    match kind {
        Kind::Single | Kind::Double => Some(scalar_like(kind, text, Context::Block)),
        _ => None,
    }
}

fn replace_in_flow(layout: &Layout<'_>, entry: &Entry, value: &Value) -> Result<Change, Problem> {
    let context = Context::inside(layout, entry.container);
    let kind = layout.kind(entry.value);
    let text = match value.as_str() {
        Some(text) => scalar_like(kind, text, context),
        None => one_line(value, context),
    };
    let mut change = Change::default();
    match kind {
        Kind::Empty if entry.key.is_some_and(|key| layout.span(key).end == entry.opened) => {
            change.insert(entry.opened, format!(": {text}"));
        }
        Kind::Empty => change.insert(layout.span(entry.value).start, format!(" {text}")),
        _ => change.remove_for(layout, layout.span(entry.value), text),
    }
    Ok(change)
}

/// Puts a value in the place of a node that is not inside brackets.
pub(super) fn fill_value(layout: &Layout<'_>, node: NodeId, value: &Value) -> Result<Change, Problem> {
    let style = Style::near(layout, node);
    let slot = Slot::of(layout, node)?;
    let rendered = match slot.kind {
        SlotKind::Root => style.root(value),
        SlotKind::Value => style.value(value, slot.column),
        SlotKind::Item if slot.has_properties && is_filled(value) => {
            Rendered { head: one_line(value, Context::Block), body: String::new() }
        }
        SlotKind::Item => style.item(value, slot.item_column(layout)),
    };
    Ok(slot.fill(layout, rendered))
}

fn is_filled(value: &Value) -> bool {
    value.as_object().is_some_and(|map| !map.is_empty()) || value.as_array().is_some_and(|items| !items.is_empty())
}

/// What a slot belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SlotKind {
    /// The document.
    Root,
    /// A key of a block mapping.
    Value,
    /// A dash.
    Item,
}

/// The place of a value that is not inside brackets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) kind: SlotKind,
    /// What stands there now.
    node: NodeId,
    /// The column of the key or dash; 0 for the document.
    pub(super) column: usize,
    /// Behind the colon or dash, and behind the anchor and tag of what stands there.
    opened: usize,
    /// Whether an anchor or tag stands there.
    pub(super) has_properties: bool,
}

impl Slot {
    /// Returns the slot that `node` stands in.
    pub(super) fn of(layout: &Layout<'_>, node: NodeId) -> Result<Self, Problem> {
        let properties = layout.tree.properties_of(node).map(|properties| properties.span.end);
        let has_properties = properties.is_some();
        let Some(entry) = layout.entry_of(node) else {
            let start = layout.span(node).start;
            let opened = properties.unwrap_or(start);
            return Ok(Self { kind: SlotKind::Root, node, column: 0, opened, has_properties });
        };
        let kind = if entry.key.is_some() { SlotKind::Value } else { SlotKind::Item };
        if entry.key.is_some_and(|key| layout.span(key).end == entry.opened) {
            return Err(wrong_shape(entry.start, "a `?` key has no value; give it one"));
        }
        let opened = properties.unwrap_or(entry.opened);
        Ok(Self { kind, node, column: layout.column(entry.start), opened, has_properties })
    }

    /// Returns the column that the content of an item starts in.
    pub(super) fn item_column(&self, layout: &Layout<'_>) -> usize {
        let start = layout.span(self.node).start;
        let inline = layout.kind(self.node) != Kind::Empty && layout.is_same_line(self.opened, start);
        if inline { layout.column(start) } else { self.column + 2 }
    }

    /// Returns where text goes that is to stand behind the colon or dash, where lines below hold the value now.
    pub(super) fn opened_on_another_line(&self, layout: &Layout<'_>) -> Option<usize> {
        let start = layout.span(self.node).start;
        (self.opened < start && !layout.is_same_line(self.opened, start)).then_some(self.opened)
    }

    /// Puts `rendered` in the place of what stands there.
    pub(super) fn fill(&self, layout: &Layout<'_>, rendered: Rendered) -> Change {
        match layout.kind(self.node) {
            Kind::Empty => self.fill_empty(layout, rendered),
            kind if kind.is_block_collection() => self.fill_lines(layout, rendered),
            _ => self.fill_inline(layout, rendered),
        }
    }

    fn fill_empty(&self, layout: &Layout<'_>, Rendered { head, body }: Rendered) -> Change {
        let mut change = Change::default();
        let at = layout.span(self.node).start;
        if !head.is_empty() {
            change.insert(at, format!(" {head}"));
        }
        if !body.is_empty() {
            change.insert(layout.line_end(at), body);
        }
        change
    }

    fn fill_inline(&self, layout: &Layout<'_>, Rendered { head, body }: Rendered) -> Change {
        let mut change = Change::default();
        let span = layout.span(self.node);
        let below = layout.line_end(span.end);
        if !head.is_empty() {
            change.remove_for(layout, span, head);
        } else if layout.is_first_on_line(span.start) && layout.line_content_end(span.end) == span.end {
            // The value has lines of its own, so the new ones take their place.
            change.remove_for(layout, Span::new(layout.line_start(span.start), below), body);
            return change;
        } else {
            let blanks = layout.text[..span.start].trim_end_matches([' ', '\t']).len();
            let start = if layout.is_first_on_line(span.start) { span.start } else { blanks };
            change.remove(layout, Span::new(start, span.end));
        }
        if !body.is_empty() {
            change.insert(below, body);
        }
        change
    }

    fn fill_lines(&self, layout: &Layout<'_>, Rendered { head, body }: Rendered) -> Change {
        let mut change = Change::default();
        let span = layout.span(self.node);
        let end = layout.own_end(self.column, span.end);
        if layout.is_first_on_line(span.start) {
            let start = layout.own_start(span.start);
            if head.is_empty() {
                change.remove_for(layout, Span::new(start, end), body);
            } else if self.kind == SlotKind::Root && !self.has_properties {
                let line_ending = layout.line_ending(span.start);
                change.remove_for(layout, Span::new(start, end), format!("{head}{line_ending}{body}"));
            } else {
                change.insert(self.opened, format!(" {head}"));
                change.remove_for(layout, Span::new(start, end), body);
            }
        } else {
            let line_ending = layout.line_ending(span.start);
            let start = if head.is_empty() { self.opened } else { span.start };
            change.remove_for(layout, Span::new(start, end), format!("{head}{line_ending}{body}"));
        }
        change
    }
}
