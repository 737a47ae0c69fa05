//! Answers: what should a person know that no edit takes care of?
//!
//! Each file finds one kind of notice in a manifest or an object: `advisories` of the releases that a run crosses, `moved_fields`
//! that belong in other objects at the target, `pins` of chart versions and image tags, chart `values` that are not converted,
//! `mentions` of renamed kinds, `old_keys` of annotations, `rbac` rules and webhooks, `typed_lists` of a kind or apiVersion that the target lacks, `open_versions` of objects whose apiVersion is a variable, CRDs that leave them `unserved`, `embedded_objects`; `old_names`
//! drops what is reported about kinds that the run does not rename.
//!
//! Parts: `advisories` (of releases) `moved_fields` (to other objects) `pins` (of charts and images) `values` (of charts, not
//! converted) `mentions` (of renamed kinds) `old_keys` (of annotations and labels) `rbac` (rules, webhooks, policies, and what extends them) `old_names`
//! (whether the run keeps them) `typed_lists` (of a kind that the target lacks) `open_versions` (apiVersions with variables)
//! `unserved` (by the CRDs of the run) `embedded_objects` (that no rule converts).
//!
//! Invariant: nothing here changes anything or holds anything back.

pub(crate) mod advisories;
pub(crate) mod embedded_objects;
pub(crate) mod moved_fields;
pub(crate) mod open_versions;
pub(crate) mod pins;
pub(crate) mod rbac;
pub(crate) mod typed_lists;
pub(crate) mod unserved;
pub(crate) mod values;

pub(crate) mod mentions;
pub(crate) mod old_keys;
pub(crate) mod old_names;
