//! Answers: how is a pack made and checked?
//!
//! Invariant: modules import from modules that are listed before them.

pub(crate) mod build;

mod constraints;

mod rule_path;

pub(crate) mod starter;

pub(crate) mod lint;

pub(crate) mod matrix;

mod renames;

pub(crate) mod crd_check;

pub(crate) mod pack_folder;

pub(crate) mod fixture;

pub(crate) mod suggest;
