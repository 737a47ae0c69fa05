//! The operations of one rule, in order: [`Lens`].

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use super::fidelity::Fidelity;
use super::halt::Halt;
use super::image::{Claims, Image};
use super::operation::{Constant, Operation, Parameter};
use super::premise::Premise;
use super::session::Session;
use crate::field::FieldPattern;
use crate::release::GroupKind;

/// A list of operations that run one after the other; a clone shares them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(try_from = "Written")]
pub struct Lens(Vec<Arc<dyn Operation>>);

/// The operations of a lens as they are written.
#[derive(Deserialize)]
#[serde(transparent)]
struct Written(Vec<Box<dyn Operation>>);

impl TryFrom<Written> for Lens {
    type Error = &'static str;

    fn try_from(Written(operations): Written) -> Result<Self, Self::Error> {
        if operations.is_empty() {
            return Err(
                "there is no operation: write at least one, such as `- rename: { field: spec.tls, to: validation }`",
            );
        }
        Ok(Self::from(operations))
    }
}

impl From<Vec<Box<dyn Operation>>> for Lens {
    fn from(operations: Vec<Box<dyn Operation>>) -> Self {
        Self(operations.into_iter().map(Arc::from).collect())
    }
}

impl Lens {
    /// Runs every operation in turn.
    ///
    /// # Errors
    /// The [`Halt`] of the first operation that cannot convert the object.
    pub fn run(&self, session: &mut Session) -> Result<(), Halt> {
        let mut operations = self.0.iter().enumerate();
        operations.try_for_each(|(at, operation)| operation.run_before(&self.0[at + 1..], session))
    }

    /// Returns whether an operation can give keys another order, which converting back does not always restore.
    pub fn reorders(&self) -> bool {
        self.0.iter().any(|operation| operation.reorders())
    }

    /// Returns the lens that converts back, for a rule about `kind`. It is empty where an operation is one-way: what the
    /// others changed may have been so before.
    #[must_use]
    pub fn inverse(&self, kind: &GroupKind) -> Self {
        if self.is_one_way() {
            return Self::default();
        }
        Self(self.0.iter().rev().map(|operation| operation.inverse(kind).into()).collect())
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

    /// Returns whether an operation is one-way.
    pub(super) fn is_one_way(&self) -> bool {
        self.0.iter().any(|operation| operation.is_one_way())
    }

    /// Returns the kinds that the lens can give an object of `kind`, in the order of its operations.
    pub fn retypes(&self, kind: &GroupKind) -> Vec<GroupKind> {
        self.0.iter().flat_map(|operation| operation.retypes(kind)).collect()
    }

    /// Returns whether the lens gives every object of `kind` another kind, whatever the object holds.
    pub fn always_retypes(&self, kind: &GroupKind) -> bool {
        self.0.iter().any(|operation| !operation.is_conditional() && !operation.retypes(kind).is_empty())
    }

    /// Returns the parameters of packs that the lens reads.
    pub fn parameters(&self) -> Vec<Parameter<'_>> {
        self.0.iter().flat_map(|operation| operation.parameters()).collect()
    }

    /// Returns whether an operation is about a default that is another one on the other side, which the user decides about.
    pub fn changes_defaults(&self) -> bool {
        self.parameters().iter().any(|parameter| !parameter.choices.is_empty())
    }

    /// Returns the kinds of the other objects that the lens reads.
    pub fn kinds_read(&self) -> BTreeSet<GroupKind> {
        self.0.iter().flat_map(|operation| operation.kinds_read()).collect()
    }

    /// Returns the kinds of the other objects with which the lens may convert an object only together.
    pub fn kinds_converted_with(&self) -> BTreeSet<GroupKind> {
        self.0.iter().flat_map(|operation| operation.kinds_converted_with()).collect()
    }

    /// Returns the parameters whose values the lens reads.
    pub fn parameters_read(&self) -> Vec<String> {
        self.0.iter().flat_map(|operation| operation.parameters_read()).collect()
    }

    /// Returns the fields that the lens removes, with their paths before it, and those that it adds, with their paths after
    /// it.
    pub fn claims(&self) -> Claims {
        self.claims_of(|_| true)
    }

    /// Returns those of [`Lens::claims`] that hold without a test: they remove, or add, every value of the field.
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

    /// Returns what the operations take for granted about fields, with the names that these have before and after the lens.
    pub fn premises(&self) -> Vec<Premise> {
        let named = |at: usize, mut premise: Premise| {
            let field = premise.written.clone();
            premise.names.extend(self.before(at, field.clone()));
            premise.names.extend(follow(&self.0[at..], field));
            premise
        };
        let each = self.0.iter().enumerate();
        each.flat_map(|(at, operation)| operation.premises().into_iter().map(move |premise| named(at, premise)))
            .collect()
    }

    /// Returns the path before the lens of the field `field` before the operation `at`.
    fn before(&self, at: usize, field: FieldPattern) -> Option<FieldPattern> {
        // Only the conversion of the kind itself depends on the kind.
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

    /// Returns what becomes of `value` in the fields that match `field`, where an operation changes it.
    pub fn value_image(&self, field: &FieldPattern, value: &Value) -> Option<Value> {
        let (mut at, mut image) = (field.clone(), None);
        for operation in &self.0 {
            image = operation.value_image(&at, image.as_ref().unwrap_or(value)).or(image);
            if let Image::Moved(moved) = operation.image(&at) {
                at = moved;
            }
        }
        image
    }

    /// Returns whether an operation holds back every object that has `value` in a field that matches `field`, or removes it.
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

    /// Returns the constants that operations read or write on the old side, with the paths of their fields before the lens.
    pub fn constants(&self) -> Vec<Constant> {
        let at = |(at, operation): (usize, &Arc<dyn Operation>)| {
            let before = |one: Constant| Some(Constant { field: self.before(at, one.field)?, ..one });
            operation.constants().into_iter().filter_map(before).collect::<Vec<_>>()
        };
        self.0.iter().enumerate().flat_map(at).collect()
    }

    /// Returns whether an operation sets the fields that match `field` where they are absent or empty.
    pub fn fills_absent(&self, field: &FieldPattern) -> bool {
        self.0.iter().any(|operation| operation.fills_absent(field))
    }

    /// Returns whether an operation makes the values of the fields that match `field` valid on the other side.
    pub fn makes_valid(&self, field: &FieldPattern) -> bool {
        let mut at = field.clone();
        for operation in &self.0 {
            if operation.makes_valid(&at) {
                return true;
            }
            if let Image::Moved(moved) = operation.image(&at) {
                at = moved;
            }
        }
        false
    }

    /// Returns all fidelities that the lens can have.
    pub fn fidelities(&self) -> BTreeSet<Fidelity> {
        self.0.iter().flat_map(|operation| operation.fidelities()).collect()
    }
}

/// Returns the path of `field` after `operations`; `None` where it is removed.
pub(super) fn follow(operations: &[Arc<dyn Operation>], field: FieldPattern) -> Option<FieldPattern> {
    operations.iter().try_fold(field, |field, operation| match operation.image(&field) {
        Image::Kept => Some(field),
        Image::Moved(moved) => Some(moved),
        Image::Dropped | Image::Refused => None,
    })
}
