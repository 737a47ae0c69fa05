//! What makes the API server refuse a CRD, as far as that shows here, apart from its rules, which `state` reads.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::change::Change;
use super::keyword::{COMBINATIONS, shown};
use super::set::{Crd, CrdSet, SchemaPart, Version};
use crate::engine::finding::Code;
use crate::knowledge::catalog::syntax_error;
use crate::knowledge::pack::crds::own::violations;
use crate::syntax::field::{FieldPath, FieldPattern};

/// Lists what is wrong with the CRDs of a set, in all of their versions.
pub(super) fn changes(set: &CrdSet<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    for crd in set.crds.values() {
        changes.extend(of_versions(crd));
        for version in crd.versions() {
            let mut open: Vec<(FieldPattern, SchemaPart<'_>)> =
                version.schema().map(|part| (FieldPattern::default(), part)).into_iter().collect();
            while let Some((field, part)) = open.pop() {
                let wrong = of_schema(part.schema, &part.at).into_iter();
                let change = |(at, text)| crd.change(Code::CrdInvalid, None, &at, text).of(version.name).at(&field);
                changes.extend(wrong.map(change));
                open.extend(part.inside().into_iter().rev().map(|(step, inside)| (field.with(step), inside)));
            }
        }
    }
    changes
}

/// Lists what is wrong with the versions of a CRD.
fn of_versions(crd: &Crd<'_>) -> Vec<Change> {
    let versions = crd.versions();
    let wrong = |path: &FieldPath, text: String| crd.change(Code::CrdInvalid, None, path, text);
    let mut names = BTreeSet::new();
    let twice = versions.iter().filter(|version| !names.insert(version.name));
    let mut found: Vec<Change> = twice
        .map(|version| wrong(&version.path(), "the version is listed twice".to_owned()).of(version.name))
        .collect();
    let stored: Vec<&Version<'_>> = versions.iter().filter(|version| version.is_stored()).collect();
    match stored.as_slice() {
        [_] => {}
        [] => {
            let text = "objects are stored in none of the versions; one of them must have `storage: true`".to_owned();
            found.push(wrong(&FieldPath::default().key("spec").key("versions"), text));
        }
        [first, others @ ..] => found.extend(others.iter().map(|version| {
            let text =
                format!("objects are stored in {} already; one version alone can have `storage: true`", first.name);
            wrong(&version.path().key("storage"), text).of(version.name)
        })),
    }
    found
}

/// Lists what is wrong with the schema of one value, and nothing of what is in it: where, and what.
fn of_schema(schema: &Map<String, Value>, at: &FieldPath) -> Vec<(FieldPath, String)> {
    let mut found = Vec::new();
    patterns(schema, at, &mut found);
    if let Some(default) = schema.get("default")
        && let Some(violation) = violations(schema, default).first()
    {
        let inside = FieldPath::new(violation.path.steps().iter().skip(1).cloned());
        let inside = if inside.steps().is_empty() { "it".to_owned() } else { inside.to_string() };
        let text = format!("the default {} does not fit its schema: {inside} {}", shown(Some(default)), violation.kind);
        found.push((at.key("default"), text));
    }
    found
}

/// Lists the patterns of a value that cannot be read, those of combinations of schemas too.
fn patterns(schema: &Map<String, Value>, at: &FieldPath, found: &mut Vec<(FieldPath, String)>) {
    if let Some(pattern) = schema.get("pattern").and_then(Value::as_str)
        && let Some(error) = syntax_error(pattern)
    {
        found
            .push((at.key("pattern"), format!("the pattern {} cannot be read: {error}", shown(Some(&pattern.into())))));
    }
    for keyword in COMBINATIONS {
        match schema.get(keyword) {
            Some(Value::Array(all)) => all.iter().enumerate().for_each(|(index, one)| {
                one.as_object().into_iter().for_each(|one| patterns(one, &at.key(keyword).index(index), found));
            }),
            Some(Value::Object(one)) => patterns(one, &at.key(keyword), found),
            _ => {}
        }
    }
}
