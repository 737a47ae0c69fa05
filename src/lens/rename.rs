//! The operation `rename`: a key gets another name in place.

use serde::Deserialize;

use super::halt::Halt;
use super::image::Claims;
use super::operation::{Description, Operation};
use super::session::Session;
use crate::field::{FieldPattern, Part};
use crate::release::GroupKind;
use crate::yaml::Intent;

/// `rename: { field: spec.tls, to: validation }`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rename {
    /// The field whose last key gets another name.
    field: FieldPattern,
    /// The new name: a key, and no path.
    to: String,
}

impl Rename {
    pub(super) const DESCRIPTION: Description = Description {
        name: "rename",
        text: "Renames the last key of `field` to `to`, in place: value, order, comments and quotes are unchanged. The inverse \
               renames back. Exact; a conflict where both keys are present.",
        example: "rename: { field: spec.tls, to: validation }",
    };

    /// Returns the field under its new name, and its old last key.
    fn renamed(&self) -> (FieldPattern, String) {
        match self.field.split_last() {
            Some((parent, Part::Key(key))) => (parent.with(Part::Key(self.to.clone())), key.clone()),
            _ => (self.field.clone(), self.to.clone()),
        }
    }
}

impl Rename {
    /// Returns the fields whose last key is renamed.
    pub(super) const fn field(&self) -> &FieldPattern {
        &self.field
    }

    /// Returns the inverse.
    pub(super) fn reversed(&self) -> Self {
        let (field, to) = self.renamed();
        Self { field, to }
    }
}

impl Operation for Rename {
    fn run(&self, session: &mut Session) -> Result<(), Halt> {
        for path in self.field.matches(session.object()) {
            session.change(Intent::Rename { path, to: self.to.clone() })?;
        }
        Ok(())
    }

    fn inverse(&self, _kind: &GroupKind) -> Box<dyn Operation> {
        Box::new(self.reversed())
    }

    fn claims(&self) -> Claims {
        Claims { old: vec![self.field.clone()], new: vec![self.renamed().0] }
    }
}
