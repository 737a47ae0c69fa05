//! Does Kustomize build the conversion of what it built before?
//!
//! What is built of an object, patch by patch and replacement by replacement, in every kustomization, is one [`State`] after another.
//! Each is converted as one object; carried out on the converted object, the converted patches must build just that. JSON
//! patches, replacements and variables get the texts that do so (`json_patch`, `replacement`); a strategic merge patch is converted
//! like an object, and merged key by key: lists and other values replace what was there (RFC 7396). Where something else would be
//! built, all that changes is held back. Where nothing changes and what is built needs it, that is reported at the patch.
//!
//! Invariant: after [`States::hold`], every state of an object that changes is the conversion of what was built before.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use serde_json::Value;

use super::applications::{Application, Carrier};
use super::carriers::Carriers;
use super::difference::first_difference;
use super::held::{CarrierId, Held};
use super::json_patch::{self, Converted, Proposal};
use super::labels;
use super::layers::Layers;
use super::linked::{Id, Linked};
use super::merge::merged;
use super::patches::only_changes_version;
use super::replacement;
use super::steps::Role;
use crate::engine::convert::{Conversion, ObjectContext, Remark, convert, update};
use crate::engine::finding::{Code, Finding, Severity};
use crate::engine::manifest::Object;
use crate::knowledge::lens::{Completeness, Context, Session};
use crate::knowledge::release::GroupKind;
use crate::syntax::field::{FieldPath, Step};

/// What is built of an object at one point.
struct State {
    base: Id,
    /// What was built before, and what was done to it; nothing for the object as its file has it.
    done: Option<(usize, Act)>,
    built: Built,
}

/// Something that Kustomize does to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Act {
    /// It merges a patch into it.
    Merge(Id),
    /// It merges a patch into it by a schema of its own.
    MergeBySchema(Id),
    /// It carries out a JSON patch, or reads or writes a field.
    Carry(CarrierId, Role),
}

/// The object that is built.
enum Built {
    /// This one, which becomes `expected`, or stays what it is where that is blocked.
    Known { value: Arc<Value>, expected: Arc<Value>, block: Option<String> },
    /// It is not known, for this reason.
    Unknown(&'static str),
    /// None: it is deleted.
    Nothing,
}

/// Why what is built is not known.
const DIRECTIVE: &str =
    "the patch has a directive for Kustomize (`$patch`), and the result of merging a converted patch is not known";
const UNREAD: &str = "its file is not read, or cannot be, and so its fields are not known";
const FAILED: &str = "it cannot be carried out on the object as the files show it: an earlier step of the build must write what it needs";
const UNKNOWN: &str = "it is not read, and so nothing is known of what it does";
const SCHEMA: &str =
    "a schema of its own (`openapi`) tells Kustomize how to merge its lists, by version, and is not converted";

/// All states of the objects of a run that are patched.
pub(crate) struct States {
    states: Vec<State>,
    /// The objects with too many states.
    unbounded: BTreeSet<Id>,
    pub(crate) carriers: Carriers,
}

/// What becomes of a state.
#[derive(Clone, Default)]
struct After {
    /// What is built after the conversion, where that is known.
    made: Option<Arc<Value>>,
    /// Whether any object, patch or replacement up to there changes.
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

/// What is to be held back.
#[derive(Default)]
struct More {
    objects: BTreeMap<Id, Finding>,
    carriers: BTreeMap<CarrierId, Finding>,
}

/// The making of the states.
struct Builder<'b> {
    linked: &'b Linked<'b>,
    others: &'b Context<'b>,
    /// The values that replacements read.
    sources: BTreeMap<CarrierId, Value>,
    found: RefCell<Found>,
    /// What was converted so far: each state of an object once, whatever leads to it.
    conversions: RefCell<BTreeMap<Id, Vec<ConvertedState>>>,
}

/// The conversion of a state of an object; `None` where no target is about it.
struct ConvertedState {
    value: Arc<Value>,
    conversion: Option<Rc<Conversion>>,
}

#[derive(Default)]
struct Found {
    states: Vec<State>,
    by_act: BTreeMap<(usize, Act), usize>,
    proposals: Vec<(CarrierId, Result<Proposal, String>)>,
}

impl States {
    /// Builds what the files of a group build, as far as patches and replacements change it; the carriers `elsewhere` may be applied to
    /// objects that are not known too.
    pub(crate) fn new(linked: &Linked<'_>, elsewhere: &[Carrier], others: &Context<'_>) -> Self {
        let mut carriers = Carriers::new(linked, linked.applications, elsewhere);
        let sources = sources(linked, &carriers);
        let (found, conversions) = Default::default();
        let builder = Builder { linked, others, sources, found, conversions };
        let unbounded = builder.build(&carriers);
        let Found { states, proposals, .. } = builder.found.take();
        for (carrier, proposal) in proposals {
            carriers.propose(carrier, proposal);
        }
        carriers.set_sources(builder.sources);
        carriers.settle();
        Self { states, unbounded, carriers }
    }

    /// Returns the objects whose conversion reads the names of others, where kustomizations add prefixes or suffixes to names: Kustomize
    /// does not know the references that the conversion writes, and would leave them as they are.
    pub(crate) fn renamed(linked: &Linked<'_>) -> Vec<(Id, Finding)> {
        let relies = |id: &Id| {
            let before = &linked.object(*id).value;
            linked.conversion(*id).is_some_and(|made| {
                let names = made.converts_with.iter();
                let mut names = names.filter_map(|(file, at)| linked.run.files[*file].objects[*at].name.as_deref());
                names.any(|name| count(&made.value, name) > count(before, name))
            })
        };
        let relying: Vec<Id> = linked.objects().map(|(id, _, _)| id).filter(relies).collect();
        if relying.is_empty() {
            return Vec::new();
        }
        let finding = |id: Id| {
            let message = "its conversion writes the name of another object, to which a kustomization adds a prefix or suffix; Kustomize does not update such a reference";
            let help = "convert the objects by hand, with the names that they have after the build, or tell Kustomize about the reference with `nameReference`";
            let remark =
                Remark::new(Code::ConvertsTogether, FieldPath::default(), message.to_owned(), Some(help.to_owned()));
            (id, linked.finding(id, &remark, Severity::Held))
        };
        relying
            .into_iter()
            .filter(|id| Layers { graph: &linked.run.graph }.rename(&linked.manifest(*id).file))
            .map(finding)
            .collect()
    }

    /// Holds back the objects, patches and replacements that would build something else than the conversion of what is built;
    /// returns whether there were any.
    pub(crate) fn hold(&self, linked: &Linked<'_>, held: &mut Held) -> bool {
        let mut more = More::default();
        let renames = &linked.targets.renames;
        let is_held = |(id, _, object): (Id, _, &Object)| renames.contains_key(&object.kind) && held.contains(id);
        let names_held = !renames.is_empty() && linked.objects().any(is_held);
        let mut all: Vec<After> = Vec::with_capacity(self.states.len());
        for (number, state) in self.states.iter().enumerate() {
            let before = state.done.map(|(before, act)| (before, act, &all[before]));
            let (mut after, conflict) = self.after(linked, held, state, before);
            let follows_renamed = || {
                let Some((_, Act::Carry(carrier, _), _)) = before else { return false };
                let moves = self.carriers.is_changed(carrier) && !self.carriers.is_held(carrier, held);
                names_held && moves && names_renamed(linked, state.base)
            };
            let conflict = conflict.or_else(|| {
                let why = "it names an object whose kind changes and that is held back";
                follows_renamed().then_some(Conflict::Unknown(why))
            });
            // What comes first is reported.
            let follows_wrong = before.is_some_and(|(_, _, before)| before.is_wrong);
            after.is_wrong = follows_wrong || conflict.is_some();
            if let Some(conflict) = conflict.filter(|_| !follows_wrong) {
                let why = self.words(held, number, conflict);
                self.report(linked, held, number, &why, &mut more);
            }
            all.push(after);
        }
        for base in self.unbounded.iter().filter(|base| linked.is_changed(**base) && !held.contains(**base)) {
            let message = "its file is built in too many ways to compare what they build".to_owned();
            let help = "convert it and its patches by hand, and compare the output of `kustomize build`".to_owned();
            let remark = Remark::new(Code::ConvertsTogether, FieldPath::default(), message, Some(help));
            more.objects.insert(*base, linked.finding(*base, &remark, Severity::Held));
        }
        let any = held.extend(more.objects);
        held.extend_carriers(more.carriers) || any
    }

    /// Returns what becomes of a state, and what is wrong with that.
    fn after<'s>(
        &'s self,
        linked: &Linked<'_>,
        held: &Held,
        state: &'s State,
        before: Option<(usize, Act, &After)>,
    ) -> (After, Option<Conflict<'s>>) {
        let mut after = match before {
            None => After::default(),
            Some((_, _, before)) => After { made: None, ..before.clone() },
        };
        match before {
            None => after.include(linked, held, state.base),
            Some((_, Act::Merge(patch) | Act::MergeBySchema(patch), _)) => after.include(linked, held, patch),
            Some((_, Act::Carry(carrier, _), _)) => {
                after.moves |= self.carriers.is_changed(carrier) && !self.carriers.is_held(carrier, held);
            }
        }
        let (value, expected, block) = match &state.built {
            Built::Nothing => return (after, None),
            Built::Unknown(why) => {
                // Of a patch that is not read, the selector follows.
                let moves = if [UNREAD, DIRECTIVE, FAILED].contains(why) { after.moves_fields } else { after.moves };
                return (after, moves.then_some(Conflict::Unknown(why)));
            }
            Built::Known { value, expected, block } => (value, expected, block.as_deref()),
        };
        let made = match before {
            None => Ok(data_after(linked, state.base, held)),
            Some((number, act, After { made: Some(made), .. })) => {
                self.carry_out(linked, held, act, &self.states[number], made)
            }
            Some(_) => {
                let conflict =
                    after.moves.then_some(Conflict::Unknown("what an earlier step of the build makes is not known"));
                return (after, conflict);
            }
        };
        let made = match made {
            Ok(made) => made,
            Err(why) => {
                let conflict = after.moves.then_some(Conflict::Impossible(why));
                return (after, conflict);
            }
        };
        let difference = first_difference(expected, &made).or_else(|| identity_difference(expected, &made));
        let is_unchanged = || after.any_held && first_difference(value, &made).is_none();
        let conflict = difference.filter(|_| before.is_some() && !is_unchanged());
        let conflict = conflict.filter(|_| after.moves || !after.any_held).map(|field| match block {
            Some(block) => Conflict::Blocked(block),
            None if !after.moves => Conflict::Unseen(field),
            None => Conflict::Different(field),
        });
        after.made = Some(made);
        (after, conflict)
    }

    /// Says what is wrong with a state.
    fn words(&self, held: &Held, number: usize, conflict: Conflict<'_>) -> String {
        match conflict {
            Conflict::Unknown(why) => why.to_owned(),
            Conflict::Impossible(why) => why,
            Conflict::Blocked(block) => format!("the object that they build cannot be converted: {block}"),
            Conflict::Unseen(field) => format!(
                "the object that they build needs a conversion of `{field}`, which neither of the two files shows alone"
            ),
            Conflict::Different(field) => self.reason(&self.acts(number), held).unwrap_or_else(|| {
                format!("converted one by one, they would build a `{field}` that differs from the conversion of what they build now")
            }),
        }
    }

    /// Returns why one of these acts cannot follow the conversion.
    fn reason(&self, acts: &[Act], held: &Held) -> Option<String> {
        let blocked = |act: &Act| match act {
            Act::Merge(_) | Act::MergeBySchema(_) => None,
            Act::Carry(carrier, _) => self.carriers.block(*carrier).map(str::to_owned),
        };
        let is_held = |act: &&Act| matches!(act, Act::Carry(carrier, _) if self.carriers.is_held(*carrier, held));
        let own = acts.iter().rev().find_map(blocked);
        own.or_else(|| acts.iter().find(is_held).map(|_| "what is applied to it is held back".to_owned()))
    }

    /// Does something to the converted object.
    ///
    /// # Errors
    /// Why it cannot be done.
    fn carry_out(
        &self,
        linked: &Linked<'_>,
        held: &Held,
        act: Act,
        before: &State,
        object: &Arc<Value>,
    ) -> Result<Arc<Value>, String> {
        let (carrier, role) = match act {
            Act::Merge(patch) | Act::MergeBySchema(patch) => {
                let made = merged(object, &data_after(linked, patch, held));
                let made = made.map(|made| Arc::new(with_identity_of(object, made)));
                return made.ok_or_else(|| "a directive of the patch is not known".to_owned());
            }
            Act::Carry(carrier, role) => (carrier, role),
        };
        let is_held = self.carriers.is_held(carrier, held);
        let after = self.carriers.value(carrier, !is_held);
        let blocked = || self.carriers.block(carrier).map(str::to_owned);
        let failed = || blocked().unwrap_or_else(|| "it no longer applies to the converted object".to_owned());
        match role {
            Role::Merge | Role::Unread | Role::Unknown => Ok(Arc::clone(object)),
            Role::Labels => Ok(Arc::new(labels::written(after, object))),
            Role::JsonPatch => {
                let operations = after.as_array().map_or(&[][..], Vec::as_slice);
                json_patch::apply(operations, object).map(Arc::new).ok_or_else(failed)
            }
            Role::Source | Role::Variable => {
                let Built::Known { value, .. } = &before.built else { return Ok(Arc::clone(object)) };
                let old = replacement::read(self.carriers.value(carrier, false), value);
                match blocked().is_none() && old == replacement::read(after, object) {
                    true => Ok(Arc::clone(object)),
                    false => Err(failed()),
                }
            }
            Role::Field => {
                let Built::Known { value, .. } = &before.built else { return Ok(Arc::clone(object)) };
                let old = replacement::field_values(self.carriers.value(carrier, false), value);
                let is_same = old.len() == replacement::field_values(after, object).len() && blocked().is_none();
                if is_same { Ok(Arc::clone(object)) } else { Err(failed()) }
            }
            Role::Target(target) => {
                let Some(value) = self.carriers.source(carrier) else { return Ok(Arc::clone(object)) };
                match replacement::write(after, target, value, object) {
                    Some(made) => Ok(Arc::new(made)),
                    // As before the conversion, what other steps write to metadata is not seen.
                    None if replacement::is_about_metadata(after, target) => Ok(Arc::clone(object)),
                    None => Err(failed()),
                }
            }
        }
    }

    /// Adds what is to be held back because of a state.
    fn report(&self, linked: &Linked<'_>, held: &Held, number: usize, why: &str, more: &mut More) {
        let (base, acts) = (self.states[number].base, self.acts(number));
        let Some(last) = acts.last().copied() else { return };
        let is_moving = |act: &Act| match act {
            Act::Merge(id) | Act::MergeBySchema(id) => changes(linked, *id),
            Act::Carry(carrier, _) => self.carriers.is_changed(*carrier),
        };
        let is_idle = !changes(linked, base) && !acts.iter().any(is_moving);
        let place = match last {
            Act::Merge(id) | Act::MergeBySchema(id) => {
                format!("{} at {}", linked.object(id).title(), linked.location(id))
            }
            Act::Carry(carrier, role) => self.carriers.describe(linked, carrier, role),
        };
        let help = match last {
            Act::Carry(_, Role::Labels) => {
                "convert it by hand, and write its selector so that `kustomize build` makes the one that it makes now"
            }
            _ => {
                "convert both by hand; then the output of `kustomize build` after the change must be the converted output from before it"
            }
        };
        let remark = |words: String| {
            let message = format!("{words}; {why}");
            Remark::new(Code::ConvertsTogether, FieldPath::default(), message, Some(help.to_owned()))
        };
        if !is_idle && changes(linked, base) && !held.contains(base) {
            let finding = linked.finding(base, &remark(format!("it is patched by {place}")), Severity::Held);
            more.objects.entry(base).or_insert(finding);
        }
        let words = format!("it is merged into {} at {}", linked.object(base).title(), linked.location(base));
        for act in &acts {
            // Where nothing shows alone that there is something to do, the patch is where to look.
            let is_reported = if is_idle { *act == last } else { is_moving(act) };
            match act {
                Act::Merge(id) | Act::MergeBySchema(id) if is_reported && !held.contains(*id) => {
                    let finding = linked.finding(*id, &remark(words.clone()), Severity::Held);
                    more.objects.entry(*id).or_insert(finding);
                }
                // Labels stay as they are: nothing can be done at them.
                Act::Carry(_, Role::Labels) => {}
                Act::Carry(carrier, role) if is_reported || *act == last => {
                    let is_new = !self.carriers.is_held(*carrier, held);
                    let severity = if held.is_kept(base) { Severity::Note } else { Severity::Held };
                    let finding = || self.carriers.finding(linked, *carrier, *role, base, why, severity);
                    if is_new {
                        more.carriers.entry(*carrier).or_insert_with(finding);
                    }
                    // Written as a text, it would be a patch that the next run converts.
                    if let Some(holder) = self.carriers.holder_of_data(*carrier, *role)
                        && linked.is_changed(holder)
                        && !held.contains(holder)
                    {
                        more.objects.entry(holder).or_insert_with(finding);
                    }
                }
                Act::Merge(_) | Act::MergeBySchema(_) | Act::Carry(..) => {}
            }
        }
    }

    /// Returns what was done to an object up to a state, in order.
    fn acts(&self, number: usize) -> Vec<Act> {
        let mut acts = Vec::new();
        let mut state = &self.states[number];
        while let Some((before, act)) = state.done {
            acts.push(act);
            state = &self.states[before];
        }
        acts.reverse();
        acts
    }
}

impl After {
    /// Takes an object or a patch into account.
    fn include(&mut self, linked: &Linked<'_>, held: &Held, id: Id) {
        let moves = changes(linked, id) && !held.contains(id);
        self.moves |= moves;
        self.moves_fields |= moves && !only_changes_version(linked, id);
        self.any_held |= held.contains(id);
    }
}

impl Builder<'_> {
    /// Makes the states of every object that is patched; returns those with too many.
    fn build(&self, carriers: &Carriers) -> BTreeSet<Id> {
        let mut by_base: BTreeMap<Id, BTreeMap<usize, Vec<_>>> = BTreeMap::new();
        for application in self.linked.applications {
            by_base.entry(application.base).or_default().entry(application.host).or_default().push(application);
        }
        let run = self.linked.run;
        let mut unbounded = BTreeSet::new();
        for (base, by_host) in by_base {
            let start = self.start(base);
            let hosts: BTreeMap<&str, &Vec<_>> =
                by_host.iter().map(|(host, all)| (&*run.files[*host].file, all)).collect();
            let file = &self.linked.manifest(base).file;
            let layers = Layers { graph: &run.graph };
            let has_schema = layers.have_schema(file);
            let mut work = |host: &str, ways: BTreeSet<usize>| match hosts.get(host) {
                Some(all) => self.apply(all, ways, carriers, has_schema),
                None => ways,
            };
            let Some(ways) = layers.follow(file, start, &mut work) else {
                unbounded.insert(base);
                continue;
            };
            for (host, all) in &by_host {
                if run.files[*host].kustomization.is_some() {
                    continue;
                }
                let folders = all.iter().filter_map(|application| application.folder.as_deref());
                let folders: BTreeSet<&str> = folders.collect();
                let built = folders.iter().flat_map(|folder| run.graph.of_folder(folder));
                let mut taken: BTreeSet<usize> = built.filter_map(|host| ways.get(host)).flatten().copied().collect();
                if taken.is_empty() {
                    taken.insert(start);
                }
                self.apply(all, taken, carriers, false);
            }
        }
        unbounded
    }

    /// Makes the state of an object as its file has it.
    fn start(&self, base: Id) -> usize {
        let value = Arc::clone(&self.linked.object(base).value);
        let mut found = self.found.borrow_mut();
        found.states.push(State { base, done: None, built: Built::Nothing });
        let number = found.states.len() - 1;
        drop(found);
        let built = self.known(base, value);
        self.found.borrow_mut().states[number].built = built;
        number
    }

    /// Applies what one host applies to each of these states, in order.
    fn apply(
        &self,
        applications: &[&Application],
        mut ways: BTreeSet<usize>,
        carriers: &Carriers,
        has_schema: bool,
    ) -> BTreeSet<usize> {
        for application in applications {
            let Some(act) = self.act(application, carriers, has_schema) else { continue };
            let mut next = BTreeSet::new();
            for state in ways {
                next.insert(self.next(state, act, carriers));
                if !application.is_certain {
                    next.insert(state);
                }
            }
            ways = next;
        }
        ways
    }

    fn act(&self, application: &Application, carriers: &Carriers, has_schema: bool) -> Option<Act> {
        let merge = if has_schema { Act::MergeBySchema } else { Act::Merge };
        match application.carrier.role {
            Role::Merge => Some(merge(application.carrier.position)),
            role => carriers.number(&application.carrier).map(|carrier| Act::Carry(carrier, role)),
        }
    }

    /// Returns the state after `act`.
    fn next(&self, before: usize, act: Act, carriers: &Carriers) -> usize {
        if let Some(number) = self.found.borrow().by_act.get(&(before, act)) {
            return *number;
        }
        let (base, value) = {
            let found = self.found.borrow();
            let state = &found.states[before];
            let value = match &state.built {
                Built::Known { value, .. } => Ok(Arc::clone(value)),
                Built::Unknown(why) => Err(Built::Unknown(why)),
                Built::Nothing => Err(Built::Nothing),
            };
            (state.base, value)
        };
        let built = match value {
            Ok(value) => self.built(base, act, &value, carriers),
            Err(built) => built,
        };
        let mut found = self.found.borrow_mut();
        found.states.push(State { base, done: Some((before, act)), built });
        let number = found.states.len() - 1;
        found.by_act.insert((before, act), number);
        number
    }

    fn built(&self, base: Id, act: Act, value: &Arc<Value>, carriers: &Carriers) -> Built {
        let convert = |value: &Arc<Value>| self.converted(base, value);
        let (carrier, role) = match act {
            Act::Merge(patch) => return self.merged(base, patch, value),
            Act::MergeBySchema(patch) if has_list(&self.linked.object(patch).value) => return Built::Unknown(SCHEMA),
            Act::MergeBySchema(patch) => return self.merged(base, patch, value),
            Act::Carry(carrier, role) => (carrier, role),
        };
        let own = carriers.value(carrier, false);
        let source = self.sources.get(&carrier);
        let operations = own.as_array().map_or(&[][..], Vec::as_slice);
        let (made, proposal) = match (role, source) {
            (Role::Unread, _) => return Built::Unknown(UNREAD),
            (Role::Unknown, _) => return Built::Unknown(UNKNOWN),
            (Role::Merge, _) | (Role::Target(_), None) => return self.known(base, Arc::clone(value)),
            (Role::Source | Role::Variable, _) => {
                (Some(Value::clone(value)), replacement::follow_source(own, value, &convert))
            }
            (Role::Labels, _) => (Some(labels::written(own, value)), Ok(Proposal::new())),
            (Role::Field, _) => (Some(Value::clone(value)), replacement::follow_field(own, value, &convert)),
            (Role::JsonPatch, _) => {
                (json_patch::apply(operations, value), json_patch::follow(operations, value, &convert))
            }
            (Role::Target(target), Some(source)) => (
                replacement::write(own, target, source, value),
                replacement::follow_target(own, target, source, value, &convert),
            ),
        };
        let Some(made) = made else {
            let is_needed = !matches!(role, Role::Target(target) if replacement::is_about_metadata(own, target));
            return if is_needed { Built::Unknown(FAILED) } else { self.known(base, Arc::clone(value)) };
        };
        self.found.borrow_mut().proposals.push((carrier, proposal));
        self.known(base, Arc::new(made))
    }

    fn merged(&self, base: Id, patch: Id, value: &Arc<Value>) -> Built {
        let patch = &self.linked.object(patch).value;
        if patch.get("$patch").and_then(Value::as_str) == Some("delete") {
            return Built::Nothing;
        }
        match merged(value, patch) {
            Some(made) => self.known(base, Arc::new(with_identity_of(value, made))),
            None => Built::Unknown(DIRECTIVE),
        }
    }

    fn known(&self, base: Id, value: Arc<Value>) -> Built {
        let made = self.conversion(base, &value);
        let block = made.as_ref().and_then(|made| made.blocks.first()).map(|block| block.message.clone());
        let converted = made.as_ref().filter(|made| made.blocks.is_empty());
        let expected = Arc::clone(converted.map_or(&value, |made| &made.value));
        Built::Known { value, expected, block }
    }

    fn converted(&self, base: Id, value: &Arc<Value>) -> Option<Converted> {
        match self.conversion(base, value) {
            Some(made) => made
                .blocks
                .is_empty()
                .then(|| Converted { value: Arc::clone(&made.value), program: made.program.clone() }),
            None => Some(Converted { value: Arc::clone(value), program: Vec::new() }),
        }
    }

    /// Returns the conversion of what is built of an object.
    fn conversion(&self, base: Id, value: &Arc<Value>) -> Option<Rc<Conversion>> {
        let is_it = |state: &&ConvertedState| Arc::ptr_eq(&state.value, value) || state.value == *value;
        if let Some(state) = self.conversions.borrow().get(&base).and_then(|states| states.iter().find(is_it)) {
            return state.conversion.clone();
        }
        let conversion = self.convert(base, value).map(Rc::new);
        let state = ConvertedState { value: Arc::clone(value), conversion: conversion.clone() };
        self.conversions.borrow_mut().entry(base).or_default().push(state);
        conversion
    }

    fn convert(&self, base: Id, value: &Arc<Value>) -> Option<Conversion> {
        let object = self.linked.object(base);
        let whole = Object { value: Arc::clone(value), inline_patch: None, ..object.clone() };
        let made = if *value == object.value {
            // An object that is patched is no patch itself.
            self.linked.conversion(base).cloned()
        } else {
            let (namespace, place) = (self.linked.namespace(base), self.linked.place(base));
            let context = ObjectContext { completeness: Completeness::Whole, namespace, place, others: self.others };
            convert(&whole, self.linked.targets.goal, context)
        };
        if made.as_ref().is_some_and(|made| !made.blocks.is_empty()) {
            return made;
        }
        let (kind, data) = made.as_ref().map_or((&whole.kind, value), |made| (&made.kind, &made.value));
        let session = with_references(self.linked, kind, data);
        Conversion::with_changes(made, &whole, session)
    }
}

/// Updates the references in an object to kinds that are renamed, as if none of their objects were held back.
fn with_references(linked: &Linked<'_>, kind: &GroupKind, value: &Arc<Value>) -> Session<'static> {
    let mut session = Session::new(Arc::clone(value));
    for reference in linked.targets.references(kind, value) {
        // One that cannot be updated is reported where the object is.
        let _unchanged = update(&reference, &linked.targets.renames, &mut session);
    }
    session
}

/// Returns whether an object names others whose kind changes.
fn names_renamed(linked: &Linked<'_>, id: Id) -> bool {
    let object = linked.object(id);
    !linked.targets.references(&object.kind, &object.value).is_empty()
}

/// Returns whether an object changes, by itself or because of what it names.
fn changes(linked: &Linked<'_>, id: Id) -> bool {
    linked.is_changed(id) || names_renamed(linked, id)
}

/// Counts the texts in a value that are `text`.
fn count(value: &Value, text: &str) -> usize {
    match value {
        Value::String(own) => usize::from(own == text),
        Value::Array(items) => items.iter().map(|item| count(item, text)).sum(),
        Value::Object(map) => map.values().map(|value| count(value, text)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
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

/// Returns the values that replacements read, each from the first object that is its source, or written in it.
fn sources(linked: &Linked<'_>, carriers: &Carriers) -> BTreeMap<CarrierId, Value> {
    let mut found = carriers.constants();
    // Of a source that is not known, any value will do: its path matters.
    let applications = linked.applications;
    let targets = applications.iter().filter_map(|application| match application.carrier.role {
        Role::Target(target) => Some((application, target)),
        _ => None,
    });
    for application in applications.iter().filter(|one| one.carrier.role == Role::Source) {
        let Some(carrier) = carriers.number(&application.carrier) else { continue };
        let value = replacement::read(carriers.value(carrier, false), &linked.object(application.base).value);
        if let Some(value) = value {
            found.entry(carrier).or_insert(value);
        }
    }
    for (application, target) in targets {
        let Some(carrier) = carriers.number(&application.carrier) else { continue };
        let present = || {
            let present =
                replacement::present(carriers.value(carrier, false), target, &linked.object(application.base).value);
            present.unwrap_or_else(|| Value::from("x"))
        };
        found.entry(carrier).or_insert_with(present);
    }
    found
}

/// Returns the apiVersion or kind, where it differs.
fn identity_difference(expected: &Value, made: &Value) -> Option<FieldPath> {
    let differs = |key: &&str| expected.get(*key) != made.get(*key);
    ["apiVersion", "kind"].into_iter().find(differs).map(|key| FieldPath::default().key(key))
}

/// Returns an object's data after the conversion.
fn data_after(linked: &Linked<'_>, id: Id, held: &Held) -> Arc<Value> {
    let object = linked.object(id);
    if held.contains(id) {
        return Arc::clone(&object.value);
    }
    let (kind, value) = linked.conversion(id).map_or((&object.kind, &object.value), |made| (&made.kind, &made.value));
    with_references(linked, kind, value).shared()
}

/// Returns what was merged into `base` with what a patch does not change: apiVersion, kind, name and namespace.
fn with_identity_of(base: &Value, mut merged: Value) -> Value {
    for path in ["apiVersion", "kind", "metadata.name", "metadata.namespace"] {
        let path = FieldPath::new(path.split('.').map(|key| Step::Key(key.to_owned())));
        if let (Some(own), Some(made)) = (path.get(base), path.get_mut(&mut merged)) {
            made.clone_from(own);
        }
    }
    merged
}
