//! What became of one object?

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::remark::Remark;
use crate::field::FieldPath;
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
    /// The releases that the object can come from: by its fields, by its apiVersion where both agree, and by what is known of all
    /// objects of its pack where that agrees too.
    pub origins: ReleaseSet,
    /// What it was before and after each rule that wrote a default out, since the target has another one.
    pub frozen: Vec<[Arc<Value>; 2]>,
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
            origins: ReleaseSet::default(),
            frozen: Vec::new(),
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

    /// Drops changes that together leave `object` as it was: one step took back what another one did.
    pub(crate) fn settled(self, object: &Object) -> Self {
        let is_idle = self.value == object.value && !self.program.iter().any(Intent::writes_text);
        match is_idle {
            true => Self { program: Vec::new(), foreign_changes: 0, rules: Vec::new(), ..self },
            false => self,
        }
    }

    /// Drops the changes at `places`, which no other change relies on.
    pub(crate) fn without(self, object: &Object, places: &[FieldPath]) -> Self {
        let mut program = self.program.clone();
        program.retain(|intent| places.iter().all(|place| intent.within(place).is_none()));
        let mut value = Value::clone(&object.value);
        match program.iter().try_for_each(|intent| intent.apply_data(&mut value)) {
            Ok(()) if program.len() < self.program.len() => Self { program, value: Arc::new(value), ..self },
            _ => self,
        }
    }

    /// Leaves `object` unchanged after all, and keeps what there is to report besides losses and notes.
    pub(crate) fn hold_back(self, object: &Object) -> Self {
        let Self { blocks, warnings, origins, .. } = self;
        Self { blocks, warnings, origins, ..Self::unchanged(object) }
    }
}
