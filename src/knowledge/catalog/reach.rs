//! What the schemas of a kind say of a field pattern that a rule names: [`Reach`].
//!
//! Unlike a field of a catalog, such a pattern may name a key of a free mapping, or something below a field that may hold anything.

use super::field::Field;
use super::row::Type;
use super::tree::{OUTSIDE, Tree};
use crate::knowledge::release::ReleaseSet;
use crate::syntax::field::{FieldPattern, Part};

/// The fields that a pattern can name in objects of a kind.
#[derive(Debug)]
pub struct Reach<'c> {
    /// Their schemas.
    pub fields: Vec<Field<'c>>,
    /// The releases whose schemas say nothing of the fields and allow them.
    pub open: ReleaseSet,
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
