//! Answers: which fields does a kind have, as a tree of field patterns, and which releases have which schema for each?
//!
//! Unlike a field of a catalog, a pattern of a rule may name a key of a free mapping, or something below a field that may hold anything:
//! [`Reach`].
//!
//! Invariant: a parent comes before its children, and the rows of a node are contiguous.

use std::ops::Range;

use super::pattern::Pattern;
use super::relation::Relation;
use super::row::{Attributes, Field, Type};
use crate::knowledge::release::{ReleaseId, ReleaseSet};
use crate::syntax::field::{FieldPattern, Part};

/// The keys of an object that catalogs do not describe.
pub(crate) const OUTSIDE: [&str; 4] = ["apiVersion", "kind", "metadata", "status"];

/// The fields of a kind through the releases.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) rows: Vec<Row>,
    pub(super) schemas: Vec<Schema>,
    pub(super) patterns: Vec<Pattern>,
}

/// A field pattern in the tree; node 0 is the object itself.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The node above, and the part of the pattern from it to this node.
    pub(super) parent: Option<(usize, Part)>,
    /// Named fields, sorted by name.
    pub(super) keys: Vec<(String, usize)>,
    /// The numbers of those in `keys` that some release requires without filling in a default.
    pub(super) demanded: Vec<usize>,
    pub(super) items: Option<usize>,
    pub(super) values: Option<usize>,
    pub(super) rows: Range<usize>,
    /// The type of the field, where all of its rows have the same and accept every value of it.
    pub(super) uniform: Option<Type>,
    /// The releases that have the field.
    pub(super) releases: ReleaseSet,
    /// The releases in which anything may be below the field.
    pub(super) open: ReleaseSet,
}

/// The schema of a node in some releases.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) kind: Type,
    pub(super) required: bool,
    pub(super) schema: usize,
    pub(super) versions: Vec<String>,
    pub(super) releases: ReleaseSet,
}

/// Attributes, shared by the rows that have the same.
#[derive(Clone, Debug)]
pub(super) struct Schema {
    pub(super) attributes: Attributes,
    pub(super) pattern: Option<usize>,
}

impl Tree {
    /// Makes the tree of an object without fields.
    pub(super) fn new() -> Self {
        Self { nodes: vec![Node::new(None, 0)], rows: Vec::new(), schemas: Vec::new(), patterns: Vec::new() }
    }

    /// Adds the node one part below `parent`; `None` where it is there already, or before one that is.
    pub(super) fn add(&mut self, parent: usize, part: Part) -> Option<usize> {
        let child = self.nodes.len();
        let node = &mut self.nodes[parent];
        match &part {
            Part::Key(key) if node.keys.last().is_none_or(|(last, _)| last < key) => {
                node.keys.push((key.clone(), child));
            }
            Part::Items if node.items.is_none() => node.items = Some(child),
            Part::Values if node.values.is_none() => node.values = Some(child),
            Part::Key(_) | Part::Items | Part::Values => return None,
        }
        self.nodes.push(Node::new(Some((parent, part)), self.rows.len()));
        Some(child)
    }

    /// Returns the node of `pattern`, which is there, or comes next in tree order.
    pub(super) fn node_for(&mut self, pattern: &FieldPattern) -> usize {
        pattern.parts().iter().fold(0, |at, part| match self.below(at, part) {
            Some(child) => child,
            None => self.add(at, part.clone()).expect("fields come in tree order"),
        })
    }

    /// Adds attributes that no row has so far.
    pub(super) fn add_schema(&mut self, attributes: Attributes) -> usize {
        let pattern = attributes.pattern.as_deref().map(|text| self.pattern(text));
        for text in attributes.relations.iter().flat_map(Relation::patterns) {
            self.pattern(text);
        }
        self.schemas.push(Schema { attributes, pattern });
        self.schemas.len() - 1
    }

    /// Finds or adds a pattern.
    fn pattern(&mut self, text: &str) -> usize {
        let known = self.patterns.iter().position(|pattern| pattern.text() == text);
        known.unwrap_or_else(|| {
            self.patterns.push(Pattern::new(text));
            self.patterns.len() - 1
        })
    }

    /// Adds a row to the node added last, or to one to which no row was added before.
    pub(super) fn push(&mut self, node: usize, row: Row) {
        let attributes = &self.schemas[row.schema].attributes;
        let is_open = row.kind == Type::Any || attributes.preserve_unknown;
        let is_demanded = row.required && attributes.default.is_none();
        let accepted = attributes.allowed.is_none().then_some(row.kind);
        let number = node;
        let node = &mut self.nodes[number];
        node.uniform = accepted.filter(|kind| node.rows.is_empty() || node.uniform == Some(*kind));
        node.releases = node.releases | row.releases;
        if is_open {
            node.open = node.open | row.releases;
        }
        self.rows.push(row);
        node.rows.end = self.rows.len();
        if let Some((parent, Part::Key(key))) = node.parent.clone().filter(|_| is_demanded) {
            self.nodes[parent].demand(&key);
        }
    }

    pub(super) fn fields_at(&self, node: usize) -> impl Iterator<Item = Field<'_>> {
        let pattern = self.pattern_of(node);
        self.rows_of(node).iter().map(move |row| self.field_from(pattern.clone(), row))
    }

    pub(super) fn field_from<'c>(&'c self, pattern: FieldPattern, row: &'c Row) -> Field<'c> {
        Field {
            pattern,
            kind: row.kind,
            required: row.required,
            attributes: &self.schemas[row.schema].attributes,
            api_versions: &row.versions,
            releases: row.releases,
        }
    }

    pub(super) fn rows_of(&self, node: usize) -> &[Row] {
        &self.rows[self.nodes[node].rows.clone()]
    }

    pub(super) fn row_in(&self, node: usize, release: ReleaseId, name: &str) -> Option<&Row> {
        let applies = |row: &&Row| {
            row.releases.contains(release) && (row.versions.is_empty() || row.versions.iter().any(|one| one == name))
        };
        self.rows_of(node).iter().find(applies)
    }

    pub(super) fn pattern_of(&self, node: usize) -> FieldPattern {
        let mut parts = Vec::new();
        let mut at = node;
        while let Some((parent, part)) = &self.nodes[at].parent {
            parts.push(part.clone());
            at = *parent;
        }
        parts.reverse();
        FieldPattern::new(parts)
    }

    pub(super) fn node_at(&self, pattern: &FieldPattern) -> Option<usize> {
        pattern.parts().iter().try_fold(0, |at, part| self.below(at, part))
    }

    /// Returns the node one part below another.
    fn below(&self, node: usize, part: &Part) -> Option<usize> {
        match part {
            Part::Key(key) => self.nodes[node].key(key),
            Part::Items => self.nodes[node].items,
            Part::Values => self.nodes[node].values,
        }
    }
}

impl Node {
    /// Makes a node without fields, whose rows start at `row`.
    pub(super) fn new(parent: Option<(usize, Part)>, row: usize) -> Self {
        Self {
            parent,
            keys: Vec::new(),
            demanded: Vec::new(),
            items: None,
            values: None,
            rows: row..row,
            uniform: None,
            releases: ReleaseSet::default(),
            open: ReleaseSet::default(),
        }
    }

    /// Returns the node of the named field `key`.
    pub(super) fn key(&self, key: &str) -> Option<usize> {
        // Of few, most have another length.
        const FEW: usize = 8;
        match self.keys.len() {
            ..=FEW => self.keys.iter().find(|(name, _)| name == key).map(|(_, child)| *child),
            _ => Some(self.keys[self.number_of(key)?].1),
        }
    }

    fn number_of(&self, key: &str) -> Option<usize> {
        self.keys.binary_search_by(|(name, _)| name.as_str().cmp(key)).ok()
    }

    fn demand(&mut self, key: &str) {
        let number = self.number_of(key).expect("the field was added before its rows");
        if let Err(at) = self.demanded.binary_search(&number) {
            self.demanded.insert(at, number);
        }
    }
}

/// The fields that a pattern can name in objects of a kind.
#[derive(Debug)]
pub struct Reach<'c> {
    /// Their schemas.
    pub fields: Vec<Field<'c>>,
    /// The releases whose schemas say nothing of the fields and allow them.
    pub open: ReleaseSet,
}

impl Reach<'_> {
    /// Returns the releases that allow one of the fields.
    pub(crate) fn releases(&self) -> ReleaseSet {
        self.fields.iter().fold(self.open, |all, field| all | field.releases)
    }
}

/// Finds what `pattern` can name; `listed` are all releases of the kind.
pub(super) fn reach<'c>(tree: &'c Tree, pattern: &FieldPattern, listed: ReleaseSet) -> Reach<'c> {
    if matches!(pattern.parts().first(), Some(Part::Key(key)) if OUTSIDE.contains(&key.as_str())) {
        return Reach { fields: Vec::new(), open: listed };
    }
    let mut open = ReleaseSet::default();
    let mut nodes = vec![0];
    for part in pattern.parts() {
        open = nodes.iter().fold(open, |open, node| open | tree.nodes[*node].open | unlisted(tree, *node));
        nodes = nodes.iter().flat_map(|node| below(tree, *node, part)).collect();
    }
    Reach { fields: nodes.into_iter().flat_map(|node| tree.fields_at(node)).collect(), open }
}

/// Returns the nodes that one part of a pattern leads to.
fn below(tree: &Tree, node: usize, part: &Part) -> Vec<usize> {
    let node = &tree.nodes[node];
    match part {
        Part::Key(key) => node.key(key).or(node.values).into_iter().collect(),
        Part::Items => node.items.into_iter().collect(),
        Part::Values => node.keys.iter().map(|(_, key)| *key).chain(node.values).collect(),
    }
}

/// Returns the releases with mappings here of which the catalog lists nothing.
fn unlisted(tree: &Tree, node: usize) -> ReleaseSet {
    let children = &tree.nodes[node];
    if node == 0 || children.values.is_some() || !children.keys.is_empty() {
        return ReleaseSet::default();
    }
    let mappings = tree.rows_of(node).iter().filter(|row| row.kind == Type::Object);
    mappings.fold(ReleaseSet::default(), |all, row| all | row.releases)
}

#[cfg(test)]
mod tests {
    use super::super::sample::{catalog, set};
    use super::*;

    #[test]
    fn a_pattern_reaches_named_free_and_open_fields() {
        let catalog = catalog(
            "spec | object |  |  |  | ALL\n\
             spec.any | any |  |  |  | standard v1.0.0\n\
             spec.labels | object |  |  |  | ALL\n\
             spec.labels{} | string |  |  |  | ALL\n\
             spec.list | array |  |  |  | ALL\n\
             spec.list[] | object |  |  |  | ALL\n\
             spec.list[].name | string |  |  |  | standard v2.0.0\n\
             spec.opaque | object |  |  |  | standard v3.0.0\n",
        );
        let reach = |text: &str| {
            let reach = catalog.reach(&FieldPattern::parse(text).unwrap());
            (reach.fields.into_iter().map(|field| field.pattern.to_string()).collect::<Vec<_>>(), reach.open)
        };
        let none = ReleaseSet::default();
        assert_eq!(reach("spec.list[].name"), (vec!["spec.list[].name".to_owned()], none));
        assert_eq!(reach("spec.list.name"), (Vec::new(), none));
        assert_eq!(reach("spec.labels.app"), (vec!["spec.labels{}".to_owned()], none));
        assert_eq!(reach("spec.any.deep[].x"), (Vec::new(), set("standard v1.0.0")));
        assert_eq!(reach("spec.opaque.x"), (Vec::new(), set("standard v3.0.0")));
        assert_eq!(reach("spec.nothing"), (Vec::new(), none));
        assert_eq!(reach("metadata.labels.app").1, catalog.listed());
    }
}
