//! Answers: was what an action prints found before, in another reading?
//!
//! Most actions print the same in most readings of a part. What is found for one is kept with all that was looked up for that of what its
//! reading assumes: a reading that assumes the same of it takes what was found.
//!
//! Invariant: what is taken is what would be found.

use super::default_value::{Description, Ranges};
use super::expression::Expression;
use super::judge::Judge;
use super::outputs::Outputs;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// How much is kept of one action.
const MOST: usize = 8;

/// How long the texts may be together of what was looked up for it.
const LONGEST: usize = 1 << 12;

/// What was looked up of what a reading assumes.
#[derive(Clone, Default)]
pub(super) struct Asked {
    /// What is assumed of conditions, by their texts.
    truths: BTreeMap<String, Option<bool>>,
    /// What expressions are assumed to be, by their texts.
    constants: BTreeMap<String, Option<Expression>>,
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

    fn has_room(&mut self, text: &str) -> bool {
        self.length += text.len();
        self.is_complete()
    }

    fn is_complete(&self) -> bool {
        self.length <= LONGEST
    }

    /// Returns whether all of it would be the same in the reading of another judge.
    fn is_same(&self, judge: &Judge<'_>, ranges: &Ranges) -> bool {
        self.truths.iter().all(|(text, truth)| judge.assumed(text) == *truth)
            && self.constants.iter().all(|(text, constant)| judge.constant(text) == constant.as_ref())
            && self.ranges.iter().all(|(range, collection)| ranges.get(range) == collection.as_ref())
    }
}

/// What was found for the readings of a part.
#[derive(Default)]
pub(super) struct Known {
    /// The texts that actions can print.
    pub(super) outputs: Memo<Outputs>,
    /// What else is known of what they print.
    pub(super) descriptions: Memo<Description>,
}

/// What was found, by the texts of what it was found for.
pub(super) struct Memo<T> {
    found: RefCell<HashMap<String, Vec<(Asked, Rc<T>)>>>,
}

impl<T> Default for Memo<T> {
    fn default() -> Self {
        Self { found: RefCell::default() }
    }
}

impl<T> Memo<T> {
    /// Returns what was found for `text` in a reading for which that is the same, else what is found now.
    pub(super) fn get(&self, text: String, judge: &Judge<'_>, ranges: &Ranges, find: impl FnOnce() -> T) -> Rc<T> {
        let is_same = |(asked, _): &&(Asked, Rc<T>)| asked.is_same(judge, ranges);
        if let Some((_, known)) = self.found.borrow().get(&text).and_then(|all| all.iter().find(is_same)) {
            return Rc::clone(known);
        }
        judge.refuel();
        let (asked, new) = judge.recording(find);
        let (mut found, new) = (self.found.borrow_mut(), Rc::new(new));
        let all = found.entry(text).or_default();
        if all.len() < MOST && asked.is_complete() {
            all.push((asked, Rc::clone(&new)));
        }
        new
    }
}
