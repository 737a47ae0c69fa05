//! Answers: what do the user's own CRDs accept?
//!
//! Each CRD becomes a catalog of one release, read as a pack's catalogs are, and its CEL rules are compiled. An object is then
//! checked as against a pack's catalog: served versions, fields, types, limits, lists; and its rules are run within a [`budget`].
//! Combinations of schemas (`oneOf`, `anyOf`, `not`) and formats are not checked.
//!
//! Invariant: a kind is defined by one CRD; a malformed CRD is an error, never skipped.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::thread::{self, Builder, ScopedJoinHandle};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use kube_cel::{CompiledSchema, ErrorKind, Validator, apply_defaults, compile_schema};
use serde_json::{Map, Value, json};

use super::budget;
use super::cel::has_double_sign;
use super::crd::{self, PlacedCrd};
use super::from_crds::SETS;
use super::gather::Gathered;
use super::validations::CEL;
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
    rules: BTreeMap<String, OnceLock<Option<Rules>>>,
}

/// The most bytes of a rule that is compiled; the longest of the CRDs known has 1,300.
const LONGEST_RULE: usize = 4096;

/// The stack on which such a rule is compiled and run, however its expressions are nested, in bytes.
const STACK: usize = 128 << 20;

/// The CEL rules of a schema.
#[derive(Debug)]
struct Rules {
    /// Those about fields that objects had so far: most objects have few of the fields of their kind, and compiling is what costs.
    compiled: RwLock<CompiledSchema>,
    /// Why some are not compiled.
    left_out: Vec<String>,
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
                ensure!(other.is_none(), "{place}: another CRD also defines {kind}; {SETS}");
            }
            let other = by_kind.insert(kind.clone(), OwnCrd { value, catalog: OnceLock::new(), rules });
            ensure!(other.is_none(), "{place}: another CRD also defines {kind}; {SETS}");
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
        let Some((schema, rules)) = schema.zip(crd.rules.get(name)) else { return Verdict::default() };
        let schema = schema.1;
        if matches!(rules.get(), Some(None)) {
            return Verdict::default();
        }
        let run = || match rules.get_or_init(|| Rules::read(schema)) {
            Some(rules) => run(schema, rules, object),
            None => Verdict::default(),
        };
        let large = Builder::new().stack_size(STACK);
        thread::scope(|scope| large.spawn_scoped(scope, run).map(ScopedJoinHandle::join)).map_or_else(
            |error| Verdict { unknown: vec![format!("no thread can be started: {error}")], ..Verdict::default() },
            |verdict| verdict.unwrap_or_else(|panic| resume_unwind(panic)),
        )
    }
}

/// Lists how a value breaks a schema once the defaults in it are written, as far as that can be said; paths begin with that of the value in
/// an object, `spec`.
pub(crate) fn violations(schema: &Map<String, Value>, value: &Value) -> Vec<Violation> {
    let kind = GroupKind::new("Value", "value.example");
    let whole = json!({"type": "object", "properties": {"spec": schema}});
    let version = json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": whole}});
    let names = json!({"kind": kind.kind});
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "spec": {"group": kind.group, "names": names, "scope": "Cluster", "versions": [version]},
    });
    let placed = PlacedCrd { place: String::new(), value: Arc::new(crd) };
    let own = OwnCrds::read("the schema", [placed]).expect("the CRD is complete");
    let object = with_defaults(&whole, &json!({ "spec": value }));
    let mut found = own.catalog(&kind).map(|catalog| catalog.check(&object, own.release, "v1")).unwrap_or_default();
    if has_rule(&whole, &|_| true) {
        found.extend(own.run_rules(&kind, "v1", &object).broken);
    }
    found
}

impl Rules {
    /// Reads the rules of a schema, if it has some.
    fn read(schema: &Value) -> Option<Self> {
        has_rule(schema, &|_| true).then(|| {
            let is_long = has_rule(schema, &is_long).then(|| format!("it has more than {LONGEST_RULE} bytes"));
            let is_misread = has_rule(schema, &is_misread).then(|| "`!` or `-` stands twice in it".to_owned());
            let compiled = RwLock::new(compile(schema, &is_not_compiled));
            Self { compiled, left_out: is_long.into_iter().chain(is_misread).collect() }
        })
    }
}

/// Returns whether a rule is left out when rules are compiled.
fn is_not_compiled(rule: &Value) -> bool {
    is_long(rule) || is_misread(rule)
}

fn is_long(rule: &Value) -> bool {
    has_text(rule, |text| text.len() > LONGEST_RULE)
}

fn is_misread(rule: &Value) -> bool {
    has_text(rule, has_double_sign)
}

fn has_text(rule: &Value, is_one: impl Fn(&str) -> bool) -> bool {
    ["rule", "messageExpression"].iter().any(|key| rule[key].as_str().is_some_and(&is_one))
}

/// Returns whether a schema, or one in it, has such a rule.
fn has_rule(schema: &Value, is_one: &impl Fn(&Value) -> bool) -> bool {
    match schema {
        Value::Object(map) => {
            let rules = map.get(CEL).and_then(Value::as_array);
            rules.is_some_and(|rules| rules.iter().any(is_one)) || map.values().any(|value| has_rule(value, is_one))
        }
        Value::Array(items) => items.iter().any(|item| has_rule(item, is_one)),
        _ => false,
    }
}

/// Compiles the rules about a value itself, without those that are left out; those about what is in it are added by [`extend`].
fn compile(schema: &Value, is_left_out: &impl Fn(&Value) -> bool) -> CompiledSchema {
    let own =
        schema.as_object().into_iter().flatten().filter(|(key, _)| !["properties", "items"].contains(&key.as_str()));
    let own = own.map(|(key, value)| {
        // The library has to know that the keys are not those of a schema.
        let is_map = key == "additionalProperties" && value.is_object();
        (key.clone(), if is_map { Value::Bool(true) } else { without(value, is_left_out) })
    });
    compile_schema(&own.collect())
}

/// Compiles the rules about the values inside of `value`, of whose schema `compiled` has those about the value itself.
fn extend(compiled: &mut CompiledSchema, schema: &Value, value: &Value, is_left_out: &impl Fn(&Value) -> bool) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let additional = || schema.get("additionalProperties").filter(|values| values.is_object());
                if let Some(inner) = schema.get("properties").and_then(|properties| properties.get(key)) {
                    let node = compiled.properties.entry(key.clone()).or_insert_with(|| compile(inner, is_left_out));
                    extend(node, inner, value, is_left_out);
                } else if let Some(inner) = additional() {
                    let node = &mut compiled.additional_properties;
                    let node = node.get_or_insert_with(|| Box::new(compile(inner, is_left_out)));
                    extend(node, inner, value, is_left_out);
                }
            }
        }
        Value::Array(items) => {
            let Some(inner) = schema.get("items") else { return };
            let node = compiled.items.get_or_insert_with(|| Box::new(compile(inner, is_left_out)));
            items.iter().for_each(|item| extend(node, inner, item, is_left_out));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Returns an object with the defaults of its schema, those inside of defaults too.
fn with_defaults(schema: &Value, object: &Value) -> Value {
    let once = apply_defaults(schema, object);
    if once == *object { once } else { with_defaults(schema, &once) }
}

/// Runs the rules of a schema on an object, all but those beyond the budget.
fn run(schema: &Value, rules: &Rules, object: &Value) -> Verdict {
    let object = with_defaults(schema, object);
    extend(&mut rules.compiled.write().unwrap_or_else(PoisonError::into_inner), schema, &object, &is_not_compiled);
    let compiled = rules.compiled.read().unwrap_or_else(PoisonError::into_inner);
    let costly = budget::costly(&compiled, &object);
    let check = |compiled: &CompiledSchema| Validator::new().validate_compiled(compiled, &object, None).err();
    let errors = if costly.is_empty() {
        check(&compiled)
    } else {
        let is_costly =
            |rule: &Value| rule["rule"].as_str().is_some_and(|text| costly.iter().any(|costly| costly == text));
        let is_left_out = |rule: &Value| is_not_compiled(rule) || is_costly(rule);
        let mut cheap = compile(schema, &is_left_out);
        extend(&mut cheap, schema, &object, &is_left_out);
        check(&cheap)
    };
    let mut verdict = Verdict::default();
    verdict.unknown.extend(rules.left_out.iter().cloned());
    verdict.unknown.extend(costly.iter().map(|rule| format!("`{rule}`: it can take too many steps on this object")));
    for error in errors.into_iter().flatten() {
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

/// Returns a schema without some items of lists, such as rules.
fn without(schema: &Value, is_left_out: &impl Fn(&Value) -> bool) -> Value {
    match schema {
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), without(value, is_left_out))).collect(),
        Value::Array(items) => {
            items.iter().filter(|item| !is_left_out(item)).map(|item| without(item, is_left_out)).collect()
        }
        other => other.clone(),
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
    fn rules_about_fields_that_only_a_later_object_has_run_on_it() {
        let mut crd = crd();
        let spec = &mut crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"];
        spec["properties"]["doors"] = json!({
            "type": "object",
            "default": {},
            "properties": {"front": {"type": "integer", "default": 0}},
            "additionalProperties": {"type": "integer", "x-kubernetes-validations": [{"rule": "self > 0", "message": "none"}]},
            "x-kubernetes-validations": [{"rule": "has(self.front)", "message": "no default in a default"}],
        });
        let own = OwnCrds::read("crds", [placed("a.yaml", crd)]).unwrap();
        let broken = |spec: Value| -> Vec<String> {
            let verdict = own.run_rules(&GroupKind::new("Shop", "example.com"), "v1", &json!({"spec": spec}));
            verdict.broken.iter().map(|found| found.path.to_string()).collect()
        };
        assert_eq!(broken(json!({"size": 1})), [""; 0]);
        assert_eq!(broken(json!({"size": 1, "rooms": [{"doors": 0}]})), ["spec.rooms[0]"]);
        assert_eq!(broken(json!({"size": 1, "doors": {"back": 0}})), ["spec.doors.back"]);
        assert_eq!(broken(json!({"size": 0, "rooms": [{"doors": 1}, {"doors": 0}]})), ["spec", "spec.rooms[1]"]);
    }

    /// Runs a rule on an object with 300 rooms and a text of 300 bytes.
    fn verdict(rule: &str) -> Verdict {
        let mut crd = crd();
        let spec = &mut crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"];
        spec["x-kubernetes-validations"][1]["rule"] = rule.into();
        let own = OwnCrds::read("crds", [placed("a.yaml", crd)]).unwrap();
        let rooms: Vec<Value> = (1..=300).map(|doors| json!({"doors": doors})).collect();
        let object = json!({"spec": {"size": 0, "open": ["a".repeat(300)], "rooms": rooms}});
        own.run_rules(&GroupKind::new("Shop", "example.com"), "v1", &object)
    }

    /// Returns whether a rule rejects that object, and whether it is not run since it can take too many steps.
    fn run(rule: &str) -> (bool, bool) {
        let verdict = verdict(rule);
        let breaks = |message: &str| verdict.broken.iter().any(|broken| broken.kind.to_string().ends_with(message));
        assert!(breaks("a shop has a size"), "{rule}: {verdict:?}");
        (breaks("never"), verdict.unknown.iter().any(|unknown| unknown.contains("too many steps")))
    }

    #[test]
    fn a_rule_that_takes_few_steps_is_run() {
        let pairs = |test: &str| format!("self.rooms.all(a, self.rooms.all(b, {test}))");
        let rules = [
            ("a.doors + b.doors > 1", "a.doors + b.doors > 2"),
            ("a.doors != b.doors || a == b", "a.doors == b.doors || a == b"),
        ];
        for (holds, fails) in rules {
            assert_eq!([run(&pairs(holds)), run(&pairs(fails))], [(false, false), (true, false)], "{holds}");
        }
        assert_eq!(run("self.rooms.filter(a, a.doors > 3).map(a, a.doors).sum() > 0"), (false, false));
        assert_eq!(
            run("self.rooms.all(a, self.open[0].matches('^[a-z]([-a-z0-9]{0,300}[a-z0-9])?$'))"),
            (false, false)
        );
    }

    #[test]
    fn a_rule_that_would_be_misread_is_not_run() {
        for (rule, is_run) in [("!(!(self.rooms.size() >= 0))", true), ("!!(self.rooms.size() >= 0)", false)] {
            let verdict = verdict(rule);
            assert_eq!(verdict.unknown.is_empty(), is_run, "{verdict:?}");
            assert!(!verdict.broken.iter().any(|broken| broken.kind.to_string().ends_with("never")), "{verdict:?}");
        }
    }

    #[test]
    fn a_rule_that_can_take_too_many_steps_is_not_run() {
        let all = |name: &str| format!("self.rooms.all({name}, ");
        let maps: String = (0..7).map(|depth| format!("self.rooms.map(a{depth}, ")).collect();
        let pattern = "((a{1,99}){1,99}){1,99}";
        let rules = [
            format!("{}{}{}{}a.doors + b.doors + c.doors > d.doors))))", all("a"), all("b"), all("c"), all("d")),
            format!("{maps}1{}.size() > 0", ")".repeat(7)),
            format!("{}{}self.rooms.size() > 1))", all("a"), all("b")),
            format!("[self.open[0]]{}.size() > 0", ".map(a, a + a)".repeat(40)),
            format!("[self.rooms]{}.size() > 0", ".map(a, [a, a])".repeat(40)),
            format!("self.open[0]{}.size() > 0", ".replace('a', 'aaaaaaaaaa')".repeat(9)),
            format!("self.open[0].split('').all(a, self.open[0].matches('{pattern}'))"),
            "self.rooms.map(a, self.rooms).size() > 0".to_owned(),
            "lists.range(1000000000).size() > 0".to_owned(),
            "'%.999999999f'.format([1.0]).size() > 0".to_owned(),
            // The evaluator would panic.
            "Room{doors: 1} == self.rooms[0]".to_owned(),
        ];
        for rule in rules {
            assert_eq!(run(&rule), (false, true), "{rule}");
        }
    }

    #[test]
    fn a_rule_is_run_however_deep_it_is_if_it_is_short() {
        let sum = |terms: usize| format!("1{} < 0", "+1".repeat(terms));
        assert_eq!(run(&sum(2000)), (true, false));
        assert_eq!(run(&format!("{}1{} > 0", "(".repeat(80), ")".repeat(80))), (false, false));
    }

    #[test]
    fn crds_that_cannot_be_used_are_errors() {
        let failure = |values: &[Value]| {
            let values = values.iter().map(|value| placed("a.yaml:1:1", value.clone()));
            format!("{:#}", OwnCrds::read("crds", values).unwrap_err())
        };
        assert_eq!(failure(&[]), "crds contains no CRD of a known API");
        assert_eq!(
            failure(&[crd(), crd()]),
            "a.yaml:1:1: another CRD also defines Shop.example.com; keep one of them, or pass each release as a set of its own, the oldest first: `--crds OLD --crds NEW`"
        );
        let mut broken = crd();
        broken["spec"]["scope"] = json!("Galaxy");
        assert!(failure(&[broken]).starts_with("a.yaml:1:1: "));
    }
}
