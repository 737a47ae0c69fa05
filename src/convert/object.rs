//! What becomes of one object that a target is about?
//!
//! In order: infer its releases, convert it with what its stash restores, decide about the losses, write the new stash.
//! Whatever stands in the way is a block; an object with one keeps its bytes.

use super::choices::Goal;
use super::context::ObjectContext;
use super::conversion::Conversion;
use super::migration::Migration;
use super::new_stash::Losses;
use super::remark::{Remark, impossible};
use super::restore::OldStash;
use super::rules::named_conflicts;
use super::subject::Subject;
use super::target_schema::or_missing_kind;
use crate::finding::Code;
use crate::manifest::Object;
use crate::pack::Target;

/// What is reported besides what happened on the path to the target.
#[derive(Default)]
struct Report {
    warnings: Vec<Remark>,
    notes: Vec<Remark>,
    lost: Vec<Remark>,
}

/// Converts `object` to `target`, which is the goal's for the pack that knows the object's group.
pub(super) fn convert(object: &Object, target: &Target<'_>, goal: &Goal<'_>, context: ObjectContext<'_>) -> Conversion {
    let subject = match Subject::new(object, target, goal, context) {
        Ok(subject) => subject,
        Err(blocks) => return Conversion { blocks, ..Conversion::unchanged(object) },
    };
    let mut report = Report { warnings: subject.warnings.clone(), ..Report::default() };
    match migrate(&subject, &mut report) {
        Ok(migration) => converted(&subject, migration, report),
        Err(blocks) => {
            let (warnings, origins) = (report.warnings, subject.origins);
            Conversion { blocks, warnings, origins, ..Conversion::unchanged(object) }
        }
    }
}

/// Takes the subject to its target and decides about its losses.
///
/// # Errors
/// What holds the object back.
fn migrate<'a>(subject: &Subject<'a>, report: &mut Report) -> Result<Migration<'a>, Vec<Remark>> {
    if !subject.conflicts.is_empty() {
        return Err(named_conflicts(subject));
    }
    let (mut old, invalid) = OldStash::read(subject);
    if let Some(invalid) = invalid {
        // Sets of CRDs are named after folders, which get other names; a release of a pack keeps its own.
        if subject.target.pack.is_of_crds() {
            let help = "pass the CRDs from a folder with the name that the stash has, or remove the annotation";
            return Err(vec![Remark { help: Some(help.to_owned()), ..invalid }]);
        }
        report.warnings.push(invalid);
    }
    let complete = old.migrate(subject).map_err(|blocks| or_missing_kind(subject, blocks))?;
    let losses = Losses::of(&complete, &old);
    let without_lost = match &old {
        OldStash::Usable(stash, _) if !losses.restores_all(stash) => {
            Some(Migration::run(subject, Some((stash, &losses.back)))?)
        }
        _ => None,
    };
    old.report(&complete, &losses.back, (&mut report.warnings, &mut report.notes));
    let resolved = losses.resolve(subject, &complete, &old);
    if complete.blocks.iter().any(|block| block.code == Code::KindNotInTarget) {
        // Allowing or keeping a loss would not help.
        return Err(complete.blocks);
    }
    if !complete.blocks.is_empty() {
        let losses = resolved.err().into_iter().flatten();
        return Err(losses.chain(complete.blocks).collect());
    }
    let (lost, stash) = resolved?;
    report.lost = lost;
    let mut migration = without_lost.unwrap_or(complete);
    if let Some(stash) = stash {
        stash.write(subject.target.pack, &mut migration.session).map_err(impossible)?;
    }
    Ok(migration)
}

/// Makes the result of a conversion that nothing holds back.
fn converted(subject: &Subject<'_>, migration: Migration<'_>, report: Report) -> Conversion {
    let Migration { kind, session, mut log, .. } = migration;
    log.warnings.splice(..0, report.warnings);
    log.notes.splice(..0, report.notes);
    Conversion { origins: subject.origins, ..Conversion::finished(kind, session, log, report.lost) }
}
