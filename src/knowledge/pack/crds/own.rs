//! Answers: what do the user's own CRDs accept?
//!
//! Each CRD becomes a catalog of one release, read as a pack's catalogs are, and its CEL rules are compiled. An object is then
//! checked as against a pack's catalog: served versions, fields, types, limits, lists; and its rules are run. Combinations
//! of schemas (`oneOf`, `anyOf`, `not`) and formats are not checked.
//!
//! Invariant: a kind is defined by one CRD; a malformed CRD is an error, never skipped.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use kube_cel::{CompiledSchema, ErrorKind, Validator, compile_schema};
use serde_json::Value;

use super::crd::{self, PlacedCrd};
use super::gather::Gathered;
use crate::knowledge::catalog::{Catalog, Violation, ViolationKind};
use crate::knowledge::release::{GroupKind, ReleaseId, ReleaseLine};
use crate::syntax::field::{FieldPath, Step};

/// The CRDs of a folder.
#[derive(Debug)]
pub struct OwnCrds {
    name: String,
    release: ReleaseId,
    crds: BTreeMap<GroupKind, OwnCrd>,
}

/// A CRD, of which most runs need few: what is made of it is made when it is first used.
#[derive(Debug)]
struct OwnCrd {
    value: Arc<Value>,
    catalog: OnceLock<Catalog>,
    /// The CEL rules in the schema of each version.
    rules: BTreeMap<String, OnceLock<CompiledSchema>>,
}

/// The results of the CEL rules of a CRD for an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// The rules that do not hold, sorted by place.
    pub broken: Vec<Violation>,
    /// The rules that cannot be run here, and why, sorted.
    pub unknown: Vec<String>,
}

impl OwnCrds {
    /// Reads CRDs that reports call `name`; each comes with its place, for messages. Values that are no CRDs are skipped.
    ///
    /// # Errors
    /// A failure that names the place, for a malformed CRD or a kind that is defined twice.
    pub fn read(name: &str, crds: impl IntoIterator<Item = PlacedCrd>) -> Result<Self> {
        let line = ReleaseLine::new(Vec::new(), [("v0".to_owned(), Vec::new())]).map_err(|message| anyhow!(message))?;
        let (release, _) = line.iter().next().context("the line has one release")?;
        let mut by_kind = BTreeMap::new();
        for PlacedCrd { place, value } in crds {
            let Some(kind) = crd::checked_kind(&value).with_context(|| place.clone())? else { continue };
            let mut rules = BTreeMap::new();
            for (version, _) in schemas(&value) {
                let other = rules.insert(version.to_owned(), OnceLock::new());
                ensure!(other.is_none(), "{place}: another CRD also defines {kind}");
            }
            let other = by_kind.insert(kind.clone(), OwnCrd { value, catalog: OnceLock::new(), rules });
            ensure!(other.is_none(), "{place}: another CRD also defines {kind}");
        }
        if by_kind.is_empty() {
            bail!("{name} contains no CRD of a known API");
        }
        Ok(Self { name: name.to_owned(), release, crds: by_kind })
    }

    /// Returns what reports call them.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the one release of their catalogs.
    pub const fn release(&self) -> ReleaseId {
        self.release
    }

    /// Returns whether they define a kind of one of `groups`.
    pub fn cover(&self, groups: &[String]) -> bool {
        self.crds.keys().any(|kind| groups.contains(&kind.group))
    }

    /// Returns the catalog of a kind that they define.
    pub fn catalog(&self, kind: &GroupKind) -> Option<&Catalog> {
        let crd = self.crds.get(kind)?;
        Some(crd.catalog.get_or_init(|| {
            let definition = crd::definition_in(&crd.value).ok().flatten();
            let mut gathered = Gathered::default();
            gathered.add(self.release, definition.expect("the CRD was checked")).expect("it is the only one");
            gathered.catalogs().next().expect("it defines a kind")
        }))
    }

    /// Runs the CEL rules of `kind` in the version `name` (`v1beta1`) on an object, as if it were created.
    pub fn run_rules(&self, kind: &GroupKind, name: &str, object: &Value) -> Verdict {
        let Some(crd) = self.crds.get(kind) else { return Verdict::default() };
        let schema = schemas(&crd.value).into_iter().find(|(version, _)| *version == name);
        let Some((schema, compiled)) = schema.zip(crd.rules.get(name)) else { return Verdict::default() };
        let compiled = compiled.get_or_init(|| compile_schema(schema.1));
        let Err(errors) = Validator::new().validate_compiled(compiled, object, None) else { return Verdict::default() };
        let mut verdict = Verdict::default();
        for error in errors.into_vec() {
            match error.kind {
                ErrorKind::ValidationFailure | ErrorKind::EvaluationError => {
                    let kind = ViolationKind::Rule { message: error.message };
                    verdict.broken.push(Violation { path: path(&error.field_path), kind });
                }
                _ => verdict.unknown.push(format!("`{}`: {}", error.rule, error.message)),
            }
        }
        // A schema's properties come in no order.
        verdict.broken.sort_by_cached_key(|violation| (violation.path.clone(), violation.kind.to_string()));
        verdict.unknown.sort_unstable();
        verdict.unknown.dedup();
        verdict
    }
}

/// Returns the schema of each version of a CRD.
fn schemas(crd: &Value) -> Vec<(&str, &Value)> {
    let spec = &crd["spec"];
    let shared = spec.pointer("/validation/openAPIV3Schema");
    let listed = spec["versions"].as_array().into_iter().flatten();
    let mut found: Vec<(&str, &Value)> = listed
        .filter_map(|version| {
            let own = version.pointer("/schema/openAPIV3Schema");
            Some((version["name"].as_str()?, own.or(shared)?))
        })
        .collect();
    if found.is_empty() {
        found.extend(spec["version"].as_str().zip(shared));
    }
    found
}

/// Reads a place as the rules' library prints it: `spec.rules[0].name`. Keys with dots in them fall apart; such a place is
/// then that of the nearest parent.
fn path(text: &str) -> FieldPath {
    let parts = text.split(['.', '[']).filter(|part| !part.is_empty());
    let step = |part: &str| match part.strip_suffix(']').map(str::parse) {
        Some(Ok(index)) => Step::Index(index),
        _ => Step::Key(part.to_owned()),
    };
    FieldPath::new(parts.map(step))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn crd() -> Value {
        json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "spec": {
                "group": "example.com",
                "names": {"kind": "Shop"},
                "scope": "Namespaced",
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                    "type": "object",
                    "properties": {"spec": {
                        "type": "object",
                        "required": ["size"],
                        "x-kubernetes-validations": [
                            {"rule": "self.size > 0", "message": "a shop has a size"},
                            {"rule": "nothing(self)", "message": "never"},
                        ],
                        "properties": {
                            "size": {"type": "integer"},
                            "open": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
                            "rooms": {"type": "array", "items": {
                                "type": "object",
                                "properties": {"name": {"type": "string"}, "doors": {"type": "integer"}},
                                "x-kubernetes-validations": [{"rule": "!has(self.doors) || self.doors > 0", "message": "a room has a door"}],
                            }},
                        },
                    }},
                }}}],
            },
        })
    }

    fn placed(place: &str, value: Value) -> PlacedCrd {
        PlacedCrd { place: place.to_owned(), value: Arc::new(value) }
    }

    #[test]
    fn a_catalog_of_a_crd_is_what_its_text_says() {
        let line = ReleaseLine::new(Vec::new(), [("v0".to_owned(), Vec::new())]).unwrap();
        let mut gathered = Gathered::default();
        gathered.add(line.iter().next().unwrap().0, crd::definition_in(&crd()).unwrap().unwrap()).unwrap();
        let read = Catalog::parse(&gathered.files(&line)["Shop.example.com.tsv"], &line).unwrap();
        assert_eq!(format!("{:?}", gathered.catalogs().next().unwrap()), format!("{read:?}"));
    }

    fn own() -> OwnCrds {
        let crds = [placed("a.yaml:1:1", crd()), placed("b.yaml", json!({"kind": "List"}))];
        OwnCrds::read("crds", crds).unwrap()
    }

    #[test]
    fn schemas_and_lists_are_checked() {
        let (own, kind) = (own(), GroupKind::new("Shop", "example.com"));
        let catalog = own.catalog(&kind).unwrap();
        let check = |spec: Value| -> Vec<String> {
            let found = catalog.check(&json!({"spec": spec}), own.release(), "v1");
            found.iter().map(|violation| format!("{} {}", violation.path, violation.kind)).collect()
        };
        assert!(check(json!({"size": 1, "open": ["a", "b"]})).is_empty());
        assert_eq!(
            check(json!({"open": ["a", "a"]})),
            ["spec.size is required but missing", "spec.open[1] duplicates item 0; items must be unique",]
        );
        assert_eq!(catalog.served(own.release()).len(), 1);
        assert!(own.catalog(&GroupKind::new("Shop", "other.com")).is_none());
    }

    #[test]
    fn validation_rules_run_at_their_own_path() {
        let (own, kind) = (own(), GroupKind::new("Shop", "example.com"));
        let object = json!({"spec": {"size": 0, "rooms": [{"doors": 1}, {"name": "a"}, {"doors": 0}]}});
        let verdict = own.run_rules(&kind, "v1", &object);
        let broken: Vec<_> = verdict.broken.iter().map(|found| format!("{} {}", found.path, found.kind)).collect();
        assert_eq!(
            broken,
            [
                "spec violates a validation rule: a shop has a size",
                "spec.rooms[2] violates a validation rule: a room has a door"
            ]
        );
        assert_eq!(verdict.unknown.len(), 1, "{:?}", verdict.unknown);
        assert!(verdict.unknown[0].contains("nothing(self)"));
        assert_eq!(own.run_rules(&kind, "v2", &object), Verdict::default());
    }

    #[test]
    fn crds_that_cannot_be_used_are_errors() {
        let failure = |values: &[Value]| {
            let values = values.iter().map(|value| placed("a.yaml:1:1", value.clone()));
            format!("{:#}", OwnCrds::read("crds", values).unwrap_err())
        };
        assert_eq!(failure(&[]), "crds contains no CRD of a known API");
        assert_eq!(failure(&[crd(), crd()]), "a.yaml:1:1: another CRD also defines Shop.example.com");
        let mut broken = crd();
        broken["spec"]["scope"] = json!("Galaxy");
        assert!(failure(&[broken]).starts_with("a.yaml:1:1: "));
    }
}
