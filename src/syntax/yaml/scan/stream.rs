//! Answers: what starts on a line of a text?
//!
//! Invariant: every line is read once; a value of several lines consumes all of them.

use super::block::entry;
use super::line;
use super::scanner::Scanner;

/// Reads one line, or all lines of the value that starts on it, and returns where the next line starts.
pub(super) fn scan_line(scanner: &mut Scanner<'_>, start: usize) -> Option<usize> {
    let column = match scanner.peeked_line {
        Some((peeked_line, column)) if peeked_line == start => column,
        _ => line::spaces(scanner.bytes, start),
    };
    let at = start + column;
    match scanner.bytes.get(at) {
        None => Some(at),
        Some(b'\n' | b'\r') => Some(line::after_line_end(scanner.bytes, at)),
        Some(b'#') => Some(scanner.comment(at)),
        Some(b'-' | b'.') if column == 0 && line::is_marker(scanner.bytes, at) => marker(scanner, at),
        Some(_) => entry(scanner, at, column),
    }
}

/// Reads a `---` with nothing but a comment after it; a `...` is not accepted.
fn marker(scanner: &mut Scanner<'_>, at: usize) -> Option<usize> {
    if scanner.bytes[at] == b'.' {
        return None;
    }
    scanner.end_document();
    if let Some(last) = scanner.tree.documents.last_mut() {
        last.span.end = at;
        scanner.slice = at;
    }
    scanner.explicit = true;
    scanner.cursor = at + 3;
    scanner.rest_of_line(scanner.cursor)
}
