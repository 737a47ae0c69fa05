//! What is kept of one lost value, and where is it restored?
//!
//! A [`Kept`] names its place by steps that survive edits elsewhere: keys, list items by their key fields or by what they
//! looked like. Its surroundings are the mapping it was taken from without it, or the list without its lost items.
//!
//! Invariant: a kept value has a place only where its surroundings are what the conversion left and nothing of the user's
//! stands there.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::value_hash::ValueHash;
use crate::engine::convert::loss_policy::loss_code;
use crate::knowledge::catalog::OUTSIDE;
use crate::knowledge::lens::LossClass;
use crate::syntax::field::{FieldPath, Step};

/// One value that a conversion took away.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Kept {
    /// The path of the mapping or list it was taken from.
    r#in: Vec<Segment>,
    /// Its place there.
    at: Slot,
    /// The value.
    value: Value,
    /// What it was taken from, without what was lost.
    around: ValueHash,
    /// What the conversion put in its place; absent where it put nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    instead: Option<ValueHash>,
    /// How it was lost: the code of the finding.
    loss: String,
}

/// One step on the way to a kept value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "a step of `in` is a key, the key fields of an item, or the index and hash of one")]
enum Segment {
    /// The value of a key: `"rules"`.
    Key(String),
    /// The list item with these key fields: `{"item":{"name":"https"}}`.
    Named(Named),
    /// The list item that looks so, which stood there: `{"index":0,"like":"00112233aabbccdd"}`.
    Alike(Alike),
}

/// See [`Segment::Named`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    item: Map<String, Value>,
}

/// See [`Segment::Alike`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Alike {
    index: usize,
    like: ValueHash,
    /// Where every item that looks so stood, where there were several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    twins: Vec<usize>,
}

/// The place in a mapping or list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "the place of a value is a key or an index")]
enum Slot {
    /// `{"key":"retry","after":"name"}`
    Entry(Entry),
    /// `{"index":1}`
    Item(Item),
}

/// See [`Slot::Entry`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    key: String,
    /// The key that stood before it; absent for the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    after: Option<String>,
}

/// See [`Slot::Item`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Item {
    index: usize,
}

/// Where a kept value goes, in the data as it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Placement {
    /// Into the mapping at this path, under its key.
    Absent(FieldPath),
    /// In place of what the conversion put there.
    Replaced(FieldPath),
    /// The very value stands there again.
    Present(FieldPath),
    /// Into the list at this path.
    Item(FieldPath, usize),
}

impl Placement {
    /// Returns whether it is in a mapping, and what `is_same` asks holds for each list around that.
    pub(super) fn is_in_mapping(&self, is_same: impl Fn(&FieldPath) -> bool) -> bool {
        let (Self::Absent(path) | Self::Replaced(path) | Self::Present(path)) = self else { return false };
        let steps = path.steps();
        let lists = (0..steps.len()).filter(|at| matches!(steps[*at], Step::Index(_)));
        lists.map(|at| FieldPath::new(steps[..at].iter().cloned())).all(|list| is_same(&list))
    }
}

/// Two snapshots of an object, in the frame of one release: as it was, and as it comes back when nothing is edited.
pub(crate) struct Snapshots<'a> {
    /// The object with everything.
    pub(crate) before: &'a Value,
    /// The object without what was lost, for comparing.
    pub(crate) after: &'a Value,
    /// Everything that was lost, as paths of `before`, none below another.
    pub(crate) gone: &'a [FieldPath],
    /// The key fields of the list at a path; none where its items have none.
    pub(crate) list_keys: &'a dyn Fn(&FieldPath) -> Vec<String>,
}

impl Snapshots<'_> {
    /// Returns where the value at `path` of `before` stands in `after`.
    fn place(&self, path: &FieldPath) -> FieldPath {
        let mut list = FieldPath::default();
        let mut place = FieldPath::default();
        for step in path.steps() {
            place = match step {
                Step::Key(key) => place.key(key),
                Step::Index(index) => {
                    let earlier = |gone: &&FieldPath| matches!(gone.split_last(), Some((parent, Step::Index(at))) if parent == list && at < index);
                    place.index(index - self.gone.iter().filter(earlier).count())
                }
            };
            list = list.with(step.clone());
        }
        place
    }

    /// Returns the steps to `parent`, from which the value of `key` was taken, or a list item.
    fn segments(&self, parent: &FieldPath, key: Option<&str>) -> Option<Vec<Segment>> {
        let mut segments = Vec::new();
        let mut seen = FieldPath::default();
        for (depth, step) in parent.steps().iter().enumerate() {
            segments.push(match step {
                Step::Key(key) => Segment::Key(key.clone()),
                Step::Index(_) => {
                    let place = self.place(&seen.with(step.clone()));
                    let item = place.get(self.after)?;
                    let own = key.filter(|_| depth + 1 == parent.steps().len());
                    let keys = (self.list_keys)(&seen);
                    let named = |key: &String| Some((key.clone(), item.get(key)?.clone()));
                    let fields: Map<String, Value> = keys.iter().filter_map(named).collect();
                    match place.steps().last() {
                        Some(Step::Index(index)) if fields.is_empty() => {
                            let (list, _) = place.split_last()?;
                            let like = ValueHash::of_but(item, own);
                            let twins = alike(list.get(self.after)?.as_array()?, like, own);
                            let twins = if twins.len() > 1 { twins } else { Vec::new() };
                            Segment::Alike(Alike { index: *index, like, twins })
                        }
                        _ => Segment::Named(Named { item: fields }),
                    }
                }
            });
            seen = seen.with(step.clone());
        }
        Some(segments)
    }
}

impl Kept {
    /// Keeps what stood at `path` before; `loss` is the code of its loss.
    ///
    /// # Errors
    /// The rest of a sentence that begins with what cannot be kept.
    pub(crate) fn new(path: &FieldPath, loss: &str, snapshots: &Snapshots<'_>) -> Result<Self, &'static str> {
        const MADE_LATER: &str = "it was created during the conversion and was not in the object";
        const NO_PLACE: &str = "converting back does not lead to its place";
        let value = path.get(snapshots.before).ok_or(MADE_LATER)?.clone();
        let (parent, last) = path.split_last().ok_or(NO_PLACE)?;
        let r#in = snapshots.segments(&parent, path.last_key()).ok_or(NO_PLACE)?;
        let around = snapshots.place(&parent);
        let around = around.get(snapshots.after).ok_or(NO_PLACE)?;
        let (at, around, instead) = match (last, around) {
            (Step::Key(key), Value::Object(map)) => {
                let keys = parent.get(snapshots.before).and_then(Value::as_object).into_iter().flat_map(Map::keys);
                // A key that does not come back, such as one without a value, is no landmark: the next run would not find it.
                let comes_back = |name: &&String| {
                    map.contains_key(name.as_str()) || snapshots.gone.contains(&parent.key(name.as_str()))
                };
                let after = keys.take_while(|name| *name != key).filter(comes_back).last().cloned();
                let at = Slot::Entry(Entry { key: key.clone(), after });
                (at, ValueHash::without(map, key), map.get(key).map(ValueHash::of))
            }
            (Step::Index(index), list @ Value::Array(_)) => {
                (Slot::Item(Item { index: *index }), ValueHash::of(list), None)
            }
            _ => return Err(NO_PLACE),
        };
        let kept = Self { r#in, at, value, around, instead, loss: loss.to_owned() };
        // What would not come back from here is not kept in the first place.
        match kept.placement(snapshots.after) {
            Some(_) => Ok(kept),
            None => Err("the fields around it are not unique in the object"),
        }
    }

    /// Keeps the same value, which stood at `path` before, in its present surroundings.
    pub(crate) fn in_new_context(&self, path: &FieldPath, snapshots: &Snapshots<'_>) -> Self {
        Self::new(path, &self.loss, snapshots).unwrap_or_else(|_| self.clone())
    }

    /// Keeps the same value beside others that came back, in `after`, where nothing stands in its place.
    pub(crate) fn beside_others(&self, after: &Value) -> Self {
        let surroundings = |key| self.parent(after)?.get(after)?.as_object().filter(|map| !map.contains_key(key));
        let around = self.entry().and_then(|(key, _)| Some(ValueHash::without(surroundings(key)?, key)));
        Self { around: around.unwrap_or(self.around), ..self.clone() }
    }

    /// Says what is wrong with a kept value that was read, as the rest of a sentence.
    pub(super) fn defect(&self) -> Option<&'static str> {
        if !LossClass::ALL.map(loss_code).iter().any(|code| code.name() == self.loss) {
            return Some("its `loss` is not a known kind of loss");
        }
        match (self.r#in.first(), &self.at) {
            (Some(Segment::Key(key)), _) if OUTSIDE.contains(&key.as_str()) => {
                Some("its place is in apiVersion, kind, metadata or status")
            }
            (Some(Segment::Key(_)), _) => None,
            (None, Slot::Entry(entry)) if !OUTSIDE.contains(&entry.key.as_str()) => None,
            _ => Some("no object has such a place"),
        }
    }

    /// Returns where the value goes in `object`; `None` where what surrounds it has changed.
    pub(super) fn placement(&self, object: &Value) -> Option<Placement> {
        let parent = self.parent(object)?;
        match (&self.at, parent.get(object)?) {
            // What is there again needs no place: an object that was split off brought it back.
            (Slot::Entry(Entry { key, .. }), Value::Object(map)) if map.get(key) == Some(&self.value) => {
                Some(Placement::Present(parent.key(key)))
            }
            (Slot::Entry(Entry { key, .. }), Value::Object(map)) if ValueHash::without(map, key) == self.around => {
                let path = parent.key(key);
                match (map.get(key), self.instead) {
                    (None, None) => Some(Placement::Absent(parent)),
                    (Some(value), Some(instead)) if ValueHash::of(value) == instead => Some(Placement::Replaced(path)),
                    _ => None,
                }
            }
            (Slot::Item(item), list @ Value::Array(_)) if ValueHash::of(list) == self.around => {
                Some(Placement::Item(parent, item.index))
            }
            _ => None,
        }
    }

    /// Finds the mapping or list that the value was taken from.
    fn parent(&self, object: &Value) -> Option<FieldPath> {
        let mut path = FieldPath::default();
        for (depth, segment) in self.r#in.iter().enumerate() {
            let items = || path.get(object)?.as_array();
            path = match segment {
                Segment::Key(key) => path.key(key),
                Segment::Named(Named { item: fields }) => {
                    let same = |item: &Value| fields.iter().all(|(key, value)| item.get(key) == Some(value));
                    path.index(only(items()?.iter().map(same))?)
                }
                Segment::Alike(Alike { index, like, twins }) => {
                    // The value itself does not count: it may stand there again.
                    let own = self.entry().filter(|_| depth + 1 == self.r#in.len()).map(|(key, _)| key);
                    let found = alike(items()?, *like, own);
                    match found.as_slice() {
                        [one] if twins.is_empty() => path.index(*one),
                        // Of several that look alike, each is itself only while all stand where they stood.
                        several if several == twins && several.contains(index) => path.index(*index),
                        _ => return None,
                    }
                }
            };
        }
        Some(path)
    }

    /// Returns the value.
    pub(super) const fn value(&self) -> &Value {
        &self.value
    }

    /// Returns whether the conversion to the release puts something at its place.
    pub(super) const fn stands_for_another(&self) -> bool {
        self.instead.is_some()
    }

    /// Returns the key under which the value stood, and the key before it; `None` for a list item.
    pub(super) fn entry(&self) -> Option<(&str, Option<&str>)> {
        match &self.at {
            Slot::Entry(entry) => Some((&entry.key, entry.after.as_deref())),
            Slot::Item(_) => None,
        }
    }

    /// Says whether both were taken from one mapping or list.
    pub(super) fn is_sibling(&self, other: &Self) -> bool {
        self.r#in == other.r#in
    }
}

/// Returns where the items of a list stand that look like `like`, without `own` key.
fn alike(items: &[Value], like: ValueHash, own: Option<&str>) -> Vec<usize> {
    let items = items.iter().enumerate();
    items.filter(|(_, item)| ValueHash::of_but(item, own) == like).map(|(index, _)| index).collect()
}

/// Returns the index of the only hit.
fn only(hits: impl Iterator<Item = bool>) -> Option<usize> {
    let mut found = hits.enumerate().filter(|(_, hit)| *hit).map(|(index, _)| index);
    found.next().filter(|_| found.next().is_none())
}

impl fmt::Display for Kept {
    /// Prints the place for people: `spec.listeners[name=https].tls`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut keys = FieldPath::default();
        let mut text = String::new();
        let flush = |keys: &mut FieldPath, text: &mut String| {
            let more = std::mem::take(keys).to_string();
            let dot = if text.is_empty() || more.is_empty() || more.starts_with('[') { "" } else { "." };
            text.push_str(dot);
            text.push_str(&more);
        };
        for segment in &self.r#in {
            match segment {
                Segment::Key(key) => keys = keys.key(key),
                Segment::Named(Named { item }) => {
                    flush(&mut keys, &mut text);
                    let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    let fields: Vec<_> = item.iter().map(|(key, value)| format!("{key}={}", plain(value))).collect();
                    text.push_str(&format!("[{}]", fields.join(",")));
                }
                Segment::Alike(Alike { index, .. }) => keys = keys.index(*index),
            }
        }
        match &self.at {
            Slot::Entry(entry) => keys = keys.key(&entry.key),
            Slot::Item(item) => keys = keys.index(item.index),
        }
        flush(&mut keys, &mut text);
        f.write_str(&text)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What the release rejects stays, and has its place again once the release accepts it; what a user wrote there has not.
    #[test]
    fn a_value_keeps_its_place_beside_others_that_came_back() {
        let key = |name: &str| FieldPath::default().key("spec").key(name);
        let (before, bare) = (json!({"spec": {"a": 1, "b": 2}}), json!({"spec": {}}));
        let gone = [key("a"), key("b")];
        let snapshots = Snapshots { before: &before, after: &bare, gone: &gone, list_keys: &|_| Vec::new() };
        let kept = Kept::new(&key("a"), "dropped-field", &snapshots).expect("it has a place");
        let with_other = json!({"spec": {"b": 2}});
        assert_eq!(kept.placement(&with_other), None);
        let kept = kept.beside_others(&with_other);
        assert_eq!(kept.placement(&with_other), Some(Placement::Absent(FieldPath::default().key("spec"))));
        let edited = json!({"spec": {"a": 3, "b": 2}});
        assert_eq!(kept.beside_others(&edited).placement(&edited), None);
    }
}
