//! Charts whose default values, or whose other charts, decide what templates print.

use super::templates::{
    CURRENT, apply, becomes, chart, converts, converts_in_part, held, needs_nothing, needs_nothing_and_says, says,
};

#[test]
fn a_kind_of_the_core_group_is_converted_where_nothing_names_a_group() {
    let service = |family: &str| {
        format!("apiVersion: v1\nkind: Service\nmetadata: {{name: web}}\nspec:\n{family}  ports: [{{port: 80}}]\n")
    };
    converts(
        &service("  ipFamily: {{ .Values.family }}\n"),
        &service("  ipFamilyPolicy: SingleStack\n  ipFamilies:\n  - {{ .Values.family }}\n"),
    );
    needs_nothing(&service("  clusterIP: {{ .Values.ip }}\n"), 3);
}

/// Returns a PodDisruptionBudget that selects by these labels, before or after.
fn budget(version: &str, labels: &str, rest: &str) -> String {
    format!(
        "apiVersion: policy/{version}\nkind: PodDisruptionBudget\nmetadata:\n  name: x\nspec:\n  selector:\n    matchLabels:\n{labels}{rest}"
    )
}

#[test]
fn labels_that_the_values_of_the_chart_have_not_are_an_empty_selector() {
    let helper = "=== templates/_h.tpl\n{{- define \"labels\" }}\n{{- if .Values.on }}\na: b\n{{- end }}\n{{- end }}\n";
    for (labels, rest) in [
        ("      {{- toYaml .Values.labels | nindent 6 }}\n", "=== values.yaml\nlabels: {}\n"),
        ("      {{- toYaml .Values.labels | nindent 6 }}\n", ""),
        ("      {{- include \"labels\" . | nindent 6 }}\n", helper),
    ] {
        held(
            &budget("v1beta1", labels, rest),
            "templates/a.yaml:6:3: held-back[not-convertible] PodDisruptionBudget x",
            "where the users of the chart set nothing else, an empty selector selects no pod",
        );
    }
}

#[test]
fn labels_that_are_printed_in_any_case_are_a_selector() {
    let helper = "=== templates/_h.tpl\n{{- define \"labels\" }}\na: {{ .Release.Name }}\n{{- end }}\n";
    for (labels, rest) in [
        ("      {{- toYaml .Values.labels | nindent 6 }}\n", "=== values.yaml\nlabels: {a: b}\n"),
        ("      {{- toYaml .Values.labels | nindent 6 }}\n      c: d\n", "=== values.yaml\nlabels: {}\n"),
        (
            "      {{- if .Values.labels }}\n      {{- toYaml .Values.labels | nindent 6 }}\n      {{- else }}\n      a: b\n      {{- end }}\n",
            "=== values.yaml\nlabels: {}\n",
        ),
        ("      {{- include \"labels\" . | nindent 6 }}\n", helper),
        ("      {{- include \"library.labels\" . | nindent 6 }}\n", ""),
    ] {
        converts(&budget("v1beta1", labels, rest), &budget("v1", labels, ""));
    }
}

#[test]
fn a_value_that_a_rule_refuses_is_found_in_the_values_of_the_chart() {
    let webhook = |effects: &str| {
        format!(
            "apiVersion: admissionregistration.k8s.io/v1beta1\nkind: ValidatingWebhookConfiguration\nmetadata: {{name: web}}\nwebhooks:\n- name: a.b.c\n  sideEffects: {{{{ {effects} }}}}\n  failurePolicy: Fail\n  matchPolicy: Exact\n  timeoutSeconds: 5\n  admissionReviewVersions: [v1]\n  clientConfig: {{url: \"https://a\"}}\n=== values.yaml\nold: Unknown\nnew: None\n"
        )
    };
    for effects in
        [".Values.old", ".Values.old | quote", "default \"Some\" .Values.unset", ".Values.unset | default .Values.old"]
    {
        held(
            &webhook(effects),
            "templates/a.yaml:4:1: held-back[not-convertible]",
            "where the users of the chart set nothing else, v1 accepts only webhooks with sideEffects",
        );
    }
    for effects in [".Values.new", "default .Values.old .Values.new"] {
        let after = webhook(effects).replace("k8s.io/v1beta1", "k8s.io/v1");
        converts(&webhook(effects), after.split("===").next().unwrap());
    }
}

#[test]
fn what_is_refused_whatever_an_action_prints_is_held_back() {
    let job = |schedule: &str| {
        format!(
            "apiVersion: batch/v1\nkind: CronJob\nmetadata: {{name: x}}\nspec:\n  schedule: {schedule}\n  jobTemplate: {{spec: {{template: {{spec: {{restartPolicy: Never, containers: [{{name: a, image: b}}]}}}}}}}}\n=== values.yaml\nold: TZ=UTC 0 3 * * *\nnew: 0 3 * * *\n"
        )
    };
    for schedule in [
        "\"TZ=UTC {{ .Values.new }}\"",
        "\"{{ if .Values.zone }}TZ={{ .Values.zone }} {{ end }}0 3 * * *\"",
        "{{ .Values.old | quote }}",
    ] {
        held(&job(schedule), "templates/a.yaml:5:3: held-back[invalid-in-target] CronJob x", "no CronJob with TZ=");
    }
    needs_nothing(&job("{{ .Values.new | quote }}"), 0);
}

#[test]
fn a_constraint_without_a_pre_release_is_told_once_for_each_chart() {
    let version = |constraint: &str| {
        format!(
            "{{{{- if semverCompare \"{constraint}\" .Capabilities.KubeVersion.Version }}}}\napiVersion: policy/v1\n{{{{- else }}}}\napiVersion: policy/v1beta1\n{{{{- end }}}}\n@budget\n---\n"
        )
    };
    let twice = version(">=1.21").repeat(2);
    needs_nothing_and_says(
        &twice,
        "templates/a.yaml:1:1: warning[template-branch]",
        "`{{- if semverCompare \">=1.21\" .Capabilities.KubeVersion.Version }}` has another outcome on clusters whose version has a suffix, such as v1.33.5-eks-113cf36, which get an apiVersion that the target does not serve",
    );
    let run = becomes(&version(">=1.21-0"), &version(">=1.21-0"), CURRENT, 0);
    assert!(!run.all().contains("suffix"), "{}", run.all());
}

#[test]
fn what_a_definition_of_another_chart_makes_is_told_once_for_each_chart() {
    let library = |version: &str| {
        format!(
            "=== charts/lib/Chart.yaml\napiVersion: v2\nname: lib\ntype: library\nversion: 1.0.0\n=== charts/lib/templates/_p.tpl\n{{{{- define \"lib.budget\" -}}}}\napiVersion: policy/{version}\n@budget\n# {{{{ .Release.Name }}}}\n{{{{- end -}}}}\n{{{{- define \"lib.all\" -}}}}\n{{{{ include \"lib.budget\" . }}}}\n{{{{- end -}}}}\n"
        )
    };
    for call in [
        "{{- include \"lib.all\" $ -}}\n",
        "---\n{{ template \"lib.all\" (list . 1) }}\n",
        "{{ include \"missing.all\" . }}\n",
    ] {
        held(
            &format!("{call}=== templates/b.yaml\n{call}{}", library("v1beta1")),
            "templates/a.yaml:",
            "prints what a definition of another chart makes, which is not converted",
        );
    }
    // Beside one whose apiVersion the cluster decides.
    let other = "{{- define \"lib.a\" -}}\napiVersion: {{ include \"lib.api\" . }}\n@budget\n{{- end -}}\n{{- define \"lib.api\" -}}\n{{- if semverCompare \"<1.21-0\" .Capabilities.KubeVersion.Version }}policy/v1beta1{{ else }}policy/v1{{ end }}\n{{- end -}}\n";
    let mixed = library("v1beta1").replace("_p.tpl\n", &format!("_p.tpl\n{other}"));
    for place in
        ["templates/a.yaml:2:1: unresolved[template-action]", "charts/lib/templates/_p.tpl: unresolved[template]"]
    {
        held(&format!("{{{{ include \"lib.a\" . }}}}\n{{{{ include \"lib.budget\" . }}}}\n{mixed}"), place, "");
    }
    // A list of raw objects is printed by a definition too, and what needs nothing is not told.
    for call in [
        "{{- range .Values.extra }}\n---\n{{ include \"lib.render\" (dict \"value\" . \"context\" $) }}\n{{- end }}\n",
        "{{ include \"lib.all\" . }}\n",
    ] {
        let before = format!("{call}=== templates/b.yaml\napiVersion: policy/v1\n@budget\n{}", library("v1"));
        let run = becomes(&before, &before, CURRENT, 0);
        assert!(!run.all().contains("another chart"), "{}", run.all());
    }
}

#[test]
fn a_definition_that_passes_all_on_counts_where_it_is_printed() {
    let passing = |call: &str| {
        format!(
            "{call}=== templates/_h.tpl\n{{{{- define \"shop.x\" -}}}}\n{{{{ include \"missing.x\" . }}}}\n{{{{- end -}}}}\n{{{{- define \"shop.text\" -}}}}\na: b\n{{{{- end -}}}}\n=== templates/b.yaml\napiVersion: policy/v1\n@budget\n"
        )
    };
    held(
        &passing("{{ include \"shop.x\" . }}\n"),
        "templates/a.yaml:1:1: unresolved[template-action]",
        "`{{ include \"shop.x\" . }}` prints what a definition of another chart makes",
    );
    for call in
        ["", "apiVersion: policy/v1\n@budget\n# {{ include \"shop.x\" . }}\n", "{{ include \"shop.text\" . }}\n"]
    {
        let file = passing(call);
        let run = becomes(&file, &file, CURRENT, 0);
        assert!(!run.all().contains("another chart"), "{}", run.all());
    }
}

#[test]
fn a_name_that_a_definition_of_another_chart_makes_is_no_object() {
    let name = "{{- define \"shop.secret\" -}}\n{{- printf \"%s\" (include \"missing.fullname\" .) -}}\n{{- end -}}\n";
    let file = format!("apiVersion: policy/v1\n@budget\n=== templates/_names.tpl\n{name}");
    let run = becomes(&file, &file, CURRENT, 0);
    assert!(!run.all().contains("another chart"), "{}", run.all());
}

#[test]
fn a_mapping_that_is_changed_between_two_uses_is_not_copied() {
    held(
        "{{- $d := dict \"app\" \"old\" }}\napiVersion: extensions/v1beta1\nkind: DaemonSet\nmetadata: {name: web}\nspec:\n  updateStrategy: {type: OnDelete}\n  template:\n    metadata:\n      {{- $_ := set $d \"app\" .Values.name }}\n      labels:\n        app: {{ $d.app }}\n    spec: {containers: [{name: a, image: b}]}\n",
        "templates/a.yaml:11:14: held-back[template-action]",
        "`{{ $d.app }}` stands in what must change",
    );
}

#[test]
fn an_action_may_be_a_part_of_a_scalar_in_a_flow_collection() {
    let before = "apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata: {name: {{ .Release.Name }}-web, labels: {a: x-{{ .y }}, b: {{ .x }}{{ .y }}-z, c: v:{{ .v }}}}\nspec:\n  rules:\n  - host: a\n    http: {paths: [{backend: {serviceName: {{ .Release.Name }}-web, servicePort: 80}, pathType: Prefix}]}\n";
    let after = before.replace("k8s.io/v1beta1", "k8s.io/v1").replace(
        "{serviceName: {{ .Release.Name }}-web, servicePort: 80}",
        "{service: {name: {{ .Release.Name }}-web, port: {number: 80}}}",
    );
    converts(before, &after);
}

#[test]
fn an_object_of_a_definition_is_converted_whatever_the_values_of_the_chart_are() {
    let chart = |version: &str| {
        format!(
            "=== templates/_x.tpl\n{{{{- define \"budget\" -}}}}\napiVersion: policy/{version}\nkind: PodDisruptionBudget\nmetadata: {{name: x}}\nspec:\n  maxUnavailable: {{{{ .Values.max }}}}\n  selector: {{matchLabels: {{app: x}}}}\n{{{{- end -}}}}\n=== templates/a.yaml\n{{{{ include \"budget\" . }}}}\n=== values.yaml\nmax: 1\n"
        )
    };
    converts(&chart("v1beta1"), &chart("v1"));
}

#[test]
fn what_stands_in_the_way_in_a_flow_collection_is_named() {
    for (label, action) in
        [("{{ .Values.app | quote }}", "{{ .Values.app | quote }}"), ("x-{{ .Values.app }}", "{{ .Values.app }}")]
    {
        held(
            &format!(
                "apiVersion: extensions/v1beta1\nkind: DaemonSet\nmetadata: {{name: web}}\nspec:\n  updateStrategy: {{type: OnDelete}}\n  template:\n    metadata:\n      labels: {{app: {label}, b: c}}\n    spec: {{containers: [{{name: a, image: b}}]}}\n"
            ),
            "templates/a.yaml:8:2",
            &format!("`{action}` stands in what must change"),
        );
    }
}

#[test]
fn a_chart_whose_objects_are_all_for_other_clusters_needs_nothing() {
    needs_nothing(
        "{{- if semverCompare \"<1.21-0\" .Capabilities.KubeVersion.Version }}\napiVersion: policy/v1beta1\n@budget\n{{- end }}\n",
        0,
    );
    apply(&chart("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .x }}}\n", "\n"), CURRENT).check(3);
}

#[test]
fn actions_beside_a_selector_are_no_reason_to_ask_for_a_namespace() {
    let run = becomes(
        &budget(
            "v1beta1",
            "      {{- if .Values.on }}\n      {{- toYaml .Values.labels | nindent 6 }}\n      {{- end }}\n",
            "",
        ),
        &budget(
            "v1beta1",
            "      {{- if .Values.on }}\n      {{- toYaml .Values.labels | nindent 6 }}\n      {{- end }}\n",
            "",
        ),
        CURRENT,
        1,
    );
    assert!(!run.all().contains("the namespace of the object"), "{}", run.all());
    says(&run, "templates/a.yaml:6:3", "an empty selector");
}

#[test]
fn a_selector_that_is_null_in_the_values_is_to_be_written() {
    for action in ["{{ toJson .Values.sel }}", "{{ .Values.sel }}", "{{- toYaml .Values.sel | nindent 4 }}"] {
        for values in ["sel:", "sel: null", "sel: ~"] {
            held(
                &format!(
                    "apiVersion: extensions/v1beta1\nkind: DaemonSet\nmetadata: {{name: x, labels: {{a: b}}}}\nspec:\n  updateStrategy: {{type: OnDelete}}\n  selector: {action}\n  template:\n    metadata:\n      labels: {{a: b}}\n    spec: {{containers: [{{name: a, image: b}}]}}\n=== values.yaml\n{values}\n"
                ),
                "templates/a.yaml:6:3: held-back[template-action]",
                "where the users of the chart set nothing else, an action prints spec.selector, which is to be converted",
            );
        }
    }
}

#[test]
fn what_the_target_requires_and_values_leave_null_is_to_be_written() {
    let ingress = |values: &str| {
        format!(
            "apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata: {{name: x}}\nspec:\n  rules:\n  - http:\n      paths:\n      - path: /\n        pathType: {{{{ .Values.type }}}}\n        backend: {{serviceName: s, servicePort: 80}}\n=== values.yaml\n{values}\n"
        )
    };
    held(
        &ingress("type: null"),
        "templates/a.yaml:9:9: held-back[template-action]",
        "an action prints nothing at spec.rules[0].http.paths[0].pathType, which kubernetes@1.33.0 requires",
    );
    // A container has a name before and after: what lacks it by default is no matter of the conversion.
    let deployment = |version: &str, values: &str| {
        format!(
            "apiVersion: apps/{version}\nkind: Deployment\nmetadata: {{name: x}}\nspec:\n  selector: {{matchLabels: {{a: b}}}}\n  template:\n    metadata: {{labels: {{a: b}}}}\n    spec:\n      containers:\n      - name: {{{{ .Values.name }}}}\n        image: b\n{values}"
        )
    };
    converts(&deployment("v1beta2", "=== values.yaml\nname: null\n"), &deployment("v1", ""));
}

#[test]
fn a_block_that_may_print_nothing_is_read_without_what_its_action_prints() {
    for block in [
        "{{- with .Values.labels }}\n      {{- toYaml . | nindent 6 }}\n      {{- end }}\n",
        "{{- if .Values.labels }}\n      {{- toYaml .Values.labels | nindent 6 }}\n      {{- end }}\n",
    ] {
        held(
            &budget("v1beta1", &format!("      {block}"), "=== values.yaml\nlabels: {}\n"),
            "templates/a.yaml:6:3: held-back[not-convertible] PodDisruptionBudget x",
            "an empty selector selects no pod",
        );
    }
}

/// Whatever is printed below such a key, the target does not read it.
#[test]
fn a_key_that_the_target_does_not_have_is_lost_whatever_an_action_prints_below_it() {
    let job = |value: &str| {
        format!(
            "apiVersion: batch/v1\nkind: CronJob\nmetadata: {{name: a}}\nspec:\n  schedule: \"* * * * *\"\n  jobTemplate:\n    spec:\n      podFailurePolicy:{value}\n      template:\n        spec: {{restartPolicy: Never, containers: [{{name: a, image: b}}]}}\n=== values.yaml\npolicy: {{rules: []}}\n"
        )
    };
    for value in ["\n        {{- toYaml .Values.policy | nindent 8 }}", " {{- toYaml .Values.policy | nindent 8 }}"] {
        let before = job(value);
        let run = becomes(&before, &before, "kubernetes@1.20", 1);
        says(&run, "templates/a.yaml:8:7: held-back[dropped-field]", "podFailurePolicy would be lost");
    }
}

#[test]
fn an_api_version_without_a_key_is_not_chosen_where_an_action_prints_what_is_below_it() {
    let scaler = |version: &str| {
        format!(
            "apiVersion: autoscaling/{version}\nkind: HorizontalPodAutoscaler\nmetadata: {{name: a}}\nspec:\n  scaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, name: a}}\n  maxReplicas: 3\n  metrics:\n    {{{{- toYaml .Values.metrics | nindent 4 }}}}\n=== values.yaml\nmetrics: []\n"
        )
    };
    becomes(&scaler("v2"), &scaler("v2beta2"), "kubernetes@1.22", 0);
}

/// Tests of charts are those of helm-unittest; they fail once the templates are converted.
#[test]
fn tests_of_a_chart_that_expect_an_old_version_are_reported() {
    let chart = |old: &str| {
        format!(
            "apiVersion: policy/v1\n@budget\n# {{{{ .Release.Name }}}}\n=== tests/budget_test.yaml\nsuite: budget\ntemplates: [templates/a.yaml]\ntests:\n- it: is a budget\n  asserts:\n  - isAPIVersion: {{of: policy/{old}}}\n"
        )
    };
    let what = "the tests of the chart name policy/v1beta1, which the target does not serve";
    needs_nothing_and_says(&chart("v1beta1"), "tests/budget_test.yaml: warning[chart]", what);
    let run = becomes(&chart("v1"), &chart("v1"), CURRENT, 0);
    assert!(!run.all().contains("the tests of the chart"), "{}", run.all());
}

/// Returns an Application with the chart of this name, and these lines as its values.
fn application(chart: &str, helm: &str, rest: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: a}}\nspec:\n  project: default\n  destination: {{server: x, namespace: cm}}\n  source:\n    repoURL: https://x\n    chart: {chart}\n    targetRevision: 1.15.5\n    helm:\n{helm}{rest}"
    )
}

#[test]
fn values_of_a_chart_that_actions_print_into_a_text_are_told() {
    let values = "=== values.yaml\nname: cert-manager\nother: other\nempty: {}\nvalues: {installCRDs: true}\n";
    let helper = "=== templates/_h.tpl\n{{- define \"values\" -}}\ninstallCRDs: true\nreplicaCount: {{ .Values.replicas }}\n{{- end -}}\n";
    let to_yaml = "      values: |\n        {{- toYaml .Values.values | nindent 8 }}\n";
    let quoted = "      values: {{ toYaml .Values.values | quote }}\n";
    let told = |chart: &str, helm: &str| {
        let own = application(chart, helm, &format!("{values}{helper}"));
        let run = becomes(&own, &own, "cert-manager@1.15", 1);
        says(&run, "templates/a.yaml:12:7: unresolved[values-not-converted]", "holds values of the chart cert-manager");
        assert_eq!(run.all().matches("holds values").count(), 1, "{}", run.all());
    };
    for helm in [
        to_yaml,
        quoted,
        "      values: |\n        a: b\n        {{- toYaml .Values.values | nindent 8 }}\n",
        "      values: |\n        {{- include \"values\" . | nindent 8 }}\n",
        "      parameters:\n      - {name: installCRDs, value: \"{{ .Values.values.installCRDs }}\"}\n",
    ] {
        told("cert-manager", helm);
    }
    for helm in [to_yaml, quoted] {
        told("{{ .Values.name }}", helm);
    }
    let empty = "      values: |\n        {{- toYaml .Values.empty | nindent 8 }}\n";
    for (chart, helm) in [("other", to_yaml), ("{{ .Values.other }}", to_yaml), ("cert-manager", empty)] {
        let own = application(chart, helm, values);
        assert!(!becomes(&own, &own, "cert-manager@1.15", 3).all().contains("values-not-converted"), "{chart}");
    }
}

/// Where nothing is set before, the values choose the other branch: both are converted.
#[test]
fn what_a_condition_sets_before_another_one_is_set_only_there() {
    let ingress = |version: &str, backend: fn(u32) -> String| {
        let (tls, plain) = (backend(443), backend(80));
        format!(
            "{{{{- if .Values.global.tls }}}}\n{{{{- $_ := set .Values \"tls\" true }}}}\n{{{{- end }}}}\napiVersion: networking.k8s.io/{version}\nkind: Ingress\nmetadata: {{name: a}}\nspec:\n  {{{{- if .Values.tls }}}}\n  {tls}\n  {{{{- else }}}}\n  {plain}\n  {{{{- end }}}}\n=== values.yaml\nglobal: {{tls: false}}\ntls: false\n"
        )
    };
    converts(
        &ingress("v1beta1", |port| format!("backend: {{serviceName: a, servicePort: {port}}}")),
        &ingress("v1", |port| format!("defaultBackend: {{service: {{name: a, port: {{number: {port}}}}}}}")),
    );
}

/// The old value is the one that is printed.
#[test]
fn what_is_taken_from_values_before_they_are_changed_is_the_old_value() {
    let budget = |version: &str, before: &str| {
        format!(
            "{before}apiVersion: {version}\nkind: PodDisruptionBudget\nmetadata: {{name: a}}\nspec: {{minAvailable: 1, selector: {{matchLabels: {{a: b}}}}}}\n=== values.yaml\napi: policy/v1beta1\nnew: policy/v1\n"
        )
    };
    let of_variable = budget("{{ $api }}", "{{ $api := .Values.api }}{{ $_ := set .Values \"api\" .Values.new }}\n");
    let of_argument = budget(
        "{{ include \"api\" (dict \"v\" .Values.api \"all\" .) }}",
        "{{- define \"api\" }}{{ $_ := set .all.Values \"api\" .all.Values.new }}{{ .v }}{{ end }}\n",
    );
    for text in [of_variable, of_argument] {
        held(&text, "templates/a.yaml:", "unresolved[template-action] the apiVersion of an object is");
    }
}

/// With the variable as it is declared, the path lacks its type.
#[test]
fn a_variable_that_a_condition_assigns_decides_both_ways() {
    let text = "{{- $typed := false }}\n{{- if .Values.c }}\n{{- $typed = true }}\n{{- end }}\napiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata: {name: a}\nspec:\n  rules:\n  - http:\n      paths:\n      - path: /\n        {{- if or .Values.x $typed }}\n        pathType: Prefix\n        {{- end }}\n        backend: {serviceName: a, servicePort: 80}\n=== values.yaml\nc: false\nx: false\n";
    held(text, "templates/a.yaml:2:1: held-back[template-action] Ingress a", "depends on `{{- if .Values.c }}`");
}

/// The default render prints it empty.
#[test]
fn a_value_that_the_chart_does_not_have_is_told_where_a_default_changed() {
    let webhook = |version: &str| {
        format!(
            "apiVersion: admissionregistration.k8s.io/{version}\nkind: ValidatingWebhookConfiguration\nmetadata: {{name: a}}\nwebhooks:\n- name: a.b.io\n  failurePolicy: {{{{ .Values.policy }}}}\n  sideEffects: None\n  timeoutSeconds: 1\n  matchPolicy: Exact\n  admissionReviewVersions: [v1beta1]\n  clientConfig: {{url: \"https://x\"}}\n=== values.yaml\nother: 1\n"
        )
    };
    converts_in_part(
        &webhook("v1beta1"),
        &webhook("v1"),
        "templates/a.yaml:6:3: unresolved[template-action]",
        "`{{ .Values.policy }}` has no known default in the chart; for some of what its users can set, such as nothing, it meant \"Ignore\" and means \"Fail\" in the target",
    );
}

/// The target ignores the annotation.
#[test]
fn an_annotation_whose_value_an_action_prints_is_held_back() {
    let pods = |annotation: &str| {
        format!(
            "apiVersion: batch/v1beta1\nkind: CronJob\nmetadata: {{name: a}}\nspec:\n  schedule: '0 1 * * *'\n  jobTemplate:\n    spec:\n      template:\n        metadata:\n          annotations:\n            {annotation}: {{{{ .Values.profile }}}}\n        spec: {{containers: [{{name: c, image: i}}]}}\n=== values.yaml\nprofile: runtime/default\n"
        )
    };
    held(
        &pods("seccomp.security.alpha.kubernetes.io/pod"),
        "templates/a.yaml:11:13: held-back[invalid-in-target] CronJob a",
        "the conversion depends on the value of `{{ .Values.profile }}`",
    );
    let converted = pods("seccomp.example.com/pod").replace("batch/v1beta1", "batch/v1");
    converts(&pods("seccomp.example.com/pod"), &converted);
}

/// What prints the rest of it, or that it is a reference, does not show there.
#[test]
fn a_definition_that_prints_no_fields_of_an_object_is_held_back() {
    let heads = [
        "apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\n",
        "apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata:\n  name: x\n",
        "apiVersion: extensions/v1beta1\nkind: Deployment\nname: web\n",
    ];
    for head in heads {
        let text = format!(
            "{{{{ include \"x.head\" . }}}}\nspec:\n  backend: {{serviceName: a, servicePort: 80}}\n=== templates/_h.tpl\n{{{{- define \"x.head\" -}}}}\n{head}{{{{- end }}}}\n"
        );
        held(&text, "templates/_h.tpl:2:1: held-back[template-action]", "its definition prints no fields of it");
    }
}
