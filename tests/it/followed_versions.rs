//! Versions that name objects follow these, wherever they are written, and nothing that follows is reported as left.

use crate::support::trees::{Run, Tree};

const RELEASE: &str = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: shop, namespace: home}\nspec:\n  interval: 30m\n  chart: {spec: {chart: a, sourceRef: {kind: HelmRepository, name: b}}}\n";

const KUSTOMIZATION: &str = "\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: shop, namespace: flux-system}
spec:
  interval: 30m
  prune: true
  path: ./app
  sourceRef: {kind: GitRepository, name: flux-system}
  healthChecks:
    - {apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, name: shop, namespace: home}
";

const PATCHES: &str = "\
resources: [shop.yaml]
patches:
  - target: {kind: Kustomization, name: shop}
    patch: |-
      - op: replace
        path: /spec/healthChecks/0/apiVersion
        value: helm.toolkit.fluxcd.io/v2
";

fn apply(tree: &Tree, to: &str) -> Run {
    tree.run(&["apply", "--yes", "--allow-no-vcs", "-v", "--to", to])
}

#[test]
fn what_a_json_patch_writes_into_a_reference_follows_the_object_that_it_names() {
    let tree =
        Tree::of(&[("app/release.yaml", RELEASE), ("shop.yaml", KUSTOMIZATION), ("kustomization.yaml", PATCHES)]);
    apply(&tree, "flux@2.2").check(0);
    let older = |text: &str| text.replace("helm.toolkit.fluxcd.io/v2", "helm.toolkit.fluxcd.io/v2beta2");
    for (file, text) in [("app/release.yaml", RELEASE), ("shop.yaml", KUSTOMIZATION), ("kustomization.yaml", PATCHES)] {
        assert_eq!(tree.text(file), older(text));
    }
    apply(&tree, "flux@latest").check(0);
    assert_eq!(tree.text("kustomization.yaml"), PATCHES);
}

#[test]
fn what_a_json_patch_writes_is_reported_where_the_run_has_no_such_object() {
    let tree = Tree::of(&[("shop.yaml", KUSTOMIZATION), ("kustomization.yaml", PATCHES)]);
    let run = apply(&tree, "flux@2.2");
    assert_eq!(tree.text("kustomization.yaml"), PATCHES);
    let at = |file: &str| run.all().lines().any(|line| line.contains(file) && line.contains("reference-not-updated"));
    assert!(at("kustomization.yaml:7:") && at("shop.yaml:10:"), "{}", run.all());
}

#[test]
fn a_version_that_a_rule_updates_is_not_reported_as_left() {
    let old = KUSTOMIZATION.replace("helm.toolkit.fluxcd.io/v2", "helm.toolkit.fluxcd.io/v2beta1");
    let tree = Tree::of(&[("shop.yaml", &old)]);
    let run = apply(&tree, "flux@latest");
    assert_eq!(tree.text("shop.yaml"), KUSTOMIZATION);
    assert!(!run.all().contains("is not updated"), "{}", run.all());
}

#[test]
fn a_name_reference_of_kustomize_that_follows_is_not_reported_as_left() {
    let source = "apiVersion: source.toolkit.fluxcd.io/v1beta1\nkind: HelmRepository\nmetadata: {name: b}\nspec: {interval: 1h, url: 'https://charts.example.com'}\n";
    let names = "nameReference:\n- kind: HelmRepository\n  version: v1beta1\n  group: source.toolkit.fluxcd.io\n  fieldSpecs:\n  - kind: HelmRelease\n    path: spec/chart/spec/sourceRef/name\n";
    let kustomization = "resources: [source.yaml]\nconfigurations: [names.yaml]\n";
    let tree = Tree::of(&[("source.yaml", source), ("names.yaml", names), ("kustomization.yaml", kustomization)]);
    let run = apply(&tree, "flux@latest");
    assert_eq!(tree.text("names.yaml"), names.replace("v1beta1", "v1"), "{}", run.all());
    assert!(!run.all().contains("is not updated"), "{}", run.all());
    run.check(0);
}
