//! What makes the API server refuse a CRD, as far as that shows here, apart from its rules, which `state` reads.

use std::collections::BTreeSet;

use super::change::Change;
use super::definition;
use super::set::{Crd, CrdSet, Version};
use super::structural::Node;
use crate::engine::finding::Code;
use crate::syntax::field::FieldPath;

/// Lists what is wrong with the CRDs of a set, in all of their versions.
pub(super) fn changes(set: &CrdSet<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    for crd in set.crds.values() {
        let change = |(at, text)| crd.change(Code::CrdInvalid, None, &at, text);
        let is_v1 = crd.is_v1();
        changes.extend(of_versions(crd));
        if is_v1 {
            changes.extend(definition::of_crd(crd).into_iter().map(change));
        }
        for version in crd.versions() {
            if is_v1 {
                let wrong = definition::of_version(crd, &version).into_iter();
                changes.extend(wrong.map(|wrong| change(wrong).of(version.name)));
            }
            let mut open: Vec<Node<'_>> = version.schema().map(|part| Node::root(part, is_v1)).into_iter().collect();
            while let Some(node) = open.pop() {
                let wrong = node.wrong().into_iter();
                changes.extend(wrong.map(|wrong| change(wrong).of(version.name).at(&node.field)));
                open.extend(node.inside().into_iter().rev());
            }
        }
    }
    changes
}

/// Lists what is wrong with the versions of a CRD.
fn of_versions(crd: &Crd<'_>) -> Vec<Change> {
    let versions = crd.versions();
    let wrong = |path: &FieldPath, text: String| crd.change(Code::CrdInvalid, None, path, text);
    let mut names = BTreeSet::new();
    let twice = versions.iter().filter(|version| !names.insert(version.name));
    let mut found: Vec<Change> = twice
        .map(|version| wrong(&version.path(), "the version is listed twice".to_owned()).of(version.name))
        .collect();
    let stored: Vec<&Version<'_>> = versions.iter().filter(|version| version.is_stored()).collect();
    match stored.as_slice() {
        [_] => {}
        [] => {
            let text = "objects are stored in none of the versions; one of them must have `storage: true`".to_owned();
            found.push(wrong(&FieldPath::default().key("spec").key("versions"), text));
        }
        [first, others @ ..] => found.extend(others.iter().map(|version| {
            let text =
                format!("objects are stored in {} already; one version alone can have `storage: true`", first.name);
            wrong(&version.path().key("storage"), text).of(version.name)
        })),
    }
    found
}
