//! Steps of published projects, reasoned from the CRDs by hand: what changed, the step that the names claim, and the one that
//! the policy `kubernetes` needs. Alphas are free, which is a minor release.

use std::collections::BTreeMap;

use super::table::{Step, steps};
use crate::support::shared;

/// A step: from, to, channel, claims, needs, changes.
type Row = [&'static str; 6];

/// Returns the name of a step of the version.
fn bump(step: reversion::internals::crd_check::Bump) -> &'static str {
    use reversion::internals::crd_check::Bump;
    match step {
        Bump::None => "none",
        Bump::Patch => "patch",
        Bump::Minor => "minor",
        Bump::Major => "major",
        Bump::NewVersion => "apiVersion",
    }
}

/// Counts the changes of a step: `crd-enum loosened 2, ...`.
fn changes(step: &Step) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for finding in &step.comparison.findings {
        let class = finding.message.rsplit_once(" (").and_then(|(_, class)| class.strip_suffix(')'));
        if let Some(class) = class.filter(|_| finding.code.name() != "crd-bump") {
            *counts.entry(format!("{} {class}", finding.code.name())).or_default() += 1;
        }
    }
    counts.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
}

#[track_caller]
fn check(folder: &str, rows: &[Row]) {
    let Some(crds) = shared("crds") else { return };
    let is_named = |name: &str| rows.iter().any(|[old, new, ..]| [*old, *new].contains(&name));
    let steps = steps(&crds.join(folder), "kubernetes", is_named);
    for [old, new, channel, claims, needs, expected] in rows {
        let is_it = |step: &&Step| step.old == *old && step.new == *new && step.channel == *channel;
        let step = steps.iter().find(is_it).unwrap_or_else(|| panic!("{folder} has no step from {old} to {new}"));
        let found = [step.comparison.step.claims.map_or("", bump), bump(step.comparison.step.needs), &changes(step)];
        assert_eq!(found, [*claims, *needs, *expected], "{folder} {old} to {new} {channel}");
    }
}

#[test]
fn cert_manager() {
    check(
        "cert-manager",
        &[
            // `url` of an ACME DNS solver, in issuers and cluster issuers.
            ["v0.13.0", "v0.13.1", "", "patch", "minor", "crd-required loosened 2"],
            // The least revision history limit, in each of four versions.
            ["v1.3.0", "v1.3.1", "", "patch", "minor", "crd-bound loosened 4"],
        ],
    );
}

#[test]
fn cluster_api() {
    check(
        "cluster-api",
        &[
            ["v0.3.3", "v0.3.4", "", "patch", "minor", "crd-required loosened 1"],
            // A default in a version that is an alpha.
            ["v0.3.15", "v0.3.23", "", "patch", "minor", "crd-default breaking 1"],
            ["v1.3.0", "v1.3.7", "", "patch", "minor", "crd-required loosened 1"],
            ["v1.4.0", "v1.4.2", "", "patch", "minor", "crd-required loosened 2"],
            // `replicas` of machine sets is not 1 any more where it is absent.
            ["v1.6.4", "v1.7.0", "", "minor", "apiVersion", "crd-default breaking 1"],
            ["v1.11.0", "v1.11.4", "", "patch", "minor", "crd-bound loosened 1"],
            ["v1.11.4", "v1.11.7", "", "patch", "minor", "crd-bound loosened 1"],
            ["v1.12.0", "v1.12.4", "", "patch", "minor", "crd-bound loosened 1"],
        ],
    );
}

#[test]
fn envoy_gateway() {
    check(
        "envoy-gateway",
        &[
            ["v1.2.0", "v1.2.2", "", "patch", "minor", "crd-rule loosened 2"],
            ["v1.4.0", "v1.4.1", "", "patch", "minor", "crd-enum loosened 2"],
            ["v1.4.1", "v1.4.2", "", "patch", "minor", "crd-rule tightened 1"],
            // What the rule forbids must be there as well.
            ["v1.4.2", "v1.4.3", "", "patch", "minor", "crd-rule loosened 1"],
            ["v1.5.1", "v1.5.7", "", "patch", "minor", "crd-enum loosened 1"],
            ["v1.6.0", "v1.6.2", "", "patch", "minor", "crd-enum loosened 1"],
        ],
    );
}

#[test]
fn external_secrets() {
    check(
        "external-secrets",
        &[
            ["v0.1.3", "v0.1.4", "", "patch", "minor", "crd-format loosened 1"],
            ["v0.2.0", "v0.2.1", "", "patch", "minor", "crd-field-added additive 1"],
            ["v0.4.2", "v0.4.3", "", "patch", "minor", "crd-field-added additive 1"],
            // Once in the alpha, and once in v1beta1.
            ["v0.9.18", "v0.9.19", "", "patch", "apiVersion", "crd-default breaking 2"],
            ["v0.14.1", "v0.14.2", "", "patch", "minor", "crd-default breaking 1"],
        ],
    );
}

#[test]
fn flux() {
    check(
        "flux",
        &[
            ["v0.0.13", "v0.0.15", "", "patch", "minor", "crd-field-added additive 1"],
            ["v0.0.15", "v0.0.16", "", "patch", "minor", "crd-names additive 1"],
            ["v0.0.16", "v0.0.17", "", "patch", "minor", "crd-field-added additive 1"],
            ["v0.2.0", "v0.2.3", "", "patch", "minor", "crd-enum loosened 1"],
            ["v0.4.0", "v0.4.2", "", "patch", "minor", "crd-field-added additive 1"],
            ["v0.5.1", "v0.5.6", "", "patch", "minor", "crd-pattern loosened 1, crd-required loosened 1"],
            ["v0.6.0", "v0.6.2", "", "patch", "minor", "crd-enum loosened 2"],
            ["v0.8.1", "v0.9.0", "", "minor", "minor", "crd-field-added additive 1"],
            ["v0.10.0", "v0.11.0", "", "minor", "minor", "crd-enum loosened 1"],
            ["v0.15.0", "v0.15.2", "", "patch", "minor", "crd-field-added additive 1"],
            // Objects without a status have one.
            ["v0.16.0", "v0.16.2", "", "patch", "apiVersion", "crd-default breaking 1"],
            ["v0.16.2", "v0.17.0", "", "minor", "minor", "crd-enum loosened 3"],
            ["v0.17.0", "v0.17.1", "", "patch", "apiVersion", "crd-default breaking 1"],
            ["v0.18.0", "v0.19.0", "", "minor", "minor", "crd-enum loosened 1"],
            ["v0.19.0", "v0.19.1", "", "patch", "minor", "crd-enum loosened 1"],
            // The branch is not `master` any more where it is absent.
            ["v0.19.1", "v0.20.0", "", "minor", "apiVersion", "crd-default breaking 1"],
            ["v0.20.0", "v0.21.1", "", "minor", "apiVersion", "crd-default breaking 2"],
            ["v0.26.0", "v0.26.2", "", "patch", "apiVersion", "crd-default breaking 2"],
            ["v0.33.0", "v0.34.0", "", "minor", "minor", "crd-field-added additive 2"],
            ["v0.38.0", "v0.38.2", "", "patch", "apiVersion", "crd-default breaking 2"],
            // `kubeConfig` without a Secret was accepted.
            ["v0.40.0", "v0.41.0", "", "minor", "apiVersion", "crd-required tightened 1"],
        ],
    );
}

#[test]
fn gateway_api() {
    check(
        "gateway-api",
        &[
            ["v0.4.1", "v0.4.2", "single", "patch", "none", ""],
            ["v0.4.2", "v0.4.3", "single", "patch", "none", ""],
            ["v0.5.0", "v0.5.1", "standard", "patch", "none", ""],
            ["v0.5.0", "v0.5.1", "experimental", "patch", "none", ""],
            ["v0.6.0", "v0.6.1", "standard", "patch", "none", ""],
            ["v0.6.1", "v0.6.2", "experimental", "patch", "none", ""],
            ["v0.7.0", "v0.7.1", "standard", "patch", "none", ""],
            ["v1.2.0", "v1.2.1", "experimental", "patch", "none", ""],
            // Nobody can have an object of v1alpha3, which got the subresource.
            ["v1.4.0", "v1.4.1", "standard", "patch", "none", ""],
            ["v1.4.0", "v1.4.1", "experimental", "patch", "minor", "crd-subresource tightened 1"],
            ["v1.6.0", "v1.6.1", "standard", "patch", "none", ""],
        ],
    );
}

#[test]
fn inference_extension() {
    check(
        "gateway-api-inference-extension",
        &[
            ["v1.0.0", "v1.0.1", "", "patch", "none", ""],
            // Labels of a pool: one at least, 64 at most.
            ["v1.0.1", "v1.0.2", "", "patch", "apiVersion", "crd-bound tightened 2"],
            ["v1.2.0", "v1.2.1", "", "patch", "none", ""],
            // `split` became `targets` in an alpha.
            ["v1.2.1", "v1.3.0", "", "minor", "minor", "crd-field-renamed renamed 1"],
        ],
    );
}

#[test]
fn istio() {
    check(
        "istio",
        &[
            ["1.7.0", "1.7.1", "", "patch", "minor", "crd-enum loosened 1"],
            // A port of at most 6553 is one of at most 65535.
            ["1.29.0", "1.29.3", "", "patch", "minor", "crd-rule loosened 1"],
        ],
    );
}

#[test]
fn karpenter() {
    check(
        "karpenter",
        &[
            ["v0.5.3", "v0.7.0", "", "minor", "minor", "crd-names additive 1"],
            ["v0.17.0", "v0.20.0", "", "minor", "minor", "crd-field-added additive 1"],
            ["v0.20.0", "v0.23.0", "", "minor", "minor", "crd-field-added additive 1"],
            ["v0.33.6", "v0.33.9", "", "patch", "apiVersion", "crd-default breaking 1"],
            // One budget had to have both fields or none; each has to now.
            ["v0.34.0", "v0.34.1", "", "patch", "apiVersion", "crd-rule loosened 1, crd-rule tightened 1"],
            ["v0.34.1", "v0.34.5", "", "patch", "apiVersion", "crd-pattern tightened 1"],
            ["v1.0.0", "v1.0.4", "", "patch", "apiVersion", "crd-default breaking 1"],
            // The lists of labels that are known grow, here and below.
            ["v1.0.4", "v1.0.9", "", "patch", "minor", "crd-rule loosened 2"],
            ["v1.1.0", "v1.1.1", "", "patch", "minor", "crd-field-added additive 1"],
            ["v1.1.1", "v1.2.0", "", "minor", "minor", "crd-printer-column additive 1"],
            // Three messages of rules for what is selected are worded otherwise.
            [
                "v1.2.0",
                "v1.3.0",
                "",
                "minor",
                "minor",
                "crd-field-added additive 2, crd-rule documentation 3, crd-rule loosened 3",
            ],
            ["v1.5.0", "v1.6.0", "", "minor", "minor", "crd-field-added additive 2, crd-rule loosened 3"],
            ["v1.6.0", "v1.7.0", "", "minor", "minor", "crd-added additive 1, crd-rule loosened 5"],
            ["v1.9.0", "v1.10.0", "", "minor", "minor", "crd-field-added additive 1, crd-rule loosened 3"],
            ["v1.10.0", "v1.11.0", "", "minor", "minor", "crd-field-added additive 2, crd-rule loosened 3"],
            ["v1.13.0", "v1.14.0", "", "minor", "minor", "crd-enum loosened 1"],
        ],
    );
}

#[test]
fn keda_and_tekton() {
    // What the schema does not name any more is kept, since nothing is pruned.
    check("keda", &[["v1.0.0", "v1.1.0", "", "minor", "minor", "crd-field-removed loosened 2"]]);
    check("keda", &[["v2.20.0", "v2.20.2", "", "patch", "minor", "crd-enum loosened 1"]]);
    check(
        "tekton",
        &[
            ["v0.41.0", "v0.41.1", "", "patch", "minor", "crd-conversion additive 1"],
            ["v0.47.0", "v0.47.7", "", "patch", "apiVersion", "crd-conversion breaking 1"],
            ["v1.13.0", "v1.14.0", "", "minor", "minor", "crd-required loosened 1"],
        ],
    );
}

#[test]
fn nginx_gateway_fabric() {
    check(
        "nginx-gateway-fabric",
        &[
            ["v0.6.0", "v1.0.0", "", "major", "none", ""],
            ["v1.0.0", "v1.1.0", "", "minor", "none", ""],
            // The annotation of the generator.
            ["v1.1.0", "v1.2.0", "", "minor", "none", ""],
            ["v1.5.0", "v1.5.1", "", "patch", "none", ""],
            ["v2.0.0", "v2.0.1", "", "patch", "none", ""],
            ["v2.6.0", "v2.6.1", "", "patch", "none", ""],
        ],
    );
}

#[test]
fn traefik() {
    check(
        "traefik",
        &[
            ["v2.11.0", "v2.11.38", "", "patch", "minor", "crd-field-added additive 1"],
            ["v3.0.0", "v3.0.2", "", "patch", "minor", "crd-field-added additive 1"],
            ["v3.3.0", "v3.3.3", "", "patch", "minor", "crd-field-added additive 1"],
            // The rule was the wrong way around.
            ["v3.4.0", "v3.4.1", "", "patch", "minor", "crd-rule loosened 2, crd-rule tightened 2"],
            ["v3.5.2", "v3.5.3", "", "patch", "minor", "crd-bound loosened 1"],
            ["v3.6.0", "v3.6.9", "", "patch", "minor", "crd-field-added additive 1"],
            ["v3.7.0", "v3.7.8", "", "patch", "minor", "crd-field-added additive 1"],
        ],
    );
}
