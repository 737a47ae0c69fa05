//! What `detect` found, for every format.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::count::Counts;
use crate::engine::finding::{Finding, Location};
use crate::engine::infer::crds::Installed;
use crate::engine::infer::install_evidence::Evidence;
use crate::engine::infer::origin::ObjectReleases;
use crate::engine::infer::{Age, Inference, infer, kind_evidence};
use crate::engine::manifest::{Manifest, Object};
use crate::engine::plan::{ObjectPlan, inference_findings};
use crate::knowledge::pack::{Pack, Packs, Target};
use crate::knowledge::release::{ApiVersion, GroupKind, ReleaseSet};
use crate::syntax::field::FieldPath;

/// What `detect` found about one object.
#[derive(Debug)]
pub struct Detected<'a> {
    /// What findings call it.
    pub title: String,
    /// Its kind and apiVersion.
    pub kind: (GroupKind, ApiVersion),
    /// The pack that knows it.
    pub pack: &'a Pack,
    /// The releases that its fields allow.
    pub inference: Inference,
    /// Where it starts.
    pub location: Location,
    /// The place of each piece of evidence.
    pub evidence: Vec<Location>,
}

impl Detected<'_> {
    /// Returns the releases that have its fields and serve its apiVersion, or else have its fields.
    pub fn fitting(&self) -> ReleaseSet {
        self.inference.candidates.within(self.inference.serving)
    }

    /// Describes the releases that the object can be for.
    pub fn releases(&self) -> String {
        if self.inference.is_conflict() {
            "no release has all its fields".to_owned()
        } else {
            self.pack.line().describe(self.fitting())
        }
    }
}

/// What a run of `detect` found.
#[derive(Debug, Default)]
pub struct Detection<'a> {
    /// The recognized objects, in the order of files and text.
    pub objects: Vec<Detected<'a>>,
    /// Which releases objects can be for: those of all files that were read, whether or not they are listed.
    pub spans: Vec<ObjectReleases<'a>>,
    /// The places of values of a pack's chart, by the pack's name: what findings call the object, the place, the field.
    pub values: Vec<(&'a str, String, Location, String)>,
    /// The releases that charts and images in the tree name, sorted by the pack's name and place.
    pub evidence: Vec<(&'a str, Evidence)>,
    /// The CRDs in the tree that name their release, by pack.
    pub crds: Vec<Installed<'a>>,
    /// What the tree uses of each API, sorted by the pack's name.
    pub apis: Vec<Api<'a>>,
    /// What brings the tree up to date; nothing where it is.
    pub update: Option<Update>,
    /// Every finding, sorted by place.
    pub findings: Vec<Finding>,
    /// How many files and objects were seen.
    pub counts: Counts,
    /// Which part of the tree it is about, as `1/4`; the whole tree where there is none.
    pub shard: Option<String>,
}

impl<'a> Detection<'a> {
    /// Adds what is known about `object` of `manifest`: the releases that it can be for, values of a chart in it, and findings. One
    /// that no pack knows adds nothing.
    pub fn add(&mut self, manifest: &Manifest, object: &Object, packs: &'a Packs) {
        let before = self.values.len();
        // An object of the pack's own kinds is reported as an object, not as one with values.
        for pack in packs.iter().filter(|pack| pack.is_foreign(&object.kind)) {
            for field in pack.values_in(&object.kind, &object.value) {
                self.values.push((pack.name(), object.title(), manifest.locate(object, &field), field.to_string()));
            }
        }
        self.counts.recognized += usize::from(self.values.len() > before);
        let Some(pack) = packs.of_group(&object.kind.group) else { return };
        let (findings, inference) = inference_findings(manifest, object, pack);
        self.findings.extend(findings);
        let Some(inference) = inference else { return };
        let kind = (object.kind.clone(), object.api_version.clone());
        let location = manifest.locate(object, &FieldPath::default());
        let place = |path: &FieldPath| manifest.locate(object, path);
        self.add_inferred(
            Detected { title: object.title(), kind, pack, inference, location, evidence: Vec::new() },
            place,
        );
    }

    /// Adds what was found in another file, behind what was found in those before it.
    pub fn extend(&mut self, file: Self) {
        self.objects.extend(file.objects);
        self.extend_spans(file.spans);
        self.values.extend(file.values);
        self.findings.extend(file.findings);
        self.counts.recognized += file.counts.recognized;
    }

    /// Adds which releases the objects of another file can be for.
    pub fn extend_spans(&mut self, spans: Vec<ObjectReleases<'a>>) {
        spans.into_iter().for_each(|span| span.add_to(&mut self.spans));
    }

    /// Adds what is known about an object that a template of a chart prints: all of it stands where the object starts.
    pub(crate) fn add_printed(&mut self, object: &ObjectPlan, packs: &'a Packs) {
        self.counts.recognized += usize::from(object.is_recognized);
        let (kind, version) = &object.from;
        let Some((pack, sides)) = packs.of_group(&kind.group).zip(object.data.as_ref()) else { return };
        let Some(catalog) = pack.catalog(kind) else { return };
        let inference = infer(&sides.before, catalog, &version.version);
        let (title, kind, location) = (object.title.clone(), object.from.clone(), object.location.clone());
        let place = |_: &FieldPath| object.location.clone();
        self.add_inferred(Detected { title, kind, pack, inference, location, evidence: Vec::new() }, place);
    }

    /// Adds an object whose fields `place` locates.
    fn add_inferred(&mut self, mut detected: Detected<'a>, place: impl Fn(&FieldPath) -> Location) {
        let Detected { title, kind, pack, inference, location, evidence } = &mut detected;
        if let Some(catalog) = pack.catalog(&kind.0).filter(|_| !inference.is_conflict()) {
            inference.evidence.splice(0..0, kind_evidence(catalog, pack.line()));
        }
        ObjectReleases::add(&mut self.spans, pack, inference, || title.to_owned(), || location.clone());
        *evidence = inference.evidence.iter().map(|fact| place(&fact.path)).collect();
        self.objects.push(detected);
    }
}

/// What a tree uses of one API.
#[derive(Debug)]
pub struct Api<'a> {
    /// Its newest release, in the channel that the objects are for: what is old is old there.
    pub newest: Target<'a>,
    /// How many objects it has.
    pub objects: usize,
    /// How many places hold values of its chart.
    pub values: usize,
    /// The releases that all objects of the tree fit by their fields; nothing where no object has such releases.
    pub(crate) by_fields: Option<ReleaseSet>,
    /// The releases that they fit by their fields and apiVersions, but for those that are apart.
    pub(crate) with_versions: Option<ReleaseSet>,
    /// How many objects do not fit what the others agree on.
    pub(crate) exceptions: usize,
    /// Two objects that no release fits, with the releases of each.
    pub apart: Option<[(String, Location, ReleaseSet); 2]>,
    /// The kinds with their apiVersions, the oldest first.
    pub kinds: Vec<KindInUse>,
    /// How many objects of other APIs its rules change.
    pub(crate) foreign: usize,
    /// The rules that change objects, each with how many.
    pub rules: BTreeMap<String, usize>,
}

impl Api<'_> {
    /// Returns how many objects have an apiVersion that the newest release calls deprecated or does not serve.
    pub fn outdated(&self) -> usize {
        let old = self.kinds.iter().filter(|kind| kind.age != Age::Current);
        old.map(|kind| kind.objects).sum()
    }

    /// Returns how many of the other objects change, or would if they were not held back.
    pub(crate) fn to_convert(&self) -> usize {
        let others = self.kinds.iter().filter(|kind| kind.age == Age::Current);
        others.map(|kind| kind.changed + kind.held_back).sum()
    }

    /// Returns whether nothing is to be done.
    pub(crate) fn is_current(&self) -> bool {
        self.outdated() + self.to_convert() + self.foreign == 0
    }
}

/// The objects of one kind that have the same apiVersion.
#[derive(Debug)]
pub struct KindInUse {
    /// How old the apiVersion is in the newest release.
    pub age: Age,
    /// The kind.
    pub kind: GroupKind,
    /// The apiVersion.
    pub api_version: ApiVersion,
    /// How many objects there are.
    pub objects: usize,
    /// How many of them change on the way to the newest release.
    pub changed: usize,
    /// How many of them are held back.
    pub held_back: usize,
    /// The kinds and apiVersions that those that change get there.
    pub becomes: BTreeSet<(GroupKind, ApiVersion)>,
}

/// A conversion of the tree to the newest releases.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Update {
    /// The releases, as `gateway-api@1.6.1/standard`.
    pub targets: Vec<String>,
    /// The commands that show it, each as its arguments: one, and another one for objects of CRDs in the tree.
    pub commands: Vec<Vec<String>>,
    /// What the first command does; nothing where it is for objects of CRDs, of which the command itself tells.
    #[serde(flatten)]
    pub figures: Option<UpdateFigures>,
}

/// What a conversion does.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UpdateFigures {
    /// How many objects change.
    pub changed: usize,
    /// In how many files.
    pub files: usize,
    /// How many objects are held back.
    pub held_back: usize,
}
