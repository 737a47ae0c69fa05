//! Answers: do an object and its patch, converted one by one, still build what they built before?
//!
//! Kustomize merges a patch into an object of an API that it does not know key by key; lists and other values take the place of
//! what was there (RFC 7396). What the two build is converted as one object, and the two conversions merged must be just that. A
//! field that moves out of a list which the patch replaces, or a list that was one value, breaks it: then both stay as they are. Where
//! neither changes and what they build needs it, that is told at the patch.
//!
//! Invariant: after it, two tied objects that change build the conversion of what they built.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::object::Scene;
use super::patched::Side;
use super::{Held, Id, Remark, Run, finding};
use crate::field::{FieldPath, Step};
use crate::finding::{Code, Severity};
use crate::lens::{Completeness, Context};
use crate::manifest::Object;

/// What a patch and its object build, converted as one.
#[derive(Debug)]
pub(super) struct Built {
    patch: Id,
    base: Id,
    /// The data; where it cannot be converted, as it is; nothing where what they build is not known.
    wanted: Option<Arc<Value>>,
    /// Why it cannot be converted.
    block: Option<String>,
}

impl Run<'_> {
    /// Converts what the tied objects of open files build.
    pub(super) fn build(&self, surroundings: &Context<'_>) -> Vec<Built> {
        let open = self.ties.iter().filter_map(|tie| match tie {
            [Side::Open(patch), Side::Open(base)] => Some((*patch, *base)),
            _ => None,
        });
        open.map(|(patch, base)| self.build_one(patch, base, surroundings)).collect()
    }

    fn build_one(&self, patch: Id, base: Id, surroundings: &Context<'_>) -> Built {
        let object = self.object(base);
        let Some(merged) = merged(&object.value, &self.object(patch).value) else {
            return Built { patch, base, wanted: None, block: None };
        };
        let merged = Arc::new(as_built(merged, &object.value));
        let whole = Object { value: Arc::clone(&merged), inset: None, ..object.clone() };
        let scene = Scene { completeness: Completeness::Whole, home: self.home(base), surroundings };
        let made = self.course.convert(&whole, scene);
        let block = made.as_ref().and_then(|made| made.blocks.first()).map(|block| block.message.clone());
        let wanted = made.filter(|made| made.blocks.is_empty()).map_or(merged, |made| made.value);
        Built { patch, base, wanted: Some(wanted), block }
    }

    /// Holds back tied objects that would build something else than the conversion of what they build; says whether there were
    /// any.
    pub(super) fn hold_unlike(&self, held: &mut Held) -> bool {
        let mut more = Held::new();
        for built in &self.built {
            let sides = [built.patch, built.base];
            let Some(why) = self.unlike(built, held) else { continue };
            let is_idle = !sides.iter().any(|id| self.is_changed(*id));
            // Where neither shows alone that there is something to do, the patch is where to look.
            let is_told = |id: &Id| if is_idle { *id == built.patch } else { self.is_changed(*id) };
            for id in sides.into_iter().filter(|id| is_told(id) && !self.is_held(*id, held)) {
                let (other, words) = match id == built.patch {
                    true => (built.base, "it is merged into"),
                    false => (built.patch, "it is patched by"),
                };
                let (title, place) = (self.object(other).title(), self.place(other));
                let message = format!("{words} {title} at {place}; {why}");
                let help = "convert both by hand; `kustomize build` before and after, the first converted, shows the difference";
                let (path, help) = (FieldPath::default(), Some(help.to_owned()));
                let remark = Remark { code: Code::ConvertsTogether, path, message, help };
                more.insert(id, finding(self.manifests[id.0], self.object(id), &remark, Severity::Held));
            }
        }
        let any = !more.is_empty();
        held.extend(more);
        any
    }

    /// Says why two tied objects would not build what they should.
    fn unlike(&self, built: &Built, held: &Held) -> Option<String> {
        let sides = [built.patch, built.base];
        let Some(wanted) = &built.wanted else {
            let moves = |id: &Id| self.is_changed(*id) && !self.is_held(*id, held) && !self.only_takes_a_version(*id);
            let why =
                "the patch tells Kustomize how to merge (`$patch`), and what that makes of a conversion is not known";
            return sides.iter().any(moves).then(|| why.to_owned());
        };
        let [patch, base] = sides.map(|id| self.data_after(id, held));
        let field = first_unlike(wanted, &merged(&base, &patch)?)?;
        let is_idle = !sides.iter().any(|id| self.is_changed(*id));
        match &built.block {
            _ if is_idle && sides.iter().any(|id| self.is_held(*id, held)) => None,
            Some(block) => Some(format!("what they build cannot be converted: {block}")),
            None if is_idle => {
                Some(format!("what they build needs another `{field}`, which neither of them shows alone"))
            }
            None => Some(format!(
                "converted one by one, they would build another `{field}` than what they build now becomes"
            )),
        }
    }

    fn is_changed(&self, id: Id) -> bool {
        self.converted[id.0][id.1].as_ref().is_some_and(|made| !made.program.is_empty())
    }

    /// Returns an object's data afterwards.
    fn data_after(&self, id: Id, held: &Held) -> Arc<Value> {
        let made = self.converted[id.0][id.1].as_ref().filter(|_| !self.is_held(id, held));
        made.map_or_else(|| Arc::clone(&self.object(id).value), |made| Arc::clone(&made.value))
    }
}

/// Returns what was merged into `base` with what a patch does not change: what it is, and what it is called.
fn as_built(mut merged: Value, base: &Value) -> Value {
    for path in ["apiVersion", "kind", "metadata.name", "metadata.namespace"] {
        let path = FieldPath::new(path.split('.').map(|key| Step::Key(key.to_owned())));
        if let (Some(own), Some(made)) = (path.get(base), path.get_mut(&mut merged)) {
            made.clone_from(own);
        }
    }
    merged
}

/// Merges `patch` into `base`; `None` where the patch tells Kustomize to do it in another way.
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
fn first_unlike(wanted: &Value, made: &Value) -> Option<FieldPath> {
    let keys = |value: &Value| value.as_object().into_iter().flat_map(Map::keys).cloned().collect::<Vec<_>>();
    let mut keys: Vec<String> = keys(wanted).into_iter().chain(keys(made)).collect();
    keys.retain(|key| !["apiVersion", "kind", "metadata", "status"].contains(&key.as_str()));
    keys.iter().find_map(|key| unlike(FieldPath::default().key(key), wanted.get(key), made.get(key)))
}

fn unlike(path: FieldPath, wanted: Option<&Value>, made: Option<&Value>) -> Option<FieldPath> {
    match (wanted, made) {
        (Some(Value::Object(wanted)), Some(Value::Object(made))) => {
            let keys = wanted.keys().chain(made.keys());
            keys.into_iter().find_map(|key| unlike(path.key(key), wanted.get(key), made.get(key)))
        }
        // Kustomize makes an empty mapping of one in which the patch takes something away.
        (None, Some(Value::Object(empty))) | (Some(Value::Object(empty)), None) if empty.is_empty() => None,
        _ => (wanted != made).then_some(path),
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
        assert_eq!(first_unlike(&object("v1", "a", 1), &object("v2", "b", 1)), None);
        let unlike = first_unlike(&object("v1", "a", 1), &object("v1", "a", 2)).unwrap();
        assert_eq!(unlike.to_string(), "spec.l");
        let more = first_unlike(&json!({"spec": {"a": 1}}), &json!({"spec": {"a": 1, "b": 1}})).unwrap();
        assert_eq!(more.to_string(), "spec.b");
    }
}
