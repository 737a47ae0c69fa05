//! The rule of one change, and what speaks for it.

use super::skeleton::Case;
use crate::knowledge::release::{ApiVersion, GroupKind};
use crate::syntax::field::FieldPattern;

/// What a suggestion is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sort {
    /// A kind that is another one, or in another group.
    Kind,
    /// A field with another name.
    Rename,
    /// A field at another place.
    Move,
    /// A value that became an item of a list, or a key of a mapping.
    Wrap,
    /// A value that took the place of the list or mapping that it was in.
    Unwrap,
    /// A value that is called otherwise.
    Value,
    /// A field with another type, for which there is no operation.
    Form,
    /// A field, value or kind without a successor.
    Removal,
    /// A field that is required.
    Requirement,
    /// A field that says which of the fields beside it is there.
    Union,
    /// A default that changed.
    Default,
}

impl Sort {
    /// Returns what a line of output calls it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Kind => "kind",
            Self::Rename => "rename",
            Self::Move => "move",
            Self::Wrap => "wrap",
            Self::Unwrap => "unwrap",
            Self::Value => "value",
            Self::Form => "form",
            Self::Removal => "removal",
            Self::Requirement => "requirement",
            Self::Union => "union",
            Self::Default => "default",
        }
    }
}

/// One change between two releases, and what may convert it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Suggestion {
    /// The kind before the change.
    pub kind: GroupKind,
    /// The field before the change; a value follows behind `=`.
    pub old: String,
    /// What it is about.
    pub sort: Sort,
    /// The field or value after the change, where one is suggested.
    pub new: String,
    /// How certain it is, in percent.
    pub confidence: u32,
    /// What speaks for it.
    pub reason: String,
    /// Whether it is written as an operation, and not as a choice.
    pub is_sure: bool,
    /// The file that has it, in the folder of the pack.
    pub file: String,
    /// The kind after the change, where there is one.
    pub(super) new_kind: GroupKind,
    /// The apiVersions that it is about, where it is about two of the kind.
    pub(super) versions: Option<[ApiVersion; 2]>,
}

/// A rule that is drafted.
#[derive(Clone, Debug)]
pub(super) struct RuleDraft {
    /// The name of its file, without the ending.
    pub(super) name: String,
    /// The release that its folder is called by.
    pub(super) bundle: String,
    pub(super) summary: String,
    pub(super) kinds: Vec<GroupKind>,
    /// The apiVersions that it leads from and to, where the new release serves both.
    pub(super) versions: Option<[ApiVersion; 2]>,
    /// Whether only the user knows which side an object is on.
    pub(super) needs_from: bool,
    /// What speaks for it, as comments.
    pub(super) notes: Vec<String>,
    /// Its operations, each a text in YAML.
    pub(super) lens: Vec<String>,
    pub(super) cases: Vec<Case>,
    pub(super) suggestions: Vec<Suggestion>,
    /// The field that it begins with, as both sides call it.
    pub(super) roots: Vec<[FieldPattern; 2]>,
}

impl RuleDraft {
    /// Returns the text of its file; `source` says what it was made of.
    pub(super) fn text(&self, source: &str) -> String {
        let notes: String = self.notes.iter().map(|note| format!("# {note}\n")).collect();
        let kinds: Vec<String> = self.kinds.iter().map(ToString::to_string).collect();
        let kind = if let [kind] = kinds.as_slice() { kind.clone() } else { format!("[{}]", kinds.join(", ")) };
        let versions = self.versions.as_ref().map(|[old, new]| format!("apiVersions: [{old}, {new}]\n"));
        let needs = if self.needs_from { "needs: from\n" } else { "" };
        let lens: String = self.lens.iter().map(|operation| format!("- {operation}\n")).collect();
        let summary = serde_json::Value::from(self.summary.as_str());
        let versions = versions.unwrap_or_default();
        format!("{notes}summary: {summary}\nkind: {kind}\n{versions}{needs}source: {source}\nlens:\n{lens}")
    }

    /// Takes the kinds of another rule that does the same.
    pub(super) fn join(&mut self, other: Self) {
        for case in other.cases {
            let kind = other.kinds.first().map_or_else(String::new, |kind| kind.kind.to_lowercase());
            self.cases.push(Case { name: format!("{kind}-{}", case.name), ..case });
        }
        self.kinds.extend(other.kinds);
        self.suggestions.extend(other.suggestions);
    }

    /// Returns whether objects that another rule is about have been converted by this one: to the same apiVersion from a newer one.
    pub(super) fn covers(&self, other: &Self) -> bool {
        let target = |rule: &Self| rule.versions.as_ref().map(|[_, new]| new.clone());
        let is_about = |field: &FieldPattern| self.roots.iter().any(|[old, _]| old == field);
        let is_passed = target(self).is_some() && target(self) == target(other);
        self.lens == other.lens || is_passed && other.roots.iter().all(|[old, _]| is_about(old))
    }

    /// Keeps the rule to the objects of one apiVersion, where those of another one have its fields, too.
    pub(super) fn only_of(&mut self, version: &ApiVersion) {
        let operations: Vec<String> = self.lens.iter().map(|operation| format!("{{ {operation} }}")).collect();
        let test = format!("equals: {{ field: apiVersion, value: {version} }}");
        self.lens = vec![format!("when: {{ if: {{ {test} }}, then: [{}] }}", operations.join(", "))];
    }

    /// Returns whether another rule does the same to other objects.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.lens == other.lens
            && self.versions == other.versions
            && self.bundle == other.bundle
            && self.needs_from == other.needs_from
    }
}
