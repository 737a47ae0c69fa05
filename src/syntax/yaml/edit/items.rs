//! Answers: which bytes change when a mapping becomes a list of named items, and back?
//!
//! In block style, every entry keeps its lines: its comments move above the dash, its value and the comment after it move as far as
//! its new key, and what is between two entries stays between the two items. In the other direction the comments next to a
//! name, which has no line of its own there, move above the entry. In flow style only what is around the values changes.
//!
//! Invariant: every comment and every byte of a value stays.

use std::collections::BTreeSet;

use super::super::change::Change;
use super::super::emit::{BlockEmitter, Context, scalar};
use super::super::layout::{Entry, Layout};
use super::super::naming::Naming;
use super::super::problem::{Problem, ProblemCode};
use super::super::scalar::scalar_text;
use super::super::tree::{Kind, NodeId};
use super::delete::own_lines;
use super::refuse::{entry_at, refuse_anchors_in_use, refuse_referenced, wrong_shape};
use crate::syntax::field::FieldPath;
use crate::syntax::text::Span;

/// Why a block collection cannot be converted.
const NO_LINES: &str = "the lines of this value do not start below a key of their own";

pub(super) fn mapping_to_list(layout: &Layout<'_>, path: &FieldPath, naming: &Naming) -> Result<Change, Problem> {
    let place = entry_at(layout, path)?;
    refuse_aliased_or_tagged(layout, place.value)?;
    let entries = entries(layout, place.value);
    for entry in &entries {
        refuse_key(layout, entry)?;
    }
    refuse_other_names(layout, &place, naming, entries.iter().filter_map(|entry| entry.key))?;
    match layout.kind(place.value) {
        Kind::Mapping => items_in_lines(layout, &place, &entries, naming),
        Kind::FlowMapping => Ok(items_in_brackets(layout, &place, &entries, naming)),
        _ => Err(wrong_shape(layout.span(place.value).start, format!("`{path}` is not a mapping"))),
    }
}

pub(super) fn list_to_mapping(layout: &Layout<'_>, path: &FieldPath, naming: &Naming) -> Result<Change, Problem> {
    let place = entry_at(layout, path)?;
    refuse_aliased_or_tagged(layout, place.value)?;
    let items = entries(layout, place.value).into_iter().map(|item| Item::of(layout, item, naming));
    let items = items.collect::<Result<Vec<_>, _>>()?;
    refuse_other_names(layout, &place, naming, items.iter().map(|item| item.name))?;
    match layout.kind(place.value) {
        Kind::Sequence => entries_in_lines(layout, &place, &items),
        Kind::FlowSequence => entries_in_brackets(layout, &place, &items),
        _ => Err(wrong_shape(layout.span(place.value).start, format!("`{path}` is not a list"))),
    }
}

/// Refuses names that differ from those of `naming`, or duplicates.
fn refuse_other_names(
    layout: &Layout<'_>,
    place: &Entry,
    naming: &Naming,
    found: impl Iterator<Item = NodeId>,
) -> Result<(), Problem> {
    let found: Vec<String> = found.map(|node| scalar_text(layout.tree, layout.text, node).into_owned()).collect();
    let distinct: BTreeSet<&String> = found.iter().collect();
    if found == naming.names && distinct.len() == found.len() && naming.key != naming.value {
        return Ok(());
    }
    Err(wrong_shape(place.start, "the names differ from those that were read, or one is a duplicate"))
}

/// Refuses a collection that an alias refers to, that is an alias, or that has an anchor or tag.
pub(super) fn refuse_aliased_or_tagged(layout: &Layout<'_>, node: NodeId) -> Result<(), Problem> {
    refuse_referenced(layout, node)?;
    if layout.kind(node) == Kind::Alias {
        let message = "the value is an alias; replace it by a copy of the value first";
        return Err(Problem::new(ProblemCode::ThroughAlias, layout.span(node).start, message));
    }
    if layout.tree.properties_of(node).is_some() {
        return Err(wrong_shape(
            layout.tree.start(node),
            "a value with an anchor or tag cannot be converted; remove the anchor or tag first",
        ));
    }
    Ok(())
}

fn entries(layout: &Layout<'_>, container: NodeId) -> Vec<Entry> {
    (0..layout.count(container)).map(|index| layout.entry(container, index)).collect()
}

/// Refuses a key that is not a scalar without properties, or has comments.
fn refuse_key(layout: &Layout<'_>, entry: &Entry) -> Result<(), Problem> {
    let Some(key) = entry.key else { return Ok(()) };
    if layout.tree.is_merge_key(layout.text, key) {
        let message = "a merge (`<<`) cannot become an item; replace it by a copy of the merged keys first";
        return Err(Problem::new(ProblemCode::ThroughMerge, layout.span(key).start, message));
    }
    if layout.tree.properties_of(key).is_some() || layout.kind(key) == Kind::Alias {
        return Err(wrong_shape(
            layout.tree.start(key),
            "a key with an anchor or tag, or that is an alias, cannot become a value",
        ));
    }
    if !layout.tree.comments_in(Span::new(entry.start, entry.opened)).is_empty() {
        return Err(wrong_shape(entry.start, "there are comments between the key and its colon; move them first"));
    }
    Ok(())
}

/// Writes a name in the same quotes, or in quotes if its new context requires them.
fn name_text(layout: &Layout<'_>, node: NodeId, context: Context) -> String {
    let raw = layout.span(node).of(layout.text);
    match layout.kind(node) {
        Kind::Double => raw.to_owned(),
        Kind::Single if !context.is_json() => raw.to_owned(),
        _ => scalar(&scalar_text(layout.tree, layout.text, node), context),
    }
}

/// The lines of a value below its key, and their columns.
pub(super) struct Block {
    /// The lines below that of the key's colon.
    pub(super) lines: Span,
    /// The column of the key.
    pub(super) outer: usize,
    /// The column the value starts in.
    pub(super) column: usize,
}

impl Block {
    pub(super) fn of(layout: &Layout<'_>, place: &Entry) -> Result<Self, Problem> {
        let first = layout.span(place.value).start;
        if place.key.is_none() || !layout.is_first_on_line(first) {
            return Err(wrong_shape(first, NO_LINES));
        }
        let outer = layout.column(place.start);
        let lines = Span::new(layout.line_end(place.opened), layout.own_end(outer, place.end));
        Ok(Self { lines, outer, column: layout.column(first) })
    }
}

fn items_in_lines(layout: &Layout<'_>, place: &Entry, entries: &[Entry], naming: &Naming) -> Result<Change, Problem> {
    let block = Block::of(layout, place)?;
    let style = BlockEmitter::near(layout, place.value);
    let dash = block.outer + style.list_indent;
    let [key, value] = [&naming.key, &naming.value].map(|word| scalar(word, Context::Block));
    let mut out = String::new();
    let mut done = block.lines.start;
    for entry in entries {
        let name = entry.key.map(|key| name_text(layout, key, Context::Block)).unwrap_or_default();
        let line_ending = layout.line_ending(entry.start);
        let first_line = layout.line_end(entry.opened);
        let end = layout.own_end(block.column, entry.end);
        let colon = layout.colon(entry);
        out.push_str(&layout.comments_moved(Span::new(done, layout.line_start(entry.start)), block.column, dash));
        out.push_str(&format!("{:dash$}{:inner$}{key}: {name}{line_ending}", "", "-", inner = style.dash_width));
        out.push_str(&format!("{:1$}{value}{colon}", "", dash + style.dash_width));
        out.push_str(Span::new(entry.opened, first_line).of(layout.text));
        let by = (dash + style.dash_width) as isize - block.column as isize;
        out.push_str(&layout.shifted(Span::new(first_line, end), by));
        done = end;
    }
    // Below a list that is not indented, a comment in the column of the dashes would belong to what follows.
    let tail = if style.list_indent > 0 { dash } else { dash + style.dash_width };
    out.push_str(&layout.comments_moved(Span::new(done, block.lines.end), block.column, tail));
    Ok(Change::replacing(block.lines, out))
}

/// Rewrites what is around the values; each item has the lines of its entry.
fn items_in_brackets(layout: &Layout<'_>, place: &Entry, entries: &[Entry], naming: &Naming) -> Change {
    let span = layout.span(place.value);
    let context = Context::inside(layout, place.value);
    let [key, value] = [&naming.key, &naming.value].map(|word| scalar(word, context));
    let gap = context.gap();
    let blanks = layout.line_style().mapping;
    let mut change = replace_brackets(layout, span, entries, Kind::FlowSequence);
    for entry in entries {
        let name = entry.key.map(|key| name_text(layout, key, context)).unwrap_or_default();
        let has_colon = entry.key.is_some_and(|key| layout.span(key).end < entry.opened);
        let is_tight = has_colon && layout.tree.start(entry.value) == entry.opened;
        let behind = match (has_colon, is_tight) {
            (false, _) => format!("{gap}null"),
            // Only after a quoted key may a value follow without a space.
            (true, true) if !context.is_json() => gap.to_owned(),
            (true, true | false) => String::new(),
        };
        let [open, comma, close] = match layout.json_indent(place.value).filter(|_| own_lines(layout, entry).is_some())
        {
            None => [format!("{{{blanks}"), format!(",{gap}"), format!("{blanks}}}")],
            Some(step) => {
                let line = format!("{}{}", layout.line_ending(entry.start), layout.indentation(entry.start));
                change.indent_lines(layout, Span::new(layout.line_end(entry.opened), entry.end), step);
                [format!("{{{line}{step}"), format!(",{line}{step}"), format!("{line}}}")]
            }
        };
        let before = Span::new(entry.start, entry.opened);
        change.replace(before, format!("{open}{key}:{gap}{name}{comma}{value}{}{behind}", layout.colon(entry)));
        change.insert(entry.end, close);
    }
    change
}

/// Replaces the brackets around entries or items, with the padding that the document has for such brackets.
fn replace_brackets(layout: &Layout<'_>, span: Span, entries: &[Entry], kind: Kind) -> Change {
    let padding = layout.line_style();
    let ([open, close], blanks) =
        if kind == Kind::FlowMapping { (["{", "}"], padding.mapping) } else { (["[", "]"], padding.list) };
    let is_blank = |span: &Span| span.of(layout.text).bytes().all(|byte| byte == b' ');
    let first = entries.first().map(|first| Span::new(span.start + 1, first.start)).filter(is_blank);
    let last = entries.last().map(|last| Span::new(last.end, span.end - 1)).filter(is_blank);
    let mut change = Change::default();
    match first {
        Some(first) => change.replace(Span::new(span.start, first.end), format!("{open}{blanks}")),
        None => change.replace(Span::new(span.start, span.start + 1), open),
    }
    match last {
        Some(last) => change.replace(Span::new(last.start, span.end), format!("{blanks}{close}")),
        None => change.replace(Span::new(span.end - 1, span.end), close),
    }
    change
}

/// A named item: a mapping of two entries.
struct Item {
    entry: Entry,
    /// The node of its name.
    name: NodeId,
    /// The entry of its value.
    value: Entry,
}

impl Item {
    fn of(layout: &Layout<'_>, entry: Entry, naming: &Naming) -> Result<Self, Problem> {
        let item = entry.value;
        refuse_aliased_or_tagged(layout, item)?;
        let [name, value] =
            [&naming.key, &naming.value].map(|key| layout.entry_of_key(item, key).filter(|_| layout.count(item) == 2));
        let (Some(name), Some(value)) = (name, value) else {
            return Err(wrong_shape(entry.start, "an item must have exactly a name and a value"));
        };
        for node in [name.key, value.key, Some(name.value)].into_iter().flatten() {
            refuse_anchors_in_use(layout, node)?;
            if layout.kind(node) == Kind::Alias {
                let message = "a name is an alias; replace it by a copy of the value first";
                return Err(Problem::new(ProblemCode::ThroughAlias, layout.span(node).start, message));
            }
        }
        Ok(Self { entry, name: name.value, value })
    }
}

fn entries_in_lines(layout: &Layout<'_>, place: &Entry, items: &[Item]) -> Result<Change, Problem> {
    let block = Block::of(layout, place)?;
    let column = block.outer + BlockEmitter::near(layout, place.container).step;
    let mut out = String::new();
    let mut done = block.lines.start;
    for item in items {
        let first = layout.line_start(item.entry.start);
        out.push_str(&layout.comments_moved(Span::new(done, first), block.column, column));
        done = layout.own_end(block.column, item.entry.end);
        out.push_str(&entry_lines(layout, item, done, column)?);
    }
    out.push_str(&layout.comments_moved(Span::new(done, block.lines.end), block.column, column));
    Ok(Change::replacing(block.lines, out))
}

/// Writes the lines of an item, up to `end`, as those of an entry in `column`.
fn entry_lines(layout: &Layout<'_>, item: &Item, end: usize, column: usize) -> Result<String, Problem> {
    let name = name_text(layout, item.name, Context::Block);
    let Item { entry, value, .. } = item;
    if layout.kind(entry.value) != Kind::Mapping {
        let bare = bare_value(layout, item)?;
        let behind = Span::new(layout.span(entry.value).end, layout.line_end(entry.end)).of(layout.text);
        let below = Span::new(layout.line_end(entry.end), end);
        let below = layout.shifted(below, column as isize - layout.column(entry.start) as isize);
        let gap = if bare.is_empty() { "" } else { " " };
        return Ok(format!("{:column$}{name}:{gap}{bare}{behind}{below}", ""));
    }
    let inner = layout.column(value.start);
    let is_last = value.index + 1 == layout.count(entry.value);
    let value_end = if is_last { end } else { layout.own_end(inner, value.end) };
    let first_line = layout.line_end(value.opened);
    let line_ending = layout.line_ending(entry.start);
    let around = [Span::new(entry.start, value.opened), Span::new(value_end, end)];
    let comments = around.iter().flat_map(|span| layout.tree.comments_in(*span));
    let above: String =
        comments.map(|comment| format!("{:column$}{}{line_ending}", "", comment.of(layout.text))).collect();
    let rest = Span::new(value.opened, first_line).of(layout.text);
    let below = layout.shifted(Span::new(first_line, value_end), column as isize - inner as isize);
    Ok(format!("{above}{:column$}{name}{}{rest}{below}", "", layout.colon(value)))
}

/// Returns the bytes of the value of an item in flow style, if they are valid outside of it.
fn bare_value<'t>(layout: &Layout<'t>, item: &Item) -> Result<&'t str, Problem> {
    let all = layout.span(item.entry.value);
    let bytes = Span::new(layout.tree.start(item.value.value), item.value.end.max(layout.tree.start(item.value.value)));
    let [before, after] = [Span::new(all.start, bytes.start), Span::new(bytes.end, all.end)];
    if [before, after].into_iter().any(|span| !layout.tree.comments_in(span).is_empty()) {
        let message = "there are comments between the brackets; move them first";
        return Err(Problem::new(ProblemCode::FlowMove, all.start, message));
    }
    if layout.kind(item.entry.container) == Kind::Sequence && !layout.is_same_line(bytes.start, bytes.end) {
        let message = "the item in flow style cannot become one line because its value has several";
        return Err(Problem::new(ProblemCode::FlowMove, all.start, message));
    }
    Ok(bytes.of(layout.text))
}

fn entries_in_brackets(layout: &Layout<'_>, place: &Entry, items: &[Item]) -> Result<Change, Problem> {
    let span = layout.span(place.value);
    let entries: Vec<Entry> = items.iter().map(|item| item.entry).collect();
    let mut change = replace_brackets(layout, span, &entries, Kind::FlowMapping);
    for item in items {
        let name = name_text(layout, item.name, Context::inside(layout, item.entry.value));
        let all = layout.span(item.entry.value);
        let start = layout.tree.start(item.value.value);
        let value = match bare_value(layout, item)? {
            "" => " null",
            _ => "",
        };
        let gap = match Span::new(item.value.opened, start).of(layout.text) {
            blanks if blanks.bytes().all(|byte| byte == b' ') => blanks,
            _ => " ",
        };
        change.replace(Span::new(all.start, start), format!("{name}{}{gap}{value}", layout.colon(&item.value)));
        let end = item.value.end.max(start);
        if layout.is_first_on_line(item.value.start) {
            let [from, to] = [item.value.start, item.entry.start].map(|at| layout.indentation(at));
            let below = Span::new(layout.line_end(start).min(end), end);
            change.replace(Span::new(below.start, all.end), layout.reindented(below, from, to));
        } else {
            change.replace(Span::new(end, all.end), "");
        }
    }
    Ok(change)
}
