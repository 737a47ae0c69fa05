//! Answers: what does plain data look like after an intent?
//!
//! This is independent of the code that makes the change in the text, so that each checks the other.
//!
//! Invariant: an intent that cannot be applied leaves the data unchanged.

use serde_json::{Map, Value};

use super::intent::{Intent, Naming, Place};
use super::problem::{Problem, ProblemCode};
use super::structure::TextFormat;
use crate::field::{FieldPath, Step};

impl Intent {
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
            Self::Delete { path } => remove(root, path).map(drop),
            Self::Insert { path, value, place } => insert(root, path, place, value),
            Self::Move { from, to, place } => relocate(root, from, to, place),
            Self::MoveItems { from, list, index, count } => move_items(root, from, list, *index, *count),
            Self::Wrap { path } => wrap(root, path),
            Self::Unwrap { path } => unwrap(root, path),
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

/// Returns the value at `path` without the document itself, which can only be replaced.
fn inner_value_at<'v>(root: &'v mut Value, path: &FieldPath) -> Result<&'v mut Value, Problem> {
    let _ = split(path)?;
    value_at(root, path)
}

fn rename(root: &mut Value, path: &FieldPath, to: &str) -> Result<(), Problem> {
    let (parent, step) = split(path)?;
    let Step::Key(key) = step else {
        return Err(problem(ProblemCode::WrongShape, format!("`{path}` is not an entry of a mapping")));
    };
    let map = value_at(root, &parent)?.as_object_mut().filter(|map| map.contains_key(key));
    let map = map.ok_or_else(|| missing(path))?;
    if map.contains_key(to) {
        return Err(problem(ProblemCode::Exists, format!("key `{to}` exists already")));
    }
    let entries = std::mem::take(map);
    map.extend(
        entries.into_iter().map(|(name, value)| if name == *key { (to.to_owned(), value) } else { (name, value) }),
    );
    Ok(())
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

fn insert(root: &mut Value, path: &FieldPath, place: &Place, value: &Value) -> Result<(), Problem> {
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

fn relocate(root: &mut Value, from: &FieldPath, to: &FieldPath, place: &Place) -> Result<(), Problem> {
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

fn move_items(root: &mut Value, from: &FieldPath, list: &FieldPath, index: usize, count: usize) -> Result<(), Problem> {
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
    remove(root, from).map(drop)
}

/// Refuses to move something into itself.
fn refuse_inside(from: &FieldPath, to: &FieldPath) -> Result<(), Problem> {
    if to.starts_with(from) {
        return Err(problem(ProblemCode::WrongShape, format!("`{from}` cannot be moved into itself")));
    }
    Ok(())
}

fn wrap(root: &mut Value, path: &FieldPath) -> Result<(), Problem> {
    let (outer, step) = split(path)?;
    let value = inner_value_at(root, &outer)?;
    *value = match step {
        Step::Index(0) => Value::Array(vec![value.take()]),
        Step::Index(_) => return Err(problem(ProblemCode::WrongShape, "the only item of a list is its first")),
        Step::Key(key) => Value::Object(Map::from_iter([(key.clone(), value.take())])),
    };
    Ok(())
}

fn unwrap(root: &mut Value, path: &FieldPath) -> Result<(), Problem> {
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
    let mapping = inner_value_at(root, path)?;
    let map = mapping.as_object_mut().filter(|map| map.keys().eq(&naming.names) && naming.key != naming.value);
    let entries = map.map(std::mem::take).ok_or_else(|| other_names(path))?;
    let item = |(name, value)| {
        Value::Object(Map::from_iter([(naming.key.clone(), Value::String(name)), (naming.value.clone(), value)]))
    };
    *mapping = entries.into_iter().map(item).collect();
    Ok(())
}

fn list_to_mapping(root: &mut Value, path: &FieldPath, naming: &Naming) -> Result<(), Problem> {
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
