//! Answers: which release is installed, according to the charts and images in a tree?
//!
//! A chart's version is written where the chart is installed or depended on, a tag on the images that run and in the values
//! that select them. [`evidence_in`] finds them for the names in a pack; [`origin`] returns the release that all of them agree
//! on. [`object_releases_in`] returns the releases of the objects, to compare.
//!
//! Invariant: a version that is not exactly a release of the pack, such as a range, is reported but does not count.

use std::collections::BTreeSet;

use serde_json::Value;

use super::inference::infer;
use crate::field::{FieldPath, FieldPattern};
use crate::finding::Location;
use crate::manifest::{Manifest, Object};
use crate::pack::{Pack, Packs};
use crate::release::{ReleaseId, ReleaseSet};
use crate::yaml::{locate, read_value};

/// Where charts and images are named with their version: (what it is, the mapping around both, the name, the version).
///
/// Source: Flux HelmRelease, HelmChart and OCIRepository, Argo CD Application and ApplicationSet, Kustomize `helmCharts`,
/// `images` and HelmChartInflationGenerator, the HelmChart of K3s, Helm Chart.yaml.
const VERSIONS: &[(&str, &str, &str, &str)] = &[
    ("chart", "spec.chart.spec", "chart", "version"),
    ("chart", "spec", "url", "ref.tag"),
    ("chart", "spec", "url", "ref.semver"),
    ("chart", "spec", "chart", "version"),
    ("chart", "spec.source", "chart", "targetRevision"),
    ("chart", "spec.source", "repoURL", "targetRevision"),
    ("chart", "spec.sources[]", "chart", "targetRevision"),
    ("chart", "spec.sources[]", "repoURL", "targetRevision"),
    ("chart", "spec.template.spec.source", "chart", "targetRevision"),
    ("chart", "spec.template.spec.source", "repoURL", "targetRevision"),
    ("chart", "spec.template.spec.sources[]", "chart", "targetRevision"),
    ("chart", "spec.template.spec.sources[]", "repoURL", "targetRevision"),
    ("chart", "helmCharts[]", "name", "version"),
    ("chart", "", "name", "version"),
    ("chart", "dependencies[]", "name", "version"),
    ("image", "images[]", "newName", "newTag"),
    ("image", "images[]", "name", "newTag"),
];

/// Where images are: in pods, alone and in workloads.
const IMAGES: &[&str] = &[
    "spec.template.spec.containers[].image",
    "spec.template.spec.initContainers[].image",
    "spec.jobTemplate.spec.template.spec.containers[].image",
    "spec.containers[].image",
];

/// One place that names the installed release.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Evidence {
    /// The place.
    pub location: Location,
    /// Its text: `chart nginx-gateway-fabric 2.3.0`.
    pub text: String,
    /// The releases of that bundle; none where it is not exactly one.
    pub releases: BTreeSet<ReleaseId>,
}

impl Evidence {
    /// Returns whether it counts.
    pub fn is_exact(&self) -> bool {
        !self.releases.is_empty()
    }
}

/// A place in a document with a version.
struct Mention {
    path: FieldPath,
    /// Its text.
    text: String,
    version: String,
}

/// Collects the releases of packs that a file names, in its order.
pub fn evidence_in<'p>(manifest: &Manifest, packs: &'p Packs) -> Vec<(&'p Pack, Evidence)> {
    let mut found = Vec::new();
    let packs: Vec<&Pack> = packs.iter().filter(|pack| is_mentioned(pack, &manifest.text)).collect();
    if packs.is_empty() {
        return found;
    }
    for (number, document) in manifest.tree.documents().iter().enumerate() {
        // What cannot be read as data is reported elsewhere.
        let Ok(value) = read_value(&manifest.tree, &manifest.text, document.root) else { continue };
        for pack in &packs {
            let objects = manifest.objects.iter().filter(|object| object.document == number);
            let mut all = mentions(&value, pack.artifacts());
            all.extend(objects.flat_map(|object| mentions_in_values(object, pack)));
            for Mention { path, text, version } in all {
                let releases = pack.releases_for_version(&version).iter().collect();
                let start = locate(&manifest.tree, &manifest.text, document.root, &path).start;
                let location = manifest.location(start);
                found.push((*pack, Evidence { location, text, releases }));
            }
        }
    }
    found
}

/// Which releases an object of a pack can be for.
#[derive(Clone, Debug)]
pub struct ObjectReleases<'p> {
    /// The pack.
    pub pack: &'p Pack,
    /// Where the object starts.
    pub location: Location,
    /// What findings call it.
    pub title: String,
    /// The releases that have its fields and serve its apiVersion, or else have its fields.
    pub releases: ReleaseSet,
}

/// Collects which releases the objects of a file can be for.
///
/// Only objects of packs for which `is_compared` holds are inferred.
pub fn object_releases_in<'p>(
    manifest: &Manifest,
    packs: &'p Packs,
    is_compared: impl Fn(&Pack) -> bool,
) -> Vec<ObjectReleases<'p>> {
    let span = |object: &Object| {
        let pack = packs.of_group(&object.kind.group).filter(|pack| is_compared(pack))?;
        let found = infer(&object.value, pack.catalog(&object.kind)?, &object.api_version.version);
        let served = found.candidates & found.serving;
        let releases = if served.is_empty() { found.candidates } else { served };
        let location = manifest.locate(object, &FieldPath::default());
        (!releases.is_empty()).then(|| ObjectReleases { pack, location, title: object.title(), releases })
    };
    manifest.objects.iter().filter_map(span).collect()
}

/// Returns whether something of the pack can be in `text`.
fn is_mentioned(pack: &Pack, text: &str) -> bool {
    let names = pack.artifacts().iter().chain(pack.charts().iter().map(|chart| &chart.key));
    names.into_iter().any(|name| text.contains(name.as_str()))
}

/// Returns the releases that every piece of exact evidence names; none where there is none, or where two disagree.
pub fn origin(evidence: &[&Evidence]) -> ReleaseSet {
    let mut exact = evidence.iter().filter(|one| one.is_exact());
    let Some(first) = exact.next() else { return ReleaseSet::default() };
    let agree = exact.all(|other| other.releases == first.releases);
    if agree { first.releases.iter().copied().collect() } else { ReleaseSet::default() }
}

/// Returns the one of `names` that is at the end of `text`, a name or a path; the longest one.
fn named<'n>(text: &str, names: &'n [String]) -> Option<&'n String> {
    let is_at_end =
        |name: &&String| text.strip_suffix(name.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
    names.iter().filter(is_at_end).max_by_key(|name| name.len())
}

/// Returns every place in a document where something called one of `names` has a version.
fn mentions(document: &Value, names: &[String]) -> Vec<Mention> {
    let mut found: Vec<Mention> = Vec::new();
    for (what, around, name, version) in VERSIONS {
        for place in pattern(around).matches(document) {
            let text = |field: &str| {
                let path = pattern(field).as_path()?;
                path.get(place.get(document)?)?.as_str().map(str::to_owned)
            };
            if let (Some(name), Some(version_text)) =
                (text(name).as_deref().and_then(|text| named(text, names)), text(version))
            {
                let path = pattern(version).as_path().map_or_else(|| place.clone(), |version| place.join(&version));
                let between = if *what == "image" { ":" } else { " " };
                let text = format!("{what} {name}{between}{version_text}");
                if found.iter().all(|mentions| mentions.path != path) {
                    found.push(Mention { path, text, version: version_text });
                }
            }
        }
    }
    let images = IMAGES.iter().flat_map(|field| pattern(field).matches(document));
    found.extend(images.filter_map(|path| {
        let (name, version) = tagged(path.get(document)?.as_str()?)?;
        let text = format!("image {}:{version}", named(name, names)?);
        Some(Mention { version: version.to_owned(), path, text })
    }));
    found
}

/// Takes the reference of an image apart: the name with its registry, and the tag. A digest names no release.
fn tagged(image: &str) -> Option<(&str, &str)> {
    let image = image.split_once('@').map_or(image, |(image, _)| image);
    image.rsplit_once(':').filter(|(_, tag)| !tag.contains('/'))
}

/// Returns the tags of images in values of the pack's charts in an object; the paths are those of its document.
fn mentions_in_values(object: &Object, pack: &Pack) -> Vec<Mention> {
    let mut found = Vec::new();
    for values in pack.values_in(&object.kind, &object.value) {
        for image in pack.charts().iter().flat_map(|chart| &chart.images) {
            let Some(tag) = image.as_path().map(|image| values.join(&image).key("tag")) else { continue };
            if let Some(version) = tag.get(&object.value).and_then(Value::as_str).filter(|text| !text.is_empty()) {
                let text = format!("value {image}.tag {version}");
                found.push(Mention { path: object.place.join(&tag), text, version: version.to_owned() });
            }
        }
    }
    found
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
        let mentions = mentions(&document, &["ngf".to_owned(), "ngf/nginx-plus".to_owned()]);
        let mentions: Vec<_> =
            mentions.iter().map(|mentions| format!("{}: {}", mentions.path, mentions.text)).collect();
        assert_eq!(mentions, expected);
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
        let plus = "images.example.com/ngf/nginx-plus:2.3.0-ubi@sha256:00";
        check(pods(plus), &["spec.template.spec.containers[0].image: image ngf/nginx-plus:2.3.0-ubi"]);
        check(pods("images.example.com:5000/a/ngf"), &[]);
        check(pods("a/ngf@sha256:00"), &[]);
        check(
            json!({"images": [{"name": "a/ngf", "newName": "mirror/ngf", "newTag": "2.3.0"}]}),
            &["images[0].newTag: image ngf:2.3.0"],
        );
        check(pods("ngf"), &[]);
    }
}
