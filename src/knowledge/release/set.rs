//! Answers: which releases of one line does a set hold?
//!
//! Invariant: equal sets have equal words.

use std::collections::BTreeSet;
use std::ops::{BitAnd, BitOr};
use std::sync::{LazyLock, PoisonError, RwLock};

/// A position on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReleaseId(u16);

impl ReleaseId {
    /// Returns the position from the oldest release, from 0.
    pub(super) fn at(self) -> usize {
        self.0.into()
    }
}

/// The most releases (bundle x channel) that one pack can have.
pub(crate) const MAX_RELEASES: usize = 1 << 16;

/// Returns the id at a position.
pub(super) fn id_at(at: usize) -> ReleaseId {
    ReleaseId(u16::try_from(at).expect("a line has at most MAX_RELEASES releases"))
}

/// How many releases a set holds without more words; the lines of most projects are shorter.
const SHORT: usize = 4;

/// A set of releases of one line.
///
/// Sets are compared and copied for every field of every object, so those of short lines are words that need no memory of their
/// own. Of longer lines, words after these are kept once for all equal sets, as long as the program runs: a run meets few
/// different ones, since they come from the texts of catalogs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReleaseSet {
    words: [u64; SHORT],
    /// The words after those, without zeros at the end.
    more: &'static [u64],
}

/// The words of long sets.
static MORE: LazyLock<RwLock<BTreeSet<&'static [u64]>>> = LazyLock::new(RwLock::default);

/// Returns the one copy of `words`, which may end with zeros.
fn intern(words: &[u64]) -> &'static [u64] {
    let words = &words[..words.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1)];
    if words.is_empty() {
        return &[];
    }
    if let Some(known) = MORE.read().unwrap_or_else(PoisonError::into_inner).get(words) {
        return known;
    }
    let mut all = MORE.write().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = all.get(words) {
        return known;
    }
    let kept: &'static [u64] = Box::leak(words.into());
    all.insert(kept);
    kept
}

impl ReleaseSet {
    /// Returns whether the set holds `id`.
    #[inline]
    pub fn contains(self, id: ReleaseId) -> bool {
        let (at, bit) = place(id);
        let word = if at < SHORT { self.words[at] } else { self.more.get(at - SHORT).copied().unwrap_or(0) };
        word & bit != 0
    }

    /// Returns whether the set holds nothing.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.words == [0; SHORT] && self.more.is_empty()
    }

    /// Returns whether every release of `other` is in this set too.
    #[inline]
    pub fn is_superset(self, other: Self) -> bool {
        other.without(self).is_empty()
    }

    /// Returns the oldest release of the set.
    pub(crate) fn first(self) -> Option<ReleaseId> {
        self.iter().next()
    }

    /// Returns the newest release of the set.
    pub(crate) fn last(self) -> Option<ReleaseId> {
        let (at, word) = self.all_words().enumerate().filter(|(_, word)| *word != 0).last()?;
        Some(id_at((at + 1) * u64::BITS as usize - 1 - word.leading_zeros() as usize))
    }

    /// Returns the releases of this set that are not in `other`.
    #[inline]
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        self.combined(other, |one, other| one & !other)
    }

    /// Returns those of this set that are in `other` too, or all of this set where none is.
    #[inline]
    #[must_use]
    pub fn within(self, other: Self) -> Self {
        let both = self & other;
        if both.is_empty() { self } else { both }
    }

    /// Returns the positions held, oldest first.
    pub fn iter(self) -> impl Iterator<Item = ReleaseId> {
        self.all_words().enumerate().flat_map(|(at, word)| {
            // Each step takes the lowest bit away.
            let some = |rest: u64| Some(rest).filter(|rest| *rest != 0);
            let rests = std::iter::successors(some(word), move |rest| some(rest & (rest - 1)));
            rests.map(move |rest| id_at(at * u64::BITS as usize + rest.trailing_zeros() as usize))
        })
    }

    fn all_words(self) -> impl Iterator<Item = u64> {
        self.words.into_iter().chain(self.more.iter().copied())
    }

    /// Combines two sets word by word.
    #[inline]
    fn combined(self, other: Self, operation: impl Fn(u64, u64) -> u64) -> Self {
        let mut words = self.words;
        words.iter_mut().zip(other.words).for_each(|(word, other)| *word = operation(*word, other));
        let is_short = self.more.is_empty() && other.more.is_empty();
        Self { words, more: if is_short { &[] } else { self.more_combined(other, operation) } }
    }

    /// Combines the words of long sets.
    #[cold]
    fn more_combined(self, other: Self, operation: impl Fn(u64, u64) -> u64) -> &'static [u64] {
        let length = self.more.len().max(other.more.len());
        let word = |words: &[u64], at: usize| words.get(at).copied().unwrap_or(0);
        let more = (0..length).map(|at| operation(word(self.more, at), word(other.more, at)));
        let more: Vec<u64> = more.collect();
        [self.more, other.more].into_iter().find(|known| **known == more).unwrap_or_else(|| intern(&more))
    }
}

/// Returns the word of a set that holds `id`, and its bit there.
#[inline]
fn place(id: ReleaseId) -> (usize, u64) {
    (usize::from(id.0 / 64), 1 << (id.0 % 64))
}

impl FromIterator<ReleaseId> for ReleaseSet {
    fn from_iter<I: IntoIterator<Item = ReleaseId>>(ids: I) -> Self {
        let mut words = [0; SHORT];
        let mut more = Vec::new();
        for (at, bit) in ids.into_iter().map(place) {
            match at.checked_sub(SHORT) {
                None => words[at] |= bit,
                Some(at) => {
                    more.resize(more.len().max(at + 1), 0);
                    more[at] |= bit;
                }
            }
        }
        Self { words, more: intern(&more) }
    }
}

impl BitAnd for ReleaseSet {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        self.combined(other, |one, other| one & other)
    }
}

impl BitOr for ReleaseSet {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        self.combined(other, |one, other| one | other)
    }
}
