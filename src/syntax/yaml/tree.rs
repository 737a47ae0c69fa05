//! Answers: which nodes does a text have, and which bytes does each cover?
//!
//! Nodes are in one array in document order, 16 bytes each; `next` is the index after the node's subtree, so the first
//! child of a collection is the node after it. The children of a mapping alternate key, value. Anchors, tags and aliases
//! are rare and have tables of their own. Dashes and colons are not stored: they are the first byte after white space and
//! comments after the node before them (`skip_trivia`).
//!
//! Invariant: a tree holds spans into the text it was made from, and nothing of the text itself.

use std::borrow::Cow;

use super::child_index::ChildIndex;
use super::node::{AliasEntry, Document, Kind, Node, NodeId, Properties, Tag};
use crate::syntax::text::Span;

/// The spans of a parsed text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) documents: Vec<Document>,
    pub(super) comments: Vec<Span>,
    pub(super) properties: Vec<Properties>,
    pub(super) aliases: Vec<AliasEntry>,
    pub(super) child_index: ChildIndex,
}

/// The children of a node, from the next one on.
pub(super) struct Children<'t> {
    nodes: &'t [Node],
    at: u32,
    end: u32,
}

impl Iterator for Children<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        let child = (self.at < self.end).then_some(NodeId(self.at))?;
        self.at = self.nodes[child.index()].next;
        Some(child)
    }
}

impl Tree {
    /// Returns the documents in order.
    pub fn documents(&self) -> &[Document] {
        &self.documents
    }

    /// Returns the tree of one document alone, over the bytes of its slice.
    pub fn of_document(&self, number: usize) -> Cow<'_, Self> {
        let Document { root, span } = self.documents[number];
        if self.documents.len() == 1 {
            return Cow::Borrowed(self);
        }
        let next = NodeId(self.node(root).next);
        let moved = |id: NodeId| NodeId(id.0 - root.0);
        let moved_span = |inner: Span| Span::new(inner.start - span.start, inner.end - span.start);
        let nodes = self.nodes[root.index()..next.index()].iter().map(|node| Node {
            start: node.start - span.start as u32,
            end: node.end - span.start as u32,
            next: node.next - root.0,
            ..*node
        });
        let properties = self.properties.iter().filter(|properties| self.contains(root, properties.node));
        let aliases = self.aliases.iter().filter(|entry| self.contains(root, entry.alias));
        Cow::Owned(Self {
            nodes: nodes.collect(),
            documents: vec![Document { root: NodeId(0), span: moved_span(span) }],
            comments: self.comments_in(span).iter().map(|comment| moved_span(*comment)).collect(),
            properties: properties
                .map(|entry| Properties { node: moved(entry.node), span: moved_span(entry.span), tag: entry.tag })
                .collect(),
            aliases: aliases
                .map(|entry| AliasEntry { alias: moved(entry.alias), target: moved(entry.target) })
                .collect(),
            child_index: ChildIndex::default(),
        })
    }

    /// Returns the comments in order, each from its `#` to before the line end.
    pub fn comments(&self) -> &[Span] {
        &self.comments
    }

    /// Returns the bytes of a node, without its anchor and tag.
    pub fn span(&self, node: NodeId) -> Span {
        self.node(node).span()
    }

    /// Returns whether a node is a mapping.
    pub fn is_mapping(&self, node: NodeId) -> bool {
        self.node(node).kind.is_mapping()
    }

    pub(super) fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node.index()]
    }

    /// Returns the children of a collection in order; none for other nodes.
    pub(super) fn children(&self, node: NodeId) -> Children<'_> {
        Children { nodes: &self.nodes, at: node.0 + 1, end: self.node(node).next }
    }

    /// Returns the keys and values of a mapping in order; none for other nodes.
    pub(super) fn pairs(&self, node: NodeId) -> impl Iterator<Item = (NodeId, NodeId)> {
        let mut children = self.children(node);
        if !self.node(node).kind.is_mapping() {
            children.at = children.end;
        }
        std::iter::from_fn(move || Some((children.next()?, children.next()?)))
    }

    /// Returns the anchor and tag of a node, if it has one.
    pub(super) fn properties_of(&self, node: NodeId) -> Option<&Properties> {
        let found = self.properties.binary_search_by_key(&node, |properties| properties.node).ok()?;
        Some(&self.properties[found])
    }

    /// Returns the tag of a node.
    pub(super) fn tag(&self, node: NodeId) -> Option<Tag> {
        self.properties_of(node)?.tag
    }

    /// Returns the first byte of a node: that of its anchor or tag, if it has one.
    pub(super) fn start(&self, node: NodeId) -> usize {
        self.properties_of(node).map_or(self.node(node).start as usize, |properties| properties.span.start)
    }

    /// Returns the node that an alias refers to.
    pub(super) fn target(&self, alias: NodeId) -> Option<NodeId> {
        let found = self.aliases.binary_search_by_key(&alias, |entry| entry.alias).ok()?;
        Some(self.aliases[found].target)
    }

    /// Returns whether a key is a merge key: `<<`.
    pub(super) fn is_merge_key(&self, text: &str, key: NodeId) -> bool {
        let node = self.node(key);
        match self.tag(key) {
            Some(tag) => tag == Tag::Merge,
            None => node.kind == Kind::Plain && node.span().of(text) == "<<",
        }
    }

    /// Returns whether `inner` is `outer` or is below it.
    pub(super) fn contains(&self, outer: NodeId, inner: NodeId) -> bool {
        outer <= inner && inner.0 < self.node(outer).next
    }

    /// Returns the comments that start in `span`.
    pub(crate) fn comments_in(&self, span: Span) -> &[Span] {
        let first = self.comments.partition_point(|comment| comment.start < span.start);
        let last = self.comments.partition_point(|comment| comment.start < span.end);
        &self.comments[first..last.max(first)]
    }
}

/// Returns the offset of the first byte at or after `from` that is not white space, a comment or a byte order mark.
pub(super) fn skip_trivia(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => at += 1,
            b'#' if at == 0 || matches!(bytes[at - 1], b' ' | b'\t' | b'\n' | b'\r' | 0xbf) => {
                at = memchr::memchr2(b'\n', b'\r', &bytes[at..]).map_or(bytes.len(), |length| at + length);
            }
            0xef if text[at..].starts_with('\u{feff}') => at += '\u{feff}'.len_utf8(),
            _ => break,
        }
    }
    at
}

/// Returns whether white space follows the indicator at `at`, as it must after `?` and `-`: `? key`, not `?key`.
pub(super) fn is_separated(text: &str, at: usize) -> bool {
    text.as_bytes().get(at + 1).is_none_or(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trivia_is_white_space_comments_and_byte_order_marks() {
        assert_eq!(skip_trivia("a  # b\r\n\t# c\n  d", 1), 15);
        assert_eq!(skip_trivia("\u{feff}# c\na", 0), 7);
        assert_eq!(skip_trivia("a#b", 1), 1);
    }
}
