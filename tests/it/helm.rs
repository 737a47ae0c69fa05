//! Law T4: what a converted chart renders to is what the conversion makes of what the chart rendered before, by a real Helm.
//!
//! It is found as `helm`, or as the file that `REVERSION_HELM` names. Where there is none the checks are skipped and counted, unless
//! `REVERSION_HELM` is set.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde::Deserialize as _;
use serde_json::Value;

use super::templates::{CURRENT, apply, chart};
use crate::support::{skipped, trees::Tree};

/// Names the program, or is `required`.
const HELM: &str = "REVERSION_HELM";

/// A cluster to which charts are converted; they are rendered for it, and for one that is older.
#[derive(Clone, Copy, Debug)]
struct Target {
    name: &'static str,
    version: &'static str,
    /// What the cluster serves and `helm template` does not know by itself.
    kinds: &'static str,
}

const NEW: Target = Target {
    name: CURRENT,
    version: "1.33.0",
    kinds: "policy/v1/PodDisruptionBudget,networking.k8s.io/v1/Ingress,autoscaling/v2/HorizontalPodAutoscaler,batch/v1/CronJob",
};

const OLD: Target = Target {
    name: "kubernetes@1.20",
    version: "1.20.0",
    kinds: "policy/v1beta1/PodDisruptionBudget,networking.k8s.io/v1/Ingress,autoscaling/v2beta2/HorizontalPodAutoscaler,batch/v1beta1/CronJob",
};

/// A cluster with another project.
const CERTIFICATES: Target =
    Target { name: "cert-manager@1.15", version: "1.33.0", kinds: "cert-manager.io/v1/Certificate" };

/// The version of the older cluster.
const OLDEST: &str = "1.18.0";

/// One way to render a chart.
#[derive(Clone, Copy, Debug)]
struct Way<'v> {
    target: Target,
    cluster: &'static str,
    /// Whether the kinds that the target serves are passed on.
    kinds: bool,
    /// A file with values of the chart.
    values: Option<&'v str>,
}

impl Way<'_> {
    /// Returns whether a chart that follows the cluster follows it to the target.
    fn is_target(self) -> bool {
        self.kinds && self.cluster == self.target.version
    }
}

/// Returns the program; nothing where there is none.
fn helm() -> Option<String> {
    let named = std::env::var(HELM).ok();
    let program = named.clone().filter(|name| name != "required").unwrap_or_else(|| "helm".to_owned());
    let is_there = Command::new(&program).arg("version").output().is_ok_and(|run| run.status.success());
    assert!(is_there || named.is_none(), "{program} is required");
    is_there.then_some(program)
}

/// Returns the ways to render a chart whose files with values are these.
fn ways<'v>(files: &[&'v str], target: Target) -> Vec<Way<'v>> {
    let values = std::iter::once(None).chain(files.iter().copied().map(Some));
    let with_kinds = values.flat_map(|values| [false, true].map(|kinds| (values, kinds)));
    with_kinds
        .flat_map(|(values, kinds)| [OLDEST, target.version].map(|cluster| Way { target, cluster, kinds, values }))
        .collect()
}

/// Renders the chart.
#[track_caller]
fn render(helm: &str, tree: &Tree, way: Way<'_>) -> String {
    let mut command = Command::new(helm);
    command.args(["template", "r", ".", "--kube-version", way.cluster]).current_dir(tree.path(""));
    if way.kinds {
        command.args(["--api-versions", way.target.kinds]);
    }
    if let Some(values) = way.values {
        command.args(["--values", values]);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{way:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the objects of a text.
fn objects(text: &str) -> Vec<Value> {
    let documents = serde_yaml::Deserializer::from_str(text).map(|document| Value::deserialize(document).unwrap());
    documents.filter(|object| !object.is_null()).collect()
}

/// Returns the kind and name of an object.
fn name(object: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    format!("{} {}", text(&object["kind"]), text(&object["metadata"]["name"]))
}

/// Checks the law for a chart, of which these objects are held back, and whose files with values are these.
#[track_caller]
fn law(text: &str, held: &[&str], files: &[&str]) {
    law_of(&chart(text, "\n"), NEW, held, i32::from(!held.is_empty()), files);
}

/// Checks the law for a chart, of which these objects stay as they are, with this exit code.
#[track_caller]
fn law_of(tree: &Tree, target: Target, held: &[&str], code: i32, files: &[&str]) {
    let ways = ways(files, target);
    let Some(helm) = helm() else { return skipped(&format!("{} checks with helm", ways.len())) };
    let before: Vec<String> = ways.iter().map(|way| render(&helm, tree, *way)).collect();
    apply(tree, target.name).check(code);
    for (way, before) in ways.into_iter().zip(before) {
        let fed = ["convert", "-q", "--allow-empty", "--to", target.name, "-"];
        let converted = objects(&tree.run_fed(&fed, &before).out);
        let (before, after) = (objects(&before), objects(&render(&helm, tree, way)));
        assert_eq!((before.len(), after.len()), (converted.len(), converted.len()), "{way:?}");
        for ((before, after), converted) in before.iter().zip(&after).zip(&converted) {
            let name = name(before);
            if held.contains(&&*name) {
                assert_eq!(after, before, "{name} is held back; {way:?}");
            } else if way.is_target() || after != before {
                // For other clusters, an object that follows the cluster stays.
                assert_eq!(after, converted, "{name}; {way:?}");
            }
        }
    }
}

/// Checks the law for one of the charts in `tests/fixtures/charts`: converted to the new target, from there to the old one, and to that at once.
/// Of each there are the objects that stay as they are, and the exit code.
#[track_caller]
fn fixture_law(name: &str, [new, back, old]: [(&[&str], i32); 3]) {
    let (tree, values) = fixture(name);
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    law_of(&tree, NEW, new.0, new.1, &values);
    law_of(&tree, OLD, back.0, back.1, &values);
    law_of(&fixture(name).0, OLD, old.0, old.1, &values);
}

/// Returns one of those charts, and its files with values.
#[track_caller]
fn fixture(name: &str) -> (Tree, Vec<String>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/charts").join(name);
    let mut files = Vec::new();
    collect(&folder, "", &mut files);
    let tree = Tree::of(&files.iter().map(|(path, text)| (&**path, &**text)).collect::<Vec<_>>());
    let values: Vec<String> = files.into_iter().map(|(path, _)| path).filter(|path| path.starts_with("ci/")).collect();
    assert!(!values.is_empty(), "{name}");
    (tree, values)
}

/// Collects the files below a folder, each with its path from there.
fn collect(folder: &Path, place: &str, files: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder.join(place)).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let path = if place.is_empty() { name } else { format!("{place}/{name}") };
        match entry.file_type().unwrap().is_dir() {
            true => collect(folder, &path, files),
            false => files.push((path.clone(), fs::read_to_string(entry.path()).unwrap())),
        }
    }
    files.sort();
}

#[test]
fn a_shop_with_an_ingress_by_helpers() {
    let extra = "Ingress r-storefront-extra";
    fixture_law("storefront", [(&[extra], 1), (&[extra], 0), (&[extra], 0)]);
}

#[test]
fn autoscalers_with_metrics_of_values() {
    let by_values = ["HorizontalPodAutoscaler autoscaled-by-values", "HorizontalPodAutoscaler web-by-values"];
    fixture_law("autoscaled", [(&by_values, 1), (&by_values, 0), (&by_values, 0)]);
}

#[test]
fn budgets_by_a_ternary() {
    let all = "PodDisruptionBudget r-all";
    fixture_law("budgets", [(&[all], 1), (&[], 0), (&[], 0)]);
}

#[test]
fn webhooks_in_a_range_of_values() {
    let custom = "MutatingWebhookConfiguration r-admission-custom";
    fixture_law("admission", [(&[custom], 1), (&[custom], 0), (&[custom], 0)]);
}

#[test]
fn generic_objects_of_a_chart_with_a_library() {
    fixture_law("generic", [(&[], 0), (&[], 0), (&[], 0)]);
}

#[test]
fn a_stateful_set_with_claims_and_a_budget_of_values() {
    fixture_law("ledger", [(&[], 0), (&[], 0), (&[], 0)]);
}

#[test]
fn hosts_in_a_range_beside_a_network_policy() {
    let admin = "Ingress r-entrance-admin";
    fixture_law("entrance", [(&[admin], 1), (&[admin], 0), (&[admin], 0)]);
}

#[test]
fn certificates_of_another_project_beside_its_own_crd() {
    fixture_law("issuer", [(&[], 0), (&[], 0), (&[], 0)]);
    let (tree, values) = fixture("issuer");
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    law_of(&tree, CERTIFICATES, &[], 0, &values);
}

#[test]
fn raw_objects_beside_a_role() {
    fixture_law("raw", [(&[], 0), (&[], 0), (&[], 0)]);
}

/// A chart in the style of `helm create`, with an autoscaler and a budget.
const CREATED: &str = r#"
{{- if .Values.ingress.enabled -}}
{{- $fullName := include "create.fullname" . -}}
{{- $svcPort := .Values.service.port -}}
{{- if and .Values.ingress.className (not (semverCompare ">=1.18-0" .Capabilities.KubeVersion.GitVersion)) }}
  {{- if not (hasKey .Values.ingress.annotations "kubernetes.io/ingress.class") }}
  {{- $_ := set .Values.ingress.annotations "kubernetes.io/ingress.class" .Values.ingress.className}}
  {{- end }}
{{- end }}
{{- if semverCompare ">=1.19-0" .Capabilities.KubeVersion.GitVersion -}}
apiVersion: networking.k8s.io/v1
{{- else if semverCompare ">=1.14-0" .Capabilities.KubeVersion.GitVersion -}}
apiVersion: networking.k8s.io/v1beta1
{{- else -}}
apiVersion: extensions/v1beta1
{{- end }}
kind: Ingress
metadata:
  name: {{ $fullName }}
  labels:
    {{- include "create.labels" . | nindent 4 }}
  {{- with .Values.ingress.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- if and .Values.ingress.className (semverCompare ">=1.18-0" .Capabilities.KubeVersion.GitVersion) }}
  ingressClassName: {{ .Values.ingress.className }}
  {{- end }}
  {{- if .Values.ingress.tls }}
  tls:
    {{- range .Values.ingress.tls }}
    - hosts:
        {{- range .hosts }}
        - {{ . | quote }}
        {{- end }}
      secretName: {{ .secretName }}
    {{- end }}
  {{- end }}
  rules:
    {{- range .Values.ingress.hosts }}
    - host: {{ .host | quote }}
      http:
        paths:
          {{- range .paths }}
          - path: {{ .path }}
            {{- if and .pathType (semverCompare ">=1.18-0" $.Capabilities.KubeVersion.GitVersion) }}
            pathType: {{ .pathType }}
            {{- end }}
            backend:
              {{- if semverCompare ">=1.19-0" $.Capabilities.KubeVersion.GitVersion }}
              service:
                name: {{ $fullName }}
                port:
                  number: {{ $svcPort }}
              {{- else }}
              serviceName: {{ $fullName }}
              servicePort: {{ $svcPort }}
              {{- end }}
          {{- end }}
    {{- end }}
{{- end }}
=== templates/hpa.yaml
{{- if .Values.autoscaling.enabled }}
apiVersion: autoscaling/v2beta1
kind: HorizontalPodAutoscaler
metadata:
  name: {{ include "create.fullname" . }}
  labels:
    {{- include "create.labels" . | nindent 4 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "create.fullname" . }}
  minReplicas: {{ .Values.autoscaling.min }}
  maxReplicas: {{ .Values.autoscaling.max }}
  metrics:
    {{- if .Values.autoscaling.cpu }}
    - type: Resource
      resource:
        name: cpu
        targetAverageUtilization: {{ .Values.autoscaling.cpu }}
    {{- end }}
    {{- if .Values.autoscaling.memory }}
    - type: Resource
      resource:
        name: memory
        targetAverageUtilization: {{ .Values.autoscaling.memory }}
    {{- end }}
{{- end }}
=== templates/_helpers.tpl
{{- define "create.fullname" -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- define "create.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
=== values.yaml
service: {port: 80}
ingress:
  enabled: true
  className: ""
  hosts:
  - host: a.example.com
    paths: [{path: /, pathType: Prefix}]
autoscaling: {enabled: true, min: 1, max: 3, cpu: 80, memory: null}
pdb: {enabled: true}
=== ci/a.yaml
ingress: {className: nginx, hosts: [{host: b, paths: [{path: /x}, {path: /y, pathType: Exact}]}]}
autoscaling: {memory: 70}
"#;

#[test]
fn the_chart_of_helm_create_with_an_autoscaler() {
    law(CREATED, &[], &["ci/a.yaml"]);
}

#[test]
fn budgets_and_jobs_by_ternary_and_by_condition() {
    law(
        r#"
apiVersion: {{ ternary "policy/v1" "policy/v1beta1" (.Capabilities.APIVersions.Has "policy/v1/PodDisruptionBudget") }}
kind: PodDisruptionBudget
metadata:
  name: first
spec:
  {{- with .Values.min }}
  minAvailable: {{ . }}
  {{- else }}
  maxUnavailable: 1
  {{- end }}
  selector:
    matchLabels: {{- include "labels" . | nindent 6 }}
---
{{- if .Values.second }}
apiVersion: policy/v1beta1
kind: PodDisruptionBudget
metadata:
  name: second
  labels: {{- include "labels" . | nindent 4 }}
    tier: web
spec:
  minAvailable: {{ .Values.min | default 2 }}
  selector:
    matchLabels: {{- include "labels" . | nindent 6 }}
      tier: web
{{- end }}
---
apiVersion: batch/v1beta1
kind: CronJob
metadata:
  name: job
spec:
  schedule: {{ .Values.schedule | quote }}
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: main
              image: "{{ .Values.image }}:{{ .Chart.AppVersion }}"
              {{- if .Values.resources }}
              resources: {{- toYaml .Values.resources | nindent 16 }}
              {{- end }}
=== templates/_helpers.tpl
{{/* Call it as {{ include "labels" . }} */}}
{{- define "labels" -}}
app: {{ .Release.Name }}
release: {{ .Chart.Name | quote }}
{{- end -}}
=== values.yaml
schedule: "*/5 * * * *"
image: example.com/main
second: true
=== ci/off.yaml
second: false
min: 3
resources: {limits: {cpu: 1}}
"#,
        &[],
        &["ci/off.yaml"],
    );
}

#[test]
fn webhooks_in_a_range_and_roles_by_condition() {
    law(
        r#"
apiVersion: admissionregistration.k8s.io/v1beta1
kind: ValidatingWebhookConfiguration
metadata:
  name: {{ .Release.Name }}-hooks
webhooks:
{{- range $name, $hook := .Values.hooks }}
  - name: {{ $name }}.example.com
    clientConfig:
      service:
        name: {{ $.Release.Name }}
        namespace: {{ $.Release.Namespace }}
        path: /{{ $name }}
    failurePolicy: {{ $hook.policy | default "Fail" }}
    matchPolicy: Equivalent
    sideEffects: None
    timeoutSeconds: 10
    admissionReviewVersions: [v1beta1]
    rules:
      - apiGroups: [""]
        apiVersions: [v1]
        operations: [CREATE]
        resources: {{ toJson $hook.resources }}
{{- end }}
---
apiVersion: rbac.authorization.k8s.io/v1beta1
kind: {{ if .Values.all }}ClusterRole{{ else }}Role{{ end }}
metadata:
  name: {{ .Release.Name }}
rules:
{{- if .Values.rules }}
{{ toYaml .Values.rules }}
{{- end }}
- apiGroups: [""]
  resources: [pods]
  verbs: [get]
=== values.yaml
hooks:
  pods: {resources: [pods]}
  services: {resources: [services], policy: Ignore}
=== ci/all.yaml
all: true
rules:
- {apiGroups: [""], resources: [nodes], verbs: [list]}
"#,
        &[],
        &["ci/all.yaml"],
    );
}

#[test]
fn an_object_that_is_held_back_beside_others() {
    law(
        r#"
{{- range .Values.names }}
---
apiVersion: networking.k8s.io/v1beta1
kind: Ingress
metadata:
  name: by-name
spec:
  rules:
    - host: {{ . }}.example.com
      http:
        paths:
          - path: /
            pathType: Prefix
            backend:
              serviceName: {{ . }}
              servicePort: http
---
apiVersion: networking.k8s.io/v1beta1
kind: Ingress
metadata:
  name: by-values
spec:
  backend: {{- toYaml $.Values.backend | nindent 4 }}
{{- end }}
---
apiVersion: apps/v1beta2
kind: Deployment
metadata:
  name: web
spec:
  selector:
    matchLabels:
      app: {{ .Chart.Name }}
  template:
    metadata:
      labels:
        app: {{ .Chart.Name }}
    spec:
      containers:
        - name: web
          image: web
      tolerations: {{ toJson .Values.tolerations }}
      {{- with .Values.nodeSelector }}
      nodeSelector: {{- toYaml . | nindent 8 }}
      {{- end }}
=== values.yaml
names: [a]
backend: {serviceName: a, servicePort: 80}
tolerations: []
=== ci/more.yaml
names: [a, b]
nodeSelector: {disk: ssd}
"#,
        &["Ingress by-values"],
        &["ci/more.yaml"],
    );
}

#[test]
fn raw_objects_in_values() {
    law(
        r#"
{{- range .Values.extraDeploy }}
---
{{ tpl (toYaml .) $ }}
{{- end }}
{{- if .Values.budget }}
---
apiVersion: policy/v1beta1
kind: PodDisruptionBudget
metadata:
  name: {{ .Release.Name }}
spec: {{- toYaml .Values.budget | nindent 2 }}
{{- end }}
=== values.yaml
budget:
  minAvailable: 1
  selector: {matchLabels: {app: web}}
extraDeploy:
  - apiVersion: networking.k8s.io/v1beta1
    kind: Ingress
    metadata:
      name: "{{ .Release.Name }}-extra"
    spec:
      backend:
        serviceName: web
        servicePort: 80
  - apiVersion: v1
    kind: ConfigMap
    metadata: {name: text}
    data: {a: "{{ .Chart.Name }}"}
=== ci/none.yaml
extraDeploy: []
"#,
        &[],
        &["ci/none.yaml"],
    );
}

#[test]
fn generic_objects_of_a_library_chart() {
    law(
        r#"
{{ include "common.budget" . }}
---
{{ include "common.ingress" (dict "root" . "name" "extra") }}
=== templates/job.yaml
apiVersion: batch/v1beta1
kind: CronJob
metadata:
  name: {{ .Release.Name }}
spec:
  schedule: "*/5 * * * *"
  jobTemplate:
    spec:
      template:
        spec: {restartPolicy: Never, containers: [{name: a, image: b}]}
=== charts/common/Chart.yaml
apiVersion: v2
name: common
version: 1.0.0
type: library
=== templates/_common.tpl
{{- define "common.budget" -}}
apiVersion: policy/v1beta1
kind: PodDisruptionBudget
metadata:
  name: {{ .Release.Name }}
spec:
  minAvailable: 1
  selector:
    matchLabels:
      app: {{ .Chart.Name }}
{{- end -}}
{{- define "common.ingress" -}}
apiVersion: networking.k8s.io/v1beta1
kind: Ingress
metadata:
  name: {{ .name }}
spec:
  backend:
    serviceName: {{ .root.Release.Name }}
    servicePort: http
{{- end -}}
"#,
        &[],
        &[],
    );
}

#[test]
fn known_texts_and_comments_in_fields_that_move() {
    law(
        r#"
apiVersion: networking.k8s.io/v1beta1
kind: Ingress
metadata:
  name: {{ include "shop.name" . }}
spec:
  {{- /* where all else goes */}}
  backend:
    {{- /* the service
           of the shop */}}
    serviceName: {{ include "shop.name" . }}
    {{/* its port */ -}}
    servicePort: {{ include "shop.port" . }} {{/* fixed */}}
  rules:
    - host: {{ "shop" }}.example.com
      http:
        paths:
          {{- /* all paths */}}
          - path: /
            # the type comes from here
            {{- /* by the way */}}
            pathType: {{ "Prefix" }}
            backend:
              serviceName: "{{ include "shop.name" . }}-{{ .Release.Name }}"
              {{- /* a name */}}
              servicePort: {{ "http" }}
=== templates/_h.tpl
{{- define "shop.name" }}shop{{ end }}
{{- define "shop.port" }}80{{ end }}
"#,
        &[],
        &[],
    );
}

#[test]
fn raw_objects_under_any_key() {
    law(
        r#"
{{- range .Values.shop.more }}
---
{{- if typeIs "string" . }}
{{ tpl . $ }}
{{- else }}
{{ tpl (toYaml .) $ }}
{{- end }}
{{- end }}
{{- range $name, $object := .Values.named }}
---
{{ include "shop.render" (dict "value" $object "context" $) }}
{{- end }}
=== templates/_h.tpl
{{- define "shop.render" -}}
{{- tpl (.value | toYaml) .context }}
{{- end -}}
=== values.yaml
shop:
  more:
    - apiVersion: networking.k8s.io/v1beta1
      kind: Ingress
      metadata:
        name: "{{ .Release.Name }}-extra"
      spec:
        backend:
          serviceName: web
          servicePort: 80
    - apiVersion: v1
      kind: ConfigMap
      metadata: {name: text}
named:
  budget:
    apiVersion: policy/v1beta1
    kind: PodDisruptionBudget
    metadata: {name: named}
    spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}
=== ci/none.yaml
shop: {more: []}
"#,
        &[],
        &["ci/none.yaml"],
    );
}

#[test]
fn raw_objects_for_a_chart_that_is_brought() {
    law(
        r#"
{{- range .Values.global.things }}
---
{{ toYaml . }}
{{- end }}
=== values.yaml
global:
  things:
    - apiVersion: policy/v1beta1
      kind: PodDisruptionBudget
      metadata: {name: global}
      spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}
s:
  things:
    web:
      apiVersion: networking.k8s.io/v1beta1
      kind: Ingress
      metadata: {name: web}
      spec: {backend: {serviceName: web, servicePort: 80}}
=== charts/s/Chart.yaml
apiVersion: v2
name: s
version: 1.0.0
=== charts/s/templates/all.yaml
{{- range .Values.things }}
---
{{ toYaml . }}
{{- end }}
=== ci/none.yaml
global: {things: []}
"#,
        &[],
        &["ci/none.yaml"],
    );
}

/// `helm dependency build` refuses a lock whose digest is not the one that it makes itself.
#[test]
fn the_lock_of_a_converted_chart_fits_its_dependencies() {
    let Some(helm) = helm() else { return skipped("a lock with helm") };
    let requirements = "dependencies:\n- name: own\n  version: \">=1.0.0 <2\"\n  repository: file://../own\n  tags: [a, b]\n  condition: own.enabled\n  import-values:\n  - {parent: a, child: b}\n  - data\n";
    let own = ("own/Chart.yaml", "apiVersion: v2\nname: own\nversion: 1.0.0\n");
    let tree = Tree::of(&[
        own,
        ("shop/Chart.yaml", "apiVersion: v1\nname: shop\nversion: 1.0.0\n"),
        ("shop/requirements.yaml", requirements),
    ]);
    let run = |command: &str| {
        let output =
            Command::new(&helm).args(["dependency", command, "shop"]).current_dir(tree.path("")).output().unwrap();
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    // It writes the digest of Helm 3 for a chart of v1 too; on the way back it is that of Helm 2.
    assert_eq!(run("update"), (true, String::new()));
    let lock = tree.text("shop/requirements.lock");
    apply(&tree, "helm@3").check(0);
    assert_eq!((run("build"), tree.text("shop/Chart.lock")), ((true, String::new()), lock.clone()));
    apply(&tree, "helm@2").check(0);
    let (is_accepted, said) = run("build");
    assert!(is_accepted && said.contains("Checking against Helm v2 hash"), "{said}");
    assert_ne!(tree.text("shop/requirements.lock"), lock);
}
