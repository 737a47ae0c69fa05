//! Answers: what was done to an object on its way so far, what was lost, and why does it stop?
//!
//! A [`Session`] holds the object's data and changes it one [`Intent`] at a time; losses and normalizations are recorded with the place
//! where they stood when the session started. Part of an object can be worked on as if it were an object of its own.
//!
//! Invariant: the program, done to the data of the start, gives the data as it stands.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::growth::Growth;
use super::origin;
use super::surroundings::{Namespace, Neighbour, Surroundings};
use crate::field::{FieldPath, FieldPattern, Part, Step};
use crate::release::{ApiVersion, GroupKind};
use crate::yaml::{Intent, ProblemCode};

/// How something is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LossClass {
    /// A field without a place on the other side.
    DroppedField,
    /// Items of a list beyond what the other side can hold.
    Narrowed,
}

impl LossClass {
    /// Every class.
    pub const ALL: [Self; 2] = [Self::DroppedField, Self::Narrowed];
}

/// One thing that a conversion loses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// How it is lost.
    pub class: LossClass,
    /// Where it stood when the session started.
    pub path: FieldPath,
    /// Where it stood when it was lost.
    place: FieldPath,
    /// How many changes had been made by then.
    step: usize,
    /// Why, as one sentence without a final dot.
    pub reason: String,
}

/// Something that a conversion writes in another way, with the same meaning, and that the way back does not restore.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Normalization {
    /// Where it stood when the session started.
    pub path: FieldPath,
    /// Why it means the same, as one sentence without a final dot.
    pub reason: String,
}

/// Why an object cannot be taken across.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// Both sides of one change are in the object.
    Conflict {
        /// The old side's place.
        old: FieldPath,
        /// The new side's place.
        new: FieldPath,
    },
    /// The rule has no conversion for this shape.
    Refused {
        /// The place that decides.
        at: FieldPath,
        /// Why, as one sentence without a final dot.
        reason: String,
        /// What to do by hand.
        help: Option<String>,
    },
}

impl Halt {
    /// Returns the halt of a session about the value at `place` as one of the whole object's session, before any of the
    /// inner session's changes.
    fn outward(self, place: &FieldPath, inner: &Session<'_>) -> Self {
        let outer = |path: &FieldPath| place.join(&inner.origin(path));
        match self {
            Self::Conflict { old, new } => Self::Conflict { old: outer(&old), new: outer(&new) },
            Self::Refused { at, reason, help } => Self::Refused { at: outer(&at), reason, help },
        }
    }
}

/// Whether an object is whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// The object is applied as it stands.
    Whole,
    /// The object is merged into another one (a Kustomize patch), so a field that is not there says nothing.
    Partial,
}

/// One object on its way through lenses: its data as it stands, what was done to it, what was lost.
#[derive(Clone, Debug)]
pub struct Session<'a> {
    /// Shared with where it comes from until the first change.
    object: Arc<Value>,
    program: Vec<Intent>,
    losses: Vec<Loss>,
    normalized: Vec<Normalization>,
    /// What is likely wrong, and stays.
    doubts: Vec<Normalization>,
    surroundings: Option<&'a Surroundings<'a>>,
    completeness: Completeness,
    namespace: Namespace,
    /// Whether the session is about an item of a list, which is whole whatever the object is.
    is_item: bool,
    relies_on: BTreeSet<ObjectName>,
    growth: Growth,
}

/// What an object is called in a run: kind, namespace, name.
pub type ObjectName = (GroupKind, Namespace, Option<String>);

impl<'a> Session<'a> {
    /// Starts with the data of an object that is whole and alone.
    pub fn new(object: impl Into<Arc<Value>>) -> Self {
        let object = object.into();
        let written = object.get("metadata").and_then(|metadata| metadata.get("namespace")).and_then(Value::as_str);
        Self {
            namespace: Namespace::written(written),
            object,
            program: Vec::new(),
            losses: Vec::new(),
            normalized: Vec::new(),
            doubts: Vec::new(),
            surroundings: None,
            completeness: Completeness::Whole,
            is_item: false,
            relies_on: BTreeSet::new(),
            growth: Growth::NONE,
        }
    }

    /// Starts with the data of an object among others.
    pub fn among(
        object: impl Into<Arc<Value>>,
        surroundings: &'a Surroundings<'a>,
        completeness: Completeness,
    ) -> Self {
        Self { surroundings: Some(surroundings), completeness, ..Self::new(object) }
    }

    /// Starts with the data of an object that lives in `namespace`, whatever its data says.
    #[must_use]
    pub fn living_in(self, namespace: Namespace) -> Self {
        Self { namespace, ..self }
    }

    /// Returns where the object lives: another file of the run can say that it is elsewhere than is written.
    pub fn namespace(&self) -> &Namespace {
        if let Some(surroundings) = self.surroundings {
            surroundings.locate();
        }
        &self.namespace
    }

    /// Says whether another file of the run gives the object what stands in the fields that match `field`: its namespace.
    pub fn is_given(&self, field: &FieldPattern) -> bool {
        *field == FieldPath::default().key("metadata").key("namespace").pattern() && self.namespace().is_given()
    }

    /// Returns the object's data for reading: where one of the fields that are read, of which `reads` tells any that is meant, is
    /// its namespace, with the one that it lives in, and with none where that is not certain.
    pub fn seen_for(&self, reads: impl FnOnce(&dyn Fn(&FieldPattern) -> bool) -> bool) -> Cow<'_, Value> {
        let is_namespace = |field: &FieldPattern| match field.parts() {
            [Part::Key(outer), Part::Key(inner)] => outer == "metadata" && inner == "namespace",
            _ => false,
        };
        if reads(&is_namespace) { self.applied() } else { Cow::Borrowed(&self.object) }
    }

    fn applied(&self) -> Cow<'_, Value> {
        let key = "namespace";
        let metadata = self.object.get("metadata").and_then(Value::as_object);
        let Some(metadata) = metadata else { return Cow::Borrowed(&self.object) };
        let home = self.namespace();
        if metadata.get(key).and_then(Value::as_str) == home.name() {
            return Cow::Borrowed(&self.object);
        }
        let mut applied = Value::clone(&self.object);
        if let Some(metadata) = applied.get_mut("metadata").and_then(Value::as_object_mut) {
            match home.name() {
                Some(name) => drop(metadata.insert(key.to_owned(), Value::from(name))),
                None => drop(metadata.shift_remove(key)),
            }
        }
        Cow::Owned(applied)
    }

    /// Returns the other objects of the run; `None` where there is no run.
    pub const fn surroundings(&self) -> Option<&'a Surroundings<'a>> {
        self.surroundings
    }

    /// Says whether the object is whole: another file of the run can say that it is not.
    pub fn completeness(&self) -> Completeness {
        if let (Some(surroundings), false) = (self.surroundings, self.is_item) {
            surroundings.ask();
        }
        self.completeness
    }

    /// Records that the object's conversion is right only together with that of `other`.
    pub fn rely_on(&mut self, other: &Neighbour<'_>) {
        self.relies_on.insert((other.kind.clone(), other.namespace.clone(), other.name.map(str::to_owned)));
    }

    /// Returns the objects that must be converted together with this one.
    pub const fn relies_on(&self) -> &BTreeSet<ObjectName> {
        &self.relies_on
    }

    /// Returns the object's data as it stands, for another session.
    pub fn share(&self) -> Arc<Value> {
        Arc::clone(&self.object)
    }

    /// Returns the object's data as it stands.
    pub fn object(&self) -> &Value {
        &self.object
    }

    /// Returns what was done so far, with paths from the object.
    pub fn program(&self) -> &[Intent] {
        &self.program
    }

    /// Returns what was lost so far.
    pub fn losses(&self) -> &[Loss] {
        &self.losses
    }

    /// Returns what was written in another way so far.
    pub fn normalized(&self) -> &[Normalization] {
        &self.normalized
    }

    /// Returns what is likely wrong in the object and stays.
    pub fn doubts(&self) -> &[Normalization] {
        &self.doubts
    }

    /// Makes one change to the data and records it.
    ///
    /// # Errors
    /// A [`Halt::Conflict`] where the place is taken, a [`Halt::Refused`] where the data has no such place or the rules make
    /// more of the object than any object is.
    pub fn change(&mut self, intent: Intent) -> Result<(), Halt> {
        self.growth.take(&intent, &self.object).map_err(|reason| {
            let help = Some("mend the pack, or convert the object by hand".to_owned());
            Halt::Refused { at: origin::places(&intent).0, reason, help }
        })?;
        intent.apply_data(Arc::make_mut(&mut self.object)).map_err(|problem| {
            let (old, new) = origin::places(&intent);
            match problem.code {
                ProblemCode::Exists => Halt::Conflict { old, new },
                _ => Halt::Refused { at: old, reason: problem.message, help: None },
            }
        })?;
        self.program.push(intent);
        Ok(())
    }

    /// Runs `steps` on the value at `place` as if it were an object of its own.
    ///
    /// # Errors
    /// That of `steps`, with its places as they are called from the object.
    pub fn within(
        &mut self,
        place: &FieldPath,
        steps: impl FnOnce(&mut Session<'_>) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        if place.steps().is_empty() {
            return steps(self);
        }
        let Some(value) = place.get(&self.object).cloned() else { return Ok(()) };
        // A patch replaces a list as a whole, so its items are whole.
        let item = place.steps().iter().any(|step| matches!(step, Step::Index(_)));
        let completeness = if item { Completeness::Whole } else { self.completeness };
        let (is_item, namespace) = (item || self.is_item, self.namespace.clone());
        let mut inner =
            Session { surroundings: self.surroundings, completeness, is_item, namespace, ..Session::new(value) };
        steps(&mut inner).map_err(|halt| halt.outward(place, &inner))?;
        let (started, done) = (self.origin(place), self.program.len());
        self.relies_on.extend(inner.relies_on);
        self.losses.extend(inner.losses.into_iter().map(|loss| Loss {
            path: started.join(&loss.path),
            place: place.join(&loss.place),
            step: done + loss.step,
            ..loss
        }));
        let normalized = inner.normalized.into_iter();
        self.normalized.extend(normalized.map(|told| Normalization { path: started.join(&told.path), ..told }));
        let doubts = inner.doubts.into_iter();
        self.doubts.extend(doubts.map(|told| Normalization { path: started.join(&told.path), ..told }));
        inner.program.iter().try_for_each(|intent| self.change(intent.under(place)))
    }

    /// Records the loss of what stands at `path` now.
    pub fn lose(&mut self, class: LossClass, path: &FieldPath, reason: impl Into<String>) {
        let (place, step) = (path.clone(), self.program.len());
        self.losses.push(Loss { class, path: self.origin(path), place, step, reason: reason.into() });
    }

    /// Returns where what a loss took stood after the first `step` changes; `None` where it was gone by then.
    pub fn lost_from(&self, step: usize, loss: &Loss) -> Option<FieldPath> {
        self.program[..loss.step].get(step..).map(|program| origin::origin(program, &loss.place))
    }

    /// Returns where what stands at `path` now stood after the first `step` changes.
    pub fn origin_after(&self, step: usize, path: &FieldPath) -> FieldPath {
        origin::origin(&self.program[step..], path)
    }

    /// Returns where what stood at `path` after the first `step` changes stands now; `None` where it went.
    pub fn destination_after(&self, step: usize, path: &FieldPath) -> Option<FieldPath> {
        origin::destination(&self.program[step..], path)
    }

    /// Records that what stands at `path` now means the same afterwards, but will not come back as it is written.
    pub fn normalize(&mut self, path: &FieldPath, reason: impl Into<String>) {
        self.normalized.push(Normalization { path: self.origin(path), reason: reason.into() });
    }

    /// Records that what stands at `path` now is likely wrong.
    pub fn doubt(&mut self, path: &FieldPath, reason: impl Into<String>) {
        self.doubts.push(Normalization { path: self.origin(path), reason: reason.into() });
    }

    /// Returns where what stands at `path` now stood when the session started.
    pub fn origin(&self, path: &FieldPath) -> FieldPath {
        origin::origin(&self.program, path)
    }

    /// Returns where stood, when the session started, what the change after the first `step` takes from; `None` where there
    /// is no such change.
    pub fn changed_at(&self, step: usize) -> Option<FieldPath> {
        let change = self.program.get(step)?;
        Some(origin::origin(&self.program[..step], &origin::places(change).0))
    }

    /// Returns where what stood at `path` when the session started stands now; `None` where it went.
    pub fn destination(&self, path: &FieldPath) -> Option<FieldPath> {
        origin::destination(&self.program, path)
    }

    /// Gives the object another kind and group; its version stays until the target's is known.
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
        self.change(Intent::Replace { path: FieldPath::default().key(key), value })
    }

    /// Ends the session: the data, what was done, what was lost.
    pub fn finish(self) -> (Arc<Value>, Vec<Intent>, Vec<Loss>) {
        (self.object, self.program, self.losses)
    }
}
