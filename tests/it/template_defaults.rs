//! Charts whose values.yaml has what a rule would have to convert or refuse: what templates print of it is no matter of theirs.

use super::templates::{CURRENT, becomes};
use super::templates::{converts, held, needs_nothing, says};
use crate::support::trees::Tree;

/// The beginning of messages about what is printed by default.
const BY_DEFAULT: &str = "where the users of the chart set nothing else, ";

fn budget(spec: &str, values: &str) -> String {
    format!(
        "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {{name: x}}\n{spec}=== values.yaml\n{values}"
    )
}

#[test]
fn an_empty_selector_inside_of_what_is_printed_is_refused() {
    let (whole, with) = (
        "spec: {{- toYaml .Values.pdb | nindent 2 }}\n",
        "spec:\n  {{- with .Values.pdb }}\n  {{- toYaml . | nindent 2 }}\n  {{- end }}\n",
    );
    for spec in [whole, with, "spec: {{ toJson .Values.pdb }}\n"] {
        for values in ["pdb: {minAvailable: 1, selector: {}}\n", "pdb: {selector: {matchLabels: {}}}\n"] {
            held(
                &budget(spec, values),
                "templates/a.yaml:4:1: held-back[not-convertible] PodDisruptionBudget x",
                &format!("{BY_DEFAULT}an empty selector selects no pod"),
            );
        }
        let own = budget(spec, "pdb: {minAvailable: 1, selector: {matchLabels: {app: x}}}\n");
        converts(&own, own.replace("v1beta1", "v1").split("===").next().unwrap());
    }
}

#[test]
fn what_is_printed_only_where_users_set_something_is_not_asked_for() {
    let labels = "spec:\n  minAvailable: 1\n  selector:\n    matchLabels:\n      {{- if .Values.labels }}\n      {{- include \"library.render\" (dict \"value\" .Values.labels \"context\" $) | nindent 6 }}\n      {{- else }}\n      app: web\n      {{- end }}\n";
    let own = budget(labels, "labels: {}\n");
    converts(&own, own.replace("v1beta1", "v1").split("===").next().unwrap());
    let with = |value: &str| {
        webhook(
            "{{- with .Values.effects }}\n  sideEffects: {{ . }}\n  {{- else }}\n  sideEffects: None\n  {{- end }}\n",
            value,
        )
    };
    converts(&with("effects: ''\n"), &new(&with("effects: ''\n")));
    held(&with("effects: Some\n"), "templates/a.yaml:4:1: held-back[not-convertible]", BY_DEFAULT);
}

#[test]
fn a_selector_that_a_definition_prints_is_looked_at() {
    let own = |define: &str| {
        budget("spec:\n  selector:\n    {{- include \"selector\" . | nindent 4 }}\n", &format!("a: b\n{define}"))
    };
    let labels =
        "=== templates/_h.tpl\n{{- define \"selector\" }}\nmatchLabels:\n  app: {{ .Release.Name }}\n{{- end }}\n";
    converts(&own(labels), own(labels).replace("v1beta1", "v1").split("===").next().unwrap());
    let empty = "=== templates/_h.tpl\n{{- define \"selector\" }}\nmatchLabels: {}\n{{- end }}\n";
    held(&own(empty), "templates/a.yaml:5:3: held-back[not-convertible]", "an empty selector selects no pod");
    held(
        &own(""),
        "templates/a.yaml:5:3: held-back[not-convertible]",
        "depends on the value of what an action prints here, which is known only after the chart is rendered; for some values an empty selector",
    );
}

/// Returns a configuration of a webhook with these lines in it.
fn webhook(lines: &str, values: &str) -> String {
    format!(
        "apiVersion: admissionregistration.k8s.io/v1beta1\nkind: ValidatingWebhookConfiguration\nmetadata: {{name: web}}\nwebhooks:\n- name: a.b.c\n  {lines}  failurePolicy: Fail\n  matchPolicy: Exact\n  timeoutSeconds: 5\n  admissionReviewVersions: [v1]\n  clientConfig: {{url: \"https://a\"}}\n=== values.yaml\n{values}"
    )
}

/// Returns the template of a chart after the conversion.
fn new(chart: &str) -> String {
    chart.replace("k8s.io/v1beta1", "k8s.io/v1").split("===").next().unwrap().to_owned()
}

#[test]
fn a_value_that_can_be_refused_and_has_no_default_is_told() {
    let own = webhook("sideEffects: {{ .Values.effects }}\n", "a: 1\n");
    let run = becomes(&own, &new(&own), CURRENT, 1);
    says(
        &run,
        "templates/a.yaml:6:3: unresolved[template-action]",
        "`{{ .Values.effects }}` has no known default in the chart; for some of what its users can set, v1 accepts only webhooks with sideEffects",
    );
    // What users need not set, and what the chart itself makes, is not told.
    for lines in [
        "{{- if .Values.effects }}\n  sideEffects: {{ .Values.effects }}\n  {{- else }}\n  sideEffects: None\n  {{- end }}\n",
        "sideEffects: {{ .Release.Name }}\n",
        "sideEffects: {{ .Values.effects | default \"None\" }}\n",
    ] {
        let own = webhook(lines, "a: 1\n");
        converts(&own, &new(&own));
    }
}

/// Returns a CronJob with this schedule, in a range where `around` begins one.
fn job(around: &str, schedule: &str, rest: &str) -> String {
    let end = if around.is_empty() { "" } else { "{{- end }}\n" };
    format!(
        "{around}---\napiVersion: batch/v1\nkind: CronJob\nmetadata: {{name: x}}\nspec:\n  schedule: {schedule}\n  jobTemplate: {{spec: {{template: {{spec: {{restartPolicy: Never, containers: [{{name: a, image: b}}]}}}}}}}}\n{end}{rest}"
    )
}

#[test]
fn every_item_of_a_range_is_looked_at() {
    let range = "{{- range .Values.jobs }}\n";
    let zone = "held-back[invalid-in-target] CronJob x";
    let values = |values: &str| format!("=== values.yaml\n{values}");
    for rest in
        ["jobs: [{schedule: 0 3 * * *}, {schedule: TZ=UTC 0 3 * * *}]\n", "jobs: {a: {schedule: TZ=UTC 0 3 * * *}}\n"]
    {
        let own = job(range, "{{ .schedule | quote }}", &values(rest));
        held(&own, &format!("templates/a.yaml:7:3: {zone}"), BY_DEFAULT);
    }
    for rest in ["jobs: [{schedule: 0 3 * * *}, {schedule: 0 4 * * *}]\n", "jobs: []\n", "other: 1\n"] {
        needs_nothing(&job(range, "{{ .schedule | quote }}", &values(rest)), 0);
    }
    let nested = "{{- range $group := .Values.groups }}\n{{- range $name, $job := $group.jobs }}\n";
    let groups = values("groups: [{jobs: {a: {at: 0 3 * * *}}}, {jobs: {b: {at: TZ=UTC 0 3 * * *}}}]\n");
    let own = job(nested, "{{ $job.at | quote }}", &format!("{{{{- end }}}}\n{groups}"));
    held(&own, &format!("templates/a.yaml:8:3: {zone}"), BY_DEFAULT);
}

#[test]
fn what_a_definition_prints_by_default_is_looked_at() {
    let helper = "=== templates/_h.tpl\n{{- define \"schedule\" -}}\n{{- if .Values.zone }}TZ={{ .Values.zone }} {{ end }}0 3 * * *\n{{- end -}}\n=== values.yaml\n";
    let own = |values: &str| job("", "{{ include \"schedule\" . | quote }}", &format!("{helper}{values}"));
    held(&own("zone: UTC\n"), "templates/a.yaml:6:3: held-back[invalid-in-target]", BY_DEFAULT);
    needs_nothing(&own("zone: ''\n"), 0);
}

#[test]
fn a_text_of_two_actions_is_looked_at() {
    let own = |zone: &str| {
        let schedule = "\"{{ .Values.zone }}{{ .Values.schedule }}\"";
        job("", schedule, &format!("=== values.yaml\nzone: {zone}\nschedule: 0 3 * * *\n"))
    };
    held(&own("'TZ=UTC '"), "templates/a.yaml:6:3: held-back[invalid-in-target]", BY_DEFAULT);
    needs_nothing(&own("''"), 0);
}

#[test]
fn what_is_set_under_another_name_is_looked_at() {
    let set = "{{- $_ := set $job \"schedule\" \"TZ=UTC 0 3 * * *\" }}\n";
    let values = "=== values.yaml\njob: {schedule: 0 3 * * *}\n";
    for named in ["get .Values \"job\"", "index .Values \"job\"", ".Values.job"] {
        let own = job("", "{{ .Values.job.schedule | quote }}", values);
        let own = format!("{{{{- $job := {named} }}}}\n{set}{own}");
        held(&own, "templates/a.yaml:8:3: held-back[invalid-in-target]", "creates no CronJob with TZ=");
    }
}

/// Returns a Deployment whose pods have annotations that these lines print.
fn deployment(annotations: &str, rest: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec:\n  selector: {{matchLabels: {{app: web}}}}\n  template:\n    metadata:\n      labels: {{app: web}}\n{annotations}    spec: {{containers: [{{name: a, image: b}}]}}\n{rest}"
    )
}

#[test]
fn annotations_of_values_that_a_rule_converts_hold_the_object_back() {
    let render = "=== templates/_h.tpl\n{{- define \"render\" -}}\n{{- if typeIs \"string\" .value }}{{- tpl .value .context }}{{- else }}{{- tpl (.value | toYaml) .context }}{{- end }}\n{{- end -}}\n";
    for (lines, rest) in [
        ("      annotations: {{- toYaml .Values.annotations | nindent 8 }}\n", ""),
        (
            "      {{- with .Values.annotations }}\n      annotations:\n        {{- toYaml . | nindent 8 }}\n      {{- end }}\n",
            "",
        ),
        ("      annotations: {{ toJson .Values.annotations }}\n", ""),
        (
            "      annotations:\n        a: b\n        {{- range $key, $value := .Values.annotations }}\n        {{ $key }}: {{ $value | quote }}\n        {{- end }}\n",
            "",
        ),
        (
            "      annotations: {{- include \"render\" (dict \"value\" .Values.annotations \"context\" $) | nindent 8 }}\n",
            render,
        ),
        (
            "      annotations: {{- include \"library.render\" (dict \"value\" .Values.annotations \"context\" $) | nindent 8 }}\n",
            "",
        ),
    ] {
        let own = |values: &str| deployment(lines, &format!("{rest}=== values.yaml\nannotations: {values}\n"));
        held(
            &own("{a: b, seccomp.security.alpha.kubernetes.io/pod: runtime/default}"),
            "templates/a.yaml:",
            &format!(
                "{BY_DEFAULT}an action prints spec.template.metadata.annotations[\"seccomp.security.alpha.kubernetes.io/pod\"], which is to be converted"
            ),
        );
        for quiet in ["{}", "", "{prometheus.io/scrape: 'true'}"] {
            needs_nothing(&own(quiet), 0);
        }
    }
}

#[test]
fn an_object_whose_fields_are_all_of_values_is_looked_at() {
    let own = |annotations: &str| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\n{{{{ toYaml .Values.deployment }}}}\n=== values.yaml\ndeployment:\n  metadata: {{name: web}}\n  spec:\n    selector: {{matchLabels: {{app: web}}}}\n    template:\n      metadata:\n        labels: {{app: web}}\n        annotations: {annotations}\n      spec: {{containers: [{{name: a, image: b}}]}}\n"
        )
    };
    held(
        &own("{seccomp.security.alpha.kubernetes.io/pod: runtime/default}"),
        "templates/a.yaml:1:1: held-back",
        BY_DEFAULT,
    );
    needs_nothing(&own("{}"), 0);
}

#[test]
fn an_object_of_the_core_group_is_looked_at_where_the_values_have_what_rules_look_for() {
    let service = |values: &str| {
        format!(
            "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n  annotations: {{{{- toYaml .Values.annotations | nindent 4 }}}}\nspec: {{ports: [{{port: 80}}]}}\n=== values.yaml\nannotations: {values}\n"
        )
    };
    held(
        &service("{service.kubernetes.io/topology-aware-hints: auto}"),
        "templates/a.yaml:5:3: held-back[template-action] Service web",
        BY_DEFAULT,
    );
    needs_nothing(&service("{}"), 3);
    needs_nothing(&service("{} # not service.kubernetes.io/topology-aware-hints"), 3);
    let pod = |values: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: web}}\nspec: {{{{- toYaml .Values.pod | nindent 2 }}}}\n=== values.yaml\npod:\n  containers: [{{name: a, image: b}}]\n{values}"
        )
    };
    held(
        &pod("  resourceClaims: [{name: x, source: {resourceClaimName: y}}]\n"),
        "templates/a.yaml:4:1",
        "spec.resourceClaims",
    );
    needs_nothing(&pod(""), 3);
}

#[test]
fn an_object_of_the_core_group_that_cannot_be_read_is_told() {
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec:\n  ipFamily: {{ .Values.family }}\n";
    held(&format!("{service}  {{{{ \"x: [\" }}}}\n"), "templates/a.yaml:6:3: unresolved[template]", "never closed");
    held(
        &format!("{service}  ports: []\n  ports: []\n---\napiVersion: policy/v1\n@budget\n"),
        "templates/a.yaml:7:3: unresolved[template]",
        "duplicate key `ports`",
    );
}

#[test]
fn what_a_called_definition_changes_is_not_what_it_was() {
    let helper = "=== templates/_h.tpl\n{{- define \"change\" -}}\n{{- $_ := set .mapping \"app\" .name }}\n{{- end -}}\n{{- define \"outer\" -}}\n{{- include \"change\" (dict \"mapping\" . \"name\" \"new\") }}\n{{- end -}}\n";
    for call in [
        "{{- include \"change\" (dict \"mapping\" $labels \"name\" .Values.name) }}",
        "{{- $_ := include \"change\" (dict \"mapping\" $labels \"name\" .Values.name) }}",
        "{{- template \"outer\" $labels }}",
    ] {
        held(
            &format!(
                "{{{{- $labels := dict \"app\" \"old\" }}}}\napiVersion: extensions/v1beta1\nkind: DaemonSet\nmetadata: {{name: web}}\nspec:\n  updateStrategy: {{type: OnDelete}}\n  template:\n    metadata:\n      {call}\n      labels:\n        app: {{{{ $labels.app }}}}\n    spec: {{containers: [{{name: a, image: b}}]}}\n{helper}"
            ),
            "templates/a.yaml:11:14: held-back[template-action]",
            "`{{ $labels.app }}` stands in what must change",
        );
    }
}

#[test]
fn a_value_that_some_template_changes_has_no_default() {
    let backend = "apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata: {name: web}\nspec:\n  backend: {serviceName: web, servicePort: {{ .Values.port }} }\n";
    for change in [
        "=== templates/b.yaml\n{{- $_ := set .Values \"port\" \"http\" }}\n",
        "=== templates/_b.tpl\n{{- define \"change\" }}{{- $_ := unset $.Values \"port\" }}{{- end }}\n",
    ] {
        let own = format!("{backend}{change}=== values.yaml\nport: 80\n");
        let tree = super::templates::chart(&own, "\n");
        let args = ["apply", "--chart-defaults", "--yes", "--allow-no-vcs", "--to", CURRENT];
        says(
            &tree.run(&args),
            "templates/a.yaml:5:31: held-back[not-convertible]",
            "depends on the value of `{{ .Values.port }}`",
        );
    }
}

#[test]
fn what_a_definition_calls_values_is_taken_for_the_values_of_the_chart() {
    let chart = |spec: &str, values: &str| {
        format!(
            "=== templates/_h.tpl\n{{{{- define \"budget\" -}}}}\napiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {{name: x}}\n{spec}{{{{- end -}}}}\n=== templates/a.yaml\n{{{{ include \"budget\" . }}}}\n=== values.yaml\n{values}"
        )
    };
    let labels = "spec:\n  selector:\n    matchLabels: {{- toYaml .Values.labels | nindent 6 }}\n";
    let root = labels.replace(".Values", ".root.Values");
    for (spec, values, place) in [
        (labels, "labels: {}\n", 6),
        (labels, "other: 1\n", 6),
        (&root, "labels: {}\n", 6),
        ("spec: {{- toYaml .Values.pdb | nindent 2 }}\n", "pdb: {selector: {}}\n", 5),
    ] {
        let place = format!("templates/_h.tpl:{place}:");
        held(&chart(spec, values), &place, &format!("{BY_DEFAULT}an empty selector selects no pod"));
    }
    let own = chart(labels, "labels: {app: x}\n");
    converts(&own, &own.replace("v1beta1", "v1"));
    // What calls the definition of a library may have a default.
    let required = "spec:\n  maxUnavailable: {{ .Values.max }}\n  selector: {matchLabels: {app: x}}\n";
    let own = chart(required, "other: 1\n");
    converts(&own, &own.replace("v1beta1", "v1"));
}

#[test]
fn a_version_that_is_printed_into_a_reference_is_reported_where_the_target_lacks_it() {
    let scaler = |values: &str| {
        format!(
            "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {{name: x}}\nspec:\n  maxReplicas: 3\n  \
             scaleTargetRef: {{apiVersion: {{{{ .Values.api }}}}, kind: Deployment, name: x}}\n=== values.yaml\n{values}"
        )
    };
    held(
        &scaler("api: extensions/v1beta1\n"),
        "templates/a.yaml:6:20: unresolved[reference-not-updated] HorizontalPodAutoscaler x",
        "spec.scaleTargetRef.apiVersion is version v1beta1 of Deployment where the users of the chart set nothing",
    );
    needs_nothing(&scaler("api: apps/v1\n"), 0);
    needs_nothing(&scaler("other: apps/v1\n"), 0);
}

#[test]
fn what_is_printed_of_an_item_or_an_entry_has_a_default_too() {
    for (spec, values) in [
        ("spec:\n  {{- toYaml (get .Values \"pdb\") | nindent 2 }}\n", "pdb: {selector: {}}\n"),
        ("spec: {{- toYaml (index .Values.pdbs 0) | nindent 2 }}\n", "pdbs: [{selector: {}}]\n"),
        ("spec: {{- toYaml (index .Values \"pdbs\" 1).spec | nindent 2 }}\n", "pdbs: [{}, {spec: {selector: {}}}]\n"),
    ] {
        held(
            &budget(spec, values),
            "templates/a.yaml:4:1: held-back[not-convertible] PodDisruptionBudget x",
            &format!("{BY_DEFAULT}an empty selector selects no pod"),
        );
        let own = budget(spec, &values.replace("selector: {}", "selector: {matchLabels: {app: x}}"));
        converts(&own, own.replace("v1beta1", "v1").split("===").next().unwrap());
    }
}

/// What stands in for a value that the chart does not have is printed, be it known or not.
#[test]
fn a_default_that_is_not_known_is_not_nothing() {
    let is_told = |name: &str| {
        let ingress = format!(
            "apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata: {{name: web}}\nspec:\n  rules:\n  - http:\n      paths:\n      - path: /\n        backend:\n          serviceName: {name}\n          servicePort: 80\n"
        );
        let tree = Tree::of(&[
            ("web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n"),
            ("web/values.yaml", "other: 1\n"),
            ("web/templates/_helpers.tpl", "{{- define \"n\" -}}{{ default .Release.Name .Values.name }}{{- end -}}\n"),
            ("web/templates/ingress.yaml", &ingress),
        ]);
        let run = tree.run(&["apply", "--yes", "--allow-no-vcs", "--to", "kubernetes@1.33"]);
        assert!(tree.text("web/templates/ingress.yaml").contains("networking.k8s.io/v1\n"), "{name}: {}", run.all());
        let is_told = run.all().contains("has no known default in the chart");
        run.check(i32::from(is_told));
        is_told
    };
    for name in [
        "{{ default .Release.Name .Values.name }}",
        "{{ .Values.name | default .Release.Name | trunc 63 }}",
        "{{ default .Release.Name .Values.name | quote }}",
        "{{ include \"n\" $ }}",
    ] {
        assert!(!is_told(name), "{name}");
    }
    for name in ["{{ .Values.name }}", "{{ default \"\" .Values.name }}", "{{ default .Values.more .Values.name }}"] {
        assert!(is_told(name), "{name}");
    }
}

/// Returns a chart with a definition that is called as this prints, and once more with the apiVersion that the target serves.
fn called_twice(call: &str, values: &str) -> String {
    format!(
        "{call}\n---\n{{{{ include \"b\" (dict \"apiVersion\" \"policy/v1\" \"name\" \"two\") }}}}\n=== templates/_h.tpl\n{{{{- define \"b\" }}}}\napiVersion: {{{{ .apiVersion }}}}\nkind: PodDisruptionBudget\nmetadata:\n  name: {{{{ .name }}}}\nspec:\n  minAvailable: 1\n  selector:\n    matchLabels:\n      app: x\n{{{{- end }}}}\n=== values.yaml\n{values}"
    )
}

#[test]
fn a_definition_that_is_called_with_two_versions_is_told_both() {
    for (call, values) in [
        ("{{ include \"b\" (dict \"apiVersion\" .Values.version \"name\" \"one\") }}", "version: policy/v1beta1\n"),
        ("{{ include \"b\" .Values.one }}", "one: {apiVersion: policy/v1beta1, name: one}\n"),
        (
            "{{- range .Values.all }}\n---\n{{ include \"b\" . }}\n{{- end }}",
            "all: [{apiVersion: policy/v1beta1, name: one}]\n",
        ),
        (
            "{{- $v := \"policy/v1beta1\" }}\n{{ include \"b\" (merge (dict \"apiVersion\" $v \"name\" \"one\") .) }}",
            "",
        ),
        (
            "{{- $v := \"policy/v1beta1\" }}\n{{- $d := dict \"name\" \"one\" }}\n{{- $_ := set $d \"apiVersion\" $v }}\n{{ include \"b\" $d }}",
            "",
        ),
        (
            "{{ include \"b\" (pick (dict \"apiVersion\" (print \"policy/\" .Values.v) \"name\" \"one\") \"apiVersion\" \"name\") }}",
            "v: v1beta1\n",
        ),
    ] {
        held(
            &called_twice(call, values),
            "templates/_h.tpl:2:1: unresolved[template-action]",
            "by default that is policy/v1beta1, which the target does not serve; elsewhere policy/v1",
        );
    }
}

#[test]
fn a_definition_of_which_one_call_is_not_known_is_told() {
    for call in [
        "{{ include \"b\" (genericMapping .Values.one) }}",
        "{{- range .Values.all }}\n---\n{{ include \"b\" (snakecase .) }}\n{{- end }}",
    ] {
        held(
            &called_twice(call, "one: {a: b}\nall: [a]\n"),
            "templates/_h.tpl:2:1: unresolved[template-action]",
            "the apiVersion of an object is `{{ .apiVersion }}`, and nothing in the chart shows which that is",
        );
    }
}

/// Returns an IngressRoute of Traefik with these lines of routes.
fn ingress_route(group: &str, routes: &str) -> String {
    format!("apiVersion: {group}/v1alpha1\nkind: IngressRoute\nmetadata: {{name: a}}\nspec:\n  routes:{routes}\n")
}

#[test]
fn items_that_an_action_prints_and_a_rule_looks_at_are_told_where_they_have_no_default() {
    let (old, new) = ("traefik.containo.us", "traefik.io");
    let route = "\n  - kind: Rule\n    match: Host(`a`)\n    services: [{name: x, port: 80}]";
    let more = "\n  {{- with .Values.routes }}\n  {{- toYaml . | nindent 2 }}\n  {{- end }}";
    let whole = " {{ toYaml .Values.routes | nindent 4 }}";
    let told = "has no known default in the chart; for some of what its users can set, items of spec.routes are to be converted, or refused";
    let values = |values: &str| format!("=== values.yaml\n{values}");
    for (routes, place) in [
        (whole.to_owned(), "templates/a.yaml:5:3"),
        (format!(" {{{{- toYaml .Values.routes | nindent 2 }}}}{route}"), "templates/a.yaml:5:3"),
    ] {
        let run = becomes(
            &(ingress_route(old, &routes) + &values("a: 1\n")),
            &ingress_route(new, &routes),
            "traefik@v3.7.9",
            1,
        );
        says(&run, &format!("{place}: unresolved[template-action]"), told);
    }
    // What the chart prints by default is looked at.
    let current = values("routes: [{kind: Rule, match: Host(`a`), services: [{name: x, port: 80}]}]\n");
    for routes in [whole.to_owned(), format!("{route}{more}")] {
        becomes(&(ingress_route(old, &routes) + &current), &ingress_route(new, &routes), "traefik@v3.7.9", 0);
    }
    let spec = "apiVersion: traefik.io/v1alpha1\nkind: Middleware\nmetadata: {name: a}\nspec: {{ toYaml .Values.spec | nindent 2 }}\n";
    let run = becomes(&(spec.replace("traefik.io", old) + &values("a: 1\n")), spec, "traefik@v3.7.9", 1);
    says(
        &run,
        "templates/a.yaml:4:1: unresolved[template-action]",
        "can have spec.ipWhiteList, which is to be converted",
    );
}

#[test]
fn a_reference_whose_kind_an_action_prints_is_reported_where_the_target_lacks_what_it_names() {
    let scaler = |kind: &str, after: &str| {
        format!(
            "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {{name: x}}\nspec:\n  scaleTargetRef:\n    \
             apiVersion: extensions/v1beta1\n    {kind}\n    name: x\n{after}=== values.yaml\nk: Deployment\n"
        )
    };
    let with = "{{- with .Values.k }}\n    kind: {{ . }}\n    {{- end }}";
    let place = "templates/a.yaml:6:5: unresolved[reference-not-updated] ScaledObject x";
    held(
        &scaler("kind: {{ .Values.k }}", ""),
        place,
        "spec.scaleTargetRef.apiVersion is version v1beta1 of Deployment",
    );
    // Without a kind it is about a Deployment.
    let place = "templates/a.yaml:7:5: held-back[template-action] ScaledObject x";
    held(&scaler(with, ""), place, "what must change at spec.scaleTargetRef.apiVersion (line 6) depends on");
    let ranged = format!("{{{{- range list \"Deployment\" }}}}\n---\n{}", scaler("kind: {{ . }}", "{{- end }}\n"));
    held(&ranged, "templates/a.yaml:8:5: unresolved[reference-not-updated]", "version v1beta1 of Deployment");
    // A kind by itself can leave its group.
    let route = |kind: &str| {
        format!(
            "apiVersion: networking.gke.io/v1\nkind: HealthCheckPolicy\nmetadata: {{name: x}}\nspec:\n  targetRef:\n    \
             group: inference.networking.x-k8s.io\n    {kind}\n    name: x\n=== values.yaml\nk: InferencePool\n"
        )
    };
    for kind in ["kind: {{ .Values.k }}", with] {
        let route = route(kind);
        let run = becomes(&route, &route, "gie@1.4", 1);
        says(
            &run,
            "templates/a.yaml:5:3: unresolved[reference-not-updated]",
            "spec.targetRef names InferencePool of inference.networking.x-k8s.io",
        );
    }
}

/// A branch of a definition is text of the chart, whatever its values choose by default.
#[test]
fn a_branch_of_a_definition_is_looked_at_that_is_not_taken_by_default() {
    let chart = |head: &str, definition: &str| {
        format!(
            "{head}{{{{ include \"web.spec\" . }}}}\n=== templates/_h.tpl\n{{{{- define \"web.spec\" -}}}}\n{definition}{{{{- end -}}}}\n=== values.yaml\nnum: 1\nother: true\n"
        )
    };
    let otherwise = "where a condition is decided otherwise than by default";
    let held = |head: &str, definition: &str, place: &str| held(&chart(head, definition), place, otherwise);
    let budget = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\n";
    held(
        budget,
        "spec:\n  minAvailable: {{ .Values.num }}\n  selector: {{ if .Values.on }}{}{{ else }}{matchLabels: {app: a}}{{ end }}\n",
        "templates/a.yaml:1:1: held-back[not-convertible] PodDisruptionBudget a",
    );
    // What all branches leave out together.
    held(
        budget,
        "spec:\n  minAvailable: 1\n  selector:\n    matchLabels:\n      {{- if .Values.num }}\n      a: b\n      {{- end }}\n      {{- if .Values.other }}\n      c: d\n      {{- end }}\n",
        "templates/a.yaml:1:1: held-back[not-convertible] PodDisruptionBudget a",
    );
    let ingress = "apiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: {name: a}\n";
    let old = "  rules:\n  - http: {paths: [{path: /, backend: {serviceName: a, servicePort: 80}}]}\n";
    let place = "templates/a.yaml:1:1: held-back[template-action] Ingress a";
    held(
        ingress,
        &format!(
            "spec:\n  ingressClassName: {{{{ .Values.num }}}}\n  {{{{- if .Values.on }}}}\n{old}  {{{{- end }}}}\n"
        ),
        place,
    );
    // In a branch inside of one.
    held(
        ingress,
        &format!(
            "spec:\n  ingressClassName: a\n  {{{{- if .Values.on }}}}\n  {{{{- with .Values.more }}}}\n{old}  {{{{- end }}}}\n  {{{{- end }}}}\n"
        ),
        place,
    );
    // The same, chosen by a function.
    let chosen = "  rules: [{http: {paths: [{path: /, backend: {serviceName: a, servicePort: 80}}]}}]";
    held(ingress, &format!("spec:\n  ingressClassName: a\n{{{{ ternary \"{chosen}\" \"\" .Values.on }}}}\n"), place);
    // What no branch has is nothing to convert.
    let class = "spec:\n  ingressClassName: {{ .Values.num }}\n  {{- if .Values.on }}\n  rules: []\n  {{- end }}\n";
    converts(&chart(ingress, class), &chart(&ingress.replace("extensions/v1beta1", "networking.k8s.io/v1"), class));
}

/// A branch is looked at with what must hold where it is taken.
#[test]
fn what_no_branch_of_a_definition_prints_is_no_reason() {
    let budget = |version: &str, labels: &str| {
        format!(
            "apiVersion: policy/{version}\nkind: PodDisruptionBudget\nmetadata: {{name: a}}\nspec:\n  {{{{- include \"web.spec\" (dict \"root\" $ \"kind\" \"new\") | nindent 2 }}}}\n=== templates/_h.tpl\n{{{{- define \"web.spec\" -}}}}\nminAvailable: 1\nselector:\n  matchLabels:\n{labels}{{{{- end -}}}}\n=== values.yaml\nlabels: {{}}\nmode: a\n"
        )
    };
    for labels in [
        "    {{- if .root.Values.labels }}\n    {{- toYaml .root.Values.labels | nindent 4 }}\n    {{- else }}\n    app: x\n    {{- end }}\n",
        "    {{- with .root.Values.labels }}\n    {{- toYaml . | nindent 4 }}\n    {{- else }}\n    app: x\n    {{- end }}\n",
        "    {{- if eq .root.Values.mode \"a\" }}\n    app: x\n    {{- end }}\n    {{- if ne .root.Values.mode \"a\" }}\n    app: y\n    {{- end }}\n",
        "    {{- if .root.Values.on }}\n    app: x\n    {{- end }}\n    {{- if not .root.Values.on }}\n    app: y\n    {{- end }}\n",
        "    {{- if not .legacy }}\n    app: x\n    {{- end }}\n",
        "    {{- if eq .kind \"new\" }}\n    app: x\n    {{- end }}\n",
    ] {
        converts(&budget("v1beta1", labels), &budget("v1", labels));
    }
    let optional = "    {{- if eq .root.Values.mode \"a\" }}\n    app: x\n    {{- end }}\n";
    held(
        &budget("v1beta1", optional),
        "templates/a.yaml:4:1: held-back[not-convertible] PodDisruptionBudget a",
        "where a condition is decided otherwise than by default",
    );
}

/// It is no patch of one.
#[test]
fn a_workload_whose_fields_a_definition_prints_is_held_back() {
    held(
        "apiVersion: extensions/v1beta1\nkind: Deployment\nmetadata: {name: a}\n{{ include \"web.spec\" . }}\n=== templates/_h.tpl\n{{- define \"web.spec\" -}}\nspec:\n  replicas: {{ .Values.num }}\n  template:\n    metadata: {labels: {app: a}}\n    spec: {containers: [{name: c, image: i}]}\n{{- end -}}\n=== values.yaml\nnum: 1\n",
        "templates/a.yaml:1:1: held-back[not-convertible] Deployment a",
        "what an action prints beside it is not known",
    );
}

/// Whatever is known of other values that the same rule looks at.
#[test]
fn a_value_without_a_default_is_told_beside_one_that_has_one() {
    let hook = |name: &str, key: &str| {
        format!(
            "- name: {name}.b.io\n  clientConfig: {{url: \"https://x\"}}\n  sideEffects: {{{{ .Values.{key} }}}}\n  admissionReviewVersions: [v1]\n  matchPolicy: Exact\n  timeoutSeconds: 5\n  failurePolicy: Fail\n"
        )
    };
    for (keys, line) in [(["set", "unset"], 14), (["unset", "set"], 7)] {
        let [first, second] = keys;
        let object = |version: &str| {
            format!(
                "apiVersion: admissionregistration.k8s.io/{version}\nkind: ValidatingWebhookConfiguration\nmetadata: {{name: a}}\nwebhooks:\n{}{}=== values.yaml\nset: None\n",
                hook("a", first),
                hook("b", second)
            )
        };
        let run = becomes(&object("v1beta1"), &object("v1"), "kubernetes@1.33", 1);
        let place = format!("templates/a.yaml:{line}:3: unresolved[template-action]");
        says(&run, &place, "`{{ .Values.unset }}` has no known default in the chart");
    }
}

/// Each of the texts between which an action chooses is text of the chart.
#[test]
fn a_text_is_looked_at_that_an_action_does_not_print_by_default() {
    let values = "=== templates/_h.tpl\n{{- define \"web.effects\" -}}\n{{ if .Values.on }}Some{{ else }}None{{ end }}\n{{- end -}}\n=== values.yaml\non: false\nnone: None\n";
    let otherwise = "where a condition is decided otherwise than by default";
    let held = |object: &str, place: &str| held(&format!("{object}{values}"), place, otherwise);
    for effects in [
        "ternary \"Some\" \"None\" .Values.on",
        "include \"web.effects\" .",
        "ternary \"Some\" \"None\" .Values.on | quote",
        "tpl (ternary \"Some\" \"None\" .Values.on) $",
        "toYaml (ternary \"Some\" \"None\" .Values.on)",
        "include \"web.effects\" . | toJson",
        "or (and .Values.on \"Some\") \"None\"",
        "default \"Some\" .Values.none",
        // Nothing stands for the default.
        "ternary nil \"None\" .Values.on",
    ] {
        held(
            &format!(
                "apiVersion: admissionregistration.k8s.io/v1beta1\nkind: ValidatingWebhookConfiguration\nmetadata: {{name: a}}\nwebhooks:\n- name: a.b.io\n  sideEffects: {{{{ {effects} }}}}\n  admissionReviewVersions: [v1]\n  clientConfig: {{url: \"https://x\"}}\n"
            ),
            "templates/a.yaml:4:1: held-back[not-convertible] ValidatingWebhookConfiguration a",
        );
    }
    held(
        "apiVersion: flowcontrol.apiserver.k8s.io/v1beta2\nkind: PriorityLevelConfiguration\nmetadata: {name: a}\nspec:\n  type: Limited\n  limited:\n    assuredConcurrencyShares: {{ ternary 0 5 .Values.on }}\n    limitResponse: {type: Reject}\n",
        "templates/a.yaml:7:5: held-back[not-convertible] PriorityLevelConfiguration a",
    );
    let job = |version: &str, zone: &str| {
        format!(
            "apiVersion: batch/{version}\nkind: CronJob\nmetadata: {{name: a}}\nspec:\n  schedule: {{{{ ternary \"{zone}1 1 1 1 1\" \"2 1 1 1 1\" .Values.on | quote }}}}\n  jobTemplate: {{spec: {{template: {{spec: {{containers: [{{name: c, image: i}}]}}}}}}}}\n"
        )
    };
    held(&job("v1beta1", "TZ=UTC "), "templates/a.yaml:5:3: held-back[invalid-in-target] CronJob a");
    converts(&format!("{}{values}", job("v1beta1", "")), &format!("{}{values}", job("v1", "")));
}
