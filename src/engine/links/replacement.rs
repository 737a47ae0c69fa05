//! What must a replacement or a variable hold, so that it reads and writes the same fields of the converted objects?
//!
//! A replacement of Kustomize reads a field of one object and writes it to fields of others; a variable reads one. The paths are
//! traced through the conversion of the object that has the value already, and a replacement is accepted only if it leads from the
//! conversion of the object without the value to that of the object with it.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::difference::first_difference;
use super::instruction::{Instruction, NamingText, Proposal, target_place, text_change};
use super::json_patch::Convert;
use super::path_expression::PathExpression;
use crate::knowledge::lens::Reach;
use crate::syntax::field::{Entries, FieldPath};
use crate::syntax::yaml::Intent;

/// Returns the value that a replacement or variable reads from `object`, which it selects as the source.
pub(super) fn read(instruction: &Instruction<'_>, object: &Value) -> Option<Value> {
    let read = read_text(instruction);
    let place = PathExpression::parse(instruction.syntax(), read.text)?.places(object).into_iter().next()?;
    place.get(object).cloned()
}

/// Returns the path that a replacement or variable reads.
///
/// Source: Kustomize, the default of `fieldPath` and `fieldpath`.
fn read_text<'i>(instruction: &Instruction<'i>) -> NamingText<'i> {
    let place = FieldPath::default().key("source").key("fieldPath");
    instruction.texts().pop().unwrap_or(NamingText { place, text: "metadata.name" })
}

/// The text that stands for a value that is not known: what requires something of it is not checked.
const OPEN: &str = "${VALUE}";

/// Returns what a target of a replacement writes to `object` where its value is not known: a text that can become any, or what is there
/// where that is none.
pub(super) fn open_value(instruction: &Instruction<'_>, object: &Value) -> Value {
    let place = || {
        let text = instruction.texts().into_iter().next()?.text;
        PathExpression::parse(instruction.syntax(), text)?.places(object).into_iter().next()
    };
    let present = place().and_then(|place| place.get(object));
    present.filter(|value| !value.is_string()).cloned().unwrap_or_else(|| Value::from(OPEN))
}

/// Returns whether a target of a replacement writes to metadata only.
pub(super) fn is_about_metadata(instruction: &Instruction<'_>) -> bool {
    instruction.texts().iter().all(|naming| naming.text.starts_with("metadata."))
}

/// Carries out a target of a replacement; `None` where `object` lacks a field that it names.
pub(super) fn write(instruction: &Instruction<'_>, target: usize, object: &Value) -> Option<Value> {
    let options = target_place(target).key("options").get(instruction.data).cloned().unwrap_or_default();
    let source = FieldPath::default().key("source").key("options").get(instruction.data);
    let value = part(instruction.source?, source.unwrap_or(&Value::Null));
    let creates = options.get("create") == Some(&Value::Bool(true));
    let mut written = object.clone();
    for NamingText { text, .. } in instruction.texts() {
        let places = PathExpression::parse(instruction.syntax(), text)?.places(&written);
        if places.is_empty() || !creates && places.iter().any(|place| place.get(&written).is_none()) {
            return None;
        }
        for place in places {
            let new = combined(place.get(&written), &value, &options);
            match place.get_mut(&mut written) {
                Some(field) => *field = new,
                None => {
                    let (parent, _) = place.split_last()?;
                    let key = place.last_key()?.to_owned();
                    parent.get_mut(&mut written)?.as_object_mut()?.insert(key, new);
                }
            }
        }
    }
    Some(written)
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
    let delimiter = options.text("delimiter").filter(|delimiter| !delimiter.is_empty())?;
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
    instruction: &Instruction<'_>,
    object: &Arc<Value>,
    convert: &Convert<'_>,
) -> Result<Proposal, String> {
    let NamingText { place, text } = read_text(instruction);
    let Some(converted) = convert(object) else { return Ok(Proposal::new()) };
    let (new, places) = rewritten(instruction, text, object, &converted.program)?;
    let Some(value) = read(instruction, object) else { return Ok(Proposal::new()) };
    match places.first().and_then(|place| place.get(&converted.value)) == Some(&value) {
        true => Ok(vec![(place.clone(), text_change(place, text, &new))]),
        false => Err(format!("{text} becomes {new}, which does not hold the same value")),
    }
}

/// Returns the places of the fields that a transformer works on.
pub(super) fn fields(instruction: &Instruction<'_>, object: &Value) -> Vec<FieldPath> {
    let texts = instruction.texts();
    let path = texts.first().and_then(|naming| PathExpression::parse(instruction.syntax(), naming.text));
    let mut places = path.map(|path| path.places(object)).unwrap_or_default();
    places.retain(|place| place.get(object).is_some());
    places
}

/// Returns what becomes of the path of a field that a transformer works on.
///
/// # Errors
/// Why it cannot follow.
pub(super) fn follow_field(
    instruction: &Instruction<'_>,
    object: &Arc<Value>,
    convert: &Convert<'_>,
) -> Result<Proposal, String> {
    let Some(NamingText { place, text }) = instruction.texts().pop() else { return Ok(Proposal::new()) };
    let Some(converted) = convert(object).filter(|converted| !converted.program.is_empty()) else {
        return Ok(Proposal::new());
    };
    let fields = fields(instruction, object);
    if fields.is_empty() {
        let creates = instruction.data.get("create") == Some(&Value::Bool(true));
        return match creates && !converted.program.iter().all(is_identity) {
            true => Err(format!("it creates the field {text}, and what becomes of that is not known")),
            false => Ok(Proposal::new()),
        };
    }
    let path = parsed(instruction, text)?;
    let (mut texts, _) = traced(&path, text, &fields, &converted.program)?;
    let new =
        texts.pop_first().filter(|_| texts.is_empty()).ok_or_else(|| format!("{text} would become several paths"))?;
    Ok(vec![(place.clone(), text_change(place, text, &new))])
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

/// Returns what becomes of the paths that a target of a replacement writes its value to.
///
/// # Errors
/// Why they cannot follow.
pub(super) fn follow_target(
    instruction: &Instruction<'_>,
    target: usize,
    object: &Arc<Value>,
    convert: &Convert<'_>,
) -> Result<Proposal, String> {
    let Some(after) = write(instruction, target, object).map(Arc::new) else { return Ok(Proposal::new()) };
    let (before, converted) = (convert(object), convert(&after));
    let Some(program) = converted.as_ref().or(before.as_ref()).map(|converted| &converted.program) else {
        return Ok(Proposal::new());
    };
    let (mut proposal, mut new_data, mut moves) = (Proposal::new(), instruction.data.clone(), Vec::new());
    for NamingText { place, text } in instruction.texts() {
        let (new, _) = rewritten(instruction, text, &after, program)?;
        if let Some(written) = place.get_mut(&mut new_data) {
            *written = Value::from(new.as_str());
        }
        if new != text {
            moves.push(format!("{text} -> {new}"));
        }
        proposal.push((place.clone(), text_change(place, text, &new)));
    }
    let (Some(before), Some(converted)) = (before, converted) else { return Ok(proposal) };
    let written = write(&Instruction { data: &new_data, ..*instruction }, target, &before.value);
    if written.is_some_and(|written| first_difference(&converted.value, &written).is_none()) {
        return Ok(proposal);
    }
    let moves = if moves.is_empty() { String::new() } else { format!(" ({})", moves.join(", ")) };
    Err(format!("its target does not write the same to the converted object{moves}"))
}

fn parsed(instruction: &Instruction<'_>, text: &str) -> Result<PathExpression, String> {
    PathExpression::parse(instruction.syntax(), text).ok_or_else(|| format!("{text} is not a field path"))
}

/// Returns how a path is written after `program`, and the places that it names then.
fn rewritten(
    instruction: &Instruction<'_>,
    text: &str,
    object: &Value,
    program: &[Intent],
) -> Result<(String, Vec<FieldPath>), String> {
    let path = parsed(instruction, text)?;
    let (mut texts, places) = traced(&path, text, &path.places(object), program)?;
    let is_indexed = text.split('.').any(|part| !part.starts_with('[') && part.ends_with(']'));
    match texts.len() {
        0 if is_indexed => Err(format!("the form of {text} is not known")),
        0 => Ok((text.to_owned(), places)),
        1 => Ok((texts.pop_first().unwrap_or_default(), places)),
        _ => Err(format!("{text} would become {}", Vec::from_iter(texts).join(" and "))),
    }
}

/// Returns how a path is written for each of the `places` that it names, after `program`, and where they are then.
fn traced(
    path: &PathExpression,
    text: &str,
    places: &[FieldPath],
    program: &[Intent],
) -> Result<(BTreeSet<String>, Vec<FieldPath>), String> {
    let is_gone = || format!("it names {text}, which the conversion removes");
    let after = |place: &FieldPath| path.after(place, program, Reach::Inner).ok_or_else(is_gone);
    let traced: Vec<(PathExpression, FieldPath)> = places.iter().map(after).collect::<Result<_, _>>()?;
    Ok(traced.into_iter().map(|(path, place)| (path.to_string(), place)).unzip())
}
