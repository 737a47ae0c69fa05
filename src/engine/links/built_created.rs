//! What becomes of objects that another object has created, where Kustomize builds something of the one that holds them?
//!
//! Invariant: they are converted only where every final object has them as their files do; one that only a final object has is reported,
//! where something would become of it.

use serde_json::Value;

use super::built_objects::BuiltObjects;
use super::effect;
use super::instruction::changed;
use super::instructions::{Act, CONVERT_BOTH, Instructions};
use super::merge::merged;
use super::tied_files::{Id, TiedFiles};
use crate::engine::convert::{Conversion, Remark};
use crate::engine::finding::Code;
use crate::engine::manifest::{Object, created_in};
use crate::syntax::field::FieldPath;
use crate::syntax::yaml::Intent;

/// The created objects of a group.
pub(super) struct BuiltCreated<'b> {
    pub(super) tied: &'b TiedFiles<'b>,
    pub(super) objects: &'b BuiltObjects<'b>,
    pub(super) instructions: &'b Instructions,
}

impl BuiltCreated<'_> {
    /// Holds back the objects that `parts` have created, if `acts` do not do to `base` what they do now once these are converted, or are not
    /// known.
    pub(super) fn held(&self, base: Id, parts: &[Id], acts: Option<Vec<Act>>) -> Vec<(Id, Conversion)> {
        let mut held = Vec::new();
        let created: Vec<_> = parts.iter().flat_map(|part| self.conversions_in(*part)).collect();
        if created.is_empty() {
            return held;
        }
        let built = acts.and_then(|acts| self.built_after(base, parts, &acts));
        for (id, place, own) in created {
            if built.as_ref().is_some_and(|[expected, after]| place.get(expected) == place.get(after)) {
                continue;
            }
            let title = self.tied.object(base).title();
            let message = format!("a patch or replacement of {title}, which has it created, changes or reads it");
            let remark = Remark::new(Code::ConvertsTogether, FieldPath::default(), message).help(CONVERT_BOTH);
            let own = own.clone().hold_back(self.tied.object(id));
            held.push((id, Conversion { blocks: vec![remark], ..own }));
        }
        held
    }

    /// Carries out `acts` on `base`, now and with the created objects converted; returns what should be built then, and what is. `None` where
    /// one of them cannot be carried out, or reads something else.
    fn built_after(&self, base: Id, parts: &[Id], acts: &[Act]) -> Option<[Value; 2]> {
        let own = |id: Id| Value::clone(&self.tied.object(id).value);
        let (mut now, mut after) = (own(base), self.with_conversions(own(base), &[base])?);
        for act in acts {
            match *act {
                Act::Merge { patch, .. } => {
                    now = merged(&now, &own(patch))?;
                    after = merged(&after, &self.with_conversions(own(patch), &[patch])?)?;
                }
                Act::CarryOut(id, role) => {
                    let instruction = self.instructions.get(id, role);
                    if !effect::reads_the_same(&instruction, &after, &instruction, &now).unwrap_or(true) {
                        return None;
                    }
                    now = effect::apply(&instruction, &now)?;
                    after = effect::apply(&instruction, &after)?;
                }
            }
        }
        Some([self.with_conversions(now, parts)?, after])
    }

    /// Returns a value with what becomes of the created objects that it has of `parts`.
    fn with_conversions(&self, value: Value, parts: &[Id]) -> Option<Value> {
        let created = parts.iter().flat_map(|part| self.conversions_in(*part));
        let kept = created.filter(|(own, place, _)| place.get(&value) == Some(&*self.tied.object(*own).value));
        let changes: Vec<Intent> =
            kept.map(|(_, path, made)| Intent::Replace { path, value: Value::clone(&made.value) }).collect();
        changed(&value, &changes)
    }

    /// Returns the objects that an object has created and that change, each with its place in that one and what becomes of it.
    fn conversions_in(&self, holder: Id) -> impl Iterator<Item = (Id, FieldPath, &Conversion)> {
        let conversion = |id| self.tied.conversion(id).filter(|made| !made.program.is_empty());
        self.created_by(holder).filter_map(move |(id, place)| Some((id, place, conversion(id)?)))
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
}
