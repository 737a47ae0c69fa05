//! Answers: which releases can an object have been written for, according to its fields?
//!
//! The object and the tree of fields are walked together, once. A field, a value of an enum or a type that not every release
//! still possible at that place has, is a [`Fact`]; what adds nothing to the field above it is omitted, and so is
//! the same fact about a second item. A field in no release is [`Unknown`] and is not walked into.
//!
//! Invariant: a fact never excludes a release whose schema has the field with that value.

use std::collections::BTreeSet;

use serde_json::Value;

use super::row::Type;
use super::tree::{OUTSIDE, Tree};
use crate::knowledge::release::ReleaseSet;
use crate::syntax::field::{FieldPath, PathRef};
use crate::syntax::variable::OpenText;

/// What an object's fields show about its release.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// What narrows the releases, in document order.
    pub known: Vec<Fact>,
    /// Fields that no release has, in document order.
    pub unknown: Vec<Unknown>,
}

impl Facts {
    /// Returns the releases of `all` that every fact allows; empty where facts contradict each other.
    pub fn narrow(&self, all: ReleaseSet) -> ReleaseSet {
        self.known.iter().fold(all, |left, fact| left & fact.releases)
    }
}

/// One thing in an object that not every release has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Its path.
    pub path: FieldPath,
    /// What it is.
    pub kind: FactKind,
    /// The releases that have it.
    pub releases: ReleaseSet,
}

/// What of a field a fact is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FactKind {
    /// The field is there: `targetRefs:` where older releases have `targetRef:`.
    Field,
    /// The value's type: `headers: [..]` where older releases have a mapping.
    Type,
    /// The value is one that only some releases allow: `type: CORS`.
    Value,
}

/// A field in no release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// Its path.
    pub path: FieldPath,
    /// The most similar name that is at the same place in some release.
    pub nearest: Option<String>,
}

/// Walks `object`, whose kind the releases `listed` have.
pub(super) fn facts(tree: &Tree, listed: ReleaseSet, object: &Value) -> Facts {
    let mut walk = Walk { tree, seen: BTreeSet::new(), facts: Facts::default() };
    if let Value::Object(map) = object {
        let place = Place { node: 0, possible: listed, open: tree.nodes[0].open };
        for (key, value) in map.iter().filter(|(key, _)| !OUTSIDE.contains(&key.as_str())) {
            walk.key(place, &PathRef::key(None, key), key, value);
        }
    }
    walk.facts
}

/// A node of the tree, found in an object.
#[derive(Clone, Copy)]
struct Place {
    node: usize,
    /// The releases that have every field above.
    possible: ReleaseSet,
    /// The releases in which anything may be here.
    open: ReleaseSet,
}

/// One pass over one object.
struct Walk<'c> {
    tree: &'c Tree,
    seen: BTreeSet<(usize, FactKind, ReleaseSet)>,
    facts: Facts,
}

impl Walk<'_> {
    /// Checks one key of a mapping that is at `place`.
    fn key(&mut self, place: Place, spot: &PathRef<'_>, key: &str, value: &Value) {
        let node = &self.tree.nodes[place.node];
        match (node.key(key), node.values) {
            (Some(child), values) => {
                // Where a mapping had free keys in some releases, nothing below the key is known of those.
                let free = values.map_or_else(ReleaseSet::default, |values| self.tree.nodes[values].releases);
                self.node(Place { node: child, open: place.open | free, ..place }, spot, value);
            }
            (None, Some(values)) => self.node(Place { node: values, ..place }, spot, value),
            (None, None) if place.open.is_empty() => {
                let nearest = nearest(key, node.keys.iter().map(|(name, _)| name.as_str()));
                self.facts.unknown.push(Unknown { path: spot.path(), nearest });
            }
            (None, None) => {
                self.narrow(place, spot, FactKind::Field, place.open);
            }
        }
    }

    /// Checks a value that is at `place`, whose node is the value's own.
    fn node(&mut self, mut place: Place, spot: &PathRef<'_>, value: &Value) {
        let tree = self.tree;
        let node = &tree.nodes[place.node];
        place.possible = self.narrow(place, spot, FactKind::Field, node.releases | place.open);
        if value.is_null() {
            return;
        }
        // Where all releases that have the field accept the same of it, its value shows nothing.
        if !node.uniform.is_some_and(|kind| kind.accepts(value)) {
            let Some(possible) = self.value(place, spot, value) else { return };
            place.possible = possible;
        }
        self.inside(Place { open: place.open | node.open, ..place }, spot, value);
    }

    /// Checks which releases accept a value, and returns those left; `None` where no schema accepts its type.
    fn value(&mut self, mut place: Place, spot: &PathRef<'_>, value: &Value) -> Option<ReleaseSet> {
        let tree = self.tree;
        // A text with variables can become any scalar.
        let is_open = OpenText::of(value).is_some();
        let (mut typed, mut allowed) = (place.open, place.open);
        for row in tree.rows_of(place.node) {
            if row.kind.accepts(value) || is_open && !matches!(row.kind, Type::Object | Type::Array) {
                typed = typed | row.releases;
                if is_open || tree.schemas[row.schema].attributes.allows(value) {
                    allowed = allowed | row.releases;
                }
            }
        }
        if typed.is_empty() {
            return None;
        }
        place.possible = self.narrow(place, spot, FactKind::Type, typed);
        if !allowed.is_empty() {
            place.possible = self.narrow(place, spot, FactKind::Value, allowed);
        }
        Some(place.possible)
    }

    fn inside(&mut self, place: Place, spot: &PathRef<'_>, value: &Value) {
        match (value, self.tree.nodes[place.node].items) {
            (Value::Object(map), _) => {
                for (key, value) in map {
                    self.key(place, &PathRef::key(Some(spot), key), key, value);
                }
            }
            (Value::Array(items), Some(child)) => {
                for (index, item) in items.iter().enumerate() {
                    self.node(Place { node: child, ..place }, &PathRef::index(Some(spot), index), item);
                }
            }
            _ => {}
        }
    }

    /// Notes a fact if it adds to what is known already, and returns the releases left at the place.
    #[inline]
    fn narrow(&mut self, place: Place, spot: &PathRef<'_>, kind: FactKind, releases: ReleaseSet) -> ReleaseSet {
        if releases.is_superset(place.possible) {
            return place.possible;
        }
        self.note(place, spot, kind, releases)
    }

    fn note(&mut self, place: Place, spot: &PathRef<'_>, kind: FactKind, releases: ReleaseSet) -> ReleaseSet {
        let Place { node, possible, .. } = place;
        if self.seen.insert((node, kind, releases)) {
            let fact = Fact { path: spot.path(), kind, releases };
            self.facts.known.push(fact);
        }
        let left = possible & releases;
        // Contradicting facts are resolved by the caller; below them, the inner one counts.
        if left.is_empty() { releases } else { left }
    }
}

/// Returns the name most similar to `key`, if one is near enough to be a misspelling: a third of the letters may differ, and at most four.
fn nearest<'n>(key: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    let limit = (key.chars().count() / 3).clamp(1, 4);
    // A long key is compared with names of its own length only, so that a hostile one costs nothing; and each letter that one of the
    // two does not have takes a change, which rules out most names without a table of distances.
    let own = letters(key);
    let missing = |these: u32, those: u32| (these & !those).count_ones() as usize;
    let similar = names.filter(|name| name.len().abs_diff(key.len()) <= limit).filter(|name| {
        let others = letters(name);
        missing(own, others) <= limit && missing(others, own) <= limit
    });
    let near = similar.map(|name| (distance(key, name), name)).filter(|(distance, _)| *distance <= limit);
    near.min_by_key(|(distance, _)| *distance).map(|(_, name)| name.to_owned())
}

/// Returns which of the letters from a to z are in a word, whatever their case, one bit each.
fn letters(word: &str) -> u32 {
    let letters = word.bytes().map(|byte| byte.to_ascii_lowercase()).filter(u8::is_ascii_lowercase);
    letters.fold(0, |all, letter| all | 1 << (letter - b'a'))
}

/// Counts the letters to insert, remove, replace or swap to turn one word into the other, whatever their case.
fn distance(left: &str, right: &str) -> usize {
    strsim::osa_distance(&left.to_lowercase(), &right.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::catalog::sample::{ALL, catalog, line, set};
    use serde_json::json;

    const ROWS: &str = "\
spec | object | required |  |  | ALL
spec.any | object |  | {\"preserveUnknown\":true} |  | standard v3.0.0
spec.any | object |  |  |  | standard v1.0.0..v2.0.0
spec.any.known | string |  |  |  | ALL
spec.headers | array |  |  |  | standard v2.0.0..v3.0.0
spec.headers | object |  |  |  | standard v1.0.0
spec.headers[] | object |  |  |  | standard v2.0.0..v3.0.0
spec.headers[].name | string |  |  |  | standard v2.0.0..v3.0.0
spec.headers[].value | string |  |  |  | standard v3.0.0
spec.headers{} | string |  |  |  | standard v1.0.0
spec.hostname | string |  |  |  | ALL
spec.mode | string |  | {\"enum\":[\"A\",\"B\"]} |  | standard v1.0.0..v2.0.0
spec.mode | string |  | {\"enum\":[\"A\",\"B\",\"C\"]} |  | standard v3.0.0
spec.new | object |  |  |  | standard v2.0.0..v3.0.0
spec.new.deep | string |  |  |  | standard v2.0.0..v3.0.0
spec.new.deeper | string |  |  |  | standard v3.0.0
spec.old | string |  |  |  | standard v1.0.0
";

    /// Walks an object with `spec` and returns the facts as `path kind releases`.
    fn found(spec: &Value) -> Vec<String> {
        let object = json!({"apiVersion": "example.com/v1", "kind": "Shop", "metadata": {"x": 1}, "spec": spec});
        let facts = catalog(ROWS).facts(&object);
        let known = |fact: &Fact| format!("{} {:?} {}", fact.path, fact.kind, line().describe(fact.releases));
        let unknown = |unknown: &Unknown| match &unknown.nearest {
            Some(nearest) => format!("{}? {nearest}", unknown.path),
            None => format!("{}?", unknown.path),
        };
        facts.known.iter().map(known).chain(facts.unknown.iter().map(unknown)).collect()
    }

    #[test]
    fn a_field_of_every_release_narrows_nothing() {
        assert!(found(&json!({"hostname": "a"})).is_empty());
    }

    #[test]
    fn a_nested_field_narrows_only_if_it_has_fewer_releases() {
        assert_eq!(found(&json!({"new": {"deep": "x"}})), ["spec.new Field standard v2.0.0..v3.0.0"]);
        assert_eq!(
            found(&json!({"new": {"deeper": "x"}})),
            ["spec.new Field standard v2.0.0..v3.0.0", "spec.new.deeper Field standard v3.0.0"]
        );
    }

    #[test]
    fn a_value_narrows_if_some_release_allows_it() {
        let mode = "spec.mode Field standard v1.0.0..v3.0.0";
        assert_eq!(found(&json!({"mode": "A"})), [mode]);
        assert_eq!(found(&json!({"mode": "C"})), [mode, "spec.mode Value standard v3.0.0"]);
        assert_eq!(found(&json!({"mode": "D"})), [mode]);
        assert_eq!(found(&json!({"mode": null})), [mode]);
        assert_eq!(found(&json!({"mode": ["C"]})), [mode]);
    }

    #[test]
    fn a_type_narrows_and_its_keys_are_not_fields_of_the_other_type() {
        let headers = "spec.headers Field standard v1.0.0..v3.0.0";
        assert_eq!(found(&json!({"headers": {"X": "1"}})), [headers, "spec.headers Type standard v1.0.0"]);
        let list = json!({"headers": [{"name": "X"}, {"name": "Y", "value": "1"}, {"value": "2"}]});
        let expected =
            [headers, "spec.headers Type standard v2.0.0..v3.0.0", "spec.headers[1].value Field standard v3.0.0"];
        assert_eq!(found(&list), expected);
        assert_eq!(found(&json!({"headers": 5})), [headers]);
    }

    #[test]
    fn contradictory_fields_leave_no_release() {
        let object = json!({"spec": {"old": "x", "new": {"deeper": "y"}}});
        let facts = catalog(ROWS).facts(&object);
        assert_eq!(facts.known.len(), 3);
        assert!(facts.narrow(set(ALL)).is_empty());
    }

    #[test]
    fn unknown_fields_are_reported_once_with_the_nearest_name() {
        assert_eq!(found(&json!({"hostnames": {"deep": 1}})), ["spec.hostnames? hostname"]);
        assert_eq!(found(&json!({"hsotname": "a"})), ["spec.hsotname? hostname"]);
        assert_eq!(found(&json!({"Mode": "a"})), ["spec.Mode? mode"]);
        assert_eq!(found(&json!({"unrelated": "a"})), ["spec.unrelated?"]);
    }

    #[test]
    fn keys_without_a_schema_belong_to_releases_that_preserve_them() {
        let any = "spec.any Field standard v1.0.0..v3.0.0";
        assert_eq!(found(&json!({"any": {"free": {"x": 1}}})), [any, "spec.any.free Field standard v3.0.0"]);
        assert_eq!(found(&json!({"any": {"known": "x"}})), [any]);
    }

    #[test]
    fn a_key_may_be_a_field_in_some_releases_and_free_in_others() {
        let rows = "\
spec | object | required |  |  | ALL
spec.labels | object |  |  |  | ALL
spec.labels.tier | string |  |  |  | standard v1.0.0
spec.labels{} | string |  |  |  | standard v2.0.0..v3.0.0
";
        let found = |labels: Value| catalog(rows).facts(&json!({"spec": {"labels": labels}})).narrow(set(ALL));
        assert_eq!(found(json!({"tier": "a"})), set("standard v1.0.0..v3.0.0"));
        assert_eq!(found(json!({"other": "a"})), set("standard v2.0.0..v3.0.0"));
    }

    #[test]
    fn values_that_are_not_objects_narrow_nothing() {
        for value in [json!(null), json!([1]), json!("x"), json!({"spec": null}), json!({"spec": [1]})] {
            assert_eq!(catalog(ROWS).facts(&value), Facts::default(), "{value}");
        }
    }

    #[test]
    fn distance_counts_letters() {
        for (left, right, expected) in
            [("", "abc", 3), ("tls", "TLS", 0), ("prot", "port", 1), ("a", "b", 1), ("kitten", "sitting", 3)]
        {
            assert_eq!(distance(left, right), expected, "{left} {right}");
        }
    }
}
