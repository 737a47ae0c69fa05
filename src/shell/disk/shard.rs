//! Answers: which part of a tree is a file in?
//!
//! A file belongs to one part, by a hash of its path below the root that leads to it: so the parts are the same on every machine,
//! wherever the tree is.
//!
//! Invariant: of the parts of one number, each file is in exactly one.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::file_list::place_of;
use super::roots::shown;
use crate::syntax::fingerprint::Fingerprint;

/// One of several parts of a tree, as `1/4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shard {
    index: u32,
    count: u32,
}

impl Shard {
    /// Returns whether a file is in this part that a walk of `roots` shows as `file`.
    pub(crate) fn has(self, file: &Path, roots: &[PathBuf]) -> bool {
        let below = |root: &PathBuf| file.strip_prefix(shown(root)).ok();
        let below = roots.iter().filter_map(below).filter(|path| !path.as_os_str().is_empty());
        self.has_path(below.min_by_key(|path| path.components().count()).unwrap_or(file))
    }

    /// Returns whether the file at `place`, as [`place_of`] returns it, is in this part of `roots`, whether it exists or not.
    pub(crate) fn has_place(self, place: &Path, roots: &[PathBuf]) -> bool {
        let path = |root: &PathBuf| {
            let below = place.strip_prefix(place_of(root)?).ok()?;
            Some(if below.as_os_str().is_empty() { shown(root) } else { below.to_owned() })
        };
        let path = roots.iter().filter_map(path).min_by_key(|path| path.components().count());
        path.is_some_and(|path| self.has_path(&path))
    }

    fn has_path(self, path: &Path) -> bool {
        let names: Vec<_> = path.components().map(|name| name.as_os_str().to_string_lossy()).collect();
        Fingerprint::of(names.join("/").as_bytes()).part(self.count) == self.index - 1
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/');
        let parts = parts.and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
        match parts {
            Some((index, count)) if (1..=count).contains(&index) && count <= 10_000 => Ok(Self { index, count }),
            _ => Err("write I/N, such as 1/4: I from 1 to N, N at most 10000".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_a_number_of_a_number() {
        assert_eq!("2/4".parse::<Shard>().map(|shard| shard.to_string()), Ok("2/4".to_owned()));
        for wrong in ["", "1", "0/2", "3/2", "1/0", "a/2", "1/2/3", "-1/2", "1/10001"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn each_file_is_in_one_part_wherever_the_tree_is() {
        let parts = |file: &str, root: &str, count: u32| -> Vec<u32> {
            let roots = [PathBuf::from(root)];
            (1..=count).filter(|index| Shard { index: *index, count }.has(Path::new(file), &roots)).collect()
        };
        let mut used = std::collections::BTreeSet::new();
        for at in 0..200 {
            let name = format!("apps/{at}.yaml");
            let here = parts(&name, ".", 7);
            assert_eq!(here.len(), 1, "{name}");
            assert_eq!(parts(&format!("/srv/tree/{name}"), "/srv/tree", 7), here);
            assert_eq!(parts(&format!("../tree/{name}"), "../tree/", 7), here);
            used.extend(here);
        }
        assert_eq!(used.len(), 7, "no part is empty");
    }
}
