//! Answers: what is there for an operation to look at, besides its object?
//!
//! [`Surroundings`] is an index of the run's objects by kind, built once, before anything is converted; every [`Neighbour`]
//! stands in it as it does in its file. It notes whether it was asked: an object that was converted without asking is
//! converted alike among any others. Beside them it has what the user said of the cluster.
//!
//! Invariant: what an operation sees of other objects never depends on what became of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::field::FieldPattern;
use crate::release::GroupKind;

/// Where an object lives once it is applied.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Namespace {
    /// The one of this name.
    Named(String),
    /// The one that the call gives with which the files are applied: one for all objects that name none.
    #[default]
    Open,
    /// One of several: which, depends on the file that is built. Each stands here as the file that gives it and its name, which
    /// is none where that file leaves it open.
    Several(BTreeSet<(String, Option<String>)>),
}

impl Namespace {
    /// Takes the namespace that is written.
    pub fn written(name: Option<&str>) -> Self {
        name.map_or(Self::Open, |name| Self::Named(name.to_owned()))
    }

    /// Returns the name, where it is certain.
    pub const fn name(&self) -> Option<&str> {
        match self {
            Self::Named(name) => Some(name.as_str()),
            Self::Open | Self::Several(_) => None,
        }
    }

    /// Says whether there is one, however the files are built.
    pub fn is_given(&self) -> bool {
        match self {
            Self::Named(_) => true,
            Self::Open => false,
            Self::Several(names) => names.iter().all(|(_, name)| name.is_some()),
        }
    }

    /// Says whether both are one namespace; nothing where the files do not tell.
    pub fn is(&self, other: &Self) -> Option<bool> {
        match (self, other) {
            (Self::Named(left), Self::Named(right)) => Some(left == right),
            (Self::Open, Self::Open) => Some(true),
            (Self::Several(left), Self::Several(right)) if left == right => Some(true),
            (Self::Named(name), Self::Several(names)) | (Self::Several(names), Self::Named(name)) => {
                names.iter().all(|(_, other)| other.as_ref().is_some_and(|other| other != name)).then_some(false)
            }
            (Self::Several(_), Self::Several(_) | Self::Open) | (Self::Open, Self::Several(_)) => None,
            (Self::Named(_), Self::Open) | (Self::Open, Self::Named(_)) => None,
        }
    }

    /// Says why it is not known, as the rest of a sentence that begins with what lives there.
    pub fn unknown(&self) -> String {
        match self {
            Self::Named(name) => format!("is in {name}"),
            Self::Open => "has no metadata.namespace".to_owned(),
            Self::Several(names) => {
                let name = |(file, name): &(String, Option<String>)| match name {
                    Some(name) => format!("{name} ({file})"),
                    None => format!("none ({file})"),
                };
                format!(
                    "gets its namespace from kustomizations that differ: {}",
                    names.iter().map(name).collect::<Vec<_>>().join(", ")
                )
            }
        }
    }
}

/// Another object of the run, as it stands in its file.
#[derive(Clone, Copy, Debug)]
pub struct Neighbour<'a> {
    /// Its kind and API group.
    pub kind: &'a GroupKind,
    /// Where it lives.
    pub namespace: &'a Namespace,
    /// `metadata.name`, where it is given.
    pub name: Option<&'a str>,
    /// Its data.
    pub value: &'a Value,
}

/// The objects that a name can mean.
#[derive(Clone, Debug, Default)]
pub struct Meant<'a> {
    /// Those that it means, in the order of the run.
    pub certain: Vec<Neighbour<'a>>,
    /// Those that it means if they live where it looks for them, which the files do not tell.
    pub possible: Vec<Neighbour<'a>>,
}

/// Objects by the names that they give, as their positions among those of their kind.
type Naming = BTreeMap<String, BTreeSet<usize>>;

/// The objects of a run, by kind.
#[derive(Debug, Default)]
pub struct Surroundings<'a> {
    by_kind: BTreeMap<&'a GroupKind, Vec<Neighbour<'a>>>,
    by_name: BTreeMap<&'a GroupKind, BTreeMap<&'a str, Vec<Neighbour<'a>>>>,
    /// Which objects of a kind give each name in references at one field; made when it is first asked for.
    naming: Mutex<BTreeMap<(GroupKind, FieldPattern), Naming>>,
    parameters: BTreeMap<&'a str, &'a str>,
    asked: AtomicBool,
    located: AtomicBool,
    searched: AtomicBool,
}

impl<'a> Surroundings<'a> {
    /// Makes the index of `objects`, which keep their order within a kind.
    pub fn new(objects: impl IntoIterator<Item = Neighbour<'a>>) -> Self {
        let mut by_kind: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let mut by_name: BTreeMap<_, BTreeMap<_, Vec<_>>> = BTreeMap::new();
        for object in objects {
            by_kind.entry(object.kind).or_default().push(object);
            if let Some(name) = object.name {
                by_name.entry(object.kind).or_default().entry(name).or_default().push(object);
            }
        }
        Self { by_kind, by_name, ..Self::default() }
    }

    /// Adds what the user said of the cluster that no file shows: `ngf.namespace`, `nginx-gateway`.
    #[must_use]
    pub fn with_parameters(self, parameters: &'a BTreeMap<String, String>) -> Self {
        let parameters = parameters.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        Self { parameters: parameters.collect(), ..self }
    }

    /// Returns what the user said for a parameter.
    pub fn parameter(&self, name: &str) -> Option<&'a str> {
        self.parameters.get(name).copied()
    }

    /// Says whether anybody asked for what kustomizations of the run decide: what is whole, or where it lives.
    pub fn was_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed) || self.was_located()
    }

    /// Says whether anybody asked where an object lives.
    pub fn was_located(&self) -> bool {
        self.located.load(Ordering::Relaxed)
    }

    /// Says whether anybody searched the run for other objects.
    pub fn was_searched(&self) -> bool {
        self.searched.load(Ordering::Relaxed)
    }

    /// Notes that somebody asked whether an object is whole.
    pub fn ask(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    /// Notes that somebody asked where an object lives.
    pub fn locate(&self) {
        self.located.store(true, Ordering::Relaxed);
    }

    /// Returns the objects of `kind`, in the order of the run.
    pub fn of_kind(&self, kind: &GroupKind) -> &[Neighbour<'a>] {
        self.searched.store(true, Ordering::Relaxed);
        self.by_kind.get(kind).map_or(&[], Vec::as_slice)
    }

    /// Returns the objects of a `kind` without namespaces that are called `name`.
    pub fn called(&self, kind: &GroupKind, name: &str) -> Option<&Neighbour<'a>> {
        self.with_name(kind, name).first()
    }

    fn with_name(&self, kind: &GroupKind, name: &str) -> &[Neighbour<'a>] {
        self.searched.store(true, Ordering::Relaxed);
        self.by_name.get(kind).and_then(|names| names.get(name)).map_or(&[], Vec::as_slice)
    }

    /// Returns the objects of `kind` that give `name` in a reference at `field`, in the order of the run.
    pub fn naming(&self, kind: &GroupKind, field: &FieldPattern, name: &str) -> Vec<Neighbour<'a>> {
        let objects = self.of_kind(kind);
        let mut known = self.naming.lock().unwrap_or_else(PoisonError::into_inner);
        let naming = known.entry((kind.clone(), field.clone())).or_insert_with(|| {
            let mut naming = Naming::new();
            for (at, one) in objects.iter().enumerate() {
                let references = field.values(one.value).into_iter();
                for name in references.filter_map(|reference| reference.get("name").and_then(Value::as_str)) {
                    naming.entry(name.to_owned()).or_default().insert(at);
                }
            }
            naming
        });
        naming.get(name).into_iter().flatten().map(|at| objects[*at]).collect()
    }

    /// Returns the objects of `kind` that are called `name` in `namespace`.
    pub fn named(&self, kind: &GroupKind, namespace: &Namespace, name: &str) -> Meant<'a> {
        let mut meant = Meant::default();
        for one in self.with_name(kind, name) {
            match namespace.is(one.namespace) {
                Some(true) => meant.certain.push(*one),
                Some(false) => {}
                None => meant.possible.push(*one),
            }
        }
        meant
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn several(names: &[(&str, Option<&str>)]) -> Namespace {
        let owned = |(file, name): &(&str, Option<&str>)| ((*file).to_owned(), name.map(str::to_owned));
        Namespace::Several(names.iter().map(owned).collect())
    }

    #[test]
    fn namespaces_are_one_where_the_files_tell() {
        let [a, b] = ["a", "b"].map(|name| Namespace::written(Some(name)));
        let (open, either) = (Namespace::Open, several(&[("x", Some("a")), ("y", Some("c"))]));
        let same_names = several(&[("x", Some("c")), ("y", Some("a"))]);
        let perhaps_open = several(&[("x", Some("a")), ("y", None)]);
        let cases = [
            (&a, &a, Some(true)),
            (&a, &b, Some(false)),
            (&a, &open, None),
            (&open, &open, Some(true)),
            (&a, &either, None),
            (&b, &either, Some(false)),
            (&b, &perhaps_open, None),
            (&either, &either, Some(true)),
            (&either, &same_names, None),
            (&either, &open, None),
        ];
        for (left, right, expected) in cases {
            assert_eq!([left.is(right), right.is(left)], [expected, expected], "{left:?} {right:?}");
        }
    }

    #[test]
    fn what_may_be_meant_is_told_from_what_is() {
        let (kind, value) = (GroupKind::new("Gateway", "g"), json!({}));
        let [a, b, open] = [Some("a"), Some("b"), None].map(Namespace::written);
        let object = |namespace, name| Neighbour { kind: &kind, namespace, name: Some(name), value: &value };
        let all = Surroundings::new([object(&a, "x"), object(&b, "x"), object(&open, "x"), object(&open, "y")]);
        let count = |namespace, name| {
            let meant = all.named(&kind, namespace, name);
            (meant.certain.len(), meant.possible.len())
        };
        let cases = [(&a, "x", (1, 1)), (&open, "x", (1, 2)), (&b, "y", (0, 1)), (&open, "z", (0, 0))];
        for (namespace, name, expected) in cases {
            assert_eq!(count(namespace, name), expected, "{namespace:?} {name}");
        }
        assert!(all.of_kind(&GroupKind::new("Gateway", "")).is_empty());
        assert!(all.called(&kind, "y").is_some() && all.called(&kind, "z").is_none());
    }
}
