//! Answers: is the name of an API group that was found in these bytes meant as one?
//!
//! A group is a text of its own, and not a part of a path, of a host or of another name. A word such as `apps` is one only before `/` and a
//! version, which may be known later only (`apiVersion: apps/{{ .version }}`).
//!
//! Invariant: the group of an `apiVersion` that is written without escapes is always one.

use std::ops::Range;

/// Returns whether the bytes at `found`, a group with a dot or a word with the slash behind it, are meant as a group.
pub(super) fn is_one(bytes: &[u8], found: Range<usize>) -> bool {
    let (before, behind) = (&bytes[..found.start], &bytes[found.end..]);
    let is_word = bytes[found].ends_with(b"/");
    let is_named = if is_word { is_before_version(before, behind) } else { !continues_name(behind) };
    is_named && !is_continued(before)
}

/// Returns whether a text goes on with what follows `before`: a path, a host, a longer name.
fn is_continued(before: &[u8]) -> bool {
    match before {
        // The end of a line, as a text in quotes has it.
        [.., b'\\', b'n' | b't' | b'r'] => false,
        [.., last] => last.is_ascii_alphanumeric() || b"-_./@".contains(last),
        [] => false,
    }
}

/// Returns whether what follows a group with a dot belongs to the same name.
fn continues_name(behind: &[u8]) -> bool {
    match behind {
        [b'.' | b'-', next, ..] => next.is_ascii_alphanumeric(),
        [next, ..] => next.is_ascii_alphanumeric() || *next == b'_',
        [] => false,
    }
}

/// Returns whether a version stands between `before`, with the word and its slash, and what follows it.
fn is_before_version(before: &[u8], behind: &[u8]) -> bool {
    // What is filled in later is a version where nothing else can stand.
    if behind.starts_with(b"{{") || behind.starts_with(b"$") {
        let key = before.iter().rposition(|byte| !b" :\"'\\".contains(byte));
        return key.is_some_and(|end| before[..=end].ends_with(b"apiVersion"));
    }
    // `apps/*/Deployment` and `apps/v1/Deployment` stand for kinds.
    let is_kind = |rest: &[u8]| matches!(rest, [b'/', b'A'..=b'Z', ..]);
    match (behind, version(behind)) {
        ([b'*', rest @ ..], _) => is_kind(rest),
        (_, Some(rest)) => is_kind(rest) || !rest.starts_with(b"/") && !continues_name(rest),
        (_, None) => false,
    }
}

/// Returns what follows the version that `text` starts with: `v1`, `v2beta1`.
fn version(text: &[u8]) -> Option<&[u8]> {
    let number = |text: &'_ [u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = text.strip_prefix(b"v")?;
    let major = number(rest);
    let rest = &rest[major..];
    let stage =
        [&b"alpha"[..], b"beta"].iter().find_map(|stage| rest.strip_prefix(*stage)).filter(|rest| number(rest) > 0);
    (major > 0).then(|| stage.map_or(rest, |rest| &rest[number(rest)..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether `name` is meant as a group where it is found first in `text`.
    #[track_caller]
    fn is_group(name: &str, text: &str) -> bool {
        let start = text.find(name).expect("it is found");
        is_one(text.as_bytes(), start..start + name.len())
    }

    #[test]
    fn a_word_is_a_group_before_a_version() {
        for text in [
            "apiVersion: apps/v1",
            "apiVersion: \"apps/v1beta2\"\nkind: Deployment",
            "{apiVersion: apps/v1, kind: Deployment}",
            r#"{"patch":"kind: Deployment\napps/v1"}"#,
            "apiVersion: apps/{{ .Values.version }}",
            "apiVersion: 'apps/${VERSION}'",
            r#""apiVersion": "apps/$VERSION""#,
            "kinds: [apps/v1/Deployment]",
            "kinds: ['apps/*/Deployment']",
            "{{ if eq $v \"apps/v1\" }}",
        ] {
            assert!(is_group("apps/", text), "{text}");
        }
        assert!(is_group("apps\\/", r#"{"apiVersion":"apps\/v1"}"#));
    }

    #[test]
    fn a_word_in_a_path_is_no_group() {
        for text in [
            "https://github.com/me/fleet/tree/main/apps/media",
            "path: apps/shop",
            "path: ./apps/v1",
            "path: clusters/my-apps/v1",
            "path: apps/v1/overlays",
            "path: apps/v1.2",
            "path: apps/v2-old",
            "path: apps/video",
            "path: apps/${CLUSTER}",
            "path: apps/{{ path.basename }}",
            "- apps/*",
        ] {
            assert!(!is_group("apps/", text), "{text}");
        }
        assert!(!is_group("batch/", "image: batch/v1.2/x"));
    }

    #[test]
    fn a_group_with_a_dot_is_one_that_is_no_part_of_another_name() {
        let name = "networking.k8s.io";
        for text in [
            "apiVersion: networking.k8s.io/v1",
            "group: networking.k8s.io",
            "apiGroups: [\"networking.k8s.io\"]",
            "networking.k8s.io/class: a",
            "for objects of networking.k8s.io.",
        ] {
            assert!(is_group(name, text), "{text}");
        }
        for text in [
            "https://networking.k8s.io/docs",
            "https://example.com/networking.k8s.io/a",
            "name: ingresses.networking.k8s.io",
            "host: networking.k8s.io.example.com",
            "a@networking.k8s.io",
            "networking.k8s.io-old",
        ] {
            assert!(!is_group(name, text), "{text}");
        }
    }
}
