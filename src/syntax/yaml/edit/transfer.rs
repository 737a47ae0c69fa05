//! Answers: which bytes change when the value of an entry becomes an item of a list, and back?
//!
//! Between block collections, the lines of the value move with their comments, behind a dash or a key; between flow collections its bytes.
//! Between a block and a flow collection, a value on one line keeps its quotes. Any other value is written anew.
//!
//! Invariant: a comment that has no place in the other style is named as removed.

use super::super::change::Change;
use super::super::emit::{BlockEmitter, Context, scalar};
use super::super::layout::{Entry, Layout};
use super::super::naming::Place;
use super::super::problem::Problem;
use super::super::tree::{Kind, NodeId};
use super::super::value::read_value;
use super::delete::{delete, remove_entry};
use super::insert::{
    FlowEntry, Sibling, Target, gets_own_line, insert, insert_in_flow, insert_item, insert_lines, mapping_at,
    sibling_of,
};
use super::refuse::{container_at, entry_at, keyed_entry_at, refuse_existing, refuse_merged_key, wrong_shape};
use super::relocate::{MovedComments, keep_comments, one_line_value, refuse_alias_before_anchor, shift_after_removal};
use crate::syntax::field::FieldPath;
use crate::syntax::text::Span;

pub(super) fn move_to_item(
    layout: &Layout<'_>,
    from: &FieldPath,
    list: &FieldPath,
    index: usize,
) -> Result<Change, Problem> {
    let (entry, key) = keyed_entry_at(layout, from)?;
    if list.starts_with(from) {
        return Err(wrong_shape(entry.start, format!("`{from}` cannot be moved into itself")));
    }
    refuse_merged_key(layout, entry.container, key)?;
    let target = container_at(layout, list)?;
    let count = layout.count(target);
    let fits = layout.kind(target).is_sequence() && (1..=count).contains(&index.max(1));
    let sibling = if index == count { Sibling::After(count.saturating_sub(1)) } else { Sibling::Before(index) };
    let how = Target::of(layout, target);
    if let Some(source) = Source::of(layout, &entry).filter(|_| fits && how == Target::Lines) {
        let column = layout.column(layout.span(target).start);
        let width = BlockEmitter::near(layout, target).dash_width;
        let lines = source.lines(layout, column, &format!("{:width$}", "-"));
        return joined(layout, &entry, [source.span], insert_lines(layout, target, sibling, &lines));
    }
    if let Some(text) = flow_text(layout, &entry, target).filter(|_| fits && how == Target::Flow) {
        return in_flow(layout, &entry, target, sibling, text, ["[", "]"]);
    }
    let value = read_value(layout.tree, layout.text, entry.value)?;
    let mut insertion = insert_item(layout, list, index, &value)?;
    let mut change = delete(layout, from)?;
    shift_after_removal(&change, &mut insertion);
    change.join(insertion);
    Ok(change)
}

pub(super) fn move_from_item(
    layout: &Layout<'_>,
    list: &FieldPath,
    from: &FieldPath,
    to: &FieldPath,
    key: &str,
    place: &Place,
) -> Result<Change, Problem> {
    let entry = entry_at(layout, from)?;
    if entry.key.is_some() {
        return Err(wrong_shape(entry.start, format!("`{from}` is not an item of a list")));
    }
    if to.starts_with(list) {
        return Err(wrong_shape(entry.start, format!("`{list}` cannot be moved into itself")));
    }
    let target = mapping_at(layout, to)?;
    refuse_existing(layout, target, key)?;
    let sibling = sibling_of(layout, target, place)?;
    let how = Target::of(layout, target);
    if let Some(source) = Source::of(layout, &entry).filter(|_| how == Target::Lines) {
        let column = layout.column(layout.span(target).start);
        let lines = source.lines(layout, column, &format!("{}: ", scalar(key, Context::Block)));
        return joined(layout, &entry, [source.span], insert_lines(layout, target, sibling, &lines));
    }
    if let Some(text) = flow_text(layout, &entry, target).filter(|_| how == Target::Flow) {
        let context = Context::inside(layout, target);
        let text = format!("{}:{}{text}", scalar(key, context), context.gap());
        return in_flow(layout, &entry, target, sibling, text, ["{", "}"]);
    }
    let value = read_value(layout.tree, layout.text, entry.value)?;
    let mut insertion = insert(layout, to, key, &value, place)?;
    let mut change = delete(layout, from)?;
    shift_after_removal(&change, &mut insertion);
    change.join(insertion);
    Ok(change)
}

/// Joins the removal of an entry and the insertion of its value; the comments in `moved` go along.
fn joined(
    layout: &Layout<'_>,
    entry: &Entry,
    moved: impl IntoIterator<Item = Span>,
    mut insertion: Change,
) -> Result<Change, Problem> {
    let mut change = remove_entry(layout, entry)?;
    shift_after_removal(&change, &mut insertion);
    refuse_alias_before_anchor(layout, entry, &insertion)?;
    moved.into_iter().for_each(|span| keep_comments(&mut change, layout, span));
    change.join(insertion);
    Ok(change)
}

/// Moves an entry, written as `text`, into a flow collection, with its comments where it gets a line of its own there.
fn in_flow(
    layout: &Layout<'_>,
    entry: &Entry,
    target: NodeId,
    sibling: Sibling,
    text: String,
    brackets: [&str; 2],
) -> Result<Change, Problem> {
    let keeps = gets_own_line(layout, target, sibling) && !Context::inside(layout, target).is_json();
    let comments = if keeps { MovedComments::of(layout, entry) } else { MovedComments::default() };
    let new = FlowEntry { text, above: comments.above, after: comments.after };
    let moved = comments.spans.into_iter().chain([Span::new(entry.start, entry.end)]);
    joined(layout, entry, moved, insert_in_flow(layout, target, sibling, &new, brackets))
}

/// The lines of a scalar or a flow collection that is on the line of its key or dash.
struct Source {
    /// With its comments.
    span: Span,
    /// The line of the key or dash, as far as it is in the span.
    line: usize,
    /// Its first byte.
    value: usize,
    column: usize,
}

impl Source {
    /// Returns the lines of an entry of a block collection, where they can follow another key or dash.
    fn of(layout: &Layout<'_>, entry: &Entry) -> Option<Self> {
        let kind = layout.kind(entry.value);
        let value = layout.tree.start(entry.value);
        let is_on_line = kind != Kind::Empty && !kind.is_block_collection() && layout.is_same_line(entry.start, value);
        let is_block = !layout.kind(entry.container).is_flow_collection();
        let column = layout.column(entry.start);
        let start = if layout.is_first_on_line(entry.start) { layout.own_start(entry.start) } else { entry.start };
        let span = Span::new(start, layout.own_end(column, entry.end));
        let line = layout.line_start(entry.start).max(start);
        let is_apart = !layout.ends_in_kept_lines(span);
        (is_on_line && is_block && is_apart).then_some(Self { span, line, value, column })
    }

    /// Returns the lines behind `opening`, which starts in `column`.
    fn lines(&self, layout: &Layout<'_>, column: usize, opening: &str) -> String {
        let by = column as isize - self.column as isize;
        let above = layout.shifted(Span::new(self.span.start, self.line), by);
        let first = Span::new(self.value, layout.line_end(self.value));
        let below = layout.shifted(Span::new(first.end, self.span.end), by);
        format!("{above}{:column$}{opening}{}{below}", "", first.of(layout.text))
    }
}

/// Returns the bytes of a value for a flow collection, where it is in one too or a scalar without anchor and tag.
fn flow_text(layout: &Layout<'_>, entry: &Entry, target: NodeId) -> Option<String> {
    let value = Span::new(layout.tree.start(entry.value), entry.end);
    let (kind, is_flow) = (layout.kind(entry.value), layout.kind(entry.container).is_flow_collection());
    if is_flow && !matches!(kind, Kind::Empty | Kind::Pair) && layout.is_same_line(value.start, value.end) {
        return Some(value.of(layout.text).to_owned());
    }
    let is_plain = matches!(kind, Kind::Plain | Kind::Single | Kind::Double);
    let is_bare = is_plain && layout.tree.properties_of(entry.value).is_none();
    one_line_value(layout, entry.value, Context::inside(layout, target)).ok().filter(|_| is_bare)
}
