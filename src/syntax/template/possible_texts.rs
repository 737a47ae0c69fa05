//! Answers: which texts can something be?
//!
//! Invariant: it is one of the texts, or they are open.

use std::collections::BTreeSet;

/// How many texts are told apart.
const MOST: usize = 16;

/// The longest text.
const LONGEST: usize = 1 << 12;

/// The version of the cluster in a text: its patch is not known, so that it has no text of its own.
pub(super) const CLUSTER_VERSION: &str = "\u{1}";

/// The texts that an expression can print.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outputs {
    /// The known ones.
    pub(crate) texts: BTreeSet<String>,
    /// Whether there can be others.
    pub(crate) open: bool,
}

impl Outputs {
    pub(super) fn one(text: impl Into<String>) -> Self {
        Self { texts: BTreeSet::from([text.into()]), open: false }
    }

    pub(super) fn open() -> Self {
        Self { texts: BTreeSet::new(), open: true }
    }

    /// Returns the text that is printed, if it is known.
    pub(super) fn known(&self) -> Option<&str> {
        let text = self.texts.first().filter(|_| self.texts.len() == 1 && !self.open)?;
        (!text.contains(CLUSTER_VERSION)).then_some(text)
    }

    /// Returns the known texts, without those that the version of the cluster is in.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(String::as_str).filter(|text| !text.contains(CLUSTER_VERSION))
    }

    /// Returns whether the version of the cluster is printed.
    pub(super) fn is_cluster_version(&self) -> bool {
        *self == Self::one(CLUSTER_VERSION)
    }

    /// Returns whether the text is not empty, if that is known.
    pub(super) fn truth(&self) -> Option<bool> {
        let first = self.texts.first().filter(|_| !self.open)?.is_empty();
        self.texts.iter().all(|text| text.is_empty() == first).then_some(!first)
    }

    pub(super) fn or(mut self, other: Self) -> Self {
        self.texts.extend(other.texts);
        self.open |= other.open;
        self.limited()
    }

    fn limited(mut self) -> Self {
        if self.texts.len() > MOST || self.texts.iter().any(|text| text.len() > LONGEST) {
            self.open = true;
            self.texts.clear();
        }
        self
    }

    pub(super) fn then(self, other: &Self) -> Self {
        let texts = self.texts.iter().flat_map(|head| other.texts.iter().map(move |tail| format!("{head}{tail}")));
        Self { texts: texts.collect(), open: self.open || other.open }.limited()
    }

    pub(super) fn map(self, change: impl Fn(&str) -> Option<String>) -> Self {
        let texts: Option<BTreeSet<String>> = self.texts.iter().map(|text| change(text)).collect();
        Self { open: self.open || texts.is_none(), texts: texts.unwrap_or_default() }.limited()
    }
}
