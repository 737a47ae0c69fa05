//! Charts in which nothing shows what is printed: that is reported, and never silent.

use super::templates::{CURRENT, apply, becomes, chart, converts, held, needs_nothing, says};

/// The beginning of messages about what is printed by default.
const BY_DEFAULT: &str = "where the users of the chart set nothing else, ";

/// Returns a configuration of webhooks, behind whose first one these lines stand.
fn webhooks(indent: &str, more: &str) -> String {
    let first = "- name: a.b.c\n  sideEffects: None\n  failurePolicy: Fail\n  matchPolicy: Exact\n  timeoutSeconds: 5\n  admissionReviewVersions: [v1]\n  clientConfig: {url: \"https://a\"}\n";
    let first: String = first.lines().map(|line| format!("{indent}{line}\n")).collect();
    format!(
        "apiVersion: admissionregistration.k8s.io/v1beta1\nkind: ValidatingWebhookConfiguration\nmetadata: {{name: web}}\nwebhooks:\n{first}{more}"
    )
}

const HOOKS: &str = "=== templates/_h.tpl\n{{- define \"hooks\" -}}\n{{- if .Values.more }}\n- name: d.e.f\n  sideEffects: None\n  clientConfig: {url: \"https://d\"}\n{{- end }}\n{{- end -}}\n=== values.yaml\nmore: true\n";

#[test]
fn items_that_an_action_prints_can_lack_what_is_written_in_each() {
    for (indent, call) in [
        ("", "{{- include \"hooks\" . }}\n"),
        ("", "{{- include \"hooks\" . | nindent 0 }}\n"),
        ("  ", "{{- include \"hooks\" . | nindent 2 }}\n"),
        ("", "{{- with .Values.custom }}\n{{ toYaml . }}\n{{- end }}\n"),
    ] {
        held(
            &format!("{}{HOOKS}", webhooks(indent, call)),
            "templates/a.yaml:4:1: held-back[template-action]",
            "what an action prints here may lack webhooks[].failurePolicy, whose default is to be written",
        );
    }
    let tree = chart(&format!("{}{HOOKS}", webhooks("", "{{- include \"hooks\" . }}\n")), "\n");
    let run = tree.run(&["check", "--to", CURRENT, "--set", "kubernetes.defaults=adopt"]);
    assert!(!run.all().contains("may lack"), "who adopts the defaults has none written\n{}", run.all());
}

#[test]
fn a_definition_decides_where_what_it_prints_belongs() {
    let ingress = |lines: &str, define: &str| {
        format!(
            "apiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: {{name: x}}\nspec:\n  rules:\n    - host: a\n{lines}{{{{- include \"more\" . }}}}\n=== templates/_h.tpl\n{{{{- define \"more\" -}}}}\n{{{{- if .Values.more }}}}\n{define}{{{{- end }}}}\n{{{{- end -}}}}\n"
        )
    };
    let paths =
        "      http:\n        paths:\n          - path: /y\n            backend: {serviceName: x, servicePort: 80}\n";
    let more = "          - path: /x\n            backend: {serviceName: x, servicePort: 80}\n";
    held(
        &ingress(paths, more),
        "templates/a.yaml:8:9: held-back[template-action]",
        "can have spec.rules[].http.paths[].backend.serviceName",
    );
    held(
        &ingress("", "  backend: {serviceName: x, servicePort: 80}\n"),
        "templates/a.yaml:4:1: held-back[template-action]",
        "can have spec.backend",
    );
}

#[test]
fn rules_of_other_packs_are_run_whatever_prints_the_api_version() {
    let ingress = |version: &str, prefix: &str, rest: &str| {
        format!(
            "apiVersion: {version}\nkind: Ingress\nmetadata:\n  name: a\n  annotations:\n    {prefix}/cluster-issuer: le\nspec: {{defaultBackend: {{service: {{name: a, port: {{number: 80}}}}}}}}\n{rest}"
        )
    };
    let helper = "=== templates/_h.tpl\n{{- define \"ing.api\" -}}\n{{- if semverCompare \">=1.19-0\" .Capabilities.KubeVersion.GitVersion -}}\nnetworking.k8s.io/v1\n{{- else -}}\nnetworking.k8s.io/v1beta1\n{{- end -}}\n{{- end -}}\n";
    let values = "=== values.yaml\napi: networking.k8s.io/v1\n";
    for (version, rest) in [
        ("networking.k8s.io/v1", ""),
        ("{{ include \"ing.api\" . }}", helper),
        ("{{ .Values.api }}", values),
        ("{{ .Values.api }}", ""),
        ("{{ include \"library.api\" . }}", ""),
    ] {
        let [old, new] = ["certmanager.k8s.io", "cert-manager.io"].map(|prefix| ingress(version, prefix, rest));
        becomes(&old, &new, "cert-manager@1.14", 0);
    }
    let other = ingress("{{ .Values.api }}", "certmanager.k8s.io", "=== values.yaml\napi: example.com/v1\n");
    becomes(&other, &other, "cert-manager@1.14", 3);
}

/// Returns a Deployment of this kind whose pods have these annotations.
fn workload(kind: &str, annotations: &str, rest: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: a}}\nspec:\n  selector: {{matchLabels: {{a: b}}}}\n  template:\n    metadata:\n      labels: {{a: b}}\n      annotations:\n{annotations}    spec: {{containers: [{{name: a, image: b}}]}}\n{rest}"
    )
}

#[test]
fn a_kind_that_an_action_prints_can_be_one_of_another_pack() {
    let helper = "=== templates/_h.tpl\n{{- define \"k\" -}}\n{{- if .Values.set }}StatefulSet{{ else }}Deployment{{ end -}}\n{{- end -}}\n";
    let annotations = ["        policy.cilium.io/proxy-visibility: x\n        a: b\n", "        a: b\n"];
    for (kind, rest) in [
        ("{{ .Values.kind }}", "=== values.yaml\nkind: Deployment\n"),
        ("{{ ternary \"StatefulSet\" \"Deployment\" .Values.set }}", ""),
        ("{{ include \"k\" . }}", helper),
    ] {
        let [old, new] = annotations.map(|own| workload(kind, own, rest));
        becomes(&old, &new, "cilium@1.17.1", 0);
        let other = workload(kind, annotations[1], rest);
        becomes(&other, &other, "cilium@1.17.1", 3);
    }
}

#[test]
fn what_only_values_and_definitions_have_is_looked_for_in_kinds_of_other_packs() {
    let annotation = "policy.cilium.io/proxy-visibility: x";
    let values = format!("=== values.yaml\nannotations: {{{annotation}}}\n");
    let helper = format!("=== templates/_h.tpl\n{{{{- define \"own\" -}}}}\n{annotation}\n{{{{- end -}}}}\n");
    for (action, rest, part) in [
        ("{{- toYaml .Values.annotations | nindent 8 }}", &values, BY_DEFAULT),
        ("{{- include \"own\" . | nindent 8 }}", &helper, "stands in what must change"),
    ] {
        let own = workload("Deployment", &format!("        {action}\n"), rest);
        says(&becomes(&own, &own, "cilium@1.17.1", 1), "templates/a.yaml:", part);
        let other = own.replace("policy.cilium.io", "example.com");
        becomes(&other, &other, "cilium@1.17.1", 3);
    }
}

#[test]
fn references_of_an_object_stay_where_its_api_version_is_open() {
    let pool = "apiVersion: {{ .Values.api }}\nkind: NodePool\nmetadata:\n  name: default\nspec:\n  template:\n    spec:\n      nodeClassRef:\n        group: karpenter.k8s.aws\n        kind: EC2NodeClass\n        name: default\n      requirements: []\n=== values.yaml\napi: karpenter.sh/v1\n";
    let run = becomes(pool, pool, "karpenter@0.31", 1);
    says(&run, "templates/a.yaml:1:1: unresolved[template-action]", "by default that is karpenter.sh/v1");
}

#[test]
fn annotations_that_a_definition_prints_are_looked_at() {
    held(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  selector: {matchLabels: {app: web}}\n  template:\n    metadata:\n      labels: {app: web}\n      annotations:\n        {{- include \"annotations\" . | nindent 8 }}\n    spec: {containers: [{name: a, image: b}]}\n=== templates/_h.tpl\n{{- define \"annotations\" -}}\nseccomp.security.alpha.kubernetes.io/pod: runtime/default\nof: {{ .Release.Name }}\n{{- end -}}\n",
        "templates/a.yaml:",
        "where the users of the chart set nothing else, an action prints",
    );
}

#[test]
fn a_version_of_the_values_is_not_that_of_the_cluster() {
    let own = |version: &str| {
        format!(
            "apiVersion: {{{{ include \"api\" . }}}}\nkind: Ingress\nmetadata: {{name: x}}\nspec:\n  ingressClassName: a\n=== templates/_h.tpl\n{{{{- define \"version\" -}}}}{{{{ default .Capabilities.KubeVersion.Version .Values.kubeVersionOverride }}}}{{{{- end -}}}}\n{{{{- define \"api\" -}}}}\n{{{{- if semverCompare \"<1.19-0\" (include \"version\" .) -}}}}extensions/v1beta1{{{{- else -}}}}networking.k8s.io/v1{{{{- end -}}}}\n{{{{- end -}}}}\n=== values.yaml\nkubeVersionOverride: {version}\n"
        )
    };
    held(
        &own("1.18.0"),
        "templates/a.yaml:1:1: unresolved[template-action]",
        "the apiVersion of an object is `{{ include \"api\" . }}`",
    );
    says(
        &becomes(&own("''"), &own("''"), CURRENT, 0),
        "Chart.yaml: note[chart]",
        "actions print the apiVersion of these as the target wants it",
    );
}

#[test]
fn an_object_that_actions_make_is_told() {
    let budget = "kind: PodDisruptionBudget\nmetadata: {name: x}\nspec: {selector: {matchLabels: {app: x}}}\n";
    for own in [
        "{{- $made := dict \"kind\" \"PodDisruptionBudget\" }}\n{{- $_ := set $made \"apiVersion\" \"policy/v1beta1\" }}\n{{ toYaml $made }}\n".to_owned(),
        "{{ fromYaml \"apiVersion: policy/v1beta1\\nkind: PodDisruptionBudget\" | toYaml }}\n".to_owned(),
    ] {
        held(&own, "templates/a.yaml:", "makes an object of policy/v1beta1, which is not converted");
    }
    let own = |version: &str, replaced: &str| {
        format!(
            "{{{{ include \"budget\" . | replace {replaced} }}}}\n=== templates/_h.tpl\n{{{{- define \"budget\" -}}}}\napiVersion: policy/{version}\n{budget}{{{{- end -}}}}\n"
        )
    };
    held(
        &own("OLD", "\"OLD\" \"v1beta1\""),
        "templates/a.yaml:1:1: unresolved[template-action]",
        "makes an object of a definition, whose text it changes",
    );
    held(&own("v1beta1", "\"x\" \"y\""), "templates/_h.tpl:2:1: held-back[template-action]", "the chart reads what");
}

#[test]
fn templates_are_converted_whatever_their_names_are() {
    let budget = |version: &str| {
        format!(
            "apiVersion: policy/{version}\nkind: PodDisruptionBudget\nmetadata: {{name: {{{{ .Release.Name }}}}}}\nspec: {{selector: {{matchLabels: {{app: x}}}}}}\n"
        )
    };
    for name in ["a.conf", "a.yaml.gotmpl", "a", "a.txt"] {
        let own = |version: &str| format!("=== templates/{name}\n{}", budget(version));
        converts(&own("v1beta1"), &own("v1"));
    }
    // What is shown to the user is none.
    let tree = chart(&format!("=== templates/NOTES.txt\n{}", budget("v1beta1")), "\n");
    apply(&tree, CURRENT).check(3);
    assert_eq!(tree.text("templates/NOTES.txt"), budget("v1beta1"));
}

#[test]
fn a_file_that_a_template_can_print_is_told() {
    let budget = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: x}\n";
    let own = |action: &str, name: &str| format!("{action}\n=== {name}\n{budget}");
    let range = "{{ range $path, $_ := .Files.Glob \"files/*\" }}{{ $.Files.Get $path }}{{ end }}";
    for name in ["files/a.txt", "files/a.tpl"] {
        for action in [
            range,
            &format!("{{{{ .Files.Get \"{name}\" }}}}"),
            "{{ .Files.Get .Values.file }}",
            "{{ .Files.Get (printf \"files/%s\" .Values.file) }}",
            "{{ with .Values.file }}{{ tpl ($.Files.Get .) $ }}{{ end }}",
            "{{- $files := .Files }}{{ range $path, $_ := $files.Glob (print .Values.folder \"/*\") }}{{ $files.Get $path }}{{ end }}",
            "{{ include \"file\" (dict \"root\" . \"path\" .Values.file) }}\n=== templates/_h.tpl\n{{ define \"file\" }}{{ .root.Files.Get .path }}{{ end }}",
        ] {
            held(
                &own(action, name),
                &format!("{name}:1:1: unresolved[not-an-object]"),
                "an object of policy/v1beta1 is in a file",
            );
        }
    }
    let current = own("{{ .Files.Get \"files/a.txt\" }}", "files/a.txt").replace("v1beta1", "v1");
    becomes(&current, &current, CURRENT, 3);
    for action in ["{{ .Files.Get .Values.file }}", "{{ .Files.Get (printf \"boards/%s\" .Values.file) }}"] {
        let other = own(action, if action.contains("boards") { "files/a.txt" } else { "README.md" });
        becomes(&other, &other, CURRENT, 3);
    }
    // No template prints it.
    let other = own("{{ .Files.Get \"files/b.txt\" }}", "README.md");
    becomes(&other, &other, CURRENT, 3);
    let own = own("a: {{ .Values.a }}", "files/a.txt");
    becomes(&own, &own, CURRENT, 3);
}

#[test]
fn a_definition_that_another_chart_prints_is_told() {
    let own = |version: &str| {
        format!(
            "=== templates/_h.tpl\n{{{{- define \"sub.version\" -}}}}policy/{version}{{{{- end -}}}}\n=== charts/sub/Chart.yaml\napiVersion: v2\nname: sub\nversion: 1.0.0\n=== charts/sub/templates/_h.tpl\n{{{{- define \"sub.version\" -}}}}policy/v1{{{{- end -}}}}\n"
        )
    };
    held(
        &own("v1beta1"),
        "templates/_h.tpl:1:29: unresolved[template-action]",
        "a chart in the folder charts defines sub.version too",
    );
    becomes(&own("v1"), &own("v1"), CURRENT, 3);
}

#[test]
fn an_object_of_values_whose_version_is_an_action_is_told() {
    held(
        "{{- range .Values.extraObjects }}\n---\n{{ tpl (toYaml .) $ }}\n{{- end }}\n=== values.yaml\nextraObjects:\n- apiVersion: '{{ include \"version\" . }}'\n  kind: PodDisruptionBudget\n  metadata: {name: x}\n",
        "values.yaml:2:1: unresolved[template-action]",
        "the apiVersion of an object is `{{ include \"version\" . }}`",
    );
    held(
        "kind: PodDisruptionBudget\nmetadata: {name: x}\n{{ toYaml .Values.budget }}\n=== values.yaml\nbudget:\n  apiVersion: policy/v1beta1\n  spec: {minAvailable: 1}\n",
        "values.yaml: unresolved[not-an-object]",
        "a part of an object of policy/v1beta1",
    );
    held(
        "apiVersion: {{ .Values.own.apiVersion }}\nkind: {{ .Values.own.kind }}\nmetadata: {name: x}\n=== values.yaml\nown: {apiVersion: policy/v1beta1, kind: PodDisruptionBudget}\n",
        "templates/a.yaml:1:1: unresolved[template-action]",
        "the apiVersion of an object is `{{ .Values.own.apiVersion }}`",
    );
}

#[test]
fn what_can_be_refused_and_has_no_known_default_is_told() {
    let own = |value: &str, rest: &str| {
        let all = webhooks("", "").replace("sideEffects: None", &format!("sideEffects: {value}"));
        format!("{all}=== values.yaml\neffects: none\n{rest}")
    };
    for value in ["{{ .Values.effects | camelcase }}", "{{ substr 0 4 .Values.effects }}"] {
        let chart = own(value, "");
        let run = becomes(&chart, chart.replace("v1beta1", "v1").split("===").next().unwrap(), CURRENT, 1);
        says(&run, "templates/a.yaml:6:3: unresolved[template-action]", &format!("`{value}` has no known default"));
    }
    let define = |version: &str| {
        let all =
            webhooks("", "").replace("sideEffects: None", "sideEffects: {{ .effects }}").replace("v1beta1", version);
        format!(
            "=== templates/_h.tpl\n{{{{- define \"hooks\" -}}}}\n{all}{{{{- end -}}}}\n=== templates/a.yaml\n{{{{ include \"hooks\" (dict \"effects\" .Values.effects) }}}}\n"
        )
    };
    says(
        &becomes(&define("v1beta1"), &define("v1"), CURRENT, 1),
        "templates/_h.tpl:7:3: unresolved[template-action]",
        "`{{ .effects }}` has no known default",
    );
}

#[test]
fn a_comma_between_items_is_no_reason_to_leave_a_template() {
    let own = |version: &str| {
        format!(
            "apiVersion: policy/{version}\nkind: PodDisruptionBudget\nmetadata:\n  name: x\n  annotations:\n    hosts: {{{{ range $at, $host := .Values.hosts }}}}{{{{ if $at }}}},{{{{ end }}}}{{{{ $host }}}}{{{{ end }}}}\nspec: {{selector: {{matchLabels: {{app: x}}}}}}\n"
        )
    };
    converts(&own("v1beta1"), &own("v1"));
}

#[test]
fn what_an_action_prints_as_a_whole_value_can_be_a_mapping() {
    let own = |version: &str| {
        format!(
            "apiVersion: policy/{version}\nkind: PodDisruptionBudget\nmetadata: {{name: x}}\nspec:\n  selector:\n    matchLabels: {{{{ toJson .Values.labels }}}}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: x}}\nspec:\n  selector: {{matchLabels: {{app: x}}}}\n  template:\n    metadata: {{labels: {{app: x}}}}\n    spec:\n      securityContext: {{{{ toJson .Values.context }}}}\n      containers: [{{name: a, image: b}}]\n"
        )
    };
    let values = |labels: &str| format!("=== values.yaml\nlabels: {labels}\ncontext: {{runAsUser: 1}}\n");
    let run = becomes(&format!("{}{}", own("v1beta1"), values("{app: x}")), &own("v1"), CURRENT, 0);
    assert!(!run.all().contains("already-invalid"), "{}", run.all());
    held(
        &format!("{}{}", own("v1beta1"), values("{}")),
        "templates/a.yaml:5:3: held-back[not-convertible]",
        "where the users of the chart set nothing else, an empty selector",
    );
}

#[test]
fn a_kind_that_is_served_may_be_an_action() {
    let own = "apiVersion: rbac.authorization.k8s.io/v1\nkind: {{ ternary \"ClusterRole\" \"Role\" .Values.all }}\nmetadata: {name: x}\nrules: []\n";
    needs_nothing(own, 0);
}

/// Returns a Service, whose fields values print, in a chart with another one that has the old field.
fn service(values: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Service\nmetadata: {{name: x}}\nspec:\n  {{{{- toYaml .Values.service | nindent 2 }}}}\n=== values.yaml\nservice: {values}\nother: {{topologyKeys: [a]}}\n"
    )
}

#[test]
fn fields_of_a_version_that_stays_are_looked_at_in_the_values() {
    let own = service("{type: ClusterIP, ports: [{port: 80}]}");
    becomes(&own, &own, CURRENT, 3);
    held(&service("{topologyKeys: [a]}"), "templates/a.yaml:4:1: held-back[not-convertible]", "topologyKeys");
    held(
        &service("{topologyKeys: [\"*\"]}"),
        "templates/a.yaml:4:1: held-back[template-action]",
        "an action prints spec.topologyKeys, which is to be converted",
    );
}

#[test]
fn a_chart_in_an_archive_is_told_once_and_is_no_failure() {
    let budget = "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: {{ .Release.Name }}}\nspec: {selector: {matchLabels: {app: x}}}\n";
    let dependencies = "=== requirements.yaml\ndependencies:\n- {name: database, version: 1.2.3, repository: https://charts.example.com}\n- {name: cache, version: 1.0.0, repository: https://charts.example.com}\n- {name: own, version: 1.0.0, repository: file://../own}\n";
    let tree = chart(&format!("{budget}{dependencies}"), "\n");
    std::fs::create_dir(tree.path("charts")).unwrap();
    std::fs::write(tree.path("charts/database-1.2.3.tgz"), [0x1f, 0x8b, 0, 1]).unwrap();
    let run = tree.run(&["check", "--to", CURRENT]);
    run.check(0);
    says(&run, "Chart.yaml: warning[chart]", "the charts that it brings as archives are not read: database-1.2.3.tgz");
    let run = tree.run(&["check", "-v", "--to", CURRENT]);
    says(
        &run,
        "Chart.yaml: note[chart]",
        "the charts that it depends on are not in its folder charts, and not read: cache",
    );
    assert!(run.all().lines().all(|line| !line.ends_with("own") && !line.contains("cache, own")), "{}", run.all());
}

#[test]
fn fields_that_the_target_lacks_are_looked_for_in_the_values() {
    let own = |rule: &str| {
        format!(
            "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {{name: x}}\nspec:\n  parentRefs: [{{name: g}}]\n  rules:\n    {{{{- toYaml .Values.rules | nindent 4 }}}}\n=== values.yaml\nrules: [{{{rule}backendRefs: [{{name: a, port: 80}}]}}]\n"
        )
    };
    let target = "gateway-api@1.3/standard";
    let new = own("sessionPersistence: {sessionName: a}, ");
    let run = becomes(&new, &new, target, 1);
    says(
        &run,
        "templates/a.yaml:6:3: held-back[template-action]",
        "an action prints spec.rules[0].sessionPersistence, and gateway-api@1.3.0/standard has no such field",
    );
    says(&run, "help:", "remove rules[].sessionPersistence from the values of the chart (values.yaml)");
    let service = |field: &str| {
        format!(
            "apiVersion: v1\nkind: Service\nmetadata: {{name: x}}\nspec:\n  {{{{- toYaml .Values.web.service | nindent 2 }}}}\n=== values.yaml\nweb: {{service: {{type: ClusterIP{field}}}}}\n"
        )
    };
    for (field, help) in [
        (", topologyKeys: ['*']", "remove web.service.topologyKeys from the values of the chart (values.yaml)"),
        (
            ", ipFamily: IPv4",
            "convert the object, and web.service.ipFamily in the values of the chart (values.yaml), by hand",
        ),
    ] {
        says(&becomes(&service(field), &service(field), CURRENT, 1), "help:", help);
    }
    let plain = own("");
    says(
        &becomes(&plain, &plain, target, 0),
        "templates/a.yaml:6:3: note[template-action]",
        "what an action prints here can have spec.rules[].",
    );
    // Who sets more gets the fields of another apiVersion than the template has then.
    let policy = "apiVersion: gateway.networking.k8s.io/v1alpha2\nkind: BackendTLSPolicy\nmetadata: {name: x}\nspec:\n  targetRef: {group: '', kind: Service, name: x}\n  tls:\n    {{- toYaml .Values.tls | nindent 4 }}\n=== values.yaml\ntls: {hostname: a.example.com}\n";
    says(
        &becomes(policy, policy, "gateway-api@1.3/experimental", 1),
        "templates/a.yaml:6:3: held-back[template-action]",
        "what an action prints here can have spec.tls.",
    );
}

#[test]
fn what_a_definition_is_called_with_is_looked_at() {
    let chart = |define: &str, call: &str, values: &str| {
        format!(
            "=== templates/_h.tpl\n{{{{- define \"made\" -}}}}\n{define}\n{{{{- end -}}}}\n=== templates/a.yaml\n{call}\n=== values.yaml\n{values}\n"
        )
    };
    let budget = |version: &str| {
        format!(
            "apiVersion: policy/{version}\nkind: PodDisruptionBudget\nmetadata: {{name: x}}\nspec:\n  {{{{- toYaml .spec | nindent 2 }}}}"
        )
    };
    let call = "{{ include \"made\" (dict \"spec\" .Values.budget \"root\" $) }}";
    let values = |selector: &str| format!("budget: {{minAvailable: 1, selector: {{{selector}}}}}");
    held(
        &chart(&budget("v1beta1"), call, &values("")),
        "templates/_h.tpl:5:1: held-back[not-convertible]",
        "where the users of the chart set nothing else, an empty selector",
    );
    let own = |version: &str| chart(&budget(version), call, &values("matchLabels: {app: x}"));
    converts(&own("v1beta1"), &own("v1"));
    let job = "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: x}\nspec:\n  schedule: {{ .job.schedule | quote }}\n  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}}";
    let range = "{{- range .Values.jobs }}\n---\n{{ include \"made\" (dict \"job\" .) }}\n{{- end }}";
    held(
        &chart(job, range, "jobs: [{schedule: 0 3 * * *}, {schedule: TZ=UTC 0 3 * * *}]"),
        "templates/_h.tpl:6:3: held-back[invalid-in-target]",
        "where the users of the chart set nothing else",
    );
    let plain = chart(job, range, "jobs: [{schedule: 0 3 * * *}]");
    becomes(&plain, &plain, CURRENT, 0);
    let pods = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\nspec:\n  selector: {matchLabels: {app: x}}\n  template:\n    metadata:\n      labels: {app: x}\n      annotations:\n        {{- toYaml .annotations | nindent 8 }}\n    spec: {containers: [{name: a, image: b}]}";
    held(
        &chart(
            pods,
            "{{ include \"made\" (dict \"annotations\" .Values.annotations) }}",
            "annotations: {seccomp.security.alpha.kubernetes.io/pod: runtime/default}",
        ),
        "templates/_h.tpl:",
        "where the users of the chart set nothing else, an action prints",
    );
    let outer = "{{- define \"outer\" -}}\n{{- $arguments := dict \"spec\" .Values.budget }}\n{{- include \"made\" $arguments }}\n{{- end -}}\n";
    let passing = "{{- define \"passing\" -}}\n{{- include \"made\" . }}\n{{- end -}}\n";
    for (define, call, other) in [
        (budget("v1beta1").replace(".spec", "(index . 1)"), "{{ include \"made\" (list $ .Values.budget) }}", ""),
        (budget("v1beta1"), "{{ include \"outer\" . }}", outer),
        (budget("v1beta1"), "{{ include \"passing\" (dict \"spec\" .Values.budget) }}", passing),
    ] {
        held(
            &format!("=== templates/_o.tpl\n{other}{}", chart(&define, call, &values(""))),
            "templates/_h.tpl:5:1: held-back[not-convertible]",
            "where the users of the chart set nothing else, an empty selector",
        );
    }
    let labels = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: x}\nspec:\n  selector:\n    matchLabels:\n      {{- toYaml .labels | nindent 6 }}";
    held(
        &chart(labels, "{{ include \"made\" (dict \"labels\" .Values.labels) }}", "other: {}"),
        "templates/_h.tpl:6:3: held-back[not-convertible]",
        "an empty selector",
    );
}

const OLD: &str = "=== values.yaml\napi: policy/v1beta1\nrest: {kind: PodDisruptionBudget, metadata: {name: f}, spec: {minAvailable: 1}}\n=== templates/_h.tpl\n{{- define \"api\" }}policy/v1beta1{{ end }}\n";

#[test]
fn an_api_version_that_an_action_prints_is_looked_at_in_every_style() {
    let rest = "kind: PodDisruptionBudget, metadata: {name: f}, spec: {minAvailable: 1}}";
    let by_default = "by default that is policy/v1beta1";
    for (text, part) in [
        (format!("{{apiVersion: {{{{ .Values.api }}}}, {rest}\n"), by_default),
        (format!("{{apiVersion: \"{{{{ .Values.api }}}}\", {rest}\n"), by_default),
        (format!("{{\"apiVersion\": {{{{ .Values.api | quote }}}}, {rest}\n"), by_default),
        (format!("{{apiVersion: {{{{ include \"api\" . }}}}, {rest}\n"), "stands in what must change"),
        (format!("apiVersion: v1\nkind: List\nitems:\n- {{apiVersion: {{{{ .Values.api }}}}, {rest}\n"), by_default),
        ("{\n  \"apiVersion\": \"{{ .Values.api }}\",\n  \"kind\": \"PodDisruptionBudget\",\n  \"metadata\": {\"name\": \"f\"},\n  \"spec\": {\"minAvailable\": 1}\n}\n".to_owned(), by_default),
        ("apiVersion:\n  {{ .Values.api }}\n@budget\n".to_owned(), "on a line of its own"),
        ("apiVersion: >-\n  {{ .Values.api }}\n@budget\n".to_owned(), "on a line of its own"),
    ] {
        held(&format!("{text}{OLD}"), "templates/a.yaml:", part);
    }
}

#[test]
fn an_object_that_an_action_makes_of_values_is_reported() {
    let made = "\"kind\" \"PodDisruptionBudget\" \"metadata\" (dict \"name\" \"f\") \"spec\" (dict \"minAvailable\" 1)";
    for text in [
        format!("{{{{ toYaml (dict \"apiVersion\" .Values.api {made}) }}}}\n"),
        format!("{{{{ dict \"apiVersion\" .Values.api {made} | toJson }}}}\n"),
        format!("{{{{- $d := dict \"apiVersion\" (include \"api\" .) {made} }}}}\n{{{{ toYaml $d }}}}\n"),
        format!(
            "{{{{- $d := dict \"apiVersion\" (printf \"%s/%s\" \"policy\" \"v1beta1\") {made} }}}}\n{{{{ toYaml $d }}}}\n"
        ),
        format!(
            "apiVersion: v1\nkind: List\nitems:\n{{{{ toYaml (list (dict \"apiVersion\" .Values.api {made})) }}}}\n"
        ),
        "{{ printf \"apiVersion: %s\\nkind: PodDisruptionBudget\\nmetadata: {name: f}\\n\" .Values.api }}\n".to_owned(),
        "{{ toYaml (merge (dict \"apiVersion\" .Values.api) .Values.rest) }}\n".to_owned(),
    ] {
        held(&format!("{text}{OLD}"), "templates/a.yaml:", "makes an object of policy/v1beta1 by default");
        let new = format!("{text}{OLD}").replace("v1beta1", "v1");
        let run = chart(&new, "\n").run(&["check", "--to", CURRENT]);
        assert!(!run.all().contains("makes an object"), "{new}\n{}", run.all());
    }
    let written = format!("{{{{- $d := dict \"apiVersion\" \"policy/v1beta1\" {made} }}}}\n{{{{ toYaml $d }}}}\n");
    let run = chart(&written, "\n").run(&["check", "--to", CURRENT]);
    assert_eq!(run.all().matches("makes an object").count(), 1, "{}", run.all());
    let known =
        "{{ printf \"apiVersion: policy/%s\\nkind: PodDisruptionBudget\\nmetadata: {name: f}\\n\" \"v1beta1\" }}\n";
    held(known, "templates/a.yaml:1:1: held-back[template-action]", "stands in what must change");
}

#[test]
fn a_path_that_does_not_show_the_folder_of_templates_is_refused() {
    let tree = chart("apiVersion: policy/v1beta1\n@budget\n", "\n");
    for path in [".", "a.yaml"] {
        let run = tree.run_in("templates", &["check", "--to", CURRENT, path]);
        run.check(2);
        assert!(run.err.contains("is in the templates of the chart"), "{}", run.all());
    }
    tree.run_in("templates", &["check", "--to", CURRENT, "../templates"]).check(1);
}

#[test]
fn an_api_version_that_is_the_same_on_every_cluster_follows_none() {
    let route = |helper: &str| {
        format!(
            "apiVersion: {{{{ include \"api\" . }}}}\nkind: HTTPRoute\nmetadata: {{name: a}}\nspec: {{parentRefs: [{{name: b}}]}}\n=== templates/_h.tpl\n{{{{- define \"api\" }}}}{helper}{{{{ end }}}}\n"
        )
    };
    let own = route("gateway.networking.k8s.io/v1beta1");
    let run = becomes(&own, &own, "gateway-api@1.4/standard", 1);
    says(&run, "templates/a.yaml:1:13: held-back[template-action] HTTPRoute a", "stands in what must change");
    let own = route("gateway.networking.k8s.io/v1");
    becomes(&own, &own, "gateway-api@1.4/standard", 0);
}

#[test]
fn what_another_object_has_is_not_known_where_an_action_prints_into_it() {
    let class = |kubelet: &str| {
        format!(
            "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata:\n  name: a\nspec:\n  amiSelectorTerms:\n  - alias: al2@latest\n  role: a\n  subnetSelectorTerms:\n  - id: subnet-0\n  securityGroupSelectorTerms:\n  - id: sg-0\n  kubelet:\n    maxPods: 20\n{kubelet}"
        )
    };
    let pool = "---\napiVersion: karpenter.sh/v1beta1\nkind: NodePool\nmetadata:\n  name: a\nspec:\n  template:\n    spec:\n      requirements: []\n      nodeClassRef:\n        apiVersion: karpenter.k8s.aws/v1beta1\n        kind: EC2NodeClass\n        name: a\n      kubelet:\n        maxPods: 20\n  disruption:\n    consolidationPolicy: WhenUnderutilized\n    expireAfter: 720h\n";
    let converted = "---\napiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata:\n  name: a\nspec:\n  template:\n    spec:\n      requirements: []\n      nodeClassRef:\n        group: karpenter.k8s.aws\n        kind: EC2NodeClass\n        name: a\n      expireAfter: 720h\n  disruption:\n    consolidationPolicy: WhenEmptyOrUnderutilized\n    consolidateAfter: 0s\n";
    let same = class("  tags: {{ toYaml .Values.tags | nindent 4 }}\n");
    becomes(&[&same, pool].concat(), &[&same, converted].concat(), "karpenter@1.2", 0);
    let more = class("    {{- toYaml .Values.kubelet | nindent 4 }}\n");
    let both = [&more, pool].concat();
    says(
        &becomes(&both, &both, "karpenter@1.2", 1),
        "templates/a.yaml:29:7: held-back[not-convertible]",
        "the kubelet",
    );
}

#[test]
fn what_an_action_prints_into_a_part_of_an_object_does_not_make_it_a_patch() {
    let before = "apiVersion: inference.networking.x-k8s.io/v1alpha2\nkind: InferenceObjective\nmetadata:\n  name: a\nspec:\n  priority: -1\n  poolRef:\n    group: inference.networking.k8s.io\n    {{- toYaml .Values.pool | nindent 4 }}\n";
    says(
        &becomes(before, before, "gateway-api-inference-extension@0.5.0", 1),
        "templates/a.yaml:5:1: held-back[invalid-in-target]",
        "spec.modelName is required but missing",
    );
}

#[test]
fn an_object_that_may_be_referenced_is_held_back_with_what_references_it() {
    let chart = |reference: &str| {
        format!(
            "apiVersion: keda.k8s.io/v1alpha1\nkind: TriggerAuthentication\nmetadata:\n  name: a\nspec:\n  secretTargetRef:\n  - parameter: authMode\n    name: a\n    key: mode\n---\napiVersion: keda.k8s.io/v1alpha1\nkind: ScaledObject\nmetadata:\n  name: a\nspec:\n  scaleTargetRef:\n    deploymentName: a\n  triggers:\n  - type: kafka\n    metadata:\n      topic: a\n    authenticationRef:\n      {reference}\n"
        )
    };
    for reference in ["name: a", "name: {{ .Values.name }}", "{{- toYaml .Values.reference | nindent 6 }}"] {
        let run = becomes(&chart(reference), &chart(reference), "keda@2.0", 1);
        says(&run, "templates/a.yaml:11:1: held-back[converts-together]", "TriggerAuthentication a");
    }
}

/// Each of the two conditions alone leaves a label.
#[test]
fn labels_that_two_conditions_leave_out_together_make_no_selector() {
    let chart = |version: &str, literal: &str| {
        format!(
            "apiVersion: policy/{version}\nkind: PodDisruptionBudget\nmetadata:\n  name: a\nspec:\n  minAvailable: 1\n  selector:\n    matchLabels:\n{literal}      {{{{- if .Values.a }}}}\n      app: a\n      {{{{- end }}}}\n      {{{{- if .Values.b }}}}\n      tier: b\n      {{{{- end }}}}\n"
        )
    };
    held(&chart("v1beta1", ""), "templates/a.yaml:7:3: held-back[not-convertible]", "an empty selector");
    converts(&chart("v1beta1", "      kind: c\n"), &chart("v1", "      kind: c\n"));
}

#[test]
fn lines_that_go_on_in_what_an_action_prints_are_not_read_as_others() {
    let deployment = |meta: &str, values: &str| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: x}}\nspec:\n  selector: {{matchLabels: {{app: f}}}}\n  template:\n    metadata:\n      labels:\n        app: f\n{meta}    spec:\n      containers: [{{name: a, image: b}}]\n=== values.yaml\n{values}"
        )
    };
    let meta = "      {{- toYaml .Values.meta | nindent 6 }}\n        foo: bar\n";
    let part = "the template cannot be read, and is left as it is: this goes on in what `{{- toYaml .Values.meta | nindent 6 }}` prints";
    held(&deployment(meta, "meta: {annotations: {a: b}}\n"), "templates/a.yaml:11:9: unresolved[template]", part);
    let scaler = "apiVersion: autoscaling/v2beta1\nkind: HorizontalPodAutoscaler\nmetadata:\n  name: x\n{{ include \"spec\" . }}\n  maxReplicas: 3\n  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: x}\n  metrics:\n  - type: Resource\n    resource: {name: cpu, targetAverageUtilization: 80}\n=== templates/_h.tpl\n{{- define \"spec\" -}}\nspec:\n  minReplicas: {{ .Values.m }}\n{{- end }}\n=== values.yaml\nm: 1\n";
    held(
        scaler,
        "templates/a.yaml:6:3: unresolved[template]",
        "this goes on in what `{{ include \"spec\" . }}` prints",
    );
    // At the column of what is printed, they are beside it; and behind nothing, those of what is before.
    let beside = "      {{- toYaml .Values.meta | nindent 6 }}\n      annotations: {a: b}\n";
    needs_nothing(&deployment(beside, "meta: {finalizers: [a]}\n"), 0);
    needs_nothing(&deployment(meta, "meta:\n"), 0);
}
