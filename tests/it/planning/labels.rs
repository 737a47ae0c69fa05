//! Labels that kustomizations write to selectors and templates.

use reversion::internals::finding::Severity;

use super::run;

const TARGET: &str = "kubernetes@1.33.0";

const HELD: [&str; 1] = ["base/object.yaml held-back converts-together -"];

/// Builds `object` in an overlay with these lines.
fn overlaid(object: &str, lines: &str) -> super::Outcome {
    let overlay = format!("resources: [../base]\n{lines}");
    let files = [
        ("base/kustomization.yaml", "resources: [object.yaml]\n"),
        ("base/object.yaml", object),
        ("live/kustomization.yaml", &*overlay),
    ];
    run(&files, TARGET)
}

/// Returns a workload with these lines in its specification.
fn workload(kind: &str, version: &str, lines: &str) -> String {
    format!(
        "apiVersion: {version}\nkind: {kind}\nmetadata: {{name: web}}\nspec:\n{lines}  template:\n    metadata: {{labels: {{app: web}}}}\n    \
         spec: {{containers: [{{name: web, image: web}}]}}\n"
    )
}

const COMMON: &str = "commonLabels: {env: prod}\n";
const SELECTORS: &str = "labels:\n- {pairs: {env: prod}, includeSelectors: true}\n";
const TEMPLATES: &str = "labels:\n- {pairs: {env: prod}, includeTemplates: true}\n";

#[test]
fn a_selector_that_labels_create_is_not_added_to() {
    let plain = workload("Deployment", "extensions/v1beta1", "");
    for lines in [COMMON, SELECTORS] {
        let outcome = overlaid(&plain, lines);
        outcome.check_findings(Severity::Held, &HELD);
        outcome.check_message("it is patched by the label transformer at live/kustomization.yaml:");
        outcome.check_message("they would build a `spec.selector.matchLabels.app` that differs");
        outcome.check_message("write its selector so that `kustomize build` makes the one that it makes now");
        assert!(outcome.after.is_empty());
    }
    // A template gets the label, and the selector that is written from the template would lack it.
    let outcome = overlaid(&plain, TEMPLATES);
    outcome.check_findings(Severity::Held, &HELD);
    outcome.check_message("they would build a `spec.selector.matchLabels.env` that differs");
    // Kustomize labels a StatefulSet of every version.
    let set = workload("StatefulSet", "apps/v1beta1", "  serviceName: web\n");
    overlaid(&set, COMMON).check_findings(Severity::Held, &HELD);
}

#[test]
fn labels_that_do_not_reach_what_changes_hold_nothing_back() {
    let with_selector = workload("Deployment", "extensions/v1beta1", "  selector: {matchLabels: {app: web}}\n");
    for lines in [COMMON, SELECTORS, TEMPLATES] {
        let outcome = overlaid(&with_selector, lines);
        outcome.check_findings(Severity::Held, &[]);
        assert!(outcome.after["base/object.yaml"].contains("apiVersion: apps/v1\n"), "{lines}");
    }
    let plain = workload("Deployment", "extensions/v1beta1", "");
    let outcome = overlaid(&plain, "labels:\n- {pairs: {env: prod}}\n");
    outcome.check_findings(Severity::Held, &[]);
    assert!(outcome.after.contains_key("base/object.yaml"));
    // Another overlay builds the other object.
    let files = [
        ("a/kustomization.yaml", "resources: [object.yaml]\n"),
        ("a/object.yaml", &*plain),
        ("b/kustomization.yaml", COMMON),
    ];
    assert_eq!(run(&files, TARGET).after.keys().collect::<Vec<_>>(), ["a/object.yaml"]);
}

#[test]
fn fields_that_labels_reach_in_the_new_group_alone_hold_an_object_back() {
    let policy = "apiVersion: extensions/v1beta1\nkind: NetworkPolicy\nmetadata: {name: web}\nspec:\n  podSelector: {matchLabels: {app: web}}\n";
    let outcome = overlaid(policy, COMMON);
    outcome.check_findings(Severity::Held, &HELD);
    outcome.check_message("they would build a `spec.podSelector.matchLabels.env` that differs");
    let outcome = overlaid(policy, TEMPLATES);
    outcome.check_findings(Severity::Held, &[]);
    assert!(outcome.after["base/object.yaml"].starts_with("apiVersion: networking.k8s.io/v1\n"));
}

#[test]
fn a_patch_that_writes_the_selector_comes_before_the_labels() {
    let plain = workload("Deployment", "extensions/v1beta1", "");
    let patch = "apiVersion: extensions/v1beta1\nkind: Deployment\nmetadata: {name: web}\nspec: {selector: {matchLabels: {app: web}}}\n";
    let text = format!("resources: [object.yaml]\npatches: [{{path: patch.yaml}}]\n{COMMON}");
    let files = [("kustomization.yaml", &*text), ("object.yaml", &*plain), ("patch.yaml", patch)];
    let outcome = run(&files, TARGET);
    outcome.check_findings(Severity::Held, &[]);
    assert_eq!(outcome.after.keys().collect::<Vec<_>>(), ["object.yaml", "patch.yaml"]);
}
