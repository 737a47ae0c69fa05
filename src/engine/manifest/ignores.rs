//! Which comments of a file acknowledge findings, and about what?
//!
//! `# reversion: ignore[CODE, ...] reason` is about the document, entry or item that begins on its line or, where it has a line for
//! itself or is behind `---`, on the next line with content.
//!
//! A comment that resembles one, such as `# Reversion: ignore[...]`, `# reversion: skip` or `# TODO reversion: ignore`, is one that names
//! nothing, so that it is reported. `misspelled` decides which do.
//!
//! Invariant: a file without any of the texts of `MARKS` has none.

use std::sync::LazyLock;

use super::ignore_comment::{Ignore, Ignores};
use super::manifest::Manifest;
use super::misspelled;
use super::object::Object;
use super::source_text::SourceText;
use super::text_search::TextSearch;
use crate::syntax::field::FieldPath;
use crate::syntax::text::{Position, Span};
use crate::syntax::yaml::{Tree, find_node, parts};

/// What such a comment starts with.
const MARK: &str = "reversion: ignore";

/// One of these is in each file with such a comment, well written or not.
const MARKS: [&str; 8] =
    ["reversion", "Reversion", "REVERSION", "ignore[", "ignore:", "-ignore", ": ignore", ":ignore"];

/// Finds the comments of a file, and of the inline patches whose lines have places in it, that acknowledge findings; in the order of
/// the file.
pub(super) fn find(manifest: &Manifest) -> Ignores {
    static SEARCH: LazyLock<TextSearch> = LazyLock::new(|| TextSearch::new(MARKS));
    if !SEARCH.is_in(manifest.text.as_bytes()) {
        return Ignores::default();
    }
    let inline = manifest.inline_patches.iter().enumerate().filter(|(_, patch)| patch.literal.is_some());
    let texts = std::iter::once(None).chain(inline.map(|(number, _)| Some(number)));
    let mut found: Vec<Ignore> = texts.flat_map(|text| in_text(manifest, text)).collect();
    found.sort_by(|left, right| left.location.cmp(&right.location));
    Ignores::new(found)
}

/// Finds the comments in the text of an inline patch by its number, or in the file's own.
fn in_text(manifest: &Manifest, number: Option<usize>) -> Vec<Ignore> {
    let source = manifest.source_text(number);
    let (text, tree) = (source.text(), source.tree());
    let named = |comment: &Span| Some((*comment, directive(comment.of(text))?));
    let comments: Vec<(Span, &str)> = tree.comments().iter().filter_map(named).collect();
    if comments.is_empty() {
        return Vec::new();
    }
    let parts = parts(tree, text);
    let own: Vec<&Object> = manifest.objects.iter().filter(|object| object.inline_patch == number).collect();
    let ignore = |(comment, rest): (Span, &str)| {
        let (names, reason) = read(rest);
        let about = about(text, tree, &parts, comment);
        let place = |offset| source.location(offset).position;
        Ignore {
            location: source.location(comment.start),
            names,
            reason,
            about: about.and_then(|about| place(about.start).zip(place(about.end))),
            object: about.and_then(|about| around(manifest, source, &own, about.start)),
        }
    };
    comments.into_iter().map(ignore).collect()
}

/// Returns where the object among `own`, those of a text, starts that byte `offset` of the text is inside.
fn around(manifest: &Manifest, source: SourceText<'_>, own: &[&Object], offset: usize) -> Option<Position> {
    let (text, tree) = (source.text(), source.tree());
    let span = |object: &Object| {
        let root = tree.documents()[object.document].root;
        find_node(tree, text, root, &object.place).map_or(Span::default(), |node| tree.span(node))
    };
    let before = own.partition_point(|object| span(object).start < offset);
    let object = own[..before].last().filter(|object| offset < span(object).end)?;
    manifest.locate(object, &FieldPath::default()).position
}

/// Returns whether a comment is meant to acknowledge findings.
pub(crate) fn is_ignore_comment(comment: &str) -> bool {
    directive(comment).is_some()
}

/// Returns what follows the mark in a comment, where it has one behind a `#`; nothing where the mark is misspelled.
fn directive(comment: &str) -> Option<&str> {
    let behind_signs = || memchr::memchr_iter(b'#', comment.as_bytes()).map(|at| &comment[at + 1..]);
    let resembles = || behind_signs().any(misspelled::is_meant).then_some("");
    behind_signs().find_map(behind_mark).or_else(resembles)
}

/// Returns what follows the mark, where these words start with it.
fn behind_mark(words: &str) -> Option<&str> {
    let rest = words.trim_start_matches([' ', '\t']).strip_prefix(MARK)?;
    (!rest.starts_with(misspelled::is_part)).then_some(rest)
}

/// Reads `[CODE, ...] reason`.
fn read(rest: &str) -> (Vec<String>, Option<String>) {
    let bracketed = rest.trim_start().strip_prefix('[').and_then(|inside| inside.split_once(']'));
    let Some((names, reason)) = bracketed else { return (Vec::new(), None) };
    let names = names.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
    (names, Some(reason.trim()).filter(|reason| !reason.is_empty()).map(str::to_owned))
}

/// Returns what a comment is about, among `parts`.
fn about(text: &str, tree: &Tree, parts: &[Span], comment: Span) -> Option<Span> {
    let line_start = memchr::memrchr(b'\n', &text.as_bytes()[..comment.start]).map_or(0, |feed| feed + 1);
    let before = text[line_start..comment.start].trim_start_matches('\u{feff}').trim();
    if let Some(begun) = begun(parts, Span::new(line_start, comment.start)) {
        return Some(begun);
    }
    if !before.is_empty() && before != "---" {
        return None;
    }
    let next = content_after(text, comment.end)?;
    let line_end = memchr::memchr(b'\n', &text.as_bytes()[next..]).map_or(text.len(), |length| next + length);
    // A comment behind that content is not a part, and neither is what begins behind it.
    let line_end = tree.comments_in(Span::new(next, line_end)).first().map_or(line_end, |comment| comment.start);
    begun(parts, Span::new(next, line_end))
}

/// Joins the parts that begin in `line`.
fn begun(parts: &[Span], line: Span) -> Option<Span> {
    let first = parts.partition_point(|part| part.start < line.start);
    let begun = parts[first..].iter().take_while(|part| part.start < line.end);
    let end = begun.clone().map(|part| part.end).max()?;
    Some(Span::new(begun.clone().next()?.start, end))
}

/// Returns the first byte after `from` that is no white space, comment or `---`.
fn content_after(text: &str, from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let rest = &text[at..];
        let line = rest.trim_start();
        let start = at + rest.len() - line.len();
        if line.is_empty() {
            return None;
        }
        let is_end = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']);
        at = if line.starts_with('#') {
            memchr::memchr(b'\n', line.as_bytes()).map_or(text.len(), |length| start + length)
        } else if line.strip_prefix("---").is_some_and(is_end) {
            start + "---".len()
        } else {
            return Some(start);
        };
    }
}
