//! Answers: how is one object taken across one documented change, and back?
//!
//! A [`Lens`] is a list of operations; running it on a [`Session`] changes the session's plain data and records every
//! change as an [`Intent`], which the text layer performs on the bytes. Backward, the operations' inverses run in reverse
//! order. An operation is one file here and one line in the list below; parsing, `explain` and the laws derive from it.
//!
//! Invariant: an operation finds its fields in the data as it stands; where nothing is on its old side it changes nothing.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use self::growth::Growth;
use crate::field::{FieldPath, FieldPattern, Part, Step};
use crate::release::{ApiVersion, GroupKind};
use crate::yaml::{Intent, ProblemCode};

mod condition;
mod growth;
#[cfg(test)]
mod laws;
mod naming;
mod origin;
mod surroundings;
#[cfg(test)]
mod trial;

pub use condition::Condition;
pub use surroundings::{Meant, Namespace, Neighbour, Surroundings};
pub use when::Keep;

/// Declares the operations: module, type. The name in rule files is that of the type's description.
macro_rules! operations {
    ($($module:ident $type:ident;)*) => {
        $(mod $module;)*

        /// Every operation of the lens language, in the order of the documentation.
        pub const OPERATIONS: &[Description] = &[$($module::$type::DESCRIPTION),*];

        fn named<'de, A: MapAccess<'de>>(name: &str, map: &mut A) -> Result<Box<dyn Operation>, A::Error> {
            $(if name == $module::$type::DESCRIPTION.name {
                return Ok(Box::new(map.next_value::<$module::$type>()?));
            })*
            let names = OPERATIONS.iter().map(|operation| operation.name).collect::<Vec<_>>().join(", ");
            Err(de::Error::custom(format!("`{name}` is no operation; there are {names}")))
        }
    };
}

operations! {
    rename Rename;
    relocate Move;
    wrap Wrap;
    values Values;
    when When;
    drop Drop;
    default Default;
    identify Identify;
    entries Entries;
    lift Lift;
    attach Attach;
    distinct Distinct;
    gather Gather;
    lookup Lookup;
    units Units;
    negate Negate;
    refuse Refuse;
    retype Retype;
}

/// What `explain` and the documentation say of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// The key in a rule file: `rename`.
    pub name: &'static str,
    /// One paragraph: what it does, its inverse, when it is exact and what else happens.
    pub text: &'static str,
    /// A line as it stands in a rule file.
    pub example: &'static str,
}

/// A field whose place an operation names, for the static checks of a pack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    /// Fields of the old side that the operation takes away.
    pub old: Vec<FieldPattern>,
    /// Fields of the new side that the operation brings.
    pub new: Vec<FieldPattern>,
}

/// One reversible step of a lens.
pub trait Operation: fmt::Debug + Send + Sync {
    /// Changes the session's object where it is on the old side of the step.
    ///
    /// # Errors
    /// A [`Halt`] where the object cannot be taken across; the session is then thrown away.
    fn run(&self, session: &mut Session) -> Result<(), Halt>;

    /// Returns the step that leads back, for a rule about `kind`.
    fn inverse(&self, kind: &GroupKind) -> Box<dyn Operation>;

    /// Returns the fields that the step takes away and brings.
    fn claims(&self) -> Claims;

    /// Returns what becomes of the fields that match `field`, read from the claims: a claim on each side is one field that
    /// moved, a claim on the old side alone is one that goes.
    fn image(&self, field: &FieldPattern) -> Image {
        let claims = self.claims();
        let taken = claims.old.iter().position(|old| field.starts_with(old));
        match (taken, claims.new.as_slice()) {
            (None, _) => Image::Kept,
            (Some(_), []) => Image::Dropped,
            (Some(at), new) => {
                let below = field.parts().iter().skip(claims.old[at].parts().len()).cloned();
                new.get(at).map_or(Image::Dropped, |new| Image::Moved(new.join(&FieldPattern::new(below))))
            }
        }
    }

    /// Returns everything that can become of the fields that match `field`: what [`Operation::image`] says, and [`Image::Kept`]
    /// where the step leaves some objects that have the field alone.
    fn images(&self, field: &FieldPattern) -> BTreeSet<Image> {
        BTreeSet::from([self.image(field)])
    }

    /// Returns what becomes of the text `value` in the fields that match `field`, where the step changes it.
    fn value_image(&self, _field: &FieldPattern, _value: &str) -> Option<String> {
        None
    }

    /// Says whether every object that has `value` in a field that matches `field` is held back or loses that field.
    fn claims_value(&self, _field: &FieldPattern, _value: &Value) -> bool {
        false
    }

    /// Says whether the step makes the values of the fields that match `field` what the other side wants of them.
    fn settles(&self, _field: &FieldPattern) -> bool {
        false
    }

    /// Says whether the step gives the fields that match `field` where they are absent or empty.
    fn brings(&self, _field: &FieldPattern) -> bool {
        false
    }

    /// Returns the worst that the step does to an object it changes; `None` where it never does anything.
    fn fidelity(&self) -> Option<Fidelity> {
        Some(Fidelity::Exact)
    }

    /// Returns everything that the step can do to an object.
    fn fidelities(&self) -> BTreeSet<Fidelity> {
        self.fidelity().into_iter().collect()
    }

    /// Returns the kinds of the other objects that the step looks at.
    fn looks_at(&self) -> Vec<GroupKind> {
        Vec::new()
    }

    /// Says whether the step looks at the object before it does what its claims say.
    fn is_conditional(&self) -> bool {
        false
    }

    /// Returns the kind that the step gives an object of `kind`, where it gives one.
    fn retypes(&self, _kind: &GroupKind) -> Option<GroupKind> {
        None
    }
}

/// What becomes of a field.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Image {
    /// It stays where it is.
    Kept,
    /// It is found here afterwards.
    Moved(FieldPattern),
    /// It goes.
    Dropped,
    /// An object that has it is held back.
    Refused,
}

impl Image {
    /// Returns what can become of the fields that match `field` in one more `step`, this being what became of them before.
    pub fn after(&self, field: &FieldPattern, step: impl Fn(&FieldPattern) -> BTreeSet<Self>) -> BTreeSet<Self> {
        match self {
            Self::Kept => step(field),
            Self::Moved(moved) => {
                let stays = |image| if image == Self::Kept { self.clone() } else { image };
                step(moved).into_iter().map(stays).collect()
            }
            Self::Dropped | Self::Refused => BTreeSet::from([self.clone()]),
        }
    }

    /// Returns where the fields that match `field` are found; `None` where they are not.
    pub fn place(&self, field: &FieldPattern) -> Option<FieldPattern> {
        match self {
            Self::Kept => Some(field.clone()),
            Self::Moved(moved) => Some(moved.clone()),
            Self::Dropped | Self::Refused => None,
        }
    }
}

/// How well something gets across, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fidelity {
    /// Nothing is lost, and the bytes come back.
    Exact,
    /// What goes or comes means nothing more or less, and does not come back as it was written.
    Respelled,
    /// Some values are lost.
    Lossy,
    /// Some objects are held back.
    Refused,
}

impl Fidelity {
    /// Returns the word that reports print.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Respelled => "respelled",
            Self::Lossy => "lossy",
            Self::Refused => "refused",
        }
    }
}

impl<'de> Deserialize<'de> for Box<dyn Operation> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneKey;
        impl<'de> Visitor<'de> for OneKey {
            type Value = Box<dyn Operation>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("one operation, such as `rename: { field: spec.tls, to: validation }`")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let name: String = map.next_key()?.ok_or_else(|| de::Error::custom("an operation has a name"))?;
                let operation = named(&name, &mut map)?;
                match map.next_key::<String>()? {
                    None => Ok(operation),
                    Some(second) => {
                        Err(de::Error::custom(format!("`{second}` stands beside `{name}`: one operation per item")))
                    }
                }
            }
        }
        deserializer.deserialize_map(OneKey)
    }
}

/// A list of operations that run one after the other.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub struct Lens(Vec<Box<dyn Operation>>);

impl Lens {
    /// Runs every operation in turn.
    ///
    /// # Errors
    /// The [`Halt`] of the first operation that cannot go on.
    pub fn run(&self, session: &mut Session) -> Result<(), Halt> {
        self.0.iter().try_for_each(|operation| operation.run(session))
    }

    /// Returns the lens that leads back, for a rule about `kind`.
    #[must_use]
    pub fn inverse(&self, kind: &GroupKind) -> Self {
        Self(self.0.iter().rev().map(|operation| operation.inverse(kind)).collect())
    }

    /// Returns the lens that does the same to every `place` in an object, where `condition` holds for the place, and keeps what
    /// shows what the place is.
    #[must_use]
    pub fn at(self, place: FieldPattern, condition: Condition, keeps: Option<Keep>) -> Self {
        Self(vec![Box::new(when::When::at(place, condition, keeps, self))])
    }

    /// Returns the lens that runs `lenses` one after the other.
    #[must_use]
    pub fn chain(lenses: impl IntoIterator<Item = Self>) -> Self {
        Self(lenses.into_iter().flat_map(|lens| lens.0).collect())
    }

    /// Returns the operations in order.
    pub fn operations(&self) -> &[Box<dyn Operation>] {
        &self.0
    }

    /// Returns the kind that the lens gives an object of `kind`, where it gives one.
    pub fn retypes(&self, kind: &GroupKind) -> Option<GroupKind> {
        self.0.iter().rev().find_map(|operation| operation.retypes(kind))
    }

    /// Returns the kinds of the other objects that the lens looks at.
    pub fn looks_at(&self) -> BTreeSet<GroupKind> {
        self.0.iter().flat_map(|operation| operation.looks_at()).collect()
    }

    /// Returns the fields that the lens takes away, as they are called before it, and those that it brings, as they are
    /// called after it.
    pub fn claims(&self) -> Claims {
        self.claims_of(|_| true)
    }

    /// Returns those of [`Lens::claims`] that hold without a test: they take away, or bring, every value of the field.
    pub fn certain_claims(&self) -> Claims {
        self.claims_of(|operation| !operation.is_conditional())
    }

    fn claims_of(&self, counts: impl Fn(&dyn Operation) -> bool) -> Claims {
        let mut claims = Claims::default();
        for (at, operation) in self.0.iter().enumerate().filter(|(_, operation)| counts(operation.as_ref())) {
            let step = operation.claims();
            claims.old.extend(step.old.into_iter().filter_map(|field| self.before(at, field)));
            claims.new.extend(step.new.into_iter().filter_map(|field| follow(&self.0[at + 1..], field)));
        }
        claims
    }

    /// Returns how `field`, as it is called before the operation `at`, is called before the lens.
    fn before(&self, at: usize, field: FieldPattern) -> Option<FieldPattern> {
        // The kind matters to what an operation does with the kind only.
        let any = GroupKind::new("", "");
        let inverses: Vec<_> = self.0[..at].iter().rev().map(|operation| operation.inverse(&any)).collect();
        follow(&inverses, field)
    }

    /// Returns what becomes of the fields that match `field`.
    pub fn image(&self, field: &FieldPattern) -> Image {
        let mut image = Image::Kept;
        for operation in &self.0 {
            let now = match &image {
                Image::Kept => operation.image(field),
                Image::Moved(moved) => operation.image(moved),
                Image::Dropped | Image::Refused => break,
            };
            if now != Image::Kept {
                image = now;
            }
        }
        image
    }

    /// Returns everything that can become of the fields that match `field`.
    pub fn images(&self, field: &FieldPattern) -> BTreeSet<Image> {
        self.0.iter().fold(BTreeSet::from([Image::Kept]), |images, operation| {
            images.iter().flat_map(|image| image.after(field, |field| operation.images(field))).collect()
        })
    }

    /// Returns what becomes of the text `value` in the fields that match `field`, where an operation changes it.
    pub fn value_image(&self, field: &FieldPattern, value: &str) -> Option<String> {
        let (mut at, mut image) = (field.clone(), None);
        for operation in &self.0 {
            image = operation.value_image(&at, image.as_deref().unwrap_or(value)).or(image);
            if let Image::Moved(moved) = operation.image(&at) {
                at = moved;
            }
        }
        image
    }

    /// Says whether an operation holds every object back that has `value` in a field that matches `field`, or takes it away.
    pub fn claims_value(&self, field: &FieldPattern, value: &Value) -> bool {
        let mut at = field.clone();
        for operation in &self.0 {
            if operation.claims_value(&at, value) {
                return true;
            }
            if let Image::Moved(moved) = operation.image(&at) {
                at = moved;
            }
        }
        false
    }

    /// Says whether an operation gives the fields that match `field` where they are absent or empty.
    pub fn brings(&self, field: &FieldPattern) -> bool {
        self.0.iter().any(|operation| operation.brings(field))
    }

    /// Says whether an operation makes the values of the fields that match `field` what the other side wants of them.
    pub fn settles(&self, field: &FieldPattern) -> bool {
        let mut at = field.clone();
        for operation in &self.0 {
            if operation.settles(&at) {
                return true;
            }
            if let Image::Moved(moved) = operation.image(&at) {
                at = moved;
            }
        }
        false
    }

    /// Returns what can happen to the objects that the lens runs on.
    pub fn fidelities(&self) -> BTreeSet<Fidelity> {
        self.0.iter().flat_map(|operation| operation.fidelities()).collect()
    }
}

/// Returns how `field` is called after `operations`; `None` where it goes.
fn follow(operations: &[Box<dyn Operation>], field: FieldPattern) -> Option<FieldPattern> {
    operations.iter().try_fold(field, |field, operation| match operation.image(&field) {
        Image::Kept => Some(field),
        Image::Moved(moved) => Some(moved),
        Image::Dropped | Image::Refused => None,
    })
}

/// Which way a rule runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// From the older release to the newer one.
    Forward,
    /// From the newer release to the older one.
    Backward,
}

impl Direction {
    /// Returns the other direction.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::Forward => Self::Backward,
            Self::Backward => Self::Forward,
        }
    }

    /// Returns the word that reports print.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Backward => "backward",
        }
    }
}

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
pub struct Respelling {
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
    object: Value,
    program: Vec<Intent>,
    losses: Vec<Loss>,
    respelled: Vec<Respelling>,
    /// What is likely wrong, and stays.
    doubts: Vec<Respelling>,
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
    pub fn new(object: Value) -> Self {
        let written = object.get("metadata").and_then(|metadata| metadata.get("namespace")).and_then(Value::as_str);
        Self {
            namespace: Namespace::written(written),
            object,
            program: Vec::new(),
            losses: Vec::new(),
            respelled: Vec::new(),
            doubts: Vec::new(),
            surroundings: None,
            completeness: Completeness::Whole,
            is_item: false,
            relies_on: BTreeSet::new(),
            growth: Growth::NONE,
        }
    }

    /// Starts with the data of an object among others.
    pub fn among(object: Value, surroundings: &'a Surroundings<'a>, completeness: Completeness) -> Self {
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

    /// Returns the object's data for reading `field`: where that is its namespace, with the one that it lives in, and with none
    /// where that is not certain.
    pub fn seen_for<'f>(&self, mut fields: impl Iterator<Item = &'f FieldPattern>) -> Cow<'_, Value> {
        let is_namespace = |field: &FieldPattern| match field.parts() {
            [Part::Key(outer), Part::Key(inner)] => outer == "metadata" && inner == "namespace",
            _ => false,
        };
        if fields.any(is_namespace) { self.applied() } else { Cow::Borrowed(&self.object) }
    }

    fn applied(&self) -> Cow<'_, Value> {
        let key = "namespace";
        let metadata = self.object.get("metadata").and_then(Value::as_object);
        let Some(metadata) = metadata else { return Cow::Borrowed(&self.object) };
        let home = self.namespace();
        if metadata.get(key).and_then(Value::as_str) == home.name() {
            return Cow::Borrowed(&self.object);
        }
        let mut applied = self.object.clone();
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

    /// Returns the object's data as it stands.
    pub const fn object(&self) -> &Value {
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
    pub fn respelled(&self) -> &[Respelling] {
        &self.respelled
    }

    /// Returns what is likely wrong in the object and stays.
    pub fn doubts(&self) -> &[Respelling] {
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
        intent.apply_data(&mut self.object).map_err(|problem| {
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
        let respelled = inner.respelled.into_iter();
        self.respelled.extend(respelled.map(|told| Respelling { path: started.join(&told.path), ..told }));
        let doubts = inner.doubts.into_iter();
        self.doubts.extend(doubts.map(|told| Respelling { path: started.join(&told.path), ..told }));
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
    pub fn respell(&mut self, path: &FieldPath, reason: impl Into<String>) {
        self.respelled.push(Respelling { path: self.origin(path), reason: reason.into() });
    }

    /// Records that what stands at `path` now is likely wrong.
    pub fn doubt(&mut self, path: &FieldPath, reason: impl Into<String>) {
        self.doubts.push(Respelling { path: self.origin(path), reason: reason.into() });
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
    pub fn finish(self) -> (Value, Vec<Intent>, Vec<Loss>) {
        (self.object, self.program, self.losses)
    }
}
