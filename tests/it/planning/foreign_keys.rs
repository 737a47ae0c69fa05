//! Annotations that a pack renames on objects of other packs, where patches, controllers and charts write them.

use super::{Outcome, run};

const INGRESS: &str = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata:\n  name: shop\n  annotations:\n    certmanager.k8s.io/cluster-issuer: main\nspec: {}\n";

const CERTIFICATE: &str = "apiVersion: certmanager.k8s.io/v1alpha1\nkind: Certificate\nmetadata: {name: shop}\nspec:\n  secretName: shop\n  dnsNames: [shop.example.com]\n  keyAlgorithm: rsa\n  issuerRef: {name: main}\n";

fn upgrade(files: &[(&str, &str)]) -> Outcome {
    run(files, "cert-manager@1.21.0")
}

/// Returns a kustomization of the Ingress with a JSON patch of what `target` selects.
fn kustomization(target: &str, operations: &str) -> String {
    format!("resources: [ingress.yaml]\npatches:\n- target: {{{target}}}\n  patch: |\n{operations}")
}

#[test]
fn json_patches_follow_an_annotation_of_a_foreign_kind() {
    let operations = |issuer: &str, edit: &str, all: &str| {
        format!(
            "    - {{op: replace, path: /metadata/annotations/{issuer}, value: other}}\n    # new\n    - op: add\n      path: /metadata/annotations/{edit}\n      value: \"true\"\n    - op: add\n      path: /metadata/annotations\n      value:\n        {all}: x # all\n"
        )
    };
    let old = operations(
        "certmanager.k8s.io~1cluster-issuer",
        "certmanager.k8s.io~1acme-http01-edit-in-place",
        "certmanager.k8s.io/issuer",
    );
    let new = operations(
        "cert-manager.io~1cluster-issuer",
        "acme.cert-manager.io~1http01-edit-in-place",
        "cert-manager.io/issuer",
    );
    let target = "kind: Ingress, name: shop";
    let outcome = upgrade(&[("ingress.yaml", INGRESS), ("kustomization.yaml", &kustomization(target, &old))]);
    assert_eq!(outcome.after["kustomization.yaml"], kustomization(target, &new));
    assert_eq!(outcome.after["ingress.yaml"], INGRESS.replace("certmanager.k8s.io", "cert-manager.io"));
    assert_eq!(outcome.reported, Vec::<String>::new());
}

#[test]
fn json_patches_of_other_annotations_stay() {
    let other = "    - {op: add, path: /metadata/annotations/example.com~1issuer, value: certmanager.k8s.io/issuer}\n";
    let outcome = upgrade(&[
        ("ingress.yaml", INGRESS),
        ("kustomization.yaml", &kustomization("kind: Ingress, name: shop", other)),
    ]);
    assert_eq!(outcome.after.keys().collect::<Vec<_>>(), ["ingress.yaml"]);
}

#[test]
fn json_patches_of_objects_that_are_not_read_are_reported() {
    let operation = "    - {op: add, path: /metadata/annotations/certmanager.k8s.io~1issuer, value: x}\n";
    let outcome = upgrade(&[("kustomization.yaml", &kustomization("kind: Ingress, name: shop", operation))]);
    assert_eq!(outcome.reported, ["kustomization.yaml held-back patch-target [0].path"]);
    assert!(outcome.messages.contains("metadata.annotations[\"cert-manager.io/issuer\"] of Ingress"));
    // A patch of another kind writes what nothing reads.
    let outcome = upgrade(&[("kustomization.yaml", &kustomization("kind: ConfigMap, name: shop", operation))]);
    assert_eq!(outcome.reported, Vec::<String>::new());
}

#[test]
fn ignored_paths_follow_a_kind_that_gets_another_group() {
    let application = |group: &str, path: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: shop}}\nspec:\n  ignoreDifferences:\n  - group: {group}\n    kind: Certificate\n    jsonPointers:\n    - {path}\n"
        )
    };
    let old = application("certmanager.k8s.io", "/spec/keyAlgorithm");
    let outcome = upgrade(&[("app.yaml", &old), ("certificate.yaml", CERTIFICATE)]);
    assert_eq!(outcome.after["app.yaml"], application("cert-manager.io", "/spec/privateKey/algorithm"));
    // Without objects of the kind nothing shows whether they are converted.
    let outcome = upgrade(&[("app.yaml", &application("cert-manager.io", "/spec/keyAlgorithm"))]);
    let field = "spec.ignoreDifferences[0].jsonPointers[0]";
    assert_eq!(outcome.reported, [format!("app.yaml unresolved reference-not-updated {field}")]);
    assert!(outcome.messages.contains("which is /spec/privateKey/algorithm after the conversion"));
}

#[test]
fn keys_that_become_annotations_are_reported() {
    let fields = |file: &str, text: &str| upgrade(&[(file, text)]).reported;
    let reported = |file: &str, field: &str| [format!("{file} unresolved reference-not-updated {field}")];
    let key = "[\"certmanager.k8s.io/issuer\"]";
    let release = |values: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: a}}\nspec:\n  interval: 1h\n  values:\n    shop:\n      extra: {{{values}: main}}\n"
        )
    };
    let place = format!("spec.values.shop.extra{key}");
    assert_eq!(fields("release.yaml", &release("certmanager.k8s.io/issuer")), reported("release.yaml", &place));
    assert_eq!(fields("release.yaml", &release("cert-manager.io/issuer")), Vec::<String>::new());
}

#[test]
fn keys_that_a_rule_renames_are_not_reported() {
    let common = |key: &str| format!("commonAnnotations:\n  {key}: main\n");
    let outcome = upgrade(&[("kustomization.yaml", &common("certmanager.k8s.io/issuer"))]);
    assert_eq!(outcome.after["kustomization.yaml"], common("cert-manager.io/issuer"));
    assert_eq!(outcome.reported, Vec::<String>::new());
    let release = |key: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: a}}\nspec:\n  interval: 1h\n  values:\n    ingress:\n      annotations: {{{key}: main}}\n    shop: {{extra: {{certmanager.k8s.io/issuer: main}}}}\n"
        )
    };
    let outcome = upgrade(&[("release.yaml", &release("certmanager.k8s.io/issuer"))]);
    assert_eq!(outcome.after["release.yaml"], release("cert-manager.io/issuer"));
    let field = "spec.values.shop.extra[\"certmanager.k8s.io/issuer\"]";
    assert_eq!(outcome.reported, [format!("release.yaml unresolved reference-not-updated {field}")]);
}

/// A label of nodes is a key by itself in tolerations, affinities and topologies, and a text can hold a whole object.
#[test]
fn labels_of_nodes_are_reported_where_nothing_converts_them() {
    let release = |values: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: a}}\nspec: {{values: {values}}}\n"
        )
    };
    let pod = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  pod.yaml: |\n    apiVersion: v1\n    kind: Pod\n    metadata: {name: a, annotations: {karpenter.sh/do-not-evict: \"true\"}}\n";
    for (text, field) in [
        (
            release("{nodeSelector: {karpenter.sh/provisioner-name: x}}"),
            Some("spec.values.nodeSelector[\"karpenter.sh/provisioner-name\"]"),
        ),
        (
            release("{spread: [{topologyKey: karpenter.sh/provisioner-name}]}"),
            Some("spec.values.spread[0].topologyKey"),
        ),
        (release("{tolerations: [{key: karpenter.sh/provisioner-name}]}"), Some("spec.values.tolerations[0].key")),
        (pod.to_owned(), Some("data[\"pod.yaml\"]")),
        (release("{note: about karpenter.sh/provisioner-name}"), None),
    ] {
        let outcome = run(&[("a.yaml", &text)], "karpenter@1.0.0");
        let expected: Vec<String> =
            field.iter().map(|field| format!("a.yaml unresolved reference-not-updated {field}")).collect();
        assert_eq!(outcome.reported, expected, "{text}");
    }
}

/// What holds an object back is said alone: its keys are renamed with it.
#[test]
fn keys_of_an_object_that_is_held_back_wait_for_it() {
    let pod = |more: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  annotations: {{karpenter.sh/do-not-evict: \"true\"}}\nspec:\n  \
             nodeSelector: {{karpenter.sh/provisioner-name: x, karpenter.k8s.aws/instance-pods: \"10\"}}\n  \
             containers: [{{name: a, image: b{more}}}]\n"
        )
    };
    let held = "a.yaml held-back not-convertible spec.nodeSelector".to_owned();
    let outcome = run(&[("a.yaml", &pod(""))], "karpenter@1.0.0");
    assert_eq!(outcome.reported, std::slice::from_ref(&held));
    let elsewhere = ", args: [karpenter.sh/provisioner-name]";
    let outcome = run(&[("a.yaml", &pod(elsewhere))], "karpenter@1.0.0");
    let reported = "a.yaml unresolved reference-not-updated spec.containers[0].args[0]".to_owned();
    assert_eq!(outcome.reported, [held, reported]);
}
