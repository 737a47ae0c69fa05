//! Answers: how does a plan look to a person, to a program, to a pipeline?
//!
//! A [`Report`] holds what a command found; each submodule renders it in one format and decides nothing.
//!
//! Invariant: rendering is a pure function of the report; text from files never reaches the output with control characters
//! in it, except as diff lines for a file or a program.

pub mod changes;
mod conversion;
mod count;
pub mod detect;
mod detection;
pub mod diff;
pub mod document;
mod entry;
mod escape;
pub mod github;
pub mod gitlab;
pub mod grouped;
pub mod html;
pub mod json;
pub mod junit;
pub mod krm;
pub mod markdown;
pub mod matrix;
pub mod merge;
mod paint;
pub mod plain;
pub mod sarif;
pub mod saved_plan;
pub mod stat;
pub mod statistics;
pub mod text;
mod words;

pub use conversion::{Fate, Report, Written, changes_needed};
pub use count::{Counts, one_of, plural, thousands};
pub use detection::{Api, Detected, Detection, KindInUse, Update};
pub use escape::{visible, visible_lines};
pub use paint::{Paint, Painter};
