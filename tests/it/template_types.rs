//! Objects of templates whose apiVersion or kind an action prints.

use std::fs;
use std::process::Command;

use super::templates::{CHART, CURRENT, becomes, chart, converts, converts_in_part, held, says};

const NOTE: &str = "templates/a.yaml:1:1: note[template-action]";
const LEFT: &str = "templates/a.yaml:1:1: unresolved[template-action]";

#[test]
fn a_version_that_the_values_have_and_the_target_serves_needs_nothing() {
    for (action, values) in [
        ("{{ .Values.budget.version }}", "budget: {version: policy/v1}"),
        ("policy/{{ .Values.budget.version }}", "budget: {version: v1}"),
        ("{{ .Values.version | default \"policy/v1\" | quote }}", "version:"),
        ("{{ ternary \"policy/v1\" \"policy/v1beta1\" .Values.new }}", "new: true"),
        ("{{ printf \"policy/%s\" .Values.version }}", "version: v1"),
        ("{{ include \"version\" . }}", "version: policy/v1"),
        ("{{ include \"version\" . }}", "version: ''"),
    ] {
        let chart = format!(
            "apiVersion: {action}\n@budget\n=== templates/_h.tpl\n{{{{- define \"version\" -}}}}\n{{{{- if .Values.version }}}}{{{{ .Values.version }}}}{{{{ else if .Capabilities.APIVersions.Has \"policy/v1\" }}}}policy/v1{{{{ else }}}}policy/v1beta1{{{{ end }}}}\n{{{{- end -}}}}\n=== values.yaml\n{values}\n"
        );
        says(
            &becomes(&chart, &chart, CURRENT, 0),
            NOTE,
            ": by default that is policy/v1, which the target serves; users of the chart can set another one",
        );
    }
}

#[test]
fn a_version_in_a_branch_is_that_of_the_values() {
    let chart = "{{- if .Values.enabled }}\napiVersion: {{ if .Values.version }}{{ .Values.version }}{{ else }}policy/v1{{ end }}\n@budget\n{{- end }}\n=== values.yaml\nenabled: false\nversion: policy/v1\n";
    says(
        &becomes(chart, chart, CURRENT, 0),
        "templates/a.yaml:2:1: note[template-action]",
        "`{{ .Values.version }}`: by default that is policy/v1",
    );
    let chart = chart.replace("version: policy/v1\n", "version: ''\n");
    says(
        &becomes(&chart, &chart, CURRENT, 0),
        "templates/a.yaml:2:1: note[template-action]",
        "`{{ .Values.version }}`, which the chart prints only if its users set more",
    );
}

#[test]
fn a_version_of_the_values_that_goes_is_to_be_written_there_once() {
    let chart = "apiVersion: policy/{{ .Values.budget.version }}\n@budget\n=== templates/b.yaml\n{{- range .Values.list }}\n---\napiVersion: policy/{{ $.Values.budget.version }}\n@budget\n{{- end }}\n=== values.yaml\nlist: [a]\nbudget:\n  # The version.\n  version: v1beta1\n";
    let run = becomes(chart, chart, CURRENT, 1);
    says(
        &run,
        LEFT,
        "the apiVersion of an object is `policy/{{ .Values.budget.version }}`: by default that is policy/v1beta1, which the target does not serve",
    );
    says(&run, "help:", "write v1 at budget.version in line 4 of values.yaml, and run it again");
    let run = becomes(chart, chart, "kubernetes@1.21", 1);
    says(&run, LEFT, "by default that is policy/v1beta1, which the target has deprecated");
    let back = chart.replace("version: v1beta1", "version: v1");
    let run = becomes(&back, &back, "kubernetes@1.20", 1);
    says(&run, "help:", "write v1beta1 at budget.version in line 4 of values.yaml, and run it again");
}

#[test]
fn what_prints_a_version_that_goes_without_one_key_is_named() {
    let chart = "apiVersion: {{ ternary \"policy/v1\" \"policy/v1beta1\" .Values.new }}\n@budget\n=== values.yaml\nnew: false\n";
    let run = becomes(chart, chart, CURRENT, 1);
    says(&run, LEFT, "by default that is policy/v1beta1, which the target does not serve");
    says(&run, "help:", "let `{{ ternary \"policy/v1\" \"policy/v1beta1\" .Values.new }}` print policy/v1 by default");
}

#[test]
fn a_version_that_the_values_lack_is_told() {
    held(
        "apiVersion: policy/{{ .Values.version }}\n@budget\n=== values.yaml\nother: v1beta1\n",
        LEFT,
        "and values decide",
    );
}

#[test]
fn fields_become_those_of_the_version_that_the_values_have() {
    let ingress = |backend: &str| {
        format!(
            "apiVersion: {{{{ .Values.version }}}}\nkind: Ingress\nmetadata: {{name: x}}\nspec:\n  {backend}\n=== values.yaml\nversion: networking.k8s.io/v1\n"
        )
    };
    converts(
        &ingress("backend: {serviceName: a, servicePort: 80}"),
        &ingress("defaultBackend: {service: {name: a, port: {number: 80}}}"),
    );
}

#[test]
fn a_condition_about_the_version_is_decided_by_it() {
    let chart = "apiVersion: {{ .Values.version }}\nkind: Ingress\nmetadata: {name: x}\nspec:\n{{- if eq .Values.version \"networking.k8s.io/v1\" }}\n  defaultBackend: {service: {name: a, port: {number: 80}}}\n{{- else }}\n  backend: {serviceName: a, servicePort: 80}\n{{- end }}\n=== values.yaml\nversion: networking.k8s.io/v1\n";
    says(&becomes(chart, chart, CURRENT, 0), NOTE, "by default that is networking.k8s.io/v1");
}

#[test]
fn each_kind_that_an_action_can_print_is_judged() {
    let role = |version: &str, kind: &str| {
        format!(
            "apiVersion: rbac.authorization.k8s.io/{version}\nkind: {kind}\nmetadata: {{name: x}}\nrules: []\n=== templates/_h.tpl\n{{{{- define \"kind\" -}}}}\n{{{{ if .Values.all }}}}ClusterRole{{{{ else }}}}Role{{{{ end }}}}\n{{{{- end -}}}}\n"
        )
    };
    for kind in [
        "{{ ternary \"ClusterRole\" \"Role\" .Values.all }}",
        "{{ if .Values.all }}ClusterRole{{ else }}Role{{ end }}",
        "{{ if .Values.all }}Cluster{{ end }}Role",
        "{{ include \"kind\" . }}",
    ] {
        converts(&role("v1beta1", kind), &role("v1", kind));
    }
    held(
        "apiVersion: extensions/v1beta1\nkind: {{ ternary \"DaemonSet\" \"Deployment\" .Values.all }}\nmetadata: {name: x, labels: {app: x}}\nspec:\n  selector: {matchLabels: {app: x}}\n  template: {metadata: {labels: {app: x}}, spec: {containers: [{name: a, image: b}]}}\n",
        "templates/a.yaml:2:7: held-back[template-action]",
        "what is to be added beside spec.selector (line 5) depends on `{{ ternary",
    );
}

#[test]
fn other_objects_are_converted_beside_one_whose_version_is_left() {
    converts_in_part(
        "apiVersion: {{ .Values.version }}\n@budget\n---\napiVersion: policy/v1beta1\n@budget\n=== values.yaml\nversion: policy/v1beta1\n",
        "apiVersion: {{ .Values.version }}\n@budget\n---\napiVersion: policy/v1\n@budget\n=== values.yaml\nversion: policy/v1beta1\n",
        LEFT,
        "by default that is policy/v1beta1",
    );
}

#[test]
fn what_the_charts_around_one_set_and_define_counts() {
    let text = |outer: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: x}}\n{outer}=== charts/sub/Chart.yaml\napiVersion: v2\nname: sub\nversion: 1.0.0\n=== charts/sub/values.yaml\nversion: policy/v1\n=== charts/sub/templates/_h.tpl\n{{{{- define \"sub.version\" -}}}}policy/v1{{{{- end -}}}}\n=== charts/sub/templates/a.yaml\napiVersion: {{{{ include \"sub.version\" . }}}}\n@budget\n---\napiVersion: {{{{ .Values.version }}}}\n@budget\n"
        )
    };
    let check = |outer: &str| chart(&text(outer), "\n").run(&["check", "-v", "--to", CURRENT, "charts/sub"]);
    check("=== values.yaml\nsub: {version: policy/v1}\nother: {version: policy/v1beta1}\n").check(0);
    let run = check("=== values.yaml\nsub: {version: policy/v1beta1}\n");
    says(
        &run,
        "charts/sub/Chart.yaml: note[chart]",
        "the charts around it set version in its values: that is what counts",
    );
    says(
        &run,
        "charts/sub/templates/a.yaml:11:1: unresolved[template-action]",
        "by default that is policy/v1beta1, which the target does not serve",
    );
    // What the chart around calls it counts, not its folder.
    let tree = chart(&text("=== values.yaml\nnamed: {version: policy/v1beta1}\n"), "\n");
    let listed = format!("{CHART}dependencies:\n- {{name: sub, version: 1.0.0, alias: named}}\n");
    fs::write(tree.path("Chart.yaml"), listed).unwrap();
    let run = tree.run(&["check", "--to", CURRENT, "charts/sub"]);
    says(&run, "charts/sub/templates/a.yaml:11:1: unresolved[template-action]", "by default that is policy/v1beta1");
    // A path that begins in the chart leads to it too.
    let tree = chart(&text("=== values.yaml\nsub: {version: policy/v1beta1}\n"), "\n");
    let mut inside = Command::new(env!("CARGO_BIN_EXE_reversion"));
    let inside = inside.args(["check", "--to", CURRENT, "."]).current_dir(tree.path("charts/sub")).output().unwrap();
    let said = String::from_utf8_lossy(&inside.stdout);
    assert!(said.contains("by default that is policy/v1beta1") && inside.status.code() == Some(1), "{said}");
    let run = check("=== templates/_h.tpl\n{{- define \"sub.version\" -}}policy/v1beta1{{- end -}}\n");
    says(&run, "charts/sub/Chart.yaml: note[chart]", "define sub.version in place of its own: that is what counts");
    says(
        &run,
        "charts/sub/templates/a.yaml:1:13: held-back[template-action]",
        "`{{ include \"sub.version\" . }}` stands in",
    );
}

#[test]
fn a_value_is_called_as_it_is_written_where_it_stands() {
    let ingress = |name: &str, port: &str| {
        format!(
            "apiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: {{name: {name}}}\nspec:\n  backend: {{serviceName: a, servicePort: {port}}}\n"
        )
    };
    let own = format!(
        "{{{{- $p := .Values.port -}}}}\n{}---\n{}=== values.yaml\nport: 80\n",
        ingress("a", "{{ $p }}"),
        ingress("b", "\"{{ .Values.port }}\"")
    );
    held(&own, "templates/a.yaml:6:29: held-back[not-convertible] Ingress a", "depends on the value of `{{ $p }}`");
    held(
        &own,
        "templates/a.yaml:12:29: held-back[not-convertible] Ingress b",
        "depends on the value of `{{ .Values.port }}`",
    );
}

/// In quotes too.
#[test]
fn each_of_the_kinds_between_which_an_action_chooses_is_read() {
    for action in [
        "ternary \"StatefulSet\" \"Deployment\" .Values.on",
        "ternary \"StatefulSet\" \"Deployment\" .Values.on | quote",
        "include \"web.kind\" . | squote",
    ] {
        let object = |version: &str| {
            format!(
                "apiVersion: apps/{version}\nkind: {{{{ {action} }}}}\nmetadata: {{name: x}}\nspec:\n  selector: {{matchLabels: {{app: x}}}}\n  template: {{metadata: {{labels: {{app: x}}}}, spec: {{containers: [{{name: a, image: b}}]}}}}\n=== templates/_h.tpl\n{{{{- define \"web.kind\" -}}}}\n{{{{ if .Values.on }}}}StatefulSet{{{{ else }}}}Deployment{{{{ end }}}}\n{{{{- end -}}}}\n=== values.yaml\non: false\n"
            )
        };
        converts(&object("v1beta2"), &object("v1"));
    }
}
