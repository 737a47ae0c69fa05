//! Answers: which references name a kind that the target release does not have?
//!
//! A kind that is retyped takes its references along; one that the pack knows, but not in the target release and channel, leaves
//! them without anything to name. Whether the named object is among the files does not matter.
//!
//! Invariant: nothing here changes anything.

use super::course::Course;
use super::references::{self, Reference};
use super::{Conversion, Remark, finding};
use crate::finding::{Code, Finding, Severity};
use crate::manifest::{Manifest, Object};
use crate::pack::Target;
use crate::release::GroupKind;

impl Course<'_> {
    /// Tells the references of `object`, which became `made`, to kinds that the target does not have.
    pub(super) fn dangling(&self, manifest: &Manifest, object: &Object, made: Option<&Conversion>) -> Vec<Finding> {
        if made.is_some_and(|made| !made.blocks.is_empty()) {
            // It is told why it stays as it is; its references are those of another release.
            return Vec::new();
        }
        let (kind, value) = made.map_or((&object.kind, &object.value), |made| (&made.kind, &made.value));
        let catalog = self.goal.packs.of_group(&kind.group).and_then(|pack| pack.catalog(kind));
        let is_lacking = |kind: &GroupKind| self.lacks(kind).is_some();
        let may_lack = |name: &str| self.kinds_called(name).any(is_lacking);
        let found = references::find_where(value, catalog, &may_lack, &is_lacking);
        found.into_iter().filter_map(|reference| self.tell_dangling(manifest, object, reference)).collect()
    }

    /// Returns the target whose pack knows `kind` and whose release does not have it, nor a kind that it becomes.
    fn lacks(&self, kind: &GroupKind) -> Option<&Target<'_>> {
        let target = self.goal.target_of(&kind.group)?;
        let catalog = target.pack.catalog(kind)?;
        let is_there = self.retypes.contains_key(kind) || catalog.releases().contains(target.release);
        (!is_there).then_some(target)
    }

    fn kinds_called(&self, name: &str) -> impl Iterator<Item = &GroupKind> {
        self.goal.targets.iter().flat_map(|target| target.pack.kinds()).filter(move |kind| kind.kind == name)
    }

    fn tell_dangling(&self, manifest: &Manifest, object: &Object, reference: Reference) -> Option<Finding> {
        let target = self.lacks(&reference.kind)?;
        let kind = &reference.kind;
        let named = reference.name.as_ref().map_or_else(|| kind.to_string(), |name| format!("{} {name}", kind.kind));
        let had = target.pack.line().describe(target.pack.catalog(kind)?.releases());
        let message = format!("{} names {named}, and {target} does not have that kind; it is in {had}", reference.path);
        let help = Some("name something that the target has, or take the reference out, by hand".to_owned());
        let remark = Remark { code: Code::DanglingReference, path: reference.path, message, help };
        Some(finding(manifest, object, &remark, Severity::Warning))
    }
}
