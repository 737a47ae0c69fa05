//! Which field of the new side is which field of the old one?
//!
//! What both sides call the same is the same. Of the rest, the pair for which most speaks is taken first, then what is in the two is
//! compared; where nothing speaks for a whole mapping, its parts are looked at.

use std::collections::{BTreeMap, BTreeSet};

use super::score::{Form, MARGIN, POSSIBLE, Places, SURE, Score, form, score};
use super::side::Side;
use crate::authoring::renames::{is_renamed, last_key, words};
use crate::syntax::field::{FieldPattern, Part};

/// A field that became another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Moved {
    pub(super) old: FieldPattern,
    /// Where it would be without this move.
    pub(super) from: FieldPattern,
    pub(super) new: FieldPattern,
    pub(super) score: Score,
}

/// A field that went, and what it may have become, the most likely first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unsure {
    pub(super) old: FieldPattern,
    pub(super) from: FieldPattern,
    pub(super) candidates: Vec<(FieldPattern, Score)>,
}

/// The fields of two sides, side by side.
pub(super) struct Pairing<'s, 'c> {
    old: &'s Side<'c>,
    new: &'s Side<'c>,
    /// What became of fields, the outer ones first.
    pub(super) moved: Vec<Moved>,
    /// Fields whose form changed, for which there is no operation: as both sides call them.
    pub(super) reformed: Vec<(FieldPattern, FieldPattern)>,
    /// Where the value of a field is that moved or was wrapped.
    inner: BTreeMap<FieldPattern, FieldPattern>,
    gone: BTreeSet<FieldPattern>,
    came: BTreeSet<FieldPattern>,
    /// Mappings that went, whose parts are looked at.
    opened: BTreeSet<FieldPattern>,
    taken: BTreeSet<FieldPattern>,
    scores: BTreeMap<(FieldPattern, FieldPattern), Option<Score>>,
}

impl<'s, 'c> Pairing<'s, 'c> {
    /// Pairs the fields of two sides.
    pub(super) fn of(old: &'s Side<'c>, new: &'s Side<'c>) -> Self {
        let mut pairing = Self {
            old,
            new,
            moved: Vec::new(),
            reformed: Vec::new(),
            inner: BTreeMap::new(),
            gone: BTreeSet::new(),
            came: BTreeSet::new(),
            opened: BTreeSet::new(),
            taken: BTreeSet::new(),
            scores: BTreeMap::new(),
        };
        pairing.walk(&FieldPattern::default(), &FieldPattern::default());
        loop {
            if let Some(moved) = pairing.best() {
                pairing.take(moved);
            } else if !pairing.open() {
                return pairing;
            }
        }
    }

    /// Returns where the value of an old field is on the new side, if it is there.
    pub(super) fn image(&self, field: &FieldPattern) -> FieldPattern {
        let mut above = Some(field.clone());
        while let Some(at) = above {
            if let Some(inner) = self.inner.get(&at) {
                return inner.join(&field.below(&at).expect("it is above"));
            }
            above = at.split_last().map(|(above, _)| above);
        }
        field.clone()
    }

    /// Returns where the value of a new field was on the old side, if it was there.
    pub(super) fn source(&self, field: &FieldPattern) -> FieldPattern {
        let around = self.inner.iter().filter_map(|(old, new)| Some((new.parts().len(), old, field.below(new)?)));
        // The value itself is what it was taken out of, what is in it is what was there.
        let rank = |(depth, old, below): &(usize, &FieldPattern, FieldPattern)| {
            let size = old.parts().len();
            (*depth, if below.parts().is_empty() { usize::MAX - size } else { size })
        };
        around.max_by_key(rank).map_or_else(|| field.clone(), |(_, old, below)| old.join(&below))
    }

    /// Returns the fields that went without a successor that is certain, each with those that are possible.
    pub(super) fn unsure(&mut self) -> Vec<Unsure> {
        let is_filled = |opened: &FieldPattern| self.moved.iter().any(|moved| moved.old.starts_with(opened));
        let empty: Vec<&FieldPattern> = self.opened.iter().filter(|opened| !is_filled(opened)).collect();
        let is_inside = |field: &FieldPattern| empty.iter().any(|other| *other != field && field.starts_with(other));
        let whole: Vec<FieldPattern> =
            empty.iter().filter(|field| !is_inside(field)).map(|field| (*field).clone()).collect();
        let mut gone: Vec<FieldPattern> = self.gone.iter().cloned().collect();
        gone.retain(|field| !whole.iter().any(|whole| field.starts_with(whole)));
        gone.extend(whole);
        gone.sort();
        let targets = self.targets();
        let unsure = gone.into_iter().map(|old| {
            let all: Vec<FieldPattern> = targets.iter().cloned().chain(self.twins(&old)).collect();
            let scored = all.iter().filter_map(|new| Some((new.clone(), self.score(&old, new)?)));
            let mut candidates: Vec<_> = scored.filter(|(_, score)| score.confidence >= POSSIBLE).collect();
            candidates.sort_by_key(|(new, score)| (std::cmp::Reverse(score.confidence), new.clone()));
            candidates.truncate(3);
            Unsure { from: self.image(&old), old, candidates }
        });
        unsure.collect()
    }

    /// Returns whether a new field has no counterpart on the old side.
    pub(super) fn is_new(&self, field: &FieldPattern) -> bool {
        self.old.get(&self.source(field)).is_none()
    }

    /// Compares what is in two fields that are the same.
    fn walk(&mut self, old: &FieldPattern, new: &FieldPattern) {
        let children = self.old.children(old).to_vec();
        for child in &children {
            let part = child.parts().last().expect("it is in something").clone();
            let same = new.with(part.clone());
            if self.new.get(&same).is_none() {
                // What a list or a mapping holds goes with its form.
                if matches!(part, Part::Key(_)) {
                    self.gone.insert(child.clone());
                }
                continue;
            }
            match form(self.old, child, self.new, &same) {
                Some((Form::Same, _)) => self.walk(child, &same),
                // Where something else in it would be lost, a person says what becomes of that.
                Some((Form::Other | Form::OfList(false) | Form::Key(_, false) | Form::OfKey(_, false), _)) | None => {
                    self.reformed.push((child.clone(), same))
                }
                Some((form, _)) if matches!(part, Part::Key(_) | Part::Items) => {
                    let reason = "the same name in another form".to_owned();
                    let score = Score { form, confidence: 92, reason };
                    self.take(Moved { old: child.clone(), from: same.clone(), new: same, score });
                }
                Some(_) => self.reformed.push((child.clone(), same)),
            }
        }
        for child in self.new.keys(new) {
            let part = child.parts().last().expect("it is in something").clone();
            if self.old.get(&old.with(part)).is_none() {
                self.came.insert(child.clone());
            }
        }
    }

    /// Notes what became of a field, and compares what is in it.
    fn take(&mut self, moved: Moved) {
        let inner = match &moved.score.form {
            Form::Same | Form::Other | Form::OfList(_) | Form::OfKey(..) => moved.new.clone(),
            Form::Entries(_, value) => moved.new.items().key(value),
            Form::Item | Form::Joined => moved.new.items(),
            Form::Key(key, _) => moved.new.key(key),
        };
        let old = moved.old.clone();
        self.gone.remove(&old);
        self.came.remove(&moved.new);
        self.taken.insert(moved.new.clone());
        // What the value was in, where that is not the field itself.
        let within = match &moved.score.form {
            Form::OfList(_) => Some(old.items()),
            Form::OfKey(key, _) => Some(old.key(key)),
            _ => None,
        };
        self.inner.extend(within.clone().map(|within| (within, inner.clone())));
        let is_entries = matches!(moved.score.form, Form::Entries(..));
        self.inner.insert(if is_entries { old.with(Part::Values) } else { old.clone() }, inner.clone());
        if is_entries {
            self.inner.insert(old.clone(), moved.new.clone());
        }
        self.moved.push(moved);
        if !is_entries {
            self.walk(&within.unwrap_or(old), &inner);
        }
    }

    /// Lists the fields beside a field that both sides have, and whose names are the same but for their spelling.
    fn twins(&self, old: &FieldPattern) -> Vec<FieldPattern> {
        let Some((around, Part::Key(name))) = old.split_last() else { return Vec::new() };
        let own = words(name).concat();
        let around = self.image(&around);
        let beside = self.new.keys(&around).filter(|key| !self.came.contains(*key));
        beside.filter(|key| words(last_key(key).unwrap_or_default()).concat() == own).cloned().collect()
    }

    /// Lists what a field can have become: what came, and what is in a mapping that came.
    fn targets(&self) -> Vec<FieldPattern> {
        let mut targets = Vec::new();
        let mut open: Vec<FieldPattern> = self.came.iter().rev().cloned().collect();
        while let Some(at) = open.pop() {
            if self.taken.contains(&at) {
                continue;
            }
            open.extend(self.new.keys(&at).cloned());
            // Where a part of it was filled, the whole is not free.
            if !self.taken.iter().any(|taken| taken.starts_with(&at)) {
                targets.push(at);
            }
        }
        targets
    }

    fn score(&mut self, old: &FieldPattern, new: &FieldPattern) -> Option<Score> {
        let key = (old.clone(), new.clone());
        if let Some(known) = self.scores.get(&key) {
            return known.clone();
        }
        let from = self.image(old);
        let (is_only, is_renamed) = (self.is_only(old, &from, new), self.is_renamed(old, &from, new));
        let was_there = self.old.get(&self.source(new)).is_some();
        let places = Places { old, from: &from, new, is_only, was_there, is_renamed };
        let found = score(self.old, self.new, &places);
        self.scores.insert(key, found.clone());
        found
    }

    /// Returns whether no other field of the same form went or came there; elsewhere, whether none of the same name did.
    fn is_only(&self, old: &FieldPattern, from: &FieldPattern, new: &FieldPattern) -> bool {
        let above = |field: &FieldPattern| field.split_last().map(|(above, _)| above);
        if above(from) == above(new) {
            let fits = |one: &FieldPattern, other: &FieldPattern| {
                form(self.old, one, self.new, other).is_some_and(|(form, _)| form != Form::Other)
            };
            let went = self.gone.iter().filter(|other| above(other) == above(old) && fits(other, new));
            let came = self.came.iter().filter(|other| above(other) == above(new) && fits(old, other));
            return went.count() == 1 && came.count() == 1;
        }
        let name = last_key(new);
        self.targets().iter().filter(|other| last_key(other) == name).count() == 1
            && self.gone.iter().filter(|other| last_key(other) == last_key(old)).count() == 1
    }

    /// Returns whether what a field accepts shows that it is one that came beside it.
    fn is_renamed(&self, old: &FieldPattern, from: &FieldPattern, new: &FieldPattern) -> bool {
        let above = |field: &FieldPattern| field.split_last().map(|(above, _)| above);
        if above(from) != above(new) || !self.came.contains(new) {
            return false;
        }
        let beside = |all: &'_ BTreeSet<FieldPattern>, at: &FieldPattern| -> Vec<FieldPattern> {
            all.iter().filter(|other| above(other) == above(at)).cloned().collect()
        };
        let (went, came) = (beside(&self.gone, old), beside(&self.came, new));
        let all_gone: Vec<_> = went.iter().filter_map(|field| self.old.candidate(field)).collect();
        let all_came: Vec<_> = came.iter().filter_map(|field| self.new.candidate(field)).collect();
        let pair = self.old.candidate(old).zip(self.new.candidate(new));
        pair.is_some_and(|(gone, came)| is_renamed([&gone, &came], [&all_gone, &all_came]))
    }

    /// Returns the pair for which most speaks, if that is certain.
    fn best(&mut self) -> Option<Moved> {
        let (gone, targets): (Vec<_>, _) = (self.gone.iter().cloned().collect(), self.targets());
        let mut found: Vec<(u32, FieldPattern, FieldPattern)> = Vec::new();
        for old in &gone {
            for new in targets.iter().chain(&self.twins(old)) {
                if let Some(score) = self.score(old, new).filter(|score| score.confidence >= POSSIBLE) {
                    found.push((score.confidence, old.clone(), new.clone()));
                }
            }
        }
        found.sort_by_key(|(confidence, old, new)| (std::cmp::Reverse(*confidence), old.clone(), new.clone()));
        let sure = found.iter().take_while(|(confidence, ..)| *confidence >= SURE);
        let is_clear = |(confidence, old, new): &&(u32, FieldPattern, FieldPattern)| {
            let rivals = found.iter().filter(|(_, other, its)| (other == old) != (its == new));
            // A field in the other one is no rival, but a part of it, or what has it as a part.
            let is_part = |its: &FieldPattern| its.starts_with(new) || new.starts_with(its);
            let rivals = rivals.filter(|(_, other, its)| !(other == old && is_part(its)));
            rivals.map(|(other, ..)| *other).max().is_none_or(|rival| rival + MARGIN <= *confidence)
        };
        let (_, old, new) = sure.into_iter().find(is_clear)?.clone();
        let score = self.score(&old, &new)?;
        Some(Moved { from: self.image(&old), old, new, score })
    }

    /// Looks at the parts of a mapping that went; returns whether there is another one.
    fn open(&mut self) -> bool {
        let is_empty = self.targets().is_empty();
        let mappings = self.gone.iter().find(|field| self.old.keys(field).next().is_some()).cloned();
        let Some(field) = mappings.filter(|_| !is_empty) else { return false };
        self.gone.remove(&field);
        self.gone.extend(self.old.keys(&field).cloned());
        self.opened.insert(field);
        true
    }
}
