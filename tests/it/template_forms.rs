//! Templates of charts whose structure is chosen or printed by actions.

use super::templates::{becomes, converts, converts_in_part, held, needs_nothing, says};

#[test]
fn printed_labels_may_be_followed_by_literal_ones() {
    converts(
        r#"
apiVersion: policy/v1beta1
kind: PodDisruptionBudget
metadata:
  name: x
  labels:
    {{- include "labels" . | nindent 4 }}
    tier: web
spec:
  minAvailable: {{ .Values.min | default 1 }}
  selector:
    matchLabels:
      {{- include "labels" . | nindent 6 }}
      tier: web
=== templates/_x.tpl
{{ define "labels" -}}
app: {{ .Release.Name }}
{{- end }}
"#,
        r#"
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: x
  labels:
    {{- include "labels" . | nindent 4 }}
    tier: web
spec:
  minAvailable: {{ .Values.min | default 1 }}
  selector:
    matchLabels:
      {{- include "labels" . | nindent 6 }}
      tier: web
"#,
    );
}

#[test]
fn lists_and_mappings_may_be_printed_at_any_column() {
    converts(
        r#"
apiVersion: policy/v1beta1
kind: PodDisruptionBudget
metadata:
  name: x
  labels: {{- toYaml .Values.labels | nindent 4 }}
  annotations:
{{ toYaml .Values.labels | indent 4 }}
spec:
  minAvailable: 1
  selector:
    matchLabels:
{{- toYaml .Values.labels | nindent 6 }}
---
apiVersion: rbac.authorization.k8s.io/v1beta1
kind: Role
metadata:
  name: x
rules:
{{ toYaml .Values.rules }}
---
apiVersion: rbac.authorization.k8s.io/v1beta1
kind: Role
metadata:
  name: y
rules:
{{- with .Values.rules }}
{{- toYaml . | nindent 0 }}
{{- end }}
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [get]
=== values.yaml
labels: {app: x}
rules:
- {apiGroups: [""], resources: [pods], verbs: [get]}
"#,
        r#"
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: x
  labels: {{- toYaml .Values.labels | nindent 4 }}
  annotations:
{{ toYaml .Values.labels | indent 4 }}
spec:
  minAvailable: 1
  selector:
    matchLabels:
{{- toYaml .Values.labels | nindent 6 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: x
rules:
{{ toYaml .Values.rules }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: y
rules:
{{- with .Values.rules }}
{{- toYaml . | nindent 0 }}
{{- end }}
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [get]
"#,
    );
}

#[test]
fn a_hole_may_follow_a_value_that_an_action_prints() {
    converts(
        r#"
apiVersion: apps/v1beta2
kind: Deployment
metadata:
  name: x
spec:
  selector:
    matchLabels: {app: x}
  strategy: {type: Recreate}
  template:
    metadata:
      labels: {app: x}
    spec:
      tolerations: {{ toJson .Values.tolerations }}
{{- include "pull" . | nindent 6 }}
      containers:
      - name: a
        {{- include "image" . | nindent 8 }}
=== values.yaml
tolerations: []
=== templates/_x.tpl
{{- define "pull" }}hostNetwork: true{{ end }}
{{- define "image" }}image: b{{ end }}
"#,
        r#"
apiVersion: apps/v1
kind: Deployment
metadata:
  name: x
spec:
  selector:
    matchLabels: {app: x}
  strategy: {type: Recreate}
  template:
    metadata:
      labels: {app: x}
    spec:
      tolerations: {{ toJson .Values.tolerations }}
{{- include "pull" . | nindent 6 }}
      containers:
      - name: a
        {{- include "image" . | nindent 8 }}
"#,
    );
}

#[test]
fn an_include_may_print_a_list_item() {
    converts(
        r#"
apiVersion: batch/v1beta1
kind: CronJob
metadata: {name: x}
spec:
  schedule: {{ .Values.schedule | quote }}
  jobTemplate:
    spec:
      template:
        spec:
          containers:
          - {{- include "container" . | nindent 12 }}
            image: b
          - {{ include "container" . }}
            image: c
          initContainers:
          {{- include "item" . | nindent 10 }}
          {{- range .Values.names }}
          - name: {{ . }}
            image: d
          {{- end }}
=== values.yaml
schedule: "* * * * *"
names: [d, e]
=== templates/_x.tpl
{{- define "container" }}name: a{{ end }}
{{- define "item" }}- name: b
  image: c{{ end }}
"#,
        r#"
apiVersion: batch/v1
kind: CronJob
metadata: {name: x}
spec:
  schedule: {{ .Values.schedule | quote }}
  jobTemplate:
    spec:
      template:
        spec:
          containers:
          - {{- include "container" . | nindent 12 }}
            image: b
          - {{ include "container" . }}
            image: c
          initContainers:
          {{- include "item" . | nindent 10 }}
          {{- range .Values.names }}
          - name: {{ . }}
            image: d
          {{- end }}
"#,
    );
}

#[test]
fn a_block_scalar_may_begin_with_an_action() {
    converts(
        r#"
apiVersion: apiregistration.k8s.io/v1beta1
kind: APIService
metadata:
  name: v1.a.example.com
  annotations:
    text: |
      {{ .Values.first }}
      second: apiVersion: policy/v1beta1
      {{- if .Values.on }}
      third
      {{- end }}
    folded: >-
      {{- .Values.first | nindent 6 }}
spec:
  group: a.example.com
  version: v1
  groupPriorityMinimum: 100
  versionPriority: 1
  service: {name: a, namespace: b}
"#,
        r#"
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata:
  name: v1.a.example.com
  annotations:
    text: |
      {{ .Values.first }}
      second: apiVersion: policy/v1beta1
      {{- if .Values.on }}
      third
      {{- end }}
    folded: >-
      {{- .Values.first | nindent 6 }}
spec:
  group: a.example.com
  version: v1
  groupPriorityMinimum: 100
  versionPriority: 1
  service: {name: a, namespace: b}
"#,
    );
}

#[test]
fn actions_are_copied_into_a_selector() {
    converts(
        r#"
apiVersion: apps/v1beta2
kind: Deployment
metadata: {name: x}
spec:
  replicas: 1
  strategy: {type: Recreate}
  selector:
    matchLabels:
      app: {{ .Chart.Name }}
  template:
    metadata:
      labels:
        app: {{ .Chart.Name }}
    spec: {containers: [{name: a, image: b}]}
---
apiVersion: extensions/v1beta1
kind: DaemonSet
metadata:
  name: x
  labels:
    app: {{ .Chart.Name }}
spec:
  updateStrategy: {type: OnDelete}
  template:
    metadata:
      labels:
        app: {{ .Chart.Name }}
        release: {{ .Release.Name | quote }}
    spec: {containers: [{name: a, image: b}]}
"#,
        r#"
apiVersion: apps/v1
kind: Deployment
metadata: {name: x}
spec:
  replicas: 1
  strategy: {type: Recreate}
  selector:
    matchLabels:
      app: {{ .Chart.Name }}
  template:
    metadata:
      labels:
        app: {{ .Chart.Name }}
    spec: {containers: [{name: a, image: b}]}
---
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: x
  labels:
    app: {{ .Chart.Name }}
spec:
  updateStrategy: {type: OnDelete}
  selector:
    matchLabels:
      app: {{ .Chart.Name }}
      release: {{ .Release.Name | quote }}
  template:
    metadata:
      labels:
        app: {{ .Chart.Name }}
        release: {{ .Release.Name | quote }}
    spec: {containers: [{name: a, image: b}]}
"#,
    );
}

// RANGES AND CONDITIONS

#[test]
fn a_range_may_be_around_documents_and_items() {
    converts(
        r#"
{{- range $name, $ports := .Values.ingresses }}
---
apiVersion: networking.k8s.io/v1beta1
kind: Ingress
metadata:
  name: {{ $name }}
spec:
  rules:
  {{- range $ports }}
  - host: {{ . }}.example.com
    http:
      paths:
      - path: /
        pathType: Prefix
        backend:
          serviceName: {{ $name }}-{{ . }}
          servicePort: http
  {{- end }}
  - http:
      paths:
        {{- range $ports }}
        - path: /{{ . }}
          backend:
            serviceName: {{ . | quote }}
            servicePort: 8080
        {{- end }}
{{- end }}
=== values.yaml
ingresses: {a: [b, c], d: [e]}
"#,
        r#"
{{- range $name, $ports := .Values.ingresses }}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: {{ $name }}
spec:
  rules:
  {{- range $ports }}
  - host: {{ . }}.example.com
    http:
      paths:
      - path: /
        pathType: Prefix
        backend:
          service:
            name: {{ $name }}-{{ . }}
            port:
              name: http
  {{- end }}
  - http:
      paths:
        {{- range $ports }}
        - path: /{{ . }}
          pathType: ImplementationSpecific
          backend:
            service:
              name: {{ . | quote }}
              port:
                number: 8080
        {{- end }}
{{- end }}
"#,
    );
}

#[test]
fn documents_may_end_inside_conditions() {
    converts(
        r#"
{{- if .Values.on }}
apiVersion: policy/v1beta1
@budget
---
{{- end }}
{{- if .Values.a }}
apiVersion: rbac.authorization.k8s.io/v1beta1
kind: Role
metadata: {name: x}
rules: []
{{ "---" }}
{{- else }}
apiVersion: rbac.authorization.k8s.io/v1beta1
kind: ClusterRole
metadata: {name: x}
rules: []
---
{{- end }}
apiVersion: policy/v1beta1
@budget
"#,
        r#"
{{- if .Values.on }}
apiVersion: policy/v1
@budget
---
{{- end }}
{{- if .Values.a }}
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: x}
rules: []
{{ "---" }}
{{- else }}
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: x}
rules: []
---
{{- end }}
apiVersion: policy/v1
@budget
"#,
    );
}

#[test]
fn fields_may_be_in_one_condition_and_names_in_another() {
    converts(
        r#"
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: as.example.com}
spec:
  group: example.com
  {{- if .Values.on }}
  scope: Cluster
  {{- else }}
  scope: Namespaced
  {{- end }}
  {{- if .Values.a }}
  names: {kind: A, plural: as}
  {{- else }}
  names: {kind: A, plural: as, shortNames: [aa]}
  {{- end }}
  preserveUnknownFields: false
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object}
"#,
        r#"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: as.example.com}
spec:
  group: example.com
  {{- if .Values.on }}
  scope: Cluster
  {{- else }}
  scope: Namespaced
  {{- end }}
  {{- if .Values.a }}
  names: {kind: A, plural: as}
  {{- else }}
  names: {kind: A, plural: as, shortNames: [aa]}
  {{- end }}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object}
"#,
    );
}

#[test]
fn a_field_may_stand_in_a_condition() {
    converts(
        r#"
apiVersion: networking.k8s.io/v1beta1
kind: Ingress
metadata: {name: x}
spec:
  {{- if .Values.on }}
  backend:
    serviceName: a
    servicePort: http
  {{- end }}
  rules:
    - http:
        paths:
          - backend:
              serviceName: {{ .Values.name | default "a" }}
              servicePort: http
            path: {{ .Values.path }}
"#,
        r#"
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: x}
spec:
  {{- if .Values.on }}
  defaultBackend:
    service:
      name: a
      port:
        name: http
  {{- end }}
  rules:
    - http:
        paths:
          - backend:
              service:
                name: {{ .Values.name | default "a" }}
                port:
                  name: http
            path: {{ .Values.path }}
            pathType: ImplementationSpecific
"#,
    );
}

#[test]
fn readings_that_disagree_hold_the_object_back() {
    held(
        r#"
apiVersion: networking.k8s.io/v1beta1
kind: Ingress
metadata: {name: x}
spec:
  backend:
    serviceName: a
    servicePort: {{ if .Values.on }}80{{ else }}http{{ end }}
"#,
        "templates/a.yaml:7:18: held-back[template-action]",
        "`{{ if .Values.on }}`",
    );
    held(
        r#"
apiVersion: networking.k8s.io/v1beta1
kind: Ingress
metadata: {name: x}
spec:
  backend:
    {{- if .Values.on }}
    serviceName: a
    {{- else }}
    serviceName: b
    {{- end }}
    servicePort: 80
"#,
        "templates/a.yaml:8:5: held-back[template-action]",
        "`{{- else }}` stands in what must change",
    );
}

#[test]
fn a_value_of_an_inline_condition_does_not_move() {
    held(
        r#"
apiVersion: networking.k8s.io/v1beta1
kind: Ingress
metadata: {name: x}
spec:
  backend:
    serviceName: {{ if .Values.a }}a{{ else }}b{{ end }}
    servicePort: http
"#,
        "templates/a.yaml:6:18: held-back[template-action]",
        "`{{ if .Values.a }}` stands in what must change",
    );
}

#[test]
fn what_stands_in_the_way_of_one_object_leaves_the_others_to_be_converted() {
    converts_in_part(
        r#"
apiVersion: policy/v1beta1
@budget
---
apiVersion: networking.k8s.io/v1beta1
kind: Ingress
metadata: {name: x}
spec:
  backend: {{ toYaml .Values.backend | nindent 4 }}
"#,
        r#"
apiVersion: policy/v1
@budget
---
apiVersion: networking.k8s.io/v1beta1
kind: Ingress
metadata: {name: x}
spec:
  backend: {{ toYaml .Values.backend | nindent 4 }}
"#,
        "templates/a.yaml:15:",
        "backend",
    );
}

#[test]
fn metrics_may_be_chosen_one_by_one() {
    converts(
        r#"
{{- if .Values.on }}
apiVersion: autoscaling/v2beta1
kind: HorizontalPodAutoscaler
metadata:
  name: {{ .Release.Name }}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: x}
  minReplicas: {{ .Values.min }}
  maxReplicas: {{ .Values.max }}
  metrics:
    {{- if .Values.cpu }}
    - type: Resource
      resource:
        name: cpu
        targetAverageUtilization: {{ .Values.cpu }}
    {{- end }}
    {{- if .Values.memory }}
    - type: Resource
      resource:
        name: memory
        targetAverageUtilization: {{ .Values.memory }}
    {{- end }}
{{- end }}
=== values.yaml
{min: 1, max: 3, cpu: 50, memory: 60}
=== ci/a.yaml
cpu: null
=== ci/b.yaml
memory: null
"#,
        r#"
{{- if .Values.on }}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ .Release.Name }}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: x}
  minReplicas: {{ .Values.min }}
  maxReplicas: {{ .Values.max }}
  metrics:
    {{- if .Values.cpu }}
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: {{ .Values.cpu }}
    {{- end }}
    {{- if .Values.memory }}
    - type: Resource
      resource:
        name: memory
        target:
          type: Utilization
          averageUtilization: {{ .Values.memory }}
    {{- end }}
{{- end }}
"#,
    );
}

// CHOICES OF KINDS

#[test]
fn a_kind_may_be_chosen_where_both_kinds_convert_alike() {
    converts(
        r#"
apiVersion: rbac.authorization.k8s.io/v1beta1
kind: {{ if .Values.on }}ClusterRole{{ else }}Role{{ end }}
metadata: {name: x}
rules: []
"#,
        r#"
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ if .Values.on }}ClusterRole{{ else }}Role{{ end }}
metadata: {name: x}
rules: []
"#,
    );
    held(
        "apiVersion: rbac.authorization.k8s.io/v1beta1\nkind: {{ .Values.kind }}\nmetadata: {name: x}\nrules: []\n",
        "templates/a.yaml:1:1: unresolved[template-action]",
        "the kind of an object in rbac.authorization.k8s.io/v1beta1 is `{{ .Values.kind }}`",
    );
}

// LOOK-ALIKES

#[test]
fn what_only_looks_like_an_old_object_stays() {
    for text in [
        r#"apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}}
data:
  a.yaml: |
    apiVersion: example.com/v1beta1
    kind: Ingress
"#,
        r#"apiVersion: apps/v1
kind: Deployment
metadata: {name: x}
spec:
  selector: {matchLabels: {app: x}}
  template:
    metadata: {labels: {app: x}}
    spec: {containers: [{name: a, image: {{ .Values.image }}}]}
{{- /*
apiVersion: policy/v1beta1
kind: PodDisruptionBudget
*/}}
"#,
        r#"apiVersion: policy/v1
@budget
{{- if .Values.never }}
{{ fail "apiVersion: policy/v1beta1 is gone" }}
{{- end }}
"#,
    ] {
        needs_nothing(&format!("{text}=== templates/b.yaml\napiVersion: policy/v1\n@budget\n"), 0);
    }
}

/// What an action moves to the line of a comment is no part of that.
#[test]
fn what_is_behind_a_comment_of_the_template_is_read() {
    let old = "apiVersion: cert-manager.io/v1alpha2\nkind: Certificate\nmetadata: {name: a}\nspec:\n  secretName: s\n  issuerRef: {name: x}\n  dnsNames: [a]\n  {{/* reversion: ignore[less-stable-version] x */}}\n  {{- if .Values.on -}}\n  keySize: 2048\n  {{- end }}\n";
    let run = becomes(old, old, "cert-manager@1.15", 1);
    says(&run, "templates/a.yaml:8:3: held-back[template-action]", "stands in what must change");
}
