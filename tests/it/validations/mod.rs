//! Which validations of the CRDs are known, and are they known exactly? Read from `../shared/crds` if it exists.
//!
//! The CRDs of every release validate objects in three ways. Keywords such as `pattern` and `maxItems` are in the catalogs. So are CEL
//! rules and combinations of schemas (`oneOf`) that are understood, as relations among fields. The others are counted there by
//! the hash of their text, and listed in `tests/validations/<pack>.tsv` with the rules of the pack that say them: a line is one
//! validation of one field, `id kind path rules`, or `catalog` where a keyword says the same. A pack without a list has none.
//!
//! A validation that is counted and has no line, a line without a validation, and a rule that is not in the pack are failures. So is a
//! relation that rejects another object than the API server, a rule that is requested by a release whose CRD lacks the validation, or one
//! that refuses another object: that is compared on the fixtures, and on objects made of them by small changes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::OnceLock;

use reversion::internals::catalog::{Catalog, ViolationKind, compile};
use reversion::internals::field::FieldPattern;
use reversion::internals::lens::{Direction, Session};
use reversion::internals::pack::{Pack, Rule};
use reversion::internals::release::{GroupKind, ReleaseId, ReleaseSet};
use serde_json::Value;

mod crds;
mod objects;
mod oracle;

use crds::{Crds, Place};
use objects::Fixtures;
use oracle::Oracle;

use crate::support::{packs, root, shared};

/// The packs, and the folders of their CRDs.
const PACKS: [(&str, &str); 5] = [
    ("cert-manager", "cert-manager"),
    ("external-secrets", "external-secrets"),
    ("flux", "flux"),
    ("gateway-api", "gateway-api"),
    ("ngf", "nginx-gateway-fabric"),
];

/// A line of a list of validations.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    place: Place,
    by: String,
}

impl Entry {
    /// Returns the rules that know the validation.
    fn rules<'p>(&self, pack: &'p Pack) -> Vec<&'p Rule> {
        let ids: Vec<String> = self.by.split(' ').map(|name| format!("{}/{name}", pack.name())).collect();
        let is_named =
            |rule: &&Rule| ids.contains(&rule.id) && [&rule.kind, &rule.new_kind].contains(&&self.place.kind);
        pack.rules().iter().filter(is_named).collect()
    }
}

/// Reads the list of a pack.
fn entries(pack: &str) -> Vec<Entry> {
    let file = root().join(format!("tests/validations/{pack}.tsv"));
    let text = if file.exists() { fs::read_to_string(file).unwrap() } else { String::new() };
    let entry = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [id, kind, path, by] = columns[..] else { panic!("{pack}.tsv: four columns: {line}") };
        let place = Place { kind: GroupKind::parse(kind), path: path.to_owned(), id: id.to_owned() };
        Entry { place, by: by.to_owned() }
    };
    text.lines().filter(|line| !line.starts_with('#')).map(entry).collect()
}

/// One pack with its CRDs and its list.
struct Known<'p> {
    pack: &'p Pack,
    crds: Crds,
    entries: Vec<Entry>,
}

/// Calls `check` for every pack whose CRDs are there. They are read once for all tests.
fn for_each_pack(check: impl Fn(&Known<'_>)) {
    static KNOWN: [OnceLock<Option<Known<'_>>>; PACKS.len()] = [const { OnceLock::new() }; PACKS.len()];
    let known = |(name, folder): (&str, &str)| {
        let folder = shared(&format!("crds/{folder}"))?;
        let pack = packs().named(name).unwrap();
        Some(Known { pack, crds: Crds::read(&folder, pack.line()), entries: entries(name) })
    };
    for (at, pack) in PACKS.into_iter().enumerate() {
        KNOWN[at].get_or_init(|| known(pack)).iter().for_each(&check);
    }
}

#[test]
fn every_validation_is_a_relation_or_listed() {
    for_each_pack(|known| {
        let listed: BTreeSet<&Place> = known.entries.iter().map(|entry| &entry.place).collect();
        assert_eq!(listed.len(), known.entries.len(), "{}: a validation is listed twice", known.pack.name());
        let counted = known.counted();
        let missing: Vec<String> =
            counted.iter().filter(|place| !listed.contains(place)).map(|place| known.crds.describe(place)).collect();
        assert!(missing.is_empty(), "not listed in {}.tsv:\n{}", known.pack.name(), missing.join("\n"));
        let gone: Vec<_> = listed.into_iter().filter(|place| !counted.contains(*place)).collect();
        assert!(gone.is_empty(), "listed in {}.tsv, and counted in no catalog: {gone:?}", known.pack.name());
        let unwritten: Vec<_> = counted.iter().filter(|place| !known.crds.validations().contains_key(*place)).collect();
        assert!(unwritten.is_empty(), "counted, and in no CRD: {unwritten:?}");
    });
}

/// A validation that is not counted is said where it stands: by a relation in every release and version that has it.
#[test]
fn every_other_validation_has_a_relation_or_is_about_changes_alone() {
    for_each_pack(|known| {
        let counted = known.counted();
        let others = known.crds.validations().iter().filter(|(place, _)| !counted.contains(*place));
        let others: Vec<&Place> = others.filter(|(_, one)| !one.is_about_changes()).map(|(place, _)| place).collect();
        assert!(!others.is_empty(), "{}: no validation is read", known.pack.name());
        let unsaid = others.into_iter().filter(|place| !known.is_said(place));
        let unsaid: Vec<String> = unsaid.map(|place| known.crds.describe(place)).collect();
        assert!(unsaid.is_empty(), "{}: neither counted nor a relation:\n{}", known.pack.name(), unsaid.join("\n"));
    });
}

#[test]
fn every_listed_rule_is_requested_by_the_releases_that_validate() {
    for_each_pack(|known| {
        let mut wrong = Vec::new();
        let mut required: BTreeMap<(&str, &GroupKind), ReleaseSet> = BTreeMap::new();
        for entry in known.entries.iter().filter(|entry| entry.by != "catalog") {
            let releases = known.crds.releases(&entry.place);
            let rules = entry.rules(known.pack);
            let names = entry.by.split(' ').count();
            let found: BTreeSet<&str> = rules.iter().map(|rule| rule.id.as_str()).collect();
            if found.len() != names {
                wrong.push(format!("{entry:?}: names a rule that the pack does not have for the kind"));
            }
            let knows = |set: ReleaseSet, rule: &&Rule| set | rule.within.unwrap_or(known.pack.line().all());
            let within = rules.iter().fold(ReleaseSet::default(), knows);
            if !within.is_superset(releases) {
                let unknown = known.pack.line().describe(releases.without(within));
                wrong.push(format!("{}: also validated in {unknown}", known.crds.describe(&entry.place)));
            }
            for rule in rules {
                let all = required.entry((&rule.id, &entry.place.kind)).or_default();
                *all = *all | releases;
            }
        }
        for ((id, kind), validated) in required {
            let Some(within) = known.pack.rules().iter().find(|rule| rule.id == id).and_then(|rule| rule.within) else {
                continue;
            };
            let requested = within & known.pack.catalog(kind).unwrap().releases();
            if !validated.is_superset(requested) {
                let line = known.pack.line();
                let (requested, validated) = (line.describe(requested), line.describe(validated));
                wrong.push(format!("{id} {kind}: requested in {requested}, validated in {validated}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}

#[test]
fn every_rule_about_releases_is_listed() {
    for_each_pack(|known| {
        let listed: BTreeSet<&str> =
            known.entries.iter().flat_map(|entry| entry.rules(known.pack)).map(|rule| rule.id.as_str()).collect();
        let limits = known.pack.rules().iter().filter(|rule| rule.within.is_some());
        let unlisted: BTreeSet<&str> = limits.map(|rule| rule.id.as_str()).filter(|id| !listed.contains(id)).collect();
        let conversions = BTreeSet::from([
            "cert-manager/v0.16.0/challenge-dns01-provider-of-older-versions",
            "cert-manager/v0.16.0/issuer-dns01-providers-of-older-versions",
            "cert-manager/v0.6.0/issuer-provider-has-a-cname-strategy",
            "external-secrets/v0.5.0/externalsecret-template-engine-under-v1alpha1",
            "external-secrets/v0.5.7/kubernetes-service-account-of-v1alpha1-is-not-nested",
            "external-secrets/v0.6.1/kubernetes-audiences-of-v1alpha1-are-not-nested",
            // The schema requires hostnames; the rule finds them.
            "gateway-api/v1.5.0/tlsroute-requires-hostnames",
        ]);
        assert!(unlisted.is_subset(&conversions), "{unlisted:?}");
    });
}

/// Returns whether the API server answers for a version of a kind in a release.
fn is_served(catalog: &Catalog, (release, version): &(ReleaseId, &str)) -> bool {
    catalog.serving(version).contains(*release)
}

#[test]
fn every_keyword_and_pattern_of_the_crds_is_evaluated() {
    for_each_pack(|known| {
        // The CRDs of the others have formats such as `byte`, which nothing evaluates.
        if !["gateway-api", "ngf"].contains(&known.pack.name()) {
            return;
        }
        let mut patterns = 0;
        known.crds.for_each_field(|kind, (release, version), path, schema| {
            for keyword in schema.keys() {
                assert!(crds::KEYWORDS.contains(&keyword.as_str()), "{kind} {path}: nothing evaluates `{keyword}`");
            }
            let format = schema.get("format").and_then(Value::as_str).unwrap_or("int32");
            assert!(["int32", "int64"].contains(&format), "{kind} {path}: nothing evaluates the format {format}");
            let Some(pattern) = schema.get("pattern").and_then(Value::as_str) else { return };
            let catalog = known.pack.catalog(kind).unwrap();
            let field = catalog.field(&FieldPattern::parse(path).unwrap(), release, version).unwrap();
            assert_eq!(field.attributes.pattern.as_deref(), Some(pattern), "{kind} {path}");
            compile(pattern).unwrap();
            patterns += 1;
        });
        assert!(patterns > 500, "{patterns} patterns");
    });
}

/// Rules about the same fields of one kind, and the validations that they know.
#[derive(Default)]
struct Group<'k> {
    rules: BTreeSet<&'k str>,
    places: BTreeSet<&'k Place>,
}

impl Known<'_> {
    /// Returns the validations that the catalogs count and do not say.
    fn counted(&self) -> BTreeSet<Place> {
        let mut counted = BTreeSet::new();
        for kind in self.pack.kinds() {
            for field in self.pack.catalog(kind).unwrap().fields() {
                let path = field.pattern.to_string();
                let place = |id: &String| Place { kind: kind.clone(), path: path.clone(), id: id.clone() };
                counted.extend(field.attributes.unread.iter().map(place));
            }
        }
        counted
    }

    /// Returns whether the catalog has a relation of the field, or of its items, wherever the CRDs validate it.
    fn is_said(&self, place: &Place) -> bool {
        let catalog = self.pack.catalog(&place.kind).unwrap();
        let has_relations = |path: &str, release, version: &str| {
            let field = catalog.field(&FieldPattern::parse(path).unwrap(), release, version);
            field.is_some_and(|field| serde_json::to_value(field.attributes).unwrap().get("relations").is_some())
        };
        let items = format!("{}[]", place.path);
        let mut versions = self.crds.versions(place);
        versions
            .all(|(release, version)| [&place.path, &items].iter().any(|path| has_relations(path, release, version)))
    }

    /// Returns how the relations of a kind differ from the API server, on objects that violate nothing else.
    fn differing_relations(&self, kind: &GroupKind, fixtures: &Fixtures) -> Vec<String> {
        let counted = self.counted();
        let is_said = |place: &&Place| place.kind == *kind && !counted.contains(*place);
        let places: BTreeSet<&Place> = self.crds.validations().keys().filter(is_said).collect();
        let catalog = self.pack.catalog(kind).unwrap();
        let near = fixtures.all_near(kind, catalog);
        let mut wrong = Vec::new();
        for (release, version, oracle) in Oracle::each(&self.crds, kind, &places) {
            if !is_served(catalog, &(release, version)) {
                continue;
            }
            for object in &near {
                let violations = catalog.check(object, release, version);
                let is_relation = |kind: &ViolationKind| matches!(kind, ViolationKind::Relation { .. });
                if !violations.iter().all(|violation| is_relation(&violation.kind)) {
                    continue;
                }
                let Some(is_rejected) = oracle.rejects(object) else { continue };
                if is_rejected == violations.is_empty() {
                    let release = self.pack.line().get(release);
                    let found: Vec<String> =
                        violations.iter().map(|one| format!("{} {}", one.path, one.kind)).collect();
                    wrong.push(format!("{kind}, {release}: rejected: {is_rejected}, {found:?}: {}", object["spec"]));
                    break;
                }
            }
        }
        wrong
    }

    /// Returns the rules with their validations, together where these are of one field: an object can break several of them.
    fn groups(&self) -> Vec<(&GroupKind, Group<'_>)> {
        let mut groups: Vec<(&GroupKind, Group<'_>)> = Vec::new();
        for entry in &self.entries {
            let rules = entry.rules(self.pack).into_iter().filter(|rule| rule.within.is_some());
            let mut whole = Group { rules: rules.map(|rule| rule.id.as_str()).collect(), places: BTreeSet::new() };
            if whole.rules.is_empty() {
                continue;
            }
            whole.places.insert(&entry.place);
            let kind = &entry.place.kind;
            let shares = |(other, group): &mut (&GroupKind, Group<'_>)| {
                let has_path = group.places.iter().any(|place| place.path == entry.place.path);
                *other == kind && (has_path || !group.rules.is_disjoint(&whole.rules))
            };
            for (_, group) in groups.extract_if(.., shares).collect::<Vec<_>>() {
                whole.rules.extend(group.rules);
                whole.places.extend(group.places);
            }
            groups.push((kind, whole));
        }
        groups
    }

    /// Returns whether one of the rules that `release` requests refuses an object of `kind`.
    fn refuses(&self, rules: &BTreeSet<&str>, kind: &GroupKind, release: ReleaseId, object: &Value) -> bool {
        let is_meant = |rule: &&Rule| rules.contains(rule.id.as_str()) && rule.kind == *kind;
        let is_requested = |rule: &&Rule| rule.within.is_some_and(|within| within.contains(release));
        let mut requested = self.pack.rules().iter().filter(is_meant).filter(is_requested);
        requested.any(|rule| rule.lens(Direction::Forward).run(&mut Session::new(object.clone())).is_err())
    }

    /// Returns how a group of rules differs from the API server; every rule must refuse something.
    fn differences(&self, kind: &GroupKind, group: &Group<'_>, fixtures: &Fixtures) -> Vec<String> {
        let catalog = self.pack.catalog(kind).unwrap();
        let near = fixtures.near(&group.rules, kind, catalog);
        let (mut wrong, mut refused) = (Vec::new(), BTreeSet::new());
        for (release, version, oracle) in Oracle::each(&self.crds, kind, &group.places) {
            if !is_served(catalog, &(release, version)) {
                continue;
            }
            for object in near.iter().filter(|object| catalog.check(object, release, version).is_empty()) {
                let is_refused = self.refuses(&group.rules, kind, release, object);
                if is_refused {
                    let by = |id: &&&str| self.refuses(&BTreeSet::from([**id]), kind, release, object);
                    refused.extend(group.rules.iter().filter(by).copied());
                }
                let Some(is_rejected) = oracle.rejects(object) else { continue };
                if is_refused != is_rejected {
                    let release = self.pack.line().get(release);
                    let verdicts = format!("refused: {is_refused}, rejected: {is_rejected}");
                    wrong.push(format!("{:?}, {release}: {verdicts}: {}", group.rules, object["spec"]));
                    break;
                }
            }
        }
        let idle = group.rules.difference(&refused);
        wrong.extend(idle.map(|id| format!("{id}: refuses no {} of the fixtures", kind.kind)));
        wrong
    }
}

#[test]
fn a_relation_is_broken_where_the_api_server_rejects_and_nowhere_else() {
    for_each_pack(|known| {
        let fixtures = Fixtures::read(known.pack.name());
        let kinds = known.pack.kinds();
        let wrong: Vec<_> = kinds.flat_map(|kind| known.differing_relations(kind, &fixtures)).collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}

#[test]
fn a_rule_refuses_what_the_api_server_rejects_and_nothing_else() {
    for_each_pack(|known| {
        let fixtures = Fixtures::read(known.pack.name());
        let groups = known.groups();
        let wrong: Vec<_> = groups.iter().flat_map(|(kind, group)| known.differences(kind, group, &fixtures)).collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}
