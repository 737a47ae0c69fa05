//! Answers: where does a quoted scalar end whose further lines are indented less than YAML asks, and how does granit read it?
//!
//! kubectl reads `key: "first` with a further line in any column; YAML 1.2, and so granit, wants it to the right of the
//! collection around it. A [`JoiningInput`] gives granit a space for every line end in such a scalar: the scalar is on one line,
//! has no indentation, and every byte keeps its offset. Whether a scalar starts at a quote is not guessed from the text: the
//! builder of the tree looks for a quote where the next node starts, and granit must then report a scalar with this very span.
//!
//! Invariant: no line is joined that kubectl takes for the end of a document, nor one of a key.

use std::cell::Cell;

use granit_parser::{BorrowedInput, Input};

use super::tree::{is_separated, skip_trivia};
use crate::syntax::text::Span;

/// The quoted scalar that the next node may be.
#[derive(Default)]
pub(super) struct NextQuoted {
    /// Where its quote is.
    opened: Cell<Option<usize>>,
    /// Its span, if its lines are joined.
    joined: Cell<Span>,
}

impl NextQuoted {
    /// Returns where the quote of the last scalar is that was looked for and found.
    pub(super) fn opened(&self) -> Option<usize> {
        self.opened.get()
    }

    /// Returns the span whose lines are joined, which may be empty.
    pub(super) fn joined(&self) -> Span {
        self.joined.get()
    }

    /// Looks for a quote where a node after `cursor` starts, and joins the lines of its scalar.
    pub(super) fn look(&self, text: &str, cursor: usize) {
        let Some(quote) = quote_after(text, cursor).filter(|quote| self.opened.get() != Some(*quote)) else { return };
        self.opened.set(Some(quote));
        self.joined.set(joinable(text, quote).unwrap_or_default());
    }
}

/// Returns where the node after `cursor` starts, if it starts with a quote after its indicators, anchor and tag.
fn quote_after(text: &str, cursor: usize) -> Option<usize> {
    let mut at = skip_trivia(text, cursor);
    loop {
        let end = match text.as_bytes().get(at)? {
            b'"' | b'\'' => return Some(at),
            b'-' | b'?' | b':' if is_separated(text, at) => at + 1,
            b'&' | b'!' => text[at..].find([' ', '\t', '\n', '\r']).map(|length| at + length)?,
            _ => return None,
        };
        at = skip_trivia(text, end);
    }
}

/// Returns the span of the scalar that the quote at `start` opens, unless it holds the end of a document, is a key, or has text
/// after it, which granit explains better when it sees the lines.
fn joinable(text: &str, start: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let quote = bytes[start];
    let mut at = start + 1;
    loop {
        let byte = *bytes.get(at)?;
        at += 1;
        match byte {
            b'\n' | b'\r' if ends_document(&text[at..]) => return None,
            b'\\' if quote == b'"' && !matches!(bytes.get(at), Some(b'\n' | b'\r')) => at += 1,
            b'\'' if quote == byte && bytes.get(at) == Some(&quote) => at += 1,
            _ if byte == quote => break,
            _ => {}
        }
    }
    let rest = text[at..].trim_start_matches([' ', '\t']);
    (rest.is_empty() || rest.starts_with(['\n', '\r', '#', ',', ']', '}'])).then(|| Span::new(start, at))
}

/// Returns whether a line starts with `...` or with `---`, which kubectl splits a file at whatever follows.
fn ends_document(line: &str) -> bool {
    line.starts_with("---") || line.starts_with("...") && is_separated(line, 2)
}

/// A text in which the line ends of the next quoted scalar are read as spaces.
pub(super) struct JoiningInput<'t, 'n> {
    text: &'t str,
    at: usize,
    next: &'n NextQuoted,
}

impl<'t, 'n> JoiningInput<'t, 'n> {
    pub(super) fn new(text: &'t str, next: &'n NextQuoted) -> Self {
        Self { text, at: 0, next }
    }

    /// Returns the character at `at`, as granit reads it; NUL at the end of the text.
    fn character(&self, at: usize) -> char {
        let Some(character) = self.text[at..].chars().next() else { return '\0' };
        let joined = self.next.joined();
        let is_inside = joined.start < at && at < joined.end;
        if is_inside && matches!(character, '\n' | '\r') { ' ' } else { character }
    }

    /// Returns the offset of the character `count` characters further on, at most the end of the text.
    fn after(&self, count: usize) -> usize {
        let rest = &self.text[self.at..];
        rest.char_indices().nth(count).map_or(self.text.len(), |(length, _)| self.at + length)
    }
}

impl Input for JoiningInput<'_, '_> {
    /// The whole text is there.
    fn lookahead(&mut self, _count: usize) {}

    fn buflen(&self) -> usize {
        self.bufmaxlen()
    }

    fn bufmaxlen(&self) -> usize {
        128
    }

    fn raw_read_ch(&mut self) -> char {
        let character = self.peek();
        self.skip();
        character
    }

    fn raw_read_non_breakz_ch(&mut self) -> Option<char> {
        (!matches!(self.peek(), '\n' | '\r' | '\0')).then(|| self.raw_read_ch())
    }

    fn skip(&mut self) {
        self.skip_n(1);
    }

    fn skip_n(&mut self, count: usize) {
        self.at = self.after(count);
    }

    fn peek(&self) -> char {
        self.character(self.at)
    }

    fn peek_nth(&self, n: usize) -> char {
        self.character(self.after(n))
    }

    fn byte_offset(&self) -> Option<usize> {
        Some(self.at)
    }

    fn slice_bytes(&self, start: usize, end: usize) -> Option<&str> {
        self.text.get(start..end)
    }
}

impl<'t> BorrowedInput<'t> for JoiningInput<'t, '_> {
    fn slice_borrowed(&self, start: usize, end: usize) -> Option<&'t str> {
        self.text.get(start..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, cursor: usize, expected: &str) {
        let next = NextQuoted::default();
        next.look(text, cursor);
        assert_eq!(next.joined().of(text), expected, "{text}");
    }

    #[test]
    fn a_scalar_is_found_after_the_indicators_of_its_node() {
        check("a: \"b\nc\"\n", 1, "\"b\nc\"");
        check("- - &x !y # z\n  'a''\nb' # c\n", 0, "'a''\nb'");
        check("a: \"\\\"\\\r\nb\"", 1, "\"\\\"\\\r\nb\"");
        check("a: b\nc: \"d\ne\"\n", 1, "");
        check("a: -\"b\nc\"\n", 1, "");
    }

    #[test]
    fn lines_of_keys_and_ends_of_documents_are_not_joined() {
        for text in [
            "\"a\nb\" : c",
            "\"a\n---\nb\"",
            "\"a\n---b\"",
            "'a\r\n...\r\n'",
            "\"a\\\n...\n\"",
            "\"a\nb\" c",
            "\"a\n",
            "'a\\",
        ] {
            check(text, 0, "");
        }
        check("\"a\n...b\n ---\n\"", 0, "\"a\n...b\n ---\n\"");
    }
}
