//! What must a JSON patch hold, so that it does to the converted object what it does to the object now?
//!
//! The operations are carried out one by one on the object, and the object is converted after each: where that moved the field that an
//! operation names, its path follows; where that changed the value that it writes, its value follows. An operation is accepted only
//! if it leads from the conversion before it to the conversion after it. One on an annotation or a label follows its key.
//!
//! Source: RFC 6902, and Kustomize where it differs.

use std::sync::Arc;

use serde_json::Value;

use super::difference::first_difference;
use super::instruction::{Proposal, changed, text_change};
use super::path_expression::{PathExpression, Syntax};
use crate::engine::convert::ANNOTATION;
use crate::knowledge::lens::{Reach, changes_below};
use crate::syntax::field::{Entries, FieldPath, Step};
use crate::syntax::yaml::Intent;

/// The conversion of a state of an object.
pub(super) struct Converted {
    pub(super) value: Arc<Value>,
    pub(super) program: Vec<Intent>,
}

/// Returns the conversion of what is built of an object; `None` where it cannot be converted.
pub(super) type Convert<'c> = dyn Fn(&Arc<Value>) -> Option<Converted> + 'c;

/// Carries out `operations`; `None` where one of them cannot be. What kustomizations write to metadata is not seen here, so that an
/// operation on metadata that cannot be carried out is left out.
pub(super) fn apply(operations: &[Value], object: &Value) -> Option<Value> {
    carry_out(operations, object).or_else(|| {
        let others: Vec<Value> = operations.iter().filter(|one| !is_about_metadata(one)).cloned().collect();
        carry_out(&others, object).filter(|_| others.len() < operations.len())
    })
}

fn is_about_metadata(operation: &Value) -> bool {
    let mut paths = ["path", "from"].into_iter().filter_map(|key| operation.text(key));
    paths.all(|path| path == "/metadata" || path.starts_with("/metadata/"))
}

fn carry_out(operations: &[Value], object: &Value) -> Option<Value> {
    let mut patched = object.clone();
    for operation in operations {
        let one = vec![if adds_key(operation, &patched) { as_addition(operation) } else { operation.clone() }];
        let patch: json_patch::Patch = serde_json::from_value(Value::Array(one)).ok()?;
        json_patch::patch(&mut patched, &patch).ok()?;
    }
    Some(patched)
}

/// How many items of a list are made up in front of one that an operation names.
const MOST_ITEMS: usize = 64;

/// Returns what `operations` write into `object`, which has none of the fields that they name.
pub(super) fn written(operations: &[Value], object: Value) -> Value {
    let mut made = object;
    for operation in operations.iter().filter(|one| matches!(one.text("op"), Some("add" | "replace"))) {
        if let (Some(path), Some(value)) = (operation.text("path"), operation.get("value")) {
            let keys: Vec<String> =
                path.split('/').skip(1).map(|key| key.replace("~1", "/").replace("~0", "~")).collect();
            write(&mut made, &keys, value);
        }
    }
    made
}

/// Writes `value` at the place that the keys and indexes `keys` name.
fn write(into: &mut Value, keys: &[String], value: &Value) {
    let Some((key, inner)) = keys.split_first() else {
        into.clone_from(value);
        return;
    };
    let is_index = key == "-" || key.bytes().all(|byte| byte.is_ascii_digit()) && !into.is_object();
    if into.is_null() {
        *into = if is_index { Value::Array(Vec::new()) } else { Value::Object(serde_json::Map::new()) };
    }
    match into {
        Value::Object(map) => write(map.entry(key.as_str()).or_insert(Value::Null), inner, value),
        Value::Array(items) => {
            let named = key.parse().ok().filter(|at| *at < MOST_ITEMS && !inner.is_empty());
            let at = named.unwrap_or(items.len());
            while items.len() <= at {
                items.push(Value::Null);
            }
            write(&mut items[at], inner, value);
        }
        _ => {}
    }
}

/// Returns whether an operation replaces a key that a mapping does not have: Kustomize adds it, although RFC 6902 has that fail.
fn adds_key(operation: &Value, object: &Value) -> bool {
    let Some((path, (outer, _))) = operation.text("path").and_then(|path| Some((path, path.rsplit_once('/')?))) else {
        return false;
    };
    operation.text("op") == Some("replace")
        && object.pointer(path).is_none()
        && object.pointer(outer).is_some_and(Value::is_object)
}

fn as_addition(operation: &Value) -> Value {
    let mut addition = operation.clone();
    addition["op"] = Value::from("add");
    addition
}

/// An object before or after an operation, with its conversion, where there is one.
struct Side {
    value: Arc<Value>,
    converted: Option<Converted>,
}

/// A way to write an operation.
struct Candidate {
    operation: Option<Value>,
    changes: Vec<Intent>,
}

/// Returns what becomes of `operations`, which are carried out on `before`.
///
/// # Errors
/// Why they cannot follow.
pub(super) fn follow(operations: &[Value], before: &Arc<Value>, convert: &Convert<'_>) -> Result<Proposal, String> {
    let Some(after) = apply(operations, before).map(Arc::new) else { return Ok(Proposal::new()) };
    let mut proposal = on_metadata(operations, before, convert)?;
    let mut side = Side { value: Arc::clone(before), converted: convert(before) };
    let last = convert(&after);
    if let (Some(first), Some(last)) = (&side.converted, &last)
        && leads(operations, &first.value, &last.value)
    {
        let others = (0..operations.len()).filter(|at| !is_about_metadata(&operations[*at]));
        proposal.extend(others.map(|at| (FieldPath::default().index(at), Vec::new())));
        return Ok(proposal);
    }
    for (at, operation) in operations.iter().enumerate().filter(|(_, operation)| !is_about_metadata(operation)) {
        let Some(value) = apply(std::slice::from_ref(operation), &side.value).map(Arc::new) else {
            return Ok(Proposal::new());
        };
        let converted = convert(&value);
        let next = Side { value, converted };
        let place = FieldPath::default().index(at);
        let chosen = choose(operation, &side, &next).ok_or_else(|| reason(operation, &side, &next))?;
        let changes = match chosen.operation {
            Some(_) => chosen.changes.iter().map(|intent| intent.under(&place)).collect(),
            None => vec![Intent::Delete { path: place.clone() }],
        };
        proposal.push((place, changes));
        side = next;
    }
    if !proposal.is_empty()
        && proposal.iter().all(|(place, changes)| *changes == [Intent::Delete { path: place.clone() }])
    {
        return Err("none of its operations has anything to change after the conversion".to_owned());
    }
    Ok(proposal)
}

/// Returns what becomes of those operations that name an annotation or label. A kustomization can write it, so the object gets it for
/// that where it has none: its conversion shows what becomes of the key.
///
/// # Errors
/// Why one of them cannot follow.
fn on_metadata(operations: &[Value], object: &Arc<Value>, convert: &Convert<'_>) -> Result<Proposal, String> {
    let mut proposal = Proposal::new();
    if convert(object).is_none() {
        return Ok(proposal);
    }
    for (at, operation) in operations.iter().enumerate().filter(|(_, operation)| is_about_metadata(operation)) {
        let mut changes = Vec::new();
        for key in ["path", "from"] {
            let Some(text) = operation.text(key) else { continue };
            let value = operation.get("value").filter(|_| key == "path");
            let Some((path, place)) = named_in_metadata(text) else { continue };
            let with_it = with_value(object, &place, value);
            let is_blocked = || format!("an object with {place}, which it names, cannot be converted");
            let made = convert(&with_it).ok_or_else(is_blocked)?;
            let is_gone = || format!("it names {text}, which the conversion removes");
            let (new, _) = path.after(&place, &made.program, Reach::Outer).ok_or_else(is_gone)?;
            changes.extend(text_change(FieldPath::default().key(key), text, &new.to_string()));
            if value.is_some() {
                let inside = changes_below(&made.program, &place, Reach::Outer).ok_or_else(is_gone)?;
                // What the conversion of the object keeps in the stash is no part of the patch.
                let is_stash = |intent: &Intent| matches!(intent, Intent::Insert { path, .. } if path.last_key() == Some(ANNOTATION));
                let inside = inside.iter().filter(|intent| !is_stash(intent));
                changes.extend(inside.map(|intent| intent.under(&FieldPath::default().key("value"))));
            }
        }
        let place = FieldPath::default().index(at);
        let changes = changes.iter().map(|intent| intent.under(&place)).collect();
        proposal.push((place, changes));
    }
    Ok(proposal)
}

/// Reads a JSON pointer to an annotation, a label, or all of them.
fn named_in_metadata(text: &str) -> Option<(PathExpression, FieldPath)> {
    let path = PathExpression::parse(Syntax::Pointer, text)?;
    let place = path.pattern().as_path()?;
    let ([Step::Key(metadata), Step::Key(map)] | [Step::Key(metadata), Step::Key(map), Step::Key(_)]) = place.steps()
    else {
        return None;
    };
    (metadata == "metadata" && ["annotations", "labels"].contains(&map.as_str())).then_some((path, place))
}

/// Returns the object with `value` at `place`; where there is none, with what it has there, or a text.
fn with_value(object: &Arc<Value>, place: &FieldPath, value: Option<&Value>) -> Arc<Value> {
    if value.is_none() && place.get(object).is_some() {
        return Arc::clone(object);
    }
    let mut made = Value::clone(object);
    let mut inner = &mut made;
    for step in place.steps() {
        let Step::Key(key) = step else { return Arc::clone(object) };
        if inner.is_null() {
            *inner = Value::Object(serde_json::Map::new());
        }
        let Some(map) = inner.as_object_mut() else { return Arc::clone(object) };
        inner = map.entry(key.as_str()).or_insert(Value::Null);
    }
    *inner = value.cloned().unwrap_or_else(|| Value::from("x"));
    Arc::new(made)
}

/// Returns whether `operations` lead from one object to another, whatever their metadata, and their apiVersion where none writes it.
fn leads(operations: &[Value], from: &Value, to: &Value) -> bool {
    let writes_version = operations.iter().any(|one| one.text("path") == Some("/apiVersion"));
    let is_reached = |made: &Value| !writes_version || made.get("apiVersion") == to.get("apiVersion");
    apply(operations, from).is_some_and(|made| first_difference(to, &made).is_none() && is_reached(&made))
}

/// Returns the first way to write an operation that does to the conversion what the operation does to the object. Where a state on
/// the way cannot be converted, the first one is taken: the patch as a whole is checked with its object.
fn choose(operation: &Value, before: &Side, after: &Side) -> Option<Candidate> {
    let candidates = candidates(operation, before, after);
    match (&before.converted, &after.converted) {
        (Some(before), Some(after)) => candidates.into_iter().find(|candidate| match &candidate.operation {
            Some(operation) => leads(std::slice::from_ref(operation), &before.value, &after.value),
            None => first_difference(&after.value, &before.value).is_none(),
        }),
        _ => candidates.into_iter().next(),
    }
}

/// Returns the ways to write an operation, the likely ones first.
fn candidates(operation: &Value, before: &Side, after: &Side) -> Vec<Candidate> {
    let mut found = Vec::new();
    for reach in [Reach::Inner, Reach::Outer] {
        found.extend(candidate(operation, before, after, reach));
    }
    found.push(Candidate { operation: Some(operation.clone()), changes: Vec::new() });
    found.push(Candidate { operation: None, changes: Vec::new() });
    found
}

/// Rewrites the paths and the value of an operation.
fn candidate(operation: &Value, before: &Side, after: &Side, reach: Reach) -> Option<Candidate> {
    let op = operation.text("op")?;
    // What an operation writes is there afterwards; what it reads or removes is there before.
    let writes = matches!(op, "add" | "replace" | "copy" | "move");
    let (path_side, other) = if writes { (after, before) } else { (before, after) };
    let program = |side: &Side| side.converted.as_ref().map(|converted| converted.program.clone());
    let path_program = program(path_side).or_else(|| program(other))?;
    let path = PathExpression::parse(Syntax::Pointer, operation.text("path")?)?;
    let old = path.places(&before.value).pop()?;
    let (new, new_place) = path.after(&old, &path_program, reach)?;
    let root = FieldPath::default();
    let mut changes = text_change(root.key("path"), operation.text("path")?, &new.to_string());
    if let Some(from) = operation.text("from") {
        let expression = PathExpression::parse(Syntax::Pointer, from)?;
        let place = expression.places(&before.value).pop()?;
        let (new, _) = expression.after(&place, &program(before)?, reach)?;
        changes.extend(text_change(root.key("from"), from, &new.to_string()));
    }
    if let Some(value) = operation.get("value") {
        let made = path_side.converted.as_ref().and_then(|converted| new_place.get(&converted.value));
        let key = root.key("value");
        let below = changes_below(&path_program, &old, reach);
        let below: Option<Vec<Intent>> = below.map(|changes| changes.iter().map(|intent| intent.under(&key)).collect());
        changes.extend(match made {
            Some(made) if made == value => Vec::new(),
            Some(wanted) => {
                let leads = |changes: &Vec<Intent>| {
                    changed(operation, changes).is_some_and(|made| made.get("value") == Some(wanted))
                };
                below.filter(leads).unwrap_or_else(|| vec![Intent::Replace { path: key, value: wanted.clone() }])
            }
            None => below?,
        });
    }
    let operation = changed(operation, &changes)?;
    Some(Candidate { operation: Some(operation), changes })
}

/// Says what becomes of the field that an operation names.
fn reason(operation: &Value, before: &Side, after: &Side) -> String {
    let (op, path) = (operation.text("op").unwrap_or_default(), operation.text("path").unwrap_or_default());
    let moved = candidate(operation, before, after, Reach::Inner).and_then(|candidate| {
        let new = candidate.operation?.text("path")?.to_owned();
        (new != path).then_some(new)
    });
    let is_gone = || {
        let program = before.converted.as_ref().map(|converted| &converted.program)?;
        let expression = PathExpression::parse(Syntax::Pointer, path)?;
        let place = expression.places(&before.value).pop()?;
        Some(expression.after(&place, program, Reach::Inner).is_none())
    };
    match moved {
        Some(new) => format!(
            "its operation `{op}` on {path} would be one on {new}, and that does not do the same to the converted object"
        ),
        None if is_gone() == Some(true) => format!("its operation `{op}` names {path}, which the conversion removes"),
        None => format!("its operation `{op}` on {path} does not do the same to the converted object"),
    }
}
