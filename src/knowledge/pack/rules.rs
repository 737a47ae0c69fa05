//! Answers: which rules does a pack have, in which order do they run, and which can apply to an object?
//!
//! Invariant: within a bundle, the rules about a kind's fields run before the one that gives it another kind, and what releases reject
//! is checked once everything that they require was written.

use std::collections::{BTreeMap, BTreeSet};

use super::rule::Rule;
use super::version_order::VersionOrder;
use crate::knowledge::lens::{Direction, Fidelity};
use crate::knowledge::release::GroupKind;

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
