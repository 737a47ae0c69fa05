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
        let sources = files.iter().flat_map(|file| &file.rare().applied).filter_map(|one| one.folder.source.as_ref());
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
    let folders = files.iter().flat_map(|file| &file.rare().applied).map(|one| &one.folder);
    let paths = folders.filter(|folder| folder.source.is_some());
    let ends = by_end(&names, &paths.map(|folder| folder.path.as_str()).collect());
    let mut named = Vec::new();
    for file in files {
        for Folder { path, source } in file.rare().applied.iter().map(|one| &one.folder) {
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
    for Repository { name, address } in files.iter().flat_map(|file| &file.rare().repositories) {
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

/// Returns the folders of `files`, which are sorted, whose paths end with one of `paths`, as objects name them from the root of a
/// repository, which the run need not start at: the shortest with each end.
pub(super) fn by_end<'a, 'p>(files: &[&'a str], paths: &BTreeSet<&'p str>) -> BTreeMap<&'p str, BTreeSet<&'a str>> {
    let mut ends: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let depth = |folder: &str| folder.matches('/').count();
    for folder in folders(files) {
        let starts = folder.match_indices('/').map(|(at, _)| at + 1).chain([0]);
        for path in starts.filter_map(|start| paths.get(&folder[start..])) {
            let found = ends.entry(path).or_default();
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

/// Returns each folder that `files`, which are sorted, are below. Those below one folder stand together.
fn folders<'a>(files: &[&'a str]) -> impl Iterator<Item = &'a str> {
    let before = std::iter::once(&"").chain(files);
    before.zip(files).flat_map(|(before, file)| {
        let shared = before.bytes().zip(file.bytes()).take_while(|(left, right)| left == right).count();
        let shared = file.floor_char_boundary(shared);
        file[shared..].match_indices('/').map(move |(at, _)| &file[..shared + at])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_found_by_the_ends_of_their_paths_once_each() {
        let files = ["a/b-c.yaml", "a/b/c/d.yaml", "a/b/e.yaml", "a/è/b.yaml", "a/é.yaml", "b/c/d.yaml", "top.yaml"];
        assert_eq!(folders(&files).collect::<Vec<_>>(), ["a", "a/b", "a/b/c", "a/è", "b", "b/c"]);
        let ends = by_end(&files, &["b", "b/c", "c", "e.yaml"].into());
        assert_eq!(ends["b"], ["b"].into(), "the shortest");
        assert_eq!(ends["b/c"], ["b/c"].into(), "the shortest");
        assert_eq!(ends["c"], ["b/c"].into(), "the shortest");
        assert_eq!(ends.get("e.yaml"), None, "a file");
        assert_eq!(by_end(&["x/c/f.yaml", "y/c/f.yaml"], &["c"].into())["c"], ["x/c", "y/c"].into(), "both");
    }
}
