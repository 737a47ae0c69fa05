//! Where does an annotation or label stand, under its old key, outside of the objects whose rules rename it?
//!
//! What becomes an annotation of an object of another pack is also written in `commonAnnotations`, in the values of charts, in templates. There
//! nothing tells which objects get it, so the key stays, and its place is reported.
//!
//! Invariant: nothing here changes anything; the metadata of an object, but not that of one in a text, and JSON patches, which follow the
//! rules, are not reported.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::engine::convert::{Conversion, Goal, Remark, old_places, renamed_keys};
use crate::engine::finding::{Code, Finding, Severity};
use crate::engine::manifest::{Manifest, Object, TextSearch};
use crate::syntax::field::{FieldPath, PathRef, each_child};
use crate::syntax::yaml::{self, read_value};

/// The keys of annotations and labels that foreign rules rename on the way to the targets, each with its new one and the target.
#[derive(Debug, Default)]
pub(crate) struct OldKeys {
    keys: BTreeMap<String, (String, String)>,
    /// Finds the texts without which a file has none of the keys.
    texts: Option<TextSearch>,
}

impl OldKeys {
    /// Collects the keys that the rules towards the targets of `goal` rename.
    pub(crate) fn new(goal: &Goal<'_>) -> Self {
        let keys = renamed_keys(goal);
        let texts = (!keys.is_empty()).then(|| TextSearch::new(keys.keys()));
        Self { keys, texts }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    fn may_be_in(&self, text: &str) -> bool {
        self.texts.as_ref().is_some_and(|texts| texts.is_in(text.as_bytes()))
    }

    /// Returns the places in `value` that have an old key, each with the key; of a text that holds YAML or JSON, its place. What is a
    /// key by itself, such as that of a toleration or a topology, counts too.
    fn find(&self, value: &Value, at: Option<&PathRef<'_>>, within: Within, found: &mut Vec<(FieldPath, String)>) {
        let path = || at.map(PathRef::path).unwrap_or_default();
        match value {
            Value::Object(map) if within == Within::Text || !is_metadata(&path()) => {
                let old = map.keys().filter(|key| self.keys.contains_key(*key));
                found.extend(old.map(|key| (path().key(key), key.clone())));
            }
            Value::String(text) if self.keys.contains_key(text) => found.push((path(), text.clone())),
            Value::String(text) if (text.contains('\n') || text.starts_with(['{', '['])) && self.may_be_in(text) => {
                let mut inside = Vec::new();
                if let Ok(tree) = yaml::parse(text) {
                    let roots = tree.documents().iter().filter_map(|one| read_value(&tree, text, one.root).ok());
                    roots.for_each(|value| self.find(&value, None, Within::Text, &mut inside));
                }
                found.extend(inside.into_iter().map(|(_, key)| (path(), key)));
            }
            _ => {}
        }
        each_child(value, at, &mut |child, at| self.find(child, Some(at), within, found));
    }
}

/// What is searched.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    /// A document, in which the metadata of objects follows the rules.
    Document,
    /// A text in one, of which nothing does.
    Text,
}

/// Returns whether a place is the annotations or labels of an object, by itself or in a list.
fn is_metadata(path: &FieldPath) -> bool {
    let outer = path.split_last().map(|(outer, _)| outer);
    ["annotations", "labels"].contains(&path.last_key().unwrap_or_default())
        && outer.is_some_and(|outer| outer.last_key() == Some("metadata"))
}

/// Returns the old keys that the conversion of `object` renames, or will rename once nothing holds it back, by their places in its document.
fn renamed(object: &Object, conversion: &Conversion, keys: &OldKeys, goal: &Goal<'_>) -> Vec<(FieldPath, String)> {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    keys.find(&object.value, None, Within::Document, &mut before);
    keys.find(&conversion.value, None, Within::Document, &mut after);
    let waiting = if conversion.blocks.is_empty() { Vec::new() } else { old_places(object, goal) };
    // One that only stands at another place now is still there.
    let stays = |one: &(FieldPath, String)| {
        !waiting.contains(&one.0)
            && (after.contains(one) || after.iter().any(|other| other.1 == one.1 && !before.contains(other)))
    };
    before.iter().filter(|one| !stays(one)).map(|(place, key)| (object.place.join(place), key.clone())).collect()
}

/// Reports the old keys in the documents of `manifest`, whose objects became `conversions`.
pub(crate) fn findings(
    manifest: &Manifest,
    conversions: &[Option<Conversion>],
    keys: &OldKeys,
    goal: &Goal<'_>,
) -> Vec<Finding> {
    if !keys.may_be_in(&manifest.text) {
        return Vec::new();
    }
    let is_patch = |document: usize, place: &FieldPath| {
        manifest.inline_patches.iter().any(|patch| patch.document == document && place.starts_with(&patch.place))
            || manifest.data_patches.iter().any(|patch| patch.document == document && place.starts_with(&patch.place))
    };
    let mut findings = Vec::new();
    for (number, document) in manifest.tree.documents().iter().enumerate() {
        let Ok(value) = read_value(&manifest.tree, &manifest.text, document.root) else { continue };
        let mut found = Vec::new();
        keys.find(&value, None, Within::Document, &mut found);
        let objects = manifest
            .objects
            .iter()
            .zip(conversions)
            .filter_map(|(object, conversion)| Some((object, conversion.as_ref()?)));
        let own = objects.filter(|(object, _)| object.document == number && object.inline_patch.is_none());
        let renamed: Vec<_> = own.flat_map(|(object, conversion)| renamed(object, conversion, keys, goal)).collect();
        found.retain(|one| !is_patch(number, &one.0) && !renamed.contains(one));
        for (place, key) in found {
            let Some((new, target)) = keys.keys.get(&key) else { continue };
            let message = format!("{place} has the key {key}, which is {new} in {target}; it is not updated");
            let help = "rename the key by hand, where objects get it as an annotation or label";
            let remark = Remark::new(Code::ReferenceNotUpdated, place, message).help(help);
            findings.push(remark.finding_in_document(manifest, number, Severity::Unresolved));
        }
    }
    findings
}
