//! Answers: what was done to an object so far, what was lost, and what else must be reported?
//!
//! A [`Session`] holds the object's data and changes it one [`Intent`] at a time; losses and normalizations are recorded with
//! the place that they had when the session started. A part of an object can be converted as if it were an object of its own.
//!
//! Every change is measured before it is made (`growth`).
//!
//! Invariant: the program, applied to the data of the start, gives the present data.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use super::context::{Context, Namespace, ObjectId, ObjectPlace, ObjectView};
use super::growth::Growth;
use super::open_parts::{ByDefault, Hole, OpenParts, with_entries};
use super::origin;
use crate::knowledge::release::{ApiVersion, GroupKind};
use crate::syntax::field::{Entries, FieldPath, FieldPattern, Part, Step};
use crate::syntax::variable::{OpenText, is_of_action};
use crate::syntax::yaml::{Ends, Intent, Place, ProblemCode, Trail};

/// Whether an object is whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Completeness {
    /// The object is applied as it is.
    Whole,
    /// The object is completed by all that builds make of it, which is checked itself.
    Completed,
    /// The object is merged into another one (a Kustomize patch), so an absent field can be set there.
    Partial,
}

/// What an object is converted to, as far as an operation asks for it.
pub(crate) trait Destination: fmt::Debug + Sync {
    /// Returns whether there are objects of `kind`, or of the kind that it becomes.
    fn has(&self, kind: &GroupKind) -> bool;
}

/// An object that was a part of another one.
#[derive(Clone, Debug)]
pub(crate) struct NewObject {
    /// Its kind.
    pub(crate) kind: GroupKind,
    /// Its data.
    pub(crate) value: Arc<Value>,
    /// What makes it of the data that the session of the other one started with.
    pub(crate) program: Vec<Intent>,
}

/// One object while lenses run on it: its present data, what was done to it, what was lost.
#[derive(Clone, Debug)]
pub struct Session<'a> {
    /// Shared with the caller until the first change.
    object: Arc<Value>,
    program: Trail<Intent>,
    losses: Vec<Loss>,
    normalized: Vec<Normalization>,
    /// What is likely wrong, and is left unchanged.
    doubts: Vec<Normalization>,
    context: Option<&'a Context<'a>>,
    completeness: Completeness,
    namespace: Namespace,
    place: ObjectPlace<'a>,
    /// What of the data is not known.
    open: Cow<'a, OpenParts>,
    /// What the users of a chart must set, and on which a refusal depends.
    required: Vec<Required>,
    converts_with: BTreeSet<ObjectId>,
    /// Nothing where it is not known: every kind is taken to be there.
    destination: Option<&'a dyn Destination>,
    /// The objects that parts of it became.
    split_off: Vec<NewObject>,
    /// The objects that became parts of it.
    taken_in: BTreeSet<ObjectId>,
    growth: Growth,
}

impl<'a> Session<'a> {
    /// Starts with the data of an object that is whole, without other objects.
    pub fn new(object: impl Into<Arc<Value>>) -> Self {
        let object = object.into();
        let written = object.entry("metadata").and_then(|metadata| metadata.text("namespace"));
        Self {
            namespace: Namespace::from_written(written),
            object,
            program: Trail::default(),
            losses: Vec::new(),
            normalized: Vec::new(),
            doubts: Vec::new(),
            context: None,
            completeness: Completeness::Whole,
            place: ObjectPlace::default(),
            open: Cow::default(),
            required: Vec::new(),
            converts_with: BTreeSet::new(),
            destination: None,
            split_off: Vec::new(),
            taken_in: BTreeSet::new(),
            growth: Growth::NONE,
        }
    }

    /// Starts with the data of an object of a run.
    pub(crate) fn in_context(
        object: impl Into<Arc<Value>>,
        context: &'a Context<'a>,
        completeness: Completeness,
    ) -> Self {
        Self { completeness, ..Self::new(object).with_context(context) }
    }

    /// Sets the other objects and the parameters that operations read.
    #[must_use]
    pub fn with_context(self, context: &'a Context<'a>) -> Self {
        Self { context: Some(context), ..self }
    }

    /// Sets the namespace of the object, which can differ from the one in its data.
    #[must_use]
    pub fn in_namespace(self, namespace: Namespace) -> Self {
        Self { namespace, ..self }
    }

    /// Sets where the object is.
    #[must_use]
    pub fn at(self, place: ObjectPlace<'a>) -> Self {
        Self { place, open: Cow::Borrowed(place.open), ..self }
    }

    /// Sets what the object is converted to.
    #[must_use]
    pub(crate) fn to(self, destination: &'a dyn Destination) -> Self {
        Self { destination: Some(destination), ..self }
    }

    /// Returns whether what the object is converted to has objects of `kind`, or of the kind that it becomes.
    pub(super) fn can_have(&self, kind: &GroupKind) -> bool {
        self.destination.is_none_or(|destination| destination.has(kind))
    }

    /// Records an object that a part of this one became.
    pub(super) fn record_split(&mut self, made: NewObject) {
        self.split_off.push(made);
    }

    /// Returns the objects that parts of this one became.
    pub(crate) fn split_off(&self) -> &[NewObject] {
        &self.split_off
    }

    /// Records that `other` became a part of the object.
    pub(super) fn record_join(&mut self, other: &ObjectView<'_>) {
        self.convert_together_with(other);
        self.taken_in.extend(other.place.id);
    }

    /// Returns the objects that became parts of this one.
    pub(crate) const fn taken_in(&self) -> &BTreeSet<ObjectId> {
        &self.taken_in
    }

    /// Returns where the object is.
    pub const fn place(&self) -> ObjectPlace<'a> {
        self.place
    }

    /// Returns the namespace of the object: a kustomization of the run can set another one than its data has.
    pub const fn namespace(&self) -> &Namespace {
        &self.namespace
    }

    /// Returns whether a kustomization of the run sets the field `field` of the object: its namespace.
    pub(crate) fn is_set_by_kustomization(&self, field: &FieldPattern) -> bool {
        is_namespace(field) && self.namespace().is_set()
    }

    /// Returns the object's data for reading `fields`. Where `metadata.namespace` is among them, it has the namespace that the object
    /// gets when it is applied, or none where that is not certain.
    pub(crate) fn view_for<'f>(&self, fields: impl IntoIterator<Item = &'f FieldPattern>) -> Cow<'_, Value> {
        let data = if fields.into_iter().any(is_namespace) { self.applied() } else { Cow::Borrowed(&*self.object) };
        if !self.open.has_contents() {
            return data;
        }
        Cow::Owned(with_entries(data.into_owned(), &self.open.holes))
    }

    /// Returns sessions that start with the present data as it is where the users of a chart set nothing, one for each turn of the ranges in the
    /// template, each with the places of what actions print.
    pub(crate) fn by_default(&self) -> Vec<(Self, Vec<FieldPath>)> {
        let all = self.open.by_default(&self.object).into_iter();
        let session = |one: ByDefault| {
            let session = Self {
                context: self.context,
                completeness: self.completeness,
                namespace: self.namespace.clone(),
                destination: self.destination,
                ..Self::new(one.data).at(self.place)
            };
            (Self { open: Cow::Owned(one.open), ..session }, one.printed)
        };
        all.map(session).collect()
    }

    fn applied(&self) -> Cow<'_, Value> {
        let key = "namespace";
        let metadata = self.object.get("metadata").and_then(Value::as_object);
        let Some(metadata) = metadata else { return Cow::Borrowed(&self.object) };
        let namespace = self.namespace();
        if metadata.get(key).and_then(Value::as_str) == namespace.name() {
            return Cow::Borrowed(&self.object);
        }
        let mut applied = Value::clone(&self.object);
        if let Some(metadata) = applied.get_mut("metadata").and_then(Value::as_object_mut) {
            match namespace.name() {
                Some(name) => drop(metadata.insert(key.to_owned(), Value::from(name))),
                None => drop(metadata.shift_remove(key)),
            }
        }
        Cow::Owned(applied)
    }

    /// Returns the other objects of the run; `None` where there is no run.
    pub const fn context(&self) -> Option<&'a Context<'a>> {
        self.context
    }

    /// Returns whether the object is whole: a kustomization of the run can use it as a patch.
    pub(crate) const fn completeness(&self) -> Completeness {
        self.completeness
    }

    /// Returns whether the mapping or list at `path` is whole: a patch replaces a list as a whole, so its items are.
    pub(super) fn completeness_at(&self, path: &FieldPath) -> Completeness {
        let is_in_list = path.steps().iter().any(|step| matches!(step, Step::Index(_)));
        match self.completeness {
            _ if self.open.contents().any(|hole| hole == path) => Completeness::Partial,
            _ if is_in_list => Completeness::Whole,
            completeness => completeness,
        }
    }

    /// Returns where actions print something into the value at `path`, or something that may have it.
    pub(super) fn printed_into(&self, path: &FieldPath) -> Option<&FieldPath> {
        let inside = || self.open.contents().find(|hole| hole.starts_with(path));
        let around = || self.open.contents().chain(&self.open.values).find(|around| path.starts_with(around));
        inside().or_else(|| around().filter(|_| path.get(&self.object).is_none()))
    }

    /// Returns where an action prints what may be the field `key` of the mapping at `parent`, or a part of it, as far as the data does not have
    /// that.
    pub(super) fn printed_around(&self, parent: &FieldPath, key: &str) -> Option<&FieldPath> {
        if !self.open.can_have_fields() {
            return None;
        }
        let path = parent.key(key);
        let is_empty = || path.get(&self.object).is_none_or(Value::is_null);
        let may_have = |hole: &&Hole| hole.path == *parent || hole.path == path;
        let contents = || self.open.holes.iter().filter(|hole| hole.is_content && is_empty());
        let printed = || self.open.values.iter().find(|printed| *printed == parent);
        let is_open = |hole: &&Hole| may_have(hole) && !hole.prints(parent, key);
        contents().find(is_open).map(|hole| &hole.path).or_else(printed)
    }

    /// Returns whether an action prints the field `key` of the mapping at `parent` where users set nothing.
    pub(super) fn prints_by_default(&self, parent: &FieldPath, key: &str) -> bool {
        self.open.holes.iter().any(|hole| hole.prints(parent, key))
    }

    /// Returns whether an action prints all or more of the value at `path`.
    pub(super) fn is_printed(&self, path: &FieldPath) -> bool {
        self.open.contents().any(|hole| hole == path)
    }

    /// Returns where an action prints items of a list, if what matches `pattern` is one of them or in one.
    pub(crate) fn printed_items(&self, pattern: &FieldPattern) -> Option<&FieldPath> {
        let has_items = |list: &&FieldPath| {
            let (parts, steps) = (pattern.parts(), list.steps());
            let is_above = parts.len() > steps.len() && steps.iter().zip(parts).all(|(step, part)| part.takes(step));
            is_above && !matches!(parts[steps.len()], Part::Key(_))
        };
        self.open.contents().chain(&self.open.values).find(has_items)
    }

    /// Returns the first of `fields` that what an action prints may have, and where that is printed: as the value of a field, as items
    /// of a list, or, if it is one of `moved`, beside other fields.
    pub(crate) fn unseen<'f>(
        &self,
        fields: &'f [FieldPattern],
        moved: &[FieldPattern],
    ) -> Option<(&'f FieldPattern, &FieldPath)> {
        let is_in = |field: &FieldPattern, hole: &FieldPath| {
            let (parts, steps) = (field.parts(), hole.steps());
            let is_below = parts.len() > steps.len() && steps.iter().zip(parts).all(|(step, part)| part.takes(step));
            let can_have = || match (hole.get(&self.object), &parts[steps.len()]) {
                (Some(Value::Object(map)), Part::Key(key)) => !map.contains_key(key) && moved.contains(field),
                (Some(Value::Object(_)), _) => moved.contains(field),
                _ => true,
            };
            is_below && can_have()
        };
        let places = || self.open.contents().chain(&self.open.values);
        fields.iter().find_map(|field| Some((field, places().find(|hole| is_in(field, hole))?)))
    }

    /// Returns the first of `fields` that can be among what users of a chart set in some metadata, where no default of that is known.
    pub(crate) fn unknown<'f>(&self, fields: &'f [FieldPattern]) -> Option<(&'f FieldPattern, FieldPath, String)> {
        let is_metadata = |hole: &&Hole| hole.path.steps().contains(&Step::Key("metadata".to_owned()));
        let holes = || self.open.holes.iter().filter(|hole| !hole.is_content).filter(is_metadata);
        let can_have = |field: &FieldPattern, hole: &FieldPath| {
            let is_below = field.parts().len() > hole.steps().len() && field.starts_with(&hole.pattern());
            is_below && field.matches(&self.object).is_empty()
        };
        fields.iter().find_map(|field| {
            let hole = holes().find(|hole| hole.required.is_some() && can_have(field, &hole.path))?;
            Some((field, hole.path.clone(), hole.required.clone()?))
        })
    }

    /// Returns whether a variable is at `place`, and not what an action of a template prints.
    pub(crate) fn is_variable(&self, place: &FieldPath) -> bool {
        place.get(&self.object).is_some_and(|value| OpenText::of(value).is_some() && !is_of_action(value))
    }

    /// Records that the object can be converted only together with `other`.
    pub(crate) fn convert_together_with(&mut self, other: &ObjectView<'_>) {
        self.converts_with.extend(other.place.id);
    }

    /// Returns the objects that must be converted together with this one.
    pub(crate) const fn converts_with(&self) -> &BTreeSet<ObjectId> {
        &self.converts_with
    }

    /// Returns the object's present data, for another session.
    pub fn shared(&self) -> Arc<Value> {
        Arc::clone(&self.object)
    }

    /// Returns the object's present data.
    pub fn object(&self) -> &Value {
        &self.object
    }

    /// Returns what was done so far, with paths from the object.
    pub fn program(&self) -> &[Intent] {
        self.program.intents()
    }

    /// Returns what was lost so far.
    pub fn losses(&self) -> &[Loss] {
        &self.losses
    }

    /// Returns what was written in another way so far.
    pub fn normalized(&self) -> &[Normalization] {
        &self.normalized
    }

    /// Returns what is likely wrong in the object and is left unchanged.
    pub fn doubts(&self) -> &[Normalization] {
        &self.doubts
    }

    /// Makes one change to the data and records it.
    ///
    /// # Errors
    /// A [`Halt::Conflict`] where the place is taken, a [`Halt::Refused`] where the data has no such place or the object grows
    /// beyond the limits.
    pub fn change(&mut self, intent: Intent) -> Result<(), Halt> {
        self.growth.add(&intent, &self.object).map_err(|reason| {
            let help = Some("fix the rules of the pack, or convert the object by hand".to_owned());
            Halt::Refused { at: intent.ends().from, reason, help }
        })?;
        intent.apply_data(Arc::make_mut(&mut self.object)).map_err(|problem| {
            let Ends { from: old, to: new } = intent.ends();
            match problem.code {
                ProblemCode::Exists => Halt::Conflict { old, new },
                _ => Halt::Refused { at: old, reason: problem.message, help: None },
            }
        })?;
        if *self.open != OpenParts::default() {
            self.open.to_mut().follow(|path| intent.destination(path));
        }
        self.program.push(intent);
        Ok(())
    }

    /// Adds an entry or item at `path`.
    ///
    /// # Errors
    /// As [`Session::change`].
    pub(super) fn insert(&mut self, path: FieldPath, value: impl Into<Value>, place: Place) -> Result<(), Halt> {
        self.change(Intent::Insert { path, value: value.into(), place })
    }

    /// Replaces the value at `path`.
    ///
    /// # Errors
    /// As [`Session::change`].
    pub(super) fn replace(&mut self, path: FieldPath, value: impl Into<Value>) -> Result<(), Halt> {
        self.change(Intent::Replace { path, value: value.into() })
    }

    /// Removes the entry or item at `path`.
    ///
    /// # Errors
    /// As [`Session::change`].
    pub(super) fn delete(&mut self, path: FieldPath) -> Result<(), Halt> {
        self.change(Intent::Delete { path })
    }

    /// Moves the entry or item at `from`.
    ///
    /// # Errors
    /// As [`Session::change`].
    pub(super) fn relocate(&mut self, from: FieldPath, to: FieldPath, place: Place) -> Result<(), Halt> {
        self.change(Intent::Move { from, to, place })
    }

    /// Runs `steps` on the value at `place` as if it were an object of its own.
    ///
    /// # Errors
    /// That of `steps`, with its paths from the whole object.
    pub fn within(
        &mut self,
        place: &FieldPath,
        steps: impl FnOnce(&mut Session<'_>) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        if place.steps().is_empty() {
            return steps(self);
        }
        let Some(value) = place.get(&self.object).cloned() else { return Ok(()) };
        let mut inner = Session {
            context: self.context,
            completeness: self.completeness_at(place),
            namespace: self.namespace.clone(),
            open: self.open_below(place),
            ..Session::new(value).at(ObjectPlace { open: <&OpenParts>::default(), ..self.place })
        };
        steps(&mut inner).map_err(|halt| outward(halt, place, &inner))?;
        if !inner.split_off.is_empty() || !inner.taken_in.is_empty() {
            let help = "write `split` outside of `each`";
            return Err(Halt::refused(place.clone(), "a rule splits an object in a part of it", help));
        }
        let (started, done) = (self.origin(place), self.program().len());
        self.converts_with.extend(inner.converts_with);
        self.losses.extend(inner.losses.into_iter().map(|loss| Loss {
            path: started.join(&loss.path),
            place: place.join(&loss.place),
            step: done + loss.step,
            ..loss
        }));
        let outward = |inner: Normalization| Normalization { path: started.join(&inner.path), ..inner };
        self.normalized.extend(inner.normalized.into_iter().map(outward));
        self.doubts.extend(inner.doubts.into_iter().map(outward));
        let required = inner.required.into_iter();
        self.required.extend(required.map(|one| Required { path: started.join(&one.path), ..one }));
        inner.program.intents().iter().try_for_each(|intent| self.change(intent.under(place)))
    }

    /// Records the loss of the value that is at `path` now.
    pub(crate) fn record_loss(&mut self, class: LossClass, path: &FieldPath, reason: impl Into<String>) {
        let (place, step) = (path.clone(), self.program().len());
        self.losses.push(Loss { class, path: self.origin(path), place, step, reason: reason.into() });
    }

    /// Returns the path of a lost value after the first `step` changes; `None` where it was removed by then.
    pub(crate) fn lost_from(&self, step: usize, loss: &Loss) -> Option<FieldPath> {
        (step <= loss.step).then(|| self.program.origin(step..loss.step, &loss.place))
    }

    /// Returns whether the mappings and lists that held what was lost are still there.
    pub(crate) fn holds_places_of_losses(&self) -> bool {
        let holder = |loss: &Loss| Some((loss.step, loss.place.split_last()?.0));
        let mut holders = self.losses.iter().filter_map(holder);
        holders.all(|(step, holder)| self.destination_after(step, &holder).is_some())
    }

    /// Returns the path after the first `step` changes of the value that is at `path` now.
    pub(crate) fn origin_after(&self, step: usize, path: &FieldPath) -> FieldPath {
        self.program.origin(step..self.program().len(), path)
    }

    /// Returns the path before the changes of this range of the value that is at `path` after them.
    pub(super) fn origin_between(&self, changes: Range<usize>, path: &FieldPath) -> FieldPath {
        self.program.origin(changes, path)
    }

    /// Returns the present path of the value that was at `path` after the first `step` changes; `None` where it was removed.
    pub(crate) fn destination_after(&self, step: usize, path: &FieldPath) -> Option<FieldPath> {
        self.program.destination(step..self.program().len(), path, origin::destination)
    }

    /// Records that the value at `path` means the same after the conversion, but does not come back as it is written.
    pub(crate) fn record_normalization(&mut self, path: &FieldPath, reason: impl Into<String>) {
        let normalization = self.equivalence(Equivalence::Rewritten, path, reason);
        self.normalized.push(normalization);
    }

    fn equivalence(&self, how: Equivalence, path: &FieldPath, reason: impl Into<String>) -> Normalization {
        Normalization { path: self.origin(path), how, reason: reason.into() }
    }

    /// Reports once what is written in another way for the same reason at several places, of all but the first `since`.
    pub(super) fn report_once(&mut self, since: usize) {
        let mut reasons = BTreeSet::new();
        let later = self.normalized.split_off(since);
        self.normalized.extend(later.into_iter().filter(|normalization| reasons.insert(normalization.reason.clone())));
    }

    /// Records that the field at `path` is absent, and that its default is another one on the other side: `how` says what becomes of it.
    pub(super) fn record_changed_default(&mut self, how: Equivalence, path: &FieldPath, reason: impl Into<String>) {
        let normalization = self.equivalence(how, path, reason);
        self.normalized.push(normalization);
    }

    /// Forgets that an old default was written to `path`: another value is to be there.
    pub(crate) fn withdraw_default(&mut self, path: &FieldPath) {
        let origin = self.origin(path);
        self.normalized.retain(|one| one.path != origin || !matches!(one.how, Equivalence::Frozen(_)));
    }

    /// Records that the value at `path` is removed, and that this means the same.
    pub(crate) fn record_removal(&mut self, path: &FieldPath, reason: impl Into<String>) {
        let normalization = self.equivalence(Equivalence::Removed, path, reason);
        self.normalized.push(normalization);
    }

    /// Records that the value at `path` is likely wrong.
    pub(crate) fn record_doubt(&mut self, path: &FieldPath, reason: impl Into<String>) {
        let doubt = self.equivalence(Equivalence::Rewritten, path, reason);
        self.doubts.push(doubt);
    }

    /// Records that users of a chart must set the text at `path`, if so, and that the object is refused for some of what they can set.
    pub(super) fn record_required(&mut self, path: &FieldPath, reason: &str, advice: String) {
        let Some(Value::String(text)) = path.get(&self.object) else { return };
        if self.open.required.contains(text) {
            let (path, text, reason) = (self.origin(path), text.clone(), reason.to_owned());
            self.required.push(Required { path, text, reason, advice });
        }
    }

    /// Records that what an action prints at `path`, which stands as `text`, has no known default and can be of consequence.
    pub(crate) fn record_unknown(&mut self, path: &FieldPath, text: &str, reason: &str, advice: String) {
        let (path, text, reason) = (self.origin(path), text.to_owned(), reason.to_owned());
        self.required.push(Required { path, text, reason, advice });
    }

    /// Records the action that prints items of a list, of which no default is known, if what matches `pattern` is one of them or in one, and
    /// is changed or refused.
    pub(super) fn record_printed(&mut self, pattern: &FieldPattern) {
        let Some(place) = self.printed_items(pattern).cloned() else { return };
        let Some(text) = self.open.required_at(&self.object, &place).map(str::to_owned) else { return };
        if !self.has_unknown(&place, &text) {
            let reason = format!("items of {} are to be converted, or refused", self.origin(&place));
            self.record_unknown(&place, &text, &reason, "convert by hand what is set there".to_owned());
        }
    }

    /// Returns whether it is recorded that what an action prints at `path`, which stands as `text`, has no known default.
    pub(crate) fn has_unknown(&self, path: &FieldPath, text: &str) -> bool {
        let path = self.origin(path);
        self.required.iter().any(|one| one.path == path && one.text == text)
    }

    /// Returns what the users of a chart must set, and on which refusals depend.
    pub(crate) fn required(&self) -> &[Required] {
        &self.required
    }

    /// Returns what of the present data is not known.
    pub(crate) fn open(&self) -> &OpenParts {
        &self.open
    }

    fn open_below(&self, place: &FieldPath) -> Cow<'a, OpenParts> {
        let is_closed = *self.open == OpenParts::default();
        if is_closed { Cow::default() } else { Cow::Owned(self.open.below(place)) }
    }

    /// Returns the path at the start of the session of the value that is at `path` now.
    pub fn origin(&self, path: &FieldPath) -> FieldPath {
        self.origin_after(0, path)
    }

    /// Returns the path at the start of the session of the value that the change after the first `step` changes; `None` where
    /// there is no such change.
    pub(crate) fn changed_at(&self, step: usize) -> Option<FieldPath> {
        let change = self.program().get(step)?;
        Some(self.program.origin(0..step, &change.ends().from))
    }

    /// Returns the present path of the value that was at `path` at the start of the session; `None` where it was removed.
    pub(crate) fn destination(&self, path: &FieldPath) -> Option<FieldPath> {
        self.destination_after(0, path)
    }

    /// Gives the object another kind and group; its version is left unchanged until that of the target is known.
    ///
    /// # Errors
    /// As [`Session::change`].
    pub fn retype(&mut self, kind: &GroupKind) -> Result<(), Halt> {
        let version = self.object.get("apiVersion").and_then(Value::as_str).map(ApiVersion::parse);
        let version = version.map(|version| version.version).unwrap_or_default();
        let api_version = ApiVersion { group: kind.group.clone(), version };
        self.set("kind", Value::from(kind.kind.as_str()))?;
        self.set("apiVersion", Value::from(api_version.to_string()))
    }

    /// Replaces the value of a top-level key, where it differs.
    ///
    /// # Errors
    /// As [`Session::change`].
    pub fn set(&mut self, key: &str, value: Value) -> Result<(), Halt> {
        if self.object.get(key) == Some(&value) {
            return Ok(());
        }
        self.replace(FieldPath::default().key(key), value)
    }

    /// Ends the session: the data, what was done, what was lost.
    pub fn finish(self) -> (Arc<Value>, Vec<Intent>, Vec<Loss>) {
        (self.object, self.program.into_intents(), self.losses)
    }
}

/// Returns whether a field is the namespace of the object.
fn is_namespace(field: &FieldPattern) -> bool {
    matches!(field.parts(), [Part::Key(outer), Part::Key(inner)] if outer == "metadata" && inner == "namespace")
}

/// Returns the halt of the session `inner`, about the value at `place`, with its paths as they are in the whole object before
/// any change of the inner session.
fn outward(halt: Halt, place: &FieldPath, inner: &Session<'_>) -> Halt {
    let outer = |path: &FieldPath| place.join(&inner.origin(path));
    match halt {
        Halt::Conflict { old, new } => Halt::Conflict { old: outer(&old), new: outer(&new) },
        Halt::Refused { at, reason, help } => Halt::Refused { at: outer(&at), reason, help },
        Halt::Undecided { at, reason, help } => Halt::Undecided { at: outer(&at), reason, help },
    }
}

/// Why an object cannot be converted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The object has the fields of both sides of a change.
    Conflict {
        /// The path of the old field.
        old: FieldPath,
        /// The path of the new field.
        new: FieldPath,
    },
    /// The rule has no conversion for this shape.
    Refused {
        /// The path that decides.
        at: FieldPath,
        /// Why, as one sentence without a final dot.
        reason: String,
        /// What to do by hand.
        help: Option<String>,
    },
    /// It depends on a text whether the rule has a conversion, and that text is known later.
    Undecided {
        /// The path of the text.
        at: FieldPath,
        /// Why, as one sentence without a final dot.
        reason: String,
        /// What to do by hand.
        help: String,
    },
}

impl Halt {
    /// Refuses the object because of what is at `at`: why, and what to do by hand.
    pub(super) fn refused(at: FieldPath, reason: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Refused { at, reason: reason.into(), help: Some(help.into()) }
    }
}

/// A text of which the chart has no default, and with some of whose values the object is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Required {
    /// Its path when the session started.
    pub(crate) path: FieldPath,
    /// What stands for it.
    pub(crate) text: String,
    /// Why the object is refused, as one sentence without a final dot.
    pub(crate) reason: String,
    /// What to do then.
    pub(crate) advice: String,
}

/// How something is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LossClass {
    /// A field that the other side does not have.
    DroppedField,
    /// Items of a list beyond the number that the other side allows.
    TooManyItems,
}

impl LossClass {
    /// Every class.
    pub const ALL: [Self; 2] = [Self::DroppedField, Self::TooManyItems];
}

/// A value that a conversion loses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// How it is lost.
    pub class: LossClass,
    /// Its path when the session started.
    pub path: FieldPath,
    /// Its path when it was lost.
    pub(super) place: FieldPath,
    /// The number of changes made before.
    pub(super) step: usize,
    /// Why, as one sentence without a final dot.
    pub reason: String,
}

/// How a value means the same although it is written in another way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Equivalence {
    /// It has another form.
    Rewritten,
    /// It is not written at all.
    Removed,
    /// It is absent, and its default is another one: the old one is written out, which this parameter decides.
    Frozen(String),
    /// The same, but the user chose that the new default counts.
    Adopted,
}

/// A value that a conversion writes in another way, with the same meaning, and that converting back does not restore.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Normalization {
    /// Its path when the session started.
    pub path: FieldPath,
    /// How it means the same.
    pub how: Equivalence,
    /// Why it means the same, as one sentence without a final dot.
    pub reason: String,
}
