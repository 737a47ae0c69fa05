//! Patches of objects that a kustomization takes in from another repository.

use super::run;

/// Reports about a JSON patch of an ExternalSecret in another repository.
fn reported(operation: &str) -> Vec<String> {
    let text = format!(
        "resources: [https://git.example.com/shop/base]\npatches:\n- target: {{kind: ExternalSecret, group: external-secrets.io}}\n  patch: |\n    - {operation}\n"
    );
    run(&[("kustomization.yaml", &text)], "external-secrets@2.9.0").reported
}

#[test]
fn a_field_that_the_target_has_is_not_reported_as_removed() {
    // A rule removes it where it is v1.
    let path = "/spec/target/template/engineVersion";
    assert_eq!(reported(&format!("{{op: add, path: {path}, value: v2}}")), Vec::<String>::new());
}
