//! Which text of YAML to be copied fits on one line?
//!
//! Invariant: the line holds the data of the text; one with comments or texts of several lines stays as it is.

use serde_json::Value;

use crate::syntax::yaml::{one_line_text, read_documents};

/// How long such a line is at most.
const WIDTH: usize = 120;

/// Writes a text on one line, where it is one entry, or one item of a list, and fits.
pub(super) fn on_one_line(text: &str) -> Option<String> {
    if text.contains(['#', '|', '>']) {
        return None;
    }
    let documents = read_documents(text)?;
    let [document] = &*documents else { return None };
    let line = match document {
        Value::Object(map) if map.len() == 1 => {
            let (key, value) = map.iter().next()?;
            format!("{}: {}", one_line_text(&Value::from(key.as_str())), one_line_text(value))
        }
        Value::Array(items) if items.len() == 1 => format!("- {}", one_line_text(&items[0])),
        _ => return None,
    };
    (line.len() <= WIDTH).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_one_line() {
        let cases = [
            ("spec: x", "spec: x"),
            ("spec:\n  key:\n    policy: Never\n", "spec: {key: {policy: Never}}"),
            ("a:\n  b: 1\n  c:\n    d: e:f", "a: {b: 1, c: {d: e:f}}"),
            ("a:\n- b\n- c: 1\n  d: \"2\"\n", "a: [b, {c: 1, d: \"2\"}]"),
            ("- groups:\n  - g.k8s.io\n  verbs:\n    - get\n    - list", "- {groups: [g.k8s.io], verbs: [get, list]}"),
            ("- - a\n  - b", "- [a, b]"),
            ("a:\n  b: c, d\n  e: [f]", "a: {b: \"c, d\", e: [f]}"),
        ];
        for (text, line) in cases {
            assert_eq!(on_one_line(text).as_deref(), Some(line), "{text}");
        }
    }

    #[test]
    fn what_is_more_or_cannot_be_said_so_stays() {
        let long = format!("a:\n  b: {}", "c".repeat(WIDTH));
        let texts = ["", "a", "a: 1\nb: 2", "- a\n- b", "a:\n  b: c # so", "a:\n  b: |\n    c", "a:\n  b: c\nd"];
        let broken = ["a:\n  b: c]: d\n b: e", "a:\n    b: 1\n  c: 2", &long];
        for text in texts.iter().chain(&broken) {
            assert_eq!(on_one_line(text), None, "{text}");
        }
    }
}
