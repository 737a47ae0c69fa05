//! Components that an object of a controller adds to the kustomization in the folder that it applies.

use std::fs;

use crate::support::trees::{Run, Tree};

const KUSTOMIZATION: &str = "\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: shop, namespace: flux-system}
spec:
  interval: 1h
  prune: true
  path: ./apps/shop
  components: [../../components/vault]
  sourceRef: {kind: GitRepository, name: flux-system}
";

const COMPONENT: &str = "\
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
resources: [other.yaml]
patches:
- path: patch.yaml
- target: {group: external-secrets.io, version: v1beta1, kind: ExternalSecret, name: shop}
  patch: |-
    - op: replace
      path: /spec/secretStoreRef/name
      value: vault
";

fn secret(name: &str, spec: &str) -> String {
    format!("apiVersion: external-secrets.io/v1beta1\nkind: ExternalSecret\nmetadata: {{name: {name}}}\nspec:\n{spec}")
}

const SPEC: &str = "  secretStoreRef: {name: a}\n  dataFrom: [{extract: {key: a}}]\n";

fn apply(tree: &Tree) -> Run {
    tree.run(&["apply", "--yes", "--allow-no-vcs", "-v", "--to", "external-secrets@latest"])
}

fn tree(kustomization: &str, more: &[(&str, &str)]) -> Tree {
    let (shop, other, patch) = (secret("shop", SPEC), secret("other", SPEC), secret("shop", "  refreshInterval: 2h\n"));
    let files = [
        ("cluster/shop.yaml", kustomization),
        ("apps/shop/kustomization.yaml", "resources: [secret.yaml]\n"),
        ("apps/shop/secret.yaml", &shop),
        ("components/vault/kustomization.yaml", COMPONENT),
        ("components/vault/other.yaml", &other),
        ("components/vault/patch.yaml", &patch),
    ];
    Tree::of(&[&files[..], more].concat())
}

#[test]
fn what_a_component_patches_is_converted_with_its_patches() {
    let tree = tree(KUSTOMIZATION, &[]);
    let run = apply(&tree);
    run.check(0);
    for (file, before) in [
        ("apps/shop/secret.yaml", secret("shop", SPEC)),
        ("components/vault/other.yaml", secret("other", SPEC)),
        ("components/vault/patch.yaml", secret("shop", "  refreshInterval: 2h\n")),
        ("components/vault/kustomization.yaml", COMPONENT.to_owned()),
    ] {
        assert_eq!(tree.text(file), before.replace("v1beta1", "v1"), "{file}: {}", run.all());
    }
    assert_eq!(tree.text("cluster/shop.yaml"), KUSTOMIZATION);
}

#[test]
fn a_patch_of_a_component_stays_with_an_object_that_is_held_back() {
    let tree = tree(KUSTOMIZATION, &[]);
    // There is no conversion of such a template.
    let held = secret(
        "shop",
        &format!("{SPEC}  target: {{template: {{engineVersion: v1, data: {{a: '{{{{ .a | fromJSON }}}}'}}}}}}\n"),
    );
    fs::write(tree.path("apps/shop/secret.yaml"), &held).unwrap();
    let run = apply(&tree);
    run.check(1);
    assert_eq!(tree.text("apps/shop/secret.yaml"), held, "{}", run.all());
    assert_eq!(tree.text("components/vault/patch.yaml"), secret("shop", "  refreshInterval: 2h\n"), "{}", run.all());
    assert_eq!(tree.text("components/vault/other.yaml"), secret("other", SPEC).replace("v1beta1", "v1"));
}

#[test]
fn components_that_are_not_in_the_run_hold_back_what_they_work_on() {
    let elsewhere = KUSTOMIZATION.replace("../../components/vault", "../../components/elsewhere");
    let tree = tree(&elsewhere, &[]);
    let run = apply(&tree);
    assert_eq!(tree.text("apps/shop/secret.yaml"), secret("shop", SPEC), "{}", run.all());
    assert!(run.all().contains("what spec.components names is applied to ExternalSecret shop"), "{}", run.all());
    run.check(1);
}

/// Neither of the two shows alone what is built.
#[test]
fn different_components_for_one_folder_hold_back_what_they_work_on() {
    let second = KUSTOMIZATION.replace("name: shop,", "name: copy,").replace("vault", "none");
    let none = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n";
    let tree = tree(KUSTOMIZATION, &[("cluster/copy.yaml", &second), ("components/none/kustomization.yaml", none)]);
    let run = apply(&tree);
    assert_eq!(tree.text("apps/shop/secret.yaml"), secret("shop", SPEC), "{}", run.all());
    run.check(1);
}
