//! Which files can packs be about?

use std::collections::BTreeSet;

use crate::engine::manifest::Recognizer;
use crate::knowledge::pack::crds::from_crds::CRD;
use crate::knowledge::pack::{Pack, Packs, SchemaRule, Target};
use crate::knowledge::release::{ApiVersion, GroupKind};

/// Makes the recognizer of everything that `concerned`, some of `packs`, know, of what carries their charts, and of `more` texts,
/// in a run to `targets`, or one that files decide about.
pub fn recognizer(packs: &Packs, concerned: &[&Pack], targets: &[Target<'_>], more: &[&str]) -> Recognizer {
    let groups = concerned.iter().flat_map(|pack| pack.groups()).map(String::as_str);
    let triggers = concerned.iter().flat_map(|pack| pack.triggers()).map(String::as_str).chain(more.iter().copied());
    // A reference whose group need not be written is also in files that mention no group.
    let references = concerned.iter().flat_map(|pack| pack.references()).filter(|field| field.default_group.is_some());
    let triggers = triggers.chain(references.flat_map(|field| &field.kinds).map(|kind| kind.kind.as_str()));
    let kinds = concerned.iter().flat_map(|pack| pack.kinds()).map(|kind| kind.kind.as_str());
    let charts = concerned.iter().flat_map(|pack| pack.charts()).map(|chart| (chart.name.as_str(), chart.key.as_str()));
    let foreign_kinds = concerned.iter().flat_map(|pack| pack.foreign_kinds().chain(pack.kinds_with_texts()));
    // A patch of a CRD decides which versions of known kinds are served.
    let crd = GroupKind::new(CRD.1, CRD.0);
    let foreign_kinds = foreign_kinds.chain([&crd]);
    let recognizer = Recognizer::new(groups).with_kinds(kinds).with_foreign_kinds(foreign_kinds);
    let settled = concerned.iter().flat_map(|pack| settled_crds(pack, targets)).collect();
    let files = concerned.iter().flat_map(|pack| pack.files()).map(|file| (file.name.as_str(), &file.kind));
    recognizer
        .with_triggers(triggers)
        .with_files(files)
        .with_charts(charts)
        .with_carriers(packs.carriers())
        .with_settled_crds(settled)
}

/// Returns the apiVersions of CRDs that no rule of `pack` that reads schemas leads away from, towards its target or else its newest
/// release.
fn settled_crds(pack: &Pack, targets: &[Target<'_>]) -> BTreeSet<ApiVersion> {
    let target = targets.iter().find(|target| target.pack.name() == pack.name());
    let order = target.map(|target| pack.line().get(target.release).order);
    let (mut left, mut reached) = (BTreeSet::new(), BTreeSet::new());
    for SchemaRule { bundle, api_versions } in pack.rules_about_schemas() {
        let Some([old, new]) = api_versions else { return BTreeSet::new() };
        let is_reached = order.is_none_or(|order| pack.line().bundle_order(bundle).is_some_and(|own| own <= order));
        let (from, to) = if is_reached { (old, new) } else { (new, old) };
        left.insert(from);
        reached.insert(to);
    }
    reached.difference(&left).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::manifest::{self, Reading};
    use crate::knowledge::pack::embedded;

    /// Returns whether the schema of a CRD of `version` is read in a run to `target`, or in one that files decide about.
    fn is_read(packs: &Packs, version: &str, target: Option<&str>) -> bool {
        let targets: Vec<Target<'_>> = target.map(|target| packs.target(target).unwrap()).into_iter().collect();
        let recognizer = recognizer(packs, &packs.iter().collect::<Vec<_>>(), &targets, &[]);
        let text = format!(
            "apiVersion: apiextensions.k8s.io/{version}\nkind: CustomResourceDefinition\nmetadata: {{name: a}}\nspec:\n  versions:\n  \
             - schema: {{openAPIV3Schema: {{type: object}}}}\n"
        );
        let Reading::Manifest(manifest) = manifest::read("a.yaml", text.as_bytes(), &recognizer) else {
            panic!("it is of a known group")
        };
        let whole = manifest.full_value(&manifest.objects[0]).unwrap();
        assert_eq!(whole.pointer("/spec/versions/0/schema/openAPIV3Schema/type"), Some(&"object".into()));
        manifest.objects[0].value == whole
    }

    #[test]
    fn schemas_are_read_of_crds_that_change() {
        let packs = embedded::with(Vec::new()).unwrap();
        for (target, [old, new]) in [
            (None, [true, false]),
            (Some("kubernetes@1.33"), [true, false]),
            (Some("kubernetes@1.16"), [true, false]),
            (Some("kubernetes@1.15"), [false, true]),
            (Some("gateway-api@1.0.0"), [true, false]),
        ] {
            assert_eq!(is_read(&packs, "v1beta1", target), old, "{target:?}");
            assert_eq!(is_read(&packs, "v1", target), new, "{target:?}");
        }
    }
}
