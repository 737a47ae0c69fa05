//! The operation `lift`: a list in each of several items becomes one list of the object.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer, de};
use serde_json::{Map, Value};

use super::fidelity::Fidelity;
use super::halt::Halt;
use super::image::Claims;
use super::operation::{Description, Operation};
use super::session::Session;
use crate::field::{FieldPath, FieldPattern, Part, Step};
use crate::release::GroupKind;
use crate::yaml::{Intent, Place};

/// `lift: { from: "spec.rules[].matches[].snis", to: spec.hostnames }`
#[derive(Clone, Debug)]
pub(super) struct Lift {
    /// The items, whose lists must be equal: `spec.rules`.
    outer: FieldPath,
    /// The key of each one's alternatives: `matches`.
    inner: String,
    /// The key of the list in an alternative: `snis`.
    key: String,
    /// The mapping that gets the list, and its key there.
    to: (FieldPath, String),
}

impl Lift {
    pub(super) const DESCRIPTION: Description = Description {
        name: "lift",
        text: "Moves a list of texts from the alternatives (`[]` in the middle) of several items to one list `to`. An item \
               matches where any of its alternatives does, so their lists are joined. Refused where the items differ, where \
               an alternative has other keys, or where one has a list and another none. The inverse writes the list into one \
               alternative of every item. Exact for one item with one alternative, else normalized.",
        example: "lift: { from: \"spec.rules[].matches[].snis\", to: spec.hostnames }",
    };

    fn target(&self) -> FieldPath {
        self.to.0.key(&self.to.1)
    }

    /// Returns the places of an item's alternatives.
    fn alternatives(&self, item: &FieldPath, object: &Value) -> Vec<FieldPath> {
        let list = item.key(&self.inner);
        let count = list.get(object).and_then(Value::as_array).map_or(0, Vec::len);
        (0..count).map(|index| list.index(index)).collect()
    }

    fn items(&self, object: &Value) -> Vec<FieldPath> {
        let count = self.outer.get(object).and_then(Value::as_array).map_or(0, Vec::len);
        (0..count).map(|index| self.outer.index(index)).collect()
    }

    /// Returns the texts that an item's alternatives list together, in their order; none where no alternative has a list.
    fn listed(&self, item: &FieldPath, object: &Value) -> Result<Vec<Value>, Halt> {
        let mut listed: Vec<Value> = Vec::new();
        let mut unlimited = None;
        for place in self.alternatives(item, object) {
            let alternative = place.get(object).and_then(Value::as_object);
            let more = alternative.and_then(|alternative| alternative.keys().find(|key| **key != self.key));
            if let (Some(key), true) = (more, place.key(&self.key).get(object).is_some()) {
                let reason = format!("{} cannot express {key}, which is in one item with {}", self.target(), self.key);
                return Err(refused(place.key(key), reason, "remove one of the two"));
            }
            let texts = place.key(&self.key).get(object).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            if texts.is_empty() {
                unlimited = Some(place);
            }
            for text in texts {
                if !listed.contains(text) {
                    listed.push(text.clone());
                }
            }
        }
        match unlimited {
            Some(at) if !listed.is_empty() => {
                let reason = format!("without {} it matches everything, and another alternative does not", self.key);
                Err(refused(at, reason, "keep only the alternative that you need"))
            }
            _ => Ok(listed),
        }
    }

    /// Returns the texts of every item, where they are the same in all.
    fn agreed(&self, items: &[FieldPath], object: &Value) -> Result<Vec<Value>, Halt> {
        let Some((first, others)) = items.split_first() else { return Ok(Vec::new()) };
        let listed = self.listed(first, object)?;
        let set = |texts: &[Value]| texts.iter().map(ToString::to_string).collect::<BTreeSet<_>>();
        for item in others {
            if set(&self.listed(item, object)?) != set(&listed) {
                let reason =
                    format!("{} applies to the whole object, and the items differ in {}", self.target(), self.key);
                return Err(refused(item.clone(), reason, "write a separate object for each of them"));
            }
        }
        Ok(listed)
    }

    fn raise(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        let items = self.items(session.object());
        let lists: Vec<_> = items.iter().flat_map(|item| self.alternatives(item, session.object())).collect();
        let lists = lists.iter().map(|place| place.key(&self.key));
        let lists: Vec<_> = lists.filter(|list| list.get(session.object()).is_some()).collect();
        let agreed = self.agreed(&items, session.object())?;
        let full =
            |list: &&FieldPath| list.get(session.object()).and_then(Value::as_array).is_some_and(|it| !it.is_empty());
        let Some(from) = lists.iter().find(full).cloned() else { return Ok(()) };
        let other = |list: &FieldPath| list.get(session.object()) != from.get(session.object());
        if lists.iter().any(other) || lists.len() > items.len() {
            session.record_normalization(&self.outer, format!("{} has the texts of all the lists", self.target()));
        }
        let (to, key) = self.to.clone();
        let place = Place::Before(self.outer.last_key().unwrap_or_default().to_owned());
        session.change(Intent::Move { from: from.clone(), to: to.key(&key), place })?;
        for list in lists.into_iter().filter(|list| *list != from) {
            session.change(Intent::Delete { path: list })?;
        }
        self.complete(&agreed, session)?;
        self.remove_emptied(&items, session)
    }

    /// Adds the texts of the other alternatives to the lifted list.
    fn complete(&self, agreed: &[Value], session: &mut Session<'_>) -> Result<(), Halt> {
        let path = self.target();
        for text in agreed {
            let present = path.get(session.object()).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            if !present.contains(text) {
                let index = present.len();
                session.change(Intent::Insert { path: path.index(index), value: text.clone(), place: Place::Last })?;
            }
        }
        Ok(())
    }

    /// Removes the alternatives where all are empty: an empty alternative matches everything.
    fn remove_emptied(&self, items: &[FieldPath], session: &mut Session<'_>) -> Result<(), Halt> {
        for item in items {
            let places = self.alternatives(item, session.object());
            let empty =
                |place: &FieldPath| place.get(session.object()).and_then(Value::as_object).is_some_and(Map::is_empty);
            if item.key(&self.inner).get(session.object()).is_some_and(Value::is_array) && places.iter().all(empty) {
                session.change(Intent::Delete { path: item.key(&self.inner) })?;
            }
        }
        Ok(())
    }

    fn lower(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        let from = self.target();
        let Some(list) = from.get(session.object()).cloned() else { return Ok(()) };
        if list.as_array().is_none_or(Vec::is_empty) {
            return session.change(Intent::Delete { path: from });
        }
        let items = self.items(session.object());
        let Some((first, others)) = items.split_first() else {
            let reason =
                format!("the target release has {} only in the items of {}, and there are none", self.key, self.outer);
            return Err(refused(from, reason, "add the item that it belongs to"));
        };
        let write = |item: &FieldPath, alternative: Map<String, Value>| {
            let value = Value::Array(vec![Value::Object(alternative)]);
            Intent::Insert { path: item.key(&self.inner), value, place: Place::First }
        };
        for item in others {
            session.change(write(item, Map::from_iter([(self.key.clone(), list.clone())])))?;
        }
        session.change(write(first, Map::new()))?;
        let to = first.key(&self.inner).index(0);
        session.change(Intent::Move { from, to: to.key(&self.key), place: Place::Last })
    }

    fn pattern(&self) -> FieldPattern {
        let inner = self.outer.pattern().with(Part::Items).with(Part::Key(self.inner.clone()));
        inner.with(Part::Items).with(Part::Key(self.key.clone()))
    }
}

fn refused(at: FieldPath, reason: String, help: &str) -> Halt {
    Halt::Refused { at, reason, help: Some(help.to_owned()) }
}

impl Operation for Lift {
    fn run(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        self.raise(session)
    }

    fn inverse(&self, _kind: &GroupKind) -> Box<dyn Operation> {
        Box::new(LiftInverse { lift: self.clone() })
    }

    fn claims(&self) -> Claims {
        Claims { old: vec![self.pattern()], new: vec![self.target().pattern()] }
    }

    fn fidelity(&self) -> Option<Fidelity> {
        Some(Fidelity::Refused)
    }

    fn fidelities(&self) -> BTreeSet<Fidelity> {
        BTreeSet::from([Fidelity::Exact, Fidelity::Normalized, Fidelity::Refused])
    }
}

/// The inverse of [`Lift`]. Not written in rule files.
#[derive(Clone, Debug)]
struct LiftInverse {
    lift: Lift,
}

impl Operation for LiftInverse {
    fn run(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        self.lift.lower(session)
    }

    fn inverse(&self, _kind: &GroupKind) -> Box<dyn Operation> {
        Box::new(self.lift.clone())
    }

    fn claims(&self) -> Claims {
        let Claims { old, new } = self.lift.claims();
        Claims { old: new, new: old }
    }
}

impl<'de> Deserialize<'de> for Lift {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Wire {
            /// The lists, as `a.items[].alternatives[].list`.
            from: FieldPattern,
            /// The one list: a key next to the items.
            to: FieldPattern,
        }
        let wire = Wire::deserialize(deserializer)?;
        let from = match wire.from.parts() {
            [outer @ .., Part::Items, Part::Key(inner), Part::Items, Part::Key(key)] => {
                let outer = FieldPattern::new(outer.iter().cloned()).as_path().filter(|path| path.last_key().is_some());
                outer.map(|outer| (outer, inner.clone(), key.clone()))
            }
            _ => None,
        };
        let to = wire.to.as_path();
        let to = to.as_ref().and_then(FieldPath::split_last).and_then(|(parent, step)| match step {
            Step::Key(key) => Some((parent, key.clone())),
            Step::Index(_) => None,
        });
        match (from, to) {
            (Some((outer, inner, key)), Some(to)) if outer.starts_with(&to.0) => Ok(Self { outer, inner, key, to }),
            _ => Err(de::Error::custom(
                "write `from` as `a.items[].alternatives[].list` and `to` as a key next to the items",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{data, operation};
    use super::*;
    use serde_json::json;

    const LIFT: &str = "lift: { from: \"spec.rules[].matches[].snis\", to: spec.hostnames }";

    fn back() -> Box<dyn Operation> {
        operation(LIFT).inverse(&GroupKind::new("A", ""))
    }

    #[track_caller]
    fn check(rules: &Value, hostnames: &Value, after: &Value) {
        let expected = json!({"spec": {"hostnames": hostnames, "rules": after}});
        assert_eq!(
            data(&*operation(LIFT), &json!({"spec": {"rules": rules}})).unwrap().0.to_string(),
            expected.to_string()
        );
        assert_eq!(data(&*operation(LIFT), &expected), Ok((expected, 0)));
    }

    #[track_caller]
    fn check_refused(rules: &Value, place: &str) {
        match data(&*operation(LIFT), &json!({"spec": {"rules": rules}})) {
            Err(Halt::Refused { at, .. }) => assert_eq!(at.to_string(), place),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_list_of_a_single_item_becomes_that_of_the_object() {
        check(&json!([{"matches": [{"snis": ["a", "b"]}], "f": 1}]), &json!(["a", "b"]), &json!([{"f": 1}]));
        check(&json!([{"matches": [{"snis": ["a"]}, {"snis": ["b", "a"]}]}]), &json!(["a", "b"]), &json!([{}]));
    }

    #[test]
    fn items_that_agree_share_one_list() {
        let rules = json!([{"matches": [{"snis": ["a", "b"]}]}, {"matches": [{"snis": ["b"]}, {"snis": ["a"]}]}]);
        check(&rules, &json!(["a", "b"]), &json!([{}, {}]));
    }

    #[test]
    fn items_that_differ_are_refused() {
        check_refused(&json!([{"matches": [{"snis": ["a"]}]}, {"matches": [{"snis": ["b"]}]}]), "spec.rules[1]");
        check_refused(&json!([{"matches": [{"snis": ["a"]}]}, {}]), "spec.rules[1]");
        check_refused(&json!([{"matches": [{"snis": ["a"]}, {}]}]), "spec.rules[0].matches[1]");
        check_refused(&json!([{"matches": [{"snis": ["a"], "x": 1}]}]), "spec.rules[0].matches[0].x");
    }

    #[test]
    fn empty_lists_are_not_lifted() {
        for rules in
            [json!([{"matches": [{}]}]), json!([{"matches": []}]), json!([{"matches": [{"snis": []}]}]), json!([{}])]
        {
            let same = json!({"spec": {"rules": rules}});
            assert_eq!(data(&*operation(LIFT), &same), Ok((same, 0)));
        }
    }

    #[test]
    fn every_item_gets_the_list_back() {
        let after = json!({"spec": {"hostnames": ["a"], "rules": [{"f": 1}, {}]}});
        let snis = json!([{"snis": ["a"]}]);
        let before = json!({"spec": {"rules": [{"matches": snis, "f": 1}, {"matches": snis}]}});
        assert_eq!(data(&*back(), &after), Ok((before.clone(), 0)));
        assert_eq!(data(&*operation(LIFT), &before), Ok((after, 0)));
        let open = json!({"spec": {"rules": [{}]}});
        assert_eq!(data(&*back(), &json!({"spec": {"hostnames": [], "rules": [{}]}})), Ok((open.clone(), 0)));
        assert_eq!(data(&*back(), &open), Ok((open, 0)));
        assert!(data(&*back(), &json!({"spec": {"hostnames": ["a"]}})).is_err());
    }

    #[test]
    fn only_nested_lists_are_lifted() {
        for text in [
            "lift: { from: \"a[].b\", to: c }",
            "lift: { from: \"a[].b[].c\", to: \"d[].e\" }",
            "lift: { from: \"[][]\", to: a }",
        ] {
            assert!(serde_yaml::from_str::<Box<dyn Operation>>(text).is_err(), "{text}");
        }
    }
}
