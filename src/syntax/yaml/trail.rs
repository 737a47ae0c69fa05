//! Answers: which path had a value before some intents of a list, and which path has it after them?
//!
//! An intent changes paths below one or two places. A long list is looked up by the places above a path, so that following one costs no
//! more for all the intents that are about something else.
//!
//! Invariant: a path is followed as if every intent were asked in turn.

use std::borrow::Borrow;
use std::ops::Range;

use super::intent::Intent;
use super::path_tree::PathTree;
use crate::syntax::field::FieldPath;

/// The longest list that is asked intent by intent.
const SHORT: usize = 16;

/// A list of intents, each about what those before it made.
#[derive(Clone, Debug)]
pub struct Trail<I> {
    intents: Vec<I>,
    /// Their numbers, ascending, by the places below which they change paths; none while the list is short.
    by_place: PathTree<Vec<usize>>,
}

impl<I> Default for Trail<I> {
    fn default() -> Self {
        Self { intents: Vec::new(), by_place: PathTree::default() }
    }
}

impl<I: Borrow<Intent>> Trail<I> {
    /// Returns the intents, in order.
    pub fn intents(&self) -> &[I] {
        &self.intents
    }

    /// Returns the intents, in order.
    pub fn into_intents(self) -> Vec<I> {
        self.intents
    }

    /// Adds an intent.
    pub fn push(&mut self, intent: I) {
        let was_short = self.is_short();
        self.intents.push(intent);
        if !self.is_short() {
            let first = if was_short { 0 } else { self.intents.len() - 1 };
            (first..self.intents.len()).for_each(|number| self.index(number));
        }
    }

    fn index(&mut self, number: usize) {
        for place in self.intents[number].borrow().places() {
            self.by_place.at_mut(&place).push(number);
        }
    }

    /// Returns the path before the intents of `range` of the value that is at `path` after them.
    pub fn origin(&self, range: Range<usize>, path: &FieldPath) -> FieldPath {
        let mut path = path.clone();
        let mut end = range.end;
        while let Some(number) = self.last(range.start..end, &path) {
            path = self.intents[number].borrow().origin(&path);
            end = number;
        }
        path
    }

    /// Returns the path after the intents of `range` of the value that is at `path` before them, as `follow` takes it through one that may
    /// move or remove it; `None` where that gives none.
    pub fn destination(
        &self,
        range: Range<usize>,
        path: &FieldPath,
        follow: impl Fn(&Intent, &FieldPath) -> Option<FieldPath>,
    ) -> Option<FieldPath> {
        let mut path = path.clone();
        let mut start = range.start;
        while let Some(number) = self.first(start..range.end, &path) {
            path = follow(self.intents[number].borrow(), &path)?;
            start = number + 1;
        }
        Some(path)
    }

    /// Returns the intents that may move a path, or remove what is there.
    pub(super) fn about<'t>(&'t self, path: &'t FieldPath) -> impl Iterator<Item = &'t Intent>
    where
        I: 't,
    {
        let all = if self.is_short() { &*self.intents } else { &[] };
        let asked = all.iter().map(Borrow::borrow).filter(|intent| intent.is_about(path));
        let indexed = self.by_place.along(path).flatten().map(|number| self.intents[*number].borrow());
        asked.chain(indexed)
    }

    fn is_about(&self, number: usize, path: &FieldPath) -> bool {
        self.intents[number].borrow().is_about(path)
    }

    fn is_short(&self) -> bool {
        self.intents.len() <= SHORT
    }

    /// Returns the last intent of `range` that may have moved what is at `path` after it.
    fn last(&self, range: Range<usize>, path: &FieldPath) -> Option<usize> {
        if self.is_short() {
            return range.rev().find(|number| self.is_about(*number, path));
        }
        let last = |numbers: &Vec<usize>| {
            let upto = numbers.partition_point(|number| *number < range.end);
            numbers[..upto].last().copied()
        };
        self.by_place.along(path).filter_map(last).max().filter(|number| *number >= range.start)
    }

    /// Returns the first intent of `range` that may move what is at `path` before it.
    fn first(&self, mut range: Range<usize>, path: &FieldPath) -> Option<usize> {
        if self.is_short() {
            return range.find(|number| self.is_about(*number, path));
        }
        let first =
            |numbers: &Vec<usize>| numbers.get(numbers.partition_point(|number| *number < range.start)).copied();
        self.by_place.along(path).filter_map(first).min().filter(|number| *number < range.end)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::super::naming::Place;
    use super::*;
    use crate::syntax::field::Step;

    /// A path of few keys and indices, so that many are above others.
    fn path() -> impl Strategy<Value = FieldPath> {
        let step = prop_oneof![prop_oneof!["a", "b"].prop_map(Step::Key), (0..3_usize).prop_map(Step::Index),];
        prop::collection::vec(step, 0..4).prop_map(FieldPath::new)
    }

    fn entry() -> impl Strategy<Value = FieldPath> {
        (path(), prop_oneof![Just(Step::Key("a".to_owned())), Just(Step::Index(1))])
            .prop_map(|(path, step)| path.with(step))
    }

    fn intent() -> impl Strategy<Value = Intent> {
        prop_oneof![
            (path(), "[ab]").prop_map(|(path, to)| Intent::Rename { path: path.key("b"), to }),
            entry().prop_map(|path| Intent::Delete { path }),
            entry().prop_map(|path| Intent::Insert { path, value: Value::Null, place: Place::Last }),
            (entry(), entry()).prop_map(|(from, to)| Intent::Move { from, to, place: Place::Last }),
            path().prop_map(|path| Intent::Wrap { path: path.index(0) }),
            path().prop_map(|path| Intent::Unwrap { path: path.index(0) }),
            path().prop_map(|path| Intent::Replace { path, value: Value::Null }),
            (path(), path()).prop_map(|(from, list)| Intent::MoveItems { from, list, index: 0, count: 1 }),
        ]
    }

    proptest! {
        #[test]
        fn paths_are_followed_as_through_each_intent(
            intents in prop::collection::vec(intent(), 0..2 * SHORT),
            path in path(),
            (start, end) in (0..SHORT, 0..SHORT),
        ) {
            let mut trail = Trail::default();
            intents.iter().cloned().for_each(|intent| trail.push(intent));
            let end = end.min(intents.len());
            let start = start.min(end);
            let asked = &intents[start..end];
            let origin = asked.iter().rev().fold(path.clone(), |path, intent| intent.origin(&path));
            prop_assert_eq!(trail.origin(start..end, &path), origin);
            let destination = asked.iter().try_fold(path.clone(), |path, intent| intent.destination(&path));
            prop_assert_eq!(trail.destination(start..end, &path, Intent::destination), destination);
        }
    }
}
