//! Answers: what does plain data look like after a change?
//!
//! This is independent of the code that makes the change in the text, so that each checks the other.
//!
//! Invariant: a change that cannot be made leaves the data unchanged.

use serde_json::{Map, Value};

use super::naming::{Naming, Place};
use super::problem::{Problem, ProblemCode};
use super::structure::TextFormat;
use crate::syntax::field::{FieldPath, Step};

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

/// Returns the value at `path` without the document itself, which can only be replaced.
fn inner_value_at<'v>(root: &'v mut Value, path: &FieldPath) -> Result<&'v mut Value, Problem> {
    let _ = split(path)?;
    value_at(root, path)
}

pub(super) fn rename(root: &mut Value, path: &FieldPath, to: &str) -> Result<(), Problem> {
    let (parent, step) = split(path)?;
    let Step::Key(key) = step else {
        return Err(problem(ProblemCode::WrongShape, format!("`{path}` is not an entry of a mapping")));
    };
    let map = value_at(root, &parent)?.as_object_mut().filter(|map| map.contains_key(key));
    let map = map.ok_or_else(|| missing(path))?;
    if map.contains_key(to) {
        return Err(problem(ProblemCode::Exists, format!("key `{to}` exists already")));
    }
    // The new entry is the last one; as such it takes the place of the one that is removed.
    let value = map.get_mut(key).map(Value::take).unwrap_or_default();
    map.insert(to.to_owned(), value);
    map.swap_remove(key);
    Ok(())
}

pub(super) fn replace(root: &mut Value, path: &FieldPath, value: &Value) -> Result<(), Problem> {
    *value_at(root, path)? = value.clone();
    Ok(())
}

pub(super) fn delete(root: &mut Value, path: &FieldPath) -> Result<(), Problem> {
    remove(root, path).map(drop)
}

/// An entry or item that was taken out of its collection, and its position there.
struct Removed {
    value: Value,
    index: usize,
}

fn remove(root: &mut Value, path: &FieldPath) -> Result<Removed, Problem> {
    let (parent, step) = split(path)?;
    let removed = match (value_at(root, &parent)?, step) {
        (Value::Object(map), Step::Key(key)) => {
            let index = map.keys().position(|name| name == key);
            index.and_then(|index| Some(Removed { value: map.shift_remove(key)?, index }))
        }
        (Value::Array(items), Step::Index(index)) if *index < items.len() => {
            Some(Removed { value: items.remove(*index), index: *index })
        }
        _ => None,
    };
    removed.ok_or_else(|| missing(path))
}

pub(super) fn insert(root: &mut Value, path: &FieldPath, place: &Place, value: &Value) -> Result<(), Problem> {
    let (parent, step) = split(path)?;
    let index = free_index(value_at(root, &parent)?, &parent, step, place)?;
    put(root, &parent, step, Removed { value: value.clone(), index });
    Ok(())
}

/// Returns the position of a new entry or item in the collection at `path`, which may be null.
fn free_index(collection: &Value, path: &FieldPath, step: &Step, place: &Place) -> Result<usize, Problem> {
    let wrong_shape = |what: &str| problem(ProblemCode::WrongShape, format!("`{path}` is not a {what}"));
    match (step, collection) {
        (Step::Key(_), Value::Null) => index_of_place(&Map::new(), place),
        (Step::Key(key), Value::Object(map)) => match map.contains_key(key) {
            true => Err(problem(ProblemCode::Exists, format!("key `{key}` exists already"))),
            false => index_of_place(map, place),
        },
        (Step::Index(index), Value::Null) => checked_index(*index, 0, path),
        (Step::Index(index), Value::Array(items)) => checked_index(*index, items.len(), path),
        (Step::Key(_), _) => Err(wrong_shape("mapping")),
        (Step::Index(_), _) => Err(wrong_shape("list")),
    }
}

fn checked_index(index: usize, length: usize, path: &FieldPath) -> Result<usize, Problem> {
    let message = || problem(ProblemCode::NotFound, format!("`{path}` has only {length} items"));
    if index > length { Err(message()) } else { Ok(index) }
}

fn index_of_place(map: &Map<String, Value>, place: &Place) -> Result<usize, Problem> {
    let position = |key: &String| {
        let index = map.keys().position(|name| name == key);
        index
            .ok_or_else(|| problem(ProblemCode::NotFound, format!("there is no key `{key}` to insert before or after")))
    };
    match place {
        Place::First => Ok(0),
        Place::Last => Ok(map.len()),
        Place::Before(key) => position(key),
        Place::After(key) => Ok(position(key)? + 1),
    }
}

/// Puts an entry or item into the collection at `path`; null becomes one.
fn put(root: &mut Value, path: &FieldPath, step: &Step, Removed { value, index }: Removed) {
    let Some(target) = path.get_mut(root) else { return };
    match (target, step) {
        (Value::Object(map), Step::Key(key)) => drop(map.shift_insert(index, key.clone(), value)),
        (Value::Array(items), Step::Index(_)) => items.insert(index, value),
        (target, Step::Key(key)) => *target = Value::Object(Map::from_iter([(key.clone(), value)])),
        (target, Step::Index(_)) => *target = Value::Array(vec![value]),
    }
}

pub(super) fn relocate(root: &mut Value, from: &FieldPath, to: &FieldPath, place: &Place) -> Result<(), Problem> {
    let ((old_parent, old_step), (parent, step)) = (split(from)?, split(to)?);
    let _ = value_at(root, from)?;
    match (old_step, step) {
        (Step::Index(_), Step::Index(_)) => {
            return Err(problem(ProblemCode::WrongShape, format!("`{from}` cannot become an item of another list")));
        }
        (Step::Index(_), Step::Key(_)) => refuse_inside(&old_parent, &parent)?,
        (Step::Key(_), _) => refuse_inside(from, &parent)?,
    }
    let removed = remove(root, from)?;
    let index = match value_at(root, &parent).and_then(|target| free_index(target, &parent, step, place)) {
        Ok(index) => index,
        Err(problem) => {
            put(root, &old_parent, old_step, removed);
            return Err(problem);
        }
    };
    put(root, &parent, step, Removed { index, ..removed });
    Ok(())
}

pub(super) fn move_items(
    root: &mut Value,
    from: &FieldPath,
    list: &FieldPath,
    index: usize,
    count: usize,
) -> Result<(), Problem> {
    refuse_inside(from, list)?;
    refuse_inside(list, from)?;
    let (_, Step::Key(_)) = split(from)? else {
        return Err(problem(ProblemCode::WrongShape, format!("`{from}` is not an entry of a mapping")));
    };
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

pub(super) fn wrap(root: &mut Value, path: &FieldPath) -> Result<(), Problem> {
    let (outer, step) = split(path)?;
    let value = inner_value_at(root, &outer)?;
    *value = match step {
        Step::Index(0) => Value::Array(vec![value.take()]),
        Step::Index(_) => return Err(problem(ProblemCode::WrongShape, "the only item of a list is its first")),
        Step::Key(key) => Value::Object(Map::from_iter([(key.clone(), value.take())])),
    };
    Ok(())
}

pub(super) fn unwrap(root: &mut Value, path: &FieldPath) -> Result<(), Problem> {
    let (outer, step) = split(path)?;
    let value = inner_value_at(root, &outer)?;
    let only = match (&mut *value, step) {
        (Value::Array(items), Step::Index(0)) if items.len() == 1 => items.pop(),
        (Value::Object(map), Step::Key(key)) if map.len() == 1 => map.shift_remove(key),
        _ => None,
    };
    *value = only.ok_or_else(|| {
        let message = match step {
            Step::Index(_) => format!("`{outer}` must have exactly one item"),
            Step::Key(key) => format!("`{outer}` must have `{key}` as its only key"),
        };
        problem(ProblemCode::NotSingle, message)
    })?;
    Ok(())
}

pub(super) fn parse_text(root: &mut Value, path: &FieldPath, format: TextFormat) -> Result<(), Problem> {
    let value = value_at(root, path)?;
    let text = value.as_str().ok_or_else(|| problem(ProblemCode::WrongShape, format!("`{path}` is not a text")))?;
    *value = format.structure_of(text).map_err(|why| problem(ProblemCode::WrongShape, format!("`{path}`: {why}")))?;
    Ok(())
}

pub(super) fn write_text(root: &mut Value, path: &FieldPath, format: TextFormat) -> Result<(), Problem> {
    let value = value_at(root, path)?;
    if !value.is_object() && !value.is_array() {
        return Err(problem(ProblemCode::WrongShape, format!("`{path}` is neither a mapping nor a list")));
    }
    *value = Value::from(format.text_of(value));
    Ok(())
}

pub(super) fn mapping_to_list(root: &mut Value, path: &FieldPath, naming: &Naming) -> Result<(), Problem> {
    let mapping = inner_value_at(root, path)?;
    let map = mapping.as_object_mut().filter(|map| map.keys().eq(&naming.names) && naming.key != naming.value);
    let entries = map.map(std::mem::take).ok_or_else(|| other_names(path))?;
    let item = |(name, value)| {
        Value::Object(Map::from_iter([(naming.key.clone(), Value::String(name)), (naming.value.clone(), value)]))
    };
    *mapping = entries.into_iter().map(item).collect();
    Ok(())
}

pub(super) fn list_to_mapping(root: &mut Value, path: &FieldPath, naming: &Naming) -> Result<(), Problem> {
    let list = inner_value_at(root, path)?;
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
