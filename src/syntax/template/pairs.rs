//! Answers: which branches of blocks do the readings have, and which of them together?

use std::collections::BTreeMap;

use fixedbitset::FixedBitSet;

/// A branch of a block; the one behind the last stands for none of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Way {
    /// The number of the block.
    pub(super) block: usize,
    pub(super) branch: usize,
}

/// The ways that are in some reading, and which are in one together.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    /// The numbers of the ways that were met.
    numbers: BTreeMap<Way, usize>,
    /// With which ways each one is in a reading, by their numbers: also with itself.
    with: Vec<FixedBitSet>,
}

/// Ways of different blocks.
#[derive(Debug, Default)]
pub(super) struct Ways {
    numbers: FixedBitSet,
    count: usize,
}

impl Pairs {
    /// Gives a way its number.
    pub(super) fn meet(&mut self, way: Way) -> usize {
        let next = self.with.len();
        let number = *self.numbers.entry(way).or_insert(next);
        if number == next {
            self.with.push(FixedBitSet::new());
        }
        number
    }

    /// Adds the ways of a reading.
    pub(super) fn add(&mut self, ways: &[Way]) {
        let numbers: Vec<usize> = ways.iter().map(|way| self.meet(*way)).collect();
        let mut all = FixedBitSet::with_capacity(self.with.len());
        all.extend(numbers.iter().copied());
        for number in numbers {
            let with = &mut self.with[number];
            with.grow(all.len());
            with.union_with(&all);
        }
    }

    /// Returns whether a reading takes a way.
    pub(super) fn has(&self, way: Way) -> bool {
        self.has_both(way, way)
    }

    /// Returns whether a reading takes both ways.
    pub(super) fn has_both(&self, one: Way, other: Way) -> bool {
        let numbers = self.numbers.get(&one).zip(self.numbers.get(&other));
        numbers.is_some_and(|(one, other)| self.with[*one].contains(*other))
    }

    /// Returns ways that were met as a set.
    pub(super) fn set(&self, ways: &[Way]) -> Ways {
        let mut set = Ways::default();
        ways.iter().for_each(|way| self.insert(*way, &mut set));
        set
    }

    /// Adds a way that was met to `ways`.
    pub(super) fn insert(&self, way: Way, ways: &mut Ways) {
        ways.numbers.grow_and_insert(self.numbers[&way]);
        ways.count += 1;
    }

    /// Returns how many pairs a reading with the ways `before` shows anew if it takes `way`, which was met, too.
    pub(super) fn gain(&self, way: Way, before: &Ways) -> usize {
        before.count - self.with[self.numbers[&way]].intersection_count(&before.numbers)
    }
}
