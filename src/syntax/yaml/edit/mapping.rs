//! Answers: which bytes change when a value is wrapped in a mapping of one key, and unwrapped?
//!
//! In block style the lines move below a new key, or up to its parent; in flow style the braces and the key are put around the value or
//! removed. A scalar that is an item stays on its line behind the new key; one behind a key gets a line of its own.
//!
//! Invariant: every comment stays: one after a key that is removed gets a line of its own.

use super::super::change::Change;
use super::super::emit::{BlockEmitter, Context, scalar, scalar_like};
use super::super::layout::{Entry, Layout};
use super::super::problem::{Problem, ProblemCode};
use super::super::tree::{Kind, NodeId};
use super::delete::own_lines;
use super::items::{Block, refuse_aliased_or_tagged};
use super::refuse::{
    entry_at, keyed_entry_at, refuse_anchors_in_use, refuse_existing, refuse_merged_key, refuse_referenced, wrong_shape,
};
use crate::syntax::field::FieldPath;
use crate::syntax::text::Span;

pub(super) fn wrap_in_mapping(layout: &Layout<'_>, path: &FieldPath, key: &str) -> Result<Change, Problem> {
    let place = entry_at(layout, path)?;
    match layout.kind(place.value) {
        Kind::Mapping | Kind::Sequence => {
            refuse_aliased_or_tagged(layout, place.value)?;
            wrap_lines(layout, &place, key)
        }
        Kind::FlowMapping | Kind::FlowSequence => {
            refuse_aliased_or_tagged(layout, place.value)?;
            Ok(wrap_in_braces(layout, &place, key))
        }
        // The anchor of a scalar stays with it, so its aliases mean the same.
        Kind::Plain | Kind::Single | Kind::Double | Kind::Literal | Kind::Folded | Kind::Alias | Kind::Empty
            if !layout.kind(place.container).is_flow_collection() =>
        {
            wrap_scalar(layout, &place, key)
        }
        Kind::Plain | Kind::Single | Kind::Double | Kind::Alias => Ok(wrap_in_braces(layout, &place, key)),
        Kind::Empty | Kind::Pair | Kind::Literal | Kind::Folded => {
            Err(wrong_shape(layout.span(place.value).start, "the value cannot be nested under a new key"))
        }
    }
}

/// Puts a key in front of a scalar in a block collection: `- a` becomes `- key: a`; `k: a` becomes `k:` and a line with `key: a`.
fn wrap_scalar(layout: &Layout<'_>, place: &Entry, key: &str) -> Result<Change, Problem> {
    let (start, key) = (layout.tree.start(place.value), scalar(key, Context::Block));
    let outer = layout.column(place.start);
    let is_empty = layout.kind(place.value) == Kind::Empty;
    if is_empty && layout.tree.properties_of(place.value).is_some() {
        return Err(wrong_shape(
            start,
            "null with an anchor or tag cannot be nested; write null, or remove the anchor or tag",
        ));
    }
    let mut change = Change::default();
    if place.key.is_none() || layout.is_first_on_line(start) && !is_empty {
        if is_empty {
            change.insert(place.opened, format!(" {key}:"));
            return Ok(change);
        }
        let (first_line, end) = (layout.line_end(start), layout.line_end(place.end));
        let below = Span::new(first_line.min(end), end);
        change.insert(start, format!("{key}: "));
        if !below.is_empty() {
            change.replace(below, layout.shifted(below, layout.column(start) as isize - outer as isize));
        }
        return Ok(change);
    }
    let step = BlockEmitter::near(layout, place.container).step;
    let (line_ending, end) = (layout.line_ending(place.opened), layout.line_end(place.end));
    let column = outer + step;
    if is_empty {
        change.insert(layout.line_end(place.opened), format!("{:column$}{key}:{line_ending}", ""));
        return Ok(change);
    }
    let first_line = layout.line_end(place.opened);
    let rest = Span::new(place.opened, first_line).of(layout.text);
    let below = layout.shifted(Span::new(first_line, end.max(first_line)), step as isize);
    let span = Span::new(place.opened, end.max(first_line));
    change.replace(span, format!("{line_ending}{:column$}{key}:{rest}{below}", ""));
    Ok(change)
}

fn wrap_lines(layout: &Layout<'_>, place: &Entry, key: &str) -> Result<Change, Problem> {
    let block = Block::of(layout, place)?;
    let style = BlockEmitter::near(layout, place.container);
    let outer = block.outer + style.step;
    let column = outer + if layout.kind(place.value) == Kind::Sequence { style.list_indent } else { style.step };
    let line_ending = layout.line_ending(place.opened);
    let lines = layout.shifted(block.lines, column as isize - block.column as isize);
    Ok(Change::replacing(block.lines, format!("{:outer$}{}:{line_ending}{lines}", "", scalar(key, Context::Block))))
}

fn wrap_in_braces(layout: &Layout<'_>, place: &Entry, key: &str) -> Change {
    let span = Span::new(layout.tree.start(place.value), place.end);
    let inside = match layout.kind(place.value).is_flow_collection() {
        true => Context::inside(layout, place.value),
        false => Context::inside(layout, place.container),
    };
    let context = if inside == Context::Block { Context::Flow } else { inside };
    let mut change = Change::default();
    let is_broken = own_lines(layout, place).is_some() && !layout.is_same_line(span.start, span.end);
    let [open, close] = match layout.json_indent(place.value).filter(|_| is_broken) {
        None => {
            let blanks = layout.line_style().mapping;
            [format!("{{{blanks}"), format!("{blanks}}}")]
        }
        Some(step) => {
            let line = format!("{}{}", layout.line_ending(span.start), layout.indentation(place.start));
            change.indent_lines(layout, Span::new(layout.line_end(span.start), span.end), step);
            [format!("{{{line}{step}"), format!("{line}}}")]
        }
    };
    change.insert(span.start, format!("{open}{}:{}", scalar(key, context), context.gap()));
    change.insert(span.end, close);
    change
}

pub(super) fn unwrap_mapping(layout: &Layout<'_>, path: &FieldPath, key: &str) -> Result<Change, Problem> {
    let place = entry_at(layout, path)?;
    refuse_aliased_or_tagged(layout, place.value)?;
    let alone = layout.entry_of_key(place.value, key).filter(|_| layout.count(place.value) == 1);
    let inner = alone.ok_or_else(|| {
        Problem::new(ProblemCode::NotSingle, place.start, format!("`{path}` must have `{key}` as its only key"))
    })?;
    if let Some(key) = inner.key {
        refuse_anchors_in_use(layout, key)?;
    }
    match layout.kind(place.value) {
        Kind::FlowMapping => unwrap_from_braces(layout, &place, &inner),
        Kind::Mapping if layout.kind(inner.value).is_block_collection() => unwrap_lines(layout, &place, &inner),
        Kind::Mapping if layout.kind(inner.value).is_flow_collection() && place.key.is_some() => {
            unwrap_to_key_line(layout, &place, &inner)
        }
        Kind::Mapping => unwrap_scalar(layout, &place, &inner),
        _ => Err(wrong_shape(place.start, "only a mapping can be replaced by the value of its key")),
    }
}

/// Removes the key in front of a scalar: the inverse of [`wrap_scalar`].
fn unwrap_scalar(layout: &Layout<'_>, place: &Entry, inner: &Entry) -> Result<Change, Problem> {
    let is_empty = layout.kind(inner.value) == Kind::Empty;
    let value = layout.tree.start(inner.value);
    let content = if is_empty { inner.opened } else { value };
    if !layout.tree.comments_in(Span::new(inner.start, content)).is_empty() {
        return Err(comments_around_key(inner.start));
    }
    let (outer, column) = (layout.column(place.start), layout.column(inner.start));
    let end = layout.line_end(inner.end);
    if layout.kind(inner.value).is_block_scalar() && layout.own_end(outer, inner.end) > end {
        let message = "the comments below would become part of the block scalar; move them first";
        return Err(wrong_shape(inner.start, message));
    }
    let first_line = layout.line_end(content).min(end);
    let rest = Span::new(content, first_line).of(layout.text);
    let below = layout.shifted(Span::new(first_line, end), outer as isize - column as isize);
    let is_free = layout.text[place.opened..inner.start].trim().is_empty();
    let mut change = Change::default();
    if is_free && place.key.is_some() {
        let is_on_line = layout.is_same_line(inner.opened, content);
        let gap = if is_on_line { &layout.text[inner.opened..content] } else { " " };
        change.replace(Span::new(place.opened, end), format!("{gap}{rest}{below}"));
    } else {
        // What is above the key stays, and so does the line of the value.
        let from = if is_empty && is_free { place.opened } else { inner.start };
        change.replace(Span::new(from, end), format!("{rest}{below}"));
    }
    Ok(change)
}

fn unwrap_lines(layout: &Layout<'_>, place: &Entry, inner: &Entry) -> Result<Change, Problem> {
    refuse_aliased_or_tagged(layout, inner.value)?;
    let block = Block::of(layout, place)?;
    let own = Block::of(layout, inner)?;
    let style = BlockEmitter::near(layout, place.container);
    let indent = if layout.kind(inner.value) == Kind::Sequence { style.list_indent } else { style.step };
    let column = block.outer + indent;
    let first = layout.line_start(inner.start);
    let line_ending = layout.line_ending(inner.start);
    let above = layout.comments_moved(Span::new(block.lines.start, first), block.column, column);
    let behind: String = layout
        .tree
        .comments_in(Span::new(first, own.lines.start))
        .iter()
        .map(|comment| format!("{:column$}{}{line_ending}", "", comment.of(layout.text)))
        .collect();
    let end = layout.own_end(block.column, inner.end);
    let below = layout.shifted(Span::new(own.lines.start, end), column as isize - own.column as isize);
    // In the column of the key above, a comment would belong to what follows.
    let tail = if indent > 0 { column } else { block.column };
    let tail = layout.comments_moved(Span::new(end, block.lines.end), block.column, tail);
    Ok(Change::replacing(block.lines, format!("{above}{behind}{below}{tail}")))
}

fn comments_around_key(at: usize) -> Problem {
    Problem::new(ProblemCode::FlowMove, at, "there are comments around the key to be removed; move them first")
}

/// Moves a flow collection from the line of its key to that of the key above: `a:` and `  key: [x]` become `a: [x]`.
fn unwrap_to_key_line(layout: &Layout<'_>, place: &Entry, inner: &Entry) -> Result<Change, Problem> {
    let block = Block::of(layout, place)?;
    let value = layout.tree.start(inner.value);
    if !layout.tree.comments_in(Span::new(place.opened, value)).is_empty() {
        return Err(comments_around_key(place.opened));
    }
    let first_line = layout.line_end(value);
    let by = block.outer as isize - block.column as isize;
    let below = layout.shifted(Span::new(first_line, block.lines.end), by);
    let rest = Span::new(value, first_line).of(layout.text);
    Ok(Change::replacing(Span::new(place.opened, block.lines.end), format!(" {rest}{below}")))
}

fn unwrap_from_braces(layout: &Layout<'_>, place: &Entry, inner: &Entry) -> Result<Change, Problem> {
    let span = layout.span(place.value);
    let start = layout.tree.start(inner.value);
    let end = inner.end.max(start);
    let around = [Span::new(span.start, start), Span::new(end, span.end)];
    if around.into_iter().any(|span| !layout.tree.comments_in(span).is_empty()) {
        return Err(comments_around_key(span.start));
    }
    let mut change = Change::default();
    change.replace(around[0], if start == inner.opened && end == start { "null" } else { "" });
    let below = Span::new(layout.line_end(start).min(end), end);
    let is_broken = layout.is_first_on_line(inner.start) && inner.start > span.start;
    let [from, to] = [inner.start, place.start].map(|at| layout.indentation(at));
    let lines = if is_broken { layout.reindented(below, from, to) } else { below.of(layout.text).to_owned() };
    change.replace(Span::new(below.start, span.end), lines);
    Ok(change)
}

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
