//! Answers: which of several objects does an object of a file see first?
//!
//! In a tree of clusters, tenants or examples many objects have one name. An object sees what its own [`Builds`] see; where they
//! have nothing that fits, what is in its file, then in its folder, then in the nearest folder above. A build is a set of files
//! that are applied together; several builds of one file count alike.
//!
//! Invariant: what is found does not depend on the order of the objects, and an object that fits is found wherever it is.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::context::{Candidates, ObjectView};

/// The builds of a run, by number.
#[derive(Clone, Debug, Default)]
pub struct Builds {
    of_file: BTreeMap<String, BTreeSet<usize>>,
    /// For each build, the builds that it is part of.
    outer: Vec<BTreeSet<usize>>,
}

impl Builds {
    /// Makes builds of the numbers of those that take in each file, and the numbers of those that each build is part of.
    pub const fn new(of_file: BTreeMap<String, BTreeSet<usize>>, outer: Vec<BTreeSet<usize>>) -> Self {
        Self { of_file, outer }
    }

    /// Returns the builds that take in `file` themselves.
    fn of(&self, file: &str) -> impl Iterator<Item = usize> {
        self.of_file.get(file).into_iter().flatten().copied()
    }

    /// Returns the builds that one of `builds` is part of.
    fn around(&self, builds: &BTreeSet<usize>) -> BTreeSet<usize> {
        builds.iter().filter_map(|build| self.outer.get(*build)).flatten().copied().collect()
    }

    /// Returns all builds with `file`, those around others included.
    fn with(&self, file: &str) -> BTreeSet<usize> {
        let (mut all, mut open) = (BTreeSet::new(), self.of(file).collect::<BTreeSet<_>>());
        while !open.is_empty() {
            let around = self.around(&open);
            all.append(&mut open);
            open = around.difference(&all).copied().collect();
        }
        all
    }
}

/// Objects among which the nearest are found, by their positions.
#[derive(Debug, Default)]
pub(super) struct Pool<'a> {
    objects: Vec<ObjectView<'a>>,
    /// In the order of their files, so that those below one folder are next to each other.
    by_file: Vec<usize>,
    by_folder: BTreeMap<&'a str, Vec<usize>>,
    by_build: BTreeMap<usize, Vec<usize>>,
}

/// Whether an object fits: `None` where the files do not show it.
type Fits<'f, 'a> = dyn Fn(&ObjectView<'a>) -> Option<bool> + 'f;

/// Positions of objects, each once or more.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Found {
    certain: Vec<usize>,
    possible: Vec<usize>,
}

impl Found {
    /// Adds what was found farther away; returns whether the search is over. Farther objects that may fit count only where none
    /// was found before.
    fn add(&mut self, farther: Self) -> bool {
        if self.possible.is_empty() || !farther.certain.is_empty() {
            self.possible.extend(farther.possible);
        }
        self.certain.extend(farther.certain);
        !self.certain.is_empty()
    }
}

impl<'a> Pool<'a> {
    /// Collects `objects`, in the order of the run, which `builds` take in.
    pub(super) fn new(objects: Vec<ObjectView<'a>>, builds: &Builds) -> Self {
        let mut pool = Self { objects, ..Self::default() };
        // One object is nearest wherever it is.
        if pool.objects.len() < 2 {
            return pool;
        }
        for (at, object) in pool.objects.iter().enumerate() {
            let file = object.place.file;
            pool.by_folder.entry(folders_above(file).next().unwrap_or_default()).or_default().push(at);
            for build in builds.with(file) {
                pool.by_build.entry(build).or_default().push(at);
            }
        }
        pool.by_file = (0..pool.objects.len()).collect();
        pool.by_file.sort_by_key(|at| pool.objects[*at].place.file);
        pool
    }

    /// Returns all objects, in the order of the run.
    pub(super) fn all(&self) -> &[ObjectView<'a>] {
        &self.objects
    }

    /// Returns the nearest objects to `file` that fit, and those that may: nearer than a certain one, or where there is none.
    pub(super) fn nearest(&self, builds: &Builds, file: &str, fits: &Fits<'_, 'a>) -> Candidates<'a> {
        let mut all = Found::default();
        for mut found in self.find(builds, file, fits) {
            all.certain.append(&mut found.certain);
            all.possible.append(&mut found.possible);
        }
        self.candidates(all)
    }

    /// Returns the same for each build of `file`, as far as they differ.
    pub(super) fn nearest_in_each(&self, builds: &Builds, file: &str, fits: &Fits<'_, 'a>) -> Vec<Candidates<'a>> {
        let found: BTreeSet<Found> = self.find(builds, file, fits).into_iter().collect();
        found.into_iter().map(|found| self.candidates(found)).collect()
    }

    fn candidates(&self, found: Found) -> Candidates<'a> {
        let views = |mut found: Vec<usize>| {
            found.sort_unstable();
            found.dedup();
            found.into_iter().map(|at| self.objects[at]).collect()
        };
        Candidates { certain: views(found.certain), possible: views(found.possible) }
    }

    /// Finds the nearest in each build of `file`.
    fn find(&self, builds: &Builds, file: &str, fits: &Fits<'_, 'a>) -> Vec<Found> {
        // One object is nearest wherever it is.
        if self.objects.len() < 2 {
            return vec![self.fitting(0..self.objects.len(), fits)];
        }
        let mut in_folders = None;
        let mut in_folders = || in_folders.get_or_insert_with(|| self.nearest_in_folders(file, fits)).clone();
        let mut of_builds = builds.of(file).peekable();
        if of_builds.peek().is_none() {
            return vec![in_folders()];
        }
        let mut all = Vec::new();
        for build in of_builds {
            let mut found = Found::default();
            let (mut met, mut open, mut is_found) = (BTreeSet::new(), BTreeSet::from([build]), false);
            while !is_found && !open.is_empty() {
                let members = open.iter().filter_map(|build| self.by_build.get(build)).flatten().copied();
                is_found = found.add(self.fitting(members, fits));
                let around = builds.around(&open);
                met.append(&mut open);
                open = around.difference(&met).copied().collect();
            }
            if !is_found {
                found.add(in_folders());
            }
            all.push(found);
        }
        all
    }

    /// Returns what fits in the file itself, in its folder, or in the nearest folder above with something that fits below it. What is
    /// in a folder on the way up comes before what is beside that way, and what is beside it does not hide what is farther up.
    fn nearest_in_folders(&self, file: &str, fits: &Fits<'_, 'a>) -> Found {
        let (mut found, mut beside) = (Found::default(), Found::default());
        let mut met = self.range(|other| other.cmp(file));
        if found.add(self.fitting(self.by_file[met.clone()].iter().copied(), fits)) {
            return found;
        }
        for folder in folders_above(file) {
            let on_the_way = self.by_folder.get(folder).into_iter().flatten().copied();
            if found.add(self.fitting(on_the_way, fits)) {
                break;
            }
            let below = self.range(|other| if other.starts_with(folder) { Ordering::Equal } else { other.cmp(folder) });
            if beside.certain.is_empty() {
                let new = self.by_file[below.start..met.start].iter().chain(&self.by_file[met.end..below.end]);
                beside.add(self.fitting(new.copied(), fits));
            }
            met = below;
        }
        found.add(beside);
        found
    }

    fn fitting(&self, among: impl IntoIterator<Item = usize>, fits: &Fits<'_, 'a>) -> Found {
        let mut found = Found::default();
        for at in among {
            match fits(&self.objects[at]) {
                Some(true) => found.certain.push(at),
                Some(false) => {}
                None => found.possible.push(at),
            }
        }
        found
    }

    /// Returns where the files are that `order` compares as equal.
    fn range(&self, order: impl Fn(&str) -> Ordering) -> Range<usize> {
        let compared = |at: &usize| order(self.objects[*at].place.file);
        let start = self.by_file.partition_point(|at| compared(at).is_lt());
        let end = self.by_file.partition_point(|at| compared(at).is_le());
        start..end
    }
}

/// Returns the folders that a file is in, the nearest first, each with its separator.
fn folders_above(file: &str) -> impl Iterator<Item = &str> {
    file.rmatch_indices(['/', '\\']).map(|(at, _)| &file[..=at]).chain([""])
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::context::{Namespace, ObjectPlace};
    use super::*;
    use crate::knowledge::release::GroupKind;

    /// Returns the files of the objects that are nearest to `file`, of one in each of `files`.
    fn nearest(files: &[&'static str], builds: &Builds, file: &str) -> Vec<&'static str> {
        let (kind, value, namespace) = (GroupKind::new("Gateway", "g"), Value::Null, Namespace::Unset);
        let object = |file: &&'static str| ObjectView {
            kind: &kind,
            namespace: &namespace,
            name: None,
            value: &value,
            place: ObjectPlace { file, ..ObjectPlace::default() },
        };
        let pool = Pool::new(files.iter().map(object).collect(), builds);
        let found = pool.nearest(builds, file, &|_| Some(true)).certain;
        let places = found.iter().map(|one| one.place.file);
        let mut places: Vec<_> =
            places.filter_map(|place| files.iter().find(|file| **file == place)).copied().collect();
        places.sort_unstable();
        places
    }

    #[test]
    fn the_order_of_the_objects_does_not_matter() {
        let files = ["a-b/x.yaml", "a/b/x.yaml", "a/c/x.yaml", "a/c.yaml", "x.yaml", "z/x.yaml"];
        let cases: [(&str, &[&str]); 7] = [
            ("a/c.yaml", &["a/c.yaml"]),
            ("a/c/y.yaml", &["a/c/x.yaml"]),
            ("a/d/y.yaml", &["a/c.yaml"]),
            ("a/b/c/y.yaml", &["a/b/x.yaml"]),
            ("a-b/c/y.yaml", &["a-b/x.yaml"]),
            ("y.yaml", &["x.yaml"]),
            ("q/y.yaml", &["x.yaml"]),
        ];
        let mut turned = files;
        for _ in files {
            turned.rotate_left(1);
            for (file, expected) in cases {
                assert_eq!(nearest(&turned, &Builds::default(), file), expected, "{file} {turned:?}");
            }
        }
        let beside = ["a/b/x.yaml", "a/c/x.yaml", "x.yaml"];
        assert_eq!(nearest(&beside, &Builds::default(), "a/d/y.yaml"), beside);
    }

    #[test]
    fn builds_around_builds_are_followed_even_in_circles() {
        let of_file =
            [("a/y.yaml", 0), ("b/x.yaml", 1), ("c/x.yaml", 2)].map(|(file, build)| (file.to_owned(), [build].into()));
        let builds = |outer: [&[usize]; 4]| {
            Builds::new(of_file.clone().into(), outer.iter().map(|outer| outer.iter().copied().collect()).collect())
        };
        let files = ["b/x.yaml", "c/x.yaml"];
        assert_eq!(nearest(&files, &builds([&[3], &[3], &[], &[3]]), "a/y.yaml"), ["b/x.yaml"]);
        assert_eq!(nearest(&files, &builds([&[3], &[3], &[0], &[0]]), "a/y.yaml"), ["b/x.yaml", "c/x.yaml"]);
        assert_eq!(nearest(&files, &builds([&[0], &[], &[], &[]]), "a/y.yaml"), files);
    }
}
