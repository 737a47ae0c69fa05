//! Answers: what does a function of Helm make of values that are known?
//!
//! Mappings, lists and texts of which a part is not known have a placeholder there; what looks into one is not known.
//!
//! Invariant: what a function makes is what Helm makes, or it is not known.

use serde_json::{Map, Value};

use super::written_yaml::{read_yaml, sorted, write_yaml};
use crate::syntax::variable::{ACTION, is_of_action};

/// The functions that put values behind the first one into that without looking at them.
const BUILDING: [&str; 3] = ["append", "prepend", "set"];

/// The largest value that is made, in values and bytes of texts: what is put into itself again and again would grow without end.
pub(super) const LARGEST: usize = 1 << 20;

/// What stands for a part that is not known.
pub(super) const UNKNOWN: &str = "${REVERSION_ACTION_OTHER}";

/// The longest list that is made of a number.
const MOST_NUMBERS: u64 = 64;

/// Returns what a function makes of its arguments, if that is known.
pub(super) fn apply(function: &str, arguments: &[Value]) -> Option<Value> {
    // `mustMerge` is `merge` with errors.
    let bare = function.strip_prefix("must").filter(|rest| rest.starts_with(|first: char| first.is_ascii_uppercase()));
    let bare = bare.map(|rest| rest[..1].to_lowercase() + &rest[1..]);
    let function = bare.as_deref().unwrap_or(function);
    let made = match function {
        "dict" => mapping(arguments),
        "list" | "tuple" => Some(arguments.to_vec().into()),
        _ => computed(function, arguments),
    };
    made.filter(|value| size(value, LARGEST).is_some())
}

/// Returns how much room there is left of `room` beside a value, counted in values and bytes of texts.
fn size(value: &Value, room: usize) -> Option<usize> {
    let room = room.checked_sub(1)?;
    match value {
        Value::String(text) => room.checked_sub(text.len()),
        Value::Array(items) => items.iter().try_fold(room, |room, item| size(item, room)),
        Value::Object(map) => map.iter().try_fold(room, |room, (key, one)| size(one, room.checked_sub(key.len())?)),
        Value::Null | Value::Bool(_) | Value::Number(_) => Some(room),
    }
}

fn computed(function: &str, arguments: &[Value]) -> Option<Value> {
    let looked_at = if BUILDING.contains(&function) { &arguments[..1.min(arguments.len())] } else { arguments };
    if looked_at.iter().any(is_of_action) {
        return None;
    }
    of_texts(function, arguments)
        .filter(|made| keeps_unknown(arguments, made))
        .or_else(|| of_mappings(function, arguments))
        .or_else(|| of_lists(function, arguments))
        .or_else(|| of_numbers(function, arguments))
        .or_else(|| as_text(function, arguments))
        .or_else(|| test(function, arguments).map(Value::from))
}

/// Returns whether a value counts as not set, if that is known.
pub(super) fn is_empty(value: &Value) -> Option<bool> {
    Some(match value {
        _ if is_of_action(value) => return None,
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_f64() == Some(0.0),
        // A text of nothing but parts that are not known can be empty.
        Value::String(text) if is_open(text) => {
            let known = |(at, piece): (usize, &str)| {
                let known = if at == 0 { piece } else { piece.split_once('}').map_or("", |(_, known)| known) };
                !known.is_empty()
            };
            return text.split(ACTION).enumerate().any(known).then_some(false);
        }
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
    })
}

/// Returns what is printed of a value.
pub(super) fn text_of(value: &Value) -> String {
    let all = |items: &mut dyn Iterator<Item = String>| items.collect::<Vec<_>>().join(" ");
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Array(items) => format!("[{}]", all(&mut items.iter().map(text_of))),
        Value::Object(map) => {
            format!("map[{}]", all(&mut sorted(map).into_iter().map(|(key, one)| format!("{key}:{}", text_of(one)))))
        }
    }
}

/// Returns whether a part of a text is not known.
fn is_open(text: &str) -> bool {
    text.contains(ACTION)
}

/// Returns whether what was made of the last of `arguments`, a text, has a placeholder for each part of it that is not known: what changes
/// letters changes placeholders too.
fn keeps_unknown(arguments: &[Value], made: &Value) -> bool {
    let count = |text: &str| text.matches(ACTION).count();
    let open = arguments.last().and_then(Value::as_str).map_or(0, count);
    open == 0 || count(&made.to_string()) >= open
}

fn of_texts(function: &str, arguments: &[Value]) -> Option<Value> {
    let (last, options) = arguments.split_last()?;
    let Value::String(text) = last else { return None };
    let option = |at: usize| options.get(at).and_then(Value::as_str);
    let width = || usize::try_from(options.first()?.as_i64()?).ok().filter(|width| *width < 100);
    let indented = |text: &str| Some(text.replace('\n', &format!("\n{}", " ".repeat(width()?))));
    Some(Value::from(match (function, options) {
        ("trim", []) => text.trim().to_owned(),
        ("lower", []) => text.to_lowercase(),
        ("upper", []) => text.to_uppercase(),
        ("title", []) if !is_open(text) => titled(text),
        ("nospace", []) => text.split_whitespace().collect(),
        ("indent", [_]) => indented(&format!("\n{text}"))?[1..].to_owned(),
        ("nindent", [_]) => indented(&format!("\n{text}"))?,
        ("trimSuffix", [_]) => text.strip_suffix(option(0)?).unwrap_or(text).to_owned(),
        ("trimPrefix", [_]) => text.strip_prefix(option(0)?).unwrap_or(text).to_owned(),
        ("trimAll", [_]) => text.trim_matches(|one| option(0).unwrap_or_default().contains(one)).to_owned(),
        ("replace", [_, _]) if (text.len() + 1).saturating_mul(option(1)?.len() + 1) < LARGEST => {
            text.replace(option(0)?, option(1)?)
        }
        ("trunc", [_]) if !is_open(text) => {
            let length = options[0].as_i64()?;
            let count = usize::try_from(length.abs()).ok()?.min(text.len());
            if length < 0 { text.get(text.len() - count..)?.to_owned() } else { text.get(..count)?.to_owned() }
        }
        ("fromYaml" | "fromJson", []) => {
            return read_yaml(text)
                .map(|data| if data.is_null() { Map::new().into() } else { data })
                .filter(Value::is_object);
        }
        ("fromYamlArray" | "fromJsonArray", []) => return read_yaml(text).filter(Value::is_array),
        ("splitList", [_]) if !is_open(text) => {
            return Some(text.split(option(0)?).map(Value::from).collect::<Vec<_>>().into());
        }
        ("atoi", []) => return text.parse::<i64>().ok().map(Value::from),
        _ => return None,
    }))
}

/// Returns a text whose words begin with capital letters.
fn titled(text: &str) -> String {
    let mut before = ' ';
    let letter = |one: char| {
        let starts = !before.is_alphanumeric() && before != '\'' && before != '_';
        before = one;
        if starts { one.to_uppercase().collect::<String>() } else { one.to_string() }
    };
    text.chars().map(letter).collect()
}

fn as_text(function: &str, arguments: &[Value]) -> Option<Value> {
    let scalars = || arguments.iter().all(|one| !one.is_array() && !one.is_object());
    let quoted = |quote: fn(&str) -> String| {
        let shown: Vec<_> = arguments.iter().filter(|one| !one.is_null()).map(|one| quote(&text_of(one))).collect();
        shown.join(" ")
    };
    Some(Value::from(match (function, arguments) {
        ("quote", _) if scalars() => {
            quoted(|text| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")))
        }
        ("squote", _) if scalars() => quoted(|text| format!("'{text}'")),
        ("toString", [one]) if scalars() => text_of(one),
        ("toYaml" | "toYamlPretty", [one]) => write_yaml(one),
        ("toJson" | "toPrettyJson" | "toRawJson", [one]) => one.to_string(),
        ("print", _) if arguments.len() == 1 || arguments.iter().any(Value::is_string) => {
            arguments.iter().map(text_of).collect()
        }
        ("printf", [Value::String(format), values @ ..]) => formatted(format, values)?,
        ("join", [Value::String(between), Value::Array(items)]) => {
            let items = items.iter().filter(|one| !one.is_null()).map(text_of);
            items.collect::<Vec<_>>().join(between)
        }
        ("cat", _) if scalars() => arguments.iter().map(text_of).collect::<Vec<_>>().join(" "),
        ("kindOf" | "typeOf", [one]) => kind_of(one)?.to_owned(),
        _ => return None,
    }))
}

fn formatted(format: &str, values: &[Value]) -> Option<String> {
    let (mut pieces, mut values) = (format.split('%'), values.iter());
    let mut text = pieces.next()?.to_owned();
    for piece in pieces {
        let value = values.next()?;
        let is_shown = match piece.chars().next()? {
            's' => value.is_string(),
            'd' => value.is_i64(),
            'v' => value.is_string() || value.is_i64() || value.is_boolean(),
            _ => false,
        };
        text.push_str(&is_shown.then(|| text_of(value))?);
        text.push_str(&piece[1..]);
    }
    values.next().is_none().then_some(text)
}

/// Returns the kind of a value by the words of Go; of a number it depends on where that comes from.
fn kind_of(value: &Value) -> Option<&'static str> {
    Some(match value {
        Value::String(_) => "string",
        Value::Bool(_) => "bool",
        Value::Array(_) => "slice",
        Value::Object(_) => "map",
        Value::Null => "invalid",
        Value::Number(_) => return None,
    })
}

/// Which of two values of a key is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// The one of the first mapping, if it is not empty.
    First,
    Last,
}

fn of_mappings(function: &str, arguments: &[Value]) -> Option<Value> {
    let (first, rest) = arguments.split_first()?;
    let map = first.as_object();
    let keys = || rest.iter().map(Value::as_str).collect::<Option<Vec<_>>>();
    let chosen = |is_chosen: &dyn Fn(&str) -> bool| {
        let entries = map?.iter().filter(|(key, _)| is_chosen(key));
        Some(entries.map(|(key, one)| (key.clone(), one.clone())).collect::<Map<_, _>>().into())
    };
    match (function, rest) {
        ("merge", _) => merged(map?, rest, Kept::First),
        ("mergeOverwrite", _) => merged(map?, rest, Kept::Last),
        ("set", [Value::String(key), one]) => {
            let mut map = map?.clone();
            map.insert(key.clone(), one.clone());
            Some(map.into())
        }
        ("unset" | "omit", _) => {
            let keys = keys()?;
            chosen(&|key| !keys.contains(&key))
        }
        ("pick", _) => {
            let keys = keys()?;
            chosen(&|key| keys.contains(&key))
        }
        ("get", [Value::String(key)]) => Some(map?.get(key).cloned().unwrap_or_else(|| Value::from(""))),
        ("keys", []) => Some(map?.keys().cloned().map(Value::from).collect()),
        ("values", []) => Some(map?.values().cloned().collect()),
        ("deepCopy", []) => Some(first.clone()),
        ("dig", _) => dug(arguments),
        ("pluck", maps) if !is_of_action(first) => {
            let key = first.as_str()?;
            let found: Option<Vec<_>> = maps.iter().map(|map| Some(map.as_object()?.get(key))).collect();
            Some(found?.into_iter().flatten().cloned().collect())
        }
        _ => None,
    }
}

fn mapping(pairs: &[Value]) -> Option<Value> {
    let entry = |pair: &[Value]| Some((pair[0].as_str()?.to_owned(), pair.get(1).cloned().unwrap_or_default()));
    pairs.chunks(2).map(entry).collect::<Option<Map<_, _>>>().map(Value::from)
}

/// Returns what several keys in a row lead to, else the default before the mapping.
fn dug(arguments: &[Value]) -> Option<Value> {
    let [keys @ .., default, map] = arguments else { return None };
    let mut inner = map;
    for key in keys {
        if is_of_action(inner) {
            return None;
        }
        match inner.get(key.as_str()?) {
            Some(found) => inner = found,
            None => return Some(default.clone()),
        }
    }
    Some(inner.clone())
}

fn merged(into: &Map<String, Value>, others: &[Value], kept: Kept) -> Option<Value> {
    let mut into = into.clone();
    others.iter().try_for_each(|other| merge(&mut into, other.as_object()?, kept))?;
    Some(into.into())
}

/// Adds the entries of another mapping.
fn merge(into: &mut Map<String, Value>, other: &Map<String, Value>, kept: Kept) -> Option<()> {
    for (key, new) in other {
        match (into.get_mut(key), new) {
            (Some(Value::Object(old)), Value::Object(new)) => merge(old, new, kept)?,
            // A part that is not known may be empty.
            (Some(old), _) if kept == Kept::First && is_of_action(old) => *old = Value::from(UNKNOWN),
            (Some(old), _) if kept == Kept::First && is_empty(old) == Some(false) => {}
            (Some(old), _) => old.clone_from(new),
            (None, _) => drop(into.insert(key.clone(), new.clone())),
        }
    }
    Some(())
}

fn of_lists(function: &str, arguments: &[Value]) -> Option<Value> {
    if function == "concat" {
        let lists: Option<Vec<_>> = arguments.iter().map(|list| list.as_array().cloned()).collect();
        return Some(lists?.concat().into());
    }
    let (first, rest) = arguments.split_first()?;
    if function == "until" {
        return first.as_u64().filter(|count| *count <= MOST_NUMBERS).map(|count| (0..count).collect());
    }
    let mut items = match first {
        Value::Null => Vec::new(),
        first => first.as_array()?.clone(),
    };
    // An item that is not known can be any other one, or empty.
    if matches!(function, "compact" | "uniq" | "without" | "sortAlpha") && !items.iter().all(is_whole) {
        return None;
    }
    match (function, rest) {
        ("append" | "push", [one]) => items.push(one.clone()),
        ("prepend", [one]) => items.insert(0, one.clone()),
        ("first", []) => return Some(items.first().cloned().unwrap_or_default()),
        ("last", []) => return Some(items.last().cloned().unwrap_or_default()),
        ("rest", []) => drop(items.drain(..1.min(items.len()))),
        ("initial", []) => drop(items.pop()),
        ("reverse", []) => items.reverse(),
        ("compact", []) => items.retain(|one| is_empty(one) != Some(true)),
        ("uniq", []) => {
            let mut seen = Vec::new();
            items.retain(|one| {
                !seen.contains(one) && {
                    seen.push(one.clone());
                    true
                }
            });
        }
        ("without", _) => items.retain(|one| !rest.contains(one)),
        ("sortAlpha", []) => items.sort_by_key(text_of),
        _ => return None,
    }
    Some(items.into())
}

fn of_numbers(function: &str, arguments: &[Value]) -> Option<Value> {
    let number = |one: &Value| match one {
        // Sprig also reads octal and hexadecimal numbers, and those with underscores.
        Value::String(text) if !is_open(text) => match text.parse::<i64>() {
            Ok(number) if number.to_string() == *text => Some(number),
            _ => (!text.contains(|one: char| one.is_ascii_digit())).then_some(0),
        },
        Value::Number(number) => number.as_i64(),
        Value::Bool(value) => Some(i64::from(*value)),
        Value::Null => Some(0),
        _ => None,
    };
    if let ("len", [one]) = (function, arguments) {
        let length = match one {
            Value::String(text) if !is_open(text) => text.len(),
            Value::Array(items) => items.len(),
            Value::Object(map) => map.len(),
            _ => return None,
        };
        return Some(Value::from(length));
    }
    let numbers = || arguments.iter().map(number).collect::<Option<Vec<i64>>>();
    Some(Value::from(match (function, arguments.len()) {
        ("int" | "int64", 1) => number(&arguments[0])?,
        ("add1", 1) => number(&arguments[0])?.checked_add(1)?,
        ("add", _) => numbers()?.into_iter().try_fold(0_i64, i64::checked_add)?,
        ("mul", _) => numbers()?.into_iter().try_fold(1_i64, i64::checked_mul)?,
        ("sub", 2) => numbers()?[0].checked_sub(numbers()?[1])?,
        ("div", 2) => numbers()?[0].checked_div(numbers()?[1])?,
        ("mod", 2) => numbers()?[0].checked_rem(numbers()?[1])?,
        ("max", _) => numbers()?.into_iter().max()?,
        ("min", _) => numbers()?.into_iter().min()?,
        _ => return None,
    }))
}

/// Returns whether no part of a value, if it is a text, is not known.
fn is_whole(value: &Value) -> bool {
    value.as_str().is_none_or(|text| !is_open(text))
}

/// Returns whether a test holds; of a text it must be known whole.
fn test(function: &str, arguments: &[Value]) -> Option<bool> {
    if !arguments.iter().all(is_whole) {
        return None;
    }
    let order = |one: &Value, other: &Value| one.as_f64()?.partial_cmp(&other.as_f64()?);
    Some(match (function, arguments) {
        ("not" | "empty", [one]) => is_empty(one)?,
        ("eq", [one, others @ ..]) => others.contains(one),
        ("ne", [one, other]) => one != other,
        ("lt", [one, other]) => order(one, other)?.is_lt(),
        ("le", [one, other]) => order(one, other)?.is_le(),
        ("gt", [one, other]) => order(one, other)?.is_gt(),
        ("ge", [one, other]) => order(one, other)?.is_ge(),
        ("hasKey", [Value::Object(map), Value::String(key)]) => map.contains_key(key),
        ("has", [one, Value::Array(items)]) => {
            let is_there = items.contains(one);
            return (is_there || items.iter().all(is_whole)).then_some(is_there);
        }
        ("contains", [Value::String(part), Value::String(text)]) => text.contains(part),
        ("hasPrefix", [Value::String(part), Value::String(text)]) => text.starts_with(part),
        ("hasSuffix", [Value::String(part), Value::String(text)]) => text.ends_with(part),
        ("kindIs" | "typeIs", [Value::String(kind), one]) => is_kind(kind, one)?,
        _ => return None,
    })
}

fn is_kind(kind: &str, value: &Value) -> Option<bool> {
    match kind_of(value) {
        Some(own) => Some(
            own == kind
                || kind == "map[string]interface {}" && own == "map"
                || kind == "[]interface {}" && own == "slice",
        ),
        None => matches!(kind, "string" | "bool" | "slice" | "map" | "invalid").then_some(false),
    }
}
