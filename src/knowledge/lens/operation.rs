//! What an operation is: [`Operation`], its [`Description`], and how one is read from a rule file.

use std::collections::BTreeSet;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::Deserializer;
use serde::de::{self, MapAccess, Visitor};
use serde_json::Value;

use super::direction::Direction;
use super::fidelity::Fidelity;
use super::halt::Halt;
use super::image::{Claims, Image};
use super::premise::Premise;
use super::session::Session;
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
        self.iter().try_fold(field, |field, operation| match operation.image(self.direction, &field) {
            Image::Kept => Some(field),
            Image::Moved(moved) => Some(moved),
            Image::Dropped | Image::Refused => None,
        })
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

    /// Those of [`Operation::kinds_read`] with whose objects the step may convert an object only together.
    fn kinds_converted_with(&self) -> Vec<GroupKind> {
        Vec::new()
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

/// The operations by the names that rule files use.
pub(super) trait Registry<'de> {
    /// Reads the operation `name`, whose parameters are the next value of `map`.
    ///
    /// # Errors
    /// Where there is no such operation, or its parameters are not valid.
    fn read<A: MapAccess<'de>>(name: &str, map: &mut A) -> Result<Box<dyn Operation>, A::Error>;
}

/// Reads an operation of the registry `R`: a mapping whose one key is the name of the operation.
///
/// # Errors
/// Where the mapping has another number of keys, or as [`Registry::read`].
pub(super) fn read<'de, R: Registry<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Box<dyn Operation>, D::Error> {
    deserializer.deserialize_map(OneKey::<R>(PhantomData))
}

struct OneKey<R>(PhantomData<R>);

impl<'de, R: Registry<'de>> Visitor<'de> for OneKey<R> {
    type Value = Box<dyn Operation>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("one operation, such as `rename: { field: spec.tls, to: validation }`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let name: String = map.next_key()?.ok_or_else(|| de::Error::custom("an operation has a name"))?;
        let operation = R::read(&name, &mut map)?;
        match map.next_key::<String>()? {
            None => Ok(operation),
            Some(second) => {
                Err(de::Error::custom(format!("`{second}` and `{name}` are in one item: write one operation per item")))
            }
        }
    }
}
