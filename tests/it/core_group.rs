//! Objects of the core group, and rules of several packs about one kind: small packs, run through the program.
//!
//! The pack `kubernetes` replaces that of the program: it owns the core group and `apps`, and describes the Secret and the
//! Deployment. The pack `shops` owns `example.com`; it has a trigger and a rule about Secrets.

use std::fs;

use crate::support::trees::{Run, Tree};

const CORE: &str = "\
name: kubernetes
title: Core
source: s
groups: ['', apps]
releases:
- { bundle: v1, channels: [single] }
- { bundle: v2, channels: [single] }
";

const SECRET: &str = "\
kind|Secret
scope|Namespaced|single v1..v2
served|v1|single v1..v2
path|type|required|attributes|apiVersions|releases
data|object||||single v1..v2
data{}|string||{\"format\":\"byte\"}||single v1..v2
type|string||||single v1..v2
";

const DEPLOYMENT: &str = "\
kind|Deployment.apps
scope|Namespaced|single v1..v2
served|v1|single v1..v2
path|type|required|attributes|apiVersions|releases
spec|object||||single v1..v2
spec.replicas|integer||||single v1..v2
";

const SHOPS: &str = "\
name: shops
title: Shops
source: s
groups: [example.com]
triggers: [example.com/shop]
releases:
- { bundle: v1, channels: [single] }
- { bundle: v2, channels: [single] }
";

const SHOP: &str = "\
kind|Shop.example.com
scope|Namespaced|single v1..v2
served|v1|single v1..v2
path|type|required|attributes|apiVersions|releases
spec|object||||single v1..v2
spec.name|string||||single v1..v2
";

const RULE: &str = "\
summary: the Secret of a shop has a type of its own
kind: Secret
channels: [single]
source: s
lens:
  - values: { field: type, table: { example.com/shop: example.com/shop-v2 } }
";

const OWN_RULE: &str = "\
summary: the Secret of a shop is one of shops
kind: Secret
channels: [single]
source: s
lens:
  - values: { field: type, table: { example.com/first: example.com/shop } }
";

/// Writes packs into `tree`: folder, `pack.yaml`, and other files with `|` for tabs in catalogs.
fn add(tree: &Tree, pack: &str, head: &str, files: &[(&str, &str)]) {
    for (name, text) in [("pack.yaml", head)].iter().chain(files) {
        let path = tree.path(pack).join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text = if name.ends_with(".tsv") { text.replace('|', "\t") } else { (*text).to_owned() };
        fs::write(path, text).unwrap();
    }
}

fn packs(tree: &Tree, core_rules: &[(&str, &str)]) {
    let catalogs = [("catalog/Secret.tsv", SECRET), ("catalog/Deployment.apps.tsv", DEPLOYMENT)];
    add(tree, "p/kubernetes", CORE, &[&catalogs[..], core_rules].concat());
    add(tree, "p/shops", SHOPS, &[("catalog/Shop.example.com.tsv", SHOP), ("v2/secret.yaml", RULE)]);
}

const PACKS: [&str; 6] = ["--pack", "p/kubernetes", "--pack", "p/shops", "--glob", "t/**"];

fn run(tree: &Tree, command: &[&str]) -> Run {
    tree.run(&[command, &PACKS[..]].concat())
}

fn secret(text: &str) -> String {
    format!("apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\ntype: {text}\n")
}

/// Converts a Secret, and returns what it becomes.
#[track_caller]
fn converted(before: &str, to: &[&str], core_rules: &[(&str, &str)]) -> String {
    let tree = Tree::of(&[("t/a.yaml", before)]);
    packs(&tree, core_rules);
    let to: Vec<&str> = to.iter().flat_map(|to| ["--to", to]).collect();
    let made = run(&tree, &[&["apply", "--yes", "--allow-no-vcs"][..], &to].concat());
    made.check(0);
    assert!(made.err.contains("1 object recognized"), "{}{}", made.out, made.err);
    tree.text("t/a.yaml")
}

#[test]
fn a_pack_that_owns_the_core_group_silences_no_rule_of_another() {
    let (before, after) = (secret("example.com/shop"), secret("example.com/shop-v2"));
    assert_eq!(converted(&before, &["shops@v2"], &[]), after);
    assert_eq!(converted(&before, &["shops@v2", "kubernetes@v2"], &[]), after);
    assert_eq!(converted(&before, &["kubernetes@v2", "shops@v2"], &[]), after);
}

/// The pack describes no Service, and the other one has a rule about it.
#[test]
fn a_rule_about_a_kind_that_the_owner_of_its_group_does_not_describe_runs() {
    for to in [&["--to", "shops@v2"][..], &["--to", "kubernetes@v2", "--to", "shops@v2"]] {
        let before = "apiVersion: v1\nkind: Service\nmetadata:\n  name: a\n  annotations:\n    old: example.com/shop\n";
        let tree = Tree::of(&[("t/a.yaml", before)]);
        packs(&tree, &[]);
        let rule =
            RULE.replace("kind: Secret", "kind: Service").replace("field: type", "field: metadata.annotations.old");
        fs::write(tree.path("p/shops/v2/service.yaml"), rule).unwrap();
        let made = run(&tree, &[&["apply", "--yes", "--allow-no-vcs"][..], to].concat());
        made.check(0);
        assert_eq!(tree.text("t/a.yaml"), before.replace("example.com/shop", "example.com/shop-v2"));
        assert!(made.err.contains("1 object recognized: 1 changed in 1 file"), "{}{}", made.out, made.err);
    }
}

#[test]
fn rules_of_several_packs_about_one_kind_run_one_after_the_other() {
    let (before, after) = (secret("example.com/first"), secret("example.com/shop-v2"));
    for to in [["shops@v2", "kubernetes@v2"], ["kubernetes@v2", "shops@v2"]] {
        assert_eq!(converted(&before, &to, &[("v2/first.yaml", OWN_RULE)]), after);
    }
}

/// Counts the files that a run parses, and those that it reads.
#[track_caller]
fn parsed(tree: &Tree, command: &[&str]) -> (u64, u64) {
    let made = run(tree, &[command, &["--format", "json"]].concat());
    let report: serde_json::Value = serde_json::from_str(&made.out).unwrap();
    (report["summary"]["parsedFiles"].as_u64().unwrap(), report["summary"]["files"].as_u64().unwrap())
}

#[test]
fn packs_without_a_target_cost_nothing() {
    let tree = Tree::of(&[
        ("t/secret.yaml", &secret("Other")),
        ("t/deployment.json", r#"{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}}"#),
        ("t/shop.yaml", "apiVersion: example.com/v1\nkind: Shop\nmetadata:\n  name: a\n"),
        ("t/notes.yaml", "text: about the apiVersion of apps and v1\n"),
    ]);
    packs(&tree, &[]);
    assert_eq!(parsed(&tree, &["check", "--to", "shops@v2"]), (1, 4));
    assert_eq!(parsed(&tree, &["check", "--to", "kubernetes@v2"]), (2, 4));
    assert_eq!(parsed(&tree, &["check", "--to", "kubernetes@v2", "--to", "shops@v2"]), (3, 4));
    assert_eq!(parsed(&tree, &["detect"]), (3, 4));
}

/// An object without the name of the group can refer to it by the default of a field.
#[test]
fn a_pack_whose_objects_refer_to_those_of_a_target_by_default_is_read() {
    let shop = "apiVersion: example.com/v1\nkind: Shop\nmetadata:\n  name: a\nspec:\n  ref:\n    kind: Deployment\n    name: a\n";
    let tree = Tree::of(&[("t/shop.yaml", shop)]);
    packs(&tree, &[]);
    assert_eq!(parsed(&tree, &["check", "--to", "kubernetes@v2"]), (0, 1));
    let fields = [
        "spec.ref|object||||single v1..v2",
        "spec.ref.group|string||{\"default\":\"apps\"}||single v1..v2",
        "spec.ref.kind|string||||single v1..v2",
        "spec.ref.name|string||||single v1..v2",
    ];
    add(&tree, "p/shops", SHOPS, &[("catalog/Shop.example.com.tsv", &format!("{SHOP}{}\n", fields.join("\n")))]);
    assert_eq!(parsed(&tree, &["check", "--to", "kubernetes@v2"]), (1, 1));
}

/// Of the kinds of the core group and of groups without a dot, a pack describes those that it has something to say about.
#[test]
fn kinds_of_kubernetes_that_a_pack_does_not_describe_are_no_noise() {
    let others = "apiVersion: v1\nkind: Service\nmetadata:\n  name: a\n---\napiVersion: apps/v1\nkind: StatefulSet\nmetadata:\n  name: a\n---\napiVersion: v1\nkind: Config\nclusters: []\n";
    let tree = Tree::of(&[
        ("t/others.yaml", others),
        ("t/secret.yaml", &secret("Other")),
        ("t/Chart.yaml", "apiVersion: v2\nname: apps/charts\n"),
        ("t/values.yaml", "kind: DaemonSet\nimage: example.com/apps/v1\n"),
    ]);
    packs(&tree, &[]);
    let check = run(&tree, &["check", "--to", "kubernetes@v2"]);
    check.check(0);
    assert!(check.out.is_empty(), "{}", check.out);
    assert!(check.err.contains("1 object recognized"), "{}", check.err);
    let detect = run(&tree, &["detect"]);
    detect.check(0);
    assert!(!detect.all().contains("unknown-kind") && !detect.all().contains("not-an-object"), "{}", detect.all());
    assert!(detect.err.contains("1 object recognized"), "{}", detect.err);
}

#[test]
fn a_misspelled_kind_of_kubernetes_is_reported() {
    let tree = Tree::of(&[("t/a.yaml", "apiVersion: apps/v1\nkind: Deploymnet\nmetadata:\n  name: a\n")]);
    packs(&tree, &[]);
    for command in [&["check", "--to", "kubernetes@v2"][..], &["detect"]] {
        let run = run(&tree, command);
        assert!(
            run.all().contains("unknown-kind") && run.all().contains("did you mean `Deployment`?"),
            "{}",
            run.all()
        );
    }
}

#[test]
fn a_kind_of_another_project_in_a_group_that_several_share_is_left() {
    let object = |group: &str, kind: &str| {
        format!("apiVersion: {group}.cluster.x-k8s.io/v1beta1\nkind: {kind}\nmetadata: {{name: a}}\nspec: {{}}\n")
    };
    let check = |text: &str, code: i32, told: &str| {
        let run = Tree::of(&[("a.yaml", text)]).run(&["check", "--allow-empty", "--to", "cluster-api@v1.11.0"]);
        run.check(code);
        assert_eq!(run.all().contains("unknown-kind"), code != 0, "{}", run.all());
        assert!(run.all().contains(told), "{}", run.all());
    };
    for (group, kind) in [
        ("controlplane", "AWSManagedControlPlane"),
        ("controlplane", "TalosControlPlane"),
        ("bootstrap", "NodeadmConfig"),
        ("bootstrap", "RKE2ConfigTemplate"),
        ("ipam", "InClusterIPPool"),
        ("addons", "HelmChartProxy"),
    ] {
        check(&object(group, kind), 0, "0 held back");
    }
    check(&object("controlplane", "KubeadmControlPlaen"), 1, "did you mean `KubeadmControlPlane`?");
    check(&object("runtime", "TalosConfig"), 1, "no release of Cluster API has the kind TalosConfig");
}

/// A field that another apiVersion of the kind requires is no sign of a patch.
#[test]
fn a_field_that_only_the_new_api_version_requires_holds_an_object_back() {
    let deployment = "\
kind|Deployment.apps
scope|Namespaced|single v1..v2
served|v1|single v1..v2
served|v1beta1|single v1
path|type|required|attributes|apiVersions|releases
spec|object||||single v1..v2
spec.selector|object|||v1beta1|single v1
spec.selector|object|required||v1|single v1
spec.selector|object|required|||single v2
";
    let before = "apiVersion: apps/v1beta1\nkind: Deployment\nmetadata:\n  name: a\nspec: {}\n";
    let tree = Tree::of(&[("t/a.yaml", before)]);
    packs(&tree, &[("catalog/Deployment.apps.tsv", deployment)]);
    let made = run(&tree, &["apply", "--yes", "--allow-no-vcs", "--to", "kubernetes@v2"]);
    assert_eq!(tree.text("t/a.yaml"), before);
    let message = "kubernetes@2 does not allow this: spec.selector is required but missing";
    assert!(made.all().contains("held-back[invalid-in-target]") && made.all().contains(message), "{}", made.all());
}

/// What a rule says about a quantity holds for each of its spellings.
#[test]
fn a_rule_knows_the_spellings_of_a_quantity() {
    let rule = "\
summary: half a core is now the default
kind: Deployment.apps
channels: [single]
source: s
lens:
  - default: { field: spec.cpu, value: 500m, forward: elide }
";
    let catalog = format!("{DEPLOYMENT}spec.cpu|quantity||||single v1..v2\n");
    let catalog = catalog.replace(
        "spec.replicas|integer||||single v1..v2\nspec.cpu|quantity||||single v1..v2\n",
        "spec.cpu|quantity||||single v1..v2\nspec.replicas|integer||||single v1..v2\n",
    );
    for (cpu, is_left) in [("0.5", false), ("'0.5'", false), ("500m", false), ("5k", true), ("'0.6'", true)] {
        let before = format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: a\nspec:\n  replicas: 1\n  cpu: {cpu}\n"
        );
        let tree = Tree::of(&[("t/a.yaml", &before)]);
        packs(&tree, &[("catalog/Deployment.apps.tsv", &catalog), ("v2/cpu.yaml", rule)]);
        let made = run(&tree, &["apply", "--yes", "--allow-no-vcs", "--to", "kubernetes@v2"]);
        made.check(0);
        let after = if is_left { before.clone() } else { before.replace(&format!("  cpu: {cpu}\n"), "") };
        assert_eq!(tree.text("t/a.yaml"), after, "{cpu}: {}", made.all());
    }
}

/// What a role permits for a kind that is gone is left over, whatever names its group.
#[test]
fn roles_for_kinds_that_the_target_no_longer_has_are_reported() {
    let role = |groups: &str, resources: &str| {
        format!(
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {{name: a}}\nrules:\n- apiGroups: [{groups}]\n  resources: [{resources}]\n  verbs: [use]\n"
        )
    };
    let message = |groups: &str, resources: &str, to: &str| {
        let tree = Tree::of(&[("a.yaml", &role(groups, resources))]);
        let run = tree.run(&["check", "--to", to]);
        let is_about = |line: &&str| line.contains("reference-not-updated");
        run.out.lines().find(is_about).map(|line| line.split("ClusterRole a: ").nth(1).unwrap().to_owned())
    };
    let gone =
        |names: &str| Some(format!("rules[0] names {names}, which kubernetes@1.25.0 does not have; it is not updated"));
    assert_eq!(message("policy", "podsecuritypolicies", "kubernetes@1.25.0"), gone("podsecuritypolicies.policy"));
    let both = gone("podsecuritypolicies.extensions, podsecuritypolicies.policy");
    assert_eq!(message("extensions, policy", "podsecuritypolicies", "kubernetes@1.25.0"), both);
    assert_eq!(message("policy", "podsecuritypolicies", "kubernetes@1.24.0"), None);
    assert_eq!(message("policy", "poddisruptionbudgets", "kubernetes@1.25.0"), None);
    // Everything in a group is not that kind, but where the target has none of the group.
    assert_eq!(message("policy", "'*'", "kubernetes@1.25.0"), None);
    let settings = "rules[0] names *.settings.k8s.io, which kubernetes@1.25.0 does not have; it is not updated";
    assert_eq!(message("settings.k8s.io", "'*'", "kubernetes@1.25.0").as_deref(), Some(settings));
    assert_eq!(message("example.com", "podsecuritypolicies", "kubernetes@1.25.0"), None);
}

/// A webhook that names all resources of a version matches none of what has another version then.
#[test]
fn webhooks_for_all_resources_of_a_version_that_is_gone_are_reported() {
    let lines = |group: &str, version: &str| {
        let rule =
            format!("{{apiGroups: [{group}], apiVersions: [{version}], resources: ['*'], operations: [CREATE]}}");
        let text = format!(
            "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {{name: a}}\nwebhooks:\n- {{name: a.example.com, sideEffects: None, admissionReviewVersions: [v1], clientConfig: {{url: https://a.example.com}}, rules: [{rule}]}}\n"
        );
        let run = Tree::of(&[("a.yaml", &text)]).run(&["check", "--to", "kubernetes@1.33"]);
        run.out.lines().filter(|line| line.contains("reference-not-updated")).map(str::to_owned).collect::<Vec<_>>()
    };
    let gone = lines("batch", "v1beta1");
    assert!(gone.len() == 1 && gone[0].contains("matches cronjobs.batch in v1beta1"), "{gone:?}");
    assert_eq!(lines("batch", "v1"), [""; 0]);
    assert_eq!(lines("batch", "'*'"), [""; 0]);
    assert_eq!(lines("'*'", "v1"), [""; 0]);
}
