//! Conversions with the built-in packs between releases further apart than those of a rule's fixtures.

use reversion::internals::plan::Choices;

use crate::support::engine;

/// Converts a file to a target; nothing may be held back.
#[track_caller]
fn convert(target: &str, text: &str) -> String {
    let run = engine::convert(engine::target(target), Choices::default(), text).expect("the file can be read");
    assert!(run.blocking().is_empty(), "{:?}", run.blocking());
    run.after
}

const ISSUER: &str = "\
apiVersion: cert-manager.io/v1
kind: Issuer
metadata:
  name: letsencrypt
spec:
  acme:
    server: https://acme-v02.api.letsencrypt.org/directory
    privateKeySecretRef:
      name: letsencrypt
    solvers:
    - dns01:
        clouddns:   # the public zone
          project: shop
";

#[test]
fn dns01_providers_of_older_versions_are_renamed_in_every_release_of_v1() {
    let after = ISSUER.replace("clouddns", "cloudDNS");
    for release in ["1.0.0", "1.5.0", "1.21.0"] {
        let target = format!("cert-manager@{release}");
        assert_eq!(convert(&target, ISSUER), after, "{target}");
        assert_eq!(convert(&target, &after), after, "{target}");
    }
    for version in ["v1alpha2", "v1beta1"] {
        let before = ISSUER.replace("cert-manager.io/v1", &format!("cert-manager.io/{version}"));
        assert_eq!(convert("cert-manager@1.0.0", &before), after, "{version}");
    }
}

#[test]
fn a_reference_to_a_source_loses_its_version_although_its_group_was_renamed() {
    let old = "\
apiVersion: kustomize.fluxcd.io/v1alpha1
kind: Kustomization
metadata:
  name: shop
spec:
  interval: 5m
  path: ./shop
  prune: true
  sourceRef:
    apiGroup: source.fluxcd.io
    kind: GitRepository
    name: fleet
";
    for (release, version) in [("0.0.13", "v1alpha1"), ("0.2.3", "v1beta1"), ("0.35.0", "v1beta2")] {
        let new = convert(&format!("flux@{release}"), old);
        assert!(new.contains(&format!("apiVersion: source.toolkit.fluxcd.io/{version}\n")), "{new}");
        assert_eq!(convert("flux@0.0.2", &new), old);
    }
}
