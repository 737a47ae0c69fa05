//! Answers: which text does `toYaml` print, and which data does `fromYaml` read?
//!
//! Invariant: what is read of what is printed is what was printed.

use serde_json::{Map, Value};

use crate::syntax::yaml;

/// Returns the data of a text with one document; null where there is nothing in it.
pub(super) fn read_yaml(text: &str) -> Option<Value> {
    let tree = yaml::parse(text).ok()?;
    match tree.documents() {
        [] => Some(Value::Null),
        [document] => yaml::read_value(&tree, text, document.root).ok(),
        _ => None,
    }
}

/// Returns the data of a text of which the first line can lack the blanks that the others have, since it goes on in a line: `- {{ .. | trim }}`.
pub(super) fn read_placed(text: &str) -> Option<Value> {
    let padded = || {
        let others = text.lines().skip(1).filter(|line| !line.trim().is_empty());
        let column = others.map(|line| line.len() - line.trim_start_matches(' ').len()).min()?;
        read_yaml(&format!("{}{text}", " ".repeat(column)))
    };
    read_yaml(text).or_else(padded)
}

/// Returns the text of data as Helm prints it, without the end of its last line.
pub(super) fn write_yaml(value: &Value) -> String {
    let mut text = String::new();
    write(value, 0, &mut text);
    text.truncate(text.trim_end_matches('\n').len());
    text
}

/// Adds data whose lines begin at a column, of which the first is where the text ends.
fn write(value: &Value, column: usize, into: &mut String) {
    let indentation = " ".repeat(column);
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (at, (key, one)) in sorted(map).into_iter().enumerate() {
                into.push_str(if at == 0 { "" } else { &indentation });
                into.push_str(&yaml::one_line_text(&Value::from(key.as_str())));
                into.push(':');
                match one {
                    Value::Object(inner) if !inner.is_empty() => into.push_str(&format!("\n{indentation}  ")),
                    Value::Array(items) if !items.is_empty() => into.push_str(&format!("\n{indentation}")),
                    _ => into.push(' '),
                }
                write(one, if one.is_object() { column + 2 } else { column }, into);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (at, one) in items.iter().enumerate() {
                into.push_str(if at == 0 { "" } else { &indentation });
                into.push_str("- ");
                write(one, column + 2, into);
            }
        }
        Value::String(text) if is_block(text) => {
            let inside = " ".repeat(column + 2);
            let end = if text.ends_with('\n') { "" } else { "-" };
            into.push_str(&format!("|{end}\n"));
            text.lines().for_each(|line| into.push_str(&format!("{inside}{line}\n")));
        }
        scalar => into.push_str(&format!("{}\n", yaml::one_line_text(scalar))),
    }
}

/// Returns whether a text is written on lines of its own.
fn is_block(text: &str) -> bool {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.contains('\n')
        && !text.starts_with([' ', '\n'])
        && !text.ends_with([' ', '\n'])
        && !text.contains(['\t', '\r'])
}

/// Returns the entries of a mapping in the order in which Helm goes through them.
pub(super) fn sorted(map: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut entries: Vec<_> = map.iter().collect();
    entries.sort_by_key(|(key, _)| *key);
    entries
}
