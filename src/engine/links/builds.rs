//! Which files of a run are applied together?
//!
//! A kustomization that no other one takes in is built, with everything that it takes in; patches belong to the builds of the
//! kustomization that names them. A folder that an object has Flux or Argo CD apply is part of what the file of that object is part
//! of: such objects that are next to each other make up a cluster.
//!
//! A chart needs no build of its own: its templates are in one folder.

use std::collections::{BTreeMap, BTreeSet};

use super::kustomizations::{Graph, Part};
use super::repositories::by_end;
use super::survey::FileSurvey;
use crate::engine::manifest::Applied;
use crate::knowledge::lens::Builds;

/// Finds the builds of the run, for each file for which `is_file` holds: those of the run.
pub(super) fn find(files: &[FileSurvey], graph: &Graph<'_>, is_file: &dyn Fn(&str) -> bool) -> Builds {
    let applied = AppliedFolders::of(files, graph);
    let mut maker = Maker { is_file, of_file: BTreeMap::new(), outer: Vec::new() };
    let mut patches: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for file in files.iter().filter(|file| file.kustomization.is_some()) {
        patches.insert(&file.file, file.rare().patches.iter().map(|patch| patch.file.as_str()).collect());
    }
    let named = applied.folders.iter().flat_map(|(_, folders)| folders).filter_map(|folder| graph.in_folder(folder));
    let roots: BTreeSet<&str> = graph.roots().into_iter().chain(named).collect();
    let roots: BTreeMap<&str, usize> = roots.into_iter().map(|root| (root, maker.add())).collect();
    for (root, build) in &roots {
        maker.take_in(*build, root, graph, &patches);
    }
    let mut hosted = Vec::new();
    for (host, folders) in &applied.folders {
        for folder in folders {
            let build = maker.add();
            hosted.push((*host, build));
            match graph.in_folder(folder).and_then(|file| roots.get(file)) {
                Some(root) => maker.outer[*root].extend([build]),
                None => maker.take_in_folder(build, &applied.files_below(folder), &roots),
            }
        }
    }
    // Objects next to each other have a cluster apply their folders, whatever builds their files.
    let mut clusters: BTreeMap<&str, usize> = BTreeMap::new();
    for (host, build) in hosted {
        let around = match maker.of_file.get(host) {
            Some(around) => around.clone(),
            None => BTreeSet::from([*clusters.entry(folder_of(host)).or_insert_with(|| maker.add())]),
        };
        maker.outer[build].extend(around);
    }
    let of_file = maker.of_file.into_iter().map(|(file, builds)| (file.to_owned(), builds)).collect();
    Builds::new(of_file, maker.outer)
}

/// The folders that are applied.
struct AppliedFolders<'a> {
    /// The files of the run, sorted.
    files: Vec<&'a str>,
    /// The files with objects that name folders, with the folders of the run.
    folders: Vec<(&'a str, Vec<&'a str>)>,
}

impl<'a> AppliedFolders<'a> {
    fn of(files: &'a [FileSurvey], graph: &Graph<'_>) -> Self {
        let hosts: Vec<(&str, &[Applied])> = files
            .iter()
            .map(|file| (&*file.file, &*file.rare().applied))
            .filter(|(_, applied)| !applied.is_empty())
            .collect();
        let mut names: Vec<&str> = files.iter().map(|file| &*file.file).collect();
        names.sort_unstable();
        let paths = hosts.iter().flat_map(|(_, applied)| *applied).map(|one| one.folder.path.as_str());
        let ends = by_end(&names, &paths.collect());
        let found = |Applied { folder, .. }: &Applied| {
            let found = ends.get(folder.path.as_str()).into_iter().flatten().copied();
            found.filter(|path| graph.can_be_in_repository_of(folder, path)).collect::<Vec<_>>()
        };
        let folders = hosts.into_iter().map(|(host, applied)| (host, applied.iter().flat_map(found).collect()));
        Self { folders: folders.collect(), files: names }
    }

    /// Returns the files below `folder`.
    fn files_below(&self, folder: &str) -> Vec<&'a str> {
        let folder = format!("{folder}/");
        let start = self.files.partition_point(|file| *file < folder.as_str());
        self.files[start..].iter().take_while(|file| file.starts_with(&folder)).copied().collect()
    }
}

/// The builds made so far.
struct Maker<'a, 'f> {
    /// Whether a file is one of the run.
    is_file: &'f dyn Fn(&str) -> bool,
    of_file: BTreeMap<&'a str, BTreeSet<usize>>,
    outer: Vec<BTreeSet<usize>>,
}

impl<'a> Maker<'a, '_> {
    fn add(&mut self) -> usize {
        self.outer.push(BTreeSet::new());
        self.outer.len() - 1
    }

    /// Adds what the kustomization `root` takes in.
    fn take_in(&mut self, build: usize, root: &'a str, graph: &Graph<'a>, patches: &BTreeMap<&str, Vec<&'a str>>) {
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
            for file in own.into_iter().filter(|file| (self.is_file)(file)) {
                self.of_file.entry(file).or_default().insert(build);
            }
        }
    }

    /// Adds `files`, all those below a folder without a kustomization: those that kustomizations there take in, and the others.
    fn take_in_folder(&mut self, build: usize, files: &[&'a str], roots: &BTreeMap<&str, usize>) {
        let inner: BTreeSet<usize> = files.iter().filter_map(|file| roots.get(file)).copied().collect();
        for root in &inner {
            self.outer[*root].insert(build);
        }
        for file in files {
            let builds = self.of_file.entry(file).or_default();
            if builds.is_disjoint(&inner) {
                builds.insert(build);
            }
        }
    }
}

/// Returns the folder that a file is in.
fn folder_of(file: &str) -> &str {
    file.rfind('/').map_or("", |at| &file[..at])
}
