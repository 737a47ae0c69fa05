//! What an operation is: [`Operation`], its [`Description`], and how one is read from a rule file.

use std::collections::BTreeSet;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::Deserializer;
use serde::de::{self, MapAccess, Visitor};
use serde_json::Value;

use super::fidelity::Fidelity;
use super::halt::Halt;
use super::image::{Claims, Image};
use super::premise::Premise;
use super::session::Session;
use crate::field::FieldPattern;
use crate::release::GroupKind;

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

/// One reversible step of a lens.
pub trait Operation: fmt::Debug + Send + Sync {
    /// Changes the session's object where it has the form of the old side.
    ///
    /// # Errors
    /// A [`Halt`] where the object cannot be converted; the session is then discarded.
    fn run(&self, session: &mut Session) -> Result<(), Halt>;

    /// Runs the step as one of several, before the steps `rest`.
    ///
    /// # Errors
    /// As [`Operation::run`].
    fn run_before(&self, _rest: &[Arc<dyn Operation>], session: &mut Session) -> Result<(), Halt> {
        self.run(session)
    }

    /// Returns whether the step can give keys another order, which converting back does not always restore.
    fn reorders(&self) -> bool {
        false
    }

    /// Returns the step that converts back, for a rule about `kind`.
    fn inverse(&self, kind: &GroupKind) -> Box<dyn Operation>;

    /// Returns the fields that the step removes and adds.
    fn claims(&self) -> Claims;

    /// Returns what the step takes for granted about fields, besides that those of its claims exist.
    fn premises(&self) -> Vec<Premise> {
        Vec::new()
    }

    /// Returns what becomes of the fields that match `field`, read from the claims: a claim on each side is one field that
    /// moved, a claim on the old side alone is one that is dropped.
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

    /// Returns everything that can become of the fields that match `field`: [`Operation::image`], and [`Image::Kept`]
    /// where the step leaves the field unchanged in some objects.
    fn images(&self, field: &FieldPattern) -> BTreeSet<Image> {
        BTreeSet::from([self.image(field)])
    }

    /// Returns what becomes of `value` in the fields that match `field`, where the step changes it.
    fn value_image(&self, _field: &FieldPattern, _value: &Value) -> Option<Value> {
        None
    }

    /// Returns whether every object that has `value` in a field that matches `field` is held back or loses that field.
    fn claims_value(&self, _field: &FieldPattern, _value: &Value) -> bool {
        false
    }

    /// Returns the constants that the step reads or writes on its old side; those of the new side are its inverse's.
    fn constants(&self) -> Vec<Constant> {
        Vec::new()
    }

    /// Returns whether the step makes the values of the fields that match `field` valid on the other side.
    fn makes_valid(&self, _field: &FieldPattern) -> bool {
        false
    }

    /// Returns whether the step sets the fields that match `field` where they are absent or empty.
    fn fills_absent(&self, _field: &FieldPattern) -> bool {
        false
    }

    /// Returns the worst fidelity of the step for an object that it changes; `None` where it never changes one.
    fn fidelity(&self) -> Option<Fidelity> {
        Some(Fidelity::Exact)
    }

    /// Returns all fidelities that the step can have.
    fn fidelities(&self) -> BTreeSet<Fidelity> {
        self.fidelity().into_iter().collect()
    }

    /// Returns the parameters of packs that the step reads.
    fn parameters(&self) -> Vec<Parameter<'_>> {
        Vec::new()
    }

    /// Returns the kinds of the other objects that the step reads.
    fn kinds_read(&self) -> Vec<GroupKind> {
        Vec::new()
    }

    /// Returns those of [`Operation::kinds_read`] with whose objects the step may convert an object only together.
    fn kinds_converted_with(&self) -> Vec<GroupKind> {
        Vec::new()
    }

    /// Returns the parameters whose values the step reads: `shop.namespace`.
    fn parameters_read(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns whether the step changes only objects that pass a test.
    fn is_conditional(&self) -> bool {
        false
    }

    /// Returns whether no object that has the form of the new side may be converted back.
    fn is_one_way(&self) -> bool {
        false
    }

    /// Returns the kinds that the step can give an object of `kind`, in the order of its operations.
    fn retypes(&self, _kind: &GroupKind) -> Vec<GroupKind> {
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
