//! Answers: how does a plan look to a person, to a program, to a pipeline?
//!
//! A [`Report`] holds what a command found; each submodule renders it in one format and decides nothing.
//!
//! Parts: `grouped` (findings for people, with `fields_alike` and `one_line`) `text_format` (the rest of that format) `statistics` `diff` (with `words`) `stat`
//! `detect` `html` (a page for browsers) `krm` (the results of a KRM function) `matrix_format` `saved_plan`; `json` `github`
//! `gitlab` `sarif` `junit` `markdown` `plain`, over the `document` of a run, which `merge_reports` makes of several, and its
//! findings as a list (`finding_list`); `changes` (edits by object) `address` (in the book) `run_report` `detection` (what a command found) `count`
//! `escape` `paint` (colours and links).
//!
//! Invariant: rendering is a pure function of the report; text from files never reaches the output with control characters
//! in it, except as diff lines for a file or a program.

pub(crate) mod address;
pub(crate) mod changes;
mod count;
#[cfg(feature = "cli")]
pub(crate) mod detect;
mod detection;
pub(crate) mod diff;
pub(crate) mod document;
mod escape;
#[cfg(feature = "cli")]
mod fields_alike;
mod finding_list;
pub(crate) mod github;
pub(crate) mod gitlab;
#[cfg(feature = "cli")]
pub(crate) mod grouped;
#[cfg(feature = "cli")]
pub(crate) mod html;
pub(crate) mod json;
pub(crate) mod junit;
#[cfg(feature = "cli")]
pub(crate) mod krm;
pub(crate) mod markdown;
#[cfg(feature = "cli")]
pub(crate) mod matrix_format;
pub(crate) mod merge_reports;
#[cfg(feature = "cli")]
mod one_line;
mod paint;
#[cfg(feature = "cli")]
pub(crate) mod plain;
mod run_report;
pub(crate) mod sarif;
pub(crate) mod saved_plan;
#[cfg(feature = "cli")]
pub(crate) mod stat;
#[cfg(feature = "cli")]
pub(crate) mod statistics;
pub(crate) mod text_format;
mod words;

pub(crate) use count::known_to;
pub use count::{Counts, one_of};
pub(crate) use count::{plural, thousands};
pub(crate) use detection::{Api, KindInUse, Update, UpdateFigures};
pub use detection::{Detected, Detection};
pub use escape::{visible, visible_lines};
#[cfg(feature = "cli")]
pub(crate) use finding_list::without_positions;
pub(crate) use paint::Paint;
pub use paint::Painter;
pub(crate) use run_report::changes_needed;
pub use run_report::{Fate, Report, Written};
