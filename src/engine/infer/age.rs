//! Answers: is an apiVersion of a kind current in a release, and since when is it not?
//!
//! Invariant: a release is named only where the releases before it show that something changed there.

use crate::knowledge::catalog::Catalog;
use crate::knowledge::release::{Channel, ReleaseId, ReleaseLine, ReleaseSet};

/// How old an apiVersion is, as seen from one release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Age {
    /// The release does not serve it any more.
    Removed {
        /// The first release that did not; nothing where no release of the channel ever served it.
        since: Option<ReleaseId>,
        /// The first release that called it deprecated, if one did.
        deprecated: Option<ReleaseId>,
    },
    /// The release serves it and calls it deprecated.
    Deprecated {
        /// The first release that did; nothing where the oldest known one does already.
        since: Option<ReleaseId>,
    },
    /// No release ever served it.
    Unknown,
    /// The release serves it.
    Current,
}

impl Age {
    /// Returns how old `version`, such as `v1beta1`, of the kind that `catalog` describes is in the release `at` on `line`.
    pub fn of(version: &str, catalog: &Catalog, line: &ReleaseLine, at: ReleaseId) -> Self {
        let serving = catalog.serving(version);
        if serving.is_empty() {
            return Self::Unknown;
        }
        // A bundle without channels comes before those of every channel.
        let channels = [&line.get(at).channel, &Channel::SINGLE];
        let of_channel: ReleaseSet =
            line.iter().filter(|(_, release)| channels.contains(&&release.channel)).map(|(id, _)| id).collect();
        let (deprecating, oldest) = (catalog.deprecating(version), of_channel.iter().next());
        // Where the oldest known release has it, the deprecation can be older than all that is known.
        let deprecated = (deprecating & serving & of_channel).iter().next().filter(|first| Some(*first) != oldest);
        if !serving.contains(at) {
            let last = (serving & of_channel).iter().last();
            let since = last.and_then(|last| of_channel.iter().find(|release| *release > last));
            return Self::Removed { since, deprecated };
        }
        if deprecating.contains(at) { Self::Deprecated { since: deprecated } } else { Self::Current }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::pack::embedded;
    use crate::knowledge::release::GroupKind;

    /// Says how old an apiVersion is in a release of Kubernetes, or of Gateway API.
    #[track_caller]
    fn check(api: (&str, &str, &str), at: &str, expected: &str) {
        let packs = embedded::with(Vec::new()).unwrap();
        let (kind, group, version) = api;
        let pack = packs.of_group(group).unwrap();
        let (line, at) = (pack.line(), pack.release(at).unwrap());
        let name = |id: Option<ReleaseId>| id.map_or("?", |id| line.get(id).bundle.as_str());
        let age = Age::of(version, pack.catalog(&GroupKind::new(kind, group)).unwrap(), line, at);
        let shown = match age {
            Age::Removed { since, deprecated } => format!("removed {} deprecated {}", name(since), name(deprecated)),
            Age::Deprecated { since } => format!("deprecated {}", name(since)),
            Age::Unknown => "unknown".to_owned(),
            Age::Current => "current".to_owned(),
        };
        assert_eq!(shown, expected);
    }

    #[test]
    fn an_api_version_is_deprecated_before_it_is_removed() {
        let jobs = ("CronJob", "batch", "v1beta1");
        for (at, expected) in [
            ("1.20", "current"),
            ("1.21", "deprecated v1.21.0"),
            ("1.24", "deprecated v1.21.0"),
            ("1.25", "removed v1.25.0 deprecated v1.21.0"),
            ("latest", "removed v1.25.0 deprecated v1.21.0"),
        ] {
            check(jobs, at, expected);
        }
        check(("CronJob", "batch", "v1"), "latest", "current");
        check(("CronJob", "batch", "v3"), "latest", "unknown");
    }

    #[test]
    fn no_release_is_named_where_none_shows_the_change() {
        // The oldest release that the pack knows calls it deprecated already.
        check(("Ingress", "extensions", "v1beta1"), "1.21", "deprecated ?");
        check(("Ingress", "extensions", "v1beta1"), "1.22", "removed v1.22.0 deprecated ?");
        // The standard channel never had it.
        check(("BackendTLSPolicy", "gateway.networking.k8s.io", "v1alpha2"), "1.4/standard", "removed ? deprecated ?");
    }
}
