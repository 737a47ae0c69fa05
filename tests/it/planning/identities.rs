//! What Kustomize finds objects by, where patches and replacements write it, and what builds no object.

use reversion::internals::finding::Severity;

use super::{Outcome, run};

/// A policy whose `tls` becomes `validation`.
const POLICY: &str = "apiVersion: gateway.networking.k8s.io/v1alpha2
kind: BackendTLSPolicy
metadata: {name: up, namespace: shop}
spec:
  targetRef: {group: \"\", kind: Service, name: up}
  tls: {hostname: a.example.com, wellKnownCACerts: System}
";

/// Converts the policy in a base, with what a layer in the middle and one above do to it.
fn layers(middle: &str, above: &str) -> Outcome {
    let (middle, above) = (format!("resources: [../base]\n{middle}"), format!("resources: [../mid]\n{above}"));
    let files = [
        ("base/kustomization.yaml", "resources: [up.yaml]\n"),
        ("base/up.yaml", POLICY),
        ("live/kustomization.yaml", &*above),
        ("mid/kustomization.yaml", &middle),
    ];
    run(&files, "1.1.0/experimental")
}

/// Returns a list of one JSON patch.
fn json(target: &str, path: &str, value: &str) -> String {
    let operation = format!("{{\"op\": \"replace\", \"path\": \"{path}\", \"value\": \"{value}\"}}");
    format!("patches:\n- target: {{{target}}}\n  patch: '[{operation}]'\n")
}

fn hostname(target: &str) -> String {
    json(target, "/spec/tls/hostname", "b")
}

const HELD: [&str; 2] =
    ["base/up.yaml held-back converts-together -", "live/kustomization.yaml held-back patch-target -"];

#[test]
fn what_is_patched_by_a_written_name_is_held_back_with_its_patch() {
    let renamed = json("kind: BackendTLSPolicy", "/metadata/name", "down");
    let outcome = layers(&renamed, &hostname("kind: BackendTLSPolicy, name: down"));
    outcome.check_findings(Severity::Warning, &HELD);
    outcome.check_message(
        "it may find the object by a name, namespace, kind or apiVersion that another patch or replacement writes",
    );
    assert!(outcome.after.is_empty());
    let merge = "patches:\n- patch: |-\n    apiVersion: gateway.networking.k8s.io/v1alpha2\n    kind: BackendTLSPolicy\n    \
                 metadata: {name: down, namespace: shop}\n    spec: {tls: {hostname: b}}\n";
    let outcome = layers(&renamed, merge);
    outcome.check_findings(Severity::Warning, &[HELD[0], "live/kustomization.yaml held-back converts-together -"]);
    // The first name stays one that a target finds, and a renaming that nothing asks for costs nothing.
    for target in ["name: up", "kind: BackendTLSPolicy", "name: other", "kind: Service, name: down"] {
        let outcome = layers(&renamed, &hostname(target));
        outcome.check_findings(Severity::Warning, &[]);
        assert!(outcome.after.contains_key("base/up.yaml"), "{target}");
        let follows = outcome.after.contains_key("live/kustomization.yaml");
        assert_eq!(follows, ["name: up", "kind: BackendTLSPolicy"].contains(&target), "{target}");
    }
    // So is a name that comes later than the patch.
    let before = layers(&hostname("name: down"), &renamed);
    assert!(before.after.contains_key("base/up.yaml"), "{}", before.messages);
}

#[test]
fn other_parts_that_are_written_hold_back_too() {
    let namespace = json("kind: BackendTLSPolicy", "/metadata/namespace", "mall");
    layers(&namespace, &hostname("namespace: mall")).check_findings(Severity::Warning, &HELD);
    let merged = "patches:\n- target: {kind: BackendTLSPolicy}\n  options: {allowNameChange: true}\n  patch: |-\n    \
                  apiVersion: gateway.networking.k8s.io/v1alpha2\n    kind: BackendTLSPolicy\n    metadata: {name: down}\n";
    let outcome = layers(merged, &hostname("name: down"));
    assert!(outcome.after.is_empty(), "{}", outcome.messages);
    let replaced = "replacements:\n- source: {kind: BackendTLSPolicy, fieldPath: spec.targetRef.name}\n  targets:\n  \
                    - {select: {kind: BackendTLSPolicy}, fieldPaths: [metadata.name]}\n";
    let outcome = layers(replaced, &hostname("name: other"));
    assert!(!outcome.after.contains_key("base/up.yaml"), "{}", outcome.messages);
    let outcome = layers(replaced, "");
    outcome.check_findings(Severity::Held, &[]);
    assert!(outcome.after.contains_key("base/up.yaml"));
    // Nothing of the old name is left where a replacement overwrites it.
    let outcome = layers(replaced, &hostname("name: up"));
    assert!(!outcome.after.contains_key("base/up.yaml"), "{}", outcome.messages);
    let outcome = layers(&json("kind: BackendTLSPolicy", "/kind", "Other"), "");
    outcome.check_message("it writes another kind to the object");
    assert!(outcome.after.is_empty());
}

#[test]
fn lists_that_are_merged_in_one_version_only_are_held_back() {
    let set = |version: &str, spec: &str| {
        format!("apiVersion: {version}\nkind: StatefulSet\nmetadata: {{name: db}}\nspec:\n  {spec}\n")
    };
    let base = "{serviceName: db, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: db, image: i}]}}}";
    let outcome = |patch: &str| {
        let (base, patch) = (set("apps/v1beta2", base).replace("spec:\n  ", "spec: "), set("apps/v1beta2", patch));
        let kustomization = "resources: [db.yaml]\npatches: [{path: p.yaml}]\n";
        run(&[("db.yaml", &*base), ("kustomization.yaml", kustomization), ("p.yaml", &patch)], "kubernetes@1.25")
    };
    let held = outcome("template: {spec: {containers: [{name: db, image: j}]}}");
    held.check_findings(
        Severity::Held,
        &["db.yaml held-back converts-together -", "p.yaml held-back converts-together -"],
    );
    held.check_message("Kustomize merges its lists item by item in one of the two apiVersions");
    assert!(held.after.is_empty());
    assert_eq!(outcome("replicas: 2").after.len(), 2);
    assert_eq!(outcome("template: {spec: {tolerations: [{key: a}]}}").after.len(), 2);
}

/// Returns an object of Flux that has Kustomize run in a folder, with more in its `spec`.
fn flux(name: &str, path: &str, spec: &str) -> String {
    format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: flux-system}}\nspec:\n  \
         interval: 5m\n  path: {path}\n  prune: true\n  sourceRef: {{kind: GitRepository, name: x}}\n{spec}"
    )
}

const INNER: &str = "apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: all, namespace: flux-system}
spec:
  patches:
  - target: {kind: BackendTLSPolicy}
    patch: |-
      - {op: replace, path: /spec/tls/hostname, value: b}
";

fn indented(text: &str, by: usize) -> String {
    text.lines().map(|line| format!("{}{line}\n", " ".repeat(by))).collect()
}

#[test]
fn what_a_patch_inside_a_patch_is_applied_to_is_held_back() {
    let (shop, plain) = (flux("shop", "./apps/shop", ""), flux("apps", "./apps", ""));
    let outcome = |patches: &str| {
        let apps = format!("{plain}{patches}");
        let files = [
            ("apps/kustomization.yaml", "resources: [shop.yaml]\n"),
            ("apps/shop.yaml", &*shop),
            ("apps/shop/kustomization.yaml", "resources: [up.yaml]\n"),
            ("apps/shop/up.yaml", POLICY),
            ("flux/apps.yaml", &apps),
        ];
        run(&files, "1.1.0/experimental")
    };
    assert_eq!(outcome("").after.len(), 1);
    let entry =
        |text: &str| format!("  patches:\n  - target: {{kind: Kustomization}}\n    patch: |-\n{}", indented(text, 6));
    let held = outcome(&entry(INNER));
    held.check_message("it stands in a patch of an object that has Kustomize run, and is not converted there");
    assert!(held.after.is_empty(), "{}", held.messages);
    // So is what a JSON patch adds.
    let added = "- op: add\n  path: /spec/patches\n  value:\n  - target: {kind: BackendTLSPolicy}\n    patch: |-\n      \
                 - {op: replace, path: /spec/tls/hostname, value: b}\n";
    assert!(outcome(&entry(added)).after.is_empty());
    let other = entry(&INNER.replace("kind: BackendTLSPolicy", "kind: Service"));
    assert_eq!(outcome(&other).after.len(), 1);
}

#[test]
fn what_tells_kustomize_what_to_do_is_no_object_below_the_path_of_flux() {
    let spec = "  patches:\n  - target: {labelSelector: a=b}\n    patch: |-\n      apiVersion: kustomize.toolkit.fluxcd.io/v1beta2\n      \
                kind: Kustomization\n      metadata: {name: all}\n      spec: {prune: false}\n";
    let old = |text: String| text.replace("toolkit.fluxcd.io/v1\n", "toolkit.fluxcd.io/v1beta2\n");
    let (apps, shop) = (old(flux("apps", "./apps", spec)), old(flux("shop", "./apps/shop/app", "")));
    let configuration = "nameReference:\n- kind: ConfigMap\n  version: v1\n  fieldSpecs:\n  - {path: spec/values/x, kind: HelmRelease}\n";
    let replacements = "- source: {kind: ConfigMap, name: a, fieldPath: data.a}\n  targets:\n  \
                        - {select: {kind: HelmRelease}, fieldPaths: [spec.values.x]}\n";
    let files = [
        ("apps/shop/app/configuration.yaml", configuration),
        ("apps/shop/app/kustomization.yaml", "configurations: [configuration.yaml]\nreplacements: [{path: r.yaml}]\n"),
        ("apps/shop/app/r.yaml", replacements),
        ("apps/shop/shop.yaml", &shop),
        ("flux/apps.yaml", &apps),
    ];
    let outcome = run(&files, "flux@2.9");
    outcome.check_findings(Severity::Held, &[]);
    assert_eq!(outcome.after.keys().collect::<Vec<_>>(), ["apps/shop/shop.yaml", "flux/apps.yaml"]);
}

#[test]
fn an_inline_patch_whose_place_moves_is_followed() {
    let spec = "  patches:\n  - target: {kind: HelmRelease}\n    patch: |-\n      apiVersion: helm.toolkit.fluxcd.io/v2beta1\n      \
                kind: HelmRelease\n      metadata: {name: all}\n      spec: {interval: 1h}\n  patchesStrategicMerge:\n  \
                - {apiVersion: apps/v1, kind: Deployment, metadata: {name: q}, spec: {replicas: 2}}\n";
    let object = flux("a", "./a", spec).replace("toolkit.fluxcd.io/v1\n", "toolkit.fluxcd.io/v1beta2\n");
    let outcome = run(&[("ks.yaml", &object)], "flux@2.9");
    outcome.check_findings(Severity::Held, &[]);
    let after = &outcome.after["ks.yaml"];
    assert!(after.contains("apiVersion: helm.toolkit.fluxcd.io/v2\n"), "{after}");
    assert!(!after.contains("patchesStrategicMerge"), "{after}");
}

#[test]
fn a_merge_patch_of_an_object_that_flux_gets_from_elsewhere_is_held_back() {
    let patch = format!("    patch: |-\n{}", indented(POLICY, 6));
    let outcome = |entry: &str| {
        run(&[("a.yaml", &*flux("a", "./a", &format!("  patches:\n  -{}", &entry[3..])))], "1.1.0/experimental")
    };
    let held = outcome(&patch);
    held.check_findings(Severity::Held, &["a.yaml held-back converts-together -"]);
    assert!(held.after.is_empty());
}
