//! Which CRDs of the run do not serve what its objects have, or get?
//!
//! Of several CRDs of one kind, the nearest to an object count: those that share most of its folders.
//!
//! Invariant: nothing here changes anything.

use std::collections::BTreeMap;

use crate::engine::convert::{Goal, ObjectPlan, Outcome};
use crate::engine::finding::{Code, Finding, FindingObject, Location, Severity};
use crate::engine::links::CrdSurvey;
use crate::engine::notices::pins::{Pin, Replacement};
use crate::knowledge::release::GroupKind;

/// The CRDs of a run, and the objects that they do not serve.
pub(crate) struct Unserved<'s> {
    /// Those that define kinds of a target's pack.
    by_kind: BTreeMap<&'s GroupKind, Vec<&'s CrdSurvey>>,
    /// The objects, by the place of the CRD and their version.
    objects: BTreeMap<(&'s Location, String), (&'s CrdSurvey, Vec<FindingObject>)>,
}

impl<'s> Unserved<'s> {
    /// Starts with the CRDs of a run. Where they are what the target is made of, objects are held back for what they do not serve.
    pub(crate) fn new(crds: impl Iterator<Item = &'s CrdSurvey>, goal: &Goal<'_>) -> Self {
        let is_of_pack = |crd: &&CrdSurvey| {
            let target = goal.target_of(&crd.kind.group);
            target.is_some_and(|target| !target.pack.is_of_crds())
        };
        let mut by_kind: BTreeMap<_, Vec<_>> = BTreeMap::new();
        crds.filter(is_of_pack).for_each(|crd| by_kind.entry(&crd.kind).or_default().push(crd));
        Self { by_kind, objects: BTreeMap::new() }
    }

    /// Adds what became of an object.
    pub(crate) fn add(&mut self, object: &ObjectPlan) {
        let (kind, version) = &object.to;
        let is_applied = object.is_recognized && object.outcome != Outcome::HeldBack;
        let Some(crds) = self.by_kind.get(kind).filter(|_| is_applied) else { return };
        let shared = |crd: &&&CrdSurvey| shared_folders(&crd.location.file, &object.location.file);
        let most = crds.iter().map(|crd| shared(&crd)).max();
        for crd in crds.iter().filter(|crd| Some(shared(crd)) == most && !crd.served.contains(&version.version)) {
            let entry = self.objects.entry((&crd.location, version.version.clone()));
            let about = FindingObject::new(object.title.clone(), object.location.clone());
            entry.or_insert_with(|| (crd, Vec::new())).1.push(about);
        }
    }

    /// Reports the CRDs that are listed, or of which one of the objects `may_have` it. Of a file that is replaced as a whole, that is what is
    /// to be done: its pin is settled.
    pub(crate) fn findings(
        self,
        goal: &Goal<'_>,
        is_listed: &impl Fn(&str) -> bool,
        may_have: &impl Fn(&str) -> bool,
        pins: &mut [Pin],
    ) -> Vec<Finding> {
        let mut found = Vec::new();
        for ((place, version), (crd, mut objects)) in self.objects {
            // A run on some files reports what a run on all of them does, so that a baseline of that knows it.
            if !is_listed(&place.file) && !objects.iter().any(|object| may_have(&object.location.file)) {
                continue;
            }
            let target = goal.target_of(&crd.kind.group).map(ToString::to_string);
            let is_of = |pin: &Pin| pin.finding.location.file == place.file && Some(&pin.target) == target.as_ref();
            let mut replaced: Vec<&mut Pin> = pins.iter_mut().filter(|pin| is_of(pin)).collect();
            let (mark, what) = match &mut *replaced {
                [Pin { replacement: Some(Replacement { mark, release, .. }), .. }] => {
                    (format!("; the file has the {mark}"), format!("replace the file by the one of {release}"))
                }
                _ => {
                    let release = target.map_or_else(String::new, |target| format!(" of {target}"));
                    (String::new(), format!("put the CRDs{release} into the tree"))
                }
            };
            if !mark.is_empty() {
                replaced.into_iter().for_each(Pin::settle);
            }
            let served = if crd.served.is_empty() { "no version".to_owned() } else { crd.served.join(", ") };
            objects.sort();
            let named = match &*Vec::from_iter(objects.iter().map(|object| &object.location)) {
                [one] => format!(" ({one})"),
                all => places(all),
            };
            let message = format!("it serves {served}, but objects need {version}{mark}{named}");
            let about = FindingObject { others: objects, ..crd.object.clone() };
            let finding = Finding::new(place.clone(), Code::CrdNotServing, Severity::Unresolved, message);
            found.push(finding.about(Some(about)).help(format!("{what}, at the latest in the same commit")));
        }
        found
    }
}

/// How many places are written into a sentence about several objects, where not all are.
const PLACES: usize = 3;

/// Counts several objects, and names the places of the first ones.
fn places(all: &[&Location]) -> String {
    // One more place is no longer than to say that there is one.
    let named = if all.len() > PLACES + 1 { PLACES } else { all.len() };
    let places: Vec<String> = all[..named].iter().map(ToString::to_string).collect();
    match (all.len(), &*places) {
        (0 | 1, _) | (_, []) => String::new(),
        (count, [places @ .., last]) if count == named => {
            format!(" ({count} objects: {} and {last})", places.join(", "))
        }
        (count, places) => format!(" ({count} objects: {} and {} more)", places.join(", "), count - named),
    }
}

/// Counts the folders above both files, and the file where it is one.
fn shared_folders(left: &str, right: &str) -> usize {
    left.split('/').zip(right.split('/')).take_while(|(left, right)| left == right).count()
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
            places(&locations.iter().collect::<Vec<_>>())
        };
        assert_eq!(of(1), "");
        assert_eq!(of(2), " (2 objects: a.yaml:1:1 and a.yaml:2:1)");
        assert_eq!(of(4), " (4 objects: a.yaml:1:1, a.yaml:2:1, a.yaml:3:1 and a.yaml:4:1)");
        assert_eq!(of(86), " (86 objects: a.yaml:1:1, a.yaml:2:1, a.yaml:3:1 and 83 more)");
    }
}
