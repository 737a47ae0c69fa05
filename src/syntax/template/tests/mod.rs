//! Answers: does the module read and edit templates as Helm prints them?
//!
//! Over a `chart` in one file: `forms` (what is printed), `conditions` (which branches), `edits` (what becomes of an edit), `values` (what is
//! printed by default), `laws` (what holds for drawn templates).
//!
//! Invariant: what is expected is what Helm prints.

mod chart;
mod conditions;
mod edits;
mod forms;
mod laws;
mod values;
