//! Answers: which rules does a pack have, in which order do they run, and which can apply to an object?
//!
//! A [`Rule`] is one documented change, and its backward lens is the inverse of its forward one; a [`KindTracker`] follows the kind that
//! rules give an object, which changes only when a rule that gives another one changed the object.
//!
//! A [`VersionOrder`] is by age, and not by stability: `autoscaling/v1` is older than `autoscaling/v2beta1`. Of apiVersions that the same
//! bundle introduced, the one of the earlier group of the pack and then the less stable one is older. A rule between two of them runs only
//! where the path of an object crosses both.
//!
//! Invariant: within a bundle, the rules about a kind's fields run before the one that gives it another kind, and what releases reject
//! is checked once everything that they require was written.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use super::footprint::{Footprint, Footprints};
use super::wire::{Destructive, Needs};
use crate::knowledge::catalog::Catalog;
use crate::knowledge::lens::{Claims, Direction, Fidelity, Image, Lens};
use crate::knowledge::release::{ApiVersion, Channel, GroupKind, ReleaseId, ReleaseLine, ReleaseSet, by_stability};
use crate::syntax::field::{FieldPath, FieldPattern, Part};

/// The rules of a pack.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    /// Oldest release first, then by name, those that give an object another kind last.
    pub(crate) sorted: Vec<Rule>,
    /// The numbers of the rules that can apply to objects of a kind, also under the kinds that rules give them.
    pub(crate) by_kind: BTreeMap<GroupKind, Vec<usize>>,
    /// The apiVersions of the kinds that rules convert between apiVersions.
    version_orders: Vec<VersionOrder>,
}

impl Rules {
    /// Puts rules in order.
    pub(crate) fn new(mut rules: Vec<Rule>) -> Self {
        let retyping = rules.iter().filter(|rule| rule.kind != rule.new_kind);
        let settled: BTreeMap<_, _> =
            retyping.map(|rule| ((rule.order, rule.kind.clone()), rule.new_kind.clone())).collect();
        for rule in rules.iter_mut().filter(|rule| rule.kind == rule.new_kind) {
            if let Some(kind) = settled.get(&(rule.order, rule.kind.clone())) {
                rule.final_kind.clone_from(kind);
            }
        }
        rules.sort_by_cached_key(|rule| {
            (rule.order, rule.kind != rule.new_kind, is_check(rule), rule.id.clone(), rule.kind.clone())
        });
        let families = families(&rules);
        let by_kind = by_kind(&rules, &families);
        let of_versions = families.into_iter().filter(|family| has_version_rules(family, &rules));
        let version_orders = of_versions.map(VersionOrder::new).collect();
        Self { sorted: rules, by_kind, version_orders }
    }

    /// Returns what is known of the apiVersions of `kind`, where rules convert it between apiVersions.
    pub(crate) fn version_order(&self, kind: &GroupKind) -> Option<&VersionOrder> {
        self.version_orders.iter().find(|order| order.has(kind))
    }
}

/// Returns whether a rule about one of the kinds was made between two apiVersions.
fn has_version_rules(family: &BTreeSet<GroupKind>, rules: &[Rule]) -> bool {
    rules.iter().any(|rule| rule.api_versions.is_some() && family.contains(&rule.kind))
}

/// Returns the kinds that rules are about, those together that rules convert into each other.
fn families(rules: &[Rule]) -> Vec<BTreeSet<GroupKind>> {
    let mut families: Vec<BTreeSet<&GroupKind>> = Vec::new();
    let steps: BTreeSet<[&GroupKind; 3]> =
        rules.iter().map(|rule| [&rule.kind, &rule.new_kind, &rule.final_kind]).collect();
    for kinds in steps {
        let mut family = BTreeSet::from(kinds);
        families.retain(|other| {
            let is_apart = other.is_disjoint(&family);
            if !is_apart {
                family.extend(other);
            }
            is_apart
        });
        families.push(family);
    }
    families.into_iter().map(|family| family.into_iter().cloned().collect()).collect()
}

/// Returns the numbers of the rules that can apply to objects of each kind: those about any kind that rules convert it to, or from.
fn by_kind(rules: &[Rule], families: &[BTreeSet<GroupKind>]) -> BTreeMap<GroupKind, Vec<usize>> {
    let of_family = |family: &BTreeSet<GroupKind>| {
        let about = rules.iter().enumerate().filter(|(_, rule)| family.contains(&rule.kind));
        let about: Vec<usize> = about.map(|(at, _)| at).collect();
        family.iter().map(|kind| (kind.clone(), about.clone())).collect::<Vec<_>>()
    };
    families.iter().flat_map(of_family).collect()
}

/// Returns whether a rule only checks what some releases reject.
fn is_check(rule: &Rule) -> bool {
    rule.within.is_some() && rule.lens(Direction::Forward).fidelities().into_iter().eq([Fidelity::Refused])
}

/// A rule about CRDs that reads their schemas.
#[derive(Debug)]
pub(crate) struct SchemaRule<'p> {
    /// The release that made the change.
    pub(crate) bundle: &'p str,
    /// The apiVersions that it leads from and to, where it is about two.
    pub(crate) api_versions: Option<[ApiVersion; 2]>,
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
    /// The channels that the change was made in, as written; none for every channel of its bundle.
    pub channels: Vec<Channel>,
    /// The apiVersions before and after the change, where it was made between two of them.
    pub api_versions: Option<[ApiVersion; 2]>,
    /// The releases that require the rule's result, if not all from the bundle on do.
    pub within: Option<ReleaseSet>,
    /// What must be known or requested before the rule runs.
    pub needs: Option<Needs>,
    /// What is to be done besides, where the rule changes an object of another pack.
    pub advice: Option<String>,
    /// What it writes that an older chart ignores, with damage.
    pub(crate) destructive: Option<Destructive>,
    /// Where the change is documented upstream.
    pub source: String,
    /// The lens as written in the rule's file.
    pub text: String,
    /// The bundle that made the change, as its position on the release line.
    pub order: usize,
    /// The kind that objects have once every rule of the bundle ran: another one than `new_kind` where a later rule of the
    /// bundle retypes them.
    pub final_kind: GroupKind,
    /// The lens as written.
    pub(crate) forward: Lens,
    /// Its inverse, made when it is first used.
    pub(crate) backward: OnceLock<Lens>,
    /// The kind that converting back gives objects of the new kind: the new one again, where the change is one-way.
    pub(crate) back_kind: GroupKind,
    /// What [`Rule::renamed_keys`] returns for each direction, once it was asked for.
    pub(crate) renamed_keys: [OnceLock<Vec<RenamedKey>>; 2],
    /// What [`Rule::old_fields`] returns for each direction, once it was asked for.
    pub(crate) old_fields: [OnceLock<OldFields>; 2],
    /// What [`Rule::footprint`] returns, once it was asked for.
    pub(crate) footprint: OnceLock<Footprint>,
}

/// The fields that a rule takes away, by their names before it.
#[derive(Debug)]
pub(crate) struct OldFields {
    pub(crate) all: Vec<FieldPattern>,
    /// Those that get another place, where the rule is between two apiVersions.
    pub(crate) moved: Vec<FieldPattern>,
}

/// A key of annotations or labels that a rule renames.
#[derive(Debug)]
pub(crate) struct RenamedKey {
    pub(crate) old: String,
    pub(crate) new: String,
}

impl Rule {
    /// Returns the keys of annotations and labels that the rule renames in a direction.
    pub(crate) fn renamed_keys(&self, direction: Direction) -> &[RenamedKey] {
        self.renamed_keys[direction as usize].get_or_init(|| {
            let lens = self.lens(direction);
            let old_keys = lens.claims().old.into_iter().filter(|old| key_of_metadata(old).is_some());
            let renamed = old_keys.filter_map(|old| {
                let images = lens.images(&old);
                let Some(Image::Moved(new)) = images.first().filter(|_| images.len() == 1) else { return None };
                Some(RenamedKey { old: key_of_metadata(&old)?.to_owned(), new: key_of_metadata(new)?.to_owned() })
            });
            renamed.collect()
        })
    }

    /// Returns the fields that the rule takes away in a direction.
    pub(crate) fn old_fields(&self, direction: Direction) -> &OldFields {
        self.old_fields[direction as usize].get_or_init(|| {
            let lens = self.lens(direction);
            let is_move = |claims: &Claims| self.api_versions.is_some() && !claims.new.is_empty();
            let moved = lens.claims_of_each().into_iter().filter(is_move).flat_map(|claims| claims.old);
            OldFields { all: lens.claims().old, moved: moved.collect() }
        })
    }

    /// Returns whether what it makes of an object can depend on the field at a path, or on something in it.
    pub fn looks_at(&self, path: &FieldPath) -> bool {
        let cursor = Footprints::new([self.footprint().clone()]).at(path.steps());
        !cursor.inside.is_empty() || !cursor.around.is_empty()
    }

    /// Returns the fields that it looks at or changes.
    pub(crate) fn footprint(&self) -> &Footprint {
        self.footprint.get_or_init(|| Footprint::of_lens(&self.text))
    }

    /// Returns the path of its file in the folder of its pack.
    pub(crate) fn path(&self) -> String {
        format!("{}.yaml", self.id.split_once('/').map_or("", |(_, path)| path))
    }

    /// Returns whether the rule is a step between releases, and not the repair of a mistake.
    pub(crate) fn is_step(&self) -> bool {
        self.needs != Some(Needs::Repair)
    }

    /// Returns whether the rule is about CRDs and reads their schemas.
    fn reads_schemas(&self) -> bool {
        self.kind.kind == "CustomResourceDefinition" && self.text.contains("openAPIV3Schema")
    }

    /// Returns what the run to a target needs of the rule to know which CRDs it reads the schemas of, if any.
    pub(super) fn about_schemas(&self) -> Option<SchemaRule<'_>> {
        let bundle = self.id.split('/').nth(1).unwrap_or_default();
        self.reads_schemas().then(|| SchemaRule { bundle, api_versions: self.api_versions.clone() })
    }

    /// Returns whether the change was made in `channel`.
    pub fn is_made_in(&self, channel: &Channel) -> bool {
        self.channels.is_empty() || self.channels.contains(channel)
    }

    /// Returns whether an object that comes from one of `origins` is on the side of the rule that `direction` starts from.
    pub(crate) fn applies_from(&self, origins: ReleaseSet, line: &ReleaseLine, direction: Direction) -> bool {
        match direction {
            Direction::Forward => origins.last().is_some_and(|newest| !self.is_made_before(newest, line)),
            Direction::Backward => origins.first().is_some_and(|oldest| self.is_made_before(oldest, line)),
        }
    }

    /// Returns whether an object that comes from one of `origins` can be on the side of the rule that `direction` starts from.
    pub(crate) fn can_apply_from(&self, origins: ReleaseSet, line: &ReleaseLine, direction: Direction) -> bool {
        match direction {
            Direction::Forward => origins.first().is_some_and(|oldest| !self.is_made_before(oldest, line)),
            Direction::Backward => origins.last().is_some_and(|newest| self.is_made_before(newest, line)),
        }
    }

    /// Returns whether a release has the rule's change behind it; of two releases, the newer one has it if the older one does.
    fn is_made_before(&self, release: ReleaseId, line: &ReleaseLine) -> bool {
        line.get(release).order >= self.order
    }

    /// Returns the lens for `direction`.
    pub fn lens(&self, direction: Direction) -> &Lens {
        match direction {
            Direction::Forward => &self.forward,
            Direction::Backward => self.backward.get_or_init(|| self.forward.inverse(&self.kind)),
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
        match direction {
            Direction::Forward => &self.new_kind,
            Direction::Backward => &self.back_kind,
        }
    }
}

/// The kind that an object has by now, and the bundle that gave it.
#[derive(Clone, Debug)]
pub struct KindTracker {
    kind: GroupKind,
    /// The bundle whose rule gave the object its kind, by its order.
    retyped_in: Option<usize>,
}

impl KindTracker {
    /// Starts with an object of `kind`.
    pub const fn new(kind: GroupKind) -> Self {
        Self { kind, retyped_in: None }
    }

    /// Returns the kind that the object has by now.
    pub const fn kind(&self) -> &GroupKind {
        &self.kind
    }

    /// Returns whether `rule` applies to the object in `direction`: an object that had the old kind from the start never had
    /// what changed together with the kind.
    pub fn is_subject_to(&self, rule: &Rule, direction: Direction) -> bool {
        let together = rule.final_kind != rule.new_kind && direction == Direction::Backward;
        *rule.from_kind(direction) == self.kind && (!together || self.retyped_in == Some(rule.order))
    }

    /// Notes that `rule` changed the object.
    pub fn record(&mut self, rule: &Rule, direction: Direction) {
        if rule.from_kind(direction) != rule.to_kind(direction) {
            self.retyped_in = Some(rule.order);
        }
        self.kind.clone_from(rule.to_kind(direction));
    }
}

/// The apiVersions of a kind, and of the kinds that rules turn it into.
#[derive(Debug)]
pub(crate) struct VersionOrder {
    kinds: BTreeSet<GroupKind>,
    /// Read from the catalogs when it is first used.
    by_age: OnceLock<Vec<ApiVersion>>,
    /// The numbers of the rules about the kinds, in the order in which they run forward; made when it is first used.
    rules: OnceLock<Vec<usize>>,
}

impl VersionOrder {
    /// Makes the order of the apiVersions of `kinds`.
    pub(crate) const fn new(kinds: BTreeSet<GroupKind>) -> Self {
        Self { kinds, by_age: OnceLock::new(), rules: OnceLock::new() }
    }

    /// Returns whether `kind` is one of the kinds.
    pub(crate) fn has(&self, kind: &GroupKind) -> bool {
        self.kinds.contains(kind)
    }

    /// Returns the kinds.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = &GroupKind> {
        self.kinds.iter()
    }

    /// Returns the rules with these `numbers`, which are about the kinds, in the order in which they run forward. A rule between two
    /// apiVersions runs with those of its bundle, behind the others that keep the kind, but never before the one that leads to
    /// the older of its apiVersions, in whatever bundle that is.
    pub(crate) fn rules(&self, by_age: VersionsByAge<'_>, rules: &[Rule], numbers: &[usize]) -> &[usize] {
        self.rules.get_or_init(|| {
            let age = |rule: &Rule| rule.api_versions.as_ref().and_then(|[_, new]| by_age.age(new));
            let mut steps: Vec<(usize, usize)> =
                numbers.iter().filter_map(|number| Some((age(&rules[*number])?, *number))).collect();
            steps.sort_unstable();
            let mut bundle = 0;
            let mut keys: BTreeMap<usize, (usize, usize, usize)> = BTreeMap::new();
            for (age, number) in steps {
                bundle = bundle.max(rules[number].order);
                keys.insert(number, (bundle, 1, age));
            }
            for number in numbers {
                let rule = &rules[*number];
                let key = (rule.order, if rule.kind == rule.new_kind { 0 } else { 2 }, 0);
                keys.entry(*number).or_insert(key);
            }
            let mut sorted = numbers.to_vec();
            // Rules with one key stay in the order of the pack.
            sorted.sort_by_key(|number| keys[number]);
            sorted
        })
    }

    /// Returns the apiVersions in their order; `catalog` returns that of a kind.
    pub(crate) fn by_age<'c>(
        &self,
        line: &ReleaseLine,
        groups: &[String],
        catalog: impl Fn(&GroupKind) -> Option<&'c Catalog>,
    ) -> VersionsByAge<'_> {
        let read = || {
            let mut found: Vec<(usize, usize, ApiVersion)> = Vec::new();
            for catalog in self.kinds.iter().filter_map(catalog) {
                let group = &catalog.kind().group;
                let place = groups.iter().position(|other| other == group).unwrap_or_default();
                for name in catalog.versions() {
                    let order = |id: ReleaseId| line.get(id).order;
                    let first = catalog.listing(name).iter().map(order).min().unwrap_or(usize::MAX);
                    found.push((first, place, ApiVersion { group: group.clone(), version: name.to_owned() }));
                }
            }
            found.sort_by(|left, right| {
                let stability = || by_stability(&left.2.version, &right.2.version);
                (left.0, left.1).cmp(&(right.0, right.1)).then_with(stability)
            });
            found.into_iter().map(|(_, _, version)| version).collect()
        };
        VersionsByAge(self.by_age.get_or_init(read))
    }
}

/// The apiVersions of a kind, the oldest first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VersionsByAge<'o>(&'o [ApiVersion]);

impl<'o> VersionsByAge<'o> {
    /// Returns the direction in which a rule between the apiVersions `old` and `new` runs on the path from one to another.
    pub(crate) fn direction(
        self,
        [old, new]: &[ApiVersion; 2],
        from: &ApiVersion,
        to: &ApiVersion,
    ) -> Option<Direction> {
        let (old, new, from, to) = (self.age(old)?, self.age(new)?, self.age(from)?, self.age(to)?);
        match () {
            () if from <= old && new <= to => Some(Direction::Forward),
            () if to <= old && new <= from => Some(Direction::Backward),
            () => None,
        }
    }

    /// Returns the apiVersions, the oldest first.
    pub(crate) fn iter(self) -> impl Iterator<Item = &'o ApiVersion> {
        self.0.iter()
    }

    /// Returns how many steps two apiVersions are apart.
    pub(crate) fn distance(self, left: &ApiVersion, right: &ApiVersion) -> usize {
        self.age(left).zip(self.age(right)).map_or(usize::MAX, |(left, right)| left.abs_diff(right))
    }

    fn age(self, version: &ApiVersion) -> Option<usize> {
        self.0.iter().position(|other| other == version)
    }
}

/// Returns the key of an annotation or label that a pattern names; of a label of nodes too, in a selector of them.
fn key_of_metadata(pattern: &FieldPattern) -> Option<&str> {
    match pattern.parts() {
        [.., Part::Key(selector), Part::Key(key)] if selector == "nodeSelector" => Some(key),
        [Part::Key(metadata), Part::Key(map), Part::Key(key)]
            if metadata == "metadata" && ["annotations", "labels"].contains(&map.as_str()) =>
        {
            Some(key)
        }
        _ => None,
    }
}
