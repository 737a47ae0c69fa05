//! Answers: what becomes of what an object loses on its way, and of what it lost before?
//!
//! The object is taken to its target with everything that its stash gives back; what is lost on that way is the [`Parting`].
//! A value from the stash that is lost again stays in the stash and is not written in between. A new loss is kept, where the
//! user wants that and the way back leads to its place, or let go, where that is allowed; otherwise it blocks.
//!
//! Invariant: what is kept was found again, on data, on the way back to the release it was lost from.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use super::object::{Arrival, Keeping, Remark, Start, Trail, Work, loss_code, remark};
use super::stash::{self, ANNOTATION, Kept, Sights, Stash};
use crate::catalog::ListType;
use crate::field::FieldPath;
use crate::finding::Code;
use crate::lens::{Loss, LossClass};
use crate::release::{GroupKind, ReleaseId};

/// What an object brings along from earlier conversions.
pub(super) enum Carried {
    /// Nothing.
    Nothing,
    /// A stash that cannot be used, and why no other can be made: the rest of a sentence.
    Unusable(&'static str),
    /// A stash, and why some of its values cannot be given back, by number: the rest of a sentence.
    Stash(Stash, BTreeMap<usize, String>),
}

/// What is lost on the way from where everything is there.
pub(super) struct Parting {
    losses: Vec<Lost>,
    /// The values that the stash gave back, by number, and where they stood then.
    restored: Vec<(usize, FieldPath)>,
    /// The numbers of those that are not lost again as a whole.
    pub(super) back: BTreeSet<usize>,
}

/// One loss, and where its value stood.
struct Lost {
    loss: Loss,
    /// In the data at the start; nothing for what was lost before.
    at_start: Option<FieldPath>,
}

impl Parting {
    /// Looks at what the way of `whole` lost.
    pub(super) fn new(whole: &Arrival<'_>, carried: &Carried) -> Self {
        let (start, session) = (&whole.start, &whole.session);
        let lost = |loss: &Loss| Lost { at_start: session.lost_from(start.step, loss), loss: loss.clone() };
        let losses: Vec<_> = session.losses().iter().map(lost).collect();
        let is_lost =
            |path: &FieldPath| losses.iter().filter_map(|lost| lost.at_start.as_ref()).any(|at| path.starts_with(at));
        let restored = if matches!(carried, Carried::Stash(..)) { start.restored.clone() } else { Vec::new() };
        let back = restored.iter().filter(|(_, path)| !is_lost(path)).map(|(number, _)| *number).collect();
        Self { losses, restored, back }
    }

    /// Says whether every value of `stash` comes back.
    pub(super) fn gives_all_back(&self, stash: &Stash) -> bool {
        self.back.len() == stash.kept.len()
    }

    /// Returns the losses of what was not in the stash already.
    fn new_losses(&self) -> impl Iterator<Item = &Lost> {
        let is_old = |at: &FieldPath| self.restored.iter().any(|(_, path)| at.starts_with(path));
        self.losses.iter().filter(move |lost| !lost.at_start.as_ref().is_some_and(is_old))
    }

    /// Returns what stays of `stash`: what was lost again, as it is surrounded now, the lost parts of what came back, and what
    /// did not find its place. What a new loss holds is kept with that.
    fn still_kept(&self, stash: &Stash, packed: &Packed, sights: &Sights<'_>) -> Vec<Kept> {
        let is_part = |path: &FieldPath| packed.iter().any(|(whole, kept)| kept.is_ok() && path.starts_with(whole));
        let stays = |(number, kept): (usize, &Kept)| match self.restored.iter().find(|(other, _)| *other == number) {
            None => vec![kept.clone()],
            Some((_, path)) if is_part(path) => Vec::new(),
            Some((_, path)) if self.back.contains(&number) => {
                // A part that cannot be kept by itself stays in the whole, for the user to see.
                self.lost_parts(path, sights).unwrap_or_else(|_| vec![kept.clone()])
            }
            Some((_, path)) => vec![kept.seen_again(path, sights)],
        };
        stash.kept.iter().enumerate().flat_map(stays).collect()
    }

    /// Keeps what was lost below `path`.
    fn lost_parts(&self, path: &FieldPath, sights: &Sights<'_>) -> Result<Vec<Kept>, &'static str> {
        let parts = sights.gone.iter().filter(|gone| gone.starts_with(path));
        parts.map(|part| Kept::new(part, self.code_at(part).name(), sights)).collect()
    }

    /// Returns the code of the loss of what stood at `path`.
    fn code_at(&self, path: &FieldPath) -> Code {
        let lost = self.losses.iter().find(|lost| lost.at_start.as_ref() == Some(path));
        lost.map_or(Code::DroppedField, |lost| loss_code(lost.loss.class))
    }

    /// Returns the places of everything that was lost, none below another.
    fn gone(&self) -> Vec<FieldPath> {
        let mut gone: Vec<FieldPath> = Vec::new();
        let mut places: Vec<_> = self.losses.iter().filter_map(|lost| lost.at_start.clone()).collect();
        places.sort_unstable();
        places.dedup();
        for place in places {
            if !gone.last().is_some_and(|last| place.starts_with(last)) {
                gone.push(place);
            }
        }
        gone
    }
}

/// What is kept of each new loss, by where it stood at the start, or why it cannot be: the rest of a sentence.
type Packed = BTreeMap<FieldPath, Result<Kept, String>>;

impl<'a> Work<'a> {
    /// Reads the object's stash.
    pub(super) fn carried(&mut self) -> Carried {
        match Stash::read(&self.object.value, self.target.pack) {
            Ok(None) => Carried::Nothing,
            Ok(Some(stash)) => Carried::Stash(stash, BTreeMap::new()),
            Err(why) => {
                let message = format!("the annotation {ANNOTATION} holds no stash: {why}");
                let help = "nothing of it is used, and it stays as it is; restore its text or remove it".to_owned();
                self.warnings.push(remark(Code::InvalidStash, stash::annotation(), message, Some(help)));
                Carried::Unusable("the annotation holds something else")
            }
        }
    }

    /// Takes the object to the target with everything that its stash gives back. Each value stands by itself: one that fits
    /// nowhere, or that the target refuses, leaves the others alone.
    pub(super) fn with_everything(&mut self, carried: &mut Carried) -> Result<Arrival<'a>, Vec<Remark>> {
        let Carried::Stash(stash, refused) = carried else { return self.travel(None) };
        let everything: BTreeSet<usize> = (0..stash.kept.len()).collect();
        if let Ok(whole) = self.try_to_restore(stash, &everything) {
            return Ok(whole);
        }
        let (mut good, mut best) = (BTreeSet::new(), self.travel(None)?);
        for number in everything {
            good.insert(number);
            match self.try_to_restore(stash, &good) {
                Ok(arrival) => best = arrival,
                Err(why) => {
                    good.remove(&number);
                    refused.insert(number, why);
                }
            }
        }
        if !best.blocks.is_empty() {
            *carried = Carried::Unusable("the object stays as it is");
        }
        Ok(best)
    }

    /// Takes the object to the target with the values of these numbers.
    ///
    /// # Errors
    /// Why that cannot be, as the rest of a sentence.
    fn try_to_restore(&self, stash: &Stash, wanted: &BTreeSet<usize>) -> Result<Arrival<'a>, String> {
        let whole = self.travel(Some((stash, wanted)));
        let why = |blocks: &[Remark]| blocks.first().map_or_else(String::new, |block| block.message.clone());
        let whole = whole.map_err(|blocks| why(&blocks))?;
        if !whole.blocks.is_empty() {
            return Err(why(&whole.blocks));
        }
        match self.unknown_in_restored(&whole.start) {
            Some(unknown) => Err(format!("no release has the field {unknown}")),
            None => Ok(whole),
        }
    }

    /// Returns a field in the values given back that no release has: it was misspelled, or written into the stash by hand.
    fn unknown_in_restored(&self, start: &Start) -> Option<FieldPath> {
        let catalog = self.target.pack.catalog(&start.kind)?;
        let is_in = |place: &FieldPath| start.restored.iter().any(|(_, path)| place.starts_with(path));
        catalog.facts(&start.value).unknown.into_iter().map(|unknown| unknown.path).find(is_in)
    }

    /// Tells what comes back from the stash, and why what stays does.
    pub(super) fn tell_restored(&mut self, whole: &Arrival<'_>, carried: &Carried, parting: &Parting) {
        let Carried::Stash(stash, refused) = carried else { return };
        let found: BTreeMap<usize, &FieldPath> =
            whole.start.restored.iter().map(|(number, path)| (*number, path)).collect();
        for (number, kept) in stash.kept.iter().enumerate() {
            match (found.get(&number), refused.get(&number)) {
                (Some(path), _) if parting.back.contains(&number) => {
                    let place =
                        whole.session.destination_after(whole.start.step, path).unwrap_or_else(|| (*path).clone());
                    let message = format!("{place} comes back from the stash");
                    self.notes.push(remark(Code::Restored, place, message, None));
                }
                (Some(_), _) => {}
                (None, Some(why)) => self.stale(format!("the stash keeps {kept}, which cannot be given back: {why}")),
                (None, None) => {
                    self.stale(format!("the stash keeps {kept}, and what surrounded it has changed since"));
                }
            }
        }
    }

    fn stale(&mut self, message: String) {
        let help = "put the value back by hand where it belongs, and take it out of the annotation".to_owned();
        self.warnings.push(remark(Code::StaleStash, stash::annotation(), message, Some(help)));
    }

    /// Decides about every loss, and returns what the object's stash shall be; nothing where it has none and gets none.
    pub(super) fn pack_up(
        &mut self,
        whole: &Arrival<'_>,
        carried: &Carried,
        parting: &Parting,
    ) -> Result<Option<Stash>, Vec<Remark>> {
        let old = match carried {
            Carried::Stash(stash, _) => Some(stash),
            Carried::Nothing | Carried::Unusable(_) => None,
        };
        let wanted = self.goal.choices.keeping == Keeping::Stash && parting.new_losses().next().is_some();
        if !wanted && old.is_none() {
            self.take_losses(parting, &Packed::new())?;
            return Ok(None);
        }
        let left = old.map_or_else(|| self.release_left(&whole.start), |old| old.left);
        let gone = parting.gone();
        let list_keys = |list: &FieldPath| self.list_keys(&whole.start.kind, list, left);
        let echo = self.way_back(whole, left);
        let sights = Sights { before: &whole.start.value, after: &echo, gone: &gone, list_keys: &list_keys };
        let mut packed = if wanted { self.pack_new(carried, parting, &sights) } else { Packed::new() };
        let mut stash = Stash {
            left,
            annotations: old.map_or_else(|| stash::annotations_of(&self.object.value), |old| old.annotations),
            kept: old.map_or_else(Vec::new, |old| parting.still_kept(old, &packed, &sights)),
        };
        let before = stash.kept.len();
        stash.kept.extend(packed.values().filter_map(|kept| kept.as_ref().ok()).cloned());
        if let Err(why) = stash.text(self.target.pack) {
            stash.kept.truncate(before);
            packed.values_mut().for_each(|kept| *kept = Err(why.clone()));
        }
        self.take_losses(parting, &packed)?;
        Ok(Some(stash))
    }

    /// Keeps what can be kept of the new losses.
    fn pack_new(&self, carried: &Carried, parting: &Parting, sights: &Sights<'_>) -> Packed {
        let metadata = self.object.value.get("metadata");
        let annotations = metadata.and_then(|metadata| metadata.get("annotations"));
        let refusal = match carried {
            Carried::Unusable(why) => Some(*why),
            _ if self.object.kind.kind == "Secret" => Some("the data of a Secret is never kept"),
            _ if !metadata.is_some_and(Value::is_object) => Some("the object has no metadata to carry it"),
            _ if annotations.is_some_and(|annotations| !annotations.is_object() && !annotations.is_null()) => {
                Some("the object's annotations are no mapping")
            }
            Carried::Nothing | Carried::Stash(..) => None,
        };
        let mut packed = Packed::new();
        for lost in parting.new_losses() {
            let Some(path) = lost.at_start.clone().filter(|path| sights.gone.contains(path)) else { continue };
            let kept = match refusal {
                Some(why) => Err(why),
                None => Kept::new(&path, loss_code(lost.loss.class).name(), sights),
            };
            packed.insert(path, kept.map_err(str::to_owned));
        }
        packed
    }

    /// Takes what is at the target back, on data: what the way back meets there when nothing is edited in between. Where it
    /// halts, that is nothing.
    fn way_back(&self, whole: &Arrival<'_>, left: ReleaseId) -> Arc<Value> {
        let mut session = self.session(whole.session.shared());
        match self.run_rules(left, whole.kind.clone(), &mut session, &mut Trail::default()) {
            Ok(kind) if kind == whole.start.kind => self.normal(&kind, session.shared()),
            _ => Arc::default(),
        }
    }

    /// Returns the release nearest to the target that the data at the start is at: no rule has anything to do to it.
    fn release_left(&self, start: &Start) -> ReleaseId {
        let line = self.target.pack.line();
        let order = line.get(self.target.release).order;
        let mut candidates: Vec<ReleaseId> = self.candidates.iter().collect();
        candidates.sort_by_key(|release| line.get(*release).order.abs_diff(order));
        let is_at = |release: &&ReleaseId| {
            let mut session = self.session(Arc::clone(&start.value));
            let done = self.run_rules(**release, start.kind.clone(), &mut session, &mut Trail::default());
            done.is_ok() && session.program().is_empty()
        };
        *candidates.iter().find(is_at).or(candidates.first()).unwrap_or(&self.target.release)
    }

    fn list_keys(&self, kind: &GroupKind, list: &FieldPath, release: ReleaseId) -> Vec<String> {
        let Some(catalog) = self.target.pack.catalog(kind) else { return Vec::new() };
        let pattern = list.pattern();
        let mut fields = catalog.fields_of(&pattern).filter(|field| field.releases.contains(release));
        let keyed = fields.find(|field| field.attributes.list_type == Some(ListType::Map));
        keyed.map_or_else(Vec::new, |field| field.attributes.list_keys.clone())
    }

    /// Sorts the new losses into those kept, those taken and those that hold the object back.
    fn take_losses(&mut self, parting: &Parting, packed: &Packed) -> Result<(), Vec<Remark>> {
        let mut blocks = Vec::new();
        for Lost { loss, at_start } in parting.new_losses() {
            let (code, place, reason) = (loss_code(loss.class), &loss.path, &loss.reason);
            let kept = at_start.as_ref().and_then(|at| packed.iter().find(|(path, _)| at.starts_with(path)));
            let why = match kept {
                // Parts of what is kept whole come back with it.
                Some((path, Ok(_))) if at_start.as_ref() != Some(path) => continue,
                Some((_, Ok(_))) => {
                    let message = format!("{place} is kept in the stash: {reason}");
                    self.lost.push(remark(code, place.clone(), message, None));
                    continue;
                }
                Some((_, Err(why))) => Some(why.as_str()),
                None if self.goal.choices.keeping == Keeping::Stash => {
                    Some("it is lost before the stash is given back")
                }
                None => None,
            };
            if self.goal.choices.allowed.allows(code) {
                let message = format!("{place} is lost: {reason}");
                self.lost.push(remark(code, place.clone(), message, None));
                continue;
            }
            let (message, first) = match why {
                Some(why) => (format!("{place} would be lost: {reason}; it cannot be kept in the stash: {why}"), ""),
                None => (format!("{place} would be lost: {reason}"), "`--stash` keeps it for the way back; "),
            };
            let by_hand = match loss.class {
                LossClass::DroppedField => "remove the field by hand",
                LossClass::Narrowed => "split the object by hand",
            };
            let help = format!("{first}`--allow-loss={code}` converts without it; or {by_hand}");
            blocks.push(remark(code, place.clone(), message, Some(help)));
        }
        if blocks.is_empty() { Ok(()) } else { Err(blocks) }
    }
}
