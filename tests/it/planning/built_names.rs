//! Objects that the conversion gives one apiVersion, and that builds call by one name.

use reversion::internals::finding::Severity;

use super::run;

const TO: &str = "kubernetes@1.25.0";

/// An Ingress of this apiVersion and name.
fn ingress(version: &str, name: &str) -> String {
    format!(
        "apiVersion: {version}\nkind: Ingress\nmetadata: {{name: {name}}}\nspec: {{backend: {{serviceName: a, servicePort: 80}}}}\n"
    )
}

/// Checks that of two Ingresses in `x` and `y`, of an old and a newer apiVersion, the old one is held back, or none.
#[track_caller]
fn check(names: [&str; 2], kustomizations: &[(&str, &str)], by: Option<&str>) {
    let (old, new) = (ingress("extensions/v1beta1", names[0]), ingress("networking.k8s.io/v1beta1", names[1]));
    let mut files = vec![("x/a.yaml", &*old), ("y/b.yaml", &*new)];
    files.extend(kustomizations);
    let outcome = run(&files, TO);
    let expected = by.map(|_| "x/a.yaml held-back name-conflict metadata.name");
    outcome.check_findings(Severity::Held, expected.as_slice());
    if let Some(by) = by {
        let message = format!("the same name as the Ingress at y/b.yaml:1:1, which {by} builds too");
        outcome.check_message(&message);
    }
    assert_eq!(outcome.after.contains_key("x/a.yaml"), by.is_none());
    assert!(outcome.after.contains_key("y/b.yaml"));
}

#[test]
fn a_name_with_a_prefix_is_compared() {
    let top = ("top/kustomization.yaml", "resources: [../x, ../y]\n");
    let (plain, y) = ("resources: [a.yaml]\n", ("y/kustomization.yaml", "resources: [b.yaml]\n"));
    let prefixed = "resources: [a.yaml]\nnamePrefix: p-\n";
    let by = Some("top/kustomization.yaml");
    check(["a", "p-a"], &[top, ("x/kustomization.yaml", prefixed), y], by);
    check(["a", "p-a"], &[top, ("x/kustomization.yaml", plain), y], None);
    check(["a", "p-a"], &[("x/kustomization.yaml", prefixed), y], None);
    check(["a", "a"], &[top, ("x/kustomization.yaml", prefixed), y], None);
    // The kustomization that takes both in fails, although what it builds has two names.
    let renaming = "resources: [../x, ../y]\npatches:\n- target: {kind: Ingress, name: a}\n  patch: '[{op: replace, path: /metadata/name, value: c}]'\n";
    check(["a", "p-a"], &[("top/kustomization.yaml", renaming), ("x/kustomization.yaml", prefixed), y], by);
}

#[test]
fn a_namespace_that_a_build_gives_distinguishes() {
    let top = ("top/kustomization.yaml", "resources: [../x, ../y]\n");
    let y = ("y/kustomization.yaml", "resources: [b.yaml]\n");
    let with = |namespace| format!("resources: [a.yaml]\nnamespace: {namespace}\n");
    check(["a", "a"], &[top, ("x/kustomization.yaml", &with("shop")), y], None);
    check(["a", "a"], &[top, ("x/kustomization.yaml", &with("default")), y], Some("top/kustomization.yaml"));
}

#[test]
fn a_name_that_a_patch_writes_is_compared() {
    let (old, new) = (ingress("extensions/v1beta1", "a"), ingress("networking.k8s.io/v1beta1", "b"));
    let rename = |name: &str| {
        format!(
            "resources: [a.yaml, b.yaml]\npatches:\n- target: {{kind: Ingress, name: a}}\n  patch: '[{{op: replace, path: /metadata/name, value: {name}}}]'\n"
        )
    };
    let with = |name| run(&[("a.yaml", &*old), ("b.yaml", &*new), ("kustomization.yaml", &rename(name))], TO);
    let outcome = with("b");
    outcome.check_findings(Severity::Held, &["a.yaml held-back name-conflict metadata.name"]);
    assert_eq!(outcome.after.into_keys().collect::<Vec<_>>(), ["b.yaml"]);
    let outcome = with("c");
    outcome.check_findings(Severity::Held, &[]);
    assert_eq!(outcome.after.into_keys().collect::<Vec<_>>(), ["a.yaml", "b.yaml"]);
}
