//! Answers: what becomes of one object, given the other objects as plain values?
//!
//! `convert` repairs known mistakes, converts the object by its own pack (`object`: infer, run the rules, fit the target, decide
//! about losses), then applies the rules that other packs have about its kind.
//!
//! Parts: `object` (the steps in order): `subject` (what inference found) `shapes` (the apiVersions that an object can have)
//! `migration` (to the target) `rules` (of its own pack) over `run_rule` `by_schema` (apiVersions that no rule leads to) `fit`
//! (apiVersion, missing fields) `target_schema` `validate` `baseline` (what was invalid before) `restore` `loss_policy` (policy and
//! wording) `losses` `stash`; before and after it: `repair` (of known mistakes) `foreign_rules` (about kinds of other packs) over `destructive` (what an older chart
//! ignores);
//! `split_off` (the objects that parts of one become); `references` (every mapping that names a kind, under which keys) over `mappings` (where they can stand) `renames` (the kinds
//! that get another name) `targets` `inference`; values: `choices` (what the user asked for) `context` (of an object) `state`
//! `remark` (becomes a finding) `conversion` (the result) `object_plan`.
//!
//! Invariant: nothing is guessed. What the target cannot hold is a loss, and an object with a loss that is neither kept nor
//! allowed is held back as a whole.

mod choices;
mod remark;

mod baseline;
mod context;
mod conversion;
mod inference;
mod mappings;
mod references;
mod renames;
mod state;

mod shapes;
mod stash;
mod subject;
mod target_schema;
mod targets;

mod by_schema;
mod fit;
mod rules;
mod validate;

mod loss_policy;
mod losses;
mod migration;
mod restore;
mod run_rule;

mod destructive;
mod foreign_rules;
mod object;
mod object_plan;
mod repair;
mod split_off;

pub use choices::{AllowedLoss, Choices, Goal, Ignored, Keeping, Record, Schema};
pub(crate) use choices::{ChartValues, Comments, Documents, FileChoices, FileSet, Mistakes, VersionChoice};
pub(crate) use conversion::{Conversion, SplitOff};
pub(crate) use inference::inference_findings;
pub use loss_policy::allowed_losses;
pub(crate) use loss_policy::loss_code;
pub(crate) use object_plan::change;
pub use object_plan::{ObjectPlan, Outcome, Sides};
pub(crate) use remark::Remark;
pub use stash::{ANNOTATION, MAX_STASH};
pub(crate) use targets::Targets;

pub(crate) use context::{Judged, ObjectContext};
pub(crate) use foreign_rules::{old_places, renamed_keys};
pub(crate) use mappings::{reference_roots, walk};
pub(crate) use references::{
    Beside, Reference, each_named, find as find_references_to, find_declared, find_owners, named_kind,
};
pub(crate) use remark::impossible;
pub(crate) use renames::{Renames, Successor, find as find_references, normalized, renames, update};

use std::borrow::Cow;
use std::sync::Arc;

use crate::engine::manifest::Object;

/// Converts `object`, where a target is about it, and the objects that parts of it become. `None` where nothing is known about such
/// objects.
pub(crate) fn convert(object: &Object, goal: &Goal<'_>, context: ObjectContext<'_>) -> Option<Conversion> {
    let made = convert_one(object, goal, context)?;
    let of_part = ObjectContext { judged: Judged::AsWritten, version: None, ..context };
    Some(split_off::converted(made, object, &|part| convert(part, goal, of_part)))
}

/// Returns what the rules of packs that do not own the kind of `object` make of it; `None` where they do nothing.
pub(crate) fn by_foreign_rules(object: &Object, goal: &Goal<'_>, context: ObjectContext<'_>) -> Option<Conversion> {
    foreign_rules::convert(object, &object.kind, &object.value, goal, context)
}

/// Converts `object`: repairs its known mistakes, converts it by its own pack, then applies the foreign rules about it.
fn convert_one(object: &Object, goal: &Goal<'_>, context: ObjectContext<'_>) -> Option<Conversion> {
    let repaired = repair::convert(object, goal, context);
    let subject = match &repaired {
        Some(repaired) if !Arc::ptr_eq(&repaired.value, &object.value) => {
            Cow::Owned(Object { value: Arc::clone(&repaired.value), ..object.clone() })
        }
        _ => Cow::Borrowed(object),
    };
    let own = by_own_pack(&subject, goal, context).map(|own| repair::without_told(own, repaired.as_ref()));
    let mut conversion = joined(repaired, own);
    if conversion.as_ref().is_none_or(|conversion| conversion.blocks.is_empty()) {
        let (kind, value) = Conversion::kind_and_value(conversion.as_ref(), object);
        let foreign = foreign_rules::convert(object, kind, value, goal, context);
        conversion = joined(conversion, foreign);
    }
    match conversion {
        Some(mut held) if !held.blocks.is_empty() => {
            let helps = held.blocks.iter_mut().filter_map(|block| block.help.as_mut());
            helps.for_each(|help| *help = goal.name_served(help));
            Some(held.hold_back(object))
        }
        None if goal.can_hold_values(object) || goal.knows_file_of(object) => Some(Conversion::unchanged(object)),
        conversion => conversion,
    }
}

/// Converts an object by the pack that knows its group.
fn by_own_pack(object: &Object, goal: &Goal<'_>, context: ObjectContext<'_>) -> Option<Conversion> {
    let target = goal.target_of(&object.kind.group)?;
    if target.pack.catalog(&object.kind).is_some() {
        return Some(object::convert(object, target, goal, context));
    }
    let unknown = inference::unknown_kind(object, target.pack)?;
    Some(Conversion { unresolved: vec![unknown], ..Conversion::unchanged(object) })
}

/// Returns a conversion, and then one of what it made.
fn joined(first: Option<Conversion>, next: Option<Conversion>) -> Option<Conversion> {
    match (first, next) {
        (Some(first), Some(next)) => Some(first.then(next)),
        (first, next) => first.or(next),
    }
}
