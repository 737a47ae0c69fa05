//! Answers: where does an object violate the schema of one release?
//!
//! The object and the tree of fields are walked together, once, with the rows of one release and version. What that release
//! keeps without a schema is not checked. Formats are not checked; of CEL rules and combinations, what [`related`](super::related) knows.
//!
//! Invariant: an object that the release's schema accepts has no violation.

use std::cmp::Ordering;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::{Number, Value};

use super::related::{Because, Place, Schema};
use super::row::{Attributes, ListType, Type};
use super::tree::{OUTSIDE, Row, Tree};
use crate::knowledge::release::{ReleaseId, ReleaseSet};
use crate::syntax::field::{FieldPath, FieldPattern, PathRef, member};
use crate::syntax::variable::{OpenText, has_variable};

/// One violation of a release's schema.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// Its path; of a missing field, the path that it should have.
    pub path: FieldPath,
    /// What is wrong.
    pub kind: ViolationKind,
}

impl Violation {
    /// Returns whether it is about a text of `object` that is known only after its variables are substituted: `interval: ${INTERVAL}`.
    pub(crate) fn is_open_in(&self, object: &Value) -> bool {
        let Some(value) = self.path.get(object) else { return false };
        match self.kind {
            ViolationKind::Rule { .. } => has_variable(value),
            ViolationKind::Relation { because, .. } => because == Because::Variable,
            ViolationKind::WrongType { expected: Type::Object | Type::Array }
            | ViolationKind::UnknownField { .. }
            | ViolationKind::MissingRequired
            | ViolationKind::TooFew { .. }
            | ViolationKind::TooMany { .. }
            | ViolationKind::Below { .. }
            | ViolationKind::Above { .. }
            | ViolationKind::Duplicate { .. } => false,
            ViolationKind::WrongType { .. }
            | ViolationKind::NotInEnum { .. }
            | ViolationKind::TooShort { .. }
            | ViolationKind::TooLong { .. }
            | ViolationKind::Pattern { .. } => OpenText::of(value).is_some(),
        }
    }
}

impl ViolationKind {
    /// Returns whether it depends on nothing but the value and the schema of its field.
    pub(crate) const fn is_about_value(&self) -> bool {
        matches!(
            self,
            Self::WrongType { .. }
                | Self::NotInEnum { .. }
                | Self::TooShort { .. }
                | Self::TooLong { .. }
                | Self::Below { .. }
                | Self::Above { .. }
                | Self::Pattern { .. }
        )
    }
}

/// What is wrong with a value.
#[derive(Clone, Debug, PartialEq)]
pub enum ViolationKind {
    /// Other releases have the field: `targetRef:` in a release that has `targetRefs:`.
    UnknownField {
        /// The releases (in any version) that have it.
        known: ReleaseSet,
    },
    /// The value has another type: `port: "80"`.
    WrongType {
        /// The type it must have.
        expected: Type,
    },
    /// The value is none of the allowed ones: `type: Cors`.
    NotInEnum {
        /// The allowed values.
        allowed: Vec<Value>,
    },
    /// The field must be there, has no default, and is absent or null: `backendRefs: [{port: 80}]` without a name.
    MissingRequired,
    /// The list or mapping has too few entries: `rules: []`.
    TooFew {
        /// The fewest allowed.
        least: u64,
    },
    /// The list or mapping has too many entries.
    TooMany {
        /// The most allowed.
        most: u64,
    },
    /// The string has too few characters: `name: ""`.
    TooShort {
        /// The fewest allowed.
        least: u64,
    },
    /// The string has too many characters.
    TooLong {
        /// The most allowed.
        most: u64,
    },
    /// The number is too small: `port: 0`.
    Below {
        /// The smallest allowed.
        least: Number,
    },
    /// The number is too large: `port: 70000`.
    Above {
        /// The largest allowed.
        most: Number,
    },
    /// The string does not match: `hostname: Shop_1`.
    Pattern {
        /// The pattern, as in the CRD.
        pattern: String,
    },
    /// A rule in CEL does not hold: `parentRefs: [{name: a}, {name: a}]` under a rule that requires unique ones.
    Rule {
        /// The message of the rule.
        message: String,
    },
    /// The fields of the value do not fit together: `{type: Basic}` without `basic`.
    Relation {
        /// What follows the field's name in a sentence.
        text: String,
        /// What is wrong with them.
        because: Because,
        /// Those that the object has, without what others of them are in.
        fields: Vec<FieldPath>,
    },
    /// The list item has the same key as an earlier one: `listeners: [{name: a}, {name: a}]`.
    Duplicate {
        /// The earlier item's index, from 0.
        first: usize,
    },
}

impl ViolationKind {
    /// Returns whether something more in the object could make it valid.
    pub(crate) fn is_about_absence(&self) -> bool {
        matches!(self, Self::MissingRequired | Self::Relation { because: Because::Absent, .. })
    }
}

impl fmt::Display for ViolationKind {
    /// Prints what follows the field's name in a sentence: `must be at most 63 characters long`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownField { .. } => f.write_str("is not a field of this release"),
            Self::WrongType { expected } => write!(f, "must be of type {}", expected.name()),
            Self::NotInEnum { allowed } => {
                let allowed: Vec<_> = allowed.iter().map(ToString::to_string).collect();
                write!(f, "must be one of {}", allowed.join(", "))
            }
            Self::MissingRequired => f.write_str("is required but missing"),
            Self::TooFew { least } => write!(f, "must have at least {}", counted(*least, "entry", "entries")),
            Self::TooMany { most } => write!(f, "must have at most {}", counted(*most, "entry", "entries")),
            Self::TooShort { least } => {
                write!(f, "must be at least {} long", counted(*least, "character", "characters"))
            }
            Self::TooLong { most } => write!(f, "must be at most {} long", counted(*most, "character", "characters")),
            Self::Below { least } => write!(f, "must be at least {least}"),
            Self::Above { most } => write!(f, "must be at most {most}"),
            Self::Pattern { pattern } => write!(f, "must match {pattern}"),
            Self::Rule { message } => write!(f, "violates a validation rule: {message}"),
            Self::Relation { text, .. } => f.write_str(text),
            Self::Duplicate { first } => write!(f, "duplicates item {first}; items must be unique"),
        }
    }
}

/// Returns a number with its noun: `1 entry`, `2 entries`.
fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Walks `object`, and compares it with the schema of `release` in the version `version` (`v1beta1`).
pub(super) fn check(tree: &Tree, object: &Value, release: ReleaseId, version: &str) -> Vec<Violation> {
    let mut walk = Walk { tree, release, version, found: Vec::new() };
    if let Value::Object(map) = object {
        walk.missing(0, map, None);
        if let Some(row) = tree.row_in(0, release, version) {
            walk.related(0, &tree.schemas[row.schema].attributes, None, object);
        }
        let open = tree.nodes[0].open.contains(release);
        let unnamed = if open { Unnamed::Kept } else { Unnamed::Pruned };
        for (key, value) in map.iter().filter(|(key, _)| !OUTSIDE.contains(&key.as_str())) {
            walk.key(0, unnamed, &PathRef::key(None, key), key, value);
        }
    }
    walk.found
}

/// What becomes of keys that a mapping's schema does not name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unnamed {
    /// They are kept: `preserveUnknown`.
    Kept,
    /// They are pruned.
    Pruned,
}

/// One pass over one object.
struct Walk<'c> {
    tree: &'c Tree,
    release: ReleaseId,
    version: &'c str,
    found: Vec<Violation>,
}

impl Walk<'_> {
    /// Checks one key of a mapping that is at `node`.
    fn key(&mut self, node: usize, unnamed: Unnamed, spot: &PathRef<'_>, key: &str, value: &Value) {
        let tree = self.tree;
        let parent = &tree.nodes[node];
        let named = parent.key(key);
        let row_of = |child: Option<usize>| Some((child?, tree.row_in(child?, self.release, self.version)?));
        if let Some((child, row)) = row_of(named).or_else(|| row_of(parent.values)) {
            let null = value.is_null() && !tree.schemas[row.schema].attributes.nullable;
            if !null {
                self.value(child, row, spot, value);
            } else if row.required && tree.schemas[row.schema].attributes.default.is_none() {
                self.report(spot, ViolationKind::MissingRequired);
            }
        } else if unnamed == Unnamed::Pruned {
            let releases_of =
                |child: Option<usize>| child.map_or_else(ReleaseSet::default, |child| tree.nodes[child].releases);
            let known = releases_of(named) | releases_of(parent.values) | parent.open;
            if !known.is_empty() {
                self.report(spot, ViolationKind::UnknownField { known });
            }
        }
    }

    /// Checks a value that is at `node`, for which the release has `row`.
    fn value(&mut self, node: usize, row: &Row, spot: &PathRef<'_>, value: &Value) {
        let schema = &self.tree.schemas[row.schema];
        let attributes = &schema.attributes;
        if value.is_null() && attributes.nullable {
            return;
        }
        if !row.kind.accepts(value) || value.is_null() && row.kind != Type::Any {
            self.report(spot, ViolationKind::WrongType { expected: row.kind });
            return;
        }
        if !attributes.allows(value) {
            self.report(spot, ViolationKind::NotInEnum { allowed: attributes.allowed.clone().unwrap_or_default() });
        }
        self.related(node, attributes, Some(spot), value);
        match value {
            Value::String(text) => {
                self.text(attributes, spot, text);
                let pattern = schema.pattern.map(|pattern| &self.tree.patterns[pattern]);
                if let Some(pattern) = pattern.filter(|pattern| !pattern.matches(text)) {
                    self.report(spot, ViolationKind::Pattern { pattern: pattern.text().to_owned() });
                }
            }
            Value::Number(number) => self.number(attributes, spot, number),
            Value::Array(items) => self.list(node, attributes, spot, items),
            Value::Object(map) => {
                if attributes.min_properties.is_some() || attributes.max_properties.is_some() {
                    let removed = map.iter().filter(|(key, value)| value.is_null() && self.is_removed(node, key));
                    let entries = map.len() - removed.count();
                    self.count(entries, attributes.min_properties, attributes.max_properties, spot);
                }
                self.missing(node, map, Some(spot));
                let open = row.kind == Type::Any || attributes.preserve_unknown;
                let unnamed = if open { Unnamed::Kept } else { Unnamed::Pruned };
                for (key, value) in map {
                    self.key(node, unnamed, &PathRef::key(Some(spot), key), key, value);
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// Reports the relations that a value at `node` breaks.
    fn related(&mut self, node: usize, attributes: &Attributes, spot: Option<&PathRef<'_>>, value: &Value) {
        if attributes.relations.is_empty() {
            return;
        }
        let schema = Schema { tree: self.tree, release: self.release, version: self.version };
        let at = Place { node: Some(node), value };
        for relation in &attributes.relations {
            let Some(broken) = schema.broken(relation, at) else { continue };
            let path = spot.map(PathRef::path).unwrap_or_default();
            let named = relation.fields().into_iter().filter_map(FieldPattern::as_path);
            let written: BTreeSet<FieldPath> = named.filter(|field| field.get(value).is_some()).collect();
            let is_innermost =
                |field: &&FieldPath| !written.iter().any(|other| other != *field && other.starts_with(field));
            let fields = written.iter().filter(is_innermost).map(|field| path.join(field)).collect();
            let kind = ViolationKind::Relation { text: broken.text, because: broken.because, fields };
            self.found.push(Violation { path: path.join(&broken.field), kind });
        }
    }

    /// Reports the named fields that a mapping at `node` must have and lacks.
    fn missing(&mut self, node: usize, map: &serde_json::Map<String, Value>, above: Option<&PathRef<'_>>) {
        let tree = self.tree;
        let fields = &tree.nodes[node];
        for (key, child) in fields.demanded.iter().map(|number| &fields.keys[*number]) {
            let Some(row) = tree.row_in(*child, self.release, self.version) else { continue };
            if row.required && member(map, key).is_none() && tree.schemas[row.schema].attributes.default.is_none() {
                self.report(&PathRef::key(above, key), ViolationKind::MissingRequired);
            }
        }
    }

    fn list(&mut self, node: usize, attributes: &Attributes, above: &PathRef<'_>, items: &[Value]) {
        self.count(items.len(), attributes.min_items, attributes.max_items, above);
        let duplicates = self.duplicates(node, attributes, items);
        let row_of = |child: usize| Some((child, self.tree.row_in(child, self.release, self.version)?));
        let child = self.tree.nodes[node].items.and_then(row_of);
        let mut duplicates = duplicates.into_iter().peekable();
        for (index, item) in items.iter().enumerate() {
            let spot = PathRef::index(Some(above), index);
            if let Some((_, first)) = duplicates.next_if(|(duplicate, _)| *duplicate == index) {
                self.report(&spot, ViolationKind::Duplicate { first });
            }
            if let Some((child, row)) = child {
                self.value(child, row, &spot, item);
            }
        }
    }

    /// Finds the items that equal an earlier one in the keys of the list: (index, index of the earlier).
    fn duplicates(&self, node: usize, attributes: &Attributes, items: &[Value]) -> Vec<(usize, usize)> {
        let (mut first, mut found) = (BTreeMap::new(), Vec::new());
        if items.len() < 2 {
            return found;
        }
        for (index, item) in items.iter().enumerate() {
            let Some(name) = self.name_of_item(node, attributes, item) else { continue };
            match first.entry(name) {
                Entry::Occupied(earlier) => found.push((index, *earlier.get())),
                Entry::Vacant(vacant) => {
                    vacant.insert(index);
                }
            }
        }
        found
    }

    /// Returns the key of an item, as JSON texts; `None` if it has none.
    fn name_of_item(&self, node: usize, attributes: &Attributes, item: &Value) -> Option<Vec<String>> {
        match attributes.list_type? {
            ListType::Atomic => None,
            ListType::Set => Some(vec![item.to_string()]),
            ListType::Map => {
                let fields = &self.tree.nodes[self.tree.nodes[node].items?];
                let value_of = |key: &String| {
                    let default = || {
                        let row = self.tree.row_in(fields.key(key)?, self.release, self.version)?;
                        self.tree.schemas[row.schema].attributes.default.as_ref()
                    };
                    item.get(key).filter(|value| !value.is_null()).or_else(default)
                };
                // The absence of an optional key field counts as a value, but a key without any field is none.
                let values: Vec<_> = attributes.list_keys.iter().map(value_of).collect();
                let named = values.iter().any(Option::is_some);
                named.then(|| values.iter().map(|value| value.map_or_else(String::new, Value::to_string)).collect())
            }
        }
    }

    /// Returns whether the API server removes a null in the field `key` of a mapping before it validates, and puts no default there.
    fn is_removed(&self, node: usize, key: &str) -> bool {
        let fields = &self.tree.nodes[node];
        let row =
            fields.key(key).or(fields.values).and_then(|child| self.tree.row_in(child, self.release, self.version));
        row.is_some_and(|row| {
            let attributes = &self.tree.schemas[row.schema].attributes;
            !attributes.nullable && attributes.default.is_none()
        })
    }

    fn count(&mut self, entries: usize, least: Option<u64>, most: Option<u64>, spot: &PathRef<'_>) {
        let entries = entries as u64;
        if let Some(least) = least.filter(|least| entries < *least) {
            self.report(spot, ViolationKind::TooFew { least });
        }
        if let Some(most) = most.filter(|most| entries > *most) {
            self.report(spot, ViolationKind::TooMany { most });
        }
    }

    fn text(&mut self, attributes: &Attributes, spot: &PathRef<'_>, text: &str) {
        let characters = text.chars().count() as u64;
        if let Some(least) = attributes.min_length.filter(|least| characters < *least) {
            self.report(spot, ViolationKind::TooShort { least });
        }
        if let Some(most) = attributes.max_length.filter(|most| characters > *most) {
            self.report(spot, ViolationKind::TooLong { most });
        }
    }

    fn number(&mut self, attributes: &Attributes, spot: &PathRef<'_>, number: &Number) {
        if let Some(least) = attributes.minimum.as_ref().filter(|least| compare(number, least) == Ordering::Less) {
            self.report(spot, ViolationKind::Below { least: least.clone() });
        }
        if let Some(most) = attributes.maximum.as_ref().filter(|most| compare(number, most) == Ordering::Greater) {
            self.report(spot, ViolationKind::Above { most: most.clone() });
        }
    }

    fn report(&mut self, spot: &PathRef<'_>, kind: ViolationKind) {
        self.found.push(Violation { path: spot.path(), kind });
    }
}

/// Compares two numbers by value: whole numbers exactly, others as floats.
fn compare(left: &Number, right: &Number) -> Ordering {
    match (left.as_i128(), right.as_i128()) {
        (Some(left), Some(right)) => left.cmp(&right),
        _ => left.as_f64().partial_cmp(&right.as_f64()).unwrap_or(Ordering::Equal),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::catalog::sample::{catalog, release, set};
    use serde_json::json;

    const ROWS: &str = "\
spec | object | required |  |  | ALL
spec.any | any |  | {\"preserveUnknown\":true} |  | standard v2.0.0
spec.color | string |  | {\"enum\":[\"Blue\",\"Red\"]} |  | ALL
spec.deletion | object |  | {\"minProperties\":1} |  | ALL
spec.deletion.after | string |  | {\"default\":\"1m\"} |  | ALL
spec.deletion.order | string |  |  |  | ALL
spec.deletion.who | string |  | {\"nullable\":true} |  | ALL
spec.items | array |  | {\"minItems\":1,\"maxItems\":2,\"listType\":\"map\",\"listKeys\":[\"name\",\"kind\"]} |  | ALL
spec.items[] | object |  |  |  | ALL
spec.items[].kind | string | required | {\"default\":\"A\"} |  | ALL
spec.items[].name | string | required | {\"pattern\":\"^[a-z]+$\",\"minLength\":1,\"maxLength\":3} |  | ALL
spec.labels | object |  | {\"maxProperties\":1} |  | ALL
spec.labels{} | string |  |  |  | ALL
spec.must | string | required | {\"nullable\":true} | v1 | standard v2.0.0
spec.must | string |  |  | v1beta1 | standard v2.0.0
spec.new | string |  |  |  | standard v2.0.0
spec.old | string |  |  |  | standard v1.0.0
spec.port | integer |  | {\"minimum\":1,\"maximum\":100} |  | ALL
spec.ratio | number |  | {\"maximum\":0.5} |  | ALL
spec.set | array |  | {\"listType\":\"set\"} |  | ALL
spec.set[] | string |  |  |  | ALL
spec.size | integer-or-string |  |  |  | ALL
";

    fn found(spec: &Value) -> Vec<(String, ViolationKind)> {
        found_in(&json!({"kind": "Shop", "spec": spec}), "v1.0.0", "v1")
    }

    fn found_in(object: &Value, bundle: &str, name: &str) -> Vec<(String, ViolationKind)> {
        let violations = catalog(ROWS).check(object, release(bundle), name);
        violations.into_iter().map(|violation| (violation.path.to_string(), violation.kind)).collect()
    }

    #[track_caller]
    fn check(spec: Value, expected: &[(&str, ViolationKind)]) {
        let expected: Vec<_> = expected.iter().map(|(path, kind)| ((*path).to_owned(), kind.clone())).collect();
        assert_eq!(found(&spec), expected, "{spec}");
    }

    #[test]
    fn a_null_that_the_api_server_removes_is_no_entry() {
        check(json!({"deletion": {"order": "Newest"}}), &[]);
        check(json!({"deletion": {"order": null}}), &[("spec.deletion", ViolationKind::TooFew { least: 1 })]);
        check(json!({"deletion": {"who": null}}), &[]);
        check(json!({"deletion": {"order": null, "after": null}}), &[]);
    }

    #[test]
    fn a_value_that_fits_the_schema_has_no_violation() {
        check(
            json!({
                "color": "Red", "items": [{"name": "a"}, {"name": "a", "kind": "B"}], "labels": {"x": "y", },
                "old": "x", "port": 100.0, "ratio": 0.5, "set": ["a", "b"], "size": "25%", "nowhere": {"x": 1},
            }),
            &[],
        );
        check(json!({"color": null, "labels": {"x": null}, "port": null}), &[]);
    }

    #[test]
    fn a_field_of_other_releases_is_unknown_and_one_of_none_is_not() {
        let known = set("standard v2.0.0");
        check(json!({"new": {"x": 1}, "nowhere": 1}), &[("spec.new", ViolationKind::UnknownField { known })]);
        check(json!({"any": 1}), &[("spec.any", ViolationKind::UnknownField { known })]);
        assert!(found_in(&json!({"spec": {"must": "x", "any": [{"x": 1}]}}), "v2.0.0", "v1").is_empty());
    }

    #[test]
    fn a_required_field_depends_on_the_version() {
        let missing = |path: &str| vec![(path.to_owned(), ViolationKind::MissingRequired)];
        assert_eq!(found_in(&json!({"spec": {}}), "v2.0.0", "v1"), missing("spec.must"));
        assert!(found_in(&json!({"spec": {"must": null}}), "v2.0.0", "v1").is_empty());
        assert!(found_in(&json!({"spec": {}}), "v2.0.0", "v1beta1").is_empty());
        assert_eq!(found_in(&json!({"metadata": {}}), "v1.0.0", "v1"), missing("spec"));
        assert_eq!(found_in(&json!({"spec": null}), "v1.0.0", "v1"), missing("spec"));
    }

    #[test]
    fn a_required_field_with_a_default_may_be_absent() {
        check(json!({"items": [{"kind": "B"}]}), &[("spec.items[0].name", ViolationKind::MissingRequired)]);
    }

    #[test]
    fn types_are_distinguished() {
        let wrong = |expected| ViolationKind::WrongType { expected };
        check(
            json!({"color": 5, "items": {"a": 1}, "port": "80", "set": ["a", null], "size": 0.5}),
            &[
                ("spec.color", wrong(Type::String)),
                ("spec.items", wrong(Type::Array)),
                ("spec.port", wrong(Type::Integer)),
                ("spec.set[1]", wrong(Type::String)),
                ("spec.size", wrong(Type::IntegerOrString)),
            ],
        );
    }

    #[test]
    fn violated_limits_are_reported() {
        let least = |number: u64| ViolationKind::Below { least: number.into() };
        check(json!({"port": 0}), &[("spec.port", least(1))]);
        check(json!({"port": 101}), &[("spec.port", ViolationKind::Above { most: 100.into() })]);
        check(json!({"items": []}), &[("spec.items", ViolationKind::TooFew { least: 1 })]);
        check(json!({"labels": {"a": "", "b": ""}}), &[("spec.labels", ViolationKind::TooMany { most: 1 })]);
        check(json!({"items": [{"name": "abcd"}]}), &[("spec.items[0].name", ViolationKind::TooLong { most: 3 })]);
    }

    #[test]
    fn a_length_counts_characters() {
        let pattern = ViolationKind::Pattern { pattern: "^[a-z]+$".to_owned() };
        check(json!({"items": [{"name": "äöü"}]}), &[("spec.items[0].name", pattern.clone())]);
        let short = ViolationKind::TooShort { least: 1 };
        check(json!({"items": [{"name": ""}]}), &[("spec.items[0].name", short), ("spec.items[0].name", pattern)]);
    }

    #[test]
    fn an_enum_violation_lists_the_allowed_values() {
        let allowed = vec![json!("Blue"), json!("Red")];
        check(json!({"color": "red"}), &[("spec.color", ViolationKind::NotInEnum { allowed })]);
    }

    #[test]
    fn list_items_are_identified_by_their_keys_with_defaults() {
        let duplicate = ViolationKind::Duplicate { first: 0 };
        check(json!({"items": [{"name": "a", "kind": "A"}, {"name": "a"}]}), &[("spec.items[1]", duplicate.clone())]);
        check(json!({"set": ["a", "b", "a"]}), &[("spec.set[2]", duplicate)]);
    }

    #[test]
    fn whole_numbers_are_compared_exactly() {
        let number = |value: Value| value.as_number().cloned().unwrap();
        assert_eq!(
            compare(&number(json!(9_007_199_254_740_993_u64)), &number(json!(9_007_199_254_740_992_u64))),
            Ordering::Greater
        );
        assert_eq!(compare(&number(json!(1)), &number(json!(1.5))), Ordering::Less);
    }
}
