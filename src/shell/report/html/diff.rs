//! The diff of a file side by side, with the changed words marked. On a narrow screen the style sheet puts the sides below each
//! other.

use similar::{DiffOp, DiffTag};

use crate::engine::edits::FilePlan;
use crate::shell::report::diff::{lines, shown_hunks};
use crate::shell::report::words;
use crate::syntax::text::Span;

/// What is shown of a file's changes.
pub(super) struct Diff<'f> {
    file: &'f FilePlan,
    after: String,
    /// None where they would show what a Secret holds.
    pub(super) hunks: Option<Vec<Vec<DiffOp>>>,
}

/// A side of a diff.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Old,
    New,
}

/// A line of one side.
pub(super) struct Line<'t> {
    pub(super) class: &'static str,
    /// Whether it stands on both sides, and is read on the other.
    pub(super) is_hidden: bool,
    pub(super) number: usize,
    text: &'t str,
    /// The changed words.
    marks: Vec<Span>,
    pub(super) side: Side,
}

impl<'f> Diff<'f> {
    /// Compares both texts of a file.
    pub(super) fn of(file: &'f FilePlan) -> Self {
        let after = file.after();
        let hunks = shown_hunks(&file.before, &after);
        Self { file, after, hunks }
    }

    fn operations(&self) -> impl Iterator<Item = &DiffOp> {
        self.hunks.iter().flatten().flatten()
    }

    fn changes(&self) -> impl Iterator<Item = &DiffOp> {
        self.operations().filter(|operation| operation.tag() != DiffTag::Equal)
    }

    /// Counts the lines that are shown.
    pub(super) fn lines(&self) -> usize {
        self.operations().map(|operation| operation.old_range().len().max(operation.new_range().len())).sum()
    }

    pub(super) fn removed(&self) -> usize {
        self.changes().map(|operation| operation.old_range().len()).sum()
    }

    pub(super) fn added(&self) -> usize {
        self.changes().map(|operation| operation.new_range().len()).sum()
    }

    /// The lines of a part of the texts: each of both sides where they are the same, those of the old side first where they differ. A
    /// narrow screen shows the new side of what is the same only.
    pub(super) fn shown(&self, operation: &DiffOp) -> Vec<Line<'_>> {
        let (old, new) = (&lines(&self.file.before)[operation.old_range()], &lines(&self.after)[operation.new_range()]);
        let (old_start, new_start) = (operation.old_range().start + 1, operation.new_range().start + 1);
        let line = |class, side, number, text, marks| {
            let is_hidden = class == "line same old";
            Line { class, is_hidden, number, text, marks, side }
        };
        if operation.tag() == DiffTag::Equal {
            let both = old.iter().enumerate().map(|(at, text)| {
                let old = line("line same old", Side::Old, old_start + at, *text, Vec::new());
                [old, line("line same new", Side::New, new_start + at, *text, Vec::new())]
            });
            return both.flatten().collect();
        }
        let words = words::changed(old, new);
        let old = old.iter().zip(words.old).zip(old_start..);
        let old = old.map(|((text, marks), number)| line("line removed", Side::Old, number, *text, marks));
        let new = new.iter().zip(words.new).zip(new_start..);
        old.chain(new.map(|((text, marks), number)| line("line added", Side::New, number, *text, marks))).collect()
    }
}

impl<'t> Line<'t> {
    /// The text without its end, split at the changed words, and whether each part is one.
    pub(super) fn parts(&self) -> Vec<(&'t str, bool)> {
        let content = self.text.strip_suffix('\n').unwrap_or(self.text);
        let content = content.strip_suffix('\r').unwrap_or(content);
        let (mut parts, mut done) = (Vec::new(), 0);
        for mark in &self.marks {
            parts.extend([(&content[done..mark.start], false), (mark.of(content), true)]);
            done = mark.end;
        }
        parts.push((&content[done..], false));
        parts
    }

    pub(super) fn has_end(&self) -> bool {
        self.text.ends_with('\n')
    }
}
