//! Answers: which bytes are added when an entry or item is inserted?
//!
//! New lines have the column of the siblings and follow the lines of the sibling. An empty `{}` or `[]` and a null become
//! block style; in a flow collection the new entry gets a line of its own if its siblings have one.
//!
//! Invariant: no comment is removed.

use serde_json::{Map, Value};

use super::super::change::Change;
use super::super::emit::{BlockEmitter, Context, FlowEmitter, Rendered};
use super::super::layout::{Entry, Layout};
use super::super::naming::Place;
use super::super::problem::{Problem, ProblemCode};
use super::super::tree::{Kind, NodeId, skip_trivia};
use super::super::value::read_value;
use super::delete::own_lines;
use super::refuse::{container_at, refuse_existing, wrong_shape};
use super::replace::{PositionKind, ValuePosition, replace_value_in_flow};
use crate::syntax::field::FieldPath;
use crate::syntax::text::Span;

pub(super) fn insert(
    layout: &Layout<'_>,
    path: &FieldPath,
    key: &str,
    value: &Value,
    place: &Place,
) -> Result<Change, Problem> {
    let mapping = mapping_at(layout, path)?;
    refuse_existing(layout, mapping, key)?;
    let sibling = sibling_of(layout, mapping, place)?;
    match Target::of(layout, mapping) {
        Target::Empty => {
            let filled = Value::Object(Map::from_iter([(key.to_owned(), value.clone())]));
            Ok(ValuePosition::of(layout, mapping)?.fill_value(layout, &filled))
        }
        Target::Lines => {
            let style = BlockEmitter::near(layout, mapping);
            let lines = style.entry(key, value, layout.column(layout.span(mapping).start));
            Ok(insert_lines(layout, mapping, sibling, &lines))
        }
        Target::Flow => {
            let text = FlowEmitter::of(layout, mapping).entry(key, value);
            Ok(insert_in_flow(layout, mapping, sibling, &FlowEntry::alone(text), ["{", "}"]))
        }
    }
}

pub(super) fn insert_item(
    layout: &Layout<'_>,
    path: &FieldPath,
    index: usize,
    value: &Value,
) -> Result<Change, Problem> {
    let list = container_at(layout, path)?;
    if !layout.kind(list).is_sequence() && !is_null(layout, list) {
        return Err(wrong_shape(layout.span(list).start, format!("`{path}` is not a list")));
    }
    let count = layout.count(list);
    if index > count {
        let message = format!("`{path}` has only {count} items");
        return Err(Problem::new(ProblemCode::NotFound, layout.span(list).start, message));
    }
    let sibling = if index == count { Sibling::After(count.saturating_sub(1)) } else { Sibling::Before(index) };
    match Target::of(layout, list) {
        Target::Empty => Ok(ValuePosition::of(layout, list)?.fill_value(layout, &Value::Array(vec![value.clone()]))),
        Target::Lines => {
            let style = BlockEmitter::near(layout, list);
            let lines = style.dashed(value, layout.column(layout.span(list).start));
            Ok(insert_lines(layout, list, sibling, &lines))
        }
        Target::Flow => {
            let text = FlowEmitter::of(layout, list).value(value);
            Ok(insert_in_flow(layout, list, sibling, &FlowEntry::alone(text), ["[", "]"]))
        }
    }
}

/// Finds a mapping to insert an entry into; null counts as one.
pub(super) fn mapping_at(layout: &Layout<'_>, path: &FieldPath) -> Result<NodeId, Problem> {
    let mapping = container_at(layout, path)?;
    match layout.kind(mapping) {
        Kind::Mapping | Kind::FlowMapping | Kind::Pair => Ok(mapping),
        _ if is_null(layout, mapping) => Ok(mapping),
        _ => Err(wrong_shape(layout.span(mapping).start, format!("`{path}` is not a mapping"))),
    }
}

fn is_null(layout: &Layout<'_>, node: NodeId) -> bool {
    layout.children(node).is_empty() && read_value(layout.tree, layout.text, node).is_ok_and(|value| value.is_null())
}

/// How new entries are inserted into a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// `{}`, `[]` or null that can become block style; comments between the brackets would have no place there.
    Empty,
    /// Block style.
    Lines,
    /// Flow style, or null in a flow collection.
    Flow,
}

impl Target {
    pub(super) fn of(layout: &Layout<'_>, container: NodeId) -> Self {
        let around = layout.parent(container);
        let has_comments = !layout.tree.comments_in(layout.span(container)).is_empty();
        if layout.kind(container).is_block_collection() {
            Self::Lines
        } else if layout.count(container) > 0
            || has_comments
            || around.is_some_and(|around| layout.kind(around).is_flow_collection())
        {
            Self::Flow
        } else {
            Self::Empty
        }
    }
}

/// The sibling that a new entry is inserted next to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sibling {
    Before(usize),
    After(usize),
}

/// Finds the sibling that a place names; not used for an empty collection.
pub(super) fn sibling_of(layout: &Layout<'_>, mapping: NodeId, place: &Place) -> Result<Sibling, Problem> {
    let position = |key: &String| match layout.entry_of_key(mapping, key) {
        Some(entry) => Ok(entry.index),
        None => {
            let at = layout.span(mapping).start;
            Err(Problem::new(ProblemCode::NotFound, at, format!("there is no key `{key}` to insert before or after")))
        }
    };
    Ok(match place {
        Place::First => Sibling::Before(0),
        Place::Last => Sibling::After(layout.count(mapping).saturating_sub(1)),
        Place::Before(key) => Sibling::Before(position(key)?),
        Place::After(key) => Sibling::After(position(key)?),
    })
}

/// Inserts whole lines, already in the right column, next to an entry of a block collection.
pub(super) fn insert_lines(layout: &Layout<'_>, container: NodeId, sibling: Sibling, lines: &str) -> Change {
    let mut change = Change::default();
    match sibling {
        Sibling::After(index) => {
            let entry = layout.entry(container, index);
            change.insert(layout.own_end(layout.column(entry.start), entry.end), lines);
        }
        Sibling::Before(index) => {
            let entry = layout.entry(container, index);
            let item = layout.entry_of(container).filter(|item| item.key.is_none() && index == 0);
            if let Some(item) = item.filter(|item| has_room_after_dash(layout, item, &entry)) {
                let gap = layout.column(entry.start) - layout.column(item.opened);
                let text = lines.trim_start_matches(' ').trim_end_matches(['\r', '\n']);
                change.replace(
                    Span::new(item.opened, layout.line_content_end(item.opened)),
                    format!("{:gap$}{text}", ""),
                );
            } else if let Some(comment) = layout.comment_after_dash(entry.start).filter(|_| item.is_some()) {
                // That is the comment of the first entry before it moved to the line of the dash.
                change.insert(comment, after_dash(lines, layout.column(entry.start)));
            } else if layout.is_first_on_line(entry.start) {
                change.insert(layout.own_start(entry.start), lines);
            } else {
                // The new entry follows the dash, and the old one gets a line of its own.
                let column = layout.column(entry.start);
                if starts_with_comment(lines) {
                    // After the dash, a comment of the entry would belong to the item, and would not move back with the entry.
                    let blanks = layout.text[..entry.start].trim_end_matches(' ').len();
                    let line_ending = layout.line_ending(entry.start);
                    change.replace(Span::new(blanks, entry.start), format!("{line_ending}{lines}{:column$}", ""));
                } else {
                    change.insert(entry.start, after_dash(lines, column));
                }
            }
        }
    }
    change
}

/// Returns `lines` as written after a dash, and the blanks up to `column` for what was there before.
fn after_dash(lines: &str, column: usize) -> String {
    format!("{}{:column$}", lines.trim_start_matches(' '), "")
}

/// Returns whether the dash of `item` is alone on its line, with something below that is not its first entry or a comment
/// of it: that is what remains when a first entry after the dash is removed.
fn has_room_after_dash(layout: &Layout<'_>, item: &Entry, first: &Entry) -> bool {
    layout.line_content_end(item.opened) == item.opened
        && layout.line_end(item.opened) < layout.own_start(first.start)
        && layout.column(item.start) < layout.column(first.start)
}

fn starts_with_comment(lines: &str) -> bool {
    lines.trim_start_matches(' ').starts_with('#')
}

/// Replaces an empty collection or null outside flow collections by lines; `lines` returns them for a column.
pub(super) fn fill_with_lines(
    layout: &Layout<'_>,
    container: NodeId,
    lines: impl FnOnce(usize) -> String,
) -> Result<Change, Problem> {
    let position = ValuePosition::of(layout, container)?;
    let step = BlockEmitter::near(layout, container).step;
    let rendered = match position.kind {
        PositionKind::Root => Rendered { head: String::new(), body: lines(0) },
        PositionKind::Value => Rendered { head: String::new(), body: lines(position.column + step) },
        PositionKind::Item if position.has_properties || position.has_comments_below(layout) => {
            let message = "an empty item with an anchor, a tag or comments below it cannot become block style";
            return Err(wrong_shape(layout.span(container).start, message));
        }
        PositionKind::Item => {
            let rendered = Rendered { head: String::new(), body: lines(position.item_column(layout)) };
            // A comment after the dash would belong to the item instead of the entry, and vice versa.
            let stays_below = starts_with_comment(&rendered.body) || position.has_comment_after(layout);
            if stays_below { rendered } else { rendered.on_dash_line() }
        }
    };
    Ok(position.fill(layout, rendered))
}

/// An entry or item for a flow collection, with the comments to insert if it gets a line of its own.
pub(super) struct FlowEntry<'t> {
    pub(super) text: String,
    /// The comments above it, from `#` on.
    pub(super) above: Vec<&'t str>,
    /// The comment after it, with the blanks before it.
    pub(super) after: &'t str,
}

impl FlowEntry<'_> {
    /// Makes one without comments.
    pub(super) fn alone(text: String) -> Self {
        Self { text, above: Vec::new(), after: "" }
    }

    /// Writes whole lines, with `comma` after the entry.
    fn lines(&self, indentation: &str, comma: &str, line_ending: &str) -> String {
        let above: String = self.above.iter().map(|comment| format!("{indentation}{comment}{line_ending}")).collect();
        format!("{above}{indentation}{}{comma}{}{line_ending}", self.text, self.after)
    }
}

/// Returns whether a new entry of a flow collection gets a line of its own next to `sibling`.
pub(super) fn gets_own_line(layout: &Layout<'_>, container: NodeId, sibling: Sibling) -> bool {
    if layout.count(container) == 0 || layout.kind(container) == Kind::Pair {
        return false;
    }
    match sibling {
        Sibling::Before(index) => {
            let entry = layout.entry(container, index);
            layout.is_first_on_line(entry.start) && entry.start > layout.span(container).start
        }
        Sibling::After(index) => own_lines(layout, &layout.entry(container, index)).is_some(),
    }
}

/// Inserts one entry or item into a flow collection; null in a flow collection becomes one. If it gets no line of its
/// own, its comments are left out.
pub(super) fn insert_in_flow(
    layout: &Layout<'_>,
    container: NodeId,
    sibling: Sibling,
    new: &FlowEntry<'_>,
    [open, close]: [&str; 2],
) -> Change {
    let mut change = Change::default();
    let span = layout.span(container);
    let null_in = layout.entry_of(container).filter(|_| !layout.kind(container).is_flow_collection());
    if let Some(entry) = null_in {
        let text = FlowEmitter::of(layout, container).only([open, close], &new.text);
        return replace_value_in_flow(layout, &entry, text);
    }
    if layout.kind(container) == Kind::Pair {
        // `[a: b]` has no braces around its one entry; with two there must be some.
        let entry = layout.entry(container, 0);
        let [before, after] = match sibling {
            Sibling::Before(_) => [format!("{open}{}, ", new.text), close.to_owned()],
            Sibling::After(_) => [open.to_owned(), format!(", {}{close}", new.text)],
        };
        change.insert(entry.start, before);
        change.insert(entry.end, after);
        return change;
    }
    if layout.count(container) == 0 {
        let inside = Span::new(span.start + 1, span.end - 1);
        if layout.tree.comments_in(inside).is_empty() {
            change.replace(span, FlowEmitter::of(layout, container).only([open, close], &new.text));
        } else {
            change.insert(inside.end, new.text.as_str());
        }
        return change;
    }
    match sibling {
        Sibling::Before(index) => insert_before(layout, container, index, new, &mut change),
        Sibling::After(index) => insert_after(layout, container, index, new, &mut change),
    }
    change
}

fn insert_before(layout: &Layout<'_>, container: NodeId, index: usize, new: &FlowEntry<'_>, change: &mut Change) {
    let entry = layout.entry(container, index);
    if gets_own_line(layout, container, Sibling::Before(index)) {
        let lines = new.lines(layout.indentation(entry.start), ",", layout.line_ending(entry.start));
        change.insert(layout.own_start(entry.start), lines);
    } else {
        change.insert(entry.start, format!("{},{}", new.text, gap_after_commas(layout, container)));
    }
}

/// Returns the space after the commas of a collection that is on one line.
pub(super) fn gap_after_commas<'t>(layout: &Layout<'t>, container: NodeId) -> &'t str {
    if layout.count(container) < 2 {
        return Context::inside(layout, container).gap();
    }
    let comma = skip_trivia(layout.text, layout.entry(container, 0).end);
    let next = layout.entry(container, 1).start;
    layout.text.get(comma + 1..next).filter(|gap| gap.bytes().all(|byte| byte == b' ')).unwrap_or(" ")
}

fn insert_after(layout: &Layout<'_>, container: NodeId, index: usize, new: &FlowEntry<'_>, change: &mut Change) {
    let entry = layout.entry(container, index);
    let comma = layout.comma_after(&entry);
    if gets_own_line(layout, container, Sibling::After(index)) {
        if comma.is_none() {
            change.insert(entry.end, ",");
        }
        let after = if comma.is_some() { "," } else { "" };
        let line = layout.line_end(comma.unwrap_or(entry.end));
        change.insert(line, new.lines(layout.indentation(entry.start), after, layout.line_ending(entry.end)));
        return;
    }
    let gap = gap_after_commas(layout, container);
    match comma {
        Some(_) if index + 1 < layout.count(container) => {
            change.insert(layout.entry(container, index + 1).start, format!("{},{gap}", new.text));
        }
        Some(_) | None => change.insert(entry.end, format!(",{gap}{}", new.text)),
    }
}
