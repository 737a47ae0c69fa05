//! Answers: what is one node of a tree?
//!
//! A node has a kind and the bytes it covers. Nodes are in one array in document order, 16 bytes each; `next` is the index after
//! the node's subtree, so the first child of a collection is the node after it. Anchors, tags and aliases are rare and have tables of
//! their own.
//!
//! Invariant: a node holds a span into the text it was made from, and nothing of the text itself.

use crate::syntax::text::Span;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_takes_16_bytes() {
        assert_eq!(size_of::<Node>(), 16);
    }
}
