//! The operation `distribute`: one value for all items of a list becomes one of each item.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer, de};
use serde_json::{Map, Value};

use super::default::Beside;
use super::fidelity::Fidelity;
use super::halt::Halt;
use super::image::Claims;
use super::operation::{Description, Operation};
use super::session::Session;
use crate::field::{FieldPath, FieldPattern, Part};
use crate::release::GroupKind;
use crate::yaml::{Intent, Place};

/// `distribute: { field: spec.settings, to: "spec.shelves[].settings" }`
#[derive(Clone, Debug)]
pub(super) struct Distribute {
    /// The mapping with the shared value, and its key there.
    from: (FieldPath, String),
    list: FieldPath,
    /// The key in an item.
    key: String,
    /// The place of the shared value, where that is given.
    beside: Option<Beside>,
}

impl Distribute {
    pub(super) const DESCRIPTION: Description = Description {
        name: "distribute",
        text: "Gives each item of a list the value of `field`, which applies to all of them: it moves, with its comments, into the \
               first item that has none under the last key of `to`, and the others get copies. Items with a value of their own \
               keep it, which is reported; a conflict where all have one. Where there is no item, or `field` is null, nothing \
               changes. The inverse moves the value of the first item back where all items have it, and removes the others; it \
               becomes last, or is put next to the key that `before` or `after` names. Where items differ, nothing changes. Exact \
               in data: copies are written anew.",
        example: "distribute: { field: spec.settings, to: \"spec.shelves[].settings\" }",
    };

    fn shared(&self) -> FieldPath {
        self.from.0.key(&self.from.1)
    }

    /// Returns the items, which are mappings; none where one is something else.
    fn items<'o>(&self, object: &'o Value) -> Vec<(FieldPath, &'o Map<String, Value>)> {
        let items = self.list.get(object).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let mappings = items.iter().enumerate();
        let mappings = mappings.map(|(index, item)| Some((self.list.index(index), item.as_object()?)));
        mappings.collect::<Option<Vec<_>>>().unwrap_or_default()
    }

    fn spread(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        let shared = self.shared();
        let Some(value) = shared.get(session.object()).filter(|value| !value.is_null()).cloned() else { return Ok(()) };
        let items = self.items(session.object());
        let (own, open): (Vec<_>, Vec<_>) = items.into_iter().partition(|(_, item)| item.contains_key(&self.key));
        let (own, open) = [own, open].map(|items| items.into_iter().map(|(path, _)| path).collect::<Vec<_>>()).into();
        let Some((first, others)) = open.split_first() else {
            return own.first().map_or(Ok(()), |new| Err(Halt::Conflict { old: shared, new: new.key(&self.key) }));
        };
        if !own.is_empty() {
            session
                .record_normalization(&shared, format!("some items of {} have a {} of their own", self.list, self.key));
        }
        let key = self.key.clone();
        for path in others.iter().rev() {
            let (path, key, value) = (path.clone(), key.clone(), value.clone());
            session.change(Intent::Insert { path: path.key(&key), value, place: Place::Last })?;
        }
        session.change(Intent::Move { from: shared, to: first.key(&key), place: Place::Last })
    }

    fn collect(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        let items = self.items(session.object());
        let values = items.iter().map(|(_, item)| item.get(&self.key)).collect::<Option<Vec<_>>>();
        let Some((first, others)) = values.as_deref().and_then(<[_]>::split_first) else { return Ok(()) };
        let is_free = self.shared().get(session.object()).is_none();
        if !is_free || first.is_null() || others.iter().any(|other| other != first) {
            return Ok(());
        }
        let is_otherwise = |other: &&Value| other.to_string() != first.to_string();
        let is_reordered = others.iter().any(is_otherwise);
        let places: Vec<FieldPath> = items.iter().map(|(path, _)| path.key(&self.key)).collect();
        if is_reordered {
            session.record_normalization(&places[0], "the keys of the others are in another order");
        }
        let (to, key) = self.from.clone();
        for path in places.iter().skip(1).rev() {
            session.change(Intent::Delete { path: path.clone() })?;
        }
        let place = self.beside.as_ref().map_or(Place::Last, |beside| beside.place(&to, session.object()));
        session.change(Intent::Move { from: places[0].clone(), to: to.key(&key), place })
    }

    fn pattern(&self) -> FieldPattern {
        self.list.pattern().with(Part::Items).with(Part::Key(self.key.clone()))
    }
}

impl Operation for Distribute {
    fn run(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        self.spread(session)
    }

    fn reorders(&self) -> bool {
        true
    }

    fn inverse(&self, _kind: &GroupKind) -> Box<dyn Operation> {
        Box::new(DistributeInverse(self.clone()))
    }

    fn claims(&self) -> Claims {
        Claims { old: vec![self.shared().pattern()], new: vec![self.pattern()] }
    }

    fn fidelities(&self) -> BTreeSet<Fidelity> {
        BTreeSet::from([Fidelity::Exact, Fidelity::Normalized])
    }
}

/// The inverse of [`Distribute`]. Not written in rule files.
#[derive(Clone, Debug)]
struct DistributeInverse(Distribute);

impl Operation for DistributeInverse {
    fn run(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        self.0.collect(session)
    }

    fn reorders(&self) -> bool {
        true
    }

    fn inverse(&self, _kind: &GroupKind) -> Box<dyn Operation> {
        Box::new(self.0.clone())
    }

    fn claims(&self) -> Claims {
        let Claims { old, new } = self.0.claims();
        Claims { old: new, new: old }
    }

    fn fidelities(&self) -> BTreeSet<Fidelity> {
        self.0.fidelities()
    }
}

impl<'de> Deserialize<'de> for Distribute {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Wire {
            /// The value that applies to all items; keys only.
            field: FieldPattern,
            /// Its place in each item: the list, `[]` and a key.
            to: FieldPattern,
            /// The key that the value is put before when the object is converted back, where that is present: `before: name`.
            before: Option<String>,
            /// The key that it is put after then, where that is present: `after: name`. Else it is put last.
            after: Option<String>,
        }
        let Wire { field, to, before, after } = Wire::deserialize(deserializer)?;
        let wrong = || {
            de::Error::custom(format!(
                "cannot give {field} to the items at {to}: `field` is a path of keys outside of the list, and `to` a list, `[]` and a key"
            ))
        };
        let from = field.as_path().and_then(|path| Some((path.split_last()?.0, path.last_key()?.to_owned())));
        let (item, key) = to.split_last().ok_or_else(wrong)?;
        let (list, items) = item.split_last().ok_or_else(wrong)?;
        let (from, list) = from.zip(list.as_path()).ok_or_else(wrong)?;
        let (Part::Key(key), Part::Items) = (key, items) else { return Err(wrong()) };
        let shared = from.0.key(&from.1);
        if list.starts_with(&shared) || from.0.starts_with(&list) {
            return Err(wrong());
        }
        let beside = Beside::of(before, after).map_err(de::Error::custom)?;
        Ok(Self { from, list, key: key.clone(), beside })
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{data, operation};
    use super::*;
    use serde_json::json;

    const SETTINGS: &str = "distribute: { field: s.settings, to: \"s.l[].settings\", before: l }";

    /// Checks that `before` becomes `after`, and that `after` becomes `back`; the order of keys counts.
    #[track_caller]
    fn check(before: &Value, after: &Value, back: &Value) {
        let forward = operation(SETTINGS);
        let run = |one: &dyn Operation, object: &Value| data(one, object).unwrap().0.to_string();
        assert_eq!(run(&*forward, before), after.to_string());
        assert_eq!(run(&*forward.inverse(&GroupKind::new("A", "")), after), back.to_string());
    }

    #[test]
    fn each_item_gets_the_value() {
        let before = json!({"s": {"settings": {"a": 1}, "l": [{"n": 1}, {"n": 2}], "x": 0}});
        let after = json!({"s": {"l": [{"n": 1, "settings": {"a": 1}}, {"n": 2, "settings": {"a": 1}}], "x": 0}});
        check(&before, &after, &before);
    }

    #[test]
    fn values_that_differ_stay_in_their_items() {
        for same in [
            json!({"s": {"l": [{"settings": 1}, {"settings": 2}]}}),
            json!({"s": {"l": [{"settings": 1}, {}]}}),
            json!({"s": {"l": []}}),
            json!({"s": {"l": [{"settings": null}]}}),
            json!({"s": {"l": [1]}}),
            json!({"s": {"l": {"settings": 1}}}),
        ] {
            check(&same, &same, &same);
        }
    }

    #[test]
    fn what_has_no_item_stays() {
        for same in [
            json!({"s": {"settings": 1}}),
            json!({"s": {"settings": 1, "l": []}}),
            json!({"s": {"settings": null, "l": [{}]}}),
        ] {
            check(&same, &same, &same);
        }
    }

    #[test]
    fn items_keep_a_value_of_their_own() {
        let before = json!({"s": {"settings": 1, "l": [{"settings": 2}, {}]}});
        let after = json!({"s": {"l": [{"settings": 2}, {"settings": 1}]}});
        check(&before, &after, &after);
        let taken = json!({"s": {"settings": 1, "l": [{"settings": 2}]}});
        assert!(matches!(operation(SETTINGS).run(&mut Session::new(taken)), Err(Halt::Conflict { .. })));
    }

    #[test]
    fn other_paths_are_rejected() {
        for (field, to) in
            [("a", "b"), ("a[]", "b[].a"), ("a", "a.l[].b"), ("l[].a", "l[].b"), ("a", "l[]"), ("a", "l[].b.c")]
        {
            let text = format!("distribute: {{ field: \"{field}\", to: \"{to}\" }}");
            assert!(serde_yaml::from_str::<Box<dyn Operation>>(&text).is_err(), "{text}");
        }
    }
}
