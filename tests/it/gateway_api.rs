//! Parts of the Gateway API pack beyond its rules: filters removed as a whole, hints, advisories, and the three places where
//! the experimental channel is stricter.

use std::collections::BTreeSet;

use reversion::internals::finding::{Code, Finding, Severity};
use reversion::internals::pack::About;
use reversion::internals::pack::matrix::{Change, Cost, Subject, matrix};
use reversion::internals::plan::{AllowedLoss, Choices};

use crate::support::engine::{self, Run};
use crate::support::packs;

/// Converts `text` to a release of Gateway API, allowing every loss; returns the new text and the findings.
fn convert(text: &str, target: &str) -> (String, Vec<Finding>) {
    let run = run(text, target);
    (run.after, run.plan.findings)
}

/// Plans the conversion of `text` to a release of Gateway API, allowing every loss.
fn run(text: &str, target: &str) -> Run {
    let choices = Choices { allowed: AllowedLoss::All, ..Choices::default() };
    engine::convert(engine::target(&format!("gateway-api@{target}")), choices, text).unwrap()
}

/// Checks the findings of a conversion, as `code field`, without advisories.
#[track_caller]
fn check_findings(text: &str, target: &str, expected: &[&str]) -> Vec<Finding> {
    let findings = convert(text, target).1;
    let reported = findings.iter().filter(|finding| finding.code != Code::Advisory);
    let reported: Vec<_> =
        reported.map(|finding| format!("{} {}", finding.code, finding.field.as_deref().unwrap_or("-"))).collect();
    assert_eq!(reported, expected, "to {target}");
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
fn a_filter_without_a_type_is_removed_as_a_whole() {
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
fn a_filter_of_an_unknown_type_is_left_unchanged() {
    let text = route("v1", &CORS.replace("type: CORS", "type: Cores"));
    assert_eq!(convert(&text, "1.5/standard").0, text);
}

#[test]
fn refusals_say_what_to_do() {
    let route = "apiVersion: gateway.networking.k8s.io/v1alpha2\nkind: TCPRoute\nmetadata:\n  name: db\nspec:\n  rules:\n  \
                 - backendRefs:\n    - name: a\n      port: 1\n  - backendRefs:\n    - name: b\n      port: 1\n";
    let found = check_findings(route, "1.6/standard", &["invalid-in-target spec.rules"]);
    assert!(
        found.iter().any(|finding| finding.help.as_deref().is_some_and(|help| help.contains("one route for each")))
    );
    let found = check_findings(route, "1.5/standard", &["kind-not-in-target kind"]);
    assert!(found.iter().any(|finding| finding.help.as_deref().is_some_and(|help| help.contains("v1.6.0"))));
    // The experimental channel serves v1alpha2 too, and says why the route does not get v1.
    let found = check_findings(route, "1.6/experimental", &["less-stable-version spec.rules"]);
    let deprecated = "v1alpha2, which gateway-api@1.6.1/experimental has deprecated";
    assert!(found.iter().any(|finding| finding.sentence().contains(deprecated)), "{found:?}");
}

#[test]
fn an_advisory_is_reported_once_and_only_if_relevant() {
    let advised = |text: &str, target: &str| -> Vec<String> {
        let plan = run(text, target).plan;
        let reported = plan.findings.into_iter().filter(|finding| finding.code == Code::Advisory);
        reported
            .map(|finding| finding.sentence().into_owned())
            .chain(plan.advisories.into_iter().map(|one| one.message))
            .collect()
    };
    let gateway = "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata:\n  name: edge\nspec:\n  \
                   gatewayClassName: edge\n  listeners:\n  - name: web\n    port: 80\n    protocol: HTTP\n";
    let two = format!("{gateway}---\n{}", gateway.replace("edge", "inner"));
    let backward = advised(&two, "1.4/standard");
    assert_eq!(backward.len(), 1, "{backward:?}");
    assert!(backward[0].contains("denies the CRDs of older bundles"), "{backward:?}");
    assert!(advised(&two, "1.0/standard").iter().any(|message| message.contains("safe-upgrades")));
    // A kind of v1.5 and newer: the upgrade that added the policy is past.
    let set = "apiVersion: gateway.networking.k8s.io/v1\nkind: ListenerSet\nmetadata:\n  name: edge\nspec:\n  \
               parentRef:\n    name: edge\n  listeners:\n  - name: web\n    port: 80\n    protocol: HTTP\n";
    assert!(advised(set, "1.6/standard").is_empty());
    // Listener sets outside the run may be affected.
    let validated = gateway.replace(
        "port: 80\n    protocol: HTTP\n",
        "port: 443\n    protocol: HTTPS\n    tls: {certificateRefs: [{name: a}]}\n",
    ) + "  tls: {frontend: {default: {validation: {caCertificateRefs: [{group: '', kind: ConfigMap, name: a}]}}}}\n";
    let allows = |from: &str| {
        let text = format!("{validated}  allowedListeners: {{namespaces: {{{from}}}}}\n");
        advised(&text, "1.3/experimental").iter().any(|message| message.contains("listener sets"))
    };
    assert_eq!(["from: Same", "from: None", ""].map(allows), [true, false, false]);
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
fn an_advisory_about_the_cluster_or_a_release_has_no_place() {
    let grpc = |name: &str| {
        format!(
            "apiVersion: gateway.networking.k8s.io/v1\nkind: GRPCRoute\nmetadata: {{name: {name}}}\nspec: {{hostnames: [a.example.com]}}\n"
        )
    };
    let two = format!("{}---\n{}", grpc("a"), grpc("b"));
    let about = |target: &str| {
        let plan = run(&two, target).plan;
        assert!(plan.findings.iter().all(|finding| finding.code != Code::Advisory), "{:?}", plan.findings);
        plan.advisories.into_iter().map(|advisory| (advisory.about, advisory.severity)).collect::<Vec<_>>()
    };
    assert_eq!(about("1.4/standard"), [(About::Cluster, Severity::Note)]);
    assert_eq!(about("1.6/standard"), [(About::Release, Severity::Note)]);
    let both = run(&two, "1.6/experimental").plan.advisories;
    let messages: Vec<_> = both.iter().map(|advisory| advisory.message.as_str()).collect();
    assert_eq!(
        both.iter().map(|advisory| advisory.about).collect::<Vec<_>>(),
        [About::Cluster, About::Release],
        "{messages:?}"
    );
}

#[test]
fn an_advisory_applies_to_the_upgrade_between_two_releases() {
    let pack = packs().named("gateway-api").unwrap();
    let reported = |from: &str, to: &str| -> Vec<String> {
        let [from, to] = [from, to].map(|name| engine::target(&format!("gateway-api@{name}")).release);
        let changes = matrix(pack, from, to).into_iter().filter(|change| change.subject == Subject::Advisory);
        let names = changes.filter(|change| !change.forward.is_empty()).map(|change| change.name);
        names.filter_map(|name| name.strip_prefix("safe-upgrades-policy-denies-").map(str::to_owned)).collect()
    };
    assert_eq!(reported("1.6.1/standard", "1.5.1/standard"), ["v1.5"]);
    assert_eq!(reported("1.6.1/standard", "1.5.1/experimental"), ["experimental-crds", "v1.5"]);
    assert!(reported("1.6.1/experimental", "1.5.1/experimental").is_empty());
    assert_eq!(reported("1.6.1/standard", "1.4.1/standard"), ["older-crds"]);
    assert_eq!(reported("1.6.1/standard", "1.6.1/experimental"), ["experimental-crds"]);
    assert_eq!(reported("1.4.1/standard", "1.6.1/experimental"), ["experimental-crds"]);
    assert!(reported("1.4.1/experimental", "1.6.1/experimental").is_empty());
    assert!(reported("1.4.1/standard", "1.6.1/standard").is_empty());
    assert!(reported("1.6.1/experimental", "1.6.1/standard").is_empty());
}

#[test]
fn a_hint_applies_to_the_chosen_channel() {
    let help_for = |kind: &str, version: &str, target: &str| {
        let text = format!("apiVersion: {version}\nkind: {kind}\nmetadata:\n  name: a\nspec: {{}}\n");
        check_findings(&text, target, &["kind-not-in-target kind"])[0].help.clone().unwrap_or_default()
    };
    let backend = help_for("BackendLBPolicy", "gateway.networking.k8s.io/v1alpha2", "1.0/experimental");
    assert!(backend.contains("of v1.1.0 or newer"), "{backend}");
    let tls = help_for("BackendTLSPolicy", "gateway.networking.k8s.io/v1", "0.8/experimental");
    assert!(tls.contains("of v1.0.0 or newer"), "{tls}");
    let mesh = help_for("XMesh", "gateway.networking.x-k8s.io/v1alpha1", "1.3/experimental");
    assert!(mesh.contains("of v1.4.0 or newer"), "{mesh}");
}

#[test]
fn every_hint_belongs_to_a_rejected_field() {
    let help = |text: &str, target: &str, field: &str| -> String {
        let found = convert(text, target).1;
        let found = found.iter().find(|finding| finding.field.as_deref() == Some(field));
        found.and_then(|finding| finding.help.clone()).unwrap_or_else(|| panic!("{field} is not held back"))
    };
    let object = |group: &str, kind: &str, spec: &str| {
        format!("apiVersion: {group}\nkind: {kind}\nmetadata:\n  name: edge\n{spec}")
    };
    let gateway = |spec: &str| {
        let listeners = "  gatewayClassName: edge\n  listeners:\n  - {name: web, port: 80, protocol: HTTP}\n";
        object("gateway.networking.k8s.io/v1", "Gateway", &format!("spec:\n{spec}{listeners}"))
    };
    let labels = gateway("  infrastructure:\n    labels: {team: not a label}\n");
    assert!(help(&labels, "1.2/experimental", "spec.infrastructure.labels.team").contains("63 characters"));
    let named = gateway("  addresses: [{type: Hostname, value: edge.example.com}]\n");
    assert!(help(&named, "0.3.0", "spec.addresses[0].type").contains("before v0.4.0"));
    let grant = object("gateway.networking.k8s.io/v1beta1", "ReferenceGrant", "");
    assert!(help(&grant, "1.6/standard", "spec").contains("allows nothing"));
    let policy = object(
        "gateway.networking.k8s.io/v1",
        "BackendTLSPolicy",
        "spec:\n  targetRefs: [{group: \"\", kind: Service, name: shop}]\n  validation: {hostname: shop.example.com, wellKnownCACertificates: example.com/ours}\n",
    );
    for target in ["1.0/experimental", "1.4/standard"] {
        assert!(help(&policy, target, "spec.validation.wellKnownCACertificates").contains("System"), "{target}");
    }
    let many: Vec<_> = (0..17).map(|number| format!("h{number}.example.com")).collect();
    let spec =
        format!("spec:\n  hostnames: [{}]\n  rules: [{{backendRefs: [{{name: db, port: 1}}]}}]\n", many.join(", "));
    let tls = help(&object("gateway.networking.k8s.io/v1", "TLSRoute", &spec), "1.5/standard", "spec.hostnames");
    assert!(tls.contains("split a route that has more") && tls.contains("no IP addresses"), "{tls}");
}

#[test]
fn an_advisory_is_a_warning_if_something_is_converted() {
    let severity = |text: &str, target: &str| {
        let advisories = run(text, target).plan.advisories;
        let advisory = advisories.iter().find(|advisory| advisory.message.contains("safe-upgrades"));
        advisory.map(|advisory| advisory.severity)
    };
    let unchanged = route("v1", "  rules:\n  - name: pay\n");
    assert_eq!(severity(&unchanged, "1.4/experimental"), Some(Severity::Note));
    // It may come from the experimental channel of the target's own bundle, but from no bundle before v1.3.0.
    assert_eq!(severity(&route("v1", CORS), "1.4/standard"), Some(Severity::Note));
    assert_eq!(severity(&route("v1", CORS), "1.2/standard"), Some(Severity::Warning));
}

#[test]
fn rbac_rules_for_a_changed_kind_are_reported() {
    let role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: teams\nrules:\n- apiGroups: \
                [gateway.networking.x-k8s.io]\n  resources: [xlistenersets, xlistenersets/status]\n  verbs: [get]\n";
    let found = check_findings(role, "1.6/standard", &["reference-not-updated rules[0]"]);
    let help = found.iter().find_map(|finding| finding.help.as_deref()).unwrap();
    assert!(
        help.starts_with(
            "add listenersets.gateway.networking.k8s.io, listenersets.gateway.networking.k8s.io/status to it"
        ),
        "{help}"
    );
    check_findings(role, "1.4/experimental", &[]);
}

#[test]
fn the_experimental_channel_is_stricter_in_three_places() {
    let names = route("v1", "  rules:\n  - name: a\n  - name: a\n");
    check_findings(&names, "1.4/standard", &[]);
    check_findings(&names, "1.4/experimental", &["invalid-in-target spec.rules"]);
    let header =
        route("v1", "  rules:\n  - matches:\n    - headers:\n      - name: x-shop\n        value: \" padded\"\n");
    check_findings(&header, "1.5/standard", &[]);
    let found =
        check_findings(&header, "1.5/experimental", &["invalid-in-target spec.rules[0].matches[0].headers[0].value"]);
    assert!(found.iter().any(|finding| finding.help.as_deref().is_some_and(|help| help.contains("trim"))));
    let ports = route("v1", "  parentRefs:\n  - name: edge\n    port: 80\n  - name: edge\n    port: 81\n");
    check_findings(&ports, "1.5/experimental", &[]);
    check_findings(&ports, "1.5/standard", &["invalid-in-target spec.parentRefs"]);
}

#[test]
fn fields_rejected_by_every_release_are_reported_and_left_unchanged() {
    // `retry` is in experimental releases only, which all require unique names of rules.
    let names = route("v1", "  rules:\n  - name: a\n    retry: {attempts: 1}\n  - name: a\n");
    check_findings(&names, "1.4/experimental", &["already-invalid spec.rules"]);
}

/// Returns the rows between two releases: kind and name of each, with its costs forward and backward.
fn between(from: &str, to: &str) -> Vec<(String, String)> {
    let pack = packs().named("gateway-api").unwrap();
    let [from, to] = [from, to].map(|name| engine::target(&format!("gateway-api@{name}")).release);
    let costs = |costs: &BTreeSet<Cost>| costs.iter().map(|cost| cost.name()).collect::<Vec<_>>().join("/");
    let row = |change: &Change| {
        let kind = change.kinds.first().map(|kind| kind.kind.clone()).unwrap_or_default();
        let name = match change.subject {
            Subject::Limit => format!("{kind} {}: {}", change.name, change.text.split(" becomes ").next().unwrap()),
            Subject::Rule => change.name.rsplit('/').next().unwrap().to_owned(),
            Subject::Kind => format!("kind {}", change.name),
            _ => format!("{kind} {} {}", change.subject.name(), change.name),
        };
        (name, format!("{}|{}", costs(&change.forward), costs(&change.backward)))
    };
    matrix(pack, from, to).iter().map(row).collect()
}

#[track_caller]
fn check_rows(from: &str, to: &str, rows: &[(&str, &str)]) {
    let found = between(from, to);
    for (name, costs) in rows {
        let same: Vec<_> = found.iter().filter(|(other, _)| other == name).map(|(_, costs)| costs.as_str()).collect();
        assert_eq!(same, [*costs], "{name} from {from} to {to}");
    }
}

#[test]
fn the_matrix_lists_stricter_and_looser_constraints() {
    check_rows("0.4.0", "0.4.1", &[("ReferencePolicy spec.from[].namespace: optional", "held-back|exact")]);
    check_rows(
        "0.4.3",
        "0.5.0/standard",
        &[("Gateway spec.addresses[].type: one of \"Hostname\", \"IPAddress\", \"NamedAddress\"", "exact|held-back")],
    );
    check_rows(
        "1.1.0/standard",
        "1.2.0/standard",
        &[("HTTPRoute spec.rules[].matches: at most 8 items", "exact|held-back")],
    );
    check_rows(
        "1.1.0/experimental",
        "1.2.0/experimental",
        &[
            ("Gateway spec.infrastructure.labels{}: any text", "held-back|exact"),
            ("HTTPRoute spec.rules[].matches: at most 8 items", "exact|held-back"),
        ],
    );
    let star = "^(([^:/?#]+):)(//([^/?#]*))([^?#]*)(\\?([^#]*))?(#(.*))?";
    check_rows(
        "1.3.0/experimental",
        "1.4.0/experimental",
        &[
            ("XListenerSet spec.listeners[].port: required", "exact|held-back"),
            ("GRPCRoute spec: optional", "held-back|exact"),
            ("TCPRoute spec.rules[].backendRefs: optional", "held-back|exact"),
            (
                &format!("HTTPRoute spec.rules[].filters[].cors.allowOrigins[]: text matching {star}"),
                "held-back|held-back",
            ),
            ("httproute-cors-credentials-can-be-false", "|normalized"),
        ],
    );
    check_rows(
        "1.4.0/experimental",
        "1.5.0/experimental",
        &[
            ("XListenerSet spec.listeners[].port: optional", "held-back|exact"),
            // A parentRef without a group references the new kind; converting back writes its group.
            ("xlistenerset-renamed-to-listenerset", "exact|exact/normalized"),
            ("HTTPRoute spec.rules: at least 0 items", "held-back|exact"),
            ("HTTPRoute spec.rules[].matches[].headers[].value: any text", "held-back|exact"),
            ("BackendTLSPolicy spec.validation.wellKnownCACertificates: one of \"System\"", "exact|held-back"),
        ],
    );
    check_rows(
        "1.3.0/experimental",
        "1.6.1/standard",
        &[
            // A rule adds the required hostnames.
            ("TLSRoute spec.hostnames: at most 16 items", "exact|held-back"),
            ("tlsroute-requires-hostnames", "normalized/held-back|"),
            ("TLSRoute spec.rules: at most 16 items", "held-back|exact"),
            ("UDPRoute spec.rules: at most 16 items", "held-back|exact"),
        ],
    );
    check_rows(
        "1.5.0/experimental",
        "1.6.0/experimental",
        &[
            ("HTTPRoute spec.rules[].retry.attempts: any number", "held-back|exact"),
            ("ReferenceGrant spec: optional", "held-back|exact"),
            ("TLSRoute spec.hostnames: at most 16 items", "exact|held-back"),
            ("Gateway spec.infrastructure.annotations: at most 8 keys", "exact|held-back"),
            ("httproute-retry-codes-became-a-set", "normalized|"),
        ],
    );
}

#[test]
fn fields_converted_by_a_rule_are_listed_with_that_rule_only() {
    let listed = |from: &str, to: &str, part: &str| -> Vec<String> {
        between(from, to).into_iter().map(|(name, _)| name).filter(|name| name.contains(part)).collect()
    };
    // Old kinds are converted although their bundle is past.
    assert_eq!(listed("0.4.3", "0.5.0/experimental", "kind "), ["kind BackendPolicy.networking.x-k8s.io"]);
    assert_eq!(
        listed("0.5.1/experimental", "0.6.0/experimental", "Reference"),
        ["ReferenceGrant api-version apiVersion"]
    );
    check_rows("0.5.1/experimental", "0.6.0/experimental", &[("referencepolicy-renamed-to-referencegrant", "exact|")]);
    check_rows(
        "0.4.3",
        "0.5.0/experimental",
        &[("x-kinds-moved-to-gateway-group", "exact|"), ("referencepolicy-renamed-to-referencegrant", "exact|exact")],
    );
    for part in [
        "field spec.rules[].matches[].headers",
        "field spec.rules[].matches[].queryParams",
        "requestHeaderModifier.add",
        "retry.codes",
    ] {
        assert!(listed("0.3.0", "0.4.0", &format!("HTTPRoute {part}")).is_empty(), "{part}");
    }
    assert!(listed("1.5.1/experimental", "1.6.0/experimental", "retry.codes").is_empty());
    // Costs of intermediate rules do not count if the target lacks the kind.
    assert!(listed("1.3.0/experimental", "1.6.1/standard", "xbackendtrafficpolicy").is_empty());
    check_rows("1.5.1/experimental", "1.6.0/experimental", &[("xbackendtrafficpolicy-idletimeout-removed", "lossy|")]);
    check_rows(
        "0.3.0",
        "0.4.0",
        &[
            ("gateway-label-selectors-became-parentrefs", "exact/normalized/held-back|exact/normalized/held-back"),
            ("gateway-got-listener-names", "exact|exact/lossy"),
        ],
    );
}

#[test]
fn converting_back_has_the_cost_listed_in_the_matrix() {
    let pack = packs().named("gateway-api").unwrap();
    let rows = |from: &str, to: &str, swapped: bool| -> BTreeSet<String> {
        let [from, to] = [from, to].map(|name| engine::target(&format!("gateway-api@{name}")).release);
        let reported = |change: &Change| match swapped {
            false => format!("{:?} {} {:?} {:?}", change.subject, change.name, change.forward, change.backward),
            true => format!("{:?} {} {:?} {:?}", change.subject, change.name, change.backward, change.forward),
        };
        // A field moved by a rule has the name that it has in the first release.
        let counts = |change: &&Change| {
            !matches!(change.subject, Subject::Field | Subject::Value | Subject::Limit | Subject::Kind)
        };
        matrix(pack, from, to).iter().filter(counts).map(reported).collect()
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
        engine::target("gateway-api@1.3.0/experimental").release,
        engine::target("gateway-api@1.6.1/standard").release,
    );
    let costs = |name: &str| {
        let change = changes.iter().find(|change| change.name.ends_with(name)).unwrap_or_else(|| panic!("{name}"));
        [&change.forward, &change.backward]
            .map(|costs| costs.iter().map(|cost| cost.name()).collect::<Vec<_>>().join("/"))
    };
    assert_eq!(costs("gateway-backendtls-moved-to-tls-backend"), ["exact", "exact"]);
    assert_eq!(costs("session-idletimeout-removed"), ["lossy", ""]);
    assert_eq!(costs("httproute-redirect-keeps-method"), ["", "held-back"]);
    assert_eq!(costs("spec.rules[].retry"), ["lossy", ""]);
    assert_eq!(costs("XBackendTrafficPolicy.gateway.networking.x-k8s.io"), ["held-back", ""]);
    assert_eq!(costs("safe-upgrades-policy-denies-older-crds"), ["", "advisory"]);
}
