//! Answers: how is one object taken across one documented change, and back?
//!
//! A [`Lens`] is a list of operations; running it on a [`Session`] changes the session's plain data and records every
//! change as an [`Intent`], which the text layer performs on the bytes. Backward, the operations' inverses run in reverse
//! order. An operation is one file here and one line in the list below; parsing, `explain` and the laws derive from it.
//!
//! Invariant: an operation finds its fields in the data as it stands; where nothing is on its old side it changes nothing.

use std::fmt;

use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::field::{FieldPath, FieldPattern};
use crate::release::{ApiVersion, GroupKind};
use crate::yaml::{Intent, ProblemCode};

mod condition;
#[cfg(test)]
mod laws;
mod origin;
pub use condition::Condition;

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

    /// Returns the kind that the step gives the object, where it gives one.
    fn retypes(&self) -> Option<&GroupKind> {
        None
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
#[derive(Debug, Deserialize)]
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

    /// Returns the operations in order.
    pub fn operations(&self) -> &[Box<dyn Operation>] {
        &self.0
    }

    /// Returns the kind that the lens gives the object, where it gives one.
    pub fn retypes(&self) -> Option<&GroupKind> {
        self.0.iter().rev().find_map(|operation| operation.retypes())
    }

    /// Returns the fields that the lens takes away and brings; a field brought by one step and taken away by a later one is neither.
    pub fn claims(&self) -> Claims {
        let mut claims = Claims::default();
        for operation in &self.0 {
            let step = operation.claims();
            for old in step.old {
                match claims.new.iter().position(|new| *new == old) {
                    Some(at) => drop(claims.new.remove(at)),
                    None => claims.old.push(old),
                }
            }
            claims.new.extend(step.new);
        }
        claims
    }
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
    /// A field whose value the other side takes for granted: the meaning stays, the text does not come back.
    Implied,
}

impl LossClass {
    /// The classes that a user has to allow.
    pub const ALLOWABLE: [Self; 2] = [Self::DroppedField, Self::Narrowed];
}

/// One thing that a conversion loses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// How it is lost.
    pub class: LossClass,
    /// Where it stood when the session started.
    pub path: FieldPath,
    /// Why, as one sentence without a final dot.
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

/// One object on its way through lenses: its data as it stands, what was done to it, what was lost.
#[derive(Clone, Debug)]
pub struct Session {
    object: Value,
    program: Vec<Intent>,
    losses: Vec<Loss>,
}

impl Session {
    /// Starts with an object's data.
    pub const fn new(object: Value) -> Self {
        Self { object, program: Vec::new(), losses: Vec::new() }
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

    /// Makes one change to the data and records it.
    ///
    /// # Errors
    /// A [`Halt::Conflict`] where the place is taken, a [`Halt::Refused`] where the data has no such place.
    pub fn change(&mut self, intent: Intent) -> Result<(), Halt> {
        intent.apply_data(&mut self.object).map_err(|problem| {
            let (old, new) = places(&intent);
            match problem.code {
                ProblemCode::Exists => Halt::Conflict { old, new },
                _ => Halt::Refused { at: old, reason: problem.message, help: None },
            }
        })?;
        self.program.push(intent);
        Ok(())
    }

    /// Records the loss of what stands at `path` now.
    pub fn lose(&mut self, class: LossClass, path: &FieldPath, reason: impl Into<String>) {
        self.losses.push(Loss { class, path: self.origin(path), reason: reason.into() });
    }

    /// Returns where what stands at `path` now stood when the session started.
    pub fn origin(&self, path: &FieldPath) -> FieldPath {
        origin::origin(&self.program, path)
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

/// Returns where an intent takes from and where it puts.
fn places(intent: &Intent) -> (FieldPath, FieldPath) {
    match intent {
        Intent::Rename { path, to } => {
            let parent = path.split_last().map(|(parent, _)| parent).unwrap_or_default();
            (path.clone(), parent.key(to))
        }
        Intent::Move { from, to, key, .. } => (from.clone(), to.key(key)),
        Intent::Insert { path, key, .. } => (path.clone(), path.key(key)),
        Intent::Replace { path, .. }
        | Intent::Delete { path }
        | Intent::InsertItem { path, .. }
        | Intent::Wrap { path }
        | Intent::Unwrap { path } => (path.clone(), path.clone()),
    }
}
