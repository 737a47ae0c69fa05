//! Answers: what is known about one project?
//!
//! Invariant: every rule names a release and kinds that the pack has.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use anyhow::{Context, Result, anyhow, bail};
use memchr::memmem::Finder;
use serde_json::Value;

use super::nearest::near_releases;
use super::release_notes::ReleaseNotes;
use super::rule::Rule;
use super::values;
use super::version_order::{VersionOrder, VersionsByAge};
use super::wire;
use crate::carrier::CarrierFile;
use crate::catalog::Catalog;
use crate::field::FieldPath;
use crate::fingerprint::Fingerprint;
use crate::lens::Direction;
use crate::release::{ApiVersion, GroupKind, Named, ReleaseId, ReleaseLine, ReleaseSet, bare, version_of};

/// The files of one pack: path within the pack's folder with `/`, and text.
pub type PackFiles = BTreeMap<String, Cow<'static, str>>;

/// Who knows what a pack says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Author {
    /// Somebody who wrote the pack.
    Person,
    /// Nobody: it was made from CRDs.
    Nobody,
}

/// All knowledge about one project.
#[derive(Debug)]
pub struct Pack {
    pub(super) name: String,
    pub(super) author: Author,
    pub(super) aliases: Vec<String>,
    /// What messages call the folder of its files.
    pub(super) folder: String,
    pub(super) files: PackFiles,
    pub(super) title: String,
    pub(super) source: String,
    pub(super) groups: Vec<String>,
    pub(super) annotations: Option<wire::Annotations>,
    pub(super) corrections: BTreeMap<String, wire::Correction>,
    pub(super) excluded: Vec<wire::Excluded>,
    /// The release of another pack for each bundle, by its order.
    pub(super) companions: Vec<Option<String>>,
    pub(super) triggers: Vec<String>,
    pub(super) artifacts: Vec<String>,
    pub(super) tag_suffixes: Vec<String>,
    pub(super) schema_comments: Vec<String>,
    pub(super) references: Vec<wire::ReferenceField>,
    pub(super) charts: Vec<wire::Chart>,
    /// Where values of the charts can be.
    pub(super) values: Vec<values::Place>,
    pub(super) parameters: Vec<wire::Parameter>,
    pub(super) line: ReleaseLine,
    pub(super) catalogs: BTreeMap<GroupKind, LazyCatalog>,
    pub(super) rules: Vec<Rule>,
    /// The numbers of the rules that can apply to objects of a kind, also under the kinds that rules give them.
    pub(super) rules_by_kind: BTreeMap<GroupKind, Vec<usize>>,
    /// The apiVersions of the kinds that rules convert between apiVersions.
    pub(super) version_orders: Vec<VersionOrder>,
    pub(super) release_notes: ReleaseNotes,
    pub(super) carriers: CarrierFile,
    /// The API groups that defaults of fields can name, found when they are first asked for.
    pub(super) default_groups: OnceLock<BTreeSet<String>>,
}

/// A catalog's text, read when it is first used.
#[derive(Debug)]
pub(super) struct LazyCatalog {
    pub(super) file: String,
    pub(super) text: Cow<'static, str>,
    pub(super) read: OnceLock<Result<Catalog, String>>,
}

impl Pack {
    /// Returns the pack's name: `gateway-api`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the other names that a user can write for it.
    pub fn aliases(&self) -> &[String] {
        &self.aliases
    }

    /// Returns its name and its aliases.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.name).chain(&self.aliases).map(String::as_str)
    }

    /// Returns what messages call one of its files: `gateway-api/pack.yaml`.
    pub fn path_of(&self, file: &str) -> String {
        format!("{}/{file}", self.folder)
    }

    /// Returns what messages call the file of a rule.
    pub fn file_of(&self, rule: &Rule) -> String {
        let within = rule.id.strip_prefix(&self.name).map_or("", |rest| rest.trim_start_matches('/'));
        self.path_of(&format!("{within}.yaml"))
    }

    /// Returns whether the pack was made from CRDs, so that nobody says what their schemas do not.
    pub fn is_of_crds(&self) -> bool {
        self.author == Author::Nobody
    }

    /// Returns what the project is called.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Takes the fingerprint of all files of the pack, with their paths.
    pub fn fingerprint(&self) -> Fingerprint {
        let parts = self.files.iter().flat_map(|(path, text)| [path.as_str(), "\0", text, "\0"]);
        Fingerprint::of(parts.collect::<String>().as_bytes())
    }

    /// Returns where the releases come from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns the API groups whose kinds the pack knows.
    pub fn groups(&self) -> &[String] {
        &self.groups
    }

    /// Returns the annotations by which an installed CRD names its own release.
    pub const fn annotations(&self) -> Option<&wire::Annotations> {
        self.annotations.as_ref()
    }

    /// Returns what misleading values of the bundle annotation stand for.
    pub const fn corrections(&self) -> &BTreeMap<String, wire::Correction> {
        &self.corrections
    }

    /// Returns the releases.
    pub const fn line(&self) -> &ReleaseLine {
        &self.line
    }

    /// Returns the texts that make a file relevant to the pack although it names none of its groups.
    pub fn triggers(&self) -> &[String] {
        &self.triggers
    }

    /// Returns the names of the charts and images that install the project.
    pub fn artifacts(&self) -> &[String] {
        &self.artifacts
    }

    /// Returns how URLs of schemas in comments for editors end, besides `{group}/{kind}_{version}.json`.
    pub fn schema_comments(&self) -> &[String] {
        &self.schema_comments
    }

    /// Returns the fields of any kind that name a kind under keys of their own.
    pub fn references(&self) -> &[wire::ReferenceField] {
        &self.references
    }

    /// Returns the releases that a version of a chart or the tag of an image names exactly: `2.3.0`, `v2.3.0`, `2.3.0-ubi`.
    pub fn releases_for_version(&self, version: &str) -> ReleaseSet {
        self.line.of_version(self.without_suffix(version))
    }

    /// Returns what the tag of an image is without what says how the image is built.
    pub fn without_suffix<'v>(&self, version: &'v str) -> &'v str {
        self.tag_suffixes.iter().find_map(|suffix| version.strip_suffix(suffix.as_str())).unwrap_or(version)
    }

    /// Returns the releases that no target can name.
    pub fn excluded(&self) -> &[wire::Excluded] {
        &self.excluded
    }

    /// Returns why no target can name the release of this version, where it is such a one.
    pub fn exclusion(&self, version: &str) -> Option<&wire::Excluded> {
        let version = version_of(self.without_suffix(version));
        self.excluded.iter().find(|one| one.releases.iter().any(|name| version_of(name) == version))
    }

    /// Returns what the pack describes that carries patches, images, charts or their values.
    pub const fn carriers(&self) -> &CarrierFile {
        &self.carriers
    }

    /// Returns the charts that install the project.
    pub fn charts(&self) -> &[wire::Chart] {
        &self.charts
    }

    /// Returns where values of the pack's charts are in `object`, which is of `kind`.
    pub fn values_in(&self, kind: &GroupKind, object: &Value) -> Vec<FieldPath> {
        self.places_of(kind).flat_map(|place| place.values(object)).collect()
    }

    /// Returns whether values of the pack's charts can be in objects of `kind`.
    pub fn can_hold_values(&self, kind: &GroupKind) -> bool {
        self.places_of(kind).next().is_some()
    }

    fn places_of(&self, kind: &GroupKind) -> impl Iterator<Item = &values::Place> {
        self.values.iter().filter(move |place| place.kind == *kind)
    }

    /// Returns the values that a user may have to pass because no file contains them.
    pub fn parameters(&self) -> &[wire::Parameter] {
        &self.parameters
    }

    /// Returns the releases of another pack that `releases` support, in their order, each once: `gateway-api@1.5.1`.
    pub fn companions(&self, releases: ReleaseSet) -> Vec<&str> {
        let orders = releases.iter().map(|id| self.line.get(id).order);
        let mut found: Vec<&str> = orders.filter_map(|order| self.companion_of(order)).collect();
        found.dedup();
        found
    }

    /// Returns whether releases of one of the two packs belong to releases of the other, or objects of this pack refer to objects of
    /// `other` by the defaults of their fields. What names the group is seen by that.
    pub(super) fn is_bound_to(&self, other: &Self) -> bool {
        let belongs = |pack: &Self, to: &Self| {
            let owners = pack.companions.iter().flatten().filter_map(|text| text.split('@').next());
            owners.into_iter().any(|name| name == to.name)
        };
        let groups = self.default_groups.get_or_init(|| self.find_default_groups());
        belongs(self, other) || belongs(other, self) || other.groups.iter().any(|group| groups.contains(group.as_str()))
    }

    /// Finds the API groups that defaults of fields can name, as groups or apiVersions. Catalogs are searched as text, since most of
    /// them are never read.
    fn find_default_groups(&self) -> BTreeSet<String> {
        let start = Finder::new(b"\"default\":\"");
        let mut groups = BTreeSet::new();
        for catalog in self.catalogs.values() {
            let defaults =
                start.find_iter(catalog.text.as_bytes()).map(|at| &catalog.text[at + start.needle().len()..]);
            groups.extend(defaults.filter_map(|default| {
                let group = &default[..default.find(['"', '/'])?];
                // A path has no group before its slash.
                (!default.starts_with('/')).then(|| group.to_owned())
            }));
        }
        groups
    }

    /// Returns whether the pack's rules about `kind` change objects of other packs, or of none.
    pub fn is_foreign(&self, kind: &GroupKind) -> bool {
        !self.groups.contains(&kind.group)
    }

    /// Returns the kinds of other packs, or of none, that rules are about.
    pub fn foreign_kinds(&self) -> impl Iterator<Item = &GroupKind> {
        self.rules.iter().map(|rule| &rule.kind).filter(|kind| self.is_foreign(kind))
    }

    /// Returns the rules that repair mistakes, in the order of [`Pack::rules`].
    pub fn repairs(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter().filter(|rule| !rule.is_step())
    }

    /// Returns the rules, oldest release first, then by name, those that give an object another kind last.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Returns the rules by file, in the order of [`Pack::rules`]: a file about several kinds makes a rule for each.
    pub fn rule_files(&self) -> Vec<Vec<&Rule>> {
        let mut files: Vec<Vec<&Rule>> = Vec::new();
        for rule in &self.rules {
            match files.iter_mut().find(|file| file[0].id == rule.id) {
                Some(file) => file.push(rule),
                None => files.push(vec![rule]),
            }
        }
        files
    }

    /// Returns the kinds, sorted.
    pub fn kinds(&self) -> impl Iterator<Item = &GroupKind> {
        self.catalogs.keys()
    }

    /// Returns the catalog of `kind`.
    ///
    /// # Errors
    /// A failure that names the file, where the catalog cannot be read.
    pub fn try_catalog(&self, kind: &GroupKind) -> Result<Option<&Catalog>> {
        let Some(lazy) = self.catalogs.get(kind) else { return Ok(None) };
        match lazy.read.get_or_init(|| Catalog::parse(&lazy.text, &self.line)) {
            Ok(catalog) => Ok(Some(catalog)),
            Err(message) => Err(match message.strip_prefix("line ").and_then(|rest| rest.split_once(": ")) {
                Some((line, message)) => anyhow!("{}:{line}:1: {message}", lazy.file),
                None => anyhow!("{}: {message}", lazy.file),
            }),
        }
    }

    /// Returns the catalog of `kind`, where the pack has that kind.
    pub fn catalog(&self, kind: &GroupKind) -> Option<&Catalog> {
        self.try_catalog(kind).expect("catalogs are checked when a pack is loaded or built into the program")
    }

    /// Finds the release that `bundle[/channel]` names: `1.4/standard`, `1.4`, `latest`; without a channel the first one
    /// that the bundle has.
    ///
    /// # Errors
    /// A failure that names the near bundles, or the channels there are.
    pub fn release(&self, text: &str) -> Result<ReleaseId> {
        self.named(text).map(|(release, _)| release)
    }

    /// Finds the release as [`Pack::release`] does, and which of the releases with its APIs is named.
    ///
    /// # Errors
    /// As [`Pack::release`].
    pub(super) fn named(&self, text: &str) -> Result<(ReleaseId, Named)> {
        let name = &self.name;
        let (requested, channel) = match text.split_once('/') {
            Some((bundle, channel)) => (bundle, Some(channel)),
            None => (text, None),
        };
        if let Some(wire::Excluded { reason, instead, .. }) = self.exclusion(requested) {
            bail!("{name} {requested} is no release to convert to or from: {reason}; write {name}@{}", bare(instead));
        }
        let (order, named) = self.line.named(requested).with_context(|| {
            let names = self.line.names();
            let (first, last) = (names.clone().next(), names.clone().next_back());
            let all = first.zip(last).map(|(first, last)| format!("; its releases are {first} to {last}"));
            let near = near_releases(requested, names).join(", ");
            format!("pack {name} has no release `{requested}`{}; closest matches: {near}", all.unwrap_or_default())
        })?;
        let bundle = self.line.name(order, named);
        let channels: Vec<_> = self.line.of_bundle(order).collect();
        let found = match channel {
            Some(channel) => channels.iter().find(|(_, release)| release.channel.name() == channel),
            None => channels.first(),
        };
        let (release, _) = found.with_context(|| {
            let names: Vec<_> = channels.iter().map(|(_, release)| release.channel.name()).collect();
            let channel = channel.unwrap_or_default();
            match names.as_slice() {
                ["single"] => format!("{name} {bundle} has no channels: write {name}@{}", bare(&bundle)),
                _ => format!("{name} {bundle} has no channel `{channel}`; its channels: {}", names.join(", ")),
            }
        })?;
        Ok((*release, named))
    }

    /// Returns what the pack knows besides its rules.
    pub const fn release_notes(&self) -> &ReleaseNotes {
        &self.release_notes
    }

    /// Returns the rules that lead to `release`, each with its direction, in the order they run: those of its bundle and
    /// older forward, then newer ones backward from the newest, then those that `release` and some others require.
    ///
    /// A rule between two apiVersions counts as one of its bundle.
    pub fn rules_to(&self, release: ReleaseId) -> impl Iterator<Item = (&Rule, Direction)> {
        self.towards(release, None, self.rules.iter())
    }

    /// Returns those of [`Pack::rules_to`] that can apply to objects of `kind`, also under the kinds that rules give them. Of the
    /// rules between two apiVersions, `versions` (those that the object has and gets) decides which run, where they are given.
    pub fn rules_for_kind(
        &self,
        release: ReleaseId,
        kind: &GroupKind,
        versions: Option<(&ApiVersion, &ApiVersion)>,
    ) -> impl Iterator<Item = (&Rule, Direction)> {
        let versions = self.versions_by_age(kind).zip(versions);
        self.towards(release, versions, self.rules_about(kind))
    }

    /// Returns the rules that can apply to objects of `kind`, also under the kinds that rules give them, in the order in which they
    /// run forward.
    pub(super) fn rules_about(&self, kind: &GroupKind) -> impl DoubleEndedIterator<Item = &Rule> + Clone {
        let numbers = self.rules_by_kind.get(kind).map_or(&[][..], Vec::as_slice);
        let order = self.version_orders.iter().find(|order| order.has(kind));
        let ordered = order.zip(self.versions_by_age(kind));
        let numbers = ordered.map_or(numbers, |(order, by_age)| order.rules(by_age, &self.rules, numbers));
        numbers.iter().map(|at| &self.rules[*at])
    }

    /// Returns the kinds that `kind` can become, itself too, where rules convert it between apiVersions.
    pub fn kinds_by_version(&self, kind: &GroupKind) -> Option<impl Iterator<Item = &GroupKind>> {
        self.version_orders.iter().find(|order| order.has(kind)).map(VersionOrder::kinds)
    }

    /// Returns the apiVersions of `kind` by age, where rules convert it between apiVersions.
    pub fn versions_by_age(&self, kind: &GroupKind) -> Option<VersionsByAge<'_>> {
        let order = self.version_orders.iter().find(|order| order.has(kind))?;
        Some(order.by_age((&self.line, &self.groups), |kind| self.catalog(kind)))
    }

    fn towards<'p>(
        &'p self,
        release: ReleaseId,
        versions: Option<(VersionsByAge<'p>, (&ApiVersion, &ApiVersion))>,
        rules: impl DoubleEndedIterator<Item = &'p Rule> + Clone,
    ) -> impl Iterator<Item = (&'p Rule, Direction)> {
        let order = self.line.get(release).order;
        let direction = move |rule: &Rule| match (&rule.api_versions, versions) {
            _ if rule.within.is_some() || !rule.is_step() => None,
            (Some(step), Some((all, way))) => all.direction(step, way),
            _ if rule.order <= order => Some(Direction::Forward),
            _ => Some(Direction::Backward),
        };
        let is = |requested: Direction| move |rule: &&Rule| direction(rule) == Some(requested);
        let forward = rules.clone().filter(is(Direction::Forward));
        let backward = rules.clone().rev().filter(is(Direction::Backward));
        let requested = rules.filter(move |rule| rule.within.is_some_and(|within| within.contains(release)));
        let forward = forward.map(|rule| (rule, Direction::Forward));
        let backward = backward.map(|rule| (rule, Direction::Backward));
        forward.chain(backward).chain(requested.map(|rule| (rule, Direction::Forward)))
    }

    /// Returns the release of another pack that the bundle at this position supports.
    pub(super) fn companion_of(&self, order: usize) -> Option<&str> {
        self.companions[order].as_deref()
    }
}
