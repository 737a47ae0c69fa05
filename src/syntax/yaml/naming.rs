//! Where among its siblings is a new entry put, and how do the entries of a mapping correspond to the named items of a list, and where is each in the other?
//!
//! Invariant: a path that leads into neither stays as it is.

use crate::syntax::field::{FieldPath, Step};

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

impl Naming {
    /// Maps a path into an entry of the mapping at `place` to the value of the item of that name.
    pub(super) fn to_item(&self, path: &FieldPath, place: &FieldPath) -> FieldPath {
        let Some([Step::Key(name), ..]) = path.steps().strip_prefix(place.steps()) else { return path.clone() };
        let Some(index) = self.names.iter().position(|other| other == name) else { return path.clone() };
        replace_prefix(path, &place.key(name), &place.index(index).key(&self.value))
    }

    /// Maps a path into a named item of the list at `place` to the entry of its name.
    pub(super) fn to_entry(&self, path: &FieldPath, place: &FieldPath) -> FieldPath {
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

/// Replaces the beginning `prefix` of a path, where it has that.
pub(super) fn replace_prefix(path: &FieldPath, prefix: &FieldPath, by: &FieldPath) -> FieldPath {
    match path.steps().strip_prefix(prefix.steps()) {
        Some(tail) => by.join(&FieldPath::new(tail.iter().cloned())),
        None => path.clone(),
    }
}

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
