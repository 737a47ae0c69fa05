//! What does an instruction do to an object, and what must it say to do the same to the converted object?

use std::sync::Arc;

use serde_json::Value;

use super::instruction::{Instruction, Proposal};
use super::json_patch::{self, Convert};
use super::steps::Role;
use super::{labels, replacement};

/// Carries an instruction out; `None` where `object` does not have what it needs. What only reads fields changes none.
pub(super) fn apply(instruction: &Instruction<'_>, object: &Value) -> Option<Value> {
    match instruction.role {
        Role::JsonPatch => json_patch::apply(instruction.operations(), object),
        Role::Labels => Some(labels::written(instruction.data, object)),
        Role::Target(target) if instruction.source.is_some() => replacement::write(instruction, target, object)
            // What other steps write to metadata is not seen.
            .or_else(|| replacement::is_about_metadata(instruction).then(|| object.clone())),
        _ => Some(object.clone()),
    }
}

/// Returns what an instruction must say, so that it does to the conversion of `object` what it does to the object now.
///
/// # Errors
/// Why it cannot.
pub(super) fn follow(
    instruction: &Instruction<'_>,
    object: &Arc<Value>,
    convert: &Convert<'_>,
) -> Result<Proposal, String> {
    match instruction.role {
        Role::JsonPatch => json_patch::follow(instruction.operations(), object, convert),
        Role::Source | Role::Variable => replacement::follow_source(instruction, object, convert),
        Role::Field => replacement::follow_field(instruction, object, convert),
        Role::Target(target) if instruction.source.is_some() => {
            replacement::follow_target(instruction, target, object, convert)
        }
        _ => Ok(Proposal::new()),
    }
}

/// Returns whether an instruction, which was `before`, reads from an object what it read from it before the conversion; `None` for
/// one that writes.
pub(super) fn reads_the_same(
    instruction: &Instruction<'_>,
    object: &Value,
    before: &Instruction<'_>,
    object_before: &Value,
) -> Option<bool> {
    match instruction.role {
        Role::Source | Role::Variable => {
            Some(replacement::read(instruction, object) == replacement::read(before, object_before))
        }
        Role::Field => {
            let [fields, fields_before] = [(instruction, object), (before, object_before)]
                .map(|(instruction, object)| replacement::fields(instruction, object).len());
            Some(fields == fields_before)
        }
        _ => None,
    }
}
