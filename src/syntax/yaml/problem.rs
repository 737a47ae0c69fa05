//! Answers: why can a YAML text not be read, or a change not be made?
//!
//! A [`Problem`] is a code that never changes, a place and a message for users. Reading, finding, changing
//! and verifying all fail with the same type, so that a caller can turn any of them into one finding.
//!
//! Invariant: a code's name is kebab-case and is never given another meaning.

use std::fmt;

/// Why a text cannot be read, or a change cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What kind of problem it is.
    pub code: ProblemCode,
    /// Where: a byte offset in the text that was parsed; 0 for a problem of plain data.
    pub at: usize,
    /// The other place of the problem, such as the alias of a value that would change; an offset like `at`.
    pub other: Option<usize>,
    /// The message for users: lower case, no final dot.
    pub message: String,
}

impl Problem {
    /// Creates a problem at byte `at`.
    pub fn new(code: ProblemCode, at: usize, message: impl Into<String>) -> Self {
        Self { code, at, other: None, message: message.into() }
    }

    /// Returns the same problem with its places moved.
    #[must_use]
    pub fn moved(self, to: impl Fn(usize) -> usize) -> Self {
        Self { at: to(self.at), other: self.other.map(to), ..self }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

/// The kinds of problems; [`ProblemCode::name`] is what reports show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ProblemCode {
    /// Not YAML: `a: [`.
    ParseError,
    /// A key that is not a scalar: `? [a, b]`, or an unquoted template `{{ .Values.x }}`.
    ComplexKey,
    /// One key twice in one mapping: `{a: 1, a: 2}`.
    DuplicateKey,
    /// The path, or the sibling to insert next to, is not in the document.
    NotFound,
    /// The value at the path does not have the shape that the change requires: an item inserted into a mapping.
    WrongShape,
    /// A list to be unwrapped does not have exactly one item: `[a, b]`.
    NotSingle,
    /// The change would also affect another place, because an alias refers to what it changes: `&base`.
    SharedAnchor,
    /// The path leads through an alias, so its value is not written there: `dev: *base`.
    ThroughAlias,
    /// The key comes from a merge, so it is not written there: `<<: *base`.
    ThroughMerge,
    /// After the move an alias would be before its anchor.
    AnchorOrder,
    /// A value that contains itself: `&x {a: *x}`.
    RecursiveAlias,
    /// Aliases expand to too many values.
    AliasBudget,
    /// A move between flow style and block style, or out of a flow collection with comments, that cannot keep the bytes.
    FlowMove,
    /// The key to be created exists already.
    Exists,
    /// Something exceeds a limit of this program, or is not supported for edits.
    Limit,
    /// A value that JSON, and so Kubernetes, does not have: `.inf`, `!!binary`.
    UnreadableValue,
    /// A changed text does not have the expected data: a bug of this program, detected before anything is written.
    VerifyFailed,
}

impl ProblemCode {
    /// Returns the name that reports show.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ParseError => "parse-error",
            Self::ComplexKey => "complex-key",
            Self::DuplicateKey => "duplicate-key",
            Self::NotFound => "not-found",
            Self::WrongShape => "wrong-shape",
            Self::NotSingle => "not-single",
            Self::SharedAnchor => "shared-anchor",
            Self::ThroughAlias => "through-alias",
            Self::ThroughMerge => "through-merge",
            Self::AnchorOrder => "anchor-order",
            Self::RecursiveAlias => "recursive-alias",
            Self::AliasBudget => "alias-budget",
            Self::FlowMove => "flow-move",
            Self::Exists => "exists",
            Self::Limit => "limit",
            Self::UnreadableValue => "unreadable-value",
            Self::VerifyFailed => "verify-failed",
        }
    }
}

impl fmt::Display for ProblemCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
