//! One thing that changed in a CRD, or that is wrong with it.

use serde::{Deserialize, Serialize};

use crate::engine::finding::{Code, FindingObject, Location};
use crate::knowledge::release::GroupKind;
use crate::syntax::field::FieldPattern;

/// What a change does to objects and clients, from the least to the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// Only what people read changed.
    Documentation,
    /// There is more: what was written stays valid, and means the same.
    Additive,
    /// More is accepted of what was there.
    Loosened,
    /// Less is accepted of what was there.
    Tightened,
    /// What was written means something else, or is read otherwise.
    Breaking,
    /// Something has another name.
    Renamed,
    /// A version or a kind is gone.
    Dropped,
}

impl Class {
    /// Every class.
    pub const ALL: [Self; 7] = [
        Self::Documentation,
        Self::Additive,
        Self::Loosened,
        Self::Tightened,
        Self::Breaking,
        Self::Renamed,
        Self::Dropped,
    ];

    /// Returns the word that policies and messages have.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Documentation => "documentation",
            Self::Additive => "additive",
            Self::Loosened => "loosened",
            Self::Tightened => "tightened",
            Self::Breaking => "breaking",
            Self::Renamed => "renamed",
            Self::Dropped => "dropped",
        }
    }

    /// Returns whether objects, clients or manifests can fail because of it.
    pub(crate) const fn breaks(self) -> bool {
        match self {
            Self::Documentation | Self::Additive | Self::Loosened => false,
            Self::Tightened | Self::Breaking | Self::Renamed | Self::Dropped => true,
        }
    }
}

/// A change, or what is wrong with a CRD of the new set, which has no class.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Change {
    /// Where, in the new CRD, or the old one where there is no new one; first, so that changes sort by place.
    pub(crate) location: Location,
    /// Which check found it.
    pub(crate) code: Code,
    /// What it does.
    pub(crate) class: Option<Class>,
    /// The kind that the CRD defines.
    pub(crate) kind: GroupKind,
    /// The version that it is about, if it is about one.
    pub(crate) version: Option<String>,
    /// The field of objects, if it is about one.
    pub(crate) field: Option<FieldPattern>,
    /// The value of the field, as JSON, if it is about one.
    pub(crate) value: Option<String>,
    /// The CRD.
    pub(crate) object: FindingObject,
    /// What changed, in words, without the version and the field.
    pub(crate) text: String,
    /// What can be done.
    pub(crate) help: Option<&'static str>,
}

impl Change {
    /// Says which version it is about.
    pub(super) fn of(self, version: &str) -> Self {
        Self { version: Some(version.to_owned()), ..self }
    }

    /// Says which field it is about.
    pub(super) fn at(self, field: &FieldPattern) -> Self {
        Self { field: Some(field.clone()), ..self }
    }

    /// Says what can be done.
    pub(super) fn with_help(self, help: &'static str) -> Self {
        Self { help: Some(help), ..self }
    }

    /// Returns whether the API server refuses the CRD for it, whatever a policy thinks of it.
    pub(crate) const fn is_refused(&self) -> bool {
        matches!(self.code, Code::CrdInvalid | Code::CrdRuleCost | Code::CrdStoredVersion)
    }

    /// Returns what it is about: `v1 spec.rules[].name`, `v1`, or nothing where it is the whole CRD.
    pub(crate) fn subject(&self) -> Option<String> {
        let field = self.field.as_ref().filter(|field| !field.parts().is_empty()).map(ToString::to_string);
        let parts: Vec<String> = self.version.clone().into_iter().chain(field).collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    }

    /// Returns the sentence of a report.
    pub(crate) fn message(&self) -> String {
        let class = self.class.map(|class| format!(" ({})", class.name())).unwrap_or_default();
        match self.subject() {
            Some(subject) => format!("{subject}: {}{class}", self.text),
            None => format!("{}{class}", self.text),
        }
    }
}
