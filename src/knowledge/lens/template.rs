//! Which text is a person to add, given the object that it is for?
//!
//! A template is a text of a pack in which `{metadata.name}` stands for the value of a field. It is shown as advice and never
//! written into a file.
//!
//! Invariant: of a Secret, nothing but its name and namespace is shown.

use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

use crate::syntax::field::FieldPattern;
use crate::syntax::yaml::one_line_text;

/// A text with the values of fields: `name: {metadata.name}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template(Vec<Line>);

/// A line: texts, each with the field whose value follows it.
type Line = Vec<(String, Option<FieldPattern>)>;

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// A message for a template without text.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Err("a text to add is empty".to_owned());
        }
        Ok(Self(text.trim_end().lines().map(parse_line).collect()))
    }

    /// Returns `help` with the text below it, as it is for `object`, up to the apiVersions that only a target knows; a line with a field that the object does not have is left out.
    #[must_use]
    pub fn below(&self, help: &str, object: &Value) -> String {
        let lines = self.0.iter().filter_map(|line| fill(line, object));
        std::iter::once(help.to_owned()).chain(lines).collect::<Vec<_>>().join("\n")
    }
}

impl<'de> Deserialize<'de> for Template {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

fn parse_line(mut line: &str) -> Line {
    let (mut parts, mut text) = (Line::new(), String::new());
    while let Some((before, rest)) = line.split_once('{') {
        text.push_str(before);
        // Braces around anything else are those of YAML.
        let is_field = |name: &str| !name.is_empty() && !name.contains([' ', ':', ',', '{', '"', '\'']);
        let field = rest.split_once('}').filter(|(name, _)| is_field(name));
        match field.and_then(|(name, rest)| Some((FieldPattern::parse(name).ok()?, rest))) {
            Some((field, rest)) => {
                parts.push((std::mem::take(&mut text), Some(field)));
                line = rest;
            }
            None => {
                text.push('{');
                line = rest;
            }
        }
    }
    text.push_str(line);
    parts.push((text, None));
    parts
}

/// Returns a line with the values of its fields; `None` where the object does not have one of them.
fn fill(line: &Line, object: &Value) -> Option<String> {
    let mut out = String::new();
    for (text, field) in line {
        out.push_str(text);
        let Some(field) = field else { continue };
        let value = field.values(object).into_iter().next().filter(|_| is_public(field, object))?;
        let is_whole = matches!(line.as_slice(), [(before, _), (after, None)]
            if after.is_empty() && (before.ends_with(": ") || before.ends_with("- ")));
        match value.as_str().filter(|text| !is_whole && !text.contains(char::is_control)) {
            Some(text) => out.push_str(text),
            None => out.push_str(&one_line_text(value)),
        }
    }
    Some(out)
}

fn is_public(field: &FieldPattern, object: &Value) -> bool {
    let text = |key: &str| object.get(key).and_then(Value::as_str);
    let is_secret = text("kind") == Some("Secret") && text("apiVersion") == Some("v1");
    !is_secret || ["metadata.name", "metadata.namespace"].contains(&field.to_string().as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(template: &str, object: &Value, expected: &str) {
        assert_eq!(Template::parse(template).unwrap().below("h", object), format!("h\n{expected}"));
    }

    #[test]
    fn fields_of_the_object_are_filled_in() {
        let object =
            json!({"metadata": {"name": "a"}, "spec": {"url": "x/y", "on": "yes", "tags": ["b", 1], "line": "c\nd"}});
        check("name: {metadata.name}\nurl: oci://{spec.url}/{metadata.name}\n", &object, "name: a\nurl: oci://x/y/a");
        check("on: {spec.on}\ntags: {spec.tags}", &object, "on: \"yes\"\ntags: [b, 1]");
        check("a: 1\nnamespace: {metadata.namespace}\nb: 2", &object, "a: 1\nb: 2");
        check("labels: { a: b }\nempty: {}", &object, "labels: { a: b }\nempty: {}");
        check("line: {spec.line}!", &object, "line: \"c\\nd\"!");
    }

    #[test]
    fn nothing_that_a_secret_holds_is_shown() {
        let object = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a", "labels": {"l": "x"}}, "data": {"p": "cw=="}});
        check("name: {metadata.name}\np: {data.p}\nl: {metadata.labels.l}", &object, "name: a");
    }

    #[test]
    fn an_empty_template_is_an_error() {
        assert!(Template::parse(" \n").is_err());
    }
}
