//! The operation `gather`: a field of the items of a list becomes one value for all of them, or one for each key.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, de};
use serde_json::{Map, Value};

use super::condition::Condition;
use super::context::Context;
use super::fidelity::Fidelity;
use super::halt::Halt;
use super::image::{Claims, Image};
use super::loss::LossClass;
use super::object_view::ObjectView;
use super::operation::{Description, Operation};
use super::references::{referring, resolves_to_own};
use super::session::Session;
use super::verdict::{Verdict, undecided, verdict};
use crate::field::{FieldPath, FieldPattern, Part, Step};
use crate::release::GroupKind;
use crate::yaml::{Intent, Place};

/// `gather: { items: "spec.listeners[]", field: tls.frontendValidation, key: port, to: spec.tls.frontend, ... }`
#[derive(Clone, Debug)]
pub(super) struct Gather {
    /// The list of the items.
    list: FieldPath,
    /// Which items can have the field.
    only: Condition,
    /// The field, from an item; keys only.
    field: FieldPath,
    /// The key that items of the old list and of the new one share.
    key: String,
    /// The mapping that takes the values.
    to: FieldPath,
    /// The place of the value for all items, from `to`; keys only.
    shared: FieldPath,
    /// Whether one value can stand for all items.
    share_if: Condition,
    /// The key in `to` of the new list.
    keyed: String,
    /// The place of the value in an item of the new list; keys only.
    place: FieldPath,
    /// Other objects with items that the new list is about too.
    others: Option<Others>,
}

/// Objects that reference this one, and whose items count as items of it unless `share-if` holds.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Others {
    /// Their kinds: `others: { kinds: [ShopSet.example.com], parent: spec.parentRef, items: "spec.listeners[]" }`.
    kinds: Vec<GroupKind>,
    /// The reference to the object: a mapping with `name` and, for another namespace, `namespace`.
    parent: FieldPattern,
    /// Their items.
    items: FieldPattern,
}

impl Others {
    /// Returns the items of the run's objects that reference that of `session`, each with the title of its object.
    fn items<'v>(&self, session: &Session<'v>, context: &Context<'v>) -> Vec<(String, &'v Value)> {
        let references_it = |other: &ObjectView<'v>| {
            let mut references = self.parent.values(other.value).into_iter();
            references.any(|reference| resolves_to_own(reference, other, session) != Some(false))
        };
        let others = self.kinds.iter().flat_map(|kind| referring(session, context, (kind, &self.parent)));
        let items = others.filter(references_it).flat_map(|other| {
            let title = other.described();
            let paths = self.items.matches(other.value);
            paths.into_iter().filter_map(move |path| Some((title.clone(), path.get(other.value)?)))
        });
        items.collect()
    }
}

impl Gather {
    pub(super) const DESCRIPTION: Description = Description {
        name: "gather",
        text: "Moves `field` out of the `items` for which the test under `only` holds: to `shared` in the mapping `to` where all \
               have the same value and the test under `share-if` holds, else to `place` in the items of the list `list` in \
               `to`, one for each `key` (the mapping that holds `shared` is then present and empty). Refused where items of \
               one key differ, where another item has the field, or where one of the objects under `others` has an item of \
               the key with another value. The inverse gives each item the value of its key, or else the shared one; a value \
               that applies to no item is a `dropped-field` loss. It is refused where a value applies to an item of such an \
               object.",
        example: "gather: { items: \"spec.listeners[]\", only: { equals: { field: protocol, value: HTTPS } }, \
                  field: tls.frontendValidation, key: port, to: spec.tls.frontend, shared: default.validation, \
                  list: perPort, place: tls.validation }",
    };

    fn items<'v>(&self, object: &'v Value) -> &'v [Value] {
        self.list.get(object).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Returns the place of an item's field.
    fn field_of(&self, index: usize) -> FieldPath {
        self.list.index(index).join(&self.field)
    }

    /// Returns the items that can have the field, by key, in the order in which the keys first occur.
    fn by_key(&self, object: &Value) -> Vec<(Value, Vec<usize>)> {
        let mut groups: Vec<(Value, Vec<usize>)> = Vec::new();
        for (index, item) in self.items(object).iter().enumerate().filter(|(_, item)| self.only.holds(item)) {
            let key = item.get(&self.key).cloned().unwrap_or_default();
            match groups.iter_mut().find(|(met, _)| *met == key) {
                Some((_, indexes)) => indexes.push(index),
                None => groups.push((key, vec![index])),
            }
        }
        groups
    }

    /// Returns the items of each key that have the field, where they can be gathered.
    fn agreeing(&self, object: &Value) -> Result<Vec<(Value, Vec<usize>)>, Halt> {
        let items = self.items(object);
        let refuse = |index: usize, reason: String, help: String| {
            Err(Halt::Refused { at: self.field_of(index), reason, help: Some(help) })
        };
        let open = items.iter().enumerate().find_map(|(index, item)| match verdict(&self.only, item) {
            Verdict::Open(at) => Some(self.list.index(index).join(&at)),
            Verdict::Holds | Verdict::Fails => None,
        });
        if let Some(at) = open {
            return Err(undecided(at, object));
        }
        let other = items.iter().position(|item| !self.only.holds(item) && self.field.get(item).is_some());
        if let Some(index) = other {
            let reason = format!("{} does not apply to this item, so its {} cannot be kept there", self.to, self.field);
            return refuse(index, reason, "remove the field".to_owned());
        }
        let mut agreeing = self.by_key(object);
        for (key, indexes) in &agreeing {
            let value = |index: &usize| self.field.get(&items[*index]);
            if let Some(differs) = indexes.iter().find(|index| value(index) != value(&indexes[0])) {
                let name = &self.key;
                let reason = format!(
                    "items with {name} {key} differ in {}, and {} has one value for each {name}",
                    self.field, self.to
                );
                return refuse(*differs, reason, format!("give the items of one {name} the same value"));
            }
        }
        agreeing.retain(|(_, indexes)| self.field.get(&items[indexes[0]]).is_some());
        Ok(agreeing)
    }

    /// Refuses values that would also apply to items of other objects that have none or another one.
    fn check_others(&self, agreeing: &[(Value, Vec<usize>)], session: &Session<'_>) -> Result<(), Halt> {
        let items = self.items_of_others(session);
        for (key, indexes) in agreeing {
            let place = self.field_of(indexes[0]);
            let value = place.get(session.object());
            let same_key = items.iter().filter(|(_, item)| item.get(&self.key) == Some(key));
            if let Some((title, _)) = same_key.into_iter().find(|(_, item)| self.field.get(item) != value) {
                let name = &self.key;
                let reason = format!("{title} also has an item with {name} {key}, and {} would apply to it", self.to);
                let help = format!("give that item another {name}, or the same value as the items here");
                return Err(Halt::Refused { at: place, reason, help: Some(help) });
            }
        }
        Ok(())
    }

    /// Returns whether one value can stand for every item that could have one.
    fn is_shared(&self, object: &Value, agreeing: &[(Value, Vec<usize>)]) -> bool {
        let items = self.items(object);
        let value = |(_, indexes): &(Value, Vec<usize>)| self.field.get(&items[indexes[0]]);
        let everywhere = self.by_key(object).len() == agreeing.len();
        everywhere && agreeing.iter().all(|group| value(group) == value(&agreeing[0])) && self.share_if.holds(object)
    }

    /// Adds the mapping `to`: after the list where its parent is added too, else at the end of its parent.
    fn make_target(&self, mut value: Value, session: &mut Session<'_>) -> Result<(), Halt> {
        let (mut path, mut key) = split(&self.to);
        while path.get(session.object()).is_none() {
            let (outer, inner) = split(&path);
            value = Value::Object(Map::from_iter([(key, value)]));
            (path, key) = (outer, inner);
        }
        let (list_parent, list_key) = split(&self.list);
        let place = if path == list_parent { Place::After(list_key) } else { Place::Last };
        session.change(Intent::Insert { path: path.key(&key), value, place })
    }

    /// Moves the field of `indexes`, all equal, to `to`.
    fn take(&self, indexes: &[usize], to: &FieldPath, session: &mut Session<'_>) -> Result<(), Halt> {
        let (parent, key) = split(to);
        session.change(Intent::Move { from: self.field_of(indexes[0]), to: parent.key(&key), place: Place::Last })?;
        for index in &indexes[1..] {
            session.change(Intent::Delete { path: self.field_of(*index) })?;
        }
        indexes.iter().try_for_each(|index| remove_emptied(&self.list.index(*index), self.field_of(*index), session))
    }
}

impl Gather {
    /// Returns the items of other objects that can have the field, each with the title of its object: none where `share-if`
    /// holds.
    fn items_of_others<'v>(&self, session: &Session<'v>) -> Vec<(String, &'v Value)> {
        let (Some(others), Some(context)) = (&self.others, session.context()) else { return Vec::new() };
        if self.share_if.holds(session.object()) {
            return Vec::new();
        }
        let mut items = others.items(session, context);
        items.retain(|(_, item)| self.only.holds(item));
        items
    }

    /// Gathers the values, and returns the items that each comes from and its new path.
    fn gather(&self, session: &mut Session<'_>) -> Result<Vec<(Vec<usize>, FieldPath)>, Halt> {
        let agreeing = self.agreeing(session.object())?;
        let Some((_, first)) = agreeing.first() else { return Ok(Vec::new()) };
        self.check_others(&agreeing, session)?;
        if self.to.get(session.object()).is_some() {
            return Err(Halt::Conflict { old: self.field_of(first[0]), new: self.to.clone() });
        }
        let default = nested(&split(&self.shared).0, Value::Object(Map::new()));
        let mut target = default.as_object().cloned().unwrap_or_default();
        if self.is_shared(session.object(), &agreeing) {
            self.make_target(Value::Object(target), session)?;
            let all: Vec<usize> = agreeing.into_iter().flat_map(|(_, indexes)| indexes).collect();
            let place = self.to.join(&self.shared);
            self.take(&all, &place, session)?;
            return Ok(vec![(all, place)]);
        }
        let item = |(key, _): &(Value, Vec<usize>)| {
            let place = nested(&split(&self.place).0, Value::Object(Map::new()));
            let mut item = Map::from_iter([(self.key.clone(), key.clone())]);
            item.extend(place.as_object().cloned().unwrap_or_default());
            Value::Object(item)
        };
        target.insert(self.keyed.clone(), agreeing.iter().map(item).collect());
        self.make_target(Value::Object(target), session)?;
        let place = |at: usize| self.to.key(&self.keyed).index(at).join(&self.place);
        let taken: Vec<_> = agreeing.into_iter().enumerate().map(|(at, (_, indexes))| (indexes, place(at))).collect();
        taken.iter().try_for_each(|(indexes, place)| self.take(indexes, place, session))?;
        Ok(taken)
    }

    /// Records that converting back writes the value of `indexes` differently: with its keys in another order, or for several
    /// items as the first of them had it.
    fn record_other_form(&self, indexes: &[usize], taken: &FieldPath, before: &Value, session: &mut Session<'_>) {
        let mut back = Session::new(session.object().clone());
        let outcome = GatherInverse { gather: self.clone() }.run(&mut back);
        let is_same = outcome.is_ok() && same_in_order(back.object(), before);
        if indexes.len() > 1 {
            session.record_normalization(taken, "it is written once for several items, as in the first of them");
        } else if !is_same {
            session.record_normalization(taken, format!("converting back writes it last in its item of {}", self.list));
        }
    }
}

impl Operation for Gather {
    fn run(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        let before = session.object().clone();
        for (indexes, place) in self.gather(session)? {
            self.record_other_form(&indexes, &place, &before, session);
        }
        Ok(())
    }

    fn inverse(&self, _kind: &GroupKind) -> Box<dyn Operation> {
        Box::new(GatherInverse { gather: self.clone() })
    }

    fn kinds_read(&self) -> Vec<GroupKind> {
        self.others.as_ref().map(|others| others.kinds.clone()).unwrap_or_default()
    }

    fn claims(&self) -> Claims {
        let to = self.to.pattern();
        let keyed = to.with(Part::Key(self.keyed.clone())).with(Part::Items);
        let new = vec![to.join(&self.shared.pattern()), keyed.join(&self.place.pattern())];
        Claims { old: vec![self.list.pattern().with(Part::Items).join(&self.field.pattern())], new }
    }

    fn fidelity(&self) -> Option<Fidelity> {
        Some(Fidelity::Refused)
    }

    fn fidelities(&self) -> BTreeSet<Fidelity> {
        BTreeSet::from([Fidelity::Exact, Fidelity::Normalized, Fidelity::Refused])
    }
}

/// The inverse of [`Gather`]: every item gets its value. Not written in rule files.
#[derive(Clone, Debug)]
struct GatherInverse {
    gather: Gather,
}

/// A gathered value and the items that it applies to.
struct Source {
    /// The path of the value.
    path: FieldPath,
    /// The items that it applies to, by index.
    items: Vec<usize>,
}

impl GatherInverse {
    /// Returns the path of the item in the new list, for each key.
    fn entries(&self, object: &Value) -> BTreeMap<String, FieldPath> {
        let list = self.gather.to.key(&self.gather.keyed);
        let items = list.get(object).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let key = |item: &Value| item.get(&self.gather.key).map(Value::to_string).unwrap_or_default();
        items.iter().enumerate().map(|(index, item)| (key(item), list.index(index))).collect()
    }

    /// Returns the gathered values, with the items of each.
    fn sources(&self, object: &Value) -> Vec<Source> {
        let gather = &self.gather;
        let mut entries = self.entries(object);
        let mut shared = Source { path: gather.to.join(&gather.shared), items: Vec::new() };
        let mut sources = Vec::new();
        for (key, indexes) in gather.by_key(object) {
            match entries.remove(&key.to_string()) {
                Some(entry) => sources.push(Source { path: entry.join(&gather.place), items: indexes }),
                None => shared.items.extend(indexes),
            }
        }
        shared.items.sort_unstable();
        sources.push(shared);
        sources.retain(|source| source.path.get(object).is_some());
        sources
    }

    /// Refuses values that also apply to items of other objects, which would lose them.
    fn check_others(&self, session: &Session<'_>) -> Result<(), Halt> {
        let gather = &self.gather;
        let entries = self.entries(session.object());
        for (title, item) in gather.items_of_others(session) {
            let key = item.get(&gather.key).map(Value::to_string).unwrap_or_default();
            let at = match entries.get(&key) {
                Some(entry) => entry.join(&gather.place),
                None => gather.to.join(&gather.shared),
            };
            let value = at.get(session.object());
            if value.is_some() && gather.field.get(item) != value {
                let name = &gather.key;
                let reason = format!("it also applies to an item of {title} with {name} {key}, which would lose it");
                let help = format!("remove that item from {title}, or remove the value here, then convert again");
                return Err(Halt::Refused { at, reason, help: Some(help) });
            }
        }
        Ok(())
    }

    fn give(&self, source: &Source, session: &mut Session<'_>) -> Result<(), Halt> {
        let Some(value) = source.path.get(session.object()).cloned() else { return Ok(()) };
        for (nth, index) in source.items.iter().enumerate() {
            let item = self.gather.list.index(*index);
            let (parent, key) = split(&self.gather.field);
            make_parents(&item, &parent, session)?;
            let (parent, place) = (item.join(&parent), Place::Last);
            session.change(match nth {
                0 => Intent::Move { from: source.path.clone(), to: parent.key(&key), place },
                _ => Intent::Insert { path: parent.key(&key), value: value.clone(), place },
            })?;
        }
        Ok(())
    }

    /// Returns whether gathering the values again gives `before`, in the same order.
    fn is_reversible(&self, given: &Value, before: &Value) -> bool {
        let mut again = Session::new(given.clone());
        self.gather.gather(&mut again).is_ok() && same_in_order(again.object(), before)
    }

    /// Records the loss of the values that are left in the gathered mapping.
    fn record_rest(&self, session: &mut Session<'_>) {
        let gather = &self.gather;
        let Some(rest) = gather.to.get(session.object()) else { return };
        let keyed = |path: &FieldPath| path.steps().first() == Some(&Step::Key(gather.keyed.clone()));
        let is_key =
            |path: &FieldPath| keyed(path) && path.steps().len() == 3 && path.last_key() == Some(gather.key.as_str());
        // A value that applies to no item is one loss, not one for each of its fields.
        let whole = |leaf: &FieldPath| {
            let depth = if keyed(leaf) { 2 + gather.place.steps().len() } else { gather.shared.steps().len() };
            FieldPath::new(leaf.steps().iter().take(depth).cloned())
        };
        let mut leaves = Vec::new();
        collect_leaves(rest, &FieldPath::default(), &mut leaves);
        leaves.retain(|leaf| !is_key(leaf));
        let mut lost: Vec<FieldPath> = leaves.iter().map(whole).collect();
        lost.dedup();
        for path in lost {
            session.record_loss(
                LossClass::DroppedField,
                &gather.to.join(&path),
                format!("it applies to no item of {}", gather.list),
            );
        }
    }
}

impl Operation for GatherInverse {
    fn run(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        let gather = &self.gather;
        if gather.to.get(session.object()).is_none() {
            return Ok(());
        }
        let there = (0..gather.items(session.object()).len()).map(|index| gather.field_of(index));
        let mut there = there.filter(|path| path.get(session.object()).is_some());
        if let Some(new) = there.next() {
            return Err(Halt::Conflict { old: gather.to.clone(), new });
        }
        self.check_others(session)?;
        let before = session.object().clone();
        let lost = session.losses().len();
        for source in self.sources(session.object()) {
            self.give(&source, session)?;
        }
        self.record_rest(session);
        let is_whole = session.losses().len() == lost;
        session.change(Intent::Delete { path: gather.to.clone() })?;
        remove_emptied(&shared_parent(&gather.to, &gather.list), gather.to.clone(), session)?;
        if is_whole && !self.is_reversible(session.object(), &before) {
            session.record_normalization(&gather.to, format!("it is written in each item of {} instead", gather.list));
        }
        Ok(())
    }

    fn inverse(&self, _kind: &GroupKind) -> Box<dyn Operation> {
        Box::new(self.gather.clone())
    }

    fn kinds_read(&self) -> Vec<GroupKind> {
        self.gather.kinds_read()
    }

    fn claims(&self) -> Claims {
        let Claims { old, new } = self.gather.claims();
        Claims { old: new, new: old }
    }

    fn image(&self, field: &FieldPattern) -> Image {
        let claims = self.claims();
        let below = claims.old.iter().find_map(|old| field.parts().strip_prefix(old.parts()));
        match below {
            Some(below) => Image::Moved(claims.new[0].join(&FieldPattern::new(below.iter().cloned()))),
            None if field.starts_with(&self.gather.to.pattern()) => Image::Dropped,
            None => Image::Kept,
        }
    }

    fn fidelity(&self) -> Option<Fidelity> {
        Some(Fidelity::Lossy)
    }

    fn fidelities(&self) -> BTreeSet<Fidelity> {
        BTreeSet::from([Fidelity::Exact, Fidelity::Normalized, Fidelity::Lossy, Fidelity::Refused])
    }
}

/// Compares values including the order of their keys.
fn same_in_order(left: &Value, right: &Value) -> bool {
    let [left, right] = [left, right].map(Value::to_string);
    left == right
}

/// Splits a path of keys into its parent and last key.
fn split(path: &FieldPath) -> (FieldPath, String) {
    let parent = path.split_last().map(|(parent, _)| parent).unwrap_or_default();
    (parent, path.last_key().expect("checked when the rule was read: the path ends in a key").to_owned())
}

/// Returns `value` inside the mappings that `path`, keys only, names.
fn nested(path: &FieldPath, value: Value) -> Value {
    path.steps().iter().rev().fold(value, |value, step| match step {
        Step::Key(key) => Value::Object(Map::from_iter([(key.clone(), value)])),
        Step::Index(_) => value,
    })
}

/// Makes the mappings of `parents`, keys only, that are missing below `base`.
fn make_parents(base: &FieldPath, parents: &FieldPath, session: &mut Session<'_>) -> Result<(), Halt> {
    let mut path = base.clone();
    for step in parents.steps() {
        let below = path.with(step.clone());
        if let (None, Step::Key(key)) = (below.get(session.object()), step) {
            let (key, value) = (key.clone(), Value::Object(Map::new()));
            session.change(Intent::Insert { path: path.key(&key), value, place: Place::Last })?;
        }
        path = below;
    }
    Ok(())
}

/// Removes the mappings above `path`, innermost first and not as far as `base`, as long as they are empty.
fn remove_emptied(base: &FieldPath, mut path: FieldPath, session: &mut Session<'_>) -> Result<(), Halt> {
    while let Some((parent, _)) = path.split_last().filter(|(parent, _)| parent.steps().len() > base.steps().len()) {
        if !parent.get(session.object()).and_then(Value::as_object).is_some_and(Map::is_empty) {
            break;
        }
        session.change(Intent::Delete { path: parent.clone() })?;
        path = parent;
    }
    Ok(())
}

/// Returns the longest path that both start with.
fn shared_parent(left: &FieldPath, right: &FieldPath) -> FieldPath {
    let same = left.steps().iter().zip(right.steps()).take_while(|(left, right)| left == right);
    FieldPath::new(same.map(|(step, _)| step.clone()))
}

fn collect_leaves(value: &Value, path: &FieldPath, leaves: &mut Vec<FieldPath>) {
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| collect_leaves(value, &path.key(key), leaves)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| collect_leaves(item, &path.index(index), leaves));
        }
        _ => leaves.push(path.clone()),
    }
}

impl<'de> Deserialize<'de> for Gather {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields, rename_all = "kebab-case")]
        struct Wire {
            /// The items: a field pattern that ends in `[]`.
            items: FieldPattern,
            /// Which items can have the field; all where it is not written.
            #[serde(default)]
            only: Condition,
            /// The field of an item that is moved; keys only.
            field: FieldPattern,
            /// The key that an item of the old list and one of the new list share.
            key: String,
            /// The mapping that takes the values; keys only.
            to: FieldPattern,
            /// The place of the value for all items, from `to`; keys only.
            shared: FieldPattern,
            /// What must hold for the object so that one value stands for all items: `share-if: { absent: spec.others }`. It always can where this is
            /// not written.
            #[serde(default)]
            share_if: Condition,
            /// The key in `to` of the new list.
            list: String,
            /// The place of the value in an item of the new list; keys only.
            place: FieldPattern,
            /// Other objects with items that the new list is about too: `others: { kinds: [...], parent: spec.parentRef, items: "spec.listeners[]" }`.
            others: Option<Others>,
        }
        let wire = Wire::deserialize(deserializer)?;
        let keys = |pattern: &FieldPattern| {
            let path = pattern.as_path().filter(|path| !path.steps().is_empty());
            path.ok_or_else(|| {
                de::Error::custom(format!("`{pattern}` must consist of keys only, without `[]` and `{{}}`"))
            })
        };
        let list = match wire.items.split_last() {
            Some((list, Part::Items)) => keys(&list)?,
            _ => return Err(de::Error::custom(format!("`items: {}` must end in `[]`", wire.items))),
        };
        Ok(Self {
            list,
            only: wire.only,
            field: keys(&wire.field)?,
            key: wire.key,
            to: keys(&wire.to)?,
            shared: keys(&wire.shared)?,
            share_if: wire.share_if,
            keyed: wire.list,
            place: keys(&wire.place)?,
            others: wire.others,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{data, operation};
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn gather() -> Box<dyn Operation> {
        operation(
            "gather: { items: \"s.l[]\", only: { equals: { field: p, value: H } }, field: t.v, key: k, to: s.t.f, \
             shared: d.v, share-if: { absent: s.x }, list: per, place: t.v }",
        )
    }

    fn back() -> Box<dyn Operation> {
        gather().inverse(&GroupKind::new("A", ""))
    }

    #[track_caller]
    fn check(old: Value, new: Value) {
        assert_eq!(data(&*gather(), &old), Ok((new.clone(), 0)));
        assert_eq!(data(&*back(), &new), Ok((old.clone(), 0)));
        assert_eq!(data(&*gather(), &new), Ok((new, 0)));
        assert_eq!(data(&*back(), &old), Ok((old, 0)));
    }

    #[test]
    fn one_value_for_all_is_shared() {
        check(
            json!({"s": {"l": [{"p": "H", "k": 1, "t": {"m": 0, "v": "a"}}, {"p": "X", "k": 2}, {"p": "H", "k": 3, "t": {"v": "a"}}]}}),
            json!({"s": {"l": [{"p": "H", "k": 1, "t": {"m": 0}}, {"p": "X", "k": 2}, {"p": "H", "k": 3}], "t": {"f": {"d": {"v": "a"}}}}}),
        );
    }

    #[test]
    fn values_that_differ_or_are_not_for_all_get_a_key() {
        check(
            json!({"s": {"t": {"b": 1}, "l": [{"p": "H", "k": 1, "t": {"v": "a"}}, {"p": "H", "k": 3}, {"p": "H", "k": 2, "t": {"v": "b"}}]}}),
            json!({"s": {"t": {"b": 1, "f": {"d": {}, "per": [{"k": 1, "t": {"v": "a"}}, {"k": 2, "t": {"v": "b"}}]}},
                "l": [{"p": "H", "k": 1}, {"p": "H", "k": 3}, {"p": "H", "k": 2}]}}),
        );
        check(
            json!({"s": {"x": 1, "l": [{"p": "H", "k": 1, "t": {"v": "a"}}]}}),
            json!({"s": {"x": 1, "l": [{"p": "H", "k": 1}], "t": {"f": {"d": {}, "per": [{"k": 1, "t": {"v": "a"}}]}}}}),
        );
    }

    #[test]
    fn values_that_cannot_be_gathered_are_refused() {
        let at = |object: Value| match data(&*gather(), &object) {
            Err(Halt::Refused { at, .. }) => at.to_string(),
            other => panic!("{other:?}"),
        };
        let differ = json!({"s": {"l": [{"p": "H", "k": 1, "t": {"v": "a"}}, {"p": "H", "k": 1}]}});
        assert_eq!(at(differ), "s.l[1].t.v");
        let other = json!({"s": {"l": [{"p": "H", "k": 1, "t": {"v": "a"}}, {"p": "X", "k": 2, "t": {"v": "a"}}]}});
        assert_eq!(at(other), "s.l[1].t.v");
        let both = json!({"s": {"t": {"f": {}}, "l": [{"p": "H", "k": 1, "t": {"v": "a"}}]}});
        assert!(matches!(data(&*gather(), &both), Err(Halt::Conflict { .. })));
    }

    #[test]
    fn values_that_no_item_uses_are_lost() {
        let new = json!({"s": {"l": [{"p": "H", "k": 1}], "t": {"f": {"d": {"v": "a"}, "per": [{"k": 1, "t": {}}, {"k": 2, "t": {"v": "b"}}]}}}});
        let mut session = Session::new(new);
        back().run(&mut session).unwrap();
        let lost: Vec<_> = session.losses().iter().map(|loss| loss.path.to_string()).collect();
        assert_eq!(lost, ["s.t.f.d.v", "s.t.f.per[1].t.v"]);
        assert_eq!(*session.object(), json!({"s": {"l": [{"p": "H", "k": 1}]}}));
    }

    #[test]
    fn an_equivalent_spelling_is_reported() {
        let normalized = |to: Value| {
            let object = json!({"s": {"l": [{"p": "H", "k": 1}], "t": {"f": to}}});
            let mut session = Session::new(object);
            back().run(&mut session).unwrap();
            assert!(session.losses().is_empty());
            session.normalized().iter().map(|one| one.path.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(normalized(json!({"d": {"v": "a"}})), Vec::<String>::new());
        assert_eq!(normalized(json!({"d": {}, "per": [{"k": 1, "t": {"v": "a"}}]})), ["s.t.f"]);
        assert_eq!(normalized(json!({"d": {}})), ["s.t.f"]);
    }

    #[test]
    fn fields_are_followed_in_both_directions() {
        let field = |text: &str| FieldPattern::parse(text).unwrap();
        assert_eq!(gather().image(&field("s.l[].t.v.c")), Image::Moved(field("s.t.f.d.v.c")));
        assert_eq!(back().image(&field("s.t.f.per[].t.v.c")), Image::Moved(field("s.l[].t.v.c")));
        assert_eq!(back().image(&field("s.t.f.per[].k")), Image::Dropped);
    }

    proptest! {
        #[test]
        fn gathered_values_are_restored(items in prop::collection::vec((0..3_i32, 0..3_i32, any::<bool>()), 0..6)) {
            let item = |(key, value, other): &(i32, i32, bool)| match (other, value) {
                (true, _) => json!({"p": "X", "k": key}),
                (false, 0) => json!({"p": "H", "k": key, "t": {"m": 1}}),
                (false, value) => json!({"p": "H", "k": key, "t": {"m": 1, "v": value}}),
            };
            let old = json!({"s": {"l": items.iter().map(item).collect::<Vec<_>>()}});
            match data(&*gather(), &old) {
                Ok((new, losses)) => {
                    prop_assert_eq!(losses, 0);
                    prop_assert_eq!(data(&*back(), &new), Ok((old, 0)));
                }
                Err(halt) => prop_assert!(matches!(halt, Halt::Refused { .. }), "{:?}", halt),
            }
        }
    }
}
