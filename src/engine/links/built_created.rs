//! What becomes of objects that another object has created, where Kustomize builds something of the one that holds them?
//!
//! Invariant: they are converted only where every final object has them as their files do; one that only a final object has is reported,
//! where something would become of it.

use serde_json::Value;

use super::built_objects::BuiltObjects;
use super::instructions::CONVERT_BOTH;
use super::tied_files::{Id, TiedFiles};
use crate::engine::convert::{Conversion, Remark};
use crate::engine::finding::Code;
use crate::engine::manifest::{Object, created_in};
use crate::syntax::field::FieldPath;

/// The created objects of a group.
pub(super) struct BuiltCreated<'b> {
    pub(super) tied: &'b TiedFiles<'b>,
    pub(super) objects: &'b BuiltObjects<'b>,
}

impl BuiltCreated<'_> {
    /// Holds back the objects that `parts` have created, if `built`, which is made of these parts of `base`, is not known or has others in their
    /// places.
    pub(super) fn held(&self, base: Id, parts: &[Id], built: Option<&Value>) -> Vec<(Id, Conversion)> {
        let mut held = Vec::new();
        for (id, place) in parts.iter().flat_map(|part| self.created_by(*part)) {
            let Some(own) = self.tied.conversion(id).filter(|own| !own.program.is_empty()) else { continue };
            if built.is_some_and(|built| self.is_of_part(&place, parts, built)) {
                continue;
            }
            let title = self.tied.object(base).title();
            let message = format!("a patch or replacement of {title}, which has it created, changes it");
            let remark = Remark::new(Code::ConvertsTogether, FieldPath::default(), message).help(CONVERT_BOTH);
            let own = own.clone().hold_back(self.tied.object(id));
            held.push((id, Conversion { blocks: vec![remark], ..own }));
        }
        held
    }

    /// Reports the objects that `built`, which is made of these parts of `base`, has created and that would be converted and are not: at the last
    /// part that has them, else at the object itself.
    pub(super) fn unconverted(&self, base: Id, parts: &[Id], built: &Value) -> Vec<(Id, Remark)> {
        let carried = self.tied.targets.goal.packs.carriers().in_object(&self.tied.object(base).kind, built);
        let mut found = Vec::new();
        for place in created_in(&carried, built) {
            let has_it = |part: &&Id| place.get(&self.tied.object(**part).value) == place.get(built);
            let part = parts.iter().find(has_it).copied();
            let read = |part: Id| self.created_by(part).find(|(_, own)| *own == place).map(|(id, _)| id);
            let is_told = match part {
                Some(part) => read(part).is_some(),
                // What a part has there is held back, or needs nothing, unlike what is made of it.
                None => {
                    let told = |part: &Id| self.tied.conversion(read(*part)?).filter(|own| own.needs_change());
                    parts.iter().any(|part| told(part).is_some())
                }
            };
            let value = place.get(built).filter(|_| !is_told).cloned();
            let Some(object) = value.and_then(|value| Object::from_value(0, FieldPath::default(), value)) else {
                continue;
            };
            let made = self.objects.converted_values_alone(base, &object);
            if made.is_some_and(|made| made.needs_change()) {
                let title = object.title();
                let message = format!("{place} holds {title}, as Kustomize builds it, which is not converted");
                let remark = Remark::new(Code::NotAnObject, place.clone(), message);
                found.push((part.unwrap_or(base), remark.help("change by hand what the patch or replacement writes")));
            }
        }
        found
    }

    /// Returns the objects that an object has created, each with its place in that one.
    fn created_by(&self, holder: Id) -> impl Iterator<Item = (Id, FieldPath)> {
        let object = self.tied.object(holder);
        let created = self.tied.manifest(holder).objects.iter().enumerate().filter(|(_, one)| one.is_created());
        created.filter_map(move |(at, one)| {
            let place = object.path_of(one.document, &one.place)?;
            (one.inline_patch.is_none() && !object.is_created()).then_some((Id { at, ..holder }, place))
        })
    }

    /// Returns whether what is built has at a place what one of its parts has there, or nothing.
    fn is_of_part(&self, place: &FieldPath, parts: &[Id], built: &Value) -> bool {
        let Some(value) = place.get(built) else { return true };
        parts.iter().any(|part| place.get(&self.tied.object(*part).value) == Some(value))
    }
}
