//! Answers: what changed from one set of CRDs to another, and does a policy allow it?
//!
//! [`check`] compares the CRDs of two [`CrdSet`]s. `crd` compares what is around schemas, `schema` walks two schemas side by side with the
//! table of `keyword` (CEL rules: `rule`), `state` looks at what the new set is, `served` at the versions that one CRD serves. Each [`Change`](change::Change)
//! has a code and a class; a [`Policy`], a file of data, says how severe it is and which step of the version (`bump`) it needs, and which
//! findings are waived. `comparison` puts that together, with what the names of the releases claim (`release`).
//!
//! Invariant: what the old CRDs have already is not reported again.

pub(crate) mod bump;
pub(crate) mod change;
pub(crate) mod comparison;
mod crd;
mod keyword;
pub(crate) mod policy;
mod release;
mod rule;
mod schema;
mod served;
pub(crate) mod set;
mod state;

pub(crate) use comparison::{Comparison, ReleaseStep, check};
pub(crate) use policy::Policy;
pub(crate) use set::CrdSet;
