//! What becomes of one object that a target is about?
//!
//! In order: infer its releases, convert it with what its stash restores, decide about the losses, write the new stash.
//! Whatever stands in the way is a block; an object with one keeps its bytes.

use std::collections::BTreeSet;

use super::choices::Goal;
use super::context::ObjectContext;
use super::conversion::Conversion;
use super::losses::Losses;
use super::migration::{Migration, Restoring};
use super::remark::{Remark, impossible};
use super::restore::OldStash;
use super::rules::{bound, named_conflicts};
use super::state::Log;
use super::subject::Subject;
use super::target_schema::or_missing_kind;
use crate::engine::finding::Code;
use crate::engine::manifest::Object;
use crate::knowledge::pack::Target;
use crate::syntax::field::FieldPath;

/// An object at its target, and what it loses on the way.
struct Arrived<'a> {
    migration: Migration<'a>,
    losses: Vec<Remark>,
}

/// Converts `object` to `target`, which is the goal's for the pack that knows the object's group.
pub(super) fn convert(object: &Object, target: &Target<'_>, goal: &Goal<'_>, context: ObjectContext<'_>) -> Conversion {
    let subject = match Subject::new(object, target, goal, context) {
        Ok(subject) => subject,
        Err(blocks) => return Conversion { blocks, ..Conversion::unchanged(object) },
    };
    let is_fragment = subject.is_fragment();
    let is_part = is_fragment || subject.lacks_containers();
    let subject = if is_part { subject.into_patch() } else { subject };
    let mut report = Log { warnings: subject.warnings.clone(), ..Log::default() };
    report.notes.extend(is_part.then(|| not_applied("converted as one")));
    let origins = subject.origins;
    match migrate(&subject, &mut report) {
        Ok(Arrived { migration: Migration { kind, session, mut log, .. }, losses }) => {
            log.warnings.splice(..0, report.warnings);
            log.notes.splice(..0, report.notes);
            let made = Conversion::finished(kind, session, log, losses);
            let bound = if made.program.is_empty() { BTreeSet::new() } else { bound(&subject) };
            Conversion { origins, bound, ..made }
        }
        Err(_) if is_fragment => {
            Conversion { notes: vec![not_applied("left unchanged")], ..Conversion::unchanged(object) }
        }
        Err(blocks) => {
            let bound = bound(&subject);
            Conversion { blocks, warnings: report.warnings, origins, bound, ..Conversion::unchanged(object) }
        }
    }
}

/// Reports what becomes of a patch which nobody uses.
fn not_applied(what: &str) -> Remark {
    let message = format!(
        "no kustomization of the run names the file, and no release accepts the object as it is: it looks like a patch that is not used, and is {what}"
    );
    Remark::new(Code::NotApplied, FieldPath::default(), message)
}

/// Takes the subject to its target and decides about its losses; `report` is what is reported besides what happens on the path.
///
/// # Errors
/// What holds the object back.
fn migrate<'a>(subject: &Subject<'a>, report: &mut Log) -> Result<Arrived<'a>, Vec<Remark>> {
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
    if let Some(refused) = old.splits(subject, &complete) {
        return Err(vec![refused]);
    }
    let losses = Losses::of(&complete, &old);
    let without_lost = match &old {
        OldStash::Usable(stash, _) if !losses.restores_all(stash) => {
            Some(Migration::like(&complete, subject, Restoring { stash, numbers: &losses.back })?)
        }
        _ => None,
    };
    old.report(&complete, &losses.back, report);
    let resolved = losses.resolve(subject, &complete, &old);
    if complete.blocks.iter().any(|block| block.code == Code::KindNotInTarget) {
        // Allowing or keeping a loss would not help.
        return Err(complete.blocks);
    }
    if !complete.blocks.is_empty() {
        let losses = resolved.err().into_iter().flatten();
        return Err(losses.chain(complete.blocks).collect());
    }
    let (losses, stash) = resolved?;
    let mut migration = without_lost.unwrap_or(complete);
    if let Some(stash) = stash {
        stash.write(subject.target.pack, &mut migration.session).map_err(impossible)?;
    }
    Ok(Arrived { migration, losses })
}
