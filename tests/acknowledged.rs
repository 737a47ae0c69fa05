//! Findings that were accepted before: by comments in manifests, and by a baseline.

#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

mod trees;

use std::fs;

use serde_json::Value;
use trees::{Run, Tree};

const TO: [&str; 2] = ["--to", "gateway-api@1.6/standard"];

/// An object that changes to v1.6.
const ROUTE: &str = "apiVersion: gateway.networking.k8s.io/v1beta1
kind: HTTPRoute
metadata: {name: shop}
spec: {hostnames: [a.example.com]}
";

/// An object of the experimental channel, which has a field that the standard one lacks.
const RETRY: &str = "apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: pay}
spec:
  rules:
  - name: one
    retry: {attempts: 3}
";

fn check(tree: &Tree) -> Run {
    tree.run(&[&["check"][..], &TO].concat())
}

/// Returns code and line of every finding, and those of every acknowledged one.
fn found(tree: &Tree, arguments: &[&str]) -> (Vec<String>, Vec<String>) {
    let run = tree.run(&[&["check", "--format", "json"], arguments, &TO].concat());
    let report: Value = serde_json::from_str(&run.out).unwrap();
    let place = |finding: &Value| format!("{}:{}", finding["code"].as_str().unwrap(), finding["location"]["line"]);
    let list = |name: &str| report[name].as_array().unwrap().clone();
    (
        list("findings").iter().map(place).collect(),
        list("acknowledged").iter().map(|one| place(&one["finding"])).collect(),
    )
}

#[track_caller]
fn finds(text: &str, open: &[&str], acknowledged: &[&str]) {
    let tree = Tree::of(&[("a.yaml", text)]);
    assert_eq!(found(&tree, &[]), (strings(open), strings(acknowledged)), "{text}");
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn a_comment_at_an_object_leaves_it_as_it_is() {
    let with = |comment: &str| format!("{comment}\n{ROUTE}");
    let changes = "# reversion: ignore[changes-needed] frozen until the move";
    for text in [
        with(changes),
        with(&format!("{changes}\n# another comment\n")),
        with(&format!("{changes}\n---")),
        with(&format!("---\n{changes}")),
        with(&format!("--- {changes}")),
        ROUTE.replacen('\n', &format!(" {changes}\n"), 1),
        ROUTE.replacen('\n', " # see the wiki # reversion: ignore[ changes-needed , ] frozen until the move\n", 1),
        with(changes).replace('\n', "\r\n"),
    ] {
        let tree = Tree::of(&[("a.yaml", &text)]);
        let run = check(&tree);
        run.check(0);
        let summary = "1 file read, 1 object recognised: 0 to change in 0 files, 0 held back, 1 acknowledged; 0 files skipped, 0 failed\n";
        assert_eq!((run.out.as_str(), run.err.as_str()), ("", summary), "{text}");
        let verbose = tree.run(&[&["check", "-v"][..], &TO].concat());
        let shown = "warning[changes-needed] HTTPRoute shop: apiVersion gateway.networking.k8s.io/v1beta1 must become \
                     gateway.networking.k8s.io/v1\n  acknowledged by a comment: frozen until the move\n";
        assert!(verbose.err.contains(shown), "{}", verbose.err);
        tree.run(&[&["apply", "--yes", "--allow-no-vcs"][..], &TO].concat()).check(0);
        assert_eq!(tree.text("a.yaml"), text);
        let disregarded = tree.run(&[&["check", "--no-ignores"][..], &TO].concat());
        disregarded.check(1);
        assert!(!disregarded.err.contains("acknowledged"), "{}", disregarded.err);
    }
}

#[test]
fn a_comment_at_a_field_is_about_it_and_what_is_below() {
    let with = |at: &str, comment: &str| RETRY.replace(at, comment);
    let (open, acknowledged) = (&["dropped-field:7"], &["dropped-field:7"]);
    finds(RETRY, open, &[]);
    finds(&with("3}", "3} # reversion: ignore[dropped-field] x"), &[], acknowledged);
    let below = &["dropped-field:8"];
    for (at, comment) in [
        ("    retry", "    # reversion: ignore[dropped-field]\n    retry"),
        ("  - name", "  # reversion: ignore[dropped-field]\n  - name"),
        ("  rules", "  # reversion: ignore[dropped-field]\n  rules"),
        ("spec", "# reversion: ignore[dropped-field]\n\nspec"),
    ] {
        let text = with(at, comment).replace("\n\nspec", "\nspec");
        finds(&text, &[], below);
    }
    finds(&with("- name: one", "- name: one # reversion: ignore[dropped-field]"), &[], acknowledged);
    // The first field of a mapping is not the mapping.
    let other = with("  rules", "  # reversion: ignore[dropped-field]\n  hostnames: [a.example.com]\n  rules");
    finds(&other, &["unused-ignore:5", "dropped-field:9"], &[]);
}

#[test]
fn a_comment_that_acknowledges_nothing_is_reported() {
    let with = |comment: &str| format!("{comment}\n{ROUTE}");
    finds(&with("# reversion: ignore[changes-needed,dropped-field]"), &["unused-ignore:1"], &["changes-needed:2"]);
    finds(&with("# reversion: ignore[change-needed]"), &["invalid-ignore:1"], &[]);
    finds(&with("# reversion: ignore"), &["invalid-ignore:1"], &[]);
    finds(&with("# reversion: ignore[] x"), &["invalid-ignore:1"], &[]);
    finds(&with("# reversion: ignored by some"), &[], &[]);
    finds(&format!("{ROUTE}# reversion: ignore[changes-needed]\n"), &["unused-ignore:5"], &[]);
    let at_field = ROUTE.replace("spec", "# reversion: ignore[changes-needed]\nspec");
    finds(&at_field, &["unused-ignore:4"], &[]);
    let new = ROUTE.replace("v1beta1", "v1");
    finds(&format!("# reversion: ignore[changes-needed]\n{new}"), &["unused-ignore:1"], &[]);
    // A text is no comment.
    let text = ROUTE.replace("a.example.com", "'# reversion: ignore[changes-needed]'");
    assert!(!found(&Tree::of(&[("a.yaml", &text)]), &[]).0.iter().any(|one| one.starts_with("unused-ignore")));
    let run = check(&Tree::of(&[("a.yaml", &with("# reversion: ignore[change-needed]"))]));
    let lines = "a.yaml:1:1: warning[invalid-ignore] `change-needed` is neither a finding code nor a rule\n  help: did you mean `changes-needed`?\n";
    assert!(run.err.starts_with(lines), "{}", run.err);
}

/// An object that a rule changes, besides its apiVersion.
const POLICY: &str = "apiVersion: gateway.networking.k8s.io/v1alpha2
kind: BackendTLSPolicy
metadata: {name: orders}
spec:
  targetRef: {group: '', kind: Service, name: orders}
  tls: {hostname: orders.example.com, wellKnownCACerts: System}
";

#[test]
fn a_comment_names_a_rule() {
    let rule = "gateway-api/v1.1.0/backendtlspolicy-tls-renamed-to-validation";
    for name in [rule, "backendtlspolicy-tls-renamed-to-validation"] {
        let at_object = format!("# reversion: ignore[{name}]\n{POLICY}");
        finds(&at_object, &[], &["changes-needed:2"]);
        let at_field = POLICY.replace("System}", &format!("System}} # reversion: ignore[{name}]"));
        finds(&at_field, &[], &["changes-needed:1"]);
        finds(&format!("# reversion: ignore[{name}]\n{ROUTE}"), &["unused-ignore:1"], &[]);
    }
}

#[test]
fn an_item_of_a_list_and_a_list_are_objects() {
    let item = ROUTE.replace('\n', "\n  ");
    let list = |above: &str, first: &str, second: &str| {
        format!(
            "{above}apiVersion: v1\nkind: List\nitems:\n{first}- {item}\n{second}- {}\n",
            item.replace("shop", "other")
        )
    };
    let comment = "# reversion: ignore[changes-needed]\n";
    finds(&list("", comment, ""), &[], &["changes-needed:5"]);
    finds(&list("", "", comment), &[], &["changes-needed:10"]);
    finds(&list(comment, "", ""), &[], &["changes-needed:5", "changes-needed:10"]);
}

#[test]
fn what_depends_on_an_object_that_is_left_as_it_is_is_held_back() {
    let patch = "apiVersion: gateway.networking.k8s.io/v1alpha2\nkind: BackendTLSPolicy\nmetadata: {name: orders}\nspec: {tls: {hostname: other.example.com}}\n";
    let kept = format!("# reversion: ignore[changes-needed] later\n{POLICY}");
    let tree = Tree::of(&[
        ("base/kustomization.yaml", "resources: [policy.yaml]\n"),
        ("base/policy.yaml", &kept),
        ("live/kustomization.yaml", "resources: [../base]\npatches: [{path: patch.yaml}]\n"),
        ("live/patch.yaml", patch),
    ]);
    let apply = tree.run(&[&["apply", "--yes", "--allow-no-vcs"][..], &TO].concat());
    apply.check(1);
    assert!(
        apply.err.contains("live/patch.yaml:1:1: held-back[converts-together] BackendTLSPolicy orders: "),
        "{}",
        apply.err
    );
    assert!(apply.err.contains("1 held back, 1 acknowledged"), "{}", apply.err);
    assert_eq!((tree.text("base/policy.yaml"), tree.text("live/patch.yaml")), (kept, patch.to_owned()));
    // The patch is left as it is, too.
    fs::write(tree.path("live/patch.yaml"), format!("# reversion: ignore[converts-together]\n{patch}")).unwrap();
    check(&tree).check(0);
}

#[test]
fn a_comment_in_an_inline_patch_is_about_what_is_in_the_patch() {
    let base = POLICY
        .replace("v1alpha2", "v1")
        .replace("targetRef: {", "targetRefs: [{")
        .replace("name: orders}\n  tls", "name: orders}]\n  tls");
    let base = base.replace("tls:", "validation:").replace("CACerts", "CACertificates");
    let kustomization = |comment: &str| {
        format!(
            "resources: [policy.yaml]\npatches:\n- patch: |\n    {comment}\n    apiVersion: gateway.networking.k8s.io/v1beta1\n    kind: HTTPRoute\n    metadata: {{name: gone}}\n"
        )
    };
    for comment in ["# reversion: ignore[changes-needed]", "# other"] {
        let tree = Tree::of(&[("policy.yaml", &base), ("kustomization.yaml", &kustomization(comment))]);
        let (open, acknowledged) = found(&tree, &[]);
        let expected: &[&str] = if comment == "# other" { &[] } else { &["changes-needed:5"] };
        assert_eq!((open, acknowledged), (Vec::new(), strings(expected)));
    }
    let outside = kustomization("# other").replace("- patch", "# reversion: ignore[changes-needed]\n- patch");
    let tree = Tree::of(&[("policy.yaml", &base), ("kustomization.yaml", &outside)]);
    assert_eq!(found(&tree, &[]), (Vec::new(), strings(&["changes-needed:6"])));
}

#[test]
fn a_comment_acknowledges_no_error() {
    let text = format!("# reversion: ignore[duplicate-key]\n{ROUTE}kind: HTTPRoute\n");
    let tree = Tree::of(&[("a.yaml", &text)]);
    check(&tree).check(2);
}

#[test]
fn a_reference_to_a_kind_of_an_object_that_is_left_as_it_is_stays() {
    let set = "# reversion: ignore[changes-needed]\napiVersion: gateway.networking.x-k8s.io/v1alpha1\nkind: XListenerSet\nmetadata: {name: extra}\nspec:\n  parentRef: {name: edge}\n  listeners: [{name: web, port: 80, protocol: HTTP}]\n";
    let route = "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: naming}\nspec:\n  parentRefs: [{group: gateway.networking.x-k8s.io, kind: XListenerSet, name: extra}]\n";
    let tree = Tree::of(&[("a.yaml", set), ("b.yaml", route)]);
    let (open, acknowledged) = found(&tree, &[]);
    assert_eq!((open, acknowledged), (strings(&["reference-not-updated:5"]), strings(&["changes-needed:2"])));
}
