//! Which API groups and apiVersions do actions print into an object, to name other objects, that the target does not have?
//!
//! References are updated where they are written. What an action prints by default, or chooses between, is reported.

use serde_json::Value;

use crate::engine::manifest::Object;
use crate::knowledge::lens::OpenParts;
use crate::syntax::field::{FieldPath, Step};
use crate::syntax::variable::{ACTION, OpenPlace, open_places};

/// Mappings with keys of the user.
const FREE: [&str; 4] = ["annotations", "data", "labels", "stringData"];

/// What goes with the target.
pub(super) struct Leaving<'l> {
    /// The kinds that leave an API group.
    pub(super) kinds: &'l dyn Fn(&str) -> Vec<&'l str>,
    /// Whether a kind leaves an apiVersion.
    pub(super) version: &'l dyn Fn(&str, &str) -> bool,
}

/// Returns the places in `object` where an action prints an API group or apiVersion that goes, each with that and the kinds that leave it.
pub(super) fn printed_references(object: &Object, open: &OpenParts, leaving: &Leaving<'_>) -> Vec<(FieldPath, String)> {
    let mut found = Vec::new();
    let goes = |value: &Value| match value {
        Value::String(text) => text.contains('/') || !(leaving.kinds)(text).is_empty(),
        _ => value.is_array() || value.is_object(),
    };
    let texts: Vec<_> = open.texts.iter().filter(|(_, values)| values.iter().any(goes)).collect();
    let inside = |one: &OpenPlace<'_>| !one.is_key && one.path.steps().len() > 1;
    let places = if texts.is_empty() { Vec::new() } else { open_places(&object.value) };
    for OpenPlace { path, text, .. } in places.into_iter().filter(inside) {
        let known = texts.iter().find(|(known, _)| known == text);
        let around = path.split_last().and_then(|(around, _)| around.get(&object.value));
        for value in known.into_iter().flat_map(|(_, values)| values) {
            let names = named(path.steps(), value, around, leaving);
            found.extend(names.into_iter().map(|name| (path.clone(), name)));
        }
    }
    for hole in open.holes.iter().filter(|hole| !hole.path.steps().is_empty()) {
        for value in hole.by_default.iter().flatten() {
            let names = named(hole.path.steps(), value, None, leaving);
            found.extend(names.into_iter().map(|name| (hole.path.clone(), name)));
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Returns the kind that a mapping has, where that is written.
fn kind_in(around: &Value) -> Option<&str> {
    around.get("kind").and_then(Value::as_str).filter(|kind| !kind.contains(ACTION))
}

/// Returns what goes of a value at `path`, which is in the mapping `around`.
fn named(path: &[Step], value: &Value, around: Option<&Value>, leaving: &Leaving<'_>) -> Vec<String> {
    let mut keys =
        path.iter().rev().filter_map(|step| if let Step::Key(key) = step { Some(key.as_str()) } else { None });
    let kind = around.and_then(kind_in);
    let has = |key: &str| around.is_some_and(|around| around.get(key).is_some());
    match (value, keys.next()) {
        // Anything can be called a group.
        (Value::String(_), Some("group")) if !has("kind") && (!has("name") || keys.any(|key| FREE.contains(&key))) => {
            Vec::new()
        }
        (Value::String(text), Some("group" | "apiGroup" | "apiGroups")) => {
            let mut kinds = (leaving.kinds)(text);
            kinds.retain(|one| kind.is_none_or(|kind| kind == *one));
            let name = || format!("{text}, which {} left", kinds.join(", "));
            (!kinds.is_empty()).then(name).into_iter().collect()
        }
        (Value::String(text), Some("apiVersion")) => {
            let left = kind.filter(|kind| (leaving.version)(text, kind));
            left.map(|kind| format!("{text}, which {kind} left")).into_iter().collect()
        }
        (Value::Array(items), _) => items.iter().flat_map(|item| named(path, item, None, leaving)).collect(),
        (Value::Object(map), _) => {
            let of_entry = |(key, inner): (&String, &Value)| {
                let path = path.iter().cloned().chain([Step::Key(key.clone())]).collect::<Vec<_>>();
                named(&path, inner, Some(value), leaving)
            };
            map.iter().flat_map(of_entry).collect()
        }
        _ => Vec::new(),
    }
}
