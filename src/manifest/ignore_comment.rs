//! Answers: what does a comment acknowledge, and where?
//!
//! Invariant: what it is about is in the file of the comment.

use crate::finding::Location;
use crate::text::Position;

/// A comment that acknowledges findings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignore {
    /// Where the comment is.
    pub location: Location,
    /// What it names in brackets: codes and rules. None where the brackets are missing or empty.
    pub names: Vec<String>,
    /// What follows the brackets.
    pub reason: Option<String>,
    /// What it is about, up to the second position; `None` where nothing begins there.
    pub about: Option<(Position, Position)>,
    /// Where the object starts that this is a part of.
    pub object: Option<Position>,
}

impl Ignore {
    /// Returns whether the comment is about what is at `position`.
    pub fn has(&self, position: Position) -> bool {
        self.about.is_some_and(|(start, end)| start <= position && position < end)
    }
}
