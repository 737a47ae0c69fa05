//! Answers: which apiVersion and kind does an object carry?
//!
//! Invariant: versions are ordered by their stability, as Kubernetes orders them.

use std::cmp::Ordering;
use std::fmt;

use serde::{Deserialize, Deserializer};

/// The text of an `apiVersion` field: `gateway.networking.k8s.io/v1beta1`, or `v1` in the core group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ApiVersion {
    /// The API group; empty for the core group.
    pub group: String,
    /// The version within the group: `v1beta1`.
    pub version: String,
}

impl ApiVersion {
    /// Splits `group/version`.
    pub fn parse(text: &str) -> Self {
        let (group, version) = text.split_once('/').unwrap_or(("", text));
        Self { group: group.to_owned(), version: version.to_owned() }
    }
}

impl fmt::Display for ApiVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.group.is_empty() { f.write_str(&self.version) } else { write!(f, "{}/{}", self.group, self.version) }
    }
}

impl<'de> Deserialize<'de> for ApiVersion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let parsed = Self::parse(&text);
        if !is_version(&parsed.version) || text.starts_with('/') {
            return Err(serde::de::Error::custom(format!("`{text}` is not an apiVersion: write `group/v1`")));
        }
        Ok(parsed)
    }
}

/// Returns whether `version` is a version's name as Kubernetes has them (`v1`, `v2beta1`), and not a variable that is filled in
/// later.
pub(crate) fn is_version(version: &str) -> bool {
    stability(version).0 > 0
}

/// Orders versions by stability: `v1alpha1` before `v1beta1` before `v1` before `v2`, other names first of all, the last of the
/// alphabet before the others.
///
/// Source: Kubernetes "CustomResourceDefinition versioning", version priority.
pub(crate) fn by_stability(left: &str, right: &str) -> Ordering {
    stability(left).cmp(&stability(right)).then_with(|| right.cmp(left))
}

/// Returns (form, stage, major, minor): higher is more stable.
fn stability(version: &str) -> (u8, u8, u64, u64) {
    let Some(rest) = version.strip_prefix('v') else { return (0, 0, 0, 0) };
    let (major, stage, minor) = match (rest.split_once("alpha"), rest.split_once("beta")) {
        (Some((major, minor)), _) => (major, 1, minor),
        (None, Some((major, minor))) => (major, 2, minor),
        (None, None) => (rest, 3, "0"),
    };
    match (major.parse(), minor.parse()) {
        (Ok(major), Ok(minor)) => (1, stage, major, minor),
        _ => (0, 0, 0, 0),
    }
}

/// A kind in its API group: `HTTPRoute.gateway.networking.k8s.io`; the core group is empty: `Service`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupKind {
    /// The kind: `HTTPRoute`.
    pub kind: String,
    /// The API group: `gateway.networking.k8s.io`.
    pub group: String,
}

impl GroupKind {
    /// Makes the kind `kind` of `group`.
    pub fn new(kind: impl Into<String>, group: impl Into<String>) -> Self {
        Self { kind: kind.into(), group: group.into() }
    }

    /// Splits `Kind.group`.
    pub fn parse(text: &str) -> Self {
        let (kind, group) = text.split_once('.').unwrap_or((text, ""));
        Self::new(kind, group)
    }

    /// Returns the plural that projects give its name, which the API server calls its resources: `referencepolicies`, `gatewayclasses`.
    pub(crate) fn plural(&self) -> String {
        let name = self.kind.to_lowercase();
        let vowel_before_last = name.bytes().rev().nth(1).is_some_and(|byte| b"aeiou".contains(&byte));
        match name.strip_suffix('y') {
            Some(stem) if !vowel_before_last => format!("{stem}ies"),
            _ if ["s", "x", "ch", "sh"].iter().any(|end| name.ends_with(end)) => format!("{name}es"),
            _ => format!("{name}s"),
        }
    }
}

impl fmt::Display for GroupKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.group.is_empty() { f.write_str(&self.kind) } else { write!(f, "{}.{}", self.kind, self.group) }
    }
}

impl<'de> Deserialize<'de> for GroupKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.is_empty() || text.starts_with('.') {
            return Err(serde::de::Error::custom(format!("`{text}` is not a kind: write `Kind.group`")));
        }
        Ok(Self::parse(&text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals_are_those_that_projects_choose() {
        let kinds =
            ["Gateway", "ReferencePolicy", "GatewayClass", "XMesh"].map(|kind| GroupKind::new(kind, "").plural());
        assert_eq!(kinds, ["gateways", "referencepolicies", "gatewayclasses", "xmeshes"]);
    }

    #[test]
    fn stability_orders_versions_as_kubernetes_does() {
        let mut versions = ["v1", "v2beta1", "foo", "v1beta2", "v1alpha3", "v10", "v1beta10"];
        versions.sort_by(|a, b| by_stability(a, b));
        assert_eq!(versions, ["foo", "v1alpha3", "v1beta2", "v1beta10", "v2beta1", "v1", "v10"]);
    }
}
