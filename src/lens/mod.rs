//! Answers: how is one object taken across one documented change, and back?
//!
//! A [`Lens`] is a list of operations; running it on a [`Session`] changes the session's plain data and records every
//! change as an [`Intent`](crate::yaml::Intent), which the text layer performs on the bytes. Backward, the operations' inverses run in reverse
//! order. An operation is one file here and one line in the list below; parsing, `explain` and the laws derive from it.
//!
//! Invariant: an operation finds its fields in the data as it stands; where nothing is on its old side it changes nothing.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::field::FieldPattern;
use crate::release::GroupKind;

mod condition;
mod growth;
#[cfg(test)]
mod laws;
mod naming;
mod origin;
mod session;
mod surroundings;
#[cfg(test)]
mod trial;

pub use condition::Condition;
pub use session::{Completeness, Halt, Loss, LossClass, Normalization, ObjectName, Session};
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
    Normalized,
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
            Self::Normalized => "normalized",
            Self::Lossy => "lossy",
            Self::Refused => "held-back",
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

/// A list of operations that run one after the other; a clone shares them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(from = "Vec<Box<dyn Operation>>")]
pub struct Lens(Vec<Arc<dyn Operation>>);

impl From<Vec<Box<dyn Operation>>> for Lens {
    fn from(operations: Vec<Box<dyn Operation>>) -> Self {
        Self(operations.into_iter().map(Arc::from).collect())
    }
}

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
        Self(self.0.iter().rev().map(|operation| operation.inverse(kind).into()).collect())
    }

    /// Returns the lens that does the same to every `place` in an object, where `condition` holds for the place, and keeps what
    /// shows what the place is.
    #[must_use]
    pub fn at(self, place: FieldPattern, condition: Condition, keeps: Option<Keep>) -> Self {
        Self(vec![Arc::new(when::When::at(place, condition, keeps, self))])
    }

    /// Returns the lens that runs `lenses` one after the other.
    #[must_use]
    pub fn chain(lenses: impl IntoIterator<Item = Self>) -> Self {
        Self(lenses.into_iter().flat_map(|lens| lens.0).collect())
    }

    /// Returns the operations in order.
    pub fn operations(&self) -> &[Arc<dyn Operation>] {
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
        let inverses: Vec<_> = self.0[..at].iter().rev().map(|operation| operation.inverse(&any).into()).collect();
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
fn follow(operations: &[Arc<dyn Operation>], field: FieldPattern) -> Option<FieldPattern> {
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
