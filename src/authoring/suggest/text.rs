//! How are fields and values written in a rule?

use serde_json::Value;

use crate::syntax::field::FieldPattern;

/// Writes a text as a value in YAML's flow style.
pub(super) fn text(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./".contains(letter);
    let starts_well =
        text.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '/') || is_plain_measure(text);
    let is_word = WORDS.iter().any(|word| word.eq_ignore_ascii_case(text));
    match starts_well && !is_word && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => Value::from(text).to_string(),
    }
}

/// Returns whether a text is a number with a unit that no parser of YAML reads as a number, such as 30s.
fn is_plain_measure(text: &str) -> bool {
    let unit = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    unit.len() < text.len() && unit.starts_with(['d', 'h', 'm', 's', 'G', 'K', 'M', 'T'])
}

/// Puts the article before the name of a kind: a Lamp, an Issuer, an HTTPRoute.
pub(super) fn with_article(kind: &str) -> String {
    let is_spelt = kind.starts_with(|first| "FHLMNRSX".contains(first)) && kind[1..].starts_with(char::is_uppercase);
    let has_vowel = kind.starts_with(['A', 'E', 'I', 'O', 'U']) && !kind.starts_with("Us") && !kind.starts_with("Uni");
    format!("{} {kind}", if is_spelt || has_vowel { "an" } else { "a" })
}

/// Words that parsers of YAML do not read as texts.
const WORDS: [&str; 9] = ["true", "false", "yes", "no", "on", "off", "y", "n", "null"];

/// Writes an object in YAML's block style.
pub(super) fn object(value: &Value) -> String {
    let mut lines = Vec::new();
    block(value, &mut lines);
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Writes the lines of a value.
fn block(value: &Value, lines: &mut Vec<String>) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (key, value) in map {
                let mut inner = Vec::new();
                block(value, &mut inner);
                let indent = if value.is_array() { "" } else { "  " };
                match value {
                    Value::Object(inside) if !inside.is_empty() => lines.push(format!("{}:", text(key))),
                    Value::Array(inside) if !inside.is_empty() => lines.push(format!("{}:", text(key))),
                    _ => {
                        lines.push(format!("{}: {}", text(key), inner.concat()));
                        continue;
                    }
                }
                lines.extend(inner.iter().map(|line| format!("{indent}{line}")));
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                let mut inner = Vec::new();
                block(item, &mut inner);
                let marks = std::iter::once("- ").chain(std::iter::repeat("  "));
                lines.extend(inner.iter().zip(marks).map(|(line, mark)| format!("{mark}{line}")));
            }
        }
        other => lines.push(constant(other)),
    }
}

/// Writes a field.
pub(super) fn field(pattern: &FieldPattern) -> String {
    text(&pattern.to_string())
}

/// Writes a constant.
pub(super) fn constant(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), text)
}

/// Makes a part of the name of a file of the words of a field: `spec.listeners[].tls` is listeners-tls.
pub(super) fn slug(pattern: &FieldPattern) -> String {
    let text = pattern.to_string().to_lowercase();
    let text = text.strip_prefix("spec.").unwrap_or(&text);
    let parts = text.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_has_the_article_that_is_spoken() {
        let kinds = ["Lamp", "Issuer", "HTTPRoute", "TCPRoute", "User", "Upstream", "Model", "S"];
        let expected = ["a Lamp", "an Issuer", "an HTTPRoute", "a TCPRoute", "a User", "an Upstream", "a Model", "a S"];
        assert_eq!(kinds.map(with_article), expected);
    }
}
