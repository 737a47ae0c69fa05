//! What a target demands of values that actions print, and of what stands beside them.

use super::templates::{becomes, says};

const GATEWAY_API: &str = "gateway-api@1.6/standard";

/// Checks that a chart stays as it is with this target, and why.
#[track_caller]
fn held(chart: &str, target: &str, place: &str, part: &str) {
    says(&becomes(chart, chart, target, 1), place, part);
}

/// Returns a route of an older version with these lines of filters in its rule.
fn route(filters: &str, values: &str) -> String {
    format!(
        "apiVersion: gateway.networking.k8s.io/v1beta1\nkind: HTTPRoute\nmetadata: {{name: shop}}\nspec:\n  rules:\n  - filters:\n{filters}=== values.yaml\n{values}"
    )
}

#[test]
fn literals_that_exclude_each_other_do_so_beside_an_action() {
    let rewrite = "    - type: URLRewrite\n      urlRewrite: {hostname: old.example.com}\n";
    let redirect =
        |kind: &str| format!("    - type: {kind}\n      requestRedirect: {{hostname: {{{{ .Values.host }}}}}}\n");
    let own = route(&(rewrite.to_owned() + &redirect("RequestRedirect")), "host: new.example.com\n");
    let both =
        r#"must have no item of which type is "RequestRedirect" or must have no item of which type is "URLRewrite""#;
    held(&own, GATEWAY_API, "templates/a.yaml:6:5: held-back[invalid-in-target] HTTPRoute shop", both);
    // By default, what the action prints is the literal.
    let own =
        route(&(rewrite.to_owned() + &redirect("{{ .Values.kind }}")), "host: a.example.com\nkind: RequestRedirect\n");
    let by_default = "where the users of the chart set nothing else, an action prints what";
    held(&own, GATEWAY_API, "templates/a.yaml:6:5: held-back[template-action] HTTPRoute shop", by_default);
    let other = "    - type: {{ .Values.kind }}\n      requestHeaderModifier: {remove: [a]}\n";
    let own = route(&(rewrite.to_owned() + other), "kind: RequestHeaderModifier\n");
    becomes(&own, own.replace("v1beta1", "v1").split("===").next().unwrap(), GATEWAY_API, 0);
    // What is empty by default is for users to set.
    let own = "apiVersion: gateway.networking.k8s.io/v1beta1\nkind: HTTPRoute\nmetadata: {name: shop}\nspec:\n  rules:\n  - backendRefs:\n    - name: shop\n      port: {{ .Values.port }}\n=== values.yaml\nport:\n";
    becomes(own, own.replace("v1beta1", "v1").split("===").next().unwrap(), GATEWAY_API, 0);
}

#[test]
fn what_is_printed_by_default_or_chosen_is_one_of_the_allowed_values() {
    let cookie = |value: &str, values: &str| {
        format!(
            "apiVersion: traefik.containo.us/v1alpha1\nkind: IngressRoute\nmetadata: {{name: a}}\nspec:\n  routes:\n  - match: Host(`a`)\n    kind: Rule\n    services:\n    - name: a\n      sticky:\n        cookie:\n          sameSite: {value}\n=== values.yaml\n{values}"
        )
    };
    let part = r#"sameSite must be one of "lax", "none", "strict""#;
    let place = "templates/a.yaml:12:11: held-back[template-action] IngressRoute a";
    for value in
        ["{{ .Values.site }}", "{{ ternary \"none\" \"Lax\" .Values.m }}", "{{ .Values.other | default \"Lax\" }}"]
    {
        held(&cookie(value, "site: Lax\n"), "traefik@3.4", place, part);
    }
    let own = cookie("{{ .Values.site }}", "site: lax\n");
    let new = own.replace("traefik.containo.us", "traefik.io");
    becomes(&own, new.split("===").next().unwrap(), "traefik@3.4", 0);
}

#[test]
fn a_name_that_is_derived_has_nothing_that_an_action_prints() {
    let gateway = |listeners: &str| {
        format!(
            "apiVersion: networking.x-k8s.io/v1alpha1\nkind: Gateway\nmetadata: {{name: public}}\nspec:\n  gatewayClassName: internal\n  listeners:\n{listeners}=== values.yaml\nhosts: [a.example.com, b.example.com]\n"
        )
    };
    let listener = |host: &str| {
        format!("  - hostname: {host}\n    protocol: HTTPS\n    port: 443\n    routes: {{kind: HTTPRoute}}\n")
    };
    let two = gateway(&(listener("a.example.com") + &listener("{{ .Release.Name }}.example.com")));
    let place = "templates/a.yaml:11:3: held-back[not-convertible] Gateway public";
    held(&two, GATEWAY_API, place, "its name would have what an action prints");
    let turns = gateway(&format!("  {{{{- range .Values.hosts }}}}\n{}  {{{{- end }}}}\n", listener("{{ . }}")));
    let place = "templates/a.yaml:8:3: held-back[not-convertible] Gateway public";
    held(&turns, GATEWAY_API, place, "each turn of a `range` prints a listener here");
    // One alone needs no more than its protocol.
    let one = gateway(&listener("{{ .Release.Name }}.example.com"));
    let new = one.replace("networking.x-k8s.io/v1alpha1", "gateway.networking.k8s.io/v1");
    let new =
        new.replace("  - hostname", "  - name: https\n    hostname").replace("    routes: {kind: HTTPRoute}\n", "");
    becomes(&one, new.split("===").next().unwrap(), GATEWAY_API, 0);
}

#[test]
fn old_names_of_kinds_that_actions_print_are_reported() {
    let parent = |group: &str, kind: &str| {
        format!(
            "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {{name: a}}\nspec:\n  parentRefs:\n  - group: {group}\n    kind: {kind}\n    name: a\n=== values.yaml\ngroup: gateway.networking.x-k8s.io\n"
        )
    };
    let part =
        "what an action prints here can be gateway.networking.x-k8s.io, which XListenerSet left; it is not updated";
    for group in ["{{ .Values.group }}", "{{ ternary \"gateway.networking.x-k8s.io\" \"a.b\" .Values.x }}"] {
        held(
            &parent(group, "XListenerSet"),
            GATEWAY_API,
            "templates/a.yaml:6:5: unresolved[reference-not-updated]",
            part,
        );
        let other = parent(group, "XMesh");
        becomes(&other, &other, GATEWAY_API, 0);
    }
    // A default in an action is reported there, once.
    let own = parent("{{ .Values.other | default \"gateway.networking.x-k8s.io\" }}", "XListenerSet");
    let run = becomes(&own, &own, GATEWAY_API, 1);
    assert_eq!(run.all().matches("reference-not-updated").count(), 1, "{}", run.all());
    let metrics = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: a}\nspec:\n  maxReplicas: 3\n  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: a}\n  metrics: {{ toYaml .Values.metrics | nindent 4 }}\n=== values.yaml\nmetrics:\n- type: Object\n  object:\n    target: {type: Value, value: 1}\n    metric: {name: a}\n    describedObject: {apiVersion: networking.k8s.io/v1beta1, kind: Ingress, name: a}\n";
    let part = "can be networking.k8s.io/v1beta1, which Ingress left; it is not updated";
    held(metrics, "kubernetes@1.33", "templates/a.yaml:7:3: unresolved[reference-not-updated]", part);
}

#[test]
fn what_a_rule_looks_for_can_stand_in_an_action() {
    let tolerating = |key: &str| {
        format!(
            "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {{name: a}}\nspec:\n  selector: {{matchLabels: {{a: b}}}}\n  template:\n    metadata: {{labels: {{a: b}}}}\n    spec:\n      containers: [{{name: a, image: b}}]\n      tolerations:\n      - key: {key}\n        operator: Exists\n"
        )
    };
    for key in [
        "{{ .Values.key | default \"karpenter.sh/disruption\" }}",
        "{{ ternary `karpenter.sh/disruption` `x` .Values.m }}",
    ] {
        let part = "(rule karpenter/v1.0.0/pod-toleration-of-disruption";
        held(&tolerating(key), "karpenter@1.6", "templates/a.yaml:11:9: held-back[not-convertible] DaemonSet a", part);
    }
}

#[test]
fn a_field_that_the_target_requires_is_missed_in_what_an_action_prints() {
    let set = |port: &str| {
        format!(
            "apiVersion: gateway.networking.x-k8s.io/v1alpha1\nkind: XListenerSet\nmetadata: {{name: a}}\n{{{{ include \"spec\" $ | indent 0 }}}}\n=== templates/_h.tpl\n{{{{- define \"spec\" -}}}}\nspec:\n  parentRef: {{name: a}}\n  listeners:\n  {{{{ range .Values.more }}}}\n  - name: b\n    port: 81\n    protocol: HTTP\n  {{{{- end }}}}\n  - name: a\n    protocol: HTTP\n{port}{{{{- end }}}}\n"
        )
    };
    let part = "an action prints nothing at spec.listeners[0].port, which gateway-api@1.6.1/standard requires";
    held(&set(""), GATEWAY_API, "templates/a.yaml:1:1: held-back[template-action] XListenerSet a", part);
    let own = set("    port: 80\n");
    let new = own.replace("x-k8s.io/v1alpha1", "k8s.io/v1").replace("XListenerSet", "ListenerSet");
    becomes(&own, new.split("===").next().unwrap(), GATEWAY_API, 0);
}
