//! Answers: which bytes are removed with an entry or item?
//!
//! Lines are removed with their comments. After a first entry on the line of a dash, or below it because of its comments, the next one
//! moves up. The last entry of a collection leaves `{}` or `[]`, since nothing at all would be null. In a flow collection one comma is
//! removed too.
//!
//! Of blank lines above and below, those of one side are removed with an entry, the fewer; so are those that would now be first or
//! last in their collection, and those that would become content of a `|+` above. Nothing that could be inserted again gets
//! another place by that: an entry is inserted directly after the one above or before the one below.
//!
//! Invariant: all other blank lines stay.

use super::super::change::Change;
use super::super::emit::Rendered;
use super::super::layout::{Entry, Layout};
use super::super::problem::Problem;
use super::super::tree::{Kind, skip_trivia};
use super::refuse::{entry_at, refuse_anchors_in_use, refuse_merged_key};
use super::replace::ValuePosition;
use crate::syntax::field::FieldPath;
use crate::syntax::text::Span;

pub(super) fn delete(layout: &Layout<'_>, path: &FieldPath) -> Result<Change, Problem> {
    let entry = entry_at(layout, path)?;
    refuse_anchors_in_use(layout, entry.value)?;
    if let Some(key) = entry.key {
        refuse_anchors_in_use(layout, key)?;
        refuse_merged_key(layout, entry.container, key)?;
    }
    remove_entry(layout, &entry)
}

/// Removes an entry or item from its collection.
pub(super) fn remove_entry(layout: &Layout<'_>, entry: &Entry) -> Result<Change, Problem> {
    if layout.kind(entry.container).is_flow_collection() {
        return Ok(remove_from_flow(layout, entry));
    }
    if layout.count(entry.container) == 1 {
        return remove_only_entry(layout, entry);
    }
    let mut change = Change::default();
    match lines_after_dash(layout, entry) {
        Some((lines, gap)) => change.remove_for(layout, lines, gap),
        None => change.remove(layout, block_span(layout, entry)),
    }
    Ok(change)
}

/// Returns what is removed with the first entry of an item that is below its dash only because of its comments, and the gap in front of
/// the next one, which moves up to the dash.
fn lines_after_dash(layout: &Layout<'_>, entry: &Entry) -> Option<(Span, String)> {
    let item = layout.entry_of(entry.container).filter(|item| item.key.is_none() && entry.index == 0)?;
    let next = layout.entry(entry.container, 1);
    let starts_in_own_line = |entry: &Entry| layout.own_start(entry.start) == layout.line_start(entry.start);
    let is_bare = layout.line_content_end(item.opened) == item.opened
        && layout.line_end(item.opened) == layout.own_start(entry.start);
    let is_below_own_comments = is_bare && layout.is_first_on_line(entry.start) && !starts_in_own_line(entry);
    let end = layout.own_end(layout.column(entry.start), entry.end);
    let moves_up = is_below_own_comments && starts_in_own_line(&next) && layout.line_start(next.start) == end;
    let gap = layout.column(next.start).checked_sub(layout.column(item.opened))?;
    moves_up.then(|| (Span::new(item.opened, next.start), " ".repeat(gap)))
}

/// Returns the lines of an entry with siblings, up to where the next entry follows a dash in front of it.
fn block_span(layout: &Layout<'_>, entry: &Entry) -> Span {
    let end = layout.own_end(layout.column(entry.start), entry.end);
    if layout.is_first_on_line(entry.start) {
        return with_blank_lines(layout, entry, Span::new(layout.own_start(entry.start), end));
    }
    let next = layout.entry(entry.container, entry.index + 1);
    let next_line = layout.own_start(next.start);
    if next_line == end {
        let indentation = layout.text[next_line..].bytes().take_while(|byte| *byte == b' ').count();
        Span::new(entry.start, next_line + indentation)
    } else {
        // Something that belongs to no entry is in between, so the dash stays alone on its line.
        let before = layout.text[..entry.start].trim_end_matches([' ', '\t']).len();
        Span::new(before, layout.text[..end].trim_end_matches(['\n', '\r']).len())
    }
}

/// Returns the lines of an entry with the blank lines that are removed with it.
fn with_blank_lines(layout: &Layout<'_>, entry: &Entry, lines: Span) -> Span {
    let above = Span::new(layout.blank_lines_start(lines.start), lines.end);
    let below = Span::new(lines.start, layout.blank_lines_end(lines.end));
    if layout.follows_kept_lines(lines.start) {
        return below;
    }
    let count = |blank: &str| blank.matches('\n').count();
    let before = count(&layout.text[above.start..lines.start]);
    let after = count(&layout.text[lines.end..below.end]);
    let is_last = entry.index + 1 == layout.count(entry.container);
    let is_first = entry.index == 0 && !is_last;
    // A comment that belongs to no entry stays separated from what is next to it.
    let is_at_end = lines.end == layout.text.len();
    let is_free = !layout.is_below_comment(above.start) && !layout.is_comment_line(lines.end);
    match (before, after) {
        (1.., 1..) if is_last || !is_first && before < after => above,
        (1.., 1..) => below,
        (1.., 0) if is_last && (is_free || is_at_end) => above,
        (0, 1..) if is_first && !layout.is_below_comment(lines.start) => below,
        _ => lines,
    }
}

/// Removes the only entry of a block collection, leaving `{}` or `[]`.
fn remove_only_entry(layout: &Layout<'_>, entry: &Entry) -> Result<Change, Problem> {
    let empty = if layout.kind(entry.container) == Kind::Mapping { "{}" } else { "[]" };
    let position = ValuePosition::of(layout, entry.container)?;
    if !layout.is_first_on_line(entry.start) {
        return Ok(position.fill(layout, Rendered { head: empty.to_owned(), body: String::new() }));
    }
    let end = layout.own_end(layout.column(entry.start), entry.end);
    let lines = Span::new(layout.own_start(entry.start), end);
    let mut change = Change::default();
    match position.opened_on_another_line(layout) {
        Some(opened) => {
            change.insert(opened, format!(" {empty}"));
            change.remove(layout, with_blank_lines(layout, entry, lines));
        }
        None => {
            let line_ending = layout.line_ending(entry.start);
            change.remove_for(layout, lines, format!("{empty}{line_ending}"));
        }
    }
    Ok(change)
}

fn remove_from_flow(layout: &Layout<'_>, entry: &Entry) -> Change {
    let mut change = Change::default();
    let container = layout.span(entry.container);
    let is_last = entry.index + 1 == layout.count(entry.container);
    let comma = layout.comma_after(entry);
    let lines = own_lines(layout, entry);
    if layout.kind(entry.container) == Kind::Pair {
        change.remove_for(layout, container, "{}");
    } else if layout.count(entry.container) == 1 {
        let inside = inside_of_brackets(layout, entry);
        let [all, own] = [inside, lines.unwrap_or(inside)].map(|span| layout.tree.comments_in(span).len());
        let is_bare = inside.start == container.start + 1;
        change.remove(layout, if all == own && is_bare { inside } else { lines.unwrap_or(inside) });
    } else if let Some(lines) = lines {
        if is_last && comma.is_none() {
            let before = layout.entry(entry.container, entry.index - 1).end;
            let comma = skip_trivia(layout.text, before);
            change.remove(layout, Span::new(comma, comma + 1));
        }
        change.remove(layout, lines);
    } else if is_last {
        let before = layout.entry(entry.container, entry.index - 1).end;
        let between = Span::new(before, entry.start);
        if layout.tree.comments_in(between).is_empty() {
            change.remove(layout, Span::new(before, entry.end));
        } else {
            let comma = skip_trivia(layout.text, before);
            change.remove(layout, Span::new(comma, comma + 1));
            change.remove(layout, Span::new(entry.start, entry.end));
        }
    } else {
        let next = layout.entry(entry.container, entry.index + 1).start;
        let behind = comma.map_or(entry.end, |comma| comma + 1);
        let same_line = layout.is_same_line(behind, next);
        let end = if same_line { next } else { layout.line_content_end(behind) };
        change.remove(layout, Span::new(entry.start, end));
    }
    change
}

/// Returns what is between the brackets around an only entry, except a comment on the line of the opening one.
fn inside_of_brackets(layout: &Layout<'_>, entry: &Entry) -> Span {
    let container = layout.span(entry.container);
    let line = Span::new(container.start, layout.line_end(container.start).min(entry.start));
    let start = match layout.tree.comments_in(line).is_empty() {
        true => container.start + 1,
        false => layout.own_start(entry.start).max(line.end) + layout.indentation(entry.start).len(),
    };
    Span::new(start, container.end - 1)
}

/// Returns the lines of a flow entry that are not shared with another entry or a bracket, with its comments.
pub(super) fn own_lines(layout: &Layout<'_>, entry: &Entry) -> Option<Span> {
    let end = layout.line_end(layout.comma_after(entry).unwrap_or(entry.end));
    let next = if entry.index + 1 < layout.count(entry.container) {
        layout.entry(entry.container, entry.index + 1).start
    } else {
        layout.span(entry.container).end - 1
    };
    let alone = layout.is_first_on_line(entry.start) && end <= next;
    alone.then(|| Span::new(layout.own_start(entry.start), end))
}
