//! Do an object and its patch, converted one by one, still build the conversion of what they built before?
//!
//! Kustomize merges a patch into an object of an API that it does not know key by key; lists and other values replace what was
//! there (RFC 7396). What the two build is converted as one object, and the two conversions merged must be just that. A field that
//! moves out of a list which the patch replaces, or a list that was one value, breaks it: then both are held back. Where neither
//! changes and what they build needs it, that is reported at the patch.
//!
//! Invariant: after [`hold`], a patch and its object that change build the conversion of what they built.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::held::Held;
use super::linked::{Id, Linked};
use super::patches::{Patching, only_changes_version};
use crate::convert::{ObjectContext, Remark, convert};
use crate::field::{FieldPath, Step};
use crate::finding::{Code, Severity};
use crate::lens::{Completeness, Context};
use crate::manifest::Object;

/// The conversion of what a patch and its object build.
#[derive(Debug)]
pub(crate) struct MergedConversion {
    patch: Id,
    base: Id,
    /// The data; where it cannot be converted, as it is; nothing where what they build is not known.
    expected: Option<Arc<Value>>,
    /// Why it cannot be converted.
    block: Option<String>,
}

impl MergedConversion {
    /// Converts what the patches and objects of linked files build.
    pub(crate) fn all(linked: &Linked<'_>, patchings: &[Patching<'_>], others: &Context<'_>) -> Vec<Self> {
        let both_linked = patchings.iter().filter_map(Patching::linked);
        both_linked.map(|(patch, base)| Self::new(linked, patch, base, others)).collect()
    }

    fn new(linked: &Linked<'_>, patch: Id, base: Id, others: &Context<'_>) -> Self {
        let object = linked.object(base);
        let Some(merged) = merged(&object.value, &linked.object(patch).value) else {
            return Self { patch, base, expected: None, block: None };
        };
        let merged = Arc::new(with_identity_of(&object.value, merged));
        let whole = Object { value: Arc::clone(&merged), inline_patch: None, ..object.clone() };
        let context = ObjectContext { completeness: Completeness::Whole, namespace: linked.namespace(base), others };
        let made = convert(&whole, linked.targets.goal, context);
        let block = made.as_ref().and_then(|made| made.blocks.first()).map(|block| block.message.clone());
        let expected = made.filter(|made| made.blocks.is_empty()).map_or(merged, |made| made.value);
        Self { patch, base, expected: Some(expected), block }
    }

    /// Returns why the two, converted one by one, would not build what they should.
    fn conflict(&self, linked: &Linked<'_>, held: &Held) -> Option<String> {
        let sides = [self.patch, self.base];
        let Some(expected) = &self.expected else {
            let moves = |id: &Id| linked.is_changed(*id) && !held.contains(*id) && !only_changes_version(linked, *id);
            let why = "the patch has a directive for Kustomize (`$patch`), and the result of merging a converted patch is not known";
            return sides.iter().any(moves).then(|| why.to_owned());
        };
        let [patch, base] = sides.map(|id| data_after(linked, id, held));
        let field = first_difference(expected, &merged(&base, &patch)?)?;
        let is_idle = !sides.iter().any(|id| linked.is_changed(*id));
        match &self.block {
            _ if is_idle && sides.iter().any(|id| held.contains(*id)) => None,
            Some(block) => Some(format!("the object that they build cannot be converted: {block}")),
            None if is_idle => Some(format!(
                "the object that they build needs a conversion of `{field}`, which neither of the two files shows alone"
            )),
            None => Some(format!(
                "converted one by one, they would build a `{field}` that differs from the conversion of what they build now"
            )),
        }
    }
}

/// Holds back patches and objects that would build something else than the conversion of what they build; returns whether there
/// were any.
pub(crate) fn hold(linked: &Linked<'_>, conversions: &[MergedConversion], held: &mut Held) -> bool {
    let mut more = BTreeMap::new();
    for one in conversions {
        let sides = [one.patch, one.base];
        let Some(why) = one.conflict(linked, held) else { continue };
        let is_idle = !sides.iter().any(|id| linked.is_changed(*id));
        // Where neither shows alone that there is something to do, the patch is where to look.
        let is_reported = |id: &Id| if is_idle { *id == one.patch } else { linked.is_changed(*id) };
        for id in sides.into_iter().filter(|id| is_reported(id) && !held.contains(*id)) {
            let (other, words) = match id == one.patch {
                true => (one.base, "it is merged into"),
                false => (one.patch, "it is patched by"),
            };
            let (title, place) = (linked.object(other).title(), linked.location(other));
            let message = format!("{words} {title} at {place}; {why}");
            let help = "convert both by hand, and compare the output of `kustomize build` before and after, the first one converted";
            let remark = Remark::new(Code::ConvertsTogether, FieldPath::default(), message, Some(help.to_owned()));
            more.insert(id, linked.finding(id, &remark, Severity::Held));
        }
    }
    held.extend(more)
}

/// Returns an object's data after the conversion.
fn data_after(linked: &Linked<'_>, id: Id, held: &Held) -> Arc<Value> {
    let made = linked.conversion(id).filter(|_| !held.contains(id));
    made.map_or_else(|| Arc::clone(&linked.object(id).value), |made| Arc::clone(&made.value))
}

/// Returns what was merged into `base` with what a patch does not change: apiVersion, kind, name and namespace.
fn with_identity_of(base: &Value, mut merged: Value) -> Value {
    for path in ["apiVersion", "kind", "metadata.name", "metadata.namespace"] {
        let path = FieldPath::new(path.split('.').map(|key| Step::Key(key.to_owned())));
        if let (Some(own), Some(made)) = (path.get(base), path.get_mut(&mut merged)) {
            made.clone_from(own);
        }
    }
    merged
}

/// Merges `patch` into `base`; `None` where the patch has a directive that changes how Kustomize merges.
///
/// Source: RFC 7396; Kustomize, strategic merge of kinds without a schema.
fn merged(base: &Value, patch: &Value) -> Option<Value> {
    let Value::Object(patch) = patch else { return Some(patch.clone()) };
    if patch.keys().any(|key| key.starts_with("$patch") || key.starts_with("$retainKeys")) {
        return None;
    }
    let mut all = base.as_object().cloned().unwrap_or_else(Map::new);
    for (key, value) in patch {
        if value.is_null() {
            all.shift_remove(key);
        } else {
            let inner = merged(all.get(key).unwrap_or(&Value::Null), value)?;
            all.insert(key.clone(), inner);
        }
    }
    Some(Value::Object(all))
}

/// Returns the first field in which two objects differ, whatever their versions and metadata.
fn first_difference(expected: &Value, made: &Value) -> Option<FieldPath> {
    let keys = |value: &Value| value.as_object().into_iter().flat_map(Map::keys).cloned().collect::<Vec<_>>();
    let mut keys: Vec<String> = keys(expected).into_iter().chain(keys(made)).collect();
    keys.retain(|key| !["apiVersion", "kind", "metadata", "status"].contains(&key.as_str()));
    keys.iter().find_map(|key| difference(FieldPath::default().key(key), expected.get(key), made.get(key)))
}

fn difference(path: FieldPath, expected: Option<&Value>, made: Option<&Value>) -> Option<FieldPath> {
    match (expected, made) {
        (Some(Value::Object(expected)), Some(Value::Object(made))) => {
            let keys = expected.keys().chain(made.keys());
            keys.into_iter().find_map(|key| difference(path.key(key), expected.get(key), made.get(key)))
        }
        // Kustomize makes an empty mapping of one in which the patch takes something away.
        (None, Some(Value::Object(empty))) | (Some(Value::Object(empty)), None) if empty.is_empty() => None,
        _ => (expected != made).then_some(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_patch_is_merged_key_by_key() {
        let base = json!({"a": {"b": 1, "c": 2}, "l": [1, 2], "x": 1});
        let patch = json!({"a": {"b": 3}, "l": [4], "x": null, "n": {"y": null, "z": 1}});
        let built = json!({"a": {"b": 3, "c": 2}, "l": [4], "n": {"z": 1}});
        assert_eq!(merged(&base, &patch), Some(built));
        assert_eq!(merged(&base, &json!({"a": {"$patch": "delete"}})), None);
    }

    #[test]
    fn metadata_and_versions_may_differ() {
        let object = |version: &str, name: &str, port: u16| json!({"apiVersion": version, "metadata": {"name": name}, "spec": {"l": [{"port": port}], "p": {"q": port}}});
        assert_eq!(first_difference(&object("v1", "a", 1), &object("v2", "b", 1)), None);
        let difference = first_difference(&object("v1", "a", 1), &object("v1", "a", 2)).unwrap();
        assert_eq!(difference.to_string(), "spec.l");
        let more = first_difference(&json!({"spec": {"a": 1}}), &json!({"spec": {"a": 1, "b": 1}})).unwrap();
        assert_eq!(more.to_string(), "spec.b");
    }
}
