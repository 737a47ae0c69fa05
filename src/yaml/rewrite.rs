//! Answers: which bytes of a document change when lists of intents are carried out?
//!
//! Invariant: bytes outside the returned edits are the user's own.

use super::intent::Intent;
use super::problem::Problem;
use crate::text::EditSet;

/// The outcome of carrying out every program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewrite {
    /// The edits over the source: sorted, and no larger than what differs.
    pub edits: EditSet,
    /// The source with the edits made.
    pub text: String,
    /// The comments that went with what was deleted, as written.
    pub removed_comments: Vec<String>,
}

/// Why nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The index of the program that cannot be carried out.
    pub program: usize,
    /// What is wrong; its place is an offset in the source.
    pub problem: Problem,
}

/// Carries out `programs` on `source`, the slice of one document.
///
/// # Errors
/// The first program that cannot be carried out, and why.
pub fn rewrite(source: &str, programs: &[Vec<Intent>]) -> Result<Rewrite, Refusal> {
    let _ = (source, programs);
    unimplemented!("comes next")
}
