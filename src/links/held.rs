//! Which objects are held back, and why?

use std::collections::{BTreeMap, BTreeSet};

use super::linked::{Id, Linked};
use crate::finding::Finding;

/// The objects that are held back, as far as is known.
#[derive(Debug)]
pub(crate) struct Held {
    /// Those that their own conversion holds back.
    by_themselves: BTreeSet<Id>,
    /// Why others are.
    reasons: BTreeMap<Id, Finding>,
}

impl Held {
    /// Starts with the objects that their own conversion holds back.
    pub(crate) fn by_themselves(linked: &Linked<'_>) -> Self {
        let is_held = |id: &Id| linked.conversion(*id).is_some_and(|made| !made.blocks.is_empty());
        let by_themselves = linked.objects().map(|(id, _, _)| id).filter(is_held).collect();
        Self { by_themselves, reasons: BTreeMap::new() }
    }

    /// Returns whether an object is held back.
    pub(crate) fn contains(&self, id: Id) -> bool {
        self.by_themselves.contains(&id) || self.reasons.contains_key(&id)
    }

    /// Returns why an object is held back that its own conversion does not hold back.
    pub(crate) fn reason(&self, id: Id) -> Option<&Finding> {
        self.reasons.get(&id)
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
