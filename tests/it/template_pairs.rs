//! Templates of charts in which two conditions decide something together.

use super::templates::{CHART, says};
use crate::support::trees::Tree;

/// A rule that two fields break together, of which no pack says anything.
const CRD: &str = r#"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: ciliuml2announcementpolicies.cilium.io
spec:
  group: cilium.io
  names: {kind: CiliumL2AnnouncementPolicy, plural: ciliuml2announcementpolicies, singular: ciliuml2announcementpolicy}
  scope: Cluster
  versions:
  - name: v2alpha1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            x-kubernetes-validations:
            - rule: "!has(self.externalIPs) || has(self.loadBalancerIPs)"
              message: external addresses alone
            properties:
              externalIPs: {type: boolean}
              loadBalancerIPs: {type: boolean}
              interfaces: {type: array, items: {type: string}}
"#;

const POLICY: &str = "\
apiVersion: cilium.io/v2alpha1
kind: CiliumL2AnnouncementPolicy
metadata:
  name: x
spec:
  {{- if .Values.external }}
  externalIPs: true
  {{- end }}
  interfaces:
  - eth0
  {{- if .Values.balancers }}
  loadBalancerIPs: true
  {{- end }}
";

#[test]
fn what_two_branches_break_together_in_the_crds_of_the_user_is_reported() {
    let files = [("crds/a.yaml", CRD), ("shop/Chart.yaml", CHART), ("shop/templates/a.yaml", POLICY)];
    let run = Tree::of(&files).run(&["check", "--to", "cilium@1.18", "--crds", "crds", "shop"]);
    run.check(1);
    says(&run, "shop/templates/a.yaml:5:1: held-back[invalid-in-target]", "external addresses alone");
}

/// What is known of a field is known of one kind: another branch may make it one of another kind.
#[test]
fn a_field_of_another_kind_is_looked_at_as_one_of_that() {
    let workload = "\
metadata:
  name: m
spec:
  selector:
    matchLabels:
      app: x
  template:
    metadata:
      labels:
        app: x
      {{- if .Values.profile }}
      annotations:
        seccomp.security.alpha.kubernetes.io/pod: runtime/default
      {{- end }}
    spec:
      containers:
      - name: c
        image: i
";
    let head = "\
{{- if .Values.rollout }}
apiVersion: argoproj.io/v1alpha1
kind: Rollout
{{- else }}
apiVersion: apps/v1
kind: Deployment
{{- end }}
";
    is_held(
        &format!("{head}{workload}"),
        "kubernetes@1.33",
        "shop/templates/a.yaml:1:1: held-back[template-action] Deployment m",
        "`{{- if .Values.rollout }}`",
    );
    let run = "\
apiVersion: tekton.dev/v1beta1
kind: {{ if .Values.task }}TaskRun{{ else }}PipelineRun{{ end }}
metadata:
  name: m
spec:
  params:
  - name: x
    value: y
  {{- if .Values.limit }}
  timeout: 10m0s
  {{- end }}
";
    is_held(
        run,
        "tekton@v0.50.0",
        "shop/templates/a.yaml:2:7: held-back[template-action] TaskRun m",
        "depends on `{{ if .Values.task }}`",
    );
}

/// The same, where the group alone makes it another kind: its field is not left as it is under the new apiVersion.
#[test]
fn a_field_of_a_kind_in_another_group_is_looked_at_as_one_of_that() {
    let machines = "\
apiVersion: {{ if .Values.old }}cluster.k8s.io/v1alpha1{{ else }}cluster.x-k8s.io/v1beta1{{ end }}
kind: MachineDeployment
metadata:
  name: x
spec:
  {{- if .Values.delay }}
  minReadySeconds: 5
  {{- end }}
  replicas: 1
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec:
      clusterName: c
      bootstrap: {dataSecretName: x}
";
    let run = Tree::of(&[("shop/Chart.yaml", CHART), ("shop/templates/a.yaml", machines)]).run(&[
        "check",
        "--to",
        "cluster-api@1.11",
        "shop",
    ]);
    run.check(1);
    says(&run, "shop/templates/a.yaml:2:1: held-back[kind-not-in-target]", "MachineDeployment.cluster.k8s.io");
    assert!(run.all().contains("0 to change in 0 files, 1 held back"), "{}", run.all());
}

/// An object that lacks what every release requires is held to less: a branch that makes it one has a part in everything.
#[test]
fn what_one_branch_leaves_incomplete_excuses_nothing_in_another_reading() {
    let secret = "\
apiVersion: generators.external-secrets.io/v1alpha1
kind: VaultDynamicSecret
metadata:
  name: m
spec:
  provider:
    {{- if .Values.other }}
    version: v2
    {{- else }}
    auth:
      tokenSecretRef:
        name: x
        key: k
    {{- end }}
    server: https://vault
    path: secret
    {{- if .Values.authority }}
    caProvider:
      type: ConfigMap
    {{- end }}
  path: /x
";
    is_held(
        secret,
        "external-secrets@v0.14.3",
        "shop/templates/a.yaml:6:3: held-back[invalid-in-target]",
        "spec.provider.auth is required but missing",
    );
}

/// A reading with a key twice shows nothing, so that other readings have to show the pairs of branches that it has besides.
#[test]
fn branches_that_exclude_each_other_hide_no_other_pair() {
    let two = |value: &str, first: &str, other: &str| {
        format!(
            "    {{{{- if .Values.{value} }}}}\n    {first}: x\n    {{{{- else }}}}\n    {other}: x\n    {{{{- end }}}}\n"
        )
    };
    let held = |labels: [String; 3], profile: &str, place: &str| {
        is_held(
            &workload("apps/v1", &labels.concat(), ["{{- if .Values.s }}\n      {{- else }}", profile]),
            "kubernetes@1.33",
            place,
            "spec.template.spec.containers[0].image",
        );
    };
    let profile = "{{- if .Values.c }}\n      {{- else }}";
    held(
        [two("b", "m", "k"), two("d", "n", "o"), two("a", "k", "j")],
        profile,
        "shop/templates/a.yaml:27:7: held-back",
    );
    held(
        [two("a", "j", "k"), two("b", "m", "k"), String::new()],
        "{{- if .Values.c }}",
        "shop/templates/a.yaml:28:7: held-back",
    );
}

/// Whatever prints the apiVersion by default, what two branches decide together is seen.
#[test]
fn an_object_with_a_printed_version_is_read_in_pairs() {
    for version in
        ["apps/v1", "{{ .Values.version | default \"apps/v1\" }}", "apps/{{ .Values.version | default \"v1\" }}"]
    {
        let (place, part) = ("shop/templates/a.yaml:17:7: held-back", "spec.template.spec.containers[0].image");
        let conditions = ["{{- if .Values.s }}", "{{- if .Values.c }}"];
        is_held(&workload(version, "", conditions), "kubernetes@1.33", place, part);
    }
}

/// A default is written into a mapping that is there, which any of its fields decides.
#[test]
fn conditions_around_all_fields_of_a_mapping_decide_whether_it_is_there() {
    let binding = "\
apiVersion: admissionregistration.k8s.io/v1alpha1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: x
spec:
  {{- if .Values.policy }}
  policyName: x
  {{- end }}
  {{- if .Values.actions }}
  validationActions: [Warn]
  {{- end }}
";
    is_held(
        binding,
        "kubernetes@1.33",
        "shop/templates/a.yaml:9:3: held-back[template-action]",
        "{{- if .Values.actions }}",
    );
}

/// An item in flow style is named by its place in the list.
#[test]
fn a_place_in_a_flow_collection_is_that_of_the_collection() {
    let pool = "\
apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata: {name: x}
spec:
  template:
    spec:
      nodeClassRef: {apiVersion: karpenter.k8s.aws/v1beta1, kind: EC2NodeClass, name: x}
      requirements:
      - {key: arch, operator: In, values: [amd64]}
      {{- if .Values.zone }}
      - {key: zone, operator: In, values: [a]}
      {{- end }}
  {{- if .Values.disruption }}
  disruption:
    consolidationPolicy: WhenUnderutilized
  {{- end }}
";
    let place = "what is to be added beside spec.template.spec.requirements[1] (line 11) depends on `{{- if .Values.disruption }}`";
    is_held(pool, "karpenter@1.0", "shop/templates/a.yaml:13:3: held-back[template-action]", place);
}

/// Of very many conditions, not all pairs are read: what changes is held back then, and nothing is reported where nothing changes.
#[test]
fn pairs_that_are_not_read_hold_back_what_changes() {
    let label = |n: usize| {
        format!(
            "    {{{{- if .Values.a{n} }}}}
    a{n}: x
    {{{{- else if .Values.b{n} }}}}
    b{n}: x
    {{{{- else if .Values.c{n} }}}}
    {{{{- if .Values.d{n} }}}}
    c{n}: x
    {{{{- end }}}}
    {{{{- end }}}}
"
        )
    };
    let job = |conditions: usize| {
        let labels: String = (0..conditions).map(label).collect();
        format!(
            "apiVersion: batch/v1beta1\nkind: CronJob\nmetadata:\n  name: x\n  labels:\n    k: v\n{labels}spec:\n  schedule: x\n"
        )
    };
    let check = |conditions: usize, target: &str| {
        let files = [("shop/Chart.yaml", CHART), ("shop/templates/a.yaml", &job(conditions))];
        Tree::of(&files).run(&["check", "--to", target, "shop"])
    };
    let run = check(60, "kubernetes@1.25");
    run.check(1);
    says(&run, "shop/templates/a.yaml:1:1: unresolved[template]", "pairs of branches more than are read");
    says(&run, "2 files read", "1 held back, 1 unresolved");
    check(60, "kubernetes@1.20").check(0);
    let run = check(3, "kubernetes@1.25");
    run.check(1);
    says(&run, "shop/templates/a.yaml:1:1: CronJob x", "batch/v1beta1 -> batch/v1");
}

/// Returns a Deployment with more labels, whose annotation for seccomp and security context are behind these conditions.
fn workload(version: &str, labels: &str, [annotation, profile]: [&str; 2]) -> String {
    format!(
        "\
apiVersion: {version}
kind: Deployment
metadata:
  name: x
  labels:
    z: z
{labels}spec:
  selector: {{matchLabels: {{a: b}}}}
  template:
    metadata:
      labels: {{a: b}}
      {annotation}
      annotations:
        seccomp.security.alpha.kubernetes.io/pod: runtime/default
      {{{{- end }}}}
    spec:
      {profile}
      securityContext:
        seccompProfile: {{type: RuntimeDefault}}
      {{{{- end }}}}
      containers:
      - name: c
        image: i
"
    )
}

/// Checks that the object of a template is held back.
#[track_caller]
fn is_held(template: &str, target: &str, place: &str, part: &str) {
    let run = Tree::of(&[("shop/Chart.yaml", CHART), ("shop/templates/a.yaml", template)])
        .run(&["check", "--to", target, "shop"]);
    run.check(1);
    says(&run, place, part);
}
