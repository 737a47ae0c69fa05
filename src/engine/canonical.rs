//! Answers: what is one object, as plain data, in a newer release?
//!
//! This is the part of the library that other programs use, such as a controller that stores objects in one release and is given older
//! ones. It converts like `reversion apply`, without files: an object that would lose something, or that cannot be converted alone, is an
//! error. The other modules are those of the program and change without notice.
//!
//! Invariant: nothing is lost. What is returned has the data of the object, and is never for a release before that of the object.

use std::error::Error;
use std::fmt;
use std::sync::{Arc, LazyLock};

use serde_json::Value;

use crate::engine::convert::{
    self, Choices, Conversion, Goal, ObjectContext, Renames, find_references, impossible, loss_code, renames, update,
};
use crate::engine::finding::Code;
use crate::engine::manifest::Object;
use crate::knowledge::lens::{Completeness, Context, Direction, LossClass, Namespace, ObjectPlace};
use crate::knowledge::pack::{Packs, Target, embedded};
use crate::syntax::field::FieldPath;

/// The packs of the program.
static PACKS: LazyLock<Packs> =
    LazyLock::new(|| embedded::with(Vec::new()).expect("the packs of the program are checked by its tests"));

/// Converts objects to one release, as many as are needed, from any number of threads.
#[derive(Debug)]
pub struct Canonicalizer {
    target: Target<'static>,
    goal: Goal<'static>,
    /// The kinds that have another name in the release.
    renames: Renames,
}

/// An object in the release that was asked for.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Canonical {
    /// Its data.
    pub object: Value,
    /// The rules that changed it, in their order; a change of apiVersion needs none.
    pub rules: Vec<String>,
    /// The fields that name an object by the name that its kind has in the release: that object must be converted too.
    pub renamed_references: Vec<String>,
    /// What is probably wrong or has to be done by hand.
    pub warnings: Vec<Remark>,
}

/// What there is to say about an object.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Remark {
    /// The name of the finding, such as `dropped-field`: `reversion explain CODE` describes it.
    pub code: &'static str,
    /// The field, such as `spec.rules[0].retry`; empty for the whole object.
    pub field: String,
    /// One sentence.
    pub message: String,
}

/// Why an object was not converted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CanonicalizeError {
    /// There is no such pack, or it has no such release.
    UnknownRelease {
        /// What there is instead.
        message: String,
    },
    /// The value is no Kubernetes object: `apiVersion` or `kind` is missing.
    NotAnObject,
    /// The pack does not know the kind.
    UnknownKind {
        /// The kind and its group.
        kind: String,
    },
    /// The object is for newer releases than the one that was asked for.
    Newer {
        /// The releases that it can be for.
        releases: String,
    },
    /// The release has no field for values of the object.
    Loss {
        /// What would be lost.
        losses: Vec<Remark>,
    },
    /// The object has fields that no release has together, such as the old and the new name of one field.
    Conflict {
        /// The fields.
        conflicts: Vec<Remark>,
    },
    /// The object cannot be converted for other reasons.
    HeldBack {
        /// The reasons.
        reasons: Vec<Remark>,
    },
    /// What the object becomes depends on other objects, which only a conversion of files sees.
    DependsOnOthers,
}

/// Converts one object to `release` of `pack`, such as `1.4/standard` of `gateway-api`. For several objects, a [`Canonicalizer`] is cheaper.
///
/// # Errors
/// As [`Canonicalizer::new`] and [`Canonicalizer::convert`].
pub fn canonicalize(object: Value, pack: &str, release: &str) -> Result<Canonical, CanonicalizeError> {
    Canonicalizer::new(pack, release)?.convert(object)
}

impl Canonicalizer {
    /// Makes what converts to `release` of `pack`: `1.4/standard`, `1.4` or `latest` of `gateway-api`.
    ///
    /// # Errors
    /// [`CanonicalizeError::UnknownRelease`].
    pub fn new(pack: &str, release: &str) -> Result<Self, CanonicalizeError> {
        let named = PACKS.target(&format!("{pack}@{release}"));
        let target = named.map_err(|error| CanonicalizeError::UnknownRelease { message: format!("{error:#}") })?;
        Ok(Self::with(&PACKS, target))
    }

    /// Makes what converts to `target`, which is of one of `packs`.
    pub(crate) fn with(packs: &'static Packs, target: Target<'static>) -> Self {
        let renames = renames(&target);
        let choices = Choices { parameters: packs.default_parameters(), ..Choices::default() };
        Self { target, goal: Goal { packs, targets: vec![target], choices }, renames }
    }

    /// Returns the release, as `gateway-api@1.4.1/standard`.
    pub fn release(&self) -> String {
        self.target.to_string()
    }

    /// Converts an object.
    ///
    /// # Errors
    /// Every variant of [`CanonicalizeError`] but [`CanonicalizeError::UnknownRelease`].
    pub fn convert(&self, object: Value) -> Result<Canonical, CanonicalizeError> {
        let object = Object::from_value(0, FieldPath::default(), object).ok_or(CanonicalizeError::NotAnObject)?;
        let namespace = Namespace::from_written(object.namespace.as_deref());
        let others = Context::default().with_parameters(&self.goal.choices.parameters);
        let place = ObjectPlace::default();
        let completeness = Completeness::Whole;
        let context = ObjectContext::new(completeness, &namespace, place, &others);
        let unknown = || CanonicalizeError::UnknownKind { kind: object.kind.to_string() };
        // Of a kind of another pack, only some objects are subject to a rule.
        let others_kind = || self.target.pack.foreign_kinds().any(|kind| *kind == object.kind);
        let at_target = || others_kind().then(|| Conversion::unchanged(&object));
        let conversion = convert::convert(&object, &self.goal, context).or_else(at_target).ok_or_else(unknown)?;
        if conversion.unresolved.iter().any(|remark| remark.code == Code::UnknownKind) {
            return Err(unknown());
        }
        self.is_newer(&conversion)?;
        if !conversion.split_off.is_empty() {
            let is_split = |remark: &&convert::Remark| remark.code == Code::ObjectSplit;
            let reasons = conversion.notes.iter().filter(is_split).map(Remark::new).collect();
            return Err(CanonicalizeError::HeldBack { reasons });
        }
        if others.was_asked_in_vain() {
            return Err(CanonicalizeError::DependsOnOthers);
        }
        let (conversion, renamed_references) = self.follow_references(conversion, &object);
        not_blocked(&conversion)?;
        drop(object);
        Ok(Canonical {
            renamed_references,
            rules: conversion.rules.into_iter().map(|(rule, _)| rule).collect(),
            warnings: conversion.warnings.iter().map(Remark::new).collect(),
            object: Arc::unwrap_or_clone(conversion.value),
        })
    }

    /// Lets references follow the kinds that have another name in the release, and lists them.
    fn follow_references(&self, mut conversion: Conversion, object: &Object) -> (Conversion, Vec<String>) {
        let references =
            find_references(&conversion.value, self.goal.catalog_of(&conversion.kind), &self.renames, self.goal.packs);
        if references.is_empty() || !conversion.blocks.is_empty() {
            return (conversion, Vec::new());
        }
        let mut session = Conversion::session(Some(&conversion), object);
        for reference in &references {
            if let Err(halt) = update(reference, &self.renames[&reference.kind], &mut session) {
                conversion.blocks.extend(impossible(halt));
            }
        }
        let conversion = Conversion::with_changes(Some(conversion), object, session).expect("a conversion was passed");
        (conversion, references.iter().map(|reference| reference.path.to_string()).collect())
    }

    /// Refuses an object all of whose releases are newer, or that a rule took to an older one.
    fn is_newer(&self, conversion: &Conversion) -> Result<(), CanonicalizeError> {
        let line = self.target.pack.line();
        let target = line.get(self.target.release).order;
        let oldest = conversion.origins.iter().map(|release| line.get(release).order).min();
        let went_back = conversion.rules.iter().any(|(_, direction)| *direction == Direction::Backward);
        if went_back || oldest.is_some_and(|oldest| oldest > target) {
            return Err(CanonicalizeError::Newer { releases: line.describe(conversion.origins) });
        }
        Ok(())
    }
}

/// Returns an error for an object that is held back.
fn not_blocked(conversion: &Conversion) -> Result<(), CanonicalizeError> {
    if conversion.blocks.is_empty() {
        return Ok(());
    }
    let remarks = conversion.blocks.iter().map(Remark::new).collect();
    let is_loss = |code: Code| LossClass::ALL.map(loss_code).contains(&code);
    Err(if conversion.blocks.iter().all(|block| is_loss(block.code)) {
        CanonicalizeError::Loss { losses: remarks }
    } else if conversion.blocks.iter().all(|block| block.code == Code::ConflictingFields) {
        CanonicalizeError::Conflict { conflicts: remarks }
    } else {
        CanonicalizeError::HeldBack { reasons: remarks }
    })
}

impl Remark {
    fn new(remark: &convert::Remark) -> Self {
        Self { code: remark.code.name(), field: remark.path.to_string(), message: remark.message.clone() }
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl fmt::Display for CanonicalizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let listed = |remarks: &[Remark]| remarks.iter().map(Remark::to_string).collect::<Vec<_>>().join("; ");
        match self {
            Self::UnknownRelease { message } => f.write_str(message),
            Self::NotAnObject => f.write_str("not a Kubernetes object: apiVersion or kind is missing"),
            Self::UnknownKind { kind } => write!(f, "no release has the kind {kind}"),
            Self::Newer { releases } => write!(f, "the object is for a newer release: {releases}"),
            Self::Loss { losses } => write!(f, "values would be lost: {}", listed(losses)),
            Self::Conflict { conflicts } => write!(f, "fields exclude each other: {}", listed(conflicts)),
            Self::HeldBack { reasons } => write!(f, "the object cannot be converted: {}", listed(reasons)),
            Self::DependsOnOthers => f.write_str("the conversion depends on other objects"),
        }
    }
}

impl Error for CanonicalizeError {}
