//! Answers: does a change show what a Secret holds?
//!
//! The values under `data` and `stringData` of a Secret must not get into a file that is kept or passed on. A text is parsed
//! again to find them: a plan of a file that holds none costs a search for the word.
//!
//! Invariant: an edit that replaces a byte of a Secret's values is found.

use super::FilePlan;
use crate::field::FieldPath;
use crate::text::Span;
use crate::yaml;
use serde_json::Value;

/// Says whether an edit of `file` replaces something that a Secret holds.
pub fn shows_secret(file: &FilePlan) -> bool {
    let spans = spans(&file.before);
    let edits = file.edits.edits();
    edits.iter().any(|edit| spans.iter().any(|span| edit.span.start < span.end && span.start < edit.span.end))
}

/// Finds the values of every Secret in `text`; a document that cannot be read is taken for one whole.
fn spans(text: &str) -> Vec<Span> {
    if !text.contains("Secret") {
        return Vec::new();
    }
    let Ok(tree) = yaml::parse(text) else { return vec![Span::new(0, text.len())] };
    let mut spans = Vec::new();
    for document in tree.documents() {
        let Ok(value) = tree.value(text, document.root) else {
            spans.push(document.span);
            continue;
        };
        for place in secrets(&value) {
            for key in ["data", "stringData"] {
                let found = tree.find(text, document.root, &place.key(key));
                spans.extend(found.map(|node| tree.span(node)));
            }
        }
    }
    spans
}

/// Finds the Secrets in a document: itself, or items of a List.
fn secrets(document: &Value) -> Vec<FieldPath> {
    let is_secret = |object: &Value| object.get("kind").and_then(Value::as_str) == Some("Secret");
    let items = document.get("items").and_then(Value::as_array).into_iter().flatten();
    let items = items.enumerate().filter(|(_, item)| is_secret(item));
    let mut found: Vec<_> = items.map(|(at, _)| FieldPath::default().key("items").index(at)).collect();
    if is_secret(document) {
        found.push(FieldPath::default());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Edit, EditSet};

    /// Checks whether an edit of the one place where `old` stands in `text` shows a secret.
    #[track_caller]
    fn check(text: &str, old: &str, expected: bool) {
        let start = text.find(old).unwrap();
        let edits = EditSet::new(vec![Edit::new(start, start + old.len(), "new")]).unwrap();
        let file = FilePlan { file: String::new(), before: text.to_owned(), edits };
        assert_eq!(shows_secret(&file), expected, "{old}");
    }

    const SECRET: &str = "\
# Secret
apiVersion: v1
kind: Secret
metadata: {name: a}
data:
  password: czNjcjN0
stringData: {token: t0ken}
---
kind: Route
data: {x: free}
";

    #[test]
    fn edits_of_what_a_secret_holds_are_found_and_no_others() {
        for (old, expected) in
            [("v1", false), ("name: a", false), ("czNjcjN0", true), ("password", true), ("t0ken", true)]
        {
            check(SECRET, old, expected);
        }
        check(SECRET, "free", false);
        check(SECRET, "a}\ndata:\n  pass", true);
    }

    #[test]
    fn secrets_in_lists_and_in_json_are_found() {
        let text = r#"{"kind":"List","items":[{"kind":"Route","a":"free"},{"kind":"Secret","data":{"k":"czNj"}}]}"#;
        check(text, "free", false);
        check(text, "czNj", true);
    }
}
