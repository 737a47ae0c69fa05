//! Answers: what is known about one project?
//!
//! Invariant: every rule names a release and kinds that the pack has.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use anyhow::{Context, Result, anyhow, bail};
use serde_json::Value;

use super::built_in::{self, BuiltInPack, BuiltInSchemaRule, TESTED};
use super::crds::gather::{Gathered, ReleasedCrd};
use super::default_groups::default_groups;
use super::folder::Folder;
use super::nearest::near_releases;
use super::releases::{ReleaseNotes, Releases};
use super::rule_file::RuleReader;
use super::rules::{Rule, Rules, SchemaRule, VersionOrder, VersionsByAge};
use super::values::{self, PlacesByChart};
use super::wire;
use crate::knowledge::carrier::{CarrierFile, Carriers};
use crate::knowledge::catalog::Catalog;
use crate::knowledge::lens::Direction;
use crate::knowledge::release::{ApiVersion, GroupKind, Named, ReleaseId, ReleaseLine, ReleaseSet, bare, version_of};
use crate::syntax::field::FieldPath;
use crate::syntax::fingerprint::Fingerprint;

/// All knowledge about one project.
///
/// A run has many packs and is about the releases of few. So of a pack in the program only what every run needs is read at once:
/// `head`. The rest is read when it is first used; it is set from the start in a pack that was given, so that it is checked.
#[derive(Debug)]
pub struct Pack {
    pub(crate) origin: Origin,
    pub(crate) folder: Folder,
    /// `pack.yaml` without what [`Releases`] has.
    pub(crate) head: wire::PackFile,
    pub(crate) own_carriers: Cow<'static, CarrierFile>,
    /// Those of the run, its own among them.
    carriers: Arc<Carriers>,
    pub(crate) catalogs: BTreeMap<GroupKind, LazyCatalog>,
    pub(crate) releases: OnceLock<Releases>,
    pub(crate) rules: OnceLock<Rules>,
    /// Where values of its charts can be.
    places: OnceLock<PlacesByChart>,
    /// The kinds that rules are about.
    rule_kinds: OnceLock<BTreeSet<GroupKind>>,
    /// The API groups that defaults of fields can name.
    default_groups: OnceLock<BTreeSet<String>>,
}

/// Where a pack comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Origin {
    /// The program.
    BuiltIn(&'static BuiltInPack),
    /// Somebody who passed it.
    Given,
    /// CRDs: nobody says what their schemas do not.
    Crds,
}

/// A catalog that is read when it is first used.
#[derive(Debug)]
pub(crate) struct LazyCatalog {
    source: CatalogSource,
    read: OnceLock<Result<Catalog, String>>,
}

/// What a catalog is read from.
#[derive(Debug)]
enum CatalogSource {
    /// A file in the folder of the pack.
    File(String),
    /// CRDs of one kind.
    Crds(Vec<ReleasedCrd>),
}

impl LazyCatalog {
    pub(crate) const fn of_crds(crds: Vec<ReleasedCrd>) -> Self {
        Self { source: CatalogSource::Crds(crds), read: OnceLock::new() }
    }

    fn of_file(path: &str) -> Self {
        Self { source: CatalogSource::File(path.to_owned()), read: OnceLock::new() }
    }
}

impl Pack {
    /// Makes a pack of the program, in a run with `carriers`.
    pub(crate) fn built_in(pack: &'static BuiltInPack, carriers: &Arc<Carriers>) -> Self {
        let head = serde_json::from_str(pack.head).expect(TESTED);
        let own_carriers = built_in::carriers().get(pack.name).map(Cow::Borrowed).unwrap_or_default();
        Self::new(Origin::BuiltIn(pack), Folder::built_in(pack), head, own_carriers, Arc::clone(carriers))
    }

    /// Makes a pack of which nothing but its `head` is read, in a run with `carriers`.
    pub(crate) fn new(
        origin: Origin,
        folder: Folder,
        head: wire::PackFile,
        own_carriers: Cow<'static, CarrierFile>,
        carriers: Arc<Carriers>,
    ) -> Self {
        let kind = |path: &str| path.strip_prefix("catalog/")?.strip_suffix(".tsv").map(GroupKind::parse);
        let catalog = |path: &str| Some((kind(path)?, LazyCatalog::of_file(path)));
        Self {
            origin,
            catalogs: folder.iter().filter_map(|file| catalog(file.path)).collect(),
            folder,
            head,
            own_carriers,
            carriers,
            releases: OnceLock::new(),
            rules: OnceLock::new(),
            places: OnceLock::new(),
            rule_kinds: OnceLock::new(),
            default_groups: OnceLock::new(),
        }
    }

    /// Returns the pack's name: `gateway-api`.
    pub fn name(&self) -> &str {
        &self.head.name
    }

    /// Returns the other names that a user can write for it.
    pub fn aliases(&self) -> &[String] {
        &self.head.aliases
    }

    /// Returns its name and its aliases.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.head.name).chain(&self.head.aliases).map(String::as_str)
    }

    /// Returns whether the pack was made from CRDs, so that nobody says what their schemas do not.
    pub(crate) fn is_of_crds(&self) -> bool {
        matches!(self.origin, Origin::Crds)
    }

    /// Returns whether it knows releases, and not only carriers.
    pub(crate) fn has_releases(&self) -> bool {
        match self.origin {
            Origin::BuiltIn(pack) => !pack.is_carriers_alone,
            Origin::Given | Origin::Crds => !self.line().bundles().is_empty(),
        }
    }

    /// Returns what the project is called.
    pub fn title(&self) -> &str {
        &self.head.title
    }

    /// Takes the fingerprint of all files of the pack, with their paths.
    pub fn fingerprint(&self) -> Fingerprint {
        match self.origin {
            Origin::BuiltIn(_) | Origin::Given => self.folder.fingerprint(),
            Origin::Crds => self.folder.with(self.catalogs_of_crds()).fingerprint(),
        }
    }

    /// Returns where the releases come from.
    pub fn source(&self) -> &str {
        &self.head.source
    }

    /// Returns the API groups whose kinds the pack knows.
    pub fn groups(&self) -> &[String] {
        &self.head.groups
    }

    /// Returns the groups in which other projects have kinds too.
    pub(crate) fn shared_groups(&self) -> &[String] {
        &self.head.shared_groups
    }

    /// Returns the annotations by which an installed CRD names its own release.
    pub const fn annotations(&self) -> Option<&wire::Annotations> {
        self.head.annotations.as_ref()
    }

    /// Returns what misleading values of the bundle annotation stand for.
    pub(crate) fn corrections(&self) -> &BTreeMap<String, wire::Correction> {
        &self.releases().corrections
    }

    fn releases(&self) -> &Releases {
        self.releases.get_or_init(|| {
            let Origin::BuiltIn(pack) = self.origin else { unreachable!("a pack that was given has its releases") };
            let mut rest = serde_json::from_str(pack.rest).expect(TESTED);
            Releases::take(&mut rest, &self.catalogs.keys().collect()).expect(TESTED)
        })
    }

    /// Returns the releases.
    pub fn line(&self) -> &ReleaseLine {
        &self.releases().line
    }

    /// Returns the texts that make a file relevant to the pack although it names none of its groups.
    pub fn triggers(&self) -> &[String] {
        &self.head.triggers
    }

    /// Returns the names of the charts and images that install the project.
    pub fn artifacts(&self) -> &[String] {
        &self.head.artifacts
    }

    /// Returns what else names the release that is installed.
    pub(crate) const fn marks(&self) -> &wire::Marks {
        &self.head.marks
    }

    /// Returns whether files can name the release that is installed.
    pub(crate) fn names_installed(&self) -> bool {
        !self.head.artifacts.is_empty() || self.head.marks != wire::Marks::default()
    }

    /// Returns how URLs of schemas in comments for editors end, besides `{group}/{kind}_{version}.json`.
    pub fn schema_comments(&self) -> &[String] {
        &self.head.schema_comments
    }

    /// Returns the fields of any kind that name a kind under keys of their own.
    pub fn references(&self) -> &[wire::ReferenceField] {
        &self.head.references
    }

    /// Returns the releases that a version of a chart or the tag of an image names exactly: `2.3.0`, `v2.3.0`, `2.3.0-ubi`.
    pub(crate) fn releases_for_version(&self, version: &str) -> ReleaseSet {
        self.line().of_version(self.without_suffix(version))
    }

    /// Returns what the tag of an image is without what says how the image is built.
    pub(crate) fn without_suffix<'v>(&self, version: &'v str) -> &'v str {
        self.head.tag_suffixes.iter().find_map(|suffix| version.strip_suffix(suffix.as_str())).unwrap_or(version)
    }

    /// Returns the releases that no target can name.
    pub fn excluded(&self) -> &[wire::Excluded] {
        &self.releases().excluded
    }

    /// Returns why no target can name the release of this version, where it is such a one.
    pub fn exclusion(&self, version: &str) -> Option<&wire::Excluded> {
        let version = version_of(self.without_suffix(version));
        self.excluded().iter().find(|excluded| excluded.releases.iter().any(|name| version_of(name) == version))
    }

    /// Returns what the pack describes that carries patches, images, charts or their values.
    pub fn carriers(&self) -> &CarrierFile {
        &self.own_carriers
    }

    /// Returns the files that are objects by their names.
    pub fn files(&self) -> &[wire::NamedFile] {
        &self.head.files
    }

    /// Returns the charts that install the project.
    pub fn charts(&self) -> &[wire::Chart] {
        &self.head.charts
    }

    /// Returns where values of the pack's charts are in `object`, which is of `kind`.
    pub(crate) fn values_in(&self, kind: &GroupKind, object: &Value) -> Vec<FieldPath> {
        self.places_of(kind).flat_map(|place| place.values(object)).collect()
    }

    /// Returns the values of `chart` in `object`, which is of `kind`.
    pub(crate) fn values_of<'v>(&self, chart: &str, kind: &GroupKind, object: &'v Value) -> Vec<&'v Value> {
        let places = self.places().get(chart).into_iter().flatten().filter(|place| place.kind == *kind);
        places.flat_map(|place| place.values(object)).filter_map(|path| path.get(object)).collect()
    }

    /// Returns whether values of the pack's charts can be in objects of `kind`, as fields or in a text.
    pub(crate) fn can_hold_values(&self, kind: &GroupKind) -> bool {
        self.places_of(kind).next().is_some() || self.kinds_with_texts().any(|one| one == kind)
    }

    /// Returns the kinds of the objects that can have values of the pack's charts in a text.
    pub(crate) fn kinds_with_texts(&self) -> impl Iterator<Item = &GroupKind> {
        let carriers =
            self.carriers.iter().filter(|carrier| !self.charts().is_empty() && carrier.has_texts_of_charts());
        carriers.flat_map(|carrier| &carrier.kind)
    }

    fn places_of(&self, kind: &GroupKind) -> impl Iterator<Item = &values::Place> {
        self.places().values().flatten().filter(move |place| place.kind == *kind)
    }

    /// Returns where values of the pack's charts can be.
    pub(crate) fn places(&self) -> &PlacesByChart {
        self.places.get_or_init(|| values::places_by_chart(self.charts(), &self.carriers))
    }

    /// Returns the values that a user may have to pass because no file contains them.
    pub fn parameters(&self) -> &[wire::Parameter] {
        &self.head.parameters
    }

    /// Returns the releases of another pack that `releases` support, in their order, each once: `gateway-api@1.5.1`.
    pub(crate) fn companions(&self, releases: ReleaseSet) -> Vec<&str> {
        let orders = releases.iter().map(|id| self.line().get(id).order);
        let mut found: Vec<&str> = orders.filter_map(|order| self.companion_of(order)).collect();
        found.dedup();
        found
    }

    /// Returns whether releases of one of the two packs belong to releases of the other, or objects of this pack refer to objects of
    /// `other` by the defaults of their fields. What names the group is seen by that.
    pub(crate) fn is_bound_to(&self, other: &Self) -> bool {
        let groups = self.default_groups();
        self.belongs_to(other) || other.belongs_to(self) || other.groups().iter().any(|group| groups.contains(group))
    }

    /// Returns whether releases of the pack belong to releases of `other`.
    fn belongs_to(&self, other: &Self) -> bool {
        match self.origin {
            Origin::BuiltIn(pack) => pack.companions.contains(&other.name()),
            Origin::Given | Origin::Crds => {
                let companions = self.releases().companions.iter().flatten();
                companions.filter_map(|text| text.split('@').next()).any(|name| name == other.name())
            }
        }
    }

    /// Returns the API groups that defaults of fields can name.
    pub(crate) fn default_groups(&self) -> &BTreeSet<String> {
        self.default_groups.get_or_init(|| match self.origin {
            Origin::BuiltIn(pack) => pack.default_groups.iter().map(|group| (*group).to_owned()).collect(),
            Origin::Given => self.folder.default_groups(),
            Origin::Crds => {
                let named = |crd: &ReleasedCrd| default_groups(&crd.value.to_string()).map(str::to_owned).collect();
                self.crds().flat_map::<Vec<String>, _>(named).collect()
            }
        })
    }

    /// Returns whether the pack's rules about `kind` change objects of other packs, or of none.
    pub fn is_foreign(&self, kind: &GroupKind) -> bool {
        !self.groups().contains(&kind.group)
    }

    /// Returns the kinds of other packs, or of none, that rules are about, sorted.
    pub(crate) fn foreign_kinds(&self) -> impl Iterator<Item = &GroupKind> {
        self.rule_kinds().iter().filter(|kind| self.is_foreign(kind))
    }

    /// Returns the kinds that rules are about, and those of values that advisories are about.
    pub(crate) fn rule_kinds(&self) -> &BTreeSet<GroupKind> {
        self.rule_kinds.get_or_init(|| {
            let charts_read: Vec<&str> = match self.origin {
                Origin::BuiltIn(pack) => pack.charts_read.to_vec(),
                Origin::Given | Origin::Crds => {
                    let advisories = self.release_notes().advisories.iter();
                    advisories.filter_map(|advisory| advisory.values.as_deref()).collect()
                }
            };
            let charts = self.charts().iter().filter(|chart| charts_read.contains(&chart.name.as_str()));
            let of_values = charts.flat_map(|chart| values::kinds(chart, &self.carriers));
            self.named_rule_kinds().into_iter().chain(of_values).collect()
        })
    }

    /// Returns the kinds that rules are about, without those that are known to be about objects with values of a chart, which name
    /// that chart.
    pub(crate) fn named_rule_kinds(&self) -> Vec<GroupKind> {
        match self.origin {
            Origin::BuiltIn(pack) => pack.rule_kinds.iter().map(|kind| GroupKind::parse(kind)).collect(),
            Origin::Given | Origin::Crds => self.rules().iter().map(|rule| rule.kind.clone()).collect(),
        }
    }

    /// Returns the rules about CRDs that read their schemas.
    pub(crate) fn rules_about_schemas(&self) -> Vec<SchemaRule<'_>> {
        match self.origin {
            Origin::BuiltIn(pack) => pack.rules_about_schemas.iter().map(BuiltInSchemaRule::rule).collect(),
            Origin::Given | Origin::Crds => self.rules().iter().filter_map(Rule::about_schemas).collect(),
        }
    }

    /// Returns the rules that repair mistakes, in the order of [`Pack::rules`].
    pub(crate) fn repairs(&self) -> impl Iterator<Item = &Rule> {
        self.rules().iter().filter(|rule| !rule.is_step())
    }

    fn sorted_rules(&self) -> &Rules {
        self.rules.get_or_init(|| self.read_rules().expect(TESTED))
    }

    /// Reads the rules.
    ///
    /// # Errors
    /// A failure that names the file and line that is not what it should be.
    pub(crate) fn read_rules(&self) -> Result<Rules> {
        let (line, kinds, places) = (self.line(), self.kinds().collect(), self.places());
        RuleReader { folder: &self.folder, head: &self.head, line, kinds, places }.read()
    }

    /// Returns the rules, oldest release first, then by name, those that give an object another kind last.
    pub fn rules(&self) -> &[Rule] {
        &self.sorted_rules().sorted
    }

    /// Returns the rules by file, in the order of [`Pack::rules`]: a file about several kinds makes a rule for each.
    pub fn rule_files(&self) -> Vec<Vec<&Rule>> {
        let mut files: Vec<Vec<&Rule>> = Vec::new();
        for rule in self.rules() {
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
        match lazy.read.get_or_init(|| self.read_catalog(&lazy.source)) {
            Ok(catalog) => Ok(Some(catalog)),
            Err(message) => {
                let file = self.folder.path_of(&format!("catalog/{kind}.tsv"));
                Err(match message.strip_prefix("line ").and_then(|rest| rest.split_once(": ")) {
                    Some((line, message)) => anyhow!("{file}:{line}:1: {message}"),
                    None => anyhow!("{file}: {message}"),
                })
            }
        }
    }

    /// Writes the catalogs that are made of CRDs, by their paths.
    fn catalogs_of_crds(&self) -> BTreeMap<String, String> {
        let files = Gathered::of_crds(self.crds()).files(self.line());
        files.into_iter().map(|(name, text)| (format!("catalog/{name}"), text)).collect()
    }

    /// Returns the CRDs that the pack is made of.
    fn crds(&self) -> impl Iterator<Item = &ReleasedCrd> {
        self.catalogs.values().flat_map(|catalog| match &catalog.source {
            CatalogSource::File(_) => &[],
            CatalogSource::Crds(crds) => crds.as_slice(),
        })
    }

    fn read_catalog(&self, source: &CatalogSource) -> Result<Catalog, String> {
        let path = match source {
            CatalogSource::File(path) => path,
            CatalogSource::Crds(crds) => {
                return Ok(Gathered::of_crds(crds).catalogs().next().expect("CRDs define their kind"));
            }
        };
        match self.folder.built_in_file(path) {
            Some(file) => file.catalog(&self.releases().line),
            None => Catalog::parse(self.folder.text(path).unwrap_or_default(), self.line()),
        }
    }

    /// Returns the catalog of `kind`, where the pack has that kind.
    pub fn catalog(&self, kind: &GroupKind) -> Option<&Catalog> {
        self.try_catalog(kind).expect("catalogs are checked when a pack is loaded or built into the program")
    }

    /// Returns whether `release` serves `kind`.
    pub(crate) fn has_kind(&self, kind: &GroupKind, release: ReleaseId) -> bool {
        self.catalog(kind).is_some_and(|catalog| catalog.releases().contains(release))
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
    pub(crate) fn named(&self, text: &str) -> Result<(ReleaseId, Named)> {
        let name = self.name();
        let (requested, channel) = match text.split_once('/') {
            Some((bundle, channel)) => (bundle, Some(channel)),
            None => (text, None),
        };
        if let Some(wire::Excluded { reason, instead, .. }) = self.exclusion(requested) {
            bail!("{name} {requested} is no release to convert to or from: {reason}; write {name}@{}", bare(instead));
        }
        let (order, named) = self.line().named(requested).with_context(|| {
            let names = self.line().names();
            let (first, last) = (names.clone().next(), names.clone().next_back());
            let all = first.zip(last).map(|(first, last)| format!("; its releases are {first} to {last}"));
            let near = near_releases(requested, names).join(", ");
            format!("pack {name} has no release `{requested}`{}; closest matches: {near}", all.unwrap_or_default())
        })?;
        let bundle = self.line().name(order, named);
        let channels: Vec<_> = self.line().of_bundle(order).collect();
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
    pub fn release_notes(&self) -> &ReleaseNotes {
        &self.releases().notes
    }

    /// Returns whether what is done about an object, or said, can depend on the release that it comes from.
    pub(crate) fn asks_for_origins(&self) -> bool {
        let notes = self.release_notes();
        let asks = |rule: &Rule| matches!(rule.needs, Some(wire::Needs::From | wire::Needs::Crossing));
        !notes.advisories.is_empty() || !notes.moves.is_empty() || self.rules().iter().any(asks)
    }

    /// Returns the rules that lead to `release`, each with its direction, in the order they run: those of its bundle and
    /// older forward, then newer ones backward from the newest, then those that `release` and some others require.
    ///
    /// A rule between two apiVersions counts as one of its bundle.
    pub fn rules_to(&self, release: ReleaseId) -> impl Iterator<Item = (&Rule, Direction)> {
        self.towards(release, None, self.rules().iter())
    }

    /// Returns those of [`Pack::rules_to`] that can apply to objects of `kind`, also under the kinds that rules give them. Of the
    /// rules between two apiVersions, `versions` (those that the object has and gets) decides which run, where they are given.
    pub(crate) fn rules_for_kind(
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
    pub(crate) fn rules_about(&self, kind: &GroupKind) -> impl DoubleEndedIterator<Item = &Rule> + Clone {
        let rules = self.sorted_rules();
        let numbers = rules.by_kind.get(kind).map_or(&[][..], Vec::as_slice);
        let ordered = rules.version_order(kind).zip(self.versions_by_age(kind));
        let numbers = ordered.map_or(numbers, |(order, by_age)| order.rules(by_age, &rules.sorted, numbers));
        numbers.iter().map(|at| &rules.sorted[*at])
    }

    /// Returns the kinds that `kind` can become, itself too, where rules convert it between apiVersions.
    pub(crate) fn kinds_by_version(&self, kind: &GroupKind) -> Option<impl Iterator<Item = &GroupKind>> {
        self.sorted_rules().version_order(kind).map(VersionOrder::kinds)
    }

    /// Returns the apiVersions of `kind` by age, where rules convert it between apiVersions.
    pub(crate) fn versions_by_age(&self, kind: &GroupKind) -> Option<VersionsByAge<'_>> {
        Some(self.sorted_rules().version_order(kind)?.by_age(self.line(), self.groups(), |kind| self.catalog(kind)))
    }

    fn towards<'p>(
        &'p self,
        release: ReleaseId,
        versions: Option<(VersionsByAge<'p>, (&ApiVersion, &ApiVersion))>,
        rules: impl DoubleEndedIterator<Item = &'p Rule> + Clone,
    ) -> impl Iterator<Item = (&'p Rule, Direction)> {
        let order = self.line().get(release).order;
        let direction = move |rule: &Rule| match (&rule.api_versions, versions) {
            _ if rule.within.is_some() || !rule.is_step() => None,
            (Some(step), Some((all, (from, to)))) => all.direction(step, from, to),
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
    pub(crate) fn companion_of(&self, order: usize) -> Option<&str> {
        self.releases().companions[order].as_deref()
    }
}
