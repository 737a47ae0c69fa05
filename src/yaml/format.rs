//! The style choices that new text follows: indentation, padding of brackets, and how strings of several lines are written.

/// How a document or file is indented; `None` if it does not show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Indentation {
    /// How many columns a mapping is indented below its key.
    pub(super) step: Option<usize>,
    /// How many columns the dashes of a list are indented below its key.
    pub(super) list_indent: Option<usize>,
}

impl Indentation {
    /// Returns this indentation, with what it leaves open taken from `other`.
    #[must_use]
    pub(super) fn or(self, other: Self) -> Self {
        Self { step: self.step.or(other.step), list_indent: self.list_indent.or(other.list_indent) }
    }
}

/// The spaces inside the brackets of a flow collection on one line: none, or as in `{ a: [ 1 ] }`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Padding {
    pub(super) mapping: &'static str,
    pub(super) list: &'static str,
}

impl Padding {
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
