//! Answers: in which order did the apiVersions of a kind appear, and which rules lead from one to another?
//!
//! The order is by age, and not by stability: `autoscaling/v1` is older than `autoscaling/v2beta1`. Of apiVersions that the same
//! bundle introduced, the one of the earlier group of the pack and then the less stable one is older.
//!
//! Invariant: a rule runs only where the path between two apiVersions crosses both of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use super::rule::Rule;
use crate::knowledge::catalog::Catalog;
use crate::knowledge::lens::Direction;
use crate::knowledge::release::{ApiVersion, GroupKind, ReleaseId, ReleaseLine, by_stability};

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
