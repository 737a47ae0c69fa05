//! Answers: which bytes change when a value becomes a list of one, and back?
//!
//! Block style gets a dash in front and is indented as the document indents its lists; in flow style, and for
//! `{...}` and `[...]` anywhere, brackets are put around it. Unwrapping undoes either.
//!
//! Invariant: every comment stays.

use super::super::change::Change;
use super::super::emit::BlockEmitter;
use super::super::layout::{Entry, Layout};
use super::super::problem::{Problem, ProblemCode};
use super::super::tree::{Kind, NodeId, skip_trivia};
use super::refuse::{entry_at, refuse_referenced, wrong_shape};
use crate::syntax::field::FieldPath;
use crate::syntax::text::Span;

pub(super) fn wrap_in_list(layout: &Layout<'_>, path: &FieldPath) -> Result<Change, Problem> {
    let entry = entry_at(layout, path)?;
    refuse_referenced(layout, entry.value)?;
    let kind = layout.kind(entry.value);
    if layout.kind(entry.container).is_flow_collection() {
        return Ok(wrap_in_brackets(layout, &entry));
    }
    match kind {
        Kind::Mapping | Kind::Sequence => Ok(wrap_lines(layout, &entry)),
        Kind::FlowMapping | Kind::FlowSequence | Kind::Pair | Kind::Alias => Ok(wrap_in_brackets(layout, &entry)),
        Kind::Empty => Ok(wrap_nothing(layout, &entry)),
        Kind::Plain | Kind::Single | Kind::Double | Kind::Literal | Kind::Folded => Ok(wrap_scalar(layout, &entry)),
    }
}

fn wrap_in_brackets(layout: &Layout<'_>, entry: &Entry) -> Change {
    let mut change = Change::default();
    let start = layout.tree.start(entry.value);
    if layout.kind(entry.value) == Kind::Empty {
        let colon = if entry.key.is_some_and(|key| layout.span(key).end == entry.opened) { ":" } else { "" };
        change.insert(entry.end, format!("{colon} [null]"));
        return change;
    }
    let is_long = !layout.is_same_line(start, entry.end) && layout.is_first_on_line(entry.start);
    let [open, close] = match layout.json_indent(entry.value).filter(|_| is_long && !layout.has_compact_items()) {
        None => {
            let blanks = layout.line_style().list;
            [format!("[{blanks}"), format!("{blanks}]")]
        }
        Some(step) => {
            let line = format!("{}{}", layout.line_ending(start), layout.indentation(entry.start));
            change.indent_lines(layout, Span::new(layout.line_end(start), entry.end), step);
            [format!("[{line}{step}"), format!("{line}]")]
        }
    };
    change.insert(start, open);
    change.insert(entry.end, close);
    change
}

/// Returns the column of new dashes below an entry.
fn dash_column(layout: &Layout<'_>, entry: &Entry) -> usize {
    let style = BlockEmitter::near(layout, entry.value);
    layout.column(entry.start) + if entry.key.is_some() { style.list_indent } else { 2 }
}

/// Puts a dash in front of lines: `key:` and `  a: 1` become `key:` and `- a: 1`.
fn wrap_lines(layout: &Layout<'_>, entry: &Entry) -> Change {
    let first = layout.tree.start(entry.value);
    let column = layout.column(layout.span(entry.value).start);
    let end = layout.own_end(layout.column(entry.start), entry.end);
    let below = layout.line_end(first);
    let rest = Span::new(first, below).of(layout.text);
    let mut change = Change::default();
    if !layout.is_first_on_line(first) && entry.key.is_none() {
        let below = layout.shifted(Span::new(below, end), 2);
        change.replace(Span::new(first, end), format!("- {rest}{below}"));
        return change;
    }
    let (dash, width) = (dash_column(layout, entry), layout.dash_width());
    let below = layout.shifted(Span::new(below, end), (dash + width) as isize - column as isize);
    if !layout.is_first_on_line(first) {
        // The anchor or tag after the colon moves with the lines.
        let line_ending = layout.line_ending(first);
        change.replace(Span::new(entry.opened, end), format!("{line_ending}{:dash$}{:width$}{rest}{below}", "", "-"));
        return change;
    }
    let first_line = layout.line_start(first);
    let comments = Span::new(layout.own_start(first), first_line);
    change.replace(comments, layout.shifted(comments, dash as isize - layout.column(first) as isize));
    change.replace(Span::new(first_line, end), format!("{:dash$}{:width$}{rest}{below}", "", "-"));
    change
}

/// Puts a scalar after a dash on a line of its own, with the comment after it.
fn wrap_scalar(layout: &Layout<'_>, entry: &Entry) -> Change {
    let start = layout.tree.start(entry.value);
    let end = layout.line_end(entry.end);
    let first_line_end = layout.line_end(start).min(end);
    let rest = Span::new(start, first_line_end).of(layout.text);
    if entry.key.is_none() {
        let below = layout.shifted(Span::new(first_line_end, end), 2);
        return Change::replacing(Span::new(start, end), format!("- {rest}{below}"));
    }
    let dash = dash_column(layout, entry);
    let below = layout.shifted(Span::new(first_line_end, end), dash as isize - layout.column(entry.start) as isize);
    if layout.is_first_on_line(start) {
        Change::replacing(Span::new(layout.line_start(start), end), format!("{:dash$}- {rest}{below}", ""))
    } else {
        let line_ending = layout.line_ending(start);
        let gap = gap_before(layout, entry.opened, start);
        Change::replacing(Span::new(entry.opened, end), format!("{line_ending}{:dash$}-{gap}{rest}{below}", ""))
    }
}

/// Returns the spaces between a colon or dash and what is after it on its line.
fn gap_before<'t>(layout: &Layout<'t>, opened: usize, start: usize) -> &'t str {
    let gap = &layout.text[opened..start];
    if gap.bytes().all(|byte| byte == b' ') { gap } else { " " }
}

/// Wraps null in a list: `key:` and a line with a dash.
fn wrap_nothing(layout: &Layout<'_>, entry: &Entry) -> Change {
    if entry.key.is_none() {
        return Change::inserting(entry.opened, " -");
    }
    let dash = dash_column(layout, entry);
    let line_ending = layout.line_ending(entry.opened);
    let item = Span::new(entry.opened, entry.end).of(layout.text);
    if item.trim().is_empty() {
        Change::inserting(layout.line_end(entry.end), format!("{:dash$}-{line_ending}", ""))
    } else {
        // An anchor or tag moves with its null.
        let end = layout.line_end(entry.end);
        let rest = Span::new(entry.opened, end).of(layout.text);
        Change::replacing(Span::new(entry.opened, end), format!("{line_ending}{:dash$}-{rest}", ""))
    }
}

pub(super) fn unwrap_list(layout: &Layout<'_>, path: &FieldPath) -> Result<Change, Problem> {
    let entry = entry_at(layout, path)?;
    let list = entry.value;
    refuse_referenced(layout, list)?;
    if layout.kind(list) == Kind::Alias {
        let message = "the list is an alias; replace it by a copy of the list first";
        return Err(Problem::new(ProblemCode::ThroughAlias, layout.span(list).start, message));
    }
    if !layout.kind(list).is_sequence() || layout.count(list) != 1 {
        let message = format!("`{path}` must have exactly one item");
        return Err(Problem::new(ProblemCode::NotSingle, layout.tree.start(list), message));
    }
    if layout.tree.properties_of(list).is_some() {
        return Err(wrong_shape(
            layout.tree.start(list),
            "a list with an anchor or tag cannot be unwrapped; remove the anchor or tag first",
        ));
    }
    let item = layout.entry(list, 0);
    let end = layout.own_end(layout.column(entry.start), item.end);
    let comments_below = end > layout.line_end(item.end);
    if layout.kind(item.value).is_block_scalar() && comments_below {
        return Err(wrong_shape(
            item.start,
            "the comments below would become part of the block scalar; move them first",
        ));
    }
    match layout.kind(list) {
        Kind::FlowSequence => unwrap_brackets(layout, list, &item),
        _ if entry.key.is_none() || !layout.is_first_on_line(item.start) => {
            Ok(unwrap_dash_after_dash(layout, &entry, &item))
        }
        _ => Ok(unwrap_dash(layout, &entry, &item)),
    }
}

fn unwrap_brackets(layout: &Layout<'_>, list: NodeId, item: &Entry) -> Result<Change, Problem> {
    let span = layout.span(list);
    let before = Span::new(span.start, layout.tree.start(item.value));
    let after = Span::new(item.end, span.end);
    if [before, after].into_iter().any(|span| !layout.tree.comments_in(span).is_empty()) {
        let message = "there are comments between the brackets; move them first";
        return Err(Problem::new(ProblemCode::FlowMove, span.start, message));
    }
    let [open, close] = if layout.kind(item.value) == Kind::Pair { ["{", "}"] } else { ["", ""] };
    let mut change = Change::default();
    change.replace(before, open);
    let first_line = layout.line_end(before.end).min(item.end);
    let below = Span::new(first_line, item.end);
    let own_line = layout.is_first_on_line(before.end) && !layout.is_same_line(span.start, before.end);
    let outer = layout.entry_of(list).filter(|_| own_line && !below.is_empty());
    let moved =
        outer.map(|outer| layout.reindented(below, layout.indentation(before.end), layout.indentation(outer.start)));
    match moved {
        Some(lines) => change.replace(Span::new(below.start, after.end), format!("{lines}{close}")),
        None => change.replace(after, close),
    }
    Ok(change)
}

/// Removes the inner of two dashes: `- - a` becomes `- a`.
fn unwrap_dash_after_dash(layout: &Layout<'_>, entry: &Entry, item: &Entry) -> Change {
    let content = skip_trivia(layout.text, item.opened);
    if !layout.is_same_line(item.opened, content) {
        let own_line = layout.is_first_on_line(item.start);
        let start = if own_line { item.start } else { entry.opened };
        return Change::replacing(Span::new(start, item.opened), if own_line { " " } else { "" });
    }
    let end = match layout.kind(item.value).is_block_collection() {
        true => layout.own_end(layout.column(entry.start), item.end),
        false => layout.line_end(item.end),
    };
    let by = layout.column(content) - layout.column(item.start);
    let below = layout.line_end(content);
    let rest = Span::new(content, below).of(layout.text);
    let below = layout.shifted(Span::new(below, end), -(by as isize));
    Change::replacing(Span::new(item.start, end), format!("{rest}{below}"))
}

/// Removes the dash of a list below a key.
fn unwrap_dash(layout: &Layout<'_>, entry: &Entry, item: &Entry) -> Change {
    let content = layout.tree.start(item.value);
    let is_lines = layout.kind(item.value).is_block_collection();
    if layout.kind(item.value) == Kind::Empty && content == item.opened {
        return unwrap_nothing(layout, item);
    }
    if !is_lines && is_key_line_free(layout, entry, item) && layout.is_same_line(item.opened, content) {
        return unwrap_to_key_line(layout, entry, item, content);
    }
    unwrap_to_lines(layout, entry, item, content)
}

/// Returns whether nothing is after the key of an entry or between it and its first item.
fn is_key_line_free(layout: &Layout<'_>, entry: &Entry, item: &Entry) -> bool {
    layout.text[entry.opened..item.start].trim().is_empty()
        && layout.line_end(entry.opened) == layout.line_start(item.start)
}

fn unwrap_nothing(layout: &Layout<'_>, item: &Entry) -> Change {
    let line = Span::new(layout.line_start(item.start), layout.line_end(item.start));
    if line.of(layout.text).trim() == "-" && layout.is_first_on_line(item.start) {
        Change::replacing(line, "")
    } else {
        Change::replacing(Span::new(item.start, item.opened), " ")
    }
}

/// Moves a scalar or `{...}` to the line of its key: `key:` and `- a` become `key: a`.
fn unwrap_to_key_line(layout: &Layout<'_>, entry: &Entry, item: &Entry, content: usize) -> Change {
    let end = layout.line_end(item.end);
    let first_line_end = layout.line_end(content);
    let by = layout.column(entry.start) as isize - layout.column(item.start) as isize;
    let rest = Span::new(content, first_line_end).of(layout.text);
    let below = layout.shifted(Span::new(first_line_end, end), by);
    let gap = gap_before(layout, item.opened, content);
    Change::replacing(Span::new(entry.opened, end), format!("{gap}{rest}{below}"))
}

/// Keeps the item on its lines, in the column of values below the key.
fn unwrap_to_lines(layout: &Layout<'_>, entry: &Entry, item: &Entry, content: usize) -> Change {
    let mut change = Change::default();
    let style = BlockEmitter::near(layout, entry.container);
    let indent = if layout.kind(item.value) == Kind::Sequence { style.list_indent } else { style.step };
    let column = layout.column(entry.start) + indent;
    let end = layout.own_end(layout.column(entry.start), item.end);
    let first_line = layout.line_start(item.start);
    let comments = Span::new(layout.own_start(item.start), first_line);
    change.replace(comments, layout.shifted(comments, column as isize - layout.column(item.start) as isize));
    let value = layout.span(item.value).start;
    let has_lines_below = layout.kind(item.value).is_block_collection() && !layout.is_same_line(content, value);
    // The lines of a scalar are relative to the column of its parent: the dash before, the key now.
    let by = match layout.kind(item.value).is_block_collection() {
        true => column as isize - layout.column(if has_lines_below { value } else { content }) as isize,
        false => layout.column(entry.start) as isize - layout.column(item.start) as isize,
    };
    let below = layout.line_end(item.start);
    let after_dash = Span::new(item.opened, below).of(layout.text);
    let first = match after_dash.trim() {
        "" => String::new(),
        properties if has_lines_below && is_key_line_free(layout, entry, item) && content < below => {
            // The anchor or tag moves to where a value below its key has it.
            change.insert(entry.opened, format!(" {properties}"));
            String::new()
        }
        _ => format!("{:column$}{}", "", after_dash.trim_start_matches([' ', '\t'])),
    };
    change.replace(Span::new(first_line, end), first + &layout.shifted(Span::new(below, end), by));
    change
}
