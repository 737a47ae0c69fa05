//! Answers: what does reversion know about one project's API: its releases, its fields, its documented changes?
//!
//! A [`Pack`] is read from a folder's files (`wire` has them as written) and checked; [`embedded`] holds the packs of the
//! binary. Catalogs are read when their kind is first met. [`Packs`] finds the pack of a kind and reads a [`Target`].
//!
//! Invariant: a pack that was loaded is whole: every rule names a release and kinds that the pack has.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde_json::Value;

use crate::catalog::Catalog;
use crate::field::FieldPath;
use crate::fingerprint::Fingerprint;
use crate::lens::{Direction, Lens};
use crate::release::{Channel, GroupKind, ReleaseId, ReleaseLine, ReleaseSet};

pub mod build;
pub mod crossing;
pub mod embedded;
mod limits;
pub mod lint;
pub mod load;
pub mod matrix;
pub mod notes;
mod values;
pub mod wire;

pub use notes::Notes;
pub use values::Unread;
pub use wire::Needs;

/// All knowledge about one project.
#[derive(Debug)]
pub struct Pack {
    name: String,
    files: load::PackFiles,
    title: String,
    source: String,
    groups: Vec<String>,
    annotations: Option<wire::Annotations>,
    corrections: BTreeMap<String, wire::Correction>,
    /// What each bundle goes with, by its order.
    companions: Vec<Option<String>>,
    marks: Vec<String>,
    installed_as: Vec<String>,
    tag_suffixes: Vec<String>,
    charts: Vec<wire::Chart>,
    /// Where values of the charts can stand, each with the number of the chart.
    values: Vec<(usize, values::Place)>,
    parameters: Vec<wire::Parameter>,
    line: ReleaseLine,
    catalogs: BTreeMap<GroupKind, LazyCatalog>,
    rules: Vec<Rule>,
    /// The rules that objects of a kind can meet, also as what they become, by their numbers.
    met: BTreeMap<GroupKind, Vec<usize>>,
    notes: Notes,
}

/// A catalog's text, read when it is first asked for.
#[derive(Debug)]
struct LazyCatalog {
    file: String,
    text: std::borrow::Cow<'static, str>,
    read: OnceLock<Result<Catalog, String>>,
}

/// One documented change of meaning.
#[derive(Debug)]
pub struct Rule {
    /// The rule's path: `gateway-api/v1.1.0/backendtlspolicy-tls-renamed-to-validation`.
    pub id: String,
    /// One line for people.
    pub summary: String,
    /// The Helm chart whose values in the object the rule is about, where it is about values.
    pub values: Option<String>,
    /// The kind before the change.
    pub kind: GroupKind,
    /// The kind after the change.
    pub new_kind: GroupKind,
    /// The channels that the change was made in.
    pub channels: Vec<Channel>,
    /// The releases that want the rule's outcome, where not all from the bundle on do.
    pub within: Option<ReleaseSet>,
    /// What must be known or asked for before the rule runs.
    pub needs: Option<Needs>,
    /// What is to be done besides, where the rule changes an object of another pack.
    pub advice: Option<String>,
    /// Where the change is documented upstream.
    pub source: String,
    /// The lens as written in the rule's file.
    pub text: String,
    /// The bundle that made the change, as its position on the release line.
    pub order: usize,
    /// The kind that objects have once every rule of the bundle ran: another one than `new_kind` where a later rule of the
    /// bundle retypes them.
    pub settled_kind: GroupKind,
    forward: Lens,
    backward: Lens,
}

impl Rule {
    /// Says whether the rule is a step between releases, and not the repair of a mistake.
    pub fn is_step(&self) -> bool {
        self.needs != Some(Needs::Repair)
    }

    /// Says whether the way of an object lies across the rule in `direction`, where the object comes from one of `origins`.
    pub fn is_crossed_from(&self, origins: ReleaseSet, line: &ReleaseLine, direction: Direction) -> bool {
        let is_newer = |id: ReleaseId| line.get(id).order >= self.order;
        !origins.is_empty() && origins.iter().all(|id| is_newer(id) == (direction == Direction::Backward))
    }

    /// Returns the lens for `direction`.
    pub const fn lens(&self, direction: Direction) -> &Lens {
        match direction {
            Direction::Forward => &self.forward,
            Direction::Backward => &self.backward,
        }
    }

    /// Returns the kind an object must have for the rule to run in `direction`.
    pub const fn from_kind(&self, direction: Direction) -> &GroupKind {
        match direction {
            Direction::Forward => &self.kind,
            Direction::Backward => &self.new_kind,
        }
    }

    /// Returns the kind an object has after the rule ran in `direction`.
    pub const fn to_kind(&self, direction: Direction) -> &GroupKind {
        self.from_kind(direction.reversed())
    }
}

/// An object's way over rules: which kind it has by now, and which rules speak of it.
#[derive(Clone, Debug)]
pub struct Way {
    kind: GroupKind,
    /// The bundle whose rule gave the object its kind, by its order.
    retyped_in: Option<usize>,
}

impl Way {
    /// Starts with an object of `kind`.
    pub const fn new(kind: GroupKind) -> Self {
        Self { kind, retyped_in: None }
    }

    /// Returns the kind that the object has by now.
    pub const fn kind(&self) -> &GroupKind {
        &self.kind
    }

    /// Says whether `rule` speaks of the object in `direction`: an object that had the old kind all along never was on the
    /// new side of what changed together with the kind.
    pub fn meets(&self, rule: &Rule, direction: Direction) -> bool {
        let together = rule.settled_kind != rule.new_kind && direction == Direction::Backward;
        *rule.from_kind(direction) == self.kind && (!together || self.retyped_in == Some(rule.order))
    }

    /// Notes that `rule` changed the object.
    pub fn follow(&mut self, rule: &Rule, direction: Direction) {
        if rule.kind != rule.new_kind {
            self.retyped_in = Some(rule.order);
        }
        self.kind.clone_from(rule.to_kind(direction));
    }
}

impl Pack {
    /// Returns the name of the pack's folder: `gateway-api`.
    pub fn name(&self) -> &str {
        &self.name
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

    /// Returns the texts that stand in files which matter to the pack although they name none of its groups.
    pub fn marks(&self) -> &[String] {
        &self.marks
    }

    /// Returns what the project's charts and images are called where it is installed.
    pub fn installed_as(&self) -> &[String] {
        &self.installed_as
    }

    /// Returns the releases that a version of a chart or the tag of an image names exactly: `2.3.0`, `v2.3.0`, `2.3.0-ubi`.
    pub fn releases_called(&self, version: &str) -> ReleaseSet {
        let suffix = self.tag_suffixes.iter().find_map(|suffix| version.strip_suffix(suffix.as_str()));
        let bare = |text: &str| text.strip_prefix('v').unwrap_or(text).to_owned();
        let wanted = bare(suffix.unwrap_or(version));
        let same = self.line.iter().filter(|(_, release)| bare(&release.bundle) == wanted);
        same.map(|(id, _)| id).collect()
    }

    /// Returns the charts that install the project.
    pub fn charts(&self) -> &[wire::Chart] {
        &self.charts
    }

    /// Returns where values of the pack's charts stand in `object`, which is of `kind`.
    pub fn values_in(&self, kind: &GroupKind, object: &Value) -> Vec<FieldPath> {
        self.places_of(kind).flat_map(|(_, place)| place.values(object)).collect()
    }

    /// Says whether values of the pack's charts can stand in objects of `kind`.
    pub fn is_host(&self, kind: &GroupKind) -> bool {
        self.places_of(kind).any(|(_, place)| place.is_readable())
    }

    /// Returns what says values of the pack's charts in `object`, which is of `kind`, in a way that is not read, each with its
    /// chart.
    pub fn unread_values_in(&self, kind: &GroupKind, object: &Value) -> Vec<(&wire::Chart, FieldPath, Unread)> {
        let of_chart = |(chart, place): &(usize, values::Place)| {
            let chart = &self.charts[*chart];
            place.unread(object).into_iter().map(move |(path, unread)| (chart, path, unread))
        };
        self.places_of(kind).flat_map(of_chart).collect()
    }

    fn places_of(&self, kind: &GroupKind) -> impl Iterator<Item = &(usize, values::Place)> {
        self.values.iter().filter(move |(_, place)| place.kind == *kind)
    }

    /// Returns what a user may have to say that no file shows.
    pub fn parameters(&self) -> &[wire::Parameter] {
        &self.parameters
    }

    /// Returns the releases of another pack that `releases` go with, in their order, each once: `gateway-api@1.5.1`.
    pub fn companions(&self, releases: ReleaseSet) -> Vec<&str> {
        let orders = releases.iter().map(|id| self.line.get(id).order);
        let mut found: Vec<&str> = orders.filter_map(|order| self.companions[order].as_deref()).collect();
        found.dedup();
        found
    }

    /// Says whether the pack's rules about `kind` change objects of other packs, or of none.
    pub fn is_guest(&self, kind: &GroupKind) -> bool {
        !self.groups.contains(&kind.group)
    }

    /// Returns the kinds of other packs, or of none, that rules are about.
    pub fn guests(&self) -> impl Iterator<Item = &GroupKind> {
        self.rules.iter().map(|rule| &rule.kind).filter(|kind| self.is_guest(kind))
    }

    /// Returns the rules that mend mistakes, in the order of [`Pack::rules`].
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

    /// Finds the release that `bundle[/channel]` names: `1.4/standard`, `1.4`, `latest`; without a channel the one that is not
    /// experimental.
    ///
    /// # Errors
    /// A failure that names the near bundles, or the channels there are.
    pub fn release(&self, text: &str) -> Result<ReleaseId> {
        let name = &self.name;
        let (wanted, channel) = match text.split_once('/') {
            Some((bundle, channel)) => (bundle, Some(channel)),
            None => (text, None),
        };
        let bundle = self.line.newest_bundle(wanted).with_context(|| {
            let bundles = self.line.bundles();
            let near = near_bundles(wanted, bundles);
            let all = bundles.first().zip(bundles.last()).map(|(first, last)| format!("; it has {first} to {last}"));
            format!("pack {name} has no release `{wanted}`{}; near ones: {}", all.unwrap_or_default(), near.join(", "))
        })?;
        let channels: Vec<_> = self.line.iter().filter(|(_, release)| release.bundle == bundle).collect();
        let found = match channel {
            Some(channel) => channels.iter().find(|(_, release)| release.channel.name() == channel),
            None => channels.iter().find(|(_, release)| release.channel != Channel::Experimental).or(channels.first()),
        };
        let (release, _) = found.with_context(|| {
            let names: Vec<_> = channels.iter().map(|(_, release)| release.channel.name()).collect();
            format!("{name} {bundle} has no channel `{}`; it has: {}", channel.unwrap_or_default(), names.join(", "))
        })?;
        Ok(*release)
    }

    /// Returns what the pack tells besides its rules.
    pub const fn notes(&self) -> &Notes {
        &self.notes
    }

    /// Returns the rules that lead to `release`, each with its direction, in the order they run: those of its bundle and
    /// older forward, then newer ones backward from the newest, then what `release` and some others want.
    pub fn rules_towards(&self, release: ReleaseId) -> impl Iterator<Item = (&Rule, Direction)> {
        self.towards(release, self.rules.iter())
    }

    /// Returns those of [`Pack::rules_towards`] that objects of `kind` can meet, also as what they become on the way.
    pub fn rules_on_the_way(&self, release: ReleaseId, kind: &GroupKind) -> impl Iterator<Item = (&Rule, Direction)> {
        let met = self.met.get(kind).map_or(&[][..], Vec::as_slice);
        self.towards(release, met.iter().map(|at| &self.rules[*at]))
    }

    fn towards<'p>(
        &'p self,
        release: ReleaseId,
        rules: impl DoubleEndedIterator<Item = &'p Rule> + Clone,
    ) -> impl Iterator<Item = (&'p Rule, Direction)> {
        let order = self.line.get(release).order;
        let crossed = |rule: &&Rule| rule.within.is_none() && rule.is_step();
        let forward = rules.clone().filter(crossed).filter(move |rule| rule.order <= order);
        let backward = rules.clone().rev().filter(crossed).filter(move |rule| rule.order > order);
        let wanted = rules.filter(move |rule| rule.within.is_some_and(|within| within.contains(release)));
        let forward = forward.map(|rule| (rule, Direction::Forward));
        let backward = backward.map(|rule| (rule, Direction::Backward));
        forward.chain(backward).chain(wanted.map(|rule| (rule, Direction::Forward)))
    }
}

/// A release of a pack that objects are taken to.
#[derive(Clone, Copy, Debug)]
pub struct Target<'p> {
    /// The pack.
    pub pack: &'p Pack,
    /// The release.
    pub release: ReleaseId,
}

impl<'p> Target<'p> {
    /// Returns the last release of a pack's line.
    pub fn newest(pack: &'p Pack) -> Option<Self> {
        pack.line.iter().last().map(|(release, _)| Self { pack, release })
    }
}

impl std::fmt::Display for Target<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}@{}", self.pack.name, self.pack.line.get(self.release))
    }
}

/// The packs of a run.
#[derive(Debug)]
pub struct Packs(Vec<Pack>);

impl Packs {
    /// Makes the set of `packs`, sorted by name.
    ///
    /// # Errors
    /// A failure where two packs have one name or one API group.
    pub fn new(mut packs: Vec<Pack>) -> Result<Self> {
        packs.sort_by(|left, right| left.name.cmp(&right.name));
        for pair in packs.windows(2) {
            ensure!(pair[0].name != pair[1].name, "there are two packs named {}", pair[0].name);
        }
        let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
        for pack in &packs {
            for group in &pack.groups {
                if let Some(other) = owners.insert(group, &pack.name) {
                    bail!("API group {group} belongs to two packs: {other} and {}", pack.name);
                }
            }
        }
        Ok(Self(packs))
    }

    /// Returns the packs, sorted by name.
    pub fn iter(&self) -> std::slice::Iter<'_, Pack> {
        self.0.iter()
    }

    /// Finds the pack that knows an API group.
    pub fn of_group(&self, group: &str) -> Option<&Pack> {
        self.0.iter().find(|pack| pack.groups.iter().any(|name| name == group))
    }

    /// Returns the release of another pack that `target` goes with, where its pack says so and the other one is here.
    ///
    /// # Errors
    /// A failure where the other pack has no such release.
    pub fn companion(&self, target: &Target<'_>) -> Result<Option<Target<'_>>> {
        let order = target.pack.line.get(target.release).order;
        target.pack.companions[order].as_deref().map(|text| self.target(text)).transpose()
    }

    /// Finds a pack by its name.
    ///
    /// # Errors
    /// A failure that names the near ones.
    pub fn named(&self, name: &str) -> Result<&Pack> {
        self.0.iter().find(|pack| pack.name == name).with_context(|| {
            let names = nearest(name, self.0.iter().map(|pack| pack.name.as_str()));
            format!("there is no pack `{name}`; there are: {}", names.join(", "))
        })
    }

    /// Reads `pack@bundle[/channel]`: `gateway-api@1.4/standard`, `gateway-api@1.4`, `gateway-api@latest`.
    ///
    /// # Errors
    /// A failure that names the near packs, bundles or channels.
    pub fn target(&self, text: &str) -> Result<Target<'_>> {
        let (name, release) = text.split_once('@').with_context(|| {
            format!("`{text}` names no release: write PACK@BUNDLE/CHANNEL, such as gateway-api@1.4/standard")
        })?;
        let pack = self.named(name)?;
        Ok(Target { pack, release: pack.release(release)? })
    }
}

/// Returns up to five of `bundles`, nearest to `wanted` first: by their numbers, where it is one.
fn near_bundles<'n>(wanted: &str, bundles: &'n [String]) -> Vec<&'n str> {
    let newest_first = bundles.iter().rev().map(String::as_str);
    let Some(wanted_numbers) = numbers(wanted) else { return nearest(wanted, newest_first) };
    let line = |[major, minor, patch]: [u64; 3]| (major << 32) + (minor << 16) + patch;
    let distance = |bundle: &&str| numbers(bundle).map(|found| line(found).abs_diff(line(wanted_numbers)));
    let mut ranked: Vec<_> = newest_first.collect();
    ranked.sort_by_cached_key(|bundle| (distance(bundle).is_none(), distance(bundle)));
    ranked.truncate(5);
    ranked
}

/// Reads up to three numbers with dots between them; those that are not there are 0.
fn numbers(bundle: &str) -> Option<[u64; 3]> {
    let mut numbers = [0; 3];
    for (at, part) in bundle.trim_start_matches('v').split('.').enumerate() {
        *numbers.get_mut(at)? = part.parse::<u16>().ok()?.into();
    }
    Some(numbers)
}

/// Returns up to five of `names`, nearest to `wanted` first, equally near ones in their order.
pub fn nearest<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let bare = |text: &str| text.trim_start_matches('v').to_owned();
    let mut ranked: Vec<_> =
        names.map(|name| (strsim::damerau_levenshtein(&bare(wanted), &bare(name)), name)).collect();
    ranked.sort_by_key(|(distance, _)| *distance);
    ranked.into_iter().take(5).map(|(_, name)| name).collect()
}
