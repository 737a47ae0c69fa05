//! Answers: which readings show every branch of a template, and which branches does none show?
//!
//! The first reading takes the first branch of every block. Each other branch is then taken once, with what must be assumed for it;
//! inner ones first, so that a limit never hits a small object in a large file.
//!
//! Invariant: a literal of the part is in a reading, or in a branch that is told as unprinted.

use serde_json::Value;

use super::environment::{Environment, Suffixed};
use super::judge::{Claim, Judge};
use super::print::{Alternative, Failed, Printed, Printer, Way};
use super::reading::{Placeholders, Reading};
use super::tree::{Ending, Node, Part};
use crate::syntax::text::Span;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// How often a reading is begun again to avoid a `fail`.
const ATTEMPTS: usize = 16;

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

/// What a part can print.
#[derive(Clone, Debug)]
pub struct Readings {
    /// The readings, the one that takes first branches first; no two are equal.
    pub readings: Vec<Reading>,
    /// The branches with literals that no reading prints, in the order of the file.
    pub unprinted: Vec<Unprinted>,
    /// How many branches were not tried, because there were more than the limit.
    pub untried: usize,
}

/// Reads `part` in at most `limit` readings.
pub fn readings(part: Part<'_>, environment: Environment<'_>, limit: usize) -> Readings {
    let mut search = Search::new(part, environment);
    let mut printed = usize::from(search.read(Vec::new()));
    while let Some((_, alternative)) = search.open.pop_last() {
        if search.taken.contains(&alternative.way) {
            continue;
        }
        if printed >= limit {
            search.open.insert(rank(&alternative), alternative);
            break;
        }
        printed += usize::from(search.take(alternative));
    }
    let untried = search.open.values().filter(|open| !search.taken.contains(&open.way)).count();
    let mut unprinted = Vec::new();
    search.collect_unprinted(part.nodes(), &mut unprinted);
    Readings { readings: search.readings, unprinted, untried }
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
    let mut printer = Printer::new(part, environment, &placeholders, &seen);
    printer.name_as(reading);
    printer.run(&reading.claims).ok()?;
    Some(printer.finish(reading.claims.clone()).reading)
}

/// Returns what the definition `part` can print, whatever it is called with.
#[cfg(test)]
pub(crate) fn outputs(part: Part<'_>, environment: Environment<'_>) -> super::outputs::Outputs {
    Judge::new(environment).part(part)
}

/// What is tried first is last: inner blocks before those around them, then the order of the file.
type Rank = (usize, Reverse<Way>);

fn rank(alternative: &Alternative) -> Rank {
    (alternative.depth, Reverse(alternative.way))
}

struct Search<'p, 'e> {
    part: Part<'p>,
    environment: Environment<'e>,
    placeholders: Placeholders,
    readings: Vec<Reading>,
    /// The ways that a reading takes.
    taken: BTreeSet<Way>,
    /// The ways that were met.
    seen: BTreeSet<Way>,
    open: BTreeMap<Rank, Alternative>,
    refused: BTreeMap<Way, Refusal>,
}

#[derive(Clone, Copy)]
struct Refusal {
    action: usize,
    reason: Reason,
    with_suffix: bool,
}

impl<'p, 'e> Search<'p, 'e> {
    fn new(part: Part<'p>, environment: Environment<'e>) -> Self {
        Self {
            part,
            environment,
            placeholders: Placeholders::new(part.template),
            readings: Vec::new(),
            taken: BTreeSet::new(),
            seen: BTreeSet::new(),
            open: BTreeMap::new(),
            refused: BTreeMap::new(),
        }
    }

    /// Takes an alternative; returns whether something was printed.
    fn take(&mut self, alternative: Alternative) -> bool {
        let refusal = self.refusal(&alternative);
        let printed = self.read(alternative.claims);
        if !self.taken.contains(&alternative.way) {
            self.refused.insert(alternative.way, refusal);
        }
        printed
    }

    /// Says why an alternative cannot be taken, if it turns out that it cannot.
    fn refusal(&self, alternative: &Alternative) -> Refusal {
        let judge = Judge::new(self.environment);
        let decided = alternative.claims.iter().find(|claim| {
            judge.refuel();
            judge.truth(&claim.condition).is_some_and(|truth| truth != claim.holds)
        });
        let reason = if decided.is_some() { Reason::Target } else { Reason::Contradiction };
        let action = decided.or(alternative.claims.last()).map_or(0, |claim| claim.action);
        let facts = Suffixed(self.environment.facts);
        let suffixed = Judge::new(Environment { facts: &facts, ..self.environment });
        let can_hold = |claim: &Claim| {
            suffixed.refuel();
            suffixed.truth(&claim.condition).is_none_or(|truth| truth == claim.holds)
        };
        Refusal { action, reason, with_suffix: decided.is_some() && alternative.claims.iter().all(can_hold) }
    }

    /// Prints what follows from `claims`; returns whether that can be.
    fn read(&mut self, mut claims: Vec<Claim>) -> bool {
        for _ in 0..ATTEMPTS {
            let mut printer = Printer::new(self.part, self.environment, &self.placeholders, &self.seen);
            match printer.run(&claims) {
                Ok(()) => {
                    let Printed { reading, ways, alternatives } = printer.finish(claims);
                    self.taken.extend(ways);
                    self.keep(reading);
                    alternatives.into_iter().for_each(|alternative| self.open(alternative));
                    return true;
                }
                Err(Failed(Some(claim))) => claims.push(claim),
                Err(Failed(None)) => return false,
            }
        }
        false
    }

    fn keep(&mut self, reading: Reading) {
        let is_same = |other: &&mut Reading| other.segments == reading.segments && other.text == reading.text;
        let Some(same) = self.readings.iter_mut().find(is_same) else { return self.readings.push(reading) };
        // What a block prints in one of the two only, it prints if its condition holds: where that excludes what values have, nothing.
        for hole in &mut same.holes {
            let is_in_both = reading.holes.iter().any(|other| other.action == hole.action);
            if !is_in_both && hole.by_default.as_ref().is_none_or(Vec::is_empty) {
                hole.by_default = Some(vec![Value::Null]);
            }
        }
    }

    fn open(&mut self, alternative: Alternative) {
        if self.seen.insert(alternative.way) {
            self.open.insert(rank(&alternative), alternative);
        }
    }

    fn collect_unprinted(&self, nodes: &[Node], into: &mut Vec<Unprinted>) {
        for node in nodes {
            let Node::Branching(block) = node else { continue };
            for (index, branch) in block.branches.iter().enumerate() {
                let way = Way { block: block.number, branch: index };
                if self.taken.contains(&way) {
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

fn has_literal(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| match node {
        Node::Literal(_) => true,
        Node::Action(_) => false,
        Node::Branching(block) => block.branches.iter().any(|branch| has_literal(&branch.body)),
    })
}
