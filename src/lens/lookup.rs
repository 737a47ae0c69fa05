//! The operation `lookup`: a field that the new side requires is read from the objects that this one references.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value;

use super::condition::Condition;
use super::fidelity::Fidelity;
use super::halt::Halt;
use super::image::Claims;
use super::namespace::Namespace;
use super::object_view::{Candidates, ObjectView, some_of};
use super::operation::{Description, Operation};
use super::premise::{Form, Premise, Side};
use super::references::unknown_namespaces;
use super::session::{Completeness, Session};
use crate::field::{FieldPath, FieldPattern, Part};
use crate::release::GroupKind;
use crate::yaml::{Intent, Place};

/// `lookup: { field: spec.hostnames, refs: "spec.parentRefs[]", kinds: [...], items: "spec.listeners[]", value: hostname }`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Lookup {
    /// The list that gets the values.
    field: FieldPattern,
    /// The references in this object: mappings with `name`, and `kind`, `group` and `namespace` where they are not those implied.
    refs: FieldPattern,
    /// The kinds that they can reference; the first is implied where a reference has none.
    kinds: Vec<GroupKind>,
    /// The items in a referenced object.
    items: FieldPattern,
    /// The keys of a reference that select items, each with the key of the item that must have the same value.
    #[serde(default)]
    select: BTreeMap<String, String>,
    /// What must hold for an item: `only: { present: hostname }`.
    #[serde(default)]
    only: Condition,
    /// The field of an item that has the value.
    value: FieldPattern,
}

impl Lookup {
    pub(super) const DESCRIPTION: Description = Description {
        name: "lookup",
        text: "Gives the list `field`, where it is absent or empty, the values that `value` has in the `items` of the objects \
               that the references `refs` resolve to: of the items for which the test under `only` holds and whose fields equal those \
               of the reference (`select` pairs a key of the reference with one of the item). A reference without a kind is to \
               the first of `kinds`, one without a namespace to the object's own. Refused where such an object is not among \
               the files, or an item has no value. A patch is left unchanged. The inverse leaves the object unchanged.",
        example: "lookup: { field: spec.hostnames, refs: \"spec.parentRefs[]\", kinds: [Shop.example.com], \
                  items: \"spec.listeners[]\", select: { sectionName: name }, value: hostname }",
    };

    /// Returns the values of everything that the object references, each once, in order.
    fn values(&self, session: &Session<'_>) -> Result<Vec<Value>, Halt> {
        let references = self.refs.matches(session.object());
        if references.is_empty() {
            let reason = format!("{} is required, and there is no {} to read it from", self.field, self.refs);
            return Err(self.refused(self.at(), reason));
        }
        let mut all: Vec<Value> = Vec::new();
        for path in references {
            for value in self.values_of(&path, session)? {
                if !all.contains(&value) {
                    all.push(value);
                }
            }
        }
        Ok(all)
    }

    fn values_of(&self, path: &FieldPath, session: &Session<'_>) -> Result<Vec<Value>, Halt> {
        let Some(reference) = path.get(session.object()) else { return Ok(Vec::new()) };
        let found = self.resolve(path, reference, session)?;
        let mut values = Vec::new();
        for target in &found {
            let one = self.values_in(path, reference, target)?;
            if !values.is_empty() && values != one {
                let all = some_of(&found, ObjectView::described);
                let reason = format!("{path} can be to several objects, which differ in {}: {all}", self.value);
                return Err(self.refused(path.clone(), reason));
            }
            values = one;
        }
        Ok(values)
    }

    /// Returns the objects that a reference can resolve to.
    fn resolve<'a>(
        &self,
        path: &FieldPath,
        reference: &Value,
        session: &Session<'a>,
    ) -> Result<Vec<ObjectView<'a>>, Halt> {
        let text = |key: &str| reference.get(key).and_then(Value::as_str);
        let first = self.kinds.first().cloned().unwrap_or_else(|| GroupKind::new("", ""));
        let kind = GroupKind::new(text("kind").unwrap_or(&first.kind), text("group").unwrap_or(&first.group));
        let namespace =
            text("namespace").map_or_else(|| session.namespace().clone(), |name| Namespace::Named(name.to_owned()));
        let name = text("name").unwrap_or_default();
        if !self.kinds.contains(&kind) {
            let reason = format!("{path} references a {kind}, and {} cannot be read from that kind", self.value);
            return Err(self.refused(path.clone(), reason));
        }
        let found = session.context().map(|all| all.resolve(&kind, &namespace, name, session.place().file));
        let found = found.unwrap_or_default();
        if found.certain.is_empty() {
            let title = namespace.name().map_or_else(|| name.to_owned(), |namespace| format!("{namespace}/{name}"));
            if !found.possible.is_empty() {
                return Err(self.refused_namespace(path, &kind, &title, &namespace, &found));
            }
            let kind = &kind.kind;
            let reason =
                format!("{} is required and read from {kind} {title}, which is not among the files", self.field);
            return Err(self.refused(path.clone(), reason));
        }
        Ok(found.certain.into_iter().chain(found.possible).collect())
    }

    /// Refuses to read from `others`, which may be in another namespace.
    fn refused_namespace(
        &self,
        path: &FieldPath,
        kind: &GroupKind,
        title: &str,
        namespace: &Namespace,
        others: &Candidates<'_>,
    ) -> Halt {
        let unknown = unknown_namespaces(&others.possible, namespace);
        let reason = format!("{} is required and read from {} {title}, but {unknown}", self.field, kind.kind);
        self.refused(path.clone(), reason)
    }

    fn values_in(&self, path: &FieldPath, reference: &Value, target: &ObjectView<'_>) -> Result<Vec<Value>, Halt> {
        let items = self.items.matches(target.value);
        let is_selected = |item: &&Value| {
            let same = |(key, field): (&String, &String)| {
                reference.get(key).is_none_or(|value| item.get(field) == Some(value))
            };
            self.only.holds(item) && self.select.iter().all(same)
        };
        let items: Vec<_> = items.iter().filter_map(|item| item.get(target.value)).filter(is_selected).collect();
        let title = target.described();
        if items.is_empty() {
            let reason = format!("{} is required, and {path} selects no item of {} in {title}", self.field, self.items);
            return Err(self.refused(path.clone(), reason));
        }
        let mut values = Vec::new();
        for item in items {
            let found = self.value.matches(item);
            if found.is_empty() {
                let (items, value) = (&self.items, &self.value);
                let reason = format!(
                    "{} is required, and an item of {items} in {title} has no {value}: it matches everything",
                    self.field
                );
                return Err(self.refused(path.clone(), reason));
            }
            values.extend(found.iter().filter_map(|path| path.get(item)).cloned());
        }
        Ok(values)
    }

    fn at(&self) -> FieldPath {
        self.field.as_path().unwrap_or_default()
    }

    fn refused(&self, at: FieldPath, reason: String) -> Halt {
        let help = format!("write {} by hand, or run on all files together", self.field);
        Halt::Refused { at, reason, help: Some(help) }
    }
}

impl Operation for Lookup {
    fn run(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        let path = self.at();
        let present = path.get(session.object());
        let is_empty = present.is_some_and(|value| value.as_array().is_some_and(Vec::is_empty));
        let is_needed = present.is_none() || is_empty;
        if !is_needed || session.completeness() == Completeness::Partial {
            return Ok(());
        }
        let value = Value::Array(self.values(session)?);
        if is_empty {
            return session.change(Intent::Replace { path, value });
        }
        let Some((parent, _)) = path.split_last() else { return Ok(()) };
        let place = self.refs.split_last().map(|(list, _)| list).and_then(|list| {
            let (above, last) = list.split_last()?;
            match last {
                Part::Key(key) if above == parent.pattern() => Some(Place::After(key.clone())),
                _ => None,
            }
        });
        session.change(Intent::Insert { path, value, place: place.unwrap_or(Place::Last) })
    }

    fn inverse(&self, _kind: &GroupKind) -> Box<dyn Operation> {
        Box::new(LookupInverse { lookup: self.clone() })
    }

    fn kinds_read(&self) -> Vec<GroupKind> {
        self.kinds.clone()
    }

    fn fills_absent(&self, field: &FieldPattern) -> bool {
        *field == self.field
    }

    fn claims(&self) -> Claims {
        Claims::default()
    }

    fn premises(&self) -> Vec<Premise> {
        vec![Premise::new(&self.field, Form::List, Side::Either), Premise::present(&self.refs)]
    }

    fn fidelity(&self) -> Option<Fidelity> {
        Some(Fidelity::Refused)
    }

    fn fidelities(&self) -> BTreeSet<Fidelity> {
        BTreeSet::from([Fidelity::Normalized, Fidelity::Refused])
    }
}

/// The inverse of [`Lookup`]: what was read stays. Not written in rule files.
#[derive(Clone, Debug)]
struct LookupInverse {
    lookup: Lookup,
}

impl Operation for LookupInverse {
    fn run(&self, _session: &mut Session<'_>) -> Result<(), Halt> {
        Ok(())
    }

    fn inverse(&self, _kind: &GroupKind) -> Box<dyn Operation> {
        Box::new(self.lookup.clone())
    }

    fn claims(&self) -> Claims {
        Claims::default()
    }

    fn fidelity(&self) -> Option<Fidelity> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::context::Context;
    use super::super::nearest::Builds;
    use super::super::object_view::ObjectPlace;
    use super::super::trial::operation;
    use super::*;
    use serde_json::json;

    const LOOKUP: &str = "lookup: { field: spec.hosts, refs: \"spec.refs[]\", kinds: [G.g, S.s], items: \"spec.l[]\", \
                          select: { section: name }, only: { equals: { field: p, value: T } }, value: host }";

    /// Runs the lookup of a route that has `spec`, in namespace `a`, with G x of namespace `a` and S y of namespace `b`.
    fn run(spec: Value, completeness: Completeness) -> Result<Value, String> {
        let (g, s) = (GroupKind::new("G", "g"), GroupKind::new("S", "s"));
        let x = json!({"spec": {"l": [{"name": "one", "p": "T", "host": "1"}, {"name": "two", "p": "T", "host": "2"},
            {"name": "none", "p": "T"}, {"name": "other", "p": "H", "host": "3"}]}});
        let y =
            json!({"spec": {"l": [{"name": "one", "p": "T", "host": "1"}, {"name": "four", "p": "T", "host": "4"}]}});
        let [a, b] = [Some("a"), Some("b")].map(Namespace::from_written);
        let (place, builds) = (ObjectPlace::default(), Builds::default());
        let objects = [
            ObjectView { kind: &g, namespace: &a, name: Some("x"), value: &x, place },
            ObjectView { kind: &s, namespace: &b, name: Some("y"), value: &y, place },
        ];
        let context = Context::new(objects, &builds);
        let object = json!({"metadata": {"namespace": "a"}, "spec": spec});
        let mut session = Session::in_context(object, &context, completeness);
        match operation(LOOKUP).run(&mut session) {
            Ok(()) => Ok(session.object()["spec"].clone()),
            Err(Halt::Refused { at, .. }) => Err(at.to_string()),
            Err(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn values_come_from_the_referenced_object() {
        let refs = json!([{"name": "x", "section": "two"}, {"kind": "S", "group": "s", "name": "y", "namespace": "b"}, {"name": "x", "section": "one"}]);
        let expected = json!({"refs": refs, "hosts": ["2", "1", "4"]});
        assert_eq!(run(json!({"refs": refs}), Completeness::Whole), Ok(expected.clone()));
        assert_eq!(run(json!({"refs": refs, "hosts": []}), Completeness::Whole), Ok(expected));
    }

    #[test]
    fn existing_values_are_kept() {
        for spec in [json!({"hosts": ["9"]}), json!({"refs": [{"name": "z"}], "hosts": ["9"]})] {
            assert_eq!(run(spec.clone(), Completeness::Whole), Ok(spec));
        }
        let patch = json!({"rules": []});
        assert_eq!(run(patch.clone(), Completeness::Partial), Ok(patch));
    }

    #[test]
    fn unreadable_values_are_refused() {
        let at = |refs: Value| run(json!({"refs": refs}), Completeness::Whole).unwrap_err();
        assert_eq!(run(json!({}), Completeness::Whole), Err("spec.hosts".to_owned()));
        assert_eq!(at(json!([{"name": "x", "section": "one"}, {"name": "z"}])), "spec.refs[1]");
        assert_eq!(at(json!([{"name": "x"}])), "spec.refs[0]");
        assert_eq!(at(json!([{"name": "x", "section": "other"}])), "spec.refs[0]");
        assert_eq!(at(json!([{"name": "x", "kind": "Q"}])), "spec.refs[0]");
        assert_eq!(at(json!([{"name": "x", "namespace": "b"}])), "spec.refs[0]");
    }
}
