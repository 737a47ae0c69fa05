//! References without a key for the group: what they name can only change its group together with the object that they stand in.

use reversion::internals::finding::Severity;

use super::run;

/// A TriggerAuthentication, of which a ScaledObject gives the name alone.
fn authentication(group: &str, name: &str) -> String {
    format!(
        "apiVersion: {group}/v1alpha1\nkind: TriggerAuthentication\nmetadata: {{name: {name}, namespace: shop}}\nspec:\n  env: [{{parameter: connection, name: CONNECTION}}]\n"
    )
}

/// A ScaledObject of KEDA v1 that is converted, or held back because of what its trigger has.
fn scaled(name: &str, authentication: &str, more: &str) -> String {
    let metadata = if more.is_empty() { String::new() } else { format!(", {more}") };
    format!(
        "apiVersion: keda.k8s.io/v1alpha1\nkind: ScaledObject\nmetadata: {{name: {name}, namespace: shop}}\nspec:\n  scaleTargetRef: {{deploymentName: web}}\n  triggers:\n  - type: external\n    metadata: {{scalerAddress: \"scaler:80\"{metadata}}}\n    authenticationRef: {{name: {authentication}}}\n"
    )
}

#[test]
fn what_an_object_names_that_is_held_back_is_too() {
    let (old, other) = (authentication("keda.k8s.io", "auth"), authentication("keda.k8s.io", "other"));
    let (good, bad) = (scaled("good", "auth", ""), scaled("bad", "auth", "queue: QUEUE"));
    let files = [("a.yaml", &*old), ("b.yaml", &*other), ("c.yaml", &*good)];
    let found = run(&files, "keda@2.0.0");
    found.check_findings(Severity::Held, &[]);
    assert_eq!(found.after.len(), 3);
    let found = run(&[files[0], files[1], ("d.yaml", &bad)], "keda@2.0.0");
    let held = ["a.yaml held-back converts-together -", "d.yaml held-back not-convertible spec.triggers[0].metadata"];
    found.check_findings(Severity::Held, &held);
    found
        .check_message("it can only be converted together with ScaledObject shop/bad, which is held back (d.yaml:1:1)");
    assert_eq!(found.after.keys().collect::<Vec<_>>(), ["b.yaml"]);
    // What else names it stays with it.
    let found = run(&[files[0], files[2], ("d.yaml", &bad)], "keda@2.0.0");
    let held = [held[0], "c.yaml held-back converts-together -", held[1]];
    found.check_findings(Severity::Held, &held);
    assert!(found.after.is_empty(), "{:?}", found.after);
    // One of another namespace is another one.
    let elsewhere = old.replace("namespace: shop", "namespace: blog");
    let found = run(&[("a.yaml", &elsewhere), ("d.yaml", &bad)], "keda@2.0.0");
    assert_eq!(found.after.keys().collect::<Vec<_>>(), ["a.yaml"]);
}

#[test]
fn the_same_holds_backward() {
    let new = authentication("keda.sh", "auth");
    let scaled = |kind: &str| {
        format!(
            "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {{name: web, namespace: shop}}\nspec:\n  scaleTargetRef: {{kind: {kind}, name: web}}\n  triggers:\n  - type: external\n    metadata: {{scalerAddress: \"scaler:80\"}}\n    authenticationRef: {{name: auth}}\n"
        )
    };
    let found = run(&[("a.yaml", &new), ("b.yaml", &scaled("Deployment"))], "keda@1.5.0");
    found.check_findings(Severity::Held, &[]);
    assert_eq!(found.after.len(), 2);
    let found = run(&[("a.yaml", &new), ("b.yaml", &scaled("StatefulSet"))], "keda@1.5.0");
    assert!(found.after.is_empty(), "{:?}", found.after);
    found
        .check_message("it can only be converted together with ScaledObject shop/web, which is held back (b.yaml:1:1)");
}
