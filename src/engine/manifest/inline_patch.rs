//! Answers: what is an inline patch, as a text or as data, and where in its file is it?
//!
//! Invariant: the text is the value that the file holds, without its indentation.

use super::applied::Folder;
use super::selector::Selector;
use crate::syntax::field::FieldPath;
use crate::syntax::yaml::{Literal, Tree};

/// A patch that is written as data in an object, and not as a text.
#[derive(Clone, Debug)]
pub(crate) struct DataPatch {
    /// The number of the file's document that contains it, from 0.
    pub document: usize,
    /// Its place in the document: `spec.patchesJson6902[0].patch`.
    pub place: FieldPath,
    /// The folder that it patches, where the object around it names one: `apps/shop`.
    pub folder: Option<Folder>,
    /// What it patches.
    pub target: Option<Selector>,
    /// Whether it is a JSON patch.
    pub is_json: bool,
    /// The components that stand there instead of a patch, each as the folder calls it: `../components/tls`.
    pub components: Vec<String>,
}

/// A text that a file holds as one value, such as an inline patch, and that holds objects itself.
#[derive(Clone, Debug)]
pub(crate) struct InlinePatch {
    /// The number of the file's document that contains it, from 0.
    pub document: usize,
    /// Its place in the document: `patches[0].patch`.
    pub place: FieldPath,
    /// The folder that it patches, where the object around it names one: `apps/shop`.
    pub folder: Option<Folder>,
    /// What it patches, if a selector next to it is given: then its own name does not count.
    pub target: Option<Selector>,
    /// Where it starts in the file, as a byte offset.
    pub start: usize,
    /// Its text.
    pub text: String,
    /// Where the lines of the text are in the file, if each has a place there.
    pub literal: Option<Literal>,
    /// Whether the text is a scalar on one line, which can be replaced as a whole. A text that is neither is not edited.
    pub(crate) is_on_one_line: bool,
    /// The spans of the nodes of its text.
    pub tree: Tree,
}
