//! Answers: does a text hold only characters and line ends that the scanner need not think about again?
//!
//! One pass that the compiler turns into vector code looks for what no YAML may hold; what is rare (carriage returns,
//! non-ASCII text) is looked at closely only where it occurs. Both parsers get valid UTF-8, so a byte says enough.
//!
//! Invariant: in a screened text every character is one YAML calls printable, every carriage return stands before a
//! line feed, and no byte order mark occurs.

use memchr::{memchr_iter, memchr2_iter};

/// Says whether a text has no control characters, byte order marks or lone carriage returns.
pub(super) fn is_common(bytes: &[u8]) -> bool {
    let mut seen = Seen::default();
    for byte in bytes {
        seen.control |= u8::from(*byte < 0x20) & u8::from(!matches!(byte, b'\n' | b'\r' | b'\t'));
        seen.control |= u8::from(*byte == 0x7f);
        seen.carriage_return |= u8::from(*byte == b'\r');
        seen.all |= byte;
    }
    seen.control == 0
        && (seen.carriage_return == 0 || memchr_iter(b'\r', bytes).all(|at| bytes.get(at + 1) == Some(&b'\n')))
        && (seen.all < 0x80 || memchr2_iter(0xc2, 0xef, bytes).all(|at| is_printable(&bytes[at..])))
}

/// What occurs in a text, as bytes so that many are looked at in one instruction.
#[derive(Default)]
struct Seen {
    control: u8,
    carriage_return: u8,
    /// Every bit that any byte has.
    all: u8,
}

/// Says whether the character that starts with the byte 0xc2 or 0xef is neither a control character (but U+0085, which
/// YAML allows), a byte order mark nor U+FFFE or U+FFFF.
fn is_printable(character: &[u8]) -> bool {
    match character {
        [0xc2, 0x85, ..] => true,
        [0xc2, second, ..] => *second >= 0xa0,
        [0xef, 0xbb, third, ..] => *third != 0xbf,
        [0xef, 0xbf, third, ..] => *third < 0xbe,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_yaml_prints_is_common() {
        for text in ["", "a: 1\r\n\tb\n", "é\u{85}\u{a0}\u{2028}\u{2029}\u{fffd}\u{10ffff}ﻮ😀"] {
            assert!(is_common(text.as_bytes()), "{text:?}");
        }
    }

    #[test]
    fn controls_marks_and_lone_carriage_returns_are_not() {
        for text in
            ["\0", "\u{b}", "\u{1f}", "\u{7f}", "a\r", "a\rb", "\r\r\n", "\u{80}", "\u{9f}", "a\u{feff}", "\u{ffff}"]
        {
            assert!(!is_common(text.as_bytes()), "{text:?}");
        }
    }
}
