//! What do patches and replacements write to the parts of an object that Kustomize finds it by?
//!
//! Kustomize finds an object by its kind, apiVersion, name and namespace. A patch can be meant for what an earlier one wrote there. A
//! `target` knows the first and the present name and namespace, a patch without one those of any moment, and both only the present
//! kind and apiVersion; of what a replacement overwrites nothing is left.
//!
//! Invariant: a write is found wherever Kustomize may make it; where its text does not show, it can be any.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::syntax::field::Entries;

/// A part of what Kustomize finds an object by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Kind,
    ApiVersion,
    Name,
    Namespace,
}

/// Parts of what Kustomize finds an object by.
pub(super) type Parts = BTreeSet<Part>;

/// What is written to such a part.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct IdentityWrite {
    pub(super) part: Part,
    /// The text; none where it is not known.
    pub(super) text: Option<String>,
}

/// What an application has to do with the parts that Kustomize finds the object by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Identity {
    /// Whether it selects the object as its file has it, and not only with what others write to these parts.
    pub(super) is_by_file: bool,
    /// The parts that it asks for.
    pub(super) asks: Parts,
    /// Whether an object that it selects can stop being one by a part that is written to it.
    pub(super) can_reject: bool,
    /// What it writes to these parts itself.
    pub(super) writes: Vec<IdentityWrite>,
    /// Whether nothing of what it overwrites is left.
    pub(super) is_forgotten: bool,
}

impl Identity {
    /// Returns whether it is open that the object is selected, once these parts are `written`, and of those nothing is left that are
    /// `forgotten`.
    pub(super) fn is_open_after(&self, written: &Parts, forgotten: &Parts) -> bool {
        let only_now = |part: &Part| matches!(part, Part::Kind | Part::ApiVersion);
        let matters = |part: &&Part| !self.is_by_file || self.can_reject || only_now(part) || forgotten.contains(part);
        written.intersection(&self.asks).any(|part| matters(&part))
    }

    /// Returns whether the kind is among what it writes: what becomes of such an object is not known.
    pub(super) fn changes_kind(&self) -> bool {
        self.writes.iter().any(|write| write.part == Part::Kind)
    }

    /// Returns whether it writes a name or namespace.
    pub(super) fn changes_name(&self) -> bool {
        self.writes.iter().any(|write| matches!(write.part, Part::Name | Part::Namespace))
    }

    /// Returns what it writes to the parts that objects are found by.
    pub(super) fn writes(&self) -> &[IdentityWrite] {
        &self.writes
    }

    /// Adds what it writes to what was written before.
    pub(super) fn add_to(&self, written: &mut Parts, forgotten: &mut Parts) {
        written.extend(self.writes.iter().map(|write| write.part));
        forgotten.extend(self.writes.iter().filter(|_| self.is_forgotten).map(|write| write.part));
    }
}

/// The parts, each with the keys that lead to it.
const PLACES: [(Part, &[&str]); 4] = [
    (Part::Kind, &["kind"]),
    (Part::ApiVersion, &["apiVersion"]),
    (Part::Name, &["metadata", "name"]),
    (Part::Namespace, &["metadata", "namespace"]),
];

/// Returns what the operations of a JSON patch write.
pub(super) fn of_json_patch(operations: &Value) -> Vec<IdentityWrite> {
    let mut writes = Vec::new();
    for operation in operations.as_array().into_iter().flatten() {
        if operation.text("op") == Some("test") {
            continue;
        }
        let value = operation.get("value");
        writes.extend(operation.text("path").into_iter().flat_map(|path| at_keys(&keys(path, '/'), value)));
        let moved = operation.text("from").filter(|_| operation.text("op") == Some("move"));
        writes.extend(moved.into_iter().flat_map(|path| at_keys(&keys(path, '/'), None)));
    }
    writes
}

/// Returns what a replacement writes to these fields.
pub(super) fn of_replacement(target: &Value) -> Vec<IdentityWrite> {
    let paths = target.items("fieldPaths").iter().filter_map(Value::as_str);
    paths.flat_map(|path| at_keys(&keys(path, '.'), None)).collect()
}

fn keys(path: &str, separator: char) -> Vec<&str> {
    path.split(separator).filter(|key| !key.is_empty()).collect()
}

/// Returns what `value`, which may not be known, writes where it is put at these keys of an object.
fn at_keys(keys: &[&str], value: Option<&Value>) -> Vec<IdentityWrite> {
    let write = |(part, place): &(Part, &[&str])| {
        let (above, below) = place.split_at_checked(keys.len())?;
        let leads = keys.iter().zip(above).all(|(key, own)| key == own || *key == "*");
        let written = value.map(|value| below.iter().try_fold(value, |value, key| value.get(*key)));
        let text = written.flatten().and_then(Value::as_str).map(str::to_owned);
        // What is replaced by a mapping without the part loses it.
        leads.then_some(IdentityWrite { part: *part, text })
    };
    PLACES.iter().filter_map(write).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn operations_write_parts_at_and_above_their_fields() {
        let write = |part, text: Option<&str>| IdentityWrite { part, text: text.map(str::to_owned) };
        let of = |operation: Value| of_json_patch(&json!([operation]));
        let name = json!({"op": "replace", "path": "/metadata/name", "value": "web"});
        assert_eq!(of(name), [write(Part::Name, Some("web"))]);
        let metadata = json!({"op": "add", "path": "/metadata", "value": {"name": "web"}});
        assert_eq!(of(metadata), [write(Part::Name, Some("web")), write(Part::Namespace, None)]);
        let moved = json!({"op": "move", "from": "/kind", "path": "/spec/kind"});
        assert_eq!(of(moved), [write(Part::Kind, None)]);
        assert!(of(json!({"op": "test", "path": "/metadata/name", "value": "web"})).is_empty());
        assert!(of(json!({"op": "replace", "path": "/metadata/name/x", "value": "web"})).is_empty());
        let target = json!({"fieldPaths": ["metadata.name", "spec.host"]});
        assert_eq!(of_replacement(&target), [write(Part::Name, None)]);
    }
}
