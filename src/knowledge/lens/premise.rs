//! What an operation takes for granted about a field: [`Premise`], for the checks of a rule against schemas.

use serde_json::Value;

use crate::syntax::field::FieldPattern;

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
