//! Answers: which single change is to be made, and where is a value before and after it?
//!
//! An [`Intent`] names values by path; the last step of a path says whether an entry of a mapping or an item of a list is meant.
//! `apply` makes the change on plain data, and `edit` in the text; neither knows the other, so that each checks the other.
//!
//! Invariant: an intent names what changes, never which bytes.

use serde_json::Value;

use super::apply;
use super::naming::{Naming, Place, replace_prefix};
use super::path_tree::PathTree;
use super::problem::Problem;
use super::structure::TextFormat;
use crate::syntax::field::{FieldPath, Step};

/// One primitive change; paths are from the document's root.
#[derive(Clone, Debug, PartialEq)]
pub enum Intent {
    /// Gives the entry at `path` another key, in place: `tls: x` becomes `validation: x`.
    Rename {
        /// The entry.
        path: FieldPath,
        /// Its new key.
        to: String,
    },
    /// Gives the entry or item at `path` another value.
    Replace {
        /// The entry or item; the empty path is the whole document.
        path: FieldPath,
        /// Its new value.
        value: Value,
    },
    /// Removes the entry or item at `path`; a collection that becomes empty stays as `{}` or `[]`.
    Delete {
        /// The entry or item.
        path: FieldPath,
    },
    /// Inserts a new entry or item into a collection, which may be empty or null.
    Insert {
        /// The path that the entry or item has afterwards.
        path: FieldPath,
        /// Its value.
        value: Value,
        /// The position of an entry.
        place: Place,
    },
    /// Moves the entry or item at `from` into another collection, which may be empty or null; it becomes an item of a list
    /// (`a: x` and `l: [y]` become `l: [x, y]`) or an entry of a mapping. An item cannot become an item.
    Move {
        /// The entry or item.
        from: FieldPath,
        /// Its path afterwards; its new parent by its path before the move.
        to: FieldPath,
        /// The position of an entry.
        place: Place,
    },
    /// Moves all items of the list in the entry at `from` into the list at `list`, and removes the entry: `a: [x]` and `l: [y]` become
    /// `l: [x, y]`.
    MoveItems {
        /// The entry.
        from: FieldPath,
        /// The other list, which has items too.
        list: FieldPath,
        /// The index that the first of the items has afterwards: 0, or the number of items of the other list.
        index: usize,
        /// How many items move.
        count: usize,
    },
    /// Puts a value into a collection of its own: `a: x` becomes `a: [x]` or `a: {key: x}`.
    Wrap {
        /// The path that the value has afterwards: `a[0]` or `a.key`.
        path: FieldPath,
    },
    /// Replaces a list of one item, or a mapping of one entry, by what is in it: `a: [x]` or `a: {key: x}` becomes `a: x`.
    Unwrap {
        /// The path of the only item or entry: `a[0]` or `a.key`.
        path: FieldPath,
    },
    /// Replaces the text at `path` by the mapping or list that it holds.
    ParseText {
        /// The entry or item.
        path: FieldPath,
        /// The language of the text.
        format: TextFormat,
    },
    /// Replaces the mapping or list at `path` by a text that holds it.
    WriteText {
        /// The entry or item.
        path: FieldPath,
        /// The language of the text.
        format: TextFormat,
    },
    /// Converts the mapping at `path` to a list of named items: `a: {x: 1}` becomes `a: [{name: x, value: 1}]`.
    MappingToList {
        /// The mapping.
        path: FieldPath,
        /// The names of its entries, and the keys of an item.
        naming: Naming,
    },
    /// Converts the list of named items at `path` to a mapping: `a: [{name: x, value: 1}]` becomes `a: {x: 1}`.
    ListToMapping {
        /// The list.
        path: FieldPath,
        /// The names of its entries, and the keys of an item.
        naming: Naming,
    },
}

/// The path that an intent reads from, and the one that it writes to.
pub struct Ends {
    /// What changes; of an insertion, the collection.
    pub from: FieldPath,
    /// What there is afterwards.
    pub to: FieldPath,
}

impl Intent {
    /// Makes the change on plain data; on an error `root` is unchanged.
    ///
    /// # Errors
    /// `NotFound`, `Exists`, `WrongShape`, `NotSingle`; their place is 0, since data has none.
    pub fn apply_data(&self, root: &mut Value) -> Result<(), Problem> {
        match self {
            Self::Rename { path, to } => apply::rename(root, path, to),
            Self::Replace { path, value } => apply::replace(root, path, value),
            Self::Delete { path } => apply::delete(root, path),
            Self::Insert { path, value, place } => apply::insert(root, path, place, value),
            Self::Move { from, to, place } => apply::relocate(root, from, to, place),
            Self::MoveItems { from, list, index, count } => apply::move_items(root, from, list, *index, *count),
            Self::Wrap { path } => apply::wrap(root, path),
            Self::Unwrap { path } => apply::unwrap(root, path),
            Self::ParseText { path, format } => apply::parse_text(root, path, *format),
            Self::WriteText { path, format } => apply::write_text(root, path, *format),
            Self::MappingToList { path, naming } => apply::mapping_to_list(root, path, naming),
            Self::ListToMapping { path, naming } => apply::list_to_mapping(root, path, naming),
        }
    }

    /// Returns the same change for a value that is at `place` in a larger one.
    #[must_use]
    pub fn under(&self, place: &FieldPath) -> Self {
        self.with_paths(|path| Some(place.join(path))).expect("every path can be put below another one")
    }

    /// Returns the same change for the value at `place` alone; `None` where it is about something outside of that.
    #[must_use]
    pub fn within(&self, place: &FieldPath) -> Option<Self> {
        self.with_paths(|path| Some(FieldPath::new(path.steps().strip_prefix(place.steps())?.iter().cloned())))
    }

    /// Returns the same change with `map` applied to the paths of what it finds: of a new entry or item, the collection.
    pub(super) fn with_paths(&self, mut map: impl FnMut(&FieldPath) -> Option<FieldPath>) -> Option<Self> {
        let mut mapped = self.clone();
        match &mut mapped {
            Self::Insert { path, .. } | Self::Wrap { path } | Self::Unwrap { path } => {
                *path = in_collection(path, &mut map)?
            }
            Self::Move { from, to, .. } => (*from, *to) = (map(from)?, in_collection(to, &mut map)?),
            Self::MoveItems { from, list, .. } => (*from, *list) = (map(from)?, map(list)?),
            Self::Rename { path, .. }
            | Self::Replace { path, .. }
            | Self::Delete { path }
            | Self::ParseText { path, .. }
            | Self::WriteText { path, .. }
            | Self::MappingToList { path, .. }
            | Self::ListToMapping { path, .. } => *path = map(path)?,
        }
        Some(mapped)
    }

    /// Returns the paths of what the intent finds: of a new entry or item, the collection.
    pub(super) fn found(&self) -> Vec<FieldPath> {
        let mut found = Vec::new();
        let _ = self.with_paths(|path| {
            found.push(path.clone());
            Some(FieldPath::default())
        });
        found
    }

    /// Returns what the intent reads and what it writes.
    #[must_use]
    pub fn ends(&self) -> Ends {
        let (from, to) = match self {
            Self::Rename { path, to } => (path.clone(), parent(path).key(to)),
            Self::Insert { path, .. } if path.last_key().is_some() => (parent(path), path.clone()),
            Self::Insert { path, .. } | Self::Wrap { path } | Self::Unwrap { path } => (parent(path), parent(path)),
            Self::Move { from, to, .. } | Self::MoveItems { from, list: to, .. } => (from.clone(), to.clone()),
            Self::Replace { path, .. }
            | Self::Delete { path }
            | Self::ParseText { path, .. }
            | Self::WriteText { path, .. }
            | Self::MappingToList { path, .. }
            | Self::ListToMapping { path, .. } => (path.clone(), path.clone()),
        };
        Ends { from, to }
    }

    /// Returns where the value at `path` is after the change; `None` where that removes it.
    #[must_use]
    pub fn destination(&self, path: &FieldPath) -> Option<FieldPath> {
        Some(match self {
            Self::Rename { path: entry, to } => replace_prefix(path, entry, &parent(entry).key(to)),
            Self::Delete { path: deleted } if path.starts_with(deleted) => return None,
            Self::Delete { path: deleted } => without_item(path, deleted),
            Self::Insert { path: inserted, .. } => with_item(path, inserted),
            Self::Move { from, to, .. } if path.starts_with(from) => replace_prefix(path, from, to),
            Self::Move { from, to, .. } => with_item(&without_item(path, from), to),
            Self::MoveItems { from, list, index, count } => match item_of(path, from.steps()) {
                Some(at) => replace_prefix(path, &from.index(at), &list.index(at + index)),
                None if path == from => list.clone(),
                None => with_index(path, list.steps(), |at| if at < *index { at } else { at + count }),
            },
            Self::Wrap { path: inner } => replace_prefix(path, &parent(inner), inner),
            Self::Unwrap { path: inner } => replace_prefix(path, inner, &parent(inner)),
            Self::MappingToList { path: mapping, naming } => naming.to_item(path, mapping),
            Self::ListToMapping { path: list, naming } => naming.to_entry(path, list),
            Self::WriteText { path: written, .. } if path.starts_with(written) && path != written => return None,
            Self::Replace { .. } | Self::ParseText { .. } | Self::WriteText { .. } => path.clone(),
        })
    }

    /// Returns where the value that is at `path` after the change was before it.
    #[must_use]
    pub fn origin(&self, path: &FieldPath) -> FieldPath {
        match self {
            Self::Rename { path: entry, to } => replace_prefix(path, &parent(entry).key(to), entry),
            Self::Delete { path: deleted } => with_item(path, deleted),
            Self::Insert { path: inserted, .. } => without_item(path, inserted),
            Self::Move { from, to, .. } if path.starts_with(to) => replace_prefix(path, to, from),
            Self::Move { from, to, .. } => with_item(&without_item(path, to), from),
            Self::MoveItems { from, list, index, count } => match item_of(path, list.steps()) {
                Some(at) if (*index..index + count).contains(&at) => {
                    replace_prefix(path, &list.index(at), &from.index(at - index))
                }
                _ => with_index(path, list.steps(), |at| if at < *index { at } else { at - count }),
            },
            Self::Wrap { path: inner } => replace_prefix(path, inner, &parent(inner)),
            Self::Unwrap { path: inner } => replace_prefix(path, &parent(inner), inner),
            Self::MappingToList { path: mapping, naming } => naming.to_entry(path, mapping),
            Self::ListToMapping { path: list, naming } => naming.to_item(path, list),
            Self::Replace { .. } | Self::ParseText { .. } | Self::WriteText { .. } => path.clone(),
        }
    }

    /// Returns the places below which the intent changes paths, or removes what is there.
    pub(super) fn places(&self) -> impl Iterator<Item = FieldPath> {
        let path = |(steps, key): (&[Step], Option<&str>)| {
            let path = FieldPath::new(steps.iter().cloned());
            key.map_or_else(|| path.clone(), |key| path.key(key))
        };
        self.place_steps().map(path)
    }

    /// Returns whether the intent may move what is at `path`, or remove it.
    pub(super) fn is_about(&self, path: &FieldPath) -> bool {
        let is_above = |(steps, key): (&[Step], Option<&str>)| {
            let below = path.steps().strip_prefix(steps);
            let is_key = |step: &Step| matches!((step, key), (Step::Key(own), Some(key)) if own == key);
            below.is_some_and(|below| key.is_none() || below.first().is_some_and(is_key))
        };
        self.place_steps().any(is_above)
    }

    /// Returns the steps to the places of [`Self::places`], and the key behind them that no path of the intent has.
    fn place_steps(&self) -> impl Iterator<Item = (&[Step], Option<&str>)> {
        let (first, second) = match self {
            Self::Rename { path, to } => (path.steps(), Some((collection(path), Some(to.as_str())))),
            Self::Delete { path } | Self::Insert { path, .. } => (seat(path), None),
            Self::Move { from, to, .. } => (seat(from), Some((seat(to), None))),
            Self::MoveItems { from, list, .. } => (from.steps(), Some((list.steps(), None))),
            Self::Wrap { path } | Self::Unwrap { path } => (collection(path), None),
            Self::Replace { path, .. }
            | Self::ParseText { path, .. }
            | Self::WriteText { path, .. }
            | Self::MappingToList { path, .. }
            | Self::ListToMapping { path, .. } => (path.steps(), None),
        };
        std::iter::once((first, None)).chain(second)
    }

    /// Returns what the intent touches: those that touch nothing in common do not interfere.
    pub(super) fn touched(&self) -> Vec<Touched> {
        let touched = |path: &FieldPath, part| Touched { path: path.clone(), part };
        match self {
            Self::Rename { path, to } => vec![touched(path, Part::Key), touched(&parent(path).key(to), Part::Key)],
            Self::Delete { path } => vec![touched(path, Part::Whole)],
            Self::Insert { path, place, .. } => {
                [touched(path, Part::Whole)].into_iter().chain(sibling(place, path)).collect()
            }
            Self::Move { from, to, place } => {
                [touched(from, Part::Whole), touched(to, Part::Whole)].into_iter().chain(sibling(place, to)).collect()
            }
            Self::MoveItems { from, list, .. } => vec![touched(from, Part::Whole), touched(list, Part::Value)],
            Self::Wrap { path } | Self::Unwrap { path } => vec![touched(&parent(path), Part::Value)],
            Self::Replace { path, .. }
            | Self::ParseText { path, .. }
            | Self::WriteText { path, .. }
            | Self::MappingToList { path, .. }
            | Self::ListToMapping { path, .. } => vec![touched(path, Part::Value)],
        }
    }

    /// Returns whether the intent writes a text that holds a structure.
    #[must_use]
    pub const fn writes_text(&self) -> bool {
        matches!(self, Self::WriteText { .. })
    }

    /// Returns the place where a text becomes the structure that it holds, or a structure a text, and the language of the text.
    pub(super) const fn text_of_structure(&self) -> Option<(&FieldPath, TextFormat)> {
        match self {
            Self::ParseText { path, format } | Self::WriteText { path, format } => Some((path, *format)),
            _ => None,
        }
    }
}

/// Returns the entry whose key says where a new one at `path` is to be.
fn sibling(place: &Place, path: &FieldPath) -> Option<Touched> {
    match place {
        Place::Before(key) | Place::After(key) => Some(Touched { path: parent(path).key(key), part: Part::Key }),
        Place::First | Place::Last => None,
    }
}

/// An entry or item that an intent is about.
#[derive(Clone, Debug)]
pub(super) struct Touched {
    path: FieldPath,
    part: Part,
}

/// What of an entry or item an intent changes or relies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// The key, and not what is below it.
    Key,
    /// The value.
    Value,
    /// The entry or item appears or disappears, which its neighbours notice.
    Whole,
}

/// What several intents touch.
#[derive(Debug, Default)]
pub(super) struct Touches(PathTree<TouchedPlace>);

/// What several intents touch of one place.
#[derive(Clone, Debug, Default)]
struct TouchedPlace {
    parts: Vec<Part>,
    /// Whether entries or items of it appear or disappear.
    is_collection: bool,
}

impl Touches {
    /// Adds what an intent touches.
    pub(super) fn extend(&mut self, touched: &[Touched]) {
        for Touched { path, part } in touched {
            if *part == Part::Whole {
                self.0.at_mut(&parent(path)).is_collection = true;
            }
            self.0.at_mut(path).parts.push(*part);
        }
    }

    /// Returns whether a change of one of these can make a difference for a change of `other`.
    pub(super) fn interfere_with(&self, other: &Touched) -> bool {
        let Touched { path, part } = other;
        let is_apart = |own: &Part| matches!((own, part), (Part::Key, Part::Value) | (Part::Value, Part::Key));
        let own = self.0.find(path.steps());
        let is_same = || own.is_some_and(|own| !own.value().parts.iter().all(is_apart));
        let is_more_than_key = |above: &TouchedPlace| above.parts.iter().any(|own| *own != Part::Key);
        let is_above = || self.0.along(path).take(path.steps().len()).any(is_more_than_key);
        let is_below = || *part != Part::Key && own.is_some_and(PathTree::has_more_below);
        let is_beside = || {
            let collection = self.0.along(path).nth(path.steps().len().saturating_sub(1));
            *part == Part::Whole && collection.is_some_and(|place| place.is_collection)
        };
        is_same() || is_above() || is_below() || is_beside()
    }
}

/// Applies `map` to the path of the collection that a path is in.
fn in_collection(path: &FieldPath, map: &mut impl FnMut(&FieldPath) -> Option<FieldPath>) -> Option<FieldPath> {
    let (collection, step) = path.split_last()?;
    Some(map(&collection)?.with(step.clone()))
}

/// Returns the path of the collection that a path is in; that of the root is the root.
fn parent(path: &FieldPath) -> FieldPath {
    path.split_last().map(|(parent, _)| parent).unwrap_or_default()
}

/// Returns the steps to the collection that a path is in.
fn collection(path: &FieldPath) -> &[Step] {
    path.steps().split_last().map_or(&[], |(_, above)| above)
}

/// Returns the steps to the list that a path is an item of, since its other items shift; else those of the path.
fn seat(path: &FieldPath) -> &[Step] {
    if path.last_key().is_some() { path.steps() } else { collection(path) }
}

/// Returns a path after `inserted` was put before what it leads into, where that is an item.
fn with_item(path: &FieldPath, inserted: &FieldPath) -> FieldPath {
    match inserted.steps().split_last() {
        Some((Step::Index(index), list)) => with_index(path, list, |at| at + usize::from(at >= *index)),
        _ => path.clone(),
    }
}

/// Returns a path after `removed` was taken away before what it leads into, where that is an item.
fn without_item(path: &FieldPath, removed: &FieldPath) -> FieldPath {
    match removed.steps().split_last() {
        Some((Step::Index(index), list)) => with_index(path, list, |at| at - usize::from(at > *index)),
        _ => path.clone(),
    }
}

/// Returns the index of the item of `list` that `path` leads into.
fn item_of(path: &FieldPath, list: &[Step]) -> Option<usize> {
    match path.steps().strip_prefix(list)? {
        [Step::Index(index), ..] => Some(*index),
        _ => None,
    }
}

/// Changes the index of the item of `list` that `path` leads into.
fn with_index(path: &FieldPath, list: &[Step], change: impl Fn(usize) -> usize) -> FieldPath {
    match item_of(path, list) {
        Some(index) => {
            let mut steps = path.steps().to_vec();
            steps[list.len()] = Step::Index(change(index));
            FieldPath::new(steps)
        }
        None => path.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::problem::ProblemCode;
    use super::*;
    use serde_json::json;

    fn path(text: &str) -> FieldPath {
        let steps = text.split('.').filter(|step| !step.is_empty());
        FieldPath::new(steps.map(|step| step.parse().map_or_else(|_| Step::Key(step.to_owned()), Step::Index)))
    }

    /// Compares as text, so that the order of keys counts.
    #[track_caller]
    fn check(intent: &Intent, before: &Value, after: &Value) {
        let mut value = before.clone();
        intent.apply_data(&mut value).unwrap();
        assert_eq!(value.to_string(), after.to_string());
    }

    #[track_caller]
    fn check_refused(intent: &Intent, before: &Value, code: ProblemCode) {
        let mut value = before.clone();
        assert_eq!(intent.apply_data(&mut value).unwrap_err().code, code);
        assert_eq!(value.to_string(), before.to_string(), "a refused change leaves the data as it was");
    }

    fn insert(at: &str, key: &str, place: Place) -> Intent {
        Intent::Insert { path: path(at).key(key), value: json!(9), place }
    }

    fn relocate(from: &str, to: &str, key: &str, place: Place) -> Intent {
        Intent::Move { from: path(from), to: path(to).key(key), place }
    }

    #[test]
    fn a_renamed_entry_keeps_its_position() {
        let rename = |at: &str, to: &str| Intent::Rename { path: path(at), to: to.to_owned() };
        let before = json!({"s": {"a": 1, "b": 2, "c": 3}, "l": [1]});
        check(&rename("s.b", "x"), &before, &json!({"s": {"a": 1, "x": 2, "c": 3}, "l": [1]}));
        check_refused(&rename("s.b", "c"), &before, ProblemCode::Exists);
        check_refused(&rename("s.x", "y"), &before, ProblemCode::NotFound);
        check_refused(&rename("l.0", "y"), &before, ProblemCode::WrongShape);
        check_refused(&rename("", "y"), &before, ProblemCode::WrongShape);
    }

    #[test]
    fn entries_and_items_can_be_replaced_and_deleted() {
        let before = json!({"a": 1, "b": [1, 2], "c": 3});
        check(
            &Intent::Replace { path: path("b.1"), value: json!({}) },
            &before,
            &json!({"a": 1, "b": [1, {}], "c": 3}),
        );
        check(&Intent::Replace { path: path(""), value: json!(1) }, &before, &json!(1));
        check(&Intent::Delete { path: path("a") }, &before, &json!({"b": [1, 2], "c": 3}));
        check(&Intent::Delete { path: path("b.0") }, &before, &json!({"a": 1, "b": [2], "c": 3}));
        check(&Intent::Delete { path: path("b.0") }, &json!({"b": [1]}), &json!({"b": []}));
        check_refused(&Intent::Delete { path: path("b.2") }, &before, ProblemCode::NotFound);
        check_refused(&Intent::Delete { path: path("a.x") }, &before, ProblemCode::NotFound);
    }

    #[test]
    fn an_inserted_entry_has_the_requested_position() {
        let before = json!({"m": {"a": 1, "b": 2}, "n": null, "s": "x"});
        check(&insert("m", "x", Place::First), &before, &json!({"m": {"x": 9, "a": 1, "b": 2}, "n": null, "s": "x"}));
        check(
            &insert("m", "x", Place::After("a".into())),
            &before,
            &json!({"m": {"a": 1, "x": 9, "b": 2}, "n": null, "s": "x"}),
        );
        check(
            &insert("m", "x", Place::Before("b".into())),
            &before,
            &json!({"m": {"a": 1, "x": 9, "b": 2}, "n": null, "s": "x"}),
        );
        check(&insert("n", "x", Place::Last), &before, &json!({"m": {"a": 1, "b": 2}, "n": {"x": 9}, "s": "x"}));
        check_refused(&insert("m", "a", Place::Last), &before, ProblemCode::Exists);
        check_refused(&insert("n", "x", Place::After("a".into())), &before, ProblemCode::NotFound);
        check_refused(&insert("s", "x", Place::Last), &before, ProblemCode::WrongShape);
    }

    #[test]
    fn items_are_inserted_by_index() {
        let item = |index| Intent::Insert { path: path("l").index(index), value: json!(9), place: Place::Last };
        check(&item(0), &json!({"l": null}), &json!({"l": [9]}));
        check(&item(1), &json!({"l": [1, 2]}), &json!({"l": [1, 9, 2]}));
        check(&item(2), &json!({"l": [1, 2]}), &json!({"l": [1, 2, 9]}));
        check_refused(&item(1), &json!({"l": null}), ProblemCode::NotFound);
        check_refused(&item(0), &json!({"l": {}}), ProblemCode::WrongShape);
    }

    #[test]
    fn a_move_keeps_the_entry() {
        let before = json!({"a": {"x": 1, "y": 2}, "b": {"z": 3}, "n": null});
        check(
            &relocate("a.x", "b", "w", Place::First),
            &before,
            &json!({"a": {"y": 2}, "b": {"w": 1, "z": 3}, "n": null}),
        );
        check(
            &relocate("a.x", "a", "x", Place::Last),
            &before,
            &json!({"a": {"y": 2, "x": 1}, "b": {"z": 3}, "n": null}),
        );
        check(
            &relocate("b.z", "n", "z", Place::Last),
            &before,
            &json!({"a": {"x": 1, "y": 2}, "b": {}, "n": {"z": 3}}),
        );
        check_refused(&relocate("a", "a", "w", Place::Last), &before, ProblemCode::WrongShape);
        check_refused(&relocate("a.x", "b", "z", Place::Last), &before, ProblemCode::Exists);
        check_refused(&relocate("a.x", "b.z", "x", Place::Last), &before, ProblemCode::WrongShape);
        check_refused(&relocate("a.x", "c", "x", Place::Last), &before, ProblemCode::NotFound);
        check_refused(&relocate("a.x", "a", "w", Place::After("x".into())), &before, ProblemCode::NotFound);
    }

    #[test]
    fn an_entry_becomes_an_item_and_back() {
        let to_item = |index| Intent::Move { from: path("a"), to: path("l").index(index), place: Place::Last };
        let from_item =
            |index: usize, place| Intent::Move { from: path("l").index(index), to: path("").key("a"), place };
        let (old, new) = (json!({"a": 1, "l": [2, 3]}), json!({"l": [1, 2, 3]}));
        check(&to_item(0), &old, &new);
        check(&from_item(0, Place::Before("l".into())), &new, &old);
        check(&to_item(0), &json!({"a": 1, "l": null}), &json!({"l": [1]}));
        check_refused(&to_item(3), &old, ProblemCode::NotFound);
        check_refused(&to_item(0), &new, ProblemCode::NotFound);
        check_refused(&from_item(0, Place::Last), &old, ProblemCode::Exists);
        let within = Intent::Move { from: path("l.0.a"), to: path("l").index(0), place: Place::Last };
        check(&within, &json!({"l": [{"a": 1, "b": 2}]}), &json!({"l": [1, {"b": 2}]}));
        let inside = Intent::Move { from: path("a"), to: path("a.l").index(0), place: Place::Last };
        check_refused(&inside, &json!({"a": {"l": []}}), ProblemCode::WrongShape);
        let inside = Intent::Move { from: path("l.0"), to: path("l.1").key("k"), place: Place::Last };
        check_refused(&inside, &json!({"l": [1, {}]}), ProblemCode::WrongShape);
    }

    #[test]
    fn all_items_of_a_list_move_into_another() {
        let items = |index, count| Intent::MoveItems { from: path("a"), list: path("s.l"), index, count };
        let before = json!({"a": [1, 2], "s": {"l": [3, 4]}, "z": 0});
        check(&items(0, 2), &before, &json!({"s": {"l": [1, 2, 3, 4]}, "z": 0}));
        check(&items(2, 2), &before, &json!({"s": {"l": [3, 4, 1, 2]}, "z": 0}));
        check_refused(&items(1, 2), &before, ProblemCode::NotFound);
        check_refused(&items(0, 1), &before, ProblemCode::WrongShape);
        check_refused(&items(0, 0), &json!({"a": [], "s": {"l": [1]}}), ProblemCode::WrongShape);
        check_refused(&items(0, 1), &json!({"a": [1], "s": {"l": []}}), ProblemCode::WrongShape);
        check_refused(&items(0, 1), &json!({"a": [1]}), ProblemCode::NotFound);
        let inside = Intent::MoveItems { from: path("a"), list: path("a.0"), index: 0, count: 1 };
        check_refused(&inside, &json!({"a": [[1]]}), ProblemCode::WrongShape);
        let within = Intent::MoveItems { from: path("l.0.a"), list: path("l"), index: 0, count: 1 };
        check_refused(&within, &json!({"l": [{"a": [1]}]}), ProblemCode::WrongShape);
    }

    #[test]
    fn wrap_and_unwrap_are_inverse() {
        let single = json!({"a": {"b": 1}});
        let list = json!({"a": [{"b": 1}]});
        check(&Intent::Wrap { path: path("a").index(0) }, &single, &list);
        check(&Intent::Unwrap { path: path("a").index(0) }, &list, &single);
        check_refused(&Intent::Unwrap { path: path("a").index(0) }, &single, ProblemCode::NotSingle);
        check_refused(&Intent::Unwrap { path: path("a").index(0) }, &json!({"a": [1, 2]}), ProblemCode::NotSingle);
    }

    #[test]
    fn wrapping_in_a_mapping_and_unwrapping_are_inverse() {
        let bare = json!({"a": [1]});
        let nested = json!({"a": {"k": [1]}});
        check(&Intent::Wrap { path: path("a").key("k") }, &bare, &nested);
        check(&Intent::Unwrap { path: path("a").key("k") }, &nested, &bare);
        check_refused(&Intent::Unwrap { path: path("a").key("x") }, &nested, ProblemCode::NotSingle);
        check_refused(
            &Intent::Unwrap { path: path("a").key("k") },
            &json!({"a": {"k": 1, "x": 2}}),
            ProblemCode::NotSingle,
        );
    }

    #[test]
    fn mapping_to_list_and_list_to_mapping_are_inverse() {
        let naming = |names: &[&str]| Naming {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            key: "name".to_owned(),
            value: "value".to_owned(),
        };
        let map = json!({"a": {"y": 1, "x": null}});
        let list = json!({"a": [{"name": "y", "value": 1}, {"name": "x", "value": null}]});
        let path = || path("a");
        check(&Intent::MappingToList { path: path(), naming: naming(&["y", "x"]) }, &map, &list);
        check(&Intent::ListToMapping { path: path(), naming: naming(&["y", "x"]) }, &list, &map);
        check_refused(
            &Intent::MappingToList { path: path(), naming: naming(&["x", "y"]) },
            &map,
            ProblemCode::WrongShape,
        );
        check_refused(&Intent::ListToMapping { path: path(), naming: naming(&["y"]) }, &list, ProblemCode::WrongShape);
        let twice = json!({"a": [{"name": "y", "value": 1}, {"name": "y", "value": 2}]});
        check_refused(
            &Intent::ListToMapping { path: path(), naming: naming(&["y", "y"]) },
            &twice,
            ProblemCode::WrongShape,
        );
        let more = json!({"a": [{"name": "y", "value": 1, "more": 2}]});
        check_refused(&Intent::ListToMapping { path: path(), naming: naming(&["y"]) }, &more, ProblemCode::WrongShape);
    }
}
