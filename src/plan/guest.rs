//! Answers: what do the rules of one pack make of objects that belong to another one, or to none?
//!
//! A GatewayClass names the parameters of its implementation; a Secret has the type that its reader wants. Once the object's
//! own pack took it to its target, [`visit`] runs the rules about its kind that lead to the targets of the other packs, on the
//! fields that those rules name and no others: there is no catalog to check the rest with.
//!
//! Invariant: an object that no such rule changes or holds back is as it was before.

use std::collections::BTreeSet;

use super::object::{AllowedLoss, Remark, Scene, doubts, loss_code, remark};
use super::{Conversion, Goal};
use crate::finding::Code;
use crate::lens::{Direction, Halt, Session};
use crate::manifest::Object;
use crate::pack::Rule;

/// Takes an object, with what its own pack made of it, to the targets of the packs that it is a guest of.
pub(super) fn visit(
    object: &Object,
    made: Option<Conversion>,
    goal: &Goal<'_>,
    scene: Scene<'_>,
) -> Option<Conversion> {
    let kind = made.as_ref().map_or(&object.kind, |made| &made.kind);
    let rules: Vec<(&Rule, Direction)> = rules(goal, kind);
    if rules.is_empty() || made.as_ref().is_some_and(|made| !made.blocks.is_empty()) {
        return made;
    }
    let before = made.as_ref().map_or_else(|| object.value.clone(), |made| made.value.clone());
    let mut session = scene.session(before.clone());
    let (mut used, mut advice) = (Vec::new(), Vec::new());
    for (rule, direction) in &rules {
        let done = session.program().len();
        if rule.lens(*direction).run(&mut session).is_err() {
            return Some(blocked(object, made, blocks(&rules, scene.session(before), &goal.choices.allowed)));
        }
        if let Some(at) = session.changed_at(done) {
            advice.extend(rule.advice.as_ref().map(|text| remark(Code::Advisory, at, text.clone(), None)));
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
            Some(with_doubts(made.unwrap_or_else(|| Conversion::untouched(object))))
        };
    }
    match losses(&session, &goal.choices.allowed) {
        Ok(lost) => {
            let mut made = with_doubts(changed(object, made, session, used, lost));
            made.warnings.extend(advice);
            Some(made)
        }
        Err(blocks) => Some(blocked(object, made, blocks)),
    }
}

/// Returns the rules that lead to the targets of other packs for an object of `kind`, in the order they run.
fn rules<'g>(goal: &'g Goal<'_>, kind: &crate::release::GroupKind) -> Vec<(&'g Rule, Direction)> {
    let hosts = goal.targets.iter().filter(|target| target.pack.is_guest(kind));
    let all = hosts.flat_map(|target| target.pack.rules_on_the_way(target.release, kind));
    all.filter(|(rule, direction)| rule.from_kind(*direction) == kind).collect()
}

/// Returns everything that stands in the way of `rules`, of which one at least halts: each that does is left out.
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
    // What is refused is not let go.
    found.extend(
        lost.into_iter().filter(|lost| !found.iter().any(|refused| refused.path == lost.path)).collect::<Vec<_>>(),
    );
    found
}

/// Returns the losses that the user takes, or all where one is not taken.
pub(super) fn losses(session: &Session<'_>, allowed: &AllowedLoss) -> Result<Vec<Remark>, Vec<Remark>> {
    let told = |loss: &crate::lens::Loss| {
        let message = format!("{} is lost: {}", loss.path, loss.reason);
        let code = loss_code(loss.class);
        let help = format!("`--allow-loss={code}` converts without it; or remove the field by hand");
        remark(code, loss.path.clone(), message, Some(help))
    };
    let lost: Vec<Remark> = session.losses().iter().map(told).collect();
    let taken = lost.iter().all(|remark| allowed.allows(remark.code));
    let silent = |remark| Remark { help: None, ..remark };
    if taken { Ok(lost.into_iter().map(silent).collect()) } else { Err(lost) }
}

fn halted(rule: &Rule, halt: Halt, session: &Session<'_>) -> Remark {
    match halt {
        Halt::Conflict { old, new } => {
            let message = format!("{} and {} are both there; one is another spelling of the other", old, new);
            let help = format!("remove one of the two (rule {})", rule.id);
            remark(Code::ConflictingFields, session.origin(&old), message, Some(help))
        }
        Halt::Refused { at, reason, help } => {
            remark(Code::NotConvertible, session.origin(&at), format!("{reason} (rule {})", rule.id), help)
        }
    }
}

fn blocked(object: &Object, made: Option<Conversion>, blocks: Vec<Remark>) -> Conversion {
    let made = made.unwrap_or_else(|| Conversion::untouched(object));
    Conversion { blocks, warnings: made.warnings, written_for: made.written_for, ..Conversion::untouched(object) }
}

fn changed(
    object: &Object,
    made: Option<Conversion>,
    session: Session<'_>,
    used: Vec<(String, Direction)>,
    lost: Vec<Remark>,
) -> Conversion {
    let mut made = made.unwrap_or_else(|| Conversion::untouched(object));
    let converts_with: BTreeSet<_> = session.converts_with().clone();
    made.converts_with.extend(converts_with);
    made.rules.extend(used);
    made.lost.extend(lost);
    let (value, program, _) = session.finish();
    made.value = value;
    made.guest_changes += program.len();
    made.program.extend(program);
    made
}
