//! Real manifests, as their maintainers had them before and after: read from `../shared/pairs` where it is there.
//!
//! Each pair goes up from `before.yaml` and down from `after.yaml`; the outcome is compared with what is written here, so
//! that a change of behaviour shows. `SHARED` names another place for the folder.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::{Path, PathBuf};

use reversion::finding::Severity;
use reversion::manifest::{self, Reading, Recognizer};
use reversion::pack::{Packs, embedded};
use reversion::plan::{self, Choices, Goal};
use reversion::yaml;

/// How a converted file compares with the maintainers' own.
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
    /// There is no such file to compare with.
    Nothing,
}

use Verdict::{Bytes, Data, Different, Nothing, Refused};

/// A pair, its target up and the outcome, its target down and the outcome.
type Expectation = (&'static str, &'static str, Verdict, &'static str, Verdict);

const PAIRS: &[Expectation] = &[
    ("035-gateway-unsupported-route-kind", "0.5/standard", Bytes, "0.4", Bytes),
    ("102-grpc-traffic-split-2", "1.1/standard", Bytes, "1.0/experimental", Bytes),
    // Going down changes every policy; going up, the maintainers had changed one of six.
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
    // The files do not tell the Gateway's namespace. Back: names of the maintainers' own, and no namespace for a list.
    ("s-a1-a2-basic-tcp", "0.4", Refused, "0.3", Refused),
    // The Gateway is in another file. Back: the maintainers had changed its namespace.
    ("s-a1-a2-cross-namespace-routing-site-route", "0.4", Refused, "0.3", Different),
    ("s-a1-a2-cross-namespace-routing-store-route", "0.4", Refused, "0.3", Different),
    // The maintainers' listener no longer takes other namespaces. Back: a list of Gateways asks for a namespace.
    ("s-a1-a2-default-match-http", "0.4", Different, "0.3", Refused),
    // The maintainers left out class, Gateway and match. Back: theirs belongs to no Gateway.
    ("s-a1-a2-http-filter", "0.4", Different, "0.3", Different),
    // The Gateway is in another file. Back: as above, no namespace.
    ("s-a1-a2-http-routing-bar-httproute", "0.4", Refused, "0.3", Refused),
    ("s-a1-a2-simple-gateway-httproute", "0.4", Refused, "0.3", Refused),
    // The Gateway is in another file. Back: theirs belongs to no Gateway.
    ("s-a1-a2-traffic-splitting-traffic-split-1", "0.4", Refused, "0.3", Different),
    ("s-a1-a2-traffic-splitting-traffic-split-2", "0.4", Refused, "0.3", Different),
    // The maintainers' listeners have names of their own, which also do not go back.
    ("s-a1-a2-wildcard-tls-gateway", "0.4", Different, "0.3", Refused),
    ("s-a1-only-backendpolicy", "0.4", Refused, "0.3", Nothing),
    ("s-a1-only-basic-udp", "0.4", Nothing, "0.3", Nothing),
    ("s-a1-only-cross-namespace-routing-example-namespaces", "0.4", Nothing, "0.3", Nothing),
    // Labels without a route among the files.
    ("s-a1-only-multiple-tcp", "0.4", Refused, "0.3", Nothing),
    ("s-a1-only-single-http", "0.4", Refused, "0.3", Nothing),
    // Certificates that routes bring.
    ("s-a1-only-tls-cert-in-route", "0.4", Refused, "0.3", Nothing),
    // A BackendPolicy, and a route whose Gateway is in another file.
    ("s-a1-only-upstream-tls", "0.4", Refused, "0.3", Nothing),
    ("s-a1-only-wildcard-http", "0.4", Refused, "0.3", Nothing),
    // A service was renamed in the same commit.
    ("s-btp-a2-a3-system", "1.1/experimental", Different, "1.0/experimental", Different),
    // A mistake was mended, which is no conversion.
    ("s-btp-a3-kindfix", "1.3/experimental", Different, "1.1/experimental", Different),
    // The maintainers' file has a shape that no release had.
    ("s-frontend-step1", "1.4/experimental", Different, "1.3/experimental", Refused),
    // Between two releases: the old shape stood under the new group, in no release.
    ("s-gep718", "0.4", Different, "0.3", Refused),
    // Between two releases: the old shape stood under the new group, in no release.
    ("s-gep851", "0.4", Different, "0.3", Refused),
    // Between two releases: the old shape stood under the new group, in no release.
    ("s-prefix-basic-http", "0.4", Different, "0.3", Refused),
    // The maintainers invented a hostname.
    ("s-tlsroute-a2-a3", "1.4/experimental", Different, "1.3/experimental", Different),
    ("s-xls-listenerset-allowed-namespace-none", "1.5/experimental", Bytes, "1.4/experimental", Bytes),
    ("s-xls-listenerset-allowed-namespace-selector", "1.5/experimental", Bytes, "1.4/experimental", Bytes),
    ("s-xls-listenerset-protocol-conflict", "1.5/experimental", Bytes, "1.4/experimental", Bytes),
];

fn shared() -> Option<PathBuf> {
    let root = std::env::var_os("SHARED").map(PathBuf::from);
    let root = root.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"));
    root.is_dir().then_some(root)
}

#[test]
fn gateway_api_pairs_come_out_as_written_here() {
    let Some(root) = shared() else {
        #[expect(clippy::print_stderr, reason = "a test that did not run must say so")]
        {
            eprintln!("skipped: gateway_api_pairs_come_out_as_written_here");
        }
        return;
    };
    let packs = embedded::with(Vec::new()).unwrap();
    let folder = root.join("pairs/gateway-api");
    let mut wrong = Vec::new();
    for (name, up, up_verdict, down, down_verdict) in PAIRS {
        let file = |side: &str| fs::read_to_string(folder.join(name).join(side)).ok();
        let (before, after) = (file("before.yaml"), file("after.yaml"));
        let ways = [(&before, &after, up, up_verdict), (&after, &before, down, down_verdict)];
        for (input, wanted, target, expected) in ways {
            let (verdict, detail) = judge(&packs, input.as_deref(), wanted.as_deref(), target);
            if verdict != *expected {
                wrong.push(format!("{name} to {target}: {verdict:?}, expected {expected:?}\n{detail}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn judge(packs: &Packs, input: Option<&str>, wanted: Option<&str>, target: &str) -> (Verdict, String) {
    let Some(input) = input else { return (Nothing, String::new()) };
    let target = packs.target(&format!("gateway-api@{target}")).unwrap();
    let recognizer = Recognizer::new(packs.iter().flat_map(|pack| pack.groups()).map(String::as_str));
    let manifest = match manifest::read("pair.yaml", input.as_bytes(), &recognizer) {
        Reading::Manifest(manifest) => manifest,
        Reading::Irrelevant => return (Nothing, String::new()),
        other => panic!("{other:?}"),
    };
    let goal = Goal { packs, targets: vec![target], choices: Choices::default() };
    let plan = plan::plan(&[*manifest], &goal);
    let held: Vec<_> = plan.findings.iter().filter(|finding| finding.severity >= Severity::Held).collect();
    if !held.is_empty() {
        return (Refused, held.iter().map(|finding| format!("  {} {}\n", finding.code, finding.message)).collect());
    }
    let text = plan.files.into_iter().next().map_or_else(|| input.to_owned(), |file| file.after());
    let Some(wanted) = wanted else { return (Nothing, String::new()) };
    let verdict = if text == wanted {
        Bytes
    } else if values(&text) == values(wanted) {
        Data
    } else {
        Different
    };
    (verdict, similar::TextDiff::from_lines(wanted, text.as_str()).unified_diff().to_string())
}

fn values(text: &str) -> Vec<serde_json::Value> {
    let tree = yaml::parse(text).unwrap();
    let values = tree.documents().iter().map(|document| tree.value(text, document.root).unwrap());
    values.filter(|value| !value.is_null()).collect()
}
