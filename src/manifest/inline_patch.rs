//! Answers: which text is an object written in, and where in the file is that?
//!
//! Most objects stand in the text of their file. An inline patch is a text of its own that the file holds as one value: an
//! [`InlinePatch`]. Both are a [`SourceText`], in which offsets and documents count from its own start, and locations are those of the file.
//!
//! Invariant: every place in a source text has a location in the file, at least the start of the inline patch.

use super::selector::Selector;
use crate::field::FieldPath;
use crate::finding::Location;
use crate::text::LineIndex;
use crate::yaml::{Literal, Tree};

/// A text that a file holds as one value, such as an inline patch, and that holds objects itself.
#[derive(Clone, Debug)]
pub struct InlinePatch {
    /// The number of the file's document that it stands in, from 0.
    pub document: usize,
    /// Its place in the document: `patches[0].patch`.
    pub place: FieldPath,
    /// The folder that it patches, from the root of a repository, where the object around it names one: `apps/shop`.
    pub folder: Option<String>,
    /// What it patches, if a selector next to it is given: then its own name does not count.
    pub target: Option<Selector>,
    /// Where it starts in the file, as a byte offset.
    pub start: usize,
    /// Its text.
    pub text: String,
    /// Where the lines of the text stand in the file, where they have places there: what has none is not edited.
    pub literal: Option<Literal>,
    /// The spans of the nodes of its text.
    pub tree: Tree,
}

/// A text that objects are written in: that of a file, or of one inline patch of it.
#[derive(Clone, Copy, Debug)]
pub struct SourceText<'m> {
    /// The file's name, text, nodes and lines.
    file: (&'m str, &'m str, &'m Tree, &'m LineIndex),
    inline_patch: Option<&'m InlinePatch>,
}

impl<'m> SourceText<'m> {
    /// Makes the source text of an inline patch of a file, or of the file, which is its name, its text, the spans of its nodes and its lines.
    pub(super) const fn new(
        file: (&'m str, &'m str, &'m Tree, &'m LineIndex),
        inline_patch: Option<&'m InlinePatch>,
    ) -> Self {
        Self { file, inline_patch }
    }

    /// Returns the text.
    pub fn text(self) -> &'m str {
        self.inline_patch.map_or(self.file.1, |inline_patch| &inline_patch.text)
    }

    /// Returns the spans of its nodes.
    pub fn tree(self) -> &'m Tree {
        self.inline_patch.map_or(self.file.2, |inline_patch| &inline_patch.tree)
    }

    /// Returns the place in the file of `path` in a document of the text, or of its nearest parent.
    pub(super) fn place(self, document: usize, path: &FieldPath) -> Location {
        let root = self.tree().documents()[document].root;
        self.location(self.tree().place(self.text(), root, path).start)
    }

    /// Returns the place in the file of byte `offset` of the text.
    pub fn location(self, offset: usize) -> Location {
        let outward = |inline_patch: &InlinePatch| {
            inline_patch.literal.as_ref().map_or(inline_patch.start, |literal| literal.place(offset))
        };
        let (file, text, _, lines) = self.file;
        let offset = self.inline_patch.map_or(offset, outward);
        Location { file: file.to_owned(), position: Some(lines.position(text, offset)) }
    }
}
