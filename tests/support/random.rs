//! Answers: which choice does a generated case make, the same on every machine and in every run?
//!
//! SplitMix64: 64 bits of state, a few multiplications for each number.
//! Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014.
//!
//! Invariant: two generators made of the same seed and names give the same numbers.

/// A deterministic source of choices.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// Starts from `seed`; `names` and `number` make the streams of one run different.
    pub(crate) fn new(seed: u64, names: &[&str], number: u64) -> Self {
        // FNV-1a, so that the stream of a name does not change when other names are added or removed.
        let hash = names
            .iter()
            .flat_map(|name| name.bytes().chain([0]))
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
        let mut random = Self(seed ^ hash ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        random.next();
        random
    }

    /// Returns the next 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `bound`, which is not 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).expect("usize is 64 bits at most");
        usize::try_from(self.next() % bound).expect("smaller than a usize")
    }

    /// Returns true in `percent` of 100 cases.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Returns one of `choices`, which must not be empty.
    pub(crate) fn pick<'c, T>(&mut self, choices: &'c [T]) -> &'c T {
        &choices[self.below(choices.len())]
    }

    /// Shuffles `items`.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}
