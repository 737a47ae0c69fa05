//! Answers: what do CRDs say by themselves, where nobody wrote a pack?
//!
//! Each set of CRDs, such as those of one release, becomes a release of a pack without rules, in the order of the sets. Its catalogs
//! are made as those of any pack.
//!
//! Invariant: a set defines a kind once.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result, anyhow, bail};
use serde_json::{Value, json};

use super::crd;
use super::gather::Gathered;
use crate::pack::load;
use crate::pack::pack::{Author, Pack, PackFiles};
use crate::release::{GroupKind, ReleaseLine};

/// The name of the pack that is made of CRDs.
pub const NAME: &str = "crds";

/// CRDs that belong together: those of one release, or of one cluster.
#[derive(Clone, Debug)]
pub struct CrdSet<'v> {
    /// The name of the release that they become: characters that releases cannot have are not allowed.
    pub bundle: String,
    /// The CRDs, each with its place, for messages.
    pub crds: Vec<(&'v str, &'v Value)>,
}

/// Returns the kind that a CRD defines, if `value` is one; nothing is said of what else is in it.
pub fn defined_kind(value: &Value) -> Option<GroupKind> {
    let is_crd = value["kind"] == "CustomResourceDefinition"
        && value["apiVersion"].as_str().is_some_and(|version| version.starts_with("apiextensions.k8s.io/"));
    let text = |path: &str| value.pointer(path).and_then(Value::as_str);
    let kind = GroupKind::new(text("/spec/names/kind")?, text("/spec/group")?);
    is_crd.then_some(kind)
}

/// Returns whether two CRDs say the same about their kind.
pub fn are_equal(left: &Value, right: &Value) -> bool {
    left["spec"] == right["spec"]
}

/// Checks that a CRD can be understood.
///
/// # Errors
/// A failure that says what is malformed.
pub fn check(value: &Value) -> Result<()> {
    crd::definition_in(value).map(|_| ())
}

/// Makes the pack of `sets`, the oldest first.
///
/// # Errors
/// A failure that names the place of a malformed CRD, or both places where a set defines one kind twice.
pub fn pack(sets: &[CrdSet<'_>]) -> Result<Pack> {
    let bundles = sets.iter().map(|set| (set.bundle.clone(), Vec::new()));
    let line = ReleaseLine::new(Vec::new(), bundles).map_err(|message| anyhow!(message))?;
    let mut gathered = Gathered::default();
    let mut groups = BTreeSet::new();
    for (set, (release, _)) in sets.iter().zip(line.iter()) {
        let mut places: BTreeMap<GroupKind, &str> = BTreeMap::new();
        for (place, value) in &set.crds {
            let Some(definition) = crd::definition_alone(value).with_context(|| (*place).to_owned())? else { continue };
            if let Some(other) = places.insert(definition.kind.clone(), place) {
                bail!("{place}: {} is defined by another CRD too, at {other}; keep one of them", definition.kind);
            }
            groups.insert(definition.kind.group.clone());
            gathered.add(release, definition).with_context(|| (*place).to_owned())?;
        }
    }
    let releases: Vec<Value> = sets.iter().map(|set| json!({ "bundle": set.bundle })).collect();
    let head = json!({"name": NAME, "title": "the CRDs", "source": NAME, "groups": groups, "releases": releases});
    let mut files = PackFiles::from([("pack.yaml".to_owned(), Cow::Owned(head.to_string()))]);
    for (name, text) in gathered.files(&line) {
        files.insert(format!("catalog/{name}"), Cow::Owned(text));
    }
    let pack = load::load(NAME, files)?;
    for kind in pack.kinds() {
        pack.try_catalog(kind)?;
    }
    Ok(Pack { author: Author::Nobody, ..pack })
}
