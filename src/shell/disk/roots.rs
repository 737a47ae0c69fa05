//! Answers: where does a walk start if roots are named twice or are inside each other?
//!
//! Each root is shown as the user wrote it, without a leading `./`, and resolved once. Of two spellings of one place the
//! first is used. A root inside another one is walked in a later round, when the files that the outer walk visited are known.
//!
//! Invariant: no place is a root twice, and no root is inside another root of its round.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::failure::Failure;

/// Roots that exist, in rounds, and those that do not.
#[derive(Debug, Default)]
pub(super) struct Roots {
    /// Each round's roots as shown, with the place they lead to; outer roots come before those inside them.
    pub(super) rounds: Vec<BTreeMap<PathBuf, PathBuf>>,
    /// What could not be resolved, as shown.
    pub(super) failed: Vec<(PathBuf, Failure)>,
}

impl Roots {
    /// Resolves `roots` as the user gave them.
    pub(super) fn new(roots: &[PathBuf]) -> Self {
        let mut failed = BTreeMap::new();
        let mut places: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
        for root in roots {
            let shown = shown(root);
            match fs::canonicalize(&shown) {
                Ok(place) => {
                    places.entry(place).or_insert(shown);
                }
                Err(error) => {
                    failed.insert(shown, Failure::from(error));
                }
            }
        }
        Self { rounds: rounds(places), failed: failed.into_iter().collect() }
    }
}

/// Sorts roots by how many other roots they are inside.
fn rounds(places: BTreeMap<PathBuf, PathBuf>) -> Vec<BTreeMap<PathBuf, PathBuf>> {
    let known: BTreeSet<PathBuf> = places.keys().cloned().collect();
    let mut rounds: Vec<BTreeMap<PathBuf, PathBuf>> = Vec::new();
    for (place, shown) in places {
        let depth = place.ancestors().skip(1).filter(|above| known.contains(*above)).count();
        if rounds.len() <= depth {
            rounds.resize_with(depth + 1, BTreeMap::new);
        }
        rounds[depth].insert(shown, place);
    }
    rounds
}

/// Compares two paths name by name: by their bytes, with the slash before all others.
pub(crate) fn by_names(left: &Path, right: &Path) -> Ordering {
    let [left, right] = [left, right].map(|path| path.as_os_str().as_encoded_bytes());
    let differ = left.iter().zip(right).position(|(left, right)| left != right);
    let at = differ.unwrap_or(left.len().min(right.len()));
    let [left, right] = [left, right].map(|path| path.get(at).map(|byte| (*byte != b'/', *byte)));
    left.cmp(&right)
}

/// Returns a path as it is shown: without `./` in front, doubled slashes and a slash at the end; `.` stays.
pub(super) fn shown(path: &Path) -> PathBuf {
    // Nearly all files of a run on `.` have it, and a path is taken apart slowly.
    let bare = path.to_str().and_then(|text| text.strip_prefix("./"));
    let path = bare.filter(|text| !text.is_empty() && !text.starts_with('/')).map_or(path, Path::new);
    let text = path.as_os_str().as_encoded_bytes();
    let is_noise = |pair: &[u8]| matches!(pair, b"//" | b"/.");
    if !text.starts_with(b".") && !text.ends_with(b"/") && !text.windows(2).any(is_noise) {
        return path.to_owned();
    }
    let shown: PathBuf = path.components().filter(|component| *component != Component::CurDir).collect();
    if shown.as_os_str().is_empty() && !path.as_os_str().is_empty() { PathBuf::from(".") } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_shown_as_given_without_redundant_parts() {
        let spellings = [("./a//b/", "a/b"), (".", "."), ("./", "."), ("../a", "../a"), ("/a/./b", "/a/b"), ("", "")];
        let of_here = [("./a/b", "a/b"), (".//a", "a"), ("././a", "a"), ("./.a", ".a"), ("./../a", "../a")];
        for (given, expected) in spellings.into_iter().chain(of_here) {
            assert_eq!(shown(Path::new(given)).as_os_str(), expected, "{given}");
        }
    }

    #[test]
    fn paths_are_ordered_by_the_names_in_them() {
        let sorted = ["/a", "a", "a/b", "a/b/c", "a/b-c", "a-b", "a.b", "b"];
        for pair in sorted.map(Path::new).windows(2) {
            assert_eq!((by_names(pair[0], pair[1]), pair[0].cmp(pair[1])), (Ordering::Less, Ordering::Less));
            assert_eq!((by_names(pair[1], pair[0]), by_names(pair[0], pair[0])), (Ordering::Greater, Ordering::Equal));
        }
    }

    #[test]
    fn each_root_is_walked_once_and_inner_roots_after_outer_ones() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        for name in ["a/b/c", "d"] {
            fs::create_dir_all(top.join(name)).unwrap();
        }
        let given = ["a/b/c", "a/../a", "a", "d", "none", "none"].map(|name| top.join(name));
        let roots = Roots::new(&given);
        let names = |at: usize| roots.rounds[at].keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(0), [top.join("a/../a"), top.join("d")]);
        assert_eq!(names(1), [top.join("a/b/c")]);
        assert_eq!(roots.rounds.len(), 2);
        assert_eq!(roots.failed, [(top.join("none"), Failure::Missing)]);
    }
}
