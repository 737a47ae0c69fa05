//! Answers: which single change is to be made, and where is a value before and after it?
//!
//! An [`Intent`] names values by path; the last step of a path says whether an entry of a mapping or an item of a list is meant.
//! `apply` makes the change on plain data, and `edit` in the text; neither knows the other, so that each checks the other.
//!
//! Invariant: an intent names what changes, never which bytes.

use serde_json::Value;

use super::structure::TextFormat;
use crate::field::{FieldPath, Step};

/// The position of a new entry among its siblings; an item has the position that its index says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Before all others.
    First,
    /// After all others.
    Last,
    /// Directly before the entry of this key.
    Before(String),
    /// Directly after the entry of this key.
    After(String),
}

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

/// How the entries of a mapping correspond to the named items of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Naming {
    /// The keys of the mapping, in order; each is the value of `key` in an item.
    pub names: Vec<String>,
    /// The key of an item for its name.
    pub key: String,
    /// The key of an item for its value.
    pub value: String,
}

/// The path that an intent reads from, and the one that it writes to.
pub struct Ends {
    /// What changes; of an insertion, the collection.
    pub from: FieldPath,
    /// What there is afterwards.
    pub to: FieldPath,
}

impl Intent {
    /// Returns the same change for a value that is at `place` in a larger one.
    #[must_use]
    pub fn under(&self, place: &FieldPath) -> Self {
        let mut moved = self.clone();
        moved.paths_mut().into_iter().flatten().for_each(|path| *path = place.join(path));
        moved
    }

    /// Returns the same change for the value at `place` alone; `None` where it is about something outside of that.
    #[must_use]
    pub fn within(&self, place: &FieldPath) -> Option<Self> {
        let mut moved = self.clone();
        for path in moved.paths_mut().into_iter().flatten() {
            *path = FieldPath::new(path.steps().strip_prefix(place.steps())?.iter().cloned());
        }
        match &moved {
            // The collection is outside.
            Self::Insert { path, .. } | Self::Wrap { path } | Self::Unwrap { path } | Self::Move { to: path, .. }
                if path.steps().is_empty() =>
            {
                None
            }
            _ => Some(moved),
        }
    }

    /// Returns the paths of the intent, two where it moves something.
    const fn paths_mut(&mut self) -> [Option<&mut FieldPath>; 2] {
        match self {
            Self::Move { from, to, .. } | Self::MoveItems { from, list: to, .. } => [Some(from), Some(to)],
            Self::Rename { path, .. }
            | Self::Replace { path, .. }
            | Self::Delete { path }
            | Self::Insert { path, .. }
            | Self::Wrap { path }
            | Self::Unwrap { path }
            | Self::ParseText { path, .. }
            | Self::WriteText { path, .. }
            | Self::MappingToList { path, .. }
            | Self::ListToMapping { path, .. } => [Some(path), None],
        }
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
            Self::MoveItems { from, list, index, count } => match item_of(path, from) {
                Some(at) => replace_prefix(path, &from.index(at), &list.index(at + index)),
                None if path == from => list.clone(),
                None => with_index(path, list, |at| if at < *index { at } else { at + count }),
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
            Self::MoveItems { from, list, index, count } => match item_of(path, list) {
                Some(at) if (*index..index + count).contains(&at) => {
                    replace_prefix(path, &list.index(at), &from.index(at - index))
                }
                _ => with_index(path, list, |at| if at < *index { at } else { at - count }),
            },
            Self::Wrap { path: inner } => replace_prefix(path, inner, &parent(inner)),
            Self::Unwrap { path: inner } => replace_prefix(path, &parent(inner), inner),
            Self::MappingToList { path: mapping, naming } => naming.to_entry(path, mapping),
            Self::ListToMapping { path: list, naming } => naming.to_item(path, list),
            Self::Replace { .. } | Self::ParseText { .. } | Self::WriteText { .. } => path.clone(),
        }
    }

    /// Returns the paths of the smallest collections whose content the intent changes: intents on unrelated ones do not interfere.
    pub(super) fn changed_collections(&self) -> Vec<FieldPath> {
        match self {
            Self::Rename { path, .. }
            | Self::Delete { path }
            | Self::Replace { path, .. }
            | Self::Insert { path, .. }
            | Self::ParseText { path, .. }
            | Self::WriteText { path, .. }
            | Self::MappingToList { path, .. }
            | Self::ListToMapping { path, .. } => vec![parent(path)],
            Self::Wrap { path } | Self::Unwrap { path } => vec![parent(&parent(path))],
            Self::Move { from, to, .. } => vec![parent(from), parent(to)],
            Self::MoveItems { from, list, .. } => vec![parent(from), list.clone()],
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

impl Naming {
    /// Maps a path into an entry of the mapping at `place` to the value of the item of that name.
    fn to_item(&self, path: &FieldPath, place: &FieldPath) -> FieldPath {
        let Some([Step::Key(name), ..]) = path.steps().strip_prefix(place.steps()) else { return path.clone() };
        let Some(index) = self.names.iter().position(|other| other == name) else { return path.clone() };
        replace_prefix(path, &place.key(name), &place.index(index).key(&self.value))
    }

    /// Maps a path into a named item of the list at `place` to the entry of its name.
    fn to_entry(&self, path: &FieldPath, place: &FieldPath) -> FieldPath {
        let Some([Step::Index(index), rest @ ..]) = path.steps().strip_prefix(place.steps()) else {
            return path.clone();
        };
        let Some(name) = self.names.get(*index) else { return path.clone() };
        let entry = place.key(name);
        match rest {
            [Step::Key(key), rest @ ..] if *key == self.value => entry.join(&FieldPath::new(rest.iter().cloned())),
            _ => entry,
        }
    }
}

/// Returns the path of the collection that a path is in; that of the root is the root.
fn parent(path: &FieldPath) -> FieldPath {
    path.split_last().map(|(parent, _)| parent).unwrap_or_default()
}

fn replace_prefix(path: &FieldPath, prefix: &FieldPath, by: &FieldPath) -> FieldPath {
    match path.steps().strip_prefix(prefix.steps()) {
        Some(tail) => by.join(&FieldPath::new(tail.iter().cloned())),
        None => path.clone(),
    }
}

/// Returns a path after `inserted` was put before what it leads into, where that is an item.
fn with_item(path: &FieldPath, inserted: &FieldPath) -> FieldPath {
    match inserted.split_last() {
        Some((list, Step::Index(index))) => with_index(path, &list, |at| at + usize::from(at >= *index)),
        _ => path.clone(),
    }
}

/// Returns a path after `removed` was taken away before what it leads into, where that is an item.
fn without_item(path: &FieldPath, removed: &FieldPath) -> FieldPath {
    match removed.split_last() {
        Some((list, Step::Index(index))) => with_index(path, &list, |at| at - usize::from(at > *index)),
        _ => path.clone(),
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
fn with_index(path: &FieldPath, list: &FieldPath, change: impl Fn(usize) -> usize) -> FieldPath {
    match item_of(path, list) {
        Some(index) => replace_prefix(path, &list.index(index), &list.index(change(index))),
        None => path.clone(),
    }
}
