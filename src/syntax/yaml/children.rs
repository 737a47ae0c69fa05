//! Answers: which child of a collection does a step of a path lead to?
//!
//! A small collection is searched child by child for every step: that is the fastest for the few children of most manifests, and
//! quadratic for a hundred thousand. Large collections are indexed, all at once, when the first of them is searched.
//!
//! Invariant: the index gives the same child as a search.

use std::collections::BTreeMap;

use super::scalar::scalar_text;
use super::tree::{IndexedChildren, NodeId, Tree};

/// Collections with more nodes below them are looked up in the index.
const INDEXED_NODES: u32 = 512;

/// Collections with more children are in the index.
const INDEXED_CHILDREN: usize = 128;

/// Returns the entries of a mapping whose key is the text `key`, in order.
pub(super) fn entries(tree: &Tree, text: &str, mapping: NodeId, key: &str) -> impl Iterator<Item = (NodeId, NodeId)> {
    let indexed = match indexed_children(tree, text, mapping) {
        Some(IndexedChildren::Entries { by_key, .. }) => Some(by_key.get(key).map_or(&[][..], Vec::as_slice)),
        Some(IndexedChildren::Items(_)) | None => None,
    };
    let walked = indexed.is_none().then(|| tree.pairs(mapping).filter(|(node, _)| is_key(tree, text, *node, key)));
    indexed.into_iter().flatten().copied().chain(walked.into_iter().flatten())
}

/// Returns the values of the merge keys (`<<`) of a mapping, in order.
pub(super) fn merged(tree: &Tree, text: &str, mapping: NodeId) -> impl Iterator<Item = NodeId> {
    let indexed = match indexed_children(tree, text, mapping) {
        Some(IndexedChildren::Entries { merged, .. }) => Some(merged.as_slice()),
        Some(IndexedChildren::Items(_)) | None => None,
    };
    let walked = indexed.is_none().then(|| tree.pairs(mapping).filter(|(key, _)| tree.is_merge_key(text, *key)));
    indexed.into_iter().flatten().copied().chain(walked.into_iter().flatten().map(|(_, value)| value))
}

/// Returns whether a key node is the text `key`.
pub(super) fn is_key(tree: &Tree, text: &str, node: NodeId, key: &str) -> bool {
    tree.node(node).kind.is_text() && !tree.is_merge_key(text, node) && scalar_text(tree, text, node) == key
}

/// Returns one item of a sequence, from 0.
pub(super) fn item_at(tree: &Tree, text: &str, sequence: NodeId, index: usize) -> Option<NodeId> {
    match indexed_children(tree, text, sequence) {
        Some(IndexedChildren::Items(items)) => items.get(index).copied(),
        Some(IndexedChildren::Entries { .. }) | None => tree.children(sequence).nth(index),
    }
}

/// Returns the children of a collection that is indexed.
fn indexed_children<'t>(tree: &'t Tree, text: &str, container: NodeId) -> Option<&'t IndexedChildren> {
    let is_large = tree.node(container).next - container.0 > INDEXED_NODES;
    is_large.then(|| tree.child_index.0.get_or_init(|| build_child_index(tree, text)).get(&container)).flatten()
}

fn build_child_index(tree: &Tree, text: &str) -> BTreeMap<NodeId, IndexedChildren> {
    let large = tree
        .ids()
        .filter(|id| tree.node(*id).next - id.0 > INDEXED_NODES && tree.children(*id).nth(INDEXED_CHILDREN).is_some());
    let children = |id: NodeId| match tree.node(id).kind.is_mapping() {
        true => IndexedChildren::Entries {
            by_key: entries_by_key(tree, text, id),
            merged: tree.pairs(id).filter(|(key, _)| tree.is_merge_key(text, *key)).map(|(_, value)| value).collect(),
        },
        false => IndexedChildren::Items(tree.children(id).collect()),
    };
    large.map(|id| (id, children(id))).collect()
}

fn entries_by_key(tree: &Tree, text: &str, mapping: NodeId) -> BTreeMap<String, Vec<(NodeId, NodeId)>> {
    let mut keys: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for (key, value) in tree.pairs(mapping) {
        if tree.node(key).kind.is_text() && !tree.is_merge_key(text, key) {
            keys.entry(scalar_text(tree, text, key).into_owned()).or_default().push((key, value));
        }
    }
    keys
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use crate::syntax::field::FieldPath;
    use crate::syntax::yaml::{ProblemCode, find_node, locate, parse};

    /// Two hundred entries and as many items, one key twice.
    fn text() -> String {
        let mut text = "map:\n".to_owned();
        for number in 0..200 {
            writeln!(text, "  \"k{number}\": {{a: {number}}}").unwrap();
        }
        text.push_str("  k7: again\nlist:\n");
        for number in 0..200 {
            writeln!(text, "- {{a: {number}, b: [x]}}").unwrap();
        }
        text
    }

    #[test]
    fn children_of_large_collections_are_found() {
        let text = text();
        let tree = parse(&text).unwrap();
        let root = tree.documents()[0].root;
        let at = |path: &FieldPath| find_node(&tree, &text, root, path).map(|node| tree.span(node).of(&text));
        let list = FieldPath::default().key("list");
        assert_eq!(at(&FieldPath::default().key("map").key("k150").key("a")), Ok("150"));
        assert_eq!(at(&list.index(199).key("a")), Ok("199"));
        assert_eq!(at(&list.index(200)).unwrap_err().code, ProblemCode::NotFound);
        assert_eq!(at(&FieldPath::default().key("map").key("k200")).unwrap_err().code, ProblemCode::NotFound);
        assert_eq!(at(&FieldPath::default().key("map").key("k7")).unwrap_err().code, ProblemCode::DuplicateKey);
        assert_eq!(locate(&tree, &text, root, &list.index(3)).of(&text), "-");
    }
}
