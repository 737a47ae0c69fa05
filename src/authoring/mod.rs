//! Answers: how is a pack made and checked?

pub(crate) mod build;
mod constants;
mod constraints;
pub(crate) mod fixture;
pub(crate) mod lint;
pub(crate) mod matrix;
mod merged_kinds;
pub(crate) mod pack_folder;
mod rule_path;
pub(crate) mod starter;
