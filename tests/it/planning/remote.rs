//! Patches of objects that a kustomization takes in from another repository.

use super::run;

/// Reports about a JSON patch of an ExternalSecret in another repository.
fn reported(operation: &str) -> Vec<String> {
    reported_of("kind: ExternalSecret, group: external-secrets.io", operation, "external-secrets@2.9.0")
}

/// Reports about a JSON patch of `selected` objects in another repository.
fn reported_of(selected: &str, operation: &str, target: &str) -> Vec<String> {
    let text = format!(
        "resources: [https://git.example.com/shop/base]\npatches:\n- target: {{{selected}}}\n  patch: |\n    - {operation}\n"
    );
    run(&[("kustomization.yaml", &text)], target).reported
}

#[test]
fn a_field_that_the_target_has_is_not_reported_as_removed() {
    // A rule removes it where it is v1.
    let path = "/spec/target/template/engineVersion";
    assert_eq!(reported(&format!("{{op: add, path: {path}, value: v2}}")), Vec::<String>::new());
}

#[test]
fn what_a_schema_leaves_open_is_not_reported_as_removed() {
    let schema = "/spec/versions/0/schema/openAPIV3Schema";
    for (kind, path) in [
        ("CustomResourceDefinition", schema),
        ("CustomResourceDefinition", &*format!("{schema}/properties/spec/properties/a")),
        ("CustomResourceDefinition", "/metadata/annotations/a"),
        ("Deployment", "/spec/template/metadata/annotations/a"),
    ] {
        let operation = format!("{{op: add, path: {path}, value: b}}");
        assert_eq!(
            reported_of(&format!("kind: {kind}"), &operation, "kubernetes@1.37.0"),
            Vec::<String>::new(),
            "{path}"
        );
    }
}

#[test]
fn a_field_that_rules_move_or_remove_is_reported_also_where_a_schema_leaves_it_open() {
    let held = ["kustomization.yaml held-back patch-target [0].path"];
    for (kind, path) in [
        ("CustomResourceDefinition", "/spec/validation/openAPIV3Schema/properties/a"),
        ("CustomResourceDefinition", "/spec/subresources/status"),
        ("CustomResourceDefinition", "/spec/version"),
        ("Deployment", "/spec/template/metadata/annotations/seccomp.security.alpha.kubernetes.io~1pod"),
        ("Deployment", "/spec/rollbackTo"),
    ] {
        let operation = format!("{{op: add, path: {path}, value: b}}");
        assert_eq!(reported_of(&format!("kind: {kind}"), &operation, "kubernetes@1.37.0"), held, "{path}");
    }
}
