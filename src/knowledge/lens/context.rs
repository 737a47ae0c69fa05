//! Answers: which other objects of the run, and which parameters, can an operation read?
//!
//! [`Context`] is an index of the run's objects by kind, built once, before anything is converted; each is indexed as its file has it.
//! Among several that a reference can name, the nearest count ([`Builds`]). It also holds the values that the user passed for the
//! parameters of packs.
//!
//! Invariant: what an operation reads of other objects never depends on their conversion.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde_json::Value;

use super::open_parts::OpenParts;
use crate::knowledge::release::GroupKind;
use crate::syntax::field::FieldPattern;

/// What belongs to an object: positions among the objects of a kind.
pub(super) type Relation = BTreeMap<ObjectId, Vec<usize>>;

/// Objects by the names that they reference, as their positions among those of their kind.
type ByReference = BTreeMap<String, BTreeSet<usize>>;

/// The objects of a run, by kind, and the parameters of the run.
#[derive(Debug, Default)]
pub struct Context<'a> {
    by_kind: BTreeMap<&'a GroupKind, Pool<'a>>,
    by_name: BTreeMap<&'a GroupKind, BTreeMap<&'a str, Pool<'a>>>,
    builds: Cow<'a, Builds>,
    /// Which objects of a kind reference each name at one field; built when it is first needed.
    by_reference: Mutex<BTreeMap<(GroupKind, FieldPattern), ByReference>>,
    /// What belongs to the objects of a kind by a field of those of another; worked out when it is first needed.
    relations: Mutex<BTreeMap<(GroupKind, GroupKind, FieldPattern), Arc<Relation>>>,
    parameters: BTreeMap<&'a str, &'a str>,
    /// Set once an operation asks for other objects, where none are known.
    asked: OnceLock<()>,
}

impl<'a> Context<'a> {
    /// Builds the index of `objects`, in the order of the run, which `builds` take in.
    pub fn new(objects: impl IntoIterator<Item = ObjectView<'a>>, builds: &'a Builds) -> Self {
        let mut by_kind: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let mut by_name: BTreeMap<_, BTreeMap<_, Vec<_>>> = BTreeMap::new();
        for object in objects {
            by_kind.entry(object.kind).or_default().push(object);
            if let Some(name) = object.name {
                by_name.entry(object.kind).or_default().entry(name).or_default().push(object);
            }
        }
        let pool = |objects| Pool::new(objects, builds);
        let pools = |names: BTreeMap<&'a str, Vec<_>>| names.into_iter().map(|(name, all)| (name, pool(all))).collect();
        Self {
            by_kind: by_kind.into_iter().map(|(kind, all)| (kind, pool(all))).collect(),
            by_name: by_name.into_iter().map(|(kind, names)| (kind, pools(names))).collect(),
            builds: Cow::Borrowed(builds),
            ..Self::default()
        }
    }

    /// Adds the parameters that the user passed: `shop.namespace`, `shop-system`.
    #[must_use]
    pub fn with_parameters(self, parameters: &'a BTreeMap<String, String>) -> Self {
        let parameters = parameters.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        Self { parameters: parameters.collect(), ..self }
    }

    /// Returns the value of a parameter, where the user passed one.
    pub fn parameter(&self, name: &str) -> Option<&'a str> {
        self.parameters.get(name).copied()
    }

    /// Returns whether an operation asked for other objects, although none are known.
    pub(crate) fn was_asked_in_vain(&self) -> bool {
        self.asked.get().is_some()
    }

    fn ask(&self) {
        if self.by_kind.is_empty() {
            self.asked.get_or_init(|| ());
        }
    }

    /// Returns the objects of `kind`, in the order of the run.
    pub fn of_kind(&self, kind: &GroupKind) -> &[ObjectView<'a>] {
        self.ask();
        self.by_kind.get(kind).map_or(&[], Pool::all)
    }

    /// Returns the objects of `kind` for which `fits` holds and that are nearest to `file`, and those for which it may hold; for each
    /// build of the file, as far as they differ.
    pub(crate) fn nearest_in_each_build(
        &self,
        kind: &GroupKind,
        file: &str,
        fits: &dyn Fn(&ObjectView<'a>) -> Option<bool>,
    ) -> Vec<Candidates<'a>> {
        self.ask();
        self.by_kind.get(kind).map(|pool| pool.nearest_in_each(&self.builds, file, fits)).unwrap_or_default()
    }

    /// Returns the objects of `kind` named `name`, in whatever namespace, that are nearest to `file`.
    pub fn named(&self, kind: &GroupKind, name: &str, file: &str) -> Vec<ObjectView<'a>> {
        self.nearest_named(kind, name, file, &|_| Some(true)).certain
    }

    /// Returns whether several objects of `kind` have the name `name`.
    pub(crate) fn has_namesakes(&self, kind: &GroupKind, name: &str) -> bool {
        self.by_name.get(kind).and_then(|names| names.get(name)).is_some_and(|pool| pool.all().len() > 1)
    }

    fn nearest_named(
        &self,
        kind: &GroupKind,
        name: &str,
        file: &str,
        fits: &dyn Fn(&ObjectView<'a>) -> Option<bool>,
    ) -> Candidates<'a> {
        self.ask();
        let pool = self.by_name.get(kind).and_then(|names| names.get(name));
        pool.map(|pool| pool.nearest(&self.builds, file, fits)).unwrap_or_default()
    }

    /// Returns the objects of `kind` that have the name `name` in a reference at `field`, in the order of the run.
    pub(crate) fn referencing(&self, kind: &GroupKind, field: &FieldPattern, name: &str) -> Vec<ObjectView<'a>> {
        let objects = self.of_kind(kind);
        let mut by_reference = self.by_reference.lock().unwrap_or_else(PoisonError::into_inner);
        let by_name = by_reference.entry((kind.clone(), field.clone())).or_insert_with(|| {
            let mut by_name = ByReference::new();
            for (at, one) in objects.iter().enumerate() {
                let references = field.values(one.value).into_iter();
                for name in references.filter_map(|reference| reference.get("name").and_then(Value::as_str)) {
                    by_name.entry(name.to_owned()).or_default().insert(at);
                }
            }
            by_name
        });
        by_name.get(name).into_iter().flatten().map(|at| objects[*at]).collect()
    }

    /// Returns the objects of `kind` that belong to the object at `id`, which is of kind `owner`, by their `field`. `owners` returns the
    /// positions of those that one belongs to, and is called once for each.
    pub(super) fn belonging(
        &self,
        id: ObjectId,
        owner: &GroupKind,
        kind: &GroupKind,
        field: &FieldPattern,
        owners: impl Fn(&ObjectView<'a>) -> BTreeSet<ObjectId>,
    ) -> Vec<ObjectView<'a>> {
        let objects = self.of_kind(kind);
        let relate = || {
            let mut relation = Relation::new();
            for (at, one) in objects.iter().enumerate() {
                owners(one).into_iter().for_each(|owner| relation.entry(owner).or_default().push(at));
            }
            Arc::new(relation)
        };
        let mut relations = self.relations.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (owner.clone(), kind.clone(), field.clone());
        let relation = Arc::clone(relations.entry(key).or_insert_with(relate));
        relation.get(&id).into_iter().flatten().map(|at| objects[*at]).collect()
    }

    /// Returns the objects that a reference in `file` to the object `name` of `kind` in `namespace` can resolve to.
    pub fn resolve(&self, kind: &GroupKind, namespace: &Namespace, name: &str, file: &str) -> Candidates<'a> {
        self.nearest_named(kind, name, file, &|one| namespace.same_as(one.namespace))
    }
}

/// The namespace of an object when it is applied.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Namespace {
    /// The one of this name.
    Named(String),
    /// The default namespace of the command that applies the files: the same one for all objects without a namespace.
    #[default]
    Unset,
    /// One of several, depending on the kustomization that is built: the file of each and the namespace that it sets, `None`
    /// where it sets none.
    Several(BTreeSet<(String, Option<String>)>),
}

impl Namespace {
    /// Returns the namespace that `metadata.namespace` sets.
    pub(crate) fn from_written(name: Option<&str>) -> Self {
        name.map_or(Self::Unset, |name| Self::Named(name.to_owned()))
    }

    /// Returns the name, where it is certain.
    pub const fn name(&self) -> Option<&str> {
        match self {
            Self::Named(name) => Some(name.as_str()),
            Self::Unset | Self::Several(_) => None,
        }
    }

    /// Returns whether it is set in every build of the files.
    pub(crate) fn is_set(&self) -> bool {
        match self {
            Self::Named(_) => true,
            Self::Unset => false,
            Self::Several(names) => names.iter().all(|(_, name)| name.is_some()),
        }
    }

    /// Returns whether both are the same namespace; `None` where the files do not show it.
    pub(crate) fn same_as(&self, other: &Self) -> Option<bool> {
        match (self, other) {
            (Self::Named(left), Self::Named(right)) => Some(left == right),
            (Self::Unset, Self::Unset) => Some(true),
            (Self::Several(left), Self::Several(right)) if left == right => Some(true),
            (Self::Named(name), Self::Several(names)) | (Self::Several(names), Self::Named(name)) => {
                names.iter().all(|(_, other)| other.as_ref().is_some_and(|other| other != name)).then_some(false)
            }
            (Self::Several(_), Self::Several(_) | Self::Unset) | (Self::Unset, Self::Several(_)) => None,
            (Self::Named(_), Self::Unset) | (Self::Unset, Self::Named(_)) => None,
        }
    }

    /// Returns what the files show of it, as the rest of a sentence that begins with the object.
    pub fn description(&self) -> String {
        match self {
            Self::Named(name) => format!("is in namespace {name}"),
            Self::Unset => "has no metadata.namespace".to_owned(),
            Self::Several(names) => {
                let name = |(file, name): &(String, Option<String>)| match name {
                    Some(name) => format!("{name} ({file})"),
                    None => format!("none ({file})"),
                };
                let names: Vec<_> = names.iter().map(name).collect();
                format!("gets different namespaces from several kustomizations: {}", names.join(", "))
            }
        }
    }
}

/// The position of an object in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObjectId {
    /// The number of its file in the run.
    pub file: usize,
    /// Its number in what is known of the file.
    pub at: usize,
}

/// Where an object is.
#[derive(Clone, Copy, Debug, Default)]
pub struct ObjectPlace<'a> {
    /// Its file.
    pub file: &'a str,
    /// The line on which it starts, where it is known.
    pub line: Option<usize>,
    /// Its position; nothing for one that others cannot find, such as a patch.
    pub id: Option<ObjectId>,
    /// What of it is not known.
    pub open: &'a OpenParts,
}

/// An object of the run, as its file has it.
#[derive(Clone, Copy, Debug)]
pub struct ObjectView<'a> {
    /// Its kind and API group.
    pub kind: &'a GroupKind,
    /// Its namespace.
    pub namespace: &'a Namespace,
    /// `metadata.name`, where it is set.
    pub name: Option<&'a str>,
    /// Its data.
    pub value: &'a Value,
    /// Where it is.
    pub place: ObjectPlace<'a>,
}

impl ObjectView<'_> {
    /// Returns its kind and name, as messages write them: `Shop public`.
    pub fn title(&self) -> String {
        format!("{} {}", self.kind.kind, self.name.unwrap_or_default())
    }

    /// Returns its kind, name and place: `Shop public (shops.yaml:3)`.
    pub fn described(&self) -> String {
        self.with_place(&self.title())
    }

    /// Returns `title` with its place.
    pub(super) fn with_place(&self, title: &str) -> String {
        let ObjectPlace { file, line, .. } = self.place;
        match line {
            Some(line) => format!("{title} ({file}:{line})"),
            None => title.to_owned(),
        }
    }
}

/// The objects that a reference can resolve to.
#[derive(Clone, Debug, Default)]
pub struct Candidates<'a> {
    /// Those that it resolves to, in the order of the run: several where the files do not show which one it is.
    pub certain: Vec<ObjectView<'a>>,
    /// Those that it resolves to if they are in the namespace of the reference, which the files do not show.
    pub possible: Vec<ObjectView<'a>>,
}

impl<'a> Candidates<'a> {
    /// Returns all of them.
    pub fn all(&self) -> impl Iterator<Item = &ObjectView<'a>> + Clone {
        self.certain.iter().chain(&self.possible)
    }

    /// Returns whether the object at `id` is one of them; `None` where it may be.
    pub fn has(&self, id: ObjectId) -> Option<bool> {
        let is_it = |one: &ObjectView<'_>| one.place.id == Some(id);
        match self.certain.iter().any(is_it) {
            true => Some(true),
            false => (!self.possible.iter().any(is_it)).then_some(false),
        }
    }
}

/// Lists the first few of `items` for people, as `text` shows them.
pub(crate) fn some_of<T>(items: &[T], text: impl Fn(&T) -> String) -> String {
    const SHOWN: usize = 4;
    let shown: Vec<_> = items.iter().take(SHOWN).map(text).collect();
    match items.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

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

    /// Returns whether a build takes in both files.
    pub(crate) fn take_in_both(&self, file: &str, other: &str) -> bool {
        !self.with(file).is_disjoint(&self.with(other))
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
    use super::*;
    use crate::knowledge::release::GroupKind;
    use serde_json::{Value, json};

    #[test]
    fn possible_and_certain_candidates_are_separate() {
        let (kind, value) = (GroupKind::new("Gateway", "g"), json!({}));
        let [a, b, open] = [Some("a"), Some("b"), None].map(Namespace::from_written);
        let object = |namespace, name| ObjectView {
            kind: &kind,
            namespace,
            name: Some(name),
            value: &value,
            place: ObjectPlace::default(),
        };
        let builds = Builds::default();
        let all = [object(&a, "x"), object(&b, "x"), object(&open, "x"), object(&open, "y")];
        let all = Context::new(all, &builds);
        let count = |namespace, name| {
            let found = all.resolve(&kind, namespace, name, "");
            (found.certain.len(), found.possible.len())
        };
        let cases = [(&a, "x", (1, 1)), (&open, "x", (1, 2)), (&b, "y", (0, 1)), (&open, "z", (0, 0))];
        for (namespace, name, expected) in cases {
            assert_eq!(count(namespace, name), expected, "{namespace:?} {name}");
        }
        assert!(all.of_kind(&GroupKind::new("Gateway", "")).is_empty());
        assert!(!all.named(&kind, "y", "").is_empty() && all.named(&kind, "z", "").is_empty());
    }

    fn several(names: &[(&str, Option<&str>)]) -> Namespace {
        let owned = |(file, name): &(&str, Option<&str>)| ((*file).to_owned(), name.map(str::to_owned));
        Namespace::Several(names.iter().map(owned).collect())
    }

    #[test]
    fn namespaces_are_compared_as_far_as_known() {
        let [a, b] = ["a", "b"].map(|name| Namespace::from_written(Some(name)));
        let (open, either) = (Namespace::Unset, several(&[("x", Some("a")), ("y", Some("c"))]));
        let same_names = several(&[("x", Some("c")), ("y", Some("a"))]);
        let partly_unknown = several(&[("x", Some("a")), ("y", None)]);
        let cases = [
            (&a, &a, Some(true)),
            (&a, &b, Some(false)),
            (&a, &open, None),
            (&open, &open, Some(true)),
            (&a, &either, None),
            (&b, &either, Some(false)),
            (&b, &partly_unknown, None),
            (&either, &either, Some(true)),
            (&either, &same_names, None),
            (&either, &open, None),
        ];
        for (left, right, expected) in cases {
            assert_eq!([left.same_as(right), right.same_as(left)], [expected, expected], "{left:?} {right:?}");
        }
    }

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
