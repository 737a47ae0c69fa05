//! Answers: does a changed text say what it should, and nothing else?
//!
//! Invariant: this is the last check before bytes are written, and shares nothing with the code that made the edits.

use serde_json::Value;

use super::problem::Problem;

/// Checks a whole changed text, document by document.
///
/// `expected[i]` is the value document `i` must have; `None` says that it must not have changed. The comments of `after`
/// must be those of `before` without `removed_comments`.
///
/// # Errors
/// `VerifyFailed` with a place in `after`, or the problem met while reading it.
pub fn verify(
    before: &str,
    after: &str,
    expected: &[Option<Value>],
    removed_comments: &[String],
) -> Result<(), Problem> {
    let _ = (before, after, expected, removed_comments);
    unimplemented!("comes next")
}
