//! Answers: which nodes does a text have, and which bytes does each cover?
//!
//! Invariant: a tree holds spans into the text it was made from, and nothing of the text itself.

use serde_json::Value;

use super::problem::Problem;
use crate::field::FieldPath;
use crate::text::Span;

/// One node of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(super) u32);

/// One document of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Document {
    /// The document's value; an empty document has an empty node.
    pub root: NodeId,
    /// The slice of the text that can be parsed alone and holds exactly this document: its directives, its leading
    /// comments, its `---`. The slices of all documents tile the text.
    pub span: Span,
}

/// The spans of a parsed text.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    documents: Vec<Document>,
    comments: Vec<Span>,
}

impl Tree {
    /// Returns the documents in order.
    pub fn documents(&self) -> &[Document] {
        &self.documents
    }

    /// Returns the comments in order, each from its `#` to before the line end.
    pub fn comments(&self) -> &[Span] {
        &self.comments
    }

    /// Reads a node as kubectl does.
    ///
    /// # Errors
    /// `ComplexKey`, `DuplicateKey`, `RecursiveAlias`, `AliasBudget`, `UnreadableValue`.
    pub fn value(&self, text: &str, node: NodeId) -> Result<Value, Problem> {
        let _ = (text, node);
        unimplemented!("comes next")
    }

    /// Finds the node at `path` below `root`.
    ///
    /// # Errors
    /// `NotFound`, `ThroughAlias`, `ThroughMerge`, `DuplicateKey`.
    pub fn find(&self, text: &str, root: NodeId, path: &FieldPath) -> Result<NodeId, Problem> {
        let _ = (text, root, path);
        unimplemented!("comes next")
    }

    /// Returns where a finding about `path` points: the key, or the start of a list item; where the path does not exist,
    /// its nearest parent; where an alias or merge gives the value, the place that uses it.
    pub fn place(&self, text: &str, root: NodeId, path: &FieldPath) -> Span {
        let _ = (text, root, path);
        unimplemented!("comes next")
    }
}
