//! Which rules lead to a release, and what do they make of an object?

use serde_json::Value;

use super::remark::Remark;
use super::shapes::Shape;
use super::state::Log;
use super::subject::Subject;
use crate::field::FieldPath;
use crate::finding::Code;
use crate::lens::{Direction, Halt, Lens, Session, displaced};
use crate::pack::{KindTracker, Needs, Rule};
use crate::release::{ApiVersion, GroupKind, ReleaseId, ReleaseSet};

/// Where an object starts on its path, by what is known of it.
#[derive(Clone, Copy)]
pub(super) struct Start<'s> {
    /// The releases that it can be for.
    pub(super) releases: ReleaseSet,
    /// The apiVersion whose fields it has, where rules convert its kind between apiVersions.
    pub(super) version: Option<&'s ApiVersion>,
}

/// Runs the rules that lead from `start` to the shape `to` and returns the kind afterwards.
///
/// # Errors
/// Why a rule cannot convert the object.
pub(super) fn run(
    subject: &Subject<'_>,
    (start, to): (Start<'_>, &Shape),
    kind: GroupKind,
    session: &mut Session<'_>,
    log: &mut Log,
) -> Result<GroupKind, Vec<Remark>> {
    let mut way = KindTracker::new(kind.clone());
    let versions = start.version.zip(to.version.as_ref());
    for (rule, direction) in subject.target.pack.rules_for_kind(to.release, &kind, versions) {
        if !way.is_subject_to(rule, direction) || !can_cross(subject, start.releases, rule, direction) {
            continue;
        }
        if !knows_enough(subject, rule, direction) {
            log.warnings.extend(requires_origin(subject, rule, direction, session));
            continue;
        }
        let before = session.program().len();
        let in_order = rule.lens(direction).reorders().then(|| session.shared());
        let with_defaults = rule.lens(direction).changes_defaults().then(|| session.shared());
        if let Err(halt) = rule.lens(direction).run(session) {
            let invalid = halted(subject, rule, halt, session).map_err(|block| vec![block])?;
            log.already_invalid(subject.finality(&invalid.path), invalid);
        }
        if session.program().len() > before {
            log.rules.push((rule.id.clone(), direction));
            way.record(rule, direction);
            log.frozen.extend(with_defaults.map(|before| [before, session.shared()]));
        }
        if let Some(in_order) = in_order {
            record_order(&in_order, before, rule.lens(direction.reversed()), session);
        }
    }
    Ok(way.kind().clone())
}

/// Records the fields that moved after the first `step` changes, where `back` does not put them back among their neighbours.
fn record_order(in_order: &Value, step: usize, back: &Lens, session: &mut Session<'_>) {
    for path in displaced(in_order, session, step, back) {
        session.record_normalization(&path, "converting back puts it in another place among the keys around it");
    }
}

/// Reports the subject's conflicting fields. A rule that finds both its sides names the two spellings better than the releases
/// of two fields do.
pub(super) fn named_conflicts(subject: &Subject<'_>) -> Vec<Remark> {
    let mut session = subject.session(subject.object.value.clone());
    let start = Start { releases: subject.candidates, version: subject.version.as_ref() };
    let run =
        run(subject, (start, &subject.goals()[0]), subject.object.kind.clone(), &mut session, &mut Log::default());
    let is_spelling = |blocks: &Vec<Remark>| blocks.iter().all(|block| block.code == Code::ConflictingFields);
    run.err().filter(is_spelling).unwrap_or_else(|| subject.conflicts.clone())
}

/// Returns whether the object can be on the side of the rule that `direction` starts from: what it got when it crossed the rule is
/// not converted once more. Only its fields count: a chart of a newer release can stand beside objects that nobody has converted.
/// Between apiVersions, these decide; and of fields that exclude each other both sides are looked at.
fn can_cross(subject: &Subject<'_>, releases: ReleaseSet, rule: &Rule, direction: Direction) -> bool {
    let line = subject.target.pack.line();
    let crosses = |id: ReleaseId| rule.applies_from(ReleaseSet::from_iter([id]), line, direction);
    rule.api_versions.is_some() || rule.within.is_some() || releases.is_empty() || releases.iter().any(crosses)
}

/// Returns whether what `rule` needs is known: that every release which the object can come from is on the side of the rule that
/// `direction` starts from.
fn knows_enough(subject: &Subject<'_>, rule: &Rule, direction: Direction) -> bool {
    rule.needs != Some(Needs::From) || rule.applies_from(subject.origins, subject.target.pack.line(), direction)
}

/// Reports a rule that would change the object if it came from the other side of the rule, which nothing shows.
fn requires_origin(subject: &Subject<'_>, rule: &Rule, direction: Direction, session: &Session<'_>) -> Option<Remark> {
    let pack = subject.target.pack;
    let can_cross = |id: ReleaseId| rule.applies_from(ReleaseSet::from_iter([id]), pack.line(), direction);
    if !subject.origins.iter().any(can_cross) {
        return None;
    }
    let mut trial = session.clone();
    let before = trial.program().len();
    let is_sure = rule.lens(direction).run(&mut trial).is_ok() && trial.program().len() == before;
    let (bundle, name) = (&pack.line().bundles()[rule.order], pack.name());
    let message = format!(
        "the files do not show whether the object comes from before {bundle} or after, so this is left as it is: {}",
        rule.summary
    );
    let help = match subject.goal.choices.origins.contains_key(name) {
        false => format!("pass --from {name}@RELEASE with the release that the objects come from"),
        true => format!(
            "it cannot come from where the others do; convert it alone, with its release as --from {name}@RELEASE"
        ),
    };
    (!is_sure).then(|| Remark::new(Code::Advisory, FieldPath::default(), message, Some(help)))
}

/// Holds the object back where a rule cannot convert it, unless every release that the object can have been written for requires
/// what the rule requires: then it was invalid all along, which is reported, as is a variable, whose value decides later.
fn halted(subject: &Subject<'_>, rule: &Rule, halt: Halt, session: &Session<'_>) -> Result<Remark, Remark> {
    let (at, reason, help) = match halt {
        Halt::Conflict { old, new } => return Err(both_spellings(rule, session.origin(&old), &session.origin(&new))),
        Halt::Refused { at, reason, help } => (session.origin(&at), format!("{reason} (rule {})", rule.id), help),
    };
    match rule.within {
        None => Err(Remark::new(Code::NotConvertible, at, reason, help)),
        Some(within) if within.is_superset(subject.candidates) || subject.is_variable(&at) => {
            Ok(Remark::new(Code::AlreadyInvalid, at, reason, help))
        }
        Some(_) => Err(Remark::new(Code::InvalidInTarget, at, reason, help)),
    }
}

/// Reports that an object has the old and the new spelling of one field.
pub(super) fn both_spellings(rule: &Rule, old: FieldPath, new: &FieldPath) -> Remark {
    let message = format!("{old} and {new} are both present; they are two spellings of the same field");
    let help = format!("remove one of the two (rule {})", rule.id);
    Remark::new(Code::ConflictingFields, old, message, Some(help))
}
