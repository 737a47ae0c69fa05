//! Answers: what changed from one set of CRDs to another, and does a policy allow it?
//!
//! [`check`] compares the CRDs of two releases, each a `set`. `crd` compares what is around schemas, and `schema` walks two schemas side by
//! side with the table of `keyword`; `state` looks at what the new set is, `invalid` at what the API server refuses of it, in the `definition` and in schemas, which must be `structural`, `served` at the versions that one CRD serves,
//! `history` at the releases before, `claims` at the rules of a pack. Each `change` has a code and a class; a `policy`, a file of
//! data, says how severe it is and which step of the version (`bump`) it needs, and which findings are waived. `comparison` puts that
//! together, with what the names of the releases claim (`release`).
//!
//! Invariant: what the old CRDs have already is not reported again, unless the API server refuses it.

mod bump;
mod change;
mod claims;
mod comparison;
mod crd;
mod definition;
mod history;
mod invalid;
mod keyword;
mod policy;
mod release;
mod schema;
mod served;
mod set;
mod state;
mod structural;

pub use bump::Bump;
pub use change::Class;
pub use comparison::{Comparison, ReleaseStep, check};
pub use history::Releases;
pub use policy::Policy;
pub(crate) use release::bundle_of;
pub use set::CrdSet;
pub(crate) use set::check_nameless;
