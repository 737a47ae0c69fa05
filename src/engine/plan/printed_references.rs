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
            let names = named(path.steps(), value, (around, open), leaving);
            found.extend(names.into_iter().map(|name| (path.clone(), name)));
        }
    }
    for hole in open.holes.iter().filter(|hole| !hole.path.steps().is_empty()) {
        for value in hole.by_default.iter().flatten() {
            let names = named(hole.path.steps(), value, (None, open), leaving);
            found.extend(names.into_iter().map(|name| (hole.path.clone(), name)));
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Returns the kind that a mapping has, or those that an action prints there by default or chooses between; `None` where that is not known.
fn kinds_in<'v>(around: &'v Value, open: &'v OpenParts) -> Option<Vec<&'v str>> {
    let kind = around.get("kind").and_then(Value::as_str)?;
    match open.values_of(kind) {
        Some(values) => Some(values.iter().filter_map(Value::as_str).collect()),
        None => (!kind.contains(ACTION)).then(|| vec![kind]),
    }
}

/// Returns what goes of a value at `path`, which is in the mapping `around` of an object of which `open` is not known.
fn named(
    path: &[Step],
    value: &Value,
    (around, open): (Option<&Value>, &OpenParts),
    leaving: &Leaving<'_>,
) -> Vec<String> {
    let mut keys =
        path.iter().rev().filter_map(|step| if let Step::Key(key) = step { Some(key.as_str()) } else { None });
    let known = around.and_then(|around| kinds_in(around, open));
    let has = |key: &str| around.is_some_and(|around| around.get(key).is_some());
    match (value, keys.next()) {
        // Anything can be called a group.
        (Value::String(_), Some("group")) if !has("kind") && (!has("name") || keys.any(|key| FREE.contains(&key))) => {
            Vec::new()
        }
        (Value::String(text), Some("group" | "apiGroup" | "apiGroups")) => {
            let mut kinds = (leaving.kinds)(text);
            kinds.retain(|one| known.as_ref().is_none_or(|known| known.contains(one)));
            let name = || format!("{text}, which {} left", kinds.join(", "));
            (!kinds.is_empty()).then(name).into_iter().collect()
        }
        (Value::String(text), Some("apiVersion")) => {
            let left = known.into_iter().flatten().find(|kind| (leaving.version)(text, kind));
            left.map(|kind| format!("{text}, which {kind} left")).into_iter().collect()
        }
        (Value::Array(items), _) => items.iter().flat_map(|item| named(path, item, (None, open), leaving)).collect(),
        (Value::Object(map), _) => {
            let of_entry = |(key, inner): (&String, &Value)| {
                let path = path.iter().cloned().chain([Step::Key(key.clone())]).collect::<Vec<_>>();
                named(&path, inner, (Some(value), open), leaving)
            };
            map.iter().flat_map(of_entry).collect()
        }
        _ => Vec::new(),
    }
}
