//! Answers: which bytes change when one intent is applied?
//!
//! [`plan`] finds what the intent names, refuses what would also change another place, and returns a [`Change`].
//! Each kind of change is a module: `rename`, `replace`, `delete`, `insert`, `relocate` (move), `list` and `mapping` (wrap and
//! unwrap), `text` (that holds a mapping or list), `items` (a mapping becomes a list of named items, and back), `transfer` (the
//! value of an entry becomes an item, and back), `move_items` (of one list into another).
//!
//! Invariant: a change touches the lines of what it names and nothing else, and names every comment it removes.

mod delete;
mod insert;
mod items;
mod list;
mod lookup;
mod mapping;
mod move_items;
mod refuse;
mod relocate;
mod rename;
mod replace;
mod text;
mod transfer;

use super::change::Change;
use super::intent::Intent;
use super::layout::Layout;
use super::problem::Problem;

/// Plans one intent on a document.
pub(super) fn plan(layout: &Layout<'_>, intent: &Intent) -> Result<Change, Problem> {
    match intent {
        Intent::Rename { path, to } => rename::rename(layout, path, to),
        Intent::Replace { path, value } => replace::replace(layout, path, value),
        Intent::Delete { path } => delete::delete(layout, path),
        Intent::Insert { path, key, value, place } => insert::insert(layout, path, key, value, place),
        Intent::InsertItem { path, index, value } => insert::insert_item(layout, path, *index, value),
        Intent::Move { from, to, key, place } => relocate::relocate(layout, from, to, key, place),
        Intent::MoveToItem { from, list, index } => transfer::move_to_item(layout, from, list, *index),
        Intent::MoveItems { from, list, index, .. } => move_items::move_items(layout, from, list, *index),
        Intent::MoveFromItem { from, to, key, place } => transfer::move_from_item(layout, from, to, key, place),
        Intent::WrapInList { path } => list::wrap_in_list(layout, path),
        Intent::UnwrapList { path } => list::unwrap_list(layout, path),
        Intent::WrapInMapping { path, key } => mapping::wrap_in_mapping(layout, path, key),
        Intent::UnwrapMapping { path, key } => mapping::unwrap_mapping(layout, path, key),
        Intent::ParseText { path, format } => text::parse_text(layout, path, *format),
        Intent::WriteText { path, format } => text::write_text(layout, path, *format),
        Intent::MappingToList { path, naming } => items::mapping_to_list(layout, path, naming),
        Intent::ListToMapping { path, naming } => items::list_to_mapping(layout, path, naming),
    }
}
