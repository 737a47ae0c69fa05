//! Answers: what are the files of a repository, and how are they written?
//!
//! Generated files are kept as data, so that a tree can be shrunk; handwritten ones as text.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

/// A repository, and the conversion that is tried on it.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(crate) files: BTreeMap<String, File>,
    /// The folders that are built.
    pub(crate) roots: Vec<String>,
    pub(crate) from: Option<String>,
    /// The targets, separated by spaces.
    pub(crate) to: String,
}

/// The content of a file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum File {
    Documents(Vec<Value>, Style),
    Text(String),
}

/// How data is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Lines.
    Block,
    /// What is at the top in lines, everything below in brackets.
    Flow,
    Json,
    JsonLine,
}

impl Style {
    const ALL: [Self; 4] = [Self::Block, Self::Flow, Self::Json, Self::JsonLine];

    /// Returns the text of `value`, without the texts in it that are still data.
    fn text(self, value: &Value) -> String {
        match (self, value) {
            (Self::Block, _) => serde_yaml::to_string(value).expect("any data can be written"),
            (Self::Json, _) => serde_json::to_string_pretty(value).expect("any data can be written") + "\n",
            (Self::JsonLine, _) => value.to_string(),
            (Self::Flow, Value::Object(map)) => {
                map.iter().map(|(key, value)| format!("{}: {}\n", word(key), flow(value))).collect()
            }
            (Self::Flow, Value::Array(items)) => items.iter().map(|item| format!("- {}\n", flow(item))).collect(),
            (Self::Flow, _) => flow(value) + "\n",
        }
    }
}

/// Returns a placeholder for a text that holds `value`, which shrinking can still change.
pub(crate) fn embedded(value: &Value, style: Style) -> Value {
    let number = Style::ALL.iter().position(|other| *other == style);
    json!({"$text": value, "$style": number})
}

/// Replaces the placeholders in `value` by their texts.
fn rendered(value: &Value) -> Value {
    match value {
        Value::Object(map) => match (map.get("$text"), map.get("$style").and_then(Value::as_u64)) {
            (Some(text), Some(number)) => {
                let number = usize::try_from(number).expect("it is one of them");
                json!(Style::ALL[number].text(&rendered(text)))
            }
            _ => map.iter().map(|(key, value)| (key.clone(), rendered(value))).collect::<Map<_, _>>().into(),
        },
        Value::Array(items) => items.iter().map(rendered).collect(),
        _ => value.clone(),
    }
}

fn word(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._~-".contains(&byte);
    let starts_plain = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '/');
    let resembles_type = serde_yaml::from_str::<Value>(text).map_or(true, |value| !value.is_string());
    let is_switch = ["y", "n", "yes", "no", "on", "off"].contains(&text);
    if starts_plain && text.bytes().all(is_plain) && !resembles_type && !is_switch {
        text.to_owned()
    } else {
        json!(text).to_string()
    }
}

fn flow(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let entries: Vec<_> = map.iter().map(|(key, value)| format!("{}: {}", word(key), flow(value))).collect();
            format!("{{{}}}", entries.join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Value::String(text) => word(text),
        _ => value.to_string(),
    }
}

impl File {
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Documents(documents, style) => {
                let documents = documents.iter().filter(|document| !document.is_null());
                let texts: Vec<_> = documents.map(|document| style.text(&rendered(document))).collect();
                texts.join("---\n")
            }
        }
    }
}

impl Tree {
    pub(crate) fn write(&self, folder: &Path) {
        for (path, file) in &self.files {
            let place = folder.join(path);
            fs::create_dir_all(place.parent().expect("a file is in a folder")).expect("the folder can be written");
            fs::write(place, file.text()).expect("the file can be written");
        }
    }

    /// Returns all files as one text.
    pub(crate) fn listing(&self) -> String {
        let mut text = String::new();
        let from = self.from.as_deref().unwrap_or("what the fields show");
        writeln!(text, "from {from} to {}, roots {}", self.to, self.roots.join(" ")).expect("a string takes text");
        for (path, file) in &self.files {
            writeln!(text, "### {path}\n{}", file.text().trim_end()).expect("a string takes text");
        }
        text
    }
}
