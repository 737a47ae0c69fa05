//! Answers: which objects of this kind could a user have written for this release and apiVersion?
//!
//! [`Recipe::draw`] walks the kind's [`Shape`]: required fields always, preferred ones nearly always, others at random until
//! the object is large enough. Values fit enums, limits and patterns. Sometimes a field without a schema, a null or an odd
//! key is added, as in real files.
//!
//! Invariant: a drawn object is valid by the release's schema, and its apiVersion is served there.

use reversion::internals::catalog::{Catalog, ListType, Scope, Type, ViolationKind};
use reversion::internals::field::{FieldPath, Part, Step};
use reversion::internals::pack::Pack;
use reversion::internals::release::{ApiVersion, GroupKind, ReleaseId, ReleaseSet};
use serde_json::{Map, Value, json};

use super::cases::{final_kind, is_served};
use super::exceptions::Exceptions;
use super::hints::Hints;
use super::shape::Shape;
use super::words;
use crate::support::random::Random;

/// The maximum number of values in an object's optional fields.
const BUDGET: usize = 60;

/// The key that no release of any kind has.
pub(crate) const UNKNOWN: &str = "zzUnknown";

/// The description of objects to draw: a kind in a release and a version.
pub(crate) struct Recipe<'p> {
    catalog: &'p Catalog,
    release: ReleaseId,
    version: String,
    shape: Shape,
    hints: Hints,
    target: ReleaseId,
    /// The kinds that a reference may name: those the release serves, and the target too, under whatever name.
    kinds: Vec<GroupKind>,
}

impl<'p> Recipe<'p> {
    /// Returns the recipe of `catalog`'s kind; most objects have the fields in `hints` that the release has.
    pub(crate) fn new(
        pack: &Pack,
        catalog: &'p Catalog,
        release: ReleaseId,
        version: &str,
        hints: &Hints,
        target: ReleaseId,
    ) -> Self {
        let lasts = |kind: &&GroupKind| is_served(pack, kind, release) && has_successor(pack, kind, target);
        let kinds = pack.kinds().filter(lasts).cloned().chain([GroupKind::new("Service", "")]).collect();
        let mut shape = Shape::read(catalog, release, version);
        hints.values.iter().for_each(|(field, value)| shape.suggest(field, value));
        let unions = pack.release_notes().unions.iter().filter(|union| union.kind == *catalog.kind());
        unions.for_each(|union| shape.unite(&union.items, &union.discriminator));
        for (field, regex) in Exceptions::of_all().patterns(catalog.kind(), version) {
            shape.limit(&field, regex);
        }
        for field in Exceptions::of_all().mappings(catalog.kind(), version) {
            shape.limit_to_mappings(&field);
        }
        Self { catalog, release, version: version.to_owned(), shape, hints: hints.clone(), target, kinds }
    }

    /// Draws an object. Few drawn fields fit together by chance: after some tries, one that breaks relations alone will do.
    ///
    /// # Panics
    /// If no word of `words` fits a required field, or 200 objects in a row violate the schema: a gap in the generator.
    pub(crate) fn draw(&self, random: &mut Random) -> Value {
        let mut last = Vec::new();
        for tried in 0..200 {
            let object = Exceptions::of_all().completed(self.catalog.kind(), &self.version, self.attempt(random));
            last = self.catalog.check(&object, self.release, &self.version);
            if self.shows_another_release(&object) {
                continue;
            }
            let is_relation = |kind: &ViolationKind| matches!(kind, ViolationKind::Relation { .. });
            if last.is_empty() || tried > 4 && last.iter().all(|violation| is_relation(&violation.kind)) {
                return object;
            }
        }
        panic!("no object of {} can be drawn: {last:?}", self.catalog.kind());
    }

    /// Returns whether a key that no release has stands where other releases take any key, and this one or the target none: it is a field of
    /// those.
    fn shows_another_release(&self, object: &Value) -> bool {
        let is_missing = |releases: ReleaseSet| [self.release, self.target].iter().any(|one| !releases.contains(*one));
        let known = self.catalog.facts(object).known;
        known.iter().any(|fact| fact.path.last_key() == Some(UNKNOWN) && is_missing(fact.releases))
    }

    /// Removes the value at `place` from a drawn object, or its parent if the schema requires it; a list of several
    /// items only gets shorter. Returns `None` if too much would be removed.
    pub(crate) fn without(&self, object: &Value, place: &FieldPath) -> Option<Value> {
        let mut smaller = object.clone();
        let (parent, step) = place.split_last().filter(|(parent, _)| !parent.steps().is_empty())?;
        match (place.get_mut(&mut smaller), step) {
            (Some(Value::Array(items)), _) if items.len() > 1 => drop(items.pop()),
            (_, Step::Key(key)) => drop(parent.get_mut(&mut smaller)?.as_object_mut()?.shift_remove(key)),
            (Some(_), Step::Index(index)) => drop(parent.get_mut(&mut smaller)?.as_array_mut()?.remove(*index)),
            (None, Step::Index(_)) => {}
        }
        let is_other = smaller != *object && smaller["metadata"]["name"].is_string();
        let is_complete =
            Exceptions::of_all().completed(self.catalog.kind(), &self.version, smaller.clone()) == smaller;
        let is_relation = |kind: &ViolationKind| matches!(kind, ViolationKind::Relation { .. });
        let violations = self.catalog.check(&smaller, self.release, &self.version);
        let is_valid = is_complete && violations.iter().all(|violation| is_relation(&violation.kind));
        if is_other && is_valid { Some(smaller) } else { self.without(object, &parent) }
    }

    fn attempt(&self, random: &mut Random) -> Value {
        let mut shape = self.shape.clone();
        let eagerness = *random.pick(&[30, 60, 88, 97]);
        for pattern in &self.hints.fields {
            if random.chance(eagerness) {
                shape.want(pattern);
            } else if let Some((parent, _)) = pattern.split_last().filter(|_| random.chance(60)) {
                // The absence of an optional field has a meaning.
                shape.want(&parent);
            }
        }
        let optional_share = *random.pick(&[0, 30, 60]);
        for pattern in &self.hints.optional {
            if random.chance(optional_share) {
                shape.want(pattern);
            }
        }
        let density = *random.pick(&[5, 15, 15, 35, 70]);
        let habits = Habits {
            density,
            items: if self.hints.repeats || self.hints.many { 60 } else { *random.pick(&[0, 20, 45]) },
            repeats: if random.chance(if self.hints.repeats { 80 } else { 20 }) { 70 } else { 0 },
            nulls: if random.chance(15) { 8 } else { 0 },
            unknown: if random.chance(15) { 10 } else { 0 },
            shuffled: random.chance(40),
            united: random.chance(75),
        };
        let mut draw = Draw { random, habits, budget: BUDGET, kinds: &self.kinds, partly: &self.hints.partly };
        let fields = draw.mapping(&shape);
        let mut metadata = draw.metadata(self.catalog.scope_in(self.release).unwrap_or(Scope::Namespaced));
        for (pattern, value) in &self.hints.values {
            if draw.random.chance(40) {
                put_metadata(&mut metadata, pattern.parts(), value);
            }
        }
        let kind = self.catalog.kind();
        let api_version = ApiVersion { group: kind.group.clone(), version: self.version.clone() };
        let mut entries = vec![
            ("apiVersion".to_owned(), json!(api_version.to_string())),
            ("kind".to_owned(), json!(kind.kind)),
            ("metadata".to_owned(), metadata),
        ];
        entries.extend(fields);
        if draw.random.chance(5) {
            entries.push(("status".to_owned(), json!({"conditions": [{"type": "Accepted", "status": "True"}]})));
        }
        if draw.random.chance(12) {
            draw.random.shuffle(&mut entries);
        }
        Value::Object(entries.into_iter().collect())
    }
}

/// Puts a value at a place of the metadata: `metadata.finalizers[]`.
fn put_metadata(metadata: &mut Value, parts: &[Part], value: &Value) {
    if let [Part::Key(first), Part::Key(key), rest @ ..] = parts
        && first == "metadata"
    {
        match rest {
            [] => metadata[key] = value.clone(),
            [Part::Items] => metadata[key] = json!([value]),
            _ => {}
        }
    }
}

/// Returns whether `target` has the kind that the rules convert `kind` to.
///
/// A reference to a kind that the target lacks is left unchanged, but is updated as far as possible when converting over a
/// release in between: the laws do not apply to such references.
fn has_successor(pack: &Pack, kind: &GroupKind, target: ReleaseId) -> bool {
    let last = final_kind(pack, kind, target);
    last == *kind || is_served(pack, &last, target)
}

/// The random shape of one object, in percent.
struct Habits {
    /// How often an optional field is present.
    density: usize,
    /// How often one more item follows in a list.
    items: usize,
    /// How often an item is like an earlier one.
    repeats: usize,
    /// How often an optional field is null.
    nulls: usize,
    /// How often a mapping has a field that no release has.
    unknown: usize,
    /// Whether keys are in any order.
    shuffled: bool,
    /// Whether a union has what its type names, and nothing of another type.
    united: bool,
}

struct Draw<'a> {
    random: &'a mut Random,
    habits: Habits,
    budget: usize,
    kinds: &'a [GroupKind],
    partly: &'a [String],
}

impl Draw<'_> {
    fn metadata(&mut self, scope: Scope) -> Value {
        let mut map = Map::new();
        let name = *self.random.pick(&["web", "shop", "shop-tls", "a", "on", "1"]);
        map.insert("name".to_owned(), json!(name));
        if scope == Scope::Namespaced && self.random.chance(60) {
            map.insert("namespace".to_owned(), json!(*self.random.pick(&["store", "store", "edge"])));
        }
        for (key, percent) in [("labels", 25), ("annotations", 20)] {
            if self.random.chance(percent) {
                let any = reversion::internals::catalog::Attributes::default();
                let count = self.random.below(3);
                let entry = |draw: &mut Self| (words::label(draw.random), json!(words::text(&any, draw.random)));
                map.insert(key.to_owned(), Value::Object((0..count).map(|_| entry(self)).collect()));
            }
        }
        if self.random.chance(5) {
            map.insert("creationTimestamp".to_owned(), Value::Null);
        }
        Value::Object(map)
    }

    /// Draws a value; `None` if no word fits or an optional value would be empty.
    fn value(&mut self, shape: &Shape, key: &str) -> Option<Value> {
        self.budget = self.budget.saturating_sub(1);
        if !shape.suggestions.is_empty() && self.random.chance(60) {
            return Some(self.random.pick(&shape.suggestions).clone());
        }
        if let Some(allowed) = &shape.attributes.allowed {
            return Some(self.random.pick(allowed).clone());
        }
        match shape.kind {
            Type::Any => Some(self.anything(2)),
            Type::Array => self.list(shape),
            Type::Boolean => Some(json!(self.random.chance(50))),
            Type::Integer => Some(self.integer(shape)),
            Type::Number => Some(if self.random.chance(50) { json!(0.5) } else { self.integer(shape) }),
            Type::IntegerOrString if self.random.chance(50) => Some(self.integer(shape)),
            Type::IntegerOrString => Some(json!("25%")),
            Type::Quantity => Some(if self.random.chance(50) { json!(0.5) } else { json!("500m") }),
            Type::Object => Some(Value::Object(self.mapping(shape))),
            Type::String => self.text(shape, key),
        }
    }

    fn text(&mut self, shape: &Shape, key: &str) -> Option<Value> {
        // Few namespaces, so that two of one object are often the same.
        if key == "namespace" && self.random.chance(80) {
            return Some(json!(*self.random.pick(&["store", "store", "edge"])));
        }
        words::text(&shape.attributes, self.random).map(Value::from)
    }

    fn integer(&mut self, shape: &Shape) -> Value {
        let limit = |number: &Option<serde_json::Number>| number.as_ref().and_then(serde_json::Number::as_i64);
        let least = limit(&shape.attributes.minimum).unwrap_or(0);
        let most = limit(&shape.attributes.maximum).unwrap_or(100_000);
        let near = |number: i64| number.clamp(least, most);
        json!(*self.random.pick(&[least, most, near(80), near(443), near(8080), near(1), near(least + 7)]))
    }

    fn list(&mut self, shape: &Shape) -> Option<Value> {
        let attributes = &shape.attributes;
        let items = shape.items.as_ref()?;
        let least = attributes.min_items.unwrap_or(0).max(u64::from(shape.preferred || self.random.chance(70)));
        let most = attributes.max_items.unwrap_or(4).min(4);
        let mut list: Vec<Value> = Vec::new();
        let mut tries = 0;
        while tries < 40
            && ((list.len() as u64) < least || (list.len() as u64) < most && self.random.chance(self.habits.items))
        {
            tries += 1;
            let mut item = self.value(items, "")?;
            if !list.is_empty() && self.random.chance(self.habits.repeats) {
                item = self.nearly(self.random.clone().pick(&list), item);
                item.as_object_mut().into_iter().for_each(|map| self.unite(items, map));
            }
            let key_of = |item: &Value| -> Vec<Value> {
                attributes.list_keys.iter().map(|key| item.get(key).cloned().unwrap_or_default()).collect()
            };
            let is_new = match attributes.list_type {
                Some(ListType::Set) => !list.contains(&item),
                Some(ListType::Map) => list.iter().all(|other| key_of(other) != key_of(&item)),
                Some(ListType::Atomic) | None => true,
            };
            if is_new {
                list.push(item);
            }
        }
        Some(Value::Array(list))
    }

    /// Returns an item like `old`, sometimes with one key of `new`.
    fn nearly(&mut self, old: &Value, new: Value) -> Value {
        let mut item = old.clone();
        if let (Value::Object(map), false, true) = (&mut item, self.partly.is_empty(), self.random.chance(60)) {
            map.remove(self.random.pick(self.partly).as_str());
        }
        if let (Value::Object(map), Value::Object(other), true) = (&mut item, new, self.random.chance(40)) {
            let keys: Vec<String> = other.keys().cloned().collect();
            if !keys.is_empty() {
                let key = self.random.pick(&keys);
                map.insert(key.clone(), other[key].clone());
            }
        }
        item
    }

    fn mapping(&mut self, shape: &Shape) -> Map<String, Value> {
        let mut entries: Vec<(String, Value)> = Vec::new();
        for (key, child) in &shape.keys {
            let null = !child.required && self.random.chance(if child.preferred { 2 } else { self.habits.nulls });
            let optional = child.preferred || self.budget > 0 && self.random.chance(self.habits.density);
            if !child.required && !optional {
                continue;
            }
            let value = if null { Some(Value::Null) } else { self.value(child, key) };
            entries.extend(value.map(|value| (key.to_string(), value)));
        }
        let least = shape.attributes.min_properties.unwrap_or(0);
        for (key, child) in &shape.keys {
            if entries.len() as u64 >= least {
                break;
            }
            if entries.iter().all(|(drawn, _)| **drawn != **key) {
                entries.extend(self.value(child, key).map(|value| (key.to_string(), value)));
            }
        }
        self.refer(shape, &mut entries);
        let most =
            shape.attributes.max_properties.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
        while entries.len() > most {
            let is_required = |key: &str| shape.keys.iter().any(|(name, child)| **name == *key && child.required);
            let optional: Vec<usize> = (0..entries.len()).filter(|at| !is_required(&entries[*at].0)).collect();
            if optional.is_empty() {
                break;
            }
            entries.remove(*self.random.pick(&optional));
        }
        self.free_entries(shape, &mut entries);
        if !shape.keys.is_empty() && self.random.chance(self.habits.unknown) {
            entries.push((UNKNOWN.to_owned(), self.anything(2)));
        }
        if self.habits.shuffled {
            self.random.shuffle(&mut entries);
        }
        let mut map = entries.into_iter().collect();
        self.unite(shape, &mut map);
        map
    }

    /// Gives a union what its type names, and nothing of another type.
    fn unite(&mut self, shape: &Shape, map: &mut Map<String, Value>) {
        let Some(by) = shape.union.as_ref().filter(|_| self.habits.united) else { return };
        let Some(named) = map.get(by).and_then(Value::as_str).map(str::to_owned) else { return };
        map.retain(|key, _| !shape.is_body(key, None) || shape.is_body(key, Some(&named)));
        for (key, body) in shape.keys.iter().filter(|(key, _)| shape.is_body(key, Some(&named))) {
            if !map.contains_key(&**key)
                && let Some(body) = self.value(body, key)
            {
                map.insert(key.to_string(), body);
            }
        }
    }

    fn free_entries(&mut self, shape: &Shape, entries: &mut Vec<(String, Value)>) {
        let is_free = shape.values.is_some() || shape.attributes.preserve_unknown || shape.kind == Type::Any;
        if !is_free {
            return;
        }
        let least = shape.attributes.min_properties.unwrap_or(0);
        let most = shape.attributes.max_properties.unwrap_or(3).min(3);
        let count = least.max(self.random.below(4) as u64).min(most.max(least));
        for _ in 0..count {
            let key = if self.random.chance(50) { words::label(self.random) } else { words::key(self.random) };
            let value = match &shape.values {
                Some(values) => self.value(values, ""),
                None => Some(self.anything(1)),
            };
            if let Some(value) = value.filter(|_| entries.iter().all(|(other, _)| *other != key)) {
                entries.push((key, value));
            }
        }
    }

    /// Makes a reference use an existing kind, with its group.
    ///
    /// An omitted group means the field's default. Renaming such a kind writes the group, and converting
    /// back does not remove it: such references have a fixture of their own.
    fn refer(&mut self, shape: &Shape, entries: &mut Vec<(String, Value)>) {
        let group_key =
            ["group", "apiGroup", "apiVersion"].into_iter().find(|key| shape.keys.iter().any(|(k, _)| **k == **key));
        let (Some(group_key), Some(at)) = (group_key, entries.iter().position(|(key, _)| key == "kind")) else {
            return;
        };
        let kind_shape = shape.keys.iter().find(|(key, _)| &**key == "kind").expect("drawn from it");
        if kind_shape.1.attributes.allowed.is_some() {
            return;
        }
        let is_suggested = |key: &str| shape.keys.iter().any(|(k, child)| **k == *key && !child.suggestions.is_empty());
        if (is_suggested("kind") || is_suggested(group_key)) && self.random.chance(60) {
            return;
        }
        let kind = self.random.pick(self.kinds).clone();
        entries[at].1 = json!(kind.kind);
        let group = match group_key {
            "apiVersion" => ApiVersion { group: kind.group, version: "v1".to_owned() }.to_string(),
            _ => kind.group,
        };
        match entries.iter_mut().find(|(key, _)| key == group_key) {
            Some((_, value)) => *value = json!(group),
            None => entries.insert(at, (group_key.to_owned(), json!(group))),
        }
    }

    /// Draws any JSON value, nested `depth` deep at most.
    fn anything(&mut self, depth: usize) -> Value {
        let any = reversion::internals::catalog::Attributes::default();
        match self.random.below(if depth == 0 { 4 } else { 7 }) {
            0 => json!(self.random.chance(50)),
            1 => json!(self.random.below(9000)),
            2 => Value::Null,
            3 | 4 => json!(words::text(&any, self.random)),
            5 => (0..self.random.below(3)).map(|_| self.anything(depth - 1)).collect(),
            _ => {
                let count = self.random.below(3);
                Value::Object((0..count).map(|_| (words::key(self.random), self.anything(depth - 1))).collect())
            }
        }
    }
}
