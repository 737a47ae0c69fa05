//! Conditions that name the apiVersion of the object that they decide about.

use super::templates::{becomes, converts, held, needs_nothing, says};

/// Returns an HTTPRoute behind a condition.
fn route(guard: &str, version: &str) -> String {
    format!(
        "{{{{- if {guard} }}}}\napiVersion: gateway.networking.k8s.io/{version}\nkind: HTTPRoute\nmetadata: {{name: a}}\nspec: {{rules: [{{backendRefs: [{{name: a, port: 80}}]}}]}}\n{{{{- end }}}}\n"
    )
}

#[test]
fn an_object_keeps_the_version_that_a_condition_names_where_the_target_serves_it() {
    for guard in [
        r#".Capabilities.APIVersions.Has "gateway.networking.k8s.io/v1beta1""#,
        r#".Capabilities.APIVersions.Has "gateway.networking.k8s.io/v1beta1/HTTPRoute""#,
        r#"and .Values.on (.Capabilities.APIVersions.Has "gateway.networking.k8s.io/v1beta1")"#,
    ] {
        let own = route(guard, "v1beta1");
        let run = becomes(&own, &own, "gateway-api@1.4", 0);
        let what = "the object stays gateway.networking.k8s.io/v1beta1, which `{{- if";
        says(&run, "templates/a.yaml:2:1: note[less-stable-version] HTTPRoute a", what);
    }
    // One that names another kind, or a version that begins alike, is about something else.
    for guard in [
        r#".Capabilities.APIVersions.Has "networking.k8s.io/v1beta1""#,
        r#"has "gateway.networking.k8s.io/v1beta12" ."#,
    ] {
        becomes(&route(guard, "v1beta1"), &route(guard, "v1"), "gateway-api@1.4", 0);
    }
}

#[test]
fn fields_change_below_a_condition_that_names_a_version_that_stays() {
    let scaled = |trigger: &str| {
        format!(
            "{{{{- if .Capabilities.APIVersions.Has \"keda.sh/v1alpha1\" }}}}\napiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {{name: a}}\nspec:\n  scaleTargetRef: {{name: a}}\n  triggers:\n  - type: cpu\n{trigger}{{{{- end }}}}\n"
        )
    };
    let old = "    metadata:\n      type: Utilization\n      value: \"5\"\n";
    let new = "    metricType: Utilization\n    metadata:\n      value: \"5\"\n";
    becomes(&scaled(old), &scaled(new), "keda@2.18", 0);
    becomes(&scaled(new), &scaled(new), "keda@2.18", 0);
}

#[test]
fn a_version_that_a_condition_names_and_the_target_leaves_is_held_back() {
    for guard in ["policy/v1beta1", "policy/v1beta1/PodDisruptionBudget"] {
        held(
            &format!(
                "{{{{- if or .Values.force (.Capabilities.APIVersions.Has \"{guard}\") }}}}\napiVersion: policy/v1beta1\n@budget\n{{{{- end }}}}\n"
            ),
            "templates/a.yaml:1:1: held-back[template-action]",
            "what must change at apiVersion (line 2) depends on",
        );
        // One that the target has deprecated goes, too.
        let own = format!(
            "{{{{- if .Capabilities.APIVersions.Has \"{guard}\" }}}}\napiVersion: policy/v1beta1\n@budget\n{{{{- end }}}}\n"
        );
        let run = becomes(&own, &own, "kubernetes@1.22", 1);
        says(&run, "templates/a.yaml:1:1: held-back[template-action]", "what must change at apiVersion (line 2)");
    }
}

#[test]
fn a_value_that_overrides_the_version_of_the_cluster_stands_for_it() {
    let budget = |key: &str, value: &str| {
        format!(
            "{{{{- if semverCompare \"<1.21-0\" (default .Capabilities.KubeVersion.Version .Values.{key}) }}}}\napiVersion: policy/v1beta1\n{{{{- else }}}}\napiVersion: policy/v1\n{{{{- end }}}}\n@budget\n=== values.yaml\n{key}: {value}\n"
        )
    };
    for key in ["kubeVersion", "kubeTargetVersionOverride", "kubernetesVersion", "k8sVersion"] {
        needs_nothing(&budget(key, "\"\""), 0);
    }
    // A value that names no cluster can be any.
    let own = budget("version", "\"\"");
    converts(&own, &own.replace("v1beta1", "v1"));
}

#[test]
fn what_values_have_of_an_object_is_old_by_its_kind() {
    let chart = |api: &str, kind: &str| {
        format!(
            "{{{{- range $name, $route := .Values.route }}}}\n---\napiVersion: {{{{ $route.apiVersion }}}}\nkind: {{{{ $route.kind }}}}\nmetadata: {{name: {{{{ $name }}}}}}\nspec: {{}}\n{{{{- end }}}}\n=== values.yaml\nroute: {{main: {{apiVersion: {api}, kind: {kind}}}}}\n"
        )
    };
    // Other kinds of the version are not served there.
    for (api, kind, target, code) in [
        ("networking.k8s.io/v1", "NetworkPolicy", "kubernetes@1.32", 0),
        ("networking.k8s.io/v1", "ServiceCIDR", "kubernetes@1.32", 1),
        ("gateway.networking.k8s.io/v1", "HTTPRoute", "gateway-api@1.4", 0),
        ("gateway.networking.k8s.io/v1alpha2", "HTTPRoute", "gateway-api@1.4", 1),
    ] {
        let own = chart(api, kind);
        let run = becomes(&own, &own, target, code);
        let is_told = run.all().contains("values.yaml: unresolved[not-an-object] a part of an object of");
        assert_eq!(is_told, code == 1, "{}", run.all());
    }
}
