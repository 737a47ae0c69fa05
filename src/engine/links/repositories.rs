//! Which folders that objects have controllers apply are folders of this tree, and which are of another repository?
//!
//! A repository is this one where objects of one of its folders name it themselves, as the tools set it up: the folder of a cluster
//! has the object that has it applied. Where none does, the name that a tool gives to it counts, and then two that are named for one folder are
//! both open. Folders of other repositories are looked for only where this one is not.
//!
//! Invariant: where a run names one repository, its folders are all of this tree.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::survey::FileSurvey;
use crate::engine::manifest::{Folder, Repository, Source};

/// The repositories that objects of a run name.
#[derive(Debug, Default)]
pub(super) struct Repositories {
    /// The names of those that are not this one.
    others: BTreeSet<String>,
    /// The names of those that are open.
    open: BTreeSet<String>,
    /// Where this one starts: the paths in front of its folders.
    roots: BTreeSet<String>,
}

/// A folder of the run that an object has applied.
struct Named<'a> {
    source: &'a Source,
    folder: &'a str,
    /// What is in front of the path that the object names.
    root: &'a str,
    /// Whether the object is in the folder itself.
    is_around: bool,
}

impl Repositories {
    /// Tells the repositories apart that the objects of `files` name.
    pub(super) fn of(files: &[FileSurvey]) -> Self {
        let sources = files.iter().flat_map(|file| &file.applied).filter_map(|folder| folder.source.as_ref());
        let sources: BTreeSet<&Source> = sources.collect();
        if sources.len() < 2 {
            return Self::default();
        }
        let named = named(files);
        let addresses = addresses(files);
        let address = |source: &Source| addresses.get(source.name.as_str()).copied().flatten();
        let is_same = |one: &Source, other: &Source| {
            one.name == other.name || address(one).is_some_and(|one| address(other) == Some(one))
        };
        let mut own: Vec<&Named<'_>> = named.iter().filter(|one| one.is_around).collect();
        if own.is_empty() {
            own = named.iter().filter(|one| one.source.is_called_own).collect();
        }
        if own.is_empty() {
            return Self { open: contested(&named, &is_same), ..Self::default() };
        }
        let mut found = Self::default();
        found.roots.extend(own.iter().map(|one| one.root.to_owned()));
        let others = sources.into_iter().filter(|source| !own.iter().any(|one| is_same(one.source, source)));
        for other in others {
            let is_known = address(other).is_some() && own.iter().all(|one| address(one.source).is_some());
            let names = if is_known { &mut found.others } else { &mut found.open };
            names.insert(other.name.clone());
        }
        found
    }

    /// Returns whether a file or folder of the run can be in the repository of `folder`.
    pub(super) fn can_hold(&self, folder: &Folder, path: &str) -> bool {
        let is_other = folder.source.as_ref().is_some_and(|source| self.others.contains(&source.name));
        !is_other || !self.roots.iter().any(|root| path.starts_with(root))
    }

    /// Returns whether it is open that `folder` is one of this tree.
    pub(super) fn is_open(&self, folder: &Folder) -> bool {
        folder.source.as_ref().is_some_and(|source| self.open.contains(&source.name))
    }
}

/// Returns the folders of the run that objects have applied.
fn named(files: &[FileSurvey]) -> Vec<Named<'_>> {
    let mut names: Vec<&str> = files.iter().map(|file| &*file.file).collect();
    names.sort_unstable();
    let ends = by_end(&names);
    let mut named = Vec::new();
    for file in files {
        for Folder { path, source } in &file.applied {
            let Some(source) = source else { continue };
            let found = ends.get(path.as_str()).into_iter().flatten();
            named.extend(found.map(|folder| Named {
                source,
                folder,
                root: folder.strip_suffix(path).unwrap_or_default(),
                is_around: file.file.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')),
            }));
        }
    }
    named
}

/// Returns the address of each repository that the run shows one of.
fn addresses(files: &[FileSurvey]) -> BTreeMap<&str, Option<&str>> {
    let mut addresses: BTreeMap<&str, Option<&str>> = BTreeMap::new();
    for Repository { name, address } in files.iter().flat_map(|file| &file.repositories) {
        let known = addresses.entry(name).or_insert(Some(address));
        *known = known.filter(|known| known == address);
    }
    addresses
}

/// Returns the names of the repositories that are named for a folder for which another one is named too.
fn contested(named: &[Named<'_>], is_same: &dyn Fn(&Source, &Source) -> bool) -> BTreeSet<String> {
    let mut by_folder: BTreeMap<&str, BTreeSet<&Source>> = BTreeMap::new();
    for one in named {
        by_folder.entry(one.folder).or_default().insert(one.source);
    }
    let mut found = BTreeSet::new();
    for sources in by_folder.values() {
        let is_contested = |source: &&&Source| sources.iter().any(|other| !is_same(source, other));
        found.extend(sources.iter().filter(is_contested).map(|source| source.name.clone()));
    }
    found
}

/// Returns the folders of `files` by the ends of their paths, as they are named from the root of a repository, which the run need not
/// start at: the shortest with each end.
pub(super) fn by_end<'a>(files: &[&'a str]) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
    let folders = files.iter().flat_map(|file| file.match_indices('/').map(|(at, _)| &file[..at]));
    let mut ends: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for folder in folders.collect::<BTreeSet<_>>() {
        let starts = folder.match_indices('/').map(|(at, _)| at + 1).chain([0]);
        for start in starts {
            let found = ends.entry(&folder[start..]).or_default();
            let depth = |folder: &str| folder.matches('/').count();
            match found.first().map(|other| depth(other).cmp(&depth(folder))) {
                Some(Ordering::Less) => continue,
                Some(Ordering::Greater) => found.clear(),
                _ => {}
            }
            found.insert(folder);
        }
    }
    ends
}
