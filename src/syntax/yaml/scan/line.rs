//! Answers: where on a line does its indentation end, where does the line end, and where does plain text stop?
//!
//! Indentation and short text are compared sixteen bytes at a time; the ends of long lines are left to memchr.
//!
//! Invariant: every function here looks at each byte it passes once, so that a text is read in linear time.

use memchr::{memchr, memchr3};

/// Where a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineEnd {
    /// After its last byte before the line end.
    pub(super) end: usize,
    /// Where the next line starts.
    pub(super) next: usize,
}

/// Why plain text stops on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The line ends: `text`
    Line,
    /// A comment follows: `text # comment`
    Comment,
    /// It is a key: `text: value`
    Colon,
}

/// Plain text on one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// After its last character that is not a blank.
    pub(super) end: usize,
    pub(super) stop: Stop,
    /// The line's last byte or the end of the text, the `#`, or the colon.
    pub(super) at: usize,
}

const SPACES: u128 = u128::from_ne_bytes([b' '; 16]);

/// Counts the spaces at `from`.
#[inline]
pub(super) fn spaces(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(word) = word(bytes, at) {
        let other = word ^ SPACES;
        if other != 0 {
            return at - from + (other.trailing_zeros() / 8) as usize;
        }
        at += 16;
    }
    while bytes.get(at) == Some(&b' ') {
        at += 1;
    }
    at - from
}

/// Finds the first byte after the spaces at `from`: after an indicator there is usually one, and checking that first is faster
/// than counting.
#[inline]
pub(super) fn skip_spaces(bytes: &[u8], from: usize) -> usize {
    match bytes.get(from..) {
        Some([b' ', second, ..]) if *second != b' ' => from + 1,
        Some([first, ..]) if *first != b' ' => from,
        _ => from + spaces(bytes, from),
    }
}

/// Returns sixteen bytes as a number whose lowest bits are the first byte.
#[inline]
fn word(bytes: &[u8], at: usize) -> Option<u128> {
    Some(u128::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// Finds the end of the line that `from` is on.
#[inline]
pub(super) fn end(bytes: &[u8], from: usize) -> LineEnd {
    match memchr(b'\n', &bytes[from..]) {
        Some(length) => LineEnd { end: without_carriage_return(bytes, from, from + length), next: from + length + 1 },
        None => LineEnd { end: bytes.len(), next: bytes.len() },
    }
}

/// Returns where the next line starts, of a line that ends at `at`: before `\n` or `\r\n`.
#[inline]
pub(super) fn after_line_end(bytes: &[u8], at: usize) -> usize {
    at + 1 + usize::from(bytes[at] == b'\r')
}

#[inline]
fn without_carriage_return(bytes: &[u8], from: usize, end: usize) -> usize {
    end - usize::from(end > from && bytes[end - 1] == b'\r')
}

/// Returns whether the byte at `at` is a blank or the end of the line or text.
#[inline]
pub(super) fn is_blank_or_end(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_none_or(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t'))
}

/// Returns whether `---` or `...` is at the start of the line at `at`, and nothing else in the word.
pub(super) fn is_marker(bytes: &[u8], at: usize) -> bool {
    matches!(bytes.get(at..at + 3), Some(b"---" | b"...")) && is_blank_or_end(bytes, at + 3)
}

/// Returns whether a list item starts at `at`: `- item`, or `-` at the end of a line.
#[inline]
pub(super) fn is_dash(bytes: &[u8], at: usize) -> bool {
    bytes.get(at) == Some(&b'-') && bytes.get(at + 1).is_none_or(|byte| matches!(byte, b' ' | b'\n' | b'\r'))
}

/// Returns whether the colon of a key is at `at`: `key: value`, or `key:` at the end of a line.
#[inline]
pub(super) fn is_colon(bytes: &[u8], at: usize) -> bool {
    bytes.get(at) == Some(&b':') && is_blank_or_end(bytes, at + 1)
}

/// Reads plain text outside brackets from its first character on.
#[inline(always)]
pub(super) fn plain(bytes: &[u8], start: usize) -> Piece {
    let mut at = start;
    loop {
        at = next_stop(bytes, at);
        let stop = match bytes.get(at) {
            None | Some(b'\n') => Stop::Line,
            Some(b':') if is_blank_or_end(bytes, at + 1) => Stop::Colon,
            Some(b'#') if at > start && is_blank(bytes[at - 1]) => Stop::Comment,
            Some(_) => {
                at += 1;
                continue;
            }
        };
        return Piece { end: trimmed(bytes, start, at), stop, at };
    }
}

/// Finds the next `:`, `#` or line feed, or the end of the text.
#[inline]
fn next_stop(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    // Most keys and values are short, and a call of memchr costs as much as a few such steps.
    for _ in 0..4 {
        let Some(word) = word(bytes, at) else { break };
        let found =
            zero_bytes(word ^ repeated(b':')) | zero_bytes(word ^ repeated(b'#')) | zero_bytes(word ^ repeated(b'\n'));
        if found != 0 {
            return at + (found.trailing_zeros() / 8) as usize;
        }
        at += 16;
    }
    memchr3(b':', b'#', b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length)
}

const fn repeated(byte: u8) -> u128 {
    u128::from_ne_bytes([byte; 16])
}

/// Marks the zero bytes of a word by their highest bit; only the lowest mark is sure.
#[inline]
const fn zero_bytes(word: u128) -> u128 {
    word.wrapping_sub(repeated(0x01)) & !word & repeated(0x80)
}

#[inline]
pub(super) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Returns where the text from `start` to `end` ends without the blanks and the carriage return after it.
#[inline]
pub(super) fn trimmed(bytes: &[u8], start: usize, end: usize) -> usize {
    let mut end = end;
    while end > start && matches!(bytes[end - 1], b' ' | b'\t' | b'\r') {
        end -= 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_are_counted_over_word_borders() {
        for count in 0..30 {
            let text = format!("x{}y", " ".repeat(count));
            assert_eq!(spaces(text.as_bytes(), 1), count);
            assert_eq!(spaces(&text.as_bytes()[..count + 1], 1), count);
        }
    }

    #[track_caller]
    fn check(text: &str, content: &str, stop: Stop, at: usize) {
        let expected = Piece { end: content.len(), stop, at };
        assert_eq!(plain(text.as_bytes(), 0), expected, "{text}");
    }

    #[test]
    fn plain_text_stops_at_its_line_comment_or_colon() {
        check("a", "a", Stop::Line, 1);
        check("http://example.org:80/#top \r\nb", "http://example.org:80/#top", Stop::Line, 28);
        check("a#b \t# c: d", "a#b", Stop::Comment, 5);
        check("a b : c", "a b", Stop::Colon, 4);
        check("a:", "a", Stop::Colon, 1);
        let long = "long text over thirty-two bytes, and then some";
        check(&format!("{long}:\r\n"), long, Stop::Colon, 46);
    }

    #[test]
    fn a_carriage_return_belongs_to_the_line_end() {
        assert_eq!(end(b"a\r\nb", 0), LineEnd { end: 1, next: 3 });
        assert_eq!(end(b"a\r\nb", 3), LineEnd { end: 4, next: 4 });
        assert_eq!(end(b"\r\n", 0), LineEnd { end: 0, next: 2 });
    }
}
