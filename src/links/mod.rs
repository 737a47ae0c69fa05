//! Answers: which objects, patches and names of a run depend on each other?
//!
//! A `File` is local, planned without any other file, or linked. `Linked` holds the objects of the linked files, each converted
//! by itself; `Held` says which of them are held back. The other files each answer one question about both: namespaces and
//! names, references, patches and what they build, selectors and paths.
//!
//! Invariant: nothing here changes what an object becomes, but for what names other objects and their fields, and follows them:
//! references, versions, namespaces, selectors and field paths.

mod file;
mod kustomizations;
mod labels;

mod applications;
mod difference;
mod layers;
mod merge;
mod path_expression;

mod builds;
mod namespaces;

mod linked;

mod carriers;
mod held;
mod json_patch;
mod replacement;

mod version_changes;

pub(crate) mod dangling;
pub(crate) mod following;
pub(crate) mod ignored_paths;
pub(crate) mod kustomize_selectors;
pub(crate) mod name_conflicts;
pub(crate) mod patches;
pub(crate) mod references;
pub(crate) mod selectors;
pub(crate) mod states;
pub(crate) mod together;
pub(crate) mod unapplied;

pub(crate) use applications::find as find_applications;
pub(crate) use applications::{Application, Carrier};
pub(crate) use file::{File, IndexedObject, LocalFile, Lookup};
pub(crate) use held::Held;
pub(crate) use kustomizations::Graph;
pub(crate) use linked::{Id, Linked};
pub use namespaces::Namespaces;
pub(crate) use version_changes::VersionChanges;
