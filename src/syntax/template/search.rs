//! Answers: which readings show every branch of a template, and which branches does none show?
//!
//! The first reading takes the first branch of every block, the second one the others. Each branch that is in none is then taken with what
//! must be assumed for it; inner ones first, so that a limit never hits a small object in a large file. These readings are often all that is
//! needed: which blocks decide something together, the caller says ([`Search::read_pairs`]). A few readings that take others together show most pairs of their
//! branches (`read_columns`), then come the pairs that are left. Of all other blocks such a reading takes what makes most new pairs.
//! Where a condition is about what blocks before it change, it must also be assumed how these are decided (`contexts`).
//!
//! Invariant: a literal of the part is in a reading, or in a branch that is told as unprinted.

use serde_json::Value;

use super::environment::{Environment, Suffixed};
use super::judge::{Claim, Judge};
use super::memo::Known;
use super::pairs::{Pairs, Way, Ways};
use super::print::{Alternative, Failed, Printed, Printer};
use super::reading::{Placeholders, Reading};
use super::tree::{Ending, Node, Part};
use crate::syntax::text::Span;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// How often a reading is begun again to avoid a `fail`.
const ATTEMPTS: usize = 16;

/// In how many ways blocks are taken to be decided that a block depends on.
const MOST_CONTEXTS: usize = 16;

/// In how many ways together they are decided for a way that is in no reading.
const MOST_COMBINATIONS: usize = 32;

/// In how many of them for a pair.
const MOST_OF_PAIRS: usize = 4;

/// How often a pair is tried again whose reading was dropped.
const MOST_OF_DROPPED: usize = 2;

/// How often pairs are tried so.
const MOST_ATTEMPTS: usize = 500;

/// Why no reading prints a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Its condition does not hold for the target.
    Target,
    /// The conditions around it contradict each other.
    Contradiction,
    /// It ends in `fail`.
    Fails,
    /// There were more branches than readings.
    Limit,
}

/// A branch that no reading prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unprinted {
    /// The bytes of the file between the action that begins it and the one that ends it.
    pub span: Span,
    /// The number of the action that decides.
    pub action: usize,
    /// Why it is not printed.
    pub reason: Reason,
    /// Whether it is printed on clusters of the target whose version has a suffix.
    pub with_suffix: bool,
}

/// Which readings show the branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// As few as show each branch, and then each pair of branches that is asked for.
    Pairs,
    /// One for each branch that takes the first ones of all other blocks: where it differs from the first reading, that branch is why. Then pairs,
    /// too.
    Each,
}

/// What a part can print.
#[derive(Clone, Debug)]
pub struct Readings {
    /// The readings, the one that takes first branches first; no two are equal.
    pub readings: Vec<Reading>,
    /// How many of them show the branches, each alone if asked for. Those behind them show more of them together, which conditions can exclude.
    pub required: usize,
    /// The branches with literals that no reading prints, in the order of the file.
    pub unprinted: Vec<Unprinted>,
    /// How many branches were not tried, because there were more than the limit.
    pub untried: usize,
    /// How many pairs of branches that were asked for last were not tried, for the same reason.
    pub untried_pairs: usize,
}

/// Reads `part` in at most `limit` readings.
pub fn readings(part: Part<'_>, environment: Environment<'_>, coverage: Coverage, limit: usize) -> Readings {
    let mut search = Search::new(part, environment, coverage, limit);
    search.read_branches();
    search.read_pairs(&|_, _| true);
    search.finish()
}

/// Reads `part` as in a reading, if these values that are placeholders in it are taken for texts; `None` where its conditions exclude that.
pub fn reading_with<'v>(
    part: Part<'_>,
    environment: Environment<'_>,
    reading: &Reading,
    texts: impl IntoIterator<Item = (&'v str, &'v str)>,
) -> Option<Reading> {
    let texts = texts.into_iter().filter_map(|(value, text)| Some((reading.origin_of(value)?, text)));
    let texts = texts.map(|(origin, text)| (origin.to_owned(), text.to_owned()));
    let given: BTreeMap<String, String> = reading.given.clone().into_iter().chain(texts).collect();
    printed_as(part, environment, &Reading { given, ..named_as(reading) })
}

/// Reads `part` as in a reading, with placeholders for the actions of `kept`, without marks to trim, whatever is known of them; a comment is one
/// in the text then. Where such a placeholder moves, its action does.
pub fn reading_keeping(
    part: Part<'_>,
    environment: Environment<'_>,
    reading: &Reading,
    kept: &BTreeSet<String>,
) -> Option<Reading> {
    let given = reading.given.clone();
    printed_as(part, environment, &Reading { given, kept: kept.clone(), ..named_as(reading) })
}

/// Returns an empty reading with the names and claims of another one.
fn named_as(reading: &Reading) -> Reading {
    Reading { names: reading.names.clone(), claims: reading.claims.clone(), ..Reading::default() }
}

fn printed_as(part: Part<'_>, environment: Environment<'_>, reading: &Reading) -> Option<Reading> {
    let (placeholders, seen) = (Placeholders::new(part.template), BTreeSet::new());
    let known = Rc::new(Known::default());
    let mut printer = Printer::new(part, environment, &placeholders, &seen, &known);
    printer.name_as(reading);
    printer.run(&reading.claims).ok()?;
    Some(printer.finish(reading.claims.clone()).reading)
}

/// Returns what the definition `part` can print, whatever it is called with.
#[cfg(test)]
pub(crate) fn outputs(part: Part<'_>, environment: Environment<'_>) -> super::possible_texts::Outputs {
    Judge::new(environment).part(part)
}

/// What is tried first is last: inner blocks before those around them, then the order of the file.
type Rank = (usize, Reverse<Way>);

fn rank(alternative: &Alternative) -> Rank {
    (alternative.depth, Reverse(alternative.way))
}

/// A search for readings that is under way.
pub struct Search<'p, 'e> {
    part: Part<'p>,
    environment: Environment<'e>,
    coverage: Coverage,
    placeholders: Placeholders,
    /// What is known of what actions print.
    known: Rc<Known>,
    /// How often the part is printed at most.
    limit: usize,
    /// How often it was printed.
    printed: usize,
    readings: Vec<Reading>,
    /// How many of them show the branches.
    required: usize,
    /// The numbers of those that were added or changed since [`Search::take_new`] was asked.
    new: BTreeSet<usize>,
    /// The ways that a reading takes, and which it takes together.
    pairs: Pairs,
    /// The same for each reading, by their numbers.
    shown: Vec<(usize, Vec<Way>)>,
    /// The numbers of the readings that show nothing.
    dropped: BTreeSet<usize>,
    /// How often pairs of ways were tried.
    tried: BTreeMap<[Way; 2], usize>,
    /// How many pairs that were asked for last were not tried.
    untried_pairs: usize,
    /// How often pairs are tried further with what they depend on.
    attempts: usize,
    /// The ways that were met.
    seen: BTreeSet<Way>,
    /// The same in the order in which they were met, those of a block together.
    met: Vec<Alternative>,
    open: BTreeMap<Rank, Alternative>,
    /// The ways whose conditions depend on blocks before them.
    contexts: BTreeMap<Way, Contexts>,
    refused: BTreeMap<Way, Refusal>,
}

/// How the blocks were decided that a block depends on.
#[derive(Default)]
struct Contexts {
    /// What must be assumed to take a way of it, for each way in which they were decided.
    claims: Vec<Vec<Claim>>,
    /// The actions that decide about these blocks.
    actions: BTreeSet<usize>,
}

/// The blocks whose branches rows of readings take.
struct Columns {
    /// Those with no others in them, each with the number of its condition.
    of_blocks: BTreeMap<usize, usize>,
    /// How many conditions they have.
    count: usize,
    /// The depths of blocks with others in them.
    depths: BTreeSet<usize>,
}

#[derive(Clone, Copy)]
struct Refusal {
    action: usize,
    reason: Reason,
    with_suffix: bool,
}

impl<'p, 'e> Search<'p, 'e> {
    /// Begins a search for at most `limit` readings of `part`.
    pub fn new(part: Part<'p>, environment: Environment<'e>, coverage: Coverage, limit: usize) -> Self {
        Self {
            part,
            environment,
            coverage,
            placeholders: Placeholders::new(part.template),
            known: Rc::default(),
            limit,
            printed: 0,
            readings: Vec::new(),
            required: 0,
            new: BTreeSet::new(),
            pairs: Pairs::default(),
            shown: Vec::new(),
            dropped: BTreeSet::new(),
            tried: BTreeMap::new(),
            untried_pairs: 0,
            attempts: MOST_ATTEMPTS,
            seen: BTreeSet::new(),
            met: Vec::new(),
            open: BTreeMap::new(),
            contexts: BTreeMap::new(),
            refused: BTreeMap::new(),
        }
    }

    /// Reads every branch once.
    pub fn read_branches(&mut self) {
        self.read(Vec::new());
        if self.coverage == Coverage::Pairs {
            self.read_others();
        }
        self.read_ways();
        self.required = self.readings.len();
        if self.coverage == Coverage::Each {
            self.read_others();
        }
        self.read_combinations();
    }

    /// Returns the numbers of the readings that were added or changed since it was asked last.
    pub fn take_new(&mut self) -> BTreeSet<usize> {
        std::mem::take(&mut self.new)
    }

    /// Returns a reading that was found.
    pub fn reading(&self, number: usize) -> &Reading {
        &self.readings[number]
    }

    /// Takes it that a reading shows no pairs: it is no YAML.
    pub fn drop_reading(&mut self, number: usize) {
        self.dropped.insert(number);
        self.shown.retain(|(shown, _)| *shown != number);
        self.pairs = Pairs::default();
        for one in &self.met {
            self.pairs.meet(one.way);
        }
        self.shown.iter().for_each(|(_, ways)| self.pairs.add(ways));
    }

    /// Returns how many readings show the branches, once these were read.
    pub fn required(&self) -> usize {
        self.required
    }

    /// Returns what was found.
    pub fn finish(self) -> Readings {
        let untried = self.open.values().filter(|open| !self.pairs.has(open.way)).count();
        let mut unprinted = Vec::new();
        self.collect_unprinted(self.part.nodes(), &mut unprinted);
        let Self { readings, required, untried_pairs, .. } = self;
        Readings { readings, required, unprinted, untried, untried_pairs }
    }

    /// Takes the ways that no reading takes, also by how blocks before them can be decided.
    fn read_ways(&mut self) {
        let mut tried = BTreeMap::new();
        self.read_open();
        while let Some((way, claims)) = self.next_context(&mut tried) {
            self.take(way, claims);
            self.read_open();
        }
    }

    /// Takes the ways that no reading takes by how several blocks before them can be decided together.
    fn read_combinations(&mut self) {
        let ways: Vec<Way> = self.contexts.keys().copied().collect();
        for way in ways {
            for claims in self.combinations(way) {
                if self.pairs.has(way) || self.printed >= self.limit {
                    break;
                }
                self.read(claims);
                self.read_open();
            }
        }
    }

    /// Returns what must be assumed for each way in which the blocks can be decided that a way depends on, if these are few.
    fn combinations(&self, way: Way) -> Vec<Vec<Claim>> {
        let actions = &self.contexts[&way].actions;
        let decides = |one: &Alternative| one.claims.last().is_some_and(|claim| actions.contains(&claim.action));
        let blocks = self.met.chunk_by(|one, other| one.way.block == other.way.block);
        let blocks: Vec<&[Alternative]> = blocks.filter(|block| block.iter().any(decides)).collect();
        let mut counts = blocks.iter().map(|block| block.len());
        if counts.try_fold(1, usize::checked_mul).is_none_or(|count| count > MOST_COMBINATIONS) {
            return Vec::new();
        }
        blocks.into_iter().fold(vec![Vec::new()], |all, block| {
            let with =
                |claims: &Vec<Claim>| block.iter().map(|one| [claims.as_slice(), &one.claims].concat()).collect();
            all.iter().flat_map(|claims| -> Vec<Vec<Claim>> { with(claims) }).collect()
        })
    }

    /// Returns a way that no reading takes, and what was not yet assumed to take it: how often that was `tried` is counted.
    fn next_context(&self, tried: &mut BTreeMap<Way, usize>) -> Option<(Way, Vec<Claim>)> {
        if self.printed >= self.limit {
            return None;
        }
        let mut untaken = self.contexts.iter().filter(|(way, _)| !self.pairs.has(**way));
        untaken.find_map(|(way, contexts)| {
            let tried = tried.entry(*way).or_default();
            let claims = contexts.claims.get(*tried)?;
            *tried += 1;
            Some((*way, claims.clone()))
        })
    }

    /// Takes a way by what must be assumed for it, alone or with what makes most new pairs.
    fn take(&mut self, way: Way, claims: Vec<Claim>) {
        match self.coverage {
            Coverage::Pairs => self.read_most(&[way], &claims),
            Coverage::Each => self.read(claims),
        };
    }

    /// Takes the ways that no reading takes, each alone or with what makes most new pairs.
    fn read_open(&mut self) {
        while self.printed < self.limit
            && let Some((_, alternative)) = self.open.pop_last()
        {
            let way = alternative.way;
            if self.pairs.has(way) {
                continue;
            }
            let refusal = self.refusal(&alternative);
            self.take(way, alternative.claims);
            if !self.pairs.has(way) {
                self.refused.insert(way, refusal);
            }
        }
    }

    /// Takes the pairs of ways that no reading takes, of two blocks that are `together`. Each way is paired with those met before it: what is met
    /// meanwhile comes behind all of these. A pair whose reading was dropped is tried in other ones, where it is asked for again.
    pub fn read_pairs(&mut self, together: &dyn Fn(usize, usize) -> bool) {
        if self.tried.is_empty() {
            self.read_columns(together);
        }
        let (mut later, mut earlier) = (0, 0);
        while self.printed < self.limit
            && let Some(one) = self.met.get(later)
        {
            let other = &self.met[earlier];
            (later, earlier) = if earlier < later { (later, earlier + 1) } else { (later + 1, 0) };
            let ways = [other.way, one.way];
            if !self.is_asked_for(ways, together) {
                continue;
            }
            let [others, ones] = [other, one].map(|one| self.claims_of(one));
            let all = others.iter().flat_map(|other| ones.iter().map(|one| [other.as_slice(), one].concat()));
            let all: Vec<Vec<Claim>> = all.collect();
            let mut attempt = self.tried.get(&ways).copied().unwrap_or_default();
            while attempt <= MOST_OF_DROPPED && !self.pairs.has_both(ways[0], ways[1]) {
                // What no reading takes is no matter of what others are taken.
                let is_dropped = self.read_any(&ways, &all, attempt) || attempt > 0;
                let is_taken = is_dropped || self.pairs.has_both(ways[0], ways[1]);
                attempt = if is_taken { attempt + 1 } else { MOST_OF_DROPPED + 1 };
            }
            self.tried.insert(ways, attempt);
        }
        if self.printed >= self.limit {
            let pairs =
                self.met.iter().enumerate().flat_map(|(at, one)| self.met[..at].iter().map(move |other| (one, other)));
            let asked = pairs.filter(|(one, other)| self.is_asked_for([other.way, one.way], together));
            let judge = || Judge::with(self.environment, &self.known);
            let untried = asked.filter(|(one, other)| can_be(&mut judge(), one.claims.iter().chain(&other.claims)));
            self.untried_pairs = untried.count();
        }
    }

    /// Returns whether two ways are of blocks that are `together`, and no reading takes both, as far as it was tried.
    fn is_asked_for(&self, ways: [Way; 2], together: &dyn Fn(usize, usize) -> bool) -> bool {
        let [one, other] = ways;
        one.block != other.block
            && together(one.block, other.block)
            && !self.pairs.has_both(one, other)
            && self.tried.get(&ways).is_none_or(|attempt| *attempt <= MOST_OF_DROPPED)
    }

    /// Takes a pair of ways by any of these claims, in an `attempt`; returns whether a reading by which it was to be taken was dropped before.
    fn read_any(&mut self, ways: &[Way; 2], all: &[Vec<Claim>], attempt: usize) -> bool {
        let mut is_dropped = false;
        for claims in all.iter().take(1 + self.attempts) {
            self.attempts = self.attempts.saturating_sub(usize::from(all.len() > 1));
            let number = self.read_both(ways, claims, attempt);
            is_dropped |= number.is_some_and(|number| self.dropped.contains(&number));
            if self.pairs.has_both(ways[0], ways[1]) {
                break;
            }
        }
        is_dropped
    }

    /// Returns what can be assumed to take a way.
    fn claims_of(&self, one: &Alternative) -> Vec<Vec<Claim>> {
        let contexts = self.contexts.get(&one.way).into_iter().flat_map(|contexts| &contexts.claims);
        std::iter::once(&one.claims).chain(contexts.take(MOST_OF_PAIRS)).cloned().collect()
    }

    /// Says why an alternative cannot be taken, if it turns out that it cannot.
    fn refusal(&self, alternative: &Alternative) -> Refusal {
        let judge = Judge::with(self.environment, &self.known);
        let decided = alternative.claims.iter().find(|claim| {
            judge.refuel();
            judge.truth_of(&claim.condition).is_some_and(|truth| truth != claim.holds)
        });
        let reason = if decided.is_some() { Reason::Target } else { Reason::Contradiction };
        let action = decided.or(alternative.claims.last()).map_or(0, |claim| claim.action);
        let facts = Suffixed(self.environment.facts);
        let suffixed = Judge::new(Environment { facts: &facts, ..self.environment });
        let can_hold = |claim: &Claim| {
            suffixed.refuel();
            suffixed.truth_of(&claim.condition).is_none_or(|truth| truth == claim.holds)
        };
        Refusal { action, reason, with_suffix: decided.is_some() && alternative.claims.iter().all(can_hold) }
    }

    /// Prints what follows from `claims`; returns the number of the reading, or nothing where that cannot be.
    fn read(&mut self, mut claims: Vec<Claim>) -> Option<usize> {
        for _ in 0..ATTEMPTS {
            let mut printer = Printer::new(self.part, self.environment, &self.placeholders, &self.seen, &self.known);
            match printer.run(&claims) {
                Ok(()) => {
                    let Printed { reading, ways, alternatives } = printer.finish(claims);
                    self.printed += 1;
                    let number = self.keep(reading);
                    if !self.dropped.contains(&number) {
                        self.pairs.add(&ways);
                        self.shown.push((number, ways));
                    }
                    alternatives.into_iter().for_each(|alternative| self.open(alternative));
                    return Some(number);
                }
                Err(Failed(Some(claim))) => claims.push(claim),
                Err(Failed(None)) => return None,
            }
        }
        None
    }

    /// Keeps a reading that differs from all others; returns its number.
    fn keep(&mut self, reading: Reading) -> usize {
        let is_same = |other: &Reading| other.segments == reading.segments && other.text == reading.text;
        let Some(number) = self.readings.iter().position(is_same) else {
            self.new.insert(self.readings.len());
            self.readings.push(reading);
            return self.readings.len() - 1;
        };
        let same = &mut self.readings[number];
        // What a block prints in one of the two only, it prints if its condition holds: where that excludes what values have, nothing.
        for hole in &mut same.holes {
            let is_in_both = reading.holes.iter().any(|other| other.action == hole.action);
            if !is_in_both && hole.by_default.as_ref().is_none_or(Vec::is_empty) {
                hole.by_default = Some(vec![Value::Null]);
                self.new.insert(number);
            }
        }
        number
    }

    /// Reads another branch of each block that is met and has no others in it.
    fn read_others(&mut self) {
        let Columns { of_blocks, .. } = self.columns(&self.blocks());
        self.read_taking(&of_blocks.into_keys().collect());
    }

    /// Shows the pairs of branches of some of the blocks that are met, but for those that exclude each other: of the blocks that are `together` with
    /// all others that are with any, and have no others in them. Besides first branches alone and others alone, each condition takes another
    /// branch in a part of the readings that is in no other one's part (Sperner). Blocks with others in them take another branch together with all
    /// that are as deep.
    fn read_columns(&mut self, together: &dyn Fn(usize, usize) -> bool) {
        let all = self.blocks();
        let with = |one: usize| all.iter().filter(|other| **other != one && together(one, **other)).count();
        let counts: BTreeMap<usize, usize> = all.iter().map(|block| (*block, with(*block))).collect();
        let most = counts.values().filter(|count| **count > 0).count().saturating_sub(1);
        let blocks: BTreeSet<usize> = all.iter().copied().filter(|block| most > 0 && counts[block] == most).collect();
        let Columns { of_blocks, count, depths } = self.columns(&blocks);
        if of_blocks.len() + depths.len() < 2 {
            return;
        }
        let (count, parts) = parts(count);
        let of_row = |row: usize| {
            let blocks = of_blocks.iter().filter(|(_, column)| parts[**column] & (1 << row) != 0);
            blocks.map(|(block, _)| *block).collect()
        };
        let below = |depth: usize| {
            let below = self.met.iter().filter(|one| one.depth >= depth && blocks.contains(&one.way.block));
            below.map(|one| one.way.block).collect()
        };
        let rows: Vec<BTreeSet<usize>> = (0..count).map(of_row).chain(depths.into_iter().map(below)).collect();
        rows.iter().for_each(|others| self.read_taking(others));
    }

    /// Returns which blocks that are met, of those of `blocks`, have no others in them, and how deep the others are.
    fn columns(&self, blocks: &BTreeSet<usize>) -> Columns {
        let mut conditions: BTreeMap<Arc<str>, usize> = BTreeMap::new();
        let (mut of_blocks, mut depths) = (BTreeMap::new(), BTreeSet::new());
        for (at, one) in self.met.iter().enumerate().filter(|(_, one)| one.is_first && blocks.contains(&one.way.block))
        {
            let next = self.met[at..].iter().find(|next| next.way.block != one.way.block);
            if next.is_some_and(|next| next.depth > one.depth) {
                depths.insert(one.depth);
            } else if let Some(claim) = one.claims.last() {
                let next = conditions.len();
                of_blocks.insert(one.way.block, *conditions.entry(Arc::clone(&claim.condition.text)).or_insert(next));
            }
        }
        Columns { of_blocks, count: conditions.len(), depths }
    }

    /// Returns the numbers of the blocks that are met.
    fn blocks(&self) -> BTreeSet<usize> {
        self.met.iter().map(|one| one.way.block).collect()
    }

    /// Reads another branch of each of these blocks. Of several others the last is taken, which is the one that prints nothing where there is one:
    /// what all leave out together can leave an object without something.
    fn read_taking(&mut self, others: &BTreeSet<usize>) {
        let chosen = self
            .choose(&[], &[], |_, _, one| (one.is_first == others.contains(&one.way.block), Reverse(one.way.branch)));
        if let Some(claims) = chosen.filter(|_| self.printed < self.limit) {
            self.read(claims);
        }
    }

    /// Prints what follows from `claims`, by which these `ways` are taken, and of other blocks what makes most new pairs; in a further `attempt`
    /// the first branches, then others. Returns the number of the reading, or nothing where that cannot be.
    fn read_both(&mut self, ways: &[Way], claims: &[Claim], attempt: usize) -> Option<usize> {
        match attempt {
            0 => self.read_most(ways, claims),
            1 => self.read(claims.to_vec()),
            _ => {
                let others = self.choose(ways, claims, |_, _, one| (one.is_first, Reverse(one.way.branch)));
                others.and_then(|all| self.read(all))
            }
        }
    }

    /// Prints what follows from `claims`, by which these `ways` are taken, and of other blocks what makes most new pairs; returns the number of the
    /// reading, or nothing where that cannot be.
    fn read_most(&mut self, ways: &[Way], claims: &[Claim]) -> Option<usize> {
        let most = |pairs: &Pairs, ways: &Ways, one: &Alternative| (Reverse(pairs.gain(one.way, ways)), !one.is_first);
        let all = self.choose(ways, claims, most)?;
        self.read(all).or_else(|| self.read(claims.to_vec()))
    }

    /// Returns what must be assumed, `claims` with it, by which these `ways` are taken, to take of each other block the way with the least `rank`
    /// that can be, given those before it; `None` where `claims` contradict each other.
    fn choose<R: Ord>(
        &self,
        ways: &[Way],
        claims: &[Claim],
        rank: impl Fn(&Pairs, &Ways, &Alternative) -> R,
    ) -> Option<Vec<Claim>> {
        let mut judge = Judge::with(self.environment, &self.known);
        if !can_be(&mut judge, claims) {
            return None;
        }
        let mut decided: BTreeSet<usize> = ways.iter().map(|way| way.block).collect();
        let (mut ways, mut all) = (self.pairs.set(ways), claims.to_vec());
        let mut blocks: Vec<&[Alternative]> =
            self.met.chunk_by(|one, other| one.way.block == other.way.block).collect();
        blocks.sort_by_key(|block| block[0].way.block);
        for block in blocks {
            if !decided.insert(block[0].way.block) {
                continue;
            }
            let mut block: Vec<&Alternative> = block.iter().collect();
            block.sort_by_key(|one| rank(&self.pairs, &ways, one));
            let taken = block.into_iter().find(|one| {
                let mark = judge.mark();
                let is_possible = can_be(&mut judge, &one.claims);
                if !is_possible {
                    judge.forget(mark);
                }
                is_possible
            });
            let Some(taken) = taken else { continue };
            self.pairs.insert(taken.way, &mut ways);
            all.extend(taken.claims.iter().filter(|_| !taken.is_first).cloned());
        }
        Some(all)
    }

    fn open(&mut self, alternative: Alternative) {
        if !alternative.context.is_empty() {
            let claims = [alternative.context.as_slice(), &alternative.claims].concat();
            let contexts = self.contexts.entry(alternative.way).or_default();
            contexts.actions.extend(alternative.context.iter().map(|claim| claim.action));
            if contexts.claims.len() < MOST_CONTEXTS && !contexts.claims.contains(&claims) {
                contexts.claims.push(claims);
            }
        }
        if self.seen.insert(alternative.way) {
            self.pairs.meet(alternative.way);
            self.met.push(alternative.clone());
            self.open.insert(rank(&alternative), alternative);
        }
    }

    fn collect_unprinted(&self, nodes: &[Node], into: &mut Vec<Unprinted>) {
        for node in nodes {
            let Node::Branching(block) = node else { continue };
            for (index, branch) in block.branches.iter().enumerate() {
                let way = Way { block: block.number, branch: index };
                if self.pairs.has(way) {
                    self.collect_unprinted(&branch.body, into);
                } else if has_literal(&branch.body) {
                    let reason = if branch.ending == Ending::Fails { Reason::Fails } else { Reason::Limit };
                    let refusal = self.refused.get(&way).copied();
                    let Refusal { action, reason, with_suffix } =
                        refusal.unwrap_or(Refusal { action: branch.action, reason, with_suffix: false });
                    into.push(Unprinted { span: branch.span, action, reason, with_suffix });
                }
            }
        }
    }
}

/// Assumes claims; returns whether they contradict neither each other nor what was assumed before.
fn can_be<'c>(judge: &mut Judge<'_>, claims: impl IntoIterator<Item = &'c Claim>) -> bool {
    claims.into_iter().all(|claim| judge.assume(&claim.condition, claim.holds))
}

/// Returns how many bits suffice for `count` different numbers with half of the bits set, and these numbers.
fn parts(count: usize) -> (usize, Vec<usize>) {
    let of_bits = |bits: usize| (0..1_usize << bits).filter(move |one| one.count_ones() as usize == bits / 2);
    let bits = (0..).find(|bits| of_bits(*bits).count() >= count).unwrap_or_default();
    (bits, of_bits(bits).collect())
}

fn has_literal(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| match node {
        Node::Literal(_) => true,
        Node::Action(_) => false,
        Node::Branching(block) => block.branches.iter().any(|branch| has_literal(&branch.body)),
    })
}
