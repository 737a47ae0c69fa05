//! Answers: which releases of its API can an object have been written for, and which field shows it?
//!
//! The candidates start as every release of the kind and are cut down by each field and enum value that the object holds.
//! The facts that did the cutting are the evidence. The apiVersion is kept apart: fields win. [`crds`] and
//! [`install_evidence`] read which release a tree names outside the objects; [`Age`] is how old an apiVersion is.
//!
//! Invariant: a field that no release has never narrows; absence never narrows.

mod age;
pub mod crds;
mod inference;
pub mod install_evidence;

pub use age::Age;
pub use inference::{Inference, infer, kind_evidence};
