//! Answers: where do comments for readers stand in what a template prints?
//!
//! Helm prints none. Those for readers of what is printed stand in it as comments of YAML: what follows on their line is on the next one, at the same
//! column.
//!
//! Invariant: without its comments, a reading is the same data, but for block scalars.

use super::lex::Action;

/// A comment for readers that is printed before what follows.
pub(super) struct Due {
    /// The number of its action.
    pub(super) index: usize,
    text: String,
    start: Start,
}

/// Where a comment starts.
#[derive(Clone, Copy)]
enum Start {
    /// On a line with nothing before it.
    Line,
    /// At the end of a line, which the newline before the comment is taken from.
    BelowLine,
    /// Behind what is on its line.
    InLine,
}

impl Due {
    /// Returns the comment, if it is apart from what is around it: before it is what is printed of a `line`.
    pub(super) fn of((index, action): (usize, &Action), text: &str, line: &str) -> Option<Self> {
        let is_last = || text[action.span.end..].lines().next().is_none_or(|rest| rest.trim().is_empty());
        let start = match line.trim() {
            "" => Start::Line,
            _ if action.alone && !action.trims_after => Start::BelowLine,
            _ if !action.alone && is_last() => Start::InLine,
            _ => return None,
        };
        let words: Vec<&str> = action.content.of(text).split_whitespace().collect();
        Some(Self { index, text: words.join(" "), start })
    }

    /// Returns what is printed of it between a `line` and what is `next`, unless it would take that away.
    pub(super) fn printed(&self, line: &str, next: &str) -> Option<String> {
        let is_last = next.trim_start_matches([' ', '\t']).starts_with(['\r', '\n']);
        let text = &self.text;
        match self.start {
            Start::Line if is_last => Some(format!("# {text}")),
            Start::Line => Some(format!("# {text}\n{line}")),
            Start::BelowLine if is_last => Some(format!("\n# {text}")),
            Start::InLine if is_last => Some(format!(" # {text}")),
            Start::BelowLine | Start::InLine => None,
        }
    }
}
