//! Answers: what becomes of one object, given the other objects as plain values?
//!
//! `convert` repairs known mistakes, converts the object by its own pack (`object`: infer, run the rules, fit the target, decide
//! about losses), then applies the rules that other packs have about its kind.
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

mod loss;
mod migration;
mod restore;

mod foreign_rules;
mod object;
mod object_plan;
mod repair;

pub use choices::{
    AllowedLoss, Choices, Comments, FileChoices, FileSet, Goal, Ignored, Keeping, Mistakes, Record, Schema,
    VersionChoice,
};
pub use conversion::Conversion;
pub use inference::inference_findings;
pub use object_plan::{ObjectPlan, Outcome, Sides, change};
pub use remark::{Remark, loss_code};
pub use stash::{ANNOTATION, MAX_STASH};
pub use targets::Targets;

pub(crate) use context::ObjectContext;
pub(crate) use foreign_rules::renamed_keys;
pub(crate) use mappings::{holds_body, reference_roots, walk};
pub(crate) use references::{
    NamedVersion, Reference, Renames, Successor, find as find_references, find_where, named_versions, normalized,
    plural, renames, update,
};
pub(crate) use remark::impossible;

use crate::manifest::Object;

/// Converts `object`, where a target is about it: repairs its known mistakes, converts it by its own pack, then applies the foreign
/// rules about it. `None` where nothing is known about such objects.
pub(crate) fn convert(object: &Object, goal: &Goal<'_>, context: ObjectContext<'_>) -> Option<Conversion> {
    let repaired = repair::repair(object, goal, context);
    let subject = repaired.as_ref().map_or(object, |repaired| &repaired.object);
    let target = goal.target_of(&subject.kind.group);
    let known = target.filter(|target| target.pack.catalog(&subject.kind).is_some());
    let made = known.map(|target| object::convert(subject, target, goal, context));
    let mut made = foreign_rules::apply(subject, made, goal, context);
    if let Some(unknown) = target.and_then(|target| inference::unknown_kind(subject, target.pack)) {
        made.get_or_insert_with(|| Conversion::unchanged(subject)).warnings.push(unknown);
    }
    if made.is_none() && goal.can_hold_values(object) {
        made = Some(Conversion::unchanged(subject));
    }
    let offers = repair::offers(object, goal, context);
    if !offers.is_empty() {
        made.get_or_insert_with(|| Conversion::unchanged(object)).warnings.extend(offers);
    }
    match repaired {
        Some(repaired) => Some(repaired.before(object, made)),
        None => made,
    }
}
