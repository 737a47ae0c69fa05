//! The operations of one rule, in order: [`Lens`].

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use super::context::ObjectId;
use super::operation::{Claims, Constant, Direction, Fidelity, Image, Operation, Parameter, Pass, Premise, Steps};
use super::session::{Halt, Session};
use crate::knowledge::release::GroupKind;
use crate::syntax::field::{FieldPath, FieldPattern};

/// A list of operations that run one after the other, in one direction; a clone shares them.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Written")]
pub struct Lens {
    /// In the order in which they run forward.
    operations: Arc<[Arc<dyn Operation>]>,
    direction: Direction,
    /// The kind before the change, where the lens converts back.
    kind: Option<Arc<GroupKind>>,
}

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
        Ok(Self::of(operations.into_iter().map(Arc::from)))
    }
}

impl Default for Lens {
    fn default() -> Self {
        Self::of([])
    }
}

impl Lens {
    /// Makes the lens that runs `operations` forward.
    pub(super) fn of(operations: impl IntoIterator<Item = Arc<dyn Operation>>) -> Self {
        Self { operations: operations.into_iter().collect(), direction: Direction::Forward, kind: None }
    }

    /// Makes the lens that runs `lenses`, which run forward, one after the other.
    #[must_use]
    pub fn chain(lenses: impl IntoIterator<Item = Self>) -> Self {
        Self::of(lenses.into_iter().flat_map(|lens| lens.operations.to_vec()))
    }

    /// Returns the lens that converts back, for a rule about `kind`. It is empty where an operation is one-way: what the
    /// others changed may have been so before.
    #[must_use]
    pub fn inverse(&self, kind: &GroupKind) -> Self {
        let operations = if self.is_one_way() { Arc::from([]) } else { Arc::clone(&self.operations) };
        Self { operations, direction: self.direction.reversed(), kind: Some(Arc::new(kind.clone())) }
    }

    /// The same operations in another direction, to ask what they do there.
    pub(super) fn facing(&self, direction: Direction) -> Self {
        Self { direction, ..self.clone() }
    }

    /// Runs every operation in turn.
    ///
    /// # Errors
    /// The [`Halt`] of the first operation that cannot convert the object.
    pub fn run(&self, session: &mut Session) -> Result<(), Halt> {
        self.run_as(self.direction, self.kind.as_deref(), session)
    }

    /// Runs every operation as part of another lens, which runs in `direction` and is about `kind`.
    pub(super) fn run_as(
        &self,
        direction: Direction,
        kind: Option<&GroupKind>,
        session: &mut Session,
    ) -> Result<(), Halt> {
        let mut steps = Steps { operations: &self.operations, direction };
        while let Some((operation, rest)) = steps.split_first() {
            let together = session.converts_with().len();
            operation.run(&Pass { direction, kind, rest }, session)?;
            let is_said = !operation.inner().is_empty() || !operation.kinds_converted_with().is_empty();
            if !is_said && session.converts_with().len() != together {
                let reason = format!("{operation:?} converts objects together of which it names no kind");
                return Err(Halt::refused(FieldPath::default(), reason, "report this: it is a fault of the program"));
            }
            steps = rest;
        }
        Ok(())
    }

    /// Returns whether there can be objects that convert together with one or not at all.
    pub(crate) fn binds(&self) -> bool {
        self.has(|operation| operation.binds())
    }

    /// Returns the objects that convert together with the session's or not at all, whatever holds it back.
    pub(crate) fn bound(&self, session: &mut Session<'_>) -> BTreeSet<ObjectId> {
        self.steps().iter().flat_map(|operation| operation.bound(self.direction, session)).collect()
    }

    pub(super) fn operations(&self) -> &[Arc<dyn Operation>] {
        &self.operations
    }

    fn steps(&self) -> Steps<'_> {
        Steps { operations: &self.operations, direction: self.direction }
    }

    /// All operations, those inside others before these.
    fn each(&self) -> Vec<&dyn Operation> {
        let mut each = Vec::new();
        self.steps().iter().for_each(|operation| collect(operation, &mut each));
        each
    }

    /// Returns whether `holds` does for an operation, or one inside another.
    fn has(&self, holds: impl Fn(&dyn Operation) -> bool) -> bool {
        fn is_in(operation: &dyn Operation, holds: &dyn Fn(&dyn Operation) -> bool) -> bool {
            holds(operation) || operation.inner().iter().any(|inner| is_in(inner.as_ref(), holds))
        }
        self.operations.iter().any(|operation| is_in(operation.as_ref(), &holds))
    }

    /// Whether an operation can give keys another order, which converting back does not always restore.
    pub(crate) fn reorders(&self) -> bool {
        self.has(|operation| operation.reorders())
    }

    /// Whether an operation is one-way.
    pub(super) fn is_one_way(&self) -> bool {
        self.has(|operation| operation.is_one_way())
    }

    /// Returns the kinds that the lens can give an object of `kind`, in the order of its operations.
    pub(crate) fn retypes(&self, kind: &GroupKind) -> Vec<GroupKind> {
        let kind = self.kind.as_deref().unwrap_or(kind);
        self.steps().iter().flat_map(|operation| operation.retypes(self.direction, kind)).collect()
    }

    /// Returns whether the lens gives every object of `kind` another kind, whatever the object holds.
    pub(crate) fn always_retypes(&self, kind: &GroupKind) -> bool {
        let mut certain = self.operations.iter().filter(|operation| !operation.is_conditional());
        certain.any(|operation| !operation.retypes(self.direction, kind).is_empty())
    }

    /// The parameters of packs that the lens reads.
    pub fn parameters(&self) -> Vec<Parameter<'_>> {
        self.each().into_iter().flat_map(Operation::parameters).collect()
    }

    /// Whether an operation is about a default that is another one on the other side, which the user decides about.
    pub(crate) fn changes_defaults(&self) -> bool {
        self.has(|operation| operation.parameters().iter().any(|parameter| !parameter.choices.is_empty()))
    }

    /// The parameters whose values the lens reads.
    pub(crate) fn parameters_read(&self) -> Vec<&str> {
        let parameters = self.parameters().into_iter();
        let read = parameters.filter(|parameter| parameter.choices.is_empty() && parameter.wanted.is_none());
        read.map(|parameter| parameter.name).collect()
    }

    /// The kinds of the other objects that the lens reads.
    pub(crate) fn kinds_read(&self) -> BTreeSet<GroupKind> {
        self.each().into_iter().flat_map(Operation::kinds_read).collect()
    }

    /// The kinds and versions of the objects that the lens makes of parts of others.
    pub(crate) fn makes(&self) -> Vec<(&GroupKind, &str)> {
        self.each().into_iter().filter_map(Operation::makes).collect()
    }

    /// The kinds of the other objects with which the lens may convert an object only together.
    pub(crate) fn kinds_converted_with(&self) -> BTreeSet<GroupKind> {
        self.each().into_iter().flat_map(Operation::kinds_converted_with).collect()
    }

    /// Returns the fields that the lens removes, with their paths before it, and those that it adds, with their paths after
    /// it.
    pub(crate) fn claims(&self) -> Claims {
        self.claims_of(|_| true)
    }

    /// Returns those of [`Lens::claims`] that hold without a test: they remove, or add, every value of the field.
    pub(crate) fn certain_claims(&self) -> Claims {
        self.claims_of(|operation| !operation.is_conditional())
    }

    /// Returns the fields that each operation removes and adds, in the order in which they run.
    pub fn claims_of_each(&self) -> Vec<Claims> {
        self.steps().iter().map(|operation| operation.claims().facing(self.direction)).collect()
    }

    fn claims_of(&self, counts: impl Fn(&dyn Operation) -> bool) -> Claims {
        let mut claims = Claims::default();
        for (at, operation) in self.steps().iter().enumerate().filter(|(_, operation)| counts(*operation)) {
            let step = operation.claims().facing(self.direction);
            claims.old.extend(step.old.into_iter().filter_map(|field| self.before(at, field)));
            claims.new.extend(step.new.into_iter().filter_map(|field| self.steps().split(at + 1).1.follow(field)));
        }
        claims
    }

    /// Returns what the operations take for granted about fields, with the names that these have before and after the lens.
    pub fn premises(&self) -> Vec<Premise> {
        let mut premises = Vec::new();
        for (at, operation) in self.steps().iter().enumerate() {
            for mut premise in operation.premises() {
                let field = premise.written.clone();
                premise.names.extend(self.before(at, field.clone()));
                premise.names.extend(self.steps().split(at).1.follow(field));
                premises.push(premise);
            }
        }
        premises
    }

    /// Returns the path before the lens of the field `field` before the operation `at`.
    fn before(&self, at: usize, field: FieldPattern) -> Option<FieldPattern> {
        self.steps().split(at).0.reversed().follow(field)
    }

    /// Returns what becomes of the fields that match `field`.
    pub fn image(&self, field: &FieldPattern) -> Image {
        let mut image = Image::Kept;
        for operation in self.steps().iter() {
            let now = match &image {
                Image::Kept => operation.image(self.direction, field),
                Image::Moved(moved) => operation.image(self.direction, moved),
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
        self.steps().iter().fold(BTreeSet::from([Image::Kept]), |images, operation| {
            let after = |image: &Image| image.after(field, |field| operation.images(self.direction, field));
            images.iter().flat_map(after).collect()
        })
    }

    /// Returns whether an operation can write what is in the fields that match `field` to another place too.
    pub(crate) fn copies(&self, field: &FieldPattern) -> bool {
        self.along(field).any(|(operation, at)| operation.copies(self.direction, &at))
    }

    /// Returns each operation with the name that the fields that match `field` have before it.
    fn along(&self, field: &FieldPattern) -> impl Iterator<Item = (&dyn Operation, FieldPattern)> {
        self.steps().iter().scan(field.clone(), |at, operation| {
            let before = at.clone();
            if let Image::Moved(moved) = operation.image(self.direction, at) {
                *at = moved;
            }
            Some((operation, before))
        })
    }

    /// Returns what becomes of `value` in the fields that match `field`, where an operation changes it.
    pub fn value_image(&self, field: &FieldPattern, value: &Value) -> Option<Value> {
        self.along(field).fold(None, |image: Option<Value>, (operation, at)| {
            operation.value_image(self.direction, &at, image.as_ref().unwrap_or(value)).or(image)
        })
    }

    /// Returns whether an operation holds back every object that has `value` in a field that matches `field`, or removes it.
    pub(crate) fn claims_value(&self, field: &FieldPattern, value: &Value) -> bool {
        self.along(field).any(|(operation, at)| operation.claims_value(self.direction, &at, value))
    }

    /// Returns whether an operation makes the values of the fields that match `field` valid on the other side.
    pub(crate) fn makes_valid(&self, field: &FieldPattern) -> bool {
        self.along(field).any(|(operation, at)| operation.makes_valid(self.direction, &at))
    }

    /// Returns the constants that operations read or write on the old side, with the paths of their fields before the lens.
    pub fn constants(&self) -> Vec<Constant> {
        let mut constants = Vec::new();
        for (at, operation) in self.steps().iter().enumerate() {
            for constant in operation.constants(self.direction) {
                let field = self.before(at, constant.field);
                constants.extend(field.map(|field| Constant { field, value: constant.value, ..constant }));
            }
        }
        constants
    }

    /// Returns whether an operation sets the fields that match `field` where they are absent or empty.
    pub(crate) fn fills_absent(&self, field: &FieldPattern) -> bool {
        self.operations.iter().any(|operation| operation.fills_absent(self.direction, field))
    }

    /// All fidelities that the lens can have.
    pub fn fidelities(&self) -> BTreeSet<Fidelity> {
        self.operations.iter().flat_map(|operation| operation.fidelities(self.direction)).collect()
    }
}

/// Adds to `each` the operations inside `operation`, then itself.
fn collect<'a>(operation: &'a dyn Operation, each: &mut Vec<&'a dyn Operation>) {
    operation.inner().iter().for_each(|inner| collect(inner.as_ref(), each));
    each.push(operation);
}

#[cfg(test)]
mod tests {
    use super::super::context::{Namespace, ObjectId, ObjectPlace, ObjectView};
    use super::*;
    use serde_json::json;

    /// Converts its object together with a `Shop`, and reads objects of these kinds.
    #[derive(Debug)]
    struct Together(Vec<GroupKind>);

    impl Operation for Together {
        fn run(&self, _: &Pass<'_>, session: &mut Session<'_>) -> Result<(), Halt> {
            let place = ObjectPlace { id: Some(ObjectId { file: 0, at: 1 }), ..ObjectPlace::default() };
            let (kind, namespace, value) = (shop(), Namespace::Unset, json!({}));
            let name = Some("a");
            session.convert_together_with(&ObjectView {
                kind: &kind,
                namespace: &namespace,
                name,
                value: &value,
                place,
            });
            Ok(())
        }

        fn kinds_read(&self) -> Vec<GroupKind> {
            self.0.clone()
        }
    }

    fn shop() -> GroupKind {
        GroupKind::new("Shop", "example.com")
    }

    fn run(kinds: Vec<GroupKind>) -> BTreeSet<GroupKind> {
        let lens = Lens::of([Arc::new(Together(kinds)) as Arc<dyn Operation>]);
        lens.run(&mut Session::new(json!({}))).unwrap();
        lens.kinds_converted_with()
    }

    #[test]
    fn kinds_that_are_read_are_converted_together_where_an_operation_does_not_say_otherwise() {
        assert_eq!(run(vec![shop()]), BTreeSet::from([shop()]));
    }

    #[test]
    fn an_operation_that_converts_together_and_names_no_kind_is_refused() {
        let lens = Lens::of([Arc::new(Together(Vec::new())) as Arc<dyn Operation>]);
        let halt = lens.run(&mut Session::new(json!({}))).unwrap_err();
        assert!(matches!(&halt, Halt::Refused { reason, .. } if reason.ends_with("names no kind")), "{halt:?}");
    }
}
