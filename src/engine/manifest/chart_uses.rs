//! Answers: which objects in the values of a chart does it print as they are?
//!
//! Its templates show that, whatever the key is. Where they are not there, the key does (`embedded`).
//!
//! Invariant: an object with which a chart does more than print it is none of these.

use serde_json::Value;

use super::embedded::Embedded;
use super::manifest::Manifest;
use super::object::{Object, is_bare};
use super::recognizer::Recognizer;
use super::values::{Merged, is_values_file};
use super::{ignores, values_schema};
use crate::engine::finding::Location;
use crate::syntax::field::{Entries, FieldPath, Step};
use crate::syntax::template::Uses;
use crate::syntax::text::LineIndex;
use crate::syntax::yaml;

/// What a chart does with its values.
pub(crate) struct ChartUses {
    pub(crate) uses: Uses,
    /// The schemas of values, each with the place of what it is for.
    pub(crate) schemas: Vec<(FieldPath, Value)>,
}

/// A file that can have values of a chart.
pub(crate) struct ValuesFile {
    pub(crate) file: String,
    /// The place in the values of what it has.
    pub(crate) place: FieldPath,
    pub(crate) text: String,
}

impl ChartUses {
    /// Returns whether the items of the list or mapping around `item` are printed as documents.
    fn prints(&self, item: &FieldPath) -> bool {
        let Some((around, _)) = item.split_last() else { return false };
        let is_key = |step: &Step| matches!(step, Step::Key(key) if !key.contains('.'));
        around.steps().iter().all(is_key) && self.uses.prints(&key_of(&around)) && !self.describes(&around)
    }

    /// Returns whether more is done with `item` than print it.
    fn uses(&self, item: &FieldPath) -> bool {
        item.split_last().is_some_and(|(around, _)| self.uses.uses(&key_of(&around)) || self.describes(&around))
    }

    /// Returns whether a schema says what has to be in a list or mapping.
    fn describes(&self, around: &FieldPath) -> bool {
        let mut own = self.schemas.iter().filter_map(|(place, schema)| Some((schema, around.below(place)?)));
        own.any(|(schema, inside)| values_schema::is_about(schema, &inside))
    }
}

/// Returns the keys of a place, as far as there is no list.
fn key_of(place: &FieldPath) -> String {
    let keys = place.steps().iter().map_while(|step| if let Step::Key(key) = step { Some(key.as_str()) } else { None });
    keys.collect::<Vec<_>>().join(".")
}

impl ValuesFile {
    /// Returns what it has at the place of `object` in the values, if Helm merges that.
    fn merged(&self, object: &Object) -> Option<Merged> {
        let inside = object.place.below(&self.place)?;
        let is_named = |step: &Step| matches!(step, Step::Key(key) if self.text.contains(key.as_str()));
        if !inside.steps().iter().all(is_named) {
            return None;
        }
        let tree = yaml::parse(&self.text).ok()?;
        let root = tree.documents().first()?.root;
        let value = yaml::read_value(&tree, &self.text, root).ok().filter(is_bare)?;
        let own = inside.get(&value).filter(|own| own.is_object())?;
        let is_same = |key: &&str| own.text(key).is_some_and(|text| object.value.text(key) == Some(text));
        let node = yaml::find_node(&tree, &self.text, root, &inside).ok()?;
        let position = LineIndex::new(&self.text).position(&self.text, tree.span(node).start);
        Some(Merged {
            document: object.document,
            place: object.place.clone(),
            with: Location { file: self.file.clone(), position: Some(position) },
            is_object: ["apiVersion", "kind"].iter().all(is_same),
        })
    }
}

/// Takes the objects inside a values file for objects that its `chart` prints as they are where it does, and only there. The `others` are the
/// files that can have values of the chart as well.
pub(crate) fn judge(
    manifest: &mut Manifest,
    recognizer: &Recognizer,
    chart: impl FnOnce() -> Option<ChartUses>,
    others: impl FnOnce() -> Vec<ValuesFile>,
) {
    let is_any =
        manifest.embedded.iter().any(|inner| !inner.is_text) || manifest.objects.iter().any(Object::is_created);
    let Some(chart) = Some(chart).filter(|_| is_any && is_values_file(&manifest.file)).and_then(|chart| chart()) else {
        return;
    };
    let data =
        |document: usize| manifest.data(manifest.tree.documents()[document].root, recognizer).ok().filter(is_bare);
    let values: Vec<Option<Value>> = (0..manifest.tree.documents().len()).map(data).collect();
    let (objects, embedded) = (std::mem::take(&mut manifest.objects), std::mem::take(&mut manifest.embedded));
    let mut used: Vec<Embedded> = Vec::new();
    let mut kept = Vec::new();
    for object in objects {
        let inside =
            Some(&object).filter(|object| object.is_created()).and_then(|object| embedded_of(manifest, object));
        match inside.filter(|inside| values[inside.document].is_some() && chart.uses(&inside.path)) {
            Some(inside) => used.extend((!used.contains(&inside)).then_some(inside)),
            None => kept.push(object),
        }
    }
    let printed = |inner: &Embedded| {
        let value = values[inner.document].as_ref().filter(|_| !inner.is_text && chart.prints(&inner.path))?;
        inner.created(value)
    };
    manifest.is_judged = !used.is_empty();
    manifest.embedded = used;
    for inner in embedded {
        match printed(&inner) {
            Some(object) => {
                manifest.is_judged = true;
                kept.push(object);
            }
            None => manifest.embedded.push(inner),
        }
    }
    manifest.objects = kept;
    take_merged(manifest, others);
    if manifest.is_judged {
        let place = |inner: &Embedded| manifest.place_in(inner.document, &inner.path).position;
        let mut embedded = manifest.embedded.clone();
        embedded.sort_by_key(place);
        manifest.embedded = embedded;
        manifest.ignores = ignores::find(manifest);
    }
}

/// Returns what an object of values that was taken for one that is created as it is is otherwise.
fn embedded_of(manifest: &Manifest, object: &Object) -> Option<Embedded> {
    let Some(number) = object.inline_patch else {
        return Some(Embedded::new(object.document, object.place.clone(), object.value.as_object()?));
    };
    let text = &manifest.inline_patches[number];
    Some(Embedded::in_text(text.document, text.place.clone(), &object.kind.kind))
}

/// Takes in which objects Helm merges with what other files have. It replaces lists.
fn take_merged(manifest: &mut Manifest, others: impl FnOnce() -> Vec<ValuesFile>) {
    let is_entry = |object: &&Object| {
        let is_own = object.is_created() && object.inline_patch.is_none();
        is_own && object.place.steps().iter().all(|step| matches!(step, Step::Key(_)))
    };
    let mut entries = manifest.objects.iter().filter(is_entry).peekable();
    if entries.peek().is_none() {
        return;
    }
    let others = others();
    let merged = entries.flat_map(|object| others.iter().filter_map(move |other| other.merged(object)));
    manifest.merged = merged.collect();
    manifest.is_judged |= !manifest.merged.is_empty();
}
