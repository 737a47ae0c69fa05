//! Answers: what does a schema demand of several fields of one value together?
//!
//! A [`Relation`] is what a CRD says with CEL rules, `oneOf`, `anyOf` or `not`, in words of our own: exactly one of two fields, a field
//! that is required when another one has some value, items that differ in some fields. Paths are relative to the value
//! that has the relation; a path without keys is the value itself.
//!
//! Invariant: a relation written and read back is the same relation.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::syntax::field::FieldPattern;

/// What must hold for the fields of a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) enum Relation {
    /// One of the fields is present, and only one: `{"exactlyOneOf":["value","secretRef"]}`.
    ExactlyOneOf(Vec<FieldPattern>),
    /// No two of the fields are present: `{"atMostOneOf":["secretRef","serviceAccountName"]}`.
    AtMostOneOf(Vec<FieldPattern>),
    /// Where all of `when` hold, one of `then` does: `{"implies":{"when":[{"is":["type",["Basic"]]}],"then":[{"present":"basic"}]}}`.
    Implies {
        /// The condition; none where `then` holds always.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        when: Vec<Literal>,
        /// What follows from it.
        then: Vec<Literal>,
    },
    /// No two items of the list are alike in all of these fields: `{"unique":{"by":["name","kind"]}}`.
    Unique {
        /// The fields.
        by: Vec<FieldPattern>,
        /// The items that count, by what holds for them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        of: Vec<Literal>,
    },
}

impl Relation {
    /// Returns the fields that it is about, of the value itself.
    pub(super) fn fields(&self) -> Vec<&FieldPattern> {
        match self {
            Self::ExactlyOneOf(fields) | Self::AtMostOneOf(fields) => fields.iter().collect(),
            Self::Implies { when, then } => when.iter().chain(then).map(Literal::field).collect(),
            Self::Unique { .. } => Vec::new(),
        }
    }

    /// Returns the patterns that texts are matched against.
    pub(super) fn patterns(&self) -> Vec<&str> {
        match self {
            Self::ExactlyOneOf(_) | Self::AtMostOneOf(_) => Vec::new(),
            Self::Implies { when, then } => when.iter().chain(then).flat_map(Literal::patterns).collect(),
            Self::Unique { of, .. } => of.iter().flat_map(Literal::patterns).collect(),
        }
    }
}

/// A statement about one field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Literal {
    /// The field is written, or has a default.
    Present(FieldPattern),
    /// What the field would be in is there, and the field is not.
    Absent(FieldPattern),
    /// The value is one of these.
    Is(FieldPattern, Vec<Value>),
    /// There is a value, which is none of these.
    IsNot(FieldPattern, Vec<Value>),
    /// A list, mapping or text is longer than a number.
    Longer(FieldPattern, u64),
    /// There is a list, mapping or text, which is not longer than a number.
    NotLonger(FieldPattern, u64),
    /// A pattern in RE2 syntax matches somewhere in the text.
    Matches(FieldPattern, String),
    /// There is a text in which the pattern matches nowhere.
    MatchesNot(FieldPattern, String),
    /// Of the items of a list, more than this number are such that all of the statements hold for them.
    MoreItems(FieldPattern, Vec<Literal>, u64),
    /// There is a list without so many such items.
    NotMoreItems(FieldPattern, Vec<Literal>, u64),
}

impl Literal {
    /// Returns what holds where this does not, for a value that has what both are about.
    pub(crate) fn negated(self) -> Self {
        match self {
            Self::Present(field) => Self::Absent(field),
            Self::Absent(field) => Self::Present(field),
            Self::Is(field, values) => Self::IsNot(field, values),
            Self::IsNot(field, values) => Self::Is(field, values),
            Self::Longer(field, number) => Self::NotLonger(field, number),
            Self::NotLonger(field, number) => Self::Longer(field, number),
            Self::Matches(field, pattern) => Self::MatchesNot(field, pattern),
            Self::MatchesNot(field, pattern) => Self::Matches(field, pattern),
            Self::MoreItems(field, items, number) => Self::NotMoreItems(field, items, number),
            Self::NotMoreItems(field, items, number) => Self::MoreItems(field, items, number),
        }
    }

    /// Returns the field.
    pub(crate) const fn field(&self) -> &FieldPattern {
        match self {
            Self::Present(field)
            | Self::Absent(field)
            | Self::Is(field, _)
            | Self::IsNot(field, _)
            | Self::Longer(field, _)
            | Self::NotLonger(field, _)
            | Self::Matches(field, _)
            | Self::MatchesNot(field, _)
            | Self::MoreItems(field, ..)
            | Self::NotMoreItems(field, ..) => field,
        }
    }

    fn patterns(&self) -> Vec<&str> {
        match self {
            Self::Matches(_, pattern) | Self::MatchesNot(_, pattern) => vec![pattern],
            Self::MoreItems(_, items, _) | Self::NotMoreItems(_, items, _) => {
                items.iter().flat_map(Self::patterns).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Says that it must hold, without the name of the field: `must be absent`.
    pub(super) fn demand(&self) -> String {
        match self {
            Self::Present(_) => "is required".to_owned(),
            Self::Absent(_) => "must be absent".to_owned(),
            Self::Is(_, values) => format!("must be {}", listed(values)),
            Self::IsNot(_, values) => format!("must not be {}", listed(values)),
            Self::Longer(_, 0) => "must not be empty".to_owned(),
            Self::Longer(_, number) => format!("must have more than {number} entries"),
            Self::NotLonger(_, 0) => "must be empty".to_owned(),
            Self::NotLonger(_, number) => format!("must have at most {number} entries"),
            Self::Matches(_, pattern) => format!("must match {pattern}"),
            Self::MatchesNot(_, pattern) => format!("must not match {pattern}"),
            Self::MoreItems(_, items, 0) => format!("must have an item of which {}", all(items)),
            Self::MoreItems(_, items, number) => format!("must have more than {number} items of which {}", all(items)),
            Self::NotMoreItems(_, items, 0) => format!("must have no item of which {}", all(items)),
            Self::NotMoreItems(_, items, number) => {
                format!("must have at most {number} of the items of which {}", all(items))
            }
        }
    }

    /// Returns whether it only says that there is what `other` is about.
    fn goes_without(&self, other: &Self) -> bool {
        matches!(self, Self::Present(field) if other != self && other.field().starts_with(field))
    }

    /// Says that it holds, without the name of the field: `is absent`.
    pub(super) fn predicate(&self) -> String {
        match self {
            Self::Present(_) => "is present".to_owned(),
            Self::Absent(_) => "is absent".to_owned(),
            Self::Is(_, values) => format!("is {}", listed(values)),
            Self::IsNot(_, values) => format!("is not {}", listed(values)),
            Self::Longer(_, 0) => "is not empty".to_owned(),
            Self::Longer(_, number) => format!("has more than {number} entries"),
            Self::NotLonger(_, 0) => "is empty".to_owned(),
            Self::NotLonger(_, number) => format!("has at most {number} entries"),
            Self::Matches(_, pattern) => format!("matches {pattern}"),
            Self::MatchesNot(_, pattern) => format!("does not match {pattern}"),
            Self::MoreItems(_, items, 0) => format!("has an item of which {}", all(items)),
            Self::MoreItems(_, items, number) => format!("has more than {number} items of which {}", all(items)),
            Self::NotMoreItems(_, items, 0) => format!("has no item of which {}", all(items)),
            Self::NotMoreItems(_, items, number) => format!("has at most {number} items of which {}", all(items)),
        }
    }
}

/// A field as messages name it; the value itself has no name of its own.
struct Named<'f>(&'f FieldPattern);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.parts().is_empty() { f.write_str("the value") } else { self.0.fmt(f) }
    }
}

/// Leaves out the statements that go without saying.
pub(super) fn said(literals: &[Literal]) -> Vec<Literal> {
    let goes = |literal: &&Literal| !literals.iter().any(|other| literal.goes_without(other));
    literals.iter().filter(goes).cloned().collect()
}

/// Says that statements hold: `type is "Basic" and jwt is present`.
pub(super) fn all(literals: &[Literal]) -> String {
    let texts = literals.iter().map(|literal| format!("{} {}", Named(literal.field()), literal.predicate()));
    texts.collect::<Vec<_>>().join(" and ")
}

/// Says that one of some statements must hold: `basic or jwt is required`.
pub(super) fn one_of(literals: &[Literal]) -> String {
    match present(literals) {
        Some(names) => format!("{names} is required"),
        None => {
            let texts = literals.iter().map(|literal| format!("{} {}", Named(literal.field()), literal.demand()));
            texts.collect::<Vec<_>>().join(" or ")
        }
    }
}

/// Names the fields of which statements say that they are present, if all do: `basic or jwt`.
fn present(literals: &[Literal]) -> Option<String> {
    let name = |literal: &Literal| match literal {
        Literal::Present(field) => Some(field.to_string()),
        _ => None,
    };
    Some(literals.iter().map(name).collect::<Option<Vec<_>>>()?.join(" or "))
}

fn listed(values: &[Value]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ")
}

pub(super) fn names(fields: &[FieldPattern]) -> String {
    fields.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Relation {
    /// Prints what follows the name of the value in a sentence: `must have exactly one of tpp, cloud, ngts`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ExactlyOneOf(fields) => write!(f, "must have exactly one of {}", names(fields)),
            Self::AtMostOneOf(fields) => write!(f, "must have at most one of {}", names(fields)),
            Self::Implies { when, then } if when.is_empty() => match present(then) {
                Some(names) => write!(f, "must have {names}"),
                None => write!(f, "is not valid: {}", one_of(then)),
            },
            Self::Implies { when, then } => write!(f, "is not valid: where {}, {}", all(&said(when)), one_of(then)),
            Self::Unique { by, .. } if by.iter().all(|field| field.parts().is_empty()) => {
                f.write_str("must have no two items that are the same")
            }
            Self::Unique { by, .. } => write!(f, "must have no two items with the same {}", names(by)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn says(written: Value, expected: &str) {
        let relation: Relation = serde_json::from_value(written.clone()).unwrap();
        assert_eq!(relation.to_string(), expected);
        assert_eq!(serde_json::to_value(&relation).unwrap(), written);
    }

    #[test]
    fn a_relation_is_said_in_words() {
        says(json!({"exactlyOneOf": ["tpp", "cloud"]}), "must have exactly one of tpp, cloud");
        says(json!({"atMostOneOf": ["a.b", "c"]}), "must have at most one of a.b, c");
        says(json!({"unique": {"by": ["name", "kind"]}}), "must have no two items with the same name, kind");
        says(
            json!({"implies": {"when": [{"is": ["type", ["Basic"]]}], "then": [{"present": "basic"}, {"present": "jwt"}]}}),
            "is not valid: where type is \"Basic\", basic or jwt is required",
        );
        says(
            json!({"implies": {"then": [{"notMoreItems": ["", [{"is": ["type", ["CORS"]]}], 1]}]}}),
            "is not valid: the value must have at most 1 of the items of which type is \"CORS\"",
        );
    }
}
