//! Answers: does the law hold for generated trees, and which carriers did they cover?

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Mutex;

use super::carriers::Carrier;
use super::draft::{Draft, Shape};
use super::law::{self, Counts, Violation};
use super::samples::{self, Sample};
use super::shrink::shrink;
use super::tree::Tree;
use crate::support::random::Random;

/// How many kinds of violations are shrunk, unless they are saved: one takes up to half a minute.
const SHRUNK: usize = 4;

/// How many more trees a carrier gets that no tree has shown to be followed.
const MORE: usize = 12;

/// A generated tree with what it was generated for.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) number: usize,
    pub(crate) main: String,
    pub(crate) carriers: Vec<String>,
    pub(crate) sample: String,
    pub(crate) tree: Tree,
}

/// The results of all cases.
#[derive(Debug, Default)]
pub(crate) struct Results {
    pub(crate) trees: usize,
    pub(crate) counts: Counts,
    pub(crate) violations: Vec<(Case, Violation)>,
    /// For each carrier and sample: trees; trees where everything is converted; trees where something is held back; violations.
    pub(crate) covered: BTreeMap<String, [usize; 4]>,
    /// What is held back, with the number of the tree.
    pub(crate) reasons: Vec<String>,
}

/// The settings of a run.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) seed: u64,
    pub(crate) trees: usize,
    pub(crate) only: Option<usize>,
    /// The carriers that are always held back.
    pub(crate) held: Vec<&'static str>,
    /// Where shrunk trees are saved.
    pub(crate) save: Option<std::path::PathBuf>,
}

/// Generates the trees and tries the law on each.
pub(crate) fn run(settings: &Settings) -> Results {
    let (samples, carriers) = (samples::all(), Carrier::all());
    let numbers = settings.only.map_or_else(|| (0..settings.trees).collect(), |only| vec![only]);
    let mut results = Results::default();
    let try_all = |numbers: Vec<usize>, results: &mut Results| {
        let outcomes = in_parallel(numbers, |number| {
            let case = case(&samples, &carriers, settings.seed, number);
            let outcome = law::check(&case.tree);
            (case, outcome)
        });
        results.trees += outcomes.len();
        outcomes.into_iter().for_each(|(case, outcome)| results.add(case, outcome));
    };
    try_all(numbers, &mut results);
    // A carrier that happened to meet only what is held back gets more trees.
    for round in 0..MORE {
        let is_missing = |name: &str| {
            !settings.held.contains(&name) && results.covered.get(name).is_none_or(|counts| counts[1] == 0)
        };
        let missing = carriers.iter().enumerate().filter(|(_, (name, _))| is_missing(name)).map(|(at, _)| at);
        let first = settings.trees.div_ceil(carriers.len()) + round;
        let numbers: Vec<usize> = missing.map(|at| first * carriers.len() + at).collect();
        if numbers.is_empty() || settings.only.is_some() || settings.trees < carriers.len() {
            break;
        }
        try_all(numbers, &mut results);
    }
    results.shrink(settings.save.as_deref());
    if let Some(folder) = &settings.save {
        fs::create_dir_all(folder).expect("the folder can be made");
        fs::write(folder.join("held-back.txt"), results.reasons.concat()).expect("the file can be written");
    }
    results
}

/// Applies `work` to every item, in several threads; the results have the order of the items.
fn in_parallel<I: Send, O: Send>(items: Vec<I>, work: impl Fn(I) -> O + Sync) -> Vec<O> {
    let queue = Mutex::new(items.into_iter().enumerate());
    let done = Mutex::new(Vec::new());
    let worker = || {
        loop {
            let next = queue.lock().expect("no worker panics while it holds the lock").next();
            let Some((at, item)) = next else { break };
            let result = work(item);
            done.lock().expect("no worker panics while it holds the lock").push((at, result));
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(worker))));
    let mut done = done.into_inner().expect("no worker panics while it holds the lock");
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Generates case `number`: its main carrier is its turn, everything else is drawn.
fn case(samples: &[Sample], carriers: &[(String, Carrier)], seed: u64, number: usize) -> Case {
    let (main, carrier) = &carriers[number % carriers.len()];
    let mut random = Random::new(seed, &["kustomize"], u64::try_from(number).expect("a count of trees is small"));
    loop {
        let sample = random.pick(samples).clone();
        let shape = match carrier {
            Carrier::Shape(shape) => *shape,
            _ if sample.beside.is_empty() => *random.pick(&Shape::ALL),
            _ => *random.pick(&Shape::KEEPING_NAMES),
        };
        let mut draft = Draft::new(&sample, shape, &mut random);
        let layers = shape.carrying();
        let layer = if random.chance(70) { layers - 1 } else { random.below(layers) };
        if carrier.add(&mut draft, layer, &mut random).is_none() {
            continue;
        }
        let mut names = vec![main.clone(), format!("shape {shape:?}")];
        let more = if random.chance(60) { 0 } else { 1 + random.below(3) };
        for _ in 0..more {
            let (name, carrier) = random.pick(carriers);
            let mut attempt = draft.clone();
            if carrier.add(&mut attempt, random.below(layers), &mut random).is_some() {
                draft = attempt;
                names.push(name.clone());
            }
        }
        names.retain({
            let mut seen = std::collections::BTreeSet::new();
            move |name| seen.insert(name.clone())
        });
        let tree = draft.finish(&mut random);
        return Case { number, main: main.clone(), carriers: names, sample: sample.name.clone(), tree };
    }
}

/// Writes a tree that breaks the law, with what it takes to see it.
fn save(folder: Option<&Path>, case: &Case, violation: &Violation) {
    let Some(folder) = folder else { return };
    let word = |text: &str| text.replace(|other: char| !other.is_ascii_alphanumeric(), "-");
    let place = folder.join(format!("{:?}-{}", violation.fault, word(&case.main)));
    case.tree.write(&place.join("before"));
    let from = case.tree.from.as_ref().map(|from| format!(" --from {from}")).unwrap_or_default();
    let mut text = format!("sample: {}; carriers: {}; tree {}\n\n", case.sample, case.carriers.join(", "), case.number);
    let roots = case.tree.roots.join(" ");
    let to = case.tree.to.replace(' ', " --to ");
    writeln!(text, "roots: {roots}\n\nreversion apply --yes --allow-no-vcs --allow-dirty --to {to}{from} .\n")
        .expect("a string takes text");
    text.push_str(&violation.text);
    fs::write(place.join("README"), text).expect("the file can be written");
}

impl Results {
    fn add(&mut self, case: Case, outcome: Result<Counts, Violation>) {
        let column = match &outcome {
            Err(_) => Some(3),
            Ok(counts) if counts.clean == 1 && counts.converted > 0 => Some(1),
            Ok(counts) if counts.clean == 0 && counts.builds > 0 => Some(2),
            Ok(_) => None,
        };
        for name in case.carriers.iter().chain([&format!("sample {}", case.sample)]) {
            let row = self.covered.entry(name.clone()).or_default();
            row[0] += 1;
            if let Some(column) = column {
                row[column] += 1;
            }
        }
        match outcome {
            Ok(counts) => {
                let (number, carriers) = (case.number, case.carriers.join(", "));
                let line = |reason: &String| format!("tree {number}, {carriers}, {}: {reason}\n", case.sample);
                self.reasons.extend(counts.reasons.iter().map(line));
                self.counts.add(&counts);
            }
            Err(violation) => self.violations.push((case, violation)),
        }
    }

    /// Shrinks one tree of each kind of violation and main carrier: the one with the fewest carriers.
    fn shrink(&mut self, folder: Option<&Path>) {
        let mut simplest: BTreeMap<_, usize> = BTreeMap::new();
        for (at, (case, violation)) in self.violations.iter().enumerate() {
            let best = simplest.entry((violation.fault, case.main.clone())).or_insert(at);
            if case.carriers.len() < self.violations[*best].0.carriers.len() {
                *best = at;
            }
        }
        let most = if folder.is_some() { usize::MAX } else { SHRUNK };
        let chosen: Vec<_> = simplest.into_values().take(most).map(|at| (at, self.violations[at].clone())).collect();
        let smaller = in_parallel(chosen, |(at, (mut case, violation))| {
            let (tree, violation) = shrink(case.tree, violation);
            case.tree = tree;
            save(folder, &case, &violation);
            (at, case, violation)
        });
        for (at, case, violation) in smaller {
            self.violations[at] = (case, violation);
        }
    }

    /// Returns the counts as a table.
    pub(crate) fn table(&self) -> String {
        let counts = &self.counts;
        let mut text = format!(
            "{} trees: {} roots, {} of them not buildable, {} builds compared, {} objects converted, {} held back, {} violations\n",
            self.trees,
            counts.roots,
            counts.unbuilt,
            counts.builds,
            counts.converted,
            counts.held,
            self.violations.len()
        );
        let line = |name: &str, row: [String; 4]| {
            format!("{name:36} {:>6} {:>9} {:>9} {:>10}\n", row[0], row[1], row[2], row[3])
        };
        text.push_str(&line("", ["trees", "converted", "held back", "violations"].map(str::to_owned)));
        for (name, row) in &self.covered {
            text.push_str(&line(name, row.map(|number| number.to_string())));
        }
        text
    }
}
