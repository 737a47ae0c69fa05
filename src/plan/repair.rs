//! Answers: what is a mistake in an object, such as a field that only documentation ever had, and what was meant?
//!
//! Where the user asks for it, [`repair`] runs the rules that `need: repair` before anything else looks at the object, for
//! every target alike. Such a rule has no way back: the old spelling never meant anything. Where the user does not, [`offers`]
//! tells what is known.
//!
//! Invariant: without being asked for, nothing is mended.

use super::guest::losses;
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
    /// What went that meant something where it stood, with the user's leave.
    lost: Vec<Remark>,
}

/// Mends what the rules of the goal's packs know as mistakes; `None` where there are none, or where they shall stay.
pub(super) fn repair(object: &Object, goal: &Goal<'_>, scene: Scene<'_>) -> Option<Repaired> {
    match goal.choices.mistakes {
        Mistakes::Leave => None,
        Mistakes::Mend => mend(object, goal, scene).map(|(repaired, _)| repaired),
    }
}

/// Tells the mistakes that stay, and how they can be mended.
pub(super) fn offers(object: &Object, goal: &Goal<'_>, scene: Scene<'_>) -> Vec<Remark> {
    let found = match goal.choices.mistakes {
        Mistakes::Leave => mend(object, goal, scene),
        Mistakes::Mend => None,
    };
    let Some((repaired, offers)) = found else { return Vec::new() };
    let blocks = repaired.blocks.into_iter().map(|block| Remark { code: Code::Advisory, ..block });
    blocks.chain(offers).collect()
}

/// Returns the object as it was meant, and for each rule that has to do with that what it offers.
fn mend(object: &Object, goal: &Goal<'_>, scene: Scene<'_>) -> Option<(Repaired, Vec<Remark>)> {
    let repairs = goal.targets.iter().flat_map(|target| target.pack.repairs());
    let mut repairs = repairs.filter(|rule| rule.kind == object.kind).peekable();
    repairs.peek()?;
    let mut session = scene.session(object.value.clone());
    let (mut rules, mut blocks, mut offers) = (Vec::new(), Vec::new(), Vec::new());
    for rule in repairs {
        let done = session.program().len();
        if let Err(halt) = rule.lens(Direction::Forward).run(&mut session) {
            let (at, message, help) = match halt {
                Halt::Conflict { old, new } => (old, format!("{new} is there too"), "remove one of the two".to_owned()),
                Halt::Refused { at, reason, help } => (at, reason, help.unwrap_or_default()),
            };
            blocks.push(remark(Code::NotConvertible, at, format!("{message} (rule {})", rule.id), Some(help)));
        }
        if let Some(at) = session.changed_at(done) {
            let help = Some("say --repair to have it mended, or correct it by hand".to_owned());
            offers.push(remark(Code::Advisory, at, format!("a known mistake: {}", rule.summary), help));
            rules.push((rule.id.clone(), Direction::Forward));
        }
    }
    let mut lost = Vec::new();
    // What would go is of no matter where all stays.
    if goal.choices.mistakes == Mistakes::Mend {
        match losses(&session, &goal.choices.allowed) {
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
        let mut made = made.unwrap_or_else(|| Conversion::untouched(&self.object));
        made.blocks.extend(self.blocks);
        if !made.blocks.is_empty() {
            let Conversion { blocks, warnings, written_for, .. } = made;
            return Conversion { blocks, warnings, written_for, ..Conversion::untouched(object) };
        }
        made.program.splice(..0, self.program);
        made.rules.splice(..0, self.rules);
        made.lost.extend(self.lost);
        made
    }
}
