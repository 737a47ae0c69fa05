//! What does a JSON patch, a replacement, a variable, a field specification or a label transformer say?
//!
//! All of them are instructions for Kustomize that name fields of other objects. What each does to an object is in `effect`.

use serde_json::Value;

use super::path_expression::Syntax;
use super::steps::Role;
use crate::syntax::field::{Entries, FieldPath};
use crate::syntax::yaml::Intent;

/// An instruction, as it is written now or after the conversion.
#[derive(Clone, Copy)]
pub(super) struct Instruction<'i> {
    pub(super) role: Role,
    pub(super) data: &'i Value,
    /// The value that a replacement writes, where that is known.
    pub(super) source: Option<&'i Value>,
}

/// A text in an instruction that names fields.
pub(super) struct NamingText<'i> {
    /// Its place in the instruction.
    pub(super) place: FieldPath,
    pub(super) text: &'i str,
}

impl<'i> Instruction<'i> {
    /// Returns the texts that name fields.
    pub(super) fn texts(&self) -> Vec<NamingText<'i>> {
        let root = FieldPath::default();
        let places: Vec<FieldPath> = match self.role {
            Role::Merge | Role::Unread | Role::Unknown | Role::Nested(_) | Role::Labels => Vec::new(),
            Role::JsonPatch => {
                let operations = 0..self.operations().len();
                operations.flat_map(|at| ["path", "from"].map(|key| root.index(at).key(key))).collect()
            }
            Role::Field => vec![root.key("path")],
            Role::Source => vec![root.key("source").key("fieldPath")],
            Role::Variable => vec![root.key("fieldref").key("fieldpath")],
            Role::Target(target) => {
                let list = target_place(target).key("fieldPaths");
                (0..list.items(self.data).len()).map(|at| list.index(at)).collect()
            }
        };
        let naming = |place: FieldPath| Some(NamingText { text: place.text(self.data)?, place });
        places.into_iter().filter_map(naming).collect()
    }

    /// Returns how those texts are written.
    pub(super) const fn syntax(&self) -> Syntax {
        match self.role {
            Role::JsonPatch => Syntax::Pointer,
            Role::Field => Syntax::Slashes,
            _ => Syntax::Dotted,
        }
    }

    /// Returns the operations of a JSON patch.
    pub(super) fn operations(&self) -> &'i [Value] {
        self.data.as_array().map_or(&[], Vec::as_slice)
    }

    /// Returns what messages call it; of what is not read, its file.
    pub(super) fn words(&self, place: &FieldPath) -> String {
        let named = self.data.get("path").unwrap_or(self.data).as_str();
        let file = named.filter(|path| !path.contains(['\n', '{'])).map(|path| format!(" `{path}`"));
        match self.role {
            Role::Merge => "the patch".to_owned(),
            Role::Unread => format!("the patch{}", file.unwrap_or_default()),
            Role::Unknown if self.data.is_array() => format!("what {place} names"),
            Role::Unknown => file.map_or_else(|| "what stands here".to_owned(), |file| format!("what is named{file}")),
            Role::Nested(_) => "a patch inside the patch".to_owned(),
            Role::JsonPatch => "the JSON patch".to_owned(),
            Role::Target(_) | Role::Source => "the replacement".to_owned(),
            Role::Variable => "the variable".to_owned(),
            Role::Field => "the field".to_owned(),
            Role::Labels => "the label transformer".to_owned(),
        }
    }

    /// Returns whether it is a strategic merge patch that is written as data.
    pub(super) fn is_patch_as_data(&self) -> bool {
        self.role == Role::Unknown && self.data.text("apiVersion").is_some()
    }
}

/// Returns the place of a target of a replacement.
pub(super) fn target_place(target: usize) -> FieldPath {
    FieldPath::default().key("targets").index(target)
}

/// What must become of the texts at some places of an instruction; a place that need not change has no intents.
pub(super) type Proposal = Vec<(FieldPath, Vec<Intent>)>;

/// Returns the change of the text `old` at `place`, where there is one.
pub(super) fn text_change(place: FieldPath, old: &str, new: &str) -> Vec<Intent> {
    if old == new { Vec::new() } else { vec![Intent::Replace { path: place, value: Value::from(new) }] }
}

/// Returns `value` after `changes`; `None` where they cannot be made.
pub(super) fn changed(value: &Value, changes: &[Intent]) -> Option<Value> {
    let mut value = value.clone();
    changes.iter().try_for_each(|change| change.apply_data(&mut value)).ok()?;
    Some(value)
}
