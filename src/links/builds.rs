//! Which files of a run are applied together?
//!
//! A kustomization that no other one takes in is built, with everything that it takes in. Patches belong to the builds of the
//! kustomization that names them.

use std::collections::{BTreeMap, BTreeSet};

use super::file::File;
use super::kustomizations::{Graph, Part};
use crate::lens::Builds;

/// Finds the builds of the run.
pub(super) fn find(files: &[File<'_>]) -> Builds {
    let graph = Graph::of(files);
    let mut patches: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for file in files.iter().filter(|file| file.kustomization().is_some()) {
        patches.insert(file.name(), file.patches().iter().map(|patch| patch.file.as_str()).collect());
    }
    let mut of_file: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for (build, root) in graph.roots().into_iter().enumerate() {
        let (mut met, mut open) = (BTreeSet::new(), vec![root]);
        while let Some(kustomization) = open.pop() {
            if !met.insert(kustomization) {
                continue;
            }
            let parts = graph.parts(kustomization);
            let mut own = vec![kustomization];
            own.extend(patches.get(kustomization).into_iter().flatten());
            open.extend(parts.components);
            for part in parts.resources {
                match part {
                    Part::File(file) => own.push(file),
                    Part::Kustomization(inner) => open.push(inner),
                }
            }
            for file in own {
                of_file.entry(file.to_owned()).or_default().insert(build);
            }
        }
    }
    Builds::new(of_file, Vec::new())
}
