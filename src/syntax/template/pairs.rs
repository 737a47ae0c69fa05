//! Answers: which branches of blocks do the readings have, and which of them together?

use std::collections::{BTreeMap, BTreeSet};

/// A branch of a block; the one behind the last stands for none of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Way {
    /// The number of the block.
    pub(super) block: usize,
    pub(super) branch: usize,
}

/// The ways that are in some reading, each with those that are in one together with it.
#[derive(Debug, Default)]
pub(super) struct Pairs(BTreeMap<Way, BTreeSet<Way>>);

impl Pairs {
    /// Adds the ways of a reading.
    pub(super) fn add(&mut self, ways: &[Way]) {
        for way in ways {
            self.0.entry(*way).or_default().extend(ways);
        }
    }

    /// Returns whether a reading takes a way.
    pub(super) fn has(&self, way: Way) -> bool {
        self.0.contains_key(&way)
    }

    /// Returns whether a reading takes both ways.
    pub(super) fn has_both(&self, one: Way, other: Way) -> bool {
        self.0.get(&one).is_some_and(|with| with.contains(&other))
    }

    /// Returns how many pairs a reading with the ways `before` shows anew if it takes `way` too.
    pub(super) fn gain(&self, way: Way, before: &[Way]) -> usize {
        let with = self.0.get(&way);
        before.iter().filter(|other| !with.is_some_and(|with| with.contains(other))).count()
    }
}
