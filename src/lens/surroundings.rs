//! Answers: which other objects are there for an operation to look at?
//!
//! [`Surroundings`] is an index of the run's objects by kind, built once, before anything is converted; every [`Neighbour`]
//! stands in it as it does in its file. It notes whether it was asked: an object that was converted without asking is
//! converted alike among any others.
//!
//! Invariant: what an operation sees of other objects never depends on what became of them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use crate::release::GroupKind;

/// Another object of the run, as it stands in its file.
#[derive(Clone, Copy, Debug)]
pub struct Neighbour<'a> {
    /// Its kind and API group.
    pub kind: &'a GroupKind,
    /// `metadata.namespace`, where it is given.
    pub namespace: Option<&'a str>,
    /// `metadata.name`, where it is given.
    pub name: Option<&'a str>,
    /// Its data.
    pub value: &'a Value,
}

/// The objects of a run, by kind.
#[derive(Debug, Default)]
pub struct Surroundings<'a> {
    by_kind: BTreeMap<&'a GroupKind, Vec<Neighbour<'a>>>,
    asked: AtomicBool,
}

impl<'a> Surroundings<'a> {
    /// Makes the index of `objects`, which keep their order within a kind.
    pub fn new(objects: impl IntoIterator<Item = Neighbour<'a>>) -> Self {
        let mut by_kind: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for object in objects {
            by_kind.entry(object.kind).or_default().push(object);
        }
        Self { by_kind, asked: AtomicBool::new(false) }
    }

    /// Says whether anybody asked what else there is in the run.
    pub fn was_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// Notes that the answer to a question depends on the rest of the run.
    pub fn ask(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    /// Returns the objects of `kind`, in the order of the run.
    pub fn of_kind(&self, kind: &GroupKind) -> &[Neighbour<'a>] {
        self.ask();
        self.by_kind.get(kind).map_or(&[], Vec::as_slice)
    }

    /// Returns the objects of `kind` that are called `name` in `namespace`; a namespace that one side leaves open (it may be
    /// given on the command line or by an overlay) matches any.
    pub fn named(&self, kind: &GroupKind, namespace: Option<&str>, name: &str) -> Vec<Neighbour<'a>> {
        let same = |one: &&Neighbour<'a>| {
            let namespaces = namespace.zip(one.namespace);
            one.name == Some(name) && namespaces.is_none_or(|(wanted, has)| wanted == has)
        };
        self.of_kind(kind).iter().filter(same).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_open_namespace_matches_any() {
        let (kind, value) = (GroupKind::new("Gateway", "g"), json!({}));
        let object = |namespace, name| Neighbour { kind: &kind, namespace, name: Some(name), value: &value };
        let all =
            Surroundings::new([object(Some("a"), "x"), object(Some("b"), "x"), object(None, "x"), object(None, "y")]);
        let count = |namespace, name| all.named(&kind, namespace, name).len();
        assert_eq!([count(Some("a"), "x"), count(None, "x"), count(Some("c"), "y"), count(None, "z")], [2, 3, 1, 0]);
        assert!(all.of_kind(&GroupKind::new("Gateway", "")).is_empty());
    }
}
