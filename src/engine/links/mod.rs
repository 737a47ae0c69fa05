//! Answers: which objects, patches and names of a run depend on each other?
//!
//! A `FileSurvey` is what a run needs to know of each file before anything is converted; `Run` puts all of them together, and `ties`
//! finds the groups of files that depend on each other. `TiedFiles` holds the objects of one group, each converted by itself; `Held`
//! says which of them are held back. The other files each answer one question about both: namespaces and names, references, patches
//! and what they build, selectors and paths.
//!
//! The run: `surveyor` takes the `survey` of each file (with its `steps`: replacements, variables and other things it applies), `run`
//! puts all together, `ties` finds the groups, `tied_files` are the objects of one. Kustomize: `kustomizations` (which files they build)
//! `appliers` (objects that have controllers build folders) `repositories` (whose folders controllers apply) `builds` (what is applied together) `layers` (in which order) `namespaces` (with `given_namespaces`: where Kustomize would give others) `affixes` (of names)
//! `built_names` (what objects are called in them).
//!
//! What is applied: `applications` (to which objects, over `identity`: what is written to their names, and `rewritten`: to which objects) `patches` (strategic merge patches); `instruction` (what JSON patches, replacements
//! and variables say) and `effect` (what they do) over `path_expression` `json_patch` `replacement` `labels`, `instructions` (what
//! becomes of them, with the `sources` of replacements that nothing else reads); `build_states` (what is built of an object, step by step) over `merge`, `built_objects` (and converted), `built_texts` (values of charts in texts), `built_created` (objects that others have created), `judged` (which of it the target must accept), `states`
//! (whether one is the other) over `difference`.
//!
//! What follows the objects that it names: `references`, `selectors` and `kustomize_selectors` (by version, with the `other_objects` that these can select), `ignored_paths` (of Argo CD and
//! Flux) and `named_beside` (which is reported) over `named_fields`, over `following` (what is written) and `version_changes` (which versions objects get).
//!
//! What holds objects back, in `held`: `together` (objects that convert together or not at all) `name_conflicts` `split_objects` (that become several, or one) `part_names` (several of one name) `merged_values` (into which Helm merges others); what only reports:
//! `dangling` (references) `unapplied` (what is applied to nothing known) `data_patches` (patches that are no texts).
//!
//! Invariant: nothing here changes what an object becomes, but for what names other objects and their fields, and follows them:
//! references, versions, namespaces, selectors and field paths.

mod appliers;
mod identity;
mod kustomizations;
mod labels;
mod run;
mod steps;
mod survey;
mod surveyor;
mod ties;

mod applications;
mod difference;
mod layers;
mod merge;
mod named_beside;
mod named_fields;
mod path_expression;
mod rewritten;

mod builds;
mod built_names;
mod namespaces;

mod tied_files;

mod build_states;
mod built_created;
mod built_objects;
mod built_texts;
mod data_patches;
mod effect;
mod held;
mod instruction;
mod instructions;
mod json_patch;
mod judged;
mod replacement;

mod other_objects;
mod sources;
mod version_changes;

pub(crate) mod affixes;
pub(crate) mod dangling;
pub(crate) mod following;
pub(crate) mod given_namespaces;
pub(crate) mod ignored_paths;
pub(crate) mod kustomize_selectors;
pub(crate) mod merged_values;
pub(crate) mod name_conflicts;
pub(crate) mod part_names;
pub(crate) mod patches;
pub(crate) mod references;
mod repositories;
pub(crate) mod selectors;
pub(crate) mod split_objects;
pub(crate) mod states;
pub(crate) mod together;
pub(crate) mod unapplied;

pub(crate) use built_objects::is_outdated;
pub(crate) use held::Held;
pub(crate) use kustomizations::Graph;
pub(crate) use other_objects::{files_to_read, in_text as other_objects_in};
pub(crate) use run::{Run, Sources};
pub(crate) use sources::open_sources;
pub use survey::FileSurvey;
pub(crate) use survey::{BuiltCrd, CrdSurvey, OtherObjects};
pub(crate) use survey::{ChartFiles, ChartFolder};
pub use surveyor::Surveyor;
pub(crate) use tied_files::{Id, TiedFiles};
pub(crate) use ties::{Group, groups, kinds_read};
pub(crate) use version_changes::VersionChanges;
