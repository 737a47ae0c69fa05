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
fn a_first_name_that_a_patch_gives_back_is_compared() {
    let top = "resources: [../x, ../y]\npatches:\n- target: {kind: Ingress, name: p-a}\n  patch: '[{op: replace, path: /metadata/name, value: a}]'\n";
    let prefixed = ("y/kustomization.yaml", "resources: [b.yaml]\nnamePrefix: p-\n");
    let by = Some("top/kustomization.yaml");
    check(
        ["a", "a"],
        &[("top/kustomization.yaml", top), ("x/kustomization.yaml", "resources: [a.yaml]\n"), prefixed],
        by,
    );
}

#[test]
fn an_object_that_kustomize_gives_another_namespace_then_is_held_back() {
    let schema = "apiVersion: flowcontrol.apiserver.k8s.io/v1beta1\nkind: FlowSchema\nmetadata: {name: h}\nspec: {priorityLevelConfiguration: {name: x}, matchingPrecedence: 1}\n";
    let definition = "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\nmetadata: {name: foos.example.com}\nspec:\n  group: example.com\n  names: {plural: foos, kind: Foo}\n  scope: Namespaced\n  preserveUnknownFields: false\n  versions:\n  - {name: v1, served: true, storage: true}\n  validation: {openAPIV3Schema: {type: object}}\n  conversion:\n    strategy: Webhook\n    conversionReviewVersions: [v1beta1]\n    webhookClientConfig:\n      service: {name: webhook, namespace: system, path: /convert}\n";
    for (file, text, to) in [("s.yaml", schema, "kubernetes@1.29"), ("d.yaml", definition, "kubernetes@1.25")] {
        for (given, is_held) in [("namespace: x\n", true), ("", false), ("namespace: system\n", file == "s.yaml")] {
            let kustomization = format!("resources: [{file}]\n{given}");
            let outcome = run(&[(file, text), ("kustomization.yaml", &kustomization)], to);
            let held = format!("{file} held-back converts-together -");
            let expected: &[&str] = if is_held { &[&held] } else { &[] };
            outcome.check_findings(Severity::Held, expected);
            assert_eq!(outcome.after.contains_key(file), !is_held, "{given}");
        }
    }
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
