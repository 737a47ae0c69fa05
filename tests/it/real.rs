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

#[test]
fn gateway_api_pairs_have_the_listed_outcomes() {
    let folder = "pairs/gateway-api";
    check(folder, PAIRS, |release, text| (vec![packs().target(&format!("gateway-api@{release}")).unwrap()], text));
}

/// A release of NGF includes a Gateway API release, in the experimental channel, which has every kind. Chart values are read in
/// a HelmRelease.
#[test]
fn ngf_pairs_have_the_listed_outcomes() {
    let folder = "pairs/nginx-gateway-fabric";
    check(folder, NGF_PAIRS, |release, text| {
        let target = packs().target(&format!("ngf@{release}")).unwrap();
        let companion = packs().companion(&target).unwrap().unwrap();
        let bundle = &companion.pack.line().get(companion.release).bundle;
        let experimental = packs().target(&format!("gateway-api@{bundle}/experimental")).unwrap();
        let is_object = text.lines().any(|line| line.starts_with("apiVersion:"));
        (vec![target, experimental], if is_object { text } else { in_release(&text) })
    });
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
    let parameters = [("ngf.namespace".to_owned(), "nginx-gateway".to_owned())].into_iter().collect();
    let goal = Goal { packs: packs(), targets, choices: Choices { parameters, ..Choices::default() } };
    let plan = plan::plan(&[*manifest], &goal);
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
