//! Answers: what should be known about the releases that a run crosses?
//!
//! An advisory of a pack is told once, at the first object that it is about: one that can have been written for a release on
//! the other side of the advisory's bundle.
//!
//! Invariant: an advisory changes nothing and holds nothing back.

use super::{Conversion, Remark, finding};
use crate::field::FieldPath;
use crate::finding::{Code, Finding, Severity};
use crate::manifest::{Manifest, Object};
use crate::pack::Target;
use crate::pack::notes::Advisory;

/// Collects the advisories of `target`'s pack that the objects of the run call for.
pub(super) fn advisories<'a>(
    target: &Target<'_>,
    objects: impl Iterator<Item = (&'a Manifest, &'a Object, &'a Conversion)> + Clone,
) -> Vec<Finding> {
    let known = |object: &Object| target.pack.groups().contains(&object.kind.group);
    let objects = objects.filter(|(_, object, _)| known(object));
    let first = |advisory: &Advisory| {
        let (manifest, object, _) =
            objects.clone().find(|(_, object, made)| concerns(advisory, target, object, made))?;
        let path = FieldPath::default();
        let remark = Remark { code: Code::Advisory, path, message: String::new(), help: advisory.help.clone() };
        let message = format!("{}: {}", target.pack.title(), advisory.message);
        Some(Finding { object: None, message, ..finding(manifest, object, &remark, Severity::Note) })
    };
    target.pack.notes().advisories.iter().filter_map(first).collect()
}

fn concerns(advisory: &Advisory, target: &Target<'_>, object: &Object, made: &Conversion) -> bool {
    let line = target.pack.line();
    let to = line.get(target.release).order;
    let crossed = |id| advisory.is_crossed(line.get(id).order, to);
    let about = advisory.is_about(&object.kind) || advisory.is_about(&made.kind);
    about && made.written_for.iter().any(crossed) && advisory.condition.holds(&object.value)
}
