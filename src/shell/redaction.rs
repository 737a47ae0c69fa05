//! Answers: where does a text show what a Secret holds?
//!
//! The values under `data` and `stringData` of a Secret must not get into a file that is kept or passed on, nor must the copy of
//! them that `kubectl apply` leaves in an annotation. A text is parsed again to find them: a text that holds no Secret costs a
//! search for the word. A text within a text, such as an inline patch, is redacted as a whole. A template is no YAML: its documents
//! are known by their words, and redacted as a whole.
//!
//! Invariant: every byte of a Secret's values is in a span; what cannot be separated is redacted as a whole.

use crate::engine::edits::FilePlan;
use crate::syntax::field::FieldPath;
use crate::syntax::text::Span;
use crate::syntax::yaml::{self, find_node, read_value};
use serde_json::Value;

/// The annotation in which `kubectl apply` keeps an object as it was applied.
///
/// Source: kubectl, `LastAppliedConfigAnnotation`.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Returns whether an edit of `file` replaces something that a Secret holds, or inserts something there.
pub(crate) fn shows_secret(file: &FilePlan) -> bool {
    let (before, after) = (secret_spans(&file.before), secret_spans(&file.after()));
    let (mut replaced, mut inserted) = (0, 0);
    file.edits.edits().iter().any(|edit| {
        let start = edit.span.start - replaced + inserted;
        replaced += edit.span.end - edit.span.start;
        inserted += edit.text.len();
        let new = Span::new(start, start + edit.text.len());
        before.iter().any(|span| meets(*span, edit.span)) || after.iter().any(|span| meets(*span, new))
    })
}

/// Returns whether two spans share a byte.
pub(crate) fn meets(left: Span, right: Span) -> bool {
    left.start < right.end && right.start < left.end
}

/// Finds the values of every Secret in `text`, in the order of documents; a document that cannot be read and may have some is one span.
pub(crate) fn secret_spans(text: &str) -> Vec<Span> {
    // A word with a backslash can be spelled in many ways.
    if !text.contains("Secret") && !text.contains('\\') {
        return Vec::new();
    }
    let Ok(tree) = yaml::parse(text) else { return unread_documents(text) };
    let mut spans = Vec::new();
    for document in tree.documents() {
        let Ok(value) = read_value(&tree, text, document.root) else {
            spans.extend(may_hold_secret(document.span.of(text)).then_some(document.span));
            continue;
        };
        let mut places = Vec::new();
        find(&value, &FieldPath::default(), Items::OfTheirKind, &mut places);
        for place in places {
            let span = find_node(&tree, text, document.root, &place).map(|node| tree.span(node));
            // A value that an alias or a merge key refers to stands somewhere else in the document.
            let own = span.ok().filter(|span| !span.of(text).contains('*'));
            spans.push(own.unwrap_or(document.span));
        }
    }
    spans
}

/// Finds the documents that can have a Secret in a text that is no YAML.
fn unread_documents(text: &str) -> Vec<Span> {
    let feeds = memchr::memmem::find_iter(text.as_bytes(), "\n---").map(|feed| feed + 1);
    let mut start = 0;
    let documents = feeds.chain([text.len()]).map(|end| Span::new(std::mem::replace(&mut start, end), end));
    documents.filter(|document| may_hold_secret(document.of(text))).collect()
}

/// Returns whether a document that cannot be read can have a Secret: it has the word and a key of what one holds, or escapes.
fn may_hold_secret(document: &str) -> bool {
    let words = || document.split(|one: char| !one.is_ascii_alphanumeric());
    let has = |wanted: [&str; 2]| words().any(|word| wanted.contains(&word));
    let has_escapes = ["\\x", "\\u", "\\U"].iter().any(|escape| document.contains(escape));
    has_escapes || has(["Secret", "SecretList"]) && has(["data", "stringData"])
}

/// What the items of a list are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Items {
    /// What their own `kind` names.
    OfTheirKind,
    /// Secrets: the items of a `kind: SecretList` need no `kind`.
    Secrets,
}

/// Finds the places of what Secrets hold in a value, at any depth.
fn find(value: &Value, path: &FieldPath, are: Items, places: &mut Vec<FieldPath>) {
    match value {
        Value::Object(map) => {
            let kind = map.get("kind").and_then(Value::as_str);
            if kind == Some("Secret") || are == Items::Secrets {
                let keys = ["data", "stringData"].into_iter().filter(|key| map.contains_key(*key));
                places.extend(keys.map(|key| path.key(key)));
            }
            let annotation = path.key("metadata").key("annotations").key(LAST_APPLIED);
            if last_applied(map).is_some_and(|text| text.contains("Secret") || text.contains('\\')) {
                places.push(annotation);
            }
            for (key, child) in map {
                let are =
                    if kind == Some("SecretList") && key == "items" { Items::Secrets } else { Items::OfTheirKind };
                find(child, &path.key(key), are, places);
            }
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, item)| find(item, &path.index(at), are, places));
        }
        Value::String(text) => places.extend(holds_secret(text).then(|| path.clone())),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns whether a text within a text is a manifest with a Secret.
fn holds_secret(text: &str) -> bool {
    text.contains('\n') && yaml::parse(text).is_ok() && !secret_spans(text).is_empty()
}

fn last_applied(object: &serde_json::Map<String, Value>) -> Option<&str> {
    object.get("metadata")?.get("annotations")?.get(LAST_APPLIED)?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::text::{Edit, EditSet};

    /// Checks whether an edit of the one place where `old` stands in `text` shows a secret.
    #[track_caller]
    fn check(text: &str, old: &str, expected: bool) {
        let start = text.find(old).unwrap();
        let edits = EditSet::new(vec![Edit::new(start, start + old.len(), "new")]).unwrap();
        let file = FilePlan { file: String::new(), before: text.into(), edits };
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
    fn only_edits_of_secret_values_are_found() {
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
        let text =
            r#"{"kind":"List","items":[{"kind":"List","items":[{"kind":"S\u0065cret","stringData":{"k":"czNj"}}]}]}"#;
        check(text, "czNj", true);
        check("kind: SecretList\nitems:\n- data: {k: czNj}\n  metadata: {name: free}\n", "czNj", true);
        check("kind: SecretList\nitems:\n- data: {k: czNj}\n  metadata: {name: free}\n", "free", false);
    }

    #[test]
    fn the_last_applied_annotation_of_a_secret_is_secret() {
        let text = |kind: &str| {
            format!(
                "kind: {kind}\nmetadata:\n  annotations:\n    {LAST_APPLIED}: |\n      {{\"kind\":\"{kind}\",\"data\":{{\"k\":\"czNj\"}}}}\n  name: free\n"
            )
        };
        check(&text("Secret"), "czNj", true);
        check(&text("Secret"), "free", false);
        check(&text("Route"), "czNj", false);
    }

    #[test]
    fn a_text_that_contains_a_secret_is_secret_as_a_whole() {
        let text =
            |kind: &str| format!("patches:\n- patch: |\n    kind: {kind}\n    data: {{k: czNj}}\n  path: free\n");
        check(&text("Secret"), "czNj", true);
        check(&text("Secret"), "free", false);
        check(&text("Route"), "czNj", false);
        check("a: |\n  Secret: [czNj\nb: free\n", "czNj", false);
    }

    #[test]
    fn the_documents_of_a_template_are_known_by_their_words() {
        let of_kind = |kind: &str| {
            format!(
                "kind: Route\na: {{{{ .free }}}}\n---\nkind: {kind}\nmetadata: {{name: a}}\ndata:\n  k: {{{{ \"czNj\" }}}}\n"
            )
        };
        check(&of_kind("Secret"), "czNj", true);
        check(&of_kind("Secret"), "free", false);
        check(&of_kind("\"\\x53ecret\""), "czNj", true);
        check(&of_kind("ExternalSecret"), "czNj", false);
        check("imagePullSecrets: [{{ .free }}]\nkind: Secret\n", "free", false);
    }

    #[test]
    fn secret_values_from_aliases_and_merges_are_found() {
        check("a: &a {k: czNj}\nb: free\nkind: Secret\ndata: *a\n", "czNj", true);
        check("a: &a czNj\nb: free\nkind: Secret\ndata: {k: *a}\n", "czNj", true);
        check("a: &a\n  data: {k: czNj}\nb:\n  <<: *a\n  kind: Secret\n", "czNj", true);
    }

    #[test]
    fn values_inserted_into_a_secret_are_found() {
        let text = "kind: Secret\n";
        let edits = EditSet::new(vec![Edit::new(0, 0, "# x\n"), Edit::new(13, 13, "data: {k: czNj}\n")]).unwrap();
        assert!(shows_secret(&FilePlan { file: String::new(), before: text.into(), edits }));
        let edits = EditSet::new(vec![Edit::new(0, 0, "# x\n"), Edit::new(13, 13, "type: a\n")]).unwrap();
        assert!(!shows_secret(&FilePlan { file: String::new(), before: text.into(), edits }));
    }
}
