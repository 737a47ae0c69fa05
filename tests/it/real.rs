//! Real manifests before and after their maintainers upgraded them, read from `../shared/pairs` if it exists.
//!
//! Each pair is converted forward from `before.yaml` and backward from `after.yaml`; the outcome is compared with the list
//! here, so that a change of behaviour is visible. `SHARED` sets another folder.

use std::fs;

use reversion::internals::finding::Severity;
use reversion::internals::manifest::Reading;
use reversion::internals::pack::Target;
use reversion::internals::plan::{self, Choices, Goal};

use crate::support::{engine, packs, shared};

/// How a converted file compares with the maintainers' file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// The same bytes.
    Bytes,
    /// The same data.
    Data,
    /// Other data.
    Different,
    /// At least one object was held back.
    Refused,
    /// There is no file to compare with.
    Nothing,
}

use Verdict::{Bytes, Data, Different, Nothing, Refused};

/// A pair: target and outcome forward, target and outcome backward.
type Expectation = (&'static str, &'static str, Verdict, &'static str, Verdict);

const PAIRS: &[Expectation] = &[
    ("035-gateway-unsupported-route-kind", "0.5/standard", Bytes, "0.4", Bytes),
    ("102-grpc-traffic-split-2", "1.1/standard", Bytes, "1.0/experimental", Bytes),
    // Backward changes every policy; forward, the maintainers had changed one of six.
    ("110-backendtlspolicy-conflict-resolution", "1.4/standard", Bytes, "1.3/experimental", Different),
    ("148-tcproute-invalid-cross-namespace-backend-ref", "1.6/standard", Bytes, "1.5/experimental", Bytes),
    ("149-tcproute-invalid-non-tcp-listener", "1.6/standard", Bytes, "1.5/experimental", Bytes),
    ("150-tcproute-multiple-routes-attachment", "1.6/standard", Bytes, "1.5/experimental", Bytes),
    ("152-tcproute-parentref-port-and-section-name", "1.6/standard", Bytes, "1.5/experimental", Bytes),
    ("154-tcproute-weighted-routing", "1.6/standard", Bytes, "1.5/experimental", Bytes),
    ("155-basic-tcp", "1.6/standard", Bytes, "1.5/experimental", Bytes),
    ("159-udproute-invalid-backendref-nonexistent", "1.6/standard", Bytes, "1.5/experimental", Bytes),
    ("161-udproute-multiple-routes-attachment", "1.6/standard", Bytes, "1.5/experimental", Bytes),
    ("164-udproute-parentref-port-and-section-name", "1.6/standard", Bytes, "1.5/experimental", Bytes),
    ("165-udproute-reference-grant", "1.6/standard", Bytes, "1.5/experimental", Bytes),
    // The files do not contain the Gateway's namespace. Backward: user-chosen names, and no namespace for a list.
    ("s-a1-a2-basic-tcp", "0.4", Refused, "0.3", Refused),
    // The Gateway is in another file. Backward: the maintainers had changed its namespace.
    ("s-a1-a2-cross-namespace-routing-site-route", "0.4", Refused, "0.3", Different),
    ("s-a1-a2-cross-namespace-routing-store-route", "0.4", Refused, "0.3", Different),
    // The maintainers' listener no longer accepts other namespaces. Backward: a list of Gateways requires a namespace.
    ("s-a1-a2-default-match-http", "0.4", Different, "0.3", Refused),
    // The maintainers left out class, Gateway and match. Backward: their route belongs to no Gateway.
    ("s-a1-a2-http-filter", "0.4", Different, "0.3", Different),
    // The Gateway is in another file. Backward: as above, no namespace.
    ("s-a1-a2-http-routing-bar-httproute", "0.4", Refused, "0.3", Refused),
    ("s-a1-a2-simple-gateway-httproute", "0.4", Refused, "0.3", Refused),
    // The Gateway is in another file. Backward: their route belongs to no Gateway.
    ("s-a1-a2-traffic-splitting-traffic-split-1", "0.4", Refused, "0.3", Different),
    ("s-a1-a2-traffic-splitting-traffic-split-2", "0.4", Refused, "0.3", Different),
    // The maintainers' listeners have user-chosen names, which cannot be converted back either.
    ("s-a1-a2-wildcard-tls-gateway", "0.4", Different, "0.3", Refused),
    ("s-a1-only-backendpolicy", "0.4", Refused, "0.3", Nothing),
    ("s-a1-only-basic-udp", "0.4", Nothing, "0.3", Nothing),
    ("s-a1-only-cross-namespace-routing-example-namespaces", "0.4", Nothing, "0.3", Nothing),
    // Label selectors, with no route in the files.
    ("s-a1-only-multiple-tcp", "0.4", Refused, "0.3", Nothing),
    ("s-a1-only-single-http", "0.4", Refused, "0.3", Nothing),
    // Certificates that routes add to listeners.
    ("s-a1-only-tls-cert-in-route", "0.4", Refused, "0.3", Nothing),
    // A BackendPolicy, and a route whose Gateway is in another file.
    ("s-a1-only-upstream-tls", "0.4", Refused, "0.3", Nothing),
    ("s-a1-only-wildcard-http", "0.4", Refused, "0.3", Nothing),
    // A service was renamed in the same commit.
    ("s-btp-a2-a3-system", "1.1/experimental", Different, "1.0/experimental", Different),
    // The maintainers repaired a mistake, which is not a conversion.
    ("s-btp-a3-kindfix", "1.3/experimental", Different, "1.1/experimental", Different),
    // The maintainers' file has a schema that no release had.
    ("s-frontend-step1", "1.4/experimental", Different, "1.3/experimental", Refused),
    // Between two releases: the old schema under the new group, which no release had.
    ("s-gep718", "0.4", Different, "0.3", Refused),
    // Between two releases: the old schema under the new group, which no release had.
    ("s-gep851", "0.4", Different, "0.3", Refused),
    // Between two releases: the old schema under the new group, which no release had.
    ("s-prefix-basic-http", "0.4", Different, "0.3", Refused),
    // The maintainers added a hostname.
    ("s-tlsroute-a2-a3", "1.4/experimental", Different, "1.3/experimental", Different),
    ("s-xls-listenerset-allowed-namespace-none", "1.5/experimental", Bytes, "1.4/experimental", Bytes),
    ("s-xls-listenerset-allowed-namespace-selector", "1.5/experimental", Bytes, "1.4/experimental", Bytes),
    ("s-xls-listenerset-protocol-conflict", "1.5/experimental", Bytes, "1.4/experimental", Bytes),
];

/// The pairs of NGINX Gateway Fabric: name, release and outcome forward, release and outcome backward.
const NGF_PAIRS: &[Expectation] = &[
    // Backward: v1.4.1 serves v1alpha3 too, and the maintainers had v1alpha2.
    ("docs_843f11c8f_TLSRoute_16", "2.5", Bytes, "2.4", Different),
    ("docs_9d3e5cefc_ObservabilityPolicy_0", "1.6", Bytes, "1.5", Bytes),
    // Another example under the old name, and the documentation omits the namespace. Backward: `spec.kubernetes` is lost.
    ("docs_af2a3661a_NginxProxy_3", "2.0", Different, "1.6", Refused),
    // The documentation omits the namespace.
    ("docs_af2a3661a_NginxProxy_4", "2.0", Different, "1.6", Bytes),
    ("docs_b5da2a3bb_BackendTLSPolicy_9", "2.3", Bytes, "2.2", Bytes),
    // A mistake was removed, which is not a conversion: annotations belong to Gateways.
    ("docs_b5da2a3bb_NginxProxy_8", "2.3", Different, "2.2", Different),
    // The chart's own defaults: comments, new keys and image tags changed besides the keys that rules convert.
    ("helm_v1.4.0_v1.5.0_chart-values", "1.5.0", Different, "1.4.0", Different),
    // One nodeSelector became two.
    ("helm_v1.6.2_v2.0.0_azure", "2.0.0", Refused, "1.6.2", Refused),
    // The chart's own defaults: comments, new keys and image tags. Backward too.
    ("helm_v1.6.2_v2.0.0_chart-values", "2.0.0", Different, "1.6.2", Different),
    ("helm_v1.6.2_v2.0.0_default", "2.0.0", Bytes, "1.6.2", Bytes),
    // A Secret for images, which can belong to either image.
    ("helm_v1.6.2_v2.0.0_nginx-plus", "2.0.0", Refused, "1.6.2", Refused),
    ("helm_v1.6.2_v2.0.0_nodeport", "2.0.0", Bytes, "1.6.2", Bytes),
    // A label of the example was removed.
    ("v0.5.0_v0.6.0_Gateway_gateway_9", "0.6.0", Different, "0.6.0", Different),
    ("v1.0.0_v1.1.0_Gateway_gateway_17", "1.1.0", Bytes, "1.0.0", Bytes),
    ("v1.0.0_v1.1.0_Gateway_gateway_40", "1.1.0", Bytes, "1.0.0", Bytes),
    ("v1.0.0_v1.1.0_HTTPRoute_advanced-routing_34", "1.1.0", Bytes, "1.0.0", Bytes),
    // The old policy references a namespace and has none itself.
    ("v1.2.0_v1.3.0_BackendTLSPolicy_securing-backend-traffic_59", "1.3.0", Refused, "1.2.0", Different),
    ("v1.5.1_v1.6.0_ObservabilityPolicy_policy-multiple_64", "1.6.0", Bytes, "1.5.1", Bytes),
    ("v1.5.1_v1.6.0_ObservabilityPolicy_tracing_62", "1.6.0", Bytes, "1.5.1", Bytes),
    // Annotations were taken from a Service that is in no file.
    ("v1.6.2_v2.0.0_Gateway_gateway_79", "2.0.0", Different, "1.6.2", Different),
    // The deployment of the project itself, mostly other APIs. Backward: `spec.kubernetes` is lost.
    ("v1.6.2_v2.0.0_deploy-azure", "2.0.0", Different, "1.6.2", Refused),
    // As above.
    ("v1.6.2_v2.0.0_deploy-openshift", "2.0.0", Different, "1.6.2", Refused),
    // A template.
    ("v1.6.2_v2.0.0_template-nginxproxy", "2.0.0", Nothing, "1.6.2", Nothing),
    // Backward: the maintainers had left an old apiVersion.
    ("v2.4.2_v2.5.0_BackendTLSPolicy_backendtlspolicy_122", "2.5.0", Bytes, "2.4.2", Different),
    // Backward: as above.
    ("v2.4.2_v2.5.0_Gateway_nginx-extensions_125", "2.5.0", Bytes, "2.4.2", Different),
    ("v2.4.2_v2.5.0_ReferenceGrant_reference-grant_121", "2.5.0", Bytes, "2.4.2", Bytes),
    ("v2.4.2_v2.5.0_ReferenceGrant_reference-grant_131", "2.5.0", Bytes, "2.4.2", Bytes),
];

/// The pairs of the other packs, whose folders have their names.
const PACK_PAIRS: &[(&str, &[Expectation])] = &[
    (
        "karpenter",
        &[
            // The tool that made the file sorts keys, writes each default and drops comments. Backward: what the file says, in its order.
            ("01-convert-provisioner-full", "0.32.2", Different, "0.31.5", Different),
            // As above. Backward: an AWSNodeTemplate has no role, and the people wrote one.
            ("03-convert-provisioner-provider-inline", "0.32.2", Different, "0.31.5", Refused),
            // No role and no instance profile is in the file. Backward: a role.
            ("05-convert-nodetemplate-no-amifamily", "0.32.2", Refused, "0.31.5", Refused),
            // The people replaced the instance profile by a role, and wrote the requirements anew. Backward: the role.
            ("07-alpha-beta-blueprint-custom-ami", "0.32.2", Different, "0.31.5", Refused),
            // The people sorted keys, and wrote each requirement in block style. Backward too.
            ("09-alpha-beta-blueprint-od-spot", "0.32.2", Different, "0.31.5", Different),
            // As above, and a comment about a quota became another one.
            ("11-alpha-beta-blueprint-savings-plans", "0.32.2", Different, "0.31.5", Different),
            // Another image; the defaults of v1beta1 are written, where the people took those of v1. Backward: `consolidateAfter: 1m` has no old form.
            ("13-beta-v1-blueprint-custom-ami", "1.0.0", Different, "0.37.0", Refused),
            // Defaults, and the place of expireAfter. Backward: `consolidateAfter: 1m`.
            ("15-beta-v1-blueprint-od-spot", "1.0.0", Different, "0.37.0", Refused),
            // The maintainers took Amazon Linux 2023, a misspelled new key and the new defaults.
            ("17-beta-v1-example-max-node-lifetime", "1.0.0", Different, "0.37.0", Different),
            // The defaults of v1beta1 are written, where the maintainers took those of v1. Backward: those of v1.
            ("19-beta-v1-example-al2-custom-ami", "1.0.0", Different, "0.37.0", Different),
            // Defaults, and `amiFamily`, which the maintainers removed. Backward too.
            ("21-beta-v1-example-bottlerocket", "1.0.0", Different, "0.37.0", Different),
            // Another expireAfter. Backward: `consolidateAfter: 1m`.
            ("23-beta-v1-workshop-nodepool", "1.0.0", Different, "0.37.0", Refused),
            // Another family of images, and defaults. Backward too.
            ("25-beta-v1-blueprints-mng", "1.0.0", Different, "0.37.0", Different),
            // As above, and another role.
            ("26-beta-v1-blueprints-karpenter", "1.0.0", Different, "0.37.0", Different),
        ],
    ),
    (
        "cluster-api",
        &[
            // The objects of the provider are of another project. Backward: references name a group, and the version is in no file.
            ("01-kcp-cluster-v1beta1-v1beta2", "1.11.0", Different, "1.10.0", Refused),
            // As above, and the list is in the style of the converted one.
            ("03-simple-cluster-example", "1.11.0", Different, "1.10.0", Refused),
            // As above.
            ("04-simple-cluster-ipv6", "1.11.0", Different, "1.10.0", Refused),
            // Patches of the ClusterClass name fields of templates of the provider. Backward too.
            ("05-clusterclass-quick-start", "1.11.0", Refused, "1.10.0", Refused),
            // The same data: the list of arguments has other quotes.
            ("07-ignition-kcp", "1.11.0", Data, "1.10.0", Bytes),
            // The objects of the provider. Backward: references name a group.
            ("09-kcp-remediation", "1.11.0", Different, "1.10.0", Refused),
            // The same data.
            ("11-md-remediation-mhc", "1.11.0", Data, "1.10.0", Data),
            // The objects of the provider. Backward: references.
            ("13-kcp-adoption-step1", "1.11.0", Different, "1.10.0", Refused),
            // The objects of the provider. Backward: references.
            ("15-machinedeployment-kubeadmconfig", "1.11.0", Different, "1.10.0", Refused),
            // The provider's group. Backward: exp.cluster.x-k8s.io/v1alpha4, which no release had.
            ("17-mp-exp-group-to-core", "0.4.0", Different, "0.3.23", Different),
            // The provider's objects, and another host name.
            ("19-kcp-v1alpha3-v1alpha4", "0.4.8", Different, "0.3.25", Different),
        ],
    ),
    (
        "istio",
        &[
            ("01-gateway-secrets-v1alpha3-v1", "1.22.0", Bytes, "1.4.0", Bytes),
            // Backward: 1.21 serves the newer versions too, and the maintainers had older ones.
            ("03-authorizationpolicies-v1", "1.22.0", Bytes, "1.21.0", Different),
            ("05-telemetry-selector-v1", "1.22.0", Bytes, "1.21.0", Bytes),
            ("07-repair-peerauth-v1-too-early", "1.11.0", Bytes, "1.22.0", Bytes),
            // Whether its namespace is the root namespace is in no file. Backward too.
            ("09-authn-policy-to-peerauthentication", "1.6.0", Refused, "1.4.0", Refused),
            // A MeshPolicy with a namespace, which the API server ignores. Backward: the root namespace.
            ("11-envoyfilter-without-service-policy", "1.6.0", Refused, "1.4.0", Refused),
            // What RBAC becomes depends on the Services and the root namespace. Backward: 1.4 serves what it became.
            ("13-rbac-exclusion-namespace", "1.7.0", Refused, "1.4.0", Different),
            // As above.
            ("15-rbac-wildcard", "1.7.0", Refused, "1.4.0", Different),
            ("17-canary-virtualservice-v1beta1", "1.20.0", Bytes, "1.4.0", Bytes),
        ],
    ),
    (
        "traefik",
        &[
            ("01-crd-resource-reference", "2.10.0", Bytes, "2.9.1", Bytes),
            ("05-argocd-ingressroute", "2.10.0", Bytes, "2.9.1", Bytes),
            ("07-dashboard-ingressroute", "2.10.0", Bytes, "2.9.1", Bytes),
            // A template of a chart, without the chart.
            ("09-helm-tlsoption", "2.10.0", Nothing, "2.9.1", Nothing),
            ("11-cross-namespace", "2.10.0", Bytes, "2.9.1", Bytes),
            // The rule is kept as `syntax: v2`, since its Headers matches what no Header of v3 does; the people wrote a Header. Backward: Header.
            ("03-argocd-headers-v3", "3.0.0", Different, "2.11.0", Refused),
        ],
    ),
    (
        "envoy-gateway",
        &[
            // The maintainers' files have a field of access logs that the release does not have. Backward too.
            ("01-envoyproxy-group-accesslog", "0.6.0", Refused, "0.5.0", Refused),
            // AuthenticationFilter became SecurityPolicy, which is about a whole route. Backward: none before.
            ("03-authenticationfilter-to-securitypolicy", "0.6.0", Refused, "0.5.0", Refused),
            // RateLimitFilter became BackendTrafficPolicy, which is about a whole route. Backward: none before.
            ("11-ratelimit-block-all-ips", "0.6.0", Refused, "0.5.0", Refused),
            // Backward: the namespace of a target is optional, and the maintainers had written it.
            ("05-basic-auth-targetrefs", "1.1.0", Bytes, "1.0.0", Different),
            ("07-ext-auth-grpc-backendrefs", "1.1.0", Bytes, "1.0.0", Bytes),
            // As above.
            ("09-fault-injection-targetrefs", "1.1.0", Bytes, "1.0.0", Different),
            // Another value of the example.
            ("13-tracing-backendrefs", "1.1.0", Different, "1.0.0", Different),
            // Backward: the namespace of a target.
            ("15-retry-targetrefs", "1.1.0", Bytes, "1.0.0", Different),
        ],
    ),
    (
        "gateway-api-inference-extension",
        &[
            // The Deployment of the endpoint picker has flags with other names, and RBAC rules name kinds. Backward too.
            ("01-conformance-manifests-tags", "1.0.0", Refused, "0.5.1", Refused),
            // The name of the model is lost. Backward: the name is required.
            ("03-inferencemodel-to-objective-manifest", "1.0.0", Refused, "0.5.1", Refused),
            // The flags of the endpoint picker. Backward too.
            ("05-inferencepool-resources", "1.0.0", Refused, "0.5.1", Refused),
            // Another name of the Gateway, and comments.
            ("07-accepted-conformance", "1.0.0", Different, "0.5.1", Different),
            // The flags of the endpoint picker. Backward too.
            ("09-e2e-testdata", "1.0.0", Refused, "0.5.1", Refused),
            // The name of the model is lost. Backward: the maintainers had removed the object, and named another Gateway.
            ("11-gateway-following-epp-routing", "1.0.0", Refused, "0.5.1", Different),
            // The first group was never released, so it is not known. Backward: it did not come back.
            ("13-group-rename-accepted", "0.3.0", Different, "0.1.0", Different),
        ],
    ),
    (
        "tekton",
        &[
            // The maintainers wrote workspaces and parameters anew. Backward: a Task of v1alpha1 replaces older variables alone.
            ("01-catalog-maven-v1alpha1-v1beta1", "0.11.0", Different, "0.10.0", Refused),
            // The maintainers replaced variables that v1beta1 still knows. Backward: as above.
            ("03-catalog-buildpacks-v1beta1", "0.11.0", Different, "0.10.0", Refused),
            // The people added resources.
            ("09-konflux-generate-labels-v1", "0.44.0", Different, "0.42.0", Different),
            // The people gave the run another name, a service account and a timeout.
            ("11-appstudio-triggertemplate-v1", "0.44.0", Different, "0.42.0", Different),
            ("13-example-dind-sidecar", "0.44.0", Bytes, "0.42.0", Bytes),
            ("15-example-when-expressions", "0.44.0", Bytes, "0.42.0", Bytes),
            ("17-example-optional-workspaces", "0.44.0", Bytes, "0.42.0", Bytes),
        ],
    ),
    (
        "cilium",
        &[
            ("01-bgpadvertisement", "1.18.2", Bytes, "1.17.1", Bytes),
            ("03-loadbalancerippool", "1.18.2", Bytes, "1.17.1", Bytes),
            ("07-pool-bjws", "1.18.2", Bytes, "1.17.1", Bytes),
            ("09-networks-onedrop", "1.18.2", Bytes, "1.17.1", Bytes),
            ("11-networks-rcdailey", "1.18.2", Bytes, "1.17.1", Bytes),
            // CiliumBGPPeeringPolicy is still served, and what it becomes is several objects with names of the people's choice. Backward: the new kinds are not served.
            ("05-onedrop-bgppeeringpolicy-to-v2crds", "1.16.0", Different, "1.14.5", Refused),
            // As above.
            ("13-joryirving-bgp-2025", "1.16.0", Different, "1.14.5", Refused),
        ],
    ),
    (
        "keda",
        &[
            // The maintainers removed a label, and a blank at the end of a line.
            ("01-servicebus-autoscaling", "2.0.0", Different, "1.5.0", Different),
        ],
    ),
];

#[test]
fn pairs_of_other_packs_have_the_listed_outcomes() {
    for (pack, pairs) in PACK_PAIRS {
        let prepare = |release: &str, text| (targets(pack, release), text);
        check(&format!("pairs/{pack}"), pairs, prepare);
    }
}

#[test]
fn gateway_api_pairs_have_the_listed_outcomes() {
    let folder = "pairs/gateway-api";
    check(folder, PAIRS, |release, text| (vec![packs().target(&format!("gateway-api@{release}")).unwrap()], text));
}

/// Chart values are read in a HelmRelease.
#[test]
fn ngf_pairs_have_the_listed_outcomes() {
    let folder = "pairs/nginx-gateway-fabric";
    check(folder, NGF_PAIRS, |release, text| {
        let is_object = text.lines().any(|line| line.starts_with("apiVersion:"));
        (targets("ngf", release), if is_object { text } else { in_release(&text) })
    });
}

/// Returns a release of a pack, and the Gateway API release that it includes, in the experimental channel, which has every kind.
fn targets(pack: &str, release: &str) -> Vec<Target<'static>> {
    let target = packs().target(&format!("{pack}@{release}")).unwrap();
    let companion = packs().companion(&target).unwrap().map(|companion| {
        let bundle = &companion.pack.line().get(companion.release).bundle;
        packs().target(&format!("gateway-api@{bundle}/experimental")).unwrap()
    });
    [target].into_iter().chain(companion).collect()
}

/// Returns chart values as those of a HelmRelease.
fn in_release(values: &str) -> String {
    let head = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata:\n  name: ngf\nspec:\n  chart:\n    spec:\n      chart: nginx-gateway-fabric\n  values:\n";
    let indented = values.lines().map(|line| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") });
    format!("{head}{}", indented.collect::<String>())
}

/// Converts every pair forward and backward and compares the outcomes with the list; `prepare` returns the targets for a
/// release and the text to read.
fn check(folder: &str, pairs: &[Expectation], prepare: impl Fn(&str, String) -> (Vec<Target<'static>>, String)) {
    let Some(folder) = shared(folder) else { return };
    let mut wrong = Vec::new();
    for (name, forward, forward_verdict, backward, backward_verdict) in pairs {
        let file = |side: &str| fs::read_to_string(folder.join(name).join(side)).ok();
        let (before, after) = (file("before.yaml"), file("after.yaml"));
        let directions = [(&before, &after, forward, forward_verdict), (&after, &before, backward, backward_verdict)];
        for (input, maintained, release, expected) in directions {
            let prepared = |text: &Option<String>| text.clone().map(|text| prepare(release, text));
            let (input, maintained) = (prepared(input), prepared(maintained).map(|(_, text)| text));
            let (verdict, detail) = match input {
                None => (Nothing, String::new()),
                Some((targets, input)) => compare(&input, maintained.as_deref(), targets),
            };
            if verdict != *expected {
                wrong.push(format!("{name} to {release}: {verdict:?}, expected {expected:?}\n{detail}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn compare(input: &str, maintained: Option<&str>, targets: Vec<Target<'_>>) -> (Verdict, String) {
    let manifest = match engine::reading("pair.yaml", input.as_bytes()) {
        Reading::Manifest(manifest) | Reading::Triggered(manifest) => manifest,
        Reading::Irrelevant | Reading::Template(_) => return (Nothing, String::new()),
        other => panic!("{other:?}"),
    };
    let mut parameters = packs().default_parameters();
    parameters.insert("ngf.namespace".to_owned(), "nginx-gateway".to_owned());
    let goal = Goal { packs: packs(), targets, choices: Choices { parameters, ..Choices::default() } };
    let plan = plan::plan_alone(&manifest, &goal);
    let held: Vec<_> = plan.findings.iter().filter(|finding| finding.severity >= Severity::Held).collect();
    if !held.is_empty() {
        return (Refused, held.iter().map(|finding| format!("  {} {}\n", finding.code, finding.sentence())).collect());
    }
    let text = plan.files.into_iter().next().map_or_else(|| input.to_owned(), |file| file.after());
    let Some(maintained) = maintained else { return (Nothing, String::new()) };
    let verdict = if text == maintained {
        Bytes
    } else if values(&text) == values(maintained) {
        Data
    } else {
        Different
    };
    (verdict, similar::TextDiff::from_lines(maintained, text.as_str()).unified_diff().to_string())
}

fn values(text: &str) -> Vec<serde_json::Value> {
    crate::support::values(text).unwrap().into_iter().filter(|value| !value.is_null()).collect()
}
