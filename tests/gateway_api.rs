//! What the Gateway API pack says beyond its rules: filters that go as a whole, hints, advisories, and the three places where
//! the experimental channel is the tighter one.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;

use reversion::finding::{Code, Finding, Severity};
use reversion::manifest::{self, Reading, Recognizer};
use reversion::pack::embedded;
use reversion::pack::matrix::{Change, Subject, matrix};
use reversion::plan::{self, AllowedLoss, Choices, Goal};

/// Converts `text` to a release of Gateway API, taking every loss: the text afterwards, and what is told.
fn convert(text: &str, target: &str) -> (String, Vec<Finding>) {
    let packs = embedded::with(Vec::new()).unwrap();
    let recognizer = Recognizer::new(packs.iter().flat_map(|pack| pack.groups()).map(String::as_str));
    let Reading::Manifest(manifest) = manifest::read("case.yaml", text.as_bytes(), &recognizer) else {
        panic!("the case is no manifest");
    };
    let target = packs.target(&format!("gateway-api@{target}")).unwrap();
    let choices = Choices { allowed: AllowedLoss::All, ..Choices::default() };
    let plan = plan::plan(&[*manifest], &Goal { packs: &packs, targets: vec![target], choices });
    let text = plan.files.into_iter().next().map_or_else(|| text.to_owned(), |file| file.after());
    (text, plan.findings)
}

/// Checks the findings of a conversion, as `code field`, without advisories.
#[track_caller]
fn tells(text: &str, target: &str, expected: &[&str]) -> Vec<Finding> {
    let findings = convert(text, target).1;
    let told = findings.iter().filter(|finding| finding.code != Code::Advisory);
    let told: Vec<_> =
        told.map(|finding| format!("{} {}", finding.code, finding.field.as_deref().unwrap_or("-"))).collect();
    assert_eq!(told, expected, "to {target}");
    findings
}

fn route(version: &str, spec: &str) -> String {
    format!("apiVersion: gateway.networking.k8s.io/{version}\nkind: HTTPRoute\nmetadata:\n  name: shop\nspec:\n{spec}")
}

const CORS: &str = "  rules:
  - filters:
    - type: RequestHeaderModifier
      requestHeaderModifier:
        remove: [x-debug]
    - type: CORS   # for the shop
      cors:
        allowOrigins: [https://shop.example.com]
    backendRefs:
    - name: shop
      port: 80
";

#[test]
fn a_filter_whose_type_is_missing_goes_as_a_whole() {
    let without = CORS.replace(
        "    - type: CORS   # for the shop\n      cors:\n        allowOrigins: [https://shop.example.com]\n",
        "",
    );
    for target in ["1.4/standard", "1.2/experimental"] {
        let (text, findings) = convert(&route("v1", CORS), target);
        assert_eq!(text, route("v1", &without), "to {target}");
        let lost: Vec<_> = findings.iter().filter(|finding| finding.code == Code::DroppedField).collect();
        assert_eq!(lost.len(), 1, "{lost:?}");
        assert_eq!(lost[0].field.as_deref(), Some("spec.rules[0].filters[1]"));
    }
    assert_eq!(convert(&route("v1", CORS), "1.4/experimental").0, route("v1", CORS));
    assert_eq!(convert(&route("v1", CORS), "1.5/standard").0, route("v1", CORS));
}

#[test]
fn a_filter_of_no_known_type_stays() {
    let text = route("v1", &CORS.replace("type: CORS", "type: Cores"));
    assert_eq!(convert(&text, "1.5/standard").0, text);
}

#[test]
fn what_is_refused_says_what_to_do() {
    let route = "apiVersion: gateway.networking.k8s.io/v1alpha2\nkind: TCPRoute\nmetadata:\n  name: db\nspec:\n  rules:\n  \
                 - backendRefs:\n    - name: a\n      port: 1\n  - backendRefs:\n    - name: b\n      port: 1\n";
    let found = tells(route, "1.6/standard", &["invalid-in-target spec.rules"]);
    assert!(found.iter().any(|finding| finding.help.as_deref().is_some_and(|help| help.contains("a route for each"))));
    let found = tells(route, "1.5/standard", &["kind-not-in-target kind"]);
    assert!(found.iter().any(|finding| finding.help.as_deref().is_some_and(|help| help.contains("v1.6.0"))));
    tells(route, "1.6/experimental", &[]);
}

#[test]
fn an_advisory_is_told_once_and_where_it_matters() {
    let advised = |text: &str, target: &str| -> Vec<String> {
        let findings = convert(text, target).1;
        let told = findings.into_iter().filter(|finding| finding.code == Code::Advisory);
        told.map(|finding| finding.message).collect()
    };
    let gateway = "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata:\n  name: edge\nspec:\n  \
                   gatewayClassName: edge\n  listeners:\n  - name: web\n    port: 80\n    protocol: HTTP\n";
    let two = format!("{gateway}---\n{}", gateway.replace("edge", "inner"));
    let down = advised(&two, "1.4/standard");
    assert_eq!(down.len(), 1, "{down:?}");
    assert!(down[0].contains("denies the CRDs of older bundles"), "{down:?}");
    assert!(advised(&two, "1.0/standard").iter().any(|message| message.contains("safe-upgrades")));
    // A kind of v1.5 and newer: the upgrade that brought the policy is past.
    let set = "apiVersion: gateway.networking.k8s.io/v1\nkind: ListenerSet\nmetadata:\n  name: edge\nspec:\n  \
               parentRef:\n    name: edge\n  listeners:\n  - name: web\n    port: 80\n    protocol: HTTP\n";
    assert!(advised(set, "1.6/standard").is_empty());
    let named = gateway.replace("  listeners", "  addresses: [{type: NamedAddress, value: x}]\n  listeners");
    let old = named.replace("/v1\n", "/v1alpha2\n");
    assert!(advised(&old, "1.0/standard").iter().any(|message| message.contains("NamedAddress")));
    assert!(
        !advised(&gateway.replace("/v1\n", "/v1alpha2\n"), "1.0/standard")
            .iter()
            .any(|message| message.contains("NamedAddress"))
    );
}

#[test]
fn an_advisory_is_louder_where_something_is_converted() {
    let severity = |text: &str, target: &str| {
        let findings = convert(text, target).1;
        let advisory = findings.iter().find(|finding| finding.message.contains("safe-upgrades"));
        advisory.map(|finding| finding.severity)
    };
    let settled = route("v1", "  rules:\n  - name: pay\n");
    assert_eq!(severity(&settled, "1.4/experimental"), Some(Severity::Note));
    assert_eq!(severity(&route("v1", CORS), "1.4/standard"), Some(Severity::Warning));
}

#[test]
fn rights_to_a_kind_that_changes_are_told() {
    let role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: teams\nrules:\n- apiGroups: \
                [gateway.networking.x-k8s.io]\n  resources: [xlistenersets, xlistenersets/status]\n  verbs: [get]\n";
    let found = tells(role, "1.6/standard", &["reference-kept rules[0]"]);
    let help = found.iter().find_map(|finding| finding.help.as_deref()).unwrap();
    assert!(help.starts_with("name listenersets.gateway.networking.k8s.io beside"), "{help}");
    tells(role, "1.4/experimental", &[]);
}

#[test]
fn the_experimental_channel_is_the_tighter_one_in_three_places() {
    let names = route("v1", "  rules:\n  - name: a\n  - name: a\n");
    tells(&names, "1.4/standard", &[]);
    tells(&names, "1.4/experimental", &["invalid-in-target spec.rules"]);
    let header =
        route("v1", "  rules:\n  - matches:\n    - headers:\n      - name: x-shop\n        value: \" padded\"\n");
    tells(&header, "1.5/standard", &[]);
    let found = tells(&header, "1.5/experimental", &["invalid-in-target spec.rules[0].matches[0].headers[0].value"]);
    assert!(found.iter().any(|finding| finding.help.as_deref().is_some_and(|help| help.contains("trim"))));
    let ports = route("v1", "  parentRefs:\n  - name: edge\n    port: 80\n  - name: edge\n    port: 81\n");
    tells(&ports, "1.5/experimental", &[]);
    tells(&ports, "1.5/standard", &["invalid-in-target spec.parentRefs"]);
}

#[test]
fn what_every_release_of_an_object_refuses_is_told_and_left() {
    // `retry` is in experimental releases only, which all want the names of rules to differ.
    let names = route("v1", "  rules:\n  - name: a\n    retry: {attempts: 1}\n  - name: a\n");
    tells(&names, "1.4/experimental", &["already-invalid spec.rules"]);
}

#[test]
fn the_way_back_costs_what_the_matrix_says_of_it() {
    let packs = embedded::with(Vec::new()).unwrap();
    let pack = packs.named("gateway-api").unwrap();
    let rows = |from: &str, to: &str, swapped: bool| -> BTreeSet<String> {
        let [from, to] = [from, to].map(|name| packs.target(&format!("gateway-api@{name}")).unwrap().release);
        let told = |change: &Change| match swapped {
            false => format!("{:?} {} {:?} {:?}", change.subject, change.name, change.there, change.back),
            true => format!("{:?} {} {:?} {:?}", change.subject, change.name, change.back, change.there),
        };
        // A field that a rule takes elsewhere is named as it is called where the way starts.
        let counts = |change: &&Change| !matches!(change.subject, Subject::Field | Subject::Value | Subject::Kind);
        matrix(pack, from, to).iter().filter(counts).map(told).collect()
    };
    let names = [
        "0.3.0",
        "0.4.3",
        "0.7.1/standard",
        "1.0.0/experimental",
        "1.3.0/experimental",
        "1.4.0/standard",
        "1.6.1/standard",
    ];
    for from in names {
        assert!(rows(from, from, false).is_empty(), "{from}");
        for to in names {
            assert_eq!(rows(from, to, false), rows(to, from, true), "{from} to {to}");
        }
    }
    let changes = matrix(
        pack,
        packs.target("gateway-api@1.3.0/experimental").unwrap().release,
        packs.target("gateway-api@1.6.1/standard").unwrap().release,
    );
    let costs = |name: &str| {
        let change = changes.iter().find(|change| change.name.ends_with(name)).unwrap_or_else(|| panic!("{name}"));
        [&change.there, &change.back].map(|costs| costs.iter().map(|cost| cost.name()).collect::<Vec<_>>().join("/"))
    };
    assert_eq!(costs("gateway-backendtls-moved-to-tls-backend"), ["exact", "exact"]);
    assert_eq!(costs("session-idletimeout-removed"), ["lossy", ""]);
    assert_eq!(costs("httproute-redirect-keeps-method"), ["", "refused"]);
    assert_eq!(costs("spec.rules[].retry"), ["lossy", ""]);
    assert_eq!(costs("XBackendTrafficPolicy.gateway.networking.x-k8s.io"), ["refused", ""]);
    assert_eq!(costs("safe-upgrades-policy-denies-older-crds"), ["", "advisory"]);
}
