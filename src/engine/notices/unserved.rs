//! Which CRDs of the run do not serve what its objects have, or get?
//!
//! Of several CRDs of one kind, the nearest to an object count: those that share most of its folders.
//!
//! Invariant: nothing here changes anything.

use std::collections::BTreeMap;

use crate::engine::convert::{Goal, ObjectPlan, Outcome};
use crate::engine::finding::{Code, Finding, Location, Severity};
use crate::engine::links::CrdSurvey;
use crate::engine::notices::pins::{Pin, Replacement};
use crate::knowledge::release::GroupKind;

/// The CRDs of a run, and the objects that they do not serve.
pub(crate) struct Unserved<'s> {
    /// Those that define kinds of a target's pack.
    by_kind: BTreeMap<&'s GroupKind, Vec<&'s CrdSurvey>>,
    /// The places of the objects, by the place of the CRD and their version.
    objects: BTreeMap<(&'s Location, String), (&'s CrdSurvey, Vec<Location>)>,
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
            entry.or_insert_with(|| (crd, Vec::new())).1.push(object.location.clone());
        }
    }

    /// Reports the CRDs of each file once for each target, at the first of them, if it is listed or one of the objects `may_have` it. Of
    /// a file that is replaced as a whole, that is what is to be done: its pin is settled.
    pub(crate) fn findings(
        self,
        goal: &Goal<'_>,
        is_listed: &impl Fn(&str) -> bool,
        may_have: &impl Fn(&str) -> bool,
        pins: &mut [Pin],
    ) -> Vec<Finding> {
        let mut by_file: BTreeMap<(&str, Option<String>), Vec<UnservedCrd<'_>>> = BTreeMap::new();
        for ((place, version), (crd, objects)) in self.objects {
            let target = goal.target_of(&crd.kind.group).map(ToString::to_string);
            by_file.entry((&place.file, target)).or_default().push(UnservedCrd { crd, version, objects });
        }
        let mut found = Vec::new();
        for ((file, target), crds) in by_file {
            let mut objects: Vec<&Location> = crds.iter().flat_map(|one| &one.objects).collect();
            objects.sort();
            let (Some(place), Some(first)) = (crds.first().map(|one| &one.crd.location), objects.first()) else {
                continue;
            };
            // A run on some files reports what a run on all of them does, so that a baseline of that knows it.
            if !is_listed(&place.file) && !objects.iter().any(|at| may_have(&at.file)) {
                continue;
            }
            let (words, details) = words(&crds);
            let is_of = |pin: &Pin| pin.finding.location.file == file && Some(&pin.target) == target.as_ref();
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
            let message = format!("{words}; the first is {first}{mark}");
            let help = format!("{what}, at the latest in the same commit{details}");
            found.push(Finding::new(place.clone(), Code::CrdNotServing, Severity::Unresolved, message).help(help));
        }
        found
    }
}

/// A CRD, and the objects with a version that it does not serve.
struct UnservedCrd<'s> {
    crd: &'s CrdSurvey,
    version: String,
    objects: Vec<Location>,
}

/// How many kinds are named of those that serve and need the same.
const NAMED: usize = 3;

/// Says what CRDs serve, and what objects need. Where that is not the same for all kinds, it is what stands behind the help.
fn words(crds: &[UnservedCrd<'_>]) -> (String, String) {
    let mut alike: BTreeMap<(&[String], &str), Vec<&UnservedCrd<'_>>> = BTreeMap::new();
    for one in crds {
        alike.entry((&one.crd.served, &one.version)).or_default().push(one);
    }
    let sentences: Vec<String> = alike.values().map(|alike| sentence(alike)).collect();
    if let [one] = &*sentences {
        return (one.clone(), String::new());
    }
    let mut kinds: Vec<&GroupKind> = crds.iter().map(|one| &one.crd.kind).collect();
    kinds.sort();
    kinds.dedup();
    let objects: usize = crds.iter().map(|one| one.objects.len()).sum();
    let subject = match kinds.len() {
        1 => format!("the CRD of {} does", kinds[0]),
        count => format!("the CRDs of {} and {} more do", kinds[0], count - 1),
    };
    let message = format!("{subject} not serve what {objects} objects need");
    (message, format!(":\n{}", sentences.join("\n")))
}

/// Says it of CRDs that serve and need the same.
fn sentence(alike: &[&UnservedCrd<'_>]) -> String {
    let UnservedCrd { crd: CrdSurvey { served, .. }, version, .. } = alike[0];
    let mut kinds: Vec<&GroupKind> = alike.iter().map(|one| &one.crd.kind).collect();
    kinds.dedup();
    let named: Vec<String> = kinds.iter().take(NAMED).map(ToString::to_string).collect();
    let named = named.join(", ");
    let more = match kinds.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (the_crds, serve) = if kinds.len() == 1 { ("the CRD", "serves") } else { ("the CRDs", "serve") };
    let (objects, need) = match alike.iter().map(|one| one.objects.len()).sum::<usize>() {
        1 => ("an object".to_owned(), "needs"),
        count => (format!("{count} objects"), "need"),
    };
    let served = if served.is_empty() { "no version".to_owned() } else { served.join(", ") };
    format!("{the_crds} of {named}{more} {serve} {served}, but {objects} {need} {version}")
}

/// Counts the folders above both files, and the file where it is one.
fn shared_folders(left: &str, right: &str) -> usize {
    left.split('/').zip(right.split('/')).take_while(|(left, right)| left == right).count()
}
