//! Definitions of other charts that print whole objects, and those that change what the templates after them read.

use super::templates::{CURRENT, becomes, converts, held, needs_nothing, says};
use crate::support::trees::{Run, Tree};

const MADE: &str = "prints what a definition of another chart makes, which is not converted";

#[test]
fn an_object_of_an_unknown_definition_is_told_whatever_that_is_called_with() {
    for call in [
        r#"{{ include "lib.pdb" (dict "root" . "name" "q") }}"#,
        r#"{{- template "lib.pdb" (dict "root" $) }}"#,
        r#"{{ include "lib.pdb" .Values.budget }}"#,
        r#"{{ include "lib.pdb" (list "a" $) | nindent 0 }}"#,
        r#"{{ include "lib.pdb" (dict "values" .Values.off) | indent 0 }}"#,
        "{{- range .Values.names }}\n---\n{{ include \"lib.pdb\" (dict \"root\" $ \"name\" .) }}\n{{- end }}",
        "# Of the library.\n{{- include \"lib.pdb\" (dict \"root\" $\n  \"name\" \"q\") }}",
    ] {
        let values = "=== values.yaml\nbudget: {minAvailable: 1}\nnames: [a]\noff: {enabled: false}\n";
        held(&format!("{call}\n{values}"), "templates/a.yaml:", MADE);
        held(&format!("apiVersion: policy/v1\n@budget\n---\n{call}\n{values}"), "templates/a.yaml:", MADE);
        // Beside what no pack knows, too.
        let other = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
        held(&format!("{other}---\n{call}\n{values}"), "templates/a.yaml:", MADE);
        held(&format!("{call}\n---\n{other}{values}"), "templates/a.yaml:", MADE);
        // Of what is a part of an object, nothing is said.
        let beside = format!("apiVersion: policy/v1\n@budget\n{}\n{values}", call.lines().next().unwrap());
        if call.lines().count() == 1 {
            assert!(!becomes(&beside, &beside, CURRENT, 0).all().contains(MADE));
        }
    }
}

#[test]
fn values_that_are_empty_or_objects_are_told_by_no_definition() {
    for call in [
        r#"{{ include "lib.render" (dict "value" .Values.extra "context" $) }}"#,
        "{{- range .Values.extra }}\n---\n{{ include \"lib.render\" (dict \"value\" . \"context\" $) }}\n{{- end }}",
        "{{- with .Values.extra }}\n{{ include \"lib.render\" (dict \"value\" . \"context\" $) }}\n{{- end }}",
    ] {
        for extra in ["extra: []\n", "extra:\n", "other: []\n"] {
            let chart = format!("apiVersion: policy/v1\n@budget\n---\n{call}\n=== values.yaml\n{extra}");
            assert!(!becomes(&chart, &chart, CURRENT, 0).all().contains(MADE), "{call} {extra}");
        }
    }
}

/// Runs `check` over folders of a tree with a chart and its library, which stands beside it, as a path from the chart leads to it.
fn beside(version: &str, folders: &[&str], code: i32) -> Run {
    let library = format!(
        "{{{{- define \"lib.pdb\" }}}}\napiVersion: policy/{version}\nkind: PodDisruptionBudget\nmetadata: {{name: {{{{ .name }}}}}}\nspec: {{maxUnavailable: 1, selector: {{matchLabels: {{a: b}}}}}}\n{{{{- end }}}}\n"
    );
    let tree = Tree::of(&[
        (
            "charts/shop/Chart.yaml",
            "apiVersion: v2\nname: shop\nversion: 1.0.0\ndependencies: [{name: lib, version: 1.0.0, repository: \"file://../../lib\"}]\n",
        ),
        ("charts/shop/templates/a.yaml", "{{ include \"lib.pdb\" (dict \"name\" \"a\") }}\n"),
        ("lib/Chart.yaml", "apiVersion: v2\nname: lib\ntype: library\nversion: 1.0.0\n"),
        ("lib/templates/_p.tpl", &library),
    ]);
    let run = tree.run(&[&["check", "--allow-empty", "--to", CURRENT], folders].concat());
    run.check(code);
    run
}

#[test]
fn a_library_beside_a_chart_is_read() {
    // What is old is converted where it stands, if that is in the run.
    assert!(!beside("v1", &["."], 0).all().contains(MADE));
    assert!(!beside("v1", &["charts/shop"], 0).all().contains(MADE));
    let run = beside("v1beta1", &["."], 1);
    assert!(!run.all().contains(MADE), "{}", run.all());
    says(&run, "lib/templates/_p.tpl:2:1: PodDisruptionBudget", "policy/v1beta1 -> policy/v1");
    says(
        &beside("v1beta1", &["charts/shop"], 1),
        "charts/shop/templates/a.yaml:1:1: held-back[template-action] PodDisruptionBudget a",
        "stands in what must change",
    );
}

#[test]
fn a_definition_that_sets_a_key_leaves_the_values_known() {
    let budget = |before: &str| {
        format!(
            "{before}\napiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {{name: a}}\nspec:\n  {{{{- toYaml .Values.pdb | nindent 2 }}}}\n=== templates/_h.tpl\n{{{{- define \"mode\" }}}}{{{{- $_ := set . \"mode\" \"x\" }}}}{{{{- $_ := set . \"other\" .mode }}}}{{{{- end }}}}\n{{{{- define \"values\" }}}}{{{{- $_ := set . \"Values\" (dict) }}}}{{{{- end }}}}\n=== values.yaml\npdb: {{minAvailable: 1, selector: {{}}}}\n"
        )
    };
    let held = |before: &str, part: &str| {
        let chart = budget(before);
        says(&becomes(&chart, &chart, CURRENT, 1), "templates/a.yaml:", part);
    };
    let empty = "an empty selector selects no pod in policy/v1beta1";
    held("{{- template \"mode\" . }}", empty);
    held("{{- $_ := include \"mode\" $ }}", empty);
    held("{{- $_ := unset . \"mode\" }}", empty);
    // What takes the place of the values has no selector that is known.
    assert!(
        !becomes(
            &budget("{{- template \"values\" . }}"),
            &budget("{{- template \"values\" . }}").replace("v1beta1", "v1"),
            CURRENT,
            0
        )
        .all()
        .contains(empty)
    );
}

#[test]
fn functions_that_look_values_up_are_computed() {
    let budget = |action: &str| {
        format!(
            "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {{name: a}}\nspec:\n  {{{{- {action} | toYaml | nindent 2 }}}}\n=== values.yaml\nenv: prod\npdb: {{_default: {{minAvailable: 1, selector: {{}}}}, dev: {{minAvailable: 2}}}}\n"
        )
    };
    for action in [
        "pluck .Values.env .Values.pdb | first | default .Values.pdb._default",
        "pluck \"_default\" .Values.pdb | first",
        "dig \"pdb\" \"_default\" (dict) .Values.AsMap",
        "get (get .Values.AsMap \"pdb\") \"_default\"",
    ] {
        held(&budget(action), "templates/a.yaml:4:1: held-back[not-convertible]", "an empty selector selects no pod");
    }
    let own = budget("pluck \"dev\" .Values.pdb | first");
    converts(&own, &own.replace("policy/v1beta1", "policy/v1"));
}

#[test]
fn numbers_of_turns_are_known() {
    let job = |schedule: &str| {
        format!(
            "{{{{- range $i := until 3 }}}}\n---\napiVersion: batch/v1\nkind: CronJob\nmetadata: {{name: x-{{{{ $i }}}}}}\nspec:\n  schedule: \"{schedule}\"\n  jobTemplate: {{spec: {{template: {{spec: {{restartPolicy: Never, containers: [{{name: a, image: b}}]}}}}}}}}\n{{{{- end }}}}\n"
        )
    };
    needs_nothing(&job("{{ $i }} 2 * * *"), 0);
}
