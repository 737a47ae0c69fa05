//! Fields that other objects name in expressions, patches and paths, and groups that they name by patterns.

use reversion::internals::finding::Severity;

use super::{Outcome, run};

const CERTIFICATE: &str = "apiVersion: certmanager.k8s.io/v1alpha1\nkind: Certificate\nmetadata: {name: shop}\nspec:\n  secretName: shop\n  dnsNames: [shop.example.com]\n  keyAlgorithm: rsa\n  issuerRef: {name: main}\n";

const MIDDLEWARE: &str = "apiVersion: traefik.containo.us/v1alpha1\nkind: Middleware\nmetadata: {name: office}\nspec: {ipWhiteList: {sourceRange: [10.0.0.0/8]}}\n";

const CLUSTER: &str =
    "apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: c, namespace: ns}\nspec: {paused: true}\n";

/// An Application that ignores differences of what `entry` selects.
fn application(entry: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: shop}}\nspec:\n  ignoreDifferences:\n  - {{{entry}}}\n"
    )
}

fn with_certificate(entry: &str) -> Outcome {
    run(&[("app.yaml", &application(entry)), ("z.yaml", CERTIFICATE)], "cert-manager@1.21.0")
}

fn with_middleware(entry: &str) -> Outcome {
    run(&[("app.yaml", &application(entry)), ("z.yaml", MIDDLEWARE)], "traefik@3.7.0")
}

/// Every form of a jq expression that names a field which moves is reported, since none is written anew.
#[test]
fn a_jq_expression_is_reported_in_each_form() {
    let with = |query: &str| {
        with_certificate(&format!("group: certmanager.k8s.io, kind: Certificate, jqPathExpressions: ['{query}']"))
    };
    let place = "spec.ignoreDifferences[0].jqPathExpressions[0]";
    for query in [
        ".spec.keyAlgorithm",
        " .spec.keyAlgorithm",
        ".spec.keyAlgorithm?",
        ".spec[\"keyAlgorithm\"]",
        "(.spec.keyAlgorithm)",
        ".spec | .keyAlgorithm",
        ".spec.secretName, .spec.keyAlgorithm",
        ".. | .keyAlgorithm?",
        ".spec | select(.keyAlgorithm == \"rsa\")",
        ".spec | has(\"keyAlgorithm\")",
    ] {
        let outcome = with(query);
        outcome.check_findings(Severity::Warning, &[&format!("app.yaml unresolved reference-not-updated {place}")]);
        assert!(outcome.messages.contains(".spec.privateKey.algorithm after the conversion"), "{query}");
    }
    for query in
        [".spec.dnsNames[0]", ".spec.dnsNames[] | select(. == \"a\")", ".spec | keys", ".metadata.keyAlgorithm"]
    {
        with(query).check_findings(Severity::Warning, &[]);
    }
}

/// A position and a slice stand for items.
#[test]
fn a_jq_expression_can_name_some_items_of_a_list() {
    for query in [".spec.ipWhiteList.sourceRange[0]", ".spec.ipWhiteList.sourceRange[1:]"] {
        let entry = format!("group: traefik.containo.us, kind: Middleware, jqPathExpressions: ['{query}']");
        let outcome = with_middleware(&entry);
        let place = "spec.ignoreDifferences[0].jqPathExpressions[0]";
        outcome.check_findings(Severity::Warning, &[&format!("app.yaml unresolved reference-not-updated {place}")]);
    }
}

/// The key of a map becomes an item of a list.
#[test]
fn a_pointer_to_what_has_no_one_place_afterwards_is_reported() {
    let plane = "apiVersion: controlplane.cluster.x-k8s.io/v1beta1\nkind: KubeadmControlPlane\nmetadata: {name: cp, namespace: ns}\nspec:\n  version: v1.30.0\n  machineTemplate: {infrastructureRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: AWSMachineTemplate, name: cp}}\n  kubeadmConfigSpec: {clusterConfiguration: {apiServer: {extraArgs: {cloud-provider: external}}}}\n";
    let server = "/spec/kubeadmConfigSpec/clusterConfiguration/apiServer";
    let pointer = format!("{server}/extraArgs/cloud-provider");
    let entry = format!("group: controlplane.cluster.x-k8s.io, kind: KubeadmControlPlane, jsonPointers: [{pointer}]");
    let outcome = run(&[("app.yaml", &application(&entry)), ("z.yaml", plane)], "cluster-api@1.11.0");
    let place = "spec.ignoreDifferences[0].jsonPointers[0]";
    outcome.check_findings(Severity::Warning, &[&format!("app.yaml unresolved reference-not-updated {place}")]);
}

/// The one timeout of a control plane becomes one for its first machine and one for the others.
#[test]
fn a_pointer_to_what_is_in_two_places_afterwards_is_reported() {
    let plane = "apiVersion: controlplane.cluster.x-k8s.io/v1beta1\nkind: KubeadmControlPlane\nmetadata: {name: cp, namespace: ns}\nspec:\n  version: v1.30.0\n  machineTemplate: {infrastructureRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: AWSMachineTemplate, name: cp}}\n  kubeadmConfigSpec: {clusterConfiguration: {apiServer: {timeoutForControlPlane: 4m}}}\n";
    let server = "spec/kubeadmConfigSpec/clusterConfiguration/apiServer/timeoutForControlPlane";
    let query = server.replace('/', ".");
    let entry = format!(
        "group: controlplane.cluster.x-k8s.io, kind: KubeadmControlPlane, jsonPointers: [/{server}], jqPathExpressions: [.{query}]"
    );
    let outcome = run(&[("app.yaml", &application(&entry)), ("z.yaml", plane)], "cluster-api@1.11.0");
    let reported =
        |list: &str| format!("app.yaml unresolved reference-not-updated spec.ignoreDifferences[0].{list}[0]");
    outcome.check_findings(Severity::Warning, &[&reported("jsonPointers"), &reported("jqPathExpressions")]);
    outcome.check_message(
        "is .spec.kubeadmConfigSpec.initConfiguration.timeouts.controlPlaneComponentHealthCheckSeconds and in another place too after the conversion",
    );
    assert!(!outcome.after.contains_key("app.yaml"), "{:?}", outcome.after);
}

/// A fleet.yaml has neither apiVersion nor kind.
#[test]
fn what_fleet_compares_otherwise_follows() {
    let fleet = |version: &str, entry: &str| {
        format!(
            "defaultNamespace: ns\ndiff:\n  comparePatches:\n  - apiVersion: cluster.x-k8s.io/{version}\n    kind: MachineDeployment\n    name: md\n    {entry}\n"
        )
    };
    let machines = "apiVersion: cluster.x-k8s.io/v1beta1\nkind: MachineDeployment\nmetadata: {name: md, namespace: ns}\nspec:\n  clusterName: c\n  minReadySeconds: 3\n  selector: {}\n  template: {spec: {clusterName: c, bootstrap: {dataSecretName: x}, infrastructureRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: A, name: b}}}\n";
    let pointer = |path: &str| format!("jsonPointers: [{path}]");
    let removed = |path: &str| format!("operations: [{{op: remove, path: {path}}}]");
    let (old, new) = ("/spec/minReadySeconds", "/spec/template/spec/minReadySeconds");
    let written = format!("operations: [{{op: replace, path: {old}, value: 5}}]");
    for (before, after, reported) in [
        (pointer(old), pointer(new), None),
        (pointer("/spec/replicas"), pointer("/spec/replicas"), None),
        (removed(old), removed(new), None),
        (
            written.clone(),
            written,
            Some("fleet.yaml unresolved reference-not-updated diff.comparePatches[0].operations[0].path"),
        ),
    ] {
        let files = [("fleet.yaml", &*fleet("v1beta1", &before)), ("z.yaml", machines)];
        let found = run(&files, "cluster-api@1.11.0");
        found.check_findings(Severity::Warning, &reported.into_iter().collect::<Vec<_>>());
        assert_eq!(found.after["fleet.yaml"], fleet("v1beta2", &after));
    }
}

/// Argo CD reads the group and the kind as globs, and `*` is all of them.
#[test]
fn groups_and_kinds_can_be_globs() {
    let pointers = |path: &str| format!("jsonPointers: [{path}]");
    let (old, new) = ("/spec/ipWhiteList/sourceRange/0", "/spec/ipAllowList/sourceRange/0");
    for (from, to) in [
        ("group: traefik.containo.us, kind: \"*\"", "group: traefik.io, kind: \"*\""),
        ("group: traefik.containo.us, kind: \"Middle*\"", "group: traefik.io, kind: \"Middle*\""),
        ("group: \"traefik.*\", kind: \"*\"", "group: \"traefik.*\", kind: \"*\""),
        ("group: \"*\", kind: Middleware", "group: \"*\", kind: Middleware"),
    ] {
        let outcome = with_middleware(&format!("{from}, {}", pointers(old)));
        outcome.check_findings(Severity::Warning, &[]);
        assert_eq!(outcome.after["app.yaml"], application(&format!("{to}, {}", pointers(new))));
    }
    // Kinds of other projects can have such a field too.
    let outcome = with_middleware(&format!("group: \"*\", kind: \"*\", {}", pointers(old)));
    let place = "app.yaml unresolved reference-not-updated spec.ignoreDifferences[0]";
    outcome.check_findings(Severity::Warning, &[&format!("{place}.jsonPointers[0]")]);
    // The kinds of one group get two.
    let outcome = with_certificate("group: certmanager.k8s.io, kind: \"*\", jsonPointers: [/metadata/labels]");
    outcome.check_findings(Severity::Warning, &[place]);
    // A glob that is no name of a group of the run.
    let outcome = with_middleware("group: \"*.containo.us\", kind: \"*\", jsonPointers: [/metadata/labels]");
    outcome.check_findings(Severity::Warning, &[place]);
    with_middleware("group: \"*.example.com\", kind: \"*\", jsonPointers: [/spec/ipWhiteList]")
        .check_findings(Severity::Warning, &[]);
}

/// Flux ignores the paths of all objects where an entry has no target.
#[test]
fn paths_that_are_ignored_in_all_objects_are_reported() {
    let release = |path: &str| {
        let text = format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: a}}\nspec: {{driftDetection: {{ignore: [{{paths: [{path}]}}]}}}}\n"
        );
        run(&[("a.yaml", &text), ("z.yaml", MIDDLEWARE)], "traefik@3.7.0")
    };
    let reported = "a.yaml unresolved reference-not-updated spec.driftDetection.ignore[0].paths[0]";
    release("/spec/ipWhiteList").check_findings(Severity::Warning, &[reported]);
    release("/spec/replicas").check_findings(Severity::Warning, &[]);
}

/// The keys of an object's own fields are called as those of the object beside them, and do not name them; what is below a key that no
/// schema has can.
#[test]
fn own_fields_beside_a_reference_name_none() {
    let cluster = |more: &str| {
        let text = format!(
            "apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {{name: a}}\nspec:\n  controlPlaneRef: {{apiVersion: controlplane.cluster.x-k8s.io/v1beta1, kind: KubeadmControlPlane, name: a}}\n  topology:\n    class: a\n    version: v1.30.0\n    controlPlane:\n      machineHealthCheck:\n        unhealthyConditions: [{{type: Ready, status: Unknown, timeout: 300s}}]\n    variables: [{{name: a, value: {more}}}]\n"
        );
        run(&[("a.yaml", &text)], "cluster-api@1.11.0")
    };
    let outcome = cluster("b");
    outcome.check_findings(Severity::Warning, &[]);
    assert!(outcome.after["a.yaml"].contains("apiGroup: controlplane.cluster.x-k8s.io"), "the reference is updated");
    let reported = "a.yaml unresolved reference-not-updated spec.controlPlaneRef";
    cluster("{status: b}").check_findings(Severity::Warning, &[reported]);
}

/// What a health check of Flux, a policy or a metric says of fields stands in no form that is converted.
#[test]
fn fields_named_beside_a_reference_that_is_updated_are_reported() {
    let health = |api_version: &str, kind: &str, expression: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: a}}\nspec:\n  healthCheckExprs:\n  - apiVersion: {api_version}\n    kind: {kind}\n    current: {expression}\n"
        )
    };
    let policy = |patch: &str| {
        format!(
            "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: a}}\nspec:\n  rules:\n  - name: a\n    mutate:\n      targets: [{{apiVersion: traefik.containo.us/v1alpha1, kind: Middleware}}]\n      {patch}\n"
        )
    };
    let old = "traefik.containo.us/v1alpha1";
    let middleware = |text: &str| run(&[("a.yaml", text), ("z.yaml", MIDDLEWARE)], "traefik@3.7.0");
    let cluster = |text: &str| run(&[("a.yaml", text), ("z.yaml", CLUSTER)], "cluster-api@1.11.0");
    let reported = |field: &str| [format!("a.yaml unresolved reference-not-updated {field}")];
    let (check, targets) = ("spec.healthCheckExprs[0]", "spec.rules[0].mutate.targets[0]");
    for (outcome, field) in [
        (middleware(&health(old, "Middleware", "has(data.spec.ipWhiteList)")), Some(check)),
        (middleware(&health(old, "Middleware", "status.observedGeneration == metadata.generation")), None),
        (
            cluster(&health("cluster.x-k8s.io/v1beta1", "Cluster", "status.conditions.all(e, e.status == 'True')")),
            Some(check),
        ),
        (cluster(&health("cluster.x-k8s.io/v1beta1", "Cluster", "has(metadata.labels.a)")), None),
        (middleware(&policy("patchStrategicMerge: {spec: {ipWhiteList: {sourceRange: [10.0.0.0/8]}}}")), Some(targets)),
        (middleware(&policy("patchesJson6902: '[{op: remove, path: /spec/ipWhiteList}]'")), Some(targets)),
        (middleware(&policy("patchStrategicMerge: {metadata: {labels: {a: b}}}")), None),
    ] {
        let expected = field.map(reported).into_iter().flatten().collect::<Vec<_>>();
        outcome.check_findings(Severity::Warning, &expected.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(outcome.after.contains_key("a.yaml"), "the reference is updated");
    }
}
