//! What a run makes of several files together: namespaces that Kustomize gives, references, patches, CRDs.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;

use reversion::finding::{Code, Severity};
use reversion::manifest::{self, Manifest, Reading, Recognizer};
use reversion::pack::{Packs, embedded};
use reversion::plan::{self, Choices, Goal};

/// What a run of several files came to.
struct Outcome {
    /// The changed files' texts.
    after: BTreeMap<String, String>,
    /// Each finding but advisories, as `file severity code field`.
    told: Vec<String>,
    /// Their messages and helps.
    words: String,
}

fn read(packs: &Packs, file: &str, text: &str) -> Manifest {
    let recognizer = Recognizer::new(packs.iter().flat_map(|pack| pack.groups()).map(String::as_str))
        .with_kinds(packs.iter().flat_map(|pack| pack.kinds()).map(|kind| kind.kind.as_str()));
    match manifest::read(file, text.as_bytes(), &recognizer) {
        Reading::Manifest(manifest) | Reading::Kustomization(manifest) => *manifest,
        other => panic!("{file}: {other:?}"),
    }
}

fn run(files: &[(&str, &str)], target: &str) -> Outcome {
    run_with(files, target, Choices::default())
}

fn run_with(files: &[(&str, &str)], target: &str, choices: Choices) -> Outcome {
    let packs = embedded::with(Vec::new()).unwrap();
    let mut manifests: Vec<_> = files.iter().map(|(file, text)| read(&packs, file, text)).collect();
    manifests.sort_by(|left, right| left.file.cmp(&right.file));
    let target = packs.target(&format!("gateway-api@{target}")).unwrap();
    let plan = plan::plan(&manifests, &Goal { packs: &packs, targets: vec![target], choices });
    let mut outcome = Outcome { after: BTreeMap::new(), told: Vec::new(), words: String::new() };
    outcome.after.extend(plan.files.into_iter().map(|file| (file.file.clone(), file.after())));
    for finding in plan.findings.iter().filter(|finding| finding.code != Code::Advisory) {
        let field = finding.field.as_deref().unwrap_or("-");
        outcome.told.push(format!("{} {} {} {field}", finding.location.file, finding.severity.name(), finding.code));
        outcome.words.push_str(&format!("{}\n{}\n", finding.message, finding.help.as_deref().unwrap_or_default()));
    }
    outcome
}

impl Outcome {
    /// Checks everything that is told from `least` on.
    #[track_caller]
    fn tells(&self, least: Severity, expected: &[&str]) {
        let all = [Severity::Note, Severity::Warning, Severity::Held, Severity::Error];
        let names: Vec<_> = all.iter().filter(|severity| **severity >= least).map(|severity| severity.name()).collect();
        let told: Vec<_> = self.told.iter().filter(|line| names.contains(&line.split(' ').nth(1).unwrap())).collect();
        assert_eq!(told, expected, "{}", self.words);
    }

    #[track_caller]
    fn says(&self, words: &str) {
        assert!(self.words.contains(words), "{}", self.words);
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
    both.tells(Severity::Warning, &[]);
    assert!(both.after["cart/route.yaml"].contains("  - name: edge\n    namespace: edge-system\n"));
    let mut one = files;
    one[3].1 = "namespace: edge-system\nresources: [route.yaml]\n";
    assert!(run(&one, "1.6.1/standard").after["cart/route.yaml"].contains("  - name: edge\n  rules"));
}

#[test]
fn a_gateway_in_several_namespaces_is_named_by_no_route() {
    let files = [
        ("base/gateway.yaml", OLD_GATEWAY),
        ("base/kustomization.yaml", "resources: [gateway.yaml]\n"),
        ("live/kustomization.yaml", "namespace: live\nresources: [../base]\n"),
        ("test/kustomization.yaml", "namespace: test\nresources: [../base]\n"),
        ("cart/route.yaml", OLD_ROUTE),
        ("cart/kustomization.yaml", "namespace: cart\nresources: [route.yaml]\n"),
    ];
    let apart = run(&files, "1.6.1/standard");
    apart.tells(
        Severity::Warning,
        &["base/gateway.yaml held-back held-along -", "cart/route.yaml held-back refused spec.gateways"],
    );
    apart.says("the namespace is not known here: Gateway edge gets its namespace from kustomizations that differ");
    // Whatever is built, both are in one namespace.
    let mut along = files;
    along[1].1 = "resources: [gateway.yaml, ../cart/route.yaml]\n";
    along[5].1 = "resources: []\n";
    let along = run(&along, "1.6.1/standard");
    along.tells(Severity::Warning, &[]);
    assert!(along.after["cart/route.yaml"].contains("  - name: edge\n  rules"));
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
fn hostnames_are_read_in_the_routes_own_namespace() {
    let (mine, other) = (tls_gateway("", "mail.example.com"), tls_gateway("", "other.example.com"));
    let placed = [
        ("mail/kustomization.yaml", "namespace: mail\nresources: [route.yaml, edge.yaml]\n"),
        ("mail/route.yaml", TLS_ROUTE),
        ("mail/edge.yaml", &mine),
        ("far/kustomization.yaml", "namespace: far\nresources: [edge.yaml]\n"),
        ("far/edge.yaml", &other),
    ];
    let found = run(&placed, "1.6.1/standard");
    found.tells(Severity::Warning, &[]);
    assert!(found.after["mail/route.yaml"].contains("mail.example.com"));
    let unplaced = [placed[0], placed[1], ("far/edge.yaml", &other)];
    let found = run(&unplaced, "1.6.1/standard");
    found.tells(Severity::Warning, &["mail/route.yaml held-back invalid-in-target spec.parentRefs[0]"]);
    found.says("the namespace is not known here: Gateway edge has no metadata.namespace");
}

#[test]
fn a_target_is_compared_with_the_namespace_that_kustomize_gives() {
    let policy = "apiVersion: gateway.networking.k8s.io/v1alpha2\nkind: BackendTLSPolicy\nmetadata:\n  name: db\n  \
                  namespace: dev\nspec:\n  targetRef: {group: \"\", kind: Service, name: db, namespace: dev}\n  tls: \
                  {hostname: db.example.com, wellKnownCACerts: System}\n";
    let with = |said: &str| run(&[("policy.yaml", policy), ("kustomization.yaml", said)], "1.6.1/standard");
    with("resources: [policy.yaml]\n").tells(Severity::Held, &[]);
    with("namespace: dev\nresources: [policy.yaml]\n").tells(Severity::Held, &[]);
    let held = ["policy.yaml held-back refused spec.targetRef.namespace"];
    with("namespace: live\nresources: [policy.yaml]\n").tells(Severity::Held, &held);
    let (live, test) = ("namespace: live\nresources: [../policy.yaml]\n", "resources: [../policy.yaml]\n");
    let overlays = [("policy.yaml", policy), ("live/kustomization.yaml", live), ("test/kustomization.yaml", test)];
    let found = run(&overlays, "1.6.1/standard");
    found.tells(Severity::Held, &held);
    found.says("the namespace is not known here");
}
