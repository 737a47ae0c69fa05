//! What an action prints as a list, as an item, as a field, or as all that is in one, where a rule or the target asks for it.

use super::templates::{becomes, says};

/// Checks that a chart stays as it is with this target, and why.
#[track_caller]
fn held(chart: &str, target: &str, place: &str, part: &str) {
    says(&becomes(chart, chart, target, 1), place, part);
}

#[test]
fn an_item_that_an_action_prints_is_not_taken_for_one_without_a_value() {
    let transport = |key: &str, item: &str| {
        format!(
            "apiVersion: traefik.io/v1alpha1\nkind: ServersTransport\nmetadata: {{name: a}}\nspec:\n  {key}:\n  {{{{- range .Values.names }}}}\n  - {item}\n  {{{{- end }}}}\n=== templates/_h.tpl\n{{{{- define \"name\" -}}}}{{{{ . }}}}{{{{- end -}}}}\n=== values.yaml\nnames: [one, two]\n"
        )
    };
    let place = "templates/a.yaml:7:3: held-back[not-convertible] ServersTransport a";
    for item in [
        "{{ tpl . $ | quote }}",
        "{{ include \"name\" . }}",
        "{{- toYaml . | nindent 4 }}",
        "{{ toYaml . | indent 4 | trim }}",
    ] {
        let own = transport("rootCAsSecrets", item);
        held(&own, "traefik@3.7", place, "depends on the value of what an action prints here");
    }
    for item in ["{{ . }}", "{{ . | quote }}"] {
        let new = transport("rootCAs", &format!("secret: {item}"));
        becomes(&transport("rootCAsSecrets", item), new.split("===").next().unwrap(), "traefik@3.7", 0);
    }
}

#[test]
fn a_list_that_an_action_prints_has_items() {
    let policy = |list: &str, values: &str| {
        format!(
            "apiVersion: cilium.io/v2\nkind: CiliumNetworkPolicy\nmetadata: {{name: a}}\nspec:\n  endpointSelector: {{}}\n  enableDefaultDeny:\n    ingress: false\n  ingress:{list}\n=== values.yaml\n{values}"
        )
    };
    let part = "spec.enableDefaultDeny.ingress would be lost: before v1.16.0 a policy with rules denies";
    let place = "templates/a.yaml:7:5: held-back[dropped-field] CiliumNetworkPolicy a";
    let values = "rules:\n- fromEntities: [cluster]\n";
    for list in [
        " {{- toYaml .Values.rules | nindent 4 }}",
        "\n    {{- toYaml .Values.rules | nindent 4 }}",
        " {{ toJson .Values.rules }}",
    ] {
        held(&policy(list, values), "cilium@1.12", place, part);
    }
    // What is empty by default can have some.
    let empty = policy("\n    {{- toYaml .Values.rules | nindent 4 }}", "rules: []\n");
    let place = "templates/a.yaml:8:3: held-back[not-convertible] CiliumNetworkPolicy a";
    held(&empty, "cilium@1.12", place, "the conversion depends on the value of what an action prints here");
    // It is what the target asks for, too.
    let own = policy("\n    {{- toYaml .Values.rules | nindent 4 }}", values);
    becomes(&own, &own, "cilium@1.18", 0);
    let join = "apiVersion: bootstrap.cluster.x-k8s.io/v1beta2\nkind: KubeadmConfigTemplate\nmetadata: {name: a}\nspec:\n  template:\n    spec:\n      {{- toYaml .Values.join | nindent 6 }}\n=== values.yaml\njoin:\n  joinConfiguration:\n    nodeRegistration: {name: a}\n";
    becomes(join, join, "cluster-api@1.14.0", 0);
}

#[test]
fn a_selector_is_not_made_of_labels_that_an_action_prints_as_a_part_of_json() {
    let workload = |kind: &str, pods: &str| {
        let version = if kind == "DaemonSet" { "extensions/v1beta1" } else { "apps/v1beta1" };
        format!(
            "apiVersion: {version}\nkind: {kind}\nmetadata: {{name: a}}\nspec:\n{pods}=== values.yaml\npods: {{metadata: {{labels: {{a: b}}}}, spec: {{containers: [{{name: a, image: b}}]}}}}\n"
        )
    };
    for kind in ["DaemonSet", "Deployment", "StatefulSet"] {
        let own = workload(kind, "  template: {{ toJson .Values.pods }}\n");
        let place = format!("templates/a.yaml:5:3: held-back[not-convertible] {kind} a");
        held(&own, "kubernetes@1.33", &place, "what an action prints here belongs into another field too");
        let own = workload(kind, "  template:\n    metadata: {}\n    spec: {{ toJson .Values.pods.spec }}\n");
        let place = format!("templates/a.yaml:4:1: held-back[not-convertible] {kind} a");
        held(&own, "kubernetes@1.33", &place, "apps/v1 requires a selector");
    }
}

#[test]
fn a_field_is_looked_for_in_another_group_too() {
    let middleware = "apiVersion: traefik.io/v1alpha1\nkind: Middleware\nmetadata: {name: a}\nspec:\n  compress:\n    {{- toYaml .Values.compress | nindent 4 }}\n=== values.yaml\ncompress: {encodings: [gzip]}\n";
    let part = "where the users of the chart set nothing else, an action prints spec.compress.encodings, and traefik@";
    // The group changes to 2.9; 2.11 serves both, and neither has the field.
    for target in ["traefik@2.9", "traefik@2.11"] {
        held(middleware, target, "templates/a.yaml:5:3: held-back[template-action] Middleware a", part);
    }
    let own = middleware.replace("encodings: [gzip]", "excludedContentTypes: [a/b]");
    let new = own.replace("traefik.io", "traefik.containo.us");
    becomes(&own, new.split("===").next().unwrap(), "traefik@2.9", 0);
}

#[test]
fn items_of_a_list_that_an_action_prints_are_counted() {
    let route = |rules: &str| {
        format!(
            "apiVersion: gateway.networking.k8s.io/v1alpha2\nkind: TLSRoute\nmetadata: {{name: a}}\nspec:\n  parentRefs: [{{name: a}}]\n  hostnames: [a.example.com]\n  rules: {{{{ toJson .Values.rules }}}}\n=== values.yaml\nrules:\n{rules}"
        )
    };
    let rule = "- backendRefs: [{name: a, port: 1}]\n";
    let part =
        "an action prints what gateway-api@1.6.1/experimental does not allow: spec.rules must have at most 1 entry";
    let place = "templates/a.yaml:7:3: held-back[template-action] TLSRoute a";
    held(&route(&rule.repeat(2)), "gateway-api@1.6.1/experimental", place, part);
    let own = route(rule);
    let new = own.replace("v1alpha2", "v1");
    becomes(&own, new.split("===").next().unwrap(), "gateway-api@1.6.1/experimental", 0);
}

#[test]
fn a_key_with_something_below_it_is_not_absent() {
    let class = |options: &str| {
        format!(
            "apiVersion: karpenter.k8s.aws/v1beta1\nkind: EC2NodeClass\nmetadata: {{name: a}}\nspec:\n  amiFamily: Custom\n  amiSelectorTerms: [{{id: ami-1}}]\n  role: a\n  subnetSelectorTerms: [{{id: subnet-1}}]\n  securityGroupSelectorTerms: [{{id: sg-1}}]\n  metadataOptions:\n    {{{{- toYaml .Values.options | nindent 4 }}}}\n=== values.yaml\noptions: {options}\n"
        )
    };
    let place = "templates/a.yaml:10:3: held-back[not-convertible] EC2NodeClass a";
    held(&class("{}"), "karpenter@1.2", place, "may have metadataOptions, which is to be written where it is absent");
    let own = class("{httpTokens: required, httpPutResponseHopLimit: 2}");
    let new = own.replace("v1beta1", "v1");
    becomes(&own, new.split("===").next().unwrap(), "karpenter@1.2", 0);
}

#[test]
fn a_kind_that_an_action_prints_is_that_of_a_reference() {
    let policy = |group: &str| {
        format!(
            "apiVersion: gateway.envoyproxy.io/v1alpha1\nkind: SecurityPolicy\nmetadata: {{name: a}}\nspec:\n  targetRefs:\n  - group: {{{{ .Values.group | quote }}}}\n    kind: {{{{ .Values.kind }}}}\n    name: a\n  cors: {{allowOrigins: [\"https://a\"]}}\n=== values.yaml\ngroup: {group}\nkind: Gateway\n"
        )
    };
    let own = policy("gateway.networking.k8s.io");
    becomes(&own, &own, "envoy-gateway@1.9", 0);
}

#[test]
fn the_version_of_a_chart_can_stand_in_an_action() {
    let release = |version: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: a}}\nspec:\n  interval: 1h\n  chart:\n    spec:\n      chart: cert-manager\n      version: {{{{ .Values.version }}}}\n      sourceRef: {{kind: HelmRepository, name: a}}\n  values:\n    installCRDs: true\n=== values.yaml\nversion: {version}\n"
        )
    };
    let place = "templates/a.yaml:12:5: unresolved[chart-too-old] HelmRelease a";
    held(&release("v1.14.2"), "cert-manager@1.15", place, "ignores crds.enabled");
    let own = release("v1.15.5");
    let new = own.replace("    installCRDs: true\n", "    crds:\n      enabled: true\n");
    becomes(&own, new.split("===").next().unwrap(), "cert-manager@1.15", 0);
}

#[test]
fn whether_a_mapping_has_a_key_takes_no_values() {
    let chart = |version: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels: {{{{- include \"labels\" (dict \"custom\" .Values.labels \"context\" $) | nindent 4 }}}}\n{{{{- range .Values.extraDeploy }}}}\n---\n{{{{ tpl (toYaml .) $ }}}}\n{{{{- end }}}}\n=== templates/_h.tpl\n{{{{- define \"labels\" -}}}}\n{{{{- if hasKey . \"custom\" -}}}}\na: b\n{{{{- end -}}}}\n{{{{- end -}}}}\n=== values.yaml\nlabels: {{}}\nextraDeploy:\n- apiVersion: policy/{version}\n  kind: PodDisruptionBudget\n  metadata: {{name: a}}\n  spec: {{minAvailable: 1, selector: {{matchLabels: {{a: b}}}}}}\n"
        )
    };
    becomes(&chart("v1beta1"), &chart("v1"), "kubernetes@1.33", 0);
}

#[test]
fn a_text_in_values_is_converted_there_whoever_prints_it() {
    let chart = |version: &str| {
        format!(
            "{{{{- range .Values.extraDeploy }}}}\n---\n{{{{ include \"lib.render\" (dict \"value\" . \"context\" $) }}}}\n{{{{- end }}}}\n=== charts/lib/Chart.yaml\napiVersion: v2\nname: lib\nversion: 1.0.0\n=== charts/lib/templates/_h.tpl\n{{{{- define \"lib.render\" -}}}}\n{{{{- $value := typeIs \"string\" .value | ternary .value (.value | toYaml) }}}}\n{{{{- tpl $value .context }}}}\n{{{{- end -}}}}\n=== values.yaml\nextraDeploy:\n- |\n  apiVersion: batch/{version}\n  kind: CronJob\n  metadata: {{name: a}}\n  spec:\n    schedule: \"@daily\"\n    jobTemplate: {{spec: {{template: {{spec: {{restartPolicy: Never, containers: [{{name: a, image: b}}]}}}}}}}}\n"
        )
    };
    becomes(&chart("v1beta1"), &chart("v1"), "kubernetes@1.33", 0);
}

/// A hole on a line of its own prints nothing in a reading; in the file its action stands there.
#[test]
fn nothing_is_written_on_the_line_of_an_action() {
    let class = |key: &str, behind: &str| {
        format!(
            "apiVersion: cluster.x-k8s.io/{}\nkind: ClusterClass\nmetadata: {{name: a, namespace: b}}\nspec:\n  infrastructure:\n    {key}:\n{{{{ toYaml .Values.x | indent 6 }}}}\n{behind}---\nkind: Other\n=== values.yaml\nx: {{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: DockerX, name: b}}\n",
            if key == "ref" { "v1beta1" } else { "v1beta2" }
        )
    };
    let own = class("templateRef", "    naming:\n      template: infra\n");
    let new = class("ref", "  infrastructureNamingStrategy:\n    template: infra\n");
    becomes(&own, new.split("===").next().unwrap(), "cluster-api@1.10", 0);
    let set = |version: &str, last: &str| {
        format!(
            "apiVersion: {version}\nkind: DaemonSet\nmetadata: {{name: a, labels: {{a: b}}}}\nspec:\n  selector: {{matchLabels: {{a: b}}}}\n  template:\n    metadata: {{labels: {{a: b}}}}\n    spec: {{containers: [{{name: a, image: b}}]}}\n  updateStrategy:\n{{{{ toYaml .Values.strategy | indent 4 }}}}\n{last}---\nkind: Other\n=== values.yaml\nstrategy: {{type: RollingUpdate}}\n"
        )
    };
    let own = set("extensions/v1beta1", "  templateGeneration: 7\n");
    let new = set("apps/v1", "");
    becomes(&own, new.split("===").next().unwrap(), "kubernetes@1.16", 0);
}

#[test]
fn what_is_added_is_put_behind_the_lines_of_actions() {
    let webhook = |version: &str, lines: &str, added: &str| {
        format!(
            "apiVersion: admissionregistration.k8s.io/{version}\nkind: ValidatingWebhookConfiguration\nmetadata: {{name: a}}\nwebhooks:\n  - name: a.b.c\n    clientConfig: {{url: \"https://a\"}}\n{lines}{added}---\nkind: Other\n"
        )
    };
    let added = "    failurePolicy: Ignore\n    matchPolicy: Exact\n    timeoutSeconds: 30\n    admissionReviewVersions:\n      - v1beta1\n";
    let values = "=== values.yaml\nns: {matchLabels: {a: b}}\nrules: [{apiGroups: [\"\"], apiVersions: [v1], operations: [CREATE], resources: [pods]}]\n";
    for lines in [
        "    sideEffects: None\n    namespaceSelector:\n{{ toYaml .Values.ns | indent 6 }}\n",
        "    sideEffects: None\n    namespaceSelector:\n{{ toYaml .Values.ns | indent 6 }}\n{{ toYaml .Values.more | indent 6 }}\n",
        "    sideEffects: None\n{{- if .Values.ns }}\n    namespaceSelector:\n{{ toYaml .Values.ns | indent 6 }}\n{{- end }}\n",
        "    sideEffects: None\n    {{- with .Values.ns }}\n    namespaceSelector:\n{{ toYaml . | indent 6 }}\n    {{- end }}\n",
        "    sideEffects: None\n    rules:\n{{ toYaml .Values.rules | indent 4 }}\n",
    ] {
        becomes(&(webhook("v1beta1", lines, "") + values), &webhook("v1", lines, added), "kubernetes@1.22", 0);
    }
}

#[test]
fn what_is_added_is_put_behind_the_blocks_that_end_a_mapping() {
    let webhook = |version: &str, before: &str, lines: &str, added: &str, behind: &str| {
        format!(
            "{before}apiVersion: admissionregistration.k8s.io/{version}\nkind: ValidatingWebhookConfiguration\nmetadata: {{name: a}}\nwebhooks:\n  - name: a.b.c\n    clientConfig: {{url: \"https://a\"}}\n    failurePolicy: Fail\n    timeoutSeconds: 10\n    admissionReviewVersions: [v1beta1]\n    sideEffects: None\n{lines}{added}{behind}"
        )
    };
    let on = "{{- if .Values.on }}\n";
    let outer = "{{- if .Values.outer }}\n";
    let guarded = format!("    {on}    namespaceSelector: {{matchLabels: {{a: b}}}}\n    {{{{- end }}}}\n");
    let nested = format!(
        "    {on}    namespaceSelector:\n      matchLabels:\n        a: b\n        {{{{- with .Values.more }}}}\n        c: {{{{ . }}}}\n        {{{{- end }}}}\n    {{{{- end }}}}\n"
    );
    let either = format!(
        "    {on}    namespaceSelector: {{}}\n    {{{{- else if .Values.more }}}}\n    objectSelector: {{}}\n    {{{{- end }}}}\n"
    );
    let twice = format!("{guarded}    {{{{- if .Values.more }}}}\n    objectSelector: {{}}\n    {{{{- end }}}}\n");
    let all = "{{- range .Values.all }}\n---\n";
    let inside = format!(
        "    {on}    {{{{- with .Values.more }}}}\n    objectSelector: {{}}\n    {{{{- end }}}}\n    {{{{- end }}}}\n"
    );
    for lines in [guarded, nested, either, twice, inside] {
        for (before, behind) in [("", ""), ("", "---\nkind: Other\n"), (outer, "{{- end }}\n"), (all, "{{- end }}\n")] {
            let own = webhook("v1beta1", before, &lines, "", behind);
            let new = webhook("v1", before, &lines, "    matchPolicy: Exact\n", behind);
            becomes(&own, &new, "kubernetes@1.22", 0);
        }
    }
    // Behind a line that an action prints, in front of the end of what is around the object.
    let line = "    namespaceSelector:\n{{ toYaml .Values.ns | indent 6 }}\n";
    let values = "=== values.yaml\nns: {matchLabels: {a: b}}\nouter: true\nall: [1]\n";
    for (before, behind) in [
        (outer, "{{- end }}\n"),
        (all, "{{- end }}\n"),
        ("", "{{- if .Values.outer }}\n---\nkind: Other\n{{- end }}\n"),
    ] {
        let own = webhook("v1beta1", before, line, "", behind) + values;
        let new = webhook("v1", before, line, "    matchPolicy: Exact\n", behind);
        becomes(&own, &new, "kubernetes@1.22", 0);
    }
    // What belongs into each turn of a range is not put behind it, and nothing on the line of an action.
    let items = "  - name: a.b.d\n    clientConfig: {url: \"https://a\"}\n    failurePolicy: Fail\n    timeoutSeconds: 10\n    admissionReviewVersions: [v1beta1]\n    sideEffects: None\n";
    let of_range = |last: &str| format!("  {{{{- range .Values.all }}}}\n{items}{last}  {{{{- end }}}}\n");
    let last = "    {{- if .on }}\n    namespaceSelector: {}\n    {{- end }}\n";
    let added = "    matchPolicy: Exact\n";
    let own = webhook("v1beta1", "", &of_range(last), "", "");
    let first = own.replace("/v1beta1\n", "/v1\n").replace("  {{- range", "    matchPolicy: Exact\n  {{- range");
    becomes(&own, &first.replace(last, &format!("{last}{added}")), "kubernetes@1.22", 0);
}

#[test]
fn what_a_template_prints_by_default_stays_yaml() {
    let stands = |action: &str| format!("`{action}` stands in what must change");
    // The dash of the item would stand behind what the action prints.
    let policy = "apiVersion: gateway.envoyproxy.io/v1alpha1\nkind: SecurityPolicy\nmetadata: {name: a}\nspec:\n  targetRef:\n    {{- toYaml .Values.target | nindent 4 }}\n    name: b\n  cors: {allowOrigins: [\"https://a\"]}\n=== values.yaml\ntarget: {group: gateway.networking.k8s.io, kind: Gateway}\n";
    let place = "templates/a.yaml:6:5: held-back[template-action] SecurityPolicy a";
    held(policy, "envoy-gateway@1.1.0", place, &stands("{{- toYaml .Values.target | nindent 4 }}"));
    // `{}` stands alone.
    let scaled = |meta: &str| {
        format!(
            "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {{name: a}}\nspec:\n  scaleTargetRef: {{name: a}}\n  triggers:\n  - type: cpu\n    metricType: Utilization\n    metadata:\n      {{{{- toYaml .Values.meta | nindent 6 }}}}\n=== values.yaml\nmeta: {meta}\n"
        )
    };
    let place = "templates/a.yaml:10:7: held-back[template-action] ScaledObject a";
    held(&scaled("{}"), "keda@2.5", place, &stands("{{- toYaml .Values.meta | nindent 6 }}"));
    let own = scaled("{value: \"60\"}");
    let new = own
        .replace("    metricType: Utilization\n", "")
        .replace("metadata:\n      {{", "metadata:\n      type: Utilization\n      {{");
    becomes(&own, new.split("===").next().unwrap(), "keda@2.5", 0);
    // An item has the column of those that the action prints.
    let chart = "apiVersion: source.toolkit.fluxcd.io/v1beta2\nkind: HelmChart\nmetadata: {name: a}\nspec:\n  chart: ./a\n  interval: 1m\n  sourceRef: {kind: GitRepository, name: a}\n  valuesFile: a.yaml\n  valuesFiles:\n    {{- toYaml .Values.files | nindent 4 }}\n=== values.yaml\nfiles: [b.yaml]\n";
    let place = "templates/a.yaml:10:5: held-back[template-action] HelmChart a";
    held(chart, "flux@2.3", place, &stands("{{- toYaml .Values.files | nindent 4 }}"));
}

#[test]
fn an_item_of_a_list_has_what_an_action_prints_on_the_next_line() {
    let list = |lines: &str| {
        format!(
            "apiVersion: v1\nkind: List\nitems:\n- apiVersion: autoscaling/v2beta1\n  kind: HorizontalPodAutoscaler\n  metadata: {{name: a}}\n  spec:\n    maxReplicas: 3\n    scaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, name: a}}\n    metrics:{lines}=== values.yaml\nmetrics:\n- type: Resource\n  resource: {{name: cpu, targetAverageUtilization: 1}}\n"
        )
    };
    for lines in ["\n{{ toYaml .Values.metrics | indent 4 }}\n", "\n    {{- toYaml .Values.metrics | nindent 4 }}\n"] {
        let run = becomes(&list(lines), &list(lines), "kubernetes@1.33", 1);
        assert!(run.all().contains("held-back[template-action] HorizontalPodAutoscaler a"), "{}", run.all());
    }
}

#[test]
fn a_value_that_is_called_otherwise_is_looked_for_in_values() {
    let class = |name: &str| {
        format!(
            "apiVersion: gateway.networking.k8s.io/v1\nkind: GatewayClass\nmetadata: {{name: a}}\nspec:\n  controllerName: {{{{ .Values.name }}}}\n=== values.yaml\nname: {name}\n"
        )
    };
    let own = class("gateway.nginx.org/nginx-gateway-controller");
    becomes(&own, &own, "ngf@2.6.7", 0);
    let place = "templates/a.yaml:5:3: held-back[not-convertible] GatewayClass a";
    let part = "the conversion depends on the value of `{{ .Values.name }}`";
    // An old one, one that users set, and one of which no default is known.
    for name in ["k8s-gateway.nginx.org/nginx-gateway-controller", "", "\"\""] {
        held(&class(name), "ngf@2.6.7", place, part);
    }
    let unknown = class("a").split("=== values.yaml").next().unwrap().to_owned();
    held(&unknown, "ngf@2.6.7", place, part);
    // One item of many.
    let many = "{{- range .Values.names }}\n---\napiVersion: gateway.networking.k8s.io/v1\nkind: GatewayClass\nmetadata: {name: a}\nspec:\n  controllerName: {{ . }}\n{{- end }}\n=== values.yaml\nnames:\n".to_owned()
        + &"- a.b/c\n".repeat(20)
        + "- k8s-gateway.nginx.org/nginx-gateway-controller\n";
    held(
        &many,
        "ngf@2.6.7",
        "templates/a.yaml:7:3: held-back[not-convertible] GatewayClass a",
        "depends on the value of",
    );
}
