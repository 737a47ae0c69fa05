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
    place: Place,
}

/// Where a comment begins.
#[derive(Clone, Copy)]
enum Place {
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
        let place = match line.trim() {
            "" => Place::Line,
            _ if action.alone && !action.trims_after => Place::BelowLine,
            _ if !action.alone && is_last() => Place::InLine,
            _ => return None,
        };
        let words: Vec<&str> = action.content.of(text).split_whitespace().collect();
        Some(Self { index, text: words.join(" "), place })
    }

    /// Returns what is printed of it between a `line` and what is `next`, unless it would take that away.
    pub(super) fn printed(&self, line: &str, next: &str) -> Option<String> {
        let is_last = next.trim_start_matches([' ', '\t']).starts_with(['\r', '\n']);
        let text = &self.text;
        match self.place {
            Place::Line if is_last => Some(format!("# {text}")),
            Place::Line => Some(format!("# {text}\n{line}")),
            Place::BelowLine if is_last => Some(format!("\n# {text}")),
            Place::InLine if is_last => Some(format!(" # {text}")),
            Place::BelowLine | Place::InLine => None,
        }
    }
}
