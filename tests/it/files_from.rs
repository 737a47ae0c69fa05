//! `--files-from`: the whole tree is read, and only the listed files are reported and written, as in a run on the whole tree. A
//! change that needs one in a file that is not listed is reported by `check` and `diff`, and held back by `apply` and `plan`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::crds::{DEPRECATED, STORED, crd};
use crate::support::trees::{Run, Tree};
use crate::support::{copy, root};

const ROUTE: &str = "apiVersion: gateway.networking.k8s.io/v1beta1\nkind: HTTPRoute\nmetadata: {name: shop}\nspec: {hostnames: [a.example.com]}\n";

/// An object whose kind changes, and a route that names it.
const SET: &str = "apiVersion: gateway.networking.x-k8s.io/v1alpha1\nkind: XListenerSet\nmetadata: {name: extra}\nspec:\n  parentRef: {name: edge}\n  listeners: [{name: web, port: 80, protocol: HTTP}]\n";
const NAMING: &str = "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: naming}\nspec:\n  parentRefs: [{group: gateway.networking.x-k8s.io, kind: XListenerSet, name: extra}]\n";

const BROKEN: &str = "apiVersion: gateway.networking.k8s.io/v1beta1\nkind: HTTPRoute\nmetadata: {name: cart\n";

const TO: [&str; 2] = ["--to", "gateway-api@1.6/standard"];

/// Runs a command on what `list` lists.
fn run(tree: &Tree, list: &str, arguments: &[&str]) -> Run {
    fs::write(tree.path("list"), list).unwrap();
    tree.run(&[arguments, &["--files-from", "list"], &TO].concat())
}

fn apply(tree: &Tree, list: &str) -> Run {
    run(tree, list, &["apply", "--yes", "--allow-no-vcs"])
}

fn two_routes() -> Tree {
    Tree::of(&[("a.yaml", ROUTE), ("sub/b.yaml", &ROUTE.replace("shop", "other"))])
}

fn is_converted(tree: &Tree, file: &str) -> bool {
    !tree.text(file).contains("beta1") && !tree.text(file).contains("alpha1")
}

/// A base with a patch; both change.
fn patched() -> Tree {
    Tree::of(&[
        ("base/kustomization.yaml", "resources: [route.yaml]\n"),
        ("base/route.yaml", ROUTE),
        ("live/kustomization.yaml", "resources: [../base]\npatches: [{path: patch.yaml}]\n"),
        ("live/patch.yaml", &ROUTE.replace("a.example", "b.example")),
    ])
}

/// What is accepted is not made, and needs no other file.
#[test]
fn what_a_list_lacks_is_not_said_of_what_is_accepted() {
    let budget = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: web}\nspec: {selector: {matchLabels: {app: web}}}\n";
    let kustomization = "resources: [budget.yaml]\npatches:\n- patch: |-\n    apiVersion: policy/v1beta1\n    kind: PodDisruptionBudget\n    metadata: {name: web, labels: {a: b}}\n- target: {version: v1beta1, kind: PodDisruptionBudget}\n  patch: |-\n    - {op: add, path: /metadata/labels/c, value: d}\n";
    let tree = Tree::of(&[("budget.yaml", budget), ("kustomization.yaml", kustomization)]);
    fs::write(tree.path("list"), "kustomization.yaml\n").unwrap();
    let to = ["check", "--to", "kubernetes@1.25"];
    let listed = |arguments: &[&str]| tree.run(&[&to[..], &["--files-from", "list"], arguments].concat());
    let check = listed(&[]);
    check.check(1);
    assert_eq!(check.out.matches("converts-together").count(), 1, "{}", check.out);
    assert!(check.out.contains("convert budget.yaml in the same change"), "{}", check.out);
    tree.run(&[&to[..], &["--write-baseline", "accepted.json"]].concat());
    let accepted = listed(&["--baseline", "accepted.json"]);
    accepted.check(0);
    assert_eq!(accepted.out, "");
}

/// A target that a pull request raises concerns the files that it does not touch.
#[test]
fn a_check_reports_all_files_where_the_settings_are_listed() {
    let tree = Tree::of(&[("a.yaml", ROUTE), ("reversion.toml", "exclude = []\n")]);
    let check = run(&tree, "reversion.toml\n", &["check"]);
    check.check(1);
    assert!(check.out.starts_with("a.yaml:1:1: "), "{}", check.out);
    assert!(check.err.starts_with("note: reversion.toml is listed and concerns every file"), "{}", check.err);
    // A file of settings that is not read concerns none.
    let isolated = run(&tree, "reversion.toml\n", &["check", "--isolated"]);
    isolated.check(0);
    assert!(isolated.out.is_empty() && !isolated.err.contains("concerns"), "{}", isolated.all());
    // It can be gone, too.
    fs::remove_file(tree.path("reversion.toml")).unwrap();
    run(&tree, "reversion.toml\n", &["check"]).check(1);
    // What a baseline accepts, or no longer does, concerns every file too.
    fs::write(tree.path("list"), "accepted.json\n").unwrap();
    tree.run(&[&["check", "--write-baseline", "accepted.json"], &TO[..]].concat());
    let with_baseline = || run(&tree, "accepted.json\n", &["check", "--baseline", "accepted.json"]);
    with_baseline().check(0);
    let mut accepted: Value = serde_json::from_str(&tree.text("accepted.json")).unwrap();
    accepted["findings"].as_array_mut().unwrap().clear();
    fs::write(tree.path("accepted.json"), accepted.to_string()).unwrap();
    let check = with_baseline();
    check.check(1);
    assert!(check.err.starts_with("note: accepted.json is listed and concerns every file"), "{}", check.err);
    // What is written is what is listed.
    apply(&tree, "reversion.toml\n").check(0);
    assert!(!is_converted(&tree, "a.yaml"));
}

#[test]
fn only_listed_files_are_reported_and_written() {
    let tree = two_routes();
    let check = run(&tree, "sub/b.yaml\n", &["check"]);
    check.check(1);
    assert!(check.out.starts_with("sub/b.yaml:1:1: ") && !check.out.contains("a.yaml"), "{}", check.out);
    let summary =
        "1 of 1 listed file read, 1 object recognized: 1 to change in 1 file, 0 held back; 0 files skipped, 0 failed\n";
    assert!(check.err.ends_with(summary) && !check.err.contains("a.yaml"), "{}", check.err);
    let diff = run(&tree, "sub/b.yaml\n", &["diff"]);
    assert!(diff.out.starts_with("--- a/sub/b.yaml\n") && !diff.out.contains("a/a.yaml"), "{}", diff.out);
    let detect = tree.run(&["detect", "--verbose", "--files-from", "list"]);
    detect.check(0);
    assert!(detect.out.starts_with("sub/b.yaml:1:1: ") && !detect.out.contains("a.yaml"), "{}", detect.out);
    assert!(detect.err.starts_with("1 of 1 listed file read, 1 object recognized"), "{}", detect.err);
    apply(&tree, "sub/b.yaml\n").check(0);
    assert!(is_converted(&tree, "sub/b.yaml") && !is_converted(&tree, "a.yaml"));
    apply(&tree, "sub/b.yaml\n").check(0);
}

/// The files are read once more with the CRDs that are found in them, but standard input has its end.
#[test]
fn a_list_on_standard_input_is_for_trees_with_crds_too() {
    let schema = "room: {type: string}";
    let crd = crd("Lamp", "None", &[("v1beta1", DEPRECATED, schema), ("v1", STORED, schema)]);
    let lamp = "apiVersion: home.example/v1beta1\nkind: Lamp\nmetadata: {name: a}\nspec: {room: hall}\n";
    let tree = Tree::of(&[("crd.yaml", &crd), ("lamp.yaml", lamp)]);
    let run = |command: &str| tree.run_fed(&[command, "--files-from", "-", "."], "lamp.yaml\n");
    let check = run("check");
    check.check(1);
    assert!(check.out.starts_with("lamp.yaml:1:1: Lamp a: home.example/v1beta1 -> home.example/v1"), "{}", check.out);
    assert!(run("detect").err.starts_with("1 of 1 listed file read, 1 object recognized"));
}

#[test]
fn paths_are_read_in_every_spelling() {
    let absolute = |tree: &Tree| tree.path("a.yaml").display().to_string();
    let spellings = [
        "./a.yaml\r\n",
        "\u{feff}a.yaml",
        "sub/../a.yaml\n",
        "a.yaml\0gone.yaml\0",
        "./a.yaml\0",
        "\n\na.yaml\na.yaml\n",
        "\"a.yaml\"\n",
    ];
    for list in spellings.map(str::to_owned).into_iter().chain([absolute(&two_routes())]) {
        let tree = two_routes();
        let list = if list.starts_with('/') { absolute(&tree) } else { list };
        apply(&tree, &list).check(0);
        assert!(is_converted(&tree, "a.yaml") && !is_converted(&tree, "sub/b.yaml"), "{list:?}");
    }
    // Paths are relative to the current folder, whatever the roots are.
    let tree = two_routes();
    fs::write(tree.path("sub/list"), "b.yaml\n").unwrap();
    let arguments = ["apply", "--yes", "--allow-no-vcs", "--files-from", "list", "../a.yaml", ".."];
    tree.run_in("sub", &[&arguments[..], &TO].concat()).check(0);
    assert!(is_converted(&tree, "sub/b.yaml") && !is_converted(&tree, "a.yaml"));
}

#[test]
fn paths_beside_the_list_are_what_is_read() {
    let tree = two_routes();
    let check = run(&tree, "a.yaml\nsub/b.yaml\n", &["check", "sub"]);
    check.check(1);
    assert!(
        check.err.contains("1 of 2 listed files read, 1 object recognized: 1 to change in 1 file"),
        "{}",
        check.err
    );
    let refused = run(&tree, "a.yaml\n", &["check", "-"]);
    refused.check(2);
    assert!(refused.err.contains("`-` is standard input"), "{}", refused.err);
}

#[test]
fn what_is_no_manifest_is_no_error() {
    let tree = two_routes();
    for (name, text) in [
        ("README.md", &b"# gateway.networking.k8s.io\n"[..]),
        ("main.go", b"package main\n"),
        ("image.yaml", b"\0\0gateway.networking.k8s.io"),
        ("ignored.yaml", BROKEN.as_bytes()),
        (".ignore", b"ignored.yaml\n"),
        ("empty.yaml", b""),
    ] {
        fs::write(tree.path(name), text).unwrap();
    }
    let check =
        run(&tree, "README.md\nmain.go\nignored.yaml\ngone.yaml\ngone/too.yaml\nempty.yaml\nlist\n", &["check"]);
    check.check(0);
    assert_eq!(
        check.err,
        "1 of 7 listed files read, 0 objects recognized: 0 to change in 0 files, 0 held back; 0 files skipped, 0 failed\n"
    );
    run(&tree, "image.yaml\n", &["check"]).check(0);
    let json = run(&tree, "README.md\n", &["check", "--format", "json"]);
    json.check(0);
    let report: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!((&report["summary"]["files"], &report["summary"]["listed"]), (&json!(0), &json!(1)));
}

/// A repository whose folder `sub` is the current one.
fn run_in_sub(tree: &Tree, list: impl AsRef<[u8]>) -> Run {
    fs::write(tree.path("sub/list"), list).unwrap();
    tree.run_in("sub", &[&["check", "--files-from", "list"][..], &TO].concat())
}

#[test]
fn names_that_count_from_the_top_of_the_repository_are_found_from_a_folder_in_it() {
    let tree = || Tree::of(&[(".git/x", ""), ("a.yaml", ROUTE), ("sub/b.yaml", ROUTE), ("sub/a.yaml", ROUTE)]);
    let note =
        "note: the listed files are taken from the top folder of the repository: from here, none of them exists\n";
    for list in ["sub/b.yaml\n", "gone.yaml\nsub/b.yaml\n", "sub/b.yaml\0sub/gone.yaml\0"] {
        let run = run_in_sub(&tree(), list);
        run.check(1);
        assert!(run.out.starts_with("b.yaml:1:1: ") && !run.out.contains("a.yaml"), "{list:?}: {}", run.out);
        assert!(run.err.starts_with(note) && run.err.contains("1 of "), "{list:?}: {}", run.err);
    }
    // Which `a.yaml` is meant cannot be known.
    let both = run_in_sub(&tree(), "sub/b.yaml\na.yaml\n");
    both.check(2);
    assert!(
        both.err.contains("names sub/b.yaml, which is in the top folder of the repository, and a.yaml,"),
        "{}",
        both.err
    );
    assert!(both.err.contains("`git diff --relative`"), "{}", both.err);
    // A file that was deleted here, and one of that name in the top folder.
    let deleted = tree();
    fs::write(deleted.path("gone.yaml"), ROUTE).unwrap();
    let run = run_in_sub(&deleted, "gone.yaml\nb.yaml\n");
    run.check(1);
    assert!(run.out.starts_with("b.yaml:1:1: ") && run.err.starts_with("1 of 2 listed files read"), "{}", run.err);
}

#[test]
fn a_list_of_which_nothing_exists_is_not_silent() {
    let tree = two_routes();
    let none = run(&tree, "apps/x.yaml\napps/y.yaml\n", &["check", "--quiet"]);
    none.check(0);
    let warning = "warning: no listed file exists, such as apps/x.yaml\n  help: names count from the current folder, or from the top folder of its repository\n";
    assert!(none.err.starts_with(warning), "{}", none.err);
    // What `find` lists without `-type f` would be a run on nothing.
    let folder = run(&tree, "sub\n", &["check"]);
    folder.check(2);
    assert!(folder.err.contains("names sub, which is a folder: list its files"), "{}", folder.err);
    // Git lists a submodule like a file.
    fs::write(tree.path("sub/.git"), "gitdir: ../.git/modules/sub\n").unwrap();
    let submodule = run(&tree, "sub\n", &["check"]);
    submodule.check(0);
    assert!(
        submodule.err.starts_with("warning: sub is another repository, of which no file is listed\n"),
        "{}",
        submodule.err
    );
}

#[test]
fn what_is_no_list_of_names_is_an_error() {
    let tree = two_routes();
    let wide = |text: &str, bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
    let refused = |list: &[u8], why: &str| {
        fs::write(tree.path("list"), list).unwrap();
        let run = tree.run(&[&["check", "--files-from", "list"][..], &TO].concat());
        run.check(2);
        assert!(run.err.starts_with(&format!("error: cannot read the list of files list: {why}")), "{}", run.err);
    };
    let utf16 = "is in UTF-16: save it in UTF-8, in PowerShell with `Out-File -Encoding utf8`\n";
    refused(&wide("\u{feff}a.yaml\r\nsub/b.yaml\r\n", u16::to_le_bytes), utf16);
    refused(&wide("\u{feff}a.yaml\n", u16::to_be_bytes), utf16);
    refused(&wide("a.yaml", u16::to_le_bytes), utf16);
    refused(b"a.yaml\ncaf\xe9.yaml\n", "is not valid UTF-8: ");
    refused(b"M\ta.yaml\n", "has status letters, as in `M a.yaml`: list names only, as `git diff --name-only` does\n");
    for status in ["R100\tx.yaml\ta.yaml", "D\tgone.yaml", " M a.yaml", "?? a.yaml", "MM \"sub/b.yaml\""] {
        refused(format!("sub/b.yaml\n{status}\n").as_bytes(), "has status letters");
    }
    fs::write(tree.path("M a.yaml"), ROUTE).unwrap();
    let named = run(&tree, "M a.yaml\nM gone.yaml\na.yaml  \n", &["check"]);
    named.check(1);
    assert!(named.err.contains("2 of 3 listed files read"), "a name can look like that: {}", named.err);
}

#[test]
fn an_empty_list_is_a_clean_run() {
    let tree = two_routes();
    for command in [
        &["check"][..],
        &["diff"],
        &["apply"],
        &["plan", "-o", "a.plan"],
        &["detect"],
        &["check", "--format", "github"],
    ] {
        let to: &[&str] = if command[0] == "detect" { &[] } else { &TO };
        for list in ["/dev/null", "-"] {
            let run = tree.run(&[command, &["--files-from", list], to].concat());
            run.check(0);
            assert!(run.err.starts_with("no file was listed\n"), "{}", run.err);
        }
    }
    tree.run(&["check", "--files-from", "/dev/null"]).check(0);
    tree.run(&["apply", "--plan", "a.plan"]).check(0);
    let json = tree.run(&["check", "--files-from", "/dev/null", "--format", "json"]);
    assert_eq!(serde_json::from_str::<Value>(&json.out).unwrap()["summary"]["listed"], json!(0));
    tree.run(&["check", "--files-from", "nowhere"]).check(2);
}

#[test]
fn a_failed_file_counts_where_it_is_listed() {
    let tree = Tree::of(&[("a.yaml", ROUTE), ("broken.yaml", BROKEN)]);
    let unlisted = apply(&tree, "a.yaml\n");
    unlisted.check(0);
    assert!(is_converted(&tree, "a.yaml"));
    assert!(unlisted.err.contains("broken.yaml:3:11: warning[parse-error]"), "{}", unlisted.err);
    let listed = run(&tree, "a.yaml\nbroken.yaml\n", &["check"]);
    listed.check(2);
    assert!(listed.out.contains("broken.yaml:3:11: error[parse-error]"), "{}", listed.out);
    run(&tree, "broken.yaml\n", &["check", "--keep-going"]).check(1);
}

#[test]
fn a_patch_of_a_file_that_failed_is_held_back() {
    let tree = patched();
    fs::write(tree.path("base/route.yaml"), BROKEN).unwrap();
    apply(&tree, "live/patch.yaml\n").check(1);
    assert!(!is_converted(&tree, "live/patch.yaml"));
}

#[test]
fn an_object_held_back_because_of_an_unlisted_one_is_held_back() {
    let tree = patched();
    let held = ROUTE.replace("hostnames: [a.example.com]", "hostnames: [a.example.com], useDefaultGateways: All");
    fs::write(tree.path("base/route.yaml"), held).unwrap();
    let check = run(&tree, "live/patch.yaml\n", &["check"]);
    check.check(1);
    assert!(check.out.starts_with("live/patch.yaml:1:1: held-back[converts-together] HTTPRoute shop: it is merged into HTTPRoute shop at base/route.yaml:1:1, which is left unchanged"), "{}", check.out);
}

#[test]
fn a_patch_and_its_base_are_written_together_or_not_at_all() {
    let tree = patched();
    for (list, other) in [("base/route.yaml", "live/patch.yaml"), ("live/patch.yaml", "base/route.yaml")] {
        let check = run(&tree, list, &["check"]);
        check.check(1);
        assert!(
            check.out.starts_with(&format!("{list}:1:1: HTTPRoute shop: gateway.networking.k8s.io/v1beta1 -> ")),
            "{}",
            check.out
        );
        // Below its object.
        assert!(check.out.contains("\n  warning[converts-together] ") && check.out.contains(other), "{}", check.out);
        let help =
            format!("\n    help: convert {other} in the same change: `apply` holds this back unless the list has it\n");
        assert!(check.out.contains(&help), "{}", check.out);
        let applied = apply(&tree, list);
        applied.check(1);
        let held = format!("{list}:1:1: held-back[converts-together] HTTPRoute shop: ");
        let help = format!("\n  help: add {other} to the list\n");
        assert!(applied.err.contains(&held) && applied.err.contains(&help), "{}", applied.err);
        assert!(!is_converted(&tree, list) && !is_converted(&tree, other));
        let plan = run(&tree, list, &["plan", "-o", "a.plan"]);
        plan.check(1);
        assert!(plan.err.contains(&held), "{}", plan.err);
    }
    apply(&tree, "base/route.yaml\nlive/patch.yaml\n").check(0);
    assert!(is_converted(&tree, "base/route.yaml") && is_converted(&tree, "live/patch.yaml"));
}

#[test]
fn a_renamed_object_is_not_written_without_what_names_it() {
    let tree = Tree::of(&[("naming.yaml", NAMING), ("other.yaml", &ROUTE.replace("shop", "other")), ("set.yaml", SET)]);
    let applied = apply(&tree, "set.yaml\nother.yaml\n");
    applied.check(1);
    assert!(
        applied.err.contains("set.yaml:1:1: held-back[converts-together] XListenerSet extra: ")
            && applied.err.contains("naming.yaml"),
        "{}",
        applied.err
    );
    assert!(!is_converted(&tree, "set.yaml") && is_converted(&tree, "other.yaml"));
    let check = run(&tree, "set.yaml\n", &["check"]);
    check.check(1);
    assert!(
        check.out.starts_with("set.yaml:1:1: XListenerSet extra: ") && check.out.contains("warning[converts-together]"),
        "{}",
        check.out
    );
    apply(&tree, "set.yaml\nnaming.yaml\n").check(0);
    assert!(is_converted(&tree, "set.yaml") && is_converted(&tree, "naming.yaml"));
}

#[test]
fn a_reference_is_not_written_without_what_it_names() {
    let tree = Tree::of(&[("naming.yaml", NAMING), ("set.yaml", SET)]);
    let check = run(&tree, "naming.yaml\n", &["diff"]);
    check.check(1);
    assert!(check.out.contains("kind: ListenerSet"), "{}", check.out);
    let applied = apply(&tree, "naming.yaml\n");
    applied.check(1);
    assert_eq!(tree.text("naming.yaml"), NAMING);
    assert!(applied.err.contains("naming.yaml"), "{}", applied.err);
}

#[test]
fn a_selector_is_not_outdated_by_what_it_selects() {
    let kustomization = "resources: [route.yaml]\npatches:\n- target: {group: gateway.networking.k8s.io, version: v1beta1, kind: HTTPRoute}\n  patch: |\n    - op: add\n      path: /metadata/labels\n      value: {a: b}\n";
    let tree = Tree::of(&[("kustomization.yaml", kustomization), ("route.yaml", ROUTE)]);
    let applied = apply(&tree, "route.yaml\n");
    applied.check(1);
    assert!(!is_converted(&tree, "route.yaml") && applied.err.contains("kustomization.yaml"), "{}", applied.err);
    let applied = apply(&tree, "kustomization.yaml\n");
    applied.check(1);
    assert_eq!(tree.text("kustomization.yaml"), kustomization);
    apply(&tree, "kustomization.yaml\nroute.yaml\n").check(0);
    assert!(is_converted(&tree, "route.yaml") && is_converted(&tree, "kustomization.yaml"));
}

/// The target no longer serves the version of the owner, so it is written where the owner gets another one.
#[test]
fn a_name_by_version_is_not_written_without_the_object() {
    let owned = "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata:\n  name: edge\n  ownerReferences:\n  - {apiVersion: gateway.networking.k8s.io/v1alpha2, kind: GRPCRoute, name: owner, uid: u}\nspec:\n  gatewayClassName: a\n  listeners: [{name: web, port: 80, protocol: HTTP}]\n";
    let owner = "apiVersion: gateway.networking.k8s.io/v1alpha2\nkind: GRPCRoute\nmetadata: {name: owner}\nspec: {hostnames: [a.example.com]}\n";
    let tree = Tree::of(&[("owned.yaml", owned), ("owner.yaml", owner)]);
    for (list, before) in [("owned.yaml", owned), ("owner.yaml", owner)] {
        run(&tree, list, &["diff"]).check(1);
        let applied = apply(&tree, list);
        applied.check(1);
        assert_eq!(tree.text(list), before, "{}", applied.err);
    }
    apply(&tree, "owned.yaml\nowner.yaml\n").check(0);
    assert!(is_converted(&tree, "owned.yaml") && is_converted(&tree, "owner.yaml"));
}

#[test]
fn objects_that_convert_together_are_written_together() {
    let gateway = "apiVersion: networking.x-k8s.io/v1alpha1\nkind: Gateway\nmetadata: {name: edge}\nspec:\n  gatewayClassName: lb\n  listeners:\n  - protocol: HTTP\n    port: 80\n    routes:\n      kind: HTTPRoute\n      namespaces: {from: All}\n      selector: {matchLabels: {tier: web}}\n";
    let route = "apiVersion: networking.x-k8s.io/v1alpha1\nkind: HTTPRoute\nmetadata:\n  name: cart\n  labels: {tier: web}\nspec:\n  rules:\n  - forwardTo: [{serviceName: cart, port: 80}]\n";
    let tree = Tree::of(&[("gateway.yaml", gateway), ("route.yaml", route)]);
    let apply = |list: &str| {
        fs::write(tree.path("list"), list).unwrap();
        tree.run(&["apply", "--yes", "--allow-no-vcs", "--files-from", "list", "--to", "gateway-api@0.4"])
    };
    for (list, other) in [("gateway.yaml", "route.yaml"), ("route.yaml", "gateway.yaml")] {
        let applied = apply(list);
        applied.check(1);
        assert!(applied.err.contains(&format!("{other} changes with it, and is not listed")), "{}", applied.err);
    }
    assert_eq!((tree.text("gateway.yaml").as_str(), tree.text("route.yaml").as_str()), (gateway, route));
    apply("gateway.yaml\nroute.yaml\n").check(0);
    assert!(is_converted(&tree, "gateway.yaml") && is_converted(&tree, "route.yaml"));
}

/// What a chart prints by its values or definitions is decided in a file that holds no object.
#[test]
fn the_templates_of_a_chart_are_reported_where_its_values_or_definitions_are_listed() {
    let budget = |version: &str| {
        format!(
            "apiVersion: {version}\nkind: PodDisruptionBudget\nmetadata: {{name: a}}\nspec: {{minAvailable: 1, selector: {{matchLabels: {{a: b}}}}}}\n"
        )
    };
    let (by_values, by_definition) = (budget("{{ .Values.api }}"), budget("{{ include \"a.api\" . }}"));
    let tree = Tree::of(&[
        ("a/Chart.yaml", "apiVersion: v2\nname: a\nversion: 1.0.0\n"),
        ("a/values.yaml", "api: policy/v1beta1\n"),
        ("a/templates/_definitions.tpl", "{{ define \"a.api\" }}policy/v1beta1{{ end }}\n"),
        ("a/templates/one.yaml", &by_values),
        ("a/templates/two.yaml", &by_definition),
        ("a/templates/NOTES.txt", "installed\n"),
        ("a/README.md", "a chart\n"),
    ]);
    let to = ["--to", "kubernetes@1.33", "--files-from", "list"];
    let check = |list: &str| {
        fs::write(tree.path("list"), list).unwrap();
        tree.run(&[&["check"], &to[..]].concat())
    };
    for file in ["a/values.yaml", "a/templates/_definitions.tpl", "a/Chart.yaml"] {
        let run = check(file);
        run.check(1);
        let note =
            format!("note: {file} is listed and concerns the templates of its chart, so all of them are reported\n");
        assert!(run.err.starts_with(&note), "{}", run.all());
        for template in ["a/templates/one.yaml", "a/templates/two.yaml"] {
            assert!(run.out.contains(template), "{}", run.all());
        }
    }
    let run = check("a/templates/one.yaml");
    assert!(run.out.contains("one.yaml") && !run.out.contains("two.yaml"), "{}", run.all());
    check("a/README.md").check(0);
    // What is written is what is listed.
    fs::write(tree.path("list"), "a/values.yaml").unwrap();
    tree.run(&[&["apply", "--yes", "--allow-no-vcs"], &to[..]].concat());
    assert_eq!(tree.text("a/templates/two.yaml"), by_definition);
}

/// Two objects of one file that two overlays patch: each needs the patch of its own.
#[test]
fn each_object_of_a_file_needs_its_own_files() {
    let job = |name: &str, schedule: &str| {
        format!(
            "apiVersion: batch/v1beta1\nkind: CronJob\nmetadata: {{name: {name}}}\nspec: {{schedule: '{schedule}', jobTemplate: {{}}}}\n"
        )
    };
    let jobs = format!("{}---\n{}", job("a", "1 * * * *"), job("b", "1 * * * *"));
    let overlay = "resources: [../base]\npatches: [{path: p.yaml}]\n";
    let selected = "resources: [../base]\npatches:\n- target: {kind: CronJob, version: v1beta1, name: b}\n  patch: '[{op: replace, path: /spec/schedule, value: 2 * * * *}]'\n";
    let tree = |second: &[(&str, &str)]| {
        let a = job("a", "2 * * * *");
        let first = [
            ("base/kustomization.yaml", "resources: [jobs.yaml]\n"),
            ("base/jobs.yaml", jobs.as_str()),
            ("one/kustomization.yaml", overlay),
            ("one/p.yaml", a.as_str()),
        ];
        Tree::of(&[&first, second].concat())
    };
    let b = job("b", "2 * * * *");
    let by_file = tree(&[("two/kustomization.yaml", overlay), ("two/p.yaml", b.as_str())]);
    let by_selector = tree(&[("two/kustomization.yaml", selected)]);
    for (tree, other) in [(by_file, "two/p.yaml"), (by_selector, "two/kustomization.yaml")] {
        let to = ["--to", "kubernetes@1.25", "--files-from", "list"];
        let checked = |list: &str| {
            fs::write(tree.path("list"), list).unwrap();
            let run = tree.run(&[&["check", "--format", "json"], &to[..]].concat());
            let report: Value = serde_json::from_str(&run.out).unwrap();
            let objects = report["objects"].as_array().unwrap().iter();
            let findings = objects.flat_map(|object| {
                let findings = object["findings"].as_array().unwrap().iter();
                findings.map(move |finding| (&object["object"], finding))
            });
            let findings = findings.filter(|(_, finding)| finding["code"] == "converts-together");
            let what = |(object, finding): (&Value, &Value)| {
                let text = |value: &Value| value.as_str().unwrap().to_owned();
                (text(object), text(&finding["message"]), text(&finding["help"]))
            };
            findings.map(what).collect::<Vec<_>>()
        };
        let needs = |name: &str, file: &str| {
            (
                format!("CronJob {name}"),
                format!("{file} changes with it, and is not listed"),
                format!("convert {file} in the same change: `apply` holds this back unless the list has it"),
            )
        };
        assert_eq!(checked("base/jobs.yaml\n"), [needs("a", "one/p.yaml"), needs("b", other)]);
        // What is listed with its patch is written.
        assert_eq!(checked("base/jobs.yaml\none/p.yaml\n"), [needs("b", other)]);
        tree.run(&[&["apply", "--yes", "--allow-no-vcs"], &to[..]].concat()).check(1);
        assert_eq!(tree.text("base/jobs.yaml"), jobs.replacen("batch/v1beta1", "batch/v1", 1));
        assert_eq!(tree.text("one/p.yaml"), job("a", "2 * * * *").replace("batch/v1beta1", "batch/v1"));
    }
}

/// Everything that a run on the whole tree reports about a file is reported where it alone is listed, and its edits are the same.
#[test]
fn the_verdict_equals_that_of_the_whole_run() {
    let of = |report: &Value, list: &str, file: &str| -> Vec<Value> {
        let of_file = |one: &&Value| one["file"] == file || one["location"]["file"] == file;
        report[list].as_array().unwrap().iter().filter(of_file).cloned().collect()
    };
    let objects = |report: &Value, file: &str| -> Vec<Value> {
        let without_findings = |mut object: Value| {
            (object["findings"], object["codes"]) = (Value::Null, Value::Null);
            object
        };
        of(report, "objects", file).into_iter().map(without_findings).collect()
    };
    let findings = |report: &Value, file: &str| -> Vec<Value> {
        let lists = of(report, "objects", file).into_iter().map(|object| object["findings"].clone());
        let lists = lists.chain([Value::Array(of(report, "findings", file))]);
        lists.flat_map(|list| list.as_array().unwrap().clone()).filter(|one| one["code"] != "advisory").collect()
    };
    let trees = [
        ("shop-1.0-experimental", "gateway-api@1.6/experimental"),
        ("platform-1.3", "gateway-api@1.6/standard"),
        ("platform-1.3", "ngf@2.5"),
        ("charts-ngf-1.6", "ngf@2.5"),
        ("config-ngf-1.6", "ngf@2.5"),
        ("edge-ngf-1.6", "ngf@2.5"),
        ("plain-ngf-1.6", "ngf@2.5"),
    ];
    let mut changed = 0;
    for (name, to) in trees {
        let tree = Tree::new(0);
        copy(&root().join("fixtures/repos").join(name), &tree.path("repo"));
        let check = |more: &[&str]| -> Value {
            let run = tree.run(&[&["check", "--format", "json", "--to", to, "repo"][..], more].concat());
            serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{}", run.err))
        };
        let whole = check(&[]);
        let mut files: Vec<&str> = whole["objects"]
            .as_array()
            .unwrap()
            .iter()
            .map(|object| object["location"]["file"].as_str().unwrap())
            .collect();
        files.dedup();
        for file in files {
            fs::write(tree.path("list"), file).unwrap();
            let alone = check(&["--files-from", "list"]);
            assert_eq!(of(&whole, "files", file), alone["files"].as_array().unwrap().as_slice(), "{file}");
            assert_eq!(objects(&whole, file).len(), alone["objects"].as_array().unwrap().len(), "{file}");
            assert_eq!(objects(&whole, file), objects(&alone, file), "{file}");
            let known = findings(&alone, file);
            for finding in findings(&whole, file) {
                assert!(known.contains(&finding), "{file}: {finding:#}");
            }
            changed += alone["files"].as_array().unwrap().len();
        }
    }
    assert!(changed > 10, "{changed}");
}

/// What is written for one file alone is what the whole run would have written, or lets it be written later.
#[test]
fn files_written_one_by_one_and_the_rest_later_are_as_if_written_together() {
    let (name, to) = ("shop-1.0-experimental", "gateway-api@1.6/experimental");
    let apply = ["apply", "--yes", "--allow-no-vcs", "--to", to, "repo"];
    let tree = || {
        let tree = Tree::new(0);
        copy(&root().join("fixtures/repos").join(name), &tree.path("repo"));
        tree
    };
    let whole = tree();
    let report = whole.run(&["check", "--format", "json", "--to", to, "repo"]).out;
    let report: Value = serde_json::from_str(&report).unwrap();
    let files: Vec<&str> =
        report["files"].as_array().unwrap().iter().map(|file| file["file"].as_str().unwrap()).collect();
    whole.run(&apply);
    for listed in files {
        let one = tree();
        fs::write(one.path("list"), listed).unwrap();
        one.run(&[&apply[..], &["--files-from", "list"]].concat());
        one.run(&apply);
        assert_eq!(contents(&one.path("repo")), contents(&whole.path("repo")), "{listed}");
    }
}

/// Reads every file below a folder.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut found, mut folders) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(next) = folders.pop() {
        for path in fs::read_dir(next).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.extend((!path.ends_with(".reversion")).then_some(path));
            } else {
                found.insert(path.strip_prefix(folder).unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    found
}
