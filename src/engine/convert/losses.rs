//! Which lost values does an object keep in its stash?
//!
//! A value from the stash that is lost again stays in the stash and is not written in between. A new loss is kept, where the
//! user chose that and converting back leads to its place.
//!
//! Invariant: what is kept was found again, on data, by converting back to the release it was lost from.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use super::choices::Keeping;
use super::loss_policy::{Stashing, all_or_blocks, decide, loss_code};
use super::migration::Migration;
use super::remark::Remark;
use super::restore::OldStash;
use super::rules::{self, Start};
use super::shapes::Shape;
use super::stash::{self, Kept, Snapshots, Stash};
use super::state::{Log, Source};
use super::subject::Subject;
use crate::engine::finding::Code;
use crate::knowledge::catalog::ListType;
use crate::knowledge::lens::Loss;
use crate::knowledge::release::{GroupKind, ReleaseId, ReleaseSet};
use crate::syntax::field::FieldPath;

/// What is lost in the conversion of an object with everything that its stash restores.
pub(super) struct Losses {
    losses: Vec<Lost>,
    /// The values that the stash restored, by number, and their places at the source.
    restored: Vec<(usize, FieldPath)>,
    /// The numbers of those that are not lost again as a whole.
    pub(super) back: BTreeSet<usize>,
}

/// One loss, and where its value stood.
struct Lost {
    loss: Loss,
    /// In the data of the source; nothing for what was lost before.
    at_source: Option<FieldPath>,
}

/// What is kept of each new loss, by its place at the source, or why it cannot be: the rest of a sentence.
type NewlyKept = BTreeMap<FieldPath, Result<Kept, String>>;

impl Losses {
    /// Collects what `complete` lost.
    pub(super) fn of(complete: &Migration<'_>, old: &OldStash) -> Self {
        let (source, session) = (&complete.source, &complete.session);
        let lost = |loss: &Loss| Lost { at_source: session.lost_from(source.step, loss), loss: loss.clone() };
        let losses: Vec<_> = session.losses().iter().map(lost).collect();
        let is_lost =
            |path: &FieldPath| losses.iter().filter_map(|lost| lost.at_source.as_ref()).any(|at| path.starts_with(at));
        let restored = if matches!(old, OldStash::Usable(..)) { source.restored.clone() } else { Vec::new() };
        let back = restored.iter().filter(|(_, path)| !is_lost(path)).map(|(number, _)| *number).collect();
        Self { losses, restored, back }
    }

    /// Returns whether every value of `stash` comes back.
    pub(super) fn restores_all(&self, stash: &Stash) -> bool {
        self.back.len() == stash.kept.len()
    }

    /// Decides about every loss; returns what is reported of the losses, and the object's new stash where it has or gets one.
    ///
    /// # Errors
    /// The losses that hold the object back.
    pub(super) fn resolve(
        &self,
        subject: &Subject<'_>,
        complete: &Migration<'_>,
        old: &OldStash,
    ) -> Result<(Vec<Remark>, Option<Stash>), Vec<Remark>> {
        let old_stash = match old {
            OldStash::Usable(stash, _) => Some(stash),
            OldStash::None | OldStash::Unusable(_) => None,
        };
        let keeps_new = subject.choices().keeping == Keeping::Stash && self.new_losses().next().is_some();
        if !keeps_new && old_stash.is_none() {
            return Ok((self.accept(subject, &NewlyKept::new())?, None));
        }
        let left = old_stash.map_or_else(|| shape_left(subject, &complete.source), |old| old.left.clone());
        let (lost, release) = (self.places(), left.release);
        let list_keys = |list: &FieldPath| list_keys(subject, &complete.source.kind, list, release);
        let after = converted_back(subject, complete, &left);
        let snapshots = Snapshots { before: &complete.source.value, after: &after, gone: &lost, list_keys: &list_keys };
        let mut kept = if keeps_new { self.keep_new(subject, old, &snapshots) } else { NewlyKept::new() };
        let mut stash = Stash {
            left,
            annotations: old_stash.map_or_else(|| stash::annotations_of(&subject.object.value), |old| old.annotations),
            kept: self.still_kept(old, &kept, &snapshots),
        };
        let before = stash.kept.len();
        stash.kept.extend(kept.values().filter_map(|kept| kept.as_ref().ok()).cloned());
        if let Err(why) = stash.text(subject.target.pack) {
            stash.kept.truncate(before);
            kept.values_mut().for_each(|kept| *kept = Err(why.clone()));
        }
        Ok((self.accept(subject, &kept)?, Some(stash)))
    }

    /// Returns the losses of what was not in the stash already.
    fn new_losses(&self) -> impl Iterator<Item = &Lost> {
        let is_old = |at: &FieldPath| self.restored.iter().any(|(_, path)| at.starts_with(path));
        self.losses.iter().filter(move |lost| !lost.at_source.as_ref().is_some_and(is_old))
    }

    /// Returns what remains of the stash: what was lost again, in its present surroundings, the lost parts of what came back, and
    /// what did not find its place. What a new loss contains is kept with that loss.
    fn still_kept(&self, old: &OldStash, kept_now: &NewlyKept, snapshots: &Snapshots<'_>) -> Vec<Kept> {
        let OldStash::Usable(stash, refused) = old else { return Vec::new() };
        let is_part = |path: &FieldPath| kept_now.iter().any(|(whole, kept)| kept.is_ok() && path.starts_with(whole));
        let stays = |(number, kept): (usize, &Kept)| match self.restored.iter().find(|(other, _)| *other == number) {
            // It had its place, and has it still where only others came back.
            None if refused.contains_key(&number) => vec![kept.beside_others(snapshots.after)],
            None => vec![kept.clone()],
            Some((_, path)) if is_part(path) => Vec::new(),
            Some((_, path)) if self.back.contains(&number) => {
                // A part that cannot be kept by itself stays in the whole, for the user to see.
                self.lost_parts(path, snapshots).unwrap_or_else(|_| vec![kept.clone()])
            }
            Some((_, path)) => vec![kept.in_new_context(path, snapshots)],
        };
        stash.kept.iter().enumerate().flat_map(stays).collect()
    }

    /// Keeps what was lost below `path`.
    fn lost_parts(&self, path: &FieldPath, snapshots: &Snapshots<'_>) -> Result<Vec<Kept>, &'static str> {
        let parts = snapshots.gone.iter().filter(|gone| gone.starts_with(path));
        parts.map(|part| Kept::new(part, self.code_at(part).name(), snapshots)).collect()
    }

    /// Returns the code of the loss of what stood at `path`.
    fn code_at(&self, path: &FieldPath) -> Code {
        let lost = self.losses.iter().find(|lost| lost.at_source.as_ref() == Some(path));
        lost.map_or(Code::DroppedField, |lost| loss_code(lost.loss.class))
    }

    /// Returns the places of everything that was lost, none below another.
    fn places(&self) -> Vec<FieldPath> {
        let mut gone: Vec<FieldPath> = Vec::new();
        let mut places: Vec<_> = self.losses.iter().filter_map(|lost| lost.at_source.clone()).collect();
        places.sort_unstable();
        places.dedup();
        for place in places {
            if !gone.last().is_some_and(|last| place.starts_with(last)) {
                gone.push(place);
            }
        }
        gone
    }

    /// Keeps what can be kept of the new losses.
    fn keep_new(&self, subject: &Subject<'_>, old: &OldStash, snapshots: &Snapshots<'_>) -> NewlyKept {
        let metadata = subject.object.value.get("metadata");
        let annotations = metadata.and_then(|metadata| metadata.get("annotations"));
        let refusal = match old {
            OldStash::Unusable(why) => Some(*why),
            _ if subject.object.kind.kind == "Secret" => Some("the data of a Secret is never kept"),
            _ if !metadata.is_some_and(Value::is_object) => Some("the object has no metadata to hold the annotation"),
            _ if annotations.is_some_and(|annotations| !annotations.is_object() && !annotations.is_null()) => {
                Some("the object's annotations are not a mapping")
            }
            OldStash::None | OldStash::Usable(..) => None,
        };
        let mut kept_now = NewlyKept::new();
        for lost in self.new_losses() {
            let Some(path) = lost.at_source.clone().filter(|path| snapshots.gone.contains(path)) else { continue };
            let kept = match refusal {
                Some(why) => Err(why),
                None => Kept::new(&path, loss_code(lost.loss.class).name(), snapshots),
            };
            kept_now.insert(path, kept.map_err(str::to_owned));
        }
        kept_now
    }

    /// Decides about the new losses.
    ///
    /// # Errors
    /// Those that hold the object back.
    fn accept(&self, subject: &Subject<'_>, kept_now: &NewlyKept) -> Result<Vec<Remark>, Vec<Remark>> {
        let choices = subject.choices();
        let mut outcomes = Vec::new();
        for Lost { loss, at_source } in self.new_losses() {
            let kept = at_source.as_ref().and_then(|at| kept_now.iter().find(|(path, _)| at.starts_with(path)));
            let stashing = match kept {
                // Parts of what is kept whole come back with it.
                Some((path, Ok(_))) if at_source.as_ref() != Some(path) => continue,
                Some((_, Ok(_))) => Stashing::Kept,
                Some((_, Err(why))) => Stashing::Impossible(why),
                None if choices.keeping == Keeping::Stash => {
                    Stashing::Impossible("it is lost before the stash is restored")
                }
                None => Stashing::Possible,
            };
            outcomes.push(decide(loss, stashing, choices.allowed, || hint(subject, &loss.path)));
        }
        all_or_blocks(outcomes)
    }
}

/// What the pack says about a field that the target does not have.
fn hint(subject: &Subject<'_>, path: &FieldPath) -> Option<String> {
    let hint = subject.target.pack.release_notes().hint(&subject.object.kind, Some(&path.pattern()));
    hint.map(|hint| hint.help_for(&subject.object.value))
}

/// Converts the data at the target back to the shape `left`, as if nothing was edited in between. Where a rule halts, that is nothing.
fn converted_back(subject: &Subject<'_>, complete: &Migration<'_>, left: &Shape) -> Arc<Value> {
    let mut session = subject.session(complete.session.shared());
    let start = Start::new(ReleaseSet::from_iter([subject.target.release]), complete.version.as_ref());
    match rules::run(subject, start, left, complete.kind.clone(), &mut session, &mut Log::default()) {
        Ok(kind) if kind == complete.source.kind => subject.normal(&kind, session.shared()),
        _ => Arc::default(),
    }
}

/// Returns the shape that the source has: its apiVersion, and the release nearest to the target that it is at, so that no rule
/// changes anything on the path there.
fn shape_left(subject: &Subject<'_>, source: &Source) -> Shape {
    let line = subject.target.pack.line();
    let order = line.get(subject.target.release).order;
    let mut candidates: Vec<ReleaseId> = subject.candidates.iter().collect();
    candidates.sort_by_key(|release| line.get(*release).order.abs_diff(order));
    let shape = |release: ReleaseId| Shape { release, version: source.version.clone() };
    let is_at = |release: &&ReleaseId| {
        let mut session = subject.session(Arc::clone(&source.value));
        let start = Start::new(source.releases, source.version.as_ref());
        let kind = source.kind.clone();
        let run = rules::run(subject, start, &shape(**release), kind, &mut session, &mut Log::default());
        run.is_ok() && session.program().is_empty()
    };
    shape(*candidates.iter().find(is_at).or(candidates.first()).unwrap_or(&subject.target.release))
}

/// Returns the fields that distinguish the items of a list: its keys, or the field by which a patch finds an item.
fn list_keys(subject: &Subject<'_>, kind: &GroupKind, list: &FieldPath, release: ReleaseId) -> Vec<String> {
    let Some(catalog) = subject.target.pack.catalog(kind) else { return Vec::new() };
    let pattern = list.pattern();
    let mut fields = catalog.fields_of(&pattern).filter(|field| field.releases.contains(release));
    let keys = fields.find_map(|field| match (field.attributes.list_type, &field.attributes.merge_key) {
        (Some(ListType::Map), _) => Some(field.attributes.list_keys.clone()),
        (_, merge_key) => merge_key.as_ref().map(|key| vec![key.clone()]),
    });
    keys.unwrap_or_default()
}
