//! Answers: what is a mistake in an object, such as a field that only documentation ever had, and what was meant?
//!
//! Where the user asks for it, [`repair`] runs the rules that `need: repair` before anything else looks at the object, for
//! every target alike. Such a rule has no way back: the old spelling never meant anything.
//!
//! Invariant: without being asked for, nothing is mended.

use super::object::{Mistakes, Remark, Scene, remark};
use super::{Conversion, Goal};
use crate::finding::Code;
use crate::lens::{Direction, Halt};
use crate::manifest::Object;
use crate::yaml::Intent;

/// An object without its mistakes.
pub(super) struct Repaired {
    /// The object as it was meant.
    pub(super) object: Object,
    program: Vec<Intent>,
    rules: Vec<(String, Direction)>,
    blocks: Vec<Remark>,
}

/// Mends what the rules of the goal's packs know as mistakes; `None` where there are none.
pub(super) fn repair(object: &Object, goal: &Goal<'_>, scene: Scene<'_>) -> Option<Repaired> {
    if goal.choices.mistakes == Mistakes::Leave {
        return None;
    }
    let mut session = scene.session(object.value.clone());
    let (mut rules, mut blocks) = (Vec::new(), Vec::new());
    let repairs = goal.targets.iter().flat_map(|target| target.pack.repairs());
    for rule in repairs.filter(|rule| rule.kind == object.kind) {
        let done = session.program().len();
        if let Err(halt) = rule.lens(Direction::Forward).run(&mut session) {
            let (at, message, help) = match halt {
                Halt::Conflict { old, new } => (old, format!("{new} is there too"), "remove one of the two".to_owned()),
                Halt::Refused { at, reason, help } => (at, reason, help.unwrap_or_default()),
            };
            blocks.push(remark(Code::Refused, at, format!("{message} (rule {})", rule.id), Some(help)));
        }
        if session.program().len() > done {
            rules.push((rule.id.clone(), Direction::Forward));
        }
    }
    let (value, program, _) = session.finish();
    if program.is_empty() && blocks.is_empty() {
        return None;
    }
    Some(Repaired { object: Object { value, ..object.clone() }, program, rules, blocks })
}

impl Repaired {
    /// Returns the conversion of the object with its mistakes, `made` being that of the object without.
    pub(super) fn before(self, object: &Object, made: Option<Conversion>) -> Conversion {
        let mut made = made.unwrap_or_else(|| Conversion::untouched(&self.object));
        made.blocks.extend(self.blocks);
        if !made.blocks.is_empty() {
            let Conversion { blocks, warnings, written_for, .. } = made;
            return Conversion { blocks, warnings, written_for, ..Conversion::untouched(object) };
        }
        made.program.splice(..0, self.program);
        made.rules.splice(..0, self.rules);
        made
    }
}
