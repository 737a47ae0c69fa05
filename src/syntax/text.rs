//! Answers: what does a text look like after a set of byte-range edits?
//!
//! An [`Edit`] replaces one [`Span`] of the original text. An [`EditSet`] holds edits that are sorted and do not
//! overlap, and is applied once, in one pass. Two sets made one after the other are joined with
//! [`EditSet::then`] into one set over the first text.
//!
//! Invariant: every byte outside the spans of an edit set is copied unchanged.

use std::fmt;

/// A half-open range of byte offsets into a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// Creates the span `start..end`, in bytes.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// Returns the bytes of `text` that the span covers.
    pub fn of(self, text: &str) -> &str {
        &text[self.start..self.end]
    }

    /// Returns whether the span is empty.
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// One replacement: the bytes of `span` are replaced by `text`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// The replaced range of the original text.
    pub span: Span,
    /// The text that replaces it.
    pub text: String,
}

impl Edit {
    /// Creates an edit that replaces `start..end` by `text`.
    pub fn new(start: usize, end: usize, text: impl Into<String>) -> Self {
        Self { span: Span::new(start, end), text: text.into() }
    }
}

/// Two edits overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// Where the second edit starts inside the first, as a byte offset.
    pub at: usize,
}

impl fmt::Display for Overlap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "two edits overlap at byte {}", self.at)
    }
}

/// Sorted, disjoint edits over one original text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EditSet {
    edits: Vec<Edit>,
}

/// A stretch of an edited text: bytes kept from the original, or new ones.
enum Piece {
    Kept(Span),
    New(String),
}

impl Piece {
    fn len(&self) -> usize {
        match self {
            Self::Kept(span) => span.end - span.start,
            Self::New(text) => text.len(),
        }
    }

    fn split(self, at: usize) -> (Self, Self) {
        match self {
            Self::Kept(span) => {
                let middle = span.start + at;
                (Self::Kept(Span::new(span.start, middle)), Self::Kept(Span::new(middle, span.end)))
            }
            Self::New(text) => {
                let (left, right) = text.split_at(at);
                (Self::New(left.to_owned()), Self::New(right.to_owned()))
            }
        }
    }
}

impl EditSet {
    /// Sorts `edits` and checks that no two overlap; insertions at one offset keep their order.
    pub fn new(mut edits: Vec<Edit>) -> Result<Self, Overlap> {
        edits.sort_by_key(|edit| edit.span);
        for pair in edits.windows(2) {
            if pair[1].span.start < pair[0].span.end {
                return Err(Overlap { at: pair[1].span.start });
            }
        }
        Ok(Self { edits })
    }

    /// Returns the edits in the order of their spans.
    pub fn edits(&self) -> &[Edit] {
        &self.edits
    }

    /// Returns whether nothing is edited.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Returns `source`, the text the set was made for, with every edit applied.
    pub fn apply(&self, source: &str) -> String {
        let added: usize = self.edits.iter().map(|edit| edit.text.len()).sum();
        let removed: usize = self.edits.iter().map(|edit| edit.span.end - edit.span.start).sum();
        let mut out = String::with_capacity(source.len() + added - removed);
        let mut done = 0;
        for edit in &self.edits {
            out.push_str(&source[done..edit.span.start]);
            out.push_str(&edit.text);
            done = edit.span.end;
        }
        out.push_str(&source[done..]);
        out
    }

    /// Joins this set over a text of `len` bytes with a `later` set over this set's result: one set over the first text.
    #[must_use]
    pub fn then(self, later: Self, len: usize) -> Self {
        if self.is_empty() {
            return later;
        }
        let mut input = self.into_pieces(len).into_iter();
        let mut current = input.next();
        let mut position = 0;
        let mut pieces = Vec::new();
        for edit in later.edits {
            for (limit, keep) in [(edit.span.start, true), (edit.span.end, false)] {
                while position < limit {
                    let piece = current.take().expect("edits lie inside the text they were made for");
                    let length = piece.len();
                    let (head, tail) = if position + length > limit {
                        let (head, tail) = piece.split(limit - position);
                        (head, Some(tail))
                    } else {
                        (piece, None)
                    };
                    position += head.len();
                    current = tail.or_else(|| input.next());
                    if keep {
                        pieces.push(head);
                    }
                }
            }
            pieces.push(Piece::New(edit.text));
        }
        pieces.extend(current);
        pieces.extend(input);
        Self::from_pieces(pieces, len)
    }

    /// Makes one edit of those that touch.
    #[must_use]
    pub fn joined(self) -> Self {
        let mut edits: Vec<Edit> = Vec::with_capacity(self.edits.len());
        for edit in self.edits {
            match edits.last_mut().filter(|last| last.span.end == edit.span.start) {
                Some(last) => {
                    last.span.end = edit.span.end;
                    last.text.push_str(&edit.text);
                }
                None => edits.push(edit),
            }
        }
        Self { edits }
    }

    /// Shrinks each edit to the bytes that differ from `source` and drops edits that change nothing.
    #[must_use]
    pub(crate) fn minimal(self, source: &str) -> Self {
        let mut edits = Vec::with_capacity(self.edits.len());
        for edit in self.edits {
            let old = edit.span.of(source);
            let prefix = common(old.chars(), edit.text.chars());
            let suffix = common(old[prefix..].chars().rev(), edit.text[prefix..].chars().rev());
            let span = Span::new(edit.span.start + prefix, edit.span.end - suffix);
            let text = &edit.text[prefix..edit.text.len() - suffix];
            if !span.is_empty() || !text.is_empty() {
                edits.push(Edit { span, text: text.to_owned() });
            }
        }
        Self { edits }
    }

    /// Moves every edit `by` bytes to the right: from a part of a text to the whole that the part starts in.
    #[must_use]
    pub fn shifted(mut self, by: usize) -> Self {
        for edit in &mut self.edits {
            edit.span = Span::new(edit.span.start + by, edit.span.end + by);
        }
        self
    }

    fn into_pieces(self, len: usize) -> Vec<Piece> {
        let mut pieces = Vec::with_capacity(self.edits.len() * 2 + 1);
        let mut done = 0;
        for edit in self.edits {
            pieces.push(Piece::Kept(Span::new(done, edit.span.start)));
            pieces.push(Piece::New(edit.text));
            done = edit.span.end;
        }
        pieces.push(Piece::Kept(Span::new(done, len)));
        pieces.retain(|piece| piece.len() > 0);
        pieces
    }

    fn from_pieces(pieces: Vec<Piece>, len: usize) -> Self {
        let mut edits = Vec::new();
        let mut done = 0;
        let mut pending = String::new();
        for piece in pieces.into_iter().chain([Piece::Kept(Span::new(len, len))]) {
            match piece {
                Piece::New(text) => pending.push_str(&text),
                Piece::Kept(span) => {
                    if span.start > done || !pending.is_empty() {
                        edits.push(Edit::new(done, span.start, std::mem::take(&mut pending)));
                    }
                    done = span.end;
                }
            }
        }
        Self { edits }
    }
}

/// Counts the bytes of the longest common prefix of two character sequences.
fn common(left: impl Iterator<Item = char>, right: impl Iterator<Item = char>) -> usize {
    left.zip(right).take_while(|(l, r)| l == r).map(|(l, _)| l.len_utf8()).sum()
}

/// A position to show: line and column, both from 1; the column counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

/// Turns offsets into lines and columns. It has a mark every `STRIDE` bytes: lines are counted from the nearest one.
#[derive(Clone, Debug)]
pub struct LineIndex {
    marks: Vec<Mark>,
}

/// What is known at the start of a stride.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    /// How many line feeds are before it.
    feeds: usize,
    /// Where its line starts.
    line: usize,
    /// How many characters start before it, so that no position in a long line is counted from its start.
    characters: usize,
}

/// The number of bytes between two marks.
const STRIDE: usize = 1024;

/// Counts the characters that start in `bytes`.
fn characters(bytes: &[u8]) -> usize {
    if bytes.is_ascii() {
        return bytes.len();
    }
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

impl Mark {
    /// Returns the mark after `bytes`, which start `at` this one.
    fn after(self, at: usize, bytes: &[u8]) -> Self {
        Self {
            feeds: self.feeds + memchr::memchr_iter(b'\n', bytes).count(),
            line: memchr::memrchr(b'\n', bytes).map_or(self.line, |feed| at + feed + 1),
            characters: self.characters + characters(bytes),
        }
    }
}

impl LineIndex {
    /// Builds the index of `text`.
    pub fn new(text: &str) -> Self {
        let mut marks = Vec::with_capacity(text.len() / STRIDE + 1);
        let mut mark = Mark::default();
        marks.push(mark);
        for (bytes, stride) in text.as_bytes().chunks_exact(STRIDE).zip(0..) {
            mark = mark.after(stride * STRIDE, bytes);
            marks.push(mark);
        }
        Self { marks }
    }

    /// Returns the mark at byte `offset` of `text`, the text the index was made for.
    fn mark(&self, text: &str, offset: usize) -> Mark {
        let stride = offset / STRIDE;
        self.marks[stride].after(stride * STRIDE, &text.as_bytes()[stride * STRIDE..offset])
    }

    /// Returns the position of byte `offset` of `text`, the text the index was made for; a byte order mark does not count as a column.
    pub fn position(&self, text: &str, offset: usize) -> Position {
        let offset = offset.min(text.len());
        let here = self.mark(text, offset);
        let start = self.mark(text, here.line);
        let order_mark = usize::from(text[here.line..offset].starts_with('\u{feff}'));
        Position { line: here.feeds + 1, column: here.characters - start.characters - order_mark + 1 }
    }

    /// Returns the byte offset of a position of `text`, the text the index was made for.
    pub fn offset(&self, text: &str, position: Position) -> usize {
        let feeds = position.line - 1;
        let stride = self.marks.partition_point(|mark| mark.feeds < feeds).saturating_sub(1);
        let (from, before) = (stride * STRIDE, feeds - self.marks[stride].feeds);
        let feed = before.checked_sub(1).and_then(|nth| memchr::memchr_iter(b'\n', &text.as_bytes()[from..]).nth(nth));
        let start = feed.map_or(self.marks[stride].line, |feed| from + feed + 1);
        let line = text[start..].trim_start_matches('\u{feff}');
        let start = text.len() - line.len();
        line.char_indices().nth(position.column - 1).map_or(text.len(), |(at, _)| start + at)
    }

    /// Returns the start of the line around byte `offset` of `text`, the text the index was made for.
    pub(crate) fn line_start(&self, text: &str, offset: usize) -> usize {
        let stride = offset / STRIDE;
        let from = stride * STRIDE;
        let feed = memchr::memrchr(b'\n', &text.as_bytes()[from..offset]);
        feed.map_or(self.marks[stride].line, |feed| from + feed + 1)
    }

    /// Returns the start of the line after the one around byte `offset` of `text`, the text the index was made for, if there is one.
    pub(crate) fn next_line_start(&self, text: &str, offset: usize) -> Option<usize> {
        // The first mark on a later line is after the line feed, and the one before it is not.
        let stride = self.marks.partition_point(|mark| mark.line <= offset) - 1;
        let from = (stride * STRIDE).max(offset);
        memchr::memchr(b'\n', &text.as_bytes()[from..]).map(|feed| from + feed + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn set(edits: &[(usize, usize, &str)]) -> EditSet {
        EditSet::new(edits.iter().map(|(a, b, t)| Edit::new(*a, *b, *t)).collect()).unwrap()
    }

    #[test]
    fn edits_are_applied_in_one_pass() {
        assert_eq!(set(&[(4, 5, "E"), (0, 1, "AA"), (2, 2, "+")]).apply("abcdef"), "AAb+cdEf");
    }

    #[test]
    fn overlapping_edits_are_refused() {
        let edits = vec![Edit::new(0, 3, ""), Edit::new(2, 4, "")];
        assert_eq!(EditSet::new(edits), Err(Overlap { at: 2 }));
    }

    #[test]
    fn minimal_edits_contain_only_the_difference() {
        assert_eq!(set(&[(0, 6, "abXdef"), (6, 6, "")]).minimal("abcdef"), set(&[(2, 3, "X")]));
        assert_eq!(set(&[(0, 2, "aa")]).minimal("ab"), set(&[(1, 2, "a")]));
    }

    #[test]
    fn positions_count_characters_from_one() {
        let text = "\u{feff}aé: b\nc";
        let index = LineIndex::new(text);
        assert_eq!(index.position(text, 8), Position { line: 1, column: 5 });
        assert_eq!(index.position(text, text.len()), Position { line: 2, column: 2 });
    }

    #[test]
    fn places_in_long_lines_are_counted_in_characters() {
        let text = format!("\u{feff}{}\n{}", "é😀a".repeat(3000), "😀".repeat(5000));
        let index = LineIndex::new(&text);
        let second = text.find('\n').unwrap() + 1;
        for (at, character) in text.char_indices().step_by(97) {
            let (line, start) = if at < second { (1, "\u{feff}".len()) } else { (2, second) };
            let column = text[start.min(at)..at].chars().count() + 1;
            assert_eq!(index.position(&text, at), Position { line, column }, "{character} at {at}");
        }
        assert_eq!((index.line_start(&text, second - 1), index.line_start(&text, second)), (0, second));
        assert_eq!(
            (index.next_line_start(&text, second - 1), index.next_line_start(&text, second)),
            (Some(second), None)
        );
    }

    #[test]
    fn lines_are_found_across_index_marks() {
        let text: String = (0..60).map(|line| format!("{}\n", "é".repeat(line * 37 % 211))).collect();
        let index = LineIndex::new(&text);
        for at in 0..=text.len() {
            let start = text.as_bytes()[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |feed| feed + 1);
            let next = text.as_bytes()[at..].iter().position(|byte| *byte == b'\n').map(|feed| at + feed + 1);
            assert_eq!((index.line_start(&text, at), index.next_line_start(&text, at)), (start, next), "at {at}");
        }
    }

    fn edits_over(len: usize) -> impl Strategy<Value = EditSet> {
        proptest::collection::vec((0..=len, 0..4usize, "[x-z]{0,3}"), 0..5).prop_map(move |raw| {
            let mut edits: Vec<Edit> = Vec::new();
            let mut sorted = raw;
            sorted.sort();
            for (start, length, text) in sorted {
                if edits.last().is_none_or(|last| last.span.end <= start) {
                    edits.push(Edit::new(start, (start + length).min(len), text));
                }
            }
            EditSet::new(edits).unwrap()
        })
    }

    const SOURCE: &str = "abcdefghijkl";

    fn two_sets() -> impl Strategy<Value = (EditSet, EditSet)> {
        edits_over(SOURCE.len()).prop_flat_map(|first| {
            let len = first.apply(SOURCE).len();
            (Just(first), edits_over(len))
        })
    }

    proptest! {
        #[test]
        fn joined_sets_equal_both_sets_in_sequence((first, second) in two_sets()) {
            let expected = second.apply(&first.apply(SOURCE));
            let joined = first.then(second, SOURCE.len());
            prop_assert_eq!(joined.apply(SOURCE), expected.as_str());
            prop_assert_eq!(joined.minimal(SOURCE).apply(SOURCE), expected.as_str());
        }
    }
}
