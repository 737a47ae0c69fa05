//! Answers: do the committed catalogs of Gateway API match its CRDs?
//!
//! The catalogs are compared with tables that were extracted from the same CRDs by other means, if those exist next to the
//! project, and with small manifests whose releases are known.
//!
//! Invariant: a comparison whose tables are absent prints `skipped` with its own name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use reversion::internals::catalog::{Attributes, Catalog, Field, ListType, Type, ViolationKind, compile};
use reversion::internals::field::{FieldPattern, Part};
use reversion::internals::pack::{build, wire::PackFile};
use reversion::internals::release::{Channel, GroupKind, ReleaseId, ReleaseLine, ReleaseSet};
use serde_json::{Value, json};

use crate::support::{root, shared};

/// The catalogs of a pack with its releases.
struct Pack {
    line: ReleaseLine,
    catalogs: BTreeMap<GroupKind, Catalog>,
}

impl Pack {
    /// Finds the catalog of `kind` in `group`.
    #[track_caller]
    fn catalog(&self, kind: &str, group: &str) -> &Catalog {
        self.catalogs.get(&GroupKind::new(kind, group)).unwrap_or_else(|| panic!("no catalog of {kind}.{group}"))
    }

    /// Returns the bundles of `set` in `channel`.
    fn bundles(&self, set: ReleaseSet, channel: &Channel) -> BTreeSet<String> {
        let releases = self.line.iter().filter(|(id, release)| set.contains(*id) && release.channel == *channel);
        releases.map(|(_, release)| release.bundle.clone()).collect()
    }

    /// Reads `v0.5.0..v0.7.1` in one channel.
    #[track_caller]
    fn ranges(&self, channel: &str, ranges: &str) -> ReleaseSet {
        if ranges.is_empty() {
            return ReleaseSet::default();
        }
        self.line.parse_set(&format!("{channel} {}", ranges.replace(", ", " "))).unwrap()
    }
}

fn folder() -> PathBuf {
    root().join("rules/gateway-api")
}

fn pack() -> Pack {
    let file: PackFile = serde_yaml::from_str(&fs::read_to_string(folder().join("pack.yaml")).unwrap()).unwrap();
    let line = file.line().unwrap();
    let mut catalogs = BTreeMap::new();
    for entry in fs::read_dir(folder().join("catalog")).unwrap() {
        let path = entry.unwrap().path();
        let catalog = Catalog::parse(&fs::read_to_string(&path).unwrap(), &line);
        let catalog = catalog.unwrap_or_else(|message| panic!("{}: {message}", path.display()));
        assert_eq!(path.file_name().unwrap().to_str().unwrap(), format!("{}.tsv", catalog.kind()));
        catalogs.insert(catalog.kind().clone(), catalog);
    }
    Pack { line, catalogs }
}

/// Reads the lines of a table below its header, each with its columns by name.
fn table(name: &str) -> Option<Vec<BTreeMap<String, String>>> {
    let text = fs::read_to_string(shared(&format!("facts/gateway-api/{name}"))?).unwrap();
    let mut lines = text.lines().map(|line| line.split('\t').map(str::to_owned).collect::<Vec<_>>());
    let names = lines.next().unwrap();
    let lines: Vec<_> = lines.map(|columns| names.iter().cloned().zip(columns).collect()).collect();
    assert!(lines.len() > 30, "{name} has no lines");
    Some(lines)
}

#[test]
fn every_pattern_of_every_catalog_compiles() {
    let pack = pack();
    assert_eq!(pack.catalogs.len(), 23);
    let patterns: BTreeSet<&str> = pack
        .catalogs
        .values()
        .flat_map(Catalog::fields)
        .filter_map(|field| field.attributes.pattern.as_deref())
        .collect();
    assert!(patterns.contains("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"));
    for pattern in patterns {
        compile(pattern).unwrap();
    }
}

#[test]
fn scopes_and_versions_match_the_kinds_table() {
    let Some(rows) = table("kinds.tsv") else { return };
    let pack = pack();
    let mut seen = BTreeSet::new();
    for row in &rows {
        let catalog = pack.catalog(&row["kind"], &row["group"]);
        let (channel, name) = (pack.line.channel(&row["channel"]).unwrap(), row["apiVersion"].as_str());
        assert_eq!(catalog.scope().name(), row["scope"]);
        let columns = [
            ("bundles", catalog.listing(name)),
            ("served", catalog.serving(name)),
            ("storage", catalog.storing(name)),
            ("deprecated", catalog.deprecating(name)),
        ];
        for (column, set) in columns {
            let expected = pack.bundles(pack.ranges(channel.name(), &row[column]), channel);
            assert_eq!(pack.bundles(set, channel), expected, "{} {name} {channel} {column}", catalog.kind());
        }
        seen.insert((catalog.kind().clone(), name.to_owned(), channel.clone()));
    }
    for (kind, catalog) in &pack.catalogs {
        for (name, channel) in
            catalog.versions().flat_map(|name| pack.line.channels().iter().map(move |channel| (name, channel)))
        {
            let listed = !pack.bundles(catalog.listing(name), channel).is_empty();
            assert_eq!(
                listed,
                seen.contains(&(kind.clone(), name.to_owned(), channel.clone())),
                "{kind} {name} {channel}"
            );
        }
    }
}

#[test]
fn served_versions_match_the_targets_table() {
    let Some(rows) = table("api-targets.tsv") else { return };
    let pack = pack();
    let mut count = 0;
    for row in &rows {
        let catalog = pack.catalog(&row["kind"], &row["group"]);
        let id = pack.line.find(&row["bundle"], &row["channel"]).unwrap();
        let names =
            |column: &str| -> BTreeSet<&str> { row[column].split(',').filter(|name| !name.is_empty()).collect() };
        let served = catalog.served(id);
        assert_eq!(served.iter().map(|version| version.name).collect::<BTreeSet<_>>(), names("served"), "{row:?}");
        assert_eq!(served.first().map(|version| version.name), Some(row["preferred"].as_str()), "{row:?}");
        let listed = |set: fn(&Catalog, &str) -> ReleaseSet| -> BTreeSet<&str> {
            catalog.versions().filter(|name| set(catalog, name).contains(id)).collect()
        };
        assert_eq!(listed(|catalog, name| catalog.listing(name).without(catalog.serving(name))), names("unserved"));
        assert_eq!(listed(Catalog::deprecating), names("deprecated"), "{row:?}");
        assert_eq!(listed(Catalog::storing), names("storage"), "{row:?}");
        count += 1;
    }
    let expected: usize = pack.catalogs.values().map(|catalog| catalog.releases().iter().count()).sum();
    assert_eq!(count, expected);
}

/// Returns whether catalogs contain a path.
fn is_kept(path: &str) -> bool {
    let top = path.split(['.', '[', '{']).next().unwrap_or_default();
    !matches!(top, "apiVersion" | "kind" | "metadata" | "status")
}

/// A field of one version in one channel.
type Place = (GroupKind, String, Channel, String);

/// Returns the bundles of every field in the catalogs.
fn places(pack: &Pack) -> BTreeMap<Place, BTreeSet<String>> {
    let mut found: BTreeMap<Place, BTreeSet<String>> = BTreeMap::new();
    for (kind, catalog) in &pack.catalogs {
        for field in catalog.fields() {
            for name in catalog.versions().filter(|name| is_in_version(&field, name)) {
                for channel in pack.line.channels() {
                    let place = (kind.clone(), name.to_owned(), channel.clone(), field.pattern.to_string());
                    let bundles = pack.bundles(field.releases & catalog.listing(name), channel);
                    found.entry(place).or_default().extend(bundles);
                }
            }
        }
    }
    found.retain(|_, bundles| !bundles.is_empty());
    found
}

fn is_in_version(field: &Field<'_>, name: &str) -> bool {
    field.api_versions.is_empty() || field.api_versions.iter().any(|one| one == name)
}

#[test]
fn every_field_is_in_the_bundles_of_the_fields_table() {
    let Some(rows) = table("fields.tsv") else { return };
    let pack = pack();
    let mut expected: BTreeMap<Place, BTreeSet<String>> = BTreeMap::new();
    for row in rows.iter().filter(|row| is_kept(&row["path"])) {
        let channel = pack.line.channel(&row["channel"]).unwrap();
        let kind = GroupKind::new(&row["kind"], &row["group"]);
        let bundles = pack.bundles(pack.ranges(channel.name(), &row["bundles"]), channel);
        expected
            .entry((kind, row["apiVersion"].clone(), channel.clone(), row["path"].clone()))
            .or_default()
            .extend(bundles);
    }
    let found = places(&pack);
    for (place, bundles) in &expected {
        assert_eq!(found.get(place), Some(bundles), "{place:?}");
    }
    let extra: Vec<_> = found.keys().filter(|place| !expected.contains_key(*place)).collect();
    assert!(extra.is_empty(), "{extra:?}");
}

/// Returns limits as in the fields table, in any order.
fn limits(attributes: &Attributes) -> BTreeSet<String> {
    let counts = [
        ("minLength", attributes.min_length),
        ("maxLength", attributes.max_length),
        ("minItems", attributes.min_items),
        ("maxItems", attributes.max_items),
        ("minProperties", attributes.min_properties),
        ("maxProperties", attributes.max_properties),
    ];
    let numbers = [("minimum", &attributes.minimum), ("maximum", &attributes.maximum)];
    let counts = counts.into_iter().filter_map(|(name, count)| Some(format!("{name}={}", count?)));
    let numbers = numbers.into_iter().filter_map(|(name, number)| Some(format!("{name}={}", number.as_ref()?)));
    let pattern = attributes.pattern.iter().map(|pattern| format!("pattern={pattern}"));
    let list_type = attributes.list_type.map(|kind| {
        let name = match kind {
            ListType::Atomic => "atomic",
            ListType::Map => "map",
            ListType::Set => "set",
        };
        format!("x-kubernetes-list-type={name}")
    });
    let keys = (!attributes.list_keys.is_empty())
        .then(|| format!("list-map-keys={}", serde_json::to_string(&attributes.list_keys).unwrap()));
    let map_type = attributes.map_type.iter().map(|kind| format!("x-kubernetes-map-type={kind}"));
    counts.chain(numbers).chain(pattern).chain(list_type).chain(keys).chain(map_type).collect()
}

#[test]
fn every_field_has_the_latest_attributes_of_the_fields_table() {
    let Some(rows) = table("fields.tsv") else { return };
    let pack = pack();
    for row in rows.iter().filter(|row| is_kept(&row["path"])) {
        let catalog = pack.catalog(&row["kind"], &row["group"]);
        let newest = row["bundles"].rsplit("..").next().unwrap();
        let id = pack.line.find(newest, &row["channel"]).unwrap();
        let pattern = FieldPattern::parse(&row["path"]).unwrap();
        let field = catalog.field(&pattern, id, &row["apiVersion"]).unwrap_or_else(|| panic!("{row:?}"));
        let kind = match &field.attributes.format {
            Some(format) => format!("{}({format})", field.kind.name()),
            None => field.kind.name().to_owned(),
        };
        assert_eq!(kind, row["type_latest"], "{row:?}");
        assert_eq!(field.required, row["required_latest"] == "1", "{row:?}");
        let word = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let allowed: BTreeSet<String> = field.attributes.allowed.iter().flatten().map(word).collect();
        let expected = row["enum_latest"].split(',').filter(|value| !value.is_empty()).map(str::to_owned).collect();
        assert_eq!(allowed, expected, "{row:?}");
        let default = field.attributes.default.clone();
        assert_eq!(default, serde_json::from_str(&row["default_latest"]).ok(), "{row:?}");
        let expected = row["constraints_latest"].split("; ").filter(|limit| !limit.is_empty());
        let expected: BTreeSet<String> =
            expected.filter(|limit| !limit.starts_with("oneOf")).map(str::to_owned).collect();
        assert_eq!(limits(field.attributes), expected, "{row:?}");
    }
}

#[test]
fn every_marker_of_the_markers_table_narrows_to_its_releases() {
    let Some(rows) = table("markers.tsv") else { return };
    let pack = pack();
    for row in &rows {
        let catalog = pack.catalog(&row["kind"], &row["group"]);
        let (path, value) = row["path_or_enum"].split_once("==").unwrap_or((&row["path_or_enum"], ""));
        let pattern = FieldPattern::parse(path).unwrap();
        let found = match value {
            "" => catalog.having(&pattern),
            value => {
                let value = if value.starts_with('<') { "example.com/value" } else { value };
                let value = serde_json::from_str(value).unwrap_or_else(|_| json!(value));
                let allowing = catalog.fields_of(&pattern).filter(|field| field.attributes.allows(&value));
                allowing.fold(ReleaseSet::default(), |all, field| all | field.releases)
            }
        };
        let expected = row["exists_in"].split(" ; ").fold(ReleaseSet::default(), |all, part| {
            let (channel, ranges) = part.split_once(": ").unwrap();
            all | pack.ranges(channel, ranges)
        });
        assert_eq!(pack.line.describe(found), pack.line.describe(expected), "{row:?}");
    }
}

#[test]
fn references_match_the_references_table() {
    let Some(rows) = table("reference-fields.tsv") else { return };
    let pack = pack();
    let mut expected = BTreeSet::new();
    for row in &rows {
        let path = row["path"].split(' ').next().unwrap();
        let (name, namespace) = (row["path"].contains("(+name)"), row["path"].contains("(+namespace)"));
        for kind in row["kinds"].split(',') {
            expected.insert((kind.to_owned(), path.to_owned(), name, namespace));
        }
    }
    let mut found: BTreeMap<(String, String), (bool, bool)> = BTreeMap::new();
    for (kind, catalog) in &pack.catalogs {
        let old = if kind.group == "networking.x-k8s.io" { "/x" } else { "" };
        for reference in catalog.references() {
            // The table joins all releases of a kind; the reference of the first GatewayClass had no namespace.
            let place = (format!("{}{old}", kind.kind), reference.pattern.to_string());
            let (name, namespace) = found.entry(place).or_default();
            *name |= reference.has_name;
            *namespace |= reference.has_namespace;
        }
    }
    let found: BTreeSet<_> =
        found.into_iter().map(|((kind, path), (name, namespace))| (kind, path, name, namespace)).collect();
    let differing: Vec<_> = found.symmetric_difference(&expected).collect();
    assert!(differing.is_empty(), "{differing:?}");
}

#[test]
fn rebuilding_the_catalogs_gives_the_committed_bytes() {
    let Some(crds) = shared("crds/gateway-api") else { return };
    let built = build::build(&folder(), &crds).unwrap();
    assert_eq!(build::stale(&built, &folder()).unwrap(), Vec::<String>::new());
    assert_eq!(built.notes, Vec::<String>::new());
}

const GATEWAY: &str = "gateway.networking.k8s.io";

/// Checks the releases that the fields of `object` allow, alone and together with each apiVersion.
#[track_caller]
fn check(kind: &str, spec: &Value, fields: &str, with_version: &[(&str, &str)]) {
    check_in(GATEWAY, kind, spec, fields, with_version);
}

#[track_caller]
fn check_in(group: &str, kind: &str, spec: &Value, fields: &str, with_version: &[(&str, &str)]) {
    let pack = pack();
    let catalog = pack.catalog(kind, group);
    let facts = catalog.facts(&json!({"kind": kind, "metadata": {"name": "a"}, "spec": spec}));
    assert_eq!(facts.unknown, [], "{spec}");
    let found = facts.narrow(catalog.releases());
    assert_eq!(pack.line.describe(found), fields, "{spec}");
    for (name, releases) in with_version {
        assert_eq!(pack.line.describe(found & catalog.serving(name)), *releases, "{spec} {name}");
    }
}

#[test]
fn a_simple_manifest_fits_every_release() {
    let every = "single v0.4.0..v0.4.3, standard v0.5.0..v1.6.1, experimental v0.5.0..v1.6.1";
    let versions = [
        ("v1", "standard v1.0.0..v1.6.1, experimental v1.0.0..v1.6.1"),
        ("v1alpha2", "single v0.4.0..v0.4.3, standard v0.5.0..v0.7.1, experimental v0.5.0..v0.7.1"),
    ];
    let route = json!({
        "parentRefs": [{"name": "web", "sectionName": "https"}],
        "hostnames": ["shop.example"],
        "rules": [{"matches": [{"path": {"type": "PathPrefix", "value": "/"}}], "backendRefs": [{"name": "cart", "port": 80}]}],
    });
    check("HTTPRoute", &route, every, &versions);
    let tls = json!({"mode": "Terminate", "certificateRefs": [{"name": "shop"}]});
    let gateway = json!({
        "gatewayClassName": "edge",
        "listeners": [{"name": "https", "port": 443, "protocol": "HTTPS", "tls": tls}],
    });
    check("Gateway", &gateway, every, &versions);
}

#[test]
fn fields_of_a_route_identify_its_first_release() {
    let filter = |filter: Value| json!({"rules": [{"filters": [filter]}]});
    let path = json!({"type": "ReplaceFullPath", "replaceFullPath": "/"});
    let rewritten = "standard v0.7.0..v1.6.1, experimental v0.5.0..v1.6.1";
    let v1 = [("v1", "standard v1.0.0..v1.6.1, experimental v1.0.0..v1.6.1")];
    check("HTTPRoute", &filter(json!({"type": "RequestRedirect", "requestRedirect": {"path": path}})), rewritten, &v1);
    check("HTTPRoute", &filter(json!({"type": "URLRewrite", "urlRewrite": {"path": path}})), rewritten, &v1);
    let header = json!({"type": "ResponseHeaderModifier", "responseHeaderModifier": {"remove": ["x"]}});
    check("HTTPRoute", &filter(header), "standard v0.7.0..v1.6.1, experimental v0.6.0..v1.6.1", &[]);
    let cors = json!({"type": "CORS", "cors": {"allowOrigins": ["https://shop.example"]}});
    check("HTTPRoute", &filter(cors), "standard v1.5.0..v1.6.1, experimental v1.3.0..v1.6.1", &[]);
    let auth = json!({"type": "ExternalAuth", "externalAuth": {"protocol": "HTTP"}});
    check("HTTPRoute", &filter(auth), "experimental v1.4.0..v1.6.1", &[]);
    let rule = |rule: Value| json!({"rules": [rule]});
    let timeouts = rule(json!({"timeouts": {"request": "5s"}}));
    check("HTTPRoute", &timeouts, "standard v1.2.0..v1.6.1, experimental v0.8.1..v1.6.1", &[]);
    let named = rule(json!({"name": "cart"}));
    check("HTTPRoute", &named, "standard v1.4.0..v1.6.1, experimental v1.2.0..v1.6.1", &[]);
    check("HTTPRoute", &rule(json!({"retry": {"attempts": 2}})), "experimental v1.2.0..v1.6.1", &[]);
    let sticky = rule(json!({"sessionPersistence": {"sessionName": "s"}}));
    check("HTTPRoute", &sticky, "experimental v1.1.0..v1.6.1", &[]);
}

#[test]
fn fields_of_a_gateway_identify_its_releases() {
    let listener = |tls: Value| json!({"listeners": [{"name": "a", "port": 443, "protocol": "HTTPS", "tls": tls}]});
    let validated = listener(json!({"frontendValidation": {"caCertificateRefs": []}}));
    check("Gateway", &validated, "experimental v1.1.0..v1.3.0", &[("v1", "experimental v1.1.0..v1.3.0")]);
    let frontend = json!({"tls": {"frontend": {"default": {"validation": {"caCertificateRefs": []}}}}});
    check("Gateway", &frontend, "standard v1.5.0..v1.6.1, experimental v1.4.0..v1.6.1", &[]);
}

#[test]
fn kinds_added_later_identify_their_first_release() {
    let grant = json!({"from": [{"group": GATEWAY, "kind": "HTTPRoute", "namespace": "a"}], "to": [{"group": "", "kind": "Service"}]});
    let versions = [
        ("v1", "standard v1.5.0..v1.6.1, experimental v1.5.0..v1.6.1"),
        ("v1beta1", "standard v0.6.0..v1.6.1, experimental v0.6.0..v1.6.1"),
    ];
    check("ReferenceGrant", &grant, "standard v0.6.0..v1.6.1, experimental v0.5.0..v1.6.1", &versions);
    let grpc =
        json!({"rules": [{"matches": [{"method": {"service": "a.B"}}], "backendRefs": [{"name": "b", "port": 80}]}]});
    let versions =
        [("v1", "standard v1.1.0..v1.6.1, experimental v1.1.0..v1.6.1"), ("v1alpha2", "experimental v0.6.0..v1.1.1")];
    check("GRPCRoute", &grpc, "standard v1.1.0..v1.6.1, experimental v0.6.0..v1.6.1", &versions);
    let v1 = [("v1", "standard v1.6.0..v1.6.1, experimental v1.6.0..v1.6.1")];
    let routes = json!({"parentRefs": [{"name": "web"}], "rules": [{"backendRefs": [{"name": "b", "port": 80}]}]});
    for kind in ["TCPRoute", "UDPRoute"] {
        let every = "single v0.4.0..v0.4.3, standard v1.6.0..v1.6.1, experimental v0.5.0..v1.6.1";
        check(kind, &routes, every, &v1);
    }
    let tls = json!({"hostnames": ["shop.example"], "rules": [{"backendRefs": [{"name": "b", "port": 443}]}]});
    let v1 = [("v1", "standard v1.5.0..v1.6.1, experimental v1.5.0..v1.6.1")];
    let every = "single v0.4.0..v0.4.3, standard v1.5.0..v1.6.1, experimental v0.5.0..v1.6.1";
    check("TLSRoute", &tls, every, &v1);
    let set = json!({"parentRef": {"name": "web"}, "listeners": [{"name": "a", "port": 80, "protocol": "HTTP"}]});
    check("ListenerSet", &set, "standard v1.5.0..v1.6.1, experimental v1.5.0..v1.6.1", &[]);
}

#[test]
fn both_spellings_of_a_backend_policy_are_distinguished() {
    let target = json!({"group": "", "kind": "Service", "name": "b"});
    let new = json!({"targetRefs": [target], "validation": {"hostname": "b", "wellKnownCACertificates": "System"}});
    let v1 = [("v1", "standard v1.4.0..v1.6.1, experimental v1.4.0..v1.6.1")];
    check("BackendTLSPolicy", &new, "standard v1.4.0..v1.6.1, experimental v1.1.0..v1.6.1", &v1);
    let old = json!({"targetRef": target, "tls": {"hostname": "b", "wellKnownCACerts": "System"}});
    check("BackendTLSPolicy", &old, "experimental v1.0.0", &[("v1alpha2", "experimental v1.0.0")]);
    let both = json!({"targetRefs": [target], "tls": {"hostname": "b"}});
    check("BackendTLSPolicy", &both, "none", &[]);
}

#[test]
fn the_old_group_overlaps_with_the_new_one() {
    let old = "networking.x-k8s.io";
    let every = "single v0.1.0..v0.4.3";
    check_in(old, "GatewayClass", &json!({"controller": "a.example/b"}), every, &[("v1alpha1", every)]);
    let scoped = json!({"controller": "a.example/b", "parametersRef": {"group": "a", "kind": "B", "name": "c", "scope": "Cluster"}});
    check_in(old, "GatewayClass", &scoped, "single v0.2.0..v0.4.3", &[]);
    let query = json!({"rules": [{"matches": [{"queryParams": {"values": {"a": "b"}}}]}]});
    check_in(old, "HTTPRoute", &query, "single v0.3.0..v0.4.3", &[]);
}

#[test]
fn a_target_rejects_fields_that_it_lacks() {
    let pack = pack();
    let catalog = pack.catalog("HTTPRoute", GATEWAY);
    let route = json!({"spec": {"rules": [{
        "name": "cart",
        "filters": [{"type": "CORS", "cors": {}}],
        "backendRefs": [{"port": 70000}],
    }]}});
    let release = |bundle: &str| pack.line.find(bundle, "standard").unwrap();
    let found = |bundle: &str, name: &str| -> Vec<String> {
        catalog.check(&route, release(bundle), name).iter().map(|violation| violation.path.to_string()).collect()
    };
    let backend = ["spec.rules[0].backendRefs[0].name", "spec.rules[0].backendRefs[0].port"];
    assert_eq!(found("v1.6.1", "v1"), backend);
    let older = ["spec.rules[0].name", "spec.rules[0].filters[0].type", "spec.rules[0].filters[0].cors"];
    assert_eq!(found("v1.3.0", "v1beta1"), [&older[..], &backend[..]].concat());
}

/// Returns an object with every field of one release and version, each once.
fn fullest(catalog: &Catalog, id: ReleaseId, name: &str) -> Value {
    let mut object = json!({});
    for field in catalog.fields().filter(|field| field.releases.contains(id) && is_in_version(field, name)) {
        let mut at = &mut object;
        for part in field.pattern.parts() {
            at = match part {
                Part::Key(key) => at.as_object_mut().unwrap().entry(key).or_insert(Value::Null),
                Part::Values => at.as_object_mut().unwrap().entry("any").or_insert(Value::Null),
                Part::Items => {
                    let items = at.as_array_mut().unwrap();
                    items.resize(1, Value::Null);
                    &mut items[0]
                }
            };
        }
        *at = match (&field.attributes.allowed, field.kind) {
            (Some(allowed), _) => allowed[0].clone(),
            (None, Type::Array) => json!([]),
            (None, Type::Boolean) => json!(true),
            (None, Type::Object) => json!({}),
            (None, Type::Integer | Type::Number) => json!(field.attributes.minimum.clone().unwrap_or_else(|| 1.into())),
            (None, Type::String | Type::IntegerOrString | Type::Quantity | Type::Any) => json!("a"),
        };
    }
    object
}

#[test]
fn an_object_with_every_field_of_a_release_fits_it() {
    let pack = pack();
    let mut count = 0;
    for (kind, catalog) in &pack.catalogs {
        for id in catalog.listed().iter() {
            for name in catalog.versions().filter(|name| catalog.listing(name).contains(id)) {
                let object = fullest(catalog, id, name);
                let facts = catalog.facts(&object);
                assert!(facts.narrow(catalog.listed()).contains(id), "{kind} {name} {}", pack.line.get(id));
                assert_eq!(facts.unknown, [], "{kind} {name}");
                let text = |kind: &ViolationKind| {
                    // Strings are all `a` and lists have one item, which some patterns and limits reject, and fields that exclude each
                    // other are all there.
                    matches!(
                        kind,
                        ViolationKind::Pattern { .. }
                            | ViolationKind::TooFew { .. }
                            | ViolationKind::TooShort { .. }
                            | ViolationKind::Relation { .. }
                    )
                };
                let found = catalog.check(&object, id, name);
                let shape: Vec<_> = found.iter().filter(|violation| !text(&violation.kind)).collect();
                assert!(shape.is_empty(), "{kind} {name} {}: {shape:?}", pack.line.get(id));
                count += 1;
            }
        }
    }
    assert!(count > 400, "{count} objects");
}
