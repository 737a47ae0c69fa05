//! The style choices that new text follows: indentation, quotes, padding of brackets, and how strings of several lines are written.

use super::node::{Kind, Node};

/// What a document or file shows of its author's style; `None` where it does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Conventions {
    /// How many columns a mapping is indented below its key.
    pub(super) step: Option<usize>,
    /// How many columns the dashes of a list are indented below its key.
    pub(super) list_indent: Option<usize>,
    /// The quotes of a string that needs some.
    pub(super) quotes: Option<Quotes>,
}

impl Conventions {
    /// Returns these conventions, with what they leave open taken from `other`.
    #[must_use]
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            step: self.step.or(other.step),
            list_indent: self.list_indent.or(other.list_indent),
            quotes: self.quotes.or(other.quotes),
        }
    }
}

/// The quotes around a string.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Quotes {
    #[default]
    Double,
    Single,
}

impl Quotes {
    /// Returns the quotes of a node, where its author had a choice: for a text without quotes and escapes.
    pub(super) fn of(text: &str, node: &Node) -> Option<Self> {
        let quotes = match node.kind {
            Kind::Double => Self::Double,
            Kind::Single => Self::Single,
            _ => return None,
        };
        let raw = node.span().of(text).as_bytes();
        let inside = raw.get(1..raw.len() - 1)?;
        memchr::memchr3(b'"', b'\'', b'\\', inside).is_none().then_some(quotes)
    }
}

/// How a value is written on one line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LineStyle {
    /// The spaces inside braces: none, or as in `{ a: 1 }`.
    pub(super) mapping: &'static str,
    /// The spaces inside brackets: none, or as in `[ 1 ]`.
    pub(super) list: &'static str,
    pub(super) quotes: Quotes,
}

impl LineStyle {
    /// Puts braces around entries.
    pub(super) fn braces(self, entries: &str) -> String {
        let blanks = if entries.is_empty() { "" } else { self.mapping };
        format!("{{{blanks}{entries}{blanks}}}")
    }

    /// Puts brackets around items.
    pub(super) fn brackets(self, items: &str) -> String {
        let blanks = if items.is_empty() { "" } else { self.list };
        format!("[{blanks}{items}{blanks}]")
    }
}

/// How a string of several lines is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MultilineText {
    /// As a literal block scalar (`|`), if that can represent it.
    Block,
    /// In double quotes, on one line.
    Quoted,
}
