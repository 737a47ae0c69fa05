//! Answers: which single change is to be made, and what does plain data look like after it?
//!
//! An [`Intent`] names values by path. [`Intent::apply_data`] makes the change on plain data and is independent of the
//! code that makes it in the text, so that each checks the other.
//!
//! Invariant: an intent names what changes, never which bytes; one that cannot be applied leaves the data unchanged.

use serde_json::{Map, Value};

use super::problem::{Problem, ProblemCode};
use super::structure::TextFormat;
use crate::field::{FieldPath, Step};

/// The position of a new entry among its siblings.
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
    /// Inserts a new entry into the mapping at `path`, which may be `{}` or null.
    Insert {
        /// The mapping.
        path: FieldPath,
        /// The key of the new entry.
        key: String,
        /// The value of the new entry.
        value: Value,
        /// The position of the new entry.
        place: Place,
    },
    /// Inserts a new item into the list at `path`, which may be `[]` or null.
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
        /// Its new parent, by its path before the move.
        to: FieldPath,
        /// Its key in the new parent.
        key: String,
        /// Its position there.
        place: Place,
    },
    /// Makes the value of the entry at `from` an item of the list at `list`, which may be `[]` or null: `a: x` and `l: [y]` become
    /// `l: [x, y]`.
    MoveToItem {
        /// The entry.
        from: FieldPath,
        /// The list.
        list: FieldPath,
        /// The index that the item has afterwards.
        index: usize,
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
    /// Makes the item at `from` the value of a new entry of the mapping at `to`: `l: [x, y]` becomes `a: x` and `l: [y]`.
    MoveFromItem {
        /// The item.
        from: FieldPath,
        /// The mapping, which is not in the list.
        to: FieldPath,
        /// The key of the new entry.
        key: String,
        /// Its position there.
        place: Place,
    },
    /// Wraps the value at `path` in a list: `a: x` becomes `a: [x]`.
    WrapInList {
        /// The entry or item.
        path: FieldPath,
    },
    /// Replaces the list at `path` by its only item: `a: [x]` becomes `a: x`.
    UnwrapList {
        /// The entry or item.
        path: FieldPath,
    },
    /// Wraps the value at `path` in a mapping: `a: x` becomes `a: {key: x}`.
    WrapInMapping {
        /// The entry or item.
        path: FieldPath,
        /// The key of the only entry.
        key: String,
    },
    /// Replaces the mapping at `path` by the value of its only entry: `a: {key: x}` becomes `a: x`.
    UnwrapMapping {
        /// The entry or item.
        path: FieldPath,
        /// The key of the only entry.
        key: String,
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
        Some(moved)
    }

    /// Returns the paths of the intent, two where it moves something.
    const fn paths_mut(&mut self) -> [Option<&mut FieldPath>; 2] {
        match self {
            Self::Rename { path, .. }
            | Self::Replace { path, .. }
            | Self::Delete { path }
            | Self::Insert { path, .. }
            | Self::InsertItem { path, .. }
            | Self::WrapInList { path }
            | Self::UnwrapList { path }
            | Self::WrapInMapping { path, .. }
            | Self::UnwrapMapping { path, .. }
            | Self::ParseText { path, .. }
            | Self::WriteText { path, .. }
            | Self::MappingToList { path, .. }
            | Self::ListToMapping { path, .. } => [Some(path), None],
            Self::Move { from, to, .. } | Self::MoveFromItem { from, to, .. } => [Some(from), Some(to)],
            Self::MoveToItem { from, list, .. } | Self::MoveItems { from, list, .. } => [Some(from), Some(list)],
        }
    }

    /// Returns the paths of the smallest collections whose content the intent changes: intents on unrelated ones do not interfere.
    pub(super) fn changed_collections(&self) -> Vec<FieldPath> {
        let parent = |path: &FieldPath| path.split_last().map_or_else(FieldPath::default, |(parent, _)| parent);
        match self {
            Self::Rename { path, .. }
            | Self::Delete { path }
            | Self::Replace { path, .. }
            | Self::WrapInList { path }
            | Self::UnwrapList { path }
            | Self::WrapInMapping { path, .. }
            | Self::UnwrapMapping { path, .. }
            | Self::ParseText { path, .. }
            | Self::WriteText { path, .. }
            | Self::MappingToList { path, .. }
            | Self::ListToMapping { path, .. } => vec![parent(path)],
            Self::Insert { path, .. } | Self::InsertItem { path, .. } => vec![path.clone()],
            Self::Move { from, to, .. } | Self::MoveFromItem { from, to, .. } => vec![parent(from), to.clone()],
            Self::MoveToItem { from, list, .. } | Self::MoveItems { from, list, .. } => {
                vec![parent(from), list.clone()]
            }
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

    /// Makes the change on plain data; on an error `root` is unchanged.
    ///
    /// # Errors
    /// `NotFound`, `Exists`, `WrongShape`, `NotSingle`; their place is 0, since data has none.
    pub fn apply_data(&self, root: &mut Value) -> Result<(), Problem> {
        match self {
            Self::Rename { path, to } => rename(root, path, to),
            Self::Replace { path, value } => {
                *value_at(root, path)? = value.clone();
                Ok(())
            }
            Self::Delete { path } => delete(root, path),
            Self::Insert { path, key, value, place } => {
                let index = free_index(root, path, key, place)?;
                put(root, path, index, key, value.clone());
                Ok(())
            }
            Self::InsertItem { path, index, value } => insert_item(root, path, *index, value),
            Self::Move { from, to, key, place } => relocate(root, from, to, key, place),
            Self::MoveToItem { from, list, index } => {
                let value = value_at(root, from)?.clone();
                let _ = entry_at(root, from)?;
                refuse_inside(from, list)?;
                refuse_index(value_at(root, list)?, list, *index)?;
                delete(root, from)?;
                insert_item(root, list, *index, &value)
            }
            Self::MoveItems { from, list, index, count } => move_items(root, from, list, (*index, *count)),
            Self::MoveFromItem { from, to, key, place } => {
                let value = value_at(root, from)?.clone();
                let (list, Step::Index(_)) = split(from)? else {
                    return Err(problem(ProblemCode::WrongShape, format!("`{from}` is not an item of a list")));
                };
                refuse_inside(&list, to)?;
                let index = free_index(root, to, key, place)?;
                delete(root, from)?;
                put(root, to, index, key, value);
                Ok(())
            }
            Self::WrapInList { path } => {
                let _ = split(path)?;
                let value = value_at(root, path)?;
                *value = Value::Array(vec![value.take()]);
                Ok(())
            }
            Self::UnwrapList { path } => unwrap_list(root, path),
            Self::WrapInMapping { path, key } => {
                let _ = split(path)?;
                let value = value_at(root, path)?;
                *value = Value::Object(Map::from_iter([(key.clone(), value.take())]));
                Ok(())
            }
            Self::UnwrapMapping { path, key } => unwrap_mapping(root, path, key),
            Self::ParseText { path, format } => parse_text(root, path, *format),
            Self::WriteText { path, format } => write_text(root, path, *format),
            Self::MappingToList { path, naming } => mapping_to_list(root, path, naming),
            Self::ListToMapping { path, naming } => list_to_mapping(root, path, naming),
        }
    }
}

fn problem(code: ProblemCode, message: impl Into<String>) -> Problem {
    Problem::new(code, 0, message)
}

fn missing(path: &FieldPath) -> Problem {
    problem(ProblemCode::NotFound, format!("there is no `{path}`"))
}

/// Splits a path into parent and last step.
fn split(path: &FieldPath) -> Result<(FieldPath, &Step), Problem> {
    path.split_last()
        .ok_or_else(|| problem(ProblemCode::WrongShape, "the document itself is neither an entry nor an item"))
}

fn value_at<'v>(root: &'v mut Value, path: &FieldPath) -> Result<&'v mut Value, Problem> {
    path.get_mut(root).ok_or_else(|| missing(path))
}

/// Returns the mapping an entry is in, and its key.
fn entry_at<'v, 'p>(
    root: &'v mut Value,
    path: &'p FieldPath,
) -> Result<(&'v mut Map<String, Value>, &'p str), Problem> {
    let (parent, step) = split(path)?;
    let Step::Key(key) = step else {
        return Err(problem(ProblemCode::WrongShape, format!("`{path}` is not an entry of a mapping")));
    };
    let map = value_at(root, &parent)?.as_object_mut().ok_or_else(|| missing(path))?;
    if !map.contains_key(key) {
        return Err(missing(path));
    }
    Ok((map, key))
}

/// Returns the index a new entry gets in the mapping at a path, which may be null.
fn free_index(root: &mut Value, path: &FieldPath, key: &str, place: &Place) -> Result<usize, Problem> {
    let empty = Map::new();
    let map = match value_at(root, path)? {
        Value::Null => &empty,
        Value::Object(map) => map,
        _ => return Err(problem(ProblemCode::WrongShape, format!("`{path}` is not a mapping"))),
    };
    if map.contains_key(key) {
        return Err(problem(ProblemCode::Exists, format!("key `{key}` exists already")));
    }
    place_index(map, place)
}

/// Inserts an entry at the index that [`free_index`] returned.
fn put(root: &mut Value, path: &FieldPath, index: usize, key: &str, value: Value) {
    let Some(target) = path.get_mut(root) else { return };
    match target {
        Value::Object(map) => drop(map.shift_insert(index, key.to_owned(), value)),
        _ => *target = Value::Object(Map::from_iter([(key.to_owned(), value)])),
    }
}

fn place_index(map: &Map<String, Value>, place: &Place) -> Result<usize, Problem> {
    let position = |key: &String| {
        let found = map.keys().position(|name| name == key);
        found
            .ok_or_else(|| problem(ProblemCode::NotFound, format!("there is no key `{key}` to insert before or after")))
    };
    match place {
        Place::First => Ok(0),
        Place::Last => Ok(map.len()),
        Place::Before(key) => position(key),
        Place::After(key) => Ok(position(key)? + 1),
    }
}

fn rename(root: &mut Value, path: &FieldPath, to: &str) -> Result<(), Problem> {
    let (map, key) = entry_at(root, path)?;
    if map.contains_key(to) {
        return Err(problem(ProblemCode::Exists, format!("key `{to}` exists already")));
    }
    let entries = std::mem::take(map);
    map.extend(
        entries.into_iter().map(|(name, value)| if name == key { (to.to_owned(), value) } else { (name, value) }),
    );
    Ok(())
}

fn delete(root: &mut Value, path: &FieldPath) -> Result<(), Problem> {
    let (parent, step) = split(path)?;
    let removed = match (value_at(root, &parent)?, step) {
        (Value::Object(map), Step::Key(key)) => map.shift_remove(key),
        (Value::Array(items), Step::Index(index)) if *index < items.len() => Some(items.remove(*index)),
        _ => None,
    };
    removed.map(drop).ok_or_else(|| missing(path))
}

fn insert_item(root: &mut Value, path: &FieldPath, index: usize, value: &Value) -> Result<(), Problem> {
    let list = value_at(root, path)?;
    refuse_index(list, path, index)?;
    match list {
        Value::Array(items) => items.insert(index, value.clone()),
        _ => *list = Value::Array(vec![value.clone()]),
    }
    Ok(())
}

fn relocate(root: &mut Value, from: &FieldPath, to: &FieldPath, key: &str, place: &Place) -> Result<(), Problem> {
    let (source, name) = entry_at(root, from)?;
    if to.starts_with(from) {
        return Err(problem(ProblemCode::WrongShape, format!("`{from}` cannot be moved into itself")));
    }
    let (parent, _) = split(from)?;
    let index_before = source.keys().position(|other| other == name).expect("the entry was found");
    let value = source.shift_remove(name).expect("the entry was found");
    match free_index(root, to, key, place) {
        Ok(index) => {
            put(root, to, index, key, value);
            Ok(())
        }
        Err(problem) => {
            put(root, &parent, index_before, name, value);
            Err(problem)
        }
    }
}

/// Refuses an index that a new item of `list`, which may be null, cannot have.
fn refuse_index(list: &Value, path: &FieldPath, index: usize) -> Result<(), Problem> {
    let length = match list {
        Value::Null => 0,
        Value::Array(items) => items.len(),
        _ => return Err(problem(ProblemCode::WrongShape, format!("`{path}` is not a list"))),
    };
    if index > length {
        return Err(problem(ProblemCode::NotFound, format!("`{path}` has only {length} items")));
    }
    Ok(())
}

fn move_items(
    root: &mut Value,
    from: &FieldPath,
    list: &FieldPath,
    (index, count): (usize, usize),
) -> Result<(), Problem> {
    refuse_inside(from, list)?;
    refuse_inside(list, from)?;
    let _ = entry_at(root, from)?;
    let not_items = |path: &FieldPath| problem(ProblemCode::WrongShape, format!("`{path}` is not a list with items"));
    let items = value_at(root, from)?.as_array().filter(|items| !items.is_empty() && items.len() == count).cloned();
    let items = items.ok_or_else(|| not_items(from))?;
    let length = value_at(root, list)?.as_array().filter(|items| !items.is_empty()).map(Vec::len);
    let length = length.ok_or_else(|| not_items(list))?;
    if index != 0 && index != length {
        let message = format!("`{list}` takes the items before its first or behind its last one");
        return Err(problem(ProblemCode::NotFound, message));
    }
    if let Value::Array(target) = value_at(root, list)? {
        target.splice(index..index, items);
    }
    delete(root, from)
}

/// Refuses to move something into itself.
fn refuse_inside(from: &FieldPath, to: &FieldPath) -> Result<(), Problem> {
    if to.starts_with(from) {
        return Err(problem(ProblemCode::WrongShape, format!("`{from}` cannot be moved into itself")));
    }
    Ok(())
}

fn unwrap_list(root: &mut Value, path: &FieldPath) -> Result<(), Problem> {
    let _ = split(path)?;
    let list = value_at(root, path)?;
    let items = list.as_array_mut().filter(|items| items.len() == 1);
    let item = items.and_then(Vec::pop);
    *list = item.ok_or_else(|| problem(ProblemCode::NotSingle, format!("`{path}` must have exactly one item")))?;
    Ok(())
}

fn unwrap_mapping(root: &mut Value, path: &FieldPath, key: &str) -> Result<(), Problem> {
    let _ = split(path)?;
    let mapping = value_at(root, path)?;
    let entry = mapping.as_object_mut().filter(|map| map.len() == 1).and_then(|map| map.shift_remove(key));
    *mapping =
        entry.ok_or_else(|| problem(ProblemCode::NotSingle, format!("`{path}` must have `{key}` as its only key")))?;
    Ok(())
}

fn parse_text(root: &mut Value, path: &FieldPath, format: TextFormat) -> Result<(), Problem> {
    let value = value_at(root, path)?;
    let text = value.as_str().ok_or_else(|| problem(ProblemCode::WrongShape, format!("`{path}` is not a text")))?;
    *value = format.structure_of(text).map_err(|why| problem(ProblemCode::WrongShape, format!("`{path}`: {why}")))?;
    Ok(())
}

fn write_text(root: &mut Value, path: &FieldPath, format: TextFormat) -> Result<(), Problem> {
    let value = value_at(root, path)?;
    if !value.is_object() && !value.is_array() {
        return Err(problem(ProblemCode::WrongShape, format!("`{path}` is neither a mapping nor a list")));
    }
    *value = Value::from(format.text_of(value));
    Ok(())
}

fn mapping_to_list(root: &mut Value, path: &FieldPath, naming: &Naming) -> Result<(), Problem> {
    let _ = split(path)?;
    let mapping = value_at(root, path)?;
    let map = mapping.as_object_mut().filter(|map| map.keys().eq(&naming.names) && naming.key != naming.value);
    let entries = map.map(std::mem::take).ok_or_else(|| other_names(path))?;
    let item = |(name, value)| {
        Value::Object(Map::from_iter([(naming.key.clone(), Value::String(name)), (naming.value.clone(), value)]))
    };
    *mapping = entries.into_iter().map(item).collect();
    Ok(())
}

fn list_to_mapping(root: &mut Value, path: &FieldPath, naming: &Naming) -> Result<(), Problem> {
    let _ = split(path)?;
    let list = value_at(root, path)?;
    let entry = |item: &Value| {
        let item = item.as_object().filter(|item| item.len() == 2)?;
        Some((item.get(&naming.key)?.as_str()?.to_owned(), item.get(&naming.value)?.clone()))
    };
    let entries: Option<Map<String, Value>> = list.as_array().and_then(|items| items.iter().map(entry).collect());
    let map = entries.filter(|map| map.keys().eq(&naming.names) && naming.key != naming.value);
    *list = Value::Object(map.ok_or_else(|| other_names(path))?);
    Ok(())
}

fn other_names(path: &FieldPath) -> Problem {
    problem(ProblemCode::WrongShape, format!("`{path}` does not have the expected names"))
}

#[cfg(test)]
mod tests {
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
        Intent::Insert { path: path(at), key: key.to_owned(), value: json!(9), place }
    }

    fn relocate(from: &str, to: &str, key: &str, place: Place) -> Intent {
        Intent::Move { from: path(from), to: path(to), key: key.to_owned(), place }
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
        let item = |index| Intent::InsertItem { path: path("l"), index, value: json!(9) };
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
        let to_item = |index| Intent::MoveToItem { from: path("a"), list: path("l"), index };
        let from_item = |index: usize, place| Intent::MoveFromItem {
            from: path("l").index(index),
            to: path(""),
            key: "a".to_owned(),
            place,
        };
        let (old, new) = (json!({"a": 1, "l": [2, 3]}), json!({"l": [1, 2, 3]}));
        check(&to_item(0), &old, &new);
        check(&from_item(0, Place::Before("l".into())), &new, &old);
        check(&to_item(0), &json!({"a": 1, "l": null}), &json!({"l": [1]}));
        check_refused(&to_item(3), &old, ProblemCode::NotFound);
        check_refused(&to_item(0), &new, ProblemCode::NotFound);
        check_refused(&from_item(0, Place::Last), &old, ProblemCode::Exists);
        let within = Intent::MoveToItem { from: path("l.0.a"), list: path("l"), index: 0 };
        check(&within, &json!({"l": [{"a": 1, "b": 2}]}), &json!({"l": [1, {"b": 2}]}));
        let inside = Intent::MoveToItem { from: path("a"), list: path("a.l"), index: 0 };
        check_refused(&inside, &json!({"a": {"l": []}}), ProblemCode::WrongShape);
        let inside = Intent::MoveFromItem { from: path("l.0"), to: path("l.1"), key: "k".into(), place: Place::Last };
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
        check(&Intent::WrapInList { path: path("a") }, &single, &list);
        check(&Intent::UnwrapList { path: path("a") }, &list, &single);
        check_refused(&Intent::UnwrapList { path: path("a") }, &single, ProblemCode::NotSingle);
        check_refused(&Intent::UnwrapList { path: path("a") }, &json!({"a": [1, 2]}), ProblemCode::NotSingle);
    }

    #[test]
    fn wrapping_in_a_mapping_and_unwrapping_are_inverse() {
        let bare = json!({"a": [1]});
        let nested = json!({"a": {"k": [1]}});
        check(&Intent::WrapInMapping { path: path("a"), key: "k".to_owned() }, &bare, &nested);
        check(&Intent::UnwrapMapping { path: path("a"), key: "k".to_owned() }, &nested, &bare);
        check_refused(&Intent::UnwrapMapping { path: path("a"), key: "x".to_owned() }, &nested, ProblemCode::NotSingle);
        check_refused(
            &Intent::UnwrapMapping { path: path("a"), key: "k".to_owned() },
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
