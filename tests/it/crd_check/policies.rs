//! What policies decide: severities, the step of the version, what is free, waivers; formats, the baseline and exit codes.

use std::slice::from_ref;

use serde_json::{Value, json};

use super::{crd, found, merge, run, version};
use crate::support::root;
use crate::support::trees::{Run, Tree};

/// Runs `crd check` on two releases, as folders with these names.
fn between(old: (&str, &Value), new: (&str, &Value), arguments: &[&str]) -> Run {
    let [old, new] = [old, new].map(|(folder, crd)| (folder, format!("{folder}/crds.yaml"), crd.to_string()));
    let tree = Tree::of(&[(&old.1, &old.2), (&new.1, &new.2)]);
    tree.run(&[&["crd", "check", old.0, new.0], arguments].concat())
}

fn with_field(version_name: &str, schema: &Value) -> Value {
    crd(&json!({"versions": [version(version_name, &json!({"a": schema}))]}))
}

/// Checks the exit code and what the summary says that the changes need and that the release claims.
#[track_caller]
fn check_step(policy: &str, new: (&str, &Value), code: i32, needs: &str) {
    let old = crd(&json!({}));
    let run = between(("v1.2.0", &old), new, &["--policy", policy]);
    run.check(code);
    assert!(run.err.contains(&format!("; needs {needs}; from v1.2.0 to {} is ", new.0)), "{}", run.err);
    assert_eq!(run.out.contains("[crd-bump]"), code == 1 && run.out.contains("and from v1.2.0 to"), "{}", run.out);
}

#[test]
fn a_new_field_needs_what_the_policy_says() {
    let more = with_field("v1", &json!({"type": "string"}));
    check_step("kubernetes", ("v1.2.1", &more), 1, "a minor release");
    check_step("kubernetes", ("v1.3.0", &more), 0, "a minor release");
    check_step("gateway-api", ("v2.0.0", &more), 0, "a minor release");
    check_step("guideline", ("v1.2.1", &more), 0, "a patch release");
    check_step("nginx", ("v1.2.1", &more), 1, "a minor release");
}

#[test]
fn what_was_tried_out_before_claims_the_step_of_its_release() {
    let (old, more) = (crd(&json!({})), with_field("v1", &json!({"type": "string"})));
    for (names, code, step) in [
        (["v1.3.0-rc.1", "v1.3.0"], 0, "a minor release"),
        (["v1.3.1-rc.1", "v1.3.1"], 1, "a patch release"),
        (["v2.0.0-rc.1", "v2.0.0"], 0, "a major release"),
        (["v1.3.0-rc.1", "v1.3.0-rc.2"], 1, "no new release"),
    ] {
        let run = between((names[0], &old), (names[1], &more), &["--policy", "kubernetes"]);
        run.check(code);
        assert!(run.err.contains(&format!("from {} to {} is {step}", names[0], names[1])), "{}", run.err);
    }
}

#[test]
fn what_breaks_needs_a_new_version_or_is_free_in_alphas() {
    let [text, number] = ["string", "integer"].map(|kind| json!({"type": kind}));
    let step = |version, policy: &str| {
        let (old, new) = (with_field(version, &text), with_field(version, &number));
        between(("v1.2.0", &old), ("v1.3.0", &new), &["--policy", policy])
    };
    let stable = step("v1", "kubernetes");
    stable.check(1);
    assert!(
        stable.out.contains("needs a new apiVersion") || stable.out.contains("need a new apiVersion"),
        "{}",
        stable.out
    );
    step("v1alpha1", "kubernetes").check(0);
    step("v1alpha1", "nginx").check(0);
    assert!(step("v1alpha1", "nginx").out.contains("warning[crd-type]"), "alphas may be bent");
    step("v1", "guideline").check(0);
}

#[test]
fn the_experimental_channel_is_free_for_gateway_api() {
    let bundle = |channel: &str, release: &str, kind: &str| {
        let mut crd = with_field("v1", &json!({"type": kind}));
        let key = |name: &str| format!("gateway.networking.k8s.io/{name}");
        crd["metadata"]["annotations"] = json!({key("bundle-version"): release, key("channel"): channel});
        crd
    };
    let step = |channel: &str| {
        let (old, new) = (bundle(channel, "v1.2.0", "string"), bundle(channel, "v1.3.0", "integer"));
        between(("old", &old), ("new", &new), &["--policy", "gateway-api"])
    };
    step("experimental").check(0);
    step("standard").check(1);
    assert!(step("experimental").err.contains("from v1.2.0 to v1.3.0 is a minor release"));
}

#[test]
fn annotations_name_one_bundle_that_is_the_folders() {
    let annotated = |plural: &str, bundle: &str, channel: &str| {
        let mut one = crd(&json!({"names": {"plural": plural}}));
        let annotations = json!({"a.example/bundle-version": bundle, "a.example/channel": channel});
        merge(&mut one["metadata"], &json!({"name": format!("{plural}.ride.example"), "annotations": annotations}));
        one
    };
    let whole = [annotated("bikes", "v1.2.0", "standard")];
    let lines = |new: &[Value]| {
        let found = found(&whole, new, &["--policy", "gateway-api"]);
        found.iter().filter(|line| line.starts_with("crd-bundle")).count()
    };
    assert_eq!(lines(&[annotated("bikes", "v1.2.0", "standard")]), 0);
    assert_eq!(lines(&[annotated("bikes", "1.2", "stable")]), 2);
    assert_eq!(lines(&[annotated("bikes", "v1.2.0", "standard"), annotated("cars", "v1.3.0", "experimental")]), 2);
    assert_eq!(lines(&[crd(&json!({}))]), 2, "there are none");
    let (old, new) = (annotated("bikes", "v1.2.0", "standard"), annotated("bikes", "v1.2.0", "standard"));
    let run = between(("v1.2.0/standard", &old), ("v1.3.0/standard", &new), &["--policy", "gateway-api"]);
    assert!(run.out.contains("the bundle-version v1.2.0 is not that of the folder, v1.3.0"), "{}", run.all());
}

#[test]
fn policies_see_what_the_new_set_is() {
    let codes = |new: Value, policy: &str| {
        let found = found(&[crd(&json!({}))], &[new], &["--policy", policy]);
        found.into_iter().filter_map(|line| line.split(' ').next().map(str::to_owned)).collect::<Vec<_>>()
    };
    let webhook = || crd(&json!({"conversion": {"strategy": "Webhook"}}));
    assert!(codes(webhook(), "guideline").contains(&"crd-webhook".to_owned()));
    assert!(!codes(webhook(), "nginx").contains(&"crd-webhook".to_owned()));
    let mut three = crd(&json!({}));
    for name in ["v2", "v3"] {
        let mut more = version(name, &json!({}));
        more["storage"] = false.into();
        three["spec"]["versions"].as_array_mut().unwrap().push(more);
    }
    assert!(codes(three, "nginx").contains(&"crd-version-count".to_owned()));
    let mut official = crd(&json!({"group": "ride.k8s.io"}));
    official["metadata"]["name"] = "bikes.ride.k8s.io".into();
    let approved = |value: &str| {
        let mut crd = official.clone();
        crd["metadata"]["annotations"] = json!({"api-approved.kubernetes.io": value});
        !codes(crd, "kubernetes").contains(&"crd-api-approved".to_owned())
    };
    for value in ["https://github.com/kubernetes/enhancements/pull/1111", "unapproved, experimental-only", "unapproved"]
    {
        assert!(approved(value), "{value}");
    }
    for value in ["", "yes", "https://", "https:///pull/1", "github.com/kubernetes/kubernetes/pull/1", "Unapproved"] {
        assert!(!approved(value), "{value}");
    }
    assert!(codes(official, "kubernetes").contains(&"crd-api-approved".to_owned()));
    let mut alone = crd(&json!({}));
    alone["metadata"]["name"] = "others.ride.example".into();
    assert!(codes(alone, "guideline").contains(&"crd-pruned".to_owned()));
}

/// Runs the example of the documentation.
fn bikes(arguments: &[&str]) -> Run {
    let tree = Tree::new(0);
    let release = |name: &str| root().join("fixtures/bikes").join(name).display().to_string();
    let (old, new, policy) = (release("v1.0.0"), release("v1.1.0"), release("policy.yaml"));
    tree.run(&[&["crd", "check", &old, &new, "--policy", &policy], arguments].concat())
}

#[test]
fn a_check_that_is_off_needs_nothing() {
    let [old, new] = [json!({"a": {"type": "string"}}), json!({"a": {"type": "string", "maxLength": 5}})]
        .map(|fields| crd(&json!({"versions": [version("v1", &fields)]})));
    for (check, code, needs) in [
        ("crd-bound: off", 0, "needs no new release"),
        ("crd-bound: {severity: off, needs: minor}", 0, "needs a minor release"),
        ("{crd-bound: off, crd-bound/tightened: note}", 0, "needs a new apiVersion"),
        ("crd-enum: off", 1, "needs a new apiVersion"),
    ] {
        let check = if check.starts_with('{') { check.to_owned() } else { format!("{{{check}}}") };
        let policy = format!("extends: kubernetes\nchecks: {check}\n");
        let text = |crd: &Value| format!("{crd}\n");
        let tree = Tree::of(&[("old/crd.yaml", &text(&old)), ("new/crd.yaml", &text(&new)), ("policy.yaml", &policy)]);
        let run = tree.run(&["crd", "check", "old", "new", "--policy", "policy.yaml"]);
        assert_eq!(run.code, Some(code), "{check}: {}", run.all());
        assert!(run.err.contains(needs), "{check}: {}", run.all());
    }
}

#[test]
fn what_is_off_is_off_for_every_class_of_a_policy_that_is_extended() {
    let [old, new] = [json!(["a"]), json!(["a", "b"])]
        .map(|values| crd(&json!({"versions": [version("v1", &json!({"a": {"type": "string", "enum": values}}))]})));
    let found = |policy: &str| {
        let folder = tempfile::TempDir::new().unwrap();
        let file = folder.path().join("policy.yaml");
        std::fs::write(&file, policy).unwrap();
        super::found(from_ref(&old), from_ref(&new), &["--policy", file.to_str().unwrap()])
    };
    assert_eq!(found("{extends: kubernetes, checks: {crd-type: off}}"), ["crd-enum spec.a loosened"]);
    assert_eq!(found("{extends: kubernetes, checks: {crd-enum: off}}"), [""; 0]);
}

#[test]
fn a_waiver_acknowledges_with_its_reason() {
    let report: Value = serde_json::from_str(&bikes(&["--format", "json"]).out).unwrap();
    let accepted = &report["acknowledged"][0];
    assert_eq!(accepted["by"], "policy");
    assert!(accepted["reason"].as_str().unwrap().starts_with("no owner has more"));
    assert_eq!(report["release"]["claims"], "minor");
    assert_eq!(report["release"]["needs"], "new-version");
    assert_eq!(report["exitCode"], 1);
}

#[test]
fn a_release_that_claims_too_little_can_be_waived() {
    let (old, new) = (crd(&json!({})), with_field("v1", &json!({"type": "string"})));
    let waived = |waivers: &str| {
        let policy = format!("extends: kubernetes\nwaivers: [{waivers}]\n");
        let text = [old.to_string(), new.to_string()];
        let files = [("v1.2.0/crds.yaml", text[0].as_str()), ("v1.2.1/crds.yaml", &text[1]), ("own.yaml", &policy)];
        Tree::of(&files).run(&["crd", "check", "v1.2.0", "v1.2.1", "--policy", "own.yaml"])
    };
    waived("").check(1);
    waived("{check: crd-bump, reason: nobody reads the number}").check(0);
    waived("{check: crd-bump, field: spec, reason: it is about no field}").check(1);
}

#[test]
fn a_finding_has_the_place_in_the_new_crd() {
    let out = bikes(&["--format", "jsonl"]).out;
    let place = |code: &str| {
        let line = out.lines().find(|line| line.contains(&format!("\"code\":\"{code}\""))).expect("it is found");
        let finding: Value = serde_json::from_str(line).unwrap();
        let file = finding["location"]["file"].as_str().unwrap().to_owned();
        assert!(file.ends_with("v1.1.0/bikes.yaml"), "{file}");
        [finding["location"]["line"].as_u64().unwrap(), finding["location"]["column"].as_u64().unwrap()]
    };
    assert_eq!(place("crd-field-renamed"), [45, 15]);
    let renamed = out.lines().find(|line| line.contains("\"code\":\"crd-field-renamed\"")).expect("it is found");
    let finding: Value = serde_json::from_str(renamed).unwrap();
    let about = json!({"class": "renamed", "kind": "Bike.ride.example", "version": "v1", "field": "spec.lights"});
    assert_eq!(finding["change"], about);
    assert_eq!(place("crd-names"), [10, 5]);
    assert_eq!(place("crd-printer-column"), [18, 5]);
}

#[test]
fn every_format_has_the_findings() {
    let step = "1 CRD: 7 changes (3 additive, 2 tightened, 1 breaking, 1 renamed), 4 unresolved, 1 acknowledged; needs a new apiVersion; from v1.0.0 to v1.1.0 is a minor release";
    for format in ["text", "github", "gitlab", "sarif", "junit", "markdown", "html"] {
        let run = bikes(&["--format", format]);
        run.check(1);
        assert!(run.out.contains("crd-field-renamed"), "{format}: {}", run.out);
        // Where it is said of all, objects that change or are held back are no matter.
        let for_people = ["markdown", "html"].contains(&format);
        assert_eq!(
            (run.out.contains(step), run.out.contains("held back")),
            (for_people, false),
            "{format}: {}",
            run.out
        );
    }
    bikes(&["--exit-zero"]).check(0);
    let report: Value = serde_json::from_str(&bikes(&["--format", "json"]).out).unwrap();
    let counted = ["files", "parsedFiles", "objects", "recognized"].map(|key| report["summary"][key].as_u64());
    assert_eq!(counted, [Some(1); 4], "{report}");
}

#[test]
fn a_baseline_accepts_what_is_known() {
    let tree = Tree::new(0);
    let release = |name: &str| root().join("fixtures/bikes").join(name).display().to_string();
    let (old, new) = (release("v1.0.0"), release("v1.1.0"));
    let run = |more: &[&str]| tree.run(&[&["crd", "check", old.as_str(), new.as_str()], more].concat());
    run(&[]).check(1);
    run(&["--write-baseline", "known.json"]).check(0);
    run(&["--baseline", "known.json"]).check(0);
    let other = run(&["--baseline", "known.json", "--policy", "nginx"]);
    other.check(2);
    assert!(other.err.contains("it was made for the policy kubernetes"), "{}", other.err);
}

#[test]
fn a_baseline_accepts_one_step_of_one_release() {
    let with = |names: &[&str]| {
        let fields: serde_json::Map<String, Value> =
            names.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
        crd(&json!({"versions": [version("v1", &fields.into())]})).to_string()
    };
    // The name of the file is the same for each release, as it is in a repository.
    let tree = Tree::of(&[
        ("v1.2.0/crds.yaml", &with(&["a"])),
        ("v1.2.1/crds.yaml", &with(&["a", "b"])),
        ("v1.2.2/crds.yaml", &with(&["a", "b", "c"])),
        ("next/v1.2.1/crds.yaml", &with(&[])),
    ]);
    let run = |old: &str, new: &str, more: &[&str]| {
        std::fs::copy(tree.path(new).join("crds.yaml"), tree.path("crds.yaml")).unwrap();
        tree.run(&[&["crd", "check", old, new], more].concat())
    };
    run("v1.2.0", "v1.2.1", &["--write-baseline", "known.json"]).check(0);
    run("v1.2.0", "v1.2.1", &["--baseline", "known.json"]).check(0);
    let known = std::fs::read_to_string(tree.path("known.json")).unwrap();
    assert!(known.contains("\"field\":\"v1.2.1 needs a minor release\""), "{known}");
    std::fs::write(tree.path("known.json"), known.replace("v1.2.1/crds.yaml", "v1.2.2/crds.yaml")).unwrap();
    let later = run("v1.2.1", "v1.2.2", &["--baseline", "known.json"]);
    later.check(1);
    assert!(later.out.contains("unresolved[crd-bump]"), "{}", later.all());
}

#[test]
fn what_cannot_be_compared_is_an_error() {
    let bike = crd(&json!({}));
    let one = std::slice::from_ref(&bike);
    let twice = run(one, &[bike.clone(), bike.clone()], &[]);
    twice.check(2);
    assert!(twice.err.contains("is in the set twice"), "{}", twice.err);
    assert!(twice.err.contains("pass a folder or file that has one alone"), "{}", twice.err);
    let text = bike.to_string();
    let both = [("a/standard/crds.yaml", text.as_str()), ("a/experimental/crds.yaml", &text), ("b/crds.yaml", &text)];
    let channels = Tree::of(&both).run(&["crd", "check", "a", "b"]);
    channels.check(2);
    assert!(channels.err.contains("they are of two channels: pass a/experimental or a/standard"), "{}", channels.err);
    let none = run(one, &[json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}})], &[]);
    none.check(2);
    assert!(none.err.contains("there is no CRD"), "{}", none.err);
    let tag = Tree::of(&[("new/crds.yaml", &text)]).run(&["crd", "check", "v1.0.0", "new"]);
    tag.check(2);
    assert!(tag.err.contains("v1.0.0: no such file or folder; for a commit, branch or tag pass --path"), "{}", tag.err);
    let policy = run(one, one, &["--policy", "openshift"]);
    policy.check(2);
    assert!(policy.err.contains("gateway-api, guideline, kubernetes or nginx"), "{}", policy.err);
}

#[test]
fn crds_come_from_standard_input_too() {
    let (old, new) = (crd(&json!({})), with_field("v1", &json!({"type": "string"})));
    let tree = Tree::of(&[("old.yaml", &old.to_string())]);
    let run = tree.run_fed(&["crd", "check", "old.yaml", "-", "-v"], new.to_string());
    run.check(0);
    assert!(run.out.contains("note[crd-field-added]"), "{}", run.all());
}
