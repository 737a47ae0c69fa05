//! A whole text, line by line, within the limits.

use super::super::limits::Limits;
use super::super::tree::Tree;
use super::block::entry;
use super::scanner::Scanner;
use super::{line, screen};

/// Scans a text within `limits`; one that exceeds them is left to the exact parser, which reports the place.
pub(crate) fn scan_within(text: &str, limits: &Limits) -> Option<Tree> {
    let bytes = text.as_bytes();
    if limits.check_size(text).is_err() || !screen::is_common(bytes) {
        return None;
    }
    let mut scanner = Scanner::new(bytes, limits);
    let mut at = 0;
    while at < bytes.len() {
        at = scan_line(&mut scanner, at)?;
        scanner.check_limits()?;
    }
    scanner.end_document();
    scanner.check_limits()?;
    Some(scanner.tree)
}

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

#[cfg(test)]
mod tests {
    use super::super::scanner::{KEY_LIMIT, NESTING_LIMIT};
    use crate::syntax::yaml::scan;

    #[test]
    fn common_yaml_is_accepted() {
        for text in [
            "",
            "# only\n",
            "---\n",
            "a: b",
            "'a'",
            "a:\r\n- b # c\r\n-\r\n",
            "'a' : \"b\"\n",
            "- - a: {b: [c, 'd'], e: }\n    f: |+ # g\n     h\n\n",
            "a: b\n  c\n\n  d # e\n---\n# f\n--- # g\n- h\n",
            "{\"a\":[1,{}],\n\t\"b\" : null}\n",
            "a: [b,\n  c # d\n]\n",
            "a: \"b\n\n  \\\"c\\x41\"\n",
            "a:\n  b: \"c\n  d\" # e\n  f: 'g\r\nh: i\n'\n",
            "- - \"a\\\n# b\n\n--\n ---\n...c\"\n",
        ] {
            assert!(scan(text).is_some(), "{text}");
        }
    }

    #[test]
    fn uncommon_yaml_is_left_to_the_exact_parser() {
        for text in [
            "a: &b c",
            "a: *b",
            "a: !b c",
            "? a",
            "%YAML 1.2\n---\n",
            "a: b\n...\n",
            "\u{feff}a: b",
            "a: b\rc: d",
            "a:\tb",
            "\ta: b",
            "a:\n \tb",
            "a: |2\n   b",
            "--- a",
            "a",
            "|\n a",
            "{a: b}: c",
            "[a: b]",
            "{[a]: b}",
            "\"a\n b\": c",
            "a:\n  \"b\nc\": d",
            "\"a\nb\"",
            "a: \"b\n\tc\"",
            "a: [b\n  c]",
            "a: [\"b\n  c\"]",
            "a: \"\\ud83d\\ude00\"",
            "a: {\n b: [\n\t]}",
        ] {
            assert_eq!(scan(text), None, "{text}");
        }
    }

    #[test]
    fn invalid_yaml_is_left_to_the_exact_parser() {
        for text in [
            "a: b: c",
            "a: - b",
            "- a\nb: c",
            "a: b\n c: d",
            "a: b\n  - c: d",
            "a:\n  b: c\n d: e",
            "a: 'b' c",
            "a: 'b'#c",
            "a: [b]#c",
            "a: [b",
            "a: [b,,c]",
            "a: [,]",
            "a: {b:[c]}",
            "a: b # c\n  d",
            "a: |\n   \n  b",
            "a: \"b\n---\nc\"",
            "a: 'b\n---c'",
            "a: \"b\n...\nc\"",
            "a: \"b\nc\" d",
            "a: \"\\q\"",
            "a: ]",
            "a: @b",
            "a\nb: c",
            "- [a]\n - b",
            "{a: b} c",
            "a: {b: c}\n}",
            "a: \u{1}",
            "---a: |\n\tb",
            "[\n---\n]",
            "[-]",
            "[a]\n[b]",
        ] {
            assert_eq!(scan(text), None, "{text}");
        }
    }

    #[test]
    fn long_keys_and_deep_nesting_are_left_to_the_exact_parser() {
        let of_length = |length: usize| format!("{}: b\n", "a".repeat(length));
        assert!(scan(&of_length(KEY_LIMIT)).is_some());
        assert_eq!(scan(&of_length(KEY_LIMIT + 1)), None);
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(scan(&nested(NESTING_LIMIT)).is_some());
        assert_eq!(scan(&nested(NESTING_LIMIT + 1)), None);
        assert!(scan(&"- ".repeat(NESTING_LIMIT)).is_some());
        assert_eq!(scan(&"- ".repeat(NESTING_LIMIT + 1)), None);
        assert_eq!(scan(&"{a: ".repeat(1_000_000)), None);
    }
}
