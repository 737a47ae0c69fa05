//! Answers: which child of a collection does a step of a path lead to?
//!
//! A small collection is searched child by child for every step: that is the fastest for the few children of most manifests, and
//! quadratic for a hundred thousand. Large collections are indexed, all at once, when the first of them is searched.
//!
//! Invariant: the index gives the same child as a search.

use std::collections::BTreeMap;

use super::child_index::IndexedChildren;
use super::node::{Kind, NodeId};
use super::tree::Tree;

/// Collections with more nodes below them are looked up in the index.
const INDEXED_NODES: u32 = 512;

/// Collections with more children are in the index.
const INDEXED_CHILDREN: usize = 128;

impl Tree {
    /// Returns the entries of a mapping whose key is the text `key`, in order.
    pub(super) fn entries(&self, text: &str, mapping: NodeId, key: &str) -> impl Iterator<Item = (NodeId, NodeId)> {
        let indexed = match self.indexed_children(text, mapping) {
            Some(IndexedChildren::Entries(entries)) => Some(entries.get(key).map_or(&[][..], Vec::as_slice)),
            Some(IndexedChildren::Items(_)) | None => None,
        };
        let walked = indexed.is_none().then(|| self.pairs(mapping).filter(|(node, _)| self.is_key(text, *node, key)));
        indexed.into_iter().flatten().copied().chain(walked.into_iter().flatten())
    }

    /// Returns whether a key node is the text `key`.
    pub(super) fn is_key(&self, text: &str, node: NodeId, key: &str) -> bool {
        match self.node(node).kind {
            Kind::Plain | Kind::Single | Kind::Double | Kind::Literal | Kind::Folded => {
                !self.is_merge_key(text, node) && self.scalar_text(text, node) == key
            }
            _ => false,
        }
    }

    /// Returns one item of a sequence, from 0.
    pub(super) fn item(&self, text: &str, sequence: NodeId, index: usize) -> Option<NodeId> {
        match self.indexed_children(text, sequence) {
            Some(IndexedChildren::Items(items)) => items.get(index).copied(),
            Some(IndexedChildren::Entries(_)) | None => self.children(sequence).nth(index),
        }
    }

    /// Returns the children of a collection that is indexed.
    fn indexed_children(&self, text: &str, container: NodeId) -> Option<&IndexedChildren> {
        let is_large = self.node(container).next - container.0 > INDEXED_NODES;
        is_large.then(|| self.child_index.0.get_or_init(|| self.build_child_index(text)).get(&container)).flatten()
    }

    fn build_child_index(&self, text: &str) -> BTreeMap<NodeId, IndexedChildren> {
        let ids = (0..u32::try_from(self.nodes.len()).expect("nodes are numbered by u32")).map(NodeId);
        let large = ids.filter(|id| {
            self.node(*id).next - id.0 > INDEXED_NODES && self.children(*id).nth(INDEXED_CHILDREN).is_some()
        });
        let children = |id: NodeId| match self.node(id).kind.is_mapping() {
            true => IndexedChildren::Entries(self.entries_by_key(text, id)),
            false => IndexedChildren::Items(self.children(id).collect()),
        };
        large.map(|id| (id, children(id))).collect()
    }

    fn entries_by_key(&self, text: &str, mapping: NodeId) -> BTreeMap<String, Vec<(NodeId, NodeId)>> {
        let mut keys: BTreeMap<String, Vec<_>> = BTreeMap::new();
        for (key, value) in self.pairs(mapping) {
            let is_text =
                matches!(self.node(key).kind, Kind::Plain | Kind::Single | Kind::Double | Kind::Literal | Kind::Folded);
            if is_text && !self.is_merge_key(text, key) {
                keys.entry(self.scalar_text(text, key).into_owned()).or_default().push((key, value));
            }
        }
        keys
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use crate::field::FieldPath;
    use crate::yaml::{ProblemCode, parse};

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
        let at = |path: &FieldPath| tree.find(&text, root, path).map(|node| tree.span(node).of(&text));
        let list = FieldPath::default().key("list");
        assert_eq!(at(&FieldPath::default().key("map").key("k150").key("a")), Ok("150"));
        assert_eq!(at(&list.index(199).key("a")), Ok("199"));
        assert_eq!(at(&list.index(200)).unwrap_err().code, ProblemCode::NotFound);
        assert_eq!(at(&FieldPath::default().key("map").key("k200")).unwrap_err().code, ProblemCode::NotFound);
        assert_eq!(at(&FieldPath::default().key("map").key("k7")).unwrap_err().code, ProblemCode::DuplicateKey);
        assert_eq!(tree.place(&text, root, &list.index(3)).of(&text), "-");
    }
}
