//! Answers: which edits of the file change every reading as wanted?
//!
//! Invariant: a reading that prints a byte that an edit touches wants that edit.

use super::environment::Environment;
use super::filled::spoiled_hole;
use super::lex::{Action, Unclosed};
use super::memo::Known;
use super::print::Printer;
use super::reading::{Choice, Hole, Placeholders, Reading};
use super::source::{Candidate, Changes, Mapped, Obstacle};
use super::tree::Template;
use crate::syntax::text::{Edit, EditSet, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A reading and what is to change in its text.
#[derive(Clone, Copy, Debug)]
pub struct Edited<'r> {
    /// The reading.
    pub reading: &'r Reading,
    /// The edits of its text.
    pub edits: &'r EditSet,
}

/// Why there are no edits of the file that change every reading as wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disagreement {
    /// An action stands in the way of an edit.
    Obstacle(Obstacle),
    /// A reading prints the bytes that an edit of another one touches, and does not want that edit.
    Conflict {
        /// The bytes of the file.
        span: Span,
        /// Whether the edit only adds something beside them.
        is_addition: bool,
        /// The number of the action that begins a block in which the readings differ.
        action: usize,
    },
}

/// What the file does not print as wanted after edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// It is no template any more.
    Unclosed(Unclosed),
    /// An action is lost or changed.
    Actions,
    /// This reading, by its index, prints another text, first behind this action, where there is one.
    Reading(usize, Option<Obstacle>),
    /// What an action prints would belong to another key or item.
    Hole(Obstacle),
}

impl Mismatch {
    /// Returns the action in the way, where it is known.
    pub fn obstacle(self) -> Option<Obstacle> {
        match self {
            Self::Reading(_, obstacle) => obstacle,
            Self::Hole(obstacle) => Some(obstacle),
            Self::Unclosed(_) | Self::Actions => None,
        }
    }
}

/// Returns the edits of the file on which all readings agree.
pub fn agree(template: &Template, edited: &[Edited<'_>]) -> Result<Mapped, Disagreement> {
    let mut meeting =
        Meeting { template, edited, changes: Vec::new(), offers: BTreeMap::new(), settled: BTreeSet::new() };
    let mut copied = BTreeSet::new();
    for one in edited {
        if let Some(action) = one.reading.torn_item(template, one.edits) {
            return Err(Disagreement::Obstacle(Obstacle { action }));
        }
        let changes = one.reading.changes(template, one.edits).map_err(Disagreement::Obstacle)?;
        copied.extend(changes.copied.iter().copied());
        meeting.changes.push(changes);
    }
    meeting.collect_offers();
    // Behind an action only where no byte is there that all have.
    let settled = meeting
        .settle(|one| !one.is_behind_action)
        .or_else(|conflict| meeting.settle(|_| true).map_err(|_| conflict))?;
    let edits = EditSet::new(settled)
        .map_err(|overlap| meeting.conflict((Span::new(overlap.at, overlap.at), false), &BTreeSet::new()))?;
    Ok(Mapped { edits, copied: copied.into_iter().collect() })
}

/// A change of a reading, by their indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Offer {
    reading: usize,
    change: usize,
}

struct Meeting<'r> {
    template: &'r Template,
    edited: &'r [Edited<'r>],
    changes: Vec<Changes>,
    /// The changes that an edit can make.
    offers: BTreeMap<Edit, Vec<Offer>>,
    settled: BTreeSet<Offer>,
}

impl Meeting<'_> {
    fn collect_offers(&mut self) {
        for (reading, changes) in self.changes.iter().enumerate() {
            for (change, candidates) in changes.changes.iter().enumerate() {
                for candidate in candidates {
                    let offers = self.offers.entry(candidate.edit.clone()).or_default();
                    if offers.last() != Some(&Offer { reading, change }) {
                        offers.push(Offer { reading, change });
                    }
                }
            }
        }
    }

    fn settle(&mut self, is_tried: impl Fn(&Candidate) -> bool) -> Result<Vec<Edit>, Disagreement> {
        let mut edits = Vec::new();
        self.settled.clear();
        for reading in 0..self.changes.len() {
            for change in 0..self.changes[reading].changes.len() {
                if self.settled.contains(&Offer { reading, change }) {
                    continue;
                }
                let candidates = &self.changes[reading].changes[change];
                // What suits most readings, and of those what is best for this one.
                let agreed =
                    candidates.iter().rev().filter(|one| is_tried(one) && self.stranger(one, reading).is_none());
                let Some(edit) = agreed.map(|one| one.edit.clone()).max_by_key(|edit| self.offers[edit].len()) else {
                    let wanted = self.offers[&candidates[0].edit].iter().map(|offer| offer.reading).collect();
                    let first = &candidates[0];
                    return Err(self.conflict((first.touched, first.edit.span.is_empty()), &wanted));
                };
                self.settled.extend(&self.offers[&edit]);
                edits.push(edit);
            }
        }
        Ok(edits)
    }

    /// Returns a reading that changes with a candidate of `own`, but does not want it, or not any more, or twice.
    fn stranger(&self, candidate: &Candidate, own: usize) -> Option<usize> {
        let offers = &self.offers[&candidate.edit];
        let wants = |reading: usize| {
            let mut wanted = offers.iter().filter(|offer| offer.reading == reading);
            wanted.next().is_some_and(|offer| !self.settled.contains(offer)) && wanted.next().is_none()
        };
        let Candidate { touched, is_behind_action, .. } = *candidate;
        let part = self.edited[own].reading.part;
        let prints = |reading: usize| {
            let reading = self.edited[reading].reading;
            let goes = || reading.part == part && reading.goes_through(self.template, touched.start);
            if is_behind_action { goes() } else { reading.prints(self.template, touched) }
        };
        let offered = |reading: usize| offers.iter().any(|offer| offer.reading == reading);
        (0..self.edited.len()).find(|reading| (prints(*reading) || offered(*reading)) && !wants(*reading))
    }

    /// Returns the first block in which a reading that is in `wanted` differs from one that prints the bytes and is not: of the two that are
    /// most alike.
    fn conflict(&self, (span, is_addition): (Span, bool), wanted: &BTreeSet<usize>) -> Disagreement {
        let prints = |reading: &usize| self.edited[*reading].reading.prints(self.template, span);
        let others: Vec<usize> = (0..self.edited.len()).filter(|one| !wanted.contains(one)).filter(prints).collect();
        let pairs = wanted.iter().flat_map(|one| others.iter().map(|other| self.differing(*one, *other)));
        let differing = pairs.filter(|blocks| !blocks.is_empty()).min_by_key(Vec::len);
        let actions = self.template.actions();
        let nearest = || actions.partition_point(|action| action.span.start <= span.start).saturating_sub(1);
        Disagreement::Conflict { span, is_addition, action: differing.map_or_else(nearest, |blocks| blocks[0]) }
    }

    /// Returns the blocks in which two readings differ.
    fn differing(&self, one: usize, other: usize) -> Vec<usize> {
        let [one, other] = [one, other].map(|reading| &self.edited[reading].reading.choices);
        let others: BTreeMap<_, _> = other.iter().map(|choice| (choice.block, choice.branch)).collect();
        let differs = |choice: &&Choice| others.get(&choice.block).is_some_and(|branch| *branch != choice.branch);
        one.iter().filter(differs).map(|choice| choice.block).collect()
    }
}

/// Checks that with `edits` of the file, every reading prints its edited text, and that no action is lost.
pub fn verify(
    template: &Template,
    edits: &EditSet,
    edited: &[Edited<'_>],
    environment: Environment<'_>,
) -> Result<(), Mismatch> {
    let after = Template::parse(edits.apply(template.text())).map_err(Mismatch::Unclosed)?;
    if !keeps_actions(template, &after) {
        return Err(Mismatch::Actions);
    }
    let (placeholders, seen, known) = (Placeholders::new(template), BTreeSet::new(), Rc::new(Known::default()));
    for (index, one) in edited.iter().enumerate() {
        let part = after.part(one.reading.part).ok_or(Mismatch::Reading(index, None))?;
        // What a definition is printed with is not known.
        let values = environment.values.filter(|_| part.name().is_none());
        let environment = Environment { values, ..environment };
        let mut printer = Printer::new(part, environment, &placeholders, &seen, &known).text_alone();
        printer.name_as(one.reading);
        printer.run(&one.reading.claims).map_err(|_| Mismatch::Reading(index, None))?;
        let printed = printer.finish(Vec::new()).reading;
        let expected = one.edits.apply(&one.reading.text);
        if printed.text != expected || printed.holes.len() != one.reading.holes.len() {
            return Err(Mismatch::Reading(index, difference(template, &after, &printed, &expected)));
        }
        if !one.reading.kept.is_empty() {
            let mut printer = Printer::new(part, environment, &placeholders, &seen, &known).text_alone();
            printer.name_as(&Reading { kept: BTreeSet::new(), ..one.reading.clone() });
            printer.run(&one.reading.claims).map_err(|_| Mismatch::Reading(index, None))?;
            let plain = printer.finish(Vec::new()).reading;
            let lines = |text: &str| one.reading.printed_lines(&placeholders, text);
            if lines(&plain.text) != lines(&expected) {
                return Err(Mismatch::Reading(index, difference(template, &after, &plain, &expected)));
            }
        }
        // A line of its own stays one.
        let mut holes = one.reading.holes.iter().zip(&printed.holes);
        let is_alone = |template: &Template, hole: &Hole| template.actions()[hole.action].alone;
        let joins = holes.find(|(own, new)| is_alone(template, own) && !is_alone(&after, new));
        let stray = || one.reading.stray_hole(one.edits, &printed);
        let spoiled = || spoiled_hole(one.reading, one.edits, &printed);
        if let Some(action) = joins.map(|(own, _)| own.action).or_else(stray).or_else(spoiled) {
            return Err(Mismatch::Hole(Obstacle { action }));
        }
    }
    Ok(())
}

/// Returns the action of `before` behind which what is printed of `after` is not what was expected.
fn difference(before: &Template, after: &Template, printed: &Reading, expected: &str) -> Option<Obstacle> {
    let at = printed.text.bytes().zip(expected.bytes()).take_while(|(one, other)| one == other).count();
    let place = printed.source_of(after, at);
    let near = after.actions().partition_point(|action| action.span.start <= place).checked_sub(1)?;
    let text = after.actions()[near].span.of(after.text());
    let is_it = |template: &Template, action: &Action| action.span.of(template.text()) == text;
    let earlier = after.actions()[..near].iter().filter(|action| is_it(after, action)).count();
    let mut alike = (0..before.actions().len()).filter(|at| is_it(before, &before.actions()[*at]));
    let first = alike.next()?;
    Some(Obstacle { action: alike.take(earlier).last().unwrap_or(first) })
}

/// Returns whether every action of one file is in the other as often, or is copied there.
fn keeps_actions(before: &Template, after: &Template) -> bool {
    let mut counts = BTreeMap::<&str, isize>::new();
    after.actions().iter().for_each(|action| *counts.entry(action.span.of(after.text())).or_default() += 1);
    before.actions().iter().for_each(|action| *counts.entry(action.span.of(before.text())).or_default() -= 1);
    let copies: BTreeSet<String> = before.actions().iter().map(|action| action.untrimmed(before.text())).collect();
    counts.iter().all(|(text, count)| *count == 0 || (*count > 0 && copies.contains(*text)))
}
