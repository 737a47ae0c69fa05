//! Which rules of an object's own pack lead to a release, and what do they make of the object?

use std::collections::BTreeSet;

use super::remark::Remark;
use super::run_rule::{Trials, run_rule};
use super::shapes::Shape;
use super::state::Log;
use super::subject::Subject;
use crate::engine::finding::Code;
use crate::knowledge::lens::{Direction, ObjectId, Session};
use crate::knowledge::pack::{KindTracker, Needs, Rule};
use crate::knowledge::release::{ApiVersion, GroupKind, ReleaseSet};
use crate::syntax::field::FieldPath;

/// Where an object starts on its path, by what is known of it.
#[derive(Clone, Copy)]
pub(super) struct Start<'s> {
    /// The releases that it can be for.
    pub(super) releases: ReleaseSet,
    /// The apiVersion whose fields it has, where rules convert its kind between apiVersions.
    pub(super) version: Option<&'s ApiVersion>,
    /// Whether rules run that need to know where it comes from.
    has_origin: bool,
}

impl<'s> Start<'s> {
    pub(super) fn new(releases: ReleaseSet, version: Option<&'s ApiVersion>) -> Self {
        Self { releases, version, has_origin: true }
    }

    /// Leaves out the rules that need to know where the object comes from.
    pub(super) fn without_origin(self) -> Self {
        Self { has_origin: false, ..self }
    }

    fn runs(self, rule: &Rule) -> bool {
        self.has_origin || !matches!(rule.needs, Some(Needs::From | Needs::Crossing))
    }
}

/// Runs the rules of the object's own pack that lead from `start` to the shape `to` and returns the kind afterwards.
///
/// # Errors
/// Why a rule cannot convert the object.
pub(super) fn run(
    subject: &Subject<'_>,
    start: Start<'_>,
    to: &Shape,
    kind: GroupKind,
    session: &mut Session<'_>,
    log: &mut Log,
) -> Result<GroupKind, Remark> {
    let (mut way, mut trials) = (KindTracker::new(kind.clone()), Trials::default());
    let versions = start.version.zip(to.version.as_ref());
    for (rule, direction) in subject.target.pack.rules_for_kind(to.release, &kind, versions) {
        if !start.runs(rule) || !way.is_subject_to(rule, direction) {
            continue;
        }
        let crosses = can_cross(subject, start.releases, rule, direction);
        // What such a rule would change is reported where the object's fields show that it is behind the rule, too.
        if (crosses || rule.needs == Some(Needs::Crossing)) && !knows_enough(subject, rule, direction) {
            log.warnings.extend(requires_origin(subject, rule, direction, session));
            continue;
        }
        if !crosses {
            continue;
        }
        match run_rule(rule, direction, (&mut *session, &mut trials), log) {
            Ok(Some(_)) => way.record(rule, direction),
            Ok(None) => {}
            Err(block) => {
                let remark = required_before(subject, rule, block)?;
                log.already_invalid(subject.finality(&remark.path), remark);
            }
        }
    }
    Ok(way.kind().clone())
}

/// Returns whether rules about objects of `kind` are left out on the way from `start`, since none of its releases is on their side.
pub(super) fn leaves_out(subject: &Subject<'_>, start: Start<'_>, to: &Shape, kind: &GroupKind) -> bool {
    let versions = start.version.zip(to.version.as_ref());
    let mut rules = subject.target.pack.rules_for_kind(to.release, kind, versions);
    rules.any(|(rule, direction)| start.runs(rule) && !can_cross(subject, start.releases, rule, direction))
}

/// Returns the objects that convert together with the subject or not at all, by the rules about its kind.
pub(super) fn bound(subject: &Subject<'_>) -> BTreeSet<ObjectId> {
    let (kind, release) = (&subject.object.kind, subject.goals()[0].release);
    let rules = subject.target.pack.rules_for_kind(release, kind, None);
    let binds = |rule: &Rule, direction: Direction| rule.from_kind(direction) == kind && rule.lens(direction).binds();
    let about_it = rules.filter(|(rule, direction)| binds(rule, *direction));
    let mut session = subject.session(subject.object.value.clone());
    about_it.flat_map(|(rule, direction)| rule.lens(direction).bound(&mut session)).collect()
}

/// Reports the subject's conflicting fields. A rule that finds both its sides names the two spellings better than the releases
/// of two fields do.
pub(super) fn named_conflicts(subject: &Subject<'_>) -> Vec<Remark> {
    let mut session = subject.session(subject.object.value.clone());
    let start = Start::new(subject.candidates, subject.version.as_ref());
    let kind = subject.object.kind.clone();
    match run(subject, start, &subject.goals()[0], kind, &mut session, &mut Log::default()) {
        Err(block) if block.code == Code::ConflictingFields => vec![block],
        _ => subject.conflicts.clone(),
    }
}

/// Returns whether the object can be on the side of the rule that `direction` starts from: what it got when it crossed the rule is
/// not converted once more. Only its fields count: a chart of a newer release can stand beside objects that nobody has converted.
/// Between apiVersions, these decide; and of fields that exclude each other both sides are looked at.
fn can_cross(subject: &Subject<'_>, releases: ReleaseSet, rule: &Rule, direction: Direction) -> bool {
    let line = subject.target.pack.line();
    rule.api_versions.is_some()
        || rule.within.is_some()
        || releases.is_empty()
        || rule.can_apply_from(releases, line, direction)
}

/// Returns whether what `rule` needs is known: that every release which the object can come from is on the side of the rule that
/// `direction` starts from. On the way back that has to be named: its apiVersion can be from an upgrade that did not know the side, and
/// so left the object as it was.
fn knows_enough(subject: &Subject<'_>, rule: &Rule, direction: Direction) -> bool {
    let may_be_upgraded = direction == Direction::Backward && !is_named(subject);
    match rule.needs {
        Some(Needs::From) => !may_be_upgraded && is_of_side(subject, rule, direction),
        Some(Needs::Crossing) => can_be_of_side(subject, rule, direction),
        Some(Needs::Repair) | None => true,
    }
}

/// Returns whether some release that the object can come from is on the side of the rule that `direction` starts from.
fn can_be_of_side(subject: &Subject<'_>, rule: &Rule, direction: Direction) -> bool {
    rule.can_apply_from(subject.origins, subject.target.pack.line(), direction)
}

/// Returns whether every release that the object can come from is on the side of the rule that `direction` starts from.
fn is_of_side(subject: &Subject<'_>, rule: &Rule, direction: Direction) -> bool {
    rule.applies_from(subject.origins, subject.target.pack.line(), direction)
}

/// Returns whether the user, or what installs the project, names the release that its objects come from.
fn is_named(subject: &Subject<'_>) -> bool {
    subject.goal.choices.origins.contains_key(subject.target.pack.name())
}

/// Reports a rule that would change the object if it came from the other side of the rule, which nothing shows, or which is known not to be.
fn requires_origin(subject: &Subject<'_>, rule: &Rule, direction: Direction, session: &Session<'_>) -> Option<Remark> {
    let pack = subject.target.pack;
    let is_behind = !can_be_of_side(subject, rule, direction);
    if is_behind && rule.needs != Some(Needs::Crossing) {
        return None;
    }
    let mut trial = session.clone();
    let before = trial.program().len();
    let is_sure = rule.lens(direction).run(&mut trial).is_ok() && trial.program().len() == before;
    let (bundle, name) = (&pack.line().bundles()[rule.order], pack.name());
    let why = match is_of_side(subject, rule, direction) {
        _ if is_behind => match direction {
            Direction::Forward => format!("the object comes from {bundle} or after"),
            Direction::Backward => format!("the object comes from before {bundle}"),
        },
        false => format!("the files do not show whether the object comes from before {bundle} or after"),
        true => format!("the object can have been upgraded from before {bundle} as it was"),
    };
    let message = format!("{why}, so this is left as it is: {}", rule.summary);
    let help = match is_named(subject) {
        _ if is_behind => format!(
            "if it was written for the other side of {bundle}, convert it alone, with its release as --from {name}@RELEASE"
        ),
        false => format!("pass --from {name}@RELEASE with the release that the objects come from"),
        true => format!(
            "it cannot come from where the others do; convert it alone, with its release as --from {name}@RELEASE"
        ),
    };
    (!is_sure).then(|| Remark::new(Code::Advisory, FieldPath::default(), message).help(help))
}

/// Says what `block`, with which a rule halted, means where only some releases require the rule's result: if every release that the object
/// can have been written for does, it was invalid all along, which is reported, as is a variable whose value decides later.
///
/// # Errors
/// What holds the object back.
fn required_before(subject: &Subject<'_>, rule: &Rule, block: Remark) -> Result<Remark, Remark> {
    match rule.within.filter(|_| block.code == Code::NotConvertible) {
        None => Err(block),
        Some(_) if subject.is_judged_as_built() => Ok(Remark { code: Code::AlreadyInvalid, ..block }),
        Some(within)
            if within.is_superset(subject.candidates) || block.is_open && subject.is_substituted(&block.path) =>
        {
            Ok(Remark { code: Code::AlreadyInvalid, ..block })
        }
        Some(_) => Err(Remark { code: Code::InvalidInTarget, ..block }),
    }
}
