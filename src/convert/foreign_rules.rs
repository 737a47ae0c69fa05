//! What do the rules of one pack make of objects whose kind belongs to another pack, or to none?
//!
//! A GatewayClass names the parameters of its implementation; a Secret has the type that its consumer requires. Once the object's
//! own pack converted it, [`apply`] runs the rules about its kind that lead to the targets of the other packs, on the fields that
//! those rules name and no others: there is no catalog to validate the rest with.
//!
//! Invariant: an object that no such rule changes or holds back is left as its own pack made it.

use std::collections::{BTreeMap, BTreeSet};

use super::choices::{AllowedLoss, Goal};
use super::context::ObjectContext;
use super::conversion::Conversion;
use super::remark::{Remark, doubts, loss_code, normalizations};
use super::rules::both_spellings;
use crate::field::{FieldPath, FieldPattern, Part};
use crate::finding::Code;
use crate::lens::{Direction, Halt, Image, Loss, Session};
use crate::manifest::Object;
use crate::pack::Rule;
use crate::release::GroupKind;

/// Applies the foreign rules about an object to what its own pack made of it.
pub(super) fn apply(
    object: &Object,
    made: Option<Conversion>,
    goal: &Goal<'_>,
    context: ObjectContext<'_>,
) -> Option<Conversion> {
    let kind = made.as_ref().map_or(&object.kind, |made| &made.kind);
    let rules: Vec<(&Rule, Direction)> = rules(goal, kind);
    if rules.is_empty() || made.as_ref().is_some_and(|made| !made.blocks.is_empty()) {
        return made;
    }
    let allowed = goal.choices_for(context.place.file).allowed;
    let before = made.as_ref().map_or_else(|| object.value.clone(), |made| made.value.clone());
    let mut session = context.session(before.clone());
    let (mut used, mut advice) = (Vec::new(), Vec::new());
    for (rule, direction) in &rules {
        let done = session.program().len();
        if rule.lens(*direction).run(&mut session).is_err() {
            return Some(blocked(object, made, blocks(&rules, context.session(before), allowed)));
        }
        if let Some(at) = session.changed_at(done) {
            advice.extend(rule.advice.as_ref().map(|text| Remark::new(Code::Advisory, at, text.clone(), None)));
            used.push((rule.id.clone(), *direction));
        }
    }
    let doubts = doubts(&session);
    let with_doubts = |mut made: Conversion| {
        made.warnings.extend(doubts.iter().cloned());
        made
    };
    if session.program().is_empty() {
        return if doubts.is_empty() {
            made
        } else {
            Some(with_doubts(made.unwrap_or_else(|| Conversion::unchanged(object))))
        };
    }
    match losses(&session, allowed) {
        Ok(lost) => {
            let mut made = with_doubts(changed(object, made, session, used, lost));
            made.warnings.extend(advice);
            Some(made)
        }
        Err(blocks) => Some(blocked(object, made, blocks)),
    }
}

/// Returns the rules that lead to the targets of other packs for an object of `kind`, in the order they run: by the name of the pack.
fn rules<'g>(goal: &'g Goal<'_>, kind: &GroupKind) -> Vec<(&'g Rule, Direction)> {
    let mut foreign: Vec<_> = goal.targets.iter().filter(|target| target.pack.is_foreign(kind)).collect();
    foreign.sort_by_key(|target| target.pack.name());
    let all = foreign.into_iter().flat_map(|target| target.pack.rules_for_kind(target.release, kind, None));
    all.filter(|(rule, direction)| rule.from_kind(*direction) == kind).collect()
}

/// Returns the keys of annotations and labels that foreign rules rename on the way to the targets, each with its new one and the target.
pub(crate) fn renamed_keys(goal: &Goal<'_>) -> BTreeMap<String, (String, String)> {
    let mut keys = BTreeMap::new();
    for target in &goal.targets {
        let rules = target.pack.rules_to(target.release);
        for (rule, direction) in rules.filter(|(rule, direction)| target.pack.is_foreign(rule.from_kind(*direction))) {
            let lens = rule.lens(direction);
            for old in lens.claims().old.into_iter().filter(|old| key_of_metadata(old).is_some()) {
                let images = lens.images(&old);
                let Some(Image::Moved(new)) = images.first().filter(|_| images.len() == 1) else { continue };
                if let (Some(old), Some(new)) = (key_of_metadata(&old), key_of_metadata(new)) {
                    keys.insert(old.to_owned(), (new.to_owned(), target.to_string()));
                }
            }
        }
    }
    keys
}

/// Returns the key of an annotation or label that a pattern names.
fn key_of_metadata(pattern: &FieldPattern) -> Option<&str> {
    match pattern.parts() {
        [Part::Key(metadata), Part::Key(map), Part::Key(key)]
            if metadata == "metadata" && ["annotations", "labels"].contains(&map.as_str()) =>
        {
            Some(key)
        }
        _ => None,
    }
}

/// Returns everything that stands in the way of `rules`, at least one of which halts: each that does is left out.
fn blocks(rules: &[(&Rule, Direction)], mut session: Session<'_>, allowed: &AllowedLoss) -> Vec<Remark> {
    let mut found = Vec::new();
    for (rule, direction) in rules {
        let mut trial = session.clone();
        match rule.lens(*direction).run(&mut trial) {
            Ok(()) => session = trial,
            Err(halt) => found.push(halted(rule, halt, &session)),
        }
    }
    let lost: Vec<Remark> = losses(&session, allowed).err().into_iter().flatten().collect();
    // A field that a rule refuses is not reported as lost too.
    found.extend(
        lost.into_iter().filter(|lost| !found.iter().any(|refused| refused.path == lost.path)).collect::<Vec<_>>(),
    );
    found
}

/// Returns the losses as allowed ones.
///
/// # Errors
/// All losses, where one is not allowed.
pub(super) fn losses(session: &Session<'_>, allowed: &AllowedLoss) -> Result<Vec<Remark>, Vec<Remark>> {
    let codes = || session.losses().iter().map(|loss| loss_code(loss.class));
    if codes().all(|code| allowed.allows(code)) {
        let lost = |loss: &Loss| {
            let message = format!("{} is lost: {}", loss.path, loss.reason);
            Remark::new(loss_code(loss.class), loss.path.clone(), message, None)
        };
        return Ok(session.losses().iter().map(lost).collect());
    }
    let would_be_lost = |loss: &Loss| {
        let code = loss_code(loss.class);
        let message = format!("{} would be lost: {}", loss.path, loss.reason);
        let help = format!("`--allow-loss={code}` converts without it; or remove the field by hand");
        Remark::new(code, loss.path.clone(), message, Some(help))
    };
    Err(session.losses().iter().map(would_be_lost).collect())
}

fn halted(rule: &Rule, halt: Halt, session: &Session<'_>) -> Remark {
    match halt {
        Halt::Conflict { old, new } => both_spellings(rule, session.origin(&old), &session.origin(&new)),
        Halt::Refused { at, reason, help } => {
            let reason = format!("{reason} (rule {})", rule.id);
            Remark::new(Code::NotConvertible, session.origin(&at), reason, help)
        }
    }
}

fn blocked(object: &Object, made: Option<Conversion>, blocks: Vec<Remark>) -> Conversion {
    let made = made.unwrap_or_else(|| Conversion::unchanged(object));
    Conversion { blocks, ..made }.hold_back(object)
}

fn changed(
    object: &Object,
    made: Option<Conversion>,
    session: Session<'_>,
    used: Vec<(String, Direction)>,
    lost: Vec<Remark>,
) -> Conversion {
    let mut made = made.unwrap_or_else(|| Conversion::unchanged(object));
    let converts_with: BTreeSet<_> = session.converts_with().clone();
    made.converts_with.extend(converts_with);
    made.rules.extend(used);
    let is_lost = |path: &FieldPath| lost.iter().any(|lost| path.starts_with(&lost.path));
    made.notes.extend(normalizations(&session).into_iter().filter(|one| !is_lost(&one.path)));
    made.lost.extend(lost);
    let (value, program, _) = session.finish();
    made.value = value;
    made.foreign_changes += program.len();
    made.program.extend(program);
    made
}
