//! The laws that hold for every rule and every object, on objects drawn from the catalogs.
//!
//! Each rule and direction has one named test: it draws its own objects and tries every law on each. The first case that
//! breaks a law is printed with the law, its object (shrunk), its text and its number. The table at the end
//! counts how many objects were drawn, matched the rule, were changed and held back, and how often each law
//! applied.
//!
//! `REVERSION_LAWS_CASES` sets how many objects each rule and direction gets, `REVERSION_LAWS_SEED` draws others.
//!
//! Texts of every style are drawn. The laws of converting back start from the file as the program writes it for the
//! first release, which fixes the apiVersion; they do not apply if the program itself reports that a comment, a field or
//! an item is removed. The law of texts does not apply to the forms that `is_as_the_program_writes` lists, nor if a field
//! without effect was removed (`drop` with a default). References always have their group, and refer to kinds that the target
//! has under some name.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::{LazyLock, Mutex};

use libtest_mimic::{Failed, Trial};

mod cases;
mod checks;
mod exceptions;
mod hints;
mod objects;
mod render;
mod scalars;
mod shape;
mod sheet;
mod shrink;
mod stash;
mod words;

use cases::{Case, DirectedRule};
use checks::{LAWS, Law, Subject, Verdict};
use exceptions::Exceptions;
use hints::Hints;
use objects::Recipe;
use render::Style;
use sheet::Sheet;
use shrink::shrink;

use crate::support::random::Random;
use crate::support::{packs, values};
use crate::trial;

/// The default number of objects for each rule and direction: fewer could miss the rule by chance.
const CASES: u64 = 8;

/// The share of objects, in percent, that each rule must change, refuse or lose data of.
const MIN_APPLIED: u64 = 30;

/// The counts: (rule and direction, column) -> number.
static COUNTS: Mutex<BTreeMap<(String, String), u64>> = Mutex::new(BTreeMap::new());

/// The rules, each with its directions.
static DIRECTED_RULES: LazyLock<Vec<DirectedRule<'static>>> =
    LazyLock::new(|| packs().iter().flat_map(cases::directed_rules).collect());

pub(crate) fn trials() -> Vec<Trial> {
    let bench = Bench::of(CASES);
    let mut trials = vec![
        trial("laws", "rendered texts read back", move || bench.renderer()),
        trial("laws", "objects of every kind can be drawn", move || bench.every_kind()),
        trial("laws", "every exception is about a rule", every_exception),
    ];
    trials.extend(stash::trials());
    trials.extend(DIRECTED_RULES.iter().map(|rule| trial("laws", &rule.name, move || bench.directed(rule))));
    trials
}

/// The results of the cases of one rule and direction.
#[derive(Default)]
struct Tally {
    /// The column of the table, with its number.
    counts: BTreeMap<&'static str, u64>,
    /// The laws that do not hold, with the first case that broke each.
    broken: BTreeMap<&'static str, String>,
}

impl Tally {
    fn count(&mut self, column: &'static str, counts: bool) {
        *self.counts.entry(column).or_default() += u64::from(counts);
    }
}

/// The settings that every test of a run shares.
#[derive(Clone, Copy)]
struct Bench {
    seed: u64,
    cases: u64,
}

impl Bench {
    /// Reads the settings; `cases` is the default number of objects.
    fn of(cases: u64) -> Self {
        let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
        Self {
            seed: number("REVERSION_LAWS_SEED").unwrap_or(2026),
            cases: number("REVERSION_LAWS_CASES").unwrap_or(cases),
        }
    }

    /// Tries every law on every case of a rule in one direction, and checks that the rule applies to enough of them.
    fn directed(self, directed: &'static DirectedRule<'static>) -> Result<(), Failed> {
        let mut tally = Tally::default();
        for (number, case) in (0..self.cases).map_while(|number| Some((number, directed.case(self.seed, number)?))) {
            self.case(directed, number, &case, &mut tally);
        }
        tally.counts.iter().for_each(|(column, count)| count_up(&directed.name, column, *count));
        let count = |column: &str| tally.counts.get(column).copied().unwrap_or_default();
        let (drawn, applied) = (count("drawn"), count("applies"));
        let exceptions = Exceptions::of_all();
        let acts = directed.acts() && !exceptions.is_idle(&directed.name);
        let (least, most) = match (acts, exceptions.is_rare(&directed.name)) {
            (true, true) => (0, drawn),
            (true, false) => (drawn * MIN_APPLIED / 100, drawn),
            (false, _) => (0, 0),
        };
        if drawn == 0 || !(least..=most).contains(&applied) {
            tally.broken.insert("the rule applies", format!("the rule applies to {applied} of {drawn} objects"));
        }
        let broken: Vec<_> = tally.broken.iter().map(|(law, message)| format!("{law}: {message}")).collect();
        if broken.is_empty() { Ok(()) } else { Err(broken.join("\n\n").into()) }
    }

    /// Tries every law on one case that no earlier case broke.
    fn case(self, directed: &'static DirectedRule<'static>, number: u64, case: &Case, tally: &mut Tally) {
        let subject = Subject::new(directed, case);
        tally.count("drawn", true);
        match checks::outcomes(&subject) {
            Ok(outcomes) => {
                tally.count("applies", outcomes.applies);
                tally.count("changed", outcomes.is_changed);
                tally.count("held back", outcomes.is_held);
            }
            Err(message) => {
                tally
                    .broken
                    .entry("the file can be read")
                    .or_insert_with(|| self.failure(directed, number, case, &message));
                return;
            }
        }
        for law in LAWS {
            if tally.broken.contains_key(law.name) {
                continue;
            }
            match checks::run(law, &subject) {
                Ok(verdict) => tally.count(law.name, verdict == Verdict::Holds),
                Err(message) => {
                    let (case, message) = self.smaller(law, directed, case.clone(), message);
                    tally.broken.insert(law.name, self.failure(directed, number, &case, &message));
                }
            }
        }
    }

    /// Shrinks a case that breaks a law: the plainest style and the fewest fields that still break it.
    fn smaller(
        self,
        law: &'static Law,
        directed: &'static DirectedRule<'static>,
        case: Case,
        message: String,
    ) -> (Case, String) {
        let breaks = |case: &Case| checks::run(law, &Subject::new(directed, case)).err();
        let plain = Case { style: 0, ..case.clone() };
        let case = if breaks(&plain).is_some() { plain } else { case };
        let kind = &case.kind;
        let catalog = directed.pack.catalog(kind).expect("the case was drawn from it");
        let is_valid = |object: &serde_json::Value| {
            shrink::is_object_of(object, kind)
                && Exceptions::of_all().completed(kind, &case.version, object.clone()) == *object
                && catalog.check(object, case.start, &case.version).is_empty()
        };
        let object = shrink(&case.object, |object| {
            is_valid(object) && breaks(&Case { object: object.clone(), ..case.clone() }).is_some()
        });
        let small = Case { object, ..case };
        let message = breaks(&small).unwrap_or(message);
        (small, message)
    }

    fn failure(self, directed: &'static DirectedRule<'static>, number: u64, case: &Case, message: &str) -> String {
        let (start, target) = (directed.target(case.start), directed.target(case.target));
        let (seed, text) = (self.seed, Sheet::of(case).text);
        format!("{message}\n--- {start} to {target}, seed {seed}, case {number}\n{}\n--- text\n{text}", case.object)
    }

    /// The renderer's own law: its text reads back as the rendered values.
    fn renderer(self) -> Result<(), Failed> {
        // Objects of all rules together show every style; those of one rule differ little.
        let per_rule = (self.cases / 6).clamp(1, 500);
        for directed in DIRECTED_RULES.iter() {
            for number in 0..per_rule {
                let Some(case) = directed.case(self.seed ^ 0x51, number) else { break };
                let sheet = Sheet::of(&case);
                let actual = values(&sheet.text).map_err(|message| format!("{message}\n{:?}", sheet.text))?;
                if actual != sheet.documents {
                    let (text, documents) = (&sheet.text, &sheet.documents);
                    return Err(
                        format!("case {number}: {text:?}\n{text}\nreads as {actual:?}\nnot as {documents:?}").into()
                    );
                }
            }
        }
        Ok(())
    }

    /// Every kind, in its oldest and newest release, in every version: this detects gaps in the word list.
    fn every_kind(self) -> Result<(), Failed> {
        for pack in packs().iter() {
            for kind in pack.kinds() {
                let catalog = pack.catalog(kind).ok_or("a listed kind has a catalog")?;
                let releases: Vec<_> = catalog.releases().iter().collect();
                for release in releases.first().into_iter().chain(releases.last()) {
                    for version in catalog.served(*release) {
                        let recipe = Recipe::new(pack, catalog, *release, version.name, &Hints::default(), *release);
                        let mut random = Random::new(self.seed, &[&kind.to_string()], 0);
                        for _ in 0..5 {
                            let object = recipe.draw(&mut random);
                            let text = render::text(std::slice::from_ref(&object), &Style::PLAIN, &mut random);
                            if values(&text)? != [object] {
                                return Err(format!("{kind}: {text}").into());
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// The exceptions of a rule that was renamed or removed remain.
fn every_exception() -> Result<(), Failed> {
    let rules = packs().iter().flat_map(|pack| pack.rules()).map(|rule| rule.id.as_str()).collect();
    let directed = DIRECTED_RULES.iter().map(|directed| directed.name.as_str()).collect();
    let stale = Exceptions::of_all().stale(&rules, &directed);
    if stale.is_empty() { Ok(()) } else { Err(format!("no rule, or no reason: {}", stale.join(", ")).into()) }
}

fn count_up(directed: &str, column: &str, by: u64) {
    let mut counts = COUNTS.lock().expect("no test panics while it holds the lock");
    *counts.entry((directed.to_owned(), column.to_owned())).or_default() += by;
}

/// Prints what was counted for each rule and direction that was tested.
pub(crate) fn print_table() {
    let counts = COUNTS.lock().expect("no test panics while it holds the lock");
    if counts.is_empty() {
        return;
    }
    let mut rows: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
    for ((directed, column), count) in counts.iter() {
        rows.entry(directed).or_default().insert(column, *count);
    }
    let columns: Vec<&str> =
        ["drawn", "applies", "changed", "held back"].into_iter().chain(LAWS.iter().map(|law| law.name)).collect();
    let mut out = std::io::stdout().lock();
    let mut print = |text: String| writeln!(out, "{text}").expect("standard output takes text");
    for (number, column) in columns.iter().enumerate() {
        print(format!("{number:>4} {column}"));
    }
    let width = rows.keys().map(|directed| directed.len()).max().unwrap_or(0);
    print(format!("{:width$} {}", "", (0..columns.len()).map(|number| format!("{number:>6}")).collect::<String>()));
    for (directed, row) in &rows {
        let cell =
            |column: &&str| row.get(*column).map_or_else(|| format!("{:>6}", "-"), |count| format!("{count:>6}"));
        print(format!("{directed:width$} {}", columns.iter().map(cell).collect::<String>()));
    }
}
