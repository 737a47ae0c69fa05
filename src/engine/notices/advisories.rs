//! What should a person know about the releases that a run crosses?
//!
//! An advisory of a pack is reported once if it concerns an object: one that can have been written for a release on the other side of
//! the advisory's bundle. It is reported at the first such object, with the number and the places of all, or as a [`RunAdvisory`] where it is about the cluster or the
//! release.
//!
//! Invariant: an advisory changes nothing and holds nothing back; where it is reported does not depend on the order of the run.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::{Deserialize, Serialize};

use crate::engine::convert::Conversion;
use crate::engine::finding::{Code, Finding, FindingObject, Location, Severity};
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
    /// At an object.
    AtObject(Finding),
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

    /// Reports the advisory: at the first object that it concerns, with what to do about that one, or about the run. Where it is about
    /// values of a chart, `has_values` is whether the run has such values.
    pub(crate) fn report(&self, advised: Advised, has_values: bool) -> Reported {
        let is_note = advised.is_note || self.advisory.values.is_some() && !has_values;
        let severity = if is_note { Severity::Note } else { Severity::Warning };
        let message = format!("{}: {}", self.target.pack.title(), self.advisory.message);
        match self.advisory.about {
            About::Object => {
                let mut objects = advised.objects;
                objects.sort();
                // Several readings of a template have one object.
                objects.dedup();
                let mut objects = objects.into_iter();
                let (first, help) = objects.next().expect("an advisory is about an object that it concerns");
                let finding = Finding::new(first.location.clone(), Code::Advisory, severity, message);
                let others = objects.map(|(object, _)| object).collect();
                Reported::AtObject(with_others(finding.about(first).maybe_help(help), others))
            }
            about => {
                let help = self.advisory.help.clone();
                let id = format!("{}/{}", self.target.pack.name(), self.advisory.id);
                Reported::AboutRun(RunAdvisory { id, about, severity, message, help })
            }
        }
    }
}

/// The objects that an advisory is about.
#[derive(Clone, Debug)]
pub(crate) struct Advised {
    /// Whether it is a note for all of them; where it is not, only those count for which it is a warning.
    pub(crate) is_note: bool,
    /// At least one, where the advisory names objects; each with what to do about it.
    pub(crate) objects: Vec<(FindingObject, Option<String>)>,
}

impl Advised {
    /// Names the objects as `name` does.
    pub(crate) fn map(self, name: impl Fn(FindingObject) -> FindingObject) -> Self {
        let objects = self.objects.into_iter().map(|(object, help)| (name(object), help)).collect();
        Self { objects, ..self }
    }

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
                entry.get_mut().objects.extend(self.objects);
            }
            Entry::Occupied(_) => {}
        }
    }
}

/// Makes one finding, at the first place, of the advisories among `findings` that say the same about several objects.
pub(crate) fn merged(findings: Vec<Finding>) -> Vec<Finding> {
    let mut alike: BTreeMap<_, (Finding, Vec<FindingObject>)> = BTreeMap::new();
    let mut all = Vec::with_capacity(findings.len());
    for finding in findings {
        let about = finding.object.as_ref().filter(|_| finding.code == Code::Advisory);
        let Some(object) = about.map(|object| FindingObject::new(object.title.clone(), finding.location.clone()))
        else {
            all.push(finding);
            continue;
        };
        match alike.entry((finding.severity, finding.message.clone(), finding.help.clone())) {
            Entry::Vacant(entry) => {
                entry.insert((finding, Vec::new()));
            }
            Entry::Occupied(entry) => entry.into_mut().1.push(object),
        }
    }
    let merged = |(first, others): (Finding, Vec<FindingObject>)| match others.is_empty() {
        true => first,
        false => with_others(first, others),
    };
    all.extend(alike.into_values().map(merged));
    all.sort();
    all
}

/// Makes a finding that says about `others` what `first` says about its object.
fn with_others(first: Finding, others: Vec<FindingObject>) -> Finding {
    let locations: Vec<&Location> =
        [&first.location].into_iter().chain(others.iter().map(|one| &one.location)).collect();
    let what = if first.field.is_some() { "places" } else { "objects" };
    let message = format!("{}{}", first.message, places(&locations, what));
    Finding { message, object: first.object.map(|object| FindingObject { others, ..object }), ..first }
}

/// How many places are written into a sentence about several objects, where not all are.
const PLACES: usize = 3;

/// Counts several objects or fields, and names the places of the first ones.
pub(crate) fn places(all: &[&Location], what: &str) -> String {
    // One more place is no longer than to say that there is one.
    let named = if all.len() > PLACES + 1 { PLACES } else { all.len() };
    let places: Vec<String> = all[..named].iter().map(ToString::to_string).collect();
    match (all.len(), &*places) {
        (0 | 1, _) | (_, []) => String::new(),
        (count, [places @ .., last]) if count == named => {
            format!(" ({count} {what}: {} and {last})", places.join(", "))
        }
        (count, places) => format!(" ({count} {what}: {} and {} more)", places.join(", "), count - named),
    }
}

/// Returns the releases from which the path to the target is one that the advisory is about.
fn sources(advisory: &Advisory, target: &Target<'_>) -> ReleaseSet {
    let line = target.pack.line();
    line.iter().map(|(from, _)| from).filter(|from| advisory.applies_between(line, *from, target.release)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::text::Position;

    #[test]
    fn several_objects_are_counted_and_the_first_places_are_named() {
        let location = |line| Location { file: "a.yaml".to_owned(), position: Some(Position { line, column: 1 }) };
        let of = |count: usize| {
            let locations: Vec<Location> = (1..=count).map(location).collect();
            places(&locations.iter().collect::<Vec<_>>(), "objects")
        };
        assert_eq!(of(1), "");
        assert_eq!(of(2), " (2 objects: a.yaml:1:1 and a.yaml:2:1)");
        assert_eq!(of(4), " (4 objects: a.yaml:1:1, a.yaml:2:1, a.yaml:3:1 and a.yaml:4:1)");
        assert_eq!(of(86), " (86 objects: a.yaml:1:1, a.yaml:2:1, a.yaml:3:1 and 83 more)");
    }
}
