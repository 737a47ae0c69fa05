//! Which known mistakes does an object have, such as a field that only documentation ever had, and how are they repaired?
//!
//! Where the user passes `--repair`, [`repair`] runs the rules that `need: repair` before anything else, for every target alike.
//! Such a rule does not run backward: the old spelling was never valid. Otherwise [`offers`] reports the mistakes.
//!
//! Invariant: nothing is repaired unless it was requested.

use super::choices::{Goal, Mistakes};
use super::context::ObjectContext;
use super::conversion::Conversion;
use super::foreign_rules::losses;
use super::remark::Remark;
use crate::finding::Code;
use crate::lens::{Direction, Halt};
use crate::manifest::Object;
use crate::yaml::Intent;

/// An object without its mistakes.
pub(super) struct Repaired {
    /// The repaired object.
    pub(super) object: Object,
    program: Vec<Intent>,
    rules: Vec<(String, Direction)>,
    blocks: Vec<Remark>,
    /// What was removed although it had a meaning where it stood, because the user allowed that.
    lost: Vec<Remark>,
}

/// Repairs what the rules of the goal's packs know as mistakes; `None` where there are none, or where that was not requested.
pub(super) fn repair(object: &Object, goal: &Goal<'_>, context: ObjectContext<'_>) -> Option<Repaired> {
    match goal.choices_for(context.place.file).mistakes {
        Mistakes::Leave => None,
        Mistakes::Repair => run_repairs(object, goal, context).map(|(repaired, _)| repaired),
    }
}

/// Reports the mistakes that are left, and how they can be repaired.
pub(super) fn offers(object: &Object, goal: &Goal<'_>, context: ObjectContext<'_>) -> Vec<Remark> {
    let found = match goal.choices_for(context.place.file).mistakes {
        Mistakes::Leave => run_repairs(object, goal, context),
        Mistakes::Repair => None,
    };
    let Some((repaired, offers)) = found else { return Vec::new() };
    let blocks = repaired.blocks.into_iter().map(|block| Remark { code: Code::Advisory, ..block });
    blocks.chain(offers).collect()
}

/// Returns the repaired object, and what each rule that repaired something offers.
fn run_repairs(object: &Object, goal: &Goal<'_>, context: ObjectContext<'_>) -> Option<(Repaired, Vec<Remark>)> {
    let repairs = goal.targets.iter().flat_map(|target| target.pack.repairs());
    let mut repairs = repairs.filter(|rule| rule.kind == object.kind).peekable();
    repairs.peek()?;
    let mut session = context.session(object.value.clone());
    let (mut rules, mut blocks, mut offers) = (Vec::new(), Vec::new(), Vec::new());
    for rule in repairs {
        let done = session.program().len();
        if let Err(halt) = rule.lens(Direction::Forward).run(&mut session) {
            let (at, message, help) = match halt {
                Halt::Conflict { old, new } => {
                    (old, format!("{new} is present too"), "remove one of the two".to_owned())
                }
                Halt::Refused { at, reason, help } => (at, reason, help.unwrap_or_default()),
            };
            blocks.push(Remark::new(Code::NotConvertible, at, format!("{message} (rule {})", rule.id), Some(help)));
        }
        if let Some(at) = session.changed_at(done) {
            let help = Some("pass --repair to repair it, or correct it by hand".to_owned());
            offers.push(Remark::new(Code::Advisory, at, format!("a known mistake: {}", rule.summary), help));
            rules.push((rule.id.clone(), Direction::Forward));
        }
    }
    let mut lost = Vec::new();
    let choices = goal.choices_for(context.place.file);
    // Where nothing is repaired, nothing is lost.
    if choices.mistakes == Mistakes::Repair {
        match losses(&session, choices.allowed) {
            Ok(allowed) => lost = allowed,
            Err(held) => blocks.extend(held),
        }
    }
    let (value, program, _) = session.finish();
    if program.is_empty() && blocks.is_empty() {
        return None;
    }
    Some((Repaired { object: Object { value, ..object.clone() }, program, rules, blocks, lost }, offers))
}

impl Repaired {
    /// Returns the conversion of the object with its mistakes, `made` being that of the object without.
    pub(super) fn before(self, object: &Object, made: Option<Conversion>) -> Conversion {
        let mut made = made.unwrap_or_else(|| Conversion::unchanged(&self.object));
        made.blocks.extend(self.blocks);
        if !made.blocks.is_empty() {
            return made.hold_back(object);
        }
        made.program.splice(..0, self.program);
        made.rules.splice(..0, self.rules);
        made.lost.extend(self.lost);
        made
    }
}
