//! Answers: which releases do the objects of a manifest come from that is a run of its own?
//!
//! Invariant: they are those of a run over it as the only file, where its objects and what it installs show them.

use crate::engine::convert::{Choices, Goal};
use crate::engine::infer::install_evidence::{Evidence, Installations};
use crate::engine::infer::origin::{ObjectReleases, object_releases_in, origin};
use crate::engine::manifest::Manifest;
use crate::knowledge::pack::Pack;

/// Returns the choices of `goal` with what `manifest` shows; what is known already counts before that.
pub(super) fn with_origins_in(manifest: &Manifest, goal: &Goal<'_>) -> Choices {
    let known = &goal.choices.origins;
    let is_about = |pack: &Pack| goal.targets.iter().any(|target| target.pack.name() == pack.name());
    let is_compared = |pack: &Pack| is_about(pack) && (pack.asks_for_origins() || known.contains_key(pack.name()));
    let objects = object_releases_in(manifest, goal.packs, is_compared);
    let evidence = Installations::new(goal.packs, is_about).evidence_in(manifest);
    let mut choices = goal.choices.clone();
    for target in goal.targets.iter().filter(|target| !known.contains_key(target.pack.name())) {
        let is_own = |pack: &Pack| pack.name() == target.pack.name();
        let evidence: Vec<&Evidence> =
            evidence.iter().filter(|(pack, _)| is_own(pack)).map(|(_, evidence)| evidence).collect();
        let objects: Vec<&ObjectReleases<'_>> = objects.iter().filter(|object| is_own(object.pack)).collect();
        choices.add_origin(target.pack, &origin(&evidence, &objects));
    }
    choices
}
