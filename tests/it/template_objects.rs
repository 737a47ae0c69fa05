//! What of a template decides whether its objects are converted.

use super::templates::{CURRENT, apply, becomes, chart, converts, converts_in_part, held, needs_nothing, says};
use crate::support::trees::Tree;

#[test]
fn labels_that_an_include_prints_are_not_copied() {
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
        "templates/a.yaml:8:7: held-back[not-convertible]",
        "what an action prints here belongs into another field too",
    );
}

#[test]
fn a_chain_of_old_versions_holds_the_object_back() {
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

#[test]
fn old_versions_over_lines_of_if_and_else_are_converted() {
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
fn a_guard_that_names_the_version_that_goes_holds_the_object_back() {
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

#[test]
fn an_object_that_a_definition_prints_is_converted_at_its_definition() {
    let of = |version: &str| {
        format!(
            "{{{{- define \"budget\" }}}}\napiVersion: {version}\n@budget\n{{{{- end }}}}\n{{{{- template \"budget\" . }}}}\n---\napiVersion: {version}\n@budget\n"
        )
    };
    converts(&of("policy/v1beta1"), &of("policy/v1"));
}

#[test]
fn what_a_range_prints_is_not_missing() {
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
    assert!(!run.all().contains("warning["), "{}", run.all());
}

#[test]
fn a_list_that_an_action_prints_needs_nothing() {
    let text = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\nspec:\n  selector: {matchLabels: {app: x}}\n  template:\n    metadata: {labels: {app: x}}\n    spec:\n      containers: [{name: a, image: b}]\n      tolerations: {{ toJson .Values.tolerations }}\n";
    let run = becomes(text, text, CURRENT, 0);
    assert!(!run.all().contains("warning["), "{}", run.all());
}

#[test]
fn an_action_in_brackets_is_shown_as_it_is_written() {
    let text = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: {{ .Release.Name }}}\nspec:\n  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: x}\n  maxReplicas: 3\n  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 5}}}]\n";
    let run = becomes(text, &text.replace("autoscaling/v2", "autoscaling/v2beta2"), "kubernetes@1.20", 0);
    assert!(!run.all().contains("REVERSION_ACTION_"), "{}", run.all());
}

#[test]
fn what_only_a_reading_with_a_key_twice_prints_is_not_passed_over() {
    let text = "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: a}\nspec:\n  selector: {matchLabels: {a: b}}\n  minAvailable: 1\n  {{- if .Values.x }}\n  minAvailable: 2\n---\napiVersion: policy/v1beta1\n@budget\n  {{- end }}\n";
    held(text, "templates/a.yaml:8:3: unresolved[template]", "duplicate key `minAvailable`");
    // Where conditions exclude each other, each branch has a reading of its own.
    let text = text.replace(
        "  minAvailable: 1\n  {{- if .Values.x }}",
        "  {{- if not .Values.x }}\n  minAvailable: 1\n  {{- else }}",
    );
    converts(&text, &text.replace("v1beta1", "v1"));
}

/// The end of the line behind a block is of one object in one reading, and of the other in another one.
#[test]
fn an_object_behind_one_that_is_held_back_is_converted() {
    let held = "{{- if .Values.on }}\napiVersion: {{ include \"own\" . }}\n@budget\n{{- end }}\n";
    let other = "---\napiVersion: policy/v1beta1\n@budget\n";
    let helper = "=== templates/_x.tpl\n{{- define \"own\" }}policy/v1beta1{{- end }}\n";
    converts_in_part(
        &format!("{held}{other}{helper}"),
        &format!("{held}{}{helper}", other.replace("v1beta1", "v1")),
        "templates/a.yaml:2:13: held-back[template-action]",
        "`{{ include \"own\" . }}`",
    );
}

/// Helm ends a document at dashes that begin a line, whatever is behind them.
#[test]
fn what_a_trim_mark_glues_to_the_dashes_is_a_document() {
    let old = "apiVersion: policy/v1beta1\n@budget\n";
    for text in [
        format!("{old}---\n{{{{- if .Values.x -}}}}\n{old}{{{{- end }}}}\n"),
        format!("{old}{{{{- if .Values.x }}}}\n---\n{{{{- $a := 1 -}}}}\n\n{old}{{{{- end }}}}\n"),
        format!("---\n{{{{- if .Values.x -}}}}\n{{{{- if .Values.y -}}}}\n{old}{{{{- end }}}}\n{{{{- end }}}}\n"),
    ] {
        converts(&text, &text.replace("v1beta1", "v1"));
    }
}

#[test]
fn text_behind_the_dashes_of_a_document_is_reported() {
    let text = "apiVersion: policy/v1beta1\n@budget\n{{ .Values.x }}\n---apiVersion: policy/v1beta1\n@budget\n";
    held(text, "templates/a.yaml:", "and is left as it is: it prints text behind the `---` of a document");
}

#[test]
fn an_object_that_a_definition_of_another_chart_prints_is_held_back() {
    let chart = "{{ include \"lib.budget\" . }}\n=== templates/b.yaml\napiVersion: policy/v1\n@budget\n=== charts/lib/Chart.yaml\nname: lib\nversion: 1.0.0\n=== charts/lib/templates/_x.tpl\n{{- define \"lib.budget\" -}}\napiVersion: policy/v1beta1\n@budget\n{{- end -}}\n# policy/v1beta1\n=== templates/c.yaml\n# policy/v1\n{{ include \"lib.budget\" . }}\n";
    let run = becomes(chart, chart, CURRENT, 1);
    let what = "PodDisruptionBudget x: `{{ include \"lib.budget\" . }}` stands in what must change";
    says(&run, "templates/a.yaml:1:1: held-back[template-action]", what);
    says(&run, "also templates/c.yaml:2:1", "PodDisruptionBudget x");
}

#[test]
fn what_is_added_behind_an_action_at_the_end_of_a_document_is_added_once() {
    let role = "---\napiVersion: rbac.authorization.k8s.io/VERSION\nkind: RoleBinding\nmetadata: {name: web}\n\
                roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: web}\n";
    let ingress = "\napiVersion: networking.k8s.io/VERSION\nkind: Ingress\nmetadata: {name: web}\nspec:\n  rules:\n  - http:\n      paths:\n      - ";
    let path = "path: {{ .Values.path }}\n";
    let old = format!(
        "{}backend: {{serviceName: x, servicePort: 80}}\n        {path}",
        ingress.replace("VERSION", "v1beta1")
    );
    let new = format!(
        "{}backend: {{service: {{name: x, port: {{number: 80}}}}}}\n        {path}        pathType: ImplementationSpecific\n",
        ingress.replace("VERSION", "v1")
    );
    converts(&(old + &role.replace("VERSION", "v1beta1")), &(new + &role.replace("VERSION", "v1")));
}

#[test]
fn a_chart_that_is_not_for_the_target_is_reported() {
    let run = |versions: &str, to: &str| {
        let chart = format!("apiVersion: v2\nname: shop\nversion: 1.0.0\n{versions}");
        let files = [
            ("Chart.yaml", chart.as_str()),
            ("templates/a.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: {{ .Release.Name }}}\n"),
            ("templates/b.yaml", "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: {{ .Release.Name }}}\n"),
        ];
        Tree::of(&files).run(&["check", "--to", to, "."])
    };
    let refused = run("kubeVersion: '>=1.19-0 <1.30-0' # as tested\n", CURRENT);
    refused.check(1);
    let told = "Chart.yaml:4:1: unresolved[kube-version] the chart is for Kubernetes `>=1.19-0 <1.30-0`, and Helm refuses to install it on kubernetes@1.33.0";
    assert_eq!(refused.out.matches("kube-version").count(), 1, "{}", refused.out);
    assert!(refused.out.starts_with(told), "{}", refused.out);
    // Whether a version without a pre-release can be installed depends on the cluster's.
    for fits in
        ["", "kubeVersion: '>=1.19-0'\n", "kubeVersion: 1.x || 2.x\n", "kubeVersion: [1]\n", "kubeVersion: <1.33.4\n"]
    {
        run(fits, CURRENT).check(0);
    }
    // It counts for rollbacks too.
    run("kubeVersion: '>=1.25-0'\n", "kubernetes@1.20").check(1);
    // A chart may have no actions at all.
    let chart = "apiVersion: v2\nname: shop\nversion: 1.0.0\nkubeVersion: <1.25.0\n";
    let budget = "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: x}\n";
    let plain = Tree::of(&[("shop/Chart.yaml", chart), ("shop/templates/a.yaml", budget)]);
    let refused = plain.run(&["check", "--to", "kubernetes@1.25", "."]);
    refused.check(1);
    assert!(refused.out.starts_with("shop/Chart.yaml:4:1: unresolved[kube-version] "), "{}", refused.out);
}

/// Items can stand at the column of the key of their list.
#[test]
fn an_include_of_items_at_the_column_of_their_key_holds_back() {
    let ingress = "apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata: {name: i}\nspec:\n  rules:\n  - host: x\n    http:\n      paths:\n      {{- include \"lib.paths\" . | nindent 6 }}\n";
    held(ingress, "templates/a.yaml:8:7: held-back[template-action]", "spec.rules[].http.paths[].backend.serviceName");
    // What is printed there can be other keys as well.
    let budget = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata:\n  name: a\n  labels:\n  {{- include \"lib.labels\" . | nindent 2 }}\nspec: {minAvailable: 1, selector: {matchLabels: {a: b}}}\n";
    converts(budget, &budget.replace("v1beta1", "v1"));
}

#[test]
fn a_template_that_is_read_as_yaml_is_a_template() {
    held(
        r#"
apiVersion: networking.k8s.io/v1beta1
kind: Ingress
metadata: {name: x}
spec:
  backend:
    serviceName: web
    servicePort: 80{{ .Values.suffix }}
"#,
        "templates/a.yaml:7:5: held-back[not-convertible]",
        "the conversion depends on the value of",
    );
    converts(
        r#"
apiVersion: networking.k8s.io/v1beta1
kind: Ingress
metadata: {name: "{{ .Release.Name }}"}
spec:
  backend:
    serviceName: "{{ .Release.Name }}"
    servicePort: 80
"#,
        r#"
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: "{{ .Release.Name }}"}
spec:
  defaultBackend:
    service:
      name: "{{ .Release.Name }}"
      port:
        number: 80
"#,
    );
}

#[test]
fn a_mapping_that_an_action_prints_is_not_known() {
    for printed in ["toJson .Values.backend", "include \"backend\" .", "tpl .Values.backend ."] {
        held(
            &format!(
                "apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata: {{name: x}}\nspec:\n  backend: {{{{ {printed} }}}}\n"
            ),
            "templates/a.yaml:5:3: held-back[template-action]",
            "what an action prints here can have spec.backend.serviceName",
        );
    }
}

#[test]
fn a_kind_that_an_action_prints_is_told_where_its_version_goes() {
    held(
        "apiVersion: extensions/v1beta1\nkind: {{ .Values.kind }}\nmetadata: {name: x}\n",
        "templates/a.yaml:1:1: unresolved[template-action]",
        "in extensions/v1beta1 is `{{ .Values.kind }}`",
    );
    let other = "---\napiVersion: policy/v1\n@budget\n";
    needs_nothing(&format!("apiVersion: apps/v1\nkind: {{{{ .Values.kind }}}}\nmetadata: {{name: x}}\n{other}"), 0);
}

#[test]
fn an_object_in_a_text_is_told() {
    let text = "apiVersion: policy/v1beta1\n    kind: PodDisruptionBudget\n    metadata: {name: x}\n";
    for (file, severity, before) in [
        ("values.yaml", "unresolved", format!("extra: |\n    {text}")),
        ("values.yaml", "unresolved", format!("things:\n  - |\n    {text}")),
        (
            "configmap.yaml",
            "warning",
            format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: x}}\ndata:\n  a.yaml: |\n    {text}"),
        ),
    ] {
        let other = "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: x}\nspec: {}\n";
        let tree = Tree::of(&[(file, &before), ("other.yaml", other)]);
        let run = tree.run(&["check", "--to", CURRENT]);
        run.check(i32::from(severity == "unresolved"));
        assert!(run.all().contains(&format!("{severity}[not-an-object]")), "{}", run.all());
        assert!(run.all().contains("PodDisruptionBudget in a text"), "{}", run.all());
    }
}

#[test]
fn what_only_looks_like_an_object_in_a_text_is_not_told() {
    for text in [
        "apiVersion: example.com/v1\n  kind: Shop\n",
        "see apiVersion: policy/v1beta1 and\n  kind: PodDisruptionBudget\n",
    ] {
        let other = "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: x}\nspec: {}\n";
        let tree = Tree::of(&[("a.yaml", &format!("apiVersion: v1\nkind: ConfigMap\ndata:\n  a: |\n  {text}{other}"))]);
        tree.run(&["check", "--to", CURRENT]).check(0);
    }
}

#[test]
fn an_object_that_an_action_makes_is_told() {
    let made = |version: &str| {
        format!(
            "{{{{/* dict \"apiVersion\" \"policy/v1beta1\" */}}}}\n{{{{- $x := dict \"apiVersion\" \"{version}\" \"kind\" \"PodDisruptionBudget\" }}}}\n{{{{ toYaml $x }}}}\n---\napiVersion: policy/v1\n@budget\n"
        )
    };
    held(&made("policy/v1beta1"), "templates/a.yaml:2:1: unresolved[template-action]", "an object of policy/v1beta1");
    needs_nothing(&made("policy/v1"), 0);
}

const PORTS: &str = r#"
apiVersion: networking.k8s.io/v1beta1
kind: Ingress
metadata: {name: x}
spec:
  rules:
    - http:
        paths:
          - path: /
            pathType: Prefix
            backend:
              serviceName: x
              servicePort: PORT
"#;

const NEW_PORTS: &str = r#"
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: x}
spec:
  rules:
    - http:
        paths:
          - path: /
            pathType: Prefix
            backend:
              service:
                name: x
                port:
                  KIND: PORT
"#;

/// Returns a chart with an Ingress and values, before and after.
fn ports(port: &str, kind: &str) -> (String, String) {
    let values = "=== values.yaml\nservice: {port: 80, text: \"8080\", name: http, odd: \"a b\"}\n";
    let before = format!("{}{values}", PORTS.replace("PORT", port));
    let after = NEW_PORTS.replace("PORT", port).replace("KIND", kind);
    (before, after)
}

#[test]
fn a_port_that_is_computed_is_a_number() {
    for port in ["{{ .Values.service.other | int }}", "{{ add 1 .Values.service.other }}"] {
        let (before, after) = ports(port, "number");
        converts(&before, &after);
    }
}

#[test]
fn a_port_is_what_the_values_of_the_chart_have_if_the_user_accepts_that() {
    for (port, kind, said) in [
        ("{{ .Values.service.port }}", "number", "has a number"),
        ("{{ $.Values.service.text }}", "number", "has a number"),
        ("{{ default 80 .Values.service.other }}", "number", "has a number"),
        ("{{ default .Values.service.port .Values.service.other }}", "number", "has a number"),
        ("{{ .Values.service.name }}", "name", "has a name"),
        ("\"{{ .Values.service.name }}\"", "name", "has a name"),
        ("'{{ .Values.service.name }}'", "name", "has a name"),
    ] {
        let (before, after) = ports(port, kind);
        held(
            &before,
            "templates/a.yaml:12:15: held-back[not-convertible]",
            &format!("depends on the value of `{}`", port.trim_matches(['"', '\''])),
        );
        held(&before, "help: `--chart-defaults` goes by values.yaml", said);
        let tree = chart(&before, "\n");
        let run = tree.run(&["apply", "-v", "--yes", "--allow-no-vcs", "--chart-defaults", "--to", CURRENT]);
        run.check(0);
        assert_eq!(tree.text("templates/a.yaml"), after.trim_start());
        says(&run, "templates/a.yaml:12", said);
    }
}

#[test]
fn a_port_of_which_the_values_say_nothing_is_held_back() {
    for port in [
        "{{ .Values.service.other }}",
        "{{ .Values.service.odd }}",
        "{{ include \"port\" . }}",
        "\"{{ .Values.service.port }}\"",
        "80{{ .Values.service.port }}",
    ] {
        let (before, _) = ports(port, "");
        let tree = chart(&before, "\n");
        let run = tree.run(&["check", "--chart-defaults", "--to", CURRENT]);
        run.check(1);
        says(&run, "templates/a.yaml:12:15: held-back[not-convertible]", "depends on the value");
    }
}

#[test]
fn a_version_that_a_definition_prints_is_no_document() {
    let chart = "apiVersion: {{ include \"version\" . }}\n@budget\n=== templates/_x.tpl\n{{- define \"version\" -}}\npolicy/v1\n{{- end -}}\n";
    let run = becomes(chart, chart, CURRENT, 0);
    assert!(!run.all().contains("not-an-object"), "{}", run.all());
}

#[test]
fn a_chart_is_told_in_one_line() {
    let before = "apiVersion: policy/v1beta1\n@budget\n---\napiVersion: {{ include \"version\" . }}\n@budget\n---\napiVersion: {{ template \"version\" . }}\n@budget\n---\napiVersion: policy/v1\n@budget\n=== templates/_x.tpl\n{{- define \"version\" -}}\n{{- if .Capabilities.APIVersions.Has \"policy/v1\" }}policy/v1{{ else }}policy/v1beta1{{ end -}}\n{{- end -}}\n";
    let after = before.replacen("policy/v1beta1", "policy/v1", 1);
    let run = apply(&chart(before, "\n"), CURRENT);
    run.check(0);
    says(
        &run,
        "Chart.yaml: note[chart]",
        "the objects of its templates: 1 to convert, 3 unchanged; actions print the apiVersion of these as the target wants it: 1 by `{{ include \"version\" . }}`, 1 by `{{ template \"version\" . }}`",
    );
    becomes(before, &after, CURRENT, 0);
    // One that prints what goes does not follow the cluster.
    let action = "{{ .Capabilities.APIVersions.Has \"autoscaling/v2beta2\" | ternary \"autoscaling/v2beta2\" \"autoscaling/v2beta1\" }}";
    let old = format!(
        "apiVersion: {action}\nkind: HorizontalPodAutoscaler\nmetadata: {{name: x}}\nspec:\n  scaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, name: x}}\n  maxReplicas: 3\n"
    );
    let run = becomes(&old, &old, CURRENT, 1);
    assert!(run.all().contains("1 held back") && !run.all().contains("as the target wants it"), "{}", run.all());
}

#[test]
fn items_that_are_added_to_a_list_at_the_column_of_its_key_are_not_known() {
    held(
        "apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata: {name: web}\nspec:\n  rules:\n  - http:\n      paths:\n      - path: /\n        backend: {serviceName: web, servicePort: 80}\n      {{- toYaml .Values.extraPaths | nindent 6 }}\n",
        "templates/a.yaml:7:7: held-back[template-action]",
        "can have spec.rules[].http.paths[].backend.serviceName",
    );
}

/// At the column of a key, a list belongs to it, and a mapping is beside it: what values.yaml has shows which of the two an action prints.
#[test]
fn a_list_at_the_column_of_its_key_has_no_fields_of_what_is_around() {
    let ingress = |version: &str, backend: &str| {
        format!(
            "apiVersion: networking.k8s.io/{version}\nkind: Ingress\nmetadata: {{name: a}}\nspec:\n  tls:\n{{{{ toYaml .Values.tls | indent 2 }}}}\n  rules:\n  - http:\n      paths:\n      - path: /\n        pathType: Prefix\n        backend: {backend}\n"
        )
    };
    let old = ingress("v1beta1", "{serviceName: a, servicePort: 1}");
    let with = |values: &str| format!("{old}=== values.yaml\n{values}\n");
    let list = "tls: [{hosts: [a]}]";
    let new = ingress("v1", "{service: {name: a, port: {number: 1}}}");
    becomes(&with(list), &format!("{new}=== values.yaml\n{list}\n"), CURRENT, 0);
    for values in ["tls: {backend: {serviceName: b, servicePort: 2}}", "other: 1"] {
        held(&with(values), "templates/a.yaml:", "what an action prints here can have spec.backend");
    }
}

#[test]
fn a_default_is_not_written_where_an_action_may_print_the_field() {
    let workload = |spec: &str| {
        format!(
            "apiVersion: apps/v1beta1\nkind: StatefulSet\nmetadata: {{name: db}}\nspec:\n  serviceName: db\n{spec}  selector: {{matchLabels: {{app: db}}}}\n  template: {{metadata: {{labels: {{app: db}}}}, spec: {{containers: [{{name: a, image: b}}]}}}}\n"
        )
    };
    for spec in [
        "  updateStrategy: {{ toYaml .Values.us | nindent 4 }}\n",
        "  updateStrategy:\n    {{- toYaml .Values.us | nindent 4 }}\n",
        "  updateStrategy: {{ toJson .Values.us }}\n",
        "  {{- toYaml .Values.spec | nindent 2 }}\n",
    ] {
        held(
            &workload(spec),
            "templates/a.yaml:",
            "held-back[not-convertible] StatefulSet db: what an action prints here may have",
        );
    }
    let path = "apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata: {name: web}\nspec:\n  rules:\n  - http:\n      paths:\n      - path: /\n        backend: {serviceName: web, servicePort: 80}\n        {{- with .Values.extra }}\n        {{- toYaml . | nindent 8 }}\n        {{- end }}\n";
    held(path, "templates/a.yaml:", "what an action prints here may have pathType");
}

#[test]
fn a_key_that_an_action_prints_can_be_the_one_to_convert() {
    let chart = "apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata: {name: web}\nspec:\n  {{ .Values.kind }}:\n    serviceName: web\n    servicePort: 80\n";
    held(
        chart,
        "templates/a.yaml:",
        "held-back[template-action] Ingress web: what an action prints here can have spec.backend",
    );
}

#[test]
fn versions_that_nothing_shows_are_told_wherever_they_stand() {
    let object = "kind: PodDisruptionBudget\nmetadata: {name: web}\nspec: {selector: {matchLabels: {app: web}}}\n";
    let defined = |body: &str, call: &str| {
        format!("{{{{ {call} }}}}\n=== templates/_h.tpl\n{{{{- define \"pdb\" -}}}}\n{body}{{{{- end -}}}}\n")
    };
    for chart in [
        format!("apiVersion: {{{{ printf \"policy/%s\" .Values.v }}}}\n{object}"),
        format!("apiVersion: \"{{{{ .Values.v }}}}\"\n{object}"),
        defined(&format!("apiVersion: {{{{ .Values.v }}}}\n{object}"), "include \"pdb\" ."),
        defined(&format!("apiVersion: {{{{ .v }}}}\n{object}"), "include \"pdb\" (dict \"v\" \"policy/v1beta1\")"),
        defined(
            "- apiVersion: policy/v1beta1\n  kind: PodDisruptionBudget\n  metadata: {name: x}\n",
            "include \"pdb\" .",
        ),
        "apiVersion: policy/v1beta1\n{{ toYaml .Values.object }}\n".to_owned(),
    ] {
        let run = becomes(&chart, &chart, CURRENT, 1);
        assert!(run.all().contains("unresolved["), "{chart}\n{}", run.all());
    }
}

#[test]
fn a_definition_that_is_read_is_not_converted() {
    let define = "=== templates/_h.tpl\n{{- define \"pdb\" -}}\napiVersion: policy/v1beta1\n@budget\n{{- end -}}\n";
    for use_of_it in [
        "{{ toYaml (merge (fromYaml (include \"pdb\" .)) .Values.more) }}\n",
        "{{ if contains \"v1beta1\" (include \"pdb\" .) }}\n{{ include \"pdb\" . }}\n{{ end }}\n",
        "{{ $name := printf \"%s\" \"pdb\" }}{{ toYaml (fromYaml (include $name .)) }}\n",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n  a: |\n    {{- include \"pdb\" . | nindent 4 }}\n",
        "apiVersion: v1\nkind: Secret\nmetadata: {name: x}\ndata:\n  a: {{ include \"pdb\" . | b64enc }}\n",
    ] {
        held(
            &format!("{use_of_it}{define}"),
            "templates/_h.tpl:2:1: held-back[template-action]",
            "the chart reads what its definition prints",
        );
    }
}

#[test]
fn definitions_that_stand_behind_each_other_are_converted_where_they_are() {
    let file = |version: &str| {
        format!(
            "{{{{ include \"one\" . }}}}\n---\n{{{{ include \"other\" . }}}}\n=== templates/_h.tpl\n{{{{- define \"one\" }}}}\napiVersion: policy/{version}\n@budget\n{{{{- end }}}}\n{{{{- define \"other\" }}}}\napiVersion: policy/{version}\n@budget\n{{{{- end }}}}\n"
        )
    };
    converts(&file("v1beta1"), &file("v1"));
}

#[test]
fn an_object_in_a_text_of_tpl_is_reported() {
    let text =
        "{{ tpl \"apiVersion: policy/v1beta1\\nkind: PodDisruptionBudget\" . }}\n---\napiVersion: policy/v1\n@budget\n";
    held(text, "templates/a.yaml:1:1: unresolved[template-action]", "makes an object of policy/v1beta1");
    let raw = text.replace('"', "`").replace("\\n", "\n");
    held(&raw, "templates/a.yaml:1:1: unresolved[template-action]", "makes an object of policy/v1beta1");
}

/// What is read by a computed name is what some action names in an argument.
#[test]
fn definitions_that_are_merged_by_name_hold_back_no_others() {
    let library = |version: &str| {
        format!(
            "{{{{- define \"merge\" -}}}}\n{{{{ $own := fromYaml (include (index . 1) (first .)) }}}}{{{{ toYaml $own }}}}\n{{{{- end -}}}}\n{{{{- define \"pdb.tpl\" -}}}}\napiVersion: policy/v1beta1\n@budget\n{{{{- end -}}}}\n{{{{- define \"pdb\" -}}}}\n{{{{ include \"merge\" (append . \"pdb.tpl\") }}}}\n{{{{- end -}}}}\n{{{{- define \"plain\" -}}}}\napiVersion: policy/{version}\n@budget\n{{{{- end -}}}}\n"
        )
    };
    let file = |version: &str| format!("apiVersion: policy/v1\n@budget\n=== templates/_h.tpl\n{}", library(version));
    converts_in_part(
        &file("v1beta1"),
        &file("v1"),
        "templates/_h.tpl:5:1: held-back[template-action]",
        "the chart reads what its definition prints",
    );
}

/// Several actions can print the same.
#[test]
fn what_stands_in_the_way_is_named_where_it_stands() {
    let text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n  a: {{ .Values.branch }}\n---\napiVersion: image.toolkit.fluxcd.io/v1alpha1\nkind: ImageUpdateAutomation\nmetadata: {name: x}\nspec:\n  checkout: {branch: {{ .Values.branch }}, gitRepositoryRef: {name: g}}\n  interval: 5m\n  commit: {authorName: a, authorEmail: b}\n";
    let run = becomes(text, text, "flux@2.6", 1);
    says(
        &run,
        "templates/a.yaml:11:22: held-back[template-action]",
        "`{{ .Values.branch }}` stands in what must change",
    );
}

#[test]
fn a_listener_without_client_validation_can_have_any_protocol() {
    let gateway = |version: &str| {
        format!(
            "apiVersion: gateway.networking.k8s.io/{version}\nkind: Gateway\nmetadata: {{name: x}}\nspec:\n  gatewayClassName: a\n  listeners:\n  - {{name: a, port: 80, protocol: {{{{ .Values.protocol }}}}}}\n"
        )
    };
    becomes(&gateway("v1beta1"), &gateway("v1"), "gateway-api@1.4", 0);
}

#[test]
fn a_file_of_definitions_that_helm_prints_is_a_template() {
    becomes(
        "apiVersion: policy/v1\n@budget\n=== templates/b.yaml.tpl\napiVersion: policy/v1beta1\n@budget\n",
        "apiVersion: policy/v1\n@budget\n=== templates/b.yaml.tpl\napiVersion: policy/v1\n@budget\n",
        CURRENT,
        0,
    );
}

#[test]
fn of_two_definitions_of_one_name_none_is_taken() {
    let chart = "apiVersion: {{ include \"api\" . }}\n@budget\n=== templates/_a.tpl\n{{- define \"api\" -}}policy/v1beta1{{- end -}}\n=== templates/_b.tpl\n{{- define \"api\" -}}policy/v1{{- end -}}\n";
    held(chart, "templates/a.yaml:1:1: unresolved[template-action]", "nothing in the chart shows which that is");
}

#[test]
fn what_an_include_prints_behind_white_space_that_is_eaten_is_at_its_indent() {
    held(
        "apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata: {name: web}\nspec:\n  rules:\n  - http:\n      paths:\n      - path: /\n        {{- include \"type\" . | indent 8 }}\n        backend: {serviceName: web, servicePort: 80}\n=== templates/_h.tpl\n{{- define \"type\" -}}\n{{- with .Values.type }}\npathType: {{ . }}\n{{- end -}}\n{{- end -}}\n",
        "templates/a.yaml:",
        "what an action prints here may have pathType",
    );
}

#[test]
fn a_version_that_is_passed_to_a_definition_is_told() {
    held(
        "{{ include \"object\" (list \"policy/v1beta1\" \"PodDisruptionBudget\") }}\n---\napiVersion: policy/v1\n@budget\n=== templates/_h.tpl\n{{- define \"object\" -}}\napiVersion: {{ index . 0 }}\nkind: {{ index . 1 }}\nmetadata: {name: x}\n{{- end -}}\n",
        "templates/a.yaml:1:1: unresolved[template-action]",
        "an object of policy/v1beta1",
    );
}

#[test]
fn a_port_that_is_an_action_in_the_text_of_a_value_is_not_known() {
    held(
        "{{ range .Values.extraObjects }}\n---\n{{ tpl (toYaml .) $ }}\n{{ end }}\n=== values.yaml\nextraObjects:\n- apiVersion: networking.k8s.io/v1beta1\n  kind: Ingress\n  metadata: {name: web}\n  spec: {backend: {serviceName: web, servicePort: \"{{ .Values.port }}\"}}\n",
        "values.yaml:5:38: held-back[not-convertible]",
        "depends on the value of `{{ .Values.port }}`",
    );
}

/// What an action holds back holds back what goes with it.
#[test]
fn what_an_action_holds_back_holds_back_what_goes_with_it() {
    let class = "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {name: default}\nspec:\n  amiSelectorTerms: [{alias: al2023@latest}]\n  role: nodes\n  subnetSelectorTerms: [{tags: {a: b}}]\n  securityGroupSelectorTerms: [{tags: {a: b}}]\n  kubelet: KUBELET\n";
    let pool = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: default}\nspec:\n  template:\n    spec:\n      requirements: [{key: a, operator: Exists}]\n      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}\n";
    let release = ["--from", "karpenter@1.0.0", "--to", "karpenter@0.37.0", "--allow-loss=dropped-field"];
    for kubelet in ["\n    maxPods: {{ .Values.max }}", "{{ toYaml .Values.kubelet }}"] {
        let tree = chart(&format!("{pool}---\n{}", class.replace("KUBELET", kubelet)), "\n");
        let run = tree.run(&[&["check"][..], &release].concat());
        assert!(run.all().contains("0 to change in 0 files, 2 held back"), "{kubelet}: {}", run.all());
        says(&run, "templates/a.yaml:1:1: held-back[converts-together] NodePool default", "EC2NodeClass default");
        says(&run, "templates/a.yaml:", "held-back[template-action] EC2NodeClass default");
    }
}

#[test]
fn objects_of_one_template_that_go_together_are_held_back_together() {
    let provisioner = "apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata:\n  name: {{ .Values.name }}\nspec:\n  ttlSecondsAfterEmpty: 30\n  consolidation: {enabled: true}\n  providerRef: {name: default}\n";
    let class = "apiVersion: karpenter.k8s.aws/v1alpha1\nkind: AWSNodeTemplate\nmetadata: {name: NAME}\nspec:\n  instanceProfile: nodes\n  subnetSelector: {a: b}\n  securityGroupSelector: {a: b}\n";
    for (name, outcome) in
        [("default", "0 to change in 0 files, 2 held back"), ("other", "1 to change in 1 file, 1 held back")]
    {
        let tree = chart(&format!("{provisioner}---\n{}", class.replace("NAME", name)), "\n");
        let run = tree.run(&["check", "--from", "karpenter@0.31.0", "--to", "karpenter@1.0.0"]);
        assert!(run.out.contains(outcome) || run.err.contains(outcome), "{name}: {}", run.all());
    }
}

#[test]
fn objects_of_a_list_are_converted_together() {
    let list = |gateway: &str, route: &str, version: &str| {
        format!(
            "apiVersion: v1\nkind: List\nitems:\n- apiVersion: {version}\n  kind: Gateway\n  metadata:\n    name: public\n    namespace: shop\n  spec:\n    gatewayClassName: {{{{ .Values.class }}}}\n    listeners:\n{gateway}- apiVersion: {version}\n  kind: HTTPRoute\n  metadata:\n    name: shop\n    namespace: shop\n    labels:\n      app: {{{{ .Release.Name }}}}\n  spec:\n{route}"
        )
    };
    let new = list(
        "    - name: http\n      protocol: HTTP\n      port: 80\n",
        "    parentRefs:\n    - name: public\n    rules:\n    - backendRefs:\n      - name: shop\n        port: 80\n",
        "gateway.networking.k8s.io/v1alpha2",
    );
    let old = list(
        "    - protocol: HTTP\n      port: 80\n      routes:\n        kind: HTTPRoute\n",
        "    gateways:\n      allow: FromList\n      gatewayRefs:\n      - name: public\n        namespace: shop\n    rules:\n    - forwardTo:\n      - serviceName: shop\n        port: 80\n",
        "networking.x-k8s.io/v1alpha1",
    );
    becomes(&new, &old, "gateway-api@v0.2.0", 0);
}

#[test]
fn a_version_of_which_an_action_prints_a_part_is_one_of_the_group_of_its_kind() {
    let own = |annotation: &str| {
        format!(
            "apiVersion: apps/{{{{ .Values.version }}}}\nkind: Deployment\nmetadata: {{name: a}}\nspec:\n  selector: {{matchLabels: {{a: b}}}}\n  template:\n    metadata:\n      labels: {{a: b}}\n      annotations:\n{annotation}        c: d\n    spec: {{containers: [{{name: a, image: b}}]}}\n"
        )
    };
    becomes(&own("        policy.cilium.io/proxy-visibility: x\n"), &own(""), "cilium@1.17.1", 0);
}
