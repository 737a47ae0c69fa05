//! Kubernetes, CustomResourceDefinition: schema, subresources and printer columns that apply to all versions are in each version.

use serde_json::{Map, Value};

use super::super::default::beside;
use super::super::operation::{Claims, Description, Direction, Fidelity, Operation, Pass};
use super::super::session::{Halt, Session};
use super::fields::{items, path, pattern};
use crate::syntax::field::FieldPath;
use crate::syntax::yaml::Place;

/// A field of `spec` that each version has instead.
#[derive(Debug)]
pub(super) struct VersionField {
    /// Its key in `spec`.
    shared: &'static str,
    /// Its key in a version.
    key: &'static str,
    /// The key in `spec` that it is put next to when it comes back, where that is present.
    beside: fn() -> Place,
}

impl VersionField {
    pub(super) const SCHEMA: Self =
        Self { shared: "validation", key: "schema", beside: || Place::Before("versions".to_owned()) };
    pub(super) const SUBRESOURCES: Self =
        Self { shared: "subresources", key: "subresources", beside: || Place::After("scope".to_owned()) };
    pub(super) const COLUMNS: Self = Self {
        shared: "additionalPrinterColumns",
        key: "additionalPrinterColumns",
        beside: || Place::Before("group".to_owned()),
    };

    pub(super) const DESCRIPTION_OF_SCHEMA: Description = Description {
        name: "crd-schema-per-version",
        text: "Gives each version of a CustomResourceDefinition the value of `spec.validation`, which applies to all of them, as its \
               `schema`: it moves, with its comments, into the first version that has none, and the others get copies. Versions with \
               a schema of their own keep it, which is reported; a conflict where all have one. Where there is no version, or \
               `spec.validation` is null, nothing changes. The inverse moves the value of the first version back where all versions \
               have it, before `versions`, and removes the others. Where versions differ, nothing changes. Exact in data: copies are \
               written anew.",
        example: "native: crd-schema-per-version",
    };

    pub(super) const DESCRIPTION_OF_SUBRESOURCES: Description = Description {
        name: "crd-subresources-per-version",
        text: "Does what `crd-schema-per-version` does with `spec.subresources` and the `subresources` of versions; converted back, \
               they are after `scope`.",
        example: "native: crd-subresources-per-version",
    };

    pub(super) const DESCRIPTION_OF_COLUMNS: Description = Description {
        name: "crd-columns-per-version",
        text: "Does what `crd-schema-per-version` does with `spec.additionalPrinterColumns` and those of versions; converted back, they \
               are before `group`.",
        example: "native: crd-columns-per-version",
    };

    fn shared(&self) -> FieldPath {
        path("spec").key(self.shared)
    }

    fn spread(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        let shared = self.shared();
        let Some(value) = shared.get(session.object()).filter(|value| !value.is_null()).cloned() else { return Ok(()) };
        let has_own = |version: &Version<'_>| version.fields.contains_key(self.key);
        let (own, open): (Vec<_>, Vec<_>) = versions(session.object()).into_iter().partition(has_own);
        let [own, open] =
            [own, open].map(|versions| versions.into_iter().map(|version| version.at).collect::<Vec<_>>());
        let Some((first, others)) = open.split_first() else {
            return own.first().map_or(Ok(()), |new| Err(Halt::Conflict { old: shared, new: new.key(self.key) }));
        };
        if !own.is_empty() {
            let reason = format!("some items of spec.versions have a {} of their own", self.key);
            session.record_normalization(&shared, reason);
        }
        for version in others.iter().rev() {
            session.insert(version.key(self.key), value.clone(), Place::Last)?;
        }
        session.relocate(shared, first.key(self.key), Place::Last)
    }

    fn collect(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        let versions = versions(session.object());
        let values = versions.iter().map(|version| version.fields.get(self.key)).collect::<Option<Vec<_>>>();
        let Some((first, others)) = values.as_deref().and_then(<[_]>::split_first) else { return Ok(()) };
        let is_free = self.shared().get(session.object()).is_none();
        if !is_free || first.is_null() || others.iter().any(|other| other != first) {
            return Ok(());
        }
        let is_reordered = others.iter().any(|other| other.to_string() != first.to_string());
        let places: Vec<FieldPath> = versions.iter().map(|version| version.at.key(self.key)).collect();
        if is_reordered {
            session.record_normalization(&places[0], "the keys of the others are in another order");
        }
        for path in places.iter().skip(1).rev() {
            session.delete(path.clone())?;
        }
        let spec = path("spec");
        let place = beside(&(self.beside)(), &spec, session.object());
        session.relocate(places[0].clone(), spec.key(self.shared), place)
    }
}

/// A version, and where it is.
struct Version<'o> {
    at: FieldPath,
    fields: &'o Map<String, Value>,
}

/// Returns the versions, which are mappings; none where one is something else.
fn versions(object: &Value) -> Vec<Version<'_>> {
    let list = path("spec.versions");
    let versions = items(object, &list).iter().enumerate();
    let mappings = versions.map(|(index, item)| Some(Version { at: list.index(index), fields: item.as_object()? }));
    mappings.collect::<Option<Vec<_>>>().unwrap_or_default()
}

impl Operation for VersionField {
    fn run(&self, pass: &Pass<'_>, session: &mut Session<'_>) -> Result<(), Halt> {
        match pass.direction {
            Direction::Forward => self.spread(session),
            Direction::Backward => self.collect(session),
        }
    }

    fn reorders(&self) -> bool {
        true
    }

    fn claims(&self) -> Claims {
        Claims { old: vec![self.shared().pattern()], new: vec![pattern("spec.versions[]").key(self.key)] }
    }

    fn fidelities(&self, _direction: Direction) -> Vec<Fidelity> {
        vec![Fidelity::Exact, Fidelity::Normalized]
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::sequence::Lens;
    use super::super::super::trial::{data, inverse, operation};
    use super::*;
    use serde_json::json;

    const SUBRESOURCES: &str = "native: crd-subresources-per-version";

    /// Checks that `before` becomes `after`, and that `after` becomes `back`; the order of keys counts.
    #[track_caller]
    fn check(before: &Value, after: &Value, back: &Value) {
        let run = |lens: &Lens, object: &Value| data(lens, object).unwrap().0.to_string();
        assert_eq!(run(&operation(SUBRESOURCES), before), after.to_string());
        assert_eq!(run(&inverse(SUBRESOURCES), after), back.to_string());
    }

    #[test]
    fn each_item_gets_the_value() {
        let before = json!({"spec": {"scope": 0, "subresources": {"a": 1}, "versions": [{"n": 1}, {"n": 2}], "x": 0}});
        let after = json!({"spec": {"scope": 0, "versions": [{"n": 1, "subresources": {"a": 1}}, {"n": 2, "subresources": {"a": 1}}], "x": 0}});
        check(&before, &after, &before);
    }

    #[test]
    fn values_that_differ_stay_in_their_items() {
        for same in [
            json!({"spec": {"versions": [{"subresources": 1}, {"subresources": 2}]}}),
            json!({"spec": {"versions": [{"subresources": 1}, {}]}}),
            json!({"spec": {"versions": []}}),
            json!({"spec": {"versions": [{"subresources": null}]}}),
            json!({"spec": {"versions": [1]}}),
            json!({"spec": {"versions": {"subresources": 1}}}),
        ] {
            check(&same, &same, &same);
        }
    }

    #[test]
    fn what_has_no_item_stays() {
        for same in [
            json!({"spec": {"subresources": 1}}),
            json!({"spec": {"subresources": 1, "versions": []}}),
            json!({"spec": {"subresources": null, "versions": [{}]}}),
        ] {
            check(&same, &same, &same);
        }
    }

    #[test]
    fn items_keep_a_value_of_their_own() {
        let before = json!({"spec": {"subresources": 1, "versions": [{"subresources": 2}, {}]}});
        let after = json!({"spec": {"versions": [{"subresources": 2}, {"subresources": 1}]}});
        check(&before, &after, &after);
        let taken = json!({"spec": {"subresources": 1, "versions": [{"subresources": 2}]}});
        assert!(matches!(operation(SUBRESOURCES).run(&mut Session::new(taken)), Err(Halt::Conflict { .. })));
    }
}
