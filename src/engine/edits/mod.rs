//! Answers: which byte-range edits of a file carry out the conversions of its objects?
//!
//! `edit` performs them and verifies the result; `schema_comments` finds the comments for editors that have to name the new
//! apiVersion; `documents` makes documents of what parts of objects become.
//!
//! Parts: `file` (and their verification); `documents` (added and removed); `schema_comments` (for editors).
//!
//! Invariant: edits that are returned have been verified, those of comments too.

mod documents;
mod schema_comments;

mod file;

pub use file::FilePlan;

pub(crate) use file::{EditOptions, Rejected, edit};
