//! Answers: which bytes change when an entry moves into another mapping?
//!
//! The lines of the entry, with its comments, are removed and inserted at the new place, all shifted by the same
//! number of columns. In flow style the bytes of key and value move. An entry that is already in place only
//! gets its new key.
//!
//! Invariant: every byte of the value is kept; if that is impossible, the move is refused.

use super::super::change::Change;
use super::super::emit::{Context, FlowEmitter, one_line};
use super::super::layout::{Entry, Layout};
use super::super::naming::Place;
use super::super::problem::{Problem, ProblemCode};
use super::super::scalar::scalar_text;
use super::super::tree::{Kind, NodeId};
use super::super::value::read_value;
use super::delete::{own_lines, remove_entry};
use super::insert::{
    FlowEntry, Sibling, Target, fill_with_lines, gets_own_line, insert_in_flow, insert_lines, mapping_at, sibling_of,
};
use super::mapping::{key_text, rename};
use super::refuse::{keyed_entry_at, refuse_existing, refuse_merged_key, wrong_shape};
use crate::syntax::field::FieldPath;
use crate::syntax::text::Span;

pub(super) fn relocate(
    layout: &Layout<'_>,
    from: &FieldPath,
    to: &FieldPath,
    key: &str,
    place: &Place,
) -> Result<Change, Problem> {
    let (entry, old_key) = keyed_entry_at(layout, from)?;
    if to.starts_with(from) {
        return Err(wrong_shape(entry.start, format!("`{from}` cannot be moved into itself")));
    }
    refuse_merged_key(layout, entry.container, old_key)?;
    let target = mapping_at(layout, to)?;
    let keeps_its_key = target == entry.container && scalar_text(layout.tree, layout.text, old_key) == key;
    if !keeps_its_key {
        refuse_existing(layout, target, key)?;
    }
    let sibling = sibling_of(layout, target, place)?;
    if target == entry.container {
        refuse_own_sibling(&entry, place, sibling)?;
        if is_in_place(&entry, sibling) {
            return if keeps_its_key { Ok(Change::default()) } else { rename(layout, from, key) };
        }
    }
    let mut change = remove_entry(layout, &entry)?;
    let destination = Destination { mapping: target, key, sibling, place };
    let Insertion { change: mut insertion, moved } = insert_moved(layout, &entry, old_key, &destination)?;
    shift_after_removal(&change, &mut insertion);
    refuse_alias_before_anchor(layout, &entry, &insertion)?;
    for span in moved {
        keep_comments(&mut change, layout, span);
    }
    change.join(insertion);
    match change.removed_comments.is_empty() {
        true => Ok(change),
        false => Err(flow_move(entry.start, "its comments would be lost")),
    }
}

fn flow_move(at: usize, reason: &str) -> Problem {
    Problem::new(
        ProblemCode::FlowMove,
        at,
        format!("the entry cannot be moved between flow style and block style: {reason}"),
    )
}

/// Refuses a place that names the moved entry itself.
fn refuse_own_sibling(entry: &Entry, place: &Place, sibling: Sibling) -> Result<(), Problem> {
    let named = matches!(place, Place::Before(_) | Place::After(_));
    match sibling {
        Sibling::Before(index) | Sibling::After(index) if named && index == entry.index => {
            Err(Problem::new(ProblemCode::NotFound, entry.start, "an entry cannot be moved before or after itself"))
        }
        Sibling::Before(_) | Sibling::After(_) => Ok(()),
    }
}

/// Returns whether an entry is already at its new place.
fn is_in_place(entry: &Entry, sibling: Sibling) -> bool {
    match sibling {
        Sibling::Before(index) => index == entry.index || index == entry.index + 1,
        Sibling::After(index) => index == entry.index || index + 1 == entry.index,
    }
}

/// Moves insertions inside a removal, which can include blank lines, to the end of the removal.
pub(super) fn shift_after_removal(cut: &Change, insertion: &mut Change) {
    for edit in insertion.edits.iter_mut().filter(|edit| edit.span.is_empty()) {
        let at = edit.span.start;
        if let Some(around) = cut.edits.iter().map(|cut| cut.span).find(|cut| cut.start < at && at < cut.end) {
            edit.span = Span::new(around.end, around.end);
        }
    }
}

/// Where an entry moves to.
struct Destination<'p> {
    mapping: NodeId,
    key: &'p str,
    sibling: Sibling,
    place: &'p Place,
}

impl Destination<'_> {
    /// Returns where lines are inserted that become the first of an item below the comment after its dash, which stays the item's.
    /// Before a named key, the comment is that key's and stays above it.
    fn below_comment_after_dash(&self, layout: &Layout<'_>) -> Option<usize> {
        let is_first = *self.place == Place::First && Target::of(layout, self.mapping) == Target::Lines;
        let first = is_first.then(|| layout.entry(self.mapping, 0))?;
        layout.comment_after_dash(first.start).map(|_| layout.own_start(first.start))
    }
}

/// What is inserted at the new place.
struct Insertion {
    change: Change,
    /// Where the comments are in the text that move along.
    moved: Vec<Span>,
}

fn insert_moved(
    layout: &Layout<'_>,
    entry: &Entry,
    old_key: NodeId,
    destination: &Destination<'_>,
) -> Result<Insertion, Problem> {
    let Destination { mapping: target, key, sibling, .. } = *destination;
    if Target::of(layout, target) == Target::Flow {
        return insert_moved_in_flow(layout, entry, old_key, target, key, sibling);
    }
    if layout.kind(entry.container) != Kind::Mapping {
        let source = FlowSource::of(layout, entry, old_key, key)?;
        let mut is_underindented = false;
        let change = insert_moved_lines(layout, destination, |column| {
            let text = source.in_column(layout, column);
            is_underindented = has_underindented_lines(&text, column);
            text
        })?;
        if is_underindented {
            return Err(flow_move(entry.start, "the lines of its value are not indented"));
        }
        let moved = source.comments.spans.into_iter().chain([Span::new(entry.start, entry.end)]).collect();
        return Ok(Insertion { change, moved });
    }
    let lines = BlockSource::of(layout, entry, old_key, key);
    let mut change = insert_moved_lines(layout, destination, |column| lines.in_column(layout, column))?;
    if layout.ends_in_kept_lines(lines.span) {
        shift_after_blank_lines(layout, target, &mut change)?;
    }
    Ok(Insertion { change, moved: vec![Span::new(layout.own_start(entry.start), lines.span.end)] })
}

/// Inserts the lines that `lines` returns for a column into a block collection, or one that becomes one.
fn insert_moved_lines(
    layout: &Layout<'_>,
    destination: &Destination<'_>,
    lines: impl FnOnce(usize) -> String,
) -> Result<Change, Problem> {
    let Destination { mapping, sibling, .. } = *destination;
    if Target::of(layout, mapping) == Target::Empty {
        return fill_with_lines(layout, mapping, lines);
    }
    let lines = lines(layout.column(layout.span(mapping).start));
    Ok(match destination.below_comment_after_dash(layout) {
        Some(at) => Change::inserting(at, lines),
        None => insert_lines(layout, mapping, sibling, &lines),
    })
}

fn insert_moved_in_flow(
    layout: &Layout<'_>,
    entry: &Entry,
    old_key: NodeId,
    target: NodeId,
    key: &str,
    sibling: Sibling,
) -> Result<Insertion, Problem> {
    let keeps = gets_own_line(layout, target, sibling) && !Context::inside(layout, target).is_json();
    let comments = if keeps { MovedComments::of(layout, entry) } else { MovedComments::default() };
    let text = flow_text(layout, entry, old_key, target, key, &comments)?;
    let moved = comments.spans.into_iter().chain([Span::new(entry.start, entry.end)]).collect();
    let new = FlowEntry { text, above: comments.above, after: comments.after };
    Ok(Insertion { change: insert_in_flow(layout, target, sibling, &new, ["{", "}"]), moved })
}

/// The comments on the lines of an entry that move along when it changes between block and flow style: above it, and after its
/// last byte.
#[derive(Default)]
pub(super) struct MovedComments<'t> {
    pub(super) above: Vec<&'t str>,
    /// With the blanks before it.
    pub(super) after: &'t str,
    pub(super) spans: Vec<Span>,
}

impl<'t> MovedComments<'t> {
    pub(super) fn of(layout: &Layout<'t>, entry: &Entry) -> Self {
        let is_flow = layout.kind(entry.container).is_flow_collection();
        if !layout.is_first_on_line(entry.start) || is_flow && own_lines(layout, entry).is_none() {
            return Self::default();
        }
        let above = Span::new(layout.own_start(entry.start), entry.start);
        let end = layout.comma_after(entry).filter(|_| is_flow).map_or(entry.end, |comma| comma + 1);
        let after = Span::new(end, layout.line_content_end(end).max(end));
        let comments = layout.tree.comments_in(above).iter().map(|comment| comment.of(layout.text));
        Self { above: comments.collect(), after: after.of(layout.text), spans: vec![above, after] }
    }

    /// Returns whether every comment in `span` is one of these.
    fn has_all(&self, layout: &Layout<'_>, span: Span) -> bool {
        let count = |span: &Span| layout.tree.comments_in(*span).len();
        count(&span) == self.spans.iter().map(count).sum::<usize>()
    }
}

/// Moves new lines after the blank lines that follow, which would become content of a `|+` at their end.
fn shift_after_blank_lines(layout: &Layout<'_>, target: NodeId, change: &mut Change) -> Result<(), Problem> {
    for edit in change.edits.iter_mut().filter(|edit| edit.span.is_empty()) {
        let end = layout.blank_lines_end(edit.span.start);
        if end > edit.span.start && layout.entry_of(target).is_some_and(|entry| entry.key.is_none()) {
            let message = "the blank lines below would become part of the block scalar; remove them first";
            return Err(wrong_shape(edit.span.start, message));
        }
        edit.span = Span::new(end, end);
    }
    Ok(())
}

/// The lines of an entry that moves, and where its key is in them.
struct BlockSource {
    /// The bytes in the text; they may start after a dash.
    span: Span,
    column: usize,
    key: Span,
    new_key: String,
}

impl BlockSource {
    fn of(layout: &Layout<'_>, entry: &Entry, old_key: NodeId, key: &str) -> Self {
        let column = layout.column(entry.start);
        let start = if layout.is_first_on_line(entry.start) { layout.own_start(entry.start) } else { entry.start };
        let span = Span::new(start, layout.own_end(column, entry.end));
        Self { span, column, key: layout.span(old_key), new_key: key_text(layout, entry.container, old_key, key) }
    }

    /// Returns the lines with their first column moved to `column`.
    fn in_column(&self, layout: &Layout<'_>, column: usize) -> String {
        let by = column as isize - self.column as isize;
        let key_line = layout.line_start(self.key.start).max(self.span.start);
        let above = layout.shifted(Span::new(self.span.start, key_line), by);
        let before_key = Span::new(key_line, self.key.start).of(layout.text).trim_start_matches(' ');
        let rest_of_line = Span::new(self.key.end, layout.line_end(self.key.end));
        let below = layout.shifted(Span::new(rest_of_line.end, self.span.end), by);
        format!("{above}{:column$}{before_key}{}{}{below}", "", self.new_key, rest_of_line.of(layout.text))
    }
}

/// An entry of a flow collection that gets lines of its own.
struct FlowSource<'t> {
    comments: MovedComments<'t>,
    /// The blanks at the start of the line it is on.
    indentation: &'t str,
    /// The key with its anchor and tag, and the colon.
    opening: String,
    /// What is after the colon.
    rest: Span,
}

impl<'t> FlowSource<'t> {
    fn of(layout: &Layout<'t>, entry: &Entry, old_key: NodeId, key: &str) -> Result<Self, Problem> {
        let key_end = layout.span(old_key).end;
        if !layout.is_same_line(key_end, entry.opened) {
            return Err(flow_move(entry.start, "its colon is on a different line than its key"));
        }
        let properties = Span::new(layout.tree.start(old_key), layout.span(old_key).start).of(layout.text);
        let new_key = key_text(layout, entry.container, old_key, key);
        let colon = if entry.opened == key_end { ":" } else { Span::new(key_end, entry.opened).of(layout.text) };
        let is_tight = layout.tree.start(entry.value) == entry.opened && entry.end > entry.opened;
        let gap = if is_tight { " " } else { "" };
        Ok(Self {
            comments: MovedComments::of(layout, entry),
            indentation: layout.indentation(entry.start),
            opening: format!("{properties}{new_key}{colon}{gap}"),
            rest: Span::new(entry.opened, entry.end),
        })
    }

    /// Returns the entry's lines with the first in `column`; the further lines of its value move along.
    fn in_column(&self, layout: &Layout<'_>, column: usize) -> String {
        let line_ending = layout.line_ending(self.rest.start);
        let pad = " ".repeat(column);
        let above: String = self.comments.above.iter().map(|comment| format!("{pad}{comment}{line_ending}")).collect();
        let first = Span::new(self.rest.start, layout.line_end(self.rest.start).min(self.rest.end));
        let below = layout.reindented(Span::new(first.end, self.rest.end), self.indentation, &pad);
        format!("{above}{pad}{}{}{below}{}{line_ending}", self.opening, first.of(layout.text), self.comments.after)
    }
}

/// Returns whether a line below a key in `column` is not indented deeper; a closing bracket and a comment need not be.
fn has_underindented_lines(entry: &str, column: usize) -> bool {
    let lines = entry.lines().map(|line| (line.len() - line.trim_start_matches([' ', '\t']).len(), line.trim_start()));
    let content_lines = lines.filter(|(_, content)| !content.is_empty() && !content.starts_with('#'));
    content_lines.skip(1).any(|(indentation, content)| indentation <= column && !content.starts_with(['}', ']']))
}

/// Writes an entry for a flow collection.
fn flow_text(
    layout: &Layout<'_>,
    entry: &Entry,
    old_key: NodeId,
    target: NodeId,
    key: &str,
    comments: &MovedComments<'_>,
) -> Result<String, Problem> {
    let new_key = key_text(layout, target, old_key, key);
    if layout.kind(entry.container).is_flow_collection() {
        let key_span = layout.span(old_key);
        let before = Span::new(entry.start, key_span.start).of(layout.text);
        let first_line = Span::new(key_span.end, layout.line_end(key_span.end).min(entry.end));
        let (from, to) = (layout.indentation(entry.start), indentation_of_entries(layout, target));
        let below = layout.reindented(Span::new(first_line.end, entry.end), from, &to);
        return Ok(format!("{before}{new_key}{}{below}", first_line.of(layout.text)));
    }
    let lines = Span::new(layout.own_start(entry.start), layout.own_end(layout.column(entry.start), entry.end));
    let moves = |node: NodeId| layout.tree.contains(old_key, node) || layout.tree.contains(entry.value, node);
    let properties = layout.tree.properties.iter().any(|properties| moves(properties.node));
    let aliases = layout.tree.aliases.iter().any(|alias| moves(alias.alias));
    if !comments.has_all(layout, lines) || properties || aliases {
        return Err(flow_move(entry.start, "it has comments, anchors or tags"));
    }
    let context = Context::inside(layout, target);
    let value = one_line_value(layout, entry.value, context)?;
    let gap = if context.is_json() { context.gap() } else { " " };
    Ok(format!("{new_key}{}{gap}{value}", layout.colon(entry)))
}

/// Writes a block style value on one line; with the same bytes if possible.
pub(super) fn one_line_value(layout: &Layout<'_>, node: NodeId, context: Context) -> Result<String, Problem> {
    let raw = layout.span(node).of(layout.text);
    let as_it_is = match layout.kind(node) {
        Kind::Single | Kind::Double | Kind::FlowMapping | Kind::FlowSequence => true,
        Kind::Plain => !raw.contains([',', '[', ']', '{', '}', '?']),
        _ => false,
    };
    if as_it_is && !context.is_json() && !raw.contains('\n') {
        return Ok(raw.to_owned());
    }
    Ok(one_line(&read_value(layout.tree, layout.text, node)?, context, layout.line_style()))
}

/// Returns the blanks in front of a flow mapping's entries. If they have no lines of their own, a new one follows the
/// bracket.
fn indentation_of_entries(layout: &Layout<'_>, mapping: NodeId) -> String {
    if layout.count(mapping) == 0 {
        let brackets = FlowEmitter::of(layout, mapping);
        return brackets.indentation().unwrap_or(layout.indentation(layout.span(mapping).start)).to_owned();
    }
    let first = Some(layout.entry(mapping, 0).start).filter(|first| layout.is_first_on_line(*first));
    layout.indentation(first.unwrap_or(layout.span(mapping).start)).to_owned()
}

/// Removes comments that move along from those that a removal lists.
pub(super) fn keep_comments(cut: &mut Change, layout: &Layout<'_>, span: Span) {
    for comment in layout.tree.comments_in(span) {
        let found = cut.removed_comments.iter().position(|removed| removed == comment.of(layout.text));
        if let Some(found) = found {
            cut.removed_comments.remove(found);
        }
    }
}

/// Refuses a move after which an alias would be before its anchor.
pub(super) fn refuse_alias_before_anchor(
    layout: &Layout<'_>,
    entry: &Entry,
    insertion: &Change,
) -> Result<(), Problem> {
    let Some(at) = insertion.edits.iter().map(|edit| edit.span.start).max() else { return Ok(()) };
    let moves = |node: NodeId| {
        let start = layout.span(node).start;
        entry.start <= start && start < entry.end.max(entry.start + 1)
    };
    for alias in &layout.tree.aliases {
        let [alias_start, target_start] = [alias.alias, alias.target].map(|node| layout.tree.start(node));
        let wrong = match (moves(alias.alias), moves(alias.target)) {
            (true, false) => at <= target_start,
            (false, true) => alias_start < at,
            _ => false,
        };
        if wrong {
            let message = "after the move an alias would come before its anchor";
            return Err(Problem::new(ProblemCode::AnchorOrder, alias_start, message));
        }
    }
    Ok(())
}
