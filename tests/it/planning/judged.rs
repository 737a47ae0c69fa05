//! What the target requires is checked on what builds make of an object.

use reversion::internals::finding::Severity;

use super::{Outcome, run};

/// A repository that lacks `spec.interval`, which v1 requires and v1beta1 does not.
const REPOSITORY: &str =
    "apiVersion: image.toolkit.fluxcd.io/v1beta1\nkind: ImageRepository\nmetadata: {name: web}\nspec: {image: web}\n";

/// A JSON patch that adds it.
const INTERVAL: &str = "patches:\n- target: {kind: ImageRepository}\n  patch: |-\n    \
                        - {op: add, path: /spec/interval, value: 5m}\n";

const HELD: &str = "base/object.yaml held-back invalid-in-target spec.interval";

/// Converts an object in a base, to which other files do something.
fn based(object: &str, others: &[(&str, &str)], target: &str) -> Outcome {
    let base = [("base/kustomization.yaml", "resources: [object.yaml]\n"), ("base/object.yaml", object)];
    run(&[&base, others].concat(), target)
}

fn flux(object: &str, others: &[(&str, &str)]) -> Outcome {
    based(object, others, "flux@2.9")
}

fn overlay(text: &str) -> String {
    format!("resources: [../base]\n{text}")
}

/// A Kustomization of Flux for a folder, with more of its fields.
fn applied(name: &str, folder: &str, more: &str) -> String {
    format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: flux-system}}\nspec:\n  \
         interval: 5m\n  prune: true\n  path: ./{folder}\n  sourceRef: {{kind: GitRepository, name: flux-system}}\n{more}"
    )
}

#[track_caller]
fn check_converted(outcome: &Outcome, version: &str) {
    outcome.check_findings(Severity::Warning, &[]);
    let object = outcome.after.get("base/object.yaml").expect("it is converted");
    assert!(object.contains(version), "{object}");
}

#[test]
fn an_object_that_a_layer_completes_is_converted() {
    let merge = "patches:\n- patch: |-\n    apiVersion: image.toolkit.fluxcd.io/v1beta1\n    kind: ImageRepository\n    \
                 metadata: {name: web}\n    spec: {interval: 5m}\n";
    for patch in [INTERVAL, merge] {
        let live = overlay(patch);
        check_converted(&flux(REPOSITORY, &[("live/kustomization.yaml", &live)]), "io/v1\n");
        // The layers above and below need not.
        let above = [("live/kustomization.yaml", &*live), ("over/kustomization.yaml", "resources: [../live]\n")];
        check_converted(&flux(REPOSITORY, &above), "io/v1\n");
    }
    let component = format!("apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n{INTERVAL}");
    let (live, component) = (overlay("components: [../component]\n"), component.as_str());
    let files = [("live/kustomization.yaml", &*live), ("component/kustomization.yaml", component)];
    check_converted(&flux(REPOSITORY, &files), "io/v1\n");
}

#[test]
fn every_final_build_must_complete_it() {
    let complete = overlay(INTERVAL);
    let files = [("a/kustomization.yaml", &*complete), ("b/kustomization.yaml", "resources: [../base]\n")];
    let outcome = flux(REPOSITORY, &files);
    outcome.check_findings(Severity::Warning, &[HELD]);
    outcome.check_message("spec.interval is required but missing, as b/kustomization.yaml builds it");
    assert!(outcome.after.is_empty());
    // What another layer takes in is not final, unless it is applied too.
    let above = overlay("").replace("base", "b");
    let more = format!("{above}{INTERVAL}");
    let files = [files[0], files[1], ("c/kustomization.yaml", &*more)];
    check_converted(&flux(REPOSITORY, &files), "io/v1\n");
    let cluster = applied("b", "b", "");
    let outcome = flux(REPOSITORY, &[files[0], files[1], files[2], ("cluster.yaml", &cluster)]);
    outcome.check_findings(Severity::Warning, &[HELD]);
    outcome.check_message("as b/kustomization.yaml builds it");
}

#[test]
fn what_a_controller_applies_is_final() {
    let patches = "  patches:\n  - target: {kind: ImageRepository}\n    patch: |-\n      \
                   - {op: add, path: /spec/interval, value: 5m}\n";
    let (complete, plain) = (applied("a", "base", patches), applied("b", "base", ""));
    check_converted(&flux(REPOSITORY, &[("cluster/a.yaml", &complete)]), "io/v1\n");
    let both = [("cluster/a.yaml", &*complete), ("cluster/b.yaml", &*plain)];
    flux(REPOSITORY, &both).check_findings(Severity::Warning, &[HELD]);
    let together = format!("{complete}---\n{plain}");
    flux(REPOSITORY, &[("cluster/all.yaml", &together)]).check_findings(Severity::Warning, &[HELD]);
    // So it is in a folder without a kustomization.
    let alone = [("base/object.yaml", REPOSITORY), both[0]];
    check_converted(&run(&alone, "flux@2.9"), "io/v1\n");
    run(&[alone[0], both[0], both[1]], "flux@2.9").check_findings(Severity::Warning, &[HELD]);
}

#[test]
fn placeholders_are_judged_as_what_replaces_them() {
    let secret = "apiVersion: external-secrets.io/v1beta1\nkind: ExternalSecret\nmetadata: {name: web}\nspec:\n  \
                  secretStoreRef: {name: REPLACE_ME}\n  target: {name: web}\n  \
                  data: [{secretKey: a, remoteRef: {key: b}}]\n";
    let patched = |name: &str| {
        let patch = format!(
            "patches:\n- target: {{kind: ExternalSecret}}\n  patch: |-\n    \
             - {{op: replace, path: /spec/secretStoreRef/name, value: {name}}}\n"
        );
        based(secret, &[("live/kustomization.yaml", &overlay(&patch))], "external-secrets@2.9")
    };
    check_converted(&patched("vault"), "io/v1\n");
    let outcome = patched("Vault");
    outcome
        .check_findings(Severity::Warning, &["base/object.yaml held-back invalid-in-target spec.secretStoreRef.name"]);
    outcome.check_message("as live/kustomization.yaml builds it");
}

#[test]
fn what_was_invalid_before_is_reported_only_where_it_is_sent() {
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2beta2\nkind: HelmRelease\nmetadata: {name: web}\nspec:\n  \
                   chart: {spec: {chart: web, sourceRef: {kind: HelmRepository, name: c}}}\n";
    let patch = |path: &str| {
        let patch = format!(
            "patches:\n- target: {{kind: HelmRelease}}\n  patch: |-\n    - {{op: add, path: {path}, value: 5m}}\n"
        );
        flux(release, &[("live/kustomization.yaml", &overlay(&patch))])
    };
    check_converted(&patch("/spec/interval"), "io/v2\n");
    let other = patch("/spec/timeout");
    other.check_findings(Severity::Warning, &["base/object.yaml warning already-invalid spec.interval"]);
    other.check_message("the API server rejects it");
    // What an unread transformer makes of it is not known.
    let unread = overlay("transformers: [unknown.yaml]\n");
    let unread = flux(release, &[("live/kustomization.yaml", &unread)]);
    assert!(!unread.messages.contains("the API server rejects it"), "{}", unread.messages);
}

#[test]
fn what_the_target_does_not_have_stays_in_the_way() {
    let route = "apiVersion: gateway.networking.k8s.io/v1alpha2\nkind: TCPRoute\nmetadata: {name: a}\nspec:\n  \
                 useDefaultGateways: All\n  rules:\n  - backendRefs: [{name: b, port: 80}]\n";
    let live = overlay(
        "patches:\n- target: {kind: TCPRoute}\n  patch: |-\n    - {op: remove, path: /spec/useDefaultGateways}\n",
    );
    let outcome = based(route, &[("live/kustomization.yaml", &live)], "gateway-api@1.6.1/standard");
    outcome.check_findings(Severity::Held, &["base/object.yaml held-back dropped-field spec.useDefaultGateways"]);
}

#[test]
fn what_a_patch_makes_invalid_is_reported_where_nothing_else_changes() {
    let repository = REPOSITORY.replace("v1beta1", "v1").replace("{image: web}", "{image: web, interval: 5m}");
    let live =
        overlay("patches:\n- target: {kind: ImageRepository}\n  patch: |-\n    - {op: remove, path: /spec/interval}\n");
    let outcome = flux(&repository, &[("live/kustomization.yaml", &live)]);
    assert!(outcome.after.is_empty());
    outcome.check_findings(Severity::Warning, &["live/kustomization.yaml held-back patch-target -"]);
    outcome.check_message("spec.interval is required but missing");
    // What no release accepts is a warning, as it is where it is written.
    let folder = applied("web", "web", "");
    let live = |operation: &str| {
        overlay(&format!("patches:\n- target: {{kind: Kustomization}}\n  patch: |-\n    - {operation}\n"))
    };
    let removed = live("{op: remove, path: /spec/prune}");
    let outcome = flux(&folder, &[("live/kustomization.yaml", &removed)]);
    outcome.check_findings(Severity::Warning, &["base/object.yaml warning already-invalid spec.prune"]);
    outcome.check_message("as live/kustomization.yaml builds it");
    let replaced = live("{op: replace, path: /spec/prune, value: false}");
    flux(&folder, &[("live/kustomization.yaml", &replaced)]).check_findings(Severity::Warning, &[]);
}

#[test]
fn what_no_kustomization_builds_is_judged_as_it_is_written() {
    let files = [("kustomization.yaml", "resources: []\n"), ("object.yaml", REPOSITORY)];
    run(&files, "flux@2.9")
        .check_findings(Severity::Warning, &["object.yaml held-back invalid-in-target spec.interval"]);
    // What no release accepts is a patch; where it is applied, it is an object.
    let release =
        "apiVersion: helm.toolkit.fluxcd.io/v2beta2\nkind: HelmRelease\nmetadata: {name: web}\nspec: {timeout: 5m}\n";
    let (note, warning) = ("not-applied -", "already-invalid spec.interval");
    let cluster = [applied("a", "apps", ""), applied("a", "apps/web", "")];
    let at = |file: &'static str| [("kustomization.yaml", "resources: []\n"), (file, release)];
    for (files, expected) in [
        (at("patch.yaml").to_vec(), note),
        (at("apps/web/patch.yaml").to_vec(), note),
        (vec![("patch.yaml", release)], warning),
        (vec![("kustomization.yaml", "resources: [patch.yaml]\n"), ("patch.yaml", release)], warning),
        ([at("apps/web/patch.yaml").to_vec(), vec![("cluster/a.yaml", &cluster[0])]].concat(), warning),
        ([at("apps/web/patch.yaml").to_vec(), vec![("cluster/a.yaml", &cluster[1])]].concat(), warning),
    ] {
        let outcome = run(&files, "flux@2.9");
        assert!(outcome.reported.iter().any(|line| line.ends_with(expected)), "{files:?} {:?}", outcome.reported);
        assert!(!outcome.after.is_empty(), "{files:?}");
    }
}

#[test]
fn a_value_that_is_not_known_is_not_judged() {
    let repository = REPOSITORY.replace("{image: web}", "{image: web, interval: x}");
    let replaced = overlay(
        "replacements:\n- source: {kind: ConfigMap, name: facts, fieldPath: data.interval}\n  targets:\n  \
         - select: {kind: ImageRepository}\n    fieldPaths: [spec.interval]\n",
    );
    let outcome = flux(&repository, &[("live/kustomization.yaml", &replaced)]);
    check_converted(&outcome, "io/v1\n");
    outcome.check_findings(Severity::Note, &["base/object.yaml note unchecked-rule spec.interval"]);
}

#[test]
fn a_rule_that_asks_for_a_field_is_about_what_is_built() {
    let crd = "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\nmetadata: {name: foos.foo.k8s.io}\nspec:\n  group: foo.k8s.io\n  names: {kind: Foo, plural: foos}\n  scope: Namespaced\n  versions: [{name: v1, served: true, storage: true}]\n  validation: {openAPIV3Schema: {type: object}}\n";
    let merge = "patches:\n- patch: |-\n    apiVersion: apiextensions.k8s.io/v1beta1\n    kind: CustomResourceDefinition\n    metadata: {name: foos.foo.k8s.io, annotations: {api-approved.kubernetes.io: unapproved}}\n";
    let json = "patches:\n- target: {kind: CustomResourceDefinition}\n  patch: |-\n    - {op: add, path: /metadata/annotations, value: {api-approved.kubernetes.io: unapproved}}\n";
    for patch in [merge, json] {
        let live = overlay(patch);
        let with = |others: &[(&str, &str)]| based(crd, others, "kubernetes@1.25.0");
        let built = with(&[("live/kustomization.yaml", &live)]);
        built.check_findings(Severity::Held, &[]);
        assert!(built.after["base/object.yaml"].contains("apiextensions.k8s.io/v1\n"));
        // Another overlay builds it without the annotation.
        let other = overlay("");
        let some = with(&[("live/kustomization.yaml", &live), ("other/kustomization.yaml", &other)]);
        assert!(some.reported.iter().any(|line| line.starts_with("base/object.yaml held-back not-convertible")));
        assert!(some.after.is_empty(), "{:?}", some.after);
    }
}

#[test]
fn a_null_that_would_become_an_item_is_called_null() {
    let plane = |arguments: &str| {
        format!(
            "apiVersion: controlplane.cluster.x-k8s.io/v1beta1\nkind: KubeadmControlPlane\nmetadata: {{name: web}}\nspec:\n  version: v1.30.0\n  machineTemplate:\n    infrastructureRef: {{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: DockerMachineTemplate, name: web}}\n  kubeadmConfigSpec:\n    clusterConfiguration: {{apiServer: {{extraArgs: {arguments}}}}}\n"
        )
    };
    let field = "spec.kubeadmConfigSpec.clusterConfiguration.apiServer.extraArgs";
    let found = run(&[("plane.yaml", &plane("{a: null}"))], "cluster-api@1.11.0");
    found.check_message(&format!(
        "{field}.a is null, which is no value; it would become an item of a list, and {field}[0].value is required but missing"
    ));
    found.check_message("write a value, or remove the field, then run again");
    assert!(!found.messages.contains("patch"), "{}", found.messages);
    // In a patch null says something else.
    let kustomization = "resources: [plane.yaml]\npatches: [{path: patch.yaml}]\n";
    let patch = "apiVersion: controlplane.cluster.x-k8s.io/v1beta1\nkind: KubeadmControlPlane\nmetadata: {name: web}\nspec: {kubeadmConfigSpec: {clusterConfiguration: {apiServer: {extraArgs: {a: null}}}}}\n";
    let files =
        [("kustomization.yaml", kustomization), ("patch.yaml", patch), ("plane.yaml", &plane("{a: \"1\", b: \"2\"}"))];
    let found = run(&files, "cluster-api@1.11.0");
    found.check_message("a is null, which removes it from the object that the patch is merged into");
}
