//! Answers: what is the tree of a text, whichever front end parses it?
//!
//! Invariant: both front ends give the same tree.

use super::events::parse_exact;
use super::limits::LIMITS;
use super::problem::Problem;
use super::scan::scan_within;
use super::tree::Tree;

/// Parses a whole text: any number of documents.
///
/// [`scan()`] parses the YAML of most manifests, ten times as fast; [`parse_exact`] parses the rest. Both give the same
/// tree.
///
/// # Errors
/// `ParseError` with the place; `Limit` if it is larger, deeper or has more of something than allowed.
pub fn parse(text: &str) -> Result<Tree, Problem> {
    scan(text).map_or_else(|| parse_exact(text), Ok)
}

/// Parses a text that consists of common YAML only; `None` means that the exact parser must parse it, not that it is invalid.
///
/// The tree is the same as that of [`parse_exact`].
pub fn scan(text: &str) -> Option<Tree> {
    scan_within(text, &LIMITS)
}
