//! Which apiVersions can an object have, by its fields and in the target, where rules convert its kind between apiVersions?

use std::cmp::Reverse;

use super::choices::{Goal, VersionChoice};
use super::remark::Remark;
use crate::engine::finding::Code;
use crate::engine::manifest::Object;
use crate::knowledge::catalog::{Catalog, Version, Violation, ViolationKind};
use crate::knowledge::pack::{Pack, Target};
use crate::knowledge::release::{ApiVersion, GroupKind, ReleaseId, ReleaseSet};
use crate::syntax::field::FieldPath;

/// What decides which fields an object has: a release and, where rules convert the kind between apiVersions, one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) release: ReleaseId,
    pub(super) version: Option<ApiVersion>,
}

/// Returns the apiVersion whose fields the object has: its own, where that has them all, else the nearest one that does. `None`
/// where no rule converts the kind between apiVersions.
pub(super) fn version_of(
    object: &Object,
    pack: &Pack,
    catalog: &Catalog,
    candidates: ReleaseSet,
) -> Option<ApiVersion> {
    let order = pack.versions_by_age(&object.kind)?;
    let own = &object.api_version;
    let versions = catalog.versions().map(|name| ApiVersion { group: own.group.clone(), version: name.to_owned() });
    let mut versions: Vec<ApiVersion> = versions.collect();
    versions.sort_by_key(|version| order.distance(own, version));
    let fitting = versions.into_iter().find(|version| holds(object, catalog, candidates, &version.version));
    Some(fitting.unwrap_or_else(|| own.clone()))
}

/// Returns whether a release that the object can be for has all its fields, with their types, in the version `name`.
fn holds(object: &Object, catalog: &Catalog, candidates: ReleaseSet, name: &str) -> bool {
    let listing = catalog.listing(name);
    let both = candidates & listing;
    let mut releases: Vec<ReleaseId> = if both.is_empty() { listing } else { both }.iter().collect();
    releases.reverse();
    let contradicts = |violation: &Violation| {
        let kinds = matches!(violation.kind, ViolationKind::UnknownField { .. } | ViolationKind::WrongType { .. });
        kinds && !violation.is_open_in(&object.value)
    };
    let has_all = |release: &ReleaseId| !catalog.check(&object.value, *release, name).iter().any(contradicts);
    releases.iter().any(has_all)
}

/// Reports that the object has the fields of another apiVersion than its own.
pub(super) fn other_version(object: &Object, version: &ApiVersion) -> Option<Remark> {
    let own = &object.api_version;
    let message = format!("the fields are those of {version}, and not of {own}; the fields decide");
    let path = FieldPath::default().key("apiVersion");
    (version != own).then(|| Remark::new(Code::ApiVersionMismatch, path, message))
}

/// Returns the shapes that `target` can give an object of `kind` that is written as `present`, the best first; at least one.
pub(super) fn goals(
    kind: &GroupKind,
    present: &ApiVersion,
    target: &Target<'_>,
    goal: &Goal<'_>,
    choice: VersionChoice,
) -> Vec<Shape> {
    let mut ranked = Vec::new();
    for kind in target.pack.kinds_by_version(kind).into_iter().flatten() {
        let group = target.pack.groups().iter().position(|group| *group == kind.group).unwrap_or_default();
        for (place, served) in served(target, goal, kind).into_iter().enumerate() {
            let version = ApiVersion { group: kind.group.clone(), version: served.name.to_owned() };
            let is_kept = choice == VersionChoice::Keep && !served.deprecated && version == *present;
            // Of two groups the later one of the pack is the better one.
            ranked.push((!is_kept, Reverse(group), place, version));
        }
    }
    ranked.sort();
    let release = target.release;
    if ranked.is_empty() {
        return vec![Shape { release, version: None }];
    }
    ranked.into_iter().map(|(.., version)| Shape { release, version: Some(version) }).collect()
}

/// Returns the apiVersion that `target` gives an object of `kind` that is written as `present`, where nothing in the object speaks
/// against it; `None` where it does not have the kind.
pub(super) fn best(
    kind: &GroupKind,
    present: &ApiVersion,
    target: &Target<'_>,
    goal: &Goal<'_>,
    choice: VersionChoice,
) -> Option<ApiVersion> {
    // A kind that rules turn it into can have versions of its own in the same group.
    let has = |version: &ApiVersion| {
        version.group != kind.group || served(target, goal, kind).iter().any(|served| served.name == version.version)
    };
    let mut shapes = goals(kind, present, target, goal, choice).into_iter();
    let first = shapes.find(|shape| shape.version.as_ref().is_none_or(has))?;
    first.version.or_else(|| {
        let served = allowed(target.pack, &present.version, served(target, goal, kind));
        let is_kept = |version: &&Version<'_>| version.name == present.version && !version.deprecated;
        let kept = served.iter().find(is_kept).filter(|_| choice == VersionChoice::Keep);
        let name = kept.or(served.first())?.name;
        Some(ApiVersion { group: kind.group.clone(), version: name.to_owned() })
    })
}

/// Returns those of the versions that a target with `pack` serves that an object of the version `present` may get, the best first.
/// With a pack made from CRDs, which has no author who knows which changes are safe, it keeps one that is served and not deprecated;
/// a deprecated one is for what the others cannot hold.
pub(super) fn allowed<'c>(pack: &Pack, present: &str, served: Vec<Version<'c>>) -> Vec<Version<'c>> {
    if !pack.is_of_crds() {
        return served;
    }
    let own = served.iter().find(|version| version.name == present).copied();
    let (deprecated, current): (Vec<Version<'c>>, Vec<_>) = served.into_iter().partition(|version| version.deprecated);
    match own {
        Some(own) if !own.deprecated => vec![own],
        Some(own) => current.into_iter().chain([own]).collect(),
        None => current.into_iter().chain(deprecated).collect(),
    }
}

/// Returns the versions that the target serves for `kind`, the most stable first.
fn served<'s>(target: &Target<'s>, goal: &'s Goal<'_>, kind: &GroupKind) -> Vec<Version<'s>> {
    match goal.own_crds(target.pack) {
        None => target.pack.catalog(kind).map_or_else(Vec::new, |catalog| catalog.served(target.release)),
        Some(crds) => crds.catalog(kind).map_or_else(Vec::new, |catalog| catalog.served(crds.release())),
    }
}
