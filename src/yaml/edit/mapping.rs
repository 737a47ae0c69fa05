//! Answers: which bytes change when a value is wrapped in a mapping of one key, and unwrapped?
//!
//! In block style the lines move below a new key, or up to its parent; in flow style the braces and the key are put around the value or
//! removed.
//!
//! Invariant: every comment stays: one after a key that is removed gets a line of its own.

use super::super::change::Change;
use super::super::emit::{BlockEmitter, Context, scalar};
use super::super::layout::{Entry, Layout};
use super::super::node::Kind;
use super::super::problem::{Problem, ProblemCode};
use super::delete::own_lines;
use super::items::{Block, refuse_aliased_or_tagged};
use super::lookup::entry_at;
use super::refuse::{refuse_anchors_in_use, wrong_shape};
use crate::field::FieldPath;
use crate::text::Span;

pub(super) fn wrap_in_mapping(layout: &Layout<'_>, path: &FieldPath, key: &str) -> Result<Change, Problem> {
    let place = entry_at(layout, path)?;
    refuse_aliased_or_tagged(layout, place.value)?;
    match layout.kind(place.value) {
        Kind::Mapping | Kind::Sequence => wrap_lines(layout, &place, key),
        Kind::FlowMapping | Kind::FlowSequence => Ok(wrap_in_braces(layout, &place, key)),
        _ => Err(wrong_shape(layout.span(place.value).start, "only a mapping or list can be nested under a new key")),
    }
}

fn wrap_lines(layout: &Layout<'_>, place: &Entry, key: &str) -> Result<Change, Problem> {
    let block = Block::of(layout, place)?;
    let style = BlockEmitter::near(layout, place.container);
    let outer = block.outer + style.step;
    let column = outer + if layout.kind(place.value) == Kind::Sequence { style.list_indent } else { style.step };
    let line_ending = layout.line_ending(place.opened);
    let lines = layout.shifted(block.lines, column as isize - block.column as isize);
    let mut change = Change::default();
    change.replace(block.lines, format!("{:outer$}{}:{line_ending}{lines}", "", scalar(key, Context::Block)));
    Ok(change)
}

fn wrap_in_braces(layout: &Layout<'_>, place: &Entry, key: &str) -> Change {
    let span = layout.span(place.value);
    let inside = Context::inside(layout, place.value);
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
        Kind::Mapping if layout.kind(inner.value).is_flow_collection() => unwrap_to_key_line(layout, &place, &inner),
        _ => Err(wrong_shape(place.start, "only a mapping or list can replace the mapping around it")),
    }
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
    let mut change = Change::default();
    change.replace(block.lines, format!("{above}{behind}{below}{tail}"));
    Ok(change)
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
    let mut change = Change::default();
    change.replace(Span::new(place.opened, block.lines.end), format!(" {rest}{below}"));
    Ok(change)
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
