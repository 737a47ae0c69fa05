//! The stash of an object: losses are kept in its annotation and restored, edits in between survive, and an annotation
//! that is not a stash is ignored.
//!
//! Conversions of handwritten texts first, then laws L1 to L5 with a stash on objects drawn from the catalogs, then modified
//! stashes.

use reversion::catalog::Catalog;
use reversion::field::{FieldPath, FieldPattern};
use reversion::finding::{Code, Severity};
use reversion::pack::{Pack, Packs, Target, embedded};
use reversion::plan::{self, ANNOTATION, AllowedLoss, Choices, Goal, Keeping, MAX_STASH};
use serde_json::{Value, json};

#[expect(dead_code, reason = "the tests of laws use the rest")]
mod support;

use support::cases::walk;
use support::checks::values;
use support::engine::{self, Run};
use support::exceptions::Exceptions;
use support::hints::Hints;
use support::objects::{Recipe, UNKNOWN};
use support::random::Random;
use support::render::{self, Style};

const EXPERIMENTAL: &str = "gateway-api@1.6.1/experimental";
const STANDARD: &str = "gateway-api@1.6.1/standard";

fn packs() -> Packs {
    embedded::with(Vec::new()).expect("the built-in packs load")
}

fn with_stash_option() -> Choices {
    Choices { keeping: Keeping::Stash, ..Choices::default() }
}

/// Converts a file to a target.
fn run(target: &str, choices: Choices, text: &str) -> Run {
    let packs = packs();
    convert(&packs, packs.target(target).expect("the release is known"), choices, text)
}

fn convert(packs: &Packs, target: Target<'_>, choices: Choices, text: &str) -> Run {
    let goal = Goal { packs, targets: vec![target], choices };
    let manifest = engine::read(packs, "case.yaml", text.as_bytes()).expect("the file can be read");
    let plan = plan::plan(&[manifest], &goal);
    let after = plan.files.first().map_or_else(|| text.to_owned(), |file| file.after());
    Run { before: text.to_owned(), after, plan }
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

/// A drawn object that was converted with a stash.
struct StashedCase<'p> {
    packs: &'p Packs,
    start: Target<'p>,
    target: Target<'p>,
    /// The file as the program writes it for the first release.
    text: String,
    /// The file at the target.
    stashed: String,
    random: Random,
}

impl StashedCase<'_> {
    fn convert(&self, target: Target<'_>, choices: Choices, text: &str) -> Run {
        convert(self.packs, target, choices, text)
    }

    /// Returns whether the rules alone are stable at the target and convert back, with losses allowed.
    fn inverse_rules_restore_the_object(&self) -> bool {
        let losing = Choices { allowed: AllowedLoss::All, ..Choices::default() };
        let converted = self.convert(self.target, losing, &self.text);
        let is_stable = self.convert(self.target, Choices::default(), &converted.after).blocking().is_empty();
        let mut used = converted.plan.objects.iter().flat_map(|object| &object.rules);
        let runs_one_way = used.any(|(rule, _)| {
            let directed = ["forward", "backward"].map(|direction| format!("{rule} {direction}"));
            directed.iter().any(|directed| Exceptions::of_all().is_idle(directed))
        });
        !runs_one_way
            && is_stable
            && self.convert(self.start, Choices::default(), &converted.after).blocking().is_empty()
    }

    fn describe(&self, message: &str) -> String {
        format!("{message}\n--- {}\n{}\n--- {}\n{}", self.start, self.text, self.target, self.stashed)
    }
}

/// Draws objects, 100 or `REVERSION_LAWS_CASES`, and runs `check` on those that get a stash.
///
/// # Panics
/// If fewer than a quarter do: the law would check too little.
fn check_drawn(law: &str, check: impl Fn(&mut StashedCase<'_>) -> Result<(), String>) {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (cases, seed) = (number("REVERSION_LAWS_CASES").unwrap_or(100), number("REVERSION_LAWS_SEED").unwrap_or(2026));
    let packs = packs();
    let mut with_stash = 0;
    for case in 0..cases {
        let random = Random::new(seed, &["stash"], case);
        let Some(mut stashed) = draw(&packs, random) else { continue };
        with_stash += 1;
        if let Err(message) = check(&mut stashed) {
            panic!("{law}, seed {seed}, case {case}: {}", stashed.describe(&message));
        }
    }
    assert!(with_stash * 4 > cases, "{law}: only {with_stash} of {cases} objects have a stash");
}

fn draw<'p>(packs: &'p Packs, mut random: Random) -> Option<StashedCase<'p>> {
    let all: Vec<&Pack> = packs.iter().collect();
    let pack = *random.pick(&all);
    let kinds: Vec<_> = pack.kinds().filter_map(|kind| pack.catalog(kind)).collect();
    let (catalog, release, target, lost) = (0..200).find_map(|_| {
        let catalog = *random.pick(&kinds);
        let releases: Vec<_> = catalog.releases().iter().collect();
        let (start, target) = (*random.pick(&releases), *random.pick(&releases));
        let lost = only_in(catalog, start, target);
        (!lost.is_empty()).then_some((catalog, start, target, lost))
    })?;
    let version = random.pick(&catalog.served(release)).name;
    let fields = lost.iter().filter(|_| random.chance(60)).cloned().collect();
    let hints = Hints { fields, ..Hints::default() };
    let object = Recipe::new(pack, catalog, release, version, &hints, target).draw(&mut random);
    let style = if random.chance(30) { Style::PLAIN } else { Style::draw(&mut random) };
    let text = render::text(&[object], &style, &mut random);
    let (start, target) = (Target::new(pack, release), Target::new(pack, target));
    let normalized = convert(packs, start, Choices::default(), &text);
    let stashed = convert(packs, target, with_stash_option(), &normalized.after);
    // What no API server accepted is not restored where the release refuses it.
    let is_lost = |field: &str| lost.iter().any(|lost| without_indexes(field).starts_with(&lost.to_string()));
    let already_invalid = normalized.plan.findings.iter().filter(|finding| finding.code == Code::AlreadyInvalid);
    let is_invalid = already_invalid.filter_map(|finding| finding.field.as_deref()).any(is_lost);
    let is_valid = !normalized.holds_back() && !is_invalid;
    let is_stashed = stashed.after.contains(ANNOTATION) && !stashed.holds_back() && is_valid;
    // Fields that no release has are not restored; another test covers them.
    let objects = values(&stashed.after).ok()?;
    let stash = objects.first().and_then(|object| object["metadata"]["annotations"][ANNOTATION].as_str());
    let is_stashed = is_stashed && stash.is_some_and(|stash| !stash.contains(UNKNOWN));
    let text = normalized.after;
    is_stashed.then_some(StashedCase { packs, start, target, text, stashed: stashed.after, random })
}

/// Returns a field path as a pattern is written: `spec.rules[0]` becomes `spec.rules[]`.
fn without_indexes(field: &str) -> String {
    let mut text = String::new();
    for (at, part) in field.split('[').enumerate() {
        let rest = if at == 0 { part } else { part.trim_start_matches(|character: char| character.is_ascii_digit()) };
        text.push_str(if at == 0 { "" } else { "[" });
        text.push_str(rest);
    }
    text
}

/// Returns the outermost fields that `start` has and `target` does not.
fn only_in(
    catalog: &Catalog,
    start: reversion::release::ReleaseId,
    target: reversion::release::ReleaseId,
) -> Vec<FieldPattern> {
    let mut found: Vec<FieldPattern> = Vec::new();
    for field in catalog.fields() {
        let having = catalog.having(&field.pattern);
        let is_below = found.iter().any(|above| field.pattern.starts_with(above));
        if having.contains(start) && !having.contains(target) && !is_below {
            found.push(field.pattern);
        }
    }
    found
}

#[test]
fn stashed_values_are_restored() {
    check_drawn("stashed values are restored", |case| {
        if !case.inverse_rules_restore_the_object() {
            return Ok(());
        }
        let restored = case.convert(case.start, Choices::default(), &case.stashed);
        if !restored.blocking().is_empty() {
            return Err(format!("converting back is held back: {:?}", restored.blocking()));
        }
        same(&values(&case.text)?, &values(&restored.after)?)
    });
}

#[test]
fn a_second_run_changes_nothing() {
    check_drawn("a second run changes nothing", |case| {
        if !case.inverse_rules_restore_the_object() {
            return Ok(());
        }
        for choices in [Choices::default(), with_stash_option()] {
            let again = case.convert(case.target, choices, &case.stashed);
            if again.after != case.stashed || !again.plan.files.is_empty() || !again.blocking().is_empty() {
                return Err(format!("the second run makes\n{}\n{:?}", again.after, again.plan.findings));
            }
        }
        Ok(())
    });
}

#[test]
fn stashed_values_are_restored_through_an_intermediate_release() {
    check_drawn("stashed values are restored through another release", |case| {
        let releases: Vec<_> = case.start.pack.line().iter().map(|(release, _)| release).collect();
        let between = Target { release: *case.random.pick(&releases), ..case.start };
        let converted = case.convert(between, with_stash_option(), &case.text);
        let stashed = case.convert(case.target, with_stash_option(), &converted.after);
        if converted.holds_back() || stashed.holds_back() || !case.inverse_rules_restore_the_object() {
            return Ok(());
        }
        let restored = case.convert(case.start, Choices::default(), &stashed.after);
        if !restored.blocking().is_empty() {
            return Err(format!(
                "converting back through {between} is held back: {:?}\n{}",
                restored.blocking(),
                stashed.after
            ));
        }
        same(&values(&case.text)?, &values(&restored.after)?).map_err(|message| {
            format!("over {between}: {message}\n--- {between}\n{}\n--- then\n{}", converted.after, stashed.after)
        })
    });
}

#[test]
fn an_edit_survives() {
    check_drawn("an edit survives", |case| {
        let mut object = values(&case.stashed)?.remove(0);
        let spec = FieldPath::default().key("spec");
        let places: Vec<_> =
            walk(&object).into_iter().map(|(path, _)| path).filter(|path| path.starts_with(&spec)).collect();
        if places.is_empty() {
            // Some kinds of Kubernetes have no spec.
            return Ok(());
        }
        let place = case.random.pick(&places).clone();
        let value = place.get_mut(&mut object).ok_or("the path was listed")?;
        edit(value, &mut case.random);
        check_nothing_overridden(case, &object)
    });
}

/// Changes a value a little.
fn edit(value: &mut Value, random: &mut Random) {
    match value {
        Value::String(text) => text.push('x'),
        Value::Number(number) => *value = json!(number.as_i64().unwrap_or(0) / 2 + 1),
        Value::Bool(flag) => *flag = !*flag,
        Value::Null => *value = json!("x"),
        Value::Array(items) => match random.below(3) {
            0 => items.reverse(),
            1 => drop(items.pop()),
            _ => items.extend(items.last().cloned()),
        },
        Value::Object(map) => {
            let keys: Vec<String> = map.keys().cloned().collect();
            if !keys.is_empty() {
                map.shift_remove(random.pick(&keys));
            }
        }
    }
}

#[test]
fn a_modified_stash_overrides_nothing() {
    check_drawn("a modified stash overrides nothing", |case| {
        for _ in 0..5 {
            let mut object = values(&case.stashed)?.remove(0);
            let text = object["metadata"]["annotations"][ANNOTATION].as_str().ok_or("it has a stash")?.to_owned();
            let modified = if case.random.chance(50) {
                with_changed_characters(&text, &mut case.random)
            } else {
                with_changed_values(&text, &mut case.random)?
            };
            object["metadata"]["annotations"][ANNOTATION] = json!(modified);
            check_nothing_overridden(case, &object)?;
        }
        Ok(())
    });
}

/// Removes, replaces or truncates characters of a text.
fn with_changed_characters(text: &str, random: &mut Random) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(4) {
        let at = random.below(characters.len().max(1));
        if characters.is_empty() {
            break;
        }
        match random.below(3) {
            0 => drop(characters.remove(at)),
            1 => characters[at] = *random.pick(&['"', '9', '{', ']', 'a', '\u{0}', 'é']),
            _ => characters.truncate(at + 1),
        }
    }
    characters.into_iter().collect()
}

/// Changes values of a JSON text.
fn with_changed_values(text: &str, random: &mut Random) -> Result<String, String> {
    let mut json: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    for _ in 0..=random.below(3) {
        let places: Vec<_> = walk(&json).into_iter().map(|(path, _)| path).collect();
        let place = random.pick(&places).clone();
        let value = place.get_mut(&mut json).ok_or("the path was listed")?;
        if random.chance(30) { *value = json!(["spec"]) } else { edit(value, random) }
    }
    Ok(json.to_string())
}

/// Checks that the object, converted back, contains everything that it would without a stash.
fn check_nothing_overridden(case: &StashedCase<'_>, object: &Value) -> Result<(), String> {
    let mut bare = object.clone();
    if let Some(annotations) = bare["metadata"]["annotations"].as_object_mut() {
        annotations.shift_remove(ANNOTATION);
    }
    let write = |object: &Value| render::text(std::slice::from_ref(object), &Style::PLAIN, &mut Random::new(0, &[], 0));
    let (text, bare) = (write(object), write(&bare));
    let expected = case.convert(case.start, Choices::default(), &bare);
    let restored = case.convert(case.start, Choices::default(), &text);
    let is_invalid =
        |run: &Run| run.holds_back() && run.blocking().iter().all(|finding| finding.code == Code::InvalidInTarget);
    if is_invalid(&expected) && !restored.holds_back() {
        // What was edited is valid only with what is restored.
        return Ok(());
    }
    if expected.holds_back() != restored.holds_back() {
        return Err(format!("only one is held back: {:?} {:?}\n{text}", expected.blocking(), restored.blocking()));
    }
    let (expected, got) = (values(&expected.after)?.remove(0), values(&restored.after)?.remove(0));
    match contains(&got, &expected) {
        true => Ok(()),
        false => Err(format!("the edited object\n{text}\nbecame\n{}\nand not\n{}", restored.after, write(&expected))),
    }
}

/// Returns whether `whole` contains everything in `part`.
fn contains(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            part.iter().all(|(key, value)| match whole.get(key) {
                Some(more) => contains(more, value),
                // The mapping created for the stash was removed with it.
                None => key == "annotations" && value.as_object().is_some_and(serde_json::Map::is_empty),
            })
        }
        (Value::Array(whole), Value::Array(part)) => {
            let mut rest = whole.iter();
            part.iter().all(|item| rest.any(|more| contains(more, item)))
        }
        _ => whole == part,
    }
}

fn same(left: &[Value], right: &[Value]) -> Result<(), String> {
    // As texts, so that the order of keys counts.
    let [left, right] = [left, right].map(|values| json!(values).to_string());
    if left == right { Ok(()) } else { Err(format!("the restored data differs:\n{left}\n{right}")) }
}
