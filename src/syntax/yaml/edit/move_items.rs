//! Answers: which bytes change when all items of a list move into another list?
//!
//! Between block lists, the lines of the items move with their comments, and so do the comments of the key that they leave. Between lists
//! in brackets the bytes of each item move. Between a block list and one in brackets, the items are written anew.
//!
//! Invariant: a comment that has no place in the other style is named as removed.

use super::super::change::Change;
use super::super::emit::{BlockEmitter, FlowEmitter};
use super::super::layout::{Entry, Layout};
use super::super::problem::{Problem, ProblemCode};
use super::super::tree::{Kind, NodeId};
use super::super::value::read_value;
use super::delete::remove_entry;
use super::insert::{FlowEntry, Sibling, Target, gap_after_commas, gets_own_line, insert_in_flow, insert_lines};
use super::refuse::{
    container_at, keyed_entry_at, refuse_anchors_in_use, refuse_merged_key, refuse_referenced, wrong_shape,
};
use super::relocate::{keep_comments, refuse_alias_before_anchor, shift_after_removal};
use crate::syntax::field::FieldPath;
use crate::syntax::text::Span;

pub(super) fn move_items(
    layout: &Layout<'_>,
    from: &FieldPath,
    list: &FieldPath,
    index: usize,
) -> Result<Change, Problem> {
    let (entry, key) = keyed_entry_at(layout, from)?;
    if list.starts_with(from) || from.starts_with(list) {
        return Err(wrong_shape(entry.start, format!("the items of `{from}` cannot be moved into itself")));
    }
    refuse_merged_key(layout, entry.container, key)?;
    refuse_referenced(layout, entry.value)?;
    let target = container_at(layout, list)?;
    for (node, path) in [(entry.value, from), (target, list)] {
        if !layout.kind(node).is_sequence() || layout.count(node) == 0 {
            return Err(wrong_shape(layout.tree.start(node), format!("`{path}` is not a list with items")));
        }
    }
    if layout.tree.properties_of(entry.value).is_some() || layout.tree.properties_of(key).is_some() {
        let message = "a list with an anchor or tag cannot become part of another one; remove the anchor or tag first";
        return Err(wrong_shape(layout.tree.start(entry.value), message));
    }
    let count = layout.count(target);
    if index != 0 && index != count {
        let message = format!("`{list}` takes the items before its first or behind its last one");
        return Err(Problem::new(ProblemCode::NotFound, layout.span(target).start, message));
    }
    let sibling = if index == 0 { Sibling::Before(0) } else { Sibling::After(count - 1) };
    let mut change = remove_entry(layout, &entry)?;
    let mut insertion = match (Target::of(layout, target), Lines::of(layout, &entry)) {
        (Target::Lines, Some(lines)) => {
            lines.comments.iter().for_each(|span| keep_comments(&mut change, layout, *span));
            let text = lines.in_column(layout, layout.column(layout.span(target).start));
            insert_lines(layout, target, sibling, &text)
        }
        (Target::Lines, None) => {
            refuse_anchors_in_use(layout, entry.value)?;
            let style = BlockEmitter::near(layout, target);
            let column = layout.column(layout.span(target).start);
            let items = layout.children(entry.value).iter();
            let lines: Result<String, Problem> =
                items.map(|item| Ok(style.dashed(&read_value(layout.tree, layout.text, *item)?, column))).collect();
            insert_lines(layout, target, sibling, &lines?)
        }
        (Target::Flow | Target::Empty, _) => {
            let text = in_brackets(layout, &entry, target, sibling)?;
            insert_in_flow(layout, target, sibling, &FlowEntry::alone(text), ["[", "]"])
        }
    };
    shift_after_removal(&change, &mut insertion);
    refuse_alias_before_anchor(layout, &entry, &insertion)?;
    change.join(insertion);
    Ok(change)
}

/// The lines of the items of a block list below its key.
struct Lines {
    /// The comment lines above the key.
    above: Span,
    /// The comment on the line of the key, from its `#` on.
    beside: Option<Span>,
    /// The items, with the comments around them.
    items: Span,
    /// The column of the key.
    key_column: usize,
    /// The column of the dashes.
    column: usize,
    /// Where the comments are that move along.
    comments: [Span; 2],
}

impl Lines {
    /// Returns the lines of the items of `entry`, where they can follow other items as they are.
    fn of(layout: &Layout<'_>, entry: &Entry) -> Option<Self> {
        let key_column = layout.column(entry.start);
        let first = layout.entry(entry.value, 0);
        let start = layout.line_end(entry.opened);
        let items = Span::new(start, layout.own_end(key_column, entry.end));
        let is_below =
            layout.kind(entry.value) == Kind::Sequence && layout.is_first_on_line(first.start) && first.start >= start;
        let is_keyed = layout.kind(entry.container) == Kind::Mapping && layout.is_same_line(entry.start, entry.opened);
        if !is_below || !is_keyed || layout.ends_in_kept_lines(items) {
            return None;
        }
        let line = layout.line_start(entry.start);
        let own_start = if layout.is_first_on_line(entry.start) { layout.own_start(entry.start) } else { line };
        let beside = layout.tree.comments_in(Span::new(entry.opened, start)).first().copied();
        Some(Self {
            above: Span::new(own_start, line),
            beside,
            items,
            key_column,
            column: layout.column(first.start),
            comments: [Span::new(own_start, line), Span::new(entry.start, items.end)],
        })
    }

    /// Returns the lines with the dashes in `column`; the comment beside the key gets a line of its own.
    fn in_column(&self, layout: &Layout<'_>, column: usize) -> String {
        let by = |old: usize| column as isize - old as isize;
        let above = layout.comments_moved(self.above, self.key_column, column);
        let line_ending = layout.line_ending(self.items.start);
        let beside = self.beside.map(|span| format!("{:column$}{}{line_ending}", "", span.of(layout.text).trim_end()));
        let items = layout.shifted(self.items, by(self.column));
        format!("{above}{}{items}", beside.unwrap_or_default())
    }
}

/// Writes the items of a list for another one in brackets, as they will be between two commas of it.
fn in_brackets(layout: &Layout<'_>, entry: &Entry, target: NodeId, sibling: Sibling) -> Result<String, Problem> {
    let style = FlowEmitter::of(layout, target);
    let is_flow = layout.kind(entry.value) == Kind::FlowSequence;
    let mut texts = Vec::new();
    for item in layout.children(entry.value) {
        let span = Span::new(layout.tree.start(*item), layout.span(*item).end);
        let is_bare = !matches!(layout.kind(*item), Kind::Empty | Kind::Pair);
        if is_flow && is_bare && layout.is_same_line(span.start, span.end) {
            texts.push(span.of(layout.text).to_owned());
        } else {
            refuse_anchors_in_use(layout, *item)?;
            texts.push(style.value(&read_value(layout.tree, layout.text, *item)?));
        }
    }
    let (Sibling::Before(index) | Sibling::After(index)) = sibling;
    let at = layout.entry(target, index).start;
    Ok(match gets_own_line(layout, target, sibling) {
        true => texts.join(&format!(",{}{}", layout.line_ending(at), layout.indentation(at))),
        false => texts.join(&format!(",{}", gap_after_commas(layout, target))),
    })
}
