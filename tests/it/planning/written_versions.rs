//! Patches and replacements that write the apiVersion of an object: what is built has it, and the conversion starts from it.

use reversion::internals::finding::Severity;

use super::run;

const TO: &str = "kubernetes@1.25.0";

const BASE: &str = "resources: [i.yaml]\n";

/// An Ingress of this apiVersion.
fn ingress(version: &str) -> String {
    format!(
        "apiVersion: {version}\nkind: Ingress\nmetadata: {{name: shop}}\nspec: {{backend: {{serviceName: a, servicePort: 80}}}}\n"
    )
}

/// An overlay that writes this apiVersion to the Ingress of the base.
fn overlay(version: &str) -> String {
    format!(
        "resources: [../base]\npatches:\n- target: {{kind: Ingress}}\n  patch: |-\n    - {{op: replace, path: /apiVersion, value: {version}}}\n"
    )
}

#[test]
fn an_api_version_that_a_patch_writes_is_converted_with_its_object() {
    for [own, written] in
        [["extensions/v1beta1", "networking.k8s.io/v1beta1"], ["networking.k8s.io/v1beta1", "extensions/v1beta1"]]
    {
        let (base, overlay) = (ingress(own), overlay(written));
        let files = [("base/i.yaml", &*base), ("base/kustomization.yaml", BASE), ("l1/kustomization.yaml", &*overlay)];
        let outcome = run(&files, TO);
        outcome.check_findings(Severity::Held, &[]);
        assert!(outcome.after["base/i.yaml"].contains("apiVersion: networking.k8s.io/v1\n"));
        assert_eq!(outcome.after["l1/kustomization.yaml"], overlay.replace(written, "networking.k8s.io/v1"));
    }
}

#[test]
fn nothing_in_a_patch_that_is_held_back_changes() {
    let (base, overlay) = (ingress("extensions/v1beta1"), overlay("networking.k8s.io/v1beta1"));
    // Whether it selects the object depends on what the first overlay writes.
    let second = "resources: [../l1]\npatches:\n- target: {group: networking.k8s.io, version: v1beta1}\n  patch: |-\n    - {op: replace, path: /spec/backend/serviceName, value: x}\n";
    let files = [
        ("base/i.yaml", &*base),
        ("base/kustomization.yaml", BASE),
        ("l1/kustomization.yaml", &*overlay),
        ("l2/kustomization.yaml", second),
    ];
    let outcome = run(&files, TO);
    outcome.check_findings(
        Severity::Held,
        &[
            "base/i.yaml held-back converts-together -",
            "l1/kustomization.yaml held-back patch-target -",
            "l2/kustomization.yaml held-back patch-target -",
        ],
    );
    assert!(outcome.after.is_empty(), "{:?}", outcome.after);
}

#[test]
fn a_replacement_that_writes_an_api_version_is_held_back_for_a_true_reason() {
    let base = ingress("extensions/v1beta1");
    let settings = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {v: networking.k8s.io/v1beta1}\n";
    let kustomization = "resources: [i.yaml, c.yaml]\nreplacements:\n- source: {kind: ConfigMap, name: c, fieldPath: data.v}\n  targets:\n  - select: {kind: Ingress}\n    fieldPaths: [apiVersion]\n";
    let outcome = run(&[("c.yaml", settings), ("i.yaml", &base), ("kustomization.yaml", kustomization)], TO);
    outcome.check_findings(
        Severity::Held,
        &["i.yaml held-back converts-together -", "kustomization.yaml held-back patch-target replacements[0]"],
    );
    assert!(!outcome.messages.contains("does not have the kind"), "{}", outcome.messages);
    assert!(outcome.after.is_empty(), "{:?}", outcome.after);
}
