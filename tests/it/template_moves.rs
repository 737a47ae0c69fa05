//! Actions of which all is known, and comments, in fields that move: they move as they are.

use super::templates::{CURRENT, becomes, converts, held, needs_nothing, says};

/// Returns an Ingress with these lines in its backend, before or after, and further files.
fn ingress(name: &str, backend: &str, rest: &str) -> String {
    format!(
        "apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata:\n  name: {name}\nspec:\n  backend:\n{backend}{rest}"
    )
}

/// Returns the Ingress after the conversion, with these lines in its service.
fn converted(name: &str, service: &str) -> String {
    format!(
        "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata:\n  name: {name}\nspec:\n  defaultBackend:\n    service:\n{service}"
    )
}

#[test]
fn an_action_that_prints_a_known_text_moves() {
    let helpers = "=== templates/_h.tpl\n{{ define \"n\" }}web{{ end }}\n{{ define \"p\" }}80{{ end }}\n";
    for (name, port, kind) in [
        ("{{ include \"n\" . }}", "http", "name"),
        ("{{ \"web\" }}", "80", "number"),
        ("\"{{ include \"n\" . }}\"", "{{ include \"p\" . }}", "number"),
        ("{{- /* a */}} {{ include \"n\" . }}-{{ .Release.Name }}", "{{ template \"n\" . }}", "name"),
        ("{{ include \"n\" . | quote }}", "\"{{ \"web\" }}\"", "name"),
        ("{{ include \"n\" . }}-{{ include \"n\" . }}", "{{ 8080 }}", "number"),
    ] {
        converts(
            &ingress("{{ \"web\" }}", &format!("    serviceName: {name}\n    servicePort: {port}\n"), helpers),
            &converted("{{ \"web\" }}", &format!("      name: {name}\n      port:\n        {kind}: {port}\n")),
        );
    }
}

#[test]
fn an_action_that_moves_is_judged_by_what_it_prints() {
    // A text with a letter is the name of a port, and one of digits in quotes is a number that must be written as one.
    held(
        &ingress("x", "    serviceName: web\n    servicePort: {{ \"80\" | quote }}\n", ""),
        "templates/a.yaml:8:18: held-back[template-action]",
        "`{{ \"80\" | quote }}` stands in what must change",
    );
    // It moves into one branch, where another one stays.
    converts(
        "{{- if .Values.on }}\n---\napiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata: {name: x}\nspec:\n  backend:\n    serviceName: {{ \"a\" }}\n    servicePort: http\n{{- end }}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ \"a\" }}}\n",
        "{{- if .Values.on }}\n---\napiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: x}\nspec:\n  defaultBackend:\n    service:\n      name: {{ \"a\" }}\n      port:\n        name: http\n{{- end }}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ \"a\" }}}\n",
    );
}

#[test]
fn an_api_version_that_a_known_action_prints_does_not_move() {
    held(
        "apiVersion: {{ \"policy/v1beta1\" }}\n@budget\n",
        "templates/a.yaml:1:13: held-back[template-action]",
        "`{{ \"policy/v1beta1\" }}` stands in what must change",
    );
}

#[test]
fn a_comment_on_a_line_of_its_own_moves_with_the_key_below_it() {
    for comment in [
        "{{/* the port */}}",
        "{{- /* the port */}}",
        "{{/* the port */ -}}",
        "{{- /* the port\n      of the shop */}}",
        "{{- /* one */}}\n    {{- /* two */}}",
        "{{/* one */}}\n    # two\n    {{/* one */}}",
    ] {
        let moved = comment.replace("\n    {{", "\n      {{").replace("\n    #", "\n      #");
        converts(
            &ingress("x", &format!("    serviceName: web\n    {comment}\n    servicePort: http\n"), ""),
            &converted("x", &format!("      name: web\n      {moved}\n      port:\n        name: http\n")),
        );
    }
}

#[test]
fn a_comment_behind_a_value_moves_with_it() {
    converts(
        &ingress("x", "    serviceName: web {{/* the shop */}}\n    servicePort: http\n", ""),
        &converted("x", "      name: web {{/* the shop */}}\n      port:\n        name: http\n"),
    );
}

#[test]
fn a_comment_that_joins_two_lines_is_no_line() {
    held(
        &ingress("x", "    serviceName: web\n    {{- /* glue */ -}}\n    servicePort: http\n", ""),
        "templates/a.yaml:9:16: unresolved[template]",
        "cannot be read",
    );
}

#[test]
fn a_comment_between_actions_moves() {
    converts(
        &ingress(
            "x",
            "    serviceName: {{ .Release.Name }}\n    {{- /* by name */}}\n    servicePort: http-{{ .Release.Name }}\n",
            "",
        ),
        &converted(
            "x",
            "      name: {{ .Release.Name }}\n      {{- /* by name */}}\n      port:\n        name: http-{{ .Release.Name }}\n",
        ),
    );
}

#[test]
fn a_change_that_a_condition_decides_about_names_the_field() {
    held(
        "apiVersion: extensions/v1beta1\nkind: {{ ternary \"DaemonSet\" \"Deployment\" .Values.all }}\nmetadata: {name: x, labels: {app: x}}\nspec:\n  selector: {matchLabels: {app: x}}\n  template: {metadata: {labels: {app: x}}, spec: {containers: [{name: a, image: b}]}}\n",
        "templates/a.yaml:2:7: held-back[template-action]",
        "what is to be added beside spec.selector (line 5) depends on `{{ ternary",
    );
    held(
        "{{- if .Capabilities.APIVersions.Has \"networking.k8s.io/v1/Ingress\" }}\napiVersion: networking.k8s.io/v1\n{{- else }}\napiVersion: networking.k8s.io/v1beta1\n{{- end }}\nkind: Ingress\nmetadata: {name: x}\nspec:\n  backend: {serviceName: a, servicePort: 80}\n",
        "templates/a.yaml:1:1: held-back[template-action]",
        "what must change at apiVersion (line 2) depends on `{{- if .Capabilities",
    );
}

#[test]
fn json_needs_no_blank_before_an_action() {
    let text = |version: &str| {
        format!(
            "{{\"apiVersion\":\"policy/{version}\",\"kind\":\"PodDisruptionBudget\",\"metadata\":{{\"name\":{{{{ .Release.Name | quote }}}}}},\"spec\":{{\"minAvailable\":{{{{ .Values.min }}}},\"selector\":{{\"matchLabels\":{{\"a\":\"b\"}}}}}}}}\n"
        )
    };
    converts(&text("v1beta1"), &text("v1"));
}

#[test]
fn json_may_be_over_several_lines() {
    let text = |version: &str| {
        format!(
            "{{\n  \"apiVersion\": \"policy/{version}\",\n  \"kind\": \"PodDisruptionBudget\",\n  \"metadata\": {{\n    \"name\": {{{{ .Release.Name | quote }}}}\n  }},\n  \"spec\": {{\n    \"selector\": {{\"matchLabels\": {{\"a\": \"b\"}}}},\n    \"minAvailable\": {{{{ .Values.min }}}}\n  }}\n}}\n"
        )
    };
    converts(&text("v1beta1"), &text("v1"));
    let quoted = |version: &str| {
        let label = "{\"a\": \"{{ .Values.label }}\"}";
        format!(
            "{{\n  \"apiVersion\": \"policy/{version}\",\n  \"kind\": \"PodDisruptionBudget\",\n  \"metadata\": {{\"name\": \"{{{{ .Release.Name }}}}\", \"labels\": {label}}},\n  \"spec\": {{\"minAvailable\": 1, \"selector\": {{\"matchLabels\": {label}}}}}\n}}\n"
        )
    };
    converts(&quoted("v1beta1"), &quoted("v1"));
}

#[test]
fn a_comment_before_what_begins_on_the_next_line_acknowledges_a_finding() {
    let scaled = |comment: &str| {
        format!(
            "apiVersion: autoscaling/v2beta1\nkind: HorizontalPodAutoscaler\nmetadata: {{name: x}}\nspec:\n  maxReplicas: 3\n  metrics:{comment}\n    {{{{- toYaml .Values.metrics | nindent 4 }}}}\n=== values.yaml\nmetrics: []\n"
        )
    };
    let ignore = "{{- /* reversion: ignore[template-action] by hand */}}";
    needs_nothing(&scaled(&format!(" {ignore}")), 0);
    let inside = scaled(&format!("\n    {ignore}"));
    says(
        &becomes(&inside, &inside, CURRENT, 1),
        "templates/a.yaml:7:5: warning[unused-ignore]",
        "the comment is at nothing",
    );
}
