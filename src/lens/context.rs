//! Answers: what is there for an operation to look at, besides its object?
//!
//! [`Context`] is an index of the run's objects by kind, built once, before anything is converted; every [`OtherObject`]
//! stands in it as it does in its file. It notes whether it was asked: an object that was converted without asking is
//! converted alike among any others. Beside them it has what the user said of the cluster.
//!
//! Invariant: what an operation sees of other objects never depends on what became of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use super::namespace::Namespace;
use crate::field::FieldPattern;
use crate::release::GroupKind;

/// Another object of the run, as it stands in its file.
#[derive(Clone, Copy, Debug)]
pub struct OtherObject<'a> {
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
pub struct Candidates<'a> {
    /// Those that it means, in the order of the run.
    pub certain: Vec<OtherObject<'a>>,
    /// Those that it means if they live where it looks for them, which the files do not tell.
    pub possible: Vec<OtherObject<'a>>,
}

/// Objects by the names that they give, as their positions among those of their kind.
type Naming = BTreeMap<String, BTreeSet<usize>>;

/// The objects of a run, by kind.
#[derive(Debug, Default)]
pub struct Context<'a> {
    by_kind: BTreeMap<&'a GroupKind, Vec<OtherObject<'a>>>,
    by_name: BTreeMap<&'a GroupKind, BTreeMap<&'a str, Vec<OtherObject<'a>>>>,
    /// Which objects of a kind give each name in references at one field; made when it is first asked for.
    naming: Mutex<BTreeMap<(GroupKind, FieldPattern), Naming>>,
    parameters: BTreeMap<&'a str, &'a str>,
    asked: AtomicBool,
    located: AtomicBool,
    searched: AtomicBool,
}

impl<'a> Context<'a> {
    /// Makes the index of `objects`, which keep their order within a kind.
    pub fn new(objects: impl IntoIterator<Item = OtherObject<'a>>) -> Self {
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
    pub fn depends_on_kustomizations(&self) -> bool {
        self.asked.load(Ordering::Relaxed) || self.depends_on_namespaces()
    }

    /// Says whether anybody asked where an object lives.
    pub fn depends_on_namespaces(&self) -> bool {
        self.located.load(Ordering::Relaxed)
    }

    /// Says whether anybody searched the run for other objects.
    pub fn depends_on_other_objects(&self) -> bool {
        self.searched.load(Ordering::Relaxed)
    }

    /// Notes that somebody asked whether an object is whole.
    pub fn note_kustomizations_matter(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    /// Notes that somebody asked where an object lives.
    pub fn note_namespaces_matter(&self) {
        self.located.store(true, Ordering::Relaxed);
    }

    /// Returns the objects of `kind`, in the order of the run.
    pub fn of_kind(&self, kind: &GroupKind) -> &[OtherObject<'a>] {
        self.searched.store(true, Ordering::Relaxed);
        self.by_kind.get(kind).map_or(&[], Vec::as_slice)
    }

    /// Returns the objects of a `kind` without namespaces that are called `name`.
    pub fn cluster_scoped(&self, kind: &GroupKind, name: &str) -> Option<&OtherObject<'a>> {
        self.with_name(kind, name).first()
    }

    fn with_name(&self, kind: &GroupKind, name: &str) -> &[OtherObject<'a>] {
        self.searched.store(true, Ordering::Relaxed);
        self.by_name.get(kind).and_then(|names| names.get(name)).map_or(&[], Vec::as_slice)
    }

    /// Returns the objects of `kind` that give `name` in a reference at `field`, in the order of the run.
    pub fn naming(&self, kind: &GroupKind, field: &FieldPattern, name: &str) -> Vec<OtherObject<'a>> {
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
    pub fn named(&self, kind: &GroupKind, namespace: &Namespace, name: &str) -> Candidates<'a> {
        let mut meant = Candidates::default();
        for one in self.with_name(kind, name) {
            match namespace.same_as(one.namespace) {
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

    #[test]
    fn what_may_be_meant_is_told_from_what_is() {
        let (kind, value) = (GroupKind::new("Gateway", "g"), json!({}));
        let [a, b, open] = [Some("a"), Some("b"), None].map(Namespace::from_written);
        let object = |namespace, name| OtherObject { kind: &kind, namespace, name: Some(name), value: &value };
        let all = Context::new([object(&a, "x"), object(&b, "x"), object(&open, "x"), object(&open, "y")]);
        let count = |namespace, name| {
            let meant = all.named(&kind, namespace, name);
            (meant.certain.len(), meant.possible.len())
        };
        let cases = [(&a, "x", (1, 1)), (&open, "x", (1, 2)), (&b, "y", (0, 1)), (&open, "z", (0, 0))];
        for (namespace, name, expected) in cases {
            assert_eq!(count(namespace, name), expected, "{namespace:?} {name}");
        }
        assert!(all.of_kind(&GroupKind::new("Gateway", "")).is_empty());
        assert!(all.cluster_scoped(&kind, "y").is_some() && all.cluster_scoped(&kind, "z").is_none());
    }
}
