//! What must a replacement or a variable hold, so that it reads and writes the same fields of the converted objects?
//!
//! A replacement of Kustomize reads a field of one object and writes it to fields of others; a variable reads one. The paths are
//! traced through the conversion of the object that has the value already, and a replacement is accepted only if it leads from the
//! conversion of the object without the value to that of the object with it.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::difference::first_difference;
use super::json_patch::{Converted, Proposal};
use super::path_expression::{PathExpression, Syntax};
use crate::knowledge::lens::Reach;
use crate::syntax::field::FieldPath;
use crate::syntax::yaml::Intent;

/// A path in a replacement or variable: its place there, and its text.
type Written<'v> = (FieldPath, &'v str);

/// Returns the value that a replacement or variable reads from `object`, which it selects as the source.
pub(super) fn read(carrier: &Value, object: &Value) -> Option<Value> {
    let (_, text) = read_path(carrier);
    let place = PathExpression::parse(Syntax::Dotted, text)?.places(object).into_iter().next()?;
    place.get(object).cloned()
}

/// Returns the path that a replacement or variable reads.
///
/// Source: Kustomize, the default of `fieldPath` and `fieldpath`.
fn read_path(carrier: &Value) -> Written<'_> {
    let source = FieldPath::default().key("source").key("fieldPath");
    let variable = FieldPath::default().key("fieldref").key("fieldpath");
    let written = |path: FieldPath| {
        let text = path.get(carrier)?.as_str()?;
        Some((path, text))
    };
    written(source.clone()).or_else(|| written(variable)).unwrap_or((source, "metadata.name"))
}

/// Returns the paths that a target of a replacement writes to.
fn written_paths(carrier: &Value, target: usize) -> Vec<Written<'_>> {
    let list = target_place(target).key("fieldPaths");
    let paths = list.get(carrier).and_then(Value::as_array).into_iter().flatten().enumerate();
    paths.filter_map(|(at, path)| Some((list.index(at), path.as_str()?))).collect()
}

/// Returns a value that a target of a replacement may write, like the one that is there.
pub(super) fn present(carrier: &Value, target: usize, object: &Value) -> Option<Value> {
    let (_, text) = written_paths(carrier, target).into_iter().next()?;
    let place = PathExpression::parse(Syntax::Dotted, text)?.places(object).into_iter().next()?;
    // Another value of the same kind: what follows from the value itself must not count.
    match place.get(object)? {
        Value::String(text) => Some(Value::from(format!("{text}x"))),
        value => Some(value.clone()),
    }
}

/// Returns whether a target of a replacement writes to metadata only.
pub(super) fn is_about_metadata(carrier: &Value, target: usize) -> bool {
    written_paths(carrier, target).iter().all(|(_, text)| text.starts_with("metadata."))
}

fn target_place(target: usize) -> FieldPath {
    FieldPath::default().key("targets").index(target)
}

/// Writes `value` to a target of a replacement; `None` where `object` lacks a field that it names.
pub(super) fn write(carrier: &Value, target: usize, value: &Value, object: &Value) -> Option<Value> {
    let options = target_place(target).key("options").get(carrier).cloned().unwrap_or_default();
    let value =
        part(value, &carrier.get("source").and_then(|source| source.get("options")).cloned().unwrap_or_default());
    let mut made = object.clone();
    for (_, text) in written_paths(carrier, target) {
        let places = PathExpression::parse(Syntax::Dotted, text)?.places(&made);
        let creates = options.get("create").and_then(Value::as_bool) == Some(true);
        if places.is_empty() || !creates && places.iter().any(|place| place.get(&made).is_none()) {
            return None;
        }
        for place in places {
            let old = place.get(&made).cloned();
            let new = combined(old.as_ref(), &value, &options);
            match place.get_mut(&mut made) {
                Some(field) => *field = new,
                None => {
                    let (parent, step) = place.split_last()?;
                    let key = FieldPath::new([step.clone()]).last_key()?.to_owned();
                    parent.get_mut(&mut made)?.as_object_mut()?.insert(key, new);
                }
            }
        }
    }
    Some(made)
}

/// Returns the part of a text that `options` choose.
fn part(value: &Value, options: &Value) -> Value {
    let Some((delimiter, index)) = delimited(options) else { return value.clone() };
    let text = plain(value);
    let parts: Vec<&str> = text.split(delimiter).collect();
    usize::try_from(index)
        .ok()
        .and_then(|index| parts.get(index))
        .map_or_else(|| value.clone(), |part| Value::from(*part))
}

/// Returns what a field holds once `value` is written to it.
fn combined(old: Option<&Value>, value: &Value, options: &Value) -> Value {
    if let (Some((delimiter, index)), Some(old)) = (delimited(options), old) {
        let (old, text) = (plain(old), plain(value));
        let mut parts: Vec<&str> = old.split(delimiter).collect();
        match usize::try_from(index) {
            Err(_) => parts.insert(0, &text),
            Ok(index) if index >= parts.len() => parts.push(&text),
            Ok(index) => parts[index] = &text,
        }
        return Value::from(parts.join(delimiter));
    }
    // The type of a scalar is that of the field.
    match old {
        Some(Value::String(_)) if !value.is_object() && !value.is_array() => Value::from(plain(value)),
        Some(Value::Number(_)) => plain(value).parse::<i64>().map_or_else(|_| value.clone(), Value::from),
        _ => value.clone(),
    }
}

fn delimited(options: &Value) -> Option<(&str, i64)> {
    let delimiter = options.get("delimiter")?.as_str().filter(|delimiter| !delimiter.is_empty())?;
    Some((delimiter, options.get("index").and_then(Value::as_i64).unwrap_or_default()))
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns what becomes of the path that is read from `object`.
///
/// # Errors
/// Why it cannot follow.
pub(super) fn follow_source(
    carrier: &Value,
    object: &Arc<Value>,
    convert: &dyn Fn(&Arc<Value>) -> Option<Converted>,
) -> Result<Proposal, String> {
    let (place, text) = read_path(carrier);
    let Some(converted) = convert(object) else { return Ok(Proposal::new()) };
    let (new, places) = rewritten(text, object, &converted.program)?;
    let Some(value) = read(carrier, object) else { return Ok(Proposal::new()) };
    let is_same = places.first().and_then(|place| place.get(&converted.value)) == Some(&value);
    match is_same {
        true => Ok(vec![(place.clone(), changed(place, text, &new))]),
        false => Err(format!("{text} becomes {new}, which does not hold the same value")),
    }
}

/// Returns the values of the fields that a transformer works on.
pub(super) fn field_values(carrier: &Value, object: &Value) -> Vec<Value> {
    let path =
        carrier.get("path").and_then(Value::as_str).and_then(|text| PathExpression::parse(Syntax::Slashes, text));
    let places = path.map(|path| path.places(object)).unwrap_or_default();
    places.iter().filter_map(|place| place.get(object).cloned()).collect()
}

/// Returns what becomes of the path of a field that a transformer works on.
///
/// # Errors
/// Why it cannot follow.
pub(super) fn follow_field(
    carrier: &Value,
    object: &Arc<Value>,
    convert: &dyn Fn(&Arc<Value>) -> Option<Converted>,
) -> Result<Proposal, String> {
    let Some(text) = carrier.get("path").and_then(Value::as_str) else { return Ok(Proposal::new()) };
    let Some(converted) = convert(object).filter(|converted| !converted.program.is_empty()) else {
        return Ok(Proposal::new());
    };
    let values = field_values(carrier, object);
    if values.is_empty() {
        let creates = carrier.get("create").and_then(Value::as_bool) == Some(true);
        let is_kept = converted.program.iter().all(is_identity);
        return match creates && !is_kept {
            true => Err(format!("it creates the field {text}, and what becomes of that is not known")),
            false => Ok(Proposal::new()),
        };
    }
    let place = FieldPath::default().key("path");
    let path = PathExpression::parse(Syntax::Slashes, text).ok_or_else(|| format!("{text} is not a field path"))?;
    let mut texts = BTreeSet::new();
    for old in path.places(object).into_iter().filter(|place| place.get(object).is_some()) {
        let (new, _) = path
            .after(&old, &converted.program, Reach::Inner)
            .ok_or_else(|| format!("it names {text}, which the conversion removes"))?;
        texts.insert(new.to_string());
    }
    let new =
        texts.pop_first().filter(|_| texts.is_empty()).ok_or_else(|| format!("{text} would become several paths"))?;
    Ok(vec![(place.clone(), changed(place, text, &new))])
}

/// Returns whether an intent changes only the apiVersion, the kind or metadata.
fn is_identity(intent: &Intent) -> bool {
    match intent {
        Intent::Replace { path, .. } => {
            ["apiVersion", "kind", "metadata"].iter().any(|key| path.starts_with(&FieldPath::default().key(key)))
        }
        _ => false,
    }
}

/// Returns what becomes of the paths that a target of a replacement writes `value` to.
///
/// # Errors
/// Why they cannot follow.
pub(super) fn follow_target(
    carrier: &Value,
    target: usize,
    value: &Value,
    object: &Arc<Value>,
    convert: &dyn Fn(&Arc<Value>) -> Option<Converted>,
) -> Result<Proposal, String> {
    let Some(after) = write(carrier, target, value, object).map(Arc::new) else { return Ok(Proposal::new()) };
    let (before, converted) = (convert(object), convert(&after));
    let Some(program) = converted.as_ref().or(before.as_ref()).map(|converted| &converted.program) else {
        return Ok(Proposal::new());
    };
    let (mut proposal, mut new_carrier) = (Proposal::new(), carrier.clone());
    let mut moves = Vec::new();
    for (place, text) in written_paths(carrier, target) {
        let (new, _) = rewritten(text, &after, program)?;
        if let Some(written) = place.get_mut(&mut new_carrier) {
            *written = Value::from(new.as_str());
        }
        if new != text {
            moves.push(format!("{text} -> {new}"));
        }
        proposal.push((place.clone(), changed(place, text, &new)));
    }
    let (Some(before), Some(converted)) = (before, converted) else { return Ok(proposal) };
    let made = write(&new_carrier, target, value, &before.value);
    if made.is_some_and(|made| first_difference(&converted.value, &made).is_none()) {
        return Ok(proposal);
    }
    let moves = if moves.is_empty() { String::new() } else { format!(" ({})", moves.join(", ")) };
    Err(format!("its target does not write the same to the converted object{moves}"))
}

/// Returns how a dotted path is written after `program`, and the places that it names then.
fn rewritten(text: &str, object: &Value, program: &[Intent]) -> Result<(String, Vec<FieldPath>), String> {
    let path = PathExpression::parse(Syntax::Dotted, text).ok_or_else(|| format!("{text} is not a field path"))?;
    let mut texts = BTreeSet::new();
    let mut places = Vec::new();
    for place in path.places(object) {
        let (new, place) = path
            .after(&place, program, Reach::Inner)
            .ok_or_else(|| format!("it names {text}, which the conversion removes"))?;
        texts.insert(new.to_string());
        places.push(place);
    }
    let is_indexed = text.split('.').any(|part| !part.starts_with('[') && part.ends_with(']'));
    match texts.len() {
        0 if is_indexed => Err(format!("the form of {text} is not known")),
        0 => Ok((text.to_owned(), places)),
        1 => Ok((texts.pop_first().unwrap_or_default(), places)),
        _ => Err(format!("{text} would become {}", texts.into_iter().collect::<Vec<_>>().join(" and "))),
    }
}

/// Returns the change of the text at `place`, where there is one.
fn changed(place: FieldPath, old: &str, new: &str) -> Vec<Intent> {
    if old == new { Vec::new() } else { vec![Intent::Replace { path: place, value: Value::from(new) }] }
}
