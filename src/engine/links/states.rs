//! Does Kustomize build the conversion of what it built before?
//!
//! Each state of an object (`build_states`) is converted as one object; carried out on the converted object, the converted patches
//! must build just that. Instructions (JSON patches, replacements, variables ...) get the texts that do so (`effect`); a strategic
//! merge patch is converted like an object, and merged key by key: lists and other values replace what was there (RFC 7396). Where
//! something else would be built, all that changes is held back. Where nothing changes and what is built needs it, that is reported
//! at the patch.
//!
//! Invariant: after [`States::hold`], every state of an object that changes is the conversion of what was built before.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::applications::InstructionRef;
use super::build_states::{BuildStates, Built, Done, State, build};
use super::built_objects::{BuiltObjects, with_references};
use super::difference::first_difference;
use super::effect;
use super::held::{Held, InstructionId};
use super::instructions::{Act, CONVERT_BOTH, Instructions};
use super::merge::{merged, with_identity_of};
use super::patches::only_changes_version;
use super::steps::Role;
use super::survey::{BuiltCrd, CrdSurvey};
use super::tied_files::{Id, TiedFiles};
use crate::engine::convert::{Conversion, Remark};
use crate::engine::finding::{Code, Finding, Severity};
use crate::knowledge::lens::Context;
use crate::syntax::field::FieldPath;

/// All states of the objects of a group that are patched.
pub(crate) struct States {
    built: BuildStates,
    pub(crate) instructions: Instructions,
}

/// What becomes of a state.
#[derive(Clone, Default)]
struct Outcome {
    /// What is built after the conversion, where that is known.
    value: Option<Arc<Value>>,
    /// Whether any object, patch or instruction up to there changes.
    moves: bool,
    /// Whether more than the apiVersion of an object or patch changes.
    moves_fields: bool,
    /// Whether any object or patch is held back.
    any_held: bool,
    /// Whether it is not what it should be.
    is_wrong: bool,
}

/// What is wrong with a state.
enum Conflict<'s> {
    /// What is built is not known.
    Unknown(&'s str),
    /// What was done to the object cannot be done to the converted one.
    Impossible(String),
    /// What is built now cannot be converted.
    Blocked(&'s str),
    /// Nothing changes, but this field would have to.
    Unseen(FieldPath),
    /// This field is another one.
    Different(FieldPath),
}

impl States {
    /// Builds what the files of a group build, as far as patches and instructions change it; the instructions `elsewhere` may be
    /// applied to objects that are not known too.
    pub(crate) fn new(tied: &TiedFiles<'_>, elsewhere: &[InstructionRef], others: &Context<'_>) -> Self {
        let mut instructions = Instructions::new(tied, tied.applications, elsewhere);
        let mut built = build(tied, &instructions, &BuiltObjects::new(tied, others));
        for (id, proposal) in std::mem::take(&mut built.proposals) {
            instructions.propose(id, proposal);
        }
        instructions.settle();
        Self { built, instructions }
    }

    /// Returns what becomes of objects and patches by themselves, where that follows from what is built.
    pub(crate) fn take_judged(&mut self) -> BTreeMap<Id, Conversion> {
        std::mem::take(&mut self.built.judged)
    }

    /// Returns what is built of the CRDs that are patched: nothing where they are deleted. A CRD of which that is not known is left out.
    pub(crate) fn built_crds(&self, tied: &TiedFiles<'_>) -> BTreeMap<Id, BuiltCrd> {
        let BuildStates { states, finals, .. } = &self.built;
        let mut built: BTreeMap<Id, Option<BuiltCrd>> = BTreeMap::new();
        for state in finals.iter().map(|number| &states[*number]) {
            let (manifest, object) = (tied.manifest(state.base), tied.object(state.base));
            let Some(own) = CrdSurvey::of(manifest, object, &object.value) else { continue };
            let start = || Some(BuiltCrd { location: own.location, built: None });
            let crd = built.entry(state.base).or_insert_with(start);
            match &state.built {
                Built::Known { value, .. } => {
                    let variant = CrdSurvey::of(manifest, object, value);
                    crd.iter_mut().zip(variant).for_each(|(crd, variant)| crd.add(variant));
                }
                Built::Unknown(_) => *crd = None,
                Built::Nothing => {}
            }
        }
        built.into_iter().filter_map(|(id, crd)| Some((id, crd?))).collect()
    }

    /// Holds back the objects, patches and instructions that would build something else than the conversion of what is built;
    /// returns whether there were any.
    pub(crate) fn hold(&self, tied: &TiedFiles<'_>, held: &mut Held) -> bool {
        let mut check = Check::new(self, tied, held);
        (0..self.built.states.len()).for_each(|number| check.check(number));
        check.check_unbounded();
        let Check { objects, instructions, .. } = check;
        let holds_objects = held.extend(objects);
        held.extend_instructions(instructions) || holds_objects
    }
}

/// The check of all states under an assumption of what is held back.
struct Check<'c> {
    states: &'c States,
    tied: &'c TiedFiles<'c>,
    held: &'c Held,
    /// Whether an object whose kind changes is held back.
    is_renamed_held: bool,
    /// What becomes of the states that were checked, in their order.
    outcomes: Vec<Outcome>,
    /// What is to be held back.
    objects: BTreeMap<Id, Finding>,
    instructions: BTreeMap<InstructionId, Finding>,
}

impl<'c> Check<'c> {
    fn new(states: &'c States, tied: &'c TiedFiles<'c>, held: &'c Held) -> Self {
        let renames = &tied.targets.renames;
        let is_renamed_held = !renames.is_empty()
            && tied.objects().any(|(id, _, object)| renames.contains_key(&object.kind) && held.contains(id));
        let (objects, instructions) = (BTreeMap::new(), BTreeMap::new());
        Self { states, tied, held, is_renamed_held, outcomes: Vec::new(), objects, instructions }
    }

    /// Checks a state, of which those before it are checked.
    fn check(&mut self, number: usize) {
        let states = self.states;
        let state = &states.built.states[number];
        let (mut outcome, mut conflict) = self.outcome(state, states.built.finals.contains(&number));
        if conflict.is_none() && self.follows_renamed(state) {
            conflict = Some(Conflict::Unknown("it names an object whose kind changes and that is held back"));
        }
        // What comes first is reported.
        let follows_wrong = state.done.is_some_and(|done| self.outcomes[done.before].is_wrong);
        outcome.is_wrong = follows_wrong || conflict.is_some();
        if let Some(conflict) = conflict.filter(|_| !follows_wrong) {
            let acts = states.built.acts(number);
            let why = self.words(&acts, conflict);
            self.report(state.base, &acts, &why);
        }
        self.outcomes.push(outcome);
    }

    /// Holds back the objects with too many states to check.
    fn check_unbounded(&mut self) {
        let (tied, held) = (self.tied, self.held);
        let unbounded = self.states.built.unbounded.iter().copied();
        for base in unbounded.filter(|base| tied.is_changed(*base) && !held.contains(*base)) {
            let message = "its file is built in too many ways to compare what they build";
            let help = "convert it and its patches by hand, and compare the output of `kustomize build`";
            let remark = Remark::new(Code::ConvertsTogether, FieldPath::default(), message).help(help);
            self.objects.insert(base, tied.finding(base, &remark, Severity::Held));
        }
    }

    /// Returns whether an instruction that changes was carried out on an object that names others whose kind changes, and of these
    /// some are held back.
    fn follows_renamed(&self, state: &State) -> bool {
        match state.done {
            Some(Done { act: Act::CarryOut(id, _), .. }) => {
                self.is_renamed_held
                    && self.states.instructions.moves(id, self.held)
                    && has_references(self.tied, state.base)
            }
            _ => false,
        }
    }

    /// Returns what becomes of a state, which is a final one or not, and what is wrong with that.
    fn outcome(&self, state: &'c State, is_final: bool) -> (Outcome, Option<Conflict<'c>>) {
        let mut outcome = match state.done {
            None => Outcome::default(),
            Some(Done { before, .. }) => Outcome { value: None, ..self.outcomes[before].clone() },
        };
        match state.done.map(|done| done.act) {
            None => self.include(state.base, &mut outcome),
            Some(Act::Merge { patch, .. }) => self.include(patch, &mut outcome),
            Some(Act::CarryOut(id, _)) => outcome.moves |= self.states.instructions.moves(id, self.held),
        }
        let (value, expected, block) = match &state.built {
            Built::Nothing => return (outcome, None),
            Built::Unknown(why) => {
                let moves = if why.is_about_fields() { outcome.moves_fields } else { outcome.moves };
                return (outcome, moves.then_some(Conflict::Unknown(why.words())));
            }
            Built::Known { value, expected, block } => (value, expected, block.as_deref()),
        };
        let built = match self.build_after(state) {
            Ok(built) => built,
            Err(conflict) => {
                let moves = outcome.moves;
                return (outcome, Some(conflict).filter(|_| moves));
            }
        };
        let difference = first_difference(expected, &built).or_else(|| identity_difference(expected, &built));
        let is_unchanged = || outcome.any_held && first_difference(value, &built).is_none();
        let is_compared = state.done.is_some() && (outcome.moves || !outcome.any_held);
        let conflict = difference.filter(|_| is_compared && !is_unchanged()).map(|field| match block {
            Some(block) => Conflict::Blocked(block),
            None if !outcome.moves => Conflict::Unseen(field),
            None => Conflict::Different(field),
        });
        // Even where nothing changes, the target does not take it.
        let is_sent = is_final && state.done.is_some() && !outcome.any_held;
        let conflict = conflict.or_else(|| block.filter(|_| is_sent).map(Conflict::Blocked));
        outcome.value = Some(built);
        (outcome, conflict)
    }

    /// Takes an object or a patch into account.
    fn include(&self, id: Id, outcome: &mut Outcome) {
        let moves = changes(self.tied, id) && !self.held.contains(id);
        outcome.moves |= moves;
        outcome.moves_fields |= moves && !only_changes_version(self.tied, id);
        outcome.any_held |= self.held.contains(id);
    }

    /// Builds a state after the conversion.
    ///
    /// # Errors
    /// Why it cannot be built.
    fn build_after(&self, state: &State) -> Result<Arc<Value>, Conflict<'c>> {
        let Some(Done { before, act }) = state.done else { return Ok(self.value_after(state.base)) };
        let object = self.outcomes[before].value.as_ref();
        let object = object.ok_or(Conflict::Unknown("what an earlier step of the build makes is not known"))?;
        let (id, role) = match act {
            Act::Merge { patch, .. } => {
                let merged = merged(object, &self.value_after(patch));
                let merged = merged.map(|merged| Arc::new(with_identity_of(object, merged)));
                return merged.ok_or_else(|| Conflict::Impossible("a directive of the patch is not known".to_owned()));
            }
            Act::CarryOut(id, role) => (id, role),
        };
        let instructions = &self.states.instructions;
        let (now, after) = (instructions.get(id, role), instructions.get_after(id, role, self.held));
        let block = instructions.block(id);
        let failed =
            || Conflict::Impossible(block.unwrap_or("it no longer applies to the converted object").to_owned());
        if let Built::Known { value, .. } = &self.states.built.states[before].built
            && let Some(reads_the_same) = effect::reads_the_same(&after, object, &now, value)
        {
            return if reads_the_same && block.is_none() { Ok(Arc::clone(object)) } else { Err(failed()) };
        }
        effect::apply(&after, object).map(Arc::new).ok_or_else(failed)
    }

    /// Returns an object's data after the conversion.
    fn value_after(&self, id: Id) -> Arc<Value> {
        let object = self.tied.object(id);
        if self.held.contains(id) {
            return Arc::clone(&object.value);
        }
        let (kind, value) = Conversion::kind_and_value(self.tied.conversion(id), object);
        with_references(self.tied, kind, value).shared()
    }

    /// Says what is wrong with a state to which these acts lead.
    fn words(&self, acts: &[Act], conflict: Conflict<'_>) -> String {
        match conflict {
            Conflict::Unknown(why) => why.to_owned(),
            Conflict::Impossible(why) => why,
            Conflict::Blocked(block) => format!("the object that they build cannot be converted: {block}"),
            Conflict::Unseen(field) => format!(
                "the object that they build needs a conversion of `{field}`, which neither of the two files shows alone"
            ),
            Conflict::Different(field) => self.reason(acts).unwrap_or_else(|| {
                format!("converted one by one, they would build a `{field}` that differs from the conversion of what they build now")
            }),
        }
    }

    /// Returns why one of these acts cannot follow the conversion.
    fn reason(&self, acts: &[Act]) -> Option<String> {
        let instructions = &self.states.instructions;
        let ids = acts.iter().filter_map(|act| match act {
            Act::Merge { .. } => None,
            Act::CarryOut(id, _) => Some(*id),
        });
        let block = ids.clone().rev().find_map(|id| instructions.block(id));
        let mut held = ids.filter(|id| instructions.is_held(*id, self.held));
        block.or_else(|| held.next().map(|_| "what is applied to it is held back")).map(str::to_owned)
    }

    /// Adds what is to be held back because of a state of `base` to which these acts lead.
    fn report(&mut self, base: Id, acts: &[Act], why: &str) {
        let (tied, held, instructions) = (self.tied, self.held, &self.states.instructions);
        let Some(last) = acts.last().copied() else { return };
        let is_moving = |act: &Act| match act {
            Act::Merge { patch, .. } => changes(tied, *patch),
            Act::CarryOut(id, _) => instructions.is_changed(*id),
        };
        // Where nothing shows alone that there is something to do, the patch is where to look.
        let is_idle = !changes(tied, base) && !acts.iter().any(is_moving);
        let is_reported = |act: &Act| if is_idle { *act == last } else { is_moving(act) };
        let patch = match last {
            Act::Merge { patch, .. } => format!("{} at {}", tied.object(patch).title(), tied.location(patch)),
            Act::CarryOut(id, role) => instructions.describe(tied, id, role),
        };
        let help = match last {
            Act::CarryOut(_, Role::Labels) => {
                "convert it by hand, and write its selector so that `kustomize build` makes the one that it makes now"
            }
            _ => CONVERT_BOTH,
        };
        let finding = |id: Id, relation: String| {
            let message = format!("{relation}; {why}");
            let remark = Remark::new(Code::ConvertsTogether, FieldPath::default(), message).help(help);
            tied.finding(id, &remark, Severity::Held)
        };
        if changes(tied, base) && !held.contains(base) {
            self.objects.entry(base).or_insert_with(|| finding(base, format!("it is patched by {patch}")));
        }
        let target = format!("it is merged into {} at {}", tied.object(base).title(), tied.location(base));
        for act in acts {
            match act {
                Act::Merge { patch, .. } if is_reported(act) && !held.contains(*patch) => {
                    self.objects.entry(*patch).or_insert_with(|| finding(*patch, target.clone()));
                }
                // Labels stay as they are: nothing can be done at them.
                Act::Merge { .. } | Act::CarryOut(_, Role::Labels) => {}
                Act::CarryOut(id, role) if is_reported(act) || *act == last => {
                    let holder = instructions.holder(*id);
                    let severity = if held.is_kept(base) { Severity::Note } else { Severity::Held };
                    let finding = || tied.finding(holder, &instructions.remark(tied, *id, *role, base, why), severity);
                    if !instructions.is_held(*id, held) {
                        self.instructions.entry(*id).or_insert_with(finding);
                    }
                    // Written as a text, it would be a patch that the next run converts.
                    let is_data = instructions.get(*id, *role).is_patch_as_data();
                    if is_data && tied.is_changed(holder) && !held.contains(holder) {
                        self.objects.entry(holder).or_insert_with(finding);
                    }
                }
                Act::CarryOut(..) => {}
            }
        }
    }
}

/// Returns whether an object names others whose kind changes.
fn has_references(tied: &TiedFiles<'_>, id: Id) -> bool {
    let object = tied.object(id);
    !tied.targets.references(&object.kind, &object.value).is_empty()
}

/// Returns whether an object changes, by itself or because of what it names.
fn changes(tied: &TiedFiles<'_>, id: Id) -> bool {
    tied.is_changed(id) || has_references(tied, id)
}

/// Returns the apiVersion or kind, where it differs.
fn identity_difference(expected: &Value, built: &Value) -> Option<FieldPath> {
    let differs = |key: &&str| expected.get(*key) != built.get(*key);
    ["apiVersion", "kind"].into_iter().find(differs).map(|key| FieldPath::default().key(key))
}
