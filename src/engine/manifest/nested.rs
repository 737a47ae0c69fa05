//! Answers: which patches stand inside a patch?
//!
//! A patch can be for objects that have patches themselves, such as those of Flux, and then holds patches that Kustomize applies where
//! these objects have it run. They are not converted.
//!
//! Invariant: a patch comes before those that stand inside it.

use serde_json::Value;

use super::json6902;
use super::manifest::Manifest;
use super::object::Document;
use super::selector::Selector;
use crate::syntax::field::{Entries, FieldPath};
use crate::syntax::yaml::{self, read_value};

/// The most patches of which one stands inside the other.
const MAX_DEPTH: usize = 16;

/// A patch inside a patch.
#[derive(Clone, Debug)]
pub(crate) struct NestedPatch {
    /// Its place in the outermost patch, or that of the text that it stands in.
    pub(crate) place: FieldPath,
    /// The number of the patch that it stands in, where that is none but the outermost.
    pub(crate) parent: Option<usize>,
    pub(crate) target: Selector,
    pub(crate) patch: Value,
}

/// A patch with those inside it.
pub(crate) struct Outermost {
    /// The number of the object that it stands in, and its place there.
    pub(crate) object: usize,
    pub(crate) place: FieldPath,
    pub(crate) inside: Vec<NestedPatch>,
}

/// Returns the patches of a file that hold others.
pub(crate) fn outermost_patches(manifest: &Manifest) -> Vec<Outermost> {
    let objects = manifest.objects.iter().enumerate();
    let patches = objects.filter(|(_, object)| object.is_inline_patch() || object.read_from == Document::JsonPatch);
    let patches = patches.map(|(at, object)| (at, FieldPath::default(), &*object.value));
    let data = manifest.data_patches.iter().filter_map(|data| {
        let (at, object) = manifest.holder(data.document, &data.place)?;
        let place = object.path_of(data.document, &data.place)?;
        let patch = place.get(&object.value)?;
        Some((at, place, patch))
    });
    let outermost = patches.chain(data).map(|(object, place, patch)| {
        let inside = nested_patches(patch, &place);
        Outermost { object, place, inside }
    });
    outermost.filter(|outermost| !outermost.inside.is_empty()).collect()
}

/// Finds the patches inside the patch `value`, a strategic merge patch or a JSON patch, at `place`.
pub(super) fn nested_patches(value: &Value, place: &FieldPath) -> Vec<NestedPatch> {
    let mut found = Vec::new();
    Finder { found: &mut found, parent: None, depth: 0 }.walk(value, place, true);
    found
}

struct Finder<'f> {
    found: &'f mut Vec<NestedPatch>,
    parent: Option<usize>,
    depth: usize,
}

impl Finder<'_> {
    /// Looks for patches in `value`, whose parts have places of their own where it `is_placed`.
    fn walk(&mut self, value: &Value, place: &FieldPath, is_placed: bool) {
        match value {
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.walk(item, &if is_placed { place.index(index) } else { place.clone() }, is_placed);
                }
            }
            Value::Object(map) => {
                for (key, field) in map {
                    let at = if is_placed { place.key(key) } else { place.clone() };
                    match (key.as_str(), field) {
                        ("patch", Value::String(text)) => self.add(&documents(text), Selector::read(value), &at, false),
                        ("patch", Value::Array(_)) => {
                            self.add(std::slice::from_ref(field), Selector::read(value), &at, is_placed);
                        }
                        ("patchesStrategicMerge", Value::Array(items)) => {
                            for item in items {
                                match item.as_str() {
                                    Some(text) => self.add(&documents(text), None, &at, false),
                                    None => self.add(std::slice::from_ref(item), None, &at, false),
                                }
                            }
                        }
                        _ => self.walk(field, &at, is_placed),
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// Adds a patch, whose parts have places of their own where it `is_placed`, and those inside it.
    fn add(&mut self, patches: &[Value], target: Option<Selector>, place: &FieldPath, is_placed: bool) {
        for patch in patches.iter().filter(|_| self.depth < MAX_DEPTH) {
            let target = match &target {
                Some(target) => target.clone(),
                None if json6902::is_one(patch) || patch.text("kind").is_none() => continue,
                None => merged_into(patch),
            };
            let number = self.found.len();
            let (place_of, parent) = (place.clone(), self.parent);
            self.found.push(NestedPatch { place: place_of, parent, target, patch: patch.clone() });
            let (parent, depth) = (Some(number), self.depth + 1);
            Finder { found: &mut *self.found, parent, depth }.walk(patch, place, is_placed);
        }
    }
}

/// Returns what selects the object that a patch, written as data, is merged into: the one that it names.
pub(super) fn merged_into(patch: &Value) -> Selector {
    let mut target = patch.as_object().cloned().unwrap_or_default();
    target.retain(|key, _| ["apiVersion", "kind"].contains(&key.as_str()));
    let name = patch.get("metadata").and_then(|metadata| metadata.get("name"));
    target.extend(name.map(|name| ("name".to_owned(), name.clone())));
    Selector::of_reference(&target)
}

/// Returns the data of the documents of a text; nothing where it cannot be read.
pub(crate) fn documents(text: &str) -> Vec<Value> {
    let Ok(tree) = yaml::parse(text) else { return Vec::new() };
    tree.documents().iter().filter_map(|document| read_value(&tree, text, document.root).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn patches_are_found_at_any_depth() {
        let inner = "kind: Route\napiVersion: example.com/v1\nmetadata: {name: a}\n";
        let middle = json!({"kind": "Store", "spec": {"patches": [{"patch": inner}]}}).to_string();
        let outer = json!({"spec": {"patches": [{"target": {"kind": "Store"}, "patch": middle}]}});
        let found = nested_patches(&outer, &FieldPath::default());
        let places: Vec<_> = found.iter().map(|patch| (patch.place.to_string(), patch.parent)).collect();
        assert_eq!(places, [("spec.patches[0].patch".to_owned(), None), ("spec.patches[0].patch".to_owned(), Some(0))]);
        let added = json!([{"op": "add", "path": "/spec/patches/-", "value": {"patch": inner}}]);
        let found = nested_patches(&added, &FieldPath::default());
        assert_eq!(found[0].place.to_string(), "[0].value.patch");
        assert!(nested_patches(&json!({"patch": "text"}), &FieldPath::default()).is_empty());
    }
}
