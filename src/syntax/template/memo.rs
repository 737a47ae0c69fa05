//! Answers: was what an action prints found before, in another reading?
//!
//! Most actions print the same in most readings of a part. What is found for one is kept with all that was looked up for that of what its
//! reading assumes: a reading that assumes the same of it takes what was found.
//!
//! Invariant: what is taken is what would be found.

use super::default_value::{Around, Description, Ranges};
use super::judge::{Asked, Judge};
use super::outputs::Outputs;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// How much is kept of one action.
const MOST: usize = 8;

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
    pub(super) fn descriptions(&self, around: Around) -> &Memo<Description> {
        &self.descriptions[around as usize]
    }
}

/// Something that was found.
struct Found<T> {
    /// What was looked up for that.
    asked: Asked,
    /// How many steps that took.
    steps: u32,
    value: Rc<T>,
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
    /// Returns what was found for `text` in a reading for which that is the same, else what is found now.
    pub(super) fn get(&self, text: &str, judge: &Judge<'_>, ranges: &Ranges, find: impl FnOnce() -> T) -> Rc<T> {
        let is_same = |found: &&Found<T>| judge.is_asked_alike(&found.asked, ranges) && judge.spend_all(found.steps);
        if let Some(known) = self.found.borrow().get(text).and_then(|all| all.iter().find(is_same)) {
            judge.record_asked(|asked| asked.add(&known.asked));
            return Rc::clone(&known.value);
        }
        let before = judge.fuel();
        let (asked, new) = judge.recording(find);
        let (mut found, value) = (self.found.borrow_mut(), Rc::new(new));
        let all = found.entry(text.to_owned()).or_default();
        if all.len() < MOST && asked.is_complete() && judge.fuel() > 0 {
            let steps = before.saturating_sub(judge.fuel());
            all.push(Found { asked, steps, value: Rc::clone(&value) });
        }
        value
    }
}
