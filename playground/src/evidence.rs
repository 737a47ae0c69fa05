//! Which releases the objects of the text can be for, as `detect --verbose` prints it.

use reversion::internals::report::{Detected, visible};

use crate::answer::{Evidence, Object, Place};

/// Makes what the page shows of an object.
pub(crate) fn object(found: &Detected<'_>) -> Object {
    let line = found.pack.line();
    let serving = found.fitting();
    let is_narrower = !found.inference.is_conflict() && serving != found.inference.candidates;
    let evidence = found.inference.evidence.iter().zip(&found.evidence).map(|(fact, place)| Evidence {
        place: Place::of(place),
        field: visible(&fact.path.to_string()),
        releases: line.describe(fact.releases),
    });
    Object {
        title: visible(&found.title),
        api_version: visible(&found.kind.1.to_string()),
        project: found.pack.title().to_owned(),
        place: Place::of(&found.location),
        releases: found.releases(),
        serving: is_narrower.then(|| line.describe(serving)),
        evidence: evidence.collect(),
        change: None,
    }
}
