//! Which words differ between lines that replace each other?
//!
//! A block of lines that replaces another is compared word by word. Where most of it is new, no word is marked: then the lines as a
//! whole say more. Indentation is never marked, nor is a line of which every word is new.
//!
//! Invariant: marks are spans of whole words of their line, in order and disjoint.

use std::ops::Range;

use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices};

use crate::syntax::text::Span;

/// The most words of a block that are compared: the cost can grow with their square.
const MAX_WORDS: usize = 2_000;

/// The changed words of each line of a block, and of the block that replaces it.
pub(super) struct ChangedWords {
    pub(super) old: Vec<Vec<Span>>,
    pub(super) new: Vec<Vec<Span>>,
}

/// A word of a block: a run of letters and digits, a run of white space, or one other character.
#[derive(Clone, Copy)]
struct Word<'t> {
    text: &'t str,
    /// The line that it is in, and where in that.
    line: usize,
    start: usize,
}

/// Finds the words that differ between `old` and the lines `new` that replace it.
pub(super) fn changed(old: &[&str], new: &[&str]) -> ChangedWords {
    let (old_words, new_words) = (words(old), words(new));
    let changes = changes(&old_words, &new_words);
    ChangedWords {
        old: marks(old, &old_words, changes.iter().map(DiffOp::old_range)),
        new: marks(new, &new_words, changes.iter().map(DiffOp::new_range)),
    }
}

/// Compares the words; nothing is said of long blocks, nor where most is new.
fn changes(old: &[Word<'_>], new: &[Word<'_>]) -> Vec<DiffOp> {
    if old.len() + new.len() > MAX_WORDS {
        return Vec::new();
    }
    let operations = capture_diff_slices(Algorithm::Myers, &texts(old), &texts(new));
    let (kept, changes): (Vec<_>, Vec<_>) =
        operations.into_iter().partition(|operation| operation.tag() == DiffTag::Equal);
    let kept: usize = kept.iter().map(|operation| length(&old[operation.old_range()])).sum();
    if kept * 4 < length(old) + length(new) { Vec::new() } else { changes }
}

fn texts<'t>(words: &[Word<'t>]) -> Vec<&'t str> {
    words.iter().map(|word| word.text).collect()
}

/// Marks the words in the ranges `changes`, but not those of a line of which every word is new.
fn marks(lines: &[&str], words: &[Word<'_>], changes: impl Iterator<Item = Range<usize>>) -> Vec<Vec<Span>> {
    let mut marks = vec![Vec::new(); lines.len()];
    for word in changes.flat_map(|range| &words[range]) {
        add(&mut marks[word.line], word);
    }
    for (marks, line) in marks.iter_mut().zip(lines) {
        if marks.iter().map(|mark| dense(mark.of(line))).sum::<usize>() == dense(line) {
            marks.clear();
        }
    }
    marks
}

/// Marks a word, unless it is the indentation or the end of its line.
fn add(marks: &mut Vec<Span>, word: &Word<'_>) {
    let end = word.start + word.text.len();
    if word.text.contains(['\r', '\n']) || (word.start == 0 && word.text.trim().is_empty()) {
        return;
    }
    match marks.last_mut().filter(|last| last.end == word.start) {
        Some(last) => last.end = end,
        None => marks.push(Span::new(word.start, end)),
    }
}

/// Counts the bytes of a text that are no white space.
fn dense(text: &str) -> usize {
    text.chars().filter(|character| !character.is_whitespace()).map(char::len_utf8).sum()
}

fn length(words: &[Word<'_>]) -> usize {
    words.iter().map(|word| dense(word.text)).sum()
}

fn words<'t>(lines: &[&'t str]) -> Vec<Word<'t>> {
    let mut words: Vec<Word<'t>> = Vec::new();
    for (number, line) in lines.iter().copied().enumerate() {
        let mut last = None;
        for (at, character) in line.char_indices() {
            let class = class(character);
            match words.last_mut().filter(|_| class.is_some() && class == last) {
                Some(word) => word.text = &line[word.start..at + character.len_utf8()],
                None => {
                    let text = &line[at..at + character.len_utf8()];
                    words.push(Word { text, line: number, start: at });
                }
            }
            last = class;
        }
    }
    words
}

/// Returns whether a character is part of a word (`true`) or white space (`false`); `None` where it stands alone.
fn class(character: char) -> Option<bool> {
    match character {
        '_' => Some(true),
        '\r' | '\n' => Some(false),
        _ if character.is_alphanumeric() => Some(true),
        _ if character.is_whitespace() => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares `old` and `new` with what they look like with brackets around the changed words.
    #[track_caller]
    fn check(old: &[&str], new: &[&str], expected: (&[&str], &[&str])) {
        let changed = changed(old, new);
        let marked = |lines: &[&str], marks: &[Vec<Span>]| -> Vec<String> {
            let line = |(line, marks): (&&str, &Vec<Span>)| {
                let mut text = (*line).to_owned();
                for mark in marks.iter().rev() {
                    text.insert(mark.end, ']');
                    text.insert(mark.start, '[');
                }
                text
            };
            lines.iter().zip(marks).map(line).collect()
        };
        assert_eq!(marked(old, &changed.old), expected.0);
        assert_eq!(marked(new, &changed.new), expected.1);
    }

    #[test]
    fn only_the_words_that_differ_are_marked() {
        check(
            &["apiVersion: gateway.networking.k8s.io/v1beta1\n"],
            &["apiVersion: gateway.networking.k8s.io/v1\n"],
            (&["apiVersion: gateway.networking.k8s.io/[v1beta1]\n"], &["apiVersion: gateway.networking.k8s.io/[v1]\n"]),
        );
    }

    #[test]
    fn words_are_found_again_in_another_line_and_indentation_is_not_marked() {
        check(
            &["tls:\n", "  caCertRefs: [a]\n"],
            &["validation:\n", "    caCertificateRefs: [a]\n", "    hostname: x\n"],
            (
                &["tls:\n", "  caCertRefs: [a]\n"],
                &["validation:\n", "    caCertificateRefs: [a]\n", "    hostname: x\n"],
            ),
        );
        check(
            &["  name: a-b # café\n"],
            &["    name: a-c # café\n"],
            (&["  name: a-[b] # café\n"], &["    name: a-[c] # café\n"]),
        );
    }

    #[test]
    fn a_line_of_new_words_is_not_marked() {
        check(
            &["kind: Gateway\n"],
            &["kind: Gateway\n", "name: web\n"],
            (&["kind: Gateway\n"], &["kind: Gateway\n", "name: web\n"]),
        );
        check(&["one two three\n"], &["four five six\n"], (&["one two three\n"], &["four five six\n"]));
    }
}
