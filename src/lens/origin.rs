//! Answers: where did a value stand before the changes of a session?
//!
//! [`origin`] takes the changes back one by one, the last first, and follows the value's place through each.
//!
//! Invariant: a path that no change touched is its own origin.

use crate::field::{FieldPath, Step};
use crate::yaml::Intent;

/// Returns where the value at `path`, in the data after `program`, stood before it.
pub(super) fn origin(program: &[Intent], path: &FieldPath) -> FieldPath {
    program.iter().rev().fold(path.clone(), |path, intent| match intent {
        Intent::Rename { path: old, to } => {
            let new = old.split_last().map(|(parent, _)| parent.key(to)).unwrap_or_default();
            replace_prefix(&path, &new, old)
        }
        Intent::Move { from, to, key, .. } => replace_prefix(&path, &to.key(key), from),
        Intent::Wrap { path: wrapped } => replace_prefix(&path, &wrapped.index(0), wrapped),
        Intent::Unwrap { path: unwrapped } => replace_prefix(&path, unwrapped, &unwrapped.index(0)),
        Intent::Delete { path: deleted } => undo_removal(path, deleted),
        Intent::Insert { .. } | Intent::InsertItem { .. } | Intent::Replace { .. } => path,
    })
}

fn replace_prefix(path: &FieldPath, prefix: &FieldPath, by: &FieldPath) -> FieldPath {
    match path.steps().strip_prefix(prefix.steps()) {
        Some(tail) => by.join(&FieldPath::new(tail.iter().cloned())),
        None => path.clone(),
    }
}

/// Moves an item's index back up where an item before it was removed.
fn undo_removal(path: FieldPath, deleted: &FieldPath) -> FieldPath {
    let Some((list, Step::Index(removed))) = deleted.split_last() else { return path };
    let depth = list.steps().len();
    match path.steps().get(depth) {
        Some(Step::Index(index)) if path.starts_with(&list) && index >= removed => {
            let tail = FieldPath::new(path.steps()[depth + 1..].iter().cloned());
            list.index(index + 1).join(&tail)
        }
        _ => path,
    }
}
