//! Answers: which releases does a project have, in what order, and what are they called?
//!
//! Invariant: what prints a set reads back as the set.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::bundle::{
    Naming, bare, is_prerelease, naming, patch_name, patch_number, patch_of, split_version, version_of,
};
use super::channel::{Channel, DELIMITERS, NO_RELEASE, has_delimiter};
use super::set::{MAX_RELEASES, ReleaseId, ReleaseSet, id_at};

/// How a target names the newest bundle.
const LATEST: &str = "latest";

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
        f.write_str(bare(&self.bundle))?;
        if self.channel == Channel::SINGLE { Ok(()) } else { write!(f, "/{}", self.channel) }
    }
}

/// Which of the releases with the same APIs a text means; the bundle is the oldest of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Named {
    /// The bundle.
    #[default]
    Bundle,
    /// The one at this place of those that are listed with the bundle.
    Same(usize),
    /// The patch release with this number.
    Patch(u32),
}

/// A pack's releases from the oldest bundle to the newest, those of one bundle from the most stable channel.
#[derive(Clone, Debug, Default)]
pub struct ReleaseLine {
    releases: Vec<Release>,
    bundles: Vec<String>,
    orders: BTreeMap<String, usize>,
    channels: Vec<Channel>,
    /// The releases with the same APIs as a bundle, by its order, oldest first.
    same_apis: BTreeMap<usize, Vec<String>>,
    /// Whether every patch release has the APIs of its bundle.
    has_patches: bool,
}

impl ReleaseLine {
    /// Makes the line of `bundles`, oldest first, each with its channels, or none. `channels` lists those of all bundles, most
    /// stable first; where it is empty, they have the order in which bundles name them.
    ///
    /// # Errors
    /// A message for a bundle that is named twice or cannot be named in a target, a channel that is not listed, or more than
    /// [`MAX_RELEASES`] releases.
    pub fn new(
        channels: Vec<Channel>,
        bundles: impl IntoIterator<Item = (String, Vec<Channel>)>,
    ) -> Result<Self, String> {
        let is_open = channels.is_empty();
        let mut line = Self { channels, ..Self::default() };
        if let Some(twice) = (1..line.channels.len()).find(|at| line.channels[..*at].contains(&line.channels[*at])) {
            return Err(format!("`channels` lists {} twice", line.channels[twice]));
        }
        let mut all = Vec::new();
        for (bundle, mut of_bundle) in bundles {
            if of_bundle.is_empty() {
                of_bundle.push(Channel::SINGLE);
            }
            if of_bundle.len() > 1 && of_bundle.contains(&Channel::SINGLE) {
                return Err(format!("bundle {bundle}: `single` is the channel of a bundle without others: remove it"));
            }
            for channel in &of_bundle {
                if line.channels.contains(channel) {
                    continue;
                }
                let position = if *channel == Channel::SINGLE { 0 } else { line.channels.len() };
                if position > 0 && !is_open {
                    return Err(format!(
                        "bundle {bundle}: the channel {channel} is not listed: add it to the pack's `channels`"
                    ));
                }
                line.channels.insert(position, channel.clone());
            }
            all.push((bundle, of_bundle));
        }
        all.into_iter().try_for_each(|(bundle, channels)| line.push(bundle, &channels))?;
        if line.releases.len() > MAX_RELEASES {
            return Err(format!("{} releases are listed; the limit is {MAX_RELEASES}", line.releases.len()));
        }
        Ok(line)
    }

    /// Lists releases with the same APIs as bundles, oldest first, each list with the order of its bundle.
    ///
    /// # Errors
    /// A message for a release that is named twice or cannot be named in a target.
    pub(crate) fn add_same_apis(
        &mut self,
        lists: impl IntoIterator<Item = (usize, Vec<String>)>,
    ) -> Result<(), String> {
        let mut listed = BTreeSet::new();
        for (order, names) in lists {
            for name in &names {
                self.check_name(name)?;
                let bundle = &self.bundles[order];
                if self.orders.contains_key(name) {
                    return Err(format!(
                        "{name} is listed with the APIs of {bundle}, and as a bundle: remove one of them"
                    ));
                }
                if !listed.insert(name.clone()) {
                    return Err(format!("{name} is listed twice with the APIs of a bundle: remove one of them"));
                }
            }
            self.same_apis.insert(order, names);
        }
        Ok(())
    }

    /// Lets every patch release have the APIs of its bundle.
    ///
    /// # Errors
    /// A message for a bundle without three numbers, or two with the same first two.
    pub(crate) fn add_patch_releases(&mut self) -> Result<(), String> {
        let mut minors = BTreeMap::new();
        for bundle in &self.bundles {
            let (prefix, version) = split_version(bundle);
            let Some((minor, _)) = patch_number(version) else {
                return Err(format!("bundle {bundle} has no patch releases: its version must be three numbers"));
            };
            if let Some(other) = minors.insert((prefix, minor), bundle) {
                return Err(format!(
                    "bundle {bundle} is a patch release of {other}, which has its APIs: remove one of them"
                ));
            }
        }
        self.has_patches = true;
        Ok(())
    }

    /// Checks that a target can name a release.
    fn check_name(&self, bundle: &str) -> Result<(), String> {
        let is_ambiguous = bundle.contains("..") || bundle.starts_with('.') || bundle.ends_with('.');
        if bundle.is_empty() || has_delimiter(bundle) || is_ambiguous {
            return Err(format!(
                "`{bundle}` is not the name of a bundle: write one without {DELIMITERS}, `..`, or a dot at either end"
            ));
        }
        if [LATEST, NO_RELEASE].contains(&bundle) || self.channels.iter().any(|one| one.name() == bundle) {
            return Err(format!("no bundle can be called {bundle}, which means something else in a target: rename it"));
        }
        Ok(())
    }

    /// Adds a bundle after the others.
    fn push(&mut self, bundle: String, channels: &[Channel]) -> Result<(), String> {
        self.check_name(&bundle)?;
        let order = self.bundles.len();
        if self.orders.insert(bundle.clone(), order).is_some() {
            return Err(format!("bundle {bundle} is listed twice"));
        }
        let of_bundle = self.channels.iter().filter(|channel| channels.contains(channel));
        let release = |channel: &Channel| Release { bundle: bundle.clone(), order, channel: channel.clone() };
        self.releases.extend(of_bundle.map(release));
        self.bundles.push(bundle);
        Ok(())
    }

    /// Returns the release at `id`.
    pub fn get(&self, id: ReleaseId) -> &Release {
        &self.releases[id.at()]
    }

    /// Returns every release with its position, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (ReleaseId, &Release)> + ExactSizeIterator {
        self.releases.iter().enumerate().map(|(at, release)| (id_at(at), release))
    }

    /// Returns the bundles' names, oldest first.
    pub fn bundles(&self) -> &[String] {
        &self.bundles
    }

    /// Returns the channels, most stable first; [`Channel::SINGLE`] is one of them if a bundle has no channels.
    pub fn channels(&self) -> &[Channel] {
        &self.channels
    }

    /// Returns the channel that is called `name`.
    ///
    /// # Errors
    /// A message that lists the channels.
    pub fn channel(&self, name: &str) -> Result<&Channel, String> {
        self.channels.iter().find(|channel| channel.name() == name).ok_or_else(|| {
            if !self.has_channels() {
                return format!("`{name}` is not a channel of this pack, which has none: remove it");
            }
            let names: Vec<&str> = self.channels.iter().map(Channel::name).collect();
            format!("`{name}` is not a channel of this pack: write {}", names.join(" or "))
        })
    }

    /// Returns the position of a bundle, by its exact name.
    pub(crate) fn bundle_order(&self, bundle: &str) -> Option<usize> {
        self.orders.get(bundle).copied()
    }

    /// Returns the releases of the bundle at a position, most stable channel first.
    pub fn of_bundle(&self, order: usize) -> impl Iterator<Item = (ReleaseId, &Release)> {
        let start = self.releases.partition_point(|release| release.order < order);
        let releases = self.releases[start..].iter().take_while(move |release| release.order == order);
        (start..).map(id_at).zip(releases)
    }

    /// Finds the release of `bundle` (its exact name) in the channel that is called `channel`.
    pub fn find(&self, bundle: &str, channel: &str) -> Option<ReleaseId> {
        let mut releases = self.of_bundle(self.bundle_order(bundle)?);
        releases.find(|(_, release)| release.channel.name() == channel).map(|(id, _)| id)
    }

    /// Returns the releases with the same APIs as the bundle at a position, oldest first.
    pub fn same_apis(&self, order: usize) -> &[String] {
        self.same_apis.get(&order).map_or(&[], Vec::as_slice)
    }

    /// Returns whether every patch release has the APIs of its bundle.
    pub(crate) const fn has_patches(&self) -> bool {
        self.has_patches
    }

    /// Returns the names of all releases, those with the same APIs as a bundle after it.
    pub fn names(&self) -> impl DoubleEndedIterator<Item = &str> + Clone {
        self.named_releases().map(|(_, _, name)| name)
    }

    /// Counts the releases of all names, each in each of its channels.
    pub fn count(&self) -> usize {
        self.releases.iter().map(|release| 1 + self.same_apis(release.order).len()).sum()
    }

    /// Returns the names of all releases with the order of their bundles.
    fn named_releases(&self) -> impl DoubleEndedIterator<Item = (usize, Named, &str)> + Clone {
        self.bundles.iter().enumerate().flat_map(|(order, bundle)| {
            let same = self.same_apis(order).iter().enumerate();
            let same = same.map(move |(at, name)| (order, Named::Same(at), name.as_str()));
            std::iter::once((order, Named::Bundle, bundle.as_str())).chain(same)
        })
    }

    /// Returns the name of one of the releases with the APIs of the bundle at a position.
    pub fn name(&self, order: usize, named: Named) -> Cow<'_, str> {
        match named {
            Named::Bundle => Cow::Borrowed(&self.bundles[order]),
            Named::Same(at) => Cow::Borrowed(&self.same_apis(order)[at]),
            Named::Patch(patch) => Cow::Owned(patch_name(&self.bundles[order], patch)),
        }
    }

    /// Finds the release that `wanted` names, and the order of the bundle with its APIs: by its name, its version, or the newest of
    /// which `wanted` is the start of the version, pre-releases only where there is no other; `latest` is the newest of all.
    pub fn named(&self, wanted: &str) -> Option<(usize, Named)> {
        if wanted == LATEST {
            return self.newest(|_| true);
        }
        let by = |how: Naming| self.newest(|name| naming(wanted, name) == Some(how));
        let exact = self.newest(|name| name == wanted);
        exact.or_else(|| by(Naming::Version)).or_else(|| self.patch(wanted)).or_else(|| by(Naming::Start))
    }

    /// Returns the newest of the releases that have a name that `is_named` accepts, a pre-release only if it accepts no other.
    fn newest(&self, is_named: impl Fn(&str) -> bool) -> Option<(usize, Named)> {
        let named = || self.named_releases().rev().filter(|(.., name)| is_named(name));
        let found = named().find(|(.., name)| !is_prerelease(name)).or_else(|| named().next());
        found.map(|(order, named, _)| (order, named))
    }

    /// Finds the bundle of which `wanted` names a patch release.
    fn patch(&self, wanted: &str) -> Option<(usize, Named)> {
        let bundles = self.bundles.iter().enumerate().filter(|_| self.has_patches);
        let patch = |patch: u32, own: &str| match patch_name(own, patch) == *own {
            true => Named::Bundle,
            false => Named::Patch(patch),
        };
        bundles.rev().find_map(|(order, bundle)| Some((order, patch(patch_of(wanted, bundle)?, bundle))))
    }

    /// Returns the releases whose APIs those of `version` are exactly: `1.4.0`, `v1.4.0`.
    pub(crate) fn of_version(&self, version: &str) -> ReleaseSet {
        let is_same = |name: &str| version_of(name) == version_of(version);
        let mut orders: BTreeSet<usize> =
            self.named_releases().filter(|(.., name)| is_same(name)).map(|(order, ..)| order).collect();
        if orders.is_empty() {
            orders.extend(self.patch(version).map(|(order, _)| order));
        }
        orders.into_iter().flat_map(|order| self.of_bundle(order).map(|(id, _)| id)).collect()
    }

    /// Returns the set of every release.
    pub fn all(&self) -> ReleaseSet {
        self.iter().map(|(id, _)| id).collect()
    }

    /// Prints `set` as ranges per channel: `standard v1.4.0..v1.6.1, experimental v1.2.0..v1.3.0 v1.5.0`, or `v1.4.0..v1.6.1` where
    /// no bundle has channels; `none` when empty.
    pub fn describe(&self, set: ReleaseSet) -> String {
        let ranges = self.channels.iter().filter_map(|channel| {
            let ranges = self.ranges(set, channel);
            let texts: Vec<_> =
                ranges.iter().map(|(a, b)| if a == b { (*a).to_owned() } else { format!("{a}..{b}") }).collect();
            let name = if self.has_channels() { format!("{channel} ") } else { String::new() };
            (!texts.is_empty()).then(|| name + &texts.join(" "))
        });
        let text = ranges.collect::<Vec<_>>().join(", ");
        if text.is_empty() { NO_RELEASE.to_owned() } else { text }
    }

    /// Returns whether a bundle was published in channels.
    pub fn has_channels(&self) -> bool {
        self.channels.iter().any(|channel| *channel != Channel::SINGLE)
    }

    /// Returns the stretches of `channel` that `set` holds, as (first, last) bundle names.
    pub fn ranges<'l>(&'l self, set: ReleaseSet, channel: &Channel) -> Vec<(&'l str, &'l str)> {
        let mut ranges: Vec<(&str, &str)> = Vec::new();
        let mut open = false;
        for (id, release) in self.iter().filter(|(_, release)| release.channel == *channel) {
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

    /// Reads what [`ReleaseLine::describe`] prints; a range without an end (`v1.5.0..`) ends at the newest bundle. Ranges without a
    /// channel are of the bundles without channels.
    ///
    /// # Errors
    /// A message naming the channel or bundle that is not on this line.
    pub fn parse_set(&self, text: &str) -> Result<ReleaseSet, String> {
        let mut ids = Vec::new();
        if text == NO_RELEASE {
            return Ok(ReleaseSet::default());
        }
        for part in text.split(", ") {
            let is_bare = |first: &str| {
                let bundle = first.split("..").next().unwrap_or_default();
                self.channel(first).is_err() && self.bundle_order(bundle).is_some()
            };
            let (channel, ranges) = match part.split_once(' ') {
                _ if self.channels.contains(&Channel::SINGLE) && part.split(' ').next().is_some_and(is_bare) => {
                    (&Channel::SINGLE, part)
                }
                Some((channel, ranges)) => (self.channel(channel)?, ranges),
                None if !self.has_channels() => (&Channel::SINGLE, part),
                None => {
                    return Err(format!("`{part}` is not a range of releases: write `CHANNEL BUNDLE..BUNDLE`"));
                }
            };
            for range in ranges.split(' ') {
                ids.extend(self.range(range, channel)?);
            }
        }
        Ok(ids.into_iter().collect())
    }

    /// Reads `BUNDLE`, `BUNDLE..BUNDLE` or `BUNDLE..` in a channel.
    fn range<'l>(&'l self, text: &str, channel: &'l Channel) -> Result<impl Iterator<Item = ReleaseId> + 'l, String> {
        let order =
            |bundle: &str| self.bundle_order(bundle).ok_or_else(|| format!("`{bundle}` is not a bundle of this pack"));
        let (first, last) = match text.split_once("..") {
            None => (text, text),
            Some((first, "")) => (first, self.bundles.last().map_or("", String::as_str)),
            Some(ends) => ends,
        };
        let (first, last) = (order(first)?, order(last)?);
        let start = self.releases.partition_point(|release| release.order < first);
        let inside = self.releases[start..].iter().take_while(move |release| release.order <= last);
        let in_channel = inside.enumerate().filter(move |(_, release)| release.channel == *channel);
        Ok(in_channel.map(move |(at, _)| id_at(start + at)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn line() -> ReleaseLine {
        let both: &[&str] = &["standard", "experimental"];
        line_of(&[("v0.4.0", &[]), ("v1.0.0", both), ("v1.4.0", both), ("v1.4.1", both)])
    }

    fn line_of(bundles: &[(&str, &[&str])]) -> ReleaseLine {
        ordered(&[], bundles).unwrap()
    }

    fn ordered(channels: &[&str], bundles: &[(&str, &[&str])]) -> Result<ReleaseLine, String> {
        let read = |names: &[&str]| names.iter().map(|name| Channel::parse(name)).collect::<Result<Vec<_>, _>>();
        let bundles = bundles.iter().map(|(bundle, names)| Ok(((*bundle).to_owned(), read(names)?)));
        ReleaseLine::new(read(channels)?, bundles.collect::<Result<Vec<_>, String>>()?)
    }

    fn without_channels(bundles: &[&str]) -> ReleaseLine {
        line_of(&bundles.iter().map(|bundle| (*bundle, &[][..])).collect::<Vec<_>>())
    }

    /// Returns the name of the release that `wanted` names.
    fn newest<'l>(line: &'l ReleaseLine, wanted: &str) -> Option<Cow<'l, str>> {
        line.named(wanted).map(|(order, named)| line.name(order, named))
    }

    #[test]
    fn sets_print_as_ranges_and_read_back() {
        let line = line();
        for text in ["standard v1.0.0..v1.4.1, experimental v1.0.0 v1.4.1", "single v0.4.0", "none"] {
            assert_eq!(line.describe(line.parse_set(text).unwrap()), text);
        }
        assert_eq!(line.parse_set("standard v1.4.0.."), line.parse_set("standard v1.4.0..v1.4.1"));
        assert_eq!(line.parse_set("v0.4.0"), line.parse_set("single v0.4.0"));
        assert_eq!(line.parse_set("standard v9").unwrap_err(), "`v9` is not a bundle of this pack");
        let unknown = "`edge` is not a channel of this pack: write single or standard or experimental";
        assert_eq!(line.parse_set("edge v1.0.0").unwrap_err(), unknown);
    }

    #[test]
    fn a_line_without_channels_prints_bundles_alone() {
        let line = without_channels(&["1.0", "1.1", "2.0", "2.1"]);
        for text in ["1.0..1.1 2.1", "2.0..2.1", "none"] {
            assert_eq!(line.describe(line.parse_set(text).unwrap()), text);
        }
        assert_eq!(line.parse_set("single 1.0.."), Ok(line.all()));
        assert_eq!(line.get(line.find("1.1", "single").unwrap()).to_string(), "1.1");
        assert!(line.parse_set("3.0").unwrap_err().contains("`3.0` is not a bundle"));
    }

    #[test]
    fn channels_have_the_order_listed_or_else_that_of_appearance() {
        let bundles: &[(&str, &[&str])] = &[("v1", &["edge"]), ("v2", &["edge", "stable"]), ("v3", &["lts"])];
        let names = |line: &ReleaseLine| line.channels().iter().map(|one| one.name().to_owned()).collect::<Vec<_>>();
        assert_eq!(names(&line_of(bundles)), ["edge", "stable", "lts"]);
        let line = ordered(&["lts", "stable", "edge"], bundles).unwrap();
        assert_eq!(names(&line), ["lts", "stable", "edge"]);
        assert_eq!(line.describe(line.all()), "lts v3, stable v2, edge v1..v2");
        let texts: Vec<String> = line.of_bundle(1).map(|(_, release)| release.to_string()).collect();
        assert_eq!(texts, ["2/stable", "2/edge"]);
        assert_eq!(names(&self::line()), ["single", "standard", "experimental"]);
    }

    #[test]
    fn names_that_a_target_cannot_hold_are_refused() {
        for channel in ["", "a b", "a/b", "a@b", "a,b", "a..b", "none"] {
            assert!(Channel::parse(channel).is_err(), "{channel}");
        }
        let refused = |channels: &[&str], bundles: &[(&str, &[&str])], message: &str| {
            let error = ordered(channels, bundles).unwrap_err();
            assert!(error.contains(message), "{error}");
        };
        for bundle in ["", "v 1", "v/1", "v@1", "v1,", "v1..v2", ".1", "1."] {
            refused(&[], &[(bundle, &[])], "is not the name of a bundle");
        }
        for bundle in ["latest", "none", "stable"] {
            refused(&[], &[("v1", &["stable"]), (bundle, &["stable"])], "no bundle can be called");
        }
        refused(&[], &[("v1", &["single", "edge"])], "`single` is the channel of a bundle without others");
        refused(&["stable"], &[("v1", &["edge"])], "the channel edge is not listed");
        refused(&["edge", "edge"], &[("v1", &["edge"])], "lists edge twice");
        refused(&[], &[("v1", &[]), ("v1", &[])], "bundle v1 is listed twice");
    }

    #[test]
    fn a_target_resolves_to_the_newest_matching_bundle() {
        let line = line();
        assert_eq!(newest(&line, "1.4").unwrap(), "v1.4.1");
        assert_eq!(newest(&line, "v1.4.0").unwrap(), "v1.4.0");
        assert_eq!(newest(&line, "latest").unwrap(), "v1.4.1");
        assert_eq!(newest(&line, "1.40"), None);
    }

    #[test]
    fn a_prerelease_is_meant_only_where_there_is_nothing_else() {
        let line = without_channels(&["1.3.0", "1.4.0-rc.1", "1.4.0", "1.4.1-rc.1", "1.5.0rc1", "1.5.0rc2", "1.5.0+b"]);
        for (wanted, bundle) in [
            ("1.4", "1.4.0"),
            ("1", "1.5.0+b"),
            ("1.4.1", "1.4.1-rc.1"),
            ("1.4.0-rc", "1.4.0-rc.1"),
            ("v1.4.0-rc.1", "1.4.0-rc.1"),
            ("1.5.0rc", "1.5.0rc2"),
            ("latest", "1.5.0+b"),
        ] {
            assert_eq!(newest(&line, wanted).unwrap(), bundle, "{wanted}");
        }
        let early = without_channels(&["v0.1.0-alpha.1", "v0.1.0-alpha.2"]);
        assert_eq!(newest(&early, "latest").unwrap(), "v0.1.0-alpha.2");
        assert_eq!(newest(&early, "0.1").unwrap(), "v0.1.0-alpha.2");
    }

    #[test]
    fn bundles_of_other_projects_are_named_by_their_versions() {
        let names = [
            "release-0.5",
            "release-0.10",
            "2024.1",
            "kubernetes-1.28.0",
            "kubernetes-1.28.1",
            "vault-0.1",
            "v2",
            "rapid",
        ];
        let line = without_channels(&names);
        for (wanted, bundle) in [
            ("0.5", "release-0.5"),
            ("release-0.1", "none of these"),
            ("2024", "2024.1"),
            ("1.28", "kubernetes-1.28.1"),
            ("kubernetes-1.28", "kubernetes-1.28.1"),
            ("kubernetes-1.28.0", "kubernetes-1.28.0"),
            ("release-1.28", "none of these"),
            ("0", "vault-0.1"),
            ("2", "v2"),
            ("rapid", "rapid"),
            ("rap", "none of these"),
            ("latest", "rapid"),
        ] {
            assert_eq!(newest(&line, wanted).unwrap_or("none of these".into()), bundle, "{wanted}");
        }
        let shown: Vec<String> = line.iter().map(|(_, release)| release.to_string()).collect();
        assert_eq!(shown[5..7], ["vault-0.1", "2"]);
        // The line says which one is newer, and not the numbers.
        assert_eq!(newest(&without_channels(&["v1.10", "v1.9"]), "1").unwrap(), "v1.9");
    }

    #[test]
    fn releases_with_the_same_apis_are_named_like_bundles() {
        let mut line = without_channels(&["v1.0.0", "v2.1.0", "v2.3.0", "v3.0.0"]);
        let same: [(usize, &[&str]); 2] = [(1, &["v2.1.1", "v2.2.0"]), (3, &["v3.0.1", "v3.0.2-rc.1"])];
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        line.add_same_apis(same.map(|(order, names)| (order, owned(names)))).unwrap();
        for (wanted, name, order) in [
            ("v2.1.1", "v2.1.1", 1),
            ("2.1", "v2.1.1", 1),
            ("2.1.0", "v2.1.0", 1),
            ("2.2", "v2.2.0", 1),
            ("2", "v2.3.0", 2),
            ("latest", "v3.0.1", 3),
            ("3.0.2", "v3.0.2-rc.1", 3),
        ] {
            assert_eq!(line.named(wanted).map(|(order, _)| order), Some(order), "{wanted}");
            assert_eq!(newest(&line, wanted).unwrap(), name, "{wanted}");
        }
        assert_eq!(line.named("2.1.2"), None);
        assert_eq!(line.describe(line.of_version("2.2.0")), "v2.1.0");
        assert_eq!(line.describe(line.of_version("v2.1.0")), "v2.1.0");
        assert!(line.of_version("2.2").is_empty());
        let listed = line.names().collect::<Vec<_>>();
        assert_eq!(listed[1..5], ["v2.1.0", "v2.1.1", "v2.2.0", "v2.3.0"]);
        let refused = |names: [(usize, &[&str]); 2], message: &str| {
            let mut line = without_channels(&["v1", "v2"]);
            let error = line.add_same_apis(names.map(|(order, names)| (order, owned(names)))).unwrap_err();
            assert!(error.contains(message), "{error}");
        };
        refused([(0, &["v2"]), (1, &[])], "v2 is listed with the APIs of v1, and as a bundle");
        refused([(0, &["v1.1"]), (1, &["v1.1"])], "v1.1 is listed twice");
        refused([(0, &["latest"]), (1, &[])], "no bundle can be called latest");
    }

    #[test]
    fn patch_releases_of_any_number_mean_their_bundle() {
        let mut line = without_channels(&["v1.24.0", "v1.25.0", "v1.26.1"]);
        assert_eq!(line.named("1.25.3"), None);
        line.add_patch_releases().unwrap();
        for (wanted, name) in [
            ("1.25.3", "v1.25.3"),
            ("v1.25.16+k3s1", "v1.25.16"),
            ("1.24.4-gke.100", "v1.24.4"),
            ("1.25.0-gke.1", "v1.25.0"),
            ("1.25.2-rc.0", "v1.25.2"),
            ("1.25", "v1.25.0"),
            ("1.25.0", "v1.25.0"),
            ("1.26.2", "v1.26.2"),
            ("latest", "v1.26.1"),
        ] {
            assert_eq!(newest(&line, wanted).unwrap(), name, "{wanted}");
        }
        for wanted in ["1.27.1", "1.25.0-rc.1", "1.25.0-alpha.2", "1.26.0", "1.25.3.4", "1.25.x", "x1.25.3"] {
            assert_eq!(line.named(wanted), None, "{wanted}");
        }
        assert_eq!(line.describe(line.of_version("v1.25.7-eks-0a1b2c3")), "v1.25.0");
        assert!(line.of_version("1.25").is_empty());
        let two = without_channels(&["v1.24.0", "v1.24.1"]).add_patch_releases().unwrap_err();
        assert!(two.contains("bundle v1.24.1 is a patch release of v1.24.0"), "{two}");
        let short = without_channels(&["v1.24"]).add_patch_releases().unwrap_err();
        assert!(short.contains("bundle v1.24 has no patch releases"), "{short}");
    }

    #[test]
    fn a_line_of_thousands_of_releases_has_sets_like_a_short_one() {
        let names: Vec<String> = (0..3000).map(|number| format!("v1.{number}.0")).collect();
        let bundles: Vec<_> = names.iter().map(|name| (name.as_str(), &["stable", "edge"][..])).collect();
        let line = line_of(&bundles);
        let all = line.all();
        assert_eq!(all.iter().count(), 6000);
        let text = "stable v1.10.0..v1.2999.0, edge v1.0.0 v1.100.0..v1.200.0";
        let set = line.parse_set(text).unwrap();
        assert_eq!(line.describe(set), text);
        assert_eq!(set.iter().count(), 2990 + 1 + 101);
        assert_eq!(all.without(set) | set, all);
        assert!((all.without(set) & set).is_empty() && all.is_superset(set) && !set.is_superset(all));
        let newest = line.find("v1.2999.0", "edge").unwrap();
        assert!(all.contains(newest) && !set.contains(newest));
        let first = line.find("v1.0.0", "edge").unwrap();
        assert_eq!(set & ReleaseSet::from_iter([first]), ReleaseSet::from_iter([first]));
        let too_many: Vec<_> = (0..=MAX_RELEASES).map(|number| (number.to_string(), Vec::new())).collect();
        assert!(ReleaseLine::new(Vec::new(), too_many).unwrap_err().contains("the limit is 65536"));
    }

    /// Lines of up to 400 bundles, each in some of three channels or in none, with the releases of a set.
    fn lines() -> impl Strategy<Value = (ReleaseLine, ReleaseSet)> {
        let bundle = (0..8_u8, any::<[bool; 3]>());
        proptest::collection::vec(bundle, 1..400).prop_map(|bundles| {
            let channels = |bits: u8| {
                ["lts", "stable", "rapid"].into_iter().enumerate().filter(move |(at, _)| bits & (1 << at) != 0)
            };
            let parsed = |bits: u8| channels(bits).map(|(_, name)| Channel::parse(name).unwrap()).collect();
            let named = bundles.iter().enumerate().map(|(at, (bits, _))| (format!("release-{at}"), parsed(*bits)));
            let line = ReleaseLine::new(Vec::new(), named).unwrap();
            let held = |release: &Release| {
                let of_bundle = line.of_bundle(release.order).position(|(_, other)| other == release).unwrap();
                bundles[release.order].1[of_bundle]
            };
            let set = line.iter().filter(|(_, release)| held(release)).map(|(id, _)| id).collect();
            (line, set)
        })
    }

    proptest! {
        #[test]
        fn what_describes_a_set_reads_as_the_set((line, set) in lines()) {
            prop_assert_eq!(line.parse_set(&line.describe(set)), Ok(set));
            let others = line.all().without(set);
            prop_assert_eq!(others | set, line.all());
            prop_assert!((others & set).is_empty());
            let listed: Vec<ReleaseId> = line.iter().map(|(id, _)| id).filter(|id| set.contains(*id)).collect();
            prop_assert_eq!(set.iter().collect::<Vec<_>>(), listed);
        }
    }
}
