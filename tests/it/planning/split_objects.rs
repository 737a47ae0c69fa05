//! One object that becomes two, and two that become one, among the other files of a run.

use std::collections::BTreeSet;

use reversion::internals::finding::{Code, Severity};
use reversion::internals::plan::{AllowedLoss, Choices, Keeping};

use super::{Outcome, run, run_with};

const TARGET: &str = "karpenter@0.32.2";

/// A Provisioner with a provider, which becomes a NodePool and an EC2NodeClass.
const PROVISIONER: &str = "apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata:
  name: default
spec:
  requirements: &all
  - {key: karpenter.sh/capacity-type, operator: In, values: [spot]}
  - {key: kubernetes.io/os, operator: In, values: [linux]}
  - {key: kubernetes.io/arch, operator: In, values: [arm64]}
  - {key: node.kubernetes.io/instance-type, operator: In, values: [c6g.large]}
  provider:
    subnetSelector: {a: b}
    securityGroupSelector: {a: b}
    instanceProfile: nodes
";

/// The EC2NodeClass that it becomes, among others.
const CLASS: &str = "---
apiVersion: karpenter.k8s.aws/v1beta1
kind: EC2NodeClass
metadata:
  name: default
spec:
  subnetSelectorTerms:
  - tags: {a: b}
  securityGroupSelectorTerms:
  - tags: {a: b}
  instanceProfile: nodes
  amiFamily: AL2
";

const OBJECTIVE: &str = "apiVersion: inference.networking.x-k8s.io/v1alpha2
kind: InferenceObjective
metadata:
  name: review
spec:
  priority: 2
  poolRef:
    group: inference.networking.k8s.io
    name: llama
";

const REWRITE: &str = "apiVersion: inference.networking.x-k8s.io/v1alpha2
kind: InferenceModelRewrite
metadata:
  name: review
spec:
  poolRef:
    group: inference.networking.k8s.io
    name: llama
  rules:
  - matches:
    - model:
        value: review
    targets:
    - modelRewrite: review-1
";

/// The InferenceModel that the two become.
const MODEL: &str = "apiVersion: inference.networking.x-k8s.io/v1alpha2
kind: InferenceModel
metadata:
  name: review
spec:
  criticality: Critical
  poolRef:
    group: inference.networking.x-k8s.io
    name: llama
  modelName: review
  targetModels:
  - name: review-1
";

fn back(files: &[(&str, &str)]) -> Outcome {
    run(files, "gateway-api-inference-extension@0.5.0")
}

/// Checks that nothing changes, and what is reported of it.
#[track_caller]
fn check_held(outcome: &Outcome, expected: &[&str], message: &str) {
    assert_eq!(outcome.after.keys().collect::<Vec<_>>(), Vec::<&String>::new());
    outcome.check_findings(Severity::Held, expected);
    outcome.check_message(message);
}

#[test]
fn a_part_becomes_a_document_behind_its_source() {
    let provisioner = PROVISIONER.replace(" &all", "");
    let found = run(&[("a.yaml", &provisioner)], TARGET);
    found.check_findings(Severity::Warning, &[]);
    let after = &found.after["a.yaml"];
    assert!(after.ends_with(CLASS), "{after}");
    assert!(after.contains("      nodeClassRef:\n        name: default\n"), "{after}");
    found.check_message("a part of it becomes the EC2NodeClass default, an object of its own behind it");
    // Line ends, and the one that is missing at the end, are those of the file.
    let other = provisioner.replace('\n', "\r\n");
    let found = run(&[("a.yaml", other.trim_end())], TARGET);
    assert_eq!(found.after["a.yaml"], after.trim_end().replace('\n', "\r\n"));
}

#[test]
fn several_documents_of_one_file_are_split() {
    let one = PROVISIONER.replace(" &all", "");
    let two = one.replace("name: default", "name: other");
    let found = run(&[("a.yaml", &format!("{one}---\n# The second.\n{two}---\n{{}}\n"))], TARGET);
    found.check_findings(Severity::Warning, &[]);
    let after = &found.after["a.yaml"];
    let kinds: Vec<&str> = after.lines().filter_map(|line| line.strip_prefix("kind: ")).collect();
    assert_eq!(kinds, ["NodePool", "EC2NodeClass", "NodePool", "EC2NodeClass"]);
    assert!(after.contains("---\n# The second.\n") && after.ends_with("---\n{}\n"), "{after}");
}

#[test]
fn an_anchor_that_only_one_of_both_would_have_stays() {
    // The anchor is used by what leaves the object.
    let shared = PROVISIONER
        .replace("{a: b}\n    sec", "&s {a: b}\n    sec")
        .replace("Selector: {a: b}\n    inst", "Selector: *s\n    inst");
    let found = run(&[("a.yaml", &shared.replace(" &all", ""))], TARGET);
    found.check_findings(Severity::Warning, &[]);
    assert!(found.after["a.yaml"].contains("- tags: &s {a: b}\n  securityGroupSelectorTerms:\n  - tags: *s\n"));
    // And here by both.
    let shared = PROVISIONER.replace(" &all", "").replace("spec:\n", "  labels: &s {a: b}\nspec:\n");
    let shared = shared.replace("subnetSelector: {a: b}", "subnetSelector: *s");
    let found = run(&[("a.yaml", &shared)], TARGET);
    assert!(found.after.is_empty() || found.after["a.yaml"].matches("&s {a: b}").count() == 2, "{:?}", found.after);
}

#[test]
fn what_is_patched_stays_one() {
    let base = PROVISIONER.replace(" &all", "");
    let patch =
        "apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata:\n  name: default\nspec:\n  weight: 3\n";
    let files = [
        ("p.yaml", base.as_str()),
        ("x.yaml", patch),
        ("kustomization.yaml", "resources: [p.yaml]\npatches: [{path: x.yaml}]\n"),
    ];
    let found = run(&files, TARGET);
    assert!(found.after.is_empty(), "{:?}", found.after);
    found.check_message(
        "a part of it becomes an object of its own, of kind AWSNodeTemplate; a kustomization patches it",
    );
    let inline = "resources: [p.yaml]\npatches:\n- target: {kind: Provisioner}\n  patch: |\n    - {op: add, path: /spec/weight, value: 3}\n";
    let found = run(&[("p.yaml", &base), ("kustomization.yaml", inline)], TARGET);
    assert!(found.after.is_empty(), "{:?}", found.after);
    let held: BTreeSet<&str> =
        found.reported.iter().filter(|line| line.starts_with("p.yaml held")).map(String::as_str).collect();
    assert_eq!(held, BTreeSet::from(["p.yaml held-back not-convertible -"]));
    // Nothing that is built is patched here.
    let found = run(&[("p.yaml", &base), ("kustomization.yaml", "resources: [p.yaml]\nnamespace: a\n")], TARGET);
    found.check_findings(Severity::Held, &[]);
    assert!(found.after["p.yaml"].contains("kind: EC2NodeClass"));
}

#[test]
fn a_prefix_would_not_reach_the_reference() {
    let base = PROVISIONER.replace(" &all", "");
    let found = run(&[("p.yaml", &base), ("kustomization.yaml", "resources: [p.yaml]\nnamePrefix: a-\n")], TARGET);
    check_held(&found, &["p.yaml held-back converts-together -"], "to which a kustomization adds a prefix or suffix");
}

#[test]
fn a_name_that_is_taken_holds_back() {
    let base = PROVISIONER.replace(" &all", "");
    let expected = ["a/p.yaml held-back name-conflict metadata.name"];
    let message = "a part of it would become the EC2NodeClass default, which there is already at a/c.yaml:2:1";
    check_held(&run(&[("a/p.yaml", &base), ("a/c.yaml", CLASS)], TARGET), &expected, message);
    // Another folder can be of another cluster, but not where one build takes in both.
    let found = run(&[("a/p.yaml", &base), ("b/c.yaml", CLASS)], TARGET);
    found.check_findings(Severity::Held, &[]);
    let kustomization = ("kustomization.yaml", "resources: [a/p.yaml, b/c.yaml]\n");
    let found = run(&[("a/p.yaml", &base), ("b/c.yaml", CLASS), kustomization], TARGET);
    check_held(&found, &expected, "which there is already at b/c.yaml:2:1");
    // An AWSNodeTemplate of the name becomes such an EC2NodeClass.
    let template = CLASS.replace("v1beta1", "v1alpha1").replace("EC2NodeClass", "AWSNodeTemplate");
    let template = template.replace("Terms:\n  - tags: ", ": ");
    let found = run(&[("a/p.yaml", &base), ("a/t.yaml", &template)], TARGET);
    found.check_findings(Severity::Held, &expected);
}

#[test]
fn what_has_no_document_or_list_of_objects_around_it_stays() {
    let item = "{\"apiVersion\":\"karpenter.sh/v1alpha5\",\"kind\":\"Provisioner\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"provider\":{\"instanceProfile\":\"p\",\"subnetSelector\":{\"a\":\"b\"},\"securityGroupSelector\":{\"a\":\"b\"}}}}";
    let found = run(&[("a.json", item)], TARGET);
    check_held(&found, &["a.json held-back not-editable -"], "it is a document in brackets");
    let list = format!("{{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{item}]}}");
    let after = &run(&[("a.json", &list)], TARGET).after["a.json"];
    assert!(after.contains("}},{\"apiVersion\":\"karpenter.k8s.aws/v1beta1\",\"kind\":\"EC2NodeClass\""), "{after}");
    let typed = list.replace("\"v1\",\"kind\":\"List\"", "\"karpenter.sh/v1alpha5\",\"kind\":\"ProvisionerList\"");
    let found = run(&[("a.json", &typed)], TARGET);
    assert!(found.after.is_empty(), "{:?}", found.after);
    found.check_message("the list that it stands in is one of one kind");
    let found = run(&[("a.yaml", &format!("{}...\n", PROVISIONER.replace(" &all", "")))], TARGET);
    check_held(&found, &["a.yaml held-back not-editable -"], "the end of its document is marked with `...`");
}

#[test]
fn a_comment_goes_where_its_field_goes() {
    let with = PROVISIONER
        .replace(" &all", "")
        .replace("instanceProfile: nodes", "# Of the nodes.\n    instanceProfile: nodes # see IAM");
    let found = run(&[("a.yaml", &with)], TARGET);
    found.check_findings(Severity::Warning, &[]);
    assert!(found.after["a.yaml"].contains("  # Of the nodes.\n  instanceProfile: nodes # see IAM\n"));
    // As an item it is written anew.
    let item = format!("apiVersion: v1\nkind: List\nitems:\n- {}", with.trim_end().replace('\n', "\n  "));
    let found = run(&[("a.yaml", &item)], TARGET);
    found.check_findings(Severity::Warning, &["a.yaml warning comment-dropped -"]);
    assert!(found.after["a.yaml"].contains("    instanceProfile: nodes\n"));
}

#[test]
fn references_of_the_new_object_follow_too() {
    let allowed = AllowedLoss::Codes(BTreeSet::from([Code::DroppedField]));
    let choices = Choices { allowed, ..Choices::default() };
    let model = MODEL.replace("    group: inference.networking.x-k8s.io\n", "");
    let found = run_with(&[("a.yaml", &model)], "gateway-api-inference-extension@1.3.0", choices);
    let after = &found.after["a.yaml"];
    assert_eq!(after.matches("    group: inference.networking.k8s.io\n").count(), 2, "{after}");
}

#[test]
fn two_objects_of_one_file_become_one() {
    for text in [format!("{OBJECTIVE}---\n{REWRITE}"), format!("{REWRITE}---\n{OBJECTIVE}")] {
        let found = back(&[("a.yaml", &text)]);
        found.check_findings(Severity::Warning, &[]);
        found.check_message("it becomes a part of InferenceObjective review, and is removed");
        assert_eq!(found.after["a.yaml"].trim_start_matches("---\n"), MODEL);
    }
    let between = "---\n# Between.\n{}\n";
    let found = back(&[("a.yaml", &format!("{OBJECTIVE}{between}---\n# Its comment.\n{REWRITE}{between}"))]);
    found.check_findings(Severity::Warning, &["a.yaml warning comment-dropped -"]);
    assert_eq!(found.after["a.yaml"], format!("{MODEL}{between}{between}"));
}

#[test]
fn two_items_of_one_list_become_one() {
    let item = |text: &str| format!("- {}\n", text.trim_end().replace('\n', "\n  "));
    let list = |items: &[&str]| {
        format!("apiVersion: v1\nkind: List\nitems:\n{}", items.iter().map(|text| item(text)).collect::<String>())
    };
    let other = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: other\n";
    let found = back(&[("a.yaml", &list(&[REWRITE, other, OBJECTIVE]))]);
    found.check_findings(Severity::Warning, &[]);
    assert_eq!(found.after["a.yaml"], list(&[other, MODEL]));
}

#[test]
fn an_object_in_another_file_is_not_taken_in() {
    let found = back(&[("a.yaml", OBJECTIVE), ("b.yaml", REWRITE)]);
    let expected = ["a.yaml held-back not-convertible metadata.name", "b.yaml held-back kind-not-in-target kind"];
    check_held(
        &found,
        &expected,
        "InferenceModelRewrite review (b.yaml:1) belongs to the object and would become a part of it",
    );
    // One of another namespace has nothing to do with it.
    let elsewhere = REWRITE.replace("metadata:\n", "metadata:\n  namespace: b\n");
    let own = OBJECTIVE.replace("metadata:\n", "metadata:\n  namespace: a\n");
    let found = back(&[("a.yaml", &format!("{own}---\n{elsewhere}"))]);
    let expected = ["a.yaml held-back invalid-in-target spec.modelName", "a.yaml held-back kind-not-in-target kind"];
    check_held(&found, &expected, "spec.modelName is required but missing");
}

#[test]
fn both_stay_where_one_of_them_does() {
    let text = format!("{OBJECTIVE}---\n{REWRITE}");
    let patched = "resources: [a.yaml]\npatches:\n- target: {kind: InferenceModelRewrite}\n  patch: |\n    - {op: add, path: /metadata/labels, value: {a: b}}\n";
    let found = back(&[("a.yaml", &text), ("kustomization.yaml", patched)]);
    assert!(found.after.is_empty(), "{:?}", found.after);
    found.check_message("another object becomes a part of it; a kustomization patches it");
    found.check_message("it can only be converted together with InferenceObjective review, which is held back");
    // A comment that keeps one of them.
    let kept = text.replace("kind: InferenceObjective", "kind: InferenceObjective # reversion: ignore changes-needed");
    let found = back(&[("a.yaml", &kept)]);
    assert!(found.after.is_empty(), "{:?}", found.after);
    found.check_message("does not have the kind InferenceModelRewrite");
    // Two that both would take it in.
    let found = back(&[("a.yaml", &format!("{text}---\n{OBJECTIVE}"))]);
    assert!(found.after.is_empty(), "{:?}", found.after);
    found.check_message("two objects have its name");
}

#[test]
fn what_the_second_object_says_besides_holds_both_back() {
    let others = [
        ("metadata:\n", "metadata:\n  annotations: {a: b}\n", "metadata.annotations has no place there"),
        ("metadata:\n", "metadata:\n  labels: {a: b}\n", "metadata.labels differs"),
        ("name: llama", "name: other", "spec.poolRef differs"),
        ("        value: review\n", "        value: review\n    - model:\n        value: b\n", "would be lost"),
        ("    targets:\n    - modelRewrite: review-1\n", "", "it has no spec.targetModels"),
    ];
    for (old, new, why) in others {
        let found = back(&[("a.yaml", &format!("{OBJECTIVE}---\n{}", REWRITE.replace(old, new)))]);
        let expected = ["a.yaml held-back kind-not-in-target kind", "a.yaml held-back not-convertible metadata.name"];
        assert!(found.after.is_empty(), "{why}: {:?}", found.after);
        let held = found.reported.iter().filter(|line| line.contains(" held-back "));
        assert_eq!(held.map(String::as_str).collect::<BTreeSet<_>>(), BTreeSet::from(expected));
        found.check_message(why);
    }
    // The same labels are no difference, and what is the default is nothing besides.
    let [objective, rewrite] =
        [OBJECTIVE, REWRITE].map(|text| text.replace("metadata:\n", "metadata:\n  labels: {a: b}\n"));
    let rewrite = rewrite.replace("value: review\n", "value: review\n        type: Exact\n");
    let found = back(&[("a.yaml", &format!("{objective}---\n{rewrite}"))]);
    found.check_findings(Severity::Warning, &[]);
    assert_eq!(found.after["a.yaml"], MODEL.replace("metadata:\n", "metadata:\n  labels: {a: b}\n"));
}

#[test]
fn what_is_kept_for_the_way_back_and_comes_back_with_the_second_object_is_there_once() {
    let choices = || Choices { keeping: Keeping::Stash, ..Choices::default() };
    let forward = run_with(&[("a.yaml", MODEL)], "gateway-api-inference-extension@1.3.0", choices());
    forward.check_findings(Severity::Warning, &["a.yaml warning dropped-field spec.modelName"]);
    let text = &forward.after["a.yaml"];
    assert!(text.contains("reversion.dev/stash") && text.contains("kind: InferenceModelRewrite"), "{text}");
    let found = run_with(&[("a.yaml", text)], "gateway-api-inference-extension@0.5.0", choices());
    found.check_findings(Severity::Warning, &[]);
    assert_eq!(found.after["a.yaml"], MODEL);
}

#[test]
fn a_byte_order_mark_stays_at_the_start() {
    let found = run(&[("a.yaml", &format!("\u{feff}{}", PROVISIONER.replace(" &all", "")))], TARGET);
    let after = &found.after["a.yaml"];
    assert!(after.starts_with("\u{feff}apiVersion") && after.ends_with(CLASS), "{after}");
}

#[test]
fn what_a_kustomization_applies_to_the_kind_of_a_part_would_reach_it() {
    let provisioner = PROVISIONER.replace(" &all", "");
    let template = "apiVersion: karpenter.k8s.aws/v1alpha1\nkind: AWSNodeTemplate\nmetadata:\n  name: other\nspec:\n  subnetSelector: {a: b}\n  securityGroupSelector: {a: b}\n  instanceProfile: nodes\n";
    let check = |patches: &str, is_held: bool| {
        let kustomization = format!("resources: [a.yaml, b.yaml]\n{patches}");
        let files = [("a.yaml", &*provisioner), ("b.yaml", template), ("kustomization.yaml", &kustomization)];
        let found = run(&files, TARGET);
        let message = "would be applied to that as well";
        assert_eq!(found.messages.contains(message), is_held, "{patches}: {}", found.messages);
        assert_eq!(found.after.contains_key("a.yaml"), !is_held, "{patches}");
    };
    let by = |target: &str| {
        let patch = "[{op: add, path: /spec/tags, value: {team: a}}]";
        format!("patches:\n- target: {target}\n  patch: '{patch}'\n")
    };
    check(&by("{kind: AWSNodeTemplate}"), true);
    check(&by("{group: karpenter.k8s.aws}"), true);
    check(&by("{kind: EC2NodeClass, name: default}"), true);
    check(&by("{kind: EC2NodeClass, name: '[a-z]*'}"), true);
    check(&by("{kind: AWSNodeTemplate, name: other}"), false);
    check("", false);
    let own = |name: &str| {
        let patch = format!(
            "    apiVersion: karpenter.k8s.aws/v1beta1\n    kind: EC2NodeClass\n    metadata:\n      name: {name}\n    spec:\n      tags: {{team: a}}\n"
        );
        format!("patches:\n- patch: |\n{patch}")
    };
    check(&own("default"), true);
    check(&own("other"), false);
}

#[test]
fn parts_of_two_objects_of_one_name_hold_both_back_where_they_meet_and_differ() {
    let one = PROVISIONER.replace(" &all", "");
    let other = one.replace("instanceProfile: nodes", "instanceProfile: others");
    let check = |files: &[(&str, &str)], held: &[&str]| {
        let found = run(files, TARGET);
        let held: Vec<String> =
            held.iter().map(|file| format!("{file} held-back name-conflict metadata.name")).collect();
        found.check_findings(Severity::Held, &held.iter().map(String::as_str).collect::<Vec<_>>());
        let changed = files.iter().filter(|(_, text)| text.contains("Provisioner")).count() - held.len();
        assert_eq!(found.after.len(), changed, "{:?}", found.after);
        found
    };
    let found = check(&[("p/a.yaml", &one), ("p/b.yaml", &other)], &["p/a.yaml", "p/b.yaml"]);
    found.check_message(
        "a part of it would become the EC2NodeClass default, and a part of Provisioner default at p/a.yaml:1:1 another one of that name",
    );
    found.check_message("where they are for two clusters, write them into two folders");
    // Those that become the same, of two names, and of two clusters.
    let lighter = one.replace("spec:\n", "spec:\n  weight: 3\n");
    check(&[("p/a.yaml", &one), ("p/b.yaml", &lighter)], &[]);
    check(&[("p/a.yaml", &one), ("p/b.yaml", &other.replace("name: default", "name: other"))], &[]);
    check(&[("a/p.yaml", &one), ("b/p.yaml", &other)], &[]);
    // One that makes nothing does not count.
    let without = one.replace("    instanceProfile: nodes\n", "    launchTemplate: t\n");
    let found = run(&[("p/a.yaml", &one), ("p/b.yaml", &without)], TARGET);
    assert!(found.after.contains_key("p/a.yaml") && !found.messages.contains("another one of that name"));
    // A kustomization takes in both, or each of two takes in one.
    let both = ("k/kustomization.yaml", "resources: [../a/p.yaml, ../b/p.yaml]\n");
    check(&[("a/p.yaml", &one), ("b/p.yaml", &other), both], &["a/p.yaml", "b/p.yaml"]);
    let files = [
        ("p/a.yaml", &*one),
        ("p/b.yaml", &*other),
        ("x/kustomization.yaml", "resources: [../p/a.yaml]\n"),
        ("y/kustomization.yaml", "resources: [../p/b.yaml]\n"),
    ];
    check(&files, &[]);
    check(&files[..3], &["p/a.yaml", "p/b.yaml"]);
}

#[test]
fn parts_of_two_objects_meet_in_one_namespace_and_under_one_built_name() {
    let other = MODEL.replace("review-1", "review-2");
    let check = |files: &[(&str, &str)], is_held: bool| {
        let allowed = AllowedLoss::Codes(BTreeSet::from([Code::DroppedField]));
        let choices = Choices { allowed, ..Choices::default() };
        let found = run_with(files, "gateway-api-inference-extension@1.3.0", choices);
        assert_eq!(
            found.messages.contains("InferenceModelRewrite review, and a part of"),
            is_held,
            "{}",
            found.messages
        );
        assert_eq!(found.after.is_empty(), is_held, "{:?}", found.after);
    };
    check(&[("a.yaml", MODEL), ("b.yaml", &other)], true);
    let [one, two] = [(MODEL, "blue"), (&*other, "green")]
        .map(|(text, name)| text.replace("metadata:\n", &format!("metadata:\n  namespace: {name}\n")));
    check(&[("a.yaml", &one), ("b.yaml", &two)], false);
    let bases = |own: [&str; 2], all: &str| {
        let [a, b] = own.map(|own| format!("resources: [m.yaml]\n{own}"));
        let all = format!("resources: [a, b]\n{all}");
        let files = [
            ("a/kustomization.yaml", &*a),
            ("a/m.yaml", MODEL),
            ("b/kustomization.yaml", &*b),
            ("b/m.yaml", &*other),
            ("kustomization.yaml", &*all),
        ];
        (files.map(|(file, text)| (file, text.to_owned()))).to_vec()
    };
    for (own, all, is_held) in [
        (["", ""], "", true),
        (["namespace: blue\n", "namespace: green\n"], "", false),
        (["namespace: blue\n", "namespace: green\n"], "namespace: red\n", true),
        (["namePrefix: a-\n", "namePrefix: b-\n"], "", false),
    ] {
        let files = bases(own, all);
        let files: Vec<(&str, &str)> = files.iter().map(|(file, text)| (*file, &**text)).collect();
        check(&files, is_held);
    }
}

#[test]
fn what_the_stash_holds_is_not_split_off() {
    // Kept for a release without such an object, or by a release of the program that did not make one.
    let choices = || Choices { keeping: Keeping::Stash, ..Choices::default() };
    let kept = run_with(&[("a.yaml", MODEL)], "gateway-api-inference-extension@1.0.0", choices());
    let text = &kept.after["a.yaml"];
    assert!(text.contains("\"key\":\"targetModels\""), "{text}");
    for choices in [choices(), Choices::default()] {
        let found = run_with(&[("a.yaml", text)], "gateway-api-inference-extension@1.3.0", choices);
        let field = "metadata.annotations[\"reversion.dev/stash\"]";
        check_held(
            &found,
            &[&format!("a.yaml held-back not-convertible {field}")],
            "the stash holds spec.targetModels, which would become an object of its own, of kind InferenceModelRewrite",
        );
        found.check_message("convert to gateway-api-inference-extension@0.5.0, then to the target");
    }
    // That is a way, and where there is no such object, nothing comes of it.
    let back = run(&[("a.yaml", text)], "gateway-api-inference-extension@0.5.0");
    assert_eq!(back.after["a.yaml"], MODEL);
    let same = run_with(&[("a.yaml", text)], "gateway-api-inference-extension@1.1.0", choices());
    same.check_findings(Severity::Warning, &[]);
    assert!(same.after.is_empty(), "{:?}", same.after);
}

/// The kubelet of a NodePool is in its EC2NodeClass from v1 on: it does not leave the NodePool where the class stays as it is.
#[test]
fn a_kubelet_stays_where_its_class_is_held_back() {
    let pool = "apiVersion: karpenter.sh/v1beta1\nkind: NodePool\nmetadata: {name: a}\nspec:\n  template:\n    spec:\n      kubelet: {maxPods: 10}\n      nodeClassRef: {name: b}\n      requirements: []\n";
    let class = |family: &str| {
        format!(
            "apiVersion: karpenter.k8s.aws/v1beta1\nkind: EC2NodeClass\nmetadata: {{name: b}}\nspec:\n  amiFamily: {family}\n  role: r\n  kubelet: {{maxPods: 10}}\n  subnetSelectorTerms: [{{tags: {{a: b}}}}]\n  securityGroupSelectorTerms: [{{tags: {{a: b}}}}]\n"
        )
    };
    // Custom has no AMIs by itself.
    let outcome = run(&[("a.yaml", pool), ("b.yaml", &class("Custom"))], "karpenter@1.0.0");
    assert!(outcome.after.is_empty(), "{:?}", outcome.after);
    assert!(outcome.reported.contains(&"a.yaml held-back converts-together -".to_owned()), "{:?}", outcome.reported);
}
