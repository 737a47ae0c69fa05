//! Answers: where do plain and quoted scalars outside brackets end?
//!
//! A further line belongs to a plain scalar if it is indented to the margin, one column after the collection the scalar is in,
//! and to a quoted one in any column.
//!
//! Invariant: no scalar is accepted that holds an escape, a tab in its indentation or a `: ` that YAML forbids there.

use memchr::{memchr2, memchr3};

use super::line::{self, Piece, Stop, is_blank_or_end, spaces};
use super::scanner::Scanner;
use crate::syntax::yaml::tree::Kind;

/// Whether plain text may start with a byte; a dash only before a character that is not white space.
const STARTS_PLAIN: [bool; 256] = {
    let mut starts = [true; 256];
    let indicators = b"&*!?:@`%,[]{}#|>\"'\t";
    let mut index = 0;
    while index < indicators.len() {
        starts[indicators[index] as usize] = false;
        index += 1;
    }
    starts
};

/// Where a quoted scalar ends.
pub(super) struct Quoted {
    /// After the closing quote.
    pub(super) end: usize,
    pub(super) one_line: bool,
}

/// How a plain scalar continues after a line.
enum Next {
    /// With the text at this place.
    Continues(usize),
    /// Not at all; the next line starts here.
    Ends(usize),
}

/// Accepts the first character of plain text: not an indicator, except a dash before other text: `-1`.
#[inline]
pub(super) fn can_start_plain(scanner: &Scanner<'_>, at: usize) -> Option<()> {
    let byte = scanner.bytes[at];
    let accepted = STARTS_PLAIN[usize::from(byte)] && (byte != b'-' || !is_blank_or_end(scanner.bytes, at + 1));
    accepted.then_some(())
}

/// Reads a plain value of one or more lines, the first of which is read, and returns where the next line starts.
pub(super) fn plain_scalar(scanner: &mut Scanner<'_>, start: usize, first: Piece, margin: usize) -> Option<usize> {
    if margin == 0 {
        return None;
    }
    let mut piece = first;
    loop {
        let next = match piece.stop {
            Stop::Colon => return None,
            Stop::Comment => {
                scanner.push(Kind::Plain, start, piece.end);
                return Some(scanner.comment(piece.at));
            }
            Stop::Line => after_plain(scanner, (piece.at + 1).min(scanner.bytes.len()), margin)?,
        };
        match next {
            Next::Continues(at) => piece = line::plain(scanner.bytes, at),
            Next::Ends(at) => {
                scanner.push(Kind::Plain, start, piece.end);
                return Some(at);
            }
        }
    }
}

/// Skips empty lines after a line of plain text. A comment ends it as a line with less indentation does.
#[inline(always)]
fn after_plain(scanner: &mut Scanner<'_>, from: usize, margin: usize) -> Option<Next> {
    let mut line_start = from;
    loop {
        let column = spaces(scanner.bytes, line_start);
        let at = line_start + column;
        match scanner.bytes.get(at) {
            Some(b'\n' | b'\r') => line_start = line::after_line_end(scanner.bytes, at),
            Some(b'\t') => return None,
            Some(byte) if column >= margin && *byte != b'#' => return Some(Next::Continues(at)),
            _ => {
                scanner.peeked_line = Some((line_start, column));
                return Some(Next::Ends(line_start));
            }
        }
    }
}

/// Reads a scalar from its opening quote on.
pub(super) fn quoted_scalar(scanner: &Scanner<'_>, start: usize, margin: usize) -> Option<Quoted> {
    let mut one_line = true;
    let mut at = start + 1;
    loop {
        at = next_in_quotes(scanner, scanner.bytes[start], at)?;
        match scanner.bytes[at] {
            b'\n' => {
                one_line = false;
                at = next_quoted_line(scanner, at + 1).filter(|_| margin > 0)?;
            }
            b'\\' => at = escape(scanner, at)?,
            b'\'' if scanner.bytes.get(at + 1) == Some(&b'\'') => at += 2,
            _ => return Some(Quoted { end: at + 1, one_line }),
        }
    }
}

/// Finds the next significant byte in quotes: the quote, an escape, a line feed.
fn next_in_quotes(scanner: &Scanner<'_>, quote: u8, from: usize) -> Option<usize> {
    let rest = scanner.bytes.get(from..)?;
    let found = if quote == b'"' { memchr3(b'"', b'\\', b'\n', rest) } else { memchr2(b'\'', b'\n', rest) };
    Some(from + found?)
}

/// Skips empty lines and the indentation of the next line in quotes. It may have less than YAML asks, as kubectl reads it, but must
/// not end the document; kubectl splits a file at any line that starts with `---`.
fn next_quoted_line(scanner: &Scanner<'_>, from: usize) -> Option<usize> {
    let mut line_start = from;
    loop {
        let column = spaces(scanner.bytes, line_start);
        let at = line_start + column;
        match scanner.bytes.get(at)? {
            b'\n' | b'\r' => line_start = line::after_line_end(scanner.bytes, at),
            b'\t' => return None,
            b'-' if column == 0 && scanner.bytes[at..].starts_with(b"---") => return None,
            b'.' if column == 0 && line::is_marker(scanner.bytes, at) => return None,
            _ => return Some(at),
        }
    }
}

/// Skips an escape; surrogates and `\U` are left to granit. A line end after `\` is not skipped.
fn escape(scanner: &Scanner<'_>, at: usize) -> Option<usize> {
    let code = scanner.bytes.get(at + 2..)?;
    match scanner.bytes[at + 1] {
        b'0' | b'a' | b'b' | b't' | b'n' | b'v' | b'f' | b'r' | b'e' | b' ' | b'"' | b'/' | b'\\' => Some(at + 2),
        b'N' | b'_' | b'L' | b'P' => Some(at + 2),
        b'\n' | b'\r' => Some(at + 1),
        b'x' => code.first_chunk::<2>()?.iter().all(u8::is_ascii_hexdigit).then_some(at + 4),
        b'u' => {
            let digits = code.first_chunk::<4>()?;
            let surrogate = matches!(digits, [b'd' | b'D', b'8' | b'9' | b'a'..=b'f' | b'A'..=b'F', ..]);
            (!surrogate && digits.iter().all(u8::is_ascii_hexdigit)).then_some(at + 6)
        }
        _ => None,
    }
}

/// Returns the kind of a scalar with this quote.
pub(super) const fn quote_kind(quote: u8) -> Kind {
    if quote == b'"' { Kind::Double } else { Kind::Single }
}
