//! A repository with deliberate exceptions is brought to green and kept green, as in a pipeline; and what is known to break is never
//! green by itself.

use std::fs;

use crate::support::trees::{Run, Tree};

const TO: [&str; 2] = ["--to", "gateway-api@1.6/standard"];

/// At the target, with an advisory.
const SHOP: &str = "apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  name: shop
spec:
  hostnames: [shop.example.com]
";

/// Not at the target.
const LEGACY: &str = "apiVersion: gateway.networking.k8s.io/v1beta1
kind: HTTPRoute
metadata:
  name: legacy
spec:
  hostnames: [legacy.example.com]
";

/// Held back: the standard channel has no `retry`.
const PAY: &str = "apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  name: pay
spec:
  rules:
  - name: charge
    retry: {attempts: 3}
";

const TEMPLATE: &str = "{{- if .Values.route }}
apiVersion: gateway.networking.k8s.io/v1beta1
kind: HTTPRoute
metadata:
  name: {{ .Release.Name }}
{{- end }}
";

fn team() -> Tree {
    Tree::of(&[
        ("apps/shop.yaml", SHOP),
        ("apps/legacy.yaml", LEGACY),
        ("apps/pay.yaml", PAY),
        ("charts/web/templates/route.yaml", TEMPLATE),
        ("vendor/route.yaml", &LEGACY.replace("legacy", "vendored")),
    ])
}

/// The step of the pipeline.
fn pipeline(tree: &Tree) -> Run {
    tree.run(&[&["check", "--baseline", ".reversion-baseline.json"][..], &TO].concat())
}

fn write(tree: &Tree, file: &str, text: &str) {
    fs::write(tree.path(file), text).unwrap();
}

#[test]
fn a_repository_with_exceptions_becomes_green_and_stays_green() {
    let tree = team();
    let red = tree.run(&[&["check"][..], &TO].concat());
    red.check(1);
    for line in [
        "apps/pay.yaml:8:5: held-back[dropped-field] HTTPRoute pay: ",
        "charts/web/templates/route.yaml:1:3: unresolved[template] ",
        "5 files read, 4 objects recognized: 2 to change in 2 files, 1 held back, 1 unresolved; 1 file skipped (1 template), 0 failed\n",
    ] {
        assert!(red.all().contains(line), "{line}: {}", red.all());
    }

    // What is decided is said where it is decided; what is to be done later is in the baseline.
    write(&tree, ".reversionignore", "/vendor/\n");
    write(
        &tree,
        "apps/legacy.yaml",
        &format!("# reversion: ignore[changes-needed] until the old cluster is gone\n{LEGACY}"),
    );
    write(&tree, "apps/pay.yaml", &PAY.replace("3}", "3} # reversion: ignore[dropped-field] the bank is slow"));
    tree.run(&[&["check", "--write-baseline", ".reversion-baseline.json"][..], &TO].concat()).check(0);
    assert_eq!(
        tree.text(".reversion-baseline.json").matches("\"code\"").count(),
        1,
        "{}",
        tree.text(".reversion-baseline.json")
    );
    let green = pipeline(&tree);
    green.check(0);
    let summary = "4 files read, 3 objects recognized: 0 to change in 0 files, 0 held back, 3 acknowledged; 1 file skipped (1 template), 1 path ignored by .reversionignore, 0 failed\n";
    assert!(green.out.is_empty() && green.err.ends_with(summary), "{}{}", green.out, green.err);

    // A new object is the only thing that is named.
    write(&tree, "apps/new.yaml", &LEGACY.replace("legacy", "new"));
    let red = pipeline(&tree);
    red.check(1);
    assert!(red.out.contains("apps/new.yaml:1:1: HTTPRoute new") && !red.out.contains("legacy"), "{}", red.out);
    assert!(!red.err.contains("pay") && !red.err.contains("charts/"), "{}", red.err);
    tree.run(&[&["apply", "--yes", "--allow-no-vcs", "apps"][..], &TO].concat()).check(0);
    pipeline(&tree).check(0);
    assert!(tree.text("apps/legacy.yaml").contains("v1beta1") && !tree.text("apps/new.yaml").contains("v1beta1"));

    // A baselined finding that is gone is reported, and so is a comment without a reason to be there.
    fs::remove_file(tree.path("charts/web/templates/route.yaml")).unwrap();
    let stale = pipeline(&tree);
    stale.check(0);
    let line = "1 entry of the baseline .reversion-baseline.json no longer occurs:\n  charts/web/templates/route.yaml: [template]\n";
    assert!(stale.err.starts_with(line), "{}", stale.err);
    let without = PAY.replace(
        "    retry: {attempts: 3}",
        "    # reversion: ignore[dropped-field] the bank is slow\n    matches: []",
    );
    write(&tree, "apps/pay.yaml", &without);
    let unused = pipeline(&tree);
    unused.check(0);
    let line =
        "apps/pay.yaml:8:5: warning[unused-ignore] there is no `dropped-field` here\n  help: remove the comment\n";
    assert!(unused.out.contains(line), "{}", unused.out);
}

/// Files that are at the target, with something in them that breaks, or can, and that nothing converts.
const BREAKING: [(&str, &str, &str); 7] = [
    (
        "owner.yaml",
        "dangling-reference",
        "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata:\n  name: a\n  ownerReferences:\n  - {apiVersion: gateway.networking.x-k8s.io/v1alpha1, kind: XMesh, name: b, uid: c}\nspec: {hostnames: [a.example.com]}\n",
    ),
    (
        "role.yaml",
        "reference-not-updated",
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: a}\nrules:\n- {apiGroups: [gateway.networking.x-k8s.io], resources: [xlistenersets], verbs: [get]}\n",
    ),
    (
        "hook.yaml",
        "reference-not-updated",
        "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: a}\nwebhooks:\n- name: a.example.com\n  rules: [{apiGroups: [gateway.networking.k8s.io], apiVersions: [v1alpha2], resources: [grpcroutes]}]\n",
    ),
    (
        "text.yaml",
        "reference-not-updated",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  set.yaml: |\n    apiVersion: gateway.networking.x-k8s.io/v1alpha1\n    kind: XListenerSet\n    metadata: {name: a}\n",
    ),
    (
        "case.yaml",
        "not-an-object",
        "apiVersion: chainsaw.kyverno.io/v1alpha1\nkind: Test\nmetadata: {name: a}\nspec:\n  steps:\n  - apply:\n      resource:\n        apiVersion: gateway.networking.k8s.io/v1beta1\n        kind: HTTPRoute\n        metadata: {name: a}\n",
    ),
    (
        "patch.yaml",
        "patch-target",
        "- {op: replace, path: /spec/parentRefs/0/group, value: gateway.networking.x-k8s.io}\n",
    ),
    ("template.yaml", "template", TEMPLATE),
];

#[test]
fn what_is_known_to_break_is_never_green_by_itself() {
    for (file, code, text) in BREAKING {
        let tree = Tree::of(&[("shop.yaml", SHOP), (file, text)]);
        for command in [&["check"][..], &["check", "-q"], &["diff"], &["apply", "--yes", "--allow-no-vcs"]] {
            let run = tree.run(&[command, &TO].concat());
            run.check(1);
            assert!(run.all().contains(&format!(" unresolved[{code}] ")), "{file}: {}", run.all());
            assert!(run.err.contains(", 1 unresolved; "), "{file}: {}", run.err);
        }
        tree.run(&[&["check", "--exit-zero"][..], &TO].concat()).check(0);
        tree.run(&[&["check", "--write-baseline", "known.json"][..], &TO].concat()).check(0);
        if code != "template" {
            write(&tree, file, &format!("# reversion: ignore[{code}] known\n{text}"));
            tree.run(&[&["check"][..], &TO].concat()).check(0);
        }
    }
    // There is nothing else in the tree.
    let tree = Tree::of(&[("template.yaml", TEMPLATE)]);
    tree.run(&[&["check", "--allow-empty"][..], &TO].concat()).check(1);
}

#[test]
fn advice_and_what_was_wrong_before_do_not_affect_the_exit_code() {
    let unknown = SHOP.replace("  hostnames", "  host: a\n  hostnames");
    let chart = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: {name: a}\nspec: {url: https://example.com}\n";
    for (text, code) in [(unknown.as_str(), "unknown-field"), (chart, "")] {
        let tree = Tree::of(&[("shop.yaml", SHOP), ("other.yaml", text)]);
        let run = tree.run(&[&["check"][..], &TO].concat());
        run.check(0);
        assert!(run.out.contains(code), "{}", run.out);
    }
    let lost = Tree::of(&[("pay.yaml", PAY)]);
    let apply = lost.run(&[&["apply", "--yes", "--allow-no-vcs", "--allow-loss"][..], &TO].concat());
    apply.check(0);
    assert!(apply.err.contains("warning[dropped-field]"), "{}", apply.err);
}

/// A saved plan has what is unresolved when it is made, and no object that is left as it is.
#[test]
fn a_saved_plan_ends_as_the_run_that_it_is_made_in() {
    let kept = format!("# reversion: ignore[changes-needed] later\n{LEGACY}");
    let tree = Tree::of(&[("legacy.yaml", &kept), ("new.yaml", &LEGACY.replace("legacy", "new"))]);
    let apply = |tree: &Tree| tree.run(&["apply", "--yes", "--allow-no-vcs", "--plan", "x.plan"]);
    tree.run(&[&["plan", "-o", "x.plan"][..], &TO].concat()).check(0);
    let clean = apply(&tree);
    clean.check(0);
    let summary = "2 files read, 2 objects recognized: 1 changed in 1 file, 0 held back, 1 acknowledged; to gateway-api@1.6.1/standard\n";
    assert!(clean.err.ends_with(summary), "{}", clean.err);
    assert_eq!(tree.text("legacy.yaml"), kept);
    let owner = BREAKING[0].2.replace("/v1\nkind: HTTP", "/v1beta1\nkind: HTTP");
    write(&tree, "owner.yaml", &owner);
    tree.run(&[&["plan", "-o", "x.plan"][..], &TO].concat()).check(1);
    let unresolved = apply(&tree);
    unresolved.check(1);
    assert!(
        unresolved.err.contains("1 changed in 1 file, 0 held back, 1 unresolved, 1 acknowledged; to "),
        "{}",
        unresolved.err
    );
}
