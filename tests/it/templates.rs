//! Templates of charts: each form that real charts hold is converted, or held back with the line that stands in the way.
//!
//! A chart is written as one text: the template `templates/a.yaml`, and further files, each below a line `=== path`. A line `@budget` stands for
//! all of a PodDisruptionBudget but its apiVersion, so that a test shows what it is about.

use crate::support::trees::{Run, Tree};

pub(crate) const CURRENT: &str = "kubernetes@1.33";
const TEMPLATE: &str = "templates/a.yaml";
pub(crate) const CHART: &str = "apiVersion: v2\nname: shop\nversion: 1.0.0\n";
const BUDGET: &str = "kind: PodDisruptionBudget\nmetadata:\n  name: x\nspec:\n  minAvailable: 1\n  selector:\n    matchLabels:\n      app: x\n";

/// Returns the files of a chart that is written as one text.
fn files(text: &str) -> Vec<(String, String)> {
    let text = text.replace("@budget\n", BUDGET);
    let mut parts = text.split("=== ");
    let first = parts.next().unwrap().trim_start_matches('\n').to_owned();
    let mut files = if first.is_empty() { Vec::new() } else { vec![(TEMPLATE.to_owned(), first)] };
    for (path, text) in parts.map(|part| part.split_once('\n').unwrap()) {
        files.push((path.to_owned(), text.to_owned()));
    }
    files
}

/// Writes a chart, with the line ends of Windows where `end` is theirs.
pub(crate) fn chart(text: &str, end: &str) -> Tree {
    let mut files = files(text);
    files.push(("Chart.yaml".to_owned(), CHART.to_owned()));
    files.iter_mut().for_each(|(_, text)| *text = text.replace('\n', end));
    Tree::of(&files.iter().map(|(path, text)| (&**path, &**text)).collect::<Vec<_>>())
}

/// Applies the conversion; `-v` shows the notes.
pub(crate) fn apply(tree: &Tree, target: &str) -> Run {
    tree.run(&["apply", "-v", "--yes", "--allow-no-vcs", "--to", target])
}

/// Checks that a chart becomes another one, of which `after` names the files that change, with this exit code.
#[track_caller]
pub(crate) fn becomes(before: &str, after: &str, target: &str, code: i32) -> Run {
    let (before_files, after_files) = (files(before), files(after));
    let mut last = None;
    for end in ["\r\n", "\n"] {
        let tree = chart(before, end);
        let run = apply(&tree, target);
        run.check(code);
        for (path, text) in &before_files {
            let expected = after_files.iter().find(|(changed, _)| changed == path).map_or(text, |(_, text)| text);
            assert_eq!(tree.text(path), expected.replace('\n', end), "{path}\n{}", run.all());
        }
        let again = apply(&tree, target);
        assert!(again.out.contains("0 to change") || again.err.contains("0 to change"), "{}", again.all());
        last = Some(run);
    }
    last.unwrap()
}

/// Checks that a finding is reported: `place` is how its line begins, `part` a part of its message.
#[track_caller]
pub(crate) fn says(run: &Run, place: &str, part: &str) {
    let all = run.all();
    assert!(
        all.lines().any(|line| line.trim_start().starts_with(place) && line.contains(part)),
        "{place} ... {part}\nin\n{all}"
    );
}

/// Checks what a chart becomes, wholly.
#[track_caller]
pub(crate) fn converts(before: &str, after: &str) {
    becomes(before, after, CURRENT, 0);
}

/// Checks what a chart becomes in a part, and why the rest is left.
#[track_caller]
pub(crate) fn converts_in_part(before: &str, after: &str, place: &str, part: &str) {
    says(&becomes(before, after, CURRENT, 1), place, part);
}

/// Checks that a chart stays as it is, and why.
#[track_caller]
pub(crate) fn held(before: &str, place: &str, part: &str) {
    says(&becomes(before, before, CURRENT, 1), place, part);
}

/// Checks that a chart needs nothing.
#[track_caller]
pub(crate) fn needs_nothing(before: &str, code: i32) {
    becomes(before, before, CURRENT, code);
}

/// Checks that a chart needs nothing, and what is told about it.
#[track_caller]
pub(crate) fn needs_nothing_and_says(before: &str, place: &str, part: &str) {
    says(&becomes(before, before, CURRENT, 0), place, part);
}

// ACTIONS

#[test]
fn braces_inside_an_action_do_not_end_it() {
    converts(
        r#"
{{- /* Usage: {{ include "x" . }} */ -}}
{{- if .Values.bad }}
{{ fail "write {{ .Values.good }} instead" }}
{{- end }}
apiVersion: policy/v1beta1
@budget
  {{/* }} */}}
  maxUnavailable: {{ `}}` | default "{{" | quote }}
"#,
        r#"
{{- /* Usage: {{ include "x" . }} */ -}}
{{- if .Values.bad }}
{{ fail "write {{ .Values.good }} instead" }}
{{- end }}
apiVersion: policy/v1
@budget
  {{/* }} */}}
  maxUnavailable: {{ `}}` | default "{{" | quote }}
"#,
    );
}

#[test]
fn actions_may_be_over_several_lines() {
    converts(
        r#"
apiVersion: networking.k8s.io/v1beta1
kind: Ingress
metadata:
  name: {{ printf "%s-%s"
      .Release.Name
      .Chart.Name }}
spec:
  backend:
    serviceName: {{ .Values.name
      | default "web"
      | quote }}
    servicePort: http
"#,
        r#"
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: {{ printf "%s-%s"
      .Release.Name
      .Chart.Name }}
spec:
  defaultBackend:
    service:
      name: {{ .Values.name
      | default "web"
      | quote }}
      port:
        name: http
"#,
    );
}

#[test]
fn keys_may_be_actions() {
    converts(
        r#"
apiVersion: rbac.authorization.k8s.io/v1beta1
kind: Role
metadata:
  name: x
  annotations:
    {{ .Release.Name }}/a: b
    "{{ .Release.Name }}": {{ .Chart.Name | quote }}
rules: []
"#,
        r#"
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: x
  annotations:
    {{ .Release.Name }}/a: b
    "{{ .Release.Name }}": {{ .Chart.Name | quote }}
rules: []
"#,
    );
}

#[test]
fn a_quoted_call_is_part_of_a_text() {
    converts(
        r#"
apiVersion: networking.k8s.io/v1beta1
kind: Ingress
metadata: {name: x}
spec:
  rules:
  - http:
      paths:
      - path: "{{ template "x" . }}"
        pathType: Prefix
        backend:
          serviceName: "{{ template "x" . }}"
          servicePort: https
=== templates/_x.tpl
{{ define "x" }}{{ .Release.Name }}{{ end }}
"#,
        r#"
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: x}
spec:
  rules:
  - http:
      paths:
      - path: "{{ template "x" . }}"
        pathType: Prefix
        backend:
          service:
            name: "{{ template "x" . }}"
            port:
              name: https
"#,
    );
}

#[test]
fn a_trim_mark_may_be_glued_to_the_api_version() {
    converts(
        r#"
{{- if .Values.on -}}
apiVersion: policy/v1beta1
@budget
{{- end }}
---
  {{ if .Values.on -}}
    apiVersion: policy/v1beta1
  kind: PodDisruptionBudget
  metadata: {name: y}
  spec: {minAvailable: 1, selector: {matchLabels: {app: x}}}
  {{- end }}
"#,
        r#"
{{- if .Values.on -}}
apiVersion: policy/v1
@budget
{{- end }}
---
  {{ if .Values.on -}}
    apiVersion: policy/v1
  kind: PodDisruptionBudget
  metadata: {name: y}
  spec: {minAvailable: 1, selector: {matchLabels: {app: x}}}
  {{- end }}
"#,
    );
}

#[test]
fn comments_may_stand_beside_actions() {
    converts(
        r#"
# {{ .Values.name }} apiVersion: policy/v1beta1
apiVersion: policy/v1beta1 # was {{ .Values.old }}
kind: PodDisruptionBudget
metadata:
  name: {{ .Release.Name }} # {{ .Chart.Name }}
spec:
  minAvailable: 1
  # {{- if .Values.all }}
  selector: {matchLabels: {app: x}}
  # {{- end }}
"#,
        r#"
# {{ .Values.name }} apiVersion: policy/v1beta1
apiVersion: policy/v1 # was {{ .Values.old }}
kind: PodDisruptionBudget
metadata:
  name: {{ .Release.Name }} # {{ .Chart.Name }}
spec:
  minAvailable: 1
  # {{- if .Values.all }}
  selector: {matchLabels: {app: x}}
  # {{- end }}
"#,
    );
}

#[test]
fn blocks_that_are_not_closed_are_told() {
    held(
        "apiVersion: policy/v1beta1\n{{ if .Values.x }}\n@budget\n",
        "templates/a.yaml:2:1: unresolved[template]",
        "a block has no `end`",
    );
    held(
        "apiVersion: policy/v1beta1\n@budget\n{{ end }}\n",
        "templates/a.yaml:10:1: unresolved[template]",
        "there is no block that this action belongs to",
    );
}

// VERSIONS

#[test]
fn a_version_that_is_half_an_action_is_held_back() {
    held(
        r#"
apiVersion: policy/v1{{ .Values.suffix }}
@budget
=== values.yaml
suffix: beta1
"#,
        "templates/a.yaml:1:1: unresolved[template-action]",
        "`policy/v1{{ .Values.suffix }}`",
    );
}

#[test]
fn a_version_may_be_over_lines_of_if_and_else() {
    needs_nothing(
        r#"
apiVersion: {{ if .Capabilities.APIVersions.Has "policy/v1" -}}
policy/v1
{{- else -}}
policy/v1beta1
{{- end }}
@budget
"#,
        0,
    );
}

#[test]
fn a_version_that_the_cluster_chooses_needs_nothing() {
    for version in [
        r#"{{ if .Capabilities.APIVersions.Has "policy/v1" }}policy/v1{{ else }}policy/v1beta1{{ end }}"#,
        r#"{{ if .Capabilities.APIVersions.Has "policy/v1/PodDisruptionBudget" }}policy/v1{{ else }}policy/v1beta1{{ end }}"#,
        r#"{{ if semverCompare ">=1.21-0" .Capabilities.KubeVersion.GitVersion }}policy/v1{{ else }}policy/v1beta1{{ end }}"#,
        r#"{{ if semverCompare "<1.21.0-0" .Capabilities.KubeVersion.Version }}policy/v1beta1{{ else }}policy/v1{{ end }}"#,
        r#"{{ ternary "policy/v1" "policy/v1beta1" (semverCompare ">=1.21.0-0" .Capabilities.KubeVersion.Version) }}"#,
        r#"{{ include "version" . }}"#,
        r#"{{ template "version" . }}"#,
    ] {
        let helper = "{{- define \"version\" -}}\n{{- if .Capabilities.APIVersions.Has \"policy/v1\" -}}\n{{- print \"policy/v1\" -}}\n{{- else -}}\npolicy/v1beta1\n{{- end -}}\n{{- end -}}\n";
        needs_nothing(
            &format!(
                "apiVersion: {version}\n@budget\n=== templates/b.yaml\napiVersion: policy/v1\n@budget\n=== templates/_helpers.tpl\n{helper}"
            ),
            0,
        );
    }
}

#[test]
fn a_chain_over_lines_that_the_cluster_chooses_needs_nothing() {
    needs_nothing(
        r#"
{{- if .Values.on }}
{{- if .Capabilities.APIVersions.Has "policy/v1" }}
apiVersion: policy/v1
{{- else }}
apiVersion: policy/v1beta1
{{- end }}
@budget
{{- end }}
"#,
        0,
    );
}

#[test]
fn values_that_choose_between_versions_convert_the_old_one() {
    converts(
        r#"
{{- if .Values.new }}
apiVersion: policy/v1
{{- else }}
apiVersion: policy/v1beta1
{{- end }}
@budget
"#,
        r#"
{{- if .Values.new }}
apiVersion: policy/v1
{{- else }}
apiVersion: policy/v1
{{- end }}
@budget
"#,
    );
}

// GUARDS

#[test]
fn what_is_not_printed_for_the_target_is_left() {
    for guard in [
        r#"not (.Capabilities.APIVersions.Has "policy/v1")"#,
        r#"not (.Capabilities.APIVersions.Has "policy/v1/PodDisruptionBudget")"#,
        r#"semverCompare "<1.21-0" .Capabilities.KubeVersion.GitVersion"#,
        r#"and .Values.on (semverCompare "<1.21-0" .Capabilities.KubeVersion.Version)"#,
        r#".Capabilities.APIVersions.Has "policy/v1beta1""#,
        r#"and .Values.on (.Capabilities.APIVersions.Has "policy/v1beta1/PodDisruptionBudget")"#,
        r#"include "is.old" ."#,
    ] {
        needs_nothing_and_says(
            &format!(
                "{{{{- if {guard} }}}}\napiVersion: policy/v1beta1\n@budget\n{{{{- end }}}}\n=== templates/b.yaml\napiVersion: policy/v1\n@budget\n=== templates/_x.tpl\n{{{{ define \"is.old\" }}}}{{{{ if semverCompare \"<1.21-0\" .Capabilities.KubeVersion.Version }}}}true{{{{ end }}}}{{{{ end }}}}\n"
            ),
            "templates/a.yaml:",
            "is not printed for the target",
        );
    }
}

/// An object that is there on the cluster now is removed from it.
#[test]
fn a_kind_that_nothing_prints_for_the_target_is_said_of_the_chart() {
    let guarded =
        "{{- if .Capabilities.APIVersions.Has \"policy/v1beta1\" }}\napiVersion: policy/v1beta1\n@budget\n{{- end }}\n";
    let what = "conditions about the cluster leave these kinds out for the target: PodDisruptionBudget";
    needs_nothing_and_says(guarded, "Chart.yaml: note[chart]", what);
    let comment = format!("# apiVersion: policy/v1beta1\n# kind: PodDisruptionBudget\n{guarded}");
    needs_nothing_and_says(&comment, "Chart.yaml: note[chart]", what);
    let twin = format!("{guarded}=== templates/b.yaml\napiVersion: policy/v1\n@budget\n");
    let run = becomes(&twin, &twin, CURRENT, 0);
    assert!(!run.all().contains("leave these kinds out"), "{}", run.all());
}

#[test]
fn a_guard_about_something_else_is_no_obstacle() {
    for guard in [
        r#"semverCompare ">=1.16-0" .Capabilities.KubeVersion.GitVersion"#,
        r#"semverCompare "<2.0.0" (default .Chart.AppVersion .Values.image.tag)"#,
        r#".Capabilities.APIVersions.Has "monitoring.coreos.com/v1""#,
        r#".Capabilities.APIVersions.Has "policy/v1""#,
        r#"and .Values.on (not .Values.off)"#,
        r#"gt (int .Values.replicas) 1"#,
    ] {
        converts(
            &format!("{{{{- if {guard} }}}}\napiVersion: policy/v1beta1\n@budget\n{{{{- end }}}}\n"),
            &format!("{{{{- if {guard} }}}}\napiVersion: policy/v1\n@budget\n{{{{- end }}}}\n"),
        );
    }
}

#[test]
fn twins_for_old_and_new_clusters_need_nothing() {
    needs_nothing_and_says(
        r#"
{{- if .Capabilities.APIVersions.Has "networking.k8s.io/v1/Ingress" }}
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: x}
spec: {defaultBackend: {service: {name: a, port: {name: b}}}}
{{- else }}
apiVersion: networking.k8s.io/v1beta1
kind: Ingress
metadata: {name: x}
spec: {backend: {serviceName: a, servicePort: b}}
{{- end }}
"#,
        "templates/a.yaml:",
        "is not printed for the target",
    );
}

// RUNS

#[test]
fn an_older_target_converts_back() {
    becomes(
        r#"
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: {{ .Release.Name }}
spec:
  rules:
  {{- range .Values.hosts }}
  - host: {{ . }}
    http:
      paths:
      - path: /
        pathType: Prefix
        backend:
          service:
            name: {{ $.Release.Name }}
            port:
              number: {{ $.Values.port }}
  {{- end }}
---
apiVersion: policy/v1
@budget
=== values.yaml
hosts: [a, b]
port: 80
"#,
        r#"
apiVersion: networking.k8s.io/v1beta1
kind: Ingress
metadata:
  name: {{ .Release.Name }}
spec:
  rules:
  {{- range .Values.hosts }}
  - host: {{ . }}
    http:
      paths:
      - path: /
        pathType: Prefix
        backend:
          serviceName: {{ $.Release.Name }}
          servicePort: {{ $.Values.port }}
  {{- end }}
---
apiVersion: policy/v1beta1
@budget
"#,
        "kubernetes@1.18",
        0,
    );
}

#[test]
fn checks_show_what_apply_writes_and_undo_takes_it_back() {
    let before = "{{- if .Values.on }}\napiVersion: policy/v1beta1\n@budget\n{{- end }}\n";
    let tree = chart(before, "\n");
    let text = tree.text(TEMPLATE);
    for command in ["check", "diff"] {
        let run = tree.run(&[command, "--to", CURRENT]);
        run.check(1);
        assert!(run.all().contains("1 object recognized: 1 to change in 1 file, 0 held back"), "{}", run.all());
        assert_eq!(tree.text(TEMPLATE), text);
    }
    apply(&tree, CURRENT).check(0);
    assert_eq!(tree.text(TEMPLATE), text.replace("v1beta1", "v1"));
    tree.run(&["check", "--to", CURRENT]).check(0);
    tree.run(&["undo"]).check(0);
    assert_eq!(tree.text(TEMPLATE), text);
}

#[test]
fn templates_of_a_vendored_chart_are_converted_only_if_a_path_names_it() {
    let sub = "{{- if .Values.on }}\napiVersion: policy/v1beta1\n@budget\n{{- end }}\n";
    let text = format!(
        "apiVersion: policy/v1\n@budget\n=== charts/sub/Chart.yaml\n{CHART}=== charts/sub/templates/a.yaml\n{sub}"
    );
    let run = becomes(&text, &text, CURRENT, 1);
    says(
        &run,
        "charts/sub/templates/a.yaml:1:",
        "unresolved[template] the template mentions a known API, and was skipped: its chart sub is one that another chart brings",
    );
    says(&run, "Chart.yaml: note[chart]", "the charts that it brings in its folder charts are left as they are: sub");
    let tree = chart(&text, "\n");
    let before = tree.text("charts/sub/templates/a.yaml");
    tree.run(&["apply", "--yes", "--allow-no-vcs", "--to", CURRENT, "charts/sub"]).check(0);
    assert_eq!(tree.text("charts/sub/templates/a.yaml"), before.replace("v1beta1", "v1"));
}

#[test]
fn all_charts_that_another_one_brings_are_left_as_they_are() {
    let plain = "apiVersion: policy/v1beta1\n@budget\n";
    let text = format!(
        "apiVersion: policy/v1\n@budget\n=== charts/sub/Chart.yaml\n{CHART}=== charts/sub/templates/a.yaml\n{plain}=== charts/sub/templates/b.yaml\n{plain}=== charts/sub/templates/c.yaml\na: {{{{ .x }}}}\n---\n{plain}=== charts/lib-1.0.0.tgz\n\u{1f}\u{8b}\u{0}\n"
    );
    let run = becomes(&text, &text, CURRENT, 1);
    says(&run, "charts/sub/templates/a.yaml:", "its chart sub is one that another chart brings");
    says(&run, "", "also charts/sub/templates/b.yaml");
    says(&run, "Chart.yaml: note[chart]", "are left as they are: sub");
    says(&run, "Chart.yaml: warning[chart]", "as archives are not read: lib-1.0.0.tgz");
    assert!(run.all().contains("; 3 files skipped"), "{}", run.all());
    let tree = chart(&text, "\n");
    tree.run(&["apply", "--yes", "--allow-no-vcs", "--to", CURRENT, "charts/sub"]).check(0);
    assert!(tree.text("charts/sub/templates/b.yaml").starts_with("apiVersion: policy/v1\n"));
}

#[test]
fn a_template_on_standard_input_is_converted_without_its_chart() {
    let text = "{{- define \"own\" }}\napiVersion: policy/v1beta1\n{{- end }}\n{{- if .Values.on }}\n{{ include \"own\" . }}\nkind: PodDisruptionBudget\nmetadata: {name: {{ include \"x\" . }}}\nspec: {minAvailable: 1, selector: {matchLabels: {a: b}}}\n{{- end }}\n---\napiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: y}\nspec: {minAvailable: {{ .Values.n }}, selector: {matchLabels: {a: b}}}\n";
    let fed =
        |flags: &[&str], text: &str| Tree::of(&[]).run_fed(&[&["convert", "-", "--to", CURRENT], flags].concat(), text);
    let run = fed(&["--template"], text);
    assert_eq!(
        run.out,
        text.replacen("v1beta1\nkind", "v1\nkind", 1)
            .replace("{{- end }}\n---\napiVersion: policy/v1beta1", "{{- end }}\n---\napiVersion: policy/v1"),
        "{}",
        run.err
    );
    // Without the flag it is no manifest, and printed as it is.
    let run = fed(&[], text);
    run.check(1);
    assert_eq!(run.out, text);
    // What cannot be read is printed as it is, and reported.
    for broken in ["a: {{ if x }}\n", "apiVersion: policy/v1beta1\n@budget\n---apiVersion: policy/v1beta1\n"] {
        let run = fed(&["--template"], broken);
        run.check(1);
        assert_eq!(run.out, broken);
        assert!(run.err.starts_with("-:"), "{}", run.err);
    }
}

/// To YAML, code of ytt is comments, and what it prints is null.
#[test]
fn templates_of_other_tools_are_reported_and_left() {
    let budget = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: x}\nspec:\n  selector: {matchLabels: {a: b}}\n";
    let count = "  minAvailable: 1\n";
    for (name, text) in [
        ("ytt", format!("{budget}  minAvailable: #@ data.values.count\n")),
        ("ytt block", format!("{budget}  #@ if data.values.count:\n{count}  #@ end\n")),
        (
            "ytt overlay",
            format!("#@ load(\"@ytt:overlay\", \"overlay\")\n---\n{budget}  #@overlay/match missing_ok=True\n{count}"),
        ),
        ("jinja", format!("{budget}{{% if count %}}\n{count}{{% endif %}}\n")),
        ("jinja value", format!("{budget}  minAvailable: {{{{ count }}}}\n")),
    ] {
        let tree = Tree::of(&[("a.yaml", &text)]);
        let run = apply(&tree, CURRENT);
        run.check(1);
        assert!(
            run.all().contains("unresolved[template] the file is a template, not a manifest"),
            "{name}\n{}",
            run.all()
        );
        assert_eq!(tree.text("a.yaml"), text, "{name}");
    }
    // A kustomization with such a comment is followed, and a broken file is never clean.
    let patch = "#@ ours\nresources: [a.yaml]\npatches:\n- patch: |-\n    apiVersion: policy/v1beta1\n    kind: PodDisruptionBudget\n    metadata: {name: x}\n    spec: {minAvailable: 2}\n";
    let manifest = format!("{budget}{count}");
    let tree = Tree::of(&[("kustomization.yaml", patch), ("a.yaml", &manifest)]);
    apply(&tree, CURRENT).check(0);
    assert_eq!(tree.text("kustomization.yaml"), patch.replace("v1beta1", "v1"));
    let broken = Tree::of(&[("a.yaml", "groups: [policy/v1beta1\n{% if x %}\n")]).run(&["check", "--to", CURRENT, "."]);
    assert!(broken.code == Some(1) && broken.out.contains("unresolved[template]"), "{}", broken.all());
    // These are comments, and no code.
    for comment in ["#@param x", "# @ x", "#@", "#@owner/team", "## @ x"] {
        let text = format!("{comment}\n{budget}{count}");
        let tree = Tree::of(&[("a.yaml", &text)]);
        apply(&tree, CURRENT).check(0);
        assert_eq!(tree.text("a.yaml"), text.replace("v1beta1", "v1"), "{comment}");
    }
}

#[test]
fn files_with_actions_beside_no_chart_are_no_templates_of_a_chart() {
    let text = "{{- if .Values.on }}\napiVersion: policy/v1beta1\nkind: PodDisruptionBudget\n{{- end }}\n";
    for path in ["templates/a.yaml", "a.yaml"] {
        let tree = Tree::of(&[(path, text)]);
        let run = apply(&tree, CURRENT);
        says(&run, &format!("{path}:1:3: unresolved[template]"), "was skipped");
        assert_eq!(tree.text(path), text);
    }
}

#[test]
fn raw_objects_in_values_are_converted() {
    converts(
        r#"
{{- range .Values.extraObjects }}
---
{{ tpl (toYaml .) $ }}
{{- end }}
=== values.yaml
extraObjects:
- apiVersion: policy/v1beta1
  kind: PodDisruptionBudget
  metadata: {name: "{{ .Release.Name }}"}
  spec: {minAvailable: 1, selector: {matchLabels: {app: x}}}
"#,
        r#"
=== values.yaml
extraObjects:
- apiVersion: policy/v1
  kind: PodDisruptionBudget
  metadata: {name: "{{ .Release.Name }}"}
  spec: {minAvailable: 1, selector: {matchLabels: {app: x}}}
"#,
    );
}

#[test]
fn a_comment_of_the_template_acknowledges_a_finding() {
    let ingress = "networking.k8s.io/v1beta1@\nkind: Ingress\nmetadata:\n  name: x\nspec:\n  backend:\n    serviceName: a\n    servicePort: {{ .Values.port }}\n";
    let ignore = "reversion: ignore[not-convertible] by hand";
    let above = [
        format!("# {ignore}\n"),
        format!("{{{{- /* {ignore} */}}}}\n"),
        format!("{{{{- /* {ignore} */ -}}}}\n"),
        format!("{{{{/*\n  {ignore}\n  as long as it works\n*/}}}}\n"),
        format!("{{{{/* {ignore} */}}}}\n{{{{- if .Values.on -}}}}\n"),
    ];
    for comment in above {
        let end = if comment.contains("if ") { "{{- end }}\n" } else { "" };
        needs_nothing(&format!("{comment}apiVersion: {}{end}", ingress.replace('@', "")), 0);
    }
    for comment in [format!(" # {ignore}"), format!(" {{{{/* {ignore} */}}}}"), format!(" {{{{- /* {ignore} */}}}}")] {
        needs_nothing(&format!("apiVersion: {}", ingress.replace('@', &comment)), 0);
    }
}

#[test]
fn a_template_that_names_no_group_is_read() {
    let helper = "{{- define \"budget.version\" -}}policy/v1beta1{{- end -}}\n";
    // The helper prints it, and is not asked for it elsewhere: it is told at the call.
    let text =
        format!("apiVersion: {{{{ include \"budget.version\" . }}}}\n@budget\n=== templates/_helpers.tpl\n{helper}");
    let run = becomes(&text, &text, CURRENT, 1);
    says(&run, "templates/a.yaml:1:13: held-back[template-action]", "stands in what must change");
}

/// A group by itself is what references have.
#[test]
fn a_group_that_an_action_prints_is_told_where_a_kind_leaves_it() {
    let route = |group: &str| {
        format!(
            "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {{name: a}}\nspec:\n  rules:\n  - backendRefs:\n    - group: {group}\n      kind: InferencePool\n      name: x\n"
        )
    };
    let says = |text: &str, target: &str, place: &str, what: &str| {
        let run = becomes(text, text, target, 1);
        says(&run, place, &format!("{what} prints inference.networking.x-k8s.io, which InferencePool left"));
    };
    let action = "{{ .Values.group | default \"inference.networking.x-k8s.io\" }}";
    says(&route(action), "gie@1.4", "templates/a.yaml:7:14: unresolved[reference-not-updated]", &format!("`{action}`"));
    let helper = "=== templates/_h.tpl\n{{- define \"group\" -}}\ninference.networking.x-k8s.io\n{{- end }}\n";
    let called = route("{{ include \"group\" . }}") + helper;
    says(&called, "gie@1.4", "templates/_h.tpl:2:1: unresolved[reference-not-updated]", "the definition group");
    let chosen = "{{- define \"group\" -}}\n{{- if semverCompare \">=1.10-0\" .Capabilities.KubeVersion.Version -}}\n{{- print \"inference.networking.k8s.io\" -}}\n{{- else -}}\n{{- print \"inference.networking.x-k8s.io\" -}}\n{{- end -}}\n{{- end -}}\n";
    let chosen = format!("a: {{{{ include \"group\" . }}}}\n=== templates/_h.tpl\n{chosen}");
    assert!(!becomes(&chosen, &chosen, "gie@1.4", 3).all().contains("reference-not-updated"));
    // A target that has the group, and a condition that asks the cluster.
    let old = route(action);
    assert!(!becomes(&old, &old, "gie@0.3", 3).all().contains("reference-not-updated"));
    let asks = "{{- if .Capabilities.APIVersions.Has \"inference.networking.x-k8s.io/v1alpha2\" }}\na: b\n{{- end }}\n";
    assert!(!becomes(asks, asks, "gie@1.4", 3).all().contains("reference-not-updated"));
}

#[test]
fn an_api_version_that_nothing_shows_is_told_once_with_all_places() {
    let version = "apiVersion: {{ .Values.version }}\n@budget\n";
    let text = format!("{version}=== templates/b.yaml\n{version}---\n{version}");
    let run = becomes(&text, &text, CURRENT, 1);
    says(
        &run,
        "templates/a.yaml:1:1: unresolved[template-action]",
        "the apiVersion of an object is `{{ .Values.version }}`",
    );
    says(&run, "also templates/b.yaml:1:1", "");
    says(&run, "also templates/b.yaml:11:1", "");
    assert_eq!(run.all().matches("unresolved[template-action]").count(), 1, "{}", run.all());
    // What is accepted in one file is not in the other, nor in a new one.
    let tree = chart(&text, "\n");
    let check = |arguments: &[&str]| tree.run(&[&["check", "--to", CURRENT][..], arguments].concat());
    std::fs::rename(tree.path("templates/b.yaml"), tree.path("b")).unwrap();
    check(&["--write-baseline", "known.json"]).check(0);
    check(&["--baseline", "known.json"]).check(0);
    std::fs::rename(tree.path("b"), tree.path("templates/b.yaml")).unwrap();
    let run = check(&["--baseline", "known.json"]);
    run.check(1);
    says(&run, "templates/b.yaml:1:1: unresolved[template-action]", "");
}

#[test]
fn a_kind_of_no_target_may_have_any_api_version() {
    let text = "apiVersion: {{ .Values.version }}\nkind: Lamp\nmetadata:\n  name: x\n";
    let tree = chart(&format!("{text}=== templates/b.yaml\napiVersion: policy/v1\n@budget\n"), "\n");
    apply(&tree, CURRENT).check(0);
}

#[test]
fn a_template_of_unknown_kinds_that_cannot_be_read_is_no_alarm() {
    let text = |kind: &str| format!("apiVersion: {{{{ .Values.version }}}}\nkind: {kind}\nspec: [\n");
    apply(&chart(&format!("{}=== templates/b.yaml\napiVersion: policy/v1\n@budget\n", text("Lamp")), "\n"), CURRENT)
        .check(0);
    let run = apply(&chart(&text("PodDisruptionBudget"), "\n"), CURRENT);
    run.check(1);
    says(&run, "templates/a.yaml:", "unresolved[template]");
}

#[test]
fn listed_definitions_are_read_where_their_chart_is_not_listed() {
    let helper = "=== templates/_budget.tpl\n{{- define \"budget\" -}}\napiVersion: policy/v1beta1\n@budget\n{{- end -}}\n=== list\ntemplates/_budget.tpl\n";
    let run = chart(helper, "\n").run(&["check", "--to", CURRENT, "--files-from", "list", "."]);
    run.check(1);
    assert!(run.all().contains("templates/_budget.tpl"), "{}", run.all());
}

#[test]
fn definitions_of_a_library_chart_are_converted_where_no_template_names_a_group() {
    let library = |version: &str| {
        format!(
            "=== templates/_budget.tpl\n{{{{- define \"budget\" -}}}}\napiVersion: {version}\n@budget\n{{{{- end -}}}}\n"
        )
    };
    converts(&library("policy/v1beta1"), &library("policy/v1"));
}
