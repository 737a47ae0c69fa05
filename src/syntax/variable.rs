//! Answers: which parts of a text are known only after its variables are substituted?
//!
//! Flux substitutes `${NAME}`, also with a default or another operator (`${NAME:=x}`, `${NAME/a/b}`), in what a Kustomization
//! builds, whatever the type of the field: `replicas: ${REPLICAS}` is applied as a number. `$${NAME}` stands for the text
//! `${NAME}`, and `$NAME` is a text. clusterctl substitutes `${ NAME }` too, which Flux rejects.
//!
//! Source: kustomize-controller, "Post build variable substitution"; fluxcd/pkg, `envsubst`; cluster-api, `clusterctl generate yaml`.
//!
//! Invariant: what a text can become is never ruled out unless the parts around its variables rule it out.

use serde_json::Value;

use crate::syntax::field::{FieldPath, PathRef, each_child};

/// The longest variable, with its default; a bound for texts with many braces.
const LONGEST: usize = 4096;

/// What the variables begin with that stand for actions of a template in what it prints; a number follows. Nobody calls a variable so.
pub const ACTION: &str = "${REVERSION_ACTION_";

/// The key, and the value, of an entry that stands for what an action prints into a mapping.
pub const SOME_ENTRY: &str = "${REVERSION_ACTION_ENTRY}";

/// Whether an action prints a number or a text that is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrintedType {
    /// Whether it is a number.
    pub is_number: bool,
    /// How certain that is.
    pub certainty: Certainty,
}

/// How certain the type of what an action prints is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    /// It is that whatever users of the chart set.
    Always,
    /// It is that where they set nothing, and the user wants to go by that.
    Accepted,
    /// It is that where they set nothing.
    Default,
}

impl Certainty {
    const fn name(self) -> &'static str {
        match self {
            Self::Always => "ALWAYS_",
            Self::Accepted => "ACCEPTED_",
            Self::Default => "DEFAULT_",
        }
    }
}

impl PrintedType {
    fn all() -> impl Iterator<Item = Self> {
        let certainties = [Certainty::Always, Certainty::Accepted, Certainty::Default];
        certainties.into_iter().flat_map(|certainty| [true, false].map(|is_number| Self { is_number, certainty }))
    }

    /// Returns what the name of a variable that stands for such a value begins with, behind [`ACTION`].
    pub(crate) fn prefix(self) -> String {
        format!("{}{}", self.certainty.name(), if self.is_number { "NUMBER_" } else { "TEXT_" })
    }

    /// Returns the type of a value that is all that an action prints.
    pub fn of(value: &Value) -> Option<Self> {
        let text = value.as_str().filter(|_| is_of_action(value))?;
        Self::all().find(|one| text.contains(&one.prefix()))
    }

    /// Returns whether a conversion may depend on it.
    pub fn is_settled(self) -> bool {
        self.certainty != Certainty::Default
    }
}

/// A text with variables: the parts around them, in order, at least two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenText<'t>(Vec<&'t str>);

impl<'t> OpenText<'t> {
    /// Reads a value; `None` where it is no text with a variable.
    pub fn of(value: &'t Value) -> Option<Self> {
        Self::parse(value.as_str()?)
    }

    /// Reads a text; `None` where it has no variable.
    pub fn parse(text: &'t str) -> Option<Self> {
        let (mut parts, mut start, mut at) = (Vec::new(), 0, 0);
        while let Some(found) = memchr::memchr(b'$', &text.as_bytes()[at..]) {
            let dollars = text[at + found..].bytes().take_while(|byte| *byte == b'$').count();
            at += found + dollars;
            // Two dollar signs stand for one.
            let length = if dollars % 2 == 1 { variable(&text[at..]) } else { None };
            if let Some(length) = length {
                parts.push(&text[start..at - 1]);
                at += length;
                start = at;
            }
        }
        if parts.is_empty() {
            return None;
        }
        parts.push(&text[start..]);
        Some(Self(parts))
    }

    /// Returns whether it is one variable and nothing else: it can become a mapping or a list too.
    pub fn is_variable(&self) -> bool {
        *self.0 == ["", ""]
    }

    /// Returns how the text begins, whatever the variables are.
    pub fn beginning(&self) -> &'t str {
        self.0.first().expect("there are two parts")
    }

    /// Returns how the text ends, whatever the variables are.
    pub fn end(&self) -> &'t str {
        self.0.last().expect("there are two parts")
    }

    /// Returns the parts that the text has, whatever the variables are.
    pub fn parts(&self) -> &[&'t str] {
        &self.0
    }

    /// Returns whether the text can become a text that consists of characters that pass `test`.
    pub fn can_consist_of(&self, test: impl Fn(char) -> bool) -> bool {
        self.0.iter().all(|part| part.chars().all(&test))
    }

    /// Returns whether the text can become the constant `value`.
    pub fn can_be(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => self.can_be_text(text),
            Value::Bool(_) | Value::Number(_) => self.can_be_text(&value.to_string()),
            Value::Null | Value::Array(_) | Value::Object(_) => false,
        }
    }

    fn can_be_text(&self, text: &str) -> bool {
        let inside = text.strip_prefix(self.beginning()).and_then(|rest| rest.strip_suffix(self.end()));
        let Some(mut inside) = inside else { return false };
        let mut met = |part: &&str| inside.split_once(*part).map(|(_, rest)| inside = rest).is_some();
        self.0[1..self.0.len() - 1].iter().all(&mut met)
    }
}

/// Returns the length of the braces of a variable that begin `text`: of `{NAME}` or `{NAME:-other}`.
fn variable(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('{')?;
    let inside = inside.strip_prefix('#').unwrap_or(inside).trim_start_matches(' ');
    let behind = inside.trim_start_matches(|one: char| one.is_ascii_alphanumeric() || one == '_');
    let name = &inside[..inside.len() - behind.len()];
    if !name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        return None;
    }
    if !behind.trim_start_matches(' ').starts_with(['}', ':', '-', '=', '+', '?', '/', ',', '^', '#', '%', '@']) {
        return None;
    }
    let (mut depth, mut last) = (0_usize, b' ');
    for (at, byte) in text.bytes().enumerate().take(LONGEST) {
        match byte {
            b'{' if at == 0 || last == b'$' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
        last = byte;
    }
    None
}

/// Returns whether a text is all of what an action of a template prints, or a mapping has a key that is.
pub fn is_of_action(value: &Value) -> bool {
    let is_one = |text: &str| {
        let name = text.strip_prefix(ACTION).and_then(|rest| rest.strip_suffix('}'));
        name.is_some_and(|name| {
            name.bytes().all(|byte| byte.is_ascii_uppercase() || matches!(byte, b'_' | b'0'..=b'9'))
        })
    };
    match value {
        Value::String(text) => is_one(text),
        Value::Object(map) => map.keys().any(|key| is_one(key)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => false,
    }
}

/// Returns whether a value has a text with a variable, in itself or below it.
pub fn has_variable(value: &Value) -> bool {
    match value {
        Value::String(_) => OpenText::of(value).is_some(),
        Value::Array(items) => items.iter().any(has_variable),
        Value::Object(map) => map.values().any(has_variable),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// A text with variables in a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenPlace<'v> {
    /// Where the text is; of a key, the mapping.
    pub path: FieldPath,
    /// The text.
    pub text: &'v str,
    /// Whether it is a key.
    pub is_key: bool,
}

/// Returns the texts and keys with variables in a value, in its order.
pub fn open_places(value: &Value) -> Vec<OpenPlace<'_>> {
    let mut places = Vec::new();
    add_open_places(value, None, &mut places);
    places
}

fn add_open_places<'v>(value: &'v Value, at: Option<&PathRef<'_>>, places: &mut Vec<OpenPlace<'v>>) {
    let open = |text: &'v str, is_key| {
        OpenText::parse(text).map(|_| OpenPlace {
            path: at.map_or_else(FieldPath::default, PathRef::path),
            text,
            is_key,
        })
    };
    match value {
        Value::Object(map) => places.extend(map.keys().filter_map(|key| open(key, true))),
        Value::String(text) => places.extend(open(text, false)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {}
    }
    each_child(value, at, &mut |child, at| add_open_places(child, Some(at), places));
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn variables_are_found_with_their_operators() {
        for (text, parts) in [
            ("${A}", vec!["", ""]),
            ("x-${A_1}-y", vec!["x-", "-y"]),
            ("${A:-default}${B:=x}", vec!["", "", ""]),
            ("${A:-${B:-c}}.d", vec!["", ".d"]),
            ("${A/old/new}${#A}${A^^}", vec!["", "", "", ""]),
            ("$$${A}", vec!["$$", ""]),
            ("{{ .x }}${A}", vec!["{{ .x }}", ""]),
            ("${ A }-${A }${ A:-b}", vec!["", "-", "", ""]),
        ] {
            assert_eq!(OpenText::parse(text), Some(OpenText(parts)), "{text}");
        }
        for text in ["", "$A", "$${A}", "${}", "${A", "${1}", "${ }", "${ 1 }", "$(A)", "{{ .A }}", "${A b}", "{A}"] {
            assert_eq!(OpenText::parse(text), None, "{text}");
        }
    }

    #[test]
    fn what_a_text_can_become_is_limited_by_the_parts_around_its_variables() {
        for (text, value, expected) in [
            ("${A}", json!("rsa"), true),
            ("${A}", json!(true), true),
            ("${A}", json!(5), true),
            ("${A}", json!({}), false),
            ("r${A}", json!("rsa"), true),
            ("r${A}a", json!("rsa"), true),
            ("rs${A}sa", json!("rsa"), false),
            ("x${A}", json!("rsa"), false),
            ("${A}-${B}", json!("a-b"), true),
            ("${A}-${B}", json!("ab"), false),
        ] {
            assert_eq!(OpenText::parse(text).unwrap().can_be(&value), expected, "{text} {value}");
        }
    }
}
