//! Findings that were accepted before: by comments in manifests, and by a baseline.

use std::fs;

use serde_json::Value;

use crate::support::program;
use crate::support::trees::{Run, Tree};

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
    let objects = report["objects"].as_array().unwrap();
    let list = |name: &str| {
        let all = objects.iter().chain([&report]).flat_map(|holder| holder[name].as_array().unwrap().clone());
        all.collect::<Vec<_>>()
    };
    let is_needed = |finding: &Value| finding["code"] == "changes-needed";
    let sorted = |mut findings: Vec<Value>| {
        findings.sort_by_key(|finding| finding["location"]["line"].as_u64());
        findings.iter().map(place).collect::<Vec<_>>()
    };
    (
        sorted(list("findings").into_iter().filter(|finding| !is_needed(finding)).collect()),
        sorted(list("acknowledged").into_iter().map(|one| one["finding"].clone()).collect()),
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
        let summary = "1 file read, 1 object recognized: 0 to change in 0 files, 0 held back, 1 acknowledged; 0 files skipped, 0 failed\n";
        assert_eq!((run.out.as_str(), run.err.as_str()), ("", summary), "{text}");
        let verbose = tree.run(&[&["check", "-v"][..], &TO].concat());
        let shown = "warning[changes-needed] HTTPRoute shop: apiVersion gateway.networking.k8s.io/v1beta1 must become \
                     gateway.networking.k8s.io/v1\n  acknowledged by a comment: frozen until the move\n";
        assert!(verbose.out.contains(shown), "{}", verbose.out);
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
    finds(&with("# reversion: ignore[change-needed,droped-field]"), &["invalid-ignore:1", "invalid-ignore:1"], &[]);
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
    let lines = "a.yaml:1:1: held-back[invalid-ignore] HTTPRoute shop: `change-needed` is neither a finding code nor a rule\n  help: did you mean `changes-needed`?\n";
    assert!(run.out.contains(lines), "{}", run.out);
}

#[test]
fn an_object_whose_comment_is_misspelled_is_not_converted() {
    for comment in ["# reversion: ignore[change-needed]", "# reversion: ignore", "# reversion:ignore[changes-needed]"] {
        let (misspelled, other) = (format!("{comment}\n{ROUTE}"), ROUTE.replace("shop", "other"));
        let tree = Tree::of(&[("a.yaml", &format!("{misspelled}---\n{other}"))]);
        let run = tree.run(&["apply", "--yes", "--allow-dirty", "--to", "gateway-api@1.4", "a.yaml"]);
        run.check(1);
        assert_eq!(tree.text("a.yaml"), format!("{misspelled}---\n{}", other.replace("v1beta1", "v1")));
        assert!(run.all().contains("a.yaml:1:1: held-back[invalid-ignore] HTTPRoute shop: "), "{}", run.all());
        assert_eq!(run.all().matches("invalid-ignore").count(), 1, "{}", run.all());
    }
}

#[test]
fn a_misspelled_comment_is_reported_and_fails() {
    let with = |comment: &str| format!("{comment}\n{ROUTE}");
    for comment in [
        "# reversion:ignore[changes-needed]",
        "# Reversion: ignore[changes-needed]",
        "# reversion:  ignore[changes-needed]",
        "# reversion: IGNORE[changes-needed]",
        "# reversion: ignore-file[changes-needed]",
        "# reversion: ignor x",
        "# reversion: ingore[changes-needed] frozen",
        "# reversion: ignorre",
        "# reversion: disable[changes-needed] x",
        "# reversion ignore[changes-needed] x",
        "# reversions: ignore[changes-needed] x",
        "# reversion-ignore[changes-needed] x",
        "# revrsion: ignore[changes-needed] x",
        "# @reversion: ignore[changes-needed]",
        "# reversion ignore: changes-needed",
        "# reversion: skip",
        "# reversion: skip frozen until the move",
        "# reversion: Disable changes-needed",
        "# reversion: keep",
        "# reversion: keep as it is.",
        "# reversion: leave changes-needed",
        "# reversion: keep v1beta1",
        "# reversion: keep policy/v1beta1",
        "# TODO reversion: leave this alone",
        "# reversion: ignore-file",
        "# reversion: ignore-next-line frozen",
        "# reversion-ignore",
        "# reversion-ignore frozen until the move",
        "# reversion/ignore",
        "# reversion-skip",
        "# reversion ignore",
        "# reversion ignore changes-needed frozen",
        "# revrsion-ignore",
        "# revrsion: ignore",
        "# TODO reversion: ignore",
        "# TODO(ops): reversion: ignore[changes-needed]",
        "# TODO: reversion: skip",
        "# frozen until the move, reversion: ignore[changes-needed]",
        "# -- reversion: ignore[changes-needed]",
    ] {
        finds(&with(comment), &["invalid-ignore:1"], &[]);
    }
    for prose in [
        "# Reversion: Ignored by some",
        "# reversion: ignoring this is right",
        "# reversion: not before May",
        "# reversion: keep in sync with the chart",
        "# reversion: leave this to the platform team",
        "# reversion: keep v1beta1 until the upgrade",
        "# reversion: off by default",
        "# reversion keeps comments, and ignores other files",
        "# reversion ignore comments are described in the wiki",
        "# reversion skips charts",
        "# TODO run reversion here, skip the charts",
        "# TODO reversion: not before May",
        "# kept by reversion",
        "# written by reversion-ignored tools",
        "# see `reversion: ignore[CODE]` in the documentation",
        "# what 'reversion: ignore' does",
        "# reversion.toml ignores this folder",
        "# version: ignore",
        "# revision-ignore",
        "# prettier-ignore",
        "# TODO: ignore",
    ] {
        finds(&with(prose), &[], &[]);
    }
    finds(&with("# reversion: ignore-by-design is prose"), &[], &[]);
    let new = ROUTE.replace("v1beta1", "v1");
    let run = check(&Tree::of(&[("a.yaml", &format!("# reversion:ignore[advisory]\n{new}"))]));
    run.check(1);
    assert!(
        run.out.contains("unresolved[invalid-ignore]") && run.out.contains("write `# reversion: ignore["),
        "{}",
        run.out
    );
}

/// That an object is left as it is says nothing of what the target cannot hold.
#[test]
fn a_comment_about_changes_acknowledges_nothing_that_holds_an_object_back() {
    let old = RETRY.replace("/v1", "/v1beta1");
    let with = |codes: &str| format!("# reversion: ignore[{codes}]\n{old}");
    finds(&with("changes-needed"), &["dropped-field:8"], &[]);
    finds(&with("changes-needed, dropped-field"), &[], &["dropped-field:8"]);
    let run = check(&Tree::of(&[("a.yaml", &with("changes-needed"))]));
    run.check(1);
    assert!(run.err.contains("0 to change in 0 files, 1 held back;"), "{}", run.err);
}

#[test]
fn a_json_patch_of_an_object_that_is_left_as_it_is_stays_too() {
    let patch = "resources: [policy.yaml]\npatches:\n- target: {kind: BackendTLSPolicy}\n  patch: |\n    - {op: replace, path: /spec/tls/hostname, value: other.example.com}\n";
    let kept = format!("# reversion: ignore[changes-needed] later\n{POLICY}");
    let tree = Tree::of(&[("policy.yaml", &kept), ("kustomization.yaml", patch)]);
    assert_eq!(found(&tree, &[]), (Vec::new(), strings(&["changes-needed:2"])));
    check(&tree).check(0);
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

/// Two objects that must change, one that is held back, and one with a doubtful field.
fn team() -> Tree {
    let other = ROUTE.replace("shop", "other").replace("spec: {", "spec: {foo: 1, ");
    Tree::of(&[("apps/a.yaml", ROUTE), ("apps/b.yaml", &other), ("apps/pay.yaml", RETRY)])
}

fn with_baseline(tree: &Tree, arguments: &[&str]) -> Run {
    tree.run(&[&["check", "--baseline", "known.json"], arguments, &TO].concat())
}

fn write_baseline(tree: &Tree) {
    let run = tree.run(&[&["check", "--write-baseline", "known.json"][..], &TO].concat());
    run.check(0);
    assert!(
        run.err.starts_with("wrote 4 findings to the baseline known.json; read it with `--baseline known.json`\n"),
        "{}",
        run.err
    );
}

#[test]
fn known_findings_are_counted_and_new_ones_fail() {
    let tree = team();
    check(&tree).check(1);
    write_baseline(&tree);
    let expected = r#"{
  "schemaVersion": 1,
  "targets": ["gateway-api@1.6.1/standard"],
  "findings": [
    {"file":"apps/a.yaml","object":"HTTPRoute shop","code":"changes-needed","field":null,"count":1},
    {"file":"apps/b.yaml","object":"HTTPRoute other","code":"changes-needed","field":null,"count":1},
    {"file":"apps/b.yaml","object":"HTTPRoute other","code":"unknown-field","field":"spec.foo","count":1},
    {"file":"apps/pay.yaml","object":"HTTPRoute pay","code":"dropped-field","field":"spec.rules[].retry","count":1}
  ]
}
"#;
    assert_eq!(tree.text("known.json"), expected);
    let known = with_baseline(&tree, &[]);
    known.check(0);
    assert!(!(known.out.clone() + &known.err).contains(".yaml"), "{}{}", known.out, known.err);
    assert!(known.err.contains("0 to change in 0 files, 0 held back, 4 acknowledged;"), "{}", known.err);
    // An edit elsewhere in the file does not matter, wherever the program is called.
    fs::write(tree.path("apps/pay.yaml"), format!("# pay\n{}", RETRY.replace("  rules:", "  rules:\n  - name: zero")))
        .unwrap();
    with_baseline(&tree, &[]).check(0);
    let inside = tree.run_in("apps", &[&["check", "--baseline", "../known.json", "."][..], &TO].concat());
    inside.check(0);
    let absolute = tree.path("apps");
    with_baseline(&tree, &[absolute.to_str().unwrap()]).check(0);
    // What is new fails, and nothing else is named.
    fs::write(tree.path("apps/new.yaml"), ROUTE.replace("shop", "new")).unwrap();
    let new = with_baseline(&tree, &[]);
    new.check(1);
    assert!(new.out.starts_with("apps/new.yaml:1:1: HTTPRoute new: ") && !new.out.contains("a.yaml"), "{}", new.out);
    assert!(new.err.contains("1 to change in 1 file, 0 held back, 4 acknowledged;"), "{}", new.err);
}

#[test]
fn more_findings_than_an_entry_stands_for_are_new() {
    let tree = team();
    write_baseline(&tree);
    let two = RETRY.replace("  - name: one", "  - {name: zero, retry: {attempts: 1}}\n  - name: one");
    fs::write(tree.path("apps/pay.yaml"), two).unwrap();
    let run = with_baseline(&tree, &[]);
    run.check(1);
    assert!(run.err.contains("1 held back, 4 acknowledged;"), "{}", run.err);
    assert_eq!(run.out.matches("held-back[dropped-field]").count(), 1, "{}", run.out);
}

#[test]
fn entries_that_no_longer_occur_are_reported_and_do_not_fail() {
    let tree = team();
    write_baseline(&tree);
    fs::write(tree.path("apps/a.yaml"), ROUTE.replace("v1beta1", "v1")).unwrap();
    fs::remove_file(tree.path("apps/b.yaml")).unwrap();
    let run = with_baseline(&tree, &[]);
    run.check(0);
    let lines = "3 entries of the baseline known.json no longer occur:\n  apps/a.yaml: [changes-needed] HTTPRoute shop\n  \
                 apps/b.yaml: [changes-needed] HTTPRoute other\n  apps/b.yaml: [unknown-field] HTTPRoute other spec.foo\n  \
                 help: write it again with `--write-baseline known.json`\n";
    assert!(run.err.starts_with(lines), "{}", run.err);
    // Those of files that the run is not about may still occur.
    let one = with_baseline(&tree, &["apps/a.yaml"]);
    assert!(
        one.err.starts_with("1 entry of the baseline known.json no longer occurs:\n  apps/a.yaml: "),
        "{}",
        one.err
    );
    fs::write(tree.path("list"), "apps/pay.yaml\n").unwrap();
    let listed = with_baseline(&tree, &["--files-from", "list"]);
    listed.check(0);
    assert!(!listed.err.contains("no longer"), "{}", listed.err);
    fs::write(tree.path("list"), "apps/b.yaml\n").unwrap();
    let gone = with_baseline(&tree, &["--files-from", "list"]);
    assert!(gone.err.contains("\n2 entries of the baseline known.json no longer occur:\n"), "{}", gone.err);
    write_again(&tree);
    assert_eq!(tree.text("known.json").matches("\"code\"").count(), 1);
}

fn write_again(tree: &Tree) {
    tree.run(&[&["check", "-q", "--write-baseline", "known.json"][..], &TO].concat()).check(0);
}

#[test]
fn a_baseline_is_for_its_targets_and_holds_no_error() {
    let tree = team();
    write_baseline(&tree);
    let other = tree.run(&["check", "--baseline", "known.json", "--to", "gateway-api@1.5/standard"]);
    other.check(2);
    let message = "error: --baseline known.json: it was made for gateway-api@1.6.1/standard, and this run is to gateway-api@1.5.1/standard\n  help: ";
    assert!(other.err.starts_with(message), "{}", other.err);
    fs::write(tree.path("apps/broken.yaml"), "apiVersion: gateway.networking.k8s.io/v1\nkind: {a\n").unwrap();
    with_baseline(&tree, &[]).check(2);
    let before = tree.text("known.json");
    let failed = tree.run(&[&["check", "--write-baseline", "known.json"][..], &TO].concat());
    failed.check(2);
    assert!(failed.err.starts_with("no baseline was written, since a file failed"), "{}", failed.err);
    assert_eq!(tree.text("known.json"), before);
}

#[test]
fn a_file_that_is_no_baseline_is_neither_read_nor_replaced() {
    let tree = team();
    for (flag, file, message) in [
        (
            "--baseline",
            "none.json",
            "error: --baseline none.json: no such file\n  help: the same command with `--write-baseline none.json` makes one\n",
        ),
        ("--baseline", "apps/a.yaml", "error: --baseline apps/a.yaml: not a baseline: "),
        (
            "--write-baseline",
            "apps/a.yaml",
            "error: --write-baseline apps/a.yaml: the file exists and is not a baseline; name another file\n",
        ),
        ("--write-baseline", "none/known.json", "error: there is no folder for the baseline none/known.json\n"),
    ] {
        let run = tree.run(&[&["check", flag, file][..], &TO].concat());
        run.check(2);
        assert!(run.err.starts_with(message), "{}", run.err);
    }
    fs::write(tree.path("known.json"), "{\"schemaVersion\": 2, \"targets\": [], \"findings\": []}").unwrap();
    let newer = with_baseline(&tree, &[]);
    newer.check(2);
    assert!(newer.err.contains("it has schemaVersion 2, and this program reads 1\n"), "{}", newer.err);
    assert_eq!(tree.text("apps/a.yaml"), ROUTE);
}

/// One object of each way to be accepted, one that is at the target, and one that must change.
fn accepted() -> Tree {
    let held = RETRY.replace("    retry", "    # reversion: ignore[dropped-field]\n    retry");
    let kept = format!("# reversion: ignore[changes-needed]\n{}", ROUTE.replace("shop", "kept"));
    let tree = Tree::of(&[("apps/a.yaml", ROUTE), ("apps/held.yaml", &held), ("apps/kept.yaml", &kept)]);
    write_again(&tree);
    fs::write(tree.path("apps/new.yaml"), ROUTE.replace("shop", "new")).unwrap();
    fs::write(tree.path("apps/old.yaml"), ROUTE.replace("v1beta1", "v1").replace("shop", "old")).unwrap();
    tree
}

/// What is accepted is neither held back nor to change in any format.
#[test]
fn every_format_says_the_same_of_accepted_objects() {
    let tree = accepted();
    let outcomes = |report: &str| {
        let report: Value = serde_json::from_str(report).unwrap();
        let of = |object: &Value| object["outcome"].as_str().unwrap().to_owned();
        let outcomes: Vec<String> = report["objects"].as_array().unwrap().iter().map(of).collect();
        assert_eq!(outcomes, ["acknowledged", "acknowledged", "acknowledged", "changed", "unchanged"]);
        let kinds = &report["totals"]["kinds"]["HTTPRoute.gateway.networking.k8s.io"];
        assert_eq!(*kinds, serde_json::json!({"acknowledged": 3, "changed": 1, "heldBack": 0, "unchanged": 1}));
        assert_eq!(report["files"].as_array().unwrap().len(), 1);
        assert_eq!(report["summary"]["changedFiles"], 1);
    };
    let json = with_baseline(&tree, &["--format", "json"]);
    outcomes(&json.out);
    fs::write(tree.path("report.json"), &json.out).unwrap();
    outcomes(&tree.run(&["report", "merge", "report.json", "--format", "json"]).out);
    let statistics = with_baseline(&tree, &["--statistics"]).out;
    let sections = ["to change, by kind:\n  1 ", "acknowledged, by kind:\n  3 ", "unchanged, by kind:\n  1 "];
    assert!(sections.iter().all(|section| statistics.contains(section)), "{statistics}");
    assert!(!statistics.contains("held back"), "{statistics}");
    let page = with_baseline(&tree, &["--format", "html"]).out;
    assert!(page.contains("1 of 5 recognized objects must change, in 1 file; none is held back."));
    for tile in ["<b>1</b> to change<", "<b>0</b> held back<", "<b>3</b> acknowledged<", "<b>1</b> unchanged<"] {
        assert!(page.contains(tile), "{tile}");
    }
    let junit = with_baseline(&tree, &["--format", "junit"]).out;
    assert!(junit.contains("tests=\"3\" skipped=\"1\" failures=\"1\" errors=\"0\""), "{junit}");
    let markdown = with_baseline(&tree, &["--format", "markdown"]).out;
    assert!(
        markdown.contains("**Acknowledged (3)**") && markdown.contains("To change: 1 object in 1 file"),
        "{markdown}"
    );
    assert!(!markdown.contains("Held back ("), "{markdown}");
}

/// What is new stands alone; those who ask for all, and programs that track findings, get the others too.
#[test]
fn what_is_acknowledged_is_a_number_for_people() {
    let tree = accepted();
    fs::write(tree.path("report.json"), with_baseline(&tree, &["--format", "json"]).out).unwrap();
    let summary = tree.path("summary.md");
    let run = |format: &str, flags: &[&str]| {
        let (checked, merged) = (["check", "--baseline", "known.json", "."], ["report", "merge", "report.json"]);
        let of = |arguments: &[&str]| {
            let mut command = program();
            command.args(arguments).args(["--format", format]).args(flags).current_dir(tree.path(""));
            let out = command.env("GITHUB_STEP_SUMMARY", &summary).output().unwrap().stdout;
            let out = String::from_utf8(out).unwrap() + &fs::read_to_string(&summary).unwrap_or_default();
            fs::write(&summary, "").unwrap();
            out
        };
        [of(&[&checked[..], &TO].concat()), of(&merged)]
    };
    let is_named = |report: &String| ["a.yaml", "held.yaml", "kept.yaml"].map(|file| report.contains(file));
    for format in ["text", "markdown", "github", "junit"] {
        for report in run(format, &[]) {
            assert_eq!((is_named(&report), report.contains("new.yaml")), ([false; 3], true), "{format}: {report}");
        }
        for report in run(format, &["-v"]) {
            assert_eq!(is_named(&report), [true; 3], "{format}: {report}");
        }
    }
    let (markdown, junit) = (run("markdown", &[]), run("junit", &[]));
    let section =
        "**Acknowledged (3)**\n\n- 2 [`changes-needed`][], 1 [`dropped-field`][]\n\n[`changes-needed`]: https://";
    assert!(markdown.iter().all(|report| report.contains(section)), "{markdown:?}");
    let case = "<skipped message=\"2 changes-needed, 1 dropped-field\"/>";
    assert!(junit.iter().all(|report| report.contains(case)), "{junit:?}");
    for format in ["sarif", "json", "jsonl"] {
        assert!(run(format, &[]).iter().all(|report| is_named(report) == [true; 3]), "{format}");
    }
}

#[test]
fn a_saved_plan_counts_what_is_acknowledged() {
    let tree = accepted();
    let plan = tree.run(&[&["plan", "-o", "saved.plan", "."][..], &TO].concat());
    plan.check(0);
    let counts = "5 objects recognized: 2 to change in 2 files, 0 held back, 2 acknowledged;";
    assert!(plan.err.contains(counts), "{}", plan.err);
    let shown = tree.run(&["show", "saved.plan"]);
    assert!(shown.err.contains(counts), "{}", shown.err);
    let applied = tree.run(&["apply", "--plan", "saved.plan", "--yes", "--allow-no-vcs"]);
    applied.check(0);
    assert!(applied.err.contains("2 changed in 2 files, 0 held back, 2 acknowledged;"), "{}", applied.err);
}

/// Every entry is of one shard, which alone knows whether it still occurs.
#[test]
fn entries_of_other_shards_may_still_occur() {
    let tree = team();
    write_baseline(&tree);
    let stale = |arguments: &[&str]| {
        let run = |at: u32| with_baseline(&tree, &[&["--shard", &format!("{at}/3")], arguments].concat());
        let runs = (1..=3).map(run).inspect(|run| run.check(0));
        runs.map(|run| run.err.matches(".yaml: [").count()).sum::<usize>()
    };
    assert_eq!((stale(&[]), stale(&["apps", "apps/a.yaml"])), (0, 0));
    fs::remove_file(tree.path("apps/a.yaml")).unwrap();
    fs::write(tree.path("apps/pay.yaml"), "kind: none\n").unwrap();
    assert_eq!((stale(&[]), stale(&["apps"])), (2, 2));
    let before = tree.text("known.json");
    let write = tree.run(&[&["check", "--shard", "1/3", "--write-baseline", "known.json"][..], &TO].concat());
    write.check(2);
    assert!(write.err.contains("cannot be used with"), "{}", write.err);
    assert_eq!(tree.text("known.json"), before);
}

#[test]
fn entries_of_files_that_a_run_does_not_look_at_are_kept() {
    let tree = team();
    write_baseline(&tree);
    let all = tree.text("known.json");
    fs::write(tree.path("apps/a.yaml"), ROUTE.replace("v1beta1", "v1")).unwrap();
    let write =
        |arguments: &[&str]| tree.run(&[&["check", "--write-baseline", "known.json", "--to"], arguments].concat());
    let some = write(&[TO[1], "apps/a.yaml"]);
    some.check(0);
    let line = "wrote 0 findings to the baseline known.json and kept 3 of files that this run did not look at; read it";
    assert!(some.err.starts_with(line), "{}", some.err);
    let without_a: String =
        all.lines().filter(|line| !line.contains("a.yaml")).map(|line| format!("{line}\n")).collect();
    assert_eq!(tree.text("known.json"), without_a);
    write(&[TO[1], "--glob", "!b.yaml"]).check(0);
    assert_eq!(tree.text("known.json"), without_a);
    let other = write(&["gateway-api@1.5/standard", "apps/a.yaml"]);
    other.check(2);
    let message = "error: --write-baseline known.json: it was made for gateway-api@1.6.1/standard, and has 3 findings of files that this run does not look at\n";
    assert!(other.err.starts_with(message), "{}", other.err);
    assert_eq!(tree.text("known.json"), without_a);
    // On all paths it is made for them.
    write(&["gateway-api@1.5/standard"]).check(0);
    assert!(tree.text("known.json").contains("gateway-api@1.5.1/standard"));
}

#[test]
fn apply_converts_what_a_baseline_lists() {
    let tree = team();
    write_baseline(&tree);
    tree.run(&[&["apply", "--yes", "--allow-no-vcs"][..], &TO].concat()).check(1);
    assert!(!tree.text("apps/a.yaml").contains("v1beta1"));
}
