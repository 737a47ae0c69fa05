//! Answers: what should be known about the releases that a run crosses?
//!
//! An advisory of a pack is told once, at the first object that it is about: one that can have been written for a release on
//! the other side of the advisory's bundle.
//!
//! Invariant: an advisory changes nothing and holds nothing back; where it is told does not depend on the order of the run.

use super::Conversion;
use crate::field::FieldPath;
use crate::finding::{Code, Finding, Severity};
use crate::manifest::{Manifest, Object};
use crate::pack::Target;
use crate::pack::notes::Advisory;
use crate::release::ReleaseSet;

/// Collects the advisories of `target`'s pack that the objects of the run call for.
pub(super) fn advisories<'a>(
    target: &Target<'_>,
    objects: impl Iterator<Item = (&'a Manifest, &'a Object, &'a Conversion)> + Clone,
) -> Vec<Finding> {
    let known = |object: &Object| target.pack.groups().contains(&object.kind.group);
    let objects = objects.filter(|(_, object, _)| known(object));
    let first = |advisory: &Advisory| {
        let crossed = crossed(advisory, target);
        let concerned = objects.clone().filter(|(_, object, made)| concerns(advisory, crossed, object, made));
        // The objects of one file stand in its order, and the first of equals is the least.
        let first = concerned.min_by_key(|(manifest, _, made)| (is_settled(made), manifest.file.as_str()));
        let (manifest, object, made) = first?;
        Some(Finding {
            location: manifest.locate(object, &FieldPath::default()),
            code: Code::Advisory,
            severity: if is_settled(made) { Severity::Note } else { Severity::Warning },
            object: None,
            field: None,
            message: format!("{}: {}", target.pack.title(), advisory.message),
            help: advisory.help.clone(),
        })
    };
    target.pack.notes().advisories.iter().filter_map(first).collect()
}

/// Says whether nothing is to be done to the object: then it may have crossed the release long ago.
const fn is_settled(made: &Conversion) -> bool {
    made.program.is_empty() && made.blocks.is_empty()
}

/// Returns the releases from which the way to the target crosses the advisory's bundle.
fn crossed(advisory: &Advisory, target: &Target<'_>) -> ReleaseSet {
    let line = target.pack.line();
    let to = line.get(target.release);
    line.iter().filter(|(_, release)| advisory.is_crossed(release, to)).map(|(id, _)| id).collect()
}

fn concerns(advisory: &Advisory, crossed: ReleaseSet, object: &Object, made: &Conversion) -> bool {
    let about = advisory.is_about(&object.kind) || advisory.is_about(&made.kind);
    about && !(made.written_for & crossed).is_empty() && advisory.condition.holds(&object.value)
}
