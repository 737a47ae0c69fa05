//! Answers: was what an action prints found before, in another reading?
//!
//! Most actions print the same in most readings of a part. What is found for one is kept with all that was looked up for that of what its
//! reading assumes: a reading that assumes the same of it takes what was found (`judge`).
//!
//! Invariant: what is taken is what would be found.

use super::description::{Around, Description};
use super::expression::Expression;
use super::possible_texts::Outputs;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// How much is kept of one action.
const MOST: usize = 8;

/// How long the texts may be together of what was looked up.
const LONGEST: usize = 1 << 12;

/// What was looked up of what a reading assumes.
#[derive(Clone, Default)]
pub(super) struct Asked {
    /// What is assumed of conditions, by their texts.
    pub(super) truths: BTreeMap<String, Option<bool>>,
    /// What expressions are assumed to be, by their texts.
    pub(super) constants: BTreeMap<String, Option<Expression>>,
    /// What ranges go through, by their numbers.
    pub(super) ranges: BTreeMap<usize, Option<Expression>>,
    /// How long the texts are together, also of what is not recorded since they got too long.
    length: usize,
}

impl Asked {
    /// Adds what is assumed of the condition with a text.
    pub(super) fn add_truth(&mut self, text: &str, truth: Option<bool>) {
        if !self.truths.contains_key(text) && self.has_room(text) {
            self.truths.insert(text.to_owned(), truth);
        }
    }

    /// Adds what the expression with a text is assumed to be.
    pub(super) fn add_constant(&mut self, text: &str, constant: Option<&Expression>) {
        if !self.constants.contains_key(text) && self.has_room(text) {
            self.constants.insert(text.to_owned(), constant.cloned());
        }
    }

    /// Adds what was looked up for something else.
    pub(super) fn add(&mut self, other: &Self) {
        other.truths.iter().for_each(|(text, truth)| self.add_truth(text, *truth));
        other.constants.iter().for_each(|(text, constant)| self.add_constant(text, constant.as_ref()));
        self.ranges.extend(other.ranges.iter().map(|(range, collection)| (*range, collection.clone())));
        // If something is missing there, it is here too.
        self.length = self.length.max(other.length);
    }

    fn has_room(&mut self, text: &str) -> bool {
        self.length += text.len();
        self.is_complete()
    }

    /// Returns whether all of it is recorded.
    pub(super) fn is_complete(&self) -> bool {
        self.length <= LONGEST
    }
}

/// What was found for the readings of a part.
#[derive(Default)]
pub(super) struct Known {
    /// The texts that actions can print.
    pub(super) outputs: Memo<Outputs>,
    /// The texts that definitions can print.
    pub(super) definitions: Memo<Outputs>,
    /// What else is known of what they print, of entries or items, of a text in quotes, and of any data.
    descriptions: [Memo<Description>; 3],
}

impl Known {
    /// Returns what else is known of what they print there.
    pub(super) fn descriptions(&self, around: Around) -> &Memo<Description> {
        &self.descriptions[around as usize]
    }
}

/// Something that was found.
pub(super) struct Found<T> {
    /// What was looked up for that.
    pub(super) asked: Rc<Asked>,
    /// How many steps that took.
    pub(super) steps: u32,
    pub(super) value: Rc<T>,
}

impl<T> Clone for Found<T> {
    fn clone(&self) -> Self {
        Self { asked: Rc::clone(&self.asked), steps: self.steps, value: Rc::clone(&self.value) }
    }
}

/// What was found, by the texts of what it was found for.
pub(super) struct Memo<T> {
    found: RefCell<BTreeMap<String, Vec<Found<T>>>>,
}

impl<T> Default for Memo<T> {
    fn default() -> Self {
        Self { found: RefCell::default() }
    }
}

impl<T> Memo<T> {
    /// Returns what was found for `text`, where all that was looked up for that `is_same`.
    pub(super) fn get(&self, text: &str, is_same: impl Fn(&Found<T>) -> bool) -> Option<Found<T>> {
        self.found.borrow().get(text)?.iter().find(|found| is_same(found)).cloned()
    }

    /// Keeps what was found for `text`, if there is room.
    pub(super) fn keep(&self, text: &str, found: Found<T>) {
        let mut all = self.found.borrow_mut();
        let own = all.entry(text.to_owned()).or_default();
        if own.len() < MOST {
            own.push(found);
        }
    }
}
