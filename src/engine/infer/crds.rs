//! Answers: which release of an API is installed, according to the CRDs in a tree?
//!
//! Projects write bundle and channel on their CRDs; a pack names the annotations, and the values that are known to be
//! misleading. All CRDs of one pack must agree: a bundle is installed whole.
//!
//! Invariant: CRDs that name several releases name none.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::engine::finding::{Code, Finding, Location, Severity};
use crate::engine::manifest::{Manifest, Object};
use crate::knowledge::catalog::Catalog;
use crate::knowledge::pack::crds::PlacedCrd;
use crate::knowledge::pack::crds::from_crds::CRD;
use crate::knowledge::pack::crds::own::OwnCrds;
use crate::knowledge::pack::{Pack, Packs, Target};
use crate::knowledge::release::{Channel, GroupKind, Named, ReleaseId, ReleaseSet};
use crate::syntax::field::FieldPath;

/// One CRD in the tree, and its release.
#[derive(Clone, Debug)]
pub struct Crd {
    /// The annotation with the bundle, or else the CRD.
    pub location: Location,
    /// The kind it defines.
    pub kind: GroupKind,
    /// The bundle, as written; nothing if the CRD does not have it.
    pub bundle: Option<String>,
    /// The channel, as written.
    pub channel: Option<String>,
    /// The releases that this stands for; none where the pack knows no such release.
    pub releases: ReleaseSet,
    /// Why it stands for other releases than it names.
    pub(crate) correction: Option<String>,
}

impl Crd {
    /// Prints bundle and channel: `v1.3.0 experimental`.
    fn name(&self) -> Option<String> {
        let bundle = self.bundle.as_ref()?;
        Some(self.channel.as_ref().map_or_else(|| bundle.clone(), |channel| format!("{bundle} {channel}")))
    }
}

/// The CRDs of one pack in a tree, at least one.
#[derive(Clone, Debug)]
pub struct Installed<'p> {
    /// The pack.
    pub pack: &'p Pack,
    /// The CRDs, in the order of files and text.
    pub crds: Vec<Crd>,
}

/// The release that the CRDs of a tree agree on.
#[derive(Clone, Copy, Debug)]
pub enum Verdict<'p> {
    /// This release; where the annotations fit several, the oldest.
    Release(Target<'p>),
    /// Several releases.
    Mixed,
    /// A release that the pack does not know.
    Unknown,
}

/// Finds the CRDs of known packs in a file, each with its pack.
pub fn crds_in<'p>(manifest: &Manifest, packs: &'p Packs) -> Vec<(&'p Pack, Crd)> {
    let of_pack = |pack: &'p Pack| {
        let crds = manifest.objects.iter().filter_map(move |object| read(manifest, object, pack));
        crds.map(move |crd| (pack, crd))
    };
    packs.iter().flat_map(of_pack).collect()
}

/// Puts the CRDs of all files, in their order, together: one entry for each pack that has any, sorted by the pack's name.
pub fn installed<'p>(crds: impl IntoIterator<Item = (&'p Pack, Crd)>) -> Vec<Installed<'p>> {
    let mut by_pack: BTreeMap<&str, Installed<'p>> = BTreeMap::new();
    for (pack, crd) in crds {
        by_pack.entry(pack.name()).or_insert_with(|| Installed { pack, crds: Vec::new() }).crds.push(crd);
    }
    by_pack.into_values().collect()
}

fn read(manifest: &Manifest, object: &Object, pack: &Pack) -> Option<Crd> {
    if (object.kind.group.as_str(), object.kind.kind.as_str()) != CRD {
        return None;
    }
    let keys = pack.annotations()?;
    let text = |path: &[&str]| {
        let value = path.iter().try_fold(object.value.as_ref(), |value, key| value.get(key));
        value.and_then(Value::as_str).map(str::to_owned)
    };
    let group = text(&["spec", "group"]).filter(|group| pack.groups().contains(group))?;
    let kind = GroupKind::new(text(&["spec", "names", "kind"])?, group);
    let bundle = text(&["metadata", "annotations", &keys.bundle]);
    let channel = keys.channel.as_ref().and_then(|key| text(&["metadata", "annotations", key]));
    let correction = bundle.as_ref().and_then(|bundle| pack.corrections().get(bundle));
    let bundles = correction.map_or_else(|| bundle.iter().cloned().collect(), |correction| correction.bundles.clone());
    let is_named = |name: &str, in_channel: &Channel| {
        bundles.iter().any(|bundle| bundle == name)
            && channel.as_deref().is_none_or(|channel| channel == in_channel.name())
    };
    let releases = pack.line().iter().filter(|(_, release)| {
        let same = pack.line().same_apis(release.order);
        std::iter::once(&release.bundle).chain(same).any(|name| is_named(name, &release.channel))
    });
    let place = FieldPath::default().key("metadata").key("annotations").key(&keys.bundle);
    Some(Crd {
        location: manifest.locate(object, &place),
        releases: with_same_fields(manifest, object, &kind, pack, releases.map(|(id, _)| id).collect()),
        kind,
        correction: correction.map(|correction| correction.reason.clone()),
        bundle,
        channel,
    })
}

/// Returns those of `releases` whose fields are those of the CRD, if it names several; all of them if none matches.
fn with_same_fields(
    manifest: &Manifest,
    object: &Object,
    kind: &GroupKind,
    pack: &Pack,
    releases: ReleaseSet,
) -> ReleaseSet {
    if releases.iter().count() < 2 {
        return releases;
    }
    let Ok(whole) = manifest.full_value(object) else { return releases };
    let own = OwnCrds::read("", [PlacedCrd { place: String::new(), value: whole }]);
    let (Ok(own), Some(catalog)) = (own, pack.catalog(kind)) else { return releases };
    let has: BTreeSet<_> = own.catalog(kind).into_iter().flat_map(Catalog::fields).map(|field| field.pattern).collect();
    let in_release = |release: ReleaseId| {
        let fields = catalog.fields().filter(|field| field.releases.contains(release));
        fields.map(|field| field.pattern).collect::<BTreeSet<_>>()
    };
    let same: ReleaseSet = releases.iter().filter(|release| in_release(*release) == has).collect();
    if same.is_empty() { releases } else { same }
}

impl<'p> Installed<'p> {
    /// Returns the release that all CRDs agree on.
    pub fn verdict(&self) -> Verdict<'p> {
        let names: Vec<_> = self.names();
        let naming = self.crds.iter().filter(|crd| crd.bundle.is_some());
        let common = naming.fold(self.pack.line().all(), |all, crd| all & crd.releases);
        match common.iter().next().filter(|_| !names.is_empty()) {
            Some(release) => Verdict::Release(Target { named: self.named(release), ..Target::new(self.pack, release) }),
            None if names.len() > 1 => Verdict::Mixed,
            None => Verdict::Unknown,
        }
    }

    /// Returns which of the releases with the APIs of `release` the first CRD names.
    fn named(&self, release: ReleaseId) -> Named {
        let line = self.pack.line();
        let written = self.crds.iter().find_map(|crd| crd.bundle.as_deref());
        let found = written.and_then(|name| Some((name, line.named(name)?)));
        let is_meant = |(name, (order, named)): &(&str, (usize, Named))| {
            *order == line.get(release).order && line.name(*order, *named) == *name
        };
        found.filter(is_meant).map_or(Named::Bundle, |(_, (_, named))| named)
    }

    /// Returns whether a CRD names releases of which none is `release`.
    pub(crate) fn names_other_than(&self, release: ReleaseId) -> bool {
        self.crds.iter().any(|crd| crd.bundle.is_some() && !crd.releases.contains(release))
    }

    /// Prints each release that is named, with the first CRD that names it: `v1.3.0 experimental (crds/a.yaml:3:5)`. Where none
    /// is named, the text states that.
    pub fn describe(&self) -> String {
        if self.names().is_empty() {
            let (first, others) = (self.crds.first().map(|crd| &crd.location), self.crds.len().saturating_sub(1));
            let place = first.map_or_else(String::new, ToString::to_string);
            let more = if others == 0 { String::new() } else { format!(" and {others} more") };
            let key = self.pack.annotations().map_or("", |keys| keys.bundle.as_str());
            return format!("without the annotation {key}, which names the release ({place}{more})");
        }
        let text = |(name, first, count): &(String, &Crd, usize)| match count {
            1 => format!("{name} ({})", first.location),
            _ => format!("{name} ({} and {} more)", first.location, count - 1),
        };
        self.names().iter().map(text).collect::<Vec<_>>().join(", ")
    }

    /// Reports CRDs of several releases.
    pub fn finding(&self) -> Option<Finding> {
        let Verdict::Mixed = self.verdict() else { return None };
        let location = self.crds.first()?.location.clone();
        let message = format!("the CRDs of {} come from several releases: {}", self.pack.title(), self.describe());
        let help = "install a full bundle: every CRD of one release and channel";
        Some(Finding::new(location, Code::MixedCrds, Severity::Warning, message).help(help))
    }

    /// Returns the releases that are named, in the order they are found, each with its first CRD and how many name it.
    fn names(&self) -> Vec<(String, &Crd, usize)> {
        let mut names: Vec<(String, &Crd, usize)> = Vec::new();
        for crd in &self.crds {
            let Some(name) = crd.name() else { continue };
            match names.iter_mut().find(|(other, ..)| *other == name) {
                Some((_, _, count)) => *count += 1,
                None => names.push((name, crd, 1)),
            }
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::manifest::{Reading, Recognizer};
    use crate::knowledge::pack::embedded;
    use crate::syntax::field::Part;
    use serde_json::json;

    fn crd(kind: &str, annotations: &str) -> String {
        format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: a\n  annotations: \
             {annotations}\nspec:\n  group: gateway.networking.k8s.io\n  names: {{kind: {kind}}}\n---\n"
        )
    }

    fn bundle(version: &str, channel: &str) -> String {
        format!("{{gateway.networking.k8s.io/bundle-version: {version}, gateway.networking.k8s.io/channel: {channel}}}")
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let packs = embedded::with(Vec::new()).unwrap();
        let recognizer = Recognizer::new(packs.iter().flat_map(|pack| pack.groups()).map(String::as_str));
        let Reading::Manifest(manifest) = crate::engine::manifest::read("c.yaml", text.as_bytes(), &recognizer) else {
            panic!("{text}")
        };
        let found = installed(crds_in(&manifest, &packs));
        let reported: Vec<_> = found
            .iter()
            .map(|installed| {
                let verdict = match installed.verdict() {
                    Verdict::Release(target) => target.to_string(),
                    Verdict::Mixed => "mixed".to_owned(),
                    Verdict::Unknown => "unknown".to_owned(),
                };
                assert_eq!(installed.finding().is_some(), verdict == "mixed");
                format!("{verdict}: {}", installed.describe())
            })
            .collect();
        assert_eq!(reported.join("\n"), expected);
    }

    #[test]
    fn consistent_crds_identify_a_release() {
        let both = crd("Gateway", &bundle("v1.3.0", "experimental")) + &crd("XMesh", &bundle("v1.3.0", "experimental"));
        check(&both, "gateway-api@1.3.0/experimental: v1.3.0 experimental (c.yaml:5:17 and 1 more)");
        check(
            &crd("Gateway", "{gateway.networking.k8s.io/bundle-version: v0.4.3}"),
            "gateway-api@0.4.3: v0.4.3 (c.yaml:5:17)",
        );
    }

    #[test]
    fn a_wrong_value_is_corrected() {
        check(
            &crd("Gateway", &bundle("v0.8.0", "standard")),
            "gateway-api@0.8.0/standard: v0.8.0 standard (c.yaml:5:17)",
        );
        check(&crd("Gateway", &bundle("v0.0.0-dev", "standard")), "unknown: v0.0.0-dev standard (c.yaml:5:17)");
    }

    #[test]
    fn crds_without_evidence_do_not_hide_others() {
        let both = crd("XMesh", "{}") + &crd("Gateway", &bundle("v1.3.0", "standard"));
        check(&both, "gateway-api@1.3.0/standard: v1.3.0 standard (c.yaml:14:17)");
    }

    #[test]
    fn fields_distinguish_releases_with_equal_annotations() {
        // What represents the whole CRD here are the fields that the catalog of each release lists, without their types.
        let packs = embedded::with(Vec::new()).unwrap();
        let pack = packs.named("gateway-api").unwrap();
        let kind = GroupKind::new("HTTPRoute", "gateway.networking.k8s.io");
        let catalog = pack.catalog(&kind).unwrap();
        for bundle in ["0.8.0", "0.8.1"] {
            let release = pack.release(&format!("{bundle}/experimental")).unwrap();
            let mut schema = json!({"type": "object", "properties": {}});
            for field in catalog.fields().filter(|field| field.releases.contains(release)) {
                *place(&mut schema, field.pattern.parts()) = json!({"type": "object"});
            }
            let text = crd("HTTPRoute", &self::bundle("v0.8.0", "experimental")).replace("---\n", "");
            let text = format!(
                "{text}  scope: Namespaced\n  versions: [{{name: v1beta1, served: true, storage: true, schema: {{openAPIV3Schema: {schema}}}}}]\n"
            );
            check(&text, &format!("gateway-api@{bundle}/experimental: v0.8.0 experimental (c.yaml:5:17)"));
        }
    }

    /// Returns the place of a field's schema within that of an object, which it makes.
    fn place<'s>(schema: &'s mut Value, parts: &[Part]) -> &'s mut Value {
        parts.iter().fold(schema, |schema, part| match part {
            Part::Key(key) => &mut schema["properties"][key.as_str()],
            Part::Items => {
                schema["type"] = json!("array");
                &mut schema["items"]
            }
            Part::Values => &mut schema["additionalProperties"],
        })
    }

    #[test]
    fn conflicting_crds_identify_no_release() {
        let channels = crd("Gateway", &bundle("v1.3.0", "standard")) + &crd("XMesh", &bundle("v1.3.0", "experimental"));
        check(&channels, "mixed: v1.3.0 standard (c.yaml:5:17), v1.3.0 experimental (c.yaml:14:17)");
        let unknown = crd("Gateway", &bundle("v1.3.0", "standard")) + &crd("XMesh", &bundle("v9.0.0", "standard"));
        check(&unknown, "mixed: v1.3.0 standard (c.yaml:5:17), v9.0.0 standard (c.yaml:14:17)");
    }

    #[test]
    fn crds_of_other_packs_are_ignored() {
        check(
            &crd("Gateway", "{}"),
            "unknown: without the annotation gateway.networking.k8s.io/bundle-version, which names the release (c.yaml:5:3)",
        );
        let other = crd("Gateway", &bundle("v1.3.0", "standard"));
        check(&other.replace("group: gateway.networking.k8s.io", "group: example.com"), "");
        check(&other.replace("CustomResourceDefinition", "ConfigMap"), "");
    }
}
