//! Answers: which catalog files do the schemas of a project's releases make?
//!
//! The folder of schemas holds one folder per bundle, with one folder per channel in it or, for a project without channels, the
//! files themselves: CRDs, or the OpenAPI documents of an API server. In place of the latter there can be tables of types at
//! the top. Every schema is read and its facts are gathered per kind, field and release; the result is text per file name,
//! so that writing it and comparing it with what is there are two uses of one answer.
//!
//! Parts: `catalogs` (of all kinds) over `openapi` and `type_tables`, which make the `published` schemas of kinds, and `table` (of types, or of the
//! `lifecycle` of apiVersions).
//!
//! Invariant: the same schemas give the same bytes, on any machine and in any order of reading.

mod catalogs;
mod lifecycle;
mod openapi;
mod published;
#[cfg(test)]
mod sample;
mod table;
mod type_tables;

pub(crate) use catalogs::{Outline, outline, write, write_new};
pub use catalogs::{build, stale};
