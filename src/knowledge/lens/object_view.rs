//! What does an operation see of another object of the run? [`ObjectView`].

use serde_json::Value;

use super::namespace::Namespace;
use crate::knowledge::release::GroupKind;

/// The position of an object in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObjectId {
    /// The number of its file in the run.
    pub file: usize,
    /// Its number in what is known of the file.
    pub at: usize,
}

/// Where an object is.
#[derive(Clone, Copy, Debug, Default)]
pub struct ObjectPlace<'a> {
    /// Its file.
    pub file: &'a str,
    /// The line on which it starts, where it is known.
    pub line: Option<usize>,
    /// Its position; nothing for one that others cannot find, such as a patch.
    pub id: Option<ObjectId>,
}

/// An object of the run, as its file has it.
#[derive(Clone, Copy, Debug)]
pub struct ObjectView<'a> {
    /// Its kind and API group.
    pub kind: &'a GroupKind,
    /// Its namespace.
    pub namespace: &'a Namespace,
    /// `metadata.name`, where it is set.
    pub name: Option<&'a str>,
    /// Its data.
    pub value: &'a Value,
    /// Where it is.
    pub place: ObjectPlace<'a>,
}

impl ObjectView<'_> {
    /// Returns its kind and name, as messages write them: `Shop public`.
    pub fn title(&self) -> String {
        format!("{} {}", self.kind.kind, self.name.unwrap_or_default())
    }

    /// Returns its kind, name and place: `Shop public (shops.yaml:3)`.
    pub fn described(&self) -> String {
        self.with_place(&self.title())
    }

    /// Returns `title` with its place.
    pub(super) fn with_place(&self, title: &str) -> String {
        let ObjectPlace { file, line, .. } = self.place;
        match line {
            Some(line) => format!("{title} ({file}:{line})"),
            None => title.to_owned(),
        }
    }
}

/// The objects that a reference can resolve to.
#[derive(Clone, Debug, Default)]
pub struct Candidates<'a> {
    /// Those that it resolves to, in the order of the run: several where the files do not show which one it is.
    pub certain: Vec<ObjectView<'a>>,
    /// Those that it resolves to if they are in the namespace of the reference, which the files do not show.
    pub possible: Vec<ObjectView<'a>>,
}

impl<'a> Candidates<'a> {
    /// Returns all of them.
    pub fn all(&self) -> impl Iterator<Item = &ObjectView<'a>> + Clone {
        self.certain.iter().chain(&self.possible)
    }

    /// Returns whether the object at `id` is one of them; `None` where it may be.
    pub fn has(&self, id: ObjectId) -> Option<bool> {
        let is_it = |one: &ObjectView<'_>| one.place.id == Some(id);
        match self.certain.iter().any(is_it) {
            true => Some(true),
            false => (!self.possible.iter().any(is_it)).then_some(false),
        }
    }
}

/// Lists the first few of `items` for people, as `text` shows them.
pub(crate) fn some_of<T>(items: &[T], text: impl Fn(&T) -> String) -> String {
    const SHOWN: usize = 4;
    let shown: Vec<_> = items.iter().take(SHOWN).map(text).collect();
    match items.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
