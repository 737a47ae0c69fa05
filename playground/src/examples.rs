//! Manifests to begin with.

use serde::Serialize;

use crate::targets::Wanted;

/// Manifests, with a target that shows something of them.
#[derive(Debug, Serialize)]
pub struct Example {
    /// What it is called.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
    /// The target; the newest releases where there is none.
    pub target: Option<Wanted>,
}

/// Returns the examples.
pub fn examples() -> Vec<Example> {
    let newest = |name, text| Example { name, text, target: None };
    let older = Wanted {
        pack: "gateway-api".to_owned(),
        release: "v1.0.0".to_owned(),
        channel: Some("standard".to_owned()),
        from: None,
    };
    vec![
        newest("Gateway API: BackendTLSPolicy v1alpha2", include_str!("../examples/gateway-api.yaml")),
        newest("Flux: HelmRelease v2beta1", include_str!("../examples/flux.yaml")),
        newest("Kubernetes: Ingress of extensions/v1beta1", include_str!("../examples/kubernetes.yaml")),
        Example {
            name: "Back to an older release, with a loss",
            text: include_str!("../examples/loss.yaml"),
            target: Some(older),
        },
    ]
}
