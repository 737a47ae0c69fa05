//! Answers: which field of a kind exists in which release, and which values does it allow?
//!
//! A [`Catalog`] is read from one file per kind, made from CRDs: header lines for scope and apiVersions, then one line per
//! field pattern and its schema, each with the releases that have it. The lines are in tree order and are kept as
//! a tree, so that one pass over an object finds its [`Fact`]s and one more its [`Violation`]s. Descriptions are not kept, and
//! CEL rules only as what they say; `metadata`, `status`, `apiVersion` and `kind` are not fields.
//!
//! Parts: `catalog` (of one kind) over the `tree` of its fields; `read` `row` (of a field) `header` (apiVersions) `facts` `check`
//! `differences` (of two schemas) `alike` (in all of them) `pattern` `reference`; `relation` (among fields) `related` (which are broken).
//!
//! Invariant: a catalog has for each release what that release's CRD has, and nothing else.

mod alike;
#[expect(clippy::module_inception, reason = "a struct lives in the file named after it")]
mod catalog;
mod check;
mod differences;
mod facts;
mod header;
mod pattern;
mod read;
mod reference;
mod related;
mod relation;
mod row;
#[cfg(test)]
mod sample;
mod tree;

pub(crate) use alike::is_alike;
pub use catalog::Catalog;
pub(crate) use catalog::{FieldRow, StoredText};
pub(crate) use check::Violation;
pub use check::ViolationKind;
pub(crate) use differences::{Difference, DifferenceKind, SchemaName};
pub(crate) use facts::{Fact, FactKind, Unknown};
pub(crate) use header::{Header, Version, Word};
pub use pattern::compile;
pub(crate) use pattern::{example, expanded_length, syntax_error};
pub(crate) use read::{COLUMNS, WEBHOOK};
pub(crate) use reference::{GroupSource, Reference};
pub(crate) use relation::{Literal, Relation};
pub use row::{Attributes, Field, ListType, Scope, Type};
pub(crate) use tree::OUTSIDE;
