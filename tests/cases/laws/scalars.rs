//! Answers: how can this string, number, boolean or null be written in YAML?
//!
//! Plain if YAML 1.1 reads the same back, else quoted. Independent of the engine's own resolution of scalars, and
//! stricter: doubtful strings are quoted.
//!
//! Invariant: a scalar written here has no line break and reads back as the same value.

use serde_json::Value;

use crate::support::random::Random;

/// How strings are quoted if there is a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quotes {
    /// None, if not needed.
    Fewest,
    /// `'text'`
    Single,
    /// `"text"`
    Double,
    /// Any of them, chosen for each string.
    Mixed,
}

/// The position of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Context {
    /// On a line of its own: `key: text`.
    Block,
    /// Between commas: `{key: text}`.
    Flow,
}

/// Writes a value that is no mapping and no list.
pub(crate) fn scalar(value: &Value, quotes: Quotes, context: Context, random: &mut Random) -> String {
    match value {
        Value::String(string) => text(string, quotes, context, random),
        Value::Bool(true) if random.chance(5) => (*random.pick(&["yes", "on", "True"])).to_owned(),
        Value::Bool(false) if random.chance(5) => (*random.pick(&["no", "off", "False"])).to_owned(),
        Value::Null if random.chance(30) => "~".to_owned(),
        other => other.to_string(),
    }
}

/// Writes a string; also a key.
pub(crate) fn text(string: &str, quotes: Quotes, context: Context, random: &mut Random) -> String {
    let quotes = match quotes {
        Quotes::Mixed => *random.pick(&[Quotes::Fewest, Quotes::Fewest, Quotes::Single, Quotes::Double]),
        one => one,
    };
    match quotes {
        Quotes::Fewest | Quotes::Mixed if is_plain(string, context) => string.to_owned(),
        Quotes::Double => double(string),
        _ if string.chars().all(is_printable) => format!("'{}'", string.replace('\'', "''")),
        _ => double(string),
    }
}

/// Writes `"text"` with the escapes of JSON, which YAML has too.
fn double(string: &str) -> String {
    let mut out = String::new();
    for character in Value::from(string).to_string().chars() {
        match character {
            plain if is_printable(plain) => out.push(plain),
            other => out.push_str(&format!("\\u{:04x}", u32::from(other))),
        }
    }
    out
}

/// Returns whether a character can be written unescaped in a scalar of one line.
pub(crate) fn is_printable(character: char) -> bool {
    matches!(character, ' '..='~' | '\u{a0}'..='\u{2027}' | '\u{202a}'..='\u{d7ff}' | '\u{1f000}'..='\u{1ffff}')
}

/// Returns whether YAML 1.1 reads `string` without quotes as itself; conservative.
fn is_plain(string: &str, context: Context) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '/' | '-' | ' ') || c.is_alphabetic();
    let block = |c: char| matches!(c, ':' | ',' | '=' | '?' | '&' | '%' | '*' | '(' | ')' | '~' | ';' | '"' | '\'');
    let inside = |c: char| word(c) || context == Context::Block && block(c);
    let Some(first) = string.chars().next() else { return false };
    // Digits followed by a letter that no number has: `10s`, but not `1e3`.
    let count =
        first.is_ascii_digit() && string.chars().any(|c| matches!(c, 'g'..='n' | 'p'..='w')) && !string.contains(':');
    (first.is_alphabetic() || first == '/' || count)
        && string.chars().all(inside)
        && !string.ends_with([' ', ':'])
        && !string.contains(": ")
        && !means_something(string)
}

fn means_something(string: &str) -> bool {
    let words = ["y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"];
    words.contains(&string.to_ascii_lowercase().as_str())
}
