//! Answers: is a part of an object the same to all releases and versions of its kind?
//!
//! Kinds that rules make of each other are walked together, each in its own catalog.
//!
//! Invariant: what is alike narrows no releases, and is rejected by all schemas or by none.

use serde_json::Value;

use super::catalog::Catalog;
use super::tree::{Row, Tree};
use crate::knowledge::release::ReleaseSet;
use crate::syntax::field::Step;

/// Returns whether the field at a path, all that it is in, and everything in `value`, which it has, have one schema in all versions and releases of
/// the kinds of these catalogs, no release requires the field, and the value lacks nothing that some release requires.
pub(crate) fn is_alike(catalogs: &[&Catalog], path: &[Step], value: &Value) -> bool {
    let Some((first, others)) = catalogs.split_first() else { return true };
    let mut others: &[&Catalog] = others;
    if others.is_empty() {
        others = std::slice::from_ref(first);
    }
    others.iter().all(|other| is_alike_below(Pair(Place::root(first), Place::root(other)), path, value))
}

fn is_alike_below(pair: Pair<'_>, path: &[Step], value: &Value) -> bool {
    let Some((step, inner)) = path.split_first() else { return is_alike_inside(pair, value) };
    match pair.below(step) {
        Below::Alike(below) => {
            let is_required = inner.is_empty() && below.0.rows().iter().any(|row| row.required);
            !is_required && is_alike_below(below, inner, value)
        }
        Below::Anything => true,
        Below::Differs => false,
    }
}

/// A node of a tree of fields.
#[derive(Clone, Copy)]
struct Place<'c> {
    tree: &'c Tree,
    /// The releases that have the kind.
    listed: ReleaseSet,
    node: usize,
}

impl<'c> Place<'c> {
    fn root(catalog: &'c Catalog) -> Self {
        Self { tree: catalog.tree(), listed: catalog.listed(), node: 0 }
    }

    fn rows(self) -> &'c [Row] {
        self.tree.rows_of(self.node)
    }

    /// Returns its schema, where it has the same in all releases and versions.
    fn schema(self) -> Option<&'c Row> {
        let [row] = self.rows() else { return None };
        (row.versions.is_empty() && row.releases.is_superset(self.listed)).then_some(row)
    }

    fn below(self, step: &Step) -> Option<Self> {
        let node = &self.tree.nodes[self.node];
        let child = match step {
            Step::Key(key) => node.key(key).or(node.values),
            Step::Index(_) => node.items,
        };
        Some(Self { node: child?, ..self })
    }

    fn is_like(self, other: Self) -> bool {
        let schemas = self.schema().zip(other.schema());
        let attributes = |place: Self, row: &Row| &place.tree.schemas[row.schema].attributes;
        schemas.is_some_and(|(one, two)| {
            (one.kind, one.required) == (two.kind, two.required) && attributes(self, one) == attributes(other, two)
        })
    }
}

/// The same place in two trees.
#[derive(Clone, Copy)]
struct Pair<'c>(Place<'c>, Place<'c>);

/// What is one step below a place.
enum Below<'c> {
    /// One field, with one schema.
    Alike(Pair<'c>),
    /// The schemas name nothing there, and allow everything.
    Anything,
    Differs,
}

impl<'c> Pair<'c> {
    /// Returns the keys that a mapping there must have in some release.
    fn demanded(self) -> impl Iterator<Item = &'c String> {
        [self.0, self.1].into_iter().flat_map(|place| {
            let node = &place.tree.nodes[place.node];
            node.demanded.iter().map(|number| &node.keys[*number].0)
        })
    }

    fn below(self, step: &Step) -> Below<'c> {
        let is_open = |place: Place<'_>| place.tree.nodes[place.node].open.is_superset(place.listed);
        match (self.0.below(step), self.1.below(step)) {
            (Some(one), Some(other)) if one.is_like(other) => Below::Alike(Pair(one, other)),
            (None, None) if is_open(self.0) && is_open(self.1) => Below::Anything,
            _ => Below::Differs,
        }
    }
}

fn is_alike_inside(pair: Pair<'_>, value: &Value) -> bool {
    let is_alike = |step: &Step, value: &Value| match pair.below(step) {
        Below::Alike(below) => is_alike_inside(below, value),
        Below::Anything => true,
        Below::Differs => false,
    };
    match value {
        Value::Object(map) => {
            pair.demanded().all(|key| map.contains_key(key))
                && map.iter().all(|(key, value)| is_alike(&Step::Key(key.clone()), value))
        }
        Value::Array(items) => items.iter().all(|item| is_alike(&Step::Index(0), item)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::catalog;
    use super::*;
    use crate::syntax::field::FieldPath;
    use serde_json::json;

    const ROWS: &str = "\
spec | object |  |  |  | ALL
spec.any | object |  | {\"preserveUnknown\":true} |  | ALL
spec.list | array |  |  |  | ALL
spec.list[] | object |  |  |  | ALL
spec.list[].name | string | required |  |  | ALL
spec.list[].port | integer |  |  |  | ALL
spec.map | object |  |  |  | ALL
spec.map{} | string |  |  |  | ALL
spec.new | string |  |  |  | standard v2.0.0..v3.0.0, experimental v2.0.0..v3.0.0
spec.of | string |  |  | v1 | ALL
spec.two | string |  |  |  | standard v1.0.0..v3.0.0
spec.two | string |  | {\"maxLength\":5} |  | experimental v1.0.0..v3.0.0
";

    /// A kind whose list has another type of ports.
    const OTHER: &str = "\
spec | object |  |  |  | ALL
spec.list | array |  |  |  | ALL
spec.list[] | object |  |  |  | ALL
spec.list[].name | string | required |  |  | ALL
spec.list[].port | string |  |  |  | ALL
";

    fn spec() -> FieldPath {
        FieldPath::default().key("spec")
    }

    #[track_caller]
    fn is(path: &FieldPath, value: &Value, expected: bool) {
        assert_eq!(is_alike(&[&catalog(ROWS)], path.steps(), value), expected, "{path}: {value}");
    }

    #[test]
    fn one_schema_in_all_releases_and_versions_is_alike() {
        is(&spec().key("list"), &json!([{"name": "a", "port": 1}]), true);
        is(&spec().key("list").index(0), &json!({"name": "a"}), true);
        is(&spec().key("map").key("free"), &json!("a"), true);
        is(&spec().key("any").key("free"), &json!({"x": 1}), true);
    }

    #[test]
    fn what_some_releases_or_versions_lack_or_have_otherwise_is_not() {
        for field in ["new", "of", "two", "unknown"] {
            is(&spec().key(field), &json!("a"), false);
            is(&spec(), &json!({ field: "a" }), false);
        }
    }

    #[test]
    fn what_lacks_a_required_field_is_not_alike() {
        is(&spec().key("list").index(0), &json!({"port": 1}), false);
        is(&spec().key("list"), &json!([{"name": "a"}, {}]), false);
    }

    #[test]
    fn a_required_field_is_not_alike_by_itself() {
        is(&spec().key("list").index(0).key("name"), &json!("a"), false);
    }

    #[test]
    fn kinds_are_alike_where_their_schemas_are() {
        let (one, other) = (catalog(ROWS), catalog(OTHER));
        let is = |item: &Value| is_alike(&[&one, &other], spec().key("list").index(0).steps(), item);
        assert!(is(&json!({"name": "a"})));
        assert!(!is(&json!({"name": "a", "port": 1})));
        assert!(!is_alike(&[&one, &other], spec().key("map").steps(), &json!({})));
    }
}
