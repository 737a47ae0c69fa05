//! Answers: what is the tree of a text, by whichever front end reads it?
//!
//! Invariant: both front ends give the same tree.

use super::events::parse_exact;
use super::limits::LIMITS;
use super::problem::Problem;
use super::scan::scan_within;
use super::tree::Tree;

/// Parses a whole text: any number of documents.
///
/// [`scan()`] reads what most manifests are written in, ten times as fast; [`parse_exact`] reads the rest. Both give the same
/// tree.
///
/// # Errors
/// `ParseError` with the place; `Limit` where it is larger, deeper or has more of something than is read.
pub fn parse(text: &str) -> Result<Tree, Problem> {
    scan(text).map_or_else(|| parse_exact(text), Ok)
}

/// Reads a text that consists of common YAML only; `None` says that another parser has to look, not that it is wrong.
///
/// A tree is the one [`parse_exact`](parse_exact) gives.
pub fn scan(text: &str) -> Option<Tree> {
    scan_within(text, &LIMITS)
}
