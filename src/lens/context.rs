//! Answers: which other objects of the run, and which parameters, can an operation read?
//!
//! [`Context`] is an index of the run's objects by kind, built once, before anything is converted; each is indexed as its
//! file has it. It records what was read: the result for an object that was converted without reading other objects does not
//! depend on them. It also holds the values that the user passed for the parameters of packs.
//!
//! Invariant: what an operation reads of other objects never depends on their conversion.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use super::namespace::Namespace;
use crate::field::FieldPattern;
use crate::release::GroupKind;

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
}

impl ObjectView<'_> {
    /// Returns its kind and name, as messages write them: `Shop public`.
    pub fn title(&self) -> String {
        format!("{} {}", self.kind.kind, self.name.unwrap_or_default())
    }
}

/// The objects that a reference can resolve to.
#[derive(Clone, Debug, Default)]
pub struct Candidates<'a> {
    /// Those that it resolves to, in the order of the run.
    pub certain: Vec<ObjectView<'a>>,
    /// Those that it resolves to if they are in the namespace of the reference, which the files do not show.
    pub possible: Vec<ObjectView<'a>>,
}

/// Objects by the names that they reference, as their positions among those of their kind.
type ByReference = BTreeMap<String, BTreeSet<usize>>;

/// The objects of a run, by kind, and the parameters of the run.
#[derive(Debug, Default)]
pub struct Context<'a> {
    by_kind: BTreeMap<&'a GroupKind, Vec<ObjectView<'a>>>,
    by_name: BTreeMap<&'a GroupKind, BTreeMap<&'a str, Vec<ObjectView<'a>>>>,
    /// Which objects of a kind reference each name at one field; built when it is first needed.
    by_reference: Mutex<BTreeMap<(GroupKind, FieldPattern), ByReference>>,
    parameters: BTreeMap<&'a str, &'a str>,
    read_completeness: AtomicBool,
    read_namespaces: AtomicBool,
    read_objects: AtomicBool,
}

impl<'a> Context<'a> {
    /// Builds the index of `objects`, which keep their order within a kind.
    pub fn new(objects: impl IntoIterator<Item = ObjectView<'a>>) -> Self {
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

    /// Returns whether something was read that kustomizations of the run decide: which objects are whole, or their namespaces.
    pub fn depends_on_kustomizations(&self) -> bool {
        self.read_completeness.load(Ordering::Relaxed) || self.depends_on_namespaces()
    }

    /// Returns whether the namespace of an object was read.
    pub fn depends_on_namespaces(&self) -> bool {
        self.read_namespaces.load(Ordering::Relaxed)
    }

    /// Returns whether other objects were read.
    pub fn depends_on_other_objects(&self) -> bool {
        self.read_objects.load(Ordering::Relaxed)
    }

    /// Records that it was read whether an object is whole.
    pub fn record_completeness_read(&self) {
        self.read_completeness.store(true, Ordering::Relaxed);
    }

    /// Records that the namespace of an object was read.
    pub fn record_namespace_read(&self) {
        self.read_namespaces.store(true, Ordering::Relaxed);
    }

    /// Returns the objects of `kind`, in the order of the run.
    pub fn of_kind(&self, kind: &GroupKind) -> &[ObjectView<'a>] {
        self.read_objects.store(true, Ordering::Relaxed);
        self.by_kind.get(kind).map_or(&[], Vec::as_slice)
    }

    /// Returns the first object of `kind` named `name`, in whatever namespace.
    pub fn first_named(&self, kind: &GroupKind, name: &str) -> Option<&ObjectView<'a>> {
        self.all_named(kind, name).first()
    }

    fn all_named(&self, kind: &GroupKind, name: &str) -> &[ObjectView<'a>] {
        self.read_objects.store(true, Ordering::Relaxed);
        self.by_name.get(kind).and_then(|names| names.get(name)).map_or(&[], Vec::as_slice)
    }

    /// Returns the objects of `kind` that have the name `name` in a reference at `field`, in the order of the run.
    pub fn referencing(&self, kind: &GroupKind, field: &FieldPattern, name: &str) -> Vec<ObjectView<'a>> {
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

    /// Returns the objects that a reference to the object `name` of `kind` in `namespace` can resolve to.
    pub fn resolve(&self, kind: &GroupKind, namespace: &Namespace, name: &str) -> Candidates<'a> {
        let mut candidates = Candidates::default();
        for one in self.all_named(kind, name) {
            match namespace.same_as(one.namespace) {
                Some(true) => candidates.certain.push(*one),
                Some(false) => {}
                None => candidates.possible.push(*one),
            }
        }
        candidates
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn possible_and_certain_candidates_are_separate() {
        let (kind, value) = (GroupKind::new("Gateway", "g"), json!({}));
        let [a, b, open] = [Some("a"), Some("b"), None].map(Namespace::from_written);
        let object = |namespace, name| ObjectView { kind: &kind, namespace, name: Some(name), value: &value };
        let all = Context::new([object(&a, "x"), object(&b, "x"), object(&open, "x"), object(&open, "y")]);
        let count = |namespace, name| {
            let found = all.resolve(&kind, namespace, name);
            (found.certain.len(), found.possible.len())
        };
        let cases = [(&a, "x", (1, 1)), (&open, "x", (1, 2)), (&b, "y", (0, 1)), (&open, "z", (0, 0))];
        for (namespace, name, expected) in cases {
            assert_eq!(count(namespace, name), expected, "{namespace:?} {name}");
        }
        assert!(all.of_kind(&GroupKind::new("Gateway", "")).is_empty());
        assert!(all.first_named(&kind, "y").is_some() && all.first_named(&kind, "z").is_none());
    }
}
