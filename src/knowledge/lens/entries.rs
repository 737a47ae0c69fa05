//! The operation `entries`: a mapping becomes a list of named items.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::operation::{Claims, Description, Direction, Fidelity, Image, Operation, Pass};
use super::session::{Halt, LossClass, Session};
use crate::syntax::field::{FieldPath, FieldPattern, Part};
use crate::syntax::yaml::{Intent, Naming, Place};

/// `entries: { field: "spec.rules[].matches[].headers", values: values, shared: { type: Exact }, key: name, value: value }`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entries {
    /// The mapping that becomes a list.
    field: FieldPattern,
    /// The key in the field of the mapping of entries; the field itself is that mapping where it is not written.
    values: Option<String>,
    /// The other keys of the field, which every item gets, with their defaults.
    #[serde(default)]
    shared: BTreeMap<String, Value>,
    /// The key of an item that has the name of its entry.
    key: String,
    /// The key of an item that has the value of its entry.
    value: String,
    /// How names are compared: `names: any-case`.
    #[serde(default)]
    names: Names,
}

/// How names are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Names {
    /// `a` and `A` are two names.
    #[default]
    Exact,
    /// `a` and `A` are one name, as for HTTP headers.
    AnyCase,
}

impl Entries {
    pub(super) const DESCRIPTION: Description = Description {
        name: "entries",
        text: "Makes the mapping `field` a list with one item for each entry, in their order: its name under `key`, its value, \
               with its comments, under `value`. With `values`, the entries are under that key of the field, and its other \
               keys, listed in `shared`, are copied to every item. The inverse makes a mapping again: refused where two items \
               have the same name (`names: any-case` ignores case), where items differ in a shared key, or where an \
               item has other keys. Exact.",
        example: "entries: { field: \"spec.rules[].matches[].headers\", values: values, shared: { type: Exact }, key: name, value: value }",
    };

    /// Returns the place of the entries in the mapping at `place`.
    fn entries_at(&self, place: &FieldPath) -> FieldPath {
        self.values.as_ref().map_or_else(|| place.clone(), |key| place.key(key))
    }

    fn spread(&self, place: &FieldPath, session: &mut Session<'_>) -> Result<(), Halt> {
        let Some(whole) = place.get(session.object()).and_then(Value::as_object).cloned() else { return Ok(()) };
        let entries = self.entries_at(place);
        let Some(names) = entries.get(session.object()).and_then(Value::as_object).map(keys) else {
            let reason = format!("{entries} is not a mapping, so it cannot become a list");
            return Err(Halt::refused(place.clone(), reason, "write the entries, or remove the field"));
        };
        self.distinct(&names, &entries, FieldPath::key)?;
        if let Some(values) = &self.values {
            let known = |key: &&String| *key == values || self.shared.contains_key(*key);
            if let Some(extra) = whole.keys().find(|key| !known(key)) {
                let reason = format!("the items of the list have no field {extra}");
                return Err(Halt::refused(place.key(extra), reason, "remove the field"));
            }
        }
        if names.is_empty() {
            for key in whole.keys().filter(|key| self.shared.contains_key(*key)) {
                session.record_loss(
                    LossClass::DroppedField,
                    &place.key(key),
                    "the list has no item that could have it",
                );
            }
            return session.replace(place.clone(), Value::Array(Vec::new()));
        }
        session.change(Intent::MappingToList { path: entries.clone(), naming: self.naming(names) })?;
        let Some(values) = &self.values else { return Ok(()) };
        let mut is_before = true;
        for (key, value) in &whole {
            if key == values {
                is_before = false;
                continue;
            }
            let put = if is_before { Place::Before(self.key.clone()) } else { Place::Last };
            share(&place.key(key), &entries, value, &put, session)?;
        }
        session.change(Intent::Unwrap { path: place.key(values) })
    }

    fn naming(&self, names: Vec<String>) -> Naming {
        Naming { names, key: self.key.clone(), value: self.value.clone() }
    }

    /// Refuses names that are the same.
    fn distinct(
        &self,
        names: &[String],
        at: &FieldPath,
        place: impl Fn(&FieldPath, &str) -> FieldPath,
    ) -> Result<(), Halt> {
        let mut met = BTreeSet::new();
        for name in names {
            let folded = match self.names {
                Names::Exact => name.clone(),
                Names::AnyCase => name.to_lowercase(),
            };
            if !met.insert(folded) {
                let reason = format!("{name} is listed twice, and the target release allows each name once");
                return Err(Halt::refused(place(at, name), reason, "keep one of the two"));
            }
        }
        Ok(())
    }

    fn collect(&self, place: &FieldPath, session: &mut Session<'_>) -> Result<(), Halt> {
        let Some(items) = place.get(session.object()).and_then(Value::as_array).cloned() else { return Ok(()) };
        let names = items.iter().enumerate().map(|(index, item)| self.name_of(&place.index(index), item));
        let names: Vec<String> = names.collect::<Result<_, _>>()?;
        self.distinct(&names, place, |path, _| path.clone())?;
        self.agreeing(&items, place)?;
        let odd = |key: &String| items.iter().position(|item| item.get(key).is_some() != items[0].get(key).is_some());
        let odd: Vec<_> = self.shared.keys().filter_map(|key| Some((odd(key)?, key))).collect();
        for (index, key) in odd {
            session.record_normalization(&place.index(index), format!("{key} is written once for all items"));
        }
        if names.is_empty() {
            let empty = Value::Object(Map::new());
            let value = match &self.values {
                Some(key) => Value::Object(Map::from_iter([(key.clone(), empty)])),
                None => empty,
            };
            return session.replace(place.clone(), value);
        }
        if let Some(values) = &self.values {
            session.change(Intent::Wrap { path: place.key(values) })?;
            self.unshare(&items, place, values, session)?;
        }
        let entries = self.entries_at(place);
        session.change(Intent::ListToMapping { path: entries, naming: self.naming(names) })
    }

    /// Moves what the items share out of them, next to the list under `values`: that of the first item, with its comments.
    fn unshare(&self, items: &[Value], place: &FieldPath, values: &str, session: &mut Session<'_>) -> Result<(), Halt> {
        let list = place.key(values);
        let mut is_before = true;
        for key in items[0].as_object().into_iter().flat_map(Map::keys) {
            is_before &= *key != self.key;
            if self.shared.contains_key(key) {
                let put = if is_before { Place::Before(values.to_owned()) } else { Place::Last };
                let (from, to) = (list.index(0).key(key), place.clone());
                session.relocate(from, to.key(key), put)?;
            }
        }
        for (index, item) in items.iter().enumerate().skip(1) {
            for key in self.shared.keys().filter(|key| item.get(*key).is_some()) {
                session.delete(list.index(index).key(key))?;
            }
        }
        Ok(())
    }

    /// Returns the name of an item that can become an entry.
    fn name_of(&self, at: &FieldPath, item: &Value) -> Result<String, Halt> {
        let known = |key: &String| *key == self.key || *key == self.value || self.shared.contains_key(key);
        let extra = item.as_object().and_then(|item| item.keys().find(|key| !known(key)));
        if let Some(extra) = extra {
            return Err(Halt::refused(
                at.key(extra),
                format!("the entries of the mapping have no field {extra}"),
                "remove the field",
            ));
        }
        match (item.get(&self.key).and_then(Value::as_str), item.get(&self.value)) {
            (Some(name), Some(_)) => Ok(name.to_owned()),
            _ => {
                let reason =
                    format!("an item without {} and {} cannot become an entry of a mapping", self.key, self.value);
                Err(Halt::refused(at.clone(), reason, "write both"))
            }
        }
    }

    /// Refuses items that differ in a key which the mapping has once.
    fn agreeing(&self, items: &[Value], place: &FieldPath) -> Result<(), Halt> {
        for (key, default) in &self.shared {
            let value = |item: &Value| item.get(key).unwrap_or(default).clone();
            let other = items.iter().position(|item| value(item) != value(&items[0]));
            if let Some(index) = other {
                let reason = format!("the target release has one {key} for all items, and these items differ in it");
                return Err(Halt::refused(place.index(index).key(key), reason, "write the same value in all items"));
            }
        }
        Ok(())
    }

    /// The fields of the mapping and of the list, those that become each other at the same positions.
    fn claimed(&self) -> Claims {
        let entries = self.values.as_ref().map_or_else(|| self.field.clone(), |values| self.field.key(values));
        let items = self.field.items();
        let mut old = vec![entries.with(Part::Values), entries.with(Part::Values)];
        let mut new = vec![items.key(&self.value), items.key(&self.key)];
        for shared in self.shared.keys() {
            old.push(self.field.key(shared));
            new.push(items.key(shared));
        }
        Claims { old, new }
    }
}

/// Copies what all entries share, which is at `from`, to every item: the first gets the entry itself, with its comments.
fn share(
    from: &FieldPath,
    items: &FieldPath,
    value: &Value,
    put: &Place,
    session: &mut Session<'_>,
) -> Result<(), Halt> {
    let key = from.last_key().unwrap_or_default();
    let count = items.get(session.object()).and_then(Value::as_array).map_or(0, Vec::len);
    for index in 1..count {
        session.insert(items.index(index).key(key), value.clone(), put.clone())?;
    }
    session.relocate(from.clone(), items.index(0).key(key), put.clone())
}

fn keys(map: &Map<String, Value>) -> Vec<String> {
    map.keys().cloned().collect()
}

impl Operation for Entries {
    fn run(&self, pass: &Pass<'_>, session: &mut Session<'_>) -> Result<(), Halt> {
        self.field.matches(session.object()).iter().try_for_each(|place| match pass.direction {
            Direction::Forward => self.spread(place, session),
            Direction::Backward => self.collect(place, session),
        })
    }

    fn claims(&self) -> Claims {
        let Claims { mut old, new } = self.claimed();
        old.extend(self.values.iter().map(|key| self.field.key(key)));
        Claims { old, new }
    }

    fn image(&self, direction: Direction, field: &FieldPattern) -> Image {
        if direction == Direction::Forward {
            return self.claims().image(field);
        }
        let Claims { old, new } = self.claimed();
        let is_item = *field == self.field.items();
        let taken = if is_item { Some(0) } else { new.iter().position(|one| one == field) };
        taken.map_or(Image::Kept, |at| Image::Moved(old[at].clone()))
    }

    fn makes_valid(&self, _direction: Direction, field: &FieldPattern) -> bool {
        *field == self.field
    }

    fn fidelities(&self, direction: Direction) -> Vec<Fidelity> {
        let shared = (!self.shared.is_empty()).then_some(match direction {
            Direction::Forward => Fidelity::Lossy,
            Direction::Backward => Fidelity::Normalized,
        });
        [Fidelity::Exact, Fidelity::Refused].into_iter().chain(shared).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::sequence::Lens;
    use super::super::trial::{data, operation};
    use super::*;
    use crate::knowledge::release::GroupKind;
    use proptest::prelude::*;
    use serde_json::json;

    const FLAT: &str = "entries: { field: \"r[].add\", key: name, value: value, names: any-case }";
    const NESTED: &str = "entries: { field: h, values: values, shared: { type: Exact }, key: name, value: value }";

    fn back(text: &str) -> Lens {
        operation(text).inverse(&GroupKind::new("A", ""))
    }

    /// Compares as text, so that the order of keys counts.
    #[track_caller]
    fn check(text: &str, map: &Value, list: &Value) {
        assert_eq!(data(&operation(text), map).unwrap().0.to_string(), list.to_string());
        assert_eq!(data(&back(text), list).unwrap().0.to_string(), map.to_string());
    }

    #[track_caller]
    fn check_refused(operation: &Lens, before: &Value, place: &str) {
        match data(operation, before) {
            Err(Halt::Refused { at, .. }) => assert_eq!(at.to_string(), place),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn entries_become_items_in_their_order() {
        check(
            FLAT,
            &json!({"r": [{"add": {"b": "1", "a": "2"}}, {}]}),
            &json!({"r": [{"add": [{"name": "b", "value": "1"}, {"name": "a", "value": "2"}]}, {}]}),
        );
        check(FLAT, &json!({"r": [{"add": {}}]}), &json!({"r": [{"add": []}]}));
        check(
            NESTED,
            &json!({"h": {"type": "Exact", "values": {"b": "1", "a": "2"}}}),
            &json!({"h": [{"type": "Exact", "name": "b", "value": "1"}, {"type": "Exact", "name": "a", "value": "2"}]}),
        );
        check(
            NESTED,
            &json!({"h": {"values": {"a": "2"}, "type": "X"}}),
            &json!({"h": [{"name": "a", "value": "2", "type": "X"}]}),
        );
        check(NESTED, &json!({"h": {"values": {}}}), &json!({"h": []}));
    }

    #[test]
    fn entries_can_be_named_like_the_keys() {
        for names in
            [["name", "value"], ["value", "name"], ["value", "x"], ["x", "value"], ["name", "x"], ["type", "values"]]
        {
            let map = json!({names[0]: "1", names[1]: "2"});
            let list = json!([{"name": names[0], "value": "1"}, {"name": names[1], "value": "2"}]);
            check(FLAT, &json!({"r": [{"add": map}]}), &json!({"r": [{"add": list}]}));
            check(NESTED, &json!({"h": {"values": map}}), &json!({"h": list}));
        }
    }

    #[test]
    fn an_explicit_default_equals_an_absent_one() {
        let mixed = json!({"h": [{"name": "a", "value": "1"}, {"type": "Exact", "name": "b", "value": "2"}]});
        assert_eq!(data(&back(NESTED), &mixed), Ok((json!({"h": {"values": {"a": "1", "b": "2"}}}), 0)));
    }

    #[test]
    fn items_that_a_mapping_cannot_hold_are_refused() {
        check_refused(
            &back(NESTED),
            &json!({"h": [{"name": "a", "value": "1"}, {"type": "X", "name": "b", "value": "2"}]}),
            "h[1].type",
        );
        check_refused(&back(NESTED), &json!({"h": [{"name": "a", "value": "1"}, {"name": "a", "value": "2"}]}), "h");
        check_refused(&back(NESTED), &json!({"h": [{"name": "a", "value": "1", "x": 1}]}), "h[0].x");
        check_refused(&back(NESTED), &json!({"h": [{"name": "a"}]}), "h[0]");
        check_refused(&operation(NESTED), &json!({"h": {"type": "X"}}), "h");
        check_refused(&operation(NESTED), &json!({"h": {"values": {"a": "1"}, "x": 1}}), "h.x");
        check_refused(&operation(FLAT), &json!({"r": [{"add": {"X-A": "1", "x-a": "2"}}]}), "r[0].add.x-a");
    }

    #[test]
    fn fields_are_followed() {
        let field = |text: &str| FieldPattern::parse(text).unwrap();
        assert_eq!(operation(NESTED).image(&field("h.values{}")), Image::Moved(field("h[].value")));
        assert_eq!(operation(NESTED).image(&field("h.type")), Image::Moved(field("h[].type")));
        assert_eq!(back(NESTED).image(&field("h[].type")), Image::Moved(field("h.type")));
        assert_eq!(back(FLAT).image(&field("r[].add[].name")), Image::Moved(field("r[].add{}")));
        assert_eq!(operation(FLAT).image(&field("r[].remove")), Image::Kept);
    }

    proptest! {
        #[test]
        fn mappings_are_restored(map in prop::collection::btree_map("[a-c]|name|value|type|values", "[x-z]?", 0..5), kind in prop::option::of("[EX]")) {
            let mut nested = json!({"values": map});
            if let (Some(kind), false) = (kind, map.is_empty()) {
                nested["type"] = Value::from(kind);
            }
            for (text, before) in [(FLAT, json!({"r": [{"add": map}]})), (NESTED, json!({"h": nested}))] {
                let (after, losses) = data(&operation(text), &before).unwrap();
                prop_assert_eq!(losses, 0);
                prop_assert_eq!(data(&operation(text), &after), Ok((after.clone(), 0)));
                prop_assert_eq!(data(&back(text), &after), Ok((before, 0)));
            }
        }
    }
}
