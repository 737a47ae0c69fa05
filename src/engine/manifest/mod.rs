//! Answers: which Kubernetes objects does a file contain, and can it be read at all?
//!
//! [`read()`] takes a file's bytes: files without a known API group or a trigger of a pack, which are no kustomizations, are
//! [`Reading::Irrelevant`] and never parsed; templates and files that cannot be read are distinguished; the rest becomes a [`Manifest`] with its objects, those inside a
//! `kind: List` too, and the values of known charts.
//!
//! Parts: `read` (a file's bytes) `manifest` `object` `recognizer` (with `core_group`, `group_name` and `text_search`); `kustomization` `configuration` (of
//! Kustomize) `applied` (folders that controllers apply) `carried_values` (in texts, and in files that install charts) `selector`
//! (of patches) `replacement` (files of Kustomize replacements) `inline` (patches in an object) `inline_patch` `nested`
//! (patches in patches) `source_text` (that objects are written in) `json6902` `values` (files of a chart's values) `embedded` (objects inside other data) `chart_uses` (which of these a chart prints) `values_schema` (what one says of them) `misspelled` (comments that acknowledge nothing as they are written) `ignores`
//! (the comments that acknowledge findings, each an `ignore_comment`) `problem` (what cannot be read) `sops` (encrypted files).
//!
//! Invariant: a file is irrelevant only if its bytes contain neither a known API group nor a trigger.

mod applied;
mod carried_values;
mod chart_uses;
mod configuration;
mod core_group;
mod embedded;
mod group_name;
mod ignore_comment;
mod ignores;
mod inline;
mod inline_patch;
mod json6902;
mod kustomization;
#[expect(clippy::module_inception, reason = "a struct lives in the file named after it")]
mod manifest;
mod misspelled;
mod nested;
mod object;
mod problem;
mod read;
mod recognizer;
mod replacement;
mod selector;
pub(crate) mod sops;
mod source_text;
mod text_search;
mod values;
mod values_schema;

pub(crate) use applied::{Applied, Folder, Repository, Source, folder_at};
pub(crate) use carried_values::{beside, objects_in, values_in};
pub(crate) use chart_uses::{ChartUses, ValuesFile, judge};
pub(crate) use configuration::TRANSFORMERS;
pub(crate) use embedded::{Embedded, created_in};
pub(crate) use ignore_comment::{Ignore, Ignores};
pub(crate) use ignores::is_ignore_comment;
pub(crate) use inline_patch::{DataPatch, InlinePatch};
pub(crate) use json6902::mentioning as mentioning_operations;
pub(crate) use kustomization::{KUSTOMIZATIONS, Kustomization, PatchFile, PatchOptions};
pub use manifest::Manifest;
pub(crate) use nested::{NestedPatch, Outermost, documents, outermost_patches};
pub(crate) use object::Document;
pub(crate) use object::{Object, is_list};
pub(crate) use problem::{problem_code, template_finding};
pub(crate) use read::reread;
pub(crate) use read::{OpenTemplate, open_template, read_open, rests, values_on_lines};
pub use read::{Reading, read};
pub use recognizer::Recognizer;
pub(crate) use recognizer::may_hold_rules;
pub(crate) use selector::{Part as SelectorPart, Selector, is_plain};
pub(crate) use source_text::SourceText;
pub(crate) use text_search::TextSearch;
pub(crate) use values::is_values_file;
