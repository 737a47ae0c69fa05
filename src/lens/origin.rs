//! Answers: which path had a value before the changes of a session, and which path has it after them?
//!
//! [`origin`] reverts the path of a value through the changes, the last first; [`destination`] follows it through them in their
//! order, and [`trace`] with where each step of the path comes from.
//!
//! Invariant: a path that no change touched is its own origin.

use crate::field::{FieldPath, Step};
use crate::yaml::{Intent, Naming};

/// Returns the path before `program` of the value that is at `path` after it.
pub(super) fn origin(program: &[Intent], path: &FieldPath) -> FieldPath {
    program.iter().rev().fold(path.clone(), |path, intent| match intent {
        Intent::Rename { path: old, to } => {
            let new = old.split_last().map(|(parent, _)| parent.key(to)).unwrap_or_default();
            replace_prefix(&path, &new, old)
        }
        Intent::Move { from, to, key, .. } => replace_prefix(&path, &to.key(key), from),
        Intent::MoveToItem { from, list, index } => match path.starts_with(&list.index(*index)) {
            true => replace_prefix(&path, &list.index(*index), from),
            false => with_index(path, list, |at| at - usize::from(at > *index)),
        },
        Intent::MoveItems { from, list, index, count } => match item_of(&path, list) {
            Some(at) if (*index..index + count).contains(&at) => {
                replace_prefix(&path, &list.index(at), &from.index(at - index))
            }
            _ => with_index(path, list, |at| if at < *index { at } else { at - count }),
        },
        Intent::MoveFromItem { from, to, key, .. } => match from.split_last() {
            _ if path.starts_with(&to.key(key)) => replace_prefix(&path, &to.key(key), from),
            Some((list, Step::Index(moved))) => with_index(path, &list, |at| at + usize::from(at >= *moved)),
            _ => path,
        },
        Intent::WrapInList { path: wrapped } => replace_prefix(&path, &wrapped.index(0), wrapped),
        Intent::UnwrapList { path: unwrapped } => replace_prefix(&path, unwrapped, &unwrapped.index(0)),
        Intent::Delete { path: deleted } => match deleted.split_last() {
            Some((list, Step::Index(removed))) => with_index(path, &list, |at| at + usize::from(at >= *removed)),
            _ => path,
        },
        Intent::InsertItem { path: list, index, .. } => with_index(path, list, |at| at - usize::from(at > *index)),
        Intent::WrapInMapping { path: nested, key } => replace_prefix(&path, &nested.key(key), nested),
        Intent::UnwrapMapping { path: hoisted, key } => replace_prefix(&path, hoisted, &hoisted.key(key)),
        Intent::MappingToList { path: mapping, naming } => from_item(&path, mapping, naming),
        Intent::ListToMapping { path: list, naming } => to_item(&path, list, naming),
        Intent::Insert { .. } | Intent::Replace { .. } | Intent::ParseText { .. } | Intent::WriteText { .. } => path,
    })
}

/// Returns the path after `program` of the value that is at `path` before it; `None` where it was removed.
pub(super) fn destination(program: &[Intent], path: &FieldPath) -> Option<FieldPath> {
    program.iter().try_fold(path.clone(), |path, intent| match intent {
        Intent::Replace { path: replaced, .. } if path.starts_with(replaced) => None,
        intent => moved(intent, &path),
    })
}

/// A path after a program: each step with the number of the step before the program that it is, where it is one.
pub type TracedPath = Vec<(Step, Option<usize>)>;

/// What the value at a path is taken to be where it is wrapped: `a: x` becomes `a: [x]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The value inside: `a[0]`.
    Inner,
    /// The whole field: `a`.
    Outer,
}

/// Returns the path after `program` of the place that is at `path` before it, with where each of its steps comes from; `None`
/// where it was removed, or is in a value that was replaced.
pub fn trace(program: &[Intent], path: &FieldPath, reach: Reach) -> Option<TracedPath> {
    let mut origins: Vec<Option<usize>> = (0..path.steps().len()).map(Some).collect();
    let mut path = path.clone();
    for intent in program {
        if reach == Reach::Outer && is_about_whole(intent, &path) {
            continue;
        }
        let is_inside = |replaced: &FieldPath| path.starts_with(replaced) && path != *replaced;
        if matches!(intent, Intent::Replace { path: replaced, .. } if is_inside(replaced)) {
            return None;
        }
        let next = moved(intent, &path)?;
        origins = origins_after(&origins, intent, (&path, &next));
        path = next;
    }
    Some(path.steps().iter().cloned().zip(origins).collect())
}

/// Returns whether an intent wraps or unwraps the value at `path`.
fn is_about_whole(intent: &Intent, path: &FieldPath) -> bool {
    match intent {
        Intent::WrapInList { path: wrapped } | Intent::WrapInMapping { path: wrapped, .. } => wrapped == path,
        _ => false,
    }
}

/// Returns what `program` changes in the value that is at `path` before it, as if that were an object of its own; `None` where
/// parts of it move elsewhere, or others into it.
pub fn changes_below(program: &[Intent], path: &FieldPath, reach: Reach) -> Option<Vec<Intent>> {
    let mut path = path.clone();
    let mut changes = Vec::new();
    for intent in program {
        let (from, to) = places(intent);
        let is_whole = reach == Reach::Outer && is_about_whole(intent, &path)
            || matches!(intent, Intent::Replace { path: replaced, .. } if *replaced == path);
        if is_whole || from.starts_with(&path) && moved(intent, &path).as_ref() == Some(&path) {
            changes.push(intent.within(&path)?);
        } else if to.starts_with(&path) && !from.starts_with(&path) {
            return None;
        } else {
            path = moved(intent, &path)?;
        }
    }
    Some(changes)
}

/// Returns where the steps of a path come from after `intent` moved it: what is before and behind the steps that it changes stays.
fn origins_after(
    origins: &[Option<usize>],
    intent: &Intent,
    (before, after): (&FieldPath, &FieldPath),
) -> Vec<Option<usize>> {
    let (before, after) = (before.steps(), after.steps());
    // An index that an item before it shifts is the same step.
    if matches!(intent, Intent::Delete { .. } | Intent::InsertItem { .. }) {
        return origins.to_vec();
    }
    let shorter = before.len().min(after.len());
    let head = before.iter().zip(after).take_while(|(one, other)| one == other).count();
    let tail = before.iter().rev().zip(after.iter().rev()).take_while(|(one, other)| one == other).count();
    let tail = tail.min(shorter - head);
    let middle = std::iter::repeat_n(None, after.len() - head - tail);
    origins[..head].iter().copied().chain(middle).chain(origins[before.len() - tail..].iter().copied()).collect()
}

/// Returns where `intent` moves `path`; `None` where it removes it.
fn moved(intent: &Intent, path: &FieldPath) -> Option<FieldPath> {
    match intent {
        Intent::Rename { path: old, to } => {
            let new = old.split_last().map(|(parent, _)| parent.key(to)).unwrap_or_default();
            Some(replace_prefix(path, old, &new))
        }
        Intent::Move { from, to, key, .. } => Some(replace_prefix(path, from, &to.key(key))),
        Intent::MoveToItem { from, list, index } => Some(match path.starts_with(from) {
            true => replace_prefix(path, from, &list.index(*index)),
            false => with_index(path.clone(), list, |at| at + usize::from(at >= *index)),
        }),
        Intent::MoveItems { from, list, index, count } => Some(match item_of(path, from) {
            Some(at) => replace_prefix(path, &from.index(at), &list.index(at + index)),
            None if path == from => list.clone(),
            None => with_index(path.clone(), list, |at| if at < *index { at } else { at + count }),
        }),
        Intent::MoveFromItem { from, to, key, .. } => Some(match from.split_last() {
            _ if path.starts_with(from) => replace_prefix(path, from, &to.key(key)),
            Some((list, Step::Index(moved))) => with_index(path.clone(), &list, |at| at - usize::from(at > *moved)),
            _ => path.clone(),
        }),
        Intent::WrapInList { path: wrapped } => Some(replace_prefix(path, wrapped, &wrapped.index(0))),
        Intent::UnwrapList { path: unwrapped } => Some(replace_prefix(path, &unwrapped.index(0), unwrapped)),
        Intent::Delete { path: deleted } if path.starts_with(deleted) => None,
        Intent::Delete { path: deleted } => match deleted.split_last() {
            Some((list, Step::Index(removed))) => {
                Some(with_index(path.clone(), &list, |at| at - usize::from(at > *removed)))
            }
            _ => Some(path.clone()),
        },
        Intent::InsertItem { path: list, index, .. } => {
            Some(with_index(path.clone(), list, |at| at + usize::from(at >= *index)))
        }
        Intent::WrapInMapping { path: nested, key } => Some(replace_prefix(path, nested, &nested.key(key))),
        Intent::UnwrapMapping { path: hoisted, key } => Some(replace_prefix(path, &hoisted.key(key), hoisted)),
        Intent::MappingToList { path: mapping, naming } => Some(to_item(path, mapping, naming)),
        Intent::ListToMapping { path: list, naming } => Some(from_item(path, list, naming)),
        Intent::WriteText { path: written, .. } if path.starts_with(written) && path != written => None,
        Intent::Insert { .. } | Intent::Replace { .. } | Intent::ParseText { .. } | Intent::WriteText { .. } => {
            Some(path.clone())
        }
    }
}

/// Maps a path into an entry of the mapping at `place` to the value of the item of that name.
fn to_item(path: &FieldPath, place: &FieldPath, naming: &Naming) -> FieldPath {
    let Some([Step::Key(name), ..]) = path.steps().strip_prefix(place.steps()) else { return path.clone() };
    let Some(index) = naming.names.iter().position(|other| other == name) else { return path.clone() };
    replace_prefix(path, &place.key(name), &place.index(index).key(&naming.value))
}

/// Maps a path into a named item of the list at `place` to the entry of its name.
fn from_item(path: &FieldPath, place: &FieldPath, naming: &Naming) -> FieldPath {
    let Some([Step::Index(index), rest @ ..]) = path.steps().strip_prefix(place.steps()) else { return path.clone() };
    let Some(name) = naming.names.get(*index) else { return path.clone() };
    let entry = place.key(name);
    match rest {
        [Step::Key(key), rest @ ..] if *key == naming.value => entry.join(&FieldPath::new(rest.iter().cloned())),
        _ => entry,
    }
}

/// Returns the paths that an intent reads from and writes to.
pub(super) fn places(intent: &Intent) -> (FieldPath, FieldPath) {
    match intent {
        Intent::Rename { path, to } => {
            let parent = path.split_last().map(|(parent, _)| parent).unwrap_or_default();
            (path.clone(), parent.key(to))
        }
        Intent::Move { from, to, key, .. } | Intent::MoveFromItem { from, to, key, .. } => (from.clone(), to.key(key)),
        Intent::MoveToItem { from, list, index } => (from.clone(), list.index(*index)),
        Intent::MoveItems { from, list, .. } => (from.clone(), list.clone()),
        Intent::Insert { path, key, .. } => (path.clone(), path.key(key)),
        Intent::Replace { path, .. }
        | Intent::Delete { path }
        | Intent::InsertItem { path, .. }
        | Intent::WrapInList { path }
        | Intent::UnwrapList { path }
        | Intent::WrapInMapping { path, .. }
        | Intent::UnwrapMapping { path, .. }
        | Intent::ParseText { path, .. }
        | Intent::WriteText { path, .. }
        | Intent::MappingToList { path, .. }
        | Intent::ListToMapping { path, .. } => (path.clone(), path.clone()),
    }
}

fn replace_prefix(path: &FieldPath, prefix: &FieldPath, by: &FieldPath) -> FieldPath {
    match path.steps().strip_prefix(prefix.steps()) {
        Some(tail) => by.join(&FieldPath::new(tail.iter().cloned())),
        None => path.clone(),
    }
}

/// Returns the index of the item of `list` that `path` leads into.
fn item_of(path: &FieldPath, list: &FieldPath) -> Option<usize> {
    match path.steps().strip_prefix(list.steps())? {
        [Step::Index(index), ..] => Some(*index),
        _ => None,
    }
}

/// Changes the index of the item of `list` that `path` leads into.
fn with_index(path: FieldPath, list: &FieldPath, change: impl Fn(usize) -> usize) -> FieldPath {
    let depth = list.steps().len();
    match path.steps().get(depth) {
        Some(Step::Index(index)) if path.starts_with(list) => {
            let tail = FieldPath::new(path.steps()[depth + 1..].iter().cloned());
            list.index(change(*index)).join(&tail)
        }
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn path(text: &str) -> FieldPath {
        let steps = text.split('.').filter(|step| !step.is_empty());
        FieldPath::new(steps.map(|step| step.parse().map_or_else(|_| Step::Key(step.to_owned()), Step::Index)))
    }

    /// Applies `program` to data in which every leaf has a value of its own, and compares each leaf with the one at its origin.
    #[track_caller]
    fn check(before: &Value, program: &[Intent], places: &[&str]) {
        let mut after = before.clone();
        program.iter().for_each(|intent| intent.apply_data(&mut after).unwrap());
        for place in places {
            let from = origin(program, &path(place));
            assert!(path(place).get(&after).is_some(), "{place} is in {after}");
            assert_eq!(path(place).get(&after), from.get(before), "{place} came from {from}");
            assert_eq!(destination(program, &from), Some(path(place)), "{from} went to {place}");
        }
    }

    #[test]
    fn a_path_is_followed_into_a_list_and_out_of_it() {
        let before = json!({"a": {"x": 1}, "l": [{"x": 2}, {"x": 3}], "m": [{"x": 4}, {"x": 5}]});
        let key = "b".to_owned();
        let program = [
            Intent::MoveToItem { from: path("a"), list: path("l"), index: 1 },
            Intent::MoveFromItem { from: path("m.0"), to: path(""), key, place: crate::yaml::Place::Last },
        ];
        check(&before, &program, &["l.0.x", "l.1.x", "l.2.x", "b.x", "m.0.x"]);
    }

    #[test]
    fn a_path_is_followed_through_renames_moves_and_lists() {
        let before =
            json!({"spec": {"ref": {"name": 1}, "tls": {"a": 2, "b": 3}, "l": [{"x": 4}, {"x": 5}, {"x": 6}]}});
        let program = [
            Intent::Rename { path: path("spec.ref"), to: "refs".to_owned() },
            Intent::WrapInList { path: path("spec.refs") },
            Intent::Move {
                from: path("spec.tls.a"),
                to: path("spec"),
                key: "z".to_owned(),
                place: crate::yaml::Place::Last,
            },
            Intent::Delete { path: path("spec.l.0") },
            Intent::InsertItem { path: path("spec.l"), index: 1, value: json!(9) },
        ];
        check(&before, &program, &["spec.refs.0.name", "spec.z", "spec.tls.b", "spec.l.0.x", "spec.l.2.x"]);
        let back = [Intent::UnwrapList { path: path("spec.l.0.x") }];
        check(&json!({"spec": {"l": [{"x": [7]}]}}), &back, &["spec.l.0.x"]);
    }

    #[test]
    fn removed_values_have_an_origin_and_no_destination() {
        let item = |index| Intent::Delete { path: path("l").index(index) };
        let program = [item(2), item(1), Intent::UnwrapList { path: path("l") }];
        assert_eq!(origin(&program[..0], &path("l.2")), path("l.2"));
        assert_eq!(origin(&program[..1], &path("l.1")), path("l.1"));
        assert_eq!(origin(&[item(0)], &path("l.1")), path("l.2"));
        assert_eq!(destination(&program, &path("l.1.x")), None);
        assert_eq!(destination(&program, &path("l.0.x")), Some(path("l.x")));
        let anew = Intent::Replace { path: path("l"), value: json!(1) };
        assert_eq!(destination(&[anew], &path("l.0")), None);
    }
}
