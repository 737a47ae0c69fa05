//! What should a person know about the releases that a run crosses?
//!
//! An advisory of a pack is reported once if it concerns an object: one that can have been written for a release on the other side of
//! the advisory's bundle. It is reported at the first such object, or as a [`RunAdvisory`] where it is about the cluster or the
//! release.
//!
//! Invariant: an advisory changes nothing and holds nothing back; where it is reported does not depend on the order of the run.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::convert::Conversion;
use crate::finding::{Code, Finding, FindingObject, Severity};
use crate::manifest::Object;
use crate::pack::release_notes::Advisory;
use crate::pack::{About, Target};
use crate::release::ReleaseSet;

/// An advisory of a target's pack, with the releases from which the path to the target crosses its bundle.
#[derive(Debug)]
pub(crate) struct CrossedAdvisory<'g> {
    target: &'g Target<'g>,
    advisory: &'g Advisory,
    from: ReleaseSet,
    origins: ReleaseSet,
    /// The releases that are newer than the target.
    newer: ReleaseSet,
}

/// An advisory about the whole run, and not about an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunAdvisory {
    /// What it is about: the cluster or a release.
    pub about: About,
    /// A warning or a note.
    pub severity: Severity,
    /// What to know, as one sentence without a final dot.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

/// How an advisory is reported.
pub(crate) enum Reported {
    /// At an object.
    AtObject(Finding),
    /// Without a place.
    AboutRun(RunAdvisory),
}

/// Collects the advisories of `target`'s pack that can be about objects which come from one of `origins`, where those are known.
pub(crate) fn crossed<'g>(
    target: &'g Target<'g>,
    origins: Option<ReleaseSet>,
) -> impl Iterator<Item = CrossedAdvisory<'g>> {
    let origins = origins.unwrap_or(target.pack.line().all());
    let line = target.pack.line();
    let goal = line.get(target.release).order;
    let newer = line.iter().filter(|(_, release)| release.order > goal).map(|(id, _)| id).collect();
    let crossed = move |advisory| CrossedAdvisory { target, advisory, from: sources(advisory, target), origins, newer };
    target.pack.release_notes().advisories.iter().map(crossed).filter(|crossed| !crossed.from.is_empty())
}

impl CrossedAdvisory<'_> {
    /// Returns whether the advisory concerns `object`, which became `made`.
    pub(crate) fn concerns(&self, object: &Object, made: &Conversion) -> bool {
        let about = self.advisory.has_kind(&object.kind) || self.advisory.has_kind(&made.kind);
        about
            && !(self.written_for(made) & self.from).is_empty()
            && self.target.pack.groups().contains(&object.kind.group)
            && self.advisory.condition.holds(&object.value)
    }

    /// Returns the releases that an object can have been written for.
    fn written_for(&self, made: &Conversion) -> ReleaseSet {
        // An object that cannot come from where the others do comes from where its fields say.
        let here = made.written_for & self.origins;
        if here.is_empty() { made.written_for } else { here }
    }

    /// Returns whether nothing shows that an object, which the advisory concerns, really crosses it: its own pack changes nothing, so
    /// that it may have crossed it long ago, or the advisory is about a rollback, and the object need not be newer than the target.
    pub(crate) fn is_note(&self, made: &Conversion) -> bool {
        let is_at_target = made.program.len() == made.foreign_changes && made.blocks.is_empty();
        let written_for = self.written_for(made);
        let is_of_rollback = self.newer.is_superset(written_for & self.from);
        is_at_target || self.advisory.additive || is_of_rollback && !self.newer.is_superset(written_for)
    }

    /// Returns what to do about `object`.
    pub(crate) fn help_for(&self, object: &Object) -> Option<String> {
        self.advisory.help_for(&object.value)
    }

    /// Reports the advisory: at the first object that it concerns, or about the run.
    pub(crate) fn report(&self, advised: Advised) -> Reported {
        let severity = if advised.is_note { Severity::Note } else { Severity::Warning };
        let message = format!("{}: {}", self.target.pack.title(), self.advisory.message);
        let help = advised.help;
        match self.advisory.about {
            About::Object => {
                let message = match advised.others {
                    0 => message,
                    1 => format!("{message} (1 other object too)"),
                    others => format!("{message} ({others} other objects too)"),
                };
                let (location, object) = (advised.first.location.clone(), Some(advised.first));
                Reported::AtObject(Finding {
                    location,
                    code: Code::Advisory,
                    severity,
                    object,
                    field: None,
                    message,
                    help,
                })
            }
            about => Reported::AboutRun(RunAdvisory { about, severity, message, help }),
        }
    }
}

/// The objects that an advisory is about.
#[derive(Clone, Debug)]
pub(crate) struct Advised {
    /// Whether it is a note for all of them; where it is not, only those count for which it is a warning.
    pub(crate) is_note: bool,
    /// The first of them.
    pub(crate) first: FindingObject,
    /// What to do, as it is for the first of them.
    pub(crate) help: Option<String>,
    /// How many there are besides it.
    pub(crate) others: usize,
}

impl Advised {
    /// Adds these objects to those that the advisory with number `at` is about.
    pub(crate) fn add_to(self, all: &mut BTreeMap<usize, Self>, at: usize) {
        match all.entry(at) {
            Entry::Vacant(entry) => {
                entry.insert(self);
            }
            Entry::Occupied(mut entry) if entry.get().is_note && !self.is_note => {
                entry.insert(self);
            }
            Entry::Occupied(mut entry) if entry.get().is_note == self.is_note => {
                let known = entry.get_mut();
                known.others += 1 + self.others;
                if self.first.location < known.first.location {
                    known.first = self.first;
                    known.help = self.help;
                }
            }
            Entry::Occupied(_) => {}
        }
    }
}

/// Returns the releases from which the path to the target is one that the advisory is about.
fn sources(advisory: &Advisory, target: &Target<'_>) -> ReleaseSet {
    let line = target.pack.line();
    line.iter().map(|(from, _)| from).filter(|from| advisory.applies_between(line, *from, target.release)).collect()
}
