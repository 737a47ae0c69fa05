//! Answers: which parents does a child reference that they used to select by its labels?
//!
//! The operation `selectors-to-references`. On the old side, the items of a parent select children by kind, namespace and
//! labels, and a child allows parents; on the new side, a child lists references to its parents. [`fields`] names the kinds
//! and fields, which a rule sets; [`join`] computes which children a parent selects; [`child`] and [`parent`] convert the two
//! sides. They convert together: neither is converted without the other.
//!
//! Invariant: a selector is removed only where every child that it selects, or may select, is converted in the same run.

mod child;
mod fields;
mod join;
mod nearest;
mod operation;
mod parent;

pub(super) use operation::SelectorsToReferences;
