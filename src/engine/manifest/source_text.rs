//! Answers: which text is an object written in, and where in the file is that?
//!
//! Most objects are in the text of their file. An inline patch is a text of its own that the file holds as one value. Both are a
//! [`SourceText`], in which offsets and documents count from its own start, and locations are those of the file.
//!
//! Invariant: every place in a source text has a location in the file, at least the start of the inline patch.

use super::inline_patch::InlinePatch;
use super::object::Object;
use crate::engine::finding::{FindingObject, Location};
use crate::syntax::field::FieldPath;
use crate::syntax::text::LineIndex;
use crate::syntax::yaml::{Tree, locate};

/// The text of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileText<'m> {
    /// The file as the user named it.
    pub(super) name: &'m str,
    /// Its text.
    pub(super) text: &'m str,
    /// The spans of the nodes of the text.
    pub(super) tree: &'m Tree,
    /// The lines of the text.
    pub(super) lines: &'m LineIndex,
}

/// A text that objects are written in: that of a file, or of one inline patch of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SourceText<'m> {
    file: FileText<'m>,
    inline_patch: Option<&'m InlinePatch>,
}

impl<'m> SourceText<'m> {
    /// Makes the source text of an inline patch of `file`, or of the file itself.
    pub(super) const fn new(file: FileText<'m>, inline_patch: Option<&'m InlinePatch>) -> Self {
        Self { file, inline_patch }
    }

    /// Returns the text.
    pub(crate) fn text(self) -> &'m str {
        self.inline_patch.map_or(self.file.text, |inline_patch| &inline_patch.text)
    }

    /// Returns the spans of its nodes.
    pub(crate) fn tree(self) -> &'m Tree {
        self.inline_patch.map_or(self.file.tree, |inline_patch| &inline_patch.tree)
    }

    /// Returns the place in the file of `path` in a document of the text, or of its nearest parent.
    pub(super) fn place(self, document: usize, path: &FieldPath) -> Location {
        let root = self.tree().documents()[document].root;
        self.location(locate(self.tree(), self.text(), root, path).start)
    }

    /// Returns what findings say of `object`, which is written in this text.
    pub(crate) fn finding_object(self, object: &Object) -> FindingObject {
        FindingObject::new(object.title(), self.place(object.document, &object.place))
    }

    /// Returns the place in the file of byte `offset` of the text.
    pub(crate) fn location(self, offset: usize) -> Location {
        let outward = |inline_patch: &InlinePatch| {
            inline_patch.literal.as_ref().map_or(inline_patch.start, |literal| literal.place(offset))
        };
        let FileText { name, text, lines, .. } = self.file;
        let offset = self.inline_patch.map_or(offset, outward);
        Location { file: name.to_owned(), position: Some(lines.position(text, offset)) }
    }
}
