//! What becomes of objects that another object has created, where Kustomize builds something of the one that holds them?
//!
//! Invariant: they are converted only where every final object has them as their files do; one that only a final object has is reported,
//! where something would become of it.

use serde_json::Value;

use super::built_objects::BuiltObjects;
use super::effect;
use super::instruction::changed;
use super::instructions::{Act, CONVERT_BOTH, Instructions};
use super::merge::{merged, with_identity_of};
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

/// Reports `object`, which only a final object has, at this place of it.
pub(super) fn unconverted(place: &FieldPath, object: &Object) -> Remark {
    let message = format!("{place} holds {}, as Kustomize builds it, which is not converted", object.title());
    let remark = Remark::new(Code::NotAnObject, place.clone(), message);
    remark.help("change by hand what the patch or replacement writes")
}

/// What becomes of created objects where Kustomize builds something of the one that holds them.
#[derive(Default)]
pub(super) struct JudgedCreated {
    /// Those that are held back.
    pub(super) held: Vec<(Id, Conversion)>,
    /// What is to be done by hand, each at the object or patch that shows it.
    pub(super) reported: Vec<(Id, Remark)>,
}

impl BuiltCreated<'_> {
    /// Judges the objects that `parts` have created, where `acts` make `built` of `base`: carried out once these are converted, the acts must
    /// make the conversion of that. Where they cannot, or what is built is not known, all that change are held back.
    pub(super) fn judged(&self, base: Id, parts: &[Id], built: Option<(&Value, &[Act])>) -> JudgedCreated {
        let own: Vec<(Id, FieldPath)> = parts.iter().flat_map(|part| self.created_by(*part)).collect();
        let places = built.map(|(built, _)| self.places(base, built)).unwrap_or_default();
        if own.is_empty() && places.is_empty() {
            return JudgedCreated::default();
        }
        let after = built.and_then(|(_, acts)| self.built_after(base, acts));
        let (mut reported, mut wrong, mut changes) = (Vec::new(), Vec::new(), Vec::new());
        for (place, object) in places {
            let as_own = own.iter().find(|(id, _)| self.tied.object(*id).value == object.value);
            let made = match as_own {
                Some((id, _)) => self.tied.conversion(*id).cloned(),
                None => self.objects.converted_values_alone(base, &object),
            };
            let is_told = as_own.is_some()
                || after.is_none() && own.iter().any(|(id, at)| *at == place && self.tied.is_changed(*id));
            let then = after.as_ref().map_or(Some(&*object.value), |after| place.get(after));
            changes.extend(then.map(|then| Intent::Replace { path: place.clone(), value: then.clone() }));
            let expected =
                made.as_ref().filter(|made| made.blocks.is_empty()).map_or(&object.value, |made| &made.value);
            if !is_told && then == Some(&*object.value) && made.as_ref().is_some_and(Conversion::needs_change) {
                reported.push(self.unconverted(base, parts, &place, &object));
            } else if then != Some(&**expected) {
                wrong.push(place);
            }
        }
        let is_rest_kept = built.is_some_and(|(built, _)| after.is_some() && changed(built, &changes) == after);
        let are_all_wrong = !is_rest_kept || wrong.iter().any(|place| own.iter().all(|(_, at)| at != place));
        let held = own.iter().filter(|(_, at)| are_all_wrong || wrong.contains(at));
        JudgedCreated { held: held.filter_map(|(id, _)| self.held(*id, base)).collect(), reported }
    }

    /// Returns the objects that `built`, which is made of `base`, has created, each with its place.
    fn places(&self, base: Id, built: &Value) -> Vec<(FieldPath, Object)> {
        let carried = self.tied.targets.goal.packs.carriers().in_object(&self.tied.object(base).kind, built);
        let object = |place: FieldPath| {
            let value = place.get(built)?.clone();
            Some((place, Object::from_value(0, FieldPath::default(), value)?))
        };
        created_in(&carried, built).into_iter().filter_map(object).collect()
    }

    /// Holds back an object that changes and that `base` or a patch of it has created.
    fn held(&self, id: Id, base: Id) -> Option<(Id, Conversion)> {
        let own = self.tied.conversion(id).filter(|made| !made.program.is_empty())?.clone();
        let title = self.tied.object(base).title();
        let message = format!("a patch or replacement of {title}, which has it created, changes or reads it");
        let remark = Remark::new(Code::ConvertsTogether, FieldPath::default(), message).help(CONVERT_BOTH);
        Some((id, Conversion { blocks: vec![remark], ..own.hold_back(self.tied.object(id)) }))
    }

    /// Reports `object`, which `base` has at this place as it is built and which is not converted: at the last part that has it, else at `base`.
    fn unconverted(&self, base: Id, parts: &[Id], place: &FieldPath, object: &Object) -> (Id, Remark) {
        let has_it = |part: &&Id| place.get(&self.tied.object(**part).value) == Some(&*object.value);
        (parts.iter().find(has_it).copied().unwrap_or(base), unconverted(place, object))
    }

    /// Carries out `acts` on `base` with all created objects converted. `None` where one of them cannot be carried out, or reads something else.
    fn built_after(&self, base: Id, acts: &[Act]) -> Option<Value> {
        let own = |id: Id| Value::clone(&self.tied.object(id).value);
        let (mut now, mut after) = (own(base), self.with_conversions(base)?);
        for act in acts {
            match *act {
                Act::Merge { patch, .. } => {
                    now = with_identity_of(&now, merged(&now, &own(patch))?);
                    after = with_identity_of(&after, merged(&after, &self.with_conversions(patch)?)?);
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
        Some(after)
    }

    /// Returns an object with what becomes of the objects that it has created.
    fn with_conversions(&self, holder: Id) -> Option<Value> {
        let made = |(id, path)| Some((path, self.tied.conversion(id).filter(|made| made.blocks.is_empty())?));
        let changes = self.created_by(holder).filter_map(made);
        let changes: Vec<Intent> =
            changes.map(|(path, made)| Intent::Replace { path, value: Value::clone(&made.value) }).collect();
        changed(&self.tied.object(holder).value, &changes)
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
