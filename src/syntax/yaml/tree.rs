//! Answers: which nodes does a text have, and which bytes does each cover?
//!
//! Nodes are in one array in document order, 16 bytes each; `next` is the index after the node's subtree, so the first
//! child of a collection is the node after it. The children of a mapping alternate key, value. Anchors, tags and aliases
//! are rare and have tables of their own. Dashes and colons are not stored: they are the first byte after white space and
//! comments after the node before them (`skip_trivia`).
//!
//! Invariant: a tree holds spans into the text it was made from, and nothing of the text itself.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::OnceLock;

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

    /// Returns whether it has aliases.
    pub fn has_aliases(&self) -> bool {
        !self.aliases.is_empty()
    }

    /// Returns all nodes in document order.
    pub(super) fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
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
    pub fn comments_in(&self, span: Span) -> &[Span] {
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

/// One node of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    /// Returns the node's position in the array of nodes.
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// One document of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Document {
    /// The document's value; an empty document has an empty node.
    pub root: NodeId,
    /// The slice of the text that can be parsed alone and holds exactly this document: its directives, its leading
    /// comments, its `---`. The slices of all documents tile the text.
    pub span: Span,
}

/// The shape a node is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Lines of `key: value`.
    Mapping,
    /// Lines of `- item`.
    Sequence,
    /// `{key: value}`.
    FlowMapping,
    /// `[item]`.
    FlowSequence,
    /// A mapping without braces in a flow sequence: `[key: value]`.
    Pair,
    /// `text`
    Plain,
    /// `'text'`
    Single,
    /// `"text"`
    Double,
    /// `|` and lines.
    Literal,
    /// `>` and lines.
    Folded,
    /// Nothing at all, which reads as null: `key:`.
    Empty,
    /// `*name`
    Alias,
}

impl Kind {
    /// Returns whether the node is a mapping.
    pub(super) const fn is_mapping(self) -> bool {
        matches!(self, Self::Mapping | Self::FlowMapping | Self::Pair)
    }

    /// Returns whether the node is a sequence.
    pub(super) const fn is_sequence(self) -> bool {
        matches!(self, Self::Sequence | Self::FlowSequence)
    }

    /// Returns whether the node's children are on lines of their own, related by their column.
    pub(super) const fn is_block_collection(self) -> bool {
        matches!(self, Self::Mapping | Self::Sequence)
    }

    /// Returns whether the node's children are separated by commas.
    pub(super) const fn is_flow_collection(self) -> bool {
        matches!(self, Self::FlowMapping | Self::FlowSequence | Self::Pair)
    }

    /// Returns whether the node is a scalar that is written, and so has a text.
    pub(super) const fn is_text(self) -> bool {
        matches!(self, Self::Plain | Self::Single | Self::Double | Self::Literal | Self::Folded)
    }

    /// Returns whether the node is a block scalar.
    pub(super) const fn is_block_scalar(self) -> bool {
        matches!(self, Self::Literal | Self::Folded)
    }
}

/// One node: its kind and the bytes it covers, without its anchor and tag.
///
/// A block collection starts at its first dash, `?` or key (or that key's anchor or tag), so the column of its start is
/// its indentation. It ends where its last child ends. A block scalar starts at `|` and ends before the line end of its
/// last line of content. An empty node is after its dash or colon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) kind: Kind,
    /// The column the content of a block scalar starts in; 0 for all other nodes.
    pub(super) indent: u16,
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) next: u32,
}

impl Node {
    /// Returns the bytes the node covers.
    pub(super) const fn span(&self) -> Span {
        Span::new(self.start as usize, self.end as usize)
    }
}

/// The tags that change what kubectl reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    /// `!!str`
    Str,
    /// `!!int`
    Int,
    /// `!!float`
    Float,
    /// `!!bool`
    Bool,
    /// `!!null`
    Null,
    /// `!!binary`
    Binary,
    /// `!!timestamp`
    Timestamp,
    /// `!!merge`
    Merge,
    /// Any other, which kubectl ignores: `!x`.
    Other,
}

/// The anchor and tag in front of a node: `&name !!str`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Properties {
    pub(super) node: NodeId,
    pub(super) span: Span,
    pub(super) tag: Option<Tag>,
}

/// An alias and the node with its anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AliasEntry {
    pub(super) alias: NodeId,
    pub(super) target: NodeId,
}

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
    /// The entries of a mapping.
    Entries {
        /// By key, in order; keys that are not text are left out.
        by_key: BTreeMap<String, Vec<(NodeId, NodeId)>>,
        /// The values of merge keys, in order.
        merged: Vec<NodeId>,
    },
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

    #[test]
    fn a_node_takes_16_bytes() {
        assert_eq!(size_of::<Node>(), 16);
    }
}
