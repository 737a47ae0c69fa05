//! reversion as one WebAssembly module, for programs in any language: objects and texts go in and come out as JSON.
//!
//! The exports are in `exports`; `docs/src/how-to/other-languages.md` describes them for those who call them. What they answer is
//! decided by the other modules, which the playground uses too.
//!
//! Invariant: everything happens in memory; the module imports nothing, so it can reach nothing.

mod buffers;
mod call;
mod canonical;
mod convert;
mod exports;
mod infer;
mod packs;
mod text;

pub use buffers::{allocate, free, length, taken, with_text};
pub use call::{Failure, NoRequest, Reason, Remark, answer};
pub use canonical::{Canonical, CanonicalRequest, canonical};
pub use convert::{ConvertRequest, Converted, convert};
pub use exports::{
    ABI_VERSION, reversion_abi_version, reversion_allocate, reversion_canonical, reversion_convert, reversion_failure,
    reversion_free, reversion_infer, reversion_length, reversion_packs, reversion_use_packs,
};
pub use infer::{InferRequest, Inferred, infer};
pub use packs::{Listed, OwnPack, Pack, Release, UsePacksRequest, list, listed, packs, use_packs};
pub use text::{Read, State, detection, planned, read_all, state, targets};
