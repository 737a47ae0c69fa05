//! What must a JSON patch hold, so that it does to the converted object what it does to the object now?
//!
//! The operations are carried out one by one on the object, and the object is converted after each: where that moved the field that an
//! operation names, its path follows; where that changed the value that it writes, its value follows. An operation is accepted only
//! if it leads from the conversion before it to the conversion after it.
//!
//! Source: RFC 6902.

use std::sync::Arc;

use serde_json::Value;

use super::difference::first_difference;
use super::path_expression::{PathExpression, Syntax};
use crate::field::FieldPath;
use crate::lens::{Reach, changes_below};
use crate::yaml::Intent;

/// The conversion of a state of an object.
pub(super) struct Converted {
    pub(super) value: Arc<Value>,
    pub(super) program: Vec<Intent>,
}

/// What must become of the texts at some places of a patch or replacement; a place that need not change has no intents.
pub(super) type Proposal = Vec<(FieldPath, Vec<Intent>)>;

/// Carries out `operations`; `None` where one of them cannot be. What kustomizations write to metadata is not seen here, so that an
/// operation on metadata that cannot be carried out is left out: conversions leave metadata alone.
pub(super) fn apply(operations: &[Value], object: &Value) -> Option<Value> {
    carry_out(operations, object).or_else(|| {
        let others: Vec<Value> = operations.iter().filter(|one| !is_about_metadata(one)).cloned().collect();
        carry_out(&others, object).filter(|_| others.len() < operations.len())
    })
}

fn is_about_metadata(operation: &Value) -> bool {
    let mut paths = ["path", "from"].into_iter().filter_map(|key| operation.get(key)?.as_str());
    paths.all(|path| path == "/metadata" || path.starts_with("/metadata/"))
}

fn carry_out(operations: &[Value], object: &Value) -> Option<Value> {
    let patch: json_patch::Patch = serde_json::from_value(Value::Array(operations.to_vec())).ok()?;
    let mut patched = object.clone();
    json_patch::patch(&mut patched, &patch).ok()?;
    Some(patched)
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
pub(super) fn follow(
    operations: &[Value],
    before: &Arc<Value>,
    convert: &dyn Fn(&Arc<Value>) -> Option<Converted>,
) -> Result<Proposal, String> {
    let Some(after) = apply(operations, before).map(Arc::new) else { return Ok(Proposal::new()) };
    let mut side = Side { value: Arc::clone(before), converted: convert(before) };
    let last = convert(&after);
    if let (Some(first), Some(last)) = (&side.converted, &last)
        && leads(operations, &first.value, &last.value)
    {
        return Ok((0..operations.len()).map(|at| (FieldPath::default().index(at), Vec::new())).collect());
    }
    let mut proposal = Proposal::new();
    for (at, operation) in operations.iter().enumerate().filter(|(_, operation)| !is_about_metadata(operation)) {
        let Some(value) = apply(std::slice::from_ref(operation), &side.value).map(Arc::new) else {
            return Ok(Proposal::new());
        };
        let converted = convert(&value);
        let next = Side { value, converted };
        let place = FieldPath::default().index(at);
        let chosen = choose(operation, (&side, &next)).ok_or_else(|| reason(operation, (&side, &next)))?;
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

/// Returns whether `operations` lead from one object to another, whatever their metadata.
fn leads(operations: &[Value], from: &Value, to: &Value) -> bool {
    apply(operations, from).is_some_and(|made| first_difference(to, &made).is_none())
}

/// Returns the first way to write an operation that does to the conversion what the operation does to the object. Where a state on
/// the way cannot be converted, the first one is taken: the patch as a whole is checked with its object.
fn choose(operation: &Value, (before, after): (&Side, &Side)) -> Option<Candidate> {
    let candidates = candidates(operation, (before, after));
    match (&before.converted, &after.converted) {
        (Some(before), Some(after)) => candidates.into_iter().find(|candidate| match &candidate.operation {
            Some(operation) => leads(std::slice::from_ref(operation), &before.value, &after.value),
            None => first_difference(&after.value, &before.value).is_none(),
        }),
        _ => candidates.into_iter().next(),
    }
}

/// Returns the ways to write an operation, the likely ones first.
fn candidates(operation: &Value, sides: (&Side, &Side)) -> Vec<Candidate> {
    let mut found = Vec::new();
    for reach in [Reach::Inner, Reach::Outer] {
        found.extend(candidate(operation, sides, reach));
    }
    found.push(Candidate { operation: Some(operation.clone()), changes: Vec::new() });
    found.push(Candidate { operation: None, changes: Vec::new() });
    found
}

/// Rewrites the paths and the value of an operation.
fn candidate(operation: &Value, (before, after): (&Side, &Side), reach: Reach) -> Option<Candidate> {
    let text = |key: &str| operation.get(key).and_then(Value::as_str);
    let op = text("op")?;
    // What an operation writes is there afterwards; what it reads or removes is there before.
    let writes = matches!(op, "add" | "replace" | "copy" | "move");
    let (path_side, other) = if writes { (after, before) } else { (before, after) };
    let program = |side: &Side| side.converted.as_ref().map(|converted| converted.program.clone());
    let path_program = program(path_side).or_else(|| program(other))?;
    let path = PathExpression::parse(Syntax::Pointer, text("path")?)?;
    let old = path.places(&before.value).pop()?;
    let (new, new_place) = path.after(&old, &path_program, reach)?;
    let mut changes = replaced("path", text("path")?, &new.to_string());
    if let Some(from) = text("from") {
        let expression = PathExpression::parse(Syntax::Pointer, from)?;
        let place = expression.places(&before.value).pop()?;
        let (new, _) = expression.after(&place, &program(before)?, reach)?;
        changes.extend(replaced("from", from, &new.to_string()));
    }
    if let Some(value) = operation.get("value") {
        let made = path_side.converted.as_ref().and_then(|converted| new_place.get(&converted.value));
        let key = FieldPath::default().key("value");
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

/// Returns `value` after `changes`; `None` where they cannot be made.
pub(super) fn changed(value: &Value, changes: &[Intent]) -> Option<Value> {
    let mut value = value.clone();
    changes.iter().try_for_each(|change| change.apply_data(&mut value)).ok()?;
    Some(value)
}

/// Returns the change of the text of `key`, where there is one.
fn replaced(key: &str, old: &str, new: &str) -> Vec<Intent> {
    match old == new {
        true => Vec::new(),
        false => vec![Intent::Replace { path: FieldPath::default().key(key), value: Value::from(new) }],
    }
}

/// Says what becomes of the field that an operation names.
fn reason(operation: &Value, sides: (&Side, &Side)) -> String {
    let text = |key: &str| operation.get(key).and_then(Value::as_str).unwrap_or_default();
    let (op, path) = (text("op"), text("path"));
    let moved = candidate(operation, sides, Reach::Inner).and_then(|candidate| {
        let new = candidate.operation?.get("path")?.as_str()?.to_owned();
        (new != path).then_some(new)
    });
    let is_gone = || {
        let program = sides.0.converted.as_ref().map(|converted| &converted.program)?;
        let expression = PathExpression::parse(Syntax::Pointer, path)?;
        let place = expression.places(&sides.0.value).pop()?;
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
