//! Which objects are held back, and why?

use std::collections::{BTreeMap, BTreeSet};

use super::split_objects;
use super::tied_files::{Id, TiedFiles};
use crate::engine::finding::{Code, Finding};
use crate::syntax::field::FieldPath;

/// The number of an instruction: a JSON patch, replacement or variable.
pub(crate) type InstructionId = usize;

/// The objects that are held back, as far as is known.
#[derive(Debug)]
pub(crate) struct Held {
    /// Those that their own conversion holds back.
    by_themselves: BTreeSet<Id>,
    /// Why others are.
    reasons: BTreeMap<Id, Finding>,
    /// Why JSON patches, replacements and variables are.
    instructions: BTreeMap<InstructionId, Finding>,
    /// What is reported where it is not held back itself: selectors that would lose objects.
    reported: BTreeMap<(Id, FieldPath), Finding>,
}

impl Held {
    /// Starts with the objects that their own conversion holds back.
    pub(crate) fn by_themselves(tied: &TiedFiles<'_>) -> Self {
        let is_held = |id: &Id| tied.conversion(*id).is_some_and(|made| !made.blocks.is_empty());
        // What becomes a part of another object is not to be converted by itself.
        let parts = split_objects::parts(tied);
        let ids = tied.objects().map(|(id, _, _)| id).filter(|id| !parts.contains_key(id));
        let by_themselves = ids.filter(is_held).collect();
        Self { by_themselves, reasons: BTreeMap::new(), instructions: BTreeMap::new(), reported: BTreeMap::new() }
    }

    /// Returns whether an object is held back.
    pub(crate) fn contains(&self, id: Id) -> bool {
        self.by_themselves.contains(&id) || self.reasons.contains_key(&id)
    }

    /// Returns why an object is held back that its own conversion does not hold back.
    pub(crate) fn reason(&self, id: Id) -> Option<&Finding> {
        self.reasons.get(&id)
    }

    /// Returns whether an object is left as it is on purpose: because that is acknowledged, or because it is data.
    pub(crate) fn is_kept(&self, id: Id) -> bool {
        self.reason(id).is_some_and(|reason| matches!(reason.code, Code::ChangesNeeded | Code::DataFile))
    }

    /// Returns why an instruction is held back by itself.
    pub(crate) fn instruction_reason(&self, id: InstructionId) -> Option<&Finding> {
        self.instructions.get(&id)
    }

    /// Holds back more instructions; returns whether there were any.
    pub(super) fn extend_instructions(&mut self, more: BTreeMap<InstructionId, Finding>) -> bool {
        let any = !more.is_empty();
        self.instructions.extend(more);
        any
    }

    /// Reports places because of which objects are held back.
    pub(super) fn report(&mut self, found: impl IntoIterator<Item = ((Id, FieldPath), Finding)>) {
        for (place, finding) in found {
            self.reported.entry(place).or_insert(finding);
        }
    }

    /// Returns what is reported about places in an object.
    pub(crate) fn reported(&self, id: Id) -> impl Iterator<Item = &Finding> {
        let places = self.reported.range((id, FieldPath::default())..);
        places.take_while(move |((own, _), _)| *own == id).map(|(_, finding)| finding)
    }

    /// Holds back more objects; returns whether there were any.
    pub(crate) fn extend(&mut self, more: impl IntoIterator<Item = (Id, Finding)>) -> bool {
        let mut any = false;
        for (id, finding) in more {
            self.reasons.insert(id, finding);
            any = true;
        }
        any
    }
}
