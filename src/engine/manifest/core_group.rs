//! Answers: can there be an object of the core group in these bytes?
//!
//! The core group has no name: its objects are those whose `apiVersion` is a version alone (`v1`). Every spelling of that has
//! the key in it, so what follows each key is read: through quotes, tags, anchors, comments and line ends, as YAML and JSON have
//! them, also where the text of an object is itself in quotes.
//!
//! Invariant: no object of the core group is missed, whose key is written without escapes.

use memchr::memmem;

/// The key that each object has.
const KEY: &[u8] = b"apiVersion";

/// Returns whether an `apiVersion` in `bytes` names no group.
pub(super) fn is_named(bytes: &[u8]) -> bool {
    memmem::find_iter(bytes, KEY).any(|at| is_version_alone(&bytes[at + KEY.len()..]))
}

/// Returns whether the value of a key, which `behind` follows, can be a version without a group.
fn is_version_alone(behind: &[u8]) -> bool {
    let Some(mut rest) = skip_blanks(behind).strip_prefix(b":") else { return false };
    loop {
        rest = skip_blanks(rest);
        match rest.first() {
            // A tag or an anchor is in front of the value.
            Some(b'!' | b'&') => rest = &rest[rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len())..],
            // An alias, or a text on lines of its own, can be anything.
            Some(b'*' | b'|' | b'>') => return true,
            Some(_) => return is_version(value(rest)),
            None => return false,
        }
    }
}

/// Returns `text` without the white space, comments and quotes (which are escaped in a text in quotes) that it starts with.
fn skip_blanks(mut text: &[u8]) -> &[u8] {
    loop {
        match text {
            [b'#', rest @ ..] => text = &rest[memchr::memchr(b'\n', rest).unwrap_or(rest.len())..],
            [b'\\', b'n' | b't' | b'r', rest @ ..] | [b'"' | b'\'', rest @ ..] => text = rest,
            [b'\\', b'"' | b'\\' | b'\n' | b'\r', ..] => text = &text[1..],
            [first, rest @ ..] if first.is_ascii_whitespace() => text = rest,
            _ => return text,
        }
    }
}

/// Returns the scalar that `text` starts with; in a text in quotes, escapes end it too.
fn value(text: &[u8]) -> &[u8] {
    let is_end = |at: usize| match &text[at..] {
        [b'\\', b'n' | b'r' | b't' | b'"', ..] => true,
        [first, ..] => first.is_ascii_whitespace() || b"\"',}]".contains(first),
        [] => true,
    };
    &text[..(0..text.len()).find(|at| is_end(*at)).unwrap_or(text.len())]
}

/// Returns whether a scalar is a version without a group, also where escapes hide it: `v1`, `v\u0031`.
fn is_version(scalar: &[u8]) -> bool {
    let is_plain = matches!(scalar, [b'v', b'0'..=b'9', ..]);
    !scalar.contains(&b'/') && (is_plain || scalar.contains(&b'\\'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_version_alone_counts() {
        for text in [
            "apiVersion: v1\nkind: Service\n",
            "kind: Service\r\napiVersion:   v1 # core\r\n",
            "apiVersion: \"v1\"",
            "apiVersion: 'v1'",
            "'apiVersion' : v1",
            "{apiVersion: v1, kind: Service}",
            "{kind: Service, apiVersion: v1}",
            r#"{"kind":"Service","apiVersion":"v1"}"#,
            "{\"apiVersion\"\n:\n\t\"v1\"}",
            "apiVersion: &version v1",
            "apiVersion: !!str v1",
            "apiVersion: ! &a \"v1\"",
            "apiVersion:\n  v1",
            "apiVersion: # of the core group\n  # really\n  v1",
            "apiVersion: >-\n  v1",
            "apiVersion: *version",
            "? apiVersion\n: v1",
            r#"apiVersion: "v\u0031""#,
            r#"apiVersion: "\x761""#,
            r#"patch: "{\"apiVersion\": \"v1\"}""#,
            r#"patch: "apiVersion: v1\nkind: Service""#,
            r#"patch: "apiVersion: v1\nimage:a/b""#,
            r#"patch: "{\n  \"apiVersion\":\n  \"v1\"\n}""#,
            "apiVersion: apps/v1\n---\napiVersion: v1\n",
        ] {
            assert!(is_named(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn other_groups_and_texts_do_not_count() {
        for text in [
            "",
            "apiVersion",
            "apiVersion:",
            "apiVersion: \"\"",
            "apiVersion: apps/v1",
            "apiVersion: 'apps/v1'",
            r#"{"apiVersion":"apps\/v1"}"#,
            "apiVersion: !!str apps/v1",
            "the apiVersion v1 of a Service",
            "apiVersion: {{ .Values.version }}",
            "apiVersion: ${VERSION}",
            "kind: Service",
        ] {
            assert!(!is_named(text.as_bytes()), "{text}");
        }
    }
}
