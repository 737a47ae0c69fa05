//! Answers: what do CRDs say by themselves, where nobody wrote a pack?
//!
//! Each set of CRDs, such as those of one release, becomes a release of a pack without rules, in the order of the sets. Its catalogs
//! are made as those of any pack.
//!
//! Invariant: a set defines a kind once.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use anyhow::{Context as _, Result, anyhow, bail};
use serde_json::{Value, json};

use super::crd::{self, PlacedCrd};
use super::gather::ReleasedCrd;
use crate::knowledge::pack::folder::{Folder, HEAD, PackFiles};
use crate::knowledge::pack::pack::{LazyCatalog, Origin, Pack};
use crate::knowledge::pack::releases::Releases;
use crate::knowledge::pack::rules::Rules;
use crate::knowledge::pack::wire::PackFile;
use crate::knowledge::release::{GroupKind, ReleaseLine};

/// The name of the pack that is made of CRDs.
pub(crate) const NAME: &str = "crds";

/// CRDs that belong together: those of one release, or of one cluster.
#[derive(Clone, Debug)]
pub(crate) struct CrdSet {
    /// The name of the release that they become: characters that releases cannot have are not allowed.
    pub bundle: String,
    /// The CRDs.
    pub crds: Vec<PlacedCrd>,
}

/// The API group and kind of a CRD.
pub(crate) const CRD: (&str, &str) = ("apiextensions.k8s.io", "CustomResourceDefinition");

/// Returns the kind that a CRD defines, if `value` is one; nothing is said of what else is in it.
pub(crate) fn defined_kind(value: &Value) -> Option<GroupKind> {
    let is_crd = value["kind"] == "CustomResourceDefinition"
        && value["apiVersion"].as_str().is_some_and(|version| version.starts_with("apiextensions.k8s.io/"));
    let text = |path: &str| value.pointer(path).and_then(Value::as_str);
    let kind = GroupKind::new(text("/spec/names/kind")?, text("/spec/group")?);
    is_crd.then_some(kind)
}

/// Returns whether two CRDs say the same about their kind.
pub(crate) fn are_equal(left: &Value, right: &Value) -> bool {
    left["spec"] == right["spec"]
}

/// Checks that a CRD can be understood.
///
/// # Errors
/// A failure that says what is malformed.
pub(crate) fn check(value: &Value) -> Result<()> {
    crd::checked_kind(value).map(|_| ())
}

/// Makes the pack of `sets`, the oldest first.
///
/// # Errors
/// A failure that names the place of a malformed CRD, or both places where a set defines one kind twice.
pub(crate) fn pack(sets: &[CrdSet]) -> Result<Pack> {
    let bundles = sets.iter().map(|set| (set.bundle.clone(), Vec::new()));
    let line = ReleaseLine::new(Vec::new(), bundles).map_err(|message| anyhow!(message))?;
    let mut crds: BTreeMap<GroupKind, Vec<ReleasedCrd>> = BTreeMap::new();
    for (set, (release, _)) in sets.iter().zip(line.iter()) {
        let mut places: BTreeMap<GroupKind, &str> = BTreeMap::new();
        for PlacedCrd { place, value } in &set.crds {
            let Some(kind) = crd::checked_kind(value).with_context(|| place.clone())? else { continue };
            if let Some(other) = places.insert(kind.clone(), place) {
                bail!("{place}: {kind} is defined by another CRD too, at {other}; keep one of them");
            }
            crds.entry(kind).or_default().push(ReleasedCrd { release, value: Arc::clone(value) });
        }
    }
    let groups: BTreeSet<&str> = crds.keys().map(|kind| kind.group.as_str()).collect();
    let releases: Vec<Value> = sets.iter().map(|set| json!({ "bundle": set.bundle })).collect();
    let head = json!({"name": NAME, "title": "the CRDs", "source": NAME, "groups": groups, "releases": releases});
    let folder = Folder::given(NAME, PackFiles::from([(HEAD.to_owned(), Cow::Owned(head.to_string()))]));
    let mut written: PackFile = folder.read(HEAD)?.context("it was just written")?;
    let releases = Releases::take(&mut written, &crds.keys().collect());
    let releases = releases.map_err(|wrong| folder.error_in(HEAD, &wrong))?;
    let mut pack = Pack::new(Origin::Crds, folder, written, Cow::default(), Arc::default());
    pack.catalogs = crds.into_iter().map(|(kind, crds)| (kind, LazyCatalog::of_crds(crds))).collect();
    (pack.releases, pack.rules) = (OnceLock::from(releases), OnceLock::from(Rules::default()));
    Ok(pack)
}
