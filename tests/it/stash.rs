//! The stash of an object: losses are kept in its annotation and restored, edits in between survive, and an annotation
//! that is not a stash is ignored.
//!
//! Conversions of handwritten texts; the laws of the stash on drawn objects are in `tests/cases/laws/stash.rs`.

use std::collections::BTreeMap;

use reversion::internals::finding::{Code, Severity};
use reversion::internals::plan::{ANNOTATION, AllowedLoss, Choices, Keeping, MAX_STASH};
use reversion::internals::release::ReleaseSet;
use serde_json::{Value, json};

use crate::support::engine::{self, Run};
use crate::support::values;

const EXPERIMENTAL: &str = "gateway-api@1.6.1/experimental";
const STANDARD: &str = "gateway-api@1.6.1/standard";

fn with_stash_option() -> Choices {
    Choices { keeping: Keeping::Stash, ..Choices::default() }
}

/// Converts a file to a target.
fn run(target: &str, choices: Choices, text: &str) -> Run {
    engine::convert(engine::target(target), choices, text).expect("the file can be read")
}

/// Converts a file to a target with `--stash`; nothing may be held back.
#[track_caller]
fn convert_with_stash(target: &str, text: &str) -> String {
    converted_text(run(target, with_stash_option(), text))
}

/// Converts a file to a target without any option; nothing may be held back.
#[track_caller]
fn restore(target: &str, text: &str) -> String {
    converted_text(run(target, Choices::default(), text))
}

#[track_caller]
fn converted_text(run: Run) -> String {
    assert!(run.blocking().is_empty(), "{:?}", run.blocking());
    run.after
}

#[track_caller]
fn count_of(run: &Run, code: Code) -> usize {
    run.plan.findings.iter().filter(|finding| finding.code == code).count()
}

/// Converts to `target` and back to `start`: the converted text must not contain `lost`, and the restored text must be `text`.
#[track_caller]
fn round_trip(target: &str, start: &str, lost: &[&str], text: &str) {
    let stashed = convert_with_stash(target, text);
    let bare: String = stashed.split_inclusive('\n').filter(|line| !line.contains(ANNOTATION)).collect();
    for word in lost {
        assert!(text.contains(word) && !bare.contains(word), "{word} is still in\n{stashed}");
    }
    assert_eq!(convert_with_stash(target, &stashed), stashed, "a second run changes something");
    assert_eq!(restore(target, &stashed), stashed, "a second run without --stash changes something");
    assert_eq!(restore(start, &stashed), text);
}

const ROUTE: &str = "\
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  name: checkout
spec:
  parentRefs:
  - name: web
  rules:
  - name: pay
    matches:
    - path:
        value: /pay # the till
    retry:
      attempts: 3
      codes:
      - 503
    backendRefs:
    - name: pay
      port: 80
  - name: rest
    backendRefs:
    - name: shop
      port: 80
    sessionPersistence:
      sessionName: shop
";

/// What a reference has by default is compared as if it was written, and is not there.
#[test]
fn what_is_lost_stands_in_the_way_of_no_api_version() {
    let text = "apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: a, namespace: b}\nspec:\n  clusterNetwork: {services: {cidrBlocks: [10.0.0.0/16]}}\n";
    let with_endpoint = format!("{text}  controlPlaneEndpoint: {{}}\n  paused: true\n");
    let allowing = || Choices { allowed: AllowedLoss::All, ..Choices::default() };
    let target = "cluster-api@0.3.0";
    // An empty endpoint is invalid in v1alpha3, and v1alpha2 has none.
    let once = converted_text(run(target, allowing(), &with_endpoint));
    assert_eq!(once, text.replace("v1beta1", "v1alpha3"));
    assert_eq!(converted_text(run(target, allowing(), &once)), once);
}

/// It is not lost again, and does not keep the others from coming back.
#[test]
fn what_one_api_version_rejects_and_another_drops_is_stale() {
    let text = "apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: a, namespace: b}\nspec:\n  paused: true\n  controlPlaneEndpoint: {}\n";
    // v1alpha2 has neither field, and v1alpha3 requires a host and a port.
    let stashed = convert_with_stash("cluster-api@0.2.10", text);
    let run = run("cluster-api@0.3.0", Choices::default(), &stashed);
    assert_eq!(count_of(&run, Code::StaleStash), 1, "{:?}", run.plan.findings);
    let back = converted_text(run);
    assert!(back.contains("cluster.x-k8s.io/v1alpha3") && back.contains("paused: true"), "{back}");
    assert!(back.contains(ANNOTATION) && back.contains("controlPlaneEndpoint"), "{back}");
    assert_eq!(restore("cluster-api@0.3.0", &back), back);
}

#[test]
fn what_the_way_back_writes_itself_stands_where_it_stood() {
    // v1.14 has no matchPolicy, and is read as if it were Exact.
    let text = "\
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata:
  name: a
webhooks:
- name: a.example.com
  clientConfig: {url: https://example.com/a}
  sideEffects: None
  failurePolicy: Ignore
  matchPolicy: Exact
  timeoutSeconds: 30
  admissionReviewVersions: [v1beta1]
";
    round_trip("kubernetes@1.14.0", "kubernetes@1.22.0", &["matchPolicy"], text);
}

#[test]
fn what_is_kept_decides_about_the_api_version_in_every_run() {
    // Without the two fields it could be v1beta2, which has no place for the reference: not even an empty machineTemplate.
    let text = "\
apiVersion: controlplane.cluster.x-k8s.io/v1beta1
kind: KubeadmControlPlaneTemplate
metadata: {name: a, namespace: b}
spec:
  template:
    spec:
      version: v1.22.0
      machineTemplate:
        infrastructureRef:
          apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
          kind: DockerMachineTemplate
          name: c
      kubeadmConfigSpec:
        verbosity: 6
";
    round_trip("cluster-api@1.12.4", "cluster-api@1.0.0", &["v1.22.0", "DockerMachineTemplate"], text);
}

#[test]
fn the_default_group_of_a_reference_is_written_again() {
    let text = "apiVersion: cert-manager.io/v1alpha2\nkind: Certificate\nmetadata:\n  name: ca\nspec:\n  secretName: s\n  \
                issuerRef:\n    name: i\n    group: cert-manager.io\n";
    round_trip("cert-manager@0.5.0", "cert-manager@0.11.1", &["group:"], text);
}

#[test]
fn an_object_stashed_whole_is_reported_once() {
    let text = "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: a}\nspec:\n  rules:\n  - backendRefs: [{name: a, port: 80}]\n    \
                sessionPersistence: {type: Header, idleTimeout: 1h, cookieConfig: {lifetimeType: Session}}\n    retry: {codes: [500, 500]}\n";
    let kept = run(STANDARD, with_stash_option(), text);
    let reported: Vec<_> = kept.plan.findings.iter().filter(|finding| finding.code != Code::Advisory).collect();
    let fields: Vec<_> =
        reported.iter().map(|finding| (finding.code, finding.field.as_deref().unwrap_or_default())).collect();
    let expected = ["spec.rules[0].sessionPersistence", "spec.rules[0].retry"].map(|field| (Code::DroppedField, field));
    assert_eq!(fields, expected);
}

#[test]
fn stashed_fields_are_restored_at_their_place() {
    round_trip(STANDARD, EXPERIMENTAL, &["retry", "sessionPersistence"], ROUTE);
    round_trip("gateway-api@1.1.1/experimental", EXPERIMENTAL, &["retry", "name: rest"], ROUTE);
    round_trip("gateway-api@1.0.0/standard", "gateway-api@1.3.0/experimental", &["retry", "name: pay\n    m"], ROUTE);
}

#[test]
fn the_file_keeps_its_style() {
    round_trip(STANDARD, EXPERIMENTAL, &["retry"], &ROUTE.replace('\n', "\r\n"));
    round_trip(STANDARD, EXPERIMENTAL, &["retry"], ROUTE.trim_end());
    let annotated = ROUTE.replace("  name: checkout\n", "  annotations:\n    team: shop\n  name: checkout\n");
    round_trip(STANDARD, EXPERIMENTAL, &["retry"], &annotated);
    let empty = ROUTE.replace("  name: checkout\n", "  annotations: {}\n  name: checkout\n");
    round_trip(STANDARD, EXPERIMENTAL, &["retry"], &empty);
    let flow =
        ROUTE.replace("metadata:\n  name: checkout\n", "metadata: {name: checkout, annotations: {team: shop}}\n");
    round_trip(STANDARD, EXPERIMENTAL, &["retry"], &flow);
    let json = "{\"apiVersion\": \"gateway.networking.k8s.io/v1\", \"kind\": \"HTTPRoute\", \"metadata\": {\"name\": \"a\"},\n\
                \"spec\": {\"rules\": [{\"backendRefs\": [{\"name\": \"a\", \"port\": 1}], \"retry\": {\"attempts\": 2}}]}}\n";
    round_trip(STANDARD, EXPERIMENTAL, &["attempts"], json);
    let items: String = ROUTE.lines().map(|line| format!("  {line}\n")).collect();
    let list = format!("apiVersion: v1\nkind: List\nitems:\n- {}", items.trim_start());
    round_trip(STANDARD, EXPERIMENTAL, &["retry"], &list);
}

#[test]
fn the_annotation_is_removed_with_its_last_value() {
    let stashed = convert_with_stash("gateway-api@1.1.1/experimental", ROUTE);
    let partly_restored = convert_with_stash("gateway-api@1.6.1/standard", &stashed);
    assert!(
        partly_restored.contains("name: rest") && partly_restored.contains(ANNOTATION),
        "names are restored, retries are not: {partly_restored}"
    );
    assert!(!partly_restored.contains("    retry:"));
    assert_eq!(restore(EXPERIMENTAL, &partly_restored), ROUTE);
    let others = stashed.replace("  annotations:\n", "  annotations:\n    team: shop\n");
    let restored = restore(EXPERIMENTAL, &others);
    assert_eq!(restored, ROUTE.replace("checkout\n", "checkout\n  annotations:\n    team: shop\n"));
}

const POLICY: &str = "\
apiVersion: gateway.networking.k8s.io/v1alpha3
kind: BackendTLSPolicy
metadata:
  name: shop
spec:
  targetRefs:
  - group: ''
    kind: Service
    name: shop
  - group: ''
    kind: Service
    name: stock
  - group: ''
    kind: Service
    name: till
  validation:
    hostname: shop.example
    wellKnownCACertificates: System
    subjectAltNames:
    - type: Hostname
      hostname: a.shop.example
";

#[test]
fn inverse_rules_run_before_values_are_restored() {
    let restored = "gateway-api@1.3.0/experimental";
    let policy = POLICY.replace("group: ''", "group: \"\"");
    let stashed = convert_with_stash("gateway-api@1.0.0/experimental", &policy);
    assert!(stashed.contains("targetRef:") && stashed.contains("  tls:"), "{stashed}");
    round_trip("gateway-api@1.0.0/experimental", restored, &["targetRefs", "subjectAltNames"], &policy);
    round_trip("gateway-api@1.1.1/experimental", restored, &["subjectAltNames"], &policy);
    let traffic = "apiVersion: gateway.networking.x-k8s.io/v1alpha1\nkind: XBackendTrafficPolicy\nmetadata:\n  name: a\nspec:\n  \
                   targetRefs:\n  - group: \"\"\n    kind: Service\n    name: a\n  retryConstraint:\n    budget:\n      percent: 20\n";
    round_trip("gateway-api@1.2.0/experimental", "gateway-api@1.5.0/experimental", &["retryConstraint"], traffic);
}

#[test]
fn two_conversions_stash_the_same_as_one() {
    let steps = convert_with_stash(
        "gateway-api@1.0.0/experimental",
        &convert_with_stash("gateway-api@1.1.1/experimental", POLICY),
    );
    assert_eq!(restore("gateway-api@1.3.0/experimental", &steps).replace("\"\"", "''"), POLICY);
    let channels = convert_with_stash("gateway-api@1.1.0/standard", &convert_with_stash(STANDARD, ROUTE));
    assert_eq!(restore(EXPERIMENTAL, &channels), ROUTE);
    let partly_restored = convert_with_stash("gateway-api@1.4.0/standard", &channels);
    assert_eq!(restore("gateway-api@1.4.0/experimental", &partly_restored), ROUTE);
}

#[test]
fn a_value_without_a_place_stays_in_the_stash() {
    let with_timeout = ROUTE.replace("sessionName: shop", "sessionName: shop\n      idleTimeout: 5m");
    let stashed = convert_with_stash("gateway-api@1.0.0/experimental", &with_timeout);
    let partly_restored = run(EXPERIMENTAL, Choices::default(), &stashed);
    assert!(partly_restored.blocking().is_empty(), "{:?}", partly_restored.blocking());
    assert!(
        partly_restored.after.contains("      sessionName: shop\n") && !partly_restored.after.contains("idleTimeout: ")
    );
    assert!(
        partly_restored.after.contains(r#""key":"idleTimeout","after":"sessionName"},"value":"5m""#),
        "{}",
        partly_restored.after
    );
    assert_eq!(restore(EXPERIMENTAL, &partly_restored.after), partly_restored.after);
    assert_eq!(restore("gateway-api@1.5.1/experimental", &partly_restored.after), with_timeout);
}

#[test]
fn an_edit_elsewhere_does_not_prevent_restoring() {
    let stashed = convert_with_stash(STANDARD, ROUTE);
    let edited = stashed.replace("name: web", "name: other").replace("checkout", "basket");
    let expected = ROUTE.replace("name: web", "name: other").replace("checkout", "basket");
    assert_eq!(restore(EXPERIMENTAL, &edited), expected);
}

#[test]
fn a_moved_item_is_recognized() {
    let stashed = convert_with_stash(STANDARD, ROUTE);
    let (head, rules) = stashed.split_once("  - name: pay\n").unwrap();
    let (pay, rest) = rules.split_once("  - name: rest\n").unwrap();
    let swapped = format!("{head}  - name: rest\n{rest}  - name: pay\n{pay}");
    let (head, rules) = ROUTE.split_once("  - name: pay\n").unwrap();
    let (pay, rest) = rules.split_once("  - name: rest\n").unwrap();
    assert_eq!(restore(EXPERIMENTAL, &swapped), format!("{head}  - name: rest\n{rest}  - name: pay\n{pay}"));
}

const GATEWAY: &str = "\
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata:
  name: web
spec:
  gatewayClassName: edge
  listeners:
  - name: one
    port: 443
    protocol: HTTPS
    tls:
      certificateRefs:
      - name: one
      frontendValidation:
        caCertificateRefs:
        - group: ''
          kind: ConfigMap
          name: ca
  - name: two
    port: 80
    protocol: HTTP
";

#[test]
fn items_are_recognized_by_their_key() {
    let stashed = convert_with_stash("gateway-api@1.2.0/standard", GATEWAY);
    assert!(stashed.contains(r#"{"item":{"name":"one"}}"#), "{stashed}");
    let edited = stashed
        .replace("port: 443", "port: 8443")
        .replace("  - name: one\n    port", "  - name: zero\n    port: 1\n    protocol: HTTP\n  - name: one\n    port");
    let restored = run("gateway-api@1.2.0/experimental", Choices::default(), &edited);
    assert!(restored.after.contains("      frontendValidation:\n"), "{}", restored.after);
    assert!(restored.after.contains("port: 8443") && !restored.after.contains(ANNOTATION));
}

#[track_caller]
fn check_edit_is_kept(from: &str, to: &str) {
    let stashed = convert_with_stash(STANDARD, ROUTE);
    let edited = stashed.replacen(from, to, 1);
    assert_ne!(edited, stashed);
    let restored = run(EXPERIMENTAL, Choices::default(), &edited);
    assert!(restored.blocking().is_empty(), "{:?}", restored.blocking());
    assert_eq!(count_of(&restored, Code::StaleStash), 1, "{}", restored.after);
    assert!(restored.after.contains(to), "the edit is lost: {}", restored.after);
    assert!(!restored.after.contains("    retry:\n      attempts: 3"), "the value was restored: {}", restored.after);
    assert!(
        restored.after.contains(ANNOTATION) && restored.after.contains("    sessionPersistence:"),
        "{}",
        restored.after
    );
    let again = run(EXPERIMENTAL, Choices::default(), &restored.after);
    assert_eq!((again.after.as_str(), count_of(&again, Code::StaleStash)), (restored.after.as_str(), 1));
}

#[test]
fn an_edit_of_the_context_is_kept() {
    check_edit_is_kept("value: /pay", "value: /till");
    check_edit_is_kept("    - name: pay\n      port: 80\n", "    - name: pay\n      port: 8080\n");
    check_edit_is_kept("  - name: pay\n    matches", "  - name: payment\n    matches");
    check_edit_is_kept(
        "    backendRefs:\n    - name: pay",
        "    retry:\n      attempts: 9\n    backendRefs:\n    - name: pay",
    );
}

#[test]
fn a_stashed_value_rewritten_by_hand_is_removed_from_the_stash() {
    let stashed = convert_with_stash(STANDARD, ROUTE);
    let (head, tail) = ROUTE.split_once("spec:").unwrap();
    let (new_head, _) = stashed.split_once("spec:").unwrap();
    assert_ne!(head, new_head);
    assert_eq!(restore(EXPERIMENTAL, &format!("{new_head}spec:{tail}")), ROUTE);
}

#[test]
fn a_loss_that_cannot_be_stashed_is_held_back_unless_allowed() {
    let long = ROUTE.replace("sessionName: shop", &format!("sessionName: {}", "x".repeat(MAX_STASH)));
    let held = run(STANDARD, with_stash_option(), &long);
    let codes: Vec<_> = held.blocking().iter().map(|finding| (finding.code, finding.severity)).collect();
    assert!(codes.contains(&(Code::DroppedField, Severity::Held)), "{codes:?}");
    assert_eq!(held.after, long);
    let both = Choices { allowed: AllowedLoss::All, ..with_stash_option() };
    let without = run(STANDARD, both.clone(), &long);
    assert!(!without.after.contains(ANNOTATION) && !without.after.contains("retry"), "{}", without.after);
    assert_eq!(
        restore(EXPERIMENTAL, &converted_text(run(STANDARD, both, ROUTE))),
        ROUTE,
        "values that fit the stash are kept"
    );
}

#[test]
fn a_lossless_conversion_writes_no_stash() {
    let plain = ROUTE.replace("    retry:\n      attempts: 3\n      codes:\n      - 503\n", "");
    let plain = plain.replace("    sessionPersistence:\n      sessionName: shop\n", "");
    assert_eq!(convert_with_stash(STANDARD, &plain), plain);
    assert!(!convert_with_stash("gateway-api@1.4.0/experimental", &plain).contains(ANNOTATION));
}

/// A route with two equal items once the lost fields are removed.
const EQUAL_ITEMS: &str = "\
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  name: checkout
spec:
  rules:
  - retry: {attempts: 1}
    backendRefs: [{name: pay, port: 80}]
  - retry: {attempts: 2}
    backendRefs: [{name: pay, port: 80}]
  - retry: {attempts: 3}
    backendRefs: [{name: rest, port: 80}]
";

#[test]
fn values_of_equal_items_are_not_restored_by_guessing() {
    let stashed = convert_with_stash(STANDARD, EQUAL_ITEMS);
    let restored = restore(EXPERIMENTAL, &stashed);
    assert_eq!(values(&restored).unwrap(), values(EQUAL_ITEMS).unwrap());
    let (equal, other) = ("  - backendRefs: [{name: pay, port: 80}]\n", "  - backendRefs: [{name: rest, port: 80}]\n");
    let (both, rest) = (format!("{equal}{equal}"), format!("{equal}{equal}{other}"));
    assert!(stashed.contains(&rest), "{stashed}");
    let edits = [
        stashed.replace(&both, equal),
        stashed.replace(&both, &format!("{equal}{both}")),
        stashed.replace(&rest, &format!("{other}{both}")),
    ];
    for edited in edits {
        let run = run(EXPERIMENTAL, Choices::default(), &edited);
        assert_eq!([count_of(&run, Code::StaleStash), count_of(&run, Code::Restored)], [2, 1], "{edited}");
        assert!(
            run.after.contains("attempts: 3")
                && !run.after.replace(ANNOTATION, "").contains("retry:\n      attempts: 1")
        );
        assert_eq!(convert_with_stash(EXPERIMENTAL, &run.after), run.after);
    }
}

#[test]
fn each_stashed_value_is_restored_independently() {
    let stashed = convert_with_stash(STANDARD, EQUAL_ITEMS);
    // This release cannot have stashed these: a number that it rejects, and a field that no release has.
    for (good, bad, why) in [
        ("\"attempts\":1", "\"attempts\":0", "must be at least 1"),
        ("\"attempts\":1", "\"attempts\":1,\"tries\":1", "no release has the field spec.rules[0].retry.tries"),
        ("\"key\":\"retry\"", "\"key\":\"again\"", "no release has the field spec.rules[0].again"),
    ] {
        let edited = stashed.replacen(good, bad, 1);
        assert_ne!(edited, stashed);
        let run = run(EXPERIMENTAL, Choices::default(), &edited);
        assert_eq!(
            [count_of(&run, Code::StaleStash), count_of(&run, Code::Restored)],
            [1, 2],
            "{bad}: {:?}",
            run.plan.findings
        );
        let reported = run.plan.findings.iter().find(|finding| finding.code == Code::StaleStash).unwrap();
        assert!(reported.message.contains(why), "{}", reported.message);
        let places: Vec<_> = run.plan.findings.iter().filter(|finding| finding.code == Code::Restored).collect();
        let fields: Vec<_> = places.iter().filter_map(|finding| finding.field.as_deref()).collect();
        assert_eq!(fields, ["spec.rules[1].retry", "spec.rules[2].retry"]);
        assert!(places.iter().all(|finding| finding.location.position.unwrap().line > 6), "{places:?}");
    }
}

#[test]
fn an_unchanged_annotation_keeps_its_bytes() {
    let stashed = convert_with_stash(STANDARD, ROUTE).replace("\"version\":1,", "\"version\": 1, ");
    assert_eq!(restore(STANDARD, &stashed), stashed);
    let edited = stashed.replace("port: 80", "port: 8080").replace("value: /pay", "value: /till");
    assert_eq!(restore(EXPERIMENTAL, &edited), edited);
}

fn with_annotation(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    ROUTE.replace("checkout\n", &format!("checkout\n  annotations:\n    {ANNOTATION}: {quoted}\n"))
}

#[test]
fn an_annotation_that_is_not_a_stash_is_ignored() {
    let kept = |r#in: Value, at: Value| json!({"in": r#in, "at": at, "value": 1, "around": "cbf29ce484222325", "loss": "dropped-field"});
    let stash = |left: &str, kept: Vec<Value>| json!({"version": 1, "left": left, "kept": kept}).to_string();
    let bad = [
        String::new(),
        "{".to_owned(),
        "[]".to_owned(),
        "null".to_owned(),
        "{\"version\":2}".to_owned(),
        "{\"version\":1}".to_owned(),
        "[".repeat(60_000),
        "x".repeat(1 << 20),
        stash("gateway-api@9.9.9/standard", Vec::new()),
        stash("gateway-api@1.6/standard", Vec::new()),
        stash("ngf@1.6.1/standard", Vec::new()),
        stash(EXPERIMENTAL, vec![kept(json!(["metadata"]), json!({"key": "name"}))]),
        stash(EXPERIMENTAL, vec![kept(json!([]), json!({"key": "kind"}))]),
        stash(EXPERIMENTAL, vec![kept(json!([]), json!({"index": 0}))]),
        stash(EXPERIMENTAL, vec![kept(json!([{"index": 0, "like": "cbf29ce484222325"}]), json!({"index": 0}))]),
        stash(EXPERIMENTAL, vec![kept(json!(["spec"]), json!({"key": "a", "place": 1}))]),
        stash(EXPERIMENTAL, vec![kept(json!(["spec"]), json!({"key": "a"})); 257]),
    ];
    for text in bad {
        let before = with_annotation(&text);
        let run = run(EXPERIMENTAL, Choices::default(), &before);
        assert_eq!((count_of(&run, Code::InvalidStash), count_of(&run, Code::StaleStash)), (1, 0), "{text:.80}");
        assert_eq!(run.after, before, "{text:.80}");
        assert!(!format!("{:?}", run.plan.findings).contains("untagged"), "{text:.80}");
    }
    let stale = [
        stash(EXPERIMENTAL, vec![kept(json!(["spec"]), json!({"key": "a"}))]),
        stash(EXPERIMENTAL, vec![kept(json!(["spec", "rules"]), json!({"index": usize::MAX}))]),
        stash(EXPERIMENTAL, vec![kept(json!(["spec", "rules", {"item": {}}]), json!({"key": "name"}))]),
        stash(EXPERIMENTAL, vec![kept(json!(["a", "b", "c"]), json!({"key": "", "after": ""}))]),
    ];
    for text in stale {
        let before = with_annotation(&text);
        let run = run(EXPERIMENTAL, Choices::default(), &before);
        assert_eq!((count_of(&run, Code::InvalidStash), count_of(&run, Code::StaleStash)), (0, 1), "{text}");
        assert_eq!(run.after, before, "{text}");
    }
}

#[test]
fn nothing_is_stashed_if_the_annotation_is_not_a_stash() {
    let before = with_annotation("mine");
    let held = run(STANDARD, with_stash_option(), &before);
    assert_eq!(held.after, before);
    assert!(held.holds_back() && count_of(&held, Code::InvalidStash) == 1);
}

#[test]
fn a_value_that_stands_for_an_added_one_returns_to_its_place() {
    // Before v0.6.0 there is no cnameStrategy, and converting back adds `None` at the end.
    let text = "\
apiVersion: certmanager.k8s.io/v1alpha1
kind: ClusterIssuer
metadata:
  name: letsencrypt
spec:
  acme:
    email: a@example.com
    server: https://acme.example.com
    privateKeySecretRef:
      name: letsencrypt
      key: tls.key
    dns01:
      providers:
      - name: main
        cnameStrategy: Follow
        cloudflare:
          email: a@example.com
          apiKeySecretRef:
            name: cloudflare
            key: api-key
";
    round_trip("cert-manager@0.5.0", "cert-manager@0.6.0", &["cnameStrategy"], text);
}

/// What is known to come from before a new default gets the old one, but not in place of a value that is kept, nor so that others lose
/// their places by it.
#[test]
fn old_defaults_do_not_stand_in_the_way_of_what_is_kept() {
    let of = |release: &str| {
        let target = engine::target(release);
        let origins = BTreeMap::from([(target.pack.name().to_owned(), ReleaseSet::from_iter([target.release]))]);
        let parameters = BTreeMap::from([("envoy-gateway.deprecated".to_owned(), "replace".to_owned())]);
        Choices { origins, parameters, ..Choices::default() }
    };
    let header = "apiVersion: gateway.envoyproxy.io/v1alpha1\nkind: ";
    let meta = "metadata:\n  name: a\nspec:\n";
    let refs = "  targetRefs:\n  - group: gateway.networking.k8s.io\n    kind: HTTPRoute\n    name: r\n";
    let oidc = "  oidc:\n    clientID: a\n    clientSecret:\n      name: s\n    provider:\n      issuer: https://a.b\n";
    let tokens = format!("{header}SecurityPolicy\n{meta}{refs}{oidc}    refreshToken: true\n    csrfTokenTTL: 1h\n");
    let tracing = "  telemetry:\n    tracing:\n      provider:\n        type: OpenTelemetry\n        host: a\n        port: 4317\n";
    let sampling = format!("{header}EnvoyProxy\n{meta}{tracing}      clientSamplingFraction:\n        numerator: 1\n");
    let merging = format!("{header}BackendTrafficPolicy\n{meta}{refs}  mergeType: StrategicMerge\n");
    let checks = "  healthCheck:\n    passive:\n      baseEjectionTime: 30s\n      consecutive5XxErrors: 5\n      interval: 10s\n      maxEjectionPercent: 10\n";
    let cases = [
        ("1.0.2", "1.6.0", &tokens, tokens.clone(), 0),
        ("1.8.0", "1.9.0", &sampling, sampling.clone(), 0),
        // The backends are ejected in v1.2.2, and are to be so in v1.4.0.
        ("1.2.2", "1.4.0", &merging, format!("{merging}{checks}"), 1),
    ];
    for (older, newer, text, expected, defaults) in cases {
        let [older, newer] = [older, newer].map(|release| format!("envoy-gateway@{release}"));
        let stashed = converted_text(run(&older, Choices { keeping: Keeping::Stash, ..of(&newer) }, text));
        assert!(stashed.contains(ANNOTATION), "{stashed}");
        let back = run(&newer, of(&older), &stashed);
        let counts = [Code::StaleStash, Code::ChangedDefault].map(|code| count_of(&back, code));
        assert_eq!(counts, [0, defaults], "{:?}", back.plan.findings);
        assert_eq!(converted_text(back), expected);
    }
}
