//! Answers: which release is installed, according to the charts, images and marks in a tree?
//!
//! A chart's version is written where the chart is installed or depended on, a tag on the images that run and in the values
//! that select them; manifests that install a project have marks of their release. [`Installations`] finds them for the names in packs.
//!
//! Invariant: a version that is not exactly a release of the pack, such as a range, is reported but does not count.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use super::marks::{Mark, marks_in};
use crate::engine::finding::Location;
use crate::engine::manifest::{Manifest, Object, TextSearch};
use crate::knowledge::carrier::Carried;
use crate::knowledge::pack::{Pack, Packs};
use crate::knowledge::release::ReleaseId;
use crate::syntax::field::FieldPath;
use crate::syntax::yaml::read_value;

/// One place that names the installed release.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Evidence {
    /// The place.
    pub location: Location,
    /// Its text: `chart nginx-gateway-fabric 2.3.0`.
    pub text: String,
    /// The version in it: `2.3.0`.
    pub version: String,
    /// The releases of that bundle; none where it is not exactly one.
    pub releases: BTreeSet<ReleaseId>,
    /// Whether it is a mark of manifests of that release, which are replaced as a whole.
    pub is_of_manifests: bool,
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

/// The packs whose release is looked for, and the texts without which a file names none. Searches are made when they are first used.
#[derive(Debug)]
pub struct Installations<'p> {
    all: &'p Packs,
    sought: Vec<Sought<'p>>,
    any: OnceLock<TextSearch>,
}

/// A pack whose release is looked for.
#[derive(Debug)]
struct Sought<'p> {
    pack: &'p Pack,
    texts: OnceLock<TextSearch>,
}

impl<'p> Sought<'p> {
    /// Returns the texts without which a file does not name the release.
    fn texts(&self) -> impl Iterator<Item = &'p str> {
        self.pack.marks().texts().chain(names(self.pack))
    }

    fn is_in(&self, text: &str) -> bool {
        self.texts.get_or_init(|| TextSearch::new(self.texts())).is_in(text.as_bytes())
    }
}

impl<'p> Installations<'p> {
    /// Looks for releases of those of the packs `all` for which `is_sought` holds.
    pub fn new(all: &'p Packs, is_sought: impl Fn(&Pack) -> bool) -> Self {
        let sought = all.iter().filter(|pack| is_sought(pack)).map(|pack| Sought { pack, texts: OnceLock::new() });
        Self { all, sought: sought.collect(), any: OnceLock::new() }
    }

    /// Collects the releases that a file names, in its order.
    pub fn evidence_in(&self, manifest: &Manifest) -> Vec<(&'p Pack, Evidence)> {
        let any = self.any.get_or_init(|| TextSearch::new(self.sought.iter().flat_map(Sought::texts)));
        if !any.is_in(manifest.text.as_bytes()) {
            return Vec::new();
        }
        let packs = self.sought.iter().filter(|sought| sought.is_in(&manifest.text)).map(|sought| sought.pack);
        evidence_in(manifest, self.all, &packs.collect::<Vec<_>>())
    }
}

fn evidence_in<'p>(manifest: &Manifest, all: &'p Packs, sought: &[&'p Pack]) -> Vec<(&'p Pack, Evidence)> {
    let mut found = Vec::new();
    for pack in sought {
        for Mark { location, text, version, is_of_manifests } in marks_in(manifest, pack.marks()) {
            let releases = pack.releases_for_version(&version).iter().collect();
            found.push((*pack, Evidence { location, text, version, releases, is_of_manifests }));
        }
    }
    let is_mentioned = |pack: &&&Pack| names(pack).any(|name| manifest.text.contains(name));
    let packs: Vec<&Pack> = sought.iter().filter(is_mentioned).copied().collect();
    if packs.is_empty() {
        return found;
    }
    for (number, document) in manifest.tree.documents().iter().enumerate() {
        // What cannot be read as data is reported elsewhere.
        let Ok(value) = read_value(&manifest.tree, &manifest.text, document.root) else { continue };
        let carried = all.carriers().in_document(&manifest.file, &value);
        for pack in &packs {
            let mut add = |location: Location, text: String, version: String| {
                let releases = pack.releases_for_version(&version).iter().collect();
                found.push((*pack, Evidence { location, text, version, releases, is_of_manifests: false }));
            };
            let of_manifests = mentions(&carried, &pack.marks().manifests, "manifests").into_iter();
            for Mention { path, text, version } in
                mentions(&carried, pack.artifacts(), "chart").into_iter().chain(of_manifests)
            {
                add(manifest.place_in(number, &path), text, version);
            }
            let is_here = |object: &&Object| match object.inline_patch {
                Some(text) => manifest.inline_patches[text].document == number,
                None => object.document == number,
            };
            for object in manifest.objects.iter().filter(is_here) {
                for Mention { path, text, version } in mentions_in_values(object, pack) {
                    add(manifest.locate(object, &path), text, version);
                }
            }
        }
    }
    found
}

/// Returns the names of what a pack's project is installed as, without which no version of it is in a file.
fn names(pack: &Pack) -> impl Iterator<Item = &str> {
    let names = pack.artifacts().iter().chain(pack.charts().iter().map(|chart| &chart.key));
    names.chain(&pack.marks().manifests).map(String::as_str)
}

/// Returns the one of `names` that is at the end of `text`, a name or a path; the longest one.
fn named<'n>(text: &str, names: &'n [String]) -> Option<&'n String> {
    let is_at_end =
        |name: &&String| text.strip_suffix(name.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
    names.iter().filter(is_at_end).max_by_key(|name| name.len())
}

/// Returns every place where something that is carried, and called one of `names`, has a version; what is carried as a
/// chart is called `chart_word`.
fn mentions(carried: &[Carried<'_>], names: &[String], chart_word: &str) -> Vec<Mention> {
    let mut found: Vec<Mention> = Vec::new();
    let mut add = |mention: Mention| {
        if found.iter().all(|other| other.path != mention.path) {
            found.push(mention);
        }
    };
    for Carried { carrier, place, around, .. } in carried {
        let text = |field: &FieldPath| field.text(around).filter(|text| !text.is_empty());
        let named_in = |fields: &[FieldPath]| fields.iter().find_map(|field| named(text(field)?, names));
        let chart = &carrier.chart;
        if let Some(name) = named_in(&chart.name).or_else(|| named_in(&chart.repository)) {
            for (field, version) in chart.version.iter().filter_map(|field| Some((field, text(field)?))) {
                let (path, text) = (place.join(field), format!("{chart_word} {name} {version}"));
                add(Mention { path, text, version: version.to_owned() });
            }
        }
        if let Some(image) = &carrier.image
            && let Some((name, version)) = named_in(&image.name).zip(text(&image.tag))
        {
            let (path, text) = (place.join(&image.tag), format!("image {name}:{version}"));
            add(Mention { path, text, version: version.to_owned() });
        }
        for path in carrier.images.iter().flat_map(|images| images.matches(around)) {
            // Argo CD writes `name=other:tag` for another image in place of one.
            let image = path.text(around).map(|text| text.rsplit('=').next().unwrap_or(text));
            if let Some((name, version)) =
                image.and_then(tagged).and_then(|(name, tag)| Some((named(name, names)?, tag)))
            {
                let text = format!("image {name}:{version}");
                add(Mention { path: place.join(&path), text, version: version.to_owned() });
            }
        }
    }
    found
}

/// Takes the reference of an image apart: the name with its registry, and the tag. A digest names no release.
fn tagged(image: &str) -> Option<(&str, &str)> {
    let image = image.split_once('@').map_or(image, |(image, _)| image);
    image.rsplit_once(':').filter(|(_, tag)| !tag.contains('/'))
}

/// Returns the tags of images in values of the pack's charts in an object; the paths are those of the object.
fn mentions_in_values(object: &Object, pack: &Pack) -> Vec<Mention> {
    let mut found = Vec::new();
    for values in pack.values_in(&object.kind, &object.value) {
        for image in pack.charts().iter().flat_map(|chart| &chart.images) {
            let Some(tag) = image.as_path().map(|image| values.join(&image).key("tag")) else { continue };
            if let Some(version) = tag.text(&object.value).filter(|text| !text.is_empty()) {
                let text = format!("value {image}.tag {version}");
                found.push(Mention { path: tag, text, version: version.to_owned() });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::knowledge::carrier::{CarrierFile, Carriers};

    #[track_caller]
    fn check(carrier: Value, document: Value, expected: &[&str]) {
        let file: CarrierFile = serde_json::from_value(json!({ "carriers": [carrier] })).unwrap();
        let carriers = Carriers::new([&file]);
        let carried = carriers.in_document("a.yaml", &document);
        let mentions = mentions(&carried, &["ngf".to_owned(), "ngf/nginx-plus".to_owned()], "chart");
        let mentions: Vec<_> =
            mentions.iter().map(|mentions| format!("{}: {}", mentions.path, mentions.text)).collect();
        assert_eq!(mentions, expected);
    }

    #[test]
    fn charts_are_found_where_they_are_installed() {
        let chart = json!({"name": "chart", "repository": "url", "alias": "path", "version": ["version", "ref.tag"]});
        let stores = json!({"each": "stores[]", "chart": chart});
        let check = |store: Value, expected: &[&str]| check(stores.clone(), json!({ "stores": [store] }), expected);
        check(json!({"chart": "ngf", "version": "2.3.0"}), &["stores[0].version: chart ngf 2.3.0"]);
        let by_url = json!({"url": "oci://charts.example.com/a/ngf", "ref": {"tag": "v2.3.0"}});
        check(by_url, &["stores[0].ref.tag: chart ngf v2.3.0"]);
        check(json!({"chart": "other", "version": "2.3.0"}), &[]);
        check(json!({"chart": "ngf", "version": 2}), &[]);
        // The version of what is at a path is not that of the chart of this name.
        check(json!({"path": "a/ngf", "version": "2.3.0"}), &[]);
    }

    #[test]
    fn images_are_found_in_workloads() {
        let containers = json!({"images": "containers[].image"});
        let check_image = |image: &str, expected: &[&str]| {
            check(containers.clone(), json!({"containers": [{ "image": image }]}), expected);
        };
        let tag = ["containers[0].image: image ngf:2.3.0"];
        check_image("images.example.com:5000/a/ngf:2.3.0", &tag);
        check_image("b/ngf=images.example.com/a/ngf:2.3.0", &tag);
        check_image("other=ngf:2.3.0", &tag);
        check_image("images.example.com/a/ngf-plus:2.3.0", &[]);
        let plus = "images.example.com/ngf/nginx-plus:2.3.0-ubi@sha256:00";
        check_image(plus, &["containers[0].image: image ngf/nginx-plus:2.3.0-ubi"]);
        check_image("images.example.com:5000/a/ngf", &[]);
        check_image("a/ngf@sha256:00", &[]);
        check_image("ngf", &[]);
        let images = json!({"each": "images[]", "image": {"name": ["newName", "name"], "tag": "newTag"}});
        let image = |name: &str, new: &str| json!({"images": [{"name": name, "newName": new, "newTag": "2.3.0"}]});
        check(images.clone(), image("a/other", "mirror/ngf"), &["images[0].newTag: image ngf:2.3.0"]);
        check(images, image("a/ngf", "mirror/other"), &["images[0].newTag: image ngf:2.3.0"]);
    }
}
