//! reversion re-versions Kubernetes manifests: offline, in place, forward or backward, exact to the byte.
//!
//! The crate has five layers: `syntax` (what data do bytes hold?), `knowledge` (what is known about an API?), `engine` (what becomes of the
//! files of a run?), `authoring` (how is a pack made and checked?) and `shell` (what is asked for, shown and written?). ARCHITECTURE.md
//! has their modules, and what happens in a run.
//!
//! # In other programs
//! A controller that stores objects in one release and is given older ones converts each of them as data:
//!
//! ```
//! use reversion::{CanonicalizeError, Canonicalizer};
//! use serde_json::json;
//!
//! let canonicalizer = Canonicalizer::new("gateway-api", "1.4/standard")?;
//! let canonical = canonicalizer.convert(json!({
//!     "apiVersion": "gateway.networking.k8s.io/v1beta1",
//!     "kind": "HTTPRoute",
//!     "metadata": {"name": "shop"},
//!     "spec": {"hostnames": ["shop.example.com"]},
//! }))?;
//! assert_eq!(canonical.object["apiVersion"], "gateway.networking.k8s.io/v1");
//!
//! let unknown = canonicalizer.convert(json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "shop"}}));
//! assert!(matches!(unknown, Err(CanonicalizeError::UnknownKind { .. })));
//! # Ok::<(), CanonicalizeError>(())
//! ```
//!
//! Other programs use [`Canonicalizer`] and [`canonicalize`], with the types that these return. Everything else is internal to the
//! program: what `internals` publishes is for the tests and benchmarks of this crate, and changes without notice.
//!
//! It does not talk to a cluster, does not render templates, does not reformat, and writes nothing that it has not read
//! back and compared.

// Without the command line, what only it uses is dead.
#![cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports))]

use reversion_syntax as syntax;

mod knowledge;

mod engine;

mod authoring;

mod shell;

#[doc(hidden)]
pub mod internals;

pub use engine::canonical::{Canonical, CanonicalizeError, Canonicalizer, Remark, canonicalize};
