//! What names a known group or kind and needs nobody, and what resembles it and needs somebody.

use reversion::internals::finding::Severity;
use reversion::internals::manifest::Reading;
use reversion::internals::plan::{self, Choices, Goal};

use super::{read, run};
use crate::support::{engine, packs};

#[test]
fn a_template_is_reported_where_an_api_version_names_a_group() {
    let is_template = |text: &str| matches!(engine::reading("config.yaml", text.as_bytes()), Reading::Template(_));
    for text in [
        "repository: https://github.com/me/fleet/tree/main/kubernetes/apps/media\ntoken: {{ .KEY }}\n",
        "paths: [apps/shop, batch/jobs]\ntoken: {{ .KEY }}\n",
        "docs: https://example.com/networking.k8s.io/ingress\ntoken: {{ .KEY }}\n",
        "path: apps/{{ .cluster }}\ntoken: {{ .KEY }}\n",
        "{{ if .a }}\ngroup: networking.k8s.io\n{{ end }}\n",
    ] {
        assert!(!is_template(text), "{text}");
    }
    for text in [
        "apiVersion: apps/v1beta1\nkind: Deployment\nmetadata: {{ .meta }}\n",
        "apiVersion: apps/{{ .version }}\nkind: Deployment\nmetadata: {{ .meta }}\n",
        "apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata: {{ .meta }}\n",
    ] {
        assert!(is_template(text), "{text}");
    }
}

const BUDGET: &str =
    "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: a}\nspec: {minAvailable: 1, selector: {}}\n";

/// Returns what is reported where a JSON patch of an object of another kind, in another repository, writes `value` to `path`.
fn written(path: &str, value: &str) -> Vec<String> {
    let kustomization = format!(
        "resources: [https://git.example.com/shop/base, budget.yaml]\npatches:\n- target: {{kind: Application, name: shop}}\n  patch: |\n    - op: add\n      path: {path}\n      value: {value}\n"
    );
    let files = [("budget.yaml", BUDGET), ("kustomization.yaml", &*kustomization)];
    run(&files, "kubernetes@1.37.0").reported
}

#[test]
fn a_json_patch_is_reported_that_writes_what_the_target_does_not_have() {
    for (path, value) in [
        ("/spec/source/path", "components/apps/shop/overlays/prod"),
        ("/spec/source/path", "apps/shop"),
        ("/apiVersion", "networking.k8s.io/v1"),
        ("/apiVersion", "apps/v1"),
        ("/kind", "Ingress"),
        ("/spec/a", "networking.k8s.io"),
        ("/spec/a", "https://example.com/networking.k8s.io/v1beta1"),
        ("/spec/a", "[apps/v1, Deployment]"),
    ] {
        assert_eq!(written(path, value), [""; 0], "{path}: {value}");
    }
    let reported = ["kustomization.yaml unresolved patch-target [0].value"];
    for (path, value) in [
        ("/apiVersion", "networking.k8s.io/v1beta1"),
        ("/apiVersion", "apps/v1beta1"),
        ("/apiVersion", "batch/v1beta1"),
        ("/spec/a", "[apps/v1, apps/v1beta2]"),
        // The apiVersion of an object says nothing about its fields.
        ("/spec/a", "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}}"),
        ("/spec/a", "\"apiVersion: apps/v1\\nkind: Deployment\\n\""),
    ] {
        assert_eq!(written(path, value), reported, "{path}: {value}");
    }
    // Of the kinds of a group, that of the target counts: in this release not all have the version.
    let of_kind = |kind: &str, version: &str| {
        let kustomization = format!(
            "resources: [https://git.example.com/shop/base, budget.yaml]\npatches:\n- target: {{kind: {kind}, name: shop}}\n  patch: |\n    \
             - {{op: replace, path: /apiVersion, value: networking.k8s.io/{version}}}\n"
        );
        run(&[("budget.yaml", BUDGET), ("kustomization.yaml", &*kustomization)], "kubernetes@1.30").reported
    };
    assert_eq!(of_kind("Ingress", "v1"), [""; 0]);
    for (kind, version) in [("ServiceCIDR", "v1"), ("Ingress", "v1beta1"), ("Other", "v1")] {
        assert_eq!(of_kind(kind, version), reported, "{kind} {version}");
    }
    let file = |kind: &str| {
        let patch = format!("- {{op: replace, path: /spec/a/kind, value: {kind}}}\n");
        run(&[("patch.yaml", &*patch), ("budget.yaml", BUDGET)], "kubernetes@1.37.0").reported
    };
    assert_eq!(file("Ingress"), [""; 0]);
    assert_eq!(file("PodSecurityPolicy"), ["patch.yaml unresolved patch-target [0].value"]);
}

/// Returns what is reported, notes and advisories left out, of a HelmRelease that has what its chart renders patched by `patch`.
fn post_rendered(patch: &str, targets: &[&str]) -> (bool, Vec<String>) {
    let release = format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2beta2\nkind: HelmRelease\nmetadata: {{name: shop}}\nspec:\n  interval: 5m\n  chart: {{spec: {{chart: \
         shop, sourceRef: {{kind: HelmRepository, name: c}}}}}}\n  postRenderers:\n  - kustomize:\n      patchesStrategicMerge:\n      - {patch}\n"
    );
    let targets = targets.iter().map(|name| engine::target(name)).collect();
    let goal = Goal { packs: packs(), targets, choices: Choices::default() };
    let plan = plan::plan(&[read("release.yaml", &release)], &goal);
    let findings = plan.findings.iter().filter(|finding| finding.severity >= Severity::Unresolved);
    let reported = findings.map(|finding| format!("{} {}", finding.severity.name(), finding.code)).collect();
    (!plan.files.is_empty(), reported)
}

#[test]
fn a_patch_that_is_data_is_reported_where_it_would_have_to_be_converted() {
    let current = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: shop}, spec: {replicas: 2}}";
    let old =
        "{apiVersion: policy/v1beta1, kind: PodDisruptionBudget, metadata: {name: shop}, spec: {minAvailable: 2}}";
    let (flux, kubernetes) = ("flux@2.9.0", "kubernetes@1.37.0");
    assert_eq!(post_rendered(current, &[flux]), (true, Vec::new()));
    assert_eq!(post_rendered(current, &[flux, kubernetes]), (true, Vec::new()));
    assert_eq!(post_rendered(current, &[kubernetes]), (false, Vec::new()));
    assert_eq!(post_rendered(old, &[flux]), (true, Vec::new()));
    let unresolved = vec!["unresolved inline-patch".to_owned()];
    assert_eq!(post_rendered(old, &[kubernetes]), (false, unresolved));
    // As a text it would be what the next run converts.
    let held = vec!["held-back inline-patch".to_owned()];
    assert_eq!(post_rendered(old, &[flux, kubernetes]), (false, held));
}
