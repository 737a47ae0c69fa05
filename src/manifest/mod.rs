//! Answers: which Kubernetes objects does a file contain, and can it be read at all?
//!
//! [`read()`] takes a file's bytes: files without a known API group are [`Reading::Irrelevant`] and never parsed; templates
//! and files that cannot be read are distinguished; the rest becomes a [`Manifest`] with its objects, those inside a
//! `kind: List` too, and the values of known charts.
//!
//! Invariant: a file is irrelevant only if its bytes contain no known API group.

mod applied;
mod configuration;
mod embedded;
mod ignore_comment;
mod ignores;
mod inline;
mod inline_patch;
mod json6902;
mod kustomization;
#[expect(clippy::module_inception, reason = "a struct lives in the file named after it")]
mod manifest;
mod object;
mod problem;
mod read;
mod recognizer;
mod replacement;
mod selector;
pub mod sops;
mod source_text;
mod values;

pub use configuration::TRANSFORMERS;
pub use ignore_comment::{Ignore, Ignores};
pub use ignores::is_ignore_comment;
pub use inline::folder as patched_folder;
pub use inline_patch::{DataPatch, InlinePatch};
pub use json6902::mentioning as mentioning_operations;
pub use kustomization::{Kustomization, PatchFile};
pub use manifest::Manifest;
pub use object::Object;
pub use problem::problem_code;
pub use read::{Reading, read};
pub use recognizer::Recognizer;
pub use selector::{Part as SelectorPart, Selector};
pub use source_text::SourceText;
