//! Charts whose templates compute what they print with functions of Helm: what that is by default is known, or it is told that it is not.

use std::fs;

use super::templates::{CHART, CURRENT, becomes, chart, converts, held, needs_nothing, says};

/// The beginning of messages about what is printed by default.
const BY_DEFAULT: &str = "where the users of the chart set nothing else, ";

/// Returns a Deployment whose pods have annotations that these lines print.
fn deployment(before: &str, annotations: &str, values: &str) -> String {
    format!(
        "{before}apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec:\n  selector: {{matchLabels: {{app: web}}}}\n  template:\n    metadata:\n      labels: {{app: web}}\n      annotations: {annotations}\n    spec: {{containers: [{{name: a, image: b}}]}}\n=== values.yaml\n{values}"
    )
}

#[test]
fn annotations_that_functions_make_are_looked_at() {
    let values = |extra: &str| format!("a: {{x: y}}\nempty: {{}}\nextra: {extra}\n");
    for (before, action) in [
        ("", "{{- toYaml (merge .Values.a .Values.extra) | nindent 8 }}"),
        ("", "{{- toYaml (mergeOverwrite (dict) .Values.a .Values.extra) | nindent 8 }}"),
        ("", "{{- toYaml (omit .Values.extra \"x\") | nindent 8 }}"),
        ("", "{{- toYaml (pick .Values.extra \"seccomp.security.alpha.kubernetes.io/pod\") | nindent 8 }}"),
        ("", "{{ toJson (deepCopy .Values.extra) }}"),
        ("", "{{- toYaml (coalesce .Values.empty .Values.extra) | nindent 8 }}"),
        ("", "{{- toYaml (fromYaml (toYaml .Values.extra)) | nindent 8 }}"),
        ("", "{{- tpl (toYaml .Values.extra) . | nindent 8 }}"),
        ("{{- $all := dict \"x\" \"y\" }}\n{{- $_ := merge $all .Values.extra }}\n", "{{- toYaml $all | nindent 8 }}"),
        (
            "{{- define \"each\" }}{{ range $key, $value := .all }}{{ $key }}: {{ $value | quote }}\n{{ end }}{{ end }}\n",
            "{{- include \"each\" (dict \"all\" .Values.extra) | nindent 8 }}",
        ),
    ] {
        held(
            &deployment(before, action, &values("{seccomp.security.alpha.kubernetes.io/pod: runtime/default}")),
            "",
            &format!("{BY_DEFAULT}an action prints spec.template.metadata.annotations[\"seccomp"),
        );
        needs_nothing(&deployment(before, action, &values("{x: y}")), 0);
    }
    let set =
        "{{- $all := dict }}\n{{- $_ := set $all \"seccomp.security.alpha.kubernetes.io/pod\" .Values.profile }}\n";
    held(&deployment(set, "{{- toYaml $all | nindent 8 }}", "profile: runtime/default\n"), "", BY_DEFAULT);
}

#[test]
fn what_functions_make_of_values_is_told_once_where_it_is_not_known() {
    let action = "{{- regexReplaceAll \"x\" (toYaml .Values.a) \"y\" | nindent 8 }}";
    let own = deployment("", action, "");
    let own = own.split("===").next().unwrap();
    let both = format!("{own}---\n{own}=== values.yaml\na: {{x: y}}\n");
    let run = becomes(&both, &both, CURRENT, 1);
    says(
        &run,
        "",
        "has no known default in the chart; for some of what its users can set, spec.template.metadata.annotations[\"seccomp",
    );
    says(&run, "", "  also templates/a.yaml:");
    assert_eq!(run.all().matches("has no known default").count(), 1, "{}", run.all());
}

#[test]
fn an_empty_selector_that_functions_make_is_refused() {
    let budget = |version: &str, labels: &str| {
        format!(
            "apiVersion: policy/{version}\nkind: PodDisruptionBudget\nmetadata: {{name: x}}\nspec:\n  minAvailable: 1\n  selector:\n    matchLabels: {{{{- toYaml ({labels}) | nindent 6 }}}}\n=== values.yaml\nlabels: {{app: x}}\nempty: {{}}\n"
        )
    };
    for labels in ["omit .Values.labels \"app\"", "pick .Values.labels \"name\"", "merge .Values.empty (dict)"] {
        held(&budget("v1beta1", labels), "", &format!("{BY_DEFAULT}an empty selector"));
    }
    for labels in ["omit .Values.labels \"name\"", "pick .Values.labels \"app\"", "merge .Values.empty .Values.labels"]
    {
        converts(&budget("v1beta1", labels), budget("v1", labels).split("===").next().unwrap());
    }
    let unknown = "regexReplaceAll \"a\" .Values.labels \"\" | fromYaml";
    let run = becomes(&budget("v1beta1", unknown), budget("v1", unknown).split("===").next().unwrap(), CURRENT, 1);
    says(&run, "", "has no known default in the chart; for some of what its users can set, an empty");
}

#[test]
fn a_version_that_functions_make_is_known() {
    for (action, values) in [
        ("{{ tpl .Values.version . }}", "version: 'policy/{{ .Values.short }}'\nshort: v1beta1\n"),
        ("{{ dig \"b\" \"c\" \"policy/v1beta1\" .Values.a }}", "a: {b: {}}\n"),
        ("{{ .Values.version | replace \"alpha\" \"beta\" }}", "version: policy/v1alpha1\n"),
        ("{{ first .Values.versions }}", "versions: [policy/v1beta1]\n"),
        ("{{ (merge (dict) .Values.a).version }}", "a: {version: policy/v1beta1}\n"),
    ] {
        let own = format!("apiVersion: {action}\n@budget\n=== values.yaml\n{values}");
        let run = becomes(&own, &own, CURRENT, 1);
        says(&run, "", "by default that is policy/v1beta1, which the target does not serve");
        says(&run, "help:", &format!("let `{action}` print policy/v1 by default"));
    }
}

#[test]
fn what_is_to_be_written_into_the_values_is_said_where_it_is_written() {
    let advice = |version: &str, values: &str, expected: &str| {
        let own = format!("apiVersion: {version}\n@budget\n=== values.yaml\n{values}");
        says(&becomes(&own, &own, CURRENT, 1), "help:", expected);
    };
    advice("policy/v1{{ .Values.beta }}", "beta: beta1\n", "write \"\" at beta in line 1 of values.yaml");
    advice(
        "{{ .Values.version }}",
        "all: &old policy/v1beta1\nversion: *old\n",
        "write policy/v1 at version, which the anchor &old has, in line 1 of values.yaml",
    );
    advice(
        "{{ .Values.budget.version }}",
        "all: &old\n  size: 1\n  version: policy/v1beta1\nbudget: *old\n",
        "write policy/v1 at budget.version, which the anchor &old has, in line 3 of values.yaml",
    );
    let both = "apiVersion: policy/{{ .Values.version }}\n@budget\n---\napiVersion: batch/{{ .Values.version }}\nkind: CronJob\nmetadata: {name: x}\nspec: {schedule: '* * * * *', jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}}}\n=== values.yaml\nversion: v1beta1\n";
    let run = becomes(both, both, CURRENT, 1);
    says(&run, "", "write v1 at version in line 1 of values.yaml");
}

#[test]
fn a_part_of_a_version_that_is_empty_is_one() {
    let own = "apiVersion: policy/v1{{ .Values.beta }}\n@budget\n=== values.yaml\nbeta: ''\n";
    says(&becomes(own, own, CURRENT, 0), "", "by default that is policy/v1, which the target serves");
}

#[test]
fn one_key_that_decides_for_several_apis_is_not_to_be_changed() {
    let own = "apiVersion: policy/{{ .Values.version }}\n@budget\n---\napiVersion: discovery.k8s.io/{{ .Values.version }}\nkind: EndpointSlice\nmetadata: {name: x}\naddressType: IPv4\nendpoints: []\n---\napiVersion: flowcontrol.apiserver.k8s.io/{{ .Values.version }}\nkind: PriorityLevelConfiguration\nmetadata: {name: x}\nspec: {type: Exempt}\n=== values.yaml\nversion: v1beta1\n";
    let run = becomes(own, own, "kubernetes@1.26", 1);
    says(&run, "", "version decides for several APIs, which want v1, v1beta3: give each a key of its own");
}

#[test]
fn two_spellings_of_a_key_are_one() {
    let own = "apiVersion: {{ .Values.version }}\n@budget\n=== templates/b.yaml\napiVersion: {{ index .Values \"version\" }}\n@budget\n=== templates/c.yaml\n{{- range .Values.list }}\n---\napiVersion: {{ $.Values.version | quote }}\n@budget\n{{- end }}\n=== values.yaml\nlist: [a]\nversion: policy/v1beta1\n";
    says(
        &becomes(own, own, CURRENT, 1),
        "",
        "the apiVersion of an object is `{{ .Values.version }}`: by default that is policy/v1beta1",
    );
}

#[test]
fn a_kind_that_values_decide_is_the_one_by_default() {
    let own = |version: &str, kind: &str, rest: &str| {
        format!(
            "apiVersion: policy/{version}\nkind: {kind}\nmetadata: {{name: x}}\nspec: {{minAvailable: 1, selector: {{matchLabels: {{app: x}}}}}}\n{rest}"
        )
    };
    for (kind, values) in [
        ("{{ .Values.kind }}", "kind: PodDisruptionBudget"),
        ("{{ .Values.kind | default \"PodDisruptionBudget\" }}", "kind: ''"),
    ] {
        let values = format!("=== values.yaml\n{values}\n");
        says(
            &becomes(&own("v1beta1", kind, &values), &own("v1", kind, ""), CURRENT, 0),
            "templates/a.yaml:1:1: warning[template-action]",
            "by default that is PodDisruptionBudget; users of the chart can set another one",
        );
    }
    let seccomp = |kind: &str, values: &str| {
        deployment("", "{seccomp.security.alpha.kubernetes.io/pod: runtime/default}", values)
            .replace("kind: Deployment", &format!("kind: {kind}"))
    };
    for (kind, values) in [
        ("{{ .Values.kind | default \"Deployment\" }}", "kind:\n"),
        ("{{ if .Values.daemon }}DaemonSet{{ else }}Deployment{{ end }}", "daemon: false\n"),
        ("{{ ternary \"DaemonSet\" \"Deployment\" .Values.daemon }}", "daemon: false\n"),
    ] {
        let run = becomes(
            &seccomp(kind, values),
            &seccomp(kind, values).split("===").next().unwrap().replace(
                "      annotations: {seccomp.security.alpha.kubernetes.io/pod: runtime/default}\n    spec: {containers: [{name: a, image: b}]}",
                "    spec: {containers: [{name: a, image: b}], securityContext: {seccompProfile: {type: RuntimeDefault}}}",
            ),
            CURRENT,
            0,
        );
        assert!(!run.all().contains("unresolved"), "{}", run.all());
    }
}

#[test]
fn the_head_of_an_object_in_the_values_is_told() {
    held(
        "{{ toYaml .Values.head }}\nmetadata: {name: x}\nspec: {minAvailable: 1, selector: {matchLabels: {app: x}}}\n=== values.yaml\nhead: {apiVersion: policy/v1beta1, kind: PodDisruptionBudget}\n",
        "values.yaml: unresolved[not-an-object]",
        "a part of an object of policy/v1beta1",
    );
}

/// Returns an Ingress with this path type.
fn ingress(path_type: &str, rest: &str) -> String {
    format!(
        "apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata: {{name: x}}\nspec:\n  rules:\n  - http:\n      paths:\n      - path: /\n        pathType: {path_type}\n        backend: {{serviceName: a, servicePort: 80}}\n{rest}"
    )
}

/// Returns that in the newer version.
fn newer(ingress: &str) -> String {
    let new = ingress.replace("v1beta1", "v1");
    let new = new.replace("{serviceName: a, servicePort: 80}", "{service: {name: a, port: {number: 80}}}");
    new.split("===").next().unwrap().to_owned()
}

#[test]
fn what_only_the_target_requires_and_is_not_printed_is_told() {
    let helper = "=== templates/_h.tpl\n{{- define \"type\" }}{{ .Values.type }}{{ end }}\n";
    for action in [
        "{{ .Values.type | default \"\" }}",
        "{{ include \"type\" . }}",
        "{{ coalesce .Values.type .Values.other \"\" }}",
    ] {
        held(
            &ingress(action, &format!("{helper}=== values.yaml\ntype: ''\n")),
            "",
            &format!("{BY_DEFAULT}an action prints nothing at spec.rules[0].http.paths[0].pathType"),
        );
    }
    let missing = ingress("{{ .Values.type }}", "=== values.yaml\nother: 1\n");
    let run = becomes(&missing, &newer(&missing), CURRENT, 1);
    says(
        &run,
        "",
        "`{{ .Values.type }}` has no known default in the chart; for some of what its users can set, as nothing, ",
    );
    for action in ["{{ required \"set it\" .Values.type }}", "{{ .Values.type | default \"Prefix\" }}"] {
        let own = ingress(action, "=== values.yaml\nother: 1\n");
        converts(&own, &newer(&own));
    }
}

#[test]
fn what_an_action_prints_as_nothing_decides_what_becomes_of_what_is_beside_it() {
    let own = |values: &str| {
        format!(
            "apiVersion: autoscaling/v2beta1\nkind: HorizontalPodAutoscaler\nmetadata: {{name: x}}\nspec:\n  scaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, name: x}}\n  maxReplicas: 3\n  metrics:\n  - type: Resource\n    resource:\n      name: cpu\n      targetAverageUtilization: {{{{ .Values.share }}}}\n      targetAverageValue: 100m\n=== values.yaml\n{values}"
        )
    };
    held(&own("share:\n"), "", &format!("{BY_DEFAULT}what an action prints decides"));
}

#[test]
fn a_chart_inside_of_another_one_is_told_by_what_is_printed() {
    let own = |other: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: x}}\n=== values.yaml\none: {{version: policy/v1}}\ntwo: {{version: {other}}}\n=== charts/sub/Chart.yaml\napiVersion: v2\nname: sub\nversion: 1.0.0\n=== charts/sub/values.yaml\nversion: policy/v1\n=== charts/sub/templates/a.yaml\napiVersion: {{{{ .Values.version }}}}\n@budget\n"
        )
    };
    let check = |other: &str, path: &str| {
        let tree = chart(&own(other), "\n");
        let listed = format!(
            "{CHART}dependencies:\n- {{name: sub, version: 1.0.0, alias: one}}\n- {{name: sub, version: 1.0.0, alias: two}}\n"
        );
        fs::write(tree.path("Chart.yaml"), listed).unwrap();
        tree.run(&["check", "--to", CURRENT, path])
    };
    says(
        &check("policy/v1beta1", "."),
        "values.yaml: unresolved[template]",
        "the chart sub, which another one brings, prints policy/v1beta1, which the target does not serve",
    );
    says(
        &check("policy/v1beta1", "charts/sub"),
        "charts/sub/Chart.yaml: unresolved[template]",
        "a chart around it prints it as two too, with policy/v1beta1 in its values",
    );
    for path in [".", "charts/sub"] {
        assert!(!check("policy/v1", path).all().contains("unresolved"));
    }
}

#[test]
fn a_chart_inside_of_another_one_is_told_by_what_its_definitions_print() {
    let own = |helper: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: x}}\n=== charts/sub/Chart.yaml\napiVersion: v2\nname: sub\nversion: 1.0.0\n=== charts/sub/templates/_h.tpl\n{{{{- define \"sub.api\" -}}}}{helper}{{{{- end -}}}}\n=== charts/sub/templates/a.yaml\napiVersion: {{{{ include \"sub.api\" . }}}}\n@budget\n"
        )
    };
    let chain = |old: &str, new: &str| {
        format!(
            "{{{{ if semverCompare \"<1.21-0\" .Capabilities.KubeVersion.Version }}}}{old}{{{{ else }}}}{new}{{{{ end }}}}"
        )
    };
    let check = |helper: &str| chart(&own(helper), "\n").run(&["check", "--to", CURRENT]);
    for helper in
        ["policy/v1beta1", "{{ printf \"%s/%s\" \"policy\" \"v1beta1\" }}", &chain("policy/v1beta1", "policy/v1beta1")]
    {
        says(
            &check(helper),
            "charts/sub/templates/a.yaml: unresolved[template]",
            "the chart sub, which another one brings, prints policy/v1beta1, which the target does not serve",
        );
    }
    for helper in ["policy/v1", &chain("policy/v1beta1", "policy/v1")] {
        assert!(!check(helper).all().contains("unresolved"), "{helper}");
    }
    let made = |version: &str| {
        let text = own("").replace(
            "apiVersion: {{ include \"sub.api\" . }}\n@budget\n",
            &format!("{{{{ toYaml (dict \"apiVersion\" (printf \"policy/%s\" \"{version}\") \"kind\" \"PodDisruptionBudget\") }}}}\n"),
        );
        chart(&text, "\n")
            .run(&["check", "--to", CURRENT])
            .all()
            .contains("the chart sub, which another one brings, prints policy/v1beta1")
    };
    assert!(made("v1beta1") && !made("v1"));
}
