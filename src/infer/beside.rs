//! Answers: which release does a tree say is installed, beside the objects of a pack?
//!
//! A chart's version stands where the chart is installed or depended on, a tag stands on the images that run. [`evidence_in`]
//! finds both for the names that a pack gives; [`origin`] says which release all of them agree on.
//!
//! Invariant: a version that is no release of the pack, such as a range, says nothing.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::field::{FieldPath, FieldPattern};
use crate::finding::Location;
use crate::manifest::Manifest;
use crate::pack::{Pack, Packs};
use crate::release::{ReleaseId, ReleaseSet};

/// Where charts are named with their version: (the mapping around both, the name, the version).
///
/// Source: Flux HelmRelease and OCIRepository, Argo CD Application, Kustomize `helmCharts`, Helm Chart.yaml.
const CHARTS: &[(&str, &str, &str)] = &[
    ("spec.chart.spec", "chart", "version"),
    ("spec", "url", "ref.tag"),
    ("spec.source", "chart", "targetRevision"),
    ("spec.sources[]", "chart", "targetRevision"),
    ("helmCharts[]", "name", "version"),
    ("dependencies[]", "name", "version"),
];

/// Where images stand: in the pods of a workload.
const IMAGES: &str = "spec.template.spec.containers[].image";

/// One place that says which release is installed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Evidence {
    /// The place.
    pub location: Location,
    /// What stands there: `chart nginx-gateway-fabric 2.3.0`.
    pub says: String,
    /// The releases of that bundle.
    pub releases: BTreeSet<ReleaseId>,
}

/// Collects what a file says of the releases of packs, in its order.
pub fn evidence_in<'p>(manifest: &Manifest, packs: &'p Packs) -> Vec<(&'p Pack, Evidence)> {
    let mut found = Vec::new();
    let packs: Vec<&Pack> = packs.iter().filter(|pack| is_mentioned(pack, &manifest.text)).collect();
    for document in manifest.tree.documents().iter().filter(|_| !packs.is_empty()) {
        // What cannot be read as data is told where it matters.
        let Ok(value) = manifest.tree.value(&manifest.text, document.root) else { continue };
        for pack in &packs {
            for (path, says, bundle) in said(&value, pack.installed_as()) {
                let releases = releases(pack, &bundle);
                if !releases.is_empty() {
                    let start = manifest.tree.place(&manifest.text, document.root, &path).start;
                    found.push((*pack, Evidence { location: manifest.location(start), says, releases }));
                }
            }
        }
    }
    found
}

/// Says whether something of the pack can stand in `text`.
fn is_mentioned(pack: &Pack, text: &str) -> bool {
    pack.installed_as().iter().any(|name| text.contains(name.as_str()))
}

/// Returns the releases that every piece of evidence names; none where there is none, or where two disagree.
pub fn origin(evidence: &[&Evidence]) -> ReleaseSet {
    let Some(first) = evidence.first() else { return ReleaseSet::default() };
    let agree = evidence.iter().all(|other| other.releases == first.releases);
    if agree { first.releases.iter().copied().collect() } else { ReleaseSet::default() }
}

/// Returns every place in a document where something called one of `names` has a version: the place, what stands there, the
/// version.
fn said(document: &Value, names: &[String]) -> Vec<(FieldPath, String, String)> {
    let mut found = Vec::new();
    let is_named = |text: &str| names.iter().find(|name| text.rsplit('/').next() == Some(name.as_str()));
    for (around, name, version) in CHARTS {
        for place in pattern(around).matches(document) {
            let text = |field: &str| {
                let path = pattern(field).as_path()?;
                path.get(place.get(document)?)?.as_str().map(str::to_owned)
            };
            if let (Some(name), Some(bundle)) = (text(name).as_deref().and_then(is_named), text(version)) {
                let path = pattern(version).as_path().map_or_else(|| place.clone(), |version| place.join(&version));
                found.push((path, format!("chart {name} {bundle}"), bundle));
            }
        }
    }
    for path in pattern(IMAGES).matches(document) {
        let image = path.get(document).and_then(Value::as_str).and_then(|text| text.rsplit_once(':'));
        if let Some((name, tag)) = image
            && let Some(name) = is_named(name)
        {
            found.push((path, format!("image {name}:{tag}"), tag.to_owned()));
        }
    }
    found
}

fn releases(pack: &Pack, bundle: &str) -> BTreeSet<ReleaseId> {
    let bare = |text: &str| text.trim_start_matches('v').to_owned();
    let same = pack.line().iter().filter(|(_, release)| bare(&release.bundle) == bare(bundle));
    same.map(|(id, _)| id).collect()
}

fn pattern(text: &str) -> FieldPattern {
    FieldPattern::parse(text).expect("the places are written as patterns, and a test reads every one")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(document: Value, expected: &[&str]) {
        let said = said(&document, &["ngf".to_owned()]);
        let said: Vec<_> = said.iter().map(|(path, says, _)| format!("{path}: {says}")).collect();
        assert_eq!(said, expected);
    }

    #[test]
    fn charts_are_found_where_they_are_installed() {
        let release = json!({"spec": {"chart": {"spec": {"chart": "ngf", "version": "2.3.0"}}}});
        check(release, &["spec.chart.spec.version: chart ngf 2.3.0"]);
        let repository = json!({"spec": {"url": "oci://charts.example.com/a/ngf", "ref": {"tag": "2.3.0"}}});
        check(repository, &["spec.ref.tag: chart ngf 2.3.0"]);
        let sources = json!({"spec": {"sources": [{"chart": "other", "targetRevision": "1.0.0"}, {"chart": "ngf", "targetRevision": "v2.3.0"}]}});
        check(sources, &["spec.sources[1].targetRevision: chart ngf v2.3.0"]);
        check(
            json!({"dependencies": [{"name": "ngf", "version": "2.3.0"}]}),
            &["dependencies[0].version: chart ngf 2.3.0"],
        );
        check(json!({"helmCharts": [{"name": "ngf", "version": 2}]}), &[]);
    }

    #[test]
    fn images_are_found_in_workloads() {
        let pods = |image: &str| json!({"spec": {"template": {"spec": {"containers": [{"image": image}]}}}});
        check(
            pods("images.example.com:5000/a/ngf:2.3.0"),
            &["spec.template.spec.containers[0].image: image ngf:2.3.0"],
        );
        check(pods("images.example.com/a/ngf-plus:2.3.0"), &[]);
        check(pods("ngf"), &[]);
    }
}
