//! References to renamed kinds in places that are reported and not updated.

use reversion::internals::finding::Severity;

use super::{listener_set, run};

/// Returns the `reference-not-updated` findings of `text` in a file of this name, next to an object whose kind is renamed.
fn reported(file: &str, text: &str) -> Vec<String> {
    let set = listener_set("a", 80);
    let outcome = run(&[(file, text), ("set.yaml", &set)], "1.6.1/standard");
    outcome.check_findings(Severity::Held, &[]);
    outcome.reported.into_iter().filter(|reported| reported.contains(" unresolved reference-not-updated ")).collect()
}

#[track_caller]
fn check(file: &str, text: &str, fields: &[&str]) {
    let expected: Vec<_> =
        fields.iter().map(|field| format!("{file} unresolved reference-not-updated {field}")).collect();
    assert_eq!(reported(file, text), expected);
}

const OLD: &str = "group: gateway.networking.x-k8s.io, version: v1alpha1, kind: XListenerSet";
const NEW: &str = "group: gateway.networking.k8s.io, version: v1, kind: ListenerSet";

#[test]
fn kustomize_configuration_is_reported() {
    let replacement = format!("- source: {{kind: ConfigMap, name: a}}\n  targets:\n  - select: {{{OLD}}}\n");
    // What names the group is updated, a kind alone is not.
    check("replacement.yaml", &replacement, &[]);
    check(
        "replacement.yaml",
        &format!("source: {{kind: XListenerSet}}\ntargets: [{{select: {{{OLD}}}}}]\n"),
        &["source"],
    );
    let vars =
        "vars:\n- name: a\n  objref: {apiVersion: gateway.networking.x-k8s.io/v1alpha1, kind: XListenerSet, name: a}\n";
    check("kustomization.yaml", vars, &[]);
    let labels = |fields: &str| format!("labels:\n- pairs: {{a: b}}\n  fields:\n{fields}");
    let old = format!("  - {{path: spec/a, {OLD}}}\n");
    check("kustomization.yaml", &labels(&old), &[]);
    // A configuration that lists the new kind next to the old one is not reported.
    check("kustomization.yaml", &labels(&format!("{old}  - {{path: spec/a, {NEW}}}\n")), &[]);
    let transformer = |patch: &str| {
        format!(
            "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {{name: x}}\ntarget: {{kind: XListenerSet}}\n{patch}"
        )
    };
    check("transformer.yaml", &transformer(&format!("# of {OLD}\n")), &["target"]);
    let text: String =
        transformer(&format!("patch: '{{\"a\": {{{OLD}}}}}'\n")).lines().map(|line| format!("  {line}\n")).collect();
    let text = format!("transformers:\n- |\n{text}");
    check("kustomization.yaml", &text, &["transformers[0]", "transformers[0]"]);
    // A selector that is updated is not reported, and neither is an inline patch that is converted.
    check("kustomization.yaml", &format!("patches: [{{target: {{{OLD}}}, path: p.yaml}}]\n"), &[]);
    let inline = "patches:\n- patch: |\n    apiVersion: gateway.networking.x-k8s.io/v1alpha1\n    kind: XListenerSet\n    metadata: {name: a}\n";
    check("kustomization.yaml", inline, &[]);
    // A configuration is reported for its paths elsewhere, whatever the release.
    check("configuration.yaml", &format!("commonLabels: [{{path: spec/a, {OLD}}}]\n"), &[]);
}

#[test]
fn mentions_in_other_objects_are_reported() {
    let policy = |kinds: &str| {
        format!(
            "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: a}}\nspec: {{match: {{resources: {{kinds: [{kinds}]}}}}}}\n"
        )
    };
    let [old, any] =
        ["gateway.networking.x-k8s.io/v1alpha1/XListenerSet", "gateway.networking.x-k8s.io/*/XListenerSet"];
    let fields = [0, 1, 2].map(|at| format!("spec.match.resources.kinds[{at}]"));
    check(
        "policy.yaml",
        &policy(&format!("{old}, '{any}', XListenerSet, Pod")),
        &fields.each_ref().map(String::as_str),
    );
    check("policy.yaml", &policy(&format!("{old}, gateway.networking.k8s.io/v1/ListenerSet")), &[]);
    // A kind without its group, in each form.
    let forms =
        ["XListenerSet", "v1alpha1/XListenerSet", "*/XListenerSet", "*/*/XListenerSet", "*/v1alpha1/XListenerSet"];
    for form in forms {
        check(
            "policy.yaml",
            &policy(&format!("'{form}'")),
            &fields[..1].iter().map(String::as_str).collect::<Vec<_>>(),
        );
        check("policy.yaml", &policy(&format!("Pod, '{form}/status'")), &[&fields[1]]);
    }
    check("policy.yaml", &policy(&format!("'{any}/status'")), &[&fields[0]]);
    check("policy.yaml", &policy("v1alpha1/XListenerSet, v1/ListenerSet"), &[]);
    check(
        "policy.yaml",
        &policy("example.com/XListenerSet, example.com/*/XListenerSet, v1/Pod, XListenerSet/a/b"),
        &[],
    );
    let owner = "apiVersion: gateway.networking.x-k8s.io/v1alpha1, kind: XListenerSet, name: a";
    let pod = format!(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  ownerReferences: [{{{owner}, uid: b}}]\n  annotations: {{last: '{{{owner}}}'}}\n"
    );
    check("pod.yaml", &pod, &["metadata.ownerReferences[0]"]);
    let inner = "apiVersion: gateway.networking.x-k8s.io/v1alpha1, kind: XListenerSet, metadata: {name: a}";
    let outer = format!(
        "apiVersion: kubernetes.crossplane.io/v1\nkind: Object\nmetadata: {{name: a}}\nspec: {{forProvider: {{manifest: {{{inner}}}}}}}\nstatus: {{manifest: {{{inner}}}}}\n"
    );
    check("object.yaml", &outer, &["spec.forProvider.manifest"]);
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: argocd-cm}\ndata:\n  resource.exclusions: |\n    - apiGroups: [gateway.networking.x-k8s.io]\n      kinds: [XListenerSet]\n  \
               resource.customizations.health.gateway.networking.x-k8s.io_XListenerSet: return\n  note: |\n    # kind XListenerSet\n    of the past\n  file: XListenerSet.yaml\n";
    let fields = [
        "data[\"resource.customizations.health.gateway.networking.x-k8s.io_XListenerSet\"]",
        "data[\"resource.exclusions\"]",
    ];
    let mut found = reported("map.yaml", map);
    found.sort();
    assert_eq!(found, fields.map(|field| format!("map.yaml unresolved reference-not-updated {field}")));
    // References that are updated are not reported, nor kinds of another group.
    let refs = format!(
        "apiVersion: example.com/v1\nkind: A\nmetadata: {{name: a}}\nspec: {{ref: {{{OLD}}}, other: {{group: example.com, kind: XListenerSet}}, name: XListenerSet}}\n"
    );
    check("refs.yaml", &refs, &[]);
}

const POLICY: &str = "apiVersion: gateway.networking.k8s.io/v1alpha2\nkind: BackendTLSPolicy\nmetadata: {name: a}\nspec:\n  \
                      targetRef: {group: \"\", kind: Service, name: a}\n  tls: {hostname: a.example.com, wellKnownCACerts: System}\n";

/// Objects that reference a policy by apiVersion, and by group and version.
fn naming(version: &str) -> String {
    format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: a}}\nspec:\n  healthChecks: [{{apiVersion: gateway.networking.k8s.io/{version}, kind: BackendTLSPolicy, name: a}}]\n\
         ---\napiVersion: example.com/v1\nkind: A\nmetadata: {{name: a}}\nspec:\n  of: {{group: gateway.networking.k8s.io, version: {version}, kind: BackendTLSPolicy}}\n  \
         whole: {{apiVersion: gateway.networking.k8s.io/v1beta1, kind: HTTPRoute, name: a}}\n"
    )
}

#[test]
fn references_to_a_removed_version_are_updated() {
    let forward = run(&[("names.yaml", &naming("v1alpha2")), ("policy.yaml", POLICY)], "1.6.1/experimental");
    forward.check_findings(Severity::Warning, &[]);
    assert_eq!(forward.after["names.yaml"], naming("v1"));
    let policy = forward.after["policy.yaml"].clone();
    let backward = run(&[("names.yaml", &naming("v1")), ("policy.yaml", &policy)], "1.0.0/experimental");
    assert_eq!(backward.after["names.yaml"], naming("v1alpha2"));
    // The API server has an object in every version, so that its name says which one is meant.
    let checks = |version: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: a}}\nspec:\n  healthChecks: [{{apiVersion: gateway.networking.k8s.io/{version}, kind: BackendTLSPolicy, name: a}}]\n"
        )
    };
    let other = run(&[("names.yaml", &checks("v1alpha2")), ("policy.yaml", &policy)], "1.6.1/experimental");
    other.check_findings(Severity::Warning, &[]);
    assert_eq!(other.after["names.yaml"], checks("v1"));
    let namesake = policy.replace("name: a", "name: other");
    let other = run(&[("names.yaml", &checks("v1alpha2")), ("policy.yaml", &namesake)], "1.6.1/experimental");
    other.check_findings(Severity::Warning, &[]);
    assert_eq!(other.after["names.yaml"], checks("v1"));
    // A reference to an object outside the run is only updated if its version is no longer served.
    let alone = run(&[("names.yaml", &naming("v1alpha2"))], "1.6.1/experimental");
    assert_eq!(alone.reported, [""; 0]);
    assert_eq!(alone.after["names.yaml"], naming("v1"));
    let alone = run(&[("names.yaml", &naming("v1alpha2"))], "1.0.0/experimental");
    assert!(alone.reported.is_empty() && alone.after.is_empty());
    // An object that is held back keeps its version, and references to it are left unchanged.
    let held = POLICY.replace("  tls:", "  validation: {hostname: a.example.com}\n  tls:");
    let held = run(&[("names.yaml", &naming("v1alpha2")), ("policy.yaml", &held)], "1.6.1/experimental");
    assert!(held.after.is_empty(), "{:?}", held.after);
}

#[test]
fn owner_references_follow_the_version_of_their_owner() {
    let owned = |version: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: owned\n  ownerReferences:\n  \
             - {{apiVersion: gateway.networking.k8s.io/{version}, kind: BackendTLSPolicy, name: a, uid: b}}   # kept\n  \
             - {{apiVersion: apps/v1, kind: Deployment, name: a, uid: c}}\n"
        )
    };
    let forward = run(&[("owned.yaml", &owned("v1alpha2")), ("policy.yaml", POLICY)], "1.6.1/experimental");
    forward.check_findings(Severity::Warning, &[]);
    assert_eq!(forward.after["owned.yaml"], owned("v1"));
    let policy = forward.after["policy.yaml"].clone();
    let backward = run(&[("owned.yaml", &owned("v1")), ("policy.yaml", &policy)], "1.0.0/experimental");
    assert_eq!(backward.after["owned.yaml"], owned("v1alpha2"));
    // Its owner need not be among the files.
    let alone = run(&[("owned.yaml", &owned("v1alpha2"))], "1.6.1/experimental");
    assert_eq!(alone.reported, [""; 0]);
    assert_eq!(alone.after["owned.yaml"], owned("v1"));
}

#[test]
fn webhooks_for_removed_versions_are_reported() {
    let webhook = |versions: &str| {
        let hook = format!(
            "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {{name: a}}\nwebhooks:\n- name: a.b.c\n  \
             rules: [{{apiGroups: [gateway.networking.k8s.io], apiVersions: [{versions}], resources: [httproutes, backendtlspolicies]}}]\n"
        );
        run(&[("hook.yaml", &hook)], "1.6.1/experimental").reported
    };
    let reported = ["hook.yaml unresolved reference-not-updated webhooks[0].rules[0].apiVersions"];
    assert_eq!([webhook("v1alpha2"), webhook("v1alpha2, v1alpha3")], [reported, reported]);
    assert_eq!([webhook("v1alpha2, v1"), webhook("'*'"), webhook("v1")], [const { Vec::<String>::new() }; 3]);
}

#[test]
fn admission_policies_for_removed_versions_are_reported() {
    let rules = |kind: &str, place: &str, versions: &str| {
        let rule =
            format!("{{apiGroups: [gateway.networking.k8s.io], apiVersions: [{versions}], resources: [httproutes]}}");
        let policy = format!(
            "apiVersion: admissionregistration.k8s.io/v1\nkind: {kind}\nmetadata: {{name: a}}\nspec: {{{place}: {{resourceRules: [{rule}], excludeResourceRules: [{rule}]}}}}\n"
        );
        run(&[("policy.yaml", &policy)], "1.6.1/experimental").reported
    };
    let kinds = [
        ("ValidatingAdmissionPolicy", "matchConstraints"),
        ("MutatingAdmissionPolicy", "matchConstraints"),
        ("ValidatingAdmissionPolicyBinding", "matchResources"),
    ];
    for (kind, place) in kinds {
        let fields =
            ["excludeResourceRules", "resourceRules"].map(|list| format!("spec.{place}.{list}[0].apiVersions"));
        let mut reported = rules(kind, place, "v1alpha2, v1alpha3");
        reported.sort();
        assert_eq!(reported, fields.map(|field| format!("policy.yaml unresolved reference-not-updated {field}")));
        assert_eq!(
            [rules(kind, place, "v1alpha2, v1"), rules(kind, place, "'*'")],
            [const { Vec::<String>::new() }; 2]
        );
    }
}

#[test]
fn a_wildcard_in_a_known_object_or_after_an_escape_is_reported() {
    for every in ["'*'", "\"\\x2a\""] {
        let gateway = format!(
            "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {{name: a}}\nspec:\n  gatewayClassName: a\n  listeners:\n  - name: a\n    \
             port: 80\n    protocol: HTTP\n    allowedRoutes: {{kinds: [{{group: gateway.networking.x-k8s.io, kind: {every}}}]}}\n"
        );
        let outcome = run(&[("a.yaml", &gateway)], "1.6.1/standard");
        outcome.check_message("spec.listeners[0].allowedRoutes.kinds[0] names");
    }
}

#[test]
fn paths_that_argo_cd_and_flux_ignore_follow_the_objects() {
    let policy = "apiVersion: gateway.networking.k8s.io/v1alpha2\nkind: BackendTLSPolicy\nmetadata: {name: up}\nspec:\n  \
                  targetRef: {group: \"\", kind: Service, name: up}\n  tls: {hostname: a.example.com, wellKnownCACerts: System}\n";
    let ignored = |kind: &str, paths: &str| {
        [
            format!(
                "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: a}}\nspec:\n  ignoreDifferences:\n  \
                 - group: gateway.networking.k8s.io\n    kind: {kind}\n    jsonPointers: [{paths}]\n"
            ),
            format!(
                "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: a}}\nspec:\n  driftDetection:\n    ignore:\n    \
                 - target: {{group: gateway.networking.k8s.io, kind: {kind}}}\n      paths: [{paths}]\n"
            ),
        ]
    };
    let run_with = |texts: &[String; 2], objects: &str| {
        run(&[("app.yaml", &texts[0]), ("release.yaml", &texts[1]), ("z.yaml", objects)], "1.1.0/experimental")
    };
    let old = ignored("BackendTLSPolicy", "/spec/tls/hostname, /metadata/labels");
    let new = ignored("BackendTLSPolicy", "/spec/validation/hostname, /metadata/labels");
    let after = run_with(&old, policy);
    after.check_findings(Severity::Warning, &[]);
    assert_eq!([&after.after["app.yaml"], &after.after["release.yaml"]], [&new[0], &new[1]]);
    // Other kinds, and objects that do not change.
    let other = ignored("HTTPRoute", "/spec/tls/hostname");
    assert_eq!(run_with(&other, policy).after.into_keys().collect::<Vec<_>>(), ["z.yaml"]);
    let without = run(&[("app.yaml", &old[0]), ("release.yaml", &old[1])], "1.1.0/experimental");
    assert!(without.after.is_empty());
    // The one target becomes an item of a list, for which the path has no index.
    let listed = run_with(&ignored("BackendTLSPolicy", "/spec/targetRef/sectionName"), policy);
    let reported = [
        "app.yaml unresolved reference-not-updated spec.ignoreDifferences[0].jsonPointers[0]",
        "release.yaml unresolved reference-not-updated spec.driftDetection.ignore[0].paths[0]",
    ];
    listed.check_findings(Severity::Warning, &reported);
    // A jq expression is not changed.
    let query = ignored("BackendTLSPolicy", "/metadata/labels")
        .map(|text| text.replace("jsonPointers: [/metadata/labels]", "jqPathExpressions: [.spec.tls.hostname]"));
    let reported = run_with(&query, policy);
    reported.check_findings(
        Severity::Warning,
        &["app.yaml unresolved reference-not-updated spec.ignoreDifferences[0].jqPathExpressions[0]"],
    );
    reported.check_message(".spec.tls.hostname, which is .spec.validation.hostname after the conversion");
}

/// What is not updated stays reported, also in the next run, when the objects are converted and the group of the entry is.
#[test]
fn ignored_paths_of_objects_that_are_converted_already_follow_or_are_reported() {
    let application = |group: &str, path: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: a}}\nspec:\n  ignoreDifferences:\n  - group: {group}\n    kind: Ingress\n    jsonPointers: [{path}, /spec/rules/0/http/paths/0/backend/servicePort, /spec/ingressClassName]\n"
        )
    };
    let (old, new) = ("/spec/backend/serviceName", "/spec/defaultBackend/service/name");
    let before = "apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata: {name: i}\nspec: {backend: {serviceName: a, servicePort: 80}}\n";
    let after = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: i}\nspec: {defaultBackend: {service: {name: a, port: {number: 80}}}}\n";
    for (group, object) in [("extensions", before), ("networking.k8s.io", before), ("networking.k8s.io", after)] {
        let outcome = run(&[("app.yaml", &application(group, old)), ("z.yaml", object)], "kubernetes@1.25");
        outcome.check_findings(
            Severity::Warning,
            &["app.yaml unresolved reference-not-updated spec.ignoreDifferences[0].jsonPointers[1]"],
        );
        assert_eq!(outcome.after["app.yaml"], application("networking.k8s.io", new), "{group}");
    }
}

#[test]
fn owners_of_a_kind_that_the_target_lacks_are_reported() {
    let owned = "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata:\n  name: a\n  ownerReferences:\n  \
                 - {apiVersion: gateway.networking.k8s.io/v1alpha2, kind: UDPRoute, name: b, uid: c}\nspec: {}\n";
    let outcome = run(&[("a.yaml", owned)], "1.4.1/standard");
    outcome.check_findings(Severity::Warning, &["a.yaml unresolved dangling-reference metadata.ownerReferences[0]"]);
    run(&[("a.yaml", owned)], "1.4.1/experimental").check_findings(Severity::Warning, &[]);
}
