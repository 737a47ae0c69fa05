//! Which known mistakes does an object have, such as a field that only documentation ever had, and how are they repaired?
//!
//! The rules that `need: repair` run before anything else, for every target alike, where the user passes `--repair`; otherwise what they
//! would do is reported. Such a rule does not run backward: the old spelling was never valid.
//!
//! Invariant: nothing is repaired unless it was requested.

use super::choices::{Goal, Mistakes};
use super::context::ObjectContext;
use super::conversion::Conversion;
use super::loss_policy::decide_without_stash;
use super::remark::Remark;
use super::run_rule::{RulesRun, run_each};
use super::state::Log;
use crate::engine::finding::Code;
use crate::engine::manifest::Object;
use crate::knowledge::lens::Direction;

/// Repairs what the rules of the goal's packs know as mistakes, or reports it; `None` where there is nothing of that.
pub(super) fn convert(object: &Object, goal: &Goal<'_>, context: ObjectContext<'_>) -> Option<Conversion> {
    let repairs = goal.targets.iter().flat_map(|target| target.pack.repairs());
    let mut repairs = repairs.filter(|rule| rule.kind == object.kind).peekable();
    repairs.peek()?;
    let (mut session, mut log) = (context.session(object.value.clone()), Log::default());
    let run = run_each(repairs.map(|rule| (rule, Direction::Forward)), &mut session, &mut log);
    let choices = goal.choices_for(context.place.file);
    match choices.mistakes {
        Mistakes::Repair => {
            let losses = decide_without_stash(session.losses(), choices.allowed);
            Conversion::by_rules(object.kind.clone(), session, log, run.blocks, losses)
        }
        Mistakes::Leave => offered(object, run),
    }
}

/// Returns the conversion of an object without what its known `mistakes` say better: that no release has their field.
pub(super) fn without_told(mut own: Conversion, mistakes: Option<&Conversion>) -> Conversion {
    let is_told = |remark: &Remark| {
        remark.code == Code::UnknownField
            && mistakes.is_some_and(|mistakes| mistakes.warnings.iter().any(|mistake| mistake.path == remark.path))
    };
    own.warnings.retain(|remark| !is_told(remark));
    own
}

/// Reports the mistakes that are left, and how they can be repaired.
fn offered(object: &Object, run: RulesRun<'_>) -> Option<Conversion> {
    let mut warnings: Vec<Remark> =
        run.blocks.into_iter().map(|block| Remark { code: Code::Advisory, ..block }).collect();
    for (rule, place) in run.changes {
        let help = "pass --repair to repair it, or correct it by hand";
        warnings.push(Remark::new(Code::Advisory, place, format!("a known mistake: {}", rule.summary)).help(help));
    }
    (!warnings.is_empty()).then(|| Conversion { warnings, ..Conversion::unchanged(object) })
}
