//! Answers: which bytes change when one intent is applied?
//!
//! [`plan`] finds what the intent names, refuses what would also change another place, and returns a [`Change`].
//! Each kind of change is a module: `replace`, `delete`, `insert`, `relocate` (move), `list` and `mapping` (wrap and
//! unwrap, and keys that get another name), `text` (that holds a mapping or list), `items` (a mapping becomes a list of named items, and back), `transfer` (the
//! value of an entry becomes an item, and back), `move_items` (of one list into another).
//!
//! Invariant: a change touches the lines of what it names and nothing else, and names every comment it removes.

mod delete;
mod insert;
mod items;
mod list;
mod mapping;
mod move_items;
mod refuse;
mod relocate;
mod replace;
mod text;
mod transfer;

use refuse::split;
use refuse::wrong_shape;

use super::change::Change;
use super::intent::Intent;
use super::layout::Layout;
use super::problem::Problem;
use crate::syntax::field::Step;

/// Plans one intent on a document.
pub(super) fn plan(layout: &Layout<'_>, intent: &Intent) -> Result<Change, Problem> {
    match intent {
        Intent::Rename { path, to } => mapping::rename(layout, path, to),
        Intent::Replace { path, value } => replace::replace(layout, path, value),
        Intent::Delete { path } => delete::delete(layout, path),
        Intent::Insert { path, value, place } => match split(layout, path)? {
            (mapping, Step::Key(key)) => insert::insert(layout, &mapping, key, value, place),
            (list, Step::Index(index)) => insert::insert_item(layout, &list, *index, value),
        },
        Intent::Move { from, to, place } => match (split(layout, from)?, split(layout, to)?) {
            ((_, Step::Key(_)), (mapping, Step::Key(key))) => relocate::relocate(layout, from, &mapping, key, place),
            ((_, Step::Key(_)), (list, Step::Index(index))) => transfer::move_to_item(layout, from, &list, *index),
            ((list, Step::Index(_)), (mapping, Step::Key(key))) => {
                transfer::move_from_item(layout, &list, from, &mapping, key, place)
            }
            ((_, Step::Index(_)), (_, Step::Index(_))) => {
                let message = format!("`{from}` cannot become an item of another list");
                Err(wrong_shape(layout.span(layout.root).start, message))
            }
        },
        Intent::MoveItems { from, list, index, .. } => move_items::move_items(layout, from, list, *index),
        Intent::Wrap { path } => match split(layout, path)? {
            (outer, Step::Index(_)) => list::wrap_in_list(layout, &outer),
            (outer, Step::Key(key)) => mapping::wrap_in_mapping(layout, &outer, key),
        },
        Intent::Unwrap { path } => match split(layout, path)? {
            (outer, Step::Index(_)) => list::unwrap_list(layout, &outer),
            (outer, Step::Key(key)) => mapping::unwrap_mapping(layout, &outer, key),
        },
        Intent::ParseText { path, format } => text::parse_text(layout, path, *format),
        Intent::WriteText { path, format } => text::write_text(layout, path, *format),
        Intent::MappingToList { path, naming } => items::mapping_to_list(layout, path, naming),
        Intent::ListToMapping { path, naming } => items::list_to_mapping(layout, path, naming),
    }
}
