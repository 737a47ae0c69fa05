//! Answers: which one change shall be made?
//!
//! Invariant: an intent says what changes, never which bytes.

use serde_json::Value;

use super::problem::Problem;
use crate::field::FieldPath;

/// Where a new entry stands among its siblings.
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
        /// The entry or item.
        path: FieldPath,
        /// Its new value.
        value: Value,
    },
    /// Takes the entry or item at `path` away; a container that gets empty stays as `{}` or `[]`.
    Delete {
        /// The entry or item.
        path: FieldPath,
    },
    /// Puts a new entry into the mapping at `path`, which may be `{}` or null.
    Insert {
        /// The mapping.
        path: FieldPath,
        /// The key of the new entry.
        key: String,
        /// The value of the new entry.
        value: Value,
        /// Where the new entry stands.
        place: Place,
    },
    /// Puts a new item into the list at `path`, which may be `[]` or null.
    InsertItem {
        /// The list.
        path: FieldPath,
        /// The index the item has afterwards.
        index: usize,
        /// The new item.
        value: Value,
    },
    /// Moves the entry at `from` into the mapping at `to`, which may be `{}` or null.
    Move {
        /// The entry.
        from: FieldPath,
        /// Its new parent, as it is called before the move.
        to: FieldPath,
        /// Its key in the new parent.
        key: String,
        /// Where it stands there.
        place: Place,
    },
    /// Makes the value at `path` the one item of a list: `a: x` becomes `a: [x]`.
    Wrap {
        /// The entry or item.
        path: FieldPath,
    },
    /// Makes the one item of the list at `path` the value: `a: [x]` becomes `a: x`.
    Unwrap {
        /// The entry or item.
        path: FieldPath,
    },
}

impl Intent {
    /// Returns the same change for a value that stands at `place` of a larger one.
    #[must_use]
    pub fn under(&self, place: &FieldPath) -> Self {
        let mut moved = self.clone();
        match &mut moved {
            Self::Rename { path, .. }
            | Self::Replace { path, .. }
            | Self::Delete { path }
            | Self::Insert { path, .. }
            | Self::InsertItem { path, .. }
            | Self::Wrap { path }
            | Self::Unwrap { path } => *path = place.join(path),
            Self::Move { from, to, .. } => {
                *from = place.join(from);
                *to = place.join(to);
            }
        }
        moved
    }
}

impl Intent {
    /// Makes the change on plain data; on an error `root` is as it was.
    ///
    /// # Errors
    /// `NotFound`, `Exists`, `WrongShape`, `NotSingle`.
    pub fn apply_data(&self, root: &mut Value) -> Result<(), Problem> {
        let _ = root;
        unimplemented!("comes next")
    }
}
