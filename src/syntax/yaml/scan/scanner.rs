//! The state of a scanner: the tree so far, the open collections and the position after the last token.

use super::super::limits::{LIMITS, Limits};
use super::super::tree::{Document, Kind, Node, NodeId, Tree};
use super::line;
use crate::syntax::text::Span;

/// How deep block collections may be nested, and flow collections: together no deeper than a text may
/// be nested.
pub(super) const NESTING_LIMIT: usize = LIMITS.nesting / 2;

/// How long a key with its colon may be, in bytes: below the 1024 characters YAML allows.
pub(super) const KEY_LIMIT: usize = 1000;

/// A block collection that further lines may belong to.
pub(super) struct Open {
    pub(super) node: u32,
    pub(super) kind: Kind,
    /// Where its dashes or keys are.
    pub(super) column: usize,
    /// Whether its last dash or colon has no value yet.
    pub(super) awaits_value: bool,
}

/// The state of a scanner.
pub(super) struct Scanner<'t> {
    pub(super) bytes: &'t [u8],
    pub(super) limits: &'t Limits,
    pub(super) tree: Tree,
    pub(super) open: Vec<Open>,
    /// After the last node, dash, colon or `---`: where an empty node would be.
    pub(super) cursor: usize,
    pub(super) root: Option<NodeId>,
    /// Where the slice of the current document starts, and whether a `---` is in it.
    pub(super) slice: usize,
    pub(super) explicit: bool,
    /// The line after a scalar that was inspected but not consumed: where it starts, and its column.
    pub(super) peeked_line: Option<(usize, usize)>,
}

impl<'t> Scanner<'t> {
    pub(super) fn new(bytes: &'t [u8], limits: &'t Limits) -> Self {
        // A manifest has a node per 13 bytes, a CRD one per 30: the array grows once or not at all.
        let tree = Tree { nodes: Vec::with_capacity(bytes.len() / 16 + 8), ..Tree::default() };
        let open = Vec::with_capacity(32);
        Self { bytes, limits, tree, open, cursor: 0, root: None, slice: 0, explicit: false, peeked_line: None }
    }

    /// Fails if there are too many nodes or documents.
    #[inline]
    pub(super) fn check_limits(&self) -> Option<()> {
        let (nodes, documents) = (self.tree.nodes.len(), self.tree.documents.len());
        (nodes <= self.limits.nodes && documents <= self.limits.documents).then_some(())
    }

    /// Closes all open collections; a document of only `---` has an empty node.
    pub(super) fn end_document(&mut self) {
        while !self.open.is_empty() {
            self.close();
        }
        if self.root.is_none() && self.explicit {
            self.root = Some(self.push(Kind::Empty, self.cursor, self.cursor));
        }
        if let Some(root) = self.root.take() {
            self.tree.documents.push(Document { root, span: Span::new(self.slice, self.bytes.len()) });
        }
    }

    pub(super) fn push(&mut self, kind: Kind, start: usize, end: usize) -> NodeId {
        let node = self.tree.nodes.len() as u32;
        self.tree.nodes.push(Node { kind, indent: 0, start: start as u32, end: end as u32, next: node + 1 });
        self.cursor = end;
        NodeId(node)
    }

    /// Closes the innermost block collection where its last child ends.
    pub(super) fn close(&mut self) {
        self.fill_missing_value();
        if let Some(open) = self.open.pop() {
            self.end_node(open.node);
        }
    }

    /// Adds an empty node after a dash or colon without a value.
    pub(super) fn fill_missing_value(&mut self) {
        if self.open.last().is_some_and(|open| open.awaits_value) {
            self.push(Kind::Empty, self.cursor, self.cursor);
            self.mark_value_found();
        }
    }

    /// Records that the innermost dash or colon has a value.
    pub(super) fn mark_value_found(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.awaits_value = false;
        }
    }

    pub(super) fn end_node(&mut self, node: u32) {
        let next = self.tree.nodes.len() as u32;
        let node = &mut self.tree.nodes[node as usize];
        node.next = next;
        node.end = self.cursor as u32;
    }

    /// Skips spaces, a comment and the line end after a token, and returns where the next line starts.
    pub(super) fn rest_of_line(&mut self, from: usize) -> Option<usize> {
        let at = line::skip_spaces(self.bytes, from);
        match self.bytes.get(at) {
            None => Some(at),
            Some(b'\n' | b'\r') => Some(line::after_line_end(self.bytes, at)),
            Some(b'#') if at > from => Some(self.comment(at)),
            Some(_) => None,
        }
    }

    /// Records the comment at `at`, and returns where the next line starts.
    pub(super) fn comment(&mut self, at: usize) -> usize {
        let line = line::end(self.bytes, at);
        self.tree.comments.push(Span::new(at, line.end));
        line.next
    }
}
