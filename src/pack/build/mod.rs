//! Answers: which catalog files do the CRDs of a project's releases make?
//!
//! The CRD folder holds one folder per bundle, with one folder per channel in it or, for a project without channels, the files
//! themselves. Every CRD is read and its facts are gathered per kind, field and release; the result is text per file name,
//! so that writing it and comparing it with what is there are two uses of one answer.
//!
//! Invariant: the same CRDs give the same bytes, on any machine and in any order of reading.

mod catalogs;
mod crd;
mod gather;
pub mod own;

pub use catalogs::{Built, Outline, build, outline, stale, write, write_new};
