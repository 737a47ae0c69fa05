//! What should a person know about the releases that a run crosses?
//!
//! An advisory of a pack is reported once, at the first object that it is about: one that can have been written for a release on
//! the other side of the advisory's bundle.
//!
//! Invariant: an advisory changes nothing and holds nothing back; where it is reported does not depend on the order of the run.

use crate::convert::Conversion;
use crate::finding::{Code, Finding, Location, Severity};
use crate::manifest::Object;
use crate::pack::Target;
use crate::pack::release_notes::Advisory;
use crate::release::ReleaseSet;

/// An advisory of a target's pack, with the releases from which the path to the target crosses its bundle.
#[derive(Debug)]
pub(crate) struct CrossedAdvisory<'g> {
    target: &'g Target<'g>,
    advisory: &'g Advisory,
    from: ReleaseSet,
    origins: ReleaseSet,
}

/// Collects the advisories of `target`'s pack that can be about objects which come from one of `origins`, where those are known.
pub(crate) fn crossed<'g>(
    target: &'g Target<'g>,
    origins: Option<ReleaseSet>,
) -> impl Iterator<Item = CrossedAdvisory<'g>> {
    let origins = origins.unwrap_or(target.pack.line().all());
    let crossed = move |advisory| CrossedAdvisory { target, advisory, from: sources(advisory, target), origins };
    target.pack.release_notes().advisories.iter().map(crossed).filter(|crossed| !crossed.from.is_empty())
}

impl CrossedAdvisory<'_> {
    /// Returns whether the advisory is about `object`, which became `made`.
    pub(crate) fn concerns(&self, object: &Object, made: &Conversion) -> bool {
        let about = self.advisory.is_about(&object.kind) || self.advisory.is_about(&made.kind);
        // An object that cannot come from where the others do comes from where its fields say.
        let here = made.written_for & self.origins;
        let written_for = if here.is_empty() { made.written_for } else { here };
        about
            && !(written_for & self.from).is_empty()
            && self.target.pack.groups().contains(&object.kind.group)
            && self.advisory.condition.holds(&object.value)
    }

    /// Reports the advisory at the first object that it is about.
    pub(crate) fn finding(&self, is_at_target: bool, location: Location) -> Finding {
        Finding {
            location,
            code: Code::Advisory,
            severity: if is_at_target { Severity::Note } else { Severity::Warning },
            object: None,
            field: None,
            message: format!("{}: {}", self.target.pack.title(), self.advisory.message),
            help: self.advisory.help.clone(),
        }
    }
}

/// Returns whether the object's own pack changes nothing: then it may have crossed the release long ago.
pub(crate) const fn is_at_target(made: &Conversion) -> bool {
    made.program.len() == made.foreign_changes && made.blocks.is_empty()
}

/// Returns the releases from which the path to the target is one that the advisory is about.
fn sources(advisory: &Advisory, target: &Target<'_>) -> ReleaseSet {
    let line = target.pack.line();
    line.iter().map(|(from, _)| from).filter(|from| advisory.applies_between(line, *from, target.release)).collect()
}
