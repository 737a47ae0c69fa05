//! Answers: which releases of an API are there, in what order, and which of them does a set hold?
//!
//! A pack's releases form one [`ReleaseLine`]: bundles from oldest to newest, each with its channels. A [`ReleaseSet`] is a
//! set of positions on one line and prints as a range per channel. [`ApiVersion`] and [`GroupKind`] are the two names an
//! object carries.
//!
//! Invariant: releases are ordered by their line, never by reading their names as numbers.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{BitAnd, BitOr};

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
pub fn is_version(version: &str) -> bool {
    stability(version).0 > 0
}

/// Orders versions by stability: `v1alpha1` before `v1beta1` before `v1` before `v2`, other names first of all, the last of the
/// alphabet before the others.
///
/// Source: Kubernetes "CustomResourceDefinition versioning", version priority.
pub fn by_stability(left: &str, right: &str) -> Ordering {
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

/// A stability channel that a project publishes a bundle in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Channel {
    /// The only channel of a bundle from before (or without) channels.
    Single,
    /// Fields and kinds that will not break.
    Standard,
    /// Standard plus fields and kinds that may still change.
    Experimental,
}

impl Channel {
    /// Every channel, in the order of output.
    pub const ALL: [Self; 3] = [Self::Single, Self::Standard, Self::Experimental];

    /// Returns the channel's name as written in a target.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Standard => "standard",
            Self::Experimental => "experimental",
        }
    }

    /// Reads a channel's name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|channel| channel.name() == text)
    }
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A position on a [`ReleaseLine`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReleaseId(u16);

/// One release: a bundle in a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    /// The bundle's name as tagged upstream: `v1.4.0`.
    pub bundle: String,
    /// The bundle's position from the oldest, from 0.
    pub order: usize,
    /// The channel.
    pub channel: Channel,
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bundle = self.bundle.strip_prefix('v').unwrap_or(&self.bundle);
        match self.channel {
            Channel::Single => f.write_str(bundle),
            channel => write!(f, "{bundle}/{channel}"),
        }
    }
}

/// The most releases (bundle x channel) that one pack can have.
pub const MAX_RELEASES: usize = 256;

/// A pack's releases from the oldest bundle to the newest.
#[derive(Clone, Debug, Default)]
pub struct ReleaseLine {
    releases: Vec<Release>,
    bundles: Vec<String>,
}

impl ReleaseLine {
    /// Makes the line of `bundles`, oldest first, each with its channels.
    ///
    /// # Errors
    /// A message for a bundle named twice, a bundle without a channel, or more than [`MAX_RELEASES`] releases.
    pub fn new(bundles: impl IntoIterator<Item = (String, Vec<Channel>)>) -> Result<Self, String> {
        let mut line = Self::default();
        for (bundle, mut channels) in bundles {
            if line.bundles.contains(&bundle) {
                return Err(format!("bundle {bundle} is listed twice"));
            }
            channels.sort();
            channels.dedup();
            if channels.is_empty() {
                return Err(format!("bundle {bundle} has no channel"));
            }
            let order = line.bundles.len();
            line.releases.extend(channels.into_iter().map(|channel| Release {
                bundle: bundle.clone(),
                order,
                channel,
            }));
            line.bundles.push(bundle);
        }
        if line.releases.len() > MAX_RELEASES {
            return Err(format!("{} releases are listed; the limit is {MAX_RELEASES}", line.releases.len()));
        }
        Ok(line)
    }

    /// Returns the release at `id`.
    pub fn get(&self, id: ReleaseId) -> &Release {
        &self.releases[usize::from(id.0)]
    }

    /// Returns every release with its position, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (ReleaseId, &Release)> {
        (0..).map(ReleaseId).zip(&self.releases).collect::<Vec<_>>().into_iter()
    }

    /// Returns the bundles' names, oldest first.
    pub fn bundles(&self) -> &[String] {
        &self.bundles
    }

    /// Returns the position of a bundle, by its exact name.
    pub fn bundle_order(&self, bundle: &str) -> Option<usize> {
        self.bundles.iter().position(|name| name == bundle)
    }

    /// Finds the release of `bundle` (its exact name) in `channel`.
    pub fn find(&self, bundle: &str, channel: Channel) -> Option<ReleaseId> {
        self.iter().find(|(_, release)| release.bundle == bundle && release.channel == channel).map(|(id, _)| id)
    }

    /// Finds the newest bundle that `wanted` names: `v1.4.1`, `1.4.1`, `1.4`, `1` or `latest`.
    pub fn newest_bundle(&self, wanted: &str) -> Option<&str> {
        let bare = |name: &str| name.strip_prefix('v').unwrap_or(name).to_owned();
        let wanted = bare(wanted);
        let named = |bundle: &&String| {
            let name = bare(bundle);
            wanted == "latest" || name == wanted || name.strip_prefix(&wanted).is_some_and(|rest| rest.starts_with('.'))
        };
        let exact = self.bundles.iter().find(|bundle| bare(bundle) == wanted);
        exact.or_else(|| self.bundles.iter().rev().find(named)).map(String::as_str)
    }

    /// Returns the set of every release.
    pub fn all(&self) -> ReleaseSet {
        self.iter().map(|(id, _)| id).collect()
    }

    /// Prints `set` as ranges per channel: `standard v1.4.0..v1.6.1, experimental v1.2.0..v1.3.0 v1.5.0`; `none` when empty.
    pub fn describe(&self, set: ReleaseSet) -> String {
        let ranges = Channel::ALL.into_iter().filter_map(|channel| {
            let ranges = self.ranges(set, channel);
            let texts: Vec<_> =
                ranges.iter().map(|(a, b)| if a == b { (*a).to_owned() } else { format!("{a}..{b}") }).collect();
            (!texts.is_empty()).then(|| format!("{channel} {}", texts.join(" ")))
        });
        let text = ranges.collect::<Vec<_>>().join(", ");
        if text.is_empty() { "none".to_owned() } else { text }
    }

    /// Returns the stretches of `channel` that `set` holds, as (first, last) bundle names.
    pub fn ranges(&self, set: ReleaseSet, channel: Channel) -> Vec<(&str, &str)> {
        let mut ranges: Vec<(&str, &str)> = Vec::new();
        let mut open = false;
        for (id, release) in self.iter().filter(|(_, release)| release.channel == channel) {
            if !set.contains(id) {
                open = false;
            } else if let (true, Some(range)) = (open, ranges.last_mut()) {
                range.1 = &release.bundle;
            } else {
                ranges.push((&release.bundle, &release.bundle));
                open = true;
            }
        }
        ranges
    }

    /// Reads what [`ReleaseLine::describe`] prints; a range without an end (`v1.5.0..`) ends at the newest bundle.
    ///
    /// # Errors
    /// A message naming the channel or bundle that is not on this line.
    pub fn parse_set(&self, text: &str) -> Result<ReleaseSet, String> {
        let mut set = ReleaseSet::default();
        if text == "none" {
            return Ok(set);
        }
        for part in text.split(", ") {
            let (channel, ranges) = part
                .split_once(' ')
                .ok_or_else(|| format!("`{part}` is not a range of releases: write `CHANNEL BUNDLE..BUNDLE`"))?;
            let channel = Channel::parse(channel)
                .ok_or_else(|| format!("`{channel}` is not a channel: write single, standard or experimental"))?;
            let order = |bundle: &str| {
                self.bundle_order(bundle).ok_or_else(|| format!("`{bundle}` is not a bundle of this pack"))
            };
            for range in ranges.split(' ') {
                let (first, last) = match range.split_once("..") {
                    None => (range, range),
                    Some((first, "")) => (first, self.bundles.last().map_or("", String::as_str)),
                    Some(ends) => ends,
                };
                let orders = order(first)?..=order(last)?;
                let inside = |release: &Release| release.channel == channel && orders.contains(&release.order);
                set = set | self.iter().filter(|(_, release)| inside(release)).map(|(id, _)| id).collect();
            }
        }
        Ok(set)
    }
}

/// A set of releases of one line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReleaseSet([u64; MAX_RELEASES / 64]);

impl ReleaseSet {
    /// Returns whether the set holds `id`.
    pub fn contains(self, id: ReleaseId) -> bool {
        self.0[usize::from(id.0 / 64)] & (1 << (id.0 % 64)) != 0
    }

    /// Returns whether the set holds nothing.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// Returns whether every release of `other` is in this set too.
    pub fn is_superset(self, other: Self) -> bool {
        self & other == other
    }

    /// Returns the releases of this set that are not in `other`.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] & !other.0[at]))
    }

    /// Returns the positions held, oldest first.
    pub fn iter(self) -> impl Iterator<Item = ReleaseId> {
        (0..MAX_RELEASES as u16).map(ReleaseId).filter(move |id| self.contains(*id))
    }
}

impl FromIterator<ReleaseId> for ReleaseSet {
    fn from_iter<I: IntoIterator<Item = ReleaseId>>(ids: I) -> Self {
        let mut set = Self::default();
        for id in ids {
            set.0[usize::from(id.0 / 64)] |= 1 << (id.0 % 64);
        }
        set
    }
}

impl BitAnd for ReleaseSet {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] & other.0[at]))
    }
}

impl BitOr for ReleaseSet {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] | other.0[at]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> ReleaseLine {
        let both = || vec![Channel::Experimental, Channel::Standard];
        let bundles = [("v0.4.0", vec![Channel::Single]), ("v1.0.0", both()), ("v1.4.0", both()), ("v1.4.1", both())];
        ReleaseLine::new(bundles.map(|(name, channels)| (name.to_owned(), channels))).unwrap()
    }

    #[test]
    fn stability_orders_versions_as_kubernetes_does() {
        let mut versions = ["v1", "v2beta1", "foo", "v1beta2", "v1alpha3", "v10", "v1beta10"];
        versions.sort_by(|a, b| by_stability(a, b));
        assert_eq!(versions, ["foo", "v1alpha3", "v1beta2", "v1beta10", "v2beta1", "v1", "v10"]);
    }

    #[test]
    fn sets_print_as_ranges_and_read_back() {
        let line = line();
        for text in ["standard v1.0.0..v1.4.1, experimental v1.0.0 v1.4.1", "single v0.4.0", "none"] {
            assert_eq!(line.describe(line.parse_set(text).unwrap()), text);
        }
        assert_eq!(line.parse_set("standard v1.4.0.."), line.parse_set("standard v1.4.0..v1.4.1"));
        assert!(line.parse_set("standard v9").is_err());
    }

    #[test]
    fn a_target_resolves_to_the_newest_matching_bundle() {
        let line = line();
        assert_eq!(line.newest_bundle("1.4"), Some("v1.4.1"));
        assert_eq!(line.newest_bundle("v1.4.0"), Some("v1.4.0"));
        assert_eq!(line.newest_bundle("latest"), Some("v1.4.1"));
        assert_eq!(line.newest_bundle("1.40"), None);
    }
}
