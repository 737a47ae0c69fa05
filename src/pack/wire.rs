//! Answers: how is a pack written?
//!
//! The types mirror `pack.yaml` key by key and check no more than its shape; an unknown key is an error.
//!
//! Invariant: what is read here is as written; everything that is checked has another type.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::lens::Lens;
use crate::release::{Channel, GroupKind, ReleaseLine};

/// The file `pack.yaml` of a pack.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackFile {
    /// What the project is called: `Gateway API`.
    pub title: String,
    /// Where the releases come from.
    pub source: String,
    /// The API groups whose kinds the pack knows.
    pub groups: Vec<String>,
    /// The releases, oldest bundle first.
    pub releases: Vec<BundleLine>,
    /// The annotations by which an installed CRD names its own release.
    pub annotations: Option<Annotations>,
    /// Values of the bundle annotation that do not mean what they say, with the bundles they stand for.
    #[serde(default)]
    pub corrections: BTreeMap<String, Correction>,
}

impl PackFile {
    /// Returns the releases as a line.
    ///
    /// # Errors
    /// A message for a bundle listed twice, a bundle without a channel, or too many releases.
    pub fn line(&self) -> Result<ReleaseLine, String> {
        ReleaseLine::new(self.releases.iter().map(|release| (release.bundle.clone(), release.channels.clone())))
    }
}

/// One bundle and the channels it was published in: `{ bundle: v1.4.0, channels: [standard, experimental] }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BundleLine {
    /// The bundle's name as tagged upstream.
    pub bundle: String,
    /// The channels, in any order.
    pub channels: Vec<Channel>,
}

/// Annotation keys on a CRD.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Annotations {
    /// The key whose value is the bundle: `gateway.networking.k8s.io/bundle-version`.
    pub bundle: String,
    /// The key whose value is the channel: `gateway.networking.k8s.io/channel`.
    pub channel: Option<String>,
}

/// What a misleading value of the bundle annotation stands for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Correction {
    /// The bundles that were published with the value; none when no release was.
    pub bundles: Vec<String>,
    /// Why the value is wrong, for people.
    pub reason: String,
}

/// A rule's file, `<release>/<rule>.yaml`: one documented change.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleFile {
    /// One line for people.
    pub summary: String,
    /// The kind before the change: `BackendTLSPolicy.gateway.networking.k8s.io`.
    pub kind: GroupKind,
    /// The channels that the change was made in.
    pub channels: Vec<Channel>,
    /// Where the change is documented upstream.
    pub source: String,
    /// The change itself.
    pub lens: Lens,
}
