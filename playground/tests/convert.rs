//! What the page is told, without a page.

#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

use reversion_playground::{
    Answer, LineKind, Object, Options, State, Wanted, convert, examples, playground_contents, playground_convert,
};
use reversion_wasm::{taken, with_text};
use serde_json::Value;

fn to(pack: &str, release: &str, channel: Option<&str>) -> Options {
    let target =
        Wanted { pack: pack.to_owned(), release: release.to_owned(), channel: channel.map(str::to_owned), from: None };
    Options { target: Some(target), ..Options::default() }
}

fn example(name: &str) -> &'static str {
    examples().into_iter().find(|example| example.name.starts_with(name)).unwrap().text
}

fn changed(answer: &Answer, kind: LineKind) -> Vec<&str> {
    answer.diff.iter().filter(|line| line.kind == kind).map(|line| line.text.trim()).collect()
}

fn object<'a>(answer: &'a Answer, title: &str) -> &'a Object {
    answer.objects.iter().find(|object| object.title == title).unwrap()
}

#[test]
fn the_page_begins_with_packs_and_examples() {
    let contents: Value =
        serde_json::from_slice(&taken(playground_contents(with_text("{}".to_owned()))).unwrap()).unwrap();
    let contents = &contents["ok"];
    let program = include_str!("../../Cargo.toml");
    assert!(program.contains(&format!("\nversion = {}\n", contents["version"])));
    assert!(contents["packs"].as_array().unwrap().iter().any(|pack| pack["title"] == "Gateway API"));
    assert_eq!(contents["examples"].as_array().unwrap().len(), examples().len());
}

#[test]
fn every_example_shows_something() {
    for example in examples() {
        let options = Options { target: example.target, ..Options::default() };
        let answer = convert(example.text, &options);
        let expected = if options.target.is_some() { State::HeldBack } else { State::Changed };
        assert_eq!(answer.state, expected, "{}: {}", example.name, answer.summary);
        assert!(answer.objects.iter().all(|object| object.change.is_some()), "{}", example.name);
    }
}

#[test]
fn an_object_has_its_evidence_and_its_change() {
    let answer = convert(example("Gateway API"), &to("gateway-api", "v1.4.0", Some("standard")));
    let policy = object(&answer, "BackendTLSPolicy shop/checkout");
    assert_eq!(policy.releases, "experimental v1.0.0");
    assert_eq!(policy.evidence[0].field, "spec.targetRef");
    assert_eq!(policy.evidence[0].place.unwrap().line, 8);
    let change = policy.change.as_ref().unwrap();
    assert_eq!((change.outcome, change.to.as_deref()), ("changed", Some("gateway.networking.k8s.io/v1")));
    assert!(change.rules.iter().any(|rule| rule.ends_with("backendtlspolicy-tls-renamed-to-validation")));
    assert_eq!(changed(&answer, LineKind::Added)[..2], ["+apiVersion: gateway.networking.k8s.io/v1", "+  targetRefs:"]);
    assert!(answer.converted.contains("name: checkout # serves HTTPS\n"));
    assert_eq!(answer.command.as_deref(), Some("reversion convert - --to gateway-api@1.4.0/standard"));
}

#[test]
fn an_api_version_that_fewer_releases_serve_is_shown() {
    let answer = convert(example("Flux"), &Options::default());
    let release = object(&answer, "HelmRelease apps/podinfo");
    assert!(release.releases.starts_with("v0.1.0.."), "{}", release.releases);
    assert!(release.serving.as_ref().is_some_and(|serving| *serving != release.releases));
}

#[test]
fn a_loss_is_held_back_allowed_or_stashed() {
    let text = example("Back");
    let older = to("gateway-api", "v1.0.0", Some("standard"));
    let held = convert(text, &older);
    assert_eq!((held.state, held.converted.as_str(), held.diff.len()), (State::HeldBack, text, 0));
    assert_eq!((held.findings[0].severity, held.findings[0].code), ("held-back", "dropped-field"));
    assert!(held.findings[0].help.as_ref().unwrap().contains("--stash"));
    assert_eq!(held.objects[0].change.as_ref().unwrap().words, "held back");

    let allowed = convert(text, &Options { allow_losses: true, ..older.clone() });
    assert_eq!(allowed.state, State::Changed);
    assert!(!allowed.converted.contains("sessionPersistence") && !allowed.converted.contains("stash"));
    assert!(allowed.command.unwrap().ends_with("--allow-loss all"));

    let stashed = convert(text, &Options { stash: true, ..older });
    assert_eq!(stashed.state, State::Changed);
    assert!(stashed.converted.contains("reversion.dev/stash"));
    // An advisory about the cluster.
    assert_eq!(stashed.advisories[0].about, "cluster");
    // Back again, nothing is missing.
    let back = convert(&stashed.converted, &to("gateway-api", "v1.4.0", Some("experimental")));
    assert!(back.converted.contains("sessionPersistence"), "{}", back.converted);
}

#[test]
fn what_is_not_understood_is_said() {
    let empty = convert(" \n", &Options::default());
    assert_eq!((empty.state, empty.summary.as_str()), (State::Empty, ""));
    let nothing = convert("apiVersion: v1\nkind: Service\nmetadata: {name: a}\n", &Options::default());
    assert_eq!((nothing.state, nothing.converted.is_empty()), (State::Nothing, false));
    let broken = convert("apiVersion: gateway.networking.k8s.io/v1\nkind: [\n", &Options::default());
    assert_eq!((broken.state, broken.findings[0].code), (State::Failed, "parse-error"));
    let broken = convert("apiVersion: gateway.networking.k8s.io/v1\nkind: [\n", &to("gateway-api", "v1.4.0", None));
    assert_eq!((broken.state, broken.findings.len()), (State::Failed, 1));
    let unknown = convert(example("Flux"), &to("flux", "v99", None));
    assert_eq!(unknown.state, State::Failed);
    assert!(unknown.summary.starts_with("error: "), "{}", unknown.summary);
    assert_eq!(unknown.objects.len(), 2, "the evidence needs no target");
    let other = convert(example("Flux"), &to("gateway-api", "v1.4.0", None));
    assert_eq!((other.state, other.objects.len()), (State::Nothing, 2));
    let misspelt = with_text("{\"text\": \"a\", \"options\": {\"targte\": 1}}".to_owned());
    let answer: Value = serde_json::from_slice(&taken(playground_convert(misspelt)).unwrap()).unwrap();
    assert_eq!(answer["error"]["reason"], "bad-request");
}

#[test]
fn a_target_brings_the_release_that_it_supports() {
    let answer = convert(example("Gateway API"), &to("ngf", "v2.3.0", None));
    assert_eq!(answer.notes, ["target gateway-api@1.4.1/standard, which ngf@2.3.0 supports"]);
    assert_eq!(answer.targets.len(), 2);
}

#[test]
fn the_release_that_objects_come_from_can_be_given() {
    let mut options = to("flux", "v2.8.0", None);
    let before = convert(example("Flux"), &options);
    options.target.as_mut().unwrap().from = Some("v2.2.0".to_owned());
    let after = convert(example("Flux"), &options);
    let asks =
        |answer: &Answer| answer.findings.iter().any(|one| one.help.as_ref().is_some_and(|it| it.contains("--from")));
    assert_eq!((asks(&before), asks(&after)), (true, false));
    assert!(after.command.unwrap().ends_with("--from flux@2.2.0"));
}

#[test]
fn values_of_a_secret_are_not_in_the_diff() {
    let text = "{kind: List, apiVersion: v1, items: [{apiVersion: gateway.networking.k8s.io/v1beta1, kind: HTTPRoute, \
                metadata: {name: a}, spec: {}}, {apiVersion: v1, kind: Secret, metadata: {name: b}, data: {k: dDBw}}]}\n";
    let answer = convert(text, &Options::default());
    assert_eq!((answer.state, answer.diff.len()), (State::Changed, 0));
    assert!(answer.without_diff.is_some());
}
