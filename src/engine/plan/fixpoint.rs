//! What is held back because something else is?
//!
//! An object that is held back holds back those that rely on it, its patches and what it patches, and so on; and only planning the
//! files shows whose text cannot be changed. [`hold_back`] repeats that until nothing more is held back.
//!
//! Invariant: what is held back once is held back for good, so that this ends.

use crate::engine::finding::Finding;
use crate::engine::links::kustomize_selectors::Selectors;
use crate::engine::links::patches::{self, Patching};
use crate::engine::links::states::States;
use crate::engine::links::together::Together;
use crate::engine::links::{Held, Id, TiedFiles, VersionChanges, name_conflicts};

/// Objects that are held back, with the reasons.
type Reasons = Vec<(Id, Finding)>;

/// Finds everything that is held back in a group, what is held back `first`, what is `kept` whatever else there is and what follows from
/// them included, and returns what `attempt` plans without it.
pub(super) fn hold_back<T>(
    linked: &TiedFiles<'_>,
    patchings: &[Patching],
    states: &States,
    selectors: &Selectors<'_>,
    first: Reasons,
    kept: Reasons,
    attempt: impl Fn(&Held) -> Result<T, Reasons>,
) -> T {
    let mut held = Held::by_themselves(linked);
    held.extend(first);
    held.extend(name_conflicts::find(linked));
    held.extend(kept);
    let together = Together::new(linked);
    loop {
        let holds_more = together.hold(linked, &mut held)
            || patches::hold(linked, patchings, &mut held)
            || patches::hold_apart(linked, &mut held)
            || states.hold(linked, &mut held);
        if holds_more {
            continue;
        }
        if selectors.hold(&VersionChanges::new(linked, &held), &mut held) {
            continue;
        }
        match attempt(&held) {
            Ok(planned) => return planned,
            Err(rejected) => drop(held.extend(rejected)),
        }
    }
}
