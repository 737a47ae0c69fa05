//! What became of one object?

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::remark::Remark;
use crate::lens::{Direction, ObjectId, Session};
use crate::manifest::Object;
use crate::release::{GroupKind, ReleaseSet};
use crate::yaml::Intent;

/// The result of converting an object.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// The kind after the conversion.
    pub kind: GroupKind,
    /// The data after the conversion; the original data where the object is held back.
    pub value: Arc<Value>,
    /// The changes, with paths from the object; none where the object is held back.
    pub program: Vec<Intent>,
    /// How many of the changes were made by foreign rules: rules of packs that do not own the object's kind.
    pub foreign_changes: usize,
    /// The rules that changed something, with the direction in which they ran.
    pub rules: Vec<(String, Direction)>,
    /// Why the object is held back; empty where it is not.
    pub blocks: Vec<Remark>,
    /// What is reported as a warning.
    pub warnings: Vec<Remark>,
    /// What is reported as a note.
    pub notes: Vec<Remark>,
    /// What was lost because the user allowed it, or is kept in the stash.
    pub lost: Vec<Remark>,
    /// The releases that the object can have been written for: by its fields, and by its apiVersion where both agree.
    pub written_for: ReleaseSet,
    /// The objects that must be converted together with this one.
    pub converts_with: BTreeSet<ObjectId>,
}

impl Conversion {
    /// Returns `metadata.namespace` after the conversion.
    pub fn namespace(&self) -> Option<&str> {
        self.value.get("metadata").and_then(|metadata| metadata.get("namespace")).and_then(Value::as_str)
    }

    /// Returns whether `object` has another kind or namespace after the conversion.
    pub fn renames(&self, object: &Object) -> bool {
        self.kind != object.kind || self.namespace() != object.namespace.as_deref()
    }

    /// Makes the conversion that leaves `object` unchanged.
    pub fn unchanged(object: &Object) -> Self {
        Self {
            kind: object.kind.clone(),
            value: object.value.clone(),
            program: Vec::new(),
            foreign_changes: 0,
            rules: Vec::new(),
            blocks: Vec::new(),
            warnings: Vec::new(),
            notes: Vec::new(),
            lost: Vec::new(),
            written_for: ReleaseSet::default(),
            converts_with: BTreeSet::new(),
        }
    }

    /// Starts a session with what became of `object` so far.
    pub(crate) fn session(made: Option<&Self>, object: &Object) -> Session<'static> {
        Session::new(Arc::clone(made.map_or(&object.value, |made| &made.value)))
    }

    /// Adds what was done in a session that [`Conversion::session`] started.
    pub(crate) fn with_changes(made: Option<Self>, object: &Object, session: Session<'_>) -> Option<Self> {
        let (value, program, _) = session.finish();
        if program.is_empty() {
            return made;
        }
        let mut made = made.unwrap_or_else(|| Self::unchanged(object));
        made.value = value;
        made.program.extend(program);
        Some(made)
    }

    /// Leaves `object` unchanged after all, and keeps what there is to report besides losses and notes.
    pub(crate) fn hold_back(self, object: &Object) -> Self {
        let Self { blocks, warnings, written_for, .. } = self;
        Self { blocks, warnings, written_for, ..Self::unchanged(object) }
    }
}
