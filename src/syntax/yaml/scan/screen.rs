//! Answers: does a text contain only characters and line ends that the scanner need not check again?
//!
//! A block of printable ASCII and line feeds is recognized by a few vector instructions; what is rare (tabs, carriage returns,
//! other characters) is checked one by one only in the blocks where it occurs. A text is valid UTF-8, so single bytes suffice.
//!
//! Invariant: in a screened text every character is one YAML calls printable, every carriage return is before a
//! line feed, and no byte order mark occurs.

use std::ops::Range;

/// How many bytes are checked at once.
const BLOCK: usize = 1024;

/// Returns whether a text has no control characters, byte order marks or lone carriage returns.
pub(super) fn is_common(bytes: &[u8]) -> bool {
    let ends = (BLOCK..bytes.len()).step_by(BLOCK).chain([bytes.len()]);
    let mut start = 0;
    for end in ends {
        if !is_simple(&bytes[start..end]) && !is_common_closely(bytes, start..end) {
            return false;
        }
        start = end;
    }
    true
}

/// Returns whether a block has only printable ASCII and line feeds; written without branches, for vector code.
fn is_simple(block: &[u8]) -> bool {
    // As signed numbers, the bytes of other characters are below the space too.
    let is_rare = |byte: &u8| (i8::from_ne_bytes([*byte]) < 0x20 && *byte != b'\n') || *byte == 0x7f;
    block.iter().fold(0, |rare, byte| rare | u8::from(is_rare(byte))) == 0
}

fn is_common_closely(bytes: &[u8], block: Range<usize>) -> bool {
    block.into_iter().all(|at| match bytes[at] {
        b'\n' | b'\t' => true,
        b'\r' => bytes.get(at + 1) == Some(&b'\n'),
        0xc2 | 0xef => is_printable(&bytes[at..]),
        byte => byte >= 0x20 && byte != 0x7f,
    })
}

/// Returns whether the character that starts with the byte 0xc2 or 0xef is neither a control character (but U+0085, which
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
    fn printable_characters_are_accepted() {
        for text in ["", "a: 1\r\n\tb\n", "é\u{85}\u{a0}\u{2028}\u{2029}\u{fffd}\u{10ffff}ﻮ😀"] {
            assert!(is_common(text.as_bytes()), "{text:?}");
        }
    }

    #[test]
    fn blocks_are_checked_with_what_follows() {
        let prefix = "a".repeat(BLOCK - 1);
        assert!(is_common(format!("{prefix}\r\n{prefix}").as_bytes()));
        assert!(is_common(format!("{prefix}é{prefix}").as_bytes()));
        assert!(!is_common(format!("{prefix}\r{prefix}").as_bytes()));
        assert!(!is_common(format!("{prefix}\u{feff}{prefix}").as_bytes()));
        assert!(!is_common(format!("{prefix}{prefix}\u{1}").as_bytes()));
    }

    #[test]
    fn controls_marks_and_lone_carriage_returns_are_rejected() {
        for text in
            ["\0", "\u{b}", "\u{1f}", "\u{7f}", "a\r", "a\rb", "\r\r\n", "\u{80}", "\u{9f}", "a\u{feff}", "\u{ffff}"]
        {
            assert!(!is_common(text.as_bytes()), "{text:?}");
        }
    }
}
