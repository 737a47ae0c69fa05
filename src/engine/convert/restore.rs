//! What did an object lose in earlier conversions, and what of it is restored?
//!
//! The object is converted with everything that its stash restores. Each value is restored separately: one that has no place, or that
//! the target rejects, does not affect the others.

use std::collections::{BTreeMap, BTreeSet};

use super::fit::unknown;
use super::migration::{Migration, Restoring};
use super::remark::Remark;
use super::stash::{self, ANNOTATION, Stash};
use super::state::{Log, Source};
use super::subject::Subject;
use crate::engine::finding::Code;
use crate::syntax::field::FieldPath;

/// The stash of an object before its conversion.
pub(super) enum OldStash {
    /// It has none.
    None,
    /// It cannot be used, and no other can be made: the reason is the rest of a sentence.
    Unusable(&'static str),
    /// It can be used. Some of its values may not be restorable: the reasons, by number, are the rest of a sentence.
    Usable(Stash, BTreeMap<usize, String>),
}

impl OldStash {
    /// Reads the stash of the subject, and reports one that cannot be read.
    pub(super) fn read(subject: &Subject<'_>) -> (Self, Option<Remark>) {
        match Stash::read(&subject.object.value, subject.target.pack) {
            Ok(None) => (Self::None, None),
            Ok(Some(stash)) => (Self::Usable(stash, BTreeMap::new()), None),
            Err(why) => {
                let message = format!("the annotation {ANNOTATION} is not a valid stash: {why}");
                let help = "it is not used and left unchanged; restore its text or remove it";
                let remark = Remark::new(Code::InvalidStash, stash::annotation(), message).help(help);
                (Self::Unusable("the annotation holds something else"), Some(remark))
            }
        }
    }

    /// Converts the subject with everything that this stash restores.
    ///
    /// # Errors
    /// Why the target is not reached.
    pub(super) fn migrate<'a>(&mut self, subject: &Subject<'a>) -> Result<Migration<'a>, Vec<Remark>> {
        let Self::Usable(stash, refused) = self else { return Migration::run(subject, None) };
        let all: BTreeSet<usize> = (0..stash.kept.len()).collect();
        if let Ok(complete) = try_to_restore(subject, stash, &all) {
            return Ok(complete);
        }
        let (mut good, mut best) = (BTreeSet::new(), Migration::run(subject, None)?);
        for number in all {
            good.insert(number);
            match try_to_restore(subject, stash, &good) {
                Ok(migration) => best = migration,
                Err(why) => {
                    good.remove(&number);
                    refused.insert(number, why);
                }
            }
        }
        if !best.blocks.is_empty() {
            *self = Self::Unusable("the object is left unchanged");
        }
        Ok(best)
    }

    /// Refuses what comes back from the stash to become an object of its own, in `complete`: since it was kept, someone may have written
    /// that object, as they were told to.
    pub(super) fn splits(&self, subject: &Subject<'_>, complete: &Migration<'_>) -> Option<Remark> {
        let Self::Usable(stash, _) = self else { return None };
        let made = complete.session.split_off();
        if made.is_empty() || complete.source.restored.is_empty() {
            return None;
        }
        let all: BTreeSet<usize> = complete.source.restored.iter().map(|(number, _)| *number).collect();
        all.iter().find_map(|number| {
            let numbers = all.iter().copied().filter(|other| other != number).collect();
            let without = Migration::run(subject, Some(Restoring { stash, numbers: &numbers })).ok()?;
            let is_left = |kind| without.session.split_off().iter().any(|other| other.kind == kind);
            let kind = &made.iter().find(|one| !is_left(one.kind.clone()))?.kind.kind;
            let (kept, left) = (&stash.kept[*number], stash::left_name(stash.left.release, subject.target.pack));
            let message = format!(
                "the stash holds {kept}, which would become an object of its own, of kind {kind}; whether that was written since it was kept is not known"
            );
            let help = format!(
                "convert to {left}, then to the target; or write the {kind} by hand, unless it is there, and remove {kept} from the annotation"
            );
            Some(Remark::new(Code::NotConvertible, stash::annotation(), message).help(help))
        })
    }

    /// Records in `log` what comes back from the stash as notes, and what stays in it, with the reason, as warnings. `back` are the
    /// numbers of the values that are not lost again.
    pub(super) fn report(&self, complete: &Migration<'_>, back: &BTreeSet<usize>, log: &mut Log) {
        let Self::Usable(stash, refused) = self else { return };
        let source = &complete.source;
        let restored: BTreeMap<usize, &FieldPath> =
            source.restored.iter().map(|(number, path)| (*number, path)).collect();
        for (number, kept) in stash.kept.iter().enumerate() {
            match (restored.get(&number), refused.get(&number)) {
                (Some(path), _) if back.contains(&number) => {
                    let place = complete.session.destination_after(source.step, path);
                    let place = place.unwrap_or_else(|| (*path).clone());
                    let message = format!("{place} is restored from the stash");
                    log.notes.push(Remark::new(Code::Restored, place, message));
                }
                (Some(_), _) => {}
                (None, Some(why)) => {
                    log.warnings.push(stale(format!("the stash holds {kept}, which cannot be restored: {why}")));
                }
                (None, None) => {
                    let why = "the fields around it have changed since";
                    log.warnings.push(stale(format!("the stash holds {kept}, which is not restored: {why}")));
                }
            }
        }
    }
}

/// Converts the subject with the values of these numbers restored.
///
/// # Errors
/// Why that is impossible, as the rest of a sentence.
fn try_to_restore<'a>(
    subject: &Subject<'a>,
    stash: &Stash,
    numbers: &BTreeSet<usize>,
) -> Result<Migration<'a>, String> {
    let migration = Migration::run(subject, Some(Restoring { stash, numbers }));
    let why = |blocks: &[Remark]| blocks.first().map_or_else(String::new, |block| block.message.clone());
    let migration = migration.map_err(|blocks| why(&blocks))?;
    if !migration.blocks.is_empty() {
        return Err(why(&migration.blocks));
    }
    if let Some(why) = migration.rejected.as_ref().filter(|_| migration.loses_restored()) {
        // What another apiVersion drops on the way is not lost again because the target has no such field.
        return Err(why.clone());
    }
    match unknown_in_restored(subject, &migration.source) {
        Some(unknown) => Err(format!("no release has the field {unknown}")),
        None => Ok(migration),
    }
}

/// Returns a field in the restored values that no release has: it was misspelled, or written into the stash by hand.
fn unknown_in_restored(subject: &Subject<'_>, source: &Source) -> Option<FieldPath> {
    let catalog = subject.target.pack.catalog(&source.kind)?;
    let is_in = |place: &FieldPath| source.restored.iter().any(|(_, path)| place.starts_with(path));
    unknown(catalog, &source.value).into_iter().find(is_in)
}

fn stale(message: String) -> Remark {
    let help = "write the value back by hand where it belongs, and remove it from the annotation";
    Remark::new(Code::StaleStash, stash::annotation(), message).help(help)
}
