//! Answers: which values must an object hold for the tests of a rule to hold?
//!
//! [`Wishes::of`] reads the `equals` tests and the sets of a rule's lens as written; [`Wishes::grant`] writes them into an
//! object.
//!
//! Invariant: a wish is granted only where the object has the place already.

use reversion::field::{FieldPath, FieldPattern};
use reversion::pack::Rule;
use serde_json::Value;

use super::random::Random;

/// The values that a rule looks for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wishes {
    /// Fields and what they shall equal.
    pub(crate) values: Vec<(FieldPattern, Vec<Value>)>,
    /// Lists that shall repeat an item.
    pub(crate) repeats: Vec<FieldPattern>,
    /// Items that shall agree in a field, on both sides of the rule.
    gathered: Option<Gathered>,
}

/// What a `gather` says of its fields.
#[derive(Clone, Debug)]
struct Gathered {
    items: FieldPattern,
    field: FieldPattern,
    key: String,
    /// The list of the new side.
    list: FieldPattern,
    /// The one value of the new side.
    shared: FieldPattern,
}

impl Wishes {
    /// Reads the wishes of `rule`.
    pub(crate) fn of(rule: &Rule) -> Self {
        let mut wishes = Self::default();
        let lens: Value = serde_yaml::from_str(&rule.text).expect("a lens was read from this text before");
        wishes.read_lens(&lens, &FieldPattern::default());
        wishes
    }

    fn read_lens(&mut self, lens: &Value, base: &FieldPattern) {
        for operation in lens.as_array().into_iter().flatten() {
            if let Some(when) = operation.get("when") {
                let base = below(base, when.get("each"));
                self.read_test(&when["if"], &base);
                self.read_lens(&when["then"], &base);
            }
            if let Some(gather) = operation.get("gather") {
                let items = below(base, gather.get("items"));
                self.read_test(&gather["only"], &items);
                let text = |key: &str| gather[key].as_str().expect("a gather has it").to_owned();
                let to = below(base, gather.get("to"));
                self.gathered = Some(Gathered {
                    field: below(&items, gather.get("field")),
                    items,
                    key: text("key"),
                    list: below(&to, gather.get("list")),
                    shared: below(&to, gather.get("shared")),
                });
            }
            if let Some(refuse) = operation.get("refuse") {
                self.read_test(&refuse["if"], base);
            }
            if let Some(drop) = operation.get("drop").filter(|drop| drop.get("default").is_some()) {
                self.values.push((below(base, drop.get("field")), vec![drop["default"].clone()]));
            }
            if let Some(distinct) = operation.get("distinct") {
                self.repeats.push(below(base, distinct.get("field")));
            }
        }
    }

    fn read_test(&mut self, test: &Value, base: &FieldPattern) {
        if let Some(equals) = test.get("equals") {
            let (field, value) = (below(base, equals.get("field")), equals["value"].clone());
            match self.values.iter_mut().find(|(other, _)| *other == field) {
                Some((_, values)) => values.push(value),
                None => self.values.push((field, vec![value])),
            }
        }
        for tests in ["all", "any"] {
            test[tests].as_array().into_iter().flatten().for_each(|test| self.read_test(test, base));
        }
    }

    /// Writes most of the wishes into `object`.
    pub(crate) fn grant(&self, object: &mut Value, random: &mut Random) {
        for (field, values) in &self.values {
            let Some((parent, _)) = field.split_last() else { continue };
            for place in parent.matches(object) {
                let key = field.parts().last().map(|part| FieldPattern::new([part.clone()]).to_string());
                let map = place.get_mut(object).and_then(Value::as_object_mut);
                if let (Some(map), Some(key), true) = (map, key, random.chance(85)) {
                    map.insert(key, random.pick(values).clone());
                }
            }
        }
        if let Some(gathered) = &self.gathered {
            gathered.grant(object, random);
        }
        for list in &self.repeats {
            for place in list.matches(object) {
                repeat(&place, object, random);
            }
        }
    }
}

impl Gathered {
    /// Makes the items agree, and the new list speak of keys that the items have.
    fn grant(&self, object: &mut Value, random: &mut Random) {
        let fields = self.field.matches(object);
        let first = fields.first().and_then(|path| path.get(object)).cloned();
        if let (Some(first), true) = (first, random.chance(60)) {
            for field in &fields {
                if let Some(value) = field.get_mut(object) {
                    value.clone_from(&first);
                }
            }
        }
        let items = self.items.matches(object);
        let keys: Vec<Value> = items.iter().filter_map(|item| item.get(object)?.get(&self.key).cloned()).collect();
        let (Some(list), Some(shared)) = (self.list.as_path(), self.shared.as_path()) else { return };
        // One of the two, so that the items take all that is there.
        let (goes, stays) = if random.chance(60) { (list, shared) } else { (shared, list) };
        if random.chance(90) && stays.get(object).is_some() {
            remove(&goes, object);
        }
        if let Some(entries) = stays.get_mut(object).and_then(Value::as_array_mut) {
            entries.truncate(1);
            if let (Some(entry), Some(key)) = (entries.first_mut().and_then(Value::as_object_mut), keys.first()) {
                entry.insert(self.key.clone(), key.clone());
            }
        }
    }
}

fn remove(path: &FieldPath, object: &mut Value) {
    if let (Some((parent, _)), Some(key)) = (path.split_last(), path.last_key())
        && let Some(map) = parent.get_mut(object).and_then(Value::as_object_mut)
    {
        map.shift_remove(key);
    }
}

fn repeat(place: &FieldPath, object: &mut Value, random: &mut Random) {
    let items = place.get_mut(object).and_then(Value::as_array_mut);
    if let Some(items) = items.filter(|items| !items.is_empty())
        && random.chance(70)
    {
        items.push(items[0].clone());
    }
}

fn below(base: &FieldPattern, field: Option<&Value>) -> FieldPattern {
    let text = field.and_then(Value::as_str).unwrap_or_default();
    base.join(&FieldPattern::parse(text).expect("a lens was read from this text before"))
}
