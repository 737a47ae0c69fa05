//! Targets of patches in objects of Flux, where what they select or their patches are held back.

use reversion::internals::finding::Severity;

use super::run;

/// A Deployment with a field that the target lacks.
const HELD: &str = "apiVersion: extensions/v1beta1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec:\n  rollbackTo: {revision: 1}\n  selector: {matchLabels: {app: web}}\n  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: web}]}}\n";

/// Has Flux apply the folder `apps` with a patch of what this selects.
fn flux(target: &str) -> String {
    format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: apps, namespace: flux-system}}\nspec:\n  interval: 1h\n  prune: true\n  \
         path: ./apps\n  sourceRef: {{kind: GitRepository, name: shop}}\n  patches:\n  - target: {{{target}}}\n    \
         patch: |\n      - {{op: add, path: /spec/replicas, value: 3}}\n"
    )
}

#[test]
fn a_target_of_an_object_that_is_held_back_stays_and_is_reported() {
    let flux = flux("kind: Deployment, group: extensions, version: v1beta1, name: web");
    let outcome = run(&[("apps/web.yaml", HELD), ("flux.yaml", &flux)], "kubernetes@1.33.0");
    outcome.check_findings(
        Severity::Unresolved,
        &[
            "apps/web.yaml held-back dropped-field spec.rollbackTo",
            "flux.yaml unresolved reference-not-updated spec.patches[0].target",
        ],
    );
    outcome.check_message("spec.patches[0].target names Deployment shop/web, which is held back");
    assert!(outcome.after.is_empty(), "{:?}", outcome.after);
}

#[test]
fn a_target_follows_an_object_of_another_namespace_that_is_converted() {
    let converted = HELD.replace("  rollbackTo: {revision: 1}\n", "");
    let target = |group: &str| flux(&format!("kind: Deployment, group: {group}, name: web"));
    let outcome = run(
        &[("apps/web.yaml", &converted), ("flux.yaml", &target("extensions, version: v1beta1"))],
        "kubernetes@1.33.0",
    );
    outcome.check_findings(Severity::Unresolved, &[]);
    assert_eq!(outcome.after["flux.yaml"], target("apps, version: v1"));
}

#[test]
fn a_target_stays_with_its_patch_that_is_not_converted() {
    let instance = "apiVersion: fluxcd.controlplane.io/v1\nkind: FluxInstance\nmetadata: {name: flux, namespace: flux-system}\nspec:\n  kustomize:\n    patches:\n    - patch: |\n        - {op: add, path: /spec/accessFrom, value: {namespaceSelectors: []}}\n      target: {kind: GitRepository, version: v1beta2, group: source.toolkit.fluxcd.io}\n";
    let repository = "apiVersion: source.toolkit.fluxcd.io/v1beta2\nkind: GitRepository\nmetadata: {name: shop, namespace: flux-system}\nspec: {interval: 1m, timeout: 20s, url: \"https://git.example.com/shop\"}\n";
    let outcome = run(&[("instance.yaml", instance), ("repository.yaml", repository)], "flux@2.9.0");
    outcome.check_message("it selects no object of this run, so that it is not converted");
    assert_eq!(outcome.after.keys().collect::<Vec<_>>(), ["repository.yaml"]);
    // One that needs no other path follows.
    let other = instance.replace("accessFrom, value: {namespaceSelectors: []}", "suspend, value: true");
    let outcome = run(&[("instance.yaml", &other), ("repository.yaml", repository)], "flux@2.9.0");
    assert_eq!(outcome.after["instance.yaml"], other.replace("version: v1beta2", "version: v1"));
}
