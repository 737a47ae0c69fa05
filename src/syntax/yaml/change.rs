//! The edits of one intent, and the comments they remove.

use super::layout::Layout;
use crate::syntax::text::{Edit, Span};

/// The edits of one intent, and the comments they remove.
#[derive(Clone, Debug, Default)]
pub(super) struct Change {
    pub(super) edits: Vec<Edit>,
    pub(super) removed_comments: Vec<String>,
    /// The comments that become part of a text.
    pub(super) comments_into_text: Vec<String>,
    /// The comments that were part of a text.
    pub(super) comments_out_of_text: Vec<String>,
}

impl Change {
    /// A change that inserts `text` at `at` and nothing else.
    pub(super) fn inserting(at: usize, text: impl Into<String>) -> Self {
        Self::replacing(Span::new(at, at), text)
    }

    /// A change that replaces bytes by `text`, which contains their comments too, and nothing else.
    pub(super) fn replacing(span: Span, text: impl Into<String>) -> Self {
        Self { edits: vec![Edit { span, text: text.into() }], ..Self::default() }
    }

    pub(super) fn insert(&mut self, at: usize, text: impl Into<String>) {
        self.edits.push(Edit::new(at, at, text));
    }

    /// Replaces bytes by `text`, which contains their comments too.
    pub(super) fn replace(&mut self, span: Span, text: impl Into<String>) {
        self.edits.push(Edit { span, text: text.into() });
    }

    /// Removes bytes, and the comments that start in them.
    pub(super) fn remove(&mut self, layout: &Layout<'_>, span: Span) {
        self.remove_for(layout, span, "");
    }

    /// Replaces bytes by `text`, and removes the comments that start in them.
    pub(super) fn remove_for(&mut self, layout: &Layout<'_>, span: Span, text: impl Into<String>) {
        let comments = layout.tree.comments_in(span).iter().map(|comment| comment.of(layout.text).to_owned());
        self.removed_comments.extend(comments);
        self.replace(span, text);
    }

    /// Indents every line of `lines`, which are inside a flow collection, by `step`; the first may start within a line.
    pub(super) fn indent_lines(&mut self, layout: &Layout<'_>, lines: Span, step: &str) {
        let mut line = lines.start;
        while line < lines.end {
            if !layout.text[line..layout.line_end(line)].trim().is_empty() {
                self.insert(line, step);
            }
            line = layout.line_end(line);
        }
    }

    pub(super) fn join(&mut self, other: Self) {
        self.edits.extend(other.edits);
        self.removed_comments.extend(other.removed_comments);
        self.comments_into_text.extend(other.comments_into_text);
        self.comments_out_of_text.extend(other.comments_out_of_text);
    }
}
