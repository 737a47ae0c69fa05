//! Answers: what is known about one project?
//!
//! Invariant: every rule names a release and kinds that the pack has.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use anyhow::{Context, Result, anyhow};
use serde_json::Value;

use super::nearest::near_bundles;
use super::release_notes::ReleaseNotes;
use super::rule::Rule;
use super::values::{self, UnconvertedValues};
use super::version_order::{VersionOrder, VersionsByAge};
use super::wire;
use crate::catalog::Catalog;
use crate::field::FieldPath;
use crate::fingerprint::Fingerprint;
use crate::lens::Direction;
use crate::release::{ApiVersion, GroupKind, ReleaseId, ReleaseLine, ReleaseSet, bare, version_of};

/// The files of one pack: path within the pack's folder with `/`, and text.
pub type PackFiles = BTreeMap<String, Cow<'static, str>>;

/// All knowledge about one project.
#[derive(Debug)]
pub struct Pack {
    pub(super) name: String,
    pub(super) aliases: Vec<String>,
    /// What messages call the folder of its files.
    pub(super) folder: String,
    pub(super) files: PackFiles,
    pub(super) title: String,
    pub(super) source: String,
    pub(super) groups: Vec<String>,
    pub(super) annotations: Option<wire::Annotations>,
    pub(super) corrections: BTreeMap<String, wire::Correction>,
    /// The release of another pack for each bundle, by its order.
    pub(super) companions: Vec<Option<String>>,
    pub(super) triggers: Vec<String>,
    pub(super) artifacts: Vec<String>,
    pub(super) tag_suffixes: Vec<String>,
    pub(super) charts: Vec<wire::Chart>,
    /// Where values of the charts can be, each with the number of the chart.
    pub(super) values: Vec<(usize, values::Place)>,
    pub(super) parameters: Vec<wire::Parameter>,
    pub(super) line: ReleaseLine,
    pub(super) catalogs: BTreeMap<GroupKind, LazyCatalog>,
    pub(super) rules: Vec<Rule>,
    /// The numbers of the rules that can apply to objects of a kind, also under the kinds that rules give them.
    pub(super) rules_by_kind: BTreeMap<GroupKind, Vec<usize>>,
    /// The apiVersions of the kinds that rules convert between apiVersions.
    pub(super) version_orders: Vec<VersionOrder>,
    pub(super) release_notes: ReleaseNotes,
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

    /// Returns the releases that a version of a chart or the tag of an image names exactly: `2.3.0`, `v2.3.0`, `2.3.0-ubi`.
    pub fn releases_for_version(&self, version: &str) -> ReleaseSet {
        let suffix = self.tag_suffixes.iter().find_map(|suffix| version.strip_suffix(suffix.as_str()));
        let requested = version_of(suffix.unwrap_or(version));
        let same = self.line.iter().filter(|(_, release)| version_of(&release.bundle) == requested);
        same.map(|(id, _)| id).collect()
    }

    /// Returns the charts that install the project.
    pub fn charts(&self) -> &[wire::Chart] {
        &self.charts
    }

    /// Returns where values of the pack's charts are in `object`, which is of `kind`.
    pub fn values_in(&self, kind: &GroupKind, object: &Value) -> Vec<FieldPath> {
        self.places_of(kind).flat_map(|(_, place)| place.values(object)).collect()
    }

    /// Returns whether values of the pack's charts can be in objects of `kind`.
    pub fn can_hold_values(&self, kind: &GroupKind) -> bool {
        self.places_of(kind).any(|(_, place)| place.is_readable())
    }

    /// Returns where `object`, which is of `kind`, gives values of the pack's charts in a form that is not converted, each with
    /// its chart.
    pub fn unconverted_values_in(
        &self,
        kind: &GroupKind,
        object: &Value,
    ) -> Vec<(&wire::Chart, FieldPath, UnconvertedValues)> {
        let of_chart = |(chart, place): &(usize, values::Place)| {
            let chart = &self.charts[*chart];
            place.unconverted(object).into_iter().map(move |(path, unconverted)| (chart, path, unconverted))
        };
        self.places_of(kind).flat_map(of_chart).collect()
    }

    fn places_of(&self, kind: &GroupKind) -> impl Iterator<Item = &(usize, values::Place)> {
        self.values.iter().filter(move |(_, place)| place.kind == *kind)
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
            Err(message) => Err(anyhow!("{}: {message}", lazy.file)),
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
        let name = &self.name;
        let (requested, channel) = match text.split_once('/') {
            Some((bundle, channel)) => (bundle, Some(channel)),
            None => (text, None),
        };
        let bundle = self.line.newest_bundle(requested).with_context(|| {
            let bundles = self.line.bundles();
            let near = near_bundles(requested, bundles);
            let all = bundles
                .first()
                .zip(bundles.last())
                .map(|(first, last)| format!("; its releases are {first} to {last}"));
            format!(
                "pack {name} has no release `{requested}`{}; closest matches: {}",
                all.unwrap_or_default(),
                near.join(", ")
            )
        })?;
        let order = self.line.bundle_order(bundle).expect("the line found the bundle");
        let channels: Vec<_> = self.line.of_bundle(order).collect();
        let found = match channel {
            Some(channel) => channels.iter().find(|(_, release)| release.channel.name() == channel),
            None => channels.first(),
        };
        let (release, _) = found.with_context(|| {
            let names: Vec<_> = channels.iter().map(|(_, release)| release.channel.name()).collect();
            let channel = channel.unwrap_or_default();
            match names.as_slice() {
                ["single"] => format!("{name} {bundle} has no channels: write {name}@{}", bare(bundle)),
                _ => format!("{name} {bundle} has no channel `{channel}`; its channels: {}", names.join(", ")),
            }
        })?;
        Ok(*release)
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
