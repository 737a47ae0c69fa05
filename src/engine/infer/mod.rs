//! Answers: which releases of its API can an object have been written for, and which field shows it?
//!
//! The candidates start as every release of the kind and are cut down by each field and enum value that the object holds.
//! The facts that did the cutting are the evidence. The apiVersion is kept apart: fields win. [`crds`] and
//! [`install_evidence`] read which release a tree names outside the objects; [`Age`] is how old an apiVersion is.
//!
//! Parts: `inference`: what do the fields of an object say? `age`: how old is its apiVersion? `crds`: which release do the CRDs
//! of a tree name? `install_evidence`: which do charts and images? `origin`: which do all objects of a tree come from?
//!
//! Invariant: a field that no release has never narrows; absence never narrows.

mod age;
pub(crate) mod crds;
mod inference;
pub(crate) mod install_evidence;
pub(crate) mod origin;

pub(crate) use age::Age;
pub use inference::infer;
pub(crate) use inference::{Inference, kind_evidence};
