//! Which references name a kind that the target release does not have?
//!
//! References to a kind that is renamed are updated; those to one that the pack knows, but not in the target release and channel,
//! have nothing left to name. Whether the named object is among the files does not matter.
//!
//! Invariant: nothing here changes anything.

use crate::engine::convert::{Conversion, Reference, Remark, Targets, find_owners, find_references_to};
use crate::engine::finding::{Code, Finding, Severity};
use crate::engine::manifest::{Manifest, Object};
use crate::knowledge::release::GroupKind;

/// Reports the references of `object`, which became `made`, to kinds that the target does not have.
pub(crate) fn findings(
    manifest: &Manifest,
    object: &Object,
    made: Option<&Conversion>,
    targets: &Targets<'_>,
) -> Vec<Finding> {
    if made.is_some_and(|made| !made.blocks.is_empty()) {
        // The reason why it is held back is reported; its references are those of another release.
        return Vec::new();
    }
    let (kind, value) = Conversion::kind_and_value(made, object);
    let is_lacking = |kind: &GroupKind| targets.lacking(kind).is_some();
    let may_lack = |name: &str| targets.kinds_named(name).any(is_lacking);
    let mut references = find_references_to(value, targets.goal.catalog_of(kind), &may_lack, &is_lacking);
    references.extend(find_owners(value));
    let remarks = references.iter().filter_map(|reference| remark(reference, targets));
    remarks.map(|remark| remark.finding(manifest, object, Severity::Unresolved)).collect()
}

fn remark(Reference { path, kind, name, .. }: &Reference<'_>, targets: &Targets<'_>) -> Option<Remark> {
    let target = targets.lacking(kind)?;
    let named = name.as_ref().map_or_else(|| kind.to_string(), |name| format!("{} {name}", kind.kind));
    let had = target.pack.line().describe(target.pack.catalog(kind)?.releases());
    let message = format!("{path} names {named}, but {target} does not have that kind; it exists in {had}");
    let by_hand = || "name an object that the target has, or remove the reference, by hand".to_owned();
    let help = targets.possible_move(kind).unwrap_or_else(by_hand);
    Some(Remark::new(Code::DanglingReference, path.clone(), message).help(help))
}
