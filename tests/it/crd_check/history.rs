//! What the releases before say, git references, the experimental channel and the rules of a pack.

use serde_json::{Value, json};

use super::{crd, version};
use crate::support::trees::{Run, Tree};

/// Runs `crd check` on the last two of these releases, with those before as its history; returns the codes that begin with `codes`.
fn after(releases: &[Value], policy: &str, codes: &[&str]) -> Vec<String> {
    let named: Vec<(String, String)> =
        releases.iter().enumerate().map(|(at, crd)| (format!("v1.{at}.0/crds.yaml"), crd.to_string())).collect();
    let files: Vec<(&str, &str)> = named.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let folders: Vec<&str> = named.iter().filter_map(|(name, _)| name.split('/').next()).collect();
    let (earlier, last) = folders.split_at(folders.len() - 2);
    let history = earlier.join(",");
    let mut arguments = vec!["crd", "check", last[0], last[1], "--policy", policy, "--format", "json"];
    if !earlier.is_empty() {
        arguments.extend(["--history", &history]);
    }
    let run = Tree::of(&files).run(&arguments);
    let report: Value = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{}", run.all()));
    let findings = report["findings"].as_array().unwrap().iter();
    let codes = findings.filter_map(|finding| finding["code"].as_str()).filter(|code| codes.contains(code));
    codes.map(str::to_owned).collect()
}

/// Makes a CRD whose stored version is v1, with other versions that are deprecated or not.
fn with_versions(others: &[(&str, bool)]) -> Value {
    let mut versions = vec![version("v1", &json!({}))];
    versions.extend(others.iter().map(|(name, is_deprecated)| {
        let mut other = version(name, &json!({}));
        super::merge(&mut other, &json!({"storage": false, "deprecated": is_deprecated}));
        other
    }));
    crd(&json!({ "versions": versions }))
}

#[test]
fn a_version_is_deprecated_for_three_releases() {
    let (open, old, gone) =
        (with_versions(&[("v1beta1", false)]), with_versions(&[("v1beta1", true)]), with_versions(&[]));
    let check = |releases: &[&Value], expected: usize| {
        let releases: Vec<Value> = releases.iter().map(|release| (*release).clone()).collect();
        assert_eq!(after(&releases, "nginx", &["crd-deprecation"]).len(), expected, "{} releases", releases.len());
    };
    check(&[&open, &gone], 1);
    check(&[&open, &old, &gone], 1);
    check(&[&open, &old, &old, &gone], 1);
    check(&[&open, &old, &old, &old, &gone], 0);
    // How long it was before is not known.
    check(&[&old, &gone], 0);
    let removals = |releases: &[&Value]| {
        let releases: Vec<Value> = releases.iter().map(|release| (*release).clone()).collect();
        after(&releases, "nginx", &["crd-version-removed"]).len()
    };
    assert_eq!([removals(&[&open, &old, &old, &gone]), removals(&[&open, &old, &old, &old, &gone])], [1, 0]);
}

#[test]
fn a_version_in_which_objects_were_stored_goes() {
    let with = |others: &[Value]| {
        let mut last = version("v1", &json!({}));
        let is_stored = others.iter().any(|other| other["storage"] == true);
        super::merge(&mut last, &json!({ "storage": !is_stored }));
        let all = [others, &[last]].concat();
        crd(&json!({ "versions": all }))
    };
    let old = |is_served: bool, is_stored: bool| {
        let mut old = version("v1alpha1", &json!({}));
        super::merge(&mut old, &json!({"served": is_served, "storage": is_stored}));
        old
    };
    let (stored, served, unserved, gone) =
        (with(&[old(true, true)]), with(&[old(true, false)]), with(&[old(false, false)]), with(&[]));
    let found = |releases: &[&Value]| {
        let releases: Vec<Value> = releases.iter().map(|release| (*release).clone()).collect();
        // No policy frees it, though an alpha is free otherwise.
        let refused = ["kubernetes", "guideline"].map(|policy| after(&releases, policy, &["crd-stored-version"]).len());
        assert_eq!(refused[0], refused[1]);
        refused[0]
    };
    assert_eq!(found(&[&stored, &served, &unserved, &gone]), 1);
    assert_eq!(found(&[&stored, &served, &gone]), 1);
    assert_eq!(found(&[&stored, &gone]), 1);
    assert_eq!(found(&[&served, &unserved, &gone]), 0);
    // It is said once, when the version goes.
    assert_eq!([found(&[&stored, &unserved]), found(&[&stored, &unserved, &gone, &gone])], [0, 0]);
    let files = [("v1.0.0/c.yaml", &stored), ("v1.1.0/c.yaml", &unserved), ("v1.2.0/c.yaml", &gone)];
    let files = files.map(|(name, crd)| (name, crd.to_string()));
    let files: Vec<(&str, &str)> = files.iter().map(|(name, crd)| (*name, crd.as_str())).collect();
    let run = Tree::of(&files).run(&["crd", "check", "v1.1.0", "v1.2.0", "--history", "v1.0.0"]);
    for expected in
        ["unresolved[crd-stored-version] ", ": v1alpha1: v1.0.0 stored objects in the version, which is gone: "]
    {
        assert!(run.out.contains(expected), "{}", run.all());
    }
}

#[test]
fn a_field_is_called_deprecated_for_three_releases() {
    let with = |fields: Value| crd(&json!({"versions": [version("v1", &fields)]}));
    let (open, gone) = (with(json!({"a": {"type": "string"}})), with(json!({})));
    let old = with(json!({"a": {"type": "string", "description": "Deprecated: use b."}}));
    let check = |releases: &[&Value], policy: &str, expected: usize| {
        let releases: Vec<Value> = releases.iter().map(|release| (*release).clone()).collect();
        assert_eq!(after(&releases, policy, &["crd-field-deprecation"]).len(), expected, "{} releases", releases.len());
    };
    check(&[&open, &gone], "nginx", 1);
    check(&[&open, &old, &old, &gone], "nginx", 1);
    check(&[&open, &old, &old, &old, &gone], "nginx", 0);
    check(&[&old, &gone], "nginx", 0);
    check(&[&open, &gone], "kubernetes", 0);
}

#[test]
fn a_history_is_in_the_order_of_time() {
    let text = with_versions(&[]).to_string();
    let names = ["v1.0.0", "v1.1.0", "v1.2.0", "v1.3.0"];
    let files: Vec<String> = names.iter().map(|name| format!("{name}/crds.yaml")).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|name| (name.as_str(), text.as_str())).collect();
    let tree = Tree::of(&files);
    let run = |history: &str, old: &str| tree.run(&["crd", "check", old, "v1.3.0", "--history", history]);
    run("v1.0.0,v1.1.0", "v1.2.0").check(0);
    let wrong = run("v1.1.0,v1.0.0", "v1.2.0");
    wrong.check(2);
    let message = "--history: v1.1.0 is v1.1.0, and v1.0.0 after it is v1.0.0; list the releases up to OLD from the oldest to the newest";
    assert!(wrong.err.contains(message), "{}", wrong.all());
    run("v1.0.0,v1.2.0", "v1.1.0").check(2);
}

#[test]
fn channels_have_an_order_each() {
    let files = ["standard/v1.0.0", "standard/v1.1.0", "experimental/v1.0.0", "standard/v1.2.0"];
    let text = with_versions(&[]).to_string();
    let named: Vec<String> = files.iter().map(|name| format!("{name}/crds.yaml")).collect();
    let named: Vec<(&str, &str)> = named.iter().map(|name| (name.as_str(), text.as_str())).collect();
    let history = [files[0], files[2]].join(",");
    Tree::of(&named).run(&["crd", "check", files[1], files[3], "--history", &history]).check(0);
}

#[test]
fn an_older_version_is_deprecated_when_a_newer_one_comes() {
    let next = |is_deprecated: bool| {
        let mut next = with_versions(&[("v2", false)]);
        next["spec"]["versions"][0]["deprecated"] = is_deprecated.into();
        next
    };
    let codes = ["crd-undeprecated"];
    assert_eq!(after(&[with_versions(&[]), next(false)], "nginx", &codes), codes);
    assert_eq!(after(&[with_versions(&[]), next(true)], "nginx", &codes), [""; 0]);
}

#[test]
fn a_version_is_stored_when_the_older_one_is_gone() {
    let stored = |first: bool, second: bool| {
        let mut both = with_versions(&[("v2", false)]);
        both["spec"]["versions"][0]["storage"] = first.into();
        both["spec"]["versions"][1]["storage"] = second.into();
        both
    };
    let codes = ["crd-storage-early"];
    assert_eq!(after(&[stored(true, false), stored(false, true)], "nginx", &codes), codes);
    assert_eq!(after(&[stored(true, false), stored(true, false)], "nginx", &codes), [""; 0]);
}

#[test]
fn a_kind_begins_with_an_alpha_and_has_no_beta() {
    let other = |name: &str| {
        let mut other =
            crd(&json!({"names": {"kind": "Car", "plural": "cars"}, "versions": [version(name, &json!({}))]}));
        other["metadata"]["name"] = "cars.ride.example".into();
        other
    };
    let codes = ["crd-first-version"];
    assert_eq!(after(&[with_versions(&[]), other("v1")], "nginx", &codes), codes);
    assert_eq!(after(&[with_versions(&[]), other("v1alpha1")], "nginx", &codes), [""; 0]);
    assert_eq!(after(&[with_versions(&[]), with_versions(&[("v2beta1", false)])], "nginx", &codes), codes);
}

#[test]
fn a_name_is_not_used_again_for_another_type() {
    let with = |fields: Value| crd(&json!({"versions": [version("v1", &fields)]}));
    let (text, number, none) =
        (with(json!({"a": {"type": "string"}})), with(json!({"a": {"type": "integer"}})), with(json!({})));
    let codes = ["crd-name-reused"];
    assert_eq!(after(&[text.clone(), none.clone(), number.clone()], "gateway-api", &codes), codes);
    let beta = crd(&json!({"versions": [version("v1beta1", &json!({"a": {"type": "string"}}))]}));
    assert_eq!(after(&[beta, none.clone(), number], "gateway-api", &codes), codes, "another version had it");
    assert_eq!(after(&[text.clone(), none.clone(), text.clone()], "gateway-api", &codes), [""; 0]);
    assert_eq!(after(&[none, text], "gateway-api", &codes), [""; 0]);
}

/// Makes the CRD of a channel.
fn of_channel(channel: &str, fields: Value) -> Value {
    let mut whole = crd(&json!({"versions": [version("v1", &fields)]}));
    whole["metadata"]["annotations"] = json!({"a.example/channel": channel});
    whole
}

#[test]
fn what_becomes_stable_was_experimental_before() {
    let field = || json!({"a": {"type": "string"}});
    let stable = [of_channel("standard", json!({})), of_channel("standard", field())];
    let codes = ["crd-experimental-first"];
    let after_first = |first: Value| after(&[first, stable[0].clone(), stable[1].clone()], "gateway-api", &codes);
    assert_eq!(after_first(of_channel("experimental", json!({}))), codes);
    assert_eq!(after_first(of_channel("experimental", field())), [""; 0]);
    assert_eq!(after_first(of_channel("standard", json!({}))), [""; 0], "there is no experimental channel");
}

#[test]
fn the_experimental_channel_has_what_the_stable_one_has() {
    let field = |limit: u32| json!({"a": {"type": "string", "maxLength": limit}});
    let check = |experimental: Value, expected: usize| {
        let stable = of_channel("standard", field(10)).to_string();
        let files = [("old.yaml", stable.as_str()), ("new.yaml", &stable), ("more.yaml", &experimental.to_string())];
        let arguments =
            ["crd", "check", "old.yaml", "new.yaml", "--policy", "gateway-api", "--experimental", "more.yaml"];
        let run = Tree::of(&files).run(&arguments);
        assert_eq!(run.out.matches("[crd-channel]").count(), expected, "{}", run.all());
    };
    check(of_channel("experimental", field(10)), 0);
    check(of_channel("experimental", field(20)), 0);
    check(of_channel("experimental", field(5)), 1);
    let mut wider = of_channel("experimental", field(10));
    wider["spec"]["scope"] = "Cluster".into();
    check(wider, 1);
    let mut unserved = of_channel("experimental", field(10));
    unserved["spec"]["versions"][0]["served"] = false.into();
    check(unserved, 1);
    check(of_channel("experimental", json!({})), 1);
}

#[test]
fn releases_are_read_from_git() {
    let tree = Tree::of(&[("config/crd/bikes.yaml", &with_versions(&[]).to_string()), ("config/crd/notes.txt", "{")]);
    tree.git(&["init", "-q"]);
    tree.git(&["add", "."]);
    tree.git(&["commit", "-q", "-m", "one"]);
    tree.git(&["tag", "v1.0.0"]);
    let changed = crd(&json!({"versions": [version("v1", &json!({"a": {"type": "string"}}))]})).to_string();
    std::fs::write(tree.path("config/crd/bikes.yaml"), &changed).unwrap();
    tree.git(&["commit", "-q", "-a", "-m", "two"]);
    tree.git(&["tag", "v1.0.1"]);
    let check = |run: &Run| {
        run.check(1);
        assert!(run.out.contains("config/crd/bikes.yaml:1:") && run.out.contains("[crd-bump]"), "{}", run.all());
        assert!(run.err.contains("from v1.0.0 to v1.0.1 is a patch release"), "{}", run.err);
    };
    check(&tree.run(&["crd", "check", "--path", "config/crd", "v1.0.0", "v1.0.1"]));
    // A path is the one from the current folder.
    let inside = tree.run_in("config", &["crd", "check", "--path", "crd", "v1.0.0", "v1.0.1"]);
    inside.check(1);
    assert!(inside.out.contains("crd/bikes.yaml:1:"), "{}", inside.all());
    tree.run(&["crd", "check", "--path", "config/crd", "v1.0.0", "config/crd"]).check(0);
    let unknown = tree.run(&["crd", "check", "--path", "config/crd", "v9", "HEAD"]);
    unknown.check(2);
    assert!(unknown.err.contains("v9 is no commit, branch or tag"), "{}", unknown.err);
    let empty = tree.run(&["crd", "check", "--path", "nowhere", "v1.0.0", "HEAD"]);
    empty.check(2);
    assert!(empty.err.contains("v1.0.0 has no file at nowhere"), "{}", empty.err);
    let both = ["crds/experimental/a.yaml", "crds/standard/a.yaml"].map(|path| (path, changed.as_str()));
    let channels = Tree::of(&both);
    channels.git(&["init", "-q"]);
    channels.git(&["add", "."]);
    channels.git(&["commit", "-q", "-m", "one"]);
    let twice = channels.run(&["crd", "check", "--path", "crds", "HEAD", "HEAD"]);
    twice.check(2);
    let expected = "they are of two channels: pass --path crds/experimental or --path crds/standard";
    assert!(twice.err.contains(expected), "{}", twice.err);
}

#[test]
fn what_breaks_is_claimed_by_a_rule() {
    let pack = "name: bikes\ntitle: Bikes\nsource: s\ngroups: [ride.example]\nreleases: [{ bundle: v1.0.0 }, { bundle: v1.1.0 }]\n";
    let rule = "summary: Lights became lamps\nsource: s\nkind: Bike.ride.example\nlens:\n- rename: { field: spec.lights, to: lamps }\n";
    let with = |fields: Value| crd(&json!({"versions": [version("v1", &fields)]})).to_string();
    let list = || json!({"type": "array", "items": {"type": "string"}});
    let (old, new) = (with(json!({"lights": list(), "b": list()})), with(json!({"lamps": list()})));
    let files = [
        ("crds/v1.0.0/bikes.yaml", old.as_str()),
        ("crds/v1.1.0/bikes.yaml", &new),
        ("pack/pack.yaml", pack),
        ("pack/v1.1.0/lamps.yaml", rule),
    ];
    let tree = Tree::of(&files);
    tree.run(&["pack", "build", "pack", "crds"]).check(0);
    let steps = ["crds/v1.0.0", "crds/v1.1.0"];
    let run = tree.run(&["crd", "check", steps[0], steps[1], "--pack", "pack", "--policy", "guideline"]);
    run.check(1);
    let unclaimed: Vec<&str> = run.out.lines().filter(|line| line.contains("[crd-unclaimed]")).collect();
    assert_eq!(unclaimed.len(), 1, "{}", run.all());
    assert!(unclaimed[0].contains("v1 spec.b:"), "{}", unclaimed[0]);
}

#[test]
fn what_breaks_is_converted_both_ways_and_told_apart() {
    let pack = "name: bikes\ntitle: Bikes\nsource: s\ngroups: [ride.example]\nreleases: [{ bundle: v1.0.0 }, { bundle: v1.1.0 }]\nparameters: [{ name: defaults, description: d, choices: [freeze, adopt], default: freeze }]\ndropped: [{ bundle: v1.1.0, kind: Bike.ride.example, field: spec.reasoned, reason: r }]\n";
    let rule = |name: &str, more: &str| {
        let text = format!("summary: s\nsource: s\nkind: Bike.ride.example\n{more}\n");
        (format!("pack/v1.1.0/{name}.yaml"), text)
    };
    let rules = [
        rule("renamed", "lens: [{ rename: { field: spec.lights, to: lamps } }]"),
        rule("dropped", "lens: [{ drop: { field: spec.bell, reason: r } }]"),
        rule(
            "refused",
            "lens: [{ refuse: { direction: forward, if: { present: spec.lock }, at: spec.lock, reason: r, help: h } }]",
        ),
        rule(
            "gears",
            "needs: from\nlens: [{ changed-default: { field: spec.gears, old: 1, new: 2, parameter: bikes.defaults } }]",
        ),
        rule(
            "swapped",
            "lens: [{ rename: { field: spec.front, to: back } }, { drop: { field: spec.old, reason: r } }]",
        ),
    ];
    let with = |fields: Value| crd(&json!({"versions": [version("v1", &fields)]})).to_string();
    let list = || json!({"type": "array", "items": {"type": "string"}});
    let gears = |default: u8| json!({"type": "integer", "default": default});
    let (text, number) = (json!({"type": "string"}), json!({"type": "integer"}));
    let old = json!({"lights": list(), "bell": text, "lock": text, "gears": gears(1), "front": number, "back": text, "old": text, "reasoned": text});
    let new = json!({"lamps": list(), "gears": gears(2), "back": number});
    let (old, new) = (with(old), with(new));
    let mut files =
        vec![("crds/v1.0.0/bikes.yaml", old.as_str()), ("crds/v1.1.0/bikes.yaml", &new), ("pack/pack.yaml", pack)];
    files.extend(rules.iter().map(|(name, text)| (name.as_str(), text.as_str())));
    let tree = Tree::of(&files);
    tree.run(&["pack", "build", "pack", "crds"]).check(0);
    let arguments = ["crd", "check", "crds/v1.0.0", "crds/v1.1.0", "--pack", "pack", "--format", "json", "--policy"];
    let found = |policy: &str| -> Vec<String> {
        let run = tree.run(&[&arguments[..], &[policy]].concat());
        let report: Value = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{}", run.all()));
        let of_pack = ["crd-alike", "crd-one-way", "crd-unclaimed"];
        let text = |finding: &Value| {
            let [code, severity, message] = ["code", "severity", "message"].map(|key| finding[key].as_str().unwrap());
            of_pack.contains(&code).then(|| format!("{severity}[{code}] {message}"))
        };
        let mut found: Vec<String> = report["findings"].as_array().unwrap().iter().filter_map(text).collect();
        found.sort();
        found
    };
    let gears = "the rule bikes/v1.1.0/gears needs --from: no field shows whether an object is from before the change";
    let bell = "the rule bikes/v1.1.0/dropped converts forward, and nothing back";
    let lock = "the rule bikes/v1.1.0/refused holds objects back, and converts none";
    let expected = [
        "unresolved[crd-alike] v1 spec.back: the rule bikes/v1.1.0/swapped is about spec.back, which exists before the change too, so that no field shows whether an object is from before the change".to_owned(),
        format!("unresolved[crd-alike] v1 spec.gears: {gears}"),
        format!("unresolved[crd-one-way] v1 spec.bell: {bell}"),
        format!("unresolved[crd-one-way] v1 spec.lock: {lock}"),
        "unresolved[crd-one-way] v1 spec.old: the rule bikes/v1.1.0/swapped loses the value, and has nothing to convert back".to_owned(),
    ];
    let all = found("guideline");
    for text in &expected {
        assert!(all.contains(text), "{text}\n{all:#?}");
    }
    assert!(!all.iter().any(|text| text.contains("reasoned") || text.contains("lights")), "{all:#?}");
    assert!(found("kubernetes").contains(&format!("warning[crd-one-way] v1 spec.bell: {bell}")));
}

#[test]
fn a_rule_about_a_new_field_breaks_no_object() {
    let with = |fields: Value, rules: &[&str]| {
        let mut version = version("v1", &fields);
        let rules: Vec<Value> = rules.iter().map(|rule| json!({"rule": rule})).collect();
        version["schema"]["openAPIV3Schema"]["properties"]["spec"]["x-kubernetes-validations"] = rules.into();
        crd(&json!({ "versions": [version] }))
    };
    let text = || json!({"type": "string"});
    let (old, fields) = (json!({"a": text()}), json!({"a": text(), "b": text()}));
    let classes = |old: &Value, new: &Value| -> Vec<String> {
        let (old, new) = (old.to_string(), new.to_string());
        let files = [("v1.0.0/crds.yaml", old.as_str()), ("v1.1.0/crds.yaml", &new)];
        let run = Tree::of(&files).run(&["crd", "check", "v1.0.0", "v1.1.0", "--format", "json"]);
        let report: Value = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{}", run.all()));
        let rules = report["findings"].as_array().unwrap().iter().filter(|finding| finding["code"] == "crd-rule");
        rules.map(|finding| finding["message"].as_str().unwrap().to_owned()).collect()
    };
    let guarded = "!has(self.b) || self.b != self.a";
    let of_spec = |text: &str| vec![format!("v1 spec: {text}")];
    assert_eq!(
        classes(&with(old.clone(), &[]), &with(fields.clone(), &[guarded])),
        of_spec("the rule !has(self.b) || self.b != self.a is new, and accepts all that was accepted (additive)")
    );
    assert_eq!(
        classes(&with(fields.clone(), &[]), &with(fields.clone(), &[guarded])),
        of_spec("the rule !has(self.b) || self.b != self.a is new (tightened)"),
        "the field was there"
    );
    assert_eq!(
        classes(&with(old, &[]), &with(fields, &["has(self.b)"])),
        of_spec("the rule has(self.b) is new (tightened)")
    );
    // `v1beta1` keeps unknown fields unless it says otherwise.
    let mut unpruned = with(json!({"a": text()}), &[]);
    unpruned["apiVersion"] = "apiextensions.k8s.io/v1beta1".into();
    let new = with(json!({"a": text(), "b": text()}), &[guarded]);
    assert_eq!(classes(&unpruned, &new), of_spec("the rule !has(self.b) || self.b != self.a is new (tightened)"));
    let made = json!({"a": text(), "b": {"type": "string", "default": "x"}});
    assert_eq!(
        classes(&with(json!({"a": text()}), &[]), &with(made.clone(), &[guarded])),
        of_spec("the rule !has(self.b) || self.b != self.a is new (tightened)"),
        "a default makes the field"
    );
    let beside = |mut whole: Value, fields: &Value| {
        whole["spec"]["versions"][0]["storage"] = false.into();
        whole["spec"]["versions"].as_array_mut().unwrap().push(version("v2", fields));
        whole
    };
    let (old, new) = (json!({"a": text()}), json!({"a": text(), "b": text()}));
    for (stored, verdict) in [(&made, ""), (&new, ", and accepts all that was accepted")] {
        let class = if verdict.is_empty() { "tightened" } else { "additive" };
        assert_eq!(
            classes(&beside(with(old.clone(), &[]), &old), &beside(with(new.clone(), &[guarded]), stored)),
            of_spec(&format!("the rule !has(self.b) || self.b != self.a is new{verdict} ({class})")),
            "the stored version makes the field if it has a default"
        );
    }
}

/// Returns what `--pack` finds of the change from one CRD of Bikes to another, with these rules: `crd-unclaimed v1 spec.a`.
fn of_pack(old: &Value, new: &Value, rules: &[&str]) -> Vec<String> {
    let pack = "name: bikes\ntitle: Bikes\nsource: s\ngroups: [ride.example]\nreleases: [{ bundle: v1.0.0 }, { bundle: v1.1.0 }]\nparameters: [{ name: defaults, description: d, choices: [freeze, adopt], default: freeze }]\n";
    let (old, new) = (old.to_string(), new.to_string());
    let rule = |(number, rule): (usize, &&str)| {
        let text = format!("summary: s\nsource: s\nkind: Bike.ride.example\n{rule}\n");
        (format!("pack/v1.1.0/rule-{number}.yaml"), text)
    };
    let rules: Vec<(String, String)> = rules.iter().enumerate().map(rule).collect();
    let mut files = vec![("crds/v1.0.0/a.yaml", old.as_str()), ("crds/v1.1.0/a.yaml", &new), ("pack/pack.yaml", pack)];
    files.extend(rules.iter().map(|(name, text)| (name.as_str(), text.as_str())));
    let tree = Tree::of(&files);
    tree.run(&["pack", "build", "pack", "crds"]).check(0);
    let arguments = ["crd", "check", "crds/v1.0.0", "crds/v1.1.0", "--pack", "pack", "--format", "json"];
    let run = tree.run(&[&arguments[..], &["--policy", "guideline"]].concat());
    let report: Value = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{}", run.all()));
    let line = |finding: &Value| {
        let [code, field] = ["code", "field"].map(|key| finding[key].as_str().unwrap_or_default());
        ["crd-alike", "crd-one-way", "crd-unclaimed"].contains(&code).then(|| format!("{code} {field}"))
    };
    report["findings"].as_array().unwrap().iter().filter_map(line).collect()
}

#[test]
fn values_that_went_and_fields_that_are_required_need_a_rule_and_limits_need_none() {
    let with = |spec: Value| {
        let mut version = version("v1", &json!({}));
        super::merge(&mut version["schema"]["openAPIV3Schema"]["properties"]["spec"], &spec);
        crd(&json!({ "versions": [version] }))
    };
    let texts = |values: Value| json!({"type": "string", "enum": values});
    let fields = |kind: Value, most: u8| json!({"kind": kind, "owner": {"type": "string", "maxLength": most}});
    let old = with(json!({"properties": fields(texts(json!(["city", "race"])), 9)}));
    let new = with(json!({"properties": fields(texts(json!(["City", "race"])), 3), "required": ["owner"]}));
    assert_eq!(of_pack(&old, &new, &[]), ["crd-unclaimed v1 spec.kind", "crd-unclaimed v1 spec.owner"]);
    let rules = [
        "lens: [{ values: { field: spec.kind, table: { city: City } } }]",
        "lens: [{ default: { field: spec.owner, value: none, forward: write, backward: elide } }]",
    ];
    assert_eq!(of_pack(&old, &new, &rules), [""; 0]);
}

#[test]
fn a_changed_default_beside_other_operations_is_told_apart_by_nothing() {
    let with = |fields: Value| crd(&json!({"versions": [version("v1", &fields)]}));
    let list = || json!({"type": "array", "items": {"type": "string"}});
    let old = with(json!({"lights": list(), "gears": {"type": "integer", "default": 1}}));
    let new = with(json!({"lamps": list(), "gears": {"type": "integer", "default": 2}}));
    let lens = "lens: [{ rename: { field: spec.lights, to: lamps } }, { changed-default: { field: spec.gears, old: 1, new: 2, parameter: bikes.defaults } }]";
    assert_eq!(of_pack(&old, &new, &[lens]), ["crd-alike v1 spec.lights", "crd-alike v1 spec.gears"]);
}

#[test]
fn an_api_version_that_goes_is_claimed_to_the_one_that_stays() {
    let mut alpha = version("v1alpha1", &json!({"lights": {"type": "string"}}));
    alpha["storage"] = false.into();
    let stored = version("v1", &json!({"lamps": {"type": "string"}}));
    let (old, new) = (crd(&json!({"versions": [alpha, stored.clone()]})), crd(&json!({ "versions": [stored] })));
    assert_eq!(of_pack(&old, &new, &[]), ["crd-unclaimed v1alpha1 spec.lights"]);
    let rule =
        "apiVersions: [ride.example/v1alpha1, ride.example/v1]\nlens: [{ rename: { field: spec.lights, to: lamps } }]";
    assert_eq!(of_pack(&old, &new, &[rule]), [""; 0]);
}
