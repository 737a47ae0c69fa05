//! The children of large collections, by key or index; built and read in `children`.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::node::NodeId;

/// The children of collections that have many, built on first use.
#[derive(Clone, Debug, Default)]
pub(super) struct ChildIndex(pub(super) OnceLock<BTreeMap<NodeId, IndexedChildren>>);

/// Trees are equal whether or not their index was built.
impl PartialEq for ChildIndex {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for ChildIndex {}

/// The children of one such collection.
#[derive(Clone, Debug)]
pub(super) enum IndexedChildren {
    /// The items of a sequence, in order.
    Items(Vec<NodeId>),
    /// The entries by key, in order; keys that are not text are left out.
    Entries(BTreeMap<String, Vec<(NodeId, NodeId)>>),
}
