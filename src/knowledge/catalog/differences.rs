//! Answers: of the fields that an object has, which are not the same in two schemas of its kind, or of that kind in two groups?
//!
//! The object and the trees of fields are walked together, once, with the rows of two schemas. Of a field that the object has, its
//! default does not matter; of one that it lacks, nothing else does.
//!
//! Invariant: an object without a difference means the same under both schemas, as far as schemas say what it means.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::{Map, Value};

use super::row::Type;
use super::tree::{OUTSIDE, Row, Schema, Tree};
use crate::knowledge::release::ReleaseId;
use crate::syntax::field::{FieldPath, PathRef};

/// The schema of a kind that a release has for one version.
#[derive(Clone, Copy)]
pub struct SchemaName<'n> {
    /// The release.
    pub release: ReleaseId,
    /// The version's name: `v1beta1`.
    pub version: &'n str,
}

/// The same of both schemas.
#[derive(Clone, Copy)]
struct Sides<T> {
    old: T,
    new: T,
}

/// One field that is not the same in two schemas.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Its path; of a field that the object lacks, the one that it would have.
    pub path: FieldPath,
    /// What is not the same.
    pub kind: DifferenceKind,
}

/// What is not the same in two schemas.
#[derive(Clone, Debug, PartialEq)]
pub enum DifferenceKind {
    /// The new schema has no such field.
    Gone,
    /// The old schema has no such field.
    Added,
    /// Neither schema describes the field.
    Undescribed,
    /// Both have the field, and describe it in other words.
    Changed(Vec<Change>),
    /// The object lacks the field or has null there, and the two make other values of it; `None` is none.
    Default {
        /// What the old schema fills in, or null where it keeps that.
        old: Option<Value>,
        /// What the new schema fills in, or null where it keeps that.
        new: Option<Value>,
    },
}

/// A keyword of two schemas that has two values; `None` is none.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The keyword, as in a catalog: `type`, `maxLength`.
    pub keyword: String,
    /// Its value in the old schema.
    pub old: Option<Value>,
    /// Its value in the new schema.
    pub new: Option<Value>,
}

/// The longest value that a message quotes, in characters.
const MAX_QUOTED: usize = 40;

/// Keywords with the value that their absence means too.
///
/// Source: Kubernetes, "Server-Side Apply", merge strategy.
const MEANS_NOTHING: [(&str, &str); 2] = [("listType", "atomic"), ("mapType", "granular")];

/// Prints both values, where they are short enough to be read in a sentence; `absent` stands for no value.
fn both(old: Option<&Value>, new: Option<&Value>, absent: &str) -> Option<String> {
    let text = |value: Option<&Value>| value.map_or_else(|| absent.to_owned(), Value::to_string);
    let (old, new) = (text(old), text(new));
    let is_short = |text: &String| text.chars().count() <= MAX_QUOTED;
    (is_short(&old) && is_short(&new)).then(|| format!("{old}, then {new}"))
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match both(self.old.as_ref(), self.new.as_ref(), "none") {
            Some(values) => write!(f, "{} ({values})", self.keyword),
            None => f.write_str(&self.keyword),
        }
    }
}

impl fmt::Display for DifferenceKind {
    /// Prints what follows the field's name in a sentence: `changes in type ("string", then "integer")`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gone => f.write_str("disappears"),
            Self::Added => f.write_str("is added"),
            Self::Undescribed => f.write_str("is described by no schema"),
            Self::Changed(changes) => {
                let changes: Vec<String> = changes.iter().map(Change::to_string).collect();
                write!(f, "changes in {}", changes.join(", "))
            }
            Self::Default { old: Some(Value::Null), new } => {
                let values = both(Some(&Value::Null), new.as_ref(), "no value");
                write!(f, "is null, which changes ({})", values.as_deref().unwrap_or("null, then another value"))
            }
            Self::Default { old, new } => match both(old.as_ref(), new.as_ref(), "no default") {
                Some(values) => write!(f, "is not written, and its default changes ({values})"),
                None => f.write_str("is not written, and its default changes"),
            },
        }
    }
}

/// Compares what two schemas say of the fields of `object`; what neither describes counts too.
pub(super) fn differences(object: &Value, old: Described<'_>, new: Described<'_>) -> Vec<Difference> {
    let mut walk = Walk { schemas: Sides { old, new }, found: Vec::new() };
    if let Value::Object(map) = object {
        walk.whole();
        walk.mapping(Sides { old: 0, new: 0 }, map, None);
    }
    walk.found
}

/// What one schema says of a field: a node of its tree, and the row there.
type Side<'c> = Option<(usize, &'c Row)>;

/// One of the two schemas, and the tree of the catalog that it is in.
#[derive(Clone, Copy)]
pub(super) struct Described<'c> {
    pub(super) tree: &'c Tree,
    pub(super) name: SchemaName<'c>,
}

impl<'c> Described<'c> {
    fn side(self, node: Option<usize>) -> Side<'c> {
        Some((node?, self.tree.row_in(node?, self.name.release, self.name.version)?))
    }

    /// Finds the field `key` of the mapping at `node`.
    fn field(self, node: usize, key: &str) -> Side<'c> {
        let node = &self.tree.nodes[node];
        self.side(node.key(key)).or_else(|| self.side(node.values))
    }

    /// Returns whether a field is data of any type, whose keys no schema has to describe.
    fn is_data(self, node: usize) -> bool {
        self.side(Some(node)).is_some_and(|(_, row)| row.kind == Type::Any)
    }

    fn schema(self, row: &Row) -> &'c Schema {
        &self.tree.schemas[row.schema]
    }

    fn keys(self, node: usize) -> impl Iterator<Item = &'c str> {
        self.tree.nodes[node].keys.iter().map(|(key, _)| key.as_str())
    }

    /// Returns the keywords of a schema that say what a value must be.
    fn keywords(self, row: &Row) -> Map<String, Value> {
        let written = serde_json::to_value(&self.schema(row).attributes);
        let mut written = written.ok().and_then(|value| value.as_object().cloned()).unwrap_or_default();
        written.remove("default");
        if let Some(Value::Object(unchecked)) = written.remove("unchecked") {
            written.extend(unchecked);
        }
        written.retain(|keyword, value| !MEANS_NOTHING.iter().any(|(other, same)| keyword == other && value == same));
        written
    }

    /// Returns what the API server makes of a field that is absent or null (`written`): a null that the schema does not allow
    /// counts as absent, and a default gets the defaults of the fields that it lacks itself.
    fn filled_in(self, side: Side<'c>, written: Option<&Value>) -> Option<Value> {
        let (node, row) = side?;
        let attributes = &self.schema(row).attributes;
        if written.is_some() && attributes.nullable {
            return Some(Value::Null);
        }
        let mut default = attributes.default.clone()?;
        self.fill(&mut default, node);
        Some(default)
    }

    /// Adds to `value`, whose field is `node`, what its schema fills in.
    fn fill(self, value: &mut Value, node: usize) {
        match value {
            Value::Object(map) => {
                for (key, value) in map.iter_mut() {
                    if let Some((below, _)) = self.field(node, key) {
                        self.fill(value, below);
                    }
                }
                for (key, child) in &self.tree.nodes[node].keys {
                    let written = map.get(key.as_str());
                    if written.is_some_and(|value| !value.is_null()) {
                        continue;
                    }
                    if let Some(value) = self.filled_in(self.side(Some(*child)), written) {
                        map.insert(key.clone(), value);
                    }
                }
            }
            Value::Array(items) => {
                if let Some((below, _)) = self.side(self.tree.nodes[node].items) {
                    items.iter_mut().for_each(|item| self.fill(item, below));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

/// One pass over one object.
struct Walk<'c> {
    schemas: Sides<Described<'c>>,
    found: Vec<Difference>,
}

impl<'c> Walk<'c> {
    /// Finds the fields `key` of a mapping whose fields both sides have at these nodes.
    fn field(&self, nodes: Sides<usize>, key: &str) -> Sides<Side<'c>> {
        let Sides { old, new } = self.schemas;
        Sides { old: old.field(nodes.old, key), new: new.field(nodes.new, key) }
    }

    /// Compares what the schemas say of the object as a whole; a schema without a row says nothing of it.
    fn whole(&mut self) {
        let unchecked = |schema: Described<'c>| {
            schema.side(Some(0)).map(|(_, row)| schema.schema(row).attributes.unchecked.clone()).unwrap_or_default()
        };
        let (old, new) = (unchecked(self.schemas.old), unchecked(self.schemas.new));
        let keywords: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        let changes: Vec<Change> = keywords
            .into_iter()
            .map(|keyword| (keyword, old.get(keyword).cloned(), new.get(keyword).cloned()))
            .filter(|(_, old, new)| old != new)
            .map(|(keyword, old, new)| Change { keyword: keyword.clone(), old, new })
            .collect();
        if !changes.is_empty() {
            self.found.push(Difference { path: FieldPath::default(), kind: DifferenceKind::Changed(changes) });
        }
    }

    fn mapping(&mut self, nodes: Sides<usize>, map: &Map<String, Value>, above: Option<&PathRef<'_>>) {
        let Sides { old, new } = self.schemas;
        let is_described = |key: &str| above.is_some() || !OUTSIDE.contains(&key);
        for (key, value) in map.iter().filter(|(key, value)| is_described(key) && !value.is_null()) {
            let sides = self.field(nodes, key);
            let spot = PathRef::key(above, key);
            if sides.old.is_none() && sides.new.is_none() && !(old.is_data(nodes.old) && new.is_data(nodes.new)) {
                self.report(&spot, DifferenceKind::Undescribed);
            }
            self.value(sides, value, &spot);
        }
        let is_absent = |key: &str| map.get(key).is_none_or(Value::is_null);
        let keys = old.keys(nodes.old).chain(new.keys(nodes.new));
        for key in keys.filter(|key| is_described(key) && is_absent(key)).collect::<BTreeSet<_>>() {
            let sides = self.field(nodes, key);
            let (old, new) = (old.filled_in(sides.old, map.get(key)), new.filled_in(sides.new, map.get(key)));
            let counts = |value: &Option<Value>| value.clone().filter(|value| !value.is_null());
            if counts(&old) != counts(&new) {
                self.report(&PathRef::key(above, key), DifferenceKind::Default { old, new });
            }
        }
    }

    fn value(&mut self, sides: Sides<Side<'c>>, value: &Value, spot: &PathRef<'_>) {
        let ((old, old_row), (new, new_row)) = match (sides.old, sides.new) {
            (Some(old), Some(new)) => (old, new),
            (Some(_), None) => return self.report(spot, DifferenceKind::Gone),
            (None, Some(_)) => return self.report(spot, DifferenceKind::Added),
            (None, None) => return,
        };
        let changes = self.changes(old_row, new_row);
        if !changes.is_empty() {
            self.report(spot, DifferenceKind::Changed(changes));
        }
        match value {
            Value::Object(map) => self.mapping(Sides { old, new }, map, Some(spot)),
            Value::Array(items) => {
                let item = |schema: Described<'c>, node: usize| schema.side(schema.tree.nodes[node].items);
                let sides = Sides { old: item(self.schemas.old, old), new: item(self.schemas.new, new) };
                for (index, item) in items.iter().enumerate() {
                    self.value(sides, item, &PathRef::index(Some(spot), index));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// Compares two schemas of a field that the object has.
    fn changes(&self, old: &Row, new: &Row) -> Vec<Change> {
        let mut changes = Vec::new();
        if old.kind != new.kind {
            let name = |row: &Row| Some(Value::from(row.kind.name()));
            changes.push(Change { keyword: "type".to_owned(), old: name(old), new: name(new) });
        }
        let are_of_one_tree = std::ptr::eq(self.schemas.old.tree, self.schemas.new.tree);
        if are_of_one_tree && old.schema == new.schema {
            return changes;
        }
        let (mut old, mut new) = (self.schemas.old.keywords(old), self.schemas.new.keywords(new));
        old.retain(|keyword, value| {
            let other = new.remove(keyword);
            if other.as_ref() != Some(value) {
                changes.push(Change { keyword: keyword.clone(), old: Some(value.take()), new: other });
            }
            false
        });
        let added = new.into_iter().map(|(keyword, value)| Change { keyword, old: None, new: Some(value) });
        changes.extend(added);
        changes
    }

    fn report(&mut self, spot: &PathRef<'_>, kind: DifferenceKind) {
        self.found.push(Difference { path: spot.path(), kind });
    }
}

#[cfg(test)]
mod tests {
    use super::SchemaName;
    use crate::knowledge::catalog::sample::{catalog, release};
    use serde_json::{Value, json};

    const ROWS: &str = "\
spec | object | required |  |  | ALL
spec.any | any |  | {\"preserveUnknown\":true} |  | ALL
spec.any.named | string |  |  | v1 | ALL
spec.gone | string |  |  | v1beta1 | ALL
spec.items | array |  |  |  | ALL
spec.items[] | object |  |  |  | ALL
spec.items[].size | integer |  |  | v1 | ALL
spec.items[].size | string |  |  | v1beta1 | ALL
spec.labels | object |  |  |  | ALL
spec.labels{} | string |  | {\"maxLength\":5} | v1 | ALL
spec.labels{} | string |  |  | v1beta1 | ALL
spec.list | array |  | {\"listType\":\"atomic\"} | v1 | ALL
spec.list | array |  |  | v1beta1 | ALL
spec.mode | string |  | {\"enum\":[\"A\",\"B\"],\"default\":\"B\"} | v1 | ALL
spec.mode | string |  | {\"enum\":[\"A\",\"B\"],\"default\":\"A\"} | v1beta1 | ALL
spec.new | string |  |  | v1 | ALL
spec.open | object |  | {\"preserveUnknown\":true} |  | ALL
spec.same | string |  | {\"pattern\":\"^a$\"} |  | ALL
spec.text | string |  | {\"pattern\":\"^[a-z]+(/[a-z]+)*(-[a-z]+(/[a-z]+)*)*[a-z0-9]$\"} | v1 | ALL
spec.text | string |  | {\"format\":\"uri\"} | v1beta1 | ALL
";

    fn schema(version: &str) -> SchemaName<'_> {
        SchemaName { release: release("v2.0.0"), version }
    }

    #[track_caller]
    fn check(spec: &Value, expected: &[&str]) {
        let object = json!({"kind": "Shop", "status": {"x": 1}, "metadata": {"name": "a"}, "spec": spec});
        let found = catalog(ROWS).differences(&object, schema("v1beta1"), schema("v1"));
        let found: Vec<String> = found.iter().map(|one| format!("{} {}", one.path, one.kind)).collect();
        assert_eq!(found, expected, "{spec}");
    }

    #[test]
    fn what_both_schemas_describe_alike_is_no_difference() {
        check(&json!({"mode": "A", "same": "a", "any": {"free": 1}, "items": [{}], "list": []}), &[]);
    }

    #[test]
    fn a_field_of_one_schema_is_a_difference() {
        check(&json!({"mode": "A", "gone": "a"}), &["spec.gone disappears"]);
        check(&json!({"mode": "A", "new": "a"}), &["spec.new is added"]);
        check(&json!({"mode": "A", "any": {"named": "a"}}), &["spec.any.named is added"]);
        check(&json!({"mode": "A", "gone": null}), &[]);
        check(&json!({"mode": "A", "open": {"x": 1}}), &["spec.open.x is described by no schema"]);
        check(&json!({"mode": "A", "nowhere": {"x": 1}}), &["spec.nowhere is described by no schema"]);
    }

    #[test]
    fn a_field_that_schemas_describe_otherwise_is_a_difference() {
        check(
            &json!({"mode": "A", "items": [{"size": "1"}, {}]}),
            &["spec.items[0].size changes in type (\"string\", then \"integer\")"],
        );
        check(&json!({"mode": "A", "labels": {"a": "b"}}), &["spec.labels.a changes in maxLength (none, then 5)"]);
        check(&json!({"mode": "A", "text": "a"}), &["spec.text changes in format (\"uri\", then none), pattern"]);
    }

    #[test]
    fn the_default_counts_of_what_is_not_written() {
        check(&json!({}), &["spec.mode is not written, and its default changes (\"A\", then \"B\")"]);
        check(&json!({"mode": null}), &["spec.mode is not written, and its default changes (\"A\", then \"B\")"]);
    }

    #[track_caller]
    fn check_defaults(rows: &str, object: &Value, expected: &[&str]) {
        let found = catalog(rows).differences(object, schema("v1beta1"), schema("v1"));
        let found: Vec<String> = found.iter().map(|one| format!("{} {}", one.path, one.kind)).collect();
        assert_eq!(found, expected, "{object}");
    }

    #[test]
    fn a_default_that_only_one_schema_has_counts() {
        let rows = "\
spec | object |  |  |  | ALL
spec.gone | integer |  | {\"default\":1} | v1beta1 | ALL
spec.new | integer |  | {\"default\":2} | v1 | ALL
";
        let expected = [
            "spec.gone is not written, and its default changes (1, then no default)",
            "spec.new is not written, and its default changes (no default, then 2)",
        ];
        check_defaults(rows, &json!({"spec": {}}), &expected);
        check_defaults(rows, &json!({"metadata": {}}), &[]);
    }

    #[test]
    fn the_defaults_below_a_default_count() {
        let rows = "\
spec | object |  | {\"default\":{}} |  | ALL
spec.dim | object |  | {\"default\":{}} |  | ALL
spec.dim.level | integer |  | {\"default\":1} | v1beta1 | ALL
spec.dim.level | integer |  | {\"default\":2} | v1 | ALL
spec.items | array |  | {\"default\":[{}]} |  | ALL
spec.items[] | object |  |  |  | ALL
spec.items[].size | integer |  | {\"default\":3} |  | ALL
";
        check_defaults(
            rows,
            &json!({"spec": {}}),
            &["spec.dim is not written, and its default changes ({\"level\":1}, then {\"level\":2})"],
        );
        check_defaults(
            rows,
            &json!({}),
            &["spec is not written, and its default changes ({\"dim\":{\"level\":1},\"items\":[{\"size\":3}]}, \
               then {\"dim\":{\"level\":2},\"items\":[{\"size\":3}]})"],
        );
        check_defaults(rows, &json!({"spec": {"dim": {"level": 1}}}), &[]);
    }

    #[test]
    fn null_counts_where_a_schema_keeps_it() {
        let rows = "\
spec | object |  |  |  | ALL
spec.both | string |  | {\"default\":\"x\",\"nullable\":true} | v1 | ALL
spec.both | string |  | {\"default\":\"y\",\"nullable\":true} | v1beta1 | ALL
spec.mode | string |  | {\"default\":\"x\"} | v1 | ALL
spec.mode | string |  | {\"default\":\"x\",\"nullable\":true} | v1beta1 | ALL
";
        check_defaults(
            rows,
            &json!({"spec": {"both": null, "mode": null}}),
            &["spec.mode is null, which changes (null, then \"x\")"],
        );
    }

    #[test]
    fn one_schema_does_not_differ_from_itself() {
        let object = json!({"spec": {"gone": "a", "items": [{"size": "1"}], "text": "a"}});
        assert!(catalog(ROWS).differences(&object, schema("v1beta1"), schema("v1beta1")).is_empty());
    }
}
