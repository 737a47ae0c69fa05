//! What does Kustomize build of each object that is patched, step by step?
//!
//! What is built of an object, patch by patch and replacement by replacement, in every kustomization, is one [`State`] after another.
//!
//! Invariant: a state comes after the one that it is made of.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use super::applications::Application;
use super::built_created::{BuiltCreated, JudgedCreated};
use super::built_objects::BuiltObjects;
use super::built_texts::BuiltTexts;
use super::effect;
use super::held::InstructionId;
use super::identity::{Identity, Parts};
use super::instruction::Proposal;
use super::instructions::{Act, Instructions};
use super::judged::{Sent, Verdict, finals, judge};
use super::layers::Layers;
use super::merge::{are_merged_differently, merged, with_identity_of};
use super::steps::Role;
use super::tied_files::{Id, TiedFiles};
use crate::engine::convert::{Conversion, Remark};
use crate::engine::manifest::Folder;
use crate::syntax::field::Entries;

/// What is built of an object at one point.
pub(super) struct State {
    pub(super) base: Id,
    /// What was done to a state before it; nothing for the object as its file has it.
    pub(super) done: Option<Done>,
    pub(super) built: Built,
    /// The parts that the object is found by and that were written up to there, and of these those whose old texts are forgotten.
    written: Parts,
    forgotten: Parts,
}

/// Something that was done to a state of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Done {
    /// The number of that state.
    pub(super) before: usize,
    pub(super) act: Act,
}

/// The object that is built.
pub(super) enum Built {
    /// This one, which becomes `expected`, or stays what it is where that is blocked.
    Known { value: Arc<Value>, expected: Arc<Value>, block: Option<String> },
    /// It is not known.
    Unknown(Unknown),
    /// None: it is deleted.
    Nothing,
}

/// Why what is built is not known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unknown {
    Directive,
    UnreadPatch,
    Failed,
    UnreadTransformer,
    Schema,
    Merging,
    Identity,
    Kind,
    Nested,
    Source,
}

impl Unknown {
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Directive => {
                "the patch has a directive for Kustomize (`$patch`), and the result of merging a converted patch is not known"
            }
            Self::UnreadPatch => "its file is not read, or cannot be, and so its fields are not known",
            Self::Failed => {
                "it cannot be carried out on the object as the files show it: an earlier step of the build must write what it needs"
            }
            Self::UnreadTransformer => "it is not read, and so nothing is known of what it does",
            Self::Schema => {
                "a schema of its own (`openapi`) tells Kustomize how to merge its lists, by version, and is not converted"
            }
            Self::Merging => {
                "Kustomize merges its lists item by item in one of the two apiVersions and replaces them in the other, so that it would build other items"
            }
            Self::Identity => {
                "it may find the object by a name, namespace, kind or apiVersion that another patch or replacement writes, and that is not followed"
            }
            Self::Nested => "it stands in a patch of an object that has Kustomize run, and is not converted there",
            Self::Source => {
                "several sources are named for folders here, and nothing shows which of them is this repository"
            }
            Self::Kind => "it writes another kind to the object, and what becomes of that is not known",
        }
    }

    /// Returns whether only a change of fields matters to it: where no more than the apiVersion changes, the selector follows.
    pub(super) const fn is_about_fields(self) -> bool {
        matches!(self, Self::Directive | Self::UnreadPatch | Self::Failed)
    }
}

/// What is built of the objects of a group.
#[derive(Default)]
pub(super) struct BuildStates {
    pub(super) states: Vec<State>,
    /// The states that leave Kustomize.
    pub(super) finals: BTreeSet<usize>,
    /// The objects with too many states.
    pub(super) unbounded: BTreeSet<Id>,
    /// What becomes of objects and patches by themselves, where that follows from what is built.
    pub(super) judged: BTreeMap<Id, Conversion>,
    /// What the instructions must say for each object that they are applied to.
    pub(super) proposals: Vec<(InstructionId, Result<Proposal, String>)>,
}

impl BuildStates {
    /// Returns what was done to an object up to a state, in order.
    pub(super) fn acts(&self, number: usize) -> Vec<Act> {
        let mut acts = Vec::new();
        let mut state = &self.states[number];
        while let Some(Done { before, act }) = state.done {
            acts.push(act);
            state = &self.states[before];
        }
        acts.reverse();
        acts
    }
}

/// The making of the states.
struct Builder<'b> {
    tied: &'b TiedFiles<'b>,
    instructions: &'b Instructions,
    objects: &'b BuiltObjects<'b>,
    made: BuildStates,
    /// The numbers of the states, by how they are made, and whether it is open that they are.
    numbers: BTreeMap<(Done, Option<Unknown>), usize>,
}

/// Makes the states of every object that is patched.
pub(super) fn build(tied: &TiedFiles<'_>, instructions: &Instructions, objects: &BuiltObjects<'_>) -> BuildStates {
    let made = BuildStates::default();
    let mut builder = Builder { tied, instructions, objects, made, numbers: BTreeMap::new() };
    let mut by_base: BTreeMap<Id, BTreeMap<usize, Vec<&Application>>> = BTreeMap::new();
    for application in tied.applications {
        by_base.entry(application.base).or_default().entry(application.host).or_default().push(application);
    }
    for (base, by_host) in by_base {
        builder.build_judged(base, &by_host);
    }
    builder.judge_patches();
    builder.judge_values();
    builder.judge_finals();
    builder.judge_inside();
    builder.made
}

impl<'b> Builder<'b> {
    /// Makes the states of an object to which hosts apply these, and again where the final ones show that it is judged as it is built.
    fn build_judged(&mut self, base: Id, by_host: &BTreeMap<usize, Vec<&Application>>) {
        let (states, proposals) = (self.made.states.len(), self.made.proposals.len());
        let Some(finals) = self.build_object(base, by_host) else {
            self.made.unbounded.insert(base);
            return;
        };
        match self.judge(base, states, &finals) {
            Verdict::AsWritten => self.made.finals.extend(finals.into_keys()),
            Verdict::Instead(conversion) => {
                self.made.finals.extend(finals.into_keys());
                self.made.judged.insert(base, conversion);
            }
            Verdict::AsBuilt(conversion, judgement) => {
                self.made.judged.insert(base, conversion);
                self.objects.judge(base, judgement);
                self.made.states.truncate(states);
                self.made.proposals.truncate(proposals);
                self.numbers.clear();
                let finals = self.build_object(base, by_host).unwrap_or_default();
                self.made.finals.extend(finals.into_keys());
            }
        }
    }

    /// Decides how an object is judged, whose states are those from number `first` on.
    fn judge(&self, base: Id, first: usize, finals: &BTreeMap<usize, &str>) -> Verdict {
        let states = &self.made.states;
        let sent = finals.iter().filter_map(|(number, by)| match &states[*number].built {
            Built::Known { value, .. } => Some(Some(Sent { by, value: Arc::clone(value) })),
            Built::Unknown(_) => Some(None),
            Built::Nothing => None,
        });
        let sent: Option<Vec<Sent<'_>>> = sent.collect();
        let is_rejected = |state: &State| matches!(state.built, Built::Known { block: Some(_), .. });
        judge(self.tied, self.objects, base, sent.as_deref(), states[first..].iter().any(is_rejected))
    }

    /// Gives patches the apiVersion of what is built of the objects that they are merged into.
    fn judge_patches(&mut self) {
        for application in self.tied.applications.iter().filter(|one| one.instruction.role == Role::Merge) {
            let patch = application.instruction.position;
            if !self.made.judged.contains_key(&patch) {
                let conversion = self.objects.converted_patch(patch, application.base);
                self.made.judged.extend(conversion.map(|conversion| (patch, conversion)));
            }
        }
    }

    /// Converts the values that patches give by the charts of what they make, where these agree.
    fn judge_values(&mut self) {
        let mut found: BTreeMap<Id, Vec<Conversion>> = BTreeMap::new();
        for state in &self.made.states {
            if let (Some(Done { act: Act::Merge { patch, .. }, .. }), Built::Known { value, .. }) =
                (state.done, &state.built)
            {
                let made = found.entry(patch).or_default();
                let conversion = self.objects.converted_values(patch, state.base, value);
                made.extend(conversion.filter(|one| made.iter().all(|other| other.value != one.value)));
            }
        }
        let agreed = found.into_iter().filter(|(_, made)| made.len() == 1);
        self.made.judged.extend(agreed.filter_map(|(patch, mut made)| Some((patch, made.pop()?))));
    }

    /// Reports what is to be done by hand about the final objects: at the object that each is made of, where neither that nor a patch of
    /// it shows it.
    fn judge_finals(&mut self) {
        for number in self.made.finals.clone() {
            let State { base, done: Some(_), built: Built::Known { value, .. }, .. } = &self.made.states[number] else {
                continue;
            };
            let (base, Some(sent)) = (*base, self.objects.conversion(*base, value)) else { continue };
            for remark in &sent.unresolved {
                let built = Remark { message: format!("{}, as Kustomize builds it", remark.message), ..remark.clone() };
                if !self.parts(number).any(|part| self.tells(part, &[remark, &built])) {
                    self.report(base, built);
                }
            }
        }
    }

    /// Judges what is converted apart from the final objects that hold it: the values of charts in texts, and the objects that these have
    /// created.
    fn judge_inside(&mut self) {
        let texts = BuiltTexts::new(self.tied, self.objects);
        let created = BuiltCreated { tied: self.tied, objects: self.objects, instructions: self.instructions };
        for number in self.made.finals.clone() {
            let State { base, done: Some(_), built, .. } = &self.made.states[number] else { continue };
            let (base, parts): (Id, Vec<Id>) = (*base, self.parts(number).collect());
            let value: Option<&Value> = match built {
                Built::Known { value, .. } => Some(value),
                Built::Unknown(_) => None,
                Built::Nothing => continue,
            };
            let acts = self.made.acts(number);
            let JudgedCreated { held, mut reported } = created.judged(base, &parts, value.map(|value| (value, &*acts)));
            self.made.judged.extend(texts.held(base, &parts, value).into_iter().chain(held));
            reported.extend(value.into_iter().flat_map(|value| texts.unconverted(base, &parts, value)));
            reported.into_iter().for_each(|(part, remark)| self.report(part, remark));
        }
    }

    /// Reports of an object or patch what is to be done by hand, once.
    fn report(&mut self, id: Id, remark: Remark) {
        let own = || self.tied.conversion(id).cloned().unwrap_or_else(|| Conversion::unchanged(self.tied.object(id)));
        let told = &mut self.made.judged.entry(id).or_insert_with(own).unresolved;
        if !told.contains(&remark) {
            told.push(remark);
        }
    }

    /// Returns whether one of `remarks` is reported of an object or patch by itself.
    fn tells(&self, id: Id, remarks: &[&Remark]) -> bool {
        let own = self.made.judged.get(&id).or_else(|| self.tied.conversion(id));
        let is_one = |told: &Remark| remarks.iter().any(|one| one.code == told.code && one.message == told.message);
        own.is_some_and(|own| own.unresolved.iter().any(is_one))
    }

    /// Returns the object that a state is made of, and the patches that were merged into it.
    fn parts(&self, number: usize) -> impl Iterator<Item = Id> {
        let before = |state: &&State| state.done.map(|done| &self.made.states[done.before]);
        let states = std::iter::successors(Some(&self.made.states[number]), before);
        states.map(|state| match state.done {
            Some(Done { act: Act::Merge { patch, .. }, .. }) => patch,
            _ => state.base,
        })
    }

    /// Makes the states of an object to which hosts apply these, and returns the final ones, each with the file of who hands it over;
    /// `None` where there are too many.
    fn build_object(
        &mut self,
        base: Id,
        by_host: &BTreeMap<usize, Vec<&Application>>,
    ) -> Option<BTreeMap<usize, &'b str>> {
        let run = self.tied.run;
        let built = self.known(base, Arc::clone(&self.tied.object(base).value));
        let start = self.add(State { base, done: None, built, written: Parts::new(), forgotten: Parts::new() });
        let by_file: BTreeMap<&str, &Vec<&Application>> =
            by_host.iter().map(|(host, applications)| (&*run.files[*host].file, applications)).collect();
        let (file, layers) = (&self.tied.manifest(base).file, Layers { graph: &run.graph });
        let has_schema = layers.have_schema(file);
        let ways = layers.follow(file, start, &mut |host, ways| match by_file.get(host) {
            Some(applications) => self.apply(applications, ways, has_schema),
            None => ways,
        })?;
        let mut controllers = Vec::new();
        // What a controller applies comes behind what the kustomization in its folder does.
        for (_, applications) in by_host.iter().filter(|(host, _)| run.files[**host].kustomization.is_none()) {
            let folders = applications.iter().filter_map(|application| application.folder.as_ref());
            let folders: BTreeSet<&Folder> = folders.collect();
            let built = folders.into_iter().flat_map(|folder| run.graph.of_folder(folder));
            let mut taken: BTreeSet<usize> = built.filter_map(|host| ways.get(host)).flatten().copied().collect();
            if taken.is_empty() {
                taken.insert(start);
            }
            controllers.push((applications, self.apply(applications, taken, false)));
        }
        Some(finals(run, file, start, &ways, &controllers))
    }

    fn add(&mut self, state: State) -> usize {
        self.made.states.push(state);
        self.made.states.len() - 1
    }

    /// Applies what one host applies to each of these states, in order; returns the states behind that.
    fn apply(
        &mut self,
        applications: &[&Application],
        mut states: BTreeSet<usize>,
        has_schema: bool,
    ) -> BTreeSet<usize> {
        for application in applications {
            let instruction = &application.instruction;
            let act = match self.instructions.id(instruction) {
                _ if instruction.role == Role::Merge => Act::Merge { patch: instruction.position, has_schema },
                Some(id) => Act::CarryOut(id, instruction.role),
                None => continue,
            };
            let mut next = BTreeSet::new();
            for before in states {
                let State { written, forgotten, .. } = &self.made.states[before];
                let is_found = application.identity.is_by_file;
                let is_open = application.identity.is_open_after(written, forgotten);
                let is_of_open_source =
                    application.folder.as_ref().is_some_and(|folder| self.tied.run.graph.is_open(folder));
                if !is_found && !is_open {
                    next.insert(before);
                    continue;
                }
                let unknown = match () {
                    () if is_open => Some(Unknown::Identity),
                    () if is_of_open_source => Some(Unknown::Source),
                    () => application.identity.changes_kind().then_some(Unknown::Kind),
                };
                next.insert(self.next(Done { before, act }, unknown, &application.identity));
                if !application.is_certain {
                    next.insert(before);
                }
            }
            states = next;
        }
        states
    }

    /// Returns the number of the state that something done to one before it makes, which is not known for the reason `unknown`.
    fn next(&mut self, done: Done, unknown: Option<Unknown>, identity: &Identity) -> usize {
        if let Some(number) = self.numbers.get(&(done, unknown)) {
            return *number;
        }
        let State { base, built, written, forgotten, .. } = &self.made.states[done.before];
        let (base, mut written, mut forgotten) = (*base, written.clone(), forgotten.clone());
        let built = match (built, unknown) {
            (Built::Known { .. }, Some(why)) => Built::Unknown(why),
            (Built::Known { value, .. }, None) => {
                let value = Arc::clone(value);
                self.built(base, done.act, &value)
            }
            (Built::Unknown(why), _) => Built::Unknown(*why),
            (Built::Nothing, _) => Built::Nothing,
        };
        identity.add_to(&mut written, &mut forgotten);
        let number = self.add(State { base, done: Some(done), built, written, forgotten });
        self.numbers.insert((done, unknown), number);
        number
    }

    /// Returns what an act makes of `value`.
    fn built(&mut self, base: Id, act: Act, value: &Arc<Value>) -> Built {
        let (id, role) = match act {
            Act::Merge { patch, has_schema } => return self.merge(base, patch, value, has_schema),
            Act::CarryOut(_, Role::Unread) => return Built::Unknown(Unknown::UnreadPatch),
            Act::CarryOut(_, Role::Unknown) => return Built::Unknown(Unknown::UnreadTransformer),
            Act::CarryOut(_, Role::Nested(_)) => return Built::Unknown(Unknown::Nested),
            Act::CarryOut(id, role) => (id, role),
        };
        let instruction = self.instructions.get(id, role);
        let Some(built) = effect::apply(&instruction, value) else { return Built::Unknown(Unknown::Failed) };
        let proposal = effect::follow(&instruction, value, &|value| self.objects.converted(base, value));
        self.made.proposals.push((id, proposal));
        self.known(base, Arc::new(built))
    }

    fn merge(&self, base: Id, patch: Id, value: &Arc<Value>, has_schema: bool) -> Built {
        let patch = &self.tied.object(patch).value;
        if has_schema && has_list(patch) {
            return Built::Unknown(Unknown::Schema);
        }
        if patch.text("$patch") == Some("delete") {
            return Built::Nothing;
        }
        let converted = self.objects.converted(base, value);
        if converted.is_some_and(|converted| are_merged_differently(value, &converted.value, patch)) {
            return Built::Unknown(Unknown::Merging);
        }
        match merged(value, patch) {
            Some(merged) => self.known(base, Arc::new(with_identity_of(value, merged))),
            None => Built::Unknown(Unknown::Directive),
        }
    }

    fn known(&self, base: Id, value: Arc<Value>) -> Built {
        let conversion = self.objects.conversion(base, &value);
        let block = conversion.as_ref().and_then(|conversion| conversion.blocks.first());
        let block = block.map(|block| block.message.clone());
        let expected = match &conversion {
            Some(conversion) if block.is_none() => Arc::clone(&conversion.value),
            _ => Arc::clone(&value),
        };
        Built::Known { value, expected, block }
    }
}

/// Returns whether a patch has a list in what it changes.
fn has_list(patch: &Value) -> bool {
    match patch {
        Value::Array(_) => true,
        Value::Object(map) => map.iter().any(|(key, value)| key != "metadata" && has_list(value)),
        _ => false,
    }
}
