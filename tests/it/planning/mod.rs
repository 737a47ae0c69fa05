//! Conversions of several files together: namespaces set by Kustomize, references, patches, CRDs.

use std::collections::BTreeMap;
use std::sync::Arc;

use reversion::internals::finding::{Code, Severity};
use reversion::internals::manifest::Manifest;
use reversion::internals::pack::build::PlacedCrd;
use reversion::internals::pack::build::own::OwnCrds;
use reversion::internals::plan::{AllowedLoss, Choices, Ignored, Keeping, Schema};

use crate::support::{engine, packs};

mod bound_references;
mod builds;
mod built_names;
mod declined;
mod foreign_keys;
mod held_targets;
mod identities;
mod json_patches;
mod judged;
mod kustomize;
mod labels;
mod mentioned_groups;
mod mentions;
mod named_fields;
mod namesakes;
mod rbac;
mod remote;
mod schema_comments;
mod sources;
mod split_objects;
mod styles;
mod written_versions;

/// The result of converting several files.
struct Outcome {
    /// The changed files' texts.
    after: BTreeMap<String, String>,
    /// Each finding except advisories, as `file severity code field`.
    reported: Vec<String>,
    /// Their messages and helps.
    messages: String,
    /// How many advisories there are.
    advisories: usize,
}

fn read(file: &str, text: &str) -> Manifest {
    engine::read(file, text.as_bytes()).unwrap()
}

fn run(files: &[(&str, &str)], target: &str) -> Outcome {
    run_with(files, target, Choices::default())
}

fn run_with(files: &[(&str, &str)], target: &str, choices: Choices) -> Outcome {
    let mut manifests: Vec<_> = files.iter().map(|(file, text)| read(file, text)).collect();
    manifests.sort_by(|left, right| left.file.cmp(&right.file));
    // A release of Gateway API, unless the pack is given.
    let name = if target.contains('@') { target.to_owned() } else { format!("gateway-api@{target}") };
    let plan = engine::plan(engine::target(&name), choices, &manifests);
    let mut outcome = Outcome { after: BTreeMap::new(), reported: Vec::new(), messages: String::new(), advisories: 0 };
    outcome.after.extend(plan.files.into_iter().map(|file| (file.file.clone(), file.after())));
    let of_objects = plan.findings.iter().filter(|finding| finding.code == Code::Advisory).count();
    outcome.advisories = of_objects + plan.advisories.len();
    for finding in plan.findings.iter().filter(|finding| finding.code != Code::Advisory) {
        let field = finding.field.as_deref().unwrap_or("-");
        outcome.reported.push(format!(
            "{} {} {} {field}",
            finding.location.file,
            finding.severity.name(),
            finding.code
        ));
        outcome.messages.push_str(&format!(
            "{}\n{}\n",
            finding.sentence(),
            finding.help.as_deref().unwrap_or_default()
        ));
    }
    outcome
}

impl Outcome {
    /// Checks every finding of at least severity `least`.
    #[track_caller]
    fn check_findings(&self, least: Severity, expected: &[&str]) {
        let all = [Severity::Note, Severity::Warning, Severity::Unresolved, Severity::Held, Severity::Error];
        let names: Vec<_> = all.iter().filter(|severity| **severity >= least).map(|severity| severity.name()).collect();
        let reported: Vec<_> =
            self.reported.iter().filter(|line| names.contains(&line.split(' ').nth(1).unwrap())).collect();
        assert_eq!(reported, expected, "{}", self.messages);
    }

    #[track_caller]
    fn check_message(&self, message: &str) {
        assert!(self.messages.contains(message), "{}", self.messages);
    }
}

const OLD_GATEWAY: &str = "apiVersion: networking.x-k8s.io/v1alpha1
kind: Gateway
metadata:
  name: edge
spec:
  gatewayClassName: lb
  listeners:
  - protocol: HTTP
    port: 80
    routes:
      kind: HTTPRoute
      namespaces: {from: All}
      selector: {matchLabels: {tier: web}}
";

const OLD_ROUTE: &str = "apiVersion: networking.x-k8s.io/v1alpha1
kind: HTTPRoute
metadata:
  name: cart
  labels: {tier: web}
spec:
  gateways: {allow: All}
  rules:
  - forwardTo: [{serviceName: cart, port: 80}]
";

#[test]
fn a_route_names_its_gateway_where_kustomize_puts_it() {
    let files = [
        ("edge/gateway.yaml", OLD_GATEWAY),
        ("edge/kustomization.yaml", "namespace: edge-system\nresources: [gateway.yaml]\n"),
        ("cart/route.yaml", OLD_ROUTE),
        ("cart/kustomization.yaml", "namespace: cart\nresources: [route.yaml]\n"),
    ];
    let both = run(&files, "1.6.1/standard");
    both.check_findings(Severity::Warning, &[]);
    assert!(both.after["cart/route.yaml"].contains("  - name: edge\n    namespace: edge-system\n"));
    let mut one = files;
    one[3].1 = "namespace: edge-system\nresources: [route.yaml]\n";
    assert!(run(&one, "1.6.1/standard").after["cart/route.yaml"].contains("  - name: edge\n  rules"));
}

#[test]
fn a_gateway_in_several_namespaces_is_referenced_by_no_route() {
    let files = [
        ("base/gateway.yaml", OLD_GATEWAY),
        ("base/kustomization.yaml", "resources: [gateway.yaml]\n"),
        ("live/kustomization.yaml", "namespace: live\nresources: [../base]\n"),
        ("test/kustomization.yaml", "namespace: test\nresources: [../base]\n"),
        ("cart/route.yaml", OLD_ROUTE),
        ("cart/kustomization.yaml", "namespace: cart\nresources: [route.yaml]\n"),
    ];
    let separate = run(&files, "1.6.1/standard");
    separate.check_findings(
        Severity::Warning,
        &["base/gateway.yaml held-back converts-together -", "cart/route.yaml held-back not-convertible spec.gateways"],
    );
    separate.check_message(
        "the namespace of Gateway edge (base/gateway.yaml:1) is unknown: it gets different namespaces from several kustomizations",
    );
    // Both are in the same namespace in every build.
    let mut combined = files;
    combined[1].1 = "resources: [gateway.yaml, ../cart/route.yaml]\n";
    combined[5].1 = "resources: []\n";
    let combined = run(&combined, "1.6.1/standard");
    combined.check_findings(Severity::Warning, &[]);
    assert!(combined.after["cart/route.yaml"].contains("  - name: edge\n  rules"));
}

const TLS_ROUTE: &str = "apiVersion: gateway.networking.k8s.io/v1alpha2
kind: TLSRoute
metadata:
  name: mail
spec:
  parentRefs: [{name: edge}]
  rules:
  - backendRefs: [{name: mail, port: 993}]
";

fn tls_gateway(namespace: &str, hostname: &str) -> String {
    format!(
        "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata:\n  name: edge{namespace}\nspec:\n  \
         gatewayClassName: lb\n  listeners:\n  - name: tls\n    protocol: TLS\n    port: 993\n    hostname: {hostname}\n    \
         tls: {{mode: Passthrough}}\n"
    )
}

#[test]
fn hostnames_are_read_from_the_routes_own_namespace() {
    let (same_host, other) = (tls_gateway("", "mail.example.com"), tls_gateway("", "other.example.com"));
    let with_kustomization = [
        ("mail/kustomization.yaml", "namespace: mail\nresources: [route.yaml, edge.yaml]\n"),
        ("mail/route.yaml", TLS_ROUTE),
        ("mail/edge.yaml", &same_host),
        ("far/kustomization.yaml", "namespace: far\nresources: [edge.yaml]\n"),
        ("far/edge.yaml", &other),
    ];
    let found = run(&with_kustomization, "1.6.1/standard");
    found.check_findings(Severity::Warning, &[]);
    assert!(found.after["mail/route.yaml"].contains("mail.example.com"));
    let without_kustomization = [with_kustomization[0], with_kustomization[1], ("far/edge.yaml", &other)];
    let found = run(&without_kustomization, "1.6.1/standard");
    found.check_findings(Severity::Warning, &["mail/route.yaml held-back invalid-in-target spec.parentRefs[0]"]);
    found.check_message("the namespace of Gateway edge (far/edge.yaml:1) is unknown: it has no metadata.namespace");
}

#[test]
fn a_target_is_compared_with_the_namespace_set_by_kustomize() {
    let policy = "apiVersion: gateway.networking.k8s.io/v1alpha2\nkind: BackendTLSPolicy\nmetadata:\n  name: db\n  \
                  namespace: dev\nspec:\n  targetRef: {group: \"\", kind: Service, name: db, namespace: dev}\n  tls: \
                  {hostname: db.example.com, wellKnownCACerts: System}\n";
    let with =
        |kustomization: &str| run(&[("policy.yaml", policy), ("kustomization.yaml", kustomization)], "1.6.1/standard");
    with("resources: [policy.yaml]\n").check_findings(Severity::Held, &[]);
    with("namespace: dev\nresources: [policy.yaml]\n").check_findings(Severity::Held, &[]);
    let held = ["policy.yaml held-back not-convertible spec.targetRef.namespace"];
    with("namespace: live\nresources: [policy.yaml]\n").check_findings(Severity::Held, &held);
    let (live, test) = ("namespace: live\nresources: [../policy.yaml]\n", "resources: [../policy.yaml]\n");
    let overlays = [("policy.yaml", policy), ("live/kustomization.yaml", live), ("test/kustomization.yaml", test)];
    let found = run(&overlays, "1.6.1/standard");
    found.check_findings(Severity::Held, &held);
    found.check_message("the namespace of the object is unknown");
}

const MIXED_REFERENCES: &str = "apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: cart}
spec:
  parentRefs: [{kind: ListenerSet, name: cart}, {name: edge}]
  rules:
  - backendRefs: [{group: gateway.networking.x-k8s.io, kind: XBackend, name: cart, port: 80}, {name: cart, port: 80}]
---
apiVersion: gateway.networking.k8s.io/v1beta1
kind: ReferenceGrant
metadata: {name: cart}
spec:
  from: [{group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: a}, {group: gateway.networking.k8s.io, kind: TCPRoute, namespace: a}]
  to: [{group: \"\", kind: Secret}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: edge}
spec:
  gatewayClassName: lb
  listeners: [{name: db, port: 5432, protocol: TCP, allowedRoutes: {kinds: [{kind: TCPRoute}]}}]
---
apiVersion: policy.example.com/v1
kind: Timeout
metadata: {name: cart}
spec: {targetRef: {group: gateway.networking.k8s.io, kind: UDPRoute, name: dns}}
";

#[test]
fn references_to_kinds_missing_in_the_target_are_reported() {
    let backward = run(&[("a.yaml", MIXED_REFERENCES)], "1.2.1/standard");
    let expected = [
        "a.yaml unresolved dangling-reference spec.parentRefs[0]",
        "a.yaml unresolved dangling-reference spec.rules[0].backendRefs[0]",
        "a.yaml unresolved dangling-reference spec.from[1]",
        "a.yaml unresolved dangling-reference spec.listeners[0].allowedRoutes.kinds[0]",
        "a.yaml unresolved dangling-reference spec.targetRef",
    ];
    backward.check_findings(Severity::Warning, &expected);
    backward.check_message(
        "spec.parentRefs[0] names ListenerSet cart, but gateway-api@1.2.1/standard does not have that kind",
    );
    run(&[("a.yaml", MIXED_REFERENCES)], "1.6.1/experimental").check_findings(Severity::Warning, &[]);
}

fn gateway(port: &str) -> String {
    format!(
        "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {{name: edge}}\nspec:\n  gatewayClassName: lb\n  \
         listeners: [{{name: web, port: {port}, protocol: HTTP}}]\n"
    )
}

#[test]
fn a_violation_of_every_release_is_a_warning() {
    let place = "spec.listeners[0].port";
    let wrong = run(&[("a.yaml", &gateway("99999"))], "1.6.1/standard");
    wrong.check_findings(Severity::Warning, &[&format!("a.yaml warning already-invalid {place}")]);
    // It can become a number.
    run(&[("a.yaml", &gateway("\"${PORT}\""))], "1.6.1/standard").check_findings(Severity::Note, &[]);
    for open in ["\"{{ .port }}\"", "$PORT"] {
        let filled_in = run(&[("a.yaml", &gateway(open))], "1.6.1/standard");
        filled_in.check_findings(Severity::Note, &[&format!("a.yaml note already-invalid {place}")]);
    }
    let patch = [("a.yaml", &*gateway("99999")), ("kustomization.yaml", "patches: [{path: a.yaml}]\n")];
    run(&patch, "1.6.1/standard").check_findings(Severity::Note, &[&format!("a.yaml note already-invalid {place}")]);
    let matches = "apiVersion: gateway.networking.k8s.io/v1alpha2\nkind: HTTPRoute\nmetadata: {name: cart}\nspec:\n  rules:\n  \
                   - matches: [{path: {type: Prefix, value: /}}]\n";
    let reported = ["a.yaml warning already-invalid spec.rules[0].matches[0].path.type"];
    run(&[("a.yaml", matches)], "1.6.1/standard").check_findings(Severity::Warning, &reported);
}

const GATEWAY_CRD: &str = "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: gateways}, \
spec: {group: gateway.networking.k8s.io, names: {kind: Gateway}, scope: Namespaced, versions: [{name: v1, served: true, \
storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {gatewayClassName: \
{type: string}, listeners: {type: array, items: {type: object, properties: {name: {type: string}, protocol: {type: string}, \
port: {type: integer, maximum: 65535}}}}}}}}}}]}}";

#[test]
fn with_user_supplied_crds_a_violation_of_every_release_is_held_back() {
    let crd = read("crd.yaml", GATEWAY_CRD);
    let whole = crd.full_value(&crd.objects[0]).unwrap();
    let crds = OwnCrds::read("crds", [PlacedCrd { place: "crd.yaml".to_owned(), value: whole }]).unwrap();
    let choices = Choices { schema: Schema::Own(Arc::new(crds)), ..Choices::default() };
    let check = |port: &str| run_with(&[("a.yaml", &gateway(port))], "1.6.1/standard", choices.clone());
    check("99999").check_findings(Severity::Warning, &["a.yaml held-back invalid-in-target spec.listeners[0].port"]);
    check("\"${PORT}\"").check_findings(Severity::Warning, &[]);
    check("80").check_findings(Severity::Warning, &[]);
}

fn listener_set(name: &str, port: u32) -> String {
    format!(
        "apiVersion: gateway.networking.x-k8s.io/v1alpha1\nkind: XListenerSet\nmetadata: {{name: {name}, namespace: a}}\nspec:\n  \
         parentRef: {{name: edge}}\n  listeners: [{{name: web, port: {port}, protocol: HTTP}}]\n"
    )
}

const GRANT: &str = "apiVersion: gateway.networking.k8s.io/v1
kind: ReferenceGrant
metadata: {name: cart, namespace: b}
spec:
  from: [{group: gateway.networking.x-k8s.io, kind: XListenerSet, namespace: a}]
  to: [{group: \"\", kind: Secret}]
";

#[test]
fn a_permission_lost_by_some_sources_is_reported_with_them() {
    let (converted, held) = (listener_set("goes", 80), listener_set("stays", 0));
    let outcome = run(&[("goes.yaml", &converted), ("stays.yaml", &held), ("grant.yaml", GRANT)], "1.6.1/standard");
    let expected = [
        "grant.yaml unresolved reference-not-updated spec.from[0]",
        "stays.yaml held-back invalid-in-target spec.listeners[0].port",
    ];
    outcome.check_findings(Severity::Warning, &expected);
    outcome.check_message("because XListenerSet a/stays is held back, and so it no longer applies to the objects that become ListenerSet: XListenerSet a/goes");
    outcome.check_message("add the same entry for group `gateway.networking.k8s.io` and kind `ListenerSet` by hand");
    let alone = run(&[("stays.yaml", &held), ("grant.yaml", GRANT)], "1.6.1/standard");
    alone.check_message("spec.from[0] names XListenerSet a/stays, which is held back; the reference is not updated");
}

#[test]
fn a_gateway_moved_to_another_api_accepts_routes_of_that_api() {
    let gateway = "apiVersion: networking.x-k8s.io/v1alpha1\nkind: Gateway\nmetadata: {name: edge, namespace: a}\nspec:\n  gatewayClassName: lb\n  \
                   listeners:\n  - protocol: HTTP\n    port: 80\n    routes: {group: networking.x-k8s.io, kind: HTTPRoute}\n";
    let route = |name: &str, namespace: &str| {
        format!(
            "apiVersion: networking.x-k8s.io/v1alpha1\nkind: HTTPRoute\nmetadata: {{name: {name}, namespace: {namespace}}}\nspec:\n  rules:\n  - forwardTo: [{{serviceName: a, port: 80}}]\n"
        )
    };
    let converted = route("goes", "a");
    let held = route("stays", "b");
    let found = run(&[("gateway.yaml", gateway), ("goes.yaml", &converted), ("stays.yaml", &held)], "1.6.1/standard");
    found.check_findings(Severity::Warning, &["stays.yaml held-back not-convertible -"]);
    assert!(
        found.after["gateway.yaml"].contains("group: gateway.networking.k8s.io"),
        "{}",
        found.after["gateway.yaml"]
    );
}

/// Whether a file is read that holds a ConfigMap depends on what its text mentions, which decides nothing about patches.
#[test]
fn an_object_that_is_not_converted_is_unknown_to_patches_although_it_is_read() {
    let base = ("base/kustomization.yaml", "resources: [c.yaml]\n");
    let map = (
        "base/c.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: gateway.networking.k8s.io/v1}\n",
    );
    let written = "resources: [../base]\npatches:\n- target: {kind: ConfigMap}\n  patch: |\n    - {op: add, path: /data/b, \
                   value: gateway.networking.k8s.io/v1alpha2}\n";
    run(&[base, map, ("o/kustomization.yaml", written)], "1.6.1/standard")
        .check_message("a JSON patch writes a known group or kind to /data/b");
    let merged = "resources: [../base]\npatches:\n- patch: |\n    apiVersion: gateway.networking.k8s.io/v1alpha3\n    \
                  kind: BackendTLSPolicy\n    metadata: {name: p}\n    spec: {options: {a: b}}\n";
    run(&[base, map, ("o/kustomization.yaml", merged)], "1.4.1/standard")
        .check_message("the object that it is merged into is not known to this run");
}

#[test]
fn references_in_a_json_patch_are_updated_and_mentions_reported() {
    let reference = "- {op: add, path: /spec/parentRefs/-, value: {group: gateway.networking.x-k8s.io, kind: XListenerSet, name: a}}\n";
    let rest = "- {op: replace, path: /spec/parentRefs/0/kind, value: XListenerSet}\n- {op: replace, path: /spec/hostnames, value: [a.b]}\n";
    let found = run(&[("patch.yaml", &format!("{reference}{rest}"))], "1.6.1/standard");
    found.check_findings(Severity::Warning, &["patch.yaml unresolved patch-target [1].value"]);
    found.check_message("writes a known group or kind to /spec/parentRefs/0/kind");
    // A reference in the patch is updated like any other.
    let new = reference
        .replace("gateway.networking.x-k8s.io, kind: XListenerSet", "gateway.networking.k8s.io, kind: ListenerSet");
    assert_eq!(found.after["patch.yaml"], format!("{new}{rest}"));
    let held = [("patch.yaml", reference), ("set.yaml", &*listener_set("a", 0))];
    let reported = [
        "patch.yaml unresolved reference-not-updated [0].value",
        "set.yaml held-back invalid-in-target spec.listeners[0].port",
    ];
    run(&held, "1.6.1/standard").check_findings(Severity::Warning, &reported);
}

#[test]
fn a_selector_by_kind_alone_is_not_updated_but_reported() {
    let by_kind = "replacements:\n- source: {kind: ConfigMap, name: a}\n  targets: [{select: {kind: XListenerSet}, fieldPaths: [spec.x]}]\n\
                   patches:\n- target: {group: gateway.networking.x-k8s.io, version: v1alpha1, kind: XListenerSet}\n  path: p.yaml\n";
    let found = run(&[("kustomization.yaml", by_kind), ("set.yaml", &listener_set("a", 80))], "1.6.1/standard");
    found.check_message(
        "replacements[0].targets[0].select names XListenerSet.gateway.networking.x-k8s.io, renamed to ListenerSet.gateway.networking.k8s.io",
    );
    // A kustomization may omit its kind.
    let followed = "target: {group: gateway.networking.k8s.io, version: v1, kind: ListenerSet}";
    assert!(found.after["kustomization.yaml"].contains(followed), "{}", found.after["kustomization.yaml"]);
}

#[test]
fn a_group_kept_when_converting_back_is_reported() {
    let route = "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: cart}\nspec:\n  parentRefs: [{kind: ListenerSet, name: a}]\n";
    let backward = run(&[("route.yaml", route)], "1.4.1/experimental");
    assert!(backward.after["route.yaml"].contains("{group: gateway.networking.x-k8s.io, kind: XListenerSet, name: a}"));
    backward.check_findings(Severity::Note, &["route.yaml note normalized spec.parentRefs[0]"]);
    let explicit = route.replace("kind: ListenerSet", "group: gateway.networking.k8s.io, kind: ListenerSet");
    run(&[("route.yaml", &explicit)], "1.4.1/experimental").check_findings(Severity::Note, &[]);
}

#[test]
fn nothing_is_reported_as_done_for_a_held_back_object() {
    // The selected routes are not in the run, so the Gateway is held back.
    let alone = run(&[("gateway.yaml", OLD_GATEWAY)], "1.6.1/standard");
    alone.check_findings(Severity::Held, &["gateway.yaml held-back not-convertible spec.listeners[0].routes.selector"]);
    assert_eq!(alone.advisories, 0);
    // A certificate of a route must be added to the listeners by hand.
    let tls = "spec:\n  tls: {certificateRef: {group: core, kind: Secret, name: shop}}\n";
    let with_route = [("gateway.yaml", OLD_GATEWAY), ("route.yaml", &*OLD_ROUTE.replace("spec:\n", tls))];
    let combined = run(&with_route, "1.6.1/standard");
    assert!(
        combined.reported.iter().any(|line| line.starts_with("gateway.yaml held-back converts-together")),
        "{:?}",
        combined.reported
    );
    assert!(combined.reported.iter().all(|line| !line.contains("normalized")), "{:?}", combined.reported);
    assert_eq!(combined.advisories, 0);
}

#[test]
fn no_flag_is_suggested_if_none_helps() {
    let route = "apiVersion: gateway.networking.k8s.io/v1alpha2\nkind: TCPRoute\nmetadata: {name: db}\nspec:\n  useDefaultGateways: All\n  rules: \
                 [{backendRefs: [{name: db, port: 5432}]}]\n";
    run(&[("route.yaml", route)], "1.5.1/standard")
        .check_findings(Severity::Note, &["route.yaml held-back kind-not-in-target kind"]);
}

const OLD_PROXY: &str = "apiVersion: gateway.nginx.org/v1alpha1
kind: NginxProxy
metadata:
  name: edge
spec:
  ipFamily: ipv4
";

const CLASS: &str = "apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata:
  name: nginx
spec:
  controllerName: gateway.nginx.org/nginx-gateway-controller
  parametersRef:
    group: gateway.nginx.org
    kind: NginxProxy
    name: edge
";

#[test]
fn a_namespace_set_by_kustomize_is_reported_but_not_written() {
    let files = [
        ("kustomization.yaml", "namespace: edge-system\nresources: [class.yaml, proxy.yaml]\n"),
        ("class.yaml", CLASS),
        ("proxy.yaml", OLD_PROXY),
    ];
    let outcome = run(&files, "ngf@2.0.0");
    outcome.check_findings(Severity::Warning, &[]);
    let named = format!("{CLASS}    namespace: edge-system\n");
    let newer = OLD_PROXY.replace("v1alpha1", "v1alpha2");
    let expected = [("class.yaml", named), ("proxy.yaml", newer)];
    assert_eq!(outcome.after, expected.map(|(file, text)| (file.to_owned(), text)).into());
}

#[test]
fn a_class_does_not_get_a_namespace_on_which_overlays_disagree() {
    let files = [
        ("base/kustomization.yaml", "resources: [class.yaml, proxy.yaml]\n"),
        ("base/class.yaml", CLASS),
        ("base/proxy.yaml", OLD_PROXY),
        ("live/kustomization.yaml", "namespace: live\nresources: [../base]\n"),
        ("test/kustomization.yaml", "namespace: test\nresources: [../base]\n"),
    ];
    let outcome = run(&files, "ngf@2.0.0");
    outcome.check_findings(Severity::Held, &["base/class.yaml held-back not-convertible spec.parametersRef"]);
    assert_eq!(outcome.after.into_keys().collect::<Vec<_>>(), ["base/proxy.yaml"]);
}

#[test]
fn a_secret_is_found_in_the_namespace_of_its_filter() {
    let filter = "apiVersion: gateway.nginx.org/v1alpha1\nkind: AuthenticationFilter\nmetadata: {name: staff}\n\
                  spec: {type: Basic, basic: {realm: staff, secretRef: {name: users}}}\n";
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: users, namespace: shop}\ntype: nginx.org/htpasswd\n";
    let files = [("kustomization.yaml", ""), ("filter.yaml", filter), ("secret.yaml", secret)];
    let with = |kustomization| {
        let mut files = files;
        files[0].1 = kustomization;
        run(&files, "ngf@2.5.0")
    };
    let together = with("namespace: live\nresources: [filter.yaml, secret.yaml]\n");
    together.check_findings(Severity::Held, &[]);
    let opaque = secret.replace("nginx.org/htpasswd", "Opaque");
    assert_eq!(together.after, [("secret.yaml".to_owned(), opaque)].into());
    let separate = with("resources: [filter.yaml]\n");
    separate.check_findings(Severity::Held, &["secret.yaml held-back not-convertible metadata.name"]);
    separate.check_message("it is not certain that AuthenticationFilter staff (filter.yaml:1) references the object");
    let other_namespace = with("namespace: live\nresources: [filter.yaml]\n");
    other_namespace.check_findings(Severity::Held, &[]);
    assert!(other_namespace.after.is_empty());
}

#[test]
fn unreadable_documents_are_reported_if_their_file_changes() {
    let policy = |version: &str| {
        format!(
            "apiVersion: gateway.networking.k8s.io/{version}\nkind: GRPCRoute\nmetadata:\n  name: a\nspec:\n  rules:\n  - backendRefs:\n    - name: b\n      port: 80\n"
        )
    };
    let other_documents = "---\na: 1\na: 2\n---\nb: {{ .x }}\n---\n%YAML 1.2\n";
    let other_documents = other_documents.replace("---\n%YAML", "...\n%YAML") + "---\nc: 1\n";
    let text = policy("v1alpha2") + &other_documents;
    let outcome = run(&[("a.yaml", &text)], "1.4");
    assert_eq!(outcome.after["a.yaml"], policy("v1") + &other_documents);
    outcome.check_findings(
        Severity::Warning,
        &["a.yaml warning duplicate-key -", "a.yaml warning complex-key -", "a.yaml warning parse-error -"],
    );
    let unchanged = policy("v1") + &other_documents;
    run(&[("a.yaml", &unchanged)], "1.4").check_findings(Severity::Warning, &[]);
}

#[test]
fn a_name_conflict_within_one_build_is_found_across_folders() {
    let old = listener_set("a", 80);
    let new =
        old.replace("networking.x-k8s.io/v1alpha1", "networking.k8s.io/v1").replace("XListenerSet", "ListenerSet");
    let files = [("old/a.yaml", &*old), ("new/a.yaml", &*new)];
    assert_eq!(run(&files, "1.6.1/standard").after.len(), 1);
    let built = |kustomization| run(&[files[0], files[1], ("kustomization.yaml", kustomization)], "1.6.1/standard");
    built("resources: [old/a.yaml, new/a.yaml]\n")
        .check_findings(Severity::Held, &["old/a.yaml held-back name-conflict metadata.name"]);
    built("resources: [old/a.yaml]\n").check_findings(Severity::Held, &[]);
}

#[test]
fn an_old_name_is_reported_unless_all_objects_of_the_kind_are_left_unchanged() {
    let note = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: note}\ndata: {group: gateway.networking.x-k8s.io, kind: XListenerSet}\n";
    let role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: sets}\nrules: [{apiGroups: [gateway.networking.x-k8s.io], resources: [xlistenersets]}]\n";
    let build = "replacements:\n- source: {kind: XListenerSet, name: stays}\n  targets: [{select: {kind: ConfigMap}, fieldPaths: [data.x]}]\n";
    let names = "nameReference:\n- kind: XListenerSet\n  fieldSpecs: [{kind: Widget, path: spec.set}]\n";
    let others = [("build/kustomization.yaml", build), ("names.yaml", names), ("note.yaml", note), ("role.yaml", role)];
    let (converted, held) = (listener_set("goes", 80), listener_set("stays", 0));
    let stays = "stays.yaml held-back invalid-in-target spec.listeners[0].port";
    let reported = [
        "build/kustomization.yaml unresolved reference-not-updated replacements[0].source",
        "names.yaml unresolved reference-not-updated nameReference[0]",
        "note.yaml unresolved reference-not-updated data",
        "role.yaml unresolved reference-not-updated rules[0]",
    ];
    let with = |sets: &[(&'static str, &str)]| {
        let files: Vec<(&str, &str)> = others.iter().copied().chain(sets.iter().copied()).collect();
        run(&files, "1.6.1/standard")
    };
    // The objects may be elsewhere.
    with(&[]).check_findings(Severity::Unresolved, &reported);
    let some = with(&[("goes.yaml", &converted), ("stays.yaml", &held)]);
    some.check_findings(Severity::Unresolved, &[&reported[..], &[stays]].concat());
    with(&[("stays.yaml", &held)]).check_findings(Severity::Unresolved, &[stays]);
}

/// Returns choices with `ngf.namespace` set.
fn with_namespace(namespace: &str) -> Choices {
    let parameters = [("ngf.namespace".to_owned(), namespace.to_owned())].into();
    Choices { parameters, ..Choices::default() }
}

/// Returns a GatewayClass that references the NginxProxy `edge` in a namespace.
fn class(name: &str, namespace: &str) -> String {
    let class = CLASS.replace("name: nginx\n", &format!("name: {name}\n"));
    format!("{}    namespace: {namespace}\n", class.trim_end_matches('\n').to_owned() + "\n")
}

#[test]
fn conflicting_classes_are_left_unchanged() {
    let (one, two) = (class("one", "a"), class("two", "b"));
    let files = [("one.yaml", one.as_str()), ("proxy.yaml", OLD_PROXY), ("two.yaml", two.as_str())];
    let outcome = run_with(&files, "ngf@2.0.0", with_namespace("nginx-gateway"));
    outcome.check_findings(Severity::Held, &["proxy.yaml held-back not-convertible metadata"]);
    outcome.check_message("GatewayClass one (one.yaml:1) has a, GatewayClass two (two.yaml:1) has b");
    assert!(outcome.after.is_empty());
}

#[test]
fn proxies_with_the_same_name_are_left_unchanged() {
    let proxy = |namespace: &str| {
        OLD_PROXY
            .replace("v1alpha1", "v1alpha2")
            .replace("name: edge\n", &format!("name: edge\n  namespace: {namespace}\n"))
    };
    let (a, b) = (proxy("a"), proxy("b"));
    let files = [("a.yaml", a.as_str()), ("b.yaml", b.as_str()), ("class.yaml", CLASS)];
    let outcome = run_with(&files, "ngf@2.0.0", with_namespace("nginx-gateway"));
    outcome.check_findings(Severity::Held, &["class.yaml held-back not-convertible spec.parametersRef"]);
    outcome.check_message("NginxProxy edge (a.yaml:1) has a, NginxProxy edge (b.yaml:1) has b");
}

#[test]
fn a_class_that_references_another_proxy_is_reported() {
    let class = class("nginx", "a");
    let files = [
        ("class.yaml", class.as_str()),
        ("kustomization.yaml", "namespace: live\nresources: [class.yaml, proxy.yaml]\n"),
        ("proxy.yaml", OLD_PROXY),
    ];
    let outcome = run(&files, "ngf@2.0.0");
    outcome.check_findings(Severity::Warning, &["class.yaml warning dangling-reference spec.parametersRef.namespace"]);
    outcome.check_message("NginxProxy edge (proxy.yaml:1) is in namespace live");
    let in_namespace = class.replace("namespace: a", "namespace: live");
    run(&[("class.yaml", &in_namespace), files[1], files[2]], "ngf@2.0.0").check_findings(Severity::Warning, &[]);
}

#[test]
fn a_patch_gets_the_namespace_of_its_base_and_loses_it_when_converting_back() {
    let patch = "apiVersion: gateway.nginx.org/v1alpha1\nkind: NginxProxy\nmetadata:\n  name: edge\nspec:\n  disableHTTP2: true\n";
    let patched = patch.replace("v1alpha1", "v1alpha2").replace("name: edge\n", "name: edge\n  namespace: a\n");
    let kustomization = "resources: [proxy.yaml]\npatches: [{path: patch.yaml}]\n";
    let files = [("kustomization.yaml", kustomization), ("patch.yaml", patch), ("proxy.yaml", OLD_PROXY)];
    let forward = run_with(&files, "ngf@2.0.0", with_namespace("a"));
    forward.check_findings(Severity::Warning, &[]);
    assert_eq!(forward.after["patch.yaml"], patched);
    let base = forward.after["proxy.yaml"].clone();
    let back = run_with(&[files[0], ("patch.yaml", &patched), ("proxy.yaml", &base)], "ngf@1.6.2", with_namespace("a"));
    back.check_findings(Severity::Warning, &[]);
    assert_eq!([back.after["patch.yaml"].as_str(), back.after["proxy.yaml"].as_str()], [patch, OLD_PROXY]);
    let separate = run_with(&[files[0], ("patch.yaml", &patched), files[2]], "ngf@2.0.0", with_namespace("b"));
    assert!(!separate.after.contains_key("patch.yaml"));
}

#[test]
fn a_secret_without_a_type_is_found_and_held_back_with_a_reason() {
    let filter = "apiVersion: gateway.nginx.org/v1alpha1\nkind: AuthenticationFilter\nmetadata: {name: staff, namespace: a}\n\
                  spec: {type: Basic, basic: {realm: staff, secretRef: {name: users}}}\n";
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: users, namespace: a}\ndata: {auth: YTpi}\n";
    let files = [("filter.yaml", filter), ("secret.yaml", secret)];
    let outcome = run(&files, "ngf@2.4.0");
    assert_eq!(outcome.after, [("secret.yaml".to_owned(), format!("{secret}type: nginx.org/htpasswd\n"))].into());
    let held = run(&files, "ngf@2.3.0");
    held.check_findings(
        Severity::Held,
        &["filter.yaml held-back kind-not-in-target kind", "secret.yaml held-back converts-together -"],
    );
    held.check_message("it can only be converted together with AuthenticationFilter a/staff, which is held back");
}

#[test]
fn a_proxy_is_held_back_with_the_gateway_that_references_it() {
    let gateway = "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {name: edge, namespace: shop}\nspec:\n  \
                   gatewayClassName: nginx\n  infrastructure:\n    parametersRef: {group: gateway.nginx.org, kind: NginxProxy, name: edge}\n";
    let proxy = OLD_PROXY.replace("v1alpha1", "v1alpha2").replace("name: edge\n", "name: edge\n  namespace: shop\n");
    let choices = Choices { keeping: Keeping::Stash, ..Choices::default() };
    let outcome = run_with(&[("gateway.yaml", gateway), ("proxy.yaml", &proxy)], "ngf@1.6.2", choices);
    outcome.check_findings(
        Severity::Held,
        &[
            "gateway.yaml held-back dropped-field spec.infrastructure.parametersRef",
            "proxy.yaml held-back converts-together -",
        ],
    );
    assert!(outcome.after.is_empty());
}

#[test]
fn a_gateway_keeps_its_reference_to_a_held_back_proxy() {
    let gateway = "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {name: edge}\nspec:\n  \
                   gatewayClassName: nginx\n  infrastructure:\n    parametersRef: {group: gateway.nginx.org, kind: NginxProxy, name: edge}\n";
    let proxy = OLD_PROXY.replace("v1alpha1", "v1alpha2").replace("name: edge\n", "name: edge\n  namespace: shop\n");
    let allow = || Choices { allowed: AllowedLoss::All, ..Choices::default() };
    // It is unknown whether the Gateway references the NginxProxy.
    let outcome = run_with(&[("gateway.yaml", gateway), ("proxy.yaml", &proxy)], "ngf@1.6.2", allow());
    outcome.check_findings(
        Severity::Held,
        &["gateway.yaml held-back converts-together -", "proxy.yaml held-back not-convertible metadata.name"],
    );
    assert!(outcome.after.is_empty());
    // The Gateway references it, and the NginxProxy would get the name of another one.
    let (gateway, other) =
        (gateway.replace("edge}\nspec", "edge, namespace: shop}\nspec"), proxy.replace("shop", "other"));
    let files = [("gateway.yaml", gateway.as_str()), ("other.yaml", &other), ("proxy.yaml", &proxy)];
    let outcome = run_with(&files, "ngf@1.6.2", allow());
    outcome.check_findings(
        Severity::Held,
        &[
            "gateway.yaml held-back converts-together -",
            "other.yaml held-back name-conflict metadata.name",
            "proxy.yaml held-back name-conflict metadata.name",
        ],
    );
    assert!(outcome.after.is_empty());
    // Without the other one, both are converted.
    let outcome = run_with(&[files[0], files[2]], "ngf@1.6.2", allow());
    outcome.check_findings(Severity::Held, &[]);
    assert_eq!(outcome.after.keys().collect::<Vec<_>>(), ["gateway.yaml", "proxy.yaml"]);
}

#[test]
fn a_kind_missing_in_the_target_is_reported_before_missing_settings() {
    let operator = "apiVersion: gateway.nginx.org/v1alpha1\nkind: NginxGatewayFabric\nmetadata: {name: edge}\nspec:\n  \
                    nginxGateway: {tolerations: [{key: edge}]}\n";
    let outcome = run(&[("a.yaml", operator)], "ngf@1.6.2");
    outcome.check_findings(Severity::Held, &["a.yaml held-back kind-not-in-target kind"]);
}

#[test]
fn the_origin_of_an_object_is_requested_if_the_conversion_depends_on_it() {
    let policy = "apiVersion: gateway.nginx.org/v1alpha1\nkind: UpstreamSettingsPolicy\nmetadata: {name: a}\nspec:\n  \
                  targetRefs: [{group: core, kind: Service, name: a}]\n";
    // Counts the request for the origin and the advisory about the release.
    let count = |text: &str, target: &str, from: Option<&str>| {
        let mut choices = Choices::default();
        if let Some(from) = from {
            let release = packs().named("ngf").unwrap().release(from).unwrap();
            choices.origins.insert("ngf".to_owned(), [release].into_iter().collect());
        }
        run_with(&[("a.yaml", text)], target, choices).advisories
    };
    assert_eq!([count(policy, "ngf@2.5.0", None), count(policy, "ngf@2.5.0", Some("2.4.1"))], [2, 0]);
    assert_eq!([count(policy, "ngf@2.0.0", None), count(policy, "ngf@2.0.0", Some("2.0.0"))], [2, 0]);
    let newer = format!("{policy}  loadBalancingMethod: random\n");
    assert_eq!(count(&newer, "ngf@2.5.0", None), 0);
    let explicit = format!("{policy}  keepAlive: {{connections: 8}}\n");
    assert_eq!(count(&explicit, "ngf@2.5.0", None), 0);
}

/// An object in a file of which the configuration acknowledges the change stays as it is; others do not.
#[test]
fn the_configuration_acknowledges_codes_in_files() {
    let route = |name: &str| {
        format!(
            "apiVersion: gateway.networking.k8s.io/v1beta1\nkind: HTTPRoute\nmetadata: {{name: {name}}}\nspec: {{foo: 1}}\n"
        )
    };
    let (kept, other) = (route("kept"), route("other"));
    let ignored = |file: &str, code: Code| {
        code == Code::UnknownField && file == "other.yaml" || code == Code::ChangesNeeded && file == "kept.yaml"
    };
    let choices = Choices { ignored: Ignored::by(ignored), ..Choices::default() };
    let found = run_with(&[("kept.yaml", &kept), ("other.yaml", &other)], "1.6.1/standard", choices);
    found.check_findings(Severity::Warning, &["kept.yaml warning unknown-field spec.foo"]);
    assert!(!found.after.contains_key("kept.yaml") || found.after["kept.yaml"] == kept);
    assert_eq!(found.after["other.yaml"], other.replace("v1beta1", "v1"));
}
