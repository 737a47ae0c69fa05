//! Which releases the objects of the text can be for, as `detect --verbose` prints it.

use reversion::internals::finding::Severity;
use reversion::internals::infer::crds::{Installed, crds_in, installed};
use reversion::internals::infer::install_evidence::Installations;
use reversion::internals::manifest::Manifest;
use reversion::internals::report::{Counts, Detected, Detection, visible};

use crate::answer::{Evidence, Object, Place};
use crate::packs::PACKS;

/// Collects what the objects of a manifest show.
pub(crate) fn detection(manifest: Option<&Manifest>) -> Detection<'_> {
    let manifests = || manifest.into_iter();
    let installations = Installations::new(&PACKS, |_| true);
    let evidence = manifests().flat_map(|manifest| installations.evidence_in(manifest));
    let mut detection = Detection {
        objects: Vec::new(),
        spans: Vec::new(),
        values: Vec::new(),
        evidence: evidence.map(|(pack, one)| (pack.name(), one)).collect(),
        crds: installed(manifests().flat_map(|manifest| crds_in(manifest, &PACKS))),
        apis: Vec::new(),
        update: None,
        findings: Vec::new(),
        counts: Counts::default(),
        shard: None,
    };
    for manifest in manifests() {
        manifest.objects.iter().for_each(|object| detection.add(manifest, object, &PACKS));
    }
    detection.findings.extend(detection.crds.iter().filter_map(Installed::finding));
    for finding in detection.findings.iter_mut().filter(|finding| finding.severity == Severity::Unresolved) {
        // Without a target nothing is to be converted.
        finding.severity = Severity::Warning;
    }
    detection.findings.sort();
    detection
}

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
