//! What becomes of the instructions for Kustomize that are applied to known objects?
//!
//! Each stands at a place in an object: a kustomization, a file of replacements, a JSON patch. What it must say after the conversion is
//! proposed for every object that it is applied to, and the proposals must agree.
//!
//! Invariant: one whose proposals differ does not change.

use std::collections::BTreeMap;

use serde_json::Value;

use super::applications::{Application, InstructionRef};
use super::held::{Held, InstructionId};
use super::instruction::{Instruction, Proposal, changed};
use super::replacement;
use super::steps::Role;
use super::tied_files::{Id, TiedFiles};
use crate::engine::convert::{Conversion, Remark};
use crate::engine::finding::{Code, Finding, Severity};
use crate::engine::manifest::Object;
use crate::syntax::field::{FieldPath, Step};
use crate::syntax::yaml::Intent;

/// The instructions of a group that are applied to known objects.
pub(crate) struct Instructions {
    plans: Vec<InstructionPlan>,
    ids: BTreeMap<(Id, FieldPath), InstructionId>,
}

/// Something that Kustomize does to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Act {
    /// It merges a patch into it, by a schema of its own or not.
    Merge { patch: Id, has_schema: bool },
    /// It carries out an instruction.
    CarryOut(InstructionId, Role),
}

/// What becomes of an instruction.
struct InstructionPlan {
    /// The object that it stands in, and its place there.
    holder: Id,
    place: FieldPath,
    is_json_patch: bool,
    /// Its data, and what that becomes where it changes.
    before: Value,
    after: Option<Value>,
    /// The value that it writes as a replacement, where that is known.
    source: Option<Value>,
    /// What is proposed for the texts at each place in it, each once.
    proposals: BTreeMap<FieldPath, Vec<Vec<Intent>>>,
    /// Why it cannot follow.
    block: Option<String>,
    /// Whether it may be applied to objects that are not known.
    is_open: bool,
    /// Its changes, with paths from the object.
    intents: Vec<Intent>,
}

impl Instructions {
    /// Collects the instructions of `applications`; those `elsewhere` may be applied to objects that are not known.
    pub(super) fn new(tied: &TiedFiles<'_>, applications: &[Application], elsewhere: &[InstructionRef]) -> Self {
        let mut instructions = Self { plans: Vec::new(), ids: BTreeMap::new() };
        for application in applications.iter().filter(|application| application.instruction.role != Role::Merge) {
            let InstructionRef { position: holder, place, .. } = application.instruction.clone();
            let id = *instructions.ids.entry((holder, place.clone())).or_insert_with(|| {
                let before = place.get(&tied.object(holder).value).cloned().unwrap_or_default();
                let of_run = (holder, place.clone());
                instructions.plans.push(InstructionPlan {
                    holder,
                    place,
                    is_json_patch: application.instruction.role == Role::JsonPatch,
                    source: before.get("sourceValue").or_else(|| tied.run.sources.get(&of_run)).cloned(),
                    before,
                    after: None,
                    proposals: BTreeMap::new(),
                    block: None,
                    is_open: false,
                    intents: Vec::new(),
                });
                instructions.plans.len() - 1
            });
            instructions.plans[id].is_open |= application.is_open;
        }
        for id in elsewhere.iter().filter_map(|instruction| instructions.id(instruction)).collect::<Vec<_>>() {
            instructions.plans[id].is_open = true;
        }
        instructions.find_sources(tied, applications);
        instructions
    }

    /// Finds the values that replacements write: each that of the first object that is its source. Of a source that is not known, its
    /// path matters.
    fn find_sources(&mut self, tied: &TiedFiles<'_>, applications: &[Application]) {
        let is_source = |application: &&Application| application.instruction.role == Role::Source;
        let (sources, others): (Vec<_>, Vec<_>) = applications.iter().partition(is_source);
        for application in sources.into_iter().chain(others) {
            let Some(id) = self.id(&application.instruction) else { continue };
            let (instruction, base) = (self.get(id, application.instruction.role), tied.object(application.base));
            let source = match instruction.role {
                _ if instruction.source.is_some() => continue,
                Role::Source => replacement::read(&instruction, &base.value),
                Role::Target(_) => Some(replacement::open_value(&instruction, &base.value)),
                _ => continue,
            };
            self.plans[id].source = source;
        }
    }

    /// Returns the number of an instruction; none for a patch that is an object of its own.
    pub(super) fn id(&self, instruction: &InstructionRef) -> Option<InstructionId> {
        self.ids.get(&(instruction.position, instruction.place.clone())).copied()
    }

    /// Returns an instruction as it is.
    pub(super) fn get(&self, id: InstructionId, role: Role) -> Instruction<'_> {
        let plan = &self.plans[id];
        Instruction { role, data: &plan.before, source: plan.source.as_ref() }
    }

    /// Returns an instruction with its changes, unless it is held back.
    pub(super) fn get_after(&self, id: InstructionId, role: Role, held: &Held) -> Instruction<'_> {
        let before = self.get(id, role);
        let after = self.plans[id].after.as_ref().filter(|_| !self.is_held(id, held));
        Instruction { data: after.unwrap_or(before.data), ..before }
    }

    /// Takes in what must become of an instruction for one object.
    pub(super) fn propose(&mut self, id: InstructionId, proposal: Result<Proposal, String>) {
        let plan = &mut self.plans[id];
        match proposal {
            Ok(proposal) => {
                for (place, intents) in proposal {
                    let proposals = plan.proposals.entry(place).or_default();
                    if !proposals.contains(&intents) {
                        proposals.push(intents);
                    }
                }
            }
            Err(why) => drop(plan.block.get_or_insert(why)),
        }
    }

    /// Decides what becomes of each instruction.
    pub(super) fn settle(&mut self) {
        for plan in &mut self.plans {
            if let Err(why) = plan.settle() {
                plan.block.get_or_insert(why);
            }
        }
    }

    /// Returns whether an instruction changes, or would have to.
    pub(super) fn is_changed(&self, id: InstructionId) -> bool {
        let plan = &self.plans[id];
        !plan.intents.is_empty() || plan.block.is_some()
    }

    /// Returns whether an instruction changes, and is not held back.
    pub(super) fn moves(&self, id: InstructionId, held: &Held) -> bool {
        self.is_changed(id) && !self.is_held(id, held)
    }

    /// Returns the object that an instruction stands in.
    pub(super) fn holder(&self, id: InstructionId) -> Id {
        self.plans[id].holder
    }

    /// Returns why an instruction cannot follow.
    pub(super) fn block(&self, id: InstructionId) -> Option<&str> {
        self.plans[id].block.as_deref()
    }

    /// Returns whether an instruction is held back, by itself or with the object that it stands in.
    pub(super) fn is_held(&self, id: InstructionId, held: &Held) -> bool {
        held.instruction_reason(id).is_some() || held.contains(self.plans[id].holder)
    }

    /// Returns why instructions in an object are held back, but for those that stay as they are with an object that does.
    pub(crate) fn reasons<'h>(&self, held: &'h Held, id: Id) -> impl Iterator<Item = &'h Finding> {
        self.of(id).filter_map(|id| held.instruction_reason(id)).filter(|reason| reason.severity == Severity::Held)
    }

    /// Returns the places in an object of the JSON patches that are held back: nothing in them changes.
    pub(crate) fn held_patches(&self, held: &Held, id: Id) -> impl Iterator<Item = FieldPath> {
        let is_held = |id: &InstructionId| self.plans[*id].is_json_patch && held.instruction_reason(*id).is_some();
        self.of(id).filter(is_held).map(|id| self.plans[id].place.clone())
    }

    /// Changes the instructions in an object that are not held back; `made` is what became of it so far.
    pub(crate) fn follow(&self, object: &Object, id: Id, made: Option<Conversion>, held: &Held) -> Option<Conversion> {
        let following = self.of(id).filter(|id| !self.is_held(*id, held));
        Conversion::with(made, object, following.flat_map(|id| self.plans[id].intents.iter().cloned()))
    }

    /// Returns the instructions that stand in an object.
    fn of(&self, id: Id) -> impl Iterator<Item = InstructionId> {
        self.ids
            .range((id, FieldPath::default())..)
            .take_while(move |((own, _), _)| *own == id)
            .map(|(_, number)| *number)
    }

    /// Says what an instruction is, and where.
    pub(super) fn describe(&self, tied: &TiedFiles<'_>, id: InstructionId, role: Role) -> String {
        let plan = &self.plans[id];
        let place = tied.manifest(plan.holder).locate(tied.object(plan.holder), &plan.place);
        format!("{} at {place}", self.get(id, role).words(&plan.place))
    }

    /// Reports that an instruction cannot follow what becomes of the object `base`.
    pub(super) fn remark(&self, tied: &TiedFiles<'_>, id: InstructionId, role: Role, base: Id, why: &str) -> Remark {
        let place = &self.plans[id].place;
        let base = format!("{} at {}", tied.object(base).title(), tied.location(base));
        let message = format!("{} is applied to {base}; {why}", self.get(id, role).words(place));
        Remark::new(Code::PatchTarget, place.clone(), message).help(CONVERT_BOTH)
    }
}

impl InstructionPlan {
    /// Decides what becomes of it.
    ///
    /// # Errors
    /// Why it cannot follow.
    fn settle(&mut self) -> Result<(), String> {
        if let Some((place, _)) = self.proposals.iter().find(|(_, proposals)| proposals.len() > 1) {
            return Err(format!("the objects that it is applied to need different texts at {place}"));
        }
        if self.block.is_some() {
            return Ok(());
        }
        let changes = std::mem::take(&mut self.proposals).into_values().flatten().flatten();
        // What is behind a removed operation would be found at another place.
        let is_removal =
            |intent: &Intent| matches!(intent, Intent::Delete { path } if matches!(path.steps(), [Step::Index(_)]));
        let (mut removals, mut intents): (Vec<Intent>, Vec<Intent>) = changes.partition(is_removal);
        removals.reverse();
        intents.extend(removals);
        if intents.is_empty() {
            return Ok(());
        }
        let after = changed(&self.before, &intents).ok_or("its text cannot be changed")?;
        if self.is_open {
            return Err("it may be applied to objects too that are not known here".to_owned());
        }
        self.intents = intents.iter().map(|intent| intent.under(&self.place)).collect();
        self.after = Some(after);
        Ok(())
    }
}

/// What to do about a patch and an object that cannot both be converted.
pub(super) const CONVERT_BOTH: &str = "convert both by hand; then the output of `kustomize build` after the change must be the converted output from before it";
