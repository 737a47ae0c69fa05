//! References without a key for the group: what they name can only change its group together with the object that they stand in.

use reversion::internals::finding::{Code, Severity};
use reversion::internals::plan::{AllowedLoss, Choices};

use super::{run, run_with};

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

/// A Provisioner of Karpenter and its AWSNodeTemplate, of which either can have what holds it back.
fn provisioner(labels: &str) -> String {
    format!(
        "apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {{name: default}}\nspec:\n  providerRef: {{name: nodes}}\n  labels: {{{labels}}}\n"
    )
}

const TEMPLATE: &str = "apiVersion: karpenter.k8s.aws/v1alpha1\nkind: AWSNodeTemplate\nmetadata: {name: nodes}\nspec:\n  subnetSelector: {a: b}\n  securityGroupSelector: {a: b}\n  instanceProfile: p\n";

/// The reference has no kind, and the label of nodes is the name of what makes them: neither is right with one of the two converted.
#[test]
fn a_provisioner_its_template_and_what_selects_its_nodes_are_converted_together() {
    let workload = |node: &str| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: d, namespace: shop}}\nspec: {{template: {{spec: {{{node}}}}}}}\n"
        )
    };
    let selector = |name: &str| workload(&format!("nodeSelector: {{karpenter.sh/provisioner-name: {name}}}"));
    let affinity = |name: &str| {
        workload(&format!(
            "affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: [{{matchExpressions: [{{key: karpenter.sh/provisioner-name, operator: In, values: [{name}]}}]}}]}}}}}}"
        ))
    };
    let (good, bad) = (provisioner("a: b"), provisioner("karpenter.sh/provisioner-name: x"));
    for pods in [selector("default"), affinity("default")] {
        let all = run(&[("a.yaml", &pods), ("p.yaml", &good), ("t.yaml", TEMPLATE)], "karpenter@0.33.6");
        all.check_findings(Severity::Held, &[]);
        assert_eq!(all.after["a.yaml"], pods.replace("provisioner-name", "nodepool"));
        let held = run(&[("a.yaml", &pods), ("p.yaml", &bad), ("t.yaml", TEMPLATE)], "karpenter@0.33.6");
        let expected = [
            "a.yaml held-back converts-together -",
            "p.yaml held-back not-convertible spec.labels",
            "t.yaml held-back converts-together -",
        ];
        held.check_findings(Severity::Held, &expected);
        assert!(held.after.is_empty(), "{:?}", held.after);
    }
    // What no file has, or another name, binds nothing.
    for (pods, makers) in [(selector("other"), &bad), (affinity("other"), &bad)] {
        let found = run(&[("a.yaml", &pods), ("p.yaml", makers), ("t.yaml", TEMPLATE)], "karpenter@0.33.6");
        assert_eq!(found.after.keys().collect::<Vec<_>>(), ["a.yaml"]);
    }
    let alone = run(&[("a.yaml", &selector("default"))], "karpenter@0.33.6");
    assert_eq!(alone.after.keys().collect::<Vec<_>>(), ["a.yaml"]);
}

/// In v1 the class has the kubelet, before each NodePool: a class does not lose it while the NodePool that gets it is held back.
#[test]
fn a_class_keeps_its_kubelet_while_a_node_pool_that_gets_it_is_held_back() {
    let pool = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: p}\nspec:\n  template:\n    spec:\n      expireAfter: 720h\n      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: d}\n      requirements: []\n";
    let class = "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {name: d}\nspec:\n  amiSelectorTerms: [{alias: al2@latest}]\n  role: r\n  kubelet: {maxPods: 10}\n  subnetSelectorTerms: [{tags: {a: b}}]\n  securityGroupSelectorTerms: [{tags: {a: b}}]\n  metadataOptions: {httpPutResponseHopLimit: 2, httpTokens: required}\n";
    let build = "resources: [p.yaml, d.yaml]\npatches:\n- target: {kind: NodePool}\n  patch: '[{op: replace, path: /spec/template/spec/nodeClassRef/name, value: e}]'\n";
    let files = [("d.yaml", class), ("kustomization.yaml", build), ("p.yaml", pool)];
    let allowed = AllowedLoss::Codes([Code::DroppedField].into());
    let found = run_with(&files, "karpenter@0.37.0", Choices { allowed, ..Choices::default() });
    let held: Vec<_> = found.reported.iter().filter(|line| line.contains(" held-back ")).collect();
    assert!(held.contains(&&"d.yaml held-back converts-together -".to_owned()), "{held:?}: {}", found.messages);
    assert!(found.after.is_empty(), "{:?}", found.after);
}

/// Of the references of a Cluster the older version names a version, which is the same for all providers where a parameter gives it.
#[test]
fn a_version_that_is_written_into_a_reference_is_that_of_its_object() {
    let cluster = "apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: {name: c, namespace: ns}\nspec:\n  controlPlaneRef: {apiGroup: controlplane.cluster.x-k8s.io, kind: TalosControlPlane, name: plane}\n  infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AWSCluster, name: c}\n";
    let other = |group: &str, version: &str, kind: &str, name: &str| {
        format!(
            "apiVersion: {group}.cluster.x-k8s.io/{version}\nkind: {kind}\nmetadata: {{name: {name}, namespace: ns}}\nspec: {{}}\n"
        )
    };
    let talos = other("controlplane", "v1alpha3", "TalosControlPlane", "plane");
    let parameters = [("cluster-api.provider-version".to_owned(), "v1beta2".to_owned())];
    for (version, expected) in [
        ("v1beta2", &["a.yaml unresolved reference-not-updated spec.controlPlaneRef"][..]),
        (
            "v1beta1",
            &[
                "a.yaml unresolved reference-not-updated spec.controlPlaneRef",
                "a.yaml unresolved reference-not-updated spec.infrastructureRef",
            ],
        ),
    ] {
        let aws = other("infrastructure", version, "AWSCluster", "c");
        let choices = Choices { parameters: parameters.clone().into(), ..Choices::default() };
        let files = [("a.yaml", cluster), ("b.yaml", &aws), ("c.yaml", &talos)];
        let found = run_with(&files, "cluster-api@1.10.0", choices);
        found.check_findings(Severity::Unresolved, expected);
        found.check_message("names TalosControlPlane plane by the version v1beta2, and its file has v1alpha3");
    }
}
