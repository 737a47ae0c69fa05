//! Answers: how is a file indented, for those of its documents that do not show it?
//!
//! Invariant: a style is only a default; what a document itself shows takes precedence.

use super::format::Indentation;
use super::layout::Layout;
use super::tree::Tree;

/// How a file is indented, for those of its documents that do not show it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style(pub(super) Indentation);

impl Style {
    /// Reads the style from every document of a text.
    pub fn of(text: &str, tree: &Tree) -> Self {
        let Some(document) = tree.documents().first() else { return Self::default() };
        Self(Layout::new(text, tree, document.root).shown_indentation())
    }

    /// Returns this style, with what it leaves open taken from `other`.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(self.0.or(other.0))
    }
}
