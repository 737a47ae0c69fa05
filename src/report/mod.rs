//! Answers: how does a plan look to a person, to a program, to a pipeline?
//!
//! A [`Report`] holds what a command found; each submodule renders it in one format and decides nothing.
//!
//! Invariant: rendering is a pure function of the report; text from files never reaches the output with control characters
//! in it, except as diff lines for a file or a program.

pub mod changes;
mod count;
#[cfg(feature = "cli")]
pub(crate) mod detect;
mod detection;
pub mod diff;
pub mod document;
mod escape;
mod finding_list;
pub mod github;
pub mod gitlab;
#[cfg(feature = "cli")]
pub(crate) mod grouped;
#[cfg(feature = "cli")]
pub(crate) mod html;
pub mod json;
pub mod junit;
#[cfg(feature = "cli")]
pub(crate) mod krm;
pub mod markdown;
#[cfg(feature = "cli")]
pub(crate) mod matrix_format;
pub mod merge_reports;
mod paint;
pub mod plain;
mod run_report;
pub mod sarif;
pub mod saved_plan;
#[cfg(feature = "cli")]
pub(crate) mod stat;
#[cfg(feature = "cli")]
pub(crate) mod statistics;
pub mod text_format;
mod words;

pub use count::{Counts, one_of, plural, thousands};
pub use detection::{Api, Detected, Detection, KindInUse, Update};
pub use escape::{visible, visible_lines};
pub use paint::{Paint, Painter};
pub use run_report::{Fate, Report, Written, changes_needed};
