//! What do the rules of one pack make of objects whose kind belongs to another pack, or to none?
//!
//! A GatewayClass names the parameters of its implementation; a Secret has the type that its consumer requires. Once the object's
//! own pack converted it, [`convert`] runs the rules about its kind that lead to the targets of the other packs, on the fields that
//! those rules name and no others: there is no catalog to validate the rest with.
//!
//! Invariant: an object that no such rule changes or holds back is left as its own pack made it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::choices::Goal;
use super::context::ObjectContext;
use super::conversion::Conversion;
use super::destructive::{Change, ValuesRule};
use super::loss_policy::decide_without_stash;
use super::remark::Remark;
use super::run_rule::run_each;
use super::state::Log;
use crate::engine::finding::Code;
use crate::engine::manifest::Object;
use crate::knowledge::lens::Direction;
use crate::knowledge::pack::{Rule, Target};
use crate::knowledge::release::GroupKind;
use crate::syntax::field::FieldPath;

/// Runs the foreign rules about `object`, of which its own pack made `value`, of `kind`; `None` where they do nothing.
pub(super) fn convert(
    object: &Object,
    kind: &GroupKind,
    value: &Arc<Value>,
    goal: &Goal<'_>,
    context: ObjectContext<'_>,
) -> Option<Conversion> {
    let rules = rules(goal, kind);
    if rules.is_empty() {
        return None;
    }
    let (mut session, mut log) = (context.session(Arc::clone(value)), Log::default());
    let (mut changes, mut blocks) = (Vec::new(), Vec::new());
    for (target, rule, direction) in rules {
        let (mut trial, mut trial_log) = (session.clone(), log.clone());
        let mut run = run_each(std::iter::once((rule, direction)), &mut trial, &mut trial_log);
        if direction == Direction::Forward && rule.destructive.is_some() {
            let values = ValuesRule { goal, target, rule, kind, chart_version: object.chart_version.as_deref() };
            let change = if run.changes.is_empty() { Change::None } else { Change::Some };
            let ignored = values.ignored_in(&trial, change);
            if change == Change::Some && !ignored.is_empty() {
                log.unresolved.extend(ignored);
                continue;
            }
            trial_log.unresolved.extend(ignored);
        }
        (session, log) = (trial, trial_log);
        changes.append(&mut run.changes);
        blocks.append(&mut run.blocks);
    }
    let losses = decide_without_stash(session.losses(), goal.choices_for(context.place.file).allowed);
    for (rule, place) in changes {
        log.warnings.extend(rule.advice.clone().map(|advice| Remark::new(Code::Advisory, place, advice)));
    }
    let conversion = Conversion::by_rules(kind.clone(), session, log, blocks, losses)?;
    Some(Conversion { foreign_changes: conversion.program.len(), ..conversion })
}

/// Returns the rules that lead to the targets of other packs for an object of `kind`, in the order they run: by the name of the pack.
fn rules<'g>(goal: &'g Goal<'_>, kind: &GroupKind) -> Vec<(&'g Target<'g>, &'g Rule, Direction)> {
    let mut foreign: Vec<_> = goal.targets.iter().filter(|target| target.pack.is_foreign(kind)).collect();
    foreign.sort_by_key(|target| target.pack.name());
    let of_target = |target: &'g Target<'g>| {
        let rules = target.pack.rules_for_kind(target.release, kind, None);
        rules.map(move |(rule, direction)| (target, rule, direction)).collect::<Vec<_>>()
    };
    let all = foreign.into_iter().flat_map(of_target);
    all.filter(|(_, rule, direction)| rule.from_kind(*direction) == kind).collect()
}

/// Returns the fields that foreign rules take away from an object on the way to the targets, by their places in it.
pub(crate) fn old_places(object: &Object, goal: &Goal<'_>) -> Vec<FieldPath> {
    let rules = rules(goal, &object.kind).into_iter();
    let old = rules.flat_map(|(_, rule, direction)| &rule.old_fields(direction).all);
    old.flat_map(|field| field.matches(&object.value)).collect()
}

/// Returns the keys of annotations and labels that foreign rules rename on the way to the targets, each with its new one and the target.
pub(crate) fn renamed_keys(goal: &Goal<'_>) -> BTreeMap<String, (String, String)> {
    let mut keys = BTreeMap::new();
    for target in &goal.targets {
        let rules = target.pack.rules_to(target.release);
        for (rule, direction) in rules.filter(|(rule, direction)| target.pack.is_foreign(rule.from_kind(*direction))) {
            let renamed = rule.renamed_keys(direction).iter();
            keys.extend(renamed.map(|key| (key.old.clone(), (key.new.clone(), target.to_string()))));
        }
    }
    keys
}
