//! Which mapping or list does a text hold, and which text holds a mapping or list?
//!
//! Only what comes back as it is becomes a structure: one document, without what means something in a text of its own alone.
//!
//! Invariant: the text of a structure holds that structure.

use serde::Deserialize;
use serde_json::Value;

use super::emit::BlockEmitter;
use super::format::{MultilineText, Quotes};
use super::parse::parse;
use super::value::read_value;

/// The language of a text that holds a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TextFormat {
    /// YAML, which JSON is too.
    Yaml,
    /// JSON alone.
    Json,
}

impl TextFormat {
    /// Returns the mapping or list that `text` holds.
    ///
    /// # Errors
    /// Why it holds none that comes back as it is, as the end of a sentence.
    pub fn structure_of(self, text: &str) -> Result<Value, String> {
        if self == Self::Json && serde_json::from_str::<Value>(text).is_err() {
            return Err("it is not JSON".to_owned());
        }
        if text.contains(['\t', '\r']) {
            return Err("it has tabs or carriage returns".to_owned());
        }
        let is_marker = |line: &str| ["---", "...", "%"].iter().any(|mark| line.starts_with(mark));
        if text.lines().any(is_marker) {
            return Err("it has document markers".to_owned());
        }
        let tree = parse(text).map_err(|problem| format!("it is not valid YAML: {}", problem.message))?;
        let [document] = tree.documents() else { return Err("it does not hold one document".to_owned()) };
        if !tree.properties.is_empty() || !tree.aliases.is_empty() {
            return Err("it has anchors, aliases or tags".to_owned());
        }
        match read_value(&tree, text, document.root).map_err(|problem| problem.message)? {
            value @ (Value::Object(_) | Value::Array(_)) => Ok(value),
            _ => Err("it is neither a mapping nor a list".to_owned()),
        }
    }

    /// Returns the mapping or list that `value` is, or holds as a text.
    ///
    /// # Errors
    /// As [`TextFormat::structure_of`].
    pub(super) fn structure_in(self, value: Value) -> Result<Value, String> {
        match value {
            Value::String(text) => self.structure_of(&text),
            value => Ok(value),
        }
    }

    /// Returns a text that holds `structure`.
    #[must_use]
    pub fn text_of(self, structure: &Value) -> String {
        if self == Self::Json {
            return structure.to_string();
        }
        let (step, list_indent, dash_width) = (2, 0, 2);
        let (quotes, line_ending, multiline) = (Quotes::Double, "\n", MultilineText::Block);
        let rendered = BlockEmitter { step, list_indent, dash_width, quotes, line_ending, multiline }.root(structure);
        format!("{}{}", rendered.head, rendered.body)
    }
}

/// Returns whether `text`, which holds a structure, is written as that is: in lines with one line end after the last, or in
/// brackets on one line.
#[must_use]
pub fn is_written_as_structure(text: &str) -> bool {
    if !text.contains('\n') {
        return text.starts_with(['{', '[']) && !text.ends_with(' ');
    }
    text.ends_with('\n') && !text.ends_with("\n\n") && !text.starts_with([' ', '\n'])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_structure_comes_back_from_its_text() {
        let values = [
            json!({"a": {"b": [1, "1", null, {"c": "x: y"}]}, "d": "line\nline\n"}),
            json!([[], {}, [true]]),
            json!({}),
            json!([]),
        ];
        for value in values {
            for format in [TextFormat::Yaml, TextFormat::Json] {
                assert_eq!(format.structure_of(&format.text_of(&value)), Ok(value.clone()));
            }
        }
    }

    #[test]
    fn what_a_structure_cannot_hold_stays_text() {
        let why = |text: &str| TextFormat::Yaml.structure_of(text).unwrap_err();
        assert_eq!(why("a: &x 1\nb: *x\n"), "it has anchors, aliases or tags");
        assert_eq!(why("a: !!str 1\n"), "it has anchors, aliases or tags");
        assert_eq!(why("a: 1\n---\nb: 1\n"), "it has document markers");
        assert_eq!(why("a:\t1\n"), "it has tabs or carriage returns");
        assert_eq!(why("hello"), "it is neither a mapping nor a list");
        assert!(why("a: 1\na: 2\n").contains('a'));
        assert!(why("a: [\n").starts_with("it is not valid YAML"));
        assert_eq!(TextFormat::Json.structure_of("{a: 1}").unwrap_err(), "it is not JSON");
    }

    #[test]
    fn the_form_of_a_text_decides_whether_it_comes_back() {
        for text in ["a: 1\n", "# c\na: 1\n", "{a: 1}", "[1]", "{a: 1}\n"] {
            assert!(is_written_as_structure(text), "{text:?}");
        }
        for text in ["a: 1", "a: 1\nb: 2", "a: 1\n\n", " a: 1\n", "\na: 1\n"] {
            assert!(!is_written_as_structure(text), "{text:?}");
        }
    }
}
