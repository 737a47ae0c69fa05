//! Answers: where do comments of a template stand in what it prints?
//!
//! Helm prints none. Those for readers of what is printed stand in it as comments of YAML: what follows on their line is on the next one, at the same
//! column. Others stand in it where they are to move with what is around them.
//!
//! Invariant: without its comments, a reading is the same data.

use super::lex::SPACE;
use super::print::Printer;
use super::reading::{READ, Source};
use crate::syntax::text::Span;

/// A comment for readers that is printed before what follows.
pub(super) struct Due {
    index: usize,
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

impl Printer<'_, '_> {
    /// Prints a comment that is for readers of what is printed, where it is apart from what is around it.
    pub(super) fn comment(&mut self, index: usize) {
        if self.is_kept(index) {
            return self.note(index);
        }
        let action = &self.part.template.actions()[index];
        let content = action.content.of(self.part.template.text()).trim();
        if !content.starts_with(READ) {
            return;
        }
        self.print_due("");
        let place = match self.line().trim() {
            "" => Place::Line,
            _ if action.alone && !action.trims_after => Place::BelowLine,
            _ if !action.alone && self.rest_of_line(index).trim().is_empty() => Place::InLine,
            _ => return,
        };
        let text = content.split_whitespace().collect::<Vec<_>>().join(" ");
        self.due = Some(Due { index, text, place });
    }

    /// Prints the comment that is due before a text, unless it would take that away.
    pub(super) fn print_due(&mut self, next: &str) {
        let Some(Due { index, text, place }) = self.due.take() else { return };
        let is_last = next.trim_start_matches([' ', '\t']).starts_with(['\r', '\n']);
        let line = self.line();
        let printed = match place {
            Place::Line if is_last => format!("# {text}"),
            Place::Line => format!("# {text}\n{line}"),
            Place::BelowLine if is_last => format!("\n# {text}"),
            Place::InLine if is_last => format!(" # {text}"),
            Place::BelowLine | Place::InLine => return,
        };
        self.append(&printed, Source::Known(index));
    }

    /// Prints a comment of the file as one, on its line, whatever it eats.
    fn note(&mut self, index: usize) {
        let (template, printed) = (self.part.template, self.reading.segments.last().map(|one| one.source));
        let (text, actions) = (template.text(), template.actions());
        let action = &actions[index];
        let before = index.checked_sub(1).map_or(0, |before| actions[before].span.end);
        let before = match printed {
            Some(Source::Literal(span)) => before.max(span.end),
            Some(Source::Opaque(_) | Source::Known(_)) | None => before,
        };
        let start = text[..action.span.start].trim_end_matches(SPACE).len().max(before);
        if action.trims_before && start < action.span.start {
            let blank = Span::new(start, action.span.start);
            self.segment(blank.of(text), Source::Literal(blank));
        }
        let number = *self.reading.names.entry(action.untrimmed(text)).or_insert(index);
        self.segment(&self.placeholders.note(number), Source::Opaque(index));
        let end = actions.get(index + 1).map_or(text.len(), |next| next.span.start);
        let blank = text[action.span.end..end].len() - text[action.span.end..end].trim_start_matches(SPACE).len();
        if action.trims_after && blank > 0 {
            let blank = Span::new(action.span.end, action.span.end + blank);
            self.segment(blank.of(text), Source::Literal(blank));
        }
    }
}
