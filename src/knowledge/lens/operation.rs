//! What an operation is: [`Operation`], with the answers that it gives about itself ([`Claims`], [`Image`], [`Premise`], [`Constant`],
//! [`Parameter`], [`Fidelity`]), its [`Description`], and what it runs with ([`Pass`], [`Direction`]).

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use super::context::ObjectId;
use super::session::{Halt, Session};
use crate::knowledge::release::GroupKind;
use crate::syntax::field::FieldPattern;

/// The documentation of an operation, which `explain` prints.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// The key in a rule file: `rename`.
    pub name: &'static str,
    /// One paragraph: what it does, its inverse, when it is exact and what else happens.
    pub text: &'static str,
    /// A line of a rule file.
    pub example: &'static str,
}

/// A constant that an operation reads or writes on its old side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// The fields that have it.
    pub field: FieldPattern,
    /// The constant.
    pub value: Value,
    /// Whether it is what the field means where it is absent.
    pub is_default: bool,
}

/// A parameter of a pack that an operation reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter<'o> {
    /// Its full name: `ngf.namespace`.
    pub name: &'o str,
    /// The choices that the operation knows; any text where there are none.
    pub choices: &'static [&'static str],
    /// The choice of the pack that it asks for, where it asks for one.
    pub wanted: Option<&'o str>,
}

/// One run of an operation over an object.
#[derive(Clone, Copy, Debug)]
pub struct Pass<'l> {
    /// The direction in which the rule runs.
    pub direction: Direction,
    /// The kind before the change, which an object gets back.
    pub kind: Option<&'l GroupKind>,
    /// The operations that run afterwards.
    pub rest: Steps<'l>,
}

/// Operations in the order in which they run in a direction.
#[derive(Clone, Copy, Debug)]
pub struct Steps<'l> {
    /// In the order in which they run forward.
    pub(super) operations: &'l [Arc<dyn Operation>],
    pub(super) direction: Direction,
}

impl<'l> Steps<'l> {
    pub(super) fn iter(self) -> impl Iterator<Item = &'l dyn Operation> {
        let (forward, backward) = match self.direction {
            Direction::Forward => (self.operations, &[][..]),
            Direction::Backward => (&[][..], self.operations),
        };
        forward.iter().chain(backward.iter().rev()).map(AsRef::as_ref)
    }

    pub(super) fn split_first(self) -> Option<(&'l dyn Operation, Self)> {
        let (first, operations) = match self.direction {
            Direction::Forward => self.operations.split_first()?,
            Direction::Backward => self.operations.split_last()?,
        };
        Some((first.as_ref(), Self { operations, ..self }))
    }

    /// Splits off the first `at`.
    pub(super) fn split(self, at: usize) -> (Self, Self) {
        let (first, rest) = match self.direction {
            Direction::Forward => self.operations.split_at(at),
            Direction::Backward => {
                let (rest, first) = self.operations.split_at(self.operations.len() - at);
                (first, rest)
            }
        };
        (Self { operations: first, ..self }, Self { operations: rest, ..self })
    }

    pub(super) fn reversed(self) -> Self {
        Self { direction: self.direction.reversed(), ..self }
    }

    /// Returns the path of `field` afterwards; `None` where it is removed.
    pub(super) fn follow(self, field: FieldPattern) -> Option<FieldPattern> {
        self.iter().try_fold(field, |field, operation| operation.image(self.direction, &field).place(field))
    }
}

/// One reversible step of a lens. It describes both directions: its old side is what it starts from forward, and what it leads to backward.
pub trait Operation: fmt::Debug + Send + Sync {
    /// Changes the session's object where it has the form of the side that the pass starts from.
    ///
    /// # Errors
    /// A [`Halt`] where the object cannot be converted; the session is then discarded.
    fn run(&self, pass: &Pass<'_>, session: &mut Session) -> Result<(), Halt>;

    /// Whether it can give keys another order, which converting back does not always restore.
    fn reorders(&self) -> bool {
        false
    }

    /// The fields that it removes from the old side and adds to the new one.
    fn claims(&self) -> Claims {
        Claims::default()
    }

    /// What it takes for granted about fields, besides that those of its claims exist.
    fn premises(&self) -> Vec<Premise> {
        Vec::new()
    }

    /// What becomes of the fields that match `field`, by default as the claims say.
    fn image(&self, direction: Direction, field: &FieldPattern) -> Image {
        self.claims().facing(direction).image(field)
    }

    /// Everything that can become of the fields that match `field`: [`Operation::image`], and [`Image::Kept`] where it leaves the
    /// field unchanged in some objects.
    fn images(&self, direction: Direction, field: &FieldPattern) -> BTreeSet<Image> {
        BTreeSet::from([self.image(direction, field)])
    }

    /// Whether it can write what is in the fields that match `field` to another place too.
    fn copies(&self, _direction: Direction, _field: &FieldPattern) -> bool {
        false
    }

    /// What becomes of `value` in the fields that match `field`, where it changes the value.
    fn value_image(&self, _direction: Direction, _field: &FieldPattern, _value: &Value) -> Option<Value> {
        None
    }

    /// Whether every object that has `value` in a field that matches `field` is held back or loses that field.
    fn claims_value(&self, _direction: Direction, _field: &FieldPattern, _value: &Value) -> bool {
        false
    }

    /// The constants that it reads or writes on the side that objects come from.
    fn constants(&self, _direction: Direction) -> Vec<Constant> {
        Vec::new()
    }

    /// Whether it makes the values of the fields that match `field` valid on the side that objects get to.
    fn makes_valid(&self, _direction: Direction, _field: &FieldPattern) -> bool {
        false
    }

    /// Whether it sets the fields that match `field` where they are absent or empty.
    fn fills_absent(&self, _direction: Direction, _field: &FieldPattern) -> bool {
        false
    }

    /// How well it preserves objects that it changes; nothing where it never changes one.
    fn fidelities(&self, _direction: Direction) -> Vec<Fidelity> {
        vec![Fidelity::Exact]
    }

    /// The parameters of packs that it reads.
    fn parameters(&self) -> Vec<Parameter<'_>> {
        Vec::new()
    }

    /// The kinds of the other objects that it reads.
    fn kinds_read(&self) -> Vec<GroupKind> {
        Vec::new()
    }

    /// The kind and version of the objects that it makes of parts of others.
    fn makes(&self) -> Option<(&GroupKind, &str)> {
        None
    }

    /// Whether [`Operation::bound`] can find any by this operation itself.
    fn binds(&self) -> bool {
        false
    }

    /// The objects that convert together with the session's or not at all, whatever holds it back.
    fn bound(&self, _direction: Direction, _session: &mut Session<'_>) -> BTreeSet<ObjectId> {
        BTreeSet::new()
    }

    /// Those of [`Operation::kinds_read`] with whose objects the step may convert an object only together: all of them,
    /// unless it says that it never calls [`Session::convert_together_with`].
    fn kinds_converted_with(&self) -> Vec<GroupKind> {
        self.kinds_read()
    }

    /// The operations inside it, which count as operations of the rule where it does not matter what of an object they see.
    fn inner(&self) -> &[Arc<dyn Operation>] {
        &[]
    }

    /// Whether it changes only objects that pass a test.
    fn is_conditional(&self) -> bool {
        false
    }

    /// Whether no object that has the form of the new side may be converted back.
    fn is_one_way(&self) -> bool {
        false
    }

    /// The kinds that it can give an object: one of `kind` forward, and one that was of `kind` backward.
    fn retypes(&self, _direction: Direction, _kind: &GroupKind) -> Vec<GroupKind> {
        Vec::new()
    }
}

/// The direction in which a rule runs.
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

    /// Of two things, on the old and on the new side of a rule: that of the side that objects come from, then the other one.
    pub(crate) fn ends<T>(self, [old, new]: [T; 2]) -> [T; 2] {
        match self {
            Self::Forward => [old, new],
            Self::Backward => [new, old],
        }
    }

    /// Returns the name that reports print.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Backward => "backward",
        }
    }
}

/// How well a conversion preserves an object, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fidelity {
    /// Nothing is lost, and converting back restores the bytes.
    Exact,
    /// The meaning is the same, but converting back does not restore every byte.
    Normalized,
    /// Some values are lost.
    Lossy,
    /// Some objects are held back.
    Refused,
}

impl Fidelity {
    /// Returns the name that reports print.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Normalized => "normalized",
            Self::Lossy => "lossy",
            Self::Refused => "held-back",
        }
    }
}

/// The fields that an operation removes and adds, for the static checks of a pack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    /// Fields of the old side that the operation removes.
    pub old: Vec<FieldPattern>,
    /// Fields of the new side that the operation adds.
    pub new: Vec<FieldPattern>,
}

impl Claims {
    /// What becomes of the fields that match `field`: a claim on each side is one field that moved, a claim on the old side alone is
    /// one that is dropped.
    pub(super) fn image(&self, field: &FieldPattern) -> Image {
        let taken = self.old.iter().enumerate().find_map(|(at, old)| Some((at, field.below(old)?)));
        let Some((at, below)) = taken else { return Image::Kept };
        self.new.get(at).map_or(Image::Dropped, |new| Image::Moved(new.join(&below)))
    }

    /// The same, with the side that objects come from in `direction` as the old one.
    pub(super) fn facing(self, direction: Direction) -> Self {
        let [old, new] = direction.ends([self.old, self.new]);
        Self { old, new }
    }

    /// The claims of an operation that takes `field` away in `direction`, and does nothing in the other one.
    pub(super) fn removing(field: FieldPattern, direction: Direction) -> Self {
        Self { old: vec![field], new: Vec::new() }.facing(direction)
    }
}

/// What becomes of a field.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Image {
    /// It is left unchanged.
    Kept,
    /// It is here afterwards.
    Moved(FieldPattern),
    /// It is removed.
    Dropped,
    /// An object that has it is held back.
    Refused,
}

impl Image {
    /// Returns what can become of the fields that match `field` after one more `step`, where this became of them before.
    pub fn after(&self, field: &FieldPattern, step: impl Fn(&FieldPattern) -> BTreeSet<Self>) -> BTreeSet<Self> {
        match self {
            Self::Kept => step(field),
            Self::Moved(moved) => {
                let kept = |image| if image == Self::Kept { self.clone() } else { image };
                step(moved).into_iter().map(kept).collect()
            }
            Self::Dropped | Self::Refused => BTreeSet::from([self.clone()]),
        }
    }

    /// Returns the new path of `field`, of which it is the image; `None` where they have none.
    pub fn place(self, field: FieldPattern) -> Option<FieldPattern> {
        match self {
            Self::Kept => Some(field),
            Self::Moved(moved) => Some(moved),
            Self::Dropped | Self::Refused => None,
        }
    }
}

/// Something that a step expects of the objects that it is for. Where no release has it, the step does nothing, or not what it says.
#[derive(Clone, Debug, PartialEq)]
pub struct Premise {
    /// The field, as it is called where the step runs.
    pub written: FieldPattern,
    /// How the same field is called before and after the rule, where it is there.
    pub names: Vec<FieldPattern>,
    /// What is expected of it.
    pub form: Form,
    /// On which side of the rule.
    pub side: Side,
}

/// What is expected of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// That there is one.
    Present,
    /// That it can be a list.
    List,
    /// That it can be something other than a list.
    Single,
    /// That it can be a text.
    Text,
    /// That it can be a mapping.
    Mapping,
    /// That it can be a mapping or a list.
    Structure,
    /// That it can be a number.
    Number,
    /// That it can be true or false.
    Boolean,
    /// That it can have this value.
    Value(Value),
}

/// A side of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Before the change.
    Old,
    /// After the change.
    New,
    /// One of them.
    Either,
}

impl Premise {
    /// Makes what is expected of `field` on `side`.
    pub(super) fn new(field: &FieldPattern, form: Form, side: Side) -> Self {
        Self { written: field.clone(), names: vec![field.clone()], form, side }
    }

    /// Makes the premise that there is such a field.
    pub(super) fn present(field: &FieldPattern) -> Self {
        Self::new(field, Form::Present, Side::Either)
    }

    /// Returns the same about fields relative to `place`.
    #[must_use]
    pub(super) fn below(self, place: &FieldPattern) -> Self {
        let names = self.names.iter().map(|name| place.join(name)).collect();
        Self { written: place.join(&self.written), names, ..self }
    }
}
