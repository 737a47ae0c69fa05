//! What should a person know about the releases that a run crosses?
//!
//! An advisory of a pack is reported if it concerns an object: one that can have been written for a release on the other side of the
//! advisory's bundle. It is reported at each such object, or once as a [`RunAdvisory`] where it is about the cluster or the release.
//!
//! Invariant: an advisory changes nothing and holds nothing back; where it is reported does not depend on the order of the run.

use serde::{Deserialize, Serialize};

use crate::engine::convert::Conversion;
use crate::engine::finding::{Code, Finding, FindingObject, Severity};
use crate::engine::manifest::Object;
use crate::knowledge::pack::releases::Advisory;
use crate::knowledge::pack::{About, Target};
use crate::knowledge::release::ReleaseSet;

/// An advisory of a target's pack, with the releases from which the path to the target crosses its bundle.
#[derive(Debug)]
pub(crate) struct CrossedAdvisory<'g> {
    target: &'g Target<'g>,
    advisory: &'g Advisory,
    from: ReleaseSet,
    /// The releases that are newer than the target.
    newer: ReleaseSet,
    /// The releases that the objects of the pack are known to come from.
    known: Option<ReleaseSet>,
}

/// An advisory about the whole run, and not about an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunAdvisory {
    /// Its pack and its name there, which stay when it is worded otherwise: `keda/keda-v1-and-v2-exclude-each-other`.
    pub id: String,
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
    /// At the objects.
    AtObjects(Vec<Finding>),
    /// Without a place.
    AboutRun(RunAdvisory),
}

/// Collects the advisories of `target`'s pack, whose objects come from the releases that are `known`.
pub(crate) fn crossed<'g>(
    target: &'g Target<'g>,
    known: Option<ReleaseSet>,
) -> impl Iterator<Item = CrossedAdvisory<'g>> {
    let line = target.pack.line();
    let goal = line.get(target.release).order;
    let newer = line.iter().filter(|(_, release)| release.order > goal).map(|(id, _)| id).collect();
    let crossed = move |advisory| CrossedAdvisory { target, advisory, from: sources(advisory, target), newer, known };
    target.pack.release_notes().advisories.iter().map(crossed).filter(|crossed| !crossed.from.is_empty())
}

impl CrossedAdvisory<'_> {
    /// Returns whether the advisory concerns `object`, which became `conversion`, and whether no rule already wrote what it is about.
    pub(crate) fn concerns(&self, object: &Object, conversion: &Conversion) -> bool {
        let about = self.advisory.has_kind(&object.kind) || self.advisory.has_kind(&conversion.kind);
        about
            && !(conversion.origins & self.from).is_empty()
            && self.target.pack.groups().contains(&object.kind.group)
            && (self.advisory.values.is_some() || self.advisory.condition.can_hold(&object.value))
            && !self.is_answered(conversion)
    }

    /// Returns the chart whose values it is about.
    pub(crate) fn chart(&self) -> Option<&str> {
        self.advisory.values.as_deref()
    }

    /// Returns whether `object` has values that it is about.
    pub(crate) fn has_values_in(&self, object: &Object) -> bool {
        let values = |chart| self.target.pack.values_of(chart, &object.kind, &object.value);
        self.chart().is_some_and(|chart| values(chart).into_iter().any(|one| self.advisory.condition.can_hold(one)))
    }

    /// Returns whether it is a note about what has such values, and became `conversion`: they stay, and the release that is installed is
    /// not known. Nothing is returned where that is known to be none from which it is crossed.
    pub(crate) fn is_note_about_values(&self, conversion: &Conversion) -> Option<bool> {
        let changes = conversion.foreign_changes > 0;
        let may_cross = changes || self.known.is_none_or(|known| !(known & self.from).is_empty());
        may_cross.then(|| !changes && !self.known.is_some_and(|known| self.from.is_superset(known)))
    }

    /// Returns whether a rule wrote the default out that the advisory is about: that made its condition false.
    fn is_answered(&self, conversion: &Conversion) -> bool {
        let condition = &self.advisory.condition;
        conversion.frozen.iter().any(|[before, after]| condition.holds(before) && !condition.holds(after))
    }

    /// Returns whether it is reported with the objects that it concerns.
    pub(crate) fn names_objects(&self) -> bool {
        self.advisory.about == About::Object
    }

    /// Returns whether it needs no action, or nothing shows that an object, which the advisory concerns, really crosses it: not all
    /// releases that it can come from are those of the advisory, and its own pack changes nothing, so that it may have crossed it
    /// long ago, or the advisory is about a rollback, and the object need not be newer than the target.
    pub(crate) fn is_note(&self, conversion: &Conversion) -> bool {
        let is_certain = self.from.is_superset(conversion.origins);
        let is_at_target = conversion.program.len() == conversion.foreign_changes && conversion.blocks.is_empty();
        let is_of_rollback = self.newer.is_superset(conversion.origins & self.from);
        let may_not_cross = is_at_target || is_of_rollback && !self.newer.is_superset(conversion.origins);
        self.advisory.additive || !is_certain && may_not_cross
    }

    /// Returns what to do about `object`.
    pub(crate) fn help_for(&self, object: &Object) -> Option<String> {
        self.advisory.help_for(&object.value)
    }

    /// Reports the advisory: at each object that it concerns, with what to do about that one, or about the run. Where it is about values of
    /// a chart, `has_values` is whether the run has such values.
    pub(crate) fn report(&self, advised: Advised, has_values: bool) -> Reported {
        let has_none = self.advisory.values.is_some() && !has_values;
        let severity = |is_note| if is_note || has_none { Severity::Note } else { Severity::Warning };
        let message = format!("{}: {}", self.target.pack.title(), self.advisory.message);
        let id = format!("{}/{}", self.target.pack.name(), self.advisory.id);
        match self.advisory.about {
            About::Object => {
                let at_object = |(object, help, is_note): (FindingObject, Option<String>, bool)| {
                    let location = object.location.clone();
                    let finding = Finding::new(location, Code::Advisory, severity(is_note), message.clone());
                    Finding { advisory: Some(id.as_str().into()), ..finding.about(object).maybe_help(help) }
                };
                Reported::AtObjects(advised.objects.into_iter().map(at_object).collect())
            }
            about => {
                let help = self.advisory.help.clone();
                Reported::AboutRun(RunAdvisory { id, about, severity: severity(advised.is_note), message, help })
            }
        }
    }
}

/// What an advisory is about.
#[derive(Clone, Debug)]
pub(crate) struct Advised {
    /// Whether it is a note for all of it.
    is_note: bool,
    /// Where the advisory names objects: each with what to do about it, and whether that is a note.
    objects: Vec<(FindingObject, Option<String>, bool)>,
}

impl Advised {
    /// Takes the object, where the advisory names objects, with what to do about it.
    pub(crate) fn new(is_note: bool, object: Option<(FindingObject, Option<String>)>) -> Self {
        Self { is_note, objects: object.into_iter().map(|(object, help)| (object, help, is_note)).collect() }
    }

    /// Names the objects as `name` does.
    pub(crate) fn map(self, name: impl Fn(FindingObject) -> FindingObject) -> Self {
        let objects = self.objects.into_iter().map(|(object, help, is_note)| (name(object), help, is_note)).collect();
        Self { objects, ..self }
    }

    /// Adds this to what the advisory with number `at` is about; a file that is planned is about few, and is kept as a list.
    pub(crate) fn add_to(self, all: &mut Vec<(usize, Self)>, at: usize) {
        match all.iter_mut().find(|(other, _)| *other == at) {
            Some((_, advised)) => {
                advised.is_note &= self.is_note;
                advised.objects.extend(self.objects);
            }
            None => all.push((at, self)),
        }
    }
}

/// Returns the releases from which the path to the target is one that the advisory is about.
fn sources(advisory: &Advisory, target: &Target<'_>) -> ReleaseSet {
    let line = target.pack.line();
    line.iter().map(|(from, _)| from).filter(|from| advisory.applies_between(line, *from, target.release)).collect()
}
