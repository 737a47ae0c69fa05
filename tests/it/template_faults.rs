//! FAULTS: what the conversion of templates does wrong or passes over. Each test moves to its subject when it holds, or goes.

use super::templates::{CURRENT, becomes, converts, held, needs_nothing, needs_nothing_and_says, says};

// WRONG: what Helm prints afterwards is not what was meant.

#[test]
fn labels_that_an_include_prints_are_missing_in_the_selector() {
    held(
        r#"
apiVersion: extensions/v1beta1
kind: DaemonSet
metadata: {name: x, labels: {a: b}}
spec:
  updateStrategy: {type: OnDelete}
  template:
    metadata:
      labels:
        {{- include "labels" . | nindent 8 }}
        tier: web
    spec: {containers: [{name: a, image: b}]}
=== templates/_x.tpl
{{ define "labels" -}}
app: {{ .Release.Name }}
{{- end }}
"#,
        "templates/a.yaml:9:9: held-back[template-action]",
        "`{{- include \"labels\" . | nindent 8 }}`",
    );
}

#[test]
fn a_copied_action_loses_its_quotes() {
    converts(
        r#"
apiVersion: extensions/v1beta1
kind: DaemonSet
metadata: {name: x, labels: {a: b}}
spec:
  updateStrategy: {type: OnDelete}
  template:
    metadata:
      labels:
        app: "{{ .Values.number }}"
        part: '{{ .Values.number }}'
    spec: {containers: [{name: a, image: b}]}
=== values.yaml
number: 1
"#,
        r#"
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: x, labels: {a: b}}
spec:
  updateStrategy: {type: OnDelete}
  selector:
    matchLabels:
      app: "{{ .Values.number }}"
      part: '{{ .Values.number }}'
  template:
    metadata:
      labels:
        app: "{{ .Values.number }}"
        part: '{{ .Values.number }}'
    spec: {containers: [{name: a, image: b}]}
"#,
    );
}

#[test]
fn a_branch_for_older_clusters_gets_the_fields_of_the_new_version() {
    for (old, older) in [
        ("semverCompare \"<1.14-0\" .Capabilities.KubeVersion.GitVersion", "extensions/v1beta1"),
        (".Capabilities.APIVersions.Has \"networking.k8s.io/v1beta1\"", "networking.k8s.io/v1beta1"),
    ] {
        held(
            &format!(
                "{{{{- if {old} }}}}\napiVersion: {older}\n{{{{- else }}}}\napiVersion: networking.k8s.io/v1beta1\n{{{{- end }}}}\nkind: Ingress\nmetadata: {{name: x}}\nspec: {{backend: {{serviceName: a, servicePort: b}}}}\n"
            ),
            "templates/a.yaml:1:1: held-back[template-action]",
            old,
        );
    }
}

// SILENT: something old stays, and nothing is said.

#[test]
fn a_definition_in_a_file_of_helpers_prints_an_old_object() {
    converts(
        r#"
{{ include "budget" (dict "name" "a") }}
---
{{ include "budget" (dict "name" "b") }}
=== templates/_x.tpl
{{- define "budget" -}}
apiVersion: policy/v1beta1
@budget
{{- end -}}
"#,
        r#"
=== templates/_x.tpl
{{- define "budget" -}}
apiVersion: policy/v1
@budget
{{- end -}}
"#,
    );
}

#[test]
fn a_helper_prints_old_versions_only() {
    for helper in [
        "policy/v1beta1",
        "{{- print \"policy/v1beta1\" -}}",
        "{{- if .Values.x }}policy/v1beta1{{ else }}policy/v1beta1{{ end -}}",
    ] {
        let text = format!(
            "apiVersion: {{{{ include \"version\" . }}}}\n@budget\n=== templates/b.yaml\napiVersion: {{{{ include \"version\" . }}}}\n@budget\n=== templates/_x.tpl\n{{{{- define \"version\" -}}}}\n{helper}\n{{{{- end -}}}}\n"
        );
        let run = becomes(&text, &text, CURRENT, 1);
        says(&run, "templates/_x.tpl:", "2 objects");
    }
}

#[test]
fn values_variables_and_helpers_that_are_not_there_print_the_version() {
    for version in [
        "{{ .Values.version }}",
        "{{ default \"policy/v1beta1\" .Values.version }}",
        "{{ .Values.version | default \"policy/v1beta1\" }}",
        "{{ include \"common.capabilities.policy.apiVersion\" . }}",
    ] {
        held(
            &format!("apiVersion: {version}\n@budget\n=== templates/b.yaml\napiVersion: policy/v1\n@budget\n"),
            "templates/a.yaml:1:1: unresolved[template-action]",
            version,
        );
    }
    held(
        "{{- $version := \"policy/v1beta1\" -}}\napiVersion: {{ $version }}\n@budget\n",
        "templates/a.yaml:2:13: held-back[template-action]",
        "`{{ $version }}`",
    );
}

#[test]
fn old_versions_stand_over_lines_of_if_and_else() {
    converts(
        r#"
apiVersion: {{ if .Values.a -}}
policy/v1beta1
{{- else -}}
policy/v1beta1
{{- end }}
@budget
"#,
        r#"
apiVersion: {{ if .Values.a -}}
policy/v1
{{- else -}}
policy/v1
{{- end }}
@budget
"#,
    );
}

#[test]
fn a_guard_keeps_the_name_of_the_version_that_goes() {
    held(
        r#"
{{- if or .Values.force (.Capabilities.APIVersions.Has "policy/v1beta1") }}
apiVersion: policy/v1beta1
@budget
{{- end }}
"#,
        "templates/a.yaml:1:1: held-back[template-action]",
        "policy/v1beta1",
    );
}

// FALSE ALARMS

#[test]
fn a_template_call_of_an_object_that_is_converted_at_its_definition_is_reported() {
    let of = |version: &str| {
        format!(
            "{{{{- define \"budget\" }}}}\napiVersion: {version}\n@budget\n{{{{- end }}}}\n{{{{- template \"budget\" . }}}}\n---\napiVersion: {version}\n@budget\n"
        )
    };
    converts(&of("policy/v1beta1"), &of("policy/v1"));
}

#[test]
fn paths_in_a_range_are_told_to_be_missing() {
    let text = r#"
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: x}
spec:
  rules:
    - http:
        paths:
          {{- range .Values.paths }}
          - path: {{ .path }}
            {{- if .pathType }}
            pathType: {{ .pathType }}
            {{- end }}
            backend: {service: {name: x, port: {number: 80}}}
          {{- end }}
"#;
    let run = becomes(text, text, CURRENT, 0);
    assert!(!run.all().contains("is required but missing"), "{}", run.all());
}

#[test]
fn a_list_that_an_action_prints_is_told_to_be_no_list() {
    let text = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\nspec:\n  selector: {matchLabels: {app: x}}\n  template:\n    metadata: {labels: {app: x}}\n    spec:\n      containers: [{name: a, image: b}]\n      tolerations: {{ toJson .Values.tolerations }}\n";
    let run = becomes(text, text, CURRENT, 0);
    assert!(!run.all().contains("already-invalid"), "{}", run.all());
}

#[test]
fn a_chart_whose_templates_need_nothing_is_green() {
    let helper = "{{- define \"version\" -}}\n{{- if .Capabilities.APIVersions.Has \"policy/v1\" -}}\npolicy/v1\n{{- else -}}\npolicy/v1beta1\n{{- end -}}\n{{- end -}}\n";
    needs_nothing_and_says(
        &format!("apiVersion: {{{{ include \"version\" . }}}}\n@budget\n=== templates/_x.tpl\n{helper}"),
        "templates/_x.tpl:",
        "version",
    );
    needs_nothing(
        "{{- if semverCompare \"<1.21-0\" .Capabilities.KubeVersion.Version }}\napiVersion: policy/v1beta1\n@budget\n{{- end }}\n",
        0,
    );
}

// MESSAGES that are misplaced or do not name the key.

#[test]
fn what_stands_in_the_way_is_named_with_its_line() {
    let ingress = |port: &str| {
        format!(
            "apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata: {{name: x}}\nspec:\n  backend:\n    serviceName: a\n    servicePort: {port}\n"
        )
    };
    held(&ingress("{{ .Values.service.port }}"), "templates/a.yaml:7:18: held-back[", ".Values.service.port");
    held(
        "apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata: {name: x}\nspec: {{- toYaml .Values.ingress | nindent 2 }}\n",
        "templates/a.yaml:4:7: held-back[template-action]",
        ".Values.ingress",
    );
    held(
        r#"
apiVersion: autoscaling/v2beta1
kind: HorizontalPodAutoscaler
metadata: {name: x}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: x}
  maxReplicas: 3
  metrics:
    {{- toYaml .Values.metrics | nindent 4 }}
"#,
        "templates/a.yaml:8:5: held-back[template-action]",
        ".Values.metrics",
    );
    held(
        "apiVersion: extensions/v1beta1\nkind: DaemonSet\nmetadata: {name: x}\nspec:\n  updateStrategy: {type: OnDelete}\n  template:\n    metadata:\n      labels:\n        {{- include \"labels\" . | nindent 8 }}\n    spec: {containers: [{name: a, image: b}]}\n",
        "templates/a.yaml:9:9: held-back[",
        "include \"labels\"",
    );
    held(
        "apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata: {name: x}\nspec:\n  backend:\n    {{- if .Values.on }}\n    serviceName: a\n    {{- else }}\n    serviceName: b\n    {{- end }}\n    servicePort: 80\n",
        "templates/a.yaml:6:5: held-back[template-action]",
        "`{{- if .Values.on }}`",
    );
}

#[test]
fn an_action_in_brackets_is_shown_by_its_placeholder() {
    let text = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: {{ .Release.Name }}}\nspec:\n  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: x}\n  maxReplicas: 3\n  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 5}}}]\n";
    let run = becomes(text, &text.replace("autoscaling/v2", "autoscaling/v2beta2"), "kubernetes@1.20", 0);
    assert!(!run.all().contains("TEMPLATE_"), "{}", run.all());
}

#[test]
fn a_branch_that_is_not_printed_is_placed_at_the_end_of_its_action() {
    needs_nothing_and_says(
        "{{- if .Capabilities.APIVersions.Has \"policy/v1\" }}\napiVersion: policy/v1\n@budget\n{{- else }}\napiVersion: policy/v1beta1\n@budget\n{{- end }}\n",
        "templates/a.yaml:11:1: note[template-branch]",
        "is not printed for the target",
    );
}

// HELD BACK, and could be converted.

#[test]
fn the_number_of_a_port_is_in_the_values_of_the_chart() {
    let before = "apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata: {name: x}\nspec:\n  backend:\n    serviceName: a\n    servicePort: {{ .Values.service.port }}\n=== values.yaml\nservice:\n  port: 80\n";
    let after = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: x}\nspec:\n  defaultBackend:\n    service:\n      name: a\n      port:\n        number: {{ .Values.service.port }}\n";
    converts(before, after);
}

#[test]
fn a_text_with_letters_beside_its_actions_is_the_name_of_a_port() {
    for port in ["\"{{ template \"x\" . }}-http\"", "http-{{ .Values.name }}"] {
        converts(
            &format!(
                "apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata:\n  name: x\nspec:\n  backend:\n    serviceName: a\n    servicePort: {port}\n=== templates/_x.tpl\n{{{{ define \"x\" }}}}{{{{ .Release.Name }}}}{{{{ end }}}}\n"
            ),
            &format!(
                "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata:\n  name: x\nspec:\n  defaultBackend:\n    service:\n      name: a\n      port:\n        name: {port}\n"
            ),
        );
    }
}

#[test]
fn half_a_version_is_printed_by_a_ternary() {
    needs_nothing(
        "apiVersion: policy/v1{{ ternary \"\" \"beta1\" (.Capabilities.APIVersions.Has \"policy/v1\") }}\n@budget\n=== templates/b.yaml\napiVersion: policy/v1\n@budget\n",
        0,
    );
}

#[test]
fn a_field_is_added_beside_one_that_a_condition_prints() {
    converts(
        r#"
apiVersion: networking.k8s.io/v1beta1
kind: Ingress
metadata: {name: x}
spec:
  rules:
    - http:
        paths:
          - backend:
              serviceName: a
              servicePort: http
            {{- with .Values.path }}
            path: {{ . }}
            {{- end }}
"#,
        r#"
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: x}
spec:
  rules:
    - http:
        paths:
          - backend:
              service:
                name: a
                port:
                  name: http
            pathType: ImplementationSpecific
            {{- with .Values.path }}
            path: {{ . }}
            {{- end }}
"#,
    );
}
