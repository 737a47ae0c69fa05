//! Answers: which bytes change when a value is replaced?
//!
//! A value is after a key's colon, after an item's dash, or the whole document. A new value
//! has a head, which is on the line of the colon or dash, and a body of whole lines below it.
//!
//! Invariant: the comment on the line of the colon or dash stays there.

use serde_json::Value;

use super::super::change::Change;
use super::super::emit::{BlockEmitter, Context, FlowEmitter, Rendered, one_line, scalar_in, scalar_like};
use super::super::format::MultilineText;
use super::super::layout::{Entry, Layout};
use super::super::literal::Literal;
use super::super::problem::Problem;
use super::super::resolve::reads_as_text;
use super::super::tree::{Kind, NodeId};
use super::refuse::{container_at, entry_at, refuse_anchors_in_use, wrong_shape};
use crate::syntax::field::FieldPath;
use crate::syntax::text::Span;

pub(super) fn replace(layout: &Layout<'_>, path: &FieldPath, value: &Value) -> Result<Change, Problem> {
    let node = if path.steps().is_empty() { container_at(layout, path)? } else { entry_at(layout, path)?.value };
    refuse_anchors_in_use(layout, node)?;
    let entry = layout.entry_of(node);
    match entry {
        Some(entry) if layout.kind(entry.container).is_flow_collection() => Ok(replace_in_flow(layout, &entry, value)),
        _ => match quoted_like_before(layout, node, value).or_else(|| block_scalar_line(layout, node, value)) {
            Some((span, text)) => {
                let mut change = Change::default();
                change.remove_for(layout, span, text);
                Ok(change)
            }
            None => Ok(ValuePosition::without_tag(layout, node)?.fill_value(layout, value)),
        },
    }
}

/// Writes a one-line string in the quotes of the scalar that it replaces.
fn quoted_like_before(layout: &Layout<'_>, node: NodeId, value: &Value) -> Option<(Span, String)> {
    let kind = quotes(layout, node);
    let text = value.as_str()?;
    match kind {
        Kind::Single | Kind::Double => Some((replaced_span(layout, node), scalar_like(kind, text, Context::Block))),
        _ => None,
    }
}

/// Writes a one-line string as the content of the block scalar of one line that it replaces.
fn block_scalar_line(layout: &Layout<'_>, node: NodeId, value: &Value) -> Option<(Span, String)> {
    let is_block = matches!(layout.kind(node), Kind::Literal | Kind::Folded);
    let has_tag = layout.tree.properties_of(node).is_some_and(|properties| properties.tag.is_some());
    if !is_block || has_tag {
        return None;
    }
    let literal = Literal::of(layout.text, layout.tree, node)?;
    let [old, new] = [literal.text(), value.as_str()?].map(|text| text.split_once('\n').unwrap_or((text, "")));
    let is_line =
        |text: &str| text.starts_with(|first: char| first.is_ascii_graphic()) && !text.contains(char::is_control);
    let is_same_end = literal.text().ends_with('\n') == value.as_str()?.ends_with('\n');
    let fits = is_same_end && old.1.is_empty() && new.1.is_empty() && is_line(old.0) && is_line(new.0);
    fits.then(|| (Span::new(literal.place(0), literal.place(0) + old.0.len()), new.0.to_owned()))
}

/// Returns the style of the scalar at `node`; an empty string must be quoted, so its quotes do not count as a style.
fn quotes(layout: &Layout<'_>, node: NodeId) -> Kind {
    match layout.kind(node) {
        Kind::Single | Kind::Double if layout.span(node).end - layout.span(node).start == 2 => Kind::Plain,
        kind => kind,
    }
}

fn replace_in_flow(layout: &Layout<'_>, entry: &Entry, value: &Value) -> Change {
    let context = Context::inside(layout, entry.container);
    let text = match value.as_str() {
        Some(text) => match quotes(layout, entry.value) {
            kind @ (Kind::Single | Kind::Double) => scalar_like(kind, text, context),
            // Where a text has no quotes, none needs them, as keys between quotes would say.
            _ if is_plain_text(layout, entry.value) => scalar_in(layout.quotes(), text, Context::Flow),
            _ => scalar_in(layout.quotes(), text, context),
        },
        None => FlowEmitter::of(layout, entry.container).value(value),
    };
    replace_value_in_flow(layout, entry, text)
}

fn is_plain_text(layout: &Layout<'_>, node: NodeId) -> bool {
    layout.kind(node) == Kind::Plain && reads_as_text(layout.span(node).of(layout.text))
}

/// Replaces a value in a flow collection.
pub(super) fn replace_value_in_flow(layout: &Layout<'_>, entry: &Entry, text: String) -> Change {
    let span = replaced_span(layout, entry.value);
    let has_no_colon = entry.key.is_some_and(|key| layout.span(key).end == entry.opened);
    let mut change = Change::default();
    if !span.is_empty() {
        change.remove_for(layout, span, text);
    } else if has_no_colon {
        change.insert(entry.opened, format!(": {text}"));
    } else {
        change.insert(span.start, format!(" {text}"));
    }
    change
}

/// Returns the bytes of a node, with its tag, which would not match another value. An anchor alone stays.
fn replaced_span(layout: &Layout<'_>, node: NodeId) -> Span {
    let span = layout.span(node);
    match layout.tree.properties_of(node) {
        Some(properties) if properties.tag.is_some() => Span::new(properties.span.start, span.end),
        _ => span,
    }
}

fn is_filled(value: &Value) -> bool {
    value.as_object().is_some_and(|map| !map.is_empty()) || value.as_array().is_some_and(|items| !items.is_empty())
}

/// What a position belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PositionKind {
    /// The document.
    Root,
    /// A key of a block mapping.
    Value,
    /// A dash.
    Item,
}

/// The position of a value outside flow collections.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValuePosition {
    pub(super) kind: PositionKind,
    /// The current value.
    node: NodeId,
    /// The bytes that are replaced by a new value.
    span: Span,
    /// The column of the key or dash; 0 for the document.
    pub(super) column: usize,
    /// After the colon or dash, and after the anchor and tag of the current value.
    opened: usize,
    /// Whether an anchor or tag is there.
    pub(super) has_properties: bool,
}

impl ValuePosition {
    /// Returns the position that `node` is in.
    pub(super) fn of(layout: &Layout<'_>, node: NodeId) -> Result<Self, Problem> {
        let properties = layout.tree.properties_of(node).map(|properties| properties.span.end);
        let has_properties = properties.is_some();
        let Some(entry) = layout.entry_of(node) else {
            let start = layout.span(node).start;
            let opened = properties.unwrap_or(start);
            return Ok(Self {
                kind: PositionKind::Root,
                node,
                span: layout.span(node),
                column: 0,
                opened,
                has_properties,
            });
        };
        let kind = if entry.key.is_some() { PositionKind::Value } else { PositionKind::Item };
        if entry.key.is_some_and(|key| layout.span(key).end == entry.opened) {
            return Err(wrong_shape(entry.start, "a `?` key has no value; add one"));
        }
        let opened = properties.unwrap_or(entry.opened);
        let column = layout.column(entry.start);
        Ok(Self { kind, node, span: layout.span(node), column, opened, has_properties })
    }

    /// Returns the position that `node` is in, without its tag, for a value with another tag.
    fn without_tag(layout: &Layout<'_>, node: NodeId) -> Result<Self, Problem> {
        let position = Self::of(layout, node)?;
        if layout.tree.tag(node).is_none() {
            return Ok(position);
        }
        let span = replaced_span(layout, node);
        let opened = layout.entry_of(node).map_or(span.start, |entry| entry.opened);
        Ok(Self { span, opened, has_properties: false, ..position })
    }

    /// Replaces the current value by `value`.
    pub(super) fn fill_value(&self, layout: &Layout<'_>, value: &Value) -> Change {
        let mut style = BlockEmitter::near(layout, self.node);
        if self.has_comments_below(layout) {
            style.multiline = MultilineText::Quoted;
        }
        let rendered = match self.kind {
            PositionKind::Root => style.root(value),
            PositionKind::Value => style.value(value, self.column),
            PositionKind::Item if self.has_properties && is_filled(value) => {
                Rendered { head: one_line(value, Context::Block, layout.line_style()), body: String::new() }
            }
            PositionKind::Item => style.item(value, self.item_column(layout)),
        };
        self.fill(layout, rendered)
    }

    /// Returns the column that the content of an item starts in.
    pub(super) fn item_column(&self, layout: &Layout<'_>) -> usize {
        let inline = !self.span.is_empty() && layout.is_same_line(self.opened, self.span.start);
        if inline { layout.column(self.span.start) } else { self.column + 2 }
    }

    /// Returns where text after the colon or dash is inserted, if the current value is on the lines below.
    pub(super) fn opened_on_another_line(&self, layout: &Layout<'_>) -> Option<usize> {
        let start = layout.span(self.node).start;
        (self.opened < start && !layout.is_same_line(self.opened, start)).then_some(self.opened)
    }

    /// Returns whether comments stay below the value, which would become content of a block scalar in its place.
    pub(super) fn has_comments_below(&self, layout: &Layout<'_>) -> bool {
        let end = layout.span(self.node).end;
        !layout.kind(self.node).is_block_collection() && layout.own_end(self.column, end) > layout.line_end(end)
    }

    /// Returns whether a comment is after the value.
    pub(super) fn has_comment_after(&self, layout: &Layout<'_>) -> bool {
        layout.line_content_end(self.span.end) > self.span.end
    }

    /// Returns where a body is inserted: directly below its head, or below the comments of a value without a head.
    fn below(&self, layout: &Layout<'_>, head: &str) -> usize {
        let end = layout.span(self.node).end;
        if head.is_empty() { layout.own_end(self.column, end) } else { layout.line_end(end) }
    }

    /// Replaces the current value by `rendered`.
    pub(super) fn fill(&self, layout: &Layout<'_>, rendered: Rendered) -> Change {
        match layout.kind(self.node) {
            Kind::Empty => self.fill_empty(layout, rendered),
            kind if kind.is_block_collection() => self.fill_lines(layout, rendered),
            _ => self.fill_inline(layout, rendered),
        }
    }

    fn fill_empty(&self, layout: &Layout<'_>, Rendered { head, body }: Rendered) -> Change {
        let mut change = Change::default();
        if !head.is_empty() {
            let space = if self.span.is_empty() { " " } else { "" };
            change.replace(self.span, format!("{space}{head}"));
        } else {
            change.replace(Span::new(self.blanks_before(layout), self.span.end), "");
        }
        if !body.is_empty() {
            change.insert(self.below(layout, &head), body);
        }
        change
    }

    fn fill_inline(&self, layout: &Layout<'_>, Rendered { head, body }: Rendered) -> Change {
        let mut change = Change::default();
        let span = self.span;
        let first_on_line = layout.is_first_on_line(span.start);
        let below = self.below(layout, &head);
        if !head.is_empty() {
            change.remove_for(layout, span, head);
        } else if first_on_line && layout.line_content_end(span.end) == span.end {
            // The value has lines of its own, which are removed entirely.
            change.remove(layout, Span::new(layout.line_start(span.start), layout.line_end(span.end)));
        } else {
            let start = if first_on_line { span.start } else { self.blanks_before(layout) };
            change.remove(layout, Span::new(start, span.end));
        }
        if !body.is_empty() {
            change.insert(below, body);
        }
        change
    }

    fn blanks_before(&self, layout: &Layout<'_>) -> usize {
        layout.text[..self.span.start].trim_end_matches([' ', '\t']).len()
    }

    fn fill_lines(&self, layout: &Layout<'_>, Rendered { head, body }: Rendered) -> Change {
        let mut change = Change::default();
        let first = layout.span(self.node).start;
        let end = layout.own_end(self.column, self.span.end);
        if self.span.start < first {
            let tag = layout.tree.properties_of(self.node).map_or(first, |properties| properties.span.end);
            change.remove(layout, Span::new(self.opened, tag));
        }
        if layout.is_first_on_line(first) {
            let start = layout.own_start(first);
            let head_line =
                if head.is_empty() { String::new() } else { format!("{head}{}", layout.line_ending(first)) };
            if head.is_empty() || self.kind == PositionKind::Root && self.opened == first {
                change.remove_for(layout, Span::new(start, end), format!("{head_line}{body}"));
            } else {
                // Nothing may be between the header of a `|` block and its lines.
                let start = if body.is_empty() { start } else { layout.line_end(self.opened) };
                change.insert(self.opened, format!(" {head}"));
                change.remove_for(layout, Span::new(start, end), body);
            }
        } else {
            let line_ending = layout.line_ending(first);
            let start = if head.is_empty() { self.opened } else { first };
            change.remove_for(layout, Span::new(start, end), format!("{head}{line_ending}{body}"));
        }
        change
    }
}
