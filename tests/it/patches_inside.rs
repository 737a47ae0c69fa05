//! Patches inside patches of objects that have Kustomize run, at any depth, where the texts name no group of the targets.

use crate::support::trees::Tree;

const INGRESS: &str = "apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata: {name: shop}\nspec:\n  rules:\n  - host: shop\n    \
                       http:\n      paths:\n      - {path: /, pathType: Prefix, backend: {serviceName: shop, servicePort: 80}}\n";

/// Returns an object of Flux that has Kustomize run in a folder, with a patch.
fn flux(name: &str, path: &str, patch: &str) -> String {
    format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: flux-system}}\nspec:\n  \
         interval: 5m\n  path: {path}\n  prune: true\n  sourceRef: {{kind: GitRepository, name: x}}\n{patch}"
    )
}

/// Returns the field of an object of Flux with a patch for `target`, whose text is `patch`.
fn patches(target: &str, patch: &str) -> String {
    let lines: String = patch.lines().map(|line| format!("      {line}\n")).collect();
    format!("  patches:\n  - target: {{kind: {target}}}\n    patch: |-\n{lines}")
}

/// Returns a patch that adds a patch to an object of Flux.
fn adding(patches: &str) -> String {
    format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: all}}\nspec:\n{patches}"
    )
}

const BACKEND: &str = "- {op: replace, path: /spec/rules/0/http/paths/0/backend/serviceName, value: x}\n";

#[test]
fn what_a_patch_at_any_depth_is_applied_to_is_held_back() {
    let innermost = patches("Ingress", BACKEND);
    let middle = patches("Kustomization, name: apps", &adding(&innermost));
    let outer = patches("Kustomization, name: middle", &adding(&middle));
    let (middle, apps) = (flux("middle", "./inner", ""), flux("apps", "./apps", ""));
    for root in
        [flux("root", "./inner", &patches("Kustomization", &adding(&innermost))), flux("root", "./middle", &outer)]
    {
        let files = [
            ("apps/ingress.yaml", INGRESS),
            ("cluster/root.yaml", &*root),
            ("inner/apps.yaml", &*apps),
            ("middle/middle.yaml", &*middle),
        ];
        let tree = Tree::of(&files);
        let run = tree.run(&["apply", "--yes", "--allow-no-vcs", "--to", "kubernetes@1.25"]);
        run.check(1);
        assert!(run.all().contains("apps/ingress.yaml:1:1: held-back[converts-together]"), "{}", run.all());
        assert_eq!(tree.text("apps/ingress.yaml"), INGRESS);
    }
}
