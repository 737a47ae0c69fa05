//! Answers: which child of a container with very many children does a step of a path lead to?
//!
//! A container is walked over, child by child, for every step: that is the fastest for the few children people write, and
//! would take the square of the time for a hundred thousand. Those containers are indexed, all at once, when the first is asked.
//!
//! Invariant: the answer is that of walking over the children.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::tree::{Kind, NodeId, Tree};

/// Containers with so many nodes below them are looked for in the index.
const LARGE: u32 = 512;

/// Containers with so many children are in it.
const MANY: usize = 128;

/// The children of containers that have many.
#[derive(Clone, Debug, Default)]
pub(super) struct Wide(OnceLock<BTreeMap<NodeId, Children>>);

/// Trees are equal whether or not they were asked.
impl PartialEq for Wide {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Wide {}

#[derive(Clone, Debug)]
enum Children {
    Items(Vec<NodeId>),
    /// The entries with each key, in their order; keys that are no text are not among them.
    Entries(BTreeMap<String, Vec<(NodeId, NodeId)>>),
}

impl Tree {
    /// Returns the entries of a mapping whose key is the text `key`, in their order.
    pub(super) fn entries(&self, text: &str, mapping: NodeId, key: &str) -> impl Iterator<Item = (NodeId, NodeId)> {
        let indexed = match self.many(text, mapping) {
            Some(Children::Entries(entries)) => Some(entries.get(key).map_or(&[][..], Vec::as_slice)),
            Some(Children::Items(_)) | None => None,
        };
        let walked = indexed.is_none().then(|| self.pairs(mapping).filter(|(node, _)| self.is_key(text, *node, key)));
        indexed.into_iter().flatten().copied().chain(walked.into_iter().flatten())
    }

    /// Returns one item of a sequence, from 0.
    pub(super) fn item(&self, text: &str, sequence: NodeId, index: usize) -> Option<NodeId> {
        match self.many(text, sequence) {
            Some(Children::Items(items)) => items.get(index).copied(),
            Some(Children::Entries(_)) | None => self.children(sequence).nth(index),
        }
    }

    /// Returns the children of a container that has many.
    fn many(&self, text: &str, container: NodeId) -> Option<&Children> {
        let is_large = self.node(container).next - container.0 > LARGE;
        is_large.then(|| self.wide.0.get_or_init(|| self.index(text)).get(&container)).flatten()
    }

    fn index(&self, text: &str) -> BTreeMap<NodeId, Children> {
        let ids = (0..u32::try_from(self.nodes.len()).expect("nodes are numbered by u32")).map(NodeId);
        let large = ids.filter(|id| self.node(*id).next - id.0 > LARGE && self.children(*id).nth(MANY).is_some());
        let children = |id: NodeId| match self.node(id).kind.is_mapping() {
            true => Children::Entries(self.keys(text, id)),
            false => Children::Items(self.children(id).collect()),
        };
        large.map(|id| (id, children(id))).collect()
    }

    fn keys(&self, text: &str, mapping: NodeId) -> BTreeMap<String, Vec<(NodeId, NodeId)>> {
        let mut keys: BTreeMap<String, Vec<_>> = BTreeMap::new();
        for (key, value) in self.pairs(mapping) {
            let is_text =
                matches!(self.node(key).kind, Kind::Plain | Kind::Single | Kind::Double | Kind::Literal | Kind::Folded);
            if is_text && !self.is_merge_key(text, key) {
                keys.entry(self.cooked(text, key).into_owned()).or_default().push((key, value));
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
    fn children_of_wide_containers_are_found() {
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
