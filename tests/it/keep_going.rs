//! `--keep-going`: files that fail are left out, listed and counted, the others are converted all or none, and what depends on
//! a file that is left out is held back.

use std::fs;

use serde_json::Value;

use crate::support::trees::{Run, Tree};

/// A route that v1.4 serves under another version.
const ROUTE: &str = "apiVersion: gateway.networking.k8s.io/v1beta1\nkind: HTTPRoute\nmetadata: {name: shop}\nspec: {hostnames: [a.example.com]}\n";

/// A file that mentions a known API and cannot be parsed.
const BROKEN: &str = "apiVersion: gateway.networking.k8s.io/v1beta1\nkind: HTTPRoute\nmetadata: {name: cart\n";

/// A patch of [`ROUTE`].
const PATCH: &str = "apiVersion: gateway.networking.k8s.io/v1beta1\nkind: HTTPRoute\nmetadata: {name: shop}\nspec: {hostnames: [b.example.com]}\n";

const TO: [&str; 2] = ["--to", "gateway-api@1.4/standard"];

fn run(tree: &Tree, arguments: &[&str]) -> Run {
    tree.run(&[arguments, &TO].concat())
}

fn apply(tree: &Tree) -> Run {
    run(tree, &["apply", "--yes", "--allow-no-vcs", "--keep-going"])
}

fn is_converted(tree: &Tree, file: &str) -> bool {
    let text = tree.text(file);
    assert_ne!(text.contains("io/v1beta1"), text.contains("io/v1\n"), "{text}");
    text.contains("io/v1\n")
}

#[test]
fn without_the_flag_nothing_is_written() {
    let tree = Tree::of(&[("broken.yaml", BROKEN), ("good.yaml", ROUTE)]);
    let refused = run(&tree, &["apply", "--yes", "--allow-no-vcs"]);
    refused.check(2);
    assert!(
        refused.err.contains("nothing was written, since a file failed (`--keep-going` leaves it out)"),
        "{}",
        refused.err
    );
    assert_eq!(tree.text("good.yaml"), ROUTE);
    let unsaved = run(&tree, &["plan", "-o", "a.plan"]);
    unsaved.check(2);
    assert!(
        unsaved.err.contains("no plan was saved, since a file failed (`--keep-going` leaves it out)"),
        "{}",
        unsaved.err
    );
    assert!(!tree.path("a.plan").exists());
    run(&tree, &["check"]).check(2);
}

/// Standard input is one file: what reads it fails with it, whatever is wrong with it, and prints nothing of it.
#[test]
fn without_the_flag_standard_input_that_cannot_be_read_fails_every_command() {
    let wide: Vec<u8> = ROUTE.bytes().flat_map(|byte| [byte, 0]).collect();
    let latin = [b"# caf\xe9\n", ROUTE.as_bytes()].concat();
    let inputs = [BROKEN.as_bytes(), &wide, &latin];
    let tree = Tree::new(0);
    for input in inputs {
        let converted = tree.run_fed(&[&["convert", "-"][..], &TO].concat(), input);
        assert_eq!((converted.code, converted.out.as_str()), (Some(2), ""), "{}", converted.err);
        assert!(converted.err.contains("-:") && converted.err.contains("error["), "{}", converted.err);
        assert!(!converted.err.contains("left out"), "{}", converted.err);
        for command in ["check", "diff"] {
            tree.run_fed(&[&[command, "-"][..], &TO].concat(), input).check(2);
            tree.run_fed(&[&[command, "-", "--keep-going"][..], &TO].concat(), input).check(1);
        }
    }
}

#[test]
fn the_others_are_written_and_the_exit_code_is_never_0() {
    let tree = Tree::of(&[("broken.yaml", BROKEN), ("good.yaml", ROUTE)]);
    for command in ["check", "diff"] {
        let preview = run(&tree, &[command, "--keep-going"]);
        preview.check(1);
        let report = if command == "check" { &preview.out } else { &preview.err };
        assert!(report.contains("broken.yaml:3:11: error[parse-error]"), "{report}");
    }
    let applied = apply(&tree);
    applied.check(1);
    assert!(is_converted(&tree, "good.yaml"));
    assert_eq!(tree.text("broken.yaml"), BROKEN);
    assert!(
        applied.err.contains(
            "1 changed in 1 file, 0 held back; 0 files skipped, 1 failed\n1 file was left out, and references to its objects are not checked: broken.yaml\n"
        ),
        "{}",
        applied.err
    );
    // Nothing is left to change, but a file is still left out.
    apply(&tree).check(1);
    run(&tree, &["check", "--keep-going", "--exit-zero"]).check(1);
    tree.run(&["undo"]).check(0);
    assert_eq!(tree.text("good.yaml"), ROUTE);
}

#[test]
fn a_run_that_recognizes_nothing_else_does_not_end_with_0() {
    let tree = Tree::of(&[("broken.yaml", BROKEN)]);
    run(&tree, &["check", "--keep-going", "--allow-empty"]).check(1);
}

#[test]
fn the_reports_list_what_was_left_out() {
    let tree = Tree::of(&[("a/broken.yaml", BROKEN), ("good.yaml", ROUTE)]);
    let json = run(&tree, &["check", "--keep-going", "--format", "json"]);
    json.check(1);
    let report: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(report["leftOut"], serde_json::json!(["a/broken.yaml"]));
    assert_eq!(report["summary"]["failed"], 1);
    assert_eq!(report["files"][0]["file"], "good.yaml");
    let default: Value = serde_json::from_str(&run(&tree, &["check", "--format", "json"]).out).unwrap();
    assert_eq!(default["leftOut"], serde_json::json!([]));
    let github = run(&tree, &["check", "--keep-going", "--format", "github"]);
    assert!(github.out.starts_with("::error file=a/broken.yaml,line=3,col=11,title=parse-error::"), "{}", github.out);
    assert!(
        github.err.ends_with("1 file was left out, and references to its objects are not checked: a/broken.yaml\n"),
        "{}",
        github.err
    );
}

#[test]
fn a_saved_plan_keeps_what_was_left_out() {
    let tree = Tree::of(&[("broken.yaml", BROKEN), ("good.yaml", ROUTE)]);
    run(&tree, &["plan", "--keep-going", "-o", "a.plan"]).check(1);
    let shown = tree.run(&["show", "a.plan"]);
    shown.check(0);
    assert!(shown.err.contains("broken.yaml:3:11: error[parse-error]"), "{}", shown.err);
    assert!(
        shown.err.ends_with("1 file was left out, and references to its objects are not checked: broken.yaml\n"),
        "{}",
        shown.err
    );
    let refused = tree.run(&["apply", "--plan", "a.plan", "--keep-going"]);
    refused.check(2);
    assert!(refused.err.contains("cannot be used with '--keep-going'"), "{}", refused.err);
    let applied = tree.run(&["apply", "--yes", "--allow-no-vcs", "--exit-zero", "--plan", "a.plan"]);
    applied.check(1);
    assert!(
        applied.err.ends_with("1 file was left out, and references to its objects are not checked: broken.yaml\n"),
        "{}",
        applied.err
    );
    assert!(is_converted(&tree, "good.yaml"));
}

#[test]
fn what_a_left_out_patch_may_change_is_held_back() {
    let tree = Tree::of(&[
        ("base/kustomization.yaml", "resources: [route.yaml]\n"),
        ("base/route.yaml", ROUTE),
        ("live/kustomization.yaml", "resources: [../base]\npatches: [{path: patch.yaml}]\n"),
        ("live/patch.yaml", BROKEN),
        ("other.yaml", &ROUTE.replace("shop", "other")),
    ]);
    let applied = apply(&tree);
    applied.check(1);
    let held = "base/route.yaml:1:1: held-back[converts-together] HTTPRoute shop: live/kustomization.yaml patches it with live/patch.yaml, which could not be read";
    assert!(applied.err.contains(held), "{}", applied.err);
    assert!(!is_converted(&tree, "base/route.yaml") && is_converted(&tree, "other.yaml"));
}

#[test]
fn a_patch_of_what_a_left_out_file_may_hold_is_held_back() {
    let inline = "resources: [../base]\npatches:\n- path: patch.yaml\n- patch: |\n    apiVersion: gateway.networking.k8s.io/v1beta1\n    kind: HTTPRoute\n    metadata: {name: cart}\n    spec: {hostnames: [c.example.com]}\n";
    let tree = Tree::of(&[
        ("base/kustomization.yaml", "resources: [route.yaml]\n"),
        ("base/route.yaml", BROKEN),
        ("live/kustomization.yaml", inline),
        ("live/patch.yaml", PATCH),
        ("other/kustomization.yaml", "resources: [route.yaml]\npatches: [{path: patch.yaml}]\n"),
        ("other/route.yaml", ROUTE),
        ("other/patch.yaml", PATCH),
    ]);
    let applied = apply(&tree);
    applied.check(1);
    let held = "live/kustomization.yaml:5:5: held-back[converts-together] HTTPRoute cart: live/kustomization.yaml includes base/route.yaml, which could not be read and may hold what it patches (to do 2); also live/patch.yaml:1:1 HTTPRoute shop\n";
    assert!(applied.err.contains(held), "{}", applied.err);
    assert!(!is_converted(&tree, "live/patch.yaml") && tree.text("live/kustomization.yaml") == inline);
    assert!(is_converted(&tree, "other/route.yaml") && is_converted(&tree, "other/patch.yaml"));
}

#[test]
fn what_a_left_out_kustomization_names_is_held_back() {
    let broken = "# gateway.networking.k8s.io\nresources: [../base, extra.yaml]\npatches: [{path: patch.yaml}\n";
    let tree = Tree::of(&[
        ("base/kustomization.yaml", "resources: [route.yaml]\n"),
        ("base/route.yaml", ROUTE),
        ("live/kustomization.yaml", broken),
        ("live/patch.yaml", PATCH),
        ("live/extra.yaml", &ROUTE.replace("shop", "extra")),
        ("live/unrelated.yaml", &ROUTE.replace("shop", "unrelated")),
        ("top/kustomization.yaml", "resources: [../live]\npatches: [{path: patch.yaml}]\n"),
        ("top/patch.yaml", &PATCH.replace("shop", "extra")),
    ]);
    let applied = apply(&tree);
    applied.check(1);
    for file in ["base/route.yaml", "live/patch.yaml", "live/extra.yaml", "top/patch.yaml"] {
        assert!(!is_converted(&tree, file), "{file}: {}", applied.err);
    }
    assert!(is_converted(&tree, "live/unrelated.yaml"));
    assert!(applied.err.contains("live/kustomization.yaml, which could not be read, names it"), "{}", applied.err);
}

#[test]
fn what_a_left_out_component_may_patch_is_held_back() {
    let tree = Tree::of(&[
        ("live/kustomization.yaml", "resources: [route.yaml]\ncomponents: [../part]\n"),
        ("live/route.yaml", ROUTE),
        ("part/kustomization.yaml", "# gateway.networking.k8s.io\nkind: Component\npatches: [\n"),
    ]);
    apply(&tree).check(1);
    assert!(!is_converted(&tree, "live/route.yaml"));
}

#[test]
fn a_file_that_cannot_be_read_is_left_out_too() {
    let tree = Tree::of(&[("good.yaml", ROUTE)]);
    fs::write(
        tree.path("latin.yaml"),
        b"apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {name: \xe9}\n",
    )
    .unwrap();
    apply(&tree).check(1);
    assert!(is_converted(&tree, "good.yaml"));
}

/// Such a file does not fail, since it mentions no known API; but what it builds is not known.
#[test]
fn what_an_unreadable_kustomization_names_is_held_back_without_the_flag_too() {
    let tree = Tree::of(&[
        ("base/kustomization.yaml", "resources: [route.yaml]\n"),
        ("base/route.yaml", ROUTE),
        ("live/kustomization.yaml", "resources:\n- ../base\npatches:\n- path: patch.yaml\n  - bad\n"),
        ("live/patch.yaml", PATCH),
        ("good.yaml", &ROUTE.replace("shop", "good")),
        ("template/kustomization.yaml", "resources: [{{ name }}, ../good.yaml\n"),
        // Kustomize takes the last of two keys; Kubernetes takes none.
        ("twice/kustomization.yaml", "resources: [twice.yaml]\npatches: []\npatches: []\n"),
        ("twice/twice.yaml", &ROUTE.replace("shop", "twice")),
    ]);
    let applied = run(&tree, &["apply", "--yes", "--allow-no-vcs"]);
    applied.check(1);
    assert!(!is_converted(&tree, "base/route.yaml") && !is_converted(&tree, "live/patch.yaml"), "{}", applied.err);
    assert!(is_converted(&tree, "good.yaml") && !is_converted(&tree, "twice/twice.yaml"), "{}", applied.err);
}
