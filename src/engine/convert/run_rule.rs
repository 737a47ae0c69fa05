//! How does a rule run on an object, and what is reported where it cannot?
//!
//! The rules of an object's own pack (`rules`), those of other packs (`foreign_rules`) and repairs (`repair`) all run here.

use serde_json::Value;

use super::remark::{Remark, Removal, help_with_values};
use super::state::Log;
use crate::engine::finding::Code;
use crate::knowledge::lens::{Direction, Halt, Hole, Lens, OpenParts, Parameter, Session, displaced};
use crate::knowledge::pack::Rule;
use crate::syntax::field::{FieldPath, FieldPattern};
use crate::syntax::yaml::{self, Intent};

/// What several rules did to an object, each by itself: one that cannot convert the object is left out.
#[derive(Default)]
pub(super) struct RulesRun<'r> {
    /// The rules that changed something, each with the first place.
    pub(super) changes: Vec<(&'r Rule, FieldPath)>,
    /// Why others cannot convert the object.
    pub(super) blocks: Vec<Remark>,
}

/// Runs `rules` one after the other.
pub(super) fn run_each<'r>(
    rules: impl Iterator<Item = (&'r Rule, Direction)>,
    session: &mut Session<'_>,
    log: &mut Log,
) -> RulesRun<'r> {
    let (mut run, mut trials) = (RulesRun::default(), Trials::default());
    for (rule, direction) in rules {
        let mut trial = session.clone();
        match run_rule(rule, direction, (&mut trial, &mut trials), log) {
            Ok(changed) => {
                *session = trial;
                run.changes.extend(changed.map(|place| (rule, place)));
            }
            Err(block) => run.blocks.push(block),
        }
    }
    run
}

/// What to do about what an action prints.
const WRITE_OUT: &str = "write it out here, or convert the object by hand";

/// Refuses an object in which an action of a template can print, or a variable can stand for, what `rule` converts. If that is no
/// matter of apiVersions, and what is printed by default is known, it is told instead, unless the rule changes something else: that is looked
/// at, and what users set is their own.
///
/// # Errors
/// Where that is.
fn unseen(rule: &Rule, direction: Direction, session: &Session<'_>) -> Result<Option<Remark>, Remark> {
    let old = rule.old_fields(direction);
    let (what, place) = match session.unseen(&old.all, &old.moved) {
        Some((field, place)) => (format!("can have {field}, which is to be converted"), place),
        None => match lacking(rule.lens(direction), session) {
            Some((field, place)) => (format!("may lack {field}, whose default is to be written"), place),
            None => return Ok(None),
        },
    };
    let (printed, code) = match session.is_variable(place) {
        true => ("what the variable here stands for", Code::NotConvertible),
        false => ("what an action prints here", Code::TemplateAction),
    };
    let remark = Remark::new(code, session.origin(place), format!("{printed} {what} (rule {})", rule.id));
    if rule.api_versions.is_none() && session.open().is_known_by_default(session.object(), place) {
        return Ok(Some(remark));
    }
    Err(remark.help(WRITE_OUT))
}

/// Records an action that prints into metadata what users of a chart set, if no default of that is known and `rule` converts some of it.
fn tell_unknown(rule: &Rule, direction: Direction, session: &mut Session<'_>) {
    let old = rule.old_fields(direction);
    if let Some((field, place, text)) = session.unknown(&old.all) {
        let reason = format!("{field} is to be converted (rule {})", rule.id);
        session.record_unknown(&place, &text, &reason, WRITE_OUT.to_owned());
    }
}

/// Returns a field with another default in the target, and where an action prints items that can have it; nothing if the user adopts
/// that default.
fn lacking<'s>(lens: &Lens, session: &'s Session<'_>) -> Option<(FieldPattern, &'s FieldPath)> {
    let chosen = |name: &str| session.context().and_then(|all| all.parameter(name));
    let adopts = |one: &Parameter<'_>| {
        one.choices.first().is_some_and(|freeze| chosen(one.name).is_some_and(|choice| choice != *freeze))
    };
    if lens.parameters().iter().any(adopts) {
        return None;
    }
    let fields = lens.constants().into_iter().filter(|constant| constant.is_default).map(|constant| constant.field);
    fields.into_iter().find_map(|field| Some((field.clone(), session.printed_items(&field)?)))
}

/// When an action prints what a rule refuses or changes.
const BY_DEFAULT: &str = "where the users of the chart set nothing else";

/// The same, of what conditions in actions and definitions choose.
const IN_A_BRANCH: &str = "where a condition is decided otherwise than by default";

/// Says when an action prints what it does in a turn.
pub(super) fn default_or_branch(open: &OpenParts, turn: usize) -> &'static str {
    if turn < open.turns_by_default() { BY_DEFAULT } else { IN_A_BRANCH }
}

/// The object of a session as it is where the users of a chart set nothing, once for each turn: made anew only after changes.
#[derive(Default)]
pub(super) struct Trials<'s> {
    /// After how many changes.
    after: Option<usize>,
    /// With the places of what actions print.
    turns: Vec<(Session<'s>, Vec<FieldPath>)>,
}

impl<'s> Trials<'s> {
    fn of(&mut self, session: &Session<'s>) -> &[(Session<'s>, Vec<FieldPath>)] {
        let after = Some(session.program().len());
        if self.after != after {
            *self = Self { after, turns: session.by_default() };
        }
        &self.turns
    }
}

/// Runs `rule` and returns the first place that it changed.
///
/// # Errors
/// Why it cannot convert the object; the session is of no use then, unless the rule changes nothing.
pub(super) fn run_rule<'s>(
    rule: &Rule,
    direction: Direction,
    (session, trials): (&mut Session<'s>, &mut Trials<'s>),
    log: &mut Log,
) -> Result<Option<FieldPath>, Remark> {
    let (lens, step) = (rule.lens(direction), session.program().len());
    // The data is copied for a change while someone else holds it.
    let before = (lens.reorders() || lens.changes_defaults()).then(|| session.shared());
    let told = if session.open().can_have_fields() { unseen(rule, direction, session)? } else { None };
    if !session.open().holes.is_empty() {
        tell_unknown(rule, direction, session);
    }
    let start = (!trials.of(session).is_empty()).then(|| session.clone());
    lens.run(session).map_err(|halt| as_far_as_written(halted(rule, halt, session), session))?;
    let changed = session.changed_at(step);
    if let Some(told) = told.clone().filter(|_| changed.is_some()) {
        return Err(told.help(WRITE_OUT));
    }
    if let Some(start) = start {
        let changed: Vec<FieldPath> =
            (step..session.program().len()).filter_map(|step| session.changed_at(step)).collect();
        let turns = trials.of(&start).to_vec();
        let filled = trials.of(session);
        for (turn, (trial, printed)) in turns.into_iter().enumerate() {
            let filled = || filled.get(turn).map(|(filled, _)| filled.object());
            let when = default_or_branch(start.open(), turn);
            refuse_default(rule, direction, (&start, when), trial, &(printed, &changed, &filled))?;
        }
    }
    if let Some(told) = told {
        let place = session.destination(&told.path).unwrap_or_default();
        match session.open().required_at(session.object(), &place).map(str::to_owned) {
            Some(text) => session.record_unknown(&place, &text, &told.message, WRITE_OUT.to_owned()),
            None => log.notes.push(told),
        }
    }
    if changed.is_some() {
        log.rules.push((rule.id.clone(), direction));
        let defaults = before.clone().filter(|_| lens.changes_defaults());
        log.frozen.extend(defaults.map(|before| [before, session.shared()]));
    }
    if let Some(before) = before.filter(|_| lens.reorders()) {
        record_order(&before, step, rule.lens(direction.reversed()), session);
    }
    Ok(changed)
}

/// Refuses an object of which `rule` would refuse or change what actions print where the users of a chart set nothing, or in a branch of a
/// definition: `trial` starts with the object as it is then, which is said by `when`, at `start`, and what they print is at `printed`. What is
/// `changed` in any case is no matter of that, unless something else becomes of it than of the object that is `filled` afterwards.
///
/// # Errors
/// What that is.
fn refuse_default<'f>(
    rule: &Rule,
    direction: Direction,
    (start, when): (&Session<'_>, &str),
    mut trial: Session<'_>,
    (printed, changed, filled): &(Vec<FieldPath>, &[FieldPath], &dyn Fn() -> Option<&'f Value>),
) -> Result<(), Remark> {
    match rule.lens(direction).run(&mut trial) {
        Err(Halt::Undecided { .. }) => Ok(()),
        Err(halt) => {
            let remark = halted(rule, halt, &trial);
            let message = format!("{when}, {}", remark.message);
            Err(Remark { path: start.origin(&remark.path), message, ..remark })
        }
        Ok(()) => {
            let mut own = (0..trial.program().len()).filter_map(|step| trial.changed_at(step));
            let found = own.find(|path| !changed.contains(path) && printed.iter().any(|place| path.starts_with(place)));
            let Some(found) = found else {
                let is_idle = changed.is_empty() && trial.program().is_empty();
                let differs = |filled| yaml::first_difference(filled, trial.object());
                let path = if is_idle { None } else { filled().map_or_else(|| Some(FieldPath::default()), differs) };
                let Some(path) = path else { return Ok(()) };
                let path = start.origin(&trial.origin(&path));
                let message =
                    format!("{when}, what an action prints decides what becomes of {path} (rule {})", rule.id);
                return Err(Remark::new(Code::TemplateAction, path, message).help(WRITE_OUT));
            };
            let is_removed = |intent: &Intent| matches!(intent, Intent::Delete { path } if *path == found);
            let removal = if trial.program().iter().any(is_removed) { Removal::Yes } else { Removal::No };
            let path = start.origin(&found);
            let help = help_with_values(start.open().key_of(start.object(), &found), removal);
            let message = format!("{when}, an action prints {path}, which is to be converted (rule {})", rule.id);
            Err(Remark::new(Code::TemplateAction, path, message).help(help))
        }
    }
}

/// Records the fields that moved after the first `step` changes, where `back` does not put them back among their neighbours.
fn record_order(before: &Value, step: usize, back: &Lens, session: &mut Session<'_>) {
    for path in displaced(before, session, step, back) {
        session.record_normalization(&path, "converting back puts it in another place among the keys around it");
    }
}

/// Says of something that is missing that an action may print it.
fn as_far_as_written(remark: Remark, session: &Session<'_>) -> Remark {
    // What is missing with all that is around it is said of the object.
    let is_nowhere = remark.path.steps().is_empty();
    let is_missing = is_nowhere || remark.path.get(session.object()).is_none_or(Value::is_null);
    let is_around = |hole: &Hole| match is_nowhere {
        true => hole.path.steps().is_empty(),
        false => remark.path.below(&session.origin(&hole.path)).is_some_and(|below| !below.steps().is_empty()),
    };
    if remark.code != Code::NotConvertible || !is_missing || !session.open().holes.iter().any(is_around) {
        return remark;
    }
    let message = format!("{}; what an action prints beside it is not known", remark.message);
    Remark { message, ..remark.help(WRITE_OUT) }
}

/// Reports that `rule` cannot convert the object.
fn halted(rule: &Rule, halt: Halt, session: &Session<'_>) -> Remark {
    match halt {
        // What never existed is not the other spelling of a field.
        Halt::Conflict { old, new } if !rule.is_step() => {
            let message = format!("{} is present too (rule {})", session.origin(&new), rule.id);
            let help = "remove one of the two";
            Remark::new(Code::NotConvertible, session.origin(&old), message).help(help)
        }
        Halt::Conflict { old, new } => {
            let (old, new) = (session.origin(&old), session.origin(&new));
            let message = format!("{old} and {new} are both present; they are two spellings of the same field");
            let help = format!("remove one of the two (rule {})", rule.id);
            Remark::new(Code::ConflictingFields, old, message).help(help)
        }
        Halt::Refused { at, reason, help } => {
            Remark::new(Code::NotConvertible, session.origin(&at), format!("{reason} (rule {})", rule.id))
                .maybe_help(help)
        }
        Halt::Undecided { at, reason, help } => {
            let refused = Halt::Refused { at, reason, help: Some(help) };
            Remark { is_open: true, ..halted(rule, refused, session) }
        }
    }
}
